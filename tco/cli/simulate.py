"""``tco simulate``."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tco.cli import options

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tco.estimation import Estimate
    from tco.records.run import Run
    from tco.reports.tables import Table
    from tco.simulators.running import Answer


class Format(StrEnum):
    """What a table is printed as."""

    table = "table"
    md = "md"
    latex = "latex"
    csv = "csv"
    html = "html"
    json = "json"


class Model(StrEnum):
    """How power is modelled."""

    rated = "rated"
    dynamic = "dynamic"
    phases = "phases"


Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--setting", metavar="SIM.NAME=VALUE", help="Setting of a simulator: calculon.path=DIR, 6nd.utilisation=0.42."
    ),
]
TimeLimit = Annotated[
    str, typer.Option("--time-limit", metavar="TIME", help="When a simulator that does not answer is stopped.")
]


def command(
    workload: Annotated[
        Path | None,
        typer.Argument(metavar="WORKLOAD", help="Model, parallelism, batch (TOML, JSON), or example:NAME."),
    ] = None,
    with_: Annotated[
        list[str] | None,
        typer.Option("--with", "-w", metavar="SIM,...", help="Simulators by name, or TOML files that describe one."),
    ] = None,
    system: options.System = None,
    devices: Annotated[int | None, typer.Option("--devices", "-n", min=1, help="Devices that the job uses.")] = None,
    region: options.Region = None,
    site: options.Site = None,
    set_: options.Set = None,
    year: options.Year = None,
    currency: options.Currency = None,
    setting: Settings = None,
    power_model: Annotated[
        Model | None,
        typer.Option(
            "--power-model", help="Share of the node's rating, idle and a part by utilisation, or by phase (default)."
        ),
    ] = None,
    calibrate: Annotated[
        str | None,
        typer.Option("--calibrate", metavar="SET,...", help="Correct times by stored pairs: sc21-table-1 ..."),
    ] = None,
    time_limit: TimeLimit = "600 s",
    runs: Annotated[
        Path | None, typer.Option("--runs", metavar="DIR", help="Folder to write each predicted run into.")
    ] = None,
    list_: Annotated[
        bool, typer.Option("--list", help="List the simulators, and why one cannot be used here.")
    ] = False,
    format_: Annotated[Format | None, typer.Option("--format", "-f", help="What to print or write.")] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File to write: .txt, .md, .tex, .csv, .html, .json or .xlsx."),
    ] = None,
) -> None:
    """Time, energy, carbon and cost of a training job as simulators predict it, with their errors."""
    from tco.cli.catalog import _put
    from tco.errors import TcoError

    settings = _settings(setting)
    if list_:
        from tco.cli.catalog import Format as Any_

        _put("Simulators", [_listed(settings)], Any_(format_.value) if format_ else None, output)
        return
    names = [name.strip() for text in with_ or () for name in text.split(",") if name.strip()]
    if workload is None or not names or system is None:
        raise TcoError(
            "name a workload, simulators and a node: tco simulate job.toml --with 6nd,8nd --system hgx-h100 "
            "--devices 512; list the simulators with: tco simulate --list"
        )
    from tco.simulators import load_workload, simulate

    workload = _find(workload)
    job = load_workload(workload)
    answers = simulate(job, names, system, devices=devices, settings=settings, time_limit_s=seconds(time_limit))
    ready = _ready(answers, job.name or workload.stem, power_model, calibrate)
    estimates, answers = _estimates(ready, answers, region, system, site, set_, year, currency)
    if runs is not None:
        _write(runs, ready)
    _show(answers, estimates, job.model_dump(mode="json", exclude_none=True, by_alias=True), format_, output)
    said: dict[str, list[str]] = {}
    for answer in answers:
        if answer.fault is not None:
            typer.echo(f"{answer.name}: no answer: {answer.fault}", err=True)
        for warning in estimates[answer.name].warnings if answer.name in estimates else ():
            said.setdefault(f"warning [{warning.code}]: {warning.message}", []).append(answer.name)
    for text, of in said.items():
        typer.echo(f"{text} ({', '.join(of)})", err=True)
    if any(answer.fault is not None for answer in answers):
        raise typer.Exit(1)


def _find(workload: Path) -> Path:
    """The file of a workload; ``example:NAME`` is one that ships with the package."""
    prefix, colon, name = str(workload).partition(":")
    if not colon or prefix != "example":
        return workload
    from tco.errors import ReadError, did_you_mean
    from tco.knowledge import folder

    suffix = ".workload.toml"
    examples = folder("examples")
    known = sorted(entry.name.removesuffix(suffix) for entry in examples.iterdir() if entry.name.endswith(suffix))
    if name not in known:
        raise ReadError(f"no example '{name}'{did_you_mean(name, known)} Examples: {', '.join(known)}")
    return Path(str(examples / f"{name}{suffix}"))


def _settings(texts: Sequence[str] | None) -> dict[str, dict[str, str]]:
    """``["calculon.path=DIR"]`` by simulator."""
    from tco.errors import TcoError

    found: dict[str, dict[str, str]] = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        simulator, dot, key = name.strip().rpartition(".")
        if not equals or not dot or not simulator or not key or not value.strip():
            raise TcoError(
                f"--setting {text!r}: write SIM.NAME=VALUE, for instance --setting calculon.path=../calculon"
            )
        own = found.setdefault(simulator, {})
        if key in own:
            raise TcoError(f"--setting {simulator}.{key} is given twice")
        own[key] = value.strip()
    return found


def seconds(text: str) -> float:
    """A time limit in s."""
    from tco.errors import TcoError
    from tco.units import read_quantity

    limit = float(read_quantity(text, "s").magnitude)
    if limit <= 0:
        raise TcoError(f"--time-limit '{text}' is not above 0")
    return limit


def _listed(settings: Mapping[str, Mapping[str, str]]) -> Table:
    from tco.reports.tables import Table as Made
    from tco.simulators import plugins
    from tco.simulators.base import Options

    rows = []
    for name in plugins.OWN:
        simulator = plugins.own(name)
        why_not = simulator.available(Options(settings.get(name, {})))
        known = "; ".join(f"{key}: {what}" for key, what in simulator.settings.items())
        rows.append((name, simulator.title, why_not or "yes", known))
    for point in plugins.others():
        rows.append((point.name, f"plug-in of another package ({point.value})", "not loaded until it is named", ""))
    notes = ("A site's own simulator needs no Python: describe its command in a TOML file and name that with --with.",)
    columns = ("Name", "What it is", "Can be used", "Settings")
    return Made("simulators", "Simulators", columns, tuple(rows), (), notes, ("name", "title", "available", "settings"))


def _ready(answers: Sequence[Answer], name: str, power_model: Model | None, calibrate: str | None) -> dict[str, Run]:
    """The runs, named, with the power model and the correction that were asked for."""
    from tco.errors import TcoError

    found: dict[str, Run] = {}
    for answer in answers:
        if answer.run is None:
            continue
        run = answer.run.model_copy(update={"name": f"{name}, {answer.name}"})
        if power_model is not None:
            run = run.model_copy(update={"power_model": power_model.value})
        if calibrate is not None:
            from tco.reports.simulated import of_calibration
            from tco.reports.tables import to_text
            from tco.simulators import calibrate as fit

            prediction = run.prediction
            assert prediction is not None
            if prediction.pairs is None:
                raise TcoError(f"--calibrate: {answer.name} has no stored pairs")
            sets = [part.strip() for part in calibrate.split(",") if part.strip()]
            fitted = fit(prediction.pairs, sets, mode=prediction.mode, factor=prediction.pairs_factor)
            run = run.model_copy(update={"prediction": prediction.model_copy(update={"time_ratio": fitted.ratio})})
            typer.echo(to_text([of_calibration(fitted, answer.name)]), err=True, nl=False)
        found[answer.name] = run
    return found


def _estimates(
    runs: Mapping[str, Run],
    answers: Sequence[Answer],
    region: str | None,
    system: str,
    site: str | None,
    set_: list[str] | None,
    year: int | None,
    currency: str | None,
) -> tuple[dict[str, Estimate], list[Answer]]:
    """The estimate of each run. What is wrong with all of them is an error; with one, its answer."""
    from tco.errors import TcoError
    from tco.estimation import estimate

    stated = options.parse_set(set_)
    found: dict[str, Estimate] = {}
    faults: dict[str, TcoError] = {}
    for name, run in runs.items():
        try:
            found[name] = estimate(
                run, region=region, system=system, site=site, set=stated, year=year, currency=currency
            )
        except TcoError as error:
            faults[name] = error
    if faults and not found:
        raise next(iter(faults.values()))
    return found, [
        answer._replace(fault=str(faults[answer.name])) if answer.name in faults else answer for answer in answers
    ]


def _write(folder: Path, runs: Mapping[str, Run]) -> None:
    from tco.errors import TcoError
    from tco.files import write_atomically

    if not folder.is_dir():
        raise TcoError(f"{folder}: is no folder; make it first")
    for name, run in runs.items():
        write_atomically(folder / f"{name}.json", run.to_json() + "\n")
        typer.echo(f"wrote {folder / f'{name}.json'}", err=True)


def _show(
    answers: Sequence[Answer],
    estimates: Mapping[str, Estimate],
    workload: Mapping[str, object],
    format_: Format | None,
    output: Path | None,
) -> None:
    from tco.cli.catalog import Format as Any_
    from tco.cli.catalog import _put
    from tco.reports.simulated import of_answers, of_answers_in_full, to_dict

    if format_ is Format.json or (format_ is None and output is not None and output.suffix == ".json"):
        import json

        text = json.dumps(to_dict(answers, estimates, workload), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        if output is None:
            typer.echo(text, nl=False)
        else:
            from tco.files import write_atomically

            write_atomically(output, text)
            typer.echo(f"wrote {output}", err=True)
        return
    name = str(workload.get("name") or "job")
    full = format_ is Format.csv or (output is not None and output.suffix in (".csv", ".xlsx"))
    tables = (of_answers_in_full if full else of_answers)(answers, estimates, f"{name} as simulators predict it")
    _put(f"{name}", tables, Any_(format_.value) if format_ else None, output)
