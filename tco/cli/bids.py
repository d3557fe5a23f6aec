"""``tco bids``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

if TYPE_CHECKING:
    from tco.bids.evaluation import Evaluation


class _Group(TyperGroup):
    """``tco bids tender.toml`` is ``tco bids evaluate tender.toml``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the command in front where a tender stands there."""
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            args = ["evaluate", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_Group,
    help="Evaluate the bids of a tender: whole-life cost, energy, carbon, useful work, points, rank.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("evaluate")
def evaluate_(
    tender: Annotated[
        Path, typer.Argument(metavar="TENDER", help="Tender record, a TOML or JSON file that names the bids.")
    ],
    samples: Annotated[
        int, typer.Option("--samples", metavar="N", help="Samples for how stable the rank is; 0 for none.")
    ] = 20_000,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the samples.")] = 1,
    format_: Annotated[
        str, typer.Option("--format", "-f", metavar="NAME", help="table, json, csv, md, html or latex.")
    ] = "table",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="File to write: .xlsx with live formulas, .json, .csv, .md, .html, .tex, .txt."
        ),
    ] = None,
) -> None:
    """Points, rank, flags, and where another bid wins. `tco bids TENDER` is the same."""
    from tco.bids import evaluate

    found = evaluate(tender, samples=samples, seed=seed)
    chosen = _format(format_, output)
    content = _render(found, chosen)
    if output is not None:
        from tco.files import write_atomically

        write_atomically(output, content)
        typer.echo(f"wrote {output}", err=True)
    elif isinstance(content, bytes):
        from tco.errors import TcoError

        raise TcoError("a workbook is a file: name it with -o evaluation.xlsx")
    else:
        typer.echo(content, nl=False)
    for bid in found.bids:
        for warning in bid.offer.estimate.warnings:
            typer.echo(f"warning [{warning.code}] {bid.offer.bid.bidder}: {warning.message}", err=True)


@app.command("template")
def template(
    tender: Annotated[
        Path | None, typer.Argument(metavar="TENDER", help="Tender whose benchmarks and categories are filled in.")
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Workbook to write.")] = Path("bid.xlsx"),
) -> None:
    """The empty bid workbook, for bidders to fill in."""
    from tco.bids import read_tender
    from tco.errors import TcoError
    from tco.files import write_atomically
    from tco.reports.workbook.template import to_template

    if output.suffix.lower() != ".xlsx":
        raise TcoError(f"{output}: a bid workbook is an .xlsx file")
    write_atomically(output, to_template(None if tender is None else read_tender(tender)))
    typer.echo(f"wrote {output}", err=True)


def _format(asked: str, output: Path | None) -> str:
    from tco.errors import TcoError, did_you_mean
    from tco.reports.tables import SUFFIXES, TEXT_FORMATS

    if output is not None and asked == "table":
        suffix = output.suffix.lower()
        if suffix not in SUFFIXES:
            known = ", ".join(SUFFIXES)
            raise TcoError(f"{output}: the suffix '{output.suffix}' says no format; use one of {known}, or --format")
        return SUFFIXES[suffix]
    if asked not in TEXT_FORMATS and asked != "xlsx":
        known = ", ".join([*TEXT_FORMATS, "xlsx"])
        raise TcoError(f"--format '{asked}' is not known here{did_you_mean(asked, TEXT_FORMATS)} ({known})")
    return asked


def _render(found: Evaluation, chosen: str) -> Any:
    if chosen == "xlsx":
        from tco.reports.workbook.bids import to_workbook

        return to_workbook(found)
    if chosen == "json":
        import json

        return json.dumps(found.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    from tco.reports.evaluation import every_line, tables
    from tco.reports.tables import TEXT_FORMATS

    if chosen == "csv":
        return TEXT_FORMATS["csv"](found.tender.name, [every_line(found)])
    return TEXT_FORMATS[chosen](found.tender.name, tables(found))
