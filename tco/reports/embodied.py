"""Embodied carbon as text: one method in detail, or methods side by side."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from tco.embodied.assessment import reasons
from tco.embodied.comparison import SCHEMA, Comparison
from tco.embodied.result import UNIT, PartResult, Result
from tco.reports.markdown import escape
from tco.reports.numbers import digits
from tco.reports.summary import input_range, input_source, input_value
from tco.reports.tabular import as_text_cell


@dataclass(frozen=True)
class Grid:
    """A table: columns with their alignment, rows of text, and what stands above it."""

    title: str
    columns: tuple[str, ...]
    right: frozenset[int]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Page:
    """A report: title, facts, tables, and lists of sentences with a heading."""

    title: str
    facts: tuple[tuple[str, str], ...] = ()
    grids: tuple[Grid, ...] = ()
    lists: tuple[tuple[str, tuple[str, ...]], ...] = field(default=())


def _range(low: float, value: float, high: float) -> str:
    if low == value == high:
        return ""
    ends = digits(low), digits(high)
    return f"{ends[0]} to {ends[1]}" if ends[0] != ends[1] else ""


def _stages(result: Result) -> str:
    return ", ".join(f"{stage} {digits(value)} kg" for stage, value in result.phases.items())


def one_method(result: Result) -> Page:
    """A result with its parts, what they are made of, and the inputs."""
    rows = []
    for part in result.parts:
        value = digits(part.value, padded=True)
        each = digits(part.each, padded=True)
        spread = _range(part.low, part.value, part.high)
        rows.append((part.name, f"{part.count:g}", each, value, spread, part.boundary))
        if len(part.items) > 1:
            for item in part.items:
                own = _range(item.low, item.value, item.high)
                rows.append(
                    (f"  {item.name}", "", digits(item.value, padded=True), "", own and f"each {own}", item.stage)
                )
    spread = _range(result.low, result.value, result.high)
    rows.append(("total", "", "", digits(result.value, padded=True), spread, result.boundary))
    columns = ("Part", "Count", "Each, kgCO2e", "Node, kgCO2e", "Range", "Boundary or stage")
    parts = Grid("", columns, frozenset({1, 2, 3}), tuple(rows))
    inputs = tuple(
        (name, input_value(node).replace("**", ""), input_range(node), input_source(node))
        for name, node in result.inputs.items()
        if not name.endswith(".count")
    )
    without = tuple(f"{part.name}: {', '.join(part.without)}" for part in result.parts if part.without)
    return Page(
        title=result.title,
        facts=(
            ("Hardware", f"{result.title} ({result.system})"),
            ("Method", f"{result.method}, {result.version}"),
            ("Published in", result.source),
            ("Counts", result.counts),
            ("Phase", result.phase),
            ("Stages", _stages(result)),
        ),
        grids=(parts, Grid("Inputs", ("Input", "Value", "Range", "Source"), frozenset({1}), inputs)),
        lists=(
            ("Left out of this record", (*reasons(result.left_out), *without)),
            ("Never counted by this method", result.never_counts),
        ),
    )


def side_by_side(comparison: Comparison) -> Page:
    """Methods as rows and as columns, their spread and what explains it."""
    results = comparison.results
    totals = tuple(
        (
            result.method,
            digits(result.value, padded=True),
            _range(result.low, result.value, result.high),
            result.boundary,
            result.phase,
            ", ".join(dict.fromkeys(entry.part for entry in result.left_out)) or "-",
        )
        for result in results
    )
    names = list(dict.fromkeys(part.name for result in results for part in result.parts))

    def _cell(part: PartResult | None) -> str:
        return "-" if part is None else digits(part.value, padded=True)

    parts = tuple((name, *(_cell(result.part(name)) for result in results)) for name in names)
    spreads = tuple(
        (
            spread.what,
            f"{digits(spread.lowest[1])} ({spread.lowest[0]})",
            f"{digits(spread.highest[1])} ({spread.highest[0]})",
            f"{digits(spread.ratio, 3)} x" if spread.ratio != float("inf") else "",
            spread.boundary,
        )
        for spread in comparison.spreads
    )
    published = tuple(
        (
            figure.what,
            digits(figure.value),
            _range(figure.low, figure.value, figure.high),
            figure.boundary,
            figure.phase,
            figure.source,
        )
        for figure in comparison.published
    )
    grids = [
        Grid("Methods", ("Method", "kgCO2e", "Range", "Boundary", "Phase", "Left out"), frozenset({1}), totals),
        Grid(
            "Parts of a node, kgCO2e",
            ("Part", *(result.method for result in results)),
            frozenset(range(1, len(results) + 1)),
            parts,
        ),
        Grid("Spread, kgCO2e", ("What", "Lowest", "Highest", "Ratio", "Boundary"), frozenset({3}), spreads),
        Grid(
            "Published elsewhere, never added",
            ("What", "kgCO2e", "Range", "Boundary", "Phase", "Source"),
            frozenset({1}),
            published,
        ),
    ]
    return Page(
        title=comparison.title,
        facts=(("Hardware", f"{comparison.title} ({comparison.system})"),),
        grids=tuple(grid for grid in grids if grid.rows),
        lists=(
            ("What explains it", comparison.explained),
            ("Methods that do not apply", tuple(f"{name}: {reason}" for name, reason in comparison.impossible)),
        ),
    )


def to_text(page: Page, *, width: int = 120) -> str:
    """A page as plain text."""
    console = Console(width=width, color_system=None, force_terminal=False, highlight=False)
    with console.capture() as capture:
        console.print(_rendered(page))
    return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"


def _rendered(page: Page) -> RenderableType:
    head = Table.grid(padding=(0, 2))
    head.add_column(no_wrap=True, style="dim")
    head.add_column(overflow="fold")
    for key, value in page.facts:
        head.add_row(key, Text(value))
    pieces: list[RenderableType] = [head]
    for grid in page.grids:
        if grid.title:
            pieces.append(Text(f"\n{grid.title}", style="bold"))
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        last = len(grid.columns) - 1
        for index, column in enumerate(grid.columns):
            justify = "right" if index in grid.right else "left"
            table.add_column(column, justify=justify, no_wrap=index < last and index != 4, overflow="fold")  # type: ignore[arg-type]
        for row in grid.rows:
            table.add_row(*(Text(cell) for cell in row))
        pieces.append(table)
    for title, sentences in page.lists:
        if sentences:
            block = Table.grid(padding=(0, 1))
            block.add_column(no_wrap=True)
            block.add_column(overflow="fold")
            for sentence in sentences:
                block.add_row("  -", Text(sentence))
            pieces += [Text(f"\n{title}", style="bold"), block]
    return Group(*pieces)


def to_markdown(page: Page) -> str:
    """A page as Markdown."""
    lines = [f"# {escape(page.title)}", "", *(f"- {key}: {escape(value)}" for key, value in page.facts), ""]
    for grid in page.grids:
        if grid.title:
            lines += [f"## {escape(grid.title)}", ""]
        lines.append("| " + " | ".join(escape(column) for column in grid.columns) + " |")
        lines.append("| " + " | ".join("---:" if i in grid.right else "---" for i in range(len(grid.columns))) + " |")
        lines += ["| " + " | ".join(_indented(cell) for cell in row) + " |" for row in grid.rows] + [""]
    for title, sentences in page.lists:
        if sentences:
            lines += [f"## {escape(title)}", "", *(f"- {escape(sentence)}" for sentence in sentences), ""]
    return "\n".join(lines)


def _indented(cell: str) -> str:
    return ("&nbsp;" * 4 if cell.startswith("  ") else "") + escape(cell)


_COLUMNS = (
    *("system", "method", "part", "item", "count", "value", "low", "high", "unit"),
    *("boundary", "phase", "stage", "left_out_because"),
)


def to_csv(results: Sequence[Result]) -> str:
    """Results as CSV: a row for each total, each part of a node, each item of one piece, and each part left out."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(_COLUMNS)

    def _put(*cells: object) -> None:
        writer.writerow([as_text_cell(cell) if isinstance(cell, str) else repr(cell) for cell in cells])

    for result in results:
        head = (result.system, result.method)
        ends = (result.value, result.low, result.high)
        _put(*head, "", "", 1.0, *ends, UNIT, result.boundary, result.phase, "", "")
        for part in result.parts:
            of_part = (part.boundary, part.phase)
            _put(*head, part.name, "", part.count, part.value, part.low, part.high, UNIT, *of_part, "", "")
            for item in part.items:
                _put(*head, part.name, item.name, 1.0, item.value, item.low, item.high, UNIT, *of_part, item.stage, "")
        for entry in result.left_out:
            _put(*head, entry.part, "", "", "", "", "", UNIT, "", "", "", entry.reason)
    return buffer.getvalue()


def to_json(result: Result | Comparison) -> str:
    """A result or a comparison as JSON, schema ``tco.embodied/1``, numbers at full precision."""
    if isinstance(result, Comparison):
        data = result.to_dict()
    else:
        from tco import __version__

        data = {
            "schema": SCHEMA,
            "system": result.system,
            "title": result.title,
            "results": [result.to_dict()],
            "tool": {"name": "tco", "version": __version__},
        }
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
