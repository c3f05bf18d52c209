"""What is concluded from figures, and what is not."""

from __future__ import annotations

import math

import pytest

from runs.analysis import stats
from runs.analysis.table import compare
from runs.analysis.verdict import Spread, judge, words
from runs.tests.analysis.facts import configs, run
from runs.tests.analysis.judging import RATE, table, verdict

FOUR = [100.0, 101.0, 102.0, 103.0]
# Repeats of one config that were up to 42 % apart, 8 in all
SPREAD = Spread({RATE: stats.Pool(4, 4, 4 * 0.15**2, math.log(1.42))}, "of other ab runs kept here")


def test_four_repeats_a_side_can_prove_a_difference():
    found = verdict(FOUR, [117.0, 118.0, 119.0, 121.0])
    assert (found.kind, found.test, found.n, found.n_base) == ("better", "Mann-Whitney, exact", 4, 4)
    assert found.p == pytest.approx(2 / 70)
    assert (found.effect, found.effect_word) == (1, "large")
    assert found.text == "17 % more, 95 % interval 14 to 21 %, p=0.029, 4 repeats each"


def test_less_latency_is_better_and_more_is_worse():
    slow = [value * 2 for value in FOUR]
    assert verdict(FOUR, slow, key="mean_ms").kind == "worse"
    assert verdict(slow, FOUR, key="mean_ms").kind == "better"
    assert "50 % shorter" in verdict(slow, FOUR, key="mean_ms").text


def test_two_and_three_repeats_are_tested_on_the_logs():
    found = verdict([100.0, 101.0, 102.0], [200.0, 204.0])
    assert (found.kind, found.test) == ("better", "Welch on the logs")
    assert found.of == "geometric means"
    assert found.effect is None


def test_repeats_that_vary_more_than_the_configs_differ_leave_it_open():
    found = verdict([617.01, 878.81], [722.23, 887.55])
    assert found.kind == "undecided"
    assert found.low < 1 < found.high
    assert found.needed == 100
    assert "About 100 repeats a side would settle it" in found.detail
    assert "Repeats vary by up to 42 %" in found.detail


def test_the_same_within_two_per_cent_is_a_verdict_of_its_own():
    found = verdict([1000.0, 1001.0, 1002.0, 1003.0], [1004.0, 1005.0, 1006.0, 1007.0])
    assert found.p < 0.05  # they differ, and by too little to matter
    assert (found.kind, found.text) == ("same", "the same within 2 %, 4 repeats each")
    assert found.detail.endswith(" 95 % interval 0.1 to 0.7 % more.")


def test_an_interval_that_leaves_two_per_cent_is_not_the_same():
    # By hand: sd of the logs about 0.01 in 3 a side: 0.01 * sqrt(2 / 3) * t(4 df) 2.78 = 2.3 %
    assert verdict([99.0, 100.0, 101.0], [99.0, 100.0, 101.0]).kind == "undecided"


def test_repeats_equal_to_the_last_digit_on_both_sides_are_the_same_where_the_tool_is_fine_enough():
    fields = {"percentiles_ms": {"50": 93}}
    assert judge(table([1.0, 1.0], [1.0, 1.0], **fields)).of("p50_ms", 1).kind == "same"
    coarse = {"percentiles_ms": {"50": 3}}
    assert judge(table([1.0, 1.0], [1.0, 1.0], **coarse)).of("p50_ms", 1).kind == "undecided"


def test_a_step_of_the_tool_is_no_difference():
    runs = [run(config, percentiles_ms={"50": 2 + config % 2}) for config in (1, 2) for _ in range(8)]
    found = judge(compare(configs("a", "b"), runs, [])).of("p50_ms", 1)
    assert found.p < 0.05
    assert (found.kind, found.text) == (
        "undecided",
        "no further apart than the 1 ms that the tool tells, 8 repeats each",
    )


def test_sieges_hundredths_of_seconds_are_its_step():
    runs = [run(config, tool="siege", mean_ms=60.0 + 10 * config) for config in (1, 2)]
    assert "10 ms that the tool tells" in judge(compare(configs("a", "b"), runs, [])).of("mean_ms", 1).text


def test_one_run_each_inside_what_repeats_vary_by_is_undecided():
    found = verdict([100.0], [117.0], spread=SPREAD)
    assert (found.kind, found.test, found.p) == ("undecided", "", None)
    assert found.text == "17 % more, one run each, repeats of other runs vary by 42 %"
    assert "4 sets of repeats of other ab runs kept here" in found.detail


