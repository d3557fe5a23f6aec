"""Packaging: substrates, interposers, the joining of dies and what is lost in it."""

from __future__ import annotations

from tco.operations import V, operate


def packages_carbon(packages: V, per_package: V) -> V:
    """Embodied carbon of packages, whatever their size.

    Parameters
    ----------
    packages
        How many. [1]
    per_package
        Emissions of one. [carbon]

    References
    ----------
    Gupta et al. 2022, ACT, ISCA 2022, packaging overhead per IC.
    """
    return packages * per_package


def package_carbon(area: V, energy: V, intensity: V) -> V:
    """Emissions of the electricity that a package, a substrate or a bonding step takes by its area.

    Parameters
    ----------
    area
        Of the package or of the bonded face. [length ** 2]
    energy
        Electricity per area. [energy / length ** 2]
    intensity
        Emission factor of that electricity. [carbon / energy]

    References
    ----------
    3D-Carbon, source code at commit 14e1a7f, packaging model.
    """
    return area * energy * intensity


def carrier_area(carried: V, scale: V) -> V:
    """Area of an interposer or a substrate from the area of what lies on it.

    Parameters
    ----------
    carried
        Area of all that it carries. [length ** 2]
    scale
        Its own area over that. [1]

    References
    ----------
    3D-Carbon, source code at commit 14e1a7f, scaling factors of substrates.
    """
    return carried * scale


def bonded(parts: V, bonding_yield: V, bonds: V) -> V:
    """Embodied carbon of bonded parts, which pay for those that are lost with a failed bond.

    Parameters
    ----------
    parts
        Emissions of all that is bonded. [carbon]
    bonding_yield
        Share of bonds that hold, more than 0 and at most 1. [1]
    bonds
        Bonds of which each must hold. [1]

    References
    ----------
    3D-Carbon, source code at commit 14e1a7f, bonding yields.
    """
    return parts / operate("power", bonding_yield, bonds)
