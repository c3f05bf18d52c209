"""From a plan's rows to what will be run: validated as a whole, then written down as a job and its steps."""

from __future__ import annotations

import secrets as random_numbers
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction
from django.utils import timezone

from runs.models import Job, LoadGenerator, Plan, Step, Target, Variant

from . import checks, order, tools
from .shapes import Machine, Snapshot, Stage, VariantPlan
from .snapshots import as_dict, load_of


class Refused(ValueError):
    """A plan that must not be run as it is: errors is [{"field", "message"}, ...], with at least one."""

    def __init__(self, errors: Sequence[dict[str, str]]) -> None:
        super().__init__(" ".join(error["message"] for error in errors))
        self.errors = list(errors)


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


def validate(plan: Plan) -> Snapshot:
    """What will be run. Raises Refused with every fault that was found."""
    target = plan.target
    variants = list(plan.variants.select_related("switch", "address"))
    _refuse(checks.faults_of(plan, target, variants))
    snapshot = _snapshot(plan, target, variants)
    _refuse(checks.faults_in(snapshot))
    if estimate(snapshot).most_runs > checks.MOST_STAGES:
        _refuse(
            [("repeats", f"That comes to more than {checks.MOST_STAGES} runs; take fewer repeats, levels or variants.")]
        )
    return replace(snapshot, notes=tuple(checks.notes_on(snapshot)))


def _refuse(faults: Any) -> None:
    errors = [{"field": field, "message": message} for field, message in faults]
    if errors:
        raise Refused(errors)


def _snapshot(plan: Plan, target: Target, variants: Sequence[Variant]) -> Snapshot:
    return Snapshot(
        name=plan.name,
        generator=machine_of_generator(plan.generator),
        target_name=target.host.name,
        target=machine_of_target(target),
        allowed={address.base: list(address.resolved) for address in target.addresses.all()},
        tool=plan.tool,
        variants=tuple(_variant(plan, variant) for variant in variants),
        levels=tuple(plan.levels),
        repeats=plan.repeats,
        warmups=plan.warmups,
        order=plan.order,
        seed=random_numbers.randbelow(2**31),
        cooldown_s=plan.cooldown_s,
        interval_s=plan.interval_s,
        requests=plan.requests,
        duration_s=plan.duration_s,
        method=plan.method,
        headers=tuple((name, value) for name, value in plan.headers),
        body=plan.body,
        content_type=plan.content_type,
        timeout_s=plan.timeout_s,
        most_requests=target.most_requests,
        most_concurrency=target.most_concurrency,
        most_duration_s=target.most_duration_s,
        rse_limit_pct=plan.rse_limit_pct,
        most_repeats=plan.most_repeats,
    )


def machine_of_generator(generator: LoadGenerator) -> Machine:
    """How it is reached now."""
    if generator.kind == LoadGenerator.Kind.WORKER:
        return Machine(generator.name)
    return Machine(generator.name, generator.ssh_destination, generator.identity_file)


def machine_of_target(target: Target) -> Machine | None:
    """How it is reached now; None: not at all."""
    if target.reach == Target.Reach.NONE:
        return None
    if target.reach == Target.Reach.LOCAL:
        return Machine(target.host.name)
    return Machine(target.host.name, target.ssh_destination, target.identity_file)


def _variant(plan: Plan, variant: Variant) -> VariantPlan:
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
    planned = order.stages(snapshot)
    added = max(0, (snapshot.most_repeats or 0) - snapshot.repeats) * len(snapshot.variants) * len(snapshot.levels)
    each_s = float(snapshot.duration_s or 0) + snapshot.cooldown_s
    sent = [tools.tools()[snapshot.tool].sends(load_of(snapshot, stage)) for stage in planned]
    return Estimate(
        runs=len(planned),
        most_runs=len(planned) + added,
        requests=sum(filter(None, sent)) if snapshot.requests is not None else None,
        least_s=len(planned) * each_s,
        most_s=(len(planned) + added) * (snapshot.most_duration_s + snapshot.cooldown_s),
    )


def commands(snapshot: Snapshot) -> list[tuple[Stage, str]]:
    """Every planned run with the command line that will send it, as a person would type it, secrets by name."""
    lines: dict[order.Pair, str] = {}
    for variant, level in checks.pairs(snapshot):
        argv = tools.build(load_of(snapshot, Stage(variant, level, 1)), snapshot.allowed)
        lines[variant, level] = tools.shown(argv)
    return [(stage, lines[stage.variant, stage.level]) for stage in order.stages(snapshot)]


def switches(snapshot: Snapshot) -> dict[str, str]:
    """The switch command of each variant that has one, by the variant's name."""
    return {one.name: tools.shown(one.switch) for one in snapshot.variants if one.switch}


def start(plan: Plan, user: Any, scheduled: bool = False) -> Job:
    """A queued job of the plan as it is now, with its steps. Whoever calls sends it to its generator's queue on commit.

    user   who starts it, or None where a schedule of nobody's does. Raises Refused, also for a user who may not run plans.
    """
    if not (scheduled if user is None else user.has_perm("runs.run_plan")):
        raise Refused(
            [{"field": "user", "message": f"{user or 'Nobody'} may not run plans (the permission run_plan)."}]
        )
    snapshot = validate(plan)
    now = timezone.now()
    with transaction.atomic():
        job = Job.objects.create(
            plan=plan,
            target=plan.target,
            generator=plan.generator,
            name=f"{plan.name}, {now:%Y-%m-%d %H:%M:%S}",
            snapshot=as_dict(snapshot),
            scheduled=scheduled,
            created_by=user,
            created_at=now,
        )
        Step.objects.bulk_create(steps(job, order.stages(snapshot)))
    return job


def steps(job: Job, stages: Sequence[Stage], first: int = 1) -> list[Step]:
    """Steps of a job, not saved yet, numbered from `first`."""
    return [
        Step(job=job, position=position, variant=stage.variant, level=stage.level, repeat=stage.repeat)
        for position, stage in enumerate(stages, first)
    ]


def by_field(errors: Sequence[dict[str, str]]) -> dict[str, list[str]]:
    """The errors of a refusal by field, for a form."""
    found: dict[str, list[str]] = defaultdict(list)
    for error in errors:
        found[error["field"]].append(error["message"])
    return dict(found)
