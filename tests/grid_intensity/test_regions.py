from __future__ import annotations

import collections
import csv
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tco.errors import RegionError
from tco.grid_intensity import Region, region, regions, remark, resolve, years

ROOT = Path(__file__).resolve().parents[2]
FACTS = ROOT.parent / "shared" / "facts" / "grid"
needs_facts = pytest.mark.skipif(not FACTS.is_dir(), reason=f"the fact tables are not at {FACTS}")


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


ALIASES = table(ROOT / "grid_intensity" / "regions" / "aliases.csv")
TRAPS = table(ROOT / "grid_intensity" / "regions" / "traps.csv")
REFUSED = {
    "Georgia": {"GE", "US-GA"},
    "Congo": {"CG", "CD"},
    "Korea": {"KR", "KP"},
    "Virgin Islands": {"VG", "VI"},
    "Saint Martin": {"MF", "SX"},
}


REFUSED_KEYS = {name.lower() for name in REFUSED}
#: Id by word: the aliases, and the ids themselves.
KNOWN = {place.id.lower(): place.id for place in regions()} | {row["key"]: row["id"] for row in ALIASES}
KEYS_OF = {row["id"]: {key for key, region_id in KNOWN.items() if region_id == row["id"]} for row in ALIASES}


def plain(text: str) -> str:
    """The word without case, marks and superfluous white space."""
    decomposed = unicodedata.normalize("NFD", text.casefold())
    return " ".join("".join(c for c in decomposed if not unicodedata.combining(c)).split())


def refusal(text: object) -> str:
    with pytest.raises(RegionError) as caught:
        resolve(text)  # type: ignore[arg-type]
    return str(caught.value)


# Case A48: wrong ISO code, UK against GB, silent defaults.
@pytest.mark.parametrize("text", ["UK", "GB", "gbr", "United Kingdom", " united  kingdom\t"])
def test_the_united_kingdom_is_one_place(text):
    assert resolve(text) == Region("GB", "United Kingdom", "country")


@pytest.mark.parametrize("text", ["ZZ", "ZZZ"])
def test_an_unknown_code_is_an_error_with_near_matches(text):
    assert refusal(text) == (
        f"region '{text}' is not known; nearest: 'ZW' (Zimbabwe), 'ZM' (Zambia), 'ZA' (South Africa). "
        "List them with: tco regions"
    )


@pytest.mark.parametrize("text", ["eu", "EU27", "EU-27", "European Union", "european union (27)"])
def test_eu_is_a_named_aggregate(text):
    assert resolve(text) == Region("EU27", "European Union (27)", "aggregate")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("NA", ("NA", "Namibia")),
        ("no", ("NO", "Norway")),
        ("us-west1", ("gcp:us-west1", "GCP us-west1, Oregon")),
        ("us-west-1", ("aws:us-west-1", "AWS us-west-1, US West (N. California)")),
        ("eu-central-1", ("aws:eu-central-1", "AWS eu-central-1, Europe (Frankfurt)")),
        ("westus", ("azure:westus", "Azure westus, California")),
        ("Cote d\u2019Ivoire", ("CI", "Côte d'Ivoire")),
        ("REUNION", ("RE", "Réunion")),
        ("türkiye", ("TR", "Turkey")),
        ("XK", ("XK", "Kosovo")),
        ("el", ("GR", "Greece")),
        ("ercot", ("zone:US-TEX-ERCO", "United States, grid zone US-TEX-ERCO (ERCO, ERCOT)")),
        ("California", ("us-state:US-CA", "California (US state)")),
        ("camx", ("egrid:CAMX", "WECC California (eGRID subregion)")),
    ],
)
def test_words_and_their_places(text, expected):
    found = resolve(text)
    assert (found.id, found.name) == expected


def test_a_region_prints_its_id_and_name():
    assert str(resolve("germany")) == "DE (Germany)"


def test_every_alias_means_its_place():
    assert len(ALIASES) == 1612
    assert [row for row in ALIASES if resolve(row["key"]).id != row["id"]] == []


@needs_facts
def test_aliases_are_those_of_the_facts():
    facts = table(FACTS / "aliases.csv")
    assert {row["key"]: row["id"] for row in ALIASES} == {row["key"]: row["canonical_id"] for row in facts}
    assert [row for row in facts if resolve(row["alias"]).id != row["canonical_id"]] == []


