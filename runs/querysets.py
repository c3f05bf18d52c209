"""Named reads that pages and the API share. Each is one query (plus one a prefetch), whatever the number of rows.

No row here drags an upload's raw text along.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Self

from django.apps import apps
from django.db.models import Count, OuterRef, Prefetch, Q, QuerySet, Subquery, TextField
from django.db.models.functions import Cast, Coalesce

if TYPE_CHECKING:
    from runs.models import Capture, Experiment, Job, Plan, Run, Series, Step, Target, Upload  # noqa: F401  (models import this module)

ID_DIGITS = 18  # more do not fit the databases' integers
HEAVY = ("raw", "blocks", "problems", "unread", "edits", "placed")


def counted(of: str, by: str, **only: str) -> Coalesce:
    """Number of rows of the model `of` ("runs.Run") whose `by` is this row, as a subquery: no join to multiply."""
    model = apps.get_model(of)
    rows = model._default_manager.filter(**{by: OuterRef("pk")}, **only).order_by().values(by)
    return Coalesce(Subquery(rows.annotate(n=Count("pk")).values("n")), 0)


def named(field: str, wanted: str) -> Q:
    """Rows whose related `field` has this id or, where it is no number, this name."""
    is_id = wanted.isdecimal() and len(wanted) <= ID_DIGITS
    return Q(**{f"{field}_id": int(wanted)}) if is_id else Q(**{f"{field}__name": wanted})


class UploadQuerySet(QuerySet["Upload"]):
    def light(self) -> Self:
        """Without the raw text."""
        return self.defer("raw")

    def with_counts(self) -> Self:
        """With n_runs and n_captures."""
        found = self.light().select_related("created_by")
        return found.annotate(n_runs=counted("runs.Run", "upload"), n_captures=counted("runs.Capture", "upload"))


class ExperimentQuerySet(QuerySet["Experiment"]):
    def with_counts(self) -> Self:
        """With its host, n_runs and n_configs."""
        found = self.select_related("host")
        return found.annotate(n_runs=counted("runs.Run", "experiment"), n_configs=counted("runs.Config", "experiment"))


class RunQuerySet(QuerySet["Run"]):
    def with_context(self) -> Self:
        """With experiment, config, host and the (light) upload, in one query."""
        return self.select_related("experiment", "config", "host", "upload").defer(*(f"upload__{f}" for f in HEAVY))

    def with_captures(self) -> Self:
        from runs.models import Capture

        return self.prefetch_related(Prefetch("captures", Capture.objects.order_by("line_first")))

    def tagged(self, tag: str) -> Self:
        """Runs with this tag. Both spellings of JSON text are looked for, since databases differ in escaping."""
        either = Q(tags_text__contains=json.dumps(tag)) | Q(tags_text__contains=json.dumps(tag, ensure_ascii=False))
        return self.annotate(tags_text=Cast("tags", TextField())).filter(either)

    def matching(
        self,
        *,
        tool: str = "",
        experiment: str = "",
        config: str = "",
        host: str = "",
        min_rps: float | None = None,
        max_rps: float | None = None,
        since: datetime | None = None,
        tag: str = "",
    ) -> Self:
        """Runs that meet every condition given; experiment, config and host by id or name."""
        wanted = Q(tool=tool) if tool else Q()
        for field, value in (("experiment", experiment), ("config", config), ("host", host)):
            wanted &= named(field, value) if value else Q()
        wanted &= Q(requests_per_second__gte=min_rps) if min_rps is not None else Q()
        wanted &= Q(requests_per_second__lte=max_rps) if max_rps is not None else Q()
        wanted &= Q(created_at__gte=since) if since else Q()
        found = self.filter(wanted)
        return found.tagged(tag) if tag else found


class CaptureQuerySet(QuerySet["Capture"]):
    def with_context(self) -> Self:
        """With experiment, config, host and run, in one query."""
        return self.select_related("experiment", "config", "host", "run")


class PlanQuerySet(QuerySet["Plan"]):
    def for_list(self) -> Self:
        """With target, its host, generator, address and variants, in two queries."""
        return self.select_related("target__host", "generator", "address", "created_by").prefetch_related("variants")


class TargetQuerySet(QuerySet["Target"]):
    def for_list(self) -> Self:
        """With host and addresses, in two queries."""
        return self.select_related("host").prefetch_related("addresses")


class JobQuerySet(QuerySet["Job"]):
    def with_context(self) -> Self:
        """With plan, target, its host, generator and experiment, in one query; without log and snapshot."""
        found = self.select_related("plan", "target__host", "generator", "experiment", "created_by")
        return found.defer("log", "snapshot")

    def for_page(self) -> Self:
        """With plan, target, its host, generator, experiment, log and snapshot, in one query."""
        return self.select_related("plan", "target__host", "generator", "experiment", "created_by")

    def with_counts(self) -> Self:
        """With context, n_steps (each load once, however often it was begun) and n_done."""
        steps = apps.get_model("runs.Step")._default_manager.filter(job=OuterRef("pk")).order_by().values("job")
        loads = steps.annotate(n=Count("position", distinct=True)).values("n")
        return self.with_context().annotate(
            n_steps=Coalesce(Subquery(loads), 0), n_done=counted("runs.Step", "job", state="done")
        )

    def matching(self, *, state: str = "", plan: int | None = None, target: int | None = None) -> Self:
        """Jobs that meet every condition given; the state "active" means any that is not over."""
        wanted = Q(plan=plan) if plan else Q()
        wanted &= Q(target=target) if target else Q()
        return (self.active() if state == "active" else self.filter(state=state) if state else self).filter(wanted)

    def active(self) -> Self:
        """Those that wait or run."""
        from runs.models import Job

        return self.exclude(state__in=Job.OVER)


class StepQuerySet(QuerySet["Step"]):
    def with_runs(self) -> Self:
        """With run_id: the load run that was stored of it, or None."""
        runs = apps.get_model("runs.Run")._default_manager.filter(upload=OuterRef("upload")).order_by("pk")
        return self.annotate(run_id=Subquery(runs.values("pk")[:1]))
