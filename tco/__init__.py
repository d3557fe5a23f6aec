"""What an AI or HPC run costs and emits.

>>> import tco
>>> est = tco.estimate("run.json", region="eu")  # doctest: +SKIP
>>> est["carbon.total"].value  # doctest: +SKIP

The public names below are loaded on first use, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from tco.analysis.many import estimate_many as estimate_many
    from tco.errors import TcoError as TcoError
    from tco.estimation import Estimate as Estimate
    from tco.estimation import Line as Line
    from tco.estimation import estimate as estimate
    from tco.readers import read as read
    from tco.records.run import Run as Run
    from tco.records.site import Site as Site
    from tco.records.system import System as System
    from tco.units import Q as Q
    from tco.units import Quantity as Quantity
    from tco.units import read_quantity as read_quantity

_HOME = {
    "Estimate": "tco.estimation",
    "Line": "tco.estimation",
    "Q": "tco.units",
    "Quantity": "tco.units",
    "Run": "tco.records.run",
    "Site": "tco.records.site",
    "System": "tco.records.system",
    "TcoError": "tco.errors",
    "estimate": "tco.estimation",
    "estimate_many": "tco.analysis.many",
    "read": "tco.readers",
    "read_quantity": "tco.units",
}
__all__ = sorted([*_HOME, "__version__"])  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'tco' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
