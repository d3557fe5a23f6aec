"""Tables of ``turbostat``: mean powers of each interval, for all packages together.

Rows of single packages, cores and processors are parts of the summary. Without a column of times the mean power is
known, and the energy only with the length of an interval.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.readers.trace import Channel
    from tco.records.run import Boundary, Run

#: Columns of power, with what they are of.
_POWERS: dict[str, tuple[str, Boundary]] = {
    "PkgWatt": ("package", "cpu_package"),
    "RAMWatt": ("dram", "cpu_package"),
    "SysWatt": ("platform", "node_dc"),
}
_TOPOLOGY = ("Package", "Die", "Node", "Core", "CPU", "APIC", "X2APIC")
_TIME = "Time_Of_Day_Seconds"
_ELAPSED = re.compile(r"(\d+\.\d+) sec\s*")
_COMMAND = "turbostat --quiet --Summary --show Time_Of_Day_Seconds,PkgWatt,RAMWatt --interval 5 --out power.txt"


class _Table(NamedTuple):
    times_s: list[float] | None
    powers: dict[str, list[float]]
    lines: list[int]
    elapsed_s: float | None


class Turbostat:
    """Reads tables of turbostat."""

    name = "turbostat"
    title = "turbostat table with PkgWatt"
    boundary = "processor packages, and their memory; SysWatt is the platform"

    def sniff(self, path: Path) -> float:
        """Whether one of the first lines names the power of packages as turbostat does."""
        from tco.readers.blocks import first_bytes

        lines = first_bytes(path).decode("utf-8", "replace").split("\n")
        return 0.95 if any("PkgWatt" in line.split() for line in lines) else 0.0

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run with an energy for packages and memory, or their mean powers where nobody knows for how long."""
        from tco.files import sha256
        from tco.readers.build import chosen_of, run_of, selected
        from tco.readers.trace import MOST_WATTS_OF_A_DEVICE
        from tco.records.base import validate
        from tco.records.run import Evidence, PowerReading, Run, Tool, Warning_
        from tco.units import Q

        table = _table(path)
        interval = options.interval_s or (table.elapsed_s if len(table.lines) == 1 else None)
        if (table.times_s is not None and len(table.times_s) > 1) or interval is not None:
            channels = selected(_channels(path, table, interval, options), options, path)
            return [run_of(path, sha256(path), channels, options, tool="turbostat", devices=[])]
        known = [_POWERS[column][0] for column in table.powers]
        wanted = None if options.devices is None else [chosen_of(name, known, path) for name in options.devices]
        powers = []
        notes = [
            Warning_(
                code="no-times",
                message=f"mean powers of {len(table.lines)} intervals, whose length nobody says: --interval '5 s' (the "
                f"default of turbostat), or log with: {_COMMAND}",
                where=path.name,
            )
        ]
        for column, numbers in table.powers.items():
            device, boundary = _POWERS[column]
            valid = [number for number in numbers if 0 <= number <= MOST_WATTS_OF_A_DEVICE]
            if len(valid) < len(numbers):
                note = f"'{device}': {len(numbers) - len(valid)} of {len(numbers)} intervals have no power"
                notes.append(Warning_(code="missing-samples", message=note, where=path.name))
            if valid and (wanted is None or device in wanted):
                powers.append(
                    PowerReading(
                        average_power=Q(sum(valid) / len(valid), "W"),
                        method="sensor",
                        rule="mean_in_window",
                        device=device,
                        boundary=options.boundary or boundary,
                        source=path.name,
                    )
                )
        data = {
            "tool": Tool(name="turbostat"),
            "power": powers,
            "provenance": [Evidence(file=path.name, sha256=sha256(path))],
            "warnings": notes,
        }
        return [validate(Run, data, str(path))]


def _table(path: Path) -> _Table:
    """The summary rows."""
    from tco.errors import ReadError
    from tco.readers import values
    from tco.readers.small import lines_of, text_of

    text = text_of(path, f"log the summary only: {_COMMAND}")
    if not text.endswith("\n"):
        raise ReadError(f"{path}: the last line has no line end: the file was cut off while it was written")
    names: list[str] = []
    times: list[float] | None = None
    powers: dict[str, list[float]] = {}
    lines: list[int] = []
    elapsed = None
    for number, line in lines_of(text):
        fields = line.split()
        match = _ELAPSED.fullmatch(line.strip())
        if match:
            elapsed = float(match[1])
        elif "PkgWatt" in fields:
            if names and fields != names:
                raise ReadError(
                    f"{path}:{number}: the columns change from those of the first table; cut the file there"
                )
            names = fields
            powers = powers or {name: [] for name in names if name in _POWERS}
            times = [] if _TIME in names and times is None else times
        elif names:
            row = _summary(path, number, fields, names)
            if row is None:
                continue
            lines.append(number)
            for name, numbers in powers.items():
                numbers.append(values.number(_bare(row[name]), None, values.Place(str(path), number, name)))
            if times is not None:
                times.append(values.number(row[_TIME], None, values.Place(str(path), number, _TIME)))
    if not lines:
        raise ReadError(f"{path}: has no summary rows of power; log with: {_COMMAND}")
    if times is not None and any(time != time for time in times):
        raise ReadError(f"{path}: a row has no {_TIME}")
    return _Table(times, powers, lines, elapsed)


def _bare(text: str) -> str:
    return "" if text == "(null)" else text


def _summary(path: Path, number: int, fields: list[str], names: list[str]) -> dict[str, str] | None:
    """A row by column where it is of the whole machine; None for one of a part of it."""
    from tco.errors import ReadError

    topology = [name for name in names if name in _TOPOLOGY]
    if topology:
        place = names.index(topology[0])
        if len(fields) <= place or fields[place] != "-":
            return None
    if len(fields) != len(names):
        raise ReadError(f"{path}:{number}: has {len(fields)} fields, {len(names)} expected; the line was cut off")
    return dict(zip(names, fields, strict=True))


def _channels(path: Path, table: _Table, interval: float | None, options: ReadOptions) -> list[Channel]:
    """A row is the mean of the interval that ends with it; the first one is taken to be as long as the second."""
    import numpy as np

    from tco.readers.channels import EPOCH
    from tco.readers.series import Series, channel_of

    count = len(table.lines)
    if table.times_s is not None:
        ends = np.array(table.times_s)
        first = interval or float(ends[1] - ends[0])
        times = np.concatenate(([ends[0] - first], ends))
        origin = EPOCH
    else:
        times, origin = np.arange(count + 1, dtype=np.float64) * float(interval or 0.0), None
    places = tuple(f"{path}:{line}" for line in (table.lines[0], *table.lines))
    channels: list[Channel] = []
    for column, numbers in table.powers.items():
        device, boundary = _POWERS[column]
        powers = np.array([numbers[0], *numbers])
        series = Series(device, times, powers, boundary, places, origin, rule="right_rectangle")
        channels.append(channel_of(series, options))
    return channels


READER = Turbostat()
