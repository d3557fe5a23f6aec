"""Samples: streams, exactness, closed forms, and percentiles of streams too long to keep."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tco
from tco.analysis.quantiles import PILOT, Tally
from tco.analysis.sampling import Sampler, sample, spread, stream
from tco.errors import EstimateError
from tco.graph import Graph, Input
from tco.units import Q


def lognormals(count: int = 3) -> Graph:
    """Lognormal inputs, their sum and their product."""
    graph = Graph()
    nodes = [
        graph.input(f"x{i}", Q(1.0 + i, "1"), "1", given=Input((1.0 + i) / f, (1.0 + i) * f, distribution="lognormal"))
        for i, f in enumerate((1.2, 1.5, 1.9)[:count])
    ]
    total, product = nodes[0], nodes[0]
    for node in nodes[1:]:
        total, product = total + node, product * node
    graph.line("sum", total, "1")
    graph.line("product", product, "1")
    return graph


def moments(graph: Graph) -> dict[str, tuple[float, float]]:
    """Mean and variance of sum and product by the closed forms for independent lognormals."""
    widths = [math.log(f) / 1.6448536269514722 for f in (1.2, 1.5, 1.9)]
    centres = [math.log(1.0 + i) for i in range(3)]
    means = [math.exp(c + w * w / 2) for c, w in zip(centres, widths, strict=True)]
    variances = [(math.exp(w * w) - 1) * math.exp(2 * c + w * w) for c, w in zip(centres, widths, strict=True)]
    c, w2 = sum(centres), sum(w * w for w in widths)  # a product of lognormals is lognormal
    return {
        "sum": (sum(means), sum(variances)),
        "product": (math.exp(c + w2 / 2), (math.exp(w2) - 1) * math.exp(2 * c + w2)),
    }


@pytest.mark.parametrize(("method", "n"), [("random", 1_000_000), ("latin", 200_000), ("sobol", 131_072)])
def test_sums_and_products_of_lognormals_against_closed_forms(method: str, n: int) -> None:
    graph = lognormals()
    found = spread(graph, n=n, seed=3, method=method)
    for name, (mean, variance) in moments(graph).items():
        line = found.lines[name]
        assert line.mean == pytest.approx(mean, abs=5 * math.sqrt(variance / n))
        assert line.deviation**2 == pytest.approx(variance, rel=0.03)


def test_percentiles_of_a_product_of_lognormals() -> None:
    found = spread(lognormals(), ["product"], n=500_000, seed=5).lines["product"]
    width = math.sqrt(sum((math.log(f) / 1.6448536269514722) ** 2 for f in (1.2, 1.5, 1.9)))
    assert found.p50 == pytest.approx(6.0, rel=5e-3)  # 1 x 2 x 3
    assert found.p95 == pytest.approx(6.0 * math.exp(1.6449 * width), rel=5e-3)
    assert found.p5 == pytest.approx(6.0 * math.exp(-1.6449 * width), rel=5e-3)


@pytest.mark.parametrize("method", ["random", "latin", "sobol"])
def test_the_same_seed_gives_the_same_bytes_and_another_does_not(method: str) -> None:
    first, again, other = (sample(lognormals(), n=1024, seed=seed, method=method) for seed in (1, 1, 2))
    for name in first:
        assert first[name].tobytes() == again[name].tobytes()
        assert first[name].tobytes() != other[name].tobytes()


def test_an_input_more_changes_no_other() -> None:
    few, many = (sample(lognormals(count), n=1000, seed=1) for count in (2, 3))
    assert few["x0"].tobytes() == many["x0"].tobytes()
    assert few["x1"].tobytes() == many["x1"].tobytes()


def test_streams_of_two_names_are_unlike() -> None:
    one, two = (stream(1, name).random(10_000) for name in ("site.pue", "grid.intensity"))
    assert abs(np.corrcoef(one, two)[0, 1]) < 0.05


@pytest.mark.parametrize("width", [1, 100, 4096])
def test_the_block_size_changes_nothing(width: int) -> None:
    graph = lognormals()
    whole = next(Sampler(graph, ["sum"], 1000, 1).blocks(1000))
    blocks = list(Sampler(graph, ["sum"], 1000, 1).blocks(width))
    for name, values in whole.items():
        assert np.concatenate([block[name] for block in blocks]).tobytes() == values.tobytes()


def test_a_latin_hypercube_has_one_point_in_each_layer() -> None:
    graph = Graph()
    graph.line("y", graph.input("x", Q(0.5, "1"), "1", given=Input(0.0, 1.0, distribution="uniform")) * 2, "1")
    drawn = sample(graph, n=500, method="latin")["x"]
    assert sorted((drawn * 500).astype(int)) == list(range(500))


@pytest.mark.parametrize("example", ["8xh100-day", "jpwr-two-gpus", "mlperf-b200-llama", "slurm-gh200"])
def test_a_degenerate_range_gives_the_point_estimate_exactly(examples, example: str) -> None:
    path = examples / example / "run.json"
    plain = tco.estimate(path, region="eu")
    drawn = plain.sample(2).inputs
    pinned = {
        name: {"value": node.value, "unit": node.unit, "low": node.value, "high": node.value}
        for name, node in plain.inputs.items()
        if name in drawn and "money" not in str(node.quantity.dimensionality)
    }
    est = tco.estimate(path, region="eu", set=pinned)
    found = est.spread(1000)
    assert not set(pinned) & set(found.inputs)
    lines = [name for name in est if name.startswith(("energy.", "carbon.", "power."))]
    for name in lines:
        spread_ = found.lines[name]
        assert (spread_.p5, spread_.p50, spread_.p95, spread_.mean, spread_.deviation) == (*[est[name].value] * 4, 0.0)
        assert set(est.sample(3)[name]) == {est[name].value}


@pytest.mark.parametrize("example", ["8xh100-day", "jpwr-two-gpus", "mlperf-b200-llama", "slurm-gh200"])
def test_the_compiled_graph_at_its_own_inputs_gives_the_value(examples, example: str) -> None:
    est = tco.estimate(examples / example / "run.json", region="eu")
    names = list(est.inputs)
    results = est.program(list(est), names)({name: [est.inputs[name].value] for name in names})
    assert len(results) > 10
    for name, values in results.items():
        assert values[0] == pytest.approx(est[name].value, rel=1e-12)


def test_samples_lie_in_the_range_of_the_line(examples) -> None:
    est = tco.estimate(examples / "8xh100-day" / "run.json", region="eu")
    drawn = est.sample(5000)
    for name in est:
        assert est[name].low - 1e-9 <= drawn[name].min() <= drawn[name].max() <= est[name].high + 1e-9
    np.testing.assert_allclose(
        drawn["carbon.operational"] + drawn["carbon.embodied"], drawn["carbon.total"], rtol=1e-14
    )


def test_a_frame_has_the_units_in_its_columns(examples) -> None:
    frame = tco.estimate(examples / "8xh100-day" / "run.json", region="eu").sample(5).to_frame()
    assert len(frame) == 5
    assert {"carbon.total [kgCO2e]", "cost.total [EUR]", "site.pue", "site.tariff [EUR/kWh]"} <= set(frame.columns)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"n": 0}, "at least 1 is needed"),
        ({"n": 10, "seed": -1}, "a seed is a whole number"),
        ({"n": 1000, "method": "sobol"}, "take 512 or 1024"),
        ({"n": 10, "method": "sobl"}, "did you mean 'sobol'?"),
    ],
)
def test_what_cannot_be_sampled(arguments: dict[str, object], words: str) -> None:
    with pytest.raises(EstimateError) as caught:
        sample(lognormals(), **arguments)  # type: ignore[arg-type]
    assert words in str(caught.value)


def test_a_normal_that_leaves_what_is_possible_is_said(examples) -> None:
    run = examples / "8xh100-day" / "run.json"
    est = tco.estimate(run, region="eu", set={"site.pue": "1.2 [0.9 to 1.5] normal"})
    notes = " ".join(est.spread(1000).notes)
    assert "site.pue: 14 % of its distribution lie outside of what is possible" in notes  # P(z < -0.2/0.1824) = 0.136
    est = tco.estimate(run, region="eu", set={"site.pue": "1.2 [1.19 to 1.6] lognormal"})
    assert "site.pue: the median of its distribution is 1.38, its value 1.2" in " ".join(est.spread(10).notes)


def test_a_range_that_reaches_a_division_by_0_is_said() -> None:
    graph = Graph()
    x = graph.input("x", Q(1.0, "1"), "1", given=Input(0.0, 2.0, samples=(0.0, 1.0, 2.0)))
    graph.line("y", 1 / x, "1")
    with pytest.raises(EstimateError, match="y: a sample of it is not a finite number"):
        spread(graph, n=100)


# ---- percentiles of streams ---------------------------------------------------------------------------------------

SHAPES = {
    "normal": lambda r, n: r.standard_normal(n),
    "heavy tail": lambda r, n: np.exp(3 * r.standard_normal(n)),
    "few values": lambda r, n: np.ceil(r.random(n) * 4),
    "mostly one value": lambda r, n: np.maximum(r.random(n), 0.97),
    "one value": lambda r, n: np.full(n, 3.5),
    "sorted": lambda r, n: np.sort(r.random(n)),
    "late change": lambda r, n: np.where(np.arange(n) < n // 2, r.random(n), 100 + r.random(n)),
}


def tallied(values: np.ndarray, block: int) -> Tally:
    tally = Tally(len(values))
    for _ in range(12):
        for start in range(0, len(values), block):
            tally.add(values[start : start + block])
        if tally.settle():
            return tally
    raise AssertionError("no end of it")


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [1, 2, 37, PILOT, 5 * PILOT + 11])
def test_percentiles_are_those_of_all_values(shape: str, n: int) -> None:
    values = SHAPES[shape](np.random.default_rng(11), n)
    found = tallied(values, 5000).result()
    assert (found.p5, found.p50, found.p95) == pytest.approx(tuple(np.quantile(values, [0.05, 0.5, 0.95])), rel=1e-14)
    assert found.mean == pytest.approx(values.mean(), rel=1e-12)
    if n > 1:
        assert found.deviation == pytest.approx(values.std(ddof=1), rel=1e-9, abs=1e-12)
    assert sum(found.counts) == n


@settings(max_examples=50)
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=300), st.integers(1, 50))
def test_percentiles_of_anything(values: list[float], block: int) -> None:
    array = np.array(values)
    found = tallied(array, block).result()
    expected = tuple(np.quantile(array, [0.05, 0.5, 0.95]))
    assert (found.p5, found.p50, found.p95) == pytest.approx(expected, rel=1e-12, abs=1e-9)


def test_streaming_and_keeping_agree(examples) -> None:
    est = tco.estimate(examples / "8xh100-day" / "run.json", region="eu")
    kept, streamed = est.sample(100_000, seed=4), est.spread(100_000, seed=4)
    for name, line in streamed.lines.items():
        p5, p50, p95 = np.quantile(kept[name], [0.05, 0.5, 0.95])
        assert (line.p5, line.p50, line.p95) == pytest.approx((p5, p50, p95), rel=1e-12)
