"""The sheet of assumptions: every input once, named, with its range, its source, and what may be typed into it."""

from __future__ import annotations

from typing import Any

from tco import catalog
from tco.errors import UnitError
from tco.graph import Node
from tco.reports.summary import input_source
from tco.reports.workbook.book import TOP, Book, Place
from tco.reports.workbook.live import Live, all_of, number
from tco.reports.workbook.style import input_format
from tco.units import Q, convert

_COLUMNS = (
    "Case", "Input", "What it is", "Value", "Unit", "Low", "High", "Distribution", "Assumed?", "Source", "No.",
    "Licence", "Remark", "As written", "Owner", "Date",
)  # fmt: skip
CASE, NAME, LABEL, VALUE, UNIT, LOW, HIGH, SPREAD, ASSUMED, SOURCE, NUMBER, LICENCE, REMARK, WRITTEN, OWNER, DATE = (
    range(len(_COLUMNS))
)
_ANY = 1e300
#: Longest title and message that a cell may show when it is selected.
_LONGEST_TITLE, _LONGEST_MESSAGE = 32, 255


def _same(a: Node, b: Node) -> bool:
    """Whether two inputs of two members are one and the same number."""
    return a.value == b.value and a.unit == b.unit and a.given == b.given and a.label == b.label


def rows(book: Book) -> list[tuple[list[int], Node]]:
    """The inputs of all members; one that is the same in all of them stands once."""
    graphs = [member.estimate.graph for member in book.members]
    names = list(dict.fromkeys(node.name for graph in graphs for node in graph.inputs()))
    names = [name for name in names if not (book.elsewhere and name.startswith(book.elsewhere))]
    if len(graphs) == 1:
        return [([0], graphs[0][name]) for name in names]
    shared, own = [], []
    for name in names:
        nodes = [(place, graph.named[name]) for place, graph in enumerate(graphs) if name in graph.named]
        if len(nodes) == len(graphs) and all(_same(nodes[0][1], node) for _, node in nodes):
            shared.append(([place for place, _ in nodes], nodes[0][1]))
        else:
            own += [([place], node) for place, node in nodes]
    own.sort(key=lambda row: row[0][0])
    return shared + own


def place_input(book: Book, members: list[int], node: Node, place: Place, low: Place | None, high: Place | None) -> str:
    """Give an input its cell, its name and the cells of its range; returns the name."""
    own = len(book.members) > 1 and len(members) == 1
    name = book.names.of("in", *((book.members[members[0]].key,) if own else ()), node.name)
    book.define(name, place)
    given = node.given
    assert given is not None
    ends = (low if given.low is not None else None, high if given.high is not None else None)
    for member in members:
        key = (member, book.members[member].estimate.graph.named[node.name].index)
        book.places[key], book.ends[key] = (place, name), ends
    return name


def place_inputs(book: Book) -> list[tuple[list[int], Node]]:
    """Give every input its cell and its name, before formulas are written that refer to it."""
    all_rows = rows(book)
    book.add_sheet("inputs")
    for offset, (members, node) in enumerate(all_rows):
        place = Place(book.sheet_title("inputs"), TOP + 1 + offset, VALUE)
        place_input(book, members, node, place, place.at(place.row, LOW), place.at(place.row, HIGH))
    return all_rows


def write_inputs(book: Book, all_rows: list[tuple[list[int], Node]]) -> None:
    """Write the sheet."""
    sheet = book.add_sheet("inputs")
    several = len(book.members) > 1
    book.widths(sheet, 16 if several else 2, 30, 34, 13, 12, 11, 11, 12, 9, 46, 6, 16, 90, 13, 12, 12)
    sheet.print_area(0, 0, TOP + len(all_rows), NUMBER)
    if not several:
        sheet.set_column(CASE, CASE, 2, None, {"hidden": True})
        # The heading stands in the first column that is seen.
        plan = book.plans["inputs"]
        sheet.write_string(0, NAME, plan.title, book.formats.title())
        sheet.write_string(1, NAME, plan.purpose, book.formats.purpose())
    book.head(sheet, TOP, _COLUMNS, right=("Value", "Low", "High", "As written"))
    sheet.freeze_panes(TOP + 1, VALUE)
    sheet.repeat_rows(TOP)
    changed, ranged = [], []
    for offset, (members, node) in enumerate(all_rows):
        row = TOP + 1 + offset
        title = "all" if len(members) > 1 else book.members[members[0]].title
        _write_row(book, sheet, row, title if several else "", node)
        value, low, high, written = (
            Live(Place(book.sheet_title("inputs"), row, c).full, v)
            for c, v in ((VALUE, node.value), (LOW, 0.0), (HIGH, 0.0), (WRITTEN, node.value))
        )
        changed.append(f"IF({value.text}={written.text},0,1)")
        given = node.given
        if given is not None and given.low is not None and given.high is not None:
            ranged.append((low.text, value.text, high.text, f"{node.name} is within its range"))
    last = TOP + len(all_rows)
    sheet.autofilter(TOP, 0, last, len(_COLUMNS) - 1)
    top = Place("", TOP + 1, VALUE).cell.replace("$", "")
    as_written = Place("", TOP + 1, WRITTEN).cell.replace("$", "")
    sheet.conditional_format(
        TOP + 1, VALUE, last, VALUE,
        {"type": "formula", "criteria": f"={top}<>{as_written}", "format": book.formats.changed()},
    )  # fmt: skip
    book.define(book.names.of("edited"), Place(book.sheet_title("inputs"), 2, VALUE))
    book.text(sheet, 2, LABEL, "Inputs that are not as written:", book.formats.purpose())
    span = f"{Place('', TOP + 1, VALUE).cell}:{Place('', last, VALUE).cell}"
    before = f"{Place('', TOP + 1, WRITTEN).cell}:{Place('', last, WRITTEN).cell}"
    book.live(sheet, 2, VALUE, Live(f"SUMPRODUCT(1*({span}<>{before}))", 0.0), book.formats.number("0"))
    for low_, value_, high_, text in ranged:
        holds = Live(f"IF({low_}<={value_},IF({value_}<={high_},1,0),0)", 1.0)
        book.check(text, holds, book.sheet_title("inputs"))
    _check_bounds(book, all_rows)


