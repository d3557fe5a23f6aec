"""Recorded runs held against themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tco
from tco.claims import check_run
from tco.claims.runs import CheckedRun
from tco.readers import read

DATA = Path(__file__).resolve().parents[1] / "data" / "claims"


def checked(**fields: Any) -> CheckedRun:
    return check_run(tco.Run.model_validate({"name": "run", **fields}))


def codes(found: CheckedRun) -> dict[str, str]:
    return {finding.code: finding.severity for finding in found.findings}


H100 = {"kind": "gpu", "model": "NVIDIA H100 80GB HBM3", "count": 8}


def test_a_rate_column_that_is_1000_times_too_large() -> None:
    """Open case A03: 0.36 kg in 3,600 s are 1.0e-4 kg/s, the column says 0.1; 1 kWh, so 360 g/kWh."""
    [run] = read(DATA / "codecarbon_rate.csv")
    found = check_run(run, "emissions.csv")
    assert not found.consistent
    assert codes(found)["emissions-rate"] == "contradiction"
    [rate] = [finding for finding in found.findings if finding.code == "emissions-rate"]
    assert "(1000 times)" in rate.message
    [factor] = [one for one in found.implied if one.name.startswith("grid factor")]
    assert float(factor.quantity.m_as("gCO2e/kWh")) == pytest.approx(360)
    assert codes(check_run(run, region="fr"))["intensity-differs"] == "doubt"
    assert "intensity-differs" not in codes(check_run(run, region="de"))


def test_sequences_called_tokens() -> None:
    """CARAML, GPT 117M on an IPU-POD4: 183.37 is 2048 / 11.17 s, sequences and not tokens (README, 59cba3e)."""
    [run] = read(DATA / "caraml_ipu.csv")
    found = check_run(run, "result.csv")
    assert not found.consistent
    [finding] = [one for one in found.findings if one.severity == "contradiction"]
    assert finding.code == "rate-mismatch"
    assert "these are sequences, not tokens" in finding.message


def test_the_real_tables_of_caraml(shared: Path) -> None:
    folder = shared / "samples" / "caraml"
    [ipu] = read(folder / "readme_result_gpt117m_gc200.csv")
    assert "rate-mismatch" in codes(check_run(ipu))
    for name in ("readme_result_gpt800m_jedi.csv", "readme_result_gpt800m_mi250.csv"):
        for run in read(folder / name):
            assert check_run(run).consistent, name


def test_power_against_the_rating() -> None:
    day = {"duration": "24 h", "devices": [H100]}
    boards = {"boundary": "gpu_board", "unit": "kWh"}
    right = checked(**day, energy={**boards, "value": 105.2})
    assert right.consistent
    ratio = next(one.ratio for one in right.implied if one.against)
    assert ratio == pytest.approx(105.2 / (8 * 0.7 * 24))
    assert codes(checked(**day, energy={**boards, "value": 105200}))["power-above-rating"] == "contradiction"
    assert codes(checked(**day, energy={**boards, "value": 0.1052}))["power-far-below-rating"] == "doubt"
    assert codes(checked(**day, energy={**boards, "value": 134.4}))["rated-energy"] == "doubt"
    node = checked(**day, energy={"boundary": "node_ac", "value": 200, "unit": "kWh"})
    assert "power-above-rating" not in codes(node)  # a node draws more than its boards


def test_emissions_against_what_a_grid_can_be() -> None:
    emissions = {"name": "emissions", "value": 338, "unit": "kgCO2e"}
    found = checked(duration="1 h", energy="1 kWh", results=[emissions])
    assert codes(found)["intensity-implausible"] == "contradiction"
    assert "no grid is above about 2,000 g/kWh" in found.findings[0].message


def test_coverage_boundary_and_devices() -> None:
    found = checked(
        duration="1 h",
        devices=[{"kind": "gpu", "count": 4}],
        energy=[
            {"value": 1, "unit": "kWh", "device": "gpu0", "coverage": 0.5},
            {"value": 1, "unit": "kWh", "device": "gpu1", "boundary": "gpu_board"},
        ],
    )
    assert {"coverage", "boundary-assumed", "devices-missing"} <= codes(found).keys()
    assert found.consistent
    assert "samples cover 50 % of the time" in next(f.message for f in found.findings if f.code == "coverage")


def test_work_over_time_against_a_rate() -> None:
    work = [
        {"quantity": "tokens", "basis": "total", "value": 7200},
        {"quantity": "tokens", "basis": "total", "rate": "2 1/s"},
    ]
    assert checked(duration="1 h", energy="1 kWh", work=work).consistent
    wrong = [work[0], {**work[1], "rate": "2000 1/s"}]
    found = checked(duration="1 h", energy="1 kWh", work=wrong)
    assert codes(found)["rate-mismatch"] == "contradiction"
    steps = [{"name": "time of an iteration", "value": 11.17, "unit": "s"}]
    iterations = {"quantity": "iterations", "value": 100}
    assert checked(duration="1117 s", energy="1 kWh", work=iterations, results=steps).consistent
    assert not checked(duration="1117 min", energy="1 kWh", work=iterations, results=steps).consistent


def test_two_energies_of_one_boundary() -> None:
    energy = {"boundary": "node_ac", "value": 10, "unit": "kWh", "method": "meter"}
    power = {"boundary": "node_ac", "average_power": "5 kW"}
    found = checked(duration="1 h", energy=energy, power=power)
    assert codes(found)["readings-differ"] == "contradiction"
    assert checked(duration="2 h", energy=energy, power=power).consistent


def test_a_run_without_energy_says_so() -> None:
    found = checked(duration="1 h", power={"scope": "device", "average_power": "5 kW"})
    assert "no-energy" in codes(found)
    assert not found.implied


def test_the_examples_are_consistent(examples: Path) -> None:
    for folder in sorted(examples.iterdir()):
        if (folder / "run.json").is_file():
            for run in read(folder / "run.json"):
                assert check_run(run, folder.name).consistent, folder.name
