"""``tco prices``."""

from __future__ import annotations

from typing import Annotated

import typer

from tco.cli import recipes

app = typer.Typer(
    help="The prices that ship with the package, and what a die costs to make.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("list")
def list_(
    text: Annotated[str | None, typer.Argument(help="Part of a name; all prices without it.")] = None,
    format_: recipes.Json = "table",
) -> None:
    """Prices by their names: electricity, rents, buildings, systems, chips, carbon, water, exchange rates."""
    wants_json = recipes.check_format(format_)
    from tco.catalog.prices import prices
    from tco.errors import RecordError

    found = prices(text)
    if not found:
        raise RecordError(f"no price has '{text}' in its name. List all with: tco prices list")
    if wants_json:
        recipes.print_json(
            {
                "prices": [
                    {"name": item.name, **item.figure.model_dump(mode="json", exclude_none=True)} for item in found
                ]
            }
        )
        return
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from tco.reports.costs import show
    from tco.reports.numbers import digits

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("Name", no_wrap=True)
    table.add_column("Value", justify="right", no_wrap=True)
    table.add_column("Unit", no_wrap=True)
    table.add_column("Range", no_wrap=True)
    table.add_column("Money of")
    table.add_column("Source", overflow="fold")
    for name, figure in found:
        ends = [digits(figure.value if end is None else end) for end in (figure.low, figure.high)]
        spread = " to ".join(ends) if figure.low is not None or figure.high is not None else ""
        year = "" if figure.price_year is None else str(figure.price_year)
        cells = (name, digits(figure.value), figure.unit, spread, year, str(figure.source or ""))
        table.add_row(*map(Text, cells))
    show(table)


@app.command("show")
def show_(name: Annotated[str, typer.Argument(help="Name of a price: tco prices list.")]) -> None:
    """One price as JSON, with its range, its note and its source; of a tariff or an index, all of it."""
    from tco.catalog.prices import electricity_tariff, price, price_index
    from tco.catalog.tables import table

    kind, _, inner = name.partition(".")
    if kind == "tariff" and inner in table("prices", "tariffs.toml"):
        typer.echo(electricity_tariff(inner).to_json())
    elif kind == "index" and inner in table("prices", "index.toml"):
        typer.echo(price_index(inner).to_json())
    else:
        typer.echo(price(name).figure.to_json())


@app.command("die")
def die(
    area: Annotated[str, typer.Argument(help="Area of the die: '814 mm2'.")],
    process: Annotated[float | None, typer.Option("--process", help="Name of the process in nm: 5.")] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="INPUT=VALUE", help="Replace an input: --set chip.wafer_price='20000 USD'."),
    ] = None,
    format_: recipes.Json = "table",
) -> None:
    """What a die costs to make, from the price of a wafer, the dies on it and their yield."""
    wants_json = recipes.check_format(format_)
    from tco.cli.options import parse_set
    from tco.estimation.costs.chip import chip_cost

    found = chip_cost(area, process, set=parse_set(set_))
    if wants_json:
        recipes.print_json(found.to_dict())
        return
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from tco.reports.costs import show
    from tco.reports.numbers import show_range, show_value

    table = Table("Line", box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("Value", justify="right")
    table.add_column("Range")
    table.add_column("What it is")
    for node in (*found.graph.inputs(), *found.graph.lines()):
        value, unit = show_value(node.quantity, node.unit)
        low, high = found.graph.range_of(node.name)
        source = str(node.given.source) if node.given and node.given.source else node.label
        spread = show_range(node.quantity, low, high, node.unit)
        table.add_row(*map(Text, (node.name, f"{value} {unit}".strip(), spread, source)))
    show(table)
