"""Cash flow of the life of the nodes, years in columns: ``=v0+NPV(rate,v1:vN)``, and what it must agree with."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from tco.graph import Graph, Node
from tco.reports.workbook.book import TOP, Book, Place
from tco.reports.workbook.lines import write_lines
from tco.reports.workbook.live import Live, all_of, close, net_present_value, number, total
from tco.reports.workbook.style import number_format
from tco.units import Q

#: Years that a change of the useful life may reach beyond what it is now, at least and at most in all.
_SPARE, _MOST = 3, 40
_NAME, _LABEL, _YEAR0 = 0, 1, 2
_HELD = 1e-9
#: What there is to say where nothing can be shown.
_NOTHING = (
    "Not shown: it needs a price of the nodes and a discount rate. 'tco estimate ... --cost-method npv' adds the rate; "
    "state the price with --set system.price."
)


class _Flows(NamedTuple):
    """What the cash flow of one member is made from; `life` in years, `rate` per year, `share` of the life."""

    graph: Graph
    rate: Live
    life: Live
    share: Live
    years: int
    money: str
    bought: tuple[str, ...]
    paid: tuple[str, ...]


def write_cash_flow(book: Book, names: list[str]) -> None:
    """Write the sheet: one block a member, then the factors of the methods."""
    sheet = book.add_sheet("cashflow")
    row, shown = TOP, False
    for member in range(len(book.members)):
        flows = _flows(book, member)
        if flows is None:
            continue
        row = _write_block(book, sheet, member, flows, row)
        shown = True
    if not shown:
        book.text(sheet, row, 0, _NOTHING, book.formats.purpose())
        row += 2
    if names:
        book.text(sheet, row, 0, "Factors of the methods", book.formats.heading())
        _move(book, names, row + 1)
        write_lines(book, "cashflow", names, row + 1)
    book.widths(sheet, 34, 38, *([16] * (_MOST + 2)))


def height(book: Book) -> int:
    """Row of the headings of the factors, below all blocks: their cells are placed before the blocks are written."""
    row, shown = TOP, False
    for member in range(len(book.members)):
        names = _row_names(book, member)
        if names is not None:
            row, shown = row + len(names[0]) + len(names[1]) + 11, True
    return row + 1 if shown else row + 3


def _row_names(book: Book, member: int) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Names of the rows of what is bought and of what is paid by year; None where nothing can be shown."""
    estimate = book.members[member].estimate
    graph, plan = estimate.graph, estimate.plan
    period = graph.named.get("finance.period")
    yearly = period is None or math.isclose(float(period.quantity.m_as("year")), 1.0)
    if "finance.rate" not in graph.named or not yearly:
        return None  # years in columns show a yearly period only
    if plan is None:
        return _rows_of_bid(graph)
    hardware = any(capital.name.startswith("hardware") for capital in plan.capitals)
    needed = ("system.lifetime", "run.life_share", "cost.total")  # a part alone would pass for the whole
    if not hardware or any(name not in graph.named for name in needed):
        return None
    bought = [capital.name for capital in plan.capitals] + [follower.name for follower in plan.followers]
    if plan.residual is not None:
        bought.append("residual")
    opex = graph.named.get("cost.opex")
    return tuple(bought), tuple(part.name for part in opex.parts) if opex is not None else ()


def _rows_of_bid(graph: Graph) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    capex, opex = graph.named.get("cost.npv.capex"), graph.named.get("cost.npv.opex")
    if "finance.worth" not in graph.named or "cost.npv.total" not in graph.named:
        return None  # a part alone would pass for the whole
    names = [tuple(part.name for part in node.parts) if node is not None else () for node in (capex, opex)]
    return names[0], names[1]


def _flows(book: Book, member: int) -> _Flows | None:
    names = _row_names(book, member)
    if names is None:
        return None
    graph, plan = book.members[member].estimate.graph, book.members[member].estimate.plan
    life_name = "system.lifetime" if plan is not None else "run.duration"
    rate, life, share = (book.at(member, graph[name]) for name in ("finance.rate", life_name, "run.life_share"))
    years = _in_years(book, graph[life_name], life)
    given = graph[life_name].given
    longest = max(years.value, (given.high or 0.0) if given else 0.0)
    columns = min(_MOST, max(math.ceil(longest) + _SPARE, math.ceil(years.value)))
    plain = book.conversions.convert(share, graph["run.life_share"].quantity.units, Q(1.0, "1").units)
    money = plan.ledger.money if plan is not None else graph[(names[0] or names[1])[0]].unit
    return _Flows(graph, _yearly(book, graph["finance.rate"], rate), years, plain, columns, money, *names)


