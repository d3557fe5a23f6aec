"""Comparisons: attribution that adds up, probabilities against closed forms, warnings where cases are not alike."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tco.analysis.attribution import MODEL, attribute, closure, shapley
from tco.analysis.compare import compare
from tco.analysis.recipe import Recipe
from tco.errors import EstimateError
from tco.graph import Graph
from tco.operations import ceil, maximum
from tco.units import Q

VALUES = st.floats(0.1, 10)


def product(a: float, b: float, c: float) -> Graph:
    graph = Graph()
    x, y, z = (graph.input(name, Q(value, "1"), "1") for name, value in (("a", a), ("b", b), ("c", c)))
    graph.line("line", x * y + maximum(y, z) * ceil(x), "1")
    return graph


def test_shares_of_a_product_of_two() -> None:
    graphs = []
    for a, b in ((2.0, 3.0), (5.0, 7.0)):
        graph = Graph()
        graph.line("line", graph.input("a", Q(a, "1"), "1") * graph.input("b", Q(b, "1"), "1"), "1")
        graphs.append(graph)
    shares = {share.name: share.amount for share in attribute(*graphs, "line")}
    # each change times the mean of the other factor: (5 - 2) x (3 + 7) / 2 and (7 - 3) x (2 + 5) / 2
    assert shares == {"a": pytest.approx(15.0), "b": pytest.approx(14.0)}


@given(st.tuples(VALUES, VALUES, VALUES), st.tuples(VALUES, VALUES, VALUES))
def test_shares_add_up_to_the_difference(one: tuple[float, ...], two: tuple[float, ...]) -> None:
    first, second = product(*one), product(*two)
    difference = second["line"].value - first["line"].value
    shares = attribute(first, second, "line")
    assert closure(shares) == pytest.approx(difference, rel=1e-12, abs=1e-12 * abs(first["line"].value))
    changed = {name for name, a, b in zip("abc", one, two, strict=True) if not math.isclose(a, b, rel_tol=1e-12)}
    assert {share.name for share in shares} == changed


@pytest.mark.parametrize("count", [1, 5, 14, 15, 30])
def test_few_and_many_switches_add_up(count: int) -> None:
    random = np.random.default_rng(count)
    weights, pairs = random.normal(size=count), random.normal(size=(count, count))

    def value(switched: np.ndarray) -> np.ndarray:
        on = switched.astype(float)
        return on @ weights + np.einsum("ni,ij,nj->n", on, pairs, on)

    amounts, errors = shapley(value, count)
    # of a quadratic game each pair is shared in halves
    expected = weights + np.diag(pairs) + (pairs + pairs.T - 2 * np.diag(np.diag(pairs))).sum(axis=1) / 2
    assert amounts.sum() == pytest.approx(float(value(np.ones((1, count)))[0]), rel=1e-10, abs=1e-10)
    np.testing.assert_allclose(amounts, expected, atol=1e-9)  # an order and its reverse are exact for pairs
    assert errors.max() < 1e-12


def test_many_switches_say_how_far_off_they_may_be() -> None:
    amounts, errors = shapley(lambda switched: switched.sum(axis=1).astype(float) ** 4 / 20**3, 20)
    assert amounts.sum() == pytest.approx(20.0, rel=1e-12)
    assert 0 < errors.max() < 0.1
    assert np.abs(amounts - 1.0).max() < 6 * errors.max()  # all alike


def test_money_of_two_currencies_is_attributed_at_the_rate_of_the_estimate(examples) -> None:
    run = examples / "8xh100-day" / "run.json"
    found = compare([Recipe(run, {"region": place, "currency": "EUR"}, place) for place in ("eu", "us")], n=0)
    (case,) = found.against
    shares = {share.name: share.amount for share in case.attributions["cost.total"]}
    # 206.976 kWh x (0.0826 USD/kWh / 1.11722 USD/EUR - 0.1902 EUR/kWh)
    assert shares["site.tariff"] == pytest.approx(206.976 * (0.0826 * 0.895095 - 0.1902), rel=1e-5)
    assert MODEL not in shares
    difference = case.differences["cost.total"].absolute
    assert closure(case.attributions["cost.total"]) == pytest.approx(difference, rel=1e-12)


def test_unlike_runs_add_up_too(examples) -> None:
    recipes = [
        Recipe(examples / name / "run.json", {"region": "eu", "currency": "EUR"}, name)
        for name in ("8xh100-day", "slurm-gh200", "mlperf-b200-llama")
    ]
    found = compare(recipes, n=0)
    for case in found.against:
        for line, shares in case.attributions.items():
            assert closure(shares) == pytest.approx(case.differences[line].absolute, rel=1e-12)
    names = {name for name, _, _ in found.against[0].inputs}
    assert {"run.duration", "system.host.embodied", "embodied.hbm"} <= names
    warnings = " ".join(found.against[0].warnings)
    assert "carbon.embodied.host: phase 'cradle-to-gate' in '8xh100-day' and 'cradle-to-grave" in warnings


def stated(examples, title: str, **values: object) -> Recipe:
    options = {"region": "eu", "set": {name.replace("_", ".", 1): value for name, value in values.items()}}
    return Recipe(examples / "8xh100-day" / "run.json", options, title)


def test_how_sure_against_the_closed_form(examples) -> None:
    one = stated(examples, "one", site_pue="1.5 [1.4 to 1.6] normal")
    two = stated(examples, "two", site_pue="1.45 [1.35 to 1.55] normal")
    sure = compare([one, two], n=200_000).against[0].differences["energy.facility"].sure
    assert sure is not None
    # at the same percentile the second is lower always; apart, by 0.05 against the spread of a difference of two
    assert sure.together == 1.0
    spread = math.sqrt(2) * 0.1 / 1.6448536
    assert sure.apart == pytest.approx(NormalDist().cdf(0.05 / spread), abs=0.005)


def test_an_input_equal_in_both_is_one_quantity(examples) -> None:
    same = "1.5 [1.2 to 1.8] uniform"
    one = stated(examples, "one", site_pue=same, grid_intensity="200 g/kWh")
    two = stated(examples, "two", site_pue=same, grid_intensity="199 g/kWh")
    found = compare([one, two], n=1000).against[0].differences
    sure = found["carbon.operational"].sure
    assert sure is not None
    assert (sure.together, sure.apart) == (1.0, 1.0)
    assert found["energy.facility"].sure is None  # the same in every sample: neither is lower


def test_warnings_of_basis_and_currency(examples) -> None:
    run = examples / "8xh100-day" / "run.json"
    found = compare([Recipe(run, {"region": "eu"}, "eu"), stated(examples, "mine", grid_intensity="200 g/kWh")], n=0)
    assert "carbon.operational: basis 'lifecycle' in 'eu' and 'as stated' in 'mine'" in found.against[0].warnings
    found = compare([Recipe(run, {"region": place}, place) for place in ("eu", "us")], n=0)
    assert any("in EUR in 'eu' and in USD in 'us'; choose one with --currency" in w for w in found.against[0].warnings)
    assert "cost.total" not in found.against[0].differences


def test_one_case_is_no_comparison(examples) -> None:
    with pytest.raises(EstimateError, match="a comparison needs at least two cases"):
        compare([stated(examples, "one")])


def test_lines_that_only_one_has_stand_where_they_belong(examples) -> None:
    one, two = stated(examples, "one"), stated(examples, "two", run_nodes_charged="2")
    lines = compare([one, two], n=0).lines
    assert lines.index("cost.hardware") < lines.index("cost.network") < lines.index("cost.total")
