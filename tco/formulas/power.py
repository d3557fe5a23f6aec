"""Power of devices and networks where none was measured: by utilisation, and by what the devices do."""

from __future__ import annotations

from tco.operations import V


def dynamic_power(idle: V, maximum: V, utilisation: V) -> V:
    """Power of a device as a line from idle to its maximum.

    Parameters
    ----------
    idle
        When nothing runs. [power]
    maximum
        At full utilisation. [power]
    utilisation
        0 to 1; not the share of time with a kernel that monitoring tools print. [1]
    """
    return idle + (maximum - idle) * utilisation


def relative_utilisation(utilisation: V, reference: V) -> V:
    """Utilisation over the one at which a device draws its maximum.

    Parameters
    ----------
    utilisation
        Of the run, such as its MFU. [1]
    reference
        Of the same kind, at maximum power. [1]
    """
    return utilisation / reference


def wait_ratio(energy_share: V, time_share: V) -> V:
    """Power of a device that waits within a job over that when it is busy, from shares of many jobs.

    Parameters
    ----------
    energy_share
        Share of the energy that is used waiting. [1]
    time_share
        Share of the time that is spent waiting. [1]
    """
    waiting = energy_share / time_share
    busy = (1 - energy_share) / (1 - time_share)
    return waiting / busy


def power_by_phase(busy: V, waiting_ratio: V, idle: V, busy_share: V, waiting_share: V, idle_share: V) -> V:
    """Mean power of a device over a run, from what it does in which share of the time.

    Parameters
    ----------
    busy
        Power when it computes. [power]
    waiting_ratio
        Power when communication or a bubble holds it up, over `busy`. [1]
    idle
        Power when there is no work. [power]
    busy_share
        Share of the time in which it computes. [1]
    waiting_share
        Share of the time in which it is held up. [1]
    idle_share
        Share of the time without work; the three add up to 1. [1]
    """
    return busy * (busy_share + waiting_ratio * waiting_share) + idle * idle_share


def modelled_energy(power: V, count: V, duration: V, error: V) -> V:
    """Energy of devices or nodes from a modelled power.

    Parameters
    ----------
    power
        Modelled mean power of one. [power]
    count
        How many draw it. [1]
    duration
        How long. [time]
    error
        True over modelled energy: 1, and the published error of such models as its range. [1]
    """
    return power * count * duration * error


def network_energy(node_energy: V, share: V) -> V:
    """Energy of switches from that of the nodes.

    Parameters
    ----------
    node_energy
        Of the nodes, at their AC inlet. [energy]
    share
        Of the network in the energy of nodes and network together. [1]
    """
    return node_energy * share / (1 - share)
