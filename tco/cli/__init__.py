"""The command line: read, call the library, print."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from importlib import import_module

import typer

#: The commands in the order of the help, each with the first line of its own. One command is one module.
COMMANDS = {
    "estimate": "Energy, carbon and cost of a run, with all that was assumed and where it comes from.",
    "explain": "How one number comes about: formulas, values, sources, what was assumed.",
    "compare": "Runs, systems, places and scenarios side by side: what differs, by how much, why, and how sure it is.",
    "sensitivity": "Which inputs a line depends on: elasticities, one input at a time, and shares of the variance.",
    "sweep": "An estimate at every point of a grid of inputs and places, as a table.",
    "solve": "The value of an input at which a line reaches a target: break-even. Says when there is none, or several.",
    "cost": "What a run costs by every method side by side: amortised, annuity, acquisition, cash-flow NPV, rental.",
    "system": "What a system costs over its whole life: cash flow by year, and its present value.",
    "replace": "Keep a system or replace it: cost, carbon, payback, and the carbon price from which replacing pays.",
    "embodied": "Embodied carbon of a node: parts, and methods side by side with their boundaries.",
    "simulate": "Time, energy, carbon and cost of a training job as simulators predict it, with their errors.",
    "check": "Whether a published claim follows from its inputs, or a run fits itself; exit code 1 if not.",
    "plot": "Draw an estimate: parts of a total, from power to carbon and cost, power over time, tornado.",
    "read": "Convert a file of a measuring tool to run records, to look at, to edit and to keep.",
    "readers": "The formats that are read: name, what it is, where it measures, and the package that reads it.",
    "regions": "The places that --region knows, with their newest grid factor.",
    "schema": "The JSON Schema of a record, for editors and for those who write one.",
    "grid": "Grid intensity: data, places, times.",
    "hardware": "The hardware records that ship with the package.",
    "prices": "The prices that ship with the package, and what a die costs to make.",
    "bids": "Evaluate the bids of a tender: whole-life cost, energy, carbon, useful work, points, rank.",
    "catalog": "Simulators, cost and carbon models, benchmarks, workload representations, with errors one can compare.",
}


def _version(wanted: bool) -> None:
    if wanted:
        from tco import __version__

        typer.echo(f"tco {__version__}")
        raise typer.Exit


def _root(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    pass


def make_app(command: str | None = None) -> typer.Typer:
    """The command line with one command, loaded here; without one, the list of all, which loads none of them."""
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
    if command is None:
        for name, text in COMMANDS.items():
            app.command(name, help=text, short_help=text)(lambda: None)
        return app
    module = import_module(f"tco.cli.{command}")
    if hasattr(module, "app"):
        app.add_typer(module.app, name=command)
    else:
        app.command(command)(module.command)
    return app


def main() -> None:
    """Run the command line; bad input is a message on standard error and exit code 2, never a traceback."""
    _start_lightly()
    from tco.errors import TcoError

    try:
        first = next(iter(sys.argv[1:]), "")
        make_app(first if first in COMMANDS else None)()
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
