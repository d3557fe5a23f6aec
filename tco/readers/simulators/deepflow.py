"""The summary of DeepFlow (``summary_<MODEL>.txt``)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.records.run import Run

UNSTATED = (
    "energy (its component powers describe the hardware, not the run)",
    "unit of the time (taken as s)",
    "batch and tokens",
    "phases",
    "utilisation",
)
_TIME = re.compile(r"^Time:\s*(\S+)\s*$", re.MULTILINE)
_MEMORY = re.compile(r"Per Data Shard Per Model Shard\n=+\nTotal Memory:\s*([\d.]+) (\w+)")
_STRATEGY = re.compile(r"^dp: (\d+), lp: (\d+), kp_hidden_dim1: (\d+), kp_hidden_dim2: (\d+)", re.MULTILINE)
_POWER = re.compile(r"^=+\n([A-Z][\w-]*)\n=+\n(?:(?!^=).*\n)*?.*?tot_power: ([\d.]+) \(watt\)", re.MULTILINE)


class DeepFlow:
    """Reads the text summary of DeepFlow."""

    name = "deepflow"
    title = "summary of DeepFlow (text)"
    boundary = "none: times only"

    def sniff(self, path: Path) -> float:
        """Whether the first heading and a strategy are there."""
        from tco.readers.simulators.shared import head_of

        head = head_of(path)
        return 1.0 if "Hardware Configuration" in head[:200] and "Parallelism Strategy" in head else 0.0

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run of one batch."""
        from tco.errors import ReadError
        from tco.readers.simulators import shared
        from tco.records.run import Prediction, Result, Tool
        from tco.units import Q

        text = shared.text_of(path)
        match = _TIME.search(text)
        if match is None:
            raise ReadError(f"{path}: has no line 'Time: ...'; did DeepFlow end?")
        line = text.count("\n", 0, match.start()) + 1
        seconds = shared.time_s(match[1], f"{path}:{line}: Time")
        strategy, memory = _STRATEGY.search(text), _MEMORY.search(text)
        count = None
        if strategy is not None:
            count = float(int(strategy[1]) * int(strategy[2]) * int(strategy[3]) * int(strategy[4]))
        return [
            shared.run_of(
                str(path),
                unstated=UNSTATED,
                name=path.stem,
                tool=Tool(name="DeepFlow"),
                duration=Q(seconds, "s"),
                devices=shared.devices(shared.count_of(count, options, str(path))),
                memory=None if memory is None else Q(float(memory[1]), memory[2]),
                prediction=Prediction(simulator="deepflow", step_time=Q(seconds, "s"), pairs="deepflow"),
                results=[
                    Result(
                        name=f"{found[1]} power",
                        value=float(found[2]),
                        unit="W",
                        note="of the hardware at full load, not of the run",
                    )
                    for found in _POWER.finditer(text)
                ],
                provenance=shared.files(path, None),
            )
        ]


READER = DeepFlow()
