"""The statistics against published examples with their numbers, and against scipy's own where there are none."""

from __future__ import annotations

import math
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from runs.analysis import stats

# R's `sleep`: hours of sleep gained under two soporifics (Cushny and Peebles' data, from Student, 1908).
SLEEP = (
    [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0],
    [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4],
)
# Permeability of the human chorioamnion at term and at 12 to 26 weeks: Hollander and Wolfe (1973), as in R's wilcox.test.
CHORIOAMNION = (
    [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46],
    [1.15, 0.88, 0.90, 0.74, 1.21],
)
# Ages at which diabetes was diagnosed, men and women: Shier, "Statistics: 2.3 The Mann-Whitney U Test" (2004).
DIAGNOSED = ([19, 22, 16, 29, 24], [20, 11, 17, 12])


def test_welch_gives_what_r_prints_for_the_sleep_data():
    # t = -1.8608, df = 17.776, p-value = 0.07939, 95 % interval -3.3654832 to 0.2054832 of the first minus the second
    found = stats.welch(*SLEEP)
    assert found.df == pytest.approx(17.776, abs=0.0005)
    assert found.p == pytest.approx(0.07939, abs=0.000005)
    assert (found.low, found.high) == pytest.approx((-0.2054832, 3.3654832), abs=1e-6)
    assert found.difference == pytest.approx(1.58)


def test_welch_has_nothing_to_say_without_spread_or_repeats():
    assert stats.welch([1.0], [2.0, 3.0]) is None
    assert stats.welch([1.0, 1.0], [2.0, 2.0]) is None


def test_welch_takes_a_side_that_does_not_vary():
    found = stats.welch([1.0, 1.0, 1.0], [2.0, 3.0, 4.0])
    assert found.df == pytest.approx(2)  # the other side's own


@pytest.mark.parametrize(
    ("n", "m", "below"),
    [
        # P(U <= 0, 1, 2, ...), Table I of Mann and Whitney (1947)
        (3, 3, [0.050, 0.100, 0.200, 0.350, 0.500]),
        (4, 4, [0.014, 0.029, 0.057, 0.100, 0.171, 0.243, 0.343, 0.443, 0.557]),
    ],
)
def test_exact_ranks_have_the_chances_of_mann_and_whitneys_table(n, m, below):
    seen = {}
    for places in combinations(range(n + m), m):
        found = stats.mann_whitney([at for at in range(n + m) if at not in places], places)
        seen[found.u] = found.p
    for u, chance in enumerate(below):
        assert seen[u] == pytest.approx(min(2 * chance, 1), abs=0.0011)


def test_exact_ranks_give_what_is_published_of_the_ages_at_diagnosis():
    # U = 17 for the men, p = 0.111
    found = stats.mann_whitney(DIAGNOSED[1], DIAGNOSED[0])
    assert (found.u, found.exact) == (17, True)
    assert found.p == pytest.approx(0.1111, abs=0.0001)


def test_exact_ranks_give_what_is_published_of_the_chorioamnion():
    # W = 35, one-sided p = 0.1272
    found = stats.mann_whitney(CHORIOAMNION[1], CHORIOAMNION[0])
    assert found.u == 35
    assert found.p == pytest.approx(2 * 0.1272, abs=0.0002)


def test_the_shift_of_the_chorioamnion_is_that_of_hollander_and_wolfe():
    # Hodges-Lehmann 0.305; interval -0.15 to 0.76
    low, middle, high = stats.shift_interval(CHORIOAMNION[1], CHORIOAMNION[0])
    assert (low, middle, high) == pytest.approx((-0.15, 0.305, 0.76))


def test_four_a_side_are_bounded_by_their_extreme_differences():
    # Counted by hand: 1 of 70 ways has U = 0, which is under 2.5 %; 2 of 70 have U <= 1, which is over.
    assert stats.shift_interval([1, 2, 3, 4], [11, 13, 15, 17]) == (7, 11.5, 16)


def test_ties_are_counted_as_they_are():
    # By hand: of the 20 ways to draw 3 of the ranks 1.5 1.5 4 4 4 6 the sum 14 (4 4 6) or more has 3 ways: 4 4 6 thrice.
    assert stats.mann_whitney([93, 93, 94], [94, 94, 95]).p == pytest.approx(2 * 3 / 20)


@pytest.mark.once
@given(
    st.lists(st.integers(0, 4), min_size=2, max_size=5),
    st.lists(st.integers(0, 4), min_size=2, max_size=5),
)
@settings(max_examples=60, deadline=None)
def test_ties_agree_with_every_permutation_tried(xs, ys):
    tried = scipy_stats.mannwhitneyu(ys, xs, method=scipy_stats.PermutationMethod(n_resamples=10_000))
    found = stats.mann_whitney(xs, ys)
    assert found.u == tried.statistic
    assert found.p == pytest.approx(tried.pvalue)


@pytest.mark.once
@given(st.lists(st.floats(0, 100), min_size=2, max_size=18, unique=True), st.integers(1, 17))
@settings(max_examples=60, deadline=None)
def test_without_ties_ranks_agree_with_scipys_exact_ones(values, cut):
    xs, ys = values[: cut % (len(values) - 1) + 1], values[cut % (len(values) - 1) + 1 :]
    tried = scipy_stats.mannwhitneyu(ys, xs, method="exact")
    found = stats.mann_whitney(xs, ys)
    assert (found.u, found.p) == (tried.statistic, pytest.approx(tried.pvalue))


