"""What workers do. Each task is one call into the core and safe to repeat."""

from __future__ import annotations

from functools import partial
from typing import Any

from celery import Task, shared_task
from django.db import transaction

from runs import ingest
from runs.models import Upload


class Reading(Task):  # type: ignore[type-arg]
    """A task about one upload: when it breaks down, the upload says so instead of waiting for ever."""

    def on_failure(self, exc: Exception, task_id: str, args: Any, kwargs: Any, einfo: Any) -> None:
        ingest.give_up(args[0], f"Reading broke down ({type(exc).__name__}); the worker's log says where.")


@shared_task(base=Reading, acks_late=True, reject_on_worker_lost=True)
def parse_upload(upload_id: int) -> None:
    """Read and store a queued upload."""
    ingest.parse_queued(upload_id)


def hand_over(receipt: ingest.Receipt) -> None:
    """Give a queued upload to a worker once it is committed; what is not queued is left alone.

    A text sent again while it waits is handed over again: the first message may have been lost, a second does no harm.
    """
    if receipt.upload.status == Upload.Status.QUEUED:
        transaction.on_commit(partial(parse_upload.delay, receipt.upload.pk))
