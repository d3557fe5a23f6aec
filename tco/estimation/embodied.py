"""Embodied carbon of parts in an estimate, by a method of `tco.embodied` on the graph of the case."""

from __future__ import annotations

from tco.embodied.assessment import boundary_of, piece_node, reasons
from tco.embodied.model import Piece
from tco.embodied.plugins import method as method_named
from tco.embodied.workbench import Workbench
from tco.estimation.case import Case, Charged
from tco.graph import Node
from tco.records.system import Part, System


def _pieces(case: Case, system: System, method: str) -> tuple[tuple[Piece, ...], tuple[str, ...]]:
    found = method_named(method).assess(system, Workbench(case.graph, assumed=case.system_assumed))
    return found.pieces, reasons(found.left_out)


def _charged(piece: Piece, method: str) -> Charged:
    facts = {
        "boundary": str(piece.boundary),
        "phase": piece.phase,
        "method": f"{method}, {method_named(method).version}",
    }
    return Charged(piece.part, piece.count, piece_node(piece), facts)


def charged_by_method(case: Case, system: System, method: str) -> tuple[list[Charged], str]:
    """The parts of a node that a method can calculate, and their boundary together.

    What the method leaves out becomes a warning; where it can calculate nothing, the line is missing with the reason.
    """
    pieces, left_out = _pieces(case, system, method)
    if not pieces:
        case.miss("carbon.embodied", f"the method '{method}' does not apply to '{system.name}': {'; '.join(left_out)}")
        return [], ""
    for entry in left_out:
        case.warn("embodied-left-out", f"not in the embodied carbon by '{method}': {entry}", "carbon.embodied")
    return [_charged(piece, method) for piece in pieces], boundary_of(pieces)


def charged_by_kind(case: Case, system: System, part: Part) -> tuple[Node, dict[str, str]] | None:
    """One piece of a part that is known by its kind and size alone; None where the component method cannot do it."""
    pieces, _ = _pieces(case, system.model_copy(update={"parts": (part,)}), "component")
    if not pieces:
        return None
    charged = _charged(pieces[0], "component")
    return charged.piece, charged.facts
