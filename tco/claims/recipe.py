"""A claim as a run, its hardware and its site: what it states goes in, an ordinary estimate comes out.

What a claim does not state is not in its numbers: the PUE is 1, the utilisation 1, building and maintenance cost
nothing. A result that would rest on a default of the catalogue is not decidable.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from tco.claims.record import Claim
from tco.claims.stated import Stated
from tco.claims.vocabulary import VOCABULARY, is_exact
from tco.errors import EstimateError
from tco.estimation import Estimate, estimate
from tco.estimation.costs.choice import CostChoice, Method
from tco.formulas import work
from tco.graph import Graph
from tco.records.base import validate
from tco.records.run import Run
from tco.records.site import Site
from tco.records.system import System
from tco.units import Q, currency, parse_unit

_ENERGIES = ("energy", "facility_energy")
_POWERS = ("device_power", "node_power", "power", "rated_power")
_TIMES = ("device_hours", "node_hours", "duration")
_HARDWARE = ("node_embodied", "device_embodied", "embodied_rate", "node_price", "device_price")
_EMBODIED = ("node_embodied", "device_embodied", "embodied_rate")
_PER_DEVICE = ("device_embodied", "embodied_rate", "device_price")
#: Lines that rest on the energy of the run.
_OF_ENERGY = ("energy.", "power.", "water.", "carbon.operational", "carbon.total", "cost.energy", "cost.opex")
_COST_METHODS: Mapping[str, Method] = {
    "cost.acquisition": "acquisition",
    "cost.annuity": "annuity",
    "cost.npv": "cash-flow NPV",
    "cost.rental": "rental",
}
#: Inputs of the graph that an input of a claim becomes a factor of; those that are not there are passed over.
BECOMES: Mapping[str, tuple[str, ...]] = {
    "device_hours": ("run.power_count", "run.nodes_charged"),
    "node_hours": ("run.power_count", "run.nodes_charged"),
    "duration": ("run.duration",),
    "device_power": ("run.power",),
    "node_power": ("run.power",),
    "power": ("run.power",),
    "rated_power": ("run.power",),
    "power_share": ("run.power",),
    "node_overhead": ("node.overhead",),
    "energy": ("run.energy", "run.energy.active"),
    "idle_energy": ("run.energy.idle",),
    "facility_energy": ("run.energy",),
    "pue": ("site.pue",),
    "intensity": ("grid.intensity",),
    "wue": ("site.wue",),
    "source_water": ("site.source_water",),
    "node_embodied": ("system.node.embodied", "system.host.embodied"),
    "device_embodied": ("system.device.embodied",),
    "embodied_rate": ("system.device.embodied",),
    "node_price": ("system.price",),
    "device_price": ("system.price",),
    "tariff": ("site.tariff",),
}


class _Given:
    """The inputs of a claim in the units of the vocabulary."""

    def __init__(self, claim: Claim) -> None:
        self.claim = claim

    def __contains__(self, name: str) -> bool:
        return self.claim.one(name) is not None

    def __call__(self, name: str, default: float | None = None) -> float:
        stated = self.claim.one(name)
        if stated is None:
            if default is None:
                raise EstimateError(f"'{name}' is not stated")
            return default
        return float(stated.quantity(VOCABULARY[name].unit).magnitude)

    def pair(self, name: str) -> dict[str, Any]:
        """Value and unit of an input as a record takes it, money in its own currency."""
        stated = self.claim.one(name)
        assert stated is not None
        quantity = stated.quantity(VOCABULARY[name].unit)
        return {"value": float(quantity.magnitude), "unit": f"{quantity.units:~C}" or "1"}

    def any(self, names: Iterable[str]) -> str | None:
        """The first of the names that the claim states."""
        return next((name for name in names if name in self), None)


def estimate_of(claim: Claim, results: Iterable[str]) -> Estimate:
    """The estimate of a claim, with the rounding of what it states as ranges.

    Parameters
    ----------
    claim
        A claim without steps.
    results
        Lines that are wanted of it: they tell the methods of cost.

    Raises
    ------
    TcoError
        If the claim does not state enough, or something that cannot be.
    """
    given = _Given(claim)
    wanted = list(results)
    if not given.any((*_ENERGIES, *_POWERS)):
        for line in wanted:
            if line.startswith(_OF_ENERGY) or (line == "cost.total" and "tariff" in given):
                raise EstimateError(f"'{line}' needs an energy, or a power and how long it was drawn")
    for line in wanted:
        if line.startswith(("carbon.operational", "carbon.total")) and "intensity" not in given:
            raise EstimateError("the grid factor, 'intensity', is not stated")
        if line.startswith(("carbon.embodied", "carbon.total")) and not (claim.parts or given.any(_EMBODIED)):
            raise EstimateError(f"no embodied carbon is stated ({', '.join(_EMBODIED)}, or 'parts')")
    if "rental_price" not in given and any(line.startswith("cost.rental") for line in wanted):
        raise EstimateError("the price of renting is not stated")
    methods: tuple[Method, ...] = tuple(
        m for top, m in _COST_METHODS.items() if any(line.startswith(top) for line in wanted)
    )
    result = estimate(
        _run(claim, given),
        system=_system(claim, given),
        site=_site(claim, given),
        region=claim.region if "intensity" not in given else None,
        set=_stated(claim, given),
        year=claim.year,
        cost=CostChoice(methods=methods),
    )
    _add_rates(result.graph)
    _keep_rounding(claim, result.graph)
    return result


def _run(claim: Claim, given: _Given) -> Run:
    data: dict[str, Any] = {"name": claim.id}
    hours, count, kind = given("duration", 0), given("devices", 0), "accelerator"
    if "device_hours" in given:
        count = count or given("device_hours")
        hours = given("device_hours") / count
    elif "node_hours" in given:
        hours, count, kind = 1.0, given("node_hours"), "node"
    elif not count:
        kind, count = ("accelerator", 0) if "nodes" in given else _unit_of(given)
    if not hours and "duration" not in given and not given.any((*_POWERS, "rental_price")):
        hours = 1.0  # what is embodied, or bought, for an hour
    if hours:
        data["duration"] = {"value": hours, "unit": "h"}
    if count:
        data["devices"] = [{"kind": kind, "count": count}]
    if "nodes" in given:
        data["nodes"] = given("nodes")
    if "energy" in given:
        phases = ("energy", "active"), ("idle_energy", "idle")
        data["energy"] = [
            {**given.pair(name), "boundary": "node_ac", **({"phase": phase} if "idle_energy" in given else {})}
            for name, phase in phases
            if name in given
        ]
    elif "facility_energy" in given:
        data["energy"] = [{**given.pair("facility_energy"), "boundary": "facility"}]
    else:
        power = _power(claim, given)
        if power is None:
            data["energy"] = [{"value": 0, "unit": "kWh", "boundary": "node_ac"}]
        else:
            data["power"] = [power]
    return validate(Run, data, claim.id)


def _unit_of(given: _Given) -> tuple[str, float]:
    """What an hour of hardware is of, where no number of devices or nodes is stated."""
    if given.any(("node_embodied", "node_price")) and not given.any(_PER_DEVICE):
        return "node", 1.0
    return "accelerator", 1.0 if given.any((*_HARDWARE, "device_power", "rated_power")) else 0.0


def _power(claim: Claim, given: _Given) -> dict[str, Any] | None:
    name = given.any(_POWERS)
    if name is None:
        return None
    watts, boundary = given(name), "node_ac"
    if name == "rated_power":
        watts *= given("power_share", 1.0)
    if "node_overhead" in given:
        boundary = "gpu_board"
    scope = {"node_power": "node", "power": "whole_run"}.get(name, "device")
    return {"boundary": boundary, "scope": scope, "average_power": {"value": watts, "unit": "W"}}


def _system(claim: Claim, given: _Given) -> System | None:
    parts: list[Any] = [part.model_dump(by_alias=True, exclude_none=True) for part in claim.parts]
    per_node = given("devices_per_node", 0) or None
    lifetime: dict[str, Any] | None = None
    if "lifetime" in given:
        lifetime = given.pair("lifetime")
        if "hours_per_year" in given:
            lifetime = {"value": given("lifetime") * given("hours_per_year"), "unit": "h"}
    if "node_embodied" in given:
        alone = "device_embodied" not in given and not parts
        name, boundary = ("node", "node") if alone else ("host", "host")
        parts.append({"name": name, "embodied": {**given.pair("node_embodied"), "boundary": boundary}})
    if "device_embodied" in given:
        part = {"name": "device", "embodied": {**given.pair("device_embodied"), "boundary": "board"}}
        parts.append({**part, "count": per_node or 1})
    if "embodied_rate" in given:
        year = float(Q(1, "year").m_as(parse_unit("h")))
        kg = given("embodied_rate") * year
        parts.append({"name": "device", "embodied": {"value": kg, "unit": "kgCO2e", "boundary": "node"}})
        lifetime = {"value": year, "unit": "h"}
    if per_node is None and given.any(_PER_DEVICE) and "node_embodied" not in given:
        per_node = 1
    if (
        not parts
        and not given.any(("node_price", "device_price", "rental_price", "node_overhead"))
        and not claim.system
    ):
        return None
    data: dict[str, Any] = {
        "name": claim.id,
        "devices_per_node": per_node,
        "parts": parts,
        "lifetime": lifetime,
        "utilisation": given("utilisation", 1.0),
        "maintenance": 0,
        "network_share": given("network_share", 0.0),
        "rating": "1 kW",  # of a building that costs nothing
    }
    for name, field in (("node_price", "price"), ("device_price", "price"), ("rental_price", "rental_price")):
        if name in given:
            data[field] = given.pair(name)
    for name in ("decline", "age"):
        if name in given:
            data[name] = given.pair(name)
    if "node_overhead" in given:
        data["node_model"] = {"overhead": given("node_overhead")}
    data |= claim.system
    return validate(System, {key: value for key, value in data.items() if value is not None}, claim.id)


def _site(claim: Claim, given: _Given) -> Site:
    data: dict[str, Any] = {"pue": given("pue", 1.0)}
    for name in ("intensity", "wue", "source_water", "tariff"):
        if name in given:
            data[name] = given.pair(name)
    money = _currency(claim)
    if money is not None:
        data |= {"building_cost": f"0 {money}/kW", "building_lifetime": "1 year"}
    data |= claim.site
    return validate(Site, data, claim.id)


def _currency(claim: Claim) -> str | None:
    """The currency of the claim: of a price that it states, else of a result."""
    for stated in (*claim.inputs.values(), *claim.results.values()):
        if isinstance(stated, Stated):
            money = currency(parse_unit(stated.unit))
            if money is not None:
                return money
    return None


def _stated(claim: Claim, given: _Given) -> dict[str, object]:
    stated: dict[str, object] = {}
    for name, one in claim.inputs.items():
        if "." in name and isinstance(one, Stated):
            stated[name] = {"value": one.value, "unit": one.unit}
    if "index_then" in given or "index_now" in given:
        stated |= {"index.base": given("index_then"), "index.target": given("index_now")}
    return stated


def _add_rates(graph: Graph) -> None:
    """What an hour takes of what is embodied."""
    time = graph.named.get("run.duration")
    whole = graph.named.get("carbon.embodied")
    if time is not None and whole is not None and time.value > 0:
        label = "Embodied carbon per hour of what is charged"
        graph.line("carbon.embodied.rate", work.per_work(whole, time), "kgCO2e/h", label, by=work.per_work)


def _keep_rounding(claim: Claim, graph: Graph) -> None:
    """Give inputs of the graph the rounding of what a claim states, as their range."""
    relative: dict[str, float] = {}
    for name, stated in claim.inputs.items():
        if not isinstance(stated, Stated) or is_exact(name, stated.number or "", stated.unit) or not stated.value:
            continue
        share = stated.half() / abs(stated.value)
        for target in BECOMES.get(name, (name,)):
            relative[target] = relative.get(target, 0.0) + share
    for target, share in relative.items():
        node = graph.named.get(target)
        if node is not None and node.given is not None and share:
            half = share * abs(node.value)
            node.given = replace(node.given, low=node.value - half, high=node.value + half)
