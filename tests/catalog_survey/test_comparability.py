"""Kinds, conversions, and which errors may stand in one order."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tco.catalog import comparable
from tco.catalog.comparability import groups, order
from tco.catalog.comparison import causes, compare, sentences
from tco.catalog.kinds import KINDS, ConversionError, Interval, MetricKind, convert
from tco.catalog.library import read_library
from tco.catalog.metrics import METRICS, metric
from tco.catalog.validations import EvidenceClass, Validation

LIBRARY = read_library()
ROWS = LIBRARY.validations
K = MetricKind


def test_kinds_are_those_of_the_facts(shared: Path) -> None:
    with (shared / "facts" / "catalogue" / "metric_kinds.csv").open(newline="", encoding="utf-8") as file:
        facts = {row["metric_kind"]: row for row in csv.DictReader(file)}
    assert len(facts) == 18
    assert set(facts) == {kind.value for kind in MetricKind}
    for kind, definition in KINDS.items():
        row = facts[kind.value]
        assert definition.family == row["family"]
        assert definition.unit == row["unit"]
        assert definition.inverts == (row["invariant_time_vs_throughput"] == "yes")
        assert (definition.ideal is None) == (row["ideal"] == "")
        if definition.ideal is not None:
            assert definition.ideal == float(row["ideal"])
        if row["may_rank_within_kind"] in ("listing only", "never alone", "no"):
            assert definition.ranking == "listed only"
        if row["may_rank_within_kind"] == "only after conversion":
            assert definition.ranking == "after conversion"


positive = st.floats(0.1, 1e4)
pairs = st.lists(st.tuples(positive, positive), min_size=1, max_size=20)


@given(pairs)
def test_every_conversion_holds_for_any_points(points: list[tuple[float, float]]) -> None:
    """What follows from one kind always contains the value of the other."""
    p, m = zip(*points, strict=True)
    values = {}
    for name, (kind, *_) in METRICS.items():
        value = metric(name, p, m) if name != "p95_ape" else None
        if kind and value is not None:
            values[MetricKind(kind)] = value
    direction = "over" if p[0] >= m[0] else "under"
    tried = 0
    for kind, value in values.items():
        for to, other in values.items():
            try:
                known = convert(
                    kind, Interval(value, value), to, points=len(points), direction=direction, percentile=90
                )
            except ConversionError:
                continue
            slack = 1e-7 * max(1, abs(other))
            assert known.low - slack <= other <= known.high + slack, (kind, to)
            tried += 1
    assert tried >= len(values)


@pytest.mark.parametrize(
    ("kind", "to", "options", "low", "high"),
    [
        (K.max_ape, K.mape, {}, 0, 12),
        (K.mape, K.max_ape, {}, 12, math.inf),
        (K.mape, K.median_ape, {}, 0, 24),
        (K.accuracy_pct, K.mape, {"defined_as": K.mape}, 88, 88),
        (K.mape, K.log_ratio, {"points": 1, "direction": "over"}, 12, 12),
        (K.mape, K.log_ratio, {"points": 1, "direction": "under"}, 100 * 12 / 88, 100 * 12 / 88),
        (K.signed_error_of_mean, K.wape, {}, 12, math.inf),
        (K.percentile_ape, K.median_ape, {"percentile": 90}, 0, 12),
    ],
)
def test_legitimate_conversions(kind, to, options, low, high) -> None:
    assert convert(kind, Interval(12, 12), to, **options) == pytest.approx((low, high))


@pytest.mark.parametrize(
    ("kind", "to", "message"),
    [
        (
            K.pearson_r,
            K.mape,
            "A Pearson correlation is blind to scale, so 1 minus it is no error and no mean absolute",
        ),
        (K.spearman_rho, K.max_ape, "is blind to scale"),
        (K.mape, K.log_ratio, "A log-ratio error is computed from pairs only, not from a mean absolute"),
        (K.mean_signed, K.mape, "Nothing about the mean absolute percentage error follows from a mean signed error"),
        (K.max_ape, K.mean_signed, "Nothing about the mean signed error follows"),
        (K.accuracy_pct, K.mape, "unless the paper defines it as one"),
        (K.error_unspecified, K.mape, "unless the paper defines it as one"),
        (K.wape, K.mape, "Nothing about the mean absolute percentage error follows"),
        (K.percentile_ape, K.median_ape, "only where it is known to be the 50th or above"),
    ],
)
def test_illegitimate_conversions_say_why_in_one_sentence(kind, to, message) -> None:
    with pytest.raises(ConversionError) as caught:
        convert(kind, Interval(3, 3), to)
    text = str(caught.value)
    assert message in text
    assert text.endswith(".")
    assert ". " not in text


@pytest.mark.parametrize(
    ("a", "b", "code", "words"),
    [
        ("distir-01", "calculon-01", "kind", "1 minus a correlation is not an error"),
        ("amped-01", "calculon-01", "kind", "a maximum over points is not a mean over points"),
        ("flexflow-01", "calculon-01", "kind", "a maximum over points is not a mean over points"),
        ("lumos-01", "llm-analysis-01", "evidence", "a replay is given quantities of the very runs that a blind"),
        ("atlahs-01", "neusight-01", "evidence", "a replay is given quantities of the very runs that a blind"),
        ("calculon-01", "llm-analysis-01", "evidence", "a tool that was tuned on these measurements"),
        ("calculon-01", "calculon-06", "data", "on different measurements (korthikanti-table-5; vtrain-multi)"),
        ("calculon-06", "calculon-07", "points", "on different points of vtrain-multi"),
        ("distir-01", "distir-03", "quantity", "distir-01 is about throughput and distir-03 about runtime"),
        ("flexflow-01", "vtrain-01", "memory", "is from memory and was not checked in a source"),
        ("multiverse-01", "vtrain-01", "conflict", "has an unresolved conflict about its devices"),
        ("simai-01", "vtrain-01", "listed only", "the complement of an error whose kind is not stated"),
        ("onnxim-01", "synperf-01", "reference", "onnxim-01 is held against another simulation"),
        ("proteus-01", "echo-01", "listed only", "does not say how it was computed"),
        ("vtrain-01", "energylens-01", "mode", "vtrain-01 is about training, energylens-01 about inference"),
    ],
)
def test_what_is_not_comparable_and_why(a: str, b: str, code: str, words: str) -> None:
    verdict = comparable(ROWS[a], ROWS[b])
    assert not verdict
    texts = [reason.text for reason in verdict.reasons if reason.code == code]
    assert any(words in text for text in texts), texts
    for reason in verdict.reasons:
        assert reason.text.endswith(".")
        assert ". " not in reason.text.replace("v. ", "")


def test_comparable_is_symmetric_and_never_admits_memory_or_disputes() -> None:
    rows = list(ROWS.values())
    for i, a in enumerate(rows):
        for b in rows[:i]:
            one, other = comparable(a, b), comparable(b, a)
            assert bool(one) == bool(other)
            assert {reason.code for reason in one.reasons} == {reason.code for reason in other.reasons}
            if one:
                assert {a.from_memory, b.from_memory} == {False}
                assert (a.kind, a.data, a.evidence) == (b.kind, b.data, b.evidence)


def test_what_may_be_ranked_is() -> None:
    assert comparable(ROWS["calculon-09"], ROWS["llm-analysis-02"])
    placed = order([ROWS["calculon-09"], ROWS["llm-analysis-02"], ROWS["llm-analysis-08"]])
    assert [(p.row.id, p.place) for p in placed] == [
        ("llm-analysis-02", "1"),
        ("calculon-09", "2"),
        ("llm-analysis-08", "3"),
    ]
    with pytest.raises(ValueError, match="1 minus a correlation"):
        order([ROWS["distir-01"], ROWS["calculon-01"]])


def row(name: str, value: float, **more) -> Validation:
    fields = {
        "id": name,
        "tool": name,
        "workload": "w",
        "modes": ("training",),
        "hardware": "h",
        "quantity": "step time",
        "kind": "max_ape",
        "value": value,
        "claim": "author",
        "reference": "r",
        "data": "d",
        "points": 10,
        "evidence": "blind",
        "source": "s",
        **more,
    }
    return Validation.model_validate(fields)


def test_bounds_are_intervals() -> None:
    three, five, seen = row("a", 3, bound="upper"), row("b", 5, bound="upper"), row("c", 4)
    placed = {p.row.id: p.place for p in order([three, five, seen])}
    assert placed == {"a": "1 to 2", "b": "1 to 3", "c": "2 to 3"}
    assert {p.row.id: p.place for p in order([row("a", 3), seen])} == {"a": "1", "c": "2"}


def test_correlations_are_ranked_by_their_distance_from_one() -> None:
    of = {"kind": "pearson_r", "unit": "1"}
    assert [p.row.id for p in order([row("a", 0.9, **of), row("b", 0.99, **of)])] == ["b", "a"]


def test_the_log_ratio_joins_time_and_throughput() -> None:
    time, rate = row("a", 3, kind="log_ratio"), row("b", 4, kind="log_ratio", quantity="throughput")
    assert comparable(time, rate)
    assert not comparable(time.model_copy(update={"kind": K.mape}), rate.model_copy(update={"kind": K.mape}))


def test_groups_hold_only_comparable_rows() -> None:
    found = groups(ROWS.values())
    assert len(found) == 6
    for group in found:
        rows = [placed.row for placed in group.rows]
        assert all(comparable(a, b) for a in rows for b in rows)


def test_compare_refuses_in_one_sentence_each() -> None:
    found = compare(LIBRARY, names=["calculon", "distir", "amped", "flexflow", "lumos", "llm-analysis"])
    texts = sentences(found.refusals)
    for start, end in (
        ("calculon-01 (mean absolute percentage error) and distir-01 (Pearson correlation)", "has r = 1."),
        ("calculon-01 (mean absolute percentage error) and amped-01 (bound on the maximum", "bounds it from above."),
        ("calculon-01 (mean absolute percentage error) and flexflow-01 (bound on the maximum", "bounds it from above."),
        ("lumos-01 is a replay and llm-analysis-01 blind, which are not ranked together", "has never seen."),
    ):
        assert sum(text.startswith(start) and text.endswith(end) for text in texts) == 1
    tools = {frozenset(placed.row.tool for placed in group.rows) for group in found.ranked}
    assert tools == {frozenset({"calculon", "llm-analysis"})}


def test_over_all_simulators_no_pair_of_leading_errors_is_ranked() -> None:
    found = compare(LIBRARY)
    leading = [entry for entry in LIBRARY.of_kind("simulators") if LIBRARY.rows_of(entry.name)]
    assert len(found.refusals) == len(leading) * (len(leading) - 1) // 2
    of = {cause.text: cause.pairs for cause in causes(found.refusals)}
    # Calculon and llm-analysis alone are on the same points, the one tuned on them
    assert of["an error belongs to its points as much as to its tool"] == len(found.refusals) - 1


def test_calculon_is_fitted_on_its_own_validation_points() -> None:
    assert {ROWS[f"calculon-0{i}"].evidence for i in range(1, 6)} == {EvidenceClass.fitted}
    assert {ROWS[f"calculon-{i}"].evidence for i in ("06", "07", "08", "09", "10", "11")} == {EvidenceClass.blind}
    assert LIBRARY.pair_set("calculon-tab5").prediction.evidence is EvidenceClass.fitted
    assert LIBRARY.pair_set("calculon@korthikanti-table-5").prediction.evidence is EvidenceClass.fitted
