"""Pages of remote runs: targets, load generators, plans, jobs, schedules. They write rows; workers run jobs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required, permission_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from runs import tasks
from runs.analysis.export import FlatTable
from runs.database import parse_id
from runs.models import Run
from runs.responses import respond
from runs.selectors.lists import paginate

from . import jobs as remote_jobs
from . import planning
from .checks import MOST_VARIANTS, Refused
from .forms import GeneratorForm, JobFilterForm, PlanForm, ScheduleForm, TargetForm, VariantSet, write_plan
from .job_progress import JobProgress, advise, describe_progress, find_jobs_of_experiment, summarize_jobs
from .models import Job, LoadGenerator, Plan, Schedule, Target
from .rerun import CannotRepeat, Rerun, plan_from_runs
from .tools import join_command

View = Callable[..., HttpResponse]


def require_permissions(*permissions: str) -> Callable[[View], View]:
    """For people who are logged in and have these permissions; others get 403."""
    required = permission_required([f"remote.{permission}" for permission in permissions], raise_exception=True)
    return lambda view: login_required(required(view))


@login_required
def hub(request: HttpRequest) -> HttpResponse:
    context = {
        "page": paginate(request.GET, Plan.objects.for_list()),
        "targets": list(Target.objects.for_list()),
        "generators": list(LoadGenerator.objects.all()),
        "port": settings.PORT,
    }
    return render(request, "remote/hub.html", context)


@require_POST
@require_permissions("add_target", "add_loadgenerator", "add_plan")
def this_machine(request: HttpRequest) -> HttpResponse:
    try:
        plan = planning.register_this_machine(request.user, settings.PORT)
    except Refused as refusal:  # it is registered already, and not in a way that fits
        messages.error(request, str(refusal))
        return redirect("remote")
    messages.success(
        request, f"{plan.target} is registered as load generator and target. This plan loads benchdash itself."
    )
    return redirect(plan)


@login_required
def target(request: HttpRequest, pk: int) -> HttpResponse:
    shown_target = get_object_or_404(Target.objects.for_list(), pk=pk)
    context = {
        "target": shown_target,
        "switches": list(shown_target.switches.all()),
        "plans": list(shown_target.plans.for_list()),
    }
    return render(request, "remote/target.html", context)


@login_required
def target_form(request: HttpRequest, pk: int | None = None) -> HttpResponse:
    """Register a target, or change one."""
    _require(request, "change_target" if pk else "add_target")
    instance = get_object_or_404(Target.objects.select_related("host"), pk=pk) if pk else Target()
    form = TargetForm(request.POST or None, instance=instance)
    if form.is_valid() and (saved := form.write(request.user)):
        return redirect(saved)
    title = f"Change {instance}" if pk else "Register a target"
    return render(request, "remote/form.html", {"form": form, "title": title})


@login_required
def generator_form(request: HttpRequest, pk: int | None = None) -> HttpResponse:
    """Register a load generator, or change one."""
    _require(request, "change_loadgenerator" if pk else "add_loadgenerator")
    instance = get_object_or_404(LoadGenerator, pk=pk) if pk else LoadGenerator(kind=LoadGenerator.Kind.SSH)
    title = f"Change {instance}" if pk else "Register a load generator"
    form = GeneratorForm(request.POST or None, instance=instance)
    if form.is_valid():
        form.save()
        return redirect("remote")
    may_delete = pk and request.user.has_perm("remote.delete_loadgenerator")
    delete_url = reverse("delete-generator", args=[pk]) if may_delete else ""
    return render(request, "remote/form.html", {"form": form, "title": title, "delete_url": delete_url})


def _require(request: HttpRequest, permission: str) -> None:
    if not request.user.has_perm(f"remote.{permission}"):
        raise PermissionDenied


@require_POST
@login_required
def remove(request: HttpRequest, pk: int, model: type[Target | LoadGenerator | Plan]) -> HttpResponse:
    """Delete a machine or a plan that nothing uses. What was measured with it is kept."""
    _require(request, f"delete_{model._meta.model_name}")
    item: Any = get_object_or_404(model, pk=pk)
    if use := _find_use(item):
        messages.error(request, f"{item} {use}")
        return redirect(item)
    item.delete()
    messages.success(request, f"“{item}” is deleted. Its results are kept.")
    return redirect("remote")


def _find_use(row: Target | LoadGenerator | Plan) -> str:
    """What uses a machine, which cannot be deleted then; "" for what nothing uses. Jobs and what they measured stay."""
    if isinstance(row, Plan):
        return ""
    if isinstance(row, Target) and row.busy_with_id:
        return f"is being loaded by job {row.busy_with_id}."
    if isinstance(row, LoadGenerator) and (active := row.jobs.active().first()):
        return f"is used by job {active.pk}, which is not over."
    names = ", ".join(str(plan) for plan in row.plans.all()[:5])
    return f"is used by plans: {names}. Delete them first." if names else ""


FEW = 60  # runs that are listed without being asked for
A_START = {"requests": 1000, "levels": [10]}  # of a new plan that nothing is known of


@login_required
def plan(request: HttpRequest, pk: int) -> HttpResponse:
    shown_plan = get_object_or_404(Plan.objects.for_list(), pk=pk)
    return render(request, "remote/plan.html", {"plan": shown_plan} | _preview_plan(shown_plan))


def _preview_plan(plan: Plan) -> dict[str, Any]:
    """Every run with its command line, or why the plan cannot be run as it is."""
    try:
        snapshot = planning.validate_plan(plan)
    except Refused as refusal:
        return {"errors": refusal.errors}
    runs = planning.list_commands(snapshot)
    return {
        "snapshot": snapshot,
        "runs": runs,
        "lines": list(dict.fromkeys((stage.variant, stage.level, line) for stage, line in runs)),
        "switches": {each.name: join_command(each.switch) for each in snapshot.variants if each.switch},
        "estimate": planning.estimate(snapshot),
        "open": len(runs) <= FEW,
    }


@require_permissions("add_plan", "run_plan")
def new_plan(request: HttpRequest) -> HttpResponse:
    """Ask for the target where there are several; ?run= fills the form with what stored runs were sent with, a variant each."""
    repeated = None
    wanted = request.GET.get("run", "")
    if wanted:
        rows = Run.objects.with_context()
        runs = [get_object_or_404(rows, pk=parse_id(each)) for each in wanted.split(",")[:MOST_VARIANTS]]
        try:
            repeated = plan_from_runs(runs)
        except CannotRepeat as reason:
            return render(request, "remote/cannot_repeat.html", {"run": runs[0], "reason": str(reason)})
        if repeats := parse_id(request.GET.get("repeats", "")):
            repeated.fields["repeats"] = repeats
    target = repeated.target if repeated else _find_target(request)
    if target is None or not LoadGenerator.objects.exists():
        targets = list(Target.objects.for_list().filter(enabled=True))
        return render(
            request, "remote/choose_target.html", {"targets": targets, "generators": LoadGenerator.objects.exists()}
        )
    return _plan_form(request, Plan(), target, "New plan", repeated)


def _find_target(request: HttpRequest) -> Target | None:
    enabled = Target.objects.filter(enabled=True).select_related("host")
    wanted = request.GET.get("target", "")
    if wanted:
        return get_object_or_404(enabled, pk=parse_id(wanted))
    few = list(enabled[:2])
    return few[0] if len(few) == 1 else None


@require_permissions("change_plan", "run_plan")
def edit_plan(request: HttpRequest, pk: int) -> HttpResponse:
    plan = get_object_or_404(Plan.objects.select_related("target__host"), pk=pk)
    return _plan_form(request, plan, plan.target, f"Change “{plan}”")


def _plan_form(
    request: HttpRequest, instance: Plan, target: Target, title: str, repeated: Rerun | None = None
) -> HttpResponse:
    data = request.POST or None
    initial = repeated.fields if repeated else None if instance.pk else A_START
    form = PlanForm(data, instance=instance, target=target, initial=initial)
    named = repeated.variants if repeated and data is None else None
    variants = VariantSet(data, instance=instance, form_kwargs={"target": target}, prefix="variants", initial=named)
    if data is not None and (saved := write_plan(form, variants, request.user)):
        return redirect(saved)
    context = {"form": form, "variants": variants, "target": target, "title": title, "repeated": repeated}
    context["switches"] = target.switches.exists()
    return render(request, "remote/plan_form.html", context)


LOG_LINES = 80
may_run = permission_required("remote.run_plan", raise_exception=True)
HEADS = (
    *("id", "name", "state", "message", "plan", "target", "load_generator"),
    *("done", "steps", "created_at", "finished_at"),
)
STEP_HEADS = ("step", "config", "concurrency", "repeat", "state", "requests_per_second", "run", "message")


@login_required
def jobs(request: HttpRequest, fmt: str = "") -> HttpResponse:
    form = JobFilterForm(request.GET)
    wanted = form.cleaned_data if form.is_valid() else {}
    job_query_set = Job.objects.with_counts().matching(**{name: value for name, value in wanted.items() if value})
    shown = paginate(request.GET, job_query_set)
    rows = tuple(
        (job.pk, job.name, job.state, job.message, str(job.plan or ""), str(job.target or ""), str(job.generator or ""))
        + (job.n_done, job.n_steps, job.created_at.isoformat(), job.finished_at and job.finished_at.isoformat())
        for job in shown.rows
    )
    context = {"form": form, "page": shown, "jobs": summarize_jobs(shown.rows), "filtered": any(wanted.values())}
    return respond(request, "remote/jobs.html", context, FlatTable("Jobs", HEADS, rows), fmt=fmt)


@login_required
def job(request: HttpRequest, pk: int, fmt: str = "") -> HttpResponse:
    shown_job = get_object_or_404(Job.objects.for_page(), pk=pk)
    context = _job_context(shown_job)
    rows = tuple(
        (number, step.variant, step.level, step.repeat, step.state, step.requests_per_second, step.run_id, step.message)
        for number, step in enumerate(context["steps"], start=1)
    )
    return respond(request, "remote/job.html", context, FlatTable(shown_job.name, STEP_HEADS, rows), fmt=fmt)


@login_required
def live(request: HttpRequest, pk: int) -> HttpResponse:
    """What changed on the job's page since ?seen=: nothing (204), the state, or the state with steps and log."""
    job = get_object_or_404(Job.objects.for_page(), pk=pk)
    context = _job_context(job)
    progress: JobProgress = context["progress"]
    seen = request.GET.get("seen", "")
    if seen == progress.seen:
        return HttpResponse(status=204)
    context |= {"with_steps": seen.rpartition(".")[2] != progress.seen_steps, "oob": True}
    return render(request, "remote/_live.html", context)


