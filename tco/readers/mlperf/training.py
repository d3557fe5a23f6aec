"""MLPerf Training and HPC: the log of a run, and the power logs of its nodes and switches where it has them.

Two energies come of one run. The official one sums each reading times the interval before it from
``power_measurement_start`` to ``power_measurement_stop``, stretches that to the time to train, and multiplies it by
``conversion_eff``, so that it stands behind the power supplies. The one at the wall is the integral of the readings
between ``run_start`` and ``run_stop``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from tco.readers.base import ReadOptions
    from tco.readers.mlperf.mllog import Event
    from tco.records.run import Boundary, Run, Warning_

_START, _STOP, _READING = "power_measurement_start", "power_measurement_stop", "power_reading"
_EFFICIENCY, _SWITCH = "conversion_eff", "interconnect_power_est"
_POWER_KEYS = frozenset({_START, _STOP, _READING, _EFFICIENCY, _SWITCH})
_RUN_KEYS = frozenset(
    {
        "run_start",
        "run_stop",
        "submission_benchmark",
        "submission_org",
        "submission_division",
        "submission_platform",
        "global_batch_size",
        "train_samples",
    }
)
_MOST_READINGS = 10_000_000
#: A power log that covers less of the run than this is worth a word.
_COVERED = 0.99
#: The official energy and that at the wall differ by their rule alone by less than this.
_ALIKE = 0.02
_SIDE = re.compile(r"(?:^|[-_ .])(ac|dc)(?:$|[-_ .])", re.IGNORECASE)
#: Folders above a power log whose names may say on which side of the supplies it was measured.
_NAMED_FOLDERS = 6


class MLPerfTraining:
    """Reads a result of MLPerf Training or HPC, with its power logs where there are some."""

    name = "mlperf-training"
    title = "result of MLPerf Training or HPC (:::MLLOG), with power/ beside it"
    boundary = "node, AC or DC as its log says; switches apart"

    def sniff(self, path: Path) -> float:
        """Whether it is a log of such a run, or a folder of them."""
        from tco.readers.blocks import first_bytes

        if path.is_dir():
            return 0.9 if _results_in(path) else 0.0
        head = first_bytes(path)
        if b":::MLLOG" in head:
            return 0.4 if b'"loadgen_' in head else 0.95
        return 0.95 if b":::MLPv" in head else 0.0

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run for each result."""
        from tco.errors import ReadError

        if not path.is_dir():
            return [_read_file(path, options)]
        results = _results_in(path)
        if not results:
            raise ReadError(f"{path}: has no result_*.txt of MLPerf Training")
        return [_result_run(result, options) for result in results]


def _results_in(path: Path) -> list[Path]:
    from tco.readers.blocks import first_bytes

    return [one for one in sorted(path.glob("result_*.txt")) if b":::ML" in first_bytes(one)]


def _read_file(path: Path, options: ReadOptions) -> Run:
    """A result, or one power log: then the result that it belongs to, or the log alone where there is none."""
    from tco.readers.mlperf.mllog import events

    is_power = any(event.key in _POWER_KEYS for event in events(path, _POWER_KEYS | {"run_start"}) if event)
    if not is_power:
        return _result_run(path, options)
    folder = path.resolve().parent
    result = folder.parent.parent / f"{folder.name}.txt"
    return _result_run(result, options) if result.is_file() else _log_alone(path, options)


class _Log(NamedTuple):
    """The power log of one node or switch; times in ms since 1970.

    Attributes
    ----------
    start_ms, stop_ms
        As it states them; None where it does not.
    t_ms, power_w
        Its readings in the order of time, shape (n,).
    efficiency
        What the official rule multiplies by: from the side that was measured to behind the power supplies.
    side
        ``AC`` or ``DC`` as it states; None where it does not.
    estimate_w
        Power of a switch that was estimated, not measured.
    """

    path: Path
    start_ms: float | None
    stop_ms: float | None
    t_ms: NDArray[np.float64]
    power_w: NDArray[np.float64]
    efficiency: float
    side: str | None
    estimate_w: float | None

    @property
    def name(self) -> str:
        """``node_0``, ``sw_0`` ..."""
        return self.path.stem


