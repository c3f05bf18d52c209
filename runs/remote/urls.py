"""The addresses of remote runs: machines, plans, jobs and views."""

from __future__ import annotations

from django.urls import path

from runs.page_formats import page_routes

from . import views

urlpatterns = [
    path("remote/", views.hub, name="remote"),
    path("remote/this-machine/", views.this_machine, name="this-machine"),
    path("remote/targets/new/", views.target_form, name="new-target"),
    path("remote/targets/<int:pk>/", views.target, name="target"),
    path("remote/targets/<int:pk>/edit/", views.target_form, name="edit-target"),
    path("remote/targets/<int:pk>/delete/", views.remove_target, name="delete-target"),
    path("remote/generators/new/", views.generator_form, name="new-generator"),
    path("remote/generators/<int:pk>/edit/", views.generator_form, name="edit-generator"),
    path("remote/generators/<int:pk>/delete/", views.remove_generator, name="delete-generator"),
    path("remote/plans/new/", views.new_plan, name="new-plan"),
    path("remote/plans/<int:pk>/", views.plan, name="plan"),
    path("remote/plans/<int:pk>/edit/", views.edit_plan, name="edit-plan"),
    path("remote/plans/<int:pk>/delete/", views.remove_plan, name="delete-plan"),
    *page_routes("remote/jobs/", views.jobs, "jobs"),
    *page_routes("remote/jobs/<pk>/", views.job, "job"),
    path("remote/jobs/<int:pk>/live/", views.live, name="job-live"),
    path("remote/jobs/<int:pk>/cancel/", views.cancel, name="cancel-job"),
    path("remote/jobs/<int:pk>/resume/", views.resume, name="resume-job"),
    path("remote/plans/<int:pk>/start/", views.start_plan, name="start-plan"),
    path("remote/plans/<int:pk>/schedule/", views.add_schedule, name="add-schedule"),
    path("remote/schedules/<int:pk>/pause/", views.change_schedule, {"action": "pause"}, name="pause-schedule"),
    path("remote/schedules/<int:pk>/delete/", views.change_schedule, {"action": "delete"}, name="delete-schedule"),
    path("experiments/<int:pk>/adding/", views.adding, name="adding"),
]
