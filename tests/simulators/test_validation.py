"""Stored pairs and live predictions against the published metrics, times and calls (shared/facts/simulators)."""

from __future__ import annotations

import csv
import importlib.util
import os
from pathlib import Path

import pytest

from tco.catalog.library import library
from tco.catalog.metrics import metric
from tco.catalog.performance import measured_set, measured_sets
from tco.errors import RecordError
from tco.simulators import SimulatorError, calibrate, simulate, time_ratio
from tco.simulators.scoring import GROUPS, predict, validation_scores, workload_of
from tco.simulators.workloads import parameters

ROOT = Path(__file__).resolve().parent.parent.parent
GROUP_NAMES = {
    "SC21-T1": "sc21-table-1",
    "SC21-T2": "sc21-table-2",
    "KOR22-T5": "korthikanti-table-5",
    "MTNLG": "mtnlg-530b",
    "VTRAIN-MULTI": "vtrain-multi",
    "VTRAIN-SINGLE": "vtrain-single",
    "LARGE-ALL (all but VTRAIN-SINGLE)": "all but vtrain-single",
    "LARGE-NOT-KOR22": "all but vtrain-single and korthikanti-table-5",
}
COLUMNS = {
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
has_llm_analysis = pytest.mark.skipif(
    importlib.util.find_spec("llm_analysis") is None, reason="llm-analysis is not installed (extra: simulators)"
)


def test_every_published_metric_from_the_stored_pairs(shared: Path) -> None:
    scores = {(group, predictor): values for group, predictor, _, values in validation_scores()}
    checked = 0
    for row in csv.DictReader((shared / "facts/simulators/validation_metrics.csv").read_text().splitlines()):
        values = scores[GROUP_NAMES[row["group"]], row["tool"]]
        assert values["points"] == int(row["n_configs"]) == int(row["n_predicted"])
        for column, name in COLUMNS.items():
            value = values[name]
            assert value is not None
            assert f"{value:.4g}" == f"{float(row[column]):.4g}", (row["group"], row["tool"], column)
            checked += 1
        assert f"{1 - (values['pearson_r'] or 0):.4g}" == f"{float(row['one_minus_r']):.4g}"
    assert checked == 56 * 12


def test_the_printed_table_of_docs_is_the_one_that_the_pairs_give() -> None:
    from tco.reports.simulated import of_validation
    from tco.reports.tables import to_markdown

    text = (ROOT / "docs" / "simulators-validation.md").read_text()
    assert to_markdown("Predictors of training time", of_validation(validation_scores())) == text


# validation_metrics.csv, column mape_pct: what a simulator must beat
@pytest.mark.parametrize(
    ("data", "six", "eight"),
    [
        ("sc21-table-1", "16.08", "11.69"),
        ("sc21-table-2", "8.162", "6.156"),
        ("korthikanti-table-5", "17.87", "10.92"),
        ("mtnlg-530b", "29.1", "24.37"),
        ("vtrain-multi", "32.26", "27.84"),
        ("vtrain-single", "64.72", "62.6"),
    ],
)
def test_the_rules_of_thumb_run_live(data: str, six: str, eight: str) -> None:
    for name, printed in (("6nd", six), ("8nd", eight)):
        found = predict(name, data)
        assert not found.faults
        value = metric("mape", *found.pairs.arrays)
        assert f"{value:.4g}" == printed
        stored = library().pair_set(f"{'6nd-mfu40' if name == '6nd' else '8nd-hfu50'}@{data}").load()
        assert found.pairs.predicted == pytest.approx(stored.predicted, rel=6e-6)  # stored with six digits


def test_parameters_are_those_of_the_published_table(shared: Path) -> None:
    published = {
        row["config_id"]: int(row["parameters"])
        for row in csv.DictReader((shared / "facts/simulators/measured_training.csv").read_text().splitlines())
    }
    for name in GROUP_NAMES.values():
        if name not in measured_sets():
            continue
        data = measured_set(name)
        for step in data.steps[:200]:
            assert float(parameters(workload_of(step, data)).m_as("1")) == published[step.id]


def test_measured_steps_carry_over(shared: Path) -> None:
    rows = list(csv.DictReader((shared / "facts/simulators/measured_training.csv").read_text().splitlines()))
    ours = {step.id: step for name in measured_sets() for step in measured_set(name).steps}
    assert len([step for step in ours if not step.startswith("mcore")]) == len(rows) == 1576
    for row in rows:
        step = ours[row["config_id"]]
        assert step.measured_s == float(row["iteration_time_s"])
        split = (step.tensor, step.pipeline, step.data)
        assert split == (int(row["tensor_parallel"]), int(row["pipeline_parallel"]), int(row["data_parallel"]))
        assert step.recompute == row["activation_recompute"]
    assert not [row for row in rows if row["from_memory"] != "False" and row["from_memory"] != "false"]


@has_llm_analysis
def test_llm_analysis_live_gives_its_stored_predictions(shared: Path) -> None:
    expected: dict[tuple[str, str], dict[str, float]] = {}
    for row in csv.DictReader((shared / "facts/simulators/llm_analysis_calls.csv").read_text().splitlines()):
        key = GROUP_NAMES[row["group"]], row["flops_efficiency"]
        expected.setdefault(key, {})[row["config_id"]] = float(row["expected_latency_per_iter_s"])
    points = 0
    for (data, efficiency), calls in expected.items():
        found = predict("llm-analysis", data, settings={"flops_efficiency": efficiency})
        got = {row["pair_id"]: value for row, value in zip(found.pairs.columns, found.pairs.predicted, strict=True)}
        assert got == pytest.approx(calls, rel=1e-12)
        points += len(calls)
    assert points == 2 * 27


@has_llm_analysis
@pytest.mark.parametrize("data", ["sc21-table-1", "sc21-table-2", "korthikanti-table-5", "mtnlg-530b"])
def test_llm_analysis_live_gives_the_pairs_of_the_catalogue(data: str) -> None:
    for efficiency in ("1.0", "0.5"):
        found = predict("llm-analysis", data, settings={"flops_efficiency": efficiency})
        stored = library().pair_set(f"llm-analysis-eff{efficiency}@{data}").load()
        assert found.pairs.predicted == pytest.approx(stored.predicted, rel=6e-6)


@has_llm_analysis
def test_llm_analysis_counts_a_plain_feed_forward_network_and_we_say_so(workload: Path) -> None:
    plain = simulate(workload, ["llm-analysis"], "dgx-a100", devices=64)[0].run
    workload.write_text(workload.read_text().replace("heads = 96", "heads = 96\ngated = true\nfeedforward = 40960"))
    gated = simulate(workload, ["llm-analysis"], "dgx-a100", devices=64)[0].run
    assert plain is not None
    assert gated is not None
    assert not plain.warnings
    (warning,) = gated.warnings
    assert warning.message.endswith("that of this model has 1.25 times as many")
    assert gated.duration is not None
    assert plain.duration is not None
    assert gated.duration.m_as("s") == plain.duration.m_as("s")


@pytest.mark.skipif("TCO_TEST_CALCULON" not in os.environ, reason="TCO_TEST_CALCULON names no checkout of Calculon")
@pytest.mark.parametrize("data", ["sc21-table-1", "sc21-table-2", "korthikanti-table-5", "mtnlg-530b", "vtrain-multi"])
def test_calculon_live_gives_its_stored_predictions(data: str) -> None:
    found = predict("calculon", data, settings={"path": os.environ["TCO_TEST_CALCULON"]})
    assert not found.faults
    stored = library().pair_set(f"calculon@{data}").load()
    assert found.pairs.predicted == pytest.approx(stored.predicted, rel=6e-6)


def test_a_set_without_what_a_rule_needs_says_so() -> None:
    assert len(predict("6nd", "mcore-h100").pairs) == 9
    with pytest.raises(SimulatorError, match=r"predicts none of the 9 steps of mcore-h100: .*recompute: is not stated"):
        predict("8nd", "mcore-h100")
    with pytest.raises(RecordError, match="there is no set of measured steps 'vtrain'; did you mean"):
        predict("6nd", "vtrain")


# baselines.csv: geometric means over the 10 points of SC21 Table 1
def test_calibration_gives_the_published_factors() -> None:
    calculon = calibrate("calculon", ["sc21-table-1"])
    assert calculon.factor == pytest.approx(1.11562203826607, rel=2e-6)
    rule = calibrate("8nd-hfu50", ["sc21-table-1"])
    assert 0.5 / rule.factor == pytest.approx(0.44559170015958, rel=2e-6)
    assert calculon.before_pct == pytest.approx(10.29, abs=0.005)
    assert len(calculon.held) == 10


def test_calibration_is_judged_on_groups_that_it_has_not_seen() -> None:
    one, two = "sc21-table-1", "sc21-table-2"
    both = calibrate("calculon", [one, two])
    held = {group.name: group for group in both.held}
    assert held[two].factor == pytest.approx(calibrate("calculon", [one]).factor, rel=1e-12)
    # validation_metrics.csv: Calculon times its factor on SC21 Table 1, on Table 2
    assert held[two].after_pct == pytest.approx(1.759, abs=0.0005)
    assert both.after_pct is not None
    assert min(h.after_pct for h in both.held) < both.after_pct < max(h.after_pct for h in both.held)


def test_what_a_predictor_was_fitted_on_says_nothing_of_it() -> None:
    with pytest.raises(SimulatorError, match=r"no pairs on 'korthikanti-table-5' \(they are what it was fitted on\)"):
        calibrate("calculon", ["korthikanti-table-5"])
    with pytest.raises(SimulatorError, match="no pairs on 'sc21-table1'; did you mean 'sc21-table-1'"):
        calibrate("calculon", ["sc21-table1"])


def test_the_error_of_a_simulator_is_that_of_its_pairs_at_that_scale() -> None:
    small, large = time_ratio("calculon", devices=4), time_ratio("calculon", devices=2048)
    assert small is not None
    assert large is not None
    assert "vtrain-single" in small.note
    assert "vtrain-single" not in large.note
    assert "on 1024 to 3360 devices" in large.note  # within a factor of two
    assert "on 2 to 8 devices" in small.note
    huge = time_ratio("calculon", devices=100_000)
    assert huge is not None
    assert len(huge.samples) == 9  # none is near, so the nearest are taken, two of them equally near
    for ratio in (small, large):
        assert ratio.value == 1
        assert ratio.low is not None
        assert ratio.high is not None
        assert ratio.low <= 1 <= ratio.high
    assert time_ratio("vtrain", devices=64) is None
    assert time_ratio(None, devices=64) is None


def test_another_utilisation_moves_the_ratios_by_as_much() -> None:
    at_40 = time_ratio("6nd-mfu40", devices=512)
    at_50 = time_ratio("6nd-mfu40", devices=512, factor=0.40 / 0.50)
    assert at_40 is not None
    assert at_50 is not None
    assert at_50.samples == pytest.approx([ratio * 0.5 / 0.4 for ratio in at_40.samples])


def test_groups_are_of_known_sets() -> None:
    assert {name for sets in GROUPS.values() for name in sets} <= set(measured_sets())
