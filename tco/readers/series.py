"""Series of samples in memory to channels: for formats whose files are small."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np

from tco.readers.base import ReadOptions
from tco.readers.trace import MOST_WATTS_OF_A_DEVICE, Channel, Counter, Floats, Integrator
from tco.records.run import Boundary, Rule


@dataclass(frozen=True)
class Series:
    """Samples of one device.

    Attributes
    ----------
    id
        The device.
    times_s, numbers
        Times in s, in any order, and powers in W or totals in J, NaN where missing, both of shape (n,).
    boundary
        Where it was measured.
    places
        Where the samples stand in the file, for messages.
    origin
        Where the times count from; None where nobody says.
    is_counter
        Whether the numbers are a running total.
    most_w, range_j, restarts
        See `tco.readers.trace.Counter`.
    within
        Id of the series whose power holds this one's.
    instances
        Of how many parts of the device, each of which shows the power of the whole, the samples are.
    rule
        How powers are integrated, where the format says so.
    """

    id: str
    times_s: Floats
    numbers: Floats
    boundary: Boundary | None
    places: Sequence[str] = ()
    origin: datetime | None = None
    is_counter: bool = False
    most_w: float = MOST_WATTS_OF_A_DEVICE
    range_j: float | None = None
    restarts: bool = False
    within: str | None = None
    instances: int = 1
    rule: Rule | None = None

    @property
    def last(self) -> float | None:
        """The last number that there is."""
        valid = self.numbers[~np.isnan(self.numbers)]
        return float(valid[-1]) if valid.size else None


def in_order(times_s: Floats, numbers: Floats) -> tuple[Floats, Floats]:
    """Samples by time, one for each: the mean of those that have a value where several are of one moment."""
    moments, which = np.unique(times_s, return_inverse=True)
    valid = ~np.isnan(numbers)
    count = np.bincount(which, valid, len(moments))
    total = np.bincount(which, np.where(valid, numbers, 0.0), len(moments))
    with np.errstate(invalid="ignore"):
        return moments, total / count


def channel_of(series: Series, options: ReadOptions) -> Channel:
    """The channel of a series, its samples by time."""
    order = np.argsort(series.times_s, kind="stable")
    meter: Integrator | Counter
    if series.is_counter:
        meter = Counter(range_j=series.range_j, restarts=series.restarts, most_w=series.most_w)
    else:
        meter = Integrator(series.rule or options.rule, most_w=series.most_w)

    def _where(row: int) -> str:
        return series.places[int(order[row])] if series.places else f"sample {int(order[row]) + 1} of '{series.id}'"

    meter.add(series.times_s[order], series.numbers[order], _where)
    channel = meter.channel(series.id, options.boundary or series.boundary, origin=series.origin, within=series.within)
    return replace(channel, instances=series.instances)
