"""What the analyses found, for people: tables, bars and maps in the terminal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from tco.analysis.attribution import Share
from tco.analysis.compare import Against, Comparison, Difference
from tco.analysis.heat import Heat
from tco.analysis.sensitivity import Influence, Sensitivity
from tco.analysis.solve import Solved
from tco.analysis.sweep import REGION, Sweep
from tco.graph import Node
from tco.reports.numbers import digits, readable_unit, show_in, show_value
from tco.units import Q, Quantity, parse_unit

_WIDTH = 120
#: Cells on either side of the middle of a tornado.
_HALF = 8
#: From the least to the most, for maps without colour.
_SHADES = "·░▒▓█"
_LINE_SECTIONS = ("energy.", "power.", "carbon.", "water.", "cost.")


def _show(*pieces: RenderableType) -> None:
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(width=_WIDTH, color_system=None, highlight=False)
    console.print(Group(*pieces))


def _table(*columns: str) -> Table:
    """A table; a heading that starts with ``>`` is of numbers, one with ``~`` may be folded."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        fold = column.startswith("~")
        table.add_column(
            Text(column.lstrip(">~")),
            justify="right" if column.startswith(">") else "left",
            no_wrap=not fold,
            overflow="fold" if fold else "ellipsis",
        )
    return table


def _in(value: float, unit: str) -> str:
    return " ".join(show_value(Q(value, unit), unit)).strip()


def _percent(share: float) -> str:
    if not math.isfinite(share):
        return "-"
    return f"{100 * share:.1f} %" if abs(share) < 10 else f"{100 * share:,.0f} %"


# ---- sensitivity --------------------------------------------------------------------------------------------------


def tornado_bar(each: Influence, value: float, reach: float, half: int = _HALF) -> str:
    """The line at the low (░) and the high end (█) of an input's range, around its value."""
    cells = [" "] * (2 * half + 1)
    cells[half] = "│"
    if reach > 0:
        for end, mark in ((each.at_low, "░"), (each.at_high, "█")):
            steps = round(half * (end - value) / reach)
            for step in range(1, abs(steps) + 1):
                cells[half + (step if steps > 0 else -step)] = mark
    return "".join(cells)


def show_sensitivity(found: Sensitivity, *, top: int) -> None:
    """Print the inputs of a line by their influence."""
    ranged = [each for each in found.influences if each.distribution is not None]
    plain = [each for each in found.influences if each.distribution is None]
    pieces: list[RenderableType] = [Text(f"{found.line} = {_in(found.value, found.unit)}  {found.label}", style="bold")]
    shown = readable_unit(Q(found.value, found.unit), found.unit)

    def line(value: float) -> str:
        return show_in(Q(value, found.unit), shown)[0]

    if ranged:
        share = (">Variance", ">alone") if found.points else (">Variance",)
        table = _table("Input", "Its range", f"Line [{shown}]", "One at a time", *share, ">Elasticity")
        reach = max(max(abs(each.at_low - found.value), abs(each.at_high - found.value)) for each in ranged)
        for each in ranged[:top]:
            assert each.distribution is not None
            low, high = digits(each.distribution.low), digits(each.distribution.high)
            ends = f"{low} to {high} {'' if each.unit == '1' else each.unit}".rstrip()
            reached = f"{line(each.at_low)} to {line(each.at_high)}"
            shares: tuple[str, ...] = (_percent(each.linear_share),)
            if each.indices:
                shares = (_percent(each.indices.total), _percent(each.indices.first))
            bar = tornado_bar(each, found.value, reach)
            cells = (each.name, ends, reached, bar, *shares, _elasticity(each))
            table.add_row(*map(Text, cells))
        pieces.append(table)
        pieces.append(Text(_shares_note(found), style="dim"))
    else:
        pieces.append(Text("No input that it rests on has a range."))
    if plain:
        table = _table("Input without a range", ">Value", ">Elasticity", "~What it is")
        for each in plain[: max(top - len(ranged), 0)]:
            table.add_row(*map(Text, (each.name, _in(each.value, each.unit), _elasticity(each), each.label)))
        pieces.append(table)
    if any(each.in_pieces for each in found.influences):
        pieces.append(Text("* Holds near the value only: a step, a minimum or a choice lies between.", style="dim"))
    _show(*pieces)


def _elasticity(each: Influence) -> str:
    text = f"{each.elasticity:.3f}" if math.isfinite(each.elasticity) else "-"
    return text + ("*" if each.in_pieces else " ")


def _shares_note(found: Sensitivity) -> str:
    bars = "░ input at its low end, █ at its high end."
    if found.points is None:
        return (
            f"{bars} Variance: share by slope and variance of each input (linear); --sobol 4096 also where it is not "
            "linear."
        )
    widest = max((each.indices.total_error for each in found.influences if each.indices), default=0.0)
    return (
        f"{bars} Variance: total Sobol' index, and the share of the input alone (first order); {found.points:,} base "
        f"points, seed {found.seed}; 95 % within {_percent(widest)}."
    )


# ---- sweeps -------------------------------------------------------------------------------------------------------


