"""What a person sees of a job, over rows as a running job leaves them. Nothing is executed here."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from runs.remote.job_progress import describe_progress
from runs.remote.models import Job
from runs.tests import factories
from runs.tests.remote import job_rows, rows

pytestmark = pytest.mark.django_db


def page(browser, job: Job) -> str:
    response = browser.get(job.get_absolute_url())
    assert response.status_code == 200
    return re.sub(r"\s+", " ", response.content.decode())


def seen(job: Job) -> str:
    return describe_progress(job, list(job.steps.all())).seen


def live(browser, job: Job, since: str = ""):
    return browser.get(f"/remote/jobs/{job.pk}/live/?seen={since}")


def words(response) -> list[str]:
    return [str(message) for message in response.context["messages"]]


def test_starting_a_plan_makes_a_job_and_leads_to_its_page(browser, runner, django_capture_on_commit_callbacks):
    plan = rows.plan()
    with django_capture_on_commit_callbacks() as sent:
        response = browser.post(f"/remote/plans/{plan.pk}/start/")
    job = Job.objects.get()
    assert response.url == job.get_absolute_url()
    assert (job.state, job.created_by, job.steps.count(), len(sent)) == ("queued", runner, 12, 1)


def test_a_plan_that_is_refused_is_not_started_and_the_reason_is_shown(browser):
    plan = rows.plan(requests=None)
    response = browser.post(f"/remote/plans/{plan.pk}/start/", follow=True)
    assert not Job.objects.exists()
    assert words(response)[0].startswith("Not started. ")


def test_only_who_may_run_plans_starts_cancels_and_resumes(onlooker):
    job = job_rows.job(state="lost")
    for path in (f"plans/{job.plan_id}/start", f"jobs/{job.pk}/cancel", f"jobs/{job.pk}/resume"):
        assert onlooker.post(f"/remote/{path}/").status_code == 403
    told = page(onlooker, job)
    assert "Run again" not in told and "Resume" not in told
    assert Job.objects.get().state == "lost"


def test_a_link_starts_and_cancels_nothing(browser):
    job = job_rows.job()
    for path in (f"plans/{job.plan_id}/start", f"jobs/{job.pk}/cancel"):
        assert browser.get(f"/remote/{path}/").status_code == 405


def test_job_pages_need_a_login_also_where_reading_is_public(client, settings):
    settings.PUBLIC_READ = True
    job = job_rows.job()
    for path in ("jobs/", f"jobs/{job.pk}/", f"jobs/{job.pk}/live/"):
        assert client.get(f"/remote/{path}").url.startswith("/login/")


def test_a_running_job_tells_its_step_and_the_tools_own_progress(browser):
    progress = {"done": 400, "of": 1000, "requests_per_second": 812.34}
    told = page(browser, job_rows.job(done=3, progress=progress))
    assert "Running 4 of 8: on, concurrency 1, repeat 2." in told
    assert "ab: 400 of 1,000 requests, 812.3 requests per s so far" in told
    assert '<progress class="share running" max="1" value="0.4250"' in told


@pytest.mark.parametrize(
    ("state", "brief"),
    [
        ("queued", "Queued."),
        ("connecting", "Connecting."),
        ("storing", "Storing 4 of 8: on"),
        ("done", "Done, 3 of 8 stored."),
        ("failed", "Failed, 3 of 8 stored."),
        ("cancelled", "Cancelled, 3 of 8 stored."),
        ("lost", "Lost, 3 of 8 stored."),
    ],
)
def test_every_state_is_told_in_words(browser, state, brief):
    assert brief in page(browser, job_rows.job(state=state))


def test_between_two_steps_it_tells_how_many_are_stored(browser):
    job = job_rows.job(state="storing")
    job.steps.filter(position=4).update(state="done")
    assert "Running, 4 of 8 stored." in page(browser, job)


def test_a_step_that_was_lost_and_run_again_counts_once(browser):
    job = job_rows.job(state="running", done=3)
    again = job.steps.get(position=4)
    job.steps.filter(pk=again.pk).update(state="lost")
    job.steps.create(position=4, variant=again.variant, level=again.level, repeat=again.repeat, state="running")
    assert "Running 4 of 8" in page(browser, job)


def test_a_stored_step_links_to_its_run(browser):
    job, made = job_rows.job(), factories.experiment()
    run = factories.run(factories.config(made, "closed"), text := factories.upload())
    job.steps.filter(position=1).update(upload=text)
    assert f'<a href="/runs/{run.pk}/"><data value="812.34">812.3</data></a>' in page(browser, job)


def test_what_failed_says_the_tools_own_words_first_and_then_what_helps(browser):
    job = job_rows.job(state="failed", message="sh: 1: ab: not found")
    told = page(browser, job)
    assert told.index("sh: 1: ab: not found") < told.index("Install ab on that machine: apt install apache2-utils")


def test_words_of_a_tool_are_shown_not_obeyed(browser):
    job = job_rows.job(state="failed", message="<script>alert(1)</script>", log="<img src=x>")
    told = page(browser, job)
    assert "&lt;script&gt;" in told and "<script>alert" not in told and "<img src=x>" not in told


def test_a_page_that_shows_all_is_sent_nothing(browser):
    job = job_rows.job()
    assert live(browser, job, seen(job)).status_code == 204


def test_progress_alone_sends_the_state_without_the_steps(browser):
    job = job_rows.job()
    before = seen(job)
    Job.objects.filter(pk=job.pk).update(progress={"done": 50, "of": 100})
    told = live(browser, job, before).content.decode()
    assert "50 of 100 requests" in told and 'id="steps"' not in told


def test_a_stored_step_sends_the_steps_too(browser):
    job = job_rows.job()
    before = seen(job)
    job.steps.filter(position=4).update(state="done", requests_per_second=900)
    told = live(browser, job, before).content.decode()
    assert 'id="steps" hx-swap-oob="true"' in told and "900" in told


def test_a_page_asks_again_until_the_job_is_over(browser):
    job = job_rows.job()
    assert 'hx-trigger="every 1s"' in page(browser, job) and 'http-equiv="refresh"' in page(browser, job)
    before = seen(job)
    Job.objects.filter(pk=job.pk).update(state="done")
    over = live(browser, job, before).content.decode()
    assert "Done" in over and "hx-get" not in over
    job.refresh_from_db()
    assert "hx-get" not in page(browser, job) and 'http-equiv="refresh"' not in page(browser, job)


@pytest.mark.parametrize("path", ["", "live/"])
def test_a_long_job_needs_as_many_queries_as_a_short_one(browser, path):
    counts = []
    for job in (job_rows.job(total=8), job_rows.job(total=80, done=60)):
        with CaptureQueriesContext(connection) as counted:
            assert browser.get(job.get_absolute_url() + path).status_code == 200
        counts.append(len(counted))
    assert counts[0] == counts[1] <= 6


def test_the_state_of_a_job_of_two_hundred_steps_is_a_few_kilobytes(browser):
    job = job_rows.job(total=200, done=60)
    before = seen(job)
    Job.objects.filter(pk=job.pk).update(progress={"done": 50, "of": 100})
    assert len(live(browser, job, before).content) < 4000


def test_cancelling_a_job_that_is_over_says_so(browser):
    job = job_rows.job(state="done", done=8)
    response = browser.post(f"/remote/jobs/{job.pk}/cancel/", follow=True)
    assert words(response) == ["Too late to cancel: the job is over."]


def test_a_queued_job_is_cancelled_at_once(browser):
    job = job_rows.job(state="queued", done=0)
    browser.post(f"/remote/jobs/{job.pk}/cancel/")
    job.refresh_from_db()
    assert job.state == "cancelled"


def test_a_running_job_is_asked_to_end(browser):
    job = job_rows.job()
    browser.post(f"/remote/jobs/{job.pk}/cancel/")
    told = page(browser, Job.objects.get())
    assert "Being cancelled" in told and 'id="cancel"' not in told


def test_resuming_asks_first_and_names_what_had_begun(browser):
    job = job_rows.job(state="lost", done=3)
    job.steps.filter(position=4).update(state="lost")
    asked = browser.get(f"/remote/jobs/{job.pk}/resume/").content.decode()
    assert "had already started" in asked and "on, concurrency 1, repeat 2" in asked
    assert "3 of 8 steps are done" in asked and "Run the 5 steps" in asked
    job.refresh_from_db()
    assert job.state == "lost"


def test_a_confirmed_resume_queues_the_job_again(browser, django_capture_on_commit_callbacks):
    job = job_rows.job(state="failed", done=3)
    with django_capture_on_commit_callbacks() as sent:
        browser.post(f"/remote/jobs/{job.pk}/resume/")
    job.refresh_from_db()
    assert (job.state, len(sent)) == ("queued", 1)
    assert job.steps.filter(state="done").count() == 3


def test_a_job_that_is_done_is_not_resumed(browser):
    job = job_rows.job(state="done", done=8)
    response = browser.post(f"/remote/jobs/{job.pk}/resume/", follow=True)
    assert "Nothing to resume" in words(response)[0]


def test_the_history_is_narrowed_by_state_plan_and_target(browser):
    running, failed = job_rows.job(name="first"), job_rows.job(state="failed", name="second")

    def shown(query: str) -> list[int]:
        return [job.pk for job, _ in browser.get(f"/remote/jobs/?{query}").context["jobs"]]

    assert shown("") == [failed.pk, running.pk]
    assert shown("state=failed") == [failed.pk]
    assert shown("state=active") == [running.pk]
    assert shown(f"plan={running.plan_id}") == [running.pk]
    assert shown(f"target={failed.target_id}&state=running") == []


def test_the_history_goes_on_by_key(browser):
    plan = rows.plan()
    made = [job_rows.job(plan, total=1, done=0, state="queued").pk for _ in range(53)]
    first = browser.get("/remote/jobs/")
    rest = browser.get(f"/remote/jobs/?{first.context['page'].next}")
    both = [job.pk for page in (first, rest) for job, _ in page.context["jobs"]]
    assert both == made[::-1]


def test_the_history_needs_as_many_queries_for_many_jobs_as_for_few(browser):
    counts = []
    for more in (1, 8):
        for _ in range(more):
            job_rows.job()
        with CaptureQueriesContext(connection) as counted:
            browser.get("/remote/jobs/")
        counts.append(len(counted))
    assert counts[0] == counts[1]


def test_the_history_answers_as_csv_and_a_job_as_json(browser):
    job = job_rows.job()
    assert "running" in browser.get("/remote/jobs.csv").content.decode()
    assert browser.get(f"/remote/jobs/{job.pk}.json").json()["rows"][0]["requests_per_second"] == 812.34


def test_the_first_page_tells_of_jobs_under_way(browser, client, settings):
    job = job_rows.job()
    told = browser.get("/").content.decode()
    assert f'<a href="/remote/jobs/{job.pk}/">' in told and "running 4 of 8" in told
    settings.PUBLIC_READ = True
    assert "/remote/jobs/" not in client.get("/").content.decode()


def test_an_experiment_tells_which_job_still_adds_to_it(browser):
    made = factories.mpm_experiment()
    job = job_rows.job(experiment=made)
    told = browser.get(made.get_absolute_url()).content.decode()
    assert "running 4 of 8" in told and 'hx-trigger="stored from:body"' in told
    Job.objects.filter(pk=job.pk).update(state="done")
    over = browser.get(made.get_absolute_url()).content.decode()
    assert "hx-get" not in over and "htmx-2.min.js" not in over


def test_an_experiment_is_fetched_anew_only_when_a_step_was_stored(browser):
    made = factories.mpm_experiment()
    job = job_rows.job(experiment=made)
    match = re.search(r'hx-get="(\S+adding\S+)"', browser.get(made.get_absolute_url()).content.decode())
    address = match.group(1).replace("&amp;", "&")
    assert browser.get(address).status_code == 204
    Job.objects.filter(pk=job.pk).update(state="storing")
    assert "HX-Trigger" not in browser.get(address)
    job.steps.filter(position=4).update(state="done")
    assert browser.get(address)["HX-Trigger"] == "stored"
    Job.objects.filter(pk=job.pk).update(state="done")
    over = browser.get(address)
    assert over["HX-Trigger"] == "stored" and "hx-get" not in over.content.decode()
