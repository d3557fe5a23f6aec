"""Records against the facts they were made from: nothing lost, nothing from memory unmarked."""

from __future__ import annotations

import csv
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from tco.catalog.checks import check_catalog
from tco.catalog.entries import Entry, Simulator
from tco.catalog.library import KINDS, read_library
from tco.catalog.tables import data_sets, table
from tco.errors import RecordError
from tco.knowledge import folder

LIBRARY = read_library()
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def facts(shared: Path):
    def read(name: str) -> list[dict[str, str]]:
        with (shared / "facts" / "catalogue" / name).open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    return read


def test_every_named_system_has_a_record_or_a_line(facts) -> None:
    ids = {
        "simulators": {row["tool_id"] for row in facts("simulators.csv")},
        "models": {row["model_id"] for row in facts("tco_models.csv")},
        "benchmarks": {row["benchmark_id"] for row in facts("benchmarks.csv")},
        # the simulator has the id distir already
        "representations": {
            row["ir_id"].replace("distir", "distir-ir") for row in facts("intermediate_representations.csv")
        },
    }
    for kind, wanted in ids.items():
        assert {entry.name for entry in LIBRARY.of_kind(kind)} == wanted
    assert [len(ids[kind]) for kind in KINDS] == [37, 38, 10, 26]
    page = (ROOT / "docs" / "catalog-not-listed.md").read_text(encoding="utf-8")
    related = facts("related_systems.csv")
    assert len(related) == 47
    for row in related:
        assert LIBRARY.unlisted[row["system_id"]].why == row["why_no_row_of_its_own"]
        assert row["name"].replace("[", "\\[").replace("]", "\\]") in page, row["name"]


def test_all_94_rows_as_published(facts) -> None:
    rows = facts("validations.csv")
    assert len(rows) == len(LIBRARY.validations) == 94
    claims = {"author claim": "author", "recomputed from pairs": "recomputed", "independent cross-check": "cross-check"}
    for fact in rows:
        row = LIBRARY.validations[fact["validation_id"]]
        assert row.tool == fact["tool_id"]
        assert row.kind == fact["metric_kind"]
        assert (row.bound == "upper") == (fact["is_bound"] == "upper bound")
        assert row.claim == claims[fact["author_claim_or_recomputed"]]
        assert row.from_memory == (fact["from_memory"] == "true")
        assert row.points == (int(fact["n_points"]) if fact["n_points"] else None)
        if fact["error_value"]:
            assert row.number.removeprefix("< ").removesuffix(" %") == fact["error_value"]
        for name, count in (("devices", row.devices), ("nodes", row.nodes)):
            for end in ("min", "max"):
                stated = fact[f"{name}_{end}"]
                assert (getattr(count, end) if count else None) == (int(stated) if stated else None), (row.id, name)
        assert bool(row.conflicts) == bool(fact["conflict_with"])


def test_what_is_from_memory_is_marked(facts) -> None:
    for name, key in (
        ("simulators.csv", "tool_id"),
        ("tco_models.csv", "model_id"),
        ("benchmarks.csv", "benchmark_id"),
    ):
        for row in facts(name):
            entry = LIBRARY.entry(row[key])
            if row["from_memory_fields"] and row["from_memory_fields"] != "name":
                assert entry.from_memory or entry.memory_note or set(entry.unknown), entry.name
    habitat = LIBRARY.entry("habitat")
    assert set(habitat.from_memory) == {"venue", "cost"}
    assert set(LIBRARY.entry("greenchip").from_memory) >= {"operational", "output"}


def test_every_fact_has_a_source_or_says_that_it_has_none() -> None:
    for entry in LIBRARY.entries.values():
        for field in entry.fact_names():
            if not entry.stated(field):
                assert field in entry.unknown or field in entry._OPTIONAL, (entry.name, field)
            elif field not in entry.from_memory:
                assert entry.reading_of(field), (entry.name, field)


def test_calculon_is_configuration_based() -> None:
    calculon = LIBRARY.entry("calculon")
    assert isinstance(calculon, Simulator)
    assert calculon.levels == ("configuration",)
    (conflict,) = calculon.conflicts
    assert (conflict.about, conflict.status) == ("levels", "resolved")


