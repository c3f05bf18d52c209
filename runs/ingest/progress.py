"""How far a worker is with a text, and whether it is still its own: what keeps the reading of large texts alive.

A reader says about once a second that it is there, by an UPDATE of its own, outside any transaction. `seen_at` as it wrote
it last is its claim: who finds another one there has been cancelled, or was so slow that somebody else has taken over.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from time import monotonic

from django.db import OperationalError, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from runs.models import Upload

Status = Upload.Status
TELL_S = 1.0
STALE = timedelta(seconds=60)  # so long nobody has heard of a reader that is gone
MOST_AT_ONCE = 200


class Superseded(Exception):
    """The text was cancelled, or another worker reads it."""


class Reader:
    """One reading of a queued text."""

    def __init__(self, upload_id: int, claimed_at: datetime) -> None:
        self.upload_id = upload_id
        self.n_bytes = self.n_blocks = 0
        self._claimed_at = claimed_at
        self._next = monotonic() + TELL_S

    def hear(self, n_bytes: int, n_blocks: int) -> None:
        """So much more was read. Raises Superseded."""
        self.n_bytes += n_bytes
        self.n_blocks += n_blocks
        if monotonic() >= self._next:
            self.tell()

    def tell(self) -> None:
        """Write down how far it is. Raises Superseded. A database that is busy is told the next time."""
        self._next = monotonic() + TELL_S
        now = timezone.now()
        try:
            told = self._mine().update(bytes_read=self.n_bytes, n_blocks=self.n_blocks, seen_at=now)
        except OperationalError:
            return
        if not told:
            raise Superseded
        self._claimed_at = now

    def is_mine(self, upload: Upload) -> bool:
        """Whether this row, locked, is still this reader's to be stored."""
        return upload.status == Status.PARSING and upload.seen_at == self._claimed_at

    def _mine(self) -> QuerySet[Upload]:
        return Upload.objects.filter(pk=self.upload_id, status=Status.PARSING, seen_at=self._claimed_at)


def claim(upload_id: int, most_attempts: int) -> Reader | None:
    """The right to read a text that waits, or whose reader is gone; None where there is nothing to be done."""
    now = timezone.now()
    free = _free(now).filter(pk=upload_id, attempts__lt=most_attempts)
    taken = free.update(status=Status.PARSING, attempts=F("attempts") + 1, seen_at=now, bytes_read=0, n_blocks=0)
    return Reader(upload_id, now) if taken else None


def is_hopeless(upload_id: int, most_attempts: int) -> bool:
    """Whether a text that nobody reads was begun so often that it may be what kills its readers."""
    return _free(timezone.now()).filter(pk=upload_id, attempts__gte=most_attempts).exists()


def overdue() -> list[int]:
    """Texts that should be in somebody's hands by now: their message was lost, or their reader is gone.

    They wait in the queue anew, and each is told of once a minute at the most, whoever asks.
    """
    now = timezone.now()
    long_ago = Q(seen_at__lt=now - STALE) | Q(seen_at=None, created_at__lt=now - STALE)
    unfinished = Upload.objects.filter(long_ago, status__in=(Status.QUEUED, Status.PARSING)).order_by("pk")
    with transaction.atomic():
        # A row that is locked is just being stored.
        found = list(unfinished.select_for_update(skip_locked=True).values_list("pk", flat=True)[:MOST_AT_ONCE])
        Upload.objects.filter(pk__in=found).update(status=Status.QUEUED, seen_at=now)
    return found


def _free(now: datetime) -> QuerySet[Upload]:
    gone = Q(status=Status.PARSING) & (Q(seen_at=None) | Q(seen_at__lt=now - STALE))
    return Upload.objects.filter(Q(status=Status.QUEUED) | gone)
