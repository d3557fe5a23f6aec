"""The one unit registry, and the border where text becomes a quantity.

Text is read once, here, into the unit of the field that asked for it; inside the package quantities are Pint
quantities of this registry. Compare them as numbers in a named unit, never with ``==``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from typing import Any, TypeAlias

import pint
from pint.facets.plain import PlainQuantity, PlainUnit

from tco.errors import UnitError, did_you_mean

Quantity: TypeAlias = PlainQuantity[Any]
Unit: TypeAlias = PlainUnit

with resources.as_file(resources.files("tco") / "units.txt") as _definitions:
    ureg: pint.UnitRegistry[Any] = pint.UnitRegistry(str(_definitions))
    CURRENCIES: tuple[str, ...] = tuple(
        sorted(re.findall(r"= \[money_([A-Z]{3})\]", _definitions.read_text(encoding="utf-8")))
    )

#: In the unit of a field, stands for whatever currency the value is given in: ``money/kWh``.
MONEY = "money"

_NUMBER = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?![\d.,'])\s*(.*?)\s*$", re.DOTALL)
_NOT_SPELLED_OUT = "is not accepted because it is ambiguous; "
#: Unit text that other tools turn into something nobody meant, and what to write instead.
_REFUSED = {
    "ton": _NOT_SPELLED_OUT + "write 't' (1,000 kg), or 'lb' for US weights",
    "tons": _NOT_SPELLED_OUT + "write 't' (1,000 kg), or 'lb' for US weights",
    "b": _NOT_SPELLED_OUT + "write 'bit' or 'B' (byte)",
    "kb": _NOT_SPELLED_OUT + "write 'kbit' or 'kB'",
    "Mb": _NOT_SPELLED_OUT + "write 'Mbit' or 'MB'",
    "Gb": _NOT_SPELLED_OUT + "write 'Gbit' or 'GB'",
    "Tb": _NOT_SPELLED_OUT + "write 'Tbit' or 'TB'",
    "ct": "does not say of which currency; write 'EURct' or 'USDct', or give {value, unit, currency}",
    "c": "does not say of which currency; write 'EURct' or 'USDct', or give {value, unit, currency}",
    "cent": "does not say of which currency; write 'EURct' or 'USDct', or give {value, unit, currency}",
    "cents": "does not say of which currency; write 'EURct' or 'USDct', or give {value, unit, currency}",
    "$": "does not say whose dollar; write 'USD', 'CAD', 'AUD' ...",
}
_REWRITTEN = (
    (re.compile(r"₂"), "2"),
    (re.compile(r"·|×"), "*"),
    (re.compile(r"²"), "**2"),
    (re.compile(r"³"), "**3"),
    (re.compile(r"µ|μ"), "u"),
    (re.compile(r"€"), "EUR"),
    (re.compile(r"£"), "GBP"),
    (re.compile(r"\bkwh\b"), "kWh"),
    (re.compile(r"\b([a-zA-Z]*m)([23])\b"), r"\1**\2"),  # cm2, mm2, m3
    (re.compile(r"\b([a-zA-Z]*?(?:g|t|lb))[\s-]?CO2-?(e|eq)?\b"), r"\1CO2\2"),  # "kg CO2e", "kg CO2-eq"
)
_WORD = re.compile(r"[^\W\d_][\w$%]*|[$%]")

_KINDS = (
    ("kWh", "an energy"),
    ("kW", "a power"),
    ("h", "a time"),
    ("kg", "a mass"),
    ("cm**2", "an area"),
    ("L", "a volume"),
    ("GB", "an amount of data"),
    ("kgCO2e", "an amount of emissions"),
    ("gCO2e/kWh", "an emission intensity"),
    ("kgCO2e/cm**2", "emissions per area"),
    ("gCO2e/GB", "emissions per amount of data"),
    ("L/kWh", "water per energy"),
    ("1/s", "a rate"),
    ("1", "a plain number"),
)


def _money_dimension(quantity: Quantity | Unit) -> str | None:
    for name in quantity.dimensionality:
        if str(name).startswith("[money_"):
            return str(name)
    return None


def currency(quantity: Quantity | Unit) -> str | None:
    """ISO code of the currency in a quantity's unit, or None."""
    dimension = _money_dimension(quantity)
    return None if dimension is None else dimension[len("[money_") : -1]


