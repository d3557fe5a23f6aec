"""Libraries that only some analyses need: loaded where they are used, and named where they are missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tco.errors import TcoError


def load(module: str, extra: str, what: str) -> Any:
    """A module of an optional dependency.

    Raises
    ------
    TcoError
        Naming what needs it and how to install it.
    """
    try:
        return import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise TcoError(f"{what} needs '{package}'; install it with: pip install 'tco-carbon[{extra}]'") from None


def special() -> Any:
    """`scipy.special`."""
    return load("scipy.special", "analysis", "a point set or a Sobol index of a normal, lognormal or PERT input")


def qmc() -> Any:
    """`scipy.stats.qmc`."""
    return load("scipy.stats.qmc", "analysis", "a Latin hypercube or Sobol points")


def pyplot() -> Any:
    """`matplotlib.pyplot`, drawing into files only."""
    load("matplotlib", "plots", "a plot").use("Agg")
    return load("matplotlib.pyplot", "plots", "a plot")


def parquet() -> Any:
    """`pyarrow.parquet`."""
    return load("pyarrow.parquet", "parquet", "a Parquet file")
