"""Laws that hold for any bill of materials."""

from __future__ import annotations

from typing import Any

import pytest
from embodied_bills import by, chip, node
from hypothesis import given
from hypothesis import strategies as st

from tco.embodied import allocate, assess
from tco.formulas import silicon
from tco.units import Q

areas = st.floats(0.01, 9.0)
defects = st.floats(0.001, 1.0)
counts = st.integers(1, 64)
methods = st.sampled_from(["act", "edge-aware", "component"])


def share(model: Any, area: float, density: float) -> float:
    return float(model(Q(area, "cm2"), Q(density, "1/cm2")).m_as("1"))


@given(st.floats(0, 100), st.floats(0, 10))
def test_poisson_murphy_seeds_in_order(area: float, density: float) -> None:
    poisson, murphy, seeds = (share(m, area, density) for m in (silicon.poisson, silicon.murphy, silicon.seeds))
    assert 0 <= poisson <= murphy * (1 + 1e-12)
    assert murphy <= seeds * (1 + 1e-12)
    assert seeds <= 1


@given(defects)
def test_yield_is_1_without_area(density: float) -> None:
    for model in (silicon.poisson, silicon.murphy, silicon.murphy_rectangular, silicon.seeds, silicon.moore):
        assert share(model, 0.0, density) == 1
    assert float(silicon.negative_binomial(Q(0.0, "cm2"), Q(density, "1/cm2"), Q(10, "1")).m_as("1")) == 1
    assert float(silicon.bose_einstein(Q(0.0, "cm2"), Q(density, "1/cm2"), Q(12, "1")).m_as("1")) == 1


@given(areas, areas, defects)
def test_a_larger_die_is_never_better(one: float, other: float, density: float) -> None:
    small, large = sorted((one, other))
    for model in (silicon.poisson, silicon.murphy, silicon.murphy_rectangular, silicon.seeds, silicon.moore):
        assert share(model, large, density) <= share(model, small, density) * (1 + 1e-12)


def parts(area: float, capacity: float, count: int) -> list[dict[str, Any]]:
    return [
        {**chip(f"{area} cm2", 7, packages=1), "count": count},
        {"name": "ram", "count": count, "component": {"kind": "ram", "capacity": f"{capacity} GB"}},
    ]


@given(methods, areas, st.floats(0, 1000), counts, counts)
def test_more_of_a_part_never_lowers_the_total(method: str, area: float, capacity: float, one: int, other: int) -> None:
    few, many = sorted((one, other))
    small, large = (by(method, *parts(area, capacity, count)) for count in (few, many))
    assert small.value <= large.value
    assert small.low <= large.low
    assert small.high <= large.high
    alone = by(method, parts(area, capacity, few)[1])
    assert alone.value <= small.value


@given(methods, areas, st.floats(0, 1000), counts, st.floats(0, 1e5), st.floats(0.5, 20), st.floats(0.01, 1))
def test_low_value_high_everywhere(
    method: str, area: float, capacity: float, count: int, hours: float, years: float, used: float
) -> None:
    result = by(method, *parts(area, capacity, count))
    assert result.low <= result.value <= result.high
    for part in result.parts:
        assert part.low <= part.value <= part.high
        for item in part.items:
            assert item.low <= item.value <= item.high
    charged = allocate(result, f"{hours} h", lifetime=f"{years} year", utilisation=used)
    assert charged.low <= charged.value <= charged.high
    by_sci = allocate(result, f"{hours} h", lifetime=f"{years} year", rule="sci")
    assert by_sci.value <= charged.value * (1 + 1e-12)


@given(methods, areas, counts)
def test_parts_add_up(method: str, area: float, count: int) -> None:
    result = by(method, *parts(area, 32, count))
    assert result.value == pytest.approx(sum(part.value for part in result.parts), rel=1e-12)
    assert result.value == pytest.approx(sum(result.phases.values()), rel=1e-9)


@given(st.floats(0.1, 100), st.integers(1, 1000), st.floats(1, 1e5))
def test_runs_scale_linearly_beyond_a_life_and_over_nodes(kg: float, nodes: int, hours: float) -> None:
    one = allocate(f"{kg} kgCO2e", f"{hours} h", lifetime="1 year", utilisation=1).value
    many = allocate(f"{kg} kgCO2e", f"{2 * hours} h", lifetime="1 year", utilisation=1, nodes=nodes).value
    assert many == pytest.approx(2 * nodes * one, rel=1e-9)


@given(st.floats(0.9, 0.99), st.floats(10, 900))
def test_less_abatement_and_a_dirtier_fab_never_lower_the_total(abatement: float, intensity: float) -> None:
    bill = node(chip("8 cm2", 6))
    base = assess(
        bill, "act", set={"embodied.fab.abatement": abatement, "embodied.fab.intensity": f"{intensity} g/kWh"}
    )
    worse = assess(
        bill,
        "act",
        set={"embodied.fab.abatement": abatement - 0.01, "embodied.fab.intensity": f"{intensity + 1} g/kWh"},
    )
    assert base.value < worse.value
