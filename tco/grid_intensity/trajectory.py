"""How the intensity of a grid moves over the years of a run or of a hardware life.

A trend is constant, so many percent a year, a table of years, or what a grid was measured to do. It is never taken
without being asked for.
"""

from __future__ import annotations

import csv
import io
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tco.errors import ReadError, did_you_mean
from tco.grid_intensity.factors import factor
from tco.grid_intensity.sets import Set, choose
from tco.grid_intensity.tables import content
from tco.provenance import Source
from tco.records.factor import BasisError, Factor

_RATE = re.compile(r"([+-]?\d+(?:\.\d+)?)\s*%\s*(?:/\s*(?:a|yr|year)|a year|per year)?")
_SPAN = re.compile(r"measured(?::(\d{4})-(\d{4}))?")
_FORMS = "constant, '-4.3 %/a', measured, measured:2015-2025, a CSV file with year and gco2e_per_kwh"
#: Years that 'measured' looks back where nobody says.
_LOOK_BACK = 10


@dataclass(frozen=True)
class Trajectory:
    """A trend of grid intensity.

    Attributes
    ----------
    text
        What it is, in words.
    per_year
        Relative change from one year to the next; None for a table.
    table
        Intensity by year in gCO2e/kWh; between its years in a straight line, constant outside them.
    source
        Where it was read; None where the user states it.
    """

    text: str
    per_year: float | None = None
    table: Mapping[int, float] = field(default_factory=dict)
    source: Source | None = None

    def over(self, base: Factor, year: int) -> float:
        """Intensity of a year over that of the year of the base factor."""
        if self.per_year is not None:
            return float((1 + self.per_year) ** (year - base.data_year))
        return self._at(year) / float(base.quantity.magnitude)

    def _at(self, year: int) -> float:
        known = sorted(self.table)
        if year <= known[0]:
            return self.table[known[0]]
        if year >= known[-1]:
            return self.table[known[-1]]
        right = next(index for index, other in enumerate(known) if other >= year)
        before, after = known[right - 1], known[right]
        step = (year - before) / (after - before)
        return self.table[before] + step * (self.table[after] - self.table[before])

    def mean_over(self, base: Factor, begin: float, length: float) -> tuple[float, dict[int, float]]:
        """Mean over a span of years, and the values of the years in it.

        Parameters
        ----------
        base
            Factor that the trend starts from.
        begin
            Start as a decimal year.
        length
            In years; 0 for a moment.

        Returns
        -------
        float, dict
            Intensity over that of the base; and by year.
        """
        first, last = int(begin), int(begin + length)
        parts: dict[int, float] = {}
        weights: dict[int, float] = {}
        for year in range(first, last + 1):
            overlap = min(begin + length, year + 1) - max(begin, year)
            if overlap > 0 or length == 0:
                parts[year] = self.over(base, year)
                weights[year] = overlap if length > 0 else 1.0
        total = sum(weights.values())
        return sum(parts[year] * weight for year, weight in weights.items()) / total, parts


def trajectory(text: str, base: Factor, dataset: Set | None = None) -> Trajectory:
    """The trend that a person named.

    Parameters
    ----------
    text
        ``constant``, ``-4.3 %/a``, ``measured`` (of the place of the base factor, over ten years), a span such as
        ``measured:2015-2025``, the name of a record, or a CSV file.
    base
        Factor that it will be applied to.
    dataset
        Data set that ``measured`` reads; the one of the base factor.

    Raises
    ------
    ReadError
        If it is none of these.
    BasisError
        If a record describes another basis than the factor.
    """
    word = text.strip()
    if word == "constant":
        return Trajectory("constant", per_year=0.0)
    match = _RATE.fullmatch(word)
    if match is not None:
        rate = float(match[1]) / 100
        if rate <= -1:
            raise ReadError(f"--trajectory '{text}': the grid cannot fall by 100 % a year or more")
        return Trajectory(f"{float(match[1]):+g} % a year, as stated", per_year=rate)
    span = _SPAN.fullmatch(word)
    if span is not None:
        return _measured(base, dataset, span[1], span[2])
    if Path(word).suffix == ".csv":
        return _table(Path(word))
    records = tomllib.loads(content("trajectories.toml").decode("utf-8"))
    if word in records:
        record = records[word]
        if record["basis"] != base.basis:
            raise BasisError(
                f"the trend '{word}' is of {record['basis']} factors, and the factor is {base.terms}; take another"
            )
        source = Source.model_validate(record["source"])
        return Trajectory(f"{100 * record['per_year']:+g} % a year ({source})", record["per_year"], source=source)
    hint = did_you_mean(word, ["constant", "measured", *records])
    raise ReadError(f"--trajectory '{text}' is not known{hint} (write {_FORMS}, or one of {', '.join(records)})")


def yearly_change(region_factor: Factor, earlier: Factor) -> float:
    """Relative change a year between two factors of one place, geometric."""
    years = region_factor.data_year - earlier.data_year
    if years <= 0:
        raise ReadError(f"from {earlier.data_year} to {region_factor.data_year} is no span of years")
    return float((region_factor / earlier) ** (1 / years) - 1)


def _measured(base: Factor, dataset: Set | None, first: str | None, last: str | None) -> Trajectory:
    from tco.grid_intensity.regions import region

    chosen = dataset or choose(base.dataset)
    place = region(base.region)
    newest = factor(place, int(last) if last else None, chosen)
    oldest = factor(place, int(first) if first else newest.data_year - _LOOK_BACK, chosen)
    for asked, found in ((first, oldest), (last, newest)):
        if asked is not None and int(asked) != found.data_year:
            raise ReadError(f"--trajectory measured: {chosen.name} has no value of {place} for {asked}")
    rate = yearly_change(newest, oldest)
    text = f"{100 * rate:+.2f} % a year, measured from {oldest.data_year} to {newest.data_year} in {place.name}"
    return Trajectory(text, per_year=rate, source=newest.source)


def _table(path: Path) -> Trajectory:
    try:
        rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline=""), strict=True))
    except FileNotFoundError:
        raise ReadError(f"{path}: no such file") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise ReadError(f"{path}: cannot be read as CSV: {error}") from None
    table: dict[int, float] = {}
    for number, row in enumerate(rows, start=2):
        try:
            year, value = int(row["year"]), float(row["gco2e_per_kwh"])
        except (KeyError, TypeError, ValueError):
            raise ReadError(f"{path}:{number}: needs the columns year and gco2e_per_kwh, both numbers") from None
        if year in table or value < 0:
            raise ReadError(f"{path}:{number}: {year} stands twice, or its value is below 0")
        table[year] = value
    if not table:
        raise ReadError(f"{path}: holds no rows")
    return Trajectory(f"table {path.name}, {min(table)} to {max(table)}", table=table)
