"""Which grid intensity an estimate uses: stated, by time, by year, with a trend, or that of a stand-in."""

from __future__ import annotations

from calendar import isleap
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tco import catalog, grid_intensity
from tco.errors import EstimateError
from tco.estimation.case import Case
from tco.formulas import grid as formulas
from tco.graph import Input, Node
from tco.provenance import Source
from tco.records.factor import Factor
from tco.units import Q

if TYPE_CHECKING:
    from tco.grid_intensity.series import Series
    from tco.grid_intensity.sets import Set

NO_REGION = "the place of the run is not known; name it, for instance --region eu (list: tco regions)"
NAME, UNIT, LABEL = "grid.intensity", "gCO2e/kWh", "Emission factor of the grid"


class Intensity(NamedTuple):
    """The grid intensity of an estimate, and what its emissions are called.

    Attributes
    ----------
    node
        In the graph.
    basis
        ``direct`` or ``lifecycle``; None where nobody says.
    """

    node: Node
    basis: str | None


def add_intensity(case: Case) -> Intensity | None:
    """Add the grid intensity to the graph; None where no place is known."""
    case.offered.add(NAME)
    choice = case.grid
    if case.graph.is_stated(NAME) or (case.site.intensity is not None and choice.intensity is None):
        for option in ("intensity", "trajectory"):
            if getattr(choice, option) is not None:
                raise EstimateError(f"grid.intensity is stated, and --{option} is given as well: leave one of them out")
        node = case.one_of(NAME, UNIT, LABEL, stated=case.site.intensity)
        assert node is not None
        return Intensity(node, None)
    if choice.intensity is not None:
        if choice.trajectory is not None:
            raise EstimateError("--trajectory is for yearly factors; a series by time has its own course")
        return _by_time(case, _series(case))
    if case.region is None:
        case.miss("carbon.operational", NO_REGION)
        return None
    chosen = grid_intensity.choose(choice.data)
    if chosen.monthly:
        if choice.trajectory is not None:
            raise EstimateError("--trajectory is for yearly factors; a series by month has its own course")
        case.data_sets.append(chosen.data_set)
        return _by_time(case, grid_intensity.monthly(case.region, chosen), listed=True)
    return _by_year(case, chosen)


def _by_year(case: Case, chosen: Set) -> Intensity:
    assert case.region is not None
    factor = grid_intensity.factor(case.region, case.year, chosen, case.grid.fallback)
    case.factor = factor
    case.data_sets.append(chosen.data_set)
    if factor.stands_for is not None:
        _warn_of_stand_in(case, factor)
    with_trend = case.grid.trajectory is not None
    if case.year is not None and factor.data_year != case.year and not with_trend:
        case.warn(
            "data-year",
            f"the grid factor is of {factor.data_year}, the newest not after the year of the run ({case.year})",
            NAME,
        )
    given = Input(source=factor.source, assumed=True, note=str(factor))
    facts: dict[str, Any] = {
        key: getattr(factor, key)
        for key in ("region", "basis", "scope", "kind", "data_year", "release", "dataset", "licence")
    }
    if factor.gas != "CO2e":
        facts["gas"] = factor.gas
    if factor.stands_for is not None:
        facts["stands_for"], facts["fallback"] = factor.stands_for, case.grid.fallback
    node = case.graph.input(NAME, factor.quantity, UNIT, f"{LABEL}: {factor}", given, **facts)
    return Intensity(_with_trend(case, node, factor, chosen) if with_trend else node, factor.basis)


def _warn_of_stand_in(case: Case, factor: Factor) -> None:
    zone = grid_intensity.zone_of(str(factor.stands_for))
    if case.grid.fallback is not None and (zone is None or zone.id != factor.region or factor.region[:5] != "zone:"):
        why = f"--fallback {case.grid.fallback}"
        case.warn("fallback", f"{factor.region_name} stands for {factor.stands_for}, as {why} asks", NAME)
    elif zone is not None and zone.how == "contested":
        case.warn("zone-contested", f"{zone.id} is taken as the grid of {factor.stands_for}; {zone.note}", NAME)


