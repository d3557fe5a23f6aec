"""Runs that nobody measured: their time from a prediction and its error, their power from a model and its error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tco import catalog
from tco.catalog import performance as known
from tco.errors import EstimateError
from tco.estimation.case import Case
from tco.estimation.readings import Group, Reading
from tco.formulas import energy as energy_formulas
from tco.formulas import performance, power
from tco.graph import Input, Node
from tco.provenance import Source
from tco.records.figure import Figure
from tco.records.run import Boundary, Prediction, Run, TimeRatio
from tco.units import Q

if TYPE_CHECKING:
    from tco.records.system import Accelerator

#: Pairs on so many times fewer or more devices than the run say little of it.
_FAR = 4.0
#: What each model is called in results.
TITLES = {
    "rated": "model: share of the node's rating",
    "dynamic": "model: idle, and a part by utilisation",
    "phases": "model: by phase",
}
_LABELS = {"busy": "compute", "waiting": "wait for communication, a bubble or the host", "idle": "have no work"}


def predicted_duration(case: Case, prediction: Prediction) -> Node:
    """The elapsed time of a predicted run: step x steps x the error of the simulator."""
    time = case.given(
        "simulator.step_time",
        prediction.step_time,
        "s",
        f"Time of a step that {prediction.simulator} predicts",
        "prediction.step_time",
    )
    steps = case.given("run.steps", Q(prediction.steps, "1"), "1", "Steps of the run", "prediction.steps")
    duration = performance.predicted_duration(time, steps, _time_ratio(case, prediction))
    return case.graph.line("run.duration", duration, "h", "Elapsed time, predicted", by=performance.predicted_duration)


def _time_ratio(case: Case, prediction: Prediction) -> Node:
    from tco.simulators.validation import near, points_of, time_ratio

    name, label = "simulator.time_ratio", "Measured over predicted time"
    where = f"{case.where}: prediction"
    if case.graph.is_stated(name):
        return case.graph.input(name, None, "1", label, validation="stated")
    devices = case.run.device_count or None
    if prediction.time_ratio is not None:
        return _ratio_input(case, prediction.time_ratio, prediction, "calibrated")
    found = time_ratio(prediction.pairs, devices=devices, mode=prediction.mode, factor=prediction.pairs_factor)
    if found is None:
        case.warn(
            "unvalidated",
            f"no pairs (predicted, measured) of {prediction.simulator} in {prediction.mode} are stored, so nothing is "
            f"known of its error here: the time is taken as predicted; --set {name}='1 [0.8 to 1.3]' states one",
            where,
        )
        source = Source(title=f"No pairs of {prediction.simulator} are stored: unvalidated")
        given = Input(assumed=True, source=source, note="unvalidated")
        return case.graph.input(name, Q(1.0, "1"), "1", label, given, validation="unvalidated")
    assert prediction.pairs is not None
    points = near(points_of(prediction.pairs, prediction.mode), devices)
    counts = [point.devices for point in points if point.devices]
    if devices and counts and not min(counts) / _FAR <= devices <= max(counts) * _FAR:
        case.warn(
            "validated-at-other-scale",
            f"the pairs of {prediction.simulator} are of {min(counts):g} to {max(counts):g} devices, the run is of "
            f"{devices:g}",
            where,
        )
    held = case.system.accelerator if case.system else None
    kinds = {point.hardware for point in points if point.hardware}
    if held is not None and kinds and all(_accelerator(kind) != held for kind in kinds):
        case.warn(
            "validated-elsewhere",
            f"the pairs of {prediction.simulator} were measured on {', '.join(sorted(kinds))}, the run is on {held}; "
            "its error there may be another",
            where,
        )
    return _ratio_input(case, found, prediction, "pairs")


def _accelerator(name: str) -> str | None:
    record = catalog.find_accelerator(name)
    return None if record is None else record.name


def _ratio_input(case: Case, ratio: TimeRatio, prediction: Prediction, validation: str) -> Node:
    given = Input(
        low=ratio.low,
        high=ratio.high,
        assumed=True,
        source=Source(title=f"Stored pairs of {prediction.pairs or prediction.simulator}", where=ratio.note),
        distribution="empirical" if ratio.samples else None,
        samples=ratio.samples,
    )
    return case.graph.input(
        "simulator.time_ratio",
        Q(ratio.value, "1"),
        "1",
        "Measured over predicted time",
        given,
        validation=validation,
        pairs=len(ratio.samples),
    )


def modelled_energy(case: Case, duration: Node, nodes: Node | None) -> tuple[list[Group], dict[str, Node]]:
    """Energy from a power model: of the nodes at their AC inlet, or of the accelerator boards.

    Parameters
    ----------
    duration, nodes
        Of the run; nodes are None where they cannot be told.
    """
    run = case.run
    model = run.power_model or ("phases" if run.phases else "rated")
    error = _coefficient(case, "power.model_error", "1", "True over modelled energy")
    boundary: Boundary = "gpu_board"
    if model == "rated" and case.system is not None and case.system.rating is not None and nodes is not None:
        rating = case.one_of(
            "system.rating",
            "W",
            "Power to provision for one node",
            stated=case.system.rating,
            assumed=case.system_assumed,
        )
        assert rating is not None
        share = _coefficient(case, "power.node_share", "1", "Mean power of a node over its rating")
        drawn, count, boundary = energy_formulas.rated_power(rating, share), nodes, "node_ac"
        drawn = case.graph.line(
            "power.node", drawn, "W", "Mean power of a node, modelled", by=energy_formulas.rated_power
        )
    else:
        record = _record(case)
        drawn = _of_device(case, record, model)
        cards = sum(device.cards or device.count for device in run.devices if device.kind != "node")
        if not cards:
            raise EstimateError(
                f"{case.where}: devices: nobody says how many; give --devices, or state 'devices' with a count"
            )
        count = case.given("run.device_count", Q(cards, "1"), "1", "Devices", "devices")
    energy = power.modelled_energy(drawn, count, duration, error)
    case.warn(
        "modelled-power",
        f"no power was measured: the energy comes from a {TITLES[model]}; such models are off by 27 to 37 %, which is "
        "in the range",
        f"{case.where}: power_model",
    )
    reading = Reading(boundary, energy.quantity.to("kWh"), 4, "power_model", None, None)
    return [Group(boundary, 4, (reading,))], {"": energy}


def title_of(run: Run) -> str:
    """What the power model of a run is called."""
    return TITLES[run.power_model or ("phases" if run.phases else "rated")]


def _coefficient(case: Case, name: str, unit: str, label: str) -> Node:
    node = case.one_of(name, unit, label, stated=known.power(name), assumed=True)
    assert node is not None
    return node


def _record(case: Case) -> Accelerator:
    """The accelerator of the run: as its devices say, else that of the node."""
    models = [device.model for device in case.run.devices if device.model]
    name = models[0] if models else case.system.accelerator if case.system else None
    record = catalog.find_accelerator(name) if name else None
    if record is None or record.tdp is None:
        raise EstimateError(
            f"{case.where}: devices: the power of {name or 'the devices'} is not known; name a node with --system, or "
            "a device that 'tco hardware list' shows"
        )
    return record


def _of_device(case: Case, record: Accelerator, model: str) -> Node:
    """Modelled mean power of one accelerator board."""
    assert record.tdp is not None
    rating = case.figure("power.rating", record.tdp, "W", f"Rated power of {record.name}", assumed=True)
    label, graph = "Mean power of a device, modelled", case.graph
    if model == "rated":
        share = case.one_of(
            "run.device_power_share",
            "1",
            "Mean power of a device over its rating",
            stated=None,
            default="run.device_power_share",
        )
        assert share is not None
        drawn = energy_formulas.rated_power(rating, share)
        return graph.line("power.device", drawn, "W", label, by=energy_formulas.rated_power)
    if model == "dynamic":
        share = _coefficient(case, "power.peak_share", "1", "Power of a device at full utilisation over its rating")
        highest = energy_formulas.rated_power(rating, share)
        drawn = power.dynamic_power(_idle(case, record), highest, _utilisation(case))
        return graph.line("power.device", drawn, "W", label, by=power.dynamic_power)
    if not case.run.phases:
        raise EstimateError(
            f"{case.where}: power_model: 'phases' needs the phases of the run, and it has none; use 'rated' or "
            "'dynamic'"
        )
    busy_share = _coefficient(case, "power.busy_share", "1", "Power of a device that computes over its rating")
    busy = energy_formulas.rated_power(rating, busy_share)
    busy = graph.line("power.busy", busy, "W", "Power of a device that computes", by=energy_formulas.rated_power)
    shares = {kind: _share(case, kind) for kind in _LABELS}
    waits = any(phase.activity == "waiting" for phase in case.run.phases)
    rests = any(phase.activity == "idle" for phase in case.run.phases)
    waiting = _wait_ratio(case) if waits else graph.operate("same", Q(1.0, "1"))
    idle = _idle(case, record) if rests else graph.operate("same", Q(0.0, "W"))
    drawn = power.power_by_phase(busy, waiting, idle, shares["busy"], shares["waiting"], shares["idle"])
    return graph.line("power.device", drawn, "W", label, by=power.power_by_phase)


def _share(case: Case, kind: str) -> Node:
    """Share of the time that the devices spend so."""
    whole = sum(float(phase.duration.m_as("s")) for phase in case.run.phases)
    part = sum(float(phase.duration.m_as("s")) for phase in case.run.phases if phase.activity == kind)
    label = f"Share of the time in which the devices {_LABELS[kind]}"
    return case.given(f"run.{kind}_share", Q(part / whole, "1"), "1", label, "phases")


def _wait_ratio(case: Case) -> Node:
    """Power of a device that waits over that when it computes: stated, else derived from shares of many jobs."""
    name, label = "power.wait_ratio", "Power of a waiting device over that of a computing one"
    if case.graph.is_stated(name):
        return case.graph.input(name, None, "1", label)
    energy = _coefficient(case, "power.wait.energy_share", "1", "Share of the energy that GPUs use waiting in jobs")
    time = _coefficient(case, "power.wait.time_share", "1", "Share of the time that GPUs wait in jobs")
    ratio = power.wait_ratio(energy, time)
    return case.graph.line(name, ratio, "1", label, by=power.wait_ratio, basis="derived")


def _idle(case: Case, record: Accelerator) -> Node:
    figure: Figure | None = known.idle_power(record.name)
    node = case.one_of("power.idle", "W", f"Power of {record.name} at rest", stated=figure, assumed=True)
    if node is None:
        raise EstimateError(
            f"{case.where}: the power of {record.name} at rest is not known; state --set power.idle='70 W'"
        )
    return node


def _utilisation(case: Case) -> Node:
    """What the dynamic part follows: stated, else the share of the time spent computing, else MFU over a reference."""
    run, graph, name = case.run, case.graph, "power.utilisation"
    label = "Utilisation that the power of a device follows"
    case.offered |= {name, "power.reference_utilisation"}
    if graph.is_stated(name):
        return graph.input(name, None, "1", label)
    if run.phases:
        return _share(case, "busy")
    shares = {share.kind: share for share in run.utilisation}
    if "busy" in shares:
        return case.given(name, Q(shares["busy"].value, "1"), "1", label, "utilisation")
    found = shares.get("HFU") or shares.get("MFU")
    reference = "power.reference_utilisation"
    if found is None or not graph.is_stated(reference):
        have = f"the run has an {found.kind} of {found.value:.3g}" if found else "the run has none"
        raise EstimateError(
            f"{case.where}: the model 'dynamic' needs a utilisation from 0 to 1 at which 1 is full power; {have}: "
            f"state --set {name}=0.8, or --set {reference}=0.55, the {found.kind if found else 'MFU'} at full power"
        )
    own = case.given("run.utilisation", Q(found.value, "1"), "1", f"{found.kind} of the run", "utilisation")
    full: Any = graph.input(reference, None, "1", f"{found.kind} at full power")
    line = power.relative_utilisation(own, full)
    return graph.line(name, line, "1", label, by=power.relative_utilisation)


def with_network(case: Case, nodes: Node, devices: float, method: str) -> Node:
    """Energy of the IT equipment: that of the nodes, and of the switches between them where there are several."""
    graph = case.graph
    facts = {"boundary": "node_ac", "method": method}
    name, label = "network.energy_share", "Share of switches in the energy of nodes and network"
    per_device = "network.device_power"
    per_node = case.system.devices_per_node if case.system else None
    case.offered |= {name, per_device}
    asked = graph.is_stated(name) or graph.is_stated(per_device)
    alone = per_node is not None and devices <= per_node
    if alone and not asked:
        return graph.line("energy.it", nodes, "kWh", "Energy of the IT equipment, one node", by=None, **facts)
    own = graph.line("energy.nodes", nodes, "kWh", "Energy of the nodes", by=None, **facts)
    if graph.is_stated(per_device):
        drawn = graph.input(per_device, None, "W", "Power of switches and cables for each device")
        count = case.given("run.device_count", Q(devices, "1"), "1", "Devices", "devices")
        between = energy_formulas.energy_of_mean_power(drawn, count, graph["run.duration"])
        by: Any = energy_formulas.energy_of_mean_power
    else:
        figure = None if graph.is_stated(name) else known.network_energy_share(devices)
        share = case.one_of(name, "1", label, stated=figure, assumed=True)
        assert share is not None
        between, by = power.network_energy(own, share), power.network_energy
    network = graph.line("energy.network", between, "kWh", "Energy of the switches between the nodes", by=by)
    return graph.total("energy.it", [own, network], "kWh", "Energy of the IT equipment")
