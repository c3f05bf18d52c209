"""Jobs through real Celery workers: on a real Redis, and on the file-system broker that `make run` has."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from benchdash.tests.services import ROOT
from runs import tasks
from runs.models import Config, Run
from runs.remote import jobs
from runs.remote.models import Job, LoadGenerator, Step
from runs.tests.installation import WITHIN_S, until
from runs.tests.remote import livejobs, rows


def state(job) -> str:
    return Job.objects.get(pk=job.pk).state


def reaches(job, wanted: str, site) -> None:
    until(lambda: state(job) == wanted, f"{wanted}; it was {Job.objects.get(pk=job.pk).message}\n{site.said()}")


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()


def loads_worker(supervisor: subprocess.Popen[bytes]) -> int:
    until(lambda: len(children(supervisor.pid)) == 2, "both workers are started")
    return next(pid for pid in children(supervisor.pid) if "loads@" in command(pid))


def test_a_plan_that_is_started_while_the_broker_is_down_says_so_and_goes_through_a_worker_to_its_experiment(
    lab, site, sending, queue
):
    """2 configs at 2 levels: requests per second in every column."""
    queue.stop()
    job = livejobs.job(livejobs.plan(lab, repeats=1))
    tasks.send_on_commit(job)
    job.refresh_from_db()
    assert (job.state, job.message) == (
        Job.State.QUEUED,
        "The queue's server does not answer; the job is sent as soon as it does.",
    )
    queue.start()
    site.start("worker")
    reaches(job, Job.State.DONE, site)
    job.refresh_from_db()
    columns = Config.objects.filter(experiment=job.experiment)
    assert [config.name for config in columns] == ["a", "b"]
    for config in columns:
        rates = config.runs.filter(counted=True).values_list("concurrency", "requests_per_second")
        assert sorted(level for level, _ in rates) == [1, 4]
        assert all(rate > 0 for _, rate in rates)


@pytest.mark.once
def test_a_worker_killed_in_the_middle_of_a_load_is_noticed_and_the_rest_resumed(lab, site, sending):
    supervisor = site.start("worker")
    job = livejobs.job(livejobs.long_plan(lab, duration_s=45, repeats=1))
    tasks.send_on_commit(job)
    until(lambda: lab.loads(), f"ab runs\n{site.said()}")
    os.kill(loads_worker(supervisor), signal.SIGKILL)
    until(lambda: not lab.loads() and not lab.samplers("tgt"), "what it ran has ended", 35)
    assert supervisor.wait(WITHIN_S) == 1  # whoever started it is told
    site.start("worker")
    site.celery("beat", "--loglevel", "WARNING")
    reaches(job, Job.State.LOST, site)
    assert not lab.left()
    assert [step.state for step in job.steps.all()] == [Step.State.LOST, Step.State.WAITING]
    Job.objects.filter(pk=job.pk).update(snapshot={**job.snapshot, "duration_s": 1})
    assert len(jobs.resume_job(Job.objects.get(pk=job.pk), None)) == 1
    tasks.send_on_commit(job)
    reaches(job, Job.State.DONE, site)
    assert Run.objects.count() == 2


@pytest.mark.once
def test_a_broker_that_goes_away_during_a_job_does_not_disturb_it(lab, site, sending, queue):
    site.start_loads()
    fields = {"levels": [2], "repeats": 1, "requests": None, "duration_s": 4}
    job = livejobs.job(livejobs.plan(lab, ("a",), **fields))
    tasks.send_on_commit(job)
    until(lambda: lab.loads(), f"ab runs\n{site.said()}")
    queue.stop()
    reaches(job, Job.State.DONE, site)
    queue.start()
    again = livejobs.job(livejobs.plan(lab, ("a",), levels=[1], repeats=1))
    tasks.send_on_commit(again)
    reaches(again, Job.State.DONE, site)
    assert Run.objects.count() == 2  # the first message comes again when the broker is back: it runs nothing


@pytest.mark.once
def test_a_generators_own_worker_takes_what_is_to_be_sent_from_there_and_nothing_else(lab, site, sending):
    site.start("worker", "--host", "load7")
    other = livejobs.job(livejobs.plan(lab, ("a",), levels=[1], repeats=1))  # by ssh, from any worker
    own = rows.generator(name="load7", kind=LoadGenerator.Kind.WORKER)
    of = rows.target(f"http://{lab.ways['tgt']}.2:8080")
    of.addresses.update(resolved=[f"{lab.ways['tgt']}.2"])
    job = livejobs.job(rows.plan(("off",), of=of, levels=[1], repeats=1, generator=own))
    for each in (other, job):
        tasks.send_on_commit(each)
    reaches(job, Job.State.DONE, site)
    assert state(other) == Job.State.QUEUED


@pytest.mark.once
def test_on_the_file_system_broker_each_worker_has_its_own_queue(tmp_path, lab, database):
    """A generator may be called like a queue of every installation."""
    code = """
import django; django.setup()
from benchdash.celery import app
from runs.tasks import run_job
for queue in ("remote", "load.remote", "load.celery", "celery", "load.local"):
    run_job.apply_async((1,), queue=queue)
with app.connection() as connection:
    print({queue: [connection.default_channel.basic_get(queue) is not None for _ in range(2)]
           for queue in ("load.remote", "remote", "load.celery", "celery", "load.local")})
"""
    env = {
        "PATH": os.environ["PATH"],
        "DATA_DIR": str(tmp_path / "data"),
        "DJANGO_SETTINGS_MODULE": "benchdash.settings",
    }
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, timeout=60)
    one_each = dict.fromkeys(("load.remote", "remote", "load.celery", "celery", "load.local"), [True, False])
    assert done.stdout.strip() == str(one_each), done.stderr
