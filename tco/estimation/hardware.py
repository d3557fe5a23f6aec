"""How long, on how many nodes, and which share of their life: what energy, carbon and cost all ask of the hardware."""

from __future__ import annotations

from tco.errors import EstimateError
from tco.estimation.case import Case
from tco.formulas.cost import share_by_energy
from tco.formulas.embodied import life_share as share_of_life
from tco.graph import Node
from tco.units import Q


def duration(case: Case) -> Node:
    """The elapsed time of the run, as an input."""
    name, prediction = "run.duration", case.run.prediction
    if name in case.graph.named:
        return case.graph[name]
    if prediction is not None and not case.graph.is_stated(name):
        from tco.estimation.modelled import predicted_duration

        return predicted_duration(case, prediction)
    elapsed = case.run.elapsed
    if elapsed is None and not case.graph.is_stated(name):
        raise EstimateError(f'{case.where}: \'duration\' is missing; write for instance "duration": "24 h"')
    return case.given(name, elapsed if elapsed is not None else Q(0, "h"), "h", "Elapsed time", "duration")


def node_count(case: Case) -> Node | None:
    """Nodes charged to the run: by devices where the node is known, else as the run states."""
    name, label = "run.nodes_charged", "Nodes charged to the run"
    if name in case.graph.named or case.graph.is_stated(name):
        return case.graph.input(name, None, "1", label)
    run, system = case.run, case.system
    if case.cost.allocation == "reserved" and run.nodes is not None:
        return case.given(name, Q(run.nodes, "1"), "1", f"{label}: whole nodes, as reserved", "nodes")
    whole_nodes = sum(device.count for device in run.devices if device.kind == "node")
    per_node = system.devices_per_node if system else None
    cards = sum(device.cards or device.count for device in run.devices if device.kind != "node")
    if cards and per_node:
        nodes = cards / per_node
        if run.nodes is not None and abs(run.nodes - nodes) > 1e-9:
            case.warn(
                "node-shared",
                f"{cards:g} devices are {nodes:g} nodes of {per_node:g}, and the run held {run.nodes:g}: charged by "
                f"device; --set {name}={run.nodes:g} charges whole nodes",
                f"{case.where}: nodes",
            )
        return case.given(name, Q(nodes, "1"), "1", f"{label}: {cards:g} devices, {per_node:g} a node", "devices")
    if whole_nodes:
        return case.given(name, Q(whole_nodes, "1"), "1", label, "devices")
    if run.nodes is not None:
        return case.given(name, Q(run.nodes, "1"), "1", label, "nodes")
    return None


def has_duration(case: Case) -> bool:
    """Whether the elapsed time of the run is known."""
    return case.run.elapsed is not None or case.graph.is_stated("run.duration")


def utilisation(case: Case) -> Node:
    """Share of the life of the hardware for which runs are charged."""
    node = case.one_of(
        "system.utilisation",
        "1",
        "Share of its life for which runs are charged",
        stated=case.system.utilisation if case.system else None,
        assumed=case.system_assumed,
        default="system.utilisation",
    )
    assert node is not None
    return node


def life_share(case: Case) -> Node | None:
    """Share of the useful life of the nodes that the run takes; None where the run has no duration."""
    name = "run.life_share"
    if name in case.graph.named:
        return case.graph[name]
    if not has_duration(case):
        return None
    lifetime = case.one_of(
        "system.lifetime",
        "year",
        "Useful life of the nodes",
        stated=case.system.lifetime if case.system else None,
        assumed=case.system_assumed,
        default="system.lifetime",
    )
    assert lifetime is not None
    label, basis = "Share of the nodes' life that the run takes", case.cost.allocation
    if basis == "energy":
        share = _share_by_energy(case, lifetime)
        return case.graph.line(name, share, "1", label, by=share_by_energy, allocation=basis)
    used = case.graph.operate("same", Q(1.0, "1")) if basis == "time" else utilisation(case)
    share = share_of_life(duration(case), lifetime, used)
    facts = {} if basis == "used" else {"allocation": basis}
    return case.graph.line(name, share, "1", label, by=share_of_life, **facts)


def _share_by_energy(case: Case, lifetime: Node) -> Node:
    """The run's part of the energy that its nodes use in their life."""
    power = case.one_of(
        "system.mean_power",
        "W",
        "Mean power of one node over its life, at the IT boundary",
        stated=case.system.mean_power if case.system else None,
        assumed=case.system_assumed,
    )
    nodes = node_count(case)
    if power is None or nodes is None:
        need = (
            "the nodes of the run" if power is not None else "--set system.mean_power='6 kW', the mean over their life"
        )
        raise EstimateError(f"{case.where}: to allocate by energy, the estimate needs {need}")
    return share_by_energy(case.graph["energy.it"], power, nodes, lifetime)
