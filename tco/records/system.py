"""Hardware: accelerators, and the bill of materials of a node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from tco.records.base import Record
from tco.records.costs import SystemCosts
from tco.records.fields import FigureIn, refusal
from tco.records.figure import Figure

Cooling = Literal["air", "liquid", "immersion"]
Emissions = Annotated[Figure, FigureIn("kgCO2e", at_least=0)]
Share = Annotated[Figure, FigureIn("1", above=0, at_most=1, example="0.85")]


Area = Annotated[Figure, FigureIn("cm**2", above=0, example="814 mm2")]
Mass = Annotated[Figure, FigureIn("kg", at_least=0)]

#: How dies are joined, as the tables of bonding yields call it.
Bonding = Literal["bumping-w2w", "bumping-d2w", "hybrid-w2w", "hybrid-d2w", "monolithic"]

ComponentKind = Literal[
    "cpu",
    "ram",
    "ssd",
    "hdd",
    "motherboard",
    "circuit-board",
    "psu",
    "chassis-rack",
    "chassis-blade",
    "chassis-1u",
    "chassis-2u",
    "assembly",
    "nic",
    "switch",
    "rack",
    "battery",
    "building",
]


class PackageDie(Record):
    """Dies of one kind in a package, described so that their carbon can be calculated."""

    name: str = Field(default="die", pattern=r"^[a-z][a-z0-9_-]*$")
    count: float = Field(default=1, gt=0)
    area: Area
    node: Annotated[Figure, FigureIn("nm", above=0)] = Field(description="Feature size by which the process is named.")
    yield_: Share | None = Field(
        default=None, alias="yield", description="Stated share of good dies; else the yield model of the method."
    )


class Package(Record):
    """A package: its dies, what joins them, and the substrate."""

    dies: tuple[PackageDie, ...] = Field(min_length=1)
    packages: float = Field(default=1, ge=0, description="Packages (ICs) that hold them.")
    area: Area | None = Field(default=None, description="Of the substrate; else from the area of what it carries.")
    interposer: bool = Field(default=False, description="Whether the dies lie on a silicon interposer.")
    interposer_area: Area | None = None
    bonding: Bonding | None = Field(default=None, description="How the dies are joined; else no loss in bonding.")

    @model_validator(mode="after")
    def _names_differ(self) -> Package:
        names = [die.name for die in self.dies]
        if len(set(names)) < len(names):
            raise refusal(f"each kind of die needs a name of its own; found {', '.join(names)}")
        return self


class Board(Record):
    """An accelerator board, taken apart."""

    area: Area | None = Field(default=None, description="Of the printed circuit board.")
    mass: Mass | None = None
    heatsink_mass: Mass | None = None
    casing_mass: Mass | None = None
    memory_dies: Annotated[Figure, FigureIn("1", above=0)] | None = None
    effective_die_area: Area | None = Field(
        default=None, description="Wafer area that one good set of dies takes: edge loss, kerf and yield are in it."
    )


class Component(Record):
    """A part of a server by its kind and size, from which the methods calculate its carbon."""

    kind: ComponentKind
    package: Package | None = Field(default=None, description="Of a CPU or a switch chip: its dies.")
    capacity: Annotated[Figure, FigureIn("GB", at_least=0)] | None = None
    technology: str | None = Field(default=None, description="Row of the memory and storage tables, such as ddr4_10nm.")
    density: Annotated[Figure, FigureIn("GB/cm**2", above=0)] | None = None
    packages: float = Field(default=1, ge=0, description="Packages (ICs) in one piece of memory or storage.")
    area: Area | None = None
    mass: Mass | None = None
    energy: Annotated[Figure, FigureIn("kWh", at_least=0)] | None = Field(default=None, description="Of a battery.")
    power: Annotated[Figure, FigureIn("kW", above=0)] | None = Field(
        default=None, description="IT power that the building supplies for it."
    )


class Accelerator(Record):
    """One accelerator board or module.

    Its embodied carbon is `embodied` where somebody published it; where not, it is estimated from the memory that
    it carries (see `tco.formulas.embodied.board_with_memory`). The bottom-up methods use `package` and `board`.
    """

    name: str
    title: str | None = None
    aliases: tuple[str, ...] = Field(default=(), description="Names that tools print for it.")
    tdp: Annotated[Figure, FigureIn("W", above=0)] | None = None
    memory: Annotated[Figure, FigureIn("GB", above=0)] | None = None
    embodied: Emissions | None = None
    also_published: tuple[Emissions, ...] = Field(default=(), description="What others published for it.")
    package: Package | None = Field(default=None, description="Compute dies and what carries them.")
    board: Board | None = None


class Die(Record):
    """A die, from the carbon of its area."""

    area: Annotated[Figure, FigureIn("cm**2", above=0)]
    per_area: Annotated[Figure, FigureIn("kgCO2e/cm**2", at_least=0)]
    yield_: Share = Field(alias="yield", description="Share of good dies, more than 0 and at most 1.")


class Memory(Record):
    """Memory or storage, from the carbon of its capacity."""

    capacity: Annotated[Figure, FigureIn("GB", above=0)]
    per_capacity: Annotated[Figure, FigureIn("gCO2e/GB", at_least=0)]
    yield_: Share | None = Field(default=None, alias="yield")


#: The ways to give the embodied carbon of a part; a published figure may stand beside a component.
_WAYS = ("embodied", "accelerator", "die", "memory", "component", "gap")


class Part(Record):
    """A part of a node, and how many of it a node has.

    Its embodied carbon is given in exactly one way; only a component may have a published figure beside it, so that
    the two can be compared.
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_-]*$", description="Names the line carbon.embodied.<name>.")
    count: float = Field(default=1, gt=0)
    embodied: Emissions | None = Field(default=None, description="Of one piece, as published.")
    accelerator: str | None = Field(
        default=None, description="Record of an accelerator, whose embodied carbon is used."
    )
    die: Die | None = None
    memory: Memory | None = None
    component: Component | None = Field(default=None, description="Kind and size, for the bottom-up methods.")
    gap: str | None = Field(default=None, description="Says what is not known of the part, where nothing is.")

    @model_validator(mode="after")
    def _one_way(self) -> Part:
        ways = [name for name in _WAYS if getattr(self, name) is not None]
        if len(ways) != 1 and ways != ["embodied", "component"]:
            found = " and ".join(ways) or "none"
            raise refusal(f"part '{self.name}' needs exactly one of {', '.join(_WAYS)}; found {found}")
        return self


