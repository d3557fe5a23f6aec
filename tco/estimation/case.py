"""The case being estimated: its records, its graph, and what there is to say about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tco import catalog
from tco.errors import EstimateError
from tco.estimation.choice import NOTHING_CHOSEN, GridChoice
from tco.estimation.costs.choice import NO_CHOICE, CostChoice
from tco.graph import Graph, Input, Node
from tco.grid_intensity import Region
from tco.provenance import DataSet, Source
from tco.records.factor import Factor
from tco.records.figure import Figure
from tco.records.run import Run, Warning_
from tco.records.site import Site
from tco.records.system import System
from tco.units import Quantity

if TYPE_CHECKING:
    from tco.estimation.costs.capital import Plan


class Missing(NamedTuple):
    """A line that could not be estimated, and why.

    Attributes
    ----------
    line
        Name of the line.
    reason
        Why, and what would make it possible.
    needs
        Of a total: the lines at the bottom of it that are missing.
    """

    line: str
    reason: str
    needs: tuple[str, ...] = ()


class Charged(NamedTuple):
    """One piece of a part, how many a node has, and what the line of it says."""

    part: str
    in_a_node: float
    piece: Node
    facts: dict[str, str]


@dataclass
class Case:
    """Everything that the parts of an estimate share while it is built.

    Attributes
    ----------
    run, system, site, region
        The records; system and region are None where nobody named one and none can be told.
    where
        Name of the run for messages: its file.
    year
        Year of the run, for data that change with time; None when it has no date.
    currency
        Currency asked for; None for that of the first price.
    """

    run: Run
    system: System | None
    site: Site
    region: Region | None
    where: str
    stated: Mapping[str, object]
    year: int | None = None
    currency: str | None = None
    #: method of `tco.embodied`; None for what the records publish, and estimates where they do not
    embodied_method: str | None = None
    #: whether the hardware record is the catalogue's, so that its numbers are nobody's statement of this case
    system_assumed: bool = True
    #: what the user chose about grid and site, and where the files of the site record lie
    grid: GridChoice = NOTHING_CHOSEN
    site_folder: Path = Path()
    #: what the user chose about methods and money
    cost: CostChoice = NO_CHOICE
    factor: Factor | None = None
    #: what is bought, once the cost is known
    plan: Plan | None = None
    graph: Graph = field(init=False)
    warnings: list[Warning_] = field(default_factory=list)
    missing: list[Missing] = field(default_factory=list)
    data_sets: list[DataSet] = field(default_factory=list)
    #: inputs that a user could state although this case did not need or have them
    offered: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.graph = Graph(self.stated)
        self.warnings.extend(self.run.warnings)

    def warn(self, code: str, message: str, where: str | None = None) -> None:
        """Put a warning into the result."""
        self.warnings.append(Warning_(code=code, message=message, where=where or self.where))

    def miss(self, line: str, reason: str) -> None:
        """Say that a line is left out, and why; `reason` names what to state."""
        self.missing.append(Missing(line, reason))

    def miss_total(self, line: str, parts: list[str]) -> None:
        """Say that a line is left out because what it is made of is; names the lines at the bottom of it."""
        known = {missing.line: missing.needs for missing in self.missing}
        needs = tuple(dict.fromkeys(leaf for part in parts for leaf in known.get(part) or (part,)))
        self.missing.append(Missing(line, f"it needs {', '.join(needs)}", needs))

    def given(self, name: str, value: Quantity, unit: str, label: str, place: str, **facts: Any) -> Node:
        """An input that the run record states; `place` is its field."""
        source = Source(title=self.where, where=place)
        return self._checked(self.graph.input(name, value, unit, label, Input(source=source), **facts))

    def figure(self, name: str, figure: Figure, unit: str, label: str, *, assumed: bool, **facts: Any) -> Node:
        """An input from a figure of a record."""
        return self._checked(
            self.graph.input(name, figure.quantity(unit), unit, label, figure.given(unit, assumed=assumed), **facts)
        )

    def one_of(
        self,
        name: str,
        unit: str,
        label: str,
        *,
        stated: Figure | None,
        assumed: bool = False,
        default: str | None = None,
        **facts: Any,
    ) -> Node | None:
        """An input that the user states, a record states, or the catalogue has a default for.

        Parameters
        ----------
        name, unit, label
            As in `Graph.input`.
        stated, assumed
            The figure of a record, if it has one, and whether the record is the catalogue's and not the user's.
        default
            Name of the default in the catalogue; None where there is none.

        Returns
        -------
        Node or None
            None when nobody states it and there is no default.
        """
        self.offered.add(name)
        if self.graph.is_stated(name):
            return self._checked(self.graph.input(name, None, unit, label, **facts))
        if stated is not None:
            return self.figure(name, stated, unit, label, assumed=assumed, **facts)
        if default is not None:
            return self.figure(name, catalog.default(default), unit, label, assumed=True, **facts)
        return None

    def _checked(self, node: Node) -> Node:
        """Refuse a value that no such thing in the world has."""
        if node.given is not None and not node.given.assumed:
            bounds = catalog.plausible(node.name)
            if bounds is not None:
                fault = bounds.fault(node.quantity)
                if fault:
                    raise EstimateError(f"{node.name}: {fault}")
        return node
