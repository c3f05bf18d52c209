"""How often verdicts are wrong, counted on drawn runs whose truth is known. Seeded, so that the counts stay."""

from __future__ import annotations

import math
import random
from collections import Counter

import pytest

from runs.analysis.judgement import judge
from runs.tests.analysis.judging import RATE, table

pytestmark = pytest.mark.once
ROUNDS = 400
PROVEN, LIKELY = ("better", "worse"), ("likely_better", "likely_worse")


def drawn(*repeats: int, ratio: float = 1.0, sd: float = 0.05) -> Counter[str]:
    """Kinds of verdict on the second config, whose runs are `ratio` times the others' and vary as much."""
    chance = random.Random(f"{repeats} {ratio} {sd}")  # noqa: S311
    kinds: Counter[str] = Counter()
    for _ in range(ROUNDS):
        sides = [
            [100 * (ratio if at == 1 else 1) * math.exp(chance.gauss(0, sd)) for _ in range(n)]
            for at, n in enumerate(repeats)
        ]
        found = judge(table(*sides)).of(RATE, 1)
        assert found is not None
        kinds[found.kind] += 1
    return kinds


def share(kinds: Counter[str], names: tuple[str, ...]) -> float:
    return sum(kinds[name] for name in names) / ROUNDS


@pytest.mark.parametrize("repeats", [(2, 2), (3, 3), (2, 5), (4, 4), (7, 7), (3, 3, 3, 3), (30, 30)])
def test_configs_that_do_not_differ_are_rarely_said_to(repeats):
    kinds = drawn(*repeats)
    assert share(kinds, PROVEN) <= 0.07  # 5 %, and what 400 draws may be off by
    assert share(kinds, LIKELY) <= 0.03


@pytest.mark.parametrize("repeats", [(1, 1, 3, 3), (1, 4), (1, 2), (1, 1, 2)])
def test_single_runs_that_do_not_differ_are_rarely_said_to_be_likely_better(repeats):
    kinds = drawn(*repeats)
    assert share(kinds, PROVEN) == 0
    assert share(kinds, LIKELY) <= 0.03


def test_configs_two_per_cent_apart_are_rarely_said_to_be_the_same():
    for ratio in (1.021, 1 / 1.021):
        assert share(drawn(10, 10, ratio=ratio, sd=0.01), ("same",)) <= 0.05


def test_what_is_the_same_and_measured_well_is_mostly_said_to_be():
    assert share(drawn(10, 10, sd=0.01), ("same",)) >= 0.8


def test_repeats_that_were_said_to_be_needed_mostly_settle_it():
    found = judge(table([100.0, 112.0], [115.0, 127.0])).of(RATE, 1)  # sd about 8 %, 13 % apart
    assert found is not None
    assert found.needed is not None
    kinds = drawn(found.needed, found.needed, ratio=found.ratio or 0, sd=0.08)
    assert share(kinds, ("better",)) >= 0.75  # made for 80 %, and what 400 draws may be off by


@pytest.mark.parametrize("ratio", [1.0, 1.004])
def test_repeats_that_were_said_to_be_needed_mostly_prove_it_the_same(ratio):
    found = judge(table([99.0, 101.0], [99.0 * ratio, 101.0 * ratio])).of(RATE, 1)  # sd about 1.4 %
    assert found is not None
    assert found.needed is not None
    assert share(drawn(found.needed, found.needed, ratio=ratio, sd=0.0142), ("same",)) >= 0.75