def kind(quantity: Quantity | Unit) -> str:
    """What a quantity is, in words for a message: "an energy", "money in EUR per energy"."""
    dimensionality = quantity.dimensionality
    for text, words in _KINDS:
        if _unit(text).dimensionality == dimensionality:
            return words
    money = currency(quantity)
    if money is not None:
        for text in ("1", "kWh", "kW", "h"):
            if _unit(f"{money}/{text}").dimensionality == dimensionality:
                return f"money in {money}" + ("" if text == "1" else f" per {kind(_unit(text)).split()[-1]}")
    unit = quantity if isinstance(quantity, PlainUnit) else quantity.units
    return f"a quantity in '{unit:~C}'"


@lru_cache(maxsize=4096)
def _unit(text: str) -> Unit:
    return ureg.parse_units("" if text == "1" else text)


@lru_cache(maxsize=1)
def _known_units() -> tuple[str, ...]:
    prefixes = ("m", "u", "k", "T", "G", "M", "")
    return tuple(p + str(s) for s in ureg._units for p in prefixes)


@lru_cache(maxsize=4096)
def parse_unit(text: str) -> Unit:
    """The unit that a person wrote.

    Parameters
    ----------
    text
        Unit text such as ``kWh``, ``g/kWh``, ``kg CO2e``, ``USD/(kW month)``; ``1`` or nothing is dimensionless.

    Raises
    ------
    UnitError
        If a part of it is unknown or ambiguous; the message says which part and what would be right.
    """
    rewritten = text.strip()
    for pattern, replacement in _REWRITTEN:
        rewritten = pattern.sub(replacement, rewritten)
    if rewritten in ("", "1"):
        return _unit("1")
    for word in _WORD.findall(rewritten):
        if word in _REFUSED:
            raise UnitError(f"'{text}' has the unit '{word}', which {_REFUSED[word]}")
        if word not in ureg:
            raise UnitError(f"'{text}' has an unknown unit '{word}'{did_you_mean(word, _known_units())}")
    try:
        unit = _unit(rewritten)
    except Exception as error:  # pint raises a family of errors of its own for text it cannot parse
        raise UnitError(f"'{text}' is not a unit; write for instance 'kWh' or 'g/kWh'") from error
    if not isinstance(unit, PlainUnit):
        raise UnitError(f"'{text}' is not a unit; write for instance 'kWh' or 'g/kWh'")
    return unit


def Q(value: Any, unit: str | Unit) -> Quantity:  # noqa: N802 - the field's usual short name
    """A quantity of this package's registry.

    Parameters
    ----------
    value
        A number or an array, shape (...).
    unit
        Unit text or unit object.
    """
    return ureg.Quantity(value, parse_unit(unit) if isinstance(unit, str) else unit)


def in_own_currency(quantity: Quantity, unit: str) -> str:
    """``unit`` with the word ``money`` replaced by the quantity's own currency (unchanged without the word)."""
    if not re.search(rf"\b{MONEY}\b", unit):
        return unit
    money = currency(quantity)
    if money is None:
        raise UnitError(f"{show(quantity)} has no currency; write for instance '0.20 {unit.replace(MONEY, 'EUR')}'")
    return re.sub(rf"\b{MONEY}\b", money, unit)


def convert(quantity: Quantity, unit: str) -> Quantity:
    """The quantity in `unit`; ``money`` in it stands for the quantity's own currency.

    Raises
    ------
    UnitError
        If the quantity is of another kind. Mass is not emissions here.
    """
    target = parse_unit(in_own_currency(quantity, unit))
    if quantity.units == target:
        return quantity
    if quantity.dimensionless and not target.dimensionless:
        number = show(quantity).strip("'")
        raise UnitError(f"'{number}' needs a unit; write for instance '{number} {unit.replace(MONEY, 'EUR')}'")
    if quantity.dimensionality != target.dimensionality:
        raise UnitError(f"{show(quantity)} is {kind(quantity)}, not {kind(target)}; write it in '{unit}'")
    return quantity.to(target)


def convert_given(quantity: Quantity, unit: str) -> Quantity:
    """What a person or a file gave, in `unit`: as `convert`, but a mass given for emissions is mass of CO2e."""
    target = parse_unit(in_own_currency(quantity, unit))
    if "[carbon]" in target.dimensionality and "[carbon]" not in quantity.dimensionality:
        as_carbon = quantity * (ureg.gCO2e / ureg.g)
        if as_carbon.dimensionality == target.dimensionality:
            return as_carbon.to(target)
    return convert(quantity, unit)


