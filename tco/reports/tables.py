"""Any table as text, Markdown, LaTeX, CSV, HTML, JSON or a workbook; text is data in each of them."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

Cell = str | int | float | None


class Table(NamedTuple):
    """A table and the words around it.

    Attributes
    ----------
    name
        Short, for a sheet of a workbook and a key in JSON.
    title, columns, rows
        Heading, titles of columns, and cells.
    intro, notes
        Paragraphs before and after.
    keys
        Names of the columns for programs; the titles where left out.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    intro: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()


def _text(cell: Cell) -> str:
    if cell is None:
        return ""
    return f"{cell:g}" if isinstance(cell, float) else str(cell)


def _numeric(table: Table, column: int) -> bool:
    cells = [row[column] for row in table.rows if row[column] not in (None, "")]
    return bool(cells) and all(isinstance(cell, int | float) for cell in cells)


# Markdown ----------------------------------------------------------------------------------------------------------


def to_markdown(title: str, tables: Sequence[Table]) -> str:
    """A page with one section a table."""
    from tco.reports.markdown import escape

    lines = [f"# {escape(title)}", ""]
    for table in tables:
        if table.title != title:
            lines += [f"## {escape(table.title)}", ""]
        lines += [line for text in table.intro for line in (escape(text), "")]
        if table.columns:
            lines.append("| " + " | ".join(escape(column) for column in table.columns) + " |")
            right = [_numeric(table, i) for i in range(len(table.columns))]
            lines.append("| " + " | ".join("---:" if number else "---" for number in right) + " |")
            lines += ["| " + " | ".join(escape(_text(cell)) for cell in row) + " |" for row in table.rows] + [""]
        lines += [f"- {escape(note)}" for note in table.notes] + ([""] if table.notes else [])
    return "\n".join(lines).rstrip() + "\n"


# LaTeX -------------------------------------------------------------------------------------------------------------

_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "†": r"\textdagger{}",
}


def latex(text: str) -> str:
    """Text that LaTeX prints as it is; no command, no ligature, no optional argument of a line break."""
    kept = "".join(_LATEX.get(letter, letter) for letter in " ".join(text.split()) if letter.isprintable())
    return kept.replace("--", "-{}-").replace("--", "-{}-")


def _widths(table: Table) -> list[float]:
    """Shares of the line for the columns, by the root of how much text they hold."""
    sizes = []
    for i, column in enumerate(table.columns):
        cells = [len(_text(row[i])) for row in table.rows] or [0]
        sizes.append((max(len(column), sum(cells) / len(cells)) + 0.25 * max(cells)) ** 0.5)
    return [size / sum(sizes) for size in sizes]


def to_latex(title: str, tables: Sequence[Table]) -> str:
    r"""Long tables for ``\input``; the first lines name the packages."""
    lines = [
        f"% {latex(title)}",
        r"% \usepackage[T1]{fontenc} \usepackage{textcomp,booktabs,longtable,array}",
    ]
    for table in tables:
        lines += ["", rf"\subsection*{{{latex(table.title)}}}"]
        lines += [line for text in table.intro for line in (latex(text), "")]
        if table.columns:
            gap = 2 * (len(table.columns) - 1)
            shape = "".join(
                rf">{{\raggedright\arraybackslash}}p{{{share:.4f}\dimexpr\linewidth-{gap}\tabcolsep\relax}}"
                for share in _widths(table)
            )
            head = " & ".join(latex(column) for column in table.columns) + r" \\"
            lines += [rf"\begin{{longtable}}{{@{{}}{shape}@{{}}}}", r"\toprule", head, r"\midrule", r"\endhead"]
            lines += [" & ".join(latex(_text(cell)) for cell in row) + r" \\" for row in table.rows]
            lines += [r"\bottomrule", r"\end{longtable}"]
        if table.notes:
            items = [rf"\item {{}}{latex(note)}" for note in table.notes]
            lines += [r"\begin{itemize}", *items, r"\end{itemize}"]
    return "\n".join(lines) + "\n"


