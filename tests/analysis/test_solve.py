"""Break-even: roots of functions that cross, touch, jump and rest, and of estimates."""

from __future__ import annotations

import numpy as np
import pytest

import tco
from tco.analysis.recipe import Recipe
from tco.analysis.solve import parse_between, roots, solve
from tco.errors import EstimateError, TcoError

POINTS = np.linspace(-3.0, 5.0, 2001)


@pytest.mark.parametrize(
    ("function", "goal", "expected"),
    [
        (lambda x: x**2 - 2, 2, [(-(2**0.5), "crosses"), (2**0.5, "crosses")]),
        (lambda x: (x - 1.23456) ** 2, 1, [(1.23456, "touches")]),
        (lambda x: np.ceil(x) - 1.5, 1.5, [(1.0, "jumps")]),
        (lambda x: np.ceil(x) - 2, 2, [(1.0, "from"), (2.0, "to")]),
        (lambda x: 1e9 * (x - 0.333), 1e9, [(0.333, "crosses")]),
        (lambda x: np.maximum(x, 1) - 1, 1, [(-3.0, "from"), (1.0, "to")]),
        (lambda x: x + 3, 1, [(-3.0, "crosses")]),
        (lambda x: x**2 + 0.001, 1, []),
    ],
)
def test_roots(function, goal: float, expected: list[tuple[float, str]]) -> None:
    found = roots(function, POINTS, function(POINTS), goal)
    assert [(pytest.approx(value, abs=2e-6 if kind == "touches" else 1e-11), kind) for value, kind in expected] == [
        (value, kind) for value, kind, _ in found
    ]


@pytest.fixture
def recipe(examples) -> Recipe:
    return Recipe(examples / "8xh100-day" / "run.json", {"region": "eu"})


@pytest.mark.parametrize(
    ("line", "to", "by"),
    [
        ("carbon.total", "40 kgCO2e", "grid.intensity"),
        ("cost.total", "300 EUR", "system.lifetime"),
        ("cost.total", "250 EUR", "run.duration"),
        ("energy.facility", "0.2 MWh", "site.pue"),
    ],
)
def test_the_estimate_with_the_solution_stated_is_at_the_target(recipe: Recipe, line: str, to: str, by: str) -> None:
    solved, _ = solve(recipe, line, to, by)
    (solution,) = solved.solutions
    unit = "" if solved.by_unit == "1" else solved.by_unit
    assert recipe.estimate({by: f"{solution.value!r} {unit}".strip()})[line].value == pytest.approx(
        solved.target, rel=1e-12
    )
    assert solution.kind == "crosses"


def test_a_target_in_another_currency_chooses_that_of_the_report(recipe: Recipe) -> None:
    solved, _ = solve(recipe, "cost.total", "1000USD", "system.price")
    assert (solved.line_unit, solved.by_unit) == ("USD", "USD")
    stated = tco.estimate(
        recipe.run, region="eu", currency="USD", set={"system.price": f"{solved.solutions[0].value!r} USD"}
    )
    assert stated["cost.total"].value == pytest.approx(1000, rel=1e-12)


def test_no_solution_says_how_far_the_line_goes(recipe: Recipe) -> None:
    solved, _ = solve(recipe, "carbon.total", "20 kgCO2e", "site.pue")
    assert solved.solutions == ()
    assert (solved.low, solved.high) == (1.0, 3.0)
    assert solved.reached[0] == pytest.approx(134.4 * 0.2099 + 4.5202256, rel=1e-6)


@pytest.mark.parametrize(
    ("line", "to", "by", "between", "words"),
    [
        ("carbon.total", "20 kg", "site.tariff", None, "carbon.total does not depend on site.tariff"),
        ("carbon.total", "20 kg", "site.taruff", None, "did you mean 'site.tariff'?"),
        ("carbon.total", "20 kg", "energy.it", None, "'energy.it' is a result, not an input"),
        ("carbon.totl", "20 kg", "site.pue", None, "did you mean 'carbon.total'?"),
        ("carbon.total", "20 kWh", "site.pue", None, "carbon.total: '20 kWh' is an energy, not an amount of emissions"),
        ("carbon.total", "20", "site.pue", None, "needs a unit"),
        ("carbon.total", "20 kg", "site.pue", "3:1", "the first end must be below the second"),
        ("carbon.total", "20 kg", "site.pue", "3", "write two ends, for instance 1.0:2.0"),
        ("cost.total", "500 EUR", "run.nodes_charged", None, "changes what the estimate consists of"),
    ],
)
def test_what_cannot_be_solved(recipe: Recipe, line: str, to: str, by: str, between: str | None, words: str) -> None:
    with pytest.raises(TcoError) as caught:
        solve(recipe, line, to, by, None if between is None else parse_between(between))
    assert words in str(caught.value)


def test_on_one_side_of_a_change_of_structure_there_is_an_answer(recipe: Recipe) -> None:
    solved, plain = solve(recipe, "cost.total", "100 EUR", "run.nodes_charged", parse_between("0.01:1"))
    assert 0 < solved.solutions[0].value < 1
    with pytest.raises(EstimateError, match="search on one side of the change with --between"):
        solve(recipe, "cost.total", "100 EUR", "run.nodes_charged", parse_between("0.01:2"))
    assert plain["cost.total"].value == pytest.approx(217.02, abs=0.01)