def _power_log(path: Path) -> _Log:
    from array import array

    import numpy as np

    from tco.errors import ReadError
    from tco.readers.mlperf.mllog import events

    start = stop = estimate = side = None
    efficiency = 1.0
    times, powers = array("d"), array("d")
    for event in events(path, _POWER_KEYS):
        if event.key == _START:
            start = event.time_ms
        elif event.key == _STOP:
            stop = event.time_ms
        elif event.key == _EFFICIENCY:
            efficiency = event.number()
            if not 0 < efficiency <= 1:
                raise ReadError(f"{event.where}: '{_EFFICIENCY}' is {efficiency:g}; above 0 and at most 1 is expected")
            kind = event.metadata.get("measurement_type")
            side = kind.upper() if isinstance(kind, str) and kind.upper() in ("AC", "DC") else None
        elif event.key == _SWITCH:
            estimate = event.number() if estimate is None else estimate
        else:
            power = event.number()
            if power < 0:
                raise ReadError(f"{event.where}: a power of {power:g} W is below zero")
            times.append(event.time_ms)
            powers.append(power)
            if len(times) > _MOST_READINGS:
                raise ReadError(f"{path}: has more than {_MOST_READINGS:,} readings")
    t_ms, power_w = np.frombuffer(times), np.frombuffer(powers)
    order = np.argsort(t_ms, kind="stable")
    return _Log(path, start, stop, t_ms[order], power_w[order], efficiency, side, estimate)


def _official(log: _Log, time_to_train_s: float, fallback_start_ms: float | None) -> float | None:
    """The energy in J that the official summarizer gives for one node; None where its rule divides by zero."""
    import numpy as np

    from tco.errors import ReadError

    start = log.start_ms if log.start_ms is not None else fallback_start_ms
    if start is None:
        raise ReadError(
            f"{log.path}: has no '{_START}', and there is no result beside it whose 'run_start' could stand for it"
        )
    inside = log.t_ms >= start
    stop = log.stop_ms
    if stop is not None:
        inside &= log.t_ms <= stop
    elif inside.any():
        stop = float(log.t_ms[inside][-1])
    if stop is None or stop <= start or not inside.any():
        return None
    t_ms, power_w = log.t_ms[inside], log.power_w[inside]
    energy = float((power_w * np.diff(t_ms, prepend=start)).sum())
    return energy * time_to_train_s / (stop - start) * log.efficiency


class _Measured(NamedTuple):
    """What a log says of a stretch of time.

    Attributes
    ----------
    energy_j
        Integral; readings at the ends are held to the edges. None where no reading lies inside.
    coverage
        Share of the stretch between the first and the last reading.
    """

    energy_j: float | None
    coverage: float


def _integral(log: _Log, begin_ms: float, end_ms: float) -> _Measured:
    import numpy as np

    from tco.readers.trace import covered

    inside = (log.t_ms >= begin_ms) & (log.t_ms <= end_ms)
    if not inside.any() or end_ms <= begin_ms:
        return _Measured(None, 0.0)
    edges = np.unique(np.concatenate(([begin_ms, end_ms], log.t_ms[inside])))
    energy = float(np.trapezoid(np.interp(edges, log.t_ms, log.power_w), edges)) / 1e3
    between = min(float(log.t_ms[-1]), end_ms) - max(float(log.t_ms[0]), begin_ms)
    return _Measured(energy, covered(between, end_ms - begin_ms))


class _Result(NamedTuple):
    """The log of a run: its times in ms since 1970."""

    path: Path
    begin_ms: float
    end_ms: float
    status: str | None
    facts: dict[str, Event]
    samples: float | None

    @property
    def time_to_train_s(self) -> float:
        """From the start to the stop of the run."""
        return (self.end_ms - self.begin_ms) / 1e3


def _result(path: Path, warnings: list[Warning_]) -> _Result:
    from tco.errors import ReadError
    from tco.readers.mlperf.mllog import events
    from tco.records.run import Warning_

    starts: list[Event] = []
    stops: list[Event] = []
    facts: dict[str, Event] = {}
    for event in events(path, _RUN_KEYS):
        if event.key == "run_start":
            starts.append(event)
        elif event.key == "run_stop":
            stops.append(event)
        else:
            facts[event.key] = event
    if not starts or not stops:
        missing = "run_stop" if starts else "run_start"
        raise ReadError(
            f"{path}: has no '{missing}': " + ("the run did not end" if starts else "not a result of MLPerf Training")
        )
    begin, end = min(event.time_ms for event in starts), max(event.time_ms for event in stops)
    if end <= begin:
        raise ReadError(f"{stops[-1].where}: 'run_stop' is not after 'run_start'")
    spread = max(max(e.time_ms for e in both) - min(e.time_ms for e in both) for both in (starts, stops)) / 1e3
    if spread > 1:
        warnings.append(
            Warning_(
                code="several-runs",
                message=f"'run_start' and 'run_stop' stand {len(starts)} and {len(stops)} times, up to {spread:.6g} s "
                "apart; the run is taken from the first start to the last stop",
                where=str(path),
            )
        )
    status = stops[-1].metadata.get("status")
    return _Result(
        path, begin, end, status if isinstance(status, str) else None, facts, _samples(stops[-1], facts, begin)
    )


