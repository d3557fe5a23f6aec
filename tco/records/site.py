"""The site of a run: place, PUE, water, tariff, building."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field

from tco.records.base import Record
from tco.records.fields import FigureIn
from tco.records.figure import Figure
from tco.records.system import Cooling


class Site(Record):
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
