"""What may be added to what: figures of one boundary, or parts that make up the next one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tco.embodied.model import EmbodiedError

if TYPE_CHECKING:
    from tco.embodied.result import Result

#: What each boundary counts, inside out.
COUNTS = {
    "die": "the dies alone",
    "package": "dies in their packages",
    "module": "a module: packages on a small board",
    "board": "an accelerator board with memory, board and heat sink",
    "host": "a node without its accelerators",
    "node": "a whole node",
    "node+building": "a whole node and its share of the building",
    "not stated": "what the source does not say",
}
#: Boundaries that are each a whole part of a node: such parts, side by side, make up a node.
_WHOLE_PARTS = {"module", "board", "host"}
#: Boundaries that count silicon and at most what it is packed in.
_SILICON = {"die", "package"}


def joined(boundaries: Iterable[str]) -> str:
    """The boundary of disjoint parts taken together.

    Raises
    ------
    EmbodiedError
        If one of them contains the others, or does not count whole parts: their sum would mean nothing.
    """
    found = list(dict.fromkeys(boundaries))
    if not found:
        raise EmbodiedError("there is nothing to add")
    if len(found) == 1:
        return found[0]
    if set(found) <= _WHOLE_PARTS:
        return "node"
    if set(found) <= _SILICON:
        return "package"
    if set(found) <= _WHOLE_PARTS | {"not stated"}:
        return "not stated"
    order = [boundary for boundary in COUNTS if boundary in found]
    raise EmbodiedError(
        f"figures of the boundaries {' and '.join(repr(boundary) for boundary in order)} must not be added: "
        f"{'; '.join(f'{b!r} counts {COUNTS[b]}' for b in order)}. Use one method for all parts"
    )


def add(results: Sequence[Result]) -> tuple[float, float, float, str]:
    """Sum of results as value, low, high (kgCO2e) and boundary.

    Raises
    ------
    EmbodiedError
        If their boundaries or phases do not fit together.
    """
    boundary = joined(result.boundary for result in results)
    phases = list(dict.fromkeys(result.phase for result in results))
    if len(phases) > 1:
        raise EmbodiedError(f"figures of the phases {' and '.join(map(repr, phases))} must not be added")
    return (
        sum(result.value for result in results),
        sum(result.low for result in results),
        sum(result.high for result in results),
        boundary,
    )
