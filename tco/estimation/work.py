"""What one unit of useful work takes."""

from __future__ import annotations

from tco.estimation.case import Case
from tco.estimation.hardware import duration, has_duration
from tco.formulas import work as formulas
from tco.units import Q, currency

#: Lines that are also given per unit of work; of a missing total the part that is known.
_PER_WORK = (
    ("energy.it",),
    ("energy.facility",),
    ("carbon.total", "carbon.operational"),
    ("carbon.embodied",),
    ("cost.total", "cost.energy"),
)
_UNITS = {"energy": "J", "carbon": "gCO2e"}
#: What a line per unit of work takes over of the line that it is of.
_KEPT = ("stage", "scope", "method", "basis", "currency", "price_year", "terms", "index", "index_vintage")


def add_work(case: Case) -> None:
    """Add the lines per unit of work for all the work that the run states."""
    graph, seen = case.graph, set()
    for index, work in enumerate(case.run.work):
        unit = work.unit
        place = f"work[{index}]"
        key = f"{unit}" if work.basis is None else f"{work.basis}_{unit}"
        if key in seen:
            case.warn(
                "work-twice", f"{place}: {work.quantity} stand twice; the first is used", f"{case.where}: {place}"
            )
            continue
        seen.add(key)
        if work.value is not None:
            amount = case.given(f"work.{key}", Q(work.value, unit), unit, f"Work done: {work.quantity}", place)
        else:
            assert work.rate is not None
            if not has_duration(case):
                case.miss(f"energy.it.per_{key}", f"{place} is a rate and the run has no duration")
                continue
            rate = case.given(
                f"work.{key}_rate",
                work.rate * Q(1, unit),
                f"{unit}/s",
                f"Rate of work: {work.quantity}",
                f"{place}.rate",
            )
            done = formulas.work_done(rate, duration(case))
            amount = graph.line(f"work.{key}", done, unit, f"Work done: {work.quantity}", by=formulas.work_done)
        if amount.value == 0:
            case.miss(f"energy.it.per_{key}", f"{place}: no work was done")
            continue
        for names in _PER_WORK:
            name = next((name for name in names if name in graph.named), None)
            if name is None:
                continue
            line = graph[name]
            domain = name.partition(".")[0]
            top = _UNITS.get(domain) or currency(line.quantity)
            graph.line(
                f"{name}.per_{key}",
                formulas.per_work(line, amount),
                f"{top}/{unit}",
                f"{line.label}, per {unit}" + (f" ({work.basis})" if work.basis else ""),
                by=formulas.per_work,
                **{k: v for k, v in line.facts.items() if k in _KEPT},
            )
