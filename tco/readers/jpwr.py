"""Files of jpwr: power traces and energies.

jpwr samples in pairs, a tenth of a second apart and then next to nothing, so that the number of samples says nothing
of the time. Its own energies are right rectangles, ``P[i] * (t[i] - t[i-1])``.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.readers.trace import Channel
    from tco.records.run import Boundary, Device, Run, Warning_

_TRACE_START = ",timestamps,"
_ENERGY_START = ",0"
_HDF5_KEY = "jpwr"
_HDF5 = b"\x89HDF\r\n\x1a\n"
_SOCKET = re.compile(r"gh:(\w+)\D*(\d*)$")
#: Channels of a Grace-Hopper module, from the outside in.
_LAYERS = {"Module": 0, "Grace": 1, "CPU": 2, "SysIO": 2}


class _Kind(NamedTuple):
    boundary: Boundary | None
    device: str | None


_METHODS: Mapping[str, _Kind] = {
    "pynvml": _Kind("gpu_board", "gpu"),
    "rocm": _Kind("gpu_board", "gpu"),
    "gc": _Kind("gpu_board", "ipu"),
}


def _boundary(channel: str) -> Boundary | None:
    socket = _SOCKET.match(channel)
    if socket:
        return "module" if socket[1] == "Module" else "cpu_package" if socket[1] in ("Grace", "CPU") else None
    return _METHODS.get(channel.partition(":")[0], _Kind(None, None)).boundary


def _nested(channels: Sequence[str]) -> dict[str, str]:
    """The Grace-Hopper channels that lie within another one, and that one."""
    sockets = {name: match for name in channels if (match := _SOCKET.match(name)) and match[1] in _LAYERS}
    found = {}
    for name, match in sockets.items():
        around = [other for other, its in sockets.items() if its[2] == match[2] and _LAYERS[its[1]] < _LAYERS[match[1]]]
        if around:
            found[name] = min(around, key=lambda other: _LAYERS[sockets[other][1]])
    return found


class Jpwr:
    """Reads what jpwr writes, as CSV or as HDF5."""

    name = "jpwr"
    title = "jpwr power or energy table"
    boundary = "GPU board (pynvml, rocm), IPU board (gc), or Grace-Hopper module (gh)"

    def sniff(self, path: Path) -> float:
        """Whether the first line is that of a jpwr table."""
        from tco.readers.blocks import first_bytes, first_line

        line = first_line(path)
        if line.startswith(_TRACE_START):
            return 1.0
        if line == _ENERGY_START:
            return 1.0
        return 0.9 if _is_hdf5(path, first_bytes(path)) else 0.0

    def trace(self, path: Path, options: ReadOptions) -> list[Channel]:
        """The channels of a power table."""
        from tco.errors import ReadError
        from tco.readers.blocks import first_bytes, first_line, read_header, unfinished_line
        from tco.readers.build import selected
        from tco.readers.channels import EPOCH, Clock, Source, channels_in_columns

        if _is_hdf5(path, first_bytes(path)):
            return selected(_hdf5_channels(path, options), options, path)
        if first_line(path) == _ENERGY_START:
            raise ReadError(f"{path}: holds energies, not powers over time; name the file 'power...' of the same run")
        header = read_header(path)
        if header.names[:2] != ("", "timestamps") or len(header.names) < 3:
            raise ReadError(
                f"{path}:{header.line}: is not the first line of a jpwr power table, which is "
                "',timestamps,' and a column for each device, such as 'pynvml:0'"
            )
        last = unfinished_line(path)
        if last is not None:
            raise ReadError(
                f"{path}: the last line, '{last[:80]}', has no line end: the file was cut off while it was written; "
                "delete that line"
            )
        names = header.names[2:]
        nested = _nested(names)
        sources = [
            Source(name, header.column(name), boundary=_boundary(name), within=nested.get(name)) for name in names
        ]
        return selected(channels_in_columns(header, Clock(1, EPOCH), sources, options), options, path)

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run with an energy for each device."""
        from tco.readers.blocks import first_bytes, first_line
        from tco.readers.build import run_of, with_digest

        if first_line(path) == _ENERGY_START or _holds_energies(path, first_bytes(path)):
            return [_energy_run(path, options)]
        channels, digest = with_digest(path, lambda: self.trace(path, options))
        energies = {channel.id: channel.energy_j for channel in channels if channel.energy_j is not None}
        return [
            run_of(
                path,
                digest,
                channels,
                options,
                tool="jpwr",
                devices=_devices([channel.id for channel in channels]),
                warnings=_warnings(energies, "J", path),
            )
        ]


def _is_hdf5(path: Path, head: bytes) -> bool:
    return path.name.startswith(("power", "energy")) and head.startswith(_HDF5)


def _holds_energies(path: Path, head: bytes) -> bool:
    return _is_hdf5(path, head) and path.name.startswith("energy")


