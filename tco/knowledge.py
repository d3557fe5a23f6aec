"""Where the knowledge folders (catalog, grid_intensity, reports, examples) are found."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

_BESIDE = Path(__file__).resolve().parent.parent


@lru_cache(maxsize=16)
def folder(name: str) -> Traversable:
    """The knowledge folder `name`: the copy inside the installed package, or the one in the checkout it runs from.

    Raises
    ------
    FileNotFoundError
        If neither is there; the message names both places.
    """
    shipped = resources.files("tco") / "_data" / name
    if shipped.is_dir():
        return shipped
    if (_BESIDE / "pyproject.toml").is_file() and (_BESIDE / name).is_dir():
        return _BESIDE / name
    raise FileNotFoundError(f"the {name!r} data is missing: looked in {shipped} and {_BESIDE / name}")
