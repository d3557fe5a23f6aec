"""A published number, with the place it was read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import model_validator

from tco.errors import UnitError
from tco.graph import Input
from tco.provenance import Basis, Source
from tco.records.base import Record
from tco.records.fields import refusal
from tco.spread import Spread, converted, fault_of
from tco.units import Q, Quantity, convert_given, read_quantity, split_number

#: What a figure of embodied carbon counts, inside out; ``host`` is a node without its accelerators.
EmbodiedBoundary = Literal["die", "package", "module", "board", "host", "node", "node+building"]
Phase = Literal["cradle-to-gate", "cradle-to-grave without use"]
LifeStage = Literal["materials", "assembly", "transport", "end of life"]

#: What shares may add up to: one, and the rounding of their printed digits.
_ONE = 1 + 1e-9


class Figure(Record):
    """One number as it was published.

    In a file it may be written short, as text with a unit (``"5.6 kW"``); a figure that ships with the package says
    where it was read.

    Attributes
    ----------
    value, unit
        As published; converted when used.
    low, high
        Range in `unit`: of a normal or lognormal distribution its 5th and 95th percentile, else its ends.
    distribution, samples
        How the quantity varies, where more than the range is known; samples are values in `unit`.
    basis
        How the number came about.
    boundary, phase, method
        For emissions: what is counted, up to where in the life cycle, and by which method and version of it.
    stages, shares
        For emissions: shares of the value by stage of the life cycle, and by component, where the source gives them.
    price_year
        Year of the money, for prices.
    note
        What a reader should know: derivation, doubt, conflict with other figures.
    """

    value: float
    unit: str
    low: float | None = None
    high: float | None = None
    distribution: Literal["triangular", "uniform", "normal", "lognormal", "pert", "empirical"] | None = None
    samples: tuple[float, ...] = ()
    basis: Basis = "published"
    boundary: EmbodiedBoundary | None = None
    phase: Phase | None = None
    method: str | None = None
    stages: Mapping[LifeStage, float] | None = None
    shares: Mapping[str, float] | None = None
    price_year: int | None = None
    note: str | None = None
    source: Source | None = None

    @model_validator(mode="before")
    @classmethod
    def _short_forms(cls, data: Any) -> Any:
        try:
            if isinstance(data, str):
                number, unit = split_number(data, "kW")
                return {"value": number, "unit": unit or "1"}
            if isinstance(data, Mapping) and "currency" in data and {"value", "unit"} <= set(data):
                rest = {key: item for key, item in data.items() if key not in ("value", "unit", "currency")}
                _, slash, per = str(data["unit"]).partition("/")
                money = read_quantity({key: data[key] for key in ("value", "unit", "currency")}, f"money{slash}{per}")
                return {"value": float(money.magnitude), "unit": f"{money.units:~C}", **rest}
        except UnitError as error:
            raise refusal(str(error)) from None
        if isinstance(data, int | float) and not isinstance(data, bool):
            return {"value": float(data), "unit": "1"}
        return data

    @model_validator(mode="after")
    def _shares_of_one(self) -> Figure:
        for name, shares in (("stages", self.stages), ("shares", self.shares)):
            if shares is not None and (min(shares.values(), default=0) < 0 or sum(shares.values()) > _ONE):
                raise refusal(f"{name} must be shares of the value, 0 to 1, that add up to at most 1")
        return self

    @model_validator(mode="after")
    def _known_unit_and_range_in_order(self) -> Figure:
        ends = (self.low, self.value, self.high, *self.samples)
        if not all(end is None or math.isfinite(end) for end in ends):
            raise refusal("value, low and high must be finite numbers")
        fault = fault_of(self.value, Spread(self.low, self.high, self.distribution, self.samples))
        if fault:
            raise refusal(fault)
        try:
            Q(self.value, self.unit)
        except UnitError as error:
            raise refusal(str(error)) from None
        return self

    def quantity(self, unit: str) -> Quantity:
        """The value in `unit`; ``money`` in it stands for the figure's own currency."""
        return convert_given(Q(self.value, self.unit), unit)

    def given(self, unit: str, *, assumed: bool) -> Input:
        """What a graph keeps of the figure beside its value, the range converted to `unit`."""
        own = Spread(self.low, self.high, self.distribution, self.samples)
        spread = converted(own, self.unit, unit)
        return Input(source=self.source, assumed=assumed, note=self.note or "", **spread._asdict())