def test_one_run_each_far_outside_what_repeats_vary_by_is_likely_and_never_more():
    found = verdict([8.96], [292.56], spread=SPREAD)
    assert (found.kind, found.low, found.p) == ("likely_better", None, None)
    assert found.text == "33 times as many, one run each, far beyond the 42 % that repeats of other runs vary by"
    assert verdict([292.56], [8.96], spread=SPREAD).kind == "likely_worse"


def test_a_difference_just_beyond_the_widest_repeats_is_still_open():
    found = verdict([100.0], [150.0], spread=SPREAD)
    assert found.kind == "undecided"
    assert found.text == "50 % more, one run each, not far beyond the 42 % that repeats of other runs vary by"


def test_repeats_in_the_comparison_go_before_those_elsewhere():
    steady = [100.0, 100.5, 101.0, 100.2]
    found = verdict([100.0], [130.0], steady, spread=SPREAD)
    assert found.kind == "likely_better"
    assert "far beyond the 1.0 % that repeats vary by" in found.text


def test_one_run_against_several_is_measured_by_their_spread():
    found = verdict([100.0, 101.0, 102.0, 100.5, 99.5], [160.0])
    assert (found.kind, found.test) == ("likely_better", "")
    assert found.text.startswith("59 % more, 1 run against 5, far beyond the 2.5 %")


def test_without_any_repeats_only_what_is_many_times_apart_is_likely():
    assert verdict([100.0], [250.0]).kind == "undecided"
    assert verdict([100.0], [250.0]).text == "150 % more, one run each, no repeats to go by"
    assert verdict([100.0], [310.0]).kind == "likely_better"
    assert "one run each, far beyond what repeats usually vary by" in verdict([100.0], [310.0]).text
    assert "less than 3 times is not judged" in verdict([100.0], [250.0]).detail


def test_the_slowest_requests_of_single_runs_are_not_judged():
    found = verdict([105.0], [4612.0], key="max_ms")
    assert found.kind == "undecided"
    assert "a single run's slowest requests are not judged" in found.detail


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


def test_among_several_configs_holm_takes_the_proof_away():
    alone = verdict(FOUR, [104.0, 105.0, 106.0, 107.0])
    assert alone.kind == "better"
    others = [[100.5, 101.5, 102.5, 103.5]] * 3
    found = verdict(FOUR, [104.0, 105.0, 106.0, 107.0], *others)
    assert (found.p, found.p_adjusted) == (pytest.approx(2 / 70), pytest.approx(8 / 70))
    assert found.kind == "likely_better"  # still far beyond what all their repeats vary by
    assert "after Holm over 4 configs" in found.detail


def test_the_repeats_wanted_allow_for_all_configs():
    found = verdict(FOUR, [104.0, 105.0, 106.0, 107.0], *[[100.5, 101.5, 102.5, 103.5]] * 6)
    assert found.needed >= 6  # with seven configs four or five a side can never be enough


def test_what_so_few_repeats_can_never_prove_is_said():
    far = [[value * times for value in FOUR] for times in (1.004, 1.5)]
    found = verdict(FOUR, *far)
    assert (found.kind, found.p_adjusted) == ("undecided", pytest.approx(48 / 70))
    assert found.text.endswith("4 repeats each, p=0.69, too few to prove anything")
    # 2 in the 70 ways to share out 8 ranks, twice for two configs
    assert "So few repeats cannot come below p=0.057 after Holm over 2 configs" in found.detail
    assert verdict(FOUR, *far, at=2).kind == "likely_better"
    assert "cannot come below" in verdict(FOUR, *far, at=2).detail


def test_four_repeats_that_could_have_proven_it_are_not_called_too_few():
    assert "too few" not in verdict(FOUR, [value * 1.004 for value in FOUR]).text
    five = [*FOUR, 104.0]
    assert "too few" not in verdict(five, five, five).text


def test_holm_counts_the_configs_that_were_tested_and_not_the_single_runs():
    assert "after Holm over 2 configs" in verdict(FOUR, FOUR, FOUR, [110.0]).detail


def test_one_wild_run_among_four_turns_the_means_round_and_that_is_said():
    found = verdict([800.1, 812.3, 795.7, 805.2], [870.4, 881.9, 402.2, 875.3])
    assert found.kind == "undecided"
    assert found.text.startswith("8.6 % more, 95 % interval")
    assert found.text.endswith("by the median of all pairs, while the means say otherwise")
    # Noether's formula with 12 of 16 pairs won: 2 (1.96 + 0.84)² / (3 · 0.5²)
    assert found.needed == 21


def test_a_fall_is_set_beside_a_fall():
    # 42 % up are 30 % down, so that 33 % fewer lie beyond what repeats vary by
    assert verdict([150.0], [100.0], spread=SPREAD).text == (
        "33 % fewer, one run each, not far beyond the 30 % that repeats of other runs lie below each other by"
    )
    assert verdict([150.0], [100.0], spread=SPREAD).basis.endswith(
        "not far beyond the 42 % that repeats of other runs vary by"
    )


