"""Checks that every reader has to pass: ours, and those of other packages.

>>> from tco.testing import check_reader
>>> from tco.readers.jpwr import READER
>>> check_reader(READER, "power.node01.csv")  # doctest: +SKIP
"""

from __future__ import annotations

import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tco.readers import Reader, ReadOptions
    from tco.records.run import Run

__all__ = ["check_reader"]

#: Numbers that stand for "no value" in one tool or another, as a power in W or as an energy in J, Wh or kWh.
_SENTINELS = (4294967295.0, 9223372036854775794.0, 18446744073709551614.0)
#: Shares of the sample after which it is cut off, and the number of bytes at its end of which each is tried.
_CUTS, _LAST = (0.25, 0.5, 0.75), 60


def check_reader(
    reader: Reader, sample: str | Path, *, options: ReadOptions | None = None, absent: str | Path | None = None
) -> None:
    """Check that a reader does what every reader has to do.

    It says where its tool measures; knows the sample, and not an empty file; gives each reading a boundary; reads the
    same twice; gives energies that are numbers, and no value that stands for a missing one; refuses a file that was cut
    off, or says that something is odd about it; raises nothing but `tco.errors.TcoError`; opens no connection and
    leaves the file as it was.

    Parameters
    ----------
    reader
        The reader.
    sample
        A file of its format with at least one power or energy, written whole.
    options
        How to read it, where it needs more than the defaults.
    absent
        A file of its format in which no power and no energy has a value: it must give none, not zero.

    Raises
    ------
    AssertionError
        At the first thing that is not so, in words.
    """
    from tco.readers import ReadOptions

    path, asked = Path(sample), options or ReadOptions()
    before = path.read_bytes()
    _check_words(reader)
    with _no_connections(reader):
        _check_sniff(reader, path)
        runs = reader.read(path, asked)
        assert path.read_bytes() == before, f"{reader.name}: changed {path}"
        _check_runs(reader, path, runs, asked)
        again = reader.read(path, asked)
        assert _plain(again) == _plain(runs), f"{reader.name}: reads {path} differently the second time"
        if absent is not None:
            _check_absent(reader, Path(absent), asked)
        _check_cut(reader, path, before, runs, asked)


def _check_words(reader: Reader) -> None:
    for attribute in ("name", "title", "boundary"):
        text = getattr(reader, attribute, None)
        assert isinstance(text, str), f"the reader has no '{attribute}', or it is not text"
        assert text.strip(), f"the reader has an empty '{attribute}'"
    assert " " not in reader.name, f"'{reader.name}' has a space in it: it is what a user writes after --as"


def _check_sniff(reader: Reader, path: Path) -> None:
    sure = reader.sniff(path)
    assert 0 <= sure <= 1, f"{reader.name}: sniff gives {sure!r}, which is not between 0 and 1"
    with tempfile.TemporaryDirectory() as folder:
        for content, what in ((b"", "an empty file"), (b"\0\xff" * 64, "bytes that are no text")):
            other = Path(folder) / path.name
            other.write_bytes(content)
            assert reader.sniff(other) == 0, f"{reader.name}: sniff takes {what} for its format"
        assert reader.sniff(Path(folder) / "gone") == 0, f"{reader.name}: sniff takes a file that is not there"


