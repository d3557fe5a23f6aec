"""Embodied carbon by several methods, each with its boundary, and what explains the difference between them.

>>> from tco.embodied import assess
>>> result = assess("hgx-h100", "declared")
>>> f"{result.value:.0f} kg, {result.boundary}"
'7012 kg, node'

Names are loaded on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tco.embodied.allocation import Allocated, allocate
    from tco.embodied.assessment import assess
    from tco.embodied.boundaries import add, joined
    from tco.embodied.comparison import Comparison, compare
    from tco.embodied.model import Assessment, EmbodiedError, Item, LeftOut, Method, NotCoveredError, Piece
    from tco.embodied.plugins import method, methods
    from tco.embodied.result import PartResult, Result
    from tco.embodied.workbench import Options, Workbench

__all__ = [
    "Allocated",
    "Assessment",
    "Comparison",
    "EmbodiedError",
    "Item",
    "LeftOut",
    "Method",
    "NotCoveredError",
    "Options",
    "PartResult",
    "Piece",
    "Result",
    "Workbench",
    "add",
    "allocate",
    "assess",
    "compare",
    "joined",
    "method",
    "methods",
]

_HOME = {
    "Allocated": "allocation",
    "Comparison": "comparison",
    "Options": "workbench",
    "PartResult": "result",
    "Result": "result",
    "Workbench": "workbench",
    "add": "boundaries",
    "allocate": "allocation",
    "assess": "assessment",
    "compare": "comparison",
    "joined": "boundaries",
    "method": "plugins",
    "methods": "plugins",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME.get(name, 'model')}"), name)
