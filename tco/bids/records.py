"""Tender and bid: what is asked for, and what one bidder offers (schemas ``tco.tender/1`` and ``tco.bid/1``)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from tco.records.base import Record
from tco.records.fields import FigureIn, refusal
from tco.records.figure import Figure
from tco.records.site import Site

#: What a price line is for; ``services`` and ``other`` take what fits nowhere else.
Category = Literal[
    "hardware", "network", "storage", "racks", "installation", "software", "other",
    "maintenance", "support", "licences", "staff", "services",
]  # fmt: skip
#: Categories that are bought; the others are paid for as long as the system serves.
BOUGHT: tuple[Category, ...] = ("hardware", "network", "storage", "racks", "installation", "software", "other")
Rule = Literal["lowest", "highest", "linear"]

Number = Annotated[Figure, FigureIn("1", at_least=0)]
Power = Annotated[Figure, FigureIn("W", above=0, example="10.2 kW")]
Share = Annotated[Figure, FigureIn("1", at_least=0, at_most=1, example="0.9")]


class PriceLine(Record):
    """One line of the price sheet."""

    also_known_as: ClassVar[Mapping[str, str]] = {"price": "unit_price", "count": "quantity", "name": "item"}

    item: str = Field(min_length=1)
    category: Category
    quantity: Number = Field(default=Figure(value=1, unit="1"), validate_default=False)
    unit_price: Figure | None = Field(
        default=None, description="Of one: '250000 EUR'; of what is paid by time '12000 EUR/year'. Missing is missing."
    )
    terms: Literal["fixed", "indexed"] = Field(default="fixed", description="Whether an index clause moves the price.")
    index: str | None = Field(default=None, description="The index clause, where there is one.")
    price_base: str | None = Field(default=None, description="Date of the price: 2026-06.")
    delivery: date | None = None
    warranty: Annotated[Figure, FigureIn("year", at_least=0)] | None = None
    option: bool = Field(default=False, description="An option is shown and not counted.")
    vat_included: bool = False

    @model_validator(mode="after")
    def _priced_as_it_is_paid(self) -> PriceLine:
        if self.unit_price is None:
            return self
        unit = self.unit_price.unit
        by_time = "/" in unit
        if self.category in BOUGHT and by_time:
            raise refusal(f"'{self.item}' is bought once ({self.category}); its price is in '{unit}': write '1000 EUR'")
        if self.category not in BOUGHT and not by_time:
            raise refusal(
                f"'{self.item}' is paid by time ({self.category}); its price is in '{unit}': write '1000 EUR/year'"
            )
        FigureIn("money/year" if by_time else "money", at_least=0).check(
            float(self.unit_price.quantity("money/year" if by_time else "money").magnitude)
        )
        return self


class OfferedFigure(Record):
    """What a bidder offers for one benchmark of the tender."""

    also_known_as: ClassVar[Mapping[str, str]] = {"fom": "figure", "value": "figure"}

    name: str
    figure: Annotated[Figure, FigureIn("1", above=0)] = Field(
        description="Figure of merit on one node, in the unit of the tender; more is better."
    )
    committed: bool = Field(default=True, description="Whether the bidder is bound to it; else it is a projection.")


class Bid(Record):
    """What one bidder offers."""

    also_known_as: ClassVar[Mapping[str, str]] = {"name": "bidder", "price": "prices", "benchmark": "benchmarks"}

    schema_: Literal["tco.bid/1"] = Field(default="tco.bid/1", alias="schema")
    bidder: str = Field(min_length=1)
    nodes: Annotated[Figure, FigureIn("1", above=0)]
    system: str | None = Field(default=None, description="Hardware record, for embodied carbon: a name or a file.")
    power: Power | None = Field(default=None, description="Of one node at its AC inlet, under the load of the tender.")
    idle_power: Power | None = Field(default=None, description="Of one node when nothing runs.")
    rating: Power | None = Field(default=None, description="Power to provision for one node.")
    floor_area: Annotated[Figure, FigureIn("m**2", above=0)] | None = Field(
        default=None, description="Of the whole system with the space around it."
    )
    delivery: date | None = None
    valid_until: date | None = None
    prices: tuple[PriceLine, ...] = ()
    benchmarks: tuple[OfferedFigure, ...] = ()
    note: str | None = None

    @model_validator(mode="after")
    def _names_differ(self) -> Bid:
        for what, names in (
            ("price line", [line.item for line in self.prices]),
            ("benchmark", [each.name for each in self.benchmarks]),
        ):
            twice = sorted({name for name in names if names.count(name) > 1})
            if twice:
                raise refusal(f"the {what} '{twice[0]}' stands twice")
        return self


class Benchmark(Record):
    """A benchmark of the workload mix."""

    also_known_as: ClassVar[Mapping[str, str]] = {"fom": "reference", "figure": "reference"}

    name: str
    weight: Annotated[Figure, FigureIn("1", above=0)]
    reference: Annotated[Figure, FigureIn("1", above=0)] = Field(
        description="Figure of merit of the reference system, on one node; more is better."
    )
    unit: str = Field(default="", description="What the figure counts, in words.")


class Limits(Record):
    """What no admitted bid may exceed."""

    budget: Annotated[Figure, FigureIn("money", above=0, example="20e6 EUR")] | None = Field(
        default=None, description="For all that is bought."
    )
    whole_life_cost: Annotated[Figure, FigureIn("money", above=0)] | None = None
    power: Annotated[Figure, FigureIn("kW", above=0, example="2 MW")] | None = Field(
        default=None, description="Power to provision for all nodes, else their power under load."
    )
    floor_area: Annotated[Figure, FigureIn("m**2", above=0)] | None = None
    delivery: date | None = Field(default=None, description="Last day of delivery.")


class Criterion(Record):
    """A criterion of the award, or one that every bid must meet."""

    name: str
    kind: Literal["award", "mandatory"] = "award"
    line: str = Field(
        description="Line or input of the bid's estimate: cost.npv.total, score.improvement, marks.support."
    )
    unit: str = Field(default="", description="Unit of the numbers here; else that of the line.")
    weight: float = Field(default=0.0, ge=0, le=1)
    rule: Rule = "lowest"
    full: float | None = Field(default=None, description="For 'linear': the value that gets all points.")
    none: float | None = Field(default=None, description="For 'linear': the value that gets no points.")
    at_most: float | None = Field(default=None, description="Of a mandatory criterion.")
    at_least: float | None = Field(default=None, description="Of a mandatory criterion.")

    @model_validator(mode="after")
    def _complete(self) -> Criterion:
        bounds = (self.at_most is not None) + (self.at_least is not None)
        if self.kind == "mandatory":
            if bounds != 1:
                raise refusal(f"mandatory criterion '{self.name}' needs 'at_most' or 'at_least'")
            if self.weight:
                raise refusal(f"mandatory criterion '{self.name}' has a weight; it is met or not")
            return self
        if bounds:
            raise refusal(f"'{self.name}' has a bound: say kind = 'mandatory', or leave the bound out")
        if not self.weight:
            raise refusal(f"award criterion '{self.name}' needs a weight, 0 to 1")
        ends = (self.full, self.none)
        if self.rule == "linear" and (None in ends or self.full == self.none):
            raise refusal(f"criterion '{self.name}': 'linear' needs two different values 'full' and 'none'")
        if self.rule != "linear" and ends != (None, None):
            raise refusal(f"criterion '{self.name}': 'full' and 'none' belong to rule = 'linear'")
        return self


class Entry(Record):
    """One bid of the tender: its file, and the marks that the jury gave it."""

    file: str
    marks: Mapping[str, float] = Field(default_factory=dict, description="By name; criteria use them as marks.NAME.")


class Tender(Record):
    """What is asked for, and by which rules it is awarded."""

    also_known_as: ClassVar[Mapping[str, str]] = {
        "title": "name", "benchmarks": "benchmark", "criteria": "criterion", "bids": "bid", "constraints": "limits",
    }  # fmt: skip

    schema_: Literal["tco.tender/1"] = Field(default="tco.tender/1", alias="schema")
    name: str
    currency: str | None = None
    horizon: Annotated[Figure, FigureIn("year", above=0)] = Field(description="How long the system shall serve.")
    utilisation: Share = Field(description="Share of the time under load.")
    region: str | None = None
    year: int | None = Field(default=None, description="Year of the grid data.")
    site: Site | str | None = Field(
        default=None, description="Site record, here or in a file: PUE, tariff, finance ..."
    )
    discount_rate: Annotated[Figure, FigureIn("1/year", above=-1, example="0.03 1/year")] | None = Field(
        default=None, description="Real; without one nothing is discounted."
    )
    inputs: Mapping[str, Any] = Field(default_factory=dict, description="Values of inputs by dotted name, as --set.")
    reference_nodes: Annotated[Figure, FigureIn("1", above=0)] | None = None
    benchmark: tuple[Benchmark, ...] = ()
    omission: Literal["renormalise", "refuse"] = Field(
        default="renormalise", description="What a benchmark means that a bidder leaves out."
    )
    required: tuple[Category, ...] = Field(default=(), description="Categories that every bid must price.")
    fixed: tuple[Category, ...] = Field(default=(), description="Categories whose prices no index clause may move.")
    valid_until: date | None = Field(default=None, description="Bids must be valid at least until then.")
    limits: Limits = Limits()
    criterion: tuple[Criterion, ...] = ()
    points: float = Field(default=100, gt=0, description="Most points of one criterion.")
    bid: tuple[Entry, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _bids_by_file(cls, data: Any) -> Any:
        if isinstance(data, Mapping) and isinstance(data.get("bid"), list | tuple):
            return {**data, "bid": [{"file": each} if isinstance(each, str) else each for each in data["bid"]]}
        return data

    @model_validator(mode="after")
    def _fits_together(self) -> Tender:
        for what, names in (
            ("benchmark", [each.name for each in self.benchmark]),
            ("criterion", [each.name for each in self.criterion]),
        ):
            twice = sorted({name for name in names if names.count(name) > 1})
            if twice:
                raise refusal(f"the {what} '{twice[0]}' stands twice")
        if self.benchmark and self.reference_nodes is None:
            raise refusal("benchmarks need 'reference_nodes': how many nodes the reference system has")
        weights = [each.weight for each in self.criterion if each.kind == "award"]
        if weights and abs(sum(weights) - 1) > 1e-6:
            raise refusal(f"the weights of the award criteria add up to {sum(weights):g}; they must add up to 1")
        return self
