"""What a user chooses about cost beyond prices: methods, allocation, and how money is moved between dates."""

from __future__ import annotations

from datetime import date
from typing import Literal, NamedTuple, get_args

from tco.errors import EstimateError, did_you_mean

Method = Literal["amortised", "annuity", "acquisition", "cash-flow NPV", "rental"]
METHODS: tuple[Method, ...] = get_args(Method)
Allocation = Literal["used", "reserved", "time", "energy"]
ALLOCATIONS: tuple[Allocation, ...] = get_args(Allocation)
#: Words for a method that a command line takes beside its name.
_SHORT: dict[str, Method] = {"npv": "cash-flow NPV", "cash-flow-npv": "cash-flow NPV", "amortized": "amortised"}


class CostChoice(NamedTuple):
    """Choices about the cost of an estimate.

    Attributes
    ----------
    methods
        Methods beside ``amortised``, which is always there.
    allocation
        What a run is charged of its nodes: the devices it *used* with their share of idle time (the default), the
        whole nodes that it held *reserved*, its own *time* alone (idle time is a line beside it), or its part of the
        *energy* that the nodes use in their life.
    term
        Commitment of a rent: ``on-demand``, ``1-year``, ``3-year``, ``spot``.
    fx_date
        Date of the exchange rates to take, also for prices that the user stated.
    price_index
        Name of a price index of the catalogue, that moves prices to `price_date`.
    price_date, price_base
        Date whose price level costs are in, and date of prices that do not say theirs.
    """

    methods: tuple[Method, ...] = ()
    allocation: Allocation = "used"
    term: str = "on-demand"
    fx_date: date | None = None
    price_index: str | None = None
    price_date: str | None = None
    price_base: str | None = None


NO_CHOICE = CostChoice()


def methods_of(text: str) -> tuple[Method, ...]:
    """The methods that a text names: one, several with commas, or ``all``.

    Raises
    ------
    EstimateError
        Naming the methods there are.
    """
    if text.strip() == "all":
        return METHODS
    found: list[Method] = []
    for word in text.split(","):
        name = word.strip()
        method: Method | None = _SHORT.get(name.casefold())
        for known in METHODS:
            if known.casefold() == name.casefold():
                method = known
        if method is None:
            hint = did_you_mean(name, METHODS)
            raise EstimateError(f"cost method '{name}' is not known{hint} (methods: {', '.join(METHODS)}, or all)")
        found.append(method)
    return tuple(found)


def allocation_of(text: str) -> Allocation:
    """The allocation that a text names.

    Raises
    ------
    EstimateError
        Naming those there are.
    """
    for known in ALLOCATIONS:
        if text == known:
            return known
    raise EstimateError(f"allocation '{text}' is not known{did_you_mean(text, ALLOCATIONS)} ({', '.join(ALLOCATIONS)})")
