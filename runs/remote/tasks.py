"""Celery tasks of remote runs. Each is one call into the core and safe to repeat.

Their names are those that they had in runs.tasks: messages in queues and rows of beat's hold them.
"""

from __future__ import annotations

import logging
import uuid
from functools import partial
from typing import Any

from celery import shared_task
from celery.signals import celeryd_after_setup, worker_ready, worker_shutting_down
from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError

from . import jobs, runner, schedules
from .models import Job, LoadGenerator

log = logging.getLogger(__name__)
_served: set[str] = set()  # queues of the worker that this process is; none in any other process


@shared_task(name="runs.tasks.run_job", acks_late=False)
def run_job(job_id: int) -> None:
    """Run a job to its end. A second delivery finds it taken and does nothing; no load is ever repeated by itself.

    Acknowledged at its start: the job's row says what became of it, and a Redis that goes away while a message is not
    acknowledged takes the worker with it (kombu 5.7, Channel.close).
    """
    # A message in another worker's queue must not move the load elsewhere.
    generator = LoadGenerator.objects.filter(jobs=job_id).first()
    if _served and generator is not None and generator.queue not in _served:
        log.error("Job %s came to a worker that does not serve its load generator; it is left alone.", job_id)
        return
    runner.run_job(job_id, uuid.uuid4().hex)
    send_due_jobs()


@celeryd_after_setup.connect
def note_queues(instance: Any, **_: Any) -> None:
    """Remember what the worker was started for; queues that are added later do not count."""
    _served.update(instance.app.amqp.queues.consume_from)


@shared_task(name="runs.tasks.tend_jobs")
def tend_jobs() -> None:
    """Look after jobs whose worker is gone and those whose turn has come; beat sends this."""
    send_due_jobs()


@shared_task(name="runs.tasks.start_schedule", acks_late=False)  # a start that was lost is better than two
def start_schedule(schedule_id: int) -> None:
    """Start what a schedule says, now; beat sends this."""
    job = schedules.start_scheduled(schedule_id)
    if job is not None:
        send_on_commit(job)


def send_due_jobs() -> None:
    for job_id in jobs.check_jobs():
        send_job(job_id)


def send_on_commit(job: Job) -> None:
    transaction.on_commit(partial(send_job, job.pk))


def send_job(job_id: int) -> None:
    """Put a queued job's message into its queue. Where the broker is away the job says so and `tend_jobs` tries again."""
    job = Job.objects.select_related("generator").filter(pk=job_id, state=Job.State.QUEUED).first()
    if job is None or job.generator is None:
        return
    jobs.note_sent(job)
    try:
        run_job.apply_async((job_id,), queue=job.generator.queue, retry=False)
    except OperationalError as error:
        log.warning("Job %s could not be sent: %s", job_id, error)
        jobs.note_unsent(job)


@worker_ready.connect
def tend_at_start(**_: Any) -> None:
    """What a worker left behind that was killed is handled by the next one that starts."""
    tend_jobs.apply_async(expires=settings.REMOTE_TIMEOUTS.tend_s, retry=False)


@worker_shutting_down.connect
def stop_jobs(**_: Any) -> None:
    """A worker that is asked to end does not wait for a load of ten minutes: its jobs end now, to be resumed."""
    jobs.stop_all()
