"""``tco solve``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from tco.cli import options, recipes


@recipes.takes_shared_options
def command(
    run: options.RunFile,
    line: Annotated[str, typer.Option("--line", "-l", help="Line that shall reach a value, for instance cost.total.")],
    to: Annotated[str, typer.Option("--to", metavar="VALUE", help="The value with its unit: '1e6 USD', '10 tCO2e'.")],
    by: Annotated[str, typer.Option("--by", metavar="INPUT", help="Input to change, for instance system.price.")],
    between: Annotated[
        str | None,
        typer.Option("--between", metavar="LOW:HIGH", help="Range to search, in the unit of the input: 1.0:2.0."),
    ] = None,
    scenario: options.ScenarioFile = None,
    format_: recipes.Json = "table",
    *,
    shared: Mapping[str, Any],
) -> None:
    """The value of an input at which a line reaches a target: break-even. Says when there is none, or several."""
    from tco.analysis.solve import parse_between, solve

    as_json = recipes.check_format(format_)
    recipe = recipes.make_recipe(run, shared, options.find_scenario(scenario))
    solved, estimate = solve(recipe, line, to, by, None if between is None else parse_between(between))
    if as_json:
        recipes.print_json(solved.to_dict())
    else:
        from tco.reports.analyses import solved_text

        typer.echo(solved_text(solved), nl=False)
    options.print_warnings(estimate)
    if not solved.solutions:
        raise typer.Exit(1)