# CSV ---------------------------------------------------------------------------------------------------------------


def to_csv(tables: Sequence[Table]) -> str:
    """The first table, one header; numbers in full, text that no spreadsheet runs as a formula."""
    from tco.reports.tabular import as_text_cell

    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    table = tables[0]
    writer.writerow([as_text_cell(key) for key in table.keys or table.columns])
    for row in table.rows:
        writer.writerow(
            [as_text_cell(cell) if isinstance(cell, str) else "" if cell is None else repr(cell) for cell in row]
        )
    return buffer.getvalue()


# JSON --------------------------------------------------------------------------------------------------------------


def to_json(title: str, tables: Sequence[Table]) -> str:
    """All tables by name: rows as objects, and the notes."""
    data = {
        table.name: {
            "title": table.title,
            "rows": [dict(zip(table.keys or table.columns, row, strict=True)) for row in table.rows],
            "notes": list(table.notes),
        }
        for table in tables
    }
    return json.dumps({"title": title, **data}, indent=2, ensure_ascii=False) + "\n"


# HTML --------------------------------------------------------------------------------------------------------------

_STYLE = """
:root{color-scheme:light dark}
body{font:16px/1.45 system-ui,sans-serif;margin:2rem auto;padding:0 1rem;max-width:90rem}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:.875rem;width:100%}
caption{text-align:left;padding-bottom:.4rem}
th,td{text-align:left;vertical-align:top;padding:.35rem .6rem;
border-bottom:1px solid color-mix(in srgb,currentColor 22%,transparent)}
thead th{border-bottom:2px solid currentColor;white-space:nowrap}
td.n{text-align:right;font-variant-numeric:tabular-nums}
@media print{body{margin:0;max-width:none}.wide{overflow:visible}}
"""


