"""Printed numbers, and files of claims."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tco.claims import Claim, check, read_claims
from tco.claims.arithmetic import formula
from tco.claims.files import is_claim_file
from tco.claims.stated import Stated
from tco.errors import RecordError, TcoError


@pytest.mark.parametrize(
    ("text", "value", "half", "as_result"),
    [
        ("12.9 t", 12.9, 0.05, 0.05),
        ("1.3e6 h", 1.3e6, 0.05e6, 0.05e6),
        ("429 g/kWh", 429, 0.5, 0.5),
        ("6400000 kg", 6.4e6, 0.5, 0.05e6),  # zeros of a whole result are no digits that one can rely on
        ("2040 t", 2040, 0.5, 5),
        ("400 t", 400, 0.5, 5),
        ("400. t", 400, 0.5, 0.5),
        ("0.0054 kg/h", 0.0054, 0.00005, 0.00005),
        (0.85, 0.85, 0.005, 0.005),
        (8, 8, 0.5, 0.5),
    ],
)
def test_what_the_last_digit_says(text: object, value: float, half: float, as_result: float) -> None:
    stated = Stated.model_validate(text)
    assert stated.value == pytest.approx(value)
    assert stated.half() == pytest.approx(half)
    assert stated.half(result=True) == pytest.approx(as_result)


def test_exact_numbers_and_ends() -> None:
    exact = Stated.model_validate({"value": "400", "unit": "W", "exact": True})
    assert exact.half() == 0
    low, high = exact.interval()
    assert low == pytest.approx(400, rel=2e-9)
    assert high > 400 > low
    scaled = Stated.model_validate("1.10").scaled(1000)
    assert (scaled.value, scaled.half(), scaled.text) == (pytest.approx(1100), pytest.approx(5), "1.10")


def test_one_claim_in_toml_json_and_a_table(tmp_path: Path) -> None:
    toml = tmp_path / "card.toml"
    toml.write_text(
        'title = "Card"\n[inputs]\ndevice_hours = "1.3e6 h"\ndevice_power = "700 W"\npue = "1.08"\n'
        'intensity = "414 g/kWh"\n[results]\n"carbon.operational" = "439 tCO2e"\n',
        encoding="utf-8",
    )
    data = {
        "schema": "tco.claim/1",
        "claims": [
            {
                "id": "card",
                "inputs": {
                    "device_hours": "1.3e6 h",
                    "device_power": {"value": 700, "unit": "W"},
                    "pue": "1.08",
                    "intensity": "414 g/kWh",
                },
                "results": {"carbon.operational": {"value": 439, "unit": "tCO2e"}},
            }
        ],
    }
    as_json = tmp_path / "card.json"
    as_json.write_text(json.dumps(data), encoding="utf-8")
    table = tmp_path / "card.csv"
    table.write_text(
        "id,device_hours [h],device_power [W],pue,intensity [g/kWh],carbon.operational [tCO2e],note\n"
        "card,1.3e6,700,1.08,414,439,\n\n,1.3e6 h,700,,414,376.7,without\n",
        encoding="utf-8",
    )
    found = []
    for path in (toml, as_json, table):
        assert is_claim_file(path)
        found.append(check(read_claims(path)[0])[0])
    assert {one.verdict for one in found} == {"not consistent"}
    assert {one.claim.id for one in found} == {"card"}
    assert {one.explanations[0].codes for one in found} == {("pue",)}
    assert {one.recomputed.value for one in found if one.recomputed} == {found[0].recomputed.value}  # type: ignore[union-attr]
    second = read_claims(table)[1]
    assert (second.id, second.note) == ("row-4", "without")
    assert check(second)[0].verdict == "consistent"


def test_what_is_no_claim(examples: Path, tmp_path: Path) -> None:
    assert not is_claim_file(examples / "8xh100-day" / "run.json")
    trace = tmp_path / "smi.csv"
    trace.write_text("timestamp, index, power.draw [W]\n2026/01/01 00:00:00.000, 0, 300.00 W\n", encoding="utf-8")
    assert not is_claim_file(trace)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('inputs = { device_hour = "1 h" }\nresults = { "energy.it" = "1 kWh" }', "did you mean 'device_hours'?"),
        (
            'inputs = { power = "5 KW" }\nresults = { "energy.it" = "1 kWh" }',
            "inputs.power.value: 'KW' has an unknown unit",
        ),
        ("inputs = { pue = true }\nresults = { sum = 1 }", "True is not a number"),
        ('inputs = { energy = "1,000 kWh" }\nresults = { "energy.it" = "1 kWh" }', "has a comma in its number"),
        ('inputs = { energy = "5 kWh" }\nresults = {}', "a claim has at least one result"),
        ('inputs = { energy = { unit = "kWh" } }\nresults = { "energy.it" = "1 kWh" }', "'energy' has no number"),
        ('inputs = { energy = ["5 kWh"] }\nresults = { "energy.it" = "1 kWh" }', "is one number, not a list"),
        ('inputs = { rows = ["5 t", "x"] }\nresults = { sum = "5 t" }', "inputs.rows.list[1]: 'x' is not a number"),
        ('output = { sum = "5 t" }', "'output' is not a field here"),
        (
            'inputs = { x = "1 h" }\nresults = { y = 1 }\nsteps = { y = { by = "sum", of = ["z"] } }',
            "needs 'z', which is no input and no earlier step",
        ),
        (
            'inputs = { x = "1 h" }\nresults = { z = 1 }\nsteps = { y = { by = "same", of = "x" } }',
            "results: 'z' is none of the steps",
        ),
        (
            'inputs = { x = "1 h" }\nresults = { y = 1 }\nsteps = { y = { by = "silicon.seeds", of = ["x"] } }',
            "'of' is a table: parameter = name",
        ),
    ],
)
def test_faults_of_a_file_name_the_place(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "card.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TcoError) as caught:
        read_claims(path)
    assert str(caught.value).startswith(str(path))
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("inputs", "results", "words"),
    [
        (
            {"energy": "5 kWh"},
            {"energy.facilty": "5 kWh"},
            "does not follow from these inputs; did you mean 'energy.facility'?",
        ),
        (
            {"energy": "5 kWh"},
            {"energy.it": "5 t"},
            "'energy.it' is an energy, in 'kWh'; it is stated in 't', which is a mass",
        ),
        ({"energy": "5 kWh", "pue": 0.5}, {"energy.it": "5 kWh"}, "pue: 0.5 must be at least 1"),
        ({"energy": "5 kW"}, {"energy.it": "5 kWh"}, "'5 kW' is a power, not an energy"),
        ({"rows": ["5 t", "6 kWh"]}, {"sum": "11 t"}, "cannot add rows[0] (a mass, in 't') and rows[1]"),
        ({"device_hours": "0 h", "device_power": "5 W"}, {"energy.it": "5 kWh"}, "device_hours cannot be 0"),
    ],
)
def test_claims_that_cannot_be(inputs: dict[str, object], results: dict[str, str], words: str) -> None:
    with pytest.raises(TcoError) as caught:
        check(Claim.model_validate({"id": "card", "inputs": inputs, "results": results}))
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("inputs", "step", "words"),
    [
        (
            {"a": "1 h", "b": "0 h"},
            {"by": "quotient", "of": ["a", "b"]},
            "'quotient' has no value for a = '1 h', b = '0 h'",
        ),
        ({"a": "1 h"}, {"by": "quotient", "of": ["a"]}, "'quotient' takes 2; found 1"),
        (
            {"a": "1 h", "b": "1 kg"},
            {"by": "sum", "of": ["a", "b"]},
            "cannot add a (a time, in 'h') and b (a mass, in 'kg')",
        ),
        (
            {"a": "-1 cm2", "b": "300 mm"},
            {"by": "silicon.dies_classic", "of": {"area": "a", "diameter": "b"}},
            "'silicon.dies_classic' has no value for a = '-1 cm**2', b = '300 mm'",
        ),
        ({"a": "1 kWh"}, {"by": "energy.facility_energy", "of": {"it_energy": "a"}}, "needs pue too"),
        (
            {"a": "1 kWh", "b": 1.2},
            {"by": "energy.facility_energy", "of": {"it_energy": "a", "pu": "b"}},
            "no parameter 'pu'; did you mean 'pue'?",
        ),
    ],
)
def test_steps_that_cannot_be(inputs: dict[str, object], step: dict[str, object], words: str) -> None:
    claim = {"id": "card", "inputs": inputs, "results": {"y": 1}, "steps": {"y": step}}
    with pytest.raises(TcoError) as caught:
        check(Claim.model_validate(claim))
    assert str(caught.value).startswith("card: steps.y: ")
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("inputs", "results", "words"),
    [
        ({"energy": "5 kWh"}, {"carbon.operational": "5 kg"}, "the grid factor, 'intensity', is not stated"),
        ({"intensity": "5 g/kWh"}, {"carbon.operational": "5 kg"}, "needs an energy, or a power"),
        ({"device_power": "700 W"}, {"energy.it": "5 kWh"}, "'duration'"),
        ({"energy": "5 kWh", "intensity": "338 kg/kWh"}, {"carbon.operational": "5 t"}, "no grid is above about 2,000"),
        ({"device_hours": "5 h"}, {"carbon.embodied": "5 kg"}, "no embodied carbon is stated (node_embodied"),
        (
            {"device_hours": "5 h", "device_embodied": "150 kg"},
            {"carbon.embodied": "5 kg"},
            "it rests on system.lifetime, which the claim does not state",
        ),
        ({"devices": 8, "duration": "5 h"}, {"cost.rental.total": "5 USD"}, "the price of renting is not stated"),
        ({}, {"energy.it": "5 kWh"}, "no inputs are stated"),
    ],
)
def test_what_is_missing_makes_it_undecidable(inputs: dict[str, object], results: dict[str, str], words: str) -> None:
    [found] = check(Claim.model_validate({"inputs": inputs, "results": results}))
    assert found.verdict == "not decidable"
    assert words in (found.reason or "")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("silicon.dies", "'silicon.dies' is no formula (silicon has: "),
        ("silicone.seeds", "is no formula; did you mean 'silicon.'? (known: sum, product"),
        ("silicon.murphey", "did you mean 'murphy'"),
        ("silicon._root", "is no formula"),
        ("os.system", "is no formula"),
    ],
)
def test_only_public_formulas_can_be_named(name: str, words: str) -> None:
    with pytest.raises(RecordError) as caught:
        formula(name)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            "id,device_hour [h],energy.it [kWh]\na,1,2\n",
            ":1: column 'device_hour' is not known; did you mean 'device_hours'?",
        ),
        ("id,energy [kWh],energy.it [kWh]\na,1\n", ":2: 2 fields, 3 expected"),
        ("id,energy [kWh],energy.it [kWh]\na,x,2\n", ":2: inputs.energy.value: 'x' is not a number"),
        ("id,energy [kWh],energy.it [kWh]\n", "has no rows"),
    ],
)
def test_faults_of_a_table_name_the_line(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "claims.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(TcoError) as caught:
        read_claims(path)
    assert f"{path}{words}" in str(caught.value) or words in str(caught.value)


def test_units_of_emissions_given_as_mass() -> None:
    inputs = {"energy": "1287 MWh", "intensity": "0.429 kg/kWh"}
    for printed in ("552.1 t", "552.1 tCO2e", "1217 klb", "552123 kg CO2e"):
        [found] = check(Claim.model_validate({"inputs": inputs, "results": {"carbon.operational": printed}}))
        assert found.verdict == "consistent", printed
