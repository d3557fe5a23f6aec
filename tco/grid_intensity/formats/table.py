"""Series in CSV files: the plain form, exports of Electricity Maps and eco2mix, generation tables, anyone's table."""

from __future__ import annotations

import csv
import io
import re
import tomllib
from dataclasses import replace
from typing import Any

import numpy as np

from tco.errors import ReadError, UnitError
from tco.grid_intensity.formats.generation import fuel_of, series_of
from tco.grid_intensity.formats.options import Reading
from tco.grid_intensity.formats.write import FACTS
from tco.grid_intensity.fuels import types
from tco.grid_intensity.series import Floats, Series, SeriesAbout
from tco.grid_intensity.stamps import Labels, instants, of_hours, steps
from tco.units import Q, convert_given

#: Columns that hold a time, best first: instants before clocks.
_TIMES = (
    "start_utc",
    "period_start_utc",
    "datetime_utc",
    "datetime (utc)",
    "date_heure",
    "from",
    "start",
    "local_with_offset",
    "datetime",
    "timestamp",
    "point_time",
    "time",
    "date_time",
    "local_naive",
)
_ENDS = ("end_utc", "period_end_utc", "to", "end")
_ZONES = ("zone", "region", "zone id", "country")
_MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "-", "nd"})
_INTENSITY = re.compile(r"intensity|co2|^g_per_kwh$|^value$")
_NOT_INTENSITY = re.compile(r"pct|percent|share|renewable|low_carbon|estimat|%")
_POWERS = {"kw": "kW", "mw": "MW", "w": "W", "power_w": "W", "power_kw": "kW", "power_mw": "MW"}
_ENERGIES = {"kwh": "kWh", "mwh": "MWh", "energy_kwh": "kWh", "energy_mwh": "MWh"}


class Table:
    """A CSV table with a header, its cells as text."""

    def __init__(self, text: str, where: str) -> None:
        self.where = where
        self.facts, skipped = _head(text, where)
        body = text.split("\n", skipped)[skipped] if skipped else text
        first = body.partition("\n")[0]
        delimiter = (
            ";" if first.count(";") > first.count(",") else "\t" if first.count("\t") > first.count(",") else ","
        )
        rows = csv.reader(io.StringIO(body, newline=""), delimiter=delimiter, strict=True)
        try:
            self.names = [name.strip().lstrip("\ufeff") for name in next(rows, [])]
            self.rows: list[list[str]] = []
            self.lines: list[int] = []
            for row in rows:
                if not row or row == [""]:
                    continue
                line = rows.line_num + skipped
                if len(row) != len(self.names):
                    raise ReadError(f"{where}:{line}: has {len(row)} fields, {len(self.names)} expected")
                self.rows.append(row)
                self.lines.append(line)
        except csv.Error as error:
            raise ReadError(f"{where}:{rows.line_num + skipped}: not valid CSV: {error}") from None
        if not self.rows:
            raise ReadError(f"{where}: holds no rows")
        if len(set(self.names)) < len(self.names):
            raise ReadError(f"{where}: two columns have one name; the columns are {', '.join(self.names)}")
        self._folded = [name.casefold() for name in self.names]

    def find(self, names: tuple[str, ...]) -> str | None:
        """The first of some names that is a column, as it is written there."""
        return next((self.names[self._folded.index(name)] for name in names if name in self._folded), None)

    def column(self, name: str) -> list[str]:
        """The cells of a column."""
        if name not in self.names:
            raise ReadError(f"{self.where}: there is no column '{name}'; the columns are {', '.join(self.names)}")
        index = self.names.index(name)
        return [row[index].strip() for row in self.rows]

    def numbers(self, name: str) -> Floats:
        """The cells of a column as numbers, NaN where missing."""
        cells = self.column(name)
        try:
            return np.array([float("nan") if cell.casefold() in _MISSING else float(cell) for cell in cells])
        except ValueError:
            for cell, line in zip(cells, self.lines, strict=True):
                try:
                    float("nan" if cell.casefold() in _MISSING else cell)
                except ValueError:
                    hint = "; write a decimal point" if re.fullmatch(r"-?\d+,\d+", cell) else ""
                    raise ReadError(f"{self.where}:{line}: column '{name}': '{cell}' is not a number{hint}") from None
            raise


def _head(text: str, where: str) -> tuple[dict[str, Any], int]:
    """Facts in comment lines above the header, and how many such lines there are."""
    comments = []
    for line in text.split("\n"):
        if not line.startswith("#"):
            break
        comments.append(line[1:].strip())
    facts: dict[str, Any] = {}
    for line in comments:
        if " = " not in line:
            continue
        try:
            (name, value), *_ = tomllib.loads(line).items()
        except (tomllib.TOMLDecodeError, ValueError):
            continue
        if name == "note":
            facts.setdefault("notes", []).append(value)
        elif name in FACTS and isinstance(value, str):
            facts[name] = value
    return facts, len(comments)


