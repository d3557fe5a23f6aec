"""What models of time and power need: peaks, rules of thumb, powers at rest, shares; and measured steps of training."""

from __future__ import annotations

import csv
import math
from functools import lru_cache
from typing import NamedTuple

from tco.catalog.tables import table
from tco.errors import RecordError, did_you_mean
from tco.knowledge import folder
from tco.provenance import Source
from tco.records.base import Record, validate
from tco.records.figure import Figure


def _figure(name: str, *path: str) -> Figure:
    figures = table(*path)
    file = "/".join(("catalog", *path))
    if name not in figures:
        raise RecordError(f"{file}: there is no '{name}'{did_you_mean(name, figures)} (known: {', '.join(figures)})")
    return validate(Figure, figures[name], f"{file}: {name}")


@lru_cache(maxsize=64)
def peak(accelerator: str) -> Figure | None:
    """Dense peak of an accelerator in FP16 or BF16; None where none is published."""
    return (
        _figure(accelerator, "performance", "peaks.toml") if accelerator in table("performance", "peaks.toml") else None
    )


@lru_cache(maxsize=16)
def baseline(name: str) -> Figure:
    """A number of the rules of thumb, such as ``6nd.utilisation``.

    Raises
    ------
    RecordError
        If there is none; the message lists those there are.
    """
    return _figure(name, "performance", "baselines.toml")


@lru_cache(maxsize=64)
def idle_power(accelerator: str) -> Figure | None:
    """Power of a board at rest; None where nobody measured it."""
    return _figure(accelerator, "power", "idle.toml") if accelerator in table("power", "idle.toml") else None


@lru_cache(maxsize=16)
def power(name: str) -> Figure:
    """A coefficient of the power models, such as ``power.node_share``.

    Raises
    ------
    RecordError
        If there is none; the message lists those there are.
    """
    return _figure(name, "power", "models.toml")


def network_energy_share(devices: float) -> Figure:
    """Share of the network in the energy of nodes and network, measured at the nearest number of devices."""
    start = "network.energy_share."
    counts = [int(name.removeprefix(start)) for name in table("power", "models.toml") if name.startswith(start)]
    nearest = min(counts, key=lambda count: abs(math.log(count / devices)))
    return power(f"{start}{nearest}")


class MeasuredStep(NamedTuple):
    """One measured step of training; what is not published is None.

    Attributes
    ----------
    id
        As in the stored pairs.
    place
        File and line.
    measured_s
        Time of the step in s.
    """

    id: str
    place: str
    model: str
    devices: int
    tensor: int
    pipeline: int
    data: int
    global_batch: int
    micro_batch: int | None
    sequence: int
    vocabulary: int
    hidden: int
    layers: int
    heads: int
    interleave: int | None
    recompute: str | None
    sequence_parallel: bool | None
    measured_s: float


class MeasuredSet(NamedTuple):
    """Measured steps of one publication."""

    id: str
    title: str
    accelerator: str
    precision: str
    note: str
    source: Source
    steps: tuple[MeasuredStep, ...]


class _SetRecord(Record):
    title: str
    accelerator: str
    precision: str
    note: str = ""
    source: Source


def measured_sets() -> tuple[str, ...]:
    """Ids of the sets of measured steps."""
    return tuple(table("workloads", "sets.toml"))


@lru_cache(maxsize=16)
def measured_set(name: str) -> MeasuredSet:
    """A set of measured steps.

    Raises
    ------
    RecordError
        If there is none of that name; the message lists those there are.
    """
    known = measured_sets()
    if name not in known:
        raise RecordError(f"there is no set of measured steps '{name}'{did_you_mean(name, known)} ({', '.join(known)})")
    record = validate(_SetRecord, table("workloads", "sets.toml")[name], f"catalog/workloads/sets.toml: {name}")
    place = f"catalog/workloads/{name}.csv"
    rows = csv.DictReader(folder("catalog").joinpath("workloads", f"{name}.csv").read_text("utf-8").splitlines())

    def whole(text: str) -> int | None:
        return int(text) if text else None

    steps = tuple(
        MeasuredStep(
            id=row["id"],
            place=f"{place}:{rows.line_num}",
            model=row["model"],
            micro_batch=whole(row["micro_batch"]),
            interleave=whole(row["interleave"]),
            recompute=row["recompute"] or None,
            sequence_parallel={"yes": True, "no": False}.get(row["sequence_parallel"]),
            measured_s=float(row["measured_s"]),
            **{field: int(row[field]) for field in _WHOLE},
        )
        for row in rows
    )
    fields = (record.title, record.accelerator, record.precision, record.note, record.source)
    return MeasuredSet(name, *fields, steps)


_WHOLE = (
    "devices",
    "tensor",
    "pipeline",
    "data",
    "global_batch",
    "sequence",
    "vocabulary",
    "hidden",
    "layers",
    "heads",
)
