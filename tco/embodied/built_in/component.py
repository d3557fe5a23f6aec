"""Component: a fixed part and a part by size for each component, with Boavizta's coefficients."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tco.embodied.built_in import shared
from tco.embodied.built_in.gpu_board import gpu_board
from tco.embodied.built_in.shared import Calculated
from tco.embodied.model import Assessment, Item, LeftOut, Piece
from tco.embodied.workbench import Workbench
from tco.formulas import embodied
from tco.graph import Node
from tco.records.system import Component, Part, System

#: Kinds whose carbon is one figure a piece, and the file and table that has it.
_PIECES = {
    "hdd": ("components", "piece"),
    "motherboard": ("components", "piece"),
    "chassis-rack": ("components", "piece"),
    "assembly": ("components", "piece"),
    "nic": ("facility", None),
    "switch": ("facility", None),
    "chassis-1u": ("facility", None),
    "chassis-2u": ("facility", None),
}


@dataclass(frozen=True)
class Components:
    """The method ``component``."""

    name: str = "component"
    version: str = "coefficients of boaviztapi 2.4.1"
    title: str = "Component model of servers and GPU boards, Boavizta's coefficients"
    source: str = "boaviztapi documentation; GreenSKU for network, chassis and racks; ARCHER2 for switches"
    counts: str = "whole components, each a fixed part and a part by area, capacity or mass"
    never_counts: tuple[str, ...] = ("fans, cables, riser cards unless a record lists them", "use")

    def assess(self, system: System, bench: Workbench) -> Assessment:
        """The parts that are components, and accelerator boards that somebody took apart."""
        return shared.by_part(system, lambda part: _piece(bench, part, system))


def _fixed(bench: Workbench, kind: str) -> Node:
    file, table = _PIECES.get(kind, ("components", "piece"))
    if table is None:
        return bench.row(f"embodied.{kind}", file, kind, None, "kgCO2e", f"One {kind}")
    return bench.row(f"embodied.component.{kind}", file, table, kind, "kgCO2e", f"{kind}, fixed part")


def _cpu(bench: Workbench, part: str, component: Component, system: System) -> list[Item] | str:
    if component.package is None:
        return "the area of its dies is not known"
    area = shared.total_die_area(bench, part, component.package)
    per = bench.row(
        "embodied.component.die.cpu", "components", "die", "cpu", "kgCO2e/cm**2", "CPU, per area of its dies"
    )
    node = embodied.base_and_size(_fixed(bench, "cpu"), area, per)
    return [Item("cpu", node, by=embodied.base_and_size)]


def _memory(bench: Workbench, part: str, component: Component, system: System) -> list[Item] | str:
    if component.capacity is None:
        return "its capacity is not known"
    kind = component.kind
    file, figure = {"ram": ("memory", "density_default"), "ssd": ("storage", "density")}[kind]
    size = bench.figure(f"system.{part}.capacity", component.capacity, "GB", f"Capacity of one {part}")
    name, label = f"system.{part}.density", f"Capacity per area of the dies of {part}"
    if component.density is not None:
        density = bench.figure(name, component.density, "GB/cm**2", label)
    else:
        density = bench.row(name, file, figure, None, "GB/cm**2", f"{label}, mean of what is published")
    per = bench.row(f"embodied.component.die.{kind}", "components", "die", kind, "kgCO2e/cm**2", f"{kind}, per area")
    node = embodied.memory_of_density(_fixed(bench, kind), size, density, per)
    return [Item("memory", node, by=embodied.memory_of_density)]


def _piece_of(bench: Workbench, part: str, component: Component, system: System) -> list[Item] | str:
    return [Item(component.kind, _fixed(bench, component.kind))]


def _blade(bench: Workbench, part: str, component: Component, system: System) -> list[Item] | str:
    slots = bench.row("embodied.component.slots", "components", "enclosure_slots", None, "1", "Blades in an enclosure")
    node = embodied.share_of_enclosure(_fixed(bench, "chassis-blade"), _fixed(bench, "blade-enclosure"), slots)
    return [Item("chassis-blade", node, by=embodied.share_of_enclosure)]


def _supply(bench: Workbench, part: str, component: Component, system: System) -> list[Item] | str:
    if component.mass is None:
        return "its mass is not known"
    mass = bench.figure(f"system.{part}.mass", component.mass, "kg", f"Mass of one {part}")
    per = bench.row("embodied.component.mass.psu", "components", "mass", "psu", "kgCO2e/kg", "Power supply, per mass")
    return [Item("psu", embodied.of_size(mass, per), by=embodied.of_size)]


def _circuit_board(bench: Workbench, part: str, component: Component, system: System) -> list[Item] | str:
    if component.area is None:
        return "its area is not known"
    area = bench.figure(f"system.{part}.area", component.area, "cm**2", f"Area of one {part}")
    per = bench.row(
        "embodied.component.die.circuit-board",
        "components",
        "die",
        "circuit-board",
        "kgCO2e/cm**2",
        "Circuit board, per area",
    )
    return [Item("board", embodied.of_size(area, per), by=embodied.of_size)]


def _battery(bench: Workbench, part: str, component: Component, system: System) -> list[Item] | str:
    if component.energy is None:
        return "its capacity is not known"
    kind = component.technology or "NMC"
    size = bench.figure(f"system.{part}.energy", component.energy, "kWh", f"Capacity of one {part}")
    per = bench.row(f"embodied.battery.{kind}", "components", "battery", kind, "kgCO2e/kWh", f"Battery, {kind}")
    return [Item("battery", embodied.of_size(size, per), by=embodied.of_size)]


def _rack(bench: Workbench, part: str, component: Component, system: System) -> list[Item] | str:
    whole = bench.row("embodied.rack", "facility", "rack", None, "kgCO2e", "One rack")
    longer = bench.row("embodied.rack.lifetime", "facility", "rack_lifetime", None, "year", "Life of a rack")
    node = embodied.share_of_longer_life(whole, shared.lifetime(bench, system), longer)
    return [Item("rack", node, by=embodied.share_of_longer_life)]


def building_share(bench: Workbench, power: Node, system: System) -> Node:
    """The share of the building that a power of IT takes up during the life of a node."""
    per = bench.row("embodied.building", "facility", "building", None, "kgCO2e/kW", "Building with power and cooling")
    longer = bench.row(
        "embodied.building.lifetime", "facility", "building_lifetime", None, "year", "Life of the building"
    )
    return embodied.share_of_longer_life(embodied.of_size(power, per), shared.lifetime(bench, system), longer)


def _building(bench: Workbench, part: str, component: Component, system: System) -> list[Item] | str:
    if component.power is None:
        return "the power that it supplies is not known"
    power = bench.figure(f"system.{part}.power", component.power, "kW", f"IT power supplied for one {part}")
    return [Item("building", building_share(bench, power, system), by=embodied.share_of_longer_life)]


_BY_KIND: dict[str, Callable[[Workbench, str, Component, System], list[Item] | str]] = {
    "cpu": _cpu,
    "ram": _memory,
    "ssd": _memory,
    "psu": _supply,
    "chassis-blade": _blade,
    "circuit-board": _circuit_board,
    "battery": _battery,
    "rack": _rack,
    "building": _building,
    **dict.fromkeys(_PIECES, _piece_of),
}


def _piece(bench: Workbench, part: Part, system: System) -> Calculated:
    unknown = shared.nothing_known(part)
    if unknown is not None:
        return unknown
    if part.die is not None or part.memory is not None:
        return LeftOut(part.name, "its record states coefficients of its own, which are not those of this method")
    record = shared.accelerator_of(part)
    if record is not None:
        items = gpu_board(bench, part.name, record)
        if isinstance(items, str):
            return LeftOut(part.name, items)
        return Piece(part.name, part.count, tuple(items), "board", "cradle-to-grave without use")
    component = part.component
    assert component is not None
    found = _BY_KIND[component.kind](bench, part.name, component, system)
    if isinstance(found, str):
        return LeftOut(part.name, found)
    return Piece(part.name, part.count, tuple(found), "node+building" if component.kind == "building" else "module")


METHOD = Components()
