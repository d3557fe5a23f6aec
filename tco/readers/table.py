"""Any CSV table of powers or energies over time, by the names of its columns.

``t_s`` (seconds) or ``timestamp`` (dates with times, or seconds since 1970) stands beside columns such as ``gpu0_W``,
``node1_power_kW`` or ``gpu0_energy_J``, a running total. Lines at the top that begin with ``#`` are comments.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.readers.blocks import Header
    from tco.readers.channels import Source
    from tco.readers.trace import Channel
    from tco.records.run import Boundary, Device, Run, Warning_

_TIMES = ("t_s", "timestamp")
_POWER = re.compile(r"(.+?)(?:_power)?_(W|w|kW|kw|mW)")
_COUNTER = re.compile(r"(.+?)(?:_total)?_energy_(J|j|mJ|uJ|uj|Wh|wh|kWh|kwh)")
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
        known = any(_POWER.fullmatch(name) or _COUNTER.fullmatch(name) for name in names)
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
        from tco.readers.channels import Clock, channels_in_columns, clock_of
        from tco.records.run import Warning_

        header = read_header(path, comments=True)
        position = _time_position(header)
        clock = Clock(position, None) if header.names[position] == "t_s" else clock_of(header, position)
        sources, ignored = _sources(header, position)
        channels = channels_in_columns(header, clock, sources, options)
        merged, warnings = _merged(channels, path)
        if ignored:
            names = ", ".join(f"'{name}'" for name in ignored)
            warnings.append(
                Warning_(
                    code="ignored-column",
                    message=f"not read, because the name does not end in a unit of power or energy: {names}",
                    where=f"{path.name}:{header.line}",
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


def _time_position(header: Header) -> int:
    from tco.errors import ReadError

    for name in _TIMES:
        if name in header.names:
            return header.column(name)
    raise ReadError(
        f"{header.path}:{header.line}: there is no column of times; name one 't_s' (seconds) or 'timestamp', "
        f"for instance {_EXAMPLE}"
    )


def _boundary(channel: str) -> Boundary | None:
    name = channel.casefold()
    if name.startswith("gpu"):
        return "gpu_board"
    return "cpu_package" if name.startswith(("cpu", "package")) else None


def _sources(header: Header, time: int) -> tuple[list[Source], list[str]]:
    """The columns of powers and counters, and the names of those that are neither."""
    from tco.errors import ReadError
    from tco.readers.channels import Source
    from tco.readers.trace import MOST_WATTS_OF_A_DEVICE

    sources: list[Source] = []
    ignored = []
    for position, name in enumerate(header.names):
        if position == time:
            continue
        counter, power = _COUNTER.fullmatch(name), _POWER.fullmatch(name)
        match = counter or power
        if match is None:
            ignored.append(name)
            continue
        header.column(name)  # refuses a name that stands twice
        boundary = _boundary(match[1])
        factor = (_IN_JOULE if counter else _IN_WATT)[match[2].casefold()]
        most = _MOST_WATTS if boundary is None else MOST_WATTS_OF_A_DEVICE
        twin = next((s for s in sources if s.id == match[1] and s.is_counter == bool(counter)), None)
        if twin is not None:
            raise ReadError(
                f"{header.path}:{header.line}: '{header.names[twin.column]}' and '{name}' are both of '{match[1]}'; "
                "leave one of them out"
            )
        sources.append(Source(match[1], position, match[2], factor, boundary, most, None, bool(counter)))
    if not sources:
        raise ReadError(
            f"{header.path}:{header.line}: no column name ends in a unit of power (_W, _kW, _mW) or is that of a "
            f"counter (_energy_J, _mJ, _uJ, _Wh, _kWh); write for instance {_EXAMPLE}"
        )
    return sources, ignored


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
