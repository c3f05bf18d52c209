"""Charts in a real browser: nothing moves when they are drawn, the page fetches none, a printer gets them all."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from runs.models import Run
from runs.tests import factories
from runs.tests.pages.test_browser import _static, page, see_charts

__all__ = ["_static", "page"]  # fixtures

WIDTHS = [400, 1440]
SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const shift of list.getEntries()) {
    const moved = shift.sources.map((source) => source.node && (source.node.id || source.node.className || source.node.nodeName));
    window.shifts.push([shift.value, moved.join(" ")]);
  }
}).observe({ type: "layout-shift", buffered: true });
"""
FETCHED = "performance.getEntriesByType('resource').filter((one) => one.name.includes('/figures/'))"
DRAWN = "[...document.querySelectorAll('.plot')].map((box) => box.querySelectorAll('.main-svg').length > 0)"
UPDATE = "htmx.ajax('GET', location.href, {target: '#comparison', select: '#comparison > *', swap: 'innerHTML'})"


@pytest.fixture
def experiment(page: Any) -> Any:
    return factories.wsgi_experiment(n_configs=8, n_repeats=5, n_processes=3)


def visit(page: Any, live_server: Any, experiment: Any) -> None:
    page.goto(f"{live_server.url}{experiment.get_absolute_url()}", wait_until="networkidle")


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_moves_when_the_charts_come(page: Any, live_server: Any, experiment: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.add_init_script(SHIFTS)
    visit(page, live_server, experiment)
    see_charts(page)
    page.wait_for_timeout(300)
    assert page.evaluate("window.shifts") == []


def test_the_page_is_painted_without_plotly(page: Any, live_server: Any, experiment: Any) -> None:
    held: list[Any] = []
    page.route("**/plotly.min*.js", lambda route: held.append(route))
    page.goto(f"{live_server.url}{experiment.get_absolute_url()}", wait_until="commit")
    page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length === 1")
    page.locator("#chart-throughput").scroll_into_view_if_needed()
    assert page.locator(".main-svg").count() == 0
    page.wait_for_timeout(100)
    held.pop().continue_()
    page.locator("#chart-throughput .main-svg").first.wait_for()
    assert held == []


def test_a_chart_far_down_is_not_drawn_until_it_comes_near(page: Any, live_server: Any, experiment: Any) -> None:
    visit(page, live_server, experiment)
    assert page.evaluate(DRAWN)[-1] is False
    page.locator(".plot").last.scroll_into_view_if_needed()
    page.locator(".plot").last.locator(".main-svg").first.wait_for()


def test_a_printer_gets_every_chart(page: Any, live_server: Any, experiment: Any) -> None:
    visit(page, live_server, experiment)
    page.pdf()
    assert page.evaluate(DRAWN) == [True] * 5


def test_no_figure_is_fetched(page: Any, live_server: Any, experiment: Any) -> None:
    visit(page, live_server, experiment)
    see_charts(page)
    assert page.evaluate(DRAWN) == [True] * 5
    assert page.evaluate(f"{FETCHED}.length") == 0


def test_a_page_that_fills_in_keeps_the_charts_that_stay(
    page: Any, live_server: Any, experiment: Any, settings: Any
) -> None:
    visit(page, live_server, experiment)
    see_charts(page)
    page.add_script_tag(url="/static/django_htmx/htmx-2.min.js")
    page.evaluate("document.querySelectorAll('.main-svg').forEach((svg) => svg.was = true)")
    Run.objects.filter(experiment=experiment, repeat=1).update(requests_per_second=9.0)
    page.evaluate(UPDATE)
    see_charts(page)
    page.wait_for_function("() => document.querySelector('#chart-throughput .plot').data[0].x[0] < 700")
    kept = "[...document.querySelectorAll('#chart-latency .main-svg, #chart-cpu .main-svg')].every((svg) => svg.was)"
    assert page.evaluate(kept)
    assert page.locator("#chart-throughput .plot").count() == 1


INK = "getComputedStyle(document.querySelector('#chart-throughput .ytick text')).fill"


def test_charts_follow_the_dark_scheme_at_once_but_not_on_paper(page: Any, live_server: Any, experiment: Any) -> None:
    visit(page, live_server, experiment)
    see_charts(page)
    light = page.evaluate(INK)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"() => {INK} !== '{light}'")
    dark = page.evaluate(INK)
    inks = "window.inks = []; for (const when of ['beforeprint', 'afterprint']) "
    page.evaluate(inks + f"window.addEventListener(when, () => window.inks.push({INK}))")
    page.pdf()
    assert page.evaluate("window.inks") == [light, dark]


def test_a_run_moves_and_is_left_out_from_its_row(page: Any, live_server: Any, experiment: Any) -> None:
    visit(page, live_server, experiment)
    page.locator("#runs ~ details summary").first.click()
    page.locator("#move-to").select_option(label=experiment.configs.last().name)
    with page.expect_navigation():
        page.locator("tbody button[form=move-run]").first.click()
    assert experiment.configs.last().runs.count() == 6
    page.locator("#runs ~ details summary").first.click()
    with page.expect_navigation():
        page.locator("tbody button[form=count-run]").first.click()
    assert Run.objects.filter(experiment=experiment, counted=False).count() == 1


@pytest.mark.parametrize("width", WIDTHS)
def test_a_config_s_name_is_shown_as_it_is(page: Any, live_server: Any, width: int) -> None:
    names = ['<a href="http://x/">y</a>', "--fast", "--s0", "%{x} &lt;"]
    made = factories.experiment("Odd names")
    for number, name in enumerate(names):
        factories.run(factories.config(made, name), factories.upload(), requests_per_second=600.0 + number)
    page.set_viewport_size({"width": width, "height": 900})
    visit(page, live_server, made)
    see_charts(page)
    ticks = page.locator("#chart-throughput .yaxislayer-above text, #chart-throughput .yaxislayer-below text")
    expect(ticks).to_have_count(len(names))
    shown = [name if width > 560 or len(name) <= 15 else f"{name[:7]}…{name[-7:]}" for name in names]
    assert sorted(ticks.all_text_contents()) == sorted(shown)
    assert page.locator(".plot svg a").count() == 0
