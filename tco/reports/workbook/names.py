"""Defined names: the library's dotted names behind a prefix, in the letters that spreadsheets take."""

from __future__ import annotations

import re

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_.]+")
#: Longest defined name that spreadsheets take.
_LONGEST = 255


class Names:
    """Defined names that are given once each; spreadsheets do not tell capitals from small letters."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def of(self, *parts: str) -> str:
        """A free name of a prefix and a dotted name: ``in.site.pue``."""
        plain = ".".join(_NOT_IN_NAMES.sub("_", part) for part in parts)[: _LONGEST - 4]
        name, count = plain, 1
        while name.casefold() in self._taken:
            count += 1
            name = f"{plain}_{count}"
        self._taken.add(name.casefold())
        return name


def unit_word(text: str) -> str:
    """A unit as part of a name: ``EUR/(kW*month)`` gives ``EUR_per_kW_month``."""
    word = text.replace("/", "_per_").replace("**", "").replace("*", "_").replace("%", "percent")
    return _NOT_IN_NAMES.sub("", word) or "number"
