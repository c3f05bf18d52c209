"""What can be done to a job from outside its worker: cancel it, resume it, find out that its worker is gone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from runs.models import Job, Step, Target

from .journal import end_steps
from .planning import Refused

LOST = "The worker that ran it was not heard of for {:.0f} s. What was stored stays; the rest can be resumed."


def cancel(job: Job, user: Any) -> None:
    """Have it end: at once where it waits, within two seconds where it runs, its processes elsewhere included."""
    now = timezone.now()
    by = f"Cancelled by {user}." if user else "Cancelled."
    with transaction.atomic():
        waits = Job.objects.filter(pk=job.pk, state=Job.State.QUEUED)
        if not waits.update(state=Job.State.CANCELLED, message=by, cancel_requested_at=now, finished_at=now):
            runs = Job.objects.filter(pk=job.pk, state__in=Job.ACTIVE, cancel_requested_at=None)
            runs.update(cancel_requested_at=now, message=by)
    job.refresh_from_db()


def begun(job: Job) -> list[Step]:
    """Steps whose load was begun and did not come to an end: a resumed job sends it once more."""
    steps = list(job.steps.order_by("position", "id"))
    newest = {(step.position, step.variant, step.level, step.repeat): step for step in steps}
    ended = (Step.State.LOST, Step.State.FAILED, Step.State.CANCELLED)
    return [step for step in newest.values() if step.state in ended]


def resume(job: Job, user: Any) -> list[Step]:
    """Queue the rest of a job that ended early. Whoever calls sends it on commit, and has asked: it returns what is sent anew.

    Raises Refused where it is not over, has nothing left, or the user may not run plans.
    """
    if user is not None and not user.has_perm("runs.run_plan"):
        raise _refused(f"{user} may not run plans.")
    early = (Job.State.LOST, Job.State.FAILED, Job.State.CANCELLED)
    queued: dict[str, Any] = {"state": Job.State.QUEUED, "message": "", "claim": "", "sent_at": None, "progress": {}}
    queued |= {"cancel_requested_at": None, "finished_at": None, "heartbeat_at": None}
    with transaction.atomic():
        if not Job.objects.filter(pk=job.pk, state__in=early).update(**queued):
            raise _refused("Only a job that was cancelled, failed or lost can be resumed.")
        job.steps.filter(state=Step.State.RUNNING).update(state=Step.State.LOST)  # its worker was gone as it wrote this
        again = begun(job)
        if not again and not job.steps.filter(state=Step.State.WAITING).exists():
            raise _refused("Every step of it is done.")
        _anew(job, again)
    job.refresh_from_db()
    return again


def _anew(job: Job, steps: Sequence[Step]) -> None:
    """A row of its own for each go of a load, at the same place of the order."""
    same = ("position", "variant", "level", "repeat")
    Step.objects.bulk_create(Step(job=job, **{name: getattr(step, name) for name in same}) for step in steps)


def _refused(message: str) -> Refused:
    return Refused([{"field": "job", "message": message}])


def tend(now: datetime | None = None) -> list[int]:
    """Mark jobs as lost whose worker is not heard of, free their targets; the ids of jobs that may be sent to their queues.

    Those are the ones whose target is free and whose message was never sent, or may have been lost on its way.
    """
    now = now or timezone.now()
    last = now - timedelta(seconds=settings.REMOTE_TIMEOUTS.lost_s)
    silent = Job.objects.filter(state__in=Job.ACTIVE).filter(Q(heartbeat_at=None) | Q(heartbeat_at__lt=last))
    for job in silent.defer("log", "snapshot"):
        _lose(job, now)
    Target.objects.filter(busy_with__state__in=(*Job.OVER, Job.State.QUEUED)).update(busy_with=None)
    queued = Job.objects.filter(state=Job.State.QUEUED, cancel_requested_at=None).order_by("id")
    nobody = queued.filter(generator=None)
    nobody.update(state=Job.State.FAILED, message="Its load generator was deleted.", finished_at=now)
    busy = Job.objects.filter(state__in=Job.ACTIVE, generator__isnull=False).values("generator")
    free = queued.filter(Q(target=None) | Q(target__busy_with=None)).exclude(generator__in=busy)
    return [pk for pk, sent, made in free.values_list("pk", "sent_at", "created_at") if _due(sent, made, now)]


def _due(sent: datetime | None, made: datetime, now: datetime) -> bool:
    """Where no worker is there for days, the waits between two messages grow with the job's age."""
    return sent is None or now - sent > timedelta(seconds=settings.REMOTE_TIMEOUTS.resend_s) + (sent - made) / 4


def _lose(job: Job, now: datetime) -> None:
    silent_s = (now - (job.heartbeat_at or job.started_at or job.created_at)).total_seconds()
    with transaction.atomic():
        unheard = Job.objects.filter(pk=job.pk, state__in=Job.ACTIVE, heartbeat_at=job.heartbeat_at)
        cancelled = job.cancel_requested_at is not None
        state = Job.State.CANCELLED if cancelled else Job.State.LOST
        message = LOST.format(silent_s)
        if unheard.update(state=state, message=message, finished_at=now, progress={}):
            end_steps(job.pk, state, message, now)
            Target.objects.filter(busy_with=job.pk).update(busy_with=None)


def note_sent(job_id: int, *, problem: str = "") -> None:
    """Note that its message was given to the queue, or why it could not be."""
    waiting = Job.objects.filter(pk=job_id, state=Job.State.QUEUED)
    waiting.update(message=problem, sent_at=None if problem else timezone.now())
