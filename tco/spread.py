"""How an input may vary, as a person states it: a range, a named distribution, or samples."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tco.errors import UnitError, did_you_mean
from tco.units import Q, Quantity, convert_given, read_quantity, split_number

#: What `low` and `high` are: of normal and lognormal the 5th and 95th percentile, of the others the ends. ``empirical``
#: draws from samples.
DISTRIBUTIONS = ("triangular", "uniform", "normal", "lognormal", "pert", "empirical")

_WITH_RANGE = re.compile(r"(?P<value>[^\[\]]+?)\s*\[(?P<low>[^\[\]]+?)\s+to\s+(?P<high>[^\[\]]+?)\]\s*(?P<name>\w*)\s*")
_SPREAD_KEYS = ("low", "high", "distribution", "samples")


class Spread(NamedTuple):
    """How an input varies, in the unit of the input; see `tco.graph.Input`."""

    low: float | None = None
    high: float | None = None
    distribution: str | None = None
    samples: tuple[float, ...] = ()

    def with_ends(self) -> Spread:
        """The same, with the smallest and the largest sample as its ends where it has samples and no ends."""
        if not self.samples:
            return self
        low = min(self.samples) if self.low is None else self.low
        return self._replace(low=low, high=max(self.samples) if self.high is None else self.high)


def fault_of(value: float, spread: Spread) -> str | None:
    """What is wrong with a range or a distribution around a value, or None."""
    low, high, name, samples = spread.with_ends()
    if name is not None and name not in DISTRIBUTIONS:
        known = ", ".join(DISTRIBUTIONS)
        return f"'{name}' is not a known distribution{did_you_mean(name, DISTRIBUTIONS)} (known: {known})"
    ends = (value if low is None else low, value if high is None else high)
    if not ends[0] <= value <= ends[1]:
        return f"the value {value:g} is outside its range {ends[0]:g} to {ends[1]:g}"
    if samples and name not in (None, "empirical"):
        return f"samples are an empirical distribution, not '{name}'"
    if name == "empirical" and not samples:
        return "an empirical distribution needs 'samples', a list of numbers"
    if name not in (None, "empirical") and low is None and high is None:
        what = "5th and 95th percentile" if name in ("normal", "lognormal") else "ends"
        return f"'{name}' needs 'low' and 'high', its {what}"
    if name == "lognormal" and ends[0] <= 0:
        return f"a lognormal quantity is above 0; its low end is {ends[0]:g}"
    return None


def read_stated(value: object, unit: str) -> tuple[Quantity, Spread]:
    """What a person states for an input: a value, and how it varies where that is said.

    Parameters
    ----------
    value
        Whatever `tco.units.read_quantity` takes; text with a range and a distribution, ``"0.2 EUR/kWh [0.15 to 0.3]
        pert"``; or a mapping with ``low``, ``high``, ``distribution`` or ``samples`` beside value and unit.
    unit
        Unit of the input.

    Raises
    ------
    UnitError
        With what was found and what would be right.
    """
    if isinstance(value, str) and "[" in value:
        return _read_text(value, unit)
    if isinstance(value, Mapping) and any(key in value for key in _SPREAD_KEYS):
        return _read_mapping(value, unit)
    return read_quantity(value, unit), Spread()


def _read_text(text: str, unit: str) -> tuple[Quantity, Spread]:
    match = _WITH_RANGE.fullmatch(text.strip())
    if match is None:
        example = "1.2" if unit == "1" else f"5 {unit}"
        raise UnitError(f"'{text}' is not a value with a range; write for instance '{example} [4 to 7] pert'")
    quantity = read_quantity(match["value"], unit)
    _, own = split_number(match["value"], unit)

    def end(written: str) -> float:
        number, its = split_number(written, unit)
        return _magnitude(read_quantity(f"{number!r} {its or own}".strip(), unit), quantity)

    return _checked(text, quantity, Spread(end(match["low"]), end(match["high"]), match["name"] or None))


def _read_mapping(data: Mapping[Any, Any], unit: str) -> tuple[Quantity, Spread]:
    rest = {key: item for key, item in data.items() if key not in _SPREAD_KEYS}
    if unit == "1":
        rest.setdefault("unit", "1")
    numbers = data.get("samples")
    samples = [] if numbers is None else numbers
    if not isinstance(samples, Sequence) or isinstance(samples, str) or not all(map(_is_number, samples)):
        raise UnitError(f"samples must be a list of numbers, not {samples!r}")
    if samples:
        rest.setdefault("value", sorted(samples)[len(samples) // 2])
    quantity = read_quantity(rest, unit)

    def inside(number: Any) -> float:
        if not _is_number(number):
            raise UnitError(
                f"{number!r} is not a number; write low, high and samples as numbers in the unit of the value"
            )
        return _magnitude(read_quantity({**rest, "value": number}, unit), quantity)

    name = data.get("distribution")
    low, high = (None if data.get(key) is None else inside(data[key]) for key in ("low", "high"))
    spread = Spread(
        low,
        high,
        distribution=None if name is None else str(name),
        samples=tuple(inside(number) for number in samples),
    )
    return _checked(str(dict(data)), quantity, spread)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _magnitude(end: Quantity, like: Quantity) -> float:
    if end.dimensionality != like.dimensionality:
        raise UnitError(f"value and range are of different kinds: '{like.units:~C}' and '{end.units:~C}'")
    return float(end.to(like.units).magnitude)


def _checked(text: str, quantity: Quantity, spread: Spread) -> tuple[Quantity, Spread]:
    fault = fault_of(float(quantity.magnitude), spread)
    if fault:
        raise UnitError(f"{text}: {fault}")
    return quantity, spread.with_ends()


def converted(spread: Spread, from_unit: str, to_unit: str) -> Spread:
    """A spread whose numbers are in one unit, in another; ``money`` in it stands for the own currency."""

    def number(value: float) -> float:
        return float(convert_given(Q(value, from_unit), to_unit).magnitude)

    low, high = (None if end is None else number(end) for end in (spread.low, spread.high))
    return spread._replace(low=low, high=high, samples=tuple(map(number, spread.samples))).with_ends()
