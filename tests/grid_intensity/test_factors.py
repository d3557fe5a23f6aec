from __future__ import annotations

import csv
import hashlib
import tomllib
from pathlib import Path

import pytest

from tco import grid_intensity
from tco.errors import RegionError
from tco.grid_intensity import data_set, factor, region, regions, resolve, years

ROOT = Path(__file__).resolve().parents[2]
FACTORS = ROOT / "grid_intensity" / "factors"
FACTS = ROOT.parent / "shared" / "facts" / "grid"
needs_facts = pytest.mark.skipif(not FACTS.is_dir(), reason=f"the fact tables are not at {FACTS}")

RELEASE = "owid-ember-2026-04"


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


SHIPPED = table(FACTORS / "ember-yearly.csv")
ABOUT = tomllib.loads((FACTORS / "ember-yearly.toml").read_text(encoding="utf-8"))


def entity(region_id: str) -> str:
    return ABOUT["entities"].get(region_id, region(region_id).name)


# Ember, "Lifecycle carbon intensity of electricity generation", processed by Our World in Data, release of April 2026;
# EcoLogits 0.11.3 ships the same column for 2025.
@pytest.mark.parametrize(
    ("place", "in_2024", "in_2025"),
    [
        ("EU", 211.20, 209.90),
        ("DE", 336.38, 329.65),
        ("FR", 40.48, 41.44),
        ("PL", 608.18, 588.60),
        ("SE", 34.91, 35.26),
        ("GB", 216.50, 217.41),
        ("US", 383.78, 384.40),
        ("CN", 555.40, 525.34),
        ("IN", 705.40, 670.13),
        ("JP", 483.43, 477.26),
        ("TW", 635.19, 633.21),
        ("WORLD", 471.08, 458.29),
        ("XK", 924.67, 900.94),
    ],
)
def test_factors_as_published(place, in_2024, in_2025):
    assert factor(resolve(place), 2024).value == in_2024
    assert factor(resolve(place), 2025).value == in_2025
    assert factor(resolve(place)).data_year == 2025


def test_a_factor_carries_all_that_decides_whether_it_may_be_compared():
    found = factor(resolve("eu"))
    assert str(found) == ("European Union (27) (EU27), 2025, lifecycle, production, average, ember-yearly 2026-04")
    assert found.quantity.m_as("kgCO2e/MWh") == pytest.approx(209.9, abs=1e-9)
    assert (found.unit, found.resolution, found.licence) == ("gCO2e/kWh", "year", "CC BY 4.0")
    assert str(found.source) == (
        "Ember; processed by Our World in Data, Lifecycle carbon intensity of electricity generation (2026), "
        "chart data of the release of 2026-04-21/24, column 'Carbon intensity of electricity per kWh', "
        "entity European Union (27), 2025"
    )
    assert (found.source.url, found.source.licence) == (
        "https://ourworldindata.org/grapher/carbon-intensity-electricity",
        "CC BY 4.0",
    )


def test_the_source_names_the_entity_where_the_region_has_another_name():
    assert factor(resolve("europe"), 2020).source.where.endswith("entity Europe (Ember), 2020")
    assert factor(resolve("DRC"), 2020).source.where.endswith("entity Democratic Republic of Congo, 2020")


# Hong Kong has no 2025 value in this release; Burundi has gaps in 2010-2012 around zeros that are none.
@pytest.mark.parametrize(
    ("place", "year", "data_year", "value"),
    [
        ("HK", None, 2024, 675.48),
        ("HK", 2025, 2024, 675.48),
        ("DE", 2030, 2025, 329.65),
        ("SOUTH_AMERICA", None, 2024, 166.83),
        ("BI", 2012, 2011, None),
        ("CF", 2023, 2012, None),
        ("ZW", 2000, 2000, None),
    ],
)
def test_the_newest_data_not_later_than_the_year(place, year, data_year, value):
    found = factor(resolve(place), year)
    assert found.data_year == data_year
    printed = {(row["region"], row["year"]): float(row["gco2e_per_kwh"]) for row in SHIPPED}
    assert found.value == printed[place, str(data_year)] == (value or found.value)


def test_every_value_of_the_table_is_found():
    for row in SHIPPED:
        found = factor(region(row["region"]), int(row["year"]))
        assert (found.value, found.data_year) == (float(row["gco2e_per_kwh"]), int(row["year"]))


def test_years_are_those_of_the_table():
    expected: dict[str, list[int]] = {}
    for row in SHIPPED:
        expected.setdefault(row["region"], []).append(int(row["year"]))
    assert {place.id: years(place) for place in regions() if years(place)} == expected
    assert years(resolve("BI")) == [2010, 2011, *range(2013, 2025)]
    assert years(resolve("aws:eu-central-1")) == []


