"""An emission factor of electricity, with all that decides whether it may be compared with another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from pydantic import model_validator

from tco.errors import TcoError, UnitError
from tco.provenance import Source
from tco.records.base import Record
from tco.records.fields import refusal
from tco.units import Q, Quantity, read_quantity

Basis = Literal["direct", "lifecycle"]
Scope = Literal["production", "consumption", "residual"]
Kind = Literal["average", "short_run_marginal", "long_run_marginal"]
Gas = Literal["CO2e", "CO2"]

#: What must agree before two factors may meet.
_TERMS = ("basis", "scope", "kind", "gas")


class BasisError(TcoError):
    """Two factors that say different things met in one calculation."""


class Factor(Record):
    """Emissions per energy of electricity at a place in a year.

    Factors may be compared (``a < b``), subtracted, divided and averaged only where basis, scope, kind and gas agree;
    a direct factor is never turned into a lifecycle one. For the plain number take `quantity`.

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
    gas
        All greenhouse gases, or carbon dioxide alone.
    data_year, release, dataset
        The year the data describe, the release they were read from, the name of the data set.
    resolution
        Time step of the data.
    stands_for
        The place that was asked for, where this factor stands for it: the grid around it, or the world.
    """

    value: float
    unit: str = "gCO2e/kWh"
    region: str
    region_name: str
    basis: Basis
    scope: Scope
    kind: Kind = "average"
    gas: Gas = "CO2e"
    data_year: int
    release: str
    dataset: str
    resolution: Literal["year", "month", "hour"] = "year"
    source: Source
    licence: str
    stands_for: str | None = None

    @model_validator(mode="after")
    def _is_an_intensity(self) -> Factor:
        if not math.isfinite(self.value) or self.value < 0:
            raise refusal(f"{self.value} is not an emission factor; leave the row out where nothing is known")
        try:
            read_quantity({"value": self.value, "unit": self.unit}, "gCO2e/kWh")
        except UnitError as error:
            raise refusal(str(error)) from None
        return self

    @property
    def quantity(self) -> Quantity:
        """The factor in gCO2e/kWh."""
        return Q(self.value, self.unit).to("gCO2e/kWh")

    @property
    def terms(self) -> str:
        """Basis, scope, kind, and the gas where it is carbon dioxide alone: ``direct, production, average``."""
        return ", ".join([self.basis, self.scope, self.kind, *(["CO2 alone"] if self.gas == "CO2" else [])])

    def __str__(self) -> str:
        return f"{self.region_name} ({self.region}), {self.data_year}, {self.terms}, {self.dataset} {self.release}" + (
            f"; stands for {self.stands_for}" if self.stands_for else ""
        )

    # ---- arithmetic, guarded ----------------------------------------------------------------------------------------

    def _g(self) -> float:
        return float(self.quantity.magnitude)

    def _meet(self, other: Factor, verb: str) -> None:
        if any(getattr(self, term) != getattr(other, term) for term in _TERMS):
            raise BasisError(
                f"cannot {verb} a factor that is {self.terms} ({self.region}, {self.dataset}) and one that is "
                f"{other.terms} ({other.region}, {other.dataset}): no ratio converts one into the other; take both "
                "from one data set, or show them side by side"
            )

    def __lt__(self, other: Factor) -> bool:
        self._meet(other, "compare")
        return self._g() < other._g()

    def __le__(self, other: Factor) -> bool:
        self._meet(other, "compare")
        return self._g() <= other._g()

    def __gt__(self, other: Factor) -> bool:
        return other < self

    def __ge__(self, other: Factor) -> bool:
        return other <= self

    def __sub__(self, other: Factor) -> Quantity:
        self._meet(other, "subtract")
        return self.quantity - other.quantity

    def __truediv__(self, other: Factor) -> float:
        self._meet(other, "divide")
        return self._g() / other._g()

    def __add__(self, other: object) -> Quantity:
        raise BasisError(
            "emission factors do not add up: take their mean, weighted by energy (tco.records.factor.mean)"
        )


def mean(factors: Sequence[Factor], energies: Sequence[Quantity]) -> Quantity:
    """The factor of several places together, weighted by their energies.

    A plain mean over countries is wrong: for the 27 member states of the European Union in 2024 it gives 229.01 where
    the mean weighted by generation is 211.20.

    Parameters
    ----------
    factors
        Factors of one basis, scope, kind and gas.
    energies
        Generation (or consumption) of each. [energy]

    Raises
    ------
    BasisError
        If two factors do not say the same thing.
    UnitError
        If an energy is none, or none is above 0.
    """
    if len(factors) != len(energies) or not factors:
        raise UnitError(f"{len(factors)} factors and {len(energies)} energies: give one energy for each factor")
    for other in factors[1:]:
        factors[0]._meet(other, "average")
    weights = [float(read_quantity(energy, "kWh").magnitude) for energy in energies]
    if min(weights) < 0 or sum(weights) <= 0:
        raise UnitError("energies must not be negative, and not all 0")
    total = sum(weight * factor._g() for weight, factor in zip(weights, factors, strict=True))
    return Q(total / sum(weights), "gCO2e/kWh")
