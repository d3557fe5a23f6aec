"""What ``nvidia-smi -q -x`` prints, once or again and again (``-l``).

Driver 535 renamed ``power_readings`` to ``gpu_power_readings`` and added ``module_power_readings``; later ones split
``power_draw`` into an average and an instant one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.readers.trace import Channel
    from tco.records.run import Boundary, Run, Warning_

_ROOT = "nvidia_smi_log"
_END = f"</{_ROOT}>"
#: Groups of readings and their boundary, and in a group the readings, the preferred ones first.
_GROUPS: tuple[tuple[str, Boundary], ...] = (
    ("gpu_power_readings", "gpu_board"),
    ("power_readings", "gpu_board"),
    ("module_power_readings", "module"),
)
_DRAWS = ("power_draw", "average_power_draw", "instant_power_draw")


class NvidiaSmiXml:
    """Reads the XML of nvidia-smi."""

    name = "nvidia-smi-xml"
    title = "nvidia-smi -q -x"
    boundary = "GPU board; module for module_power_readings"

    def sniff(self, path: Path) -> float:
        """Whether it begins like the XML of nvidia-smi."""
        from tco.readers.blocks import first_bytes

        head = first_bytes(path)
        if _ROOT.encode() in head[:1024]:
            return 1.0
        return 0.9 if head.lstrip().startswith(b"<gpu ") and b"power_readings>" in head else 0.0

    def trace(self, path: Path, options: ReadOptions) -> list[Channel]:
        """One channel for each GPU, and one for each module that shows its power."""
        from tco.readers.build import selected

        return selected(_channels(path, options)[0], options, path)

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run with an energy, or the power of one moment, for each GPU and module."""
        from tco.readers.build import run_of, with_digest
        from tco.records.run import Device

        models: dict[str, str] = {}
        notes: list[Warning_] = []

        def _trace() -> list[Channel]:
            from tco.readers.build import selected

            channels, names, warnings = _channels(path, options)
            models.update(names)
            notes.extend(warnings)
            return selected(channels, options, path)

        channels, digest = with_digest(path, _trace)
        kinds: dict[str | None, list[str]] = {}
        for name in dict.fromkeys(channel.id.removeprefix("module:") for channel in channels):
            kinds.setdefault(models.get(name), []).append(name)
        devices = [Device(kind="gpu", model=model, count=len(ids), ids=tuple(ids)) for model, ids in kinds.items()]
        return [run_of(path, digest, channels, options, tool="nvidia-smi", devices=devices, warnings=notes)]


def _documents(path: Path) -> Iterator[tuple[int, ElementTree.Element]]:
    """The documents of a file, each with the line where it begins."""
    from tco.errors import ReadError
    from tco.readers.small import text_of

    text = text_of(path, "log with --query-gpu=timestamp,index,name,power.draw --format=csv instead")
    at, line = 0, 1
    while at < len(text):
        stop = text.find(_END, at)
        piece = text[at : stop + len(_END)] if stop >= 0 else text[at:]
        if piece.strip():
            if "<!ENTITY" in piece:
                raise ReadError(f"{path}:{line}: declares entities, which nvidia-smi does not")
            try:
                yield line, ElementTree.fromstring(piece.strip())
            except (ElementTree.ParseError, ValueError) as error:
                row = error.position[0] - 1 if isinstance(error, ElementTree.ParseError) else 0
                lead = piece[: len(piece) - len(piece.lstrip())].count("\n")
                raise ReadError(
                    f"{path}:{line + lead + row}: is not XML of nvidia-smi: {error}; the file may have been cut off"
                ) from None
        line += piece.count("\n")
        at += max(1, len(piece))


def _channels(path: Path, options: ReadOptions) -> tuple[list[Channel], dict[str, str], list[Warning_]]:
    import numpy as np

    from tco.errors import ReadError
    from tco.readers.ctime import Moments
    from tco.readers.series import Series, channel_of
    from tco.records.run import Warning_

    moments = Moments(path, options.time_zone)
    samples: dict[tuple[str, Boundary], list[tuple[float, float, str]]] = {}
    models: dict[str, str] = {}
    instances: set[str] = set()
    for line, root in _documents(path):
        place = f"{path}:{line}"
        gpus = [root] if root.tag == "gpu" else root.findall("gpu")
        if not gpus:
            raise ReadError(f"{place}: is not XML of nvidia-smi -q -x: it has no 'gpu'")
        time = moments.seconds(root.findtext("timestamp"), place)
        for number, gpu in enumerate(gpus):
            name = _id(gpu, number)
            models[name] = (gpu.findtext("product_name") or "").strip()
            if gpu.find("mig_devices/mig_device") is not None:
                instances.add(name)
            for boundary, watts in _powers(gpu, place):
                samples.setdefault((name, boundary), []).append((time, watts, place))
    channels = []
    boards = {name for name, boundary in samples if boundary == "gpu_board"}
    for (name, boundary), each in samples.items():
        times, powers = np.array([s[0] for s in each]), np.array([s[1] for s in each])
        if boundary == "module" and (np.isnan(powers).all() or options.boundary is not None):
            continue
        label = f"module:{name}" if boundary == "module" and name in boards else name
        places = tuple(s[2] for s in each)
        channels.append(channel_of(Series(label, times, powers, boundary, places, moments.origin), options))
    if not channels:
        raise ReadError(f"{path}: none of its GPUs has 'power_readings'; the driver does not show their power")
    notes = [
        Warning_(
            code="one-power-many-instances",
            message=f"channel '{name}': is cut into MIG instances; its power is that of the whole GPU",
            where=path.name,
        )
        for name in sorted(instances)
    ]
    return channels, {name: model for name, model in models.items() if model}, notes


def _id(gpu: ElementTree.Element, number: int) -> str:
    """What tells a GPU: the number of its device file, else its place in the list."""
    minor = (gpu.findtext("minor_number") or "").strip()
    return minor if minor.isdecimal() else str(number)


def _powers(gpu: ElementTree.Element, place: str) -> Iterator[tuple[Boundary, float]]:
    """The power at each boundary, NaN where it is missing."""
    from tco.readers import values

    seen: set[Boundary] = set()
    for group, boundary in _GROUPS:
        readings = gpu.find(group)
        if readings is None or boundary in seen:
            continue
        seen.add(boundary)
        power = float("nan")
        for draw in _DRAWS:
            text = readings.findtext(draw)
            if text is not None and power != power:
                power = values.number(text, "W", values.Place(place, None, f"{group}.{draw}"))
        yield boundary, power


READER = NvidiaSmiXml()
