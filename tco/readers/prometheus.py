"""What Prometheus answers about powers and energies that no exporter's own reader knows.

RAPL counters of the node exporter, powers of the IPMI and AMD exporters, and others whose unit stands in their name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.readers.exposition import Exposed, Metric, Reading
    from tco.readers.trace import Channel
    from tco.records.run import Run


def metrics() -> list[Metric]:
    """The metrics of power and energy."""
    from tco.readers.exposition import Metric

    index = ("index", "path")
    return [
        Metric("node_rapl_package_joules_total", 1.0, "cpu_package", is_counter=True, ids=index),
        Metric("node_rapl_dram_joules_total", 1.0, "cpu_package", is_counter=True, ids=("dram",)),
        Metric("ipmi_dcmi_power_consumption_watts", 1.0, "node_ac"),
        Metric("redfish_chassis_power_average_consumed_watts", 1.0, "node_ac", ids=("chassis_id",)),
        Metric("nvidia_smi_power_draw_watts", 1.0, "gpu_board", ids=("uuid",)),
        Metric("gpu_package_power", 1.0, "gpu_board", ids=("gpu_id", "gpu_uuid")),
        Metric("gpu_energy_consumed", 1e-6, "gpu_board", is_counter=True, ids=("gpu_id", "gpu_uuid")),
    ]


class Prometheus:
    """Reads answers of Prometheus, and scrapes, about powers and energies."""

    name = "prometheus"
    title = "Prometheus query_range JSON or text with metrics of power or energy"
    boundary = "that of the metric: processor package, GPU board, node"

    def sniff(self, path: Path) -> float:
        """Whether it is an answer of Prometheus, or text with a metric that is known."""
        from tco.readers.blocks import first_bytes

        head = first_bytes(path)
        if not head.lstrip().startswith((b"{", b"# HELP", b"# TYPE", *_starts())):
            return 0.0
        from tco.readers.exposition import is_answer, names_in

        known = {metric.name for metric in metrics()}
        if known & names_in(head):
            return 0.9
        return 0.5 if is_answer(head) else 0.0

    def trace(self, path: Path, options: ReadOptions) -> list[Channel]:
        """One channel for each device with more than one sample."""
        from tco.readers.build import selected

        return selected(self._measure(path, options)[1].channels, options, path)

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run with an energy, or a power, for each device."""
        from tco.readers.exposition import gpus, run_of_metrics

        found, reading = self._measure(path, options)
        boards = [channel.id for channel in reading.channels if channel.boundary == "gpu_board"]
        devices = gpus(boards, found, "name")
        return [run_of_metrics(path, reading, options, tool="prometheus", devices=devices)]

    def _measure(self, path: Path, options: ReadOptions) -> tuple[list[Exposed], Reading]:
        from tco.readers import dcgm, kepler, scaphandre
        from tco.readers.exposition import exposed, readings_of

        known = [*metrics(), *dcgm.metrics(), *kepler.metrics(), *scaphandre.metrics()]
        found = exposed(path, [metric.name for metric in known])
        return found, readings_of(path, found, known, options)


def _starts() -> list[bytes]:
    return [metric.encode() for metric in ("node_rapl_", "ipmi_dcmi_", "redfish_", "nvidia_smi_", "gpu_")]


READER = Prometheus()
