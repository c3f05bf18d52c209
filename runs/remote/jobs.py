"""A job's row from its claim to its end, and what others may do to it: cancel it, resume it, find that its worker is gone.

A worker claims a job by compare-and-set, so a message that comes twice runs nothing twice. One job at a time a target,
and one a load generator: two loads from one machine would measure each other. Every write asks that the job is still this
worker's (its claim). Who is alive is judged by the database's clock: workers' own may be wrong.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from runs.database import read_database_now

from .checks import Refused
from .models import Job, LoadGenerator, Step, Target
from .secrets import mask


def claim_job(job_id: int, claim: str) -> Job | None:
    """The job, now this worker's and its target's only one. None: it is somebody's already, over, or has to wait.

    One that has to wait stays queued and says for which job; `check_jobs` has it sent again when the target is free.
    """
    with transaction.atomic():
        if not _queued(job_id).update(
            state=Job.State.CONNECTING,
            claim=claim,
            message="",
            started_at=Now(),
            heartbeat_at=read_database_now(),
            finished_at=None,
        ):
            # It may be this very attempt's: the database went away between its word and our hearing of it.
            return Job.objects.filter(pk=job_id, claim=claim, state=Job.State.CONNECTING).first()
        job = Job.objects.get(pk=job_id)
        waits_for = _find_job_on_generator(job) or _take_target(job)
        if not waits_for:
            return job
        transaction.set_rollback(True)
    _queued(job_id).update(message=f"It waits for {waits_for}.", sent_at=None)
    return None


def _find_job_on_generator(job: Job) -> str:
    """The job that sends load from the same generator, or "". The caller locks the generator's row meanwhile."""
    generators = LoadGenerator.objects.select_for_update().filter(pk=job.generator_id or 0)
    if not list(generators):
        return ""
    others = Job.objects.filter(generator=job.generator_id, state__in=Job.ACTIVE).exclude(pk=job.pk)
    other = others.values_list("pk", flat=True).first()
    return f"job {other} on the same load generator" if other else ""


def _take_target(job: Job) -> str:
    """The job that holds the same target, or "": then it is this job's now."""
    target = Target.objects.filter(pk=job.target_id or 0)
    if job.target_id is None or target.filter(Q(busy_with=None) | Q(busy_with=job.pk)).update(busy_with=job.pk):
        return ""
    return f"job {target.values_list('busy_with', flat=True).first()} on the same target"


def _queued(job_id: int) -> QuerySet[Job]:
    return Job.objects.filter(pk=job_id, state=Job.State.QUEUED, cancel_requested_at=None)


POLL_S = 0.4
WRITE_S = 1.0
MOST_LOG = 40_000  # characters: the end of it is kept
DATABASE_AWAY = (OperationalError, InterfaceError)
T = TypeVar("T")

_stopping = threading.Event()


class Interrupted(Exception):
    """The run has to end now. `state` is what becomes of the job; None: it is no longer this worker's to say."""

    state: str | None = None
    message: str | None = ""


class Cancelled(Interrupted):
    state = Job.State.CANCELLED
    message = None  # the row says already who wanted it


class WorkerStopped(Interrupted):
    """This worker is shutting down."""

    state = Job.State.LOST
    message = "Its worker was shut down. The remaining steps can be resumed."


class TakenAway(Interrupted):
    """The job was marked as lost meanwhile, or deleted."""


def stop_all() -> None:
    _stopping.set()


