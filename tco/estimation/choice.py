"""What a user chooses about grid and site beyond a place: data set, hourly series, trend, stand-in, table of sites."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from tco.grid_intensity.formats import Reading
    from tco.grid_intensity.series import Series


class GridChoice(NamedTuple):
    """Choices about the grid of an estimate; nothing of it is taken without being asked for.

    Attributes
    ----------
    data
        Data set of yearly or monthly factors: a name (``tco grid data``), or a file of your own.
    intensity
        Series of intensity by time, or a file that holds one; it is matched with the power of the run.
    reading
        What the file of the series does not say itself.
    fallback
        What may stand for a place without a factor: ``parent``, the country around it; ``world``.
    trajectory
        How the factor moves from the year of its data to that of the run, and over a long run.
    sites
        File with PUE and WUE by provider, region and country.
    """

    data: str | Path = "ember-yearly"
    intensity: Series | str | Path | None = None
    reading: Reading | None = None
    fallback: Literal["parent", "world"] | None = None
    trajectory: str | None = None
    sites: str | Path | None = None


NOTHING_CHOSEN = GridChoice()
