"""Reports of an estimate: numbers as people read them, foreign text as text."""

from __future__ import annotations

import csv
import io
import re

import pytest

import tco
from tco.reports.markdown import escape, to_markdown
from tco.reports.numbers import digits, readable_unit, show_range, show_value
from tco.reports.summary import summary
from tco.reports.tabular import to_csv
from tco.reports.terminal import to_text

HOSTILE = [
    "=cmd|' /C calc'!A0",
    "+1",
    "-1",
    "@SUM(A1)",
    "<script>alert(1)</script>",
    "a|b",
    "two\nlines",
    "`code`",
    "*bold*",
]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (134.4, "134.4"), (206.976, "207"), (0.0642081, "0.06421"), (1234567, "1,235,000"), (-3.25, "-3.25"),
     (1e-9, "1.000e-09"), (99999, "100,000"), (0.99996, "1"), (1e20, "1.000e+20")],
)  # fmt: skip
def test_four_digits_that_mean_something(value: float, text: str) -> None:
    assert digits(value) == text


def test_a_computed_value_keeps_its_zeros() -> None:
    assert digits(206.976, padded=True) == "207.0"


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (0.001193, "kWh", ("1.193", "Wh")),
        (552123, "kgCO2e", ("552.1", "tCO2e")),
        (5600, "W", ("5.6", "kW")),
        (0.0642, "J/token", ("64.2", "mJ/token")),
        (1.32e-5, "gCO2e/token", ("13.2", "ugCO2e/token")),
        (2.5e-8, "EUR/token", ("0.025", "EUR/Mtoken")),
        (2.5, "EUR/token", ("2.5", "EUR/token")),
        (134.4, "EUR", ("134.4", "EUR")),
        (0.19, "EUR/kWh", ("0.19", "EUR/kWh")),
        (8400, "EUR/kW", ("8,400", "EUR/kW")),
        (0, "kWh", ("0", "kWh")),
        (1.54, "1", ("1.54", "")),
    ],
)
def test_a_readable_prefix(value: float, unit: str, shown: tuple[str, str]) -> None:
    assert show_value(tco.Q(value, unit), unit) == shown


def test_a_range_is_shown_in_the_unit_of_its_value() -> None:
    energy = tco.Q(0.002, "kWh")
    assert show_range(energy, 0.001, 0.003, readable_unit(energy, "kWh")) == "1 to 3"
    assert show_range(energy, None, 0.003, "Wh") == "2 to 3"
    assert show_range(energy, None, None, "Wh") == ""
    assert show_range(energy, 0.002, 0.002, "Wh") == ""


def named(name: str) -> tco.Estimate:
    run = tco.Run.model_validate({"name": name, "energy": "1 kWh", "duration": "1 h", "nodes": 1})
    return tco.estimate(run, region="eu", system="hgx-h100")


@pytest.mark.parametrize("name", HOSTILE)
def test_text_of_the_user_is_text_in_every_format(name: str) -> None:
    estimate = named(name)
    for row in csv.reader(io.StringIO(to_csv(estimate))):
        assert not any(cell.startswith(("=", "+", "@")) for cell in row)
        assert all(not cell.startswith("-") or float(cell) <= 0 for cell in row if cell[:1] == "-")
    page = to_markdown(summary(estimate))
    assert "<script>" not in page
    assert page.splitlines()[0] == f"# {escape(name)}"
    for line in page.splitlines():
        if line.startswith("|"):
            assert len(re.findall(r"(?<!\\)\|", line)) == 6, line
    assert " ".join(name.split())[:20] in " ".join(to_text(summary(estimate)).split())


def test_markdown_escapes_what_it_would_read() -> None:
    assert escape("a|b <i> `x` *y* [z](u)\nw") == r"a\|b \<i\> \`x\` \*y\* \[z\](u) w"


def test_parts_are_shown_in_the_unit_of_their_total() -> None:
    rows = {row.name: row for row in summary(named("x")).rows}
    assert rows["carbon.embodied.host"].unit == rows["carbon.total"].unit
    assert (rows["carbon.total"].depth, rows["carbon.embodied"].depth, rows["carbon.embodied.host"].depth) == (0, 1, 2)


def test_what_is_missing_is_in_every_readable_report() -> None:
    run = tco.Run.model_validate({"name": "x", "energy": "1 kWh"})
    estimate = tco.estimate(run)
    for text in (to_text(summary(estimate)), to_markdown(summary(estimate))):
        flat = " ".join(text.split()).replace("`", "")
        assert "the hardware is not known; name it with --system" in flat
        assert "Not estimated" in flat


def test_no_cost_without_its_method() -> None:
    for name, line in named("x").lines.items():
        if name.startswith("cost."):
            assert line.facts["method"] == "amortised", name
            assert line.facts["currency"] == "EUR", name
