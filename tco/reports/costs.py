"""Costs by several methods side by side, whole-life cash flows, and keep-or-replace tables, in the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from tco.estimation.costs.replace import Replacement
from tco.estimation.costs.running import RUNNING
from tco.estimation.costs.whole_life import WholeLife
from tco.estimation.result import Estimate, Line
from tco.reports.numbers import digits, show_range
from tco.reports.summary import input_range, input_source, input_value

SCHEMA = "tco.cost/1"
_CAPITAL = ("hardware", "network", "storage", "racks", "installation", "software", "facility")


class Column(NamedTuple):
    """One way to see the cost: a method, and of a rent the kind of provider.

    Attributes
    ----------
    title
        Shown above.
    prefix
        Its lines are ``<prefix>.total`` and the like.
    about
        Its total, or where that is missing the first of its lines: what it says of itself.
    """

    title: str
    prefix: str
    about: Line


_PREFIXES = {
    "amortised": "cost",
    "annuity": "cost.annuity",
    "acquisition": "cost.acquisition",
    "cash-flow NPV": "cost.npv",
}


def columns(estimate: Estimate) -> list[Column]:
    """The methods that have lines, in the order in which they are known."""
    lines = estimate.lines
    found = []
    for method, prefix in _PREFIXES.items():
        own = [
            line for name, line in lines.items() if name.rpartition(".")[0] == prefix and line.facts["method"] == method
        ]
        if own:
            found.append(Column(method, prefix, lines.get(f"{prefix}.total", own[0])))
    for name, line in lines.items():
        if name.startswith("cost.rental") and name.endswith(".total"):
            title = f"rental, {line.facts['provider']}"
            found.append(Column(title, name.removesuffix(".total"), line))
    return found


def _rows(estimate: Estimate, shown: Sequence[Column]) -> list[str]:
    """What is shown of each method, by the part of the name behind its prefix."""
    names = list(estimate)
    running = [name.removeprefix("cost.") for name in names if name.removeprefix("cost.") in RUNNING]
    work = []
    for column in shown:
        for name in names:
            if name.startswith(f"{column.prefix}.total.per_"):
                row = name.removeprefix(f"{column.prefix}.")
                if row not in work:
                    work.append(row)
    return [*_CAPITAL, "capex", *running, "opex", "total", *work]


def to_dict(estimate: Estimate) -> dict[str, Any]:
    """The methods side by side as plain data, schema ``tco.cost/1``."""
    shown = columns(estimate)
    whole = estimate.to_dict()
    methods = []
    for column in shown:
        own = {}
        for row in _rows(estimate, shown):
            name = _name(column, row)
            if name in whole["lines"]:
                own[row] = whole["lines"][name]
        facts = {key: value for key, value in column.about.facts.items() if key != "not_counted"}
        methods.append({"title": column.title, **facts, "lines": own})
    extra = {
        name: line
        for name, line in whole["lines"].items()
        if "break_even" in name or name.startswith(("reliability.", "work.", "finance.")) or line.get("memo")
    }
    keys = ("run", "system", "region", "missing", "inputs", "warnings", "data", "tool")
    return {
        "schema": SCHEMA,
        "methods": methods,
        "other": extra,
        "not_counted": list(estimate["cost.total"].facts["not_counted"]) if "cost.total" in estimate else [],
        **{key: whole[key] for key in keys},
    }


def _name(column: Column, row: str) -> str:
    """Line of a row by a method; running costs as they are paid are the same by annuity."""
    return f"{column.prefix}.{row}"


def render_methods(estimate: Estimate) -> RenderableType:
    """The methods of an estimate side by side."""
    shown = columns(estimate)
    head = Table.grid(padding=(0, 2))
    head.add_column(no_wrap=True, style="dim")
    head.add_column(overflow="fold")
    facts = [("Run", estimate.run.name or estimate.where)]
    if estimate.system:
        facts.append(("Hardware", estimate.system.title or estimate.system.name))
    if estimate.region:
        facts.append(("Place", f"{estimate.region.name} ({estimate.region.id})"))
    for key, value in facts:
        head.add_row(Text(key), Text(value))
    pieces: list[RenderableType] = [head]
    if shown:
        pieces.append(_methods_table(estimate, shown))
        pieces.append(_about(shown))
    pieces.extend(_below(estimate))
    return Group(*pieces)


def _methods_table(estimate: Estimate, shown: Sequence[Column]) -> Table:
    money = str(shown[0].about.facts["currency"])
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(money, no_wrap=True)
    for column in shown:
        table.add_column(column.title, justify="right")
    lines = estimate.lines
    for row in _rows(estimate, shown):
        cells, unit = [], ""
        for column in shown:
            line = lines.get(_name(column, row))
            if line is None:
                cells.append("")
                continue
            value, unit = _readable(line)
            cells.append(value)
        if not any(cells):
            continue
        strong = row in ("total", "capex", "opex")
        if row == "capex" or row == "opex" or row == "total":
            name = {"capex": "Capital", "opex": "Running", "total": "Total"}[row]
        else:
            name = "  " + row if not row.startswith("total.per_") else f"{row.removeprefix('total.')} [{unit}]"
        table.add_row(Text(name), *map(Text, cells), style="bold" if strong else "")
        if row == "total":
            spans = [_range(lines.get(f"{column.prefix}.total")) for column in shown]
            table.add_row(Text("  range", style="dim"), *[Text(span, style="dim") for span in spans])
            table.add_section()
    return table


def _readable(line: Line) -> tuple[str, str]:
    from tco.reports.numbers import show_value

    return show_value(line.quantity, line.unit)


def _range(line: Line | None) -> str:
    return "" if line is None else show_range(line.quantity, line.low, line.high, line.unit)


def _about(shown: Sequence[Column]) -> Text:
    """Currency, price year, terms, vintage and convention of each method."""
    block = Text()
    for column in shown:
        facts = column.about.facts
        words = [_money(facts), str(facts.get("terms", ""))]
        if facts.get("index"):
            words.append(f"price index {facts['index']}, {facts['index_vintage']}")
        if facts.get("term"):
            words.append(str(facts["term"]))
        if facts.get("convention"):
            words.append(str(facts["convention"]))
        block.append(f"{column.title}: ", style="bold")
        block.append(", ".join(word for word in words if word) + f". {column.about.label}.\n", style="dim")
    return block


def _money(facts: Mapping[str, Any]) -> str:
    """Currency and year of the money of a line."""
    year = facts["price_year"]
    return (
        f"{facts['currency']}, prices as stated"
        if year in (None, "stated")
        else (f"{facts['currency']} of {year}".replace("stated", "as stated"))
    )


def _below(estimate: Estimate) -> list[RenderableType]:
    pieces: list[RenderableType] = []
    other = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    other.add_column("Beside", no_wrap=True)
    other.add_column("Value", justify="right", no_wrap=True)
    other.add_column("Range", style="dim", no_wrap=True)
    other.add_column("What it is", overflow="fold")
    for name, line in estimate.lines.items():
        wanted = "break_even" in name or name.startswith("reliability.") or line.facts.get("memo")
        if wanted or name.endswith("per_facility_power"):
            value, unit = _readable(line)
            other.add_row(Text(name), Text(f"{value} {unit}".strip()), Text(_range(line)), Text(line.label))
    if other.rows:
        pieces.append(other)
    if "cost.total" in estimate:
        left_out = estimate["cost.total"].facts.get("not_counted")
        if left_out:
            pieces.append(Text(f"Not counted, since nobody states a price: {', '.join(left_out)}\n"))
    missing = [m for m in estimate.missing if m.line.startswith("cost.")]
    if missing:
        block = Text("Not estimated\n", style="bold")
        for found in missing:
            block.append(f"  {found.line}: {found.reason}\n", style="not bold")
        pieces.append(block)
    pieces.append(_assumed(estimate))
    return pieces


def _assumed(estimate: Estimate) -> Table:
    """Assumed inputs that a cost rests on."""
    needed = estimate.graph.needed_for([node for node in estimate.graph.lines() if node.name.startswith("cost.")])
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("Assumed input", no_wrap=True)
    table.add_column("Value", justify="right", no_wrap=True)
    table.add_column("Range", style="dim", no_wrap=True)
    table.add_column("Source", overflow="fold")
    for node in needed:
        if node.operation == "input" and node.given is not None and node.given.assumed:
            table.add_row(*map(Text, (node.name, input_value(node), input_range(node), input_source(node))))
    return table


# ---- whole life -----------------------------------------------------------------------------------------------------


def render_whole_life(life: WholeLife) -> RenderableType:
    """A whole-life cash flow, years in columns."""
    facts = life.graph["cashflow.npv"].facts
    head = Table.grid(padding=(0, 2))
    head.add_column(no_wrap=True, style="dim")
    head.add_column(overflow="fold")
    for key, value in (
        ("System", f"{life.nodes:g} x {life.system.title or life.system.name}"),
        ("Method", f"{facts['method']}: {facts['convention']}"),
        ("Money", f"{_money(facts)}, {facts['terms']}"),
        ("Discount rate", f"{100 * life.rate:.3g} % a year, {facts['terms']}"),
    ):
        head.add_row(Text(key), Text(value))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(life.money, no_wrap=True)
    for t in range(life.years + 1):
        table.add_column(f"year {t}", justify="right", no_wrap=True)
    table.add_column("sum", justify="right", no_wrap=True)
    for row in life.rows:
        cells = [digits(flow) if flow else "" for flow in row.flows]
        table.add_row(Text(row.name), *map(Text, cells), Text(digits(sum(row.flows))))
    table.add_section()
    cells = [digits(flow) for flow in life.totals]
    table.add_row(Text("total"), *map(Text, cells), Text(digits(life.total)), style="bold")
    cells = [digits(flow) for flow in life.present]
    table.add_row(Text("present value"), *map(Text, cells), Text(digits(life.net_present_value)), style="bold")
    pieces: list[RenderableType] = [head, table]
    plan = life.estimate.plan
    if plan is not None and plan.not_counted:
        pieces.append(Text(f"Not counted, since nobody states a price: {', '.join(plan.not_counted)}\n"))
    pieces.append(_assumed(life.estimate))
    return Group(*pieces)


def render_replacement(found: Replacement) -> RenderableType:
    """Keep or replace, year by year."""
    head = Table.grid(padding=(0, 2))
    head.add_column(no_wrap=True, style="dim")
    head.add_column(overflow="fold")
    facts = found.new.graph["cashflow.npv"].facts
    money = found.money
    for key, value in (
        ("Keep", found.old.system.title or found.old.system.name),
        (
            "Buy",
            f"{found.new.system.title or found.new.system.name}, a node does the work of {found.speedup:g} old ones",
        ),
        ("Work", f"grows {100 * found.growth:g} % a year"),
        ("Money", f"{_money(facts)}, real, present value at {100 * found.new.rate:.3g} % a year"),
    ):
        head.add_row(Text(key), Text(value))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("year", "nodes kept", "bought", f"cost, kept [{money}]", "bought", "carbon, kept [tCO2e]", "bought"):
        table.add_column(name, justify="right")
    for row in found.by_year:
        table.add_row(
            str(row.year), f"{row.keep_nodes:g}", f"{row.buy_nodes:g}", digits(row.keep_cost), digits(row.buy_cost),
            digits(row.keep_carbon / 1000), digits(row.buy_carbon / 1000),
        )  # fmt: skip
    result = Text()
    last = found.by_year[-1].year

    def told(year: int | None, what: str) -> str:
        if year is None:
            return f"The new system does not pay back its {what} within {last} years.\n"
        return f"The new system has paid back its {what} in year {year}.\n"

    result.append(told(found.cost_payback, "cost"))
    result.append(told(found.carbon_payback, "embodied carbon"))
    if found.carbon_price is None:
        result.append("No carbon price makes replacing pay: it costs more and emits more.\n")
    elif found.carbon_price == 0:
        result.append("Replacing pays without a carbon price.\n")
    else:
        result.append(f"Replacing pays from a carbon price of {digits(found.carbon_price)} {money}/tCO2e.\n")
    for note in found.assumed:
        result.append(f"Assumed: {note}.\n", style="dim")
    return Group(head, table, result)


def show(renderable: RenderableType) -> None:
    """Print to standard output, in colour where the terminal has it."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(width=120, color_system=None, highlight=False)
    console.print(renderable)
