"""The sentences that people read: verdicts and comparisons. Other tests assert kinds and numbers."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from runs import ingest
from runs.analysis import stats
from runs.analysis.export import structure
from runs.analysis.judgement import judge
from runs.analysis.stats import delta_word
from runs.analysis.summary_wording import describe_method
from runs.analysis.table import compare
from runs.analysis.verdict import Spread
from runs.analysis.verdict_wording import add_words, describe, explain, p_words
from runs.models import Experiment
from runs.selectors import reads
from runs.tests.analysis.facts import capture, configs, httpd, run
from runs.tests.analysis.judging import FOUR, RATE, SPREAD, excluding, failing, table, verdict


def said(comparison, **how: Any) -> str:
    return add_words(comparison, judge(comparison, **how)).sentence


def told(*sides: list[float], **fields: Any) -> str:
    made = table(*sides, **fields)
    return " ".join(describe_method(made, judge(made)))


def test_four_repeats_a_side_can_prove_a_difference():
    found = verdict(FOUR, [117.0, 118.0, 119.0, 121.0])
    assert (found.kind, found.test, found.n, found.n_base) == ("better", "Mann-Whitney, exact", 4, 4)
    assert found.p == pytest.approx(2 / 70)
    assert (found.effect, delta_word(found.effect)) == (1, "large")
    assert describe(found) == "17 % more, 95 % interval 14 to 21 %, p=0.029, 4 repeats each"


def test_less_latency_is_better_and_more_is_worse():
    slow = [value * 2 for value in FOUR]
    assert verdict(FOUR, slow, key="mean_ms").kind == "worse"
    assert verdict(slow, FOUR, key="mean_ms").kind == "better"
    assert "50 % shorter" in describe(verdict(slow, FOUR, key="mean_ms"))


def test_repeats_that_vary_more_than_the_configs_differ_leave_it_open():
    found = verdict([617.01, 878.81], [722.23, 887.55])
    assert found.kind == "undecided"
    assert found.low < 1 < found.high
    assert found.needed == 100
    assert "About 100 repeats a side would settle it" in explain(found)
    assert "Repeats vary by up to 42 %" in explain(found)


def test_the_same_within_two_per_cent_is_a_verdict_of_its_own():
    found = verdict([1000.0, 1001.0, 1002.0, 1003.0], [1004.0, 1005.0, 1006.0, 1007.0])
    assert found.p < 0.05  # they differ, and by too little to matter
    assert (found.kind, describe(found)) == ("same", "the same within 2 %, 4 repeats each")
    assert explain(found).endswith(" 95 % interval 0.1 to 0.7 % more.")


def test_a_step_of_the_tool_is_no_difference():
    runs = [run(config, percentiles_ms={"50": 2 + config % 2}) for config in (1, 2) for _ in range(8)]
    found = judge(compare(configs("a", "b"), runs, [])).of("p50_ms", 1)
    assert found.p < 0.05
    assert (found.kind, describe(found)) == (
        "undecided",
        "no further apart than the 1 ms that the tool tells, 8 repeats each",
    )


def test_sieges_hundredths_of_seconds_are_its_step():
    runs = [run(config, tool="siege", mean_ms=60.0 + 10 * config) for config in (1, 2)]
    assert "10 ms that the tool tells" in describe(judge(compare(configs("a", "b"), runs, [])).of("mean_ms", 1))


def test_one_run_each_inside_what_repeats_vary_by_is_undecided():
    found = verdict([100.0], [117.0], spread=SPREAD)
    assert (found.kind, found.test, found.p) == ("undecided", "", None)
    assert describe(found) == "17 % more, one run each, repeats of other runs vary by 42 %"
    assert "4 sets of repeats of other ab runs kept here" in explain(found)


def test_one_run_each_far_outside_what_repeats_vary_by_is_likely_and_never_more():
    found = verdict([8.96], [292.56], spread=SPREAD)
    assert (found.kind, found.low, found.p) == ("likely_better", None, None)
    assert describe(found) == "33 times as many, one run each, far beyond the 42 % that repeats of other runs vary by"
    assert verdict([292.56], [8.96], spread=SPREAD).kind == "likely_worse"


def test_a_difference_just_beyond_the_widest_repeats_is_still_open():
    found = verdict([100.0], [150.0], spread=SPREAD)
    assert found.kind == "undecided"
    assert describe(found) == "50 % more, one run each, not far beyond the 42 % that repeats of other runs vary by"


def test_repeats_in_the_comparison_go_before_those_elsewhere():
    steady = [100.0, 100.5, 101.0, 100.2]
    found = verdict([100.0], [130.0], steady, spread=SPREAD)
    assert found.kind == "likely_better"
    assert "far beyond the 1.0 % that repeats vary by" in describe(found)


def test_one_run_against_several_is_measured_by_their_spread():
    found = verdict([100.0, 101.0, 102.0, 100.5, 99.5], [160.0])
    assert (found.kind, found.test) == ("likely_better", "")
    assert describe(found).startswith("59 % more, 1 run against 5, far beyond the 2.5 %")


def test_without_any_repeats_only_what_is_many_times_apart_is_likely():
    assert verdict([100.0], [250.0]).kind == "undecided"
    assert describe(verdict([100.0], [250.0])) == "150 % more, one run each, no repeats to go by"
    assert verdict([100.0], [310.0]).kind == "likely_better"
    assert "one run each, far beyond what repeats usually vary by" in describe(verdict([100.0], [310.0]))
    assert "less than 3 times is not judged" in explain(verdict([100.0], [250.0]))


def test_the_slowest_requests_of_single_runs_are_not_judged():
    found = verdict([105.0], [4612.0], key="max_ms")
    assert found.kind == "undecided"
    assert "a single run's slowest requests are not judged" in explain(found)


def test_among_several_configs_holm_takes_the_proof_away():
    alone = verdict(FOUR, [104.0, 105.0, 106.0, 107.0])
    assert alone.kind == "better"
    others = [[100.5, 101.5, 102.5, 103.5]] * 3
    found = verdict(FOUR, [104.0, 105.0, 106.0, 107.0], *others)
    assert (found.p, found.p_adjusted) == (pytest.approx(2 / 70), pytest.approx(8 / 70))
    assert found.kind == "likely_better"  # still far beyond what all their repeats vary by
    assert "after Holm over 4 configs" in explain(found)


def test_what_so_few_repeats_can_never_prove_is_said():
    far = [[value * times for value in FOUR] for times in (1.004, 1.5)]
    found = verdict(FOUR, *far)
    assert (found.kind, found.p_adjusted) == ("undecided", pytest.approx(48 / 70))
    assert describe(found).endswith("4 repeats each, p=0.69, too few to prove anything")
    # 2 in the 70 ways to share out 8 ranks, twice for two configs
    assert "So few repeats cannot come below p=0.057 after Holm over 2 configs" in explain(found)
    assert verdict(FOUR, *far, at=2).kind == "likely_better"
    assert "cannot come below" in explain(verdict(FOUR, *far, at=2))


def test_four_repeats_that_could_have_proven_it_are_not_called_too_few():
    assert "too few" not in describe(verdict(FOUR, [value * 1.004 for value in FOUR]))
    five = [*FOUR, 104.0]
    assert "too few" not in describe(verdict(five, five, five))


def test_holm_counts_the_configs_that_were_tested_and_not_the_single_runs():
    assert "after Holm over 2 configs" in explain(verdict(FOUR, FOUR, FOUR, [110.0]))


def test_one_wild_run_among_four_turns_the_means_round_and_that_is_said():
    found = verdict([800.1, 812.3, 795.7, 805.2], [870.4, 881.9, 402.2, 875.3])
    assert found.kind == "undecided"
    assert describe(found).startswith("8.6 % more, 95 % interval")
    assert describe(found).endswith("by the median of all pairs, while the means say otherwise")
    # Noether's formula with 12 of 16 pairs won: 2 (1.96 + 0.84)² / (3 · 0.5²)
    assert found.needed == 21


def test_a_fall_is_set_beside_a_fall():
    # 42 % up are 30 % down, so that 33 % fewer lie beyond what repeats vary by
    assert describe(verdict([150.0], [100.0], spread=SPREAD)) == (
        "33 % fewer, one run each, not far beyond the 30 % that repeats of other runs lie below each other by"
    )
    # In the sentence the better one is named first, and with it a rise
    sentence = said(table([150.0], [100.0]), spread=SPREAD)
    assert "(one run each, not far beyond the 42 % that repeats of other runs vary by)." in sentence


def test_values_that_the_tool_cannot_tell_apart_are_called_so_and_not_in_want_of_repeats():
    coarse = judge(table([1.0] * 8, [1.0] * 8, percentiles_ms={"50": 24})).of("p50_ms", 1)
    assert coarse is not None
    assert (coarse.kind, describe(coarse)) == (
        "undecided",
        "no further apart than the 1 ms that the tool tells, 8 repeats each",
    )
    assert coarse.needed is None
    assert explain(coarse) == "Mann-Whitney, exact: p=1.00. Ratio of all pairs of runs (median)."


def test_repeats_wanted_by_the_spread_of_others_are_said_to_go_by_it():
    assert explain(verdict([100.0], [117.0], spread=SPREAD)).endswith(
        "if it stays this far apart and varies as those do."
    )
    assert "those" not in explain(verdict([100.0, 110.0], [117.0, 120.0], spread=SPREAD))


def test_a_rank_test_is_called_too_sure_where_the_fewer_repeats_vary_more():
    steady, wild = [100.0 + at / 10 for at in range(12)], [110.0, 120.0, 135.0, 150.0]
    assert describe(verdict(steady, wild)).endswith(
        "4 repeats against 12, p is somewhat too small as the fewer repeats vary more"
    )
    assert "too small" not in describe(verdict(steady[:4], wild))
    assert "too small" not in describe(verdict([100.0 + at for at in range(12)], [120.0, 121.0, 122.0, 123.0]))


def test_of_many_sets_of_repeats_the_widest_is_no_bound():
    many = Spread({RATE: stats.Pool(40, 60, 60 * 0.15**2, math.log(1.42))}, "of other ab runs kept here")
    assert "by up to 42 % in 19 of 20 sets (40 sets" in explain(verdict([100.0], [117.0], spread=many))


def test_a_chance_is_never_rounded_onto_the_border():
    assert [p_words(p) for p in (0.0498, 0.0502, 0.04999, 0.05, 0.029, 0.5)] == [
        *("p=0.0498", "p=0.0502", "p<0.05", "p≥0.05", "p=0.029", "p=0.50")
    ]


def test_more_than_a_hundred_repeats_are_not_counted():
    found = verdict([100.0, 300.0], [101.0, 310.0])
    assert found.needed == stats.MOST_REPEATS + 1
    assert "More than 100 repeats a side" in explain(found)


def test_a_zero_has_no_ratio_and_no_verdict():
    for base, own in (([0.0], [5.0]), ([5.0], [0.0]), ([0.0, 1.0], [2.0, 3.0]), ([-1.0], [1.0])):
        found = verdict(base, own)
        assert (found.kind, found.ratio) == ("none", None)
    assert describe(verdict([0.0], [0.0])) == "0 on both sides"


def test_zeros_among_many_repeats_are_still_told_by_their_ranks():
    found = verdict([0.0, 1.0, 2.0, 3.0], [10.0, 11.0, 12.0, 13.0])
    assert (found.kind, found.ratio, describe(found)) == ("better", None, "p=0.029, 4 repeats each")


def test_repeats_equal_to_the_last_digit_prove_nothing_of_two_values():
    found = verdict([100.0, 100.0], [117.0, 117.0])
    assert (found.kind, describe(found)) == (
        "undecided",
        "17 % more, 2 repeats each, repeats all equal, which tells of no spread",
    )


def test_many_failures_in_one_run_are_likely_worse():
    found = failing([(0, 1_000_000)], [(172849, 1_000_000)], concurrency=1000)
    assert (found.kind, describe(found)) == ("likely_worse", "17.3 % failed, against 0 %, one run each")


def test_the_groups_that_are_tested_are_told():
    # 285 failures, 150 at a time, are 2 groups at least, of the 4 that 600 requests make
    found = failing([(0, 200)], [(285, 600)], concurrency=150)
    assert "That leaves 2 of 4 groups that failed against 0 of 1." in explain(found)


def test_chances_of_several_configs_are_told_before_and_after_holm():
    fine, worse = [(0, 100), (1, 100), (2, 100), (0, 100)], [(10, 100), (11, 100), (12, 100), (9, 100)]
    found = failing(fine, worse, worse, at=2)
    assert (found.kind, round(found.p_adjusted, 3)) == ("undecided", 0.057)
    assert explain(found) == (
        "Mann-Whitney on each run's share of failures: p=0.029, p=0.057 after Holm over 2 configs."
    )


def test_two_failures_of_siege_are_undecided():
    found = failing([(0, 17422)], [(2, 566)], tool="siege", concurrency=17)
    assert (found.kind, describe(found)) == ("undecided", "0.4 % failed, against 0 %, one run each")


def test_shares_of_failures_are_compared_by_rank_from_four_repeats_up():
    found = failing([(0, 100), (1, 100), (2, 100), (0, 100)], [(10, 100), (11, 100), (12, 100), (9, 100)])
    assert (found.kind, found.effect) == ("worse", 1)
    assert describe(found) == "10.5 % failed, against 0.8 %, 4 repeats each, p=0.029"


def test_more_requests_with_more_failures_are_no_gain():
    runs = [run(1, 3.0, failed_requests=0, complete_requests=200)] * 1
    runs += [run(2, 30.0, failed_requests=285, complete_requests=600, mean_ms=1.0)]
    found = judge(compare(configs("a", "b"), runs, [])).of(RATE, 1)
    assert found.kind == "none"
    assert "no gain, 47.5 % failed, against 0 %" in describe(found)


def test_beating_a_baseline_that_fails_is_not_its_loss():
    runs = [
        run(1, 30.0, failed_requests=285, complete_requests=600),
        run(2, 3.0, failed_requests=0, complete_requests=200),
    ]
    found = judge(compare(configs("a", "b"), runs, [])).of(RATE, 1)
    assert found.kind == "none"
    assert "no loss, 0 % failed, against 47.5 %" in describe(found)


def test_ab_without_a_line_of_non_2xx_responses_had_none():
    runs = [run(1, 5.0, complete_requests=1000), run(2, 5.0, complete_requests=1000, values={"non_2xx_responses": 900})]
    found = judge(compare(configs("a", "b"), runs, [])).of("non_2xx_responses", 1)
    assert (found.kind, describe(found)) == ("likely_worse", "90 % answered with an error, against 0 %, one run each")


def test_memory_and_cpu_are_judged_and_counted_as_captures():
    captures = [
        capture(
            config,
            metrics={"cpu_id": 90.0 - 40 * config, "mem_free_kb": 2048.0, "mem_cached_kb": 1.0},
            processes=httpd(13.5 * config, 40 * config),
        )
        for config in (1, 2)
    ]
    made = compare(configs("a", "b"), [run(1, 5.0), run(2, 6.0)], captures)
    judgement = judge(made)
    assert describe(judgement.of("httpd:_each,_mean_during", 1)) == "100 % more, one capture each, no repeats to go by"
    assert describe(judgement.of("cpu_busy_during", 1)) == "80 % more, one capture each, no repeats to go by"
    assert judgement.of("mem_obtainable_during", 1).kind == "undecided"
    assert judgement.of("cpu_us_during", 1) is None


def test_idle_that_comes_of_serving_less_is_no_gain():
    runs = [run(config, rate) for config, rate in ((1, 100.0), (2, 10.0)) for _ in range(2)]
    captures = [capture(1, metrics={"cpu_id": 5.0}), capture(2, metrics={"cpu_id": 90.0})]
    found = judge(compare(configs("a", "b"), runs, captures)).of("cpu_busy_during", 1)
    assert found.kind == "none"
    assert "no gain, as it served fewer requests" in describe(found)


def test_a_config_without_runs_that_count_says_why():
    judgement = excluding(table([10.0], [12.0], [13.0]), {1: "285 of 600 failed: the higher rate is not a gain."})
    assert describe(judgement.of(RATE, 1)) == "not counted: 285 of 600 failed: the higher rate is not a gain."
    assert judgement.of(RATE, 2).kind == "undecided"
    assert "Not counted: “b” (285 of 600 failed)." in judgement.sentence


def test_the_next_config_is_the_baseline_where_the_first_does_not_count():
    judgement = excluding(table([10.0], [100.0], [310.0]), {0: "swap was in use"})
    assert judgement.bases == (1, 1, 1)
    assert judgement.of(RATE, 2).base == 1
    assert "“c” served 3.1 times as many as “b”" in judgement.sentence


def test_a_config_set_apart_is_not_compared():
    made = table([10.0], [100.0])
    judgement = add_words(made, judge(made, apart={2: "another machine"}))
    assert describe(judgement.of(RATE, 1)) == "not counted: another machine"
    assert "nothing to compare with" in judgement.sentence


def test_the_better_one_is_named_first_whichever_is_the_baseline():
    fast = [value * 1.55 for value in FOUR]
    want = "served 1.55 times as many as"
    rest = "(95 % interval 1.5 to 1.6 times, p=0.029, 4 repeats each)."
    assert said(table(FOUR, fast)) == f"In requests per second, “b” {want} “a” {rest}"
    assert said(table(fast, FOUR)) == f"In requests per second, “a” {want} “b” {rest}"


def test_where_nothing_is_proven_the_sentence_says_so_first():
    assert said(table([617.01, 878.81], [722.23, 887.55])) == (
        "No difference in requests per second can be claimed: “b” served 8.7 % more than “a” (95 % interval from 65 % fewer"
        " to 3.3 times as many, 2 repeats each, p=0.73, repeats vary by 42 %)."
        " About 100 repeats a side may settle it."
    )


def test_likely_and_undecided_are_kept_apart():
    sentence = said(table([10.0], [330.0], [10.1]))
    assert sentence == (
        "Likely, though not proven: “b” served 33 times as many as “a” (one run each, far beyond what repeats usually vary by)."
        " Undecided: “c” served 1.0 % more than “a” (one run each, no repeats to go by)."
    )


def test_the_same_is_said():
    sentence = said(table([1000.0, 1001.0, 1002.0, 1003.0], [1001.0, 1002.0, 1003.0, 1004.0]))
    assert sentence == "The same in requests per second: “b” and “a” (the same within 2 %, 4 repeats each)."


def test_of_many_configs_the_first_are_named_and_the_rest_counted():
    sentence = said(table(*[[float(at)] for at in range(100, 108)]))
    assert sentence.count("served") == 3
    assert "; and 4 more." in sentence


def test_what_several_rest_on_is_said_once():
    assert said(table([100.0], [110.0], [103.0])) == (
        "No difference in requests per second can be claimed: “b” served 10 % more than “a”; “c” served 3.0 % more than “a”"
        " (one run each, no repeats to go by)."
    )


def test_where_each_rests_on_something_else_two_are_named():
    sides = [[value * times for value in (100.0, 103.0, 96.0, 101.0, 99.0)] for times in (1, 1.01, 0.99, 1.02, 1.005)]
    sentence = said(table(*sides))
    assert sentence.count("served") == sentence.count("95 % interval") == 2
    assert "; and 2 more." in sentence


def test_why_one_is_not_counted_is_said_and_why_several_are_not_stands_below():
    made = table([100.0], [110.0], [120.0])
    one = excluding(made, {1: "285 of 600 requests failed: the higher req/s is not a gain."}).sentence
    assert one.endswith("Not counted: “b” (285 of 600 requests failed).")
    several = excluding(made, {1: "it swapped", 2: "half of it failed"}).sentence
    assert several.endswith("Not counted: “b”; “c” (see the doubts).")


def test_times_stand_in_where_no_rate_is_told():
    slow = [value * 2 for value in FOUR]
    assert said(table(FOUR, slow, figure="mean_ms")).startswith(
        "In mean time per request, “a” answered 2 times as fast as “b” (95 % interval 1.94 to 2.06 times"
    )
    near = said(table(FOUR, [value * 1.1 for value in FOUR], figure="mean_ms"))
    assert "“a” answered in 9.1 % less time than “b” (95 % interval 6.4 to 12 % shorter" in near


def test_one_config_and_none_have_sentences_too():
    assert said(table([5.0])) == "“a” served 5 requests per second (n=1); there is nothing to compare with."
    assert "No run here says" in said(compare(configs("a"), [run(1)], []))
    assert said(compare([], [], []))


def test_it_says_what_the_correction_is_over_and_what_the_ratios_are_of():
    words = told(FOUR, FOUR)
    assert "Tested by Mann-Whitney, exact. p-values are corrected after Holm over the configs of each metric" in words
    assert "not over metrics" in words
    assert "the whole 95 % interval of the ratio lies within 2 % of equal" in words
    assert "may differ from those of the means in the table" in words


def test_failures_tested_by_fisher_are_not_said_to_be_corrected():
    words = told([100.0], [110.0], failed_requests=60, complete_requests=1000, concurrency=10)
    assert "Tested by Fisher, exact, on groups of requests." in words
    assert "Holm" not in words
    assert "geometric" not in words


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("number", "words"),
    [
        ("000", ["No difference in requests per second can be claimed", "2 repeats each", "repeats vary by 42 %"]),
        ("001", ["one run each, no repeats to go by"]),
        ("002", ["Likely, though not proven: “peruser, mod_python (django)” served 33 times as many as"]),
        ("003", ["“(1.1) event MPM” served 1.55 times as many as “(1.2) worker MPM” (one run each"]),
    ],
)
def test_the_published_sessions_have_these_sentences(shared, number, words):
    ingest.submit(next(shared.glob(f"seeds/{number}_*.txt")).read_bytes(), door="rest")
    material = reads.of_experiment(Experiment.objects.order_by("id")[0])
    sentence = said(compare(material.configs, material.runs, material.captures))
    assert [part for part in words if part not in sentence] == []


def test_what_is_exported_has_numbers_and_words():
    made = table(FOUR, [117.0, 118.0, 119.0, 121.0])
    told = json.loads(json.dumps(structure(made, add_words(made, judge(made)))))
    base, own = (cell["verdict"] for cell in told["metrics"][0]["cells"])
    assert base is None
    assert (own["kind"], own["effect_word"]) == ("better", "large")
    assert own["low"] > 1
