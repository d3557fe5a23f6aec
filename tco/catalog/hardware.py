"""Accelerators and nodes by name: exact look-up in an index, then one record."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from tco.catalog.tables import table
from tco.errors import RecordError
from tco.records.base import load, validate
from tco.records.system import Accelerator, System

_LIST = "List them with: tco hardware list"
_JOINED = re.compile(r"[\s_-]+")
_SHOWN = 4


class Names(NamedTuple):
    """Ids of what the catalogue knows."""

    accelerators: tuple[str, ...]
    systems: tuple[str, ...]


def normalised(name: str) -> str:
    """What is compared of a name: case-folded, blanks, underscores and hyphens as one hyphen."""
    return _JOINED.sub("-", name.casefold()).strip("-")


@lru_cache(maxsize=1)
def names() -> Names:
    """Ids of all accelerators and systems of the catalogue."""
    index = table("index.toml")
    return Names(tuple(sorted(set(index["accelerators"].values()))), tuple(sorted(set(index["systems"].values()))))


@lru_cache(maxsize=256)
def _accelerator(record_id: str) -> Accelerator:
    path = ("accelerators", f"{record_id}.toml")
    return validate(Accelerator, table(*path), "/".join(("catalog", *path)))


@lru_cache(maxsize=256)
def _system(record_id: str) -> System:
    path = ("systems", f"{record_id}.toml")
    return validate(System, table(*path), "/".join(("catalog", *path)))


def find_accelerator(model: str) -> Accelerator | None:
    """The accelerator that a tool names so, or None; nothing is guessed.

    Parameters
    ----------
    model
        Id or alias. Case does not matter, nor whether words are joined by blanks, underscores or hyphens.
    """
    record_id = table("index.toml")["accelerators"].get(normalised(model))
    return None if record_id is None else _accelerator(record_id)


@lru_cache(maxsize=1024)
def accelerator(name: str) -> Accelerator:
    """The accelerator with this id or alias.

    Raises
    ------
    RecordError
        If there is none; the message names the nearest.
    """
    found = find_accelerator(name)
    if found is None:
        node = find_system(name)
        if node is not None and node.accelerator is not None:
            raise RecordError(f"'{name}' is a node, not an accelerator; it holds '{node.accelerator}'")
        raise RecordError(f"accelerator '{name}' is not known{_near(name, 'accelerators')} {_LIST}")
    return found


def systems_with(model: str) -> tuple[str, ...]:
    """Ids of the nodes that hold an accelerator, air-cooled ones first; of a node its own id.

    Parameters
    ----------
    model
        Id or alias of an accelerator or of a node; nothing is known of other names, so the result is empty.
    """
    index, key = table("index.toml"), normalised(model)
    if key in index["systems"]:
        return (index["systems"][key],)
    return tuple(index["nodes"].get(index["accelerators"].get(key), ()))


def find_system(model: str, count_per_node: float | None = None) -> System | None:
    """The node that a tool names so, or that holds so many of an accelerator; None where it is not known.

    Parameters
    ----------
    model
        Id or alias of a node, or of an accelerator.
    count_per_node
        Accelerators (cards, not dies) in a node; needed where `model` is an accelerator.

    Notes
    -----
    What a node holds does not tell how it is cooled. Of nodes that differ in that, the air-cooled one is meant.
    """
    if normalised(model) in table("index.toml")["systems"]:
        return system(model)
    fitting = [node for node in map(_system, systems_with(model)) if node.devices_per_node == count_per_node]
    if len(fitting) > 1:
        fitting = [node for node in fitting if node.cooling == "air"]
    return fitting[0] if len(fitting) == 1 else None


def system(name: str) -> System:
    """The node with this id or alias, or the one in a file.

    Parameters
    ----------
    name
        Id, alias, or path of a TOML or JSON file: it ends in ``.toml`` or ``.json``, or has a slash.

    Raises
    ------
    RecordError
        If there is none, or the file is not a record of a node; the message says what would be right.
    """
    record_id = table("index.toml")["systems"].get(normalised(name))
    if record_id is not None:
        return _system(record_id)
    if name.endswith((".toml", ".json")) or "/" in name or "\\" in name:
        return load(System, Path(name))
    device = find_accelerator(name)
    if device is not None:
        nodes = systems_with(name)
        holding = f"nodes with it: {_quoted(nodes)}" if nodes else "no node with it is known"
        raise RecordError(f"'{name}' is an accelerator, not a node; {holding}. {_LIST}")
    raise RecordError(f"system '{name}' is not known{_near(name, 'systems')} {_LIST}, or give a TOML or JSON file")


def _quoted(known: Iterable[str], between: str = ", ") -> str:
    return between.join(f"'{name}'" for name in known)


def _near(name: str, kind: str) -> str:
    """The end of a message: records whose names hold these words, else those of similar spelling."""
    index, key = table("index.toml")[kind], normalised(name)
    holding = sorted({record_id for alias, record_id in index.items() if key and f"-{key}-" in f"-{alias}-"})
    if holding:
        more = f" and {len(holding) - _SHOWN} more" if len(holding) > _SHOWN else ""
        return f" by that name alone; it could be {_quoted(holding[:_SHOWN])}{more}."
    import difflib

    alike = dict.fromkeys(index[alias] for alias in difflib.get_close_matches(key, index, n=2 * _SHOWN))
    return f"; did you mean {_quoted(list(alike)[:_SHOWN], ' or ')}?" if alike else "."
