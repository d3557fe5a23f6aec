"""Scores of offers: the weighted geometric mean of their gains over a reference."""

from __future__ import annotations

from tco.operations import V, exp, log


def gain(figure_of_merit: V, reference: V) -> V:
    """Figure of merit over that of the reference; more is better.

    Parameters
    ----------
    figure_of_merit
        Of the offer, on one node. [any]
    reference
        Of the reference, on one node. [as figure_of_merit]
    """
    return figure_of_merit / reference


def log_gain(gain: V, weight: V) -> V:
    """What one benchmark adds to the logarithm of the mean.

    Parameters
    ----------
    gain
        Over the reference, more than 0. [1]
    weight
        Of the benchmark. [1]
    """
    return log(gain) * weight


def scaled_improvement(nodes: V, reference_nodes: V, log_gains: V, weights: V) -> V:
    """Weighted geometric mean of the gains per node, times the nodes offered over those of the reference.

    Parameters
    ----------
    nodes
        Nodes offered. [1]
    reference_nodes
        Nodes of the reference. [1]
    log_gains
        Sum of `log_gain` over the benchmarks. [1]
    weights
        Sum of their weights, so that benchmarks left out do not count. [1]

    References
    ----------
    LANL ATS-5 benchmark suite, scaled single node improvement (SSNI), SSNI-baseline.xlsx.
    """
    return nodes / reference_nodes * exp(log_gains / weights)
