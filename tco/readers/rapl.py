"""Counters of energy of Linux powercap (RAPL), as a table with one row for each time and zone.

``timestamp_s,domain,energy_uj,max_energy_range_uj``: each zone wraps at a range of its own. ``core`` and ``uncore`` lie
within their package; memory lies beside it; ``psys`` is the platform, with packages and memory in it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.readers.blocks import Header
    from tco.readers.channels import Source
    from tco.readers.columns import Block
    from tco.readers.trace import Channel
    from tco.records.run import Boundary, Device, Run, Warning_

_TIMES = ("timestamp_s", "timestamp", "time", "time_s", "t_s", "t")
_ZONES = ("domain", "zone", "name")
_ENERGY, _RANGE = "energy_uj", "max_energy_range_uj"
_ZONE = re.compile(r"(?:intel-rapl:)?(package|pkg|core|pp0|uncore|pp1|gpu|dram|ram|psys|platform)s?(?:[-_ :]?(\d+))?.*")
_PATH = re.compile(r"(?:/.*/)?(?:intel-rapl|amd-rapl)(?:-mmio)?(?::\d+)+")
_INNER = frozenset({"core", "pp0", "uncore", "pp1", "gpu"})
_PACKAGE = frozenset({"package", "pkg"})
_PLATFORM = frozenset({"psys", "platform"})
_MEMORY = frozenset({"dram", "ram"})
#: No package draws more, nor its memory, nor a platform: what would need more is no wrap.
_MOST_WATTS, _MOST_WATTS_OF_MEMORY, _MOST_WATTS_OF_A_PLATFORM = 2000.0, 1000.0, 20_000.0
_COMMAND = (
    "while sleep 60; do for z in /sys/class/powercap/intel-rapl:*; do echo "
    '"$(date +%s.%N),$(cat $z/name),$(cat $z/energy_uj),$(cat $z/max_energy_range_uj)"; done; done'
)


class Zone(NamedTuple):
    """A zone of RAPL: what it is, and which one."""

    kind: str
    number: str

    @property
    def boundary(self) -> Boundary:
        """Where it measures."""
        return "node_dc" if self.kind in _PLATFORM else "cpu_package"

    @property
    def is_inner(self) -> bool:
        """Whether it lies within a package."""
        return self.kind in _INNER

    @property
    def most_w(self) -> float:
        """A power that it never draws."""
        if self.kind in _MEMORY:
            return _MOST_WATTS_OF_MEMORY
        return _MOST_WATTS_OF_A_PLATFORM if self.kind in _PLATFORM else _MOST_WATTS


def zone_of(name: str) -> Zone | None:
    """What a name such as ``package-0`` or ``dram`` says; None where it says nothing."""
    match = _ZONE.fullmatch(name.strip().casefold())
    return None if match is None else Zone(match[1], match[2] or "")


def package_around(name: str, names: Sequence[str]) -> str | None:
    """The package that a zone lies within, where it is one of the names, or the one package there is."""
    zone = zone_of(name)
    if zone is None or not zone.is_inner:
        return None
    packages = {other: its for other in names if (its := zone_of(other)) is not None and its.kind in _PACKAGE}
    same = [other for other, its in packages.items() if its.number == zone.number]
    return same[0] if same else next(iter(packages), None)


def packages_of(names: Sequence[str]) -> list[Device]:
    """The processors that the zones are of."""
    from tco.records.run import Device

    ids = tuple(name for name in names if (zone := zone_of(name)) is not None and zone.kind in _PACKAGE)
    return [Device(kind="cpu", count=len(ids), ids=ids)] if ids else []


def zone_notes(names: Sequence[str], inner: dict[str, str], where: str) -> list[Warning_]:
    """A word for each zone that lies within another one, and for one that its maker defines."""
    from tco.records.run import Warning_

    notes = [
        Warning_(code="nested-channel", message=f"'{name}' lies within '{outer}' and is not added", where=where)
        for name, outer in inner.items()
    ]
    for name in names:
        zone = zone_of(name)
        if zone is not None and zone.kind in _PLATFORM:
            note = (
                f"'{name}' is taken as the node behind its power supplies; what a platform zone measures is up to the "
                "maker of the board: compare it with another meter, or leave it out with --devices"
            )
            notes.append(Warning_(code="platform-zone", message=note, where=where))
    return notes


class Rapl:
    """Reads a table of powercap counters."""

    name = "rapl"
    title = "table of Linux powercap (RAPL) counters: time, domain, energy_uj, max_energy_range_uj"
    boundary = "processor package, and its memory; psys is the platform"

    def sniff(self, path: Path) -> float:
        """Whether the first line names a zone and its counter."""
        from tco.readers.blocks import first_line

        names = [name.strip() for name in first_line(path, comments=True).split(",")]
        return 1.0 if _ENERGY in names and any(name in names for name in _ZONES) else 0.0

    def trace(self, path: Path, options: ReadOptions) -> list[Channel]:
        """One channel for each zone."""
        from dataclasses import replace

        from tco.errors import ReadError
        from tco.readers.blocks import read_header, unfinished_line
        from tco.readers.build import selected
        from tco.readers.channels import Layout, Source, channels_in_rows, clock_of

        header = read_header(path, comments=True, names=options.names)
        time = _column(header, _TIMES, "times")
        key = _column(header, _ZONES, "zones")
        last = unfinished_line(path)
        if last is not None:
            raise ReadError(
                f"{path}: the last line, '{last[:80]}', has no line end: the file was cut off while it was written; "
                "delete that line"
            )
        energy = header.column(_ENERGY)
        limit = header.column(_RANGE) if _RANGE in header.names else None
        clock = clock_of(header, time, options.time_zone)
        layout = Layout(
            clock,
            [Source("", energy, "uJ", 1e-6, is_counter=True)],
            (key,),
            source_of=lambda name, block, row: _sources(name, block, row, key, energy, limit),
        )
        found, _ = channels_in_rows(header, layout, options)
        channels = [each[0] for each in found.values()]
        names = list(found)
        nested = [replace(channel, within=package_around(channel.id, names)) for channel in channels]
        return selected(nested, options, path)

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run with an energy for each zone that does not lie within another one."""
        from tco.readers.build import run_of, with_digest

        channels, digest = with_digest(path, lambda: self.trace(path, options))
        inner = {channel.id: channel.within for channel in channels if channel.within is not None}
        devices = packages_of([channel.id for channel in channels])
        notes = zone_notes([channel.id for channel in channels if channel.energy_j is not None], inner, path.name)
        return [run_of(path, digest, channels, options, tool="powercap", devices=devices, warnings=notes)]


