"""Methods side by side: what each counts, how far they lie apart, and what explains it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tco import catalog
from tco.embodied.assessment import calculate, find_system
from tco.embodied.boundaries import COUNTS
from tco.embodied.model import Method, NotCoveredError
from tco.embodied.plugins import methods as all_methods
from tco.embodied.result import PartResult, Result
from tco.embodied.workbench import Options
from tco.errors import EstimateError, did_you_mean
from tco.records.figure import Figure
from tco.records.system import System

SCHEMA = "tco.embodied/1"


@dataclass(frozen=True)
class Published:
    """What others published, in kgCO2e; never added to anything."""

    what: str
    value: float
    low: float
    high: float
    boundary: str
    phase: str
    source: str
    note: str


@dataclass(frozen=True)
class Spread:
    """How far figures of one boundary lie apart: the smallest and the largest, with the method of each."""

    what: str
    part: str | None
    boundary: str
    lowest: tuple[str, float]
    highest: tuple[str, float]

    @property
    def ratio(self) -> float:
        """Largest over smallest."""
        return self.highest[1] / self.lowest[1] if self.lowest[1] else float("inf")


@dataclass(frozen=True)
class Comparison:
    """Several methods on one system.

    Attributes
    ----------
    results
        One a method that can calculate at least one part.
    impossible
        Methods that can calculate nothing, with the reason, and plug-ins that cannot be used.
    published
        What others published for the system or its accelerator.
    spreads
        Of each part that several methods calculate, and of totals of one boundary that hold the same parts.
    explained
        What the differences come from, in sentences.
    """

    system: str
    title: str
    results: tuple[Result, ...]
    impossible: tuple[tuple[str, str], ...]
    published: tuple[Published, ...]
    spreads: tuple[Spread, ...]
    explained: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain data, schema ``tco.embodied/1``."""
        from tco import __version__

        return {
            "schema": SCHEMA,
            "system": self.system,
            "title": self.title,
            "results": [result.to_dict() for result in self.results],
            "impossible": [{"method": name, "reason": reason} for name, reason in self.impossible],
            "published": [vars(figure) for figure in self.published],
            "spreads": [
                {
                    "what": spread.what,
                    "boundary": spread.boundary,
                    "lowest": {"method": spread.lowest[0], "value": spread.lowest[1]},
                    "highest": {"method": spread.highest[0], "value": spread.highest[1]},
                }
                for spread in self.spreads
            ],
            "explained": list(self.explained),
            "tool": {"name": "tco", "version": __version__},
        }


def compare(
    system: System | str | Path,
    methods: Sequence[str | Method] | None = None,
    *,
    set: Mapping[str, object] | None = None,
    options: Options | None = None,
) -> Comparison:
    """Embodied carbon of a node by several methods.

    Parameters
    ----------
    system
        Hardware record, name of one in the catalogue, of an accelerator, or a file.
    methods
        Names or methods; None for all there are.
    set
        Values for inputs by dotted name; each must be an input of at least one method.
    options
        As in `assess`.
    """
    record, stated = find_system(system), set or {}
    impossible: list[tuple[str, str]] = []
    if methods is None:
        found, faults = all_methods()
        methods = list(found.values())
        impossible += [("plug-in", fault) for fault in faults]
    results = []
    for method in methods:
        try:
            results.append(calculate(record, method, stated, options or Options()))
        except NotCoveredError as error:
            name = method if isinstance(method, str) else method.name
            impossible.append(
                (name, str(error).removeprefix(f"the method '{name}' can calculate no part of '{record.name}': "))
            )
    if not results:
        raise NotCoveredError(f"no method applies to '{record.name}': " + "; ".join(_together(impossible)))
    _check_all_stated_used(stated, results)
    spreads = _spreads(results)
    return Comparison(
        system=record.name,
        title=record.title or record.name,
        results=tuple(results),
        impossible=tuple(impossible),
        published=tuple(_published(record)),
        spreads=tuple(spreads),
        explained=tuple(_explained(results, spreads)),
    )


