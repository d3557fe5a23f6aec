"""CodeCarbon: what two versions wrote, and the open cases of its issue tracker."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import tco
from tco.errors import ReadError
from tco.readers import ReadOptions, read
from tco.records.run import Run

Write = Callable[[str, str | bytes], Path]
SAMPLES = "samples/codecarbon"


def codes(run: Run) -> set[str]:
    return {warning.code for warning in run.warnings}


def kwh(run: Run) -> float:
    return run.energy[0].value


def result(run: Run, name: str) -> float:
    (value,) = [result.value for result in run.results if result.name == name]
    return value


# samples/codecarbon/MANIFEST.csv
@pytest.mark.parametrize(
    ("version", "duration_s", "energy_kwh", "emissions_kg", "factor"),
    [
        ("3.3.2", 6.014890803999833, 4.6654984514387065e-05, 1.7773216350755752e-05, 0.38095),
        ("2.3.4", 6.002945423126221, 8.557930163004844e-05, 3.1277266421845216e-05, 0.365477),
    ],
)
def test_one_run(
    shared: Path, version: str, duration_s: float, energy_kwh: float, emissions_kg: float, factor: float
) -> None:
    (run,) = read(shared / SAMPLES / f"emissions_v{version}.csv")
    assert run.tool is not None
    assert (run.tool.name, run.tool.version) == ("codecarbon", version)  # numbers change between versions
    assert run.duration is not None
    assert run.duration.m_as("s") == duration_s
    assert (kwh(run), run.energy[0].unit, run.energy[0].method) == (energy_kwh, "kWh", "model")
    assert result(run, "emissions") == emissions_kg
    assert result(run, "grid factor of the tool") == pytest.approx(factor, abs=0.5e-6)
    assert run.location is not None
    assert run.location.region == "DEU"
    assert not run.pue_included
    assert {"partial-boundary", "modelled"} <= codes(run)


# pitfalls P17: an estimate applies its own grid factor to the energy, and never takes over the emissions
def test_emissions_of_the_tool_are_not_those_of_an_estimate(shared: Path) -> None:
    estimate = tco.estimate(shared / SAMPLES / "emissions_v3.3.2.csv", set={"grid.intensity": "100 g/kWh"})
    energy = estimate.value("energy.facility", "kWh")
    assert estimate.value("carbon.operational", "gCO2e") == pytest.approx(100 * energy)
    assert estimate.value("energy.it", "kWh") == pytest.approx(4.6654984514387065e-05)


# pitfalls P15
@pytest.mark.parametrize(
    ("file", "right", "wrong"),
    [
        ("emissions_flush_v3.3.2.csv", 7.01671256864713e-05, 0.00014043240989862192),
        ("emissions_flush_v2.3.4.csv", 0.00012907178552157275, None),
    ],
)
def test_rows_of_one_run_are_running_totals(shared: Path, file: str, right: float, wrong: float | None) -> None:
    (run,) = read(shared / SAMPLES / file)
    assert kwh(run) == right
    assert kwh(run) != wrong
    (warning,) = [warning for warning in run.warnings if warning.code == "running-totals"]
    assert warning.message.startswith("3 rows are running totals")


# open case A37
def test_flushed_rows_in_any_order(file: Write) -> None:
    head = "run_id,timestamp,duration,energy_consumed\n"
    rows = [f"r1,2026-01-01T0{n}:00:00,{3600 * n},{n}.0\n" for n in (1, 2, 3)]
    for order in (rows, rows[::-1]):
        (run,) = read(file("emissions.csv", head + "".join(order)))
        assert kwh(run) == 3.0  # 6.0 if added


# open case A03
def test_a_rate_of_emissions_that_is_a_thousand_times_off(file: Write) -> None:
    text = (
        "timestamp,run_id,duration,emissions,emissions_rate,energy_consumed\n2022-11-14T10:00:00,r1,3600,0.36,0.1,1.0\n"
    )
    (run,) = read(file("emissions.csv", text))
    assert result(run, "emissions") == 0.36
    assert result(run, "grid factor of the tool") == pytest.approx(0.36)
    (warning,) = [warning for warning in run.warnings if warning.code == "emissions-rate"]
    assert "emissions_rate is 0.1, emissions over duration are 0.0001 kg/s (1000 times)" in warning.message
    (run,) = read(file("emissions.csv", text.replace("0.1,1.0", "0.0001,1.0")))
    assert "emissions-rate" not in codes(run)


# open case A04
def test_the_column_of_energy_is_no_power(file: Write) -> None:
    (run,) = read(file("emissions.csv", "duration,energy_consumed\n9600,0.277621\n"))
    assert run.duration is not None
    assert kwh(run) == 0.277621  # 0.740 kWh if taken as kW
    assert kwh(run) * 3.6e6 / run.duration.m_as("s") == pytest.approx(104.1, abs=0.05)


# open case A31
@pytest.mark.parametrize(
    ("mode", "gpu", "energy", "code", "message"),
    [
        ("machine", "", 10, "same-machine", "each of them is the whole machine"),
        ("process", "", 20, "processes-added", "their energies are added"),
        ("process", "4", 20, "processes-added", "what they hold is counted twice"),
    ],
)
def test_trackers_of_one_machine(file: Write, mode: str, gpu: str, energy: float, code: str, message: str) -> None:
    text = "run_id,timestamp,duration,energy_consumed,gpu_energy,tracking_mode,hostname\n" + "".join(
        f"{run},2026-01-01T01:00:00,3600,10,{gpu},{mode},n1\n" for run in "ab"
    )
    (run,) = read(file("emissions.csv", text))
    assert kwh(run) == energy
    (warning,) = [warning for warning in run.warnings if warning.code == code]
    assert message in warning.message


def test_runs_of_two_machines_or_two_times_stay_apart(file: Write) -> None:
    head = "run_id,timestamp,duration,energy_consumed,tracking_mode,hostname\n"
    two_hosts = "a,2026-01-01T01:00:00,3600,10,machine,n1\nb,2026-01-01T01:00:00,3600,11,machine,n2\n"
    assert [kwh(run) for run in read(file("emissions.csv", head + two_hosts))] == [10, 11]
    two_times = "a,2026-01-01T01:00:00,3600,10,machine,n1\nb,2026-01-01T02:00:00,3600,11,machine,n1\n"
    assert [kwh(run) for run in read(file("emissions.csv", head + two_times))] == [10, 11]


# open case A38, in both meanings of the power columns
@pytest.mark.parametrize(
    ("row", "it", "facility", "meaning"),
    [
        ("10,45,10,0,0.000229166667,1.5,", 0.000152778, 0.000229167, "without the PUE of 1.5"),
        ("10,54,12,0,0.000183333333,1.2,3.3.2", 0.000152778, 0.000183333, "with the PUE of 1.2"),
    ],
)
def test_a_pue_in_the_energy_is_applied_once(file: Write, row: str, it: float, facility: float, meaning: str) -> None:
    head = "duration,cpu_power,ram_power,gpu_power,energy_consumed,pue,codecarbon_version\n"
    path = file("emissions.csv", f"{head}{row}\n")
    (run,) = read(path)
    assert run.pue_included
    assert {one.note for one in run.results if one.name.endswith("power")} == {f"{meaning}, by power x duration"}
    estimate = tco.estimate(path, region="de")
    assert estimate.value("energy.it", "kWh") == pytest.approx(it, abs=0.5e-9)
    assert estimate.value("energy.facility", "kWh") == pytest.approx(facility, abs=0.5e-9)


# open case A46
def test_a_row_with_dropped_columns_is_refused(file: Write) -> None:
    text = "run_id,duration,energy_consumed,longitude,latitude,tracking_mode\na,10,1.0,,,machine\nb,10,2.0,machine\n"
    with pytest.raises(ReadError, match=r"emissions\.csv:3: has 4 fields, 6 expected; .*columns were dropped"):
        read(file("emissions.csv", text))


def test_a_measured_gpu_is_kept_at_its_own_boundary(file: Write) -> None:
    head = "run_id,duration,energy_consumed,gpu_energy,cpu_energy,gpu_count,gpu_model,on_cloud,cloud_region\n"
    (run,) = read(file("emissions.csv", head + "a,10,3.0,2.0,0.5,4,4 x NVIDIA A100-SXM4-40GB,Y,eu-west-1\n"))
    assert [(e.boundary, e.value, e.method) for e in run.energy] == [
        ("node_ac", 3.0, None),
        ("gpu_board", 2.0, "counter"),
        ("cpu_package", 0.5, "model"),
    ]
    assert [(d.model, d.count) for d in run.devices] == [("NVIDIA A100-SXM4-40GB", 4)]
    assert run.location is not None
    assert run.location.region == "eu-west-1"


def test_local_times_become_instants_in_a_stated_zone(shared: Path) -> None:
    path = shared / SAMPLES / "emissions_v3.3.2.csv"
    (run,) = read(path)
    assert run.end_utc is None
    (run,) = read(path, options=ReadOptions(time_zone="Europe/Berlin"))
    assert run.end_utc is not None
    assert run.end_utc.isoformat() == "2026-11-30T07:19:57+00:00"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("duration;energy_consumed\n9600;0,277621\n", r":1: fields are separated by semicolons, ',' is expected"),
        ('duration,energy_consumed\n9600,"0,277621"\n', r":2: column 'energy_consumed': '0,277621' has a comma in its"),
        ("duration,energy_consumed\n9600,-1\n", r":2: column 'energy_consumed': -1 is below 0, which cannot be"),
        ("duration,energy_consumed\n9600,\n", r":2: column 'energy_consumed': is empty; a number is expected"),
        ("duration,energy_consumed\n", r": has no rows; the tracker was not stopped or flushed"),
        (
            "timestamp,duration,energy_consumed\nyesterday,1,1\n",
            r":2: column 'timestamp': 'yesterday' is not a time stamp",
        ),
        ('duration,energy_consumed\n1,"2\n', r":2: is not CSV: unexpected end of data"),
    ],
)
def test_files_that_cannot_be(file: Write, text: str, message: str) -> None:
    with pytest.raises(ReadError, match=message):
        read(file("emissions.csv", text))
