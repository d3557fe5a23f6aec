"""Accounting of Slurm, ``sacct -P``: the row of each allocation, and never its steps, which repeat the same joules."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.readers.rows import Row
    from tco.readers.values import Place
    from tco.records.run import Run, Warning_

_COMMAND = (
    "sacct -X -P --units=N --format=JobID,JobName,Cluster,State,ElapsedRaw,Start,End,NNodes,AllocTRES,ConsumedEnergyRaw"
)
_JOB = re.compile(r"(\d+(?:_(?:\d+|\[[^\]]*\]))?(?:\+\d+)?)(?:\.(.+))?")
_SUFFIXED = re.compile(r"(\d{1,30}(?:\.\d{0,30})?)([KMGTP]?)", re.ASCII)
#: Suffixes of ConsumedEnergy are decimal (sacct, print_fields of the energy columns).
_SUFFIXES = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
_ELAPSED = re.compile(r"(?:(\d{1,6})-)?(?:(\d{1,6}):)?(\d{1,6}):(\d\d(?:\.\d{1,9})?)", re.ASCII)
#: NO_VAL and INFINITE of slurm/slurm.h: no value was collected. NO_VAL64 and INFINITE64 are next to 2**64.
_NO_VALUE = frozenset({2.0**32 - 2, 2.0**32 - 1})
_NO_VALUE_64 = 2.0**63
_GPU = re.compile(r"gres/gpu(?::(.+))?")
_SLICE = re.compile(r"\d+g\.\d+gb", re.IGNORECASE)
_NO_TIME = ("Unknown", "None", "N/A", "")


class Slurm:
    """Reads what ``sacct -P`` prints."""

    name = "slurm"
    title = "sacct -P of Slurm"
    boundary = "nodes, DC (pm_counters, IPMI), unless the site measures with another plug-in"

    def sniff(self, path: Path) -> float:
        """Whether the first line has columns of sacct between bars."""
        from tco.readers.blocks import first_line

        names = first_line(path).split("|")
        if "JobID" not in names:
            return 0.0
        return 1.0 if any(name.startswith(("Elapsed", "ConsumedEnergy")) for name in names) else 0.6

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run for each allocation."""
        from tco.errors import ReadError

        jobs = _jobs(path)
        if not jobs:
            raise ReadError(f"{path}: has no jobs; list them with: {_COMMAND}")
        parts: dict[str, int] = {}
        for job in jobs:
            parts[_family(job.id)] = parts.get(_family(job.id), 0) + 1
        return [_run(path, job, options, parts) for job in jobs]


class _Job(NamedTuple):
    """One allocation: its row, or its steps where that row is not in the file."""

    id: str
    row: Row | None
    steps: list[Row]
    again: bool


def _family(job: str) -> str:
    """The job that a component of a heterogeneous job belongs to."""
    return job.partition("+")[0]


def _jobs(path: Path) -> list[_Job]:
    from tco.errors import ReadError
    from tco.readers.rows import rows

    found: list[_Job] = []
    latest: dict[str, int] = {}  # position of the last allocation of each job
    for row in rows(path, separator="|", required=("JobID",)):
        match = _JOB.fullmatch(row.cells["JobID"])
        if match is None:
            raise ReadError(
                f"{row.place('JobID')}: '{row.cells['JobID']}' is not a job such as 1234, 1234_5, 1234+0 or 1234.batch"
            )
        key, is_step = match[1], match[2] is not None
        job = found[latest[key]] if key in latest else None
        if is_step and job is not None:
            job.steps.append(row)
        elif job is not None and job.row is None:
            found[latest[key]] = job._replace(row=row)
        else:  # a job that is new, or that was requeued and is listed again
            latest[key] = len(found)
            found.append(_Job(key, None if is_step else row, [row] if is_step else [], again=job is not None))
    return found


