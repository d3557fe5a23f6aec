"""What ``rocm-smi --showpower`` prints: a table, CSV or JSON, of one moment.

The average power and the current power of a socket stand in two columns, of which a card shows one. A card with two
dies (MI250) shows the power of both on the first of them; the second is no device without power, and no device more.
"""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.records.run import Run

_COLUMN = re.compile(r"(Average|Current Socket) Graphics Package Power \((W)\)")
_LINE = re.compile(r"GPU\[(\d+)\]\s*:\s*(.+?)\s*:\s*(.*?)\s*")
_CARD = re.compile(r"card(\d+)")
_SECONDARY = re.compile(r".*secondary die.*", re.IGNORECASE)
_MODEL = ("Card Series", "Card series", "Device Name", "Card model")
_COMMAND = "rocm-smi --showpower --showproductname --json"

#: Fields of one device: name and text.
_Fields = dict[str, str]


class RocmSmi:
    """Reads what rocm-smi prints about power."""

    name = "rocm-smi"
    title = "rocm-smi --showpower, as text, CSV or JSON"
    boundary = "GPU board; of a card with two dies, both"

    def sniff(self, path: Path) -> float:
        """Whether it names the power of a package as rocm-smi does."""
        from tco.readers.blocks import first_bytes

        head = first_bytes(path)
        return 0.95 if b"Graphics Package Power (W)" in head else 0.0

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run with the power of each card."""
        from tco.files import sha256
        from tco.readers.build import chosen_of
        from tco.readers.small import MOST_BYTES_OF_OBJECTS, text_of
        from tco.records.base import validate
        from tco.records.run import Device, Evidence, PowerReading, Run, Tool, Warning_
        from tco.units import Q

        text = text_of(path, most=MOST_BYTES_OF_OBJECTS)
        devices = dict(_devices(path, text))
        if options.devices is not None:
            devices = {
                name: devices[name] for name in (chosen_of(wanted, list(devices), path) for wanted in options.devices)
            }
        powers, notes = [], []
        seconds = [name for name, fields in devices.items() if any(_SECONDARY.fullmatch(f) for f in fields.values())]
        for name, fields in devices.items():
            watts = None if name in seconds else _power(path, name, fields)
            if watts is not None:
                powers.append(
                    PowerReading(
                        average_power=Q(watts, "W"),
                        method="sensor",
                        device=name,
                        boundary=options.boundary or "gpu_board",
                        source=path.name,
                    )
                )
            elif name not in seconds:
                note = f"'{name}' shows no power; it is not known, which is not zero"
                notes.append(Warning_(code="absent-channel", message=note, where=path.name))
        if seconds:
            note = (
                f"{', '.join(seconds)}: second dies, whose power is in that of the first; {len(devices)} devices are "
                f"{len(devices) - len(seconds)} cards"
            )
            notes.append(Warning_(code="second-die", message=note, where=path.name))
        notes.append(
            Warning_(
                code="one-moment",
                message="powers of one moment are no energy yet: say how long the run took, and whether it drew them "
                "throughout",
                where=path.name,
            )
        )
        models = {
            model for fields in devices.values() if (model := next((fields[k] for k in _MODEL if k in fields), ""))
        }
        gpus = Device(
            kind="gpu",
            model=models.pop() if len(models) == 1 else None,
            count=len(devices),
            cards=len(devices) - len(seconds) if seconds and len(devices) > len(seconds) else None,
            ids=tuple(devices),
        )
        data = {
            "tool": Tool(name="rocm-smi"),
            "devices": [gpus],
            "power": powers,
            "provenance": [Evidence(file=path.name, sha256=sha256(path))],
            "warnings": notes,
        }
        return [validate(Run, data, str(path))]


def _devices(path: Path, text: str) -> Iterator[tuple[str, _Fields]]:
    """Each device with its fields.

    Raises
    ------
    ReadError
        If the text is none of the three forms, was cut off, or shows a device twice.
    """
    from tco.errors import ReadError

    form = _of_json if text.lstrip().startswith("{") else _of_csv if text.lstrip().startswith("device,") else _of_text
    seen: dict[str, _Fields] = {}
    for place, name, fields in form(path, text):
        known = seen.setdefault(name, {})
        twice = next((key for key in fields if key in known and _COLUMN.fullmatch(key)), None)
        if twice is not None:
            raise ReadError(
                f"{place}: '{name}' shows '{twice}' a second time; several moments without a time are no trace: log "
                "with 'amd-smi monitor --power-usage --csv --watch 1', which adds it"
            )
        known.update(fields)
    powered = {name: fields for name, fields in seen.items() if any(_COLUMN.fullmatch(key) for key in fields)}
    if not powered:
        raise ReadError(f"{path}: no device shows its power; run: {_COMMAND}")
    yield from powered.items()


def _of_json(path: Path, text: str) -> Iterator[tuple[str, str, _Fields]]:
    from tco.readers.small import json_of

    data: Any = json_of(path, text)
    for card, fields in data.items():
        match = _CARD.fullmatch(card)
        if match and isinstance(fields, dict):
            yield f"{path}: {card}", match[1], {str(key): str(value) for key, value in fields.items()}


def _of_csv(path: Path, text: str) -> Iterator[tuple[str, str, _Fields]]:
    """One table, or several with blank lines and headers of their own between them."""
    from tco.errors import ReadError
    from tco.readers.columns import wrong_number_of_fields
    from tco.readers.small import lines_of

    if not text.endswith("\n"):
        raise ReadError(f"{path}: the last line has no line end: the file was cut off while it was written")
    names: list[str] = []
    for number, line in lines_of(text):
        try:
            fields = [field.strip() for field in next(csv.reader([line], strict=True))]
        except csv.Error as error:
            raise ReadError(f"{path}:{number}: is not CSV: {error}") from None
        if fields[0] == "device":
            names = fields
            continue
        match = _CARD.fullmatch(fields[0])
        if match is None:
            if fields[0] == "system":
                continue
            raise ReadError(f"{path}:{number}: '{fields[0][:40]}' is not a device such as 'card0'")
        if len(fields) != len(names):
            raise ReadError(f"{path}:{number}: {wrong_number_of_fields(line.encode(), len(fields), len(names))}")
        yield f"{path}:{number}", match[1], dict(zip(names[1:], fields[1:], strict=True))


def _of_text(path: Path, text: str) -> Iterator[tuple[str, str, _Fields]]:
    from tco.errors import ReadError
    from tco.readers.small import lines_of

    if not text.endswith("\n"):
        raise ReadError(f"{path}: the last line has no line end: the file was cut off while it was written")
    for number, line in lines_of(text):
        match = _LINE.fullmatch(line.replace("\t", " ").strip())
        if match:
            yield f"{path}:{number}", match[1], {match[2]: match[3]}


def _power(path: Path, name: str, fields: _Fields) -> float | None:
    """The power of a device: the first of its columns that has a value."""
    from tco.errors import ReadError
    from tco.readers import values
    from tco.readers.trace import MOST_WATTS_OF_A_DEVICE

    for column, text in fields.items():
        if not _COLUMN.fullmatch(column):
            continue
        watts = values.number(text, "W", values.Place(str(path), None, f"GPU {name}: {column}"))
        if watts < 0:
            raise ReadError(f"{path}: GPU {name}: {column}: {watts:g} W is below zero")
        if watts <= MOST_WATTS_OF_A_DEVICE:  # not the 4294967295 that stands for "not supported"
            return watts
    return None


READER = RocmSmi()
