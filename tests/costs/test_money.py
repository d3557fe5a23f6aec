"""Currencies and price levels: nothing is converted at a rate, or moved by an index, that nobody stated."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tco
from tco.catalog.prices import (
    PROVIDERS,
    TERMS,
    electricity_tariff,
    historic_rate,
    price,
    price_index,
    prices,
    rental,
    wholesale,
)
from tco.errors import EstimateError, RecordError
from tco.estimation.costs.choice import CostChoice

RUN = {"duration": "24 h", "nodes": 1, "energy": "134.4 kWh"}


def run() -> tco.Run:
    return tco.Run.model_validate(RUN)


# Open case A47, second half: a USD capex with a EUR price and no rate is refused.
def test_a_stated_price_is_never_converted_at_a_rate_nobody_stated() -> None:
    stated = {"system.price": "250000 USD", "site.tariff": "0.2 EUR/kWh", "system.rating": "1 kW"}
    with pytest.raises(EstimateError) as caught:
        tco.estimate(run(), region="eu", set=stated)
    message = str(caught.value)
    assert "system.price is in USD and the cost is in EUR, and no exchange rate is stated" in message
    assert "--set fx.usd_eur='... EUR/USD'" in message
    assert "--fx-date" in message
    with_rate = tco.estimate(run(), region="eu", set={**stated, "fx.usd_eur": "0.9 EUR/USD"})
    share = 24 / (5 * 8760 * 0.85)
    assert with_rate.value("cost.hardware", "EUR") == pytest.approx(250_000 * 0.9 * share)
    for extra in ("system.storage_price", "system.licences"):
        unit = "1000 USD" if "price" in extra else "1000 USD/year"
        with pytest.raises(EstimateError, match=f"{extra} is in USD and the cost is in EUR"):
            tco.estimate(run(), region="eu", set={**stated, "system.price": "1 EUR", extra: unit})


def test_shipped_prices_are_converted_at_the_shipped_rate_and_listed() -> None:
    estimate = tco.estimate(run(), region="eu", system="hgx-h100")
    rate = estimate.inputs["fx.usd_eur"]
    assert rate.given is not None
    assert rate.given.assumed
    assert rate.given.source is not None
    assert rate.given.source.where == "2026-10-30"


# European Central Bank, reference rates: 1.0389 USD and 0.9412 CHF for a euro on 31 December 2024.
def test_rates_of_a_date() -> None:
    assert historic_rate("EUR", "USD", date(2024, 12, 31)).value == pytest.approx(1.0389, abs=5e-5)
    assert historic_rate("EUR", "CHF", date(2024, 12, 31)).value == pytest.approx(0.9412, abs=5e-5)
    sunday = historic_rate("EUR", "USD", date(2024, 12, 29))
    assert sunday.value == historic_rate("EUR", "USD", date(2024, 12, 27)).value  # the last rate before it
    stated = {"system.price": "250000 USD", "site.tariff": "0.2 EUR/kWh", "system.rating": "1 kW"}
    estimate = tco.estimate(run(), region="eu", set=stated, cost=CostChoice(fx_date=date(2024, 12, 31)))
    node = estimate.inputs["fx.usd_eur"]
    assert node.value == pytest.approx(1 / 1.0389, abs=5e-5)
    assert node.given is not None
    assert not node.given.assumed
    assert node.given.source is not None
    assert node.given.source.where == "2024-12-31"
    with pytest.raises(RecordError, match="there is no rate of USD on 1990-01-01: the history runs from 1999-01-04"):
        historic_rate("USD", "EUR", date(1990, 1, 1))
    with pytest.raises(RecordError, match="has no rates of TWD"):
        historic_rate("TWD", "EUR", date(2024, 1, 1))


INDEX = {"name": "own", "currency": "EUR", "vintage": "2026-01", "levels": {"2020": 100.0, "2025": 125.0}}
MOVED = {"price_index": INDEX, "price_date": "2025"}


def test_an_index_moves_prices_from_their_year_to_another() -> None:
    site = tco.Site.model_validate(
        {
            "tariff": {"value": 0.2, "unit": "EUR/kWh", "price_year": 2020},
            "price_index": INDEX,
            "price_date": "2025",
            "pue": 1,
        }
    )
    estimate = tco.estimate(run(), site=site)
    line = estimate["cost.energy"]
    assert line.value == pytest.approx(134.4 * 0.2 * 1.25)
    assert {key: line.facts[key] for key in ("price_year", "terms", "index", "index_vintage")} == {
        "price_year": 2025, "terms": "real", "index": "own", "index_vintage": "2026-01",
    }  # fmt: skip
    assert estimate.inputs["index.2020"].facts["index_vintage"] == "2026-01"


@pytest.mark.parametrize(
    ("site", "choice", "words"),
    [
        ({"tariff": "0.2 EUR/kWh", **MOVED}, {},
         "site.tariff does not say of which date its money is, so 'own' cannot move it"),
        ({"tariff": {"value": 0.2, "unit": "USD/kWh", "price_year": 2020}, **MOVED}, {},
         "site.tariff is in USD, and the price index 'own' follows prices in EUR"),
        ({"tariff": {"value": 0.2, "unit": "EUR/kWh", "price_year": 2021}, **MOVED}, {},
         "the price index 'own' has no level for '2021' (it runs from 2020 to 2025)"),
        ({"tariff": "0.2 EUR/kWh", "price_index": INDEX}, {}, "needs the date whose price level is wanted"),
        ({"tariff": "0.2 EUR/kWh"}, {"price_date": "2025"}, "needs a price index"),
        ({"tariff": "0.2 EUR/kWh"}, {"price_index": "ppi"}, "price index 'ppi' is not known"),
    ],
)  # fmt: skip
def test_what_an_index_needs_is_said(site: dict[str, Any], choice: dict[str, str], words: str) -> None:
    with pytest.raises((EstimateError, RecordError)) as caught:
        tco.estimate(run(), site=tco.Site.model_validate({**site, "pue": 1}), cost=CostChoice(**choice))
    assert words in str(caught.value)


def test_a_date_for_prices_of_which_the_index_has_no_level_yet() -> None:
    choice = CostChoice(price_index="us-ppi-518210", price_date="2024-12", price_base="2025-01")
    estimate = tco.estimate(run(), region="us", system="hgx-h100", cost=choice)
    assert estimate.inputs["index.2025-01"].value == 120.806
    assert {warning.code for warning in estimate.warnings} >= {"index-base"}
    assert estimate["cost.total"].facts["price_year"] == "2024-12"


def test_one_level_of_an_index_is_none() -> None:
    stated = {"site.tariff": "0.2 EUR/kWh", "index.base": 100}
    with pytest.raises(EstimateError, match=r"'index\.base' needs 'index\.target' beside it"):
        tco.estimate(run(), set=stated)


def test_levels_of_years_are_those_of_their_months() -> None:
    index = price_index("us-ppi-518210")
    assert index.level("2024-12") == 119.349
    assert index.level("2023-03") == 117.766
    assert index.level("2024") == pytest.approx(
        sum(index.levels[f"2024-{month:02}"] for month in range(1, 13)) / 12, rel=1e-15
    )
    assert index.level("2025") is None  # half a year is no year


@given(st.floats(0.1, 10), st.floats(0.1, 10))
def test_moving_there_and_back_changes_nothing(base: float, target: float) -> None:
    stated = {"site.tariff": "0.2 EUR/kWh"}
    plain = tco.estimate(run(), set=stated)["cost.energy"].value
    moved = tco.estimate(run(), set={**stated, "index.base": base, "index.target": target})["cost.energy"].value
    assert moved * base / target == pytest.approx(plain, rel=1e-12)


# ---- the catalogue --------------------------------------------------------------------------------------------------


def test_rents_keep_providers_and_terms_apart() -> None:
    h100 = {(provider, term): rental("h100-sxm5-80gb", provider, term) for provider in PROVIDERS for term in TERMS}
    assert h100["specialist", "on-demand"].value == 2.97
    assert h100["hyperscaler", "on-demand"].value == 3.9
    assert h100["specialist", "spot"].value == 1.25  # Nebius eu-north1
    assert h100["hyperscaler", "3-year"].value == 4.86  # Google Cloud us-central1, 2025-03-17
    assert h100["specialist", "3-year"] is None
    for figure in h100.values():
        assert figure is None or "Newest quotes" in figure.note
    assert rental("nothing", "specialist") is None


def test_wholesale_prices(shared: Any) -> None:
    import csv

    assert wholesale("DE").value == 71.93
    assert wholesale("US") is None
    with (shared / "facts" / "costs" / "prices_electricity.csv").open(encoding="utf-8", newline="") as file:
        rows = [
            row for row in csv.DictReader(file, strict=True)
            if row["period"].startswith("2024") and "day-ahead" in row["price_kind"]
        ]  # fmt: skip
    assert len(rows) == 29
    known = {found.name.removeprefix("wholesale."): found.figure.value for found in prices("wholesale.")}
    assert sorted(known.values()) == sorted(float(row["value"]) for row in rows)


def test_prices_have_names() -> None:
    names = [found.name for found in prices()]
    assert len(set(names)) == len(names) > 150
    assert price("carbon.social.us-epa-2025").figure.value == 210
    assert price("exchange.eur_usd").figure.unit == "USD/EUR"
    assert price("system.hgx-h100").figure.unit == "USD"
    with pytest.raises(
        RecordError, match=r"price 'carbon\.paid\.eu-ets' is not known; did you mean 'carbon\.paid\.eu-ets-"
    ):
        price("carbon.paid.eu-ets")
    assert electricity_tariff("hartselle-tou-msb").demand[0].price.value == 10.7
    for found in prices():
        assert found.figure.source is not None, found.name
