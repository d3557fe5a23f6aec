"""``emissions.csv`` of CodeCarbon, versions 2.3 to 3.3: rows are running totals of their run.

What the columns hold depends on the version: the energies hold the PUE in all of them, the powers only in later ones.
Power x duration tells which.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.readers.rows import Row
    from tco.records.run import Boundary, Run, Warning_

_ENERGY, _DURATION = "energy_consumed", "duration"
_PARTS: Sequence[tuple[str, Boundary | None]] = (("gpu", "gpu_board"), ("cpu", "cpu_package"), ("ram", None))
_RATE_TOLERANCE = 0.01
_MOST_RUNS = 100_000
#: Two rows of one machine are of the same time where they share this much of the shorter one.
_SAME_TIME = 0.5


class CodeCarbon:
    """Reads ``emissions.csv``."""

    name = "codecarbon"
    title = "emissions.csv of CodeCarbon"
    boundary = "CPU packages, GPU boards and RAM together, in part modelled"

    def sniff(self, path: Path) -> float:
        """Whether the first line has the columns of CodeCarbon."""
        from tco.readers.blocks import first_line

        names = [name.strip().strip('"') for name in re.split("[,;\t]", first_line(path))]
        if _ENERGY not in names or _DURATION not in names:
            return 0.0
        return 1.0 if "codecarbon_version" in names or "tracking_mode" in names else 0.8

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run for each ``run_id``, those of one machine at one time together."""
        from tco.errors import ReadError
        from tco.readers.rows import rows

        last: dict[str, _Total] = {}
        for row in rows(path, required=(_DURATION, _ENERGY), most=None):
            total = _total(row)
            key = row.text("run_id") or f"line {row.line}"
            before = last.get(key)
            if before is not None:
                total = _later(before, total)
            last[key] = total
            if len(last) > _MOST_RUNS:
                raise ReadError(f"{path}:{row.line}: has more than {_MOST_RUNS:,} runs; keep those that are meant")
        if not last:
            raise ReadError(f"{path}: has no rows; the tracker was not stopped or flushed")
        groups = _machines(list(last.items()))
        return [_run(path, options, group) for group in groups]


class _Total(NamedTuple):
    """The latest row of a run, and how many rows there were."""

    row: Row
    duration_s: float
    energy_kwh: float
    end: datetime | None
    rows: int
    fell: bool

    @property
    def begin_s(self) -> float | None:
        """When it began, since 1970 by the clock of the file."""
        return None if self.end is None else _seconds_of(self.end) - self.duration_s

    @property
    def end_s(self) -> float | None:
        """When the row was written, since 1970 by the clock of the file."""
        return None if self.end is None else _seconds_of(self.end)


def _seconds_of(when: datetime) -> float:
    from datetime import UTC, datetime

    return (when - datetime(1970, 1, 1, tzinfo=None if when.tzinfo is None else UTC)).total_seconds()


def _total(row: Row) -> _Total:
    from tco.errors import ReadError
    from tco.readers.making import stamp

    duration, energy = row.number(_DURATION, at_least=0), row.number(_ENERGY, at_least=0)
    if duration is None or energy is None:
        name = _DURATION if duration is None else _ENERGY
        raise ReadError(f"{row.place(name)}: is empty; a number is expected")
    text = row.text("timestamp")
    return _Total(row, duration, energy, stamp(text, row.place("timestamp")) if text else None, 1, fell=False)


def _later(one: _Total, other: _Total) -> _Total:
    """The later of two rows of a run; rows are running totals, so that none is added."""
    late, early = (other, one) if other.duration_s >= one.duration_s else (one, other)
    fell = one.fell or late.energy_kwh < early.energy_kwh
    return late._replace(rows=one.rows + other.rows, fell=fell)


def _machines(totals: list[tuple[str, _Total]]) -> list[list[tuple[str, _Total]]]:
    """Runs, those with one host name together that ran at the same time."""
    groups: list[list[tuple[str, _Total]]] = []
    for key, total in totals:
        host = total.row.text("hostname")
        for group in groups:
            if host and any(o.row.text("hostname") == host and _together(o, total) for _, o in group):
                group.append((key, total))
                break
        else:
            groups.append([(key, total)])
    return groups


