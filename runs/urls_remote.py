"""The addresses of remote runs: machines, plans, jobs and schedules."""

from __future__ import annotations

from django.urls import path

from runs.urls import page
from runs.views import jobs, plans, remote_setup, schedules

urlpatterns = [
    path("remote/", remote_setup.hub, name="remote"),
    path("remote/this-machine/", remote_setup.this_machine, name="this-machine"),
    path("remote/targets/new/", remote_setup.new_target, name="new-target"),
    path("remote/targets/<int:pk>/", remote_setup.target, name="target"),
    path("remote/targets/<int:pk>/edit/", remote_setup.edit_target, name="edit-target"),
    path("remote/targets/<int:pk>/delete/", remote_setup.remove_target, name="delete-target"),
    path("remote/generators/new/", remote_setup.new_generator, name="new-generator"),
    path("remote/generators/<int:pk>/edit/", remote_setup.edit_generator, name="edit-generator"),
    path("remote/generators/<int:pk>/delete/", remote_setup.remove_generator, name="delete-generator"),
    path("remote/plans/new/", plans.new_plan, name="new-plan"),
    path("remote/plans/<int:pk>/", plans.plan, name="plan"),
    path("remote/plans/<int:pk>/edit/", plans.edit_plan, name="edit-plan"),
    path("remote/plans/<int:pk>/delete/", plans.remove_plan, name="delete-plan"),
    *page("remote/jobs/", jobs.jobs, "jobs"),
    *page("remote/jobs/<pk>/", jobs.job, "job"),
    path("remote/jobs/<int:pk>/live/", jobs.live, name="job-live"),
    path("remote/jobs/<int:pk>/cancel/", jobs.cancel, name="cancel-job"),
    path("remote/jobs/<int:pk>/resume/", jobs.resume, name="resume-job"),
    path("remote/plans/<int:pk>/start/", jobs.start_plan, name="start-plan"),
    path("remote/plans/<int:pk>/schedule/", schedules.add, name="add-schedule"),
    path("remote/schedules/<int:pk>/pause/", schedules.pause, name="pause-schedule"),
    path("remote/schedules/<int:pk>/delete/", schedules.delete, name="delete-schedule"),
    path("experiments/<int:pk>/adding/", jobs.adding, name="adding"),
]
