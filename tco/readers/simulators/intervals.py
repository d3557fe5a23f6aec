"""Unions of intervals: how long at least one of many things happens at the same time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def union(spans: NDArray[np.float64]) -> NDArray[np.float64]:
    """The intervals (start, end), shape (n, 2), merged where they touch; sorted, shape (m, 2)."""
    if not len(spans):
        return spans.reshape(0, 2)
    order = spans[np.argsort(spans[:, 0], kind="stable")]
    reached = np.maximum.accumulate(order[:, 1])
    first = np.r_[True, order[1:, 0] > reached[:-1]]
    last = np.r_[first[1:], True]
    return np.stack([order[first, 0], reached[last]], axis=1)


def length(spans: NDArray[np.float64]) -> float:
    """Time in which at least one of the intervals lasts."""
    merged = union(spans)
    return float((merged[:, 1] - merged[:, 0]).sum())


def within(spans: NDArray[np.float64], start: float, end: float) -> NDArray[np.float64]:
    """The parts of the intervals between two times."""
    cut = np.clip(spans, start, end)
    return cut[cut[:, 1] > cut[:, 0]]
