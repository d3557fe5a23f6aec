"""Tools that show the power of GPUs: what is read, what is noted, what is refused and with which words."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tco.errors import ReadError
from tco.readers import ReadOptions, read
from tco.records.run import Run

Write = Callable[[str, str | bytes], Path]
SMI = "timestamp, index, power.draw [W]\n"


def joules(run: Run) -> dict[str | None, float]:
    return {energy.device: energy.value * {"J": 1.0, "kWh": 3.6e6}[energy.unit] for energy in run.energy}


def watts(run: Run) -> dict[str | None, float]:
    return {
        power.device: float(power.average_power.m_as("W")) for power in run.power if power.average_power is not None
    }


def notes(run: Run) -> dict[str, str]:
    return {warning.code: warning.message for warning in run.warnings}


# ---- nvidia-smi --query-gpu


@pytest.mark.parametrize("unit", ["", " W"])
def test_smi_without_names_takes_those_of_the_user(file: Write, unit: str) -> None:
    rows = "".join(f"2026/01/01 00:00:0{i}.000, {p:.2f}{unit}, 0\n" for i, p in enumerate((300, 400, 300)))
    path = file("smi.csv", rows)
    (run,) = read(path, options=ReadOptions(names=("timestamp", "power.draw [W]", "index")))
    assert joules(run) == {"0": 700}
    with pytest.raises(ReadError, match=r"smi\.csv:1: has 3 fields, and 2 names are given: timestamp, power\.draw"):
        read(path, options=ReadOptions(names=("timestamp", "power.draw [W]")))
    with pytest.raises(ReadError, match=r"smi\.csv: there is no column 'timestamp'; did you mean 'timestam'\?"):
        read(path, options=ReadOptions(names=("timestam", "power.draw [W]", "index")))


def test_smi_module_and_board_are_both_kept(file: Write) -> None:
    names = "timestamp, index, power.draw [W], module.power.draw.average [W]\n"
    rows = "".join(f"2026/01/01 00:00:0{i}.000, 0, 400.00 W, 600.00 W\n" for i in range(3))
    path = file("smi.csv", names + rows)
    (run,) = read(path)
    assert [(e.device, e.boundary, e.value) for e in run.energy] == [
        ("0", "gpu_board", 800),
        ("module:0", "module", 1200),
    ]
    assert [(d.count, d.ids) for d in run.devices] == [(1, ("0",))]
    (run,) = read(path, options=ReadOptions(devices=("0",)))
    assert joules(run) == {"0": 800}
    (run,) = read(path, options=ReadOptions(boundary="node_dc"))
    assert [(e.device, e.boundary) for e in run.energy] == [("0", "node_dc")]


def test_smi_module_that_is_not_there_is_left_out(file: Write) -> None:
    names = "timestamp, index, power.draw [W], module.power.draw.average [W]\n"
    rows = "".join(f"2026/01/01 00:00:0{i}.000, 0, 400.00 W, [N/A]\n" for i in range(3))
    (run,) = read(file("smi.csv", names + rows))
    assert joules(run) == {"0": 800}
    assert run.warnings == ()


def test_smi_columns_that_differ_are_noted(file: Write) -> None:
    names = "timestamp, power.draw [W], power.draw.instant [W]\n"
    rows = "".join(f"2026/01/01 00:00:0{i}.000, 400.00 W, 440.00 W\n" for i in range(3))
    (run,) = read(file("smi.csv", names + rows))
    assert joules(run) == {"gpu": 800}
    assert notes(run) == {
        "columns-differ": "channel 'gpu': 'power.draw [W]' makes 800 J, 'power.draw.instant [W]' 880 J; the first is "
        "used"
    }


def test_smi_gpus_with_gaps_in_their_numbers(file: Write) -> None:
    rows = "".join(f"2026/01/01 00:00:0{i}.000, {g}, {g}00.00 W\n" for i in (0, 1) for g in (1, 3, 7))
    path = file("smi.csv", SMI + rows)
    (run,) = read(path, options=ReadOptions(devices=("3",)))
    assert joules(run) == {"3": 300}
    with pytest.raises(ReadError, match=r"there is no channel '2' \(channels: 1, 3, 7\)"):
        read(path, options=ReadOptions(devices=("2",)))


# ---- nvidia-smi -q -x


def test_xml_again_and_again_is_a_trace(data: Path) -> None:
    (run,) = read(data / "smi.xml", options=ReadOptions(time_zone="+01:00"))
    assert [(e.device, e.boundary, e.value) for e in run.energy] == [
        ("2", "gpu_board", 4500),
        ("module:2", "module", 6500),
    ]
    assert run.start == datetime(2025, 12, 31, 23, tzinfo=UTC)
    assert [(d.model, d.ids) for d in run.devices] == [("NVIDIA GH200 480GB", ("2",))]


# facts/cases/open-cases.md A20
def test_xml_of_driver_535(file: Write) -> None:
    content = (
        '<gpu id="0"><gpu_power_readings><power_draw>17.89 W</power_draw></gpu_power_readings>'
        "<module_power_readings><power_draw>N/A</power_draw></module_power_readings></gpu>"
    )
    (run,) = read(file("smi.xml", content))
    assert [(p.device, p.boundary) for p in run.power] == [("0", "gpu_board")]
    assert watts(run) == {"0": pytest.approx(17.89)}
    assert run.energy == ()


def test_xml_of_older_drivers_and_of_gpus_cut_into_instances(file: Write) -> None:
    content = (
        "<nvidia_smi_log><gpu><mig_devices><mig_device/></mig_devices>"
        "<power_readings><power_draw>52.65 W</power_draw></power_readings></gpu></nvidia_smi_log>\n"
    )
    (run,) = read(file("smi.xml", content))
    assert watts(run) == {"0": 52.65}
    assert notes(run)["one-power-many-instances"].startswith(
        "channel '0': is cut into MIG instances; its power is that"
    )


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (
            "<nvidia_smi_log><gpu></gpu>",
            r":1: is not XML of nvidia-smi: no element found.*; the file may have been cut off",
        ),
        ("<nvidia_smi_log></nvidia_smi_log>", r":1: is not XML of nvidia-smi -q -x: it has no 'gpu'"),
        ("<nvidia_smi_log>\n<gpu></gpu></nvidia_smi_log>", r": none of its GPUs has 'power_readings'; the driver does"),
        (
            '<!DOCTYPE nvidia_smi_log [<!ENTITY a "aaaa">]><nvidia_smi_log>&a;</nvidia_smi_log>',
            r":1: declares entities, which nvidia-smi does not",
        ),
        (
            "<nvidia_smi_log><timestamp>yesterday</timestamp><gpu><power_readings/></gpu></nvidia_smi_log>",
            r":1: 'yesterday' is not a time stamp such as 'Thu Jan  1 00:00:00 2026'",
        ),
        (
            "<nvidia_smi_log><gpu><power_readings><power_draw>9 hp</power_draw></power_readings></gpu>"
            "</nvidia_smi_log>",
            r":1: power_readings\.power_draw: '9 hp' has the unit 'hp', the column is in W",
        ),
    ],
)
def test_xml_refusals(file: Write, content: str, fault: str) -> None:
    with pytest.raises(ReadError, match=r"smi\.xml" + fault):
        read(file("smi.xml", content), as_="nvidia-smi-xml")


# ---- nvidia-smi dmon


def test_dmon_with_dates_through_midnight_and_repeated_headers(data: Path) -> None:
    (run,) = read(data / "dmon.txt", options=ReadOptions(time_zone="UTC"))
    assert joules(run) == {"0": 305 + 2 * 300, "1": 140}
    assert run.start == datetime(2026, 1, 1, 23, 59, 58, tzinfo=UTC)
    assert notes(run)["missing-samples"].startswith("channel '1': 1 of 3 samples have no value")


@pytest.mark.parametrize(
    ("head", "rows"),
    [
        ("#Time        gpu   pwr\n#HH:MM:SS    Idx     W\n", " 23:59:59   0   100\n 00:00:01   0   100\n"),
        ("#gpu, pwr, gtemp\n", "0, 100, 50\n0, 100, -\n"),
    ],
)
def test_dmon_with_times_only_or_with_commas(file: Write, head: str, rows: str) -> None:
    (run,) = read(file("dmon.txt", head + rows), options=ReadOptions(interval_s=2.0))
    assert joules(run) == {"0": 200}
    assert run.start is None


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (
            "# gpu pwr\n# Idx W\n 0 100\n",
            r":3: has no time; say how often dmon sampled, such as --interval '1 s' \(its def",
        ),
        ("# gpu gtemp\n# Idx C\n 0 100\n", r":1: has no columns 'gpu' and 'pwr'; log with: nvidia-smi dmon -s p -o DT"),
        ("# gpu pwr\n 0\n", r":2: has 1 fields, 2 expected; the line was cut off"),
        ("# gpu pwr\n 0 10", r":2: the line ' 0 10' was cut off while it was written"),
        ("# gpu pwr\n 0 1x\n", r":2: column 'pwr': '1x' has the unit 'x', the column has none"),
        ("# gpu pwr\n", r": has no rows under its column names"),
        ("#Date Time gpu pwr\n 2026-13-01 00:00:00 0 5\n", r":2: column 'Time': '2026-13-01 00:00:00' is not a date"),
    ],
)
def test_dmon_refusals(file: Write, content: str, fault: str) -> None:
    options = ReadOptions(interval_s=None if "has no time" in fault else 1.0)
    with pytest.raises(ReadError, match=r"dmon\.txt" + fault):
        read(file("dmon.txt", content), as_="nvidia-smi-dmon", options=options)


def test_dmon_in_pieces_is_the_same(file: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    from tco.readers import dmon

    rows = "".join(
        f" 20260101 00:{i // 60:02d}:{i % 60:02d} {g} {100 + i % 7 + g}\n" for i in range(200) for g in (0, 1)
    )
    path = file("dmon.txt", "#Date Time gpu pwr\n" + rows)
    whole = joules(read(path)[0])
    monkeypatch.setattr(dmon, "_PIECE", 3)
    assert joules(read(path)[0]) == pytest.approx(whole, rel=1e-12)


# ---- rocm-smi and amd-smi


# facts/cases/open-cases.md A19
def test_rocm_shows_one_of_two_columns(file: Write) -> None:
    names = "device,Average Graphics Package Power (W),Current Socket Graphics Package Power (W)\n"
    (run,) = read(file("rocm.csv", names + "card0,17.0,N/A\n"))
    assert watts(run) == {"0": 17}
    (run,) = read(file("rocm.csv", names + "card0,N/A,18.5\n"))
    assert watts(run) == {"0": 18.5}


# facts/cases/open-cases.md A32
@pytest.mark.parametrize(
    ("name", "power", "cards"), [("rocm.txt", {"0": 474}, 1), ("rocm.json", {"0": 402, "2": 380}, 2)]
)
def test_rocm_cards_with_two_dies(data: Path, name: str, power: dict[str, float], cards: int) -> None:
    (run,) = read(data / name)
    assert watts(run) == power
    assert [(d.count, d.cards) for d in run.devices] == [(2 * cards, cards)]
    assert notes(run)["second-die"].endswith(f"; {2 * cards} devices are {cards} cards")


# facts/measured/pitfalls_tests.csv P36
def test_rocm_value_that_is_not_supported_is_missing(data: Path) -> None:
    (run,) = read(data / "rocm.csv")
    assert watts(run) == {"0": 17}
    assert notes(run)["absent-channel"] == "'1' shows no power; it is not known, which is not zero"


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        (
            "rocm.csv",
            "device,Average Graphics Package Power (W)\ncard0,17\ncard0,18\n",
            r":3: '0' shows 'Average Graphics Package Power \(W\)' a second time; several moments without a ti",
        ),
        ("rocm.csv", "device,Average Graphics Package Power (W)\ncard0\n", r":2: has 1 field, 2 expected"),
        ("rocm.csv", "device,Average Graphics Package Power (W)\ncard0,1", r": the last line has no line end"),
        ("rocm.csv", "device,Average Graphics Package Power (W)\nx,1\n", r":2: 'x' is not a device such as 'card0'"),
        (
            "rocm.json",
            '{"card0": {"Average Graphics Package Power (W)": "17"',
            r":1: is not JSON: the file was cut off",
        ),
        (
            "rocm.json",
            '{"card0": {"Average Graphics Package Power (W)": "x"}}',
            r": GPU 0: Average .*: 'x' is not a number",
        ),
        (
            "rocm.txt",
            "GPU[0] : GPU use (%): 3\nAverage Graphics Package Power (W)\n",
            r": no device shows its power; run",
        ),
    ],
)
def test_rocm_refusals(file: Write, name: str, content: str, fault: str) -> None:
    with pytest.raises(ReadError, match=name.replace(".", r"\.") + fault):
        read(file(name, content), as_="rocm-smi")


def test_amd_monitor(data: Path) -> None:
    (run,) = read(data / "amd-monitor.csv")
    assert joules(run) == {"0": 512 + 548 + 2 * (548 + 500), "1": 560}
    assert notes(run)["impossible-sample"].startswith("channel '0': 1 of 4 samples cannot be a power and count as miss")
    assert run.start == datetime(2026, 1, 1, tzinfo=UTC)


def test_amd_metric_of_one_moment(data: Path) -> None:
    (run,) = read(data / "amd-metric.json")
    assert watts(run) == {"0": 542, "1": 141}
    assert "absent-channel" in notes(run)
    (run,) = read(data / "amd-metric.json", options=ReadOptions(devices=("1",)))
    assert watts(run) == {"1": 141}


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        (
            "amd.csv",
            "gpu,socket_power\n0,100\n",
            r":1: has no column 'timestamp'; log with: amd-smi monitor --power-usage",
        ),
        (
            "amd.csv",
            "timestamp,gpu,socket_power\n1767225600,0,100\n1767225601,0,1",
            r": the last line, .* has no line end",
        ),
        (
            "amd.json",
            '[{"gpu": 0, "power": {"socket_power": {"value": 5, "unit": "hp"}}}]',
            r": \[0\]: power: the unit 'hp'",
        ),
        ("amd.json", '[{"gpu": 0, "socket_power": 3}]', r": \[0\]: has no 'power'; run: amd-smi metric --power --json"),
    ],
)
def test_amd_refusals(file: Write, name: str, content: str, fault: str) -> None:
    with pytest.raises(ReadError, match=name.replace(".", r"\.") + fault):
        read(file(name, content), as_="amd-smi")


# ---- DCGM


def test_dcgm_scrape(data: Path) -> None:
    (run,) = read(data / "dcgm.prom")
    assert watts(run) == {"0": 312.5}
    assert [(e.device, e.value, e.rule) for e in run.energy] == [
        ("0", 7.2e6, "total since the driver was loaded"),
        ("1", 3600, "total since the driver was loaded"),
    ]
    assert [(d.model, d.ids) for d in run.devices] == [("NVIDIA H100 80GB HBM3", ("0", "1"))]
    assert notes(run)["counter-since-start"].startswith(
        "channel '1': one reading of DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION, 3600000 mJ or 0.001 kWh: that is the total "
    )
    assert (run.start, run.duration) == (None, None)


def test_dcgm_instances_pods_and_counters(data: Path) -> None:
    (run,) = read(data / "dcgm.range.json")
    # GPU 0: two MIG instances with 200 to 242 W, each the power of the whole; GPU 1: its counter, not its gauge
    assert joules(run) == pytest.approx({"0": 221 * 60, "1": 6100})
    assert {e.device: e.method for e in run.energy} == {"0": "sensor", "1": "counter"}
    assert notes(run)["one-power-many-instances"].startswith(
        "channel '0': 2 instances of it each show the power of the"
    )


# facts/cases/open-cases.md A33
def test_instances_of_a_gpu_show_one_power(file: Write) -> None:
    rows = "".join(f"0,GPU-aa,{i},{p}\n" for i, p in ((3, 52.6), (4, 52.6), (5, 52.7), (6, 52.7)))
    (run,) = read(file("mig.csv", "t_s,gpu_uuid,gpu_i_id,power_W\n" + rows))
    assert watts(run) == {"GPU-aa": pytest.approx(52.65)}
    assert run.energy == ()
    assert notes(run)["one-power-many-instances"].startswith("channel 'GPU-aa': 4 instances of it each show the power")


def test_instances_over_time(data: Path) -> None:
    (run,) = read(data / "table.rows.csv")
    assert joules(run) == pytest.approx({"GPU-aa": 576.5, "GPU-bb": 1000})


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ('DCGM_FI_DEV_POWER_USAGE{gpu="0"} 25', r": the last line has no line end: the file was cut off"),
        ('DCGM_FI_DEV_POWER_USAGE{gpu="0"} x\n', r":1: DCGM_FI_DEV_POWER_USAGE: 'x' is not a number"),
        ("DCGM_FI_DEV_POWER_USAGE{gpu=0} 5\n", r":1: 'gpu=0' is not a label such as gpu=\"0\""),
        ("DCGM_FI_DEV_POWER_USAGE\n", r":1: 'DCGM_FI_DEV_POWER_USAGE' is not a line of Prometheus text"),
        (
            'DCGM_FI_DEV_GPU_TEMP{gpu="0"} 61\n',
            r": has none of the metrics that are read here: DCGM_FI_DEV_TOTAL_ENERGY",
        ),
    ],
)
def test_dcgm_refusals(file: Write, content: str, fault: str) -> None:
    with pytest.raises(ReadError, match=r"dcgm\.prom" + fault):
        read(file("dcgm.prom", content), as_="dcgm")


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ('{"status":"error","errorType":"bad_data","error":"parse error"}', r"not the answer .*: parse error"),
        ('{"data":{"resultType":"matrix","result":[{"metric":{"__name__":"DCGM_FI_DEV_POWER_USAGE"},"val', r"cut off"),
        ('{"data":{"resultType":"matrix","result":[{"metric":{},"values":[[1,"2"]]}]}}', r"\[0\]: has no '__name__'"),
        ('{"data":{"resultType":"matrix","result":[{"metric":{"__name__":"DCGM_FI_DEV_POWER_USAGE"},"values":[[1]]}]}}',
         r"data\.result\[0\]\.values\[0\]: \[1\] is not a point such as"),
        ('{"data":{"resultType":"matrix","result":[]}}', r": has none of the metrics"),
    ],
)  # fmt: skip
def test_answers_of_prometheus_that_are_refused(file: Write, content: str, fault: str) -> None:
    with pytest.raises(ReadError, match=r"q\.json.*" + fault):
        read(file("q.json", content), as_="dcgm")


# facts/measured/nvidia_smi_sensor_characteristics.csv: 23.6 to 25.4 of 101 ms on most A100, 20 ms throughout on none
@pytest.mark.parametrize(
    ("model", "column", "seen"),
    [
        ("NVIDIA A100-SXM4-40GB", "power.draw", "of A100 GPUs shows the mean of 24.16 of each 101 ms (Yang, "),
        ("NVIDIA H100 PCIe", "power.draw.instant", "of H100 GPUs shows the mean of 22.36 of each 100 ms"),
        ("NVIDIA H100 PCIe", "power.draw", None),
        ("NVIDIA GeForce RTX 4090", "power.draw", None),
    ],
)  # fmt: skip
def test_smi_sensors_that_see_a_part_of_the_time(file: Write, model: str, column: str, seen: str | None) -> None:
    rows = "".join(f"2026/01/01 00:00:0{i}.000, {model}, {300 + i}.00 W\n" for i in range(3))
    (run,) = read(file("smi.csv", f"timestamp, name, {column} [W]\n{rows}"))
    assert [warning.code for warning in run.warnings] == ([] if seen is None else ["sensor-window"])
    assert seen is None or seen in notes(run)["sensor-window"]
