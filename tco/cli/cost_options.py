"""The options that say how a cost is made, shared by the commands that make one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from tco.estimation.costs.choice import CostChoice

CostMethod = Annotated[
    str | None,
    typer.Option(
        "--cost-method",
        metavar="METHOD",
        help="Beside amortised: annuity, acquisition, npv, rental; several with commas, or all.",
    ),
]
Allocation = Annotated[
    str | None,
    typer.Option("--allocation", help="What the run is charged by: used (default), reserved, time or energy."),
]
Term = Annotated[
    str | None, typer.Option("--term", help="Commitment of the rent: on-demand (default), 1-year, 3-year or spot.")
]
FxDate = Annotated[
    str | None,
    typer.Option("--fx-date", metavar="DATE", help="Exchange rates of this date, 2024-12-31 (extra: money)."),
]
PriceIndex = Annotated[
    str | None, typer.Option("--price-index", metavar="NAME", help="Price index that moves prices to --price-date.")
]
PriceDate = Annotated[
    str | None, typer.Option("--price-date", metavar="DATE", help="Date whose price level costs are in: 2024-12.")
]
PriceBase = Annotated[
    str | None, typer.Option("--price-base", metavar="DATE", help="Date of prices that do not say theirs: 2023-03.")
]


def cost_choice(
    method: str | None = None,
    allocation: str | None = None,
    term: str | None = None,
    fx_date: str | None = None,
    price_index: str | None = None,
    price_date: str | None = None,
    price_base: str | None = None,
) -> CostChoice | None:
    """What the options say about cost; None where they say nothing."""
    if (method, allocation, term, fx_date, price_index, price_date, price_base) == (None,) * 7:
        return None
    from datetime import date

    from tco.errors import EstimateError
    from tco.estimation.costs.choice import CostChoice, allocation_of, methods_of

    day = None
    if fx_date is not None:
        try:
            day = date.fromisoformat(fx_date)
        except ValueError:
            raise EstimateError(f"--fx-date '{fx_date}' is not a date; write 2024-12-31") from None
    return CostChoice(
        methods=() if method is None else methods_of(method),
        allocation="used" if allocation is None else allocation_of(allocation),
        term=term or "on-demand",
        fx_date=day,
        price_index=price_index,
        price_date=price_date,
        price_base=price_base,
    )
