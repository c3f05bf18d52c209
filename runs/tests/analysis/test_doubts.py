"""The catalogue, and how findings become sentences."""

from __future__ import annotations

import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runs import analysis
from runs.analysis import RULES, doubt_wording, find_doubts
from runs.analysis.doubt_case import Case, Rule, list_excluded, list_incomparable
from runs.analysis.facts import Finding, OverrideFact, Source
from runs.ingest.validation import clean_json
from runs.tests.analysis import facts


def case(*rates: float, **fields) -> Case:
    configs = facts.configs(*"abcdefgh"[: len(rates)])
    runs = [facts.run(number, rate, tool="x", **fields) for number, rate in enumerate(rates, 1)]
    return Case(configs, runs)


def only(monkeypatch, find, identity="test.rule") -> None:
    """Let the catalogue have this rule alone."""
    add_rules(monkeypatch, {identity: find})


def add_rules(monkeypatch, rules) -> None:
    monkeypatch.setattr(analysis, "RULES", {name: Rule(find, "a test") for name, find in rules.items()})
    details = doubt_wording.DETAILS | dict.fromkeys(rules, lambda told: told["seen"])
    monkeypatch.setattr(doubt_wording, "DETAILS", details)
    monkeypatch.setattr(doubt_wording, "MORALS", {"slow": "that is slow", "busy": "it was busy"})


def slow(severity="caution", detail="{:.0f} a second", config=False):
    def find(given: Case) -> Iterator[Finding]:
        for run in given.counted_runs:
            if (run.requests_per_second or 0) < 100:
                words = detail.format(run.requests_per_second)
                whose = (None, run.config) if config else (run.id, None)
                yield Finding(severity, "slow", {"seen": words}, (Source(run.source, run.line),), *whose)

    return find


def texts(given: Case) -> list[str]:
    return [doubt.text for doubt in find_doubts(given)]


def test_one_finding_is_told_by_its_config_s_name(monkeypatch):
    only(monkeypatch, slow())
    assert texts(case(50.0, 150.0)) == ["a: 50 a second. That is slow."]


def test_findings_of_a_kind_are_one_sentence_with_all_their_lines(monkeypatch):
    only(monkeypatch, slow())
    given = case(50.0, 60.0, 150.0)
    (doubt,) = find_doubts(given)
    assert doubt.text == "2 of 3 runs: that is slow (a: 50 a second; b: 60 a second)."
    assert [source.line for source in doubt.sources] == [run.line for run in given.runs[:2]]
    assert doubt.runs == tuple(run.id for run in given.runs[:2])


def test_what_holds_for_all_in_the_same_words_is_said_once(monkeypatch):
    only(monkeypatch, slow(detail="too few"))
    assert texts(case(50.0, 60.0, 70.0)) == ["All 3 runs: too few. That is slow."]
    assert texts(case(50.0, 60.0)) == ["Both runs: too few. That is slow."]


def test_of_many_the_first_three_are_named(monkeypatch):
    only(monkeypatch, slow())
    assert texts(case(*range(10, 60, 10)))[0].endswith("c: 30 a second; and 2 more).")


def test_repeats_are_told_apart_by_their_number(monkeypatch):
    only(monkeypatch, slow())
    runs = [facts.run(1, 50.0, repeat=1), facts.run(1, 150.0, repeat=2)]
    assert texts(Case(facts.configs("a"), runs)) == ["a, repeat 1: 50 a second. That is slow."]


def test_setups_are_counted_as_configs(monkeypatch):
    only(monkeypatch, slow("fatal", config=True))
    found = find_doubts(case(50.0, 60.0, 150.0))
    assert found[0].text.startswith("2 of 3 configs: ")
    assert (list(list_incomparable(found)), list_excluded(found)) == ([1, 2], {})


def test_a_run_that_is_not_counted_is_not_doubted(monkeypatch):
    only(monkeypatch, slow())
    assert texts(case(50.0, counted=False)) == []


def test_only_fatal_doubts_keep_a_run_out_and_say_why(monkeypatch):
    given = case(50.0, 150.0)
    only(monkeypatch, slow("caution"))
    assert list_excluded(find_doubts(given)) == {}
    only(monkeypatch, slow("fatal"))
    assert list_excluded(find_doubts(given)) == {given.runs[0].id: "50 a second: that is slow"}


def test_an_override_parts_what_was_overruled_from_what_was_not(monkeypatch):
    only(monkeypatch, slow("fatal"))
    given = case(50.0, 60.0)
    override = OverrideFact(7, "test.rule", run=given.runs[0].id, by="ann", reason="it is fine")
    given = Case(given.configs, given.runs, overrides=[override])
    found = find_doubts(given)
    assert sorted((doubt.overruled, doubt.runs) for doubt in found) == [
        (False, (given.runs[1].id,)),
        (True, (given.runs[0].id,)),
    ]
    assert list(list_excluded(found)) == [given.runs[1].id]


