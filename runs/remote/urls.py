"""The addresses of remote runs: machines, plans, jobs and views."""

from __future__ import annotations

from django.urls import path

from runs.responses import page_routes

from . import models, views

urlpatterns = [
    path("remote/", views.hub, name="remote"),
    path("remote/this-machine/", views.this_machine, name="this-machine"),
    path("remote/targets/new/", views.target_form, name="new-target"),
    path("remote/targets/<id:pk>/", views.target, name="target"),
    path("remote/targets/<id:pk>/edit/", views.target_form, name="edit-target"),
    path("remote/targets/<id:pk>/delete/", views.remove, {"model": models.Target}, name="delete-target"),
    path("remote/generators/new/", views.generator_form, name="new-generator"),
    path("remote/generators/<id:pk>/edit/", views.generator_form, name="edit-generator"),
    path("remote/generators/<id:pk>/delete/", views.remove, {"model": models.LoadGenerator}, name="delete-generator"),
    path("remote/plans/new/", views.new_plan, name="new-plan"),
    path("remote/plans/<id:pk>/", views.plan, name="plan"),
    path("remote/plans/<id:pk>/edit/", views.edit_plan, name="edit-plan"),
    path("remote/plans/<id:pk>/delete/", views.remove, {"model": models.Plan}, name="delete-plan"),
    *page_routes("remote/jobs/", views.jobs, "jobs"),
    *page_routes("remote/jobs/<pk>/", views.job, "job"),
    path("remote/jobs/<id:pk>/live/", views.live, name="job-live"),
    path("remote/jobs/<id:pk>/cancel/", views.cancel, name="cancel-job"),
    path("remote/jobs/<id:pk>/resume/", views.resume, name="resume-job"),
    path("remote/plans/<id:pk>/start/", views.start_plan, name="start-plan"),
    path("remote/plans/<id:pk>/schedule/", views.add_schedule, name="add-schedule"),
    path("remote/schedules/<id:pk>/pause/", views.change_schedule, {"action": "pause"}, name="pause-schedule"),
    path("remote/schedules/<id:pk>/delete/", views.change_schedule, {"action": "delete"}, name="delete-schedule"),
    path("experiments/<id:pk>/adding/", views.adding, name="adding"),
]
