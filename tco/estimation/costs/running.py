"""What running costs: electricity, maintenance, and whatever else the user or the site states."""

from __future__ import annotations

from tco.estimation.case import Case
from tco.estimation.costs.capital import Plan, paid_time, site_figure, system_figure
from tco.estimation.costs.money import Ledger
from tco.estimation.energy import Energies
from tco.estimation.hardware import duration, has_duration, node_count
from tco.formulas import cost as formulas
from tco.formulas import reliability
from tco.graph import Node
from tco.units import Q

#: All running costs, without ``cost.``, in the order in which they are shown.
RUNNING = (
    "energy", "maintenance", "support", "licences", "staff", "operation", "colocation", "insurance", "water", "floor",
    "carbon", "spares",
)  # fmt: skip
#: Lines that cost by use alone; all others are paid whether the nodes are used or not.
BY_USE = ("energy", "water", "carbon", "spares")


def running_lines(
    case: Case, plan: Plan, energies: Energies, energy: Node | None, hardware: Node | None
) -> dict[str, Node | None]:
    """The running costs of a run by their names; None for one that must be there and is not known."""
    ledger = plan.ledger
    found: dict[str, Node | None] = {"energy": energy, "maintenance": _maintenance(case, ledger, hardware)}
    optional = {
        "support": _by_price(case, plan, "support", "Support contract, per year over the price", "Support contract"),
        "licences": _licences(case, ledger),
        "staff": _staff(case, ledger),
        "operation": _by_power(case, ledger, "operation", "Running the facility, electricity left out"),
        "colocation": _by_power(case, ledger, "colocation", "Rent of space with power and cooling"),
        "insurance": _by_price(case, plan, "insurance", "Insurance, per year over the price", "Insurance"),
        "water": _water(case, ledger),
        "floor": _floor(case, ledger),
        "carbon": _carbon(case, ledger),
        "spares": _spares(case, ledger),
    }
    lacking = {missing.line for missing in case.missing}
    for name, node in optional.items():
        if node is not None or f"cost.{name}" in lacking:  # stated, and not to be told: then the total is not, either
            found[name] = node
        elif name != "colocation":
            plan.not_counted.append(name)
    return found


def add_memo(case: Case, ledger: Ledger) -> None:
    """Damage of the emissions, which nobody pays: beside the total, never in it."""
    price = ledger.price(site_figure(case, "social_cost", "money/tCO2e", "Damage of emissions, which nobody pays"))
    if price is None:
        return
    name = next((name for name in ("carbon.total", "carbon.operational") if name in case.graph.named), None)
    if name is None:
        case.miss("cost.social_carbon", "it needs carbon.operational")
        return
    emissions = case.graph[name]
    ledger.line(
        "cost.social_carbon",
        formulas.carbon_cost(emissions, price),
        f"Memo: damage of the emissions ({name}), in no total",
        formulas.carbon_cost,
        "amortised",
        [price],
        memo=True,
    )


def _maintenance(case: Case, ledger: Ledger, hardware: Node | None) -> Node | None:
    if hardware is None:
        return None
    label = "Maintenance over amortised cost of the nodes"
    rate = system_figure(case, "maintenance", "1", label, default="system.maintenance")
    assert rate is not None
    return ledger.line(
        "cost.maintenance",
        formulas.maintenance_cost(hardware, rate),
        "Maintenance of the nodes",
        formulas.maintenance_cost,
        "amortised",
        [hardware],
    )


def _need(case: Case, name: str, what: str) -> None:
    case.miss(f"cost.{name}", f"it needs {what}")


def _by_price(case: Case, plan: Plan, name: str, label: str, words: str) -> Node | None:
    rate = system_figure(case, name, "1/year", label)
    if rate is None:
        return None
    price, nodes, time = plan.node_price, node_count(case), paid_time(case)
    if price is None or nodes is None or time is None:
        _need(case, name, "the price of a node (--set system.price='250000 USD'), nodes and a duration")
        return None
    result = formulas.cost_by_price(price, rate, nodes, time)
    return plan.ledger.line(f"cost.{name}", result, words, formulas.cost_by_price, "amortised", [price])


def _by_power(case: Case, ledger: Ledger, name: str, label: str) -> Node | None:
    price = ledger.price(site_figure(case, name, "money/(kW*month)", f"{label}, per provisioned kW and month"))
    if price is None:
        return None
    rating = system_figure(case, "rating", "W", "Power to provision for one node")
    nodes, time = node_count(case), paid_time(case)
    if rating is None or nodes is None or time is None:
        _need(case, name, "the power to provision for a node (--set system.rating='10.2 kW'), nodes and a duration")
        return None
    result = formulas.cost_by_power(price, rating, nodes, time)
    return ledger.line(f"cost.{name}", result, label, formulas.cost_by_power, "amortised", [price])