def _together(one: _Total, other: _Total) -> bool:
    if one.begin_s is None or other.begin_s is None or one.end_s is None or other.end_s is None:
        return False
    if (one.end is not None and one.end.tzinfo is None) != (other.end is not None and other.end.tzinfo is None):
        return False
    shared = min(one.end_s, other.end_s) - max(one.begin_s, other.begin_s)
    shorter = min(one.duration_s, other.duration_s)
    return shared > _SAME_TIME * shorter if shorter > 0 else False


def _run(path: Path, options: ReadOptions, group: list[tuple[str, _Total]]) -> Run:
    from datetime import timedelta

    from tco.readers.making import evidence, make_run, seconds, span
    from tco.records.run import Tool

    warnings: list[Warning_] = []
    processes = [total.row.text("tracking_mode") == "process" for _, total in group]
    main = max((total for _, total in group), key=lambda total: total.energy_kwh)
    members = [total for _, total in group] if len(group) > 1 and all(processes) else [main]
    _warn_of_group(path, group, all(processes), warnings)
    row, where = main.row, f"{path}:{main.row.line}"
    for total in members:
        _warn_of_row(total, f"{path}:{total.row.line}", warnings)
    pue = row.number("pue", at_least=0)
    holds_pue = pue is not None and pue > 1
    start = None
    if main.end is not None:
        try:
            start = main.end - timedelta(seconds=main.duration_s)
        except OverflowError:
            start = None
    when = span(start, main.end, main.duration_s, options.time_zone, where)
    return make_run(
        where,
        name=row.text("project_name") or (row.text("run_id") if len(group) == 1 else row.text("hostname")) or path.stem,
        tool=Tool(name="codecarbon", version=row.text("codecarbon_version")),
        start=when.start,
        end=when.end,
        duration=seconds(main.duration_s),
        devices=_devices(row),
        energy=_energies(members, options, path),
        pue_included=holds_pue,
        pue={"value": pue, "unit": "1"} if holds_pue else None,
        location=_location(row),
        results=_results(main),
        provenance=evidence(path),
        warnings=[*warnings, *when.warnings],
    )


def _sum(members: list[_Total], column: str) -> float | None:
    found = [number for total in members if (number := total.row.number(column, at_least=0)) is not None]
    return sum(found) if found else None


def _energies(members: list[_Total], options: ReadOptions, path: Path) -> list[dict[str, Any]]:
    """All together as CodeCarbon counts them, and its parts at their own boundaries."""
    gpu = _sum(members, "gpu_energy")
    whole: dict[str, Any] = {
        "boundary": options.boundary or "node_ac",
        "value": sum(total.energy_kwh for total in members),
        "unit": "kWh",
        "rule": "codecarbon_cpu_gpu_ram",
        "source": path.name,
    }
    if not gpu:  # CPU by RAPL or by a model, RAM always by a model: the file does not say which
        whole["method"] = "model"
    readings = [whole]
    for part, boundary in _PARTS:
        energy = _sum(members, f"{part}_energy")
        if energy and boundary is not None:
            reading: dict[str, Any] = {"boundary": boundary, "value": energy, "unit": "kWh", "source": path.name}
            readings.append({**reading, "rule": "codecarbon", "method": "counter" if part == "gpu" else "model"})
    return readings


def _devices(row: Row) -> list[dict[str, Any]]:
    devices: list[dict[str, Any]] = []
    count, model = row.number("gpu_count", at_least=0), row.text("gpu_model")
    if count:
        name = re.sub(r"^\d+ x ", "", model) if model else None
        devices.append({"kind": "gpu", "model": name, "count": count})
    return devices


def _location(row: Row) -> dict[str, Any] | None:
    cloud = row.text("cloud_region") if (row.text("on_cloud") or "N").upper() == "Y" else None
    region = cloud or row.text("country_iso_code")
    return {"region": region} if region else None


