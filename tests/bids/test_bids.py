"""Tenders and bids: published scores, points by their rules, flags, stability, and what a file may get wrong."""

from __future__ import annotations

import importlib.util
import io
import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tco.bids import Bid, Tender, evaluate, read_bid, read_tender
from tco.cli import main
from tco.errors import TcoError
from tco.formulas import award
from tco.records.base import validate
from tco.reports.evaluation import tables
from tco.reports.tables import TEXT_FORMATS
from tco.reports.workbook.bids import to_workbook
from tco.reports.workbook.template import to_template

ROOT = Path(__file__).resolve().parent.parent.parent
DATA = ROOT / "tests" / "data" / "bids"
HALL, LANL = DATA / "hall" / "tender.toml", DATA / "lanl" / "tender.toml"
#: Cells I17, I33 and J45 of SSNI-baseline.xlsx, LANL ATS-5 benchmark suite, BSD-3-Clause.
PUBLISHED = (11.996091205211728, 12.001146579804571, 13.34201954397394)

_spec = importlib.util.spec_from_file_location("reports_conftest", ROOT / "tests" / "reports" / "conftest.py")
assert _spec is not None
assert _spec.loader is not None
helpers = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(helpers)


@pytest.fixture(scope="module")
def hall() -> Any:
    return evaluate(HALL)


# ---- the published scores -------------------------------------------------------------------------------------------


def test_the_three_scores_of_the_procurement_come_out() -> None:
    found = evaluate(LANL)
    got = [bid.offer.estimate["score.improvement"].value for bid in found.bids]
    assert got == pytest.approx(PUBLISHED, rel=1e-14)
    assert [bid.rank for bid in found.bids] == [3, 2, 1]


def test_weights_are_spread_over_what_a_bidder_offers() -> None:
    third = evaluate(LANL).bids[2]
    assert third.offer.omitted == ("Branson", "Parthenon-VIBE", "UMT_P1", "UMT_P2")
    assert third.offer.estimate["score.improvement"].value == pytest.approx(PUBLISHED[2], rel=1e-14)
    kept = [
        n.value
        for n in third.offer.estimate.graph.inputs()
        if n.name.endswith(".weight") and n.name.replace(".weight", ".figure") in third.offer.estimate.graph.named
    ]
    assert sum(kept) == pytest.approx(0.45, rel=1e-12)  # cell F45


def test_the_fixture_holds_what_the_published_workbook_holds(shared: Path) -> None:
    book = openpyxl.load_workbook(shared / "facts/costs/samples/lanl_ats5_ssni_baseline.xlsx", data_only=True).active
    assert [book[cell].value for cell in ("I17", "I33", "J45")] == list(PUBLISHED)
    tender = read_tender(LANL)
    first = [(book[f"F{row}"].value, book[f"C{row}"].value) for row in range(7, 17)]
    assert [(b.weight.value, b.reference.value) for b in tender.benchmark] == first
    assert tender.reference_nodes is not None
    assert tender.reference_nodes.value == book["B7"].value
    for file, rows in (("thin", range(7, 17)), ("fat", range(23, 33)), ("secondary", range(39, 45))):
        bid = read_bid(LANL.parent / f"{file}.toml")
        assert bid.nodes.value == book[f"D{rows[0]}"].value
        assert [each.figure.value for each in bid.benchmarks] == pytest.approx(
            [book[f"E{r}"].value for r in rows], rel=1e-14
        )


@pytest.mark.filterwarnings("ignore")
def test_the_scores_are_live_in_the_workbook(tmp_path: Path) -> None:
    content = to_workbook(evaluate(LANL))
    cells = helpers.Model(content, tmp_path)
    found = cells.calculate()
    for key, value in zip(
        ("example_1_thin_nodes", "example_2_fat_nodes", "example_3_secondary_n"), PUBLISHED, strict=True
    ):
        name = next(n for n in cells.places if n.startswith(f"out.{key}") and n.endswith(".score.improvement"))
        sheet, cell = cells.places[name]
        assert found[(sheet.upper(), cell.replace("$", ""))] == pytest.approx(value, rel=1e-13)


