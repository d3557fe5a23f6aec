"""Data sets of grid factors: what travels, what it says, what is read from a file of the user."""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
import timeit
import tomllib
from pathlib import Path

import pytest

from tco.errors import ReadError, RegionError, TcoError
from tco.grid_intensity import choose, factor, region, regions, resolve, years, zone_of
from tco.grid_intensity.sets import beside_factors, names, shipped
from tco.records.factor import BasisError, Factor, mean
from tco.units import Q

ROOT = Path(__file__).resolve().parents[2]
FACTORS = ROOT / "grid_intensity" / "factors"
DATA = ROOT / "tests" / "data" / "grid"
SETS = sorted(path.stem for path in FACTORS.glob("*.toml"))


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def message(call, *arguments) -> str:
    with pytest.raises(TcoError) as caught:
        call(*arguments)
    return str(caught.value)


@pytest.mark.parametrize("name", SETS)
def test_every_set_says_what_it_is_and_has_its_hash(name: str) -> None:
    about = tomllib.loads((FACTORS / f"{name}.toml").read_text(encoding="utf-8"))
    raw = (FACTORS / about["file"]).read_bytes()
    assert about["name"] == name
    assert hashlib.sha256(raw).hexdigest() == about["sha256"] == shipped(name).data_set.sha256
    assert {"title", "publisher", "release", "licence", "unit", "basis", "scope", "kind", "resolution"} <= set(about)
    rows = [line.split(",") for line in raw.decode("utf-8").splitlines()[1:]]
    keys = [(row[0], row[1]) for row in rows]
    assert keys == sorted(set(keys))
    assert {row[0] for row in rows} <= {place.id for place in regions()}
    assert all(float(row[2]) > 0 for row in rows), "a gap is no zero"


def test_no_set_under_share_alike_or_restricted_terms_travels() -> None:
    licences = {choose(name).data_set.licence for name in names()}
    assert licences == {"CC BY 4.0", "US public domain", "Apache-2.0", "attribution to Umweltbundesamt"}


def test_what_lies_beside_the_factors_has_its_hash() -> None:
    for folder, table_name in (("regions", "cloud"), ("fuels", "file")):
        place = ROOT / "grid_intensity" / folder
        about = tomllib.loads((place / "SOURCE.toml").read_text(encoding="utf-8"))[table_name]
        digest = hashlib.sha256((place / about["file"]).read_bytes()).hexdigest()
        assert digest == about["sha256"]
        assert digest in {entry.sha256 for entry in beside_factors()}


def test_the_default_comes_first_and_an_unknown_set_lists_the_known_ones() -> None:
    assert names()[0] == "ember-yearly"
    assert message(choose, "ember").startswith("grid data 'ember' is neither a data set")
    assert "ember-monthly" in message(choose, "ember-montly")
    assert "no such file" in message(choose, "nowhere.csv")


# EEA indicator of 2023; eGRID2023: CAMX and its arithmetic; Umweltbundesamt, Climate Change 13/2025, p. 21; IEA 2025.
@pytest.mark.parametrize(
    ("name", "place", "year", "value"),
    [
        ("eea", "EU", 2023, 210.0),
        ("eea", "PL", 2023, 614.0),
        ("eea", "FR", 2023, 50.0),
        ("uba", "DE", 2024, 363.0),
        ("uba", "DE", 2023, 386.0),
        ("iea", "WORLD", 2024, 445.0),
        ("nga", "AU-VIC", 2025, 780.0),
        ("egrid-2023-rev1", "CAMX", 2023, 198.74),
        ("egrid-2023-rev1", "SRVC", 2023, 269.02),
        ("egrid-2023-rev1", "US", 2023, 351.64),
        ("egrid-2023-rev2", "CAMX", 2023, 195.04),
        ("egrid-2023-states", "US-CA", 2023, 179.06),
        ("egrid-2023-states", "US-AK", 2023, 369.43),
        ("google-direct", "europe-west6", 2024, 15.05),
    ],
)
def test_factors_of_other_sets_as_published(name: str, place: str, year: int, value: float) -> None:
    found = factor(resolve(place), year, name)
    assert float(found.quantity.m_as("gCO2e/kWh")) == pytest.approx(value, abs=0.005)
    assert (found.dataset, found.data_year) == (name, year)


