"""Grid and site in an estimate: which factor, of which time, by which contracts, on which site."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tco
from tco.errors import EstimateError, ReadError, RecordError, RegionError, TcoError
from tco.estimation.choice import GridChoice
from tco.grid_intensity import Reading, Series, read_series
from tco.grid_intensity.series import SeriesAbout

DATA = Path(__file__).resolve().parents[1] / "data" / "grid"
PLAIN: dict[str, object] = {"site.pue": 1}


def run_of(**fields: Any) -> tco.Run:
    return tco.Run.model_validate({"name": "case", **fields})


def kilowatt(hours: float = 4, start: str = "2030-01-01T00:00Z", **fields: Any) -> tco.Run:
    power = {"average_power": "1 kW", "boundary": "node_ac"}
    return run_of(start=start, duration=f"{hours} h", power=power, **fields)


def site_of(**fields: Any) -> tco.Site:
    return tco.Site.model_validate({"pue": 1, **fields})


def codes(estimate: tco.Estimate) -> set[str]:
    return {warning.code for warning in estimate.warnings}


def said(estimate: tco.Estimate, code: str) -> str:
    return next(warning.message for warning in estimate.warnings if warning.code == code)


def message(*arguments: Any, **keywords: Any) -> str:
    with pytest.raises(TcoError) as caught:
        tco.estimate(*arguments, **keywords)
    return str(caught.value)


# ---- units and magnitudes ----


@pytest.mark.parametrize(
    ("energy", "intensity", "kilograms"),
    [
        ("250 Wh", "400 g/kWh", 0.100),  # A05
        ("10.153711771428572 Wh", "0.098 kg/kWh", 0.000995064),  # A06: 10.15 W for 1 h
        ("1 kWh", "911 lb/MWh", 0.41322),  # A07
        ("1 kWh", "413.22 kg/MWh", 0.41322),  # its twin
    ],
)
def test_units_of_an_intensity(energy: str, intensity: str, kilograms: float) -> None:
    estimate = tco.estimate(run_of(energy=energy), set={**PLAIN, "grid.intensity": intensity})
    assert estimate.value("carbon.operational", "kgCO2e") == pytest.approx(
        kilograms, rel=2e-6 if kilograms < 0.2 else 2e-5
    )


def test_no_grid_emits_338_kilograms() -> None:  # A08
    found = message(run_of(energy="1 kWh"), set={**PLAIN, "grid.intensity": "338 kg/kWh"})
    assert "did you give kg/kWh where g/kWh was meant?" in found


# ---- factors by year ----


@pytest.mark.parametrize(
    ("region", "year", "factor"),
    [("eu", 2024, 211.20), ("de", 2024, 336.38), ("fr", 2024, 40.48), ("us", 2024, 383.78), ("world", 2025, 458.29)],
)
def test_the_factor_of_a_place_and_a_year(region: str, year: int, factor: float) -> None:
    estimate = tco.estimate(run_of(energy="1 MWh"), region=region, year=year, set=PLAIN)
    assert estimate.value("carbon.operational", "kgCO2e") == pytest.approx(factor, rel=1e-12)
    data = estimate.to_dict()
    assert data["inputs"]["grid.intensity"]["data_year"] == year
    assert data["data"][0]["name"] == "ember-yearly"


def test_another_data_set_is_named_in_the_result() -> None:
    estimate = tco.estimate(run_of(energy="1 MWh"), region="de", set=PLAIN, grid=GridChoice("eea"))
    line = estimate["carbon.operational"]
    assert (line.value, line.facts["basis"], line.facts["scope"]) == (pytest.approx(329.0), "direct", 2)
    assert [data["name"] for data in estimate.to_dict()["data"]] == ["eea"]
    uba = tco.estimate(run_of(energy="1 MWh"), region="de", year=2023, set=PLAIN, grid=GridChoice("uba"))
    assert (uba["carbon.operational"].value, uba.inputs["grid.intensity"].facts["gas"]) == (pytest.approx(386.0), "CO2")


def test_a_file_of_the_user_is_named_in_the_result() -> None:
    estimate = tco.estimate(run_of(energy="1 MWh"), region="us-east-1", set=PLAIN, grid=GridChoice(DATA / "zones.csv"))
    assert estimate["carbon.operational"].value == pytest.approx(400.0)
    data = estimate.to_dict()
    assert (data["data"][0]["name"], data["data"][0]["licence"]) == ("zones.csv", "CC0")
    assert data["inputs"]["grid.intensity"]["stands_for"] == "aws:us-east-1"


def test_no_fall_back_unless_asked_for_and_then_it_is_in_the_result() -> None:
    run = run_of(energy="1 MWh")
    assert "its grid is DE (Germany): use --region DE" in message(run, region="aws:eu-central-1", set=PLAIN)
    world = tco.estimate(run, region="aws:eu-central-1", set=PLAIN, grid=GridChoice(fallback="world"))
    assert world["carbon.operational"].value == pytest.approx(458.29)
    assert said(world, "fallback") == "World stands for aws:eu-central-1, as --fallback world asks"
    facts = world.to_dict()["inputs"]["grid.intensity"]
    assert (facts["fallback"], facts["stands_for"], facts["region"]) == ("world", "aws:eu-central-1", "WORLD")
    with pytest.raises(RegionError, match="region 'ZZZ' is not known"):  # A48
        tco.estimate(run, region="ZZZ", grid=GridChoice(fallback="world"))


@pytest.mark.parametrize("region", ["UK", "GB", "gbr", "United Kingdom"])  # A48
def test_the_united_kingdom_has_one_factor(region: str) -> None:
    estimate = tco.estimate(run_of(energy="1 MWh"), region=region, set=PLAIN)
    assert estimate["carbon.operational"].value == pytest.approx(217.41)


# Elsewhere France got 424 g, and every place the 294 g of Europe in 2017.
def test_places_have_values_of_their_own() -> None:
    values = {
        region: tco.estimate(run_of(energy="1 MWh"), region=region, set=PLAIN)["carbon.operational"].value
        for region in ("fr", "us", "se", "pl", "xk", "eu", "world")
    }
    assert len({round(value, 2) for value in values.values()}) == 7
    assert values["fr"] == pytest.approx(41.44)


# ---- trends ----


@pytest.mark.parametrize(
    ("trend", "expected"),
    [
        ("constant", 209.90),
        ("-10 %/a", 209.90 * 0.9**3),
        ("+2% per year", 209.90 * 1.02**3),
        ("measured:2020-2025", 209.90 * (209.90 / 261.18) ** (3 / 5)),
    ],
)
def test_a_trend_to_the_year_of_the_run(trend: str, expected: float) -> None:
    estimate = tco.estimate(
        run_of(energy="1 MWh"), region="eu", year=2028, set=PLAIN, grid=GridChoice(trajectory=trend)
    )
    assert estimate["carbon.operational"].value == pytest.approx(expected, rel=1e-9)
    assert estimate["grid.intensity.projected"].value == pytest.approx(expected, rel=1e-9)
    assert "2028: " in said(estimate, "trajectory")
    assert "data-year" not in codes(estimate)
    assert estimate.to_dict()["inputs"]["grid.trend"]["by_year"]["2028"] == pytest.approx(expected, abs=1e-4)


def test_a_trend_over_the_life_of_the_hardware() -> None:
    run = run_of(energy="1 MWh", duration="3 year", start="2025-01-01T00:00Z")
    estimate = tco.estimate(run, region="eu", set=PLAIN, grid=GridChoice(trajectory="-10 %/a"))
    assert estimate["carbon.operational"].value == pytest.approx(209.90 * (1 + 0.9 + 0.81) / 3, rel=1e-12)


# facts/grid/trajectories.csv, rows computed from the release of April 2026.
@pytest.mark.parametrize(
    ("region", "percent"), [("EU27", -4.94), ("DE", -4.15), ("WORLD", -1.51), ("US", -2.69), ("TW", -0.27)]
)
def test_measured_trends_as_published(region: str, percent: float) -> None:
    estimate = tco.estimate(
        run_of(energy="1 MWh"), region=region, set=PLAIN, grid=GridChoice(trajectory="measured:2015-2025")
    )
    assert f"{percent:+.2f} % a year, measured from 2015 to 2025" in said(estimate, "trajectory")


def test_a_table_of_years(tmp_path: Path) -> None:
    path = tmp_path / "trend.csv"
    path.write_text("year,gco2e_per_kwh\n2025,200\n2030,100\n", encoding="utf-8")
    for year, value in ((2024, 200), (2027, 160), (2035, 100)):
        estimate = tco.estimate(
            run_of(energy="1 MWh"), region="eu", year=year, set=PLAIN, grid=GridChoice(trajectory=str(path))
        )
        assert estimate["carbon.operational"].value == pytest.approx(value, rel=1e-12)
    path.write_text("year,value\n2025,200\n", encoding="utf-8")
    assert ":2: needs the columns year and gco2e_per_kwh" in message(
        run_of(energy="1 MWh"), region="eu", grid=GridChoice(trajectory=str(path))
    )


def test_a_trend_is_of_the_basis_of_its_factor() -> None:
    run = run_of(energy="1 MWh")
    assert "of direct factors, and the factor is lifecycle" in message(
        run, region="world", grid=GridChoice(trajectory="iea-2025")
    )
    estimate = tco.estimate(run, region="world", year=2027, set=PLAIN, grid=GridChoice("iea", trajectory="iea-2025"))
    assert estimate["carbon.operational"].value == pytest.approx(400, abs=2)  # IEA: 445 in 2024, 400 in 2027
    assert "did you mean 'measured'" in message(run, region="eu", grid=GridChoice(trajectory="mesured"))


# ---- intensity by time ----


def test_hours_are_matched_with_the_run() -> None:
    estimate = tco.estimate(kilowatt(2), set=PLAIN, region="de", grid=GridChoice(intensity=DATA / "series.csv"))
    assert estimate["carbon.operational"].value == pytest.approx(0.6, rel=1e-12)  # A29: 100 and 500 g/kWh
    node = estimate.inputs["grid.intensity"]
    assert node.value == pytest.approx(300.0, rel=1e-12)
    assert "2030-01-01T00:00Z to 2030-01-01T02:00Z" in node.label
    assert node.given is not None
    assert not node.given.assumed
    data = estimate.to_dict()["data"][0]
    assert data["name"] == "series.csv"
    assert len(data["sha256"]) == 64


def test_a_leap_year_with_one_hour_missing(tmp_path: Path) -> None:  # A26
    start = np.arange(8784) * 3600.0 + 1_704_063_600.0  # 2024-01-01T00:00+01:00
    keep = np.arange(8784) != 77
    series = Series(start[keep], start[keep] + 3600, np.full(8783, 100.0), SeriesAbout("made up"))
    run = run_of(
        power={"average_power": "1 kW", "boundary": "node_ac"},
        start="2024-01-01T00:00+01:00",
        end="2025-01-01T00:00+01:00",
    )
    estimate = tco.estimate(run, set=PLAIN, grid=GridChoice(intensity=series))
    assert estimate.value("energy.it", "kWh") == pytest.approx(8784, rel=1e-12)
    assert said(estimate, "intensity-gaps").startswith("1 h of 8784 h have no grid intensity")
    assert estimate["carbon.operational"].value == pytest.approx(878.4, rel=1e-12)


def test_the_night_of_autumn(tmp_path: Path) -> None:  # A25
    path = tmp_path / "ci.csv"
    path.write_text(
        "datetime,g_per_kWh\n2025-10-26T01:00+02:00,100\n2025-10-26T02:00+02:00,200\n2025-10-26T02:00+01:00,400\n"
        "2025-10-26T03:00+01:00,100\n",
        encoding="utf-8",
    )
    run = run_of(
        power={"average_power": "1 kW", "boundary": "node_ac"},
        start="2025-10-26T01:00+02:00",
        end="2025-10-26T04:00+01:00",
    )
    estimate = tco.estimate(run, set=PLAIN, grid=GridChoice(intensity=path))
    assert estimate.value("energy.it", "kWh") == pytest.approx(4, rel=1e-12)
    assert estimate["carbon.operational"].value == pytest.approx(0.8, rel=1e-12)


def test_hours_labelled_by_their_end(tmp_path: Path) -> None:  # A27
    path = tmp_path / "ci.csv"
    path.write_text("date,hour,g_per_kWh\n2026-01-01,1,100\n2026-01-01,2,500\n", encoding="utf-8")
    run = kilowatt(1, "2026-01-01T00:00+01:00")
    reading = Reading(zone="Europe/Berlin", labels="end")
    estimate = tco.estimate(run, set=PLAIN, grid=GridChoice(intensity=path, reading=reading))
    assert estimate["carbon.operational"].value == pytest.approx(0.1, rel=1e-12)
    assert "neither an hour 0 nor an hour 24" in message(
        run, set=PLAIN, grid=GridChoice(intensity=path, reading=Reading(zone="Europe/Berlin"))
    )


def trace_run(tmp_path: Path, content: str, **reading: Any) -> Path:
    (tmp_path / "power.csv").write_text(content, encoding="utf-8")
    record = {
        "name": "traced",
        "start": "2030-01-01T00:00:00Z",
        "duration": "2 h",
        "power": {"boundary": "node_ac", "trace": "power.csv", "method": "sensor", **reading},
        "energy": {"value": 4, "unit": "kWh", "boundary": "node_ac"},
    }
    (tmp_path / "run.json").write_text(json.dumps(record), encoding="utf-8")
    return tmp_path / "run.json"


def test_a_trace_is_weighted_by_its_energy(tmp_path: Path) -> None:
    path = trace_run(tmp_path, "t_s,node_power_w\n0,1000\n3600,1000\n3600,3000\n7200,3000\n")
    run = tco.Run.model_validate(json.loads(path.read_text(encoding="utf-8")))
    case = run.model_copy(update={"name": str(path)})  # a record is looked for beside its name
    estimate = tco.estimate(case, set=PLAIN, grid=GridChoice(intensity=DATA / "series.csv"))
    assert estimate.inputs["grid.intensity"].value == pytest.approx((100 + 3 * 500) / 4, rel=1e-12)
    assert estimate.inputs["grid.intensity"].facts["matched_with"] == "power trace"
    assert "mean-power" not in codes(estimate)


def test_devices_in_rows_add_up(tmp_path: Path) -> None:
    rows = "".join(
        f"2030-01-01T0{hour}:00:00Z, {gpu}, {watts} W\n"
        for hour, gpu, watts in ((0, 0, 500), (0, 1, 500), (1, 0, 500), (1, 1, 500), (2, 0, 500), (2, 1, "[N/A]"))
    )
    path = trace_run(tmp_path, f"timestamp, index, power.draw [W]\n{rows}")
    run = tco.Run.model_validate(json.loads(path.read_text(encoding="utf-8"))).model_copy(update={"name": str(path)})
    estimate = tco.estimate(run, set=PLAIN, grid=GridChoice(intensity=DATA / "series.csv"))
    # one device for two hours at 500 W, the other for the first hour and none after its last valid sample
    assert estimate.inputs["grid.intensity"].value == pytest.approx((1.0 * 100 + 0.5 * 500) / 1.5, rel=1e-12)


def test_a_trace_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    path = trace_run(tmp_path, "a,b\n1,2\n")
    run = tco.Run.model_validate(json.loads(path.read_text(encoding="utf-8"))).model_copy(update={"name": str(path)})
    estimate = tco.estimate(run, set=PLAIN, grid=GridChoice(intensity=DATA / "series.csv"))
    assert "no column holds a time" in said(estimate, "mean-power")
    assert estimate.inputs["grid.intensity"].value == pytest.approx(300.0, rel=1e-12)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"start": None}, "'start' is missing, so it is not known which hours the run met"),
        ({"start": "2030-01-01T00:00:00"}, "'start' has neither an offset nor a zone"),
        ({"start": "2030-01-01T03:00:00Z"}, "covers 2030-01-01T00:00Z to 2030-01-01T04:00Z, and the run is from"),
    ],
)
def test_a_run_whose_hours_are_not_known(fields: dict[str, Any], words: str) -> None:
    run = run_of(**{"duration": "2 h", "energy": "1 kWh", **fields})
    assert words in message(run, set=PLAIN, grid=GridChoice(intensity=DATA / "series.csv"))


def test_a_marginal_rate_is_no_footprint() -> None:
    run = kilowatt(0.1, "2030-07-15T00:00Z")
    assert "is a marginal intensity (short_run_marginal)" in message(
        run, set=PLAIN, grid=GridChoice(intensity=DATA / "watttime.json")
    )


def test_kilograms_for_grams_in_a_series_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "ci.csv"
    path.write_text("start_utc,g_per_kwh\n2030-01-01T00:00Z,338000\n2030-01-01T05:00Z,338000\n", encoding="utf-8")
    assert "did you give kg/kWh where g/kWh was meant?" in message(
        kilowatt(), set=PLAIN, grid=GridChoice(intensity=path)
    )


def test_choices_that_contradict_are_refused() -> None:
    given = {**PLAIN, "grid.intensity": "100 g/kWh"}
    assert "--intensity is given as well" in message(
        kilowatt(), set=given, grid=GridChoice(intensity=DATA / "series.csv")
    )
    assert "--trajectory is given as well" in message(kilowatt(), set=given, grid=GridChoice(trajectory="constant"))
    both = GridChoice(intensity=DATA / "series.csv", trajectory="constant")
    assert "has its own course" in message(kilowatt(), set=PLAIN, grid=both)


def test_a_series_of_another_place_is_said() -> None:
    run = kilowatt(0.5, "2030-07-04T11:00Z")
    choice = GridChoice(intensity=DATA / "electricity-maps.json")
    other = tco.estimate(run, region="de", set=PLAIN, grid=choice)
    assert said(other, "intensity-place") == "the series is of FR (France), and the run is in DE (Germany)"
    assert "intensity-place" not in codes(tco.estimate(run, region="eu-west-3", set=PLAIN, grid=choice))
    assert "intensity-place" not in codes(tco.estimate(run, region="eu", set=PLAIN, grid=choice))


def test_months_are_matched_with_the_run() -> None:
    january, february = (
        tco.estimate(kilowatt(24, start), region="de", set=PLAIN, grid=GridChoice("ember-monthly"))
        for start in ("2024-01-10T00:00Z", "2024-02-10T00:00Z")
    )
    across = tco.estimate(kilowatt(24, "2024-01-31T12:00Z"), region="de", set=PLAIN, grid=GridChoice("ember-monthly"))
    values = [estimate["carbon.operational"].value for estimate in (january, february, across)]
    assert values[2] == pytest.approx((values[0] + values[1]) / 2, rel=1e-12)
    assert [data["name"] for data in january.to_dict()["data"]] == ["ember-monthly"]
    assert "covers" in message(kilowatt(24, "2026-01-10T00:00Z"), region="de", grid=GridChoice("ember-monthly"))
    assert "no factors for MC (Monaco) in ember-monthly" in message(
        kilowatt(24, "2024-01-10T00:00Z"), region="Monaco", grid=GridChoice("ember-monthly")
    )


def test_a_year_of_california(shared: Path) -> None:
    run = run_of(energy="8760 kWh", start="2023-01-01T00:00Z", end="2024-01-01T00:00Z")
    path = shared / "samples" / "grid" / "em_us_cal_ciso_2023_hourly_utc.csv"
    for basis, mean in (("direct", 193.46), ("lifecycle", 261.16)):
        choice = GridChoice(intensity=path, reading=Reading(basis=basis))
        estimate = tco.estimate(run, region="US-CAL-CISO", set=PLAIN, grid=choice)
        assert estimate.value("carbon.operational", "kgCO2e") == pytest.approx(8.760 * mean, abs=8.760 * 0.005)
        assert estimate["carbon.operational"].facts["basis"] == basis
        assert estimate["carbon.operational"].facts["scope"] == (2 if basis == "direct" else "2+3")


# ---- by contracts ----

WIND = {"name": "wind", "kind": "ppa", "intensity": "0 g/kWh", "share": 0.4, "carbon_free": True}


def test_contracts_and_a_residual_factor() -> None:
    site = site_of(contracts=[WIND], residual="500 g/kWh")
    estimate = tco.estimate(run_of(energy="1 MWh"), region="de", site=site)
    assert estimate["carbon.market"].value == pytest.approx(300.0, rel=1e-12)
    assert estimate["carbon.market"].facts["method"] == "market-based"
    assert sum(estimate[part].value for part in estimate["carbon.market"].parts) == estimate["carbon.market"].value
    assert estimate["carbon.operational"].value == pytest.approx(329.65)  # location-based stands beside it
    assert estimate["carbon.operational"].facts["method"] == "location-based"
    assert estimate["energy.carbon_free_annual"].value == pytest.approx(0.4)
    assert {missing.line for missing in estimate.missing} >= {"energy.carbon_free_hourly"}


def test_a_missing_residual_factor_is_an_error_and_never_the_grid_average() -> None:
    found = message(run_of(energy="1 MWh"), region="de", site=site_of(contracts=[WIND]))
    assert "cover 40 % of the energy, and no residual factor is given for the rest" in found
    assert "The grid average is not taken" in found
    whole = site_of(contracts=[{**WIND, "share": 1}])
    assert tco.estimate(run_of(energy="1 MWh"), region="de", site=whole)["carbon.market"].value == 0
    only = tco.estimate(run_of(energy="1 MWh"), region="de", site=site_of(residual="700 g/kWh"))
    assert only["carbon.market"].value == pytest.approx(700.0)
    stated = tco.estimate(
        run_of(energy="1 MWh"), region="de", site=site_of(contracts=[WIND]), set={"grid.residual": "600 g/kWh"}
    )
    assert stated["carbon.market"].value == pytest.approx(360.0)


def test_contracts_cannot_cover_more_than_everything() -> None:
    site = site_of(contracts=[{**WIND, "share": 0.7}, {**WIND, "name": "sun", "share": 0.5}], residual="500 g/kWh")
    assert "cover 120 % of the energy of the run" in message(run_of(energy="1 MWh"), region="de", site=site)
    energy = site_of(contracts=[{**WIND, "share": None, "energy": "250 kWh"}], residual="500 g/kWh")
    assert tco.estimate(run_of(energy="1 MWh"), region="de", site=energy)["carbon.market"].value == pytest.approx(375.0)


# 1 kW for four hours against 2, 1, 0 and 3 kW: hours 1, 2 and 4 are covered, and no hour by more than its load.
def test_hourly_matching_caps_every_hour(tmp_path: Path) -> None:
    shutil.copy(DATA / "supply.csv", tmp_path / "supply.csv")
    contract = {"name": "wind", "kind": "ppa", "matching": "hourly", "intensity": "0 g/kWh", "supply": "supply.csv",
                "carbon_free": True}  # fmt: skip
    path = tmp_path / "site.json"
    path.write_text(json.dumps({"pue": 1, "residual": "400 g/kWh", "contracts": [contract]}), encoding="utf-8")
    estimate = tco.estimate(kilowatt(), region="de", site=path)
    assert estimate["energy.carbon_free_hourly"].value == pytest.approx(0.75, rel=1e-12)
    assert estimate["energy.carbon_free_annual"].value == 1.0
    assert estimate["carbon.market"].value == pytest.approx(4 * 0.25 * 0.4, rel=1e-12)
    longer = message(kilowatt(5), region="de", site=path)
    assert "its supply does not hold the whole time of the run" in longer
    (tmp_path / "supply.csv").unlink()
    assert "contract 'wind': there is no file" in message(kilowatt(), region="de", site=path)


def test_two_hourly_contracts_share_one_load(tmp_path: Path) -> None:
    shutil.copy(DATA / "supply.csv", tmp_path / "supply.csv")
    one = {"kind": "ppa", "matching": "hourly", "intensity": "0 g/kWh", "supply": "supply.csv", "carbon_free": True}
    path = tmp_path / "site.json"
    contracts = [{"name": "first", **one}, {"name": "second", **one}]
    path.write_text(json.dumps({"pue": 2, "residual": "400 g/kWh", "contracts": contracts}), encoding="utf-8")
    estimate = tco.estimate(kilowatt(), region="de", site=path)  # 2 kW at the meter
    shares = [estimate.value(f"contract.{name}.share", "1") for name in ("first", "second")]
    assert shares == pytest.approx([(2 + 1 + 0 + 2) / 8, (0 + 1 + 0 + 0) / 8], rel=1e-12)


def test_offsets_lower_nothing() -> None:
    run = run_of(energy="1 MWh")
    plain = tco.estimate(run, region="de", site=site_of())
    offset = tco.estimate(run, region="de", site=site_of(offsets="1 t"))
    assert offset["carbon.offsets"].value == 1000
    assert offset["carbon.operational"].value == plain["carbon.operational"].value
    assert all("carbon.offsets" not in line.parts for line in offset.lines.values())


@pytest.mark.parametrize(
    ("contract", "words"),
    [
        ({**WIND, "energy": "1 kWh"}, "give one of 'share', 'energy' and 'supply'"),
        ({**WIND, "matching": "hourly"}, "hourly matching goes with a 'supply' file"),
        ({**WIND, "share": 40}, "did you mean 0.4?"),
        ({**WIND, "kind": "offset"}, "Input should be"),
        ({**WIND, "name": "Wind Farm"}, "name"),
    ],
)
def test_contracts_that_do_not_hold_together(contract: dict[str, Any], words: str, tmp_path: Path) -> None:
    path = tmp_path / "site.json"
    path.write_text(json.dumps({"contracts": [contract]}), encoding="utf-8")
    with pytest.raises(RecordError) as caught:
        tco.estimate(run_of(energy="1 kWh"), region="de", site=path)
    assert words.casefold() in str(caught.value).casefold()


# ---- sites ----


def pue_of(region: str, sites: Path, **choice: Any) -> tco.Estimate:
    return tco.estimate(
        kilowatt(start="2030-01-01T00:00Z"), region=region, grid=GridChoice(fallback="parent", sites=sites), **choice
    )


def test_pue_by_provider_and_region_then_by_country_then_the_survey() -> None:
    frankfurt = pue_of("aws:eu-central-1", DATA / "sites.csv")
    node = frankfurt.inputs["site.pue"]
    assert (node.value, node.facts["data_year"], node.facts["region"]) == (1.36, 2024, "aws:eu-central-1")
    assert node.given is not None
    assert (node.given.assumed, node.given.source.year) == (True, 2024)  # type: ignore[union-attr]
    assert frankfurt["water.site"].value == pytest.approx(4 * 0.02)
    assert "sites.csv" in {data["name"] for data in frankfurt.to_dict()["data"]}
    earlier = tco.estimate(
        kilowatt(start="2023-01-01T00:00Z"), region="aws:eu-central-1",
        grid=GridChoice(fallback="parent", sites=DATA / "sites.csv"),
    )  # fmt: skip
    assert earlier.inputs["site.pue"].value == 1.32
    dublin = pue_of("azure:northeurope", DATA / "sites.csv")  # the country: a row from memory is none
    assert (dublin.inputs["site.pue"].value, dublin.inputs["site.pue"].facts["region"]) == (1.40, "IE")
    assert pue_of("aws:eu-west-1", DATA / "sites.csv").inputs["site.pue"].value == 1.40
    finland = pue_of("fi", DATA / "sites.csv")  # a row of a provider without a region is no country
    assert finland.inputs["site.pue"].value == 1.54


def test_frankfurt_is_not_the_fleet(shared: Path) -> None:
    sites = shared / "facts" / "costs" / "pue_wue.csv"
    frankfurt = pue_of("aws:eu-central-1", sites)
    assert (frankfurt.inputs["site.pue"].value, frankfurt.inputs["site.wue"].value) == (1.35, 0.01)
    old = tco.estimate(
        kilowatt(start="2023-06-01T00:00Z"), region="aws:eu-central-1", grid=GridChoice(fallback="parent", sites=sites)
    )
    assert old.inputs["site.pue"].value == 1.33
    assert "provider-wide average" in old.inputs["site.wue"].given.note  # type: ignore[union-attr]


def test_without_a_table_the_survey_is_taken_and_the_fleet_is_a_hint() -> None:
    estimate = tco.estimate(kilowatt(), region="aws:eu-central-1", grid=GridChoice(fallback="parent"))
    assert estimate.inputs["site.pue"].value == 1.54
    assert "AWS states 1.14 for all its sites together in 2025" in said(estimate, "pue-survey-mean")
    assert "pue-survey-mean" not in codes(tco.estimate(kilowatt(), region="de"))


def test_what_is_stated_wins_over_a_table() -> None:
    estimate = pue_of("aws:eu-central-1", DATA / "sites.csv", set={"site.pue": 1.1})
    assert estimate.inputs["site.pue"].value == 1.1
    stated = pue_of("aws:eu-central-1", DATA / "sites.csv", site=site_of(pue=1.2, wue="1 L/kWh"))
    assert (stated.inputs["site.pue"].value, stated.inputs["site.wue"].value) == (1.2, 1.0)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("year,provider,region_code,pue\n2024,AWS,x,0.9\n", ":2: a PUE of 0.9 is below 1"),
        (
            "year,provider,region_code,pue\n2024,AWS,x,1.1\n2024,AWS,x,1.2\n",
            ":3: aws:x has a row for 2024 already, in line 2",
        ),
        ("year,provider,region_code,pue\nsoon,AWS,x,1.1\n", ":2: column 'year': 'soon' is not a year"),
        ("provider,pue\nAWS,1.1\n", ":1: needs the columns year"),
    ],
)
def test_a_table_of_sites_that_is_wrong(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "sites.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ReadError) as caught:
        pue_of("aws:eu-central-1", path)
    assert words in str(caught.value)


# White Paper 113, Table 2: the note of the facts gives the efficiency of the UPS from its three coefficients.
@pytest.mark.parametrize(("load", "efficiency"), [(0.1, 0.690), (0.2, 0.800), (0.3, 0.845), (0.5, 0.885), (1.0, 0.917)])
def test_the_pue_of_a_plant_below_its_rating(load: float, efficiency: float) -> None:
    ups = {"no_load": 0.04, "proportional": 0.05, "square_law": 0}
    site = tco.Site.model_validate({"pue_curve": ups, "load": load})
    estimate = tco.estimate(run_of(energy="1 MWh"), region="de", site=site)
    assert 1 / estimate["site.pue"].value == pytest.approx(efficiency, abs=0.0006)
    assert estimate.value("energy.facility", "MWh") == pytest.approx(estimate["site.pue"].value, rel=1e-12)


def test_a_plant_on_record() -> None:
    pues = []
    for load in (0.1, 0.35, 1.0):
        site = tco.Site.model_validate({"pue_curve": "legacy-plant", "load": load})
        pues.append(tco.estimate(run_of(energy="1 MWh"), region="de", site=site).value("site.pue", "1"))
    assert pues == sorted(pues, reverse=True)
    assert pues[2] == pytest.approx(1.578, abs=5e-4)  # sum of the table at full load
    with pytest.raises(ValueError, match="'pue_curve' and 'load' go together"):
        tco.Site(pue_curve="legacy-plant")
    with pytest.raises(ValueError, match="give either 'pue' or 'pue_curve'"):
        tco.Site.model_validate({"pue": 1.2, "pue_curve": "legacy-plant", "load": 0.5})


def test_water_never_meets_the_pue_twice() -> None:
    site = tco.Site.model_validate({"pue": 1.5, "wue": "2 L/kWh", "source_water": "3 L/kWh"})
    estimate = tco.estimate(run_of(energy={"value": 1, "unit": "MWh", "boundary": "node_ac"}), region="de", site=site)
    assert estimate.value("water.site", "L") == pytest.approx(2000)  # per IT energy
    assert estimate.value("water.source", "L") == pytest.approx(4500)  # per energy at the meter


def test_heat_given_away_lowers_no_emission() -> None:
    run = run_of(energy="1 MWh")
    plain, warm = (tco.estimate(run, region="de", site=site_of(**f)) for f in ({}, {"heat_reuse": 0.3}))
    assert warm.value("energy.reused", "kWh") == pytest.approx(300)
    assert warm["carbon.operational"].value == plain["carbon.operational"].value


def test_grid_losses_are_a_line_of_their_own() -> None:
    site = site_of(grid_losses=0.05)
    run = run_of(energy="950 kWh", duration="1 h", nodes=1)
    estimate = tco.estimate(run, region="de", site=site, system="hgx-h100", set={"grid.intensity": "400 g/kWh"})
    assert estimate["carbon.grid_losses"].value == pytest.approx(20.0)
    assert estimate["carbon.operational"].value == pytest.approx(380.0)
    assert estimate["carbon.total"].parts == ("carbon.operational", "carbon.grid_losses", "carbon.embodied")
    assert sum(estimate[part].value for part in estimate["carbon.total"].parts) == estimate["carbon.total"].value
    assert estimate["carbon.grid_losses"].facts["scope"] == 3
    assert "is not below 1" in message(run, region="de", site=site_of(grid_losses=1))


def test_what_is_not_chosen_changes_nothing() -> None:
    run = kilowatt(start="2025-01-01T00:00Z")
    assert tco.estimate(run, region="de").to_json() == tco.estimate(run, region="de", grid=GridChoice()).to_json()


def test_an_estimate_with_a_series_compiles_and_repeats() -> None:
    choice = GridChoice(intensity=DATA / "series.csv")
    estimate = tco.estimate(kilowatt(), region="de", site=site_of(contracts=[WIND], residual="500 g/kWh"), grid=choice)
    again = tco.estimate(kilowatt(), region="de", site=site_of(contracts=[WIND], residual="500 g/kWh"), grid=choice)
    assert estimate.to_json() == again.to_json()
    vary = list(estimate.inputs)
    result = estimate.program(list(estimate), vary)({name: np.array([estimate.graph[name].value]) for name in vary})
    for name in estimate:
        assert result[name][0] == pytest.approx(estimate[name].value, rel=1e-12), name
    assert read_series(DATA / "series.csv").mean == 250.0
    with pytest.raises(EstimateError):
        estimate["carbon.nothing"]
