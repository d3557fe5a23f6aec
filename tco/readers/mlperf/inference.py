"""MLPerf Inference with power: the log of the analyser between the begin and the end that LoadGen states.

The official figure is the mean of the positive samples strictly inside that window, in W for Offline and Server, and
in mJ for a query of SingleStream and MultiStream (a query of MultiStream is eight samples).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.readers.mlperf.mllog import Event
    from tco.readers.mlperf.spl import Samples
    from tco.records.run import Run, Warning_

_DETAIL, _SUMMARY, _POWER = "mlperf_log_detail.txt", "mlperf_log_summary.txt", "spl.txt"
_FILES = (_DETAIL, _SUMMARY, _POWER)
_PER_QUERY = ("singlestream", "multistream")
#: Samples in a query of MultiStream since v2.0 (MLPerf Inference rules, "Scenarios"); SingleStream has one.
_MULTISTREAM_SAMPLES = 8
#: From this LoadGen on, its times of the power window are UTC; before, they are local to the machine that logged.
_UTC_SINCE = (1, 1)
_KEYS = frozenset(
    {
        "loadgen_version",
        "test_datetime",
        "effective_scenario",
        "effective_samples_per_query",
        "generated_samples_per_query",
        "power_begin",
        "power_end",
        "result_validity",
        "result_query_count",
        "result_samples_per_second",
        "result_completed_samples_per_sec",
        "result_tokens_per_second",
        "result_completed_tokens_per_second",
    }
)


class MLPerfInference:
    """Reads a run folder of MLPerf Inference: ``spl.txt`` and the logs of LoadGen."""

    name = "mlperf-inference"
    title = "folder of MLPerf Inference with power (run_1/spl.txt, mlperf_log_detail.txt)"
    boundary = "wall of the whole system (AC)"

    def sniff(self, path: Path) -> float:
        """Whether it is such a folder, or one of its files."""
        from tco.readers.blocks import first_bytes

        if path.is_dir():
            return 1.0 if _run_folders(path) else 0.0
        if path.name in _FILES:
            return 1.0
        head = first_bytes(path)
        if head.startswith(b"Time,") and b",Watts," in head[:80]:
            return 0.9
        return 0.9 if b":::MLLOG" in head[:200] and b"loadgen_" in head else 0.0

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run for each run folder."""
        from tco.errors import ReadError

        if not path.exists():
            raise ReadError(f"{path}: no such file")
        folders = _run_folders(path) if path.is_dir() else [path.parent]
        if not folders:
            raise ReadError(f"{path}: has no {_POWER} or {_DETAIL}, nor has a folder run_1 in it")
        return [_run(folder, options) for folder in folders]


def _run_folders(path: Path) -> list[Path]:
    if any((path / name).is_file() for name in (_DETAIL, _POWER)):
        return [path]
    found = []
    for parent in (path, path / "performance"):
        found += [one for one in sorted(parent.glob("run_*")) if (one / _DETAIL).is_file() or (one / _POWER).is_file()]
    return found


class _Window(NamedTuple):
    """The run, in microseconds since 1970."""

    begin_us: int
    end_us: int

    @property
    def length_s(self) -> float:
        """How long it is."""
        return (self.end_us - self.begin_us) / 10**6


class _Power(NamedTuple):
    """The power in the window."""

    mean_w: float
    energy_j: float
    integral_j: float | None
    coverage: float | None
    whole_file_w: float


