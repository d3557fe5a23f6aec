"""The published claims that ship with the package."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from tco.catalog.tables import record_ids, table
from tco.claims.record import Claim, ClaimFile
from tco.errors import RecordError
from tco.records.base import validate

FOLDER = "published"


@lru_cache(maxsize=1)
def published() -> Mapping[str, Claim]:
    """All published claims by id, in the order of their files."""
    found: dict[str, Claim] = {}
    for name in record_ids(FOLDER):
        where = f"catalog/{FOLDER}/{name}.toml"
        for claim in validate(ClaimFile, table(FOLDER, f"{name}.toml"), where).all():
            if claim.id in found:
                raise RecordError(f"{where}: the id '{claim.id}' is taken; ids of published claims are unique")
            found[claim.id] = claim
    return found