def show(quantity: Quantity) -> str:
    """A quantity as text for messages: magnitude as given, unit symbols."""
    unit = f"{quantity.units:~C}"
    return f"'{quantity.magnitude:.12g} {unit}'" if unit else f"'{quantity.magnitude:.12g}'"


def split_number(text: str, unit: str) -> tuple[float, str]:
    """Text such as ``5.6 kW`` as number and unit text; `unit` is an example for the message."""
    match = _NUMBER.match(text)
    if match is None:
        if re.search(r"\d,\d", text):
            raise UnitError(f"'{text}' has a comma in its number; write '1287.5' without thousands separators")
        raise UnitError(f"'{text}' is not a number with a unit; write for instance '5 {unit}'")
    value = float(match.group(1))
    if not math.isfinite(value):
        raise UnitError(f"'{text}' is not a finite number")
    return value, match.group(2)


def parse_quantity(text: str, unit: str) -> Quantity:
    """Read text such as ``5.6 kW`` into a quantity in ``unit``.

    Raises
    ------
    UnitError
        If it is no number with a unit, if the unit is unknown or ambiguous, or of another kind than ``unit``.
    """
    value, rest = split_number(text, unit)
    if not rest and unit != "1":
        raise UnitError(f"'{text.strip()}' needs a unit; write for instance '{text.strip()} {unit}'")
    try:
        given = parse_unit(rest)
        return convert_given(ureg.Quantity(value, given), unit)
    except UnitError as error:
        if rest and str(error).startswith(f"'{rest}'"):  # name the whole text, not its unit alone
            raise UnitError(f"'{text.strip()}'" + str(error)[len(rest) + 2 :]) from None
        raise


def read_quantity(value: object, unit: str) -> Quantity:
    """Anything a person or a file may give for a quantity, as a quantity in ``unit``.

    Parameters
    ----------
    value
        Text (``"5.6 kW"``), a mapping ``{value, unit}`` or ``{value, unit, currency}``, a Pint quantity of any
        registry, or, where ``unit`` is ``1``, a bare number.
    unit
        Unit of the result; ``money`` in it stands for any currency.

    Raises
    ------
    UnitError
        With what was found and what would be right.
    """
    if isinstance(value, str):
        return parse_quantity(value, unit)
    if isinstance(value, Mapping):
        unknown = sorted(set(value) - {"value", "unit", "currency"})
        if unknown or not {"value", "unit"} <= set(value):
            raise UnitError(f'{dict(value)!r} is not a quantity; write {{"value": 5, "unit": "{unit}"}}')
        number, text = value["value"], value["unit"]
        if not isinstance(number, int | float) or isinstance(number, bool) or not isinstance(text, str):
            raise UnitError(f"{dict(value)!r}: value must be a number and unit a text")
        if not math.isfinite(number):
            raise UnitError(f"{number} is not a finite number")
        if "currency" in value:
            hundredths, text = _with_currency(text, str(value["currency"]))
            number = number / 100 if hundredths else number
        return convert_given(Q(float(number), text), unit)
    if isinstance(value, bool):
        raise UnitError(f"{value} is not a quantity; write for instance '5 {unit}'")
    if isinstance(value, int | float):
        if unit != "1":
            raise UnitError(f"{value} needs a unit; write for instance '{value} {unit}'")
        if not math.isfinite(value):
            raise UnitError(f"{value} is not a finite number")
        return Q(float(value), "1")
    if hasattr(value, "magnitude") and hasattr(value, "units"):
        foreign: Any = value
        own = foreign if getattr(value, "_REGISTRY", None) is ureg else Q(foreign.magnitude, f"{foreign.units}")
        return convert_given(own, unit)
    raise UnitError(f"{value!r} is not a quantity; write for instance '5 {unit}'")


def _with_currency(text: str, code: str) -> tuple[bool, str]:
    """Unit text of a stated currency: ``ct/kWh`` of ``CHF`` -> (in hundredths, ``CHF/kWh``)."""
    if code not in CURRENCIES:
        raise UnitError(f"'{code}' is not a known currency{did_you_mean(code, CURRENCIES)}")
    words = _WORD.findall(text)
    if words and words[0] in ("ct", "c", "cent", "cents"):
        return True, code + text[len(words[0]) :]
    named = [word for word in words if word in CURRENCIES]
    if named and named != [code]:
        raise UnitError(f"the unit '{text}' and the currency '{code}' disagree")
    if named:
        return False, text
    rest = text.strip().removeprefix("1")
    return False, code + rest if rest.startswith("/") or not rest else f"{code}*{rest}"
