"""A job's page in a real browser while its rows change, as a worker would change them.

The page's clock stands still and is moved by hand, so that the page looks when the test lets it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from runs.remote.models import Job
from runs.tests import factories
from runs.tests.pages.test_browser import _static, chromium, no_sideways_scroll, page
from runs.tests.remote import job_rows

__all__ = ["_static", "chromium", "page"]  # fixtures
A_LOOK_MS = 2100  # the longest time between two looks


@pytest.fixture
def under_way(page: Any) -> Iterator[set[str]]:
    """What the page has asked for and not got yet. Nothing is, when the test ends: its database could not be closed."""
    asked: set[str] = set()
    page.on("request", lambda request: asked.add(request.url))
    for over in ("requestfinished", "requestfailed"):
        page.on(over, lambda request: asked.discard(request.url))
    yield asked
    wait_for(page, lambda: not asked)


@pytest.fixture
def job(page: Any, under_way: set[str], live_server: Any) -> Job:
    """A running job, its page open."""
    made = job_rows.job(log="\n".join(f"12:00:{at:02}  line {at}" for at in range(60)))
    page.clock.install()
    page.goto(live_server.url + made.get_absolute_url())
    page.clock.pause_at("2099-01-01")
    wait_for(page, lambda: not under_way)
    return made


def look(page: Any, under_way: set[str], until: str) -> None:
    """Let the page look once, and wait until this JavaScript is true of it."""
    page.clock.run_for(A_LOOK_MS)
    wait_for(page, lambda: page.evaluate(until) and not under_way)


def wait_for(page: Any, true: Callable[[], bool]) -> None:
    for _ in range(80):
        if true():
            return
        page.wait_for_timeout(250)
        page.clock.run_for(10)  # swapped parts settle, but nothing new is asked for
    raise AssertionError(f"It did not become true; the page says: {page.inner_text('main')}")


def says(selector: str, text: str) -> str:
    return f"document.querySelector('{selector}')?.textContent.includes('{text}')"


def test_the_page_follows_its_job_and_stops_asking_when_it_is_over(page: Any, job: Job, under_way: set[str]) -> None:
    page.evaluate("window.neverReloaded = true")
    Job.objects.filter(pk=job.pk).update(progress={"done": 50, "of": 100})
    look(page, under_way, says(".detail", "50 of 100 requests"))
    job.steps.filter(position=4).update(state="done", requests_per_second=912.3)
    look(page, under_way, says("table.steps", "912.3"))
    Job.objects.filter(pk=job.pk).update(state="done")
    look(page, under_way, "document.title.includes('done, 4 of 8 stored')")
    assert page.locator(".sentence").inner_text() == "Done, 4 of 8 stored."
    assert "done, 4 of 8 stored" in page.locator("#said").inner_text()
    assert page.evaluate("window.neverReloaded")
    assert no_sideways_scroll(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.clock.run_for(10_000)
    page.wait_for_timeout(300)
    assert asked == []


def test_a_session_that_ended_leads_to_the_login_page(page: Any, job: Job, under_way: set[str]) -> None:
    page.context.clear_cookies()
    page.clock.run_for(A_LOOK_MS)
    page.wait_for_url(re.compile(r"/login/\?next=/remote/jobs/"), wait_until="commit")


def test_an_experiments_charts_are_drawn_anew_when_a_step_is_stored(
    page: Any, job: Job, under_way: set[str], live_server: Any
) -> None:
    made = factories.mpm_experiment()
    Job.objects.filter(pk=job.pk).update(experiment=made)
    page.goto(live_server.url + made.get_absolute_url())
    bars = "document.querySelectorAll('.fig g.b').length"
    look(page, under_way, f"{bars} === 4")
    config = factories.config(made, "prefork")
    factories.run(config, factories.upload(), requests_per_second=9000.0, concurrency=1000)
    job.steps.filter(position=4).update(state="done")
    look(page, under_way, f"{bars} === 5")
    assert "prefork" in page.locator("#table").inner_text()
    assert no_sideways_scroll(page)
