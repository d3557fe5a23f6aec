"""The data sets of emission factors: those that travel with the package, and those in a file of the user.

Each set is a table and a record of what it is (basis, scope, kind, release, licence, hash). Sets under share-alike or
unclear terms do not travel: they are read from the user's own file, with a record beside it.
"""

from __future__ import annotations

import csv
import hashlib
import io
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from tco.errors import ReadError, RegionError, did_you_mean
from tco.grid_intensity.tables import content
from tco.knowledge import folder
from tco.provenance import DataSet

DEFAULT = "ember-yearly"

_NEEDED = ("release", "licence", "basis", "scope")
_VALUES: Mapping[str, str] = {
    "gco2e_per_kwh": "gCO2e/kWh",
    "g_per_kwh": "gCO2e/kWh",
    "gco2_per_kwh": "gCO2/kWh",
    "kgco2e_per_kwh": "kgCO2e/kWh",
    "kgco2e_per_mwh": "kgCO2e/MWh",
    "tco2e_per_mwh": "tCO2e/MWh",
    "lbco2e_per_mwh": "lbCO2e/MWh",
}
_PLACES = ("region", "zone", "country", "iso2")


class Set:
    """One data set: what it is, and its values by region and period.

    Attributes
    ----------
    about
        The record: name, title, release, licence, unit, basis, scope, kind, gas, resolution, source, notes.
    """

    def __init__(self, about: Mapping[str, Any], table: bytes) -> None:
        self.about = about
        self._table = table

    @property
    def name(self) -> str:
        """Name of the set, or path of the file."""
        return str(self.about["name"])

    @property
    def monthly(self) -> bool:
        """Whether its periods are months and not years."""
        return bool(self.about["resolution"] == "month")

    def values(self, region_id: str) -> dict[str, float]:
        """Values by period (``2024`` or ``2024-07``), oldest first; empty where the set does not list the region."""
        return _block(self._table, region_id)

    def regions(self) -> list[str]:
        """Ids of the regions it lists, as they stand in the table."""
        lines = self._table.decode("utf-8").splitlines()[1:]
        return list(dict.fromkeys(line.partition(",")[0] for line in lines))

    @property
    def data_set(self) -> DataSet:
        """Name, release, hash of the table in use, licence."""
        about = self.about
        return DataSet(
            name=about["name"],
            release=about["release"],
            sha256=about.get("file_sha256") or hashlib.sha256(self._table).hexdigest(),
            title=about["title"],
            licence=about["licence"],
        )


def _block(table: bytes, region_id: str) -> dict[str, float]:
    """The rows of a region. The table is sorted, so they are one block of it: only that is parsed."""
    mark = f"\n{region_id},".encode()
    start = table.find(mark)
    if start < 0:
        return {}
    end = table.find(b"\n", table.rfind(mark) + 1)
    values = {}
    for line in table[start + 1 : end].decode("utf-8").split("\n"):
        _, period, value = line.rsplit(",", 2)
        values[period] = float(value)
    return values


@lru_cache(maxsize=1)
def names() -> tuple[str, ...]:
    """Names of the sets that travel with the package, the default first."""
    files = (entry.name for entry in folder("grid_intensity").joinpath("factors").iterdir())
    found = sorted(name.removesuffix(".toml") for name in files if name.endswith(".toml"))
    return (DEFAULT, *(name for name in found if name != DEFAULT))


@lru_cache(maxsize=16)
def shipped(name: str) -> Set:
    """A set that travels with the package.

    Raises
    ------
    RegionError
        If there is none of that name; the message lists those there are.
    """
    if name != DEFAULT and name not in names():
        known = ", ".join(names())
        raise RegionError(
            f"grid data '{name}' is neither a data set{did_you_mean(name, names())} nor a file (sets: {known})"
        )
    about = tomllib.loads(content("factors", f"{name}.toml").decode("utf-8"))
    return Set(about, content("factors", about["file"]))


def beside_factors() -> list[DataSet]:
    """What travels beside the factors: the zones of cloud regions, and factors by fuel."""
    found = []
    for room, table in (("regions", "cloud"), ("fuels", "file")):
        about = tomllib.loads(content(room, "SOURCE.toml").decode("utf-8"))[table]
        digest = hashlib.sha256(content(room, about["file"])).hexdigest()
        found.append(
            DataSet(
                name=about["name"],
                release=about["release"],
                sha256=digest,
                title=about["title"],
                licence=about["licence"],
            )
        )
    return found


