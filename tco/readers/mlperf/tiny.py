"""MLPerf Tiny with energy: the windows that EnergyRunner measured at the DC side of a board, in micro-units."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.records.run import Run, Warning_

_WINDOW = re.compile(r"(Energy data|Performance results) for window (\d+)\b")
_FIGURE = re.compile(r"(Energy/Inf\.|Energy|Power|# Inferences|Runtime)\s*:\s*([0-9.eE+-]+)\s*(\S*)\s*$")
_MEDIAN = re.compile(r"Median (energy cost|throughput) is ([0-9.eE+-]+) (\S+?)\.?$")
#: Units of the runner; another one is refused rather than guessed.
_UNITS = {"Energy": "uJ", "Power": "uW", "Energy/Inf.": "uJ/inf.", "Runtime": "sec.", "# Inferences": ""}
#: Energy over power is the run time, but for what both were rounded by.
_TOLERANCE = 0.01


class MLPerfTiny:
    """Reads ``results.txt`` of the energy runner of MLPerf Tiny."""

    name = "mlperf-tiny"
    title = "results.txt of MLPerf Tiny (EnergyRunner)"
    boundary = "board at its DC inlet"

    def sniff(self, path: Path) -> float:
        """Whether the first lines are those of the runner."""
        from tco.readers.blocks import first_bytes

        head = first_bytes(path)
        return 1.0 if b"ulp-m" in head and (b"for window" in head or b"Median " in head) else 0.0

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run of all windows together."""
        return [_run(path, options)]


def _run(path: Path, options: ReadOptions) -> Run:
    from tco.errors import ReadError
    from tco.readers.making import evidence, make_run, seconds
    from tco.records.run import Tool, Warning_

    windows, medians = _windows(path)
    energies = {number: figures["Energy"] for number, figures in windows.items() if "Energy" in figures}
    if not energies:
        raise ReadError(f"{path}: has no energy of a window; 'Energy : 786656.360 uJ' is expected")
    warnings: list[Warning_] = []
    for number, figures in windows.items():
        if figures.keys() >= {"Energy", "Power", "Runtime"} and figures["Power"] > 0:
            of_energy = figures["Energy"] / figures["Power"]
            if abs(of_energy - figures["Runtime"]) > _TOLERANCE * figures["Runtime"]:
                warnings.append(
                    Warning_(
                        code="energy-power-time",
                        message=f"window {number}: energy over power is {of_energy:.6g} s, the runtime "
                        f"{figures['Runtime']:.6g} s",
                        where=str(path),
                    )
                )
    timed = all("Runtime" in windows[number] for number in energies)
    counted = all("# Inferences" in windows[number] for number in energies)
    results = [
        {"name": f"median {what}", "value": value, "unit": unit, "note": f"over {len(energies)} windows"}
        for what, (value, unit) in medians.items()
    ]
    for number, figures in windows.items():
        for name, unit in (("Energy", "uJ"), ("Power", "uW"), ("Energy/Inf.", "uJ/inf."), ("Runtime", "s")):
            if name in figures:
                results.append({"name": f"window {number}: {name}", "value": figures[name], "unit": unit})
    return make_run(
        str(path),
        name=path.parent.name or path.stem,
        tool=Tool(name="EnergyRunner"),
        duration=seconds(sum(windows[number]["Runtime"] for number in energies)) if timed else None,
        work=[{"quantity": "samples", "value": sum(windows[number]["# Inferences"] for number in energies)}]
        if counted
        else None,
        energy=[
            {
                "boundary": options.boundary or "node_dc",
                "value": sum(energies.values()),
                "unit": "uJ",
                "rule": "sum_of_windows",
                "method": "meter",
                "source": path.name,
            }
        ],
        results=results,
        provenance=evidence(path),
        warnings=warnings,
    )


def _windows(path: Path) -> tuple[dict[int, dict[str, float]], dict[str, tuple[float, str]]]:
    """Figures by window, and the medians with their units."""
    from tco.errors import ReadError
    from tco.readers.rows import lines

    windows: dict[int, dict[str, float]] = {}
    medians: dict[str, tuple[float, str]] = {}
    current: dict[str, float] | None = None
    for line, text in lines(path):
        where = f"{path}:{line}"
        body: Any = text.partition(": ")[2].rstrip()
        window = _WINDOW.search(body)
        if window:
            current = windows.setdefault(int(window[2][:9]), {})
            continue
        median = _MEDIAN.search(body)
        if median:
            medians[median[1]] = (_number(median[2], where), median[3])
            continue
        figure = _FIGURE.search(body)
        if figure is None or current is None:
            continue
        name, unit = figure[1], figure[3]
        if unit != _UNITS[name]:
            raise ReadError(f"{where}: '{name}' is in '{unit}', '{_UNITS[name]}' is expected")
        current[name] = _number(figure[2], where)
    return windows, medians


def _number(text: str, where: str) -> float:
    import math

    from tco.errors import ReadError

    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or number < 0:
        raise ReadError(f"{where}: '{text}' is not a number of 0 or more")
    return number


READER = MLPerfTiny()
