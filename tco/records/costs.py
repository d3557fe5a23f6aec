"""What systems and sites cost beyond the price of a node: parts of their records, and the tariff, finance and index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, model_validator

from tco.provenance import Source
from tco.records.base import Record
from tco.records.fields import FigureIn, refusal
from tco.records.figure import Figure

Money = Annotated[Figure, FigureIn("money", at_least=0, example="1000 EUR")]
EnergyPrice = Annotated[Figure, FigureIn("money/kWh", at_least=0, example="0.05 EUR/kWh")]
Life = Annotated[Figure, FigureIn("year", above=0)]
RatePerYear = Annotated[Figure, FigureIn("1/year", example="0.05 1/year")]
#: A growth or discount rate: above -100 % a year.
Growth = Annotated[Figure, FigureIn("1/year", above=-1, example="0.03 1/year")]
Portion = Annotated[Figure, FigureIn("1", at_least=0, at_most=1, example="0.2")]

Days = Literal["all", "weekdays", "weekends"]

#: What of a cost escalates: the names of the cost lines, without ``cost.``.
Component = Literal[
    "energy", "maintenance", "support", "licences", "staff", "operation", "colocation", "insurance", "water", "floor",
    "carbon", "spares",
]  # fmt: skip


class SystemCosts(Record):
    """What a system costs beside the price of a node; `System` has these fields too."""

    accelerator_price: Money | None = Field(default=None, description="Of one accelerator; with 'host_price'.")
    host_price: Money | None = Field(default=None, description="Of a node without its accelerators.")
    network_price: Money | None = Field(
        default=None, description="Of the network, per node; else 'network_share' tells it from the nodes."
    )
    storage_price: Money | None = Field(default=None, description="Of the storage, per node.")
    rack_price: Money | None = Field(default=None, description="Of racks and power distribution in them, per node.")
    installation: Portion | None = Field(default=None, description="Cost of installation over the price of the nodes.")
    software_price: Money | None = Field(default=None, description="Of software that is bought once, per node.")
    licences: Annotated[Figure, FigureIn("money/year", at_least=0)] | None = Field(
        default=None, description="Software that is paid by the year, per node."
    )
    support: Annotated[Figure, FigureIn("1/year", at_least=0, example="0.05 1/year")] | None = Field(
        default=None, description="Support contract, per year, over the price of a node."
    )
    insurance: Annotated[Figure, FigureIn("1/year", at_least=0, example="0.004 1/year")] | None = Field(
        default=None, description="Insurance, per year, over the price of a node."
    )
    residual: Portion | None = Field(default=None, description="Share of the price that is got at the end of the life.")
    accelerator_lifetime: Life | None = None
    host_lifetime: Life | None = None
    network_lifetime: Life | None = None
    storage_lifetime: Life | None = None
    decline: Annotated[Figure, FigureIn("1/year", at_least=0, example="0.14 OOM/year")] | None = Field(
        default=None, description="Steady decline in value, instead of a straight line over the life; with 'age'."
    )
    age: Annotated[Figure, FigureIn("year", at_least=0)] | None = Field(
        default=None, description="From purchase to the run; for 'decline'."
    )
    failure_rate: Annotated[Figure, FigureIn("1/year", at_least=0, example="0.09 1/year")] | None = Field(
        default=None, description="Failures of one accelerator per year of use."
    )
    checkpoint_interval: Annotated[Figure, FigureIn("h", above=0, example="0.5 h")] | None = None
    restart_time: Annotated[Figure, FigureIn("h", at_least=0, example="0.25 h")] | None = None
    floor_area: Annotated[Figure, FigureIn("m**2", at_least=0, example="1.2 m2")] | None = Field(
        default=None, description="Of one node with the space around it."
    )
    mean_power: Annotated[Figure, FigureIn("W", above=0, example="6 kW")] | None = Field(
        default=None, description="Of one node over its life, at the IT boundary; for shares by energy."
    )
    rental_price: Annotated[Figure, FigureIn("money/h", at_least=0, example="2.5 USD/h")] | None = Field(
        default=None, description="Of renting one accelerator for an hour."
    )


class Block(Record):
    """A block of an hours-of-use tariff: what it holds, and its price."""

    price: EnergyPrice
    hours_of_use: Annotated[Figure, FigureIn("h", above=0, example="200 h")] | None = Field(
        default=None, description="Hours of use of the metered demand that it holds in a month; the last has none."
    )


class TariffPeriod(Record):
    """Hours of a time-of-use tariff with one price, or with blocks."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_-]*$")
    price: EnergyPrice | None = None
    blocks: tuple[Block, ...] = ()
    hours: tuple[tuple[float, float], ...] = Field(
        default=(), description="From and to, in hours of the local day: [[13, 19]]."
    )
    days: Days = "all"
    months: tuple[int, ...] = Field(default=(), description="1 to 12; all where there is none.")
    share: Portion | None = Field(default=None, description="Share of the energy, where hours cannot tell it.")

    @model_validator(mode="after")
    def _one_price(self) -> TariffPeriod:
        if (self.price is None) == (not self.blocks):
            raise refusal(f"period '{self.name}' needs either 'price' or 'blocks'")
        open_ended = [block.hours_of_use is None for block in self.blocks]
        if open_ended and (any(open_ended[:-1]) or not open_ended[-1]):
            raise refusal(f"period '{self.name}': every block but the last needs 'hours_of_use', the last has none")
        for begin, end in self.hours:
            if not 0 <= begin < end <= 24:
                raise refusal(f"period '{self.name}': hours [{begin:g}, {end:g}] are not within a day, in order")
        for month in self.months:
            if not 1 <= month <= 12:
                raise refusal(f"period '{self.name}': {month} is not a month, 1 to 12")
        return self


