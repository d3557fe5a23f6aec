"""The index equals the records."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tco.catalog import index
from tco.errors import RecordError

INDEX = Path(__file__).resolve().parents[2] / "catalog" / "index.toml"


def test_index_is_that_of_the_records():
    written = INDEX.read_text(encoding="utf-8")
    assert written == index.index_text(), "write it anew: python -m tco.catalog.index > catalog/index.toml"
    read = tomllib.loads(written)
    assert read["accelerators"] == index.aliases("accelerators")
    assert read["systems"] == index.aliases("systems")
    assert read["nodes"] == index.nodes()


def test_no_name_is_both_an_accelerator_and_a_node():
    read = tomllib.loads(INDEX.read_text(encoding="utf-8"))
    assert not set(read["accelerators"]) & set(read["systems"])


@pytest.fixture
def records(monkeypatch):
    found = {"one": {"name": "one", "aliases": ["First"]}, "two": {"name": "two", "aliases": []}}
    monkeypatch.setattr(index, "record_ids", lambda kind: sorted(found))
    monkeypatch.setattr(index, "table", lambda kind, file: found[file.removesuffix(".toml")])
    return found


def test_an_alias_of_two_records_is_refused(records):
    records["two"]["aliases"] = ["FIRST"]
    with pytest.raises(RecordError, match=r"^catalog/systems/two\.toml: aliases: 'FIRST' is an alias of 'one' too$"):
        index.aliases("systems")


def test_a_file_with_another_name_than_its_record_is_refused(records):
    records["two"]["name"] = "three"
    with pytest.raises(RecordError, match=r"^catalog/systems/two\.toml: name: 'three' is not the name of the file$"):
        index.aliases("systems")
