"""``tco explain``."""

from __future__ import annotations

from typing import Annotated

import typer

from tco.cli import cost_options, options


def command(
    run: options.RunFile,
    line: Annotated[str, typer.Argument(metavar="LINE", help="Name of a line or an input, for instance carbon.total.")],
    region: options.Region = None,
    system: options.System = None,
    site: options.Site = None,
    set_: options.Set = None,
    year: options.Year = None,
    currency: options.Currency = None,
    grid_data: options.GridData = None,
    intensity: options.Intensity = None,
    tz: options.TimeZone = None,
    labels: options.Labels = None,
    column: options.Column = None,
    fallback: options.Fallback = None,
    trajectory: options.Trajectory = None,
    sites: options.Sites = None,
    embodied_method: options.EmbodiedMethod = None,
    cost_method: cost_options.CostMethod = None,
) -> None:
    """How one number comes about: formulas, values, sources, what was assumed."""
    grid = options.grid_choice(grid_data, intensity, tz, labels, column, fallback, trajectory, sites)
    cost = cost_options.cost_choice(cost_method)
    estimate = options.make_estimate(run, region, system, site, set_, year, currency, grid, embodied_method, cost=cost)
    typer.echo(estimate.explain(line), nl=False)
