"""What is bought for a run to be possible, each thing with its price, its pieces and a life of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tco import catalog
from tco.estimation.case import Case
from tco.estimation.costs.choice import Method
from tco.estimation.costs.money import Ledger
from tco.estimation.hardware import duration, has_duration, life_share, node_count, utilisation
from tco.formulas import cost as formulas
from tco.formulas.embodied import life_share as share_of_life
from tco.graph import Node
from tco.grid_intensity import Region
from tco.records.figure import Figure
from tco.units import Q

#: A cost of something bought, and the formula that made it.
Costed = tuple[Node, Callable[..., Any]]


class Capital(NamedTuple):
    """Something bought.

    Attributes
    ----------
    name, label
        Its line is ``cost.<name>``; dots make it a part of the line before them. The label says what it is.
    price
        Of one piece, in the currency and at the price level of the report.
    pieces
        Charged to the run.
    life
        How long it serves.
    share
        Share of that life that the run takes.
    equipment
        Whether it is equipment of the nodes, with a residual value, and not a building or a licence.
    rating
        Power provisioned for one piece, where the price is per power.
    """

    name: str
    label: str
    price: Node
    pieces: Node
    life: Node
    share: Node
    equipment: bool = True
    rating: Node | None = None

    @property
    def amount(self) -> Node:
        """What the price is multiplied with."""
        return self.pieces if self.rating is None else self.rating * self.pieces


class Follower(NamedTuple):
    """Something bought whose cost follows that of the nodes."""

    name: str
    label: str
    by: Callable[[Node, Node], Node]
    rate: Node


@dataclass
class Plan:
    """All that is bought.

    Attributes
    ----------
    capitals, followers
        Things with a price, and things whose cost follows that of the nodes.
    residual
        Share of the price of equipment that is got at the end of its life, where stated.
    colocation
        Whether a rent is paid instead of a building.
    node_price
        Price of a whole node, in the currency and at the price level of the report.
    not_counted
        What has no price here, so that readers know.
    """

    ledger: Ledger
    capitals: list[Capital] = field(default_factory=list)
    followers: list[Follower] = field(default_factory=list)
    residual: Node | None = None
    colocation: bool = False
    node_price: Node | None = None
    not_counted: list[str] = field(default_factory=list)

    @property
    def names(self) -> set[str]:
        """Names of what is bought, parts under the name of the whole."""
        return {known.name.partition(".")[0] for known in self.capitals} | {known.name for known in self.followers}

    def lines(
        self,
        prefix: str,
        method: Method,
        cost_of: Callable[[Capital], Costed],
        *,
        words: str = "",
        skip: tuple[str, ...] = (),
        **facts: Any,
    ) -> dict[str, Node]:
        """The lines of all that is bought, by one method; parts are added up to the line above them."""
        ledger, found = self.ledger, {}
        groups: dict[str, list[Capital]] = {}
        for capital in self.capitals:
            groups.setdefault(capital.name.partition(".")[0], []).append(capital)
        for top, members in groups.items():
            if top in skip:
                continue
            parts = {}
            for capital in members:
                result, by = cost_of(capital)
                name = f"{prefix}.{capital.name}"
                label = capital.label + (words or _SHARE.get(top, ""))
                parts[name] = ledger.line(name, result, label, by, method, [capital.price], **facts)
            if set(parts) == {f"{prefix}.{top}"}:
                found[top] = parts[f"{prefix}.{top}"]
            else:
                whole = ledger.total(
                    f"{prefix}.{top}", _WHOLE[top] + (words or _SHARE[top]), dict(parts), method, **facts
                )
                assert whole is not None
                found[top] = whole
        hardware = found.get("hardware")
        for follower in self.followers:
            if hardware is None or follower.name in skip:
                continue
            result = follower.by(hardware, follower.rate)
            name = f"{prefix}.{follower.name}"
            found[follower.name] = ledger.line(name, result, follower.label, follower.by, method, [hardware], **facts)
        return {name: found[name] for name in _ORDER if name in found}


_WHOLE = {"hardware": "Nodes", "facility": "Building"}
_SHARE = {"hardware": ", the run's share of their price", "facility": ", the run's share by provisioned power"}
_ORDER = ("hardware", "network", "storage", "racks", "installation", "software", "facility")


def make_plan(case: Case, ledger: Ledger, node_price: Node | None, building: Node | None) -> Plan:
    """Gather what is bought; what cannot be told is missing with its reason."""
    plan = Plan(ledger)
    plan.colocation = case.graph.is_stated("site.colocation") or case.site.colocation is not None
    nodes = node_count(case)
    _add_hardware(case, plan, node_price, nodes)
    _add_equipment(case, plan, nodes)
    if not plan.colocation:
        _add_facility(case, plan, building, nodes)
    names = plan.names
    plan.not_counted.extend(name for name in ("storage", "racks", "installation", "software") if name not in names)
    return plan


def amortised_cost(case: Case, plan: Plan, capital: Capital) -> Costed:
    """A run's share of a price by straight line over the life, or by a steady decline where one is stated."""
    decline = _decline(case)
    if decline is not None and capital.equipment:
        rate, age = decline
        time = paid_time(case)
        assert time is not None
        from tco.formulas import depreciation

        result = depreciation.declined_by_use(capital.price, rate, age, capital.amount, time)
        return result, depreciation.declined_by_use
    if capital.rating is not None:
        result = formulas.building_cost(capital.price, capital.rating, capital.pieces, capital.share)
        return result, formulas.building_cost
    price = capital.price
    if plan.residual is not None and capital.equipment:
        price = formulas.net_price(price, plan.residual)
    return formulas.amortised(price, capital.pieces, capital.share), formulas.amortised


