"""The addresses of jobs and schedules."""

from __future__ import annotations

from django.urls import path

from runs.urls import page
from runs.views import jobs, schedules

urlpatterns = [
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