@pytest.mark.parametrize(
    ("place", "year", "message"),
    [
        (
            "eu-central-1",
            None,
            "no factor for aws:eu-central-1 (AWS eu-central-1, Europe (Frankfurt)) in ember-yearly; "
            "its grid is DE (Germany): use --region DE",
        ),
        (
            "AU-NSW",
            2024,
            "no factor for zone:AU-NSW (Australia, grid zone AU-NSW) in ember-yearly; "
            "its grid is AU (Australia): use --region AU",
        ),
        (
            "PRMS",
            None,
            "no factor for egrid:PRMS (Puerto Rico Miscellaneous (eGRID subregion)) in ember-yearly; "
            "its grid is PR (Puerto Rico): use --region PR",
        ),
        (
            "Monaco",
            None,
            "no factor for MC (Monaco) in ember-yearly, and no larger grid is on record for it. "
            "List the regions with: tco regions",
        ),
        ("DE", 1999, "no factor for DE (Germany) in ember-yearly for 1999 or earlier; its first year is 2000"),
        ("SS", 2011, "no factor for SS (South Sudan) in ember-yearly for 2011 or earlier; its first year is 2012"),
    ],
)
def test_no_data_is_an_error_that_names_the_way_out(place, year, message):
    with pytest.raises(RegionError) as caught:
        factor(resolve(place), year)
    assert str(caught.value) == message


def test_the_data_set_names_its_release_and_hash():
    digest = hashlib.sha256((FACTORS / "ember-yearly.csv").read_bytes()).hexdigest()
    found = data_set()
    assert (found.name, found.release, found.licence) == ("ember-yearly", "2026-04", "CC BY 4.0")
    assert found.sha256 == digest == ABOUT["sha256"]
    assert found.title == "Lifecycle carbon intensity of electricity generation, yearly"


def test_the_table_is_sorted_whole_and_without_gaps_shown_as_zero():
    keys = [(row["region"], int(row["year"])) for row in SHIPPED]
    assert keys == sorted(set(keys))
    assert len(keys) == 5728
    assert min(float(row["gco2e_per_kwh"]) for row in SHIPPED) > 0
    assert (FACTORS / "ember-yearly.csv").read_bytes().endswith(b"\n")


def test_every_region_of_the_table_is_a_known_country_or_aggregate():
    known = {place.id: place.kind for place in regions()}
    assert {known[row["region"]] for row in SHIPPED} == {"country", "aggregate"}
    with_data = {row["region"] for row in SHIPPED}
    assert with_data >= {place for place, kind in known.items() if kind == "aggregate"}
    assert with_data >= set(ABOUT["entities"])


@needs_facts
def test_the_table_equals_the_facts():
    printed = {
        (row["name"], row["year"]): row["gco2e_per_kwh"]
        for name in ("country_year.csv", "aggregates.csv")
        for row in table(FACTS / name)
        if row["dataset"] == RELEASE
    }
    entities = {row["region"]: entity(row["region"]) for row in SHIPPED}
    assert len(set(entities.values())) == len(entities) == 228
    shipped = {(entities[row["region"]], row["year"]): row["gco2e_per_kwh"] for row in SHIPPED}
    taken = {key: text for key, text in printed.items() if key[0] in set(entities.values())}
    gaps = {key for key, text in taken.items() if float(text) == 0}
    assert shipped == {key: text for key, text in taken.items() if key not in gaps}
    assert (len(gaps), {name for name, _ in gaps}) == (22, {"Burundi", "Central African Republic"})


@needs_facts
def test_iso_codes_are_those_of_the_facts():
    codes = {row["iso2"]: row["name"] for row in table(FACTS / "country_year.csv") if row["dataset"] == RELEASE}
    countries = {row["region"] for row in SHIPPED if region(row["region"]).kind == "country"}
    assert {place: entity(place) for place in countries} == codes


# The mean over the members, weighted by their generation, is the factor of the Union: so the members are right.
@needs_facts
@pytest.mark.parametrize("year", range(2000, 2026))
def test_the_members_make_the_union(year):
    members = {place.id for place in regions() if "EU27" in place.groups}
    generation = {
        row["iso2"]: float(row["generation_twh"])
        for row in table(FACTS / "mix_country_year.csv")
        if row["dataset"] == RELEASE and row["year"] == str(year) and row["iso2"] in members
    }
    assert set(generation) == members
    emitted = sum(twh * factor(region(member), year).value for member, twh in generation.items())
    union = factor(region("EU27"), year)
    assert union.data_year == year
    assert emitted / sum(generation.values()) == pytest.approx(union.value, rel=2e-5)


def test_public_names_load():
    for name in grid_intensity.__all__:
        assert callable(getattr(grid_intensity, name))
    with pytest.raises(AttributeError, match="no attribute 'intensity'"):
        grid_intensity.intensity  # noqa: B018
