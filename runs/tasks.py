"""What workers do. Each task is one call into the core and safe to repeat."""

from __future__ import annotations

import logging
import uuid
from functools import partial
from typing import Any

from celery import Task, shared_task
from celery.signals import celeryd_after_setup, worker_ready, worker_shutting_down
from django import db
from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError

from runs import ingest, remote
from runs.models import Job, LoadGenerator, Upload
from runs.remote import schedules

RESEND_S = 60.0  # ingest.requeue_overdue names a text no sooner again
DatabaseAway = (db.OperationalError, db.InterfaceError)
log = logging.getLogger(__name__)
_served: set[str] = set()  # queues of the worker that this process is; none in any other process


class Reading(Task):  # type: ignore[type-arg]
    """A task about one upload: when it breaks down, the upload says so instead of waiting for ever."""

    def on_failure(self, exc: Exception, task_id: str, args: Any, kwargs: Any, einfo: Any) -> None:
        if not isinstance(exc, DatabaseAway):  # then it is read once the database is back
            ingest.give_up(args[0], f"Reading broke down ({type(exc).__name__}); the worker's log says where.")


@shared_task(base=Reading, acks_late=False)
def parse_upload(upload_id: int) -> None:
    """Read and store a queued upload.

    Acknowledged at its start, as run_job is and for the same reason. The upload's row says how far its reader is; where
    that falls silent, `tend_uploads` sends the text again.
    """
    ingest.parse_queued(upload_id)


def hand_over(receipt: ingest.Receipt) -> None:
    """Give a queued upload to a worker once it is committed; what is not queued is left alone.

    A text sent again while it waits is handed over again: the first message may have been lost, a second does no harm.
    """
    if receipt.upload.status == Upload.Status.QUEUED:
        transaction.on_commit(partial(send_upload, receipt.upload.pk))


def send_upload(upload_id: int, **options: Any) -> None:
    """Put an upload's message into the queue. Where the broker is away `tend_uploads` does it later."""
    try:
        parse_upload.apply_async((upload_id,), retry=False, **options)
    except OperationalError as error:
        log.warning("Upload %s could not be sent, it is sent later: %s", upload_id, error)


@shared_task(acks_late=False)
def tend_uploads() -> None:
    """Send those texts again whose message was lost or whose reader is gone.

    What is not taken before the next look counts as lost, so that no second message is ever in the queue for long.
    """
    for upload_id in ingest.requeue_overdue():
        send_upload(upload_id, expires=RESEND_S)


@shared_task(acks_late=False)
def run_job(job_id: int) -> None:
    """Run a job to its end. A second delivery finds it taken and does nothing; no load is ever repeated by itself.

    Acknowledged at its start: the job's row says what became of it, and a Redis that goes away while a message is not
    acknowledged takes the worker with it (kombu 5.7, Channel.close).
    """
    if not _is_sent_from_here(job_id):
        log.error("Job %s came to a worker that does not serve its load generator; it is left alone.", job_id)
        return
    remote.run(job_id, uuid.uuid4().hex)
    send_due()


def _is_sent_from_here(job_id: int) -> bool:
    """Whether this worker serves the job's generator: a message in another's queue must not move the load elsewhere."""
    generator = LoadGenerator.objects.filter(jobs=job_id).first()
    return not _served or generator is None or generator.queue in _served


@celeryd_after_setup.connect
def note_queues(instance: Any, **_: Any) -> None:
    """Remember what the worker was started for; what the broker tells it to serve later does not count."""
    _served.update(instance.app.amqp.queues.consume_from)


@shared_task
def tend_jobs() -> None:
    """Look after jobs whose worker is gone and those whose turn has come."""
    send_due()


@shared_task(name="runs.tasks.take_in_tallies")  # stored schedules of beat have this name
def apply_counter_deltas() -> None:
    """Let facets, hosts' counts and trends catch up with the runs; beat sends this."""
    ingest.apply_deltas()


@shared_task(acks_late=False)  # a start that was lost is better than one that comes twice
def start_schedule(schedule_id: int) -> None:
    """Start what a schedule says, now; beat sends this."""
    job = schedules.begin(schedule_id)
    if job is not None:
        dispatch(job)


def send_due() -> None:
    for job_id in remote.tend():
        send(job_id)


def dispatch(job: Job) -> None:
    """Give a queued job to its generator's workers once it is committed."""
    transaction.on_commit(partial(send, job.pk))


def send(job_id: int) -> None:
    """Put a queued job's message into its queue. Where the broker is away the job says so and `tend_jobs` tries again."""
    job = Job.objects.select_related("generator").filter(pk=job_id, state=Job.State.QUEUED).first()
    if job is None or job.generator is None:
        return
    remote.note_sent(job_id)
    try:
        run_job.apply_async((job_id,), queue=job.generator.queue, retry=False)
    except OperationalError as error:
        log.warning("Job %s could not be sent: %s", job_id, error)
        remote.note_sent(job_id, problem="The queue's server does not answer; the job is sent as soon as it does.")


@worker_ready.connect
def tend_at_start(**_: Any) -> None:
    """What a worker left behind that was killed is seen to by the next one that starts."""
    tend_jobs.apply_async(expires=settings.REMOTE_TIMEOUTS.tend_s, retry=False)
    tend_uploads.apply_async(expires=15.0, retry=False)


@worker_shutting_down.connect
def stop_jobs(**_: Any) -> None:
    """A worker that is asked to end does not wait for a load of ten minutes: its jobs end now, to be resumed."""
    remote.stop_all()
