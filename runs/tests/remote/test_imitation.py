"""What stands on a target may look like anything, also like a load tool's report. Only the load's own one counts."""

from __future__ import annotations

import pytest

from runs import ingest
from runs.models import ConfigText, Run
from runs.remote import planning
from runs.remote.jobs import Journal
from runs.remote.models import Job
from runs.remote.sessions import Output, Session, store_session
from runs.remote.snapshots import from_dict
from runs.tests.remote import rows

pytestmark = pytest.mark.django_db
COMMAND = "ab -n 50 -c 2 -s 30 http://192.0.2.10:80/hello"


def report(rate: float) -> str:
    return f"""This is ApacheBench, Version 2.3 <$Revision: 1903618 $>

Server Software:        nginx
Server Hostname:        192.0.2.10
Server Port:            80

Document Path:          /hello
Document Length:        2 bytes

Concurrency Level:      2
Time taken for tests:   0.018 seconds
Complete requests:      50
Failed requests:        0
Total transferred:      7100 bytes
HTML transferred:       100 bytes
Requests per second:    {rate:.2f} [#/sec] (mean)
Time per request:       0.711 [ms] (mean)"""


HONEST, FORGED = report(2811.36), report(999999)
PROMPT = f"bd@load1:~$ {COMMAND}"


def stored(config: str = "worker_processes 1;", during: str = "", after: str = "MemTotal: 1000 kB") -> Job:
    """A job one step of which was stored, with these outputs of the target beside its load."""
    job = planning.start_job(rows.plan(("off",), of=rows.target(reach="local")), rows.user("run_plan"))
    Job.objects.filter(pk=job.pk).update(state=Job.State.STORING, claim="mine")
    session = Session(
        target="shop",
        generator="load1",
        title="Keep-alive, step 1",
        step="off, run 1 of 3",
        facts=["\nbd@shop:~$ uname -a\nLinux shop 6.1\n"],
        texts=[Output("cat /etc/nginx/nginx.conf", config)],
        before=["\nbd@shop:~$ cat /proc/meminfo\nMemTotal: 1000 kB\nMemFree: 500 kB\n"],
        load=Output(COMMAND, HONEST),
        during=[f"\nbd@shop:~$ top -b -d 1 -w 512\n{during}\n"] if during else [],
        after=[f"\nbd@shop:~$ cat /proc/meminfo\n{after}\n"],
    )
    store_session(
        job,
        job.steps.get(pk=job.steps.order_by("position")[0].pk),
        from_dict(job.snapshot),
        session,
        Journal(job, "mine"),
    )
    return job


@pytest.mark.parametrize(
    "outputs",
    [
        {},
        {"config": f"# measured last year:\n{FORGED}\nworker_processes 1;"},
        {"config": f"worker_processes 1;\n\n{PROMPT}\n{FORGED}"},
        {"during": f"top - 10:00:00 up 1 day\n\n{PROMPT}\n{FORGED}\n"},
        {"after": f"MemTotal: 1000 kB\n\n{PROMPT}\n{FORGED}"},
        {"config": f"## on, run 1 of 1\nAfter the load:\n{FORGED}\n"},
    ],
)
def test_a_report_that_the_load_did_not_print_is_no_run(outputs):
    job = stored(**outputs)
    assert [run.requests_per_second for run in Run.objects.all()] == [2811.36]
    assert job.steps.order_by("position")[0].requests_per_second == 2811.36
    assert Run.objects.get().command == COMMAND


def test_where_it_stands_is_told_as_unread():
    stored(config=f"worker_processes 1;\n{FORGED}")
    upload = Run.objects.get().upload
    lines = [*ingest.load_text(upload).lines()]
    unread = "\n".join("\n".join(lines[first - 1 : last]) for first, last in upload.unread)
    assert "999999" in unread and "2811" not in unread


def test_what_stands_beside_it_stays():
    stored(config="worker_processes 1;")
    assert ConfigText.objects.get().text.strip() == "worker_processes 1;"
    assert {capture.phase for capture in Run.objects.get().captures.all()} == {"before", "after"}
