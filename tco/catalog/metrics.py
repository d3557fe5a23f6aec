"""Error metrics of (predicted, measured) pairs: one definition of each, with bootstrap intervals.

Relative metrics are in percent and free of the unit of the pairs. Definitions: e = (p - m) / m, a = |e|; percentiles
interpolate linearly between order statistics (Hyndman and Fan 1996, definition 7); correlations are of raw values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tco.errors import TcoError

Array = NDArray[np.float64]
#: Correlations and R2 of fewer points say nothing.
FEWEST_FOR_ASSOCIATION = 3
#: Resamples times points held at a time, so that memory stays small.
_BLOCK = 2_000_000
#: A resample never holds more than the largest error, so the bootstrap says nothing of a maximum.
_NO_INTERVAL = ("max_ape",)
#: Above this, the interval of Kendall's tau, quadratic in the number of points, is left out.
_MOST_FOR_TAU_INTERVAL = 5_000


class Interval95(NamedTuple):
    """Ends of a bootstrap interval."""

    low: float
    high: float


class Metric(NamedTuple):
    """One metric of a set of pairs.

    Attributes
    ----------
    name
        As in the column of a table, with its unit.
    kind
        Of :class:`tco.catalog.kinds.MetricKind`; empty where the metric is none of them.
    value
        None where it is not defined: correlations of fewer than three points or of a constant, a geometric mean of
        errors one of which is zero.
    """

    name: str
    kind: str
    unit: str
    value: float | None
    interval: Interval95 | None = None


def _rows(array: Array) -> Array:
    return np.atleast_2d(array)


def _relative(p: Array, m: Array) -> Array:
    return (p - m) / m


def _mape(p: Array, m: Array) -> Array:
    return 100 * np.abs(_relative(p, m)).mean(axis=1)


def _percentile(q: float) -> Callable[[Array, Array], Array]:
    def _of(p: Array, m: Array) -> Array:
        return 100 * np.percentile(np.abs(_relative(p, m)), q, axis=1)

    return _of


def _max(p: Array, m: Array) -> Array:
    return 100 * np.abs(_relative(p, m)).max(axis=1)


def _mean_signed(p: Array, m: Array) -> Array:
    return 100 * _relative(p, m).mean(axis=1)


def _geomean(p: Array, m: Array) -> Array:
    errors = np.abs(_relative(p, m))
    with np.errstate(divide="ignore"):
        return np.where((errors == 0).any(axis=1), np.nan, 100 * np.exp(np.log(errors).mean(axis=1)))


def _log_ratio(p: Array, m: Array) -> Array:
    return 100 * np.expm1(np.abs(np.log(p / m)).mean(axis=1))


def _rmspe(p: Array, m: Array) -> Array:
    return 100 * np.sqrt(np.square(_relative(p, m)).mean(axis=1))


def _wape(p: Array, m: Array) -> Array:
    return 100 * np.abs(p - m).sum(axis=1) / m.sum(axis=1)


def _rmse(p: Array, m: Array) -> Array:
    return np.sqrt(np.square(p - m).mean(axis=1))


def _divide(top: Array, bottom: Array) -> Array:
    """Quotient; not a number where the divisor vanishes, as it does where all points are one."""
    safe = bottom > 0
    return np.where(safe, top / np.where(safe, bottom, 1), np.nan)


def _r2_identity(p: Array, m: Array) -> Array:
    spread = np.square(m - m.mean(axis=1, keepdims=True)).sum(axis=1)
    return np.where(spread > 0, 1 - _divide(np.square(p - m).sum(axis=1), spread), np.nan)


def _pearson(p: Array, m: Array) -> Array:
    x = p - p.mean(axis=1, keepdims=True)
    y = m - m.mean(axis=1, keepdims=True)
    # what rounding leaves of a constant is not spread
    flat = (np.ptp(p, axis=1) == 0) | (np.ptp(m, axis=1) == 0)
    r = _divide((x * y).sum(axis=1), np.sqrt(np.square(x).sum(axis=1) * np.square(y).sum(axis=1)))
    return np.where(flat, np.nan, np.clip(r, -1, 1))


def _pearson_log(p: Array, m: Array) -> Array:
    return _pearson(np.log(p), np.log(m))


def ranks(values: ArrayLike) -> Array:
    """Ranks from 1; equal values get the mean of their ranks."""
    _, group, counts = np.unique(np.asarray(values, dtype=float), return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[group]


def _spearman(p: Array, m: Array) -> Array:
    ranked = [np.stack([ranks(row) for row in side]) for side in (p, m)]
    return _pearson(ranked[0], ranked[1])


def _inversions(values: NDArray[np.int64]) -> int:
    """Pairs that stand in falling order; equal values are none. One stable pass per bit of the largest value."""
    total = 0
    for bit in reversed(range(int(values.max(initial=0)).bit_length())):
        group, one = values >> (bit + 1), (values >> bit) & 1
        before = np.cumsum(one) - one
        starts = np.flatnonzero(np.r_[True, group[1:] != group[:-1]])
        before -= np.repeat(before[starts], np.diff(np.r_[starts, len(values)]))
        total += int(before[one == 0].sum())
        values = values[np.argsort(values >> bit, kind="stable")]
    return total


def kendall_tau_b(predicted: ArrayLike, measured: ArrayLike) -> float | None:
    """Kendall's rank correlation, ties corrected on both sides; None where one side is constant.

    References
    ----------
    Kendall 1945, "The treatment of ties in ranking problems", Biometrika 33(3); counting after Knight 1966,
    "A computer method for calculating Kendall's tau with ungrouped data", JASA 61.
    """
    x = np.unique(np.asarray(predicted, dtype=float), return_inverse=True)[1].astype(np.int64)
    y = np.unique(np.asarray(measured, dtype=float), return_inverse=True)[1].astype(np.int64)

    def _tied(*sides: NDArray[np.int64]) -> int:
        counts = np.unique(np.stack(sides), axis=1, return_counts=True)[1].astype(np.int64)
        return int((counts * (counts - 1) // 2).sum())

    pairs = len(x) * (len(x) - 1) // 2
    tied_x, tied_y, tied_both = _tied(x), _tied(y), _tied(x, y)
    if pairs in (tied_x, tied_y):
        return None
    discordant = _inversions(y[np.lexsort((y, x))])
    score = pairs - tied_x - tied_y + tied_both - 2 * discordant
    return score / math.sqrt((pairs - tied_x) * (pairs - tied_y))


def _kendall(p: Array, m: Array) -> Array:
    values = [kendall_tau_b(*row) for row in zip(p, m, strict=True)]
    return np.array([math.nan if value is None else value for value in values])


def _spearman_resampled(p: Array, m: Array, weights: Array) -> Array:
    """Spearman's rho of resamples, from how often each point was drawn."""

    def _weighted_ranks(values: Array) -> Array:
        group = np.unique(values, return_inverse=True)[1]
        counts = np.zeros((len(weights), int(group.max()) + 1))
        order = np.argsort(group, kind="stable")
        starts = np.flatnonzero(np.r_[True, np.diff(group[order]) > 0])
        counts[:] = np.add.reduceat(weights[:, order], starts, axis=1)
        return (np.cumsum(counts, axis=1) - (counts - 1) / 2)[:, group]

    x, y = _weighted_ranks(p), _weighted_ranks(m)
    middle = (weights.sum(axis=1, keepdims=True) + 1) / 2
    x, y = x - middle, y - middle
    top = (weights * x * y).sum(axis=1)
    return _divide(top, np.sqrt((weights * x * x).sum(axis=1) * (weights * y * y).sum(axis=1)))


