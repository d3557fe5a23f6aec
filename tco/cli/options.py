"""Options that several commands share, and the estimate that they ask for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from tco.estimation import Estimate

RunFile = Annotated[
    str, typer.Argument(metavar="RUN", help="Run record (JSON or TOML), a file of a measuring tool, or example:NAME.")
]
Region = Annotated[
    str | None,
    typer.Option(
        "--region", "-r", help="Country, grid zone, cloud region or aggregate: eu, de, us. List: tco regions."
    ),
]
System = Annotated[
    str | None,
    typer.Option("--system", "-s", help="Hardware record, a name or a file. List: tco hardware list."),
]
Site = Annotated[str | None, typer.Option("--site", help="Site record, a TOML or JSON file: PUE, tariff, water ...")]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="INPUT=VALUE", help="Replace an input: --set site.pue=1.2 --set site.tariff='0.2 EUR/kWh'."
    ),
]
Year = Annotated[
    int | None, typer.Option("--year", help="Year of the grid data; else that of the run, else the newest.")
]
Currency = Annotated[
    str | None, typer.Option("--currency", help="ISO code to report cost in; else that of the tariff.")
]


def parse_set(items: list[str] | None) -> dict[str, object]:
    """``["site.pue=1.2"]`` as a mapping."""
    from tco.errors import EstimateError

    stated: dict[str, object] = {}
    for item in items or []:
        name, equals, value = item.partition("=")
        name, value = name.strip(), value.strip()
        if not equals or not name or not value:
            raise EstimateError(f"--set {item!r}: write INPUT=VALUE, for instance --set site.pue=1.2")
        if name in stated:
            raise EstimateError(f"--set {name} is given twice")
        stated[name] = value
    return stated


def find_run(name: str) -> Path:
    """The file of a run; ``example:NAME`` is one that ships with the package."""
    prefix, colon, example = name.partition(":")
    if not colon or prefix != "example":
        return Path(name)
    from tco.errors import ReadError, did_you_mean
    from tco.knowledge import folder

    examples = folder("examples")
    known = sorted(entry.name for entry in examples.iterdir() if entry.is_dir())
    if example not in known:
        raise ReadError(f"no example '{example}'{did_you_mean(example, known)} Examples: {', '.join(known)}")
    return Path(str(examples / example / "run.json"))


def make_estimate(
    run: str,
    region: str | None,
    system: str | None,
    site: str | None,
    set_: list[str] | None,
    year: int | None,
    currency: str | None,
) -> Estimate:
    """The estimate that the shared options ask for."""
    from tco.estimation import estimate

    return estimate(
        find_run(run), region=region, system=system, site=site, set=parse_set(set_), year=year, currency=currency
    )


def print_warnings(estimate: Estimate) -> None:
    """Warnings of an estimate, on standard error."""
    for warning in estimate.warnings:
        typer.echo(f"warning [{warning.code}]: {warning.message}", err=True)
