"""The first line of a page: who, by how much; and what stands under it."""

from __future__ import annotations

import pytest

from runs.analysis.facts import ConfigFact
from runs.analysis.headline_lead import needs_runs, write_lead
from runs.analysis.table import compare
from runs.tests.analysis.facts import run
from runs.tests.analysis.judging import headline_of, table

FIVE = [100.0, 101.0, 99.0, 100.5, 99.5]


@pytest.mark.parametrize(
    ("sides", "text", "figures"),
    [
        ([FIVE, [value * 1.095 for value in FIVE]], "b serves 9.5 % more requests", ("109.5", "100")),
        ([[100.0], [130.0]], "b is 30 % ahead", ("130", "100")),
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
