"""An estimate as a table in the terminal."""

from __future__ import annotations

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from tco.reports.summary import Summary


def _lines(summary: Summary) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=False)
    table.add_column("Line", no_wrap=True)
    table.add_column("Value", justify="right", no_wrap=True)
    table.add_column("Unit", no_wrap=True)
    for heading in ("P5", "P50", "P95") if summary.sampling else ():
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("Histogram" if summary.sampling else "Range", no_wrap=True, style="dim")
    table.add_column("What it is", overflow="fold")
    section = ""
    for row in summary.rows:
        if row.section != section and section:
            table.add_section()
        section = row.section
        total = row.name.endswith(".total")
        what = Text(row.label)
        if row.remark:
            what.append(f" ({row.remark})", style="dim")
        spread = (row.sampled or ("", "", "", "")) if summary.sampling else (row.range,)
        cells = ("  " * row.depth + row.name, row.value, row.unit, *spread)
        table.add_row(*map(Text, cells), what, style="bold" if total else "")
    return table


def _assumed(summary: Summary) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title_justify="left")
    table.add_column("Assumed input", no_wrap=True)
    table.add_column("Value", justify="right", no_wrap=True)
    table.add_column("Range", style="dim", no_wrap=True)
    table.add_column("Source", overflow="fold")
    for item in summary.assumed:
        table.add_row(*map(Text, (item.name, item.value, item.range, item.source)))
    return table


def render(summary: Summary) -> RenderableType:
    """The summary as something that rich prints."""
    head = Table.grid(padding=(0, 2))
    head.add_column(no_wrap=True, style="dim")
    head.add_column(overflow="fold")
    for key, value in summary.facts:
        head.add_row(Text(key), Text(value))
    pieces: list[RenderableType] = [head, _lines(summary)]
    for title, rows in (
        (summary.sampling[0][0] if summary.sampling else "", summary.sampling[1:]),
        ("Not estimated", summary.missing),
        ("Also recorded, not added", [(f"{boundary} ({how})", text) for boundary, how, text in summary.readings]),
    ):
        if rows:
            block = Table.grid(padding=(0, 2))
            block.add_column(no_wrap=True)
            block.add_column(overflow="fold")
            for cells in rows:
                block.add_row(Text(f"  {cells[0]}"), Text(cells[1]))
            pieces += [Text(title, style="bold"), block, Text()]
    if summary.assumed:
        pieces.append(_assumed(summary))
    if summary.assumed and not summary.sampling:
        pieces.append(
            Text("Ranges take every assumed input at the end of its range that is worst for the line.\n", style="dim")
        )
    return Group(*pieces)


def to_text(summary: Summary, *, width: int = 120) -> str:
    """The same as plain text of a given width, without colour."""
    console = Console(width=width, color_system=None, force_terminal=False, highlight=False)
    with console.capture() as capture:
        console.print(render(summary))
    return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"


def show(summary: Summary) -> None:
    """Print to standard output, in colour where the terminal has it."""
    console = Console(highlight=False, soft_wrap=False)
    if not console.is_terminal:
        console = Console(width=120, color_system=None, highlight=False)
    console.print(render(summary))
