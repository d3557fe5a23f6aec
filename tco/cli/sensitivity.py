"""``tco sensitivity``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from tco.cli import options, recipes


@recipes.takes_shared_options
def command(
    run: options.RunFile,
    line: Annotated[
        str, typer.Option("--line", "-l", help="Line to explain, for instance cost.total.")
    ] = "carbon.total",
    sobol: Annotated[
        int | None,
        typer.Option("--sobol", metavar="N", help="Sobol' indices from N base points, a power of 2 (extra: analysis)."),
    ] = None,
    seed: recipes.Seed = 1,
    top: Annotated[int, typer.Option("--top", help="Inputs to show.")] = 20,
    scenario: options.ScenarioFile = None,
    plot: recipes.Plot = None,
    format_: recipes.Json = "table",
    *,
    shared: Mapping[str, Any],
) -> None:
    """Which inputs a line depends on: elasticities, one input at a time, and shares of the variance."""
    as_json = recipes.check_format(format_)
    estimate = recipes.make_recipe(run, shared, options.find_scenario(scenario)).estimate()
    found = estimate.sensitivity(line, sobol=sobol, seed=seed)
    if plot is not None:
        from tco.analysis.plots import tornado

        tornado(found, Path(plot), top=top)
        typer.echo(f"wrote {plot}", err=True)
    if as_json:
        recipes.print_json(found.to_dict())
    else:
        from tco.reports.analyses import show_sensitivity

        show_sensitivity(found, top=top)
    options.print_warnings(estimate)