class Demand(Record):
    """A charge for the highest power of a month."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_-]*$")
    price: Annotated[Figure, FigureIn("money/(kW*month)", at_least=0, example="10.7 USD/(kW month)")]


class Tariff(Record):
    """An electricity tariff: energy (flat, by period, or by the hour), demand, fixed charges, levies."""

    name: str | None = None
    kind: Literal["delivered", "spot"] = Field(
        default="delivered", description="A spot price lacks grid fees, levies and the supplier's margin."
    )
    energy: EnergyPrice | None = Field(default=None, description="Flat price of energy.")
    periods: tuple[TariffPeriod, ...] = Field(
        default=(), description="Time of use; the last one takes all hours that the others leave."
    )
    hourly: str | None = Field(
        default=None, description="Price by time: a CSV file relative to the site file, columns 'time' and 'price'."
    )
    hourly_unit: str | None = Field(default=None, description="Unit of the prices in it: 'EUR/MWh'.")
    demand: tuple[Demand, ...] = ()
    fixed: tuple[Annotated[Figure, FigureIn("money/month", at_least=0, example="1500 USD/month")], ...] = ()
    levies: EnergyPrice | None = Field(default=None, description="Levies and grid fees by energy.")
    levy_share: Portion | None = Field(default=None, description="Levies and taxes as a share of the rest of the bill.")
    time_zone: str | None = Field(default=None, description="IANA zone of the hours: 'America/Chicago'.")
    source: Source | None = None
    note: str | None = None

    @model_validator(mode="after")
    def _one_energy_price(self) -> Tariff:
        if sum((self.energy is not None, bool(self.periods), self.hourly is not None)) != 1:
            raise refusal("a tariff needs exactly one of 'energy', 'periods' and 'hourly'")
        if (self.hourly is None) != (self.hourly_unit is None):
            raise refusal("'hourly' and 'hourly_unit' go together")
        names = [period.name for period in self.periods] + [charge.name for charge in self.demand]
        if len(set(names)) < len(names):
            raise refusal("two periods or demand charges have one name")
        return self


class PriceIndex(Record):
    """Levels of a price index, of one vintage, and the dates between which prices are moved."""

    name: str
    title: str | None = None
    currency: str = Field(pattern=r"^[A-Z]{3}$", description="Currency whose prices it follows.")
    vintage: str = Field(description="Release of the index; levels of two vintages never meet.")
    levels: Mapping[str, float] = Field(min_length=1, description="Level by date: '2024-12', or a year.")
    source: Source | None = None

    def level(self, date: str) -> float | None:
        """Level at a date; that of a year is the mean of its twelve months. None where it has none."""
        if date in self.levels:
            return self.levels[date]
        months = [level for month, level in self.levels.items() if month.startswith(f"{date}-")]
        return sum(months) / len(months) if len(months) == 12 else None


class Finance(Record):
    """What money costs: a real discount rate, or what one is made from; and how prices grow beyond the price level."""

    rate: Growth | None = Field(default=None, description="Real discount rate, prices being constant.")
    nominal_rate: Growth | None = Field(default=None, description="With 'inflation', gives the real rate.")
    inflation: Growth | None = None
    equity_share: Portion | None = Field(default=None, description="With the costs of both, gives the nominal rate.")
    cost_of_equity: RatePerYear | None = None
    cost_of_debt: RatePerYear | None = None
    tax: Portion | None = Field(default=None, description="Tax rate on profits.")
    period: Annotated[Figure, FigureIn("year", above=0, example="1 month")] | None = Field(
        default=None, description="How often is paid and compounded; a year where nothing is stated."
    )
    escalation: Mapping[Component, Growth] = Field(default={}, description="Real growth of a price, by component.")

    @model_validator(mode="after")
    def _one_rate(self) -> Finance:
        capital = (self.equity_share, self.cost_of_equity, self.cost_of_debt)
        if any(part is not None for part in capital) and not all(part is not None for part in capital):
            raise refusal("'equity_share', 'cost_of_equity' and 'cost_of_debt' go together")
        if sum((self.rate is not None, self.nominal_rate is not None, self.equity_share is not None)) > 1:
            raise refusal("give one of 'rate' (real), 'nominal_rate', and 'equity_share' with the costs of capital")
        if (self.nominal_rate is not None or self.equity_share is not None) and self.inflation is None:
            raise refusal("a nominal rate needs 'inflation' beside it: cash flows are in constant prices")
        return self


class SiteCosts(Record):
    """What a site costs beside tariff and building; `Site` has these fields too."""

    electricity: Tariff | str | None = Field(
        default=None, description="A tariff with its parts, instead of the one price of 'tariff'; or a name of one."
    )
    power_cooling_share: Portion | None = Field(
        default=None, description="Share of power and cooling in 'building_cost'; they then have a life of their own."
    )
    power_cooling_lifetime: Life | None = None
    colocation: Annotated[Figure, FigureIn("money/(kW*month)", at_least=0)] | None = Field(
        default=None, description="Rent per provisioned kW and month, instead of a building."
    )
    operation: Annotated[Figure, FigureIn("money/(kW*month)", at_least=0)] | None = Field(
        default=None, description="Running the facility, per provisioned kW and month, electricity left out."
    )
    staff: Annotated[Figure, FigureIn("FTE/MW", at_least=0)] | None = Field(
        default=None, description="Full-time equivalents per provisioned MW; with 'salary'."
    )
    salary: Annotated[Figure, FigureIn("money/(FTE*year)", at_least=0)] | None = None
    floor_price: Annotated[Figure, FigureIn("money/(m**2*year)", at_least=0, example="200 EUR/(m2 year)")] | None = (
        Field(default=None, description="Virtual price of floor space; with 'floor_area' of the system.")
    )
    water_price: Annotated[Figure, FigureIn("money/m**3", at_least=0, example="2 EUR/m3")] | None = Field(
        default=None, description="Of the water used on site, with the charge for what is let off."
    )
    carbon_price: Annotated[Figure, FigureIn("money/tCO2e", at_least=0, example="70 EUR/tCO2e")] | None = Field(
        default=None, description="Paid on the operational emissions; not what the tariff holds already."
    )
    social_cost: Annotated[Figure, FigureIn("money/tCO2e", at_least=0, example="210 USD/tCO2e")] | None = Field(
        default=None, description="Damage of the emissions, which nobody pays: a memo line, never in the total."
    )
    share: Portion | None = Field(
        default=None, description="Share of the site that the nodes of the run are; for fixed charges."
    )
    peak_power: Annotated[Figure, FigureIn("kW", above=0)] | None = Field(
        default=None, description="Highest power of a month at the meter that the nodes cause; for demand charges."
    )
    finance: Finance | None = None
    price_index: PriceIndex | None = None
    price_date: str | None = Field(default=None, description="Date whose price level costs are in; with a price index.")
    price_base: str | None = Field(
        default=None, description="Date of the prices that do not say theirs; with a price index."
    )