def rows_of_chunk(chunk: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Points as plain data; what is missing is null."""
    names = list(chunk)
    columns = [np.asarray(chunk[name]).tolist() for name in names]
    return [
        {name: None if isinstance(v, float) and math.isnan(v) else v for name, v in zip(names, row, strict=True)}
        for row in zip(*columns, strict=True)
    ]


def sweep_rows(sweep: Sweep) -> list[dict[str, Any]]:
    """All points of a sweep as plain data."""
    return [row for chunk in sweep.chunks() for row in rows_of_chunk(chunk)]


def show_sweep(sweep: Sweep) -> None:
    """Print all points of a small sweep: places, inputs, and the totals."""
    chunks = list(sweep.chunks())
    points = {name: np.concatenate([chunk[name] for chunk in chunks]) for name in sweep.columns}
    axes = [axis.name for axis in sweep.axes]
    totals = [name for name in sweep.lines if name.endswith(".total")]
    lines = list(sweep.lines) if len(sweep.lines) <= 6 else totals or list(sweep.lines)[:6]
    left_out = len(sweep.lines) - len(lines)
    title = f"{len(sweep):,} points" + (f"; {left_out} more lines with --line or -o" if left_out else "")
    wanted = [name for name in sweep.columns if name == REGION or name in axes or name in lines]
    show_points({name: sweep.columns[name] for name in wanted}, points, title)


def show_points(columns: Mapping[str, str], points: Mapping[str, Any], title: str) -> None:
    """Print points as a table, units in the head."""
    table = _table(*(f">{name}" if unit else name for name, unit in columns.items()))
    table.add_row(*(Text("" if unit in ("", "1") else unit, style="dim") for unit in columns.values()))
    for row in zip(*(np.asarray(points[name]).tolist() for name in columns), strict=True):
        cells = [
            "" if isinstance(v, float) and math.isnan(v) else digits(v, 5) if isinstance(v, float) else str(v)
            for v in row
        ]
        table.add_row(*map(Text, cells))
    _show(Text(title, style="bold"), table)


def heat_text(heat: Heat) -> str:
    """A map of a line over two inputs, darker where it is more, with the numbers at its corners."""
    order = np.argsort(heat.down.values)[::-1]
    columns = np.argsort(heat.across.values)
    values = heat.values[np.ix_(order, columns)]
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    wide = max(1, min(6, 72 // values.shape[1]))
    names = [digits(float(value)) for value in heat.down.values[order]]
    space = max(map(len, names))
    unit = parse_unit(heat.unit)
    rows = [f"{heat.line}: {' '.join(show_value(Q(low, unit), heat.unit))} ({_SHADES[0]}) to "
            f"{' '.join(show_value(Q(high, unit), heat.unit))} ({_SHADES[-1]})"]  # fmt: skip
    rows.append(f"down: {heat.down.name} [{heat.down.unit}], across: {heat.across.name} [{heat.across.unit}]")
    for name, row in zip(names, values, strict=True):
        marks = "".join(_shade(float(value), low, high) * wide for value in row)
        rows.append(f"  {name:>{space}} {marks}".rstrip())
    ends = [digits(float(heat.across.values[columns[place]])) for place in (0, -1)]
    gap = max(wide * values.shape[1] - len(ends[0]) - len(ends[1]), 1)
    rows.append(f"  {'':>{space}} {ends[0]}{' ' * gap}{ends[1]}")
    return "\n".join(rows) + "\n"


def _shade(value: float, low: float, high: float) -> str:
    if math.isnan(value):
        return " "
    place = 0.0 if high == low else (value - low) / (high - low)
    return _SHADES[min(int(place * len(_SHADES)), len(_SHADES) - 1)]


# ---- solving ------------------------------------------------------------------------------------------------------


def solved_text(solved: Solved) -> str:
    """What was found, in words."""
    target, now = _in(solved.target, solved.line_unit), _in(solved.current, solved.line_unit)
    searched = f"{digits(solved.low)} to {_in(solved.high, solved.by_unit)}"
    head = f"{solved.line} is {now} with {solved.by} = {_in(solved.given, solved.by_unit)}."
    if not solved.solutions:
        least, most = (_in(end, solved.line_unit) for end in solved.reached)
        return (
            f"{head}\nThere is no value of {solved.by} from {searched} for which it is {target}: there it runs from "
            f"{least} to {most}.\n"
        )
    rows = [head]
    if len(solved.solutions) > 1 and solved.solutions[0].kind not in ("from", "to"):
        rows.append(f"There are {len(solved.solutions)} values for which it is {target}, from {searched}:")
    for each in solved.solutions:
        value = f"{solved.by} = {digits(each.value, 7)} {'' if solved.by_unit == '1' else solved.by_unit}".rstrip()
        rows.append(
            {
                "crosses": f"It is {target} at {value}.",
                "touches": f"It reaches {target} at {value}, and does not go beyond.",
                "jumps": f"It leaps over {target} at {value}, to {_in(each.reached, solved.line_unit)}.",
                "from": f"It is {target} from {value}",
                "to": f"  to {value}.",
            }[each.kind]
        )
    if solved.given and len(solved.solutions) == 1 and solved.solutions[0].kind == "crosses":
        ratio = solved.solutions[0].value / solved.given
        rows.append(
            f"That is {digits(ratio, 3)} times its value."
            if ratio > 10
            else f"That is {100 * ratio - 100:+.1f} % against its value."
        )
    return "\n".join(rows) + "\n"


# ---- comparing ----------------------------------------------------------------------------------------------------


def show_comparison(found: Comparison) -> None:
    """Print cases side by side, what differs, and why."""
    pieces: list[RenderableType] = []
    letters = [chr(ord("A") + place) if place < 26 else f"#{place + 1}" for place in range(len(found.titles))]
    for letter, title in zip(letters, found.titles, strict=True):
        pieces.append(Text(f"{letter}  {title}", style="bold"))
    head = ["Line", *(f">{letter}" for letter in letters), "Unit"]
    several = len(letters) > 2  # no room for all: what they differ by can be read off
    for letter in letters[1:]:
        head += [f">{letter} - A", *(() if several else (">of A",)), f">{letter} lower"]
    table = _table(*head)
    for name in found.lines:
        if name.startswith(_LINE_SECTIONS):
            table.add_row(*map(Text, _side_by_side(found, name)))
    pieces.append(table)
    pieces.append(Text(_sure_note(found), style="dim"))
    for letter, case in zip(letters[1:], found.against, strict=True):
        pieces += _differences(found, case, letter)
    _show(*pieces)


def _side_by_side(found: Comparison, name: str) -> list[str]:
    nodes = [estimate.graph.named.get(name) for estimate in found.estimates]
    first = next(node for node in nodes if node is not None)
    shown = readable_unit(first.quantity, first.unit)

    def text(node: Node | None) -> str:
        if node is None:
            return "-"
        if node.quantity.dimensionality != first.quantity.dimensionality:
            return " ".join(show_value(node.quantity, node.unit))
        return show_in(node.quantity, shown, padded=True)[0]

    cells = [name, *map(text, nodes), "" if shown == "1" else shown]
    for case in found.against:
        each = case.differences.get(name)
        several = len(found.against) > 1
        if each is None:
            cells += ["", ""] if several else ["", "", ""]
            continue
        sign = "+" if each.absolute > 0 else ""
        absolute = "0" if each.absolute == 0 else sign + show_in(Q(each.absolute, each.unit), shown)[0]
        difference = [_relative(each) or "0"] if several else [absolute, _relative(each)]
        cells += [*difference, _sure(each)]
    return cells


def _relative(each: Difference) -> str:
    if each.absolute == 0:
        return ""
    return ("+" if each.relative > 0 else "") + _percent(each.relative)


def _sure(each: Difference) -> str:
    if each.sure is None:
        return ""
    ends = sorted({f"{100 * share:.0f}" for share in (each.sure.together, each.sure.apart)}, key=float)
    return f"{' to '.join(ends)} %"


def _sure_note(found: Comparison) -> str:
    sure = next((d.sure for case in found.against for d in case.differences.values() if d.sure), None)
    if sure is None:
        return "No input that sets them apart has a range: how sure it is cannot be said.\n"
    return (
        f"Lower: probability under the stated ranges, {sure.n:,} samples with common random numbers, seed {sure.seed}; "
        "an input equal in both is one quantity; two numbers: those that differ err alike, or each on its own.\n"
    )


def _value(quantity: Quantity | None) -> str:
    if quantity is None:
        return "-"
    return " ".join(show_value(quantity, f"{quantity.units:~C}" or "1")).strip()


def _differences(found: Comparison, case: Against, letter: str) -> list[RenderableType]:
    pieces: list[RenderableType] = []
    attributed: set[str] = set()
    for name, shares in case.attributions.items():
        each = case.differences[name]
        if each.absolute == 0 or not shares:
            continue
        shown = readable_unit(Q(each.absolute, each.unit), each.unit)
        table = _table("Cause", ">A", f">{letter}", f">Part of it [{shown}]", ">Share")
        for share in shares:
            attributed.add(share.name)
            table.add_row(*map(Text, _share_cells(share, each, shown)))
        table.add_section()
        total = show_in(Q(math.fsum(share.amount for share in shares), each.unit), shown)[0]
        table.add_row(Text("together"), "", "", Text(total), Text("100 %"))
        pieces.append(Text(f"Why {name} differs between A and {letter}", style="bold"))
        pieces.append(table)
    rest = [entry for entry in case.inputs if entry[0] not in attributed]
    if rest:
        table = _table("Other inputs that differ", ">A", f">{letter}")
        for name, one, other in rest:
            cells = [name, *("-" if node is None else _value(node.quantity) for node in (one, other))]
            table.add_row(*map(Text, cells))
        pieces.append(table)
    return pieces


def _share_cells(share: Share, each: Difference, shown: str) -> Sequence[str]:
    amount = show_in(Q(share.amount, each.unit), shown)[0]
    return (share.name, _value(share.before), _value(share.after), amount, _percent(share.amount / each.absolute))
