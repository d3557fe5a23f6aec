"""ACT: dies by area and process, memory and storage by capacity, one default yield, 150 g a package."""

from __future__ import annotations

from dataclasses import dataclass

from tco.embodied.built_in import shared
from tco.embodied.built_in.shared import Calculated
from tco.embodied.fab import technology
from tco.embodied.model import Assessment, Item, LeftOut, Piece
from tco.embodied.workbench import Workbench
from tco.formulas import embodied, packaging
from tco.graph import Node
from tco.records.figure import Figure
from tco.records.system import Component, Package, Part, System

_STORAGE = {"ram": ("memory", "act"), "ssd": ("storage", "act_ssd"), "hdd": ("storage", "act_hdd")}


@dataclass(frozen=True)
class Act:
    """The method ``act``."""

    name: str = "act"
    version: str = "2.0, tables of commit abc9fbb"
    title: str = "ACT, Architectural Carbon Modeling Tool"
    source: str = "Gupta et al. 2022, ISCA 2022; facebookresearch/ACT"
    counts: str = "dies at one default yield, memory and storage by capacity, 150 g a package"
    never_counts: tuple[str, ...] = (
        "edge of the wafer, kerf, wafers lost",
        "circuit boards (its coefficients are about 100 times below others), heat sinks, chassis, power supplies",
        "transport, end of life, use",
    )

    def assess(self, system: System, bench: Workbench) -> Assessment:
        """The silicon of the parts."""
        return shared.by_part(system, lambda part: _piece(bench, part))


def _yield(bench: Workbench) -> Node:
    return bench.row("embodied.act.yield", "fab", "act_yield", None, "1", "Default yield of ACT")


def _packages(bench: Workbench, part: str, packages: float) -> Item:
    each = bench.row("embodied.act.package", "packaging", "package", None, "gCO2e", "One package")
    count = bench.number(f"system.{part}.packages", packages, f"Packages of one {part}", "hardware record")
    return Item("package", packaging.packages_carbon(count, each), by=packaging.packages_carbon)


def _silicon(bench: Workbench, part: str, package: Package) -> tuple[Item, ...]:
    items = []
    for die in package.dies:
        stated = shared.stated_yield(bench, part, die)
        good = _yield(bench) if stated is None else stated
        node = embodied.die_carbon(shared.die_area(bench, part, die), shared.die_per_area(bench, die), good)
        items.append(Item(die.name, shared.times(bench, node, part, die), by=embodied.die_carbon))
    return (*items, _packages(bench, part, package.packages))


def _memory(bench: Workbench, part: str, component: Component, capacity: Figure) -> tuple[Item, ...]:
    file, table = _STORAGE[component.kind]
    figure = technology(file, table, component.technology, f"part '{part}'")
    size = bench.figure(f"system.{part}.capacity", capacity, "GB", f"Capacity of one {part}")
    per = bench.coefficient(f"system.{part}.act_per_capacity", figure, "gCO2e/GB", f"{part} by capacity")
    node = embodied.memory_carbon(size, per, _yield(bench))
    return Item("memory", node, by=embodied.memory_carbon), _packages(bench, part, component.packages)


def _stacked_memory(bench: Workbench, part: str, capacity: Figure) -> Item:
    figure = technology("memory", "act", None, part)
    size = bench.figure(f"system.{part}.memory", capacity, "GB", f"Memory of one {part}")
    per = bench.coefficient("embodied.act.stacked_memory", figure, "gCO2e/GB", "Stacked memory, as DDR4 of ACT")
    return Item("memory", embodied.memory_carbon(size, per, _yield(bench)), by=embodied.memory_carbon)


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
    if component.kind not in _STORAGE:
        return LeftOut(part.name, f"ACT has no coefficient for a {component.kind}, or none that can be right")
    if component.capacity is None:
        return LeftOut(part.name, "its capacity is not known")
    return Piece(part.name, part.count, _memory(bench, part.name, component, component.capacity), "package")


METHOD = Act()
