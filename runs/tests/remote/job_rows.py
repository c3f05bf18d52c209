"""Rows of jobs as they stand in the middle, made without running anything."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from runs.remote.models import Job, Plan, Step
from runs.tests.remote import rows

LEVELS = (1, 10)


def job(of: Plan | None = None, *, state: str = "running", done: int = 3, total: int = 8, **fields: Any) -> Job:
    """A job with `done` of `total` steps stored; while it runs, the next one is under way."""
    of = of or rows.plan()
    snapshot = {"tool": of.tool, "requests": of.requests, "levels": of.levels, "repeats": of.repeats}
    snapshot |= {"variants": [{"name": "off"}, {"name": "on"}]}
    given: dict[str, Any] = {"plan": of, "target": of.target, "generator": of.generator, "name": of.name}
    given |= {"snapshot": snapshot, "state": state, "heartbeat_at": timezone.now()}
    made = Job.objects.create(**(given | fields))
    Step.objects.bulk_create(
        Step(job=made, position=at + 1, variant=("off", "on")[at % 2], level=LEVELS[at // 4 % 2], repeat=at // 2 + 1)
        for at in range(total)
    )
    made.steps.filter(position__lte=done).update(state="done", requests_per_second=812.34)
    if state in ("running", "storing"):
        made.steps.filter(position=done + 1).update(state="running")
    return made
