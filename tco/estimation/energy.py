"""The energy part of an estimate: from the widest reading to the utility meter, PUE exactly once."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tco import catalog
from tco.errors import EstimateError
from tco.estimation.case import Case
from tco.estimation.hardware import duration, has_duration, node_count
from tco.estimation.readings import ORDER, Group, Reading, contains, groups_of, readings_of
from tco.estimation.site import add_pue
from tco.formulas import energy as formulas
from tco.graph import Node
from tco.records.system import NodeModel
from tco.units import Q, Quantity

_BOARDS = ("device_counter", "gpu_board", "module")
_NODE = ORDER.index("node_ac")
_LIQUID = ("liquid", "immersion")


class Energies(NamedTuple):
    """Lines that the other parts of an estimate build on.

    Attributes
    ----------
    it, facility
        Whole run at the IT boundary and at the utility meter.
    facility_by_phase
        The same by phase of the run, where it has phases.
    groups
        All readings by boundary and kind; the first one is used.
    """

    it: Node
    facility: Node
    facility_by_phase: dict[str, Node]
    groups: list[Group]


def add_energy(case: Case) -> Energies:
    """Add the energy lines to the graph of a case."""
    groups = groups_of(readings_of(case.run, case.where), case.where)
    if groups:
        _warn_of_readings(case, groups)
        measured = _measured(case, groups[0])
    elif _is_modelled(case):
        from tco.estimation.modelled import modelled_energy

        groups, measured = modelled_energy(case, duration(case), node_count(case))
    else:
        groups, measured = _from_ratings(case)
    used = groups[0]
    boundary = used.boundary
    inside_pue = case.run.pue_included or boundary == "facility"
    at_it = ORDER.index(boundary) >= _NODE
    facts = {"boundary": boundary, "method": used.how}
    if inside_pue and at_it:
        pue = _site_pue(case, run_first=True)
        facility = _lines(case, "energy.facility", measured, "Energy at the utility meter", **facts)
        it = _lines(
            case,
            "energy.it",
            _by_phase(facility, lambda node: formulas.energy_before_pue(node, pue)),
            "Energy of the IT equipment",
            by=formulas.energy_before_pue,
        )
    else:
        if inside_pue:
            measured = _without_pue(case, measured)
        at_node = measured if at_it else _to_node(case, used, measured)
        if used.readings[0].place == "power_model":
            from tco.estimation.modelled import title_of, with_network

            it = {"": with_network(case, at_node[""], case.run.device_count, method=title_of(case.run))}
        else:
            it = _lines(case, "energy.it", at_node, "Energy of the IT equipment", **(facts if at_it else {}))
        pue = _site_pue(case, run_first=False)
        facility = _lines(
            case,
            "energy.facility",
            _by_phase(it, lambda node: formulas.facility_energy(node, pue)),
            "Energy at the utility meter",
            by=formulas.facility_energy,
        )
    _add_mean_power(case, it[""])
    by_phase = {phase: node for phase, node in facility.items() if phase}
    return Energies(it[""], facility[""], by_phase, groups)


def _is_modelled(case: Case) -> bool:
    """Whether the run asks for a power model, or is one that only a model can give a power."""
    run = case.run
    return run.prediction is not None or run.power_model is not None or bool(run.phases)


def _by_phase(lines: dict[str, Node], formula: Callable[[Node], Node]) -> dict[str, Node]:
    """A formula applied to each phase of an energy, or to the whole where it has none."""
    parts = {phase: formula(node) for phase, node in lines.items() if phase}
    return parts or {"": formula(lines[""])}


def _lines(case: Case, name: str, nodes: dict[str, Node], label: str, **facts: object) -> dict[str, Node]:
    """Name one energy, or the phases and their total; the whole has the key ``""``."""
    by = facts.pop("by", None)
    if "" in nodes:
        return {"": case.graph.line(name, nodes[""], "kWh", label, by=by, **facts)}  # type: ignore[arg-type]
    parts = {
        phase: case.graph.line(f"{name}.{phase}", node, "kWh", f"{label}, {phase}", by=by, **facts)  # type: ignore[arg-type]
        for phase, node in nodes.items()
    }
    return {**parts, "": case.graph.total(name, list(parts.values()), "kWh", label, **facts)}


def _measured(case: Case, used: Group) -> dict[str, Node]:
    """Inputs for the used readings: one, or one for each phase."""
    phases = list(dict.fromkeys(reading.phase or "" for reading in used.readings))
    nodes: dict[str, Node] = {}
    for phase in phases:
        readings = [reading for reading in used.readings if (reading.phase or "") == phase]
        suffix = f".{phase}" if phase else ""
        places = ", ".join(reading.place for reading in readings)
        if all(reading.power is not None for reading in readings):
            power, count = _power_and_count(readings)
            drawn = case.given(f"run.power{suffix}", power, "W", f"Mean power at {used.boundary}", places)
            pieces = case.given(f"run.power_count{suffix}", Q(count, "1"), "1", "Devices or nodes that draw it", places)
            nodes[phase] = formulas.energy_of_mean_power(drawn, pieces, duration(case))
            continue
        total = Q(sum(float(reading.energy.m_as("kWh")) for reading in readings), "kWh")
        label = f"Energy at {used.boundary}: {used.how}"
        nodes[phase] = case.given(f"run.energy{suffix}", total, "kWh", label, places)
    return nodes


def _power_and_count(readings: list[Reading]) -> tuple[Quantity, float]:
    """One power and how many draw it; of several readings their sum, drawn once."""
    if len(readings) == 1:
        assert readings[0].power is not None
        return readings[0].power, readings[0].pieces
    total = 0.0
    for reading in readings:
        assert reading.power is not None
        total += float(reading.power.m_as("W")) * reading.pieces
    return Q(total, "W"), 1.0


def _from_ratings(case: Case) -> tuple[list[Group], dict[str, Node]]:
    """Energy from the ratings of devices, where the run has nothing measured."""
    rated = [(index, device) for index, device in enumerate(case.run.devices) if device.kind != "node"]
    if case.run.elapsed is None or not rated:
        raise EstimateError(
            f"{case.where}: no energy, no power, and no devices with a duration: state one of them, for instance "
            '"energy": {"value": 134.4, "unit": "kWh", "boundary": "node_ac"}'
        )
    energies: list[Node] = []
    for index, device in rated:
        record = catalog.find_accelerator(device.model) if device.model else None
        if record is None or record.tdp is None:
            raise EstimateError(
                f"{case.where}: devices[{index}].model: nothing is measured, and the rating of {device.model!r} is not "
                "known; state a power or an energy, or a model that 'tco hardware list' shows"
            )
        name = f"run.device{index}" if len(rated) > 1 else "run.device"
        rating = case.figure(f"{name}.rating", record.tdp, "W", f"Rated power of {record.name}", assumed=True)
        share = case.one_of(
            "run.device_power_share",
            "1",
            "Mean power of a device over its rating",
            stated=None,
            default="run.device_power_share",
        )
        assert share is not None
        cards = Q(device.cards or device.count, "1")
        count = case.given(f"{name}.count", cards, "1", "Devices", f"devices[{index}].count")
        energies.append(formulas.energy_of_mean_power(formulas.rated_power(rating, share), count, duration(case)))
    case.warn(
        "rated-power",
        "nothing was measured: the energy is the rating of the devices times an assumed share; such figures are off by "
        "27 to 37 % for a training node",
        f"{case.where}: devices",
    )
    total = energies[0]
    for energy in energies[1:]:
        total = total + energy
    reading = Reading("gpu_board", total.quantity.to("kWh"), 4, "devices", None, None)
    return [Group("gpu_board", 4, (reading,))], {"": total}


def _warn_of_readings(case: Case, groups: list[Group]) -> None:
    used = groups[0]
    for reading in used.readings:
        kind, _, rest = reading.place.partition("[")
        if kind in ("energy", "power"):
            index = int(rest.partition("]")[0])
            entry = (case.run.energy if kind == "energy" else case.run.power)[index]
            if entry.boundary is None:
                case.warn(
                    "boundary-assumed",
                    f"{reading.place} does not say where it was measured; taken as {used.boundary}. State 'boundary'",
                    f"{case.where}: {reading.place}",
                )
    devices = {reading.device for reading in used.readings if reading.device is not None}
    if devices and case.run.device_count and len(devices) < case.run.device_count:
        case.warn(
            "devices-missing",
            f"the readings cover {len(devices)} of {case.run.device_count:g} devices",
            f"{case.where}: devices",
        )
    for inner in groups[1:]:
        if contains(used.boundary, inner.boundary) and inner.energy_kwh > used.energy_kwh * (1 + 1e-9):
            case.warn(
                "inner-above-outer",
                f"the energy at {inner.boundary} ({inner.energy_kwh:.6g} kWh) is above that at {used.boundary} "
                f"({used.energy_kwh:.6g} kWh), which contains it",
            )
        same = inner.boundary == used.boundary
        if same and used.energy_kwh and abs(inner.energy_kwh / used.energy_kwh - 1) > 0.01:
            case.warn(
                "readings-differ",
                f"at {used.boundary} the {inner.how} gives {inner.energy_kwh:.6g} kWh and the {used.how}, which is "
                f"used, {used.energy_kwh:.6g} kWh",
            )
    for index, power in enumerate(case.run.power):
        if power.method in ("rating", "all_in"):
            case.warn(
                "provisioned-power",
                f"power[{index}] is a rating: power to provision, not power used; it is left out of the energy",
                f"{case.where}: power[{index}]",
            )


def _without_pue(case: Case, measured: dict[str, Node]) -> dict[str, Node]:
    if case.run.pue is None and not case.graph.is_stated("run.pue"):
        raise EstimateError(f"{case.where}: pue_included is true; state 'pue', the value that the readings hold")
    pue = case.given("run.pue", case.run.pue or Q(1, "1"), "1", "PUE that the readings hold", "pue")
    return {phase: formulas.energy_before_pue(node, pue) for phase, node in measured.items()}


def _to_node(case: Case, used: Group, measured: dict[str, Node]) -> dict[str, Node]:
    """Energy at the AC inlet of the nodes, from boards or from behind the power supplies."""
    model = (case.system.node_model if case.system else None) or NodeModel.model_construct()
    if used.boundary == "node_dc":
        psu = case.one_of(
            "node.psu_efficiency",
            "1",
            "Efficiency of the power supplies",
            stated=model.psu_efficiency,
            assumed=case.system_assumed,
            default="node.psu_efficiency",
        )
        assert psu is not None
        return {phase: formulas.ac_energy(node, psu) for phase, node in measured.items()}
    label = "Energy of the boards" if used.boundary in _BOARDS else f"Energy at {used.boundary}"
    boards = _lines(case, "energy.boards", measured, label, boundary=used.boundary, method=used.how)
    parts = {phase: node for phase, node in boards.items() if phase} or boards
    detailed = model.fixed_power is not None or case.graph.is_stated("node.fixed_power")
    if detailed and not case.graph.is_stated("node.overhead"):
        fixed = case.one_of(
            "node.fixed_power",
            "W",
            "What a node draws beside its boards",
            stated=model.fixed_power,
            assumed=case.system_assumed,
        )
        psu = case.one_of(
            "node.psu_efficiency",
            "1",
            "Efficiency of the power supplies",
            stated=model.psu_efficiency,
            assumed=case.system_assumed,
            default="node.psu_efficiency",
        )
        follow = case.one_of(
            "node.follow",
            "1",
            "DC energy that follows the boards, over theirs",
            stated=model.follow,
            assumed=case.system_assumed,
        )
        assert fixed is not None
        assert psu is not None
        if follow is None:
            follow = case.graph.input("node.follow", Q(1, "1"), "1", "DC energy that follows the boards, over theirs")
        nodes = node_count(case)
        if nodes is None:
            raise EstimateError(f"{case.where}: the node model needs 'nodes', or devices of a known system")
        whole = formulas.node_energy(boards[""], fixed, nodes, duration(case), follow, psu)
        return {"": whole}
    return {phase: formulas.node_energy_by_ratio(node, _overhead(case, used, model)) for phase, node in parts.items()}


def _overhead(case: Case, used: Group, model: NodeModel) -> Node:
    cooling = case.system.cooling if case.system else None
    if used.boundary == "cpu_package" and model.overhead is None and not case.graph.is_stated("node.overhead"):
        raise EstimateError(
            f"{case.where}: the energy is known only at cpu_package, and no ratio from there to the node is known; "
            "measure the node, or state --set node.overhead=..."
        )
    default = "node.overhead.liquid" if cooling in _LIQUID else "node.overhead.air"
    stated = model.overhead is not None or case.graph.is_stated("node.overhead")
    if cooling is None and not stated and "node.overhead" not in case.graph.named:
        case.warn("cooling-assumed", "the cooling of the node is not known; the overhead of air-cooled nodes is taken")
    node = case.one_of(
        "node.overhead",
        "1",
        "Node at its AC inlet over the sum of its boards",
        stated=model.overhead,
        assumed=case.system_assumed,
        default=default,
    )
    assert node is not None
    return node


def _site_pue(case: Case, *, run_first: bool) -> Node:
    """PUE of the site: stated, else of the site record, else of the run, else the default.

    `run_first` is for readings that hold a PUE already: the run then says which one. Of readings at the boards that
    hold the PUE of a tool, the run's is not that of the site.
    """
    name, label, run, site = "site.pue", "Power usage effectiveness of the site", case.run, case.site
    of_site = run.pue is not None and (run_first or not run.pue_included) and (run_first or site.pue is None)
    if of_site and not case.graph.is_stated(name):
        assert run.pue is not None
        return case.given(name, run.pue, "1", label, "pue")
    cooling = case.system.cooling if case.system else None
    of_air = site.cooling == "air" if site.pue is not None else True
    if cooling in _LIQUID and of_air and not case.graph.is_stated(name):
        case.warn(
            "cooling-mismatch",
            f"the PUE of air-cooled sites is applied to a node with {cooling} cooling; state --set site.pue=...",
            name,
        )
    return add_pue(case, label)


def _add_mean_power(case: Case, it: Node) -> None:
    if not has_duration(case):
        case.miss("power.mean", "the run has no duration")
        return
    time = duration(case)
    if time.value == 0:
        case.miss("power.mean", "the duration of the run is 0")
        return
    case.graph.line(
        "power.mean", formulas.mean_power(it, time), "W", "Mean power at the IT boundary", by=formulas.mean_power
    )
