"""The sentences that people read: verdicts and comparisons. Other tests assert kinds and numbers."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from runs import ingest
from runs.analysis import conclude, stats
from runs.analysis.doubt_case import Case
from runs.analysis.facts import HostFact
from runs.analysis.judgement import judge
from runs.analysis.stats import delta_word
from runs.analysis.summary_wording import describe_course, describe_method, describe_trend_change, say_on
from runs.analysis.table import compare
from runs.analysis.trend import Change, Day, Stretch, find_course
from runs.analysis.verdict import Kind, Spread
from runs.analysis.verdict_wording import add_words, describe, explain, p_words
from runs.api.comparisons import MetricSerializer, list_rows
from runs.models import Experiment
from runs.selectors import comparison_data, judging
from runs.tests.analysis.facts import capture, configs, httpd, run
from runs.tests.analysis.judging import FOUR, RATE, SPREAD, excluding, failing, headline_of, table, verdict


def said(comparison, **how: Any) -> str:
    return headline_of(comparison, **how).sentence


def told(*sides: list[float], **fields: Any) -> str:
    made = table(*sides, **fields)
    return " ".join(describe_method(made, judge(made)))


def test_four_repeats_a_side_can_prove_a_difference():
    found = verdict(FOUR, [119.0, 117.0, 121.0, 118.0])
    assert (found.kind, found.test, found.n, found.n_base) == ("better", "Welch on the logs", 4, 4)
    assert (found.effect, delta_word(found.effect)) == (1, "large")
    assert describe(found) == "17 % more, 95 % interval 14 to 20 %, p<0.0001, 4 repeats each"


def test_less_latency_is_better_and_more_is_worse():
    slow = [value * 2 for value in FOUR]
    assert verdict(FOUR, slow, key="mean_ms").kind == "worse"
    assert verdict(slow, FOUR, key="mean_ms").kind == "better"
    assert "50 % shorter" in describe(verdict(slow, FOUR, key="mean_ms"))


def test_repeats_that_vary_more_than_the_configs_differ_leave_it_open():
    found = verdict([617.01, 878.81], [722.23, 887.55])
    assert found.kind == "undecided"
    assert found.low < 1 < found.high
    assert found.needed == 101
    assert "repeats a side would settle it" in explain(found)
    assert "Repeats vary by up to 42 %" in explain(found)


def test_the_same_within_two_per_cent_is_a_verdict_of_its_own():
    found = verdict([1002.0, 1000.0, 1003.0, 1001.0], [1006.0, 1004.0, 1007.0, 1005.0])
    assert found.p < 0.05  # they differ, and by too little to matter
    assert (found.kind, describe(found)) == ("same", "the same within 2 %, 4 repeats each")
    assert " 95 % interval 0.2 to 0.6 % more. " in explain(found)


def test_runs_in_blocks_that_drift_prove_nothing():
    found = verdict([100.0, 99.1, 97.9, 97.0], [96.1, 94.9, 94.0, 93.1])
    assert (found.kind, found.ground, found.design, found.needed) == ("undecided", "drift", "blocked", None)
    assert describe(found).endswith("4 repeats each, p=0.005, which a drift of 1.0 % a run down could be all of")
    assert "within both they drift that way: 1.0 % a run down would be all of it" in explain(found)


def test_runs_in_blocks_that_vary_too_much_to_rule_a_drift_out_are_likely():
    found = verdict(FOUR, [value * 1.025 for value in FOUR])
    assert (found.kind, found.ground, found.needed) == ("likely_better", "drift", None)
    assert "within both they do not rule out a drift: 0.6 % a run up would be all of it" in explain(found)


def test_an_order_in_blocks_is_said():
    assert "so that a drift of the machine would look alike" in explain(verdict(FOUR, [117.0, 118.0, 119.0, 121.0]))


def test_runs_in_turn_are_compared_pair_by_pair():
    drift = [1 - 0.007 * at for at in range(16)]
    order = "ABBA" * 4
    wild = [1.004, 0.997, 1.001, 0.999, 1.002, 0.996, 1.003, 1.0]
    rates = iter(wild * 2)
    runs = [
        run(1 + "AB".index(c), 100 * next(rates) * d * (1.03 if c == "B" else 1))
        for c, d in zip(order, drift, strict=True)
    ]
    found = judge(compare(configs("a", "b"), runs, [])).of(RATE, 1)
    assert (found.kind, found.design, found.test) == ("better", "alternating", "paired t on the logs")
    assert found.low < 1.03 < found.high
    assert "The runs alternate, and neighbours are compared." in explain(found)


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
    found = verdict([100.0], [210.0], spread=SPREAD)
    assert found.kind == "undecided"
    assert (
        describe(found) == "2.1 times as many, one run each, not far beyond the 42 % that repeats of other runs vary by"
    )


def test_repeats_in_the_comparison_go_before_those_elsewhere():
    steady = [100.0, 100.5, 101.0, 100.2]
    found = verdict([100.0], [230.0], steady, spread=SPREAD)
    assert found.kind == "likely_better"
    assert "far beyond the 1.0 % that repeats vary by" in describe(found)


def test_single_runs_nearer_than_twice_are_not_judged_by_the_spread_of_others():
    found = verdict([100.0], [190.0], [100.0, 100.5, 101.0, 100.2])
    assert (found.kind, found.p) == ("undecided", None)
    assert (
        describe(found) == "90 % more, one run each, nearer than twice, while one run tells nothing of its own spread"
    )


def test_one_run_against_several_is_measured_by_their_spread():
    found = verdict([100.0, 101.0, 102.0, 100.5, 99.5], [260.0])
    assert (found.kind, found.test) == ("likely_better", "")
    assert describe(found).startswith("2.6 times as many, 1 run against 5, far beyond the 2.5 %")


def test_without_any_repeats_only_what_is_many_times_apart_is_likely():
    assert verdict([100.0], [250.0]).kind == "undecided"
    assert describe(verdict([100.0], [250.0])) == "2.5 times as many, one run each, no repeats to go by"
    assert verdict([100.0], [310.0]).kind == "likely_better"
    assert "one run each, far beyond what repeats usually vary by" in describe(verdict([100.0], [310.0]))
    assert "less than 3 times is not judged" in explain(verdict([100.0], [250.0]))


def test_the_slowest_requests_of_single_runs_are_not_judged():
    found = verdict([105.0], [4612.0], key="max_ms")
    assert found.kind == "undecided"
    assert "a single run's slowest requests are not judged" in explain(found)


def test_a_proof_that_holm_takes_away_is_likely_where_it_lies_far_beyond_all_repeats():
    near, others = [value * 1.042 for value in (103.0, 101.0, 102.0, 100.0)], [[101.0, 103.0, 100.0, 102.0]] * 20
    alone = verdict(FOUR, near, in_turn=True)
    assert (alone.kind, round(alone.p, 4)) == ("better", 0.0055)
    found = verdict(FOUR, near, *others, names="abcdefghijklmnopqrstuvwxyz", in_turn=True)
    assert (found.kind, found.ground, round(found.p_adjusted, 2)) == ("likely_better", "far", 0.11)
    assert "after Holm over 21 configs" in explain(found)
    # One config after the other, a drift may explain one of so many differences.
    found = verdict(FOUR, near, *others, names="abcdefghijklmnopqrstuvwxyz")
    assert found.kind == "undecided"
    found = verdict(FOUR, [value * 1.025 for value in FOUR], *[[102.5, 100.5, 103.5, 101.5]] * 3)
    assert (found.kind, round(found.p, 3), round(found.p_adjusted, 2)) == ("undecided", 0.033, 0.13)


def test_holm_counts_the_configs_that_were_tested_and_not_the_single_runs():
    assert "after Holm over 2 configs" in explain(verdict(FOUR, FOUR, FOUR, [110.0]))


def test_a_fall_is_set_beside_a_fall():
    # 42 % up are 30 % down, so that 55 % fewer lie beyond what repeats vary by
    assert describe(verdict([220.0], [100.0], spread=SPREAD)) == (
        "55 % fewer, one run each, not far beyond the 30 % that repeats of other runs lie below each other by"
    )


def test_values_that_the_tool_cannot_tell_apart_are_called_so_and_not_in_want_of_repeats():
    coarse = judge(table([1.0] * 8, [1.0] * 8, percentiles_ms={"50": 24})).of("p50_ms", 1)
    assert coarse is not None
    assert (coarse.kind, describe(coarse)) == (
        "undecided",
        "no further apart than the 1 ms that the tool tells, 8 repeats each",
    )
    assert coarse.needed is None
    assert explain(coarse) == "Ratio of means."


def test_repeats_wanted_by_the_spread_of_others_are_said_to_go_by_it():
    assert explain(verdict([100.0], [117.0], spread=SPREAD)).endswith(
        "if it stays this far apart and varies as those do."
    )
    assert "as those do" not in explain(verdict([100.0, 110.0], [117.0, 120.0], spread=SPREAD))


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


def test_zeros_among_many_repeats_are_tested_as_they_are():
    found = verdict([0.0, 1.0, 2.0, 3.0], [10.0, 11.0, 12.0, 13.0])
    assert (found.kind, found.ratio, describe(found)) == ("better", None, "p<0.0001, 4 repeats each")


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
    fine, worse = [(0, 100), (1, 100), (2, 100), (0, 100)], [(3, 100), (1, 100), (7, 100), (3, 100)]
    found = failing(fine, worse, worse, at=2)
    assert (found.kind, round(found.p_adjusted, 3)) == ("undecided", 0.227)
    assert explain(found) == "Welch's test of each run's share of failures: p=0.11, p=0.23 after Holm over 2 configs."


def test_two_failures_of_siege_are_undecided():
    found = failing([(0, 17422)], [(2, 566)], tool="siege", concurrency=17)
    assert (found.kind, describe(found)) == ("undecided", "0.4 % failed, against 0 %, one run each")


def test_shares_of_failures_are_tested_from_four_repeats_up():
    found = failing([(0, 100), (1, 100), (2, 100), (0, 100)], [(10, 100), (11, 100), (12, 100), (9, 100)])
    assert (found.kind, found.effect) == ("worse", 1)
    assert describe(found) == "10.5 % failed, against 0.8 %, 4 repeats each, p<0.0001"


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
    assert (
        describe(judgement.of("httpd:_each,_mean_during", 1))
        == "2 times as much, one capture each, no repeats to go by"
    )
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


def test_the_next_config_is_the_baseline_where_the_first_does_not_count():
    judgement = excluding(table([10.0], [100.0], [310.0]), {0: "swap was in use"})
    assert judgement.bases == (1, 1, 1)
    assert judgement.of(RATE, 2).base == 1


def test_a_config_set_apart_is_not_compared():
    made = table([10.0], [100.0])
    judgement = judge(made, apart={2: "another machine"})
    assert describe(judgement.of(RATE, 1)) == "not counted: another machine"


def test_the_better_one_is_named_first_whichever_is_the_baseline():
    fast = [value * 1.55 for value in FOUR]
    rest = "(95 % interval 52 to 58 %, 4 runs each, p<0.0001)."
    assert said(table(FOUR, fast)) == f"“b” served 55 % more requests per second than “a” {rest}"
    assert said(table(fast, FOUR)) == f"“a” served 55 % more requests per second than “b” {rest}"


def test_twice_as_much_and_more_is_said_in_times():
    sentence = said(table(FOUR, [value * 2.86 for value in FOUR]))
    assert sentence.startswith(
        "“b” served 2.9 times as many requests per second as “a” (95 % interval 2.8 to 2.9 times"
    )
    assert said(table([100.0], [286.0])).startswith("“b” measured 2.9 times as fast as “a” in one run each")


def test_a_leader_is_named_where_nothing_is_proven():
    assert said(table([100.0], [130.0])) == (
        "“b” measured 30 % faster than “a” in one run each; one run cannot show noise: run each 4 times, in turn."
    )
    assert said(table([617.01, 878.81], [722.23, 887.55])) == (
        "“b” measured 7.6 % faster than “a” in 2 runs each, but runs of one config differ by up to 42 %, and the first of "
        "them looks like a cold start."
    )
    assert said(table([100.0], [100.0])) == "“a” and “b” measured the same, 100 requests per second, in one run each."


def test_what_is_likely_is_not_called_proven():
    assert said(table([10.0], [330.0])) == (
        "“b” likely serves 33 times as many requests per second as “a” (one run each, not proven)."
    )


def test_the_same_is_said():
    sentence = said(table([1000.0, 1001.0, 1002.0, 1003.0], [1001.0, 1002.0, 1003.0, 1004.0]))
    assert sentence == "“b” and “a” serve the same number of requests per second within 2 % (4 runs each)."
    sentence = said(table([500.0, 501.0, 502.0], [1000.0, 1001.0, 1002.0], [1001.0, 1002.0, 1003.0]))
    assert sentence.startswith("“c” and “b”, the best 2 of 3, serve the same number")


def test_of_levels_that_serve_about_the_most_the_first_is_named():
    runs = [run(at, rate) for at, rate in ((1, 400.0), (2, 1450.0), (3, 1460.0))]
    sentence = said(compare(configs("1 worker", "4 workers", "8 workers"), runs, []))
    told = "Requests per second rise from 400 with 1 worker to 1,450 with 4, and stay about there up to 8."
    assert sentence == f"{told} One run a level, which cannot show noise."
    runs = [run(at, rate) for at, rate in ((1, 900.0), (2, 7900.0), (3, 8200.0), (4, 6900.0))]
    sentence = said(compare(configs("1 worker", "4 workers", "8 workers", "16 workers"), runs, []))
    assert sentence.startswith(
        "Requests per second rise from 900 with 1 worker to 7,900 with 4, falling to 6,900 with 16."
    )


def test_of_many_noisy_levels_of_one_run_the_shape_is_told_and_not_the_noise():
    """A server that serves 1,000 at any number of clients, within 10 %; and one that serves more up to 40."""
    noise = [(at * 37 % 41 - 20) / 200 for at in range(260)]
    for rates, told in (
        ([1000 * (1 + off) for off in noise], "About 1,000 requests per second at 1 to 260 connections."),
        ([min(25 * at, 1000) * (1 + off) for at, off in enumerate(noise, 1)], "and stay about there up to 260."),
    ):
        runs = [run(1, rate, concurrency=at) for at, rate in enumerate(rates, 1)]
        found = headline_of(compare(configs("a"), runs, []))
        assert found.sentence.endswith(f"{told} One run a level, which cannot show noise.")
    assert f"at {found.sweep.peak:.0f}, and stay" in found.sentence  # the chart marks the level that the sentence names
    assert 30 <= found.sweep.peak <= 60


def test_noise_is_only_blamed_where_it_could_be_it():
    assert "so this may be noise" in said(table([100.0, 106.0], [108.0]))
    assert "; one run cannot show noise" in said(table([100.0, 106.0], [190.0]))


def test_what_a_side_was_not_sent_or_did_not_answer_in_time_is_said_in_words():
    at_rate = {"tool": "wrk", "command": "wrk -R500 -d30s http://h/", "complete_requests": 15_000}
    runs = [run(1, 499.0, **at_rate), run(2, 372.0, **at_rate | {"complete_requests": 11_160})]
    assert "“b” was to be sent 500 requests per second and got 372" in said(compare(configs("a", "b"), runs, []))
    k6 = {"tool": "k6", "values": {"dropped_iterations": {"count": 25}, "iterations": {"count": 75}}}
    found = said(compare(configs("a", "b"), [run(1, 500.0, tool="k6"), run(2, 372.0, **k6)], []))
    assert "“b” dropped 25 % of what was due at its set rate" in found
    late = {"tool": "wrk", "complete_requests": 1000, "values": {"socket_errors": {"timeout": 162}}}
    found = said(compare(configs("a", "b"), [run(1, 100.0, tool="wrk"), run(2, 120.0, **late)], []))
    assert found == "“b” answered 16.2 % of its requests too late; “a” served 100 a second without failures."
    stopped = {"command": "ab -n 100000 -c 9 http://h/", "complete_requests": 6213}
    found = said(compare(configs("a", "b"), [run(1, 100.0), run(2, 120.0, **stopped)], []))
    assert "“b” was stopped after 6,213 of 100,000 requests" in found
    stopped |= {"command": "ab -t 60 -n 100000 -c 9 http://h/", "duration_s": 25.0}
    found = said(compare(configs("a", "b"), [run(1, 100.0), run(2, 120.0, **stopped)], []))
    assert "“b” was stopped after 25 of 60 s" in found


def test_of_days_that_lie_apart_both_are_said_and_one_day_is_advised():
    sides = ((1, FOUR, 14), (2, [rate * 1.1 for rate in FOUR], 21))
    runs = [run(at, rate, ran_at=datetime(2023, 3, day, tzinfo=UTC)) for at, rates, day in sides for rate in rates]
    found = headline_of(compare(configs("a", "b"), runs, []))
    assert found.sentence.endswith(
        ", but measured on other days: 2023-03-21 against 2023-03-14, which could be all of it."
    )
    assert found.next.text.startswith("Run both again on one day, in turn")


def test_of_several_configs_the_best_stands_against_the_next_and_the_baseline():
    assert said(table([100.0], [110.0], [103.0])) == (
        "“b” measured 6.8 % faster than “c”, the next of 3, in one run each; one run cannot show noise: run each 4 times, in "
        "turn. “b” served 10 % more than “a”, the baseline (unproven)."
    )


def test_counts_of_runs_belong_to_the_side_that_is_named_first():
    assert "in 2 runs against 3," in said(table([100.0, 140.0, 120.0], [150.0, 110.0]))
    assert "in 3 runs against 2," in said(table([150.0, 120.0], [100.0, 145.0, 180.0]))


def test_failures_are_the_news():
    runs = [run(1, 900.1, failed_requests=0, complete_requests=10000)]
    runs += [
        run(
            2,
            1500.0,
            failed_requests=3000,
            complete_requests=10000,
            values={"failed_connect": 3000, "failed_length": 0},
        )
    ]
    failed = "“b” failed 30 % of its requests; “a” served 900.1 a second without failures."
    assert said(compare(configs("a", "b"), runs, [])) == failed
    assert said(compare(configs("a", "b"), runs[1:], [])) == (
        "“b” failed 30 % of its requests, so its rate says nothing."
    )
    third = run(3, 950.0, failed_requests=0, complete_requests=10000)
    assert said(compare(configs(*"abc"), [*runs, third], [])).startswith(
        "“b” failed 30 % of its requests; “c” served 950 a second without failures. Of those that did not fail, “c” measured "
        "5.5 % faster than “a” in one run each"
    )


def test_replies_of_another_status_are_no_service():
    told = {"complete_requests": 1000, "failed_requests": 0}
    runs = [run(1, 80.0, **told), run(2, 800.0, **told, values={"non_2xx_responses": 1000})]
    assert said(compare(configs("a", "b"), runs, [])) == (
        "“b” answered every request with an error or a redirect; “a” served 80 a second without failures."
    )


def test_a_longer_tail_stands_in_the_sentence():
    slow = [1520.0, 1530.0, 1510.0, 1525.0, 1515.0]
    runs = [run(1, 1000.0 + at, percentiles_ms={"99": 117.0 + at}) for at in range(5)]
    runs += [run(2, 1095.0 + at, percentiles_ms={"99": slow[at]}) for at in range(5)]
    found = headline_of(compare(configs("a", "b"), runs, []))
    assert found.sentence == (
        "“b” served 9.5 % more requests per second than “a” (95 % interval 9.2 to 9.7 %, 5 runs each, p<0.0001), but its p99 is "
        "13 times as long (1,520 against 119 ms)."
    )
    assert [one.text for one in found.against] == ["p99 1,520 ms, 13 times as long"]
    assert found.next.text == "More runs do not settle it: decide which of the two matters more."


def test_unlike_loads_are_said():
    runs = [run(1, 1000.0, keepalive=False), run(2, 3000.0, keepalive=True)]
    assert said(compare(configs("nginx", "apache"), runs, [])) == (
        "Not comparable: keep-alive on for “apache”, off for “nginx”. Rates under unlike conditions say nothing of the configs."
    )


@pytest.mark.parametrize(
    ("machines", "names", "sentence"),
    [
        (
            (("Intel(R) Xeon(R) CPU E5-2670 0 @ 2.60GHz", 8), ("AMD EPYC 7502P 32-Core Processor", 64)),
            ("Old server", "New server"),
            "as “Old server”, on another machine: 64 cores against 8 (one run each, not proven).",
        ),
        (
            (("Intel(R) Xeon(R) CPU E5-2670 0 @ 2.60GHz", 32), ("AMD EPYC 7502P 32-Core Processor", 32)),
            ("Old server", "New server"),
            "as “Old server”, on another machine: AMD EPYC 7502P against Intel Xeon E5-2670 0 (one run each, not proven).",
        ),
        ((("Xeon E5", 8), ("Xeon E5", 64)), ("small vm", "big vm"), "as “small vm”, with 64 cores against 8 (one run"),
        ((("Xeon E5", 8), ("Xeon E5", 64)), ("8 cores", "64 cores"), "as “8 cores” (one run each"),
        ((("Xeon E5", 8), ("Xeon E5", 64)), ("Machine one", "Machine two"), "“Machine one”, with 64 cores against 8"),
        ((("Xeon E5", 8), ("Xeon E5", 64)), ("nginx on VPS 1", "nginx on VPS 2"), "“nginx on VPS 1”, with 64 cores"),
        ((("Xeon E5", 8), ("Xeon E5", 64)), ("Apache on VPS 1", "nginx on VPS 2"), "Not comparable: cores 64"),
        ((("Xeon E5", 8), ("Xeon E5", 8)), ("Old server", "New server"), "as “Old server” (one run each"),
    ],
)
def test_machines_that_are_compared_are_named_behind_the_effect(machines, names, sentence):
    hosts = [HostFact(at, f"host {at}", cpu, cores) for at, (cpu, cores) in enumerate(machines, 1)]
    runs = [run(at, rate, host_id=at, host=f"host {at}") for at, rate in ((1, 8000.0), (2, 27136.0))]
    assert sentence in said(compare(configs(*names), runs, []), hosts=hosts)


def test_machines_that_are_compared_are_named_where_nothing_is_proven_or_both_are_alike():
    hosts = [HostFact(1, "a", "Xeon E5", 8), HostFact(2, "b", "EPYC 7302", 64)]

    def between(old: list[float], new: list[float]) -> str:
        runs = [
            run(at, rate, repeat=n, host_id=at, host="ab"[at - 1])
            for at, rates in ((1, old), (2, new))
            for n, rate in enumerate(rates, 1)
        ]
        return said(compare(configs("Old server", "New server"), runs, []), hosts=hosts)

    assert "than “Old server”, on another machine: 64 cores against 8, in one run each;" in between([100.0], [130.0])
    alike = between([100.0, 100.1, 100.0, 99.9, 100.0], [100.0, 100.1, 100.1, 99.9, 100.0])
    assert ", on two machines: " in alike and " cores and " in alike


def test_a_sweep_is_told_as_one():
    told = {"tool": "ab", "complete_requests": 600}
    runs = [
        run(1, rate, mean_ms=ms, command=f"ab -n 200 -c {level} http://web/", failed_requests=bad, **told)
        for level, rate, ms, bad in ((50, 3.07, 16264.0, 0), (100, 2.82, 35428.0, 0), (150, 4.62, 32435.0, 285))
    ]
    runs[2].values.update(failed_connect=285, failed_length=0)
    found = headline_of(compare(configs("apache"), runs, []))
    assert found.sentence == (
        "About 3 requests per second at 50 and 100 connections, latency doubles, 47.5 % of the requests fail at 150. "
        "One run a level, which cannot show noise."
    )
    assert found.next.text == (
        "Run each level 3 times, in mixed order, to see how much they vary. Try levels between 100 and 150 to find where "
        "requests begin to fail."
    )


@pytest.mark.parametrize(
    ("served", "sentence"),
    [
        ({2000: 1999.97, 4000: 3999.91}, "It keeps up with the set rate up to 4,000 requests per second."),
        (
            {2000: 1999.97, 4000: 3999.91, 8000: 6100.0, 16000: 5900.0},
            "It keeps up with the set rate up to 4,000 requests per second, of 8,000 it serves 6,100.",
        ),
        ({2000: 1700.0, 4000: 1800.0}, "Of 2,000 requests per second it serves 1,700."),
    ],
)
def test_one_config_at_several_set_rates_is_a_sweep(served, sentence):
    runs = [run(1, rate, tool="wrk", command=f"wrk -c 50 -R{asked} http://web/") for asked, rate in served.items()]
    found = conclude(Case(configs("nginx"), runs), compare(configs("nginx"), runs, []), None)
    assert found.headline.sentence.removesuffix(" One run a level, which cannot show noise.") == sentence
    assert {verdict.kind for verdict in found.judgement.verdicts.values()} == {Kind.NONE}


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (("1 workers", "2 workers", "8 workers"), "rise from 300 with 1 worker to 1,150 with 8."),
        (("1 worker, php", "2 workers, php", "8 workers, php"), "rise from 300 with 1 worker to 1,150 with 8."),
        (
            ("php, 4 worker processes", "php, 8 worker processes", "php, 16 worker processes"),
            "with 4 worker processes to 1,150 with 16.",
        ),
        (("workers=1", "workers=2", "workers=8"), "rise from 300 with 1 worker to 1,150 with 8."),
        (
            ("2 processes, nginx", "4 processes, nginx", "8 processes, nginx"),
            "rise from 300 with 2 processes to 1,150 with 8.",
        ),
        (("1 process", "4 processes", "8 processes"), "rise from 300 with 1 process to 1,150 with 8."),
        (("64 MB cache", "128 MB cache", "256 MB cache"), "rise from 300 with 64 MB cache to 1,150 with 256 MB."),
        (("MaxClients 50", "MaxClients 100", "MaxClients 150"), "rise from 300 at MaxClients 50 to 1,150 at 150."),
        (("-c 1", "-c 2", "-c 8"), "rise from 300 at -c 1 to 1,150 at 8."),
    ],
)
def test_a_sweep_over_a_number_in_names_counts_what_they_count(names, sentence):
    runs = [run(at, rate) for at, rate in enumerate((300.0, 590.0, 1150.0), 1)]
    assert sentence in said(compare(configs(*names), runs, []))


def test_of_several_configs_over_levels_the_leader_comes_first():
    runs = [
        run(config, rate * times, command=f"ab -n 600 -c {level} http://web/", mean_ms=level * 10 / times)
        for config, times in ((1, 1.0), (2, 1.4))
        for level, rate in ((1, 200.0 / times), (4, 300.0), (16, 310.0))
    ]
    assert said(compare(configs("nginx", "caddy"), runs, [])).startswith(
        "“caddy” leads at every level, with up to 40 % more (one run each). “caddy”: requests per second rise from 200 at 1 "
        "connection to 420 at 4, and stay about there up to 16, latency grows 16 times, from 7.143 to 114.3 ms."
    )


def test_a_sweep_of_several_workloads_has_a_leader_of_each():
    """Rates over the levels of "nginx" and of "caddy", by path."""
    rates = {
        "/a": ((200.0, 300.0, 310.0), (400.0, 450.0, 465.0)),
        "/b": ((90.0, 120.0, 130.0), (80.0, 150.0, 160.0)),
    }
    runs = [
        run(config, rate, command=f"ab -n 600 -c {level} http://web{path}", path=path)
        for path, of_configs in rates.items()
        for config, own in enumerate(of_configs, 1)
        for level, rate in zip((1, 4, 16), own, strict=True)
    ]
    sentence = said(compare(configs("nginx", "caddy"), runs, []))
    assert "On /a: “caddy” leads at every level, with up to 2.0 times as many (one run each). " in sentence
    assert "On /b: “nginx” is ahead at 1 connection, “caddy” at 4 to 16. " in sentence


def test_one_config_asked_for_two_things_at_two_levels_is_a_sweep_of_each():
    runs = [run(1, 9.0 * level, path=path, concurrency=level) for path in ("/a", "/b") for level in (10, 100)]
    assert said(compare(configs("shop"), runs, [])).startswith("“shop · /a”: requests per second rise from 90 at 10")


def test_runs_of_unlike_length_are_no_repeats_and_a_sweep_over_it():
    counts = (100, 1000, 10_000)
    runs = [
        run(1, rate, tool="gatling", complete_requests=n) for n, rate in zip(counts, (17.4, 133.3, 400.3), strict=True)
    ]
    assert "rise from 17.4 with 100 requests to 400.3 with 10,000" in said(compare(configs("shop"), runs, []))
    timed = [run(1, rate, command=f"wrk -c 8 -d {s} http://web/", tool="wrk") for s, rate in ((10, 50.0), (60, 90.0))]
    assert "rise from 50 with 10 seconds to 90 with 60" in said(compare(configs("shop"), timed, []))


def test_adding_runs_until_it_is_proven_is_warned_of():
    assert headline_of(table([100.0], [130.0])).next.text == (
        "Run each 4 times, in turn (A, B, B, A …), each after one warm-up run. Decide on the number first: adding runs until a "
        "difference shows will show one by chance."
    )
    assert headline_of(table([100.0], [130.0], [90.0])).next.text.startswith("Run each 4 times, in turn, each after")


def test_times_stand_in_where_no_rate_is_told():
    slow = [value * 2 for value in FOUR]
    assert said(table(FOUR, slow, figure="mean_ms")).startswith(
        "“a” took 50 % less time per request than “b” (95 % interval 49 to 51 %, 4 runs each, p<0.0001)"
    )


def test_one_config_and_none_have_sentences_too():
    assert (
        said(table([5.0])) == "“a” served 5 requests per second (one run). There is no other config to compare it with."
    )
    assert "No run here says" in said(compare(configs("a"), [run(1)], []))
    assert said(compare([], [], []))


def test_it_says_what_the_correction_is_over_and_what_the_ratios_are_of():
    words = told(FOUR, FOUR)
    assert "Tested by Welch on the logs. p-values are corrected after Holm over the configs of each metric" in words
    assert "not over metrics" in words
    assert "the whole 95 % interval of the ratio lies within 2 % of equal" in words
    assert "ratios of the means in the table" in words


def test_failures_tested_by_fisher_are_not_said_to_be_corrected():
    words = told([100.0], [110.0], failed_requests=60, complete_requests=1000, concurrency=10)
    assert "Tested by Fisher, exact, on groups of requests." in words
    assert "Holm" not in words
    assert "geometric" not in words


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("number", "words"),
    [
        ("000", ["measured 7.6 % faster than", "in 2 runs each, but runs of one config differ by up to 42 %"]),
        (
            "001",
            [
                "neither side's runs took longer than 0.43 s, too short to rely on: ",
                "run each 4 times, in turn, for 10 seconds and more.",
            ],
        ),
        (
            "002",
            ["“peruser, mod_python (django)” likely serves 33 times as many requests per second as “itk, mod_python"],
        ),
        (
            "003",
            [
                "event MPM” failed 17.3 % of its requests",
                "“event MPM” served 55 % more than “worker MPM” (unproven)",
            ],
        ),
        (
            "004",
            [
                "About 3 requests per second at 50 and 100 connections, latency doubles, 47.5 % of the requests fail at 150"
            ],
        ),
    ],
)
def test_the_published_sessions_have_these_sentences(shared, number, words):
    ingest.submit(next(shared.glob(f"seeds/{number}_*.txt")).read_bytes(), origin="rest")
    data = comparison_data.load_experiment(Experiment.objects.order_by("id")[0])
    sentence = judging.compare_and_judge(data)[1].headline.sentence
    assert [part for part in words if part not in sentence] == []


def test_what_is_exported_has_numbers_and_words():
    made = table(FOUR, [119.0, 117.0, 121.0, 118.0])
    told = MetricSerializer(list_rows(made, add_words(judge(made))), many=True).data
    base, own = (cell["verdict"] for cell in told[0]["cells"])
    assert base is None
    assert (own["kind"], own["effect_word"], own["design"]) == ("better", "large", "blocked")
    assert own["low"] > 1


def days(*rates: float) -> list[Day]:
    start = date(2026, 3, 1)
    return [Day(start + timedelta(days=at), 5, math.log(rate), rate, rate) for at, rate in enumerate(rates)]


def test_a_change_of_a_trend_has_its_size_its_day_and_its_runs():
    before, after = (Stretch(tuple(days(*[rate] * 3))) for rate in (1000.0, 874.0))
    change = Change(before, after, 0.001)
    assert describe_trend_change(change) == "−13 % from 1 March 2026, n=15 against 15, p < 0.01"
    better = Stretch(tuple(days(*[1031.4] * 3)))
    assert describe_trend_change(Change(before, better, 0.0151)).startswith("+3.1 % from")
    assert describe_trend_change(Change(before, better, 0.0151)).endswith("p = 0.02")


def test_a_change_of_a_trend_names_the_builds_on_either_side():
    before, after = (
        Stretch(tuple(replace(day, build=f"{name}{at}") for at, day in enumerate(days(*[rate] * 3))))
        for name, rate in (("a", 1000.0), ("b", 874.0))
    )
    assert describe_trend_change(Change(before, after, 0.001)).endswith("; first in b0, not yet in a2")
    assert "first in" not in describe_trend_change(Change(before, Stretch(tuple(days(*[874.0] * 3))), 0.001))


def test_a_trend_says_how_often_it_changed():
    assert describe_course(find_course(days(*[1000, 1001] * 10, *[900, 901] * 10))) == (
        "10 % fewer requests per second since 21 March 2026: 900.5 instead of 1,000. 1 change in 40 days with 200 runs."
    )
    assert (
        describe_course(find_course(days(*[1000, 1001] * 10)))
        == "No change that 20 days with 100 runs would show at 2 %."
    )
    assert describe_course(find_course(days(1000))) == (
        "1 day with 5 runs: too few to tell a change, which takes 3 days before it and 3 after."
    )


def test_a_workload_whose_heading_begins_with_on_has_no_second_one():
    assert [say_on(name) for name in ("/db", "On machine A", "online shop")] == [
        "On /db: ",
        "On machine A: ",
        "On online shop: ",
    ]
