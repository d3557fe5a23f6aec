"""Powers of Scaphandre: the JSON of its exporter, its Prometheus metrics, or a table of them, all in microwatts.

The power of processes is a share of the power of the host and never added to it. Releases have differed by a factor of
100 in what they call microwatts, so the two are compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.readers.exposition import Metric
    from tco.readers.series import Series
    from tco.readers.trace import Channel
    from tco.records.run import Run, Warning_

_MICRO = 1e-6
#: Processes that explain less of their host than this, or more than all of it, hint at a wrong unit.
_EXPLAINED = (0.1, 1.1)
_TABLE_HOST, _TABLE_PROCESSES = "host_microwatts", "processes_microwatts"
_HOST, _PROCESS = "scaph_host_power_microwatts", "scaph_process_power_consumption_microwatts"


def metrics() -> list[Metric]:
    """The metrics of the host."""
    from tco.readers.exposition import Metric

    return [
        Metric("scaph_host_energy_microjoules", _MICRO, "cpu_package", is_counter=True, since="the host started"),
        Metric(_HOST, _MICRO, "cpu_package"),
    ]


class Scaphandre:
    """Reads what Scaphandre exports."""

    name = "scaphandre"
    title = "Scaphandre JSON report, Prometheus metrics, or table of microwatts"
    boundary = "processor packages with their memory (RAPL); the platform where the host has psys"

    def sniff(self, path: Path) -> float:
        """Whether it begins like a report, metrics or a table of Scaphandre."""
        from tco.readers.blocks import first_bytes

        head = first_bytes(path)
        text = head.lstrip()
        if b"scaph_" in head:
            from tco.readers.exposition import names_in

            return 0.95 if any(name.startswith("scaph_") for name in names_in(head)) else 0.0
        if text.startswith((b"{", b"[")) and b'"host"' in text[:200] and b'"consumption"' in text[:400]:
            return 0.95
        return 0.95 if _TABLE_HOST.encode() in head.split(b"\n")[0] else 0.0

    def trace(self, path: Path, options: ReadOptions) -> list[Channel]:
        """One channel, the host."""
        from tco.readers.build import selected

        return selected(self._measure(path, options)[0], options, path)

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run with the energy of the host."""
        from tco.readers.blocks import first_bytes
        from tco.readers.build import run_of, selected, with_digest

        if b"scaph_" in first_bytes(path):
            return [self._read_metrics(path, options)]
        notes: list[Warning_] = []

        def _trace() -> list[Channel]:
            channels, warnings = self._measure(path, options)
            notes.extend(warnings)
            return selected(channels, options, path)

        channels, digest = with_digest(path, _trace)
        return [run_of(path, digest, channels, options, tool="scaphandre", devices=[], warnings=notes)]

    def _read_metrics(self, path: Path, options: ReadOptions) -> Run:
        from tco.readers.exposition import exposed, readings_of, run_of_metrics

        known = metrics()
        found = exposed(path, [_PROCESS, *(metric.name for metric in known)])
        reading = readings_of(path, found, known, options)
        host = [series for series in found if series.name == _HOST]
        processes = [series for series in found if series.name == _PROCESS]
        notes = []
        if host and processes:
            total = sum(sum(series.numbers) / max(1, len(host[0].numbers)) for series in processes)
            notes = _suspicion(total, sum(host[0].numbers) / max(1, len(host[0].numbers)), path)
        return run_of_metrics(path, reading, options, tool="scaphandre", devices=[], warnings=notes)

    def _measure(self, path: Path, options: ReadOptions) -> tuple[list[Channel], list[Warning_]]:
        from tco.readers.blocks import first_bytes

        head = first_bytes(path)
        if b"scaph_" in head:
            from tco.readers.exposition import exposed, readings_of

            known = metrics()
            return readings_of(path, exposed(path, [m.name for m in known]), known, options).channels, []
        if head.lstrip().startswith((b"{", b"[")):
            return _of_report(path, options)
        return _of_table(path, options)


