"""Kinds of error metric: what each is, what follows from it for another kind, and what does not.

A kind is never turned into the value of another. Where one kind bounds another, for every set of points, the bound is
an interval; where nothing follows, the refusal says why in one sentence.
"""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Literal, NamedTuple

from tco.errors import TcoError

Family = Literal["relative error", "bias", "association", "rank", "complement", "text"]
#: On which terms two rows of one kind may be put in order.
Ranking = Literal["same data", "listed only", "after conversion"]


class ConversionError(TcoError):
    """A conversion between kinds of error metric that does not hold; the message is one sentence."""


class MetricKind(StrEnum):
    """What the number in an error column is, of relative errors e = (predicted - measured) / measured."""

    mape = "mape"
    mean_ape_unspecified = "mean_ape_unspecified"
    error_unspecified = "error_unspecified"
    median_ape = "median_ape"
    percentile_ape = "percentile_ape"
    max_ape = "max_ape"
    geomean_ape = "geomean_ape"
    rmspe = "rmspe"
    wape = "wape"
    log_ratio = "log_ratio"
    mean_signed = "mean_signed"
    signed_error_of_mean = "signed_error_of_mean"
    pearson_r = "pearson_r"
    spearman_rho = "spearman_rho"
    kendall_tau = "kendall_tau"
    r2_identity = "r2_identity"
    accuracy_pct = "accuracy_pct"
    qualitative = "qualitative"


class Definition(NamedTuple):
    """A kind: its name for people, its formula, and how far it may be compared.

    Attributes
    ----------
    title, short
        In words, and for a table cell.
    formula
        Of predictions p and measurements m.
    ideal
        Value of a perfect prediction.
    inverts
        Whether run times and the throughputs made of them give one value.
    """

    title: str
    short: str
    family: Family
    formula: str
    unit: str
    ideal: float | None
    inverts: bool
    ranking: Ranking


_K = MetricKind
KINDS: dict[MetricKind, Definition] = {
    _K.mape: Definition(
        "mean absolute percentage error", "mean", "relative error", "mean |p - m| / m", "%", 0, False, "same data"
    ),
    _K.mean_ape_unspecified: Definition(
        "mean error whose formula is not stated",
        "mean, formula not stated",
        "relative error",
        "not stated",
        "%",
        0,
        False,
        "listed only",
    ),
    _K.error_unspecified: Definition(
        "error whose statistic is not stated",
        "statistic not stated",
        "relative error",
        "not stated",
        "%",
        0,
        False,
        "listed only",
    ),
    _K.median_ape: Definition(
        "median absolute percentage error", "median", "relative error", "median |p - m| / m", "%", 0, False, "same data"
    ),
    _K.percentile_ape: Definition(
        "percentile of the absolute percentage errors",
        "percentile",
        "relative error",
        "q-th percentile of |p - m| / m, linear between order statistics",
        "%",
        0,
        False,
        "same data",
    ),
    _K.max_ape: Definition(
        "maximum absolute percentage error", "maximum", "relative error", "max |p - m| / m", "%", 0, False, "same data"
    ),
    _K.geomean_ape: Definition(
        "geometric mean of the absolute percentage errors",
        "geometric mean",
        "relative error",
        "exp(mean ln(|p - m| / m))",
        "%",
        0,
        False,
        "same data",
    ),
    _K.rmspe: Definition(
        "root mean square percentage error",
        "root mean square",
        "relative error",
        "sqrt(mean ((p - m) / m)^2)",
        "%",
        0,
        False,
        "same data",
    ),
    _K.wape: Definition(
        "weighted absolute percentage error",
        "weighted mean",
        "relative error",
        "sum |p - m| / sum m",
        "%",
        0,
        False,
        "same data",
    ),
    _K.log_ratio: Definition(
        "log-ratio error", "log-ratio", "relative error", "exp(mean |ln(p / m)|) - 1", "%", 0, True, "same data"
    ),
    _K.mean_signed: Definition("mean signed error", "bias", "bias", "mean (p - m) / m", "%", 0, False, "listed only"),
    _K.signed_error_of_mean: Definition(
        "signed error of an average over requests",
        "error of the average",
        "bias",
        "(mean p - mean m) / mean m",
        "%",
        0,
        False,
        "same data",
    ),
    _K.pearson_r: Definition(
        "Pearson correlation", "Pearson r", "association", "corr(p, m)", "1", 1, False, "same data"
    ),
    _K.spearman_rho: Definition(
        "Spearman rank correlation", "Spearman rho", "rank", "corr(rank p, rank m)", "1", 1, False, "same data"
    ),
    _K.kendall_tau: Definition(
        "Kendall rank correlation",
        "Kendall tau",
        "rank",
        "(concordant - discordant) / pairs, corrected for ties",
        "1",
        1,
        False,
        "same data",
    ),
    _K.r2_identity: Definition(
        "R2 about the line p = m",
        "R2",
        "association",
        "1 - sum (p - m)^2 / sum (m - mean m)^2",
        "1",
        1,
        False,
        "same data",
    ),
    _K.accuracy_pct: Definition(
        "accuracy as its authors define it",
        "accuracy",
        "complement",
        "100 % - an error of a kind not stated",
        "%",
        100,
        False,
        "after conversion",
    ),
    _K.qualitative: Definition("words without a number", "words only", "text", "none", "", None, False, "listed only"),
}

_MEANS = (_K.mape, _K.mean_ape_unspecified, _K.geomean_ape, _K.wape, _K.rmspe, _K.log_ratio, _K.median_ape)


class Interval(NamedTuple):
    """What is known of a value: both ends equal where it was published, apart where only a bound was."""

    low: float
    high: float


