"""Published run costs of Cottier et al. 2024 (Epoch AI), from their stated inputs through `tco.estimate`."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import tco
from tco.estimation.costs.choice import CostChoice

ALL_CASES = (
    *("gpt_4", "llama_3_1_405b", "gpt_3_175b_davinci", "gemini_1_0_ultra", "llama_65b", "llama_2_70b", "bloom_176b"),
    *("falcon_180b", "opt_175b", "megatron_turing_nlg_530b", "palm_540b", "nemotron_4_340b"),
)


class Published(NamedTuple):
    inputs: dict[str, float]
    days: float
    published: dict[str, float]
    recomputed: dict[str, float]


def read_cases(shared: Path) -> dict[str, Published]:
    found: dict[str, Published] = {}
    with (shared / "facts" / "costs" / "cases.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, strict=True):
            name = row["case_id"].removeprefix("epoch_")
            if not row["case_id"].startswith("epoch_") or row["role"] not in ("input", "output") or not row["symbol"]:
                continue
            assert row["from_memory"] == "false"
            case = found.setdefault(name, Published({}, 0.0, {}, {}))
            if row["role"] == "output":
                case.published[row["symbol"]] = float(row["value"])
                if row["recomputed"]:
                    case.recomputed[row["symbol"]] = float(row["recomputed"])
            elif row["symbol"] == "t":  # the digits of the row are rounded; its note has the whole days
                days = re.match(r"(\d+) days / 365.25", row["note"])
                assert days is not None
                found[name] = case._replace(days=float(days.group(1)))
            elif row["symbol"] == "c_srv" and row["note"]:
                case.inputs["c_srv"] = {"10.2 kW / 8 / 0.7 kW": 10.2 / 8 / 0.7, "5/3": 5 / 3}[row["note"]]
            elif row["symbol"] != "hw":
                case.inputs[row["symbol"]] = float(row["value"])
    return found


def estimate_of(case: Published, **stated: Any) -> tco.Estimate:
    given = case.inputs
    run = tco.Run.model_validate(
        {
            "name": "training",
            "duration": {"value": given["H"] / given["n"], "unit": "h"},
            "devices": [{"kind": "accelerator", "count": given["n"]}],
            "power": {
                "boundary": "node_ac",
                "scope": "device",
                "average_power": {"value": given["TDP"] * given["c_srv"] * given["f_P"], "unit": "W"},
            },
        }
    )
    system = tco.System.model_validate(
        {
            "name": "server share of a chip",
            "devices_per_node": 1,
            "price": {"value": given["P0"], "unit": "USD"},
            "network_share": given["f_net"],
            "decline": {"value": given["k"] / 8766, "unit": "OOM/h"},  # Epoch's year has 8,766 hours
            "age": {"value": case.days * 24 / 8760, "unit": "year"},
            "utilisation": 1,
            "maintenance": 0,
            "rating": "1 kW",
        }
    )
    set_ = {
        "site.pue": given["PUE"],
        "site.tariff": f"{given['p_e']} USD/kWh",
        "site.building_cost": "0 USD/kW",
        "index.base": given["I0"],
        "index.target": given["I1"],
    }
    return tco.estimate(run, system=system, set={**set_, **stated}, cost=CostChoice(methods=("acquisition",)))


@pytest.mark.parametrize("name", ALL_CASES)
def test_published_run_cost(name: str, shared: Path) -> None:
    case = read_cases(shared)[name]
    estimate = estimate_of(case)
    assert estimate.value("energy.facility", "kWh") == pytest.approx(case.published["E"], rel=1e-9)
    assert estimate.value("cost.total", "USD") == pytest.approx(case.published["C_amort"], rel=1e-12)
    assert estimate.value("cost.acquisition.total", "USD") == pytest.approx(case.published["C_acq"], rel=1e-12)
    for line in ("cost.total", "cost.acquisition.total"):
        facts = estimate[line].facts
        assert facts["currency"] == "USD"
        assert facts["price_year"] == "index.target"
        assert facts["index_vintage"] == "as stated"
        assert facts["terms"] == "real"
    assert estimate["cost.total"].facts["method"] == "amortised"


def test_the_thirteenth_was_made_with_another_vintage_of_its_index(shared: Path) -> None:
    """Grok-3: 122.218 for February 2025 in the file, 119.58 implied by the published numbers (note of the facts)."""
    case = read_cases(shared)["grok_3"]
    estimate = estimate_of(case)
    for line, symbol in (("cost.total", "C_amort"), ("cost.acquisition.total", "C_acq")):
        found = estimate.value(line, "USD")
        assert found == pytest.approx(case.recomputed[symbol], rel=1e-11)
        assert case.published[symbol] / found == pytest.approx(122.218 / 119.58, abs=0.00005)
    earlier = estimate_of(case, **{"index.base": 119.58})
    assert earlier.value("cost.total", "USD") == pytest.approx(case.published["C_amort"], rel=0.00005)
    assert set(read_cases(shared)) == {*ALL_CASES, "grok_3"}


def test_the_price_index_that_ships_gives_the_same_with_its_vintage(shared: Path) -> None:
    case = read_cases(shared)["gpt_4"]
    given = case.inputs
    choice = CostChoice(
        methods=("acquisition",), price_index="us-ppi-518210", price_date="2024-12", price_base="2023-03"
    )
    run = tco.Run.model_validate({"duration": "2280 h", "nodes": given["n"], "energy": "1 kWh"})
    system = {"name": "chip", "price": {"value": given["P0"], "unit": "USD"}, "network_share": 0.19, "rating": "1 kW"}
    stated = {"site.tariff": "0.08 USD/kWh", "site.building_cost": "0 USD/kW"}
    estimate = tco.estimate(run, system=tco.System.model_validate(system), set=stated, cost=choice)
    assert estimate.value("cost.acquisition.total", "USD") == pytest.approx(case.published["C_acq"], rel=1e-12)
    facts = estimate["cost.acquisition.total"].facts
    assert (facts["price_year"], facts["index"]) == ("2024-12", "us-ppi-518210")
    assert facts["index_vintage"] == "monthly series to 2025-06"
    assert estimate.inputs["index.2023-03"].value == given["I0"]


def test_the_three_costs_of_one_run(shared: Path) -> None:
    """GPT-4: 40.7 M$ amortised with energy, 78.6 M$ rented, 778 M$ to buy; each says which it is."""
    case = read_cases(shared)["gpt_4"]
    estimate = estimate_of(case)
    assert round(estimate.value("cost.total", "USD") / 1e6, 1) == 40.7
    assert round(estimate.value("cost.acquisition.total", "USD") / 1e6) == 778
    assert round(case.published["C_cloud"] / 1e6, 1) == 78.6
    assert len({estimate[name].facts["method"] for name in ("cost.total", "cost.acquisition.total")}) == 2
