"""Result tables of CARAML, as JUBE prints them, and the energies that they point to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.readers.rows import Row
    from tco.records.run import Run, Warning_

_FIRST = "JobID"
_COMBINED_START = ",nodename,rank,"
_TOKENS, _IMAGES, _STEP = "Tokens/second", "Images/second", "Time/iteration(s)"
#: Accelerators that the operating system shows as two devices a card (AMD CDNA 2 white paper, "MI250 and MI250X").
_TWO_DIES = re.compile(r"MI250X?", re.IGNORECASE)
_IPU = re.compile(r"GC200|IPU", re.IGNORECASE)
#: Tokens in a sequence of the IPU benchmark (CARAML llm_benchmark_ipu.yaml, sequence_length); the table has no column.
_IPU_SEQUENCE = 1024
#: Below this a run time is a placeholder, which the IPU benchmark writes.
_SHORTEST_S = 2.0
#: Ranks that read one device a little apart in time differ by less than this.
_ALIKE = 0.05


class Caraml:
    """Reads a result table of CARAML, or a ``combined_energy.csv``."""

    name = "caraml"
    title = "result table of CARAML (JUBE), combined_energy.csv"
    boundary = "accelerator boards, where there is an energy file"

    def sniff(self, path: Path) -> float:
        """Whether the first line is that of such a table."""
        from tco.readers.blocks import first_line

        line = first_line(path)
        if line.startswith(_COMBINED_START):
            return 1.0
        return 1.0 if line.startswith(f"{_FIRST},System,") and "EnergyFile" in line else 0.0

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run for each row; the file may hold several tables."""
        from tco.errors import ReadError
        from tco.readers.blocks import first_line
        from tco.readers.rows import rows

        if first_line(path).startswith(_COMBINED_START):
            return [_combined_run(path, options)]
        runs = [_run(path, row, options) for row in rows(path, first=_FIRST, required=(_FIRST, "System", "Devices"))]
        if not runs:
            raise ReadError(f"{path}: has no rows; the benchmark has not finished")
        return runs


class _Energy(NamedTuple):
    """Energies in Wh by device, and what to say of them."""

    by_device: dict[str, float]
    nodes: int
    warnings: list[Warning_]


def _combined(path: Path) -> _Energy:
    """The table that joins the energies of all ranks: a row a rank, a column a device."""
    from tco.errors import ReadError
    from tco.readers.rows import rows
    from tco.records.run import Warning_

    found: dict[tuple[str, str], list[float]] = {}
    for row in rows(path, required=("nodename", "rank")):
        for column in list(row.cells)[3:]:
            energy = row.number(column, at_least=0)
            if energy is not None:
                found.setdefault((row.cells["nodename"], column), []).append(energy)
    if not found:
        raise ReadError(f"{path}: has no energy of any device")
    warnings = []
    several = {node for (node, _), energies in found.items() if len(energies) > 1}
    if several:
        differ = any(max(e) - min(e) > _ALIKE * max(e) for e in found.values() if len(e) > 1)
        warnings.append(
            Warning_(
                code="ranks-differ" if differ else "scope-assumed",
                message=f"several ranks of {', '.join(sorted(several)[:4])} measured the same devices; each device is "
                "counted once" + (", with the largest of figures that differ" if differ else ""),
                where=str(path),
            )
        )
    by_device = {f"{node}:{column}": max(energies) for (node, column), energies in found.items()}
    return _Energy(by_device, len({node for node, _ in found}), warnings)


def _readings(energy: _Energy, options: ReadOptions, source: str) -> list[dict[str, Any]]:
    return [
        {
            "boundary": options.boundary or "gpu_board",
            "value": value,
            "unit": "Wh",
            "rule": "right_rectangle",
            "device": device,
            "source": source,
        }
        for device, value in energy.by_device.items()
    ]


def _combined_run(path: Path, options: ReadOptions) -> Run:
    from tco.readers.making import evidence, make_run
    from tco.records.run import Tool

    energy = _combined(path)
    return make_run(
        str(path),
        name=path.stem,
        tool=Tool(name="caraml"),
        nodes=energy.nodes,
        devices=[{"kind": "accelerator", "count": len(energy.by_device), "ids": tuple(energy.by_device)}],
        energy=_readings(energy, options, path.name),
        provenance=evidence(path),
        warnings=energy.warnings,
    )


def _run(path: Path, row: Row, options: ReadOptions) -> Run:
    from tco.readers.making import evidence, make_run, seconds
    from tco.records.run import Tool

    where = f"{path}:{row.line}"
    warnings: list[Warning_] = []
    system = row.text("System")
    energy_file = _energy_file(path, row, warnings)
    energy = None if energy_file is None else _combined(energy_file)
    duration = _duration(row, where, warnings)
    files = [path] if energy_file is None else [path, energy_file]
    return make_run(
        where,
        name=" ".join(filter(None, (system, row.text("Model"), row.text("ModelSize"), row.text(_FIRST)))),
        tool=Tool(name="caraml", version=row.text("Version")),
        duration=seconds(duration),
        nodes=row.number("Nodes", at_least=0) or None,
        devices=_devices(row, system, where, warnings),
        work=_work(row, where, warnings),
        energy=[] if energy is None or energy_file is None else _readings(energy, options, energy_file.name),
        results=_results(row),
        provenance=evidence(*files),
        warnings=[*warnings, *(energy.warnings if energy else [])],
    )