# ---- the evaluation -------------------------------------------------------------------------------------------------


def test_totals_are_sums_of_the_price_lines(hall: Any) -> None:
    """By hand: 36 x 231,000 + 910,000 + 160,000 EUR bought by Alpha; the option is not counted."""
    alpha, beta, gamma = (bid.offer.estimate for bid in hall.bids)
    assert alpha["cost.npv.capex"].value == pytest.approx(36 * 231_000 + 910_000 + 160_000, rel=1e-12)
    rate = beta.graph["fx.usd_eur"].value
    assert beta["cost.npv.hardware"].value == pytest.approx(40 * 248_000 * rate, rel=1e-12)
    # NIST Handbook 135: five payments at 3 % are worth 4.579707 of one.
    assert alpha["cost.npv.maintenance"].value == pytest.approx(310_000 * 4.579707, rel=1e-6)
    for estimate in (alpha, beta):
        for total in ("cost.npv.capex", "cost.npv.opex", "cost.npv.total", "carbon.total"):
            line = estimate[total]
            assert sum(estimate[part].value for part in line.parts) == pytest.approx(line.value, rel=1e-12)
    assert "cost.npv.total" not in gamma
    reasons = {missing.line: missing.reason for missing in gamma.missing}
    assert reasons["cost.npv.network"] == "the line 'Ethernet fabric' has no price"


def test_energy_is_load_and_idle_over_the_horizon(hall: Any) -> None:
    """Alpha: 36 nodes, 9.1 kW for 85 % and 2.4 kW for 15 % of 5 x 8,760 h, times a PUE of 1.25."""
    alpha = hall.bids[0].offer.estimate
    expected = 36 * (9.1 * 0.85 + 2.4 * 0.15) * 5 * 8760
    assert alpha.value("energy.it", "kWh") == pytest.approx(expected, rel=1e-12)
    assert alpha.value("energy.facility", "kWh") == pytest.approx(expected * 1.25, rel=1e-12)
    assert alpha.value("carbon.embodied", "kgCO2e") > 0


def test_points_by_hand(hall: Any) -> None:
    alpha, beta, gamma = hall.bids
    assert alpha.points[0] == 100
    assert beta.points[0] == pytest.approx(100 * alpha.values[0] / beta.values[0], rel=1e-12)
    assert alpha.points[1] == pytest.approx(100 * alpha.values[1] / beta.values[1], rel=1e-12)
    assert (alpha.points[2], beta.points[2]) == (pytest.approx(70), pytest.approx(90))
    assert beta.total == pytest.approx(0.5 * beta.points[0] + 0.35 * 100 + 0.15 * 90, rel=1e-12)
    assert (gamma.admitted, gamma.rank, gamma.total) == (False, None, 0.0)
    assert hall.winner is beta


def test_flags_of_every_kind(hall: Any) -> None:
    codes = [{(flag.code, flag.where) for flag in bid.offer.flags} for bid in hall.bids]
    assert codes[0] == {
        ("projected", "I/O <mixed>"), ("indexed", "Maintenance, next business day"), ("option", "Second hot aisle"),
    }  # fmt: skip
    assert codes[1] == {
        ("benchmark-omitted", "I/O <mixed>"),
        ("currency", "Node"),
        ("index-not-allowed", "Node"),
        ("validity", "valid_until"),
    }
    assert codes[2] == {
        ("missing", "idle_power"), ("vat", "Maintenance"), ("missing", "Ethernet fabric"), ("late", "delivery"),
    }  # fmt: skip
    unmet = {each.name for each in hall.bids[2].mandatory if each.met is False}
    assert unmet == {"power", "floor area", "delivery"}


def test_wins_are_shares_and_the_same_seed_gives_the_same(hall: Any) -> None:
    assert sum(bid.wins for bid in hall.bids) == pytest.approx(1, abs=1e-12)
    again = evaluate(HALL, seed=1)
    assert [bid.wins for bid in again.bids] == [bid.wins for bid in hall.bids]
    assert all(bid.wins is None for bid in evaluate(HALL, samples=0).bids)


