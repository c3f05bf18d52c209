"""The statistics against published examples with their numbers, and against scipy's own where there are none."""

from __future__ import annotations

import math

import pytest
import scipy  # its packages are imported at their first use
from hypothesis import given, settings
from hypothesis import strategies as st

from runs.analysis import stats

# R's `sleep`: hours of sleep gained under two soporifics (Cushny and Peebles' data, from Student, 1908).
SLEEP = (
    [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0],
    [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4],
)


def placed(values, places=None):
    return [stats.Placed(place, value) for place, value in zip(places or range(len(values)), values, strict=True)]


def test_welch_gives_what_r_prints_for_the_sleep_data():
    # t = -1.8608, df = 17.776, p-value = 0.07939, 95 % interval -3.3654832 to 0.2054832 of the first minus the second
    found = stats.welch(*SLEEP)
    assert found.p == pytest.approx(0.07939, abs=0.000005)
    assert (found.low, found.high) == pytest.approx((-0.2054832, 3.3654832), abs=1e-6)
    assert found.difference == pytest.approx(1.58)


def test_pairs_of_the_sleep_data_give_what_r_prints():
    # paired: t = -4.0621, p-value = 0.002833; the patients' order makes no drift of it when each is beside the other
    first, second = (placed(side, range(at, 20, 2)) for at, side in enumerate(SLEEP))
    plain = scipy.stats.ttest_rel(*SLEEP).pvalue
    assert plain == pytest.approx(0.002833, abs=0.000001)
    found = stats.paired(stats.find_pairs(first, second))
    assert found.p >= plain
    assert found.low <= 0.7001 < 2.4598 <= found.high  # R's interval: 0.7001142 to 2.4598858
    assert found.difference == pytest.approx(1.58)


def test_a_drift_over_alternating_runs_is_no_difference():
    # A B A B ..., each run 1 % below the one before and nothing else
    first, second = (placed([-0.01 * place for place in range(at, 16, 2)], range(at, 16, 2)) for at in (0, 1))
    found = stats.paired(stats.find_pairs(first, second), least_sd=0.001)
    assert found.low < 0 < found.high


def test_neighbours_of_both_sides_are_pairs():
    pairs = stats.find_pairs(placed("ad", (0, 3)), placed("bc", (1, 2)))  # A B B A
    assert [(x.value, y.value) for x, y in pairs] == [("a", "b"), ("d", "c")]
    assert len(stats.find_pairs(placed("aa"), placed("bb", (2, 3)))) == 1  # A A B B


def test_welch_has_nothing_to_say_without_spread_or_repeats():
    assert stats.welch([1.0], [2.0, 3.0]) is None
    assert stats.welch([1.0, 1.0], [2.0, 2.0]) is None


def test_a_step_stands_in_for_the_spread_of_equal_values():
    # By hand: sd 0.5 a side, 18 / (0.5 * sqrt(2 / 3)) = 44.1 with 4 df
    found = stats.welch([54.0] * 3, [36.0] * 3, least_sds=(0.5, 0.5))
    assert found.p == pytest.approx(2 * scipy.stats.t.sf(18 / (0.5 * math.sqrt(2 / 3)), 4))


def test_few_values_against_many_have_the_degrees_of_freedom_of_the_few():
    # By hand, 2 against 8: (2 - 1)(1 + 2/8) = 1.25, where Welch's would be 2.6
    few, many = [0.0, 1.0], [0.0, 3.0, 0.6, 2.4, 0.3, 2.7, 0.9, 2.1]
    found = stats.welch(few, [value + 1 for value in many])
    error = math.hypot(stats.sample_sd(few) / math.sqrt(2), stats.sample_sd(many) / math.sqrt(8))
    assert found.high - found.difference == pytest.approx(error * scipy.stats.t.ppf(0.975, 1.25))


