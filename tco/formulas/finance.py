"""Money over time: discounting, annuities, real and nominal rates.

Convention: a rate is per `period` and compounds once in it; the first flow is at time 0, later ones at the end of each
period. A spreadsheet's NPV() puts its first value at the end of the first period instead.
"""

from __future__ import annotations

from tco.operations import V, ceil, maximum, minimum, operate


def _power(x: V, exponent: V) -> V:
    return operate("power", x, exponent)


def rate_per_period(rate: V, period: V) -> V:
    """Interest of one period on one unit of money.

    Parameters
    ----------
    rate
        Interest or discount rate, more than -1 per period. [1/time]
    period
        How often is paid and compounded: a year, a month. [time]
    """
    return rate * period


def number_of_periods(life: V, period: V) -> V:
    """Periods in a life.

    Parameters
    ----------
    life
        How long is paid. [time]
    period
        How often is paid and compounded. [time]
    """
    return life / period


def lost_by_waiting(step: V, count: V) -> V:
    """What one unit of money loses by being paid so many periods later: 1 - (1 + step)**-count.

    Parameters
    ----------
    step
        Rate per period, more than -1. [1]
    count
        Periods. [1]
    """
    return 1 - _power(step + 1, 0 - count)


def financing_factor(step: V, count: V, lost: V) -> V:
    """All payments of an annuity over the price, step * count / lost: 1 at a rate of 0, more with interest.

    Parameters
    ----------
    step
        Rate per period, more than -1. [1]
    count
        Periods, more than 0. [1]
    lost
        1 - (1 + step)**-count, see `lost_by_waiting`. [1]

    Notes
    -----
    The capital recovery factor times the life: what straight line charges, times this, is what an annuity charges. The
    two bounds around the closed form hold for every rate. They keep eight digits near a rate of 0, where the closed
    form loses all, and they keep a range of rates and lives from widening without need.

    References
    ----------
    PyPSA technology-data, scripts/compile_cost_assumptions.py, annuity(), times the life.
    """
    flat = operate("less_equal", operate("maximum", lost, 0 - lost), 0)
    closed = operate("where", flat, 1, step * count / operate("where", flat, 1, lost))
    gain, loss = operate("maximum", step, 0), operate("minimum", step, 0)
    at_least = maximum(step * count, loss * (count + 1) + 1)
    return minimum(maximum(closed, at_least), gain * (count + 1) + 1)


def _recovery(step: V, count: V) -> V:
    """Payment per period for one unit borrowed: `financing_factor` over `count`, with its own bounds."""
    lost = lost_by_waiting(step, count)
    flat = operate("less_equal", operate("maximum", lost, 0 - lost), 0)
    one = count * 0 + 1
    closed = operate("where", flat, one / count, step / operate("where", flat, 1, lost))
    gain, loss = operate("maximum", step, 0), operate("minimum", step, 0)
    at_least = maximum(step, (loss * (count + 1) + 1) / count)
    return minimum(maximum(closed, at_least), (gain + 1) / count + gain)


def capital_recovery(rate: V, life: V, period: V) -> V:
    """Capital recovery factor: the constant payment per time that repays one unit of money, with interest.

    Parameters
    ----------
    rate
        Interest or discount rate, more than -1 per period; 0 gives 1 / life. [1/time]
    life
        How long is paid. [time]
    period
        How often is paid and compounded: a year, a month. [time]

    References
    ----------
    PyPSA technology-data, scripts/compile_cost_assumptions.py, annuity(); =-PMT(rate, life, 1) in a spreadsheet.
    """
    return _recovery(rate * period, life / period) / period


def uniform_present_worth(rate: V, life: V, period: V) -> V:
    """What a payment of one unit per time over a life is worth at time 0, each due at the end of its period.

    Parameters
    ----------
    rate
        Discount rate, more than -1 per period; 0 gives the life. [1/time]
    life
        How long is paid. [time]
    period
        How often is paid. [time]

    References
    ----------
    NIST Handbook 135, uniform present value factor.
    """
    return period / _recovery(rate * period, life / period)


def worth_of_even_payments(factor: V) -> V:
    """What a unit of money that is paid evenly over a life is worth at time 0, on the average: 1 at a rate of 0.

    Parameters
    ----------
    factor
        All payments of an annuity over the price, see `financing_factor`. [1]

    References
    ----------
    NIST Handbook 135, uniform present value factor, over the number of years.
    """
    return (factor * 0 + 1) / factor


def mean_present_worth(rate: V, life: V, period: V) -> V:
    """The same from rate and life in one step, see `worth_of_even_payments`.

    Parameters
    ----------
    rate
        Discount rate, more than -1 per period. [1/time]
    life
        How long is paid. [time]
    period
        How often is paid, at the end of each. [time]

    References
    ----------
    NIST Handbook 135, uniform present value factor, over the number of years.
    """
    step, count = rate_per_period(rate, period), number_of_periods(life, period)
    return worth_of_even_payments(financing_factor(step, count, lost_by_waiting(step, count)))


