"""Emissions of electricity: which place is meant, and what its grid emits per energy.

>>> from tco.grid_intensity import factor, resolve
>>> print(factor(resolve("eu"), 2024))
European Union (27) (EU27), 2024, lifecycle, production, average, ember-yearly 2026-04

What needs units and records is loaded on first use: finding a place does not.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

# Bound here and not on first use: the function `regions` has the name of its module and must be the one that is found.
from tco.grid_intensity.regions import Region, region, regions, remark, resolve

if TYPE_CHECKING:
    from tco.grid_intensity.factors import data_set, factor, years

__all__ = ["Region", "data_set", "factor", "region", "regions", "remark", "resolve", "years"]


def __getattr__(name: str) -> Any:
    if name in ("data_set", "factor", "years"):
        return getattr(import_module("tco.grid_intensity.factors"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
