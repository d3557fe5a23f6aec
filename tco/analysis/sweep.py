"""Sweeps: an estimate at every point of a grid, or of a list of pairs, in any number of places."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tco.analysis.axes import Axis, axes_of, in_input_units
from tco.analysis.columns import heading
from tco.analysis.family import Family
from tco.analysis.recipe import Recipe
from tco.compiled import Array
from tco.errors import EstimateError
from tco.records.run import Run

if TYPE_CHECKING:
    import pandas as pd

#: Points evaluated and written at a time.
CHUNK = 65536
REGION = "region"


class Sweep:
    """All points of a sweep, evaluated chunk by chunk.

    Parameters
    ----------
    recipe
        Run and options that all points share.
    axes
        Inputs and the values they take.
    regions
        Places, each with its own estimate; where empty that of the recipe.
    paired
        Whether the first value of each input goes with the first of the others, and so on, in place of all with all.
    lines
        Names of lines; where None all that there are.

    Attributes
    ----------
    columns
        Name and unit of each column, in order; the column `REGION` holds text.
    """

    def __init__(
        self,
        recipe: Recipe,
        axes: Sequence[Axis],
        *,
        regions: Sequence[str] = (),
        paired: bool = False,
        lines: Sequence[str] | None = None,
    ) -> None:
        if not axes and not regions:
            raise EstimateError("nothing varies; name inputs with --vary, or places with --regions")
        self.paired = paired
        if paired and len({len(axis.values) for axis in axes}) > 1:
            counts = ", ".join(f"{axis.name} {len(axis.values)}" for axis in axes)
            raise EstimateError(f"pairs need the same number of values of each input; there are: {counts}")
        if len(set(regions)) < len(regions):
            raise EstimateError("a place stands twice among the regions")
        self.regions = tuple(regions)
        settled = recipe.settled()
        recipes = [settled.with_options(region=region) for region in regions] or [settled]
        self.axes = in_input_units(recipes[0], axes)
        values = {axis.name: axis.values for axis in self.axes}
        units = {axis.name: axis.unit or "1" for axis in self.axes}
        self._families = [Family(each, values, units, lines) for each in recipes]
        self.columns: dict[str, str] = {REGION: ""} if regions else {}
        self.columns |= units
        for place, family in zip(self.regions or ("",), self._families, strict=True):
            for name in family.lines:
                unit = family.units[name]
                if self.columns.setdefault(name, unit) != unit:
                    raise EstimateError(
                        f"{name} is in {self.columns[name]} elsewhere and in {unit} in '{place}'; choose one with "
                        "--currency"
                    )
        #: results of points, chunk by chunk, are written in the order of these columns
        self.lines = tuple(name for name in self.columns if name != REGION and name not in values)

    @property
    def shape(self) -> tuple[int, ...]:
        """How many values each axis of the grid has; of pairs how many there are."""
        if self.paired and self.axes:
            return (len(self.axes[0].values),)
        return tuple(len(axis.values) for axis in self.axes)

    def __len__(self) -> int:
        return math.prod(self.shape) * len(self._families)

    @property
    def structural(self) -> tuple[str, ...]:
        """Inputs whose values change what the estimate consists of."""
        return tuple(dict.fromkeys(name for family in self._families for name in family.structural))

    def chunks(self, size: int = CHUNK) -> Iterator[dict[str, Any]]:
        """For each chunk of points all columns: text for `REGION`, else an array of shape (n,), nan where missing."""
        count = math.prod(self.shape)
        for place, family in zip(self.regions or ("",), self._families, strict=True):
            for start in range(0, count, size):
                flat = np.arange(start, min(start + size, count))
                points = self._points(flat)
                results = family(points)
                chunk: dict[str, Any] = {REGION: np.full(len(flat), place, dtype=object)} if self.regions else {}
                chunk |= points
                for name in self.lines:
                    chunk[name] = results.get(name, np.full(len(flat), np.nan))
                yield chunk

    def _points(self, flat: np.ndarray[Any, Any]) -> dict[str, Array]:
        if self.paired:
            return {axis.name: axis.values[flat] for axis in self.axes}
        if not self.axes:
            return {}
        places = np.unravel_index(flat, self.shape)
        return {axis.name: axis.values[place] for axis, place in zip(self.axes, places, strict=True)}

    def to_frame(self) -> pd.DataFrame:
        """All points as a table, units in brackets."""
        import pandas as pd

        chunks = list(self.chunks())
        return pd.DataFrame(
            {
                heading(name, unit): np.concatenate([chunk[name] for chunk in chunks])
                for name, unit in self.columns.items()
            }
        )


def sweep(
    run: Run | str | Path,
    vary: Mapping[str, Sequence[float] | Array | str] | Sequence[str],
    *,
    regions: Sequence[str] = (),
    paired: bool = False,
    lines: Sequence[str] | None = None,
    **options: Any,
) -> Sweep:
    """An estimate at every point of a grid.

    Parameters
    ----------
    run
        A run, or its file.
    vary
        Values by input: ``{"site.pue": [1.1, 1.3], "site.tariff [EUR/kWh]": "0.1:0.3:5"}``, or texts as on the command
        line. Numbers without a unit are in the unit that the input is shown in.
    regions, paired, lines
        As for `Sweep`.
    options
        What else `tco.estimate` takes.
    """
    return Sweep(Recipe(run, options), axes_of(vary), regions=regions, paired=paired, lines=lines)
