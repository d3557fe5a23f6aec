"""What several methods ask of a part."""

from __future__ import annotations

from collections.abc import Callable

from tco import catalog
from tco.embodied.fab import carbon_per_area
from tco.embodied.model import Assessment, Item, LeftOut, NotCoveredError, Piece
from tco.embodied.workbench import Workbench
from tco.formulas import embodied
from tco.graph import Node
from tco.records.system import Accelerator, Package, PackageDie, Part, System

Calculated = Piece | LeftOut


def by_part(system: System, calculate: Callable[[Part], Calculated]) -> Assessment:
    """A method that looks at each part by itself; what it has no coefficients for is left out by name."""

    def _tried(part: Part) -> Calculated:
        try:
            return calculate(part)
        except NotCoveredError as error:
            return LeftOut(part.name, str(error))

    found = [_tried(part) for part in system.parts]
    pieces = tuple(piece for piece in found if isinstance(piece, Piece))
    left_out = tuple(piece for piece in found if isinstance(piece, LeftOut))
    return Assessment(pieces, left_out)


def nothing_known(part: Part) -> LeftOut | None:
    """A part that no bottom-up method can calculate, or None."""
    if part.gap is not None:
        return LeftOut(part.name, part.gap)
    if part.embodied is not None and part.component is None:
        return LeftOut(part.name, "the record has a published figure of it, and nothing to calculate from")
    return None


def accelerator_of(part: Part) -> Accelerator | None:
    """The record of the accelerator that a part refers to."""
    return catalog.accelerator(part.accelerator) if part.accelerator is not None else None


def die_area(bench: Workbench, part: str, die: PackageDie) -> Node:
    """Area of a die of a part, as an input."""
    return bench.figure(f"system.{part}.{die.name}.area", die.area, "cm**2", f"Area of one {die.name} of {part}")


def die_per_area(bench: Workbench, die: PackageDie) -> Node:
    """Emissions per processed area of the process of a die."""
    return carbon_per_area(bench, float(die.node.quantity("nm").magnitude))


def stated_yield(bench: Workbench, part: str, die: PackageDie) -> Node | None:
    """Share of good dies that the user or the record states, or None."""
    name, label = f"system.{part}.{die.name}.yield", f"Share of good {die.name} of {part}"
    stated = bench.stated(name, "1", label)
    if stated is None and die.yield_ is not None:
        return bench.figure(name, die.yield_, "1", label)
    return stated


def times(bench: Workbench, node: Node, part: str, die: PackageDie) -> Node:
    """The carbon of all dies of a kind in a package."""
    if die.count == 1:
        return node
    return node * bench.number(
        f"system.{part}.{die.name}.count", die.count, f"{die.name} in one {part}", "hardware record"
    )


def total_die_area(bench: Workbench, part: str, package: Package) -> Node:
    """Area of all dies of a package."""
    areas = [times(bench, die_area(bench, part, die), part, die) for die in package.dies]
    total = areas[0]
    for area in areas[1:]:
        total = total + area
    return total


def as_given(bench: Workbench, part: Part) -> Calculated:
    """A die or a memory whose coefficients the record itself states."""
    name = f"system.{part.name}"
    if part.die is not None:
        area = bench.figure(f"{name}.area", part.die.area, "cm**2", f"Area of one {part.name}")
        per_area = bench.figure(f"{name}.per_area", part.die.per_area, "kgCO2e/cm**2", "Emissions per area")
        good = bench.figure(f"{name}.yield", part.die.yield_, "1", "Share of good dies")
        item = Item("die", embodied.die_carbon(area, per_area, good), by=embodied.die_carbon)
        return Piece(part.name, part.count, (item,), part.die.per_area.boundary or "die")
    assert part.memory is not None
    capacity = bench.figure(f"{name}.capacity", part.memory.capacity, "GB", f"Capacity of one {part.name}")
    per = bench.figure(f"{name}.per_capacity", part.memory.per_capacity, "gCO2e/GB", "Emissions per capacity")
    if part.memory.yield_ is None:
        item = Item("memory", embodied.of_size(capacity, per), by=embodied.of_size)
    else:
        good = bench.figure(f"{name}.yield", part.memory.yield_, "1", "Share of good dies")
        item = Item("memory", embodied.memory_carbon(capacity, per, good), by=embodied.memory_carbon)
    return Piece(part.name, part.count, (item,), "package")


def lifetime(bench: Workbench, system: System) -> Node:
    """Useful life of the node, as an input."""
    label = "Useful life of the nodes"
    if system.lifetime is not None:
        return bench.figure("system.lifetime", system.lifetime, "year", label)
    return bench.coefficient("system.lifetime", catalog.default("system.lifetime"), "year", label)
