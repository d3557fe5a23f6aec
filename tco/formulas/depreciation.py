"""What things lose in value, year by year or hour by hour."""

from __future__ import annotations

from tco.operations import V, exp, maximum, minimum, operate


def straight_line(price: V, residual: V, life: V) -> V:
    """Straight-line depreciation.

    Parameters
    ----------
    price
        Paid. [money]
    residual
        Value at the end of the life. [money]
    life
        How long it serves. [time]
    """
    return (price - residual) / life


def declined_value(price: V, decline: V, age: V) -> V:
    """Value after a time of steady decline: price * exp(-decline * age).

    Parameters
    ----------
    price
        Paid. [money]
    decline
        Rate of decline; the progress of price and performance of accelerators is 0.14 OOM/year. [1/time]
    age
        Since it was bought. [time]

    References
    ----------
    Cottier et al. 2024, "The rising costs of training frontier AI models", arXiv 2405.21015, appendix on amortisation.
    """
    return price * exp(0 - decline * age)


def declined_by_use(price: V, decline: V, age: V, pieces: V, time: V) -> V:
    """Value that pieces lose in a time of use, at the rate at which they lose it when the use begins.

    Parameters
    ----------
    price
        Of one piece, when it was bought. [money]
    decline
        Rate of decline, see `declined_value`. [1/time]
    age
        From purchase to the beginning of the use. [time]
    pieces
        Pieces in use. [1]
    time
        How long each is charged. [time]

    References
    ----------
    Cottier et al. 2024, arXiv 2405.21015; training-cost-trends, cost_analysis_standalone.py.
    """
    return declined_value(price, decline, age) * decline * pieces * time


def declining_balance_year(book: V, factor: V, life: V, left: V, share: V) -> V:
    """Depreciation of one year by declining balance, or by straight line over what is left once that is more.

    Parameters
    ----------
    book
        Book value at the beginning of the year. [any]
    factor
        2 for double declining balance. [1]
    life
        Recovery period in years. [1]
    left
        Years of it that are left, more than 0. [1]
    share
        Part of a year that counts, 1 / 2 in the first year of the half-year convention. [1]

    References
    ----------
    IRS Publication 946, "Figuring the deduction without tables", methods.
    """
    declining, straight = book * factor * share / life, book * minimum(share, left) / left
    return minimum(maximum(declining, straight), book)


def book_value(before: V, deduction: V) -> V:
    """Book value after a year's depreciation, never below 0.

    Parameters
    ----------
    before
        At its beginning. [any]
    deduction
        Of the year. [any]
    """
    return maximum(operate("subtract", before, deduction), before * 0)
