"""Plots of estimates into files: stacked bars, from power to carbon and cost, and a power trace."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tco.analysis.columns import heading
from tco.analysis.extras import pyplot
from tco.analysis.plots import STYLE, save
from tco.errors import EstimateError
from tco.estimation.result import Estimate
from tco.reports.context import leaves
from tco.reports.numbers import digits, readable_unit
from tco.units import convert

#: Told apart by people with colour-blindness (Okabe and Ito).
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#999999")
_UP, _DOWN = "#0072B2", "#D55E00"


def stacked(estimates: Sequence[Estimate], titles: Sequence[str], line: str, path: Path) -> None:
    """One bar an estimate, its parts from the bottom of the total up.

    Raises
    ------
    EstimateError
        If an estimate has no such line, or they are in units that do not fit together.
    """
    plt = pyplot()
    first = estimates[0][line]
    unit = readable_unit(first.quantity, first.unit)
    per_case = []
    for estimate in estimates:
        estimate[line]  # says why it is missing
        per_case.append(
            {node.name: (node.label, float(convert(node.quantity, unit).magnitude)) for node in leaves(estimate, line)}
        )
    names = list(dict.fromkeys(name for parts in per_case for name in parts))
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(max(3.6, 1.6 + 1.1 * len(titles)) + 3.2, 4.2))
        below = np.zeros(len(titles))
        for place, name in enumerate(names):
            heights = np.array([parts.get(name, ("", 0.0))[1] for parts in per_case])
            label = next(parts[name][0] for parts in per_case if name in parts)
            axes.bar(range(len(titles)), heights, 0.62, bottom=below, color=COLOURS[place % len(COLOURS)], label=label)
            below += heights
        for place, top in enumerate(below):
            axes.text(place, top, digits(float(top)), ha="center", va="bottom", fontsize=8.5)
        axes.set_xticks(range(len(titles)), [_wrapped(title) for title in titles])
        axes.set_ylabel(heading(line, unit))
        axes.margins(y=0.08)
        handles, labels = axes.get_legend_handles_labels()
        axes.legend(
            handles[::-1], labels[::-1], frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8
        )
        save(figure, path)
        plt.close(figure)


def _wrapped(text: str) -> str:
    import textwrap

    return "\n".join(textwrap.wrap(text, 18)) or text


def waterfall(estimate: Estimate, path: Path) -> None:
    """From the energy of the IT equipment to that of the facility, to emissions, and to cost: step by step.

    Raises
    ------
    EstimateError
        If the estimate has neither emissions nor a cost.
    """
    plt = pyplot()
    named = estimate.graph.named
    panels = [("Energy", "energy.facility", _energy_steps(estimate))]
    for title, line in (("Emissions", "carbon.total"), ("Cost", "cost.total")):
        if line in named:
            panels.append((title, line, [(node.label, node.name) for node in leaves(estimate, line)]))
    if len(panels) == 1:
        raise EstimateError("neither emissions nor a cost could be estimated; there is nothing to draw")
    with plt.rc_context(STYLE):
        figure, all_axes = plt.subplots(1, len(panels), figsize=(3.9 * len(panels), 4.4))
        for axes, (title, line, steps) in zip(all_axes, panels, strict=True):
            _panel(axes, estimate, title, line, steps)
        save(figure, path)
        plt.close(figure)


def _energy_steps(estimate: Estimate) -> list[tuple[str, str]]:
    found = [("Energy of the boards", "energy.boards")] if "energy.boards" in estimate.graph.named else []
    return [*found, ("IT equipment", "energy.it"), ("Utility meter", "energy.facility")]


def _panel(axes: Any, estimate: Estimate, title: str, line: str, steps: Sequence[tuple[str, str]]) -> None:
    total = estimate[line]
    unit = readable_unit(total.quantity, total.unit)
    at, labels = 0.0, []
    cumulative = title == "Energy"  # each step is the whole up to there, not a part
    for place, (label, name) in enumerate(steps):
        value = float(convert(estimate.graph[name].quantity, unit).magnitude)
        height = value - at if cumulative else value
        axes.bar(place, height, 0.66, bottom=at, color=COLOURS[0] if height >= 0 else _DOWN)
        axes.text(
            place,
            at + height,
            ("+" if place and height >= 0 else "") + digits(height, 3),
            ha="center",
            va="bottom",
            fontsize=8,
        )
        at = value if cumulative else at + value
        labels.append(_wrapped(label))
    axes.bar(len(steps), at, 0.66, color="#555555")
    axes.text(len(steps), at, digits(at), ha="center", va="bottom", fontsize=8)
    labels.append("in all")
    axes.set_xticks(range(len(labels)), labels, rotation=40, ha="right", fontsize=7.5)
    axes.set_title(f"{title} [{unit}]", loc="left", fontsize=9.5)
    axes.margins(y=0.1)


def power_trace(
    seconds: np.ndarray[Any, Any], watts: np.ndarray[Any, Any], path: Path, *, title: str = "", most: int = 4000
) -> None:
    """Power over time with its idle floor, its mean and its peak; of many samples the envelope.

    Parameters
    ----------
    seconds, watts
        Times from the start and power, shape (n,), times rising.
    path
        ``.svg`` or ``.png``.
    title
        Of what it is.
    most
        Points that are drawn; of more the lowest and the highest of each stretch are kept.
    """
    if len(seconds) < 2:
        raise EstimateError("a power trace needs at least two samples to be drawn")
    plt = pyplot()
    mean = float(np.trapezoid(watts, seconds) / (seconds[-1] - seconds[0]))
    idle, peak = float(np.percentile(watts, 1)), float(np.max(watts))
    scale, unit = (
        (3600.0, "h") if seconds[-1] - seconds[0] > 7200 else (60.0, "min") if seconds[-1] > 300 else (1.0, "s")
    )
    watt, power_unit = (1000.0, "kW") if peak >= 2000 else (1.0, "W")
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(7.5, 3.2))
        stretches = max(1, len(seconds) // (most // 2))
        if stretches > 1:
            whole = len(seconds) // stretches * stretches
            folded = watts[:whole].reshape(-1, stretches)
            times = seconds[:whole].reshape(-1, stretches)[:, 0]
            axes.fill_between(
                times / scale, folded.min(axis=1) / watt, folded.max(axis=1) / watt, color=_UP, linewidth=0.4
            )
        else:
            axes.plot(seconds / scale, watts / watt, color=_UP, linewidth=0.9)
        for level, text, style in ((idle, "idle (1st percentile)", ":"), (mean, "mean", "--"), (peak, "peak", "-.")):
            axes.axhline(level / watt, color="#333333", linewidth=0.8, linestyle=style)
            axes.annotate(
                f"{text} {digits(level / watt, 3)} {power_unit}",
                (1.0, level / watt),
                xycoords=("axes fraction", "data"),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                fontsize=8,
            )
        axes.set_xlabel(f"time [{unit}]")
        axes.set_ylabel(f"power [{power_unit}]")
        axes.set_ylim(bottom=0)
        if title:
            axes.set_title(title, loc="left", fontsize=9.5)
        save(figure, path)
        plt.close(figure)


def trace_of_run(estimate: Estimate, path: Path) -> None:
    """The power trace that an estimate rests on.

    Raises
    ------
    EstimateError
        If the run has none, or it cannot be read as a table.
    """
    from tco.estimation.profile import trace_of

    found, why = trace_of(estimate.run, estimate.where, 0.0)
    if found is None:
        raise EstimateError(f"{estimate.where}: {why}; there is no trace to draw")
    load: Any = found
    profiles: Sequence[Any] = getattr(load, "parts", (load,))
    times = np.unique(np.concatenate([part.time_s for part in profiles]))
    watts = np.sum([np.interp(times, part.time_s, part.power_w, left=0.0, right=0.0) for part in profiles], axis=0)
    power_trace(
        times - times[0], watts, path, title=f"{estimate.run.name or estimate.where}: power of all that was traced"
    )
