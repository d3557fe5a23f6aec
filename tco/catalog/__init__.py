"""What is known of hardware, prices, plausible inputs and of other tools: the knowledge folder ``catalog``, typed.

>>> from tco.catalog import accelerator, default
>>> print(accelerator("NVIDIA H100 80GB HBM3").name, default("site.pue").value)
h100-sxm5-80gb 1.54

Look-ups are exact and read one index and one record. Names are loaded on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tco.catalog.bounds import Plausible, plausible
    from tco.catalog.comparability import comparable
    from tco.catalog.defaults import default, factor
    from tco.catalog.hardware import Names, accelerator, find_accelerator, find_system, names, system, systems_with
    from tco.catalog.library import Library, read_library
    from tco.catalog.metrics import scores
    from tco.catalog.prices import building_cost, exchange_rate, tariff
    from tco.catalog.tables import data_sets

__all__ = [
    "Library",
    "Names",
    "Plausible",
    "accelerator",
    "building_cost",
    "comparable",
    "data_sets",
    "default",
    "exchange_rate",
    "factor",
    "find_accelerator",
    "find_system",
    "names",
    "plausible",
    "read_library",
    "scores",
    "system",
    "systems_with",
    "tariff",
]

_HOME = {
    "data_sets": "tables",
    "default": "defaults",
    "factor": "defaults",
    "plausible": "bounds",
    "Plausible": "bounds",
    "building_cost": "prices",
    "exchange_rate": "prices",
    "tariff": "prices",
    "comparable": "comparability",
    "scores": "metrics",
    "Library": "library",
    "read_library": "library",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME.get(name, 'hardware')}"), name)
