"""Cost of a chip: from the price of a wafer, the dies on it and their yield, to the package.

Dies and yields are those of `tco.formulas.silicon`.
"""

from __future__ import annotations

import math

from tco.operations import V


def usable_diameter(diameter: V, edge: V) -> V:
    """Diameter of a wafer without the ring at its edge that carries no dies.

    Parameters
    ----------
    diameter
        Of the wafer. [length]
    edge
        Width of the ring. [length]
    """
    return diameter - edge * 2


def wafer_cost_per_area(wafer_price: V, diameter: V) -> V:
    """Price of a wafer over its area.

    Parameters
    ----------
    wafer_price
        Of one processed wafer. [money]
    diameter
        Of the area that counts: of the wafer, or of what is usable of it. [length]
    """
    return wafer_price / (diameter / 2 * (diameter / 2) * math.pi)


def raw_die_cost(wafer_price: V, dies: V) -> V:
    """Cost of a die before it is known whether it works.

    Parameters
    ----------
    wafer_price
        Of one processed wafer. [money]
    dies
        Dies on it. [1]
    """
    return wafer_price / dies


def good_die_cost(raw: V, die_yield: V) -> V:
    """Cost of a die that works, which pays for those that do not.

    Parameters
    ----------
    raw
        Cost of a die before test. [money]
    die_yield
        Share of good dies, more than 0 and at most 1. [1]
    """
    return raw / die_yield


def packaged_cost(dies_cost: V, package_cost: V, bonding_yield: V) -> V:
    """Cost of a chip: good dies and package, which pay for what is lost in joining them.

    Parameters
    ----------
    dies_cost
        Of all dies in the package, and of its memory. [money]
    package_cost
        Of the package. [money]
    bonding_yield
        Share of packages that survive it. [1]
    """
    return (dies_cost + package_cost) / bonding_yield


def memory_cost(capacity: V, price: V) -> V:
    """Cost of memory by its capacity.

    Parameters
    ----------
    capacity
        Of the memory. [information]
    price
        Per capacity. [money/information]
    """
    return capacity * price


def share_of_design(design_cost: V, chips: V) -> V:
    """What one chip pays of the design, masks and tape-out.

    Parameters
    ----------
    design_cost
        Non-recurring. [money]
    chips
        Chips that will be made. [1]
    """
    return design_cost / chips
