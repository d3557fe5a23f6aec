"""What failures cost: lost work, restarts, spares."""

from __future__ import annotations

from tco.operations import V


def expected_failures(rate: V, devices: V, duration: V) -> V:
    """Failures to expect in a run.

    Parameters
    ----------
    rate
        Failures of one device per time. [1/time]
    devices
        Devices that must all work. [1]
    duration
        Of the run. [time]
    """
    return rate * devices * duration


def lost_time(failures: V, checkpoint_interval: V, restart: V) -> V:
    """Time of the whole run that failures take: half an interval of work done again, and the restart, for each.

    Parameters
    ----------
    failures
        Number of failures. [1]
    checkpoint_interval
        Between two checkpoints. [time]
    restart
        Until the run works again: detection, replacement, loading. [time]

    Notes
    -----
    Holds while failures are far apart compared with the interval.

    References
    ----------
    Young 1974, "A first order approximation to the optimum checkpoint interval", CACM 17(9), 530.
    """
    return failures * (checkpoint_interval / 2 + restart)


def lost_share(lost: V, duration: V) -> V:
    """Share of a run that is lost: cost, energy and emissions of it follow the same share.

    Parameters
    ----------
    lost
        Time lost. [time]
    duration
        Of the run. [time]
    """
    return lost / duration


def mean_time_between_failures(rate: V, devices: V) -> V:
    """Mean time between failures of a system whose devices must all work.

    Parameters
    ----------
    rate
        Failures of one device per time. [1/time]
    devices
        Devices. [1]
    """
    one = devices * 0 + 1
    return one / (rate * devices)


def spares_cost(failures: V, price: V) -> V:
    """What is replaced because it failed.

    Parameters
    ----------
    failures
        Devices that fail. [1]
    price
        Of one device. [money]
    """
    return failures * price
