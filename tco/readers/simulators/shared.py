"""What the readers of simulators share: text, numbers that make sense, and a run made of phases."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from tco.errors import ReadError
from tco.readers.base import ReadOptions
from tco.readers.compressed import expanded, kind_of
from tco.readers.making import evidence, make_run
from tco.records.run import Device, Evidence, Run, RunPhase, Utilisation, Warning_
from tco.units import Q

Activity = Literal["busy", "waiting", "idle"]
#: A step or a trace that takes longer is a mistake in its configuration: no job has run for a century.
_LONGEST_S = 100 * 8760 * 3600.0
_HEAD = 1 << 16
_MEBIBYTE = 1 << 20
#: A trace of a few steps is far smaller, and its JSON takes many times this in memory.
_MOST_BYTES = 2 << 30
_SIGNED = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?(?:nan|inf(?:inity)?))\s*", re.IGNORECASE)


def head_of(path: Path, size: int = _HEAD) -> str:
    """The beginning of a file as text, uncompressed; empty where it cannot be read."""
    try:
        with path.open("rb") as raw:
            kind = kind_of(raw.read(4))
            raw.seek(0)
            data = raw.read(size) if kind is None else expanded(path, raw, kind).read(size)
    except (OSError, ReadError):
        return ""
    return data.decode("utf-8", errors="replace").removeprefix("\ufeff")


def text_of(path: Path) -> str:
    """The whole file as text, uncompressed.

    Raises
    ------
    ReadError
        If it cannot be read, is not UTF-8 text, or is larger than a file of this kind can be.
    """
    try:
        with path.open("rb") as raw:
            kind = kind_of(raw.read(4))
            raw.seek(0)
            file = raw if kind is None else expanded(path, raw, kind)
            pieces, size = [], 0
            while piece := file.read(_MEBIBYTE):
                pieces.append(piece)
                size += len(piece)
                if size > _MOST_BYTES:
                    most = _MOST_BYTES // _MEBIBYTE
                    raise ReadError(f"{path}: is larger than {most} MiB; cut the trace to a few steps")
    except OSError as error:
        raise ReadError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        return b"".join(pieces).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ReadError(f"{path}: is not UTF-8 text (byte {error.start})") from None


def unfinished(text: str, where: str) -> list[Warning_]:
    """A word where the last line has no end: a number at its end may have lost digits."""
    if text.endswith("\n"):
        return []
    message = "the last line has no line end; if the file was cut off, its last value is wrong"
    return [Warning_(code="unfinished-line", message=message, where=where)]


def json_of(path: Path) -> Any:
    """The content of a JSON file, uncompressed.

    Raises
    ------
    ReadError
        Naming file and line when it is not JSON, as where it was cut off.
    """
    try:
        return json.loads(text_of(path))
    except json.JSONDecodeError as error:
        raise ReadError(f"{path}:{error.lineno}: not valid JSON: {error.msg}; was the file cut off?") from None
    except RecursionError:
        raise ReadError(f"{path}: is nested too deeply") from None


def table_of(path: Path) -> Mapping[str, Any]:
    """A JSON file that holds one table of fields."""
    data = json_of(path)
    if not isinstance(data, Mapping):
        raise ReadError(f"{path}: holds a {type(data).__name__}, not a table of fields")
    return data


def number(data: Mapping[str, Any], name: str, where: str) -> float:
    """A number that must be there.

    Raises
    ------
    ReadError
        If it is missing, or is not a finite number of at least 0.
    """
    if name not in data or data[name] is None:
        raise ReadError(f"{where}: '{name}' is missing; is the file complete, and of the version that is read here?")
    return checked_number(data[name], f"{where}: {name}")


def checked_number(value: Any, place: str) -> float:
    """A finite number of at least 0, from a number or the text of one."""
    if isinstance(value, str):
        match = _SIGNED.fullmatch(value)
        if match is None:
            raise ReadError(f"{place}: '{value.strip()}' is not a number")
        value = float(match[1])
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ReadError(f"{place}: {value!r} is not a number")
    if not math.isfinite(value) or value < 0:
        raise ReadError(f"{place}: {value:g} cannot be; it must be a finite number of at least 0")
    return float(value)


def time_s(value: Any, place: str) -> float:
    """A run time in s that can be.

    Raises
    ------
    ReadError
        If it is 0, negative, not finite, or longer than a century.
    """
    seconds = checked_number(value, place)
    if seconds == 0:
        raise ReadError(f"{place}: 0 s is no run time")
    if seconds > _LONGEST_S:
        raise ReadError(
            f"{place}: {seconds:.4g} s is {seconds / _LONGEST_S * 100:.3g} years, which is no run time; the "
            "configuration of the simulator is wrong (a bandwidth of 0 gives such times)"
        )
    return seconds


def utilisation(kind: Literal["MFU", "HFU", "busy"], value: Any, place: str, *, stated: bool = False) -> Utilisation:
    """A utilisation; refused outside of 0 to 1, since nothing does more than its peak."""
    share = checked_number(value, place)
    if share > 1 + 1e-9:
        raise ReadError(
            f"{place}: a {kind} of {share:.4g} is above 1, and nothing computes faster than its peak; "
            "check the peak and the precision that the simulator was given"
        )
    return Utilisation(kind=kind, value=min(share, 1.0), stated=stated)


def phase(name: str, activity: Activity, seconds: float) -> RunPhase:
    """A phase of a run."""
    return RunPhase(name=name, activity=activity, duration=Q(seconds, "s"))


def count_of(found: float | None, options: ReadOptions, where: str) -> float | None:
    """Devices: as the file says, else as the reader was told.

    Raises
    ------
    ReadError
        If the two disagree.
    """
    if found is not None and not found > 0:
        raise ReadError(f"{where}: the number of devices is {found:g}; a run has at least one")
    told = options.device_count
    if told is None and options.devices is not None:
        told = _count_in(options.devices, where)
    if found is not None and told is not None and found != told:
        raise ReadError(f"{where}: the run is of {found:g} devices, not of {told:g}; leave the number of devices out")
    return found if found is not None else told


def _count_in(named: tuple[str, ...], where: str) -> float:
    """``--devices 64``: the results of simulators have no channels that could be chosen."""
    if len(named) != 1 or not named[0].isdecimal() or int(named[0]) == 0:
        raise ReadError(f"{where}: has no devices to choose from; --devices says how many the run uses, such as 64")
    return float(named[0])


def devices(count: float | None, model: str | None = None) -> list[Device] | None:
    """Accelerators of one kind; None where nobody says how many."""
    return None if count is None else [Device(kind="accelerator", count=count, model=model)]


def files(path: Path, companion: Path | None) -> list[Evidence]:
    """The file, and the one that belongs to it."""
    return evidence(*([path] if companion is None else [path, companion]))


def companion_of(path: Path, options: ReadOptions, what: str) -> Path | None:
    """The file that belongs to a result: named by the user, else ``NAME.<what>`` beside ``NAME.json``."""
    if options.companion is not None:
        return options.companion
    beside = path.with_name(f"{path.name.partition('.')[0]}.{what}")
    return beside if beside.is_file() else None


def run_of(where: str, *, unstated: Sequence[str], **fields: Any) -> Run:
    """A run of these fields, and what the tool does not say of it."""
    return make_run(where, unstated=list(unstated), **fields)
