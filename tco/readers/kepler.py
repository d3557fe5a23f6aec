"""Metrics of Kepler: the energy of a node by RAPL zone and GPU, in running totals of J or as power.

Zones nest: ``core`` and ``uncore`` lie within ``package``, and packages and memory within ``psys``. The active and the
idle part add up to the whole; what is given to processes, containers and pods is the same energy once more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.readers.exposition import Exposed, Metric, Reading
    from tco.readers.trace import Channel
    from tco.records.run import Boundary, Run

_PREFIX = "kepler_"
_INNER = ("core", "uncore")
_PLATFORM = ("psys", "platform")
#: Zones of the releases before 0.10, each with a metric of its own whose modes add up.
_OLD_ZONES = ("package", "dram", "core", "uncore", "platform")
_ATTRIBUTED = ("kepler_process_", "kepler_container_", "kepler_pod_", "kepler_vm_")


def metrics() -> list[Metric]:
    """The metrics of the power and the energy of a node."""
    from tco.readers.exposition import Metric

    new = [
        Metric("kepler_node_cpu_joules_total", 1.0, "cpu_package", is_counter=True, ids=("zone",), added=("path",)),
        Metric("kepler_node_cpu_watts", 1.0, "cpu_package", ids=("zone",), added=("path",)),
        Metric("kepler_node_gpu_joules_total", 1.0, "gpu_board", is_counter=True, ids=_GPU, added=("mode",)),
        Metric("kepler_node_gpu_watts", 1.0, "gpu_board", ids=_GPU),
    ]
    old = [
        Metric(
            f"kepler_node_{zone}_joules_total",
            1.0,
            "node_dc" if zone in _PLATFORM else "cpu_package",
            is_counter=True,
            added=(zone, "mode"),
        )
        for zone in _OLD_ZONES
    ]
    return new + old


_GPU = ("gpu_uuid", "uuid", "gpu", "index", "gpu_name")


class Kepler:
    """Reads the metrics of Kepler."""

    name = "kepler"
    title = "Kepler metrics, as text or as JSON of a Prometheus query"
    boundary = "processor packages with their memory, GPU boards; the node for the zone psys"

    def sniff(self, path: Path) -> float:
        """Whether the first metrics are those of Kepler."""
        from tco.readers.blocks import first_bytes

        head = first_bytes(path)
        if _PREFIX.encode() not in head:
            return 0.0
        from tco.readers.exposition import names_in

        return 0.95 if any(name.startswith(_PREFIX) for name in names_in(head)) else 0.0

    def trace(self, path: Path, options: ReadOptions) -> list[Channel]:
        """One channel for each zone and GPU with more than one sample."""
        from tco.readers.build import selected

        return selected(self._measure(path, options)[1].channels, options, path)

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run with an energy for each zone that does not lie within another one."""
        from tco.readers.exposition import gpus, run_of_metrics
        from tco.records.run import Warning_

        found, reading = self._measure(path, options)
        inner = [channel.id for channel in reading.channels if channel.within] + [
            series.id for series, _ in reading.totals if series.within
        ]
        warnings = [
            Warning_(
                code="nested-channel", message=f"'{name}' lies within its package and is not added", where=path.name
            )
            for name in inner
        ]
        boards = [channel.id for channel in reading.channels if channel.boundary == "gpu_board"]
        boards += [series.id for series, _ in reading.totals if series.boundary == "gpu_board"]
        devices = gpus(boards, found, "gpu_name")
        return [run_of_metrics(path, reading, options, tool="kepler", devices=devices, warnings=warnings)]

    def _measure(self, path: Path, options: ReadOptions) -> tuple[list[Exposed], Reading]:
        from dataclasses import replace

        from tco.errors import ReadError
        from tco.readers.exposition import exposed, names_in, readings_of

        known = metrics()
        found = exposed(path, [metric.name for metric in known])
        if not found:
            from tco.readers.blocks import first_bytes

            attributed = [name for name in names_in(first_bytes(path)) if name.startswith(_ATTRIBUTED)]
            if attributed:
                raise ReadError(
                    f"{path}: holds what Kepler gives to processes, containers or pods ('{attributed[0]}'), a share of "
                    "the node by a model; read the metrics of the node, kepler_node_cpu_joules_total"
                )
        reading = readings_of(path, found, known, options)
        channels = _nested(reading.channels, options)
        totals = []
        for series, metric in reading.totals:
            zone = _zone(series.id, metric.name)
            outer = _outer(zone, {_zone(other.id, its.name) for other, its in reading.totals})
            totals.append((replace(series, within=outer, boundary=_boundary(zone, series.boundary)), metric))
        return found, replace(reading, channels=channels, totals=totals)


def _zone(name: str, metric: str) -> str:
    """The zone of a channel; old metrics have it in their name."""
    zone = name.rpartition(":")[2]
    return metric.removeprefix("kepler_node_").removesuffix("_joules_total") if zone == metric else zone


def _outer(zone: str, zones: set[str]) -> str | None:
    return "package" if zone.rpartition("-")[0] in _INNER or (zone in _INNER and "package" in zones) else None


def _boundary(zone: str, boundary: Boundary | None) -> Boundary | None:
    return "node_dc" if zone in _PLATFORM else boundary


def _nested(channels: Sequence[Channel], options: ReadOptions) -> list[Channel]:
    from dataclasses import replace

    zones = {_zone(channel.id, channel.id) for channel in channels}
    result = []
    for channel in channels:
        zone = _zone(channel.id, channel.id)
        boundary = options.boundary or _boundary(zone, channel.boundary)
        result.append(replace(channel, within=_outer(zone, zones), boundary=boundary))
    return result


READER = Kepler()
