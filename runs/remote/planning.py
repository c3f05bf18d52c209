"""From a plan's rows to what will be run: checked as a whole, put in order, written down as a job and its steps; a plan to begin
with, of this machine; and schedules, by which plans start by themselves.

The order lets what drifts on the machines meanwhile hit every variant alike. Interleaved: level by level, and at each level
the variants in turn, every second round backwards: A B B A, so that none always comes first. Blocks: every round has each
variant at each level once, in an order of its own drawn from the snapshot's seed, which is the same whenever it is drawn again.
"""

from __future__ import annotations

import json
import math
import secrets as random_numbers
import socket
import zoneinfo
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, time, timedelta
from random import Random
from statistics import fmean, stdev
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django_celery_beat.models import CrontabSchedule, PeriodicTask

from runs.models import Host

from . import checks, tools
from .addresses import canonicalize, resolve
from .checks import Refused
from .models import Job, LoadGenerator, Plan, Schedule, Step, Target, TargetAddress, Variant
from .snapshots import Pair, Snapshot, Stage, VariantPlan, load_for


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
        much = f"More than {checks.MOST_STAGES} runs; use fewer repeats, levels or variants."
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
    sent = [tools.tools()[snapshot.tool].sends(load_for(snapshot, stage.variant, stage.level)) for stage in planned]
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
        argv = tools.build(load_for(snapshot, variant, level), snapshot.allowed)
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
            snapshot=asdict(snapshot),
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


# --- this machine, as generator and target at once --------------------------------------------------------------------------

LOCAL = "local"  # the generator whose queue the worker beside the web server consumes
SAMPLE = "Keep-alive off and on, against benchdash itself"


def register_this_machine(user: Any, port: int) -> Plan:
    """This machine as generator and target, loaded at benchdash's own port, and a small plan to start with.

    Calling it again changes nothing that is there and answers with the same plan.
    """
    with transaction.atomic():
        worker = LoadGenerator.Kind.WORKER
        generator, _ = LoadGenerator.objects.get_or_create(name=LOCAL, defaults={"kind": worker})
        name = socket.gethostname()
        target = Target.objects.filter(host__name=name).first()
        if target is None:
            host = Host.objects.filter(name=name).order_by("id").first() or Host.objects.create(name=name)
            target = Target.objects.create(host=host, reach=Target.Reach.LOCAL, created_by=user)
        base = canonicalize(f"http://127.0.0.1:{port}")
        address, _ = TargetAddress.objects.get_or_create(target=target, base=base, defaults={"resolved": resolve(base)})
        plan = Plan.objects.filter(name=SAMPLE, target=target, address=address).first()
        if plan is None:
            plan = _create_sample_plan(user, generator, address)
            validate_plan(plan)
    return plan


def _create_sample_plan(user: Any, generator: LoadGenerator, address: TargetAddress) -> Plan:
    load = {"path": "/login/", "requests": 200, "levels": [1, 4], "repeats": 3, "warmups": 1}
    machines = {"target": address.target, "address": address, "generator": generator}
    plan = Plan.objects.create(name=SAMPLE, created_by=user, **machines, **load)
    for position, (name, keepalive) in enumerate((("keep-alive off", False), ("keep-alive on", True))):
        Variant.objects.create(plan=plan, name=name, keepalive=keepalive, position=position)
    return plan


# --- schedules: every day or week at a time of day, in the time zone that was asked for -----------------------------------

# django-celery-beat keeps the clock. Each start needs the permission of whoever made the schedule, at that moment; a start that is
# refused becomes a failed job that says why, so that it is found where all jobs are found.
TASK = "runs.tasks.start_schedule"
DAYS = {
    "*": "day",
    "1": "Monday",
    "2": "Tuesday",
    "3": "Wednesday",
    "4": "Thursday",
    "5": "Friday",
    "6": "Saturday",
    "0": "Sunday",
}
# A message that found no worker for so long is dropped: a load meant for the night must not start at noon.
LATE_S = 3600
# The shortest schedule is a day; two messages closer than this are one message that came twice.
TWICE = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class ScheduleEntry:
    """A schedule as lists show it. `next_start` is in its own time zone; None while it is paused."""

    schedule: Schedule
    description: str
    next_start: datetime | None


