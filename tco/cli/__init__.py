"""The command line: read, call the library, print."""

from __future__ import annotations

import atexit
import gc
import os
import sys

import typer

from tco.cli import (
    bids,
    catalog,
    check,
    compare,
    cost,
    embodied,
    estimate,
    explain,
    grid,
    hardware,
    plot,
    prices,
    read,
    readers,
    regions,
    replace,
    schema,
    sensitivity,
    simulate,
    solve,
    sweep,
    system,
)

app = typer.Typer(
    name="tco",
    help="What an AI or HPC run costs and emits: energy, carbon and cost, every number with its source and range.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from tco import __version__

        typer.echo(f"tco {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    pass


app.command("embodied")(embodied.command)
app.command("check")(check.command)
app.command("compare")(compare.command)
app.command("cost")(cost.command)
app.command("estimate")(estimate.command)
app.command("explain")(explain.command)
app.command("read")(read.command)
app.command("readers")(readers.command)
app.command("plot")(plot.command)
app.command("regions")(regions.command)
app.command("replace")(replace.command)
app.command("schema")(schema.command)
app.command("sensitivity")(sensitivity.command)
app.command("simulate")(simulate.command)
app.command("solve")(solve.command)
app.command("sweep")(sweep.command)
app.command("system")(system.command)
app.add_typer(bids.app, name="bids")
app.add_typer(hardware.app, name="hardware")
app.add_typer(catalog.app, name="catalog")
app.add_typer(grid.app, name="grid")
app.add_typer(prices.app, name="prices")


def main() -> None:
    """Run the command line; bad input is a message on standard error and exit code 2, never a traceback."""
    _start_lightly()
    from tco.errors import TcoError

    try:
        app()
    except TcoError as error:
        _stop(str(error))
    except BrokenPipeError:
        # The reader of the output has gone (``tco ... | head``): nothing is left to say.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        _stop(f"{name}{error.strerror or error}")


def _start_lightly() -> None:
    """What a short-lived process does not need: threads for linear algebra, plug-ins of Pydantic, garbage collection.

    A user's own settings in the environment stay as they are.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "1")
    gc.set_threshold(100_000, 50, 100)
    atexit.register(gc.freeze)  # at the end nothing is collected that the system takes back at once


def _stop(message: str) -> None:
    print(f"tco: {message}", file=sys.stderr)
    sys.exit(2)
