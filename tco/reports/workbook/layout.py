"""Which sheets a workbook has, in which order, and which lines stand where."""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from typing import Any, NamedTuple

from tco.knowledge import folder


class SheetPlan(NamedTuple):
    """One sheet: key in the code, title on its tab, what it is for, and patterns of the names of its lines."""

    key: str
    title: str
    purpose: str
    lines: tuple[str, ...]


@lru_cache(maxsize=8)
def read_toml(name: str) -> dict[str, Any]:
    """A file of ``reports/workbook``."""
    return tomllib.loads(folder("reports").joinpath("workbook", name).read_text(encoding="utf-8"))


@lru_cache(maxsize=1)
def sheets() -> tuple[SheetPlan, ...]:
    """All sheets that a workbook may have, in order."""
    found = read_toml("estimate.toml")["sheet"]
    return tuple(SheetPlan(s["key"], s["title"], s["purpose"], tuple(s.get("lines", ()))) for s in found)


@lru_cache(maxsize=4096)
def home_of(line: str) -> str:
    """Key of the sheet on which a line has its cell."""
    for sheet in sheets():
        if any(re.fullmatch(pattern, line) for pattern in sheet.lines):
            return sheet.key
    raise LookupError(line)
