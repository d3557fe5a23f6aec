"""What a run is charged of the embodied carbon of its hardware."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tco import catalog
from tco.embodied.model import EmbodiedError
from tco.embodied.result import Result
from tco.formulas import embodied
from tco.graph import Graph, Input
from tco.records.fields import In
from tco.units import Q, Quantity, read_quantity

Rule = Literal["utilisation", "sci"]
RULES: tuple[Rule, ...] = ("utilisation", "sci")

_BOUNDS = {
    "duration": In("h", at_least=0, example="24 h"),
    "lifetime": In("year", above=0, example="5 year"),
    "utilisation": In("1", above=0, at_most=1, example="0.85"),
    "nodes": In("1", at_least=0, example="2"),
    "devices": In("1", at_least=0, example="4"),
    "devices_per_node": In("1", above=0, example="8"),
}


@dataclass(frozen=True)
class Allocated:
    """The share of a run, in kgCO2e, and the rule that gave it."""

    value: float
    low: float
    high: float
    rule: str
    share: float
    graph: Graph


def _checked(name: str, value: object) -> Quantity:
    bounds = _BOUNDS[name]
    try:
        quantity = read_quantity(value, bounds.unit)
        bounds.check(float(quantity.magnitude))
    except ValueError as error:
        raise EmbodiedError(f"{name}: {error}") from None
    return quantity


def allocate(
    whole: Result | tuple[float, float, float] | str | Quantity,
    duration: object,
    *,
    lifetime: object = None,
    utilisation: object = None,
    nodes: object = 1,
    devices: object = None,
    devices_per_node: object = None,
    rule: Rule = "utilisation",
) -> Allocated:
    """Charge a run for its share of a node's embodied carbon.

    Parameters
    ----------
    whole
        Of one node, or of all its devices: a result, value with low and high in kgCO2e, or a quantity.
    duration
        How long the run held it; longer than a life, or on many nodes, scales linearly.
    lifetime, utilisation
        Useful life, and the share of it for which runs are charged; else the defaults of the catalogue.
    nodes
        Whole nodes that the run held.
    devices, devices_per_node
        To charge a share of one node by devices in place of whole nodes.
    rule
        ``utilisation`` spreads idle time over what runs; ``sci`` is the term M of ISO/IEC 21031, which charges idle
        time to nobody.

    Raises
    ------
    EmbodiedError
        If a value is impossible: the message names it and what would be right.
    """
    if rule not in RULES:
        raise EmbodiedError(f"the rule '{rule}' is not known (rules: {', '.join(RULES)})")
    if (devices is None) != (devices_per_node is None):
        raise EmbodiedError("devices and devices_per_node go together: 'devices of devices_per_node'")
    graph = Graph()
    value, low, high = _ends(whole)
    total = graph.input("embodied.total", Q(value, "kgCO2e"), "kgCO2e", "Of one node", Input(low=low, high=high))
    held = graph.input("run.duration", _checked("duration", duration), "h", "Elapsed time")
    if lifetime is None:
        figure = catalog.default("system.lifetime")
        life = graph.input(
            "system.lifetime", figure.quantity("year"), "year", "Useful life", figure.given("year", assumed=True)
        )
    else:
        life = graph.input("system.lifetime", _checked("lifetime", lifetime), "year", "Useful life")
    one = Q(1.0, "1")
    part = graph.input("run.devices", one if devices is None else _checked("devices", devices), "1", "Devices held")
    all_of_it = one if devices_per_node is None else _checked("devices_per_node", devices_per_node)
    there_are = graph.input("system.devices_per_node", all_of_it, "1", "Devices in a node")
    count = graph.input("run.nodes_charged", _checked("nodes", nodes), "1", "Nodes held")
    if rule == "sci":
        share = embodied.sci_embodied(total, held, life, part * count, there_are)
        line = graph.line("run.embodied", share, "kgCO2e", "Share of the run, SCI", by=embodied.sci_embodied)
    else:
        if utilisation is None:
            figure = catalog.default("system.utilisation")
            used = graph.input(
                "system.utilisation", figure.quantity("1"), "1", "Utilisation", figure.given("1", assumed=True)
            )
        else:
            used = graph.input("system.utilisation", _checked("utilisation", utilisation), "1", "Utilisation")
        each = graph.input("run.pieces", one, "1", "The node as a whole")
        of_life = graph.line("run.life_share", embodied.life_share(held, life, used), "1", "Share of the life")
        shared = embodied.allocated(embodied.device_share(total, part, there_are), each, count, of_life)
        line = graph.line("run.embodied", shared, "kgCO2e", "Share of the run", by=embodied.allocated)
    low, high = graph.range_of(line.name)
    return Allocated(line.value, low, high, rule, line.value / value if value else 0.0, graph)


def _ends(whole: Result | tuple[float, float, float] | str | Quantity) -> tuple[float, float, float]:
    if isinstance(whole, Result):
        return whole.value, whole.low, whole.high
    if isinstance(whole, tuple):
        value, low, high = whole
        if not 0 <= low <= value <= high:
            raise EmbodiedError(f"the value {value:g} is outside its range {low:g} to {high:g}, or negative")
        return value, low, high
    number = float(read_quantity(whole, "kgCO2e").magnitude)
    if number < 0:
        raise EmbodiedError(f"{number:g} kgCO2e must be at least 0 kgCO2e")
    return number, number, number
