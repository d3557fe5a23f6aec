"""What ``amd-smi`` shows of power: a log of ``monitor`` or ``metric`` as CSV, or the JSON of one moment.

On MI300 and later the power of a socket is the current one, before them an average. What a card does not support is
4294967295, which is missing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.readers.trace import Channel
    from tco.records.run import Run

_POWERS = (
    "socket_power",
    "current_socket_power",
    "average_socket_power",
    "power_usage",
)
_UNSUPPORTED = 4294967295
_COMMAND = "amd-smi monitor --power-usage --csv --watch 1 --file power.csv"


class AmdSmi:
    """Reads logs and snapshots of amd-smi."""

    name = "amd-smi"
    title = "amd-smi monitor or metric, as CSV with times or as JSON"
    boundary = "GPU board (socket)"

    def sniff(self, path: Path) -> float:
        """Whether it names the power of a socket as amd-smi does."""
        from tco.readers.blocks import first_bytes, first_line

        line = first_line(path)
        names = [name.strip() for name in line.split(",")]
        if "gpu" in names and any(name in names for name in _POWERS):
            return 0.95
        head = first_bytes(path)
        shaped = head.lstrip().startswith((b"[", b"{")) and b'"gpu"' in head
        return 0.9 if shaped and re.search(rb'"(?:current_|average_)?socket_power"', head) else 0.0

    def trace(self, path: Path, options: ReadOptions) -> list[Channel]:
        """One channel for each GPU."""
        from tco.readers.build import selected

        return selected(_channels(path, options), options, path)

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run with an energy, or the power of one moment, for each GPU."""
        from tco.readers.build import run_of, with_digest
        from tco.records.run import Device

        channels, digest = with_digest(path, lambda: self.trace(path, options))
        ids = tuple(channel.id for channel in channels)
        devices = [Device(kind="gpu", count=len(ids), ids=ids)]
        return [run_of(path, digest, channels, options, tool="amd-smi", devices=devices)]


def _channels(path: Path, options: ReadOptions) -> list[Channel]:
    from tco.readers.blocks import first_bytes

    if first_bytes(path).lstrip().startswith((b"[", b"{")):
        return _of_json(path, options)
    return _of_csv(path, options)


def _of_csv(path: Path, options: ReadOptions) -> list[Channel]:
    from tco.errors import ReadError
    from tco.readers.blocks import read_header, unfinished_line
    from tco.readers.channels import Layout, Source, channels_in_rows, clock_of

    header = read_header(path, names=options.names)
    last = unfinished_line(path)
    if last is not None:
        raise ReadError(
            f"{path}: the last line, '{last[:80]}', has no line end: the file was cut off while it was written; delete "
            "that line"
        )
    names = header.names
    if "timestamp" not in names:
        raise ReadError(f"{header.place}: has no column 'timestamp'; log with: {_COMMAND}")
    power = next((name for name in _POWERS if name in names), None)
    if power is None:
        raise ReadError(f"{header.place}: has no column of power ({', '.join(_POWERS)}); log with: {_COMMAND}")
    clock = clock_of(header, header.column("timestamp"), options.time_zone)
    sources = [Source("gpu", header.column(power), "W", 1.0, "gpu_board")]
    instance = header.column("xcp") if "xcp" in names else None
    keys = (header.column("gpu"),) if "gpu" in names else ()
    found, _ = channels_in_rows(header, Layout(clock, sources, keys, None, instance), options)
    return [each[0] for each in found.values()]


def _of_json(path: Path, options: ReadOptions) -> list[Channel]:
    import numpy as np

    from tco.errors import ReadError
    from tco.readers.series import Series, channel_of
    from tco.readers.small import MOST_BYTES_OF_OBJECTS, json_of, text_of

    data: Any = json_of(path, text_of(path, most=MOST_BYTES_OF_OBJECTS))
    gpus: Any = data.get("gpu_data", data) if isinstance(data, dict) else data
    if not isinstance(gpus, list) or not all(isinstance(gpu, dict) for gpu in gpus):
        raise ReadError(f"{path}: is not a list of GPUs as 'amd-smi metric --power --json' prints it")
    channels = []
    for index, gpu in enumerate(gpus):
        place = f"{path}: [{index}]"
        power = gpu.get("power")
        if not isinstance(power, dict):
            raise ReadError(f"{place}: has no 'power'; run: amd-smi metric --power --json")
        watts = _first([power.get(name) for name in _POWERS], place)
        series = Series(str(gpu.get("gpu", index)), np.zeros(1), np.array([watts]), "gpu_board", (place,))
        channels.append(channel_of(series, options))
    if not channels:
        raise ReadError(f"{path}: holds no GPU")
    return channels


def _first(found: Sequence[Any], place: str) -> float:
    """The first power that has a value, NaN where none has."""
    from tco.errors import ReadError
    from tco.readers import values

    for item in found:
        unit, value = "W", item
        if isinstance(item, dict):
            unit, value = str(item.get("unit") or "W"), item.get("value")
        if value is None:
            continue
        number = values.number(str(value), "W", values.Place(place, None, "power"))
        if number != number or number == _UNSUPPORTED:
            continue
        factors = {"W": 1.0, "mW": 1e-3, "uW": 1e-6}
        if unit not in factors:
            raise ReadError(f"{place}: power: the unit '{unit}' is not W, mW or uW")
        return number * factors[unit]
    return float("nan")


READER = AmdSmi()
