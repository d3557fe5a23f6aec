"""What templates get: one plain description of an estimate, for HTML, LaTeX, snippets, and templates of users.

The names here are an interface; ``docs/reports.md`` lists them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from tco import __version__
from tco.estimation.result import Estimate
from tco.graph import Node
from tco.reports.explain import reference, with_numbers
from tco.reports.numbers import digits, readable_unit, show_in, show_range, show_value
from tco.reports.reporting import fields, rules
from tco.reports.summary import input_range, input_source, input_value, summary
from tco.units import convert, currency

#: What an input is, for readers who ask how far it can be trusted.
MEASURED, SOURCED, STATED, MODELLED = "measured", "sourced", "stated", "modelled"


#: Inputs that stand for a measurement where nothing was measured.
_RATING = re.compile(r"run\.device\d*\.")


class Derived(NamedTuple):
    """How a line came about: its formula over names and numbers, where that is from, and what it rests on."""

    formula: str
    numbers: str
    reference: str
    operands: tuple[str, ...]


class LineView(NamedTuple):
    """One line as text, with the bare value (in `base_unit`) beside it."""

    name: str
    label: str
    value: str
    unit: str
    range: str
    remark: str
    depth: int
    total: bool
    bare: float
    base_unit: str
    derived: Derived


class InputView(NamedTuple):
    """One input as text; `tag` is measured, sourced, stated or modelled."""

    name: str
    label: str
    value: str
    range: str
    source: str
    url: str
    note: str
    assumed: bool
    tag: str


class Part(NamedTuple):
    """A part of a total, for charts; `share` of the total."""

    name: str
    label: str
    value: str
    bare: float
    share: float


class Breakdown(NamedTuple):
    """A total and the lines at the bottom of it."""

    name: str
    title: str
    value: str
    unit: str
    parts: tuple[Part, ...]


class MethodView(NamedTuple):
    """A total by another method, beside the first one."""

    name: str
    method: str
    value: str
    label: str
    ratio: str


class Score(NamedTuple):
    """Carbon per functional unit, by the parts that add up to it."""

    unit: str
    amount: str
    operational: str
    embodied: str
    score: str
    score_unit: str


def with_unit(quantity: Any, unit: str) -> str:
    """Value and readable unit in one text."""
    return " ".join(show_value(quantity, unit)).strip()


def named_operands(node: Node) -> list[Node]:
    """The named nodes that a node is computed from directly."""
    found: list[Node] = []
    for operand in node.operands:
        found.extend([operand] if operand.name else named_operands(operand))
    return list({operand.name: operand for operand in found}.values())


def _derived(node: Node) -> Derived:
    operands = tuple(operand.name for operand in named_operands(node))
    return Derived(node.text(follow_name=True), with_numbers(node), reference(node), operands)


def leaves(estimate: Estimate, name: str) -> list[Node]:
    """The lines at the bottom of a total."""
    node = estimate.graph[name]
    return [leaf for part in node.parts for leaf in leaves(estimate, part.name)] if node.parts else [node]


def tag(node: Node) -> str:
    """How far an input can be trusted: measured, sourced, stated or modelled."""
    given = node.given
    if given is None:
        return MODELLED
    if _RATING.match(node.name):
        return MODELLED
    if given.assumed:
        return SOURCED if given.source is not None else MODELLED
    if node.name.startswith(("run.", "work.")) and given.source is not None:
        return MEASURED
    return SOURCED if given.source is not None else STATED


def breakdown(estimate: Estimate, name: str, title: str) -> Breakdown | None:
    """The parts of a total; None where it has less than two, or is 0."""
    node = estimate.graph.named.get(name)
    if node is None or node.value == 0:
        return None
    parts = leaves(estimate, name)
    if len(parts) < 2:
        return None
    shown = readable_unit(node.quantity, node.unit)
    found = []
    for part in parts:
        bare = float(convert(part.quantity, node.unit).magnitude)
        text = show_in(part.quantity, shown, padded=True)[0]
        found.append(Part(part.name, part.label, text, bare, bare / node.value))
    value, unit = show_in(node.quantity, shown, padded=True)
    return Breakdown(name, title, value, unit, tuple(found))


def methods(estimate: Estimate, first: str, totals: Sequence[str]) -> tuple[MethodView, ...]:
    """Totals by other methods beside the first; empty where there is only one."""
    named = estimate.graph.named
    if first not in named:
        return ()
    base = named[first]
    found = []
    for name in (first, *totals):
        node = named.get(name)
        if node is None or node.quantity.dimensionality != base.quantity.dimensionality:
            continue
        ratio = float(convert(node.quantity, base.unit).magnitude) / base.value if base.value else 0.0
        method = str(node.facts.get("method", ""))
        provider = node.facts.get("provider")
        method += f", {provider}" if provider else ""
        found.append(MethodView(name, method, with_unit(node.quantity, node.unit), node.label, digits(ratio, 3)))
    return tuple(found) if len(found) > 1 else ()


def scores(estimate: Estimate) -> tuple[Score, ...]:
    """Carbon per unit of the work that the run states: SCI = (O + M) / R."""
    named = estimate.graph.named
    total, operational = named.get("carbon.total"), named.get("carbon.operational")
    embodied = named.get("carbon.embodied")
    if total is None or operational is None or embodied is None:
        return ()
    found = []
    for name, work in named.items():
        if not name.startswith("work.") or name.endswith("_rate") or work.value <= 0:
            continue
        key = name.removeprefix("work.")
        per = named.get(f"carbon.total.per_{key}")
        if per is None:
            continue
        shown = readable_unit(per.quantity, per.unit)
        use, making = (
            show_in(convert(part.quantity, "gCO2e") / work.quantity, shown, padded=True)[0]
            for part in (operational, embodied)
        )
        value, unit = show_in(per.quantity, shown, padded=True)
        found.append(Score(key.replace("_", " "), with_unit(work.quantity, work.unit), use, making, value, unit))
    return tuple(found)


def context(estimate: Estimate) -> dict[str, Any]:
    """Everything a template may use."""
    found, graph = summary(estimate), estimate.graph
    lines = estimate.lines

    def view(row: Any) -> LineView:
        line = lines[row.name]
        return LineView(
            row.name, row.label, row.value, row.unit, row.range, row.remark, row.depth, bool(line.parts), line.value,
            line.unit, _derived(graph[row.name]),
        )  # fmt: skip

    sections: dict[str, list[LineView]] = {}
    hidden = {name: lines[name] for name in lines}
    for row in found.rows:
        sections.setdefault(row.section or "Other lines", []).append(view(row))
        hidden.pop(row.name, None)
    helping = []
    for name, line in hidden.items():
        shown = readable_unit(line.quantity, line.unit)
        value, unit = show_in(line.quantity, shown, padded=True)
        ends = show_range(line.quantity, line.low, line.high, shown)
        whole = bool(line.parts)
        helping.append(
            LineView(name, line.label, value, unit, ends, "", 0, whole, line.value, line.unit, _derived(graph[name]))
        )

    def line_text(name: str, unit: str | None = None) -> str | None:
        """A line or input as text with its unit; None where the estimate has none."""
        node = graph.named.get(name)
        if node is None:
            return None
        if unit is None:
            return with_unit(node.quantity, node.unit)
        return " ".join(show_in(convert(node.quantity, unit), unit, padded=True)).strip()

    def number(name: str, unit: str) -> float | None:
        """The bare number of a line or input in a unit; None where the estimate has none."""
        node = graph.named.get(name)
        return None if node is None else float(convert(node.quantity, unit).magnitude)

    def spread(name: str) -> str:
        """The range of a line as text in its readable unit."""
        node = graph.named.get(name)
        if node is None:
            return ""
        low, high = graph.range_of(name)
        return show_range(node.quantity, low, high, readable_unit(node.quantity, node.unit))

    def fact(name: str, key: str) -> str:
        """What a line or input says of itself: method, basis, boundary, scope, dataset ..."""
        node = graph.named.get(name)
        value = None if node is None else node.facts.get(key)
        return "" if value is None else str(value)

    def assumed_of(*names: str) -> list[InputView]:
        """Assumed inputs that any of some lines rests on."""
        ends = [graph.named[name] for name in names if name in graph.named]
        return [_input(n) for n in graph.needed_for(ends) if n.name and n.given is not None and n.given.assumed]

    used = estimate.readings[0]
    return {
        "title": found.title,
        "facts": found.facts,
        "sections": [{"title": title, "lines": rows} for title, rows in sections.items()],
        "helping": helping,
        "inputs": [_input(node) for node in graph.inputs()],
        "assumed": [_input(node) for node in graph.inputs() if node.given is not None and node.given.assumed],
        "warnings": [{"code": w.code, "message": w.message, "where": w.where or ""} for w in estimate.warnings],
        "missing": [{"line": m.line, "reason": m.reason} for m in estimate.missing],
        "readings": [{"boundary": b, "how": how, "text": text} for b, how, text in found.readings],
        "used_reading": {"boundary": used.boundary, "how": used.how},
        "breakdowns": [
            part
            for part in (
                breakdown(estimate, "carbon.total", "Emissions by source"),
                breakdown(estimate, "cost.total", "Cost by part"),
            )
            if part is not None
        ],
        "cost_methods": methods(
            estimate,
            "cost.total",
            [n for n in graph.named if n.startswith("cost.") and n.endswith(".total") and n != "cost.total"],
        ),
        "carbon_methods": methods(estimate, "carbon.operational", ["carbon.market"]),
        "scores": scores(estimate),
        "reporting": {
            key: {
                "title": about.title,
                "short": about.short,
                "level": about.level,
                "remark": about.remark,
                "source": str(about.source),
                "fields": [
                    {
                        "name": f.name,
                        "symbol": f.symbol,
                        "status": f.status,
                        "remark": f.remark,
                        "unit": "" if f.unit == "1" else f.unit,
                        "value": "" if f.quantity is None else digits(float(f.quantity.magnitude), 4, padded=True),
                    }
                    for f in fields(estimate, about)
                ],
            }
            for key, about in rules().items()
        },
        "data_sets": [each.model_dump() for each in estimate.data_sets],
        "region": {"id": estimate.region.id, "name": estimate.region.name} if estimate.region else None,
        "system": (estimate.system.title or estimate.system.name) if estimate.system else None,
        "devices": [
            {"kind": d.kind, "model": d.model or d.kind, "count": f"{d.cards or d.count:g}"}
            for d in estimate.run.devices
        ],
        "currency": next((currency(n.quantity) for n in graph.lines() if n.name.startswith("cost.")), None),
        "line": line_text,
        "number": number,
        "spread": spread,
        "fact": fact,
        "assumed_of": assumed_of,
        "tool": {"name": "tco", "version": __version__},
    }


def _input(node: Node) -> InputView:
    given = node.given
    assert given is not None
    source = input_source(node)
    note = given.note if given.note != source else ""
    url = (given.source.url if given.source else None) or ""
    safe = url if url.startswith(("https://", "http://")) else ""
    return InputView(
        node.name, node.label, input_value(node), input_range(node), source, safe, note, given.assumed, tag(node)
    )
