"""A workbook while it is written: its members, its sheets, and where each node has its cell."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from tco.estimation.result import Estimate
from tco.graph import Node
from tco.reports.workbook.cells import expression
from tco.reports.workbook.layout import SheetPlan, home_of, sheets
from tco.reports.workbook.live import Live
from tco.reports.workbook.names import Names
from tco.reports.workbook.style import Formats, number_format
from tco.reports.workbook.units import Conversions

#: Text that fits into a cell.
_LONGEST = 32_767
#: Letters across a printed page at full size.
_PAGE = 118
#: First row under the heading of a sheet.
TOP = 3
#: Letters of a line of text, how much room words lose at its end, and the most lines that a row shows.
_LINE, _SLACK, _MOST_LINES = 40, 1.03, 25
#: The date in the properties: that of writing would make each file different.
_NO_DATE = datetime(2000, 1, 1, tzinfo=UTC).replace(tzinfo=None)


class Member(NamedTuple):
    """One estimate of a book.

    Attributes
    ----------
    title, key
        What people call it, and a short word that names its cells; empty where it is the only one.
    estimate
        The estimate.
    """

    title: str
    key: str
    estimate: Estimate


class Place(NamedTuple):
    """A cell: title of its sheet, row and column from 0."""

    sheet: str
    row: int
    column: int

    def at(self, row: int, column: int) -> Place:
        """Another cell of the same sheet."""
        return Place(self.sheet, row, column)

    @property
    def cell(self) -> str:
        """``$C$5``."""
        return f"${letters(self.column)}${self.row + 1}"

    @property
    def full(self) -> str:
        """``'TCO summary'!$C$5``."""
        plain = re.fullmatch(r"[A-Za-z]\w*", self.sheet)
        return f"{self.sheet if plain else repr_sheet(self.sheet)}!{self.cell}"

    def seen_from(self, sheet: str) -> str:
        """The reference as it is written on a sheet."""
        return self.cell if sheet == self.sheet else self.full


def repr_sheet(title: str) -> str:
    """The title of a sheet as references quote it."""
    return "'" + title.replace("'", "''") + "'"


def letters(column: int) -> str:
    """Column 0 is A, 26 is AA."""
    text = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        text = chr(65 + rest) + text
    return text


class Check(NamedTuple):
    """A test of the book: what it says, its cell, and whether a failure counts."""

    text: str
    live: Live
    sheet: str


class Book:
    """A workbook and what its sheets share.

    Parameters
    ----------
    members
        The estimates; one, or several side by side.
    title
        What the book is about.
    """

    def __init__(self, members: Sequence[Member], title: str) -> None:
        from xlsxwriter import Workbook  # type: ignore[import-untyped]

        self.members = tuple(members)
        self.title = title
        self._buffer = io.BytesIO()
        safe = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
        self.file: Any = Workbook(self._buffer, {"in_memory": True, **safe})
        self.file.set_properties(
            {"title": title[:255], "author": "", "company": "", "comments": "", "created": _NO_DATE}
        )
        self.file.set_calc_mode("auto")
        self.formats = Formats(self.file)
        self.names = Names()
        self.conversions = Conversions(self.names)
        self.plans: Mapping[str, SheetPlan] = {plan.key: plan for plan in sheets()}
        self._sheets: dict[str, Any] = {}
        #: where each node of each member has its cell, and the name of that cell
        self.places: dict[tuple[int, int], tuple[Place, str]] = {}
        #: and where the low and the high end of its range stand, of an input that has them
        self.ends: dict[tuple[int, int], tuple[Place | None, Place | None]] = {}
        #: beginnings of the names of inputs that have a sheet of their own
        self.elsewhere: tuple[str, ...] = ()
        self.checks: list[Check] = []
        #: sources in the order in which they were met, by their text
        self.sources: dict[str, Any] = {}
        #: wrapped text by sheet and row: column and length, from which heights are told
        self._wrapped: dict[tuple[str, int], list[tuple[int, int]]] = {}
        self._widths: dict[tuple[str, int], float] = {}

    # ---- sheets -----------------------------------------------------------------------------------------------------

    def add_sheet(self, key: str) -> Any:
        """The sheet of a key, made where it is not there yet, with its heading."""
        if key in self._sheets:
            return self._sheets[key]
        plan = self.plans[key]
        sheet = self.file.add_worksheet(plan.title)
        self._sheets[key] = sheet
        sheet.hide_gridlines(2)
        sheet.set_landscape()
        sheet.set_paper(9)
        sheet.fit_to_pages(1, 0)
        sheet.set_margins(left=0.5, right=0.5, top=0.6, bottom=0.6)
        sheet.set_footer("&L&8&A&R&8&P / &N")
        sheet.set_row(0, 24)
        sheet.write_string(0, 0, plan.title, self.formats.title())
        sheet.write_string(1, 0, plan.purpose, self.formats.purpose())
        options = {"format_columns": True, "format_rows": True, "autofilter": True, "sort": True}
        sheet.protect("", options)
        return sheet

    def sheet_title(self, key: str) -> str:
        """Title of a sheet."""
        return self.plans[key].title

    def has(self, key: str) -> bool:
        """Whether a sheet was written."""
        return key in self._sheets

    # ---- cells ------------------------------------------------------------------------------------------------------

    def text(self, sheet: Any, row: int, column: int, text: str, form: Any = None) -> None:
        """Text, which never becomes a formula."""
        form = form or self.formats.text()
        if form is self.formats.unit():
            text = text.replace("**2", "²").replace("**3", "³").replace("*", " ")
        sheet.write_string(row, column, text[:_LONGEST], form)
        if form.text_wrap:
            lines = max(len(line) + _LINE * text.count("\n") for line in text.split("\n"))
            self._wrapped.setdefault((sheet.get_name(), row), []).append((column, lines))

    def live(self, sheet: Any, row: int, column: int, live: Live, form: Any = None, unit: str = "") -> Live:
        """A formula with its value; returns a reference to its cell."""
        value: float | str = live.value if math.isfinite(live.value) else "#NUM!"
        form = form or self.formats.number(number_format(live.value, unit))
        sheet.write_formula(row, column, f"={live.text}", form, value)
        return Live(Place(sheet.get_name(), row, column).full, live.value)

    def number(self, sheet: Any, row: int, column: int, value: float, form: Any = None, unit: str = "") -> None:
        """A number."""
        sheet.write_number(row, column, value, form or self.formats.number(number_format(value, unit)))

    def define(self, name: str, place: Place) -> None:
        """Give a cell a name."""
        self.file.define_name(name, f"={place.full}")

    def head(self, sheet: Any, row: int, titles: Sequence[str], right: Sequence[str] = ()) -> None:
        """Headings of columns."""
        for column, title in enumerate(titles):
            self.text(sheet, row, column, title, self.formats.head(right=title in right))

    def widths(self, sheet: Any, *widths: float) -> None:
        """Widths of the columns from the first."""
        for column, width in enumerate(widths):
            self.width(sheet, column, width)

    def width(self, sheet: Any, column: int, width: float) -> None:
        """Width of one column, in letters."""
        sheet.set_column(column, column, width)
        self._widths[(sheet.get_name(), column)] = width

    def scale_to_width(self, sheet: Any, columns: int, breaks: Sequence[int]) -> None:
        """Print so many columns on one page across, and begin a page at each of the rows."""
        letters_wide = sum(self._widths.get((sheet.get_name(), column), 8.43) for column in range(columns))
        sheet.set_print_scale(max(10, min(100, int(100 * _PAGE / letters_wide))))
        sheet.set_h_pagebreaks([row for row in breaks if row > 0])

    def _fit_heights(self) -> None:
        """Rows as high as their text needs: not every program does so by itself."""
        by_title = {sheet.get_name(): sheet for sheet in self._sheets.values()}
        for (title, row), texts in self._wrapped.items():
            lines = max(math.ceil(size * _SLACK / self._widths.get((title, column), 8.43)) for column, size in texts)
            if lines > 1:
                by_title[title].set_row(row, 3 + 13 * min(lines, _MOST_LINES))

    # ---- nodes ------------------------------------------------------------------------------------------------------

    def place(self, member: int, node: Node, place: Place, name: str = "") -> None:
        """Say where a node has its cell."""
        self.places[(member, node.index)] = (place, name)
        if name:
            self.define(name, place)

    def at(self, member: int, node: Node, sheet: str = "") -> Live:
        """The cell of a node as an expression: its name, else its place as seen from a sheet."""
        place, name = self.places[(member, node.index)]
        return Live(name or place.seen_from(sheet), node.value)

    def line(self, member: int, name: str) -> Live | None:
        """The cell of a line or an input of a member; None where it has none."""
        node = self.members[member].estimate.graph.named.get(name)
        return None if node is None or (member, node.index) not in self.places else self.at(member, node)

    def formula(self, member: int, node: Node, sheet: str) -> Live:
        """What the cell of a node holds; its value is the library's."""
        live = expression(node, lambda operand: self.at(member, operand, sheet), self.conversions)
        return Live(live.text, node.value, live.binding)

    def line_name(self, member: int, name: str) -> str:
        """A defined name for a line."""
        return self.names.of("out", *filter(None, (self.members[member].key, name)))

    def check(self, text: str, live: Live, sheet: str) -> None:
        """Add a test to the sheet of checks: 1 where it holds."""
        self.checks.append(Check(text, live, sheet))

    def lines_of(self, key: str) -> list[str]:
        """Names of the lines of all members whose cells stand on a sheet, in order."""
        order: list[str] = []
        for member in self.members:
            before = 0
            for name in member.estimate.graph.lines():
                if home_of(name.name) != key:
                    continue
                if name.name in order:
                    before = order.index(name.name) + 1
                else:
                    order.insert(before, name.name)
                    before += 1
        return order

    def source_id(self, source: Any, text: str) -> str:
        """Number of a source on the sheet of sources."""
        if text not in self.sources:
            self.sources[text] = source
        return f"S{list(self.sources).index(text) + 1}"

    def bytes(self) -> bytes:
        """The finished file."""
        self._fit_heights()
        self.file.close()
        return self._buffer.getvalue()
