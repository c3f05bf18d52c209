"""Verdicts on failed requests, and what they do to the others."""

from __future__ import annotations

from runs.analysis.judgement import judge
from runs.analysis.table import compare, list_failed_shares
from runs.tests.analysis.facts import configs, run
from runs.tests.analysis.judging import RATE, failing, headline_of


def test_no_failures_on_either_side_need_no_verdict():
    assert failing([(0, 1000)], [(0, 1000)]) is None


def test_a_burst_that_took_what_was_under_way_is_one_failure():
    assert failing([(0, 10_000)], [(100, 10_000)], concurrency=1).kind == "likely_worse"
    assert failing([(0, 10_000)], [(100, 10_000)], concurrency=100).kind == "undecided"


def test_any_number_of_requests_is_compared_at_once():
    """Fisher's test takes a time of the number of requests: of 10^17 it never came back."""
    assert failing([(0, 2 * 10**17)], [(40, 80)]).kind == "likely_worse"
    assert failing([(3 * 10**16, 3 * 10**17)], [(10**16, 10**17)]).kind == "undecided"


def test_a_failing_run_that_does_not_count_takes_no_gain_from_the_others():
    fine = {"failed_requests": 0, "complete_requests": 600}
    runs = [run(1, 3.0, **fine), run(2, 30.0, **fine), run(2, 40.0, failed_requests=500, complete_requests=600)]
    made = compare(configs("a", "b"), runs, [])
    assert judge(made).of(RATE, 1).kind == "none"
    assert judge(made, excluded={runs[2].id: "most requests failed"}).of(RATE, 1).kind == "likely_better"


def test_a_run_that_broke_off_thins_out_no_share_of_failures():
    """The sentence and the key table tell one share, of the runs that tell how many failed."""
    fine = [run(1, rate, failed_requests=0, complete_requests=600, tool="ab") for rate in (30.0, 31.0, 32.0)]
    failed = [run(2, 20.0, failed_requests=240, complete_requests=600, tool="ab") for _ in range(2)]
    broken = run(2, aborted=True, tool="ab", command="ab -n 600 http://a/")
    made = compare(configs("a", "b"), [*fine, *failed, broken], [])
    found = headline_of(made)
    assert "“b” failed 40 % of its requests" in found.sentence
    assert list_failed_shares(made) == {1: 0.4}