def _run(folder: Path, options: ReadOptions) -> Run:
    from tco.errors import ReadError
    from tco.readers.making import evidence, make_run, seconds
    from tco.readers.mlperf.mllog import events
    from tco.readers.mlperf.spl import samples, stamp
    from tco.readers.mlperf.system import system_of
    from tco.records.run import Tool, Warning_

    detail, log = folder / _DETAIL, folder / _POWER
    if not detail.is_file():
        raise ReadError(f"{detail}: no such file; it says between which times of {_POWER} the run lies")
    found: dict[str, Event] = {event.key: event for event in events(detail, _KEYS)}
    for key in ("power_begin", "power_end"):
        if key not in found:
            raise ReadError(f"{detail}: has no '{key}'; the run was cut off, or LoadGen is older than v1.0")
    stamps = [stamp(str(found[key].value), found[key].where) for key in ("power_begin", "power_end")]
    warnings: list[Warning_] = []
    power: _Power | None = None
    day_first = stamps[0].first > 12
    utc = _is_utc(found.get("loadgen_version"))
    shifts = (0, 0) if utc else _shifts(folder, warnings)
    read: Samples | None = None
    if log.is_file():
        read = samples(log, stamps, _day(found.get("test_datetime")))
        day_first = read.day_first
        if not read.dates_told:
            warnings.append(
                Warning_(
                    code="date-order",
                    message="nothing says whether the day or the month comes first in the dates; the month is taken",
                    where=str(log),
                )
            )
    window = _Window(*(one.since_1970(day_first=day_first) + shifts[0] for one in stamps))
    if window.length_s <= 0:
        raise ReadError(f"{found['power_end'].where}: 'power_end' is not after 'power_begin'")
    if read is not None:
        power = _in_window(read._replace(t_us=read.t_us + shifts[1]), window, log, warnings)
    else:
        warnings.append(
            Warning_(code="no-power", message=f"there is no {_POWER}; no energy was measured", where=str(folder))
        )
    scenario = str(found["effective_scenario"].value) if "effective_scenario" in found else None
    queries = found["result_query_count"].number() if "result_query_count" in found else None
    system = system_of(folder)
    files = [file for file in (log, detail) if file.is_file()] + ([system.path] if system.path else [])
    validity = str(found["result_validity"].value).casefold() if "result_validity" in found else None
    version = str(found["loadgen_version"].value).split(" ")[0] if "loadgen_version" in found else None
    if validity == "invalid":
        warnings.append(
            Warning_(
                code="invalid-result",
                message="LoadGen calls this result INVALID; its minimum duration or its number of queries was not met",
                where=found["result_validity"].where,
            )
        )
    return make_run(
        str(folder),
        name=" ".join(part for part in (system.name, scenario, folder.name) if part),
        tool=Tool(name="mlperf-inference", version=version),
        start=_when(window.begin_us, utc=utc or shifts[0] != 0),
        end=_when(window.end_us, utc=utc or shifts[0] != 0),
        duration=seconds(window.length_s),
        nodes=system.nodes,
        devices=system.devices,
        work=_work(found, queries),
        power=_power_readings(power, options),
        energy=_energy_readings(power, options),
        results=_results(power, scenario, queries, folder),
        validity=validity if validity in ("valid", "invalid") else None,
        provenance=evidence(*files),
        warnings=warnings,
    )


def _is_utc(version: Event | None) -> bool:
    match = re.match(r"(\d+)\.(\d+)", str(version.value)) if version else None
    return match is None or (int(match[1]), int(match[2])) >= _UTC_SINCE


def _shifts(folder: Path, warnings: list[Warning_]) -> tuple[int, int]:
    """Microseconds to add to local times of LoadGen and of the analyser, as client and server of the meter say."""
    from tco.readers.rows import document, json_number
    from tco.records.run import Warning_

    found = []
    for name in ("client.json", "server.json"):
        file = next(
            (up / "power" / name for up in folder.resolve().parents[:2] if (up / "power" / name).is_file()), None
        )
        data: Any = None if file is None else document(file)
        offset = json_number(data, "timezone", str(file)) if isinstance(data, dict) else None
        if offset is None:
            warnings.append(
                Warning_(
                    code="local-times",
                    message=f"this LoadGen writes local times and there is no power/{name} that states their offset; "
                    "the clocks of LoadGen and of the meter are taken to agree",
                    where=str(folder),
                )
            )
            return 0, 0
        found.append(round(offset) * 10**6)
    return found[0], found[1]


def _day(event: Event | None) -> tuple[int, int, int] | None:
    match = re.match(r"(\d{4})-(\d\d)-(\d\d)", str(event.value)) if event else None
    return (int(match[1]), int(match[2]), int(match[3])) if match else None


def _when(microsecond: int, *, utc: bool) -> datetime:
    from datetime import UTC, datetime, timedelta

    when = datetime(1970, 1, 1) + timedelta(microseconds=microsecond)
    return when.replace(tzinfo=UTC) if utc else when


