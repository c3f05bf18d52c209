"""Plans that start by themselves: every day or week at a time of day, in the time zone that was asked for.

django-celery-beat keeps the clock. Each start needs the permission of whoever made the schedule, at that moment; a start
that is refused becomes a failed job that says why, so that it is found where all jobs are found.
"""

from __future__ import annotations

import json
import zoneinfo
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django_celery_beat.models import CrontabSchedule, PeriodicTask

from . import planning
from .checks import Refused
from .models import Job, Plan, Schedule

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
class Entry:
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
    name = f"plan {plan.pk}, {_describe(when)}"
    if PeriodicTask.objects.filter(name=name).exists():
        raise AlreadyScheduled(f"It starts {_describe(when)} already.")
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


def remove_schedule(schedule: Schedule) -> None:
    """The jobs that it started stay."""
    schedule.task.delete()


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
        return _store_refusal(schedule, "Its plan was deleted, so that this schedule was paused.", pause_it=True)
    if schedule.created_by is None:
        return _store_refusal(
            schedule, "Whoever made this schedule is no user any more, so that it was paused.", pause_it=True
        )
    try:
        job = planning.start_job(schedule.plan, schedule.created_by, scheduled=True)
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


def list_entries(plan: Plan | None = None) -> list[Entry]:
    found = Schedule.objects.select_related("task__crontab", "created_by", "last_job", "plan")
    rows = found.filter(plan=plan) if plan else found
    return [Entry(row, _describe(row.task.crontab), _find_next_start(row)) for row in rows]


def _describe(when: CrontabSchedule) -> str:
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
