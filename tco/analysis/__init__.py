"""What an estimate's ranges mean: samples, sensitivities, sweeps, break-even, comparisons.

Everything here runs on the calculation graph of an estimate, for any line and any input. Names are loaded on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tco.analysis.attribution import attribute
    from tco.analysis.compare import compare
    from tco.analysis.derivatives import gradient
    from tco.analysis.many import estimate_many
    from tco.analysis.pareto import pareto_front
    from tco.analysis.recipe import Recipe
    from tco.analysis.sampling import sample, spread
    from tco.analysis.scenarios import read_scenarios
    from tco.analysis.sensitivity import sensitivity
    from tco.analysis.solve import solve
    from tco.analysis.sweep import sweep

__all__ = [
    "Recipe",
    "attribute",
    "compare",
    "estimate_many",
    "gradient",
    "pareto_front",
    "read_scenarios",
    "sample",
    "sensitivity",
    "solve",
    "spread",
    "sweep",
]

_HOME = {
    "Recipe": "recipe",
    "attribute": "attribution",
    "estimate_many": "many",
    "gradient": "derivatives",
    "pareto_front": "pareto",
    "read_scenarios": "scenarios",
    "sample": "sampling",
    "spread": "sampling",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME.get(name, name)}"), name)
