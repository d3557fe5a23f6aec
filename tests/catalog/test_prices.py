"""Tariffs, building costs and exchange rates."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tco import catalog
from tco.catalog.tables import table
from tco.units import CURRENCIES, currency, parse_unit

CODES = ("EUR", *table("prices", "exchange.toml")["rates"])


# Eurostat, 2025-S1, 19.02 EUR per 100 kWh, and 2023-S2; EIA, 2025, industrial sector.
@pytest.mark.parametrize(
    ("region", "groups", "value", "unit", "key"),
    [
        ("EU27", (), 0.1902, "EUR/kWh", "EU27"),
        ("DE", ("EU27",), 0.1902, "EUR/kWh", "EU27"),
        ("FI", ("EU27",), 0.089, "EUR/kWh", "FI"),
        ("CY", ("EU27",), 0.276, "EUR/kWh", "CY"),
        ("US", (), 0.0826, "USD/kWh", "US"),
        ("us-state:US-TX", ("US",), 0.0826, "USD/kWh", "US"),
    ],
)
def test_tariff(region, groups, value, unit, key):
    figure, used = catalog.tariff(region, groups)
    assert (figure.value, figure.unit, used) == (value, unit, key)


def test_tariff_of_the_eu_spans_its_members():
    figure, _ = catalog.tariff("EU27")
    assert (figure.low, figure.high) == (0.089, 0.276)


@pytest.mark.parametrize("look_up", [catalog.tariff, catalog.building_cost])
def test_no_price_is_taken_from_elsewhere(look_up):
    assert look_up("CN", ()) is None
    assert look_up("CN", ("ASIA",)) is None


# Turner & Townsend 2025-2026 (USD/W), Cushman & Wakefield 2025 (MUSD/MW), Savills 2023 (8.4 MEUR/MW).
@pytest.mark.parametrize(
    ("region", "groups", "value", "unit", "key"),
    [
        ("DE", ("EU27",), 11.6e3, "USD/kW", "DE"),
        ("FR", ("EU27",), 8.4e3, "EUR/kW", "EUROPE"),
        ("EU27", (), 8.4e3, "EUR/kW", "EUROPE"),
        ("US", (), 11.7e3, "USD/kW", "US"),
        ("GB", (), 12.0e3, "USD/kW", "GB"),
        ("CH", (), 14.2e3, "USD/kW", "CH"),
        ("JP", (), 15.2e3, "USD/kW", "JP"),
        ("SG", (), 14.5e3, "USD/kW", "SG"),
    ],
)
def test_building_cost(region, groups, value, unit, key):
    figure, used = catalog.building_cost(region, groups)
    assert (figure.value, figure.unit, used) == (value, unit, key)


def test_building_cost_of_europe_is_for_members_of_the_eu_only():
    assert catalog.building_cost("NO", ()) is None


# European Central Bank, reference rates of 30 October 2026.
@pytest.mark.parametrize(
    ("code", "per_euro"),
    [("USD", 1.1172), ("GBP", 0.8338), ("JPY", 175.68), ("CHF", 0.9194), ("HUF", 366.33), ("KRW", 1491.76)],
)
def test_reference_rate(code, per_euro):
    figure = catalog.exchange_rate("EUR", code)
    assert (figure.value, figure.unit) == (per_euro, f"{code}/EUR")
    assert figure.source.author == "European Central Bank"
    assert figure.source.where == "2026-10-30"
    assert figure.source.licence


def test_rates_from_and_across():
    assert catalog.exchange_rate("USD", "EUR").value == pytest.approx(0.89509, abs=5e-6)
    cross = catalog.exchange_rate("USD", "GBP")
    assert cross.value == pytest.approx(0.74633, abs=5e-6)
    assert cross.unit == "GBP/USD"
    assert cross.note == "from the rates of both against the euro"
    assert catalog.exchange_rate("USD", "USD").value == 1


def test_currencies_without_a_reference_rate():
    assert catalog.exchange_rate("TWD", "EUR") is None
    assert catalog.exchange_rate("EUR", "XYZ") is None
    assert set(CURRENCIES) - set(CODES) == {"TWD"}
    assert set(CODES) <= set(CURRENCIES)


@given(st.sampled_from(CODES), st.sampled_from(CODES), st.sampled_from(CODES))
def test_rates_agree_with_each_other(first, second, third):
    there, on = catalog.exchange_rate(first, second), catalog.exchange_rate(second, third)
    assert there.value * on.value == pytest.approx(catalog.exchange_rate(first, third).value, rel=1e-12)
    assert there.value * catalog.exchange_rate(second, first).value == pytest.approx(1, rel=1e-12)


def test_a_rate_converts_money():
    for first, second in itertools.permutations(("EUR", "USD", "CHF"), 2):
        rate = catalog.exchange_rate(first, second)
        money = parse_unit(first) * parse_unit(rate.unit)
        assert currency(money) == second


def test_data_sets_say_which_rates_were_used():
    catalogue, rates = catalog.data_sets()
    assert (catalogue.name, rates.name) == ("catalog", "exchange-rates")
    assert rates.release == "2026-10-30"
    assert len({catalogue.sha256, rates.sha256}) == 2
    assert all(len(data.sha256) == 64 for data in (catalogue, rates))
