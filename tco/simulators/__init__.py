"""Simulators as plug-ins: a workload and a system in, the run that a simulator predicts out.

>>> from tco.simulators import simulate
>>> answers = simulate("gpt3.toml", ["6nd"], "hgx-h100", devices=512)  # doctest: +SKIP

A simulator is an object with ``name``, ``title``, ``settings``, ``available`` and ``run`` (see `Simulator`), declared
as an entry point of the group ``tco.simulators``, or a small TOML file that says which command to call. Only those
that the caller names are loaded.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tco.simulators.base import Options, Simulator, SimulatorError
    from tco.simulators.running import Answer, load_workload, simulate
    from tco.simulators.validation import calibrate, time_ratio

_HOME = {
    "Answer": "running",
    "Options": "base",
    "Simulator": "base",
    "SimulatorError": "base",
    "calibrate": "validation",
    "load_workload": "running",
    "simulate": "running",
    "time_ratio": "validation",
}
__all__ = ["Answer", "Options", "Simulator", "SimulatorError", "calibrate", "load_workload", "simulate", "time_ratio"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
