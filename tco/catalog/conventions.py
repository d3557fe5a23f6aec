"""What studies and tools take by convention: lifetimes, utilisations, hours of a year."""

from __future__ import annotations

from functools import lru_cache

from tco.catalog.tables import table
from tco.records.base import Record, validate
from tco.records.figure import Figure


class Conventions(Record):
    """Values that published studies take, each with its source.

    Attributes
    ----------
    lifetime, utilisation, hours_per_year
        Useful life of hardware, share of it for which hardware is charged, hours that a year has.
    """

    lifetime: tuple[Figure, ...]
    utilisation: tuple[Figure, ...]
    hours_per_year: tuple[Figure, ...]


@lru_cache(maxsize=1)
def conventions() -> Conventions:
    """The conventions of the catalogue."""
    return validate(Conventions, table("conventions.toml"), "catalog/conventions.toml")
