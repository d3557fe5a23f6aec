"""Metrics of NVIDIA's DCGM exporter: a scrape of it as text, or what Prometheus answers about them.

The gauge of power is in W, the running total of energy in mJ since the driver was loaded. Each MIG instance shows the
power of the whole GPU.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.readers.exposition import Exposed, Metric, Reading
    from tco.readers.trace import Channel
    from tco.records.run import Run

_PREFIX = "DCGM_FI_DEV_"
#: What DCGM writes for a value that is blank, not found, not supported or not permitted, as integer and as double.
_BLANKS = frozenset({2.0**63, *(2.0**47 + code for code in range(4))})


def metrics() -> list[Metric]:
    """The metrics of power and energy."""
    from tco.readers.exposition import Metric

    ids, instance = ("gpu", "UUID"), "GPU_I_ID"
    return [
        Metric(
            f"{_PREFIX}TOTAL_ENERGY_CONSUMPTION",
            1e-3,
            "gpu_board",
            is_counter=True,
            ids=ids,
            instance=instance,
            since="the driver was loaded",
            blanks=_BLANKS,
        ),
        Metric(f"{_PREFIX}POWER_USAGE", 1.0, "gpu_board", ids=ids, instance=instance, blanks=_BLANKS),
    ]


class Dcgm:
    """Reads the metrics of the DCGM exporter."""

    name = "dcgm"
    title = "DCGM exporter metrics, as text or as JSON of a Prometheus query"
    boundary = "GPU board"

    def sniff(self, path: Path) -> float:
        """Whether the first metrics are those of DCGM."""
        from tco.readers.blocks import first_bytes

        head = first_bytes(path)
        if _PREFIX.encode() not in head:
            return 0.0
        from tco.readers.exposition import names_in

        return 1.0 if any(name.startswith(_PREFIX) for name in names_in(head)) else 0.0

    def trace(self, path: Path, options: ReadOptions) -> list[Channel]:
        """One channel for each GPU with more than one sample."""
        from tco.readers.build import selected

        return selected(self._measure(path, options)[1].channels, options, path)

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run with an energy, or a power, for each GPU."""
        from tco.readers.build import pick
        from tco.readers.exposition import gpus, run_of_metrics

        found, reading = self._measure(path, options)
        ids = [channel.id for channel in reading.channels] + [series.id for series, _ in reading.totals]
        if options.devices is not None:
            wanted = {pick(name, list(dict.fromkeys(ids))) for name in options.devices}
            ids = [name for name in ids if name in wanted]
        devices = gpus(ids, found, "modelName")
        return [run_of_metrics(path, reading, options, tool="dcgm-exporter", devices=devices)]

    def _measure(self, path: Path, options: ReadOptions) -> tuple[list[Exposed], Reading]:
        from tco.readers.exposition import exposed, readings_of

        known = metrics()
        found = exposed(path, [metric.name for metric in known])
        return found, readings_of(path, found, known, options)


READER = Dcgm()
