"""A measured step through the same door as a paste, and what came of it into the step's row."""

from __future__ import annotations

import os

from django.utils import timezone

from runs import ingest
from runs.models import Job, Run, Step

from .journal import Journal, patiently
from .loading import Failed
from .secrets import mask
from .shapes import Snapshot
from .transcripts import Session, text


def store(job: Job, step: Step, plan: Snapshot, session: Session, journal: Journal) -> None:
    """Store the session; the step is done, or Failed is raised where the tool measured nothing.

    Safe to repeat: the same text is one upload, so the database may go away in the middle of it.
    """
    data = ingest.without_secrets(mask(text(session), os.environ)).encode("utf-8", "replace")
    hints = _hints(job, step, plan)
    try:
        receipt = patiently(
            lambda: ingest.submit(data, door="remote", name=session.title, user=job.created_by, hints=hints)
        )
    except ingest.Rejected as error:
        raise Failed(f"Nothing was measured: {error} {session.load.output}") from error
    run = patiently(receipt.upload.runs.first)
    if run is None:
        raise Failed(f"{plan.tool} measured nothing. It said: {session.load.output}")
    patiently(lambda: _note(job, step, run, journal))
    if not run.requests_per_second or run.complete_requests == 0:
        raise Failed(f"{plan.tool} completed no request. It said: {session.load.output}")
    journal.say(f"{run.requests_per_second:g} requests/s")


def _hints(job: Job, step: Step, plan: Snapshot) -> ingest.Hints:
    names = [variant.name for variant in plan.variants]
    slot = ingest.Slot(
        experiment=job.experiment_id,
        position=names.index(step.variant) + 1,
        repeat=step.repeat,
        counted=step.repeat > 0,
        label=f"repeat {step.repeat}" if step.repeat else "warm-up",
    )
    return ingest.Hints(host=plan.target_name, config=step.variant, experiment=job.name, slot=slot)


def _note(job: Job, step: Step, run: Run, journal: Journal) -> None:
    if job.experiment_id is None:
        job.experiment_id = run.experiment_id
        journal.write(experiment=run.experiment_id)
    measured = bool(run.requests_per_second) and run.complete_requests != 0
    if not measured and run.counted:
        Run.objects.filter(pk=run.pk).update(counted=False)
    Step.objects.filter(pk=step.pk).update(
        state=Step.State.DONE if measured else Step.State.FAILED,
        message="" if measured else "It completed no request.",
        requests_per_second=run.requests_per_second,
        upload=run.upload_id,
        finished_at=timezone.now(),
    )
