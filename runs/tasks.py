"""What workers do. Each task is one call into the core and safe to repeat."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from functools import partial
from typing import Any

from billiard.exceptions import SoftTimeLimitExceeded
from celery import Task, shared_task
from celery.signals import worker_ready, worker_shutting_down
from django import db
from django.db import transaction
from kombu.exceptions import OperationalError

from runs import ingest
from runs.models import Upload
from runs.querysets import take_turns
from runs.selectors.judging import work_out_headlines

BUSY = 5  # times as long as a processor works on a text it may take on a machine that has other work
RESEND_S = 60.0  # ingest.requeue_overdue names a text no sooner again
DatabaseAway = (db.OperationalError, db.InterfaceError)
log = logging.getLogger(__name__)


class ReadingTask(Task):  # type: ignore[type-arg]
    """A task about one upload: when it fails, the upload's row says so instead of staying queued for ever."""

    def on_failure(self, exc: Exception, task_id: str, args: Any, kwargs: Any, einfo: Any) -> None:
        if not isinstance(exc, DatabaseAway):  # then it is read once the database is back
            ingest.give_up(args[0], f"Reading broke down ({type(exc).__name__}); the worker's log says where.")


@shared_task(base=ReadingTask, acks_late=False)
def parse_upload(upload_id: int) -> None:
    """Read and store a queued upload.

    Acknowledged at its start, as run_job is and for the same reason. The upload's row says how far its reader is; where
    that is no longer updated, `tend_uploads` sends the text again.
    """
    try:
        ingest.parse_queued(upload_id)
    except ingest.ReadingStopped:  # another worker, or the next, reads it
        send_upload(upload_id)
    except (SoftTimeLimitExceeded, ingest.TooSlow):
        if not db.connection.in_atomic_block:
            db.connection.close()  # it may have been stopped in the middle of an answer
        took = "Reading this text took longer than texts of its size may take, and was given up."
        ingest.give_up(upload_id, f"{took} It is kept: send it in parts, or without what is no tool's output.")


@worker_shutting_down.connect
def stop_reading(**_: Any) -> None:
    ingest.stop_reading()


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


@worker_ready.connect
def tend_at_start(**_: Any) -> None:
    """A worker that starts takes over what a killed one left behind."""
    tend_uploads.apply_async(expires=15.0, retry=False)
