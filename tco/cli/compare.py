"""``tco compare``."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tco.cli import recipes

if TYPE_CHECKING:
    from tco.analysis.compare import Comparison
    from tco.analysis.recipe import Recipe


@recipes.takes_shared_options
def command(
    runs: Annotated[
        list[str] | None,
        typer.Argument(metavar="RUN...", help="Run records, files of a measuring tool, or example:NAME."),
    ] = None,
    regions: recipes.Regions = None,
    systems: Annotated[
        str | None, typer.Option("--systems", metavar="A,B", help="Several hardware records, separated by commas.")
    ] = None,
    scenario: Annotated[
        list[str] | None,
        typer.Option(
            "--scenario", metavar="FILE[:NAME]", help="Scenarios of a TOML file, all or one; may be repeated."
        ),
    ] = None,
    line: Annotated[
        list[str] | None,
        typer.Option("--line", "-l", help="Line whose difference is traced to its causes; may be repeated."),
    ] = None,
    samples: Annotated[
        int, typer.Option("--samples", metavar="N", help="Samples for how sure it is that one is lower; 0 for none.")
    ] = 20_000,
    seed: recipes.Seed = 1,
    format_: recipes.Json = "table",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="File to write: .xlsx (live formulas), .html, .md, .tex, .csv, .json or .txt."
        ),
    ] = None,
    *,
    shared: Mapping[str, Any],
) -> None:
    """Runs, systems, places and scenarios side by side: what differs, by how much, why, and how sure it is."""
    from tco.analysis.compare import compare

    as_json = recipes.check_format(format_)
    cases = _cases(runs or [], recipes.split_list(regions), recipes.split_list(systems), scenario or [], shared)
    found = compare(cases, **({"attributed": line} if line else {}), n=samples, seed=seed)
    if output is not None:
        _write(found, output)
    elif as_json:
        recipes.print_json(found.to_dict())
    else:
        from tco.reports.analyses import show_comparison

        show_comparison(found)
    for case in found.against:
        for warning in case.warnings:
            typer.echo(f"warning [not-alike]: {warning}", err=True)
    for title, estimate in zip(found.titles, found.estimates, strict=True):
        for warning_ in estimate.warnings:
            typer.echo(f"warning [{warning_.code}] {title}: {warning_.message}", err=True)


def _write(found: Comparison, output: Path) -> None:
    """The comparison as a file, by its suffix."""
    from tco.errors import TcoError
    from tco.files import write_atomically
    from tco.reports.tables import SUFFIXES, TEXT_FORMATS

    suffix = output.suffix.lower()
    if suffix not in SUFFIXES:
        raise TcoError(f"{output}: the suffix '{output.suffix}' says no format; use one of {', '.join(SUFFIXES)}")
    content: str | bytes
    if suffix == ".xlsx":
        from tco.reports.workbook.write import to_workbook

        content = to_workbook(found.estimates, found.titles, title=", ".join(found.titles))
    elif suffix == ".json":
        import json

        content = json.dumps(found.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    else:
        from tco.reports.comparison import tables

        content = TEXT_FORMATS[SUFFIXES[suffix]](", ".join(found.titles), tables(found))
    write_atomically(output, content)
    typer.echo(f"wrote {output}", err=True)


def _cases(
    runs: list[str], regions: list[str], systems: list[str], scenarios: list[str], shared: Mapping[str, Any]
) -> list[Recipe]:
    """Every run with every place, hardware record and scenario; the title says what sets a case apart."""
    named: list[Mapping[str, Any] | None] = [None]
    if scenarios:
        from tco.analysis.scenarios import find_scenarios

        named = [scenario for text in scenarios for scenario in find_scenarios(text).values()]
    found = []
    none: list[str | None] = [None]
    for run, scenario, system, region in product(runs or none, named, systems or none, regions or none):
        options_ = {**shared, **({"system": system} if system else {}), **({"region": region} if region else {})}
        recipe = recipes.make_recipe(run, options_, scenario)
        parts = [run if len(runs) > 1 else None, scenario["title"] if scenario else None, system, region]
        title = ", ".join(part for part in parts if part) or str(run)
        found.append(type(recipe)(recipe.run, recipe.options, title))
    return found
