"""Edge-aware: a good die pays for the edge of the wafer, the kerf, bad dies and lost wafers; memory by footprints."""

from __future__ import annotations

from dataclasses import dataclass

from tco import catalog
from tco.embodied.built_in import shared
from tco.embodied.built_in.shared import Calculated
from tco.embodied.fab import fab_intensity
from tco.embodied.model import Assessment, Item, LeftOut, Piece
from tco.embodied.silicon import good_die, interposer
from tco.embodied.workbench import Workbench
from tco.formulas import embodied, packaging, silicon
from tco.graph import Node
from tco.records.figure import Figure
from tco.records.system import Package, Part, System

_STORED = {"ram": ("memory", "dram"), "ssd": ("storage", "ssd"), "hdd": ("storage", "hdd")}


@dataclass(frozen=True)
class EdgeAware:
    """The method ``edge-aware``."""

    name: str = "edge-aware"
    version: str = "1"
    title: str = "Dies with edge loss, kerf, yield by defects and line yield; memory and drives by footprints"
    source: str = "ACT tables for the fab; 3D-Carbon for dies, interposers and packages; footprints for memory"
    counts: str = "good dies and what was lost for them, interposer, bonding, substrate; memory and drives by capacity"
    never_counts: tuple[str, ...] = (
        "circuit boards, heat sinks, chassis, power supplies",
        "transport, end of life, use",
    )

    def assess(self, system: System, bench: Workbench) -> Assessment:
        """The silicon of the parts."""
        return shared.by_part(system, lambda part: _piece(bench, part))


def _silicon(bench: Workbench, part: str, package: Package) -> tuple[Item, ...]:
    items = []
    for die in package.dies:
        node = shared.times(bench, good_die(bench, part, die), part, die)
        items.append(Item(die.name, node, by=silicon.good_die_carbon))
    carried = shared.total_die_area(bench, part, package)
    if package.interposer or package.interposer_area is not None:
        carried, carbon = interposer(bench, part, package)
        items.append(Item("interposer", carbon, by=silicon.good_die_carbon))
    if package.bonding is not None:
        items.append(_bonding_loss(bench, part, package, [item.node for item in items]))
    return (*items, _substrate(bench, part, package, carried))


def _bonding_loss(bench: Workbench, part: str, package: Package, nodes: list[Node]) -> Item:
    total = nodes[0]
    for node in nodes[1:]:
        total = total + node
    kind = package.bonding
    holds = bench.row(f"embodied.bonding.{kind}", "packaging", "bonding_yield", kind, "1", f"Bonds that hold, {kind}")
    bonds = bench.number(
        f"system.{part}.bonds", sum(die.count for die in package.dies), "Dies to bond", "hardware record"
    )
    return Item("bonding loss", packaging.bonded(total, holds, bonds) - total, by=packaging.bonded)


def _substrate(bench: Workbench, part: str, package: Package, carried: Node) -> Item:
    if package.area is not None:
        area = bench.figure(f"system.{part}.package.area", package.area, "cm**2", f"Substrate of one {part}")
    else:
        scale = bench.row(
            "embodied.package.scale", "packaging", "area_scale", "package", "1", "Substrate over what it carries"
        )
        area = packaging.carrier_area(carried, scale)
    energy = bench.row(
        "embodied.package.energy",
        "packaging",
        "package_energy",
        "fcbga",
        "kWh/cm**2",
        "Electricity of a substrate, FCBGA",
    )
    return Item("package", packaging.package_carbon(area, energy, fab_intensity(bench)), by=packaging.package_carbon)


def _stacked_memory(bench: Workbench, part: str, capacity: Figure) -> Item:
    size = bench.figure(f"system.{part}.memory", capacity, "GB", f"Memory of one {part}")
    name, label = "embodied.hbm", "Stacked memory, per capacity"
    if bench.options.hbm is None:
        per = bench.coefficient(name, catalog.factor("hbm"), "kgCO2e/GB", label)
    else:
        per = bench.row(name, "memory", "hbm", bench.options.hbm, "kgCO2e/GB", label)
    return Item("memory", embodied.of_size(size, per), by=embodied.of_size)


def _piece(bench: Workbench, part: Part) -> Calculated:
    unknown = shared.nothing_known(part)
    if unknown is not None:
        return unknown
    if part.die is not None or part.memory is not None:
        return shared.as_given(bench, part)
    record = shared.accelerator_of(part)
    if record is not None:
        if record.package is None:
            return LeftOut(part.name, f"the dies of {record.name} are not known")
        items = _silicon(bench, part.name, record.package)
        if record.memory is not None:
            items = (*items, _stacked_memory(bench, part.name, record.memory))
        return Piece(part.name, part.count, items, "package", without=("board, heat sink",))
    component = part.component
    assert component is not None
    if component.package is not None:
        return Piece(part.name, part.count, _silicon(bench, part.name, component.package), "package")
    if component.kind not in _STORED:
        return LeftOut(part.name, f"a {component.kind} is no silicon that this method counts")
    if component.capacity is None:
        return LeftOut(part.name, "its capacity is not known")
    file, figure = _STORED[component.kind]
    size = bench.figure(f"system.{part.name}.capacity", component.capacity, "GB", f"Capacity of one {part.name}")
    per = bench.row(f"embodied.{component.kind}", file, figure, None, "kgCO2e/GB", f"{component.kind} by capacity")
    item = Item("memory", embodied.of_size(size, per), by=embodied.of_size)
    return Piece(part.name, part.count, (item,), "package")


METHOD = EdgeAware()
