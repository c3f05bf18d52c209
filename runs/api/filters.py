"""What lists can be narrowed by. Experiment, config and host are named by id or by name."""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast

import django_filters as filters
from django.db.models import QuerySet
from rest_framework.request import Request

from runs.api import paging
from runs.models import Capture, Config, Experiment, Host, Job, Plan, Run, Upload
from runs.querysets import ID_DIGITS, facets, ids_of, moment, related
from runs.selectors import lists


class Named(filters.CharFilter):
    """A related row by its id or name."""

    def filter(self, qs: QuerySet[Any], value: str) -> QuerySet[Any]:
        name = self.field_name or ""
        return qs.filter(related(name, ids_of(f"runs.{name.capitalize()}", value))) if value else qs


class Since(filters.DateTimeFilter):
    """Rows made at that moment or later."""

    def filter(self, qs: QuerySet[Any], value: datetime | None) -> QuerySet[Any]:
        return qs.filter(moment(f"runs.{qs.model.__name__}", value)) if value else qs


class Facet(filters.CharFilter):
    """Runs by what they share: the facet of the filter's own name, as the runs' column of that name holds it."""

    def filter(self, qs: QuerySet[Any], value: str) -> QuerySet[Any]:
        name = self.field_name or ""
        return qs.matching(**{name: value}) if value else qs  # type: ignore[attr-defined]


class RunFilter(filters.FilterSet):
    tool = filters.CharFilter()
    experiment = Named()
    config = Facet(help_text="by id or name")
    host = Named()
    command = Facet(help_text="whole, as it stands in the text")
    server = Facet(help_text="server software, whole")
    fingerprint = filters.CharFilter(help_text="runs that are comparable")
    min_rps = filters.NumberFilter(field_name="requests_per_second", lookup_expr="gte", help_text="requests per second")
    max_rps = filters.NumberFilter(field_name="requests_per_second", lookup_expr="lte", help_text="requests per second")
    since = Since(help_text="stored at or after")
    tag = filters.CharFilter(method="tagged")

    class Meta:
        model = Run
        fields: tuple[str, ...] = ()

    def tagged(self, queryset: Any, name: str, value: str) -> Any:
        """Along the tag's own index, which knows only the order of runs: hence the page, which REST asks for, is needed."""
        tag = facets(tag=value)["tag"]
        if tag is None:
            return queryset.none()
        place, wanted = paging.place_of(cast(Request, self.request)), lists.Wanted(queryset, tag=tag)
        return queryset.filter(pk__in=wanted.ids(place.most, beyond=place.beyond, descending=place.descending))


class CaptureFilter(filters.FilterSet):
    tool = filters.CharFilter()
    experiment = Named()
    config = Named()
    host = Named()
    run = filters.NumberFilter(field_name="run_id", max_value=10**ID_DIGITS)
    since = Since(help_text="stored at or after")

    class Meta:
        model = Capture
        fields = ("phase",)


class ConfigFilter(filters.FilterSet):
    experiment = Named()
    name = filters.CharFilter()

    class Meta:
        model = Config
        fields: tuple[str, ...] = ()


class ExperimentFilter(filters.FilterSet):
    host = Named()
    name = filters.CharFilter()
    since = Since(help_text="made at or after")

    class Meta:
        model = Experiment
        fields: tuple[str, ...] = ()


class HostFilter(filters.FilterSet):
    name = filters.CharFilter()

    class Meta:
        model = Host
        fields: tuple[str, ...] = ()


class UploadFilter(filters.FilterSet):
    sha256 = filters.CharFilter()
    since = Since(help_text="received at or after")

    class Meta:
        model = Upload
        fields = ("status", "door")


class PlanFilter(filters.FilterSet):
    name = filters.CharFilter()
    target = filters.NumberFilter(field_name="target_id", max_value=10**ID_DIGITS)

    class Meta:
        model = Plan
        fields: tuple[str, ...] = ()


class JobFilter(filters.FilterSet):
    state = filters.ChoiceFilter(
        method="in_state", choices=[("active", "active"), *Job.State.choices], help_text="active: waiting or running"
    )
    plan = filters.NumberFilter(field_name="plan_id", max_value=10**ID_DIGITS)
    target = filters.NumberFilter(field_name="target_id", max_value=10**ID_DIGITS)
    experiment = Named()
    since = Since(help_text="asked for at or after")

    class Meta:
        model = Job
        fields: tuple[str, ...] = ()

    def in_state(self, queryset: Any, name: str, value: str) -> Any:
        return queryset.matching(state=value)
