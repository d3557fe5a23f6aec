"""Sweeps, tables of runs and fronts: every point is what ``tco estimate --set`` gives."""

from __future__ import annotations

import csv
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tco
from tco.analysis.axes import parse_axis
from tco.analysis.heat import heat_of
from tco.analysis.pareto import Front, pareto_front
from tco.analysis.sweep import sweep
from tco.analysis.tables import writing
from tco.errors import EstimateError, TcoError, UnitError


@pytest.fixture(scope="module")
def run(examples):
    return examples / "8xh100-day" / "run.json"


def test_every_point_is_the_estimate_with_its_values_stated(run) -> None:
    vary = ["site.pue=1.05:1.6:3", "grid.intensity=20,600", "run.nodes_charged=1,2,4"]
    found = sweep(run, vary, regions=["eu", "us"], currency="EUR")
    frame = found.to_frame()
    assert len(frame) == len(found) == 36
    assert found.structural == ("run.nodes_charged",)  # one node has no network
    for _, row in frame.iterrows():
        stated = {
            "site.pue": row["site.pue"],
            "grid.intensity": f"{row['grid.intensity [gCO2e/kWh]']} g/kWh",
            "run.nodes_charged": row["run.nodes_charged"],
        }
        est = tco.estimate(run, region=row["region"], currency="EUR", set=stated)
        for name in est:
            unit = est[name].unit
            assert row[name if unit == "1" else f"{name} [{unit}]"] == pytest.approx(est[name].value, rel=1e-12), name
        assert np.isnan(row["cost.network [EUR]"]) == ("cost.network" not in est)


def test_pairs(run) -> None:
    frame = sweep(run, {"site.pue": [1.1, 1.2], "system.lifetime": "4,5 year"}, paired=True, region="eu").to_frame()
    assert frame[["site.pue", "system.lifetime [year]"]].to_numpy().tolist() == [[1.1, 4], [1.2, 5]]
    with pytest.raises(EstimateError, match=r"there are: site.pue 2, system.lifetime 3"):
        sweep(run, {"site.pue": [1.1, 1.2], "system.lifetime": [4, 5, 6]}, paired=True, region="eu")


def test_units_are_read_and_what_is_shown_is_in_the_unit_of_the_input(run) -> None:
    frame = sweep(
        run, ["run.power=5,6 kW", "grid.intensity=0.2 kgCO2e/kWh"], region="eu", lines=["energy.it"]
    ).to_frame()
    assert list(frame.columns) == ["run.power [W]", "grid.intensity [gCO2e/kWh]", "energy.it [kWh]"]
    assert frame.to_numpy().tolist() == [[5000, 200, pytest.approx(120)], [6000, 200, pytest.approx(144)]]


def test_texts_of_axes() -> None:
    assert parse_axis("a=1:2:3").values.tolist() == [1, 1.5, 2]
    assert parse_axis("a=1:100:3:log kWh").values.tolist() == pytest.approx([1, 10, 100])
    assert parse_axis("a=1:100:3:log kWh").unit == "kWh"
    assert parse_axis("a=3, 1,2 USD").unit == "USD"


@pytest.mark.parametrize(
    ("vary", "words"),
    [
        (["site.pue"], "does not say what to vary and how; write for instance site.pue=1.05:1.6:12"),
        (["site.pue=a,b"], "does not say what to vary"),
        (["site.pue=1:2:1"], "write at least 2"),
        (["site.pue=0:2:3:log"], "equal ratios need both ends above 0"),
        (["site.pue=1.1", "site.pue=1.2"], "site.pue is to vary twice"),
        (["site.peu=1.1,1.2"], "'site.peu' is not an input of this estimate; did you mean 'site.pue'?"),
        (["site.pue=0.5,1.2"], "site.pue: 0.5 is below 1"),
        (["run.power=5,6 kWh"], "is an energy, not a power"),
        (["run.power=5,6 KW"], "unknown unit 'KW'"),
        ([], "nothing varies"),
    ],
)
def test_what_cannot_be_swept(run, vary: list[str], words: str) -> None:
    with pytest.raises(TcoError) as caught:
        sweep(run, vary, region="eu")
    assert words in str(caught.value)


def test_places_with_two_currencies_need_one(run) -> None:
    with pytest.raises(EstimateError, match=r"in EUR elsewhere and in USD in 'us'; choose one with --currency"):
        sweep(run, ["site.pue=1.1,1.2"], regions=["eu", "us"])


