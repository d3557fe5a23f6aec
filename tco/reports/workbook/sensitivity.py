"""One input at a time, live: the part of the graph that it reaches, computed again for either end of its range."""

from __future__ import annotations

from typing import Any, NamedTuple

from tco.graph import Node
from tco.reports.workbook.book import TOP, Book, Place
from tco.reports.workbook.cells import expression
from tco.reports.workbook.live import Live, close
from tco.reports.workbook.style import number_format

#: Inputs shown for each line.
MOST = 12
_COLUMNS = ("Input", "What it is", "Low", "As it is", "High", "Unit", "At low", "Result", "At high", "Swing",
            "Below", "Above")  # fmt: skip


class Block(NamedTuple):
    """One tornado: a line of a member, and the inputs by how far they move it."""

    member: int
    line: Node
    inputs: tuple[Node, ...]


def blocks(book: Book, lines: tuple[str, ...], most: int = MOST) -> list[Block]:
    """What there is to show for each member and line."""
    found = []
    for member, each in enumerate(book.members):
        graph = each.estimate.graph
        for name in lines:
            if name not in graph.named:
                continue
            influences = each.estimate.sensitivity(name).influences
            moving = sorted(
                (i for i in influences if i.distribution is not None and i.swing > 0), key=lambda i: -i.swing
            )
            if moving:
                found.append(Block(member, graph[name], tuple(graph[i.name] for i in moving[:most])))
    return found


def write_sensitivity(book: Book, all_blocks: list[Block]) -> None:
    """Write both sheets: the tables with their charts, and the cells that they rest on."""
    sheet, steps = book.add_sheet("sensitivity"), book.add_sheet("sensitivity_steps")
    book.widths(sheet, 32, 38, 15, 15, 15, 12, 15, 15, 15, 15, 14, 14)
    book.widths(steps, 44)
    row, step_row = TOP, TOP
    if not all_blocks:
        book.text(sheet, row, 0, "No input that a total rests on has a range.", book.formats.purpose())
    tops = []
    for block in all_blocks:
        tops.append(row)
        ends, step_row = _write_steps(book, steps, block, step_row)
        row = _write_block(book, sheet, block, ends, row)
    book.scale_to_width(sheet, len(_COLUMNS), tops[2::2])


def _affected(book: Book, block: Block) -> dict[int, set[int]]:
    """For each input of a block the nodes that it reaches, among those that the line rests on."""
    graph = book.members[block.member].estimate.graph
    needed = graph.needed_for([block.line])
    reached: dict[int, set[int]] = {node.index: {node.index} for node in block.inputs}
    for node in needed:
        for nodes in reached.values():
            if any(operand.index in nodes for operand in node.operands):
                nodes.add(node.index)
    return reached


def _ends(book: Book, member: int, node: Node) -> tuple[Live, Live]:
    """Cells of the low and the high end of an input; the input itself where it has no such end."""
    place, _ = book.places[(member, node.index)]
    given, (at_low, at_high) = node.given, book.ends[(member, node.index)]
    assert given is not None
    own = Live(place.full, node.value)
    low = own if at_low is None or given.low is None else Live(at_low.full, given.low)
    high = own if at_high is None or given.high is None else Live(at_high.full, given.high)
    return low, high


def _write_steps(book: Book, sheet: Any, block: Block, top: int) -> tuple[dict[int, tuple[Live, Live]], int]:
    """The cells of one block; returns the line at both ends of each input, and the next free row."""
    graph, title = book.members[block.member].estimate.graph, sheet.get_name()
    reached = _affected(book, block)
    rows = [
        n for n in graph.needed_for([block.line]) if any(n.index in nodes for nodes in reached.values()) and n.operands
    ]
    place_of = {node.index: top + 2 + offset for offset, node in enumerate(rows)}
    who = f"{book.members[block.member].title}: " if len(book.members) > 1 else ""
    book.text(sheet, top, 0, f"{who}{block.line.name}", book.formats.heading())
    book.text(sheet, top + 1, 0, "Line or step", book.formats.head())
    for node in rows:
        text = node.name or node.text(follow_name=True)
        book.text(sheet, place_of[node.index], 0, text, book.formats.text(wrap=False, muted=not node.name))
    results: dict[int, tuple[Live, Live]] = {}
    for offset, changed in enumerate(block.inputs):
        nodes = reached[changed.index]
        found = []
        for side, end in enumerate(_ends(book, block.member, changed)):
            column = 1 + 2 * offset + side
            book.width(sheet, column, 15)
            head = f"{changed.name}, {('low', 'high')[side]}"
            book.text(sheet, top + 1, column, head, book.formats.head(right=True))
            lives: dict[int, Live] = {changed.index: end}

            def at(operand: Node, lives: dict[int, Live] = lives) -> Live:
                return lives.get(operand.index) or book.at(block.member, operand, title)

            for node in rows:
                row = place_of[node.index]
                if node.index not in nodes:
                    continue
                live = expression(node, at, book.conversions)
                book.live(sheet, row, column, live)
                lives[node.index] = Live(Place(title, row, column).cell, live.value)
            whole = lives[block.line.index]
            found.append(Live(f"{_quoted(title)}!{whole.text}", whole.value))
        results[changed.index] = (found[0], found[1])
    return results, top + len(rows) + 4