def _move(book: Book, names: list[str], top: int) -> None:
    """The factors stand where they were placed."""
    member = next(i for i, m in enumerate(book.members) if names[0] in m.estimate.graph.named)
    node = book.members[member].estimate.graph.named[names[0]]
    assert book.places[(member, node.index)][0].row == top + 1


def _in_years(book: Book, node: Node, live: Live) -> Live:
    return book.conversions.convert(live, node.quantity.units, Q(1.0, "year").units)


def _yearly(book: Book, node: Node, live: Live) -> Live:
    return book.conversions.convert(live, node.quantity.units, Q(1.0, "1/year").units)


def _write_block(book: Book, sheet: Any, member: int, flows: _Flows, top: int) -> int:
    formats, title = book.formats, sheet.get_name()
    who = book.members[member].title if len(book.members) > 1 else "All nodes of the run, over their life"
    book.text(sheet, top, 0, f"{who} [{flows.money}, constant prices]", formats.heading())
    columns = range(flows.years + 1)
    book.head(sheet, top + 1, ("Flow", "How"))
    for year in columns:
        sheet.write_number(top + 1, _YEAR0 + year, year, formats.make(
            bold=True, font_color=formats.colours["head_ink"], bg_color=formats.colours["head_fill"],
            num_format='"year "0', align="right"))  # fmt: skip
    sheet.write_string(top + 1, _YEAR0 + flows.years + 1, "Sum", formats.head(right=True))
    in_service = _row(book, sheet, top + 2, "in service", "Share of the year that the nodes serve",
                      [number(0.0), *(_served(flows.life, y) for y in columns[1:])], "")  # fmt: skip
    worth = _row(book, sheet, top + 3, "present worth", "Of one unit at the end of the year, 1/(1+rate)^year",
                 [_worth(flows.rate, y) for y in columns], "", whole=False)  # fmt: skip
    row, all_rows = top + 4, []
    own = book.members[member].estimate.plan is not None
    lumps = (_bought if own else _bought_by_bid)(book, member, flows, in_service)
    for name in flows.bought:
        label, lives = lumps[name]
        shown = f"cost.{name}" if own else name
        all_rows.append(_row(book, sheet, row, shown, label, lives, flows.money))
        row += 1
    for name in flows.paid:
        label, lives = (_paid if own else _paid_by_bid)(book, member, name, flows, in_service)
        all_rows.append(_row(book, sheet, row, name, label, lives, flows.money))
        row += 1
    sums = []
    for year in columns:
        place = Place(title, row, _YEAR0 + year)
        span = f"{place.at(top + 4, place.column).cell}:{place.at(row - 1, place.column).cell}"
        sums.append(total([lives[year] for lives in all_rows], span))
    summed = _row(book, sheet, row, "total", "All flows of the year", sums, flows.money, bold=True)
    value = _row(book, sheet, row + 1, "present value", "Total times present worth",
                 [a * b for a, b in zip(summed, worth, strict=True)], flows.money)  # fmt: skip
    return _write_results(book, sheet, member, flows, row + 2, summed, value)


def _row(
    book: Book, sheet: Any, row: int, name: str, label: str, lives: list[Live], money: str, *, bold: bool = False,
    whole: bool = True,
) -> list[Live]:  # fmt: skip
    """Write a row of years with its sum; returns its cells."""
    title = sheet.get_name()
    book.text(sheet, row, _NAME, name, book.formats.text(bold=bold, wrap=False))
    book.text(sheet, row, _LABEL, label, book.formats.text(muted=True))
    found = []
    for year, live in enumerate(lives):
        form = number_format(live.value or 1.0, money) if money else "0.0000"
        book.live(sheet, row, _YEAR0 + year, live, book.formats.number(form, bold=bold))
        found.append(Live(Place(title, row, _YEAR0 + year).cell, live.value))
    if whole:
        last = _YEAR0 + len(lives)
        span = f"{Place(title, row, _YEAR0).cell}:{Place(title, row, last - 1).cell}"
        live = total(found, span)
        form = number_format(live.value or 1.0, money) if money else "0.0000"
        book.live(sheet, row, last, live, book.formats.number(form, bold=bold))
    return found


