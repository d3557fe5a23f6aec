"""Each format on small files: what is read, what is noted, what is refused and with which words."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tco.errors import ReadError
from tco.files import sha256
from tco.readers import ReadOptions, read
from tco.records.run import Run

Write = Callable[[str, str | bytes], Path]
SMI = "timestamp, index, power.draw [W]\n"


def energies(run: Run) -> dict[str | None, float]:
    factors = {"J": 1.0, "Wh": 3600.0}
    return {energy.device: energy.value * factors[energy.unit] for energy in run.energy}


def notes(run: Run) -> dict[str, str]:
    return {warning.code: warning.message for warning in run.warnings}


# ---- jpwr


def test_jpwr_run(data: Path) -> None:
    path = data / "power.pairs.csv"
    (run,) = read(path)
    assert energies(run) == pytest.approx({"pynvml:0": 500, "pynvml:1": 150})
    assert run.duration is not None
    assert run.duration.m_as("s") == 3
    assert (run.start, run.end) == (
        datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC),
        datetime(2023, 11, 14, 22, 13, 23, tzinfo=UTC),
    )
    (gpus,) = run.devices
    assert (gpus.kind, gpus.count, gpus.ids) == ("gpu", 2, ("pynvml:0", "pynvml:1"))
    assert run.tool is not None
    assert run.tool.name == "jpwr"
    (evidence,) = run.provenance
    assert (evidence.file, evidence.sha256, evidence.path) == ("power.pairs.csv", sha256(path), None)
    assert run.warnings == ()


@pytest.mark.parametrize(("wanted", "joules"), [("pynvml:1", 150), ("1", 150), ("0", 500)])
def test_jpwr_device_by_id_or_number(data: Path, wanted: str, joules: float) -> None:
    (run,) = read(data / "power.pairs.csv", options=ReadOptions(devices=(wanted,)))
    assert list(energies(run).values()) == pytest.approx([joules])
    assert [device.count for device in run.devices] == [1]
    (run,) = read(data / "energy.pairs.csv", options=ReadOptions(devices=(wanted,)))
    assert list(energies(run)) == [f"pynvml:{wanted[-1]}"]


@pytest.mark.parametrize("name", ["power.pairs.csv", "energy.pairs.csv"])
def test_jpwr_device_that_is_not_there(data: Path, name: str) -> None:
    with pytest.raises(ReadError, match=r"there is no channel 'pynvml:2'; did you mean .* \(channels: pynvml:0, pyn"):
        read(data / name, options=ReadOptions(devices=("pynvml:2",)))


def test_jpwr_boundary_of_the_caller_wins(data: Path) -> None:
    (run,) = read(data / "power.pairs.csv", options=ReadOptions(boundary="node_dc"))
    assert {energy.boundary for energy in run.energy} == {"node_dc"}


def test_jpwr_energies_of_the_tool(data: Path) -> None:
    (run,) = read(data / "energy.pairs.csv")
    assert energies(run) == pytest.approx({"pynvml:0": 300, "pynvml:1": 150})
    assert (run.energy[0].value, run.energy[0].rule) == (0.08333333333333333, "right_rectangle")
    assert run.duration is None


def test_jpwr_energy_from_a_counter(data: Path, file: Write) -> None:
    path = file("energy_from_counter.node01.csv", ",0\nrocm:0,1.5\n")
    (run,) = read(path)
    (energy,) = run.energy
    assert (energy.method, energy.rule, energy.value) == ("counter", "counter", 1.5)


def test_jpwr_sockets_are_told_apart(data: Path) -> None:
    (run,) = read(data / "power.gh.csv")
    assert energies(run) == {"pynvml:0": 600, "gh:Module Power Socket 0": 1000, "gh:Module Power Socket 1": 800}
    nested = [w.message for w in run.warnings if w.code == "nested-channel"]
    assert nested == [
        "'gh:Grace Power Socket 0' (200 J) lies within 'gh:Module Power Socket 0' and is not added",
        "'gh:CPU Power Socket 0' (120 J) lies within 'gh:Module Power Socket 0' and is not added",
        "'gh:SysIO Power Socket 0' (20 J) lies within 'gh:Module Power Socket 0' and is not added",
        "'gh:Grace Power Socket 1' (900 J) lies within 'gh:Module Power Socket 1' and is not added",
    ]
    assert notes(run)["inner-above-outer"].startswith(
        "'gh:Grace Power Socket 1' (900 J) is above 'gh:Module Power Socket 1' (800 J)"
    )
    (gpus,) = run.devices
    assert gpus.ids == ("pynvml:0",)


def test_jpwr_without_gpu_channels_counts_a_gpu_for_each_module(file: Write) -> None:
    path = file(
        "power.csv",
        ",timestamps,gh:Module Power Socket 0,gh:Grace Power Socket 0\n0,1e9,5.0,1.0\n1,1000000002.0,5.0,1.0\n",
    )
    (run,) = read(path)
    assert [(d.kind, d.count) for d in run.devices] == [("gpu", 1)]
    assert energies(run) == {"gh:Module Power Socket 0": 10}


def test_jpwr_second_die_that_shows_nothing(file: Write) -> None:
    path = file("power.csv", ",timestamps,rocm:0,rocm:1\n0,1000000000.0,474.0,0.0\n1,1000000001.0,474.0,0.0\n")
    (run,) = read(path)
    assert energies(run) == {"rocm:0": 474, "rocm:1": 0}
    assert notes(run)["zero-power"].startswith("channel 'rocm:1': 0 W throughout; a sensor may be missing")


def test_jpwr_file_that_was_cut_off(data: Path, file: Write) -> None:
    whole = (data / "power.pairs.csv").read_text()
    with pytest.raises(
        ReadError,
        match=r"power\.csv: the last line, '3,1700000003\.0,100\.0,5', has no line end: the file was cut off while it",
    ):
        read(file("power.csv", whole[:-4]))
    cut = whole.rstrip().rpartition(",")[0]
    with pytest.raises(ReadError, match=r"power\.csv:5: has 3 fields, 4 expected; the line was cut off"):
        read(file("power.csv", cut + "\n"))


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (",timestamps,pynvml:0\n0,,2.0\n", r":2: column 'timestamps': '' is not a number; each row needs one here"),
        (",timestamps,pynvml:0\n0,1.0,x\n", r":2: column 'pynvml:0': 'x' is not a number"),
        (",timestamps,pynvml:0,pynvml:0\n0,1.0,1,1\n", r":1: the column 'pynvml:0' stands 2 times"),
        (",timestamps,pynvml:0\n", r":1: has no rows"),
        (",timestamps,\n0,1.0,\n1,2.0,x\n", r":1: the column '' stands 2 times; each needs a name of its own"),
        (",0\npynvml:0,x\n", r":2: column '0': 'x' is not a number"),
        (",0\npynvml:0,-1\n", r":2: column '0': an energy of -1 Wh is below zero"),
        (",0\npynvml:0,1\npynvml:0,2\n", r":3: column '0': 'pynvml:0' stands in two lines"),
        (",0\npynvml:0\n", r":2: has 1 field, 2 expected"),
        (",0\npynvml:0,1", r": the last line has no line end: the file was cut off"),
    ],
)
def test_jpwr_refusals(file: Write, content: str, fault: str) -> None:
    with pytest.raises(ReadError, match=r"power\.csv" + fault):
        read(file("power.csv", content))


def test_a_file_that_is_not_there_is_no_ones(tmp_path: Path) -> None:
    from tco.readers import plugins

    for reader in plugins.own():
        assert reader.sniff(tmp_path / "gone.csv") == 0
        with pytest.raises(ReadError, match=r"gone\.csv: (no such file|cannot be read: No such file)"):
            reader.read(tmp_path / "gone.csv", ReadOptions())
        with pytest.raises(ReadError, match=r": (is a folder, not a file$|cannot be read|has no (spl|result_))"):
            reader.read(tmp_path, ReadOptions())


def test_jpwr_energies_are_no_trace(data: Path) -> None:
    from tco.readers.jpwr import READER

    with pytest.raises(ReadError, match=r"holds energies, not powers over time; name the file 'power\.\.\.' of the sa"):
        READER.trace(data / "energy.pairs.csv", ReadOptions())
    with pytest.raises(ReadError, match=r"smi\.two-gpus\.csv:1: is not the first line of a jpwr power table"):
        READER.trace(data / "smi.two-gpus.csv", ReadOptions())


# ---- nvidia-smi


def test_smi_two_gpus_in_turn_over_midnight(data: Path) -> None:
    (run,) = read(data / "smi.two-gpus.csv")
    assert energies(run) == pytest.approx({"0": 1400, "1": 210}, abs=1e-9)
    assert [(d.model, d.count, d.ids) for d in run.devices] == [
        ("NVIDIA H100 80GB HBM3", 1, ("0",)),
        ("NVIDIA L40S", 1, ("1",)),
    ]
    assert run.duration is not None
    assert run.duration.m_as("s") == pytest.approx(4.002, abs=1e-9)
    assert run.start == datetime(2026, 1, 1, 23, 59, 58)
    assert run.time_zone is None


def test_smi_missing_value_is_bridged_not_zero(file: Write) -> None:
    rows = (
        "2026/01/01 00:00:00.000, 0, 300.00 W\n"
        "2026/01/01 00:00:01.000, 0, [N/A]\n"
        "2026/01/01 00:00:02.000, 0, 300.00 W\n"
    )
    (run,) = read(file("smi.csv", SMI + rows))
    assert energies(run) == {"0": 600}
    assert run.duration is not None
    assert run.duration.m_as("s") == 2
    assert notes(run) == {
        "missing-samples": "channel '0': 1 of 3 samples have no value and are bridged (longest gap 2 s)"
    }


@pytest.mark.parametrize("word", ["[N/A]", "[Not Supported]", "[Unknown Error]", ""])
def test_smi_gpu_without_any_value_is_absent(file: Write, word: str) -> None:
    rows = "".join(f"2026/01/01 00:00:0{i}.000, {g}, {('300.00 W', word)[g]}\n" for i in range(3) for g in (0, 1))
    (run,) = read(file("smi.csv", SMI + rows))
    assert energies(run) == {"0": 600}
    assert notes(run) == {
        "absent-channel": "channel '1': no valid sample of 3; its energy is not known, which is not zero"
    }
    assert [device.count for device in run.devices] == [2]


def test_smi_value_that_cannot_be(file: Write) -> None:
    rows = "".join(
        f"2026/01/01 00:00:0{i}.000, 0, {p} W\n" for i, p in enumerate(("300.00", "4294967295.00", "300.00"))
    )
    path = file("smi.csv", SMI + rows)
    (run,) = read(path)
    assert energies(run) == {"0": 600}
    assert notes(run)["impossible-sample"] == (
        f"channel '0': 1 of 3 samples cannot be a power and count as missing; the first is 4294967295 W at {path}:3"
    )


def test_smi_one_gpu_without_index_unit_or_space(file: Write) -> None:
    path = file("smi.csv", "timestamp,power.draw\n2026/01/01 00:00:00.000,300\n2026/01/01 00:00:00.500,100\n")
    (run,) = read(path)
    assert energies(run) == {"gpu": 100}
    assert [(d.count, d.ids) for d in run.devices] == [(1, ("gpu",))]


@pytest.mark.parametrize("key", ["uuid", "gpu_uuid", "pci.bus_id"])
def test_smi_gpus_by_another_key(file: Write, key: str) -> None:
    ids = [f"GPU-8f6d7b0c-1c40-4f3e-9d0b-2f5b7a1e4c{i:02d}" for i in range(70)]
    rows = "".join(
        f"2026/01/01 00:00:0{second}.000, {name}, {10 + i}.00 W\n" for second in (0, 1) for i, name in enumerate(ids)
    )
    (run,) = read(file("smi.csv", f"timestamp, {key}, power.draw [W]\n{rows}"))
    assert energies(run) == pytest.approx({name: 10 + i for i, name in enumerate(ids)})


def test_smi_milliwatts(file: Write) -> None:
    path = file(
        "smi.csv", "timestamp, power.draw [mW]\n2026/01/01 00:00:00.000, 3000 mW\n2026/01/01 00:00:02.000, 3000 mW\n"
    )
    (run,) = read(path)
    assert energies(run) == {"gpu": 6}


def test_smi_column_without_values_gives_way_to_the_next(file: Write) -> None:
    names = "timestamp, power.draw [W], power.draw.instant [W]\n"
    rows = "2026/01/01 00:00:00.000, [N/A], 300.00 W\n2026/01/01 00:00:01.000, [N/A], 300.00 W\n"
    (run,) = read(file("smi.csv", names + rows))
    assert energies(run) == {"gpu": 300}
    assert notes(run) == {"other-column": "'power.draw [W]' has no value; 'power.draw.instant [W]' is read"}


def test_smi_module_power_is_at_the_module(file: Write) -> None:
    names = "timestamp, module.power.draw.average [W]\n"
    rows = "2026/01/01 00:00:00.000, 600.00 W\n2026/01/01 00:00:01.000, 600.00 W\n"
    (run,) = read(file("smi.csv", names + rows))
    assert [energy.boundary for energy in run.energy] == ["module"]


ROWS = "2026/01/01 00:00:00.000, 0, 300.00 W\n2026/01/01 00:00:01.000, 0, 300.00 W\n"


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (
            SMI + ROWS + "2026/01/01 00:00:02.000, 0, 30",
            r": the last line, '2026/01/01 00:00:02\.000, 0, 30', was cut ",
        ),
        (
            SMI + ROWS + "2026/01/01 00:00:02.000, 0, 300.00",
            r": the last line, .*'300.00' is not written like '300.00 W'",
        ),
        (SMI + ROWS + "2026/01/01 00:0", r":4: has 1 field, 3 expected; the line was cut off"),
        (SMI + ROWS + "2026/01/01 00:00:02.000, 0\n", r":4: has 2 fields, 3 expected"),
        (SMI + ROWS + "2026/01/01 00:00:00.500, 0, 300.00 W\n", r":4: time runs backwards by 0\.5 s; sort"),
        (
            SMI + ROWS + "2026/01/01 00:00:02.000, 0, 300,00 W\n",
            r":4: has 4 fields, 3 expected; write numbers with a dec",
        ),
        (SMI + ROWS + "2026-01-01 00:00:02.000, 0, 3x W\n", r":4: column 'power.draw \[W\]': '3x W' is not a number"),
        ("timestamp; index; power.draw [W]\n2026;0;3\n", r":1: fields are separated by semicolons"),
        (
            "index, power.draw [W]\n0, 300 W\n",
            r":1: there is no column 'timestamp'; log with: nvidia-smi --query-gpu=ti",
        ),
        (
            "timestamp, power.draw [hp]\n2026/01/01 00:00:00.000, 1\n",
            r":1: column 'power.draw \[hp\]': the unit 'hp' is not one of power; W, mW or kW is",
        ),
        (
            "timestamp, power.draw [W], power.draw [W]\n2026/01/01 00:00:00.000, 1, 1\n",
            r":1: the column 'power.draw' stands 2 times",
        ),
    ],
)
def test_smi_refusals(file: Write, content: str, fault: str) -> None:
    with pytest.raises(ReadError, match=r"smi\.csv" + fault):
        read(file("smi.csv", content))


def test_smi_log_of_powershell(file: Write) -> None:
    with pytest.raises(
        ReadError, match=r"smi\.csv: is UTF-16 text, as PowerShell writes it with '>'; save it as UTF-8"
    ):
        read(file("smi.csv", (SMI + ROWS).replace("\n", "\r\n").encode("utf-16")))


def test_smi_log_of_windows(file: Write) -> None:
    (run,) = read(file("smi.csv", b"\xef\xbb\xbf" + (SMI + ROWS).replace("\n", "\r\n").encode()))
    assert energies(run) == {"0": 300}


def test_smi_without_a_column_of_power(file: Write) -> None:
    path = file("smi.csv", "timestamp, index, power.drawn [W]\n2026/01/01 00:00:00.000, 0, 300.00 W\n")
    with pytest.raises(
        ReadError, match=r":1: there is no column 'power.draw'; did you mean 'power.drawn'\?; log with: n"
    ):
        read(path, as_="nvidia-smi")


def test_smi_line_order_of_another_gpu_is_named(file: Write) -> None:
    rows = "".join(f"2026/01/01 00:00:0{s}.000, {g}, 300.00 W\n" for s in (0, 1, 2) for g in (0, 1))
    path = file("smi.csv", SMI + rows + "2026/01/01 00:00:05.000, 0, 300.00 W\n2026/01/01 00:00:01.900, 1, 300.00 W\n")
    with pytest.raises(ReadError, match=r"smi\.csv:9: time runs backwards by 0\.1 s"):
        read(path)


def test_smi_without_final_line_end_but_whole(file: Write) -> None:
    (run,) = read(file("smi.csv", SMI + ROWS.rstrip()))
    assert energies(run) == {"0": 300}
    assert notes(run) == {"unfinished-line": "the last line has no line end; the file may have been cut off"}


def test_smi_clock_that_is_set_forward(file: Write) -> None:
    path = file("smi.csv", SMI + "2026/03/29 01:59:59.000, 0, 300.00 W\n2026/03/29 03:00:01.000, 0, 300.00 W\n")
    (run,) = read(path, options=ReadOptions(time_zone="Europe/Berlin"))
    assert energies(run) == {"0": 600}
    assert run.start == datetime(2026, 3, 29, 0, 59, 59, tzinfo=UTC)
    (run,) = read(path, options=ReadOptions(time_zone="UTC"))
    assert energies(run) == {"0": 300 * 3602}
    assert run.start == datetime(2026, 3, 29, 1, 59, 59, tzinfo=UTC)
    with pytest.raises(ReadError, match=r"time zone 'Berlin' is not an IANA zone such as 'Europe/Berlin', nor an o"):
        read(path, options=ReadOptions(time_zone="Berlin"))


# ---- table


def test_table_counter_in_millijoules(file: Write) -> None:
    (run,) = read(file("t.csv", "t_s,gpu0_total_energy_mJ\n0,1000000\n100,6000000\n"))
    (energy,) = run.energy
    assert (energy.value, energy.unit, energy.method, energy.boundary) == (5000, "J", "counter", "gpu_board")
    assert energy.energy.m_as("kWh") == pytest.approx(0.0013889, abs=0.5e-7)
    assert run.duration is not None
    assert (energy.energy / run.duration).m_as("W") == pytest.approx(50)


def test_table_last_sample_is_not_the_mean(file: Write) -> None:
    (run,) = read(file("t.csv", "t_s,gpu0_W\n0,300\n1800,300\n3600,50\n"))
    (energy,) = run.energy
    assert energy.energy.m_as("kWh") == pytest.approx(0.2375, rel=1e-12)


def test_table_irregular_samples(file: Write) -> None:
    (run,) = read(file("t.csv", "t_s,node0_W\n0,100\n1,100\n2,400\n3,400\n10,400\n11,100\n"))
    assert energies(run) == {"node0": 3800}
    assert run.energy[0].boundary is None
    assert run.devices == ()
    assert notes(run)["long-gap"] == (
        "channel 'node0': longest gap 7 s, usual interval 1.12 s; samples cover 36.4% of the 11 s"
    )


def test_table_power_stands_in_for_a_counter_without_values(file: Write) -> None:
    (run,) = read(file("t.csv", "t_s,gpu0_energy_mJ,gpu0_power_W\n0,,250\n3600,,250\n"))
    (energy,) = run.energy
    assert energy.energy.m_as("kWh") == pytest.approx(0.25)
    assert (energy.device, energy.method, energy.rule) == ("gpu0", "sensor", "trapezoid")
    assert notes(run)["counter-empty"] == (
        "channel 'gpu0': the counter 'gpu0_energy_mJ' has no values to subtract; the power 'gpu0_power_W' is integrated"
    )


@pytest.mark.parametrize("names", ["gpu0_energy_Wh,gpu0_W", "gpu0_W,gpu0_energy_Wh"])
def test_table_counter_wins_over_power(file: Write, names: str) -> None:
    rows = "0,1,1\n3600,3,3\n"
    (run,) = read(file("t.csv", f"t_s,{names}\n{rows}"))
    assert [(e.device, e.method, e.value) for e in run.energy] == [("gpu0", "counter", 7200)]


def test_table_units_boundaries_and_columns_that_are_ignored(file: Write) -> None:
    names = "timestamp,cpu0_mW,package1_energy_uJ,rack_power_kW,load,gpu1_w\n"
    rows = "2026-01-01T00:00:00Z,2000,0,3,0.5,1\n2026-01-01T01:00:10+01:00,2000,5000000,3,0.5,1\n"
    (run,) = read(file("t.csv", names + rows))
    assert energies(run) == pytest.approx({"cpu0": 20, "package1": 5, "rack": 30000, "gpu1": 10})
    assert {e.device: e.boundary for e in run.energy} == {
        "cpu0": "cpu_package",
        "package1": "cpu_package",
        "rack": None,
        "gpu1": "gpu_board",
    }
    assert [(d.kind, d.ids) for d in run.devices] == [("gpu", ("gpu1",)), ("cpu", ("cpu0", "package1"))]
    assert notes(run)["ignored-column"].endswith("unit of power or energy: 'load'")
    assert run.start == datetime(2026, 1, 1, tzinfo=UTC)


def test_table_of_a_facility_may_draw_megawatts(file: Write) -> None:
    (run,) = read(file("t.csv", "t_s,facility_kW\n0,20000\n1,20000\n2,4294967295\n"))
    assert energies(run) == {"facility": 2e7}
    assert "impossible-sample" in notes(run)


def test_table_seconds_since_1970(file: Write) -> None:
    (run,) = read(file("t.csv", "timestamp,gpu0_W\n1700000000.5,300\n1700000002.5,300\n"))
    assert energies(run) == {"gpu0": 600}
    assert run.start == datetime(2023, 11, 14, 22, 13, 20, 500000, tzinfo=UTC)


def test_table_without_final_line_end(file: Write) -> None:
    (run,) = read(file("t.csv", "t_s,gpu0_W\n0,300\n2,300"))
    assert energies(run) == {"gpu0": 600}
    assert notes(run)["unfinished-line"].startswith("the last line has no line end; if the file was cut off, its last")


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("t_s,a_W\n0,1\n1,1,5\n", r":3: has 3 fields, 2 expected; write numbers with a decimal point"),
        ('t_s,a_W\n0,"1,5"\n', r":2: column 'a_W': '1,5' has a comma in its number; write '1287.5'"),
        ("t_s;a_W\n0;1,5\n", r":1: fields are separated by semicolons"),
        ("t_s,a_W,a_power_kW\n0,1,1\n", r":1: 'a_W' and 'a_power_kW' are both of 'a'; leave one of them out"),
        ("t_s,a_W,a_W\n0,1,1\n", r":1: the column 'a_W' stands 2 times"),
        ("t_s,power\n0,1\n", r":1: no column name ends in a unit of power \(_W, _kW, _mW\) or is that of a counter"),
        ("t_s,gpu0_MW\n0,1\n", r":1: no column name ends in a unit of power"),
        (
            "timestamp,a_W\n1700000000500,1\n",
            r":2: column 'timestamp': '1700000000500' is not a number of seconds since",
        ),
        ("timestamp,a_W\nmonday,1\n", r":2: column 'timestamp': 'monday' is not a time stamp; write '2026/01/31"),
        ("t_s,a_W\n5,1\n4,1\n", r":3: time runs backwards by 1 s"),
    ],
)
def test_table_refusals(file: Write, content: str, fault: str) -> None:
    with pytest.raises(ReadError, match=r"t\.csv" + fault):
        read(file("t.csv", content))


def test_table_without_times(file: Write) -> None:
    with pytest.raises(
        ReadError, match=r"t\.csv:1: there is no column of times; name one 't_s' \(seconds\) or 'timest"
    ):
        read(file("t.csv", "time,a_W\n0,1\n"), as_="table")


def test_blocks_do_not_show_in_any_result(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tco.readers import blocks

    files = [data / name for name in ("power.gh.csv", "power.pairs.csv", "smi.two-gpus.csv", "rapl.csv", "wandb.csv")]
    whole = {path: read(path)[0] for path in files}
    for size in (16, 100, 333):
        monkeypatch.setattr(blocks, "BLOCK_SIZE", size)
        for path in files:
            (run,) = read(path)
            assert energies(run) == pytest.approx(energies(whole[path]), rel=1e-12)
            assert run.warnings == whole[path].warnings
            assert run.devices == whole[path].devices