def _quoted(title: str) -> str:
    return Place(title, 0, 0).full.partition("!")[0]


def _write_block(book: Book, sheet: Any, block: Block, ends: dict[int, tuple[Live, Live]], top: int) -> int:
    formats, line = book.formats, block.line
    who = f"{book.members[block.member].title}: " if len(book.members) > 1 else ""
    book.text(sheet, top, 0, f"{who}{line.name}: {line.label} [{line.unit}]", formats.heading())
    head = top + 1
    book.head(sheet, head, _COLUMNS, right=[c for c in _COLUMNS if c not in ("Input", "What it is", "Unit")])
    base = book.at(block.member, line)
    title = sheet.get_name()
    form = formats.number(number_format(line.value, line.unit))
    for offset, node in enumerate(block.inputs):
        row = head + 1 + offset
        low, high = _ends(book, block.member, node)
        plain = formats.number(number_format(node.value, node.unit))
        book.text(sheet, row, 0, node.name, formats.text(wrap=False))
        book.text(sheet, row, 1, node.label)
        for column, live in ((2, low), (3, book.at(block.member, node)), (4, high)):
            book.live(sheet, row, column, live, plain)
        book.text(sheet, row, 5, node.unit, formats.unit())
        at_low = book.live(sheet, row, 6, ends[node.index][0], form)
        result = book.live(sheet, row, 7, base, form)
        at_high = book.live(sheet, row, 8, ends[node.index][1], form)
        at_low, result, at_high = (
            Live(Place(title, row, column).cell, live.value)
            for column, live in ((6, at_low), (7, result), (8, at_high))
        )
        swing = abs(at_high.value - at_low.value)
        book.live(sheet, row, 9, Live(f"ABS({at_high.text}-{at_low.text})", swing), form)
        book.live(sheet, row, 10, at_low - result, form)
        book.live(sheet, row, 11, at_high - result, form)
    last = head + len(block.inputs)
    first_result = Live(Place(title, head + 1, 7).full, base.value)
    book.check(f"{who}the result on this sheet is {line.name}", close(first_result, base, 1e-9), title)
    _chart(book, sheet, block, head + 1, last, last + 2)
    return last + 2 + 18


def _chart(book: Book, sheet: Any, block: Block, first: int, last: int, at: int) -> None:
    charts, title = book.formats.charts, sheet.get_name()
    chart = book.file.add_chart({"type": "bar", "subtype": "stacked"})
    for column, name, colour in ((10, "input at its low end", charts["low"]), (11, "at its high end", charts["high"])):
        chart.add_series(
            {
                "name": name,
                "categories": [title, first, 0, last, 0],
                "values": [title, first, column, last, column],
                "fill": {"color": colour},
                "gap": 40,
            }
        )
    chart.set_title({"name": f"{block.line.name}: one input at a time", "name_font": {"size": 11}})
    chart.set_y_axis(
        {"reverse": True, "crossing": "max", "label_position": "low", "num_font": {"size": 8}, "line": {"none": True}}
    )
    chart.set_x_axis(
        {
            "name": f"change of {block.line.name} [{block.line.unit}]",
            "name_font": {"size": 9},
            "num_format": "#,##0.##",
            "major_gridlines": {"visible": True, "line": {"color": book.formats.colours["line"]}},
        }
    )
    chart.set_legend({"position": "bottom"})
    chart.set_size({"width": 900, "height": 330})
    sheet.insert_chart(at, 0, chart, {"object_position": 1, "description": f"Tornado chart of {block.line.name}"})
