"""Distributions: what low and high are, moments against textbooks, and how they are stated."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tco
from tco.analysis.distributions import (
    Distribution,
    Empirical,
    Lognormal,
    Normal,
    Pert,
    Triangular,
    Uniform,
    distribution_of,
)
from tco.errors import RecordError, UnitError
from tco.graph import Graph, Input
from tco.records.base import validate
from tco.records.figure import Figure
from tco.spread import read_stated
from tco.units import Q

#: 95th percentile of the standard normal distribution, as printed in tables.
Z95 = 1.6449


def of(value: float, low: float | None, high: float | None, name: str | None = None) -> Distribution | None:
    graph = Graph()
    return distribution_of(graph.input("x", Q(value, "1"), "1", given=Input(low, high, distribution=name)))


def test_a_range_alone_is_triangular_around_the_value() -> None:
    assert of(2.0, 1.0, 4.0) == Triangular(1.0, 2.0, 4.0)
    assert of(2.0, None, 4.0) == Triangular(2.0, 2.0, 4.0)


@pytest.mark.parametrize("name", [None, "triangular", "uniform", "normal", "lognormal", "pert"])
def test_one_value_is_no_distribution(name: str | None) -> None:
    assert of(2.0, 2.0, 2.0, name) is None
    assert of(2.0, None, None) is None


def test_low_and_high_of_normal_and_lognormal_are_the_5th_and_95th_percentile() -> None:
    normal = of(10.0, 8.0, 13.0, "normal")
    assert isinstance(normal, Normal)
    assert (normal.mean, normal.deviation) == (pytest.approx(10.5), pytest.approx(2.5 / Z95, rel=1e-4))
    lognormal = of(10.0, 5.0, 20.0, "lognormal")
    assert isinstance(lognormal, Lognormal)
    assert (math.exp(lognormal.centre), lognormal.width) == (
        pytest.approx(10.0),
        pytest.approx(math.log(2) / Z95, rel=1e-4),
    )
    for each, ends in ((normal, (8.0, 13.0)), (lognormal, (5.0, 20.0))):
        drawn = each.draw(np.random.default_rng(1), 400_000)
        assert np.quantile(drawn, [0.05, 0.95]) == pytest.approx(ends, rel=5e-3)
        assert each.quantile(np.array([0.05, 0.95])) == pytest.approx(ends, rel=1e-12)
        assert (each.low, each.high) == pytest.approx(ends, rel=1e-12)


def test_with_one_end_the_value_is_the_median() -> None:
    for each in (of(10.0, None, 13.0, "normal"), of(10.0, 5.0, None, "lognormal")):
        assert each is not None
        assert each.quantile(np.array([0.5]))[0] == pytest.approx(10.0, rel=1e-12)


CASES = [
    Triangular(1.0, 2.0, 6.0),
    Triangular(1.0, 1.0, 6.0),
    Uniform(-2.0, 3.0),
    Pert(1.0, 2.0, 6.0),
    Normal(5.0, 2.0),
    Lognormal(0.3, 0.6),
    Empirical((1.0, 1.0, 4.0, 10.0)),
]


@pytest.mark.parametrize("each", CASES, ids=str)
def test_draws_have_the_moments(each: Distribution) -> None:
    drawn = each.draw(np.random.default_rng(7), 1_000_000)
    deviation = math.sqrt(each.variance)
    assert drawn.mean() == pytest.approx(each.mean, abs=5 * deviation / 1000)
    assert drawn.var() == pytest.approx(each.variance, rel=0.02)


@pytest.mark.parametrize("each", CASES, ids=str)
def test_draws_and_quantiles_are_of_one_distribution(each: Distribution) -> None:
    drawn = each.draw(np.random.default_rng(7), 400_000)
    for level in (0.02, 0.3, 0.77, 0.99):
        value = float(each.quantile(np.array([level]))[0])
        assert np.mean(drawn < value) <= level + 0.004
        assert np.mean(drawn <= value) >= level - 0.004


def test_the_mean_of_a_pert_weighs_the_mode_four_times() -> None:
    assert Pert(2.0, 3.0, 10.0).mean == pytest.approx((2 + 4 * 3 + 10) / 6)
    p, q = Pert(0.0, 0.25, 1.0).shapes
    assert (p, q) == (2.0, 4.0)  # the beta distribution whose mode, (p - 1) / (p + q - 2), is 1/4


@given(st.floats(0.1, 5), st.floats(0, 3), st.floats(0, 3))
def test_a_bounded_distribution_stays_in_its_range(value: float, below: float, above: float) -> None:
    for name in ("triangular", "uniform", "pert"):
        each = of(value, value - below, value + above, name)
        if each is None:
            continue
        drawn = np.concatenate([each.draw(np.random.default_rng(1), 200), each.quantile(np.array([0.0, 1.0]))])
        slack = 1e-12 * (1 + value + above)
        assert drawn.min() >= value - below - slack
        assert drawn.max() <= value + above + slack


# ---- how a person states it ---------------------------------------------------------------------------------------


def test_text_with_a_range() -> None:
    quantity, spread = read_stated("0.2 EUR/kWh [15 EURct/kWh to 0.3] pert", "money/kWh")
    assert quantity.magnitude == 0.2
    assert (spread.low, spread.high, spread.distribution) == (pytest.approx(0.15), pytest.approx(0.3), "pert")
    assert read_stated("1.2", "1")[1].low is None


def test_samples_are_an_empirical_distribution_and_its_median_the_value() -> None:
    quantity, spread = read_stated({"samples": [300, 100, 200], "unit": "gCO2e/kWh"}, "kgCO2e/kWh")
    assert quantity.magnitude == pytest.approx(0.2)
    assert spread.samples == pytest.approx((0.3, 0.1, 0.2))
    assert (spread.low, spread.high) == pytest.approx((0.1, 0.3))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("1.3 [1.4 to 1.5]", "the value 1.3 is outside its range 1.4 to 1.5"),
        ("1.3 [1.1 to 1.5", "is not a value with a range; write for instance '1.2 [4 to 7] pert'"),
        ("1.3 [1.1 to 1.5] part", "'part' is not a known distribution; did you mean 'pert'?"),
        ({"value": 1.2, "distribution": "normal"}, "'normal' needs 'low' and 'high', its 5th and 95th percentile"),
        ({"value": 1.2, "distribution": "empirical"}, "needs 'samples'"),
        ({"value": 1.2, "samples": [1, 2], "distribution": "pert"}, "samples are an empirical distribution"),
        ({"value": 1.2, "samples": [1, "x"]}, "samples must be a list of numbers"),
        ({"value": 1.2, "low": "1.1"}, "'1.1' is not a number; write low, high and samples as numbers"),
        ({"value": 1.0, "low": -1.0, "high": 2.0, "distribution": "lognormal"}, "a lognormal quantity is above 0"),
        ("1.3 [1 kWh to 1.5]", "is an energy, not a plain number"),
    ],
)
def test_a_spread_that_cannot_be(value: object, words: str) -> None:
    with pytest.raises(UnitError) as caught:
        read_stated(value, "1")
    assert words in str(caught.value)


def test_a_figure_carries_its_distribution_into_the_graph() -> None:
    figure = validate(
        Figure,
        {"value": 200, "unit": "g/kWh", "low": 100, "high": 400, "distribution": "lognormal"},
        "here",
    )
    given = figure.given("kgCO2e/kWh", assumed=True)
    assert (given.low, given.high, given.distribution) == (pytest.approx(0.1), pytest.approx(0.4), "lognormal")
    with pytest.raises(RecordError, match="an empirical distribution needs 'samples'"):
        validate(Figure, {"value": 200, "unit": "g/kWh", "distribution": "empirical"}, "here")


def test_set_takes_a_range(examples) -> None:
    est = tco.estimate(examples / "8xh100-day" / "run.json", region="eu", set={"site.pue": "1.2 [1.1 to 1.3] uniform"})
    assert est["energy.facility"].low == pytest.approx(134.4 * 1.1)
    assert est.sample(10).inputs["site.pue"] == Uniform(1.1, 1.3)
