"""Slurm: the allocation row, whatever else sacct lists."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tco.errors import ReadError
from tco.readers import ReadOptions, read
from tco.records.run import Run

Write = Callable[[str, str | bytes], Path]
PITFALLS = "samples/slurm/sacct_pitfalls_constructed.parsable2.txt"


def codes(run: Run) -> set[str]:
    return {warning.code for warning in run.warnings}


def joules(run: Run) -> float | None:
    return sum(e.value for e in run.energy if e.unit == "J") if run.energy else None


def jobs(path: Path, **options: str) -> dict[str | None, Run]:
    return {run.name: run for run in read(path, options=ReadOptions(**options))}  # type: ignore[arg-type]


def seconds(run: Run) -> float | None:
    return None if run.duration is None else float(run.duration.m_as("s"))


# pitfalls P19
def test_steps_are_not_added(shared: Path) -> None:
    (run,) = read(shared / "samples/slurm/sacct_gh200_4nodes.parsable2.txt")
    assert joules(run) == 20_543_125  # 66,717,296 if all rows were added
    assert run.duration is not None
    mean = 20_543_125 / run.duration.m_as("s")
    assert (mean, mean / 4) == (pytest.approx(9773.13, abs=0.5e-2), pytest.approx(2443.28, abs=0.5e-2))
    assert run.nodes == 4
    assert "steps-left-out" in codes(run)


def test_the_recorded_example_is_what_is_read(shared: Path) -> None:
    expected = json.loads((shared / "facts/measured/run_slurm_38113.json").read_text())
    path = shared / "samples/slurm/sacct_gh200_4nodes.parsable2.txt"
    (run,) = read(path, options=ReadOptions(time_zone=expected["time_zone"]))
    (energy,) = run.energy
    assert (energy.boundary, energy.value, energy.rule) == ("node_dc", 20543125, "allocation_row")
    assert energy.energy.m_as("kWh") == pytest.approx(expected["expected"]["energy_kWh"], abs=0.5e-6)
    assert run.provenance[0].sha256 == expected["provenance"][0]["sha256"]
    assert run.start_utc is not None
    assert run.start_utc.isoformat() == "2024-03-15T19:24:16+00:00"


# pitfalls P20
@pytest.mark.parametrize(
    ("job", "code"), [("1002", "energy-missing"), ("1003", "energy-missing"), ("1004", "no-allocation-row")]
)
def test_what_was_not_collected_is_missing(shared: Path, job: str, code: str) -> None:
    run = jobs(shared / PITFALLS)[job]
    assert run.energy == ()  # neither 0 J nor 1.8e19 J
    assert code in codes(run)


@pytest.mark.parametrize("raw", ["18446744073709551614", "18446744073709551615", "4294967294", "", "0"])
def test_numbers_that_stand_for_no_value(file: Write, raw: str) -> None:
    (run,) = read(file("jobs.txt", f"JobID|ElapsedRaw|ConsumedEnergyRaw|ConsumedEnergy\n7|600|{raw}|\n"))
    assert run.energy == ()
    assert "energy-missing" in codes(run)


def test_no_value_with_a_suffix(file: Write) -> None:
    (run,) = read(file("jobs.txt", "JobID|ElapsedRaw|ConsumedEnergy\n7|600|18446744.07T\n"))
    assert run.energy == ()


# pitfalls P21
@pytest.mark.parametrize(("text", "value"), [("101.63K", 101_630), ("7.20M", 7_200_000), ("2G", 2e9), ("512", 512)])
def test_suffixes_are_decimal(file: Write, text: str, value: float) -> None:
    (run,) = read(file("jobs.txt", f"JobID|ElapsedRaw|ConsumedEnergy\n7|600|{text}\n"))
    assert joules(run) == pytest.approx(value)  # 104,069 J for 101.63K if K were 1024


# pitfalls P22
@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
def test_elapsed_time_through_a_change_of_clocks(shared: Path, zone: str | None) -> None:
    run = jobs(shared / PITFALLS, **({"time_zone": zone} if zone else {}))["1001"]
    assert seconds(run) == 3600  # 7200 by the wall clock
    assert joules(run) == 7_200_000
    assert ("clock-change" in codes(run)) is (zone is None)
    if zone:
        assert run.start_utc is not None
        assert run.end_utc is not None
        assert (run.end_utc - run.start_utc).total_seconds() == 3600


@pytest.mark.parametrize(
    ("start", "end", "elapsed", "utc"),
    [
        ("2025-10-26T02:30:00", "2025-10-26T02:10:00", 2400, ("00:30:00", "01:10:00")),  # the hour shown twice
        ("2025-10-26T02:10:00", "2025-10-26T02:30:00", 1200, ("00:10:00", "00:30:00")),
        ("2025-10-26T02:10:00", "2025-10-26T02:30:00", 4800, ("00:10:00", "01:30:00")),
        ("2025-10-26T01:30:00", "2025-10-26T03:30:00", 10800, ("23:30:00", "02:30:00")),
    ],
)
def test_the_hour_that_is_shown_twice(file: Write, start: str, end: str, elapsed: int, utc: tuple[str, str]) -> None:
    path = file("jobs.txt", f"JobID|ElapsedRaw|Start|End|ConsumedEnergyRaw\n7|{elapsed}|{start}|{end}|1000\n")
    (run,) = read(path, options=ReadOptions(time_zone="Europe/Berlin"))
    assert run.start_utc is not None
    assert run.end_utc is not None
    assert (f"{run.start_utc:%H:%M:%S}", f"{run.end_utc:%H:%M:%S}") == utc
    assert "clock-change" not in codes(run)


# pitfalls P23, open cases A35 and A36
@pytest.mark.parametrize(
    "text",
    [
        "JobID|Elapsed|ConsumedEnergyRaw\n1935|00:02:02|101630\n1935.extern|00:02:02|101630\n1935.0|00:02:02|101630\n",
        "JobID|Elapsed|TRESUsageOutAve|ConsumedEnergyRaw\n1935|00:02:02||101630\n"
        "1935.0|00:02:02|energy=794,fs/disk=759156|101630\n",
    ],
)
def test_the_energy_of_job_1935(file: Write, text: str) -> None:
    (run,) = read(file("jobs.txt", text))
    assert joules(run) == 101_630  # not 304,890 J, 203,260 J, nor 794 J
    assert run.energy[0].energy.m_as("kWh") == pytest.approx(0.0282306, abs=0.5e-7)
    assert 101_630 / (seconds(run) or 0) == pytest.approx(833, abs=0.5)


def test_arrays_components_and_jobs_that_run(shared: Path) -> None:
    found = jobs(shared / PITFALLS)
    assert (joules(found["1006_7"]), seconds(found["1006_7"])) == (46_892_000, 93784)
    assert [(d.kind, d.model, d.count) for d in found["1006_7"].devices] == [("gpu", "h100", 8), ("node", None, 2)]
    assert "component" in codes(found["1007+1"])
    assert "not-finished" in codes(found["1005"])
    assert found["1005"].end is None
    assert joules(found["1935"]) == 101_630


def test_components_of_a_heterogeneous_job_are_counted(file: Write) -> None:
    path = file("jobs.txt", "JobID|ElapsedRaw|ConsumedEnergyRaw\n7+0|10|100\n7+0.0|10|100\n7+1|10|50\n")
    runs = read(path)
    assert [(run.name, joules(run)) for run in runs] == [("7+0", 100), ("7+1", 50)]
    assert any("of 2 in the file" in warning.message for warning in runs[0].warnings)


def test_a_requeued_job_is_a_run_of_its_own_each_time(file: Write) -> None:
    path = file("jobs.txt", "JobID|ElapsedRaw|ConsumedEnergyRaw\n7|10|100\n7.0|10|90\n7|20|200\n7.0|20|190\n")
    assert [joules(run) for run in read(path)] == [100, 200]
    assert "listed-again" in codes(read(path)[1])


@pytest.mark.parametrize(
    ("elapsed", "expected"), [("1-02:03:04", 93784), ("01:00:00", 3600), ("10:30", 630), ("00:00:01.500", 1.5)]
)
def test_elapsed_times(file: Write, elapsed: str, expected: float) -> None:
    (run,) = read(file("jobs.txt", f"JobID|Elapsed|ConsumedEnergyRaw\n7|{elapsed}|100\n"))
    assert seconds(run) == expected


def test_gpus_of_a_job(file: Write) -> None:
    text = "JobID|ElapsedRaw|AllocTRES|ConsumedEnergyRaw\n7|10|{}|100\n"
    (run,) = read(file("jobs.txt", text.format("cpu=8,gres/gpu:a100=4,gres/gpu=4,mem=10G,node=2")))
    assert [(d.kind, d.model, d.count) for d in run.devices] == [("gpu", "a100", 4), ("node", None, 2)]
    (run,) = read(file("jobs.txt", text.format("gres/gpu:1g.5gb=2,node=1")))
    assert "device-slices" in codes(run)


def test_the_boundary_is_that_of_the_plug_in(file: Write) -> None:
    path = file("jobs.txt", "JobID|ElapsedRaw|ConsumedEnergyRaw\n7|10|100\n")
    assert "boundary-by-plugin" in codes(read(path)[0])
    (run,) = read(path, options=ReadOptions(boundary="cpu_package"))
    assert run.energy[0].boundary == "cpu_package"
    assert "boundary-by-plugin" not in codes(run)


def test_energies_that_do_not_agree(file: Write) -> None:
    text = "JobID|ElapsedRaw|ConsumedEnergyRaw|ConsumedEnergy|AllocTRES\n7|10|101630|101.63K|energy={}\n"
    assert "energies-differ" not in codes(read(file("jobs.txt", text.format(101630)))[0])
    (run,) = read(file("jobs.txt", text.format(999)))
    assert joules(run) == 101_630
    assert "energies-differ" in codes(run)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("JobID|ElapsedRaw\n7|10|3\n", r"jobs\.txt:2: has 3 fields, 2 expected"),
        ("JobID|ElapsedRaw\nseven|10\n", r":2: column 'JobID': 'seven' is not a job such as 1234, 1234_5, 1234\+0"),
        ("JobID|Elapsed\n7|soon\n", r":2: column 'Elapsed': 'soon' is not a time such as '1-02:03:04'"),
        ("JobID|ElapsedRaw|ConsumedEnergy\n7|10|12X\n", r":2: column 'ConsumedEnergy': '12X' is not an energy such as"),
        ("JobID|ElapsedRaw|Start\n7|10|now\n", r":2: column 'Start': 'now' is not a time stamp"),
        ("JobID|ElapsedRaw\n", r"jobs\.txt: has no jobs; list them with: sacct -X -P"),
    ],
)
def test_files_that_cannot_be(file: Write, text: str, message: str) -> None:
    with pytest.raises(ReadError, match=message):
        read(file("jobs.txt", text))
