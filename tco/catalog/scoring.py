"""A file of pairs scored: every metric, and a validation row that only a person can finish."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from tco.catalog.checks import TO_FILL
from tco.catalog.kinds import KINDS, MetricKind
from tco.catalog.metrics import METRICS, Metric, scores
from tco.catalog.pairs import Pairs, PairSet
from tco.catalog.validations import EVIDENCE
from tco.errors import TcoError, did_you_mean

#: Words by which tools and papers name what is predicted, to the kind of quantity.
_QUANTITIES = (
    ("throughput", "throughput"),
    ("iteration", "step time"),
    ("step", "step time"),
    ("batch time", "step time"),
    ("memory", "memory"),
    ("energy", "energy"),
    ("emission", "emissions"),
    ("TTFT", "time to first token"),
    ("TPOT", "time per token"),
    ("latency", "request latency"),
    ("runtime", "run time"),
    ("time", "run time"),
)


class Score(NamedTuple):
    """Metrics of a set of pairs."""

    pairs: Pairs
    metrics: dict[str, Metric]
    resamples: int
    seed: int


def score(pairs: Pairs, *, resamples: int = 2000, seed: int = 1) -> Score:
    """Every metric of the pairs, with 95 % bootstrap intervals."""
    if resamples < 0:
        raise TcoError(f"resamples {resamples}: write a number of bootstrap resamples, 0 for no intervals")
    return Score(
        pairs,
        scores(*pairs.arrays, resamples=resamples, seed=seed, unit=pairs.unit or "unit of the pairs"),
        resamples,
        seed,
    )


def _quantity(words: tuple[str, ...]) -> str | None:
    kinds = {next((kind for word, kind in _QUANTITIES if word.casefold() in text.casefold()), None) for text in words}
    return kinds.pop() if len(kinds) == 1 else None


def _count(pairs: Pairs, column: str) -> str | None:
    numbers = sorted({int(number) for number in pairs.numbers(column)})
    if not numbers or len(pairs.numbers(column)) < len(pairs):
        return None
    return f"{{ min = {numbers[0]}, max = {numbers[-1]}, listed = {numbers} }}"


def _known(stored: PairSet | None) -> list[tuple[str, str | None]]:
    """What the record of a stored set says of a row made of it."""
    if stored is None:
        return []
    evidence = stored.prediction.evidence
    return [
        ("claim", '"recomputed"'),
        ("reference", json.dumps(stored.file.measured, ensure_ascii=False)),
        ("data", json.dumps(stored.file.data)),
        ("evidence", json.dumps(evidence.value) if evidence else None),
        ("tool_version", json.dumps(stored.prediction.version) if stored.prediction.version else None),
        ("source", json.dumps(f"stored pairs, set {stored.id}")),
        ("pairs", json.dumps(stored.id)),
    ]


def row_text(
    scored: Score,
    *,
    name: str,
    tool: str,
    metric: str = "log_ratio",
    stored: PairSet | None = None,
    where: Sequence[str] = (),
    throughput: bool = False,
) -> str:
    """A validation row as TOML, with what the pairs tell; the rest says that it is to be filled in.

    Parameters
    ----------
    name, tool
        Id of the row, and of the record of the tool.
    metric
        Which metric the row holds; ``log_ratio`` is the one that is the same for time and throughput.
    stored
        The stored set that the pairs are of, which tells what a file of pairs does not.
    where, throughput
        The conditions that picked the points, and whether times were taken as throughput.
    """
    if metric not in METRICS or not METRICS[metric][0]:
        known = [key for key, (kind, *_) in METRICS.items() if kind]
        raise TcoError(f"metric '{metric}' is not known{did_you_mean(metric, known)} Metrics: {', '.join(known)}")
    chosen, pairs = scored.metrics[metric], scored.pairs
    if chosen.value is None:
        raise TcoError(f"metric '{metric}' is not defined for the {len(pairs)} points of {pairs.where}")
    words, bias = pairs.values("quantity"), scored.metrics["mean_signed"].value

    def _quoted(texts: tuple[str, ...]) -> str:
        return json.dumps(", ".join(texts), ensure_ascii=False) if texts else f'"{TO_FILL}"'

    kind = MetricKind(chosen.kind)
    modes = pairs.values("mode")
    lines: list[tuple[str, str | None]] = [
        ("id", json.dumps(name)),
        ("tool", json.dumps(tool)),
        ("workload", _quoted(pairs.values("workload")[:5])),
        ("modes", json.dumps(list(modes)) if modes else f'["{TO_FILL}: training"]'),
        ("hardware", _quoted(pairs.values("hardware")[:5])),
        ("devices", _count(pairs, "devices")),
        ("nodes", _count(pairs, "nodes")),
        (
            "quantity",
            json.dumps(
                "throughput" if throughput else _quantity(words) or f"{TO_FILL}: step time, throughput, memory, energy"
            ),
        ),
        ("measured", _quoted(words[:3]) if words else None),
        ("points", str(len(pairs))),
        ("kind", json.dumps(kind.value)),
        ("percentile", metric[1:3] if kind is MetricKind.percentile_ape else None),
        ("value", f"{chosen.value:.2f}" if KINDS[kind].unit == "%" else f"{chosen.value:.4f}"),
        ("unit", json.dumps(KINDS[kind].unit)),
        ("places", "2" if KINDS[kind].unit == "%" else "4"),
        ("signed", "true"),
        ("bias", f"{bias:.2f}"),
        *_known(stored),
        ("subset", json.dumps(", ".join(where), ensure_ascii=False) if where else None),
        ("pairs_where", json.dumps(list(where), ensure_ascii=False) if where and stored else None),
        ("pairs_as", '"throughput"' if throughput and stored else None),
        ("claim", f'"{TO_FILL}: author, recomputed or cross-check"'),
        ("reference", f'"{TO_FILL}: who measured, where it is published"'),
        ("data", f'"{TO_FILL}: id of the measurements, shared by all rows on them"'),
        ("evidence", f'"{TO_FILL}: {", ".join(EVIDENCE)}"'),
        ("source", f'"{TO_FILL}: where the pairs are, with the place in it"'),
    ]
    given = {key: value for key, value in reversed(lines) if value is not None}  # what the set tells comes first
    body = "\n".join(f"{key} = {given[key]}" for key in dict.fromkeys(key for key, _ in lines) if key in given)
    return f"[[validations]]\n{body}\n"
