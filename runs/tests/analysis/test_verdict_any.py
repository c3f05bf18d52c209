"""Whatever figures come in: never a traceback, and no verdict that depends on the order or the unit."""

from __future__ import annotations

import json
import math

from hypothesis import given, settings
from hypothesis import strategies as st

from runs.analysis.export import to_plain
from runs.analysis.judgement import judge
from runs.analysis.table import Comparison, compare
from runs.analysis.verdict import Judgement
from runs.analysis.verdict_wording import add_words
from runs.api.comparisons import HeadlineSerializer, MetricSerializer, list_rows
from runs.tests.analysis.facts import configs, run
from runs.tests.analysis.judging import headline_of

ANY = st.one_of(st.none(), st.floats(), st.sampled_from([0.0, -1.0, 1e-320, 1e308]), st.floats(90, 110))
SOUND = st.floats(1, 1000)
SWAPPED = {
    "better": "worse",
    "worse": "better",
    "likely_better": "likely_worse",
    "likely_worse": "likely_better",
}


def judged(*sides: list[float | None]) -> tuple[Comparison, Judgement]:
    made = compare(
        configs(*(f"config {at}" for at in range(len(sides)))),
        [run(at, value, mean_ms=value) for at, side in enumerate(sides, 1) for value in side],
        [],
    )
    return made, add_words(judge(made))


@given(st.lists(st.lists(ANY, max_size=6), min_size=1, max_size=4))
@settings(max_examples=300, deadline=None)
def test_it_says_something_of_any_figures(sides):
    made, judgement = judged(*sides)
    assert headline_of(made).sentence
    json.dumps(HeadlineSerializer(headline_of(made)).data, allow_nan=False)
    json.dumps(to_plain(MetricSerializer(list_rows(made, judgement), many=True).data), allow_nan=False)
    for key in judgement.metrics:
        for at in range(len(made.columns)):
            found = judgement.of(key, at)
            if found and found.kind in SWAPPED:
                assert all(value is None or math.isfinite(value) for value in (found.ratio, found.p))
                assert found.n and found.n_base and judgement.words[key, at].text


@given(
    st.lists(st.one_of(st.none(), st.integers(-1, 10**18)), min_size=1, max_size=5),
    st.lists(st.one_of(st.none(), st.integers(-1, 10**18)), min_size=1, max_size=5),
    st.sampled_from(["ab", "siege"]),
)
@settings(max_examples=150, deadline=None)
def test_it_says_something_of_any_counts_of_failures(failed, made, tool):
    runs = [
        run(config, 10.0 * config, tool=tool, failed_requests=bad, complete_requests=of, concurrency=bad)
        for config in (1, 2)
        for bad, of in zip(failed, made, strict=False)
    ]
    made = compare(configs("a", "b"), runs, [])
    assert headline_of(made).sentence


@given(st.lists(SOUND, min_size=1, max_size=6), st.lists(SOUND, min_size=1, max_size=6))
@settings(max_examples=200, deadline=None)
def test_with_the_baseline_swapped_better_is_worse(one, other):
    runs = [run(at, value, mean_ms=value) for at, side in enumerate((one, other), 1) for value in side]
    there = judge(compare(configs("one", "other"), runs, []))
    back = judge(compare(configs("one", "other")[::-1], runs, []))  # the runs were made in the order that they were
    for key in there.metrics:
        kind = there.of(key, 1).kind
        assert back.of(key, 1).kind == SWAPPED.get(kind, kind)


@given(
    st.lists(SOUND, min_size=1, max_size=6),
    st.lists(SOUND, min_size=1, max_size=6),
    st.sampled_from([2.0**-10, 0.5, 2.0, 1024.0]),
)
@settings(max_examples=200, deadline=None)
def test_another_unit_changes_no_verdict(one, other, factor):
    _, plain = judged(one, other)
    _, scaled = judged([value * factor for value in one], [value * factor for value in other])
    for key in plain.metrics:
        found = plain.of(key, 1)
        assert scaled.of(key, 1).kind == found.kind


@given(st.lists(SOUND, min_size=4, max_size=8, unique=True))
@settings(max_examples=50, deadline=None)
def test_a_config_is_never_better_than_itself(values):
    _, judgement = judged(values, values)
    assert judgement.of("requests_per_second", 1).kind in ("same", "undecided")