def to_html(title: str, tables: Sequence[Table]) -> str:
    """One page that needs nothing from outside."""
    e = html.escape
    parts = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{e(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{e(title)}</h1>",
    ]
    for table in tables:
        if table.title != title:
            parts.append(f"<h2>{e(table.title)}</h2>")
        parts += [f"<p>{e(text)}</p>" for text in table.intro]
        if table.columns:
            number = [_numeric(table, i) for i in range(len(table.columns))]
            head = "".join(f'<th scope="col">{e(column)}</th>' for column in table.columns)
            label = e(table.title, quote=True)
            parts.append(f'<div class="wide" tabindex="0" role="region" aria-label="{label}">')
            parts.append(f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>")
            for row in table.rows:
                cells = []
                for i, cell in enumerate(row):
                    text = e(_text(cell))
                    tag = (
                        f'<th scope="row">{text}</th>'
                        if i == 0
                        else f"<td{' class=n' if number[i] else ''}>{text}</td>"
                    )
                    cells.append(tag)
                parts.append(f"<tr>{''.join(cells)}</tr>")
            parts.append("</tbody>\n</table>\n</div>")
        if table.notes:
            parts.append("<ul>" + "".join(f"<li>{e(note)}</li>" for note in table.notes) + "</ul>")
    return "\n".join([*parts, "</main>\n</body>\n</html>"]) + "\n"


# Workbook ----------------------------------------------------------------------------------------------------------

_NOT_IN_SHEET_NAMES = re.compile(r"[\[\]:*?/\\]")
_MOST_IN_A_CELL = 32_767


def to_workbook(title: str, tables: Sequence[Table]) -> bytes:
    """An XLSX file, one sheet a table; every text is stored as text."""
    from xlsxwriter import Workbook  # type: ignore[import-untyped]

    buffer = io.BytesIO()
    safe = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    book = Workbook(buffer, {"in_memory": True, **safe})
    book.set_properties({"title": title[:255], "author": "", "comments": ""})
    head = book.add_format({"bold": True, "bottom": 1, "text_wrap": True, "valign": "top"})
    body = book.add_format({"text_wrap": True, "valign": "top"})
    large = book.add_format({"bold": True, "font_size": 14})
    for table in tables:
        sheet = book.add_worksheet(_NOT_IN_SHEET_NAMES.sub(" ", table.name)[:31])
        sheet.hide_gridlines(2)
        sheet.set_landscape()
        sheet.set_paper(9)
        sheet.fit_to_pages(1, 0)
        sheet.write_string(0, 0, table.title[:_MOST_IN_A_CELL], large)
        line = 1
        for text in table.intro:
            sheet.write_string(line, 0, text[:_MOST_IN_A_CELL])
            line += 1
        if table.columns:
            line += 1
            for i, column in enumerate(table.columns):
                sheet.write_string(line, i, column, head)
                longest = max([len(column), *(len(_text(row[i])) for row in table.rows)])
                sheet.set_column(i, i, min(48, max(8, longest + 2)))
            sheet.freeze_panes(line + 1, 1)
            sheet.repeat_rows(line)
            if table.rows:
                sheet.autofilter(line, 0, line + len(table.rows), len(table.columns) - 1)
            for row in table.rows:
                line += 1
                for i, cell in enumerate(row):
                    if isinstance(cell, int | float):
                        sheet.write_number(line, i, cell, body)
                    elif cell:
                        sheet.write_string(line, i, cell[:_MOST_IN_A_CELL], body)
            line += 2
        for note in table.notes:
            sheet.write_string(line, 0, note[:_MOST_IN_A_CELL])
            line += 1
    book.close()
    return buffer.getvalue()


# Terminal ----------------------------------------------------------------------------------------------------------


def to_text(tables: Sequence[Table], *, width: int = 120) -> str:
    """Plain text of a given width, without colour."""
    from rich.console import Console

    console = Console(width=width, color_system=None, force_terminal=False, highlight=False)
    with console.capture() as capture:
        _print(console, tables)
    return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"


def show(tables: Sequence[Table]) -> None:
    """Print to standard output, in colour where the terminal has it."""
    from rich.console import Console

    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(width=120, color_system=None, highlight=False)
    _print(console, tables)


#: Longest word that is never broken.
_WORD = 15


def _print(console: object, tables: Sequence[Table]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table as Grid
    from rich.text import Text

    assert isinstance(console, Console)
    for table in tables:
        if table.title:
            console.print(Text(table.title, style="bold"))
        for text in table.intro:
            console.print(Text(text))
        if table.columns:
            grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False)
            for i, column in enumerate(table.columns):
                right = _numeric(table, i)
                longest = max([len(column), *(len(_text(row[i])) for row in table.rows)])
                words = [word for text in (column, *(_text(row[i]) for row in table.rows)) for word in text.split()]
                grid.add_column(
                    Text(column),
                    justify="right" if right else "left",
                    no_wrap=longest <= _WORD,
                    min_width=min(_WORD, max(map(len, words), default=1)),
                    overflow="fold",
                )
            for row in table.rows:
                grid.add_row(*(Text(_text(cell)) for cell in row))
            console.print(grid)
        for note in table.notes:
            bullet = Grid.grid(padding=(0, 1))
            bullet.add_row(Text("-"), Text(note))
            console.print(bullet)
        if table.notes:
            console.print()


#: Text formats: name -> (title, tables) -> text.
TEXT_FORMATS: dict[str, Callable[[str, Sequence[Table]], str]] = {
    "table": lambda _, tables: to_text(tables),
    "md": to_markdown,
    "latex": to_latex,
    "csv": lambda _, tables: to_csv(tables),
    "html": to_html,
    "json": to_json,
}
#: Format by suffix of a file.
SUFFIXES = {
    ".txt": "table",
    ".md": "md",
    ".tex": "latex",
    ".csv": "csv",
    ".html": "html",
    ".json": "json",
    ".xlsx": "xlsx",
}