def _together(impossible: Sequence[tuple[str, str]]) -> list[str]:
    names: dict[str, list[str]] = {}
    for name, reason in impossible:
        names.setdefault(reason, []).append(name)
    return [f"{', '.join(methods)}: {reason}" for reason, methods in names.items()]


def _check_all_stated_used(stated: Mapping[str, object], results: Sequence[Result]) -> None:
    known = {name for result in results for name in result.inputs}
    for name in stated:
        if name not in known:
            raise EstimateError(
                f"'{name}' is not an input of any of these methods{did_you_mean(name, known) or '.'} "
                f"Inputs here: {', '.join(sorted(known))}"
            )


def _published(system: System) -> list[Published]:
    found = [_as_published(f"a whole node: {system.title or system.name}", figure) for figure in system.also_published]
    if system.accelerator is not None:
        record = catalog.accelerator(system.accelerator)
        found += [_as_published(f"one {record.title or record.name}", figure) for figure in record.also_published]
    return found


def _as_published(what: str, figure: Figure) -> Published:
    def _number(end: float | None) -> float:
        at = figure.model_copy(update={"value": figure.value if end is None else end, "low": None, "high": None})
        return float(at.quantity("kgCO2e").magnitude)

    return Published(
        what=what,
        value=_number(None),
        low=_number(figure.low),
        high=_number(figure.high),
        boundary=figure.boundary or "not stated",
        phase=figure.phase or "not stated",
        source=str(figure.source) if figure.source else "",
        note=figure.note or "",
    )


def _spreads(results: Sequence[Result]) -> list[Spread]:
    spreads = []
    names = list(dict.fromkeys(part.name for result in results for part in result.parts))
    for name in names:
        found = [(result.method, part.each) for result in results if (part := result.part(name)) is not None]
        if len(found) > 1:
            boundaries = dict.fromkeys(part.boundary for result in results if (part := result.part(name)) is not None)
            lowest, highest = (pick(found, key=lambda entry: entry[1]) for pick in (min, max))
            if lowest[1] == highest[1]:
                continue
            spreads.append(Spread(f"one of {name}", name, " / ".join(boundaries), lowest, highest))
    groups: dict[tuple[str, tuple[str, ...]], list[tuple[str, float]]] = {}
    for result in results:
        parts = tuple(sorted(part.name for part in result.parts))
        groups.setdefault((result.boundary, parts), []).append((result.method, result.value))
    for (boundary, _), totals in groups.items():
        if len(totals) > 1:
            lowest, highest = (pick(totals, key=lambda entry: entry[1]) for pick in (min, max))
            spreads.append(Spread("total", None, boundary, lowest, highest))
    return spreads


#: Differences below this ratio are not worth a sentence.
_WORTH_SAYING = 1.1
#: How many parts or items a sentence names.
_SHOWN = 3
#: Items that make up less than this share of a difference do not explain it.
_EXPLAINS = 0.1


def _explained(results: Sequence[Result], spreads: Sequence[Spread]) -> list[str]:
    """What the differences come from: boundaries first, then the parts, the largest difference of a node first."""
    sentences = []
    boundaries: dict[str, list[str]] = {}
    for result in results:
        boundaries.setdefault(result.boundary, []).append(result.method)
    if len(boundaries) > 1:
        kinds = "; ".join(f"{', '.join(names)}: {_words(boundary)}" for boundary, names in boundaries.items())
        sentences.append(f"The totals count different things and are not comparable ({kinds}).")
    for names in boundaries.values():
        same = [result for result in results if result.method in names]
        sentences += [_why_totals(same[0], other) for other in same[1:] if _part_names(other) != _part_names(same[0])]
    by_name = {result.method: result for result in results}
    of_parts = []
    for spread in spreads:
        if spread.part is None or spread.ratio < _WORTH_SAYING:
            continue
        low, high = by_name[spread.lowest[0]], by_name[spread.highest[0]]
        smaller, larger = low.part(spread.part), high.part(spread.part)
        assert smaller is not None
        assert larger is not None
        of_parts.append((larger.count * (larger.each - smaller.each), _why(low, high, smaller, larger)))
    of_parts.sort(key=lambda entry: -entry[0])
    return sentences + [sentence for _, sentence in of_parts]


