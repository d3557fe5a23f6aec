"""Which place a person means: exact look-up of countries, aggregates, grid zones, US states and cloud regions."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from tco.errors import RegionError
from tco.grid_intensity.tables import rows

_LIST = "with: tco regions"
_SHOWN = 3
#: No name is longer: a longer text is no misspelt name, and is not shown whole.
_LONGEST = 60
#: Characters that word processors put in place of the ones on the keyboard.
_TYPED = str.maketrans({"\u2019": "'", "\u2010": "-", "\u2011": "-"})


@dataclass(frozen=True, slots=True)
class Region:
    """A place that a run can be in.

    Attributes
    ----------
    id
        The one id of the place: ISO 3166-1 code of a country (``DE``), aggregate in capitals (``EU27``), or with a
        prefix ``zone:``, ``egrid:``, ``us-state:``, ``aws:``, ``azure:``, ``gcp:``.
    name
        For people. That of a cloud region spells out provider, region and location.
    kind
        ``country``, ``aggregate``, ``cloud_region``, ``grid_zone``, ``egrid_subregion`` or ``us_state``.
    parent
        Id of the country whose grid contains the place; None for countries and aggregates.
    groups
        Ids of the aggregates that count it as a member, as far as ``members.csv`` lists them: ``("EU27",)``.
    """

    id: str
    name: str
    kind: str
    parent: str | None = None
    groups: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.id} ({self.name})"


class _Trap(NamedTuple):
    alias: str
    resolves_to: str
    message: str


def _key(text: str) -> str:
    """What is compared: case-folded, without accents, white space as single blanks."""
    if not text.isascii():
        text = unicodedata.normalize("NFD", text.translate(_TYPED).casefold())
        text = "".join(character for character in text if not unicodedata.combining(character))
    return " ".join(text.casefold().split())


@lru_cache(maxsize=1)
def _table() -> dict[str, list[str]]:
    """Rows of ``regions.csv`` by id."""
    return {row[0]: row for row in rows("regions", "regions.csv")}


@lru_cache(maxsize=1)
def _groups() -> dict[str, tuple[str, ...]]:
    groups: dict[str, tuple[str, ...]] = {}
    for group, member in rows("regions", "members.csv"):
        groups[member] = (*groups.get(member, ()), group)
    return groups


@lru_cache(maxsize=1)
def _ids() -> dict[str, str]:
    """Id by key: every alias, and every id itself."""
    ids = {_key(region_id): region_id for region_id in _table()}
    ids.update((key, region_id) for key, region_id in rows("regions", "aliases.csv"))
    return ids


@lru_cache(maxsize=1)
def _traps() -> dict[str, _Trap]:
    """Words that are easily mistaken, by key; those without ``resolves_to`` are refused."""
    return {_key(row[0]): _Trap(*row) for row in rows("regions", "traps.csv")}


@lru_cache(maxsize=1024)
def region(region_id: str) -> Region:
    """The region with exactly this id, for ids that are already known to be right.

    Raises
    ------
    RegionError
        If there is no such id.
    """
    if region_id not in _table():
        raise RegionError(f"region id {_quoted(region_id)} is not known; list them {_LIST}")
    _, name, kind, parent = _table()[region_id]
    return Region(region_id, name, kind, parent or None, _groups().get(region_id, ()))


def regions() -> Iterator[Region]:
    """All regions: countries, aggregates, cloud regions, grid zones, eGRID subregions, US states; by id in each."""
    return map(region, _table())


def resolve(text: str) -> Region:
    """The region that a person named.

    Upper and lower case, accents and white space do not matter; everything else does: ``us-west1`` and ``us-west-1``
    are different places. Nothing is guessed.

    Parameters
    ----------
    text
        ISO code, country name, aggregate, cloud region, grid zone, eGRID subregion or US state.

    Raises
    ------
    RegionError
        If the text is not known (the message names the nearest known ones) or ambiguous (the message names the
        choices), or if it is no text: readers of other formats turn ``NO`` into false and ``NA`` into a missing value.
    """
    if not isinstance(text, str):
        found = _shortened(" ".join(repr(text).split()))
        raise RegionError(
            f'region {found} is not text; regions are text: write "NO" (Norway) and "NA" (Namibia) in quotes, '
            "because YAML reads a bare NO as false and table readers take NA for a missing value"
        )
    key = _key(text)
    trap = _traps().get(key)
    if trap is not None and not trap.resolves_to:
        raise RegionError(f"region {_quoted(text)} is ambiguous: {trap.message}")
    region_id = _ids().get(key)
    if region_id is None:
        raise RegionError(_unknown(text, key))
    return region(region_id)


def remark(text: str) -> str:
    """What is easily mistaken about a word that does resolve, or an empty text.

    Returns
    -------
    str
        For ``CA``: ``"country Canada; California is US-CA, its grid zone US-CAL-CISO"``.
    """
    trap = _traps().get(_key(text))
    return trap.message if trap is not None and trap.resolves_to else ""


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _quoted(text: str) -> str:
    return f"'{_shortened(text if text.isprintable() else repr(text)[1:-1])}'"


def _unknown(text: str, key: str) -> str:
    if not key:
        return f"region is empty; write for instance 'DE', 'EU27' or 'aws:eu-central-1'; list all {_LIST}"
    near = _near(key) if len(key) <= _LONGEST else []
    if not near:
        return f"region {_quoted(text)} is not known, and nothing known is near it. List the known ones {_LIST}"
    return f"region {_quoted(text)} is not known; nearest: {', '.join(near)}. List them {_LIST}"


def _near(key: str) -> list[str]:
    """Known places whose name holds the words, then those of similar spelling, for a message."""
    refused = {name: trap for name, trap in _traps().items() if not trap.resolves_to}
    cutoff = 0.6 if len(key) > 3 else 0.4  # a short code has few letters to agree in
    near: dict[str, str] = {}
    if len(key) > 3:
        words = re.compile(rf"\b{re.escape(key)}")
        for place in regions():
            if words.search(_key(place.name)):
                near[place.id] = place.name
    import difflib

    for match in difflib.get_close_matches(key, [*_ids(), *refused], n=2 * _SHOWN, cutoff=cutoff):
        if match in refused:
            near[refused[match].alias] = f"ambiguous: {refused[match].message}"
        else:
            near.setdefault(_ids()[match], region(_ids()[match]).name)
    return [f"'{place}' ({name})" for place, name in near.items()][:_SHOWN]
