"""Estimates as a workbook with live formulas."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tco.estimation.result import Estimate
from tco.reports.workbook import cashflow, front, inputs, lines, sensitivity, summary
from tco.reports.workbook.book import Book, Member

#: Lines whose sensitivity is shown, as far as an estimate has them.
_SENSITIVE = ("cost.total", "carbon.total")
#: Several estimates side by side show fewer inputs each.
_MOST_SIDE_BY_SIDE = 8


def members_of(estimates: Sequence[Estimate], titles: Sequence[str]) -> list[Member]:
    """Estimates with their titles, and short keys for the names of their cells."""
    if len(estimates) == 1:
        return [Member(titles[0], "", estimates[0])]
    found: list[Member] = []
    for place, (estimate, title) in enumerate(zip(estimates, titles, strict=True), 1):
        word = re.sub(r"[^a-z0-9]+", "_", title.casefold()).strip("_")[:24]
        key = word if word and word not in {member.key for member in found} else f"case_{place}"
        found.append(Member(title, key, estimate))
    return found


def to_workbook(estimates: Sequence[Estimate], titles: Sequence[str] = (), *, title: str = "") -> bytes:
    """One estimate, or several side by side, as the bytes of an XLSX file.

    Parameters
    ----------
    estimates, titles
        What to write, and what to call each.
    title
        What the book is called; else the title of the first.
    """
    names = list(titles) or [each.run.name or each.where for each in estimates]
    book = Book(members_of(estimates, names), title or names[0])
    keys = [key for key in book.plans if key not in ("bids", "benchmarks", "scoring")]
    write_sheets(book, keys)
    finish(book)
    return book.bytes()


def write_sheets(book: Book, keys: Sequence[str], sensitive: Sequence[str] = _SENSITIVE) -> None:
    """The sheets that show the graphs of the members; all of `keys` are made, in order."""
    for key in keys:
        book.add_sheet(key)
    rows = inputs.place_inputs(book)
    placed = {key: lines.place_lines(book, key) for key in (*lines.PLAIN_SHEETS, "summary")}
    steps = lines.place_steps(book)
    factors = lines.place_lines(book, "cashflow", cashflow.height(book))
    inputs.write_inputs(book, rows)
    for key in lines.PLAIN_SHEETS:
        lines.write_lines(book, key, placed[key])
    cashflow.write_cash_flow(book, factors)
    summary.write_summary(book, placed["summary"])
    lines.write_steps(book, steps)
    most = sensitivity.MOST if len(book.members) == 1 else _MOST_SIDE_BY_SIDE
    sensitivity.write_sensitivity(book, sensitivity.blocks(book, tuple(sensitive), most))
    front.write_reporting(book)
    front.write_readme(book)
    front.write_changes(book)
    front.write_sources(book)


def finish(book: Book) -> None:
    """The sheets that know of all others."""
    failed = front.write_checks(book)
    front.write_cover(book, failed)
    lines.write_units(book)
