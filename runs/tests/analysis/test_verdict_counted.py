"""Verdicts on what monitors tell, and what does not count."""

from __future__ import annotations

import pytest

from runs.analysis.facts import ConfigFact
from runs.analysis.judgement import judge
from runs.analysis.table import compare
from runs.tests.analysis.facts import capture, configs, httpd, run
from runs.tests.analysis.judging import RATE


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


def test_an_excluded_run_is_left_out_with_its_captures():
    runs = [run(1, 10.0), run(2, 12.0), run(2, 500.0, repeat=2)]
    captures = [capture(2, run=runs[2].id, metrics={"cpu_id": 1.0}), capture(1, metrics={"cpu_id": 50.0})]
    judgement = judge(compare(configs("a", "b"), runs, captures), excluded={runs[2].id: "swap was in use"})
    assert judgement.of(RATE, 1).n == 1
    assert judgement.of("cpu_busy_during", 1) is None


def test_headings_are_judged_apart():
    grouped = [ConfigFact(at, f"{at}", group) for at, group in enumerate(("off", "off", "on", "on"), 1)]
    judgement = judge(compare(grouped, [run(at, 10.0**at) for at in (1, 2, 3, 4)], []))
    assert judgement.of(RATE, 2) is None
    assert judgement.of(RATE, 3).ratio == pytest.approx(10)
