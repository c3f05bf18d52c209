"""What lists can be narrowed by. Experiment, config and host are named by id or by name."""

from __future__ import annotations

from typing import Any

import django_filters as filters
from django.db.models import QuerySet

from runs.models import Capture, Config, Experiment, Host, Job, Plan, Run, Upload
from runs.querysets import ID_DIGITS, named


class Named(filters.CharFilter):
    """A related row by its id or name."""

    def filter(self, qs: QuerySet[Any], value: str) -> QuerySet[Any]:
        return qs.filter(named(self.field_name or "", value)) if value else qs


class RunFilter(filters.FilterSet):
    tool = filters.CharFilter()
    experiment = Named()
    config = Named()
    host = Named()
    min_rps = filters.NumberFilter(field_name="requests_per_second", lookup_expr="gte", help_text="requests per second")
    max_rps = filters.NumberFilter(field_name="requests_per_second", lookup_expr="lte", help_text="requests per second")
    since = filters.DateTimeFilter(field_name="created_at", lookup_expr="gte", help_text="stored at or after")
    tag = filters.CharFilter(method="tagged")

    class Meta:
        model = Run
        fields: tuple[str, ...] = ()

    def tagged(self, queryset: Any, name: str, value: str) -> Any:
        return queryset.tagged(value)


class CaptureFilter(filters.FilterSet):
    tool = filters.CharFilter()
    experiment = Named()
    config = Named()
    host = Named()
    run = filters.NumberFilter(field_name="run_id", max_value=10**ID_DIGITS)
    since = filters.DateTimeFilter(field_name="created_at", lookup_expr="gte", help_text="stored at or after")

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
    since = filters.DateTimeFilter(field_name="created_at", lookup_expr="gte", help_text="made at or after")

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
    since = filters.DateTimeFilter(field_name="created_at", lookup_expr="gte", help_text="received at or after")

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
    since = filters.DateTimeFilter(field_name="created_at", lookup_expr="gte", help_text="asked for at or after")

    class Meta:
        model = Job
        fields: tuple[str, ...] = ()

    def in_state(self, queryset: Any, name: str, value: str) -> Any:
        return queryset.matching(state=value)
