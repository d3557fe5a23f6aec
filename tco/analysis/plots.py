"""Plots into files: tornado, heat map, Pareto front. The same data give the same bytes."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np

from tco.analysis.columns import heading
from tco.analysis.extras import pyplot
from tco.analysis.heat import Heat
from tco.analysis.pareto import Front
from tco.analysis.sensitivity import Sensitivity
from tco.analysis.sweep import Sweep
from tco.errors import TcoError
from tco.files import write_atomically

SUFFIXES = (".svg", ".png")
#: Colours that people with colour-blindness tell apart (Okabe and Ito).
_LOW, _HIGH, _PLAIN = "#0072B2", "#D55E00", "#999999"
#: How all plots look.
STYLE = {
    "svg.hashsalt": "tco",
    "svg.fonttype": "none",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.constrained_layout.use": True,
}


def save(figure: Any, path: Path) -> None:
    """Write a figure as SVG or PNG, the same bytes each time."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise TcoError(f"{path}: the suffix '{path.suffix}' says no kind of picture; use one of {', '.join(SUFFIXES)}")
    buffer = io.BytesIO()
    metadata = {"Date": None} if suffix == ".svg" else {"Software": None}
    figure.savefig(buffer, format=suffix[1:], dpi=160, metadata=metadata)
    write_atomically(path, buffer.getvalue())


def tornado(found: Sensitivity, path: Path, *, top: int = 20) -> None:
    """Bars from the line at the low end of each input's range to that at its high end, the widest on top."""
    plt = pyplot()
    shown = sorted((each for each in found.influences if each.distribution is not None), key=lambda e: -e.swing)[:top]
    if not shown:
        raise TcoError(f"{found.line}: no input that it rests on has a range; there is nothing to draw")
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(7.5, 1.5 + 0.4 * len(shown)))
        for place, each in enumerate(reversed(shown)):
            for end, colour in ((each.at_low, _LOW), (each.at_high, _HIGH)):
                axes.barh(place, end - found.value, left=found.value, color=colour, height=0.62)
        labels = [_with_range(each) for each in reversed(shown)]
        axes.set_yticks(range(len(shown)), labels)
        axes.axvline(found.value, color="black", linewidth=0.8)
        axes.set_xlabel(heading(found.line, found.unit))
        axes.set_title(f"{found.label}: one input at a time, at the ends of its range", loc="left", fontsize=9.5)
        figure.legend(
            handles=[plt.Rectangle((0, 0), 1, 1, color=colour) for colour in (_LOW, _HIGH)],
            labels=["input at its low end", "at its high end"],
            frameon=False,
            ncols=2,
            loc="outside lower right",
        )
        axes.margins(y=0.02)
        save(figure, path)
        plt.close(figure)


def _with_range(each: Any) -> str:
    unit = "" if each.unit == "1" else f" {each.unit}"
    return f"{each.name}\n{each.distribution.low:,.6g} to {each.distribution.high:,.6g}{unit}"


def heat_map(heat: Heat, path: Path) -> None:
    """A line over two inputs, in colour, with lines of equal value."""
    plt = pyplot()
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(6.4, 4.6))
        across, down = np.asarray(heat.across.values), np.asarray(heat.down.values)
        order = np.ix_(np.argsort(down), np.argsort(across))
        image = axes.pcolormesh(np.sort(across), np.sort(down), heat.values[order], shading="nearest", cmap="cividis")
        if min(heat.values.shape) > 2 and np.isfinite(heat.values).all() and np.ptp(heat.values) > 0:
            lines = axes.contour(np.sort(across), np.sort(down), heat.values[order], colors="white", linewidths=0.7)
            axes.clabel(lines, fontsize=7)
        axes.set_xlabel(heading(heat.across.name, heat.across.unit or "1"))
        axes.set_ylabel(heading(heat.down.name, heat.down.unit or "1"))
        figure.colorbar(image, ax=axes, label=heading(heat.line, heat.unit))
        save(figure, path)
        plt.close(figure)


def pareto(sweep: Sweep, front: Front, path: Path, *, most: int = 20000) -> None:
    """All points of a sweep (of many an even part), and those that nothing beats."""
    plt = pyplot()
    every = max(1, -(-len(sweep) // most))
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(6.4, 4.6))
        for chunk in sweep.chunks():
            axes.plot(chunk[front.first][::every], chunk[front.second][::every], ".", color=_PLAIN, markersize=3)
        axes.plot(
            front.points[front.first],
            front.points[front.second],
            "o-",
            color=_HIGH,
            markersize=4,
            label="not beaten in both",
        )
        axes.set_xlabel(heading(front.first, sweep.columns[front.first]))
        axes.set_ylabel(heading(front.second, sweep.columns[front.second]))
        axes.legend(frameon=False)
        save(figure, path)
        plt.close(figure)
