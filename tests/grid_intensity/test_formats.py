"""Files and answers of the sources of grid intensity, and the fuels behind those of generation."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tco.errors import ReadError, TcoError
from tco.grid_intensity import Reading, read_series
from tco.grid_intensity.fuels import fuel_set, fuel_set_names, intensity_of, stated_factors
from tco.grid_intensity.series import stamp

DATA = Path(__file__).resolve().parents[1] / "data" / "grid"


def refusal(path: Path, reading: Reading | None = None) -> str:
    with pytest.raises(ReadError) as caught:
        read_series(path, reading)
    return str(caught.value)


def changed(tmp_path: Path, name: str, **changes: object) -> Path:
    data = json.loads((DATA / name).read_text(encoding="utf-8"))
    target = data.get("response", data)
    for key, value in changes.items():
        *outer, last = key.split("__")
        place = target
        for step in outer:
            place = place[int(step)] if step.isdecimal() else place[step]
        place[last] = value
    path = tmp_path / name
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def test_electricity_maps() -> None:
    series = read_series(DATA / "electricity-maps.json")
    assert series.value.tolist()[:2] == [20.0, 40.0]
    assert (series.missing_steps, series.missing_s, series.mean) == (1, 3600.0, 30.0)
    assert (series.about.region, series.about.basis, series.about.scope) == ("FR", "lifecycle", "consumption")
    assert series.about.notes == ("1 of 3 values are estimates of the source",)
    assert (stamp(series.begin), stamp(series.end)) == ("2030-07-04T11:00Z", "2030-07-04T14:00Z")
    assert "labels steps by their start" in refusal(DATA / "electricity-maps.json", Reading(labels="end"))


def test_electricity_maps_of_two_bases_and_errors(tmp_path: Path) -> None:
    mixed = changed(tmp_path, "electricity-maps.json", data__0__emissionFactorType="direct")
    assert "both direct and lifecycle" in refusal(mixed)
    path = tmp_path / "error.json"
    path.write_text('{"status": "error", "message": "Zone \\"XX\\" does not exist."}', encoding="utf-8")
    assert 'is an error of the service: Zone "XX" does not exist.' in refusal(path)


def test_neso_takes_no_forecast_for_a_value() -> None:
    series = read_series(DATA / "neso.json")
    assert (series.mean, series.missing_s) == (200.0, 1800.0)
    assert (series.about.basis, series.about.gas, series.about.kind) == ("direct", "CO2", "average")
    filled = read_series(DATA / "neso.json", Reading(forecast=True))
    assert (filled.mean, filled.missing_s) == (250.0, 0)
    assert filled.about.notes == ("1 of 2 values are forecasts",)


# 870 lb/MWh is 394.6 g/kWh, and a marginal rate.
def test_watttime(tmp_path: Path) -> None:
    series = read_series(DATA / "watttime.json")
    assert series.mean == pytest.approx(394.6, abs=0.05)
    assert (series.about.kind, series.about.gas, series.end - series.begin) == ("short_run_marginal", "CO2", 600.0)
    assert read_series(changed(tmp_path, "watttime.json", meta__signal_type="co2_aoer")).about.kind == "average"
    assert "'health_damage' is no carbon intensity" in refusal(
        changed(tmp_path, "watttime.json", meta__signal_type="health_damage")
    )
    assert "the unit 'kg' is not known" in refusal(changed(tmp_path, "watttime.json", meta__units="kg"))


def test_eia_labels_the_end_of_the_hour_and_null_is_missing(tmp_path: Path) -> None:
    series = read_series(DATA / "eia.json", Reading(fuels="ipcc-2014"))
    assert (stamp(series.begin), stamp(series.end)) == ("2030-10-31T10:00Z", "2030-10-31T13:00Z")
    assert series.value[0] == pytest.approx(0.6 * 490 + 0.4 * 45)
    assert series.value[1] == pytest.approx(45)
    assert np.isnan(series.value[2])
    assert "name the fuel factors to use" in refusal(DATA / "eia.json")
    assert "holds 6 of 9000 rows" in refusal(changed(tmp_path, "eia.json", total=9000))
    assert "ask for 'hourly', which is in UTC" in refusal(changed(tmp_path, "eia.json", frequency="local-hourly"))
    unknown = changed(tmp_path, "eia.json", data__0__fueltype="XYZ")
    assert "generation type 'XYZ' is not known" in refusal(unknown, Reading(fuels="ipcc-2014"))


def test_eco2mix() -> None:
    series = read_series(DATA / "eco2mix.json")
    assert (series.mean, stamp(series.begin), series.about.basis) == (30.0, "2030-10-01T00:00Z", "direct")


def test_eco2mix_of_a_day(shared: Path) -> None:
    series = read_series(shared / "samples" / "grid" / "fr_eco2mix_2023-10-01.json")
    assert (len(series), series.missing_s, series.end - series.begin) == (96, 0, 86400.0)
    assert stamp(series.begin) == "2023-10-01T00:00Z"


# A03 curves leave out what repeats; pumped storage net is -800, -900, 0 and emits nothing.
def test_entsoe(tmp_path: Path) -> None:
    series = read_series(DATA / "a75.xml", Reading(fuels="ipcc-2014"))
    expected = [(5 * 490 + 5 * 11) / 10, (5 * 490 + 15 * 11) / 20, 490]
    assert series.value.tolist() == pytest.approx(expected)
    assert (stamp(series.begin), stamp(series.end)) == ("2030-03-30T23:00Z", "2030-03-31T02:00Z")
    text = (DATA / "a75.xml").read_text(encoding="utf-8")
    for old, new, words in (
        ("A75", "A65", "is a document of type A65"),
        ("MAW", "KWT", "the unit is 'KWT', expected MAW"),
        ("PT60M", "P1D", "resolution 'P1D' is not known"),
        ("B19", "B99", "generation type 'B99' is not known"),
        ("<position>3</position>", "<position>4</position>", "position 4 is outside 1 to 3"),
        ("<type>", "<!DOCTYPE x><type>", "declares entities"),
        ("</GL_MarketDocument>", "", "not valid XML"),
    ):
        path = tmp_path / "a75.xml"
        path.write_text(text.replace(old, new), encoding="utf-8")
        assert words in refusal(path, Reading(fuels="ipcc-2014")), words


def test_the_sample_of_entsoe(shared: Path) -> None:
    series = read_series(shared / "samples" / "grid" / "entsoe_a75_made_up.xml", Reading(fuels="ipcc-2014"))
    assert series.value.tolist() == [490.0, 490.0, 490.0]  # gas 5000, 5000, 5200 MW and nothing else that generates


def test_answers_of_the_documentation(shared: Path, tmp_path: Path) -> None:
    answers = json.loads((shared / "samples" / "grid" / "api_examples_made_up.json").read_text(encoding="utf-8"))
    read = {}
    for name, answer in answers.items():
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(answer), encoding="utf-8")
        try:
            read[name] = read_series(path, Reading(fuels="ipcc-2014"))
        except ReadError as error:
            read[name] = str(error)
    assert read["electricitymaps_v3_carbon_intensity_latest"].mean == 302.0
    assert read["electricitymaps_v3_carbon_intensity_history"].mean == 19.5
    assert read["uk_carbon_intensity"].mean == 263.0
    assert read["watttime_v3_historical"].mean == pytest.approx(394.6, abs=0.05)
    assert read["eia_v2_hourly_fuel_type"].value.tolist()[1] == 490.0
    for name in ("electricitymaps_error", "ember_v1_carbon_intensity_yearly", "openelectricity_v4"):
        assert isinstance(read[name], str), name


@pytest.mark.parametrize("text", ['{"a": 1}', "[]", '{"data": []}', '{"data": [1]}', "{", '[{"datetime": 1}]'])
def test_json_of_no_known_form(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text, encoding="utf-8")
    found = refusal(path)
    assert "is JSON of no known form" in found or "not valid JSON" in found


@pytest.mark.parametrize(
    "name", ["electricity-maps.json", "neso.json", "watttime.json", "eia.json", "eco2mix.json", "a75.xml"]
)
def test_a_truncated_file_is_refused(tmp_path: Path, name: str) -> None:
    raw = (DATA / name).read_bytes()
    path = tmp_path / name
    path.write_bytes(raw[: len(raw) // 2])
    assert str(path) in refusal(path, Reading(fuels="ipcc-2014"))


# ---- fuels ----


def test_fuel_factors_as_published() -> None:
    assert fuel_set_names() == ["ipcc-2014", "ipcc-2014-direct", "unece-2020", "neso"]
    ipcc = fuel_set("ipcc-2014")
    values = [
        ipcc.factors[fuel] for fuel in ("coal", "gas", "nuclear", "hydro", "solar", "wind", "biomass", "geothermal")
    ]
    assert values == [820, 490, 12, 24, 45, 11, 230, 38]
    assert (fuel_set("neso").factors["coal"], fuel_set("neso").gas) == (937, "CO2")
    with pytest.raises(ReadError, match="did you mean 'ipcc-2014'"):
        fuel_set("ipcc-2015")


def test_a_set_of_fuel_factors_is_of_one_basis() -> None:
    from tco.grid_intensity.tables import rows

    for name in fuel_set_names():
        assert len({row[2] for row in rows("fuels", "factors.csv") if row[0] == name}) == 1, name


# Fuels without a factor were counted as zero elsewhere: 11 to 32 % of the generation of some zones.
def test_a_fuel_without_a_factor_is_an_error_that_says_how_much_it_is() -> None:
    mix = {"gas": np.array([60.0]), "waste": np.array([40.0])}
    with pytest.raises(ReadError, match=r"no factor for waste, 40 % of the generation: state it, for instance --fuel"):
        intensity_of(mix, fuel_set("ipcc-2014").factors)
    without = intensity_of(mix, fuel_set("ipcc-2014").factors, ["waste"])
    assert (without.value.tolist(), without.left_out) == ([490.0], pytest.approx(0.4))
    stated = intensity_of(mix, {**fuel_set("ipcc-2014").factors, **stated_factors(["waste=0.5 kg/kWh"])})
    assert stated.value.tolist() == [pytest.approx(0.6 * 490 + 0.4 * 500)]
    with pytest.raises(ReadError, match="write FUEL=VALUE"):
        stated_factors(["waste"])
    with pytest.raises(TcoError):
        stated_factors(["waste=500"])


def test_generation_that_is_negative_or_missing() -> None:
    mix = {
        "gas": np.array([100.0, np.nan, 100.0]),
        "solar": np.array([-5.0, 10.0, 0.0]),
        "storage": np.array([-50.0, 0, 50]),
    }
    found = intensity_of(mix, fuel_set("ipcc-2014").factors)
    assert found.value[0] == 490.0
    assert np.isnan(found.value[1])
    assert (found.value[2], found.clipped) == (490.0, 1)
    assert found.left_out == pytest.approx(1 - 200 / 260, abs=1e-9)
