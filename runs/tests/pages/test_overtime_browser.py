"""Charts over time in a real browser: they come, they zoom together, they come back."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from playwright.sync_api import expect

from runs.models import Capture, Series
from runs.series import pack_samples
from runs.tests import factories
from runs.tests.pages.test_browser import _static, chromium, no_sideways_scroll, page, see_charts

__all__ = ["_static", "chromium", "page"]  # fixtures
NOON, LOOKS = 43_200, 3000
RANGE = "(box) => box.layout.xaxis.range.map((end) => end / 1000)"
POINTS = "(box) => box.data[0].x.length"


def watched() -> Capture:
    """Fifty minutes of one program whose memory never stays the same, and of the machine."""
    setup = factories.config(factories.experiment(), "event")
    fields = {"n_samples": LOOKS, "clock_first": "12:00:00", "clock_last": "12:49:59"}
    made = factories.capture(setup, factories.upload(), metrics={}, **fields)
    factories.series(made, "clock_s", [float(NOON + at) for at in range(LOOKS)])
    factories.series(made, "load1", [1 + at % 7 / 10 for at in range(LOOKS)])
    sizes = np.random.default_rng(3).integers(1000, 2000, LOOKS) * 4.0
    ends = {"min": sizes.min(), "mean": sizes.mean(), "max": sizes.max(), "last": sizes[-1]}
    who = {"pid": 7, "command": "httpd", "group": "httpd"}
    Series.objects.create(capture=made, metric="rss_kb", n=LOOKS, samples=pack_samples(sizes.tolist()), **who, **ends)
    factories.run(setup, made.upload, clock_start_s=NOON + 600.0, clock_end_s=NOON + 900.0)
    return made


def draw_charts(page: Any) -> None:
    """Plotly draws them as soon as the reader points at one."""
    see_charts(page)
    page.locator(".linked h2").first.hover()
    for plot in page.locator(".plot:visible").all():
        plot.scroll_into_view_if_needed()
        plot.locator(".main-svg").first.wait_for()


def drag(page: Any, plot: Any) -> None:
    """From a quarter to a half of the chart's width."""
    place = plot.bounding_box()
    y = place["y"] + place["height"] / 2
    page.mouse.move(place["x"] + place["width"] / 4, y)
    page.mouse.down()
    page.mouse.move(place["x"] + place["width"] / 2, y, steps=5)
    page.mouse.up()


