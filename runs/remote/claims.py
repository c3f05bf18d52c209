"""Which worker runs a job, and when: taken by compare-and-set, so that a message that comes twice runs nothing twice."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from runs.models import Job, Target


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
            return None
        job = Job.objects.get(pk=job_id)
        target = Target.objects.filter(pk=job.target_id or 0)
        free = target.filter(Q(busy_with=None) | Q(busy_with=job_id))
        if job.target_id is None or free.update(busy_with=job_id):
            return job
        transaction.set_rollback(True)
    _wait(job)
    return None


def _queued(job_id: int) -> QuerySet[Job]:
    return Job.objects.filter(pk=job_id, state=Job.State.QUEUED, cancel_requested_at=None)


def _wait(job: Job) -> None:
    holder = Target.objects.filter(pk=job.target_id or 0).values_list("busy_with", flat=True).first()
    _queued(job.pk).update(message=f"It waits for job {holder} on the same target.", sent_at=None)