def test_scales_are_devices_and_their_conflicts_are_kept() -> None:
    simai, multiverse = LIBRARY.entry("simai"), LIBRARY.entry("multiverse")
    assert isinstance(simai, Simulator)
    assert isinstance(multiverse, Simulator)
    assert simai.largest_validated_devices == 1024
    assert multiverse.largest_validated_devices is None
    for entry in (simai, multiverse):
        conflict = next(c for c in entry.conflicts if c.about == "largest_validated_devices")
        assert conflict.status == "unresolved"
        assert any("1024-node" in statement.what for statement in conflict.says)
    rows = LIBRARY.validations
    assert rows["simai-01"].devices is not None
    assert rows["simai-01"].devices.max == 1024
    assert rows["simai-01"].nodes is None
    assert rows["multiverse-01"].nodes is None


def test_the_class_of_the_survey_stands_beside_ours() -> None:
    llmcompass, astra = LIBRARY.entry("llmcompass"), LIBRARY.entry("astra-sim-2")
    assert isinstance(llmcompass, Simulator)
    assert isinstance(astra, Simulator)
    assert (llmcompass.classes, llmcompass.survey_class) == (("analytical",), ("execution-driven",))
    assert set(astra.classes) == {"analytical", "profiling-based", "execution-driven"}
    assert LIBRARY.entry("llmservingsim-1").classes != LIBRARY.entry("llmservingsim-2").classes  # type: ignore[union-attr]
    with pytest.raises(RecordError, match="'LLMServingSim' has several records: 'llmservingsim-1', 'llmservingsim-2'"):
        LIBRARY.entry("LLMServingSim")


def test_all_26_claims_with_what_the_primary_says(facts) -> None:
    claims = {claim.id: claim for _, claim in LIBRARY.claims()}
    rows = facts("survey_claims.csv")
    assert len(rows) == len(claims) == 26
    for row in rows:
        claim = claims[row["claim_id"]]
        assert claim.primary == row["primary_says"]
        assert claim.severity == row["severity"]
        assert claim.where == row["survey_location"]
        assert claim.about or claim.id in ("C17",)
    assert sum(len(claim.recomputed) for claim in claims.values()) >= 18


def test_pairs_are_those_of_the_facts(facts) -> None:
    stored: Counter[str] = Counter()
    for name in ("pairs.csv", "pairs_calculon_vtrain_single.csv"):
        by_set: dict[str, list[dict[str, str]]] = {}
        for row in facts(name):
            by_set.setdefault(row["set_id"], []).append(row)
        for set_id, rows in by_set.items():
            pairs = LIBRARY.pair_set(set_id).load()
            assert pairs.predicted == tuple(float(row["predicted"]) for row in rows)
            assert pairs.measured == tuple(float(row["measured"]) for row in rows)
            assert [dict(columns)["pair_id"] for columns in pairs.columns] == [row["pair_id"] for row in rows]
            stored[name] += len(pairs)
    assert stored == {"pairs.csv": 931, "pairs_calculon_vtrain_single.csv": 1440}
    for row in facts("pair_sets.csv"):
        pair_set = LIBRARY.pair_set(row["set_id"])
        assert pair_set.file.licence == row["licence"]
        assert (pair_set.prediction.tool or "") == row["tool_id"]


def test_the_catalogue_passes_its_own_check() -> None:
    _, findings = check_catalog()
    assert [finding for finding in findings if finding.level == "error"] == []
    open_conflicts = [finding for finding in findings if "unresolved conflict" in finding.text]
    assert any("multiverse" in finding.where for finding in open_conflicts)


def test_records_of_other_tools_are_no_input_of_an_estimate() -> None:
    """Their folders are left out of the hash of what an estimate reads, so that it stays and costs nothing."""
    assert not {"simulators", "pairs"} & set(table("index.toml"))
    before = data_sets()[0].sha256
    text = (ROOT / "tco" / "catalog" / "tables.py").read_text(encoding="utf-8")
    for name in ("simulators", "models", "benchmarks", "representations", "validations", "pairs", "claims", "unlisted"):
        assert folder("catalog").joinpath(name).is_dir()
        assert f'"{name}"' in text
    assert data_sets()[0].sha256 == before


def test_the_fields_of_all_records_are_described() -> None:
    for model in KINDS.values():
        assert issubclass(model, Entry)
        assert model.__doc__


def test_toml_files_are_written_whole() -> None:
    """No key of a record is lost in reading: every file parses into as many rows as it has tables."""
    for file in folder("catalog").joinpath("validations").iterdir():
        data = tomllib.loads(file.read_text(encoding="utf-8"))
        for row in data["validations"]:
            assert LIBRARY.validations[row["id"]].tool + ".toml" == file.name
