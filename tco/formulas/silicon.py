"""Silicon: carbon of processed wafer area, dies on a wafer, yield, and the carbon of a good die."""

from __future__ import annotations

import math

from tco.operations import V, ceil, exp, log, maximum, minimum, operate, where


def _root(x: V) -> V:
    return operate("power", x, 1 / 2)


def carbon_per_area(intensity: V, energy: V, gases: V, materials: V) -> V:
    """Emissions per processed wafer area, before any loss.

    Parameters
    ----------
    intensity
        Emission factor of the electricity of the fab. [carbon / energy]
    energy
        Electricity per area. [energy / length ** 2]
    gases
        Direct emissions of process gases per area, after abatement. [carbon / length ** 2]
    materials
        Emissions of bought materials per area. [carbon / length ** 2]

    References
    ----------
    Gupta et al. 2022, ACT, ISCA 2022, equation for carbon per area, without its yield.
    """
    return intensity * energy + gases + materials


def between(x: V, x_0: V, y_0: V, x_1: V, y_1: V) -> V:
    """What a table says between two of its rows: the straight line through them.

    Parameters
    ----------
    x
        Where to read. [any]
    x_0
        Place of one row. [as x]
    y_0
        Its value. [any]
    x_1
        Place of another row, not equal to `x_0`. [as x]
    y_1
        Its value. [as y_0]
    """
    return y_0 + (y_1 - y_0) * ((x - x_0) / (x_1 - x_0))


def layered_energy(energy: V, per_layer: V, extra_layers: V) -> V:
    """Electricity per area of a die with another number of metal layers than its process usually has.

    Parameters
    ----------
    energy
        Of the usual stack. [energy / length ** 2]
    per_layer
        Of one metal layer. [energy / length ** 2]
    extra_layers
        Layers more (or, negative, fewer) than usual. [1]

    References
    ----------
    3D-Carbon, source code at commit 14e1a7f, embodied model of a die.
    """
    return energy + per_layer * extra_layers


def layered_gases(gases: V, energy: V, energy_with_layers: V) -> V:
    """Process gases per area of a die with another number of metal layers, in proportion to the electricity.

    Parameters
    ----------
    gases
        Of the usual stack. [carbon / length ** 2]
    energy
        Electricity of the usual stack. [energy / length ** 2]
    energy_with_layers
        Electricity of this stack, see `layered_energy`. [energy / length ** 2]

    References
    ----------
    3D-Carbon, source code at commit 14e1a7f, embodied model of a die.
    """
    return gases * (energy_with_layers / energy)


def wafer_area(diameter: V) -> V:
    """Area of a wafer.

    Parameters
    ----------
    diameter
        Of the wafer. [length]
    """
    return diameter / 2 * (diameter / 2) * math.pi


def with_kerf(area: V, kerf: V) -> V:
    """Area that a square die takes on the wafer, with the line along which it is cut out.

    Parameters
    ----------
    area
        Of the die. [length ** 2]
    kerf
        Width of the cut. [length]
    """
    side = _root(area) + kerf
    return side * side


def dies_classic(area: V, diameter: V) -> V:
    """Dies on a wafer, less those that its edge cuts: not a whole number, and negative for a die of wafer size.

    Parameters
    ----------
    area
        Of a die, kerf in it. [length ** 2]
    diameter
        Of the wafer. [length]

    Notes
    -----
    See `whole_dies` for the number to divide by.
    """
    return wafer_area(diameter) / area - diameter * math.pi / _root(area * 2)


def dies_exponential(area: V, diameter: V) -> V:
    """Dies on a wafer by the exponential edge correction: optimistic for large dies, never negative.

    Parameters
    ----------
    area
        Of a die, kerf in it. [length ** 2]
    diameter
        Of the wafer. [length]
    """
    return wafer_area(diameter) / area * exp(0 - _root(area) * 2 / diameter)


def whole_dies(count: V) -> V:
    """Whole dies of a calculated number: rounded down, never negative.

    Parameters
    ----------
    count
        As `dies_classic` gives it. [1]
    """
    return maximum(0 - ceil(0 - count), count * 0)


def poisson(area: V, defects: V) -> V:
    """Share of good dies if defects fall at random and each kills a die: exp(-x), x = area * defects.

    Parameters
    ----------
    area
        Of the die. [length ** 2]
    defects
        Defects per area. [1 / length ** 2]
    """
    return exp(0 - area * defects)


def _mean_survival(x: V) -> V:
    """(1 - exp(-x)) / x, 1 at 0; written so that no digits are lost near 0."""
    survival = exp(0 - x)
    some = operate("less", survival, 1)  # not where x is 0, or so small that exp(-x) rounds to 1
    small = operate("less", 1 - survival, survival)
    exact = 0 - log(maximum(survival, operate("add", x * 0, 1 / 2)))  # x as exp(-x) rounded it: the errors cancel
    divisor = where(small, exact, x)
    one = x * 0 + 1
    return minimum(where(some, (1 - survival) / where(some, divisor, one), one), one)