def _served(life: Live, year: int) -> Live:
    """Share of a year that lies within the life."""
    left = life - (year - 1)
    return _least(_most(left, 0.0), 1.0)


def _least(live: Live, end: float) -> Live:
    return Live(f"MIN({live.text},{number(end).text})", min(live.value, end))


def _most(live: Live, end: float) -> Live:
    return Live(f"MAX({live.text},{number(end).text})", max(live.value, end))


def _worth(rate: Live, year: int) -> Live:
    return (1 + rate) ** -year if year else number(1.0)


def _ends_here(in_service: list[Live], year: int) -> Live:
    """1 in the last year of the life, else 0."""
    here = in_service[year]
    later = in_service[year + 1] if year + 1 < len(in_service) else number(0.0)
    holds = float(here.value > 0 and later.value <= 0)
    return Live(f"IF({here.text}>0,IF({later.text}>0,0,1),0)", holds)


def _bought(book: Book, member: int, flows: _Flows, in_service: list[Live]) -> Mapping[str, tuple[str, list[Live]]]:
    """What is bought: the nodes at year 0, what has another life by its annuity while the nodes serve."""
    estimate = book.members[member].estimate
    graph, plan = estimate.graph, estimate.plan
    assert plan is not None
    sheet, found = book.sheet_title("cashflow"), {}
    horizon = graph["system.lifetime"]
    hardware: list[Live] = []
    residual: list[Live] = []
    of_hardware: list[Live] = []
    money = Q(1.0, flows.money).units
    for capital in plan.capitals:
        price = book.at(member, capital.price, sheet)
        amount = book.at(member, capital.pieces, sheet)
        unit = capital.price.quantity.units * capital.pieces.quantity.units
        if capital.rating is not None:
            amount = book.at(member, capital.rating, sheet) * amount
            unit = unit * capital.rating.quantity.units
        whole = book.conversions.convert(price * amount, unit, money)
        if capital.life is horizon:
            lives = [whole, *(in_service[year] * 0 for year in range(1, flows.years + 1))]
            label = f"{capital.label}, bought at year 0"
            residual_part = whole
        else:
            life = _in_years(book, capital.life, book.at(member, capital.life, sheet))
            net = whole
            if plan.residual is not None and capital.equipment:
                net = whole * (1 - book.at(member, plan.residual, sheet) * (1 + flows.rate) ** (0 - life))
            payment = net * _annuity(flows.rate, life)
            lives = [number(0.0), *(payment * in_service[year] for year in range(1, flows.years + 1))]
            label = f"{capital.label}: annuity over a life of its own"
            residual_part = None
        if capital.name.startswith("hardware"):
            hardware = lives if not hardware else [a + b for a, b in zip(hardware, lives, strict=True)]
        if capital.equipment and residual_part is not None:
            residual.append(residual_part)
            if capital.name.startswith("hardware"):
                of_hardware.append(residual_part)
        found[capital.name] = (label, lives)
    for follower in plan.followers:
        rate = book.at(member, follower.rate, sheet)
        found[follower.name] = (
            f"{follower.label}, follows the nodes",
            [follower.by(live, rate) for live in hardware],  # type: ignore[arg-type, misc]
        )
        if of_hardware:
            residual.append(follower.by(total(of_hardware), rate))  # type: ignore[arg-type]
    if plan.residual is not None:
        rate = book.at(member, plan.residual, sheet)
        got = total(residual) * rate if residual else number(0.0)
        lives = [number(0.0)]
        lives += [0 - got * _ends_here(in_service, year) for year in range(1, flows.years + 1)]
        found["residual"] = ("What is got for the equipment at the end of its life", lives)
    return found


