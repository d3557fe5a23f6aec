"""An emission factor of electricity, with all that decides whether it may be compared with another."""

from __future__ import annotations

from typing import Literal

from tco.provenance import Source
from tco.records.base import Record
from tco.units import Q, Quantity


class Factor(Record):
    """Emissions per energy of electricity at a place in a year.

    Attributes
    ----------
    value, unit
        As published.
    region, region_name
        Id and name of the place.
    basis
        ``direct``: at the stack. ``lifecycle``: with fuel supply and plants.
    scope
        ``production``, ``consumption`` (with trade) or ``residual`` (what contracts leave over).
    kind
        ``average``, or marginal for consequences of a change.
    data_year, release, dataset
        The year the data describe, the release they were read from, the name of the data set.
    resolution
        Time step of the data.
    """

    value: float
    unit: str = "gCO2e/kWh"
    region: str
    region_name: str
    basis: Literal["direct", "lifecycle"]
    scope: Literal["production", "consumption", "residual"]
    kind: Literal["average", "short_run_marginal", "long_run_marginal"] = "average"
    data_year: int
    release: str
    dataset: str
    resolution: Literal["year", "month", "hour"] = "year"
    source: Source
    licence: str

    @property
    def quantity(self) -> Quantity:
        """The factor in gCO2e/kWh."""
        return Q(self.value, self.unit).to("gCO2e/kWh")

    def __str__(self) -> str:
        return (
            f"{self.region_name} ({self.region}), {self.data_year}, {self.basis}, {self.scope}, {self.kind}, "
            f"{self.dataset} {self.release}"
        )
