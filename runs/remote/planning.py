"""From a plan's rows to what will be run: checked as a whole, put in order, written down as a job and its steps.

The order lets what drifts on the machines meanwhile hit every variant alike. Interleaved: level by level, and at each level
the variants in turn, every second round backwards: A B B A, so that none always comes first. Blocks: every round has each
variant at each level once, in an order of its own drawn from the snapshot's seed, which is the same whenever it is drawn again.
"""

from __future__ import annotations

import math
import secrets as random_numbers
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from statistics import fmean, stdev
from typing import Any

from django.db import transaction
from django.utils import timezone

from . import checks, tools
from .checks import Refused
from .models import Job, Plan, Step, Target, Variant
from .snapshots import Pair, Snapshot, Stage, VariantPlan, load_for, to_dict


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a plan comes to. most_* is with every repeat that it may add, and every run stopped at its latest.

    requests   None for timed loads, whose number nobody knows before
    """

    runs: int
    most_runs: int
    requests: int | None
    least_s: float
    most_s: float


def validate_plan(plan: Plan) -> Snapshot:
    """What will be run. Raises Refused with every fault that was found."""
    target = plan.target
    variants = list(plan.variants.select_related("switch", "address"))
    if faults := list(checks.find_plan_faults(plan, target, variants)):
        raise Refused(*faults)
    snapshot = _take_snapshot(plan, target, variants)
    if faults := list(checks.find_load_faults(snapshot)):
        raise Refused(*faults)
    if estimate(snapshot).most_runs > checks.MOST_STAGES:
        much = f"That comes to more than {checks.MOST_STAGES} runs; take fewer repeats, levels or variants."
        raise Refused(("repeats", much))
    return replace(snapshot, notes=tuple(checks.describe_plan(snapshot)))


OF_PLAN = (
    *("name", "tool", "repeats", "warmups", "order", "cooldown_s", "interval_s", "requests", "duration_s", "method"),
    *("body", "content_type", "timeout_s", "rse_limit_pct", "most_repeats"),
)


def _take_snapshot(plan: Plan, target: Target, variants: Sequence[Variant]) -> Snapshot:
    return Snapshot(
        generator=plan.generator.machine,
        target_name=target.host.name,
        target=target.machine,
        allowed={address.base: list(address.resolved) for address in target.addresses.all()},
        variants=tuple(_snapshot_variant(plan, variant) for variant in variants),
        levels=tuple(plan.levels),
        seed=random_numbers.randbelow(2**31),
        headers=tuple((name, value) for name, value in plan.headers),
        **{name: getattr(plan, name) for name in OF_PLAN},
        **{name: getattr(target, name) for name in ("most_requests", "most_concurrency", "most_duration_s")},
    )


def _snapshot_variant(plan: Plan, variant: Variant) -> VariantPlan:
    switch = variant.switch
    return VariantPlan(
        name=variant.name.strip(),
        base=(variant.address or plan.address).base,
        path=variant.path or plan.path,
        keepalive=plan.keepalive if variant.keepalive is None else variant.keepalive,
        switch=tuple(switch.argv) if switch else (),
        switch_timeout_s=switch.timeout_s if switch else 30,
        config_files=tuple(variant.config_files),
    )


def estimate(snapshot: Snapshot) -> Estimate:
    """How many runs and requests a plan comes to, and how long it takes at least and at most, in seconds."""
    planned = order_stages(snapshot)
    added = max(0, (snapshot.most_repeats or 0) - snapshot.repeats) * len(snapshot.variants) * len(snapshot.levels)
    each_s = float(snapshot.duration_s or 0) + snapshot.cooldown_s
    sent = [tools.tools()[snapshot.tool].sends(load_for(snapshot, stage)) for stage in planned]
    return Estimate(
        runs=len(planned),
        most_runs=len(planned) + added,
        requests=sum(filter(None, sent)) if snapshot.requests is not None else None,
        least_s=len(planned) * each_s,
        most_s=(len(planned) + added) * (snapshot.most_duration_s + snapshot.cooldown_s),
    )


def list_commands(snapshot: Snapshot) -> list[tuple[Stage, str]]:
    """Every run in its order, with its command line."""
    lines: dict[Pair, str] = {}
    for variant, level in snapshot.pairs:
        argv = tools.build(load_for(snapshot, Stage(variant, level, 1)), snapshot.allowed)
        lines[variant, level] = tools.join_command(argv)
    return [(stage, lines[stage.variant, stage.level]) for stage in order_stages(snapshot)]


def start_job(plan: Plan, user: Any, scheduled: bool = False) -> Job:
    """A queued job of the plan as it is now, with its steps. Whoever calls sends it to its generator's queue on commit.

    user   who starts it, or None where a schedule of nobody's does. Raises Refused, also for a user who may not run plans.
    """
    if not (scheduled if user is None else user.has_perm("remote.run_plan")):
        raise Refused(("user", f"{user or 'Nobody'} may not run plans (the permission run_plan)."))
    snapshot = validate_plan(plan)
    now = timezone.now()
    with transaction.atomic():
        job = Job.objects.create(
            plan=plan,
            target=plan.target,
            generator=plan.generator,
            name=f"{plan.name}, {now:%Y-%m-%d %H:%M:%S}",
            snapshot=to_dict(snapshot),
            scheduled=scheduled,
            created_by=user,
            created_at=now,
        )
        Step.objects.bulk_create(make_steps(job, order_stages(snapshot)))
    return job


def make_steps(job: Job, stages: Sequence[Stage], first: int = 1) -> list[Step]:
    """Steps of a job, not saved yet, numbered from `first`."""
    return [
        Step(job=job, position=position, variant=stage.variant, level=stage.level, repeat=stage.repeat)
        for position, stage in enumerate(stages, first)
    ]


def order_stages(snapshot: Snapshot) -> list[Stage]:
    """Every planned run. The warm-ups of a variant at a level come right before its first counted run."""
    together = [snapshot.pairs]
    if snapshot.order != Plan.Order.BLOCKS:
        together = [[(variant.name, level) for variant in snapshot.variants] for level in snapshot.levels]
    repeats = range(1, snapshot.repeats + 1)
    return [stage for pairs in together for repeat in repeats for stage in _round(snapshot, pairs, repeat)]


def _order_pairs(snapshot: Snapshot, pairs: Sequence[Pair], repeat: int) -> list[Pair]:
    """In the order of this round: see above."""
    ordered = list(pairs)
    if snapshot.order == Plan.Order.BLOCKS:
        Random(f"{snapshot.seed}/{repeat}").shuffle(ordered)  # noqa: S311  an order, no secret
        return ordered
    return ordered[:: 1 if repeat % 2 else -1]


def _round(snapshot: Snapshot, pairs: Sequence[Pair], repeat: int) -> Iterator[Stage]:
    for variant, level in _order_pairs(snapshot, pairs, repeat):
        if repeat == 1:
            yield from [Stage(variant, level, 0)] * snapshot.warmups
        yield Stage(variant, level, repeat)


def plan_further_round(snapshot: Snapshot, rates: Mapping[Pair, Sequence[float]]) -> list[Stage]:
    """One further round for every variant and level that is not known narrowly enough yet, empty when there is none.

    rates   requests/s of the counted runs so far, by (variant, level)
    """
    if snapshot.rse_limit_pct is None or snapshot.most_repeats is None:
        return []
    counts = {pair: len(rates.get(pair, ())) for pair in snapshot.pairs}
    repeat = max(counts.values()) + 1
    stages = []
    for pair in _order_pairs(snapshot, snapshot.pairs, repeat):
        error = relative_standard_error_pct(rates.get(pair, ()))
        if counts[pair] < snapshot.most_repeats and (error is None or error > snapshot.rse_limit_pct):
            stages.append(Stage(*pair, counts[pair] + 1))
    return stages


def relative_standard_error_pct(rates: Sequence[float]) -> float | None:
    """The standard error of the mean in percent of the mean; None for fewer than two values or a mean of 0."""
    if len(rates) < 2 or not fmean(rates):
        return None
    return 100 * stdev(rates) / math.sqrt(len(rates)) / fmean(rates)