def _check_runs(reader: Reader, path: Path, runs: list[Run], options: ReadOptions) -> None:
    assert isinstance(runs, list), f"{reader.name}: read gives {type(runs).__name__}, not a list of runs"
    assert runs, f"{reader.name}: reads no run from {path}"
    for run in runs:
        for reading in (*run.energy, *run.power):
            where = f"{reader.name}: {reading.device or 'whole run'}"
            assert (
                reading.boundary is not None
                or any(w.code == "no-boundary" for w in run.warnings)
                or ("unstated" in reader.boundary)
            ), f"{where}: says neither where it was measured nor (code no-boundary) that nobody knows"
            if options.boundary is not None:
                assert reading.boundary == options.boundary, f"{where}: ignores the boundary of the caller"
        for energy in run.energy:
            assert energy.value not in _SENTINELS, f"{reader.name}: takes {energy.value:.0f} for an energy"
            known = energy.value > 0 or any(warning.code for warning in run.warnings)
            assert known, f"{reader.name}: an energy of 0 without a word; a missing value is not 0"
        for power in run.power:
            watts = None if power.average_power is None else float(power.average_power.m_as("W"))
            assert watts not in _SENTINELS, f"{reader.name}: takes {watts} W for a power"
        assert any(evidence.sha256 for evidence in run.provenance), (
            f"{reader.name}: a run names no file with its SHA-256"
        )


def _check_absent(reader: Reader, path: Path, options: ReadOptions) -> None:
    runs = _read(reader, path, options)
    for run in runs or ():
        found = [energy.value for energy in run.energy] + [power.average_power for power in run.power]
        assert not found, f"{reader.name}: makes {found} of {path}, where nothing has a value"


def _check_cut(reader: Reader, path: Path, whole: bytes, runs: list[Run], options: ReadOptions) -> None:
    """The sample, cut at several places, and within its last number."""
    codes = {warning.code for run in runs for warning in run.warnings}
    with tempfile.TemporaryDirectory() as folder:
        cut = Path(folder) / path.name
        end = len(whole.rstrip())
        places = [int(len(whole) * share) for share in _CUTS] + list(range(max(1, end - _LAST), end))
        for place in places:
            cut.write_bytes(whole[:place])
            _read(reader, cut, options)
        last = next((at for at in range(end - 1, 0, -1) if whole[at : at + 1].isdigit()), 0)
        if not last or not whole[last - 1 : last].isdigit():
            return
        cut.write_bytes(whole[:last])
        found = _read(reader, cut, options)
        if found is None:
            return
        said = {warning.code for run in found for warning in run.warnings} - codes
        same = [_figures(run) for run in found] == [_figures(run) for run in runs]
        assert said or same, (
            f"{reader.name}: reads {path.name} without its last {len(whole) - last} bytes as if it were whole, with "
            "other figures; refuse it, or warn"
        )


def _read(reader: Reader, path: Path, options: ReadOptions) -> list[Run] | None:
    """What it reads; None where it refuses."""
    from tco.errors import TcoError

    try:
        return reader.read(path, options)
    except TcoError as refusal:
        words = str(refusal).strip()
    except Exception as error:
        raise AssertionError(
            f"{reader.name}: raises {type(error).__name__} ({error}) on a damaged file; raise tco.errors.ReadError"
        ) from error
    assert words, f"{reader.name}: refuses {path} without a word"
    return None


def _figures(run: Run) -> list[tuple[Any, ...]]:
    figures: list[tuple[Any, ...]] = [(energy.device, energy.value, energy.unit) for energy in run.energy]
    figures += [(p.device, None if p.average_power is None else float(p.average_power.m_as("W"))) for p in run.power]
    figures.append((None if run.duration is None else float(run.duration.m_as("s")),))
    return figures


def _plain(runs: list[Run]) -> list[str]:
    return [run.to_json() for run in runs]


@contextmanager
def _no_connections(reader: Reader) -> Iterator[None]:
    """Let every connection fail."""

    def _refuse(*arguments: Any, **options: Any) -> Any:
        raise AssertionError(f"{reader.name}: opens a connection; a reader reads its file and nothing else")

    kept: dict[str, Callable[..., Any]] = {
        "connect": socket.socket.connect,
        "connect_ex": socket.socket.connect_ex,
        "sendto": socket.socket.sendto,
    }
    looked_up = socket.getaddrinfo
    for name in kept:
        setattr(socket.socket, name, _refuse)
    socket.getaddrinfo = _refuse
    try:
        yield
    finally:
        for name, function in kept.items():
            setattr(socket.socket, name, function)
        socket.getaddrinfo = looked_up
