"""What remote runs need before they can run: targets and load generators. Everybody who is logged in may look."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required, permission_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from runs import remote
from runs.forms_remote import GeneratorForm, TargetForm
from runs.models import LoadGenerator, Plan, Target
from runs.remote.registering import Needed, delete_generator, delete_target
from runs.selectors.lists import paginate

View = Callable[..., HttpResponse]


def may(*permissions: str) -> Callable[[View], View]:
    """For people who are logged in and have these permissions of `runs`; others are told so (403)."""
    names = [f"runs.{permission}" for permission in permissions]

    def closed(view: View) -> View:
        return login_required(permission_required(names, raise_exception=True)(view))

    return closed


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
@may("add_target", "add_loadgenerator", "add_plan")
def this_machine(request: HttpRequest) -> HttpResponse:
    try:
        plan = remote.register_this_machine(request.user, settings.PORT)
    except remote.Refused as refusal:  # it is registered already, and not in a way that fits
        messages.error(request, str(refusal))
        return redirect("remote")
    messages.success(
        request, f"{plan.target} is registered as load generator and as target. This plan loads benchdash itself."
    )
    return redirect(plan)


@login_required
def target(request: HttpRequest, pk: int) -> HttpResponse:
    found = get_object_or_404(Target.objects.for_list(), pk=pk)
    context = {"target": found, "switches": list(found.switches.all()), "plans": list(found.plans.for_list())}
    return render(request, "remote/target.html", context)


@may("add_target")
def new_target(request: HttpRequest) -> HttpResponse:
    return _target_form(request, Target(), "Register a target")


@may("change_target")
def edit_target(request: HttpRequest, pk: int) -> HttpResponse:
    found = get_object_or_404(Target.objects.select_related("host"), pk=pk)
    return _target_form(request, found, f"Change {found}")


def _target_form(request: HttpRequest, instance: Target, title: str) -> HttpResponse:
    form = TargetForm(request.POST or None, instance=instance)
    if form.is_valid():
        saved = form.write(request.user)
        if saved:
            return redirect(saved)
    return render(request, "remote/form.html", {"form": form, "title": title})


@may("add_loadgenerator")
def new_generator(request: HttpRequest) -> HttpResponse:
    return _generator_form(request, LoadGenerator(kind=LoadGenerator.Kind.SSH), "Register a load generator")


@may("change_loadgenerator")
def edit_generator(request: HttpRequest, pk: int) -> HttpResponse:
    found = get_object_or_404(LoadGenerator, pk=pk)
    return _generator_form(request, found, f"Change {found}")


def _generator_form(request: HttpRequest, instance: LoadGenerator, title: str) -> HttpResponse:
    form = GeneratorForm(request.POST or None, instance=instance)
    if form.is_valid():
        form.save()
        return redirect("remote")
    may_delete = instance.pk and request.user.has_perm("runs.delete_loadgenerator")
    delete_url = reverse("delete-generator", args=[instance.pk]) if may_delete else ""
    return render(request, "remote/form.html", {"form": form, "title": title, "delete_url": delete_url})


@require_POST
@may("delete_target")
def remove_target(request: HttpRequest, pk: int) -> HttpResponse:
    found = get_object_or_404(Target, pk=pk)
    try:
        delete_target(found)
    except Needed as reason:
        messages.error(request, str(reason))
        return redirect(found)
    return redirect("remote")


@require_POST
@may("delete_loadgenerator")
def remove_generator(request: HttpRequest, pk: int) -> HttpResponse:
    found = get_object_or_404(LoadGenerator, pk=pk)
    try:
        delete_generator(found)
    except Needed as reason:
        messages.error(request, str(reason))
        return redirect("edit-generator", pk)
    return redirect("remote")
