"""PUE and WUE of sites: tables of the user by provider, region and country, and what plants lose below their rating.

Tables by cloud region are in circulation under terms that do not allow to pass them on; they are read from a file of
the user. What the file does not hold is not guessed from a provider's fleet: a fleet average is no figure of a region.
"""

from __future__ import annotations

import csv
import io
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from tco.errors import ReadError
from tco.files import sha256
from tco.grid_intensity.regions import Region
from tco.grid_intensity.tables import content
from tco.provenance import DataSet, Source
from tco.records.base import validate
from tco.records.figure import Figure
from tco.records.site import PueCurve

Quantity = Literal["pue", "wue"]

_PROVIDERS: Mapping[str, str] = {
    "amazon web services": "aws",
    "aws": "aws",
    "google cloud": "gcp",
    "google": "gcp",
    "gcp": "gcp",
    "microsoft azure": "azure",
    "azure": "azure",
    "microsoft": "azure",
}
_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "year": ("year",),
    "provider": ("provider", "cloud-provider"),
    "code": ("region_code", "cloud-region"),
    "country": ("country_or_zone", "country"),
    "pue": ("pue", "power-usage-effectiveness"),
    "wue": ("wue_l_per_kwh", "wue", "water-usage-effectiveness"),
    "source": ("source",),
    "licence": ("licence",),
    "note": ("note",),
    "from_memory": ("from_memory",),
}
_UNITS: Mapping[str, str] = {"pue": "1", "wue": "L/kWh"}


@dataclass(frozen=True)
class Row:
    """One line of a table of sites."""

    line: int
    year: int
    place: str
    values: Mapping[str, float]
    source: str
    licence: str
    note: str


class SiteTable:
    """A table of PUE and WUE by place and year, from a file of the user."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._rows = _read(path)

    @property
    def data_set(self) -> DataSet:
        """Name and hash of the file."""
        licences = sorted({row.licence for row in self._rows if row.licence})
        return DataSet(
            name=self.path.name,
            release="not stated",
            sha256=sha256(self.path),
            title="PUE and WUE by site, a file of the user",
            licence="; ".join(licences) or "not stated",
        )

    def figure(self, what: Quantity, region: Region, year: int | None) -> tuple[Figure, str] | None:
        """The figure of a region, else of the country around it: the newest one not later than `year`.

        Returns
        -------
        tuple of Figure and str, or None
            The figure with its source and year, and the id of the place whose figure it is.
        """
        for place in (region.id, region.parent):
            known = [
                row
                for row in self._rows
                if row.place == place and what in row.values and (year is None or row.year <= year)
            ]
            if place is None or not known:
                continue
            row = max(known, key=lambda row: row.year)
            source = Source(
                title=row.source or self.path.name,
                year=row.year,
                where=f"{self.path.name}:{row.line}, {place}",
                licence=row.licence or None,
            )
            data = {"value": row.values[what], "unit": _UNITS[what], "source": source, "note": row.note or None}
            return validate(Figure, data, f"{self.path}:{row.line}"), place
        return None


def _read(path: Path) -> list[Row]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ReadError(f"{path}: no such file") from None
    except UnicodeDecodeError as error:
        raise ReadError(f"{path}: is not UTF-8 text (byte {error.start})") from None
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    head = [name.strip().casefold() for name in next(reader, [])]
    at = {what: next((head.index(name) for name in names if name in head), None) for what, names in _COLUMNS.items()}
    missing = [what for what in ("year", "pue") if at[what] is None]
    if missing or (at["code"] is None and at["country"] is None):
        raise ReadError(
            f"{path}:1: needs the columns year, provider, region_code (or country_or_zone), pue and, for water, "
            f"wue_l_per_kwh; the columns are {', '.join(head) or 'missing'}"
        )
    rows: list[Row] = []
    seen: dict[tuple[str, int], int] = {}
    for fields in reader:
        if not fields:
            continue
        line = reader.line_num
        if len(fields) != len(head):
            raise ReadError(f"{path}:{line}: has {len(fields)} fields, {len(head)} expected")

        def _cell(what: str, fields: list[str] = fields) -> str:
            index = at[what]
            return "" if index is None else fields[index].strip()

        place = _place(_cell("provider"), _cell("code"), _cell("country"))
        if place is None or _cell("from_memory") == "true":
            continue
        values = {}
        for what in _UNITS:
            text = _cell(what)
            try:
                if text:
                    values[what] = float(text)
            except ValueError:
                raise ReadError(f"{path}:{line}: column '{what}': '{text}' is not a number") from None
        if "pue" in values and values["pue"] < 1:
            raise ReadError(f"{path}:{line}: a PUE of {values['pue']:g} is below 1")
        if not _cell("year").isdecimal():
            raise ReadError(f"{path}:{line}: column 'year': '{_cell('year')}' is not a year")
        key = (place, int(_cell("year")))
        if key in seen:
            raise ReadError(f"{path}:{line}: {place} has a row for {key[1]} already, in line {seen[key]}")
        seen[key] = line
        rows.append(Row(line, key[1], place, values, _cell("source"), _cell("licence"), _cell("note")))
    return rows


def _place(provider: str, code: str, country: str) -> str | None:
    """Id of the place of a row; None for rows of fleets, surveys and models, which are of no place."""
    known = _PROVIDERS.get(provider.casefold())
    if code:
        return f"{known}:{code}" if known else None
    return country if country and not provider else None


@lru_cache(maxsize=8)
def site_table(path: Path) -> SiteTable:
    """The table in a file; read once."""
    return SiteTable(path)


def _toml(name: str) -> dict[str, Any]:
    return tomllib.loads(content("sites", name).decode("utf-8"))


def fleet_hint(region: Region) -> str:
    """What the provider of a cloud region states for all its sites together, as a hint; empty for other places."""
    fleet = _toml("fleets.toml").get(region.id.partition(":")[0])
    if fleet is None:
        return ""
    source = Source.model_validate(fleet["source"])
    return f"{fleet['name']} states {fleet['pue']:g} for all its sites together in {fleet['year']} ({source})"


def plant(name: str) -> PueCurve:
    """Losses of a plant by the name of its record, all components together."""
    record = _toml("plants.toml")[name]
    parts = record["components"]
    shared = {"basis": "published", "source": record["source"], "note": record["note"], "unit": "1"}
    sums = {
        form: {"value": sum(component[form] for component in parts.values()), **shared}
        for form in ("no_load", "proportional", "square_law")
    }
    return validate(PueCurve, sums, f"grid_intensity/sites/plants.toml: {name}")
