"""Short names for what bidders write in words."""

from __future__ import annotations

import re
from collections.abc import Iterable


def slug(text: str) -> str:
    """``GPU nodes (8x)`` as ``gpu-nodes-8x``."""
    return re.sub(r"[^a-z0-9]+", "-", text.casefold()).strip("-") or "item"


def slugs(texts: Iterable[str]) -> dict[str, str]:
    """Short names that differ, by the text."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for text in texts:
        name, count = slug(text), 1
        while name in taken:
            count += 1
            name = f"{slug(text)}-{count}"
        taken.add(name)
        found[text] = name
    return found
