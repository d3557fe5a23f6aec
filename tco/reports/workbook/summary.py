"""The sheet of totals: what they are, what they break into, and their charts."""

from __future__ import annotations

from typing import Any

from tco.graph import Graph, Node
from tco.reports.workbook.book import TOP, Book, Place
from tco.reports.workbook.lines import FIRST_VALUE, write_lines
from tco.reports.workbook.live import Live, close, number, total
from tco.reports.workbook.style import number_format

#: Totals that are taken apart: line, chart title, and the sheet that shows the chart again.
BROKEN_DOWN = (
    ("cost.total", "Cost by part", ""),
    ("cost.npv.total", "Present value by part", ""),
    ("cost.tco", "Whole-life cost by part", ""),
    ("carbon.total", "Carbon by source", "carbon"),
)


def leaves(graph: Graph, name: str) -> list[Node]:
    """The lines at the bottom of a total."""
    node = graph.named.get(name)
    if node is None:
        return []
    if not node.parts:
        return [node]
    return [leaf for part in node.parts for leaf in leaves(graph, part.name)]


def write_summary(book: Book, names: list[str]) -> None:
    """Write the sheet."""
    sheet = write_lines(book, "summary", names)
    row = TOP + len(names) + 3
    tops = []
    for line, title, also in BROKEN_DOWN:
        parts = list(dict.fromkeys(leaf.name for m in book.members for leaf in leaves(m.estimate.graph, line)))
        if len(parts) < 2:
            continue
        first = row + 2
        tops.append(row)
        row = _breakdown(book, sheet, row, line, title, parts)
        chart = _chart(book, sheet.get_name(), line, title, first, first + len(parts) - 1)
        sheet.insert_chart(row, 0, chart, {"object_position": 1, "description": f"{title}: stacked bars of {line}"})
        if also:
            other = _chart(book, sheet.get_name(), line, title, first, first + len(parts) - 1)
            lines = len(book.lines_of(also))
            book.add_sheet(also).insert_chart(TOP + lines + 3, 0, other, {"object_position": 1, "description": title})
        row += 19
    book.scale_to_width(sheet, FIRST_VALUE + len(book.members) + 5, tops[1::2])


def _breakdown(book: Book, sheet: Any, row: int, line: str, title: str, parts: list[str]) -> int:
    formats, count = book.formats, len(book.members)
    titles = [member.title for member in book.members] if count > 1 else ["Value"]
    shares = [f"Share: {text}" if count > 1 else "Share" for text in titles]
    book.text(sheet, row, 0, f"{title} ({line})", formats.heading())
    book.head(sheet, row + 1, ("Part", "What it is", *titles, "Unit", *shares), right=[*titles, *shares])
    first = row + 2
    for offset, name in enumerate(parts):
        at = first + offset
        node = next(m.estimate.graph.named[name] for m in book.members if name in m.estimate.graph.named)
        book.text(sheet, at, 0, name, formats.text(wrap=False))
        book.text(sheet, at, 1, node.label)
        book.text(sheet, at, FIRST_VALUE + count, node.unit, formats.unit())
        for member in range(count):
            graph = book.members[member].estimate.graph
            whole, part = graph.named.get(line), graph.named.get(name)
            live = number(0.0) if part is None or whole is None else _in_unit_of(book, member, part, whole)
            form = formats.number(number_format(live.value or 1.0, node.unit))
            if whole is None or part is None:
                book.text(sheet, at, FIRST_VALUE + member, "none", formats.absent())
                continue
            cell = book.live(sheet, at, FIRST_VALUE + member, live, form)
            share = cell / book.at(member, whole) if whole.value else number(0.0)
            book.live(sheet, at, FIRST_VALUE + count + 1 + member, share, formats.number("0.0%"))
    last = first + len(parts) - 1
    for member in range(count):
        whole = book.members[member].estimate.graph.named.get(line)
        if whole is None:
            continue
        column = FIRST_VALUE + member
        span = f"{Place(sheet.get_name(), first, column).full}:{Place('', last, column).cell}"
        who = f"{book.members[member].title}: " if count > 1 else ""
        added = total([Live("0", whole.value)], span)
        book.check(f"{who}the breakdown of {line} adds up to it", close(added, book.at(member, whole), 1e-9),
                   sheet.get_name())  # fmt: skip
    return last + 2


def _in_unit_of(book: Book, member: int, part: Node, whole: Node) -> Live:
    return book.conversions.convert(book.at(member, part), part.quantity.units, whole.quantity.units)


def _chart(book: Book, title: str, line: str, words: str, first: int, last: int) -> Any:
    count = len(book.members)
    colours = book.formats.charts["series"]
    chart = book.file.add_chart({"type": "column" if count > 1 else "bar", "subtype": "stacked"})
    for offset, row in enumerate(range(first, last + 1)):
        chart.add_series(
            {
                "name": [title, row, 0],
                "categories": [title, first - 1, FIRST_VALUE, first - 1, FIRST_VALUE + count - 1],
                "values": [title, row, FIRST_VALUE, row, FIRST_VALUE + count - 1],
                "fill": {"color": colours[offset % len(colours)]},
                "gap": 60,
            }
        )
    unit = next(m.estimate.graph.named[line].unit for m in book.members if line in m.estimate.graph.named)
    axis = {
        "name": unit, "name_font": {"size": 9}, "num_format": "#,##0.##", "min": 0,
        "major_gridlines": {"visible": True, "line": {"color": book.formats.colours["line"]}},
    }  # fmt: skip
    if count > 1:
        chart.set_y_axis(axis)
        chart.set_x_axis({"num_font": {"size": 9}})
    else:
        chart.set_y_axis({"visible": False})
        chart.set_x_axis(axis)
    chart.set_title({"name": f"{words} [{unit}]", "name_font": {"size": 11}})
    chart.set_legend({"position": "bottom" if count == 1 else "right", "font": {"size": 8}})
    chart.set_size({"width": 900, "height": 340 if count > 1 else 260})
    return chart
