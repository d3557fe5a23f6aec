"""Each row of the manifests and of the table of pitfalls: the right value comes out, and the wrong one does not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tco.errors import ReadError
from tco.readers import ReadOptions, read
from tco.records.run import Run

JOULES = {"J": 1.0, "Wh": 3600.0, "kWh": 3.6e6}


def joules(run: Run) -> dict[str | None, float]:
    return {energy.device: energy.value * JOULES[energy.unit] for energy in run.energy}


def watts(run: Run) -> dict[str | None, float]:
    return {
        power.device: float(power.average_power.m_as("W")) for power in run.power if power.average_power is not None
    }


def codes(run: Run) -> set[str]:
    return {warning.code for warning in run.warnings}


# samples/nvidia_smi/MANIFEST.csv
def test_noheader_nounits(shared: Path) -> None:
    path = shared / "samples/nvidia_smi/query_gpu_noheader_nounits_constructed.csv"
    (run,) = read(path, options=ReadOptions(names=("timestamp", "index", "power.draw [W]")))
    assert joules(run) == {"0": 700}
    with pytest.raises(ReadError, match="has no column names"):
        read(path)


def test_dmon(shared: Path) -> None:
    path = shared / "samples/nvidia_smi/dmon_constructed.txt"
    (run,) = read(path, options=ReadOptions(interval_s=1.0))
    assert run.duration is not None
    assert (run.energy[0].energy / run.duration).m_as("W") == pytest.approx(350)
    with pytest.raises(ReadError, match="has no time; say how often dmon sampled"):
        read(path)


@pytest.mark.parametrize(
    ("file", "columns"),
    [
        ("a100_square_wave_15ms.csv", {"power.draw": 1308.797, "power.draw.instant": 1308.94}),
        ("a100_transient_15ms.csv", {"power.draw": 1775.875, "power.draw.instant": 1774.041}),
        (
            "rtx3090_square_wave.csv",
            {"power.draw": 2872.01, "power.draw.average": 2872.009, "power.draw.instant": 2852.987},
        ),
    ],
)
def test_each_column_of_power(shared: Path, file: str, columns: dict[str, float]) -> None:
    for column, expected in columns.items():
        options = ReadOptions(columns=("time=timestamp", f"power:gpu={column} [W]"), boundary="gpu_board")
        (run,) = read(shared / "samples/nvidia_smi" / file, as_="csv", options=options)
        assert run.energy[0].value == pytest.approx(expected, abs=0.51e-3)
    (run,) = read(shared / "samples/nvidia_smi" / file)
    assert run.energy[0].value == pytest.approx(columns["power.draw"], abs=0.51e-3)


# pitfalls_tests.csv P24
def test_a_missing_value_is_not_zero(shared: Path) -> None:
    (run,) = read(shared / "samples/nvidia_smi/query_gpu_multi_na_constructed.csv")
    total = sum(joules(run).values())
    assert total == pytest.approx(1610)
    assert total != pytest.approx(1095, abs=1)
    assert "missing-samples" in codes(run)


# samples/dcgm/MANIFEST.csv
def test_dcgm_snapshot(shared: Path) -> None:
    (run,) = read(shared / "samples/dcgm/dcgm_exporter_snapshot.prom")
    assert watts(run) == {"0": pytest.approx(40.979)}
    (energy,) = run.energy
    assert energy.value == pytest.approx(455497.156)
    assert energy.energy.m_as("kWh") == pytest.approx(0.1265269877777778, rel=1e-12)
    assert (energy.rule, "counter-since-start" in codes(run)) == ("total since the driver was loaded", True)


# pitfalls_tests.csv P29
def test_dcgm_blank(shared: Path) -> None:
    (run,) = read(shared / "samples/dcgm/dcgm_exporter_blank_constructed.prom")
    assert watts(run) == {"1": 251.5}
    assert run.energy == ()
    assert "absent-channel" in codes(run)


@pytest.mark.parametrize(
    ("rule", "expected"), [("trapezoid", 14550), ("left_rectangle", 14400), ("right_rectangle", 14700)]
)
def test_prometheus_power(shared: Path, rule: str, expected: float) -> None:
    path = shared / "samples/dcgm/prometheus_query_range_power_constructed.json"
    (run,) = read(path, options=ReadOptions(rule=rule))  # type: ignore[arg-type]
    assert joules(run) == {"0": expected, "1": 4500}


# pitfalls_tests.csv P28
def test_prometheus_counter_with_a_reset(shared: Path) -> None:
    (run,) = read(shared / "samples/dcgm/prometheus_query_range_energy_reset_constructed.json")
    assert joules(run) == {"0": 42_000}
    assert "counter-reset" in codes(run)


# samples/other/MANIFEST.csv, pitfalls_tests.csv P27
def test_rapl_wrap(shared: Path) -> None:
    (run,) = read(shared / "samples/other/rapl_powercap_wrap_constructed.csv")
    assert joules(run) == pytest.approx({"package-0": 24_000, "dram": 2_400})
    assert run.duration is not None
    assert [float((e.energy / run.duration).m_as("W")) for e in run.energy] == pytest.approx([200, 20])


# pitfalls_tests.csv P35
def test_kepler_zones_nest(shared: Path) -> None:
    (run,) = read(shared / "samples/other/kepler_node_constructed.prom")
    assert sum(joules(run).values()) == pytest.approx(13500.75)
    assert {energy.boundary for energy in run.energy} == {"cpu_package"}
    assert "nested-channel" in codes(run)


def test_other_known_values(shared: Path) -> None:
    folder = shared / "samples/other"
    (run,) = read(folder / "redfish_power_constructed.json")
    found = watts(run)
    assert (found[None], found["moment"]) == (319, 344)
    assert sum(w for p, w in _by_boundary(run) if p == "node_dc") == 334
    assert sum(w for p, w in _by_boundary(run) if p == "node_ac") == 319 + 344 + 358
    (run,) = read(folder / "ipmi_dcmi_power_reading_constructed.txt")
    assert watts(run) == {None: 540, "moment": 832}
    (run,) = read(folder / "perf_stat_energy_constructed.csv")
    assert joules(run) == {"package": 12000.5, "dram": 1500.25}
    (run,) = read(folder / "turbostat_constructed.txt")
    assert watts(run)["package"] == 200.5
    (run,) = read(folder / "wandb_system_metrics_constructed.csv")
    assert joules(run) == {"0": 9600, "1": 9900}


def _by_boundary(run: Run) -> list[tuple[str | None, float]]:
    return [(p.boundary, float(p.average_power.m_as("W"))) for p in run.power if p.average_power is not None]


@pytest.mark.parametrize("file", ["archer2_2022-11_CodePower.csv", "archer2_2023-01_CPUFreqPower.csv"])
def test_archer2_months(shared: Path, file: str) -> None:
    import csv

    with (shared / "samples/other/MANIFEST.csv").open() as manifest:
        known = next(json.loads(row["known_values_json"]) for row in csv.DictReader(manifest) if row["file"] == file)
    (run,) = read(shared / "samples/other" / file)
    assert run.energy[0].value == known["overall_kWh"]
    assert run.nodes is not None
    assert run.duration is not None
    node_hours = run.nodes * run.duration.m_as("h")
    assert node_hours == pytest.approx(known["overall_node_h"])
    assert run.energy[0].value / node_hours * 1000 == pytest.approx(known["mean_W_per_node"], abs=0.005)


# open-cases.md A10, A17, A18
@pytest.mark.parametrize(
    ("content", "expected", "code"),
    [
        ("t_s,gpu0_total_energy_mJ\n0,1000000\n100,6000000\n", {"gpu0": 5000}, None),
        ("t_s,gpu0_energy_mJ,gpu0_power_W\n0,,250\n3600,,250\n", {"gpu0": 900_000}, "counter-empty"),
        (
            "timestamp, index, power.draw [W]\n2026/01/01 00:00:00.000, 0, 300.00 W\n"
            "2026/01/01 00:00:01.000, 0, [N/A]\n2026/01/01 00:00:02.000, 0, 300.00 W\n",
            {"0": 600},
            "missing-samples",
        ),
    ],
)
def test_open_cases(tmp_path: Path, content: str, expected: dict[str, float], code: str | None) -> None:
    path = tmp_path / "case.csv"
    path.write_text(content)
    (run,) = read(path)
    assert joules(run) == pytest.approx(expected)
    assert code is None or code in codes(run)