def _of_table(path: Path, options: ReadOptions) -> tuple[list[Channel], list[Warning_]]:
    from tco.readers.blocks import read_header, unfinished_line
    from tco.readers.channels import Clock, Source, channels_in_columns, clock_of
    from tco.records.run import Warning_

    header = read_header(path, names=options.names)
    position = header.column("t_s" if "t_s" in header.names else "timestamp")
    clock = Clock(position, None) if "t_s" in header.names else clock_of(header, position, options.time_zone)
    sources = [Source("host", header.column(_TABLE_HOST), "uW", _MICRO, "cpu_package")]
    processes = [place for place, name in enumerate(header.names) if name.endswith(_TABLE_PROCESSES)]
    sources += [Source("processes", place, "uW", _MICRO, "cpu_package", within="host") for place in processes[:1]]
    channels = channels_in_columns(header, clock, sources, options)
    notes = []
    if unfinished_line(path) is not None:
        notes.append(
            Warning_(
                code="unfinished-line",
                message="the last line has no line end; if the file was cut off, its last value is wrong",
                where=path.name,
            )
        )
    if len(channels) > 1:
        host, inner = (c.mean_w if c.mean_w is not None else c.moment_w for c in channels)
        if host and inner is not None:
            notes += _suspicion(inner, host, path)
    return channels, notes


def _of_report(path: Path, options: ReadOptions) -> tuple[list[Channel], list[Warning_]]:
    import numpy as np

    from tco.errors import ReadError
    from tco.readers.channels import EPOCH
    from tco.readers.series import Series, channel_of
    from tco.readers.small import MOST_BYTES_OF_OBJECTS, json_of, json_values, text_of

    text = text_of(path, "record with a longer step")
    reports: Iterable[Any] = json_values(path, text, 0)
    if text.lstrip().startswith("["):
        reports = json_of(path, text_of(path, "record with a longer step", MOST_BYTES_OF_OBJECTS))
    elif not text.rstrip().endswith("}"):
        raise ReadError(f"{path}: is not JSON: the file was cut off")
    times, powers, places, explained = [], [], [], 0.0
    for index, report in enumerate(reports):
        host = report.get("host") if isinstance(report, dict) else None
        place = f"{path}: report {index + 1}"
        if not isinstance(host, dict):
            raise ReadError(f"{place}: has no 'host' with 'consumption' and 'timestamp'")
        times.append(_number(host.get("timestamp"), f"{place}: host.timestamp"))
        powers.append(_number(host.get("consumption"), f"{place}: host.consumption") * _MICRO)
        places.append(place)
        consumers = report.get("consumers")
        for consumer in consumers if isinstance(consumers, list) else []:
            if isinstance(consumer, dict):
                explained += _number(consumer.get("consumption"), f"{place}: consumers.consumption") * _MICRO
    if not times:
        raise ReadError(f"{path}: holds no report")
    series: Series = Series("host", np.array(times), np.array(powers), "cpu_package", tuple(places), EPOCH)
    return [channel_of(series, options)], _suspicion(explained / len(times), sum(powers) / len(powers), path)


def _number(value: Any, place: str) -> float:
    from tco.errors import ReadError

    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ReadError(f"{place}: {value!r:.40} is not a number")
    try:
        return float(value)
    except OverflowError:
        raise ReadError(f"{place}: {value!r:.40} is too large") from None


def _suspicion(processes_w: float, host_w: float, path: Path) -> list[Warning_]:
    from tco.records.run import Warning_

    if host_w <= 0 or not processes_w > 0 or _EXPLAINED[0] <= processes_w / host_w <= _EXPLAINED[1]:
        return []
    return [
        Warning_(
            code="unit-suspicion",
            message=f"processes explain {processes_w / host_w:.0%} of the power of the host; "
            "releases of Scaphandre have differed by a factor of 100 in their microwatts: compare with another meter",
            where=path.name,
        )
    ]


READER = Scaphandre()
