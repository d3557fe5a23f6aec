"""Renting: what the run costs at a price per device and hour, by kind of provider, and when owning is cheaper."""

from __future__ import annotations

from typing import Any, get_args

from tco.catalog.prices import PROVIDERS, Term, rental
from tco.errors import EstimateError, did_you_mean
from tco.estimation.case import Case
from tco.estimation.costs.choice import Method
from tco.estimation.costs.money import Ledger
from tco.estimation.costs.running import devices
from tco.estimation.hardware import duration, has_duration, utilisation
from tco.formulas import cost as formulas
from tco.graph import Node
from tco.units import Q

METHOD: Method = "rental"
TERMS: tuple[Term, ...] = get_args(Term)


def term_of(case: Case) -> Term:
    """The commitment that is asked for.

    Raises
    ------
    EstimateError
        If it is none of those there are.
    """
    asked = case.cost.term
    for term in TERMS:
        if term == asked:
            return term
    raise EstimateError(f"term '{asked}' is not known{did_you_mean(asked, TERMS)} ({', '.join(TERMS)})")


def add_rental(case: Case, ledger: Ledger) -> dict[str, Node]:
    """The lines of the method rental, by kind of provider: the user's price, and those of the catalogue."""
    name = "cost.rental.total"
    term, count = term_of(case), devices(case)
    prices = _prices(case, term)
    if count is None or not has_duration(case):
        case.miss(name, "it needs the devices of the run and a duration")
        return {}
    if not prices:
        what = "the accelerator of the run" if case.system is None else f"'{case.system.accelerator}'"
        case.miss(name, f"no rent of {what} is known; give --set rental.price='2.5 USD/h' (of one accelerator)")
        return {}
    found = {}
    for provider, price in prices.items():
        converted = ledger.price(price)
        assert converted is not None
        where = "" if provider == "stated" else f".{provider}"
        words = {"stated": "the price stated", "specialist": "specialist cloud", "hyperscaler": "hyperscaler"}[provider]
        label = f"Rent of the devices, {words}, {term}"
        name = f"cost.rental{where}.total"
        of: list[Node] = [converted]
        about: dict[str, Any] = {"provider": provider, "term": term}
        if term in ("1-year", "3-year"):  # the term is paid to its end, used or not
            result = formulas.committed_cost(converted, count, duration(case), utilisation(case))
            found[provider] = ledger.line(name, result, label, formulas.committed_cost, METHOD, of, **about)
        else:
            result = formulas.rental_cost(converted, count, duration(case))
            found[provider] = ledger.line(name, result, label, formulas.rental_cost, METHOD, of, **about)
    return found


def stated_rent(case: Case) -> Node | None:
    """The rent of one accelerator that the user or the record states, the discount of a commitment off."""
    figure = case.system.rental_price if case.system else None
    facts: dict[str, Any] = {} if figure is None or figure.price_year is None else {"price_year": figure.price_year}
    label = f"Rent of one accelerator, {term_of(case)}"
    price = case.one_of("rental.price", "money/h", label, stated=figure, assumed=case.system_assumed, **facts)
    discount = case.one_of("rental.discount", "1", "Discount of a commitment on the rent", stated=None)
    if price is None or discount is None:
        return price
    name = "rental.committed"
    if name in case.graph.named:
        return case.graph[name]
    result = formulas.committed_price(price, discount)
    return case.graph.line(name, result, "money/h", "Rent with the discount", by=formulas.committed_price, **facts)


def _prices(case: Case, term: Term) -> dict[str, Node]:
    found: dict[str, Node] = {}
    label = f"Rent of one accelerator, {term}"
    stated = stated_rent(case)
    if stated is not None:
        found["stated"] = stated
    accelerator = case.system.accelerator if case.system else None
    if accelerator is None:
        return found
    for provider in PROVIDERS:
        quote = rental(accelerator, provider, term)
        name = f"rental.{provider}.price"
        case.offered.add(name)
        if case.graph.is_stated(name):
            found[provider] = case.graph.input(name, None, "money/h", f"{label}, {provider}")
        elif quote is not None:
            found[provider] = case.figure(
                name, quote, "money/h", f"{label}, {provider}", assumed=True, price_year=quote.price_year
            )
    return found


def add_break_even(case: Case, standing: Node, running: Node, rents: dict[str, Node], own: str, name: str) -> None:
    """The utilisation from which owning costs less than each rent.

    Parameters
    ----------
    standing, running
        What owning costs whether used or not, and by use alone.
    own, name
        The method of owning, and the part of the lines' names that says it.
    """
    if case.cost.allocation == "energy":
        case.miss("cost.rental.break_even_utilisation", "shares by energy do not depend on the utilisation")
        return
    if term_of(case) in ("1-year", "3-year"):
        case.miss(
            "cost.rental.break_even_utilisation",
            f"a {term_of(case)} commitment is paid whether used or not, as owning is: the use decides nothing",
        )
        return
    charged = (
        utilisation(case) if case.cost.allocation in ("used", "reserved") else case.graph.operate("same", Q(1.0, "1"))
    )
    for provider, rent in rents.items():
        where = "" if provider == "stated" else f".{provider}"
        line = f"cost.rental{where}.break_even_{name}utilisation"
        if rent.value <= running.value:
            case.miss(line, "the rent is less than the running costs of owning alone: renting is cheaper at any use")
            continue
        result = formulas.break_even_utilisation(standing, charged, rent, running)
        case.graph.line(
            line, result, "1", f"Utilisation from which owning ({own}) is cheaper than this rent; above 1: never",
            by=formulas.break_even_utilisation, method=METHOD, against=own, provider=provider,
        )  # fmt: skip