@needs_facts
def test_traps_are_those_of_the_facts():
    facts = table(FACTS / "alias_traps.csv")
    assert [(row["alias"], row["resolves_to"]) for row in TRAPS] == [(r["alias"], r["resolves_to"]) for r in facts]
    for row in facts:
        if not row["resolves_to"]:
            choices = {resolve(choice).id for choice in REFUSED[row["alias"]]}
            assert choices == set(row["candidates"].split(";"))


@needs_facts
def test_a_cloud_region_is_in_the_country_of_the_facts():
    facts = table(FACTS / "cloud_regions.csv")
    assert [row["id"] for row in facts if region(row["id"]).parent != row["country_iso2"]] == []
    assert {row["id"] for row in facts} == {place.id for place in regions() if place.kind == "cloud_region"}


def test_the_refused_words():
    assert {row["alias"] for row in TRAPS if not row["resolves_to"]} == set(REFUSED)
    assert len(TRAPS) == 46


@pytest.mark.parametrize("row", TRAPS, ids=lambda row: row["alias"])
def test_traps(row):
    if row["resolves_to"]:
        assert resolve(row["alias"]).id == row["resolves_to"]
        assert remark(row["alias"]) == row["message"]
    else:
        message = refusal(row["alias"].upper())
        assert message.startswith(f"region '{row['alias'].upper()}' is ambiguous: ")
        assert {word for word in message.split() if word in REFUSED[row["alias"]]} == REFUSED[row["alias"]]
        assert remark(row["alias"]) == ""


def test_remarks():
    assert remark("ca") == "country Canada; California is US-CA, its grid zone US-CAL-CISO"
    assert remark("France") == ""


def test_all_regions():
    everywhere = list(regions())
    assert collections.Counter(place.kind for place in everywhere) == {
        "country": 250,
        "aggregate": 14,
        "cloud_region": 144,
        "grid_zone": 147,
        "egrid_subregion": 27,
        "us_state": 51,
    }
    assert {place.id for place in everywhere} == {row["id"] for row in ALIASES}
    assert all(place.name.strip() == place.name != "" for place in everywhere)


def test_every_id_can_be_typed():
    assert [place for place in regions() if resolve(place.id.lower()) != place] == []


def test_every_name_of_a_country_or_aggregate_can_be_typed_except_georgia():
    for place in regions():
        if place.kind in ("country", "aggregate") and place.id != "GE":
            assert resolve(place.name) == place


def test_parents_are_countries_with_data():
    for place in regions():
        if place.kind in ("country", "aggregate"):
            assert place.parent is None
        else:
            assert place.parent is not None
            parent = region(place.parent)
            assert (parent.kind, years(parent)[-1] >= 2023) == ("country", True)


@pytest.mark.parametrize(
    ("text", "parent"),
    [("AU-NSW", "AU"), ("FO-MI", "FO"), ("US-CA", "US"), ("CAMX", "US"), ("PRMS", "PR"), ("azure:northeurope", "IE")],
)
def test_the_grid_that_contains_a_place(text, parent):
    assert resolve(text).parent == parent


def test_members_of_the_european_union():
    members = {place.id for place in regions() if place.groups == ("EU27",)}
    printed = "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK"
    assert " ".join(sorted(members)) == printed
    assert {place.groups for place in regions()} == {(), ("EU27",)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bavaria", "region 'bavaria' is not known; nearest: 'BG' (Bulgaria), "),
        ("germny", "region 'germny' is not known; nearest: 'DE' (Germany), "),
        ("us_west1", "nearest: 'gcp:us-west1' (GCP us-west1, Oregon), 'aws:us-west-1' (AWS us-west-1, "),
        ("Frankfurt", "nearest: 'aws:eu-central-1' (AWS eu-central-1, Europe (Frankfurt)), 'gcp:europe-west3' (GCP "),
        ("gorgia", "nearest: 'Georgia' (ambiguous: a country or a US state; write GE or US-GA), "),
        ("eu-central", "nearest: 'aws:eu-central-1' (AWS eu-central-1, Europe (Frankfurt)), "),
    ],
)
def test_the_nearest_known_places(text, message):
    found = refusal(text)
    assert message in found
    assert found.endswith(". List them with: tco regions")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("qqqqqqqq", "qqqqqqqq"),
        ("東京電力", "東京電力"),
        (
            "South Georgia and the South Sandwich Islands, the whole of them",
            "South Georgia and the South Sandwich Islands, the whole o...",
        ),
    ],
)
def test_nothing_near_is_said_plainly(text, shown):
    assert refusal(text) == (
        f"region '{shown}' is not known, and nothing known is near it. List the known ones with: tco regions"
    )


