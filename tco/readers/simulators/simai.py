"""The end-to-end result of SimAI-Analytical (``...-EndToEnd.csv``): two tables in one file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.records.run import Run, RunPhase

UNSTATED = (
    "power and energy",
    "number of devices (it is in the workload file)",
    "work done, and FLOP",
    "memory",
    "how the exposed communication splits where parts of it overlap",
)
_EXPOSED = {
    "Expose DP comm": "exposed data-parallel communication",
    "Expose DP_EP comm": "exposed data-parallel communication of experts",
    "Expose TP comm": "exposed tensor-parallel communication",
    "Expose_EP_comm": "exposed expert-parallel communication",
    "Expose_PP_comm": "exposed pipeline communication",
}
_BUBBLE, _COMPUTE, _COMMUNICATION, _TOTAL = "bubble time", "total comp", "total exposed comm", "Total time"
#: Figures are whole microseconds, so that a sum of so many parts may differ by as many.
_ROUNDING_US = 10.0
_CELL = re.compile(r"\s*([0-9.eE+-]+|-?nan|-?inf)\s*(?:\(([^)]*)%\))?\s*")
_LOG = "all passes finished at time"
_DEVICES = re.compile(r"\ball_gpus:\s*(\d+)")


def _cells(path: Path) -> dict[str, float]:
    """The summary of the first table, in microseconds."""
    from tco.errors import ReadError
    from tco.readers.simulators import shared

    lines = shared.text_of(path).splitlines()
    if len(lines) < 2:
        raise ReadError(f"{path}: has no summary in its second line; was the file cut off?")
    names = [name.strip() for name in lines[0].split(",")]
    cells = lines[1].split(",")
    if len(cells) != len(names):
        raise ReadError(f"{path}:2: has {len(cells)} cells, the header {len(names)}")
    found: dict[str, float] = {}
    for name, cell in zip(names[1:], cells[1:], strict=True):
        match = _CELL.fullmatch(cell)
        if match is None:
            raise ReadError(f"{path}:2: column '{name}': '{cell.strip()}' is not a number with a share in brackets")
        found[name] = shared.checked_number(match[1], f"{path}:2: column '{name}'")
    for name in (_COMPUTE, _COMMUNICATION, _BUBBLE, _TOTAL, *_EXPOSED):
        if name not in found:
            raise ReadError(f"{path}:1: there is no column '{name}'; columns: {', '.join(names)}")
    return found


def _phases(path: Path, cells: dict[str, float]) -> list[RunPhase]:
    from tco.errors import ReadError
    from tco.readers.simulators.shared import phase

    parts = cells[_COMPUTE] + cells[_COMMUNICATION] + cells[_BUBBLE]
    if abs(parts - cells[_TOTAL]) > _ROUNDING_US:
        raise ReadError(
            f"{path}:2: compute, communication and bubble add up to {parts:g} us, the total is {cells[_TOTAL]:g} us"
        )
    exposed = sum(cells[name] for name in _EXPOSED)
    split = abs(exposed - cells[_COMMUNICATION]) <= _ROUNDING_US
    communication = (
        [(title, cells[name]) for name, title in _EXPOSED.items()]
        if split
        else [("exposed communication", cells[_COMMUNICATION])]
    )
    # whole microseconds: what rounding leaves is put to the longest part, so that the parts are the total
    left = cells[_TOTAL] - cells[_COMPUTE] - cells[_BUBBLE] - sum(value for _, value in communication)
    return [
        phase("compute", "busy", (cells[_COMPUTE] + left) / 1e6),
        *(phase(title, "waiting", value / 1e6) for title, value in communication),
        phase("pipeline bubble", "waiting", cells[_BUBBLE] / 1e6),
    ]


class SimAI:
    """Reads the end-to-end CSV of SimAI-Analytical."""

    name = "simai"
    title = "end-to-end result of SimAI-Analytical (CSV)"
    boundary = "none: times only"

    def sniff(self, path: Path) -> float:
        """Whether the first line names the exposed communications."""
        from tco.readers.simulators.shared import head_of

        head = head_of(path)
        if head.startswith("File name") and "Expose DP comm" in head.partition("\n")[0]:
            return 1.0
        return 0.9 if _LOG in head and "HYBRID_TRANSFORMER" not in head else 0.0

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run of one iteration; the number of devices is that of the workload file, or as told."""
        from tco.errors import ReadError
        from tco.readers.simulators import shared
        from tco.records.run import Prediction, Tool, Work
        from tco.units import Q

        if _LOG in shared.head_of(path):
            raise ReadError(
                f"{path}: is the log of SimAI, whose end time is that of the computation alone: communication and "
                "bubble are not in it; read its '...-EndToEnd.csv'"
            )
        cells = _cells(path)
        seconds = shared.time_s(cells[_TOTAL] / 1e6, f"{path}:2: column '{_TOTAL}'")
        companion, count = shared.companion_of(path, options, "workload.txt"), None
        if companion is not None:
            match = _DEVICES.search(shared.head_of(companion))
            if match is None:
                raise ReadError(f"{companion}:1: does not say 'all_gpus: N'; is it the workload of {path}?")
            count = float(match[1])
        count = shared.count_of(count, options, str(companion or path))
        return [
            shared.run_of(
                str(path),
                phases=_phases(path, cells),
                unstated=[what for what in UNSTATED if count is None or not what.startswith("number of devices")],
                name=path.stem,
                tool=Tool(name="SimAI-Analytical"),
                duration=Q(seconds, "s"),
                devices=shared.devices(count),
                work=[Work(quantity="iterations", value=1)],
                prediction=Prediction(simulator="simai", step_time=Q(seconds, "s"), pairs="simai"),
                provenance=shared.files(path, companion),
            )
        ]


READER = SimAI()
