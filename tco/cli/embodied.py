"""``tco embodied``."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from tco.cli import options

if TYPE_CHECKING:
    from tco.embodied import Result


class Format(StrEnum):
    """What is printed."""

    table = "table"
    json = "json"
    md = "md"
    csv = "csv"


def command(
    system: Annotated[
        str,
        typer.Argument(
            metavar="SYSTEM", help="Node or accelerator of the catalogue, or a file. List: tco hardware list."
        ),
    ],
    method: Annotated[
        list[str] | None,
        typer.Option(
            "--method", "-m", help="declared, act, edge-aware, component, regression, or a plug-in; all without."
        ),
    ] = None,
    compare: Annotated[
        bool, typer.Option("--compare", help="Side by side, also where one method is named: with all others.")
    ] = False,
    set_: options.Set = None,
    fab: Annotated[
        str | None, typer.Option("--fab", help="Electricity of the fab: taiwan-2022, korea-2023, wind, coal ...")
    ] = None,
    yield_model: Annotated[
        str, typer.Option("--yield-model", help="Of edge-aware: negative-binomial, poisson, murphy, seeds, moore ...")
    ] = "negative-binomial",
    hbm: Annotated[
        str | None, typer.Option("--hbm", help="Of edge-aware: row of catalog/embodied/memory.toml for stacked memory.")
    ] = None,
    building: Annotated[
        bool, typer.Option("--building", help="Add the share of the building, by the rating of the node.")
    ] = False,
    format_: Annotated[Format, typer.Option("--format", "-f", help="What to print.")] = Format.table,
) -> None:
    """Embodied carbon of a node: parts, and methods side by side with their boundaries."""
    from tco.embodied import Options, assess
    from tco.embodied import compare as side_by_side
    from tco.reports import embodied as report

    chosen = Options(fab=fab, yield_model=yield_model, hbm=hbm, building=building)
    stated = options.parse_set(set_)
    if method and len(method) == 1 and not compare:
        result = assess(system, method[0], set=stated, options=chosen)
        results: tuple[Result, ...] = (result,)
        page = report.one_method(result)
        text = report.to_json(result) if format_ is Format.json else ""
    else:
        named = method if method and not compare else None
        comparison = side_by_side(system, named, set=stated, options=chosen)
        results, page = comparison.results, report.side_by_side(comparison)
        text = report.to_json(comparison) if format_ is Format.json else ""
    if format_ is Format.csv:
        text = report.to_csv(results)
    elif format_ is not Format.json:
        text = report.to_markdown(page) if format_ is Format.md else report.to_text(page)
    typer.echo(text, nl=False)