def _write_row(book: Book, sheet: Any, row: int, case: str, node: Node) -> None:
    formats, given = book.formats, node.given
    assert given is not None
    plain = formats.text()
    for column, text in ((CASE, case), (NAME, node.name), (LABEL, node.label)):
        book.text(sheet, row, column, text, plain)
    book.text(sheet, row, UNIT, node.unit, formats.unit())
    sheet.write_number(row, VALUE, node.value, formats.input(input_format(node.value)))
    for column, end in ((LOW, given.low), (HIGH, given.high)):
        if end is not None:
            sheet.write_number(row, column, end, formats.input(input_format(end)))
        else:
            sheet.write_blank(row, column, None, plain)
    spread = given.distribution or ("triangular" if given.low is not None or given.high is not None else "")
    book.text(sheet, row, SPREAD, spread, plain)
    book.text(sheet, row, ASSUMED, "assumed" if given.assumed else "stated", plain)
    source = input_source(node)
    book.text(sheet, row, SOURCE, source or "not stated", plain)
    if given.source is not None:
        book.text(sheet, row, NUMBER, book.source_id(given.source, source), plain)
        book.text(sheet, row, LICENCE, given.source.licence or "", plain)
    else:
        book.text(sheet, row, NUMBER, "", plain)
        book.text(sheet, row, LICENCE, "", plain)
    facts = "; ".join(f"{key.replace('_', ' ')}: {value}" for key, value in node.facts.items() if value is not None)
    remark = "; ".join(part for part in (given.note if given.note != source else "", facts) if part)
    book.text(sheet, row, REMARK, remark, plain)
    sheet.write_number(row, WRITTEN, node.value, formats.number(input_format(node.value), muted=True))
    for column in (OWNER, DATE):
        sheet.write_blank(row, column, None, formats.input(text=True))
    sheet.data_validation(row, VALUE, row, VALUE, _validation(row, node))


def _validation(row: int, node: Node) -> dict[str, Any]:
    """What may be typed: a number; outside of the range after a question, outside of what is possible never."""
    given, unit = node.given, "" if node.unit == "1" else f" {node.unit}"
    assert given is not None
    about = {"input_title": node.name[:_LONGEST_TITLE], "input_message": (node.label or node.name)[:_LONGEST_MESSAGE]}
    rule: dict[str, Any] = {"validate": "decimal", "criteria": "between", "error_title": "This input", **about}
    if given.low is not None and given.high is not None and given.low < given.high:
        low, high = (f"={Place('', row, column).cell}" for column in (LOW, HIGH))
        message = f"Outside of its range, {given.low:g} to {given.high:g}{unit}. Keep it all the same?"
        return {**rule, "minimum": low, "maximum": high, "error_type": "warning", "error_message": message}
    least, most = possible(node)
    message = "A number is needed" + (f", {least:g} or more" if least is not None else "")
    message += (f", at most {most:g}" if most is not None else "") + f"{unit}."
    ends = {"minimum": -_ANY if least is None else least, "maximum": _ANY if most is None else most}
    return {**rule, **ends, "error_type": "stop", "error_message": message[:_LONGEST_MESSAGE]}


def possible(node: Node) -> tuple[float | None, float | None]:
    """Bounds that no such input leaves, in its unit."""
    bounds = catalog.plausible(node.name)
    if bounds is None:
        return None, None

    def in_unit(end: float | None) -> float | None:
        return None if end is None else float(convert(Q(end, bounds.unit), node.unit).magnitude)

    try:
        return in_unit(bounds.minimum if bounds.minimum is not None else bounds.above), in_unit(bounds.maximum)
    except UnitError:  # bounds in another currency
        return None, None


def _check_bounds(book: Book, all_rows: list[tuple[list[int], Node]]) -> None:
    """Checks of what is possible, of units, and of sources."""
    for offset, (_, node) in enumerate(all_rows):
        least, most = possible(node)
        cell = Live(Place(book.sheet_title("inputs"), TOP + 1 + offset, VALUE).full, node.value)
        tests = [number(end) <= cell for end in (least,) if end is not None]
        tests += [cell <= number(end) for end in (most,) if end is not None]
        if tests:
            words = " and ".join(
                [f"at least {least:g}"] * (least is not None) + [f"at most {most:g}"] * (most is not None)
            )
            book.check(f"{node.name} is {words} {node.unit if node.unit != '1' else ''}".strip(), all_of(tests),
                       book.sheet_title("inputs"))  # fmt: skip
    first, last = TOP + 1, TOP + len(all_rows)
    for column, what in ((UNIT, "unit"), (SOURCE, "source or a remark that it is not stated")):
        span = f"{Place(book.sheet_title('inputs'), first, column).full}:{Place('', last, column).cell}"
        book.check(
            f"Every input has a {what}",
            Live(f'IF(SUMPRODUCT(1*({span}=""))=0,1,0)', 1.0),
            book.sheet_title("inputs"),
        )
