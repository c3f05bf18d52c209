"""From a fresh `manage.py serve` to a comparison that fills in live: real processes, a real browser, real ab.

The load goes from this machine to this machine: 8 runs of 40 requests.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from runs.tests.commands.test_serve import port, read_until, start
from runs.tests.pages.test_browser import ARGUMENTS, no_sideways_scroll

A_JOB_MS = 240_000
__all__ = ["port"]  # a fixture


@pytest.fixture
def first_password(tmp_path: Path, port: int) -> Iterator[str]:
    """Admin's password of a first start on a data folder of its own."""
    with start(tmp_path / "data", port) as process:
        try:
            said = read_until(process, "Ctrl-C stops it.")
            (password,) = re.findall(r"Log in as admin with the password (\S+) ", said)
            yield password
        finally:
            process.terminate()
            _drain(process)


def _drain(process: subprocess.Popen[str]) -> None:
    process.communicate(timeout=60)


@pytest.fixture
def page(needs: Any, first_password: str, port: int) -> Iterator[Any]:
    """A page at 400 px, logged in; what the browser complains of fails the test."""
    from playwright.sync_api import sync_playwright

    needs("ab")
    complaints: list[str] = []
    expect.set_options(timeout=A_JOB_MS)
    with sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=needs("chromium"), args=ARGUMENTS)
        made = chromium.new_page(viewport={"width": 400, "height": 800})
        made.set_default_timeout(A_JOB_MS)
        made.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        made.on("pageerror", lambda error: complaints.append(str(error)))
        made.goto(f"http://localhost:{port}/login/")
        made.fill("input[name=username]", "admin")
        made.fill("input[name=password]", first_password)
        made.press("input[name=password]", "Enter")
        made.wait_for_url(f"http://localhost:{port}/")
        yield made
        chromium.close()
    assert complaints == []


def test_a_new_user_registers_this_machine_and_sees_the_comparison_fill_in(page: Any, port: int) -> None:
    page.click("nav >> text=Remote")
    page.click("text=Register this machine")
    page.wait_for_url("**/remote/plans/*/")
    assert no_sideways_scroll(page)
    page.click("main >> text=Change")  # a short break between two runs, for the test's sake
    page.fill("input[name=cooldown_s]", "0")
    page.fill("input[name=requests]", "40")
    page.fill("input[name=repeats]", "2")
    page.fill("input[name=warmups]", "0")
    page.click("text=Save and preview")
    page.wait_for_url("**/remote/plans/*/")
    page.click("#start")
    page.wait_for_url("**/remote/jobs/*/")
    page.evaluate("window.neverReloaded = true")

    # The job's page tells how far it is, by itself.
    page.get_by_text(re.compile(r"Running \d+ of 8")).wait_for()
    assert no_sideways_scroll(page)
    page.locator("table.steps tr.done td.r a").first.wait_for()
    page.wait_for_function("/running|storing/.test(document.title)")
    assert page.evaluate("window.neverReloaded")

    # The experiment's page gets each step as it is stored, and its charts are drawn anew.
    page.click("#to-experiment")
    page.wait_for_url("**/experiments/*/")
    page.evaluate("window.neverReloaded = true")
    page.locator("#adding >> text=Its results appear here").wait_for()
    page.locator("#adding >> text=done, 8 of 8 stored").wait_for()
    page.locator("summary >> text=8 runs").wait_for()
    assert page.evaluate("window.neverReloaded")
    page.wait_for_function("document.querySelectorAll('.fig .d > *').length >= 8")
    expect(page.locator("#adding[hx-get]")).to_have_count(0)
    assert no_sideways_scroll(page)

    # Every counted run is in the table, and the job's page leads to each.
    expect(page.locator(".outcome .answer > .badge")).to_have_count(1)
    page.click("#adding a")
    page.wait_for_url("**/remote/jobs/*/")
    expect(page.locator(".sentence.state")).to_have_text("Done, 8 of 8 stored.")
    expect(page.locator("table.steps tr.done td.r a")).to_have_count(8)
    assert no_sideways_scroll(page)
    page.locator("table.steps tr.done td.r a").last.click()
    page.wait_for_url("**/runs/*/")
    outside = "performance.getEntriesByType('resource').map((one) => one.name)"
    assert all(name.startswith(f"http://localhost:{port}/") for name in page.evaluate(outside))
