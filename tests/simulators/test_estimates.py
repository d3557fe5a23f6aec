"""Predicted runs as estimates: time with its error, power from a model with its error, and the network."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tco
from tco.errors import EstimateError, RecordError
from tco.records.base import validate
from tco.records.run import Run
from tco.records.workload import Workload
from tco.simulators import calibrate, simulate

PHASES = [
    {"name": "compute", "activity": "busy", "duration": "15 s"},
    {"name": "bubble", "activity": "waiting", "duration": "5 s"},
]


def predicted(**changes: Any) -> Run:
    fields: dict[str, Any] = {
        "name": "job",
        "duration": "20 s",
        "devices": {"kind": "accelerator", "model": "a100-sxm4-80gb", "count": 64},
        "system": "dgx-a100",
        "phases": PHASES,
        "prediction": {"simulator": "calculon", "step_time": "20 s", "pairs": "calculon"},
    }
    return validate(Run, {key: value for key, value in {**fields, **changes}.items() if value is not None}, "run")


def codes(estimate: tco.Estimate) -> set[str]:
    return {warning.code for warning in estimate.warnings}


# facts/simulators/power_models.csv, STATES and EXEC-IDLE-RATIO
def test_the_published_calculon_sample_under_the_model_by_phase(shared: Path) -> None:
    from tco.readers import ReadOptions, read

    file = shared / "samples/sim_calculon/gpt3-175B_full_a100_64.json"
    (run,) = read(file, options=ReadOptions(device_count=64))
    estimate = tco.estimate(run, region="eu", system="dgx-a100")
    assert estimate["power.wait_ratio"].value == pytest.approx(0.488, abs=0.0005)
    assert estimate["power.wait_ratio"].facts["basis"] == "derived"
    ratio = estimate["power.device"].value / estimate["power.busy"].value
    assert ratio == pytest.approx(0.892, abs=0.0005)


def test_the_parts_of_the_energy_are_shown_and_add_up() -> None:
    estimate = tco.estimate(predicted(), region="eu")
    boards, nodes, network = (estimate.value(f"energy.{name}", "kWh") for name in ("boards", "nodes", "network"))
    assert nodes == pytest.approx(boards * 1.55)
    assert estimate["energy.it"].parts == ("energy.nodes", "energy.network")
    assert estimate.value("energy.it", "kWh") == nodes + network
    assert network / (nodes + network) == pytest.approx(0.257)  # measured at 64 devices
    assert estimate["energy.nodes"].facts["method"] == "model: by phase"
    assert "modelled-power" in codes(estimate)
    error = estimate.inputs["power.model_error"].given
    assert error is not None
    assert (error.low, error.high) == (0.63, 1.37)  # 27 to 37 %, Newkirk et al. 2025
    assert error.source is not None


@pytest.mark.parametrize(("devices", "share"), [(16, 0.257), (64, 0.257), (512, 0.157), (4096, 0.157)])
def test_the_network_is_that_of_the_nearest_measured_scale(devices: int, share: float) -> None:
    run = predicted(devices={"kind": "accelerator", "model": "a100-sxm4-80gb", "count": devices})
    estimate = tco.estimate(run, region="eu")
    assert estimate.inputs["network.energy_share"].value == share
    given = estimate.inputs["network.energy_share"].given
    assert given is not None
    assert min(given.low or share, share) == 0.157
    assert max(given.high or share, share) == 0.257


def test_one_node_has_no_network_between_nodes() -> None:
    run = predicted(devices={"kind": "accelerator", "model": "a100-sxm4-80gb", "count": 8})
    estimate = tco.estimate(run, region="eu")
    assert "energy.network" not in estimate
    assert estimate.value("energy.it", "kWh") == pytest.approx(estimate.value("energy.boards", "kWh") * 1.55)


def test_the_network_may_be_stated_by_device() -> None:
    estimate = tco.estimate(predicted(), region="eu", set={"network.device_power": "35 W"})
    assert estimate.value("energy.network", "kWh") == pytest.approx(64 * 35 * 20 / 3.6e6)


def test_share_of_the_rating() -> None:
    estimate = tco.estimate(predicted(power_model="rated"), region="eu")
    assert estimate.value("power.node", "W") == pytest.approx(0.76 * 6500)
    assert estimate.value("energy.nodes", "kWh") == pytest.approx(8 * 0.76 * 6.5 * 20 / 3600)
    assert estimate["energy.nodes"].facts["method"] == "model: share of the node's rating"
    plain = tco.estimate(predicted(phases=None), region="eu")  # without phases it is the only model there is
    assert plain.value("energy.nodes", "kWh") == pytest.approx(estimate.value("energy.nodes", "kWh"))


def test_idle_and_a_part_by_utilisation() -> None:
    estimate = tco.estimate(predicted(power_model="dynamic"), region="eu")
    assert estimate.value("power.device", "W") == pytest.approx(62.12 + (0.955 * 400 - 62.12) * 0.75)
    run = predicted(power_model="dynamic", phases=None, utilisation=[{"kind": "MFU", "value": 0.4}])
    with pytest.raises(EstimateError, match=r"the run has an MFU of 0\.4: state --set power\.utilisation=0\.8, or"):
        tco.estimate(run, region="eu")
    estimate = tco.estimate(run, region="eu", set={"power.reference_utilisation": 0.5})
    assert estimate.value("power.utilisation", "1") == pytest.approx(0.8)
    run = predicted(power_model="dynamic", phases=None, utilisation=[{"kind": "busy", "value": 0.6}])
    assert tco.estimate(run, region="eu").inputs["power.utilisation"].value == 0.6


def test_what_a_power_model_lacks_is_said() -> None:
    with pytest.raises(EstimateError, match="'phases' needs the phases of the run, and it has none"):
        tco.estimate(predicted(power_model="phases", phases=None), region="eu")
    with pytest.raises(EstimateError, match="nobody says how many; give --devices"):
        tco.estimate(predicted(devices=None), region="eu", system="dgx-a100")
    device = {"kind": "gpu", "model": "NVIDIA GH200 120GB", "count": 4}
    idle = [*PHASES[:1], {"name": "rest", "activity": "idle", "duration": "5 s"}]
    with pytest.raises(EstimateError, match=r"at rest is not known; state --set power\.idle='70 W'"):
        tco.estimate(predicted(devices=device, system="gh200-node-4", phases=idle), region="eu")


def test_time_at_rest_draws_idle_power() -> None:
    idle = [*PHASES[:1], {"name": "rest", "activity": "idle", "duration": "5 s"}]
    estimate = tco.estimate(predicted(phases=idle), region="eu")
    assert estimate.value("power.device", "W") == pytest.approx(0.75 * 0.783 * 400 + 0.25 * 62.12)


def test_the_error_of_the_simulator_is_an_input_with_its_range() -> None:
    estimate = tco.estimate(predicted(), region="eu")
    ratio = estimate.inputs["simulator.time_ratio"]
    assert ratio.value == 1
    assert ratio.given is not None
    assert ratio.given.low is not None
    assert ratio.given.high is not None
    assert ratio.given.low < 1 < ratio.given.high
    assert (ratio.facts["validation"], ratio.facts["pairs"]) == ("pairs", len(ratio.given.samples))
    line = estimate["run.duration"]
    assert line.value * 3600 == pytest.approx(20)
    assert (line.low * 3600, line.high * 3600) == pytest.approx((20 * ratio.given.low, 20 * ratio.given.high))
    assert line.low < estimate["carbon.total"].low / estimate["carbon.total"].value  # it reaches the bottom line
    drawn = estimate.sample(2000, lines=["run.duration"])["run.duration"]
    assert np.percentile(drawn, 5) * 3600 == pytest.approx(20 * ratio.given.low, rel=0.05)


def test_a_simulator_without_pairs_is_called_unvalidated() -> None:
    estimate = tco.estimate(predicted(prediction={"simulator": "ours", "step_time": "20 s"}), region="eu")
    assert "unvalidated" in codes(estimate)
    data = estimate.to_dict()["inputs"]["simulator.time_ratio"]
    assert (data["value"], data["validation"], data["low"], data["assumed"]) == (1, "unvalidated", None, True)
    stated = tco.estimate(
        predicted(prediction={"simulator": "ours", "step_time": "20 s"}),
        region="eu",
        set={"simulator.time_ratio": "1.1 [0.9 to 1.4]"},
    )
    assert "unvalidated" not in codes(stated)
    assert stated.value("run.duration", "s") == pytest.approx(22)
    assert stated["run.duration"].high * 3600 == pytest.approx(28)


def test_pairs_of_other_hardware_and_scale_are_pointed_out() -> None:
    device = {"kind": "accelerator", "model": "h100-sxm5-80gb", "count": 65536}
    estimate = tco.estimate(predicted(devices=device, system="hgx-h100"), region="eu")
    messages = {warning.code: warning.message for warning in estimate.warnings}
    assert "were measured on A100-SXM4-80GB, the run is on h100-sxm5-80gb" in messages["validated-elsewhere"]
    assert "the run is of 65536" in messages["validated-at-other-scale"]


def test_bias_is_corrected_only_when_asked() -> None:
    ratio = calibrate("calculon", ["sc21-table-1"]).ratio
    prediction = {"simulator": "calculon", "step_time": "20 s", "pairs": "calculon", "time_ratio": ratio.model_dump()}
    estimate = tco.estimate(predicted(prediction=prediction), region="eu")
    assert estimate.value("run.duration", "s") == pytest.approx(20 * 1.11562203826607, rel=2e-6)
    assert estimate.inputs["simulator.time_ratio"].facts["validation"] == "calibrated"


def test_a_stated_duration_wins_over_the_prediction() -> None:
    estimate = tco.estimate(predicted(), region="eu", set={"run.duration": "1 h"})
    assert estimate.value("run.duration", "h") == 1
    assert "simulator.time_ratio" not in estimate.inputs


def test_a_measured_trace_without_power_gets_a_model_and_no_error_of_a_simulator() -> None:
    estimate = tco.estimate(predicted(prediction=None), region="eu")
    assert estimate["energy.nodes"].facts["method"] == "model: by phase"
    assert "simulator.time_ratio" not in estimate.inputs


def test_an_energy_that_the_simulator_gives_is_taken() -> None:
    energy = {"value": 3, "unit": "kWh", "boundary": "node_ac", "method": "model"}
    estimate = tco.estimate(predicted(energy=energy), region="eu")
    assert estimate.value("energy.it", "kWh") == 3
    assert "energy.network" not in estimate


@settings(max_examples=20)
@given(busy=st.floats(0.01, 1), factor=st.floats(1.1, 50))
def test_longer_runs_and_busier_devices_take_more(busy: float, factor: float) -> None:
    def run(seconds: float, share: float) -> Run:
        parts = {"busy": share, "waiting": 1 - share}
        phases = [
            {"name": kind, "activity": kind, "duration": f"{seconds * part!r} s"}
            for kind, part in parts.items()
            if part > 0
        ]
        step = {"simulator": "ours", "step_time": f"{seconds!r} s"}
        return predicted(duration=f"{seconds!r} s", phases=phases, prediction=step)

    base = tco.estimate(run(20, busy))
    assert tco.estimate(run(20 * factor, busy)).value("energy.it", "kWh") == pytest.approx(
        factor * base.value("energy.it", "kWh"), rel=1e-9
    )
    assert base.value("energy.it", "kWh") <= tco.estimate(run(20, 1)).value("energy.it", "kWh") * (1 + 1e-12)


def test_phases_that_do_not_add_up_are_refused() -> None:
    with pytest.raises(RecordError, match=r"run: the phases add up to 20 s, the duration is 21 s"):
        predicted(duration="21 s")
    with pytest.raises(RecordError, match=r"utilisation\[0\]\.value"):
        predicted(utilisation=[{"kind": "MFU", "value": 1.2}])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"hidden": 12_289}, "hidden 12289 is not a multiple of the 96 heads"),
        ({"kv_heads": 7}, "96 heads are not a multiple of the 7 heads of keys and values"),
        ({"experts": 2, "active_experts": 4}, "active_experts 4 are more than the 2 experts"),
        ({"layer": 3}, "'layer' is not a field here; did you mean 'layers'?"),
        ({"hidden_size": 3}, "'hidden_size' is not a field here; did you mean 'hidden'?"),
    ],
)
def test_models_that_cannot_be(changes: dict[str, Any], words: str) -> None:
    model = {"layers": 96, "hidden": 12_288, "heads": 96, "vocabulary": 51_200, "sequence": 2048}
    with pytest.raises(RecordError, match=words.replace("?", r"\?")):
        validate(Workload, {"global_batch": 8, "model": {**model, **changes}}, "job.toml")


def test_tokens_to_train_on_become_whole_steps() -> None:
    model = {"layers": 96, "hidden": 12_288, "heads": 96, "vocabulary": 51_200, "sequence": 2048}
    job = validate(Workload, {"global_batch": 1536, "model": model, "tokens": "300e9"}, "job")
    assert job.step_count == 95_368  # 95,367.4 batches of 3,145,728 tokens
    with pytest.raises(RecordError, match="give either 'tokens' or 'steps', not both"):
        validate(Workload, {"global_batch": 8, "model": model, "tokens": 1, "steps": 1}, "job")


def test_a_predicted_run_can_be_kept_and_estimated_later(workload: Path, tmp_path: Path) -> None:
    (answer,) = simulate(workload, ["8nd"], "dgx-a100", devices=64)
    assert answer.run is not None
    path = tmp_path / "run.json"
    path.write_text(answer.run.to_json())
    later, now = tco.estimate(path, region="eu"), tco.estimate(answer.run, region="eu")
    assert later.value("carbon.total", "gCO2e") == pytest.approx(now.value("carbon.total", "gCO2e"), rel=1e-12)
    assert json.loads(path.read_text())["prediction"]["pairs"] == "8nd-hfu50"