class AlreadyScheduled(ValueError):
    """The plan starts at this time already."""


@transaction.atomic
def add_schedule(plan: Plan, *, at: time, day: str, zone: str, user: User) -> Schedule:
    """Start `plan` every `day` (a key of DAYS) at `at` in the time zone `zone`."""
    when, _ = CrontabSchedule.objects.get_or_create(
        minute=str(at.minute),
        hour=str(at.hour),
        day_of_week=day,
        day_of_month="*",
        month_of_year="*",
        timezone=zoneinfo.ZoneInfo(zone),
    )
    name = f"plan {plan.pk}, {_describe_clock(when)}"
    if PeriodicTask.objects.filter(name=name).exists():
        raise AlreadyScheduled(f"This schedule exists already: {_describe_clock(when)}.")
    task = PeriodicTask.objects.create(name=name, task=TASK, crontab=when, expire_seconds=LATE_S)
    schedule = Schedule.objects.create(plan=plan, name=plan.name, task=task, created_by=user)
    task.args = json.dumps([schedule.pk])
    task.save()
    return schedule


def pause_schedule(schedule: Schedule, paused: bool) -> None:
    """Stop its clock, or let it run on. Starts missed meanwhile are not made up for."""
    schedule.task.enabled = not paused
    schedule.task.last_run_at = timezone.now()
    schedule.task.save()


def start_scheduled(schedule_id: int) -> Job | None:
    """Start what the schedule says, now. None where nothing is to be sent: it was deleted or paused meanwhile, started
    already, or refused.
    """
    now = timezone.now()
    fresh = Q(started_at=None) | Q(started_at__lt=now - TWICE)
    if not Schedule.objects.filter(fresh, pk=schedule_id, task__enabled=True).update(started_at=now):
        return None
    schedule = Schedule.objects.select_related("task", "plan", "created_by").get(pk=schedule_id)
    if schedule.plan is None:
        return _store_refusal(schedule, "Paused: its plan was deleted.", pause_it=True)
    if schedule.created_by is None:
        return _store_refusal(schedule, "Paused: the user who created it was deleted.", pause_it=True)
    try:
        job = start_job(schedule.plan, schedule.created_by, scheduled=True)
    except Refused as refusal:
        return _store_refusal(schedule, str(refusal))
    schedule.message, schedule.last_job = "", job
    schedule.save(update_fields=["message", "last_job"])
    return job


@transaction.atomic
def _store_refusal(schedule: Schedule, why: str, *, pause_it: bool = False) -> None:
    """Leave a failed job that says why, and the reason with the schedule."""
    plan, now = schedule.plan, timezone.now()
    schedule.last_job = Job.objects.create(
        plan=plan,
        target=plan.target if plan else None,
        generator=plan.generator if plan else None,
        name=f"{schedule.name}, {now:%Y-%m-%d %H:%M:%S}",
        snapshot={},
        state=Job.State.FAILED,
        message=why,
        scheduled=True,
        created_by=schedule.created_by,
        created_at=now,
        finished_at=now,
    )
    schedule.message = why
    schedule.save(update_fields=["message", "last_job"])
    if pause_it:
        pause_schedule(schedule, True)


def list_schedules(plan: Plan | None = None) -> list[ScheduleEntry]:
    schedules = Schedule.objects.select_related("task__crontab", "created_by", "last_job", "plan")
    rows = schedules.filter(plan=plan) if plan else schedules
    return [ScheduleEntry(row, _describe_clock(row.task.crontab), _find_next_start(row)) for row in rows]


def _describe_clock(when: CrontabSchedule) -> str:
    """ "every Monday at 02:30 (Europe/Prague)" """
    day = DAYS.get(when.day_of_week, when.day_of_week)
    return f"every {day} at {int(when.hour):02d}:{int(when.minute):02d} ({when.timezone})"


def _find_next_start(schedule: Schedule) -> datetime | None:
    if not schedule.task.enabled:
        return None
    clock = schedule.task.schedule
    now = clock.now()
    # The clock is read twice in between: round to the minute.
    following: datetime = now + clock.remaining_estimate(now) + timedelta(seconds=30)
    return following.replace(second=0, microsecond=0)