def _with_trend(case: Case, node: Node, factor: Factor, chosen: Set) -> Node:
    from tco.grid_intensity.trajectory import trajectory

    trend = trajectory(str(case.grid.trajectory), factor, chosen)
    begin = _decimal_year(case, factor)
    elapsed = case.run.elapsed
    length = 0.0 if elapsed is None else float(elapsed.m_as("year"))
    mean, by_year = trend.mean_over(factor, begin, length)
    values = {str(year): round(over * float(factor.quantity.magnitude), 4) for year, over in by_year.items()}
    shown = ", ".join(f"{year}: {value:.4g}" for year, value in values.items())
    case.warn("trajectory", f"grid intensity by year, {trend.text}: {shown} gCO2e/kWh", "grid.trend")
    source = trend.source or Source(title="stated", where=f"--trajectory {case.grid.trajectory}")
    multiplier = case.graph.input(
        "grid.trend",
        Q(mean, "1"),
        "1",
        f"Grid intensity of the run over that of {factor.data_year}: {trend.text}",
        Input(source=source, assumed=trend.source is not None, note=trend.text),
        trajectory=str(case.grid.trajectory),
        by_year=values,
    )
    return case.graph.line(
        "grid.intensity.projected",
        formulas.projected_intensity(node, multiplier),
        UNIT,
        "Emission factor of the grid in the time of the run",
        by=formulas.projected_intensity,
        basis=factor.basis,
        trajectory=trend.text,
    )


def _decimal_year(case: Case, factor: Factor) -> float:
    start = case.run.start_utc or case.run.start
    if start is not None and (case.year is None or case.year == start.year):
        days = start.timetuple().tm_yday - 1
        return start.year + days / (366 if isleap(start.year) else 365)
    return float(case.year if case.year is not None else factor.data_year)


def _series(case: Case) -> Series:
    from tco.grid_intensity.formats import read_series

    given = case.grid.intensity
    assert given is not None
    return read_series(given, case.grid.reading) if isinstance(given, str | Path) else given


def _by_time(case: Case, series: Series, *, listed: bool = False) -> Intensity:
    """Match a series with the power of the run, and take the result as one measured input."""
    from tco.estimation.profile import power_over_time
    from tco.grid_intensity.series import hours, match, stamp
    from tco.provenance import DataSet

    about = series.about
    if about.kind != "average":
        raise EstimateError(
            f"{about.file or about.title}: is a marginal intensity ({about.kind}), which answers what a change "
            "causes; a footprint takes the average one. Use it with: tco grid schedule"
        )
    profile, why_mean = power_over_time(case)
    found = match(series, profile)
    if why_mean:
        case.warn("mean-power", f"{why_mean}: its mean power is matched with the grid intensity of its time", NAME)
    if found.missing_s > 0:
        case.warn(
            "intensity-gaps",
            f"{hours(found.missing_s)} of {hours(found.duration_s)} have no grid intensity; the mean of the rest "
            f"stands for them ({100 * found.missing_energy:.3g} % of the energy)",
            about.file or NAME,
        )
    for note in about.notes:
        case.warn("intensity-note", note, about.file or NAME)
    _warn_of_other_place(case, series)
    terms = ", ".join(word for word in (about.basis, about.scope, about.kind) if word) or "basis not stated"
    how = "power trace" if profile.trace else "mean power"
    title = f"{about.title}{'' if about.region is None else f' ({about.region})'}"
    note = f"{title}, {stamp(profile.begin)} to {stamp(profile.end)}, {terms}, weighted by energy ({how}), " + (
        f"{found.steps} steps from {found.lowest:.4g} to {found.highest:.4g}" if found.steps > 1 else "one step"
    )
    if not listed:
        release = about.release if about.retrieved is None else f"{about.release}, retrieved {about.retrieved}"
        name = Path(about.file).name or about.title
        case.data_sets.append(
            DataSet(name=name, release=release, sha256=about.sha256, title=about.title, licence=about.licence)
        )
    source = Source(title=about.title, where=Path(about.file).name or None, licence=about.licence)
    facts = {"region": about.region, "basis": about.basis, "scope": about.scope, "kind": about.kind, "gas": about.gas}
    bounds = catalog.plausible(NAME)
    fault = bounds.fault(Q(found.highest, UNIT)) if bounds is not None else None
    if fault is not None:
        raise EstimateError(f"{about.file or about.title}: {fault}")
    node = case.graph.input(
        NAME,
        Q(found.intensity, UNIT),
        UNIT,
        f"{LABEL}: {note}",
        Input(source=source, assumed=False, note=note),
        **{key: value for key, value in facts.items() if value is not None},
        resolution="month" if listed else "time",
        matched_with=how,
        missing_share=found.missing_energy,
    )
    return Intensity(node, about.basis)


def _warn_of_other_place(case: Case, series: Series) -> None:
    """Say so where the series names another place than the run."""
    from tco.errors import RegionError
    from tco.grid_intensity.regions import resolve

    if case.region is None or series.about.region is None:
        return
    try:
        place = resolve(series.about.region)
    except RegionError:
        return
    zone = grid_intensity.zone_of(case.region.id)
    fits = {case.region.id, case.region.parent, *case.region.groups, *((zone.id,) if zone else ())}
    if place.id not in fits and case.region.id not in (place.parent, *place.groups):
        case.warn(
            "intensity-place",
            f"the series is of {place}, and the run is in {case.region}",
            series.about.file or NAME,
        )