def test_an_override_on_a_mere_caution_changes_nothing(monkeypatch):
    only(monkeypatch, slow("caution"))
    given = case(50.0)
    given = Case(given.configs, given.runs, overrides=[OverrideFact(7, "test.rule", run=given.runs[0].id)])
    assert [doubt.overruled for doubt in find_doubts(given)] == [False]


def test_fatal_doubts_come_first(monkeypatch):
    add_rules(monkeypatch, {"a.note": slow("note"), "b.fatal": slow("fatal")})
    assert [doubt.rule for doubt in find_doubts(case(50.0))] == ["b.fatal", "a.note"]


def test_doubts_can_be_kept_in_a_cache():
    found = find_doubts(case(50.0, 60.0, duration_s=1.0))
    assert found
    assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301


def test_nothing_at_all_raises_no_doubt():
    assert find_doubts(Case([], [])) == []
    assert find_doubts(Case(facts.configs("a"), [])) == []


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf"), None, 1e300])
def test_odd_figures_raise_no_traceback(value):
    odd = {
        **{"duration_s": value, "mean_ms": value, "max_ms": value, "concurrency": value},
        **{"percentiles_ms": {"50": value or 0.0, "99": value or 0.0, "100": 1.0}, "command": "ab -n 0 -c 0 http://"},
    }
    names = ("failed_length", "html_transferred_bytes", "document_length_bytes", "time_per_request_ms", "concurrency")
    names += (
        "availability_pct",
        "transactions",
        "failed_transactions",
        "response_time_s",
        "users",
        "data_transferred_mb",
    )
    values = dict.fromkeys(names, value) | {"connect_ms": {"max": value}, "total_ms": value, "warnings": value}
    for tool in ("ab", "siege", "wrk"):
        runs = [
            facts.run(n, value, tool=tool, complete_requests=n, failed_requests=3, values=values, **odd) for n in (1, 2)
        ]
        captures = [
            facts.capture(
                1, metrics={"swap_used_kb": value or 0.0, "mem_total_kb": value or 0.0, "cpu_id": value or 0.0}
            )
        ]
        assert isinstance(find_doubts(Case(facts.configs("a", "b"), runs, captures)), list)


figures = st.none() | st.integers(-5, 10**7) | st.floats(allow_nan=True, allow_infinity=True)
tables = st.dictionaries(st.sampled_from(["50", "66", "90", "95", "99", "100"]), st.floats(allow_nan=True))


@st.composite
def any_run(draw, names=("failed_length", "html_transferred_bytes", "document_length_bytes", "users", "concurrency")):
    told = {name: draw(figures) for name in ("duration_s", "mean_ms", "max_ms")}
    told["concurrency"] = draw(st.none() | st.floats(-1, 1e300))  # stored figures are finite
    counts = {name: draw(st.none() | st.integers(0, 10**9)) for name in ("complete_requests", "failed_requests")}
    values = clean_json({name: draw(figures | st.text(max_size=3)) for name in names})  # as they are stored
    tool = draw(st.sampled_from(["ab", "siege", "wrk"]))
    given = {"tool": tool, "percentiles_ms": draw(tables), "values": values, "repeat": draw(st.integers(1, 3))}
    return facts.run(draw(st.integers(1, 3)), draw(figures), **told, **counts, **given)


@settings(max_examples=150, deadline=None)
@given(st.lists(any_run(), max_size=6))
def test_any_figures_give_sentences_and_no_traceback(runs):
    found = find_doubts(Case(facts.configs("a", "b", "c"), runs))
    assert all(doubt.text and "nan" not in doubt.text and doubt.parts for doubt in found)
    assert set(list_excluded(found)) <= {run.id for run in runs}


def test_every_rule_has_an_id_of_its_own_family_and_a_basis():
    assert len(RULES) >= 20
    # A stored override's column holds 40 signs.
    assert all(re.fullmatch(r"[a-z]+\.[a-z0-9_]+", rule) and len(rule) <= 40 for rule in RULES)
    assert list(RULES) == sorted(RULES)
    assert set(doubt_wording.DETAILS) == set(RULES)
    assert all(len(rule.basis) > 10 for rule in RULES.values())


def test_every_rule_is_in_the_document():
    text = (Path(__file__).parents[3] / "docs" / "doubts.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"`([a-z]+\.[a-z0-9_]+)`", text)) == list(RULES)


def test_a_doubt_about_the_whole_comparison_begins_as_a_sentence_does(monkeypatch):
    only(monkeypatch, lambda given: iter([Finding("note", "busy", {"seen": "no idle CPU"})]))
    assert [doubt.text for doubt in find_doubts(case(10.0))] == ["No idle CPU. It was busy."]
