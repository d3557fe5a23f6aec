"""Which grid zone the data centres of a cloud region draw from."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from tco.grid_intensity.tables import rows


class Zone(NamedTuple):
    """The grid zone of a cloud region.

    Attributes
    ----------
    id
        Id of a country, where it is one zone, or of a grid zone.
    how
        ``country``: the country is one zone. ``location``: the named place lies in the zone. ``contested``: another
        zone is named for it as well. ``corrected``: a table in circulation says otherwise, or nothing.
    note
        What the other tables say.
    """

    id: str
    how: str
    note: str


@lru_cache(maxsize=1)
def _table() -> dict[str, Zone]:
    return {row[0]: Zone(*row[1:]) for row in rows("regions", "cloud.csv")}


def zone_of(region_id: str) -> Zone | None:
    """The grid zone of a cloud region; None for other places."""
    return _table().get(region_id) if ":" in region_id else None
