"""How often verdicts are wrong, counted on drawn runs whose truth is known. Seeded, so that the counts stay."""

from __future__ import annotations

import math
import random
from collections import Counter

import pytest

from benchmarks.truth import FEW_DRAWS, claims
from runs.analysis.judgement import judge
from runs.tests.analysis.judging import RATE, table

ROUNDS = 400


def drawn(*repeats: int, ratio: float = 1.0, sd: float = 0.05) -> Counter[str]:
    """Kinds of verdict on the second config, whose runs are `ratio` times the others' and vary as much, made in turn."""
    chance = random.Random(f"{repeats} {ratio} {sd}")  # noqa: S311
    kinds: Counter[str] = Counter()
    for _ in range(ROUNDS):
        sides = [
            [100 * (ratio if at == 1 else 1) * math.exp(chance.gauss(0, sd)) for _ in range(n)]
            for at, n in enumerate(repeats)
        ]
        verdict = judge(table(*sides, in_turn=True)).of(RATE, 1)
        assert verdict is not None
        kinds[verdict.kind] += 1
    return kinds


def share(kinds: Counter[str], names: tuple[str, ...]) -> float:
    return sum(kinds[name] for name in names) / ROUNDS


@pytest.mark.parametrize("claim", list(claims()), ids=lambda claim: claim.what)
def test_what_is_promised_of_verdicts_holds(claim):
    # Few draws: only a promise that is broken by much is found here, by less in `make truth`.
    assert claim.holds(claim.measure(FEW_DRAWS), FEW_DRAWS)


def test_repeats_that_were_said_to_be_needed_mostly_settle_it():
    found = judge(table([100.0, 112.0], [115.0, 127.0])).of(RATE, 1)  # sd about 8 %, 13 % apart
    assert found is not None
    assert found.needed is not None
    kinds = drawn(found.needed, found.needed, ratio=found.ratio or 0, sd=0.08)
    assert share(kinds, ("better",)) >= 0.7  # made for 80 %; pairs have half the degrees of freedom


@pytest.mark.parametrize("ratio", [1.0, 1.004])
def test_repeats_that_were_said_to_be_needed_mostly_prove_it_the_same(ratio):
    found = judge(table([99.0, 101.0], [99.0 * ratio, 101.0 * ratio])).of(RATE, 1)  # sd about 1.4 %
    assert found is not None
    assert found.needed is not None
    kinds = drawn(found.needed, found.needed, ratio=ratio, sd=0.0142)
    assert share(kinds, ("same",)) >= 0.7  # ranks take a little more than the formula