def retry_database(work: Callable[[], T]) -> T:
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
    """What a running job writes to its row, and how it notices that it must stop. Use it in a `with`, after the claim.

    A thread shows every few seconds that the worker lives, and asks twice a second for a cancellation; the run itself
    calls `pause()`, which raises.
    """

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
            raise WorkerStopped
        if self._interrupted is not None:
            raise self._interrupted

    def sleep(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self.pause()
            time.sleep(min(left, POLL_S / 2))

    def log(self, text: str) -> None:
        """Add lines to the log, secrets masked."""
        clock = timezone.now().strftime("%H:%M:%S")
        lines = "".join(f"{clock}  {line}\n" for line in mask(text).splitlines())
        with self._lock:
            self._log = (self._log + lines)[-MOST_LOG:]
            self._dirty = True

    def progress(self, **reported: Any) -> None:
        with self._lock:
            self._dirty = self._dirty or reported != self._progress
            self._progress = reported

    def write(self, **fields: Any) -> None:
        """Put columns into the job's row, with the log so far. Raises TakenAway."""
        if not retry_database(lambda: self._mine.update(**fields, **self._log_fields())):
            raise TakenAway

    def _log_fields(self) -> dict[str, Any]:
        with self._lock:
            self._dirty = False
            # No Now(): SQLite's has fewer digits than Python's times, which _lose compares with it.
            return {"log": self._log, "heartbeat_at": read_database_now()}

    def finish(self, state: str, message: str | None = "") -> None:
        """The job is over: the running step gets the same word, the target is free. Nothing where it was taken away.

        message   None leaves the one that the row has
        """
        fields = {} if message is None else {"message": mask(message)}
        self.log(f"{state}: {message}" if message else state)
        retry_database(lambda: self._finish(state, fields))

    def _finish(self, state: str, fields: dict[str, str]) -> None:
        with transaction.atomic():
            if self._mine.update(state=state, finished_at=Now(), progress={}, **fields, **self._log_fields()):
                release(self.job_id, state, fields.get("message", ""))

    def _watch(self) -> None:
        """The thread: notices cancellations, shows that this worker lives. While the database is away it waits."""
        wrote = 0.0
        while not self._over.wait(POLL_S):
            try:
                wrote = self._poll(wrote)
            except DATABASE_AWAY:
                connection.close()
        connection.close()

    def _poll(self, wrote: float) -> float:
        row = self._mine.values_list("cancel_requested_at", flat=True).first()
        if row is not None:
            self._interrupted = Cancelled
        since = time.monotonic() - wrote
        if since < (WRITE_S if self._dirty else settings.REMOTE_TIMEOUTS.heartbeat_s):
            return wrote
        with self._lock:
            progress = self._progress
        if not self._mine.update(progress=progress, **self._log_fields()) and not self._over.is_set():
            self._interrupted = TakenAway
        return time.monotonic()


def release(job_id: int, state: str, message: str) -> None:
    """The step that a job was at ends as the job does, and its target is free."""
    Step.objects.filter(job=job_id, state=Step.State.RUNNING).update(state=state, message=message, finished_at=Now())
    Target.objects.filter(busy_with=job_id).update(busy_with=None)


LOST = "Its worker sent no heartbeat for {:.0f} s. The remaining steps can be resumed."


def cancel_job(job: Job, user: Any) -> None:
    """Have it end: at once where it waits, within two seconds where it runs, its processes elsewhere included."""
    by = f"Cancelled by {user}." if user else "Cancelled."
    with transaction.atomic():
        waits = Job.objects.filter(pk=job.pk, state=Job.State.QUEUED)
        if not waits.update(state=Job.State.CANCELLED, message=by, cancel_requested_at=Now(), finished_at=Now()):
            runs = Job.objects.filter(pk=job.pk, state__in=Job.ACTIVE, cancel_requested_at=None)
            runs.update(cancel_requested_at=Now(), message=by)
    job.refresh_from_db()


def find_begun_steps(job: Job) -> list[Step]:
    """Steps whose load was begun and did not come to an end: a resumed job sends it once more."""
    newest = {step.position: step for step in job.steps.order_by("position", "id")}
    ended = (Step.State.LOST, Step.State.FAILED, Step.State.CANCELLED)
    return [step for step in newest.values() if step.state in ended]


def resume_job(job: Job, user: Any) -> list[Step]:
    """Queue the rest of a job that ended early. Whoever calls sends it on commit, and has asked: it returns what is sent anew.

    Raises Refused where it is not over, has nothing left, or the user may not run plans.
    """
    if user is not None and not user.has_perm("remote.run_plan"):
        raise Refused(("job", f"{user} may not run plans."))
    early = (Job.State.LOST, Job.State.FAILED, Job.State.CANCELLED)
    queued: dict[str, Any] = {"state": Job.State.QUEUED, "message": "", "claim": "", "sent_at": None, "progress": {}}
    queued |= {"cancel_requested_at": None, "finished_at": None, "heartbeat_at": None}
    with transaction.atomic():
        if not Job.objects.filter(pk=job.pk, state__in=early).update(**queued):
            raise Refused(("job", "Only a job that was cancelled, failed or lost can be resumed."))
        job.steps.filter(state=Step.State.RUNNING).update(state=Step.State.LOST)  # its worker was gone as it wrote this
        repeated = find_begun_steps(job)
        if not repeated and not job.steps.filter(state=Step.State.WAITING).exists():
            raise Refused(("job", "All of its steps are done."))
        # A row of its own for each go of a load, at the same place of the order.
        copied = ("position", "variant", "level", "repeat")
        Step.objects.bulk_create(Step(job=job, **{name: getattr(step, name) for name in copied}) for step in repeated)
    job.refresh_from_db()
    return repeated


def check_jobs(now: datetime | None = None) -> list[int]:
    """Mark jobs as lost whose worker is silent, free their targets; the ids of jobs that may be sent to their queues.

    Those are the ones whose target is free and whose message was never sent, or may have been lost on its way.
    """
    now = now or read_database_now()
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
    # Where no worker is there for days, the waits between two messages grow with the job's age.
    resend = timedelta(seconds=settings.REMOTE_TIMEOUTS.resend_s)
    rows = free.values_list("pk", "sent_at", "created_at")
    return [
        pk for pk, sent, created in rows if sent is None or now - sent > resend + max(sent - created, timedelta()) / 4
    ]


def _lose(job: Job, now: datetime) -> None:
    silent_s = (now - (job.heartbeat_at or job.started_at or job.created_at)).total_seconds()
    with transaction.atomic():
        unheard = Job.objects.filter(pk=job.pk, state__in=Job.ACTIVE, heartbeat_at=job.heartbeat_at)
        cancelled = job.cancel_requested_at is not None
        state = Job.State.CANCELLED if cancelled else Job.State.LOST
        message = LOST.format(silent_s)
        if unheard.update(state=state, message=message, finished_at=now, progress={}):
            release(job.pk, state, message)


def note_sent(job: Job) -> None:
    """Its message is given to its queue. One that was given before, when nothing was in its way, was taken by nobody."""
    message = _explain_waiting(job.generator) if job.sent_at and job.generator else ""
    Job.objects.filter(pk=job.pk, state=Job.State.QUEUED).update(message=message, sent_at=Now())


def note_unsent(job: Job) -> None:
    message = "The queue's server does not answer; the job is sent as soon as it does."
    Job.objects.filter(pk=job.pk, state=Job.State.QUEUED).update(message=message, sent_at=None)


def _explain_waiting(generator: LoadGenerator) -> str:
    if generator.kind == LoadGenerator.Kind.SSH:
        return "No worker has taken it yet: all are busy, or none is running (“python manage.py worker” starts one)."
    option = "--local" if generator.queue == "load.local" else f"--host {generator.name}"
    return f"No worker of {generator.name} has taken it yet. “python manage.py worker {option}” starts one there."