class NodeModel(Record):
    """How the energy of accelerator boards becomes energy of the node at its AC inlet.

    Either `overhead`, the ratio of node to boards, or a fixed part and a part that follows the boards, behind power
    supplies: ``(follow * boards + fixed_power * time) / psu_efficiency``.
    """

    overhead: Annotated[Figure, FigureIn("1", at_least=1, example="1.4")] | None = None
    fixed_power: Annotated[Figure, FigureIn("W", at_least=0)] | None = None
    follow: Annotated[Figure, FigureIn("1", at_least=1, example="1.1")] | None = None
    psu_efficiency: Share | None = None

    @model_validator(mode="after")
    def _one_form(self) -> NodeModel:
        detailed = [self.fixed_power, self.follow, self.psu_efficiency]
        if self.overhead is not None and any(detailed):
            raise refusal("give either 'overhead' or 'fixed_power' with 'follow' and 'psu_efficiency', not both")
        if self.overhead is None and self.fixed_power is None and self.psu_efficiency is None:
            raise refusal(
                "give 'overhead', or 'fixed_power' with 'psu_efficiency' (and 'follow', else 1), or 'psu_efficiency'"
            )
        if self.fixed_power is not None and self.psu_efficiency is None:
            raise refusal("'fixed_power' needs 'psu_efficiency' beside it")
        return self


class System(SystemCosts):
    """A node: what it is made of, what it draws and what it costs."""

    also_known_as: ClassVar[Mapping[str, str]] = {
        "life": "lifetime",
        "utilization": "utilisation",
        "gpus": "devices_per_node",
    }

    name: str
    title: str | None = None
    aliases: tuple[str, ...] = Field(default=(), description="Names that tools print for the node.")
    accelerator: str | None = Field(default=None, description="Record of the accelerator it holds.")
    devices_per_node: float | None = Field(default=None, gt=0)
    cooling: Cooling | None = None
    rating: Annotated[Figure, FigureIn("W", above=0)] | None = Field(
        default=None, description="Power to provision for one node; never used as energy."
    )
    node_model: NodeModel | None = None
    parts: tuple[Part, ...] = Field(default=(), description="Bill of materials, for embodied carbon.")
    also_published: tuple[Emissions, ...] = Field(
        default=(), description="What others published for the whole node, for comparison."
    )
    gaps: tuple[str, ...] = Field(default=(), description="What is known to be missing from the record.")
    price: Annotated[Figure, FigureIn("money", at_least=0)] | None = Field(default=None, description="Of one node.")
    network_share: Annotated[Figure, FigureIn("1", at_least=0, at_most=0.99)] | None = Field(
        default=None, description="Share of the network in the cost of nodes and network."
    )
    lifetime: Annotated[Figure, FigureIn("year", above=0)] | None = None
    utilisation: Share | None = Field(default=None, description="Share of its life that runs are charged for.")
    maintenance: Annotated[Figure, FigureIn("1", at_least=0)] | None = Field(
        default=None, description="Cost of maintenance over amortised cost of the node."
    )

    @model_validator(mode="after")
    def _parts_do_not_overlap(self) -> System:
        names = [part.name for part in self.parts]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise refusal(f"the part '{twice[0]}' stands twice; give one part with a count")
        for part in self.parts:
            whole = part.embodied.boundary if part.embodied is not None else None
            if whole in ("node", "node+building") and len(self.parts) > 1:
                others = ", ".join(name for name in names if name != part.name)
                raise refusal(
                    f"part '{part.name}' is counted at the boundary '{whole}', which already contains: {others}"
                )
        return self
