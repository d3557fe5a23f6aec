"""What Prometheus shows and answers: its text format, and the JSON of its queries, as series of known metrics.

Series of one device that differ in other labels (a pod, a container) are one series. A running total begins again
from zero where its exporter does.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np

from tco.errors import ReadError
from tco.files import sha256
from tco.readers.base import ReadOptions
from tco.readers.build import chosen_of, run_of
from tco.readers.channels import EPOCH
from tco.readers.series import Series, channel_of, in_order
from tco.readers.small import json_values, lines_of, text_of
from tco.readers.trace import MOST_JOULES, Channel, Floats
from tco.records.run import Boundary, Device, EnergyReading, Run, Warning_

_LINE = re.compile(r"([a-zA-Z_:][\w:]*)?\s*(\{.*\})?\s+(\S+)(?:\s+(-?[\d.]+(?:[eE][+-]?\d+)?))?(?:\s+#.*)?", re.ASCII)
_LABEL = re.compile(r'\s*([a-zA-Z_]\w*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)', re.ASCII)
_OBJECT = re.compile(r'\s*\{\s*"\w+"\s*:')
_ESCAPED = re.compile(r"\\(.)")
#: Above this, a time is in milliseconds, as in the text format; below, in seconds, as in OpenMetrics.
_MILLISECONDS = 1e11
_UNITS = {1.0: "J", 1e-3: "mJ", 1e-6: "uJ"}
_HOSTS = ("Hostname", "hostname", "node_name", "node", "host", "instance")


@dataclass(frozen=True)
class Metric:
    """A metric that holds a power or an energy.

    Attributes
    ----------
    name
        As it is exposed.
    factor
        What one of its numbers is in W or J.
    boundary
        Where it was measured.
    is_counter
        Whether it is a running total.
    ids
        Labels that tell the device, the first one there is.
    added
        Labels whose series are parts of one power, to be added.
    instance
        Label of parts of a device that each show the power of the whole.
    since
        When the total began.
    blanks
        Numbers that stand for a missing one.
    """

    name: str
    factor: float
    boundary: Boundary | None
    is_counter: bool = False
    ids: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    instance: str | None = None
    since: str = "its exporter started"
    blanks: frozenset[float] = frozenset()


@dataclass
class Exposed:
    """The samples of one series: labels, times in s since 1970 (NaN where there is none) and numbers."""

    name: str
    labels: Mapping[str, str]
    times_s: array[float] = field(default_factory=lambda: array("d"))
    numbers: array[float] = field(default_factory=lambda: array("d"))


def names_in(head: bytes) -> set[str]:
    """Names of metrics in the first bytes of a file, for `sniff`."""
    text = head.decode("utf-8", "replace")
    if text.lstrip().startswith("{") and '"result' in text:
        return set(re.findall(r'"__name__"\s*:\s*"([\w:]+)"', text))
    return set(re.findall(r"^(?:# (?:HELP|TYPE) )?([a-zA-Z_:][\w:]*)[ {]", text, re.MULTILINE))


def is_answer(head: bytes) -> bool:
    """Whether a file begins like the answer of Prometheus to a query."""
    text = head.lstrip()
    return text.startswith(b"{") and b'"resultType"' in text and b'"result"' in text


def exposed(path: Path, known: Iterable[str]) -> list[Exposed]:
    """The series of known metrics in a file, text or JSON.

    Raises
    ------
    ReadError
        If it is neither, was cut off, or has series without a name.
    """
    text = text_of(path, "ask for a longer step, or for fewer series")
    wanted = set(known)
    return _from_json(path, text, wanted) if _OBJECT.match(text) else _from_text(path, text, wanted)


def _from_text(path: Path, text: str, wanted: set[str]) -> list[Exposed]:
    if not text.endswith("\n"):
        raise ReadError(f"{path}: the last line has no line end: the file was cut off while it was written")
    found: dict[str, Exposed] = {}
    for number, line in lines_of(text):
        if line.lstrip().startswith("#"):
            continue
        match = _LINE.fullmatch(line.strip())
        if match is None or not (match[1] or match[2]):
            raise ReadError(
                f"{path}:{number}: '{line.strip()[:60]}' is not a line of Prometheus text, such as "
                "'DCGM_FI_DEV_POWER_USAGE{gpu=\"0\"} 251.5'"
            )
        name = match[1] or ""
        if name and name not in wanted:
            continue
        key = f"{name}{match[2] or ''}"
        series = found.get(key)
        if series is None:
            labels = _labels(path, number, match[2] or "")
            name = name or labels.get("__name__", "")
            if name not in wanted:
                continue
            series = found[key] = Exposed(name, labels)
        time = _number(path, number, f"{name}: time", match[4]) if match[4] else math.nan
        series.times_s.append(time / 1000 if time >= _MILLISECONDS else time)
        series.numbers.append(_number(path, number, name, match[3]))
    return list(found.values())


def _labels(path: Path, line: int, text: str) -> dict[str, str]:
    labels: dict[str, str] = {}
    inner, at = text[1:-1].strip(), 0
    while at < len(inner):
        match = _LABEL.match(inner, at)
        if match is None:
            raise ReadError(f"{path}:{line}: '{inner[at : at + 40]}' is not a label such as gpu=\"0\"")
        labels[match[1]] = _ESCAPED.sub(lambda found: "\n" if found[1] == "n" else found[1], match[2])
        at = match.end()
    return labels


def _number(path: Path, line: int, name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ReadError(f"{path}:{line}: {name}: '{text}' is not a number") from None


def _from_json(path: Path, text: str, wanted: set[str]) -> list[Exposed]:
    begin = re.search(r'"result"\s*:\s*\[', text)
    failed = re.search(r'"error"\s*:\s*"((?:[^"\\]|\\.)*)"', text[:4096])
    if begin is None:
        said = f": {failed[1]}" if failed else ""
        raise ReadError(f"{path}: is not the answer of Prometheus to a query with a 'result'{said}")
    found = []
    if not text.rstrip().endswith("}"):
        raise ReadError(f"{path}: is not JSON: the file was cut off")
    for index, item in enumerate(json_values(path, text, begin.end(), in_list=True)):
        place = f"{path}: data.result[{index}]"
        metric = item.get("metric") if isinstance(item, dict) else None
        points = (item.get("values") or [item.get("value")]) if isinstance(item, dict) else None
        if not isinstance(metric, dict) or not isinstance(points, list):
            raise ReadError(f"{place}: is not a series with 'metric' and 'values'")
        labels = {str(key): str(value) for key, value in metric.items()}
        name = labels.get("__name__")
        if name is None:
            raise ReadError(
                f"{place}: has no '__name__': functions such as rate() drop it; query the metric itself, as in "
                "query=DCGM_FI_DEV_POWER_USAGE"
            )
        if name not in wanted:
            continue
        series = Exposed(name, labels)
        _add_points(series, points, place)
        found.append(series)
    return found


def _add_points(series: Exposed, points: list[Any], place: str) -> None:
    numbers = array("d")
    try:
        times = array("d", [time for time, _ in points])
        numbers = array("d", [float(number) for _, number in points])
    except (TypeError, ValueError, OverflowError):
        times = array("d", [math.nan])
    if all(map(math.isfinite, times)):
        series.times_s.extend(times)
        series.numbers.extend(numbers)
        return
    for number, point in enumerate(points):  # says which of them is none
        _add_point(series, point, f"{place}.values[{number}]")


def _add_point(series: Exposed, point: Any, place: str) -> None:
    if not isinstance(point, list) or len(point) != 2 or isinstance(point[0], bool):
        raise ReadError(f'{place}: {point!r:.60} is not a point such as [1767225600, "300"]')
    try:
        time, number = float(point[0]), float(point[1])
    except (TypeError, ValueError, OverflowError):
        raise ReadError(f'{place}: {point!r:.60} is not a point such as [1767225600, "300"]') from None
    if not math.isfinite(time):
        raise ReadError(f"{place}: has no time")
    series.times_s.append(time)
    series.numbers.append(number)


def devices_of(found: Sequence[Exposed], metric: Metric, is_counter: bool | None = None) -> list[Series]:
    """The series of each device, of one metric."""
    members = [series for series in found if series.name == metric.name]
    hosts = {_host(series.labels) for series in members}
    groups: dict[str, dict[tuple[str, ...], list[Exposed]]] = {}
    for series in members:
        device = next((series.labels[label] for label in metric.ids if label in series.labels), metric.name)
        name = f"{_host(series.labels)}:{device}" if len(hosts) > 1 else device
        part = tuple(series.labels.get(label, "") for label in metric.added)
        groups.setdefault(name, {}).setdefault(part, []).append(series)
    result = []
    for name, parts in groups.items():
        summed = reduce(_plus, (_joined(each, metric) for each in parts.values()))
        label = metric.instance
        instances = {s.labels[label] for each in parts.values() for s in each if label and s.labels.get(label)}
        result.append(
            Series(
                name,
                *summed,
                boundary=metric.boundary,
                origin=EPOCH,
                is_counter=metric.is_counter,
                restarts=True,
                instances=max(1, len(instances)),
            )
        )
    return result


def _host(labels: Mapping[str, str]) -> str:
    return next((labels[label] for label in _HOSTS if labels.get(label)), "")


def _joined(series: list[Exposed], metric: Metric) -> tuple[Floats, Floats]:
    """Samples of several series of one device; a scrape without a time is of one moment."""
    times = np.concatenate([np.array(each.times_s) for each in series])
    numbers = np.concatenate([np.array(each.numbers) for each in series])
    numbers[~np.isfinite(numbers)] = np.nan
    if metric.blanks:
        numbers[np.isin(numbers, list(metric.blanks))] = np.nan
    if metric.is_counter:
        numbers[(numbers < 0) | (numbers * metric.factor > MOST_JOULES)] = np.nan
    times = np.where(np.isnan(times), 0.0, times)
    return in_order(times, numbers * metric.factor)


def _plus(one: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Two series added, at the moments that both have."""
    times, first, second = np.intersect1d(one[0], other[0], assume_unique=True, return_indices=True)
    return times, one[1][first] + other[1][second]


