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
    html = "html"
    latex = "latex"
    focus = "focus"
    xlsx = "xlsx"
    parquet = "parquet"


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
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File to write; its suffix says the format: .xlsx (live formulas), .html, .tex, .md, .json, .csv, "
            ".txt, .parquet; focus.csv is FOCUS.",
        ),
    ] = None,
    template: Annotated[
        str | None,
        typer.Option(
            "--template", metavar="NAME|FILE", help="model-card, paper, ai-act, esrs, eed, sci; or a Jinja template."
        ),
    ] = None,
) -> None:
    """Energy, carbon and cost of a run, with all that was assumed and where it comes from."""
    chosen = format_ or _format_of(output, template)
    grid = options.grid_choice(grid_data, intensity, tz, labels, column, fallback, trajectory, sites)
    asked, as_ = reading.options_of(devices, rule, boundary, time_zone, as_, companion=companion)
    cost = cost_options.cost_choice(cost_method or _methods_shown(chosen, template), allocation, None, fx_date)
    estimate = options.make_estimate(
        run, region, system, site, set_, year, currency, grid, embodied_method, scenario, cost, as_, asked
    )
    sampled = _sample(estimate, samples, seed, sampling, histogram)
    if template is not None:
        from tco.reports.files import from_template

        _put(from_template(estimate, template), output)
    elif chosen is Format.table and output is None:
        from tco.reports.terminal import show

        show(_summary(estimate, sampled))
    else:
        _put(_render(estimate, chosen, sampled), output)
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


def _put(content: str | bytes, output: Path | None) -> None:
    """Print, or write a file."""
    if output is not None:
        from tco.files import write_atomically

        write_atomically(output, content)
        typer.echo(f"wrote {output}", err=True)
    elif isinstance(content, bytes):
        from tco.errors import TcoError

        raise TcoError("this format is a file: name it with --output, for instance -o result.xlsx")
    else:
        typer.echo(content, nl=False)


def _methods_shown(chosen: Format, template: str | None) -> str | None:
    """Reports that set cost methods side by side ask for them where the user does not."""
    if chosen in (Format.xlsx, Format.html, Format.latex) and template is None:
        return "annuity,acquisition,npv"
    return None


def _format_of(output: Path | None, template: str | None) -> Format:
    if output is None or template is not None:
        return Format.table
    from tco.reports.files import format_of

    return Format(format_of(output))


def _render(estimate: Estimate, chosen: Format, sampled: Sampled | None) -> str | bytes:
    if chosen in (Format.html, Format.latex, Format.focus, Format.xlsx, Format.parquet):
        from tco.reports.files import content

        if sampled is not None:
            typer.echo(f"note: samples are not shown in {chosen.value}; table, md, csv and json have them", err=True)
        return content(estimate, chosen.value)
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
