"""Sheets of lines: one row a line, its value live for every member, and in words what it is computed from."""

from __future__ import annotations

from typing import Any

from tco.graph import Node
from tco.operations import OPERATIONS
from tco.reports.explain import reference
from tco.reports.workbook.book import TOP, Book, Place
from tco.reports.workbook.live import close, total
from tco.reports.workbook.style import number_format

#: Sheets that are nothing but lines.
PLAIN_SHEETS = ("energy", "capex", "opex", "carbon")
#: Columns of a sheet of lines before and after the values.
NAME, LABEL, FIRST_VALUE = 0, 1, 2
_BEFORE, _AFTER = ("Line", "What it is"), ("Unit", "Method, basis, boundary", "Stage", "Scope", "Formula", "Reference")
#: Longest formula that is shown in words.
_LONGEST_FORMULA = 180
#: Rows below the lines that charts take.
_CHARTS = 120
#: How far parts may be from their total.
ROUNDING = 1e-9


def place_lines(book: Book, key: str, top: int = TOP) -> list[str]:
    """Give the lines of a sheet their cells; returns their names."""
    names = book.lines_of(key)
    for offset, name in enumerate(names):
        for member, each in enumerate(book.members):
            node = each.estimate.graph.named.get(name)
            if node is not None:
                place = Place(book.sheet_title(key), top + 1 + offset, FIRST_VALUE + member)
                book.place(member, node, place, book.line_name(member, name))
    return names


def place_steps(book: Book) -> list[tuple[int, Node, str]]:
    """Give intermediate results their cells; returns them with the line that they serve."""
    found: list[tuple[int, Node, str]] = []
    for member, each in enumerate(book.members):
        graph = each.estimate.graph
        serves: dict[int, str] = {}
        for node in reversed(graph.nodes):
            for operand in node.operands:
                serves.setdefault(operand.index, node.name or serves.get(node.index, ""))
        for node in graph.nodes:
            if not node.name and node.operation != "constant":
                place = Place(book.sheet_title("steps"), TOP + 1 + len(found), FIRST_VALUE)
                book.place(member, node, place)
                found.append((member, node, serves.get(node.index, "")))
    return found


def write_lines(book: Book, key: str, names: list[str], top: int = TOP) -> Any:
    """Write a sheet of lines."""
    sheet = book.add_sheet(key)
    titles = [member.title for member in book.members] if len(book.members) > 1 else ["Value"]
    columns = (*_BEFORE, *titles, *(_AFTER[:-1] if key == "cashflow" else _AFTER))
    book.widths(sheet, 32, 38, *([16] * len(titles)), 11, 26, 14, 7, 46, 50)
    if key != "cashflow":
        below = _CHARTS if key in ("carbon", "summary") else 2
        sheet.print_area(0, 0, top + len(names) + below, FIRST_VALUE + len(titles) + 4)
    book.head(sheet, top, columns, right=titles)
    if top == TOP:
        sheet.freeze_panes(top + 1, FIRST_VALUE)
        if key != "summary":  # its charts stand under tables of their own
            sheet.repeat_rows(top)
    for offset, name in enumerate(names):
        _write_line(book, sheet, key, top + 1 + offset, name, FIRST_VALUE + len(titles))
    return sheet


