"""Jobs from their start to their experiment: real ssh, ab, siege, bd's sampler and nginx, in a thread of this process."""

from __future__ import annotations

import re

import pytest

from runs import ingest
from runs.models import Capture, Config, ConfigText, Run
from runs.remote import jobs
from runs.remote.models import Job, Step, Target
from runs.selectors import comparison_data
from runs.series.clocks import seconds_of_day
from runs.tests.installation import until
from runs.tests.remote import livejobs, rows

PHASES = ("before", "during", "after")


def prompts(run: Run) -> list[str]:
    """What was typed in the session that the run is read from, in order."""
    return [line.split("$ ", 1)[1] for line in ingest.load_text(run.upload).lines() if line.startswith("bd@")]


def test_a_plan_of_two_configs_becomes_an_experiment_with_its_warm_ups_left_out(go, by_ssh):
    plan = livejobs.plan(by_ssh, repeats=2, warmups=1, levels=[4])
    job = go(livejobs.job(plan)).end()
    assert (job.state, job.message) == (Job.State.DONE, ""), job.log
    configs = list(Config.objects.filter(experiment=job.experiment).order_by("position"))
    assert [config.name for config in configs] == ["a", "b"]
    for config in configs:
        counted = config.runs.filter(counted=True)
        # With variant a nginx closes each connection, with b it keeps them: the switch puts each in place.
        assert {run.values.get("keepalive_requests", 0) > 0 for run in counted} == {config.name == "b"}
        found = sorted((run.concurrency, run.repeat) for run in counted)
        assert found == [(4, 1), (4, 2)]
        assert all(run.requests_per_second > 0 and run.complete_requests == 100 for run in counted)
        assert [run.repeat for run in config.runs.filter(counted=False)] == [0]
    assert Target.objects.get().busy_with is None
    assert set(job.steps.values_list("state", flat=True)) == {Step.State.DONE}
    # Each run shows its config file; pages have each file once.
    assert ConfigText.objects.filter(experiment=job.experiment).count() == 6
    assert len(comparison_data.load_experiment(job.experiment).texts) == 2


@pytest.mark.once
def test_beside_each_run_stands_what_bd_records_of_both_machines_and_its_config_file(go, by_ssh):
    job = go(livejobs.job(livejobs.plan(by_ssh, levels=[2], repeats=1, requests=None, duration_s=3))).end()
    assert job.state == Job.State.DONE, job.message
    for run in Run.objects.filter(experiment=job.experiment):
        beside = Capture.objects.filter(run=run)
        shown = {(capture.host_id == run.host_id, capture.tool, capture.phase) for capture in beside}
        sampled = ("proc_stat", "meminfo", "loadavg", "proc_net", "net_dev", "diskstats")
        for tool in sampled:
            assert {(is_target, tool, phase) for is_target in (True, False) for phase in PHASES} <= shown
        assert {
            (False, "times", "during"),
            (True, "top", "before"),
            (True, "top", "after"),
            (True, "ps", "after"),
        } <= shown
        stat = run.captures.get(tool="proc_stat", phase="during", host=run.host)
        assert stat.n_samples >= 2  # of a load of 3 s: a busy machine takes a sample less often than each second
        assert run.clock_start_s == seconds_of_day(stat.clock_first)
        assert run.clock_start_s < run.clock_end_s < run.clock_start_s + 20
        assert run.host.name == job.target.host.name
        assert run.host.cores and run.host.ram_kb
        text = ConfigText.objects.get(upload=run.upload)
        assert f"keepalive_timeout {0 if run.config.name == 'a' else 65};" in text.text
        assert text.config == run.config


@pytest.mark.once
def test_the_stored_session_is_what_bd_would_have_recorded(go, by_ssh):
    job = go(livejobs.job(livejobs.plan(by_ssh, ("a",), levels=[1], repeats=1))).end()
    run = Run.objects.get(experiment=job.experiment)
    assert run.upload.origin == "remote"
    lines = list(ingest.load_text(run.upload).lines())
    assert lines[0].startswith("# Recorded by bd") and "## a, run 1 of 1" in lines
    assert not [line for line in lines if "mark sampled" in line or "unset BD" in line]
    typed = prompts(run)
    assert "nginx -v" in typed and typed.count("uname -a") == 2
    load = typed.index(f"ab -n 100 -c 1 -k -s 30 {by_ssh.base}/")
    assert run.command == typed[load]
    assert f"cat {by_ssh.folder}/current.conf" in typed[:load]
    assert [line for line in typed if "while :;" in line] == typed[load + 1 : load + 3]
    assert typed.count("ps auxww") == 4 and typed[load + 3] == "times"
    assert abs(job.clock_offset_s) < 0.3 and "clocks" not in job.log  # both are this machine's


