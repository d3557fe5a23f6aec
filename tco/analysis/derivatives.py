"""Derivatives of the lines of a graph: one pass from a line back to all its inputs.

The table is keyed by operation name, as that of `tco.operations`. Rounding up, comparing and choosing have the
derivative of the piece they are on.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from tco.graph import Graph, Node, base_factor

#: What an operation returns by its operands and its result: the derivative with respect to each operand.
Partial = Callable[..., tuple[float, ...]]


def _power(a: float, b: float, result: float) -> tuple[float, float]:
    by_base = 0.0 if b == 0 else b * a ** (b - 1) if a != 0 or b >= 1 else math.inf
    return by_base, result * math.log(a) if a > 0 else 0.0


#: Of every operation in `tco.operations.OPERATIONS`.
DERIVATIVES: dict[str, Partial] = {
    "add": lambda a, b, r: (1.0, 1.0),
    "subtract": lambda a, b, r: (1.0, -1.0),
    "multiply": lambda a, b, r: (b, a),
    "divide": lambda a, b, r: (1.0 / b, -r / b),
    "same": lambda a, r: (1.0,),
    "negative": lambda a, r: (-1.0,),
    "power": _power,
    "exp": lambda a, r: (r,),
    "log": lambda a, r: (1.0 / a,),
    "ceil": lambda a, r: (0.0,),
    "minimum": lambda a, b, r: (1.0, 0.0) if a <= b else (0.0, 1.0),
    "maximum": lambda a, b, r: (1.0, 0.0) if a >= b else (0.0, 1.0),
    "less": lambda a, b, r: (0.0, 0.0),
    "less_equal": lambda a, b, r: (0.0, 0.0),
    "where": lambda c, a, b, r: (0.0, 1.0, 0.0) if c else (0.0, 0.0, 1.0),
}

#: Operations whose derivative changes, or is not there, at some values.
_IN_PIECES = frozenset({"ceil", "minimum", "maximum", "less", "less_equal", "where"})


class Derivative(NamedTuple):
    """How a line answers to one input.

    Attributes
    ----------
    slope
        Unit of the line per unit of the input.
    elasticity
        Per cent of the line per per cent of the input; nan where the line is 0.
    in_pieces
        Whether a step or a choice lies between the two, so that the slope holds near the value only.
    """

    slope: float
    elasticity: float
    in_pieces: bool


def gradient(graph: Graph, line: str) -> dict[str, Derivative]:
    """Derivatives of a line with respect to all inputs that it rests on, in one pass.

    Parameters
    ----------
    graph
        The graph; derivatives are those at the values of its inputs.
    line
        Name of a line.

    Returns
    -------
    dict
        By name of the input.
    """
    end = graph[line]
    needed = graph.needed_for([end])
    base = {node.index: node.value * base_factor(node.quantity.units) for node in needed}
    slopes: dict[int, float] = dict.fromkeys(base, 0.0)
    pieces: dict[int, bool] = dict.fromkeys(base, False)
    slopes[end.index] = 1.0
    for node in reversed(needed):
        if not node.operands:
            continue
        own, broken = slopes[node.index], pieces[node.index] or node.operation in _IN_PIECES
        values = [base[operand.index] for operand in node.operands]
        for operand, partial in zip(node.operands, DERIVATIVES[node.operation](*values, base[node.index]), strict=True):
            if own != 0.0 and partial != 0.0:
                slopes[operand.index] += own * partial
            pieces[operand.index] |= broken
    per_line = base_factor(end.quantity.units)

    def derivative(node: Node) -> Derivative:
        slope = slopes[node.index] * base_factor(node.quantity.units) / per_line
        elasticity = slope * node.value / end.value if end.value else math.nan
        return Derivative(slope, elasticity, pieces[node.index])

    return {node.name: derivative(node) for node in needed if node.operation == "input"}