@dataclass(frozen=True)
class Reading:
    """What a file of Prometheus says of powers and energies."""

    channels: list[Channel]
    totals: list[tuple[Series, Metric]]
    warnings: list[Warning_]


def readings_of(path: Path, found: Sequence[Exposed], metrics: Sequence[Metric], options: ReadOptions) -> Reading:
    """A channel for each device and boundary: its counter where that has two values, else its power.

    Raises
    ------
    ReadError
        If none of the metrics is there.
    """
    channels: dict[tuple[str, Boundary | None], Channel] = {}
    totals = []
    warnings = []
    for metric in sorted(metrics, key=lambda metric: not metric.is_counter):
        for series in devices_of(found, metric):
            channel = channel_of(series, options)
            key = (series.id, metric.boundary)
            if metric.is_counter and channel.energy_j is None:
                total = series.last
                if total is not None and channel.first_s == channel.last_s:
                    totals.append((series, metric))
                else:
                    channels.setdefault(key, channel)
                continue
            known = channels.get(key)
            if known is None or known.energy_j is None:
                channels[key] = channel
            elif known.energy_j and channel.energy_j and abs(channel.energy_j / known.energy_j - 1) > 0.05:
                warnings.append(
                    Warning_(
                        code="readings-differ",
                        message=f"channel '{series.id}': its counter makes {known.energy_j:.6g} J, the integral of "
                        f"{metric.name} {channel.energy_j:.6g} J; the counter is used",
                        where=path.name,
                    )
                )
    if not channels and not totals:
        names = ", ".join(metric.name for metric in metrics)
        raise ReadError(f"{path}: has none of the metrics that are read here: {names}")
    return Reading(list(channels.values()), totals, warnings)