def murphy(area: V, defects: V) -> V:
    """Share of good dies if the defect density varies over a triangle: ((1 - exp(-x)) / x)**2, x = area * defects.

    Parameters
    ----------
    area
        Of the die. [length ** 2]
    defects
        Mean defects per area. [1 / length ** 2]

    References
    ----------
    Murphy 1964, "Cost-size optima of monolithic integrated circuits", Proc. IEEE 52, 1537.
    """
    share = _mean_survival(area * defects)
    return share * share


def murphy_rectangular(area: V, defects: V) -> V:
    """Share of good dies if the defect density varies over a rectangle: (1 - exp(-2 x)) / (2 x), x = area * defects.

    Parameters
    ----------
    area
        Of the die. [length ** 2]
    defects
        Mean defects per area. [1 / length ** 2]

    References
    ----------
    Murphy 1964, "Cost-size optima of monolithic integrated circuits", Proc. IEEE 52, 1537.
    """
    return _mean_survival(area * defects * 2)


def seeds(area: V, defects: V) -> V:
    """Share of good dies if the defect density varies exponentially: 1 / (1 + x), x = area * defects.

    Parameters
    ----------
    area
        Of the die. [length ** 2]
    defects
        Mean defects per area. [1 / length ** 2]

    Notes
    -----
    ACT calls it the exponential model. exp(-sqrt(x)) is called Seeds' by some, too: see `moore`.
    """
    x = area * defects
    return (x * 0 + 1) / (x + 1)


def moore(area: V, defects: V) -> V:
    """Share of good dies by exp(-sqrt(x)), x = area * defects: pessimistic for small dies.

    Parameters
    ----------
    area
        Of the die. [length ** 2]
    defects
        Mean defects per area. [1 / length ** 2]

    References
    ----------
    boaviztapi 2.4.1, model of a GPU die.
    """
    return exp(0 - _root(area * defects))


def negative_binomial(area: V, defects: V, clustering: V) -> V:
    """Share of good dies if defects cluster: (1 + x / clustering)**(-clustering), x = area * defects.

    Parameters
    ----------
    area
        Of the die. [length ** 2]
    defects
        Mean defects per area. [1 / length ** 2]
    clustering
        More than 0; 1 gives `seeds`, without end `poisson`. [1]
    """
    return operate("power", area * defects / clustering + 1, 0 - clustering)


def bose_einstein(area: V, defects_per_layer: V, layers: V) -> V:
    """Share of good dies over so many critical layers: (1 + x)**(-layers), x = area * defects_per_layer.

    Parameters
    ----------
    area
        Of the die. [length ** 2]
    defects_per_layer
        Defects per area of one critical layer. [1 / length ** 2]
    layers
        Critical layers. [1]
    """
    return operate("power", area * defects_per_layer + 1, 0 - layers)


def good_die_carbon(per_area: V, wafer: V, dies: V, die_yield: V, line_yield: V) -> V:
    """Embodied carbon of a good die, which pays for the edge of the wafer, the kerf and the dies and wafers lost.

    Parameters
    ----------
    per_area
        Emissions per processed wafer area, see `carbon_per_area`. [carbon / length ** 2]
    wafer
        Area of the wafer. [length ** 2]
    dies
        Whole dies on a wafer, at least 1. [1]
    die_yield
        Share of good dies, more than 0 and at most 1. [1]
    line_yield
        Share of wafers that come out of the line, more than 0 and at most 1. [1]

    References
    ----------
    3D-Carbon, source code at commit 14e1a7f, embodied model of a die; Ragnarsson et al. 2023, IEDM, for the line yield.
    """
    return per_area * wafer / (dies * die_yield * line_yield)


def die_and_unused_wafer(per_area: V, area: V, die_yield: V, wafer: V, dies: V) -> V:
    """Embodied carbon of a die and its share of the wafer area that no die uses, which counts as if it were all good.

    Parameters
    ----------
    per_area
        Emissions per processed wafer area. [carbon / length ** 2]
    area
        Of the die. [length ** 2]
    die_yield
        Share of good dies, more than 0 and at most 1. [1]
    wafer
        Area of the wafer. [length ** 2]
    dies
        Dies on a wafer, as `dies_classic` gives them. [1]

    References
    ----------
    ECO-CHIP, source code at commit fe998d9, CO2_func.py, Si_chip and Si_wastage_accurate_t.
    """
    return area * per_area / die_yield + (wafer - whole_dies(dies) * area) * per_area / dies


def effective_area(wafer: V, dies: V, die_yield: V) -> V:
    """Wafer area that a good die takes.

    Parameters
    ----------
    wafer
        Area of the wafer. [length ** 2]
    dies
        Dies on a wafer. [1]
    die_yield
        Share of good dies, more than 0 and at most 1. [1]

    References
    ----------
    boaviztapi 2.4.1, model of a GPU, effective die area.
    """
    return wafer / (dies * die_yield)
