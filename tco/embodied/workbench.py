"""Where a method calculates: a graph, and the coefficients of the catalogue as inputs of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from tco.catalog.coefficients import coefficient
from tco.embodied.model import EmbodiedError
from tco.graph import Graph, Input, Node
from tco.provenance import Source
from tco.records.fields import In
from tco.records.figure import Figure
from tco.units import Q

#: Words in the names of inputs that are shares, more than 0 and at most 1.
_SHARES = ("yield", "abatement", "bonding")


@dataclass(frozen=True)
class Options:
    """What a user may choose for all methods.

    Attributes
    ----------
    fab
        Electricity of the fab: a place with the vintage of the table (``taiwan-2022``), or a source (``wind``). None
        for that of the catalogue.
    yield_model
        How the share of good dies follows from area and defects, in the method that asks for it.
    hbm
        Row of the table of stacked memory to take in place of the default.
    building
        Whether the share of the building is added to the node.
    """

    fab: str | None = None
    yield_model: str = "negative-binomial"
    hbm: str | None = None
    building: bool = False


@dataclass
class Workbench:
    """The graph that a method calculates on, and how it gets its inputs.

    Attributes
    ----------
    graph
        Inputs and lines of the calculation; values that the user states replace inputs of the same name.
    options
        Choices of the user.
    assumed
        Whether the hardware record is nobody's statement of this case.
    """

    graph: Graph
    options: Options = field(default_factory=Options)
    assumed: bool = True
    #: results that several parts share, by name: emissions per area of a process node
    shared: dict[str, Node] = field(default_factory=dict)

    def figure(self, name: str, figure: Figure, unit: str, label: str) -> Node:
        """An input from a figure of a hardware record."""
        given = figure.given(unit, assumed=self.assumed)
        return self._checked(self.graph.input(name, figure.quantity(unit), unit, label, given))

    def coefficient(self, name: str, figure: Figure, unit: str, label: str) -> Node:
        """An input from a figure of the catalogue; it is nobody's statement of this case."""
        return self._checked(
            self.graph.input(name, figure.quantity(unit), unit, label, figure.given(unit, assumed=True))
        )

    def stated(self, name: str, unit: str, label: str) -> Node | None:
        """An input that only the user can give, or None where none was given."""
        return self._checked(self.graph.input(name, None, unit, label)) if self.graph.is_stated(name) else None

    def row(self, name: str, file: str, table: str, key: str | None, unit: str, label: str) -> Node:
        """An input from a row of a table of coefficients, or from a single figure of its file."""
        return self.coefficient(name, coefficient(file, table, key), unit, label)

    def number(self, name: str, value: float, label: str, where: str) -> Node:
        """An input without unit that the structure of a record gives: a count."""
        return self._checked(self.graph.input(name, Q(value, "1"), "1", label, Input(source=Source(title=where))))

    def _checked(self, node: Node) -> Node:
        """Refuse a stated value that no such thing has: records are checked when they are read."""
        if self.graph.is_stated(node.name):
            share = node.unit == "1" and any(word in node.name for word in _SHARES)
            bounds = In("1", above=0, at_most=1) if share else In(node.unit, at_least=0)
            try:
                bounds.check(node.value)
            except ValueError as error:
                raise EmbodiedError(f"{node.name}: {error}") from None
        return node
