"""A measured step through the same door as a paste, and what came of it into the step's row."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from django.utils import timezone

from runs import ingest
from runs.models import Job, Run, Step

from .journal import Journal, patiently
from .loading import Failed
from .monitors import Shown
from .secrets import mask
from .shapes import Snapshot
from .transcripts import Session, load_lines, text


def store(job: Job, step: Step, plan: Snapshot, session: Session, journal: Journal) -> None:
    """Store the session; the step is done, or Failed is raised where the tool measured nothing.

    Safe to repeat: the same text is one upload, so the database may go away in the middle of it.
    """
    clean = _cleaned(session)
    data = mask(text(clean), os.environ).encode("utf-8", "replace")
    hints = _hints(job, step, plan, clean)
    try:
        receipt = patiently(
            lambda: ingest.submit(data, door="remote", name=session.title, user=job.created_by, hints=hints)
        )
    except ingest.Rejected as error:
        raise Failed(f"Nothing was measured: {error} {session.load.output}") from error
    run = patiently(receipt.upload.runs.first)
    if run is None:
        raise Failed(f"{plan.tool} measured nothing. It said: {session.load.output}")
    fault = _fault(plan.tool, run)
    patiently(lambda: _note(job, step, run, fault, journal))
    if fault:
        raise Failed(f"{fault} It said: {session.load.output}")
    journal.say(f"{run.requests_per_second:g} requests/s")


def _cleaned(session: Session) -> Session:
    """Without what looks like a secret. The load's own command line has none: a plan only holds their names."""

    def clean(shown: Sequence[Shown]) -> list[Shown]:
        return [Shown(one.command, ingest.redact_secrets(one.output)) for one in shown]

    return replace(
        session,
        facts=clean(session.facts),
        texts=clean(session.texts),
        before=clean(session.before),
        load=clean([session.load])[0],
        during=clean(session.during),
        after=clean(session.after),
    )


def _fault(tool: str, run: Run) -> str:
    """Why a report that was read measures nothing, or ""."""
    if run.complete_requests == 0:
        return f"{tool} completed no request."
    return "" if run.requests_per_second else f"The run was too short for {tool} to tell a rate; send more requests."


def _hints(job: Job, step: Step, plan: Snapshot, session: Session) -> ingest.Hints:
    names = [variant.name for variant in plan.variants]
    slot = ingest.Slot(
        experiment=job.experiment_id,
        position=names.index(step.variant) + 1,
        repeat=step.repeat,
        counted=step.repeat > 0,
        label=f"repeat {step.repeat}" if step.repeat else "warm-up",
        lines=load_lines(session),
        clock=session.clock,
    )
    return ingest.Hints(host=plan.target_name, config=step.variant, experiment=job.name, slot=slot)


def _note(job: Job, step: Step, run: Run, fault: str, journal: Journal) -> None:
    if job.experiment_id is None:
        job.experiment_id = run.experiment_id
        journal.write(experiment=run.experiment_id)
    if fault and run.counted:
        Run.objects.filter(pk=run.pk).update(counted=False)
    Step.objects.filter(pk=step.pk).update(
        state=Step.State.FAILED if fault else Step.State.DONE,
        message=fault,
        requests_per_second=run.requests_per_second,
        upload=run.upload_id,
        finished_at=timezone.now(),
    )
