"""Sheets of a tender: price lines of each bid, benchmarks against the reference, and the award matrix."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, get_args

from tco.bids.build import Offer
from tco.bids.evaluation import Evaluation, limits_of
from tco.bids.naming import slugs
from tco.bids.records import Criterion, PriceLine, Rule
from tco.bids.scoring import best_of, holds, points_of
from tco.formulas import award
from tco.graph import Node
from tco.reports.workbook.book import TOP, Book, Place
from tco.reports.workbook.inputs import place_input
from tco.reports.workbook.live import Live, all_of, number, total
from tco.reports.workbook.style import input_format, number_format
from tco.reports.workbook.write import finish, members_of, write_sheets
from tco.units import convert, parse_unit

_SENSITIVE = ("cost.npv.total", "carbon.total", "score.improvement")
_PRICE_COLUMNS = (
    "Bidder", "Item", "Category", "Quantity", "Unit price", "Unit", "Low", "High", "Amount", "Price is", "Price base",
    "Delivery", "Warranty", "Counted?", "Flags",
)  # fmt: skip
_QUANTITY, _PRICE, _LOW, _HIGH, _AMOUNT = 3, 4, 6, 7, 8


def to_workbook(evaluation: Evaluation) -> bytes:
    """The evaluation of a tender as the bytes of an XLSX file."""
    offers = [bid.offer for bid in evaluation.bids]
    titles = [each.bid.bidder for each in offers]
    book = Book(members_of([each.estimate for each in offers], titles), evaluation.tender.name)
    if len(offers) == 1:
        book.members = (book.members[0]._replace(title=titles[0]),)
    has_benchmarks = bool(evaluation.tender.benchmark)
    keys = [key for key in book.plans if key != "benchmarks" or has_benchmarks]
    for key in keys:
        book.add_sheet(key)
    book.elsewhere = ("price.", "benchmark.")
    lines = _place_prices(book, offers)
    _place_benchmarks(book, evaluation)
    write_sheets(book, keys, _SENSITIVE)
    _write_prices(book, offers, lines)
    if has_benchmarks:
        _write_benchmarks(book, evaluation)
    _write_scoring(book, evaluation)
    finish(book)
    return book.bytes()


# ---- price lines ----------------------------------------------------------------------------------------------------


def _place_prices(book: Book, offers: Sequence[Offer]) -> list[tuple[int, PriceLine, str]]:
    """Give the inputs of all price lines their cells; returns the lines with their member and short name."""
    found: list[tuple[int, PriceLine, str]] = []
    for member, each in enumerate(offers):
        short = slugs(line.item for line in each.bid.prices)
        for line in each.bid.prices:
            row = TOP + 1 + len(found)
            found.append((member, line, short[line.item]))
            for what, column in (("quantity", _QUANTITY), ("unit_price", _PRICE)):
                node = each.estimate.graph.named.get(f"price.{short[line.item]}.{what}")
                if node is not None:
                    place = Place(book.sheet_title("bids"), row, column)
                    low, high = (place.at(row, c) if what == "unit_price" else None for c in (_LOW, _HIGH))
                    place_input(book, [member], node, place, low, high)
    return found


def _write_prices(book: Book, offers: Sequence[Offer], lines: list[tuple[int, PriceLine, str]]) -> None:
    sheet, formats = book.add_sheet("bids"), book.formats
    book.widths(sheet, 18, 34, 13, 10, 14, 11, 12, 12, 17, 10, 11, 11, 10, 10, 50)
    book.head(sheet, TOP, _PRICE_COLUMNS, right=("Quantity", "Unit price", "Low", "High", "Amount"))
    sheet.freeze_panes(TOP + 1, 2)
    sheet.repeat_rows(TOP)
    for offset, (member, line, short) in enumerate(lines):
        _write_price(book, sheet, TOP + 1 + offset, offers[member], member, line, short)
    row = TOP + len(lines) + 3
    book.text(sheet, row, 0, "Offers", formats.heading())
    book.head(
        sheet, row + 1, ("Bidder", "Hardware record", "Nodes", "", "Delivery", "Valid until", "", "Remarks and flags")
    )
    row += 2
    plain = formats.text(wrap=False)
    for each in offers:
        bid = each.bid
        on_lines = {line.item for line in bid.prices}
        flags = [f"{f.code}: {f.where}: {f.message}" for f in each.flags if f.where not in on_lines]
        texts = (
            bid.bidder, bid.system or "not stated", f"{bid.nodes.value:g}", "", str(bid.delivery or "not stated"),
            str(bid.valid_until or "not stated"), "",
        )  # fmt: skip
        for column, text in enumerate(texts):
            book.text(sheet, row, column, text, plain)
        for text in [*([bid.note] if bid.note else []), *flags] or [""]:
            book.text(sheet, row, len(texts), text, formats.make(font_color=formats.colours["bad_ink"]))
            row += 1


def _write_price(
    book: Book, sheet: Any, row: int, each: Offer, member: int, line: PriceLine, short: str
) -> None:  # fmt: skip
    formats, graph = book.formats, each.estimate.graph
    price, quantity = graph.named.get(f"price.{short}.unit_price"), graph.named.get(f"price.{short}.quantity")
    for column, text in ((0, each.bid.bidder), (1, line.item), (2, line.category)):
        book.text(sheet, row, column, text)
    if price is None or quantity is None:
        for column in (_QUANTITY, _PRICE, _LOW, _HIGH, _AMOUNT):
            book.text(sheet, row, column, "missing" if column == _PRICE else "", formats.absent())
        book.text(sheet, row, 5, "")
    else:
        for node, column in ((quantity, _QUANTITY), (price, _PRICE)):
            sheet.write_number(row, column, node.value, formats.input(input_format(node.value)))
            about = {"input_title": "Price line", "input_message": f"{line.item}: {node.label}"[:255]}
            sheet.data_validation(row, column, row, column, {
                "validate": "decimal", "criteria": ">=", "value": 0, "error_title": "This input",
                "error_message": "A number is needed, 0 or more.", **about})  # fmt: skip
        book.text(sheet, row, 5, price.unit, formats.unit())
        given = price.given
        for column, end in ((_LOW, given.low if given else None), (_HIGH, given.high if given else None)):
            if end is None:
                sheet.write_blank(row, column, None, formats.text())
            else:
                sheet.write_number(row, column, end, formats.input(input_format(end)))
        amount = award.offered(book.at(member, quantity), book.at(member, price))
        book.live(
            sheet, row, _AMOUNT, amount, formats.number(number_format(amount.value, price.unit.partition("/")[0]))
        )
        if given is not None and given.source is not None:
            book.source_id(given.source, str(given.source))
    sheet.write_string(row, 9, line.terms, formats.input(text=True))
    sheet.data_validation(row, 9, row, 9, {"validate": "list", "source": ["fixed", "indexed"]})
    warranty = "" if line.warranty is None else f"{line.warranty.value:g} {line.warranty.unit}"
    counted = "option" if line.option else "yes"
    flags = "; ".join(f"{flag.code}: {flag.message}" for flag in each.flags if flag.where == line.item)
    for column, text in (
        (10, line.price_base or ""), (11, str(line.delivery or "")), (12, warranty), (13, counted), (14, flags),
    ):  # fmt: skip
        form = formats.make(font_color=formats.colours["bad_ink"], text_wrap=True) if column == 14 and flags else None
        book.text(sheet, row, column, text, form)


# ---- benchmarks -----------------------------------------------------------------------------------------------------

_NAME, _UNIT, _WEIGHT, _REFERENCE, _FIRST = range(5)


def _place_benchmarks(book: Book, evaluation: Evaluation) -> None:
    offers = [bid.offer for bid in evaluation.bids]
    short = slugs(each.name for each in evaluation.tender.benchmark)
    for offset, benchmark in enumerate(evaluation.tender.benchmark):
        row, key = TOP + 1 + offset, f"benchmark.{short[benchmark.name]}"
        title = book.sheet_title("benchmarks")
        for what, column in (("weight", _WEIGHT), ("reference", _REFERENCE)):
            name = f"{key}.{what}"
            members = [m for m, each in enumerate(offers) if name in each.estimate.graph.named]
            if members:
                node = offers[members[0]].estimate.graph[name]
                place_input(book, members, node, Place(title, row, column), None, None)
        for member, each in enumerate(offers):
            figure = each.estimate.graph.named.get(f"{key}.figure")
            if figure is not None:
                place_input(book, [member], figure, Place(title, row, _FIRST + member), None, None)


def _write_benchmarks(book: Book, evaluation: Evaluation) -> None:
    sheet, formats = book.add_sheet("benchmarks"), book.formats
    offers, tender = [bid.offer for bid in evaluation.bids], evaluation.tender
    count = len(offers)
    titles = [each.bid.bidder for each in offers]
    gains = [f"S: {title}" for title in titles]
    book.widths(sheet, 28, 16, 10, 16, *([16] * count), *([13] * count))
    book.head(sheet, TOP, ("Benchmark", "Unit", "Weight", "Reference, one node", *titles, *gains),
              right=("Weight", "Reference, one node", *titles, *gains))  # fmt: skip
    sheet.freeze_panes(TOP + 1, 1)
    short = slugs(each.name for each in tender.benchmark)
    for offset, benchmark in enumerate(tender.benchmark):
        row, key = TOP + 1 + offset, f"benchmark.{short[benchmark.name]}"
        book.text(sheet, row, _NAME, benchmark.name)
        book.text(sheet, row, _UNIT, benchmark.unit)
        for what, column in (("weight", _WEIGHT), ("reference", _REFERENCE)):
            node = next(e.estimate.graph[f"{key}.{what}"] for e in offers if f"{key}.{what}" in e.estimate.graph.named)
            sheet.write_number(row, column, node.value, formats.input(input_format(node.value)))
        for member, each in enumerate(offers):
            graph = each.estimate.graph
            figure, gain = graph.named.get(f"{key}.figure"), graph.named.get(f"score.gain.{short[benchmark.name]}")
            if figure is None or gain is None:
                for column in (_FIRST + member, _FIRST + count + member):
                    book.text(sheet, row, column, "left out", formats.absent())
                continue
            own = next(o for o in each.bid.benchmarks if o.name == benchmark.name)
            sheet.write_number(row, _FIRST + member, figure.value, formats.input(input_format(figure.value)))
            if not own.committed:
                sheet.write_comment(row, _FIRST + member, "a projection, to which the bidder is not bound")
            book.live(sheet, row, _FIRST + count + member, book.at(member, gain))
    first, last = TOP + 1, TOP + len(tender.benchmark)
    row = last + 1
    book.text(sheet, row, _NAME, "Sum of weights", formats.text(bold=True))
    span = f"{Place('', first, _WEIGHT).cell}:{Place('', last, _WEIGHT).cell}"
    weights = [benchmark.weight.value for benchmark in tender.benchmark]
    book.live(sheet, row, _WEIGHT, total([number(w) for w in weights], span))
    for member, each in enumerate(offers):
        omitted = set(each.omitted)
        cells = [number(0.0)]
        cells += [Live(Place("", first + i, _WEIGHT).cell, b.weight.value)
                  for i, b in enumerate(tender.benchmark) if b.name not in omitted]  # fmt: skip
        book.live(sheet, row, _FIRST + member, total(cells))
        improvement = each.estimate.graph.named.get("score.improvement")
        if improvement is not None:
            book.live(
                sheet, row + 1, _FIRST + member, book.at(member, improvement), formats.number("0.0000", bold=True)
            )
    book.text(sheet, row + 1, _NAME, "Scaled improvement", formats.text(bold=True))
    book.text(
        sheet,
        row + 3,
        _NAME,
        "Scaled improvement: nodes offered over those of the reference, times exp(sum of w ln S / sum of w). The "
        "sum of weights under a bidder is that of the benchmarks it has a figure for: the rest is spread over them.",
        formats.purpose(),
    )
    for offset, weight in enumerate(weights):
        cell = Live(Place(sheet.get_name(), first + offset, _WEIGHT).full, weight)
        book.check(
            f"the weight of {tender.benchmark[offset].name} is above 0",
            Live(f"IF({cell.text}>0,1,0)", float(weight > 0)),
            sheet.get_name(),
        )


# ---- award ----------------------------------------------------------------------------------------------------------


def _write_scoring(book: Book, evaluation: Evaluation) -> None:
    sheet = book.add_sheet("scoring")
    count = len(evaluation.bids)
    book.widths(sheet, 32, 26, 17, 11, 10, 11, 11, *([15] * (3 * count)))
    row, admitted = _write_mandatory(book, sheet, evaluation, TOP)
    row, totals = _write_awards(book, sheet, evaluation, row + 1, admitted)
    if totals:
        row = _write_ranks(book, sheet, evaluation, row, admitted, totals)
    _write_switches(book, sheet, evaluation, row + 2)


def _bounds(evaluation: Evaluation) -> list[Criterion]:
    return [*limits_of(evaluation.tender), *(c for c in evaluation.tender.criterion if c.kind == "mandatory")]


def _value(book: Book, member: int, criterion: Criterion, unit: str) -> Live | None:
    node: Node | None = book.members[member].estimate.graph.named.get(criterion.line)
    if node is None:
        return None
    return book.conversions.convert(book.at(member, node), node.quantity.units, parse_unit(unit or node.unit))


def _unit_of(book: Book, criterion: Criterion) -> str:
    for member in book.members:
        node = member.estimate.graph.named.get(criterion.line)
        if node is not None:
            unit = criterion.unit or node.unit
            convert(node.quantity, unit)
            return unit
    return criterion.unit


def _write_mandatory(book: Book, sheet: Any, evaluation: Evaluation, top: int) -> tuple[int, list[Live]]:
    formats, title = book.formats, sheet.get_name()
    bids = evaluation.bids
    titles = [bid.offer.bid.bidder for bid in bids]
    book.text(sheet, top, 0, "Mandatory criteria", formats.heading())
    met_titles = [f"Met: {text}" for text in titles]
    heads = ("Criterion", "Line", "Bound", "Unit", "", "", "", *titles, *met_titles)
    book.head(sheet, top + 1, heads, right=("Bound", *titles, *met_titles))
    row = top + 2
    met: list[list[Live]] = [[] for _ in bids]
    for criterion in _bounds(evaluation):
        unit = _unit_of(book, criterion)
        bound = criterion.at_most if criterion.at_most is not None else criterion.at_least
        assert bound is not None
        sign = "at most" if criterion.at_most is not None else "at least"
        for column, text in ((0, f"{criterion.name}, {sign}"), (1, criterion.line)):
            book.text(sheet, row, column, text)
        sheet.write_number(row, 2, bound, formats.input(input_format(bound)))
        book.text(sheet, row, 3, unit, formats.unit())
        cell = Live(Place(title, row, 2).cell, bound)
        live_criterion = criterion.model_copy(
            update={"at_most": cell if criterion.at_most is not None else None,
                    "at_least": cell if criterion.at_least is not None else None}
        )  # fmt: skip
        for member in range(len(bids)):
            offered = _value(book, member, criterion, unit)
            if offered is None:
                book.text(sheet, row, 7 + member, "not stated", formats.absent())
                result = number(0.0)
            else:
                here = book.live(sheet, row, 7 + member, offered)
                result = holds(Live(Place(title, row, 7 + member).cell, here.value), live_criterion)
            met[member].append(_met(book, sheet, row, 7 + len(bids) + member, result))
        row += 1
    row = _write_delivery(book, sheet, evaluation, row, met)
    if row == top + 2:
        book.text(sheet, row, 0, "none", formats.absent())
        row += 1
    book.text(sheet, row, 0, "Admitted", formats.text(bold=True))
    admitted = []
    for member in range(len(bids)):
        column = 7 + len(bids) + member
        live = all_of(met[member]) if met[member] else number(1.0)
        admitted.append(_met(book, sheet, row, column, live))
    first, last = 7 + len(bids), 6 + 2 * len(bids)
    for value, form in ((1, formats.good()), (0, formats.bad())):
        sheet.conditional_format(top + 2, first, row, last,
                                 {"type": "cell", "criteria": "==", "value": value, "format": form})  # fmt: skip
    return row + 1, admitted


def _met(book: Book, sheet: Any, row: int, column: int, live: Live) -> Live:
    yes_no = book.formats.make(num_format='[=1]"yes";[=0]"no";0', align="center", bottom=1,
                               bottom_color=book.formats.colours["line"])  # fmt: skip
    book.live(sheet, row, column, live, yes_no)
    return Live(Place(sheet.get_name(), row, column).cell, live.value)


def _write_delivery(book: Book, sheet: Any, evaluation: Evaluation, row: int, met: list[list[Live]]) -> int:
    last = evaluation.tender.limits.delivery
    if last is None:
        return row
    day = book.formats.make(num_format="yyyy-mm-dd", align="right", locked=False, border=1,
                            font_color=book.formats.colours["input_ink"], bg_color=book.formats.colours["input_fill"],
                            border_color=book.formats.colours["line"])  # fmt: skip
    book.text(sheet, row, 0, "delivery, until")
    book.text(sheet, row, 1, "day of delivery")
    sheet.write_datetime(row, 2, _at_midnight(last), day)
    book.text(sheet, row, 3, "")
    for member, bid in enumerate(evaluation.bids):
        offered = bid.offer.bid.delivery
        column = 7 + len(evaluation.bids) + member
        if offered is None:  # flagged, and asked for; it does not shut a bid out
            book.text(sheet, row, 7 + member, "not stated", book.formats.absent())
            book.text(sheet, row, column, "?", book.formats.text(muted=True))
            continue
        sheet.write_datetime(row, 7 + member, _at_midnight(offered), day)
        text = f"IF({Place('', row, 7 + member).cell}<={Place('', row, 2).cell},1,0)"
        met[member].append(_met(book, sheet, row, column, Live(text, float(offered <= last))))
    return row + 1


def _at_midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day)


def _write_awards(
    book: Book, sheet: Any, evaluation: Evaluation, top: int, admitted: list[Live]
) -> tuple[int, list[Live]]:
    formats, title, bids = book.formats, sheet.get_name(), evaluation.bids
    count, most = len(bids), number(evaluation.tender.points)
    titles = [bid.offer.bid.bidder for bid in bids]
    points_titles, weighted_titles = [f"Points: {t}" for t in titles], [f"Weighted: {t}" for t in titles]
    book.text(sheet, top, 0, "Award criteria", formats.heading())
    heads = ("Criterion", "Line", "Unit", "Rule", "Weight", "All points at", "No points at", *titles, *points_titles,
             *weighted_titles)  # fmt: skip
    book.head(sheet, top + 1, heads, right=("Weight", "All points at", "No points at", *titles, *points_titles,
                                            *weighted_titles))  # fmt: skip
    if not evaluation.criteria:
        book.text(sheet, top + 2, 0, "none: the tender names no award criteria", formats.text(muted=True))
        return top + 3, []
    row = top + 2
    weighted: list[list[Live]] = [[] for _ in bids]
    for criterion in evaluation.criteria:
        unit = _unit_of(book, criterion)
        for column, text in ((0, criterion.name), (1, criterion.line)):
            book.text(sheet, row, column, text)
        book.text(sheet, row, 2, unit, formats.unit())
        sheet.write_string(row, 3, criterion.rule, formats.input(text=True))
        sheet.data_validation(row, 3, row, 3, {"validate": "list", "source": list(get_args(Rule))})
        sheet.write_number(row, 4, criterion.weight, formats.input(input_format(criterion.weight)))
        for column, end in ((5, criterion.full), (6, criterion.none)):
            if end is None:
                sheet.write_blank(row, column, None, formats.input())
            else:
                sheet.write_number(row, column, end, formats.input(input_format(end)))
        lives: list[Live | None] = []
        for member in range(count):
            value = _value(book, member, criterion, unit)
            if value is None:
                book.text(sheet, row, 7 + member, "not stated", formats.absent())
                lives.append(None)
                continue
            here = book.live(sheet, row, 7 + member, value)
            lives.append(Live(Place(title, row, 7 + member).cell, here.value))
        for member, live in enumerate(lives):
            column = 7 + count + member
            points = number(0.0) if live is None else _points(row, live, lives, admitted, member, criterion, most)
            book.live(sheet, row, column, points, formats.number("0.00"))
            part = award.weighted(
                Live(Place(title, row, column).cell, points.value), Live(Place(title, row, 4).cell, criterion.weight)
            )
            book.live(sheet, row, column + count, part, formats.number("0.00"))
            weighted[member].append(Live(Place(title, row, column + count).cell, part.value))
        row += 1
    span = f"{Place('', top + 2, 4).cell}:{Place('', row - 1, 4).cell}"
    weights = total([number(c.weight) for c in evaluation.criteria], span)
    book.text(sheet, row, 0, "Total", formats.text(bold=True))
    book.live(sheet, row, 4, weights, formats.number("0.00"))
    full_span = f"{Place(title, top + 2, 4).full}:{Place('', row - 1, 4).cell}"
    book.check("the weights of the award criteria add up to 1",
               Live(f"IF(ABS(SUM({full_span})-1)<1E-6,1,0)", 1.0), title)  # fmt: skip
    totals = []
    for member in range(count):
        column = 7 + 2 * count + member
        span = f"{Place('', top + 2, column).cell}:{Place('', row - 1, column).cell}"
        live = book.live(sheet, row, column, total(weighted[member], span), formats.number("0.00", bold=True))
        totals.append(Live(Place(title, row, column).cell, live.value))
    return row + 1, totals


def _points(
    row: int, live: Live, lives: Sequence[Live | None], admitted: Sequence[Live], member: int, criterion: Criterion,
    most: Live,
) -> Live:  # fmt: skip
    """Points by the rule that is chosen in the row."""
    full = Live(Place("", row, 5).cell, criterion.full or 0.0)
    none = Live(Place("", row, 6).cell, criterion.none or 0.0)
    by_rule: dict[str, Live] = {}
    for rule in get_args(Rule):
        asked = criterion.model_copy(update={"rule": rule, "full": full, "none": none})
        if rule == "linear" and full.value == none.value:
            by_rule[rule] = Live(f"IF({full.text}={none.text},0,{_linear(live, full, none, most).text})", 0.0)
            continue
        best = best_of(lives, admitted, lowest=rule == "lowest")
        points = points_of(live, best, asked, most)  # type: ignore[arg-type]
        if rule == "linear":
            points = Live(f"IF({full.text}={none.text},0,{points.text})", points.value)
        by_rule[rule] = points
    chosen = Place("", row, 3).cell
    text = f'IF({chosen}="lowest",{by_rule["lowest"].text},IF({chosen}="highest",{by_rule["highest"].text},'
    text += f"{by_rule['linear'].text}))"
    return award.counted(admitted[member], Live(text, by_rule[criterion.rule].value))


def _linear(live: Live, full: Live, none: Live, most: Live) -> Live:
    """The text of the rule 'linear' while its two ends are still empty."""
    return award.points_between(live, Live(full.text, 1.0), Live(none.text, 0.0), most)


def _write_ranks(
    book: Book, sheet: Any, evaluation: Evaluation, row: int, admitted: list[Live], totals: list[Live]
) -> int:
    formats, bids = book.formats, evaluation.bids
    first = 7 + 2 * len(bids)
    span = f"{totals[0].text}:{totals[-1].text}"
    rank_form = formats.make(num_format='[=0]"not admitted";0', align="right", bold=True,
                             bg_color=formats.colours["total_fill"])  # fmt: skip
    book.text(sheet, row, 0, "Rank", formats.text(bold=True))
    book.text(sheet, row + 1, 0, "Share of samples in which it wins (as written)", formats.text())
    book.text(sheet, row + 2, 0, "Others with the same points", formats.text())
    for member, bid in enumerate(bids):
        points = totals[member]
        better = f"SUMPRODUCT(1*({span}>{points.text}+1E-9))"
        rank = Live(f"IF({admitted[member].text}=1,1+{better},0)", float(bid.rank or 0))
        book.live(sheet, row, first + member, rank, rank_form)
        if bid.wins is not None:
            sheet.write_number(row + 1, first + member, bid.wins, formats.number("0.0%", muted=True))
        same = f"SUMPRODUCT(1*(ABS({span}-{points.text})<=1E-9))-1"
        ties = sum(abs(other.value - points.value) <= 1e-9 for other in totals) - 1
        book.live(sheet, row + 2, first + member, Live(same, float(ties)), formats.number("0"))
    title = sheet.get_name()
    best = next((m for m, bid in enumerate(bids) if bid.rank == 1), None)
    if best is not None:
        cell = Place(title, row + 2, first + best).full
        tied = float(sum(abs(o.value - totals[best].value) <= 1e-9 for o in totals) == 1)
        book.check(
            f"no other bid has as many points as {bids[best].offer.bid.bidder}", Live(f"IF({cell}=0,1,0)", tied), title
        )
    return row + 3


def _write_switches(book: Book, sheet: Any, evaluation: Evaluation, row: int) -> None:
    if not evaluation.switches:
        return
    formats = book.formats
    book.text(sheet, row, 0, "Where another bid wins (as written, everything else unchanged)", formats.heading())
    book.head(sheet, row + 1, ("What changes", "Now", "Then", "Unit", "Wins beyond"), right=("Now", "Then"))
    for offset, each in enumerate(evaluation.switches):
        at = row + 2 + offset
        book.text(sheet, at, 0, each.what)
        sheet.write_number(at, 1, each.now, formats.number(input_format(each.now)))
        if each.then is None:
            book.text(sheet, at, 2, f"not in {each.low:.3g} to {each.high:.3g}", formats.absent())
        else:
            sheet.write_number(at, 2, each.then, formats.number(number_format(each.then)))
        book.text(sheet, at, 3, each.unit, formats.unit())
        book.text(sheet, at, 4, each.winner or ("nobody" if each.then is not None else ""), formats.text(wrap=False))
