"""Any CSV table of powers or energies over time, by the names of its columns.

``t_s`` (seconds) or ``timestamp`` (dates with times, or seconds since 1970) stands beside columns such as ``gpu0_W``,
``node1_power_kW`` or ``gpu0_energy_J``, a running total. Or each row is of one device, named in a column such as
``gpu_uuid``, and has its ``power_W`` or ``energy_J``; rows of MIG instances (``gpu_i_id``) each show the power of the
whole GPU. Lines at the top that begin with ``#`` are comments; one of them may state ``max_energy_range_uj=...``, where
a counter begins again.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.readers.blocks import Header
    from tco.readers.channels import Clock, Source
    from tco.readers.trace import Channel
    from tco.records.run import Boundary, Device, Run, Warning_

_TIMES = ("t_s", "timestamp")
_POWER = re.compile(r"(.+?)(?:_power)?_(W|w|kW|kw|mW)")
_COUNTER = re.compile(r"(.+?(?=(?:_total)?_energy_)|energy(?=_))(?:_total)?(?:_energy)?_(J|j|mJ|uJ|uj|Wh|wh|kWh|kwh)")
#: Channels named as jpwr names them, whose powers are in W.
_JPWR = re.compile(r"(?:gpu|pynvml|rocm|gc|gh):.+")
#: Columns that name the device of a row, the preferred ones first.
_KEYS = ("gpu_uuid", "uuid", "device", "gpu", "index", "host", "hostname", "node")
_INSTANCES = ("gpu_i_id", "gi_id", "gpu_instance_id")
_OF_A_ROW = re.compile(r"(power|energy|total_energy)_(\w+)")
_RANGE = re.compile(r"max_energy_range_uj\s*[=:]\s*(\d+)")
#: No processor package draws more: what would need more is no wrap of its counter.
_MOST_WATTS_OF_A_PACKAGE = 2000.0
_IN_WATT = {"w": 1.0, "kw": 1e3, "mw": 1e-3}
_IN_JOULE = {"j": 1.0, "mj": 1e-3, "uj": 1e-6, "wh": 3600.0, "kwh": 3.6e6}
#: Largest power of something that is not known to be a device; below the 4294967295 that stands for "not supported".
_MOST_WATTS = 4e9
_EXAMPLE = "'t_s,gpu0_W' or 'timestamp,node0_power_kW,gpu0_energy_J'"


class Table:
    """Reads a CSV table whose column names say what they hold."""

    name = "table"
    title = f"CSV table with columns such as {_EXAMPLE}"
    boundary = "GPU board for channels named gpu..., processor package for cpu... and package..., else unstated"

    def sniff(self, path: Path) -> float:
        """Whether the column names are a time and at least one power or counter."""
        from tco.readers.blocks import first_line

        names = [name.strip().strip('"') for name in re.split("[,;\t]", first_line(path, comments=True))]
        known = any(_POWER.fullmatch(name) or _COUNTER.fullmatch(name) or _JPWR.fullmatch(name) for name in names)
        known = known or (_key(names) is not None and any(_factor_of_a_row(name) for name in names))
        if names[0] in _TIMES or any(name in names for name in _TIMES):
            return 0.6 if known else 0.2
        return 0.0

    def trace(self, path: Path, options: ReadOptions) -> list[Channel]:
        """One channel for each name before the underscore."""
        return self._measure(path, options)[0]

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run with an energy for each channel."""
        from tco.readers.build import run_of, with_digest

        warnings: list[Warning_] = []

        def _trace() -> list[Channel]:
            channels, found = self._measure(path, options)
            warnings.extend(found)
            return channels

        channels, digest = with_digest(path, _trace)
        devices = _devices([channel.id for channel in channels])
        return [run_of(path, digest, channels, options, tool=None, devices=devices, warnings=warnings)]

    def _measure(self, path: Path, options: ReadOptions) -> tuple[list[Channel], list[Warning_]]:
        from tco.readers.blocks import read_header, unfinished_line
        from tco.readers.build import selected
        from tco.readers.channels import channels_in_columns
        from tco.records.run import Warning_

        header = read_header(path, comments=True, names=options.names)
        position = _time_position(header)
        clock = _clock(header, position, options)
        if _key(header.names) is not None and any(_factor_of_a_row(name) for name in header.names):
            merged, warnings = _of_rows(header, clock, options)
            ignored: list[str] = []
        else:
            sources, ignored, warnings = _sources(header, position)
            merged, notes = _merged(channels_in_columns(header, clock, sources, options), path)
            warnings += notes
        if ignored:
            names = ", ".join(f"'{name}'" for name in ignored)
            warnings.append(
                Warning_(
                    code="ignored-column",
                    message=f"not read, because the name does not end in a unit of power or energy: {names}",
                    where=header.place,
                )
            )
        if unfinished_line(path) is not None:
            warnings.append(
                Warning_(
                    code="unfinished-line",
                    message="the last line has no line end; if the file was cut off, its last value is wrong",
                    where=path.name,
                )
            )
        return selected(merged, options, path), warnings


def _clock(header: Header, position: int, options: ReadOptions) -> Clock:
    from tco.readers.channels import Clock, clock_of

    if header.names[position] == "t_s":
        return Clock(position, None)
    return clock_of(header, position, options.time_zone)


def _key(names: Sequence[str]) -> str | None:
    return next((key for key in _KEYS if key in names), None)


