"""Expressions of a spreadsheet, each with its value: what formulas give when they are called with cells.

The operations are those of `tco.operations`, so a function that works on quantities and on nodes of a graph writes its
own spreadsheet formula. Only functions of the classic set are used, which Excel and LibreOffice both know.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tco.operations import OPERATIONS


class _Form(NamedTuple):
    """How an operation is written, how tightly it binds, and how tightly its operands must."""

    text: str
    binding: int
    needs: tuple[int, ...]


_WHOLE = 9
#: By the operations of `tco.operations.OPERATIONS`. A comparison is 1 or 0, so that its cell holds a number; rounding
#: up is written with INT, since ROUNDUP goes away from zero below zero.
FORMS: dict[str, _Form] = {
    "add": _Form("{}+{}", 1, (1, 2)),
    "subtract": _Form("{}-{}", 1, (1, 2)),
    "multiply": _Form("{}*{}", 3, (3, 4)),
    "divide": _Form("{}/{}", 3, (3, 4)),
    "same": _Form("{}", 0, (0,)),
    "negative": _Form("0-{}", 1, (2,)),
    "power": _Form("{}^{}", 5, (6, 6)),
    "exp": _Form("EXP({})", _WHOLE, (0,)),
    "log": _Form("LN({})", _WHOLE, (0,)),
    "ceil": _Form("0-INT(0-{})", 1, (2,)),
    "minimum": _Form("MIN({},{})", _WHOLE, (0, 0)),
    "maximum": _Form("MAX({},{})", _WHOLE, (0, 0)),
    "less": _Form("IF({}<{},1,0)", _WHOLE, (1, 1)),
    "less_equal": _Form("IF({}<={},1,0)", _WHOLE, (1, 1)),
    "where": _Form("IF({}<>0,{},{})", _WHOLE, (1, 0, 0)),
}


class Live:
    """An expression of a spreadsheet and its value.

    Parameters
    ----------
    text
        Formula without the equals sign.
    value
        What it is.
    binding
        How tightly its outermost operation binds.
    """

    __slots__ = ("binding", "text", "value")

    def __init__(self, text: str, value: float, binding: int = _WHOLE) -> None:
        self.text, self.value, self.binding = text, value, binding

    @property
    def graph(self) -> type[Expressions]:
        """Where the value operations of formulas are recorded: here."""
        return Expressions

    def inside(self, needs: int) -> str:
        """The text as an operand of something that binds this tightly."""
        return self.text if self.binding >= needs else f"({self.text})"

    def __repr__(self) -> str:
        return f"<={self.text} = {self.value:g}>"

    def __add__(self, other: Any) -> Live:
        return Expressions.operate("add", self, other)

    def __radd__(self, other: Any) -> Live:
        return Expressions.operate("add", other, self)

    def __sub__(self, other: Any) -> Live:
        return Expressions.operate("subtract", self, other)

    def __rsub__(self, other: Any) -> Live:
        return Expressions.operate("subtract", other, self)

    def __mul__(self, other: Any) -> Live:
        return Expressions.operate("multiply", self, other)

    def __rmul__(self, other: Any) -> Live:
        return Expressions.operate("multiply", other, self)

    def __truediv__(self, other: Any) -> Live:
        return Expressions.operate("divide", self, other)

    def __rtruediv__(self, other: Any) -> Live:
        return Expressions.operate("divide", other, self)

    def __pow__(self, other: Any) -> Live:
        return Expressions.operate("power", self, other)

    def __neg__(self) -> Live:
        return Expressions.operate("negative", self)

    def __lt__(self, other: Any) -> Live:
        return Expressions.operate("less", self, other)

    def __le__(self, other: Any) -> Live:
        return Expressions.operate("less_equal", self, other)

    def __gt__(self, other: Any) -> Live:
        return Expressions.operate("less", other, self)

    def __ge__(self, other: Any) -> Live:
        return Expressions.operate("less_equal", other, self)


def number(value: float) -> Live:
    """A number as it stands in a formula."""
    text = repr(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))
    return Live(text, float(value), _WHOLE if value >= 0 else 1)


class Expressions:
    """Takes operations, as a graph does, and writes them down."""

    @staticmethod
    def operate(name: str, *operands: Any) -> Live:
        """An operation on expressions and numbers."""
        lives = [operand if isinstance(operand, Live) else number(float(operand)) for operand in operands]
        form = FORMS[name]
        if name == "same":
            return lives[0]
        text = form.text.format(*(live.inside(needs) for live, needs in zip(lives, form.needs, strict=True)))
        return Live(text, float(OPERATIONS[name].on_arrays(*(live.value for live in lives))), form.binding)


def total(lives: Sequence[Live], text: str | None = None) -> Live:
    """The sum of expressions; `text` is a range that holds them."""
    value = sum(live.value for live in lives)
    return Live(f"SUM({text or ','.join(live.inside(1) for live in lives)})", value)


def net_present_value(first: Live, rate: Live, later: Sequence[Live], text: str) -> Live:
    """A first flow that is not discounted, and later ones, in the range `text`, at the end of each period."""
    value, worth = first.value, 1.0
    for flow in later:
        worth /= 1 + rate.value
        value += flow.value * worth
    return Live(f"{first.inside(1)}+NPV({rate.text},{text})", value, 1)


def close(a: Live, b: Live, tolerance: float) -> Live:
    """1 where two values agree within a part of the larger one, else 0."""
    size = max(abs(a.value), abs(b.value))
    bound = f"{number(tolerance).text}*MAX(ABS({a.text}),ABS({b.text}))"
    holds = float(abs(a.value - b.value) <= tolerance * size)
    return Live(f"IF(ABS({a.text}-{b.inside(2)})<={bound},1,0)", holds)


def all_of(conditions: Sequence[Live]) -> Live:
    """1 where all conditions are 1."""
    return Live(f"MIN({','.join(each.text for each in conditions)})", min(each.value for each in conditions))
