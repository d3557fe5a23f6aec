"""Text becomes a quantity once, at the border, and never silently something else."""

from __future__ import annotations

import pint
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tco.errors import UnitError
from tco.units import CURRENCIES, Q, convert, currency, parse_quantity, parse_unit, read_quantity, ureg


@pytest.mark.parametrize(
    ("text", "unit", "expected"),
    [
        ("5.6 kW", "W", 5600.0),
        ("5 kwh", "kWh", 5.0),  # open case A13
        ("8.14 cm2", "cm**2", 8.14),  # A13
        ("8.14 cm^2", "mm**2", 814.0),
        ("12 GB", "GB", 12.0),  # A12
        ("12 GiB", "GB", 12.884901888),  # A12: 12 x 1.073741824
        ("640 Gbit", "GB", 80.0),  # A13
        ("911 lb/MWh", "gCO2e/kWh", 413.2226491),  # A07: 911 x 0.45359237
        ("429 g/kWh", "gCO2e/kWh", 429.0),
        ("0.098 kg/kWh", "gCO2e/kWh", 98.0),
        ("24.7 t", "kgCO2e", 24700.0),
        ("0.2 kg CO2e/kWh", "gCO2e/kWh", 200.0),
        ("200 gCO₂/kWh", "gCO2e/kWh", 200.0),
        ("20 EURct/kWh", "money/kWh", 0.20),
        ("5 %", "1", 0.05),
        ("1.2", "1", 1.2),
        ("1 a", "h", 8760.0),
        ("2 years", "d", 730.0),
        ("0.05 USD/(W month)", "money/(kW*year)", 600.0),
        ("1.5 MWh", "kWh", 1500.0),
        ("3 L/kWh", "L/kWh", 3.0),
        (" 7 h ", "h", 7.0),
        ("1e3 W", "kW", 1.0),
        ("-2 W", "W", -2.0),
    ],
)
def test_text_is_read_as_meant(text: str, unit: str, expected: float) -> None:
    assert float(parse_quantity(text, unit).magnitude) == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize(
    ("text", "unit", "words"),
    [
        (
            "640 Gb",
            "GB",
            "'640 Gb' has the unit 'Gb', which is not accepted because it is ambiguous; write 'Gbit' or 'GB'",
        ),
        ("20 ct/kWh", "money/kWh", "does not say of which currency; write 'EURct' or 'USDct'"),
        ("1 ton", "kgCO2e", "ambiguous; write 't' (1,000 kg), or 'lb' for US weights"),
        ("640", "GB", "'640' needs a unit; write for instance '640 GB'"),  # A14
        ("700 KW", "W", "'700 KW' has an unknown unit 'KW'; did you mean 'kW'"),
        ("3 MT", "kgCO2e", "unknown unit 'MT'; did you mean 'Mt'"),
        ("10 c", "m", "'c'"),
        ("5 k", "kWh", "unknown unit 'k'"),
        ("5 kg", "kWh", "'5 kg' is a mass, not an energy; write it in 'kWh'"),
        ("0.38 kWh/GB", "W/GB", "is a quantity in 'kWh/GB', not a quantity in 'W/GB'"),  # A09
        ("1,5 kW", "W", "has a comma in its number"),
        ("1,287 MWh", "kWh", "has a comma in its number"),
        ("nan kW", "W", "is not a number with a unit"),
        ("1e999 kW", "W", "is not a finite number"),
        ("kW", "W", "is not a number with a unit"),
        ("20 $/kWh", "money/kWh", "does not say whose dollar"),
        ("0.2 g/kWh", "money/kWh", "has no currency; write for instance '0.20 EUR/kWh'"),
        ("0.2 USD/kWh", "kWh", "is money in USD per energy, not an energy"),
        ("5 ()", "kW", "is not a unit"),
    ],
)
def test_what_is_not_clear_is_refused_with_what_would_be_right(text: str, unit: str, words: str) -> None:
    with pytest.raises(UnitError) as caught:
        parse_quantity(text, unit)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "silent",
    ["640 Gb", "1 ct", "10 c", "1 ton", "5 k", "3 MT"],
)
def test_the_default_registry_takes_what_this_one_refuses(silent: str) -> None:
    """The reason for a registry of our own: each of these is accepted there as something nobody meant."""
    default = pint.UnitRegistry()
    assert default.Quantity(silent).magnitude is not None
    number, _, unit = silent.partition(" ")
    with pytest.raises(UnitError):
        read_quantity({"value": float(number), "unit": unit}, "kg")


def test_hundredths_of_a_stated_currency() -> None:
    price = read_quantity({"value": 20, "unit": "ct/kWh", "currency": "EUR"}, "money/kWh")  # A47
    assert float((Q(134.4, "kWh") * price).m_as("EUR")) == pytest.approx(26.88, rel=1e-12)
    assert currency(price) == "EUR"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"value": 20, "unit": "USD/kWh", "currency": "EUR"}, "the unit 'USD/kWh' and the currency 'EUR' disagree"),
        ({"value": 20, "unit": "ct/kWh", "currency": "EURO"}, "'EURO' is not a known currency; did you mean 'EUR'?"),
        ({"value": 20}, "is not a quantity; write"),
        ({"value": "20", "unit": "EUR"}, "value must be a number"),
        (True, "is not a quantity"),
        (20, "20 needs a unit"),
        (None, "is not a quantity"),
    ],
)
def test_a_price_must_be_whole(value: object, words: str) -> None:
    with pytest.raises(UnitError) as caught:
        read_quantity(value, "money/kWh")
    assert words in str(caught.value)


def test_steel_is_not_emissions_and_euros_are_not_dollars() -> None:
    for a, b in [(Q(1, "kg"), Q(1, "kgCO2e")), (Q(1, "EUR"), Q(1, "USD")), (Q(1, "GB"), Q(1, "1"))]:
        with pytest.raises(pint.DimensionalityError):
            a + b


def test_every_currency_is_a_dimension_of_its_own() -> None:
    dimensions = {str(ureg.get_dimensionality(code)) for code in CURRENCIES}
    assert len(dimensions) == len(CURRENCIES) > 20


def test_a_quantity_of_another_registry_is_rebuilt() -> None:
    foreign = pint.UnitRegistry().Quantity(2.5, "kilowatt_hour")
    assert float(read_quantity(foreign, "kWh").magnitude) == 2.5


def test_unit_text_is_parsed_once() -> None:
    assert parse_unit("g/kWh") is parse_unit("g/kWh")


@given(
    st.floats(1e-6, 1e12),
    st.sampled_from(["J", "Wh", "kWh", "MWh", "GJ"]),
    st.sampled_from(["J", "Wh", "kWh", "MWh", "GJ"]),
)
def test_converting_there_and_back_changes_nothing(value: float, a: str, b: str) -> None:
    there = convert(Q(value, a), b)
    assert float(convert(there, a).magnitude) == pytest.approx(value, rel=1e-12)


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused_in_words(text: str) -> None:
    try:
        energy = parse_quantity(text, "kWh")
    except UnitError:
        return
    assert str(energy.units) == "kilowatt_hour"
