"""Changes in daily means: found where they are. How often: benchmarks.truth, and test_verdict_errors."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from datetime import date, timedelta

import pytest

from runs.analysis.trend import Day, find_course

START = date(2026, 3, 1)


def days(*rates: float, n: int = 5) -> list[Day]:
    return [
        Day(START + timedelta(days=at), n, math.log(rate), rate * 0.98, rate * 1.02) for at, rate in enumerate(rates)
    ]


def noisy(*levels: tuple[int, float], spread: float = 0.02, seed: int = 1) -> list[Day]:
    chance = random.Random(seed)  # noqa: S311
    return days(*(rate * chance.lognormvariate(0, spread) for n, rate in levels for _ in range(n)))


def test_a_step_is_found_on_its_day():
    found = find_course(noisy((30, 1000), (30, 880)))
    (change,) = found.changes
    assert change.on == START + timedelta(days=30)
    assert change.pct == pytest.approx(-12, abs=1)
    assert (change.after.n, change.before.n, change.p) == (150, 150, 0.002)
    assert [len(stretch.days) for stretch in found.stretches] == [30, 30]


def test_steps_up_and_down_are_both_found():
    found = find_course(noisy((20, 1000), (20, 1100), (20, 1000)))
    assert [change.on for change in found.changes] == [START + timedelta(days=at) for at in (20, 40)]
    assert [change.pct > 0 for change in found.changes] == [True, False]


def test_a_dip_of_six_days_is_two_changes():
    found = find_course(noisy((40, 1000), (6, 880), (14, 1000)))
    assert [change.on for change in found.changes] == [START + timedelta(days=at) for at in (40, 46)]
    assert [change.pct for change in found.changes] == pytest.approx([-12, 13], abs=3)


def test_a_step_is_found_among_days_far_off():
    days = noisy((30, 1000), (30, 900))
    for at in (4, 11, 19, 33, 47):
        days[at] = replace(days[at], mean_log=days[at].mean_log + math.log(0.7))
    (change,) = find_course(days).changes
    assert change.on == START + timedelta(days=30)


def test_days_that_a_single_day_stands_out_of_have_not_changed():
    assert find_course(noisy((20, 1000), (1, 500), (20, 1000))).changes == ()


def test_a_change_needs_three_days_on_either_side():
    assert find_course(days(1000, 1001, 500, 501)).changes == ()
    assert find_course(days(*[1000] * 20, 500, 500)).changes == ()


def test_days_that_are_all_alike_have_no_change():
    assert find_course(days(*[1000.0] * 30)).changes == ()


def test_the_order_in_which_days_come_makes_no_difference():
    given = noisy((20, 1000), (20, 800))
    assert find_course(given) == find_course(given[::-1])


def test_no_days_have_no_course():
    assert find_course([]).stretches == ()


def test_a_day_of_many_runs_weighs_as_many_in_a_stretch():
    few, many = days(100, n=1)[0], days(400, n=3)[0]
    (stretch,) = find_course([few, Day(START + timedelta(days=1), 3, many.mean_log, 390, 410)]).stretches
    assert stretch.n == 4 and stretch.center == pytest.approx(100**0.25 * 400**0.75)


def test_a_thousand_days_are_looked_at_and_the_oldest_left_out():
    found = find_course(noisy((1100, 1000)))
    assert sum(len(stretch.days) for stretch in found.stretches) == 1000
