"""The index of the hardware records, written from the records: ``python -m tco.catalog.index > catalog/index.toml``."""

from __future__ import annotations

import json
from collections.abc import Mapping

from tco.catalog.hardware import normalised
from tco.catalog.tables import record_ids, table
from tco.errors import RecordError

#: Of the knowledge in the folder; change it with the knowledge.
RELEASE = "2026-11"
_HEAD = "# Names of the hardware to the ids of their records. Written by tco.catalog.index, not by hand.\n"


def aliases(kind: str) -> dict[str, str]:
    """Id by normalised alias, for the records of a kind; every id is an alias of itself.

    Raises
    ------
    RecordError
        If a file is not named after its record, or two records share an alias.
    """
    index: dict[str, str] = {}
    for record_id in record_ids(kind):
        record = table(kind, f"{record_id}.toml")
        if record["name"] != record_id:
            raise RecordError(f"catalog/{kind}/{record_id}.toml: name: {record['name']!r} is not the name of the file")
        for alias in (record_id, *record.get("aliases", ())):
            other = index.setdefault(normalised(alias), record_id)
            if other != record_id:
                raise RecordError(f"catalog/{kind}/{record_id}.toml: aliases: '{alias}' is an alias of '{other}' too")
    return index


def nodes() -> dict[str, list[str]]:
    """The systems that hold an accelerator, air-cooled ones first."""
    index: dict[str, list[str]] = {}
    for record_id in record_ids("systems"):
        held = table("systems", f"{record_id}.toml").get("accelerator")
        if held is not None:
            index.setdefault(held, []).append(record_id)
    for systems in index.values():
        systems.sort(key=lambda system: (table("systems", f"{system}.toml").get("cooling") != "air", system))
    return index


def _lines(title: str, entries: Mapping[str, object]) -> list[str]:
    return ["", f"[{title}]", *(f"{json.dumps(key)} = {json.dumps(entries[key])}" for key in sorted(entries))]


def index_text() -> str:
    """The index as TOML text."""
    lines = [_HEAD + f"release = {json.dumps(RELEASE)}"]
    for kind in ("accelerators", "systems"):
        lines += _lines(kind, aliases(kind))
    return "\n".join(lines + _lines("nodes", nodes())) + "\n"


if __name__ == "__main__":
    print(index_text(), end="")
