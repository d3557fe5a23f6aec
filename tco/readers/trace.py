"""The energy of a power trace, by its time stamps, piece by piece.

Never rows times a nominal interval: samples come late, in pairs, or not at all.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tco.errors import ReadError

if TYPE_CHECKING:
    from tco.records.run import Boundary, Rule

Floats = NDArray[np.float64]

#: A device above this does not exist; it also catches the 4294967295 that stands for "not supported".
MOST_WATTS_OF_A_DEVICE = 1e6
#: No counter of a device or a building shows more; it also catches 2**63 and its neighbours.
MOST_JOULES = 1e15
#: Thirty thousand years.
MOST_SECONDS = 1e12
#: An interval this many times the usual one is a gap.
GAP = 5.0
#: A sensor that shows one value for so many samples is suspect.
STUCK_AFTER = 100

# Intervals are counted in bins of an eighth of an octave, from 2**-32 s to 2**32 s: the leading bits of the double.
_BINS = 512
_FIRST_BIN = (1023 - 32) * 8


@dataclass(frozen=True)
class Channel:
    """What a trace says of one device.

    Attributes
    ----------
    id
        The device, as the file names it.
    boundary
        Where its power was measured; None where nobody says.
    energy_j
        Energy from the first to the last valid sample. None where there are no two of them, or both are of one moment:
        then nothing is known, which is not zero.
    duration_s
        From the first to the last valid sample.
    samples, missing
        Valid samples; samples without a usable value, which the intervals bridge.
    impossible, first_impossible
        How many of the missing ones had a value that no device can have, and the first of them with its place.
    longest_gap_s
        Longest interval between valid samples.
    usual_interval_s
        Upper quartile of the intervals, to an eighth of an octave: half of the intervals of a tool that samples in
        pairs are next to zero.
    coverage
        Share of the time from the first to the last sample, valid or not, that lies in intervals of at most
        `GAP` usual intervals. It sees holes in a trace, not a slow sampling rate throughout, and with less than
        about ten samples says little.
    first_s, last_s
        First and last sample, valid or not, in seconds since `origin`.
    origin
        Where the seconds count from: an instant, a time of a clock whose zone is not stated, or None.
    minimum_w, maximum_w
        Of the valid samples; None for a counter.
    constant
        Whether all valid samples are equal.
    rule
        How the energy was formed: ``trapezoid``, ``left_rectangle``, ``right_rectangle``, or ``counter``.
    column
        The column that was read.
    within
        Id of the channel whose power holds this one's, where it is known.
    wraps, resets, dropped
        Of a counter: how often it wrapped at the end of its range; how often it began again from zero; and how many
        intervals over which it fell, for a reason that is not known, are left out.
    dropped_s
        How long those intervals are together.
    another_wrap_w
        Of a counter that wraps: the power that would have been needed for one more wrap in the longest interval.
    ambiguous
        Whether that is a power which the device could draw.
    instances
        Of how many parts of the device, each of which shows the power of the whole, the samples are the mean.
    sorted_rows
        Whether its rows were out of order and have been sorted.
    """

    id: str
    boundary: Boundary | None
    energy_j: float | None
    duration_s: float
    samples: int
    missing: int
    impossible: int
    first_impossible: str | None
    longest_gap_s: float
    usual_interval_s: float
    coverage: float
    first_s: float
    last_s: float
    origin: datetime | None
    minimum_w: float | None
    maximum_w: float | None
    constant: bool
    rule: str
    column: str
    within: str | None = None
    wraps: int = 0
    resets: int = 0
    dropped: int = 0
    dropped_s: float = 0.0
    another_wrap_w: float | None = None
    ambiguous: bool = False
    instances: int = 1
    sorted_rows: bool = False

    @property
    def mean_w(self) -> float | None:
        """Mean power over the time of which the energy is known, where there is such."""
        known_s = self.duration_s - self.dropped_s
        return None if self.energy_j is None or known_s <= 0 else self.energy_j / known_s

    @property
    def moment_w(self) -> float | None:
        """The power, where all valid samples are of one moment."""
        if self.energy_j is not None or self.minimum_w is None or self.maximum_w is None:
            return None
        return (self.minimum_w + self.maximum_w) / 2

    @property
    def stuck(self) -> bool:
        """Whether the sensor never changed over many samples."""
        return self.constant and self.samples >= STUCK_AFTER

    @property
    def start(self) -> datetime | None:
        """Time of the first sample."""
        return None if self.origin is None else self.origin + timedelta(seconds=self.first_s)

    @property
    def end(self) -> datetime | None:
        """Time of the last sample."""
        return None if self.origin is None else self.origin + timedelta(seconds=self.last_s)


class _Sum:
    """A sum that loses nothing between its pieces.

    References
    ----------
    Neumaier, Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen (1974), method IV.
    """

    def __init__(self) -> None:
        self._sum = self._lost = 0.0

    def add(self, value: float) -> None:
        """Add one more."""
        total = self._sum + value
        big, small = (self._sum, value) if abs(self._sum) >= abs(value) else (value, self._sum)
        self._lost += (big - total) + small
        self._sum = total

    @property
    def value(self) -> float:
        """The sum so far."""
        return self._sum + self._lost


def _bins(intervals: Floats) -> NDArray[np.int64]:
    return np.clip((intervals.view(np.int64) >> 49) - _FIRST_BIN, 0, _BINS - 1)


def _upper_edge(number: int) -> float:
    return float(np.array([(number + 1 + _FIRST_BIN) << 49]).view(np.float64)[0])


class Times:
    """Times of samples, and the lengths of the intervals between them; channels sampled together share one.

    Parameters
    ----------
    t_s
        Times in s, shape (n,).
    """

    def __init__(self, t_s: Floats) -> None:
        self.t_s = np.asarray(t_s, np.float64)
        self.intervals = np.diff(self.t_s)

    def __len__(self) -> int:
        return len(self.t_s)

    @cached_property
    def extremes(self) -> tuple[float, float]:
        """Shortest and longest interval."""
        return (float(self.intervals.min()), float(self.intervals.max())) if self.intervals.size else (0.0, 0.0)

    @cached_property
    def histogram(self) -> tuple[NDArray[np.int64], Floats]:
        """How many intervals lie in each bin, and how long they are together."""
        bins = _bins(self.intervals)
        count: NDArray[np.int64] = np.bincount(bins, minlength=_BINS)
        time = np.bincount(bins, weights=self.intervals, minlength=_BINS)
        return count, time.astype(np.float64)


class _Intervals:
    """Lengths of the intervals between valid samples: the longest, the usual one, and what lies in long ones."""

    def __init__(self) -> None:
        self.longest_s = 0.0
        self._count = np.zeros(_BINS, np.int64)
        self._time = np.zeros(_BINS)

    def add(self, times: Times) -> None:
        """Count the intervals between these samples."""
        if len(times) > 1:
            self.longest_s = max(self.longest_s, times.extremes[1])
            self._count += times.histogram[0]
            self._time += times.histogram[1]

    def usual_and_gaps(self) -> tuple[float, float]:
        """The usual interval (upper quartile) and the time in intervals of more than `GAP` of it, both in s."""
        counts = self._count.copy()
        counts[0] = 0  # samples with one and the same stamp
        if not counts.any():
            return 0.0, 0.0
        usual = int(np.searchsorted(np.cumsum(counts), 0.75 * counts.sum()))
        edge = _upper_edge(usual)
        limit = int(_bins(np.array([GAP * edge]))[0])
        return min(edge, self.longest_s), float(self._time[limit + 1 :].sum())


class Integrator:
    """Energy of one channel, from samples that arrive in pieces.

    Parameters
    ----------
    rule
        ``trapezoid``, or the rectangle under the left or the right sample of each interval.
    most_w
        Largest power that is possible; values above it, and negative ones, count as missing.

    Notes
    -----
    Missing samples are bridged: the interval runs between the valid samples on either side. Local time stamps are
    only ever subtracted from each other, so a change of the clock within a trace cannot be seen (forwards) or is
    refused (backwards).
    """

    def __init__(self, rule: Rule = "trapezoid", *, most_w: float = MOST_WATTS_OF_A_DEVICE) -> None:
        if rule not in ("trapezoid", "left_rectangle", "right_rectangle"):
            raise ReadError(f"rule '{rule}' is not known; write trapezoid, left_rectangle or right_rectangle")
        self._rule, self._most_w = rule, most_w
        self._energy = _Sum()
        self._intervals = _Intervals()
        self._samples = self._missing = self._impossible = 0
        self._first_impossible: str | None = None
        self._minimum, self._maximum = math.inf, -math.inf
        self._stamps: tuple[float, float] | None = None
        self._valid: tuple[float, float] | None = None
        self._last_w = 0.0

    def add(self, times: Times | Floats, power_w: Floats, where: Callable[[int], str] = "sample {}".format) -> None:
        """Add the next samples.

        Parameters
        ----------
        times
            Times in s, not decreasing, shape (n,).
        power_w
            Powers in W, NaN where missing, shape (n,).
        where
            Gives the place of a sample of this piece, for messages.

        Raises
        ------
        ReadError
            If time runs backwards.
        """
        times = times if isinstance(times, Times) else Times(times)
        if len(times) == 0:
            return
        _check_order(times, self._stamps[1] if self._stamps else -math.inf, where)
        self._stamps = (self._stamps[0] if self._stamps else float(times.t_s[0])), float(times.t_s[-1])
        power_w = np.asarray(power_w, np.float64)
        valid = power_w >= 0
        valid &= power_w <= self._most_w
        if not valid.all():
            self._missing += int(np.count_nonzero(~valid))
            self._count_impossible(~valid & ~np.isnan(power_w), power_w, where)
            times, power_w = Times(times.t_s[valid]), power_w[valid]
            if len(times) == 0:
                return
        first, last = float(times.t_s[0]), float(times.t_s[-1])
        if self._valid is not None:
            bridge = Times(np.array([self._valid[1], first]))
            self._energy.add(self._sum(bridge.intervals, np.array([self._last_w, power_w[0]])))
            self._intervals.add(bridge)
        self._energy.add(self._sum(times.intervals, power_w))
        self._intervals.add(times)
        self._valid = (self._valid[0] if self._valid else first), last
        self._last_w = float(power_w[-1])
        self._samples += len(times)
        self._minimum = min(self._minimum, float(power_w.min()))
        self._maximum = max(self._maximum, float(power_w.max()))

    def _count_impossible(self, impossible: NDArray[np.bool_], power_w: Floats, where: Callable[[int], str]) -> None:
        count = int(np.count_nonzero(impossible))
        if count and self._first_impossible is None:
            row = int(np.argmax(impossible))
            self._first_impossible = f"{power_w[row]:.12g} W at {where(row)}"
        self._impossible += count

    def _sum(self, intervals: Floats, power_w: Floats) -> float:
        if self._rule == "left_rectangle":
            return float((intervals * power_w[:-1]).sum())
        if self._rule == "right_rectangle":
            return float((intervals * power_w[1:]).sum())
        both = power_w[:-1] + power_w[1:]
        both *= intervals
        return 0.5 * float(both.sum())

    def channel(
        self,
        id: str,
        boundary: Boundary | None = None,
        *,
        column: str | None = None,
        origin: datetime | None = None,
        within: str | None = None,
    ) -> Channel:
        """What the samples so far say."""
        stamps = self._stamps or (0.0, 0.0)
        duration = self._valid[1] - self._valid[0] if self._valid else 0.0
        usual, gaps = self._intervals.usual_and_gaps()
        return Channel(
            id=id,
            boundary=boundary,
            energy_j=self._energy.value if self._samples > 1 and duration > 0 else None,
            duration_s=duration,
            samples=self._samples,
            missing=self._missing,
            impossible=self._impossible,
            first_impossible=self._first_impossible,
            longest_gap_s=self._intervals.longest_s,
            usual_interval_s=usual,
            coverage=covered(duration - gaps, stamps[1] - stamps[0]),
            first_s=stamps[0],
            last_s=stamps[1],
            origin=origin,
            minimum_w=self._minimum if self._samples else None,
            maximum_w=self._maximum if self._samples else None,
            constant=self._samples > 0 and self._minimum == self._maximum,
            rule=self._rule,
            column=id if column is None else column,
            within=within,
        )


class Counter:
    """Energy of one channel from a running total.

    Parameters
    ----------
    range_j
        Where the counter begins again from zero; None where nobody says.
    restarts
        What a counter without a known range does when it falls: whether it began again from zero, so that its value
        is the energy since then, or fell for an unknown reason, so that the interval is left out.
    most_w
        Largest power that is possible: a wrap which would need more is no wrap.
    """

    def __init__(
        self, *, range_j: float | None = None, restarts: bool = False, most_w: float = MOST_WATTS_OF_A_DEVICE
    ) -> None:
        self._range_j, self._restarts, self._most_w = range_j, restarts, most_w
        self._intervals = _Intervals()
        self._samples = self._missing = self._impossible = 0
        self._first_impossible: str | None = None
        self._stamps: tuple[float, float] | None = None
        self._first: tuple[float, float] | None = None
        self._last = (0.0, 0.0)
        self._corrections = _Sum()
        self._wraps = self._resets = self._dropped = 0
        self._dropped_s = 0.0

    def add(self, times: Times | Floats, total_j: Floats, where: Callable[[int], str] = "sample {}".format) -> None:
        """Add the next values of the counter.

        Parameters
        ----------
        times
            Times in s, not decreasing, shape (n,).
        total_j
            Values in J, NaN where missing, shape (n,).
        where
            Gives the place of a value of this piece, for messages.

        Raises
        ------
        ReadError
            If time runs backwards, or a value is above the range of the counter.
        """
        times = times if isinstance(times, Times) else Times(times)
        if len(times) == 0:
            return
        _check_order(times, self._stamps[1] if self._stamps else -math.inf, where)
        self._stamps = (self._stamps[0] if self._stamps else float(times.t_s[0])), float(times.t_s[-1])
        total_j = np.asarray(total_j, np.float64)
        valid = total_j >= 0
        valid &= total_j <= MOST_JOULES
        impossible = ~valid & ~np.isnan(total_j)
        if impossible.any():
            row = int(np.argmax(impossible))
            self._first_impossible = self._first_impossible or f"{total_j[row]:.12g} J at {where(row)}"
            self._impossible += int(np.count_nonzero(impossible))
        rows = np.flatnonzero(valid)
        self._missing += len(times) - len(rows)
        if len(rows) == 0:
            return
        t_s, total_j = times.t_s[rows], total_j[rows]
        self._check_range(total_j, lambda row: where(int(rows[row])))
        before = (float(t_s[0]), float(total_j[0])) if self._first is None else self._last
        steps, intervals = np.diff(total_j, prepend=before[1]), np.diff(t_s, prepend=before[0])
        falls = steps < 0
        if falls.any():
            self._correct(steps[falls], intervals[falls], total_j[falls])
        self._intervals.add(Times(t_s if self._first is None else np.concatenate(([before[0]], t_s))))
        self._first = self._first or (float(t_s[0]), float(total_j[0]))
        self._last = float(t_s[-1]), float(total_j[-1])
        self._samples += len(rows)

    def _check_range(self, total_j: Floats, where: Callable[[int], str]) -> None:
        if self._range_j is not None and (total_j > self._range_j).any():
            row = int(np.argmax(total_j > self._range_j))
            raise ReadError(
                f"{where(row)}: the counter stands at {total_j[row]:.12g} J, above its range of {self._range_j:.12g} "
                "J; the range is that of another counter, or in another unit"
            )

    def _correct(self, steps: Floats, intervals: Floats, values: Floats) -> None:
        """Make up for the intervals over which the counter fell."""
        if self._range_j is not None:
            wrapped = steps + self._range_j <= self._most_w * intervals
            self._wraps += int(np.count_nonzero(wrapped))
            self._corrections.add(self._range_j * int(np.count_nonzero(wrapped)))
            steps, intervals, values = steps[~wrapped], intervals[~wrapped], values[~wrapped]
        if self._restarts:
            self._resets += len(steps)
            self._corrections.add(float((values - steps).sum()))
        else:
            self._dropped += len(steps)
            self._dropped_s += float(intervals.sum())
            self._corrections.add(-float(steps.sum()))

    def channel(
        self,
        id: str,
        boundary: Boundary | None = None,
        *,
        column: str | None = None,
        origin: datetime | None = None,
        within: str | None = None,
    ) -> Channel:
        """What the values so far say."""
        stamps = self._stamps or (0.0, 0.0)
        first, last = self._first or (0.0, 0.0), self._last
        usual, gaps = self._intervals.usual_and_gaps()
        duration, energy = last[0] - first[0], last[1] - first[1] + self._corrections.value
        another = None
        if self._range_j is not None and self._intervals.longest_s > 0:
            another = self._range_j / self._intervals.longest_s
        return Channel(
            id=id,
            boundary=boundary,
            energy_j=energy if self._samples - self._dropped > 1 and duration > 0 else None,
            duration_s=duration,
            samples=self._samples,
            missing=self._missing,
            impossible=self._impossible,
            first_impossible=self._first_impossible,
            longest_gap_s=self._intervals.longest_s,
            usual_interval_s=usual,
            coverage=covered(duration - gaps - self._dropped_s, stamps[1] - stamps[0]),
            first_s=stamps[0],
            last_s=stamps[1],
            origin=origin,
            minimum_w=None,
            maximum_w=None,
            constant=self._samples > 0 and energy == 0,
            rule="counter",
            column=id if column is None else column,
            within=within,
            wraps=self._wraps,
            resets=self._resets,
            dropped=self._dropped,
            dropped_s=self._dropped_s,
            another_wrap_w=another,
            ambiguous=another is not None and another < self._most_w,
        )


class BackwardsError(ReadError):
    """Time runs backwards in a file."""


def _check_order(times: Times, before: float, where: Callable[[int], str]) -> None:
    """Refuse times that are not finite, or that run backwards from ``before`` on."""
    t_s, row = times.t_s, -1
    if not np.isfinite(t_s).all():
        raise ReadError(f"{where(int(np.argmin(np.isfinite(t_s))))}: has no time")
    for row_ in (0, -1):
        if abs(t_s[row_]) > MOST_SECONDS:
            raise ReadError(f"{where(row_ % len(t_s))}: {t_s[row_]:.6g} s is no time of a run")
    if t_s[0] < before:
        row = 0
    elif times.extremes[0] < 0:
        row = int(np.argmax(times.intervals < 0)) + 1
        before = float(t_s[row - 1])
    if row >= 0:
        raise BackwardsError(
            f"{where(row)}: time runs backwards by {before - t_s[row]:.6g} s; sort the file by time, cut it where "
            "another run or a clock that was set back begins, or log in UTC"
        )


def covered(time_s: float, span_s: float) -> float:
    """The share of a span that is covered; of a span of no length nothing is."""
    return min(1.0, max(0.0, time_s / span_s)) if span_s > 0 else 0.0
