"""Any CSV file, whose columns somebody says: ``--as csv --column time=t --column 'power:gpu0[kW]=P'``.

Roles of a column:

- ``time`` with dates and times, or numbers of s (``[ms]``, ``[us]``, ``[ns]``, ``[min]``, ``[h]`` for others);
- ``power:NAME`` and ``energy:NAME``, a running total, of a device of that name, with their unit: ``power:gpu0[W]``, or
  at the end of the name of the column: ``Power (kW)``, ``power_w``. ``*`` in the name of a column stands for anything,
  and then each column is a device of its own;
- ``device``, where a row is of one device that this column names; ``model``, its model.

The same as a TOML file: ``time = "t"``, ``boundary = "node_ac"``, ``[power]``, ``gpu0 = {column = "P", unit = "kW"}``.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.readers.blocks import Header
    from tco.readers.channels import Clock, Source
    from tco.readers.trace import Channel
    from tco.records.run import Run, Warning_

_SPEC = re.compile(r"(time|power|energy|device|model)(?::([^\[\]=]+))?(?:\[([^\[\]]+)\])?=(.+)")
_UNIT_OF_NAME = re.compile(r".*?(?:[\[(]([A-Za-zµ]+)[\])]|[_ ]([A-Za-zµ]+))\s*")
_IN_WATT = {"W": 1.0, "kW": 1e3, "mW": 1e-3, "uW": 1e-6, "MW": 1e6}
_IN_JOULE = {
    "J": 1.0,
    "kJ": 1e3,
    "MJ": 1e6,
    "mJ": 1e-3,
    "uJ": 1e-6,
    "Wh": 3600.0,
    "kWh": 3.6e6,
    "MWh": 3.6e9,
}
_IN_SECOND = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60.0, "h": 3600.0}
#: Largest power of something of which nobody says what it is.
_MOST_WATTS = 4e9
_EXAMPLE = "--column time=t --column 'power:gpu0[W]=P'"


class Spec(NamedTuple):
    """What a column holds: its role, the device, the unit, and its name or a pattern of names."""

    role: str
    device: str | None
    unit: str | None
    column: str


def spec_of(text: str) -> Spec:
    """``power:gpu0[kW]=Column`` as its parts.

    Raises
    ------
    ReadError
        If it is not written like that.
    """
    from tco.errors import ReadError

    match = _SPEC.fullmatch(text.strip())
    if match is None:
        raise ReadError(
            f"--column '{text}': write ROLE=COLUMN, the role being time, power:NAME[W], energy:NAME[J], device or "
            f"model; for instance {_EXAMPLE}"
        )
    return Spec(match[1], match[2] and match[2].strip(), match[3] and match[3].strip(), match[4].strip())


class Mapping_(NamedTuple):  # noqa: N801 - 'Mapping' is a type of Python
    """What a TOML file says of the columns of a CSV file."""

    columns: tuple[str, ...]
    boundary: str | None
    time_zone: str | None


def mapping_of(path: Path) -> Mapping_:
    """Read a TOML file that says what columns hold.

    Raises
    ------
    TcoError
        If it cannot be read, or has a field that is not known.
    """
    from tco.errors import ReadError, did_you_mean
    from tco.records.base import read_data

    data = read_data(path)
    known = ("time", "device", "model", "boundary", "time_zone", "power", "energy")
    columns = []
    for key, value in data.items() if isinstance(data, dict) else ():
        if key not in known:
            raise ReadError(
                f"{path}: '{key}' is not a field here{did_you_mean(key, known)} (fields: {', '.join(known)})"
            )
        if key in ("power", "energy"):
            if not isinstance(value, dict):
                raise ReadError(f"{path}: {key}: write a table of devices, such as [{key}] and gpu0 = 'P'")
            columns += [_text_of(path, f"{key}:{name}", item) for name, item in value.items()]
        elif key not in ("boundary", "time_zone"):
            columns.append(_text_of(path, key, value))
        elif not isinstance(value, str):
            raise ReadError(f"{path}: {key}: {value!r:.40} is not a text")
    return Mapping_(tuple(columns), data.get("boundary"), data.get("time_zone"))


def _text_of(path: Path, role: str, value: object) -> str:
    from tco.errors import ReadError

    if isinstance(value, dict) and set(value) <= {"column", "unit"} and isinstance(value.get("column"), str):
        unit = f"[{value['unit']}]" if "unit" in value else ""
        return f"{role}{unit}={value['column']}"
    if not isinstance(value, str):
        raise ReadError(f"{path}: {role}: write the name of a column, or {{column = 'P', unit = 'kW'}}")
    return f"{role}={value}"


class ColumnsCsv:
    """Reads a CSV file by a description of its columns."""

    name = "csv"
    title = "any CSV file, with --column for what its columns hold"
    boundary = "what --boundary says"

    def sniff(self, path: Path) -> float:
        """Nothing says of a file that it is of no format: it is read only on demand."""
        return 0.0

    def trace(self, path: Path, options: ReadOptions) -> list[Channel]:
        """One channel for each device."""
        return self._measure(path, options)[0]

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run with an energy for each device."""
        from tco.readers.build import run_of, with_digest
        from tco.records.run import Device

        models: dict[str, str] = {}
        notes: list[Warning_] = []

        def _trace() -> list[Channel]:
            channels, names, warnings = self._measure(path, options)
            models.update(names)
            notes.extend(warnings)
            return channels

        channels, digest = with_digest(path, _trace)
        kinds: dict[str, list[str]] = {}
        for channel in channels:
            if channel.id in models:
                kinds.setdefault(models[channel.id], []).append(channel.id)
        devices = [
            Device(kind="accelerator", model=model, count=len(ids), ids=tuple(ids)) for model, ids in kinds.items()
        ]
        return [run_of(path, digest, channels, options, tool=None, devices=devices, warnings=notes)]

    def _measure(self, path: Path, options: ReadOptions) -> tuple[list[Channel], dict[str, str], list[Warning_]]:
        from tco.errors import ReadError
        from tco.readers.blocks import read_header, unfinished_line
        from tco.readers.build import selected
        from tco.readers.channels import Layout, channels_in_columns, channels_in_rows
        from tco.records.run import Warning_

        header = read_header(path, comments=True, names=options.names)
        if not options.columns:
            raise ReadError(f"{path}: say what its columns hold ({', '.join(header.names)}): {_EXAMPLE}")
        specs = [spec_of(text) for text in options.columns]
        clock = _clock(header, specs, options)
        sources = _sources(header, specs, options)
        key = _one(header, specs, "device")
        notes = []
        if unfinished_line(path) is not None:
            notes.append(
                Warning_(
                    code="unfinished-line",
                    message="the last line has no line end; if the file was cut off, its last value is wrong",
                    where=path.name,
                )
            )
        if options.boundary is None:
            notes.append(
                Warning_(
                    code="no-boundary",
                    message="nobody says where the power was measured: --boundary gpu_board, node_ac ...",
                    where=path.name,
                )
            )
        if key is None:
            return selected(channels_in_columns(header, clock, sources, options), options, path), {}, notes
        if len(sources) > 1:
            raise ReadError(f"{header.place}: where rows name their device, one column holds its power or energy")
        model = _one(header, specs, "model")
        found, models = channels_in_rows(header, Layout(clock, sources, (key,), model), options)
        return selected([each[0] for each in found.values()], options, path), models, notes


