"""System metrics of Weights & Biases, exported as CSV or JSON: the power of each GPU every 15 s by default."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.readers.trace import Channel
    from tco.records.run import Run

#: ``system.gpu.0.powerWatts``, in a chart's export behind the name of the run; not the one of a process.
_POWER = re.compile(r"(?:.* - )?(?:system[./])?gpu\.(\d+)\.powerWatts")
_TIMES = ("_timestamp", "timestamp", "Wall Time", "_runtime", "Relative Time (Wall)", "Relative Time (Process)")
_EXPORT = "wandb.Api().run('entity/project/run').history(stream='events').to_csv('system.csv', index=False)"


class Wandb:
    """Reads exports of system metrics."""

    name = "wandb"
    title = "Weights & Biases system metrics, as CSV or JSON"
    boundary = "GPU board"

    def sniff(self, path: Path) -> float:
        """Whether a column or field is the power of a GPU as W&B names it."""
        from tco.readers.blocks import first_bytes, first_line

        head = first_bytes(path)
        if b".powerWatts" not in head:
            return 0.0
        if head.lstrip().startswith((b"[", b"{")):
            return 0.9
        names = [name.strip().strip('"') for name in first_line(path).split(",")]
        return 0.95 if any(_POWER.fullmatch(name) for name in names) else 0.0

    def trace(self, path: Path, options: ReadOptions) -> list[Channel]:
        """One channel for each GPU."""
        from tco.readers.blocks import first_bytes
        from tco.readers.build import selected

        is_json = first_bytes(path).lstrip().startswith((b"[", b"{"))
        return selected((_of_json if is_json else _of_csv)(path, options), options, path)

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run with an energy for each GPU."""
        from tco.readers.build import run_of, with_digest
        from tco.records.run import Device

        channels, digest = with_digest(path, lambda: self.trace(path, options))
        ids = tuple(channel.id for channel in channels)
        return [
            run_of(
                path,
                digest,
                channels,
                options,
                tool="wandb",
                devices=[Device(kind="gpu", count=len(ids), ids=ids)],
            )
        ]


def _columns(names: Sequence[str], place: str) -> tuple[str, dict[str, str]]:
    """The column of times, and those of powers by GPU."""
    from tco.errors import ReadError

    time = next((name for name in _TIMES if name in names), None)
    powers: dict[str, str] = {}
    for name in names:
        match = _POWER.fullmatch(name)
        if match is None:
            continue
        if match[1] in powers:
            raise ReadError(f"{place}: '{powers[match[1]]}' and '{name}' are both of GPU {match[1]}; export one run")
        powers[match[1]] = name
    if time is None or not powers:
        what = "'_timestamp'" if time is None else "'system.gpu.0.powerWatts'"
        raise ReadError(f"{place}: has no {what}; export with: {_EXPORT}")
    return time, powers


def _of_csv(path: Path, options: ReadOptions) -> list[Channel]:
    from tco.errors import ReadError
    from tco.readers.blocks import read_header, unfinished_line
    from tco.readers.channels import Clock, Source, channels_in_columns, clock_of

    header = read_header(path)
    last = unfinished_line(path)
    if last is not None:
        raise ReadError(
            f"{path}: the last line, '{last[:80]}', has no line end: the file was cut off while it was written; delete "
            "that line"
        )
    time, powers = _columns(header.names, header.place)
    position = header.column(time)
    is_relative = time == "_runtime" or time.startswith("Relative")
    clock = Clock(position, None) if is_relative else clock_of(header, position, options.time_zone)
    sources = [Source(gpu, header.column(name), boundary="gpu_board") for gpu, name in powers.items()]
    return channels_in_columns(header, clock, sources, options)


def _of_json(path: Path, options: ReadOptions) -> list[Channel]:
    import numpy as np

    from tco.errors import ReadError
    from tco.readers.channels import EPOCH, LATEST_S
    from tco.readers.series import Series, channel_of
    from tco.readers.small import MOST_BYTES_OF_OBJECTS, json_of, json_values, text_of

    text = text_of(path, "export it as CSV", MOST_BYTES_OF_OBJECTS)
    rows: Iterable[Any] = json_of(path, text) if text.lstrip().startswith("[") else json_values(path, text)
    samples: dict[str, list[tuple[float, float]]] = {}
    names: list[str] = []
    time = ""
    for index, row in enumerate(rows):
        place = f"{path}: row {index + 1}"
        if not isinstance(row, dict):
            raise ReadError(f"{place}: is not an object with '_timestamp' and 'system.gpu.0.powerWatts'")
        names = list(dict.fromkeys([*names, *map(str, row)])) if any(key not in names for key in row) else names
        found = next((name for name in _TIMES if name in row), None)
        if found is None:
            continue
        if time and found != time:
            raise ReadError(f"{place}: has its time in '{found}', rows before it in '{time}'")
        time = found
        second = _number(row[found], f"{place}: {found}")
        for key, value in row.items():
            match = _POWER.fullmatch(str(key))
            if match:
                samples.setdefault(match[1], []).append((second, _number(value, f"{place}: {key}")))
    _columns(names, str(path))
    if any(not second == second or abs(second) >= LATEST_S for each in samples.values() for second, _ in each):
        raise ReadError(f"{path}: {time}: is not a number of seconds since 1970 in each row")
    origin = EPOCH if time in ("_timestamp", "timestamp", "Wall Time") else None
    return [
        channel_of(
            Series(gpu, np.array([s[0] for s in each]), np.array([s[1] for s in each]), "gpu_board", origin=origin),
            options,
        )
        for gpu, each in samples.items()
    ]


def _number(value: Any, place: str) -> float:
    """A number, NaN where it is null."""
    from tco.errors import ReadError

    if value is None or value == "NaN":
        return float("nan")
    try:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise TypeError
        return float(value)
    except (TypeError, OverflowError):
        raise ReadError(f"{place}: {value!r:.40} is not a number") from None


READER = Wandb()
