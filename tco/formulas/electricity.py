"""The parts of an electricity bill: energy by period and block, demand, fixed charges, levies."""

from __future__ import annotations

from tco.operations import V, maximum, minimum


def energy_in_period(energy: V, share: V) -> V:
    """Energy that falls into a period of a time-of-use tariff.

    Parameters
    ----------
    energy
        All energy at the meter. [energy]
    share
        Share of it in the period. [1]
    """
    return energy * share


def block_size(hours_of_use: V, demand: V, share: V, duration: V, month: V) -> V:
    """Energy that a block of an hours-of-use tariff holds, for a run that takes part of a month or several.

    Parameters
    ----------
    hours_of_use
        Hours of use of the demand that the block holds in a month. [time]
    demand
        Metered demand. [power]
    share
        Share of the energy that falls into the period of the block. [1]
    duration
        Of the run. [time]
    month
        A month. [time]

    References
    ----------
    Hartselle Utilities (TVA), schedule TOU MSB, effective 2024-08-01, off-peak energy blocks.
    """
    return hours_of_use * demand * share * (duration / month)


def energy_in_block(energy: V, before: V, size: V) -> V:
    """Energy of a period that falls into one of its blocks.

    Parameters
    ----------
    energy
        Of the period. [energy]
    before
        What the blocks before it hold. [energy]
    size
        What this one holds. [energy]
    """
    return minimum(maximum(energy - before, energy * 0), size)


def energy_beyond_blocks(energy: V, before: V) -> V:
    """Energy of a period beyond its blocks.

    Parameters
    ----------
    energy
        Of the period. [energy]
    before
        What the blocks hold. [energy]
    """
    return maximum(energy - before, energy * 0)


def demand_charge(price: V, demand: V, duration: V) -> V:
    """Charge for the highest power of each month, the run's part by time.

    Parameters
    ----------
    price
        Per power and month. [money/(power*time)]
    demand
        Highest power at the meter; the supplier counts what was drawn, not what the building could supply. [power]
    duration
        How long the demand is paid for. [time]
    """
    return price * demand * duration


def peak_power(rating: V, nodes: V, pue: V) -> V:
    """Power at the meter that nodes can reach.

    Parameters
    ----------
    rating
        Power provisioned for one node. [power]
    nodes
        Nodes. [1]
    pue
        Of the site. [1]
    """
    return rating * nodes * pue


def fixed_charge(price: V, share: V, duration: V) -> V:
    """A charge per month that does not depend on use, the run's part.

    Parameters
    ----------
    price
        Per time. [money/time]
    share
        Share of the site that the run's nodes are. [1]
    duration
        How long it is paid. [time]
    """
    return price * share * duration


def levy(bill: V, share: V) -> V:
    """A levy or tax as a share of what is billed.

    Parameters
    ----------
    bill
        What it is taken on. [money]
    share
        Of that. [1]
    """
    return bill * share
