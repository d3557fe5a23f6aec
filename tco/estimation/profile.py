"""The power of a run over time: its trace where it has one, else its mean power from start to end."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tco.errors import EstimateError, ReadError
from tco.estimation.case import Case
from tco.estimation.readings import ORDER
from tco.grid_intensity.series import Floats, Load, Profile, Profiles
from tco.records.run import PowerReading, Run

if TYPE_CHECKING:
    from tco.grid_intensity.formats.table import Table

_TIMES = ("timestamps", "timestamp", "time", "t_s", "time_s", "datetime", "date_time", "start_utc")
_DEVICES = ("index", "uuid", "gpu", "device", "gpu_uuid")
_POWER = re.compile(r"power|watt|(^|[^a-z])k?w($|[^a-z])")
_NUMBER = re.compile(r"\s*([+-]?\d+\.?\d*(?:[eE][+-]?\d+)?)")
#: A time in s above this is counted from 1970, not from the start of the run.
_EPOCH = 1e8


def window(case: Case) -> tuple[float, float]:
    """Begin and end of the run in s since 1970 UTC.

    Raises
    ------
    EstimateError
        If the run has no start that is an instant, or no duration.
    """
    run = case.run
    begin = run.start_utc
    if begin is None:
        has = "has neither an offset nor a zone" if run.start is not None else "is missing"
        raise EstimateError(
            f"{case.where}: 'start' {has}, so it is not known which hours the run met; write for instance "
            '"start": "2026-01-31T13:00:00Z", or give "time_zone"'
        )
    length = float(case.graph["run.duration"].quantity.m_as("s")) if "run.duration" in case.graph.named else None
    if length is None:
        elapsed = run.elapsed
        if elapsed is None:
            raise EstimateError(f'{case.where}: \'duration\' is missing; write for instance "duration": "24 h"')
        length = float(elapsed.m_as("s"))
    return begin.timestamp(), begin.timestamp() + length


def power_over_time(case: Case) -> tuple[Load, str]:
    """The power of the run over time, and why it is no trace; an empty text where it is one."""
    begin, end = window(case)
    profile, why = trace_of(case.run, case.where, begin)
    return (Profile.constant(begin, end), why) if profile is None else (profile, "")


def trace_of(run: Run, where: str, begin: float) -> tuple[Load | None, str]:
    """The power trace of a run, or why there is none.

    Parameters
    ----------
    run
        The run.
    where
        Its file: traces are relative to it.
    begin
        Where times that are counted from the start of the run begin, in s since 1970.
    """
    traced = [reading for reading in run.power if reading.trace is not None]
    if not traced:
        return None, "the run has no power trace"
    widest = max(traced, key=lambda reading: ORDER.index(reading.boundary or "node_ac")).boundary
    folder = Path(where).parent
    try:
        parts = [part for r in traced if r.boundary == widest for part in _trace(folder, r, run, begin)]
    except (ReadError, OSError, UnicodeDecodeError) as error:
        return None, f"its trace cannot be read as a table ({error})"
    return (parts[0] if len(parts) == 1 else Profiles(tuple(parts))), ""


def _trace(folder: Path, reading: PowerReading, run: Run, begin: float) -> list[Profile]:
    from tco.grid_intensity.formats.table import Table

    file = folder / str(reading.trace)
    text = file.read_text(encoding="utf-8-sig", errors="strict").replace("\r\n", "\n")
    table = Table(text, str(file))
    moment = table.find(_TIMES)
    if moment is None:
        raise ReadError(f"{file}: no column holds a time")
    times = _times(table, moment, run, begin)
    column = _column(table, reading, moment)
    device = table.find(_DEVICES)
    power = _numbers(table.column(column))
    if device is None or reading.device in table.names:
        return [_samples(times, power, file)]
    ids = np.array(table.column(device))
    return [_samples(times[ids == name], power[ids == name], file) for name in dict.fromkeys(ids.tolist())]


def _column(table: Table, reading: PowerReading, moment: str) -> str:
    if reading.device in table.names:
        return str(reading.device)
    named = [name for name in table.names if name != moment and _POWER.search(name.casefold())]
    if len(named) == 1:
        return named[0]
    raise ReadError(f"{table.where}: no one column holds its power (columns: {', '.join(table.names)})")


def _times(table: Table, moment: str, run: Run, begin: float) -> Floats:
    from tco.grid_intensity.stamps import instants

    cells = table.column(moment)
    try:
        times = np.array([float(cell) for cell in cells])
    except ValueError:
        return instants(cells, table.lines, table.where, run.time_zone)
    return times if float(times[0]) > _EPOCH else times + begin


def _numbers(cells: list[str]) -> Floats:
    matches = [_NUMBER.match(cell) for cell in cells]
    return np.array([float("nan") if match is None else float(match[1]) for match in matches])


def _samples(times: Floats, power: Floats, file: Path) -> Profile:
    valid = np.isfinite(power) & (power >= 0)
    times, power = times[valid], power[valid]
    if len(times) < 2 or (np.diff(times) < 0).any():
        raise ReadError(f"{file}: has fewer than two samples of a device, or they are not in order of time")
    return Profile(times, power)