_ZERO_TO = "low"  # from zero up to the value
_UP_FROM = "high"  # from the value on
#: What holds for every set of points: of a kind (first) for another (second). A maximum bounds any mean of the same
#: points; means follow the power-mean inequality; at least half of the points are at or above the median (Markov).
_BOUNDS: dict[tuple[MetricKind, MetricKind], tuple[str, float]] = {
    **{
        (_K.max_ape, kind): (_ZERO_TO, 1)
        for kind in (_K.mape, _K.median_ape, _K.percentile_ape, _K.geomean_ape, _K.rmspe, _K.wape)
    },
    **{
        (kind, _K.max_ape): (_UP_FROM, 1)
        for kind in (_K.mape, _K.median_ape, _K.percentile_ape, _K.geomean_ape, _K.rmspe, _K.wape)
    },
    (_K.mape, _K.rmspe): (_UP_FROM, 1),
    (_K.mape, _K.geomean_ape): (_ZERO_TO, 1),
    (_K.mape, _K.median_ape): (_ZERO_TO, 2),
    (_K.rmspe, _K.mape): (_ZERO_TO, 1),
    (_K.rmspe, _K.geomean_ape): (_ZERO_TO, 1),
    (_K.geomean_ape, _K.mape): (_UP_FROM, 1),
    (_K.geomean_ape, _K.rmspe): (_UP_FROM, 1),
    (_K.median_ape, _K.mape): (_UP_FROM, 0.5),
}
#: Errors of one point are one number.
_OF_ONE_POINT = (_K.mape, _K.median_ape, _K.percentile_ape, _K.max_ape, _K.geomean_ape, _K.rmspe, _K.wape)


def convert(
    kind: MetricKind,
    known: Interval,
    to: MetricKind,
    *,
    points: int | None = None,
    direction: Literal["over", "under"] | None = None,
    defined_as: MetricKind | None = None,
    percentile: float | None = None,
) -> Interval:
    """What a metric of one kind says about another kind of the same points.

    Parameters
    ----------
    kind, known
        The kind at hand and what is known of its value, in its unit (percent, or 1 for correlations).
    to
        The kind asked for.
    points
        Number of points; of one point the relative errors are one number.
    direction
        Whether the one point was predicted too large or too small; the log-ratio of one point needs it.
    defined_as
        For an accuracy, or an error whose formula the abstract leaves out: the kind that the full text defines.
    percentile
        Which one, where `kind` or `to` is a percentile.

    Returns
    -------
    Interval
        An open end is infinite.

    Raises
    ------
    ConversionError
        Where nothing follows.
    """
    if kind is to:
        return known
    a, b = KINDS[kind], KINDS[to]
    if kind in (_K.accuracy_pct, _K.mean_ape_unspecified, _K.error_unspecified):
        if defined_as is None or KINDS[defined_as].family != "relative error":
            raise ConversionError(f"{a.title.capitalize()}: no {b.title} unless the paper defines it as one.")
        value = Interval(100 - known.high, 100 - known.low) if kind is _K.accuracy_pct else known
        return convert(defined_as, value, to, points=points, direction=direction, percentile=percentile)
    if a.family in ("association", "rank"):
        raise ConversionError(f"A {a.title} is blind to scale, so 1 minus it is no error and no {b.title}.")
    if points == 1 and kind in _OF_ONE_POINT:
        if to in _OF_ONE_POINT:
            return known
        if to is _K.log_ratio and direction is not None:
            if direction == "over":
                return known
            return Interval(*(100 * e / (100 - e) if e < 100 else math.inf for e in known))
        if to is _K.log_ratio:
            raise ConversionError("The log-ratio of one point needs to know whether it was predicted too large.")
    if to is _K.wape and kind is _K.signed_error_of_mean:
        least = 0.0 if known.low <= 0 <= known.high else min(abs(known.low), abs(known.high))
        return Interval(least, math.inf)
    if _K.percentile_ape in (kind, to) and {kind, to} <= {_K.percentile_ape, _K.median_ape}:
        if percentile is None or percentile < 50:
            raise ConversionError("A percentile bounds the median only where it is known to be the 50th or above.")
        return Interval(0, known.high) if kind is _K.percentile_ape else Interval(known.low, math.inf)
    if (kind, to) in _BOUNDS:
        end, factor = _BOUNDS[kind, to]
        return Interval(0, factor * known.high) if end == _ZERO_TO else Interval(factor * known.low, math.inf)
    if to is _K.log_ratio:
        raise ConversionError(f"A log-ratio error is computed from pairs only, not from a {a.title} of several points.")
    raise ConversionError(f"Nothing about the {b.title} follows from a {a.title} of the same points.")


def why_not(a: MetricKind, b: MetricKind) -> str:
    """Why numbers of two kinds are not put in one order; the middle of a sentence."""
    kinds = (a, b)
    families = {KINDS[a].family, KINDS[b].family}
    if families & {"association", "rank"} and families - {"association", "rank"}:
        return "1 minus a correlation is not an error: a model that is always half as slow as the machine has r = 1"
    if _K.max_ape in kinds and any(kind in _MEANS for kind in kinds):
        return "a maximum over points is not a mean over points, and only bounds it from above"
    if _K.qualitative in kinds:
        return "words without a number have no place in an order"
    if families & {"bias"} and families - {"bias"}:
        return "signed errors cancel, so a small one says nothing of the size of the errors"
    if _K.accuracy_pct in kinds:
        return "an accuracy is the complement of an error only once its paper says of which"
    if {_K.mean_ape_unspecified, _K.error_unspecified} & set(kinds):
        return "the formula of one of them is not stated"
    return "they are different statistics of the same errors and differ on any set of points"
