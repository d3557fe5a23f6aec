"""Log of ZeusMonitor: energies of windows, which may lie within one another."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.records.run import Boundary, Run, Warning_

_COLUMNS = ("start_time", "window_name", "elapsed_time")
_DEVICE = re.compile(r"(gpu|cpu)(\d+)_energy")
_BOUNDARIES: dict[str, Boundary] = {"gpu": "gpu_board", "cpu": "cpu_package"}
_MOST_WINDOWS = 1_000_000
#: Windows are begun and ended one after the other by a program: ends may overlap by so much of the shorter one.
_SLACK = 0.01


class Zeus:
    """Reads the file that ``ZeusMonitor(log_file=...)`` writes."""

    name = "zeus"
    title = "log of ZeusMonitor"
    boundary = "GPU board"

    def sniff(self, path: Path) -> float:
        """Whether the first line has its columns."""
        from tco.readers.blocks import first_line

        return 1.0 if first_line(path).replace('"', "").split(",")[:3] == list(_COLUMNS) else 0.0

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run: the windows that lie in no other one."""
        from tco.errors import ReadError

        windows = _windows(path)
        if not windows:
            raise ReadError(f"{path}: has no windows; end them with end_window()")
        return [_run(path, options, windows)]


class _Window(NamedTuple):
    line: int
    name: str
    begin_s: float
    elapsed_s: float
    energies_j: dict[str, float]

    @property
    def end_s(self) -> float:
        """When it ended, since 1970."""
        return self.begin_s + self.elapsed_s

    @property
    def energy_j(self) -> float:
        """Of all devices."""
        return sum(self.energies_j.values())


def _windows(path: Path) -> list[_Window]:
    from tco.errors import ReadError
    from tco.readers.rows import rows

    found = []
    for row in rows(path, required=_COLUMNS, most=_MOST_WINDOWS):
        begin, elapsed = row.number("start_time"), row.number("elapsed_time", at_least=0)
        if begin is None or elapsed is None:
            name = "start_time" if begin is None else "elapsed_time"
            raise ReadError(f"{row.place(name)}: is empty; a number of seconds is expected")
        energies = {
            column.removesuffix("_energy"): energy
            for column in row.cells
            if _DEVICE.fullmatch(column) and (energy := row.number(column, at_least=0)) is not None
        }
        found.append(_Window(row.line, row.cells["window_name"], begin, elapsed, energies))
    return found


def _outer(windows: list[_Window]) -> tuple[list[_Window], list[_Window]]:
    """Windows that lie in no other one, in the order of time, and all the others; the longest go first."""
    outer: list[_Window] = []
    inner: list[_Window] = []
    for window in sorted(windows, key=lambda one: -one.elapsed_s):
        at = bisect_left(outer, window.begin_s, key=lambda one: one.begin_s)
        beside = outer[max(0, at - 1) : at + 1]
        if any(_overlap(window, other) for other in beside):
            inner.append(window)
        else:
            outer.insert(at, window)
    return outer, inner


def _overlap(one: _Window, other: _Window) -> bool:
    shared = min(one.end_s, other.end_s) - max(one.begin_s, other.begin_s)
    shorter = min(one.elapsed_s, other.elapsed_s)
    return shared > _SLACK * shorter if shorter > 0 else shared >= 0


def _run(path: Path, options: ReadOptions, windows: list[_Window]) -> Run:
    from datetime import UTC, datetime

    from tco.errors import ReadError
    from tco.readers.build import no_such_channel, pick
    from tco.readers.making import evidence, make_run, seconds
    from tco.records.run import Tool

    outer, inner = _outer(windows)
    warnings = _warnings(path, outer, inner)
    devices = list(dict.fromkeys(name for window in outer for name in window.energies_j))
    if options.devices is not None:
        chosen = []
        for wanted in options.devices:
            name = pick(wanted, devices) or pick(f"gpu{wanted}", devices)
            if name is None:
                raise ReadError(f"{path}: {no_such_channel(wanted, devices)}")
            chosen.append(name)
        devices = chosen
    try:
        start, end = datetime.fromtimestamp(outer[0].begin_s, UTC), datetime.fromtimestamp(outer[-1].end_s, UTC)
    except (OverflowError, ValueError, OSError):
        raise ReadError(
            f"{path}:{outer[0].line}: column 'start_time': {outer[0].begin_s:g} is not a time in seconds since 1970"
        ) from None
    gpus = tuple(name for name in devices if name.startswith("gpu"))
    return make_run(
        str(path),
        name=outer[0].name if len(outer) == 1 else path.stem,
        tool=Tool(name="zeus"),
        start=start,
        end=end,
        duration=seconds(sum(window.elapsed_s for window in outer)),
        devices=[{"kind": "gpu", "count": len(gpus), "ids": gpus}] if gpus else [],
        energy=[
            {
                "boundary": options.boundary or _BOUNDARIES[name[:3]],
                "value": sum(window.energies_j.get(name, 0.0) for window in outer),
                "unit": "J",
                "rule": "counter",
                "method": "counter",
                "device": name,
                "source": path.name,
            }
            for name in devices
        ],
        results=[
            {
                "name": f"energy of window '{one.name}'",
                "value": one.energy_j,
                "unit": "J",
                "note": "within another window",
            }
            for one in inner
        ],
        provenance=evidence(path),
        warnings=warnings,
    )


def _warnings(path: Path, outer: list[_Window], inner: list[_Window]) -> list[Warning_]:
    from tco.records.run import Warning_

    found = []
    if inner:
        names = ", ".join(dict.fromkeys(f"'{window.name}'" for window in inner[:8]))
        found.append(
            Warning_(
                code="nested-windows",
                message=f"{len(inner)} windows overlap with longer ones and are not added ({names}"
                f"{', ...' if len(inner) > 8 else ''})",
                where=f"{path}:{inner[0].line}",
            )
        )
    for window in inner:
        around = [one for one in outer if one.begin_s <= window.begin_s and window.end_s <= one.end_s]
        if around and window.energy_j > around[0].energy_j * (1 + 1e-9):
            found.append(
                Warning_(
                    code="inner-above-outer",
                    message=f"window '{window.name}' ({window.energy_j:.6g} J) is above '{around[0].name}' "
                    f"({around[0].energy_j:.6g} J), which holds it",
                    where=f"{path}:{window.line}",
                )
            )
    gaps = sum(max(0.0, late.begin_s - early.end_s) for early, late in pairwise(outer))
    total = sum(window.elapsed_s for window in outer)
    if gaps > _SLACK * total:
        found.append(
            Warning_(
                code="long-gap",
                message=f"{gaps:.6g} s between windows were not measured; the duration is that of the windows, "
                f"{total:.6g} s",
                where=str(path),
            )
        )
    missing = {name for window in outer for name in window.energies_j}
    for window in outer:
        absent = missing - set(window.energies_j)
        if absent:
            found.append(
                Warning_(
                    code="missing-samples",
                    message=f"window '{window.name}' has no energy for {', '.join(sorted(absent))}, which is not zero",
                    where=f"{path}:{window.line}",
                )
            )
    return found


READER = Zeus()