def _write_line(book: Book, sheet: Any, key: str, row: int, name: str, after: int) -> None:
    formats, node = book.formats, None
    for member, each in enumerate(book.members):
        found = each.estimate.graph.named.get(name)
        if found is None:
            book.text(sheet, row, FIRST_VALUE + member, "not estimated", formats.absent())
            continue
        node = found if node is None else node
        bold = bool(found.parts)
        form = formats.number(number_format(found.value, found.unit), bold=bold)
        book.live(sheet, row, FIRST_VALUE + member, book.formula(member, found, book.sheet_title(key)), form)
        _check_parts(book, member, found)
    assert node is not None
    bold = bool(node.parts)
    book.text(sheet, row, NAME, name, formats.text(wrap=False, bold=bold))
    book.text(sheet, row, LABEL, node.label, formats.text(bold=bold))
    facts = node.facts
    method = ", ".join(dict.fromkeys(str(facts[k]) for k in ("method", "basis", "boundary", "phase") if facts.get(k)))
    year = f"money of {facts['price_year']}, {facts.get('terms', '')}" if facts.get("price_year") else ""
    texts = (
        node.unit,
        "; ".join(part for part in (method, year.strip(", ")) if part),
        str(facts.get("stage", "")),
        str(facts.get("scope", "")),
        _in_words(node),
        reference(node),
    )
    narrow = key == "cashflow"  # its columns are as wide as a year
    for offset, text in enumerate(texts[:-1] if narrow else texts):
        form = formats.text(muted=offset >= 4, wrap=not (narrow and offset >= 4)) if offset else formats.unit()
        book.text(sheet, row, after + offset, text, form)


def _check_parts(book: Book, member: int, node: Node) -> None:
    if not node.parts:
        return
    parts = [book.conversions.convert(book.at(member, p), p.quantity.units, node.quantity.units) for p in node.parts]
    title = f"{book.members[member].title}: " if len(book.members) > 1 else ""
    whole = total(parts)
    place, _ = book.places[(member, node.index)]
    book.check(
        f"{title}the parts of {node.name} add up to it", close(book.at(member, node), whole, ROUNDING), place.sheet
    )


def write_steps(book: Book, steps: list[tuple[int, Node, str]]) -> None:
    """Write the sheet of intermediate results."""
    if not steps:
        return
    sheet = book.add_sheet("steps")
    several = len(book.members) > 1
    book.head(sheet, TOP, ("Step", "For", "Value", "Unit", "Formula"), right=("Value",))
    book.widths(sheet, 18 if several else 8, 40, 18, 22, 60)
    sheet.freeze_panes(TOP + 1, 2)
    sheet.repeat_rows(TOP)
    number_of: dict[tuple[int, int], int] = {}
    for offset, (member, node, serves) in enumerate(steps):
        row = TOP + 1 + offset
        unit = f"{node.quantity.units:~C}" or "1"
        number_of[(member, node.index)] = offset + 1
        title = f"{book.members[member].title} {offset + 1}" if several else str(offset + 1)
        book.text(sheet, row, 0, title, book.formats.text(muted=True, wrap=False))
        book.text(sheet, row, 1, serves, book.formats.text(wrap=False))
        book.live(sheet, row, 2, book.formula(member, node, book.sheet_title("steps")))
        book.text(sheet, row, 3, unit, book.formats.unit())
        book.text(sheet, row, 4, _one_level(node, member, number_of), book.formats.text(muted=True))


def _in_words(node: Node) -> str:
    """The formula over named nodes; of a long one the way to its steps."""
    text = node.text(follow_name=True)
    return text if len(text) <= _LONGEST_FORMULA else f"in steps, see the sheet Steps, 'For' {node.name}"


def _one_level(node: Node, member: int, number_of: dict[tuple[int, int], int]) -> str:
    """The operation of a step, with other steps by their numbers."""
    words = [
        f"step {number_of[(member, operand.index)]}" if (member, operand.index) in number_of else operand.text()
        for operand in node.operands
    ]
    return OPERATIONS[node.operation].text.format(*words)


def write_units(book: Book) -> None:
    """Write the conversions that formulas name; the last sheet that is filled, since all others use them."""
    used = book.conversions.used()
    if not used:
        return
    sheet = book.add_sheet("units")
    book.head(sheet, TOP, ("Name", "One", "is so many", "of"), right=("is so many",))
    book.widths(sheet, 40, 26, 22, 22)
    for offset, each in enumerate(used):
        row = TOP + 1 + offset
        book.text(sheet, row, 0, each.name)
        book.text(sheet, row, 1, each.of)
        book.live(sheet, row, 2, each.cell(), book.formats.number("General"))
        book.text(sheet, row, 3, each.to, book.formats.unit())
        book.define(each.name, Place(book.sheet_title("units"), row, 2))
