"""Pareto fronts: the points that nothing else beats in both of two lines, where less is better."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tco.compiled import Array


def pareto_front(first: Array, second: Array) -> npt.NDArray[np.intp]:
    """Places of the points that no other point is below in one line and not above in the other.

    Parameters
    ----------
    first, second
        Two lines, shape (n,); nan is never on the front.

    Returns
    -------
    numpy.ndarray
        Places, by rising `first`; of equal points the earliest.
    """
    known = np.flatnonzero(~(np.isnan(first) | np.isnan(second)))
    order = known[np.lexsort((known, second[known], first[known]))]
    if not len(order):
        return order
    best_before = np.concatenate(([np.inf], np.minimum.accumulate(second[order])[:-1]))
    return order[second[order] < best_before]


class Front:
    """The Pareto front of points that come in chunks.

    Parameters
    ----------
    first, second
        Names of the two lines.
    """

    def __init__(self, first: str, second: str) -> None:
        self.first, self.second = first, second
        self.points: dict[str, npt.NDArray[np.generic]] = {}

    def add(self, chunk: dict[str, npt.NDArray[np.generic]]) -> None:
        """Take the next points: columns of shape (n,) by name."""
        merged = {
            name: np.concatenate([self.points[name], column]) if self.points else column
            for name, column in chunk.items()
        }
        keep = pareto_front(merged[self.first].astype(np.float64), merged[self.second].astype(np.float64))
        self.points = {name: column[keep] for name, column in merged.items()}
