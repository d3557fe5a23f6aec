"""What is assumed where nobody states an input, and factors that several records share."""

from __future__ import annotations

from functools import lru_cache

from tco.catalog.tables import table
from tco.errors import RecordError, did_you_mean
from tco.records.base import validate
from tco.records.figure import Figure


def _figure(name: str, *path: str) -> Figure:
    figures = table(*path)
    file = "/".join(("catalog", *path))
    if name not in figures:
        raise RecordError(f"{file}: there is no '{name}'{did_you_mean(name, figures)} (known: {', '.join(figures)})")
    return validate(Figure, figures[name], f"{file}: {name}")


@lru_cache(maxsize=64)
def default(name: str) -> Figure:
    """What is assumed for an input that nobody states.

    Parameters
    ----------
    name
        Dotted name of the input, such as ``site.pue`` or ``node.overhead.air``.

    Raises
    ------
    RecordError
        If there is no default of that name; the message lists those there are.
    """
    return _figure(name, "defaults.toml")


@lru_cache(maxsize=64)
def factor(name: str) -> Figure:
    """A factor of embodied carbon that estimates of several boards share: ``hbm`` or ``board_without_memory``.

    Raises
    ------
    RecordError
        If there is no factor of that name.
    """
    return _figure(name, "embodied", "factors.toml")
