"""Energy: from what was measured to the utility meter.

The chain is boards -> node (DC) -> node (AC) = IT -> facility. PUE is applied once, from IT to facility.
"""

from __future__ import annotations

from tco.operations import V


def energy_of_mean_power(power: V, count: V, duration: V) -> V:
    """Energy of devices that draw a mean power for a time.

    Parameters
    ----------
    power
        Mean power of one device, or of all with a count of 1. [power]
    count
        Devices that draw it. [1]
    duration
        How long. [time]
    """
    return power * count * duration


def rated_power(rating: V, share: V) -> V:
    """Mean power of a device from its rating.

    Parameters
    ----------
    rating
        Thermal design power of one device. [power]
    share
        Mean power over rating while the run lasts. [1]

    Notes
    -----
    The weakest way to an energy: for a training node, published estimates from ratings are off by 27 to 37 %.

    References
    ----------
    Newkirk et al. 2025, "Empirically-calibrated H100 node power models", arXiv 2506.14551, abstract.
    """
    return rating * share


def node_energy_by_ratio(board_energy: V, overhead: V) -> V:
    """Energy at the AC inlet of a node from that of its accelerator boards, by one ratio.

    Parameters
    ----------
    board_energy
        Energy of all boards of the node. [energy]
    overhead
        Node at its AC inlet over the sum of its boards: host, fans, power supplies. [1]
    """
    return board_energy * overhead


def node_energy(
    board_energy: V,
    fixed_power: V,
    nodes: V,
    duration: V,
    follow: V,
    psu_efficiency: V,
) -> V:
    """Energy at the AC inlet of nodes: a fixed part, a part that follows the boards, behind power supplies.

    Parameters
    ----------
    board_energy
        Energy of all boards. [energy]
    fixed_power
        What one node draws beside its boards whatever they do, at DC. [power]
    nodes
        Nodes. [1]
    duration
        How long they were on. [time]
    follow
        DC energy that rises with the boards, over that of the boards (fans, voltage regulators), >= 1. [1]
    psu_efficiency
        DC out over AC in of the power supplies. [1]
    """
    return (board_energy * follow + fixed_power * nodes * duration) / psu_efficiency


def ac_energy(dc_energy: V, psu_efficiency: V) -> V:
    """Energy at the AC inlet of a node from that behind its power supplies.

    Parameters
    ----------
    dc_energy
        Energy at DC. [energy]
    psu_efficiency
        DC out over AC in. [1]
    """
    return dc_energy / psu_efficiency


def facility_energy(it_energy: V, pue: V) -> V:
    """Energy at the utility meter that an IT load causes.

    Parameters
    ----------
    it_energy
        Energy at the IT boundary, fans and power supplies included. [energy]
    pue
        Annual mean power usage effectiveness of the site, >= 1. [1]

    Notes
    -----
    An annual PUE applied to a short run is an estimate: the site's PUE moves with load and weather.

    References
    ----------
    ISO/IEC 30134-2, power usage effectiveness, definition of PUE.
    """
    return it_energy * pue


def energy_before_pue(energy: V, pue: V) -> V:
    """Energy without the PUE that a figure holds already: the inverse of `facility_energy`.

    Parameters
    ----------
    energy
        Energy with the PUE in it. [energy]
    pue
        The PUE that it holds. [1]
    """
    return energy / pue


def mean_power(energy: V, duration: V) -> V:
    """Mean power over a time.

    Parameters
    ----------
    energy
        Energy. [energy]
    duration
        How long, more than 0. [time]
    """
    return energy / duration
