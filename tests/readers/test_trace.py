"""The integral of a power trace: worked examples, laws, and what it refuses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tco.errors import ReadError
from tco.readers.trace import Channel, Counter, Integrator, Times
from tco.records.run import Rule

RULES: tuple[Rule, ...] = ("trapezoid", "left_rectangle", "right_rectangle")
powers = st.one_of(st.floats(0, 5000, allow_subnormal=False), st.just(math.nan))
steps = st.one_of(st.floats(1e-4, 100), st.just(0.0))
samples = st.lists(st.tuples(steps, powers), min_size=2, max_size=60)


def integrated(t: Any, p: Any, rule: Rule = "trapezoid", cuts: tuple[int, ...] = ()) -> Channel:
    integrator = Integrator(rule)
    for a, b in zip((0, *cuts), (*cuts, len(t)), strict=True):
        integrator.add(np.asarray(t[a:b], float), np.asarray(p[a:b], float))
    return integrator.channel("gpu0", "gpu_board")


def arrays(drawn: list[tuple[float, float]]) -> tuple[np.ndarray, np.ndarray]:
    return np.cumsum([step for step, _ in drawn]), np.array([power for _, power in drawn])


@pytest.mark.parametrize(("rule", "joules"), [("trapezoid", 500), ("left_rectangle", 700), ("right_rectangle", 300)])
def test_each_rule_on_a_pair_of_samples_at_one_time(rule: Rule, joules: float) -> None:
    # 1 s at 100 W; a step to 300 W in no time; 2 s from 300 W to 100 W
    assert integrated([0, 1, 1, 3], [100, 100, 300, 100], rule).energy_j == joules


def test_irregular_samples_are_weighted_by_time() -> None:
    found = integrated([0, 1, 2, 3, 10, 11], [100, 100, 400, 400, 400, 100])
    assert found.energy_j == 3800
    assert found.longest_gap_s == 7
    assert found.duration_s == 11
    assert found.coverage == pytest.approx(4 / 11)
    assert found.mean_w == pytest.approx(345.4545, abs=1e-4)


def test_missing_samples_are_bridged_and_counted() -> None:
    found = integrated([0, 1, 2], [300, math.nan, 300])
    assert (found.energy_j, found.duration_s, found.samples, found.missing) == (600, 2, 2, 1)
    assert found.longest_gap_s == 2


def test_missing_samples_at_the_ends_are_not_covered() -> None:
    found = integrated([0, 1, 2, 3, 4], [math.nan, 70, 70, 70, math.nan])
    assert (found.energy_j, found.duration_s, found.coverage) == (140, 2, 0.5)
    assert (found.first_s, found.last_s) == (0, 4)


def test_without_two_valid_samples_nothing_is_known() -> None:
    for values in ([math.nan] * 3, [math.nan, 300, math.nan]):
        found = integrated([0, 1, 2], values)
        assert found.energy_j is None
        assert found.mean_w is None
        assert found.coverage == 0


@pytest.mark.parametrize("value", [-1.0, 4294967295.0, 1.5e6, math.inf])
def test_a_power_that_cannot_be_is_missing(value: float) -> None:
    found = integrated([0, 1, 2], [300, value, 300])
    assert (found.energy_j, found.missing, found.impossible) == (600, 1, 1)
    assert found.first_impossible == f"{value:.12g} W at sample 1"
    assert found.maximum_w == 300


def test_samples_in_pairs_are_no_gaps() -> None:
    t = np.sort(np.concatenate([np.arange(40) * 0.102, np.arange(40) * 0.102 + 0.0001]))
    found = integrated(t, np.full(80, 70.0))
    assert found.coverage == 1
    assert found.usual_interval_s == pytest.approx(0.102, rel=1 / 8)


def test_a_hole_in_a_regular_trace_is_not_covered() -> None:
    t = np.concatenate([np.arange(50.0), np.arange(100.0, 151.0)])
    found = integrated(t, np.full(len(t), 70.0))
    assert found.coverage == pytest.approx(99 / 150)
    assert found.longest_gap_s == 51


@pytest.mark.parametrize(("count", "stuck"), [(99, False), (100, True)])
def test_a_sensor_that_never_changes_over_100_samples_is_suspect(count: int, stuck: bool) -> None:
    assert integrated(np.arange(count), np.full(count, 46.19)).stuck is stuck
    varied = np.full(count, 46.19)
    varied[-1] = 46.2
    assert not integrated(np.arange(count), varied).stuck


def test_time_that_runs_backwards_is_refused_within_a_piece_and_between_pieces() -> None:
    message = r"^sample 2: time runs backwards by 0\.5 s; sort the file by time"
    with pytest.raises(ReadError, match=message):
        integrated([0, 1, 0.5], [1, 1, 1])
    integrator = Integrator()
    integrator.add(np.array([0.0, 1.0]), np.array([1.0, math.nan]))  # the missing sample has a time, too
    with pytest.raises(ReadError, match=r"^sample 0: time runs backwards by 0\.5 s"):
        integrator.add(np.array([0.5]), np.array([1.0]))


def test_a_time_that_is_no_number_is_refused() -> None:
    with pytest.raises(ReadError, match=r"^sample 1: has no time$"):
        integrated([0, math.nan, 2], [1, 1, 1])


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(ReadError, match="rule 'simpson' is not known; write trapezoid, left_rectangle or right"):
        Integrator("simpson")  # type: ignore[arg-type]


def test_single_precision_is_summed_in_double() -> None:
    t, p = np.arange(200_001, dtype=np.float32), np.full(200_001, 0.1, np.float32)
    integrator = Integrator()
    integrator.add(Times(t), p)
    assert integrator.channel("x").energy_j == pytest.approx(200_000 * float(np.float32(0.1)), rel=1e-14)


@given(samples, st.sampled_from(RULES), st.data())
def test_cutting_a_trace_at_any_samples_changes_nothing(drawn: Any, rule: Rule, data: st.DataObject) -> None:
    t, p = arrays(drawn)
    cuts = tuple(sorted(data.draw(st.lists(st.integers(0, len(t)), max_size=5))))
    whole, pieces = integrated(t, p, rule), integrated(t, p, rule, cuts)
    if whole.energy_j is None:
        assert pieces.energy_j is None
    else:
        assert pieces.energy_j == pytest.approx(whole.energy_j, rel=1e-12)
    assert pieces.coverage == pytest.approx(whole.coverage, rel=1e-12)
    for name in ("duration_s", "samples", "missing", "longest_gap_s", "usual_interval_s", "minimum_w", "maximum_w"):
        assert getattr(pieces, name) == getattr(whole, name)


@given(samples, st.integers(0, 59), st.sampled_from(RULES))
def test_two_parts_that_share_a_sample_add_up(drawn: Any, at: int, rule: Rule) -> None:
    t, p = arrays(drawn)
    p = np.nan_to_num(p, nan=250.0)
    at = min(max(at, 1), len(t) - 1)
    parts = [integrated(t[: at + 1], p[: at + 1], rule), integrated(t[at:], p[at:], rule)]
    known = [part.energy_j or 0.0 for part in parts]
    assert sum(known) == pytest.approx(integrated(t, p, rule).energy_j or 0.0, rel=1e-12, abs=1e-12)


@given(samples, st.floats(0.01, 100), st.sampled_from(RULES))
def test_energy_scales_with_power(drawn: Any, factor: float, rule: Rule) -> None:
    t, p = arrays(drawn)
    once, scaled = integrated(t, p, rule), integrated(t, p * factor, rule)
    if once.energy_j is None:
        assert scaled.energy_j is None
    else:
        assert scaled.energy_j == pytest.approx(once.energy_j * factor, rel=1e-12, abs=1e-300)


@given(samples, st.floats(0, 5000))
def test_the_energy_of_a_constant_power_is_power_times_duration(drawn: Any, power: float) -> None:
    t, p = arrays(drawn)
    p[~np.isnan(p)] = power
    found = integrated(t, p)
    if found.energy_j is not None:
        assert found.energy_j == pytest.approx(power * found.duration_s, rel=1e-12, abs=1e-9)


@given(samples)
def test_the_trapezoid_lies_between_the_extremes(drawn: Any) -> None:
    found = integrated(*arrays(drawn))
    if found.energy_j is not None and found.minimum_w is not None and found.maximum_w is not None:
        slack = 1e-9 * (1 + found.maximum_w * found.duration_s)
        assert found.minimum_w * found.duration_s - slack <= found.energy_j
        assert found.energy_j <= found.maximum_w * found.duration_s + slack
    assert 0 <= found.coverage <= 1


def counted(t: Any, values: Any, cut: int = 0, **options: Any) -> Channel:
    counter = Counter(**options)
    for a, b in ((0, cut), (cut, len(t))):
        counter.add(np.asarray(t[a:b], float), np.asarray(values[a:b], float))
    return counter.channel("gpu0")


@pytest.mark.parametrize("cut", [0, 1, 2, 3, 4])
def test_a_counter_is_last_less_first(cut: int) -> None:
    found = counted([0, 10, 50, 100], [1000, math.nan, 1500, 6000], cut)
    assert (found.energy_j, found.duration_s, found.samples, found.missing) == (5000, 100, 3, 1)
    assert found.mean_w == 50
    assert found.longest_gap_s == 50


@pytest.mark.parametrize("cut", [0, 1, 2, 3])
def test_an_interval_over_which_a_counter_falls_is_left_out(cut: int) -> None:
    found = counted([0, 10, 20, 40], [1000, 1500, 20, 80], cut)
    assert (found.energy_j, found.dropped, found.dropped_s) == (560, 1, 10)
    assert found.coverage == pytest.approx(0.75)
    assert found.mean_w == pytest.approx(560 / 30)
    assert counted([0, 10], [1000, 20], min(cut, 1)).energy_j is None


@pytest.mark.parametrize("cut", [0, 1, 2, 3])
def test_a_counter_that_begins_again_counts_from_zero(cut: int) -> None:
    found = counted([0, 60, 120, 180], [9, 27, 6, 24], cut, restarts=True)
    assert (found.energy_j, found.resets, found.dropped) == (42, 1, 0)


@pytest.mark.parametrize("cut", [0, 1, 2, 3, 4])
def test_a_counter_wraps_at_its_range(cut: int) -> None:
    found = counted([0, 10, 20, 30], [80, 10, 60, 5], cut, range_j=100)
    assert (found.energy_j, found.wraps, found.dropped) == (30 + 50 + 45, 2, 0)
    assert found.another_wrap_w == 10
    assert found.ambiguous


def test_what_would_need_an_impossible_power_is_no_wrap() -> None:
    found = counted([0, 10, 20], [5000, 4000, 4500], 0, range_j=260_000, most_w=2000)
    assert (found.wraps, found.dropped, found.energy_j) == (0, 1, 500)
    assert not found.ambiguous


def test_a_counter_above_its_range_is_refused() -> None:
    with pytest.raises(
        ReadError, match=r"sample 1: the counter stands at 101 J, above its range of 100 J; the range is"
    ):
        counted([0, 10], [50, 101], 0, range_j=100)


@pytest.mark.parametrize("blank", [9223372036854775794.0, 2.0**63, -1.0])
def test_a_counter_that_shows_what_cannot_be_has_no_value(blank: float) -> None:
    found = counted([0, 10, 20], [100, blank, 300], 0)
    assert (found.energy_j, found.samples, found.missing, found.impossible) == (200, 2, 1, 1)


totals = st.lists(st.integers(0, 1000), min_size=2, max_size=40)


@given(totals, st.integers(1001, 5000), st.data())
def test_a_wrapping_counter_gives_the_energy_of_one_that_does_not(
    steps: list[int], range_j: int, data: st.DataObject
) -> None:
    whole = np.cumsum(steps)
    t = np.arange(len(steps)) * 10.0
    cut = data.draw(st.integers(0, len(t)))
    found = counted(t, whole % range_j, cut, range_j=range_j, most_w=1e6)
    assert found.energy_j == pytest.approx(float(whole[-1] - whole[0]), abs=1e-6)
    assert found.wraps == int(whole[-1] // range_j - whole[0] // range_j)


def test_a_counter_without_values_is_not_zero() -> None:
    assert counted([0, 3600], [math.nan, math.nan]).energy_j is None