def test_many_repeats_are_told_by_the_normal_approximation_ties_corrected():
    xs, ys = [at % 17 for at in range(1000)], [at % 19 for at in range(1000)]
    tried = scipy_stats.mannwhitneyu(ys, xs, method="asymptotic")
    found = stats.mann_whitney(xs, ys)
    assert not found.exact
    assert (found.u, found.p) == (tried.statistic, pytest.approx(tried.pvalue))


def test_many_equal_values_are_no_difference():
    assert stats.mann_whitney([5.0] * 500, [5.0] * 500).p == 1


def test_the_interval_of_many_repeats_is_near_the_one_from_all_pairs():
    xs = [scipy_stats.norm.ppf((at + 0.5) / 1000) for at in range(1000)]
    low, middle, high = stats.shift_interval(xs, [value + 0.25 for value in xs])
    # Of normal values it is as wide as a t interval divided by the root of 3/pi: 1.96 * sqrt(2 / 1000) / 0.977 each way.
    assert (low, middle, high) == pytest.approx((0.25 - 0.0897, 0.25, 0.25 + 0.0897), abs=0.003)


@pytest.mark.once
@given(st.lists(st.floats(0, 100), min_size=8, max_size=16, unique=True))
@settings(max_examples=60, deadline=None)
def test_the_interval_leaves_out_nought_just_when_the_test_rejects(values):
    xs, ys = values[:4], values[4:]
    low, _, high = stats.shift_interval(xs, ys)
    assert (stats.mann_whitney(xs, ys).p < 0.05) == (low > 0 or high < 0)


def test_cliffs_delta_counts_pairs():
    # By hand, [1, 2, 4] against [2, 3]: of six pairs the second is larger in 3, smaller in 2, tied in 1.
    u = stats.mann_whitney([1, 2, 4], [2, 3]).u
    assert stats.cliffs_delta(u, 3, 2) == pytest.approx((3 - 2) / 6)


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


def test_fisher_gives_the_published_chance_of_the_lady_tasting_tea():
    # Fisher (1935): three of four cups told rightly on each side; two-sided 0.4857
    assert stats.fisher(3, 4, 1, 4) == pytest.approx(0.4857, abs=0.00005)


@pytest.mark.parametrize("table", [(2, 568, 0, 17422), (285, 600, 1, 400), (0, 10, 0, 20), (5, 5, 7, 7), (1, 1, 0, 1)])
def test_fisher_agrees_with_scipy(table):
    bad, of, other_bad, other_of = table
    tried = scipy_stats.fisher_exact([[bad, of - bad], [other_bad, other_of - other_bad]]).pvalue
    assert stats.fisher(*table) == pytest.approx(tried)


@pytest.mark.parametrize(("effect", "n"), [(0.5, 64), (0.8, 26), (1.0, 17)])
def test_the_repeats_needed_are_those_of_cohens_table(effect, n):
    # Cohen (1988), Table 2.4.1: n for t tests of means, two-sided 5 %, power 80 %
    assert stats.repeats_needed(effect, 1.0) == n


def test_more_repeats_than_anyone_makes_are_not_counted():
    assert stats.repeats_needed(0.2, 1.0) is None  # Cohen's table has 393
    assert stats.repeats_needed(0.0, 1.0) is None
    assert stats.repeats_needed(math.nan, 1.0) is None


def test_the_repeats_needed_for_ranks_go_by_noethers_formula():
    # By hand, p - 1/2 = 0.25: (1.960 + 0.842)² / (3 · 0.25²) = 41.9 in all
    assert stats.repeats_for_ranks(0.5) == stats.repeats_for_ranks(-0.5) == 21
    assert stats.repeats_for_ranks(1.0) == 6
    assert stats.repeats_for_ranks(0.0) is None
    assert stats.repeats_for_ranks(0.05) is None  # thousands


def test_ranks_need_four_a_side_for_one_config_and_six_for_seven():
    # By hand: 2 of C(8, 4) = 70 ways is 2.9 %, of C(6, 3) = 20 is 10 %; 5 % in 7 is 0.71 %, and 2 of C(12, 6) is 0.22 %
    assert stats.fewest_for_ranks(0.05) == 4
    assert stats.fewest_for_ranks(0.05 / 7) == 6


def test_logs_refuse_what_has_none():
    assert stats.logs([1.0, math.e]) == [0, 1]
    for bad in (0.0, -1.0, math.inf, math.nan):
        assert stats.logs([1.0, bad]) is None


def test_spread_is_pooled_over_sets_with_repeats():
    # By hand: 1 and 3 have squares 2 about 2 with 1 df; 4, 5, 6 have 2 with 2 df: sd = sqrt(4 / 3)
    pool = stats.pooled([[1.0, 3.0], [4.0, 5.0, 6.0], [9.0]])
    assert (pool.sets, pool.df, pool.widest) == (2, 3, 2)
    assert pool.sd == pytest.approx(math.sqrt(4 / 3))
    assert stats.pooled([[1.0], []]) is None


def test_two_new_repeats_reach_as_far_as_students_limit_says():
    # sd 1 from 4 df: t(97.5 %, 4 df) = 2.776, twice one repeat: 2.776 * sqrt(2)
    pool = stats.Pool(1, 4, 4.0, 2.0)
    assert pool.reach(1, 1, 0.95) == pytest.approx(2.776 * math.sqrt(2), abs=0.001)
    assert pool.reach(4, 4, 0.95) == pytest.approx(2.776 / math.sqrt(2), abs=0.001)


def test_one_wild_set_of_many_does_not_count_for_all():
    sets = [[0.0, 0.1]] * 39 + [[0.0, 5.0]]
    assert stats.pooled(sets).widest == 0.1
    assert stats.pooled(sets[-5:]).widest == 5
