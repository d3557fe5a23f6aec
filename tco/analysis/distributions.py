"""How an input varies: distributions with closed-form moments, draws from a stream, and quantiles of points.

An input with a range and no distribution is triangular, its value the mode.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Protocol

import numpy as np

from tco.analysis.extras import special
from tco.compiled import Array
from tco.graph import Node

#: Standard deviations from the median to the 5th or 95th percentile of a normal distribution.
_Z95 = NormalDist().inv_cdf(0.95)
#: Points at which a quantile is finite.
_INSIDE = (np.finfo(np.float64).tiny, 1.0 - np.finfo(np.float64).epsneg)


class Distribution(Protocol):
    """What an input may be, in the unit of the input.

    Attributes
    ----------
    low, high
        What `Input.low` and `Input.high` are: ends, or 5th and 95th percentile.
    """

    @property
    def low(self) -> float:
        """Lower end, or 5th percentile."""
        ...

    @property
    def high(self) -> float:
        """Upper end, or 95th percentile."""
        ...

    @property
    def mean(self) -> float:
        """Expected value."""
        ...

    @property
    def variance(self) -> float:
        """Expected square of the distance from the mean."""
        ...

    def draw(self, random: np.random.Generator, count: int) -> Array:
        """The next `count` values of a stream, shape (count,)."""
        ...

    def quantile(self, points: Array) -> Array:
        """Values at points of the unit interval, shape (n,)."""
        ...

    def share_below(self, value: float) -> float:
        """Probability of less than `value`; 0 outside of a bounded distribution."""
        ...

    def __str__(self) -> str: ...


class _Bounded:
    """A distribution that never leaves its range, drawn by its quantile."""

    def draw(self: Distribution, random: np.random.Generator, count: int) -> Array:
        """The next `count` values of a stream."""
        return self.quantile(random.random(count))

    def share_below(self: Distribution, value: float) -> float:
        """Probability of less than `value`: 0 below and 1 above the range; inside it is not needed."""
        return 0.0 if value <= self.low else 1.0 if value >= self.high else math.nan


@dataclass(frozen=True)
class Triangular(_Bounded):
    """Density that rises in a line from `low` to `mode` and falls to `high`."""

    low: float
    mode: float
    high: float

    @property
    def mean(self) -> float:
        """Expected value."""
        return (self.low + self.mode + self.high) / 3

    @property
    def variance(self) -> float:
        """Expected square of the distance from the mean."""
        a, m, b = self.low, self.mode, self.high
        return ((b - a) ** 2 - (b - m) * (m - a)) / 18

    def quantile(self, points: Array) -> Array:
        """Values at points of the unit interval."""
        a, m, b = self.low, self.mode, self.high
        turn = (m - a) / (b - a)
        # Up to the mode one root moves and the other rests, from there on the other way round: quicker than a choice.
        up = np.minimum(points, turn)
        up *= (b - a) * (m - a)
        np.sqrt(up, out=up)
        down = 1 - np.maximum(points, turn)
        down *= (b - a) * (b - m)
        np.sqrt(down, out=down)
        up -= down
        up += a + (b - m)
        return up

    def __str__(self) -> str:
        return f"triangular, {self.low:,.6g} to {self.high:,.6g}, mode {self.mode:,.6g}"


@dataclass(frozen=True)
class Uniform(_Bounded):
    """The same density from `low` to `high`."""

    low: float
    high: float

    @property
    def mean(self) -> float:
        """Expected value."""
        return (self.low + self.high) / 2

    @property
    def variance(self) -> float:
        """Expected square of the distance from the mean."""
        return (self.high - self.low) ** 2 / 12

    def quantile(self, points: Array) -> Array:
        """Values at points of the unit interval."""
        return self.low + (self.high - self.low) * points

    def __str__(self) -> str:
        return f"uniform, {self.low:,.6g} to {self.high:,.6g}"


@dataclass(frozen=True)
class Pert(_Bounded):
    """Beta distribution on a range whose mean is (low + 4 mode + high) / 6.

    References
    ----------
    Malcolm, Roseboom, Clark, Fazar 1959, "Application of a Technique for Research and Development Program Evaluation",
    Operations Research 7(5); with the shape parameters of Vose 2008, "Risk Analysis", the PERT distribution.
    """

    low: float
    mode: float
    high: float

    @property
    def shapes(self) -> tuple[float, float]:
        """The two shape parameters of the beta distribution."""
        width = self.high - self.low
        return 1 + 4 * (self.mode - self.low) / width, 1 + 4 * (self.high - self.mode) / width

    @property
    def mean(self) -> float:
        """Expected value."""
        return (self.low + 4 * self.mode + self.high) / 6

    @property
    def variance(self) -> float:
        """Expected square of the distance from the mean."""
        p, q = self.shapes
        return (self.high - self.low) ** 2 * p * q / ((p + q) ** 2 * (p + q + 1))

    def draw(self, random: np.random.Generator, count: int) -> Array:
        """The next `count` values of a stream."""
        return self.low + (self.high - self.low) * random.beta(*self.shapes, count)

    def quantile(self, points: Array) -> Array:
        """Values at points of the unit interval."""
        inverse: Array = special().betaincinv(*self.shapes, points)
        return self.low + (self.high - self.low) * inverse

    def __str__(self) -> str:
        return f"PERT, {self.low:,.6g} to {self.high:,.6g}, mode {self.mode:,.6g}"


@dataclass(frozen=True)
class Normal:
    """Normal distribution."""

    mean: float
    deviation: float

    @property
    def low(self) -> float:
        """5th percentile."""
        return self.mean - _Z95 * self.deviation

    @property
    def high(self) -> float:
        """95th percentile."""
        return self.mean + _Z95 * self.deviation

    @property
    def variance(self) -> float:
        """Expected square of the distance from the mean."""
        return self.deviation**2

    def draw(self, random: np.random.Generator, count: int) -> Array:
        """The next `count` values of a stream."""
        return self.mean + self.deviation * random.standard_normal(count)

    def quantile(self, points: Array) -> Array:
        """Values at points of the unit interval."""
        inverse: Array = special().ndtri(np.clip(points, *_INSIDE))
        return self.mean + self.deviation * inverse

    def share_below(self, value: float) -> float:
        """Probability of less than `value`."""
        return NormalDist(self.mean, self.deviation).cdf(value)

    def __str__(self) -> str:
        return f"normal, P5 {self.low:,.6g}, P95 {self.high:,.6g}"


@dataclass(frozen=True)
class Lognormal:
    """A quantity whose logarithm is normal.

    Attributes
    ----------
    centre, width
        Mean and standard deviation of the logarithm.
    """

    centre: float
    width: float

    @property
    def low(self) -> float:
        """5th percentile."""
        return math.exp(self.centre - _Z95 * self.width)

    @property
    def high(self) -> float:
        """95th percentile."""
        return math.exp(self.centre + _Z95 * self.width)

    @property
    def mean(self) -> float:
        """Expected value."""
        return math.exp(self.centre + self.width**2 / 2)

    @property
    def variance(self) -> float:
        """Expected square of the distance from the mean."""
        return math.expm1(self.width**2) * math.exp(2 * self.centre + self.width**2)

    def draw(self, random: np.random.Generator, count: int) -> Array:
        """The next `count` values of a stream."""
        return np.exp(self.centre + self.width * random.standard_normal(count))

    def quantile(self, points: Array) -> Array:
        """Values at points of the unit interval."""
        inverse: Array = special().ndtri(np.clip(points, *_INSIDE))
        return np.exp(self.centre + self.width * inverse)

    def share_below(self, value: float) -> float:
        """Probability of less than `value`."""
        return 0.0 if value <= 0 else NormalDist(self.centre, self.width).cdf(math.log(value))

    def __str__(self) -> str:
        return f"lognormal, P5 {self.low:,.6g}, P95 {self.high:,.6g}"


@dataclass(frozen=True)
class Empirical(_Bounded):
    """One of the given samples, each as likely as the others."""

    samples: tuple[float, ...]

    @property
    def low(self) -> float:
        """The smallest sample."""
        return min(self.samples)

    @property
    def high(self) -> float:
        """The largest sample."""
        return max(self.samples)

    @property
    def mean(self) -> float:
        """Expected value."""
        return math.fsum(self.samples) / len(self.samples)

    @property
    def variance(self) -> float:
        """Expected square of the distance from the mean."""
        return float(np.var(np.asarray(self.samples)))

    def quantile(self, points: Array) -> Array:
        """Values at points of the unit interval."""
        ordered = np.sort(np.asarray(self.samples, dtype=np.float64))
        place = np.minimum((points * len(ordered)).astype(np.intp), len(ordered) - 1)
        return ordered[place]

    def __str__(self) -> str:
        return f"empirical, {len(self.samples)} samples, {self.low:,.6g} to {self.high:,.6g}"


def distribution_of(node: Node) -> Distribution | None:
    """How an input of a graph varies; None where it has one value only.

    Normal and lognormal take `low` and `high` as 5th and 95th percentile: both fix the distribution; with one of them
    the value is the median.
    """
    given = node.given
    if given is None:
        return None
    if given.samples:
        return Empirical(given.samples) if min(given.samples) < max(given.samples) else None
    low = node.value if given.low is None else given.low
    high = node.value if given.high is None else given.high
    if low == high:
        return None
    if given.distribution == "uniform":
        return Uniform(low, high)
    if given.distribution in ("normal", "lognormal"):
        logarithmic = given.distribution == "lognormal"
        ends = (math.log(low), math.log(high)) if logarithmic else (low, high)
        both = given.low is not None and given.high is not None
        centre = (ends[0] + ends[1]) / 2 if both else math.log(node.value) if logarithmic else node.value
        width = (ends[1] - ends[0]) / (2 * _Z95) if both else (ends[1] - ends[0]) / _Z95
        return Lognormal(centre, width) if logarithmic else Normal(centre, width)
    # A range that the value has left (a graph keeps the value) reaches to the value.
    low, high = min(low, node.value), max(high, node.value)
    return Pert(low, node.value, high) if given.distribution == "pert" else Triangular(low, node.value, high)


def varying(nodes: list[Node]) -> dict[str, Distribution]:
    """The inputs among `nodes` that have more than one value, by name."""
    found = {node.name: distribution_of(node) for node in nodes if node.operation == "input"}
    return {name: distribution for name, distribution in found.items() if distribution is not None}