def _hdf5_channels(path: Path, options: ReadOptions) -> list[Channel]:
    """The channels of a power table that jpwr stored with pandas."""
    from tco.errors import ReadError
    from tco.readers.channels import EPOCH
    from tco.readers.hdf5 import frame
    from tco.readers.trace import Integrator, Times

    columns = frame(path, _HDF5_KEY)
    if path.name.startswith("energy"):
        raise ReadError(f"{path}: holds energies, not powers over time; name the file 'power...' of the same run")
    if "timestamps" not in columns or len(columns) < 2:
        raise ReadError(f"{path}: has no column 'timestamps' beside a column for each device; is it a power table?")
    times = Times(columns.pop("timestamps"))
    nested = _nested(list(columns))
    channels = []
    for name, power_w in columns.items():
        meter = Integrator(options.rule)
        meter.add(times, power_w, lambda row: f"{path}: sample {row}")
        boundary = options.boundary or _boundary(name)
        channels.append(meter.channel(name, boundary, origin=EPOCH, within=nested.get(name)))
    return channels


def _devices(channels: Sequence[str]) -> list[Device]:
    from tco.records.run import Device

    devices = []
    for kind in ("gpu", "ipu"):
        ids = [name for name in channels if _METHODS.get(name.partition(":")[0], _Kind(None, None)).device == kind]
        if ids:
            devices.append(Device.model_validate({"kind": kind, "count": len(ids), "ids": ids}))
    modules = [name for name in channels if _boundary(name) == "module"]
    if modules and not devices:  # a Grace-Hopper module holds one GPU
        devices.append(Device(kind="gpu", count=len(modules), ids=tuple(modules)))
    return devices


def _warnings(energies: Mapping[str, float], unit: str, path: Path) -> list[Warning_]:
    """Channels that are not added because another one holds them, and those that exceed what holds them."""
    from tco.records.run import Warning_

    found = []
    around = dict(_nested(list(energies)))
    for inner, outer in around.items():
        found.append(
            Warning_(
                code="nested-channel",
                message=f"'{inner}' ({energies[inner]:.6g} {unit}) lies within '{outer}' and is not added",
                where=path.name,
            )
        )
    modules = [name for name in energies if _boundary(name) == "module"]
    if modules:
        largest = max(modules, key=lambda name: energies[name])
        around |= {name: largest for name in energies if _boundary(name) == "gpu_board"}
    for inner, outer in around.items():
        if energies[inner] > energies[outer]:
            found.append(
                Warning_(
                    code="inner-above-outer",
                    message=f"'{inner}' ({energies[inner]:.6g} {unit}) is above '{outer}' "
                    f"({energies[outer]:.6g} {unit}), which should hold it; one of the two sensors is wrong",
                    where=path.name,
                )
            )
    return found


def _stored(path: Path) -> dict[str, float]:
    """Energies of an HDF5 file: of a series, or the last row of a table of counters; none of a CSV file."""
    from tco.readers.blocks import first_bytes
    from tco.readers.hdf5 import frame

    if not _is_hdf5(path, first_bytes(path)):
        return {}
    return {name: float(values[-1]) for name, values in frame(path, _HDF5_KEY).items() if len(values)}


def _energy_run(path: Path, options: ReadOptions) -> Run:
    """The energies that jpwr formed itself."""
    from tco.errors import ReadError
    from tco.files import sha256
    from tco.readers import values
    from tco.readers.blocks import small_table
    from tco.readers.build import no_such_channel, pick
    from tco.records.run import EnergyReading, Evidence, Run, Tool

    counter = path.name.startswith("energy_from_counter")
    energies: dict[str, float] = {}
    stored = _stored(path)
    for device, energy in stored.items():
        if energy < 0:
            raise ReadError(f"{path}: '{device}': an energy of {energy:g} Wh is below zero")
        energies[device] = energy
    for line, row in [] if stored else small_table(path, width=2)[1:]:
        place = values.Place(str(path), line, "0")
        energy = values.number(row[1], None, place)
        if energy < 0:
            raise ReadError(f"{place}: an energy of {energy:g} Wh is below zero")
        if row[0] in energies:
            raise ReadError(f"{place}: '{row[0]}' stands in two lines")
        energies[row[0]] = energy
    if options.devices is not None:
        chosen = [(wanted, pick(wanted, list(energies))) for wanted in options.devices]
        for wanted, name in chosen:
            if name is None:
                raise ReadError(f"{path}: {no_such_channel(wanted, list(energies))}")
        energies = {name: energies[name] for _, name in chosen if name is not None}
    valid = {name: energy for name, energy in energies.items() if not math.isnan(energy)}
    nested = _nested(list(valid))
    readings = [
        EnergyReading(
            value=energy,
            unit="Wh",
            rule="counter" if counter else "right_rectangle",
            method="counter" if counter else None,
            device=name,
            boundary=options.boundary or _boundary(name),
            source=path.name,
        )
        for name, energy in valid.items()
        if name not in nested
    ]
    return Run.model_validate(
        {
            "tool": Tool(name="jpwr"),
            "devices": _devices(list(energies)),
            "energy": readings,
            "provenance": [Evidence(file=path.name, sha256=sha256(path))],
            "warnings": _warnings(valid, "Wh", path),
        }
    )


READER = Jpwr()
