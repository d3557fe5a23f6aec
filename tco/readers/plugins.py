"""The readers that there are: our own, and those that other packages add as entry points."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from tco.errors import ReadError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable
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
    "caraml": "tco.readers.caraml:READER",
    "codecarbon": "tco.readers.codecarbon:READER",
    "carbontracker": "tco.readers.carbontracker:READER",
    "eco2ai": "tco.readers.eco2ai:READER",
    "zeus": "tco.readers.zeus:READER",
    "slurm": "tco.readers.slurm:READER",
    "ranks": "tco.readers.ranks:READER",
    "perun": "tco.readers.perun:READER",
    "inferencex": "tco.readers.inferencex:READER",
    "ai-energy-score": "tco.readers.energy_score:READER",
    "focus": "tco.readers.focus:READER",
    "calculon": "tco.readers.simulators.calculon:READER",
    "llm-analysis": "tco.readers.simulators.llm_analysis:READER",
    "simai": "tco.readers.simulators.simai:READER",
    "astra-sim": "tco.readers.simulators.astra_sim:READER",
    "llmservingsim": "tco.readers.simulators.llmservingsim:READER",
    "vtrain": "tco.readers.simulators.vtrain:READER",
    "deepflow": "tco.readers.simulators.deepflow:READER",
    "kineto": "tco.readers.simulators.kineto:READER",
    "chakra": "tco.readers.simulators.chakra:READER",
    "nsys": "tco.readers.simulators.nsys:READER",
    "table": "tco.readers.table:READER",
    "dcgm": "tco.readers.dcgm:READER",
    "kepler": "tco.readers.kepler:READER",
    "scaphandre": "tco.readers.scaphandre:READER",
    "prometheus": "tco.readers.prometheus:READER",
    "nvidia-smi-dmon": "tco.readers.dmon:READER",
    "nvidia-smi-xml": "tco.readers.nvidia_smi_xml:READER",
    "rocm-smi": "tco.readers.rocm_smi:READER",
    "amd-smi": "tco.readers.amd_smi:READER",
    "rapl": "tco.readers.rapl:READER",
    "ipmi-dcmi": "tco.readers.ipmi:READER",
    "redfish": "tco.readers.redfish:READER",
    "turbostat": "tco.readers.turbostat:READER",
    "perf": "tco.readers.perf:READER",
    "wandb": "tco.readers.wandb:READER",
    "archer2-usage": "tco.readers.archer2:READER",
    "csv": "tco.readers.columns_csv:READER",
}


class Found(NamedTuple):
    """A reader, and what was wrong with others."""

    reader: Reader
    faults: tuple[str, ...]


def own() -> list[Reader]:
    """Our own readers."""
    return [_load(target) for target in OWN.values()]


def _load(target: str) -> Reader:
    module, _, name = target.partition(":")
    reader: Reader = getattr(import_module(module), name)
    return reader


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
    if name in OWN:
        return Found(_load(OWN[name]), ())
    added, faults = others()
    readers = own() + added
    for reader in readers:
        if reader.name == name:
            return Found(reader, tuple(faults))
    known = ["run", *(reader.name for reader in readers)]
    raise ReadError(
        f"there is no reader '{name}'{did_you_mean(name, known)} (readers: {', '.join(known)})" + _and(faults)
    )


def most_confident(path: Path) -> Found | None:
    """The reader that is surest of a file; None where none knows it."""
    best, confidence = _surest(map(_load, OWN.values()), path, [])
    faults: list[str] = []
    if confidence < 1:
        added, faults = others()
        other, more = _surest(added, path, faults)
        if more > confidence:
            best = other
    return None if best is None else Found(best, tuple(faults))


def _surest(readers: Iterable[Reader], path: Path, faults: list[str]) -> tuple[Reader | None, float]:
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
        if confidence >= 1:  # nobody can be surer, so that the others need not be loaded
            break
    return best, confidence


def looked_for() -> str:
    """The formats that there are, for a message."""
    return f"{', '.join(reader.name for reader in own() + others()[0])} (what they read: tco readers)"


class Listed(NamedTuple):
    """A reader with where it comes from."""

    name: str
    title: str
    boundary: str
    package: str
    version: str | None


def listed() -> tuple[list[Listed], list[str]]:
    """All readers with the package that each comes from, and a sentence for each that cannot be loaded."""
    from importlib.metadata import entry_points

    from tco import __version__

    found = [Listed(r.name, r.title, r.boundary, "tco-carbon", __version__) for r in own()]
    names = {each.name for each in found}
    faults = []
    for point in entry_points(group=GROUP):
        if OWN.get(point.name) == point.value:
            continue
        try:
            reader = point.load()
            package = point.dist
            name, version = (package.name, package.version) if package is not None else ("unknown", None)
            found.append(Listed(reader.name, reader.title, reader.boundary, name, version))
            if reader.name in names:
                faults.append(
                    f"the reader '{reader.name}' of {name} has the name of another one and is never taken by it"
                )
            names.add(reader.name)
        except Exception as error:  # a stranger's module may raise anything
            faults.append(f"the reader '{point.name}' ({point.value}) cannot be loaded: {error}")
    return found, faults


def _and(faults: list[str]) -> str:
    return "".join(f"; {fault}" for fault in faults)
