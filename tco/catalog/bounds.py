"""Bounds that no input leaves in this world: outside of them a unit was mistaken."""

from __future__ import annotations

from functools import lru_cache

from tco.catalog.prices import exchange_rate
from tco.catalog.tables import table
from tco.provenance import Source
from tco.records.base import Record, validate
from tco.units import Quantity, convert, currency, parse_unit


class Plausible(Record):
    """Bounds of one input, in `unit`, and what the user may have meant outside of them.

    Attributes
    ----------
    minimum, maximum
        Smallest and largest value that is taken.
    above
        Value that the input must exceed, where the bound itself is impossible.
    source
        Where a number in the hint was read.
    """

    minimum: float | None = None
    above: float | None = None
    maximum: float | None = None
    unit: str
    hint: str
    source: Source | None = None

    def fault(self, quantity: Quantity) -> str | None:
        """What is wrong with a value of this input, or None.

        Money in another currency than that of the bounds is judged at the catalogue's exchange rate; where there is
        none, it is not judged.
        """
        scale, unit = 1.0, self.unit
        own, judged_in = currency(quantity), currency(parse_unit(self.unit))
        if own is not None and judged_in is not None and own != judged_in:
            rate = exchange_rate(own, judged_in)
            if rate is None:
                return None
            scale, unit = rate.value, self.unit.replace(judged_in, own)
        number = float(convert(quantity, unit).magnitude) * scale
        shown = "" if self.unit == "1" else f" {self.unit}"
        if self.minimum is not None and number < self.minimum:
            return f"{number:g}{shown} is below {self.minimum:g}{shown}: {self.hint}"
        if self.above is not None and number <= self.above:
            return f"{number:g}{shown} is not above {self.above:g}{shown}: {self.hint}"
        if self.maximum is not None and number > self.maximum:
            return f"{number:g}{shown} is above {self.maximum:g}{shown}: {self.hint}"
        return None


@lru_cache(maxsize=256)
def plausible(name: str) -> Plausible | None:
    """Bounds of the input with this dotted name; None for inputs without bounds."""
    bounds = table("plausible.toml").get(name)
    return None if bounds is None else validate(Plausible, bounds, f"catalog/plausible.toml: {name}")
