"""Prices by place, and exchange rates."""

from __future__ import annotations

from functools import lru_cache

from tco.catalog.tables import table
from tco.provenance import Source
from tco.records.base import validate
from tco.records.figure import Figure

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
