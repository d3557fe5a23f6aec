"""Useful work, and what one unit of it takes."""

from __future__ import annotations

from tco.operations import V


def work_done(rate: V, duration: V) -> V:
    """Work of a run that keeps a rate.

    Parameters
    ----------
    rate
        Units of work per time. [work/time]
    duration
        How long. [time]
    """
    return rate * duration


def per_work(amount: V, work: V) -> V:
    """What one unit of work takes.

    Parameters
    ----------
    amount
        Energy, emissions or money of the run. [any]
    work
        Work of the run, more than 0. [work]
    """
    return amount / work
