"""Electricity: tariffs with their parts, time of use, and spot prices that are no tariffs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tco
from tco.errors import EstimateError, RecordError, UnitError

DATA = Path(__file__).resolve().parents[1] / "data" / "costs"


def flat_run(**changes: Any) -> tco.Run:
    data = {"name": "flat", "duration": "1 month", "nodes": 1, "power": "10 MW", "devices": []}
    data["power"] = {"boundary": "facility", "average_power": "10 MW"}
    return tco.Run.model_validate({**data, **changes})


def estimate_of(run: tco.Run, electricity: Any, **stated: Any) -> tco.Estimate:
    site = tco.Site.model_validate({"pue": 1, "electricity": electricity, "building_cost": "0 USD/kW", "share": 1})
    system = tco.System.model_validate(
        {"name": "hall", "price": "1000000 USD", "rating": "10 MW", "utilisation": 1, "maintenance": 0}
    )
    return tco.estimate(run, system=system, site=site, set={k.replace("__", "."): v for k, v in stated.items()})


# Hartselle Utilities (TVA), TOU MSB: 10 MW flat, 110 of 730 hours on peak: 406,396.22 USD, 30.5 % of it demand.
def test_demand_charges_are_a_third_of_the_bill_of_a_flat_load() -> None:
    estimate = estimate_of(flat_run(), "hartselle-tou-msb", **{"tariff.on-peak.share": 110 / 730})
    bill = estimate.value("cost.energy", "USD")
    assert bill == pytest.approx(406_396.22, abs=0.005)
    assert bill / 7_300_000 == pytest.approx(0.055671, abs=5e-7)
    demand = sum(estimate.value(f"cost.energy.{name}", "USD") for name in ("on-peak-demand", "maximum-demand"))
    assert demand == pytest.approx(123_800)
    assert round(100 * demand / bill, 1) == 30.5
    assert sum(estimate[part].value for part in estimate["cost.energy"].parts) == estimate["cost.energy"].value
    assert estimate.inputs["tariff.on-peak.price"].given.source.author == "Hartselle Utilities"
    assert estimate["cost.energy"].facts["price_year"] == 2024


def test_what_a_tariff_needs_is_said() -> None:
    estimate = estimate_of(flat_run(), "hartselle-tou-msb")
    reasons = {missing.line: missing.reason for missing in estimate.missing}
    assert "--set tariff.on-peak.share=0.15" in reasons["cost.energy.on-peak"]
    assert "cost.energy" not in estimate
    assert "cost.total" not in estimate
    with pytest.raises(RecordError, match="did you mean 'hartselle-tou-msb'"):
        estimate_of(flat_run(), "hartselle-tou-mbs")


def test_idle_months_pay_demand_too() -> None:
    half = estimate_of(
        flat_run(), {"energy": "0.05 USD/kWh", "demand": [{"name": "peak", "price": "10 USD/(kW month)"}]}
    )
    assert half.value("cost.energy.peak", "USD") == pytest.approx(100_000)
    idle = estimate_of(
        flat_run(),
        {"energy": "0.05 USD/kWh", "demand": [{"name": "peak", "price": "10 USD/(kW month)"}]},
        system__utilisation=0.5,
    )
    assert idle.value("cost.energy.peak", "USD") == pytest.approx(200_000)  # paid in the idle month as well
    assert idle.value("cost.energy.use", "USD") == half.value("cost.energy.use", "USD")
    assert idle["cost.energy.peak"].facts["standing"] is True


BERLIN = {
    "time_zone": "Europe/Berlin",
    "periods": [
        {"name": "day", "price": "0.30 EUR/kWh", "hours": [[8, 20]], "days": "weekdays"},
        {"name": "night", "price": "0.10 EUR/kWh"},
    ],
}


def in_berlin(start: str, hours: float) -> tco.Estimate:
    run = tco.Run.model_validate({"start": start, "duration": {"value": hours, "unit": "h"}, "energy": "100 kWh"})
    return tco.estimate(run, site=tco.Site.model_validate({"pue": 1, "electricity": BERLIN}))


# 2025-06-02 is a Monday; clocks in Berlin are two hours ahead of UTC then, one in January.
@pytest.mark.parametrize(
    ("start", "hours", "day_share"),
    [
        ("2025-06-02T06:00Z", 12, 1.0),
        ("2025-06-02T00:00Z", 24, 0.5),
        ("2025-06-02T05:00Z", 2, 0.5),
        ("2025-01-06T07:00Z", 12, 1.0),  # the same hours of the clock, another offset
        ("2025-06-07T06:00Z", 12, 0.0),  # Saturday
        ("2025-06-02T00:00Z", 168, 60 / 168),
        ("2025-03-30T00:00+01:00", 24, 0.0),  # Sunday, the clock jumps: 23 hours of it, and one of Monday's night
    ],
)
def test_hours_of_use_follow_the_clock_of_the_site(start: str, hours: float, day_share: float) -> None:
    estimate = in_berlin(start, hours)
    assert estimate.value("tariff.day.share", "1") == pytest.approx(day_share, abs=1e-12)
    assert estimate.value("cost.energy", "EUR") == pytest.approx(100 * (0.1 + 0.2 * day_share))
    assert estimate.value("tariff.night.share", "1") == pytest.approx(1 - day_share)


@given(st.floats(0.5, 400), st.integers(0, 8760))
def test_shares_of_periods_make_up_the_whole(hours: float, later: int) -> None:
    from datetime import UTC, datetime, timedelta

    start = datetime(2025, 1, 1, tzinfo=UTC) + timedelta(hours=later)
    estimate = in_berlin(start.isoformat(), hours)
    shares = [estimate.value(f"tariff.{name}.share", "1") for name in ("day", "night")]
    assert sum(shares) == pytest.approx(1)
    assert all(-1e-9 <= share <= 1 + 1e-9 for share in shares)


def test_prices_by_the_hour_are_weighted_by_energy() -> None:
    site = tco.Site.model_validate(
        {"pue": 1, "electricity": {"hourly": str(DATA / "prices.csv"), "hourly_unit": "EUR/MWh"}}
    )
    run = tco.Run.model_validate({"start": "2025-06-01T22:00Z", "duration": "3 h", "energy": "3 MWh"})
    estimate = tco.estimate(run, site=site)
    assert estimate.value("cost.energy", "EUR") == pytest.approx(140)
    assert "mean-power" in {warning.code for warning in estimate.warnings}
    longer = tco.estimate(run.model_copy(update={"duration": run.duration * 4 / 3}), site=site)
    assert "price-gaps" in {warning.code for warning in longer.warnings}


def test_levies_on_a_bill() -> None:
    tariff = {
        "energy": "0.05 USD/kWh",
        "levies": "0.01 USD/kWh",
        "levy_share": 0.2,
        "demand": [{"name": "peak", "price": "10 USD/(kW month)"}],
        "fixed": ["600 USD/month"],
    }
    estimate = estimate_of(flat_run(), tariff)
    assert estimate.value("cost.energy.levies-on-energy", "USD") == pytest.approx(0.2 * 7_300_000 * 0.06)
    assert estimate.value("cost.energy.levies-on-demand", "USD") == pytest.approx(0.2 * (100_000 + 600))
    assert estimate.value("cost.energy", "USD") == pytest.approx(1.2 * (7_300_000 * 0.06 + 100_600))


# Germany 2024: day-ahead mean 71.93 EUR/MWh (ten months); customers of the EU paid 194.1 EUR/MWh in the second half.
@pytest.mark.parametrize(
    ("region", "tariff", "warned"),
    [
        ("de", "72 EUR/MWh", True),
        ("de", "194 EUR/MWh", False),
        ("de", "0.18 EUR/kWh", False),
        ("de", "80 USD/MWh", True),
        ("us", "72 USD/MWh", False),  # no wholesale price is known there
    ],
)
def test_a_spot_price_for_a_tariff_draws_a_warning(region: str, tariff: str, warned: bool) -> None:
    run = tco.Run.model_validate({"duration": "1 h", "energy": "1 MWh"})
    estimate = tco.estimate(run, region=region, set={"site.tariff": tariff})
    found = [warning for warning in estimate.warnings if warning.code == "spot-price"]
    assert bool(found) == warned
    if tariff == "72 EUR/MWh":
        assert (
            "72 EUR/MWh is nearer to the wholesale price of the place (71.9 EUR/MWh, day-ahead, 2024)"
            in found[0].message
        )
        assert "grid fees, levies and the supplier's margin are not in a spot price" in found[0].message


def test_a_tariff_that_says_it_is_spot_draws_a_warning() -> None:
    estimate = estimate_of(flat_run(), {"kind": "spot", "energy": "0.07 USD/kWh"})
    assert [warning.code for warning in estimate.warnings] == ["spot-price"]


@pytest.mark.parametrize(
    ("tariff", "words"),
    [
        ({}, "needs exactly one of 'energy', 'periods' and 'hourly'"),
        ({"energy": "0.05 USD/kWh", "hourly": "x.csv", "hourly_unit": "EUR/MWh"}, "needs exactly one of"),
        ({"periods": [{"name": "a"}]}, "period 'a' needs either 'price' or 'blocks'"),
        (
            {"periods": [{"name": "a", "price": "1 USD/kWh", "hours": [[20, 8]]}]},
            "hours \\[20, 8\\] are not within a day",
        ),
        ({"periods": [{"name": "a", "price": "1 USD/kWh", "months": [13]}]}, "13 is not a month"),
        (
            {"periods": [{"name": "a", "blocks": [{"price": "1 USD/kWh", "hours_of_use": "200 h"}]}]},
            "the last has none",
        ),
        ({"energy": "5 USD"}, "is money in USD, not"),
    ],
)
def test_tariffs_that_are_none(tariff: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        tco.Site.model_validate({"electricity": tariff})


def test_a_price_of_energy_is_no_price_of_power() -> None:
    """USD/kWh and USD/(kW month) are of one dimension: only their size tells them apart."""
    tariff = {"energy": "0.05 USD/kWh", "demand": [{"name": "peak", "price": "10 USD/kWh"}]}
    with pytest.raises(EstimateError) as caught:
        estimate_of(flat_run(), tariff)
    assert "tariff.peak.price: 7300 USD/(kW*month) is above 200 USD/(kW*month): was it a price of energy" in str(
        caught.value
    )


def test_two_tariffs_are_one_too_many(cases: Any) -> None:
    with pytest.raises(EstimateError, match=r"'site\.tariff' and 'site\.electricity' are both stated"):
        cases.estimate(site={"electricity": {"energy": "0.05 EUR/kWh"}})


def test_hours_that_belong_to_two_periods() -> None:
    twice = {**BERLIN, "periods": [BERLIN["periods"][0], {"name": "noon", "price": "0.4 EUR/kWh", "hours": [[11, 13]]},
                                   BERLIN["periods"][1]]}  # fmt: skip
    run = tco.Run.model_validate({"start": "2025-06-02T00:00Z", "duration": "24 h", "energy": "100 kWh"})
    with pytest.raises(EstimateError, match="the tariff has hours that belong to 'day' and to 'noon'"):
        tco.estimate(run, site=tco.Site.model_validate({"pue": 1, "electricity": twice}))


# Open case A47: cents per kWh are no euros.
def test_cents() -> None:
    run = tco.Run.model_validate({"energy": "134.4 kWh"})
    site = tco.Site.model_validate({"pue": 1, "tariff": {"value": 20, "unit": "ct/kWh", "currency": "EUR"}})
    assert tco.estimate(run, site=site).value("cost.energy", "EUR") == pytest.approx(26.88, rel=1e-12)
    for text in ("20 ct/kWh", "20"):
        with pytest.raises((UnitError, ValueError)):
            tco.estimate(run, set={"site.tariff": text})
