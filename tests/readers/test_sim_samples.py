"""Real outputs of simulators and profilers against the values that are known of them (samples/sim_*/MANIFEST.csv)."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tco.errors import ReadError
from tco.readers import ReadOptions, read
from tco.records.run import Run


def one(path: Path, **options: object) -> Run:
    (run,) = read(path, options=ReadOptions(**options))  # type: ignore[arg-type]
    return run


def seconds(run: Run) -> float:
    assert run.duration is not None
    return float(run.duration.m_as("s"))


def parts(run: Run, *activities: str) -> float:
    return sum(float(phase.duration.m_as("s")) for phase in run.phases if phase.activity in activities)


def work(run: Run) -> dict[tuple[str, str | None], float | None]:
    return {(item.quantity, item.basis): item.value for item in run.work}


def result(run: Run, name: str) -> float:
    return next(item.value for item in run.results if item.name == name)


@pytest.mark.parametrize(
    ("file", "total_s", "mfu"),
    [
        ("gpt3-175B_full_a100_64.json", 18.0287795485907, 0.391304),
        ("gpt3-175B_seqsel_a100_64.json", 13.638064304317554, 0.516988),
        ("megatron-22B_full_a100_8_layers.json", 1.3955953652004964, None),
        ("megatron-1T_3072.json", 131.9006167973935, 0.304648),
    ],
)
def test_calculon(shared: Path, file: str, total_s: float, mfu: float | None) -> None:
    run = one(shared / "samples/sim_calculon" / file)
    assert seconds(run) == total_s
    assert len(run.phases) == 11
    assert parts(run, "busy", "waiting") == pytest.approx(total_s, abs=1e-12)
    (share,) = run.utilisation
    assert (share.kind, share.stated) == ("MFU", False)
    if mfu is not None:
        assert share.value == pytest.approx(mfu, abs=0.5e-6)
    assert run.devices == ()
    assert any("number of devices" in text for text in run.unstated)
    assert any("power" in text for text in run.unstated)


def test_calculon_work_memory_and_bubble(shared: Path) -> None:
    run = one(shared / "samples/sim_calculon/gpt3-175B_full_a100_64.json")
    assert work(run) == {("iterations", None): 1, ("sequences", None): 64}
    assert run.memory is not None
    assert float(run.memory.m_as("B")) == pytest.approx(51_649_806_336, rel=1e-12)
    large = one(shared / "samples/sim_calculon/megatron-1T_3072.json")
    assert large.memory is not None
    assert large.memory.m_as("GiB") == pytest.approx(79.6, abs=0.05)
    bubble = next(phase for phase in large.phases if phase.name == "pipeline bubble")
    assert float(bubble.duration.m_as("s")) == pytest.approx(65.0829, abs=0.5e-4)


def test_calculon_devices_come_from_the_execution_file_or_are_told(shared: Path) -> None:
    folder = shared / "samples/sim_calculon"
    execution = folder / "input_execution_gpt3-175B_full.json"
    run = one(folder / "gpt3-175B_full_a100_64.json", companion=execution)
    assert (run.device_count, [e.file for e in run.provenance]) == (
        64,
        ["gpt3-175B_full_a100_64.json", "input_execution_gpt3-175B_full.json"],
    )
    assert one(folder / "gpt3-175B_full_a100_64.json", device_count=64.0).device_count == 64
    assert one(folder / "gpt3-175B_full_a100_64.json", devices=("64",)).device_count == 64
    with pytest.raises(ReadError, match="is of 64 devices, not of 8"):
        one(folder / "gpt3-175B_full_a100_64.json", companion=execution, device_count=8.0)
    with pytest.raises(ReadError, match=r"batch_size: is 4, and the result .* is of a batch of 64"):
        one(folder / "gpt3-175B_full_a100_64.json", companion=folder / "input_execution_megatron-22B_full.json")


def test_what_calculon_prints_says_what_to_do(shared: Path) -> None:
    with pytest.raises(ReadError, match=r"rounded to four decimals; let it write a file with the suffix \.json"):
        read(shared / "samples/sim_calculon/gpt3-175B_full_a100_64_stdout.txt")


def test_llm_analysis(shared: Path) -> None:
    run = one(shared / "samples/sim_llm_analysis/llm-analysis_gpt3-175B_384xA100_eff0.5-summary.json")
    assert run.prediction is not None
    assert run.prediction.step_time.m_as("s") == 75.36461709816123
    assert seconds(run) == pytest.approx(7_187_297.4388, abs=0.5e-4)
    assert seconds(run) / 86_400 == pytest.approx(83.2, abs=0.05)
    assert run.device_count * seconds(run) / 3600 == pytest.approx(766_645.0601, abs=0.5e-4)
    (share,) = run.utilisation
    assert (share.kind, share.value, share.stated) == ("HFU", 0.5, True)
    assert work(run)[("tokens", "total")] == pytest.approx(300e9, rel=1e-5)


def test_llm_analysis_with_the_measured_efficiency_is_called_circular(shared: Path) -> None:
    run = one(shared / "samples/sim_llm_analysis/upstream_megatron-lm-175b_1536xA100_achieved141-summary.json")
    assert run.prediction is not None
    assert float(run.prediction.step_time.m_as("s")) == pytest.approx(20.85, abs=0.005)
    assert seconds(run) / 86_400 == pytest.approx(23.01, abs=0.005)
    assert run.device_count * seconds(run) / 3600 == pytest.approx(848_203, abs=0.5)
    (warning,) = [warning for warning in run.warnings if warning.code == "efficiency-stated"]
    assert "(141 TFLOP/s a device)" in warning.message
    assert "circular" in warning.message


def test_the_readable_form_of_llm_analysis_is_refused(shared: Path) -> None:
    with pytest.raises(ReadError, match="numbers are rounded and change their unit"):
        read(shared / "samples/sim_llm_analysis/llm-analysis_gpt3-175B_384xA100_eff0.5-summary-readable.txt")


def test_simai_counts_communication_and_bubble(shared: Path) -> None:
    run = one(shared / "samples/sim_simai/example-EndToEnd.csv")
    assert seconds(run) == pytest.approx(7.545619, abs=1e-9)
    assert parts(run, "busy") == pytest.approx(4.542795, abs=1.5e-6)
    bubble = next(phase for phase in run.phases if phase.name == "pipeline bubble")
    assert float(bubble.duration.m_as("s")) == pytest.approx(0.345984, abs=1e-9)
    assert parts(run, "waiting") - float(bubble.duration.m_as("s")) == pytest.approx(2.656839, abs=1e-9)
    assert 1 - parts(run, "busy") / seconds(run) == pytest.approx(0.40, abs=0.005)  # what the log alone leaves out


def test_simai_devices_and_log(shared: Path) -> None:
    folder = shared / "samples/sim_simai"
    run = one(folder / "example-EndToEnd.csv", companion=folder / "workload_analytical_first60lines.txt")
    assert run.device_count == 9216
    with pytest.raises(ReadError, match="end time is that of the computation alone"):
        read(folder / "stdout_tail.txt")


def test_astra_sim(shared: Path) -> None:
    run = one(shared / "samples/sim_astrasim/AllReduce_1MB_8npus_stdout.txt")
    assert seconds(run) == pytest.approx(64.44e-6, rel=1e-12)
    assert run.device_count == 8
    assert parts(run, "waiting") == pytest.approx(64.44e-6, rel=1e-12)
    assert any(warning.code == "clock-assumed" for warning in run.warnings)


def test_chakra(shared: Path) -> None:
    folder = shared / "samples/sim_astrasim"
    run = one(folder / "chakra_small.0.json")
    assert result(run, "node time") == 318 + 28 + 4 + 85 + 79 + 28 + 153
    assert result(run, "communication share") == pytest.approx((85 + 79 + 28) / 695, rel=1e-12)
    assert seconds(run) == pytest.approx(
        (318 + 28 + 28) * 1e-6, rel=1e-12
    )  # nodes 216, 217 and 435 wait for each other
    assert run.device_count == 8
    with pytest.raises(ReadError, match="its 1 nodes have no run times: it is the input of a simulator"):
        read(folder / "AllReduce_1MB.0.et")


def test_deepflow_with_an_impossible_time_is_refused(shared: Path) -> None:
    with pytest.raises(ReadError, match=r"summary_LSTM.txt:124: Time: 9\.6e\+15 s is 3\.04e\+08 years"):
        read(shared / "samples/sim_deepflow/summary_LSTM.txt")


@pytest.mark.parametrize(
    ("file", "events", "span_us", "sum_us", "union_us", "percent", "communication", "model"),
    [
        ("kineto_sampled_rank0.json.gz", 1204, 3_367_344, 607_844, 547_656, 16.26, 10, None),
        ("kineto_alexnet_1gpu.json.gz", 98, 43_458_523, 66_203, 66_141, 0.15, 0, "NVIDIA A100-PG509-200"),
    ],
)
def test_kineto_takes_the_union_of_intervals(
    shared: Path,
    file: str,
    events: int,
    span_us: float,
    sum_us: float,
    union_us: float,
    percent: float,
    communication: int,
    model: str | None,
) -> None:
    run = one(shared / "samples/sim_kineto" / file)
    assert result(run, "gpu events") == events
    assert result(run, "gpu durations") == sum_us
    assert result(run, "gpu busy") == union_us
    assert result(run, "trace span") == span_us
    assert 100 * union_us / span_us == pytest.approx(percent, abs=0.005)
    assert result(run, "communication kernels") == communication
    assert run.devices[0].model == model
    assert parts(run, "busy", "waiting") == pytest.approx(seconds(run), rel=1e-9)


def test_kineto_steps_and_ranks(shared: Path) -> None:
    run = one(shared / "samples/sim_kineto/kineto_sampled_rank0.json.gz")
    assert (run.device_count, work(run)) == (128, {("iterations", None): 2})
    assert seconds(run) == pytest.approx(1.230289, abs=1e-9)  # two steps, without the start of the profiler
    (share,) = run.utilisation
    assert (share.kind, share.value) == ("busy", pytest.approx(0.547656 / 1.230289, rel=1e-9))


@pytest.mark.parametrize("file", ["example_single_run.csv", "example_power_run.csv"])
def test_llmservingsim_requests(shared: Path, file: str) -> None:
    folder = shared / "samples/sim_llmservingsim"
    run = one(folder / file, companion=folder / "single_node_power_instance.json")
    assert seconds(run) == pytest.approx(1.663996645, abs=1e-12)
    assert work(run) == {("requests", None): 10, ("tokens", "input"): 120, ("tokens", "output"): 591}
    assert [(device.count, device.model) for device in run.devices] == [(1, "RTXPRO6000")]
    assert run.energy == ()
    assert run.unstated[0] == "power and energy (they are printed on standard output only)"


def test_vtrain_measured_times(shared: Path) -> None:
    folder = shared / "samples/sim_vtrain"
    multi = read(folder / "ground_truth_multi.csv")
    assert len(multi) == 109
    assert seconds(multi[0]) == pytest.approx(3.5665, abs=1e-12)
    assert seconds(multi[-1]) == pytest.approx(62.6368, abs=1e-12)
    assert multi[0].prediction is None  # measured, not predicted
    assert seconds(multi[91]) / seconds(multi[90]) == pytest.approx(1.00052, abs=1e-4)  # measured twice
    single = read(folder / "ground_truth_single.csv")
    assert (len(single), seconds(single[0])) == (1440, pytest.approx(0.372160408, abs=1e-12))


def test_a_configuration_of_vtrain_holds_no_time(shared: Path) -> None:
    with pytest.raises(ReadError, match="is a configuration, the input of vTrain, and holds no time"):
        read(shared / "samples/sim_vtrain/config_val_175B_8_4_16_6.json")


def test_vtrain_prediction_takes_devices_from_its_configuration(shared: Path, tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    log.write_text("INFO:root:predicted iteration time: 58123.456 ms\n")
    run = one(log, companion=shared / "samples/sim_vtrain/config_val_175B_8_4_16_6.json")
    assert (run.device_count, seconds(run)) == (512, pytest.approx(58.123456, abs=1e-12))
    assert work(run)[("tokens", "total")] == 1536 * 2048


def test_every_row_of_the_manifests_is_read_or_refused_with_a_reason(shared: Path) -> None:
    inputs = (
        "input_",
        "network.yml",
        "system.json",
        "busbw",
        "LUT",
        "single_node_power",
        "first60lines",
        "validation_s",
    )
    for manifest in sorted((shared / "samples").glob("sim_*/MANIFEST.csv")):
        for row in csv.DictReader(manifest.read_text().splitlines()):
            path = manifest.parent / row["file"]
            if any(word in row["file"] for word in inputs):
                continue  # what a simulator was given
            said = None
            try:
                assert all(run.unstated for run in read(path))
            except ReadError as error:
                said = str(error)
            assert said is None or said.startswith(str(path))