def _in_window(read: Samples, window: _Window, log: Path, warnings: list[Warning_]) -> _Power:
    import numpy as np

    from tco.errors import ReadError
    from tco.readers.trace import GAP, Times, covered
    from tco.records.run import Warning_

    inside = (read.t_us > window.begin_us) & (read.t_us < window.end_us)
    positive = read.power_w > 0
    used = inside & positive
    count, dropped = int(np.count_nonzero(used)), int(np.count_nonzero(inside & ~positive))
    if not count:
        span = f"{_when(int(read.t_us[0]), utc=False)} to {_when(int(read.t_us[-1]), utc=False)}"
        raise ReadError(
            f"{log}: no sample lies in the window of the run, {_when(window.begin_us, utc=False)} to "
            f"{_when(window.end_us, utc=False)}; the log runs from {span}: do both clocks count in the same zone?"
        )
    mean = float(read.power_w[used].sum()) / count
    whole = float(read.power_w.mean())
    if dropped:
        kept = float(read.power_w[inside].mean())
        warnings.append(
            Warning_(
                code="nonpositive-samples",
                message=f"{dropped} of {count + dropped} samples in the window are not above 0 W and are left out, as "
                f"the official rule has it; with them the mean were {kept:.6g} W instead of {mean:.6g} W",
                where=str(log),
            )
        )
    integral, coverage = None, None
    if np.count_nonzero(positive) > 1:
        from_begin = (read.t_us - window.begin_us) / 1e6
        t_s, power_w = from_begin[positive], read.power_w[positive]
        edges = np.unique(np.concatenate(([0.0, window.length_s], from_begin[used])))
        integral = float(np.trapezoid(np.interp(edges, t_s, power_w), edges))
        near = np.concatenate(([max(0.0, t_s[0])], from_begin[used], [min(window.length_s, t_s[-1])]))
        steps = np.diff(near)
        usual = float(np.median(Times(t_s).intervals))
        coverage = covered(float(steps[(steps >= 0) & (steps <= GAP * usual)].sum()), window.length_s)
        if coverage < 1 - GAP * usual / window.length_s:
            warnings.append(
                Warning_(
                    code="long-gap",
                    message=f"samples cover {coverage:.1%} of the {window.length_s:.6g} s of the run",
                    where=str(log),
                )
            )
    return _Power(mean, mean * window.length_s, integral, coverage, whole)


def _power_readings(power: _Power | None, options: ReadOptions) -> list[dict[str, Any]]:
    if power is None:
        return []
    return [
        {
            "boundary": options.boundary or "system_wall_ac",
            "average_power": {"value": power.mean_w, "unit": "W"},
            "rule": "mean_in_window",
            "method": "meter",
            "source": _POWER,
        }
    ]


def _energy_readings(power: _Power | None, options: ReadOptions) -> list[dict[str, Any]]:
    """The official mean over the window, and the integral of the samples over it."""
    if power is None:
        return []
    common = {"boundary": options.boundary or "system_wall_ac", "unit": "J", "source": _POWER}
    found = [{**common, "value": power.energy_j, "rule": "mean_in_window_x_duration", "method": "meter"}]
    if power.integral_j is not None:
        integral = {"value": power.integral_j, "rule": "trapezoid", "method": "sensor", "coverage": power.coverage}
        found.append({**common, **integral})
    return found


def _work(found: dict[str, Event], queries: float | None) -> list[dict[str, Any]]:
    work: list[dict[str, Any]] = []
    for key in ("result_completed_tokens_per_second", "result_tokens_per_second"):
        if key in found:  # LoadGen counts the tokens of the answers
            rate = {"value": found[key].number(), "unit": "1/s"}
            work.append({"quantity": "tokens", "basis": "output", "rate": rate})
            break
    if queries is not None:
        work.append({"quantity": "queries", "value": queries})
        # what was asked for is a minimum; what was generated was run
        per_query = found.get("generated_samples_per_query") or found.get("effective_samples_per_query")
        if per_query is not None:
            work.append({"quantity": "samples", "value": queries * per_query.number()})
    return work


def _results(power: _Power | None, scenario: str | None, queries: float | None, folder: Path) -> list[dict[str, Any]]:
    """The official figure of the scenario, and what else it may be mistaken for."""
    if power is None:
        return []
    official = {"name": "official power", "value": power.mean_w, "unit": "W"}
    whole = {
        "name": "mean power of the whole log",
        "value": power.whole_file_w,
        "unit": "W",
        "note": "holds what lies before and after the run; not a result",
    }
    if scenario is None or scenario.casefold() not in _PER_QUERY or not queries:
        return [{**official, "note": "mean of the positive samples inside the window of the run"}, whole]
    each = power.energy_j * 1000 / queries
    figure = {
        "name": "official energy per query",
        "value": each,
        "unit": "mJ",
        "note": f"{scenario}: mean power x window / queries",
    }
    found = [figure, {**official, "note": "before it is made a figure per query"}, whole]
    if scenario.casefold() == "singlestream":
        submitted = any("multistream" in part.casefold() for part in folder.resolve().parts)
        eight = {
            "name": "official energy per query, MultiStream inferred",
            "value": each * _MULTISTREAM_SAMPLES,
            "unit": "mJ",
            "note": f"x {_MULTISTREAM_SAMPLES}: what is published where this SingleStream run stands for MultiStream",
        }
        found.insert(0 if submitted else 1, eight)
    return found


READER = MLPerfInference()
