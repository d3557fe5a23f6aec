"""Scores of offers, with their weights and what was left out."""

from __future__ import annotations

from collections.abc import Mapping

from tco.errors import EstimateError, did_you_mean
from tco.formulas import score as formulas


def scaled_improvement(
    nodes: float, reference_nodes: float, gains: Mapping[str, float], weights: Mapping[str, float]
) -> float:
    """Weighted geometric mean of an offer's gains per node, times its nodes over those of the reference.

    Parameters
    ----------
    nodes, reference_nodes
        Nodes offered, and of the reference.
    gains
        Gain over the reference by benchmark, more than 0; benchmarks may be left out.
    weights
        Weight of each benchmark; those of the gains given are renormalised to 1.

    Raises
    ------
    EstimateError
        If a benchmark has no weight, a gain is not more than 0, or none is given.
    """
    if not gains:
        raise EstimateError("an offer without any benchmark has no score")
    log_gains = total = 0.0
    for name, gain in gains.items():
        if name not in weights:
            raise EstimateError(f"benchmark '{name}' has no weight{did_you_mean(name, weights)}")
        if not gain > 0:
            raise EstimateError(f"benchmark '{name}': a gain of {gain:g} must be more than 0: new over reference")
        log_gains = log_gains + float(formulas.log_gain(gain, weights[name]))
        total = total + weights[name]
    return float(formulas.scaled_improvement(float(nodes), float(reference_nodes), log_gains, total))
