"""Which worker runs a job, and when: taken by compare-and-set, so that a message that comes twice runs nothing twice.

One job at a time a target, and one a load generator: two loads from one machine would measure each other.
"""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from runs.models import Job, LoadGenerator, Target


def take(job_id: int, claim: str) -> Job | None:
    """The job, now this worker's and its target's only one. None: it is somebody's already, over, or has to wait.

    One that has to wait stays queued and says for which job; `jobs.tend` has it sent again when the target is free.
    """
    with transaction.atomic():
        if not _queued(job_id).update(
            state=Job.State.CONNECTING,
            claim=claim,
            message="",
            started_at=timezone.now(),
            heartbeat_at=timezone.now(),
            finished_at=None,
        ):
            # It may be this very attempt's: the database went away between its word and our hearing of it.
            return Job.objects.filter(pk=job_id, claim=claim, state=Job.State.CONNECTING).first()
        job = Job.objects.get(pk=job_id)
        waits_for = _busy_generator(job) or _busy_target(job)
        if not waits_for:
            return job
        transaction.set_rollback(True)
    _queued(job_id).update(message=f"It waits for {waits_for}.", sent_at=None)
    return None


def _busy_generator(job: Job) -> str:
    """The job that sends load from the same generator, or "". Who asks holds the generator's row meanwhile."""
    generators = LoadGenerator.objects.select_for_update().filter(pk=job.generator_id or 0)
    if not list(generators):
        return ""
    others = Job.objects.filter(generator=job.generator_id, state__in=Job.ACTIVE).exclude(pk=job.pk)
    other = others.values_list("pk", flat=True).first()
    return f"job {other} on the same load generator" if other else ""


def _busy_target(job: Job) -> str:
    """The job that holds the same target, or "": then it is this job's now."""
    target = Target.objects.filter(pk=job.target_id or 0)
    if job.target_id is None or target.filter(Q(busy_with=None) | Q(busy_with=job.pk)).update(busy_with=job.pk):
        return ""
    return f"job {target.values_list('busy_with', flat=True).first()} on the same target"


def _queued(job_id: int) -> QuerySet[Job]:
    return Job.objects.filter(pk=job_id, state=Job.State.QUEUED, cancel_requested_at=None)