def choose(name: str | Path) -> Set:
    """A set by its name, or by the path of a file of the user."""
    if isinstance(name, str) and not Path(name).suffix and not Path(name).is_file():
        return shipped(name)
    return _read(Path(name))


def _read(path: Path) -> Set:
    """A set from a CSV table of the user, described by a TOML record of the same name beside it."""
    from tco.grid_intensity.regions import resolve
    from tco.units import Q

    try:
        raw = path.read_bytes()
        text = raw.decode("utf-8-sig")
    except FileNotFoundError:
        raise ReadError(f"{path}: no such file; the data sets are: {', '.join(names())}") from None
    except UnicodeDecodeError as error:
        raise ReadError(f"{path}: is not UTF-8 text (byte {error.start})") from None
    about = _record(path)
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    head = [name.strip().casefold() for name in next(rows, [])]
    place = next((name for name in _PLACES if name in head), None)
    period = next((name for name in ("year", "month") if name in head), None)
    value = next((name for name in _VALUES if name in head), None)
    if place is None or period is None or value is None:
        raise ReadError(
            f"{path}:1: the columns are {', '.join(head) or 'missing'}; needed are region (or "
            f"{', '.join(_PLACES[1:])}), year (or month), and the value under one of {', '.join(_VALUES)}"
        )
    columns = [head.index(name) for name in (place, period, value)]
    found: dict[tuple[str, str], float] = {}
    for row in rows:
        line = rows.line_num
        if len(row) != len(head):
            if not row:
                continue
            raise ReadError(f"{path}:{line}: has {len(row)} fields, {len(head)} expected")
        name, when, number = (row[column].strip() for column in columns)
        if not number:
            continue
        try:
            region_id = resolve(name).id
        except RegionError as error:
            if place == "zone":  # zones of other continents than ours: nobody can ask for them
                continue
            raise ReadError(f"{path}:{line}: column '{place}': {error}") from None
        key = (region_id, _period(when, period, f"{path}:{line}"))
        if key in found:
            raise ReadError(f"{path}:{line}: {region_id} has a value for {when} already")
        try:
            found[key] = float(number)
        except ValueError:
            raise ReadError(f"{path}:{line}: column '{value}': '{number}' is not a number") from None
    unit = _VALUES[value]
    largest = max((float(Q(number, unit).to("gCO2e/kWh").magnitude) for number in found.values()), default=0.0)
    if largest < 1:
        raise ReadError(
            f"{path}: its largest factor is {largest:.3g} gCO2e/kWh, which no grid has: kg/kWh under the name {value}?"
        )
    table = "".join(f"{region},{when},{number!r}\n" for (region, when), number in sorted(found.items()))
    source = {"title": about.get("title", path.name), "where": path.name, "licence": about["licence"]}
    return Set(
        {
            "kind": "average",
            "gas": "CO2e",
            "unit": unit,
            **about,
            "name": path.name,
            "title": about.get("title", path.name),
            "resolution": period,
            "source": {**source, **about.get("source", {})},
            "file_sha256": hashlib.sha256(raw).hexdigest(),
        },
        f"region,{period},value\n{table}".encode(),
    )


def _period(text: str, kind: str, where: str) -> str:
    digits = text.replace("-", "")
    if not digits.isascii() or not digits.isdecimal() or len(text) != (4 if kind == "year" else 7):
        example = "2024" if kind == "year" else "2024-07"
        raise ReadError(f"{where}: column '{kind}': '{text}' is not a {kind}; write for instance {example}")
    return text


def _record(path: Path) -> dict[str, Any]:
    """The record beside a table of the user: without it nobody knows what the numbers mean."""
    beside = path.with_suffix(".toml")
    example = 'release = "2026-02", licence = "ODbL 1.0", basis = "lifecycle", scope = "consumption"'
    try:
        about = tomllib.loads(beside.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ReadError(
            f"{path}: nothing says what its factors are; write {beside.name} beside it, with for instance {example}"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ReadError(f"{beside}: not valid TOML: {error}") from None
    missing = [name for name in _NEEDED if not isinstance(about.get(name), str)]
    if missing:
        raise ReadError(f"{beside}: '{missing[0]}' is missing; write for instance {example}")
    return about
