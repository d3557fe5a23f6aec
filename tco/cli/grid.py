"""``tco grid``: data sets, places side by side, the best time to start, files and live answers of grid intensity."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tco.cli import options

if TYPE_CHECKING:
    from rich.table import Table

    from tco.estimation import Estimate
    from tco.grid_intensity.series import Schedule, Series

app = typer.Typer(help="Grid intensity: data, places, times.", no_args_is_help=True, rich_markup_mode=None)

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def _print_json(data: Any) -> None:
    import json

    typer.echo(json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False))


def _print_table(table: Table) -> None:
    from rich.console import Console

    console = Console(highlight=False)
    (console if console.is_terminal else Console(width=120, color_system=None, highlight=False)).print(table)


def _table(*columns: str, right: tuple[str, ...] = ()) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in columns:
        table.add_column(name, justify="right" if name in right else "left", overflow="fold")
    return table


@app.command("data")
def data(
    name: Annotated[str | None, typer.Argument(help="A data set, to see what it is; all of them without it.")] = None,
    json_: Json = False,
) -> None:
    """The data sets of grid factors: release, basis, licence, hash. Choose one with --grid-data."""
    from tco.grid_intensity.sets import beside_factors, choose, names

    chosen = [choose(name)] if name is not None else [choose(known) for known in names()]
    found = []
    for entry in chosen:
        about = entry.about
        facts = {key: about.get(key) for key in ("basis", "scope", "kind", "resolution", "unit")}
        found.append(
            {
                **entry.data_set.model_dump(),
                **facts,
                "gas": about.get("gas", "CO2e"),
                "places": len(entry.regions()),
                "notes": list(about.get("notes", [])),
                "source": about["source"],
            }
        )
    beside = [] if name is not None else beside_factors()
    if json_:
        _print_json([*found, *(other.model_dump() for other in beside)])
        return
    if name is not None:
        for key, value in found[0].items():
            shown = value if isinstance(value, list) else [value]
            if isinstance(value, dict):
                shown = [", ".join(f"{inner}: {text}" for inner, text in value.items())]
            for position, line in enumerate(shown):
                typer.echo(f"{key if position == 0 else '':10}  {line}")
        return
    table = _table("Name", "Release", "Basis", "Scope", "Step", "Places", "Licence", "SHA-256", right=("Places",))
    for row in found:
        basis = str(row["basis"]) + (" (CO2)" if row["gas"] == "CO2" else "")
        table.add_row(
            row["name"], row["release"], basis, row["scope"], row["resolution"], str(row["places"]), row["licence"],
            row["sha256"][:12],
        )  # fmt: skip
    for other in beside:
        table.add_row(other.name, other.release, "", "", "", "", other.licence, other.sha256[:12])
    _print_table(table)
    typer.echo(
        "Sets under other terms are read from a file of your own: --grid-data FILE.csv, with FILE.toml beside it."
    )


@app.command("compare")
def compare(
    run: options.RunFile,
    regions: Annotated[str, typer.Option("--regions", help="Places, with commas between: eu,de,se,us-east-1.")],
    system: options.System = None,
    site: options.Site = None,
    set_: options.Set = None,
    year: options.Year = None,
    grid_data: options.GridData = None,
    fallback: options.Fallback = None,
    trajectory: options.Trajectory = None,
    sites: options.Sites = None,
    json_: Json = False,
) -> None:
    """The same run in several places: grid factor, energy and emissions of its electricity."""
    from tco.errors import RegionError
    from tco.grid_intensity import resolve

    places = [place.strip() for place in regions.split(",") if place.strip()]
    if not places:
        raise RegionError("--regions names no place; write for instance --regions eu,de,se")
    for place in places:
        resolve(place)
    grid = options.grid_choice(grid_data, None, None, None, None, fallback, trajectory, sites)
    rows: list[dict[str, Any]] = []
    for place in places:
        try:
            found = options.make_estimate(run, place, system, site, set_, year, None, grid)
        except RegionError as error:
            rows.append({"region": resolve(place).id, "name": resolve(place).name, "missing": str(error)})
        else:
            rows.append(_compared(found))
    known = [row for row in rows if "missing" not in row]
    bases = sorted({f"{row['basis']}, {row['scope']}" for row in known})
    if len(bases) > 1:
        raise RegionError(f"the places have factors of {' and of '.join(bases)}: they cannot be compared")
    if json_:
        _print_json(rows)
        return
    _print_compared(rows)
    if not known:
        raise RegionError("none of the places has a factor")


def _compared(estimate: Estimate) -> dict[str, Any]:
    assert estimate.region is not None
    node = estimate.graph["grid.intensity"]
    used = estimate.graph.named.get("grid.intensity.projected", node)
    return {
        "region": estimate.region.id,
        "name": estimate.region.name,
        "gco2e_per_kwh": used.value,
        "data_year": node.facts.get("data_year"),
        "factor_of": node.facts.get("region"),
        "basis": node.facts.get("basis"),
        "scope": node.facts.get("scope"),
        "pue": estimate.graph["site.pue"].value,
        "facility_kwh": estimate.value("energy.facility", "kWh"),
        "operational_kgco2e": estimate.value("carbon.operational", "kgCO2e"),
        "data": [data_set.model_dump() for data_set in estimate.data_sets],
    }


def _print_compared(rows: list[dict[str, Any]]) -> None:
    from tco.reports.numbers import digits, show_value
    from tco.units import Q

    known = [row for row in rows if "missing" not in row]
    first = known[0]["operational_kgco2e"] if known else 0.0
    columns = ("Place", "gCO2e/kWh", "Year", "PUE", "Energy", "Emissions", "To the first", "Factor of")
    table = _table(*columns, right=("gCO2e/kWh", "PUE", "Energy", "Emissions", "To the first"))
    for row in rows:
        place = f"{row['name']} ({row['region']})"
        if "missing" in row:
            table.add_row(place, "-", "", "", "", "", "", "no factor: see below")
            continue
        emitted = row["operational_kgco2e"]
        other = "" if row["factor_of"] in (None, row["region"]) else str(row["factor_of"])
        table.add_row(
            place,
            digits(row["gco2e_per_kwh"]),
            str(row["data_year"] or ""),
            digits(row["pue"]),
            " ".join(show_value(Q(row["facility_kwh"], "kWh"), "kWh")),
            " ".join(show_value(Q(emitted, "kgCO2e"), "kgCO2e")),
            f"{100 * (emitted / first - 1):+.1f} %" if first else "",
            other,
        )
    _print_table(table)
    if known:
        typer.echo(f"Emissions of the electricity, location-based, {known[0]['basis']}, {known[0]['scope']}.")
    for row in rows:
        if "missing" in row:
            typer.echo(f"{row['missing']}; or --fallback parent takes it", err=True)


@app.command("schedule")
def schedule(
    run: options.RunFile,
    intensity: Annotated[
        str, typer.Option("--intensity", metavar="FILE", help="Grid intensity by time, or a forecast.")
    ],
    window: Annotated[str, typer.Option("--window", help="Time by which the run must have ended, from --from: 48h.")],
    from_: Annotated[
        str | None,
        typer.Option("--from", metavar="TIME", help="Earliest start; else that of the run, else of the series."),
    ] = None,
    region: options.Region = None,
    system: options.System = None,
    site: options.Site = None,
    set_: options.Set = None,
    tz: options.TimeZone = None,
    labels: options.Labels = None,
    column: options.Column = None,
    json_: Json = False,
) -> None:
    """The best time to start a run that can wait, and what it saves."""
    from tco.errors import EstimateError
    from tco.estimation import planning
    from tco.grid_intensity.formats import Reading, read_series
    from tco.units import read_quantity

    series = read_series(intensity, Reading(zone=tz, labels=labels, column=column))  # type: ignore[arg-type]
    given = {"grid.intensity": f"{series.mean!r} gCO2e/kWh", **options.parse_set(set_)}
    if "grid.intensity" in options.parse_set(set_):
        raise EstimateError("grid.intensity is what the series says: leave it out of --set")
    from tco.estimation import estimate

    found = estimate(options.find_run(run), region=region, system=system, site=site, set=given)
    plan = planning.plan(found, series, float(read_quantity(window, "s").magnitude), from_, tz)
    if json_:
        _print_json(_plan_data(plan, series))
        return
    _print_plan(plan, series)
    for warning in plan.warnings:
        typer.echo(f"warning [{warning.code}]: {warning.message}", err=True)


def _plan_data(plan: Any, series: Series) -> dict[str, Any]:
    from tco.grid_intensity.series import stamp

    found: Schedule = plan.schedule
    starts = {"at_once": found.at_once, "best": found.best, "worst": found.worst}
    return {
        **{
            name: {
                "start": stamp(start.start_s),
                "gco2e_per_kwh": start.intensity,
                "kgco2e": start.intensity * plan.facility_kwh / 1000,
            }
            for name, start in starts.items()
        },
        "latest_start": stamp(found.latest_s),
        "saving": found.saving,
        "facility_kwh": plan.facility_kwh,
        "starts_compared": found.considered,
        "starts_with_gaps": found.unknown,
        "series": {"file": series.about.file, "sha256": series.about.sha256, "kind": series.about.kind},
        "warnings": [warning.model_dump(exclude_none=True) for warning in plan.warnings],
    }


def _print_plan(plan: Any, series: Series) -> None:
    from tco.grid_intensity.series import stamp
    from tco.reports.numbers import digits, show_value
    from tco.units import Q

    found: Schedule = plan.schedule
    table = _table(
        "Start", "UTC", "gCO2e/kWh", "Emissions", "To at once", right=("gCO2e/kWh", "Emissions", "To at once")
    )
    for name, start in (("at once", found.at_once), ("best", found.best), ("worst", found.worst)):
        emitted = Q(start.intensity * plan.facility_kwh, "gCO2e").to("kgCO2e")
        change = start.intensity / found.at_once.intensity - 1 if found.at_once.intensity else 0.0
        table.add_row(
            name, stamp(start.start_s), digits(start.intensity), " ".join(show_value(emitted, "kgCO2e")),
            "" if name == "at once" else f"{100 * change:+.1f} %",
        )  # fmt: skip
    _print_table(table)
    kind = "average" if series.about.kind == "average" else "marginal: what a change of the load causes"
    typer.echo(
        f"{found.considered} starts compared up to {stamp(found.latest_s)}"
        + (f", {found.unknown} left out for gaps" if found.unknown else "")
        + f"; intensity is {kind}; facility energy {' '.join(show_value(Q(plan.facility_kwh, 'kWh'), 'kWh'))}."
    )


@app.command("import")
def import_(
    source: Annotated[
        str, typer.Argument(metavar="FILE|live:NAME", help="A file of grid intensity, or a live source.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Plain series to write, a CSV file.")],
    tz: options.TimeZone = None,
    labels: options.Labels = None,
    column: options.Column = None,
    basis: Annotated[
        str | None, typer.Option("--basis", help="direct or lifecycle, where the file does not say.")
    ] = None,
    scope: Annotated[str | None, typer.Option("--scope", help="production or consumption, likewise.")] = None,
    forecast: Annotated[
        bool, typer.Option("--forecast", help="Take forecasts where actual values are missing.")
    ] = False,
    fuels: Annotated[
        str | None, typer.Option("--fuels", help="Fuel factors for files of generation: ipcc-2014, unece-2020, neso.")
    ] = None,
    fuel: Annotated[
        list[str] | None, typer.Option("--fuel", metavar="FUEL=VALUE", help="State a factor: --fuel 'oil=650 g/kWh'.")
    ] = None,
    without: Annotated[list[str] | None, typer.Option("--without", help="Fuel to leave out.")] = None,
    place: Annotated[
        str | None, typer.Option("--zone", help="Live: zone or region, in the words of the source.")
    ] = None,
    begin: Annotated[
        str | None, typer.Option("--from", metavar="TIME", help="Live: begin, with Z or an offset.")
    ] = None,
    end: Annotated[str | None, typer.Option("--to", metavar="TIME", help="Live: end.")] = None,
    cache: Annotated[
        Path | None, typer.Option("--cache", help="Live: folder for answers, read again when there.")
    ] = None,
) -> None:
    """Convert a file of grid intensity to the plain form: UTC, start and end of each step, gCO2e/kWh."""
    from tco.grid_intensity.formats import Reading, read_series, write_series
    from tco.grid_intensity.fuels import stated_factors
    from tco.grid_intensity.series import hours, stamp

    reading = Reading(
        zone=tz,
        labels=labels,  # type: ignore[arg-type]
        column=column,
        basis=basis,
        scope=scope,
        forecast=forecast,
        fuels=fuels,
        stated_fuels=stated_factors(fuel or []),
        without=tuple(name.casefold() for name in without or []),
    )
    if source.startswith("live:"):
        from tco.grid_intensity.live import fetch

        series = fetch(source.removeprefix("live:"), place, begin, end, reading, cache)
    else:
        series = read_series(source, reading)
    write_series(series, output)
    about = series.about
    terms = ", ".join(word for word in (about.basis, about.scope, about.kind, about.gas) if word)
    typer.echo(f"wrote {output}: {len(series)} steps, {stamp(series.begin)} to {stamp(series.end)}, {terms}")
    typer.echo(f"mean {series.mean:.2f} gCO2e/kWh, weighted by time", err=True)
    if series.missing_s > 0:
        gaps = series.gaps
        first = f"the first from {stamp(gaps[0][0])} to {stamp(gaps[0][1])}"
        typer.echo(f"warning [gaps]: {hours(series.missing_s)} without a value in {len(gaps)} gaps, {first}", err=True)
    for note in about.notes:
        typer.echo(f"note: {note}", err=True)
