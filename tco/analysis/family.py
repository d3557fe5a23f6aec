"""An estimate as a function of some of its inputs, each stated as by ``--set``, compiled.

A graph is built by conditions on structure: a run on more than one node has a network, one on a single node has none.
An input whose values change what the graph consists of is found by building the graph at both ends of its values; the
graph is then built anew for each of them, and what is returned is what ``tco estimate --set`` would give, always.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tco.analysis.recipe import Recipe
from tco.compiled import Array, Program
from tco.errors import EstimateError
from tco.estimation import Estimate
from tco.graph import Node
from tco.units import Q, Quantity

#: A graph takes some milliseconds to build; more of them than this is a mistake, or needs another way.
_MOST_GRAPHS = 2000
_SAME = 1e-9


class Family:
    """Estimates of one recipe over values of some inputs.

    Parameters
    ----------
    recipe
        What all of them share.
    values
        For each varied input all the values it takes, shape (n,), in the unit of `units`.
    units
        Unit of those values.
    lines
        Names of lines; where None all of the first estimate, and those that others have besides.

    Attributes
    ----------
    structural
        Inputs whose values change what the estimate consists of.
    units
        Unit of every line and varied input.
    """

    def __init__(
        self,
        recipe: Recipe,
        values: Mapping[str, Array],
        units: Mapping[str, str],
        lines: Sequence[str] | None = None,
    ) -> None:
        self.recipe = recipe.settled()
        self._value_units = dict(units)
        self.vary = tuple(values)
        self._first = {name: float(array[0]) for name, array in values.items()}
        self.example = self._build(self._first)
        self._asked = None if lines is None else list(lines)
        self.units: dict[str, str] = {}
        self.lines: list[str] = []
        self._note(self.example)
        self.structural = self._find_structural(values)
        self._check_lines()
        if self._asked is not None:
            self.lines = [name for name in self._asked if name in self.units]
        self._cache: dict[tuple[float, ...], tuple[Estimate, Program | None]] = {}

    def _quantity(self, name: str, value: float) -> Quantity:
        return Q(value, self._value_units[name])

    def _build(self, point: Mapping[str, float]) -> Estimate:
        return self.recipe.estimate({name: self._quantity(name, value) for name, value in point.items()})

    def _check_lines(self) -> None:
        for name in self._asked or ():
            if name not in self.units:
                self.example[name]  # says why it is missing, or what is near

    def _wanted(self, estimate: Estimate) -> list[str]:
        return [name for name in (self._asked or list(estimate)) if name in estimate]

    def _note(self, estimate: Estimate) -> None:
        """Remember the lines of an estimate and their units."""
        for name in self._wanted(estimate):
            unit = estimate.graph[name].unit
            if self.units.setdefault(name, unit) != unit:
                raise EstimateError(f"{name} is in {self.units[name]} and in {unit}; choose one with --currency")
            if name not in self.lines:
                self.lines.append(name)

    def _find_structural(self, values: Mapping[str, Array]) -> tuple[str, ...]:
        moving = [name for name in self.vary if float(np.ptp(values[name])) > 0]
        program = Program(self.example.graph, self._wanted(self.example), self.vary) if self.vary else None
        found = []
        for name in moving:
            for end in (float(values[name].min()), float(values[name].max())):
                if end == self._first[name]:
                    continue
                point = {**self._first, name: end}
                estimate = self._build(point)
                self._note(estimate)
                same = set(self._wanted(estimate)) == set(self._wanted(self.example))
                if same and program is not None:
                    answers = program({key: np.array([self._to_input(key, value)]) for key, value in point.items()})
                    same = all(
                        math.isclose(answers[line][0], estimate.graph[line].value, rel_tol=_SAME, abs_tol=1e-300)
                        for line in answers
                    )
                if not same:
                    found.append(name)
                    break
        return tuple(found)

    def _node(self, name: str) -> Node:
        return self.example.graph[name]

    def _scale(self, name: str) -> float:
        """Unit of the input over that of the given values."""
        return float(self._quantity(name, 1.0).to(self._node(name).quantity.units).magnitude)

    def _to_input(self, name: str, value: float) -> float:
        return value * self._scale(name)

    def _program(self, key: tuple[float, ...]) -> tuple[Estimate, Program | None]:
        estimate = self._build({**self._first, **dict(zip(self.structural, key, strict=True))}) if key else self.example
        self._note(estimate)
        free = [name for name in self.vary if name not in self.structural]
        return estimate, Program(estimate.graph, self._wanted(estimate), free) if free else None

    def __call__(self, points: Mapping[str, Array]) -> dict[str, Array]:
        """All lines at points.

        Parameters
        ----------
        points
            For each varied input its values, shape (n,), in the unit that was given for it.

        Returns
        -------
        dict
            For each line an array of shape (n,) in its unit; nan where the estimate has no such line.
        """
        n = len(next(iter(points.values()))) if points else 1
        scaled = {name: np.asarray(points[name], dtype=np.float64) * self._scale(name) for name in self.vary}
        if not self.structural:
            return self._evaluate((), scaled, n)
        keys, belongs = _combinations([np.asarray(points[name]) for name in self.structural])
        if len(keys) + len(self._cache) > _MOST_GRAPHS:
            raise EstimateError(
                f"{', '.join(self.structural)}: its values change what the estimate consists of, and it has more than "
                f"{_MOST_GRAPHS:,} of them; take fewer values, or a range on one side of the change"
            )
        results: dict[str, Array] = {}
        for place, key in enumerate(keys):
            rows = np.flatnonzero(belongs == place)
            part = self._evaluate(key, {name: array[rows] for name, array in scaled.items()}, len(rows))
            for name, values in part.items():
                results.setdefault(name, np.full(n, np.nan))[rows] = values
        return results

    def _evaluate(self, key: tuple[float, ...], scaled: Mapping[str, Array], n: int) -> dict[str, Array]:
        if key not in self._cache:
            self._cache[key] = self._program(key)
        estimate, program = self._cache[key]
        if program is None:
            return {name: np.full(n, estimate.graph[name].value) for name in self._wanted(estimate)}
        return program({name: scaled[name] for name in program.vary})


def _combinations(columns: Sequence[Array]) -> tuple[list[tuple[float, ...]], npt.NDArray[np.intp]]:
    """The different rows of some columns, and for each row which of them it is."""
    belongs = np.zeros(len(columns[0]), dtype=np.intp)
    keys: list[tuple[float, ...]] = [()]
    for column in columns:
        values, place = np.unique(column, return_inverse=True)
        both, belongs = np.unique(belongs * len(values) + place, return_inverse=True)
        keys = [(*keys[code // len(values)], float(values[code % len(values)])) for code in both.tolist()]
    return keys, belongs
