"""How far a job is, in words and as a share: what its page, the experiment's page and the lists say of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from runs.models import Job, Step

BEGUN = (Step.State.RUNNING, Step.State.LOST, Step.State.FAILED, Step.State.CANCELLED)
ENDED_EARLY = (Job.State.FAILED, Job.State.CANCELLED, Job.State.LOST)


@dataclass(frozen=True, slots=True)
class Standing:
    """brief     "running 7 of 24"
    detail      what the load tool says of its own progress, or ""
    share       of the whole job that is done, 0 to 1
    again       steps that had begun and did not come to an end: their load would be sent again
    left        how many steps are not done
    seen_state, seen_steps   change whenever what pages show of the state, or of steps and log, changes
    """

    brief: str
    detail: str
    done: int
    total: int
    share: float
    current: Step | None
    again: tuple[Step, ...]
    left: int
    seen_state: str
    seen_steps: str

    @property
    def seen(self) -> str:
        return f"{self.seen_state}.{self.seen_steps}"


def standing(job: Job, steps: Sequence[Step]) -> Standing:
    """`steps` in their order. One that was lost and has a row anew counts once."""
    counted = [step for step in steps if not _replaced(step, steps)]
    done = sum(step.state == Step.State.DONE for step in counted)
    current = next((step for step in counted if step.state == Step.State.RUNNING), None)
    told: dict[str, Any] = job.progress if current and not job.is_over else {}
    inside = min(1.0, told.get("done", 0) / told["of"]) if told.get("of") else 0.0
    return Standing(
        brief=brief(job, done, len(counted), counted.index(current) + 1 if current else None),
        detail=_detail(told),
        done=done,
        total=len(counted),
        share=min(1.0, (done + inside) / len(counted)) if counted else 0.0,
        current=current,
        again=tuple(step for step in counted if step.state in BEGUN),
        left=len(counted) - done,
        seen_state=_digest(
            *(job.state, job.message, job.progress, job.experiment_id, job.clock_offset_s, job.name),
            *(job.cancel_requested_at, done, len(counted)),
        ),
        seen_steps=_digest(
            job.log, *((step.pk, step.state, step.message, step.requests_per_second, step.upload_id) for step in steps)
        ),
    )


def brief(job: Job, done: int, total: int, at: int | None = None) -> str:
    """The state in a few words; `at` is the place of the step under way, where that is known."""
    if job.cancel_requested_at and not job.is_over:
        return "being cancelled"
    if at and job.state in (Job.State.RUNNING, Job.State.STORING):
        return f"{job.state} {at} of {total}"
    if job.state == Job.State.RUNNING:
        return f"running {min(done + 1, total)} of {total}"
    if job.state == Job.State.STORING:
        return f"running, {done} of {total} stored"  # or cooling down after it
    if job.state == Job.State.DONE or (job.state in ENDED_EARLY and total):
        return f"{job.state}, {done} of {total} stored"
    return job.state


def _replaced(step: Step, steps: Sequence[Step]) -> bool:
    """Whether a later row does the same load, because this one did not come to an end."""
    if step.state in (Step.State.DONE, Step.State.WAITING, Step.State.RUNNING):
        return False
    return any(other.pk > step.pk and other.position == step.position for other in steps)


def _detail(told: dict[str, Any]) -> str:
    """ "400 of 1,000 requests, 812.3 requests per s so far"; elapsed seconds where the tool tells no count."""
    words = []
    if told.get("of"):
        words.append(f"{told.get('done', 0):,.0f} of {told['of']:,.0f} {told.get('unit', 'requests')}")
    elif told.get("done"):
        words.append(f"{told['done']:,.0f} {told.get('unit', 'requests')}")
    if told.get("elapsed_s") is not None:
        words.append(f"{told['elapsed_s']:.0f} s")
    if told.get("requests_per_second"):
        words.append(f"{told['requests_per_second']:,.4g} requests per s so far")
    return ", ".join(words)


def _digest(*shown: Any) -> str:
    return hashlib.sha256(json.dumps(shown, default=str).encode()).hexdigest()[:12]
