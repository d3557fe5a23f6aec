"""All finance examples of the facts, and the laws of discounting."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tco import finance
from tco.errors import EstimateError, RecordError
from tco.formulas import depreciation
from tco.formulas import finance as formulas
from tco.graph import Graph
from tco.units import Q

PER_YEAR, YEAR = Q(1, "1/year").units, Q(1, "year").units
FLOWS = [-40000, 5000, 8000, 12000, 30000]


def numbers(text: str) -> dict[str, list[float]]:
    """``rate=0.05/12;flows=-40000,5000`` as numbers; a fraction is the one expression that stands there."""

    def one(part: str) -> float:
        over = re.fullmatch(r"(-?[\d.]+)/([\d.]+)", part.strip())
        word = re.match(r"-?[\d.]+", part.strip())
        if over:
            return float(over.group(1)) / float(over.group(2))
        return float(word.group()) if word else math.nan

    pairs = (item.partition("=") for item in text.split(";"))
    return {key.strip(): [one(part) for part in value.split(",")] for key, _, value in pairs}


def first(values: dict[str, list[float]], *names: str) -> list[float]:
    return [values[name][0] for name in names]


def _with_units(rate: float, years: float) -> float:
    return float(formulas.capital_recovery(Q(rate, "1/year"), Q(years, "year"), Q(1, "year")).m_as(PER_YEAR))


def _ratio_of_kinds(values: dict[str, list[float]]) -> list[float]:
    real = formulas.net_rate(Q(values["nominal"][0], "1/year"), Q(values["inflation"][0], "1/year"), Q(1, "year"))
    kept = formulas.within(real, Q(0.03, "1/year"), Q(0.10, "1/year"))
    return [float(kept.m_as(PER_YEAR))]


def _wacc(v: dict[str, list[float]]) -> list[float]:
    equity, debt, of_equity, of_debt, tax = first(v, "E", "D", "Re", "Rd", "T")
    found = formulas.weighted_cost_of_capital(
        Q(equity / (equity + debt), "1"), Q(of_equity, "1/year"), Q(of_debt, "1/year"), Q(tax, "1")
    )
    return [float(found.m_as(PER_YEAR))]


def _declined(v: dict[str, list[float]]) -> list[float]:
    days = v["t"][0] * 365.25
    value = depreciation.declined_value(Q(v["V0"][0], "USD"), Q(0.14 / 8766, "OOM/h"), Q(days, "d"))
    return [float(value.m_as(Q(1, "USD").units))]


def _fisher(v: dict[str, list[float]]) -> list[float]:
    found = formulas.nominal_rate(Q(v["r"][0], "1/year"), Q(v["f"][0], "1/year"), Q(1, "year"))
    return [float(found.m_as(PER_YEAR))]


def _class(v: dict[str, list[float]]) -> int:
    return int(v["class"][0])


EXAMPLES: dict[str, Callable[[dict[str, list[float]]], list[float]]] = {
    "npf_fv": lambda v: [finance.future_value(*first(v, "rate", "nper", "pmt", "pv"))],
    "npf_pmt": lambda v: [finance.payment(*first(v, "rate", "nper", "pv"))],
    "npf_nper": lambda v: [finance.number_of_periods(*first(v, "rate", "pmt", "pv"))],
    "npf_pv": lambda v: [finance.present_value(*first(v, "rate", "nper", "pmt", "fv"))],
    "npf_ipmt_sum": lambda v: [float(finance.interest_parts(v["rate"][0], int(v["nper"][0]), v["pv"][0]).sum())],
    "npf_npv": lambda v: [finance.net_present_value(v["rate"][0], v["flows"])],
    "excel_npv_trap": lambda v: [finance.spreadsheet_npv(v["rate"][0], v["flows"])],
    "npf_irr": lambda v: [finance.internal_rate_of_return(v["flows"])],
    "npf_mirr": lambda v: [finance.modified_internal_rate_of_return(v["flows"], v["finance"][0], v["reinvest"][0])],
    "real_nominal": _fisher,
    "wacc": _wacc,
    "macrs_copier": lambda v: [v["basis"][0] * share / 100 for share in finance.macrs(_class(v))[:2]],
    "macrs_mq1_5": lambda v: list(finance.macrs(_class(v), "mid-quarter-1")),
    "macrs_formula_5": lambda v: list(finance.declining_balance(_class(v))),
    "epoch_decay": _declined,
    "epoch_rate": lambda v: [float(Q(v["k"][0], "OOM/year").m_as(PER_YEAR))],
    "femp_rule": _ratio_of_kinds,
    "amort_service_units": lambda v: [
        float(formulas.purchases(Q(v["N"][0], "year"), Q(v["n"][0], "year")).m_as(Q(1, "1").units))
    ],
    "chiplet_loan_interest": lambda v: [
        float(
            formulas.interest_paid(
                Q(v["P"][0], "USD/W"),
                formulas.capital_recovery(Q(0.08, "1/year"), Q(v["nper"][0], "month"), Q(1, "month")),
                Q(v["nper"][0], "month"),
            ).m_as(Q(1, "USD/W").units)
        )
    ],
}
PREFIXES: dict[str, Callable[[dict[str, list[float]]], list[float]]] = {
    "crf_": lambda v: [_with_units(v["r"][0], v["n"][0])],
    "upv_esc_": lambda v: [finance.uniform_present_worth_factor(v["r"][0], v["n"][0], v["e"][0])],
    "upv_": lambda v: [finance.uniform_present_worth_factor(v["r"][0], v["n"][0])],
    "spv_": lambda v: [finance.present_worth_factor(v["r"][0], v["n"][0])],
    "sl_": lambda v: [finance.straight_line(*first(v, "P", "S", "n"))],
    "macrs_hy_": lambda v: list(finance.macrs(_class(v))),
}


def test_all_finance_examples(shared: Path) -> None:
    with (shared / "facts" / "costs" / "finance_examples.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    assert len(rows) == 47
    wrong = []
    for row in rows:
        name = row["example_id"]
        compute = EXAMPLES.get(name) or next(made for prefix, made in PREFIXES.items() if name.startswith(prefix))
        found = compute(numbers(row["inputs"]))
        expected = [float(part) for part in row["expected"].split(";")]
        close = len(found) == len(expected) and all(
            abs(a - b) <= float(row["tolerance"]) for a, b in zip(found, expected, strict=True)
        )
        if not close:
            wrong.append(f"{name}: {found} against {expected}")
    assert not wrong, "\n".join(wrong)


def test_the_npv_trap_of_spreadsheets() -> None:
    assert round(finance.net_present_value(0.08, FLOWS)) == 3065
    assert round(finance.spreadsheet_npv(0.08, FLOWS)) == 2838
    # what a workbook must write: =B0+NPV(rate,B1:B4)
    assert FLOWS[0] + finance.spreadsheet_npv(0.08, FLOWS[1:]) == pytest.approx(3065.2226681795, abs=1e-9)


def test_printed_tables_against_their_rule() -> None:
    for years in (3, 5, 7, 10, 15):
        assert sum(finance.macrs(years)) == pytest.approx(100, abs=0.005)
        assert finance.declining_balance(years) == pytest.approx(finance.macrs(years), abs=0.0065)
    assert finance.declining_balance(5, "mid-quarter-1") == pytest.approx(finance.macrs(5, "mid-quarter-1"), abs=0.0065)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30))
def test_npv_at_rate_zero_is_the_plain_sum(flows: list[float]) -> None:
    assert finance.net_present_value(0, flows) == pytest.approx(math.fsum(flows), abs=1e-6)


RATES, LIVES = st.floats(-0.5, 1.0), st.floats(0.5, 40)


@given(RATES, st.integers(1, 40))
def test_capital_recovery_repays_exactly(rate: float, years: int) -> None:
    """Paid year by year, with interest on what is left, nothing is left at the end."""
    paid, left = finance.capital_recovery_factor(rate, years), 1.0
    for _ in range(years):
        left = left * (1 + rate) - paid
    scale = max(1.0, (1 + rate) ** years)
    assert left == pytest.approx(0, abs=1e-7 * scale)


@given(st.floats(-1e-6, 1e-6), LIVES)
def test_capital_recovery_keeps_eight_digits_near_a_rate_of_zero(rate: float, years: float) -> None:
    series = 1 / years + rate * (years + 1) / (2 * years)
    assert finance.capital_recovery_factor(rate, years) == pytest.approx(
        series, rel=3e-8
    )  # the closed form alone: 1e-4 at 1e-12


@given(RATES, RATES, LIVES)
def test_dearer_money_costs_more(one: float, other: float, years: float) -> None:
    low, high = sorted((one, other))
    assert finance.capital_recovery_factor(low, years) <= finance.capital_recovery_factor(high, years) * (1 + 1e-9)


@given(RATES, LIVES)
def test_factors_agree_with_each_other(rate: float, years: float) -> None:
    period = Q(1, "year")
    args = (Q(rate, "1/year"), Q(years, "year"), period)
    recovery = float(formulas.capital_recovery(*args).m_as(PER_YEAR))
    step, count = formulas.rate_per_period(args[0], period), formulas.number_of_periods(args[1], period)
    factor = formulas.financing_factor(step, count, formulas.lost_by_waiting(step, count))
    assert float(factor.m_as(Q(1, "1").units)) == pytest.approx(recovery * years, rel=1e-9)
    assert float(formulas.uniform_present_worth(*args).m_as(YEAR)) == pytest.approx(1 / recovery, rel=1e-9)
    worth = float(formulas.mean_present_worth(*args).m_as(Q(1, "1").units))
    assert worth == pytest.approx(1 / (recovery * years), rel=1e-9)


@given(st.floats(0.01, 0.3), st.floats(0.01, 0.3), st.integers(1, 10), st.integers(1, 10))
def test_ranges_hold_whatever_the_inputs_do(r1: float, r2: float, n1: int, n2: int) -> None:
    (low, high), (short, long) = sorted((r1, r2)), sorted((n1, n2))
    from tco.graph import Input

    graph = Graph()
    rate = graph.input("rate", Q(low, "1/year"), "1/year", given=Input(low=low, high=high))
    life = graph.input("life", Q(short, "year"), "year", given=Input(low=short, high=long))
    line = graph.line("factor", formulas.capital_recovery(rate, life, graph.operate("same", Q(1, "year"))), "1/year")
    least, most = graph.range_of(line.name)
    for r in (low, high):
        for n in (short, long):
            value = finance.capital_recovery_factor(r, n)
            assert least * (1 - 1e-9) <= value <= most * (1 + 1e-9)
    assert most <= 2 * finance.capital_recovery_factor(high, short) + 1e-9  # and does not widen without need


def test_lease_or_buy() -> None:
    free = finance.lease_or_buy(20_000, 100_000, 5, 0.0)
    assert (free.lease, free.purchase, free.advantage_of_leasing) == (100_000, 100_000, 0)
    taxed = finance.lease_or_buy(20_000, 100_000, 5, 0.0, tax=0.25)
    assert taxed.advantage_of_leasing == pytest.approx(0)  # both deduct the same without interest
    assert finance.lease_or_buy(20_000, 100_000, 5, 0.08).advantage_of_leasing == pytest.approx(
        100_000 - 20_000 * 3.99271004, abs=0.01
    )
    assert finance.lease_or_buy(20_000, 100_000, 5, 0.08, residual=1.0).advantage_of_leasing < 0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: finance.net_present_value(-1, [1.0]), "a rate of -1 per period leaves nothing"),
        (lambda: finance.net_present_value(0.1, []), "there are no flows"),
        (lambda: finance.internal_rate_of_return([1, 2]), "have no internal rate of return"),
        (lambda: finance.capital_recovery_factor(0.1, 0), "a life of 0 periods is none: it must be more than 0"),
        (lambda: finance.straight_line(1, 0, 0), "a life of 0 periods is none"),
    ],
)
def test_what_cannot_be(call: Callable[[], float], words: str) -> None:
    with pytest.raises(EstimateError) as caught:
        call()
    assert words in str(caught.value)


def test_tables_that_are_not_there() -> None:
    with pytest.raises(RecordError, match="no table of depreciation over 4 years, half-year; known: half-year 3, "):
        finance.macrs(4)
