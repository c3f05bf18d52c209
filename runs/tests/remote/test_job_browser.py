"""A job's page in a real browser while its rows change, as a worker would change them."""

from __future__ import annotations

import re
from typing import Any

import pytest

from runs.models import Job
from runs.tests import factories
from runs.tests.pages.test_browser import _static, no_sideways_scroll, page
from runs.tests.remote import job_rows

__all__ = ["_static", "page"]  # fixtures
ASKED = "performance.getEntriesByType('resource').filter((one) => one.name.includes('/live/')).length"


@pytest.fixture
def job(page: Any, live_server: Any) -> Job:
    """A running job, its page open."""
    made = job_rows.job(log="\n".join(f"12:00:{at:02}  line {at}" for at in range(60)))
    page.goto(live_server.url + made.get_absolute_url())
    return made


def test_the_page_follows_its_job_and_stops_asking_when_it_is_over(page: Any, job: Job) -> None:
    page.evaluate("window.neverReloaded = true")
    Job.objects.filter(pk=job.pk).update(progress={"done": 50, "of": 100})
    page.locator(".detail >> text=50 of 100 requests").wait_for()
    job.steps.filter(position=4).update(state="done", requests_per_second=912.3)
    page.locator("table.steps >> text=912.3").wait_for()
    Job.objects.filter(pk=job.pk).update(state="done")
    page.locator(".sentence >> text=Done, 4 of 8 stored").wait_for()
    page.wait_for_function("document.title.includes('done, 4 of 8 stored')")
    assert "done, 4 of 8 stored" in page.locator("#said").inner_text()
    assert page.evaluate("window.neverReloaded")
    assert no_sideways_scroll(page)
    asked = page.evaluate(ASKED)
    page.wait_for_timeout(2500)
    assert page.evaluate(ASKED) == asked > 0


def test_a_session_that_ended_leads_to_the_login_page(page: Any, job: Job) -> None:
    page.context.clear_cookies()
    Job.objects.filter(pk=job.pk).update(progress={"done": 50, "of": 100})
    page.wait_for_url(re.compile(r"/login/\?next=/remote/jobs/"))


def test_an_experiments_charts_are_drawn_anew_when_a_step_is_stored(page: Any, job: Job, live_server: Any) -> None:
    made = factories.mpm_experiment()
    Job.objects.filter(pk=job.pk).update(experiment=made)
    page.goto(live_server.url + made.get_absolute_url())
    page.locator("#chart-throughput .main-svg").first.wait_for()
    bars = "#chart-throughput .barlayer .point"
    before = page.locator(bars).count()
    config = factories.config(made, "prefork")
    factories.run(config, factories.upload(), requests_per_second=9000.0, concurrency=1000)
    job.steps.filter(position=4).update(state="done")
    page.locator("#comparison >> text=prefork").first.wait_for()
    page.wait_for_function(f"document.querySelectorAll('{bars}').length === {before + 1}")
    assert page.locator(".plot .main-svg").count() == 3 * page.locator(".plot").count()
    assert no_sideways_scroll(page)
