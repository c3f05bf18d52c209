"""Runs that are too short, cold, interrupted, or called unreliable by their own tool."""

from __future__ import annotations

import pytest

from runs.analysis import find_doubts
from runs.analysis.doubt_case import Case, Doubt, list_excluded
from runs.tests.analysis import facts
from runs.tests.analysis.doubting import FIXTURES, of, one, report, said, session

pytestmark = pytest.mark.django_db


def fixture(name: str) -> str:
    return next(FIXTURES.glob(f"*/{name}.txt")).read_text(encoding="utf-8")


def repeats(*rates: float) -> str:
    """A config's repeats, each with a rate (and the time taken that goes with it)."""
    reports = [
        report(
            "long_1",
            Requests_per_second=f"{rate:.2f} [#/sec] (mean)",
            Time_taken_for_tests=f"{5000 / rate:.3f} seconds",
            Time_per_request=f"{15000 / rate:.3f} [ms] (mean)",
        )
        for rate in rates
    ]
    return session(nginx="\n".join(f"run {number}:\n\n{text}" for number, text in enumerate(reports, 1)))


def test_a_run_of_half_a_second_is_too_short():
    doubt = one(said(report("ok")), "length.seconds")
    assert "400 requests by 8 clients in 0.17 s" in doubt.text


def test_the_time_of_a_quoted_run_is_worked_out_from_its_command_and_its_rate():
    text = "$ ab -n 100 http://web1.lan/\nRequests per second:    316.08 [#/sec] (mean)\nTime per request:   3.164 [ms] (mean)\n"
    assert "100 requests by 1 client in 0.32 s" in one(said(text), "length.seconds").text


def test_a_run_of_twelve_seconds_is_long_enough():
    assert of(said(report("long_1")), "length.seconds") == []


def test_four_requests_a_client_are_too_few():
    doubt = one(said(report("ok", Concurrency_Level="100").replace("-c 8", "-c 100")), "length.per_client")
    assert "400 requests by 100 clients, 4 each" in doubt.text


def test_fifty_requests_a_client_are_enough():
    assert of(said(report("ok")), "length.per_client") == []


def test_a_99th_percentile_of_400_requests_is_noted_and_of_5000_it_is_not():
    assert one(said(report("ok")), "length.p99").severity == "note"
    assert of(said(report("long_1")), "length.p99") == []


def test_a_first_repeat_that_is_well_behind_the_second_is_a_cold_start():
    doubt = one(said(repeats(617.01, 878.81)), "warmth.first")
    assert doubt.severity == "caution"
    assert "617.0 requests per second, 878.8 in the second" in doubt.text
    assert len(doubt.runs) == 1


def test_a_cold_start_is_to_be_left_out_of_every_config():
    assert "leave the first of every config uncounted" in one(said(repeats(617.01, 878.81)), "warmth.first").text


@pytest.mark.parametrize("rates", [(800.0, 878.81), (900.0, 878.81), (700.0, 600.0, 880.0, 890.0), (617.01,)])
def test_what_lies_as_far_apart_as_the_others_is_no_cold_start(rates):
    assert of(said(repeats(*rates)), "warmth.first") == []


def test_a_first_repeat_behind_several_that_agree_is_a_cold_start():
    assert "the mean of the 3 later ones" in one(said(repeats(700.0, 880.0, 885.0, 890.0)), "warmth.first").text


def test_what_ab_calls_not_reliable_is_a_caution():
    doubt = one(said(fixture("ab_22_not_reliable")), "tool.warnings")
    assert doubt.severity == "caution"
    assert 'ab calls its processing and total times "NOT reliable"' in doubt.text


def test_what_ab_calls_probably_not_that_reliable_is_a_note():
    assert one(said(fixture("ab_21_not_normal")), "tool.warnings").severity == "note"


def test_what_siege_warns_of_is_told_in_its_own_words():
    assert "capped at 255" in one(said(fixture("siege_08_capped")), "tool.warnings").text


def test_a_report_without_warnings_is_not_doubted_for_any():
    assert of(said(report("long_1")), "tool.warnings") == []


def test_a_run_that_broke_off_with_a_rate_is_fatal_and_without_one_a_note():
    assert one(said(fixture("ab_10_reset")), "tool.aborted").severity == "note"
    text = fixture("siege_02_b_t").replace(
        "Lifting the server siege...",
        "siege aborted due to excessive socket failure; you\ncan change the failure threshold in $HOME/.siegerc",
    )
    found = said(text)
    assert one(found, "tool.aborted").severity == "fatal"
    assert len(list_excluded(found)) == 1


