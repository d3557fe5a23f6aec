"""``tco check``."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from tco.claims.checking import Checked
    from tco.claims.record import Claim
    from tco.claims.runs import CheckedRun
    from tco.reports.tables import Table


class Format(StrEnum):
    """What the result is printed as."""

    text = "text"
    table = "table"
    json = "json"
    csv = "csv"
    md = "md"
    html = "html"
    latex = "latex"


def command(
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="CLAIM|RUN...",
            help="File of claims, run record, file of a measuring tool, or id of a published claim.",
        ),
    ] = None,
    list_: Annotated[
        bool, typer.Option("--list", help="List the published claims that ship with the package.")
    ] = False,
    all_: Annotated[bool, typer.Option("--all", help="Check all published claims.")] = False,
    wrong: Annotated[bool, typer.Option("--wrong", help="Show only what is not consistent.")] = False,
    region: Annotated[
        str | None, typer.Option("--region", "-r", help="Place whose grid factor a run's emissions are held against.")
    ] = None,
    format_: Annotated[Format | None, typer.Option("--format", "-f", help="What to print or write.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write.")] = None,
) -> None:
    """Whether a published claim follows from its inputs, or a run fits itself; exit code 1 if not.

    Where a claim does not follow, the usual explanations are tried: PUE twice, kWh for MWh, pounds for kilograms, a
    node for a device, a row that is missing. One is offered only if it gives the printed number within its rounding.
    """
    if list_:
        _put(_listing(format_), output)
        return
    claims, runs = _find(what or [], all_=all_, region=region)
    from tco.claims.checking import check

    checked = [one for claim in claims for one in check(claim)]
    shown = [one for one in checked if one.verdict == "not consistent"] if wrong else checked
    _put(_render(shown, [run for run in runs if not wrong or not run.consistent], format_), output)
    failed = sum(one.verdict == "not consistent" for one in checked) + sum(not run.consistent for run in runs)
    if failed:
        raise typer.Exit(1)


def _find(what: list[str], *, all_: bool, region: str | None) -> tuple[list[Claim], list[CheckedRun]]:
    from tco.claims import library
    from tco.errors import TcoError, did_you_mean

    claims: list[Claim] = []
    runs: list[CheckedRun] = []
    if all_:
        claims += library.published().values()
    for name in what:
        path = Path(name)
        if not path.exists() and ":" not in name and not path.suffix and "/" not in name:
            known = library.published()
            if name not in known:
                hint = did_you_mean(name, known) or "."
                raise TcoError(
                    f"'{name}' is neither a file nor a published claim{hint} List them with: tco check --list"
                )
            claims.append(known[name])
            continue
        found, checked = _read(name, region)
        claims += found
        runs += checked
    if not claims and not runs:
        raise TcoError("nothing to check; name a file or a published claim, or give --all (list: tco check --list)")
    return claims, runs


def _read(name: str, region: str | None) -> tuple[list[Claim], list[CheckedRun]]:
    from tco.claims.files import is_claim_file, read_claims
    from tco.cli.options import find_run

    path = find_run(name)
    if is_claim_file(path):
        return list(read_claims(path)), []
    from tco.claims.runs import check_run
    from tco.readers import read

    return [], [check_run(run, str(path), region=region) for run in read(path)]


def _listing(format_: Format | None) -> str:
    from tco.claims.library import published
    from tco.reports.checks import of_published
    from tco.reports.tables import TEXT_FORMATS

    name = "table" if format_ in (None, Format.text) else str(format_)
    table = of_published(published())
    return TEXT_FORMATS[name](table.title, [table])


def _render(checked: list[Checked], runs: list[CheckedRun], format_: Format | None) -> str:
    from tco.reports import checks
    from tco.reports.tables import TEXT_FORMATS

    if format_ is Format.json:
        return checks.to_json(checked, runs)
    if format_ is None or format_ is Format.text:
        text = checks.to_text(checked) if checked else ""
        tables = [table for run in runs for table in checks.of_run(run)]
        return text + (TEXT_FORMATS["table"]("", tables) if tables else "")
    of_claims: Callable[[list[Checked]], Table] = checks.of_checked
    if format_ is Format.table:
        of_claims = checks.brief
    elif format_ is Format.csv:
        of_claims = checks.of_numbers
    tables = [of_claims(checked)] if checked or not runs else []
    tables += [table for run in runs for table in checks.of_run(run)]
    return TEXT_FORMATS[str(format_)]("Published claims, recomputed from their own inputs", tables)


def _put(text: str, output: Path | None) -> None:
    if output is None:
        typer.echo(text, nl=False)
        return
    from tco.files import write_atomically

    write_atomically(output, text)
    typer.echo(f"wrote {output}", err=True)
