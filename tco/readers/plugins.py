"""The readers that there are: our own, and those that other packages add as entry points."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from tco.errors import ReadError, did_you_mean

if TYPE_CHECKING:
    from pathlib import Path

    from tco.readers.base import Reader

GROUP = "tco.readers"
#: Our own readers, as pyproject.toml declares them; listed here because looking for entry points takes 50 ms.
OWN = {
    "jpwr": "tco.readers.jpwr:READER",
    "nvidia-smi": "tco.readers.nvidia_smi:READER",
    "mlperf-inference": "tco.readers.mlperf.inference:READER",
    "mlperf-training": "tco.readers.mlperf.training:READER",
    "mlperf-tiny": "tco.readers.mlperf.tiny:READER",
    "table": "tco.readers.table:READER",
    "dcgm": "tco.readers.dcgm:READER",
    "kepler": "tco.readers.kepler:READER",
}


class Found(NamedTuple):
    """A reader, and what was wrong with others."""

    reader: Reader
    faults: tuple[str, ...]


def own() -> list[Reader]:
    """Our own readers."""
    readers: list[Reader] = []
    for target in OWN.values():
        module, _, name = target.partition(":")
        readers.append(getattr(import_module(module), name))
    return readers


def others() -> tuple[list[Reader], list[str]]:
    """Readers of other packages, and a sentence for each that cannot be loaded."""
    from importlib.metadata import entry_points

    readers: list[Reader] = []
    faults: list[str] = []
    for point in entry_points(group=GROUP):
        if OWN.get(point.name) == point.value:
            continue
        try:
            readers.append(point.load())
        except Exception as error:  # a stranger's module may raise anything
            faults.append(f"the reader '{point.name}' ({point.value}) cannot be loaded: {error}")
    return readers, faults


def by_name(name: str) -> Found:
    """The reader of this name.

    Raises
    ------
    ReadError
        If there is none.
    """
    readers = own()
    faults: list[str] = []
    if name not in OWN:
        added, faults = others()
        readers += added
    for reader in readers:
        if reader.name == name:
            return Found(reader, tuple(faults))
    known = ["run", *(reader.name for reader in readers)]
    raise ReadError(
        f"there is no reader '{name}'{did_you_mean(name, known)} (readers: {', '.join(known)})" + _and(faults)
    )


def most_confident(path: Path) -> Found | None:
    """The reader that is surest of a file; None where none knows it."""
    best, confidence = _surest(own(), path, [])
    faults: list[str] = []
    if confidence < 1:
        added, faults = others()
        other, more = _surest(added, path, faults)
        if more > confidence:
            best = other
    return None if best is None else Found(best, tuple(faults))


def _surest(readers: list[Reader], path: Path, faults: list[str]) -> tuple[Reader | None, float]:
    best: Reader | None = None
    confidence = 0.0
    for reader in readers:
        try:
            sure = reader.sniff(path)
        except Exception as error:  # a stranger's module may raise anything
            faults.append(f"the reader '{reader.name}' cannot look at the file: {error}")
            continue
        if sure > confidence:
            best, confidence = reader, sure
    return best, confidence


def looked_for() -> str:
    """What the readers read, for a message."""
    return "; ".join(f"{reader.title} (--as {reader.name})" for reader in own() + others()[0])


def _and(faults: list[str]) -> str:
    return "".join(f"; {fault}" for fault in faults)
