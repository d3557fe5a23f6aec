"""Energy events of ``perf stat``: totals of a command, or of each interval with ``-I``.

As separated values (``-x,`` or ``-x;``) or as the table that people read. perf follows the locale of the machine, so a
number may have a decimal comma; it always has two decimals.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.records.run import Run, Warning_

_EVENT = re.compile(r"power/energy-(\w+)/\w*")
_TEXT = re.compile(r"\s*(?:(\d+[.,]\d{9})\s+)?(?:(S\d+)\S*\s+\d+\s+)?(\S+|<[\w ]+>)\s+Joules\s+power/energy-(\w+)/.*")
_ELAPSED = re.compile(r"\s*([\d.,]+)\s+(?:\+-.*)?seconds time elapsed.*")
_TIME = re.compile(r"\s*\d+[.,]\d{9}")
_NAMES = {"pkg": "package", "ram": "dram", "cores": "core", "gpu": "uncore", "psys": "psys"}
_COMMAND = "LC_ALL=C perf stat -a -x, -e power/energy-pkg/,power/energy-ram/,duration_time -- COMMAND"


class Perf:
    """Reads energy events of perf stat."""

    name = "perf"
    title = "perf stat energy events (-x, or as text, with or without -I)"
    boundary = "processor package, and its memory; energy-psys is the platform"

    def sniff(self, path: Path) -> float:
        """Whether one of the first lines is that of an energy event."""
        from tco.readers.blocks import first_bytes

        head = first_bytes(path)
        return 0.95 if b"power/energy-" in head and b"Joules" in head else 0.0

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run with an energy for each event that does not lie within another one."""
        from tco.errors import ReadError
        from tco.files import sha256
        from tco.readers.build import chosen_of
        from tco.readers.rapl import package_around, packages_of, zone_notes, zone_of
        from tco.readers.small import lines_of, text_of
        from tco.records.base import validate
        from tco.records.run import EnergyReading, Evidence, Run, Tool, Warning_
        from tco.units import Q

        text = text_of(path)
        if not text.endswith("\n"):
            raise ReadError(f"{path}: the last line has no line end: the file was cut off while it was written")
        counts = _Counts(path)
        for number, line in lines_of(text):
            counts.take(number, line)
        if not counts.events:
            raise ReadError(f"{path}: has no energy events such as 'power/energy-pkg/'; measure with: {_COMMAND}")
        names = list(counts.events)
        if options.devices is not None:
            names = [chosen_of(wanted, names, path) for wanted in options.devices]
        inner = {name: outer for name in names if (outer := package_around(name, names)) is not None}
        known = [name for name in names if counts.events[name] is not None]
        readings = [
            EnergyReading(
                value=counts.events[name] or 0.0,
                unit="J",
                rule="counter",
                method="counter",
                device=name,
                boundary=options.boundary or (zone.boundary if (zone := zone_of(name)) else None),
                source=path.name,
            )
            for name in known
            if name not in inner
        ]
        notes: list[Warning_] = zone_notes(known, inner, path.name)
        notes += [
            Warning_(
                code="absent-channel",
                message=f"'{name}' was not counted; its energy is not known, which is not zero",
                where=path.name,
            )
            for name in names
            if name not in known
        ]
        if counts.duration_s is None:
            notes.append(
                Warning_(
                    code="no-duration",
                    message="the file does not say how long the run took (perf adds up the time over sockets); measure "
                    f"with: {_COMMAND}",
                    where=path.name,
                )
            )
        data = {
            "tool": Tool(name="perf stat"),
            "duration": None if counts.duration_s is None else Q(counts.duration_s, "s"),
            "devices": packages_of(names),
            "energy": readings,
            "provenance": [Evidence(file=path.name, sha256=sha256(path))],
            "warnings": notes,
        }
        return [validate(Run, data, str(path))]


class _Counts:
    """Joules by event, summed over intervals and sockets; None where an event was never counted."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.events: dict[str, float | None] = {}
        self.duration_s: float | None = None

    def take(self, number: int, line: str) -> None:
        """Read one line."""
        from tco.errors import ReadError

        where = f"{self._path}:{number}"
        if "Joules" in line and "power/energy-" in line:
            match = _TEXT.fullmatch(line)
            time, socket, value, event = match.groups() if match else self._separated(where, line)
            if time:
                self.duration_s = max(self.duration_s or 0.0, float(time.strip().replace(",", ".")))
            name = _NAMES.get(event, event) + (f"-{socket[1:]}" if socket else "")
            joules = None if value.startswith("<") else _number(value, where)
            before = self.events.get(name)
            self.events[name] = before if joules is None else (before or 0.0) + joules
        elif "duration_time" in line:
            fields = re.split(r"[,;]", line)
            place = next((i for i, field in enumerate(fields) if field.strip().startswith("duration_time")), 0)
            value = fields[place - 2] if place >= 2 else ""
            if not value.strip().isdecimal():
                raise ReadError(f"{where}: duration_time: '{value.strip()}' is not a number of nanoseconds")
            self.duration_s = float(value) * 1e-9
        else:
            elapsed = _ELAPSED.fullmatch(line)
            if elapsed:
                self.duration_s = _elapsed(elapsed[1], where)

    def _separated(self, where: str, line: str) -> tuple[str | None, str | None, str, str]:
        """Time, socket, value and event of a line of separated values."""
        from tco.errors import ReadError

        separator = ";" if line.count(";") > line.count(",") else ","
        fields = [field.strip() for field in line.split(separator)]
        place = fields.index("Joules") if "Joules" in fields else 0
        event = _EVENT.fullmatch(fields[place + 1]) if place + 1 < len(fields) else None
        before = fields[:place]
        time = before.pop(0) if before and _TIME.fullmatch(before[0]) else None
        socket = None
        if len(before) == 3 and re.fullmatch(r"S\d+.*", before[0]) and before[1].isdecimal():
            socket, before = re.sub(r"^(S\d+).*", r"\1", before[0]), before[2:]
        if event is None or len(before) != 1:
            raise ReadError(
                f"{where}: '{line.strip()[:60]}' is not a line of perf stat -x, such as "
                f"'12000.50,Joules,power/energy-pkg/,...'; a decimal comma cannot be told from a separator: {_COMMAND}"
            )
        return time, socket, before[0], event[1]


def _number(text: str, where: str) -> float:
    """A number with two decimals, after a point or a comma, perhaps with the other one between thousands."""
    from tco.errors import ReadError
    from tco.readers.trace import MOST_JOULES

    match = re.fullmatch(r"(\d{1,3}(?:([.,'])\d{3})*|\d+)(?:([.,])(\d{1,2}))?", text, re.ASCII)
    if match is None or (match[2] and match[2] == match[3]):
        raise ReadError(f"{where}: '{text}' is not a number of joules such as '12000.50'; measure with LC_ALL=C")
    whole = match[1].replace(match[2], "") if match[2] else match[1]
    joules = float(f"{whole}.{match[4] or 0}")
    if joules > MOST_JOULES:
        raise ReadError(f"{where}: '{text[:40]}' joules are more than any machine uses")
    return joules


def _elapsed(text: str, where: str) -> float:
    from tco.errors import ReadError

    match = re.fullmatch(r"(\d+)[.,](\d{6,9})", text, re.ASCII)
    if match is None:
        raise ReadError(f"{where}: '{text}' is not a number of seconds such as '5.001965465'; measure with LC_ALL=C")
    return float(f"{match[1]}.{match[2]}")


READER = Perf()
