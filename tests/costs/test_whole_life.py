"""Whole-life cash flows, and keeping a system against replacing it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tco
from tco.errors import EstimateError
from tco.estimation.costs.replace import replace
from tco.estimation.costs.whole_life import whole_life

DATA = Path(__file__).resolve().parents[1] / "data" / "costs"
NODE = tomllib.loads((DATA / "node.toml").read_text(encoding="utf-8"))
NO_RATE = {"finance.rate": "0 1/year"}


def system(**changes: Any) -> tco.System:
    data = {**NODE, "parts": [{"name": "node", "embodied": EMBODIED}], **changes}
    return tco.System.model_validate(data)


EMBODIED = {"value": 4000, "unit": "kgCO2e", "boundary": "node", "phase": "cradle-to-gate", "method": "stated"}
SITE = tco.Site.model_validate(
    {**tomllib.loads((DATA / "site.toml").read_text(encoding="utf-8")), "intensity": "300 g/kWh"}
)


def life(record: tco.System, years: int, stated: dict[str, object] | None = None, **given_: Any) -> Any:
    return whole_life(record, years, power="6 kW", site=SITE, set=stated, **given_)


def test_flows_by_hand() -> None:
    found = life(system(), 5, NO_RATE)
    rows = {row.name: row.flows for row in found.rows}
    assert rows["hardware"] == (240_000, 0, 0, 0, 0, 0)
    assert rows["facility"] == (90_000, 0, 0, 0, 0, 0)
    assert rows["residual"][5] == pytest.approx(-90_000 * 7 / 12)  # 7 of 12 years of the building are left
    assert rows["energy"][1:] == pytest.approx([0.8 * 8760 * 6 * 1.25 * 0.2] * 5)
    assert rows["maintenance"][1:] == pytest.approx([240_000 / 5 * 0.05] * 5)
    assert found.totals[0] == 330_000
    assert sum(found.totals) == pytest.approx(found.total, rel=1e-12)
    facts = found.graph["cashflow.npv"].facts
    assert (facts["method"], facts["currency"], facts["price_year"]) == ("cash-flow NPV", "EUR", "stated")


# 12-year facility with 5-year servers: bought at 0, 5 and 10, with 3/5 of the last one left (finance examples).
def test_what_lives_shorter_is_bought_again() -> None:
    found = life(system(), 12, NO_RATE)
    rows = {row.name: row.flows for row in found.rows}
    assert [year for year, flow in enumerate(rows["hardware"]) if flow] == [0, 5, 10]
    assert rows["residual"][12] == pytest.approx(-240_000 * 3 / 5)
    assert rows["facility"].index(90_000) == 0
    assert sum(rows["facility"]) == 90_000


@given(st.integers(1, 12), st.floats(1, 12), st.floats(1, 20), st.floats(0.1, 1), st.floats(0, 0.9), st.integers(1, 9))
def test_without_interest_a_whole_life_is_so_many_years(
    years: int, lifetime: float, building: float, use: float, network: float, nodes: int
) -> None:
    record = system(lifetime={"value": lifetime, "unit": "year"}, utilisation=use, network_share=network)
    stated = {**NO_RATE, "site.building_lifetime": f"{building} year"}
    found = life(record, years, stated, nodes=nodes)
    assert found.total == pytest.approx(years * found.estimate["cost.total"].value, rel=1e-9)
    assert found.net_present_value == pytest.approx(found.total, rel=1e-9)  # NPV at rate 0 is the plain sum


def test_present_value_by_hand() -> None:
    found = life(system(), 5, {"finance.rate": "0.08 1/year"})
    expected = sum(flow / 1.08**year for year, flow in enumerate(found.totals))
    assert found.net_present_value == pytest.approx(expected, rel=1e-12)
    grown = life(system(), 5, {"finance.rate": "0.08 1/year", "finance.escalation.energy": "0.02 1/year"})
    rows = {row.name: row.flows for row in grown.rows}
    base = 0.8 * 8760 * 6 * 1.25 * 0.2
    assert rows["energy"][1:] == pytest.approx([base * 1.02**year for year in range(1, 6)])


def test_idle_electricity_is_a_row_of_its_own() -> None:
    found = life(system(), 5, NO_RATE, idle_power="1.5 kW")
    rows = {row.name: row.flows for row in found.rows}
    assert rows["idle"][1] == pytest.approx(0.2 * 8760 * 1.5 * 1.25 * 0.2)
    without = life(system(), 5, NO_RATE)
    assert "idle-energy" in {warning.code for warning in without.estimate.warnings}
    assert "idle" not in {row.name for row in without.rows}


def test_residual_value() -> None:
    found = life(system(residual=0.1), 5, NO_RATE)
    rows = {row.name: row.flows for row in found.rows}
    assert rows["residual"][5] == pytest.approx(-(24_000 + 90_000 * 7 / 12))
    assert found.total == pytest.approx(5 * found.estimate["cost.total"].value, rel=1e-12)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: life(system(), 0), "the horizon must be whole years, 1 or more"),
        (lambda: life(system(), 5, nodes=0), "there must be more than 0"),
        (
            lambda: life(system(price=None), 5),
            "the cash flow cannot be made: cost.hardware: no price of 'node' is known",
        ),
        (lambda: whole_life("archer2-node", 5, region="gb"), "give --power '1.2 kW'"),
        (lambda: life(system(), 5, {"finance.rte": 1}), "'finance.rte' is not an input"),
    ],
)
def test_what_a_whole_life_needs(call: Any, words: str) -> None:
    with pytest.raises(EstimateError) as caught:
        call()
    assert words in str(caught.value)


# ---- keep or replace ------------------------------------------------------------------------------------------------


def ways(**given_: Any) -> Any:
    old = system(name="old", price="100000 EUR")
    new = system(name="new", price="150000 EUR")
    given_ = {"speedup": 4, "nodes": 4, "set": NO_RATE, **given_}
    return replace(old, new, 6, old_power="6 kW", new_power="8 kW", site=SITE, **given_)


def test_keep_or_replace_by_hand() -> None:
    found = ways()
    first, last = found.by_year[0], found.by_year[-1]
    assert (first.keep_nodes, first.buy_nodes) == (4, 1)
    assert (first.keep_cost, first.buy_cost) == (0, 150_000)
    assert first.buy_carbon == pytest.approx(4000)
    hours = 0.8 * 8760
    keep = 4 * (hours * 6 * 1.25 * 0.2 + 100_000 / 5 * 0.05)
    buy = hours * 8 * 1.25 * 0.2 + 150_000 / 5 * 0.05
    assert last.keep_cost == pytest.approx(6 * keep)
    assert last.buy_cost == pytest.approx(150_000 + 6 * buy)
    assert last.keep_carbon == pytest.approx(6 * 4 * hours * 6 * 1.25 * 0.3)
    assert last.buy_carbon == pytest.approx(4000 + 6 * hours * 8 * 1.25 * 0.3)
    assert found.cost_payback == -(-150_000 // (keep - buy)) == 5  # the first year whose end makes up for the price
    assert found.carbon_payback == 1
    assert found.carbon_price == 0


def test_the_carbon_price_between() -> None:
    found = ways(set={**NO_RATE, "new.system.price": "400000 EUR"})
    last = found.by_year[-1]
    assert found.cost_payback is None
    assert found.carbon_price > 0
    paid = found.carbon_price / 1000
    assert last.keep_cost + paid * last.keep_carbon == pytest.approx(last.buy_cost + paid * last.buy_carbon)
    dirtier = replace(
        system(name="old"), system(name="new"), 6, old_power="1 kW", new_power="6 kW", site=SITE, set=NO_RATE, speedup=1
    )
    assert (dirtier.cost_payback, dirtier.carbon_payback, dirtier.carbon_price) == (None, None, None)


def test_work_that_grows_needs_nodes_on_both_sides() -> None:
    found = ways(growth=0.2)
    assert [year.keep_nodes for year in found.by_year] == [4, 4, 5, 6, 7, 9, 10]
    assert [year.buy_nodes for year in found.by_year] == [1, 1, 2, 2, 2, 3, 3]
    assert found.by_year[2].keep_cost - found.by_year[1].keep_cost > 100_000
    resold = ways(resale="20000 EUR")
    assert resold.by_year[0].buy_cost == pytest.approx(150_000 - 4 * 20_000)


def test_what_nobody_stated_is_listed() -> None:
    found = ways(speedup=None)
    assert any("--speedup" in note for note in found.assumed)
    assert any("--resale" in note for note in found.assumed)
    assert found.to_dict()["schema"] == "tco.replace/1"
    for wrong, words in (
        ({"growth": -1.0}, "leaves no work"),
        ({"speedup": 0.0}, "must be more than 0"),
        ({"resale": "5 USD"}, "must be in EUR"),
    ):
        with pytest.raises(EstimateError, match=words):
            ways(**wrong)
    old = tco.System.model_validate({**NODE, "accelerator": None})
    with pytest.raises(EstimateError, match="its embodied carbon is not known"):
        replace(old, system(), 6, old_power="6 kW", new_power="6 kW", site=SITE)
