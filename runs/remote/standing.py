"""How far a job is, in words and as a share: what its page, the experiment's page and the first page say of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from runs.models import Job, Step


@dataclass(frozen=True, slots=True)
class Standing:
    """brief     "running 7 of 24"
    detail    what the load tool says of its own progress, or ""
    share     of the whole job that is done, 0 to 1
    seen      changes whenever anything that pages show of the job changes
    """

    brief: str
    detail: str
    done: int
    total: int
    share: float
    current: Step | None
    again: tuple[Step, ...]
    left: int
    seen: str


def standing(job: Job, steps: Sequence[Step]) -> Standing:
    """`steps` in their order. One that was lost and has a row anew counts once."""
    counted = [step for step in steps if not _replaced(step, steps)]
    done = sum(step.state == Step.State.DONE for step in counted)
    current = next((step for step in counted if step.state == Step.State.RUNNING), None)
    told = job.progress if current and isinstance(job.progress, dict) else {}
    inside = min(1.0, told.get("done", 0) / told["of"]) if told.get("of") else 0.0
    begun = (Step.State.RUNNING, Step.State.LOST, Step.State.FAILED, Step.State.CANCELLED)
    return Standing(
        brief=_brief(job, done, len(counted), counted.index(current) + 1 if current else min(done + 1, len(counted))),
        detail=_detail(told),
        done=done,
        total=len(counted),
        share=min(1.0, (done + inside) / len(counted)) if counted else 0.0,
        current=current,
        again=tuple(step for step in counted if step.state in begun),
        left=len(counted) - done,
        seen=_seen(job, steps),
    )


def _replaced(step: Step, steps: Sequence[Step]) -> bool:
    """Whether a later row does the same load, because this one was lost, failed or cancelled."""
    if step.state in (Step.State.DONE, Step.State.WAITING, Step.State.RUNNING):
        return False
    same = (step.variant, step.level, step.repeat)
    return any(other.pk > step.pk and (other.variant, other.level, other.repeat) == same for other in steps)


def _brief(job: Job, done: int, total: int, at: int) -> str:
    state = Job.State(job.state)
    if job.cancel_requested_at and not job.is_over:
        return "being cancelled"
    if state in (Job.State.RUNNING, Job.State.STORING):
        return f"{state} {at} of {total}"
    if state in (Job.State.FAILED, Job.State.CANCELLED, Job.State.LOST) and total:
        return f"{state} with {done} of {total} done"
    if state == Job.State.DONE:
        return f"done, {total} of {total}" if done == total else f"done, {done} of {total}"
    return str(state)


def _detail(told: dict[str, Any]) -> str:
    """ "400 of 1,000 requests, 812.3 per s so far"; elapsed seconds where the tool tells no count."""
    words = []
    if told.get("of"):
        unit = told.get("unit", "requests")
        words.append(f"{told.get('done', 0):,} of {told['of']:,} {unit}")
    elif told.get("done"):
        words.append(f"{told['done']:,} requests")
    if told.get("elapsed_s") is not None:
        words.append(f"{told['elapsed_s']:.0f} s")
    if told.get("requests_per_second"):
        words.append(f"{told['requests_per_second']:,.4g} requests per s so far")
    return ", ".join(words)


def _seen(job: Job, steps: Sequence[Step]) -> str:
    shown = [job.state, job.message, job.progress, job.log, job.experiment_id, job.clock_offset_s]
    shown += [bool(job.cancel_requested_at), job.name]
    rows = [(step.pk, step.state, step.message, step.requests_per_second, step.upload_id) for step in steps]
    return hashlib.sha256(json.dumps([shown, rows], default=str).encode()).hexdigest()[:16]
