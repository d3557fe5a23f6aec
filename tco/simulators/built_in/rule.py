"""Rules of thumb: 6 N D or 8 N D operations at a stated utilisation. What a simulator has to beat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from tco.records.run import Run
    from tco.records.system import System
    from tco.records.workload import Workload
    from tco.simulators.base import Options, SimulatorError

UNSTATED = (
    "power and energy",
    "communication, bubble and recomputation (they are in the utilisation)",
    "memory",
)


@dataclass(frozen=True)
class Rule:
    """A step takes its operations over the peak of the devices times a utilisation.

    Attributes
    ----------
    kind
        Which operations the utilisation counts: those of the model, or all that are executed.
    pairs
        Predictor of the stored pairs, made with the default utilisation.
    """

    name: str
    title: str
    kind: Literal["MFU", "HFU"]
    pairs: str

    @property
    def settings(self) -> Mapping[str, str]:
        """What can be set."""
        return {
            "utilisation": f"{self.kind}, 0 to 1",
            "peak": "dense peak of one device in the precision of the workload, such as '1979 TFLOP/s'",
        }

    def available(self, options: Options) -> str | None:
        """Always."""
        return None

    def run(self, workload: Workload, system: System, options: Options) -> Run:
        """The run of one step."""
        return self._run(workload, system, options)

    def run_many(self, workloads: Sequence[Workload], system: System, options: Options) -> list[Run | SimulatorError]:
        """One run, or the reason why there is none, for each workload."""
        from tco.simulators.base import SimulatorError

        answers: list[Run | SimulatorError] = []
        for workload in workloads:
            try:
                answers.append(self._run(workload, system, options))
            except SimulatorError as error:
                answers.append(error)
        return answers

    def _run(self, workload: Workload, system: System, options: Options) -> Run:
        from tco.catalog import performance as known
        from tco.formulas import performance as formulas
        from tco.records.run import Prediction, Run, Tool, Utilisation
        from tco.simulators.base import SimulatorError
        from tco.simulators.workloads import operations, peak_of
        from tco.units import Q

        recompute = workload.parallelism.recompute
        if self.kind == "HFU" and recompute is None:
            raise SimulatorError(
                "parallelism.recompute: is not stated, and what is computed again counts; write 'none', 'selective' "
                "or 'full'"
            )
        default = known.baseline(f"{self.name}.utilisation").value
        share = options.number("utilisation", at_most=1) or default
        again = self.kind == "HFU" and recompute == "full"
        work: Any = operations(workload, with_recomputation=again)
        peak: Any = peak_of(workload, system, options)
        count: Any = Q(float(workload.devices or 1), "1")
        reached: Any = Q(share, "1")
        time = formulas.step_time(work, count, peak, reached).to("s")
        return Run(
            tool=Tool(name=self.title),
            duration=time,
            utilisation=(Utilisation(kind=self.kind, value=share, stated=True),),
            unstated=UNSTATED,
            prediction=Prediction(simulator=self.name, step_time=time, pairs=self.pairs, pairs_factor=default / share),
        )


SIX = Rule("6nd", "6 N D operations at a stated MFU", "MFU", "6nd-mfu40")
EIGHT = Rule("8nd", "8 N D operations (6 N D without full recomputation) at a stated HFU", "HFU", "8nd-hfu50")
