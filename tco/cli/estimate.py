"""``tco estimate``."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tco.cli import cost_options, options, reading

if TYPE_CHECKING:
    from tco.analysis.sampling import Sampled
    from tco.estimation import Estimate
    from tco.reports.summary import Summary


class Format(StrEnum):
    """What the result is written as."""

    table = "table"
    json = "json"
    csv = "csv"
    md = "md"


_SUFFIXES = {".json": Format.json, ".csv": Format.csv, ".md": Format.md, ".txt": Format.table}


def command(
    run: options.RunFile,
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
    allocation: cost_options.Allocation = None,
    fx_date: cost_options.FxDate = None,
    scenario: options.ScenarioFile = None,
    as_: reading.As = None,
    devices: reading.Devices = None,
    rule: reading.Rule = None,
    boundary: reading.Boundary = None,
    time_zone: reading.TimeZone = None,
    companion: reading.Companion = None,
    samples: Annotated[
        int | None,
        typer.Option(
            "--samples", metavar="N", help="Draw every input that has a range N times: P5, P50, P95 of each line."
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the samples.")] = 1,
    sampling: Annotated[
        str, typer.Option("--sampling", metavar="METHOD", help="random, latin or sobol (the last two: extra analysis).")
    ] = "random",
    histogram: Annotated[
        list[str] | None,
        typer.Option("--histogram", metavar="LINE", help="Draw the samples of a line; may be repeated."),
    ] = None,
    format_: Annotated[Format | None, typer.Option("--format", "-f", help="What to print or write.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write: .json, .csv, .md or .txt says the format.")
    ] = None,
) -> None:
    """Energy, carbon and cost of a run, with all that was assumed and where it comes from."""
    chosen = format_ or _format_of(output)
    grid = options.grid_choice(grid_data, intensity, tz, labels, column, fallback, trajectory, sites)
    asked, as_ = reading.options_of(devices, rule, boundary, time_zone, as_, companion=companion)
    cost = cost_options.cost_choice(cost_method, allocation, None, fx_date)
    estimate = options.make_estimate(
        run, region, system, site, set_, year, currency, grid, embodied_method, scenario, cost, as_, asked
    )
    sampled = _sample(estimate, samples, seed, sampling, histogram)
    if chosen is Format.table and output is None:
        from tco.reports.terminal import show

        show(_summary(estimate, sampled))
    else:
        text = _render(estimate, chosen, sampled)
        if output is None:
            typer.echo(text, nl=False)
        else:
            from tco.files import write_atomically

            write_atomically(output, text)
            typer.echo(f"wrote {output}", err=True)
    if sampled is not None and histogram:
        from tco.reports.sampled import histogram as draw

        for name in histogram:
            typer.echo(draw(estimate, sampled, name), nl=False, err=chosen is not Format.table)
    options.print_warnings(estimate)


def _sample(
    estimate: Estimate, samples: int | None, seed: int, method: str, histogram: list[str] | None
) -> Sampled | None:
    if samples is None:
        if histogram:
            from tco.errors import TcoError

            raise TcoError("--histogram shows samples: say how many, for instance --samples 100000")
        return None
    for name in histogram or []:
        estimate[name]  # says why it is missing, or what is near
    return estimate.spread(samples, seed=seed, method=method)


def _summary(estimate: Estimate, sampled: Sampled | None) -> Summary:
    from tco.reports.summary import summary

    if sampled is None:
        return summary(estimate)
    from tco.reports.sampled import with_samples

    return with_samples(summary(estimate), estimate, sampled)


def _format_of(output: Path | None) -> Format:
    if output is None:
        return Format.table
    if output.suffix.lower() not in _SUFFIXES:
        from tco.errors import TcoError

        known = ", ".join(_SUFFIXES)
        raise TcoError(f"{output}: the suffix '{output.suffix}' says no format; use one of {known}, or --format")
    return _SUFFIXES[output.suffix.lower()]


def _render(estimate: Estimate, chosen: Format, sampled: Sampled | None) -> str:
    if chosen is Format.json:
        if sampled is None:
            return estimate.to_json()
        from tco.analysis.attach import json_with_samples

        return json_with_samples(estimate, sampled)
    if chosen is Format.csv:
        from tco.reports.tabular import to_csv

        if sampled is None:
            return to_csv(estimate)
        from tco.analysis.attach import csv_with_samples

        return csv_with_samples(to_csv(estimate), estimate, sampled)
    summary = _summary(estimate, sampled)
    if chosen is Format.md:
        from tco.reports.markdown import to_markdown

        return to_markdown(summary)
    from tco.reports.terminal import to_text

    return to_text(summary)
