"""The command line: read, call the library, print."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module

import typer

#: The commands in the order of the help; the last five hold commands of their own.
COMMANDS = (
    "estimate",
    "explain",
    "compare",
    "sensitivity",
    "sweep",
    "solve",
    "cost",
    "system",
    "replace",
    "embodied",
    "simulate",
    "check",
    "plot",
    "read",
    "readers",
    "regions",
    "schema",
    "grid",
    "hardware",
    "prices",
    "bids",
    "catalog",
)


def _version(wanted: bool) -> None:
    if wanted:
        from tco import __version__

        typer.echo(f"tco {__version__}")
        raise typer.Exit


def _root(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    pass


def make_app(commands: Sequence[str] = COMMANDS) -> typer.Typer:
    """The command line with the commands named: each is one module, loaded here."""
    app = typer.Typer(
        name="tco",
        help="What an AI or HPC run costs and emits: energy, carbon and cost, every number with its source and range.",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    for name in commands:
        module = import_module(f"tco.cli.{name}")
        if hasattr(module, "app"):
            app.add_typer(module.app, name=name)
        else:
            app.command(name)(module.command)
    return app


def _asked_for(arguments: Sequence[str]) -> Sequence[str]:
    """The one command that the arguments name, so that the others need not be loaded; all where they name none."""
    first = next(iter(arguments), "")
    return (first,) if first in COMMANDS else COMMANDS


def main() -> None:
    """Run the command line; bad input is a message on standard error and exit code 2, never a traceback."""
    _start_lightly()
    from tco.errors import TcoError

    try:
        make_app(_asked_for(sys.argv[1:]))()
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
