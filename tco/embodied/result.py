"""The embodied carbon of a system by one method, with all that is needed to compare it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tco.embodied.model import LeftOut
from tco.graph import Graph, Node

UNIT = "kgCO2e"


@dataclass(frozen=True)
class ItemResult:
    """What one piece of a part is made of; in kgCO2e."""

    name: str
    value: float
    low: float
    high: float
    stage: str


@dataclass(frozen=True)
class PartResult:
    """All pieces of a part in a node, in kgCO2e; `items` are of one piece.

    Attributes
    ----------
    each, count
        Of one piece, and how many a node has.
    boundary, phase
        What of a piece is counted, and up to where in its life.
    without
        What of a piece is left out.
    """

    name: str
    count: float
    each: float
    value: float
    low: float
    high: float
    boundary: str
    phase: str
    items: tuple[ItemResult, ...]
    without: tuple[str, ...] = ()


@dataclass(frozen=True)
class Result:
    """Embodied carbon of one system by one method, in kgCO2e.

    Attributes
    ----------
    system, method, version, source
        What was assessed, and how.
    value, low, high
        Of all parts that the method can calculate. The range takes every coefficient at its worst.
    boundary, phase
        What is counted, and up to where in the life cycle.
    phases
        The value by stage of the life cycle, as far as it can be told.
    parts
        What it is the sum of.
    left_out
        Parts that the method cannot calculate, each with the reason.
    never_counts
        What the method never counts.
    graph
        The calculation: every input with its source.
    """

    system: str
    title: str
    method: str
    version: str
    source: str
    counts: str
    value: float
    low: float
    high: float
    boundary: str
    phase: str
    phases: Mapping[str, float]
    parts: tuple[PartResult, ...]
    left_out: tuple[LeftOut, ...]
    never_counts: tuple[str, ...]
    graph: Graph = field(repr=False, compare=False)

    @property
    def unit(self) -> str:
        """Unit of all values."""
        return UNIT

    @property
    def inputs(self) -> dict[str, Node]:
        """All inputs by name; ``node.given`` holds range, source and whether it is assumed."""
        return {node.name: node for node in self.graph.inputs()}

    def part(self, name: str) -> PartResult | None:
        """The part of this name, or None where the method leaves it out."""
        return next((part for part in self.parts if part.name == name), None)

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, as in schema ``tco.embodied/1``."""
        return {
            "method": self.method,
            "version": self.version,
            "source": self.source,
            "counts": self.counts,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "unit": UNIT,
            "boundary": self.boundary,
            "phase": self.phase,
            "phases": dict(self.phases),
            "parts": [
                {
                    "name": part.name,
                    "count": part.count,
                    "each": part.each,
                    "value": part.value,
                    "low": part.low,
                    "high": part.high,
                    "boundary": part.boundary,
                    "phase": part.phase,
                    "without": list(part.without),
                    "items": [vars(item) for item in part.items],
                }
                for part in self.parts
            ],
            "left_out": [{"part": entry.part, "reason": entry.reason} for entry in self.left_out],
            "never_counts": list(self.never_counts),
            "inputs": {
                name: {
                    "value": node.value,
                    "unit": node.unit,
                    "low": node.given.low if node.given else None,
                    "high": node.given.high if node.given else None,
                    "label": node.label,
                    "source": node.given.source.model_dump(exclude_none=True)
                    if node.given and node.given.source
                    else None,
                    **({"note": node.given.note} if node.given and node.given.note else {}),
                }
                for name, node in self.inputs.items()
            },
        }
