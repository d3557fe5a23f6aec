"""Emissions of electricity: which place is meant, and what its grid emits per energy.

>>> from tco.grid_intensity import factor, resolve
>>> print(factor(resolve("eu"), 2024))
European Union (27) (EU27), 2024, lifecycle, production, average, ember-yearly 2026-04

What needs units and records is loaded on first use: finding a place does not.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tco.grid_intensity.cloud import zone_of

# Bound here and not on first use: the function `regions` has the name of its module and must be the one that is found.
from tco.grid_intensity.regions import Region, region, regions, remark, resolve

if TYPE_CHECKING:
    from tco.grid_intensity.factors import data_set, factor, years
    from tco.grid_intensity.formats import Reading, read_series, write_series
    from tco.grid_intensity.months import monthly
    from tco.grid_intensity.series import Profile, Series, match, schedule
    from tco.grid_intensity.sets import choose

_HOME = {
    "Profile": "series",
    "Reading": "formats",
    "Series": "series",
    "choose": "sets",
    "data_set": "factors",
    "factor": "factors",
    "match": "series",
    "monthly": "months",
    "read_series": "formats",
    "schedule": "series",
    "write_series": "formats",
    "years": "factors",
}
__all__ = [
    "Profile",
    "Reading",
    "Region",
    "Series",
    "choose",
    "data_set",
    "factor",
    "match",
    "monthly",
    "read_series",
    "region",
    "regions",
    "remark",
    "resolve",
    "schedule",
    "write_series",
    "years",
    "zone_of",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