def close_race(prices: tuple[str, str]) -> Any:
    tender = validate(Tender, {
        "name": "race", "horizon": "5 year", "utilisation": 1, "currency": "EUR",
        "criterion": [{"name": "cost", "line": "cost.npv.capex", "weight": 1.0}],
    }, "t")  # fmt: skip
    bids = [
        validate(Bid, {"bidder": name, "nodes": 1, "prices": [
            {"item": "all", "category": "hardware", "unit_price": price}]}, name)
        for name, price in zip(("a", "b"), prices, strict=True)
    ]  # fmt: skip
    return evaluate(tender, bids)


def ranged(value: float, low: float, high: float) -> dict[str, Any]:
    return {"value": value, "unit": "EUR", "low": low, "high": high, "distribution": "uniform"}


def test_two_like_bids_each_win_half_of_the_samples(tmp_path: Path) -> None:
    """Each price uniform on its own between 90 and 110: by symmetry one half, +-5 standard errors of 20,000 samples."""
    found = close_race((ranged(100, 90, 110), ranged(100, 90, 110)))  # type: ignore[arg-type]
    assert found.bids[0].wins == pytest.approx(0.5, abs=5 * (0.25 / 20_000) ** 0.5)
    assert all(bid.tied and bid.rank == 1 for bid in found.bids)


def test_the_share_of_wins_of_two_uniform_prices(tmp_path: Path) -> None:
    """A on 90..110 against a fixed 105: A is lower in three quarters of the cases."""
    found = close_race((ranged(100, 90, 110), "105 EUR"))  # type: ignore[arg-type]
    assert found.bids[0].wins == pytest.approx(0.75, abs=5 * (0.1875 / 20_000) ** 0.5)


def test_the_winner_changes_where_prices_meet(tmp_path: Path) -> None:
    found = close_race(("100 EUR", "125 EUR"))
    by_name = {each.what: each for each in found.switches}
    assert by_name["prices of a"].then == pytest.approx(1.25, rel=1e-6)
    assert by_name["prices of b"].then == pytest.approx(0.8, rel=1e-6)
    assert (by_name["prices of a"].winner, by_name["prices of b"].winner) == ("b", "b")


def test_the_winner_changes_where_the_tariff_outweighs_the_price() -> None:
    """A costs 1,000 more and draws 1 kW less for 8,760 h: they meet at 1,000 / 8,760 EUR/kWh at a PUE of 1."""
    tender = validate(Tender, {
        "name": "t", "horizon": "1 year", "utilisation": 1, "currency": "EUR", "region": "de",
        "inputs": {"site.pue": 1, "site.tariff": "0.05 EUR/kWh"},
        "criterion": [{"name": "cost", "line": "cost.npv.total", "weight": 1.0}],
    }, "t")  # fmt: skip
    bids = [
        validate(Bid, {"bidder": name, "nodes": 1, "power": power, "prices": [
            {"item": "all", "category": "hardware", "unit_price": price}]}, name)
        for name, power, price in (("thrifty", "4 kW", "11000 EUR"), ("cheap", "5 kW", "10000 EUR"))
    ]  # fmt: skip
    found = evaluate(tender, bids, samples=0)
    switch = next(each for each in found.switches if each.what == "site.tariff")
    assert found.winner is not None
    assert found.winner.offer.bid.bidder == "cheap"
    assert switch.then == pytest.approx(1000 / 8760, rel=1e-6)
    assert switch.winner == "thrifty"


# ---- laws of the rules ----------------------------------------------------------------------------------------------

positive = st.floats(1e-3, 1e6)


@given(positive, positive, st.floats(1, 1000))
def test_less_cost_never_gets_less_points(a: float, b: float, most: float) -> None:
    low, high = sorted((a, b))
    best = min(a, b)
    assert award.points_of_lowest(low, best, most) >= award.points_of_lowest(high, best, most) > 0
    assert award.points_of_highest(high, max(a, b), most) == pytest.approx(most)