def _column(header: Header, wanted: Sequence[str], what: str) -> int:
    from tco.errors import ReadError

    name = next((name for name in wanted if name in header.names), None)
    if name is None:
        raise ReadError(
            f"{header.place}: there is no column of {what}; name it '{wanted[0]}', as in "
            f"'timestamp_s,domain,energy_uj,max_energy_range_uj'; log with: {_COMMAND}"
        )
    return header.column(name)


def _sources(name: str, block: Block, row: int, key: int, energy: int, limit: int | None) -> list[Source]:
    """How the counter of a zone is read: its boundary, and the range at which it wraps."""
    from tco.errors import ReadError
    from tco.readers import values
    from tco.readers.channels import Source

    zone = zone_of(name)
    if zone is None:
        what = "is a path, which does not say what it measures" if _PATH.fullmatch(name) else "is not a zone of RAPL"
        raise ReadError(
            f"{block.place(row, key)}: '{name}' {what}; write the name that stands in its file 'name', such as "
            "'package-0' or 'dram'"
        )
    range_j = None
    if limit is not None:
        number = values.number(block.text(row, limit), "uJ", block.place(row, limit))
        if number == number:
            if number <= 0:
                raise ReadError(f"{block.place(row, limit)}: a range of {number:g} uJ is not above zero")
            range_j = number * 1e-6
    return [
        Source(
            name,
            energy,
            "uJ",
            1e-6,
            zone.boundary,
            zone.most_w,
            is_counter=True,
            range_j=range_j,
        )
    ]


READER = Rapl()