def test_egrid_values_are_those_of_the_facts(shared: Path) -> None:
    seen = 0
    for row in table(shared / "facts" / "grid" / "us_egrid.csv"):
        kind, rev = row["kind"], "rev2" if "rev2 (" in row["release"] else "rev1"
        if row["code"] == "US-usa" or not row["co2e_lb_per_mwh"]:
            continue
        name = "egrid-2023-states" if kind == "state" else f"egrid-2023-{rev}"
        place = {"national": "US", "state": f"us-state:{row['code']}", "subregion": f"egrid:{row['code']}"}[kind]
        found = factor(region(place), 2023, name)
        assert float(found.quantity.m_as("gCO2e/kWh")) == pytest.approx(float(row["gco2e_per_kwh"]), abs=0.0051)
        seen += 1
    assert seen == 81


def test_the_row_for_the_whole_country_that_nobody_confirms_is_left_out() -> None:
    listed = choose("egrid-2023-states").regions()
    assert len([place for place in listed if place.startswith("us-state:")]) == 51
    assert "us-state:US-usa" not in listed
    assert "US" not in listed


def test_monthly_values_are_those_of_the_facts(shared: Path) -> None:
    facts = table(shared / "facts" / "grid" / "monthly_country.csv")
    chosen = choose("ember-monthly")
    checked = zeros = 0
    for row in facts:
        if float(row["gco2e_per_kwh"]) == 0:
            zeros += 1
            continue
        place = resolve(row["iso3"] or {"EU": "EU27"}.get(row["name"], row["name"]))
        assert chosen.values(place.id)[row["month"]] == float(row["gco2e_per_kwh"])
        checked += 1
    assert (checked, zeros) == (7922, 14)


# 211.20 is the mean weighted by generation; 229.01 is what a plain mean of the 27 countries gives.
def test_an_aggregate_is_the_mean_weighted_by_energy(shared: Path) -> None:
    members = [place for place in regions() if "EU27" in place.groups]
    generation = {
        row["iso2"]: Q(float(row["generation_twh"]), "TWh")
        for row in table(shared / "facts" / "grid" / "mix_country_year.csv")
        if row["dataset"] == "owid-ember-2026-04" and row["year"] == "2024"
    }
    factors = [factor(place, 2024) for place in members]
    weighted = mean(factors, [generation[place.id] for place in members])
    assert float(weighted.m_as("gCO2e/kWh")) == pytest.approx(211.20, abs=0.005)
    plain = mean(factors, [Q(1, "TWh")] * len(factors))
    assert float(plain.m_as("gCO2e/kWh")) == pytest.approx(229.01, abs=0.005)
    assert factor(resolve("eu"), 2024).value == 211.20


# ---- factors of unlike bases ----


def test_factors_of_one_basis_may_meet() -> None:
    poland, france = factor(resolve("PL"), 2024), factor(resolve("FR"), 2024)
    assert france < poland
    assert poland >= france
    assert poland / france == pytest.approx(608.18 / 40.48, rel=1e-12)
    assert float((poland - france).m_as("gCO2e/kWh")) == pytest.approx(567.70, abs=0.005)


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ("eea", "direct, production, average (DE, eea)"),
        ("uba", "direct, production, average, CO2 alone (DE, uba)"),
    ],
)
@pytest.mark.parametrize("operation", ["__lt__", "__le__", "__gt__", "__ge__", "__sub__", "__truediv__"])
def test_factors_of_unlike_bases_may_not_meet(other: str, words: str, operation: str) -> None:
    lifecycle, direct = factor(resolve("DE"), 2023), factor(resolve("DE"), 2023, other)
    found = message(getattr(lifecycle, operation), direct)
    assert words in found
    assert "lifecycle, production, average (DE, ember-yearly)" in found
    with pytest.raises(BasisError):
        mean([lifecycle, direct], [Q(1, "kWh"), Q(1, "kWh")])


def test_factors_do_not_add_up() -> None:
    found = factor(resolve("DE"), 2023)
    assert "take their mean, weighted by energy" in message(found.__add__, found)


def test_a_mean_needs_an_energy_for_each_factor() -> None:
    found = factor(resolve("DE"), 2023)
    assert "2 factors and 1 energies" in message(mean, [found, found], [Q(1, "kWh")])
    assert "not all 0" in message(mean, [found], [Q(0, "kWh")])
    with pytest.raises(TcoError):
        mean([found], [Q(1, "kW")])


@pytest.mark.parametrize(("value", "unit"), [(-1, "gCO2e/kWh"), (float("nan"), "gCO2e/kWh"), (5, "kWh")])
def test_a_factor_is_an_intensity(value: float, unit: str) -> None:
    data = factor(resolve("DE"), 2023).model_dump()
    with pytest.raises(ValueError, match=r"not an emission factor|is an energy"):
        Factor.model_validate({**data, "value": value, "unit": unit})


