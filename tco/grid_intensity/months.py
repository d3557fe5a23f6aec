"""Monthly factors as a series, so that they are matched with the time of a run like hours are."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from tco.errors import RegionError
from tco.grid_intensity.regions import Region
from tco.grid_intensity.series import Series, SeriesAbout
from tco.grid_intensity.sets import Set, choose
from tco.units import Q


def monthly(region: Region, dataset: str | Path | Set = "ember-monthly") -> Series:
    """The months of a region, calendar months in UTC; a month without data is a gap.

    Raises
    ------
    RegionError
        If the set does not list the region.
    """
    chosen = dataset if isinstance(dataset, Set) else choose(dataset)
    values = chosen.values(region.id)
    if not values:
        grid = f"; its grid is {region.parent}: use --region {region.parent}" if region.parent else ""
        raise RegionError(f"no factors for {region} in {chosen.name}{grid}. The other sets: tco grid data")
    about = chosen.about
    unit = float(Q(1.0, about["unit"]).to("gCO2e/kWh").magnitude)
    ends = [_month(period) for period in values]
    return Series(
        np.array([begin for begin, _ in ends]),
        np.array([end for _, end in ends]),
        np.array(list(values.values())) * unit,
        SeriesAbout(
            title=f"{chosen.name} {about['release']}",
            file=chosen.name,
            sha256=chosen.data_set.sha256,
            release=about["release"],
            licence=about["licence"],
            region=region.id,
            basis=about["basis"],
            scope=about["scope"],
            kind=about["kind"],
            gas=about.get("gas", "CO2e"),
        ),
    )


def _month(period: str) -> tuple[float, float]:
    year, month = int(period[:4]), int(period[5:])
    following = (year + 1, 1) if month == 12 else (year, month + 1)
    return datetime(year, month, 1, tzinfo=UTC).timestamp(), datetime(*following, 1, tzinfo=UTC).timestamp()
