"""The site of a run: place, PUE, water, tariff, building."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from tco.records.base import Record
from tco.records.costs import SiteCosts
from tco.records.fields import FigureIn, refusal
from tco.records.figure import Figure
from tco.records.system import Cooling


class Contract(Record):
    """Electricity that is bought with a claim to its origin; counts in the market-based figure alone."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$", description="Short name: part of the names of its inputs.")
    kind: Literal["ppa", "go", "rec", "tariff"] = Field(
        description="Power purchase agreement, guarantee of origin, renewable energy certificate, supplier's tariff."
    )
    intensity: Annotated[Figure, FigureIn("gCO2e/kWh", at_least=0)] = Field(
        description="Emission factor that the contract conveys, of the same basis as that of the grid."
    )
    matching: Literal["annual", "hourly"] = "annual"
    share: Annotated[Figure, FigureIn("1", at_least=0, at_most=1)] | None = Field(
        default=None, description="Share of the electricity that it covers."
    )
    energy: Annotated[Figure, FigureIn("kWh", at_least=0)] | None = Field(
        default=None, description="Energy that it delivers for the run."
    )
    supply: str | None = Field(
        default=None, description="Delivery by step, a CSV file relative to the site file: for hourly matching."
    )
    time_zone: str | None = Field(default=None, description="IANA zone of stamps without an offset in the supply.")
    carbon_free: bool = Field(default=False, description="Whether it counts in the carbon-free share.")

    @model_validator(mode="after")
    def _one_amount(self) -> Contract:
        if sum(amount is not None for amount in (self.share, self.energy, self.supply)) != 1:
            raise refusal("give one of 'share', 'energy' and 'supply': how much the contract covers")
        if (self.matching == "hourly") != (self.supply is not None):
            raise refusal("hourly matching goes with a 'supply' file, annual matching with 'share' or 'energy'")
        return self


class PueCurve(Record):
    """Losses of a plant over the IT power that it is built for; they make its PUE at a load."""

    no_load: Annotated[Figure, FigureIn("1", at_least=0)] = Field(description="Whatever the load.")
    proportional: Annotated[Figure, FigureIn("1", at_least=0)] = Field(description="At full load, rising with it.")
    square_law: Annotated[Figure, FigureIn("1", at_least=0)] = Field(
        description="At full load, rising with its square."
    )


class Site(SiteCosts):
    """Where the run takes place, and what energy, water and space cost there."""

    also_known_as: ClassVar[Mapping[str, str]] = {"price": "tariff", "carbon_intensity": "intensity", "ci": "intensity"}

    name: str | None = None
    region: str | None = Field(default=None, description="Country, grid zone, cloud region or aggregate.")
    cooling: Cooling | None = Field(default=None, description="Cooling that the PUE belongs to.")
    pue: Annotated[Figure, FigureIn("1", at_least=1)] | None = None
    intensity: Annotated[Figure, FigureIn("gCO2e/kWh", at_least=0)] | None = Field(
        default=None, description="Grid factor of the site, location-based; replaces that of the region."
    )
    wue: Annotated[Figure, FigureIn("L/kWh", at_least=0)] | None = Field(
        default=None, description="Water on site, per IT kWh."
    )
    source_water: Annotated[Figure, FigureIn("L/kWh", at_least=0)] | None = Field(
        default=None, description="Water at the power plants, per kWh at the meter of the site."
    )
    tariff: Annotated[Figure, FigureIn("money/kWh", at_least=0)] | None = Field(
        default=None, description="Delivered price of electricity: energy, grid fees, levies."
    )
    building_cost: Annotated[Figure, FigureIn("money/kW", at_least=0)] | None = Field(
        default=None, description="Building with power and cooling, per provisioned kW of IT."
    )
    building_lifetime: Annotated[Figure, FigureIn("year", above=0)] | None = None
    pue_curve: PueCurve | Literal["legacy-plant"] | None = Field(
        default=None, description="Losses that make the PUE at 'load', instead of 'pue'; or the name of a record."
    )
    load: Annotated[Figure, FigureIn("1", above=0)] | None = Field(
        default=None, description="IT power over the IT power that the plant is built for; for 'pue_curve'."
    )
    heat_reuse: Annotated[Figure, FigureIn("1", at_least=0, at_most=1)] | None = Field(
        default=None, description="Energy given to others as heat, over the energy of the facility."
    )
    grid_losses: Annotated[Figure, FigureIn("1", at_least=0, at_most=1)] | None = Field(
        default=None, description="Energy lost between plants and meter, over that put into the lines."
    )
    contracts: tuple[Contract, ...] = Field(default=(), description="Electricity bought with a claim to its origin.")
    residual: Annotated[Figure, FigureIn("gCO2e/kWh", at_least=0)] | None = Field(
        default=None, description="Residual factor of the grid, for what no contract covers; never the grid average."
    )
    offsets: Annotated[Figure, FigureIn("kgCO2e", at_least=0)] | None = Field(
        default=None, description="Emissions compensated elsewhere: a memo, never subtracted."
    )

    @model_validator(mode="after")
    def _fits_together(self) -> Site:
        if self.pue is not None and self.pue_curve is not None:
            raise refusal("give either 'pue' or 'pue_curve' with 'load'")
        if (self.pue_curve is None) != (self.load is None):
            raise refusal("'pue_curve' and 'load' go together")
        names = [contract.name for contract in self.contracts]
        if len(set(names)) < len(names):
            raise refusal("two contracts have one name")
        return self
