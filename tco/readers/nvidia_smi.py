"""Logs of ``nvidia-smi --query-gpu=timestamp,index,name,power.draw --format=csv -lms 100``.

Stamps are local time without a zone. They are only subtracted from each other: a clock set forward within a trace
cannot be seen and counts an hour too much; one set back is refused.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.readers.blocks import Header
    from tco.readers.trace import Channel
    from tco.records.run import Boundary, Run, Warning_

_COMMAND = "nvidia-smi --query-gpu=timestamp,index,name,power.draw --format=csv -lms 100"
_STAMP = re.compile(r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d\.\d+\s*,")
_NAME = re.compile(r"(\S+)(?: \[(.*)\])?")
_KEYS = ("index", "uuid", "gpu_uuid", "pci.bus_id", "gpu_bus_id")
_MODELS = ("name", "gpu_name")
_FACTORS = {"W": 1.0, "mW": 1e-3, "kW": 1e3}


class _Column(NamedTuple):
    position: int
    unit: str
    boundary: Boundary


#: Columns of power, at each boundary the preferred one first.
_POWERS: Sequence[tuple[str, Boundary]] = (
    ("power.draw", "gpu_board"),
    ("power.draw.average", "gpu_board"),
    ("power.draw.instant", "gpu_board"),
    ("module.power.draw.average", "module"),
    ("module.power.draw.instant", "module"),
)
#: Columns of the same power further apart than this are worth a word.
_APART = 0.05


class NvidiaSmi:
    """Reads the CSV log of nvidia-smi, of one GPU or of several in turn."""

    name = "nvidia-smi"
    title = "nvidia-smi --query-gpu log"
    boundary = "GPU board; module of a Grace-Hopper for the columns module.power.draw..."

    def sniff(self, path: Path) -> float:
        """Whether the first line names a column of power as nvidia-smi does, or is a row of it."""
        from tco.readers.blocks import first_line

        line = first_line(path)
        names = [_base(name) for name in line.split(",")]
        if any(name in names for name, _ in _POWERS):
            return 1.0
        return 0.7 if _STAMP.match(line) else 0.0

    def trace(self, path: Path, options: ReadOptions) -> list[Channel]:
        """One channel for each GPU, and one for each module."""
        return self._measure(path, options)[0]

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run with an energy for each GPU, and for each module that shows its power."""
        from tco.readers.build import run_of, with_digest
        from tco.records.run import Device

        models: dict[str, str] = {}
        warnings: list[Warning_] = []

        def _trace() -> list[Channel]:
            channels, names, found = self._measure(path, options)
            models.update(names)
            warnings.extend(found)
            return channels

        channels, digest = with_digest(path, _trace)
        warnings += _partial_views(channels, models, path)
        kinds: dict[str | None, list[str]] = {}
        for name in dict.fromkeys(channel.id.removeprefix(_MODULE) for channel in channels):
            kinds.setdefault(models.get(name), []).append(name)
        devices = [Device(kind="gpu", model=model, count=len(ids), ids=tuple(ids)) for model, ids in kinds.items()]
        return [run_of(path, digest, channels, options, tool="nvidia-smi", devices=devices, warnings=warnings)]

    def _measure(self, path: Path, options: ReadOptions) -> tuple[list[Channel], dict[str, str], list[Warning_]]:
        from tco.readers.blocks import read_header
        from tco.readers.build import selected
        from tco.readers.channels import Layout, Source, channels_in_rows, clock_of

        _refuse_other_forms(path, options)
        header = read_header(path, names=options.names)
        names = [_base(name) for name in header.names]
        clock = clock_of(header, _position(header, names, ("timestamp",)), options.time_zone)
        key = next((names.index(name) for name in _KEYS if name in names), None)
        model = next((names.index(name) for name in _MODELS if name in names), None)
        columns = _power_columns(header, names)
        if options.boundary is not None:
            columns = [column for column in columns if column.boundary == columns[0].boundary]
        warnings = _check_end(header, columns[0].position)
        sources = [Source("gpu", c.position, c.unit, _FACTORS[c.unit], c.boundary) for c in columns]
        layout = Layout(clock, sources, () if key is None else (key,), model)
        found, models = channels_in_rows(header, layout, options)
        channels: list[Channel] = []
        for name, each in found.items():
            chosen, notes = _chosen(name, each, columns, header)
            channels += chosen
            warnings += notes
        return selected(channels, options, path), models, warnings


_MODULE = "module:"


