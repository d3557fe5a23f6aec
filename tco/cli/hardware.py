"""``tco hardware``."""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer(help="The hardware records that ship with the package.", no_args_is_help=True, rich_markup_mode=None)


@app.command("list")
def list_() -> None:
    """Names of the nodes and accelerators that have a record."""
    from tco.catalog import accelerators, systems

    typer.echo("Nodes (for --system):")
    for name in systems():
        typer.echo(f"  {name}")
    typer.echo("Accelerators:")
    for name in accelerators():
        typer.echo(f"  {name}")


@app.command("show")
def show(name: Annotated[str, typer.Argument(help="Name of a node or an accelerator.")]) -> None:
    """One record as JSON, each number with its source."""
    from tco.catalog import record

    typer.echo(record(name).to_json())
