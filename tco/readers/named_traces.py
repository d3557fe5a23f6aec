"""The power traces that a run record names, integrated."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from tco.errors import ReadError
from tco.files import sha256
from tco.readers import plugins
from tco.readers.base import ReadOptions, TraceReader
from tco.readers.build import energy_of, method_of, no_such_channel, pick, warnings_of
from tco.readers.trace import Channel
from tco.records.run import EnergyReading, Evidence, PowerReading, Rule, Run, Warning_
from tco.units import Q

_RULES = ("trapezoid", "left_rectangle", "right_rectangle")


class _Traces:
    """The traces of one run record, each file read once."""

    def __init__(self, path: Path, run: Run, options: ReadOptions) -> None:
        self._path, self._run, self._options = path, run, options
        self._channels: dict[tuple[Path, Rule], list[Channel]] = {}
        self.warnings: list[Warning_] = []
        self.evidence: dict[str, Evidence] = {}
        self.spans: list[float] = []

    def channels(self, place: str, reading: PowerReading) -> list[Channel]:
        """The channels of the trace of a reading."""
        assert reading.trace is not None
        rule = reading.rule or self._options.rule
        if rule not in _RULES:
            raise ReadError(
                f"{self._path}: {place}.rule: '{rule}' is not how a trace is integrated; write {' or '.join(_RULES)}"
            )
        file = self._path.parent / reading.trace
        if not file.is_file():
            raise ReadError(
                f"{self._path}: {place}.trace: there is no file '{file}'; the path is relative to the run file"
            )
        key = (file, cast("Rule", rule))
        if key not in self._channels:
            found = plugins.most_confident(file)
            if found is None or not isinstance(found.reader, TraceReader):
                raise ReadError(f"{self._path}: {place}.trace: no reader knows '{file}' as a power trace")
            options = ReadOptions(rule=key[1], time_zone=self._run.time_zone or self._options.time_zone)
            self._channels[key] = channels = found.reader.trace(file, options)
            self.warnings += [Warning_(code="reader-failed", message=fault) for fault in found.faults]
            self.spans.append(max(c.last_s for c in channels) - min(c.first_s for c in channels))
            self._check_digest(reading.trace, file)
        return self._channels[key]

    def _check_digest(self, name: str, file: Path) -> None:
        if name in self.evidence:
            return
        digest = sha256(file)
        self.evidence[name] = Evidence(file=name, sha256=digest)
        for index, evidence in enumerate(self._run.provenance):
            if evidence.file == name and evidence.sha256 not in (None, digest):
                self.warnings.append(
                    Warning_(
                        code="checksum",
                        message=f"'{name}' is not the file that the record was made from: its SHA-256 is {digest}",
                        where=f"{self._path}: provenance[{index}].sha256",
                    )
                )


def with_traces(path: Path, run: Run, options: ReadOptions) -> Run:
    """A run with an energy added for each power reading that names a trace, found relative to the run file."""
    traces = _Traces(path, run, options)
    energies: list[EnergyReading] = []
    for index, reading in enumerate(run.power):
        if reading.trace is not None:
            energies += _energies(f"power[{index}]", reading, traces, path, run)
    update: dict[str, Any] = {"energy": run.energy + tuple(energies)}
    named = {evidence.file for evidence in run.provenance}
    added = tuple(evidence for name, evidence in traces.evidence.items() if name not in named)
    update["provenance"] = run.provenance + added
    if run.elapsed is None:
        duration = max(traces.spans)
        if duration > 0:
            update["duration"] = Q(duration, "s")
            traces.warnings.append(
                Warning_(
                    code="duration-from-trace",
                    message=f"the record states no duration; that of its longest trace, {duration:.6g} s, is taken",
                    where=str(path),
                )
            )
    unique = tuple(dict.fromkeys(traces.warnings))
    return run.model_copy(update={**update, "warnings": run.warnings + unique})


def _energies(place: str, reading: PowerReading, traces: _Traces, path: Path, run: Run) -> list[EnergyReading]:
    """The energy that one power reading stands for; none where its channels have no valid samples."""
    channels = traces.channels(place, reading)
    members = _members(place, reading, channels, path)
    for channel in members:
        traces.warnings += warnings_of(channel, f"{path}: {place}.trace")
    known = [channel for channel in members if channel.energy_j is not None]
    if not known:
        return []
    count = _count(place, reading, traces, path, run)
    total = sum(channel.energy_j for channel in known if channel.energy_j is not None) * count
    single = energy_of(known[0], reading.trace or "")
    assert single is not None
    return [
        single.model_copy(
            update={
                "value": total,
                "device": reading.device,
                "boundary": reading.boundary or known[0].boundary,
                "phase": reading.phase,
                "method": reading.method or method_of(known[0]),
            }
        )
    ]


def _members(place: str, reading: PowerReading, channels: list[Channel], path: Path) -> list[Channel]:
    """The channels of a trace that a reading is about."""
    known = [channel.id for channel in channels]
    if reading.device is not None:
        found = pick(reading.device, known)
        if found is None:
            raise ReadError(f"{path}: {place}.device: {no_such_channel(reading.device, known)}")
        return [channel for channel in channels if channel.id == found]
    if len(channels) == 1:
        return channels
    if reading.scope == "device":
        raise ReadError(f"{path}: {place}.device: is missing; say which of the channels {', '.join(known)} it is")
    outer = [channel for channel in channels if channel.within is None]
    boundaries = {channel.boundary for channel in outer}
    if len(boundaries) > 1:
        outer = [channel for channel in outer if channel.boundary == reading.boundary]
        if not outer:
            names = ", ".join(sorted(str(boundary) for boundary in boundaries))
            raise ReadError(f"{path}: {place}.boundary: the trace has channels at {names}; say which of them to add up")
    return outer


def _count(place: str, reading: PowerReading, traces: _Traces, path: Path, run: Run) -> float:
    """How many pieces draw the power of the trace: a trace of one node or device may stand for all of them."""
    if reading.scope == "whole_run" or reading.device is not None:
        return 1.0
    count, field = (run.nodes, "nodes") if reading.scope == "node" else (run.device_count or None, "devices")
    if count is None:
        raise ReadError(f"{path}: {place}.scope: the trace of one {reading.scope} needs '{field}'")
    if count != 1:
        traces.warnings.append(
            Warning_(
                code="extrapolated",
                message=f"the trace of one {reading.scope} is taken for all {count:g}",
                where=f"{path}: {place}.scope",
            )
        )
    return count
