"""Emissions of the electricity that a run uses."""

from __future__ import annotations

from tco.operations import V


def operational_carbon(facility_energy: V, intensity: V) -> V:
    """Emissions of the electricity at the utility meter.

    Parameters
    ----------
    facility_energy
        Energy at the meter, PUE in it. [energy]
    intensity
        Emission factor of the grid; its basis (direct or lifecycle) is that of the result. [carbon/energy]

    References
    ----------
    Patterson et al. 2021, "Carbon Emissions and Large Neural Network Training", arXiv 2104.10350, section 2.
    """
    return facility_energy * intensity
