"""Traces of the PyTorch profiler (Kineto): JSON, often compressed, of one rank."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.records.run import Run

UNSTATED = (
    "power and energy",
    "what the other ranks do",
    "work done",
    "memory",
    "why the device waits between kernels",
)
_GPU = frozenset({"kernel", "gpu_memcpy", "gpu_memset"})
_COMMUNICATION = re.compile(r"nccl|rccl", re.IGNORECASE)
_STEP = re.compile(r"ProfilerStep#?\s*\d+")
_US = 1e6


class Kineto:
    """Reads a trace of the PyTorch profiler."""

    name = "kineto"
    title = "trace of the PyTorch profiler, Kineto (JSON, .gz)"
    boundary = "none: times only"

    def sniff(self, path: Path) -> float:
        """Whether it begins as a trace of this profiler, or holds its events."""
        from tco.readers.simulators.shared import head_of

        head = head_of(path, 1 << 18)
        if '"traceEvents"' in head and ('"schemaVersion"' in head or '"deviceProperties"' in head):
            return 1.0
        return 0.7 if '"traceEvents"' in head and ('"cat": "cpu_op"' in head or '"External id"' in head) else 0.0

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run: the profiled steps, else from the first event of a device to the last."""
        import numpy as np

        from tco.errors import ReadError
        from tco.readers.simulators import intervals, shared
        from tco.records.run import Result, Tool, Work
        from tco.units import Q

        data = shared.table_of(path)
        events = [event for event in data.get("traceEvents", ()) if isinstance(event, dict) and event.get("ph") == "X"]
        on_device = [event for event in events if str(event.get("cat", "")).casefold() in _GPU]
        if not on_device:
            raise ReadError(
                f"{path}: has no event of a GPU among its {len(events)}; was the profiler told to trace it?"
            )
        spans = _spans(on_device, path)
        talking = np.array([bool(_COMMUNICATION.search(str(event.get("name", "")))) for event in on_device])
        steps = [event for event in events if _STEP.fullmatch(str(event.get("name", "")))]
        marks = _spans(steps, path) if steps else spans
        start, end = float(marks[:, 0].min()), float(marks[:, 1].max())
        busy = intervals.length(intervals.within(spans, start, end))
        computing = intervals.length(intervals.within(spans[~talking], start, end))
        seconds = shared.time_s((end - start) / _US, f"{path}: traceEvents")
        everything = _spans(events, path)
        whole = float(everything[:, 1].max() - everything[:, 0].min())
        count = shared.count_of(_ranks(data, on_device), options, str(path))
        return [
            shared.run_of(
                str(path),
                phases=[
                    shared.phase("compute", "busy", computing / _US),
                    shared.phase("exposed communication", "waiting", (busy - computing) / _US),
                    shared.phase("nothing on the device", "waiting", seconds - busy / _US),
                ],
                utilisation=[shared.utilisation("busy", busy / (end - start), str(path))],
                unstated=[*UNSTATED, *([] if steps else ["where a step begins and ends"])],
                name=path.name.partition(".")[0],
                tool=Tool(name="Kineto"),
                duration=Q(seconds, "s"),
                devices=shared.devices(count, _model(data, on_device)),
                work=[Work(quantity="iterations", value=len(steps))] if steps else [],
                results=[
                    Result(name="gpu busy", value=intervals.length(spans), unit="us", note="union of the intervals"),
                    Result(name="gpu events", value=float(len(on_device)), unit="1"),
                    Result(
                        name="gpu durations",
                        value=float((spans[:, 1] - spans[:, 0]).sum()),
                        unit="us",
                        note="sum; streams overlap, so it is no time",
                    ),
                    Result(name="communication kernels", value=float(talking.sum()), unit="1"),
                    Result(name="communication", value=intervals.length(spans[talking]), unit="us"),
                    Result(
                        name="trace span",
                        value=whole,
                        unit="us",
                        note="with the start of the profiler; not the run time",
                    ),
                ],
                provenance=shared.files(path, None),
            )
        ]


def _spans(events: list[Any], path: Path) -> Any:
    import numpy as np

    from tco.errors import ReadError

    try:
        spans = np.array([(float(event["ts"]), float(event["ts"]) + float(event.get("dur", 0))) for event in events])
    except (KeyError, TypeError, ValueError):
        raise ReadError(f"{path}: traceEvents: an event has no 'ts' and 'dur' that are numbers") from None
    if not np.isfinite(spans).all() or (spans[:, 1] < spans[:, 0]).any():
        raise ReadError(f"{path}: traceEvents: an event ends before it starts")
    return spans


def _ranks(data: Mapping[str, Any], on_device: list[Any]) -> float:
    """Devices of the job: its ranks, else the devices that have events."""
    distributed = data.get("distributedInfo")
    size = distributed.get("world_size") if isinstance(distributed, dict) else None
    if isinstance(size, int) and size > 0:
        return float(size)
    return float(len({(event.get("pid"), (event.get("args") or {}).get("device")) for event in on_device}))


def _model(data: Mapping[str, Any], on_device: list[Any]) -> str | None:
    """Name of the device that was used; the trace may list all devices of the node."""
    used = {(event.get("args") or {}).get("device") for event in on_device}
    names = {
        str(entry.get("name"))
        for entry in data.get("deviceProperties") or ()
        if isinstance(entry, dict) and entry.get("id") in used
    }
    return names.pop() if len(names) == 1 else None


READER = Kineto()
