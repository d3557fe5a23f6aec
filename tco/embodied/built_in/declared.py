"""Declared footprints: what vendors and studies published for a part, unchanged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tco import catalog
from tco.embodied.built_in.shared import Calculated, by_part
from tco.embodied.model import Assessment, Item, LeftOut, Piece, Stage
from tco.embodied.workbench import Workbench
from tco.formulas import embodied
from tco.graph import Node
from tco.records.figure import Figure, LifeStage
from tco.records.system import Part, System

_STAGES: Mapping[LifeStage, Stage] = {
    "materials": "manufacturing",
    "assembly": "manufacturing",
    "transport": "transport",
    "end of life": "end of life",
}
_PUBLISHED = ("measured", "published")
#: A rest of the shares that is only their rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Declared:
    """The method ``declared``."""

    name: str = "declared"
    version: str = "as published"
    title: str = "Product carbon footprints and life-cycle assessments of the parts, as published"
    source: str = "the source of each figure"
    counts: str = "what each publication counts; parts without a publication are left out"
    never_counts: tuple[str, ...] = ("use",)

    def assess(self, system: System, bench: Workbench) -> Assessment:
        """The published figures of the parts."""
        return by_part(system, lambda part: _piece(bench, part))


def _piece(bench: Workbench, part: Part) -> Calculated:
    figure, title = part.embodied, part.name
    if part.accelerator is not None:
        record = catalog.accelerator(part.accelerator)
        figure, title = record.embodied, record.name
    name, label = f"system.{part.name}.embodied", f"Embodied carbon of one {title}"
    stated = bench.stated(name, "kgCO2e", label)
    if stated is not None:
        return Piece(part.name, part.count, (Item("as stated", stated),), "not stated", "not stated")
    if figure is None:
        return LeftOut(part.name, part.gap or "nothing is published for it")
    if figure.basis not in _PUBLISHED:
        return LeftOut(part.name, f"its figure of {figure.value:g} {figure.unit} is {figure.basis}, not published")
    node = bench.figure(name, figure, "kgCO2e", label)
    stages: dict[Stage, float] = {}
    for stage, share in (figure.stages or {}).items():
        stages[_STAGES[stage]] = stages.get(_STAGES[stage], 0) + share
    boundary, phase = figure.boundary or "not stated", figure.phase or "not stated"
    return Piece(part.name, part.count, _items(bench, part, figure, node), boundary, phase, stages)


def _items(bench: Workbench, part: Part, figure: Figure, whole: Node) -> tuple[Item, ...]:
    """The figure by the shares of its components, as far as they are published."""
    shares = figure.shares or {}
    if not shares:
        return (Item("as published", whole),)
    place = str(figure.source) if figure.source else "hardware record"
    items = []
    for component, share in shares.items():
        name = f"system.{part.name}.share.{component.replace(' ', '_')}"
        of_it = bench.number(name, share, f"Share of {component} in the figure of {part.name}", place)
        items.append(Item(component, embodied.of_size(of_it, whole), by=embodied.of_size))
    rest = 1 - sum(shares.values())
    if rest > _ROUNDING:
        left = bench.number(f"system.{part.name}.share.rest", rest, "Share of the rest", "by difference")
        items.append(Item("not broken down", embodied.of_size(left, whole), by=embodied.of_size))
    return tuple(items)


METHOD = Declared()
