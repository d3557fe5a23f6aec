"""``GPU_ENERGY_SUMMARY.json`` of the AI Energy Score: GPU energy of a benchmark, by phase."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.records.run import Run, Warning_

_PHASES = ("preprocess", "prefill", "decode")
#: Total and phases are each rounded to a hundredth.
_STEP_WH = 0.005


class EnergyScore:
    """Reads ``GPU_ENERGY_SUMMARY.json``."""

    name = "ai-energy-score"
    title = "GPU_ENERGY_SUMMARY.json of the AI Energy Score"
    boundary = "GPU boards"

    def sniff(self, path: Path) -> float:
        """Whether it has a total with its unit, and phases."""
        from tco.readers.rows import head_document

        data = head_document(path)
        known = isinstance(data, dict) and "units" in data and "total" in data
        return 1.0 if known and any(f"{phase}_wh" in data for phase in _PHASES) else 0.0

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run without a duration, which the file does not have."""
        return [_run(path, options)]


def _run(path: Path, options: ReadOptions) -> Run:
    from tco.errors import ReadError
    from tco.readers.making import evidence, make_run
    from tco.readers.rows import document, json_number
    from tco.records.run import Tool, Warning_

    data: Any = document(path)
    if not isinstance(data, dict):
        raise ReadError(f"{path}: is not a summary of the AI Energy Score, which is a table of fields")
    if data.get("units") != "Wh":
        raise ReadError(f"{path}: 'units' is {data.get('units')!r}, 'Wh' is expected")
    total = json_number(data, "total", str(path), at_least=0)
    if total is None:
        raise ReadError(f"{path}: has no 'total'")
    phases = {
        phase: value
        for phase in _PHASES
        if (value := json_number(data, f"{phase}_wh", str(path), at_least=0)) is not None
    }
    warnings: list[Warning_] = [
        Warning_(
            code="no-work",
            message="the summary has neither the number of queries nor the run time; state 'work' (requests) and "
            "'duration' for figures per query and for cost",
            where=str(path),
        )
    ]
    if phases and abs(sum(phases.values()) - total) > (len(phases) + 1) * _STEP_WH:
        text = f"the phases together are {sum(phases.values()):g} Wh, the total {total:g} Wh, which is used"
        warnings.append(Warning_(code="parts-differ", message=text, where=str(path)))
    return make_run(
        str(path),
        name=path.resolve().parent.name or path.stem,
        tool=Tool(name="ai-energy-score", version=data.get("format") if isinstance(data.get("format"), str) else None),
        energy=[
            {
                "boundary": options.boundary or "gpu_board",
                "value": total,
                "unit": "Wh",
                "rule": "sum_of_phases",
                "source": path.name,
            }
        ],
        results=[{"name": f"energy of {phase}", "value": value, "unit": "Wh"} for phase, value in phases.items()],
        provenance=evidence(path),
        warnings=warnings,
    )


READER = EnergyScore()