def _kendall_resampled(p: Array, m: Array, weights: Array) -> Array:
    """Kendall's tau-b of resamples, from how often each point was drawn: three quadratic forms."""
    x, y = np.sign(p[:, None] - p[None, :]), np.sign(m[:, None] - m[None, :])

    def _form(matrix: Array) -> Array:
        return ((weights @ matrix) * weights).sum(axis=1)

    return _divide(_form(x * y), np.sqrt(_form(x * x) * _form(y * y)))


Rowwise = Callable[[Array, Array], Array]
#: name -> kind, unit, function of (predicted, measured) with one set a row, fewest points
METRICS: dict[str, tuple[str, str, Rowwise, int]] = {
    "log_ratio": ("log_ratio", "%", _log_ratio, 1),
    "mape": ("mape", "%", _mape, 1),
    "median_ape": ("median_ape", "%", _percentile(50), 1),
    "p90_ape": ("percentile_ape", "%", _percentile(90), 1),
    "p95_ape": ("percentile_ape", "%", _percentile(95), 1),
    "max_ape": ("max_ape", "%", _max, 1),
    "geomean_ape": ("geomean_ape", "%", _geomean, 1),
    "mean_signed": ("mean_signed", "%", _mean_signed, 1),
    "rmspe": ("rmspe", "%", _rmspe, 1),
    "wape": ("wape", "%", _wape, 1),
    "pearson_r": ("pearson_r", "1", _pearson, FEWEST_FOR_ASSOCIATION),
    "pearson_r_log": ("", "1", _pearson_log, FEWEST_FOR_ASSOCIATION),
    "spearman_rho": ("spearman_rho", "1", _spearman, FEWEST_FOR_ASSOCIATION),
    "kendall_tau_b": ("kendall_tau", "1", _kendall, FEWEST_FOR_ASSOCIATION),
    "r2_identity": ("r2_identity", "1", _r2_identity, FEWEST_FOR_ASSOCIATION),
    "rmse": ("", "unit of the pairs", _rmse, 1),
}