def _partial_views(channels: Sequence[Channel], models: dict[str, str], path: Path) -> list[Warning_]:
    """A word for each kind of GPU whose sensor sees only a part of the time."""
    from tco.readers.sensors import partial_view

    kinds = dict.fromkeys((models.get(channel.id, ""), _base(channel.column)) for channel in channels)
    found = (partial_view(model, column, path.name) for model, column in kinds)
    return list(dict.fromkeys(warning for warning in found if warning is not None))


def _chosen(
    name: str, channels: list[Channel], columns: list[_Column], header: Header
) -> tuple[list[Channel], list[Warning_]]:
    """One channel of a GPU for each boundary: the first column that has values; and what to know of the others."""
    from dataclasses import replace

    from tco.records.run import Warning_

    chosen: list[Channel] = []
    warnings = []
    for boundary in dict.fromkeys(column.boundary for column in columns):
        same = [channel for channel, column in zip(channels, columns, strict=True) if column.boundary == boundary]
        valid = [channel for channel in same if channel.samples]
        if not valid:
            continue
        used = valid[0]
        if used is not same[0]:
            warnings.append(
                Warning_(
                    code="other-column",
                    message=f"'{same[0].column}' has no value; '{used.column}' is read",
                    where=header.path.name,
                )
            )
        for other in valid[1:]:
            if used.energy_j and other.energy_j and abs(other.energy_j / used.energy_j - 1) > _APART:
                warnings.append(
                    Warning_(
                        code="columns-differ",
                        message=f"channel '{name}': '{used.column}' makes {used.energy_j:.6g} J, '{other.column}' "
                        f"{other.energy_j:.6g} J; the first is used",
                        where=header.path.name,
                    )
                )
        chosen.append(used if not chosen else replace(used, id=_MODULE + name))
    return chosen or channels[:1], warnings


def _base(name: str) -> str:
    match = _NAME.fullmatch(name.strip())
    return match[1] if match else name.strip()


def _refuse_other_forms(path: Path, options: ReadOptions) -> None:
    from tco.errors import ReadError
    from tco.readers.blocks import first_line

    if options.names is None and _STAMP.match(first_line(path)):
        raise ReadError(
            f"{path}:1: has no column names; say what was queried, such as --names 'timestamp, index, power.draw [W]', "
            f"or log without 'noheader' ({_COMMAND})"
        )


def _position(header: Header, names: list[str], wanted: Sequence[str]) -> int:
    from tco.errors import ReadError, did_you_mean

    for name in wanted:
        if names.count(name) > 1:
            raise ReadError(f"{header.place}: the column '{name}' stands {names.count(name)} times")
        if name in names:
            return names.index(name)
    raise ReadError(
        f"{header.place}: there is no column '{wanted[0]}'{did_you_mean(wanted[0], names)}; log with: {_COMMAND}"
    )


def _power_columns(header: Header, names: list[str]) -> list[_Column]:
    """The columns of power, the preferred one first."""
    from tco.errors import ReadError

    columns = []
    for name, boundary in _POWERS:
        if name in names:
            position = _position(header, names, (name,))
            match = _NAME.fullmatch(header.names[position])
            unit = (match[2] if match else None) or "W"
            if unit not in _FACTORS:
                raise ReadError(
                    f"{header.place}: column '{header.names[position]}': the unit '{unit}' is not one of "
                    "power; W, mW or kW is expected"
                )
            columns.append(_Column(position, unit, boundary))
    if not columns:
        _position(header, names, [name for name, _ in _POWERS])
    return columns


def _check_end(header: Header, power: int) -> list[Warning_]:
    """Refuse a file that was cut off in the value that is read; note it where it was cut off elsewhere."""
    from tco.errors import ReadError
    from tco.readers.blocks import unfinished_line
    from tco.records.run import Warning_

    last = unfinished_line(header.path)
    if last is None:
        return []
    fields = [field.strip() for field in last.split(",")]
    is_last = power == len(header.names) - 1
    if is_last and len(fields) == len(header.names) and _shape(fields[power]) != _shape(header.first_row[power]):
        raise ReadError(
            f"{header.path}: the last line, '{last[:80]}', was cut off while it was written: '{fields[power]}' is not "
            f"written like '{header.first_row[power]}'; delete that line"
        )
    return [
        Warning_(
            code="unfinished-line",
            message="the last line has no line end; the file may have been cut off",
            where=header.path.name,
        )
    ]


def _shape(text: str) -> str:
    """A number as nvidia-smi writes it, without its digits before the point: ``300.00 W`` -> ``.00 W``."""
    return re.sub(r"\d", "0", re.sub(r"^\d+", "", text))


READER = NvidiaSmi()