def test_charts_zoom_together_get_finer_and_come_back(page: Any, live_server: Any) -> None:
    made = watched()
    page.set_viewport_size({"width": 1000, "height": 900})
    page.goto(f"{live_server.url}/captures/{made.pk}/")
    draw_charts(page)
    sizes, load = page.locator("#chart-rss .plot"), page.locator("#chart-load .plot")
    sizes.scroll_into_view_if_needed()
    assert sizes.evaluate(RANGE) == [NOON, NOON + LOOKS - 1]
    coarse = sizes.evaluate(POINTS)
    with (
        page.expect_response(re.compile(r"figures/load\.json\?.*from=")),
        page.expect_response(re.compile(r"figures/rss\.json\?.*from=")),
    ):
        drag(page, sizes)
    page.wait_for_url(re.compile(r"[?&]from="))
    page.wait_for_function("() => document.querySelector('#chart-load .plot').data[0].x.length > 300")
    low, high = sizes.evaluate(RANGE)
    assert NOON < low < high < NOON + LOOKS
    assert abs(load.evaluate(RANGE)[0] - low) < 1
    assert coarse < LOOKS
    page.go_back()
    page.wait_for_function(f"() => document.querySelector('#chart-load .plot').layout.xaxis.range[0] === {NOON * 1000}")
    expect(page).to_have_url(re.compile(rf"/captures/{made.pk}/$"))
    page.go_forward()
    page.wait_for_function(f"() => document.querySelector('#chart-load .plot').layout.xaxis.range[0] > {NOON * 1000}")
    place = sizes.bounding_box()
    page.mouse.dblclick(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    page.wait_for_function("() => !location.search")
    page.wait_for_function(f"() => document.querySelector('#chart-load .plot').layout.xaxis.range[0] === {NOON * 1000}")


def test_charts_are_pictures_until_the_reader_points_at_one(page: Any, live_server: Any) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{live_server.url}/captures/{watched().pk}/?from={NOON + 600}&to={NOON + 700}")
    see_charts(page)
    expect(page.locator("#chart-rss .plot")).to_contain_text("12:11:00")
    assert not [url for url in asked if "plotly" in url or ".json" in url]
    height = page.locator("#chart-rss").bounding_box()["height"]
    draw_charts(page)
    assert page.locator("#chart-rss").bounding_box()["height"] == height


def test_charts_that_were_not_scrolled_to_are_printed(page: Any, live_server: Any) -> None:
    page.set_viewport_size({"width": 1000, "height": 200})
    page.goto(f"{live_server.url}/captures/{watched().pk}/")
    pictures = "[...document.querySelectorAll('.plot[data-over]')].map((box) => !!box.querySelector('.fig svg'))"
    assert not all(page.evaluate(pictures))
    page.evaluate(f"window.addEventListener('beforeprint', () => (window.printed = {pictures}))")
    page.pdf()
    assert page.evaluate("window.printed.every(Boolean) && window.printed.length")


def test_a_chart_that_did_not_come_is_asked_for_again(page: Any, live_server: Any) -> None:
    page.route("**/figures/rss.*", lambda route: route.fulfill(body="<!doctype html>a login page"))
    page.goto(f"{live_server.url}/captures/{watched().pk}/", wait_until="networkidle")
    page.locator("#chart-rss").scroll_into_view_if_needed()
    expect(page.locator("#chart-rss .missed")).to_have_text("The chart could not be loaded. Try again")
    page.locator(".linked h2").first.hover()  # as the picture, so the figure
    page.locator("#chart-load .main-svg").first.wait_for()
    expect(page.locator("#chart-rss .missed")).to_have_text("The chart could not be loaded. Try again")
    page.unroute("**/figures/rss.*")
    page.get_by_role("button", name="Try again").click()
    page.locator("#chart-rss .main-svg").first.wait_for()
    expect(page.locator(".missed")).to_have_count(0)


def test_a_link_to_a_part_shows_that_part(page: Any, live_server: Any) -> None:
    made = watched()
    page.goto(f"{live_server.url}/captures/{made.pk}/?from={NOON + 600}&to={NOON + 700}")
    draw_charts(page)
    assert page.locator("#chart-rss .plot").evaluate(RANGE) == [NOON + 600, NOON + 700]
    assert page.locator("#chart-rss .plot").evaluate(POINTS) == 103
    assert no_sideways_scroll(page)


def press(page: Any, name: str, low: int, high: int) -> None:
    """By the keyboard, until all charts show that part of the time after noon."""
    page.get_by_role("group", name="Time range of all charts").get_by_role("button", name=name).focus()
    page.keyboard.press("Enter")
    for chart in ("rss", "load"):
        ends = f"document.querySelector('#chart-{chart} .plot').layout.xaxis.range.join()"
        page.wait_for_function(f"() => {ends} === '{(NOON + low) * 1000},{(NOON + high) * 1000}'")


def test_charts_are_zoomed_from_the_keyboard(page: Any, live_server: Any) -> None:
    made = watched()
    page.set_viewport_size({"width": 1000, "height": 1200})
    page.goto(f"{live_server.url}/captures/{made.pk}/?from={NOON + 400}&to={NOON + 800}")
    draw_charts(page)
    press(page, "Zoom in", 500, 700)
    press(page, "Later", 600, 800)
    expect(page).to_have_url(re.compile(rf"\?from={NOON + 600}\.0&to={NOON + 800}\.0$"))
    press(page, "Earlier", 500, 700)
    press(page, "Zoom out", 400, 800)
    expect(page.locator(".zoom output")).to_have_text("12:06:40 to 12:13:20")
    press(page, "All", 0, LOOKS - 1)
    expect(page).to_have_url(re.compile(r"^[^?]*$"))
    expect(page.get_by_role("button", name="Earlier")).to_have_attribute("aria-disabled", "true")


def test_a_legend_toggles_its_layer_and_one_cursor_goes_through_all_charts(page: Any, live_server: Any) -> None:
    page.set_viewport_size({"width": 1000, "height": 1200})
    page.goto(f"{live_server.url}/captures/{watched().pk}/")
    draw_charts(page)
    entry = page.locator("#chart-rss").get_by_role("button", name="httpd")
    entry.click()
    expect(entry).to_have_attribute("aria-pressed", "false")
    page.wait_for_function(
        "() => document.querySelector('#chart-rss .plot').data.some((t) => t.visible === 'legendonly')"
    )
    entry.click()
    expect(entry).to_have_attribute("aria-pressed", "true")
    page.locator("#chart-rss .plot").hover()
    expect(page.locator(".cursor:not([hidden])")).to_have_count(2)


def test_the_lines_of_single_processes_come_on_demand_with_their_names(page: Any, live_server: Any) -> None:
    page.goto(f"{live_server.url}/captures/{watched().pk}/")
    page.get_by_text("One line per process").click()
    page.locator("#chart-processes .main-svg").first.wait_for()
    expect(page.locator("#chart-processes").get_by_role("button", name="7 httpd")).to_be_visible()