def _checked(predicted: ArrayLike, measured: ArrayLike) -> tuple[Array, Array]:
    p, m = np.asarray(predicted, dtype=float).ravel(), np.asarray(measured, dtype=float).ravel()
    if len(p) != len(m) or not len(p):
        raise TcoError(f"metrics need as many predictions as measurements, at least one; got {len(p)} and {len(m)}")
    for what, values in (("predicted", p), ("measured", m)):
        wrong = np.flatnonzero(~(np.isfinite(values) & (values > 0)))
        if len(wrong):
            raise TcoError(f"{what}[{wrong[0]}] is {values[wrong[0]]:g}; errors are relative, so it must be above zero")
    return p, m


def metric(name: str, predicted: ArrayLike, measured: ArrayLike) -> float | None:
    """One metric of a set of pairs; None where it is not defined.

    Parameters
    ----------
    name
        A key of ``METRICS``.
    predicted, measured
        In one unit, all above zero.
    """
    p, m = _checked(predicted, measured)
    _, _, function, fewest = METRICS[name]
    if len(p) < fewest:
        return None
    value = float(function(_rows(p), _rows(m))[0])
    return None if math.isnan(value) else value


def _draws(points: int, resamples: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """Blocks of indices, one resample a row; the same each time for the same seed and number of points."""
    generator = np.random.default_rng(seed)
    at_a_time = max(1, _BLOCK // points)
    for start in range(0, resamples, at_a_time):
        yield generator.integers(0, points, (min(at_a_time, resamples - start), points))


def intervals(
    predicted: ArrayLike,
    measured: ArrayLike,
    names: tuple[str, ...] = tuple(METRICS),
    *,
    resamples: int = 2000,
    seed: int = 1,
    level: float = 0.95,
) -> dict[str, Interval95 | None]:
    """Percentile bootstrap intervals over the pairs; None where the bootstrap does not hold, as for a maximum.

    Parameters
    ----------
    names
        Keys of ``METRICS``.
    resamples, seed
        Number of resamples, and the seed that makes them the same each time.
    level
        Share of the resamples inside.

    Notes
    -----
    Pairs are drawn as if independent. Those of one study share a machine and a configuration file, so the interval
    says how far the choice of points moves the metric, not how well the tool does elsewhere.

    References
    ----------
    Efron and Tibshirani 1993, "An Introduction to the Bootstrap", chapter 13.
    """
    p, m = _checked(predicted, measured)
    n = len(p)
    wanted = [name for name in names if n >= max(2, METRICS[name][3]) and name not in _NO_INTERVAL]
    if n > _MOST_FOR_TAU_INTERVAL and "kendall_tau_b" in wanted:
        wanted.remove("kendall_tau_b")
    found: dict[str, list[Array]] = {name: [] for name in wanted}
    for drawn in _draws(n, resamples, seed):
        ps, ms = p[drawn], m[drawn]
        weights: Array | None = None
        if {"spearman_rho", "kendall_tau_b"} & set(wanted):
            flat = (drawn + n * np.arange(len(drawn))[:, None]).ravel()
            weights = np.bincount(flat, minlength=drawn.size).reshape(drawn.shape).astype(float)
        for name in wanted:
            if name == "spearman_rho" and weights is not None:
                values = _spearman_resampled(p, m, weights)
            elif name == "kendall_tau_b" and weights is not None:
                values = _kendall_resampled(p, m, weights)
            else:
                values = METRICS[name][2](ps, ms)
            found[name].append(values)
    ends = (50 * (1 - level), 50 * (1 + level))
    result: dict[str, Interval95 | None] = dict.fromkeys(names)
    for name, blocks in found.items():
        values = np.concatenate(blocks)
        values = values[~np.isnan(values)]
        if len(values):
            low, high = np.percentile(values, ends)
            result[name] = Interval95(float(low), float(high))
    return result


def scores(
    predicted: ArrayLike,
    measured: ArrayLike,
    *,
    resamples: int = 0,
    seed: int = 1,
    level: float = 0.95,
    unit: str = "unit of the pairs",
) -> dict[str, Metric]:
    """Every metric of a set of pairs, with bootstrap intervals where `resamples` is above zero.

    >>> result = scores([11.0, 9.0], [10.0, 10.0])
    >>> round(result["mape"].value, 9), round(result["mean_signed"].value, 9), result["pearson_r"].value
    (10.0, 0.0, None)
    """
    spread: dict[str, Interval95 | None] = {}
    if resamples:
        spread = intervals(predicted, measured, resamples=resamples, seed=seed, level=level)
    return {
        name: Metric(
            name,
            kind,
            unit if name == "rmse" else of,
            metric(name, predicted, measured),
            spread.get(name),
        )
        for name, (kind, of, _, _) in METRICS.items()
    }
