"""Columns of tables: the name of an input or a line with its unit in brackets."""

from __future__ import annotations

import re

_HEADING = re.compile(r"\s*(?P<name>[^\[\]]+?)\s*(?:\[(?P<unit>[^\[\]]*)\])?\s*")


def heading(name: str, unit: str) -> str:
    """``carbon.total [kgCO2e]``; a plain number has no brackets."""
    return name if unit in ("", "1") else f"{name} [{unit}]"


def split_heading(text: str) -> tuple[str, str | None]:
    """Name and unit of a heading; None where it names no unit."""
    match = _HEADING.fullmatch(text)
    return (text, None) if match is None else (match["name"], match["unit"])
