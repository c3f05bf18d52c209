"""Remote runs in Django's admin: rows are shown only, but for switches, which are written nowhere else."""

from __future__ import annotations

from django import forms
from django.contrib import admin

from runs.admin import ReadOnly

from .addresses import check_switch
from .models import Job, LoadGenerator, Plan, Switch, Target


@admin.register(LoadGenerator)
class LoadGeneratorAdmin(ReadOnly):
    list_display = ["name", "kind", "ssh_destination"]


@admin.register(Target)
class TargetAdmin(ReadOnly):
    list_display = ["host", "reach", "ssh_destination", "enabled", "busy_with_id"]
    list_select_related = ["host"]


@admin.register(Plan)
class PlanAdmin(ReadOnly):
    list_display = ["id", "name", "target", "generator", "tool", "created_by"]
    list_select_related = ["target__host", "generator", "created_by"]
    list_filter = ["tool"]


@admin.register(Job)
class JobAdmin(ReadOnly):
    list_display = ["id", "name", "state", "target", "generator", "created_by", "created_at"]
    list_select_related = ["target__host", "generator", "created_by"]
    list_filter = ["state"]


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
