"""The TOML files of the knowledge folder ``catalog``."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib.resources.abc import Traversable
from typing import Any

from tco.knowledge import folder
from tco.provenance import DataSet


@lru_cache(maxsize=256)
def table(*path: str) -> Mapping[str, Any]:
    """A TOML file of the folder; read once, not to be changed."""
    return tomllib.loads(folder("catalog").joinpath(*path).read_text(encoding="utf-8"))


def record_ids(kind: str) -> list[str]:
    """Ids of the records in a subfolder, by their file names."""
    files = folder("catalog").joinpath(kind).iterdir()
    return sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml"))


#: Folders about other tools, which no estimate reads.
_OF_OTHER_TOOLS = frozenset(
    ("simulators", "models", "benchmarks", "representations", "validations", "pairs", "claims", "published", "unlisted")
)


def _files(place: Traversable, path: str = "") -> Iterator[tuple[str, bytes]]:
    for entry in sorted(place.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            if not path and entry.name in _OF_OTHER_TOOLS:
                continue
            yield from _files(entry, f"{path}{entry.name}/")
        elif entry.name.endswith(".toml"):
            yield f"{path}{entry.name}", entry.read_bytes()


@lru_cache(maxsize=1)
def data_sets() -> tuple[DataSet, ...]:
    """The catalogue and the exchange rates in it, in the state that is installed."""
    catalogue, rates = hashlib.sha256(), hashlib.sha256()
    for path, content in _files(folder("catalog")):
        (rates if path == "prices/exchange.toml" else catalogue).update(f"{path}\n".encode() + content)
    source = table("prices", "exchange.toml")["source"]
    return (
        DataSet(
            name="catalog",
            release=table("index.toml")["release"],
            sha256=catalogue.hexdigest(),
            title="Hardware, prices and defaults",
            licence="see the source of each figure",
        ),
        DataSet(
            name="exchange-rates",
            release=source["where"],
            sha256=rates.hexdigest(),
            title=f"{source['title']}, {source['author']}",
            licence=source["licence"],
        ),
    )
