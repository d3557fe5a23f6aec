"""MLPerf: published results at their printed precision, and the readings they are mistaken for."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tco.errors import ReadError
from tco.readers import ReadOptions, read
from tco.records.run import Run

Write = Callable[[str, str | bytes], Path]

DETAIL = (
    ':::MLLOG {{"key": "loadgen_version", "value": "{version} @ c0ffee", "time_ms": 0.1, "metadata": {{}}}}\n'
    ':::MLLOG {{"key": "effective_scenario", "value": "{scenario}", "time_ms": 0.1, "metadata": {{}}}}\n'
    ':::MLLOG {{"key": "generated_samples_per_query", "value": {samples}, "time_ms": 0.2, "metadata": {{}}}}\n'
    ':::MLLOG {{"key": "power_begin", "value": "{begin}", "time_ms": 9.0, "metadata": {{}}}}\n'
    ':::MLLOG {{"key": "power_end", "value": "{end}", "time_ms": 9.0, "metadata": {{}}}}\n'
    ':::MLLOG {{"key": "result_validity", "value": "{validity}", "time_ms": 9.0, "metadata": {{}}}}\n'
    ':::MLLOG {{"key": "result_query_count", "value": {queries}, "time_ms": 9.0, "metadata": {{}}}}\n'
)


def result(run: Run, name: str) -> float:
    (value,) = [result.value for result in run.results if result.name == name]
    return value


def codes(run: Run) -> set[str]:
    return {warning.code for warning in run.warnings}


def energies(run: Run) -> dict[tuple[str | None, str | None], float]:
    return {(e.boundary, e.rule): float(e.energy.m_as("J")) for e in run.energy}


@pytest.fixture
def folder(tmp_path: Path) -> Callable[..., Path]:
    """Writes a run folder with one sample a second of the given powers, and a window around some of them."""

    def write(
        powers: list[float],
        *,
        dates: str = "07-23-2024",
        window: tuple[int, int] | None = None,
        mark: str = "2024-07-23_10-00-00_testing",
        version: str = "5.1",
        scenario: str = "Offline",
        samples: int = 10,
        queries: int = 1,
        validity: str = "VALID",
        channels: str = "",
    ) -> Path:
        run = tmp_path / "run_1"
        run.mkdir(exist_ok=True)
        begin, end = window or (0, len(powers))
        detail = DETAIL.format(
            version=version,
            scenario=scenario,
            samples=samples,
            begin=f"{dates} 10:00:{begin:02}.000",
            end=f"{dates} 10:00:{end:02}.000",
            validity=validity,
            queries=queries,
        )
        (run / "mlperf_log_detail.txt").write_text(detail)
        lines = [
            f"Time,{dates} 10:00:{at:02}.500,Watts,{power},Volts,230.0,Amps,1.0,PF,0.9,Mark,{mark}{channels}\n"
            for at, power in enumerate(powers)
        ]
        (run / "spl.txt").write_text("".join(lines))
        return run

    return write


# ---- Inference


# samples/mlperf/MANIFEST.csv
@pytest.mark.parametrize(
    ("folder", "watts", "window_s", "joules", "whole_file"),
    [
        ("v4.1_UntetherAI_h13_u3_slim_resnet50_offline", 398.329985, 657.185, 261776.5, 344.186),
        ("v4.1_UntetherAI_h13_u3_slim_resnet50_singlestream", 231.1185, 600.0, 138671.1, 227.971),
        ("v4.1_UntetherAI_h13_u3_slim_resnet50_multistream", 303.172333, 600.0, 181903.4, 283.183),
        ("v4.1_NVIDIA_H200x8_MaxQ_resnet50_offline", 4954.031547, 652.603, 3233015.8, 4638.256),
        ("v5.1_Lenovo_B200x8_llama3.1-8b_offline", 9436.052969, 640.383, 6042687.9, 8211.685),
        ("v5.1_GATEOverflow_negative_watts", 34.176483, 600.006, 20506.1, 29.523),
    ],
)
def test_official_power(
    shared: Path, folder: str, watts: float, window_s: float, joules: float, whole_file: float
) -> None:
    (run,) = read(shared / "samples/mlperf" / f"inference_{folder}")
    (power,) = run.power
    assert power.average_power is not None
    assert power.average_power.m_as("W") == pytest.approx(watts, abs=0.5e-6)
    assert run.duration is not None
    assert run.duration.m_as("s") == pytest.approx(window_s, abs=1e-9)
    official = energies(run)["system_wall_ac", "mean_in_window_x_duration"]
    assert official == pytest.approx(joules, abs=0.051)
    # the mean of the whole file is not the result; it holds what lies before and after the run
    assert result(run, "mean power of the whole log") == pytest.approx(whole_file, abs=0.5e-3)
    assert power.average_power.m_as("W") != pytest.approx(whole_file, rel=0.01)
    # the integral over the window is another figure of the same energy
    assert energies(run)["system_wall_ac", "trapezoid"] == pytest.approx(official, rel=1e-3)


def test_a_manifest_value_of_the_samples_inside_the_window_alone_is_less(shared: Path) -> None:
    (run,) = read(shared / "samples/mlperf/inference_v5.1_Lenovo_B200x8_llama3.1-8b_offline")
    assert energies(run)["system_wall_ac", "trapezoid"] > 6035132.6  # that one leaves the edges out


# published with the results; facts/measured/mlperf_inference_power_results.csv
@pytest.mark.parametrize(
    ("folder", "name", "published"),
    [
        ("v5.1_Lenovo_B200x8_llama3.1-8b_offline", "official power", 9436.05296875),
        ("v5.1_GATEOverflow_negative_watts", "official energy per query, MultiStream inferred", 1241.1387806903),
        ("v4.1_UntetherAI_h13_u3_slim_resnet50_singlestream", "official energy per query", 29.238987),
        ("v4.1_UntetherAI_h13_u3_slim_resnet50_multistream", "official energy per query", 61.316697),
    ],
)
def test_published_figures(shared: Path, folder: str, name: str, published: float) -> None:
    (run,) = read(shared / "samples/mlperf" / f"inference_{folder}")
    decimals = len(repr(published).partition(".")[2])
    assert result(run, name) == pytest.approx(published, abs=0.51 * 10.0**-decimals)


def test_eight_samples_a_query_only_where_a_single_stream_stands_for_a_multi_stream(shared: Path) -> None:
    (single,) = read(shared / "samples/mlperf/inference_v5.1_GATEOverflow_negative_watts")
    assert result(single, "official energy per query") == pytest.approx(155.142348, abs=0.5e-6)
    (multi,) = read(shared / "samples/mlperf/inference_v4.1_UntetherAI_h13_u3_slim_resnet50_multistream")
    assert not [one for one in multi.results if "inferred" in one.name]
    assert {work.quantity: work.value for work in multi.work} == {"queries": 2966621, "samples": 8 * 2966621}


def test_negative_watts_are_dropped_as_the_official_rule_does(shared: Path) -> None:
    (run,) = read(shared / "samples/mlperf/inference_v5.1_GATEOverflow_negative_watts")
    (warning,) = [warning for warning in run.warnings if warning.code == "nonpositive-samples"]
    assert "37 of 600 samples" in warning.message
    assert "with them the mean were 29.7328 W instead of 34.1765 W" in warning.message


def test_the_first_power_of_a_line_is_that_of_all_channels(shared: Path) -> None:
    (run,) = read(shared / "samples/mlperf/inference_v4.1_NVIDIA_H200x8_MaxQ_resnet50_offline")
    log = shared / "samples/mlperf/inference_v4.1_NVIDIA_H200x8_MaxQ_resnet50_offline/run_1/spl.txt"
    fields = log.read_text().splitlines()[0].split(",")
    powers = [float(fields[at + 1]) for at, field in enumerate(fields) if field == "Watts"]
    assert sum(powers) == pytest.approx(2 * powers[0], abs=0.1)  # adding all fields doubles it
    assert result(run, "official power") == pytest.approx(4954.031547, abs=0.5e-6)


def test_work_of_an_inference_run(shared: Path) -> None:
    (run,) = read(shared / "samples/mlperf/inference_v5.1_Lenovo_B200x8_llama3.1-8b_offline")
    work = {work.quantity: work for work in run.work}
    assert work["samples"].value == 735240  # generated, where 726000 is the least that was asked for
    rate = work["tokens"].rate
    assert rate is not None
    assert rate.m_as("1/s") == 146960
    assert work["tokens"].basis == "output"
    assert (run.tool and run.tool.version, run.validity) == ("5.1.0", "valid")


def test_the_recorded_example_is_what_is_read(shared: Path) -> None:
    expected = json.loads((shared / "facts/measured/run_mlperf_lenovo_llama31_8b.json").read_text())
    (run,) = read(shared / "samples/mlperf/inference_v5.1_Lenovo_B200x8_llama3.1-8b_offline")
    assert [evidence.sha256 for evidence in run.provenance] == [one["sha256"] for one in expected["provenance"]]
    energy = energies(run)["system_wall_ac", "mean_in_window_x_duration"]
    assert energy / 3.6e6 == pytest.approx(expected["expected"]["energy_kWh"], abs=0.5e-6)
    assert energy / (146960 * 640.383) == pytest.approx(expected["expected"]["J_per_token"], abs=0.5e-6)


@pytest.mark.parametrize("name", ["run_1", "run_1/spl.txt", "run_1/mlperf_log_detail.txt", "."])
def test_folder_and_files_of_a_run_are_one(folder: Callable[..., Path], name: str) -> None:
    run_folder = folder([100.0, 200.0, 300.0, 200.0], window=(1, 3))
    (run,) = read(run_folder.parent / name)
    assert result(run, "official power") == 250.0


def test_samples_on_the_edge_of_the_window_are_outside(folder: Callable[..., Path]) -> None:
    run_folder = folder([100.0, 200.0, 300.0, 400.0], window=(1, 3))
    log = run_folder / "spl.txt"
    log.write_text(log.read_text().replace("10:00:01.500", "10:00:01.000"))
    (run,) = read(run_folder)
    assert result(run, "official power") == 300.0


# pitfalls P09
@pytest.mark.parametrize(
    ("dates", "mark", "day", "told"),
    [
        ("28-12-2020", "2020-12-28_10-00-00_testing", 28, True),
        ("12-28-2020", "2020-12-28_10-00-00_testing", 28, True),
        ("05-04-2020", "2020-05-04_10-00-00_testing", 4, True),  # the mark says month first
        ("05-04-2020", "2020-04-05_10-00-00_testing", 5, True),  # the mark says day first
        ("05-04-2020", "a_mark", 4, False),  # nothing says it: month first, and a warning
        ("05-05-2020", "a_mark", 5, True),
    ],
)
def test_order_of_day_and_month(folder: Callable[..., Path], dates: str, mark: str, day: int, told: bool) -> None:
    (run,) = read(folder([100.0, 200.0], dates=dates, mark=mark))
    assert run.start is not None
    assert run.start.day == day
    assert ("date-order" in codes(run)) is not told


def test_dates_in_both_orders_are_refused(folder: Callable[..., Path]) -> None:
    run_folder = folder([100.0, 200.0], dates="28-12-2020")
    detail = run_folder / "mlperf_log_detail.txt"
    detail.write_text(detail.read_text().replace("28-12-2020", "12-28-2020"))
    with pytest.raises(ReadError, match=r"spl\.txt:1: dates in this log and beside it are written both day first and"):
        read(run_folder)


def test_clocks_in_different_zones_are_seen(folder: Callable[..., Path]) -> None:
    run_folder = folder([100.0, 200.0])
    log = run_folder / "spl.txt"
    log.write_text(log.read_text().replace(" 10:", " 14:"))
    with pytest.raises(ReadError, match=r"no sample lies in the window of the run.*count in the same zone"):
        read(run_folder)


def test_local_times_of_an_old_loadgen(folder: Callable[..., Path]) -> None:
    run_folder = folder([100.0, 200.0], version="1.0")
    (run,) = read(run_folder)
    assert "local-times" in codes(run)
    assert run.start is not None
    assert run.start.tzinfo is None
    power = run_folder.parent / "power"
    power.mkdir()
    (power / "client.json").write_text('{"timezone": 3600}')
    (power / "server.json").write_text('{"timezone": 0}')
    log = run_folder / "spl.txt"
    log.write_text(log.read_text().replace(" 10:", " 11:"))  # the meter's clock is UTC
    (run,) = read(run_folder)
    assert result(run, "official power") == 150.0
    assert run.start is not None
    assert run.start.isoformat() == "2024-07-23T11:00:00+00:00"


def test_an_invalid_result_says_so(folder: Callable[..., Path]) -> None:
    (run,) = read(folder([100.0, 200.0], validity="INVALID"))
    assert run.validity == "invalid"
    assert "invalid-result" in codes(run)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("Time,07-23-2024 10:00:01.5,Watts,abc,Volts,1", r"spl\.txt:3: field 'Watts': 'abc' is not a number"),
        ("Time,2024-07-23 10:00:01.5,Watts,1,Volts,1", r"spl\.txt:3: '2024-07-23 10:00:01\.5' is not a time such as"),
        ("Time,07-23-2024", r"spl\.txt:3: is not a sample of PTDaemon"),
        ("Time,07-23-2024 09:00:00.000,Watts,1,Volts,1", r"spl\.txt:3: time runs backwards"),
        ("Time,07-32-2024 10:00:01.5,Watts,1,Volts,1", r"spl\.txt:3: '07-32-2024' is not a date"),
    ],
)
def test_lines_that_are_no_samples(folder: Callable[..., Path], line: str, message: str) -> None:
    run_folder = folder([100.0, 200.0])
    with (run_folder / "spl.txt").open("a") as log:
        log.write(line + "\n")
    with pytest.raises(ReadError, match=message):
        read(run_folder)


def test_a_run_folder_without_the_log_of_loadgen(folder: Callable[..., Path]) -> None:
    run_folder = folder([100.0])
    (run_folder / "mlperf_log_detail.txt").unlink()
    with pytest.raises(ReadError, match=r"mlperf_log_detail\.txt: no such file; it says between which times"):
        read(run_folder)


def test_a_run_folder_without_power_has_a_run_time(folder: Callable[..., Path]) -> None:
    run_folder = folder([100.0, 100.0, 100.0])
    (run_folder / "spl.txt").unlink()
    (run,) = read(run_folder)
    assert run.energy == ()
    assert run.duration is not None
    assert run.duration.m_as("s") == 3
    assert "no-power" in codes(run)


def test_hardware_from_the_description_of_the_system(folder: Callable[..., Path], tmp_path: Path) -> None:
    run_folder = folder([100.0, 200.0])
    place = tmp_path / "closed/Org/results/box_a/resnet50/Offline/performance"
    place.mkdir(parents=True)
    shutil.move(run_folder, place / "run_1")
    systems = tmp_path / "closed/Org/systems"
    systems.mkdir()
    description = {"accelerators_per_node": "4", "accelerator_model_name": "NVIDIA L4", "number_of_nodes": 2}
    (systems / "box_a.json").write_text(json.dumps(description))
    (run,) = read(place)
    assert [(d.kind, d.model, d.count) for d in run.devices] == [("accelerator", "NVIDIA L4", 8)]
    assert run.nodes == 2


# ---- Training


def facts_of_runs(shared: Path) -> dict[str, dict[str, str]]:
    with (shared / "facts/measured/mlperf_training_power_runs.csv").open() as file:
        return {f"{row['folder']}/{row['run']}": row for row in csv.DictReader(file)}


# samples/mlperf/MANIFEST.csv: official energy, window integral (x conversion_eff), coverage
@pytest.mark.parametrize(
    ("folder", "time_to_train", "official", "window", "efficiency", "coverage", "boundary"),
    [
        ("v5.0_Lenovo_8xB200_bert", 220.176, 2000354.5, 2013764.5, 0.94, 1.0, "node_ac"),
        ("v4.0_SMC_8xH100_bert_ac", 277.048, None, 1878755.6, 1.0, 1.0, "node_ac"),
        ("v4.0_SMC_8xH100_bert_dc", 277.048, None, 1834003.2, 1.0, 1.0, "node_dc"),
        ("v4.0_SMC_8xH100_resnet_ac", 802.177, 5555757.9, 5547878.2, 1.0, 0.9976, "node_ac"),
        ("v4.1_Dell_64xH100_llama2_70b_lora", 293.927, 16143281.6, 16223049.6, 0.96, 0.9954, "node_ac"),
    ],
)
def test_training_energies(
    shared: Path,
    folder: str,
    time_to_train: float,
    official: float | None,
    window: float,
    efficiency: float,
    coverage: float,
    boundary: str,
) -> None:
    (run,) = read(shared / "samples/mlperf" / f"training_{folder}")
    assert run.duration is not None
    assert run.duration.m_as("s") == pytest.approx(time_to_train, abs=1e-9)
    wall = next(e for e in run.energy if e.rule == "trapezoid")
    assert wall.value * efficiency == pytest.approx(window, abs=0.051)
    assert wall.boundary == boundary
    assert wall.coverage == pytest.approx(coverage, abs=0.5e-4)
    if official is None:
        assert "stop-not-after-start" in codes(run)
        assert not [one for one in run.results if one.name == "official energy"]
    else:
        assert result(run, "official energy") == pytest.approx(official, abs=0.051)
        behind = "node_dc" if efficiency < 1 else boundary
        assert energies(run)[behind, "mlperf_training_official"] == pytest.approx(official, abs=0.051)


# pitfalls P10
def test_official_energy_and_that_at_the_wall_are_kept_apart(shared: Path) -> None:
    (run,) = read(shared / "samples/mlperf/training_v5.0_Lenovo_8xB200_bert")
    assert result(run, "official energy") == pytest.approx(2_000_354.5, abs=0.051)
    assert result(run, "official energy before conversion_eff") == pytest.approx(2_128_036.7, abs=0.051)
    assert energies(run)["node_ac", "trapezoid"] == pytest.approx(2_142_302.6, abs=0.051)
    (warning,) = [warning for warning in run.warnings if warning.code == "official-differs"]
    assert "conversion_eff takes it behind the power supplies (x 0.94)" in warning.message
    assert "stretches the mean of the whole log of 222 s" in warning.message


# pitfalls P11
def test_ac_and_dc_logs_of_one_run(shared: Path) -> None:
    (ac,) = read(shared / "samples/mlperf/training_v4.0_SMC_8xH100_bert_ac")
    (dc,) = read(shared / "samples/mlperf/training_v4.0_SMC_8xH100_bert_dc")
    joules = [next(iter(energies(run).values())) for run in (ac, dc)]
    assert joules[1] / joules[0] == pytest.approx(0.9762, abs=0.5e-4)
    assert [next(iter(run.energy)).boundary for run in (ac, dc)] == ["node_ac", "node_dc"]
    assert "boundary-from-name" in codes(ac)


# pitfalls P13
def test_a_switch_log_whose_clock_is_five_hours_off(shared: Path) -> None:
    (run,) = read(shared / "samples/mlperf/training_v4.1_Dell_64xH100_llama2_70b_lora")
    (warning,) = [warning for warning in run.warnings if warning.code == "no-overlap"]
    assert "sw_0 begins -18015.4 s" in warning.message
    assert "about 5 h behind" in warning.message
    assert "not zero" in warning.message
    assert {e.boundary for e in run.energy} == {"node_ac", "node_dc"}  # no sum with a switch that is not known
    assert result(run, "mean power of sw_0") == pytest.approx(691.3677419354839, abs=1e-9)
    assert run.nodes == 8


def test_samples_trained_on_are_not_the_size_of_the_data_set(shared: Path) -> None:
    (lora,) = read(shared / "samples/mlperf/training_v4.1_Dell_64xH100_llama2_70b_lora")
    assert [(w.quantity, w.value) for w in lora.work] == [("samples", 3072)]  # the data set has 3901
    (resnet,) = read(shared / "samples/mlperf/training_v4.0_SMC_8xH100_resnet_ac")
    assert resnet.work == ()  # 1281167 is its data set, of which 35 epochs were run
    (bert,) = read(shared / "samples/mlperf/training_v5.0_Lenovo_8xB200_bert")
    assert [(w.quantity, w.value) for w in bert.work] == [("samples", 2549478)]


def mllog(key: str, time_ms: int, value: object = None, **metadata: object) -> str:
    return ":::MLLOG " + json.dumps({"time_ms": time_ms, "key": key, "value": value, "metadata": metadata}) + "\n"


def power_log(readings: list[tuple[int, float]], start: int | None, stop: int | None, **eff: object) -> str:
    text = "" if start is None else mllog("power_measurement_start", start)
    if eff:
        text += mllog("conversion_eff", readings[0][0], eff.pop("value"), **eff)
    text += "".join(mllog("power_reading", time, power) for time, power in readings)
    return text if stop is None else text + mllog("power_measurement_stop", stop)


@pytest.fixture
def training(tmp_path: Path) -> Callable[..., Path]:
    """Writes a result of 100 s and its power logs."""

    def write(status: str = "success", **logs: str) -> Path:
        text = mllog("run_start", 1_000_000) + mllog("run_stop", 1_100_000, status=status)
        (tmp_path / "result_0.txt").write_text(text)
        power = tmp_path / "power/result_0"
        power.mkdir(parents=True, exist_ok=True)
        for name, log in logs.items():
            (power / f"{name}.txt").write_text(log)
        return tmp_path / "result_0.txt"

    return write


READINGS = [(990_000, 1000.0), (1_000_000, 2000.0), (1_050_000, 2000.0), (1_100_000, 2000.0), (1_110_000, 1000.0)]


def test_measured_switches_are_added_at_the_wall_of_the_system(training: Callable[..., Path]) -> None:
    eff = {"value": 0.9, "measurement_type": "AC"}
    node = power_log(READINGS, 990_000, 1_110_000, **eff)
    switch = power_log([(1_000_000, 500.0), (1_100_000, 500.0)], 1_000_000, 1_100_000, **eff)
    (run,) = read(training(node_0=node, sw_0=switch))
    found = energies(run)
    assert found["node_ac", "trapezoid"] == pytest.approx(200_000)
    assert found["system_wall_ac", "nodes_and_switches"] == pytest.approx(250_000)
    # official: 2000 W x 110 s of readings + 1000 W x 10 s, over 120 s, for 100 s, x 0.9; readings of switches left out
    assert result(run, "official energy") == pytest.approx((2000 * 110 + 1000 * 10) * 100 / 120 * 0.9)


def test_estimated_switches_are_marked_as_such(training: Callable[..., Path]) -> None:
    node = power_log(READINGS, 990_000, 1_110_000, value=1.0, measurement_type="AC")
    (run,) = read(training(node_0=node, sw_0=mllog("interconnect_power_est", 1_000_000, 300)))
    (total,) = [e for e in run.energy if e.boundary == "system_wall_ac"]
    assert (total.value, total.method) == (pytest.approx(230_000), "model")
    official = energies(run)["node_ac", "mlperf_training_official"]
    assert result(run, "official energy") == pytest.approx(official + 30_000)


# pitfalls P14
def test_a_power_log_that_is_shorter_than_the_run(training: Callable[..., Path]) -> None:
    short = power_log([(1_000_000, 2000.0), (1_065_000, 2000.0)], 1_000_000, 1_065_000)
    (run,) = read(training(node_0=short), options=ReadOptions(boundary="node_ac"))
    assert next(e for e in run.energy if e.rule == "trapezoid").coverage == pytest.approx(0.65)
    (warning,) = [warning for warning in run.warnings if warning.code == "short-log"]
    assert "covers 65.0% of the 100 s of the run" in warning.message


def test_a_node_without_a_reading_in_the_run_leaves_the_energy_unknown(training: Callable[..., Path]) -> None:
    other = power_log([(5_000_000, 2000.0), (5_100_000, 2000.0)], 5_000_000, 5_100_000)
    (run,) = read(training(node_0=power_log(READINGS, 990_000, 1_110_000), node_1=other))
    assert not [e for e in run.energy if e.rule == "trapezoid"]
    assert "no-overlap" in codes(run)


def test_a_result_without_power_has_a_run_time(training: Callable[..., Path]) -> None:
    (run,) = read(training())
    assert run.energy == ()
    assert run.duration is not None
    assert run.duration.m_as("s") == 100
    assert result(run, "time to train") == 100


def test_an_aborted_run(training: Callable[..., Path]) -> None:
    (run,) = read(training(status="aborted"))
    assert run.validity == "invalid"
    assert "invalid-result" in codes(run)


def test_a_folder_of_results_is_several_runs(training: Callable[..., Path]) -> None:
    path = training()
    shutil.copy(path, path.with_name("result_1.txt"))
    assert [run.name for run in read(path.parent)] == ["result_0", "result_1"]


# open case A23
A23 = power_log([(1000, 1000), (2000, 2000), (3000, 2000), (4000, 2000), (5000, 1000)], 2000, 4000)


def test_only_the_window_of_the_power_log_counts(file: Write) -> None:
    (run,) = read(file("node_0.txt", A23))
    assert next(iter(energies(run).values())) == pytest.approx(4000)  # 7000 J with all readings


def test_a_power_log_without_its_start_is_no_answer(file: Write) -> None:
    text = "".join(line + "\n" for line in A23.splitlines() if "start" not in line)
    with pytest.raises(ReadError, match="has no 'power_measurement_start', and there is no result beside it"):
        read(file("node_0.txt", text))


def test_the_start_of_the_result_stands_for_a_missing_one(training: Callable[..., Path]) -> None:
    path = training(node_0=power_log(READINGS, None, 1_110_000))
    (run,) = read(path.parent / "power/result_0/node_0.txt")
    assert energies(run)[None, "trapezoid"] == pytest.approx(200_000)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            ':::MLLOG {"key": "power_reading"',
            r"node_0\.txt:6: what follows ':::MLLOG' is not JSON; the line was cut off",
        ),
        (mllog("power_reading", 1_050_000, "many"), r":6: the value of 'power_reading', 'many', is not a number"),
        (mllog("power_reading", 1_050_000, -5), r":6: a power of -5 W is below zero"),
        (mllog("conversion_eff", 1_050_000, 94), r":6: 'conversion_eff' is 94; above 0 and at most 1 is expected"),
        (':::MLLOG {"key": "power_reading", "time_ms": "x"}', r":6: 'time_ms' of 'power_reading' is 'x', a number of"),
    ],
)
def test_lines_of_a_power_log_that_cannot_be(training: Callable[..., Path], line: str, message: str) -> None:
    text = "".join(mllog("power_reading", time, power) for time, power in READINGS)
    with pytest.raises(ReadError, match=message):
        read(training(node_0=text + line))


def test_a_run_that_did_not_end(file: Write) -> None:
    with pytest.raises(ReadError, match=r"result_0\.txt: has no 'run_stop': the run did not end"):
        read(file("result_0.txt", mllog("run_start", 1000)))


def test_logs_of_the_first_round_are_named(file: Write) -> None:
    with pytest.raises(ReadError, match=r":1: is a log of MLPerf v0\.5, which is not read"):
        read(file("result_0.txt", ":::MLPv0.5.0 resnet 1541632600.123 (file.py:1) run_start\n"))


# ---- Tiny


def test_tiny_energy(shared: Path) -> None:
    (run,) = read(shared / "samples/mlperf/tiny_v1.1_Krai_NUCLEO-L4R5ZI_ad_energy/results.txt")
    assert result(run, "median energy cost") == 529.299
    assert result(run, "window 2: Energy") == 786656.36
    assert result(run, "window 2: Power") == 69168.765
    assert result(run, "window 2: Runtime") == 11.373
    (energy,) = run.energy
    assert energy.boundary == "node_dc"
    assert energy.energy.m_as("J") == pytest.approx(3.96302525, abs=1e-9)  # micro, not milli
    assert run.work[0].value == 7500


TINY = """00001.0 ulp-ml: Energy data for window 2 at time 9.09 for 10.00 sec.:
00001.0 ulp-ml:   Energy       :   {energy} {unit}
00001.0 ulp-ml:   Power        :   100.0 uW
00001.0 ulp-ml: Performance results for window 2:
00001.0 ulp-ml:   # Inferences :         50
00001.0 ulp-ml:   Runtime      :       10.0 sec.
"""


def test_tiny_in_another_unit_is_refused(file: Write) -> None:
    with pytest.raises(ReadError, match=r"results\.txt:2: 'Energy' is in 'mJ', 'uJ' is expected"):
        read(file("results.txt", TINY.format(energy="1.0", unit="mJ")))


def test_tiny_energy_that_does_not_fit_its_power(file: Write) -> None:
    (run,) = read(file("results.txt", TINY.format(energy="1000.0", unit="uJ")))
    assert codes(run) == set()
    (run,) = read(file("results.txt", TINY.format(energy="1.0", unit="uJ")))
    assert codes(run) == {"energy-power-time"}
