"""Verdicts on what monitors tell, and what does not count."""

from __future__ import annotations

import pytest

from runs.analysis.facts import ConfigFact
from runs.analysis.table import compare
from runs.analysis.verdict import judge
from runs.tests.analysis.facts import capture, configs, httpd, run
from runs.tests.analysis.judging import RATE, excluding, table


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
    assert judgement.of("httpd:_each,_mean_during", 1).text == "100 % more, one capture each, no repeats to go by"
    assert judgement.of("cpu_busy_during", 1).text == "80 % more, one capture each, no repeats to go by"
    assert judgement.of("mem_obtainable_during", 1).kind == "undecided"
    assert judgement.of("cpu_us_during", 1) is None


def test_several_captures_beside_one_run_are_no_repeats():
    runs = [run(1, 5.0), run(2, 6.0)]
    captures = [
        capture(one.config, run=of, metrics={"cpu_id": 20.0 * one.config + at})
        for one, of in ((runs[0], runs[0].id), (runs[1], None))
        for at in range(5)
    ]
    found = judge(compare(configs("a", "b"), runs, captures)).of("cpu_busy_during", 1)
    assert (found.n, found.n_base, found.kind) == (1, 1, "undecided")


def test_a_listing_quoted_in_part_gives_no_sum():
    captures = [capture(1, processes=httpd(13.5), partial=True), capture(2, processes=httpd(*[14.5] * 20))]
    made = compare(configs("a", "b"), [run(1, 5.0), run(2, 6.0)], captures)
    assert judge(made).of("httpd:_all_together_during", 1) is None
    assert judge(made).of("httpd:_each,_mean_during", 1) is not None


def test_idle_that_comes_of_serving_less_is_no_gain():
    runs = [run(config, rate) for config, rate in ((1, 100.0), (2, 10.0)) for _ in range(2)]
    captures = [capture(1, metrics={"cpu_id": 5.0}), capture(2, metrics={"cpu_id": 90.0})]
    found = judge(compare(configs("a", "b"), runs, captures)).of("cpu_busy_during", 1)
    assert found.kind == "none"
    assert "no gain, as it served fewer requests" in found.text


def test_an_excluded_run_is_left_out_with_its_captures():
    runs = [run(1, 10.0), run(2, 12.0), run(2, 500.0, repeat=2)]
    captures = [capture(2, run=runs[2].id, metrics={"cpu_id": 1.0}), capture(1, metrics={"cpu_id": 50.0})]
    judgement = judge(compare(configs("a", "b"), runs, captures), excluded={runs[2].id: "swap was in use"})
    assert judgement.of(RATE, 1).n == 1
    assert judgement.of("cpu_busy_during", 1) is None


def test_a_config_without_runs_that_count_says_why():
    judgement = excluding(table([10.0], [12.0], [13.0]), {1: "285 of 600 failed: the higher rate is not a gain."})
    assert judgement.of(RATE, 1).text == "not counted: 285 of 600 failed: the higher rate is not a gain."
    assert judgement.of(RATE, 2).kind == "undecided"
    assert "Not counted: “b” (285 of 600 failed)." in judgement.sentence


def test_the_next_config_is_the_baseline_where_the_first_does_not_count():
    judgement = excluding(table([10.0], [100.0], [310.0]), {0: "swap was in use"})
    assert judgement.bases == (1, 1, 1)
    assert judgement.of(RATE, 2).base == 1
    assert "“c” served 3.1 times as many as “b”" in judgement.sentence


def test_a_config_set_apart_is_not_compared():
    made = table([10.0], [100.0])
    judgement = judge(made, apart={2: "another machine"})
    assert judgement.of(RATE, 1).text == "not counted: another machine"
    assert "nothing to compare with" in judgement.sentence


def test_headings_are_judged_apart():
    grouped = [ConfigFact(at, f"{at}", group) for at, group in enumerate(("off", "off", "on", "on"), 1)]
    judgement = judge(compare(grouped, [run(at, 10.0**at) for at in (1, 2, 3, 4)], []))
    assert judgement.of(RATE, 2) is None
    assert judgement.of(RATE, 3).ratio == pytest.approx(10)
