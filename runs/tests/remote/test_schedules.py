"""Plans that start by the clock: made on pages, kept by django-celery-beat, refused where it must be."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django_celery_beat.models import PeriodicTask
from django_celery_beat.schedulers import ModelEntry

from benchdash.celery import app
from runs.remote import planning
from runs.remote.models import Job, Plan, Schedule
from runs.tests.remote import rows

pytestmark = pytest.mark.django_db
NIGHTLY = {"every": "*", "at": "02:30", "zone": "Europe/Prague"}


def add(browser: Any, plan: Plan, **changes: str) -> Any:
    return browser.post(f"/remote/plans/{plan.pk}/schedule/", NIGHTLY | changes, follow=True)


@pytest.fixture
def nightly(browser) -> Schedule:
    add(browser, rows.plan())
    return Schedule.objects.get()


def words(response) -> list[str]:
    return [str(message) for message in response.context["messages"]]


def test_a_schedule_is_made_in_the_time_zone_asked_for(browser, nightly):
    when = nightly.task.crontab
    assert (when.hour, when.minute, when.day_of_week) == ("2", "30", "*")
    following = planning.list_schedules(nightly.plan)[0].next_start
    local = following.astimezone(ZoneInfo("Europe/Prague"))
    assert (local.hour, local.minute) == (2, 30)
    assert timedelta() < following - datetime.now(UTC) <= timedelta(days=1)


def is_due(now: datetime) -> bool:
    """Whether beat sends the one periodic task at `now`, if it last did so the night before."""
    entry = ModelEntry(PeriodicTask.objects.get(), app=app)
    entry.schedule.nowfun = lambda: now
    night_before = now.replace(hour=2, minute=30) - timedelta(days=1)
    return bool(entry.schedule.is_due(night_before).is_due)


def test_beat_finds_it_due_at_that_time_in_its_zone(nightly):
    prague = ZoneInfo("Europe/Prague")
    assert not is_due(datetime(2026, 11, 22, 2, 29, 50, tzinfo=prague))
    assert is_due(datetime(2026, 11, 22, 2, 30, 5, tzinfo=prague))


def test_a_night_that_nothing_ran_in_is_not_made_up_for_in_the_morning(nightly):
    assert not is_due(datetime(2026, 11, 22, 9, 0, tzinfo=ZoneInfo("Europe/Prague")))


def test_beat_sends_the_task_that_starts_it(nightly):
    entry = ModelEntry(PeriodicTask.objects.get(), app=app)
    assert (entry.task, entry.args) == ("runs.tasks.start_schedule", [nightly.pk])
    assert entry.task in app.tasks
    assert entry.options["expires"] == planning.LATE_S


def test_the_plans_page_and_the_remote_page_list_it(browser, nightly):
    for address in (nightly.plan.get_absolute_url(), "/remote/"):
        assert "every day at 02:30 (Europe/Prague)" in browser.get(address).content.decode()


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [("zone", "Europe/Nowhere", "time zone"), ("at", "25:00", "time of day"), ("every", "9", "valid choice")],
)
def test_a_time_that_is_none_is_refused_with_what_was_expected(browser, field, value, expected):
    response = add(browser, rows.plan(), **{field: value})
    assert expected in words(response)[0]
    assert not Schedule.objects.exists()


def test_the_same_time_twice_makes_one_schedule(browser, nightly):
    response = add(browser, nightly.plan)
    assert words(response) == ["This schedule exists already: every day at 02:30 (Europe/Prague)."]
    assert PeriodicTask.objects.count() == 1


def test_only_who_may_run_plans_schedules_them(onlooker, nightly):
    for address in (
        f"/remote/plans/{nightly.plan_id}/schedule/",
        f"/remote/schedules/{nightly.pk}/pause/",
        f"/remote/schedules/{nightly.pk}/delete/",
    ):
        assert onlooker.post(address, NIGHTLY | {"paused": "yes"}).status_code == 403
    assert PeriodicTask.objects.get().enabled


def test_a_schedule_is_paused_and_goes_on_without_making_up_for_what_it_missed(browser, nightly):
    browser.post(f"/remote/schedules/{nightly.pk}/pause/", {"paused": "yes"})
    assert not PeriodicTask.objects.get().enabled
    assert "paused" in browser.get(nightly.plan.get_absolute_url()).content.decode()
    PeriodicTask.objects.update(last_run_at=datetime(2026, 1, 1, tzinfo=UTC))
    browser.post(f"/remote/schedules/{nightly.pk}/pause/", {"paused": "no"})
    task = PeriodicTask.objects.get()
    assert task.enabled and datetime.now(UTC) - task.last_run_at < timedelta(minutes=1)


def test_deleting_a_schedule_stops_its_clock_and_keeps_its_jobs(browser, nightly):
    job = planning.start_scheduled(nightly.pk)
    browser.post(f"/remote/schedules/{nightly.pk}/delete/")
    assert not PeriodicTask.objects.exists() and not Schedule.objects.exists()
    assert Job.objects.get() == job


def test_it_starts_a_job_for_whoever_made_it(runner, nightly):
    job = planning.start_scheduled(nightly.pk)
    assert (job.state, job.scheduled, job.created_by, job.plan) == ("queued", True, runner, nightly.plan)
    nightly.refresh_from_db()
    assert (nightly.last_job, nightly.message) == (job, "")


def test_a_message_that_comes_twice_starts_one_job(nightly):
    assert planning.start_scheduled(nightly.pk) and planning.start_scheduled(nightly.pk) is None
    assert Job.objects.count() == 1


def test_a_message_for_a_paused_schedule_starts_nothing(nightly):
    planning.pause_schedule(nightly, True)
    assert planning.start_scheduled(nightly.pk) is None
    assert not Job.objects.exists()


def test_a_message_for_a_deleted_schedule_starts_nothing(nightly):
    pk = nightly.pk
    nightly.task.delete()
    assert planning.start_scheduled(pk) is None
    assert not Job.objects.exists()


def test_a_refused_plan_leaves_a_failed_job_and_says_so_with_the_schedule(browser, nightly):
    nightly.plan.target.addresses.all().delete()
    plan = rows.plan(requests=None)
    Schedule.objects.update(plan=plan)
    assert planning.start_scheduled(nightly.pk) is None
    job = Job.objects.get()
    assert (job.state, job.scheduled, job.plan) == ("failed", True, plan)
    assert job.message in browser.get(plan.get_absolute_url()).content.decode()
    assert job.message in browser.get(job.get_absolute_url()).content.decode()
    assert PeriodicTask.objects.get().enabled


def test_a_schedule_whose_plan_was_deleted_says_so_and_pauses(browser, nightly):
    nightly.plan.delete()
    assert planning.start_scheduled(nightly.pk) is None
    assert "its plan was deleted" in Job.objects.get().message
    assert not PeriodicTask.objects.get().enabled
    assert "this plan was deleted" in browser.get("/remote/").content.decode()
    browser.post(f"/remote/schedules/{nightly.pk}/delete/")
    assert not PeriodicTask.objects.exists()


def test_who_lost_the_permission_starts_nothing_any_more(runner, nightly):
    runner.user_permissions.clear()
    assert planning.start_scheduled(nightly.pk) is None
    assert Job.objects.get().state == "failed"


def test_a_schedule_of_a_deleted_user_starts_nothing(runner, nightly):
    runner.delete()
    assert planning.start_scheduled(nightly.pk) is None
    assert Job.objects.get().state == "failed"
    assert not PeriodicTask.objects.get().enabled
