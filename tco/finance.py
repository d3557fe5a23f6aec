"""Cash flows on plain numbers: present value, internal rate, loans, depreciation for tax, lease against purchase.

>>> from tco import finance
>>> round(finance.net_present_value(0.08, [-40000, 5000, 8000, 12000, 30000]), 2)  # the first flow at year 0
3065.22
>>> round(finance.spreadsheet_npv(0.08, [-40000, 5000, 8000, 12000, 30000]), 2)  # NPV() of a spreadsheet
2838.17

Money out is negative, as in a spreadsheet. Rates are per period. Formulas with units: `tco.formulas.finance`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tco.errors import EstimateError
from tco.formulas import depreciation as depreciation_formulas
from tco.formulas import finance as formulas

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def _library() -> Any:
    """numpy-financial, whose signatures say less than it takes."""
    import numpy_financial

    return numpy_financial


def _rate(rate: float) -> float:
    if not rate > -1:
        raise EstimateError(f"a rate of {rate:g} per period leaves nothing; it must be above -1 (0.05 for 5 %)")
    return float(rate)


def _flows(flows: Sequence[float]) -> list[float]:
    values = [float(flow) for flow in flows]
    if not values:
        raise EstimateError("there are no flows; give one for each period, the first at time 0")
    return values


def net_present_value(rate: float, flows: Sequence[float]) -> float:
    """Net present value; the first flow is at time 0 and is not discounted.

    Parameters
    ----------
    rate
        Discount rate per period.
    flows
        One for each period, shape (n,).
    """
    npf = _library()

    return float(npf.npv(_rate(rate), _flows(flows)))


def spreadsheet_npv(rate: float, flows: Sequence[float]) -> float:
    """What ``NPV()`` of a spreadsheet says of the same flows: it puts the first one at the end of the first period.

    For a net present value write ``=B0+NPV(rate,B1:Bn)``.
    """
    return net_present_value(rate, flows) / (1 + rate)


def internal_rate_of_return(flows: Sequence[float]) -> float:
    """The rate at which the net present value of flows is 0.

    Raises
    ------
    EstimateError
        If there is none: the flows never change their sign.
    """
    npf = _library()

    values = _flows(flows)
    if min(values) >= 0 or max(values) <= 0:
        raise EstimateError("flows that are all paid, or all received, have no internal rate of return")
    found = float(npf.irr(values))
    if found != found:
        raise EstimateError("these flows have no internal rate of return")
    return found


def modified_internal_rate_of_return(flows: Sequence[float], finance_rate: float, reinvest_rate: float) -> float:
    """Internal rate of return with a rate for what is paid and another for what is received.

    Parameters
    ----------
    flows
        One for each period, the first at time 0.
    finance_rate, reinvest_rate
        Per period.
    """
    npf = _library()

    return float(npf.mirr(_flows(flows), _rate(finance_rate), _rate(reinvest_rate)))


def payment(rate: float, periods: float, present: float, future: float = 0.0) -> float:
    """Constant payment per period that repays `present` and leaves `future`."""
    npf = _library()

    return float(npf.pmt(_rate(rate), periods, present, future))


def future_value(rate: float, periods: float, payment: float, present: float) -> float:
    """Value after so many periods of a sum and of constant payments."""
    npf = _library()

    return float(npf.fv(_rate(rate), periods, payment, present))


def present_value(rate: float, periods: float, payment: float, future: float = 0.0) -> float:
    """Value at time 0 of constant payments and of a sum at the end."""
    npf = _library()

    return float(npf.pv(_rate(rate), periods, payment, future))


def number_of_periods(rate: float, payment: float, present: float, future: float = 0.0) -> float:
    """Periods in which constant payments repay `present`."""
    npf = _library()

    return float(npf.nper(_rate(rate), payment, present, future))


def interest_parts(rate: float, periods: int, present: float) -> NDArray[np.float64]:
    """Interest in each payment of a loan, shape (periods,)."""
    import numpy as np

    npf = _library()

    return np.asarray(npf.ipmt(_rate(rate), np.arange(1, periods + 1), periods, present), np.float64)


def capital_recovery_factor(rate: float, periods: float) -> float:
    """Constant payment per period that repays one unit over the periods; 1 / periods at a rate of 0."""
    return float(formulas.capital_recovery(_rate(rate), _life(periods), 1.0))


def present_worth_factor(rate: float, periods: float) -> float:
    """What one unit at the end of the periods is worth at time 0."""
    return float(formulas.present_worth(_rate(rate), float(periods), 1.0))


def uniform_present_worth_factor(rate: float, periods: float, escalation: float = 0.0) -> float:
    """What one unit at the end of each period is worth at time 0, where it grows by `escalation` per period."""
    net = formulas.net_rate(_rate(rate), _rate(escalation), 1.0)
    return float(formulas.uniform_present_worth(net, _life(periods), 1.0))


def _life(periods: float) -> float:
    if not periods > 0:
        raise EstimateError(f"a life of {periods:g} periods is none: it must be more than 0")
    return float(periods)


def straight_line(price: float, residual: float, years: float) -> float:
    """Straight-line depreciation per year."""
    return float(depreciation_formulas.straight_line(float(price), float(residual), _life(years)))


def macrs(years: int, convention: str = "half-year") -> tuple[float, ...]:
    """Depreciation for tax in the US by the printed tables, in percent of the price by year.

    Parameters
    ----------
    years
        Recovery period: 5 for computers.
    convention
        ``half-year``, or ``mid-quarter-1``: placed in service in the first quarter.
    """
    from tco.catalog.prices import depreciation

    return depreciation(years, convention).percent


def declining_balance(years: int, convention: str = "half-year") -> tuple[float, ...]:
    """The same computed: declining balance, then straight line once that is more.

    The printed tables are rounded to hundredths of a percent, and end where the rounded shares make up the whole.
    """
    from tco.catalog.prices import depreciation

    rule = depreciation(years, convention)
    book, left, share, shares = 100.0, float(years), rule.first_year, []
    while book > 0 and left > 0:
        year = depreciation_formulas.declining_balance_year(book, rule.factor, float(years), left, share)
        shares.append(float(year))
        book = float(depreciation_formulas.book_value(book, year))
        left, share = left - share, min(1.0, left - share)
    return tuple(shares)


class Offer(NamedTuple):
    """Present costs of leasing and of buying the same thing.

    Attributes
    ----------
    lease, purchase
        Present cost of each.
    """

    lease: float
    purchase: float

    @property
    def advantage_of_leasing(self) -> float:
        """What leasing saves, in present value; negative where buying is cheaper."""
        return self.purchase - self.lease


def lease_or_buy(
    payment: float,
    price: float,
    periods: int,
    rate: float,
    *,
    residual: float = 0.0,
    tax: float = 0.0,
    macrs_years: int | None = None,
) -> Offer:
    """Compare a lease with a purchase.

    Parameters
    ----------
    payment
        Of the lease per period, due at its end, deductible.
    price
        Of the purchase, at time 0.
    periods
        Of the lease.
    rate
        Discount rate per period.
    residual
        Share of the price that the buyer gets at the end.
    tax
        Tax rate on profits.
    macrs_years
        Recovery period of the depreciation that saves tax; straight line over the periods where None.
    """
    worth = uniform_present_worth_factor(rate, periods)
    shares = [100.0 / periods] * periods if macrs_years is None else list(macrs(macrs_years))
    relief = math.fsum(
        price * share / 100 * tax * present_worth_factor(rate, year) for year, share in enumerate(shares, start=1)
    )
    lease = formulas.lease_present_cost(float(payment), worth, float(tax))
    late = present_worth_factor(rate, periods)
    purchase = formulas.purchase_present_cost(float(price), float(residual), late, relief)
    return Offer(float(lease), float(purchase))
