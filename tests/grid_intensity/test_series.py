"""Grid intensity by time: stamps, steps, gaps, and the match with a power."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tco.errors import EstimateError, ReadError
from tco.grid_intensity import Profile, Reading, Series, match, read_series, schedule, write_series
from tco.grid_intensity.series import SeriesAbout, stamp
from tco.grid_intensity.stamps import instants, steps

HOUR = 3600.0
DATA = Path(__file__).resolve().parents[1] / "data" / "grid"


def series_of(text: str, tmp_path: Path, **how) -> Series:
    path = tmp_path / "series.csv"
    path.write_text(text, encoding="utf-8")
    return read_series(path, Reading(**how))


def refusal(text: str, tmp_path: Path, **how) -> str:
    with pytest.raises(ReadError) as caught:
        series_of(text, tmp_path, **how)
    return str(caught.value)


def at(text: str) -> float:
    return float(instants([text], [0], "", None)[0])


# ---- years of real data (samples/grid/MANIFEST.csv) ----


@pytest.mark.parametrize(
    ("file", "direct", "lifecycle", "estimated"),
    [("em_us_cal_ciso_2023_hourly_utc.csv", 193.46, 261.16, 3), ("em_es_2023_hourly_utc.csv", 117.83, 160.12, 14)],
)
def test_a_year_of_hours(shared: Path, file: str, direct: float, lifecycle: float, estimated: int) -> None:
    path = shared / "samples" / "grid" / file
    for basis, mean in (("direct", direct), ("lifecycle", lifecycle)):
        series = read_series(path, Reading(column=f"{basis}_gco2e_per_kwh"))
        assert (len(series), series.missing_s, series.about.basis) == (8760, 0, basis)
        assert series.mean == pytest.approx(mean, abs=0.005)
        assert (stamp(series.begin), stamp(series.end)) == ("2023-01-01T00:00Z", "2024-01-01T00:00Z")
        assert series.about.notes == (f"{estimated} of 8760 values are estimates of the source",)
        assert read_series(path, Reading(basis=basis)).mean == series.mean
    with pytest.raises(ReadError, match="2 columns may be meant: direct_gco2e_per_kwh, lifecycle_gco2e_per_kwh"):
        read_series(path)


@pytest.mark.parametrize(("week", "rows", "mean"), [("spring", 167, 274.933), ("autumn", 169, 284.494)])
def test_weeks_of_clock_changes_lose_and_repeat_no_hour(
    shared: Path, tmp_path: Path, week: str, rows: int, mean: float
):
    source = shared / "samples" / "grid" / f"us_cal_ciso_2023_dst_{week}.csv"
    lines = [line.split(",") for line in source.read_text(encoding="utf-8").splitlines()]
    in_utc = read_series(source)
    assert (len(in_utc), in_utc.missing_s) == (rows, 0)
    assert in_utc.mean == pytest.approx(mean, abs=0.0005)
    for column in ("local_with_offset", "local_naive"):
        index = lines[0].index(column)
        text = "\n".join(f"{row[index]},{row[3]}" for row in lines) + "\n"
        local = series_of(text, tmp_path, zone="America/Los_Angeles")
        assert (local.start_s == in_utc.start_s).all()
        assert (local.end_s == in_utc.end_s).all()
        assert (local.value == in_utc.value).all()


@pytest.mark.parametrize(
    ("season", "day", "quarters", "energy_mwh"),
    [("spring", "2017-03-26", 92, 10_025_121.2), ("autumn", "2017-10-29", 100, 10_292_644.5)],
)
def test_german_quarter_hours(shared: Path, season: str, day: str, quarters: int, energy_mwh: float) -> None:
    source = shared / "samples" / "grid" / f"de_2017_generation_15min_dst_{season}.csv"
    how = {"stated_fuels": {"oil": 650.0}, "without": ("other", "other renewable", "waste")}
    series = read_series(source, Reading(fuels="ipcc-2014", **how))
    rows = [line.split(",") for line in source.read_text(encoding="utf-8").splitlines()[1:]]
    assert len(series) == len(rows)
    assert set((series.end_s - series.start_s).tolist()) == {900.0}
    of_day = [index for index, row in enumerate(rows) if row[0].startswith(day)]
    assert len(of_day) == quarters
    span = series.end_s[of_day[-1]] - series.start_s[of_day[0]]
    assert span == quarters * 900
    power = np.array([[float(cell or "nan") for cell in row[2:]] for row in rows])
    delivered = np.nansum(power * (series.end_s - series.start_s)[:, None]) / HOUR
    assert delivered == pytest.approx(energy_mwh, abs=0.0501)
    assert "% of the generation left out" in " ".join(series.about.notes)


def test_steps_of_unlike_length_weigh_by_their_length(shared: Path) -> None:
    series = read_series(shared / "samples" / "grid" / "synthetic_mixed_resolution.csv")
    assert series.mean == pytest.approx(167.5, abs=1e-9)
    assert float(np.mean(series.value)) == pytest.approx(178.3333, abs=5e-5)  # the wrong, plain mean
    assert (len(series), series.missing_s) == (24, 0)


# ---- the plain form ----


def test_the_plain_form_reads_back_the_same(tmp_path: Path) -> None:
    about = SeriesAbout("made up", region="DE", basis="direct", scope="production", gas="CO2", notes=('say "so" \\',))
    series = Series(
        np.array([0.0, HOUR, 3 * HOUR]),
        np.array([HOUR, 2 * HOUR, 3.5 * HOUR]),
        np.array([0.1 + 0.2, np.nan, 7.0]),
        about,
    )
    write_series(series, tmp_path / "plain.csv")
    again = read_series(tmp_path / "plain.csv")
    for name in ("start_s", "end_s", "value"):
        np.testing.assert_array_equal(getattr(again, name), getattr(series, name))
    for name in ("title", "region", "basis", "scope", "gas", "notes"):
        assert getattr(again.about, name) == getattr(about, name)
    first = (tmp_path / "plain.csv").read_bytes()
    write_series(series, tmp_path / "plain.csv")
    assert (tmp_path / "plain.csv").read_bytes() == first


@given(
    st.lists(
        st.tuples(st.sampled_from([300, 900, 1800, 3600]), st.booleans(), st.floats(0, 2000)), min_size=1, max_size=40
    )
)
def test_any_series_survives_the_plain_form(rows) -> None:
    from tco.grid_intensity.formats.options import Reading
    from tco.grid_intensity.formats.read import from_bytes
    from tco.grid_intensity.formats.write import to_text

    start, starts, ends, values = 1_700_000_100.0, [], [], []
    for length, gap, value in rows:
        start += 3600.0 if gap else 0.0
        starts.append(start)
        start += length
        ends.append(start)
        values.append(value)
    series = Series(np.array(starts), np.array(ends), np.array(values))
    again = from_bytes(to_text(series).encode(), "x.csv", Reading())
    np.testing.assert_array_equal(again.start_s, series.start_s)
    np.testing.assert_array_equal(again.end_s, series.end_s)
    np.testing.assert_array_equal(again.value, series.value)


# ---- stamps ----


# Case A28: stamps without a zone; the machine's zone is never used.
def test_a_stamp_without_a_zone_is_refused(tmp_path: Path) -> None:
    text = "datetime,g_per_kWh\n2026-01-01 00:00:00,100\n2026-01-01 01:00:00,100\n"
    assert refusal(text, tmp_path) == (
        f"{tmp_path / 'series.csv'}:2: '2026-01-01 00:00:00' has neither an offset nor a zone; say which with --tz, "
        "for instance --tz UTC or --tz Europe/Berlin"
    )
    assert stamp(series_of(text, tmp_path, zone="Europe/Berlin").begin) == "2025-12-31T23:00Z"
    assert "'Europe/Berln' is not a time zone" in refusal(text, tmp_path, zone="Europe/Berln")


# Case A25: the hour that exists twice.
def test_the_repeated_hour_of_autumn_is_kept(tmp_path: Path) -> None:
    rows = ["2025-10-26T01:00+02:00,100", "2025-10-26T02:00+02:00,200", "2025-10-26T02:00+01:00,400",
            "2025-10-26T03:00+01:00,100"]  # fmt: skip
    offset = series_of("datetime,g_per_kWh\n" + "\n".join(rows) + "\n", tmp_path)
    naive = [row.replace("+02:00", "").replace("+01:00", "") for row in rows]
    local = series_of("datetime,g_per_kWh\n" + "\n".join(naive) + "\n", tmp_path, zone="Europe/Berlin")
    for series in (offset, local):
        assert (len(series), series.missing_s, series.end - series.begin) == (4, 0, 4 * HOUR)
        assert match(series, Profile.constant(series.begin, series.end)).intensity == pytest.approx(200.0, rel=1e-12)


def test_local_clocks_that_cannot_be_told_are_refused(tmp_path: Path) -> None:
    once = "datetime,value\n2025-10-26T01:00,1\n2025-10-26T02:00,1\n2025-10-26T03:00,1\n"
    assert "2025-10-26 02:00 exists twice in Europe/Berlin and stands once" in refusal(
        once, tmp_path, zone="Europe/Berlin"
    )
    never = "datetime,value\n2025-03-30T01:00,1\n2025-03-30T02:00,1\n2025-03-30T03:00,1\n"
    assert "2025-03-30 02:00 does not exist in Europe/Berlin" in refusal(never, tmp_path, zone="Europe/Berlin")


# One operator repeats the stamp of two o'clock and skips the repeated one o'clock on the night of autumn.
def test_stamps_that_repeat_the_wrong_hour_are_refused(tmp_path: Path) -> None:
    text = "datetime,value\n" + "".join(f"2025-11-02T0{hour}:00,1\n" for hour in (0, 1, 2, 2, 3))
    assert "2025-11-02 01:00 exists twice in America/Chicago" in refusal(text, tmp_path, zone="America/Chicago")
    without = "datetime,value\n" + "".join(f"2025-11-02T0{hour}:00,1\n" for hour in (2, 2, 3))
    assert "stands twice" in refusal(without, tmp_path, zone="America/Chicago")


# Case A27: hours 1 to 24 are labelled by their end, and a file that does not say is not guessed.
def test_hours_by_number(tmp_path: Path) -> None:
    text = "date,hour,g_per_kWh\n2026-01-01,1,100\n2026-01-01,2,500\n"
    assert "neither an hour 0 nor an hour 24" in refusal(text, tmp_path, zone="Europe/Berlin")
    assert "date and hour have no zone" in refusal(text, tmp_path, labels="end")
    ending = series_of(text, tmp_path, zone="Europe/Berlin", labels="end")
    assert stamp(ending.begin) == "2025-12-31T23:00Z"  # 00:00 local
    assert match(ending, Profile.constant(ending.begin, ending.begin + HOUR)).intensity == 100.0
    starting = series_of(text, tmp_path, zone="Europe/Berlin", labels="start")
    assert stamp(starting.begin) == "2026-01-01T00:00Z"


def test_hours_up_to_24_end_and_hours_from_0_start(tmp_path: Path) -> None:
    ending = "date,hour,g_per_kWh\n" + "".join(f"2026-01-01,{hour},{hour}\n" for hour in range(1, 25))
    starting = "date,hour,g_per_kWh\n" + "".join(f"2026-01-01,{hour},{hour + 1}\n" for hour in range(24))
    both = [series_of(text, tmp_path, zone="UTC") for text in (ending, starting)]
    for series in both:
        assert (stamp(series.begin), stamp(series.end)) == ("2026-01-01T00:00Z", "2026-01-02T00:00Z")
        assert series.value.tolist() == [float(hour) for hour in range(1, 25)]
    assert "holds both an hour 0 and an hour 24" in refusal(ending + "2026-01-02,0,1\n", tmp_path, zone="UTC")
    assert "has an hour 24, so hours are labelled by their end" in refusal(ending, tmp_path, zone="UTC", labels="start")
    assert "hour '26' is not a number" in refusal(ending + "2026-01-02,26,1\n", tmp_path, zone="UTC")


def test_a_25th_hour_counts_through_the_change_of_the_clock(tmp_path: Path) -> None:
    text = "date,hour,value\n" + "".join(f"2025-10-26,{hour},{hour}\n" for hour in range(1, 26))
    series = series_of(text, tmp_path, zone="Europe/Berlin")
    assert (stamp(series.begin), stamp(series.end), len(series)) == ("2025-10-25T22:00Z", "2025-10-26T23:00Z", 25)
    assert series.missing_s == 0


def test_stamps_that_label_the_end(tmp_path: Path) -> None:
    text = "datetime,value\n2026-01-01T01:00Z,10\n2026-01-01T02:00Z,20\n"
    series = series_of(text, tmp_path, labels="end")
    assert (stamp(series.begin), stamp(series.end)) == ("2026-01-01T00:00Z", "2026-01-01T02:00Z")
    with pytest.raises(ReadError, match="--labels 'middle' is not known"):
        Reading(labels="middle")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("datetime,value\n2026-01-01T00:00Z,1\n2026-01-01T00:00Z,2\n", "the stamp 2026-01-01T00:00Z stands twice"),
        ("datetime,value\n2026-01-01T01:00Z,1\n2026-01-01T00:00Z,2\n", "is out of order"),
        ("datetime,value\n2026-01-01T01:00Z,1\n", "one row does not say how long its step is"),
        ("datetime,value\n01.02.2026 00:00,1\n", ":2: '01.02.2026 00:00' is not a time stamp"),
        ("datetime,value\n2026-01-01T00:00Z,x\n2026-01-01T01:00Z,1\n", ":2: column 'value': 'x' is not a number"),
        ("datetime;value\n2026-01-01T00:00Z;1,5\n2026-01-01T01:00Z;1\n", "write a decimal point"),
        ("datetime,value\n2026-01-01T00:00Z\n", ":2: has 1 fields, 2 expected"),
        ("datetime,value\n", "holds no rows"),
        ("", "is empty"),
        ("when,value\n1,2\n", "no column holds a time; the columns are when, value"),
        ("datetime,price\n2026-01-01T00:00Z,1\n2026-01-01T01:00Z,1\n", "no column holds an intensity"),
        ("zone,datetime,value\nDE,2026-01-01T00:00Z,1\nFR,2026-01-01T01:00Z,1\n", "holds 2 places"),
        ("start_utc,end_utc,value\n2026-01-01T00:00Z,2026-01-01T00:00Z,1\n", "ends before it starts"),
        (
            "start_utc,end_utc,value\n2026-01-01T00:00Z,2026-01-01T02:00Z,1\n2026-01-01T01:00Z,2026-01-01T03:00Z,1\n",
            "overlaps the step before it",
        ),
        ("datetime,value\n2026-01-01T00:00Z,\n2026-01-01T01:00Z,\n", "holds no value"),
    ],
)
def test_a_wrong_file_is_an_error_that_says_where(tmp_path: Path, text: str, words: str) -> None:
    assert words in refusal(text, tmp_path)


# Case A07: 911 lb/MWh is 413.22 g/kWh; and the kg/MWh twin.
@pytest.mark.parametrize(
    ("column", "given_value", "value"),
    [
        ("co2_lb_per_mwh", 911, 413.22),
        ("intensity_kg_per_mwh", 413.22, 413.22),
        ("intensity_kg_per_kwh", 0.41322, 413.22),
        ("intensity_t_per_mwh", 0.41322, 413.22),
        ("g_per_kWh", 413.22, 413.22),
    ],
)
def test_the_unit_of_a_column_is_that_of_its_name(
    tmp_path: Path, column: str, given_value: float, value: float
) -> None:
    text = f"datetime,{column}\n2026-01-01T00:00Z,{given_value}\n2026-01-01T01:00Z,{given_value}\n"
    assert series_of(text, tmp_path).mean == pytest.approx(value, abs=0.005)


# ---- gaps ----


# Case A26: 8,783 rows for a leap year are one hour missing, not a year stretched.
def test_a_missing_row_is_a_missing_hour(tmp_path: Path) -> None:
    begin = at("2024-01-01T00:00+01:00")
    labels = [begin + HOUR * n for n in range(8784) if n != 5000]
    text = "start_utc,g_per_kwh\n" + "".join(f"{stamp(s)},{100 + (n >= 5000)}\n" for n, s in enumerate(labels))
    series = series_of(text, tmp_path)
    assert (len(series), series.missing_s) == (8783, HOUR)
    assert series.gaps == [(begin + 5000 * HOUR, begin + 5001 * HOUR)]
    found = match(series, Profile.constant(begin, at("2025-01-01T00:00+01:00")))
    assert (found.duration_s, found.missing_s, found.steps) == (8784 * HOUR, HOUR, 8783)
    assert found.missing_energy == pytest.approx(1 / 8784, rel=1e-9)
    assert found.intensity == pytest.approx((5000 * 100 + 3783 * 101) / 8783, rel=1e-12)


@pytest.mark.parametrize(
    ("hours", "lengths"),
    [
        ([0, 1, 2, 4, 5, 6], [1, 1, 1, 1, 1, 1]),  # one hour missing
        ([0, 1, 3], [1, 1, 1]),
        ([0, 2, 3, 4, 5], [1, 1, 1, 1, 1]),  # the second hour is missing
        ([0, 1, 2, 3, 3.25, 3.5, 3.75, 4], [1, 1, 1, 0.25, 0.25, 0.25, 0.25, 0.25]),  # the step changes
        ([0, 3, 6, 9], [3, 3, 3, 3]),
        ([0, 1], [1, 1]),
    ],
)
def test_a_step_ends_where_the_next_begins_but_a_gap_is_none(hours: list[float], lengths: list[float]) -> None:
    start, end = steps(np.array(hours) * HOUR, "x")
    assert ((end - start) / HOUR).tolist() == lengths


def test_a_power_outside_of_the_series_is_refused() -> None:
    series = read_series(DATA / "series.csv")
    with pytest.raises(EstimateError, match=r"covers 2030-01-01T00:00Z to 2030-01-01T04:00Z, and the run is from"):
        match(series, Profile.constant(series.begin, series.end + 1))
    with pytest.raises(EstimateError, match="covers"):
        match(series, Profile.constant(series.begin - 1, series.end))


# ---- matching ----


# Case A29: 100 then 500 g/kWh; the last value alone would give 1.0 kg, the first 0.2.
def test_every_hour_counts(tmp_path: Path) -> None:
    series = series_of("datetime,value\n2026-01-01T00:00Z,100\n2026-01-01T01:00Z,500\n", tmp_path)
    assert match(series, Profile.constant(series.begin, series.end)).intensity == pytest.approx(300.0, rel=1e-12)


def test_a_power_that_changes_is_weighted_by_its_energy() -> None:
    series = read_series(DATA / "series.csv")
    time = series.begin + np.array([0.0, HOUR, HOUR, 2 * HOUR])
    found = match(series, Profile(time, np.array([1000.0, 1000.0, 3000.0, 3000.0])))
    assert found.intensity == pytest.approx((100 + 3 * 500) / 4, rel=1e-12)
    ramp = match(series, Profile(series.begin + np.array([0.0, 2 * HOUR]), np.array([0.0, 2.0])))
    assert ramp.intensity == pytest.approx((0.25 * 100 + 0.75 * 500), rel=1e-12)  # areas of a triangle: 1/4 and 3/4
    assert (found.lowest, found.highest, found.steps) == (100.0, 500.0, 2)


@given(
    st.lists(st.floats(0, 1000), min_size=2, max_size=30),
    st.lists(st.tuples(st.floats(0.01, 5000), st.floats(0, 1e4)), min_size=2, max_size=30),
)
def test_a_match_lies_between_lowest_and_highest_and_agrees_with_a_fine_sum(values, samples) -> None:
    length = sum(step for step, _ in samples)
    edges = np.linspace(0, length + 1.0, len(values) + 1)
    series = Series(edges[:-1], edges[1:], np.array(values))
    time = np.concatenate(([0.0], np.cumsum([step for step, _ in samples])[:-1]))
    profile = Profile(time, np.array([power for _, power in samples]))
    found = match(series, profile)
    assert found.lowest - 1e-9 <= found.intensity <= found.highest + 1e-9
    assert found.missing_s == pytest.approx(0, abs=1e-6)
    energy = profile.energy_in(series.start_s, series.end_s)
    total = float(profile.energy_until(np.array([profile.end]))[0])
    assert float(energy.sum()) == pytest.approx(total, rel=1e-9, abs=1e-9)
    if total > 0:
        assert found.intensity == pytest.approx(float(energy @ series.value) / total, rel=1e-9, abs=1e-9)


def test_many_runs_at_once_agree_with_one_by_one() -> None:
    random = np.random.default_rng(5)
    start = np.arange(500) * HOUR
    value = random.uniform(50, 500, 500)
    value[100] = np.nan
    series = Series(start, start + HOUR, value)
    begin = random.uniform(0, 300 * HOUR, 50)
    end = begin + random.uniform(60, 100 * HOUR, 50)
    means = series.mean_over(begin, end)
    for index in range(50):
        one = match(series, Profile.constant(begin[index], end[index]))
        assert means[index] == pytest.approx(one.intensity, rel=1e-9)
        assert float(series.covered_over(begin, end)[index]) == pytest.approx(one.duration_s - one.missing_s, rel=1e-9)
    loads = random.uniform(0, 1, (3, 500))
    by_hand = (loads * np.nan_to_num(value)).sum(axis=1) / (loads * np.isfinite(value)).sum(axis=1)
    np.testing.assert_allclose(series.mean_of_loads(loads), by_hand, rtol=1e-12)


# ---- when to start ----


def test_the_best_start() -> None:
    series = read_series(DATA / "series.csv")
    found = schedule(series, Profile.constant(0, HOUR), series.begin + 0.5 * HOUR, 3.5 * HOUR)
    assert found.at_once.intensity == pytest.approx(300.0, rel=1e-12)
    assert (stamp(found.best.start_s), found.best.intensity) == ("2030-01-01T03:00Z", pytest.approx(100.0))
    assert (stamp(found.worst.start_s), found.worst.intensity) == ("2030-01-01T01:00Z", pytest.approx(500.0))
    assert found.saving == pytest.approx(2 / 3, rel=1e-12)
    with pytest.raises(EstimateError, match="the run takes 5 h and the window is 4 h: give a longer --window"):
        schedule(series, Profile.constant(0, 5 * HOUR), series.begin, 4 * HOUR)
    with pytest.raises(EstimateError, match="and the window is from"):
        schedule(series, Profile.constant(0, HOUR), series.begin, 5 * HOUR)


@given(st.lists(st.floats(1, 1000), min_size=4, max_size=40), st.floats(0.2, 3))
def test_no_start_is_better_than_the_best(values: list[float], length: float) -> None:
    start = np.arange(len(values)) * HOUR
    series = Series(start, start + HOUR, np.array(values))
    window = len(values) * HOUR
    found = schedule(series, Profile.constant(0, length * HOUR), 0.0, window)
    tried = np.linspace(0, window - length * HOUR, 400)
    means = series.mean_over(tried, tried + length * HOUR)
    assert found.best.intensity <= means.min() + 1e-6
    assert found.worst.intensity >= means.max() - 1e-6


def test_a_start_whose_run_meets_a_gap_is_left_out() -> None:
    start = np.arange(5) * HOUR
    series = Series(start, start + HOUR, np.array([300.0, 300.0, np.nan, 50.0, 100.0]))
    found = schedule(series, Profile.constant(0, HOUR), 0.0, 5 * HOUR)
    assert found.best.intensity == 50.0
    assert found.unknown == 1
    traced = schedule(series, Profile(np.array([0.0, HOUR]), np.array([1.0, 1.0])), 0.0, 5 * HOUR)
    assert (traced.best.start_s, traced.best.intensity) == (3 * HOUR, pytest.approx(50.0))
