"""``tco catalog``."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from tco.catalog.library import Library
    from tco.reports.tables import Table

app = typer.Typer(
    help="Simulators, cost and carbon models, benchmarks, workload representations, with errors one can compare.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


class Format(StrEnum):
    """What a table is printed as."""

    table = "table"
    md = "md"
    latex = "latex"
    csv = "csv"
    html = "html"
    json = "json"


class Kind(StrEnum):
    """Kinds of records."""

    simulators = "simulators"
    models = "models"
    benchmarks = "benchmarks"
    representations = "representations"


class Listed(StrEnum):
    """What can be listed."""

    simulators = "simulators"
    models = "models"
    benchmarks = "benchmarks"
    representations = "representations"
    pairs = "pairs"
    unlisted = "unlisted"


Own = Annotated[
    list[Path] | None, typer.Option("--catalog", metavar="DIR", help="Folder of your own records beside those shipped.")
]
As = Annotated[Format | None, typer.Option("--format", "-f", help="What to print or write.")]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="File to write: .txt, .md, .tex, .csv, .html, .json or .xlsx says the format."),
]


def _library(own: Sequence[Path] | None) -> Library:
    from tco.catalog.library import library, read_library

    return read_library(own) if own else library()


def _split(texts: Sequence[str] | None) -> list[str]:
    return [word.strip() for text in texts or () for word in text.split(",") if word.strip()]


def _put(title: str, tables: Sequence[Table], chosen: Format | None, output: Path | None) -> None:
    from tco.errors import TcoError
    from tco.reports import tables as out

    name: str = chosen.value if chosen else "table"
    if output is not None:
        by_suffix = out.SUFFIXES.get(output.suffix.lower())
        if chosen is None and by_suffix is None:
            known = ", ".join(out.SUFFIXES)
            raise TcoError(f"{output}: the suffix '{output.suffix}' says no format; use one of {known}, or --format")
        name = chosen.value if chosen else by_suffix or "table"
    if output is None and name == "table":
        out.show(tables)
        return
    content = out.to_workbook(title, tables) if name == "xlsx" else out.TEXT_FORMATS[name](title, tables)
    if name == "csv":
        for table in tables[1:]:
            typer.echo(f"not in the CSV: {table.title}", err=True)
            for note in table.notes[:20]:
                typer.echo(f"  {note}", err=True)
    if output is None:
        typer.echo(content, nl=False)
        return
    from tco.files import write_atomically

    write_atomically(output, content)
    typer.echo(f"wrote {output}", err=True)


@app.command("list")
def list_(
    kind: Annotated[Listed | None, typer.Option("--kind", "-k", help="Of one kind; all systems without it.")] = None,
    own: Own = None,
    format_: As = None,
    output: Output = None,
) -> None:
    """Ids and names of the records."""
    from tco.reports.catalogue import of_list

    kinds = [kind.value] if kind else [known.value for known in Kind]
    _put("Catalogue", of_list(_library(own), kinds), format_, output)


@app.command("show")
def show(
    name: Annotated[str, typer.Argument(help="Id or name of a system, id of an error or of a set of pairs.")],
    own: Own = None,
    format_: As = None,
    output: Output = None,
) -> None:
    """One record: fields and where each was read, errors, pairs, conflicts."""
    from tco.reports.catalogue import of_entry, of_row, of_set

    known = _library(own)
    if name in known.validations:
        _put(name, of_row(known.validations[name]), format_, output)
    elif name in known.pair_sets:
        _put(name, of_set(known.pair_sets[name]), format_, output)
    else:
        entry = known.entry(name)
        _put(entry.title, of_entry(known, entry), format_, output)


@app.command("search")
def search(
    words: Annotated[list[str], typer.Argument(help="Words, all of which must stand in the record.")],
    own: Own = None,
    format_: As = None,
    output: Output = None,
) -> None:
    """Records that hold all words, names first."""
    from tco.catalog.searching import search as find
    from tco.errors import RecordError
    from tco.reports.catalogue import of_search

    known = _library(own)
    hits = find(known, words)
    if not hits:
        raise RecordError(f"no record holds '{' '.join(words)}'; list them with: tco catalog list")
    _put(f"Records with {' '.join(words)}", of_search(known, hits), format_, output)


@app.command("compare")
def compare(
    names: Annotated[list[str] | None, typer.Argument(help="Ids or names; all of the kind without them.")] = None,
    kind: Annotated[Kind, typer.Option("--kind", "-k", help="What to compare.")] = Kind.simulators,
    columns: Annotated[
        list[str] | None, typer.Option("--columns", "-c", help="Columns, separated by commas; 'all' for all.")
    ] = None,
    pairs: Annotated[
        bool, typer.Option("--pairs", help="Rank log-ratio errors computed from stored pairs too.")
    ] = False,
    own: Own = None,
    format_: As = None,
    output: Output = None,
) -> None:
    """Records side by side; errors in order only where they are comparable, and why not where they are not."""
    from tco.catalog import comparison
    from tco.reports.catalogue import of_comparison

    wanted = _split(columns)
    chosen = comparison.columns_of(kind.value) if wanted == ["all"] else wanted
    found = comparison.compare(_library(own), kind.value, names or (), chosen, pairs=pairs)
    _put(kind.value.capitalize(), of_comparison(found), format_, output)


@app.command("recommend")
def recommend(
    scale: Annotated[int | None, typer.Option("--scale", help="Devices (not nodes) that the job uses.")] = None,
    hardware: Annotated[str | None, typer.Option("--hardware", help="Device, for instance h100.")] = None,
    mode: Annotated[
        str | None, typer.Option("--mode", help="training, inference, inference serving, HPC or storage.")
    ] = None,
    needs: Annotated[
        list[str] | None,
        typer.Option("--needs", help="energy, cost, carbon, network, packet-level, code, data; separated by commas."),
    ] = None,
    own: Own = None,
    format_: As = None,
    output: Output = None,
) -> None:
    """Simulators that suit a job, those that do not, and why."""
    from tco.catalog import recommendation
    from tco.reports.catalogue import of_advice

    advice = recommendation.recommend(_library(own), scale=scale, hardware=hardware, mode=mode, needs=_split(needs))
    _put("Simulators for this job", of_advice(advice), format_, output)


@app.command("score")
def score(
    pairs: Annotated[
        str | None,
        typer.Argument(
            metavar="PAIRS", help="CSV file with the columns predicted and measured, or id of a stored set."
        ),
    ] = None,
    with_: Annotated[
        str | None,
        typer.Option("--with", metavar="SIM", help="Simulator to run over a set of measured steps, in place of PAIRS."),
    ] = None,
    set_: Annotated[
        str | None, typer.Option("--set", metavar="SET", help="Set of measured steps: vtrain-multi, sc21-table-1 ...")
    ] = None,
    setting: Annotated[
        list[str] | None, typer.Option("--setting", metavar="NAME=VALUE", help="Setting of the simulator.")
    ] = None,
    time_limit: Annotated[
        str, typer.Option("--time-limit", metavar="TIME", help="When a simulator that does not answer is stopped.")
    ] = "600 s",
    where: Annotated[
        list[str] | None, typer.Option("--where", "-w", help="Points to take: 'devices=8', 'tp<=8', 'workload^=GPT'.")
    ] = None,
    predicted: Annotated[str, typer.Option("--predicted", help="Column of the predictions.")] = "predicted",
    measured: Annotated[str, typer.Option("--measured", help="Column of the measurements.")] = "measured",
    throughput: Annotated[
        bool, typer.Option("--throughput", help="Take times as throughput: batch over both sides.")
    ] = False,
    metric: Annotated[str, typer.Option("--metric", help="Metric of the validation row.")] = "log_ratio",
    tool: Annotated[str | None, typer.Option("--tool", help="Id of the tool's record, for the validation row.")] = None,
    resamples: Annotated[int, typer.Option("--resamples", help="Bootstrap resamples; 0 for no intervals.")] = 2000,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the resamples.")] = 1,
    own: Own = None,
    format_: As = None,
    output: Output = None,
) -> None:
    """Every error metric of pairs, with intervals, and a validation row to finish."""
    from tco.catalog import pairs as of_pairs
    from tco.catalog import scoring
    from tco.reports.catalogue import of_score

    if with_ is not None or set_ is not None or setting:
        pairs, points, stored = _predicted(pairs, with_, set_, setting, time_limit)
    else:
        pairs, points, stored = _given(pairs, own, predicted, measured)
    points = of_pairs.select(points, where or ())
    if throughput:
        points = of_pairs.as_throughput(points)
    scored = scoring.score(points, resamples=resamples, seed=seed)
    of_tool = tool or (stored.prediction.tool if stored else None) or with_ or str(pairs)
    row = scoring.row_text(scored, name=f"{pairs}-01", tool=of_tool, metric=metric, stored=stored)
    _put("Error metrics", of_score(scored), format_, output)
    typer.echo(row, nl=False, err=format_ not in (None, Format.table) or output is not None)


def _given(pairs: str | None, own: Sequence[Path] | None, predicted: str, measured: str) -> Any:
    """Name, points and stored set of what the argument names."""
    from tco.catalog import pairs as of_pairs
    from tco.errors import TcoError

    if pairs is None:
        raise TcoError(
            "name PAIRS, a CSV file or the id of a stored set (tco catalog list --kind pairs), or run a simulator: "
            "--with 6nd --set vtrain-multi"
        )
    path = Path(pairs)
    if path.suffix.lower() in (".csv", ".txt") or "/" in pairs or path.exists():
        return path.stem, of_pairs.read_pairs_file(path, predicted=predicted, measured=measured), None
    stored = _library(own).pair_set(pairs)
    return stored.id, stored.load(), stored


def _predicted(
    pairs: str | None, simulator: str | None, data: str | None, setting: Sequence[str] | None, time_limit: str
) -> Any:
    """Name and points of a simulator run over a set of measured steps."""
    from tco.catalog.performance import measured_sets
    from tco.cli.simulate import seconds
    from tco.errors import TcoError
    from tco.simulators.scoring import predict

    if simulator is None or data is None or pairs is not None:
        known = ", ".join(measured_sets())
        raise TcoError(f"--with SIM and --set SET belong together, without PAIRS (sets: {known})")
    settings: dict[str, str] = {}
    for text in setting or ():
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise TcoError(f"--setting {text!r}: write NAME=VALUE, for instance --setting utilisation=0.42")
        settings[name.strip().removeprefix(f"{simulator}.")] = value.strip()
    found = predict(simulator, data, settings=settings, time_limit_s=seconds(time_limit))
    for fault in found.faults:
        typer.echo(f"no prediction: {fault}", err=True)
    return f"{found.simulator}@{data}", found.pairs, None


@app.command("validation")
def validation(format_: As = None, output: Output = None) -> None:
    """Every predictor of training time on every set of measured steps, from the stored pairs: one table."""
    from tco.reports.simulated import of_validation
    from tco.simulators.scoring import validation_scores

    short = format_ in (None, Format.table) and output is None
    _put("Predictors of training time", of_validation(validation_scores(), short=short), format_, output)


@app.command("claims")
def claims(
    about: Annotated[str | None, typer.Option("--about", help="Id or name of a system.")] = None,
    severity: Annotated[str | None, typer.Option("--severity", help="none, low, medium or high.")] = None,
    own: Own = None,
    format_: As = None,
    output: Output = None,
) -> None:
    """What a survey or a paper says against what the primary data say, and the published claims of `tco check`."""
    from tco.errors import RecordError
    from tco.reports.catalogue import of_claims

    known = _library(own)
    if severity not in (None, "none", "low", "medium", "high"):
        raise RecordError(f"severity '{severity}' is not known; use none, low, medium or high")
    tables = of_claims(known, known.entry(about).name if about else None, severity)
    if about is None and severity is None:
        from tco.claims.library import published
        from tco.reports.checks import of_published

        tables.append(of_published(published()))
    if not tables:
        raise RecordError("no claim fits; list all with: tco catalog claims")
    _put("Claims", tables, format_, output)


@app.command("check")
def check(
    folders: Annotated[list[Path] | None, typer.Argument(metavar="DIR", help="Folders of your own records.")] = None,
    own: Own = None,
    strict: Annotated[bool, typer.Option("--strict", help="Notes fail the check too.")] = False,
    format_: As = None,
    output: Output = None,
) -> None:
    """Schema, sources, links, hashes, numbers that pairs give again, and open conflicts; exit code 1 on an error."""
    from tco.catalog.checks import check_catalog
    from tco.reports.catalogue import of_findings

    known, findings = check_catalog([*(folders or ()), *(own or ())])
    if findings or format_ not in (None, Format.table):
        _put("Findings", of_findings(findings), format_, output)
    errors = sum(finding.level == "error" for finding in findings)
    typer.echo(
        f"{len(known.entries)} systems, {len(known.validations)} errors, {len(known.pair_sets)} sets of pairs: "
        f"{errors} errors, {len(findings) - errors} notes",
        err=True,
    )
    if errors or (strict and findings):
        raise typer.Exit(1)


@app.command("pages")
def pages(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder to write the pages into.")],
    own: Own = None,
) -> None:
    """The catalogue as Markdown pages: every table of systems, errors, pairs and claims."""
    from tco.errors import TcoError
    from tco.files import write_atomically
    from tco.reports import catalogue

    if not folder.is_dir():
        raise TcoError(f"{folder}: is no folder; make it first")
    for name, text in catalogue.pages(_library(own)).items():
        write_atomically(folder / name, text)
        typer.echo(f"wrote {folder / name}", err=True)