def test_a_run_that_came_to_its_end_is_not_said_to_have_broken_off():
    found = said(report("long_1"))
    assert of(found, "tool.aborted") == of(found, "tool.interrupted") == []


def test_a_load_for_a_set_time_that_ended_early_was_stopped():
    asked = {"tool": "wrk", "command": "wrk -d60s http://a/"}
    runs = [facts.run(1, 100.0, complete_requests=2520, duration_s=took, **asked) for took in (25.2, 60.1)]
    doubt = one(find_doubts(Case(facts.configs("a"), runs, [])), "tool.interrupted")
    assert "25.2" in doubt.text
    assert len(doubt.runs) == 1


def test_a_run_that_someone_stopped_is_told_by_its_missing_requests():
    assert "2,605 of 100,000 requests were made" in one(said(fixture("ab_12_sigint")), "tool.interrupted").text


def test_a_run_that_ended_before_its_time_limit_was_interrupted():
    command = "ab -t 60 -n 1000000 http://web1/"
    runs = [
        facts.run(1, 100.0, command=command, complete_requests=int(100 * took), duration_s=took)
        for took in (25.5, 59.9)
    ]
    doubt = one(find_doubts(Case(facts.configs("a"), runs, [])), "tool.interrupted")
    assert doubt.runs == (runs[0].id,) and "it took 25.5 of 60 s" in doubt.text


def test_less_than_a_second_before_a_short_time_limit_is_no_interruption():
    run = facts.run(1, 100.0, tool="siege", command="siege -b -c 10 -t 3s http://web1/", duration_s=2.62)
    assert of(find_doubts(Case(facts.configs("a"), [run], [])), "tool.interrupted") == []


def test_a_run_with_a_time_limit_is_not_interrupted():
    assert of(said(fixture("ab_11_timelimit")), "tool.interrupted") == []


def test_a_quoted_line_leaves_failures_unseen():
    text = "nginx:\n\nRequests per second:    316.08 [#/sec] (mean)\n"
    assert "failures, percentiles, document not told" in one(said(text), "tool.partial").text


def test_a_whole_report_is_not_called_partial():
    assert of(said(report("long_1")), "tool.partial") == []


def test_of_a_siege_quoted_in_part_only_failures_are_missed():
    text = "itk:\n\nTransaction rate:\t\t      692.00 trans/sec\n"
    assert "failures not told" in one(said(text), "tool.partial").text


def of_rates(rule: str, *rates: float) -> list[Doubt]:
    runs = [facts.run(1, rate, repeat=repeat) for repeat, rate in enumerate(rates, 1)]
    return of(find_doubts(Case(facts.configs("a"), runs)), rule)


def test_a_repeat_far_from_the_others_is_doubted_wherever_it_stands():
    for rates in ((945, 952, 410, 948, 950), (1900, 952, 945, 948)):
        (doubt,) = of_rates("repeats.outlier", *rates)
        assert [finding.facts["rate"] for finding in doubt.findings] == [next(r for r in rates if not 900 < r < 1000)]


def test_a_slow_first_repeat_is_a_cold_start_and_no_outlier_and_near_ones_are_neither():
    assert of_rates("repeats.outlier", 410, 945, 952, 948, 950) == []
    assert of_rates("warmth.first", 410, 945, 952, 948, 950)
    assert of_rates("repeats.outlier", 945, 952, 900, 948, 950) == []
    assert of_rates("repeats.outlier", 945, 410, 952) == []  # of three nobody knows which one is off


@pytest.mark.parametrize(
    ("rates", "moral"),
    [
        ((1000, 965, 930, 899, 861), "slower"),
        ((861, 899, 930, 965, 1000), "faster"),
        ((1000, 999, 998, 997, 996), None),  # under 5 %
        ((1000, 860, 1010, 870, 1005), None),
        ((1000, 900, 800), None),
    ],
)
def test_rates_that_fall_or_rise_from_repeat_to_repeat_are_doubted(rates, moral):
    findings = [finding for doubt in of_rates("repeats.trend", *rates) for finding in doubt.findings]
    assert [finding.moral for finding in findings] == ([moral] if moral else [])
    assert all(finding.config == 1 and len(finding.sources) == 2 for finding in findings)
