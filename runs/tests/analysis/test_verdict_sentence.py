"""What a comparison says in a sentence."""

from __future__ import annotations

import json

from runs.analysis.table import compare
from runs.analysis.verdict import judge
from runs.tests.analysis.facts import configs, run
from runs.tests.analysis.judging import RATE, excluding, said, table

FOUR = [100.0, 101.0, 102.0, 103.0]


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


def test_all_of_it_goes_into_json():
    made = judge(table(FOUR, [117.0, 118.0, 119.0, 121.0])).as_dict()
    told = json.loads(json.dumps(made))
    assert told["bases"] == [0, 0]
    assert told["metrics"][RATE][0] is None
    assert told["metrics"][RATE][1]["kind"] == "better"
    assert told["metrics"][RATE][1]["low"] > 1
