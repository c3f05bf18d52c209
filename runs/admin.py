"""Django's admin: users, and stored rows, which are shown only, but for switches, which are written nowhere else."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.functional import cached_property

from runs import ingest
from runs.database import take_turns
from runs.models import ApiToken, Capture, Config, Experiment, Facet, Host, Run, Upload
from runs.remote.addresses import check_switch
from runs.remote.models import Job, LoadGenerator, Plan, Switch, Target


class Newest(Paginator):  # type: ignore[type-arg]
    """The newest rows only, so that a table of millions is not counted; the site's own lists show all."""

    MOST = 1000

    @cached_property
    def count(self) -> int:
        return len(self.object_list.values_list("pk")[: self.MOST])  # type: ignore[attr-defined]


class ReadOnly(admin.ModelAdmin):  # type: ignore[type-arg]
    """Rows can be viewed and deleted; only ingest creates and changes them."""

    list_per_page = 50
    show_full_result_count = False
    paginator = Newest
    ordering = ["-id"]

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        """Into the bin, but for captures and tokens."""
        _ = ingest.delete(obj, by=request.user) if type(obj) in ingest.MODELS.values() else obj.delete()

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        try:
            return super().delete_view(request, object_id, extra_context)
        except ingest.Rejected as error:
            return self._say(request, error)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        try:
            return super().changelist_view(request, extra_context)
        except ingest.Rejected as error:
            return self._say(request, error)

    def _say(self, request: HttpRequest, error: ingest.Rejected) -> HttpResponse:
        """Show why nothing was deleted, where Django's own page would say that it was."""
        self.message_user(request, " ".join(each["message"] for each in error.errors), messages.ERROR)
        return HttpResponseRedirect(request.path)

    @take_turns()
    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        for obj in queryset:
            if type(obj).objects.filter(pk=obj.pk).exists():  # not gone with one before it
                self.delete_model(request, obj)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ByTool(admin.SimpleListFilter):
    """The tools from the facets: the filter that Django would build reads all runs for them."""

    title = parameter_name = "tool"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        tools = Facet.objects.filter(kind=Facet.Kind.TOOL, n_runs__gt=0).values_list("value", flat=True)
        return [(tool, tool) for tool in tools]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(tool=self.value()) if self.value() else queryset


_OWNED = ["target__host", "generator", "created_by"]
# Of each model what its list shows, and more options of its admin.
SHOWN: dict[type[Any], tuple[str, dict[str, Any]]] = {
    Upload: (
        "id name origin status size_bytes created_by created_at",
        {"list_filter": ["origin", "status"], "exclude": ["raw"]},
    ),
    Experiment: ("id name host created_by created_at", {}),
    Host: ("id name cpu_model cores ram_kb", {}),
    Config: ("id name experiment", {}),
    Run: ("id tool label config requests_per_second created_at", {"list_filter": [ByTool]}),
    Capture: ("id tool phase label run", {"list_filter": ["phase"]}),
    ApiToken: ("name prefix user created_at last_used_at", {"exclude": ["sha256"]}),
    LoadGenerator: ("name kind ssh_destination", {}),
    Target: ("host reach ssh_destination enabled busy_with_id", {"list_select_related": ["host"]}),
    Plan: ("id name target generator tool created_by", {"list_select_related": _OWNED, "list_filter": ["tool"]}),
    Job: (
        "id name state target generator created_by created_at",
        {"list_select_related": _OWNED, "list_filter": ["state"]},
    ),
}
for model, (columns, more) in SHOWN.items():
    admin.site.register(model, ReadOnly, list_display=columns.split(), **more)


class SwitchForm(forms.ModelForm):  # type: ignore[type-arg]
    def clean_argv(self) -> object:
        check_switch(self.cleaned_data["argv"])
        return self.cleaned_data["argv"]


@admin.register(Switch)
class SwitchAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """The only place where a command for a target is written; plans can only choose one."""

    form = SwitchForm
    list_display = ["name", "target", "argv", "timeout_s"]
    list_select_related = ["target__host"]