@given(
    *[
        st.lists(
            st.one_of(st.floats(0, 100).map(lambda drawn: round(drawn, 6)), st.integers(0, 5)), min_size=5, max_size=18
        )
    ]
    * 2,
)
@settings(max_examples=60, deadline=None)
def test_brunner_and_munzels_p_is_scipys_with_the_degrees_of_freedom_of_the_fewer(xs, ys):
    found = stats.brunner_munzel(xs, ys)
    if len({*xs}) > 1 and len({*ys}) > 1 and not (max(xs) < min(ys) or max(ys) < min(xs)):  # scipy has no number there
        tried = scipy.stats.brunnermunzel(xs, ys)
        held = 2 * scipy.stats.t.sf(abs(tried.statistic), min(len(xs), len(ys)) - 1)
        assert found.p == pytest.approx(max(tried.pvalue, held))
    assert found.low <= found.high
    if min(abs(found.p - 0.05), abs(found.low), abs(found.high)) > 1e-9:
        assert (found.p < 0.05) == (found.low > 0 or found.high < 0)


def test_brunner_and_munzels_published_example_comes_out():
    # Brunner and Munzel (2000): pain scores of 14 and 11 patients, W = 3.1375
    one = [1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 1, 1]
    other = [3, 3, 4, 3, 1, 2, 3, 1, 1, 5, 4]
    found = stats.brunner_munzel(one, other)
    assert found.p == pytest.approx(2 * scipy.stats.t.sf(3.1375, 10), rel=1e-4)
    assert found.low > 0  # though most differences are of whole points, and many are 0


def test_the_shift_between_sides_is_the_median_of_all_differences():
    one, other = [1.0, 2.0, 4.0, 8.0, 9.0], [3.0, 3.5, 7.0, 12.0, 15.0]
    every = sorted(y - x for x in one for y in other)
    assert stats.brunner_munzel(one, other).difference == pytest.approx(every[12], abs=1e-6)


def test_sides_wholly_apart_have_the_p_of_exact_ranks():
    found = stats.brunner_munzel([float(at) for at in range(10)], [100.0 + at for at in range(10)])
    assert found.p == pytest.approx(2 / math.comb(20, 10))
    assert found.low > 90
    assert found.high < 110


def test_one_slope_of_several_sets_is_that_of_a_line_through_each():
    found = stats.common_slope([([0, 1, 2], [5.0, 6.0, 7.0]), ([7, 8, 9], [1.0, 2.0, 3.0])])
    assert (found.per_run, found.df, found.p) == (pytest.approx(1), 3, pytest.approx(0, abs=1e-6))
    one = stats.common_slope([(range(5), [1.0, 2.2, 2.9, 4.1, 4.8])])
    tried = scipy.stats.linregress(range(5), [1.0, 2.2, 2.9, 4.1, 4.8])
    assert (one.per_run, one.error, one.p) == pytest.approx((tried.slope, tried.stderr, tried.pvalue))
    assert stats.common_slope([([0, 1], [1.0, 2.0])]) is None


def test_a_drift_that_leads_from_one_side_to_the_other_explains_it():
    fall = [0.0, -0.011, -0.019, -0.031, -0.04, -0.051, -0.059, -0.07]
    one, other = placed(fall[:4]), placed(fall[4:], range(4, 8))
    found = stats.explaining_drift(one, other)
    assert (found.per_run, found.is_seen) == (pytest.approx(-0.01, abs=0.001), True)
    up = placed([value + 0.2 for value in fall[4:]], range(4, 8))
    assert stats.explaining_drift(one, up) is None  # against the drift
    down = placed([value - 0.4 for value in fall[4:]], range(4, 8))
    assert stats.explaining_drift(one, down) is None  # far more than it


def test_a_drift_that_is_most_of_a_difference_explains_it_although_no_straight_line_does():
    rates = [5000, 4920, 4850, 4790, 4720, 4640, 4570, 4510, 4440, 4380]  # 0.3 % beyond the line, of 7.7 %
    logs = [math.log(rate) for rate in rates]
    assert stats.explaining_drift(placed(logs[:5]), placed(logs[5:], range(5, 10))).is_seen
    beyond = placed([value - 0.08 for value in logs[5:]], range(5, 10))
    assert stats.explaining_drift(placed(logs[:5]), beyond) is None


def test_a_drift_that_is_not_seen_may_still_explain_a_small_difference():
    one, other = [0.0, 0.02, -0.02, 0.01], [0.05, 0.03, 0.06, 0.04]
    found = stats.explaining_drift(placed(one), placed(other, range(4, 8)))
    assert (found.per_run, found.is_seen) == (pytest.approx(0.0425 / 4), False)
    assert stats.explaining_drift(placed(one), placed([value + 0.2 for value in other], range(4, 8))) is None


