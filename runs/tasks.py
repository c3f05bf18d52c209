"""What workers do. Each task is one call into the core and safe to repeat."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterable
from functools import partial
from typing import Any

from billiard.exceptions import SoftTimeLimitExceeded
from celery import Task, shared_task
from celery.signals import celeryd_after_setup, worker_ready, worker_shutting_down
from django import db
from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError

from runs import ingest
from runs.database import take_turns
from runs.models import Upload
from runs.remote import jobs, planning, runner
from runs.remote.models import Job, LoadGenerator
from runs.selectors.judging import work_out_headlines

BUSY = 5  # times as long as a processor works on a text it may take on a machine that has other work
RESEND_S = 60.0  # ingest.requeue_overdue names a text no sooner again
DatabaseAway = (db.OperationalError, db.InterfaceError)
log = logging.getLogger(__name__)
_served: set[str] = set()  # queues of the worker that this process is; none in any other process


class ReadingTask(Task):  # type: ignore[type-arg]
    """A task about one upload: when it fails, the upload's row says so instead of staying queued for ever."""

    def on_failure(self, exc: Exception, task_id: str, args: Any, kwargs: Any, einfo: Any) -> None:
        if not isinstance(exc, DatabaseAway):  # then it is read once the database is back
            ingest.give_up(args[0], f"Reading failed ({type(exc).__name__}); see the worker's log.")


@shared_task(base=ReadingTask, acks_late=False)
def parse_upload(upload_id: int, gave_way_to: int = 0) -> None:
    """Read and store a queued upload, or put it behind others where the turn is another user's.

    It gives way once to each text, and only to newer ones than before: a text whose message was lost holds nobody up.
    Acknowledged at its start, as run_job is and for the same reason. The upload's row says how far its reader is; where
    that is no longer updated, `tend_uploads` sends the text again.
    """
    if (fairer := ingest.find_fairer(upload_id)) > gave_way_to:
        send_upload(upload_id, kwargs={"gave_way_to": fairer}, expires=parse_upload.request.expires)
        return
    try:
        ingest.parse_queued(upload_id)
    except ingest.ReadingStopped:  # another worker, or the next, reads it
        send_upload(upload_id)
    except (SoftTimeLimitExceeded, ingest.TooSlow):
        if not db.connection.in_atomic_block:
            db.connection.close()  # it may have been stopped in the middle of an answer
        took = "Reading this text exceeded the time limit for its size."
        ingest.give_up(
            upload_id, f"{took} It is kept. Send it in parts, or without lines that are not a tool's output."
        )


def queue_upload(upload: Upload) -> None:
    """Give a queued upload to a worker once it is committed.

    A text sent again while it waits is handed over again: the first message may have been lost, a second does no harm.
    """
    transaction.on_commit(partial(send_upload, upload.pk))


def submit_all(files: Iterable[tuple[str, Any]], **options: Any) -> list[ingest.Receipt]:
    """`ingest.submit_all`; large texts go to a worker."""
    receipts = ingest.submit_all(files, **options, may_queue=True)
    for receipt in receipts:
        if receipt.upload.status == Upload.Status.QUEUED:
            queue_upload(receipt.upload)
    return receipts


def redact_upload(upload_id: int, words: Iterable[str] = ()) -> Upload:
    """Mask what looks like a secret, and these words, in a stored text and in all that was made of it.

    Small texts are read again at once, those that are large or slow to read by a worker. Raises Rejected 400 and 409.
    """
    with take_turns():
        gone = ingest.mask_text(upload_id, words)
        upload = Upload.objects.get(pk=upload_id)
        ingest.mask_names(upload, gone)
        if upload.status != Upload.Status.QUEUED:
            return ingest.reparse(upload_id)
        queue_upload(upload)
    return upload


def send_upload(upload_id: int, **options: Any) -> None:
    """Put an upload's message into the queue. Where the broker is away `tend_uploads` does it later."""
    size = Upload.objects.filter(pk=upload_id).values_list("size_bytes", flat=True).first() or 0
    limit = BUSY * ingest.most_reading_s(size)
    try:
        # A process that does not heed the first limit is ended at the second one; tend_uploads then sends the text again.
        parse_upload.apply_async((upload_id,), retry=False, soft_time_limit=limit, time_limit=2 * limit, **options)
    except OperationalError as error:
        log.warning("Upload %s could not be sent, it is sent later: %s", upload_id, error)


@shared_task(acks_late=False)
def tend_uploads() -> None:
    """Send those texts again whose message was lost or whose reader is gone.

    A message that is not taken before the next call expires, so that no second one is in the queue for long.
    """
    for upload_id in ingest.requeue_overdue():
        send_upload(upload_id, expires=RESEND_S)


@shared_task(name="runs.tasks.take_in_tallies")  # stored schedules of beat have this name
def apply_counter_deltas() -> None:
    """Update facets, hosts' run counts and trends; beat sends this every few seconds.

    Then something was stored or changed, so the newest cards may lack their headlines: worked out here, uploads stay cheap.
    """
    if ingest.apply_deltas():
        work_out_headlines()


@shared_task
def purge_bin() -> None:
    """Remove for good what has been in the bin for 30 days."""
    ingest.purge_expired()


# --- remote runs ----------------------------------------------------------------------------------------------------------


@shared_task(acks_late=False)
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
    tend_jobs()


@celeryd_after_setup.connect
def note_queues(instance: Any, **_: Any) -> None:
    """Remember what the worker was started for; queues that are added later do not count."""
    _served.update(instance.app.amqp.queues.consume_from)


@shared_task
def tend_jobs() -> None:
    """Look after jobs whose worker is gone and those whose turn has come; beat sends this."""
    for job_id in jobs.check_jobs():
        send_job(job_id)


@shared_task(acks_late=False)  # a start that was lost is better than two
def start_schedule(schedule_id: int) -> None:
    """Start what a schedule says, now; beat sends this."""
    job = planning.start_scheduled(schedule_id)
    if job is not None:
        send_on_commit(job)


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


# --- workers that start and end ---------------------------------------------------------------------------------------------


@worker_ready.connect
def tend_at_start(**_: Any) -> None:
    """A worker that starts takes over what a killed one left behind."""
    tend_uploads.apply_async(expires=15.0, retry=False)
    tend_jobs.apply_async(expires=settings.REMOTE_TIMEOUTS.tend_s, retry=False)


@worker_shutting_down.connect
def stop_work(**_: Any) -> None:
    """A worker that is asked to end does not wait: texts go back into the queue, and jobs end now, to be resumed."""
    ingest.stop_reading()
    jobs.stop_all()
