"""Two configs tested after each round: what each look may say, and when to stop. How often it errs: benchmarks.truth."""

from __future__ import annotations

import json
import math

import pytest

from runs import ingest
from runs.analysis.adaptive import compare_in_turn, decide, find_level
from runs.analysis.stats import Placed, Shift
from runs.tests.analysis.judging import headline_of, table, verdict

BASE = [100.0, 104.0, 97.0, 101.0]
AHEAD = [108.0, 111.0, 105.0, 110.0]


def test_looking_often_asks_for_more_than_one_look():
    planned = verdict(BASE, AHEAD, in_turn=True)
    looked_at = verdict(BASE, AHEAD, in_turn=True, most_repeats=40)
    assert (planned.kind, looked_at.kind, looked_at.most) == ("better", "undecided", 40)
    assert looked_at.low < planned.low and looked_at.p > planned.p


def look(order: str, values: list[float], most: int = 50) -> Shift | None:
    """The test after runs made in this order, as "abba"."""
    sides = [[Placed(at, math.log(v)) for at, v in enumerate(values) if order[at] == name] for name in "ab"]
    return compare_in_turn(*sides, most=most)


def test_a_large_difference_is_shown_by_two_rounds_a_smaller_one_by_three_and_none_by_one():
    assert look("abba", [100.0, 111.0, 112.0, 101.0]).p < 0.05
    assert look("abba", [100.0, 105.0, 107.0, 101.0]).p > 0.05
    assert look("abbaab", [100.0, 105.0, 107.0, 101.0, 99.0, 106.0]).p < 0.05
    assert look("ab", [100.0, 150.0]) is None


def test_a_drift_counts_as_noise_of_early_looks_and_is_taken_out_of_later_ones():
    """Made: each run 2 % slower than the one before, beside a difference of 10 %."""
    drifting = [
        100.0 * 0.98**at * (1.1 if "abba"[at % 4] == "b" else 1.0) * (1.001 if at % 3 else 1) for at in range(8)
    ]
    early, late = look("abba", drifting[:4]), look("abbaabba", drifting)
    assert early.p > 0.05 > late.p
    assert early.difference == pytest.approx(math.log(1.1), abs=0.01)


def test_an_order_in_which_a_drift_could_pass_for_a_difference_has_it_taken_out_at_once():
    """Made: a machine that gets 2 % faster from run to run, in the order A B A B."""
    assert abs(look("abab", [100.0, 102.0, 104.1, 106.0]).difference) < 0.005


def test_p_is_under_5_percent_just_where_the_interval_leaves_out_equal():
    for ahead in (1.01, 1.03, 1.05, 1.08, 1.12):
        found = verdict(BASE, [value * ahead for value in AHEAD], in_turn=True, most_repeats=10)
        assert (found.p < 0.05) == (found.low > 1)


def test_levels_shrink_with_how_many_rounds_are_planned_and_are_the_same_at_each_look_but_the_first_two():
    assert find_level(4, 40) == find_level(40, 40) < find_level(3, 40) == find_level(2, 40) < 0.05
    assert find_level(10, 40) < find_level(10, 20)
    assert find_level(41, 40) == pytest.approx(find_level(41, 41))
    assert find_level(200, 200) < find_level(100, 100)


def test_the_headline_says_how_it_was_tested_and_warns_of_nothing_that_was_allowed_for():
    found = headline_of(table([100.0, 101.0, 99.0], [150.0, 152.0, 149.0], in_turn=True, most_repeats=40))
    assert found.outcome == "better" and "tested after each round" in found.sentence
    open_one = headline_of(table(BASE, [107.0, 104.0, 109.0, 100.0], in_turn=True, most_repeats=4))
    assert open_one.outcome == "unproven" and "Decide on the number first" not in open_one.next.text
    assert "4 rounds did not show it" in open_one.next.text


@pytest.mark.parametrize(
    ("outcome", "rounds", "action"),
    [
        *(("better", 2, "stop"), ("same", 9, "stop"), ("trade_off", 5, "stop"), ("failed", 3, "stop")),
        *(("better", 1, "more"), ("unproven", 39, "more"), ("likely", 12, "more"), ("unproven", 40, "stop")),
        *(("single", 3, "fixed"), ("none", 0, "fixed")),
    ],
)
def test_when_to_stop(outcome, rounds, action):
    assert decide(outcome, "", rounds, 40).action == action


def transcript(rates: list[tuple[float, float]], most: int = 40) -> bytes:
    """As bd records two variants in turn."""

    def run(name: str, number: int, rate: float) -> str:
        return (
            f"\n## {name}, run {number} of at most {most}\n\nbd@web1:~$ ab -n 1000 -c 1 http://web1/{name}\n"
            f"Concurrency Level:      1\nTime taken for tests:   {1000 / rate:.3f} seconds\n"
            f"Complete requests:      1000\nFailed requests:        0\n"
            f"Requests per second:    {rate:.2f} [#/sec] (mean)\n\n"
        )

    rounds = [run("old", n, old) + run("new", n, new) for n, (old, new) in enumerate(rates, 1)]
    return f"# Recorded by bd 1\n# experiment: front page\n# host: web1\n{''.join(rounds)}".encode()


SURE = [(500.0, 700.0), (510.0, 710.0), (495.0, 705.0)]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("rates", "action"),
    [(SURE, "stop"), ([(500.0, 505.0), (510.0, 490.0), (495.0, 520.0)], "more"), (SURE[:1], "more")],
)
def test_the_site_decides_and_stores_nothing(admin_client, rates, action):
    answer = admin_client.post("/api/v1/uploads/decide/?most=40", transcript(rates), content_type="text/plain")
    assert answer.status_code == 200 and answer.json()["action"] == action, answer.content
    assert admin_client.get("/api/v1/uploads/").json()["results"] == []


@pytest.mark.django_db
def test_what_makes_no_decision_is_refused(admin_client):
    for query, text in (("most=2", transcript(SURE)), ("most=x", transcript(SURE)), ("most=40", b"")):
        answer = admin_client.post(f"/api/v1/uploads/decide/?{query}", text, content_type="text/plain")
        assert answer.status_code == 400 and answer.json()["errors"][0]["message"]


@pytest.mark.django_db
def test_the_page_of_what_was_stored_has_the_sequential_verdict(admin_client):
    upload = ingest.submit(transcript(SURE), origin="rest").upload
    experiment = upload.runs.first().experiment
    assert {run.most_repeats for run in upload.runs.all()} == {40}
    page = json.loads(admin_client.get(f"{experiment.get_absolute_url()}?format=json").content)
    (row,) = (row for row in page["metrics"] if row["key"] == "requests_per_second")
    assert "after each round" in row["cells"][1]["verdict"]["test"]
    assert page["headline"]["outcome"] == "better" and "tested after each round" in page["headline"]["sentence"]
