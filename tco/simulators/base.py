"""What a simulator is, and what one may ask of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from tco.errors import TcoError, did_you_mean

if TYPE_CHECKING:
    from tco.records.run import Run
    from tco.records.system import System
    from tco.records.workload import Workload

#: A simulator that has not answered by then is stopped; ten minutes serve the ones that take seconds.
TIME_LIMIT_S = 600.0


class SimulatorError(TcoError):
    """A simulator that cannot be used, or that gave no answer; the message says why."""


@dataclass(frozen=True)
class Options:
    """How to run a simulator.

    Attributes
    ----------
    settings
        Its own settings, as text: ``{"utilisation": "0.42"}``.
    time_limit_s
        When it is stopped.
    """

    settings: Mapping[str, str] = field(default_factory=dict)
    time_limit_s: float = TIME_LIMIT_S

    def number(self, name: str, *, at_most: float | None = None) -> float | None:
        """A setting that is a number above 0; None where it is not set.

        Raises
        ------
        SimulatorError
            If it is something else.
        """
        text = self.settings.get(name)
        if text is None:
            return None
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not value > 0 or value == float("inf") or (at_most is not None and value > at_most):
            bound = "" if at_most is None else f" and at most {at_most:g}"
            raise SimulatorError(f"{name}: '{text}' is not a number above 0{bound}")
        return value


class Simulator(Protocol):
    """Predicts one step of a workload.

    Attributes
    ----------
    name
        What a user calls it: ``--with name``.
    title
        What it is, in a few words.
    settings
        The settings that it takes, and what each means.
    """

    name: str
    title: str
    settings: Mapping[str, str]

    def available(self, options: Options) -> str | None:
        """Why it cannot be used here, and what would help; None where it can."""
        ...

    def run(self, workload: Workload, system: System, options: Options) -> Run:
        """The run of one step; steps, devices and work of the whole job are filled in by the caller.

        The devices of the workload are placed: ``workload.devices`` and ``workload.parallelism.data`` are set.

        Raises
        ------
        SimulatorError
            If it cannot predict this workload on this system; the message says why.
        """
        ...


@runtime_checkable
class ManyRuns(Protocol):
    """A simulator that predicts many workloads at once, for less than one by one."""

    def run_many(self, workloads: Sequence[Workload], system: System, options: Options) -> list[Run | SimulatorError]:
        """One run, or the reason why there is none, for each workload."""
        ...


def check_settings(simulator: Simulator, options: Options) -> None:
    """Refuse settings that the simulator does not have.

    Raises
    ------
    SimulatorError
        Naming the setting, the nearest known one, and all of them.
    """
    for name in options.settings:
        if name not in simulator.settings:
            known = ", ".join(simulator.settings) or "none"
            raise SimulatorError(f"has no setting '{name}'{did_you_mean(name, simulator.settings)} (settings: {known})")
