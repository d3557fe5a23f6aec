"""Elasticities, one input at a time, Sobol' indices against analytic values."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tco
from tco.analysis.distributions import Distribution, Empirical, Uniform
from tco.analysis.sensitivity import sensitivity, sobol_indices
from tco.errors import EstimateError
from tco.graph import Graph, Input
from tco.units import Q

# Ishigami and Homma 1990; the indices for a = 7, b = 0.1 as printed in the documentation of SALib and of UQTestFuns.
FIRST = {"x1": 0.3139, "x2": 0.4424, "x3": 0.0}
TOTAL = {"x1": 0.5576, "x2": 0.4424, "x3": 0.2437}


def test_ishigami() -> None:
    inputs: dict[str, Distribution] = {name: Uniform(-math.pi, math.pi) for name in FIRST}
    found = sobol_indices(
        lambda x: np.sin(x["x1"]) + 7 * np.sin(x["x2"]) ** 2 + 0.1 * x["x3"] ** 4 * np.sin(x["x1"]),
        inputs,
        points=2**14,
        seed=1,
    )
    for name, each in found.items():
        assert each.first == pytest.approx(FIRST[name], abs=0.01)
        assert each.total == pytest.approx(TOTAL[name], abs=0.01)


def test_ishigami_on_a_graph_with_sines_as_samples() -> None:
    graph = Graph()
    angles = np.pi * (2 * (np.arange(4001) + 0.5) / 4001 - 1)
    sines = tuple(map(float, np.sin(angles)))
    one, two = (graph.input(name, Q(0.0, "1"), "1", given=Input(samples=sines)) for name in ("x1", "x2"))
    three = graph.input("x3", Q(0.0, "1"), "1", given=Input(-math.pi, math.pi, distribution="uniform"))
    graph.line("y", one + two * two * 7 + three**4 * one * 0.1, "1")
    found = sensitivity(graph, "y", sobol=2**14)
    assert isinstance(found.influences[0].distribution, Empirical)
    for each in found.influences:
        assert each.indices is not None
        assert each.indices.first == pytest.approx(FIRST[each.name], abs=0.01)
        assert each.indices.total == pytest.approx(TOTAL[each.name], abs=0.01)
    assert [each.name for each in found.influences] == ["x1", "x2", "x3"]


def test_shares_of_a_sum_are_those_of_the_variances() -> None:
    graph = Graph()
    parts = [
        graph.input(name, Q(10.0, "kWh"), "kWh", given=Input(10.0 - w, 10.0 + w, distribution="uniform"))
        for name, w in (("a", 1.0), ("b", 2.0), ("c", 3.0))
    ]
    graph.total("sum", [graph.line(f"part.{node.name}", node * 1, "kWh") for node in parts], "kWh")
    found = sensitivity(graph, "sum", sobol=2**12)
    for each in found.influences:
        share = {"a": 1, "b": 4, "c": 9}[each.name] / 14
        assert each.linear_share == pytest.approx(share, rel=1e-12)
        assert each.indices is not None
        assert each.indices.first == pytest.approx(share, abs=0.02)
        assert each.indices.total == pytest.approx(share, abs=0.02)


def test_one_at_a_time_is_the_estimate_with_the_input_stated(examples) -> None:
    run = examples / "8xh100-day" / "run.json"
    found = tco.estimate(run, region="eu").sensitivity("carbon.total")
    each = next(each for each in found.influences if each.name == "site.pue")
    for value, reached in ((1.14, each.at_low), (1.63, each.at_high)):
        stated = tco.estimate(run, region="eu", set={"site.pue": value})
        assert reached == pytest.approx(stated["carbon.total"].value, rel=1e-12)
    assert found.influences[0].name == "site.pue"
    assert math.fsum(each.linear_share for each in found.influences) == pytest.approx(1.0)


def test_the_same_seed_gives_the_same_indices(examples) -> None:
    est = tco.estimate(examples / "8xh100-day" / "run.json", region="eu")
    one, two = (est.sensitivity("cost.total", sobol=256, seed=0).to_dict() for _ in range(2))
    assert one == two
    assert est.sensitivity("cost.total", sobol=256, seed=5).to_dict() != one


def test_what_cannot_be_asked(examples) -> None:
    est = tco.estimate(examples / "8xh100-day" / "run.json", region="eu")
    with pytest.raises(EstimateError, match=r"'cost.totl' is not a line of this estimate; did you mean 'cost.total'\?"):
        est.sensitivity("cost.totl")
    with pytest.raises(EstimateError, match=r"'site.pue' is an input; name a line"):
        est.sensitivity("site.pue")
    with pytest.raises(EstimateError, match="their number is a power of 2, for instance 512"):
        est.sensitivity("cost.total", sobol=1000)
