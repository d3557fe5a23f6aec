"""What a chip costs to make: wafer price, dies on a wafer, yield."""

from __future__ import annotations

from typing import Any, NamedTuple

from tco.catalog.prices import chip_figure
from tco.catalog.tables import table
from tco.errors import EstimateError, RecordError, UnitError, did_you_mean
from tco.formulas import chip as formulas
from tco.formulas import silicon
from tco.graph import Graph, Node
from tco.records.figure import Figure
from tco.units import read_quantity, show


class ChipCost(NamedTuple):
    """Cost of a die.

    Attributes
    ----------
    graph
        Its lines: ``chip.dies``, ``chip.yield``, ``cost.die.raw``, ``cost.die.good`` ...; explains and samples like
        that of an estimate.
    """

    graph: Graph

    def value(self, name: str) -> float:
        """A line in its unit."""
        return self.graph[name].value

    def to_dict(self) -> dict[str, Any]:
        """The lines and inputs as plain data, schema ``tco.chip/1``."""
        lines = {}
        for node in self.graph.lines():
            low, high = self.graph.range_of(node.name)
            lines[node.name] = {
                "value": node.value, "unit": node.unit, "low": low, "high": high, "label": node.label, **node.facts,
            }  # fmt: skip
        inputs = {
            node.name: {
                "value": node.value,
                "unit": node.unit,
                "assumed": bool(node.given and node.given.assumed),
                "source": str(node.given.source) if node.given and node.given.source else None,
            }
            for node in self.graph.inputs()
        }
        return {"schema": "tco.chip/1", "lines": lines, "inputs": inputs}


def _figure(*path: str) -> Figure:
    found = chip_figure(*path)
    if found is None:
        known = table("prices", "chips.toml").get(path[0], {})
        hint = did_you_mean(path[-1], known)
        raise RecordError(
            f"{' '.join(path)} nm is not known{hint} (known: {', '.join(known)} nm); state chip.wafer_price and "
            "chip.defects"
        )
    return found


def chip_cost(area: object, process: float | None = None, *, set: dict[str, object] | None = None) -> ChipCost:
    """What a die costs to make; packaging, memory, test and margin are not in it.

    Parameters
    ----------
    area
        Of the die: ``"814 mm2"``.
    process
        Name of the process, in nm: 5.
    set
        Values for inputs: ``chip.wafer_price``, ``chip.defects``, ``chip.scribe``, ``chip.edge``, ``chip.clustering``,
        ``chip.diameter``.
    """
    graph = Graph(set)

    def one(name: str, unit: str, label: str, *path: str) -> Node:
        if graph.is_stated(name):
            return graph.input(name, None, unit, label)
        figure = _figure(*path)
        facts = {"price_year": figure.price_year} if figure.price_year else {}
        return graph.input(name, figure.quantity(unit), unit, label, figure.given(unit, assumed=True), **facts)

    missing = [name for name in ("chip.wafer_price", "chip.defects") if not graph.is_stated(name)]
    if process is None and missing:
        raise EstimateError(f"without a process, state {' and '.join(missing)}")
    node = f"{process:g}" if process is not None else ""
    try:
        size = graph.input("chip.area", read_quantity(area, "mm**2"), "mm**2", "Area of the die")
    except UnitError as error:
        raise UnitError(f"area: {error}") from None
    if size.value <= 0:
        raise EstimateError(f"area: {show(size.quantity)} must be more than 0")
    wafer = one("chip.wafer_price", "money", f"Processed wafer, {node} nm", "wafer", node)
    defects = one("chip.defects", "1/cm**2", f"Defect density, {node} nm", "defects", node)
    scribe = one("chip.scribe", "mm", "Scribe lane", "scribe")
    edge = one("chip.edge", "mm", "Edge of the wafer that carries no dies", "edge")
    clustering = one("chip.clustering", "1", "Exponent of the yield", "clustering")
    diameter = one("chip.diameter", "mm", "Wafer", "diameter")
    usable = graph.line(
        "chip.usable_diameter", formulas.usable_diameter(diameter, edge), "mm", "Usable diameter",
        by=formulas.usable_diameter,
    )  # fmt: skip
    dies = graph.line(
        "chip.dies", silicon.dies_classic(silicon.with_kerf(size, scribe), usable), "1", "Dies on a wafer",
        by=silicon.dies_classic,
    )  # fmt: skip
    if dies.value < 1:
        raise EstimateError(f"area: {show(size.quantity)} is too large for a wafer: {dies.value:.3g} dies fit on it")
    good = graph.line(
        "chip.yield", silicon.negative_binomial(size, defects, clustering), "1", "Share of good dies",
        by=silicon.negative_binomial,
    )  # fmt: skip
    money = wafer.unit
    facts = {"method": "acquisition", "currency": money, "price_year": wafer.facts.get("price_year") or "stated"}
    raw = graph.line(
        "cost.die.raw", formulas.raw_die_cost(wafer, dies), "money", "A die before test", by=formulas.raw_die_cost,
        **facts,
    )  # fmt: skip
    graph.line(
        "cost.die.good", formulas.good_die_cost(raw, good), "money", "A die that works", by=formulas.good_die_cost,
        **facts,
    )  # fmt: skip
    graph.check_all_stated_used()
    return ChipCost(graph)