def _one(header: Header, specs: Sequence[Spec], role: str) -> int | None:
    from tco.errors import ReadError

    found = [spec for spec in specs if spec.role == role]
    if len(found) > 1:
        raise ReadError(f"--column {role}= is given {len(found)} times")
    return header.column(found[0].column) if found else None


def _clock(header: Header, specs: Sequence[Spec], options: ReadOptions) -> Clock:
    from dataclasses import replace

    from tco.errors import ReadError, did_you_mean
    from tco.readers.channels import clock_of

    position = _one(header, specs, "time")
    if position is None:
        raise ReadError(
            f"{header.place}: say which column holds the time: --column time=... ({', '.join(header.names)})"
        )
    unit = next(spec.unit for spec in specs if spec.role == "time")
    if unit is not None and unit not in _IN_SECOND:
        raise ReadError(f"--column time[{unit}]: is not a unit of time{did_you_mean(unit, _IN_SECOND)}")
    factor = None if unit is None else _IN_SECOND[unit]
    clock: Clock = clock_of(header, position, options.time_zone, factor)
    return clock if factor is None else replace(clock, factor=factor)


def _sources(header: Header, specs: Sequence[Spec], options: ReadOptions) -> list[Source]:
    from tco.errors import ReadError
    from tco.readers.channels import Source
    from tco.readers.trace import MOST_WATTS_OF_A_DEVICE

    sources: list[Source] = []
    most = MOST_WATTS_OF_A_DEVICE if options.boundary in ("device_counter", "gpu_board", "module") else _MOST_WATTS
    for spec in specs:
        if spec.role not in ("power", "energy"):
            continue
        names = [name for name in header.names if fnmatchcase(name, spec.column)] if "*" in spec.column else []
        for name in names or [spec.column]:
            position = header.column(name)
            unit, factor = _unit(spec, name, header)
            device = spec.device if spec.device and not names else name
            if any(source.id == device for source in sources):
                raise ReadError(f"--column: '{device}' is given twice; name the devices apart, as in power:gpu0=...")
            is_counter = spec.role == "energy"
            sources.append(Source(device, position, unit, factor, None, most, is_counter=is_counter))
    if not sources:
        raise ReadError(f"{header.place}: say which columns hold a power or an energy: {_EXAMPLE}")
    return sources


def _unit(spec: Spec, name: str, header: Header) -> tuple[str, float]:
    """The unit of a column, as stated or as it stands at the end of its name."""
    from tco.errors import ReadError, did_you_mean

    factors = _IN_WATT if spec.role == "power" else _IN_JOULE
    match = None if spec.unit else _UNIT_OF_NAME.fullmatch(name)
    unit = spec.unit or (match and (match[1] or match[2])) or ""
    found = factors.get(unit) if spec.unit else factors.get(unit) or factors.get({"w": "W", "kw": "kW"}.get(unit, ""))
    if found is None:
        what = f"'{unit}' is not a unit of {spec.role}{did_you_mean(unit, factors)}" if spec.unit else "has no unit"
        example = f"{spec.role}:{spec.device or 'gpu0'}[{next(iter(factors))}]={name}"
        raise ReadError(f"{header.place}: column '{name}': {what}; write --column '{example}'")
    return unit, found


READER = ColumnsCsv()