def _energy_file(path: Path, row: Row, warnings: list[Warning_]) -> Path | None:
    """The file that the row points to, from where the table lies or from a folder further down its path."""
    from pathlib import PurePosixPath

    from tco.records.run import Warning_

    text = row.text("EnergyFile")
    if text is None:
        return None
    parts = PurePosixPath(text).parts
    if text.startswith(("/", "\\")) or ".." in parts or "\0" in text:
        message = f"'{text}' is not read: the path of an energy file is relative and leads downwards"
        warnings.append(Warning_(code="energy-file", message=message, where=str(row.place("EnergyFile"))))
        return None
    for skipped in range(len(parts)):
        file = path.parent.joinpath(*parts[skipped:])
        try:
            if file.is_file():
                return file
        except OSError:
            break  # a name that no file can have
    message = f"there is no '{text}', from where this table lies; its energy is not known, which is not zero"
    warnings.append(Warning_(code="energy-file", message=message, where=str(row.place("EnergyFile"))))
    return None


def _duration(row: Row, where: str, warnings: list[Warning_]) -> float | None:
    """Iterations x step time, else the run time in s; that in minutes is a limit which the benchmark is given."""
    from tco.records.run import Warning_

    step, iterations = row.number(_STEP, at_least=0), row.number("Iterations", at_least=0)
    if step and iterations:
        return step * iterations
    stated = row.number("Runtime(s)", at_least=0)
    if stated is not None and stated < _SHORTEST_S:
        message = f"a run time of {stated:g} s is a placeholder; the duration is not known"
        warnings.append(Warning_(code="placeholder", message=message, where=str(row.place("Runtime(s)"))))
        return None
    if stated is None:
        message = "the table does not say how long the run took ('JobTime' and 'Runtime(min)' are limits)"
        warnings.append(Warning_(code="no-duration", message=message, where=where))
    return stated


def _devices(row: Row, system: str | None, where: str, warnings: list[Warning_]) -> list[dict[str, Any]]:
    from tco.records.run import Warning_

    count = row.number("Devices", at_least=0)
    if not count:
        return []
    device: dict[str, Any] = {"kind": "gpu", "model": system, "count": count}
    if system and _IPU.search(system):
        device["kind"] = "ipu"
    if system and _TWO_DIES.search(system):
        device["cards"] = count / 2
        warnings.append(
            Warning_(
                code="dies-not-cards",
                message=f"{count:g} devices of {system} are dies, two a card: {count / 2:g} cards, which prices and "
                "embodied carbon are of",
                where=where,
            )
        )
    return [device]


def _work(row: Row, where: str, warnings: list[Warning_]) -> list[dict[str, Any]]:
    """The rate of work; of a rate of tokens that counts sequences, as sequences."""
    from tco.readers.sanity import rate_finding

    batch, step = row.number("GlobalBatchSize", at_least=0), row.number(_STEP, at_least=0)
    work: list[dict[str, Any]] = []
    for column, quantity, unit in ((_TOKENS, "tokens", "token"), (_IMAGES, "images", "image")):
        rate = row.number(column, at_least=0)
        if rate is None:
            continue
        entry: dict[str, Any] = {"quantity": quantity, "rate": {"value": rate, "unit": "1/s"}}
        if quantity == "tokens":
            entry["basis"] = "total"  # in training every token of a sequence is work
        if quantity == "tokens" and batch and step:
            found = rate_finding(rate, batch, row.number("SequenceLength", at_least=0), step, unit, where)
            if found is not None:
                warnings.append(found)
                if "sequences, not" in found.message:
                    entry = {"quantity": "sequences", "rate": entry["rate"]}
        work.append(entry)
    iterations = row.number("Iterations", at_least=0)
    return [*work, {"quantity": "iterations", "value": iterations}] if iterations else work


def _results(row: Row) -> list[dict[str, Any]]:
    found = []
    for column, name, unit in (
        (_TOKENS, _TOKENS, "1/s"),
        (_IMAGES, _IMAGES, "1/s"),
        (_STEP, "time of an iteration", "s"),
        ("Avg_TFLOPs/GPU", "rate of a device", "TFLOP/s"),
        ("GlobalBatchSize", "global batch", "sequence"),
        ("Runtime(min)", "limit of the run time", "min"),
    ):
        value = row.number(column)
        if value is not None:
            found.append({"name": name, "value": value, "unit": unit, "note": f"column '{column}'"})
    batch, step = row.number("GlobalBatchSize", at_least=0), row.number(_STEP, at_least=0)
    if row.text(_TOKENS) and batch and step and _IPU.search(row.text("System") or ""):
        found.append(
            {
                "name": f"tokens per second, at {_IPU_SEQUENCE} a sequence",
                "value": batch / step * _IPU_SEQUENCE,
                "unit": "1/s",
                "note": "global batch / step time x sequence length of the IPU benchmark, which is not in the table",
            }
        )
    return found


READER = Caraml()
