"""Published breakdowns: Hamilton's data centre, the server models of the ASIC clouds, chips by their wafers."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import tco
from tco.errors import EstimateError, RecordError
from tco.estimation.costs.chip import chip_cost
from tco.estimation.costs.choice import CostChoice
from tco.formulas import chip, cost, finance
from tco.formulas import depreciation as depreciation_formulas
from tco.units import Q


def cases_of(shared: Path, prefix: str) -> dict[str, dict[str, dict[str, str]]]:
    found: dict[str, dict[str, dict[str, str]]] = {}
    with (shared / "facts" / "costs" / "cases.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, strict=True):
            if row["case_id"].startswith(prefix) and row["symbol"]:
                key = f"in {row['symbol']}" if row["role"] == "input" else row["symbol"]
                found.setdefault(row["case_id"], {})[key] = row
    return found


def inputs_of(rows: dict[str, dict[str, str]]) -> dict[str, float]:
    return {key[3:]: float(row["value"]) for key, row in rows.items() if key.startswith("in ")}


# Shares of J. Hamilton 2010 as DatacenterKnowledge printed them on 2010-09-22. The inputs are from memory (the facts
# say so): they reproduce the shares, and prove nothing more.
def test_hamilton_shares_with_inputs_from_memory(shared: Path) -> None:
    rows = cases_of(shared, "hamilton_2010")["hamilton_2010"]
    given = inputs_of(rows)
    assert {row["from_memory"] for row in rows.values() if row["role"] == "input"} == {"true"}
    critical = {"value": given["P_crit"], "unit": "kW"}
    run = tco.Run.model_validate(
        {
            "name": "a month",
            "duration": "1 month",
            "nodes": 1,
            "power": {
                "boundary": "node_ac",
                "average_power": {"value": given["P_crit"] * given["u"], "unit": "kW"},
            },
        }
    )
    system = {
        "name": "a hall of servers", "price": {"value": given["C_srv"], "unit": "USD"}, "rating": critical,
        "network_price": {"value": given["C_net"], "unit": "USD"}, "maintenance": 0, "utilisation": 1,
        "lifetime": {"value": given["n_srv"], "unit": "year"},
        "network_lifetime": {"value": given["n_net"], "unit": "year"},
    }  # fmt: skip
    site = {
        "pue": given["PUE"],
        "tariff": {"value": given["p_e"], "unit": "USD/kWh"},
        "building_cost": {"value": given["C_fac"] / given["P_crit"], "unit": "USD/kW"},
        "building_lifetime": {"value": given["n_fac"], "unit": "year"},
        "power_cooling_share": given["s_pc"],
        "finance": {"rate": {"value": given["r"], "unit": "1/year"}, "period": "1 month"},
    }
    estimate = tco.estimate(
        run,
        system=tco.System.model_validate(system),
        site=tco.Site.model_validate(site),
        cost=CostChoice(methods=("annuity",)),
    )
    total = estimate.value("cost.annuity.total", "USD")
    assert total == pytest.approx(float(rows["total"]["recomputed"]), rel=5e-6)
    assert round(total / 1e6, 1) == 3.5
    for symbol, line in (
        ("share_servers", "cost.annuity.hardware"),
        ("share_networking", "cost.annuity.network"),
        ("share_power_cooling", "cost.annuity.facility.power_cooling"),
        ("share_other_infra", "cost.annuity.facility.building"),
        ("share_power", "cost.energy"),
    ):
        share = estimate.value(line, "USD") / total
        assert share == pytest.approx(float(rows[symbol]["value"]), abs=0.0055), symbol
        assert share == pytest.approx(float(rows[symbol]["recomputed"]), abs=5e-5), symbol


# Three servers with stated inputs; the fourth case of the facts has its server from memory and is left out.
@pytest.mark.parametrize("name", ["asiccloud_2kw", "dgx_h100_5y"])
def test_lines_of_the_asic_cloud_model(shared: Path, name: str) -> None:
    rows = cases_of(shared, name)[name]
    assert {row["from_memory"] for row in rows.values()} == {"false"}
    v = inputs_of(rows)
    month, unit = Q(1, "month"), "USD/(W*month)"
    life, building_life = Q(v["n"], "year"), Q(v["DCAmort"], "year")
    building, server = Q(v["DCCapex"], "USD/W"), Q(v["P"], "USD") / Q(v["w"], "W")
    rate, hour = Q(v["r"], "1/year"), Q(v["h"], "h") / month
    price = Q(v["p_e"], "USD/kWh")

    def interest(capital, years):  # type: ignore[no-untyped-def]
        return finance.interest_paid(capital, finance.capital_recovery(rate, years, month), years) / years

    amortised = depreciation_formulas.straight_line(server, server * 0, life)
    power = price * hour
    lines = {
        "DCAmortization": depreciation_formulas.straight_line(building, building * 0, building_life),
        "DCInterest": interest(building, building_life),
        "DCOpex": Q(v["DCOpex"], unit),
        "SrvPower": power,
        "PUEOverhead": power * (v["PUE"] - 1),
        "SrvAmortization": amortised,
        "SrvOpex": cost.maintenance_cost(amortised, Q(v["o"], "1")),
        "SrvInterest": interest(server, life),
    }
    for symbol, line in lines.items():
        assert float(line.m_as(Q(1, unit).units)) == pytest.approx(float(rows[symbol]["value"]), abs=6e-10), symbol
    whole = sum(lines.values(), start=Q(0, unit)) * Q(v["w"], "W") * life
    assert float(whole.m_as(Q(1, "USD").units)) == pytest.approx(float(rows["lifetime"]["value"]), abs=6e-5)


@pytest.mark.parametrize(
    ("area", "process"), [("826 mm2", 7), ("814 mm2", 5), ("100 mm2", 5), ("300 mm2", 7), ("8 cm2", 5)]
)
def test_chips_by_their_wafers(shared: Path, area: str, process: float) -> None:
    names = {"826 mm2": "die_a100", "814 mm2": "die_h100", "100 mm2": "die_100mm2_5nm", "300 mm2": "die_300mm2_7nm",
             "8 cm2": "die_800mm2_5nm"}  # fmt: skip
    rows = cases_of(shared, names[area])[names[area]]
    found = chip_cost(area, process)
    for symbol, line in (("n", "chip.dies"), ("Y", "chip.yield"), ("raw", "cost.die.raw"), ("kgd", "cost.die.good")):
        assert found.value(line) == pytest.approx(float(rows[symbol]["value"]), abs=6e-7), symbol
    assert found.graph["cost.die.good"].facts["method"] == "acquisition"
    assert found.graph["cost.die.good"].facts["price_year"] == 2020


def test_chips_that_cannot_be() -> None:
    with pytest.raises(EstimateError, match="is too large for a wafer"):
        chip_cost("46225 mm2", 7)
    with pytest.raises(RecordError, match=r"wafer 6 nm is not known; did you mean .*known: .* nm"):
        chip_cost("100 mm2", 6)
    with pytest.raises(EstimateError, match=r"without a process, state chip\.wafer_price and chip\.defects"):
        chip_cost("100 mm2")
    stated = chip_cost("100 mm2", set={"chip.wafer_price": "20000 EUR", "chip.defects": "0.1 1/cm2"})
    assert stated.graph["cost.die.good"].facts["currency"] == "EUR"


# CATCH states its rule, price over the area inside 3 mm of edge, and follows it at 40, 5 and 3 nm.
@pytest.mark.parametrize(("price", "printed"), [(2274, 0.033497), (16988, 0.250241), (20000, 0.294609)])
def test_wafer_cost_per_area(price: float, printed: float) -> None:
    found = chip.wafer_cost_per_area(Q(price, "USD"), Q(294, "mm"))
    assert float(found.m_as(Q(1, "USD/mm**2").units)) == pytest.approx(printed, abs=1e-6)