def _run(path: Path, job: _Job, options: ReadOptions, parts: dict[str, int]) -> Run:
    from tco.readers.making import evidence, make_run, seconds, span
    from tco.records.run import Tool

    row = job.row or job.steps[0]
    where = f"{path}:{row.line}"
    warnings: list[Warning_] = []
    elapsed = _elapsed(row) if job.row is not None else max(_elapsed(step) or 0.0 for step in job.steps) or None
    energy = None if job.row is None else _energy(job.row, elapsed, warnings, where)
    _warn_of(job, parts, warnings, where)
    start, end = _time(row, "Start"), _time(row, "End")
    when = span(start, end, elapsed, options.time_zone, where)
    tres = _tres(row.text("AllocTRES"))
    nodes = row.number("NNodes", at_least=0) or row.number("AllocNodes", at_least=0) or tres.get("node")
    readings: list[dict[str, Any]] = []
    if energy is not None:
        readings.append(
            {
                "boundary": options.boundary or "node_dc",
                "value": energy,
                "unit": "J",
                "rule": "allocation_row",
                "method": "counter",
                "source": path.name,
            }
        )
        if options.boundary is None:
            _boundary_note(path, warnings)
    return make_run(
        where,
        name=job.id,
        tool=Tool(name="slurm"),
        start=when.start,
        end=when.end,
        duration=seconds(elapsed),
        nodes=nodes or None,
        devices=_devices(tres, nodes, warnings, where),
        energy=readings,
        results=_results(job),
        provenance=evidence(path),
        warnings=[*warnings, *when.warnings],
    )


def _boundary_note(path: Path, warnings: list[Warning_]) -> None:
    from tco.records.run import Warning_

    warnings.append(
        Warning_(
            code="boundary-by-plugin",
            message="sacct does not say where the site measures; taken as whole nodes behind their power supplies "
            "(node_dc). State cpu_package where it is the RAPL plug-in, gpu_board where it is the GPU plug-in",
            where=str(path),
        )
    )


def _elapsed(row: Row) -> float | None:
    """Elapsed seconds: ElapsedRaw, else Elapsed as ``[days-]hours:minutes:seconds``."""
    from tco.errors import ReadError

    raw = row.number("ElapsedRaw", at_least=0)
    if raw is not None:
        return None if _is_no_value(raw) else raw
    text = row.text("Elapsed")
    if text is None or text in ("INVALID", "Partition_Limit"):
        return None
    match = _ELAPSED.fullmatch(text)
    if match is None:
        raise ReadError(f"{row.place('Elapsed')}: '{text}' is not a time such as '1-02:03:04'")
    days, hours, minutes, rest = (float(part or 0) for part in match.groups())
    return days * 86400 + hours * 3600 + minutes * 60 + rest


def _energy(row: Row, elapsed: float | None, warnings: list[Warning_], where: str) -> float | None:
    """The joules of an allocation; None where they were not collected."""
    from tco.records.run import Warning_

    readings = _readings(row)
    if not readings:
        warnings.append(
            Warning_(
                code="energy-missing",
                message="the energy of this job was not collected (empty, or the number that stands for no value); it "
                "is not known, which is not zero",
                where=where,
            )
        )
        return None
    column, energy, step = readings[0]
    if energy == 0 and elapsed:
        warnings.append(
            Warning_(
                code="energy-missing",
                message=f"'{column}' is 0 J for {elapsed:g} s: the energy was not collected; it is not known",
                where=where,
            )
        )
        return None
    for other, value, its_step in readings[1:]:
        if abs(value - energy) > max(step, its_step):
            warnings.append(
                Warning_(
                    code="energies-differ",
                    message=f"'{other}' is {value:g} J, '{column}', which is used, {energy:g} J",
                    where=where,
                )
            )
    return energy


def _readings(row: Row) -> list[tuple[str, float, float]]:
    """Column, joules and half a step of its last digit, the best column first; those without a value left out."""
    found = []
    raw = row.number("ConsumedEnergyRaw", at_least=0)
    if raw is not None and not _is_no_value(raw):
        found.append(("ConsumedEnergyRaw", raw, 0.5))
    text = row.text("ConsumedEnergy")
    if text is not None:
        value, step = _suffixed(text, row.place("ConsumedEnergy"))
        if not _is_no_value(value):
            found.append(("ConsumedEnergy", value, step))
    allocated = _tres(row.text("AllocTRES")).get("energy")
    if allocated is not None and not _is_no_value(allocated):
        found.append(("AllocTRES", allocated, 0.5))
    return found


