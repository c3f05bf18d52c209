"""What the statistics say of each published session, read as a person pastes it."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from runs import ingest
from runs.analysis.judgement import judge
from runs.analysis.table import Comparison, compare
from runs.analysis.verdict import Ground, Judgement
from runs.models import Experiment
from runs.selectors import comparison_data, judging

pytestmark = pytest.mark.django_db
RATE = "requests_per_second"


@pytest.fixture
def read(shared: Path):
    def read(number: str, at: int = 0, *, out: dict[int, str] | None = None) -> tuple[Comparison, Judgement]:
        """Seed `number`'s experiment `at`; `out`: columns whose runs do not count, and why."""
        text = next(shared.glob(f"seeds/{number}_*.txt")).read_bytes()
        ingest.submit(text, origin="rest")
        data = comparison_data.load_experiment(Experiment.objects.order_by("id")[at])
        made = compare(data.configs, data.runs, data.captures)
        excluded = {run.id: why for at, why in (out or {}).items() for run in made.columns[at].runs}
        return made, judge(made, excluded=excluded, spread=judging.find_spread_elsewhere(made))

    return read


def test_no_difference_is_claimed_between_the_two_mod_wsgi_set_ups(read):
    _, judgement = read("000")
    found = judgement.of(RATE, 1)
    assert (found.n, found.n_base, found.ground) == (2, 2, Ground.OPEN)
    assert math.exp(found.scale.pool.widest) == pytest.approx(878.81 / 617.01)
    kinds = {judgement.of(key, 1).kind for key in judgement.metrics}
    assert kinds <= {"undecided", "none"}


def test_with_rails_left_out_the_frameworks_are_within_what_repeats_of_the_others_vary_by(read):
    _, judgement = read("000", 1, out={0: "swap was in use"})
    assert judgement.bases == (1, 1, 1, 1)
    assert judgement.of(RATE, 2).kind == "undecided"
    assert judgement.of(RATE, 2).scale.pool is None  # the text's other part has two sets of repeats, which are too few
    assert judgement.silent == {0: "swap was in use"}


def test_runs_of_a_hundred_requests_decide_nothing(read):
    _, judgement = read("001")
    assert {judgement.of(RATE, at).kind for at in (1, 2)} == {"undecided"}
    assert {(judgement.of(RATE, at).n, judgement.of(RATE, at).scale.pool) for at in (1, 2)} == {(1, None)}


def test_peruser_is_likely_better_on_django_and_undecided_on_php(read):
    _, judgement = read("002")
    assert judgement.of(RATE, 1).kind == "likely_better"
    assert judgement.of(RATE, 1).ratio == pytest.approx(292.56 / 8.96)
    assert judgement.of(RATE, 3).ratio == pytest.approx(1.01, abs=0.001)
    assert [judgement.of(RATE, at).kind for at in (3, 5)] == ["undecided", "undecided"]
    assert judgement.bases == (0, 0, 2, 2, 4, 4)


def test_itks_few_failures_decide_nothing_either(read):
    _, judgement = read("002")
    counts = judgement.of("failed_requests", 1).failures
    assert (counts.bad, counts.base_bad, counts.base_of) == (0, 2, 568)
    assert judgement.of("failed_requests", 1).kind == "undecided"


def test_each_keep_alive_setting_is_judged_apart_and_failing_is_no_gain(read):
    _, judgement = read("003")
    assert judgement.of(RATE, 1).ratio == pytest.approx(1 / 1.55, abs=0.001)
    assert judgement.of(RATE, 1).kind == "undecided"
    assert judgement.of("failed_requests", 3).kind == "likely_better"


def test_with_events_failing_run_left_out_keep_alive_has_no_verdict(read):
    _, judgement = read("003", out={2: "172849 of 1000000 failed"})
    assert judgement.of(RATE, 3) is None
    assert judgement.silent == {2: "172849 of 1000000 failed"}


def test_three_loads_of_one_server_decide_nothing_and_the_failing_one_is_not_counted(read):
    _, judgement = read("004", out={2: "285 of 600 failed, so the higher rate is not a gain"})
    assert judgement.of(RATE, 1).kind == "undecided"
    assert judgement.of(RATE, 2).kind == "none"
    assert judgement.silent == {2: "285 of 600 failed, so the higher rate is not a gain"}
    counts = judgement.of("failed_requests", 2).failures
    assert (counts.bad, counts.of, counts.base_bad) == (285, 600, 0)
