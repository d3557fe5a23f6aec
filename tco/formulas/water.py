"""Water: evaporated on site by cooling, and at the power plants."""

from __future__ import annotations

from tco.operations import V


def site_water(it_energy: V, wue: V) -> V:
    """Water used on site.

    Parameters
    ----------
    it_energy
        Energy at the IT boundary. [energy]
    wue
        Water usage effectiveness: water on site per IT energy. [volume/energy]

    References
    ----------
    ISO/IEC 30134-9, water usage effectiveness, definition of WUE.
    """
    return it_energy * wue


def source_water(facility_energy: V, per_energy: V) -> V:
    """Water used where the electricity is generated.

    Parameters
    ----------
    facility_energy
        Energy at the utility meter. [energy]
    per_energy
        Water per energy at the meter. [volume/energy]
    """
    return facility_energy * per_energy