# ---- cloud regions and stand-ins ----


def test_every_cloud_region_has_the_zone_of_the_facts(shared: Path) -> None:
    facts = table(shared / "facts" / "grid" / "cloud_regions.csv")
    assert len(facts) == 144
    for row in facts:
        zone = zone_of(row["id"])
        assert zone is not None
        assert zone.id.removeprefix("zone:") == row["em_zone"]
        assert (zone.how == "corrected") == (row["em_zone_source"] == "corrected"), row["id"]


def test_a_zone_lies_in_the_country_of_its_cloud_region() -> None:
    cloud = [place for place in regions() if place.kind == "cloud_region"]
    assert len(cloud) == 144
    for place in cloud:
        zone = zone_of(place.id)
        assert zone is not None
        assert (region(zone.id).parent or zone.id) == place.parent, place.id
    assert zone_of("DE") is None


# Wrong in tables in circulation: northeurope in Finland, westus in Washington, me-central1 in the Emirates, typos.
@pytest.mark.parametrize(
    ("place", "zone"),
    [("northeurope", "IE"), ("westus", "zone:US-CAL-CISO"), ("me-central1", "QA"), ("eu-north-1", "zone:SE-SE3")],
)
def test_corrections_of_cloud_regions(place: str, zone: str) -> None:
    found = zone_of(resolve(place).id)
    assert found is not None
    assert (found.id, found.how) == (zone, "corrected")
    assert found.note


def test_a_place_without_data_names_its_grid_and_its_zone() -> None:
    assert message(factor, resolve("us-east-1")) == (
        "no factor for aws:us-east-1 (AWS us-east-1, US East (N. Virginia)) in ember-yearly; its grid is US "
        "(United States), its zone US-MIDA-PJM: use --region US"
    )
    assert message(factor, resolve("us-east-1"), None, "eea").endswith(
        "which has none there either. The other sets: tco grid data"
    )
    assert "which lists DE" in message(factor, resolve("FR"), None, "uba")


@pytest.mark.parametrize(("fallback", "value", "taken"), [("parent", 329.65, "DE"), ("world", 458.29, "WORLD")])
def test_a_stand_in_is_taken_only_when_asked_for_and_says_so(fallback, value, taken) -> None:
    found = factor(resolve("aws:eu-central-1"), None, "ember-yearly", fallback)
    assert (found.value, found.region, found.stands_for) == (value, taken, "aws:eu-central-1")
    assert str(found).endswith("; stands for aws:eu-central-1")


def test_a_stand_in_is_not_taken_where_there_is_data() -> None:
    found = factor(resolve("DE"), None, "ember-yearly", "world")
    assert (found.region, found.stands_for) == ("DE", None)
    with pytest.raises(RegionError, match="no larger grid is on record"):
        factor(resolve("Monaco"), None, "ember-yearly", "parent")


# ---- files of the user ----


def test_a_file_of_the_user_with_its_record_beside_it() -> None:
    found = factor(resolve("us-east-1"), 2024, DATA / "zones.csv")
    assert (found.value, found.region, found.stands_for) == (400.0, "zone:US-MIDA-PJM", "aws:us-east-1")
    assert (found.basis, found.scope, found.release, found.dataset) == (
        "lifecycle",
        "consumption",
        "2030-02",
        "zones.csv",
    )
    assert years(region("zone:US-MIDA-PJM"), DATA / "zones.csv") == [2023, 2024]
    assert factor(resolve("eu-central-1"), None, DATA / "zones.csv").value == 340.0
    assert choose(DATA / "zones.csv").data_set.sha256 == hashlib.sha256((DATA / "zones.csv").read_bytes()).hexdigest()