def _is_no_value(value: float) -> bool:
    """Whether a number stands for no value, also where it was rounded (``18446744.07T``)."""
    return value in _NO_VALUE or value >= _NO_VALUE_64


def _suffixed(text: str, place: Place) -> tuple[float, float]:
    from tco.errors import ReadError

    match = _SUFFIXED.fullmatch(text)
    if match is None:
        raise ReadError(f"{place}: '{text}' is not an energy such as '101.63K' (J, K is 1,000)")
    factor = _SUFFIXES[match[2]]
    digits = len(match[1].partition(".")[2])
    return float(match[1]) * factor, 0.5 * factor / 10**digits


def _time(row: Row, column: str) -> Any:
    from tco.readers.making import stamp

    text = row.cells.get(column, "")
    return None if text in _NO_TIME else stamp(text, row.place(column))


def _tres(text: str | None) -> dict[str, float]:
    """Trackable resources: ``cpu=8,gres/gpu:h100=8,mem=1840000M,node=2``; those with a unit left out."""
    import math

    found = {}
    for part in (text or "").split(","):
        name, _, value = part.partition("=")
        try:
            number = float(value)
        except ValueError:
            continue
        if math.isfinite(number) and number >= 0:
            found[name.strip()] = number
    return found


def _devices(tres: dict[str, float], nodes: float | None, warnings: list[Warning_], where: str) -> list[dict[str, Any]]:
    from tco.records.run import Warning_

    devices: list[dict[str, Any]] = []
    gpus = {match[1]: count for name, count in tres.items() if (match := _GPU.fullmatch(name)) and count > 0}
    typed = {model: count for model, count in gpus.items() if model}
    for model, count in (typed or gpus).items():  # gres/gpu is the sum of gres/gpu:<type>
        devices.append({"kind": "gpu", "model": model, "count": count})
        if model and _SLICE.search(model):
            warnings.append(
                Warning_(
                    code="device-slices",
                    message=f"{count:g} of '{model}' are slices of a GPU, not whole ones",
                    where=where,
                )
            )
    if nodes:
        devices.append({"kind": "node", "count": nodes})
    return devices


def _warn_of(job: _Job, parts: dict[str, int], warnings: list[Warning_], where: str) -> None:
    from tco.records.run import Warning_

    def _warn(code: str, message: str) -> None:
        warnings.append(Warning_(code=code, message=message, where=where))

    state = (job.row or job.steps[0]).text("State") or ""
    if job.row is None:
        _warn(
            "no-allocation-row",
            "the file has steps of this job and not its own row; steps repeat each other's joules and are not read. "
            f"List allocations with: {_COMMAND}",
        )
    elif job.steps:
        _warn("steps-left-out", f"{len(job.steps)} steps repeat the energy of the job and are not added")
    if state.startswith(("RUNNING", "PENDING", "SUSPENDED", "COMPLETING")):
        _warn("not-finished", f"the job is {state}; time and energy are those so far")
    if job.again:
        _warn("listed-again", "the job is listed more than once: it was requeued; each is a run of its own")
    if "+" in job.id:
        _warn(
            "component",
            f"this is one component of the heterogeneous job {_family(job.id)}"
            + (f", of {parts[_family(job.id)]} in the file" if parts[_family(job.id)] > 1 else "")
            + "; the job is all of them together",
        )
    if "[" in job.id:
        _warn("component", "these are tasks of an array that have not started")


def _results(job: _Job) -> list[dict[str, Any]]:
    """What the steps say, so that nothing is lost."""
    found: list[dict[str, Any]] = []
    steps: Sequence[Row] = job.steps if job.row is not None else ()
    for step in steps[:50]:
        raw = step.number("ConsumedEnergyRaw", at_least=0)
        if raw is not None and not _is_no_value(raw):
            name = f"energy of step {step.cells['JobID']}"
            found.append({"name": name, "value": raw, "unit": "J", "note": "within the energy of the job"})
    return found


READER = Slurm()