@require_POST
@may_run
def start_plan(request: HttpRequest, pk: int) -> HttpResponse:
    """A new job of the plan as it is now."""
    plan = get_object_or_404(Plan, pk=pk)
    try:
        started = planning.start_job(plan, request.user)
    except Refused as refusal:
        messages.error(request, f"Not started. {refusal}")
        return redirect(plan)
    tasks.send_on_commit(started)
    return redirect(started)


@require_POST
@may_run
def cancel(request: HttpRequest, pk: int) -> HttpResponse:
    job = get_object_or_404(Job, pk=pk)
    if job.is_over:
        messages.info(request, "Too late to cancel: the job is over.")
    else:
        remote_jobs.cancel_job(job, request.user)
    return redirect(job)


@may_run
def resume(request: HttpRequest, pk: int) -> HttpResponse:
    """Asked first (GET): a step that had begun sends its load once more."""
    job = get_object_or_404(Job.objects.for_page(), pk=pk)
    context = _job_context(job)
    if not context["resumable"]:
        messages.info(request, "Nothing to resume: all steps are done, or the job is not over.")
        return redirect(job)
    if request.method != "POST":
        return render(request, "remote/job_resume.html", context)
    try:
        remote_jobs.resume_job(job, request.user)
    except Refused as refusal:
        messages.error(request, f"Not resumed. {refusal}")
    else:
        tasks.send_on_commit(job)
    return redirect(job)


