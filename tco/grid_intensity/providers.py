"""Our own live sources: what each is asked, in its own words."""

from __future__ import annotations

import os
from datetime import datetime, timedelta
from urllib.parse import urlencode

from tco.errors import ReadError
from tco.grid_intensity.live import Request


def _base(name: str, address: str) -> str:
    """Address of a source; ``TCO_GRID_<NAME>_URL`` in the environment replaces it (proxies, tests)."""
    return os.environ.get(f"TCO_GRID_{name}_URL", address).rstrip("/")


def _most(begin: datetime, end: datetime, days: int, name: str) -> None:
    if end - begin > timedelta(days=days):
        raise ReadError(f"live:{name} answers {days} days at a time; ask for a shorter time")


class _ElectricityMaps:
    """Electricity Maps v3, average intensity of consumption, lifecycle."""

    name = "electricity-maps"
    key: str | None = "ELECTRICITY_MAPS_KEY"

    def request(self, zone: str, begin: datetime, end: datetime) -> Request:
        """Range of hours; the address of the caller is never taken for a place."""
        _most(begin, end, 10, self.name)
        query = {
            "zone": zone,
            "start": f"{begin:%Y-%m-%dT%H:%MZ}",
            "end": f"{end:%Y-%m-%dT%H:%MZ}",
            "emissionFactorType": "lifecycle",
            "shouldUseFallbackCallerLookup": "false",
        }
        base = _base("ELECTRICITY_MAPS", "https://api.electricitymaps.com/v3")
        return Request(f"{base}/carbon-intensity/past-range?{urlencode(query)}", secret_header="auth-token")


class _Neso:
    """GB Carbon Intensity API."""

    name = "neso"
    key: str | None = None

    def request(self, zone: str, begin: datetime, end: datetime) -> Request:
        """Half hours of Great Britain."""
        if zone.upper() != "GB":
            raise ReadError(f"live:neso knows the zone GB alone, not '{zone}'")
        _most(begin, end, 14, self.name)
        base = _base("NESO", "https://api.carbonintensity.org.uk")
        return Request(f"{base}/intensity/{begin:%Y-%m-%dT%H:%MZ}/{end:%Y-%m-%dT%H:%MZ}")


class _Eia:
    """EIA v2, hourly generation by fuel of a US balancing area; needs fuel factors."""

    name = "eia"
    key: str | None = "EIA_API_KEY"

    def request(self, zone: str, begin: datetime, end: datetime) -> Request:
        """Hours, labelled by their end: the first one ends an hour after the begin."""
        query = [
            ("frequency", "hourly"),
            ("data[0]", "value"),
            ("facets[respondent][]", zone),
            ("start", f"{begin + timedelta(hours=1):%Y-%m-%dT%H}"),
            ("end", f"{end:%Y-%m-%dT%H}"),
            ("length", "5000"),
        ]
        base = _base("EIA", "https://api.eia.gov/v2")
        return Request(f"{base}/electricity/rto/fuel-type-data/data/?{urlencode(query)}", secret_query="api_key")


class _Entsoe:
    """ENTSO-E Transparency Platform, generation by type (A75); needs fuel factors."""

    name = "entsoe"
    key: str | None = "ENTSOE_TOKEN"

    def request(self, zone: str, begin: datetime, end: datetime) -> Request:
        """Generation of a bidding zone, named by its EIC code."""
        _most(begin, end, 366, self.name)
        query = {
            "documentType": "A75",
            "processType": "A16",
            "in_Domain": zone,
            "periodStart": f"{begin:%Y%m%d%H%M}",
            "periodEnd": f"{end:%Y%m%d%H%M}",
        }
        return Request(
            f"{_base('ENTSOE', 'https://web-api.tp.entsoe.eu')}/api?{urlencode(query)}",
            secret_query="securityToken",
        )


ELECTRICITY_MAPS = _ElectricityMaps()
NESO = _Neso()
EIA = _Eia()
ENTSOE = _Entsoe()
