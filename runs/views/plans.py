"""Plans: written, looked at as what will be run, changed, deleted. Jobs are in views.jobs."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from runs import remote
from runs.forms_plans import PlanForm, VariantSet, write_plan
from runs.models import LoadGenerator, Plan, Run, Target
from runs.remote.again import Again, CannotRepeat, again
from runs.remote.planning import commands, estimate, switches
from runs.views.remote_setup import may

FEW = 60  # runs that are listed without being asked for
A_START = {"requests": 1000, "levels": [10]}  # of a new plan that nothing is known of


@login_required
def plan(request: HttpRequest, pk: int) -> HttpResponse:
    found = get_object_or_404(Plan.objects.for_list(), pk=pk)
    return render(request, "remote/plan.html", {"plan": found} | _what_runs(found))


def _what_runs(found: Plan) -> dict[str, Any]:
    """Every run with its command line, or why the plan cannot be run as it is."""
    try:
        snapshot = remote.validate(found)
    except remote.Refused as refusal:
        return {"errors": refusal.errors}
    runs = commands(snapshot)
    return {
        "snapshot": snapshot,
        "runs": runs,
        "lines": list(dict.fromkeys((stage.variant, stage.level, line) for stage, line in runs)),
        "switches": switches(snapshot),
        "estimate": estimate(snapshot),
        "open": len(runs) <= FEW,
    }


@may("add_plan", "run_plan")
def new_plan(request: HttpRequest) -> HttpResponse:
    """Ask for the target where there are several; ?run= fills the form with what a stored run was sent with."""
    repeated = None
    run = request.GET.get("run", "")
    if run:
        found = get_object_or_404(Run.objects.with_context(), pk=run if run.isdecimal() else 0)
        try:
            repeated = again(found)
        except CannotRepeat as reason:
            return render(request, "remote/cannot_repeat.html", {"run": found, "reason": str(reason)})
    target = repeated.target if repeated else _chosen_target(request)
    if target is None or not LoadGenerator.objects.exists():
        targets = list(Target.objects.for_list().filter(enabled=True))
        return render(
            request, "remote/choose_target.html", {"targets": targets, "generators": LoadGenerator.objects.exists()}
        )
    return _plan_form(request, Plan(), target, "New plan", repeated)


def _chosen_target(request: HttpRequest) -> Target | None:
    enabled = Target.objects.filter(enabled=True).select_related("host")
    wanted = request.GET.get("target", "")
    if wanted:
        return get_object_or_404(enabled, pk=wanted if wanted.isdecimal() else 0)
    few = list(enabled[:2])
    return few[0] if len(few) == 1 else None


@may("change_plan", "run_plan")
def edit_plan(request: HttpRequest, pk: int) -> HttpResponse:
    found = get_object_or_404(Plan.objects.select_related("target__host"), pk=pk)
    return _plan_form(request, found, found.target, f"Change “{found}”")


def _plan_form(
    request: HttpRequest, instance: Plan, target: Target, title: str, repeated: Again | None = None
) -> HttpResponse:
    data = request.POST or None
    initial = repeated.fields if repeated else None if instance.pk else A_START
    form = PlanForm(data, instance=instance, target=target, initial=initial)
    named = [{"name": repeated.variant}] if repeated and data is None else None
    variants = VariantSet(data, instance=instance, form_kwargs={"target": target}, prefix="variants", initial=named)
    if data is not None:
        saved = write_plan(form, variants, request.user)
        if saved:
            return redirect(saved)
    context = {"form": form, "variants": variants, "target": target, "title": title, "repeated": repeated}
    context["switches"] = target.switches.exists()
    return render(request, "remote/plan_form.html", context)


@require_POST
@may("delete_plan")
def remove_plan(request: HttpRequest, pk: int) -> HttpResponse:
    found = get_object_or_404(Plan, pk=pk)
    found.delete()
    messages.success(request, f"“{found}” is deleted. What its jobs measured is kept.")
    return redirect("remote")
