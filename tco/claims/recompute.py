"""A result of a claim, recomputed: the value, its range by the rounding of the inputs, and the graph behind it."""

from __future__ import annotations

from typing import NamedTuple

from tco.claims.arithmetic import add_input, calculate
from tco.claims.recipe import estimate_of
from tco.claims.record import ROWS, SUM, Claim
from tco.claims.stated import Stated
from tco.errors import EstimateError, RecordError, TcoError, UnitError, did_you_mean
from tco.graph import Graph, Node
from tco.units import Q, Quantity, convert, kind, parse_unit


class Recomputed(NamedTuple):
    """A result as it follows from the inputs.

    Attributes
    ----------
    graph, line
        The calculation, and the node of the result in it.
    value, low, high
        In the unit of the claim; the range is that of the rounding of what the claim states.
    """

    graph: Graph
    line: Node
    value: float
    low: float
    high: float


class UndecidableError(EstimateError):
    """What a claim states does not let a result be recomputed; the message says what is missing."""


def recompute(claim: Claim, result: str) -> Recomputed:
    """A result of a claim from its inputs.

    Raises
    ------
    UndecidableError
        If the inputs do not let it be recomputed.
    TcoError
        If the claim cannot be: an unknown result or formula, a unit of another kind, an impossible input.
    """
    graph = _graph(claim, result)
    node = graph.named[result]
    unit = claim.results[result].unit
    quantity = _into(claim, node, unit)
    value = float(quantity.magnitude)
    low, high = graph.range_of(node.name)
    if node.value:
        low, high = sorted((low / node.value * value, high / node.value * value))
    else:
        low = high = value
    return Recomputed(graph, node, value, low, high)


def value_of(claim: Claim, result: str) -> float | None:
    """The value alone, in the unit of the claim; None where it cannot be recomputed."""
    try:
        node = _graph(claim, result).named[result]
        return float(_into(claim, node, claim.results[result].unit).magnitude)
    except TcoError:
        return None


def _graph(claim: Claim, result: str) -> Graph:
    if claim.undecidable is not None:
        raise UndecidableError(claim.undecidable)
    if claim.steps:
        return calculate(claim)
    if result == SUM:
        return _total(claim)
    if not claim.inputs and not claim.parts:
        raise UndecidableError("no inputs are stated")
    try:
        estimate = estimate_of(claim, [result])
    except EstimateError as error:
        raise UndecidableError(str(error)) from None
    except ArithmeticError:
        zeros = [name for name, one in claim.inputs.items() if isinstance(one, Stated) and not one.value]
        raise RecordError(
            f"{claim.id}: {', '.join(zeros) or 'an input'} cannot be 0: '{result}' divides by it"
        ) from None
    for missing in estimate.missing:
        if missing.line == result:
            raise UndecidableError(missing.reason)
    if result not in estimate.graph.named:
        known = (SUM, *(node.name for node in estimate.graph.lines()))
        hint = did_you_mean(result, known)
        raise RecordError(
            f"{claim.id}: results: '{result}' does not follow from these inputs{hint} ({', '.join(known)} do)"
        )
    _refuse_assumed(estimate.graph, result)
    return estimate.graph


def _total(claim: Claim) -> Graph:
    graph, rows = Graph(), claim.inputs.get(ROWS)
    if not isinstance(rows, tuple) or not rows:
        raise UndecidableError(f"a sum needs '{ROWS}', a list of numbers")
    parts = [add_input(graph, f"{ROWS}[{at}]", row) for at, row in enumerate(rows)]
    graph.total(SUM, parts, rows[0].unit, "Sum of the rows")
    return graph


def _refuse_assumed(graph: Graph, result: str) -> None:
    inputs = [node for node in graph.needed_for([graph[result]]) if node.operation == "input"]
    assumed = [node.name for node in inputs if node.given is not None and node.given.assumed]
    if assumed:
        raise UndecidableError(f"it rests on {', '.join(assumed)}, which the claim does not state")


def _into(claim: Claim, node: Node, unit: str) -> Quantity:
    """A result in the unit of a source, which may give emissions as mass."""
    target, quantity = parse_unit(unit), node.quantity
    if "[carbon]" in quantity.dimensionality and "[carbon]" not in target.dimensionality:
        quantity = quantity * Q(1, "g") / Q(1, "gCO2e")
    if quantity.dimensionality != target.dimensionality:
        raise UnitError(
            f"{claim.id}: results: '{node.name}' is {kind(node.quantity)}, in '{node.unit}'; it is stated in '{unit}', "
            f"which is {kind(target)}"
        )
    return convert(quantity, unit)
