"""Jobs at a glance: what lists, the first page and an experiment's page say of them. Each is one query."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Q

from runs.models import Job
from runs.querysets import ID_DIGITS
from runs.remote.standing import brief

LATEST = 8
MOST_NAMED = 20


@dataclass(frozen=True, slots=True)
class Glance:
    """A job of `Job.objects.with_counts()`, and "running 7 of 24"."""

    job: Job
    brief: str


@dataclass(frozen=True, slots=True)
class Adding:
    """The jobs that add to an experiment: `stored` steps in all; `seen` changes when anything here does."""

    glances: Sequence[Glance]
    active: bool
    stored: int
    seen: str

    @property
    def ids(self) -> str:
        return ",".join(str(glance.job.pk) for glance in self.glances)


def glances(jobs: Iterable[Job]) -> list[Glance]:
    return [Glance(job, brief(job, job.n_done, job.n_steps)) for job in jobs]  # type: ignore[attr-defined]


def latest(plan_id: int | None = None) -> list[Glance]:
    """The latest jobs, of this plan or of all."""
    found = Job.objects.with_counts()
    return glances((found.filter(plan=plan_id) if plan_id else found)[:LATEST])


def active() -> list[Glance]:
    """Jobs that wait or run."""
    return glances(Job.objects.with_counts().active()[:LATEST])


def adding_to(experiment_id: int, shown: str = "") -> Adding:
    """The experiment's jobs that are not over, and those that a page showed before (`shown`: ids with commas)."""
    ids = [int(word) for word in shown.split(",")[:MOST_NAMED] if word.isdecimal() and len(word) <= ID_DIGITS]
    rows = Job.objects.with_counts().filter(experiment=experiment_id)
    found = glances(rows.filter(~Q(state__in=Job.OVER) | Q(pk__in=ids)))
    seen = repr([(glance.job.pk, glance.brief) for glance in found])
    return Adding(
        glances=found,
        active=any(not glance.job.is_over for glance in found),
        stored=sum(glance.job.n_done for glance in found),  # type: ignore[attr-defined]
        seen=hashlib.sha256(seen.encode()).hexdigest()[:12],
    )
