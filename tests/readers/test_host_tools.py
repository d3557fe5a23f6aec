"""Tools that show the power of processors and nodes: what is read, what is noted, what is refused."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tco.errors import ReadError
from tco.readers import ReadOptions, read
from tco.records.run import Run

Write = Callable[[str, str | bytes], Path]


def joules(run: Run) -> dict[str | None, float]:
    return {energy.device: energy.value * {"J": 1.0, "kWh": 3.6e6}[energy.unit] for energy in run.energy}


def watts(run: Run) -> dict[str | None, float]:
    return {
        power.device: float(power.average_power.m_as("W")) for power in run.power if power.average_power is not None
    }


def notes(run: Run) -> dict[str, str]:
    return {warning.code: warning.message for warning in run.warnings}


# ---- RAPL


def test_rapl_zones_wrap_each_at_its_own_range(data: Path) -> None:
    (run,) = read(data / "rapl.csv")
    assert joules(run) == pytest.approx({"package-0": 4000, "dram": 400, "psys": 9000})
    assert {e.device: e.boundary for e in run.energy} == {
        "package-0": "cpu_package",
        "dram": "cpu_package",
        "psys": "node_dc",
    }
    assert notes(run)["nested-channel"] == "'core' lies within 'package-0' and is not added"
    assert notes(run)["counter-wrapped"].startswith(
        "channel 'package-0': the counter wrapped once at the end of its range, which is added; one more wrap in its "
        "longest interval (20 s) would be 3277 W more"
    )
    assert notes(run)["platform-zone"].startswith(
        "'psys' is taken as the node behind its power supplies; what a platform"
    )
    assert [(d.kind, d.count) for d in run.devices] == [("cpu", 1)]


def test_rapl_that_may_have_wrapped_unseen(file: Write) -> None:
    rows = "".join(f"{t},package-0,{e},65532610987\n" for t, e in ((0, 1000), (600, 50_000_001_000)))
    (run,) = read(file("rapl.csv", "timestamp_s,domain,energy_uj,max_energy_range_uj\n" + rows))
    assert joules(run) == pytest.approx({"package-0": 50_000})
    assert notes(run)["counter-ambiguous"].startswith(
        "channel 'package-0': it may have wrapped more often than can be seen: another 109.2 W over its longest "
    )


def test_rapl_packages_of_two_sockets_hold_their_own_cores(file: Write) -> None:
    names = ("package-0", "package-1", "core-0", "core-1", "intel-rapl:dram-0")
    rows = "".join(f"{t},{name},{t * (n + 1) * 1_000_000}\n" for t in (0, 10) for n, name in enumerate(names))
    (run,) = read(file("rapl.csv", "timestamp_s,domain,energy_uj\n" + rows))
    assert joules(run) == pytest.approx({"package-0": 10, "package-1": 20, "intel-rapl:dram-0": 50})
    assert [w.message for w in run.warnings if w.code == "nested-channel"] == [
        "'core-0' lies within 'package-0' and is not added",
        "'core-1' lies within 'package-1' and is not added",
    ]


# facts/cases/open-cases.md A15
def test_a_counter_that_wraps_in_a_table(data: Path) -> None:
    (run,) = read(data / "table.wrap.csv")
    (energy,) = run.energy
    assert energy.value == pytest.approx(500.32885, rel=1e-9)
    assert run.duration is not None
    assert (energy.energy / run.duration).m_as("W") == pytest.approx(50.03, abs=0.005)


# facts/cases/open-cases.md A16
def test_a_counter_that_falls_and_whose_range_is_not_known(file: Write) -> None:
    path = file("t.csv", "t_s,package0_energy_uj\n0,4000000000\n10,10000\n20,500010000\n")
    (run,) = read(path)
    (energy,) = run.energy
    assert (energy.value, energy.coverage) == (pytest.approx(500), pytest.approx(0.5))
    assert notes(run)["counter-fell"] == (
        "channel 'package0': the counter fell once, and nothing says whether it wrapped, and where, or was reset; 10 s "
        "are left out, samples cover 50.0%"
    )


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (
            "timestamp_s,domain,energy_uj\n0,intel-rapl:0:1,5\n",
            r":2: column 'domain': 'intel-rapl:0:1' is a path, which",
        ),
        ("timestamp_s,domain,energy_uj\n0,disk,5\n", r":2: column 'domain': 'disk' is not a zone of RAPL"),
        ("when,domain,energy_uj\n0,dram,5\n", r":1: there is no column of times; name it 'timestamp_s', as in"),
        (
            "timestamp_s,domain,energy_uj,max_energy_range_uj\n0,dram,500,400\n",
            r":2: the counter stands at 0\.0005 J, above",
        ),
        (
            "timestamp_s,domain,energy_uj,max_energy_range_uj\n0,dram,5,0\n",
            r":2: column 'max_.*: a range of 0 uJ is not ab",
        ),
        ("timestamp_s,domain,energy_uj\n0,dram,5", r": the last line, '0,dram,5', has no line end"),
    ],
)
def test_rapl_refusals(file: Write, content: str, fault: str) -> None:
    with pytest.raises(ReadError, match=r"rapl\.csv" + fault):
        read(file("rapl.csv", content), as_="rapl")


# ---- perf stat


def test_perf_separated(data: Path) -> None:
    (run,) = read(data / "perf.csv")
    assert joules(run) == {"package": 12000.5, "dram": 1500.25}
    assert run.duration is not None
    assert run.duration.m_as("s") == pytest.approx(60)
    assert notes(run) == {
        "nested-channel": "'core' lies within 'package' and is not added",
        "absent-channel": "'psys' was not counted; its energy is not known, which is not zero",
    }


def test_perf_as_people_read_it(data: Path) -> None:
    (run,) = read(data / "perf.txt")
    assert joules(run) == {"package": 2306.32, "dram": 180.5}
    assert run.duration is not None
    assert run.duration.m_as("s") == pytest.approx(20.001965465)


def test_perf_intervals_of_two_sockets(data: Path) -> None:
    (run,) = read(data / "perf-interval.csv")
    assert joules(run) == pytest.approx({"package-0": 19.63 + 19.41, "package-1": 20.37 + 20.59})
    assert run.duration is not None
    assert run.duration.m_as("s") == pytest.approx(2.002369058)


@pytest.mark.parametrize(
    ("line", "joules_"),
    [
        ("12000,50;Joules;power/energy-pkg/;1;100,00;;", 12000.5),
        ("   1.234,56 Joules power/energy-pkg/  ", 1234.56),
        ("   0,05 Joules power/energy-pkg/  ", 0.05),
        ("   12 Joules power/energy-pkg/  ", 12),
    ],
)
def test_perf_in_the_language_of_the_machine(file: Write, line: str, joules_: float) -> None:
    (run,) = read(file("perf.txt", line + "\n"))
    assert joules(run) == {"package": joules_}
    assert notes(run)["no-duration"].startswith("the file does not say how long the run took")


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("12000,50,Joules,power/energy-pkg/,1,100,00,,\n", r":1: .* a decimal comma cannot be told from a separator"),
        ("1.234.56 Joules power/energy-pkg/\n", r":1: '1\.234\.56' is not a number of joules such as '12000\.50'"),
        ("12.50,Joules,power/energy-pkg/,1", r": the last line has no line end"),
        (
            "x,ns,duration_time,1\n1.00,Joules,power/energy-pkg/,1\n",
            r":1: duration_time: 'x' is not a number of nanosec",
        ),
    ],
)
def test_perf_refusals(file: Write, line: str, fault: str) -> None:
    with pytest.raises(ReadError, match=r"perf\.txt" + fault):
        read(file("perf.txt", line), as_="perf")


# ---- turbostat


def test_turbostat_reads_the_summary_rows(data: Path) -> None:
    (run,) = read(data / "turbostat.txt")
    assert joules(run) == pytest.approx({"package": 5 * 200 + 5 * 240, "dram": 200})
    assert run.start == datetime(2026, 1, 1, tzinfo=UTC)
    assert run.duration is not None
    assert run.duration.m_as("s") == pytest.approx(10)


def test_turbostat_without_times(file: Write) -> None:
    path = file("t.txt", "Busy%\tPkgWatt\tRAMWatt\n98\t201.5\t18\n98\t199.5\t18\n")
    (run,) = read(path)
    assert watts(run) == {"package": 200.5, "dram": 18}
    assert notes(run)["no-times"].startswith("mean powers of 2 intervals, whose length nobody says: --interval '5 s'")
    (run,) = read(path, options=ReadOptions(interval_s=5.0))
    assert joules(run) == pytest.approx({"package": 2005, "dram": 180})


def test_turbostat_of_a_command(file: Write) -> None:
    (run,) = read(
        file("t.txt", "5.000000 sec\nCore\tCPU\tPkgWatt\tRAMWatt\n-\t-\t193.12\t111.17\n0\t0\t193.12\t111.17\n")
    )
    assert joules(run) == pytest.approx({"package": 965.6, "dram": 555.85})


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("Core\tCPU\tPkgWatt\n0\t0\t5\n", r": has no summary rows of power; log with: turbostat"),
        ("Busy%\tPkgWatt\n98\n", r":2: has 1 fields, 2 expected; the line was cut off"),
        (
            "Busy%\tPkgWatt\n98\t2\nPkgWatt\n2\n",
            r":3: the columns change from those of the first table; cut the file there",
        ),
        ("Busy%\tPkgWatt\n98\t20,5\n", r":2: column 'PkgWatt': '20,5' has a comma in its number"),
    ],
)
def test_turbostat_refusals(file: Write, content: str, fault: str) -> None:
    with pytest.raises(ReadError, match=r"t\.txt" + fault):
        read(file("t.txt", content), as_="turbostat")


# ---- IPMI and Redfish


def test_ipmi_readings_one_after_the_other_are_a_trace(data: Path) -> None:
    (run,) = read(data / "ipmi.txt", options=ReadOptions(time_zone="UTC"))
    assert [(e.device, e.boundary, e.value) for e in run.energy] == [("node", "node_ac", 8500)]
    assert run.start == datetime(2026, 1, 1, tzinfo=UTC)


def test_ipmi_one_reading(data: Path) -> None:
    (run,) = read(data / "freeipmi.txt")
    assert watts(run) == {None: 236, "moment": 226}
    assert run.power[0].sampling is not None
    assert run.power[0].sampling.m_as("s") == 1_473_439
    assert "over the controller's own 1.47344e+06 s, which need not be the run" in notes(run)["one-moment"]


def test_ipmi_controller_that_does_not_measure(file: Write) -> None:
    (run,) = read(file("i.txt", "Instantaneous power reading: 0 Watts\nPower reading state is: deactivated\n"))
    assert (run.power, run.energy) == ((), ())


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (
            "Current Power : 5 Watts\nCurrent Power : 6 Watts\n",
            r": its 2 readings have no time; say how often: --interval",
        ),
        ("Current Power : x Watts\n", r":1: Instantaneous power reading: 'x' is not a number"),
        ("Current Power : 5 Wat", r": the last line has no line end"),
        ("Power\n", r": has no line 'Instantaneous power reading: \.\.\. Watts'; log with: while sleep"),
    ],
)
def test_ipmi_refusals(file: Write, content: str, fault: str) -> None:
    with pytest.raises(ReadError, match=r"i\.txt" + fault):
        read(file("i.txt", content), as_="ipmi-dcmi")


def test_redfish_power_of_a_node(data: Path) -> None:
    (run,) = read(data / "redfish.json")
    assert [
        (p.device, p.boundary, float(p.average_power.m_as("W"))) for p in run.power if p.average_power is not None
    ] == [
        (None, "node_ac", 587),
        ("moment", "node_ac", 590),
        ("supply 0", "node_ac", 310),
        ("supply 0", "node_dc", 290),
    ]
    assert notes(run)["one-moment"].startswith(
        "mean 587 W over 20 min; 590 W at the moment; CPU Sub-system Power 210.0 W is a part of it; 310 W into "
    )


def test_redfish_power_of_a_pdu(data: Path) -> None:
    (run,) = read(data / "redfish-pdu.json")
    assert [(p.boundary, float(p.average_power.m_as("W"))) for p in run.power if p.average_power is not None] == [
        ("rack_pdu", 6438)
    ]
    assert [(r.name, r.value, r.unit) for r in run.results] == [("EnergykWh", 56438, "kWh")]


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (
            '{"PowerControl": [{"PowerConsumedWatts": "x"}]}',
            r": PowerControl\[0\]\.PowerConsumedWatts: 'x' is not a number",
        ),
        (
            '{"PowerControl": [{"PowerConsumedWatts": null}]}',
            r": has no power: neither 'PowerControl' nor 'PowerWatts'",
        ),
        ('{"PowerControl": [{"PowerConsumedWatts": -5}]}', r"PowerConsumedWatts: -5 is below zero"),
        ('{"PowerControl": [{"Powe', r":1: is not JSON"),
    ],
)
def test_redfish_refusals(file: Write, content: str, fault: str) -> None:
    with pytest.raises(ReadError, match=r"r\.json.*" + fault):
        read(file("r.json", content), as_="redfish")


# ---- Kepler, Scaphandre, Prometheus


def test_kepler_zones_of_two_sockets(data: Path) -> None:
    (run,) = read(data / "kepler.prom")
    assert joules(run) == {"package": 9000, "dram": 600, "GPU-a": 3000}
    assert {e.device: e.boundary for e in run.energy}["GPU-a"] == "gpu_board"
    assert notes(run)["nested-channel"] == "'core' lies within its package and is not added"
    assert [(d.kind, d.model) for d in run.devices] == [("gpu", "NVIDIA L40S")]


def test_kepler_of_releases_before_0_10(file: Write) -> None:
    lines = "".join(
        f'kepler_node_package_joules_total{{package="0",mode="{mode}"}} {t * w} {1767225600000 + t * 1000}\n'
        for t in (0, 10)
        for mode, w in (("dynamic", 30), ("idle", 50))
    )
    (run,) = read(file("kepler.prom", lines))
    assert list(joules(run).values()) == [800]


def test_kepler_shares_of_processes_are_refused(file: Write) -> None:
    with pytest.raises(
        ReadError, match=r"holds what Kepler gives to processes, containers or pods \('kepler_process_cpu"
    ):
        read(file("kepler.prom", 'kepler_process_cpu_joules_total{pid="1"} 5\n'))


def test_scaphandre_report(data: Path) -> None:
    (run,) = read(data / "scaphandre.json")
    assert [(e.device, e.value, e.boundary) for e in run.energy] == [("host", 140, "cpu_package")]
    assert run.warnings == ()
    assert run.start == datetime(2026, 1, 1, 0, 0, 0, 500000, tzinfo=UTC)


# facts/cases/open-cases.md A11
def test_scaphandre_processes_that_explain_one_percent(file: Write) -> None:
    content = "timestamp,host_microwatts,sum_processes_microwatts\n0,100000000,1000000\n60,100000000,1000000\n"
    (run,) = read(file("s.csv", content))
    assert joules(run) == {"host": 6000}
    assert notes(run)["unit-suspicion"].startswith(
        "processes explain 1% of the power of the host; releases of Scaphandre"
    )


def test_scaphandre_metrics(data: Path) -> None:
    (run,) = read(data / "scaphandre.prom")
    assert list(watts(run).values()) == [45]
    assert "unit-suspicion" not in notes(run)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ('{"host":{"consumption":1,"timestamp":1}} {"host":{"consumption":', r"is not JSON: the file was cut off"),
        ('{"host":{"consumption":"x","timestamp":1}}', r": report 1: host\.consumption: 'x' is not a number"),
        ('{"host":{"consumption":1,"timestamp":1}}{"no":1}', r": report 2: has no 'host' with 'consumption'"),
    ],
)
def test_scaphandre_refusals(file: Write, content: str, fault: str) -> None:
    with pytest.raises(ReadError, match=r"s\.json.*" + fault):
        read(file("s.json", content), as_="scaphandre")


def test_prometheus_metrics_of_other_exporters(data: Path) -> None:
    (run,) = read(data / "node-exporter.range.json")
    assert [(e.boundary, e.value, e.method) for e in run.energy] == [
        ("cpu_package", 6000, "counter"),
        ("node_ac", 51000, "sensor"),
    ]


# ---- Weights & Biases, ARCHER2


def test_wandb_as_csv_and_as_json(data: Path) -> None:
    (run,) = read(data / "wandb.csv")
    assert joules(run) == {"0": 9600, "1": 9900}
    assert notes(run)["missing-samples"].startswith("channel '1': 1 of 3 samples have no value and are bridged")
    (run,) = read(data / "wandb.json")
    assert joules(run) == {"0": 9600}


def test_wandb_export_of_a_chart(file: Write) -> None:
    content = '"Relative Time (Process)","fast-run-7 - system/gpu.3.powerWatts"\n0,100\n30,200\n'
    (run,) = read(file("w.csv", content))
    assert joules(run) == {"3": 4500}
    assert run.start is None


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("w.csv", "_step,system.gpu.0.powerWatts\n0,5\n", r":1: has no '_timestamp'; export with: wandb\.Api\(\)"),
        ("w.csv", "_timestamp,system.gpu.0.powerWatts\n1767225600,5", r": the last line, .* has no line end"),
        (
            "w.csv",
            "_timestamp,a - gpu.0.powerWatts,b - gpu.0.powerWatts\n1,5,5\n",
            r":1: .* are both of GPU 0; export one",
        ),
        ("w.json", '[{"_timestamp": "x", "system.gpu.0.powerWatts": 5}]', r": row 1: _timestamp: 'x' is not a number"),
    ],
)
def test_wandb_refusals(file: Write, name: str, content: str, fault: str) -> None:
    with pytest.raises(ReadError, match=name.replace(".", r"\.") + fault):
        read(file(name, content), as_="wandb")


def test_archer2_month(data: Path) -> None:
    path = data / "usage_2024-02_CodePower.csv"
    (run,) = read(path)
    assert (run.energy[0].value, run.energy[0].unit, run.energy[0].boundary) == (2784, "kWh", "node_dc")
    assert run.nodes is not None
    assert run.duration is not None
    assert run.nodes * run.duration.m_as("h") == pytest.approx(6960)
    (run,) = read(path, options=ReadOptions(devices=("CodeA",)))
    assert run.energy[0].value == 1900
    with pytest.raises(ReadError, match=r"there is no row 'CodeC'; did you mean 'Code[AB]' or 'Code[AB]'\?"):
        read(path, options=ReadOptions(devices=("CodeC",)))