@pytest.mark.once
def test_another_tool_runs_too(go, by_ssh, needs):
    """That a load may last a time instead of a number of requests, the test of what stands beside each run shows."""
    needs("siege")
    job = go(livejobs.job(livejobs.plan(by_ssh, ("b",), tool="siege", levels=[2], repeats=1, requests=4000))).end()
    assert job.state == Job.State.DONE, job.message
    assert Run.objects.get(experiment=job.experiment).tool == "siege"


@pytest.mark.once
def test_a_body_and_a_secret_are_sent_and_the_secret_is_stored_nowhere(go, by_ssh, monkeypatch):
    monkeypatch.setenv("BENCHDASH_SECRET_API", "very-secret-value")
    fields = {"method": "POST", "body": "a=1\nb={secret:API}", "content_type": "text/plain", "path": "/"}
    fields["headers"] = [["Authorization", "Bearer {secret:API}"]]
    job = go(livejobs.job(livejobs.plan(by_ssh, ("a",), levels=[1], repeats=1, requests=5, **fields))).end()
    assert job.state == Job.State.DONE, job.message
    run = Run.objects.get(experiment=job.experiment)
    stored = "\n".join(ingest.load_text(run.upload).lines()) + job.log + str(job.snapshot)
    assert "very-secret-value" not in stored
    assert "{secret:API}" in run.command


@pytest.mark.once
def test_a_missing_secret_is_said_before_anything_is_sent(go, by_ssh, monkeypatch):
    monkeypatch.delenv("BENCHDASH_SECRET_API", raising=False)
    job = livejobs.job(livejobs.plan(by_ssh, headers=[["Authorization", "Bearer {secret:API}"]]))
    ended = go(job).end()
    assert ended.state == Job.State.FAILED
    assert "BENCHDASH_SECRET_API is not set" in ended.message
    assert not Run.objects.exists()


@pytest.mark.once
def test_a_redirect_is_not_followed(go, by_ssh, needs):
    """Nothing listens where it leads to: a tool that went there would fail."""
    for tool in ("ab", needs("siege") and "siege"):
        plan = livejobs.plan(by_ssh, ("a",), tool=tool, path="/away", levels=[1], repeats=1, requests=800)
        job = go(livejobs.job(plan)).end()
        assert job.state == Job.State.DONE, job.message


@pytest.mark.once
def test_it_goes_on_until_the_rate_is_known_narrowly_or_the_cap_is_reached(go, by_ssh):
    fields = {"levels": [1], "repeats": 2, "rse_limit_pct": 0.1, "most_repeats": 3}
    job = go(livejobs.job(livejobs.plan(by_ssh, ("a",), requests=20, **fields))).end()
    assert job.state == Job.State.DONE
    assert sorted(job.steps.values_list("repeat", flat=True)) == [1, 2, 3]


@pytest.mark.once
def test_a_switch_that_fails_ends_the_job_in_its_own_words(go, by_ssh):
    plan = livejobs.plan(by_ssh)
    plan.target.switches.filter(name="b").update(argv=["sh", "-c", "echo no such config >&2; exit 7"])
    job = go(livejobs.job(plan)).end()
    assert job.state == Job.State.FAILED
    assert job.message == "The switch command of b ended with status 7: no such config"
    assert Run.objects.filter(experiment=job.experiment).count() == 1  # what was measured before stays


def test_what_was_taken_back_since_the_job_was_made_is_not_done(go, by_ssh):
    def now_without(**taken):
        job = livejobs.job(livejobs.plan(by_ssh))
        Target.objects.filter(pk=job.target_id).update(**taken)
        return job

    fewer = now_without(most_requests=99)
    closed = now_without(readable=["/nowhere"])
    off = now_without(enabled=False)
    elsewhere, unswitched = now_without(), now_without()
    elsewhere.target.addresses.update(base="http://192.0.2.1:80")
    unswitched.target.switches.update(argv=["true"])
    for job, words in (
        (fewer, "exceeds the limits of"),
        (closed, "is in no folder that the target shows files from"),
        (off, "is disabled or was deleted"),
        (elsewhere, "is not on the target's list of addresses"),
        (unswitched, "The switch command of a no longer belongs to"),
    ):
        ended = go(job).end()
        assert ended.state == Job.State.FAILED
        assert words in ended.message
    assert not Run.objects.exists()


