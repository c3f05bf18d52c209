"""The first line of a page: who, by how much; and what stands under it."""

from __future__ import annotations

import pytest

from runs.analysis import conclude
from runs.analysis.doubt_case import Case
from runs.analysis.facts import ConfigFact
from runs.analysis.headline_lead import give_reasons, needs_runs, shorten_doubt, write_lead
from runs.analysis.table import compare
from runs.tests.analysis.facts import capture, run
from runs.tests.analysis.judging import headline_of, table

FIVE = [100.0, 101.0, 99.0, 100.5, 99.5]


@pytest.mark.parametrize(
    ("sides", "text", "figures"),
    [
        ([FIVE, [value * 1.095 for value in FIVE]], "b serves 9.5 % more requests", ("109.5", "100")),
        ([[100.0], [130.0]], "b is 30 % ahead", ("130", "100")),
        ([[100.0], [130.0], [90.0]], "b is 30 % ahead of a", ("130", "100")),
        ([FIVE, [value * 2.5 for value in FIVE], [10.0]], "b serves 2.5 times as many requests as a", ("250", "100")),
        ([[10.0], [330.0]], "b likely serves 33 times as many requests", ("330", "10")),
        ([FIVE, FIVE], "Both serve the same", ("100", "100")),
        ([[5.0]], "5 requests per second", ()),
    ],
)
def test_the_line_says_who_leads_and_by_how_much(sides, text, figures):
    lead = write_lead(headline_of(table(*sides)))
    assert (lead.text, lead.figures) == (text, figures)


def test_a_name_that_was_cut_keeps_its_case():
    names = ("mod_python with the worker MPM", "mod_python with the peruser MPM")
    assert write_lead(headline_of(table([100.0], [130.0], names=names))).text == "peruser is 30 % ahead"


def test_a_name_below_a_long_heading_is_not_cut_away():
    groups = [f"Simple HTTP benchmark results (wrk) with {which} connection" for which in ("close", "keep-alive")]
    every = [(group, name) for group in groups for name in ("koa", "ukoa")]
    named = [ConfigFact(at, f"{group} · {name}", group) for at, (group, name) in enumerate(every, 1)]
    rates = [100.0, 130.0, 200.0, 290.0]
    headline = headline_of(compare(named, [run(at, rate) for at, rate in enumerate(rates, 1)], []))
    assert len(headline.others) == 1
    assert write_lead(headline).who == "keep-alive connection · ukoa"


def test_a_line_that_names_a_config_tells_its_column():
    assert write_lead(headline_of(table([100.0], [130.0]))).at == 1
    assert write_lead(headline_of(table(FIVE, FIVE))).at is None


def test_more_runs_are_asked_for_where_too_few_were_made():
    assert needs_runs(headline_of(table([100.0], [130.0])))
    assert not needs_runs(headline_of(table(FIVE, [value * 2 for value in FIVE])))


def test_a_gain_in_one_run_each_with_failures_asks_for_their_cause_and_says_that_it_is_one_run():
    slow = run(1, 100.0, complete_requests=20_000, failed_requests=0)
    broken = {"failed_connect": 400, "failed_length": 0}
    fast = run(2, 560.0, complete_requests=20_000, failed_requests=400, values=broken)
    headline = headline_of(compare([ConfigFact(1, "off"), ConfigFact(2, "on")], [slow, fast], []))
    assert write_lead(headline).under == "requests per second, one run each. One run cannot show noise."
    assert headline.next.text.startswith("Find out why requests failed (the error log of “on”)")


def test_what_speaks_most_against_a_leader_is_in_the_line_where_it_is_short():
    warm = {"values": {"cached": "a hit"}}
    runs = [run(1, rate, values={"cached": "no hit"}) for rate in FIVE] + [run(2, 2 * rate, **warm) for rate in FIVE]
    headline = headline_of(compare([ConfigFact(1, "x"), ConfigFact(2, "y")], runs, []))
    assert (
        write_lead(headline).text
        == "y likely serves 2.0 times as many requests, but answered from a cache: a hit against no hit"
    )


def test_of_an_unproven_lead_the_line_says_what_is_serious_against_it():
    slow = {"percentiles_ms": {"99": 900.0}}
    runs = [run(1, 1000.0, percentiles_ms={"99": 100.0}), run(2, 1040.0, **slow)]
    lead = write_lead(headline_of(compare([ConfigFact(1, "x"), ConfigFact(2, "y")], runs, [])))
    assert lead.text == "y is 4.0 % ahead, but its p99 is 9.0 times as long"