def test_electricity_maps_zones_from_a_file(shared: Path, tmp_path: Path) -> None:
    path = tmp_path / "zones.csv"
    shutil.copy(shared / "facts" / "grid" / "electricity_maps_zone_year.csv", path)
    shutil.copy(DATA / "zones.toml", tmp_path / "zones.toml")
    for row in table(shared / "facts" / "grid" / "cloud_regions.csv"):
        if row["ci_em_lifecycle_consumption_2024"]:
            found = factor(region(row["id"]), 2024, path)
            assert (found.value, found.data_year) == (float(row["ci_em_lifecycle_consumption_2024"]), 2024), row["id"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("region,year,gco2e_per_kwh\nDE,2024,abc\n", ":2: column 'gco2e_per_kwh': 'abc' is not a number"),
        ("region,year,gco2e_per_kwh\nDE,24,1\n", ":2: column 'year': '24' is not a year; write for instance 2024"),
        ("region,year,gco2e_per_kwh\nDE,2024,1\nde,2024,2\n", ":3: DE has a value for 2024 already"),
        ("region,year,gco2e_per_kwh\nXXX,2024,1\n", ":2: column 'region': region 'XXX' is not known"),
        ("region,year,gco2e_per_kwh\nDE,2024\n", ":2: has 2 fields, 3 expected"),
        ("region,year\nDE,2024\n", ":1: the columns are region, year; needed are"),
    ],
)
def test_a_file_that_is_wrong_is_an_error_with_its_line(tmp_path: Path, content: str, words: str) -> None:
    (tmp_path / "mine.csv").write_text(content, encoding="utf-8")
    shutil.copy(DATA / "zones.toml", tmp_path / "mine.toml")
    assert words in message(choose, tmp_path / "mine.csv")


def test_a_file_without_a_record_says_what_to_write(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("region,year,gco2e_per_kwh\nDE,2024,1\n", encoding="utf-8")
    assert "write mine.toml beside it" in message(choose, path)
    (tmp_path / "mine.toml").write_text('release = "1"\nlicence = "CC0"\nbasis = "direct"\n', encoding="utf-8")
    assert "'scope' is missing" in message(choose, path)
    (tmp_path / "mine.toml").write_text("release = ", encoding="utf-8")
    with pytest.raises(ReadError, match="not valid TOML"):
        choose(path)


def test_namibia_and_norway_survive_a_table(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("region,year,gco2e_per_kwh\nNA,2024,50\nno,2024,30\n", encoding="utf-8")
    shutil.copy(DATA / "zones.toml", tmp_path / "mine.toml")
    assert [factor(resolve(place), 2024, path).value for place in ("NA", "NO")] == [50.0, 30.0]


# Restated history: the release of 2022 has another China of 2019 and 2020 than that of 2026.
def test_the_release_is_part_of_every_factor(shared: Path) -> None:
    found = factor(resolve("WORLD"), 2020)
    assert (found.value, found.release) == (492.11, "2026-04")
    older = {
        (row["name"], row["year"]): float(row["gco2e_per_kwh"])
        for row in table(shared / "facts" / "grid" / "vintage_drift.csv")
        if "2022" in row["vintage"]
    }
    assert older["China", "2020"] == 549.6
    assert factor(resolve("CN"), 2020).value == 606.29
    assert "ember-yearly 2026-04" in str(factor(resolve("CN"), 2020))


# The basis of one provider's table changed from lifecycle to direct: Zurich fell from 59 to 15, Paris from 34 to 16.
def test_a_change_of_basis_makes_two_sets() -> None:
    for place in choose("google-direct").regions():
        assert years(region(place), "google-direct") == [2024]
    known = {
        year for place in choose("google-lifecycle").regions() for year in years(region(place), "google-lifecycle")
    }
    assert known == {2019, 2020}
    old, new = (factor(resolve("europe-west1"), None, f"google-{basis}") for basis in ("lifecycle", "direct"))
    assert (old.basis, new.basis) == ("lifecycle", "direct")
    with pytest.raises(BasisError):
        new - old


# A gap is no zero: elsewhere the Central African Republic emits nothing.
def test_a_gap_is_the_last_known_year_and_says_so() -> None:
    found = factor(resolve("CF"), 2023)
    assert (found.data_year, found.value > 0) == (2012, True)


# The unit of a public table changed from kg to g without a word.
def test_kilograms_under_the_name_of_grams_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("region,year,gco2e_per_kwh\nDE,2024,0.336\nPL,2024,0.608\n", encoding="utf-8")
    shutil.copy(DATA / "zones.toml", tmp_path / "mine.toml")
    assert "its largest factor is 0.608 gCO2e/kWh, which no grid has: kg/kWh under the name" in message(choose, path)


def test_a_look_up_takes_less_than_20_microseconds() -> None:
    resolve("eu-central-1")
    seconds = min(timeit.repeat(lambda: resolve("eu-central-1"), number=2000, repeat=5)) / 2000
    assert seconds < 20e-6


def test_the_facts_of_a_set_are_plain_data() -> None:
    assert json.loads(choose("eea").data_set.model_dump_json())["release"] == "data of 2023"