def _decline(case: Case) -> tuple[Node, Node] | None:
    system, assumed = case.system, case.system_assumed
    rate = case.one_of(
        "system.decline", "1/year", "Steady decline of the value of equipment",
        stated=system.decline if system else None, assumed=assumed,
    )  # fmt: skip
    age = case.one_of(
        "system.age", "year", "From purchase to the run", stated=system.age if system else None, assumed=assumed
    )
    if rate is None:
        return None
    if age is None:
        case.offered.add("system.age")
        age = case.graph.input("system.age", Q(0.0, "year"), "year", "From purchase to the run: bought for it")
    return rate, age


def system_figure(case: Case, name: str, unit: str, label: str, *, default: str | None = None) -> Node | None:
    """An input of the system: stated, else of its record."""
    figure: Figure | None = getattr(case.system, name) if case.system else None
    facts: dict[str, Any] = {}
    if figure is not None and figure.price_year is not None:
        facts["price_year"] = figure.price_year
    return case.one_of(
        f"system.{name}", unit, label, stated=figure, assumed=case.system_assumed, default=default, **facts
    )


def site_figure(case: Case, name: str, unit: str, label: str, *, default: str | None = None) -> Node | None:
    """An input of the site: stated, else of its record."""
    figure: Figure | None = getattr(case.site, name)
    facts: dict[str, Any] = {}
    if figure is not None and figure.price_year is not None:
        facts["price_year"] = figure.price_year
    return case.one_of(f"site.{name}", unit, label, stated=figure, default=default, **facts)


def paid_time(case: Case) -> Node | None:
    """How long the run pays for what its nodes cost by time: its own time, and its part of idle time."""
    graph, name = case.graph, "run.paid_time"
    if name in graph.named:
        return graph[name]
    if not has_duration(case):
        return None
    label, basis = "Time that the run pays, with its part of idle time", case.cost.allocation
    if basis == "time":
        return graph.line(name, duration(case), "h", "Time that the run pays: its own")
    if basis == "energy":
        life_share(case)
        nodes = node_count(case)
        assert nodes is not None
        result = formulas.time_by_energy(graph["energy.it"], graph["system.mean_power"], nodes)
        return graph.line(name, result, "h", "Time that the run pays, by its energy", by=formulas.time_by_energy)
    result = formulas.paid_time(duration(case), utilisation(case))
    return graph.line(name, result, "h", label, by=formulas.paid_time)


def share_of(case: Case, life: Node) -> Node:
    """Share of a life of its own that the run takes of a thing."""
    if case.cost.allocation == "energy":
        time = paid_time(case)
        assert time is not None
        return formulas.share_of_other_life(time, life)
    used = case.graph.operate("same", Q(1.0, "1")) if case.cost.allocation == "time" else utilisation(case)
    return share_of_life(duration(case), life, used)


def wider(region: Region) -> tuple[str, ...]:
    """Ids of what a region belongs to, nearest first."""
    return (*((region.parent,) if region.parent else ()), *region.groups)


def node_price(case: Case) -> Node | None:
    """Price of one node, in its own currency."""
    label = f"Price of one node ({case.system.name})" if case.system else "Price of one node"
    return system_figure(case, "price", "money", label)


def building_cost(case: Case) -> Node | None:
    """Cost of the building per provisioned power, in its own currency."""
    name, unit = "site.building_cost", "money/kW"
    label = "Building with power and cooling, per provisioned kW"
    node = site_figure(case, "building_cost", unit, label)
    if node is not None or case.region is None:
        return node
    found = catalog.building_cost(case.region.id, wider(case.region))
    if found is None:
        return None
    figure, _ = found
    return case.figure(name, figure, unit, label, assumed=True, price_year=figure.price_year)