def adding(request: HttpRequest, pk: int) -> HttpResponse:
    """The experiment page's notice of jobs that still add to it; HX-Trigger says when there is more to show."""
    adding = find_jobs_of_experiment(pk, request.GET.get("jobs", ""))
    if adding.seen == request.GET.get("seen", ""):
        return HttpResponse(status=204)
    response = render(request, "remote/_adding.html", {"adding": adding, "experiment_id": pk})
    if str(adding.stored) != request.GET.get("stored", "") or not adding.active:
        response["HX-Trigger"] = "stored"
    return response


def _job_context(job: Job) -> dict[str, Any]:
    steps = list(job.steps.with_runs())
    progress = describe_progress(job, steps)
    early = job.is_over and job.state != Job.State.DONE
    return {
        "job": job,
        "steps": steps,
        "progress": progress,
        "has_words": any(step.message for step in steps),
        "advice": advise(job.message, job.log) if job.state == Job.State.FAILED else [],
        "resumable": early and progress.left > 0,
        "log": "\n".join(job.log.splitlines()[-LOG_LINES:]),
    }


@require_POST
@may_run
def add_schedule(request: HttpRequest, pk: int) -> HttpResponse:
    plan = get_object_or_404(Plan, pk=pk)
    form = ScheduleForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(str(error) for errors in form.errors.values() for error in errors))
        return redirect(plan)
    wanted = form.cleaned_data
    try:
        planning.add_schedule(plan, at=wanted["at"], day=wanted["every"], zone=wanted["zone"], user=request.user)  # type: ignore[arg-type]  # may_run lets users only in
    except planning.AlreadyScheduled as refusal:
        messages.info(request, str(refusal))
    return redirect(plan)


@require_POST
@may_run
def change_schedule(request: HttpRequest, pk: int, action: str) -> HttpResponse:
    """Pause it, let it run on, or delete it."""
    schedule = get_object_or_404(Schedule.objects.select_related("task", "plan"), pk=pk)
    if action == "delete":
        schedule.task.delete()  # the jobs that it started stay
    else:
        planning.pause_schedule(schedule, request.POST.get("paused") == "yes")
    return redirect(schedule.plan) if schedule.plan else redirect("remote")
