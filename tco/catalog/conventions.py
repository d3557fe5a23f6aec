"""What studies and tools take by convention: lifetimes, utilisations, hours of a year."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from tco.catalog.tables import table
from tco.provenance import Source
from tco.records.base import Record, validate


class Convention(Record):
    """A value that somebody takes, and who."""

    value: str
    source: Source


class _Conventions(Record):
    lifetime: tuple[Convention, ...]
    utilisation: tuple[Convention, ...]
    hours_per_year: tuple[Convention, ...]


@lru_cache(maxsize=1)
def conventions() -> Mapping[str, tuple[str, ...]]:
    """The values by what they are of, each as text with its unit."""
    data: Mapping[str, Any] = table("conventions.toml")
    known = validate(_Conventions, data, "catalog/conventions.toml")
    return {name: tuple(dict.fromkeys(one.value for one in getattr(known, name))) for name in _Conventions.model_fields}
