"""Simulators side by side: time, energy, carbon and cost of one job; calibrations; and scores of all predictors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tco.reports.numbers import readable_unit, show_in, show_range
from tco.reports.tables import Cell, Table

if TYPE_CHECKING:
    from tco.estimation import Estimate
    from tco.graph import Node
    from tco.simulators.running import Answer
    from tco.simulators.validation import Calibration

#: Rows of the comparison: node of the estimate, and what it is called.
_ROWS = (
    ("simulator.step_time", "Step, predicted"),
    ("run.duration", "Run"),
    ("simulator.time_ratio", "Measured / predicted"),
    ("power.mean", "Mean power, IT"),
    ("energy.it", "Energy, IT"),
    ("energy.network", "  of it, network"),
    ("energy.facility", "Energy, facility"),
    ("carbon.total", "Carbon"),
    ("carbon.operational", "  of it, electricity"),
    ("carbon.embodied", "  of it, hardware"),
    ("cost.total", "Cost"),
    ("cost.opex", "  of it, running"),
    ("cost.capex", "  of it, capital"),
)


def of_answers(answers: Sequence[Answer], estimates: Mapping[str, Estimate], title: str) -> list[Table]:
    """The answers of simulators as a table, one column for each that answered, and what there is to say of them."""
    named = [answer for answer in answers if answer.name in estimates]
    rows: list[tuple[Cell, ...]] = []
    for node, label in _ROWS:
        found = [estimates[answer.name].graph.named.get(node) for answer in named]
        there = [item for item in found if item is not None]
        if there:
            unit = readable_unit(there[0].quantity, there[0].unit)
            shown = "" if unit in ("1", "") else f" [{unit}]"
            cells = [_cell(estimates[a.name], item, unit) for a, item in zip(named, found, strict=True)]
            rows.append((label + shown, *cells))
    for kind in ("MFU", "HFU"):
        shares = [_share(answer, kind) for answer in named]
        if any(shares):
            rows.append((kind, *shares))
    needs = [answer.run.memory if answer.run is not None else None for answer in named]
    if any(need is not None for need in needs):
        texts = ("" if need is None else f"{float(need.m_as('GB')):.4g}" for need in needs)
        rows.append(("Memory a device [GB]", *texts))
    if named:
        rows.append(("Power from", *(_power(estimates[answer.name]) for answer in named)))
    columns = ("", *(answer.name for answer in named))
    return [
        Table("simulators", title, columns, tuple(rows), (), tuple(_notes(answers, estimates)), ("line", *columns[1:]))
    ]


def of_answers_in_full(answers: Sequence[Answer], estimates: Mapping[str, Estimate], title: str) -> list[Table]:
    """The same for programs: one row for each simulator and line, numbers in full."""
    rows: list[tuple[Cell, ...]] = []
    for answer in answers:
        estimate = estimates.get(answer.name)
        for node, _ in _ROWS if estimate is not None else ():
            item = estimate.graph.named.get(node) if estimate is not None else None
            if estimate is not None and item is not None:
                rows.append((answer.name, node, item.value, *estimate.graph.range_of(node), item.unit))
    columns = ("simulator", "line", "value", "low", "high", "unit")
    return [Table("simulators", title, columns, tuple(rows), (), tuple(_notes(answers, estimates)), columns)]


def _power(estimate: Estimate) -> str:
    """What the power comes from: a model, by its name, or what the tool says."""
    lines = estimate.graph.named
    node = lines["energy.nodes"] if "energy.nodes" in lines else lines["energy.it"]
    return str(node.facts.get("method", "")).removeprefix("model: ") or estimate.readings[0].how


def _notes(answers: Sequence[Answer], estimates: Mapping[str, Estimate]) -> list[str]:
    notes = []
    for answer in answers:
        if answer.fault is not None:
            notes.append(f"{answer.name}: no answer: {answer.fault}")
            continue
        if answer.name not in estimates or answer.run is None:
            continue
        lines = estimates[answer.name].graph.named
        error = f" Error: {_error(lines['simulator.time_ratio'])}." if "simulator.time_ratio" in lines else ""
        unsaid = "; ".join(answer.run.unstated)
        notes.append(f"{answer.name}: {answer.title}.{error}" + (f" It does not say: {unsaid}." if unsaid else ""))
    methods = {_power(estimate) for estimate in estimates.values()}
    if len(methods) > 1:
        notes.append(
            "The powers come from different models, so energies differ by more than the times: --power-model rated "
            "takes the same for all."
        )
    return notes


def _error(node: Node) -> str:
    if node.facts.get("validation") == "unvalidated":
        return "unvalidated, no pairs are stored"
    source = node.given.source if node.given is not None else None
    return source.where if source is not None and source.where else "as stated"


def _cell(estimate: Estimate, node: Node | None, unit: str) -> str:
    """Value and range of a node as text."""
    if node is None:
        return ""
    value, _ = show_in(node.quantity, unit, padded=True)
    if node.facts.get("validation") == "unvalidated":
        return f"{value} (unvalidated)"
    low, high = estimate.graph.range_of(node.name)
    spread = show_range(node.quantity, low, high, unit)
    return f"{value} ({spread})" if spread else value


def _share(answer: Answer, kind: str) -> str:
    share = next((s for s in (answer.run.utilisation if answer.run else ()) if s.kind == kind), None)
    return "" if share is None else f"{share.value:.3f}" + (" (input)" if share.stated else "")


def of_calibration(found: Calibration, name: str) -> Table:
    """What a correction is worth: each group predicted with the correction of the others."""
    rows: list[tuple[Cell, ...]] = [
        (held.name, held.points, round(held.factor, 4), round(held.before_pct, 2), round(held.after_pct, 2))
        for held in found.held
    ]
    after = None if found.after_pct is None else round(found.after_pct, 2)
    rows.append(("all", found.points, round(found.factor, 4), round(found.before_pct, 2), after))
    return Table(
        "calibration",
        f"{name} calibrated on {', '.join(found.sets)}: predicted times are multiplied by {found.factor:.5g}",
        ("Left out", "Points", "Factor of the others", "Error before [%]", "Error after [%]"),
        tuple(rows),
        (),
        (
            "Mean absolute error. Each group is corrected by a factor from the other groups alone; in the last row the "
            "factor is of all, the errors are over the groups left out.",
        ),
        ("group", "points", "factor", "before_pct", "after_pct"),
    )


def to_dict(
    answers: Sequence[Answer], estimates: Mapping[str, Estimate], workload: Mapping[str, Any]
) -> dict[str, Any]:
    """The answers as plain data, schema ``tco.simulate/1``: an estimate for each simulator, or why there is none."""
    return {
        "schema": "tco.simulate/1",
        "workload": dict(workload),
        "simulators": {
            answer.name: {
                "title": answer.title,
                "fault": answer.fault,
                "estimate": estimates[answer.name].to_dict() if answer.name in estimates else None,
            }
            for answer in answers
        },
    }


_SCORES = (
    ("mape", "MAPE [%]", 2),
    ("median_ape", "Median [%]", 2),
    ("p95_ape", "P95 [%]", 2),
    ("max_ape", "Max [%]", 2),
    ("mean_signed", "Bias [%]", 2),
    ("rmspe", "RMSPE [%]", 2),
    ("rmse", "RMSE [s]", 3),
    ("pearson_r", "Pearson r", 4),
    ("pearson_r_log", "r of logs", 4),
    ("spearman_rho", "Spearman", 4),
    ("kendall_tau_b", "Kendall", 4),
    ("r2_identity", "R2", 4),
)
#: What fits a terminal.
_SHORT = ("mape", "median_ape", "p95_ape", "mean_signed", "r2_identity")


def of_validation(
    scores: Sequence[tuple[str, str, str, Mapping[str, float | None]]], *, short: bool = False
) -> list[Table]:
    """All predictors on all sets of measured steps, from stored pairs: one table, `short` for a terminal."""
    shown = [score for score in _SCORES if not short or score[0] in _SHORT]
    rows: list[tuple[Cell, ...]] = []
    for group, predictor, evidence, values in scores:
        numbers = [(values[name], places) for name, _, places in shown]
        rounded = (None if value is None else round(value, places) for value, places in numbers)
        rows.append((group, predictor, evidence, int(values["points"] or 0), *rounded))
    columns = ("Measured", "Predictor", "Evidence", "Points", *(title for _, title, _ in shown))
    keys = ("group", "predictor", "evidence", "points", *(name for name, _, _ in shown))
    notes = (
        "Error of a step: predicted over measured time, less 1. From the stored pairs: tco catalog list --kind pairs.",
        "Evidence: blind, nothing was measured on the target and nothing tuned on these points; fitted, something was.",
        "A simulator earns its effort where it beats the rules of thumb 6ND and 8ND.",
    )
    title = "Predictors of training time on measured steps"
    return [Table("validation", title, columns, tuple(rows), (), notes, keys)]
