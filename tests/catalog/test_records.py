"""Every file of the catalogue: it validates, and each number in it has a source, a licence and a range in order."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tco import catalog
from tco.catalog.library import FOLDERS
from tco.catalog.tables import record_ids, table
from tco.records.figure import Figure
from tco.records.system import System
from tco.units import currency, parse_unit

CATALOG = Path(__file__).resolve().parents[2] / "catalog"
FILES = sorted(CATALOG.rglob("*.toml"))
TITLES = [str(file.relative_to(CATALOG)) for file in FILES]


def figures(data: Any, place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """All tables with a value, as they stand in a file."""
    if isinstance(data, dict):
        if "value" in data:
            yield place, data
        for key, item in data.items():
            yield from figures(item, f"{place}.{key}")
    elif isinstance(data, list):
        for index, item in enumerate(data):
            yield from figures(item, f"{place}[{index}]")


ALL = [
    (place, data)
    for file in FILES
    if file.relative_to(CATALOG).parts[0] not in (*FOLDERS, "published")  # of others: their numbers are no figures
    for place, data in figures(tomllib.loads(file.read_text(encoding="utf-8")), str(file.relative_to(CATALOG)))
]


def test_folder_holds_knowledge_only():
    assert {file.suffix for file in CATALOG.rglob("*") if file.is_file()} == {".toml", ".csv"}
    assert {file.parent.name for file in CATALOG.rglob("*.csv")} == {"pairs", "workloads"}


@pytest.mark.parametrize("record_id", record_ids("accelerators"))
def test_accelerator_is_complete(record_id):
    record = catalog.accelerator(record_id)
    assert record.name == record_id
    assert record.title
    assert record.tdp is not None
    assert record.memory is not None  # without published embodied carbon it is estimated from the memory
    assert record.embodied is None or record.embodied.phase


@pytest.mark.parametrize("record_id", record_ids("systems"))
def test_system_is_complete(record_id):
    record = catalog.system(record_id)
    assert record.name == record_id
    assert record.title
    assert record.cooling is not None or "cooling is not stated" in " ".join(record.gaps)
    assert record.parts
    assert record.gaps
    for part in record.parts:
        if part.accelerator is not None:
            assert catalog.accelerator(part.accelerator).name == part.accelerator == record.accelerator
            assert part.count == record.devices_per_node


@pytest.mark.parametrize("record_id", record_ids("systems"))
def test_what_a_system_lacks_is_named(record_id):
    record = catalog.system(record_id)
    gaps = " ".join(record.gaps).lower()
    assert record.price is not None or "no price" in gaps
    assert record.rating is not None or "no rating" in gaps or "no price and no rating" in gaps
    assert (
        record.node_model is not None
        or record.accelerator is None
        or any(word in gaps for word in ("ratio", "no rating"))
    )


def test_host_and_accelerators_do_not_overlap():
    for record_id in catalog.names().systems:
        record = catalog.system(record_id)
        if any(part.gap is not None for part in record.parts):
            assert all(part.gap is not None for part in record.parts)
            continue
        boundaries = [
            (catalog.accelerator(part.accelerator).embodied if part.accelerator else part.embodied)
            for part in record.parts
            if part.component is None
        ]
        found = sorted((figure.boundary if figure else "board") or "?" for figure in boundaries)
        if len(boundaries) < len(record.parts):  # taken apart into components: no figure of a whole may stand beside
            assert set(found) <= {"module"}
        else:
            assert found in (["board", "host"], ["node"])


@pytest.mark.parametrize(("place", "data"), ALL, ids=[place for place, _ in ALL])
def test_figure_can_be_looked_up(place, data):
    figure = Figure.model_validate(data)
    assert {"value", "unit", "basis", "source"} <= set(data)
    assert figure.source is not None
    assert figure.source.title
    assert figure.source.where
    assert figure.source.licence
    low, high = (figure.value if end is None else end for end in (figure.low, figure.high))
    assert low <= figure.value <= high
    unit = parse_unit(figure.unit)
    if currency(unit) is not None:
        assert figure.price_year is not None
        assert 2000 < figure.price_year <= 2026
    if "[carbon]" in unit.dimensionality and currency(unit) is None:
        assert figure.boundary is not None
        assert figure.method is not None


@pytest.mark.parametrize("file", FILES, ids=TITLES)
def test_text_is_tidy(file):
    text = file.read_text(encoding="utf-8")
    assert not re.search(r"(^|[\s'\"])/\w+/", text)  # no path of a machine
    assert not re.search(r"[ \t]$", text, re.MULTILINE)
    assert text.endswith("\n")
    assert max(len(line) for line in text.splitlines() if not line.startswith("url")) <= 120


def test_no_table_of_a_file_goes_unread():
    known = {"accelerators", "systems", "embodied", "performance", "power", "prices", "published", "workloads"}
    assert {path.name for path in CATALOG.iterdir() if path.is_dir()} == known | set(FOLDERS)
    for file in ("defaults.toml", "plausible.toml"):
        read = catalog.default if file == "defaults.toml" else catalog.plausible
        for name in table(file):
            assert read(name) is not None


def test_an_unknown_key_in_a_record_is_an_error(tmp_path):
    path = tmp_path / "node.toml"
    path.write_text('name = "x"\nlife = "5 year"\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"node\.toml: 'life' is not a field here; did you mean 'lifetime'\?"):
        catalog.system(str(path))


def test_system_from_a_file(tmp_path):
    path = tmp_path / "node.toml"
    path.write_text(
        'name = "ours"\naccelerator = "b300"\ndevices_per_node = 8\nprice = "500000 EUR"\n', encoding="utf-8"
    )
    record = catalog.system(str(path))
    assert isinstance(record, System)
    assert record.name == "ours"
    assert record.price is not None
    assert record.price.unit == "EUR"
    path.write_text('name = "theirs"\n', encoding="utf-8")
    assert catalog.system(str(path)).name == "theirs"  # files are not cached
