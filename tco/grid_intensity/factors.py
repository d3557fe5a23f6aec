"""Emission factors of electricity by place and year, from Ember's yearly table.

One data set, one basis: lifecycle, production, average. A place that the table does not list has no factor here; the
message names the grid that contains it, and the person decides.
"""

from __future__ import annotations

import hashlib
import tomllib
from functools import lru_cache
from typing import Any

from tco.errors import RegionError
from tco.grid_intensity.regions import Region
from tco.grid_intensity.regions import region as region_by_id
from tco.grid_intensity.tables import content
from tco.provenance import DataSet, Source
from tco.records.factor import Factor

_NAME = "ember-yearly"


@lru_cache(maxsize=1)
def _about() -> dict[str, Any]:
    return tomllib.loads(content("factors", f"{_NAME}.toml").decode("utf-8"))


@lru_cache(maxsize=1)
def _table() -> bytes:
    return content("factors", f"{_NAME}.csv")


@lru_cache(maxsize=256)
def _series(region_id: str) -> dict[int, float]:
    """Values by year, oldest first. The table is sorted, so a region is one block of it: only that is parsed."""
    mark = f"\n{region_id},".encode()
    start = _table().find(mark)
    if start < 0:
        return {}
    end = _table().find(b"\n", _table().rfind(mark) + 1)
    series = {}
    for line in _table()[start + 1 : end].decode("utf-8").split("\n"):
        _, year, value = line.split(",")
        series[int(year)] = float(value)
    return series


def years(region: Region) -> list[int]:
    """The years that have a value for the region, oldest first; empty where the data set does not list it."""
    return list(_series(region.id))


def factor(region: Region, year: int | None = None) -> Factor:
    """The emission factor of a region's electricity generation.

    Parameters
    ----------
    region
        A place, from :func:`tco.grid_intensity.resolve`.
    year
        The newest data not later than this year are taken; without it the newest there are. The factor says which
        year it describes.

    Raises
    ------
    RegionError
        If the data set does not list the region (the message names the grid that contains it), or if all its data are
        later than `year`.
    """
    series = _series(region.id)
    if not series:
        raise RegionError(_without_data(region))
    usable = [known for known in series if year is None or known <= year]
    if not usable:
        raise RegionError(f"no factor for {region} in {_NAME} for {year} or earlier; its first year is {min(series)}")
    data_year = max(usable)
    about = _about()
    entity = about["entities"].get(region.id, region.name)
    place = f"{about['source']['where']}, entity {entity}, {data_year}"
    return Factor(
        value=series[data_year],
        unit=about["unit"],
        region=region.id,
        region_name=region.name,
        basis=about["basis"],
        scope=about["scope"],
        kind=about["kind"],
        data_year=data_year,
        release=about["release"],
        dataset=about["name"],
        resolution=about["resolution"],
        source=Source(**{**about["source"], "where": place}),
        licence=about["licence"],
    )


@lru_cache(maxsize=1)
def data_set() -> DataSet:
    """The data set behind the factors; the hash is that of the table in use."""
    about = _about()
    return DataSet(
        name=about["name"],
        release=about["release"],
        sha256=hashlib.sha256(_table()).hexdigest(),
        title=about["title"],
        licence=about["licence"],
    )


def _without_data(region: Region) -> str:
    missing = f"no factor for {region} in {_NAME}"
    if region.parent is None:
        return f"{missing}, and no larger grid is on record for it. List the regions with: tco regions"
    return f"{missing}; its grid is {region_by_id(region.parent)}: use --region {region.parent}"
