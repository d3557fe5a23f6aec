"""A simulator run over a set of measured steps: the pairs that its error metrics come from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tco import catalog
from tco.catalog.pairs import Pairs
from tco.catalog.performance import MeasuredSet, MeasuredStep, measured_set
from tco.errors import TcoError
from tco.records.base import validate
from tco.records.system import System
from tco.records.workload import Workload
from tco.simulators import plugins
from tco.simulators.base import TIME_LIMIT_S, Options, SimulatorError
from tco.simulators.running import run_each, whole


class Predicted(NamedTuple):
    """The pairs of a simulator on a set, and why some steps have none."""

    pairs: Pairs
    data: MeasuredSet
    simulator: str
    faults: tuple[str, ...]


def workload_of(step: MeasuredStep, data: MeasuredSet) -> Workload:
    """A measured step as a workload; what is not published keeps its default.

    Raises
    ------
    RecordError
        If the configuration cannot be.
    """
    split = {
        "tensor": step.tensor,
        "pipeline": step.pipeline,
        "data": step.data,
        "micro_batch": step.micro_batch,
        "interleave": step.interleave,
        "recompute": step.recompute,
        "sequence_parallel": step.sequence_parallel,
    }
    fields = {
        "name": step.id,
        "precision": data.precision,
        "global_batch": step.global_batch,
        "devices": step.devices,
        "model": {
            "layers": step.layers,
            "hidden": step.hidden,
            "heads": step.heads,
            "vocabulary": step.vocabulary,
            "sequence": step.sequence,
        },
        "parallelism": {name: value for name, value in split.items() if value is not None},
    }
    return validate(Workload, fields, step.place)


def predict(
    name: str,
    data: str,
    *,
    settings: Mapping[str, str] | None = None,
    time_limit_s: float = TIME_LIMIT_S,
) -> Predicted:
    """Run a simulator over all steps of a set.

    Parameters
    ----------
    name
        Of the simulator, or its TOML file.
    data
        Id of the set: ``vtrain-multi``.
    settings
        Of the simulator.
    time_limit_s
        When it is stopped.

    Raises
    ------
    SimulatorError
        If it cannot be used, or predicts none of the steps.
    """
    known, simulator = measured_set(data), plugins.find(name)
    system = _system(known)
    options = Options(settings or {}, time_limit_s)
    workloads = [workload_of(step, known).on(step.devices) for step in known.steps]
    try:
        answers = run_each(simulator, workloads, system, options)
    except SimulatorError as error:
        raise SimulatorError(f"{simulator.name}: {error}") from None
    points, faults = [], []
    for step, workload, answer in zip(known.steps, workloads, answers, strict=True):
        try:
            if isinstance(answer, SimulatorError):
                raise answer
            run = whole(answer, workload, system, simulator.name)
        except TcoError as error:
            faults.append(f"{step.id}: {error}")
            continue
        assert run.prediction is not None
        points.append((float(run.prediction.step_time.m_as("s")), step))
    if not points:
        raise SimulatorError(f"{simulator.name}: predicts none of the {len(known.steps)} steps of {data}: {faults[0]}")
    pairs = Pairs(
        where=f"{simulator.name} on {data}",
        unit="s",
        predicted=tuple(predicted for predicted, _ in points),
        measured=tuple(step.measured_s for _, step in points),
        columns=tuple(_columns(step, known) for _, step in points),
        skipped=len(faults),
    )
    return Predicted(pairs, known, simulator.name, tuple(faults))


def _system(data: MeasuredSet) -> System:
    """The first node of the catalogue with the accelerator of a set."""
    fitting = catalog.systems_with(data.accelerator)
    return catalog.system(fitting[0])


def _columns(step: MeasuredStep, data: MeasuredSet) -> dict[str, str]:
    micro = "" if step.micro_batch is None else f" microbatch {step.micro_batch}"
    recompute = "" if step.recompute is None else f" recompute={step.recompute}"
    return {
        "pair_id": step.id,
        "quantity": "training iteration time",
        "mode": "training",
        "workload": step.model,
        "hardware": data.accelerator,
        "devices": str(step.devices),
        "batch": str(step.global_batch),
        "config": f"TP{step.tensor} PP{step.pipeline} DP{step.data} batch {step.global_batch}{micro}{recompute}",
    }


#: Groups of sets, for scores over several publications.
GROUPS: dict[str, tuple[str, ...]] = {
    "sc21-table-1": ("sc21-table-1",),
    "sc21-table-2": ("sc21-table-2",),
    "korthikanti-table-5": ("korthikanti-table-5",),
    "mtnlg-530b": ("mtnlg-530b",),
    "vtrain-multi": ("vtrain-multi",),
    "vtrain-single": ("vtrain-single",),
    "all but vtrain-single": ("sc21-table-1", "sc21-table-2", "korthikanti-table-5", "mtnlg-530b", "vtrain-multi"),
    "all but vtrain-single and korthikanti-table-5": ("sc21-table-1", "sc21-table-2", "mtnlg-530b", "vtrain-multi"),
}


def validation_scores() -> list[tuple[str, str, str, dict[str, float | None]]]:
    """Every metric of every predictor on every group of measured steps, from the stored pairs.

    Returns
    -------
    list of (group, predictor, evidence, metrics)
        Metrics by name, with ``points``; relative ones in percent, ``rmse`` in s.
    """
    from tco.catalog.library import library
    from tco.catalog.metrics import scores

    by_column: dict[str, dict[str, tuple[Pairs, str, str]]] = {}
    for known in library().pair_sets.values():
        if known.prediction.column == "predicted" or known.file.quantity != "step time":
            continue
        evidence = known.prediction.evidence.value if known.prediction.evidence else "not stated"
        columns = by_column.setdefault(known.prediction.column, {})
        columns[known.file.data] = known.load(), known.prediction.predictor, evidence
    found = []
    for group, sets in GROUPS.items():
        for columns in by_column.values():
            parts = [columns[name] for name in sets if name in columns]
            if len(parts) < len(sets):
                continue
            predicted = [value for pairs, _, _ in parts for value in pairs.predicted]
            measured = [value for pairs, _, _ in parts for value in pairs.measured]
            values = {name: metric.value for name, metric in scores(predicted, measured).items()}
            evidence = ", ".join(dict.fromkeys(evidence for _, _, evidence in parts))
            found.append((group, parts[0][1], evidence, {"points": float(len(measured)), **values}))
    return found
