"""The whole life of a system: what is paid in each year, and what that is worth at the beginning."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tco import catalog
from tco.errors import EstimateError
from tco.estimation.build import estimate
from tco.estimation.costs.choice import CostChoice
from tco.estimation.costs.methods import CONVENTION, Terms
from tco.estimation.costs.money import cost_facts
from tco.estimation.result import Estimate
from tco.formulas import cost as formulas
from tco.formulas import finance
from tco.graph import Graph, Node
from tco.records.base import load
from tco.records.run import Run
from tco.records.site import Site
from tco.records.system import System
from tco.units import Q, Quantity

SCHEMA = "tco.system/1"
_RECORD_FILES = (".toml", ".json")


class Row(NamedTuple):
    """What is paid for one thing, year by year.

    Attributes
    ----------
    name, label
        Line of the yearly cost it comes from, without ``cost.``, and what it is.
    flows
        Money by year, year 0 first, shape (years + 1,).
    """

    name: str
    label: str
    flows: tuple[float, ...]


class WholeLife:
    """What a system costs from purchase to the end of a horizon.

    Attributes
    ----------
    estimate
        The estimate of one year of use, in whose graph the flows are: ``cashflow.<name>.year<t>``.
    system, years, nodes
        What is looked at.
    money
        Currency.
    rows, totals, present
        Flows of each thing, of all, and their present values, year 0 first.
    """

    def __init__(self, est: Estimate, system: System, years: int, nodes: float, rows: list[Row], terms: Terms) -> None:
        self.estimate = est
        self.system, self.years, self.nodes = system, years, nodes
        self.rows = tuple(rows)
        self.graph: Graph = est.graph
        assert est.plan is not None
        self.money = est.plan.ledger.money
        self.terms = terms
        self.totals = tuple(self._value(f"cashflow.total.year{t}") for t in range(years + 1))
        self.present = tuple(self._value(f"cashflow.present.year{t}") for t in range(years + 1))

    def _value(self, name: str) -> float:
        return self.graph[name].value

    @property
    def total(self) -> float:
        """Plain sum of all flows."""
        return self._value("cashflow.total")

    @property
    def net_present_value(self) -> float:
        """Present value of all flows at year 0, as a cost."""
        return self._value("cashflow.npv")

    @property
    def rate(self) -> float:
        """Real discount rate per year."""
        return float(self.terms.rate.quantity.m_as(Q(1, "1/year").units))

    def to_dict(self) -> dict[str, Any]:
        """The cash flow as plain data, schema ``tco.system/1``."""
        graph = self.graph
        names = ("cashflow.total", "cashflow.npv")
        facts = dict(graph["cashflow.npv"].facts)
        data = self.estimate.to_dict()
        return {
            "schema": SCHEMA,
            "system": self.system.name,
            "nodes": self.nodes,
            "years": self.years,
            "currency": self.money,
            **{key: facts[key] for key in ("method", "price_year", "terms", "convention") if key in facts},
            "discount_rate": {"value": self.rate, "unit": "1/year"},
            "rows": [{"name": row.name, "label": row.label, "flows": list(row.flows)} for row in self.rows],
            "total_by_year": list(self.totals),
            "present_by_year": list(self.present),
            "total": self.total,
            "net_present_value": self.net_present_value,
            "range": {name.removeprefix("cashflow."): list(graph.range_of(name)) for name in names},
            "not_counted": list(self.estimate.plan.not_counted) if self.estimate.plan else [],
            "missing": data["missing"],
            "inputs": data["inputs"],
            "warnings": data["warnings"],
            "data": data["data"],
            "tool": data["tool"],
        }

    def to_json(self) -> str:
        """The cash flow as JSON text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def whole_life(
    system: System | str | Path,
    years: int = 5,
    *,
    nodes: float = 1,
    power: Quantity | str | None = None,
    idle_power: Quantity | str | None = None,
    region: str | None = None,
    site: Site | str | Path | None = None,
    set: Mapping[str, object] | None = None,
    year: int | None = None,
    currency: str | None = None,
    cost: CostChoice | None = None,
) -> WholeLife:
    """What a system costs by year, from purchase to the end of a horizon.

    Parameters
    ----------
    system
        Hardware record, name of one in the catalogue, or a file.
    years
        Horizon, whole years.
    nodes
        How many nodes.
    power, idle_power
        Mean power of one node at its AC inlet while it is used and while it is not; else the first is told from the
        rating of its accelerators, and the second is left out with a warning.
    region, site, set, year, currency, cost
        As for `tco.estimate`.

    Returns
    -------
    WholeLife

    Raises
    ------
    EstimateError
        If the record does not tell a price or a power; the message says what to state.
    """
    if years < 1 or years != int(years):
        raise EstimateError(f"--years {years}: the horizon must be whole years, 1 or more")
    if nodes <= 0:
        raise EstimateError(f"--nodes {nodes:g}: there must be more than 0")
    record = system if isinstance(system, System) else _load(system)
    if isinstance(site, str | Path):
        site = load(Site, Path(site))
    stated = dict(set or {})
    use = _use(record, stated)
    run = _year_of_use(record, nodes, use, power)
    choice = (cost or CostChoice())._replace(methods=("annuity", "cash-flow NPV"))
    est = estimate(run, region=region, system=system, site=site, set=stated, year=year, currency=currency, cost=choice)
    plan = est.plan
    if plan is None or "cost.capex" not in est.graph.named or "cost.opex" not in est.graph.named:
        reasons = "; ".join(
            f"{missing.line}: {missing.reason}"
            for missing in est.missing
            if missing.line.startswith("cost.") and not missing.reason.startswith("it needs cost.")
        )
        raise EstimateError(f"{record.name}: the cash flow cannot be made: {reasons}")
    return _flows(est, record, int(years), nodes, use, idle_power)


