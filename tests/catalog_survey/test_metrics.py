"""Error metrics: every stored golden value at its printed digits, and laws that hold for any pairs."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tco.catalog.library import read_library
from tco.catalog.metrics import METRICS, intervals, kendall_tau_b, metric, ranks, scores
from tco.catalog.pairs import Pairs, as_throughput, select
from tco.errors import TcoError

LIBRARY = read_library()
COLUMNS = {
    "mape_pct": "mape",
    "median_ape_pct": "median_ape",
    "p90_ape_pct": "p90_ape",
    "max_ape_pct": "max_ape",
    "mean_signed_pct": "mean_signed",
    "geomean_ape_pct": "geomean_ape",
    "geomean_ratio_error_pct": "log_ratio",
    "rmspe_pct": "rmspe",
    "wape_pct": "wape",
    "r2_identity": "r2_identity",
    "pearson_r": "pearson_r",
    "spearman_rho": "spearman_rho",
    "kendall_tau_b": "kendall_tau_b",
}


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def subset(set_id: str, words: str) -> Pairs:
    """The points that the words of a golden row pick."""
    pairs = LIBRARY.pair_set(set_id).load()
    if words == "all":
        return pairs
    if words == "as throughput instead of runtime":
        return as_throughput(pairs)
    if words == "tensor parallel <= 8":
        return select(pairs, ["tp<=8"])
    if words == "tensor parallel 16":
        return select(pairs, ["tp=16"])
    if words.startswith("metric="):
        return select(pairs, [f"quantity^={words.removeprefix('metric=')}"])
    if words.startswith("config="):
        hardware, model = words.removeprefix("config=").split(" / ")
        return select(pairs, [f"hardware={hardware}", f"workload^={model}"])
    return select(pairs, [words])


def test_all_97_subsets_to_the_printed_digits(shared: Path) -> None:
    golden = rows_of(shared / "facts" / "catalogue" / "pair_metrics.csv")
    assert len(golden) == 97
    compared = 0
    for row in golden:
        pairs = subset(row["set_id"], row["subset"])
        where = f"{row['set_id']}: {row['subset']}"
        assert len(pairs) == int(row["n"]), where
        devices = pairs.numbers("devices")
        assert (min(devices), max(devices)) == (int(row["devices_min"]), int(row["devices_max"])), where
        values = {name: metric(name, *pairs.arrays) for name in COLUMNS.values()}
        printed = {column: values[name] for column, name in COLUMNS.items()}
        r = values["pearson_r"]
        printed["one_minus_pearson"] = None if r is None else 1 - r
        for column, value in printed.items():
            if row[column] == "":
                assert value is None, f"{where}: {column}"
            else:
                assert value == pytest.approx(float(row[column]), abs=0.500001e-4), f"{where}: {column}"
            compared += 1
    assert compared == 97 * 14


GROUPS = {
    "SC21-T1": "sc21-table-1",
    "SC21-T2": "sc21-table-2",
    "KOR22-T5": "korthikanti-table-5",
    "MTNLG": "mtnlg-530b",
    "VTRAIN-MULTI": "vtrain-multi",
    "VTRAIN-SINGLE": "vtrain-single",
}


def test_the_cross_check_of_seven_predictors_to_four_significant_digits(shared: Path) -> None:
    names = {
        "mape_pct": "mape",
        "median_ape_pct": "median_ape",
        "p95_ape_pct": "p95_ape",
        "max_ape_pct": "max_ape",
        "bias_pct": "mean_signed",
        "rmse_s": "rmse",
        "rmspe_pct": "rmspe",
        "pearson_r": "pearson_r",
        "spearman_rho": "spearman_rho",
        "kendall_tau_b": "kendall_tau_b",
        "r2_about_identity": "r2_identity",
        "pearson_r_log": "pearson_r_log",
    }
    by_predictor = {
        (s.prediction.predictor, s.file.data): s
        for s in LIBRARY.pair_sets.values()
        if s.file.file.endswith("-all-tools.csv")
    }
    golden = rows_of(shared / "facts" / "simulators" / "validation_metrics.csv")
    assert len(golden) == 56
    for row in golden:
        pooled = [name for group, name in GROUPS.items() if group != "VTRAIN-SINGLE"]
        if row["group"] == "LARGE-NOT-KOR22":
            pooled.remove("korthikanti-table-5")
        data = [GROUPS[row["group"]]] if row["group"] in GROUPS else pooled
        loaded = [by_predictor[row["tool"], name].load() for name in data]
        p, m = (np.concatenate([pairs.arrays[side] for pairs in loaded]) for side in (0, 1))
        assert len(p) == int(row["n_predicted"])
        for column, name in names.items():
            value, printed = metric(name, p, m), float(row[column])
            places = 3 - math.floor(math.log10(abs(printed)))
            # a number printed with fewer digits ended in zeros
            assert value == pytest.approx(printed, abs=0.5001 * 10.0**-places), f"{row['group']} {row['tool']} {column}"


@pytest.mark.parametrize(
    ("set_id", "throughput", "name", "printed", "places"),
    [
        ("distir-fig3", False, "mape", 46.0, 1),
        ("distir-fig3", True, "mape", 134.6, 1),
        ("calculon-tab5", False, "mape", 3.65, 2),
        ("calculon-tab5", False, "max_ape", 8.87, 2),
        ("neusight-habitat", False, "mape", 385, 0),
        ("neusight-habitat", False, "median_ape", 24.3, 1),
        ("neusight-habitat", False, "geomean_ape", 35.6, 1),
        ("llmcarbon-operational", False, "mape", 3.40, 2),
    ],
)
def test_headline_values(set_id: str, throughput: bool, name: str, printed: float, places: int) -> None:
    pairs = LIBRARY.pair_set(set_id).load()
    value = metric(name, *(as_throughput(pairs) if throughput else pairs).arrays)
    assert value == pytest.approx(printed, abs=0.5001 * 10**-places)


def test_the_log_ratio_is_one_number_for_time_and_throughput() -> None:
    pairs = LIBRARY.pair_set("distir-fig3").load()
    as_time, as_rate = metric("log_ratio", *pairs.arrays), metric("log_ratio", *as_throughput(pairs).arrays)
    assert as_time == pytest.approx(as_rate, rel=1e-12)
    assert as_time == pytest.approx(108.1946, abs=0.5e-4)


positive = st.floats(1e-3, 1e6)
points = st.lists(st.tuples(positive, positive), min_size=1, max_size=30)
RELATIVE = [name for name, (_, unit, _, _) in METRICS.items() if unit == "%"]


@given(points)
def test_log_ratio_is_symmetric(pairs: list[tuple[float, float]]) -> None:
    p, m = zip(*pairs, strict=True)
    assert metric("log_ratio", p, m) == pytest.approx(metric("log_ratio", m, p), rel=1e-9, abs=1e-9)


@given(points, st.lists(positive, min_size=30, max_size=30))
def test_log_ratio_is_the_same_for_time_and_throughput(pairs: list[tuple[float, float]], batches: list[float]) -> None:
    p, m = (np.array(side) for side in zip(*pairs, strict=True))
    work = np.array(batches[: len(p)])
    assert metric("log_ratio", work / p, work / m) == pytest.approx(metric("log_ratio", p, m), rel=1e-9, abs=1e-9)


@given(points, st.floats(1e-3, 1e3))
def test_scaling_the_unit_changes_nothing(pairs: list[tuple[float, float]], factor: float) -> None:
    p, m = (np.array(side) for side in zip(*pairs, strict=True))
    for name in (*RELATIVE, "kendall_tau_b"):
        before, after = metric(name, p, m), metric(name, p * factor, m * factor)
        if name == "kendall_tau_b":  # values that differ in the last place may become equal
            assume(len(set(p)) == len(set(p * factor)) and len(set(m)) == len(set(m * factor)))
        if name == "geomean_ape" and (before is None or after is None):
            continue  # an error of exactly zero may become one of the last place
        assert (before is None) == (after is None)
        if before is not None and name != "geomean_ape":
            assert after == pytest.approx(before, rel=1e-7, abs=1e-7), name


@given(points)
def test_the_order_of_the_means(pairs: list[tuple[float, float]]) -> None:
    p, m = zip(*pairs, strict=True)
    got = {name: metric(name, p, m) for name in RELATIVE}
    slack = 1 + 1e-9
    largest, mean, root = got["max_ape"], got["mape"], got["rmspe"]
    assert None not in (largest, mean, root)
    assert mean <= root * slack <= largest * slack**2
    assert got["median_ape"] <= got["p90_ape"] * slack <= got["p95_ape"] * slack**2 <= largest * slack**3
    assert got["median_ape"] <= 2 * mean * slack
    assert got["wape"] <= largest * slack
    if got["geomean_ape"] is not None:
        assert got["geomean_ape"] <= mean * slack
    assert abs(got["mean_signed"]) <= mean * slack


@given(st.lists(positive, min_size=3, max_size=30))
def test_a_perfect_prediction(values: list[float]) -> None:
    got = {name: metric(name, values, values) for name in METRICS}
    for name in (*RELATIVE, "rmse"):
        assert got[name] == (None if name == "geomean_ape" else 0)
    for name in ("pearson_r", "spearman_rho", "kendall_tau_b", "r2_identity"):
        assert got[name] is None or got[name] == pytest.approx(1)
    assert (got["kendall_tau_b"] is None) == (len(set(values)) == 1)


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6)), min_size=2, max_size=25))
def test_kendall_against_its_definition(pairs: list[tuple[int, int]]) -> None:
    """Counted pair by pair, ties on both sides among few different values."""
    x, y = zip(*pairs, strict=True)
    both = [(i, j) for i in range(len(x)) for j in range(i)]
    signs = [(np.sign(x[i] - x[j]), np.sign(y[i] - y[j])) for i, j in both]
    untied = [sum(sign != 0 for sign in side) for side in zip(*signs, strict=True)]
    got = kendall_tau_b(x, y)
    if 0 in untied:
        assert got is None
    else:
        assert got == pytest.approx(sum(a * b for a, b in signs) / math.sqrt(untied[0] * untied[1]))


def test_ranks_share_the_mean_of_their_places() -> None:
    assert list(ranks([10, 30, 20, 30, 5])) == [2, 4.5, 3, 4.5, 1]


def test_what_is_not_defined_is_none() -> None:
    assert metric("pearson_r", [1, 2], [1, 2]) is None
    assert metric("pearson_r", [3, 3, 3], [1, 2, 3]) is None
    assert metric("r2_identity", [1, 2, 3], [4, 4, 4]) is None
    assert metric("spearman_rho", [3, 3, 3], [1, 2, 3]) is None
    assert metric("geomean_ape", [1.0, 2.2], [1.0, 2.0]) is None


@pytest.mark.parametrize(
    ("predicted", "measured", "message"),
    [
        ([1.0], [0.0], "measured[0] is 0; errors are relative, so it must be above zero"),
        ([1.0, -2.0], [1.0, 1.0], "predicted[1] is -2; errors are relative, so it must be above zero"),
        ([math.nan], [1.0], "predicted[0] is nan"),
        ([], [], "at least one; got 0 and 0"),
        ([1.0, 2.0], [1.0], "got 2 and 1"),
    ],
)
def test_what_cannot_be_scored(predicted: list[float], measured: list[float], message: str) -> None:
    with pytest.raises(TcoError) as caught:
        metric("mape", predicted, measured)
    assert message in str(caught.value)


def test_intervals_are_those_of_plain_resampling() -> None:
    """The rank correlations of resamples come from counts; drawn one by one they are the same."""
    pairs = LIBRARY.pair_set("calculon-fig1-mem").load()
    p, m = pairs.arrays
    got = intervals(p, m, ("spearman_rho", "kendall_tau_b", "mape"), resamples=200, seed=7)
    drawn = np.random.default_rng(7).integers(0, len(p), (200, len(p)))
    for name, spread in got.items():
        values = [metric(name, p[row], m[row]) for row in drawn]
        low, high = np.percentile([value for value in values if value is not None], (2.5, 97.5))
        assert spread == pytest.approx((low, high), rel=1e-9)


def test_intervals_repeat_and_hold_the_value() -> None:
    pairs = LIBRARY.pair_set("neusight-neusight").load()
    first, again, other = (scores(*pairs.arrays, resamples=300, seed=seed) for seed in (1, 1, 2))
    assert first == again != other
    for name, result in first.items():
        if name == "max_ape":
            assert result.interval is None  # no resample exceeds the largest error
        else:
            assert result.interval is not None, name
            assert result.interval.low <= result.value <= result.interval.high, name


def test_one_point_has_no_interval() -> None:
    assert scores([1.1], [1.0], resamples=10)["mape"].interval is None