def present_worth(rate: V, time: V, period: V) -> V:
    """What one unit of money at a time is worth at time 0.

    Parameters
    ----------
    rate
        Discount rate, more than -1 per period. [1/time]
    time
        When it is paid. [time]
    period
        How often is compounded. [time]

    References
    ----------
    NIST Handbook 135, single present value factor.
    """
    return _power(rate * period + 1, 0 - time / period)


def discounted(amount: V, worth: V) -> V:
    """Present value of an amount.

    Parameters
    ----------
    amount
        Money at its time. [money]
    worth
        Present worth of one unit at that time, see `present_worth`. [1]
    """
    return amount * worth


def escalated(amount: V, escalation: V, time: V, period: V) -> V:
    """An amount whose price grows.

    Parameters
    ----------
    amount
        At the prices of time 0. [any]
    escalation
        Growth of its price, more than -1 per period. [1/time]
    time
        When it is paid. [time]
    period
        How often it compounds. [time]
    """
    return amount * _power(escalation * period + 1, time / period)


def net_rate(rate: V, growth: V, period: V) -> V:
    """Rate that discounts what grows, or a nominal rate without inflation: (1 + rate) / (1 + growth) - 1.

    With `growth` an escalation, the present worth at this rate is the modified one of NIST; with `growth` the
    inflation it is Fisher's real rate.

    Parameters
    ----------
    rate
        Discount rate, or nominal rate. [1/time]
    growth
        Escalation, or inflation, more than -1 per period. [1/time]
    period
        How often both compound. [time]

    References
    ----------
    NIST Handbook 135, modified uniform present value factor.
    """
    return (rate - growth) / (growth * period + 1)


def nominal_rate(real: V, inflation: V, period: V) -> V:
    """Nominal rate from a real one, by Fisher's relation (1 + real) (1 + inflation) - 1.

    Parameters
    ----------
    real
        Real rate. [1/time]
    inflation
        Rise of the price level. [1/time]
    period
        How often both compound. [time]
    """
    return real + inflation + real * inflation * period


def weighted_cost_of_capital(equity_share: V, cost_of_equity: V, cost_of_debt: V, tax: V) -> V:
    """Weighted average cost of capital, interest being deductible.

    Parameters
    ----------
    equity_share
        Equity over equity and debt. [1]
    cost_of_equity
        What the owners ask for. [1/time]
    cost_of_debt
        What the lenders ask for. [1/time]
    tax
        Tax rate on profits. [1]
    """
    return cost_of_equity * equity_share + cost_of_debt * (1 - equity_share) * (1 - tax)


def within(rate: V, floor: V, ceiling: V) -> V:
    """A rate kept between two bounds, as the rule for federal energy projects of the US does.

    Parameters
    ----------
    rate
        Rate. [1/time]
    floor
        Least. [1/time]
    ceiling
        Most. [1/time]

    References
    ----------
    10 CFR 436.14(a), 3 % and 10 % around the real rate of long Treasury bonds.
    """
    return minimum(maximum(rate, floor), ceiling)


def interest_paid(loan: V, recovery: V, life: V) -> V:
    """All interest of a loan that is repaid in constant payments.

    Parameters
    ----------
    loan
        What is borrowed. [money]
    recovery
        Capital recovery factor, see `capital_recovery`. [1/time]
    life
        How long is paid. [time]

    References
    ----------
    ASIC-Clouds and chiplet-cloud TCO code, evalTotalInterestPaid; =-CUMIPMT() in a spreadsheet.
    """
    return loan * recovery * life - loan


def lease_present_cost(payment: V, worth: V, tax: V) -> V:
    """Present cost of a lease whose payments are deductible.

    Parameters
    ----------
    payment
        Per time. [money/time]
    worth
        Present worth of one unit per time over the lease, see `uniform_present_worth`. [time]
    tax
        Tax rate on profits; 0 for who pays none. [1]
    """
    return payment * worth * (1 - tax)


def purchase_present_cost(price: V, residual: V, late: V, relief: V) -> V:
    """Present cost of buying, less what is got for it at the end and the tax that depreciation saves.

    Parameters
    ----------
    price
        Paid at time 0. [money]
    residual
        Share of the price that is got at the end. [1]
    late
        Present worth of one unit at the end, see `present_worth`. [1]
    relief
        Present value of the tax saved by depreciation. [money]
    """
    return price * (1 - residual * late) - relief


def purchases(horizon: V, life: V) -> V:
    """How often a thing is bought to serve over a horizon, the first time at its beginning.

    Parameters
    ----------
    horizon
        How long it is needed. [time]
    life
        How long one serves. [time]
    """
    return ceil(horizon / life)


def unused_life(horizon: V, life: V) -> V:
    """Share of the life of the last one bought that is left at the end of a horizon.

    Parameters
    ----------
    horizon
        How long it is needed. [time]
    life
        How long one serves. [time]
    """
    count = horizon / life
    return ceil(count) - count
