"""What can go wrong while a job runs, each with the real processes: nothing is left behind, nothing is sent twice."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import timedelta

import psycopg2
import pytest
from django.db import connection
from django.utils import timezone

from runs.models import Run
from runs.remote import checks, jobs
from runs.remote.models import Job, Step, Target
from runs.remote.sessions import store_session
from runs.tests.installation import until
from runs.tests.remote import livejobs


def loading(lab, going) -> None:
    """Wait until the load really runs on the generator."""
    until(lambda: lab.loads() or going.is_over(), "ab runs")
    assert lab.loads(), f"the job: {going.now().state} {going.now().message}"


def test_a_cancelled_load_is_ended_on_every_machine(go, by_ssh, settings):
    """Not for want of signs of life."""
    settings.REMOTE_TIMEOUTS = replace(settings.REMOTE_TIMEOUTS, silence_s=70)
    going = go(livejobs.job(livejobs.long_plan(by_ssh)))
    loading(by_ssh, going)
    assert by_ssh.samplers("tgt")
    jobs.cancel_job(going.now(), None)
    until(lambda: not by_ssh.loads() and not by_ssh.samplers("tgt"), "load and monitors are gone", 50)
    job = going.end()
    assert (job.state, job.message) == (Job.State.CANCELLED, "Cancelled.")
    assert list(job.steps.values_list("state", flat=True)) == [Step.State.CANCELLED, Step.State.WAITING]
    assert Target.objects.get().busy_with is None


@pytest.mark.once
def test_a_queued_job_is_cancelled_at_once_and_never_runs(go, by_ssh):
    job = livejobs.job(livejobs.plan(by_ssh))
    jobs.cancel_job(job, job.created_by)
    assert (job.state, job.message) == (Job.State.CANCELLED, f"Cancelled by {job.created_by}.")
    assert go(job).end().state == Job.State.CANCELLED


@pytest.mark.once
def test_a_job_can_be_cancelled_while_it_connects(go, by_ssh):
    with by_ssh.cut("gen"):
        going = go(livejobs.job(livejobs.plan(by_ssh)))
        going.until(Job.State.CONNECTING)
        jobs.cancel_job(going.now(), None)
        assert going.end(9).state == Job.State.CANCELLED


@pytest.mark.once
def test_a_job_can_be_cancelled_while_it_cools_down(go, by_ssh):
    going = go(livejobs.job(livejobs.plan(by_ssh, cooldown_s=60)))
    until(lambda: going.now().steps.filter(state=Step.State.DONE).exists(), "the first step is done")
    jobs.cancel_job(going.now(), None)
    assert going.end(50).state == Job.State.CANCELLED
    assert Run.objects.count() == 1


@pytest.mark.once
def test_a_job_can_be_cancelled_while_it_switches(go, by_ssh):
    plan = livejobs.plan(by_ssh)
    plan.target.switches.update(argv=["sleep", "80"])
    going = go(livejobs.job(plan))
    until(lambda: by_ssh.running("tgt", "sleep"), "the switch command runs")
    jobs.cancel_job(going.now(), None)
    assert going.end(50).state == Job.State.CANCELLED
    assert not Run.objects.exists()


@pytest.mark.once
def test_what_is_being_stored_while_a_job_is_cancelled_is_kept(go, by_ssh, monkeypatch):
    def cancelled_meanwhile(job, *rest):
        jobs.cancel_job(Job.objects.get(pk=job.pk), None)
        store_session(job, *rest)

    monkeypatch.setattr("runs.remote.runner.store_session", cancelled_meanwhile)
    job = go(livejobs.job(livejobs.plan(by_ssh, cooldown_s=60))).end()
    assert job.state == Job.State.CANCELLED
    assert [*job.steps.values_list("state", flat=True)][:2] == [Step.State.DONE, Step.State.WAITING]
    assert Run.objects.get().requests_per_second


def test_a_cancelled_job_is_resumed_from_the_steps_that_are_missing(go, by_ssh):
    going = go(livejobs.job(livejobs.plan(by_ssh, ("a", "b"), levels=[1], repeats=1, requests=None, duration_s=2)))
    until(lambda: going.now().steps.filter(state=Step.State.DONE).exists(), "the first step is done")
    loading(by_ssh, going)
    jobs.cancel_job(going.now(), None)
    job = going.end()
    broken = jobs.find_begun_steps(job)
    assert [(step.variant, step.state) for step in broken] == [("b", Step.State.CANCELLED)]
    assert [step.pk for step in jobs.resume_job(job, None)] == [broken[0].pk]
    assert go(job).end().state == Job.State.DONE
    assert list(job.steps.values_list("variant", "state")) == [
        ("a", Step.State.DONE),
        ("b", Step.State.CANCELLED),
        ("b", Step.State.DONE),
    ]
    assert Run.objects.filter(experiment=job.experiment).count() == 2
    with pytest.raises(checks.Refused):
        jobs.resume_job(job, None)


@pytest.mark.once
def test_a_tool_that_is_not_on_the_generator_is_said_before_anything_is_sent(go, by_ssh):
    job = go(livejobs.job(livejobs.plan(by_ssh, generator=livejobs.generator("bare", name="bare1")))).end()
    assert (job.state, job.message) == (Job.State.FAILED, "bare1: ab: not found")
    assert set(job.steps.values_list("state", flat=True)) == {Step.State.WAITING}


@pytest.mark.once
def test_a_target_that_refuses_connections_fails_the_job_in_the_words_of_the_tool(go, by_ssh):
    of = livejobs.target(by_ssh)
    of.addresses.update(base=f"http://{by_ssh.load}.2:8099")
    job = go(livejobs.job(livejobs.plan(by_ssh, of=of))).end()
    assert job.state == Job.State.FAILED
    assert "apr_socket_recv: Connection refused (111)" in job.message
    assert "Connection refused" in job.steps.get(state=Step.State.FAILED).message


@pytest.mark.once
@pytest.mark.parametrize("host", ["gen", "tgt"])
def test_a_link_that_is_cut_during_a_load_fails_the_job_and_ends_it_on_the_host(go, by_ssh, host):
    going = go(livejobs.job(livejobs.long_plan(by_ssh, duration_s=90)))
    loading(by_ssh, going)
    with by_ssh.cut(host):
        until(lambda: not (by_ssh.loads() if host == "gen" else by_ssh.samplers("tgt")), "it has ended by itself", 80)
        if host == "tgt":  # the load goes on without it: what was measured is kept
            jobs.cancel_job(going.now(), None)
        job = going.end(80)
    assert job.state == (Job.State.FAILED if host == "gen" else Job.State.CANCELLED)
    if host == "gen":
        assert "The link to load" in job.message and "was lost" in job.message


@pytest.mark.once
def test_a_host_key_that_changed_fails_the_job_before_anything_is_sent(go, by_ssh):
    known = by_ssh.folder / "known_hosts"
    before = known.read_text()
    lines = before.splitlines()
    other = lines[1].split(" ", 1)[1]
    known.write_text("\n".join([f"{lines[0].split()[0]} {other}", *lines[1:]]) + "\n")
    try:
        job = go(livejobs.job(livejobs.plan(by_ssh))).end()
    finally:
        known.write_text(before)
    assert job.state == Job.State.FAILED
    assert "Host key verification failed" in job.message
    assert not Run.objects.exists()


@pytest.mark.once
def test_a_full_disk_on_the_generator_is_said_and_nothing_is_sent(go, by_ssh):
    full = by_ssh.folder / "full"
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "none", full], check=True)
    try:
        (full / "filler").write_bytes(b"x" * 8192)
        fields = {"method": "POST", "body": "x" * 20_000, "content_type": "text/plain"}
        plan = livejobs.plan(by_ssh, ("a",), generator=livejobs.generator("full"), **fields)
        job = go(livejobs.job(plan)).end()
        until(lambda: [file.name for file in full.iterdir()] == ["filler"], "nothing is left there")
    finally:
        subprocess.run(["umount", full], check=True)
    assert job.state == Job.State.FAILED
    assert "could not be written" in job.message and "No space left on device" in job.message
    assert not Run.objects.exists()


def test_a_worker_that_is_not_heard_of_loses_its_job_and_stops_when_it_wakes(go, by_ssh):
    going = go(livejobs.job(livejobs.long_plan(by_ssh)))
    loading(by_ssh, going)
    jobs.check_jobs(timezone.now() + timedelta(seconds=60))  # as if nothing had been heard for so long
    job = going.now()
    assert job.state == Job.State.LOST
    assert "no heartbeat" in job.message
    assert Target.objects.get().busy_with is None
    until(lambda: not by_ssh.loads(), "the load has ended", 50)
    going.end()
    assert going.now().state == Job.State.LOST
    assert list(job.steps.values_list("state", flat=True)) == [Step.State.LOST, Step.State.WAITING]


@pytest.mark.once
def test_a_worker_that_is_shut_down_leaves_its_job_to_be_resumed(go, by_ssh, monkeypatch):
    monkeypatch.setattr("runs.remote.jobs._stopping", threading.Event())
    going = go(livejobs.job(livejobs.long_plan(by_ssh)))
    loading(by_ssh, going)
    jobs.stop_all()
    job = going.end(50)
    assert (job.state, job.message.split(".")[0]) == (Job.State.LOST, "Its worker was shut down")


def test_a_database_that_is_away_for_some_seconds_loses_nothing(go, by_ssh):
    """Away from the middle of a load until after its end: the load is not sent again, its result is stored later."""
    fields = {"levels": [1], "repeats": 1, "requests": None, "duration_s": 3}
    going = go(livejobs.job(livejobs.plan(by_ssh, ("a", "b"), **fields)))
    loading(by_ssh, going)
    sent = set(by_ssh.loads())
    began = time.monotonic()
    _away(lambda: sent.update(by_ssh.loads()), seconds=5)
    assert time.monotonic() - began >= 5
    assert len(sent) == 1  # the one load went on, and none was begun
    job = going.end()
    assert job.state == Job.State.DONE, job.message
    assert Run.objects.filter(experiment=job.experiment).count() == 2
    assert job.steps.count() == 2


def _away(meanwhile: Callable[[], object], *, seconds: float) -> None:
    """Nobody gets at the database for so long."""
    begin, end = {"postgresql": _postgresql_away, "sqlite": _sqlite_away}[connection.vendor]()
    try:
        until_then = time.monotonic() + seconds
        while time.monotonic() < until_then:
            begin()
            meanwhile()
            time.sleep(0.1)
    finally:
        end()


def _postgresql_away() -> tuple[Callable[[], None], Callable[[], None]]:
    given = connection.settings_dict
    fields = {"host": given["HOST"], "port": given["PORT"], "user": given["USER"], "password": given["PASSWORD"]}
    connection.close()
    server = psycopg2.connect(dbname="postgres", **{name: value for name, value in fields.items() if value})
    server.autocommit = True
    cursor = server.cursor()
    cursor.execute(f'ALTER DATABASE "{given["NAME"]}" ALLOW_CONNECTIONS false')

    def begin() -> None:
        cursor.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [given["NAME"]])

    def end() -> None:
        with closing(server):
            cursor.execute(f'ALTER DATABASE "{given["NAME"]}" ALLOW_CONNECTIONS true')

    return begin, end


def _sqlite_away() -> tuple[Callable[[], None], Callable[[], None]]:
    """Its file is another's alone, and who waits gives up soon."""
    import sqlite3

    connection.close()
    connection.settings_dict["OPTIONS"]["timeout"] = 0.2
    holder = sqlite3.connect(connection.settings_dict["NAME"], timeout=20, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")

    def end() -> None:
        holder.rollback()
        holder.close()
        connection.settings_dict["OPTIONS"]["timeout"] = 20

    return (lambda: None), end
