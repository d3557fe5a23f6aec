"""A recorded run held against itself: what its figures imply, and where they cannot all be right."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from tco.catalog import default, find_accelerator, plausible
from tco.errors import TcoError
from tco.estimation.readings import ORDER, Group, groups_of, readings_of
from tco.records.run import Run, Warning_
from tco.units import Q, Quantity, parse_unit, read_quantity

Severity = Literal["contradiction", "doubt", "note"]
#: Codes of findings that cannot be while all figures are right.
CONTRADICTIONS = frozenset(
    (
        *("rate-mismatch", "emissions-rate", "part-above-whole", "boards-above-node", "inner-above-outer"),
        *("dc-above-ac", "supply-efficiency", "idle-above-mean", "mean-above-rating", "power-above-rating"),
        *("intensity-implausible", "readings-differ", "total-fell"),
    )
)
#: Codes of findings that a reader must look into before using the figures.
DOUBTS = frozenset(
    (
        *("wall-board-ratio", "intensity-differs", "coverage", "boundary-assumed", "devices-missing", "same-machine"),
        *("power-far-below-rating", "rated-energy", "provisioned-power", "processes-added", "ranks-differ"),
        *("scope-assumed", "placeholder", "no-duration", "pue-not-stated"),
    )
)
_BOARDS = ("device_counter", "gpu_board", "module")
_NODE = ORDER.index("node_ac")
#: A mean that is above the rating by more than power limits are off by.
_ABOVE_RATING = 1.1
#: Devices that work draw more than this of their rating; less is a slip of a unit, or of the number of devices.
_BELOW_RATING = 0.02
#: A mean this near to the rating is the rating.
_IS_RATING = 1e-3
#: Grid factors of one place in different data sets and years differ by less than this.
_FACTOR = 2.0
#: Work over time against a rate, and time of steps against the duration.
_RATE = 0.1
#: What is recorded twice and differs by more is two figures.
_DIFFERS = 0.01


class Implied(NamedTuple):
    """A figure that follows from others of a run.

    Attributes
    ----------
    name, quantity, unit
        What it is, its value, and the unit to show.
    against
        What it is held against, in words; empty where nothing is known.
    ratio
        It over that.
    """

    name: str
    quantity: Quantity
    unit: str
    against: str = ""
    ratio: float | None = None


class Finding(NamedTuple):
    """Something that does not fit, or that a reader should know.

    Attributes
    ----------
    severity
        ``contradiction``: not all figures can be right; ``doubt``: look into it; ``note``: as the reader says.
    code, message, where
        As in `tco.records.run.Warning_`.
    """

    severity: Severity
    code: str
    message: str
    where: str | None = None


class CheckedRun(NamedTuple):
    """A run, what it implies, and what does not fit."""

    run: Run
    where: str
    implied: tuple[Implied, ...]
    findings: tuple[Finding, ...]

    @property
    def consistent(self) -> bool:
        """Whether no finding is a contradiction."""
        return all(finding.severity != "contradiction" for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "run": self.run.name,
            "where": self.where,
            "verdict": "consistent" if self.consistent else "not consistent",
            "implied": [
                {
                    "name": one.name,
                    "value": float(one.quantity.m_as(parse_unit(one.unit))),
                    "unit": one.unit,
                    "against": one.against or None,
                    "ratio": one.ratio,
                }
                for one in self.implied
            ],
            "warnings": [finding._asdict() for finding in self.findings],
        }


def check_run(run: Run, where: str = "run", *, region: str | None = None) -> CheckedRun:
    """What a run implies, and what of it does not fit.

    Parameters
    ----------
    run
        As `tco.readers.read` gives it: the warnings of the reader are among the findings.
    where
        Its file, for messages.
    region
        Place whose grid factor emissions are held against; else that of the run.
    """
    place = region or (run.location.region if run.location else None)
    implied: list[Implied] = []
    found = [*run.warnings]
    try:
        groups = groups_of(readings_of(run, where), where)
    except TcoError as error:
        groups = []
        found.append(Warning_(code="no-energy", message=str(error), where=where))
    if groups:
        _power(run, groups, implied, found)
        _emissions(run, groups[0], place, implied, found)
        found += _nested(groups)
    found += [*_coverage(run), *_rates(run, implied)]
    findings = {(w.code, w.message): Finding(_severity(w.code), w.code, w.message, w.where) for w in found}
    ranked = sorted(findings.values(), key=lambda finding: ("contradiction", "doubt", "note").index(finding.severity))
    return CheckedRun(run, where, tuple(implied), tuple(ranked))


def _severity(code: str) -> Severity:
    return "contradiction" if code in CONTRADICTIONS else "doubt" if code in DOUBTS else "note"


def _power(run: Run, groups: list[Group], implied: list[Implied], found: list[Warning_]) -> None:
    """Mean power of each boundary, against the rating of the devices."""
    duration = run.elapsed
    if duration is None or not float(duration.magnitude):
        found.append(Warning_(code="no-duration", message="the run says no duration: no power follows from its energy"))
        return
    cards = sum(device.cards or device.count for device in run.devices if device.kind != "node")
    rated, unknown = _rated(run)
    for boundary in dict.fromkeys(group.boundary for group in groups):
        group = next(group for group in groups if group.boundary == boundary)
        mean = Q(group.energy_kwh, "kWh") / duration
        watts = float(mean.m_as(parse_unit("W")))
        implied.append(Implied(f"mean power at {boundary} ({group.how})", mean, "W"))
        if not cards:
            continue
        against, ratio = "", None
        if rated and not unknown:
            ratio = watts / rated
            against = f"rated power, {rated / cards:g} W each"
            found += _against_rating(boundary, watts, rated, ratio)
        implied.append(Implied(f"mean power at {boundary}, per device", mean / cards, "W", against, ratio))


def _rated(run: Run) -> tuple[float, bool]:
    """Rated power of all devices in W, and whether that of some is not known."""
    total, unknown = 0.0, False
    for device in run.devices:
        if device.kind == "node":
            continue
        record = find_accelerator(device.model) if device.model else None
        if record is None or record.tdp is None:
            unknown = True
        else:
            total += float(record.tdp.quantity("W").magnitude) * (device.cards or device.count)
    return total, unknown


def _against_rating(boundary: str, watts: float, rated: float, ratio: float) -> Iterator[Warning_]:
    most = _ABOVE_RATING
    if boundary not in _BOARDS:
        overhead = default("node.overhead.air").high
        if overhead is None or boundary in ("cpu_package",) or ORDER.index(boundary) < _NODE:
            return
        most *= overhead
    if ratio > most:
        yield Warning_(
            code="power-above-rating",
            message=f"the mean power at {boundary}, {watts:.6g} W, is {ratio:.3g} times the rated power of the "
            f"devices, {rated:g} W; at most {most:.2g} times is possible: a unit, the number of devices or the "
            "duration is wrong",
        )
    elif ratio < _BELOW_RATING:
        yield Warning_(
            code="power-far-below-rating",
            message=f"the mean power at {boundary}, {watts:.6g} W, is {100 * ratio:.2g} % of the rated power of the "
            f"devices, {rated:g} W: they did not work, or a unit, their number or the duration is wrong",
        )
    elif abs(ratio - 1) < _IS_RATING:
        yield Warning_(
            code="rated-energy",
            message=f"the mean power at {boundary} is the rated power of the devices, {rated:g} W: rating x hours, no "
            "measurement; it confirms no power",
        )


def _emissions(run: Run, group: Group, place: str | None, implied: list[Implied], found: list[Warning_]) -> None:
    """The grid factor behind emissions that the tool recorded, against that of the place."""
    recorded = next((result for result in run.results if result.name == "emissions"), None)
    if recorded is None or not group.energy_kwh:
        return
    try:
        emissions = read_quantity({"value": recorded.value, "unit": recorded.unit}, "kgCO2e")
    except TcoError:
        return
    factor = emissions / Q(group.energy_kwh, "kWh")
    against, ratio = "", None
    if place is not None:
        from tco.grid_intensity import factor as factor_of
        from tco.grid_intensity import resolve

        year = run.start.year if run.start else None
        try:
            known = factor_of(resolve(place), year)
        except TcoError as error:
            found.append(Warning_(code="no-grid-factor", message=str(error)))
        else:
            against = f"{known.region_name}, {known.data_year}, {known.basis}: {known.value:g} {known.unit}"
            ratio = float((factor / known.quantity).m_as(parse_unit("1")))
            if not 1 / _FACTOR <= ratio <= _FACTOR:
                shown = float(factor.m_as(parse_unit("gCO2e/kWh")))
                found.append(
                    Warning_(
                        code="intensity-differs",
                        message=f"emissions over energy are {shown:.4g} gCO2e/kWh, {ratio:.3g} times the factor of "
                        f"{against}",
                    )
                )
    implied.append(Implied("grid factor (emissions over energy)", factor, "gCO2e/kWh", against, ratio))
    bounds = plausible("grid.intensity")
    fault = None if bounds is None else bounds.fault(factor)
    if fault:
        found.append(Warning_(code="intensity-implausible", message=f"emissions over energy: {fault}"))


def _nested(groups: list[Group]) -> Iterator[Warning_]:
    """Energies of one boundary that differ."""
    for at, group in enumerate(groups):
        for other in groups[at + 1 :]:
            if other.boundary != group.boundary or not group.energy_kwh:
                continue
            if abs(other.energy_kwh / group.energy_kwh - 1) > _DIFFERS:
                yield Warning_(
                    code="readings-differ",
                    message=f"at {group.boundary} the {other.how} gives {other.energy_kwh:.6g} kWh and the {group.how} "
                    f"{group.energy_kwh:.6g} kWh",
                )


def _coverage(run: Run) -> Iterator[Warning_]:
    for index, energy in enumerate(run.energy):
        if energy.coverage is not None and energy.coverage < 1:
            yield Warning_(
                code="coverage",
                message=f"energy[{index}]: samples cover {100 * energy.coverage:.4g} % of the time; "
                "the rest is bridged",
                where=energy.source,
            )
        if energy.boundary is None:
            yield _no_boundary(f"energy[{index}]", energy.source)
    for index, power in enumerate(run.power):
        if power.boundary is None:
            yield _no_boundary(f"power[{index}]", power.source)
    read = {energy.device for energy in run.energy if energy.device is not None}
    if read and run.device_count and len(read) < run.device_count:
        yield Warning_(
            code="devices-missing", message=f"the readings cover {len(read)} of {run.device_count:g} devices"
        )
    if run.pue_included and run.pue is None:
        yield Warning_(code="pue-not-stated", message="the readings hold a PUE, and the run does not say which")


def _no_boundary(place: str, source: str | None) -> Warning_:
    return Warning_(
        code="boundary-assumed",
        message=f"{place} does not say where it was measured; it is taken as node_ac. State 'boundary'",
        where=source,
    )


def _rates(run: Run, implied: list[Implied]) -> Iterator[Warning_]:
    """Work over time against a rate of it; steps and their time against the duration."""
    duration = run.elapsed
    if duration is None or not float(duration.magnitude):
        return
    seconds = float(duration.m_as(parse_unit("s")))
    totals = {work.quantity: work.value for work in run.work if work.value is not None}
    rates = {work.quantity: float(work.rate.m_as(parse_unit("1/s"))) for work in run.work if work.rate is not None}
    for quantity, total in totals.items():
        unit = next(work.unit for work in run.work if work.quantity == quantity)
        rate = total / seconds
        stated = rates.get(quantity)
        against = "" if stated is None else f"stated rate, {stated:.6g} {unit}/s"
        ratio = rate / stated if stated else None
        implied.append(Implied(f"{quantity} over duration", Q(rate, f"{unit}/s"), f"{unit}/s", against, ratio))
        if ratio is not None and abs(ratio - 1) > _RATE:
            yield Warning_(
                code="rate-mismatch",
                message=f"{total:g} {quantity} in {seconds:g} s are {rate:.6g} {unit}/s; the run states {stated:.6g}",
            )
    step = next((r.value for r in run.results if r.unit == "s" and r.name == "time of an iteration"), None)
    steps = totals.get("iterations")
    if step and steps and abs(step * steps / seconds - 1) > _RATE:
        yield Warning_(
            code="rate-mismatch",
            message=f"{steps:g} iterations of {step:g} s take {steps * step:g} s; the run took {seconds:g} s",
        )
