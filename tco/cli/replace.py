"""``tco replace``."""

from __future__ import annotations

from typing import Annotated

import typer

from tco.cli import cost_options, options, recipes


def command(
    old: Annotated[str, typer.Argument(metavar="OLD", help="System to keep or replace: a name or a file.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="System to buy: a name or a file.")],
    years: Annotated[int, typer.Option("--years", help="Horizon.")] = 6,
    growth: Annotated[float, typer.Option("--growth", help="Growth of the work per year: 0.2 for 20 %.")] = 0.0,
    speedup: Annotated[
        float | None, typer.Option("--speedup", help="Work of a new node over that of an old one; else 1.")
    ] = None,
    nodes: Annotated[float, typer.Option("--nodes", help="Old nodes.")] = 1,
    resale: Annotated[str | None, typer.Option("--resale", help="What is got for an old node: '20000 EUR'.")] = None,
    old_power: Annotated[str | None, typer.Option("--old-power", help="Mean power of an old node in use.")] = None,
    new_power: Annotated[str | None, typer.Option("--new-power", help="Mean power of a new node in use.")] = None,
    region: options.Region = None,
    site: options.Site = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="INPUT=VALUE", help="Replace an input; old.NAME and new.NAME for one of the two."
        ),
    ] = None,
    year: options.Year = None,
    currency: options.Currency = None,
    fx_date: cost_options.FxDate = None,
    format_: recipes.Json = "table",
) -> None:
    """Keep a system or replace it: cost, carbon, payback, and the carbon price from which replacing pays."""
    wants_json = recipes.check_format(format_)
    from tco.estimation.costs.replace import replace

    found = replace(
        old,
        new,
        years,
        growth=growth,
        speedup=speedup,
        nodes=nodes,
        resale=resale,
        old_power=old_power,
        new_power=new_power,
        region=region,
        site=site,
        set=options.parse_set(set_),
        year=year,
        currency=currency,
        cost=cost_options.cost_choice(fx_date=fx_date),
    )
    if wants_json:
        typer.echo(found.to_json(), nl=False)
    else:
        from tco.reports import costs

        costs.show(costs.render_replacement(found))
    said = {(warning.code, warning.message) for life in (found.old, found.new) for warning in life.estimate.warnings}
    for code, message in sorted(said):
        typer.echo(f"warning [{code}]: {message}", err=True)
