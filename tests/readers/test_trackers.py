"""carbontracker, eco2AI, Zeus, perun, and energies by rank."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import tco
from tco.errors import EstimateError, ReadError
from tco.readers import ReadOptions, read
from tco.records.run import Run

Write = Callable[[str, str | bytes], Path]


def codes(run: Run) -> set[str]:
    return {warning.code for warning in run.warnings}


def result(run: Run, name: str) -> float:
    (value,) = [result.value for result in run.results if result.name == name]
    return value


def joules(run: Run) -> dict[str | None, float]:
    return {energy.device: energy.value for energy in run.energy if energy.unit == "J"}


# ---- carbontracker: samples/carbontracker/MANIFEST.csv, pitfalls P18

OUTPUT = "samples/carbontracker/carbontracker_2.4.7_output.log"


def test_the_total_of_carbontracker_holds_a_pue(shared: Path) -> None:
    (run,) = read(shared / OUTPUT)
    (energy,) = run.energy
    assert (energy.value, energy.unit) == (0.000187735789, "kWh")
    assert run.pue_included
    assert run.pue is not None
    pue = run.pue.m_as("1")
    assert energy.value / pue == pytest.approx(0.00011882012, abs=0.5e-11)
    assert (energy.boundary, energy.method) == ("cpu_package", "model")
    assert result(run, "emissions") == 0.083542426094
    assert result(run, "grid factor of the tool") == 445.0
    assert [one.file for one in run.provenance] == ["carbontracker_2.4.7_output.log", "carbontracker_2.4.7.log"]


def test_its_pue_is_taken_out_before_that_of_the_site_is_applied(shared: Path) -> None:
    estimate = tco.estimate(shared / OUTPUT, region="de", set={"node.overhead": 1, "site.pue": "1.2"})
    assert estimate.value("energy.it", "kWh") == pytest.approx(1.18820e-4, abs=0.5e-9)
    assert estimate.value("energy.facility", "kWh") == pytest.approx(1.2 * 1.18820e-4, abs=1e-9)  # not x 1.58 x 1.2


def test_a_total_without_the_log_that_says_the_pue(shared: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(shared / OUTPUT, tmp_path))
    (run,) = read(path)
    assert run.pue_included
    assert run.pue is None
    assert "pue-unknown" in codes(run)
    with pytest.raises(EstimateError, match="pue_included is true; state 'pue'"):
        tco.estimate(path, region="de", set={"node.overhead": 1})


def test_the_epochs_of_carbontracker_are_without_pue(shared: Path) -> None:
    (run,) = read(shared / "samples/carbontracker/carbontracker_2.4.7.log")
    assert not run.pue_included
    assert result(run, "mean power of cpu") == 35.61209406066786
    assert joules(run)[None] / 3.6e6 == pytest.approx(0.00011882012, rel=1e-3)  # durations are to the hundredth
    assert run.work[0].value == 3
    assert run.duration is not None
    assert run.duration.m_as("s") == pytest.approx(12.01)
    assert "modelled" in codes(run)


EPOCHS = """2026-01-01 00:00:00 - carbontracker version 2.4.7
2026-01-01 00:00:10 - Epoch 1:
2026-01-01 00:00:10 - Duration: 1 day, 0:00:10.00
2026-01-01 00:00:10 - Average power usage (W) for gpu: {}
2026-01-01 00:00:20 - Epoch 2:
2026-01-01 00:00:20 - Duration: 0:00:10.00
2026-01-01 00:00:20 - Average power usage (W) for gpu: [100.0, 150.0]
"""


def test_epochs_of_several_gpus(file: Write) -> None:
    (run,) = read(file("x.log", EPOCHS.format("200.0")))
    assert joules(run)[None] == pytest.approx(86410 * 200 + 10 * 250)
    (energy,) = run.energy
    assert (energy.boundary, energy.method) == ("gpu_board", "sensor")
    (run,) = read(file("x.log", EPOCHS.format("None")))
    assert joules(run)[None] == pytest.approx(2500)
    assert "missing-samples" in codes(run)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("0:00:10.00", "ten", r"x\.log:6: 'ten' is not a time such as '0:12:34\.56'"),
        ("[100.0, 150.0]", "many", r"x\.log:7: 'many' is not a number of 0 or more"),
    ],
)
def test_logs_of_carbontracker_that_cannot_be(file: Write, old: str, new: str, message: str) -> None:
    text = EPOCHS.format("200.0")
    at = text.rindex(old)
    with pytest.raises(ReadError, match=message):
        read(file("x.log", text[:at] + new + text[at + len(old) :]))


def test_a_log_without_an_epoch(file: Write) -> None:
    with pytest.raises(ReadError, match="has no 'Actual consumption' and no epoch"):
        read(file("x.log", EPOCHS.splitlines()[0] + "\n"))


# ---- eco2AI: samples/other/MANIFEST.csv, pitfalls P37


def test_a_column_named_power_holds_an_energy(shared: Path) -> None:
    (run,) = read(shared / "samples/other/eco2ai_emission_0.3.12.csv")
    (energy,) = run.energy
    assert (energy.value, energy.unit, energy.method) == (5.370746216871224e-06, "kWh", "model")
    assert result(run, "emissions") == 1.7857462633785978e-06
    assert run.duration is not None
    assert run.duration.m_as("s") == 2.2942211627960205
    assert "pue-unknown" in codes(run)


def test_epochs_of_eco2ai_add_up(file: Write) -> None:
    head = (
        "id,project_name,epoch,start_time,duration(s),power_consumption(kWh),CO2_emissions(kg),GPU_name,"
        "region/country\n"
    )
    row = '{},demo,"epoch: {}, loss: 1",2026-01-01 00:00:{}0,10.0,{},0.1,NVIDIA L4 2 device(s),DE/Berlin\n'
    text = head + row.format("a", 1, 0, 1.5) + row.format("a", 2, 1, 2.5) + row.format("b", 1, 2, 9.0)
    first, second = read(file("emission.csv", text))
    assert [one.energy[0].value for one in (first, second)] == [4.0, 9.0]
    assert first.duration is not None
    assert first.duration.m_as("s") == 20
    assert [(d.model, d.count) for d in first.devices] == [("NVIDIA L4", 2)]
    assert first.location is not None
    assert first.location.region == "DE"


# ---- Zeus: samples/zeus/MANIFEST.csv, pitfalls P30


def test_nested_windows_are_not_added(shared: Path) -> None:
    (run,) = read(shared / "samples/zeus/energy_monitor_log_constructed.csv")
    assert sum(joules(run).values()) == 143_510.75  # 287,021.50 J if all rows were added
    assert run.name == "entire_training"
    assert run.duration is not None
    assert run.duration.m_as("s") == 240
    assert {(e.boundary, e.method) for e in run.energy} == {("gpu_board", "counter")}
    assert "nested-windows" in codes(run)
    (one,) = read(shared / "samples/zeus/energy_monitor_log_constructed.csv", options=ReadOptions(devices=("1",)))
    assert joules(one) == {"gpu1": 71510.75}


ZEUS = "start_time,window_name,elapsed_time,gpu0_energy\n"


def test_windows_one_after_the_other_add_up(file: Write) -> None:
    (run,) = read(file("log.csv", ZEUS + "1000,a,10,100\n1010,b,10,200\n1030,c,10,400\n"))
    assert joules(run) == {"gpu0": 700}
    assert run.duration is not None
    assert run.duration.m_as("s") == 30
    assert codes(run) == {"long-gap"}


def test_windows_that_overlap_in_part_are_not_added(file: Write) -> None:
    (run,) = read(file("log.csv", ZEUS + "1000,a,10,100\n1005,b,20,200\n"))
    assert joules(run) == {"gpu0": 200}
    assert "nested-windows" in codes(run)


def test_a_window_above_the_one_that_holds_it(file: Write) -> None:
    (run,) = read(file("log.csv", ZEUS + "1000,all,10,100\n1002,part,5,300\n"))
    assert "inner-above-outer" in codes(run)


def test_a_window_without_an_energy_is_not_zero(file: Write) -> None:
    (run,) = read(file("log.csv", ZEUS.replace("\n", ",gpu1_energy\n") + "1000,a,10,100,7\n1010,b,10,200,\n"))
    assert joules(run) == {"gpu0": 300, "gpu1": 7}
    assert "missing-samples" in codes(run)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("x,a,10,100", r"log\.csv:2: column 'start_time': 'x' is not a number"),
        ("1000,a,-10,100", r":2: column 'elapsed_time': -10 is below 0, which cannot be"),
        ("1e300,a,10,100", r":2: column 'start_time': 1e\+300 is not a time in seconds since 1970"),
        ("1000,a,10", r":2: has 3 fields, 4 expected"),
    ],
)
def test_windows_that_cannot_be(file: Write, row: str, message: str) -> None:
    with pytest.raises(ReadError, match=message):
        read(file("log.csv", ZEUS + row + "\n"))


# ---- perun: samples/perun/MANIFEST.csv


@pytest.mark.parametrize(
    ("file", "runtimes"),
    [
        ("cpu_only.json", [4.6280059814453125]),
        ("cpu_only.csv", [4.6480336]),
        ("cpu_only.hdf5", [4.6280059814453125, 4.6480336]),
    ],
)
def test_run_times_of_perun(shared: Path, file: str, runtimes: list[float]) -> None:
    if file.endswith("hdf5"):
        pytest.importorskip("h5py")
    runs = read(shared / "samples/perun" / file)
    found = [float(run.duration.m_as("s")) for run in runs if run.duration is not None]
    assert found == pytest.approx(runtimes, rel=1e-7)
    assert all(run.energy == () and "no-power" in codes(run) for run in runs)


def test_sensors_of_perun(data: Path) -> None:
    (run,) = read(data / "perun_gpu.json")
    # 200 to 400 W from milliwatts; a counter of microjoules that wraps at 262143.32885 J: 0.32885 J + 0.67115 J
    assert joules(run) == pytest.approx({"n1:CUDA:0_POWER": 3000.0, "n1:cpu_0_package-0": 1.0}, abs=1e-4)
    assert {e.device: (e.boundary, e.method) for e in run.energy} == {
        "n1:CUDA:0_POWER": ("gpu_board", "sensor"),
        "n1:cpu_0_package-0": ("cpu_package", "counter"),
    }
    assert result(run, "energy of n1:ram_0_dram") == 100.0  # beside packages and boards
    # what perun adds up holds a PUE of 1.3 and 50 W of overhead: kept, not used
    assert result(run, "energy of the run") == 8450.0
    assert "pue-in-total" in codes(run)
    assert not run.pue_included
    assert [(d.kind, d.count, d.ids) for d in run.devices] == [("gpu", 1, ("n1:CUDA:0",))]


PERUN_CSV = ",run id,hostname,device_group,sensor,unit,magnitude,timestep,value\n"


def perun_rows(host: str, *powers: float) -> str:
    return "".join(f"0,0,{host},gpu,CUDA:0_POWER,W,0.001,{float(at)},{power}\n" for at, power in enumerate(powers))


def test_a_table_of_perun(file: Write) -> None:
    text = PERUN_CSV + perun_rows("n1", 1000, 3000) + perun_rows("n2", 4000, 4000)
    (run,) = read(file("app.csv", text))
    assert joules(run) == pytest.approx({"n1:CUDA:0_POWER": 2.0, "n2:CUDA:0_POWER": 4.0})
    assert run.nodes == 2


# open case A34, as it happened in perun: ranks of one node each report its sensors
def test_ranks_that_log_one_sensor(file: Write) -> None:
    (run,) = read(file("app.csv", PERUN_CSV + perun_rows("n1", 2000, 2000) * 3))
    assert joules(run) == pytest.approx({"n1:CUDA:0_POWER": 2.0})
    assert "scope-assumed" in codes(run)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"type": 3', '"type": "three"', r"has no 'id' or no 'type'; a result of perun is expected"),
        ("[200000, 300000, 400000]", "[200000, 300000]", r"n1: CUDA:0_POWER: 'timesteps' and 'values' do not fit"),
        ("[200000, 300000, 400000]", '[1, 2, "x"]', r"n1: CUDA:0_POWER: 'x' is not a number"),
    ],
)
def test_trees_that_cannot_be(data: Path, file: Write, old: str, new: str, message: str) -> None:
    text = (data / "perun_gpu.json").read_text()
    assert old in text
    with pytest.raises(ReadError, match=message):
        read(file("perun.json", text.replace(old, new)))


def test_damaged_hdf5(shared: Path, file: Write) -> None:
    pytest.importorskip("h5py")
    raw = (shared / "samples/perun/cpu_only.hdf5").read_bytes()
    with pytest.raises(ReadError, match=r"app\.hdf5: is damaged, or not the HDF5 file that it seems to be"):
        read(file("app.hdf5", raw[: len(raw) // 2]))


def test_hdf5_that_holds_something_else(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "power.h5", "w") as made:
        made["jpwr/values"] = [1.0, 2.0]
    with pytest.raises(ReadError, match=r"key 'jpwr': is no table that pandas stored in its fixed form"):
        read(tmp_path / "power.h5")


# ---- energies by rank: open case A34

RANKS = "rank,host,energy_J\n0,n1,100\n1,n1,100\n2,n2,100\n3,n2,100\n"


def test_ranks_of_a_node_read_its_counter(file: Write) -> None:
    (run,) = read(file("ranks.csv", RANKS))
    assert sum(joules(run).values()) == 200
    assert codes(run) == {"scope-assumed"}
    assert run.nodes == 2


def test_ranks_add_up_where_somebody_says_so(file: Write) -> None:
    (run,) = read(file("ranks.csv", RANKS), options=ReadOptions(scope="rank"))
    assert (sum(joules(run).values()), codes(run)) == (400, set())
    stated = RANKS.replace("_J", "_J,scope").replace("100\n", "100,rank\n")
    (run,) = read(file("ranks.csv", stated))
    assert (sum(joules(run).values()), codes(run)) == (400, set())
    (run,) = read(file("ranks.csv", stated.replace("rank\n", "node\n")))
    assert (sum(joules(run).values()), codes(run)) == (200, set())


def test_ranks_that_do_not_agree(file: Write) -> None:
    (run,) = read(file("ranks.csv", RANKS.replace("1,n1,100", "1,n1,50")))
    assert "ranks-differ" in codes(run)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (RANKS + "3,n2,1\n", r"ranks\.csv:6: column 'rank': rank 3 stands twice for 'n2'"),
        (
            RANKS.replace("_J\n", "_J,scope\n").replace("100\n", "100,socket\n"),
            r":2: column 'scope': 'socket' is not known",
        ),
    ],
)
def test_tables_of_ranks_that_cannot_be(file: Write, text: str, message: str) -> None:
    with pytest.raises(ReadError, match=message):
        read(file("ranks.csv", text))


def test_the_fixture_is_json(data: Path) -> None:
    assert json.loads((data / "perun_gpu.json").read_text())["id"] == "train"
