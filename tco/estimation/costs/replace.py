"""Keep a system, or replace it by one that does the same work: cost, carbon, payback, and the carbon price between."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tco.errors import EstimateError
from tco.estimation.costs.choice import CostChoice
from tco.estimation.costs.methods import CONVENTION
from tco.estimation.costs.whole_life import WholeLife, whole_life
from tco.formulas import cost as formulas
from tco.formulas import finance
from tco.records.site import Site
from tco.records.system import System
from tco.units import Q, Quantity, read_quantity

SCHEMA = "tco.replace/1"


class Year(NamedTuple):
    """Both ways up to the end of a year, in present value and in emissions since the decision.

    Attributes
    ----------
    year
        0 is the decision.
    keep_nodes, buy_nodes
        Nodes that the work of the year needs.
    keep_cost, buy_cost
        Cumulated present value.
    keep_carbon, buy_carbon
        Cumulated, in kgCO2e.
    """

    year: int
    keep_nodes: float
    buy_nodes: float
    keep_cost: float
    buy_cost: float
    keep_carbon: float
    buy_carbon: float


class Replacement(NamedTuple):
    """Keep or replace, over a horizon.

    Attributes
    ----------
    old, new
        Whole lives of one node of each, which tell what a node costs and emits in a year.
    by_year
        Both ways, year by year.
    cost_payback, carbon_payback
        The year by whose end the new system has made up for its cost, and for its embodied carbon; None for never.
    carbon_price
        Per tCO2e, from which replacing pays; 0 where it pays without one, None where it emits more.
    assumed
        What nobody stated, in words.
    """

    old: WholeLife
    new: WholeLife
    by_year: tuple[Year, ...]
    cost_payback: int | None
    carbon_payback: int | None
    carbon_price: float | None
    growth: float
    speedup: float
    assumed: tuple[str, ...]

    @property
    def money(self) -> str:
        """Currency."""
        return self.new.money

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain data, schema ``tco.replace/1``."""
        return {
            "schema": SCHEMA,
            "old": self.old.system.name,
            "new": self.new.system.name,
            "years": self.by_year[-1].year,
            "currency": self.money,
            "method": "cash-flow NPV",
            "convention": CONVENTION,
            "price_year": {
                "old": self.old.graph["cashflow.npv"].facts["price_year"],
                "new": self.new.graph["cashflow.npv"].facts["price_year"],
            },
            "discount_rate": {"value": self.new.rate, "unit": "1/year"},
            "growth": {"value": self.growth, "unit": "1/year"},
            "speedup": self.speedup,
            "by_year": [year._asdict() for year in self.by_year],
            "cost_payback_year": self.cost_payback,
            "carbon_payback_year": self.carbon_payback,
            "carbon_price": None
            if self.carbon_price is None
            else {"value": self.carbon_price, "unit": f"{self.money}/tCO2e"},
            "assumed": list(self.assumed),
        }

    def to_json(self) -> str:
        """The comparison as JSON text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _split(stated: Mapping[str, object], which: str) -> dict[str, object]:
    """Values for one of the two systems: those with its prefix, and those without any."""
    other = {"old": "new.", "new": "old."}[which]
    return {name.removeprefix(f"{which}."): value for name, value in stated.items() if not name.startswith(other)}


class _Way(NamedTuple):
    """What one node of a system costs and emits, as numbers in one currency and in kg."""

    price: float
    yearly: tuple[float, ...]
    embodied: float
    operational: float


def _way(life: WholeLife) -> _Way:
    graph = life.graph
    capex = sum(row.flows[0] for row in life.rows if row.name != "facility")
    running = tuple(
        sum(row.flows[t] for row in life.rows if not _bought(life, row.name)) for t in range(1, life.years + 1)
    )
    if "carbon.operational" not in graph.named:
        raise EstimateError(
            f"{life.system.name}: its emissions are not known: name the place, for instance --region eu"
        )
    share = graph["run.life_share"].value
    embodied = graph["carbon.embodied"].value / share if "carbon.embodied" in graph.named else None
    if embodied is None:
        raise EstimateError(
            f"{life.system.name}: its embodied carbon is not known: list its parts in a record, so that the payback of "
            "carbon can be told"
        )
    operational = float(graph["carbon.operational"].quantity.m_as(Q(1, "kgCO2e").units))
    kilograms = embodied * float(Q(1, graph["carbon.embodied"].unit).m_as(Q(1, "kgCO2e").units))
    return _Way(capex, running, kilograms, operational)


def _bought(life: WholeLife, name: str) -> bool:
    plan = life.estimate.plan
    assert plan is not None
    return name == "residual" or name in plan.names


def replace(
    old: System | str | Path,
    new: System | str | Path,
    years: int = 6,
    *,
    growth: float = 0.0,
    speedup: float | None = None,
    nodes: float = 1,
    resale: Quantity | str | None = None,
    old_power: str | None = None,
    new_power: str | None = None,
    region: str | None = None,
    site: Site | str | Path | None = None,
    set: Mapping[str, object] | None = None,
    year: int | None = None,
    currency: str | None = None,
    cost: CostChoice | None = None,
) -> Replacement:
    """Compare keeping an old system with buying a new one that does the same work.

    What the old system cost and emitted when it was made is past; nodes that growing work needs are bought of the kind
    that is kept or bought, in the year that needs them. The building stays, so that it costs neither way; the residual
    value at the horizon is left out on both sides.

    Parameters
    ----------
    old, new
        Hardware records, names in the catalogue, or files.
    years
        Horizon.
    growth
        Growth of the work per year: 0.2 for 20 %.
    speedup
        Work of a new node over that of an old one; 1 where nobody says.
    nodes
        Old nodes.
    resale
        What is got for an old node.
    old_power, new_power
        Mean power of a node in use, at its AC inlet.
    set
        Values for inputs; those with the prefix ``old.`` or ``new.`` are for one of the two.
    region, site, year, currency, cost
        As for `tco.estimate`.
    """
    if not growth > -1:
        raise EstimateError(f"--growth {growth:g} leaves no work; write 0.2 for 20 % a year")
    if speedup is not None and not speedup > 0:
        raise EstimateError(f"--speedup {speedup:g} must be more than 0: work of a new node over that of an old one")
    stated = dict(set or {})
    shared: dict[str, Any] = {"region": region, "site": site, "year": year, "currency": currency, "cost": cost}
    after = whole_life(new, years, power=new_power, set=_split(stated, "new"), **shared)
    shared["currency"] = currency or after.money
    before = whole_life(old, years, power=old_power, set=_split(stated, "old"), **shared)
    kept, bought = _way(before), _way(after)
    gain = 1.0 if speedup is None else speedup
    back = 0.0
    if resale is not None:
        quantity = read_quantity(resale, "money")
        back = float(quantity.m_as(Q(1, after.money).units)) if f"{quantity.units:~C}" == after.money else -1.0
        if back < 0:
            raise EstimateError(
                f"--resale '{resale}' must be in {after.money}, as the costs are: write '20000 {after.money}'"
            )
    table = _table(after, kept, bought, years, nodes, growth, gain, back)
    last = table[-1]
    less: Any = Q(last.keep_carbon - last.buy_carbon, "kgCO2e")
    more: Any = Q(last.buy_cost - last.keep_cost, after.money)
    price = None
    if float(more.magnitude) <= 0:
        price = 0.0
    elif float(less.magnitude) > 0:
        price = float(formulas.abatement_price(more, less).m_as(Q(1, f"{after.money}/tCO2e").units))
    assumed = ["the building stays: it costs neither way", "no value is left in either system at the horizon"]
    if speedup is None:
        assumed.append("a new node does the work of one old node: --speedup says otherwise")
    if resale is None:
        assumed.append("nothing is got for the old nodes: --resale says otherwise")
    return Replacement(
        before,
        after,
        tuple(table),
        _payback([(row.keep_cost, row.buy_cost) for row in table]),
        _payback([(row.keep_carbon, row.buy_carbon) for row in table]),
        price,
        growth,
        gain,
        tuple(assumed),
    )


def _table(
    life: WholeLife, kept: _Way, bought: _Way, years: int, nodes: float, growth: float, gain: float, back: float
) -> list[Year]:
    rate, year = life.rate, 1.0
    keep_nodes, buy_nodes = _nodes(nodes), _nodes(nodes / gain)
    keep_cost, buy_cost = 0.0, buy_nodes * bought.price - nodes * back
    keep_carbon, buy_carbon = 0.0, buy_nodes * bought.embodied
    table = [Year(0, keep_nodes, buy_nodes, keep_cost, buy_cost, keep_carbon, buy_carbon)]
    for t in range(1, years + 1):
        work = float(finance.escalated(nodes, growth, float(t - 1), year))
        start, end = (float(finance.present_worth(rate, float(when), year)) for when in (t - 1, t))
        more_kept, more_bought = _nodes(work) - keep_nodes, _nodes(work / gain) - buy_nodes
        if more_kept > 0:  # work that grows needs more nodes, at the beginning of the year
            keep_cost += more_kept * kept.price * start
            keep_carbon += more_kept * kept.embodied
            keep_nodes += more_kept
        if more_bought > 0:
            buy_cost += more_bought * bought.price * start
            buy_carbon += more_bought * bought.embodied
            buy_nodes += more_bought
        keep_cost += keep_nodes * kept.yearly[t - 1] * end
        buy_cost += buy_nodes * bought.yearly[t - 1] * end
        keep_carbon += keep_nodes * kept.operational
        buy_carbon += buy_nodes * bought.operational
        table.append(Year(t, keep_nodes, buy_nodes, keep_cost, buy_cost, keep_carbon, buy_carbon))
    return table


def _nodes(count: float) -> float:
    """Whole nodes, the rounding of a product forgiven."""
    whole = round(count)
    return float(whole if abs(count - whole) < 1e-9 * max(whole, 1) else -(-count // 1))


def _payback(ways: list[tuple[float, float]]) -> int | None:
    """The first year from whose end on buying has stayed behind keeping; None where that never comes."""
    found = None
    for year, (keep, buy) in enumerate(ways):
        if float(formulas.payback_difference(keep, buy)) < 0:
            found = None
        elif found is None:
            found = year
    return found