def test_of_a_sweep_in_which_the_lead_changes_the_line_says_who_is_ahead_where():
    levels = {10: (80.0, 60.0), 50: (120.0, 130.0), 200: (125.0, 210.0)}
    runs = [run(at, rates[at - 1], concurrency=level) for level, rates in levels.items() for at in (1, 2)]
    lead = write_lead(headline_of(compare([ConfigFact(1, "node"), ConfigFact(2, "go")], runs, [])))
    assert (lead.text, lead.under) == (
        "“node” is ahead at 10 connections, “go” at 50 to 200",
        "One run a level, which cannot show noise.",
    )


def test_what_is_below_the_line_of_a_sweep_is_in_whole_sentences():
    runs = [
        run(1, rate, concurrency=at, mean_ms=1000 * at / rate) for at, rate in ((1, 210.0), (16, 1320.0), (64, 1325.0))
    ]
    lead = write_lead(headline_of(compare([ConfigFact(1, "x")], runs, [])))
    assert lead.text == "Requests per second rise from 210 at 1 connection to 1,320 at 16"
    assert lead.under.startswith(
        "They stay about there up to 64; latency grows 10 times, from 4.762 to 48.30 ms. One run"
    )


def test_of_unlike_sides_the_reasons_say_which_has_what():
    sides = [("haproxy", 443, 2000.0), ("envoy", 80, 6000.0)]
    runs = [
        run(at, rate, command=f"ab -n 9000 -c 50 http{'s' * (port == 443)}://h/")
        for at, (_, port, rate) in enumerate(sides, 1)
    ]
    headline = headline_of(compare([ConfigFact(at, name) for at, (name, *_) in enumerate(sides, 1)], runs, []))
    assert write_lead(headline).text == "TLS: off against on"
    assert [words for words, *_ in give_reasons(headline, [])] == ["TLS off for “envoy”, on for “haproxy”"]


def test_what_held_a_side_back_is_said_once():
    captures = [capture(1, metrics={"tcp_time_wait": 28_210.0})]
    made = compare([ConfigFact(1, "a"), ConfigFact(2, "b")], [run(1, 100.0), run(2, 130.0)], captures)
    headline = headline_of(made, captures=captures)
    assert "local ports" not in write_lead(headline).under
    assert "local ports" in give_reasons(headline, [])[0][0]


@pytest.mark.parametrize(
    ("replies", "words"),
    [
        ((300, 350), "a: 300 of 9,000 replies had another status than 2xx; 1 more"),
        ((300, 300), "300 of 9,000 replies had another status than 2xx"),
        ((300, None), "a: 300 of 9,000 replies had another status than 2xx"),
    ],
)
def test_a_reason_that_is_about_several_runs_says_what_was_found_in_the_first(replies, words):
    runs = [
        run(at, 100.0, tool="wrk", complete_requests=9000, values={"non_2xx_responses": n} if n else {})
        for at, n in enumerate(replies, 1)
    ]
    case = Case([ConfigFact(1, "a"), ConfigFact(2, "b")], runs, [])
    doubts = conclude(case, compare(case.configs, runs, []), None).doubts
    assert [shorten_doubt(doubt) for doubt in doubts if doubt.rule == "errors.status"] == [words]


def test_what_is_worse_on_one_of_two_that_serve_the_same_names_it():
    runs = [run(1, rate, percentiles_ms={"99": 182.0 + at}) for at, rate in enumerate(FIVE)]
    runs += [run(2, rate, percentiles_ms={"99": 12.0 + at / 10}) for at, rate in enumerate(FIVE)]
    headline = headline_of(compare([ConfigFact(1, "g1"), ConfigFact(2, "zgc")], runs, []))
    assert give_reasons(headline, [])[0][0].startswith("The p99 of “g1” is 15 times as long")


def test_a_config_that_does_not_count_is_told_beside_the_leader_with_its_reason():
    memory = {"mem_total_kb": 256e3, "mem_available_kb": 20e3, "swap_used_kb": 0.0}
    captures = [capture(at, metrics=memory | ({"swap_used_kb": 18_432.0} if at == 3 else {})) for at in (1, 2, 3)]
    found = headline_of(table([100.0], [140.0], [900.0]), captures=captures)
    left_out = "Not counted: “c” (18 MiB of swap in use during the run)"
    assert (found.winner.title, [words for words, *_ in give_reasons(found, [])]) == ("b", [left_out])
    assert give_reasons(headline_of(table([100.0], [140.0])), []) == []
