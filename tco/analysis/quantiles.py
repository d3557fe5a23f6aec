"""Mean, deviation, percentiles and histogram of a stream of values too long to keep."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tco.compiled import Array
from tco.errors import EstimateError

#: The percentiles that are reported, as probabilities.
LEVELS = (0.05, 0.50, 0.95)
#: Values after which the percentiles are known well enough to keep only what lies near them.
PILOT = 16384
#: Standard errors of a percentile of the pilot between which that of the whole stream is looked for.
_ERRORS = 5.0
_BINS = 24
#: Bins of the pilot, and the share of it in one bin above which they are too coarse.
_FINE, _CROWDED = 4096, 0.01
#: Part of the stream for which a bracket has room beside what it is expected to keep.
_SPARE = 0.02


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


class _Brackets:
    """Counts what lies below brackets and keeps what lies inside, so as to find order statistics in them.

    Parameters
    ----------
    ends
        Low and high of each bracket; where the two are equal, values are counted and none is kept.
    expected
        How many values there will be to keep.
    """

    def __init__(self, ends: Sequence[tuple[float, float]], expected: int) -> None:
        self.ends = list(ends)
        self._below, self._equal = [0] * len(self.ends), [0] * len(self.ends)
        # One array for all: many small ones between the blocks of a run would keep the memory of the blocks from reuse.
        self._kept = np.empty(max(expected, 64))
        self._count = 0

    def add(self, values: Array) -> None:
        """Count and keep what is to be counted and kept of the next values."""
        chosen: npt.NDArray[np.bool_] | None = None
        for place, (low, high) in enumerate(self.ends):
            inside = values >= low
            self._below[place] += len(values) - int(np.count_nonzero(inside))
            if low == high:
                self._equal[place] += int(np.count_nonzero(values == low))
                continue
            inside &= values <= high
            if chosen is None:
                chosen = inside
            else:
                chosen |= inside
        if chosen is None:
            return
        kept = values[chosen]
        until = self._count + len(kept)
        if until > len(self._kept):
            self._kept = np.concatenate([self._kept[: self._count], np.empty(until)])
        self._kept[self._count : until] = kept
        self._count = until

    def order_statistics(self, ranks: Sequence[Sequence[int]]) -> list[list[float]] | None:
        """For each bracket the values of ranks (from 0) in the whole stream; None if one is not in its bracket."""
        kept = self._kept[: self._count]
        places: list[list[int]] = []
        for place, (low, high) in enumerate(self.ends):
            found = [rank - self._below[place] for rank in ranks[place]]
            room = self._equal[place] if low == high else int(np.count_nonzero((kept >= low) & (kept <= high)))
            if min(found) < 0 or max(found) >= room:
                return None
            start = 0 if low == high else int(np.count_nonzero(kept < low))
            places.append([] if low == high else [start + each for each in found])
        wanted = sorted({each for some in places for each in some})
        if wanted:
            kept.partition(wanted)
        return [
            [float(kept[each]) for each in some] if some else [low] * len(ranks[place])
            for place, (some, (low, _)) in enumerate(zip(places, self.ends, strict=True))
        ]


class Tally:
    """Takes the values of one line block by block.

    Parameters
    ----------
    n
        How many values will come.
    name
        Of the line, for messages.
    """

    def __init__(self, n: int, name: str = "") -> None:
        self.n, self.name = n, name
        self._pilot: list[Array] = []
        self._held = self._count = 0
        self._mean = self._squares = 0.0
        self._brackets: _Brackets | None = None
        self._edges: Array = np.empty(0)
        self._counts = np.zeros(_BINS, dtype=np.int64)
        self._found: list[float] = []
        self._again = 0

    def add(self, values: Array) -> None:
        """Take the next values."""
        if self._again and self._brackets is not None:
            self._brackets.add(values)
            return
        mean = float(values.mean()) if len(values) else 0.0
        if not math.isfinite(mean):
            raise EstimateError(
                f"{self.name}: a sample of it is not a finite number: the range of an input reaches a division by 0, "
                "or numbers too large to hold"
            )
        if self._brackets is None:
            self._pilot.append(values)
            self._held += len(values)
            if self._held < min(PILOT, self.n):
                return
            values = np.concatenate(self._pilot)
            mean = float(values.mean())
            self._pilot = []
            self._brackets = self._start(values)
        count = len(values)
        away = values - mean
        shift = mean - self._mean
        total = self._count + count
        np.square(away, out=away)  # no linear algebra: its threads add up in an order of their own
        self._squares += float(away.sum()) + shift * shift * self._count * count / total
        self._mean += shift * count / total
        self._count = total
        low, high = self._edges[0], self._edges[-1]
        if high > low:
            away = values - low
            away *= _BINS / (high - low)
            place = away.astype(np.int32)
            np.minimum(place, _BINS - 1, out=place)
            np.maximum(place, 0, out=place)
            self._counts += np.bincount(place, minlength=_BINS)
        else:
            self._counts[0] += count
        self._brackets.add(values)

    def _start(self, pilot: Array) -> _Brackets:
        """Where to look for the percentiles and how far the histogram reaches, by the first values."""
        m = len(pilot)
        tail = m // 1000
        lows, highs = [tail], [m - 1 - tail]
        for level in LEVELS:
            off = _ERRORS * math.sqrt(level * (1 - level) * m)
            lows.append(max(int(level * (m - 1) - off), 0))
            highs.append(min(math.ceil(level * (m - 1) + off), m - 1))
        least, most = float(pilot.min()), float(pilot.max())
        width = (most - least) / _FINE
        if width > 0:
            counts = np.bincount(np.minimum(((pilot - least) * (1 / width)).astype(np.int32), _FINE - 1))
            until = np.cumsum(counts)
            # A bin more on either side: a value at an edge may be rounded to the bin beside it.
            below = until.searchsorted(lows, side="right").tolist()
            above = until.searchsorted(highs, side="right").tolist()
            edges = [(least + width * (a - 1), least + width * (b + 2)) for a, b in zip(below, above, strict=True)]
            if counts.max() > _CROWDED * m:  # a long tail has left all others to a few bins
                ordered = np.partition(pilot, sorted({*lows, *highs}))
                edges = [(float(ordered[a]), float(ordered[b])) for a, b in zip(lows, highs, strict=True)]
        else:
            edges = [(least, most)] * (1 + len(LEVELS))
        low, high = max(edges[0][0], least), min(edges[0][1], most)
        self._edges = low + (high - low) / _BINS * np.arange(_BINS + 1, dtype=np.float64)
        share = sum(last - first + 1 for first, last in zip(lows[1:], highs[1:], strict=True)) / m + _SPARE
        return _Brackets(edges[1:], int(min(share, 1.0) * self.n))

    def settle(self) -> bool:
        """Find the percentiles; False where the values must come once more, within wider brackets."""
        assert self._brackets is not None
        places = [level * (self.n - 1) for level in LEVELS]  # linear between the two nearest, as NumPy's default
        ranks = [(math.floor(place), min(math.floor(place) + 1, self.n - 1)) for place in places]
        values = self._brackets.order_statistics(ranks)
        if values is None:
            self._brackets = self._wider(self._brackets)
            return False
        self._found = [
            first + (second - first) * (place - math.floor(place))
            for (first, second), place in zip(values, places, strict=True)
        ]
        return True

    def _wider(self, brackets: _Brackets) -> _Brackets:
        self._again += 1
        least = (self._edges[-1] - self._edges[0]) / 100
        more = [max(high - low, least) * 10**self._again for low, high in brackets.ends]
        ends = [(low - each, high + each) for (low, high), each in zip(brackets.ends, more, strict=True)]
        return _Brackets(ends, self.n // 10)

    def result(self) -> LineSpread:
        """What was found."""
        deviation = math.sqrt(self._squares / (self._count - 1)) if self._count > 1 else 0.0
        p5, p50, p95 = self._found
        edges, counts = tuple(map(float, self._edges)), tuple(map(int, self._counts))
        return LineSpread(self._mean, deviation, p5, p50, p95, edges, counts)
