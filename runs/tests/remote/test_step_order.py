"""The order of runs: drift hits every variant alike, and random orders can be drawn again."""

from __future__ import annotations

import dataclasses
from collections import Counter

import pytest

from runs.remote.planning import order_stages, plan_further_round, relative_standard_error_pct
from runs.remote.snapshots import Machine, Snapshot, Stage, VariantPlan

VARIANTS = tuple(VariantPlan(name, "http://192.0.2.10:80", "/", False) for name in "AB")
PLAN = Snapshot(
    name="plan",
    generator=Machine("load1"),
    target_name="shop",
    target=None,
    allowed={},
    tool="ab",
    variants=VARIANTS,
    levels=(1, 10),
    repeats=3,
    warmups=0,
    order="interleaved",
    seed=7,
    cooldown_s=0,
    interval_s=1,
    requests=100,
    duration_s=None,
    method="GET",
    headers=(),
    body="",
    content_type="",
    timeout_s=30,
    most_requests=1000,
    most_concurrency=10,
    most_duration_s=60,
)


def changed(**fields):
    return dataclasses.replace(PLAN, **fields)


def names(found):
    return " ".join(f"{stage.variant}{stage.level}.{stage.repeat}" for stage in found)


def test_variants_take_turns_level_by_level():
    assert names(order_stages(PLAN)) == "A1.1 B1.1 B1.2 A1.2 A1.3 B1.3 A10.1 B10.1 B10.2 A10.2 A10.3 B10.3"


def test_warm_ups_come_right_before_the_first_counted_run():
    assert names(order_stages(changed(warmups=2, levels=(5,), repeats=2))) == "A5.0 A5.0 A5.1 B5.0 B5.0 B5.1 B5.2 A5.2"


def test_a_block_has_every_variant_at_every_level_once():
    found = [stage for stage in order_stages(changed(order="blocks", warmups=1)) if stage.repeat]
    blocks = [found[at : at + 4] for at in range(0, 12, 4)]
    for repeat, block in enumerate(blocks, 1):
        assert Counter((s.variant, s.level) for s in block) == Counter(
            {("A", 1): 1, ("A", 10): 1, ("B", 1): 1, ("B", 10): 1}
        )
        assert {s.repeat for s in block} == {repeat}


def test_blocks_differ_from_each_other_and_from_seed_to_seed():
    orders = {names(order_stages(changed(order="blocks", seed=seed, repeats=1))) for seed in range(40)}
    assert len(orders) > 10
    found = order_stages(changed(order="blocks", repeats=20))
    assert len({tuple((s.variant, s.level) for s in found[at : at + 4]) for at in range(0, 80, 4)}) > 5


def test_the_same_seed_draws_the_same_order():
    assert order_stages(changed(order="blocks")) == order_stages(changed(order="blocks"))


def test_no_more_runs_without_a_limit():
    assert plan_further_round(PLAN, {}) == []


NARROW, WIDE = (100.0, 101.0, 99.0), (100.0, 150.0, 50.0)
UNTIL_NARROW = {"rse_limit_pct": 5.0, "most_repeats": 4}


def test_only_what_is_not_narrow_yet_goes_on():
    rates = {("A", 1): NARROW, ("B", 1): WIDE, ("A", 10): WIDE, ("B", 10): NARROW}
    assert plan_further_round(changed(**UNTIL_NARROW), rates) == [Stage("A", 10, 4), Stage("B", 1, 4)]


def test_it_ends_at_the_most_repeats():
    rates = {("A", 1): WIDE, ("B", 1): (*WIDE, 90.0), ("A", 10): NARROW, ("B", 10): NARROW}
    assert plan_further_round(changed(**UNTIL_NARROW), rates) == [Stage("A", 1, 4)]


def test_further_rounds_of_blocks_are_drawn_too():
    every = {(name, level): WIDE for name in "AB" for level in (1, 10)}
    orders = {
        names(plan_further_round(changed(order="blocks", seed=seed, **UNTIL_NARROW), every)) for seed in range(40)
    }
    assert len(orders) > 10


def test_a_single_figure_is_never_narrow():
    assert plan_further_round(changed(levels=(1,), variants=VARIANTS[:1], **UNTIL_NARROW), {("A", 1): (100.0,)}) == [
        Stage("A", 1, 2)
    ]


@pytest.mark.parametrize(("rates", "error"), [((), None), ((5.0,), None), ((0.0, 0.0), None), ((90.0, 110.0), 10.0)])
def test_the_relative_standard_error_is_in_percent_of_the_mean(rates, error):
    assert relative_standard_error_pct(rates) == (None if error is None else pytest.approx(error))
