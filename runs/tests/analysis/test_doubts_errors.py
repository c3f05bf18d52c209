"""Failed requests: which are failures, how much they weigh, and what follows."""

from __future__ import annotations

import pytest

from runs.analysis import find_doubts
from runs.analysis.doubt_case import Case, list_excluded
from runs.analysis.table import compare
from runs.tests.analysis import facts
from runs.tests.analysis.doubting import FIXTURES, of, one, report, said, session

pytestmark = pytest.mark.django_db
FAILED = "(Connect: 0, Receive: 0, Length: 50, Exceptions: 0)"


def siege(name: str) -> str:
    return (FIXTURES / "siege" / f"siege_{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("rule", ["errors.failed", "errors.length", "errors.status"])
def test_a_run_without_failures_is_not_doubted_for_any(rule):
    assert of(said(report("ok")), rule) == []


def test_a_reset_connection_is_counted_once_although_ab_counts_it_under_length_too():
    found = said(report("reset"))
    doubt = one(found, "errors.failed")
    assert doubt.severity == "fatal"
    assert "57 of 400 requests failed (14.3 %: 43 exceptions)" in doubt.text
    assert of(found, "errors.length") == []


@pytest.mark.parametrize(("exceptions", "severity"), [("1", "note"), ("10", "caution"), ("43", "fatal")])
def test_the_share_of_failures_decides_how_much_they_weigh(exceptions, severity):
    text = report(
        "ok", Failed_requests=f"{exceptions}\n   (Connect: 0, Receive: 0, Length: 0, Exceptions: {exceptions})"
    )
    assert one(said(text), "errors.failed").severity == severity


def test_more_requests_per_second_are_no_gain_where_many_failed():
    found = said(session(nginx=report("long_1"), apache=report("reset")))
    assert one(found, "errors.failed").text.endswith("the higher req/s may be no gain.")
    assert len(list_excluded(found)) == 1


def test_fewer_requests_per_second_with_failures_are_called_no_gain_by_nobody():
    text = report("reset", Requests_per_second="300.03 [#/sec] (mean)")
    doubt = one(said(session(nginx=report("long_1"), apache=text)), "errors.failed")
    assert "gain" not in doubt.text
    assert "not comparable" in doubt.text


def test_failures_whose_kind_is_not_told_are_no_more_than_a_caution():
    text = "Requests per second:    421.00 [#/sec] (mean)\nComplete requests:      400\nFailed requests:        57\n"
    assert one(said(text), "errors.failed").severity == "caution"


def test_what_failed_in_a_siege_is_told_with_its_availability():
    text = siege("02_b_t").replace("Failed transactions:\t           0", "Failed transactions:\t          11")
    text = text.replace("100.00 %", " 99.70 %")
    doubt = one(said(text), "errors.failed")
    assert (doubt.severity, "availability 99.7 %" in doubt.text) == ("note", True)


def test_a_siege_without_failures_is_not_doubted_for_any():
    found = said(siege("02_b_t"))
    assert of(found, "errors.failed") == of(found, "errors.status") == []


def test_refused_replies_are_told_of_by_their_status_and_not_by_their_length():
    found = said(report("busy"))
    doubt = one(found, "errors.status")
    assert doubt.severity == "fatal"
    assert "40 of 400 replies had another status than 2xx (10 %)" in doubt.text
    assert of(found, "errors.length") == []


def test_a_page_that_was_never_there_is_told_of_as_such():
    found = said((FIXTURES / "ab" / "ab_08_non2xx.txt").read_text(encoding="utf-8"))
    assert "every reply had another status than 2xx" in one(found, "errors.status").text


def test_a_siege_whose_replies_were_errors_is_told_of():
    text = siege("02_b_t")
    text = text.replace("Successful transactions:        3634", "Successful transactions:        3000")
    assert one(said(text), "errors.status").severity == "fatal"


def test_a_siege_with_more_successes_than_transactions_is_fine():
    assert of(said(siege("04_json")), "errors.status") == []


def test_another_length_on_a_page_that_changes_is_a_note():
    found = said((FIXTURES / "ab" / "ab_09_length.txt").read_text(encoding="utf-8"))
    doubt = one(found, "errors.length")
    assert doubt.severity == "note"
    assert "857 of 1,000 requests failed by length" in doubt.text
    assert list_excluded(found) == {}


def test_stumps_in_place_of_the_page_are_fatal():
    doubt = one(said(report("stump")), "errors.length")
    assert doubt.severity == "fatal"
    assert "4 bytes per reply instead of 1,500 bytes" in doubt.text


def test_a_few_stumps_are_a_note():
    text = report("stump", Failed_requests="1\n   (Connect: 0, Receive: 0, Length: 1, Exceptions: 0)")
    text = text.replace(FAILED, "").replace("525200 bytes", "598504 bytes")
    assert one(said(text), "errors.length").severity == "note"


def test_a_page_that_never_changed_in_another_run_is_fixed_and_its_failures_are_real():
    text = report("long_2", Failed_requests=f"50\n   {FAILED}", HTML_transferred="7480000 bytes")
    assert one(said(text), "errors.length").severity == "note"
    found = said(session(nginx=report("long_1"), apache=text))
    doubt = one(found, "errors.length")
    assert (doubt.severity, "of a page that does not change" in doubt.text) == ("caution", True)


def test_a_page_that_a_cache_made_steady_in_another_run_changes_all_the_same():
    text = report("long_2", Failed_requests=f"50\n   {FAILED}", HTML_transferred="7499990 bytes")
    assert one(said(session(cached=report("long_1"), plain=text)), "errors.length").severity == "note"


def test_a_page_named_like_a_file_is_fixed_unless_its_replies_are_nearly_alike():
    fails = report("long_2", Failed_requests="2500\n   (Connect: 0, Receive: 0, Length: 2500, Exceptions: 0)")
    short = fails.replace("/page", "/a.html").replace("7500000 bytes", "6500000 bytes")
    assert one(said(short), "errors.length").severity == "fatal"
    near = fails.replace("/page", "/b.html").replace("7500000 bytes", "7490000 bytes")
    assert one(said(near), "errors.length").severity == "note"


def test_a_first_reply_that_was_the_odd_one_is_told_as_that():
    text = report("stump", Document_Length="4 bytes").replace(
        "Failed requests:        50", "Failed requests:        350"
    )
    doubt = one(said(text.replace("Length: 50", "Length: 350")), "errors.length")
    assert (doubt.severity, "the odd one" in doubt.text) == ("caution", True)


@pytest.mark.parametrize(
    ("tool", "values"),
    [
        ("wrk", {"non_2xx_responses": 40}),
        ("hey", {"status_codes": {"200": 360, "503": 40}}),
        ("h2load", {"status_2xx": 360, "status_3xx": 0, "status_4xx": 30, "status_5xx": 10}),
    ],
)
def test_every_tool_s_own_count_of_other_statuses_is_read(tool, values):
    runs = [facts.run(1, 100.0, tool=tool, complete_requests=400, failed_requests=0, values=values)]
    assert "40 of 400 replies" in one(find_doubts(Case(facts.configs("a"), runs)), "errors.status").text


def test_statuses_that_are_all_2xx_are_fine():
    runs = [facts.run(1, 100.0, tool="hey", complete_requests=400, values={"status_codes": {"200": 390, "201": 10}})]
    assert of(find_doubts(Case(facts.configs("a"), runs)), "errors.status") == []


def found_in(**fields):
    return find_doubts(Case(facts.configs("a"), [facts.run(1, 100.0, **fields)]))


@pytest.mark.parametrize(
    ("tool", "values", "severity", "counts"),
    [
        ("ab", {}, "fatal", {"": 34}),
        ("ab", {"failed_length": 34}, "caution", {"length": 34}),
        ("ab", {"failed_connect": 34}, "fatal", {"connect": 34}),
        ("k6", {}, "fatal", {"": 34}),
        ("wrk", {"socket_errors": {"timeout": 34}}, "caution", {"late": 34}),
        ("autocannon", {"responses_non_2xx": 134}, "fatal", {"": 34, "status": 134}),
    ],
)
def test_more_failures_than_requests_are_called_impossible_and_nothing_else(tool, values, severity, counts):
    found = found_in(tool=tool, complete_requests=25, failed_requests=34, concurrency=5, values=values)
    finding = one(found, "figures.counts").findings[0]
    assert (finding.severity, finding.facts) == (severity, {"counts": counts, "made": 25})
    assert [doubt.rule for doubt in found if doubt.rule.startswith("errors.")] == []


def test_error_replies_to_requests_that_were_under_way_are_possible():
    values = {"responses_non_2xx": 106421}
    found = found_in(tool="autocannon", complete_requests=106420, failed_requests=0, concurrency=5, values=values)
    assert of(found, "figures.counts") == []
    assert one(found, "errors.status").findings[0].moral == "status_fatal"


def test_late_answers_are_told_apart_from_requests_that_failed():
    values = {"socket_errors": {"connect": 0, "read": 3, "write": 0, "timeout": 50}}
    found = found_in(tool="wrk", complete_requests=1000, failed_requests=53, values=values)
    assert one(found, "errors.late").findings[0].facts == {"late": 50, "made": 1000, "waited": 0.0}
    failed = one(found, "errors.failed").findings[0]
    assert (failed.severity, failed.facts["bad"], failed.facts["made"]) == ("note", 3, 1003)


def test_replies_that_the_tool_counts_as_failures_are_doubted_once():
    values = {"status_codes": {"200": 900, "503": 100}}
    found = found_in(tool="vegeta", complete_requests=1000, failed_requests=100, values=values)
    assert one(found, "errors.failed").severity == "fatal"
    assert of(found, "errors.status") == []
    redirected = {"status_codes": {"200": 900, "302": 100}}
    assert one(found_in(tool="vegeta", complete_requests=1000, failed_requests=0, values=redirected), "errors.status")


@pytest.mark.parametrize(
    ("tool", "values"),
    [
        ("wrk", {"non_2xx_responses": 348}),
        ("autocannon", {"responses_2xx": 9652, "responses_non_2xx": 348}),
        ("hey", {"status_codes": {"200": 9652, "404": 300, "500": 48}}),
        ("oha", {"status_codes": {"200": 9652, "404": 348}}),
        ("bombardier", {"status_2xx": 9652, "status_4xx": 300, "status_5xx": 48, "others": 0}),
        ("plow", {"status_2xx": 9652, "status_5xx": 348}),
        ("httperf", {"status_2xx": 9652, "status_3xx": 0, "status_4xx": 340, "status_5xx": 8}),
        ("jmeter", {"status_codes": {"200": 9652, "404": 348, "Non HTTP response code: timeout": 5}}),
        ("siege", {"successful_transactions": 9652}),
    ],
)
def test_error_replies_stand_in_the_table_and_in_the_doubts_whatever_the_tool(tool, values):
    run = facts.run(1, 100.0, tool=tool, complete_requests=10_000, failed_requests=0, values=values)
    row = compare(facts.configs("a"), [run], []).row("non_2xx_responses")
    assert row is not None and row.cells[0].mean == 348
    finding = one(find_doubts(Case(facts.configs("a"), [run])), "errors.status").findings[0]
    assert (finding.severity, finding.facts["other"]) == ("caution", 348)


def test_a_share_of_success_without_counts_tells_of_failures():
    """The first lines of a report, as people quote them."""
    run = facts.run(1, 900.0, tool="oha", complete_requests=None, values={"success_rate_pct": 71.0})
    found = [doubt for doubt in find_doubts(Case(facts.configs("a"), [run])) if doubt.rule == "errors.failed"]
    assert [(doubt.severity, "availability was 71 %" in doubt.text) for doubt in found] == [("fatal", True)]


def test_failures_of_which_no_total_is_told_are_a_caution():
    text = "| Server | req/s | Failed |\n|---|---|---|\n| nginx | 48211 | 0 |\n| caddy | 31877 | 3999 |\n"
    doubt = one(said(text), "errors.failed")
    assert doubt.severity == "caution"
    assert "3,999 requests failed" in doubt.text and "Nothing tells how many were made" in doubt.text