def _samples(stop: Event, facts: dict[str, Event], begin_ms: float) -> float | None:
    """Samples that were trained on; a count that is logged before the run is the size of the data set."""
    count = stop.metadata.get("samples_count")
    if isinstance(count, int | float) and not isinstance(count, bool) and count > 0:
        return float(count)
    trained = facts.get("train_samples")
    return trained.number() if trained is not None and trained.time_ms > begin_ms else None


def _boundary(logs: Sequence[_Log], options: ReadOptions, warnings: list[Warning_]) -> Boundary | None:
    """The side of the power supplies on which the nodes were measured."""
    from tco.records.run import Warning_

    if options.boundary is not None:
        return options.boundary
    sides = {log.side for log in logs if log.side}
    if len(sides) == 1:
        return "node_ac" if sides == {"AC"} else "node_dc"
    folders = logs[0].path.resolve().parents[:_NAMED_FOLDERS]
    named = next((match[1].upper() for folder in folders if (match := _SIDE.search(folder.name))), None)
    if named is None:
        return None
    warnings.append(
        Warning_(
            code="boundary-from-name",
            message=f"the power logs do not say on which side of the power supplies they were measured; the name of "
            f"their folder says {named}",
            where=str(logs[0].path.parent),
        )
    )
    return "node_ac" if named == "AC" else "node_dc"


def _result_run(path: Path, options: ReadOptions) -> Run:
    from tco.readers.making import evidence, make_run, seconds
    from tco.readers.mlperf.system import system_of
    from tco.records.run import Tool, Warning_

    warnings: list[Warning_] = []
    result = _result(path, warnings)
    system = system_of(path)
    folder = path.parent / "power" / path.name.split(".")[0]
    nodes = [_power_log(file) for file in sorted(folder.glob("node_*.txt"))]
    switches = [_power_log(file) for file in sorted(folder.glob("sw_*.txt"))]
    energy, results = _energies(result, nodes, switches, options, warnings)
    if result.status not in (None, "success"):
        warnings.append(
            Warning_(
                code="invalid-result",
                message=f"the run ended as '{result.status}'; it did not reach its target",
                where=str(path),
            )
        )
    files = [path, *(log.path for log in (*nodes, *switches)), *([system.path] if system.path else [])]
    return make_run(
        str(path),
        name=" ".join(filter(None, (system.name, _fact(result, "submission_benchmark"), path.stem))),
        tool=Tool(name="mlperf-training"),
        start=_utc(result.begin_ms),
        end=_utc(result.end_ms),
        duration=seconds(result.time_to_train_s),
        nodes=len(nodes) or system.nodes,
        devices=system.devices,
        work=[] if result.samples is None else [{"quantity": "samples", "value": result.samples}],
        energy=energy,
        results=[{"name": "time to train", "value": result.time_to_train_s, "unit": "s"}, *results],
        validity=None if result.status is None else ("valid" if result.status == "success" else "invalid"),
        provenance=evidence(*files),
        warnings=warnings,
    )


def _fact(result: _Result, key: str) -> str | None:
    event = result.facts.get(key)
    return event.value if event is not None and isinstance(event.value, str) else None


def _utc(millisecond: float) -> Any:
    from datetime import UTC, datetime

    from tco.errors import ReadError

    try:
        return datetime.fromtimestamp(millisecond / 1e3, UTC)
    except (OverflowError, ValueError, OSError):
        raise ReadError(f"{millisecond:g} is not a time in milliseconds since 1970") from None


