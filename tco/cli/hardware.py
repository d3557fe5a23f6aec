"""``tco hardware``."""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer(help="The hardware records that ship with the package.", no_args_is_help=True, rich_markup_mode=None)


@app.command("list")
def list_() -> None:
    """Names of the nodes and accelerators that have a record."""
    from tco.catalog import accelerator, names, system

    known = names()
    typer.echo("Nodes, for --system:")
    for name in known.systems:
        typer.echo(f"  {name:22} {system(name).title or ''}")
    typer.echo("Accelerators:")
    for name in known.accelerators:
        typer.echo(f"  {name:22} {accelerator(name).title or ''}")


@app.command("show")
def show(name: Annotated[str, typer.Argument(help="Name of a node or an accelerator.")]) -> None:
    """One record as JSON, each number with its source."""
    from tco.catalog import find_accelerator, system

    record = find_accelerator(name) or system(name)
    typer.echo(record.to_json())