def times(table: Table, reading: Reading, labels: Labels) -> tuple[Floats, Floats]:
    """Starts and ends of the steps of a table, whatever way it says them."""
    hour, day = table.find(("hour", "he", "hour_ending")), table.find(("date", "day"))
    moment = table.find(_TIMES)
    if moment is None and hour is not None and day is not None:
        said: Labels | None = "end" if hour.casefold() in ("he", "hour_ending") else reading.labels
        starts = of_hours(table.column(day), table.column(hour), table.lines, table.where, reading.zone, said)
        return steps(starts, table.where)
    if moment is None and day is not None:
        moment = day
    if moment is None:
        raise ReadError(
            f"{table.where}: no column holds a time; the columns are {', '.join(table.names)}; name one 'datetime' or "
            "'start_utc'"
        )
    zone = "UTC" if "utc" in moment.casefold() else reading.zone
    begin = instants(table.column(moment), table.lines, table.where, zone)
    finish = table.find(_ENDS)
    if finish is not None:
        ends = instants(table.column(finish), table.lines, table.where, "UTC" if "utc" in finish.casefold() else zone)
        return begin, ends
    return steps(begin, table.where, labels)


def _value_column(table: Table, reading: Reading) -> str:
    if reading.column is not None:
        return reading.column
    found = [
        name
        for name, folded in zip(table.names, table._folded, strict=True)
        if _INTENSITY.search(folded) and not _NOT_INTENSITY.search(folded)
    ]
    if reading.basis is not None and len(found) > 1:
        found = [name for name in found if _basis(name) == reading.basis]
    if len(found) == 1:
        return found[0]
    listed = ", ".join(found or table.names)
    if not found:
        raise ReadError(f"{table.where}: no column holds an intensity; name it with --column (columns: {listed})")
    raise ReadError(f"{table.where}: {len(found)} columns may be meant: {listed}; name one with --column")


def _basis(name: str) -> str | None:
    folded = name.casefold()
    if "direct" in folded:
        return "direct"
    return "lifecycle" if "lifecycle" in folded or "life cycle" in folded or "lca" in folded else None


def _unit(name: str) -> str:
    folded = name.casefold().replace("₂", "2")
    if "lb" in folded and "mwh" in folded:
        return "lb/MWh"
    if "kg" in folded:
        return "kg/MWh" if "mwh" in folded else "kg/kWh"
    if re.search(r"(^|_)t(co2e?|onnes?)?(_per_|/)mwh", folded):
        return "t/MWh"
    return "g/kWh"


def _one_place(table: Table) -> str | None:
    name = table.find(_ZONES)
    if name is None:
        return None
    places = list(dict.fromkeys(table.column(name)))
    if len(places) > 1:
        raise ReadError(f"{table.where}: holds {len(places)} places ({', '.join(places[:3])} ...); keep one of them")
    return places[0]


def read_table(text: str, about: SeriesAbout, reading: Reading) -> Series:
    """A series from CSV text."""
    table = Table(text, about.file)
    facts = dict(table.facts)
    if "notes" in facts:
        facts["notes"] = tuple(facts["notes"])
    about = replace(about, **facts)
    generation = [name for name in table.names if ("entsoe", name.casefold()) in types()]
    labels: Labels = reading.labels or "start"
    start, end = times(table, reading, labels)
    if len(generation) > 2 and reading.column is None:
        mix: dict[str, Floats] = {}
        for name in generation:
            fuel = fuel_of("entsoe", name, table.where)
            mix[fuel] = mix[fuel] + table.numbers(name) if fuel in mix else table.numbers(name)
        return series_of(mix, start, end, about, reading)
    name = _value_column(table, reading)
    try:
        unit = float(convert_given(Q(1.0, _unit(name)), "gCO2e/kWh").magnitude)
    except UnitError as error:
        raise ReadError(f"{table.where}: column '{name}': {error}") from None
    basis = _basis(name) or about.basis or reading.basis
    notes = list(about.notes)
    estimated = table.find(("estimated", "isestimated", "data estimated"))
    if estimated is not None:
        count = sum(cell.casefold() in ("true", "1", "yes") for cell in table.column(estimated))
        if count:
            notes.append(f"{count} of {len(table.rows)} values are estimates of the source")
    gas = "CO2" if name.casefold() == "taux_co2" else about.gas
    scope = about.scope or reading.scope
    if name.casefold() == "taux_co2":
        basis, scope = "direct", "production"
    return Series(
        start,
        end,
        table.numbers(name) * unit,
        replace(about, region=about.region or _one_place(table), basis=basis, scope=scope, gas=gas, notes=tuple(notes)),
    )


def read_supply(text: str, where: str, reading: Reading) -> tuple[Floats, Floats, Floats]:
    """Energy that a contract delivers by step, from CSV text: starts and ends in s since 1970, energy in kWh."""
    table = Table(text, where)
    name = reading.column or table.find((*_POWERS, *_ENERGIES))
    if name is None:
        raise ReadError(
            f"{where}: no column holds a power or an energy; name one of {', '.join((*_POWERS, *_ENERGIES))} "
            f"(columns: {', '.join(table.names)})"
        )
    start, end = times(table, reading, reading.labels or "start")
    numbers, folded = table.numbers(name), name.casefold()
    if np.isnan(numbers).any() or (numbers < 0).any():
        line = table.lines[int(np.flatnonzero(~(numbers >= 0))[0])]
        raise ReadError(f"{where}:{line}: column '{name}': a delivery is a number of 0 or more in every step")
    if folded in _POWERS:
        kilowatts = numbers * float(Q(1.0, _POWERS[folded]).to("kW").magnitude)
        return start, end, kilowatts * (end - start) / float(Q(1.0, "h").to("s").magnitude)
    return start, end, numbers * float(Q(1.0, _ENERGIES[folded]).to("kWh").magnitude)
