"""A grid intensity that changes with time, and what it means for a power that does too.

Steps have a start and an end in UTC and may differ in length. Nothing is interpolated and nothing is stretched: a
time without a value is a gap, gaps are counted, and a mean is the mean of what is there, weighted by time or energy.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tco.errors import EstimateError, ReadError

Floats = NDArray[np.float64]

#: Relative; what rounding may take from a time that is covered whole.
_ROUNDING = 1e-9


def stamp(seconds: float) -> str:
    """An instant as text: ``2026-01-01T00:00Z``."""
    moment = datetime.fromtimestamp(round(seconds), UTC)
    return moment.strftime("%Y-%m-%dT%H:%MZ" if moment.second == 0 else "%Y-%m-%dT%H:%M:%SZ")


def hours(seconds: float) -> str:
    """A length of time as text: ``1 h``, ``15 min``."""
    return f"{seconds / 3600:.6g} h" if seconds >= 3600 or seconds == 0 else f"{seconds / 60:.4g} min"


def _what_is_left(whole: float, part: float) -> float:
    """The difference; 0 where it is rounding."""
    left = whole - part
    return left if left > _ROUNDING * whole else 0.0


@dataclass(frozen=True)
class SeriesAbout:
    """What a series says of itself; None where nobody says.

    Attributes
    ----------
    title, file, sha256, release, licence
        Where it comes from.
    region
        The place, as the source names it.
    basis, scope, kind, gas
        As of `tco.records.factor.Factor`.
    notes
        What a reader should know: estimated values, fuels left out ...
    retrieved
        When a live source answered.
    """

    title: str
    file: str = ""
    sha256: str = ""
    release: str = "not stated"
    licence: str = "see the source"
    region: str | None = None
    basis: str | None = None
    scope: str | None = None
    kind: str = "average"
    gas: str = "CO2e"
    notes: tuple[str, ...] = ()
    retrieved: str | None = None


@dataclass(frozen=True, eq=False)
class Series:
    """Grid intensity by time.

    Parameters
    ----------
    start_s, end_s
        Ends of the steps in s since 1970-01-01 UTC, shape (n,), in order and without overlap.
    value
        In gCO2e/kWh, NaN where missing, shape (n,).
    about
        What it is.
    """

    start_s: Floats
    end_s: Floats
    value: Floats
    about: SeriesAbout = field(default_factory=lambda: SeriesAbout("series"))

    def __post_init__(self) -> None:
        n = len(self.start_s)
        if n == 0 or len(self.end_s) != n or len(self.value) != n:
            raise ReadError(f"{self._where}: holds no steps" if n == 0 else f"{self._where}: columns differ in length")
        wrong = np.flatnonzero(self.end_s <= self.start_s)
        if wrong.size:
            raise ReadError(f"{self._where}: the step at {stamp(float(self.start_s[wrong[0]]))} ends before it starts")
        wrong = np.flatnonzero(self.start_s[1:] < self.end_s[:-1])
        if wrong.size:
            first = float(self.start_s[wrong[0] + 1])
            twice = "stands twice" if first == self.start_s[wrong[0]] else "overlaps the step before it"
            raise ReadError(f"{self._where}: the step at {stamp(first)} {twice}")
        if not np.isfinite(self.value).any():
            raise ReadError(f"{self._where}: holds no value")

    @property
    def _where(self) -> str:
        return self.about.file or self.about.title

    def __len__(self) -> int:
        return len(self.start_s)

    # ---- what is there ----------------------------------------------------------------------------------------------

    @property
    def begin(self) -> float:
        """Start of the first step, in s since 1970."""
        return float(self.start_s[0])

    @property
    def end(self) -> float:
        """End of the last step, in s since 1970."""
        return float(self.end_s[-1])

    @cached_property
    def missing_s(self) -> float:
        """Time between begin and end without a value, in s."""
        valid = np.isfinite(self.value)
        return _what_is_left(self.end - self.begin, float((self.end_s - self.start_s)[valid].sum()))

    @property
    def missing_steps(self) -> int:
        """Steps that stand in the file without a value."""
        return int(np.count_nonzero(~np.isfinite(self.value)))

    @cached_property
    def gaps(self) -> list[tuple[float, float]]:
        """Begin and end of each stretch without a value, in s since 1970."""
        valid = np.isfinite(self.value)
        starts, ends = self.start_s[valid], self.end_s[valid]
        begins = np.concatenate(([self.begin], ends))
        finishes = np.concatenate((starts, [self.end]))
        open_ = finishes > begins
        return list(zip(begins[open_].tolist(), finishes[open_].tolist(), strict=True))

    @property
    def mean(self) -> float:
        """Mean of what is there, weighted by the length of the steps, in gCO2e/kWh."""
        return float(self.mean_over(np.array([self.begin]), np.array([self.end]))[0])

    # ---- matching ---------------------------------------------------------------------------------------------------

    @cached_property
    def _cumulated(self) -> tuple[Floats, Floats, Floats]:
        """Knots (s after begin), and there the integrals of value and of coverage."""
        valid = np.isfinite(self.value)
        length = np.where(valid, self.end_s - self.start_s, 0.0)
        knots = np.empty(2 * len(self))
        knots[0::2], knots[1::2] = self.start_s - self.begin, self.end_s - self.begin

        def _at_knots(per_step: Floats) -> Floats:
            sums = np.cumsum(per_step)
            both = np.empty(2 * len(self))
            both[0::2], both[1::2] = sums - per_step, sums
            return both

        return knots, _at_knots(np.where(valid, self.value, 0.0) * length), _at_knots(length)

    def _integrals(self, begin_s: Floats, end_s: Floats) -> tuple[Floats, Floats]:
        knots, value, cover = self._cumulated
        first, last = np.asarray(begin_s) - self.begin, np.asarray(end_s) - self.begin
        return (
            np.interp(last, knots, value) - np.interp(first, knots, value),
            np.interp(last, knots, cover) - np.interp(first, knots, cover),
        )

    def mean_over(self, begin_s: Floats, end_s: Floats) -> Floats:
        """Mean intensity for constant powers between two times each, of the part that has values.

        Parameters
        ----------
        begin_s, end_s
            In s since 1970, shape (n,).

        Returns
        -------
        ndarray
            In gCO2e/kWh, shape (n,); NaN where nothing is covered.
        """
        value, cover = self._integrals(begin_s, end_s)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(cover > 0, value / cover, np.nan)

    def covered_over(self, begin_s: Floats, end_s: Floats) -> Floats:
        """Time with a value between two times each, in s, shape (n,)."""
        return self._integrals(begin_s, end_s)[1]

    def mean_of_loads(self, energy: Floats) -> Floats:
        """Intensity of loads given step by step, weighted by their energies.

        Parameters
        ----------
        energy
            Energy in each step of this series, any one unit, shape (..., n).

        Returns
        -------
        ndarray
            In gCO2e/kWh, shape (...); NaN where no energy falls on a step with a value.
        """
        valid = np.isfinite(self.value)
        if valid.all():
            covered, weighted = energy.sum(axis=-1), energy @ self.value
        else:
            covered, weighted = energy @ valid.astype(energy.dtype), energy @ np.where(valid, self.value, 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(covered > 0, weighted / covered, np.nan)


@dataclass(frozen=True, eq=False)
class Profile:
    """A power over time: samples joined by straight lines.

    Parameters
    ----------
    time_s
        In s since 1970, in order, shape (n,).
    power_w
        In W, shape (n,).
    trace
        Whether it was measured sample by sample; else it is a mean power.
    """

    time_s: Floats
    power_w: Floats
    trace: bool = True

    @classmethod
    def constant(cls, begin_s: float, end_s: float, power_w: float = 1.0) -> Profile:
        """A mean power that holds from begin to end."""
        return cls(np.array([begin_s, end_s]), np.array([power_w, power_w]), trace=False)

    @property
    def begin(self) -> float:
        """First time, in s since 1970."""
        return float(self.time_s[0])

    @property
    def end(self) -> float:
        """Last time, in s since 1970."""
        return float(self.time_s[-1])

    @cached_property
    def _cumulated(self) -> Floats:
        areas = 0.5 * np.diff(self.time_s) * (self.power_w[1:] + self.power_w[:-1])
        return np.concatenate(([0.0], np.cumsum(areas)))

    def energy_until(self, time_s: Floats) -> Floats:
        """Energy from the first sample to the given times, in J; the lines are integrated exactly."""
        t = np.clip(np.asarray(time_s, np.float64), self.begin, self.end)
        left = np.clip(np.searchsorted(self.time_s, t, side="right") - 1, 0, len(self.time_s) - 2)
        step = np.diff(self.time_s)[left]
        elapsed = t - self.time_s[left]
        rise = self.power_w[left + 1] - self.power_w[left]
        with np.errstate(invalid="ignore", divide="ignore"):
            slope = np.where(step > 0, rise / step, 0.0)
        return self._cumulated[left] + elapsed * (self.power_w[left] + 0.5 * slope * elapsed)

    def energy_in(self, begin_s: Floats, end_s: Floats) -> Floats:
        """Energy between two times each, in J."""
        return self.energy_until(end_s) - self.energy_until(begin_s)

    def shifted(self, seconds: float) -> Profile:
        """The same power at another time."""
        return Profile(self.time_s + seconds, self.power_w, self.trace)


@dataclass(frozen=True, eq=False)
class Profiles:
    """Several powers at once, each over its own time: the devices of a run."""

    parts: tuple[Profile, ...]

    @property
    def trace(self) -> bool:
        """Whether one of them was measured sample by sample."""
        return any(part.trace for part in self.parts)

    @property
    def begin(self) -> float:
        """First time of all, in s since 1970."""
        return min(part.begin for part in self.parts)

    @property
    def end(self) -> float:
        """Last time of all, in s since 1970."""
        return max(part.end for part in self.parts)

    def energy_until(self, time_s: Floats) -> Floats:
        """Energy of all from their first samples to the given times, in J."""
        return np.sum([part.energy_until(time_s) for part in self.parts], axis=0)

    def energy_in(self, begin_s: Floats, end_s: Floats) -> Floats:
        """Energy of all between two times each, in J."""
        return self.energy_until(end_s) - self.energy_until(begin_s)

    def shifted(self, seconds: float) -> Profiles:
        """The same powers at another time."""
        return Profiles(tuple(part.shifted(seconds) for part in self.parts))


Load = Profile | Profiles


@dataclass(frozen=True)
class Match:
    """The intensity that a power met.

    Attributes
    ----------
    intensity
        In gCO2e/kWh, weighted by energy.
    duration_s, missing_s
        Of the power, and how much of it has no intensity.
    missing_energy
        Share of the energy that has no intensity: for it the mean of the rest stands.
    steps
        Steps with a value that the power touches.
    lowest, highest
        Among these.
    """

    intensity: float
    duration_s: float
    missing_s: float
    missing_energy: float
    steps: int
    lowest: float
    highest: float


def match(series: Series, profile: Load) -> Match:
    """Match a power with the intensity of its time.

    Raises
    ------
    EstimateError
        If the power begins before the series or ends after it, or if no step with a value meets it.
    """
    begin, end = profile.begin, profile.end
    if begin < series.begin or end > series.end:
        raise EstimateError(
            f"{series._where}: covers {stamp(series.begin)} to {stamp(series.end)}, and the run is from {stamp(begin)} "
            f"to {stamp(end)}: give a series that holds the whole run"
        )
    first = int(np.searchsorted(series.end_s, begin, side="right"))
    last = max(int(np.searchsorted(series.start_s, end, side="left")), first + 1)
    value, starts, ends = series.value[first:last], series.start_s[first:last], series.end_s[first:last]
    valid = np.isfinite(value)
    if not valid.any():
        raise EstimateError(f"{series._where}: has no value between {stamp(begin)} and {stamp(end)}")
    value, starts, ends = value[valid], starts[valid], ends[valid]
    energy = profile.energy_in(starts, ends)
    length = np.clip(ends, begin, end) - np.clip(starts, begin, end)
    total = float(profile.energy_until(np.array([end]))[0])
    met = float(energy.sum())
    weights = energy if met > 0 else length
    if weights.sum() <= 0:  # no duration: the one step it falls in
        weights = np.ones_like(value)
    return Match(
        intensity=float(value @ weights) / float(weights.sum()),
        duration_s=end - begin,
        missing_s=_what_is_left(end - begin, float(length.sum())),
        missing_energy=_what_is_left(total, met) / total if total > 0 else 0.0,
        steps=len(value),
        lowest=float(value.min()),
        highest=float(value.max()),
    )


@dataclass(frozen=True)
class Start:
    """A start time of a run, in s since 1970, and the intensity that the run then meets."""

    start_s: float
    intensity: float


@dataclass(frozen=True)
class Schedule:
    """When to start a run that can wait.

    Attributes
    ----------
    at_once, best, worst
        The earliest start allowed, and the best and worst ones up to the latest.
    latest_s
        Latest start allowed, in s since 1970.
    considered, unknown
        Starts that were compared, and those left out because a gap of the series lies in the run.
    """

    at_once: Start
    best: Start
    worst: Start
    latest_s: float
    considered: int
    unknown: int

    @property
    def saving(self) -> float:
        """Share of the emissions that the best start saves against starting at once."""
        return 1 - self.best.intensity / self.at_once.intensity if self.at_once.intensity else 0.0


def schedule(series: Series, profile: Load, earliest_s: float, window_s: float) -> Schedule:
    """The best start of a deferrable run that must have ended `window_s` after `earliest_s`.

    Starts are tried where the mean over the run can turn: where the run begins or ends with a step.

    Raises
    ------
    EstimateError
        If the window is shorter than the run, or the series does not hold the window.
    """
    duration = profile.end - profile.begin
    latest = earliest_s + window_s - duration
    if latest < earliest_s:
        raise EstimateError(
            f"the run takes {hours(duration)} and the window is {hours(window_s)}: give a longer --window"
        )
    if earliest_s < series.begin or earliest_s + window_s > series.end:
        raise EstimateError(
            f"{series._where}: covers {stamp(series.begin)} to {stamp(series.end)}, and the window is from "
            f"{stamp(earliest_s)} to {stamp(earliest_s + window_s)}"
        )
    edges = np.concatenate((series.start_s, series.end_s, series.start_s - duration, series.end_s - duration))
    edges = edges[(edges >= earliest_s) & (edges <= latest)]
    starts = np.unique(np.concatenate(([earliest_s, latest], edges)))
    if profile.trace:
        means = np.array([_mean_from(series, profile, start) for start in starts.tolist()])
    else:
        means = series.mean_over(starts, starts + duration)
        short = series.covered_over(starts, starts + duration) < duration * (1 - _ROUNDING)
        means = np.where(short, np.nan, means)
    known = np.isfinite(means)
    if not known[0]:
        raise EstimateError(
            f"{series._where}: has a gap in the run if it starts at {stamp(earliest_s)}; give a later --from or fill it"
        )
    best, worst = int(np.nanargmin(means)), int(np.nanargmax(means))
    return Schedule(
        at_once=Start(float(starts[0]), float(means[0])),
        best=Start(float(starts[best]), float(means[best])),
        worst=Start(float(starts[worst]), float(means[worst])),
        latest_s=latest,
        considered=int(known.sum()),
        unknown=int((~known).sum()),
    )


def _mean_from(series: Series, profile: Load, start_s: float) -> float:
    shifted = profile.shifted(start_s - profile.begin)
    covered = float(series.covered_over(np.array([shifted.begin]), np.array([shifted.end]))[0])
    if covered < (shifted.end - shifted.begin) * (1 - _ROUNDING):
        return float("nan")
    return match(series, shifted).intensity
