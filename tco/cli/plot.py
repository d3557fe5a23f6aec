"""``tco plot``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from tco.cli import options, recipes

_KINDS = ("stacked", "waterfall", "trace", "tornado")


@recipes.takes_shared_options
def command(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="stacked, waterfall, trace or tornado.")],
    runs: Annotated[
        list[str], typer.Argument(metavar="RUN...", help="Run records, files of a measuring tool, or example:NAME.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Picture to write: .svg or .png.")],
    line: Annotated[
        str, typer.Option("--line", "-l", help="Line of stacked and tornado: carbon.total, cost.total ...")
    ] = "carbon.total",
    scenario: options.ScenarioFile = None,
    *,
    shared: Mapping[str, Any],
) -> None:
    """Draw an estimate: parts of a total, from power to carbon and cost, power over time, tornado."""
    from tco.errors import TcoError, did_you_mean
    from tco.reports import plots

    if kind not in _KINDS:
        raise TcoError(f"plot '{kind}' is not known{did_you_mean(kind, _KINDS)} ({', '.join(_KINDS)})")
    if len(runs) > 1 and kind != "stacked":
        raise TcoError(f"'{kind}' draws one run; {len(runs)} are given")
    named = options.find_scenario(scenario)
    estimates = [recipes.make_recipe(run, shared, named).estimate() for run in runs]
    if kind == "stacked":
        plots.stacked(estimates, [each.run.name or each.where for each in estimates], line, output)
    elif kind == "waterfall":
        plots.waterfall(estimates[0], output)
    elif kind == "trace":
        plots.trace_of_run(estimates[0], output)
    else:
        from tco.analysis.plots import tornado

        tornado(estimates[0].sensitivity(line), output)
    typer.echo(f"wrote {output}", err=True)
    for estimate in estimates:
        options.print_warnings(estimate)
