"""Plans started and jobs followed by a script, over rows as a running job leaves them. Nothing is executed here."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from runs.accounts import make_token
from runs.remote.models import Job
from runs.tests import factories
from runs.tests.remote import job_rows, rows

pytestmark = pytest.mark.django_db
API = "/api/v1/"


def client_of(user: Any) -> Client:
    """A script with a token of this user's."""
    _, secret = make_token(user=user, name="script")
    return Client(headers={"Authorization": f"Bearer {secret}"})


@pytest.fixture
def script(runner: Any) -> Client:
    made = client_of(runner)
    made.get(f"{API}jobs/")  # the first use of a token is written down
    return made


@pytest.fixture
def reader(db: None) -> Client:
    return client_of(rows.user())


def get(script: Client, path: str) -> Any:
    answer = script.get(API + path)
    assert answer.status_code == 200, answer.content
    return answer.json()


def messages(answer: Any) -> list[str]:
    return [error["message"] for error in answer.json()["errors"]]


def test_a_plan_is_started_and_its_job_followed(script, django_capture_on_commit_callbacks):
    plan = rows.plan()
    with django_capture_on_commit_callbacks() as sent:
        answer = script.post(f"{API}plans/{plan.pk}/start/")
    job = Job.objects.get()
    assert (answer.status_code, len(sent)) == (202, 1)
    assert answer["Location"] == f"http://testserver/api/v1/jobs/{job.pk}/"
    assert (answer.json()["state"], answer.json()["n_steps"]) == ("queued", 12)
    assert get(script, f"jobs/{job.pk}/")["id"] == job.pk


def test_a_plan_that_is_refused_says_every_fault_in_the_one_shape(script):
    answer = script.post(f"{API}plans/{rows.plan(requests=None).pk}/start/")
    assert answer.status_code == 422
    assert messages(answer) and answer.json()["errors"][0]["line"] is None
    assert not Job.objects.exists()


@pytest.mark.parametrize("what", ["plans/{plan}/start/", "jobs/{job}/cancel/", "jobs/{job}/resume/"])
def test_who_may_not_run_plans_reads_but_starts_nothing(reader, what):
    job = job_rows.job(state="lost")
    answer = reader.post(API + what.format(plan=job.plan_id, job=job.pk))
    assert answer.status_code == 403
    assert messages(answer) == ["This user lacks the permission run_plan."]
    assert get(reader, f"jobs/{job.pk}/")["state"] == "lost"
    assert Job.objects.count() == 1


@pytest.mark.parametrize("name", ["plans", "jobs", "targets", "generators"])
def test_they_need_a_login_also_where_reading_is_public(client, settings, name):
    settings.PUBLIC_READ = True
    assert client.get(f"{API}{name}/").status_code == 401


def test_a_job_tells_its_steps_their_runs_and_where_the_comparison_is(script):
    made = factories.experiment()
    run = factories.run(factories.config(made, "off"), text := factories.upload())
    job = job_rows.job(experiment=made, log="12:00:00  off, concurrency 1\n", progress={"done": 40, "of": 100})
    job.steps.filter(position=1).update(upload=text)
    told = get(script, f"jobs/{job.pk}/")
    assert told["summary"] == "running 4 of 8" and told["progress"] == {"done": 40.0, "of": 100.0}
    assert told["experiment_url"] == f"http://testserver/experiments/{made.pk}/"
    first = told["steps"][0]
    assert (first["config"], first["concurrency"], first["repeat"], first["state"]) == ("off", 1, 1, "done")
    assert (first["requests_per_second"], first["run_id"]) == (812.34, run.pk)
    assert first["run_url"] == f"http://testserver/api/v1/runs/{run.pk}/"
    assert told["steps"][3]["run_url"] is None
    assert told["log"].startswith("12:00:00")


def test_jobs_are_narrowed_by_what_is_asked(script):
    running, failed = job_rows.job(), job_rows.job(state="failed")

    def ids(query: str) -> list[int]:
        return [row["id"] for row in get(script, f"jobs/?{query}")["results"]]

    assert ids("") == [failed.pk, running.pk]
    assert ids("state=active") == [running.pk]
    assert ids("state=failed") == [failed.pk]
    assert ids(f"plan={running.plan_id}") == [running.pk]
    assert script.get(f"{API}jobs/?state=asleep").status_code == 400


def test_a_load_that_was_begun_is_run_again_only_when_the_script_says_so(script, django_capture_on_commit_callbacks):
    job = job_rows.job(state="lost")
    job.steps.filter(position=4).update(state="lost")
    refused = script.post(f"{API}jobs/{job.pk}/resume/")
    assert refused.status_code == 409
    assert messages(refused) == ["on, concurrency 1, repeat 2 had started; send again=yes to run it again."]
    assert Job.objects.get().state == "lost"
    with django_capture_on_commit_callbacks() as sent:
        answer = script.post(f"{API}jobs/{job.pk}/resume/?again=yes")
    assert (answer.status_code, answer.json()["state"], len(sent)) == (202, "queued", 1)


def test_a_job_that_is_over_is_neither_cancelled_nor_resumed(script):
    job = job_rows.job(state="done", done=8)
    for verb in ("cancel", "resume"):
        assert script.post(f"{API}jobs/{job.pk}/{verb}/").status_code == 409


def test_a_running_job_is_asked_to_end(script):
    job = job_rows.job()
    answer = script.post(f"{API}jobs/{job.pk}/cancel/")
    assert answer.status_code == 202 and answer.json()["cancel_requested_at"]
    assert answer.json()["summary"] == "being cancelled"


def test_targets_tell_what_may_be_loaded_but_not_how_they_are_reached(script):
    rows.target(reach="ssh", ssh_destination="root@inside", identity_file="/keys/id")
    told = get(script, "targets/")["results"][0]
    assert told["addresses"] == [rows.BASE] and told["most_requests"] == 100_000
    rows.generator(kind="ssh", ssh_destination="load@inside", identity_file="/keys/id")
    both = str(told) + str(get(script, "generators/"))
    assert "inside" not in both and "/keys" not in both


def test_a_plan_tells_its_levels_and_variants(script):
    told = get(script, f"plans/{rows.plan().pk}/")
    assert (told["concurrency"], told["address"]) == ([1, 10], rows.BASE)
    assert [(one["name"], one["keepalive"]) for one in told["variants"]] == [("off", False), ("on", True)]


@pytest.mark.parametrize("name", ["plans", "jobs", "targets", "generators"])
def test_every_list_takes_as_many_queries_for_many_rows_as_for_few(script, name):
    counts = []
    for more in (1, 6):
        for _ in range(more):
            job_rows.job()
        with CaptureQueriesContext(connection) as counted:
            get(script, f"{name}/?limit=100")
        counts.append(len(counted))
    assert counts[0] == counts[1]


def test_a_long_job_takes_as_many_queries_as_a_short_one(script):
    counts = []
    for job in (job_rows.job(), job_rows.job(total=80, done=60)):
        with CaptureQueriesContext(connection) as counted:
            get(script, f"jobs/{job.pk}/")
        counts.append(len(counted))
    assert counts[0] == counts[1]


def test_the_schema_describes_starting_and_following(script):
    paths = script.get(f"{API}schema/?format=json").json()["paths"]
    assert {"202", "403", "422"} <= set(paths["/api/v1/plans/{id}/start/"]["post"]["responses"])
    assert {"202", "403", "409"} <= set(paths["/api/v1/jobs/{id}/resume/"]["post"]["responses"])
    assert {"state", "plan", "target", "experiment"} <= {
        one["name"] for one in paths["/api/v1/jobs/"]["get"]["parameters"]
    }
