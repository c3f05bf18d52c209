"""Verdicts on failed requests, and what they do to the others."""

from __future__ import annotations

from runs.analysis.table import compare
from runs.analysis.verdict import judge
from runs.tests.analysis.facts import configs, run
from runs.tests.analysis.judging import RATE


def failing(*sides: list[tuple[int, int]], at: int = 1, **fields: object):
    """A config's runs as (failed, made); 10 requests per second each, twice that in the second config.

    The verdict on the config at `at`.
    """
    runs = [
        run(number, 10.0 * number, failed_requests=bad, complete_requests=made, **fields)
        for number, side in enumerate(sides, 1)
        for bad, made in side
    ]
    return judge(compare(configs(*"abcd"[: len(sides)]), runs, [])).of("failed_requests", at)


def test_no_failures_on_either_side_need_no_verdict():
    assert failing([(0, 1000)], [(0, 1000)]) is None


def test_many_failures_in_one_run_are_likely_worse():
    found = failing([(0, 1_000_000)], [(172849, 1_000_000)], concurrency=1000)
    assert (found.kind, found.text) == ("likely_worse", "17.3 % failed, against 0 %, one run each")


def test_a_burst_that_took_what_was_under_way_is_one_failure():
    assert failing([(0, 10_000)], [(100, 10_000)], concurrency=1).kind == "likely_worse"
    assert failing([(0, 10_000)], [(100, 10_000)], concurrency=100).kind == "undecided"


def test_the_groups_that_are_tested_are_told():
    # 285 failures, 150 at a time, are 2 groups at least, of the 4 that 600 requests make
    found = failing([(0, 200)], [(285, 600)], concurrency=150)
    assert "That leaves 2 of 4 groups that failed against 0 of 1." in found.detail


def test_chances_of_several_configs_are_told_before_and_after_holm():
    fine, worse = [(0, 100), (1, 100), (2, 100), (0, 100)], [(10, 100), (11, 100), (12, 100), (9, 100)]
    found = failing(fine, worse, worse, at=2)
    assert (found.kind, round(found.p_adjusted, 3)) == ("undecided", 0.057)
    assert found.detail == ("Mann-Whitney on each run's share of failures: p=0.029, p=0.057 after Holm over 2 configs.")


def test_two_failures_of_siege_are_undecided():
    found = failing([(0, 17422)], [(2, 566)], tool="siege", concurrency=17)
    assert (found.kind, found.text) == ("undecided", "0.4 % failed, against 0 %, one run each")


def test_shares_of_failures_are_compared_by_rank_from_four_repeats_up():
    found = failing([(0, 100), (1, 100), (2, 100), (0, 100)], [(10, 100), (11, 100), (12, 100), (9, 100)])
    assert (found.kind, found.effect) == ("worse", 1)
    assert found.text == "10.5 % failed, against 0.8 %, 4 repeats each, p=0.029"


def test_more_requests_with_more_failures_are_no_gain():
    runs = [run(1, 3.0, failed_requests=0, complete_requests=200)] * 1
    runs += [run(2, 30.0, failed_requests=285, complete_requests=600, mean_ms=1.0)]
    found = judge(compare(configs("a", "b"), runs, [])).of(RATE, 1)
    assert found.kind == "none"
    assert "no gain, 47.5 % failed, against 0 %" in found.text


def test_beating_a_baseline_that_fails_is_not_its_loss():
    runs = [
        run(1, 30.0, failed_requests=285, complete_requests=600),
        run(2, 3.0, failed_requests=0, complete_requests=200),
    ]
    found = judge(compare(configs("a", "b"), runs, [])).of(RATE, 1)
    assert found.kind == "none"
    assert "no loss, 0 % failed, against 47.5 %" in found.text


def test_a_failing_run_that_does_not_count_takes_no_gain_from_the_others():
    fine = {"failed_requests": 0, "complete_requests": 600}
    runs = [run(1, 3.0, **fine), run(2, 30.0, **fine), run(2, 40.0, failed_requests=500, complete_requests=600)]
    made = compare(configs("a", "b"), runs, [])
    assert judge(made).of(RATE, 1).kind == "none"
    assert judge(made, excluded={runs[2].id: "most requests failed"}).of(RATE, 1).kind == "likely_better"


def test_ab_without_a_line_of_non_2xx_responses_had_none():
    runs = [run(1, 5.0, complete_requests=1000), run(2, 5.0, complete_requests=1000, values={"non_2xx_responses": 900})]
    found = judge(compare(configs("a", "b"), runs, [])).of("non_2xx_responses", 1)
    assert (found.kind, found.text) == ("likely_worse", "90 % answered with an error, against 0 %, one run each")
