"""A line over two inputs of a sweep, as a table of numbers to be drawn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tco.analysis.axes import Axis
from tco.analysis.sweep import Sweep
from tco.compiled import Array
from tco.errors import EstimateError

_MOST_CELLS = 1_000_000


class Heat(NamedTuple):
    """A line over two inputs.

    Attributes
    ----------
    line, unit
        The line.
    across, down
        The inputs, with their values and units.
    values
        Shape (values down, values across).
    """

    line: str
    unit: str
    across: Axis
    down: Axis
    values: Array


def heat_of(sweep: Sweep, line: str | None) -> Heat:
    """The line over the first two inputs of a full grid of two, in one place.

    Raises
    ------
    EstimateError
        If the sweep has another shape; it says which is needed.
    """
    if line is None:
        raise EstimateError("a heat map shows one line: name it with --line, for instance --line cost.total")
    if sweep.paired or len(sweep.axes) != 2 or len(sweep.regions) > 1:
        raise EstimateError("a heat map needs a full grid of two inputs (two --vary, no --paired) in one place")
    if len(sweep) > _MOST_CELLS:
        raise EstimateError(f"a heat map of {len(sweep):,} cells; take fewer values")
    down, across = sweep.axes
    values = np.concatenate([chunk[line] for chunk in sweep.chunks()]).reshape(sweep.shape)
    return Heat(line, sweep.columns[line], across, down, values)