def _bought_by_bid(
    book: Book, member: int, flows: _Flows, in_service: list[Live]
) -> Mapping[str, tuple[str, list[Live]]]:
    """What a bid sells: paid at year 0."""
    found = {}
    for name in flows.bought:
        node = flows.graph[name]
        rest = (in_service[year] * 0 for year in range(1, flows.years + 1))
        found[name] = (f"{node.label}, paid at year 0", [book.at(member, node), *rest])
    return found


def _paid_by_bid(book: Book, member: int, name: str, flows: _Flows, in_service: list[Live]) -> tuple[str, list[Live]]:
    """What is paid evenly over the horizon: its present value over that of one unit a year."""
    node = flows.graph[name]
    per_year = book.at(member, node) / book.at(member, flows.graph["finance.worth"]) / flows.life
    lives = [number(0.0), *(per_year * in_service[year] for year in range(1, flows.years + 1))]
    return f"{node.label.removesuffix(', present value')}, a year", lives


def _annuity(rate: Live, life: Live) -> Live:
    """Payment per year for one unit, by PMT; 1/life at a rate of 0."""
    r, n = rate.value, life.value
    value = 1 / n if r == 0 else r / (1 - (1 + r) ** -n)
    return Live(f"0-PMT({rate.text},{life.text},1)", value, 1)


def _paid(book: Book, member: int, name: str, flows: _Flows, in_service: list[Live]) -> tuple[str, list[Live]]:
    """A running cost by year: what the run pays of it, over its share of the life, for each year of the life."""
    graph = flows.graph
    node = graph[name]
    line = book.at(member, node)
    per_year = line / flows.share / flows.life
    component = name.removeprefix("cost.")
    growth = book.line(member, f"finance.escalation.{component}")
    lives = [number(0.0)]
    for year in range(1, flows.years + 1):
        amount = per_year * in_service[year]
        if growth is not None:
            rise = _yearly(book, graph[f"finance.escalation.{component}"], growth)
            amount = amount * (1 + rise) ** year
        lives.append(amount)
    grows = ", its price growing" if growth is not None else ""
    return f"{node.label}: of all nodes, a year{grows}", lives


def _write_results(
    book: Book, sheet: Any, member: int, flows: _Flows, row: int, summed: list[Live], value: list[Live]
) -> int:
    title, formats = sheet.get_name(), book.formats
    who = f"{book.members[member].title}: " if len(book.members) > 1 else ""
    money = flows.money
    span = f"{summed[1].text}:{summed[-1].text}"
    npv = net_present_value(summed[0], flows.rate, summed[1:], span)
    of_run = npv * flows.share
    written: list[Live] = []
    for offset, (name, label, live, unit) in enumerate(
        (
            ("net present value", "=v0+NPV(rate,v1:vN), never NPV from year 0", npv, money),
            ("of the run", "Times the share of the life that the run takes", of_run, money),
            ("discount rate", "finance.rate, real, per year", flows.rate, ""),
        )
    ):
        book.text(sheet, row + offset, _NAME, name, formats.text(bold=not offset, wrap=False))
        book.text(sheet, row + offset, _LABEL, label, formats.text(muted=True))
        form = formats.number(number_format(live.value, unit), bold=not offset)
        cell = book.live(sheet, row + offset, _YEAR0, live, form)
        written.append(cell)
    full = [Live(f"{Place(title, 0, 0).full.partition('!')[0]}!{each.text}", each.value) for each in value]
    span = f"{full[0].text}:{value[-1].text}"
    book.check(f"{who}the sum of present values is what NPV says", close(total(full, span), written[0], _HELD), title)
    fits = Live(f"IF({flows.life.text}<={flows.years},1,0)", float(flows.life.value <= flows.years))
    book.check(f"{who}the life of the nodes fits into the {flows.years} years of this sheet", fits, title)
    npv_line = book.line(member, "cost.npv.total")
    if npv_line is not None and flows.graph["cost.npv.total"].parts:
        # Both agree where the life is a whole number of years; the sheet pays at the end of the last, broken year.
        life = flows.life
        broken = Live(f"IF(INT({life.text})={life.text},0,1)", float(not float(life.value).is_integer()))
        same = close(written[1], npv_line, _HELD)
        either = Live(f"MAX({broken.text},{same.text})", max(broken.value, same.value))
        book.check(f"{who}the run's share is cost.npv.total (lives of whole years)", all_of([either]), title)
    return row + 5
