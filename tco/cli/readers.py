"""``tco readers``."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer


class Format(StrEnum):
    """What is printed."""

    table = "table"
    json = "json"


def command(
    text: Annotated[str | None, typer.Argument(help="Part of a name or a title; all readers without it.")] = None,
    format_: Annotated[Format, typer.Option("--format", "-f", help="What to print.")] = Format.table,
) -> None:
    """The formats that are read: name, what it is, where it measures, and the package that reads it."""
    from tco.errors import TcoError
    from tco.readers.plugins import listed

    found, faults = listed()
    if text is not None:
        found = [each for each in found if text.casefold() in f"{each.name} {each.title}".casefold()]
        if not found:
            raise TcoError(f"no reader has '{text}' in its name or title; list them with: tco readers")
    if format_ is Format.json:
        import json

        typer.echo(json.dumps([each._asdict() for each in found], indent=2, ensure_ascii=False))
    else:
        from tco.reports.runs import show_readers

        show_readers([tuple(str(part or "") for part in each) for each in found])
    for fault in faults:
        typer.echo(f"warning [reader-failed]: {fault}", err=True)