def _load(system: str | Path) -> System:
    path = Path(system)
    return load(System, path) if path.suffix in _RECORD_FILES else catalog.system(str(system))


def _use(record: System, stated: Mapping[str, object]) -> Quantity:
    """Share of the year in which the nodes are used."""
    from tco.units import read_quantity

    if "system.utilisation" in stated:
        return read_quantity(stated["system.utilisation"], "1")
    figure = record.utilisation or catalog.default("system.utilisation")
    return figure.quantity("1")


def _year_of_use(record: System, nodes: float, use: Quantity, power: Quantity | str | None) -> Run:
    """A year of use as a run: what it costs is what the nodes cost in that year."""
    hours = float((Q(1.0, "year") * use).m_as(Q(1, "h").units))
    if hours <= 0:
        raise EstimateError("system.utilisation is 0: nodes that are never used have no cost of use")
    devices: list[dict[str, Any]] = [{"kind": "node", "count": nodes}]
    if record.accelerator is not None and record.devices_per_node is not None:
        count = nodes * record.devices_per_node
        devices = [{"kind": "accelerator", "model": record.accelerator, "count": count}]
    data: dict[str, Any] = {
        "name": f"a year of {record.name}",
        "duration": {"value": hours, "unit": "h"},
        "nodes": nodes,
        "devices": devices,
    }
    if power is not None:
        text = power if isinstance(power, str) else {"value": float(power.magnitude), "unit": f"{power.units:~C}"}
        data["power"] = {"boundary": "node_ac", "scope": "node", "average_power": text}
    elif record.mean_power is not None:
        watts = float(record.mean_power.quantity("W").magnitude)
        data["power"] = {"boundary": "node_ac", "scope": "node", "average_power": {"value": watts, "unit": "W"}}
    elif record.accelerator is None:
        raise EstimateError(
            f"{record.name}: the power of a node in use is not known; give --power '1.2 kW', its mean while it is used "
            "(of tco replace: --old-power, --new-power)"
        )
    return Run.model_validate(data)


