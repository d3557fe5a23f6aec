"""What every report of an estimate shows, as text: the one place that decides it."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from typing import Any, NamedTuple

from tco.estimation.result import Estimate, Line
from tco.graph import Node
from tco.knowledge import folder
from tco.reports.numbers import digits, readable_unit, show_in, show_range, show_value


class Row(NamedTuple):
    """A result, as text; `depth` says how deep it lies in the total above it, `sampled` what samples say of it."""

    section: str
    name: str
    value: str
    unit: str
    range: str
    label: str
    remark: str
    depth: int
    sampled: tuple[str, ...] = ()


class Assumed(NamedTuple):
    """An input that nobody stated for this case, as text."""

    name: str
    value: str
    range: str
    label: str
    source: str


class Summary(NamedTuple):
    """An estimate as text, ready for a terminal, a page or a table; `sampling` says how it was sampled, if it was."""

    title: str
    facts: tuple[tuple[str, str], ...]
    rows: tuple[Row, ...]
    missing: tuple[tuple[str, str], ...]
    readings: tuple[tuple[str, str, str], ...]
    assumed: tuple[Assumed, ...]
    warnings: tuple[tuple[str, str], ...]
    sampling: tuple[tuple[str, str], ...] = ()


@lru_cache(maxsize=1)
def _sections() -> dict[str, Any]:
    return tomllib.loads(folder("reports").joinpath("sections.toml").read_text(encoding="utf-8"))


def _section(name: str) -> str | None:
    """Title of the section that a line belongs to; None for lines that reports leave to the derivations."""
    known = _sections()
    if known["per_work"]["mark"] in name:
        return str(known["per_work"]["title"])
    return next((str(s["title"]) for s in known["section"] if name.startswith(tuple(s["prefixes"]))), None)


def _remark(line: Line) -> str:
    facts = line.facts
    words = [str(facts[key]) for key in ("method", "basis", "boundary", "phase") if facts.get(key)]
    if "scope" in facts:
        words.append(f"scope {facts['scope']}")
    return ", ".join(dict.fromkeys(words))


def _rows(estimate: Estimate) -> list[Row]:
    lines = estimate.lines
    owner = {part: line.name for line in lines.values() for part in line.parts}
    order: list[str] = []

    def put(name: str) -> None:
        if name in order:
            return
        order.append(name)
        for part in lines[name].parts:
            put(part)

    known = _sections()
    for section in (*(section["title"] for section in known["section"]), known["per_work"]["title"]):
        names = [name for name in lines if _section(name) == section]
        for name in names:
            if name not in owner:
                put(name)
        for name in names:
            put(name)

    def depth(name: str) -> int:
        return 1 + depth(owner[name]) if name in owner else 0

    def shown_in(name: str) -> str:
        """A part is shown in the unit of its total, so that the two can be compared."""
        line = lines[name]
        return shown_in(owner[name]) if name in owner else readable_unit(line.quantity, line.unit)

    rows = []
    for name in order:
        line, shown = lines[name], shown_in(name)
        value, unit = show_in(line.quantity, shown, padded=True)
        spread = show_range(line.quantity, line.low, line.high, shown)
        section = _section(name) or ""
        rows.append(Row(section, name, value, unit, spread, line.label, _remark(line), depth(name)))
    return rows


def input_value(node: Node) -> str:
    """Value of an input as text with its unit."""
    value, unit = show_value(node.quantity, node.unit)
    return f"{value} {unit}".strip()


def input_range(node: Node) -> str:
    """Range of an input as text."""
    given = node.given
    if given is None:
        return ""
    return show_range(node.quantity, given.low, given.high, readable_unit(node.quantity, node.unit))


def input_source(node: Node) -> str:
    """Where an input was read, as text."""
    given = node.given
    if given is None or (given.source is None and not given.note):
        return ""
    source = str(given.source) if given.source else given.note
    year = node.facts.get("price_year")
    return f"{source} [money of {year}]" if year else source


def summary(estimate: Estimate) -> Summary:
    """Gather what the reports of an estimate show."""
    run, graph = estimate.run, estimate.graph
    facts = [("Run", run.name or estimate.where)]
    if run.tool:
        how = "Measured with" if run.prediction is None else "Predicted by"
        facts.append((how, " ".join(part for part in (run.tool.name, run.tool.version) if part)))
    if estimate.system:
        facts.append(("Hardware", estimate.system.title or estimate.system.name))
    if estimate.region:
        facts.append(("Place", f"{estimate.region.name} ({estimate.region.id})"))
    if "grid.intensity" in graph.named:
        node = graph["grid.intensity"]
        note = node.label.partition(": ")[2] or "as stated"
        facts.append(("Grid factor", f"{input_value(node)}: {note}"))
    if "run.duration" in graph.named:
        node = graph["run.duration"]
        shown = readable_unit(node.quantity, node.unit)
        spread = show_range(node.quantity, *graph.range_of("run.duration"), shown) if node.operands else ""
        of = f" ({spread} {shown}: predicted, with the error of the simulator)" if spread else ""
        facts.append(("Duration", input_value(node) + of))
    used = estimate.readings[0]
    facts.append(("Energy from", f"{used.boundary}, {used.how}"))
    readings = tuple(
        (
            group.boundary,
            group.how,
            f"{digits(group.energy_kwh)} kWh"
            + (f", {digits(100 * group.energy_kwh / used.energy_kwh, 3)} % of the one used" if used.energy_kwh else ""),
        )
        for group in estimate.readings[1:]
    )
    assumed = tuple(
        Assumed(node.name, input_value(node), input_range(node), node.label, input_source(node))
        for node in graph.inputs()
        if node.given is not None and node.given.assumed
    )
    return Summary(
        title=run.name or estimate.where,
        facts=tuple(facts),
        rows=tuple(_rows(estimate)),
        missing=tuple((missing.line, missing.reason) for missing in estimate.missing),
        readings=readings,
        assumed=assumed,
        warnings=tuple((warning.code, warning.message) for warning in estimate.warnings),
    )
