"""The cost part of an estimate, by the method ``amortised``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tco import catalog
from tco.errors import EstimateError
from tco.estimation.case import Case
from tco.estimation.energy import Energies
from tco.estimation.hardware import duration, has_duration, life_share, node_count, utilisation
from tco.formulas import cost as formulas
from tco.formulas.embodied import life_share as share_of_life
from tco.graph import Node
from tco.grid_intensity import Region
from tco.units import currency

METHOD = "amortised"


def add_cost(case: Case, energies: Energies) -> None:
    """Add the cost lines to the graph of a case."""
    tariff = _tariff(case)
    price = _price(case)
    first = tariff if tariff is not None else price
    if first is None:
        case.miss("cost.total", "neither a price of the hardware nor a tariff is known")
        return
    money = case.currency or currency(first.quantity)
    assert money is not None

    energy = None
    if tariff is not None:
        bill = formulas.energy_cost(energies.facility, tariff)
        energy = _line(case, "cost.energy", bill, "Electricity", formulas.energy_cost, tariff, money)
    hardware = _hardware(case, price, money)
    network = _network(case, hardware)
    maintenance = None
    if hardware is not None:
        rate = case.one_of(
            "system.maintenance",
            "1",
            "Maintenance over amortised cost of the nodes",
            stated=case.system.maintenance if case.system else None,
            assumed=case.system_assumed,
            default="system.maintenance",
        )
        assert rate is not None
        maintenance = case.graph.line(
            "cost.maintenance",
            formulas.maintenance_cost(hardware, rate),
            "money",
            "Maintenance of the nodes",
            by=formulas.maintenance_cost,
            method=METHOD,
            currency=money,
        )
    else:
        case.miss_total("cost.maintenance", ["cost.hardware"])
    place = _facility(case, money)
    capital = [("cost.hardware", hardware), ("cost.facility", place)]
    if network is not None:
        capital.insert(1, ("cost.network", network))
    capex = _total(case, "cost.capex", "Capital: nodes, network, building", capital, money)
    opex = _total(
        case,
        "cost.opex",
        "Running: electricity, maintenance",
        [("cost.energy", energy), ("cost.maintenance", maintenance)],
        money,
    )
    _total(case, "cost.total", "Cost of the run", [("cost.capex", capex), ("cost.opex", opex)], money)


def _total(case: Case, name: str, label: str, parts: list[tuple[str, Node | None]], money: str) -> Node | None:
    nodes = [node for _, node in parts if node is not None]
    if len(nodes) < len(parts):
        case.miss_total(name, [part for part, node in parts if node is None])
        return None
    return case.graph.total(name, nodes, "money", label, method=METHOD, currency=money)


def _line(
    case: Case, name: str, result: Node, label: str, by: Callable[..., Any], priced: Node, money: str, **facts: Any
) -> Node:
    """Name a cost, in the currency of the report."""
    own = currency(priced.quantity)
    if own != money:
        result = formulas.exchanged(result, _rate(case, priced, own or "", money))
    return case.graph.line(name, result, "money", label, by=by, method=METHOD, currency=money, **facts)


def _rate(case: Case, priced: Node, own: str, money: str) -> Node:
    """Exchange rate for a price; a price that the user stated is never converted at a rate that nobody stated."""
    name, unit = f"fx.{own.lower()}_{money.lower()}", f"{money}/{own}"
    label = f"{money} for one {own}"
    case.offered.add(name)
    if case.graph.is_stated(name):
        return case.graph.input(name, None, unit, label)
    figure = catalog.exchange_rate(own, money)
    known = "" if figure is None else f" (for instance '{figure.quantity(unit).magnitude:.4f} {unit}': {figure.source})"
    if figure is None or not (priced.given and priced.given.assumed):
        raise EstimateError(
            f"{priced.name} is in {own} and the cost is in {money}, and no exchange rate is stated: give "
            f"--set {name}='... {unit}'{known}, or choose --currency {own}"
        )
    return case.figure(name, figure, unit, label, assumed=True)


def _tariff(case: Case) -> Node | None:
    name, unit, label = "site.tariff", "money/kWh", "Delivered price of electricity"
    node = case.one_of(name, unit, label, stated=case.site.tariff)
    if node is not None:
        return node
    if case.region is None:
        case.miss(
            "cost.energy", "no tariff is known without a place; give --region, or --set site.tariff='0.20 EUR/kWh'"
        )
        return None
    found = catalog.tariff(case.region.id, _wider(case.region))
    if found is None:
        case.miss(
            "cost.energy",
            f"no tariff is known for {case.region.name}; give it, for instance --set site.tariff='0.20 EUR/kWh'",
        )
        return None
    figure, key = found
    if key != case.region.id:
        case.warn("tariff-of-parent", f"no tariff of {case.region.name} is known; that of {key} is taken", name)
    return case.figure(name, figure, unit, label, assumed=True, price_year=figure.price_year)


def _wider(region: Region) -> tuple[str, ...]:
    """Ids of what a region belongs to, nearest first."""
    return (*((region.parent,) if region.parent else ()), *region.groups)


def _price(case: Case) -> Node | None:
    figure = case.system.price if case.system else None
    label = f"Price of one node ({case.system.name})" if case.system else "Price of one node"
    return case.one_of(
        "system.price",
        "money",
        label,
        stated=figure,
        assumed=case.system_assumed,
        price_year=figure.price_year if figure else None,
    )


def _building(case: Case) -> Node | None:
    name, unit = "site.building_cost", "money/kW"
    label = "Building with power and cooling, per provisioned kW"
    node = case.one_of(name, unit, label, stated=case.site.building_cost)
    if node is not None or case.region is None:
        return node
    found = catalog.building_cost(case.region.id, _wider(case.region))
    if found is None:
        return None
    figure, _ = found
    return case.figure(name, figure, unit, label, assumed=True, price_year=figure.price_year)


def _hardware(case: Case, price: Node | None, money: str) -> Node | None:
    name = "cost.hardware"
    if price is None:
        what = f"of '{case.system.name}' " if case.system else ""
        case.miss(name, f"no price {what}is known; give --set system.price='250000 USD' (of one node)")
        return None
    nodes, share = node_count(case), life_share(case)
    if nodes is None or share is None:
        what = "'nodes' or 'devices'" if nodes is None else "a duration"
        case.miss(name, f"{case.where} needs {what}")
        return None
    return _line(
        case,
        name,
        formulas.amortised(price, nodes, share),
        "Nodes, the run's share of their price",
        formulas.amortised,
        price,
        money,
    )


def _network(case: Case, hardware: Node | None) -> Node | None:
    """Network between nodes; none for a run inside one node."""
    nodes = node_count(case)
    if hardware is None or nodes is None or nodes.value <= 1:
        return None
    share = case.one_of(
        "system.network_share",
        "1",
        "Share of the network in the cost of nodes and network",
        stated=case.system.network_share if case.system else None,
        assumed=case.system_assumed,
        default="system.network_share",
    )
    assert share is not None
    return case.graph.line(
        "cost.network",
        formulas.network_cost(hardware, share),
        "money",
        "Network between the nodes",
        by=formulas.network_cost,
        method=METHOD,
        currency=currency(hardware.quantity),
    )


def _facility(case: Case, money: str) -> Node | None:
    name = "cost.facility"
    rating = case.one_of(
        "system.rating",
        "W",
        "Power to provision for one node",
        stated=case.system.rating if case.system else None,
        assumed=case.system_assumed,
    )
    nodes = node_count(case)
    if rating is None or nodes is None or not has_duration(case):
        what = (
            "the power to provision for a node (--set system.rating='10.2 kW')"
            if rating is None
            else "nodes or duration"
        )
        case.miss(name, f"{what} is not known")
        return None
    building = _building(case)
    if building is None:
        place = case.region.name if case.region else "an unknown place"
        case.miss(name, f"no building cost is known for {place}; give --set site.building_cost='10000 EUR/kW'")
        return None
    lifetime = case.one_of(
        "site.building_lifetime",
        "year",
        "Useful life of the building",
        stated=case.site.building_lifetime,
        default="site.building_lifetime",
    )
    assert lifetime is not None
    share = share_of_life(duration(case), lifetime, utilisation(case))
    result = formulas.building_cost(building, rating, nodes, share)
    return _line(
        case, name, result, "Building, the run's share by provisioned power", formulas.building_cost, building, money
    )