def test_values_that_the_tool_cannot_tell_apart_are_called_so_and_not_in_want_of_repeats():
    coarse = judge(table([1.0] * 8, [1.0] * 8, percentiles_ms={"50": 24})).of("p50_ms", 1)
    assert coarse is not None
    assert (coarse.kind, coarse.text) == (
        "undecided",
        "no further apart than the 1 ms that the tool tells, 8 repeats each",
    )
    assert coarse.needed is None
    assert coarse.detail == "Mann-Whitney, exact: p=1.00. Ratio of all pairs of runs (median)."


def test_repeats_wanted_by_the_spread_of_others_are_said_to_go_by_it():
    assert verdict([100.0], [117.0], spread=SPREAD).detail.endswith(
        "if it stays this far apart and varies as those do."
    )
    assert "those" not in verdict([100.0, 110.0], [117.0, 120.0], spread=SPREAD).detail


def test_a_rank_test_is_called_too_sure_where_the_fewer_repeats_vary_more():
    steady, wild = [100.0 + at / 10 for at in range(12)], [110.0, 120.0, 135.0, 150.0]
    assert verdict(steady, wild).text.endswith(
        "4 repeats against 12, p is somewhat too small as the fewer repeats vary more"
    )
    assert "too small" not in verdict(steady[:4], wild).text
    assert "too small" not in verdict([100.0 + at for at in range(12)], [120.0, 121.0, 122.0, 123.0]).text


def test_of_many_sets_of_repeats_the_widest_is_no_bound():
    many = Spread({RATE: stats.Pool(40, 60, 60 * 0.15**2, math.log(1.42))}, "of other ab runs kept here")
    assert "by up to 42 % in 19 of 20 sets (40 sets" in verdict([100.0], [117.0], spread=many).detail


def test_a_chance_is_never_rounded_onto_the_border():
    assert [words.chance(p) for p in (0.0498, 0.0502, 0.04999, 0.05, 0.029, 0.5)] == [
        *("p=0.0498", "p=0.0502", "p<0.05", "p≥0.05", "p=0.029", "p=0.50")
    ]


def test_more_than_a_hundred_repeats_are_not_counted():
    found = verdict([100.0, 300.0], [101.0, 310.0])
    assert found.needed == stats.MOST_REPEATS + 1
    assert "More than 100 repeats a side" in found.detail


def test_single_runs_without_repeats_anywhere_say_not_how_many_are_wanted():
    assert verdict([100.0], [117.0]).needed is None


def test_a_zero_has_no_ratio_and_no_verdict():
    for base, own in (([0.0], [5.0]), ([5.0], [0.0]), ([0.0, 1.0], [2.0, 3.0]), ([-1.0], [1.0])):
        found = verdict(base, own)
        assert (found.kind, found.ratio) == ("none", None)
    assert verdict([0.0], [0.0]).text == "0 on both sides"


def test_zeros_among_many_repeats_are_still_told_by_their_ranks():
    found = verdict([0.0, 1.0, 2.0, 3.0], [10.0, 11.0, 12.0, 13.0])
    assert (found.kind, found.ratio, found.text) == ("better", None, "p=0.029, 4 repeats each")


def test_what_is_no_number_does_not_count():
    found = verdict([100.0, math.nan], [117.0, math.inf])
    assert (found.n, found.n_base) == (1, 1)


def test_repeats_equal_to_the_last_digit_prove_nothing_of_two_values():
    found = verdict([100.0, 100.0], [117.0, 117.0])
    assert (found.kind, found.text) == (
        "undecided",
        "17 % more, 2 repeats each, repeats all equal, which tells of no spread",
    )


def test_a_missing_figure_is_no_verdict():
    made = compare(configs("a", "b"), [run(1, 10.0, mean_ms=5.0), run(2, 12.0)], [])
    assert judge(made).of("mean_ms", 1) is None
    assert judge(made).of(RATE, 0) is None


def test_settings_and_what_mirrors_the_requests_get_no_verdict():
    made = table([10.0], [20.0], concurrency=100, duration_s=3.0, values={"transfer_rate_kbytes_per_s": 5.0})
    assert judge(made).metrics == (RATE,)


def test_a_thousand_repeats_are_judged_by_the_approximation():
    base = [100 + math.sin(at) for at in range(1000)]
    found = verdict(base, [value * 1.1 for value in base])
    assert (found.kind, found.test) == ("better", "Mann-Whitney, normal approximation")
    assert found.ratio == pytest.approx(1.1, abs=0.001)
