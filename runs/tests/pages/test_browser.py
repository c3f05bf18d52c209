"""What a person does, in a real browser: paste a seed, look at the preview, save, see the charts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connections
from django.test import Client

from runs.models import Experiment, Host, Upload
from runs.tests import factories

ARGUMENTS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
WITHIN_MS = 120_000  # for what takes a second on a machine that does nothing else


@pytest.fixture(scope="module")
def _static() -> None:
    """The test server gives out what was collected."""
    from django.core.management import call_command

    call_command("collectstatic", interactive=False, verbosity=0)


@pytest.fixture(scope="module")
def chromium(needs: Any, django_db_setup: None) -> Iterator[Any]:
    """The browser of a module's tests, each of which has a profile of its own."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=WITHIN_MS)
    # Playwright's loop runs in this thread, which Django takes for asynchronous code.
    with sync_playwright() as play, pytest.MonkeyPatch.context() as patch:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        started = play.chromium.launch(executable_path=needs("chromium"), args=ARGUMENTS)
        yield started
        # While the loop runs, Django gives this thread connections of its own, which nothing but this sees.
        connections.close_all()
        started.close()


@pytest.fixture
def page(_static: None, chromium: Any, live_server: Any, django_user_model: Any) -> Iterator[Any]:
    """A page at 400 px, logged in; what the browser complains of fails the test."""
    session = Client()
    session.force_login(django_user_model.objects.create_user("reader"))
    complaints: list[str] = []
    made = chromium.new_page(viewport={"width": 400, "height": 800})
    made.set_default_timeout(WITHIN_MS)
    made.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    made.on("pageerror", lambda error: complaints.append(str(error)))
    cookie = {"name": settings.SESSION_COOKIE_NAME, "value": session.cookies[settings.SESSION_COOKIE_NAME].value}
    made.context.add_cookies([{**cookie, "url": live_server.url}])
    made.goto(live_server.url)
    yield made
    made.close()
    assert complaints == []


def no_sideways_scroll(page: Any) -> bool:
    """True where the loaded page is as narrow as its window: until its styles are there, a page is wider."""
    page.wait_for_load_state()
    return bool(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))


def save_preview(page: Any) -> None:
    """From the filled-in form to the experiment's page."""
    page.click("text=Preview")
    page.click("button[value=save]")
    page.wait_for_url("**/experiments/*/")


def see_charts(page: Any) -> None:
    """Go down the page: a chart is drawn when the reader comes near it."""
    for plot in page.locator(".plot:visible").all():
        plot.scroll_into_view_if_needed()
        plot.locator("svg").first.wait_for()


def test_a_seed_is_pasted_previewed_saved_and_drawn(page: Any, shared: Path) -> None:
    seed = next((shared / "seeds").glob("003*.txt"))
    page.fill("textarea[name=text]", seed.read_text(encoding="utf-8"))
    assert no_sideways_scroll(page)
    page.click("text=Preview")
    page.locator(".config").nth(3).wait_for()
    assert no_sideways_scroll(page)
    page.locator("input[name$=':name']").first.fill("Two MPMs")
    page.click("button[value=save]")
    page.wait_for_url("**/experiments/*/")
    assert page.locator("h1").inner_text() == "Two MPMs"
    assert "failed 17.3\xa0%" in page.locator(".big").inner_text()
    page.locator(".chips summary.fatal").click()
    assert "172,849 of 1,000,000 requests failed" in page.locator(".doubts .fatal").inner_text()
    see_charts(page)
    assert page.locator("#chart-latency .chart-key button").count() == 4
    assert no_sideways_scroll(page)


def test_a_figure_leads_to_its_line(page: Any, shared: Path, live_server: Any) -> None:
    seed = next((shared / "seeds").glob("003*.txt"))
    page.set_input_files("input[type=file]", str(seed))
    save_preview(page)
    page.locator(".keytable tbody a").first.click()
    page.wait_for_url(re.compile(r"/uploads/\d+/#L\d+"))
    page.locator("li:target").wait_for()
    assert no_sideways_scroll(page)
    assert all(request.startswith(live_server.url) for request in page.evaluate(REQUESTS))


def test_a_long_name_in_a_charts_legend_is_wrapped_on_a_phone(page: Any, live_server: Any) -> None:
    made, text = factories.experiment("two indexes"), factories.upload()
    for name in ("no index", "with an index on first_name and second_name together, as the plan of the query wants it"):
        times = {"50": 3.0, "95": 9.0, "99": 12.0}
        factories.run(factories.config(made, name), text, percentiles_ms=times, concurrency=10, complete_requests=5000)
    page.goto(live_server.url + made.get_absolute_url())
    assert page.locator("#chart-latency .chart-key button").count() == 2
    assert no_sideways_scroll(page)


