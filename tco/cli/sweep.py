"""``tco sweep``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tco.cli import options, recipes

if TYPE_CHECKING:
    from tco.analysis.pareto import Front
    from tco.analysis.sweep import Sweep

#: Points that are printed where no file is named; more than a person reads.
_PRINTED = 200


@recipes.takes_shared_options
def command(
    run: options.RunFile,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            "--vary",
            metavar="INPUT=VALUES",
            help="Values of an input: site.pue=1.05:1.6:12 (12 from 1.05 to 1.6; ':log' behind it for equal ratios), "
            "grid.intensity=20,200,600; a unit may follow. May be repeated.",
        ),
    ] = None,
    regions: recipes.Regions = None,
    paired: Annotated[
        bool, typer.Option("--paired", help="First with first, second with second ..., in place of all with all.")
    ] = False,
    line: Annotated[list[str] | None, typer.Option("--line", "-l", help="Line to compute; may be repeated.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Table to write: .csv, or .parquet (extra: parquet).")
    ] = None,
    pareto: Annotated[
        bool, typer.Option("--pareto", help="Print the points that no other beats in both cost and carbon.")
    ] = False,
    front: Annotated[
        str, typer.Option("--front", metavar="A,B", help="The two lines of --pareto.")
    ] = "cost.total,carbon.total",
    heat_map: Annotated[
        bool, typer.Option("--heat-map", help="Draw the first --line over the first two inputs, in the terminal.")
    ] = False,
    plot: recipes.Plot = None,
    scenario: options.ScenarioFile = None,
    format_: recipes.Json = "table",
    *,
    shared: Mapping[str, Any],
) -> None:
    """An estimate at every point of a grid of inputs and places, as a table."""
    from tco.analysis.axes import axes_of
    from tco.analysis.sweep import Sweep
    from tco.errors import EstimateError

    as_json = recipes.check_format(format_)
    recipe = recipes.make_recipe(run, shared, options.find_scenario(scenario))
    pair = recipes.split_list(front)
    if len(pair) != 2:
        raise EstimateError(f"--front '{front}': name two lines, for instance cost.total,carbon.total")
    wanted: list[str] = [*(line or []), *(pair if pareto else [])]
    lines = list(dict.fromkeys(wanted)) or None
    sweep = Sweep(recipe, axes_of(vary or []), regions=recipes.split_list(regions), paired=paired, lines=lines)
    drawn = heat_map or (plot is not None and not pareto)
    if output is None and not pareto and not drawn and len(sweep) > _PRINTED:
        raise EstimateError(f"{len(sweep):,} points: name a file to write them to, for instance -o sweep.csv")
    best = _run(sweep, output, pair if pareto else None)
    if drawn:
        _draw(sweep, line[0] if line else None, plot, in_terminal=heat_map)
    if best is not None:
        _show_front(sweep, best, plot, as_json=as_json)
    elif output is None and not drawn:
        from tco.reports.analyses import show_sweep, sweep_rows

        if as_json:
            recipes.print_json({"schema": "tco.sweep/1", "units": sweep.columns, "points": sweep_rows(sweep)})
        else:
            show_sweep(sweep)
    if sweep.structural:
        typer.echo(
            f"note: {', '.join(sweep.structural)}: its values change what the estimate consists of; each was estimated "
            "on its own",
            err=True,
        )


def _run(sweep: Sweep, output: Path | None, pair: list[str] | None) -> Front | None:
    """Go through all points once where there is something to write or to find."""
    from contextlib import nullcontext

    from tco.analysis.pareto import Front
    from tco.analysis.tables import writing

    best = Front(*pair) if pair else None
    if output is None and best is None:
        return None
    with writing(output, sweep.columns) if output else nullcontext() as table, _progress(len(sweep)) as advance:
        for chunk in sweep.chunks():
            if table is not None:
                table.write(chunk)
            if best is not None:
                best.add(chunk)
            advance(len(next(iter(chunk.values()))))
    if output is not None:
        typer.echo(f"wrote {output}: {len(sweep):,} points", err=True)
    return best


def _progress(total: int) -> Any:
    """A progress bar on standard error, where that is a terminal; a context that gives a function to advance it."""
    from contextlib import contextmanager

    from rich.console import Console
    from rich.progress import Progress

    @contextmanager
    def bar() -> Any:
        with Progress(
            console=Console(stderr=True), transient=True, disable=not Console(stderr=True).is_terminal
        ) as shown:
            task = shown.add_task("points", total=total)
            yield lambda count: shown.advance(task, count)

    return bar()


def _draw(sweep: Sweep, line: str | None, plot: str | None, *, in_terminal: bool) -> None:
    from tco.analysis.heat import heat_of

    heat = heat_of(sweep, line)
    if plot is not None:
        from tco.analysis.plots import heat_map

        heat_map(heat, Path(plot))
        typer.echo(f"wrote {plot}", err=True)
    if in_terminal:
        from tco.reports.analyses import heat_text

        typer.echo(heat_text(heat), nl=False)


def _show_front(sweep: Sweep, best: Front, plot: str | None, *, as_json: bool) -> None:
    from tco.reports.analyses import rows_of_chunk, show_points

    if plot is not None:
        from tco.analysis.plots import pareto

        pareto(sweep, best, Path(plot))
        typer.echo(f"wrote {plot}", err=True)
    if as_json:
        recipes.print_json({"schema": "tco.sweep/1", "units": sweep.columns, "front": rows_of_chunk(best.points)})
    else:
        show_points(
            sweep.columns, best.points, f"Not beaten in both {best.first} and {best.second}, of {len(sweep):,} points"
        )
