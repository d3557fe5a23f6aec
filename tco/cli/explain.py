"""``tco explain``."""

from __future__ import annotations

from typing import Annotated

import typer

from tco.cli import options


def command(
    run: options.RunFile,
    line: Annotated[str, typer.Argument(metavar="LINE", help="Name of a line or an input, for instance carbon.total.")],
    region: options.Region = None,
    system: options.System = None,
    site: options.Site = None,
    set_: options.Set = None,
    year: options.Year = None,
    currency: options.Currency = None,
) -> None:
    """How one number comes about: formulas, values, sources, what was assumed."""
    estimate = options.make_estimate(run, region, system, site, set_, year, currency)
    typer.echo(estimate.explain(line), nl=False)
