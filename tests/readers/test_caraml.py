"""CARAML: tables of JUBE, as printed in its README, and the energies they point to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tco.errors import ReadError
from tco.readers import ReadOptions, read
from tco.records.run import Run

Write = Callable[[str, str | bytes], Path]
SAMPLES = "samples/caraml"

HEAD = "JobID,System,Version,Queue,Runtime(s),Model,Nodes,Devices,GlobalBatchSize,Images/second,EnergyFile"
ROW = "1,H100,2024.01,dc-h100,89.67,resnet50_v2,1,4,32,1994.69,CARAML/resnet50/work/combined_energy.csv"
COMBINED = ",nodename,rank,0,1\n0,node01,0,12.5,13.0\n1,node02,1,12.0,12.5\n"


def codes(run: Run) -> list[str]:
    return [warning.code for warning in run.warnings]


def rate(run: Run, quantity: str) -> float:
    (found,) = [work.rate for work in run.work if work.quantity == quantity]
    assert found is not None
    return float(found.m_as("1/s"))


# samples/caraml/MANIFEST.csv
@pytest.mark.parametrize(("file", "tokens_per_s"), [("gpt800m_mi250", 88620.76), ("gpt800m_jedi", 158152.8)])
def test_token_rates_that_agree_with_batch_length_and_step(shared: Path, file: str, tokens_per_s: float) -> None:
    (run,) = read(shared / SAMPLES / f"readme_result_{file}.csv")
    assert rate(run, "tokens") == tokens_per_s
    assert "rate-mismatch" not in codes(run)


# pitfalls P31
def test_a_rate_of_tokens_that_counts_sequences(shared: Path) -> None:
    (run,) = read(shared / SAMPLES / "readme_result_gpt117m_gc200.csv")
    assert rate(run, "sequences") == 183.37
    assert "tokens" not in {work.quantity for work in run.work}  # 183.37 tokens/s is what must not come out
    (warning,) = [warning for warning in run.warnings if warning.code == "rate-mismatch"]
    assert "183.37 token/s is what 2048 sequences in 11.17 s are (183.348/s): these are sequences" in warning.message
    (tokens,) = [one.value for one in run.results if one.name == "tokens per second, at 1024 a sequence"]
    assert tokens == pytest.approx(187748.6, abs=0.5)


# pitfalls P32
@pytest.mark.parametrize(
    "file", ["readme_result_gpt800m_mi250.csv", "readme_result_resnet50_three_tables_one_file.csv"]
)
def test_dies_are_not_cards(shared: Path, file: str) -> None:
    run = read(shared / SAMPLES / file)[0]
    (device,) = run.devices
    assert (device.count, device.cards) == (8, 4)
    assert "dies-not-cards" in codes(run)


# pitfalls P33
def test_three_tables_in_one_file(shared: Path) -> None:
    runs = read(shared / SAMPLES / "readme_result_resnet50_three_tables_one_file.csv")
    assert [rate(run, "images") for run in runs] == [2107.0, 3556.18, 1994.69]
    assert [run.duration and run.duration.m_as("s") for run in runs] == [54.71, None, 89.67]
    assert "placeholder" in codes(runs[1])  # 1.0 s is no run time


def test_a_limit_of_the_run_time_is_not_the_run_time(shared: Path) -> None:
    (run,) = read(shared / SAMPLES / "readme_result_gpt800m_jedi.csv")
    assert run.duration is not None
    assert run.duration.m_as("s") == pytest.approx(25 * 26.52)  # not the 30 min of 'Runtime(min)'


def test_combined_energies(shared: Path) -> None:
    (run,) = read(shared / SAMPLES / "combined_energy_constructed.csv")
    assert sum(e.value for e in run.energy) == pytest.approx(100.0)
    assert {(e.unit, e.boundary) for e in run.energy} == {("Wh", "gpu_board")}
    assert run.nodes == 2


def test_the_energy_file_is_found_below_the_table(file: Write) -> None:
    path = file("result.csv", f"{HEAD}\n{ROW}\n")
    (run,) = read(path)
    assert run.energy == ()
    assert "which is not zero" in run.warnings[0].message
    work = path.parent / "resnet50/work"
    work.mkdir(parents=True)
    (work / "combined_energy.csv").write_text(COMBINED)
    (run,) = read(path)
    assert sum(e.value for e in run.energy) == 50.0
    assert [one.file for one in run.provenance] == ["result.csv", "combined_energy.csv"]


@pytest.mark.parametrize("name", ["../combined_energy.csv", "/etc/combined_energy.csv", "a/../../x.csv"])
def test_an_energy_file_elsewhere_is_not_read(file: Write, name: str) -> None:
    path = file("result.csv", f"{HEAD}\n{ROW.rpartition(',')[0]},{name}\n")
    (path.parent.parent / "combined_energy.csv").write_text(COMBINED)
    (run,) = read(path)
    assert run.energy == ()
    assert "leads downwards" in run.warnings[0].message


def test_ranks_of_one_node_measure_the_same_devices(file: Write) -> None:
    text = ",nodename,rank,0,1\n0,node01,0,12.5,13.0\n1,node01,1,12.4,13.0\n"
    (run,) = read(file("combined_energy.csv", text))
    assert sum(e.value for e in run.energy) == 25.5  # 50.9 if ranks were added
    assert codes(run) == ["scope-assumed"]
    (run,) = read(file("combined_energy.csv", text.replace("12.4", "6.0")))
    assert codes(run) == ["ranks-differ"]


def test_a_missing_energy_of_a_device_is_not_zero(file: Write) -> None:
    (run,) = read(file("combined_energy.csv", ",nodename,rank,0,1\n0,n1,0,12.5,\n"), options=ReadOptions())
    assert {e.device for e in run.energy} == {"n1:0"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{HEAD}\n{ROW},9\n", r"result\.csv:2: has 12 fields, 11 expected"),
        (f"{HEAD}\n{ROW.replace('1994.69', 'fast')}\n", r":2: column 'Images/second': 'fast' is not a number"),
        (f"{HEAD}\n", r"result\.csv: has no rows; the benchmark has not finished"),
    ],
)
def test_tables_that_cannot_be(file: Write, text: str, message: str) -> None:
    with pytest.raises(ReadError, match=message):
        read(file("result.csv", text))
