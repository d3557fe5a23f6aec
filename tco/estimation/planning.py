"""When to start a run that can wait."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tco.errors import EstimateError
from tco.estimation.profile import trace_of
from tco.grid_intensity.series import Profile, Schedule, Series, schedule
from tco.grid_intensity.stamps import instants
from tco.records.run import Warning_

if TYPE_CHECKING:
    from tco.estimation.result import Estimate


@dataclass(frozen=True)
class Plan:
    """Starts of a run, and the energy that it takes at the meter wherever it starts."""

    schedule: Schedule
    facility_kwh: float
    warnings: tuple[Warning_, ...]


def plan(
    estimate: Estimate, series: Series, window_s: float, earliest: str | None = None, zone: str | None = None
) -> Plan:
    """The best start of a run.

    Parameters
    ----------
    estimate
        Estimate of the run: its energy, and how long it takes.
    series
        Grid intensity of the window, measured or forecast.
    window_s
        Time in s by which the run must have ended, counted from the earliest start.
    earliest
        Earliest start as a time stamp; else the start of the run, else that of the series.
    zone
        Time zone of `earliest` where it has no offset.

    Raises
    ------
    EstimateError
        If the run has no duration, or the window does not hold it or is not in the series.
    """
    run = estimate.run
    if "run.duration" in estimate.graph.named:
        length = float(estimate.graph["run.duration"].quantity.m_as("s"))
    elif run.elapsed is not None:
        length = float(run.elapsed.m_as("s"))
    else:
        raise EstimateError(f'{estimate.where}: \'duration\' is missing; write for instance "duration": "24 h"')
    warnings = list(estimate.warnings)
    if earliest is not None:
        begin = float(instants([earliest], [0], "--from", zone)[0])
    elif run.start_utc is not None and series.begin <= run.start_utc.timestamp() <= series.end:
        begin = run.start_utc.timestamp()
    else:
        begin = series.begin
        warnings.append(
            Warning_(
                code="start-of-series",
                message="the start of the series is taken as the earliest start; --from TIME says another",
            )
        )
    profile, why = trace_of(run, estimate.where, begin)
    if profile is None:
        profile = Profile.constant(begin, begin + length)
        warnings.append(Warning_(code="mean-power", message=f"{why}: its mean power is shifted in time"))
    found = schedule(series, profile, begin, window_s)
    return Plan(found, estimate.value("energy.facility", "kWh"), tuple(warnings))
