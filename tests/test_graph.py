"""The calculation graph: units checked as it is built, formulas readable, ranges that hold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tco.compiled import Program
from tco.errors import EstimateError, UnitError
from tco.graph import Graph, Input, Node
from tco.operations import ceil, exp, log, maximum, minimum, where
from tco.provenance import Source
from tco.units import Q


def simple(stated: dict[str, object] | None = None) -> Graph:
    graph = Graph(stated)
    energy = graph.input("energy.it", Q(100, "kWh"), "kWh", "Energy")
    pue = graph.input("site.pue", Q(1.5, "1"), "1", "PUE", Input(1.1, 1.6, Source(title="survey"), assumed=True))
    intensity = graph.input("grid.intensity", Q(200, "gCO2e/kWh"), "gCO2e/kWh", given=Input(100, 300))
    hardware = graph.input("carbon.hardware", Q(3, "kgCO2e"), "kgCO2e")
    facility = graph.line("energy.facility", energy * pue, "kWh")
    operational = graph.line("carbon.operational", facility * intensity, "kgCO2e")
    graph.total("carbon.total", [operational, hardware], "kgCO2e")
    return graph


def test_a_formula_leaves_its_value_its_text_and_its_range() -> None:
    graph = simple()
    node = graph["carbon.operational"]
    assert node.value == pytest.approx(30.0, rel=1e-15)
    assert node.text(follow_name=True) == "energy.facility * grid.intensity"
    low, high = graph.range_of("carbon.operational")
    assert (low, high) == pytest.approx((11.0, 48.0), rel=1e-12)  # 100 x 1.1 x 0.1 and 100 x 1.6 x 0.3
    assert [n.name for n in graph.derivation("energy.facility")] == ["energy.it", "site.pue", "energy.facility"]


def test_parts_add_up_to_their_total_exactly() -> None:
    total = simple()["carbon.total"]
    assert sum(part.value for part in total.parts) == total.value


def test_an_addition_of_unlike_things_names_both() -> None:
    graph = simple()
    with pytest.raises(UnitError) as caught:
        graph["carbon.total"] + graph["energy.it"] * 2
    assert str(caught.value) == (
        "cannot add carbon.total (an amount of emissions, in 'kgCO2e') and energy.it * 2 (an energy, in 'kWh')"
    )


def test_a_usd_price_and_a_eur_price_are_not_added() -> None:
    graph = Graph()
    price = graph.input("system.price", Q(5, "USD"), "money")
    bill = graph.input("cost.energy", Q(5, "EUR"), "money")
    with pytest.raises(UnitError) as caught:
        price + bill
    assert "system.price (money in USD, in 'USD') and cost.energy (money in EUR, in 'EUR')" in str(caught.value)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda g: exp(g["energy.it"]), "exp(energy.it): energy.it (an energy, in 'kWh') must be a plain number"),
        (lambda g: ceil(g["energy.it"]), "must be a plain number"),
        (lambda g: maximum(g["energy.it"], g["carbon.total"]), "cannot take maximum of energy.it"),
        (lambda g: g["energy.it"] < g["carbon.total"], "cannot compare energy.it"),
        (lambda g: g["energy.it"] - 1, "cannot subtract energy.it (an energy, in 'kWh') and 1 (a plain number"),
    ],
)
def test_every_operation_checks_units(make: object, words: str) -> None:
    with pytest.raises(UnitError) as caught:
        make(simple())  # type: ignore[operator]
    assert words in str(caught.value)


def test_a_line_must_be_of_its_unit() -> None:
    graph = simple()
    with pytest.raises(UnitError, match="is an energy, not an amount of emissions"):
        graph.line("carbon.x", graph["energy.it"] * 2, "kgCO2e")


def test_a_stated_value_replaces_the_input_and_is_unit_checked() -> None:
    graph = simple({"site.pue": "1.2"})
    node = graph["site.pue"]
    assert node.value == 1.2
    assert node.given == Input(note="stated")
    assert graph["energy.facility"].value == pytest.approx(120, rel=1e-15)
    with pytest.raises(UnitError) as caught:
        simple({"grid.intensity": "200 kWh"})
    assert str(caught.value).startswith("grid.intensity: '200 kWh' is an energy, not an emission intensity")


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        ({"site.peu": "1.2"}, "'site.peu' is not an input of this estimate; did you mean 'site.pue'?"),
        ({"carbon.total": "1 kg"}, "'carbon.total' is a result, not an input"),
    ],
)
def test_a_stated_value_that_nothing_takes_is_refused(stated: dict[str, object], words: str) -> None:
    graph = simple(stated)
    with pytest.raises(EstimateError) as caught:
        graph.check_all_stated_used()
    assert words in str(caught.value)
    assert "grid.intensity" in str(caught.value)


def test_python_if_on_a_value_is_refused() -> None:
    graph = simple()
    with pytest.raises(TypeError, match="choose with where"):
        bool(graph["energy.it"] < graph["energy.facility"])


def test_an_input_handed_through_becomes_a_line_of_its_own() -> None:
    graph = simple()
    line = graph.line("energy.copy", graph["energy.it"], "kWh")
    assert line is not graph["energy.it"]
    assert line.text(follow_name=True) == "energy.it"


def test_parentheses_stand_where_the_value_needs_them() -> None:
    graph = Graph()
    a, b, c = (graph.input(name, Q(value, "1"), "1") for name, value in (("a", 7.0), ("b", 2.0), ("c", 3.0)))
    for node, text in [
        ((a + b) * c, "(a + b) * c"),
        (a + b * c, "a + b * c"),
        (a - (b - c), "a - (b - c)"),
        (a / (b * c), "a / (b * c)"),
        (a * b / c, "a * b / c"),
        (-(a + b), "-(a + b)"),
        ((a + b) ** 2, "(a + b)**2"),
        (where(a > b, minimum(a, c), exp(-b)), "if(b < a, min(a, c), exp(-b))"),
    ]:
        assert node.text() == text
        python = text.replace("if(b < a, min(a, c), exp(-b))", "(min(a, c) if b < a else math.exp(-b))")
        expected = eval(python, {"a": 7.0, "b": 2.0, "c": 3.0, "math": math})
        assert float(node.quantity.magnitude) == pytest.approx(expected, rel=1e-15)


def operations_graph(values: tuple[float, float, float], ranges: tuple[float, float, float]) -> tuple[Graph, list[str]]:
    """A graph that uses every operation; inputs x, y, z with ranges around their values."""
    graph = Graph()
    x, y, z = (
        graph.input(name, Q(value, "1"), "1", given=Input(value - width, value + width))
        for name, value, width in zip("xyz", values, ranges, strict=True)
    )
    results: dict[str, Node] = {
        "sum": x + y + 2,
        "difference": x - y,
        "product": x * y * z,
        "quotient": x / (z + 10),
        "negative": -x,
        "square": x**2,
        "exp": exp(x / 100),
        "log": log(z + 10),
        "ceil": ceil(x + z),
        "minimum": minimum(x, y),
        "maximum": maximum(x, z),
        "where": where(x < y, x * 2, z),
        "where_not": where(x <= z, y, x - z),
    }
    for name, node in results.items():
        graph.line(name, node, "1")
    return graph, list(results)


VALUES = st.tuples(*[st.floats(-5, 5)] * 3)
RANGES = st.tuples(*[st.floats(0, 3)] * 3)
POINTS = st.tuples(*[st.floats(0, 1)] * 3)


@given(VALUES, RANGES, POINTS)
def test_the_range_holds_whatever_the_inputs_do_inside_theirs(
    values: tuple[float, float, float], ranges: tuple[float, float, float], points: tuple[float, float, float]
) -> None:
    graph, names = operations_graph(values, ranges)
    inside = {
        name: np.array([value - width + 2 * width * point])
        for name, value, width, point in zip("xyz", values, ranges, points, strict=True)
    }
    result = Program(graph, names, ["x", "y", "z"])(inside)
    for name in names:
        low, high = graph.range_of(name)
        assert low <= graph[name].value <= high
        slack = 1e-9 * max(1.0, abs(low), abs(high))
        assert low - slack <= result[name][0] <= high + slack, name


@given(VALUES, RANGES, st.floats(0, 2))
def test_a_wider_range_never_narrows_a_result(
    values: tuple[float, float, float], ranges: tuple[float, float, float], more: float
) -> None:
    narrow, names = operations_graph(values, ranges)
    wide, _ = operations_graph(values, tuple(width + more for width in ranges))  # type: ignore[arg-type]
    for name in names:
        low, high = narrow.range_of(name)
        wide_low, wide_high = wide.range_of(name)
        slack = 1e-12 * max(1.0, abs(low), abs(high)) if math.isfinite(low + high) else 0.0
        assert wide_low <= low + slack
        assert wide_high >= high - slack


def test_without_ranges_low_and_high_are_the_value() -> None:
    graph, names = operations_graph((1.7, -0.3, 2.9), (0.0, 0.0, 0.0))
    for name in names:
        assert graph.range_of(name) == (graph[name].value, graph[name].value)


@given(VALUES)
def test_compiled_at_the_own_inputs_gives_the_value_of_the_graph(values: tuple[float, float, float]) -> None:
    graph, names = operations_graph(values, (0.0, 0.0, 0.0))
    result = Program(graph, names, ["x", "y", "z"])({n: np.array([v]) for n, v in zip("xyz", values, strict=True)})
    for name in names:
        assert result[name][0] == pytest.approx(graph[name].value, rel=1e-12, abs=1e-12), name


def test_inputs_that_come_late_do_not_disturb_what_was_computed_before() -> None:
    graph = Graph()
    first = graph.line("first", graph.input("a", Q(2, "kWh"), "kWh") * graph.input("b", Q(3, "1"), "1"), "kWh")
    graph.line("second", first * graph.input("c", Q(5, "1"), "1"), "kWh")
    graph.line("third", first * graph.input("d", Q(7, "h"), "h") / graph.input("e", Q(11, "h"), "h"), "kWh")
    samples = {"a": [2.0, 20.0], "b": [3.0, 30.0], "c": [5.0, 50.0], "d": [7.0, 70.0], "e": [11.0, 110.0]}
    result = Program(graph, ["first", "second", "third"], list(samples))(samples)
    assert result["first"].tolist() == pytest.approx([6.0, 600.0], rel=1e-12)
    assert result["second"].tolist() == pytest.approx([30.0, 30000.0], rel=1e-12)
    assert result["third"].tolist() == pytest.approx([42 / 11, 42000 / 110], rel=1e-12)


@pytest.mark.parametrize("block", [1, 7, 64, 8192])
@pytest.mark.parametrize("n", [0, 1, 63, 200])
def test_the_block_size_changes_nothing(block: int, n: int) -> None:
    graph, names = operations_graph((1.0, 2.0, 3.0), (0.0, 0.0, 0.0))
    random = np.random.default_rng(3)
    samples = {name: random.uniform(-5, 5, n) for name in "xyz"}
    whole = Program(graph, names, ["x", "y", "z"], block=10**6)(samples)
    blocks = Program(graph, names, ["x", "y", "z"], block=block)(samples)
    for name in names:
        np.testing.assert_array_equal(whole[name], blocks[name])


def test_parts_that_nothing_varies_are_still_results() -> None:
    graph = simple()
    result = Program(graph, ["energy.facility", "carbon.total"], ["grid.intensity"])({"grid.intensity": [100.0, 200.0]})
    assert result["energy.facility"].tolist() == pytest.approx([150.0, 150.0], rel=1e-12)
    assert result["carbon.total"].tolist() == pytest.approx([18.0, 33.0], rel=1e-12)


def test_samples_must_fit() -> None:
    graph = simple()
    program = Program(graph, ["carbon.total"], ["grid.intensity", "site.pue"])
    with pytest.raises(ValueError, match="one array of the same length"):
        program({"grid.intensity": [1.0, 2.0], "site.pue": [1.0]})
    with pytest.raises(EstimateError, match=r"'site.peu' is not an input of this estimate; did you mean 'site.pue'\?"):
        Program(graph, ["carbon.total"], ["site.peu"])


def test_two_graphs_do_not_mix() -> None:
    with pytest.raises(ValueError, match="belongs to another graph"):
        simple()["energy.it"] + simple()["energy.it"]
