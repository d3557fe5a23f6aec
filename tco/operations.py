"""The operations of a calculation: one table that quantities, arrays, graph nodes and ranges share.

Formulas use Python's arithmetic and the value operations of this module (`exp`, `log`, `ceil`, `minimum`,
`maximum`, `where`). Both work alike on Pint quantities, on arrays and on the nodes of a calculation graph.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeVar

import numpy as np

Range = tuple[float, float]


class Arithmetic(Protocol):
    """What formulas calculate with: a quantity, an array of quantities, or a node of a calculation graph."""

    def __add__(self, other: Any, /) -> Self: ...
    def __sub__(self, other: Any, /) -> Self: ...
    def __rsub__(self, other: Any, /) -> Self: ...
    def __mul__(self, other: Any, /) -> Self: ...
    def __truediv__(self, other: Any, /) -> Self: ...


V = TypeVar("V", bound=Arithmetic)


@dataclass(frozen=True)
class Operation:
    """One operation in its three meanings.

    Attributes
    ----------
    text
        How it is written, with a place for each operand.
    binding
        How tightly it binds: an operand that binds less is put in parentheses.
    on_quantities
        Applied to Pint quantities, units checked.
    on_arrays
        Applied to base-unit magnitudes; takes ``out=``.
    on_ranges
        Applied to (low, high) pairs of base-unit magnitudes: the range that the result must lie in.
    """

    text: str
    binding: int
    on_quantities: Callable[..., Any]
    on_arrays: Callable[..., Any]
    on_ranges: Callable[..., Range]


def _where(condition: Any, yes: Any, no: Any, out: Any = None) -> Any:
    if out is None:
        return np.where(np.asarray(condition) != 0, yes, no)
    np.copyto(out, no)
    np.copyto(out, yes, where=np.asarray(condition) != 0)
    return out


def _plain(quantity: Any) -> Any:
    return quantity.to("") if hasattr(quantity, "to") else quantity


def _product(a: Range, b: Range) -> Range:
    corners = [x * y for x in a for y in b]
    return min(corners), max(corners)


def _quotient(a: Range, b: Range) -> Range:
    if b[0] <= 0 <= b[1]:
        return -math.inf, math.inf
    corners = [x / y for x in a for y in b]
    return min(corners), max(corners)


def _power(a: Range, b: Range) -> Range:
    corners = [x**y for x in a for y in b]
    if a[0] < 0 < a[1]:
        corners.append(0.0)
    return min(corners), max(corners)


def _truth(sure: bool, sure_not: bool) -> Range:
    return (1.0, 1.0) if sure else (0.0, 0.0) if sure_not else (0.0, 1.0)


def _chosen(condition: Range, yes: Range, no: Range) -> Range:
    if condition == (1.0, 1.0):
        return yes
    if condition == (0.0, 0.0):
        return no
    return min(yes[0], no[0]), max(yes[1], no[1])


OPERATIONS: dict[str, Operation] = {
    "add": Operation("{} + {}", 1, lambda a, b: a + b, np.add, lambda a, b: (a[0] + b[0], a[1] + b[1])),
    "subtract": Operation("{} - {}", 1, lambda a, b: a - b, np.subtract, lambda a, b: (a[0] - b[1], a[1] - b[0])),
    "multiply": Operation("{} * {}", 2, lambda a, b: a * b, np.multiply, _product),
    "divide": Operation("{} / {}", 2, lambda a, b: a / b, np.divide, _quotient),
    "same": Operation("{}", 9, lambda a: a, np.positive, lambda a: a),
    "negative": Operation("-{}", 3, lambda a: -a, np.negative, lambda a: (-a[1], -a[0])),
    "power": Operation("{}**{}", 4, lambda a, b: a ** _plain(b), np.power, _power),
    "exp": Operation("exp({})", 9, lambda a: np.exp(_plain(a)), np.exp, lambda a: (math.exp(a[0]), math.exp(a[1]))),
    "log": Operation("ln({})", 9, lambda a: np.log(_plain(a)), np.log, lambda a: (math.log(a[0]), math.log(a[1]))),
    "ceil": Operation(
        "ceil({})", 9, lambda a: np.ceil(_plain(a)), np.ceil, lambda a: (float(math.ceil(a[0])), float(math.ceil(a[1])))
    ),
    "minimum": Operation("min({}, {})", 9, np.minimum, np.minimum, lambda a, b: (min(a[0], b[0]), min(a[1], b[1]))),
    "maximum": Operation("max({}, {})", 9, np.maximum, np.maximum, lambda a, b: (max(a[0], b[0]), max(a[1], b[1]))),
    "less": Operation("{} < {}", 0, lambda a, b: a < b, np.less, lambda a, b: _truth(a[1] < b[0], a[0] >= b[1])),
    "less_equal": Operation(
        "{} <= {}", 0, lambda a, b: a <= b, np.less_equal, lambda a, b: _truth(a[1] <= b[0], a[0] > b[1])
    ),
    "where": Operation("if({}, {}, {})", 9, lambda c, a, b: np.where(c, a, b), _where, _chosen),
}


def operate(name: str, *operands: Any) -> Any:
    """Apply an operation to quantities or arrays, or record it where an operand is a graph node."""
    for operand in operands:
        graph = getattr(operand, "graph", None)
        if graph is not None:
            return graph.operate(name, *operands)
    return OPERATIONS[name].on_quantities(*operands)


def exp(x: V) -> V:
    """E to the power of a dimensionless value."""
    return operate("exp", x)


def log(x: V) -> V:
    """Natural logarithm of a dimensionless value."""
    return operate("log", x)


def ceil(x: V) -> V:
    """The smallest whole number not below a dimensionless value."""
    return operate("ceil", x)


def minimum(a: V, b: V) -> V:
    """The smaller of two values of one kind, element by element."""
    return operate("minimum", a, b)


def maximum(a: V, b: V) -> V:
    """The larger of two values of one kind, element by element."""
    return operate("maximum", a, b)


def where(condition: Any, yes: V, no: V) -> V:
    """`yes` where the condition holds, else `no`; element by element."""
    return operate("where", condition, yes, no)
