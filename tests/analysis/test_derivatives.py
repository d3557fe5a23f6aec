"""Derivatives against central differences: every operation, and every formula of the package."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import tco
from tco.analysis.derivatives import DERIVATIVES, gradient
from tco.compiled import Program
from tco.graph import Graph
from tco.operations import OPERATIONS, ceil, exp, log, maximum, minimum, operate, where
from tco.units import Q

STEP = 1e-6


def _calls() -> ModuleType:
    path = Path(__file__).parent.parent / "formulas" / "test_formulas.py"
    spec = importlib.util.spec_from_file_location("calls_of_all_formulas", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


TABLE = _calls()


def test_every_operation_has_a_derivative() -> None:
    assert set(DERIVATIVES) == set(OPERATIONS)


def check(graph: Graph, line: str) -> None:
    """Compare the derivatives of a line with central differences, where the line is smooth."""
    names = [node.name for node in graph.inputs()]
    program = Program(graph, [line], names)
    slopes = gradient(graph, line)
    for name in slopes:
        value = graph[name].value
        step = STEP * max(abs(value), 1e-3)
        points = {other: np.full(3, graph[other].value) for other in names}
        points[name] = np.array([value - step, value, value + step])
        low, middle, high = program(points)[line]
        smooth = abs(high - 2 * middle + low) <= 1e-3 * abs(high - low) + 1e-9 * abs(middle)
        assume(smooth)  # a step or a kink within reach: there is no one slope
        difference = (high - low) / (points[name][2] - points[name][0])
        scale = abs(middle) / max(abs(value), 1e-3)
        assert slopes[name].slope == pytest.approx(difference, rel=1e-4, abs=1e-7 * scale + 1e-30), name
        if middle:
            assert slopes[name].elasticity == pytest.approx(slopes[name].slope * value / graph[line].value)


@given(st.tuples(*[st.floats(0.3, 4)] * 3))
def test_every_operation_against_central_differences(values: tuple[float, float, float]) -> None:
    graph = Graph()
    x, y, z = (graph.input(name, Q(value, "1"), "1") for name, value in zip("xyz", values, strict=True))
    results = {
        "add": x + y * 3,
        "subtract": x - y * z,
        "multiply": x * y * x,
        "divide": x / (y + z),
        "negative": -(x * x),
        "power": operate("power", x, y),
        "power_of_sum": operate("power", x + 1, -(y * z)),
        "exp": exp(x / y),
        "log": log(x * z),
        "ceil": ceil(x) * y,
        "minimum": minimum(x * y, z),
        "maximum": maximum(x, y * z),
        "where": where(x < y, x * z, y / z),
        "less_equal": where(x <= y, z, x * y),
    }
    graph.line("same", graph.line("first", x * y, "1"), "1")
    for name, node in results.items():
        graph.line(name, node, "1")
    used = {node.operation for node in graph.nodes}
    assert used >= set(OPERATIONS) - {"same"}
    for name in ("same", *results):
        check(graph, name)


@pytest.mark.parametrize("name", sorted(TABLE.CALLS))
@given(data=st.data())
def test_every_formula_against_central_differences(name: str, data: st.DataObject) -> None:
    operands, _, unit = TABLE.CALLS[name]
    factors = data.draw(st.tuples(*[st.floats(0.8, 1.0)] * len(operands)))
    graph = Graph()
    nodes = [
        graph.input(f"x{i}", Q(value * factor, text), text)
        for i, ((value, text), factor) in enumerate(zip(operands, factors, strict=True))
    ]
    graph.line("result", TABLE.FORMULAS[name](*nodes), unit)
    check(graph, "result")


def test_a_slope_is_in_the_units_of_line_and_input(examples) -> None:
    est = tco.estimate(examples / "8xh100-day" / "run.json", region="eu")
    slope = gradient(est.graph, "carbon.operational")
    # 134.4 kWh x 209.9 g/kWh = 28.21056 kgCO2e for each unit of PUE; 206.976 kWh of it, so 0.206976 kg per g/kWh
    assert slope["site.pue"].slope == pytest.approx(28.21056, rel=1e-12)
    assert slope["grid.intensity"].slope == pytest.approx(0.206976, rel=1e-12)
    assert slope["run.duration"].slope == pytest.approx(43.4442624 / 24, rel=1e-12)
    assert {name: each.elasticity for name, each in slope.items()} == {
        name: pytest.approx(1.0)
        for name in ("run.power", "run.power_count", "run.duration", "site.pue", "grid.intensity")
    }


def test_a_line_behind_a_step_says_so() -> None:
    graph = Graph()
    x, y = (graph.input(name, Q(2.5, "1"), "1") for name in "xy")
    graph.line("racks", ceil(x) * y, "1")
    slopes = gradient(graph, "racks")
    assert (slopes["x"].slope, slopes["x"].in_pieces) == (0.0, True)
    assert (slopes["y"].slope, slopes["y"].in_pieces) == (3.0, False)
