"""Cover, read me, change log, reporting fields, sources and checks."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from tco import __version__
from tco.reports.reporting import fields, rules
from tco.reports.workbook.book import TOP, Book, Place
from tco.reports.workbook.layout import read_toml
from tco.reports.workbook.live import Live, number
from tco.reports.workbook.style import number_format
from tco.units import parse_unit

#: Shown on the cover, as far as a member has them.
_HEADLINES = (
    "energy.facility", "carbon.total", "carbon.operational", "carbon.embodied", "cost.total", "cost.annuity.total",
    "cost.npv.total", "score.improvement", "cost.tco", "carbon.life",
)  # fmt: skip


def input_hash(book: Book) -> str:
    """SHA-256 of all that went in: the runs and every input."""
    data = [
        {
            "run": member.estimate.run.model_dump(mode="json", exclude_none=True, by_alias=True),
            "inputs": {name: [node.value, node.unit] for name, node in member.estimate.inputs.items()},
        }
        for member in book.members
    ]
    return hashlib.sha256(json.dumps(data, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def write_cover(book: Book, failed: Live) -> None:
    """What this is, its headline figures, and whether all checks hold."""
    sheet, formats = book.add_sheet("cover"), book.formats
    book.widths(sheet, 32, *([22] * len(book.members)), 12, 60)
    sheet.fit_to_pages(1, 1)
    book.text(sheet, 0, 0, book.title, formats.title())
    row = TOP
    verdict = formats.make(
        num_format='[=0]"all checks pass";[=1]0" check fails";0" checks fail"', bold=True, align="center", border=1,
        border_color=formats.colours["line"],
    )  # fmt: skip
    book.text(sheet, row, 0, "Checks")
    book.live(sheet, row, 1, failed, verdict)
    for criteria, form in (("==", formats.good()), (">", formats.bad())):
        sheet.conditional_format(row, 1, row, 1, {"type": "cell", "criteria": criteria, "value": 0, "format": form})
    book.text(sheet, row + 1, 0, "Inputs that are not as written")
    edited = Live("edited", 0.0)
    book.live(sheet, row + 1, 1, edited, formats.make(num_format='[=0]"none";0', align="center", bottom=1,
                                                      bottom_color=formats.colours["line"]))  # fmt: skip
    row += 3
    row = _facts(book, sheet, row)
    row = _headlines(book, sheet, row + 1)
    book.text(sheet, row + 1, 0, "Contents", formats.heading())
    row += 2
    for key, plan in book.plans.items():
        if key != "cover" and book.has(key):
            sheet.write_url(row, 0, f"internal:{Place(plan.title, 0, 0).full.replace('$', '')}",
                            formats.make(font_color=formats.colours["input_ink"], underline=1), plan.title)  # fmt: skip
            book.text(sheet, row, 1, plan.purpose, formats.make(font_color=formats.colours["muted"]))
            row += 1
    sheet.print_area(0, 0, row, len(book.members) + 2)


def _facts(book: Book, sheet: Any, row: int) -> int:
    formats, first = book.formats, book.members[0].estimate
    graph = first.graph
    money = next((node.facts["currency"] for node in graph.lines() if "currency" in node.facts), "none")
    years = sorted({str(node.facts["price_year"]) for node in graph.lines() if node.facts.get("price_year")})
    work = [node.unit for name, node in graph.named.items() if name.startswith("work.") and not name.endswith("_rate")]
    facts = [
        ("Tool", f"tco {__version__}"),
        ("Hash of the inputs (SHA-256)", input_hash(book)),
        ("Currency", str(money)),
        ("Money of", "; ".join(years) or "no cost"),
        ("Functional unit", "; ".join(dict.fromkeys(work)) or "the run"),
        ("Hardware", first.system.title or first.system.name if first.system else "not known"),
        ("Place", f"{first.region.name} ({first.region.id})" if first.region else "not known"),
        ("Energy from", f"{first.readings[0].boundary}, {first.readings[0].how}" if first.readings else "the bids"),
        ("Data", "; ".join(f"{d.name} {d.release}" for d in first.data_sets) or "none"),
    ]
    if len(book.members) > 1:
        facts = [fact for fact in facts if fact[0] not in ("Hardware", "Place", "Energy from", "Data")]
        facts.append(("Cases", "; ".join(member.title for member in book.members)))
    for name, text in facts:
        book.text(sheet, row, 0, name)
        book.text(sheet, row, 1, text, formats.make())
        row += 1
    for name in ("finance.rate", "system.lifetime"):
        live = book.line(0, name)
        if live is not None:
            node = graph[name]
            book.text(sheet, row, 0, {"finance.rate": "Discount rate, real", "system.lifetime": "Horizon"}[name])
            book.live(sheet, row, 1, live, formats.make(num_format=number_format(node.value), align="left"))
            book.text(sheet, row, 2, node.unit, formats.make())
            row += 1
    book.text(sheet, row, 0, "Status")
    sheet.write_string(row, 1, "draft", formats.input(text=True))
    sheet.data_validation(row, 1, row, 1, {"validate": "list", "source": ["draft", "final"]})
    for offset, name in enumerate(("Date", "For", "Valid until"), 1):
        book.text(sheet, row + offset, 0, name)
        sheet.write_blank(row + offset, 1, None, formats.input(text=True))
    return row + 4


def _headlines(book: Book, sheet: Any, row: int) -> int:
    formats = book.formats
    book.text(sheet, row, 0, "Results", formats.heading())
    titles = [member.title for member in book.members] if len(book.members) > 1 else ["Value"]
    book.head(sheet, row + 1, ("Line", *titles, "Unit", "What it is"), right=titles)
    row += 2
    for name in _HEADLINES:
        nodes = [member.estimate.graph.named.get(name) for member in book.members]
        node = next((node for node in nodes if node is not None), None)
        if node is None:
            continue
        book.text(sheet, row, 0, name, formats.text(bold=True))
        for place, own in enumerate(nodes):
            live = book.line(place, name)
            if own is None or live is None:
                book.text(sheet, row, 1 + place, "not estimated", formats.absent())
            else:
                form = formats.number(number_format(own.value, own.unit), bold=True)
                book.live(sheet, row, 1 + place, live, form)
        book.text(sheet, row, 1 + len(nodes), node.unit, formats.unit())
        method = str(node.facts.get("method", ""))
        book.text(sheet, row, 2 + len(nodes), f"{node.label}{f' ({method})' if method else ''}")
        row += 1
    return row


def write_readme(book: Book) -> None:
    """Colours, methods, signs."""
    sheet = book.add_sheet("readme")
    book.widths(sheet, 120)
    sheet.fit_to_pages(1, 1)
    row = TOP
    for block in read_toml("readme.toml")["block"]:
        book.text(sheet, row, 0, block["title"], book.formats.heading())
        for line in block["lines"]:
            row += 1
            book.text(sheet, row, 0, line, book.formats.make(text_wrap=True))
        row += 2
    sheet.write_string(row, 0, "This is an input", book.formats.input(text=True))


def write_changes(book: Book) -> None:
    """An empty table for whoever changes the book."""
    sheet = book.add_sheet("changes")
    book.widths(sheet, 14, 24, 70, 40)
    book.head(sheet, TOP, ("Date", "Who (role)", "What", "Effect on the result"))
    for row in range(TOP + 1, TOP + 21):
        for column in range(4):
            sheet.write_blank(row, column, None, book.formats.input(text=True))


def write_reporting(book: Book) -> None:
    """Fields of reports, live where a line fills them."""
    sheet, formats = book.add_sheet("reporting"), book.formats
    titles = [member.title for member in book.members] if len(book.members) > 1 else ["Value"]
    book.widths(sheet, 50, 9, *([14] * len(titles)), 10, 14, 60)
    row, count = TOP, 0
    for about in rules().values():
        book.text(sheet, row, 0, about.title, formats.heading())
        book.text(sheet, row + 1, 0, f"Of: {about.level}. {about.remark} Source: {about.source}", formats.purpose())
        row += 2
        book.head(sheet, row, ("Field", "Symbol", *titles, "Unit", "Status", "Remark"), right=titles)
        per_member = [fields(member.estimate, about) for member in book.members]
        for options in zip(*per_member, strict=True):
            row += 1
            shown = next((each for each in options if each.node is not None), options[0])
            book.text(sheet, row, 0, shown.name)
            book.text(sheet, row, 1, shown.symbol)
            for member, each in enumerate(options):
                live = None if each.node is None else book.line(member, each.node.name)
                if each.node is None or live is None:
                    book.text(sheet, row, 2 + member, "n/a", formats.absent())
                    continue
                value = book.conversions.convert(live, each.node.quantity.units, parse_unit(each.unit))
                book.live(sheet, row, 2 + member, value)
            after = 2 + len(titles)
            book.text(sheet, row, after, shown.unit if shown.unit != "1" else "", formats.unit())
            book.text(sheet, row, after + 1, shown.status, formats.text(bold=shown.node is not None))
            book.text(sheet, row, after + 2, shown.remark)
            count += 1
        row += 3
    statuses = Place(sheet.get_name(), 0, 3 + len(titles))
    span = f"{statuses.at(TOP, statuses.column).full}:{statuses.at(row, statuses.column).cell}"
    wanted = "+".join(f'COUNTIF({span},"{status}")' for status in ("filled", "part", "not applicable"))
    book.check("Every field is filled or marked not applicable", Live(f"IF({wanted}={count},1,0)", 1.0),
               sheet.get_name())  # fmt: skip


def write_sources(book: Book) -> None:
    """Bibliography of the inputs, data sets, and what could not be estimated."""
    sheet, formats = book.add_sheet("sources"), book.formats
    columns = ("No.", "Title", "Author", "Year", "Where", "Address", "Licence")
    book.widths(sheet, 6, 56, 26, 7, 50, 36, 20)
    book.head(sheet, TOP, columns)
    sheet.freeze_panes(TOP + 1, 0)
    sheet.repeat_rows(TOP)
    row = TOP
    for place, source in enumerate(book.sources.values(), 1):
        row += 1
        year = "" if source.year is None else str(source.year)
        texts = (f"S{place}", source.title, source.author, year, source.where, source.url, source.licence)
        for column, text in enumerate(texts):
            book.text(sheet, row, column, str(text or ""))
    row += 2
    book.text(sheet, row, 0, "Data sets", formats.heading())
    book.head(sheet, row + 1, ("", "Title", "Name", "Release", "SHA-256", "", "Licence"))
    row += 1
    known = {each.name: each for member in book.members for each in member.estimate.data_sets}
    for each in known.values():
        row += 1
        for column, text in enumerate(("", each.title, each.name, each.release, each.sha256, "", each.licence)):
            book.text(sheet, row, column, text)


def write_checks(book: Book) -> Live:
    """All tests, and what the estimate itself has to say; returns the number of tests that fail."""
    sheet, formats = book.add_sheet("checks"), book.formats
    book.widths(sheet, 90, 12, 26)
    first = TOP + 3
    last = first + len(book.checks) - 1
    book.head(sheet, TOP + 2, ("Test", "Result", "Sheet"))
    sheet.freeze_panes(first, 0)
    sheet.repeat_rows(TOP + 2)
    for offset, check in enumerate(book.checks):
        row = first + offset
        book.text(sheet, row, 0, check.text)
        book.live(sheet, row, 1, check.live, formats.check())
        book.text(sheet, row, 2, check.sheet, formats.text(muted=True))
    span = f"$B${first + 1}:$B${last + 1}"
    wrong = float(sum(check.live.value != 1 for check in book.checks))
    failed = Live(f'COUNTIF({span},"<>1")', wrong) if book.checks else number(0.0)
    book.text(sheet, TOP, 0, "Tests that fail", formats.text(bold=True))
    cell = book.live(sheet, TOP, 1, failed, formats.number("0", bold=True))
    for area in ((first, 1, last, 1),):
        sheet.conditional_format(*area, {"type": "cell", "criteria": "==", "value": 1, "format": formats.good()})
        sheet.conditional_format(*area, {"type": "cell", "criteria": "!=", "value": 1, "format": formats.bad()})
    sheet.conditional_format(TOP, 1, TOP, 1, {"type": "cell", "criteria": ">", "value": 0, "format": formats.bad()})
    row = last + 3
    for title, rows in (
        (
            "What a reader should know",
            [(m.title, w.code, w.message) for m in book.members for w in m.estimate.warnings],
        ),
        ("Not estimated", [(m.title, w.line, w.reason) for m in book.members for w in m.estimate.missing]),
    ):
        if not rows:
            continue
        book.text(sheet, row, 0, title, formats.heading())
        for case, code, message in dict.fromkeys(rows):
            row += 1
            book.text(sheet, row, 0, message)
            book.text(sheet, row, 1, "")
            book.text(sheet, row, 2, code if len(book.members) == 1 else f"{code} ({case})", formats.text(muted=True))
        row += 2
    return Live(cell.text, failed.value)
