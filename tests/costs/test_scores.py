"""The bid scores of LANL ATS-5, from the cells of their workbook."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tco.errors import EstimateError
from tco.estimation.scores import scaled_improvement

#: first and last row of the benchmarks, and the cell of the score
SHEETS = [(7, 16, "I17", 11.996091205211728), (23, 32, "I33", 12.001146579804571), (39, 44, "J45", 13.34201954397394)]


@pytest.mark.parametrize(("first", "last", "cell", "score"), SHEETS)
def test_score_of_the_workbook(shared: Path, first: int, last: int, cell: str, score: float) -> None:
    with (shared / "facts" / "costs" / "samples" / "lanl_ats5_ssni_baseline_cells.csv").open(
        encoding="utf-8", newline=""
    ) as file:
        cells = {row["cell"]: row["cached_value"] for row in csv.DictReader(file, strict=True)}
    assert float(cells[cell]) == score
    gains, weights = {}, {}
    for row in range(first, last + 1):
        name = cells[f"A{row}"].strip()
        gains[name] = float(cells[f"E{row}"]) / float(cells[f"C{row}"])
        weights[name] = float(cells[f"F{row}"])
    found = scaled_improvement(float(cells[f"D{first}"]), float(cells[f"B{first}"]), gains, weights)
    assert found == pytest.approx(score, rel=1e-12)


def test_the_three_scores_from_their_inputs(shared: Path) -> None:
    with (shared / "facts" / "costs" / "cases.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file, strict=True) if row["case_id"].startswith("lanl_ssni")]
    cases = sorted({row["case_id"] for row in rows})
    assert len(cases) == 3
    for case in cases:
        own = [row for row in rows if row["case_id"] == case]
        values = {row["symbol"]: float(row["value"]) for row in own}
        weights = {symbol.removeprefix("w_"): value for symbol, value in values.items() if symbol.startswith("w_")}
        gains = dict.fromkeys(weights, values["S"])
        found = scaled_improvement(values["N"], values["N_ref"], gains, weights)
        assert found == pytest.approx(values["SSNI"], rel=1e-12), case


def test_benchmarks_left_out_do_not_count() -> None:
    weights = {"a": 0.5, "b": 0.3, "c": 0.2}
    assert scaled_improvement(100, 100, {"a": 2.0, "b": 8.0}, weights) == pytest.approx(
        scaled_improvement(100, 100, {"a": 2.0, "b": 8.0}, {"a": 0.625, "b": 0.375}), rel=1e-14
    )
    assert scaled_improvement(100, 100, {"a": 4.0, "b": 4.0, "c": 4.0}, weights) == pytest.approx(4.0)


@pytest.mark.parametrize(
    ("gains", "words"),
    [
        ({}, "without any benchmark"),
        ({"a": 0.0}, "benchmark 'a': a gain of 0 must be more than 0"),
        ({"aa": 2.0}, "benchmark 'aa' has no weight; did you mean 'a'?"),
    ],
)
def test_offers_that_have_no_score(gains: dict[str, float], words: str) -> None:
    with pytest.raises(EstimateError) as caught:
        scaled_improvement(1, 1, gains, {"a": 1.0, "b": 1.0})
    assert words in str(caught.value)