def _energies(
    result: _Result,
    nodes: Sequence[_Log],
    switches: Sequence[_Log],
    options: ReadOptions,
    warnings: list[Warning_],
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The energies of the nodes and of all, and the figures of the official rule."""
    from tco.records.run import Warning_

    where, time = str(result.path), result.time_to_train_s
    if not nodes:
        if switches:
            warnings.append(
                Warning_(code="no-power", message="there are power logs of switches and none of nodes", where=where)
            )
        return [], []
    boundary = _boundary(nodes, options, warnings)
    measured = {log.name: _integral(log, result.begin_ms, result.end_ms) for log in nodes}
    wall = _whole(nodes, measured, result, warnings)
    official = {log.name: _official(log, time, result.begin_ms) for log in nodes}
    known = [value for value in official.values() if value is not None]
    sum_official = sum(known) if len(known) == len(nodes) else None
    readings: list[dict[str, Any]] = []
    results: list[dict[str, Any]] = []
    common = {"unit": "J", "source": f"power/{nodes[0].path.parent.name}"}
    if wall is not None:
        coverage = min(one.coverage for one in measured.values())
        readings.append(
            {**common, "boundary": boundary, "value": wall, "rule": "trapezoid", "method": "sensor"}
            | {"coverage": coverage}
        )
        results += [
            {"name": f"energy of {name}", "value": one.energy_j, "unit": "J", "note": "between run_start and run_stop"}
            for name, one in measured.items()
            if len(nodes) > 1 and one.energy_j is not None
        ]
    if sum_official is None:
        names = ", ".join(name for name, value in official.items() if value is None)
        warnings.append(
            Warning_(
                code="stop-not-after-start",
                message=f"'{_STOP}' is not after '{_START}' in {names}, so that the official rule divides by zero; the "
                "readings between 'run_start' and 'run_stop' are integrated",
                where=common["source"],
            )
        )
    else:
        converted = any(log.efficiency < 1 for log in nodes)
        behind = "node_dc" if converted and boundary in ("node_ac", None) else boundary
        readings.append({**common, "boundary": behind, "value": sum_official, "rule": "mlperf_training_official"})
        in_front = sum(
            value / log.efficiency for log, value in zip(nodes, official.values(), strict=True) if value is not None
        )
        results += _official_figures(sum_official, in_front, nodes, switches, time)
        if wall is not None:
            warnings += _difference(sum_official, in_front, wall, nodes, where)
    total = _with_switches(wall, boundary, result, switches, warnings, results)
    if total is not None:
        readings.append({**common, **total})
    return readings, results


def _whole(
    nodes: Sequence[_Log], measured: dict[str, _Measured], result: _Result, warnings: list[Warning_]
) -> float | None:
    """The energy of all nodes between the edges of the run; None where one of them has no reading there."""
    from tco.records.run import Warning_

    total = 0.0
    for log in nodes:
        one = measured[log.name]
        if one.energy_j is None:
            warnings.append(_outside(log, result))
            return None
        total += one.energy_j
        if one.coverage < _COVERED:
            warnings.append(
                Warning_(
                    code="short-log",
                    message=f"the power log of {log.name} covers {one.coverage:.1%} of the {result.time_to_train_s:.6g}"
                    " s of the run; its first and last readings are held to the edges",
                    where=str(log.path),
                )
            )
    return total


def _outside(log: _Log, result: _Result) -> Warning_:
    from tco.records.run import Warning_

    if not len(log.t_ms):
        return Warning_(
            code="no-overlap",
            message=f"{log.name} has no power reading; its energy is not known, which is not zero",
            where=str(log.path),
        )
    offset = (float(log.t_ms[0]) - result.begin_ms) / 1e3
    hours = round(offset / 3600)
    zone = f"about {abs(hours)} h {'behind' if offset < 0 else 'ahead'}: a clock in another time zone?"
    return Warning_(
        code="no-overlap",
        message=f"the power log of {log.name} begins {offset:.6g} s from 'run_start' and has no reading inside the run"
        f" ({zone if hours else 'it was measured at another time'}); its energy is not known, which is not zero",
        where=str(log.path),
    )


def _official_figures(
    official: float, in_front: float, nodes: Sequence[_Log], switches: Sequence[_Log], time_s: float
) -> list[dict[str, Any]]:
    efficiencies = sorted({log.efficiency for log in nodes})
    text = ", ".join(f"{value:g}" for value in efficiencies)
    estimates = sum(log.estimate_w * time_s * log.efficiency for log in switches if log.estimate_w is not None)
    figures = [
        {
            "name": "official energy",
            "value": official + estimates,
            "unit": "J",
            "note": f"readings stretched to the time to train, x conversion_eff ({text})"
            + (f"; {estimates:.6g} J of it are estimates of switches" if estimates else ""),
        }
    ]
    if in_front != official:
        figures.append(
            {
                "name": "official energy before conversion_eff",
                "value": in_front,
                "unit": "J",
                "note": "the same rule on the side that was measured",
            }
        )
    return figures


def _difference(official: float, in_front: float, wall: float, nodes: Sequence[_Log], where: str) -> list[Warning_]:
    """Why the official energy is not that of the run at the point of measurement."""
    from tco.records.run import Warning_

    reasons = []
    if official != in_front:
        reasons.append(f"conversion_eff takes it behind the power supplies (x {official / in_front:.4g})")
    if abs(in_front / wall - 1) > 1e-4:
        spans = [
            (log.stop_ms - log.start_ms) / 1e3 for log in nodes if log.start_ms is not None and log.stop_ms is not None
        ]
        logged = f" of {max(spans):.6g} s" if spans else ""
        reasons.append(
            f"it stretches the mean of the whole log{logged}, lead-in and lead-out included, to the time to train "
            f"(x {in_front / wall:.4g})"
        )
    if not reasons or abs(official / wall - 1) <= 1e-4:
        return []
    return [
        Warning_(
            code="official-differs" if abs(official / wall - 1) > _ALIKE else "official-rule",
            message=f"the official energy, {official:.8g} J, is not that of the nodes between 'run_start' and "
            f"'run_stop', {wall:.8g} J: {'; '.join(reasons)}",
            where=where,
        )
    ]


def _with_switches(
    wall: float | None,
    boundary: Boundary | None,
    result: _Result,
    switches: Sequence[_Log],
    warnings: list[Warning_],
    results: list[dict[str, Any]],
) -> dict[str, Any] | None:
    """The energy of nodes and switches, where all are known on the same side; each switch also apart."""
    from tco.records.run import Warning_

    if not switches:
        return None
    total, modelled = 0.0, False
    for log in switches:
        one = _integral(log, result.begin_ms, result.end_ms)
        energy, how = one.energy_j, "measured; the official rule leaves readings of switches out"
        if energy is None and log.estimate_w is not None:
            energy, modelled, how = log.estimate_w * result.time_to_train_s, True, "an estimate, not a measurement"
        if energy is None:
            warnings.append(_outside(log, result))
            if len(log.t_ms):
                results.append(
                    {
                        "name": f"mean power of {log.name}",
                        "value": float(log.power_w.mean()),
                        "unit": "W",
                        "note": "of a log that does not overlap with the run; not in any energy",
                    }
                )
            return None
        results.append({"name": f"energy of {log.name}", "value": energy, "unit": "J", "note": how})
        total += energy
    if wall is None or boundary != "node_ac":
        warnings.append(
            Warning_(
                code="switches-apart",
                message=f"the switches ({total:.6g} J) are not added: the nodes are not known at their AC side",
                where=str(result.path),
            )
        )
        return None
    method = "model" if modelled else "sensor"
    return {"boundary": "system_wall_ac", "value": wall + total, "rule": "nodes_and_switches", "method": method}


def _log_alone(path: Path, options: ReadOptions) -> Run:
    """One power log without the result that it belongs to: its own window."""
    from tco.errors import ReadError
    from tco.readers.making import evidence, make_run, seconds
    from tco.records.run import Tool

    log = _power_log(path)
    if log.start_ms is None:
        raise ReadError(
            f"{path}: has no '{_START}', and there is no result beside it whose 'run_start' could stand for it"
        )
    stop = log.stop_ms
    if stop is None:
        stop = float(log.t_ms[-1]) if len(log.t_ms) else log.start_ms
    if stop <= log.start_ms:
        raise ReadError(f"{path}: '{_STOP}' is not after '{_START}', and there is no result beside it with the times")
    warnings: list[Warning_] = []
    boundary = _boundary([log], options, warnings)
    measured = _integral(log, log.start_ms, stop)
    if measured.energy_j is None:
        raise ReadError(f"{path}: no power reading lies between '{_START}' and '{_STOP}'")
    return make_run(
        str(path),
        name=path.stem,
        tool=Tool(name="mlperf-training"),
        start=_utc(log.start_ms),
        end=_utc(stop),
        duration=seconds((stop - log.start_ms) / 1e3),
        nodes=1,
        energy=[
            {
                "boundary": boundary,
                "value": measured.energy_j,
                "unit": "J",
                "rule": "trapezoid",
                "method": "sensor",
                "coverage": measured.coverage,
                "source": path.name,
            }
        ],
        provenance=evidence(path),
        warnings=warnings,
    )


READER = MLPerfTraining()
