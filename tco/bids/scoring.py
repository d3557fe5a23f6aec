"""Points of bids by the rules of a tender: the same code for numbers, arrays of samples, and cells of a sheet."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from tco.bids.records import Criterion
from tco.formulas import award
from tco.operations import maximum, minimum, operate, where

#: A value that no bid has: it never is the lowest.
_NEVER = 1e300


class Totals(NamedTuple):
    """Of each bid whether it is admitted, its points by criterion (shape criteria x bids), and their weighted sum."""

    admitted: list[Any]
    points: list[list[Any]]
    total: list[Any]


def holds(value: Any, criterion: Criterion) -> Any:
    """Whether a mandatory criterion is met: 1 or 0."""
    if criterion.at_most is not None:
        return operate("less_equal", value, criterion.at_most)
    return operate("less_equal", criterion.at_least, value)


def best_of(values: Sequence[Any], admitted: Sequence[Any], *, lowest: bool) -> Any:
    """The lowest or the highest value of the bids that are admitted; what is not stated (None) does not count."""
    known = [(value, is_in) for value, is_in in zip(values, admitted, strict=True) if value is not None]
    if lowest:
        return reduce(minimum, [where(is_in, value, value * 0 + _NEVER) for value, is_in in known])
    return reduce(maximum, [where(is_in, value, value * 0) for value, is_in in known])


def points_of(value: Any, best: Any, criterion: Criterion, most: float) -> Any:
    """Points by the rule of a criterion."""
    if criterion.rule == "lowest":
        return award.points_of_lowest(value, best, most)
    if criterion.rule == "highest":
        return award.points_of_highest(value, best, most)
    return award.points_between(value, criterion.full, criterion.none, most)


def award_points(
    values: Sequence[Sequence[Any]],
    bounded: Sequence[Sequence[Any]],
    awards: Sequence[Criterion],
    bounds: Sequence[Criterion],
    most: float,
    late: Sequence[bool],
) -> Totals:
    """Points of all bids.

    Parameters
    ----------
    values
        By award criterion and bid: a number, an array of samples, or None where the bid has none.
    bounded
        The same by mandatory criterion.
    awards, bounds
        The criteria.
    most
        Most points of one criterion.
    late
        By bid whether it delivers too late, which shuts it out.

    Returns
    -------
    Totals
        A bid without a value that a mandatory criterion needs is not admitted; without one that an award criterion
        needs it gets no points for it.
    """
    count = len(late)
    admitted: list[Any] = []
    for place in range(count):
        tests = [np.asarray(not late[place])]
        tests += [
            np.asarray(False) if row[place] is None else holds(row[place], criterion)
            for row, criterion in zip(bounded, bounds, strict=True)
        ]
        admitted.append(reduce(np.logical_and, tests))
    points = []
    for row, criterion in zip(values, awards, strict=True):
        if all(value is None for value in row):
            points.append([np.asarray(0.0)] * count)
            continue
        best = best_of(row, admitted, lowest=criterion.rule == "lowest")
        points.append(
            [
                np.asarray(0.0) if value is None else award.counted(is_in, points_of(value, best, criterion, most))
                for value, is_in in zip(row, admitted, strict=True)
            ]
        )
    total = [
        reduce(
            lambda a, b: a + b,
            [award.weighted(row[place], criterion.weight) for row, criterion in zip(points, awards, strict=True)],
            np.asarray(0.0),
        )
        for place in range(count)
    ]
    return Totals(admitted, points, total)
