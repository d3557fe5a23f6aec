"""Results of perun: JSON, CSV or HDF5, each a tree of runs, hosts, groups of devices, and sensors.

Energies are taken from the sensors, at their own boundaries. What perun adds up over a run holds the overhead and the
PUE that it was configured with, and is kept as a figure of the tool.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.readers.trace import Channel
    from tco.records.run import Boundary, Run, Warning_

_CSV_START = ",run id,hostname,device_group,sensor,unit,magnitude,timestep,value"
_BOUNDARIES: dict[str, Boundary] = {"cpu": "cpu_package", "gpu": "gpu_board"}
_POWERS = ("power", "energy", "cpu_energy", "gpu_energy", "dram_energy", "other_energy")
_MULTI_RUN, _RUN, _HOST, _GROUP, _SENSOR = 2, 3, 4, 5, 6
_DEEPEST = 8
_GPU_ID = re.compile(r"(CUDA|ROCM):(\d+)")
_TRACED_UNITS = ("W", "J")
_MOST_SAMPLES = 5_000_000


class Perun:
    """Reads what ``perun monitor`` and ``perun export`` write."""

    name = "perun"
    title = "result of perun (.json, .csv, .hdf5)"
    boundary = "CPU packages, GPU boards and memory, each apart"

    def sniff(self, path: Path) -> float:
        """Whether it begins as one of the three."""
        from tco.readers.blocks import first_bytes, first_line
        from tco.readers.hdf5 import MAGIC

        head = first_bytes(path)
        if head.startswith(MAGIC):
            return 0.9 if not path.name.startswith(("power", "energy")) else 0.1
        if head.lstrip()[:1] == b"{":
            return 1.0 if b'"creation_dt"' in head and b'"metrics"' in head else 0.0
        return 1.0 if first_line(path) == _CSV_START else 0.0

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run for each execution."""
        from tco.errors import ReadError
        from tco.readers.blocks import first_bytes
        from tco.readers.hdf5 import MAGIC

        head = first_bytes(path)
        if head.startswith(MAGIC):
            runs = list(_runs_in_tree(_hdf5_tree(path), str(path)))
        elif head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{":
            runs = list(_runs_in_tree(_json_tree(path), str(path)))
        else:
            runs = _runs_in_csv(path)
        if not runs:
            raise ReadError(f"{path}: has no run")
        return [_run(path, one, options) for one in runs]


class _Sensor(NamedTuple):
    """One sensor of a host: its samples, in the unit and magnitude that are stated."""

    host: str
    group: str
    name: str
    unit: str
    magnitude: float
    t_s: list[float]
    samples: list[float]
    range_: float | None
    energy_j: float | None
    where: str


class _Execution(NamedTuple):
    """One run of a program."""

    name: str
    start: str | None
    runtime_s: float | None
    hosts: list[str]
    sensors: list[_Sensor]
    settings: Mapping[str, str]
    figures: list[tuple[str, float, str]]


# ---- the tree, from JSON and from HDF5


class _Node(NamedTuple):
    kind: int
    id: str
    metadata: Mapping[str, Any]
    metrics: Mapping[str, Any]
    raw: Mapping[str, Any] | None
    nodes: list[_Node]


def _json_tree(path: Path) -> _Node:
    from tco.readers.rows import document

    return _json_node(document(path), str(path), 0)


def _json_node(data: Any, where: str, depth: int) -> _Node:
    from tco.errors import ReadError

    if not isinstance(data, dict) or depth > _DEEPEST:
        raise ReadError(f"{where}: is not a node of a result of perun, a table with 'id', 'metrics' and 'nodes'")
    name, kind = data.get("id"), data.get("type")
    if not isinstance(name, str) or isinstance(kind, bool) or not isinstance(kind, int):
        raise ReadError(f"{where}: has no 'id' or no 'type'; a result of perun is expected")
    children = data.get("nodes") or []
    pairs: list[Any] = []
    for child in children if isinstance(children, list) else [children]:
        if not isinstance(child, dict):
            raise ReadError(f"{where}: 'nodes' of '{name}' holds something else than nodes")
        pairs += child.values()
    raw = data.get("raw_data")
    return _Node(
        kind,
        name,
        _table(data.get("metadata")),
        _table(data.get("metrics")),
        raw if isinstance(raw, dict) else None,
        [_json_node(child, f"{where}: {name}", depth + 1) for child in pairs],
    )


def _table(data: Any) -> dict[str, Any]:
    return data if isinstance(data, dict) else {}


def _hdf5_tree(path: Path) -> _Node:
    from tco.errors import ReadError
    from tco.readers.hdf5 import tree

    groups = tree(path)["groups"]
    names = [name for name, group in groups.items() if "nodes" in group["groups"]]
    if len(names) != 1:
        raise ReadError(f"{path}: has {len(names)} applications; the file of one, as perun writes it, is expected")
    return _hdf5_node(groups[names[0]], names[0])


def _hdf5_node(group: dict[str, Any], name: str) -> _Node:
    attributes, inside = group["attrs"], group["groups"]
    metrics = {}
    for metric in inside.get("metrics", {"groups": {}})["groups"].values():
        facts = metric["attrs"]
        metrics[str(facts.get("type"))] = {**facts, "metric_md": {"unit": facts.get("unit"), "mag": facts.get("mag")}}
    data = inside.get("raw_data", {"datasets": {}})["datasets"]
    raw: dict[str, Any] | None = None
    if "timesteps" in data and "values" in data:
        times, values = data["timesteps"], data["values"]
        facts = values["attrs"]
        raw = {
            "timesteps": times["values"],
            "values": values["values"],
            "t_md": {"unit": "s", "mag": times["attrs"].get("mag")},
            "v_md": {"unit": facts.get("unit"), "mag": facts.get("mag"), "max": facts.get("valid_max")},
        }
    kind = attributes.get("type")
    children = inside.get("nodes", {"groups": {}})["groups"]
    return _Node(
        kind if isinstance(kind, int) else 0,
        name,
        attributes,
        metrics,
        raw,
        [_hdf5_node(child, child_name) for child_name, child in children.items()],
    )


def _runs_in_tree(node: _Node, where: str, above: _Node | None = None, app: str = "") -> Iterator[_Execution]:
    if node.kind == _RUN:
        yield _execution(node, above, app, where)
        return
    for child in node.nodes:
        yield from _runs_in_tree(child, where, node, app or node.id)


def _execution(node: _Node, above: _Node | None, app: str, where: str) -> _Execution:
    settings = above.metadata if above is not None and above.kind == _MULTI_RUN else {}
    hosts = [host for host in node.nodes if host.kind == _HOST]
    sensors = [
        _sensor(sensor, host.id, group.id, where)
        for host in hosts
        for group in host.nodes
        for sensor in group.nodes
        if sensor.kind == _SENSOR
    ]
    figures = [
        (name, value, _unit(node.metrics[name]))
        for name in (*_POWERS, "co2", "money")
        if name in node.metrics and (value := _value(node.metrics[name], where)) is not None
    ]
    return _Execution(
        name=app,
        start=str(settings["execution_dt"]) if settings.get("execution_dt") and node.id in ("", "0") else None,
        runtime_s=_value(node.metrics.get("runtime"), where),
        hosts=[host.id for host in hosts],
        sensors=[sensor for sensor in sensors if sensor is not None],
        settings={key: str(value) for key, value in settings.items()},
        figures=figures,
    )


def _value(metric: Any, where: str) -> float | None:
    """The value of a metric in its base unit."""
    from tco.readers.rows import json_number

    if not isinstance(metric, dict):
        return None
    value = json_number(metric, "value", where)
    if value is None:
        value = json_number(metric, "mean", where)
    md = _table(metric.get("metric_md"))
    magnitude = json_number(md, "mag", where)
    return None if value is None or value < 0 else value * (1.0 if magnitude is None else magnitude)


def _unit(metric: Any) -> str:
    unit = _table(metric.get("metric_md")).get("unit")
    return str(unit) if unit else "1"


def _sensor(node: _Node, host: str, group: str, where: str) -> _Sensor | None:
    from tco.errors import ReadError
    from tco.readers.rows import json_number

    place = f"{where}: {host}: {node.id}"
    energy = _value(node.metrics.get("energy"), place)
    raw = node.raw or {}
    values_md = _table(raw.get("v_md"))
    unit = str(values_md.get("unit"))
    if unit not in _TRACED_UNITS and energy is None:
        return None
    times, samples = raw.get("timesteps") or [], raw.get("values") or []
    if not isinstance(times, list) or not isinstance(samples, list) or len(times) != len(samples):
        raise ReadError(f"{place}: 'timesteps' and 'values' do not fit together")
    step = json_number(_table(raw.get("t_md")), "mag", place) or 1.0
    return _Sensor(
        host,
        group,
        node.id,
        unit if unit in _TRACED_UNITS else "W",
        json_number(values_md, "mag", place) or 1.0,
        [number * step for number in _numbers(times, place)],
        _numbers(samples, place) if unit in _TRACED_UNITS else [],
        json_number(values_md, "max", place),
        energy,
        place,
    )


def _numbers(items: list[Any], where: str) -> list[float]:
    from tco.errors import ReadError

    for item in items:
        if isinstance(item, bool) or not isinstance(item, int | float):
            raise ReadError(f"{where}: {str(item)[:40]!r} is not a number")
    try:
        return [float(item) for item in items]
    except OverflowError:
        raise ReadError(f"{where}: holds a number that is too large") from None


# ---- the table


def _runs_in_csv(path: Path) -> list[_Execution]:
    """Runs of the table: it has samples of sensors, and neither run times nor settings."""
    from tco.readers.rows import rows

    sensors: dict[str, dict[tuple[str, str], _Sensor]] = {}
    spans: dict[str, float] = {}
    hosts: dict[str, dict[str, None]] = {}
    for row in rows(
        path, required=("run id", "hostname", "sensor", "unit", "magnitude", "timestep", "value"), most=_MOST_SAMPLES
    ):
        run, host, name, unit = (row.cells[key] for key in ("run id", "hostname", "sensor", "unit"))
        time = row.number("timestep", at_least=0)
        if time is not None:
            spans[run] = max(spans.get(run, 0.0), time)
        hosts.setdefault(run, {})[host] = None
        found = sensors.setdefault(run, {})
        if unit not in _TRACED_UNITS or time is None:
            continue
        value, magnitude = row.number("value"), row.number("magnitude", at_least=0)
        if (host, name) not in found:
            where = f"{path}:{row.line}: sensor '{name}' of '{host}'"
            group = row.cells.get("device_group", "")
            found[host, name] = _Sensor(host, group, name, unit, magnitude or 1.0, [], [], None, None, where)
        found[host, name].t_s.append(time)
        found[host, name].samples.append(float("nan") if value is None else value)
    return [
        _Execution(path.stem, None, spans.get(run), list(hosts[run]), list(found.values()), {}, [])
        for run, found in sensors.items()
    ]


# ---- to a run


def _channel(sensor: _Sensor, options: ReadOptions) -> Channel | None:
    """Integral of the samples of a sensor; None where there are none."""
    import numpy as np

    from tco.errors import ReadError
    from tco.readers.trace import Counter, Integrator

    if len(sensor.t_s) == 0 or not sensor.samples:
        return None
    t_s, samples = np.array(sensor.t_s), np.array(sensor.samples) * sensor.magnitude
    again = np.flatnonzero(np.diff(t_s) < 0)
    if again.size:  # ranks of one host that each log its sensors: the first is taken
        first = int(again[0]) + 1
        t_s, samples = t_s[:first], samples[:first]
    if sensor.unit == "J" and sensor.range_:
        steps = np.diff(samples)
        samples = np.concatenate(
            ([0.0], np.cumsum(np.where(steps < 0, steps + sensor.range_ * sensor.magnitude, steps)))
        )
    meter = Counter() if sensor.unit == "J" else Integrator(options.rule)
    try:
        meter.add(t_s, samples)
    except ReadError as error:
        raise ReadError(f"{sensor.where}: {error}") from None
    return meter.channel(f"{sensor.host}:{sensor.name}", _BOUNDARIES.get(sensor.group))


def _run(path: Path, one: _Execution, options: ReadOptions) -> Run:
    from tco.readers import values
    from tco.readers.build import warnings_of
    from tco.readers.making import evidence, make_run, seconds, span, stamp
    from tco.records.run import Tool, Warning_

    warnings: list[Warning_] = []
    energy: list[dict[str, Any]] = []
    results: list[dict[str, Any]] = []
    for sensor in one.sensors:
        channel = _channel(sensor, options)
        joules, rule, method = sensor.energy_j, "perun", "sensor"
        coverage = None
        if channel is not None:
            warnings += warnings_of(channel, path.name)
            if channel.energy_j is not None:
                joules, rule, coverage = channel.energy_j, channel.rule, channel.coverage
                method = "counter" if channel.rule == "counter" else "sensor"
            if len(set(sensor.t_s)) < len(sensor.t_s) - 1 and sensor.t_s != sorted(sensor.t_s):
                text = f"sensor '{sensor.name}' of '{sensor.host}' was logged by several ranks; it is counted once"
                warnings.append(Warning_(code="scope-assumed", message=text, where=path.name))
        if joules is None:
            continue
        boundary = options.boundary or _BOUNDARIES.get(sensor.group)
        if boundary is None:  # memory lies beside packages and boards, and no boundary holds it alone
            note = f"group '{sensor.group}', beside packages and boards"
            results.append(
                {"name": f"energy of {sensor.host}:{sensor.name}", "value": joules, "unit": "J", "note": note}
            )
            continue
        energy.append(
            {
                "boundary": boundary,
                "value": joules,
                "unit": "J",
                "rule": rule,
                "method": method,
                "device": f"{sensor.host}:{sensor.name}",
                "coverage": coverage,
                "source": path.name,
            }
        )
    if not energy:
        text = "no sensor of power was there; only the run time is known"
        warnings.append(Warning_(code="no-power", message=text, where=str(path)))
    _add_figures(one, results, warnings, path)
    where = f"{path}: run at {one.start}" if one.start else str(path)
    start = stamp(one.start.replace("T", " ")[:23], values.Place(str(path), 1, "execution_dt")) if one.start else None
    when = span(start, None, one.runtime_s, options.time_zone, where)
    return make_run(
        where,
        name=one.name or path.stem,
        tool=Tool(name="perun", version=one.settings.get("perun_version")),
        start=when.start,
        duration=seconds(one.runtime_s),
        nodes=len(one.hosts) or None,
        devices=_devices(one),
        energy=energy,
        results=results,
        provenance=evidence(path),
        warnings=warnings,
    )


def _devices(one: _Execution) -> list[dict[str, Any]]:
    gpus = {
        f"{sensor.host}:{match[0]}"
        for sensor in one.sensors
        if sensor.group == "gpu" and (match := _GPU_ID.match(sensor.name))
    }
    return [{"kind": "gpu", "count": len(gpus), "ids": tuple(sorted(gpus))}] if gpus else []


def _add_figures(one: _Execution, results: list[dict[str, Any]], warnings: list[Warning_], path: Path) -> None:
    from tco.records.run import Warning_

    pue, overhead = one.settings.get("post-processing.pue"), one.settings.get("post-processing.power_overhead")
    note = f"by perun, with PUE {pue} and {overhead} W a node of overhead" if pue else "by perun"
    results += [
        {"name": f"{name} of the run", "value": value, "unit": unit, "note": note} for name, value, unit in one.figures
    ]
    if one.figures and pue not in (None, "1", "1.0", "1.00"):
        warnings.append(
            Warning_(
                code="pue-in-total",
                message=f"perun was configured with a PUE of {pue}: its total holds it; the energies of the sensors, "
                "which are used, do not",
                where=str(path),
            )
        )


READER = Perun()
