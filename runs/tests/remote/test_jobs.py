"""Jobs seen from outside their worker: which are lost, which may be sent, what resuming means. Rows only."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from runs import tasks
from runs.remote import checks, jobs, planning
from runs.remote.jobs import Journal
from runs.remote.models import Job, Step, Target
from runs.tests.remote import rows

pytestmark = pytest.mark.django_db
NOW = timezone.now()


def job(**fields: Any) -> Job:
    made = planning.start_job(rows.plan(), rows.user("run_plan"))
    Job.objects.filter(pk=made.pk).update(**fields)
    made.refresh_from_db()
    return made


def running(**fields: Any) -> Job:
    made = job(state=Job.State.RUNNING, started_at=NOW, **({"heartbeat_at": NOW, "claim": "x"} | fields))
    Target.objects.filter(pk=made.target_id or 0).update(busy_with=made)
    Step.objects.filter(job=made, position=1).update(state=Step.State.RUNNING)
    return made


def ago(seconds: float):
    return NOW - timedelta(seconds=seconds)


@pytest.mark.parametrize(("silent_s", "state"), [(35, Job.State.RUNNING), (45, Job.State.LOST)])
def test_a_job_is_lost_when_its_worker_is_silent_for_forty_seconds(silent_s, state):
    made = running(heartbeat_at=ago(silent_s))
    jobs.check_jobs(NOW)
    made.refresh_from_db()
    assert made.state == state
    lost = state == Job.State.LOST
    assert (Target.objects.get().busy_with is None) == lost
    assert (made.steps.first().state == Step.State.LOST) == lost
    assert ("no heartbeat for 45 s" in made.message) == lost


def test_a_lost_job_that_was_to_be_cancelled_is_cancelled():
    made = running(heartbeat_at=ago(100), cancel_requested_at=ago(50))
    jobs.check_jobs(NOW)
    made.refresh_from_db()
    assert made.state == Job.State.CANCELLED


def test_a_target_held_by_a_job_that_is_over_is_freed():
    made = running()
    Job.objects.filter(pk=made.pk).update(state=Job.State.FAILED)
    jobs.check_jobs(NOW)
    made.target.refresh_from_db()
    assert made.target.busy_with is None


@pytest.mark.parametrize(
    ("sent_s", "made_s", "due"),
    [(None, 0, True), (30, 30, False), (70, 71, True), (70, 1000, False), (400, 1000, True)],
)
def test_a_message_is_sent_again_after_a_minute_and_the_older_the_job_the_later(sent_s, made_s, due):
    made = job(sent_at=None if sent_s is None else ago(sent_s), created_at=ago(made_s))
    assert jobs.check_jobs(NOW) == ([made.pk] if due else [])


@pytest.mark.parametrize(
    ("generator", "said"),
    [
        ({"name": "load1"}, "“python manage.py worker --host load1” starts one there."),
        ({"name": "local"}, "“python manage.py worker --local” starts one there."),
        ({"name": "load2", "kind": "ssh", "ssh_destination": "load2"}, "“python manage.py worker” starts one"),
    ],
)
def test_a_job_that_no_worker_takes_says_so(monkeypatch, generator, said):
    monkeypatch.setattr(tasks.run_job, "apply_async", lambda *_, **__: None)
    made = job(generator=rows.generator(**generator))
    tasks.tend_jobs()
    made.refresh_from_db()
    assert made.message == ""
    Job.objects.update(sent_at=made.sent_at - timedelta(seconds=90), created_at=made.sent_at - timedelta(seconds=90))
    tasks.tend_jobs()
    made.refresh_from_db()
    assert said in made.message
    assert jobs.claim_job(made.pk, "x").message == ""


@pytest.mark.parametrize("ahead_s", [-3600, 3600])
def test_a_worker_whose_clock_is_wrong_loses_no_job_and_leaves_none(monkeypatch, ahead_s):
    now = timezone.now()
    heard, silent, waiting = running(heartbeat_at=now), running(heartbeat_at=now - timedelta(seconds=100)), job()
    monkeypatch.setattr(timezone, "now", lambda: now + timedelta(seconds=ahead_s))
    assert jobs.check_jobs() == [waiting.pk]
    assert [Job.objects.get(pk=made.pk).state for made in (heard, silent)] == [Job.State.RUNNING, Job.State.LOST]
    claimed = jobs.claim_job(waiting.pk, "x")
    assert abs(claimed.heartbeat_at - now) < timedelta(seconds=60)


def test_what_waits_for_a_busy_target_or_generator_is_not_sent():
    busy = running()
    same_target = job(target=busy.target)
    same_generator = job(generator=busy.generator)
    free = job()
    assert jobs.check_jobs(NOW) == [free.pk]
    assert {same_target.state, same_generator.state} == {Job.State.QUEUED}


def test_a_job_whose_generator_was_deleted_fails_instead_of_waiting_for_ever():
    made = job(generator=None)
    assert jobs.check_jobs(NOW) == []
    made.refresh_from_db()
    assert (made.state, made.message) == (Job.State.FAILED, "Its load generator was deleted.")


def test_a_job_is_taken_once_and_says_for_whom_it_waits():
    first = job()
    second = job(target=first.target)
    assert jobs.claim_job(first.pk, "one").claim == "one"
    assert jobs.claim_job(first.pk, "two") is None
    assert jobs.claim_job(second.pk, "three") is None
    second.refresh_from_db()
    assert second.message == f"It waits for job {first.pk} on the same target."
    first.refresh_from_db()
    assert (first.state, first.claim) == (Job.State.CONNECTING, "one")


def test_a_cancelled_job_is_not_taken():
    made = job()
    jobs.cancel_job(made, None)
    assert jobs.claim_job(made.pk, "one") is None


def test_a_job_that_is_over_is_not_cancelled_any_more():
    made = running()
    Journal(made, "x").finish(Job.State.DONE)
    jobs.cancel_job(made, None)
    made.refresh_from_db()
    assert made.state == Job.State.DONE and made.cancel_requested_at is None


def test_a_job_that_is_over_cannot_be_written_to_by_its_old_worker():
    made = running()
    journal = Journal(made, "x")
    Job.objects.filter(pk=made.pk).update(state=Job.State.LOST, message="lost")
    journal.finish(Job.State.DONE)
    made.refresh_from_db()
    assert (made.state, made.message) == (Job.State.LOST, "lost")


def test_resuming_gives_the_broken_step_a_row_of_its_own_and_leaves_the_rest():
    made = running()
    Step.objects.filter(job=made, position=1).update(state=Step.State.DONE)
    Step.objects.filter(job=made, position=2).update(state=Step.State.RUNNING)
    Job.objects.filter(pk=made.pk).update(heartbeat_at=ago(100))
    jobs.check_jobs(NOW)
    made.refresh_from_db()
    before = made.steps.count()
    (again,) = jobs.resume_job(made, None)
    assert (again.position, again.state) == (2, Step.State.LOST)
    assert made.state == Job.State.QUEUED
    assert made.steps.count() == before + 1
    assert sorted(made.steps.filter(position=2).values_list("state", flat=True)) == ["lost", "waiting"]
    assert jobs.find_begun_steps(made) == []


def test_a_step_that_was_begun_as_the_job_was_lost_is_not_left_out():
    made = job(state=Job.State.LOST)
    Step.objects.filter(job=made, position=1).update(state=Step.State.RUNNING)
    (again,) = jobs.resume_job(made, None)
    assert (again.position, again.state) == (1, Step.State.LOST)


def test_only_who_may_run_plans_resumes_one():
    made = job(state=Job.State.LOST)
    with pytest.raises(checks.Refused, match="may not run plans"):
        jobs.resume_job(made, rows.user())
    made.refresh_from_db()
    assert made.state == Job.State.LOST


def test_a_job_that_runs_or_is_done_is_not_resumed():
    for state in (Job.State.RUNNING, Job.State.DONE, Job.State.QUEUED):
        with pytest.raises(checks.Refused, match="can be resumed"):
            jobs.resume_job(job(state=state), None)


def test_a_message_goes_to_the_queue_of_the_jobs_generator(monkeypatch):
    sent = []
    monkeypatch.setattr(tasks.run_job, "apply_async", lambda args, **options: sent.append((args, options["queue"])))
    here, there = rows.generator(name="load1"), rows.generator(kind="ssh", ssh_destination="web1")
    one, other = job(generator=here), job(generator=there)
    tasks.tend_jobs()
    assert sent == [((one.pk,), "load.load1"), ((other.pk,), "remote")]
    one.refresh_from_db()
    assert timezone.now() - one.sent_at < timedelta(seconds=30)


@pytest.mark.parametrize(("served", "ran"), [({"load.load2"}, False), ({"load.load1"}, True), (set(), True)])
def test_a_message_in_another_workers_queue_runs_nothing(monkeypatch, served, ran):
    started = []
    monkeypatch.setattr(tasks, "_served", served)
    monkeypatch.setattr(tasks.runner, "run_job", lambda job_id, claim: started.append(job_id))
    monkeypatch.setattr(tasks, "tend_jobs", lambda: None)
    made = job(generator=rows.generator(name="load1"))
    tasks.run_job(made.pk)
    assert started == ([made.pk] if ran else [])