def run_of_metrics(
    path: Path,
    reading: Reading,
    options: ReadOptions,
    *,
    tool: str,
    devices: Sequence[Device],
    warnings: Iterable[Warning_] = (),
) -> Run:
    """A run from what a file of Prometheus says."""
    digest = sha256(path)
    names = list(dict.fromkeys([c.id for c in reading.channels] + [series.id for series, _ in reading.totals]))
    chosen = set(names) if options.devices is None else {chosen_of(wanted, names, path) for wanted in options.devices}
    channels = [channel for channel in reading.channels if channel.id in chosen]
    totals = [(series, metric) for series, metric in reading.totals if series.id in chosen]
    notes = [*reading.warnings, *warnings]
    for series, metric in totals:
        if series.within is None:
            notes.append(
                Warning_(
                    code="counter-since-start",
                    message=f"channel '{series.id}': one reading of {metric.name}, {_in_words(series, metric)}: that "
                    f"is the total since {metric.since}, not the energy of a run; read it before and after the run",
                    where=path.name,
                )
            )
    stub = channels or [channel_of(series, options) for series, _ in totals]
    run = run_of(path, digest, stub, options, tool=tool, devices=devices, warnings=notes)
    added = tuple(
        EnergyReading(
            value=series.last or 0.0,
            unit="J",
            rule=f"total since {metric.since}",
            method="counter",
            device=series.id,
            boundary=options.boundary or series.boundary,
            source=path.name,
        )
        for series, metric in totals
        if series.within is None
    )
    timeless = all(channel.first_s == 0 for channel in stub)
    update: dict[str, Any] = {"energy": run.energy + added}
    if not channels:
        dropped = {"absent-channel", "one-moment"}
        update["warnings"] = tuple(warning for warning in run.warnings if warning.code not in dropped)
    if timeless:
        update |= {"start": None, "end": None}
    return run.model_copy(update=update)


def _in_words(series: Series, metric: Metric) -> str:
    total = series.last or 0.0
    return f"{total / metric.factor:.12g} {_UNITS.get(metric.factor, 'of its unit')} or {total / 3.6e6:.6g} kWh"


def gpus(channels: Sequence[str], found: Sequence[Exposed], model: str) -> list[Device]:
    """The GPUs of a file; their model where all have one and the same."""
    models = {series.labels[model] for series in found if series.labels.get(model)}
    ids = tuple(dict.fromkeys(channels))
    if not ids:
        return []
    return [Device(kind="gpu", model=models.pop() if len(models) == 1 else None, count=len(ids), ids=ids)]
