"""The methods beside amortised: annuity, acquisition, cash-flow NPV. Each has its lines under a name of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tco.estimation.case import Case
from tco.estimation.costs.capital import Capital, Costed, Plan
from tco.estimation.costs.choice import Method
from tco.estimation.costs.money import Ledger
from tco.formulas import cost as formulas
from tco.formulas import finance
from tco.graph import Node
from tco.records.costs import Finance
from tco.records.figure import Figure
from tco.units import Q

CONVENTION = "first flow at year 0, running costs and residual at the end of each year"


class Terms:
    """Discount rate, compounding period and escalations, as the graph's inputs and lines.

    Parameters
    ----------
    case
        The case.
    """

    def __init__(self, case: Case) -> None:
        self.case = case
        self.about = case.site.finance or Finance()
        self._escalations: dict[str, Node] = {}
        self.rate = self._rate()
        self.period = self._period()

    def _one(self, name: str, unit: str, label: str, stated: Figure | None, default: str | None = None) -> Node | None:
        return self.case.one_of(f"finance.{name}", unit, label, stated=stated, default=default)

    def _rate(self) -> Node:
        case, about = self.case, self.about
        if "finance.rate" in case.graph.named:
            return case.graph["finance.rate"]
        nominal = self._one("nominal_rate", "1/year", "Nominal discount rate", about.nominal_rate)
        inflation = self._one("inflation", "1/year", "Inflation", about.inflation)
        if nominal is None:
            nominal = self._of_capital()
        if nominal is not None and inflation is not None and not case.graph.is_stated("finance.rate"):
            return case.graph.line(
                "finance.rate",
                finance.net_rate(nominal, inflation, self._period()),
                "1/year",
                "Real discount rate, from the nominal one and inflation",
                by=finance.net_rate,
            )
        rate = self._one("rate", "1/year", "Real discount rate", about.rate, "finance.rate")
        assert rate is not None
        return rate

    def _of_capital(self) -> Node | None:
        about = self.about
        share = self._one("equity_share", "1", "Equity over equity and debt", about.equity_share)
        equity = self._one("cost_of_equity", "1/year", "What the owners ask for", about.cost_of_equity)
        debt = self._one("cost_of_debt", "1/year", "What the lenders ask for", about.cost_of_debt)
        if share is None or equity is None or debt is None:
            return None
        tax = self._one("tax", "1", "Tax rate on profits", about.tax)
        result = finance.weighted_cost_of_capital(share, equity, debt, tax if tax is not None else share * 0)
        return self.case.graph.line(
            "finance.cost_of_capital", result, "1/year", "Weighted average cost of capital, nominal",
            by=finance.weighted_cost_of_capital,
        )  # fmt: skip

    def _period(self) -> Node:
        graph = self.case.graph
        if "finance.period" in graph.named:
            return graph["finance.period"]
        stated = self._one("period", "year", "How often is paid and compounded", self.about.period)
        if stated is not None:
            return stated
        return graph.input("finance.period", Q(1.0, "year"), "year", "How often is paid and compounded: every year")

    def factor(self, life: Node) -> Node:
        """All payments of an annuity over the price, for a life, as a line."""
        return self._factor(life, self.rate, "")

    def _factor(self, life: Node, rate: Node, suffix: str) -> Node:
        graph, name = self.case.graph, f"finance.factor.{life.name}{suffix}"
        if name in graph.named:
            return graph[name]
        step = self._line(
            f"finance.rate_per_period{suffix}", finance.rate_per_period, "Rate per period", rate, self.period
        )
        count = self._line(
            f"finance.periods.{life.name}", finance.number_of_periods, f"Periods in {life.name}", life, self.period
        )
        lost = self._line(
            f"finance.lost.{life.name}{suffix}", finance.lost_by_waiting, "What a unit loses by waiting so long", step,
            count,
        )  # fmt: skip
        label = f"All payments of an annuity over the price, {life.name}"
        return self._line(name, finance.financing_factor, label, step, count, lost)

    def _line(self, name: str, by: Callable[..., Any], label: str, *operands: Node) -> Node:
        """A dimensionless line, made once."""
        graph = self.case.graph
        return graph[name] if name in graph.named else graph.line(name, by(*operands), "1", label, by=by)

    def late(self, life: Node) -> Node:
        """Present worth at the end of a life, as a line."""
        graph, name = self.case.graph, f"finance.late.{life.name}"
        if name in graph.named:
            return graph[name]
        result = finance.present_worth(self.rate, life, self.period)
        return graph.line(name, result, "1", f"Present worth of one unit after {life.name}", by=finance.present_worth)

    def worth(self, life: Node, component: str | None = None) -> Node:
        """Mean present worth of what is paid evenly over a life, for a component whose price grows."""
        growth = None if component is None else self.escalation(component)
        if growth is None:
            rate, suffix, words = self.rate, "", ""
        else:
            rate, suffix = finance.net_rate(self.rate, growth, self.period), f".{component}"
            words = f", the price of {component} growing"
        factor = self._factor(life, rate, suffix)
        label = f"Mean present worth of what is paid over {life.name}{words}"
        return self._line(f"finance.worth.{life.name}{suffix}", finance.worth_of_even_payments, label, factor)

    def escalation(self, component: str) -> Node | None:
        """Real growth of the price of a component a year, where stated."""
        if component not in self._escalations:
            figure = next((value for key, value in self.about.escalation.items() if key == component), None)
            node = self._one(f"escalation.{component}", "1/year", f"Real growth of the price of {component}", figure)
            if node is None:
                return None
            self._escalations[component] = node
        return self._escalations[component]


def add_annuity(case: Case, plan: Plan, terms: Terms, running: Mapping[str, Node | None]) -> None:
    """The lines of the method annuity: what is bought is repaid with interest over its life."""
    if not plan.capitals:
        case.miss_total("cost.annuity.total", ["cost.hardware"])
        return

    def cost_of(capital: Capital) -> Costed:
        price = capital.price
        if plan.residual is not None and capital.equipment:
            price = formulas.net_present_price(price, plan.residual, terms.late(capital.life))
        result = formulas.annuity_cost(price, terms.factor(capital.life), capital.amount, capital.share)
        return result, formulas.annuity_cost

    method: Method = "annuity"
    bought = plan.lines("cost.annuity", method, cost_of, real=True)
    _totals(case, plan.ledger, "cost.annuity", method, bought, running, {})


def add_acquisition(case: Case, plan: Plan) -> None:
    """The lines of the method acquisition: what the equipment costs to buy, whatever the run takes of its life."""

    def cost_of(capital: Capital) -> Costed:
        return formulas.acquisition_cost(capital.price, capital.amount), formulas.acquisition_cost

    method: Method = "acquisition"
    bought = plan.lines("cost.acquisition", method, cost_of, words=": price of what the run holds", skip=("facility",))
    if "hardware" not in bought:
        case.miss_total("cost.acquisition.total", ["cost.hardware"])
        return
    parts = {f"cost.acquisition.{name}": node for name, node in bought.items()}
    label = "Purchase of the equipment that the run needs; building and running costs are not in it"
    plan.ledger.total("cost.acquisition.total", label, dict(parts), method)


def add_npv(case: Case, plan: Plan, terms: Terms, running: Mapping[str, Node | None]) -> None:
    """The lines of the method cash-flow NPV: the run's share of the present value of the life of its nodes.

    What serves longer or shorter than the nodes counts with its annuity, for as long as they serve.
    """
    method: Method = "cash-flow NPV"
    if not any(capital.name.startswith("hardware") for capital in plan.capitals):
        case.miss_total("cost.npv.total", ["cost.hardware"])
        return
    horizon, ledger = case.graph["system.lifetime"], plan.ledger
    facts: dict[str, Any] = {"real": True, "convention": CONVENTION}

    def cost_of(capital: Capital) -> Costed:
        price = capital.price
        if plan.residual is not None and capital.equipment:
            price = formulas.net_present_price(price, plan.residual, terms.late(capital.life))
        if capital.life is horizon:  # paid at year 0, which nothing discounts
            return formulas.amortised(price, capital.amount, capital.share), formulas.amortised
        charged = formulas.annuity_cost(price, terms.factor(capital.life), capital.amount, capital.share)
        return formulas.present_share(charged, terms.worth(horizon)), formulas.present_share

    bought = plan.lines("cost.npv", method, cost_of, words=": present value", **facts)
    opex: dict[str, Node | None] = {}
    for name, node in running.items():
        if node is None:
            opex[name] = None
            continue
        result = formulas.present_share(node, terms.worth(horizon, name))
        label = f"{node.label}: present value"
        line = f"cost.npv.{name}"
        opex[name] = ledger.line(line, result, label, formulas.present_share, method, [node], **facts)
    _totals(case, ledger, "cost.npv", method, bought, opex, facts, own=True)


def _totals(
    case: Case,
    ledger: Ledger,
    prefix: str,
    method: Method,
    bought: Mapping[str, Node],
    running: Mapping[str, Node | None],
    facts: Mapping[str, Any],
    *,
    own: bool = False,
) -> None:
    """Capital, running cost and their sum by a method; `own` where the running costs are its own lines."""
    about = {key: value for key, value in facts.items() if key != "real"}
    wanted: dict[str, Node | None] = {f"{prefix}.{name}": node for name, node in bought.items()}
    for name in ("hardware", "facility"):  # without them a total would be too low
        missing = next((known.line for known in case.missing if known.line == f"cost.{name}"), None)
        if missing is not None:
            wanted[f"cost.{name}"] = None
    capex = ledger.total(f"{prefix}.capex", "Capital", wanted, method, real=True, **about)
    if own:
        parts = {f"{prefix}.{name}": node for name, node in running.items()}
        opex = ledger.total(f"{prefix}.opex", "Running", parts, method, real=True, **about)
    else:
        plain = {f"cost.{name}": node for name, node in running.items()}
        if any(node is None for node in plain.values()):
            case.miss_total(f"{prefix}.opex", [name for name, node in plain.items() if node is None])
            opex = None
        else:
            whole = case.graph["cost.opex"]
            opex = ledger.line(f"{prefix}.opex", whole, "Running, as it is paid", None, method, [whole], real=True)
    label = {"annuity": "Cost of the run", "cash-flow NPV": "Cost of the run, share of the present value"}[method]
    ledger.total(
        f"{prefix}.total", label, {f"{prefix}.capex": capex, f"{prefix}.opex": opex}, method, real=True, **about
    )
