"""Jobs: started, watched, cancelled, resumed. The pages only look; workers run."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required, permission_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from runs import remote, tasks
from runs.analysis.sheet import Sheet
from runs.forms_jobs import JobFilterForm
from runs.models import Job, Plan
from runs.remote.advice import advice
from runs.remote.glances import adding_to, glances
from runs.remote.standing import Standing, standing
from runs.selectors.lists import paginate
from runs.views.answer import answer

LOG_LINES = 80
may_run = permission_required("runs.run_plan", raise_exception=True)
HEADS = (
    "id",
    "name",
    "state",
    "message",
    "plan",
    "target",
    "load_generator",
    "done",
    "steps",
    "created_at",
    "finished_at",
)
STEP_HEADS = ("step", "config", "concurrency", "repeat", "state", "requests_per_second", "run", "message")


@login_required
def jobs(request: HttpRequest, fmt: str = "") -> HttpResponse:
    form = JobFilterForm(request.GET)
    wanted = form.cleaned_data if form.is_valid() else {}
    found = Job.objects.with_counts().matching(**{name: value for name, value in wanted.items() if value})
    shown = paginate(request.GET, found)
    rows = tuple(
        (job.pk, job.name, job.state, job.message, str(job.plan or ""), str(job.target or ""), str(job.generator or ""))
        + (job.n_done, job.n_steps, job.created_at.isoformat(), job.finished_at and job.finished_at.isoformat())
        for job in shown.rows
    )
    context = {"form": form, "page": shown, "glances": glances(shown.rows), "filtered": any(wanted.values())}
    return answer(request, "remote/jobs.html", context, Sheet("Jobs", HEADS, rows), fmt=fmt)


@login_required
def job(request: HttpRequest, pk: int, fmt: str = "") -> HttpResponse:
    found = get_object_or_404(Job.objects.for_page(), pk=pk)
    context = _context(found)
    rows = tuple(
        (number, step.variant, step.level, step.repeat, step.state, step.requests_per_second, step.run_id, step.message)
        for number, step in enumerate(context["steps"], start=1)
    )
    return answer(request, "remote/job.html", context, Sheet(found.name, STEP_HEADS, rows), fmt=fmt)


@login_required
def live(request: HttpRequest, pk: int) -> HttpResponse:
    """What changed on the job's page since ?seen=: nothing (204), the state, or the state with steps and log."""
    found = get_object_or_404(Job.objects.for_page(), pk=pk)
    context = _context(found)
    now: Standing = context["standing"]
    seen = request.GET.get("seen", "")
    if seen == now.seen:
        return HttpResponse(status=204)
    steps_seen = seen.rpartition(".")[2]
    return render(request, "remote/_live.html", context | {"with_steps": steps_seen != now.seen_steps, "oob": True})


@require_POST
@may_run
def start_plan(request: HttpRequest, pk: int) -> HttpResponse:
    """A new job of the plan as it is now."""
    plan = get_object_or_404(Plan, pk=pk)
    try:
        started = remote.start(plan, request.user)
    except remote.Refused as refusal:
        messages.error(request, f"Not started. {refusal}")
        return redirect(plan)
    tasks.dispatch(started)
    return redirect(started)


@require_POST
@may_run
def cancel(request: HttpRequest, pk: int) -> HttpResponse:
    found = get_object_or_404(Job, pk=pk)
    if found.is_over:
        messages.info(request, "Too late to cancel: the job was over already.")
    else:
        remote.cancel(found, request.user)
    return redirect(found)


@may_run
def resume(request: HttpRequest, pk: int) -> HttpResponse:
    """Asked first (GET): a step that had begun sends its load once more."""
    found = get_object_or_404(Job.objects.for_page(), pk=pk)
    context = _context(found)
    if not context["resumable"]:
        messages.info(request, "There is nothing to resume: every step is done, or the job is not over.")
        return redirect(found)
    if request.method != "POST":
        return render(request, "remote/job_resume.html", context)
    try:
        remote.resume(found, request.user)
    except remote.Refused as refusal:
        messages.error(request, f"Not resumed. {refusal}")
    else:
        tasks.dispatch(found)
    return redirect(found)


def adding(request: HttpRequest, pk: int) -> HttpResponse:
    """The experiment page's notice of jobs that still add to it; HX-Trigger says when there is more to show."""
    told = adding_to(pk, request.GET.get("jobs", ""))
    if told.seen == request.GET.get("seen", ""):
        return HttpResponse(status=204)
    response = render(request, "remote/_adding.html", {"adding": told, "experiment_id": pk})
    if str(told.stored) != request.GET.get("stored", "") or not told.active:
        response["HX-Trigger"] = "stored"
    return response


def _context(found: Job) -> dict[str, Any]:
    steps = list(found.steps.with_runs())
    now = standing(found, steps)
    early = found.is_over and found.state != Job.State.DONE
    return {
        "job": found,
        "steps": steps,
        "standing": now,
        "has_words": any(step.message for step in steps),
        "advice": advice(found.message, found.log) if found.state == Job.State.FAILED else [],
        "resumable": early and now.left > 0,
        "log": "\n".join(found.log.splitlines()[-LOG_LINES:]),
    }
