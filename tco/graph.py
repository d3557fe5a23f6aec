"""The calculation graph: named inputs, derived quantities, and the operations between them.

A formula is an ordinary function on quantities. Called with nodes of a graph it computes the same value, checks the
same units, and leaves behind what was done, so that one calculation gives the number, its explanation, its range, a
vectorised program (`tco.compiled`) and a spreadsheet. The graph knows nothing of carbon or money.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NoReturn

import pint

from tco.errors import EstimateError, UnitError, did_you_mean
from tco.operations import OPERATIONS, Range
from tco.provenance import Source
from tco.spread import read_stated
from tco.units import Q, Quantity, convert, in_own_currency, kind, show


@dataclass(frozen=True, slots=True)
class Input:
    """What is known of an input beside its value.

    Attributes
    ----------
    low, high
        Range in the unit of the node, or None where none is known.
    distribution, samples
        How the input varies, see `tco.spread.DISTRIBUTIONS`; None where nothing but the range is known.
    source
        Where the value was read; None for a value that the user stated.
    assumed
        True when nobody stated the value for this case.
    note
        What a reader should know of it: boundary, convention, doubt.
    """

    low: float | None = None
    high: float | None = None
    source: Source | None = None
    assumed: bool = False
    note: str = ""
    distribution: str | None = None
    samples: tuple[float, ...] = ()


@dataclass(slots=True, eq=False)
class Node:
    """One quantity of a graph.

    Attributes
    ----------
    operation
        Name in `tco.operations.OPERATIONS`, or ``input``, ``constant``.
    quantity
        The value with its unit, in `unit` for named nodes.
    name, unit, label
        Dotted name, unit shown to people, what it is in words; empty for intermediate nodes.
    parts
        Of a total: the named nodes that add up to it.
    facts
        What else a line says of itself (stage, scope, method, boundary ...), kept as given.
    """

    graph: Graph
    index: int
    operation: str
    operands: tuple[Node, ...]
    quantity: Quantity
    name: str = ""
    unit: str = ""
    label: str = ""
    given: Input | None = None
    parts: tuple[Node, ...] = ()
    formula: Callable[..., Any] | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def value(self) -> float:
        """Magnitude in the unit shown to people."""
        return float(self.quantity.magnitude)

    def text(self, *, follow_name: bool = False) -> str:
        """The node as a formula over named nodes; its own name, unless `follow_name`."""
        if self.name and not follow_name:
            return self.name
        if self.operation == "input":
            return self.name
        if self.operation == "constant":
            return show(self.quantity).strip("'")
        operation = OPERATIONS[self.operation]
        written = []
        for position, operand in enumerate(self.operands):
            inner = operand.text()
            if not operand.name and operand.operands and operation.binding < 9:
                binding = OPERATIONS[operand.operation].binding
                right_hand = position == 1 and self.operation in ("subtract", "divide")
                if binding < operation.binding or (right_hand and binding == operation.binding):
                    inner = f"({inner})"
            written.append(inner)
        return operation.text.format(*written)

    def __repr__(self) -> str:
        return f"<{self.text()} = {show(self.quantity)}>"

    def __bool__(self) -> bool:
        raise TypeError(f"'{self.text()}' is a value of a graph: choose with where(condition, yes, no), not with if")

    def __add__(self, other: Any) -> Node:
        return self.graph.operate("add", self, other)

    def __radd__(self, other: Any) -> Node:
        return self.graph.operate("add", other, self)

    def __sub__(self, other: Any) -> Node:
        return self.graph.operate("subtract", self, other)

    def __rsub__(self, other: Any) -> Node:
        return self.graph.operate("subtract", other, self)

    def __mul__(self, other: Any) -> Node:
        return self.graph.operate("multiply", self, other)

    def __rmul__(self, other: Any) -> Node:
        return self.graph.operate("multiply", other, self)

    def __truediv__(self, other: Any) -> Node:
        return self.graph.operate("divide", self, other)

    def __rtruediv__(self, other: Any) -> Node:
        return self.graph.operate("divide", other, self)

    def __pow__(self, other: Any) -> Node:
        return self.graph.operate("power", self, other)

    def __neg__(self) -> Node:
        return self.graph.operate("negative", self)

    def __lt__(self, other: Any) -> Node:
        return self.graph.operate("less", self, other)

    def __le__(self, other: Any) -> Node:
        return self.graph.operate("less_equal", self, other)

    def __gt__(self, other: Any) -> Node:
        return self.graph.operate("less", other, self)

    def __ge__(self, other: Any) -> Node:
        return self.graph.operate("less_equal", other, self)


@lru_cache(maxsize=1024)
def base_factor(unit: Any) -> float:
    """What one of `unit` is in base units."""
    return float(Q(1.0, unit).to_base_units().magnitude)


class Graph:
    """Named inputs and what is computed from them.

    Parameters
    ----------
    stated
        Values that replace those of the inputs of the same name: quantities, text with a unit, ``{value, unit}``,
        or a number for a dimensionless input; with a range where it has one, see `tco.spread.read_stated`.
    """

    def __init__(self, stated: Mapping[str, object] | None = None) -> None:
        self.nodes: list[Node] = []
        self.named: dict[str, Node] = {}
        self._stated = dict(stated or {})
        self._used: set[str] = set()
        self._ranges: tuple[int, list[Range]] = (0, [])

    # ---- building -------------------------------------------------------------------------------------------------

    def is_stated(self, name: str) -> bool:
        """Whether the user stated a value for the input `name`."""
        return name in self._stated

    def input(
        self, name: str, value: Quantity | None, unit: str, label: str = "", given: Input | None = None, **facts: Any
    ) -> Node:
        """Add an input, or return it where it is there already.

        Parameters
        ----------
        name
            Dotted name, the same everywhere: ``site.pue``.
        value
            Its quantity; None where only a stated value will do.
        unit
            Unit shown to people; ``money`` in it stands for the value's own currency.
        label
            What it is, in words.
        given
            Range, source and whether it is assumed.

        Raises
        ------
        UnitError
            If the value is of another kind than `unit`.
        """
        if name in self.named:
            return self.named[name]
        if name in self._stated:
            self._used.add(name)
            try:
                value, spread = read_stated(self._stated[name], unit)
            except UnitError as error:
                raise UnitError(f"{name}: {error}") from None
            given = Input(note="stated", **spread._asdict())
        if value is None:
            raise EstimateError(f"{name} is needed; state it, for instance --set {name}='5 {unit}'")
        quantity = convert(value, unit)
        node = self._add("input", (), quantity)
        node.name, node.label, node.given, node.facts = name, label, given or Input(), facts
        node.unit = in_own_currency(quantity, unit)
        self.named[name] = node
        return node

    def line(
        self,
        name: str,
        result: Node,
        unit: str,
        label: str = "",
        *,
        by: Callable[..., Any] | None = None,
        **facts: Any,
    ) -> Node:
        """Give the result of a formula a name: a line that people read.

        Parameters
        ----------
        name
            Dotted name.
        result
            What the formula returned when called with nodes.
        unit
            Unit shown to people; ``money`` in it stands for the result's own currency.
        label
            What it is, in words.
        by
            The formula, whose documentation explains the line.
        facts
            What else the line says of itself: stage, scope, method, boundary ...
        """
        if name in self.named:
            raise ValueError(f"the graph has a node {name!r} already")
        if result.name:  # an input or another line handed through: the line gets a node of its own
            result = self.operate("same", result)
        result.quantity = convert(result.quantity, unit)
        result.name, result.label, result.formula, result.facts = name, label, by, facts
        result.unit = in_own_currency(result.quantity, unit)
        self.named[name] = result
        return result

    def total(self, name: str, parts: Sequence[Node], unit: str, label: str = "", **facts: Any) -> Node:
        """A line that is the sum of other lines, and knows them."""
        result = parts[0]
        for part in parts[1:]:
            result = result + part
        node = self.line(name, result, unit, label, **facts)
        node.parts = tuple(parts)
        return node

    def operate(self, name: str, *operands: Any) -> Node:
        """Record one operation; its units are checked here.

        Raises
        ------
        UnitError
            Naming both operands by their labels, when their units do not fit.
        """
        nodes = tuple(self._node(operand) for operand in operands)
        try:
            quantity = OPERATIONS[name].on_quantities(*(node.quantity for node in nodes))
        except pint.DimensionalityError:
            self._refuse(name, nodes)
        return self._add(name, nodes, quantity if hasattr(quantity, "units") else Q(float(quantity), "1"))

    def _refuse(self, name: str, nodes: tuple[Node, ...]) -> NoReturn:
        texts = [f"{node.text()} ({kind(node.quantity)}, in '{node.quantity.units:~C}')" for node in nodes]
        if len(nodes) == 1:
            raise UnitError(f"{OPERATIONS[name].text.format(nodes[0].text())}: {texts[0]} must be a plain number")
        verb = {"add": "add", "subtract": "subtract", "less": "compare", "less_equal": "compare"}.get(
            name, f"take {name} of"
        )
        raise UnitError(f"cannot {verb} {' and '.join(texts[-2:])}")

    def _node(self, operand: Any) -> Node:
        if isinstance(operand, Node):
            if operand.graph is not self:
                raise ValueError(f"'{operand.text()}' belongs to another graph")
            return operand
        quantity = operand if hasattr(operand, "units") else Q(float(operand), "1")
        return self._add("constant", (), quantity)

    def _add(self, operation: str, operands: tuple[Node, ...], quantity: Quantity) -> Node:
        node = Node(self, len(self.nodes), operation, operands, quantity)
        self.nodes.append(node)
        return node

    def check_all_stated_used(self, also_known: Sequence[str] = ()) -> None:
        """Refuse stated values that no input took.

        Raises
        ------
        EstimateError
            Naming the unknown input, the nearest known one, and all inputs of the estimate.
        """
        for name in self._stated:
            if name in self._used:
                continue
            inputs = [node.name for node in self.inputs()]
            if name in self.named:
                raise EstimateError(f"'{name}' is a result, not an input; inputs here: {', '.join(sorted(inputs))}")
            hint = did_you_mean(name, [*inputs, *also_known])
            raise EstimateError(
                f"'{name}' is not an input of this estimate{hint} Inputs here: {', '.join(sorted(inputs))}"
            )

    # ---- reading --------------------------------------------------------------------------------------------------

    def inputs(self) -> list[Node]:
        """The inputs, in the order they were added."""
        return [node for node in self.named.values() if node.operation == "input"]

    def lines(self) -> list[Node]:
        """The derived quantities with a name, in the order they were added."""
        return [node for node in self.named.values() if node.operation != "input"]

    def __getitem__(self, name: str) -> Node:
        try:
            return self.named[name]
        except KeyError:
            raise EstimateError(f"'{name}' is not in this estimate{did_you_mean(name, self.named)}") from None

    def needed_for(self, nodes: Sequence[Node]) -> list[Node]:
        """The nodes themselves and all that they are computed from, operands first."""
        wanted: set[int] = set()
        stack = list(nodes)
        while stack:
            node = stack.pop()
            if node.index not in wanted:
                wanted.add(node.index)
                stack.extend(node.operands)
        return [self.nodes[index] for index in sorted(wanted)]

    def derivation(self, name: str) -> Iterator[Node]:
        """The named nodes that `name` rests on, each once, operands before what uses them, `name` last."""
        yield from (node for node in self.needed_for([self[name]]) if node.name)

    def range_of(self, name: str) -> Range:
        """Low and high of a node in its unit, every input at whichever end of its range is worst.

        The range is an outer bound: it holds whatever the inputs do inside theirs. It is wider than a confidence
        interval, and it always contains the value.
        """
        node = self[name]
        count, ranges = self._ranges
        if count != len(self.nodes):
            ranges = self._all_ranges()
            self._ranges = (len(self.nodes), ranges)
        low, high = ranges[node.index]
        if low == high:
            return node.value, node.value
        factor = base_factor(node.quantity.units)
        return min(low / factor, node.value), max(high / factor, node.value)

    def _all_ranges(self) -> list[Range]:
        ranges: list[Range] = []
        for node in self.nodes:
            if node.operands:
                ranges.append(OPERATIONS[node.operation].on_ranges(*(ranges[o.index] for o in node.operands)))
                continue
            factor, value, given = base_factor(node.quantity.units), node.value, node.given or Input()
            low = value if given.low is None else min(given.low, value)
            high = value if given.high is None else max(given.high, value)
            ranges.append((low * factor, high * factor))
        return ranges
