"""One system by one method: calculate the parts, add up what may be added, say what is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tco import catalog
from tco.catalog.coefficients import coefficient
from tco.embodied.boundaries import joined
from tco.embodied.built_in.component import building_share
from tco.embodied.fab import fab_electricity
from tco.embodied.model import Assessment, EmbodiedError, Item, LeftOut, Method, NotCoveredError, Piece
from tco.embodied.plugins import method as method_named
from tco.embodied.result import UNIT, ItemResult, PartResult, Result
from tco.embodied.silicon import check_yield_model
from tco.embodied.workbench import Options, Workbench
from tco.graph import Graph, Input, Node
from tco.provenance import Source
from tco.records.base import load
from tco.records.system import Part, System
from tco.units import Q

_WHOLE = {"module", "board", "host"}
_TOTAL = "embodied.total"


def find_system(named: System | str | Path) -> System:
    """A system record: itself, one of the catalogue, or a file. An accelerator stands for a node with one of it.

    Raises
    ------
    RecordError
        If there is none, or the file is no record of a node.
    """
    if isinstance(named, System):
        return named
    if isinstance(named, Path):
        return load(System, named)
    record = catalog.find_accelerator(named)
    if record is not None:
        part = Part(name="accelerator", accelerator=record.name)
        return System(name=record.name, title=record.title, accelerator=record.name, devices_per_node=1, parts=(part,))
    return catalog.system(named)


def assess(
    system: System | str | Path,
    method: str | Method,
    *,
    set: Mapping[str, object] | None = None,
    options: Options | None = None,
) -> Result:
    """Embodied carbon of a node by one method.

    Parameters
    ----------
    system
        Hardware record, name of one in the catalogue, of an accelerator, or a file.
    method
        Name of a method, or a method.
    set
        Values for inputs by dotted name, as in `tco.estimate`.
    options
        What to choose for all methods: electricity of the fab, yield model, stacked memory, building.

    Raises
    ------
    TcoError
        If something given cannot be used: the message names it and what would be right.
    """
    result = calculate(find_system(system), method, set or {}, options or Options())
    result.graph.check_all_stated_used()
    return result


def calculate(record: System, method: str | Method, stated: Mapping[str, object], options: Options) -> Result:
    """As `assess`, and stated values that no input took are let pass."""
    chosen = method_named(method) if isinstance(method, str) else method
    bench = Workbench(Graph(stated), options)
    if not record.parts:
        raise EmbodiedError(f"the hardware record '{record.name}' has no parts")
    check_options(options)
    found = chosen.assess(record, bench)
    if options.building:
        found = _with_building(bench, record, found)
    return _added_up(record, chosen, bench.graph, found)


def check_options(options: Options) -> None:
    """Refuse a choice that there is not, whether or not a method asks for it."""
    fab_electricity(options.fab)
    check_yield_model(options.yield_model)
    if options.hbm is not None:
        coefficient("memory", "hbm", options.hbm)


def _with_building(bench: Workbench, system: System, found: Assessment) -> Assessment:
    """The share of the building beside a whole node; beside less than a node it would mean nothing."""
    if any(piece.boundary == "node+building" for piece in found.pieces):
        return found
    why_not = None
    if system.rating is None:
        why_not = f"the power to provision for '{system.name}' is not known"
    elif found.pieces and boundary_of(found.pieces) != "node":
        why_not = f"what is counted ({boundary_of(found.pieces)}) is no whole node"
    if system.rating is None or why_not is not None:
        return Assessment(found.pieces, (*found.left_out, LeftOut("building", why_not or "")))
    power = bench.figure("system.rating", system.rating, "kW", "Power to provision for one node")
    item = Item("building", building_share(bench, power, system))
    return Assessment((*found.pieces, Piece("building", 1, (item,), "node+building")), found.left_out)


def _added_up(system: System, method: Method, graph: Graph, found: Assessment) -> Result:
    if not found.pieces:
        raise NotCoveredError(
            f"the method '{method.name}' can calculate no part of '{system.name}': {'; '.join(reasons(found.left_out))}"
        )
    boundary = boundary_of(found.pieces)
    lines = []
    for piece in found.pieces:
        for item in piece.items:
            graph.line(_line_name(piece.part, item.name), item.node, UNIT, f"{piece.part}: {item.name}", by=item.by)
        lines.append((piece, _part_line(graph, piece)))
    total = graph.total(_TOTAL, [line for _, line in lines], UNIT, f"Embodied carbon of a node, {method.name}")
    parts = tuple(_part_result(graph, piece, line) for piece, line in lines)
    low, high = graph.range_of(total.name)
    phases = list(dict.fromkeys(piece.phase for piece in found.pieces))
    return Result(
        system=system.name,
        title=system.title or system.name,
        method=method.name,
        version=method.version,
        source=method.source,
        counts=method.counts,
        value=total.value,
        low=low,
        high=high,
        boundary=boundary,
        phase=" / ".join(phases),
        phases=_by_stage(found.pieces, parts),
        parts=parts,
        left_out=found.left_out,
        never_counts=tuple(method.never_counts),
        graph=graph,
    )


def reasons(left_out: Sequence[LeftOut]) -> tuple[str, ...]:
    """Why parts are left out, parts with the same reason together."""
    parts: dict[str, list[str]] = {}
    for entry in left_out:
        parts.setdefault(entry.reason, []).append(entry.part)
    return tuple(f"{', '.join(names)}: {reason}" for reason, names in parts.items())


def boundary_of(pieces: tuple[Piece, ...]) -> str:
    """The boundary of the parts of one node: whole parts, more than one, make up a node.

    Raises
    ------
    EmbodiedError
        If the parts must not be added.
    """
    boundaries = [piece.boundary for piece in pieces]
    buildings = [boundary for boundary in boundaries if boundary == "node+building"]
    rest = [boundary for boundary in boundaries if boundary != "node+building"]
    if buildings and rest and joined([*rest, "host"] if set(rest) <= _WHOLE else rest) == "node":
        return "node+building"
    if len(boundaries) > 1 and set(boundaries) <= _WHOLE:
        return "node"
    return joined(boundaries)


def _line_name(part: str, item: str | None = None) -> str:
    return f"embodied.parts.{part}" + (f".{item.replace(' ', '_')}" if item else "")


def _part_line(graph: Graph, piece: Piece) -> Node:
    given = Input(source=Source(title="hardware record"))
    count = graph.input(f"system.{piece.part}.count", Q(piece.count, "1"), "1", f"{piece.part} in a node", given)
    label = f"Embodied carbon of the {piece.part} of a node"
    return graph.line(_line_name(piece.part), piece_node(piece) * count, UNIT, label)


def piece_node(piece: Piece) -> Node:
    """All items of a piece together."""
    node = piece.items[0].node
    for item in piece.items[1:]:
        node = node + item.node
    return node


def _part_result(graph: Graph, piece: Piece, line: Node) -> PartResult:
    items = []
    for item in piece.items:
        name = _line_name(piece.part, item.name)
        items.append(ItemResult(item.name, graph[name].value, *graph.range_of(name), item.stage))
    low, high = graph.range_of(line.name)
    return PartResult(
        name=piece.part,
        count=graph[f"system.{piece.part}.count"].value,
        each=sum(item.value for item in items),
        value=line.value,
        low=low,
        high=high,
        boundary=piece.boundary,
        phase=piece.phase,
        items=tuple(items),
        without=piece.without,
    )


def _by_stage(pieces: tuple[Piece, ...], parts: tuple[PartResult, ...]) -> dict[str, float]:
    """The value by stage: from the items, or from the shares that a footprint states."""
    stages: dict[str, float] = {}
    for piece, part in zip(pieces, parts, strict=True):
        if piece.stages:
            shares: dict[str, float] = {str(stage): share for stage, share in piece.stages.items()}
            shares["not separated"] = 1 - sum(shares.values())
        elif all(item.stage == "manufacturing" for item in piece.items) and piece.phase != "cradle-to-gate":
            shares = {"not separated": 1.0}
        else:
            total = part.each or 1.0
            shares = {}
            for item in part.items:
                shares[item.stage] = shares.get(item.stage, 0.0) + item.value / total
        for stage, share in shares.items():
            if share > 1e-9:
                stages[stage] = stages.get(stage, 0.0) + share * part.value
    return stages
