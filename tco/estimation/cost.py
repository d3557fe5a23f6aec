"""The cost part of an estimate: amortised always, the other methods where they are asked for."""

from __future__ import annotations

from collections.abc import Mapping

from tco.estimation.case import Case
from tco.estimation.costs.bills import add_bill, price_of_energy, tariff_of
from tco.estimation.costs.capital import (
    Capital,
    Costed,
    Plan,
    amortised_cost,
    building_cost,
    make_plan,
    node_price,
    system_figure,
)
from tco.estimation.costs.choice import Method
from tco.estimation.costs.money import Ledger
from tco.estimation.costs.running import BY_USE, add_memo, running_lines
from tco.estimation.costs.useful import add_idle
from tco.estimation.energy import Energies
from tco.graph import Node
from tco.units import currency

METHOD: Method = "amortised"


def add_cost(case: Case, energies: Energies) -> Plan | None:
    """Add the cost lines to the graph of a case; returns what is bought, or None where no price is known."""
    tariff = tariff_of(case)
    energy_price = price_of_energy(case, tariff)
    price, building = node_price(case), building_cost(case)
    first = next((node for node in (energy_price, price, building) if node is not None), None)
    if first is None:
        first = _other_price(case)
    if first is None:
        case.miss("cost.total", "neither a price of the hardware nor a tariff is known")
        return None
    money = case.currency or currency(first.quantity)
    assert money is not None
    ledger = Ledger(case, money)
    bill = add_bill(case, ledger, energies, tariff, energy_price)
    plan = make_plan(case, ledger, price, building)
    bought = _bought(case, plan)
    running = running_lines(case, plan, energies, bill, bought.get("hardware"))
    _totals(case, plan, bought, running)
    add_memo(case, ledger)
    if case.cost.methods or case.cost.allocation != "used":
        add_idle(case, by_use(running))
    if case.cost.methods:
        _other_methods(case, plan, running)
    return plan


def _other_price(case: Case) -> Node | None:
    """A price beside those of energy, node and building, where one is stated."""
    node = system_figure(case, "accelerator_price", "money", "Price of one accelerator")
    if node is None and "rental" in case.cost.methods:
        from tco.estimation.costs.rental import stated_rent

        node = stated_rent(case)
    return node


def _bought(case: Case, plan: Plan) -> dict[str, Node]:
    """What is bought, by the method amortised."""

    def cost_of(capital: Capital) -> Costed:
        return amortised_cost(case, plan, capital)

    return plan.lines("cost", METHOD, cost_of)


def _totals(case: Case, plan: Plan, bought: Mapping[str, Node], running: Mapping[str, Node | None]) -> None:
    ledger = plan.ledger
    needed = ("hardware", *(() if plan.colocation else ("facility",)))
    capital: dict[str, Node | None] = {f"cost.{name}": node for name, node in bought.items()}
    capital |= {f"cost.{name}": None for name in needed if name not in bought}
    words = ", ".join(_WORDS.get(name, name) for name in bought) or "nodes, network, building"
    label = f"Capital: {words}" if set(bought) - {"hardware", "network", "facility"} else _CAPITAL
    capex = ledger.total("cost.capex", label, capital, METHOD)
    extra = [name for name in running if name not in ("energy", "maintenance")]
    words = ", ".join(("electricity", "maintenance", *extra))
    opex = ledger.total("cost.opex", f"Running: {words}", {f"cost.{k}": v for k, v in running.items()}, METHOD)
    total: dict[str, Node | None] = {"cost.capex": capex, "cost.opex": opex}
    ledger.total("cost.total", "Cost of the run", total, METHOD, not_counted=tuple(plan.not_counted))


_CAPITAL = "Capital: nodes, network, building"
_WORDS = {"hardware": "nodes", "facility": "building"}


def by_use(running: Mapping[str, Node | None]) -> Node | None:
    """What owning costs by use alone: electricity without its standing charges, water, carbon, spares."""
    result: Node | None = None
    for name in BY_USE:
        node = running.get(name)
        if node is not None:
            result = node if result is None else result + node
            for part in node.parts:
                if part.facts.get("standing"):
                    result = result - part
    return result


def _other_methods(case: Case, plan: Plan, running: Mapping[str, Node | None]) -> None:
    """The methods that are asked for, and what renting means for owning."""
    from tco.estimation.costs.methods import Terms, add_acquisition, add_annuity, add_npv

    wanted, graph = case.cost.methods, case.graph
    if "annuity" in wanted or "cash-flow NPV" in wanted:
        terms = Terms(case)
        if "annuity" in wanted:
            add_annuity(case, plan, terms, running)
        if "cash-flow NPV" in wanted:
            add_npv(case, plan, terms, running)
    if "acquisition" in wanted:
        add_acquisition(case, plan)
    if "rental" in wanted:
        from tco.estimation.costs.rental import add_break_even, add_rental

        rents = add_rental(case, plan.ledger)
        used = by_use(running)
        for prefix, name, own in (("cost", "", METHOD), ("cost.annuity", "annuity_", "annuity")):
            whole = graph.named.get(f"{prefix}.total")
            if whole is not None and used is not None:
                add_break_even(case, whole - used, used, rents, own, name)