def _part_names(result: Result) -> list[str]:
    return sorted(part.name for part in result.parts)


def _why_totals(one: Result, other: Result) -> str:
    """One sentence on two totals of one boundary that are not of the same parts: what differs most, what is missing."""
    text = f"{one.method} {_kg(one.value)} kg against {other.method} {_kg(other.value)} kg, both {one.boundary}"
    values = {result.method: {part.name: part.value for part in result.parts} for result in (one, other)}
    mine, theirs = values[one.method], values[other.method]
    both = sorted(mine.keys() & theirs.keys(), key=lambda name: -abs(mine[name] - theirs[name]))
    if not both:
        return f"{text}: they count no part alike."
    shown = ", ".join(f"{name} {_kg(mine[name])} against {_kg(theirs[name])} kg" for name in both[:_SHOWN])
    lacks = [
        f"{result.method} is without {', '.join(missing)}"
        for result, missing in (
            (one, sorted(theirs.keys() - mine.keys())),
            (other, sorted(mine.keys() - theirs.keys())),
        )
        if missing
    ]
    return "; ".join((f"{text}: {shown}", *lacks)) + "."


def _words(boundary: str) -> str:
    return f"{boundary}, {COUNTS[boundary]}" if boundary in COUNTS else boundary


def _kg(value: float) -> str:
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"


def _why(low_result: Result, high_result: Result, low: PartResult, high: PartResult) -> str:
    """One sentence on a part: the two ends, and what makes up most of the difference."""
    pieces = f" ({high.count:g} in a node)" if high.count != 1 else ""
    by_low, by_high = low_result.method, high_result.method
    text = f"One of {low.name}{pieces}: {_kg(low.each)} kg by {by_low} to {_kg(high.each)} kg by {by_high}"
    if low.boundary != high.boundary:
        text += f", boundary {low.boundary} against {high.boundary}"
    return f"{text}{_per_capacity(low_result, high_result, low, high)}{_by_item(by_low, by_high, low, high)}."


def _per_capacity(low_result: Result, high_result: Result, low: PartResult, high: PartResult) -> str:
    name = f"system.{low.name}.capacity"
    for result in (low_result, high_result):
        if name in result.graph.named:
            size_gb = result.graph[name].value
            if size_gb:
                return f", {_kg(1000 * low.each / size_gb)} against {_kg(1000 * high.each / size_gb)} g/GB"
    return ""


def _by_item(by_low: str, by_high: str, low: PartResult, high: PartResult) -> str:
    low_items, high_items = ({item.name: item.value for item in part.items} for part in (low, high))
    if set(low_items) & set(high_items):
        reasons = []
        gaps = {name: high_items.get(name, 0.0) - low_items.get(name, 0.0) for name in (*high_items, *low_items)}
        for name in sorted(gaps, key=lambda item: -gaps[item]):
            if gaps[name] < _EXPLAINS * (high.each - low.each) or len(gaps) == 1:
                break
            missing = "not listed by itself" if low.boundary == high.boundary else "not counted"
            counted = f"{_kg(low_items[name])} kg" if name in low_items else missing
            reasons.append(f"{name} {counted} against {_kg(high_items[name])} kg")
        return f": {'; '.join(reasons)}" if reasons else ""
    for opaque, by_other, items in ((by_low, by_high, high_items), (by_high, by_low, low_items)):
        if len(items) > 1:
            shown = ", ".join(f"{n} {_kg(v)} kg" for n, v in sorted(items.items(), key=lambda e: -e[1])[:_SHOWN])
            return f"; {by_other} counts {shown}, {opaque} does not break it down"
    return ""
