"""Laws that every estimate keeps."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tco

AMOUNT = st.floats(1e-3, 1e6)
SYSTEM = "hgx-h100"


def estimate_of(power_w: float, hours: float, count: float, **stated: Any) -> tco.Estimate:
    run = tco.Run.model_validate(
        {
            "name": "case",
            "duration": {"value": hours, "unit": "h"},
            "devices": [{"kind": "gpu", "model": "NVIDIA H100 80GB HBM3", "count": count}],
            "power": {"boundary": "gpu_board", "scope": "device", "average_power": {"value": power_w, "unit": "W"}},
            "work": [{"quantity": "tokens", "value": 1000}],
        }
    )
    return tco.estimate(run, region="eu", system=SYSTEM, set=stated)


#: lines that follow the runtime, the number of devices, and the power; the network comes in with a second node
FOLLOW_TIME = (
    "energy.it",
    "energy.facility",
    "carbon.operational",
    "carbon.embodied",
    "carbon.total",
    "cost.energy",
    "cost.hardware",
    "cost.facility",
    "cost.maintenance",
    "cost.total",
)
FOLLOW_POWER = ("energy.it", "energy.facility", "carbon.operational", "cost.energy", "power.mean")


@given(AMOUNT, AMOUNT, st.integers(1, 8), st.floats(0.01, 100))
def test_linear_lines_scale_with_time_count_and_power(power: float, hours: float, count: int, factor: float) -> None:
    base = estimate_of(power, hours, count)
    for names, scaled in (
        (FOLLOW_TIME, estimate_of(power, hours * factor, count)),
        (FOLLOW_POWER, estimate_of(power * factor, hours, count)),
    ):
        for name in names:
            assert scaled[name].value == pytest.approx(base[name].value * factor, rel=1e-9), name


@given(AMOUNT, AMOUNT, st.integers(1, 4))
def test_twice_the_devices_cost_and_emit_twice(power: float, hours: float, count: int) -> None:
    base, double = estimate_of(power, hours, count), estimate_of(power, hours, 2 * count)
    for name in FOLLOW_TIME:
        assert double[name].value == pytest.approx(2 * base[name].value, rel=1e-9), name


@given(AMOUNT, AMOUNT, st.integers(1, 64), st.floats(1, 3), st.floats(0, 2000))
def test_parts_add_up_to_their_total_and_ranges_hold(
    power: float, hours: float, count: int, pue: float, intensity: float
) -> None:
    estimate = estimate_of(power, hours, count, **{"site.pue": pue, "grid.intensity": f"{intensity} g/kWh"})
    totals = [line for line in estimate.lines.values() if line.parts]
    assert {line.name for line in totals} >= {
        "carbon.total",
        "carbon.embodied",
        "cost.total",
        "cost.capex",
        "cost.opex",
    }
    for line in totals:
        assert sum(estimate[part].value for part in line.parts) == line.value, line.name
    for line in estimate.lines.values():
        assert line.low <= line.value <= line.high, line.name


#: input -> unit as a person may write it -> the same in full (a mass stands for CO2e at the border)
UNITS = {
    "site.tariff": {"EUR/kWh": "EUR/kWh", "EUR/MWh": "EUR/MWh", "EURct/kWh": "EURct/kWh"},
    "grid.intensity": {"g/kWh": "gCO2e/kWh", "kg/MWh": "kgCO2e/MWh", "lb/MWh": "lbCO2e/MWh", "gCO2e/MJ": "gCO2e/MJ"},
    "run.power": {"kW": "kW", "MW": "MW", "mW": "mW", "J/s": "J/s", "kWh/day": "kWh/day"},
    "run.duration": {"s": "s", "min": "min", "day": "day", "year": "year"},
    "system.price": {"kUSD": "kUSD", "MUSD": "MUSD", "USDct": "USDct"},
    "system.lifetime": {"month": "month", "day": "day", "h": "h"},
    "system.rating": {"kW": "kW", "MW": "MW"},
    "system.host.embodied": {"t": "tCO2e", "kg": "kgCO2e", "lb": "lbCO2e", "gCO2e": "gCO2e"},
    "site.building_cost": {"EUR/W": "EUR/W", "MEUR/MW": "MEUR/MW"},
    "site.pue": {"%": "%"},
}


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, units in UNITS.items() for text in units])
def test_the_unit_of_an_input_changes_nothing(name: str, text: str) -> None:
    base = estimate_of(500, 24, 8)
    value = float(base.graph[name].quantity.m_as(tco.Q(1, UNITS[name][text]).units))
    rate = f"{base.graph['fx.usd_eur'].value!r} EUR/USD"  # what a user states is converted only at a stated rate
    again = estimate_of(500, 24, 8, **{name: f"{value!r} {text}", "fx.usd_eur": rate})
    for line in base:
        assert again[line].value == pytest.approx(base[line].value, rel=1e-9), line


@pytest.mark.parametrize("example", ["8xh100-day", "mlperf-b200-llama", "slurm-gh200", "jpwr-two-gpus"])
def test_the_compiled_graph_gives_the_values_of_the_estimate(example: str, examples: Any) -> None:
    estimate = tco.estimate(examples / example / "run.json", region="eu")
    vary = list(estimate.inputs)
    program = estimate.program(list(estimate), vary)
    result = program({name: np.array([estimate.graph[name].value]) for name in vary})
    for name in estimate:
        assert result[name][0] == pytest.approx(estimate[name].value, rel=1e-12), name


@pytest.mark.parametrize("example", ["8xh100-day", "mlperf-b200-llama", "slurm-gh200", "jpwr-two-gpus"])
def test_the_same_input_gives_the_same_bytes_and_valid_json(example: str, examples: Any) -> None:
    run = examples / example / "run.json"
    first, second = (tco.estimate(run, region="eu").to_json() for _ in range(2))
    assert first == second
    data = json.loads(first)
    assert data["schema"] == "tco.estimate/1"
    assert {"run", "region", "lines", "inputs", "warnings", "data", "tool"} <= set(data)
    for name, line in data["lines"].items():
        assert line["low"] <= line["value"] <= line["high"], name
    for name, item in data["inputs"].items():
        assert item["source"] is not None or item.get("note"), name


@given(st.floats(0.5, 20), st.floats(0.5, 20))
def test_a_longer_life_never_raises_the_share(a: float, b: float) -> None:
    short, long = sorted((a, b))
    lines = ("carbon.embodied", "cost.hardware")
    first = estimate_of(500, 24, 8, **{"system.lifetime": f"{short} year"})
    second = estimate_of(500, 24, 8, **{"system.lifetime": f"{long} year"})
    for name in lines:
        assert second[name].value <= first[name].value * (1 + 1e-12)


def test_doing_nothing_takes_nothing() -> None:
    estimate = estimate_of(0.0, 24, 8)
    assert estimate["energy.facility"].value == 0
    assert estimate["carbon.operational"].value == 0
    assert estimate["carbon.embodied"].value > 0
