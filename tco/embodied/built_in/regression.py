"""Regression: boards by a line through published footprints over memory, servers by counts of their parts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tco import catalog
from tco.embodied.built_in import shared
from tco.embodied.model import Assessment, Item, LeftOut, Piece
from tco.embodied.workbench import Workbench
from tco.formulas import embodied
from tco.graph import Input, Node
from tco.operations import maximum
from tco.provenance import Source
from tco.records.figure import Figure
from tco.records.system import Accelerator, System
from tco.units import Q

#: Kinds that the base of the server model holds already.
_IN_BASE = {
    "motherboard",
    "psu",
    "chassis-rack",
    "chassis-1u",
    "chassis-2u",
    "chassis-blade",
    "assembly",
    "circuit-board",
}


@dataclass(frozen=True)
class Regression:
    """The method ``regression``."""

    name: str = "regression"
    version: str = "1"
    title: str = "Linear models of published footprints: boards by memory, servers by counts of parts"
    source: str = "published board footprints of the catalogue; Cloud Carbon Footprint, after Teads"
    counts: str = "what the footprints count that the lines were fitted to"
    never_counts: tuple[str, ...] = ("what distinguishes one board or server of a size from another", "use")

    def assess(self, system: System, bench: Workbench) -> Assessment:
        """Boards one by one, all other parts together as one server."""
        pieces: list[Piece] = []
        left_out: list[LeftOut] = []
        for part in system.parts:
            record = shared.accelerator_of(part)
            if record is not None:
                found = _board(bench, part.name, part.count, record)
                (pieces if isinstance(found, Piece) else left_out).append(found)  # type: ignore[arg-type]
            elif part.gap is not None:
                left_out.append(LeftOut(part.name, part.gap))
            elif part.component is None or part.component.kind in ("switch", "rack", "building", "battery", "nic"):
                left_out.append(LeftOut(part.name, "the server model has no term for it"))
        server = _server(bench, system)
        if server is not None:
            pieces.append(server)
        else:
            known = {entry.part for entry in left_out} | {piece.part for piece in pieces}
            left_out += [LeftOut(p.name, "no CPU is listed to count") for p in system.parts if p.name not in known]
        return Assessment(tuple(pieces), tuple(left_out))


@dataclass(frozen=True)
class Line:
    """A line through published boards: base, per GB, and how far the boards lie from it (ratios)."""

    base_kg: float
    kg_per_gb: float
    low: float
    high: float
    smallest_gb: float
    largest_gb: float
    boards: tuple[str, ...]


@lru_cache(maxsize=1)
def board_line() -> Line:
    """The least-squares line through all published boards of the catalogue, over the memory that they carry."""
    sizes, carbon, boards = [], [], []
    for name in catalog.names().accelerators:
        record = catalog.accelerator(name)
        figures = [record.embodied] if record.embodied else []
        for figure in (*figures, *record.also_published):
            if record.memory is not None and figure.boundary == "board" and figure.basis == "published":
                sizes.append(float(record.memory.quantity("GB").magnitude))
                carbon.append(float(figure.quantity("kgCO2e").magnitude))
                boards.append(f"{name} {carbon[-1]:g} kg")
    x, y = np.array(sizes), np.array(carbon)
    slope, base = np.polyfit(x, y, 1)
    off = y / (base + slope * x)
    span = (float(x.min()), float(x.max()))
    return Line(float(base), float(slope), float(off.min()), float(off.max()), *span, tuple(boards))


def _board(bench: Workbench, part: str, count: float, record: Accelerator) -> Piece | LeftOut:
    if record.memory is None:
        return LeftOut(part, f"the memory of {record.name} is not known")
    line = board_line()
    size_gb = float(record.memory.quantity("GB").magnitude)
    if not line.smallest_gb <= size_gb <= line.largest_gb:
        return _board_and_memory(bench, part, count, record.memory, line)
    source = Source(title=f"Least squares over {len(line.boards)} published boards", where="; ".join(line.boards))
    size = bench.figure(f"system.{part}.memory", record.memory, "GB", f"Memory of one {part}")

    def _fitted(
        name: str, value: float, unit: str, label: str, low: float | None = None, high: float | None = None
    ) -> Node:
        given = Input(source=source, assumed=True, low=low, high=high)
        return bench.graph.input(f"embodied.regression.{name}", Q(value, unit), unit, label, given)

    base = _fitted("base", line.base_kg, "kgCO2e", "Board of a line through published boards, without memory")
    slope = _fitted("per_memory", line.kg_per_gb, "kgCO2e/GB", "Slope of that line")
    off = _fitted("spread", 1.0, "1", "How far the published boards lie from that line", line.low, line.high)
    item = Item("as fitted", embodied.base_and_size(base, size, slope) * off, by=embodied.base_and_size)
    return Piece(part, count, (item,), "board", "not stated")


def _board_and_memory(bench: Workbench, part: str, count: float, memory: Figure, line: Line) -> Piece:
    """A board outside of what the line was fitted to: a published board without memory, and memory by its share."""
    size = bench.figure(f"system.{part}.memory", memory, "GB", f"Memory of one {part}")
    per = bench.coefficient("embodied.hbm", catalog.factor("hbm"), "kgCO2e/GB", "Stacked memory, per capacity")
    board = bench.coefficient(
        "embodied.board_without_memory",
        catalog.factor("board_without_memory"),
        "kgCO2e",
        "Accelerator board without its memory",
    )
    items = (
        Item("memory", embodied.of_size(size, per), by=embodied.of_size),
        Item("board without memory", board, by=embodied.board_with_memory),
    )
    span = f"boards of {line.smallest_gb:g} to {line.largest_gb:g} GB, which the line was fitted to"
    return Piece(part, count, items, "board", without=(f"the line itself: {size.value:g} GB lie outside of {span}",))


def _server(bench: Workbench, system: System) -> Piece | None:
    """All parts of a node but its accelerators, by the counts of its CPUs, drives and memory; None without a CPU."""
    counts = {"cpu": 0.0, "hdd": 0.0, "ssd": 0.0}
    memory: Node | None = None
    for part in system.parts:
        component = part.component
        if component is None:
            continue
        if component.kind in counts:
            counts[component.kind] += part.count
        if component.kind == "ram" and component.capacity is not None:
            size = bench.figure(
                f"system.{part.name}.capacity", component.capacity, "GB", f"Capacity of one {part.name}"
            )
            size = size * bench.number(
                f"system.{part.name}.count", part.count, f"{part.name} in a node", "hardware record"
            )
            memory = size if memory is None else memory + size
    if not counts["cpu"]:
        return None

    def _each(key: str) -> Node:
        return bench.row(f"embodied.server.{key}", "regression", "piece", key, "kgCO2e", f"Server model: {key}")

    items = [Item("base", _each("base"))]
    for name, key, count in (
        ("extra CPUs", "extra-cpu", counts["cpu"] - 1),
        ("hdd", "hdd", counts["hdd"]),
        ("ssd", "ssd", counts["ssd"]),
    ):
        if count > 0:
            of_it = bench.number(f"system.{key}.counted", count, f"Server model: {name}", "hardware record")
            items.append(Item(name, embodied.of_size(of_it, _each(key)), by=embodied.of_size))
    if memory is not None:
        items.append(Item("memory", _memory(bench, memory), by=embodied.of_size))
    return Piece("server", 1, tuple(items), "host" if system.accelerator is not None else "node")


def _memory(bench: Workbench, memory: Node) -> Node:
    held = bench.row("embodied.server.memory_in_base", "regression", "memory_in_base", None, "GB", "Memory in the base")
    per = bench.row("embodied.server.memory", "regression", "memory", None, "kgCO2e/GB", "Server model: memory")
    return embodied.of_size(maximum(memory - held, memory * 0), per)


METHOD = Regression()
