"""Good dies on a workbench: edge of the wafer, kerf, yield by model, wafers lost; and the interposer they lie on."""

from __future__ import annotations

from collections.abc import Callable

from tco.embodied.built_in import shared
from tco.embodied.fab import defect_density, fab_intensity
from tco.embodied.model import EmbodiedError, NotCoveredError
from tco.embodied.workbench import Workbench
from tco.errors import did_you_mean
from tco.formulas import packaging, silicon
from tco.graph import Node
from tco.records.system import Package, PackageDie

YieldModel = Callable[[Workbench, Node, Node], Node]


def _negative_binomial(bench: Workbench, area: Node, defects: Node) -> Node:
    clustering = bench.row("embodied.clustering", "fab", "clustering", None, "1", "Clustering of defects")
    return silicon.negative_binomial(area, defects, clustering)


def _bose_einstein(bench: Workbench, area: Node, defects: Node) -> Node:
    layers = bench.graph.input("embodied.critical_layers", None, "1", "Critical layers of the process")
    return silicon.bose_einstein(area, defects / layers, layers)


#: Yield models by name; each takes the area of the die and the defects per area.
YIELD_MODELS: dict[str, YieldModel] = {
    "poisson": lambda bench, area, defects: silicon.poisson(area, defects),
    "murphy": lambda bench, area, defects: silicon.murphy(area, defects),
    "murphy-rectangular": lambda bench, area, defects: silicon.murphy_rectangular(area, defects),
    "seeds": lambda bench, area, defects: silicon.seeds(area, defects),
    "moore": lambda bench, area, defects: silicon.moore(area, defects),
    "negative-binomial": _negative_binomial,
    "bose-einstein": _bose_einstein,
}


def wafer(bench: Workbench) -> tuple[Node, Node]:
    """Diameter and area of the wafer."""
    diameter = bench.row("embodied.wafer_diameter", "fab", "wafer_diameter", None, "mm", "Diameter of the wafer")
    return diameter, silicon.wafer_area(diameter)


def whole_dies(bench: Workbench, area: Node, what: str) -> Node:
    """Whole dies on a wafer.

    Raises
    ------
    NotCoveredError
        If not one fits by the usual count: such a part is cut from a wafer of its own.
    """
    diameter, _ = wafer(bench)
    kerf = bench.row("embodied.kerf", "fab", "kerf", None, "mm", "Width of the cut between dies")
    dies = silicon.whole_dies(silicon.dies_classic(silicon.with_kerf(area, kerf), diameter))
    if float(dies.quantity.magnitude) < 1:
        raise NotCoveredError(
            f"{what} of {area.quantity.m_as('mm**2'):,.0f} mm2 leaves no whole die on a wafer of "
            f"{diameter.quantity.m_as('mm'):g} mm; for a die that takes a wafer of its own, state its yield: "
            "spare parts on it, not chance, decide how many are good"
        )
    return dies


def good_die(bench: Workbench, part: str, die: PackageDie) -> Node:
    """The carbon of one good die.

    Notes
    -----
    A die with a stated yield that no wafer holds twice is charged its whole wafer.
    """
    area, per_area = shared.die_area(bench, part, die), shared.die_per_area(bench, die)
    _, processed = wafer(bench)
    what = f"part '{part}': {die.name}"
    good = shared.stated_yield(bench, part, die)
    if good is not None and _takes_a_wafer(bench, area, what):
        dies = bench.number(f"system.{part}.{die.name}.per_wafer", 1, "Dies on a wafer", "a die of wafer size")
    else:
        dies = whole_dies(bench, area, what)
    if good is None:
        good = modelled_yield(bench, area, float(die.node.quantity("nm").magnitude))
    line = bench.row("embodied.line_yield", "fab", "line_yield", None, "1", "Wafers that come out of the line")
    return silicon.good_die_carbon(per_area, processed, dies, good, line)


def _takes_a_wafer(bench: Workbench, area: Node, what: str) -> bool:
    diameter, processed = wafer(bench)
    if float((area.quantity / processed.quantity).m_as("")) > 1:
        raise EmbodiedError(f"{what} of {area.quantity.m_as('mm**2'):,.0f} mm2 is larger than the wafer")
    return float(silicon.dies_classic(area, diameter).quantity.m_as("")) < 1


def check_yield_model(name: str) -> None:
    """Refuse a yield model that there is not."""
    if name not in YIELD_MODELS:
        known = ", ".join(YIELD_MODELS)
        raise EmbodiedError(f"the yield model '{name}' is not known{did_you_mean(name, YIELD_MODELS)} (known: {known})")


def modelled_yield(bench: Workbench, area: Node, node_nm: float) -> Node:
    """Share of good dies by the yield model that the user chose."""
    name, label = f"embodied.fab.{node_nm:g}nm.defects", f"Defects per area, {node_nm:g} nm"
    defects = bench.stated(name, "1/cm**2", label)
    if defects is None:
        defects = bench.coefficient(name, defect_density(node_nm), "1/cm**2", label)
    return YIELD_MODELS[bench.options.yield_model](bench, area, defects)


def interposer(bench: Workbench, part: str, package: Package) -> tuple[Node, Node]:
    """Area and carbon of the silicon interposer of a package."""
    if package.interposer_area is not None:
        area = bench.figure(
            f"system.{part}.interposer.area", package.interposer_area, "cm**2", "Area of the interposer"
        )
    else:
        scale = bench.row(
            "embodied.interposer.scale", "packaging", "area_scale", "interposer", "1", "Interposer over dies"
        )
        area = packaging.carrier_area(shared.total_die_area(bench, part, package), scale)
    energy = bench.row(
        "embodied.interposer.energy",
        "packaging",
        "interposer_energy",
        None,
        "kWh/cm**2",
        "Electricity of an interposer",
    )
    material = bench.row(
        "embodied.interposer.material",
        "packaging",
        "interposer_material",
        None,
        "gCO2e/cm**2",
        "Materials of an interposer",
    )
    defects = bench.row(
        "embodied.interposer.defects", "packaging", "interposer_defects", None, "1/cm**2", "Defects of an interposer"
    )
    clustering = bench.row(
        "embodied.interposer.clustering", "packaging", "interposer_clustering", None, "1", "Clustering of its defects"
    )
    _, processed = wafer(bench)
    per_area = silicon.carbon_per_area(fab_intensity(bench), energy, material * 0, material)
    dies = whole_dies(bench, area, f"part '{part}': an interposer")
    line = bench.row("embodied.line_yield", "fab", "line_yield", None, "1", "Wafers that come out of the line")
    good = silicon.negative_binomial(area, defects, clustering)
    return area, silicon.good_die_carbon(per_area, processed, dies, good, line)
