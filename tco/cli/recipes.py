"""The options that an estimate is made with, shared by the commands that make many of them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tco.cli import cost_options, options

if TYPE_CHECKING:
    from tco.analysis.recipe import Recipe

Seed = Annotated[int, typer.Option("--seed", help="Seed of the samples: the same seed gives the same samples.")]
Json = Annotated[str, typer.Option("--format", "-f", metavar="table|json", help="What to print: table or json.")]
Plot = Annotated[
    str | None, typer.Option("--plot", metavar="FILE", help="Draw it into a file: .svg or .png (extra: plots).")
]
Regions = Annotated[
    str | None, typer.Option("--regions", metavar="A,B", help="Several places, separated by commas: eu,us,fr.")
]


def _shared(
    region: options.Region = None,
    system: options.System = None,
    site: options.Site = None,
    set_: options.Set = None,
    year: options.Year = None,
    currency: options.Currency = None,
    grid_data: options.GridData = None,
    intensity: options.Intensity = None,
    tz: options.TimeZone = None,
    labels: options.Labels = None,
    column: options.Column = None,
    fallback: options.Fallback = None,
    trajectory: options.Trajectory = None,
    sites: options.Sites = None,
    embodied_method: options.EmbodiedMethod = None,
    cost_method: cost_options.CostMethod = None,
    allocation: cost_options.Allocation = None,
    term: cost_options.Term = None,
    fx_date: cost_options.FxDate = None,
) -> dict[str, Any]:
    """What the options ask of an estimate; only what was given."""
    grid = options.grid_choice(grid_data, intensity, tz, labels, column, fallback, trajectory, sites)
    given = {
        "region": region,
        "system": system,
        "site": site,
        "set": options.parse_set(set_) or None,
        "year": year,
        "currency": currency,
        "grid": grid,
        "embodied_method": embodied_method,
        "cost": cost_options.cost_choice(cost_method, allocation, term, fx_date),
    }
    return {name: value for name, value in given.items() if value is not None}


def takes_shared_options(command: Callable[..., None]) -> Callable[..., None]:
    """A command with the options of ``tco estimate`` beside its own; it gets them as ``shared``."""
    own = inspect.signature(command, eval_str=True).parameters
    common = inspect.signature(_shared, eval_str=True).parameters

    @functools.wraps(command)
    def with_options(**given: Any) -> None:
        asked = {name: given.pop(name) for name in common}
        command(**given, shared=_shared(**asked))

    parameters = [p for name, p in own.items() if name != "shared"] + list(common.values())
    with_options.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    with_options.__annotations__ = {p.name: p.annotation for p in parameters}
    del with_options.__wrapped__
    return with_options


def make_recipe(run: str | None, shared: Mapping[str, Any], scenario: Mapping[str, Any] | None = None) -> Recipe:
    """A run with its options: those of the command line, else those of the scenario."""
    from tco.analysis.recipe import Recipe
    from tco.errors import EstimateError

    base = dict(scenario or {})
    own, title = base.pop("run", None), base.pop("title", "")
    named = run or own
    if named is None:
        raise EstimateError("no run is named, neither on the command line nor in the scenario")
    return Recipe(options.find_run(named), base, title).with_options(**shared)


def split_list(text: str | None) -> list[str]:
    """``"eu, us"`` as a list."""
    return [part.strip() for part in (text or "").split(",") if part.strip()]


def check_format(text: str) -> bool:
    """Whether JSON is wanted; refuses what is neither."""
    if text not in ("table", "json"):
        from tco.errors import TcoError, did_you_mean

        raise TcoError(f"--format '{text}' is not known here{did_you_mean(text, ('table', 'json'))} (table or json)")
    return text == "json"


def print_json(data: Mapping[str, Any]) -> None:
    """Plain data as JSON on standard output."""
    import json

    typer.echo(json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False))
