"""``tco system``."""

from __future__ import annotations

from typing import Annotated

import typer

from tco.cli import cost_options, options, recipes

Nodes = Annotated[float, typer.Option("--nodes", help="How many nodes.")]
Power = Annotated[
    str | None,
    typer.Option("--power", help="Mean power of one node in use, at its inlet: '6 kW'; else from its rating."),
]


def command(
    system: Annotated[str, typer.Argument(metavar="SYSTEM", help="Hardware record, a name or a file.")],
    years: Annotated[int, typer.Option("--years", help="Horizon.")] = 5,
    nodes: Nodes = 1,
    power: Power = None,
    idle_power: Annotated[
        str | None, typer.Option("--idle-power", help="Power of one node that is on and not used: '1.5 kW'.")
    ] = None,
    region: options.Region = None,
    site: options.Site = None,
    set_: options.Set = None,
    year: options.Year = None,
    currency: options.Currency = None,
    fx_date: cost_options.FxDate = None,
    price_index: cost_options.PriceIndex = None,
    price_date: cost_options.PriceDate = None,
    price_base: cost_options.PriceBase = None,
    format_: recipes.Json = "table",
) -> None:
    """What a system costs over its whole life: cash flow by year, and its present value."""
    wants_json = recipes.check_format(format_)
    from tco.estimation.costs.whole_life import whole_life

    choice = cost_options.cost_choice(None, None, None, fx_date, price_index, price_date, price_base)
    found = whole_life(
        system,
        years,
        nodes=nodes,
        power=power,
        idle_power=idle_power,
        region=region,
        site=site,
        set=options.parse_set(set_),
        year=year,
        currency=currency,
        cost=choice,
    )
    if wants_json:
        typer.echo(found.to_json(), nl=False)
    else:
        from tco.reports import costs

        costs.show(costs.render_whole_life(found))
    options.print_warnings(found.estimate)