def test_one_run_that_is_far_off_does_not_hide_that_a_difference_lies_beyond_drift():
    one, other = [0.0, 0.01, -0.01, 0.005, -0.35], [0.1, 0.11, 0.09, 0.1, 0.105]
    assert stats.explaining_drift(placed(one), placed(other, range(5, 10))) is None


def test_a_value_far_from_the_others_is_an_outlier():
    assert stats.find_outliers(stats.logs([945, 948, 410, 952, 947])) == [2]
    assert stats.find_outliers(stats.logs([945, 948, 990, 952, 947])) == []  # within a tenth
    assert stats.find_outliers(stats.logs([617, 878, 700, 800])) == []
    assert stats.find_outliers(stats.logs([945, 410, 948])) == []


def test_cliffs_delta_counts_pairs():
    # By hand, [1, 2, 4] against [2, 3]: of six pairs the second is larger in 3, smaller in 2, tied in 1.
    assert stats.cliffs_delta([1, 2, 4], [2, 3]) == pytest.approx((3 - 2) / 6)


@pytest.mark.parametrize(
    ("delta", "word"), [(0.146, "negligible"), (-0.2, "small"), (0.33, "medium"), (-0.474, "large"), (1.0, "large")]
)
def test_deltas_have_the_words_of_romano_and_others(delta, word):
    # 0.147, 0.33 and 0.474: Romano, Kromrey, Coraggio and Skowronek (2006)
    assert stats.delta_word(delta) == word


def test_holm_rejects_what_the_worked_example_rejects():
    # The example of Wikipedia's article on the Holm-Bonferroni method: of four at 5 % the first and the last are rejected.
    adjusted = stats.holm([0.01, 0.04, 0.03, 0.005])
    assert adjusted == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert [p < 0.05 for p in adjusted] == [True, False, False, True]


def test_holm_of_one_test_changes_nothing_and_never_passes_one():
    assert stats.holm([0.2]) == [0.2]
    assert stats.holm([0.6, 0.9]) == [1, 1]
    assert stats.holm([]) == []


@pytest.mark.parametrize(("effect", "n"), [(0.5, 64), (0.8, 26), (1.0, 17)])
def test_the_repeats_needed_are_those_of_cohens_table(effect, n):
    # Cohen (1988), Table 2.4.1: n for t tests of means, two-sided 5 %, power 80 %
    assert stats.repeats_needed(effect, 1.0) == n


def test_more_repeats_than_anyone_makes_are_not_counted():
    assert stats.repeats_needed(0.2, 1.0) is None  # Cohen's table has 393
    assert stats.repeats_needed(0.0, 1.0) is None
    assert stats.repeats_needed(math.nan, 1.0) is None


def test_logs_refuse_what_has_none():
    assert stats.logs([1.0, math.e]) == [0, 1]
    for bad in (0.0, -1.0, math.inf, math.nan):
        assert stats.logs([1.0, bad]) is None


def test_spread_is_pooled_over_sets_with_repeats():
    # By hand: 1 and 3 have squares 2 about 2 with 1 df; 4, 5, 6 have 2 with 2 df: sd = sqrt(4 / 3)
    pool = stats.pool_spread([[1.0, 3.0], [4.0, 5.0, 6.0], [9.0]])
    assert (pool.sets, pool.df, pool.widest) == (2, 3, 2)
    assert pool.sd == pytest.approx(math.sqrt(4 / 3))
    assert stats.pool_spread([[1.0], []]) is None


def test_two_new_repeats_reach_as_far_as_students_limit_says():
    # sd 1 from 4 df: t(97.5 %, 4 df) = 2.776, twice one repeat: 2.776 * sqrt(2)
    pool = stats.Pool(1, 4, 4.0, 2.0)
    assert pool.reach(1, 1, 0.95) == pytest.approx(2.776 * math.sqrt(2), abs=0.001)
    assert pool.reach(4, 4, 0.95) == pytest.approx(2.776 / math.sqrt(2), abs=0.001)


def test_one_wild_set_of_many_does_not_count_for_all():
    sets = [[0.0, 0.1]] * 39 + [[0.0, 5.0]]
    assert stats.pool_spread(sets).widest == 0.1
    assert stats.pool_spread(sets[-5:]).widest == 5
