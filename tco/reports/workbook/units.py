"""Conversions between units as cells that a reader sees: ``unit.gCO2e.to.kgCO2e`` is 0.001."""

from __future__ import annotations

import math
from typing import NamedTuple

from tco.reports.workbook.live import Live, number
from tco.reports.workbook.names import Names, unit_word
from tco.units import Q, Unit


class Conversion(NamedTuple):
    """A factor: so many `to` are one `of`; `name` is that of its cell."""

    name: str
    of: str
    to: str
    factor: float

    def cell(self) -> Live:
        """What its cell holds: the factor, as one over a whole number where it is that."""
        over = round(1 / self.factor) if self.factor < 1 else 0
        exact = over > 0 and math.isclose(1 / over, self.factor, rel_tol=1e-15)
        return Live(f"1/{over}", self.factor) if exact else number(self.factor)


class Conversions:
    """The conversions that a book uses, in the order of first use."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._known: dict[tuple[Unit, Unit], Conversion | None] = {}

    def used(self) -> list[Conversion]:
        """All that stand in a formula."""
        return [each for each in self._known.values() if each is not None]

    def convert(self, live: Live, of: Unit, to: Unit) -> Live:
        """An expression in one unit as one in another; unchanged where the two are the same size."""
        if of == to:
            return live
        key = (of, to)
        if key not in self._known:
            factor = float(Q(1.0, of).to(to).magnitude)
            if factor == 1.0:
                self._known[key] = None
            else:
                source, target = f"{of:~C}" or "1", f"{to:~C}" or "1"
                name = self._names.of("unit", unit_word(source), "to", unit_word(target))
                self._known[key] = Conversion(name, source, target, factor)
        conversion = self._known[key]
        return live if conversion is None else live * Live(conversion.name, conversion.factor)
