"""``tco read``."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tco.cli import reading

if TYPE_CHECKING:
    from tco.records.run import Run


class Format(StrEnum):
    """What is printed."""

    table = "table"
    json = "json"


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File, or folder of a benchmark, that a tool wrote.")],
    as_: reading.As = None,
    devices: reading.Devices = None,
    rule: reading.Rule = None,
    boundary: reading.Boundary = None,
    time_zone: reading.TimeZone = None,
    companion: reading.Companion = None,
    names: Annotated[
        str | None,
        typer.Option("--names", metavar="A,B,...", help="Column names of a file that has none."),
    ] = None,
    interval: Annotated[
        str | None,
        typer.Option("--interval", metavar="TIME", help="From sample to sample, of a file without times: 1 s."),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--column", metavar="ROLE=NAME", help="What a column of a CSV file holds: time=t, 'power:gpu0[W]=P' ..."
        ),
    ] = None,
    columns: Annotated[
        Path | None, typer.Option("--columns", metavar="TOML", help="The same for all columns, as a file.")
    ] = None,
    format_: Annotated[Format, typer.Option("--format", "-f", help="What to print.")] = Format.table,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="JSON", help="Run record to write; run-1.json ... of a file with several."
        ),
    ] = None,
) -> None:
    """Convert a file of a measuring tool to run records, to look at, to edit and to keep."""
    from tco.readers import read

    options, as_ = reading.options_of(
        devices, rule, boundary, time_zone, as_, names, interval, column, columns, companion
    )
    runs = read(file, as_=as_, options=options)
    if output is not None:
        _write(runs, output)
    elif format_ is Format.json:
        texts = [run.to_json() for run in runs]
        typer.echo(texts[0] if len(texts) == 1 else "[" + ",\n".join(texts) + "]")
    else:
        from tco.reports.runs import show

        show(runs)
    for number, run in enumerate(runs, start=1):
        of = f" (run {number})" if len(runs) > 1 else ""
        for warning in run.warnings:
            typer.echo(f"warning [{warning.code}]{of}: {warning.message}", err=True)


def _write(runs: list[Run], output: Path) -> None:
    from tco.errors import TcoError
    from tco.files import write_atomically

    if output.suffix.lower() not in ("", ".json"):
        raise TcoError(
            f"{output}: a run record is written as JSON; name it for instance {output.with_suffix('.json')}, or name a "
            "folder"
        )
    if output.suffix == "":
        output.mkdir(parents=True, exist_ok=True)
        names = [output / f"{name}.json" for name in _names(runs)]
    elif len(runs) == 1:
        names = [output]
    else:
        names = [output.with_name(f"{output.stem}-{number}{output.suffix}") for number in range(1, len(runs) + 1)]
    for name, run in zip(names, runs, strict=True):
        write_atomically(name, run.to_json() + "\n")
        typer.echo(f"wrote {name}", err=True)


def _names(runs: list[Run]) -> list[str]:
    """A name for the file of each run: its own, where it has one that no other has."""
    import re

    own = [re.sub(r"[^\w.-]+", "-", run.name or "").strip("-.")[:80] for run in runs]
    return [name if name and own.count(name) == 1 else f"run-{number}" for number, name in enumerate(own, start=1)]
