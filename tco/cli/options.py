"""Options that several commands share, and the estimate that they ask for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from tco.estimation import Estimate
    from tco.estimation.choice import GridChoice
    from tco.estimation.costs.choice import CostChoice
    from tco.readers import ReadOptions

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
GridData = Annotated[
    str | None,
    typer.Option("--grid-data", metavar="NAME|FILE", help="Data set of grid factors. List: tco grid data."),
]
Intensity = Annotated[
    str | None,
    typer.Option("--intensity", metavar="FILE", help="Grid intensity by time, matched with the power of the run."),
]
TimeZone = Annotated[
    str | None, typer.Option("--tz", metavar="ZONE", help="Time zone of stamps without an offset: UTC, Europe/Berlin.")
]
Labels = Annotated[
    str | None, typer.Option("--labels", help="What stamps of the series label: the start or the end of a step.")
]
Column = Annotated[str | None, typer.Option("--column", help="Column of the series, where several hold an intensity.")]
Fallback = Annotated[
    str | None,
    typer.Option("--fallback", help="What may stand for a place without a factor: parent (its country) or world."),
]
Trajectory = Annotated[
    str | None,
    typer.Option("--trajectory", help="Trend of the grid: constant, '-4.3 %/a', measured, or a CSV by year."),
]
EmbodiedMethod = Annotated[
    str | None,
    typer.Option("--embodied-method", metavar="METHOD", help="Of all parts: act, edge-aware ... See tco embodied."),
]
ScenarioFile = Annotated[
    str | None,
    typer.Option("--scenario", metavar="FILE[:NAME]", help="Scenario of a TOML file; what the command line says wins."),
]
Sites = Annotated[
    str | None, typer.Option("--sites", metavar="FILE", help="Table of PUE and WUE by provider, region and country.")
]


def grid_choice(
    data: str | None = None,
    intensity: str | None = None,
    zone: str | None = None,
    labels: str | None = None,
    column: str | None = None,
    fallback: str | None = None,
    trajectory: str | None = None,
    sites: str | None = None,
) -> GridChoice | None:
    """What the options say about the grid; None where they say nothing."""
    if (data, intensity, zone, labels, column, fallback, trajectory, sites) == (None,) * 8:
        return None
    from tco.errors import EstimateError, did_you_mean
    from tco.estimation.choice import GridChoice

    reading = None
    if intensity is not None:
        from tco.grid_intensity.formats import Reading

        reading = Reading(zone=zone, labels=labels, column=column)  # type: ignore[arg-type]
    elif (zone, labels, column) != (None, None, None):
        raise EstimateError("--tz, --labels and --column say how to read --intensity FILE: give it as well")
    if fallback not in (None, "parent", "world"):
        hint = did_you_mean(str(fallback), ("parent", "world"))
        raise EstimateError(f"--fallback '{fallback}' is not known{hint} (parent or world)")
    chosen = GridChoice(intensity=intensity, reading=reading, trajectory=trajectory, sites=sites)
    return chosen._replace(fallback=fallback, **({} if data is None else {"data": data}))  # type: ignore[arg-type]


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


def find_scenario(text: str | None) -> dict[str, Any] | None:
    """The scenario that ``--scenario`` names."""
    if text is None:
        return None
    from tco.analysis.scenarios import find_scenario as find

    return find(text)


def make_estimate(
    run: str,
    region: str | None,
    system: str | None,
    site: str | None,
    set_: list[str] | None,
    year: int | None,
    currency: str | None,
    grid: GridChoice | None = None,
    embodied_method: str | None = None,
    scenario: str | None = None,
    cost: CostChoice | None = None,
    as_: str | None = None,
    reading: ReadOptions | None = None,
) -> Estimate:
    """The estimate that the shared options ask for; what they leave open is that of the scenario."""
    from tco.estimation import estimate

    if scenario is not None:
        from tco.cli.recipes import make_recipe

        given: dict[str, Any] = {"region": region, "system": system, "site": site, "year": year, "currency": currency}
        given |= {"set": parse_set(set_) or None, "grid": grid, "embodied_method": embodied_method, "cost": cost}
        given |= {"as_": as_, "reading": reading}
        return make_recipe(run, given, find_scenario(scenario)).estimate()
    return estimate(
        find_run(run),
        region=region,
        system=system,
        site=site,
        set=parse_set(set_),
        year=year,
        currency=currency,
        grid=grid,
        embodied_method=embodied_method,
        cost=cost,
        as_=as_,
        reading=reading,
    )


def print_warnings(estimate: Estimate) -> None:
    """Warnings of an estimate, on standard error."""
    for warning in estimate.warnings:
        typer.echo(f"warning [{warning.code}]: {warning.message}", err=True)
