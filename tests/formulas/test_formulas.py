"""Every public formula: on quantities, arrays and graph nodes alike, and only on what it is for."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tco.formulas
from tco.errors import UnitError
from tco.graph import Graph
from tco.units import Q, kind

#: formula -> one value for each operand, and the unit of the result
CALLS: dict[str, tuple[list[tuple[float, str]], float, str]] = {
    # E = 10,000 x 330 W x 14.8 d = 1,172 MWh, without the PUE of 1.10 (Patterson et al. 2021, Table 4)
    "energy.energy_of_mean_power": ([(330, "W"), (10_000, "1"), (14.8, "d")], 1172.16, "MWh"),
    "energy.rated_power": ([(700, "W"), (0.783, "1")], 548.1, "W"),  # H100 in training: 548 W
    "energy.node_energy_by_ratio": ([(10, "kWh"), (1.55, "1")], 15.5, "kWh"),
    "energy.node_energy": (
        [(10, "kWh"), (1, "kW"), (2, "1"), (3, "h"), (1.1, "1"), (0.95, "1")], 17.894736842, "kWh"),
    # Lenovo bert, MLPerf Training v5.0: 2,000,354.5 J at DC, 0.94 declared, 2,128,036.7 J at the wall
    "energy.ac_energy": ([(2_000_354.5, "J"), (0.94, "1")], 2_128_036.7, "J"),
    "energy.facility_energy": ([(1170, "MWh"), (1.10, "1")], 1287.0, "MWh"),
    "energy.energy_before_pue": ([(1287, "MWh"), (1.10, "1")], 1170.0, "MWh"),
    # job 38113: 20,543,125 J in 2,102 s
    "energy.mean_power": ([(20_543_125, "J"), (2102, "s")], 9773.133, "W"),
    "carbon.operational_carbon": ([(1287, "MWh"), (429, "gCO2e/kWh")], 552.123, "tCO2e"),
    "embodied.die_carbon": ([(8.14, "cm**2"), (1.54, "kgCO2e/cm**2"), (0.875, "1")], 14.3264, "kgCO2e"),
    "embodied.memory_carbon": ([(3, "GB"), (65, "gCO2e/GB"), (0.875, "1")], 222.857143, "gCO2e"),  # ACT README
    "embodied.board_with_memory": ([(80, "GB"), (0.861, "kgCO2e/GB"), (95.12, "kgCO2e")], 164.0, "kgCO2e"),
    "embodied.life_share": ([(1, "h"), (6, "year"), (0.85, "1")], 2.23834e-5, "1"),
    "embodied.allocated": ([(2500, "kgCO2e"), (1, "1"), (1, "1"), (2.23834e-5, "1")], 0.0559585, "kgCO2e"),
    "cost.amortised": ([(255_237, "USD"), (2, "1"), (0.1, "1")], 51_047.4, "USD"),
    "cost.network_cost": ([(81, "USD"), (0.19, "1")], 19.0, "USD"),
    "cost.building_cost": ([(11.7, "USD/W"), (10.2, "kW"), (1, "1"), (0.1, "1")], 11_934.0, "USD"),
    "cost.maintenance_cost": ([(100, "EUR"), (0.05, "1")], 5.0, "EUR"),
    "cost.energy_cost": ([(134.4, "kWh"), (0.20, "EUR/kWh")], 26.88, "EUR"),
    "cost.exchanged": ([(100, "USD"), (0.9, "EUR/USD")], 90.0, "EUR"),
    "water.site_water": ([(157, "MWh"), (1.29, "L/kWh")], 202.53, "kL"),
    "water.source_water": ([(288, "MWh"), (3.1, "L/kWh")], 892.8, "kL"),
    "work.work_done": ([(146_960, "token/s"), (640.383, "s")], 94_110_685.68, "token"),
    "work.per_work": ([(6_042_687.9, "J"), (94_110_685.68, "token")], 0.064208, "J/token"),
}  # fmt: skip


def public_formulas() -> dict[str, Callable[..., Any]]:
    found = {}
    for module_info in pkgutil.iter_modules(tco.formulas.__path__):
        module = importlib.import_module(f"tco.formulas.{module_info.name}")
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if not name.startswith("_") and function.__module__ == module.__name__:
                found[f"{module_info.name}.{name}"] = function
    return found


FORMULAS = public_formulas()


def test_every_formula_is_tested() -> None:
    assert set(FORMULAS) == set(CALLS)


@pytest.mark.parametrize("name", sorted(CALLS))
def test_on_quantities(name: str) -> None:
    operands, expected, unit = CALLS[name]
    got = FORMULAS[name](*(Q(value, text) for value, text in operands))
    assert float(got.m_as(Q(1, unit).units)) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("name", sorted(CALLS))
def test_on_arrays_and_on_nodes_alike(name: str) -> None:
    operands, _, unit = CALLS[name]
    scalars = FORMULAS[name](*(Q(value, text) for value, text in operands))
    arrays = FORMULAS[name](*(Q(np.full(3, value), text) for value, text in operands))
    np.testing.assert_allclose(arrays.m_as(Q(1, unit).units), float(scalars.m_as(Q(1, unit).units)), rtol=1e-14)
    graph = Graph()
    nodes = [graph.input(f"x{i}", Q(value, text), text) for i, (value, text) in enumerate(operands)]
    line = graph.line("result", FORMULAS[name](*nodes), unit)
    assert line.value == pytest.approx(float(scalars.m_as(Q(1, unit).units)), rel=1e-14)


def wrong_kinds() -> list[tuple[str, int, str]]:
    """Each operand once as something it is not: carbon as mass, another currency, a power for an energy."""
    found = []
    for name, (operands, _, _) in CALLS.items():
        for position, (_, unit) in enumerate(operands):
            for right, wrong in (
                ("CO2e", ""),
                ("USD", "CHF"),
                ("EUR", "CHF"),
                ("kWh", "kW"),
                ("MWh", "MW"),
                ("J", "W"),
            ):
                if unit.startswith(("J", "kWh", "MWh")) and right in ("kWh", "MWh", "J"):
                    if unit == right:
                        found.append((name, position, wrong))
                elif right in unit and right in ("CO2e", "USD", "EUR"):
                    found.append((name, position, unit.replace(right, wrong)))
    return found


@pytest.mark.parametrize(("name", "position", "unit"), wrong_kinds())
def test_a_line_refuses_a_wrong_operand(name: str, position: int, unit: str) -> None:
    operands, _, result = CALLS[name]
    graph = Graph()
    units = [unit if i == position else text for i, (_, text) in enumerate(operands)]

    def build() -> None:
        nodes = [graph.input(f"x{i}", Q(value, units[i]), units[i]) for i, (value, _) in enumerate(operands)]
        graph.line("result", FORMULAS[name](*nodes), result)

    with pytest.raises(UnitError) as caught:
        build()
    assert kind(Q(1, result)) in str(caught.value) or "cannot add" in str(caught.value)


def test_formulas_say_dimension_and_meaning_of_their_parameters() -> None:
    for name, function in FORMULAS.items():
        documentation = inspect.getdoc(function) or ""
        for parameter in inspect.signature(function).parameters:
            assert f"\n{parameter}\n    " in documentation, f"{name}: {parameter}"
        assert documentation.count("[") >= len(inspect.signature(function).parameters), name