def _results(total: _Total) -> list[dict[str, Any]]:
    """What CodeCarbon made of the energy with its own grid factor, and the powers it shows."""
    row, found = total.row, []
    emissions = row.number("emissions", at_least=0)
    if emissions is not None:
        found.append({"name": "emissions", "value": emissions, "unit": "kgCO2e", "note": "at the tool's grid factor"})
        if total.energy_kwh > 0:
            factor = emissions / total.energy_kwh
            note = "emissions over energy; changes between versions"
            found.append({"name": "grid factor of the tool", "value": factor, "unit": "kgCO2e/kWh", "note": note})
    powers = [(part, row.number(f"{part}_power", at_least=0)) for part, _ in _PARTS]
    known = sum(power for _, power in powers if power is not None)
    meaning = _meaning(known, total)
    found += [
        {"name": f"{part} power", "value": power, "unit": "W", "note": meaning}
        for part, power in powers
        if power is not None
    ]
    ram = row.number("ram_energy", at_least=0)
    if ram:
        found.append({"name": "ram energy", "value": ram, "unit": "kWh", "note": "by a model"})
    return found


def _meaning(power_w: float, total: _Total) -> str | None:
    """Whether the powers hold the PUE: by power x duration against the energy, which does."""
    import math

    pue = total.row.number("pue", at_least=0)
    if pue is None or pue <= 1 or power_w <= 0 or total.duration_s <= 0 or total.energy_kwh <= 0:
        return None
    ratio = power_w * total.duration_s / 3.6e6 / total.energy_kwh
    without = abs(math.log(ratio * pue)) < abs(math.log(ratio))
    return f"{'without' if without else 'with'} the PUE of {pue:g}, by power x duration"


def _warn_of_group(path: Path, group: list[tuple[str, _Total]], processes: bool, warnings: list[Warning_]) -> None:
    from tco.records.run import Warning_

    if len(group) < 2:
        return
    ids = ", ".join(f"'{key}'" for key, _ in group)
    host = group[0][1].row.text("hostname")
    if not processes:
        message = (
            f"runs {ids} are of the machine '{host}' at the same time; each of them is the whole machine, so that the "
            "largest is taken and none is added"
        )
        warnings.append(Warning_(code="same-machine", message=message, where=str(path)))
        return
    message = f"runs {ids} are processes of the machine '{host}' at the same time; their energies are added"
    if any((total.row.number("gpu_energy") or 0) > 0 for _, total in group):
        message += (
            ", though GPU and RAPL readings are of whole devices also in that mode: what they hold is counted twice"
        )
    else:
        message += "; what RAPL measured would be counted twice"
    warnings.append(Warning_(code="processes-added", message=message, where=str(path)))


def _warn_of_row(total: _Total, where: str, warnings: list[Warning_]) -> None:
    from tco.records.run import Warning_

    row = total.row

    def _warn(code: str, message: str) -> None:
        warnings.append(Warning_(code=code, message=message, where=where))

    if total.rows > 1:
        _warn(
            "running-totals", f"{total.rows} rows are running totals of one run; the last one is taken, none is added"
        )
    if total.fell:
        _warn("total-fell", "the running total falls from one row to a later one; the run was restarted in between")
    mode = row.text("tracking_mode")
    if mode == "process":
        _warn(
            "process-mode",
            "tracking_mode is 'process': RAM and the CPU model are those of the process alone, GPU and RAPL readings "
            "those of whole devices",
        )
    _warn(
        "partial-boundary",
        "CodeCarbon counts CPU packages, GPU boards and RAM; fans, storage, network and losses of the power supply are "
        "not in it",
    )
    if not row.number("gpu_energy"):
        _warn("modelled", "no GPU energy was measured; CPU and RAM are in part or in whole a model")
    emissions, rate = row.number("emissions"), row.number("emissions_rate")
    if emissions and rate and total.duration_s > 0:
        right = emissions / total.duration_s
        if abs(rate / right - 1) > _RATE_TOLERANCE:
            _warn(
                "emissions-rate",
                f"emissions_rate is {rate:.6g}, emissions over duration are {right:.6g} kg/s ({rate / right:.4g} "
                "times); the column is not used",
            )
    for part, _ in _PARTS:
        energy = row.number(f"{part}_energy", at_least=0)
        if energy is not None and energy > total.energy_kwh * (1 + 1e-9):
            _warn(
                "part-above-whole", f"{part}_energy, {energy:g} kWh, is above energy_consumed, {total.energy_kwh:g} kWh"
            )


READER = CodeCarbon()
