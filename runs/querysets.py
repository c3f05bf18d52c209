"""Named reads that pages and the API share. Each is one query (plus one a prefetch), whatever the number of rows.

No row here drags an upload's raw text along.
"""

from __future__ import annotations

from datetime import datetime
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Self

from django.apps import apps
from django.db.models import Count, OuterRef, Prefetch, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

if TYPE_CHECKING:
    from runs.models import Capture, Experiment, Job, Plan, Run, Series, Step, Target, Upload  # noqa: F401  (models import this module)

ID_DIGITS = 18  # more do not fit the databases' integers
MOST_NAMESAKES = 20  # experiments, or hosts, of one name that a list goes by
FACET_LENGTH = 300
MARGIN = 10_000  # ids
HEAVY = ("raw", "blocks", "problems", "unread", "edits", "placed")


def counted(of: str, by: str, **only: str) -> Coalesce:
    """Number of rows of the model `of` ("runs.Run") whose `by` is this row, as a subquery: no join to multiply."""
    model = apps.get_model(of)
    rows = model._default_manager.filter(**{by: OuterRef("pk")}, **only).order_by().values(by)
    return Coalesce(Subquery(rows.annotate(n=Count("pk")).values("n")), 0)


def ids_of(model: str, wanted: str) -> list[int]:
    """The row of `model` ("runs.Host") with this id or, where it is no number, the newest ones of this name."""
    if wanted.isdecimal():
        return [int(wanted)] if len(wanted) <= ID_DIGITS else []
    rows = apps.get_model(model)._default_manager.filter(name=wanted).order_by("-pk")
    return list(rows.values_list("pk", flat=True)[:MOST_NAMESAKES])


def related(field: str, ids: list[int]) -> Q:
    """Rows whose `field` is one of these: looked up before, so that the database knows how few or many to expect."""
    return Q(**{f"{field}_id": ids[0]}) if len(ids) == 1 else Q(**{f"{field}_id__in": ids})


def moment(model: str, since: datetime) -> Q:
    """Rows made at that moment or later. Ids grow with time, so the list need not go on below the first of them.

    Rows that were made at the same time may have got their ids the other way round; hence the margin.
    """
    rows = apps.get_model(model)._default_manager.filter(created_at__gte=since).order_by("created_at")
    first: int | None = rows.values_list("pk", flat=True).first()
    return Q(pk__in=[]) if first is None else Q(pk__gt=first - MARGIN, created_at__gte=since)


def facets(**named: str) -> dict[str, int | None]:
    """The ids of the facets named (tool="ab", tag="nightly"), None for one that no run has. One query, or none."""
    wanted = {kind: value for kind, value in named.items() if value}
    if not wanted:
        return {}
    among = reduce(or_, (Q(kind=kind, value=value[:FACET_LENGTH]) for kind, value in wanted.items()))
    rows = apps.get_model("runs.Facet")._default_manager.filter(among).order_by()
    return dict.fromkeys(wanted) | dict(rows.values_list("kind", "pk"))


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

    def for_list(self) -> Self:
        """With experiment, config and host, in one query; without what lists do not show."""
        return self.select_related("experiment", "config", "host").defer("values", "quotes", "note")

    def with_captures(self) -> Self:
        from runs.models import Capture

        return self.prefetch_related(Prefetch("captures", Capture.objects.order_by("line_first")))

    def matching(
        self,
        *,
        tool: str = "",
        experiment: str = "",
        config: str = "",
        host: str = "",
        command: str = "",
        server: str = "",
        fingerprint: str = "",
        min_rps: float | None = None,
        max_rps: float | None = None,
        since: datetime | None = None,
    ) -> Self:
        """Runs that meet every condition given; experiment, config and host by id or name.

        Names are looked up at once, in three queries at most. See runs.selectors.lists for tags, and for searching.
        """
        by_id = config.isdecimal()
        exact = {"tool": tool, "fingerprint": fingerprint}
        wanted = Q(**{name: value for name, value in exact.items() if value})
        wanted &= related("experiment", ids_of("runs.Experiment", experiment)) if experiment else Q()
        wanted &= related("host", ids_of("runs.Host", host)) if host else Q()
        wanted &= related("config", ids_of("runs.Config", config)) if by_id else Q()
        for kind, pk in facets(config="" if by_id else config, command=command, server=server).items():
            wanted &= related(f"facet_{kind}", [pk] if pk else [])
        wanted &= Q(requests_per_second__gte=min_rps) if min_rps is not None else Q()
        wanted &= Q(requests_per_second__lte=max_rps) if max_rps is not None else Q()
        return self.filter(wanted, moment("runs.Run", since) if since else Q())


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