def _flows(
    est: Estimate, record: System, years: int, nodes: float, use: Quantity, idle_power: Quantity | str | None
) -> WholeLife:
    graph, plan = est.graph, est.plan
    assert plan is not None
    ledger, case = plan.ledger, plan.ledger.case
    terms = Terms(case)

    def at(t: int) -> Node:
        return graph.operate("same", Q(float(t), "year"))

    horizon = at(years)
    by_row: dict[str, tuple[str, list[Node | None]]] = {}

    def add(name: str, label: str, t: int, node: Node) -> None:
        flows = by_row.setdefault(name, (label, [None] * (years + 1)))[1]
        old = flows[t]
        flows[t] = node if old is None else old + node

    left: dict[str, Node] = {}
    for capital in plan.capitals:
        top = capital.name.partition(".")[0]
        price = formulas.acquisition_cost(capital.price, capital.amount)
        for t in range(years):
            bought = finance.purchases(at(t + 1), capital.life) - finance.purchases(at(t), capital.life)
            if bought.value > 0:
                add(top, capital.label, t, price * bought)
        unused = finance.unused_life(horizon, capital.life)
        back = price * unused
        if plan.residual is not None and capital.equipment:
            back = formulas.net_price(back, plan.residual) + price * plan.residual
        if back.value > 0:
            add("residual", "Value left at the end", years, -back)
            left[top] = left[top] + back if top in left else back
    for follower in plan.followers:
        label, flows = by_row.get("hardware", ("", [None] * (years + 1)))
        for t, node in enumerate(flows):
            if node is not None:
                add(follower.name, follower.label, t, follower.by(node, follower.rate))
        if follower.name == "network" and "hardware" in left:
            add("residual", "Value left at the end", years, -follower.by(left["hardware"], follower.rate))
    opex = graph["cost.opex"].parts
    for node in opex:
        name = node.name.removeprefix("cost.")
        growth = terms.escalation(name)
        for t in range(1, years + 1):
            flow: Node = node
            if growth is not None:
                flow = finance.escalated(node, growth, at(t), terms.period)
            add(name, node.label, t, flow)
    _add_idle(est, use, idle_power, years, add)
    facts = cost_facts("cash-flow NPV", ledger.money, ledger.years_of([graph["cost.total"]]), real=True)
    facts["convention"] = CONVENTION
    rows: list[Row] = []
    totals: list[Node] = []
    for t in range(years + 1):
        parts = []
        for name, (label, flows) in by_row.items():
            node = flows[t]
            if node is not None:
                line = graph.line(f"cashflow.{name}.year{t}", node, "money", f"{label}, year {t}", **facts)
                parts.append(line)
        if not parts:
            zero = graph["cost.total"] * 0
            parts = [graph.line(f"cashflow.nothing.year{t}", zero, "money", f"Nothing, year {t}", **facts)]
        totals.append(graph.total(f"cashflow.total.year{t}", parts, "money", f"All flows, year {t}", **facts))
    for name, (label, flows) in by_row.items():
        values = [graph[f"cashflow.{name}.year{t}"].value if node is not None else 0.0 for t, node in enumerate(flows)]
        rows.append(Row(name, label, tuple(values)))
    present = []
    for t, total in enumerate(totals):
        worth = finance.present_worth(terms.rate, at(t), terms.period)
        result = total if t == 0 else finance.discounted(total, worth)
        label = f"Present value of year {t}"
        present.append(graph.line(f"cashflow.present.year{t}", result, "money", label, by=finance.discounted, **facts))
    graph.total("cashflow.total", totals, "money", "All flows, not discounted", **facts)
    graph.total("cashflow.npv", present, "money", "Present value of all flows", **facts)
    return WholeLife(est, record, years, nodes, rows, terms)


def _add_idle(
    est: Estimate,
    use: Quantity,
    idle_power: Quantity | str | None,
    years: int,
    add: Callable[[str, str, int, Node], None],
) -> None:
    """Electricity of the hours in which the nodes are on and not used: a row of its own."""
    graph = est.graph
    if float(use.magnitude) >= 1:
        return
    case = est.plan.ledger.case if est.plan else None
    assert case is not None
    if idle_power is None:
        case.warn(
            "idle-energy",
            "the electricity of idle hours is not counted; give --idle-power '1.5 kW', of a node at its inlet",
            "system",
        )
        est.warnings = tuple(case.warnings)
        return
    from tco.formulas import energy as energy_formulas
    from tco.graph import Input
    from tco.units import read_quantity

    watts = graph.input(
        "system.idle_power",
        read_quantity(idle_power, "W"),
        "W",
        "Power of a node that is not used",
        Input(note="stated"),
    )
    hours = Q(1.0, "year") * (1 - use)
    count = graph["run.nodes_charged"]
    it = energy_formulas.energy_of_mean_power(watts, count, graph.operate("same", hours))
    ratio = graph["energy.facility"] / graph["energy.it"]
    by_use = graph["cost.energy"]
    for part in by_use.parts:
        if part.facts.get("standing"):
            by_use = by_use - part
    cost = it * ratio * (by_use / graph["energy.facility"])
    for t in range(1, years + 1):
        add("idle", "Electricity of idle hours", t, cost)
