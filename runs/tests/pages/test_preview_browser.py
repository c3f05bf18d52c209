"""The preview's board in a real browser: by mouse, by keyboard, and without a script."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from runs.models import Run
from runs.tests.pages.test_browser import _static, chromium, no_sideways_scroll, page

__all__ = ["_static", "chromium", "page"]  # fixtures
SIX = [
    "itk, mod_python",
    "peruser, mod_python",
    "itk, php5cgi",
    "peruser, php5cgi",
    "itk, mod_php5",
    "peruser, mod_php5",
]


@pytest.fixture
def previewed(page: Any, shared: Path) -> Any:
    """Six configs of one run each."""
    return preview(page, shared)


def preview(page: Any, shared: Path) -> Any:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.fill("textarea[name=text]", next((shared / "seeds").glob("002*.txt")).read_text(encoding="utf-8"))
    page.click("text=Preview")
    page.wait_for_url("**/preview/")  # loaded: its script listens
    expect(page.locator(".config")).to_have_count(6)
    return page


def runs_of(page: Any, config: int) -> Any:
    return page.locator(".config").nth(config).locator(".run")


def save(page: Any) -> dict[str, int]:
    """{start of a stored config's name: how many runs it has}."""
    page.click("button[value=save]")
    page.wait_for_url("**/experiments/*/")
    names = [run.config.name.split(" (")[0] for run in Run.objects.select_related("config")]
    return {name: names.count(name) for name in names}


def test_a_run_is_dragged_to_another_config_and_to_a_new_one_and_the_headline_follows(previewed: Any) -> None:
    headline = previewed.locator("#savebar .clip")
    before = headline.inner_text()
    runs_of(previewed, 1).drag_to(previewed.locator(".config").nth(0))
    expect(runs_of(previewed, 0)).to_have_count(2)
    expect(headline).not_to_have_text(before)
    expect(previewed.locator("#L36 .tag")).to_have_text(re.compile("itk, mod_python"))
    previewed.click("text=Undo")
    expect(headline).to_have_text(before)
    runs_of(previewed, 1).hover()
    previewed.mouse.down()
    previewed.locator(".config").nth(2).hover()
    previewed.locator(".drop-new").hover()
    previewed.mouse.up()
    expect(previewed.locator(".said")).not_to_be_empty()
    assert save(previewed) == dict.fromkeys(SIX, 1)


def test_a_run_moves_by_keys_and_names_change_in_place(previewed: Any) -> None:
    runs_of(previewed, 0).locator("input").focus()
    previewed.keyboard.press("Alt+ArrowDown")
    expect(previewed.locator(".config")).to_have_count(5)
    assert previewed.evaluate("document.activeElement.value") == "b0"
    name = previewed.locator(".config input.name").first
    name.fill("both")
    name.press("Enter")
    expect(previewed.locator("#L22 .tag")).to_have_text(re.compile("both"))
    assert save(previewed) == {"both": 2} | dict.fromkeys(SIX[2:], 1)


def test_both_sides_are_marked_and_a_selected_run_is_shown_in_the_text(previewed: Any) -> None:
    runs_of(previewed, 5).hover()
    expect(previewed.locator("#L92")).to_have_class(re.compile("hot"))
    runs_of(previewed, 5).click()
    expect(previewed.locator("#L92")).to_be_in_viewport()
    previewed.locator("#L95").hover()
    expect(previewed.locator(".run.hot")).to_have_attribute("data-key", "b5")


def test_all_of_it_works_without_a_script(page: Any, shared: Path) -> None:
    state = page.context.storage_state()
    plain = page.context.browser.new_context(java_script_enabled=False, storage_state=state).new_page()
    plain.goto(page.url)
    preview(plain, shared)
    for needs_script in (".search kbd", "text=or drag them"):
        expect(plain.locator(needs_script)).to_be_hidden()
    for config in (0, 1):
        runs_of(plain, config).locator("input").check()
    plain.click("text=Merge as repeats")
    expect(plain.locator(".config")).to_have_count(5)
    plain.set_viewport_size({"width": 400, "height": 800})
    assert no_sideways_scroll(plain)
    assert save(plain) == {SIX[0]: 2} | dict.fromkeys(SIX[2:], 1)
