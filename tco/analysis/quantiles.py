"""Mean, deviation, percentiles and histogram of a stream of values too long to keep."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tco.compiled import Array

#: The percentiles that are reported, as probabilities.
LEVELS = (0.05, 0.50, 0.95)
#: Values after which the percentiles are known well enough to keep only what lies near them.
PILOT = 16384
#: Standard errors of a percentile of the pilot between which that of the whole stream is looked for.
_ERRORS = 6.0
_BINS = 24
#: Bins of the pilot, and the share of it in one bin above which they are too coarse.
_FINE, _CROWDED = 4096, 0.01


class LineSpread(NamedTuple):
    """What samples say of one line, in its unit.

    Attributes
    ----------
    mean, deviation
        Mean and standard deviation.
    p5, p50, p95
        Percentiles.
    edges, counts
        Histogram: `counts[i]` samples lie between `edges[i]` and `edges[i + 1]`, those beyond the ends in the
        outermost bins. Empty for a line that does not vary.
    """

    mean: float
    deviation: float
    p5: float
    p50: float
    p95: float
    edges: tuple[float, ...] = ()
    counts: tuple[int, ...] = ()

    @classmethod
    def of_one(cls, value: float) -> LineSpread:
        """Of a line that has one value."""
        return cls(value, 0.0, value, value, value)

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {**self._asdict(), "edges": list(self.edges), "counts": list(self.counts)}


class _Bracket:
    """Counts what lies below a bracket and keeps what lies inside, so as to find order statistics in it."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high
        self.below = self.at_low = self.at_high = 0
        self.inside: list[Array] = []

    def add(self, values: Array) -> None:
        """Count and keep what is to be counted and kept of the next values."""
        at_least = values >= self.low
        under = len(values) - np.count_nonzero(at_least)
        inside = values[at_least & (values <= self.high)]
        equal_low = np.count_nonzero(inside == self.low)
        equal_high = np.count_nonzero(inside == self.high) if self.high > self.low else 0
        if equal_low + equal_high:  # many equal values are counted, not kept
            inside = inside[(inside > self.low) & (inside < self.high)]
        self.below += int(under)
        self.at_low += int(equal_low)
        self.at_high += int(equal_high)
        self.inside.append(inside)

    def order_statistic(self, rank: int, ordered: Array) -> float | None:
        """The value of a rank (from 0) in the whole stream; None where it is not in the bracket."""
        place = rank - self.below
        if place < 0:
            return None
        if place < self.at_low:
            return self.low
        place -= self.at_low
        if place < len(ordered):
            return float(ordered[place])
        return self.high if place - len(ordered) < self.at_high else None


class Tally:
    """Takes the values of one line block by block.

    Parameters
    ----------
    n
        How many values will come.
    """

    def __init__(self, n: int) -> None:
        self.n = n
        self._pilot: list[Array] = []
        self._held = self._count = 0
        self._mean = self._squares = 0.0
        self._brackets: list[_Bracket] = []
        self._edges: Array = np.empty(0)
        self._counts = np.zeros(_BINS, dtype=np.int64)
        self._found: list[float] = []
        self._again = 0

    def add(self, values: Array) -> None:
        """Take the next values."""
        if self._again:
            for bracket in self._brackets:
                bracket.add(values)
            return
        if not self._brackets:
            self._pilot.append(values)
            self._held += len(values)
            if self._held < min(PILOT, self.n):
                return
            values = np.concatenate(self._pilot)
            self._pilot = []
            self._start(values)
        count = len(values)
        mean = float(values.mean())
        away = values - mean
        shift = mean - self._mean
        total = self._count + count
        np.square(away, out=away)  # no linear algebra: its threads add up in an order of their own
        self._squares += float(away.sum()) + shift * shift * self._count * count / total
        self._mean += shift * count / total
        self._count = total
        low, high = self._edges[0], self._edges[-1]
        if high > low:
            place = ((values - low) * (_BINS / (high - low))).astype(np.int32)
            np.clip(place, 0, _BINS - 1, out=place)
            self._counts += np.bincount(place, minlength=_BINS)
        else:
            self._counts[0] += count
        for bracket in self._brackets:
            bracket.add(values)

    def _start(self, pilot: Array) -> None:
        m = len(pilot)
        tail = m // 1000
        places = [level * (m - 1) for level in LEVELS]
        offs = [_ERRORS * math.sqrt(level * (1 - level) * m) for level in LEVELS]
        lows = [max(int(place - off), 0) for place, off in zip(places, offs, strict=True)]
        highs = [min(math.ceil(place + off), m - 1) for place, off in zip(places, offs, strict=True)]
        least, most = float(pilot.min()), float(pilot.max())
        width = (most - least) / _FINE
        if width > 0:
            counts = np.bincount(np.minimum(((pilot - least) / width).astype(np.int32), _FINE - 1), minlength=_FINE)
            until = np.cumsum(counts)
            # A bin more on either side: a value at an edge may be rounded to the bin beside it.
            at = [np.searchsorted(until, ranks, side="right") for ranks in ([tail, *lows], [m - 1 - tail, *highs])]
            edges = [(least + width * (low - 1), least + width * (high + 2)) for low, high in zip(*at, strict=True)]
            if counts.max() > _CROWDED * m:  # a long tail has left all others to a few bins
                ranks = sorted({tail, m - 1 - tail, *lows, *highs})
                ordered = np.partition(pilot, ranks)
                edges = [
                    (ordered[low], ordered[high])
                    for low, high in zip([tail, *lows], [m - 1 - tail, *highs], strict=True)
                ]
        else:
            edges = [(least, most)] * (1 + len(LEVELS))
        self._edges = np.linspace(max(float(edges[0][0]), least), min(float(edges[0][1]), most), _BINS + 1)
        self._brackets = [_Bracket(float(low), float(high)) for low, high in edges[1:]]

    def settle(self) -> bool:
        """Find the percentiles; False where the values must come once more, within wider brackets."""
        for level, bracket in zip(LEVELS, self._brackets, strict=True):
            ordered = np.sort(np.concatenate(bracket.inside))
            bracket.inside = [ordered]
            place = level * (self.n - 1)  # linear between the two nearest, as NumPy's default
            rank = math.floor(place)
            first = bracket.order_statistic(rank, ordered)
            second = bracket.order_statistic(min(rank + 1, self.n - 1), ordered)
            if first is None or second is None:
                self._widen()
                return False
            self._found.append(first + (second - first) * (place - rank))
        return True

    def _widen(self) -> None:
        self._again += 1
        self._found = []
        spans = [(b.low, b.high) for b in self._brackets]
        overall = self._edges[-1] - self._edges[0]
        wider = [max(high - low, overall / 100) * 10**self._again for low, high in spans]
        self._brackets = [_Bracket(low - w, high + w) for (low, high), w in zip(spans, wider, strict=True)]

    def result(self) -> LineSpread:
        """What was found."""
        deviation = math.sqrt(self._squares / (self._count - 1)) if self._count > 1 else 0.0
        p5, p50, p95 = self._found
        edges, counts = tuple(map(float, self._edges)), tuple(map(int, self._counts))
        return LineSpread(self._mean, deviation, p5, p50, p95, edges, counts)