def _add_hardware(case: Case, plan: Plan, price: Node | None, nodes: Node | None) -> None:
    name, system = "cost.hardware", case.system
    board = system_figure(case, "accelerator_price", "money", "Price of one accelerator")
    host = system_figure(case, "host_price", "money", "Price of a node without its accelerators")
    if (board is None) != (host is None):
        given, other = ("accelerator", "host") if host is None else ("host", "accelerator")
        case.miss(name, f"'system.{given}_price' is given, and 'system.{other}_price' beside it is not")
        return
    if price is None and board is None:
        what = f"of '{system.name}' " if system else ""
        case.miss(name, f"no price {what}is known; give --set system.price='250000 USD' (of one node)")
        return
    share = life_share(case)
    if nodes is None or share is None:
        what = "'nodes' or 'devices'" if nodes is None else "a duration"
        case.miss(name, f"{case.where} needs {what}")
        return
    life, ledger = case.graph["system.lifetime"], plan.ledger
    if board is None or host is None:
        converted = ledger.price(price)
        assert converted is not None
        plan.node_price = converted
        plan.capitals.append(Capital("hardware", "Nodes", converted, nodes, life, share))
        return
    per_node = system.devices_per_node if system else None
    if per_node is None and not case.graph.is_stated("system.devices_per_node"):
        case.miss(name, "the accelerators of a node are not known; give --set system.devices_per_node=8")
        return
    place = f"{system.name}: devices_per_node" if system else "system.devices_per_node"
    count = case.given("system.devices_per_node", Q(per_node or 1, "1"), "1", "Accelerators in a node", place)
    boards, rest = ledger.price(board), ledger.price(host)
    assert boards is not None
    assert rest is not None
    plan.node_price = boards * count + rest
    ledger.same_years(plan.node_price, boards)
    for part, label, piece, pieces in (
        ("accelerators", "Accelerators", boards, nodes * count),
        ("hosts", "Nodes without accelerators", rest, nodes),
    ):
        own = system_figure(case, f"{part.removesuffix('s')}_lifetime", "year", f"Useful life of the {part}")
        part_share = share if own is None else share_of(case, own)
        plan.capitals.append(
            Capital(f"hardware.{part}", label, piece, pieces, life if own is None else own, part_share)
        )


def _add_equipment(case: Case, plan: Plan, nodes: Node | None) -> None:
    """Network, storage, racks, installation, software."""
    system, ledger = case.system, plan.ledger
    hardware = any(capital.name.startswith("hardware") for capital in plan.capitals)
    share = life_share(case) if nodes is not None else None
    for name, field_name, label, lifetime, equipment in (
        ("network", "network_price", "Network between the nodes", "network_lifetime", True),
        ("storage", "storage_price", "Storage", "storage_lifetime", True),
        ("racks", "rack_price", "Racks with their power distribution", None, True),
        ("software", "software_price", "Software, bought", None, False),
    ):
        price = system_figure(case, field_name, "money", f"{label}, price per node")
        if price is None or nodes is None or share is None:
            continue
        own = None
        if lifetime is not None:
            own = system_figure(case, lifetime, "year", f"Useful life of the {name}")
        converted = ledger.price(price)
        assert converted is not None
        part_share = share if own is None else share_of(case, own)
        life = case.graph["system.lifetime"] if own is None else own
        plan.capitals.append(Capital(name, label, converted, nodes, life, part_share, equipment))
    if hardware and nodes is not None and nodes.value > 1 and all(c.name != "network" for c in plan.capitals):
        rate = case.one_of(
            "system.network_share",
            "1",
            "Share of the network in the cost of nodes and network",
            stated=system.network_share if system else None,
            assumed=case.system_assumed,
            default="system.network_share",
        )
        assert rate is not None
        plan.followers.append(Follower("network", "Network between the nodes", formulas.network_cost, rate))
    installed = system_figure(case, "installation", "1", "Cost of installation over the price of the nodes")
    if installed is not None and hardware:
        plan.followers.append(Follower("installation", "Installation", formulas.proportional_cost, installed))
    plan.residual = system_figure(case, "residual", "1", "Share of the price that is got at the end of the life")


def _add_facility(case: Case, plan: Plan, building: Node | None, nodes: Node | None) -> None:
    name = "cost.facility"
    if building is None:
        place = case.region.name if case.region else "an unknown place"
        case.miss(name, f"no building cost is known for {place}; give --set site.building_cost='10000 EUR/kW'")
        return
    rating = system_figure(case, "rating", "W", "Power to provision for one node")
    if rating is None or nodes is None or not has_duration(case):
        what = (
            "the power to provision for a node (--set system.rating='10.2 kW')"
            if rating is None
            else "nodes and a duration"
        )
        case.miss(name, f"it needs {what}")
        return
    life = site_figure(
        case, "building_lifetime", "year", "Useful life of the building", default="site.building_lifetime"
    )
    per_power = plan.ledger.price(building)
    assert life is not None
    assert per_power is not None
    part = site_figure(case, "power_cooling_share", "1", "Share of power and cooling in the building cost")
    label = "Building"
    if part is None:
        plan.capitals.append(Capital("facility", label, per_power, nodes, life, share_of(case, life), False, rating))
        return
    plant_life = site_figure(case, "power_cooling_lifetime", "year", "Useful life of power and cooling")
    plant = formulas.proportional_cost(per_power, part)
    shell = formulas.proportional_cost(per_power, 1 - part)
    for inner, words, price, own in (
        ("power_cooling", "Power and cooling", plant, life if plant_life is None else plant_life),
        ("building", "Building without power and cooling", shell, life),
    ):
        plan.ledger.same_years(price, per_power)
        share = share_of(case, own)
        plan.capitals.append(Capital(f"facility.{inner}", words, price, nodes, own, share, False, rating))