@given(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3), st.floats(1, 100))
def test_points_on_a_line_stay_between_none_and_all(value: float, full: float, most: float) -> None:
    none = full + 7.0
    points = float(award.points_between(value, full, none, most))
    assert 0 <= points <= most * (1 + 1e-12)
    assert float(award.points_between(full, full, none, most)) == pytest.approx(most)
    assert float(award.points_between(none, full, none, most)) == 0


def test_prices_of_all_scaled_alike_leave_the_points(tmp_path: Path) -> None:
    for scale in (1.0, 17.0):
        found = close_race((f"{100 * scale} EUR", f"{125 * scale} EUR"))
        assert [bid.total for bid in found.bids] == pytest.approx([100, 80], rel=1e-12)


# ---- workbook -------------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore")
def test_the_evaluation_is_live(hall: Any, tmp_path: Path) -> None:
    content = to_workbook(hall)
    cells = helpers.formula_cells(content)
    model = helpers.Model(content, tmp_path)
    found = model.calculate()
    wrong = [(key, formula, value) for key, (formula, value) in cells.items()
             if not helpers.close(found.get((key[0].upper(), key[1])), value)]  # fmt: skip
    assert len(cells) > 900
    assert not wrong, wrong[:4]
    # A price that is changed changes points and rank as the library does.
    changed = model.calculate({"in.beta_compute.price.node.unit_price": 330_000.0})
    tender, bids = read_tender(HALL), [read_bid(HALL.parent / e.file) for e in read_tender(HALL).bid]
    line = bids[1].prices[0]
    assert line.unit_price is not None
    dearer = line.model_copy(
        update={"unit_price": line.unit_price.model_copy(update={"value": 330_000.0, "high": 330_000.0})}
    )
    bids[1] = bids[1].model_copy(update={"prices": (dearer, *bids[1].prices[1:])})
    from tco.bids.build import offer
    from tco.bids.evaluation import _Evaluator

    offers = [offer(tender, bid, entry, HALL.parent) for bid, entry in zip(bids, tender.bid, strict=True)]
    expected = _Evaluator(tender, offers).run(0, 1)
    sheet = openpyxl.load_workbook(io.BytesIO(content))["Scoring"]
    rows = {row[0].value: row[0].row for row in sheet.iter_rows(max_col=1)}
    for place, column in enumerate(("N", "O", "P")):
        assert changed[("SCORING", f"{column}{rows['Total']}")] == pytest.approx(expected.bids[place].total, rel=1e-9)
        assert changed[("SCORING", f"{column}{rows['Rank']}")] == (expected.bids[place].rank or 0)
    assert [bid.rank for bid in expected.bids] != [bid.rank for bid in hall.bids]


@pytest.mark.libreoffice
def test_libreoffice_agrees_with_the_evaluation(hall: Any, tmp_path: Path) -> None:
    if shutil.which("soffice") is None:
        pytest.skip("LibreOffice (soffice) is not installed: workbooks are not recalculated by it")
    content = to_workbook(hall)
    (tmp_path / "e.xlsx").write_bytes(helpers.with_values(content, {}))
    subprocess.run(
        [
            "soffice",
            f"-env:UserInstallation=file://{tmp_path}/profile",
            "--headless",
            "--convert-to",
            "xlsx",
            "--outdir",
            str(tmp_path / "out"),
            str(tmp_path / "e.xlsx"),
        ],
        capture_output=True,
        check=True,
        timeout=300,
    )
    book = openpyxl.load_workbook(tmp_path / "out" / "e.xlsx", data_only=True)
    wrong = [
        key
        for key, (_, value) in helpers.formula_cells(content).items()
        if not helpers.close(book[key[0]][key[1]].value, value)
    ]
    assert not wrong, wrong[:5]


