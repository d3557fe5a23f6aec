"""Emission factors of electricity by place and year.

One data set, one basis. A place that the set does not list has no factor in it; the message names the grid that
contains it, and the person decides.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from tco.errors import RegionError
from tco.grid_intensity.cloud import zone_of
from tco.grid_intensity.regions import Region
from tco.grid_intensity.regions import region as region_by_id
from tco.grid_intensity.sets import DEFAULT, Set, choose
from tco.provenance import DataSet, Source
from tco.records.base import validate
from tco.records.factor import Factor

Fallback = Literal["parent", "world"]


def _years(values: dict[str, float]) -> list[int]:
    return [int(period) for period in values if len(period) == 4]


def years(region: Region, dataset: str | Path = DEFAULT) -> list[int]:
    """The years that have a value for the region, oldest first; empty where the data set does not list it."""
    return _years(choose(dataset).values(region.id))


def factor(
    region: Region, year: int | None = None, dataset: str | Path | Set = DEFAULT, fallback: Fallback | None = None
) -> Factor:
    """The emission factor of a region's electricity.

    Parameters
    ----------
    region
        A place, from :func:`tco.grid_intensity.resolve`.
    year
        The newest data not later than this year are taken; without it the newest there are. The factor says which
        year it describes.
    dataset
        Name of a data set, or a file of your own.
    fallback
        What may stand for a place that the set does not list: ``parent``, the country around it; ``world``. Without it
        nothing does. The factor says for which place it stands.

    Raises
    ------
    RegionError
        If the data set does not list the region (the message names the grid that contains it), or if all its data are
        later than `year`.
    """
    chosen = dataset if isinstance(dataset, Set) else choose(dataset)
    if chosen.monthly:
        raise RegionError(f"{chosen.name} holds months, not years: it is matched with the time of a run")
    stands_for = None
    values = chosen.values(region.id)
    joined = _joined(region, chosen)
    if not values and joined is not None:
        region, stands_for, values = joined, region.id, chosen.values(joined.id)
    if not values and fallback is not None:
        other = region_by_id("WORLD" if fallback == "world" or region.parent is None else region.parent)
        if fallback == "parent" and region.parent is None:
            raise RegionError(_without_data(region, chosen))
        region, stands_for, values = other, region.id, chosen.values(other.id)
    if not values:
        raise RegionError(_without_data(region, chosen))
    usable = [known for known in _years(values) if year is None or known <= year]
    if not usable:
        raise RegionError(
            f"no factor for {region} in {chosen.name} for {year} or earlier; its first year is {min(_years(values))}"
        )
    return _factor(chosen, region, max(usable), values[str(max(usable))], stands_for)


def _factor(chosen: Set, region: Region, year: int, value: float, stands_for: str | None) -> Factor:
    about = chosen.about
    entity = about.get("entities", {}).get(region.id, region.name)
    place = f"{about['source']['where']}, entity {entity}, {year}"
    data = {name: about[name] for name in ("unit", "basis", "scope", "kind", "release", "resolution", "licence")}
    return validate(
        Factor,
        {
            **data,
            "gas": about.get("gas", "CO2e"),
            "value": value,
            "region": region.id,
            "region_name": region.name,
            "data_year": year,
            "dataset": chosen.name,
            "source": Source(**{**about["source"], "where": place}),
            "stands_for": stands_for,
        },
        f"{chosen.name}: {region.id} {year}",
    )


def data_set(dataset: str | Path = DEFAULT) -> DataSet:
    """The data set behind the factors; the hash is that of the table in use."""
    return choose(dataset).data_set


def _joined(region: Region, chosen: Set) -> Region | None:
    """The grid zone of a cloud region, for sets that list zones."""
    zone = zone_of(region.id)
    by_zone = chosen.about.get("places") == "zones"
    if zone is None or not (by_zone or zone.id.startswith("zone:")):
        return None
    return region_by_id(zone.id) if chosen.values(zone.id) else None


def _without_data(region: Region, chosen: Set) -> str:
    missing = f"no factor for {region} in {chosen.name}"
    if region.parent is None:
        listed = chosen.regions()
        if len(listed) <= 12:
            return f"{missing}, which lists {', '.join(listed)}; the other sets: tco grid data"
        return f"{missing}, and no larger grid is on record for it. List the regions with: tco regions"
    parent = region_by_id(region.parent)
    zone = zone_of(region.id)
    inside = f", its zone {zone.id[5:]}" if zone is not None and zone.id != region.parent else ""
    if not chosen.values(parent.id):
        return f"{missing}; its grid is {parent}{inside}, which has none there either. The other sets: tco grid data"
    return f"{missing}; its grid is {parent}{inside}: use --region {region.parent}"
