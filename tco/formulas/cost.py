"""Cost of a run by the method ``amortised``: the share of what was bought, and what was used up."""

from __future__ import annotations

from tco.operations import V


def amortised(price: V, pieces: V, share: V) -> V:
    """Straight-line share of an acquisition price, no residual value, no interest.

    Parameters
    ----------
    price
        Of one piece. [money]
    pieces
        Pieces charged to the run. [1]
    share
        Share of their life that the run takes, see `tco.formulas.embodied.life_share`. [1]
    """
    return price * pieces * share


def network_cost(node_cost: V, network_share: V) -> V:
    """Cost of the network between nodes, from its share of nodes and network together.

    Parameters
    ----------
    node_cost
        Cost of the nodes alone. [money]
    network_share
        Share of the network in the sum, at least 0 and less than 1. [1]

    References
    ----------
    Cottier et al. 2024, "The rising costs of training frontier AI models", arXiv 2405.21015, cluster interconnect.
    """
    return node_cost * network_share / (1 - network_share)


def building_cost(per_power: V, rating: V, nodes: V, share: V) -> V:
    """Share of the building with its power and cooling, by the power provisioned in it.

    Parameters
    ----------
    per_power
        Construction cost per provisioned IT power. [money/power]
    rating
        Power provisioned for one node; not what it uses. [power]
    nodes
        Nodes charged to the run. [1]
    share
        Share of the building's life that the run takes. [1]
    """
    return per_power * rating * nodes * share


def maintenance_cost(hardware_cost: V, rate: V) -> V:
    """Maintenance of the nodes, as a share of their amortised cost.

    Parameters
    ----------
    hardware_cost
        Amortised cost of the nodes. [money]
    rate
        Maintenance over amortised cost. [1]
    """
    return hardware_cost * rate


def energy_cost(facility_energy: V, tariff: V) -> V:
    """The energy part of the electricity bill.

    Parameters
    ----------
    facility_energy
        Energy at the utility meter. [energy]
    tariff
        Delivered price: energy, grid fees and levies. [money/energy]
    """
    return facility_energy * tariff


def exchanged(money: V, rate: V) -> V:
    """Money in another currency.

    Parameters
    ----------
    money
        Amount. [money of one currency]
    rate
        How much of the other currency one unit buys, at a stated date. [money/money]
    """
    return money * rate