def test_names_of_bidders_are_text(hall: Any) -> None:
    book = openpyxl.load_workbook(io.BytesIO(to_workbook(hall)))
    assert book["Scoring"]["I5"].value == "=Beta|Compute"
    assert book["Scoring"]["I5"].data_type == "s"
    for name, render in TEXT_FORMATS.items():
        text = render(hall.tender.name, tables(hall))
        if name == "csv":
            assert "\n'=Beta|Compute," in text
        if name == "md":
            assert r"=Beta\|Compute" in text
        if name == "latex":
            assert r"=Beta\textbar{}Compute" in text
        if name == "html":
            assert "I/O &lt;mixed&gt;" in text


def test_a_rule_can_be_chosen(hall: Any) -> None:
    book = openpyxl.load_workbook(io.BytesIO(to_workbook(hall)))
    lists = [rule.formula1 for rule in book["Scoring"].data_validations.dataValidation if rule.type == "list"]
    assert lists.count('"lowest,highest,linear"') == 3
    assert [name for name in ("Bids", "Benchmarks", "Scoring") if name in book.sheetnames] == [
        "Bids",
        "Benchmarks",
        "Scoring",
    ]


def test_twelve_bids_take_less_than_five_seconds() -> None:
    tender = read_tender(HALL)
    bids = [read_bid(HALL.parent / "alpha.toml").model_copy(update={"bidder": f"Bidder {n}"}) for n in range(12)]
    tender = tender.model_copy(update={"criterion": tender.criterion[:2]})
    weights = [c.model_copy(update={"weight": 0.5}) for c in tender.criterion]
    begin = time.process_time()
    found = evaluate(tender.model_copy(update={"criterion": tuple(weights)}), bids, folder=HALL.parent)
    content = to_workbook(found)
    assert time.process_time() - begin < 5
    assert len(helpers.formula_cells(content)) > 2000


# ---- files ----------------------------------------------------------------------------------------------------------


def filled(tender: Tender, bid: Bid) -> bytes:
    """The template as a bidder fills it in, with a spreadsheet program."""
    book = openpyxl.load_workbook(io.BytesIO(to_template(tender)))
    offer = book["Offer"]
    rows = {offer.cell(row, 1).value: row for row in range(1, offer.max_row + 1)}
    values: dict[str, Any] = {
        "bidder": bid.bidder,
        "nodes": bid.nodes.value,
        "system": bid.system,
        "power": bid.power.value * 1000 if bid.power else None,
        "idle_power": bid.idle_power.value * 1000 if bid.idle_power else None,
        "rating": bid.rating.value * 1000 if bid.rating else None,
        "floor_area": bid.floor_area.value if bid.floor_area else None,
        "delivery": bid.delivery,
        "valid_until": bid.valid_until,
    }
    for key, value in values.items():
        offer.cell(rows[key], 3).value = value
        if isinstance(value, str):
            offer.cell(rows[key], 3).data_type = "s"
    prices = book["Prices"]
    top = next(row for row in range(1, 9) if prices.cell(row, 1).value == "item")
    keys = {prices.cell(top, column).value: column for column in range(1, prices.max_column + 1)}
    for offset, line in enumerate(bid.prices):
        money, _, per = line.unit_price.unit.partition("/") if line.unit_price else ("", "", "")
        cells = {
            "item": line.item,
            "category": line.category,
            "quantity": line.quantity.value,
            "unit_price": line.unit_price.value if line.unit_price else None,
            "currency": money or None,
            "per": per or "once",
            "terms": line.terms,
            "index": line.index,
            "price_base": line.price_base,
            "option": "yes" if line.option else "no",
            "warranty": line.warranty.value if line.warranty else None,
            "vat_included": "yes" if line.vat_included else "no",
        }
        for key, value in cells.items():
            cell = prices.cell(top + 2 + offset, keys[key])
            cell.value = value
            if isinstance(value, str):
                cell.data_type = "s"
    sheet = book["Benchmarks"]
    top = next(row for row in range(1, 9) if sheet.cell(row, 1).value == "name")
    offered = {each.name: each for each in bid.benchmarks}
    for row in range(top + 2, sheet.max_row + 1):
        each = offered.get(str(sheet.cell(row, 1).value))
        if each is not None:
            sheet.cell(row, 2).value = each.figure.value
            sheet.cell(row, 3).value = "yes" if each.committed else "no"
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize("name", ["alpha", "beta", "gamma"])
def test_a_filled_workbook_is_the_bid_that_was_written(name: str, tmp_path: Path) -> None:
    tender, bid = read_tender(HALL), read_bid(HALL.parent / f"{name}.toml")
    file = tmp_path / "bid.xlsx"
    file.write_bytes(filled(tender, bid))
    back = read_bid(file)
    one = evaluate(tender.model_copy(update={"criterion": ()}), [bid], samples=0, folder=HALL.parent).bids[0].offer
    two = evaluate(tender.model_copy(update={"criterion": ()}), [back], samples=0, folder=HALL.parent).bids[0].offer
    assert {n: line.value for n, line in one.estimate.lines.items()} == pytest.approx(
        {n: line.value for n, line in two.estimate.lines.items()}, rel=1e-12
    )
    assert {f[:2] for f in one.flags} == {f[:2] for f in two.flags}


