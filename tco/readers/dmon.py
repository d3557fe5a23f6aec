"""Tables of ``nvidia-smi dmon``, with its date and time (``-o DT``), or with a stated interval."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.readers.trace import Channel
    from tco.records.run import Run

_HEADER = re.compile(r"#\s*(?:date[\s,]+)?(?:time[\s,]+)?gpu\b", re.IGNORECASE)
_COMMAND = "nvidia-smi dmon -s p -o DT -d 1"
_PIECE = 4096
_DAY = 86400.0


class _Names(NamedTuple):
    date: int | None
    time: int | None
    gpu: int
    power: int
    width: int


class Dmon:
    """Reads what nvidia-smi dmon prints."""

    name = "nvidia-smi-dmon"
    title = "nvidia-smi dmon table"
    boundary = "GPU board"

    def sniff(self, path: Path) -> float:
        """Whether the first line is that of a table of dmon."""
        from tco.readers.blocks import first_line

        return 0.95 if _HEADER.match(first_line(path)) else 0.0

    def trace(self, path: Path, options: ReadOptions) -> list[Channel]:
        """One channel for each GPU."""
        from tco.readers.build import selected

        return selected(_channels(path, options), options, path)

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run with an energy for each GPU."""
        from tco.readers.build import run_of, with_digest
        from tco.records.run import Device

        channels, digest = with_digest(path, lambda: self.trace(path, options))
        ids = tuple(channel.id for channel in channels)
        devices = [Device(kind="gpu", count=len(ids), ids=ids)]
        return [run_of(path, digest, channels, options, tool="nvidia-smi dmon", devices=devices)]


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    from tco.errors import ReadError
    from tco.readers.blocks import open_file

    with open_file(path) as file:
        number = 0
        while raw := file.readline(1 << 16):
            number += 1
            if not raw.endswith(b"\n"):
                fault = "is too long for a line of dmon" if len(raw) == 1 << 16 else "was cut off while it was written"
                raise ReadError(f"{path}:{number}: the line '{raw[:60].decode('utf-8', 'replace')}' {fault}")
            try:
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError:
                raise ReadError(f"{path}:{number}: is not UTF-8 text") from None
            if line.strip():
                yield number, line.replace(",", " ")


def _names(place: str, line: str) -> _Names:
    from tco.errors import ReadError

    names = [name.casefold() for name in line.replace("#", " ").split()]
    if "gpu" not in names or "pwr" not in names:
        raise ReadError(f"{place}: has no columns 'gpu' and 'pwr'; log with: {_COMMAND}")
    positions = {name: names.index(name) for name in ("date", "time", "gpu", "pwr") if name in names}
    return _Names(positions.get("date"), positions.get("time"), positions["gpu"], positions["pwr"], len(names))


def _channels(path: Path, options: ReadOptions) -> list[Channel]:
    """Samples by GPU; the memory does not grow with the file."""
    from datetime import UTC, date, datetime, time

    import numpy as np

    from tco.errors import ReadError
    from tco.readers import values
    from tco.readers.trace import Integrator
    from tco.readers.zones import LocalClock

    names: _Names | None = None
    meters: dict[str, Integrator] = {}
    kept: dict[str, tuple[list[float], list[float], list[int]]] = {}
    clocks: dict[str, LocalClock] = {}
    counts: dict[str, int] = {}
    last_of_day: dict[str, tuple[float, float]] = {}
    first_day: int | None = None

    def _flush(gpu: str) -> None:
        times_s, powers, lines = (list(part) for part in kept[gpu])
        for part in kept[gpu]:
            part.clear()

        def _where(row: int) -> str:
            return f"{path}:{lines[row]}"

        moments = np.array(times_s)
        if gpu in clocks:
            moments = clocks[gpu].utc(moments, _where)
        meters[gpu].add(moments, np.array(powers), _where)

    for number, line in _lines(path):
        place = f"{path}:{number}"
        if line.lstrip().startswith("#"):
            if "gpu" in line.casefold().split() or "#gpu" in line.casefold():
                names = _names(place, line)
            continue
        fields = line.split()
        if names is None:
            raise ReadError(f"{place}: stands before the line of column names, '# gpu pwr ...'")
        if len(fields) != names.width:
            raise ReadError(f"{place}: has {len(fields)} fields, {names.width} expected; the line was cut off")
        gpu = fields[names.gpu]
        if gpu not in meters:
            meters[gpu], kept[gpu] = Integrator(options.rule), ([], [], [])
        if names.time is None:
            if options.interval_s is None:
                raise ReadError(
                    f"{place}: has no time; say how often dmon sampled, such as --interval '1 s' (its default), or log "
                    f"with: {_COMMAND}"
                )
            second = counts.get(gpu, 0) * options.interval_s
            counts[gpu] = counts.get(gpu, 0) + 1
        else:
            shown = (
                f"{_date(fields[names.date], place) if names.date is not None else '2000-01-01'} {fields[names.time]}"
            )
            stamp = values.stamp(shown, values.Place(str(path), number, "Time"))
            if first_day is None:
                first_day = stamp.day
            second = (stamp.day - first_day) * _DAY + stamp.second
            if names.date is None:
                shown_before, day = last_of_day.get(gpu, (second, 0.0))
                day += _DAY if second < shown_before - _DAY / 2 else 0.0
                last_of_day[gpu] = second, day
                second += day
            elif options.time_zone is not None and gpu not in clocks:
                clocks[gpu] = LocalClock(options.time_zone, first_day)
        times_s, powers, lines = kept[gpu]
        times_s.append(second)
        powers.append(values.number(fields[names.power], None, values.Place(str(path), number, "pwr")))
        lines.append(number)
        if len(times_s) == _PIECE:
            _flush(gpu)
    if not meters:
        raise ReadError(f"{path}: has no rows under its column names")
    for gpu in meters:
        _flush(gpu)
    origin = None
    if first_day is not None and names is not None and names.date is not None:
        origin = datetime.combine(date.fromordinal(first_day), time(), UTC if options.time_zone else None)
    boundary = options.boundary or "gpu_board"
    return [meter.channel(gpu, boundary, column="pwr", origin=origin) for gpu, meter in meters.items()]


def _date(text: str, place: str) -> str:
    """``20260131`` or ``2026/01/31`` as ``2026-01-31``."""
    from tco.errors import ReadError

    match = re.fullmatch(r"(\d{4})[-/]?(\d\d)[-/]?(\d\d)", text, re.ASCII)
    if match is None:
        raise ReadError(f"{place}: '{text}' is not a date such as 20260131")
    return f"{match[1]}-{match[2]}-{match[3]}"


READER = Dmon()
