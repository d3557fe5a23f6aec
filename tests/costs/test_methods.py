"""The methods of cost: what they say of themselves, what they agree on, and where owning and renting meet."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tco
from tco.errors import EstimateError, UnitError
from tco.estimation.case import Case
from tco.estimation.costs.choice import METHODS, CostChoice, allocation_of, methods_of
from tco.estimation.costs.money import cost_facts
from tco.estimation.result import Estimate
from tco.graph import Graph
from tco.units import Q, currency

PARTS = {
    "storage_price": "20000 EUR",
    "rack_price": "5000 EUR",
    "software_price": "8000 EUR",
    "installation": 0.03,
    "residual": 0.1,
    "licences": "2000 EUR/year",
    "support": "0.02 1/year",
    "insurance": "0.004 1/year",
    "floor_area": "1.5 m2",
}
PLACE = {
    "staff": "0.6 FTE/MW",
    "salary": "90000 EUR/(FTE year)",
    "operation": "50 EUR/(kW month)",
    "floor_price": "200 EUR/(m2 year)",
    "water_price": "2 EUR/m3",
    "wue": "0.4 L/kWh",
    "carbon_price": "70 EUR/tCO2e",
    "intensity": "300 g/kWh",
}


def test_every_cost_says_method_currency_and_price_year(cases: Any) -> None:
    estimate = cases.all_methods(system=PARTS, site=PLACE, rental__price="3 EUR/h")
    money = [line for line in estimate.lines.values() if currency(line.quantity)]
    assert len(money) > 60
    for line in money:
        assert line.facts["method"] in METHODS, line.name
        assert line.facts["currency"] == "EUR", line.name
        assert "price_year" in line.facts, line.name
        assert line.facts["terms"] in ("nominal", "real"), line.name
    by_prefix = {
        "cost.annuity.": "annuity",
        "cost.acquisition.": "acquisition",
        "cost.npv.": "cash-flow NPV",
        "cost.rental.": "rental",
    }
    for prefix, method in by_prefix.items():
        own = [line for line in money if line.name.startswith(prefix)]
        assert own
        assert {line.facts["method"] for line in own} == {method}
    assert "first flow at year 0" in estimate["cost.npv.total"].facts["convention"]


def test_a_cost_without_a_method_cannot_be_made(cases: Any) -> None:
    with pytest.raises(ValueError, match="a cost needs a method, one of amortised, annuity, acquisition"):
        cost_facts("", "EUR", [])  # type: ignore[arg-type]
    case = Case(cases.run(), None, tco.Site(), None, "case", {})
    price = case.graph.input("system.price", Q(1.0, "EUR"), "money")
    case.graph.line("cost.extra", price * 2, "money", "a number of somebody")
    with pytest.raises(ValueError, match=r"'cost\.extra' is a cost without its method or currency"):
        Estimate(case, [])


def test_price_years_are_those_of_the_prices() -> None:
    run = tco.Run.model_validate({"duration": "1 h", "nodes": 1, "energy": "1 kWh", "devices": []})
    estimate = tco.estimate(run, region="eu", system="hgx-h100")
    assert estimate["cost.energy"].facts["price_year"] == 2025
    assert estimate["cost.facility"].facts["price_year"] == 2023
    assert estimate["cost.total"].facts["price_year"] == "2023 and 2025"
    stated = tco.estimate(run, region="eu", system="hgx-h100", set={"site.tariff": "0.2 EUR/kWh"})
    assert stated["cost.energy"].facts["price_year"] == "stated"


AMOUNT = st.floats(1, 1e6)


@given(AMOUNT, st.floats(0, 0.9), st.floats(1, 12), st.floats(1, 20), st.floats(0.05, 1), st.floats(0, 0.5))
def test_breakdown_closes_exactly_and_without_interest_all_methods_agree(
    cases: Any, price: float, network: float, life: float, building_life: float, use: float, residual: float
) -> None:
    estimate = cases.all_methods(
        system={
            **PARTS,
            "price": {"value": price, "unit": "EUR"},
            "network_share": network,
            "lifetime": {"value": life, "unit": "year"},
            "utilisation": use,
            "residual": residual,
        },
        site={**PLACE, "building_lifetime": {"value": building_life, "unit": "year"}},
        finance__rate="0 1/year",
    )
    for line in estimate.lines.values():
        if line.parts:
            assert sum(estimate[part].value for part in line.parts) == line.value, line.name
    whole = estimate["cost.total"].value
    assert estimate["cost.annuity.total"].value == pytest.approx(whole, rel=1e-9)
    assert estimate["cost.npv.total"].value == pytest.approx(whole, rel=1e-9)  # NPV at rate 0 is the plain sum


@given(st.floats(0.5, 20), st.floats(0, 10), st.floats(0, 0.3))
def test_a_longer_life_never_raises_the_share(cases: Any, life: float, longer: float, rate: float) -> None:
    def of(years: float) -> tco.Estimate:
        text = f"{years} year"
        return cases.all_methods(system__lifetime=text, site__building_lifetime=text, finance__rate=f"{rate} 1/year")

    short, long = of(life), of(life + longer)
    for name in ("cost.capex", "cost.total", "cost.annuity.capex", "cost.annuity.total"):
        assert long[name].value <= short[name].value * (1 + 1e-12), name


def test_building_life_is_not_server_life(cases: Any) -> None:
    base = cases.estimate()
    longer = cases.estimate(system__lifetime="10 year")
    assert longer["cost.facility"].value == base["cost.facility"].value
    assert longer["cost.hardware"].value == pytest.approx(base["cost.hardware"].value / 2, rel=1e-12)
    later = cases.estimate(site__building_lifetime="24 year")
    assert later["cost.hardware"].value == base["cost.hardware"].value
    assert later["cost.facility"].value == pytest.approx(base["cost.facility"].value / 2, rel=1e-12)
    own = cases.estimate(
        site={"power_cooling_share": 0.82, "power_cooling_lifetime": "10 year", "building_lifetime": "30 year"}
    )
    hours, use, kw, nodes = 100, 0.8, 10, 2
    for name, share, years in (("power_cooling", 0.82, 10), ("building", 0.18, 30)):
        expected = 9000 * share * kw * nodes * hours / (years * 8760 * use)
        assert own.value(f"cost.facility.{name}", "EUR") == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("system.lifetime", "0 year"),
        ("site.building_lifetime", "0 year"),
        ("system.network_lifetime", "0 year"),
        ("system.storage_lifetime", "-1 year"),
        ("site.power_cooling_lifetime", "0 year"),
    ],
)
def test_a_life_of_nothing_is_an_error(cases: Any, name: str, value: str) -> None:
    parts = {**PARTS, "network_price": "1000 EUR"}
    with pytest.raises(EstimateError) as caught:
        cases.estimate(system=parts, site={"power_cooling_share": 0.8}, **{name.replace(".", "__"): value})
    assert str(caught.value).startswith(f"{name}: ")
    assert "is below 0.5 year" in str(caught.value) or "is not above 0" in str(caught.value)
    field = name.partition(".")[2]
    record = tco.System if name.startswith("system") else tco.Site
    data = {**({"name": "x"} if record is tco.System else {}), field: value}
    with pytest.raises(ValueError, match="must be more than 0 year"):
        record.model_validate(data)


@given(st.floats(0.05, 1), st.floats(2.0, 20.0), st.floats(0, 0.2), st.sampled_from(["", "annuity_"]))
def test_buying_and_renting_meet_at_the_break_even(cases: Any, use: float, rent: float, rate: float, own: str) -> None:
    given_ = {
        "rental__price": f"{rent} EUR/h",
        "finance__rate": f"{rate} 1/year",
        "site": PLACE,
        "system": {"floor_area": "1.5 m2"},
    }
    found = cases.all_methods(system__utilisation=use, **given_)
    meeting = found[f"cost.rental.break_even_{own}utilisation"].value
    if not 1e-3 < meeting <= 1:
        return
    there = cases.all_methods(system__utilisation=meeting, **given_)
    prefix = "cost.annuity" if own else "cost"
    assert there[f"{prefix}.total"].value == pytest.approx(there["cost.rental.total"].value, rel=1e-9)


def test_renting_that_owning_never_beats(cases: Any) -> None:
    estimate = cases.all_methods(rental__price="0.01 EUR/h")
    missing = {missing.line: missing.reason for missing in estimate.missing}
    assert "cheaper at any use" in missing["cost.rental.break_even_utilisation"]


def test_kinds_of_provider_are_never_mixed(cases: Any) -> None:
    estimate = cases.all_methods(rental__price="3 USD/h", fx__usd_eur="1 EUR/USD")
    rents = {
        name: line for name, line in estimate.lines.items() if name.startswith("cost.rental") and name.endswith("total")
    }
    assert {line.facts["provider"] for line in rents.values()} == {"stated", "specialist", "hyperscaler"}
    assert set(rents) == {"cost.rental.total", "cost.rental.specialist.total", "cost.rental.hyperscaler.total"}
    assert rents["cost.rental.total"].value == pytest.approx(3 * 16 * 100)
    prices = {name: node.value for name, node in estimate.inputs.items() if name.startswith("rental.")}
    assert prices["rental.specialist.price"] < prices["rental.hyperscaler.price"]


def test_a_commitment_is_paid_whether_used_or_not(cases: Any) -> None:
    estimate = cases.estimate(
        cost=CostChoice(methods=("rental",), term="3-year"), rental__price="2 EUR/h", fx__usd_eur="1 EUR/USD"
    )
    assert estimate.value("cost.rental.total", "EUR") == pytest.approx(2 * 16 * 100 / 0.8)
    assert estimate["cost.rental.hyperscaler.total"].facts["term"] == "3-year"
    with pytest.raises(EstimateError, match="term '2-year' is not known"):
        cases.estimate(cost=CostChoice(methods=("rental",), term="2-year"))
    half = cases.estimate(cost=CostChoice(methods=("rental",)), rental__price="2 EUR/h", rental__discount=0.5,
                          fx__usd_eur="1 EUR/USD")  # fmt: skip
    assert half.value("cost.rental.total", "EUR") == pytest.approx(1 * 16 * 100)


# Discount factor of 5 years at 8 %: CRF 0.2504564546 (finance examples).
def test_annuity_is_the_capital_recovery_factor(cases: Any) -> None:
    estimate = cases.all_methods(finance__rate="0.08 1/year")
    paid_years = 100 / 8760 / 0.8
    expected = 240_000 * 2 * 0.2504564546 * paid_years
    assert estimate.value("cost.annuity.hardware", "EUR") == pytest.approx(expected, rel=1e-9)
    assert estimate.value("cost.annuity.network", "EUR") == pytest.approx(expected * 0.2 / 0.8, rel=1e-9)
    # bought at year 0, which nothing discounts; the electricity by the uniform present worth 3.99271004 of 5 years
    assert estimate.value("cost.npv.hardware", "EUR") == pytest.approx(240_000 * 2 * paid_years / 5, rel=1e-9)
    energy = estimate.value("cost.energy", "EUR")
    assert estimate.value("cost.npv.energy", "EUR") == pytest.approx(energy * 3.9927100371 / 5, rel=1e-9)


def test_escalation_equal_to_the_rate_leaves_the_plain_sum(cases: Any) -> None:
    estimate = cases.all_methods(finance__rate="0.03 1/year", finance__escalation__energy="0.03 1/year")
    assert estimate["cost.npv.energy"].value == pytest.approx(estimate["cost.energy"].value, rel=1e-12)
    assert estimate["cost.npv.maintenance"].value < estimate["cost.maintenance"].value


def test_the_rate_from_what_it_is_made_of(cases: Any) -> None:
    finance = {
        "equity_share": 0.6, "cost_of_equity": "0.10 1/year", "cost_of_debt": "0.05 1/year", "tax": 0.25,
        "inflation": "0.02 1/year",
    }  # fmt: skip
    estimate = cases.all_methods(site={"finance": finance})
    assert estimate.value("finance.cost_of_capital", "1/year") == pytest.approx(0.075, rel=1e-12)
    assert estimate.value("finance.rate", "1/year") == pytest.approx(1.075 / 1.02 - 1, rel=1e-12)
    for wrong, words in (
        ({"rate": "0.05 1/year", "nominal_rate": "0.07 1/year"}, "give one of 'rate'"),
        ({"nominal_rate": "0.07 1/year"}, "a nominal rate needs 'inflation'"),
        ({"equity_share": 0.5}, "go together"),
        ({"rate": "5 %"}, "needs a unit"),
    ):
        with pytest.raises(ValueError, match=words):
            tco.Site.model_validate({"finance": wrong})


def test_component_prices_and_lives(cases: Any) -> None:
    own = {
        "price": None, "accelerator_price": "25000 EUR", "host_price": "40000 EUR",
        "accelerator_lifetime": "4 year", "host_lifetime": "8 year",
    }  # fmt: skip
    estimate = cases.all_methods(system=own)
    paid = 100 / 0.8
    assert estimate.value("cost.hardware.accelerators", "EUR") == pytest.approx(25_000 * 16 * paid / (4 * 8760))
    assert estimate.value("cost.hardware.hosts", "EUR") == pytest.approx(40_000 * 2 * paid / (8 * 8760))
    assert set(estimate["cost.hardware"].parts) == {"cost.hardware.accelerators", "cost.hardware.hosts"}
    assert estimate.value("cost.acquisition.hardware", "EUR") == pytest.approx(25_000 * 16 + 40_000 * 2)
    half = cases.estimate(system={**own, "host_price": None})
    reasons = {missing.line: missing.reason for missing in half.missing}
    assert "'system.host_price' beside it is not" in reasons["cost.hardware"]
    assert "cost.total" not in half


def test_running_costs_that_are_stated_are_counted_and_the_others_named(cases: Any) -> None:
    plain = cases.estimate()
    assert "staff" in plain["cost.total"].facts["not_counted"]
    full = cases.estimate(system=PARTS, site=PLACE)
    assert full["cost.total"].facts["not_counted"] == ("spares",)
    hours = 100 / 0.8
    assert full.value("cost.staff", "EUR") == pytest.approx(0.6e-3 * 90_000 * 10 * 2 * hours / 8760)
    assert full.value("cost.operation", "EUR") == pytest.approx(50 * 10 * 2 * hours / 730)
    assert full.value("cost.floor", "EUR") == pytest.approx(200 * 1.5 * 2 * hours / 8760)
    assert full.value("cost.support", "EUR") == pytest.approx(240_000 * 0.02 * 2 * hours / 8760)
    assert full.value("cost.water", "EUR") == pytest.approx(2 * 1200 * 0.4 / 1000)
    assert full.value("cost.carbon", "EUR") == pytest.approx(70 * 1500 * 0.3 / 1000)
    assert full.value("cost.installation", "EUR") == pytest.approx(0.03 * full.value("cost.hardware", "EUR"))
    paid = cases.estimate(site={"colocation": "150 EUR/(kW month)"})
    assert "cost.facility" not in paid
    assert paid.value("cost.colocation", "EUR") == pytest.approx(150 * 10 * 2 * hours / 730)
    assert paid["cost.total"].value > 0


def test_what_is_stated_and_cannot_be_told_is_missing_from_the_total(cases: Any) -> None:
    estimate = cases.estimate(site={"water_price": "2 EUR/m3"})
    reasons = {missing.line: missing.reason for missing in estimate.missing}
    assert "--set site.wue" in reasons["cost.water"]
    assert reasons["cost.total"] == "it needs cost.water"
    assert "cost.total" not in estimate


def test_support_follows_the_price_of_a_node_and_of_its_parts(cases: Any) -> None:
    parts = {"price": None, "accelerator_price": "25000 EUR", "host_price": "40000 EUR", "support": "0.02 1/year"}
    estimate = cases.estimate(system=parts)
    assert estimate.value("cost.support", "EUR") == pytest.approx(240_000 * 0.02 * 2 * 125 / 8760)


def test_the_carbon_price_paid_is_not_the_social_cost(cases: Any) -> None:
    site = {"intensity": "300 g/kWh", "social_cost": "210 EUR/tCO2e"}
    only = cases.estimate(site=site)
    without = cases.estimate(site={"intensity": "300 g/kWh"})
    assert only["cost.total"].value == without["cost.total"].value  # a memo, in no total
    assert only["cost.social_carbon"].facts["memo"] is True
    both = cases.estimate(site={**site, "carbon_price": "70 EUR/tCO2e"})
    paid = both["cost.total"].value - without["cost.total"].value
    assert paid == pytest.approx(both["cost.carbon"].value, rel=1e-9)
    assert both.value("cost.carbon", "EUR") == pytest.approx(70 * 0.45)


def test_failures_and_spares(cases: Any) -> None:
    system = {"accelerator_price": None, "checkpoint_interval": "1 h", "restart_time": "0.5 h"}
    estimate = cases.estimate(system=system, system__failure_rate="0.0908 1/year")
    assert estimate["reliability.failures"].value == pytest.approx(0.0908 * 16 * 100 / 8760)
    assert estimate.value("reliability.lost_time", "h") == pytest.approx(0.0908 * 16 * 100 / 8760)
    share = estimate.value("reliability.lost_time", "h") / 100
    assert estimate["cost.lost_work"].value == pytest.approx(estimate["cost.total"].value * share)
    assert "spares" in estimate["cost.total"].facts["not_counted"]  # no price of one accelerator is stated
    priced = cases.estimate(
        system={**system, "price": None, "accelerator_price": "25000 EUR", "host_price": "40000 EUR"},
        system__failure_rate="0.0908 1/year",
    )
    assert priced.value("cost.spares", "EUR") == pytest.approx(25_000 * 0.0908 * 16 * 100 / 8760)
    llama = cases.run(duration="54 d", nodes=2048, devices=[{"kind": "gpu", "count": 16384}], power="1 MW")
    found = cases.estimate(run=llama, system={**system, "accelerator": None}, system__failure_rate="0.173 1/year")
    assert found.value("reliability.failures", "1") == pytest.approx(419, abs=1)  # Llama 3: 419 in 54 days
    assert found.value("reliability.mtbf", "h") == pytest.approx(3.093, abs=0.005)


def test_allocation_is_a_named_choice_and_idle_a_line_of_its_own(cases: Any) -> None:
    run = cases.run(devices=[{"kind": "gpu", "model": "NVIDIA H100 80GB HBM3", "count": 8}])  # 8 of 16 that it held
    costs = {}
    for allocation in ("used", "reserved", "time"):
        costs[allocation] = cases.estimate(run=run, cost=CostChoice(allocation=allocation))
    used, reserved, time = (costs[name]["cost.hardware"].value for name in ("used", "reserved", "time"))
    assert reserved == pytest.approx(2 * used)
    assert time == pytest.approx(0.8 * used)
    assert costs["time"]["cost.idle"].value == pytest.approx(
        costs["reserved"]["cost.total"].value / 2 * 0
        + costs["time"]["cost.capex"].value * 0.25
        + costs["time"]["cost.maintenance"].value * 0.25
    )
    by_energy = cases.estimate(cost=CostChoice(allocation="energy"), system__mean_power="4.8 kW")
    whole = cases.estimate(cost=CostChoice(allocation="used"))
    # 6 kW for 100 h of what 4.8 kW use in the life: as 125 h, which 100 h at a utilisation of 0.8 are too
    assert by_energy["cost.hardware"].value == pytest.approx(whole["cost.hardware"].value, rel=1e-12)
    with pytest.raises(EstimateError, match=r"to allocate by energy, the estimate needs --set system\.mean_power"):
        cases.estimate(cost=CostChoice(allocation="energy"))
    idle = cases.all_methods()["cost.idle"]
    assert idle.value == pytest.approx(0.2 * (whole["cost.total"].value - whole["cost.energy"].value), rel=1e-12)


def test_cost_per_useful_work(cases: Any) -> None:
    work = [
        {"quantity": "tokens", "basis": "output", "value": 2e9},
        {"quantity": "tokens", "basis": "input", "value": 8e9},
        {"quantity": "iterations", "value": 1000},
        {"quantity": "FLOP", "value": 1e21},
        {"quantity": "jobs", "value": 4},
    ]
    estimate = cases.all_methods(run=cases.run(work=work), rental__price="3 EUR/h", fx__usd_eur="1 EUR/USD")
    total = estimate["cost.total"].value
    for key, amount in (("output_token", 2e9), ("input_token", 8e9), ("iteration", 1e3), ("FLOP", 1e21), ("job", 4)):
        assert estimate[f"cost.total.per_{key}"].value == pytest.approx(total / amount)
        assert estimate[f"cost.annuity.total.per_{key}"].facts["method"] == "annuity"
    assert estimate.value("cost.rental.total.per_output_token", "EUR/Mtoken") == pytest.approx(3 * 1600 / 2000)
    assert estimate.value("cost.total.per_device_hour", "EUR/h") == pytest.approx(total / 1600)
    assert "cost.acquisition.total.per_job" not in estimate
    per_mw = estimate.value("work.output_token.per_facility_power", "token/(s*MW)")
    assert per_mw == pytest.approx(2e9 / 360_000 / (12 * 1.25 / 1000))


# InferenceX: 1,000 token/s on a GPU are 1/3.6 of the price of its hour per million tokens.
def test_serving_price_from_the_price_of_an_hour(cases: Any) -> None:
    run = cases.run(
        nodes=None, duration="1 h", devices=[{"kind": "gpu", "model": "H100", "count": 1}],
        power={"boundary": "facility", "average_power": "1.73 kW"},
        work={"quantity": "tokens", "basis": "output", "rate": "1000 1/s"},
    )  # fmt: skip
    estimate = cases.all_methods(run=run, system={"accelerator": None}, rental__price="1.3 EUR/h")
    assert estimate.value("cost.rental.total.per_output_token", "EUR/Mtoken") == pytest.approx(0.361111, abs=5e-7)
    assert estimate.value("work.output_token.per_facility_power", "token/(s*kW)") == pytest.approx(578.035, abs=5e-4)


def test_words_for_methods_and_allocations() -> None:
    assert methods_of("all") == METHODS
    assert methods_of("npv, Annuity") == ("cash-flow NPV", "annuity")
    with pytest.raises(EstimateError, match="cost method 'anuity' is not known; did you mean 'annuity'"):
        methods_of("anuity")
    assert allocation_of("energy") == "energy"
    with pytest.raises(EstimateError, match="allocation 'energie' is not known; did you mean 'energy'"):
        allocation_of("energie")


# The two unit faults of published code: PUE overhead of a 2 kW server, and opex per kW that was meant per W.
def test_energy_that_is_scaled_twice_is_no_money() -> None:
    graph = Graph()
    power = graph.input("server.power", Q(2000, "W"), "W")
    life = graph.input("server.life", Q(18, "month"), "month")
    per_power = graph.input("overhead", Q(0.02412, "USD/(W*month)"), "USD/(W*month)", "PUE overhead")
    overhead = graph.line("pue_overhead", per_power * power * life, "USD", "PUE overhead over the life")
    assert overhead.value == pytest.approx(868.32, rel=1e-12)  # not 31,259,520 USD
    with pytest.raises(UnitError, match="not money in USD"):
        graph.line("pue_overhead_twice", overhead * power * life, "USD", "scaled again")


def test_opex_per_kw_for_opex_per_w_is_refused(cases: Any) -> None:
    with pytest.raises(EstimateError) as caught:
        cases.estimate(site__operation="0.04 EUR/(kW month)")
    assert "site.operation: 0.044688 USD/(kW*month)" in str(caught.value)
    assert "is below 1 USD/(kW*month): was it per W instead of per kW" in str(caught.value)
    with pytest.raises(EstimateError, match="is above 1000 USD"):
        cases.estimate(site__operation="40 EUR/(W month)")
    with pytest.raises(UnitError, match="needs a unit"):
        cases.estimate(site__operation="0.04")
    assert cases.estimate(site__operation="0.04 EUR/(W month)")["cost.operation"].value == pytest.approx(
        cases.estimate(site__operation="40 EUR/(kW month)")["cost.operation"].value
    )
