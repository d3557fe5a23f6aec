"""Which inputs a line depends on, and how much: elasticities, one input at a time, shares of the variance."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tco.analysis.derivatives import gradient
from tco.analysis.distributions import Distribution, distribution_of
from tco.analysis.extras import load
from tco.compiled import Array, Program
from tco.errors import EstimateError
from tco.graph import Graph

#: Evaluations of one Sobol' index are this power of two.
DEFAULT_POINTS = 4096


class Indices(NamedTuple):
    """Sobol' indices of one input, each with the half width of its 95 % confidence interval.

    Attributes
    ----------
    first
        Share of the variance that is gone once the input is known.
    total
        Share of the variance that is left when only the input is unknown.
    """

    first: float
    first_error: float
    total: float
    total_error: float


class Influence(NamedTuple):
    """What one input does to a line.

    Attributes
    ----------
    name, label, unit, value
        Of the input.
    elasticity
        Per cent of the line per per cent of the input.
    in_pieces
        Whether a step or a choice lies between, so that the elasticity holds near the value only.
    distribution
        How the input varies; None where no range is known.
    at_low, at_high
        The line with this input alone at either end of its range.
    linear_share
        Share of the variance of the line, by its slope and the variances of the inputs.
    indices
        Sobol' indices, where they were asked for.
    """

    name: str
    label: str
    unit: str
    value: float
    elasticity: float
    in_pieces: bool
    distribution: Distribution | None
    at_low: float
    at_high: float
    linear_share: float
    indices: Indices | None = None

    @property
    def swing(self) -> float:
        """How far apart the line is between the two ends of the range."""
        return abs(self.at_high - self.at_low)


class Sensitivity(NamedTuple):
    """The inputs of a line by their influence, the strongest first.

    Attributes
    ----------
    line, label, unit, value
        The line.
    influences
        Inputs with a range by share of the variance, then the others by elasticity.
    points, seed
        Of the Sobol' indices; None where there are none.
    """

    line: str
    label: str
    unit: str
    value: float
    influences: tuple[Influence, ...]
    points: int | None = None
    seed: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """As plain data, schema ``tco.sensitivity/1``."""

        def influence(each: Influence) -> dict[str, Any]:
            data: dict[str, Any] = {
                "input": each.name,
                "label": each.label,
                "value": each.value,
                "unit": each.unit,
                "elasticity": each.elasticity if math.isfinite(each.elasticity) else None,
                "in_pieces": each.in_pieces,
            }
            if each.distribution is not None:
                data |= {
                    "distribution": str(each.distribution),
                    "low": each.distribution.low,
                    "high": each.distribution.high,
                    "line_at_low": each.at_low,
                    "line_at_high": each.at_high,
                    "linear_share": each.linear_share,
                }
            if each.indices is not None:
                data["sobol"] = each.indices._asdict()
            return data

        return {
            "schema": "tco.sensitivity/1",
            "line": self.line,
            "value": self.value,
            "unit": self.unit,
            **({"points": self.points, "seed": self.seed} if self.points else {}),
            "inputs": [influence(each) for each in self.influences],
        }


def sensitivity(graph: Graph, line: str, *, sobol: int | None = None, seed: int = 1) -> Sensitivity:
    """What the inputs of a line do to it.

    Parameters
    ----------
    graph
        Of an estimate.
    line
        Name of a line.
    sobol
        Base points for Sobol' indices (a power of 2; SALib evaluates points x (inputs + 2) samples); none where None.
    seed
        Of those points.
    """
    end = graph[line]
    if end.operation == "input":
        raise EstimateError(f"'{line}' is an input; name a line, for instance carbon.total")
    slopes = gradient(graph, line)
    drawn = {name: each for name in slopes if (each := distribution_of(graph[name])) is not None}
    ends = _one_at_a_time(graph, line, drawn)
    variances = {name: slopes[name].slope ** 2 * each.variance for name, each in drawn.items()}
    whole = math.fsum(variances.values())
    indices: Mapping[str, Indices] = {}
    if sobol is not None and drawn:
        program = Program(graph, [line], list(drawn))
        indices = sobol_indices(lambda inputs: program(inputs)[line], drawn, points=sobol, seed=seed)
    influences = []
    for name, slope in slopes.items():
        node = graph[name]
        at_low, at_high = ends.get(name, (end.value, end.value))
        share = variances[name] / whole if name in variances and whole > 0 else 0.0
        influences.append(
            Influence(
                name,
                node.label,
                node.unit,
                node.value,
                slope.elasticity,
                slope.in_pieces,
                drawn.get(name),
                at_low,
                at_high,
                share,
                indices.get(name),
            )
        )

    def rank(each: Influence) -> tuple[float, float, float]:
        share = each.indices.total if each.indices else each.linear_share
        return -share, -each.swing, -abs(each.elasticity) if math.isfinite(each.elasticity) else 0.0

    influences.sort(key=rank)
    asked = (sobol, seed) if indices else (None, None)
    return Sensitivity(line, end.label, end.unit, end.value, tuple(influences), *asked)


def _one_at_a_time(graph: Graph, line: str, drawn: Mapping[str, Distribution]) -> dict[str, tuple[float, float]]:
    """The line with each input alone at the low and the high end of its range, the others at their values."""
    if not drawn:
        return {}
    samples = {name: np.full(2 * len(drawn), graph[name].value) for name in drawn}
    for place, (name, each) in enumerate(drawn.items()):
        samples[name][2 * place : 2 * place + 2] = each.low, each.high
    values = Program(graph, [line], list(drawn))(samples)[line]
    return {name: (float(values[2 * i]), float(values[2 * i + 1])) for i, name in enumerate(drawn)}


def sobol_indices(
    evaluate: Callable[[Mapping[str, Array]], Array],
    inputs: Mapping[str, Distribution],
    *,
    points: int,
    seed: int,
) -> dict[str, Indices]:
    """Sobol' indices by SALib.

    Parameters
    ----------
    evaluate
        From an array of shape (n,) for each input to the results, shape (n,).
    inputs
        Distribution of each input; they are independent.
    points
        Base points, a power of 2.
    seed
        Of the points and of the confidence intervals.
    """
    if points < 2 or points & (points - 1):
        below = 1 << max(points.bit_length() - 1, 1)
        raise EstimateError(
            f"{points} base points for Sobol' indices: their number is a power of 2, for instance {below}"
        )
    what = "a Sobol' index"
    sampler = load("SALib.sample.sobol", "analysis", what)
    analyzer = load("SALib.analyze.sobol", "analysis", what)
    names: Sequence[str] = list(inputs)
    problem = {"num_vars": len(names), "names": names, "bounds": [[0.0, 1.0]] * len(names)}
    unit = sampler.sample(problem, points, calc_second_order=False, seed=np.random.default_rng(seed))
    results = evaluate({name: inputs[name].quantile(unit[:, place]) for place, name in enumerate(names)})
    if float(np.ptp(results)) == 0.0:
        return dict.fromkeys(names, Indices(0.0, 0.0, 0.0, 0.0))
    # A seed of 0 would be no seed to SALib.
    found = analyzer.analyze(problem, results, calc_second_order=False, seed=seed + 1)
    columns = zip(found["S1"], found["S1_conf"], found["ST"], found["ST_conf"], strict=True)
    return {name: Indices(*map(float, row)) for name, row in zip(names, columns, strict=True)}