def _licences(case: Case, ledger: Ledger) -> Node | None:
    price = ledger.price(system_figure(case, "licences", "money/year", "Software licences, per node and year"))
    if price is None:
        return None
    nodes, time = node_count(case), paid_time(case)
    if nodes is None or time is None:
        _need(case, "licences", "nodes and a duration")
        return None
    result = formulas.cost_by_node(price, nodes, time)
    return ledger.line("cost.licences", result, "Software licences", formulas.cost_by_node, "amortised", [price])


def _staff(case: Case, ledger: Ledger) -> Node | None:
    staff = site_figure(case, "staff", "FTE/MW", "Staff per provisioned power")
    salary = ledger.price(site_figure(case, "salary", "money/(FTE*year)", "Cost of one full-time employee"))
    if staff is None and salary is None:
        return None
    rating = system_figure(case, "rating", "W", "Power to provision for one node")
    nodes, time = node_count(case), paid_time(case)
    if staff is None or salary is None or rating is None or nodes is None or time is None:
        _need(
            case, "staff",
            "--set site.staff='0.6 FTE/MW', --set site.salary='100000 EUR/(FTE year)', system.rating, nodes, duration",
        )  # fmt: skip
        return None
    result = formulas.staff_cost(staff, salary, rating, nodes, time)
    return ledger.line("cost.staff", result, "Staff, by provisioned power", formulas.staff_cost, "amortised", [salary])


def _water(case: Case, ledger: Ledger) -> Node | None:
    price = ledger.price(site_figure(case, "water_price", "money/m**3", "Water used on site"))
    if price is None:
        return None
    if "water.site" not in case.graph.named:
        _need(case, "water", "the water used on site (--set site.wue='0.4 L/kWh')")
        return None
    result = formulas.water_cost(case.graph["water.site"], price)
    return ledger.line("cost.water", result, "Water used on site", formulas.water_cost, "amortised", [price])


def _floor(case: Case, ledger: Ledger) -> Node | None:
    price = ledger.price(site_figure(case, "floor_price", "money/(m**2*year)", "Floor space, virtual price"))
    if price is None:
        return None
    area = system_figure(case, "floor_area", "m**2", "Floor of one node with the space around it")
    nodes, time = node_count(case), paid_time(case)
    if area is None or nodes is None or time is None:
        _need(case, "floor", "--set system.floor_area='1.2 m2', nodes and a duration")
        return None
    result = formulas.floor_cost(price, area, nodes, time)
    label = "Floor space at a virtual price"
    return ledger.line("cost.floor", result, label, formulas.floor_cost, "amortised", [price])


def _carbon(case: Case, ledger: Ledger) -> Node | None:
    price = ledger.price(site_figure(case, "carbon_price", "money/tCO2e", "Carbon price that is paid"))
    if price is None:
        return None
    if "carbon.operational" not in case.graph.named:
        _need(case, "carbon", "carbon.operational")
        return None
    result = formulas.carbon_cost(case.graph["carbon.operational"], price)
    label = "Carbon price paid on the emissions of the electricity"
    return ledger.line("cost.carbon", result, label, formulas.carbon_cost, "amortised", [price])


def _spares(case: Case, ledger: Ledger) -> Node | None:
    """Accelerators replaced because they failed; counted where somebody states how often they fail, and their price."""
    stated = case.graph.is_stated("system.failure_rate") or (case.system and case.system.failure_rate is not None)
    if not stated:
        case.offered.add("system.failure_rate")
        return None
    rate = system_figure(case, "failure_rate", "1/year", "Failures of one accelerator per year of use")
    price = ledger.price(system_figure(case, "accelerator_price", "money", "Price of one accelerator"))
    count = devices(case)
    if price is None:
        return None
    if rate is None or count is None or not has_duration(case):
        _need(case, "spares", "devices and a duration")
        return None
    failures = reliability.expected_failures(rate, count, duration(case))
    result = reliability.spares_cost(failures, price)
    return ledger.line(
        "cost.spares",
        result,
        "Accelerators replaced because they failed",
        reliability.spares_cost,
        "amortised",
        [price],
    )


def devices(case: Case) -> Node | None:
    """Accelerators charged to the run: cards where a card holds several dies."""
    name, label = "run.devices_charged", "Accelerators charged to the run"
    if name in case.graph.named or case.graph.is_stated(name):
        return case.graph.input(name, None, "1", label)
    case.offered.add(name)
    if case.cost.allocation == "reserved" and case.run.nodes is not None and case.system is not None:
        per_node = case.system.devices_per_node
        if per_node is not None:
            return case.given(name, Q(case.run.nodes * per_node, "1"), "1", f"{label}: those of whole nodes", "nodes")
    cards = sum(device.cards or device.count for device in case.run.devices if device.kind != "node")
    if cards:
        return case.given(name, Q(cards, "1"), "1", label, "devices")
    nodes = node_count(case)
    if nodes is not None and case.system is not None and case.system.devices_per_node is not None:
        count = nodes.value * case.system.devices_per_node
        return case.given(name, Q(count, "1"), "1", f"{label}: those of its nodes", "nodes")
    return None
