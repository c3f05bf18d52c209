"""What a running job writes down, and how it hears that it must stop. The one place of a run that talks to its rows.

Every write asks that the job is still this worker's (its claim). A thread shows every few seconds that the worker lives,
and looks twice a second for a cancellation; the run itself asks `pause()`, which raises.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection, transaction
from django.utils import timezone

from runs.models import Job, Step, Target

from .secrets import mask

LOOK_S = 0.4
WRITE_S = 1.0
MOST_LOG = 40_000  # characters: the end of it is kept
DATABASE_AWAY = (OperationalError, InterfaceError)
T = TypeVar("T")

_stopping = threading.Event()


class Interrupted(Exception):
    """The run has to end now. `state` is what becomes of the job; None: it is no longer this worker's to say."""

    state: str | None = None
    words: str | None = ""


class Cancelled(Interrupted):
    state = Job.State.CANCELLED
    words = None  # the row says already who wanted it


class Stopped(Interrupted):
    """This worker is shutting down."""

    state = Job.State.LOST
    words = "Its worker was shut down. What was stored stays; the rest can be resumed."


class TakenAway(Interrupted):
    """The job was marked as lost meanwhile, or deleted."""


def stop_all() -> None:
    """Let every run of this process end at once: the worker is shutting down."""
    _stopping.set()


def patiently(work: Callable[[], T]) -> T:
    """The result of database work, repeated for `database_s` while the database is away. Never for anything else."""
    until = time.monotonic() + settings.REMOTE_TIMEOUTS.database_s
    while True:
        try:
            return work()
        except DATABASE_AWAY:
            if time.monotonic() > until or connection.in_atomic_block:
                raise
            connection.close()
            time.sleep(1)


class Journal:
    """Use it in a `with`, after the job was claimed."""

    def __init__(self, job: Job, claim: str) -> None:
        self.job_id = job.pk
        self._mine = Job.objects.filter(pk=job.pk, claim=claim, state__in=Job.ACTIVE)
        self._log = job.log
        self._progress: dict[str, Any] = {}
        self._dirty = False
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._interrupted: type[Interrupted] | None = None
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Journal:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def pause(self) -> None:
        """Raises Interrupted where the run has to end. Called by whatever waits."""
        if _stopping.is_set():
            raise Stopped
        if self._interrupted is not None:
            raise self._interrupted

    def sleep(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self.pause()
            time.sleep(min(left, LOOK_S / 2))

    def say(self, text: str) -> None:
        """Add lines to the log, secrets masked."""
        clock = timezone.now().strftime("%H:%M:%S")
        lines = "".join(f"{clock}  {line}\n" for line in mask(text, os.environ).splitlines())
        with self._lock:
            self._log = (self._log + lines)[-MOST_LOG:]
            self._dirty = True

    def progress(self, **told: Any) -> None:
        with self._lock:
            self._dirty = self._dirty or told != self._progress
            self._progress = told

    def state(self, state: str) -> None:
        """Say what the job does now. Raises TakenAway where it is not this worker's any more."""
        self.write(state=state, progress={})

    def write(self, **fields: Any) -> None:
        """Put columns into the job's row, with the log so far. Raises TakenAway."""
        if not patiently(lambda: self._mine.update(**fields, **self._telling())):
            raise TakenAway

    def _telling(self) -> dict[str, Any]:
        with self._lock:
            self._dirty = False
            return {"log": self._log, "heartbeat_at": timezone.now()}

    def finish(self, state: str, message: str | None = "") -> None:
        """The job is over: the running step gets the same word, the target is free. Nothing where it was taken away.

        message   None leaves the one that the row has
        """
        told = {} if message is None else {"message": mask(message, os.environ)}
        self.say(f"{state}: {message}" if message else state)
        patiently(lambda: self._finish(state, told))

    def _finish(self, state: str, told: dict[str, str]) -> None:
        now = timezone.now()
        with transaction.atomic():
            if self._mine.update(state=state, finished_at=now, progress={}, **told, **self._telling()):
                if state != Job.State.DONE:
                    end_steps(self.job_id, state, told.get("message", ""), now)
                Target.objects.filter(busy_with=self.job_id).update(busy_with=None)

    def _watch(self) -> None:
        """The thread: hears of cancellations, shows that this worker lives. While the database is away it waits."""
        wrote = 0.0
        while not self._over.wait(LOOK_S):
            try:
                wrote = self._look(wrote)
            except DATABASE_AWAY:
                connection.close()
        connection.close()

    def _look(self, wrote: float) -> float:
        row = self._mine.values_list("cancel_requested_at", flat=True).first()
        if row is not None:
            self._interrupted = Cancelled
        since = time.monotonic() - wrote
        if since < (WRITE_S if self._dirty else settings.REMOTE_TIMEOUTS.heartbeat_s):
            return wrote
        with self._lock:
            told = self._progress
        if not self._mine.update(progress=told, **self._telling()) and not self._over.is_set():
            self._interrupted = TakenAway
        return time.monotonic()


def end_steps(job_id: int, state: str, message: str, now: datetime) -> None:
    """The step that was under way ends as its job does."""
    Step.objects.filter(job=job_id, state=Step.State.RUNNING).update(state=state, message=message, finished_at=now)