@pytest.mark.parametrize("text", ["", " \t\n"])
def test_an_empty_region(text):
    assert refusal(text) == (
        "region is empty; write for instance 'DE', 'EU27' or 'aws:eu-central-1'; list all with: tco regions"
    )


def test_control_characters_are_made_visible():
    assert "'qqqqqqqq\\x1b[31m'" in refusal("qqqqqqqq\x1b[31m")
    assert "'\\ud800'" in refusal("\ud800")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (False, "False"),
        (None, "None"),
        (float("nan"), "nan"),
        (49, "49"),
        (["DE"], "['DE']"),
        (b"x" * 99, "b'" + "x" * 55 + "..."),
    ],
)
def test_what_is_no_text_is_refused_with_the_fix(value, shown):
    assert refusal(value) == (
        f'region {shown} is not text; regions are text: write "NO" (Norway) and "NA" (Namibia) in quotes, '
        "because YAML reads a bare NO as false and table readers take NA for a missing value"
    )


def test_an_id_that_does_not_exist():
    with pytest.raises(RegionError, match=r"^region id 'de' is not known; list them with: tco regions$"):
        region("de")


@pytest.mark.parametrize("text", ["de-", "d e", "aws", "zone:", "germany!", "aws:us-west1", "gcp:us-west-1", "us-west"])
def test_no_prefix_and_no_near_word_is_accepted(text):
    assert f"region '{text}' is not known" in refusal(text)


def test_a_place_is_one_object_that_nobody_changes():
    assert resolve("de") is resolve("Germany")
    with pytest.raises(AttributeError):
        resolve("de").id = "FR"


@settings(deadline=None)
@given(
    st.sampled_from([row for row in ALIASES if row["key"] not in REFUSED_KEYS]),
    st.sampled_from([str.upper, str.lower, str.title, str.swapcase]),
    st.text(" \t\n\u00a0\u2003", max_size=3),
    st.text(" \t\n\u00a0\u2003", max_size=3),
)
def test_case_and_surrounding_white_space_do_not_matter(row, change, before, after):
    assert resolve(before + change(row["key"]) + after).id == row["id"]


@settings(deadline=None)
@given(st.text(max_size=70))
def test_any_text_is_a_place_or_a_region_error(text):
    try:
        found = resolve(text)
    except RegionError as error:
        message = str(error)
    else:
        assert plain(text) in KEYS_OF[found.id]
        return
    assert plain(text) not in KNOWN
    assert message.startswith("region ")
    assert message.isprintable()


@settings(deadline=None)
@given(st.sampled_from(ALIASES), st.characters(codec="ascii", categories=["L", "N"]))
def test_one_character_more_is_another_word(row, character):
    longer = plain(row["key"] + character)
    assume(longer not in REFUSED_KEYS)
    if longer in KNOWN:
        assert resolve(longer).id == KNOWN[longer]
    else:
        assert f"region '{longer}' is not known" in refusal(longer)


def test_finding_a_place_loads_no_units_or_records():
    script = (
        "import sys; from tco.grid_intensity import resolve; resolve('eu');"
        "print(sorted({'numpy', 'pandas', 'pint', 'pydantic'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    "first",
    [
        "import tco.grid_intensity.regions",
        "from tco.grid_intensity.regions import resolve",
        "import tco.grid_intensity.factors",
        "from tco.grid_intensity import factor",
    ],
)
def test_regions_is_the_function_whatever_was_loaded_before(first):
    script = f"{first}; from tco.grid_intensity import regions; print(next(regions()))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "AD (Andorra)\n"
