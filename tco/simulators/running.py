"""Simulators run side by side on one workload: each answers with a run, or says why it cannot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tco import catalog
from tco.errors import TcoError, did_you_mean
from tco.formulas import performance as formulas
from tco.records.base import load
from tco.records.run import Device, Prediction, Run, RunPhase, Tool, Utilisation, Warning_, Work
from tco.records.system import System
from tco.records.workload import Workload
from tco.simulators import plugins
from tco.simulators.base import TIME_LIMIT_S, ManyRuns, Options, Simulator, SimulatorError, check_settings
from tco.simulators.workloads import operations, published_peak
from tco.units import Q

#: A step that takes longer than a year is a mistake in its configuration.
_LONGEST_STEP_S = 8760 * 3600.0


class Answer(NamedTuple):
    """What a simulator said: a run, or why there is none."""

    name: str
    title: str
    run: Run | None
    fault: str | None


def load_workload(path: str | Path) -> Workload:
    """Read a workload from a TOML or JSON file."""
    return load(Workload, Path(path))


def simulate(
    workload: Workload | str | Path,
    simulators: Sequence[str | Simulator],
    system: System | str,
    *,
    devices: int | None = None,
    settings: Mapping[str, Mapping[str, str]] | None = None,
    time_limit_s: float = TIME_LIMIT_S,
) -> list[Answer]:
    """Ask simulators for the run of a workload, all at the same time.

    Parameters
    ----------
    workload
        A workload, or a file that holds one.
    simulators
        Names, TOML files, or simulators; nothing else is loaded.
    system
        Hardware record, or the name of one in the catalogue.
    devices
        How many; else as the workload says.
    settings
        Settings by simulator, as text.
    time_limit_s
        When each is stopped.

    Returns
    -------
    list of Answer
        One for each simulator, in their order; one that fails does not keep the others from answering.

    Raises
    ------
    TcoError
        If the workload, the system, the devices or a setting cannot be used.
    """
    from concurrent.futures import ThreadPoolExecutor

    where = str(workload) if isinstance(workload, str | Path) else workload.name or "workload"
    if isinstance(workload, str | Path):
        workload = load_workload(workload)
    if isinstance(system, str):
        system = load(System, Path(system)) if Path(system).suffix in (".toml", ".json") else catalog.system(system)
    try:
        placed = workload.on(devices)
    except ValueError as error:
        raise SimulatorError(f"{where}: {error}") from None
    names = [item if isinstance(item, str) else item.name for item in simulators]
    if not names:
        raise SimulatorError(
            f"name at least one simulator: {', '.join(plugins.OWN)}, or a TOML file that describes one"
        )
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise SimulatorError(f"the simulator '{twice}' is named twice")
    asked = dict(settings or {})
    for name in asked:
        if name not in names and all(Path(n).stem != name for n in names):
            raise SimulatorError(f"settings of '{name}', which is not run{did_you_mean(name, names)}")

    def ask(item: str | Simulator) -> Answer:
        name = item if isinstance(item, str) else item.name
        own = asked.get(name) or asked.get(Path(name).stem) or {}
        return _ask(item, placed, system, Options(own, time_limit_s))

    with ThreadPoolExecutor(len(names)) as pool:
        return list(pool.map(ask, simulators))


def _ask(item: str | Simulator, workload: Workload, system: System, options: Options) -> Answer:
    name = title = item if isinstance(item, str) else item.name
    try:
        simulator = plugins.find(item) if isinstance(item, str) else item
        name, title = simulator.name, simulator.title
        run = ready(simulator, options).run(workload, system, options)
        return Answer(name, title, whole(run, workload, system, name), None)
    except TcoError as error:
        return Answer(name, title, None, str(error))
    except Exception as error:  # a simulator may raise anything; the others still answer
        return Answer(name, title, None, f"raised {type(error).__name__}: {error}")


def ready(simulator: Simulator, options: Options) -> Simulator:
    """The simulator, if it can be used with these options.

    Raises
    ------
    SimulatorError
        With the reason why it cannot.
    """
    check_settings(simulator, options)
    why_not = simulator.available(options)
    if why_not is not None:
        raise SimulatorError(why_not)
    return simulator


def run_each(
    simulator: Simulator, workloads: Sequence[Workload], system: System, options: Options
) -> list[Run | SimulatorError]:
    """The run of each workload, or the reason why there is none; at once where the simulator can.

    Raises
    ------
    SimulatorError
        If it cannot be used at all.
    """
    ready(simulator, options)
    if isinstance(simulator, ManyRuns):
        return simulator.run_many(workloads, system, options)
    answers: list[Run | SimulatorError] = []
    for workload in workloads:
        try:
            answers.append(simulator.run(workload, system, options))
        except TcoError as error:
            answers.append(SimulatorError(str(error)))
    return answers


def whole(run: Run, workload: Workload, system: System, name: str) -> Run:
    """The run of the whole job, from that of one step.

    Raises
    ------
    SimulatorError
        If the step cannot be: no time, a time of years, or more operations than the devices can do.
    """
    if run.duration is None:
        raise SimulatorError("its run has no duration")
    step = float(run.duration.m_as("s"))
    if not 0 < step <= _LONGEST_STEP_S:
        raise SimulatorError(f"a step of {step:.4g} s cannot be; the configuration of the simulator is wrong")
    steps = workload.step_count
    found = run.prediction or Prediction(simulator=name, step_time=run.duration)
    work = [
        Work(quantity="iterations", value=steps),
        Work(quantity="sequences", value=steps * workload.global_batch),
        Work(quantity="tokens", basis="total", value=steps * workload.tokens_per_step),
    ]
    phases = tuple(
        RunPhase(name=phase.name, activity=phase.activity, duration=phase.duration * steps) for phase in run.phases
    )
    return run.model_copy(
        update={
            "name": workload.name or run.name,
            "tool": run.tool or Tool(name=name),
            "system": system.name,
            "devices": (Device(kind="accelerator", model=system.accelerator, count=float(workload.devices or 1)),),
            "duration": run.duration * steps,
            "phases": phases,
            "work": tuple(work),
            "utilisation": _utilisations(run, workload, system, step),
            "prediction": found.model_copy(update={"steps": steps}),
            "energy": tuple(energy.model_copy(update={"value": energy.value * steps}) for energy in run.energy),
            "warnings": run.warnings + _warnings(run, workload, system),
        }
    )


def _utilisations(run: Run, workload: Workload, system: System, step_s: float) -> tuple[Utilisation, ...]:
    """Those of the run, and the MFU that its time means where it has none."""
    peak: Any = published_peak(workload, system)
    if peak is None or any(share.kind == "MFU" for share in run.utilisation):
        return run.utilisation
    count: Any = Q(float(workload.devices or 1), "1")
    work: Any = operations(workload)
    time: Any = Q(step_s, "s")
    mfu = float(formulas.achieved_utilisation(work, count, peak, time).m_as("1"))
    if mfu > 1:
        raise SimulatorError(
            f"a step of {step_s:.4g} s means an MFU of {mfu:.3g}, and nothing computes faster than its peak"
        )
    return (*run.utilisation, Utilisation(kind="MFU", value=mfu))


def _warnings(run: Run, workload: Workload, system: System) -> tuple[Warning_, ...]:
    if run.memory is None or system.accelerator is None:
        return ()
    record = catalog.find_accelerator(system.accelerator)
    capacity = None if record is None or record.memory is None else record.memory.quantity("GB")
    # what a maker calls 80 GB is 80 GiB, so that a need between the two is no fault
    if capacity is None or float((run.memory / capacity).m_as("1")) <= _GIBI_OVER_GIGA:
        return ()
    return (
        Warning_(
            code="memory",
            message=f"a device needs {float(run.memory.m_as('GB')):.4g} GB and has {float(capacity.m_as('GB')):.4g} GB",
        ),
    )


_GIBI_OVER_GIGA = 2.0**30 / 1e9