@pytest.mark.once
def test_a_name_that_the_generator_resolves_elsewhere_is_not_loaded(go, by_ssh):
    """The generator's own resolver says 127.0.0.1; the target was registered with another address."""
    of = livejobs.target(by_ssh)
    of.addresses.update(base="http://localhost:8080")
    ended = go(livejobs.job(livejobs.plan(by_ssh, ("a",), of=of))).end()
    assert ended.state == Job.State.FAILED
    assert re.search(r"On the load generator localhost is (127.0.0.1|::1).*registered as", ended.message)


@pytest.mark.once
def test_clocks_that_differ_are_said(go, by_ssh, monkeypatch):
    monkeypatch.setattr("runs.remote.sessions.CLOCK", ("date", "-d", "now + 5 seconds", "+%s.%N"))
    monkeypatch.setattr("runs.remote.runner.MOST_OFFSET_S", -1)
    job = go(livejobs.job(livejobs.plan(by_ssh, ("a",), levels=[1], repeats=1))).end()
    assert "The clocks of" in job.log


@pytest.mark.once
def test_generator_and_target_on_the_worker_itself_need_no_ssh(go, lab):
    """As after `make run`: the monitors look at this machine, whose one name stands at every prompt."""
    of = rows.target(f"http://{lab.ways['tgt']}.2:8080", reach=Target.Reach.LOCAL)
    of.addresses.update(resolved=[f"{lab.ways['tgt']}.2"])
    job = go(livejobs.job(rows.plan(("off",), of=of, levels=[1], repeats=1))).end()
    assert job.state == Job.State.DONE, job.message
    run = Run.objects.get(experiment=job.experiment)
    assert run.captures.filter(host=run.host, phase="before").count() > 5
    assert not run.captures.exclude(host=run.host).exists()


def test_two_jobs_for_one_target_run_one_after_the_other(go, by_ssh):
    of = livejobs.target(by_ssh)
    first = go(livejobs.job(livejobs.long_plan(by_ssh, of=of)))
    first.until(Job.State.RUNNING)
    waiting = livejobs.job(livejobs.plan(by_ssh, ("a",), of=of, levels=[1], repeats=1))
    assert go(waiting).end().state == Job.State.QUEUED
    waiting.refresh_from_db()
    assert waiting.message == f"It waits for job {first.job.pk} on the same target."
    assert jobs.check_jobs() == []
    jobs.cancel_job(first.now(), None)
    first.end()
    assert jobs.check_jobs() == [waiting.pk]
    assert go(waiting).end().state == Job.State.DONE


@pytest.mark.once
def test_two_jobs_of_one_generator_run_one_after_the_other(go, by_ssh):
    sender = livejobs.generator()
    first = go(livejobs.job(livejobs.long_plan(by_ssh, generator=sender)))
    first.until(Job.State.RUNNING)
    waiting = livejobs.job(livejobs.plan(by_ssh, generator=sender))
    assert go(waiting).end().message == f"It waits for job {first.job.pk} on the same load generator."


def test_a_message_that_comes_twice_runs_nothing_twice(go, by_ssh):
    job = livejobs.job(livejobs.plan(by_ssh, ("a",), levels=[1], repeats=2))
    both = [go(job), go(job)]
    assert {one.end().pk for one in both} == {job.pk}
    assert sorted(one.outcome for one in both) == [False, True]
    assert both[0].now().state == Job.State.DONE
    assert go(job).end().state == Job.State.DONE
    assert Run.objects.count() == 2  # and neither does a third, later on


@pytest.mark.once
def test_progress_is_told_while_a_load_runs(go, by_ssh):
    going = go(livejobs.job(livejobs.plan(by_ssh, ("a",), levels=[1], repeats=1, path="/slow", requests=400)))
    until(lambda: going.now().progress, "there is progress")
    told = going.now().progress
    assert "elapsed_s" in told or 0 < told["done"] <= told["of"] == 400