def test_tables_hold_all_points_at_full_precision(run, tmp_path) -> None:
    found = sweep(
        run,
        ["site.pue=1.05:1.6:7", "run.nodes_charged=1,2"],
        regions=["eu", "fr"],
        lines=["cost.network", "cost.total"],
    )
    expected = found.to_frame()
    for name in ("table.csv", "table.parquet"):
        with writing(tmp_path / name, found.columns) as table:
            for chunk in found.chunks(5):
                table.write(chunk)
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "table.parquet"), expected, check_dtype=False)
    with (tmp_path / "table.csv").open(encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert rows[0] == list(expected.columns)
    assert rows[1][-2] == ""  # no network, not 0
    assert float(rows[-1][-1]) == expected.iloc[-1, -1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["table.csv", "table.parquet"]


def test_a_table_that_breaks_off_leaves_nothing(run, tmp_path) -> None:
    found = sweep(run, ["site.pue=1.1,1.2"], region="eu")

    def break_off() -> None:
        with writing(tmp_path / "table.csv", found.columns) as table:
            table.write(next(found.chunks()))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        break_off()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(TcoError, match=r"use one of .csv, .parquet"), writing(tmp_path / "table.xls", found.columns):
        pass


def test_a_heat_map_is_of_a_grid_of_two(run) -> None:
    vary = ["site.pue=1.1,1.2,1.3", "grid.intensity=100,200"]
    heat = heat_of(sweep(run, vary, region="eu"), "carbon.operational")
    assert heat.values.tolist() == [
        [pytest.approx(134.4 * pue * gram / 1000) for gram in (100, 200)] for pue in (1.1, 1.2, 1.3)
    ]
    for found, line, words in (
        (sweep(run, vary, region="eu", paired=False), None, "name it with --line"),
        (sweep(run, vary[:1], region="eu"), "carbon.total", "a full grid of two inputs"),
    ):
        with pytest.raises(EstimateError, match=words):
            heat_of(found, line)


POINTS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=40)


@given(POINTS, st.integers(1, 7))
def test_the_front_is_what_nothing_beats(points: list[tuple[int, int]], size: int) -> None:
    cost, carbon = (np.array(column, dtype=float) for column in zip(*points, strict=True))
    front = {points[place] for place in pareto_front(cost, carbon)}
    best = {p for p in points if not any(q[0] <= p[0] and q[1] <= p[1] and q != p for q in points)}
    assert front == best
    streamed = Front("cost", "carbon")
    for start in range(0, len(points), size):
        streamed.add({"cost": cost[start : start + size], "carbon": carbon[start : start + size]})
    assert set(zip(streamed.points["cost"], streamed.points["carbon"], strict=True)) == best


def test_a_point_without_a_number_is_not_on_the_front() -> None:
    assert pareto_front(np.array([np.nan, 1.0]), np.array([0.0, 1.0])).tolist() == [1]
    assert pareto_front(np.array([np.nan]), np.array([0.0])).tolist() == []


# ---- many runs ----------------------------------------------------------------------------------------------------


def table(rows: int) -> pd.DataFrame:
    random = np.random.default_rng(2)
    return pd.DataFrame(
        {
            "run.duration [min]": random.uniform(60, 6000, rows),
            "run.power [kW]": random.uniform(3, 8, rows),
            "site.pue": random.uniform(1.1, 1.6, rows),
            "run.nodes_charged": random.integers(1, 4, rows).astype(float),
            "region": random.choice(["eu", "fr"], rows),
        },
        index=[f"job {i}" for i in range(rows)],
    )


def test_every_row_is_the_estimate_of_its_run(run) -> None:
    runs = table(12)
    found = tco.estimate_many(runs, run)
    assert list(found.index) == list(runs.index)
    for name, row in runs.iterrows():
        stated = {
            "run.duration": f"{row['run.duration [min]']!r} min",
            "run.power": f"{row['run.power [kW]']!r} kW",
            "site.pue": row["site.pue"],
            "run.nodes_charged": row["run.nodes_charged"],
        }
        est = tco.estimate(run, region=row["region"], set=stated)
        for line in est:
            unit = est[line].unit
            heading = line if unit == "1" else f"{line} [{unit}]"
            assert found.loc[name, heading] == pytest.approx(est[line].value, rel=1e-11), line


def test_a_parquet_file_of_runs_into_another(run, tmp_path) -> None:
    runs = table(50)
    runs.to_parquet(tmp_path / "runs.parquet", index=False)
    kept = tco.estimate_many(tmp_path / "runs.parquet", run, lines=["carbon.total", "cost.total"])
    tco.estimate_many(
        tmp_path / "runs.parquet", run, lines=["carbon.total", "cost.total"], output=tmp_path / "out.parquet"
    )
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "out.parquet"), kept)
    assert list(kept.columns) == ["carbon.total [kgCO2e]", "cost.total [EUR]"]
    (tmp_path / "no.parquet").write_text("x")
    with pytest.raises(TcoError, match="cannot be read as Parquet"):
        tco.estimate_many(tmp_path / "no.parquet", run)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"run.duraton": [1.0]}, "column 'run.duraton' is no input of this estimate; did you mean 'run.duration'?"),
        ({"run.duration [kg]": [1.0]}, "column 'run.duration [kg]': '1 kg' is a mass, not a time"),
        ({"site.pue": ["a"]}, "column 'site.pue': holds text"),
        ({"site.pue": [1.1, None]}, "column 'site.pue': row 1 is empty"),
        ({"site.pue": [1.1, 0.5]}, "site.pue: 0.5 is below 1"),
        ({"site.pue": [1.1], "region": ["xx"]}, "region 'xx' is not known"),
        ({"site.pue": [1.1], "region": [None]}, "column 'region': row 0 is empty"),
        ({"site.pue": []}, "the table holds no rows"),
    ],
)
def test_what_is_wrong_with_a_table(run, columns: dict[str, list[object]], words: str) -> None:
    with pytest.raises(TcoError, match=re.escape(words)):
        tco.estimate_many(pd.DataFrame(columns), run, region="eu")


def test_another_currency_in_a_column_is_refused_as_for_one_run(run) -> None:
    with pytest.raises((EstimateError, UnitError), match=r"fx.usd_eur"):
        tco.estimate_many(pd.DataFrame({"system.price [USD]": [2e5]}), run, region="eu")
