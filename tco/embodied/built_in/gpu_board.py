"""A GPU board taken apart: Boavizta's published formula over masses and areas, term by term."""

from __future__ import annotations

from tco.embodied.model import Item, Stage
from tco.embodied.workbench import Workbench
from tco.formulas import embodied, silicon
from tco.graph import Node
from tco.records.system import Accelerator, Board


def gpu_board(bench: Workbench, part: str, record: Accelerator) -> list[Item] | str:
    """Items of a board, or what is not known of it.

    References
    ----------
    boaviztapi 2.4.1, model of a GPU: casing, heat sink, circuit board, die and memory by the wafer area that a good
    one takes, transport of parts and of the board, end of life.
    """
    board = record.board
    if board is None:
        return f"nobody took a {record.name} apart: masses, board area and dies of its memory are not known"
    missing = [
        name for name in ("area", "mass", "heatsink_mass", "casing_mass", "memory_dies") if getattr(board, name) is None
    ]
    missing += [name for name in ("memory",) if getattr(record, name) is None]
    if missing:
        return f"of {record.name} these are not known: {', '.join(missing)}"
    die = _effective_die(bench, part, record, board)
    if isinstance(die, str):
        return die
    items = [
        _by("die", die, bench.row(*_coefficient("die", "gpu", "kgCO2e/cm**2", "GPU, per effective area"))),
        _by("memory", _effective_memory(bench, part, record, board), bench.row(
            *_coefficient("die", "gpu-memory", "kgCO2e/cm**2", "GPU memory, per effective area"))),
        _by("board", _figure(bench, part, board, "area", "cm**2"), bench.row(
            *_coefficient("die", "circuit-board", "kgCO2e/cm**2", "Circuit board, per area"))),
    ]  # fmt: skip
    for item, field in (("heat sink", "heatsink"), ("casing", "casing")):
        per = bench.row(*_coefficient("mass", field, "kgCO2e/kg", f"{item}, per mass"))
        items.append(_by(item, _figure(bench, part, board, f"{field}_mass", "kg"), per))
    mass = _figure(bench, part, board, "mass", "kg")
    parts = bench.row(*_coefficient("mass", "transport-of-parts", "kgCO2e/kg", "Transport of parts, per mass"))
    items.append(_by("transport of parts", mass, parts, "transport"))
    items += [_moved(bench, mass, by) for by in ("truck", "ship", "plane")]
    end = bench.row(*_coefficient("mass", "end-of-life", "kgCO2e/kg", "End of life, per mass"))
    return [*items, _by("end of life", mass, end, "end of life")]


def _coefficient(table: str, key: str, unit: str, label: str) -> tuple[str, str, str, str, str, str]:
    return f"embodied.component.{table}.{key}", "components", table, key, unit, label


def _by(name: str, size: Node, per_size: Node, stage: Stage = "manufacturing") -> Item:
    return Item(name, embodied.of_size(size, per_size), stage, by=embodied.of_size)


def _figure(bench: Workbench, part: str, board: Board, field: str, unit: str) -> Node:
    words = field.replace("_", " ")
    return bench.figure(f"system.{part}.board.{field}", getattr(board, field), unit, f"Board of {part}: {words}")


def _moved(bench: Workbench, mass: Node, by: str) -> Item:
    distance = bench.row(f"embodied.component.distance.{by}", "components", "distance", by, "km", f"Distance by {by}")
    per = bench.row(*_coefficient("transport", by, "kgCO2e/(kg*km)", f"Transport by {by}"))
    node = embodied.transport_carbon(mass, distance, per)
    return Item(f"transport by {by}", node, "transport", by=embodied.transport_carbon)


def _effective_die(bench: Workbench, part: str, record: Accelerator, board: Board) -> Node | str:
    if board.effective_die_area is not None:
        return _figure(bench, part, board, "effective_die_area", "cm**2")
    if record.package is None:
        return f"the dies of {record.name} are not known"
    total: Node | None = None
    for die in record.package.dies:
        area = bench.figure(f"system.{part}.{die.name}.area", die.area, "cm**2", f"Area of one {die.name} of {part}")
        count = bench.number(
            f"system.{part}.{die.name}.count", die.count, f"{die.name} in one {part}", "hardware record"
        )
        node = effective_area(bench, area) * count
        total = node if total is None else total + node
    assert total is not None
    return total


def _effective_memory(bench: Workbench, part: str, record: Accelerator, board: Board) -> Node:
    """The model takes each stack of memory for one flat die."""
    assert record.memory is not None
    capacity = bench.figure(f"system.{part}.memory", record.memory, "GB", f"Memory of one {part}")
    per = bench.row(
        "embodied.component.memory_area", "components", "memory_area", None, "mm**2/GB", "Die area of memory"
    )
    dies = _figure(bench, part, board, "memory_dies", "1")
    return effective_area(bench, capacity * per / dies) * dies


def effective_area(bench: Workbench, area: Node) -> Node:
    """Wafer area that a good die takes, by the model's own kerf, edge and yield."""
    diameter = bench.row("embodied.wafer_diameter", "fab", "wafer_diameter", None, "mm", "Diameter of the wafer")
    kerf = bench.row("embodied.kerf", "fab", "kerf", None, "mm", "Width of the cut between dies")
    defects = bench.row(
        "embodied.component.defects", "components", "defect_density", None, "1/cm**2", "Defects per area"
    )
    cut = silicon.with_kerf(area, kerf)
    dies = silicon.dies_classic(cut, diameter)
    return silicon.effective_area(silicon.wafer_area(diameter), dies, silicon.moore(cut, defects))
