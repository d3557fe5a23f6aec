"""What a method of embodied carbon gives back, and what it must be: the contract of the plug-ins.

A plug-in is an object that satisfies `Method`, registered as an entry point of the group ``tco.embodied``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from tco.errors import TcoError
from tco.graph import Node
from tco.records.figure import EmbodiedBoundary
from tco.records.system import System

if TYPE_CHECKING:
    from tco.embodied.workbench import Workbench

#: Stages of a life that the emissions fall into; use is operational carbon and never here.
Stage = Literal["manufacturing", "transport", "end of life"]
STAGES: tuple[Stage, ...] = ("manufacturing", "transport", "end of life")


class EmbodiedError(TcoError):
    """Embodied carbon that cannot be calculated, or figures that must not be added."""


class NotCoveredError(EmbodiedError):
    """A part, or a whole system, that a method has no coefficients or no data for; another method may have."""


@dataclass(frozen=True)
class Item:
    """What one piece of a part is made of, as far as the method tells.

    Attributes
    ----------
    name
        ``die``, ``memory``, ``package``, ``board`` ...: the same word in every method, so that they can be compared.
    node
        Its emissions, as a node of the graph of the workbench.
    stage
        Where in the life it falls.
    by
        The formula that gave it.
    """

    name: str
    node: Node
    stage: Stage = "manufacturing"
    by: Callable[..., Any] | None = None


@dataclass(frozen=True)
class Piece:
    """One piece of a part of a system, by one method.

    Attributes
    ----------
    part
        Name of the part.
    count
        Pieces of it in a node.
    items
        What it is made of; they add up to the piece.
    boundary
        What of the piece is counted.
    phase
        Up to where in the life cycle, in words.
    stages
        Shares of the value by stage, where they are known and the items do not tell.
    without
        What of the piece the method leaves out, in words.
    """

    part: str
    count: float
    items: tuple[Item, ...]
    boundary: EmbodiedBoundary | Literal["not stated"]
    phase: str = "cradle-to-gate"
    stages: Mapping[Stage, float] = field(default_factory=dict)
    without: tuple[str, ...] = ()


@dataclass(frozen=True)
class LeftOut:
    """A part that the method cannot calculate, and why."""

    part: str
    reason: str


@dataclass(frozen=True)
class Assessment:
    """What a method says of a system."""

    pieces: tuple[Piece, ...]
    left_out: tuple[LeftOut, ...] = ()


class Method(Protocol):
    """A way to embodied carbon.

    Attributes
    ----------
    name, version
        What the user asks for, and the version of the model or of its coefficients.
    title
        What it is, in one line.
    source
        Where the method is published.
    counts
        What it counts, in one line.
    never_counts
        What it never counts, whatever the system.
    """

    @property
    def name(self) -> str:
        """What the user asks for."""
        ...

    @property
    def version(self) -> str:
        """Version of the model or of its coefficients."""
        ...

    @property
    def title(self) -> str:
        """What it is."""
        ...

    @property
    def source(self) -> str:
        """Where it is published."""
        ...

    @property
    def counts(self) -> str:
        """What it counts."""
        ...

    @property
    def never_counts(self) -> tuple[str, ...]:
        """What it never counts."""
        ...

    def assess(self, system: System, bench: Workbench) -> Assessment:
        """The pieces of a system, calculated on the graph of the workbench; what it cannot do is left out by name."""
        ...