def test_names_without_spaces_of_a_stranger_never_scroll_sideways(page: Any, live_server: Any) -> None:
    host, path = "h" * 200, "p" * 300
    report = f"""Server Hostname: {host}
Server Port: 80
Document Path: /{path}
Concurrency Level: 10
Time taken for tests: 1.0 seconds
Complete requests: 1000
Failed requests: 0
Requests per second: 900.5 [#/sec] (mean)
Time per request: 10.0 [ms] (mean)
"""
    names = ("A" * 5000, "A" * 5000, "a" + "\u0301" * 300, "a" + "\u0301" * 300, "x=1 " + "y" * 4000)
    page.fill(
        "textarea[name=text]",
        "\n".join(f"## {name}\n\n$ ab -n 1000 -c 10 http://{host}/{path}\n{report}" for name in names),
    )
    page.click("text=Preview")
    page.locator(".config").nth(1).wait_for()
    assert no_sideways_scroll(page)
    page.click("button[value=save]")
    page.wait_for_url("**/experiments/*/")
    Upload.objects.update(name="f" * 250)
    urls = [live_server.url + row.get_absolute_url() for model in (Experiment, Host) for row in model.objects.all()]
    for url in (*urls, f"{live_server.url}/runs/?config={'W' * 280}"):
        for width in (400, 1280):
            page.set_viewport_size({"width": width, "height": 800})
            page.goto(url)
            assert no_sideways_scroll(page), (url, width)


def test_six_configs_with_long_names_fit_a_wide_page(page: Any, live_server: Any) -> None:
    made, text = factories.experiment("a sweep of six"), factories.upload()
    for workers in (1, 2, 3, 4, 6, 8):
        config = factories.config(made, f"WEB_CONCURRENCY={workers}")
        factories.run(config, text, requests_per_second=141.0 * workers, mean_ms=400.0 / workers, failed_requests=0)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(live_server.url + made.get_absolute_url())
    page.locator(".keytable .spread").first.wait_for()
    assert no_sideways_scroll(page)


REQUESTS = "performance.getEntriesByType('resource').map((entry) => entry.name)"


def test_a_doubt_is_overruled_and_withdrawn_with_the_keyboard(page: Any, shared: Path) -> None:
    page.set_input_files("input[type=file]", str(next((shared / "seeds").glob("003*.txt"))))
    save_preview(page)
    page.locator(".chips summary.fatal").press("Enter")
    page.locator(".doubts .fatal summary").press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("the page is of changing length")
    page.keyboard.press("Enter")
    page.locator(".chips summary", has_text="counted anyway").press("Enter")
    page.locator(".doubts .overruled").wait_for()
    page.locator(".override", has_text="counted anyway by reader").wait_for()
    assert "failed" not in page.locator(".big").inner_text()
    page.locator(".override button").press("Enter")
    page.locator(".doubts .fatal").wait_for(state="attached")
    assert no_sideways_scroll(page)


def test_the_exported_file_opens_alone_and_asks_nothing(page: Any, shared: Path, tmp_path: Path) -> None:
    page.set_input_files("input[type=file]", str(next((shared / "seeds").glob("004*.txt"))))
    save_preview(page)
    kept = tmp_path / "post.html"
    kept.write_text(page.request.get(page.url.rstrip("/") + ".html").text(), encoding="utf-8")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(kept.as_uri())
    assert asked == [kept.as_uri()]
    page.locator("svg.bd").first.wait_for()
    assert no_sideways_scroll(page)


def test_on_a_phone_all_pages_are_in_the_bar_and_the_top_of_a_page_has_its_first_tab(page: Any, shared: Path) -> None:
    from playwright.sync_api import expect

    page.set_input_files("input[type=file]", str(next((shared / "seeds").glob("003*.txt"))))
    save_preview(page)
    expect(page.get_by_role("link", name="Remote")).to_be_in_viewport(ratio=1)
    current = page.locator(".tabs [aria-current]")
    page.locator("#chart-latency").evaluate("part => part.scrollIntoView()")
    expect(current).to_have_text("Latency")
    page.evaluate("scrollTo(0, 0)")
    expect(current).to_have_text("Overview")
