"""The result: lines, inputs, warnings, and how each number came about."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tco.errors import EstimateError, did_you_mean
from tco.estimation.case import Case, Missing
from tco.estimation.costs.money import check_costs
from tco.estimation.readings import Group
from tco.graph import Graph, Node
from tco.grid_intensity import Region
from tco.provenance import DataSet
from tco.records.run import Run, Warning_
from tco.records.site import Site
from tco.records.system import System
from tco.units import Quantity, convert

if TYPE_CHECKING:
    import pandas as pd

    from tco.analysis.sampling import Sample, Sampled
    from tco.analysis.sensitivity import Sensitivity
    from tco.compiled import Program
    from tco.estimation.costs.capital import Plan

SCHEMA = "tco.estimate/1"


class Line(NamedTuple):
    """One result.

    Attributes
    ----------
    name, label, unit
        Dotted name, what it is in words, unit shown to people.
    quantity
        The value in `unit`.
    low, high
        Range in `unit`, every assumed input at whichever end of its range is worst.
    facts
        Stage, scope, method, boundary and the like, where the line has them.
    parts
        Names of the lines that add up to it.
    """

    name: str
    label: str
    unit: str
    quantity: Quantity
    low: float
    high: float
    facts: Mapping[str, Any]
    parts: tuple[str, ...]

    @property
    def value(self) -> float:
        """Magnitude in `unit`."""
        return float(self.quantity.magnitude)


class Estimate:
    """What a run costs and emits, with every input, its source and its range.

    Made by `estimate`; a mapping-like view of its lines: ``est["carbon.total"].value``.

    Attributes
    ----------
    graph
        The calculation graph.
    run, system, site, region
        The records that went in; system and region are None where they are not known.
    warnings, missing
        What a reader should know, and the lines that could not be estimated with the reason.
    readings
        The energies that the run record holds, by boundary; the first one was used.
    data_sets
        Data sets that were used, with release and hash.
    plan
        What is bought: prices, pieces and lives; None where no price is known.
    """

    def __init__(self, case: Case, readings: Sequence[Group]) -> None:
        check_costs(case.graph)
        self.graph: Graph = case.graph
        self.run: Run = case.run
        self.system: System | None = case.system
        self.site: Site = case.site
        self.region: Region | None = case.region
        self.where: str = case.where
        self.warnings: tuple[Warning_, ...] = tuple(case.warnings)
        self.missing: tuple[Missing, ...] = tuple(case.missing)
        self.readings: tuple[Group, ...] = tuple(readings)
        self.data_sets: tuple[DataSet, ...] = tuple(case.data_sets)
        self.plan: Plan | None = case.plan

    def __getitem__(self, name: str) -> Line:
        lines = {node.name: node for node in self.graph.lines()}
        if name not in lines:
            for missing in self.missing:
                if missing.line == name:
                    raise EstimateError(f"'{name}' is not in this estimate: {missing.reason}")
            raise EstimateError(f"'{name}' is not a line of this estimate{did_you_mean(name, lines)}")
        return self._line(lines[name])

    def __iter__(self) -> Iterator[str]:
        return (node.name for node in self.graph.lines())

    def __contains__(self, name: object) -> bool:
        return any(node.name == name for node in self.graph.lines())

    def value(self, name: str, unit: str) -> float:
        """Value of a line, or of an input, in a unit of your choice."""
        return float(convert(self.graph[name].quantity, unit).magnitude)

    @property
    def lines(self) -> dict[str, Line]:
        """All results by name, in the order in which they rest on each other."""
        return {node.name: self._line(node) for node in self.graph.lines()}

    @property
    def inputs(self) -> dict[str, Node]:
        """All inputs by name; ``node.given`` holds range, source and whether it is assumed."""
        return {node.name: node for node in self.graph.inputs()}

    def _line(self, node: Node) -> Line:
        low, high = self.graph.range_of(node.name)
        parts = tuple(part.name for part in node.parts)
        return Line(node.name, node.label, node.unit, node.quantity, low, high, node.facts, parts)

    def explain(self, name: str) -> str:
        """The derivation of one line as text: formulas, values, sources, what was assumed."""
        from tco.reports.explain import explain

        return explain(self, name)

    def program(self, lines: Sequence[str], vary: Sequence[str]) -> Program:
        """The lines as a compiled function of some inputs, for samples and sweeps."""
        from tco.compiled import Program

        return Program(self.graph, lines, vary)

    def sample(self, n: int, *, seed: int = 1, method: str = "random", lines: Sequence[str] | None = None) -> Sample:
        """Draw every input that has a range, and evaluate the lines: an array of shape (n,) for each.

        Parameters
        ----------
        n, seed
            How many samples, from which seed; the same seed gives the same samples.
        method
            ``random``, ``latin`` (a Latin hypercube) or ``sobol`` (a power of 2 of Sobol' points).
        lines
            Names of lines; all where None.
        """
        from tco.analysis.sampling import sample

        return sample(self.graph, lines, n=n, seed=seed, method=method)

    def spread(self, n: int, *, seed: int = 1, method: str = "random", lines: Sequence[str] | None = None) -> Sampled:
        """Mean, percentiles and histogram of the lines over samples that are not kept; arguments as for `sample`."""
        from tco.analysis.sampling import spread

        return spread(self.graph, lines, n=n, seed=seed, method=method)

    def sensitivity(self, line: str, *, sobol: int | None = None, seed: int = 1) -> Sensitivity:
        """The inputs of a line by their influence; with `sobol` base points also Sobol' indices."""
        from tco.analysis.sensitivity import sensitivity

        if line not in self.graph.named:
            self[line]  # says why it is missing, or what is near
        return sensitivity(self.graph, line, sobol=sobol, seed=seed)

    def to_frame(self) -> pd.DataFrame:
        """The lines as a data frame, one row each, by name: value, unit, range, and what the line says of itself."""
        from tco.reports.frame import to_frame

        return to_frame(self)

    def _repr_html_(self) -> str:
        from tco.reports.notebook import estimate_html

        return estimate_html(self)

    def to_dict(self) -> dict[str, Any]:
        """The estimate as plain data, schema ``tco.estimate/1``."""
        from tco import __version__

        def input_data(node: Node) -> dict[str, Any]:
            given = node.given
            assert given is not None
            return {
                "value": node.value,
                "unit": node.unit,
                "low": given.low,
                "high": given.high,
                "assumed": given.assumed,
                "label": node.label,
                "source": given.source.model_dump(exclude_none=True) if given.source else None,
                **({"distribution": given.distribution} if given.distribution else {}),
                **({"samples": list(given.samples)} if given.samples else {}),
                **({"note": given.note} if given.note else {}),
                **node.facts,
            }

        def line_data(line: Line) -> dict[str, Any]:
            data = {"value": line.value, "unit": line.unit, "low": line.low, "high": line.high, "label": line.label}
            return {**data, **line.facts, **({"parts": list(line.parts)} if line.parts else {})}

        region = self.region
        used = self.readings[0]
        return {
            "schema": SCHEMA,
            "run": self.run.model_dump(mode="json", exclude_none=True, by_alias=True),
            "system": self.system.name if self.system else None,
            "region": {"id": region.id, "name": region.name, "kind": region.kind} if region else None,
            "lines": {name: line_data(line) for name, line in self.lines.items()},
            "missing": [{"line": missing.line, "reason": missing.reason} for missing in self.missing],
            "inputs": {name: input_data(node) for name, node in self.inputs.items()},
            "readings": [
                {
                    "boundary": group.boundary,
                    "how": group.how,
                    "energy": {"value": group.energy_kwh, "unit": "kWh"},
                    "share_of_used": group.energy_kwh / used.energy_kwh if used.energy_kwh else None,
                    "used": group is used,
                }
                for group in self.readings
            ],
            "warnings": [warning.model_dump(exclude_none=True) for warning in self.warnings],
            "data": [data_set.model_dump() for data_set in self.data_sets],
            "tool": {"name": "tco", "version": __version__},
        }

    def to_json(self) -> str:
        """The estimate as JSON text, numbers at full precision."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def __repr__(self) -> str:
        lines, inputs = len(self.graph.lines()), len(self.graph.inputs())
        return f"<Estimate of {self.run.name or self.where}: {lines} lines, {inputs} inputs>"
