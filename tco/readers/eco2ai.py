"""``emission.csv`` of eco2AI: its column ``power_consumption(kWh)`` holds an energy."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.readers.rows import Row
    from tco.records.run import Run

_ENERGY, _DURATION = "power_consumption(kWh)", "duration(s)"
_GPU = re.compile(r"(.*?)\s*(\d+) device\(s\)")


class Eco2ai:
    """Reads ``emission.csv``."""

    name = "eco2ai"
    title = "emission.csv of eco2AI"
    boundary = "CPU, GPU and RAM together, in part modelled"

    def sniff(self, path: Path) -> float:
        """Whether the first line has its column of energies."""
        from tco.readers.blocks import first_line

        return 1.0 if _ENERGY in first_line(path) else 0.0

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run for each id; its rows are epochs, each counted from the end of the one before."""
        from tco.errors import ReadError
        from tco.readers.rows import rows

        runs: dict[str, list[Row]] = {}
        for row in rows(path, required=(_DURATION, _ENERGY)):
            runs.setdefault(row.text("id") or f"line {row.line}", []).append(row)
        if not runs:
            raise ReadError(f"{path}: has no rows")
        return [_run(path, options, members) for members in runs.values()]


def _run(path: Path, options: ReadOptions, members: list[Row]) -> Run:
    from tco.readers.making import evidence, make_run, seconds, span, stamp
    from tco.records.run import Tool, Warning_

    first = members[0]
    where = f"{path}:{first.line}"
    durations = [_required(row, _DURATION) for row in members]
    energies = [_required(row, _ENERGY) for row in members]
    begin = first.text("start_time")
    when = span(
        stamp(begin, first.place("start_time")) if begin else None, None, sum(durations), options.time_zone, where
    )
    carbon = [number for row in members if (number := row.number("CO2_emissions(kg)", at_least=0)) is not None]
    warnings = [
        Warning_(
            code="pue-unknown",
            message="eco2AI multiplies the energy by the PUE that its Tracker was given (1 unless stated) and does not "
            "write which; set 'pue_included' and 'pue' where it was",
            where=where,
        ),
        Warning_(
            code="partial-boundary",
            message="eco2AI counts CPU, GPU and RAM; fans, storage, network and losses of the power supply are not "
            "in it",
            where=where,
        ),
    ]
    gpu = _GPU.fullmatch(first.text("GPU_name") or "")
    count = int(gpu[2][:6]) if gpu else 0
    if not count:
        text = "no GPU was measured; CPU and RAM are a model"
        warnings.append(Warning_(code="modelled", message=text, where=where))
    country = (first.text("region/country") or "").split("/")[0]
    devices: list[dict[str, Any]] = []
    if gpu and count:
        devices = [{"kind": "gpu", "model": gpu[1] or None, "count": count}]
    return make_run(
        where,
        name=first.text("project_name"),
        tool=Tool(name="eco2ai"),
        start=when.start,
        duration=seconds(sum(durations)),
        devices=devices,
        energy=[
            {
                "boundary": options.boundary or "node_ac",
                "value": sum(energies),
                "unit": "kWh",
                "rule": "eco2ai_cpu_gpu_ram",
                "method": None if count else "model",
                "source": path.name,
            }
        ],
        location={"region": country} if country else None,
        results=[{"name": "emissions", "value": sum(carbon), "unit": "kgCO2e", "note": "at the tool's grid factor"}]
        if carbon
        else None,
        provenance=evidence(path),
        warnings=warnings,
    )


def _required(row: Row, column: str) -> float:
    from tco.errors import ReadError

    number = row.number(column, at_least=0)
    if number is None:
        raise ReadError(f"{row.place(column)}: is empty; a number is expected")
    return number


READER = Eco2ai()