def test_the_empty_template_names_what_is_missing(tmp_path: Path) -> None:
    file = tmp_path / "bid.xlsx"
    file.write_bytes(to_template())
    with pytest.raises(TcoError) as error:
        read_bid(file)
    assert "bidder: is missing" in str(error.value)
    assert "nodes: is missing" in str(error.value)


def test_a_formula_without_a_value_is_refused(tmp_path: Path) -> None:
    book = openpyxl.load_workbook(io.BytesIO(filled(read_tender(HALL), read_bid(HALL.parent / "alpha.toml"))))
    key = next(c for c in book["Offer"]["A"] if c.value == "nodes")
    book["Offer"].cell(key.row, 3).value = "=3*12"
    book.save(tmp_path / "bid.xlsx")
    with pytest.raises(TcoError, match=rf"Offer!C{key.row}: holds a formula without a value; open and save"):
        read_bid(tmp_path / "bid.xlsx")


def test_what_is_no_workbook_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bid.xlsx").write_text("bidder,nodes\n", encoding="utf-8")
    with pytest.raises(TcoError, match="is not a workbook that can be read"):
        read_bid(tmp_path / "bid.xlsx")
    with pytest.raises(TcoError, match="there is no such file"):
        read_bid(tmp_path / "nowhere.xlsx")
    book = openpyxl.Workbook()
    book.save(tmp_path / "other.xlsx")
    with pytest.raises(TcoError, match=r"no sheet 'Offer'.*tco bids template"):
        read_bid(tmp_path / "other.xlsx")


def tender_with(**changes: Any) -> dict[str, Any]:
    return {"name": "t", "horizon": "5 year", "utilisation": 0.9, **changes}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"criterion": [{"name": "a", "line": "cost.npv.total", "weight": 0.4}]},
            "add up to 0.4; they must add up to 1",
        ),
        (
            {"criterion": [{"name": "a", "line": "x", "weight": 1, "rule": "linear"}]},
            "needs two different values 'full' and 'none'",
        ),
        ({"criterion": [{"name": "a", "line": "x", "weight": 1, "at_most": 3}]}, "say kind = 'mandatory'"),
        ({"criterion": [{"name": "a", "line": "x", "kind": "mandatory"}]}, "needs 'at_most' or 'at_least'"),
        ({"benchmark": [{"name": "b", "weight": 1, "reference": 2}]}, "benchmarks need 'reference_nodes'"),
        ({"horizon": "5 kW"}, "is a power, not a time"),
        ({"utilisation": 90}, "did you mean 0.9?"),
        ({"criteria": []}, "did you mean 'criterion'?"),
    ],
)
def test_a_tender_that_does_not_fit_says_what_would(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(TcoError, match=re.escape(words)):
        validate(Tender, tender_with(**changes), "t.toml")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ({"item": "a", "category": "hardware", "unit_price": "5 EUR/year"}, "is bought once (hardware)"),
        ({"item": "a", "category": "support", "unit_price": "5 EUR"}, "write '1000 EUR/year'"),
        ({"item": "a", "category": "hardwear"}, "hardwear"),
        ({"item": "a", "category": "hardware", "unit_price": "-5 EUR"}, "must be at least 0"),
        ({"item": "a", "category": "hardware", "unit_price": "5 kW"}, "has no currency"),
    ],
)
def test_a_price_line_that_does_not_fit_says_what_would(line: dict[str, Any], words: str) -> None:
    with pytest.raises(TcoError, match=re.escape(words)):
        validate(Bid, {"bidder": "b", "nodes": 1, "prices": [line]}, "b.toml")


