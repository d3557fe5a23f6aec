"""``tco estimate``."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tco.cli import options

if TYPE_CHECKING:
    from tco.estimation import Estimate


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
    format_: Annotated[Format | None, typer.Option("--format", "-f", help="What to print or write.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write: .json, .csv, .md or .txt says the format.")
    ] = None,
) -> None:
    """Energy, carbon and cost of a run, with all that was assumed and where it comes from."""
    chosen = format_ or _format_of(output)
    estimate = options.make_estimate(run, region, system, site, set_, year, currency)
    if chosen is Format.table and output is None:
        from tco.reports.summary import summary
        from tco.reports.terminal import show

        show(summary(estimate))
    else:
        text = _render(estimate, chosen)
        if output is None:
            typer.echo(text, nl=False)
        else:
            from tco.files import write_atomically

            write_atomically(output, text)
            typer.echo(f"wrote {output}", err=True)
    options.print_warnings(estimate)


def _format_of(output: Path | None) -> Format:
    if output is None:
        return Format.table
    if output.suffix.lower() not in _SUFFIXES:
        from tco.errors import TcoError

        known = ", ".join(_SUFFIXES)
        raise TcoError(f"{output}: the suffix '{output.suffix}' says no format; use one of {known}, or --format")
    return _SUFFIXES[output.suffix.lower()]


def _render(estimate: Estimate, chosen: Format) -> str:
    if chosen is Format.json:
        return estimate.to_json()
    if chosen is Format.csv:
        from tco.reports.tabular import to_csv

        return to_csv(estimate)
    from tco.reports.summary import summary

    if chosen is Format.md:
        from tco.reports.markdown import to_markdown

        return to_markdown(summary(estimate))
    from tco.reports.terminal import to_text

    return to_text(summary(estimate))
