"""What contracts, lines between plant and meter, load of the plant and reuse of heat do to energy and emissions."""

from __future__ import annotations

from tco.operations import V


def contract_carbon(facility_energy: V, share: V, intensity: V) -> V:
    """Market-based emissions of the electricity that a contract covers.

    Parameters
    ----------
    facility_energy
        Energy at the utility meter. [energy]
    share
        Share of it that the contract covers, in the period it is matched by. [1]
    intensity
        Emission factor that the contract conveys. [carbon/energy]

    References
    ----------
    GHG Protocol Scope 2 Guidance (2015), market-based method.
    """
    return facility_energy * share * intensity


def uncovered(covered: V) -> V:
    """Share of the electricity that no contract covers.

    Parameters
    ----------
    covered
        Share that contracts cover, all together. [1]
    """
    return 1 - covered


def share_of_energy(delivered: V, facility_energy: V) -> V:
    """Share of the electricity that a delivery makes.

    Parameters
    ----------
    delivered
        Energy that a contract delivers for the run. [energy]
    facility_energy
        Energy at the utility meter. [energy]
    """
    return delivered / facility_energy


def grid_loss_carbon(facility_energy: V, intensity: V, losses: V) -> V:
    """Emissions of the electricity that is lost between the power plants and the meter.

    Parameters
    ----------
    facility_energy
        Energy at the utility meter. [energy]
    intensity
        Emission factor per energy generated. [carbon/energy]
    losses
        Energy lost over energy put into the lines, < 1. [1]

    Notes
    -----
    For factors per energy generated; a factor that holds the losses already must not meet this formula.

    References
    ----------
    GHG Protocol, Corporate Value Chain (Scope 3) Standard, category 3.
    """
    return facility_energy * intensity * losses / (1 - losses)


def partial_load_pue(load: V, no_load: V, proportional: V, square_law: V) -> V:
    """PUE of a site whose plant runs below its rating.

    Parameters
    ----------
    load
        IT power over the IT power that the plant is built for, > 0. [1]
    no_load
        Losses of the plant over its rating, whatever the load. [1]
    proportional
        The same, at full load, of those that rise with the load. [1]
    square_law
        The same, at full load, of those that rise with the square of the load. [1]

    References
    ----------
    Rasmussen, Electrical Efficiency Modeling for Data Centers, White Paper 113, Table 2 and its quadratic.
    """
    return (no_load + proportional * load + square_law * load * load) / load + 1


def reused_heat(facility_energy: V, factor: V) -> V:
    """Energy that the site gives to others as heat.

    Parameters
    ----------
    facility_energy
        Energy at the utility meter. [energy]
    factor
        Energy reused outside the site over the energy of the facility. [1]

    References
    ----------
    ISO/IEC 30134-6, energy reuse factor.
    """
    return facility_energy * factor


def projected_intensity(intensity: V, trend: V) -> V:
    """Grid intensity of the time of a run, from that of another year.

    Parameters
    ----------
    intensity
        Emission factor of the year of the data. [carbon/energy]
    trend
        Mean over the run of the factor of its year, over that of the year of the data. [1]
    """
    return intensity * trend