def test_what_does_not_fit_together(tmp_path: Path) -> None:
    bid = validate(Bid, {"bidder": "b", "nodes": 1}, "b")
    tender = validate(Tender, tender_with(criterion=[{"name": "a", "line": "cost.npv.totl", "weight": 1}]), "t")
    with pytest.raises(TcoError, match=r"no bid has a line or input 'cost\.npv\.totl'"):
        evaluate(tender, [bid])
    with pytest.raises(TcoError, match="names no bids"):
        evaluate(validate(Tender, tender_with(), "t"))
    with pytest.raises(TcoError, match="two bids are from 'b'"):
        evaluate(validate(Tender, tender_with(), "t"), [bid, bid])
    named = bid.model_copy(update={"benchmarks": read_bid(LANL.parent / "fat.toml").benchmarks})
    with pytest.raises(TcoError, match="benchmark 'Branson' is not in the tender"):
        evaluate(validate(Tender, tender_with(), "t"), [named])


def test_an_omission_can_be_refused() -> None:
    tender = read_tender(LANL).model_copy(update={"omission": "refuse"})
    found = evaluate(tender, [read_bid(LANL.parent / f"{name}.toml") for name in ("thin", "secondary")], samples=0)
    assert "score.improvement" not in found.bids[1].offer.estimate
    assert (found.bids[0].rank, found.bids[1].points) == (1, (0.0,))


# ---- the command ----------------------------------------------------------------------------------------------------


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["tco", *map(str, arguments)])
        try:
            main()
            code = 0
        except SystemExit as stop:
            code = int(stop.code or 0)
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_the_command(command: Any, tmp_path: Path) -> None:
    code, out, err = command("bids", HALL)
    assert (code, err) == (0, "")
    for words in ("=Beta|Compute", "not admitted", "Where another bid wins", "index-not-allowed"):
        assert words in out
    assert max(map(len, out.splitlines())) <= 120
    code, out, _ = command("bids", HALL, "--format", "json", "--samples", 0)
    data = json.loads(out)
    assert (code, data["schema"], data["winner"]) == (0, "tco.evaluation/1", "=Beta|Compute")
    for suffix in ("xlsx", "html", "md", "tex", "csv", "json", "txt"):
        assert command("bids", HALL, "-o", tmp_path / f"e.{suffix}")[0] == 0
        assert (tmp_path / f"e.{suffix}").stat().st_size > 500
    assert command("bids", "template", HALL, "-o", tmp_path / "b.xlsx")[0] == 0
    assert openpyxl.load_workbook(tmp_path / "b.xlsx").sheetnames == ["Offer", "Prices", "Benchmarks"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["bids", "nowhere.toml"], "nowhere.toml"),
        (["bids", HALL, "-o", "e.pdf"], "the suffix '.pdf' says no format"),
        (["bids", HALL, "-f", "xlsx"], "name it with -o evaluation.xlsx"),
        (["bids", HALL, "-f", "jsn"], "did you mean 'json'?"),
        (["bids", "template", "-o", "b.csv"], "a bid workbook is an .xlsx file"),
    ],
)
def test_bad_input_is_a_message(command: Any, arguments: list[object], words: str) -> None:
    code, out, err = command(*arguments)
    assert code == 2
    assert words in err
    assert "Traceback" not in out + err
