"""Break-even: the value of one input at which a line reaches a target, by brackets on the compiled graph."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tco import catalog
from tco.analysis.columns import heading
from tco.analysis.family import Family
from tco.analysis.recipe import Recipe
from tco.compiled import Array
from tco.errors import EstimateError, UnitError
from tco.estimation import Estimate
from tco.graph import Node
from tco.units import Q, convert, currency, parse_unit, read_quantity, split_number

#: Points looked at in the whole range, and in each bracket at each step that narrows it.
_SCAN, _NARROW = 20001, 1025
#: How far the search goes where nobody says and nothing is known: this many times the value, and this part of it.
_FAR = 1e6
#: A line is at its target within this part of it.
_CLOSE = 1e-12
_STEPS = 40
#: Part of the gap across a bracket that is left of a step, and of nothing else, once the bracket is closed.
_STEP = 1e-6

Away = Callable[[Array], Array]


class Solution(NamedTuple):
    """One answer.

    Attributes
    ----------
    value
        Of the input, in its unit.
    kind
        ``crosses``: the line is below the target on one side; ``touches``: it reaches and does not cross it;
        ``jumps``: a step of the line leaps over the target here; ``from``, ``to``: ends of a range of the input in
        which the line is at the target everywhere.
    reached
        The line there, in its unit.
    """

    value: float
    kind: str
    reached: float


class Solved(NamedTuple):
    """What there is to say of a break-even.

    Attributes
    ----------
    line, line_unit, target, current
        The line, the value it shall have, and the one it has.
    by, by_unit, given
        The input, and its value in the estimate.
    low, high
        Range of the input that was searched.
    solutions
        All that were found, by rising value; none, one or several.
    reached
        Smallest and largest value of the line in the range.
    """

    line: str
    line_unit: str
    target: float
    current: float
    by: str
    by_unit: str
    given: float
    low: float
    high: float
    solutions: tuple[Solution, ...]
    reached: tuple[float, float]

    def to_dict(self) -> dict[str, Any]:
        """As plain data, schema ``tco.solve/1``."""
        data = self._asdict()
        data["solutions"] = [each._asdict() for each in self.solutions]
        data["reached"] = list(self.reached)
        return {"schema": "tco.solve/1", **data}


def solve(
    recipe: Recipe, line: str, target: object, by: str, between: tuple[object, object] | None = None
) -> tuple[Solved, Estimate]:
    """Find the value of an input at which a line reaches a target.

    Parameters
    ----------
    recipe
        The run and its options.
    line, target
        Name of a line and the value it shall have: text with a unit, or a quantity.
    by
        Name of the input.
    between
        Range to search; where None what is plausible for the input, else a wide range around its value.

    Returns
    -------
    tuple of Solved and Estimate
        What was found, and the estimate as it is without it.

    Raises
    ------
    EstimateError
        If the line does not depend on the input, or the estimate changes its parts with it in the range.
    """
    settled = recipe.settled()
    if isinstance(target, str) and settled.options.get("currency") is None:
        money = currency(parse_unit(split_number(target, "kWh")[1]))
        settled = settled.with_options(currency=money)  # who names an amount of dollars wants to see dollars
    plain = settled.estimate()
    end = plain[line]
    node = plain.inputs.get(by)
    if node is None:
        if by in plain:
            raise EstimateError(f"'{by}' is a result, not an input; --by names an input")
        plain.graph[by]  # says what is near
        raise AssertionError
    goal = _in_unit(target, end.unit, line)
    low, high = _range(node, between)
    family = Family(settled, {by: np.array([node.value, low, high])}, {by: node.unit}, [line])
    if family.structural:
        raise EstimateError(
            f"{by} changes what the estimate consists of between {low:g} and {heading(f'{high:g}', node.unit)}; search "
            "on one side of the change with --between LOW:HIGH"
        )

    def away(values: Array) -> Array:
        return family({by: values})[line] - goal

    points = _points(low, high)
    values = family({by: points})[line]
    off = values - goal
    reached = (float(np.nanmin(values)), float(np.nanmax(values)))
    if reached[0] == reached[1] and reached[0] != goal:
        raise EstimateError(f"{line} does not depend on {by}: it is {end.value:.6g} {end.unit} for any value of it")
    solutions = tuple(
        Solution(value, kind, goal + distance) for value, kind, distance in roots(away, points, off, goal)
    )
    solved = Solved(line, end.unit, goal, end.value, by, node.unit, node.value, low, high, solutions, reached)
    return solved, plain


def parse_between(text: str) -> tuple[object, object]:
    """``LOW:HIGH`` with a unit behind it or not, as the two ends."""
    low, colon, rest = text.partition(":")
    if not colon:
        raise EstimateError(f"--between '{text}': write two ends, for instance 1.0:2.0 or '0.1:0.3 EUR/kWh'")
    number, unit = split_number(rest, "kW")
    return f"{low} {unit}".strip(), f"{number!r} {unit}".strip()


def _in_unit(target: object, unit: str, line: str) -> float:
    try:
        return float(convert(read_quantity(target, unit), unit).magnitude)
    except UnitError as error:
        raise UnitError(f"{line}: {error}") from None


def _range(node: Node, between: tuple[object, object] | None) -> tuple[float, float]:
    if between is not None:
        low, high = (_in_unit(_in_own_unit(end, node.unit), node.unit, node.name) for end in between)
        if not low < high:
            raise EstimateError(f"--between {low:g}:{high:g} {node.unit}: the first end must be below the second")
        return low, high
    bounds = catalog.plausible(node.name)
    low, high = 0.0, max(abs(node.value), 1.0) * _FAR
    if bounds is not None:
        try:
            known = [None if end is None else float(convert(Q(end, bounds.unit), node.unit).magnitude) for end in
                     (bounds.minimum, bounds.above, bounds.maximum)]  # fmt: skip
        except UnitError:  # bounds in another currency
            known = [None, None, None]
        low = next((end for end in known[:2] if end is not None), low)
        high = high if known[2] is None else known[2]
        if known[1] is not None:
            low = max(low, (high - low) / _FAR)  # the bound itself is impossible
    elif node.value:
        low = abs(node.value) / _FAR
    return low, high


def _in_own_unit(end: object, unit: str) -> object:
    """An end without a unit is in the unit of the input."""
    if isinstance(end, int | float):
        return f"{end!r} {unit}" if unit != "1" else end
    if isinstance(end, str) and not split_number(end, unit)[1] and unit != "1":
        return f"{end} {unit}"
    return end


def _points(low: float, high: float) -> Array:
    """Where to look: evenly, and by equal ratios where the range spans several powers of ten."""
    points = np.linspace(low, high, _SCAN)
    if high > 0 and high > 100 * max(low, 0.0):
        first = low if low > 0 else high / _FAR**2
        points = np.union1d(points, np.geomspace(first, high, _SCAN))
    return points


def roots(away: Away, points: Array, off: Array, goal: float) -> list[tuple[float, str, float]]:
    """Where a function of one value is 0: value, kind (see `Solution`), and what it is there.

    Parameters
    ----------
    away
        The function, on arrays.
    points, off
        Rising points, and the function there.
    goal
        Scale for what counts as 0.
    """
    near = _CLOSE * max(abs(goal), float(np.nanmax(np.abs(off))) * _CLOSE)
    sign = np.where(np.abs(off) <= near, 0, np.sign(off)).astype(int)
    last = len(points) - 1
    found: list[tuple[float, str, float]] = []
    zero = np.flatnonzero(sign == 0)
    for run in np.split(zero, np.flatnonzero(np.diff(zero) > 1) + 1) if len(zero) else []:
        first, end = int(run[0]), int(run[-1])
        if first < end:  # at the target everywhere between
            begin = points[first] if first == 0 else _edge(away, points[first], points[first - 1], near)
            until = points[end] if end == last else _edge(away, points[end], points[end + 1], near)
            found += [(float(begin), "from", 0.0), (float(until), "to", 0.0)]
            continue
        inside = 0 < first < last
        kind = "touches" if inside and sign[first - 1] == sign[first + 1] else "crosses"
        found.append((float(points[first]), kind, float(off[first])))
    found += [
        _crossing(away, (float(points[place]), float(points[place + 1])), off[place : place + 2])
        for place in np.flatnonzero(sign[:-1] * sign[1:] < 0)
    ]
    size = np.abs(off)
    for place in np.flatnonzero((size[1:-1] < size[:-2]) & (size[1:-1] < size[2:])) + 1:
        if sign[place - 1] == sign[place] == sign[place + 1] != 0:
            touching = _touching(away, float(points[place - 1]), float(points[place + 1]), near)
            if touching is not None:
                found.append(touching)
    return sorted(found)


def _edge(away: Away, inside: float, outside: float, near: float) -> float:
    """The last value, seen from `inside`, at which a function is 0."""
    for _ in range(_STEPS):
        points = np.linspace(inside, outside, _NARROW)
        beyond = int(np.argmax(np.abs(away(points)) > near))
        narrowed = float(points[beyond - 1]), float(points[beyond])
        if narrowed == (inside, outside):
            break
        inside, outside = narrowed
    return inside


def _crossing(away: Away, bracket: tuple[float, float], ends: Array) -> tuple[float, str, float]:
    """Narrow a bracket, many points at a time, until nothing lies between its ends."""
    low, high = bracket
    values = ends
    for _ in range(_STEPS):
        points = np.unique(np.linspace(low, high, _NARROW))
        if len(points) < 3:
            break
        off = away(points)
        exact = np.flatnonzero(off == 0)
        if len(exact):
            return float(points[exact[0]]), "crosses", 0.0
        turn = int(np.flatnonzero(np.sign(off[:-1]) != np.sign(off[1:]))[0])
        low, high, values = float(points[turn]), float(points[turn + 1]), off[turn : turn + 2]
    # The gap between the ends closes with the bracket, but for a step.
    jumps = abs(values[1] - values[0]) > _STEP * abs(ends[1] - ends[0])
    best = 1 if jumps else int(np.argmin(np.abs(values)))
    return (low, high)[best], "jumps" if jumps else "crosses", float(values[best])


def _touching(away: Away, low: float, high: float, near: float) -> tuple[float, str, float] | None:
    """The point nearest to 0 between two others, if it is 0."""
    value = distance = math.nan
    for _ in range(_STEPS):
        points = np.unique(np.linspace(low, high, _NARROW))
        off = np.abs(away(points))
        place = int(np.argmin(off))
        value, distance = float(points[place]), float(off[place])
        narrowed = float(points[max(place - 1, 0)]), float(points[min(place + 1, len(points) - 1)])
        if narrowed == (low, high) or distance == 0:
            break
        low, high = narrowed
    return (value, "touches", distance) if distance <= near * 10 else None
