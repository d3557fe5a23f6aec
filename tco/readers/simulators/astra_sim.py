"""The log of ASTRA-sim, whose lines ``sys[i] finished, N cycles`` are all it says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.records.run import Run

UNSTATED = ("power and energy", "work done (it is in the execution traces)", "utilisation", "memory", "clock frequency")
_FINISHED = re.compile(r"sys\[(\d+)\] finished, (\d+) cycles(?:, exposed communication (\d+) cycles)?")
#: At the default clock of 1 GHz.
_CYCLES_PER_SECOND = 1e9


class AstraSim:
    """Reads the log of ASTRA-sim."""

    name = "astra-sim"
    title = "log of ASTRA-sim"
    boundary = "none: times only"

    def sniff(self, path: Path) -> float:
        """Whether lines of its workload or system layer stand at the beginning."""
        from tco.readers.simulators.shared import head_of

        head = head_of(path)
        return 1.0 if _FINISHED.search(head) else 0.6 if "[system::topology" in head else 0.0

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run, as long as the device that finishes last."""
        from tco.errors import ReadError
        from tco.readers.simulators import shared
        from tco.records.run import Prediction, Tool, Warning_
        from tco.units import Q

        found: dict[int, tuple[float, float | None]] = {}
        for index, line in enumerate(shared.text_of(path).splitlines(), start=1):
            match = _FINISHED.search(line)
            if match is None:
                continue
            device = int(match[1])
            if device in found:
                raise ReadError(f"{path}:{index}: sys[{device}] finishes twice; the log is of more than one run")
            found[device] = float(match[2]), None if match[3] is None else float(match[3])
        if not found:
            raise ReadError(f"{path}: has no line 'sys[0] finished, N cycles'; did the simulation end?")
        missing = sorted(set(range(max(found) + 1)) - set(found))
        if missing:
            raise ReadError(
                f"{path}: sys[{missing[0]}] does not finish ({len(missing)} of {max(found) + 1} devices); the "
                "simulation ended early, or the log is cut off"
            )
        last = max(found, key=lambda device: found[device][0])
        cycles, exposed = found[last]
        seconds = shared.time_s(cycles / _CYCLES_PER_SECOND, f"{path}: sys[{last}]")
        phases = []
        if exposed is not None:
            if exposed > cycles:
                raise ReadError(f"{path}: sys[{last}]: {exposed:g} cycles of communication in {cycles:g} cycles")
            phases = [
                shared.phase("compute", "busy", (cycles - exposed) / _CYCLES_PER_SECOND),
                shared.phase("exposed communication", "waiting", exposed / _CYCLES_PER_SECOND),
            ]
        return [
            shared.run_of(
                str(path),
                phases=phases,
                unstated=UNSTATED,
                name=path.stem,
                tool=Tool(name="ASTRA-sim"),
                duration=Q(seconds, "s"),
                devices=shared.devices(shared.count_of(float(len(found)), options, str(path))),
                prediction=Prediction(simulator="astra-sim", step_time=Q(seconds, "s"), pairs="astra-sim"),
                provenance=shared.files(path, None),
                warnings=[
                    Warning_(
                        code="clock-assumed",
                        message="the log counts cycles; they are taken as ns, as at the default clock of 1 GHz",
                        where=str(path),
                    )
                ],
            )
        ]


READER = AstraSim()
