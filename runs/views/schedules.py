"""Schedules of plans: added, paused, deleted. They are listed on their plan's page and on the remote page."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from runs.forms_jobs import ScheduleForm
from runs.models import Plan, Schedule
from runs.remote import schedules
from runs.views.jobs import may_run


@require_POST
@may_run
def add(request: HttpRequest, pk: int) -> HttpResponse:
    plan = get_object_or_404(Plan, pk=pk)
    form = ScheduleForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(str(error) for errors in form.errors.values() for error in errors))
        return redirect(plan)
    wanted = form.cleaned_data
    try:
        schedules.add(plan, at=wanted["at"], day=wanted["every"], zone=wanted["zone"], user=request.user)  # type: ignore[arg-type]  # may_run lets users only in
    except schedules.AlreadyScheduled as refusal:
        messages.info(request, str(refusal))
    return redirect(plan)


@require_POST
@may_run
def pause(request: HttpRequest, pk: int) -> HttpResponse:
    found = get_object_or_404(Schedule.objects.select_related("task", "plan"), pk=pk)
    schedules.pause(found, request.POST.get("paused") == "yes")
    return _back(found)


@require_POST
@may_run
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    found = get_object_or_404(Schedule.objects.select_related("task", "plan"), pk=pk)
    schedules.remove(found)
    return _back(found)


def _back(schedule: Schedule) -> HttpResponse:
    return redirect(schedule.plan) if schedule.plan else redirect("remote")