def _factor_of_a_row(name: str) -> tuple[bool, float] | None:
    """Whether the name is that of a counter, and its factor, where a row has one device; None for other names."""
    match = _OF_A_ROW.fullmatch(name)
    if match is None:
        return None
    factors = _IN_WATT if match[1] == "power" else _IN_JOULE
    factor = factors.get(match[2].casefold()) if match[2] != "MW" else None
    return None if factor is None else (match[1] != "power", factor)


def _of_rows(header: Header, clock: Clock, options: ReadOptions) -> tuple[list[Channel], list[Warning_]]:
    """Channels where each row is of one device."""
    from tco.readers.channels import Layout, Source, channels_in_rows

    key = _key(header.names)
    assert key is not None
    boundary: Boundary | None = "gpu_board" if key.startswith(("gpu", "uuid", "index")) else None
    sources = []
    for position, name in enumerate(header.names):
        factor = _factor_of_a_row(name)
        if factor is not None:
            unit = name.rpartition("_")[2]
            sources.append(Source(name, position, unit, factor[1], boundary, is_counter=factor[0]))
    sources.sort(key=lambda source: not source.is_counter)
    instance = next((header.column(name) for name in _INSTANCES if name in header.names), None)
    found, _ = channels_in_rows(header, Layout(clock, sources, (header.column(key),), None, instance), options)
    channels, warnings = [], []
    for each in found.values():
        merged, notes = _merged(each, header.path)
        channels += merged
        warnings += notes
    return channels, warnings


def _time_position(header: Header) -> int:
    from tco.errors import ReadError

    for name in _TIMES:
        if name in header.names:
            return header.column(name)
    raise ReadError(
        f"{header.place}: there is no column of times; name one 't_s' (seconds) or 'timestamp', for instance {_EXAMPLE}"
    )


def _boundary(channel: str) -> Boundary | None:
    name = channel.casefold()
    if name.startswith(("gpu", "pynvml:", "rocm:")):
        return "gpu_board"
    return "cpu_package" if name.startswith(("cpu", "package")) else None


def _sources(header: Header, time: int) -> tuple[list[Source], list[str], list[Warning_]]:
    """The columns of powers and counters, the names of those that are neither, and what to know of them."""
    from tco.errors import ReadError
    from tco.readers.channels import Source
    from tco.readers.trace import MOST_WATTS_OF_A_DEVICE
    from tco.records.run import Warning_

    sources: list[Source] = []
    ignored = []
    unstated = []
    stated_range = next((match for text in header.comments if (match := _RANGE.search(text))), None)
    range_j = None if stated_range is None else float(stated_range[1]) * 1e-6
    for position, name in enumerate(header.names):
        if position == time:
            continue
        counter, power = _COUNTER.fullmatch(name), _POWER.fullmatch(name)
        match = counter or power
        if match is None and _JPWR.fullmatch(name):
            header.column(name)
            unstated.append(name)
            sources.append(Source(name, position, boundary=_boundary(name)))
            continue
        if match is None:
            ignored.append(name)
            continue
        header.column(name)  # refuses a name that stands twice
        boundary = _boundary(match[1])
        factor = (_IN_JOULE if counter else _IN_WATT)[match[2].casefold()]
        most = _MOST_WATTS if boundary is None else MOST_WATTS_OF_A_DEVICE
        if counter and range_j is not None:
            most = _MOST_WATTS_OF_A_PACKAGE
        twin = next((s for s in sources if s.id == match[1] and s.is_counter == bool(counter)), None)
        if twin is not None:
            raise ReadError(
                f"{header.place}: '{header.names[twin.column]}' and '{name}' are both of '{match[1]}'; "
                "leave one of them out"
            )
        sources.append(
            Source(
                match[1],
                position,
                match[2],
                factor,
                boundary,
                most,
                is_counter=bool(counter),
                range_j=range_j if counter else None,
            )
        )
    if not sources:
        raise ReadError(
            f"{header.place}: no column name ends in a unit of power (_W, _kW, _mW) or is that of a "
            f"counter (_energy_J, _mJ, _uJ, _Wh, _kWh); write for instance {_EXAMPLE}, or say what the columns hold: "
            "--as csv --column time=t_s --column 'power:gpu0[W]=P'"
        )
    if not unstated:
        return sources, ignored, []
    names = ", ".join(f"'{name}'" for name in unstated)
    note = f"no unit is stated for {names}; named as jpwr names its channels, they are taken to be in W"
    return sources, ignored, [Warning_(code="unit-assumed", message=note, where=header.place)]


def _merged(channels: list[Channel], path: Path) -> tuple[list[Channel], list[Warning_]]:
    """One channel for each id: its counter where that has values, else its power."""
    from tco.records.run import Warning_

    merged: dict[str, Channel] = {}
    warnings = []
    for channel in channels:
        twin = merged.get(channel.id)
        if twin is None:
            merged[channel.id] = channel
            continue
        counter, power = (channel, twin) if channel.rule == "counter" else (twin, channel)
        if counter.energy_j is None:
            warnings.append(
                Warning_(
                    code="counter-empty",
                    message=f"channel '{channel.id}': the counter '{counter.column}' has no values to subtract; the "
                    f"power '{power.column}' is integrated",
                    where=path.name,
                )
            )
        merged[channel.id] = power if counter.energy_j is None else counter
    return list(merged.values()), warnings


def _devices(channels: list[str]) -> list[Device]:
    from tco.records.run import Device

    gpus = tuple(name for name in channels if _boundary(name) == "gpu_board")
    cpus = tuple(name for name in channels if _boundary(name) == "cpu_package")
    devices = [Device(kind="gpu", count=len(gpus), ids=gpus)] if gpus else []
    return [*devices, Device(kind="cpu", count=len(cpus), ids=cpus)] if cpus else devices


READER = Table()
