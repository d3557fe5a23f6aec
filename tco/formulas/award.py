"""Offers in a tender: what they cost over their life, what work they do, and the points they get."""

from __future__ import annotations

from tco.operations import V, maximum, minimum, where


def mixed_power(load: V, idle: V, share: V) -> V:
    """Mean power of a machine that is under load for a share of its time, and idle for the rest.

    Parameters
    ----------
    load
        Power under load. [power]
    idle
        Power when nothing runs. [power]
    share
        Share of the time under load. [1]
    """
    return load * share + idle * (1 - share)


def offered(quantity: V, unit_price: V) -> V:
    """A price line.

    Parameters
    ----------
    quantity
        How many. [1]
    unit_price
        Of one; of one per time for what is paid by time. [money or money/time]
    """
    return quantity * unit_price


def over_horizon(per_time: V, horizon: V, worth: V) -> V:
    """Present value of what is paid evenly over a horizon.

    Parameters
    ----------
    per_time
        Payment per time. [money/time]
    horizon
        How long is paid. [time]
    worth
        Mean present worth of one unit, see `tco.formulas.finance.mean_present_worth`. [1]
    """
    return per_time * horizon * worth


def reference_time(improvement: V, horizon: V, share: V) -> V:
    """Useful work of an offer, as the time that the reference system would need for it under load.

    Parameters
    ----------
    improvement
        Throughput over that of the reference, see `tco.formulas.score.scaled_improvement`. [1]
    horizon
        How long the offer serves. [time]
    share
        Share of the time under load. [1]
    """
    return improvement * horizon * share


def points_of_lowest(value: V, best: V, most: V) -> V:
    """Points where less is better: the best gets all, twice as much half of them.

    Parameters
    ----------
    value
        Of the offer, more than 0. [any]
    best
        The lowest of all that count, more than 0. [as value]
    most
        Points of the best. [1]
    """
    return most * (best / value)


def points_of_highest(value: V, best: V, most: V) -> V:
    """Points where more is better: the best gets all, half as much half of them.

    Parameters
    ----------
    value
        Of the offer, more than 0. [any]
    best
        The highest of all that count, more than 0. [as value]
    most
        Points of the best. [1]
    """
    return most * (value / best)


def points_between(value: V, full: V, none: V, most: V) -> V:
    """Points on a line between two values that the tender states, never below 0 nor above the most.

    Parameters
    ----------
    value
        Of the offer. [any]
    full
        Value that gets all points. [as value]
    none
        Value that gets none; it may be above or below `full`. [as value]
    most
        Points at `full`. [1]
    """
    share = (value - none) / (full - none)
    zero = share * 0
    return most * minimum(maximum(share, zero), zero + 1)


def counted(admitted: V, points: V) -> V:
    """Points of an offer that meets all mandatory criteria, else none.

    Parameters
    ----------
    admitted
        Whether it meets them: 1 or 0. [1]
    points
        Points it would get. [1]
    """
    return where(admitted, points, points * 0)


def weighted(points: V, weight: V) -> V:
    """Points times the weight of their criterion.

    Parameters
    ----------
    points
        Points. [1]
    weight
        Of the criterion; the weights of all add up to 1. [1]
    """
    return points * weight
