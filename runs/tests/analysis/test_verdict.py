"""What is concluded from figures, and what is not."""

from __future__ import annotations

import math
from statistics import fmean

import pytest

from runs.analysis import stats
from runs.analysis.judgement import judge
from runs.analysis.table import compare
from runs.analysis.verdict import Spread
from runs.tests.analysis.facts import configs, run
from runs.tests.analysis.judging import FOUR, RATE, table, verdict


def test_two_and_three_repeats_are_tested_on_the_logs():
    found = verdict([100.0, 101.0, 102.0], [200.0, 204.0])
    assert (found.kind, found.test) == ("better", "Welch on the logs")
    assert found.of == "means"
    assert found.effect is None


@pytest.mark.parametrize(
    "sides",
    [
        ([337.7, 300.1, 375.2], [692.1, 1500.0, 100.3]),
        ([100.0 + at for at in range(12)], [*(110.0 + at for at in range(11)), 400.0]),
        ([100.0, 101.0], [*(110.0 + at for at in range(11)), 40.0]),
    ],
)
def test_the_change_told_is_that_of_the_means_shown_and_within_its_interval(sides):
    found = verdict(*map(list, sides))
    assert found.ratio == pytest.approx(fmean(sides[1]) / fmean(sides[0]))
    assert found.low <= found.ratio <= found.high


def test_a_test_that_points_the_other_way_than_the_means_proves_nothing():
    assert (
        verdict([100.0 + at / 10 for at in range(12)], [*(90.0 + at / 10 for at in range(11)), 400.0]).kind
        == "undecided"
    )


def test_an_interval_that_leaves_two_per_cent_is_not_the_same():
    # By hand: sd of the logs about 0.01 in 3 a side: 0.01 * sqrt(2 / 3) * t(4 df) 2.78 = 2.3 %
    assert verdict([99.0, 100.0, 101.0], [99.0, 100.0, 101.0]).kind == "undecided"


def test_repeats_equal_to_the_last_digit_on_both_sides_are_the_same_where_the_tool_is_fine_enough():
    fields = {"percentiles_ms": {"50": 93}}
    assert judge(table([1.0, 1.0], [1.0, 1.0], **fields)).of("p50_ms", 1).kind == "same"
    coarse = {"percentiles_ms": {"50": 3}}
    assert judge(table([1.0, 1.0], [1.0, 1.0], **coarse)).of("p50_ms", 1).kind == "undecided"


def test_a_tail_percentile_is_measured_by_how_the_maximum_varies():
    spread = Spread({"max_ms": stats.Pool(9, 20, 20 * 0.5**2, 1.5)}, "of other ab runs kept here")
    runs = [run(config, percentiles_ms={"99": 10**config}) for config in (1, 2)]
    assert judge(compare(configs("a", "b"), runs, []), spread=spread).of("p99_ms", 1).kind == "likely_worse"


def test_two_repeats_far_outside_all_spread_are_likely_even_if_the_test_is_too_weak():
    # 2 against 2 has so few degrees of freedom that a third config's repeats must help to tell
    steady = [100.0, 101.0, 99.0, 100.0, 102.0, 98.0]
    found = verdict([100.0, 103.0], [200.0, 230.0], steady)
    assert found.p_adjusted > 0.05
    assert found.kind == "likely_better"


def test_the_repeats_wanted_allow_for_all_configs():
    found = verdict(FOUR, [103.0, 101.0, 104.0, 102.0], *[[102.5, 100.5, 103.5, 101.5]] * 6)
    alone = verdict(FOUR, [103.0, 101.0, 104.0, 102.0])
    assert (alone.needed, found.needed) == (28, 35)


def test_single_runs_without_repeats_anywhere_say_not_how_many_are_wanted():
    assert verdict([100.0], [117.0]).needed is None


def test_what_is_no_number_does_not_count():
    found = verdict([100.0, math.nan], [117.0, math.inf])
    assert (found.n, found.n_base) == (1, 1)


def test_a_missing_figure_is_no_verdict():
    made = compare(configs("a", "b"), [run(1, 10.0, mean_ms=5.0), run(2, 12.0)], [])
    assert judge(made).of("mean_ms", 1) is None
    assert judge(made).of(RATE, 0) is None


def test_settings_and_what_mirrors_the_requests_get_no_verdict():
    made = table([10.0], [20.0], concurrency=100, duration_s=3.0, values={"transfer_rate_kbytes_per_s": 5.0})
    assert judge(made).metrics == (RATE,)


def test_a_thousand_repeats_are_judged_by_ranks():
    base = [100 + math.sin(at) for at in range(1000)]
    found = verdict(base, [value * 1.1 for value in base])
    assert (found.kind, found.test) == ("better", "Brunner-Munzel")
    assert found.ratio == pytest.approx(1.1, abs=0.001)
