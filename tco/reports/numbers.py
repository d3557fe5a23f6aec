"""Numbers for people: sensible digits, a readable prefix, the unit beside them."""

from __future__ import annotations

import math

from tco.graph import base_factor
from tco.units import CURRENCIES, Q, Quantity, parse_unit

#: Units among which a value may be shown, smallest first, by the unit that lines and inputs use.
_LADDERS: tuple[tuple[str, ...], ...] = (
    ("mWh", "Wh", "kWh", "MWh", "GWh", "TWh"),
    ("mW", "W", "kW", "MW", "GW"),
    ("ugCO2e", "mgCO2e", "gCO2e", "kgCO2e", "tCO2e", "ktCO2e", "MtCO2e"),
    ("mL", "L", "kL", "ML"),
    ("s", "min", "h", "d"),
)
_PER_WORK = {"J": ("uJ", "mJ", "J", "kJ", "MJ", "GJ"), "gCO2e": _LADDERS[2]}
_COUNTED_IN_MILLIONS = ("token", "sample", "image", "iteration", "sequence", "request", "query", "FLOP")


def digits(value: float, significant: int = 4, *, padded: bool = False) -> str:
    """A number with its significant digits, thousands separated, no exponent where it can be avoided.

    Zeros at the end are shown where `padded`, as for a computed value.

    >>> digits(1287.04), digits(0.064208), digits(1234567.0), digits(207.0), digits(207.0, padded=True)
    ('1,287', '0.06421', '1,235,000', '207', '207.0')
    """
    if value == 0:
        return "0"
    magnitude = math.floor(math.log10(abs(value)))
    if magnitude >= 15 or magnitude < -6:
        return f"{value:.{significant - 1}e}"
    places = significant - 1 - magnitude
    rounded = round(value, places)
    text = f"{rounded:,.{max(places, 0)}f}"
    return text if padded or "." not in text else text.rstrip("0").rstrip(".")


def _in(quantity: Quantity, unit: str) -> float:
    """Magnitude in a unit of the same kind."""
    return float(quantity.magnitude) * base_factor(quantity.units) / base_factor(parse_unit(unit))


def readable_unit(quantity: Quantity, unit: str) -> str:
    """The unit, among those of the same kind, in which the value is easiest to read."""
    size = abs(float(quantity.magnitude))
    if size == 0 or not math.isfinite(size):
        return unit
    top, slash, work = unit.partition("/")
    least = 1.0
    if slash and top in _PER_WORK:
        ladder: tuple[str, ...] = tuple(f"{step}/{work}" for step in _PER_WORK[top])
    elif slash and top in CURRENCIES and work in _COUNTED_IN_MILLIONS:
        ladder, least = (f"{top}/M{work}", f"{top}/k{work}", unit), 0.01
    else:
        ladder = next((steps for steps in _LADDERS if unit in steps), (unit,))
    return next((step for step in reversed(ladder) if abs(_in(quantity, step)) >= least), ladder[0])


def show_value(quantity: Quantity, unit: str) -> tuple[str, str]:
    """Value and unit as text, in a readable unit."""
    return show_in(quantity, readable_unit(quantity, unit))


def show_in(quantity: Quantity, unit: str, *, padded: bool = False) -> tuple[str, str]:
    """Value and unit as text, in a unit of your choice."""
    return digits(_in(quantity, unit), padded=padded), "" if unit == "1" else unit


def show_range(quantity: Quantity, low: float | None, high: float | None, shown: str) -> str:
    """Range (given in the unit of the quantity) as text in the unit `shown`; empty where there is none."""
    value = float(quantity.magnitude)
    ends = (value if low is None else low, value if high is None else high)
    if ends[0] == ends[1]:
        return ""
    texts = [digits(_in(Q(end, quantity.units), shown)) for end in ends]
    return f"{texts[0]} to {texts[1]}" if texts[0] != texts[1] else ""
