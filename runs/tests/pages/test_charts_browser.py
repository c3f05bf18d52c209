"""Charts in a real browser: they need no script, fit any width, zoom on request, and can be saved as pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from runs.models import Run
from runs.tests import factories
from runs.tests.pages.test_browser import _static, chromium, page

__all__ = ["_static", "chromium", "page"]  # fixtures

WIDTHS = [400, 1440]
SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const shift of list.getEntries()) {
    window.shifts.push([shift.value, shift.sources.map((source) => source.node && source.node.outerHTML.slice(0, 80)).join()]);
  }
}).observe({ type: "layout-shift", buffered: true });
"""
TEXTS = "[...document.querySelectorAll('.fig svg.f text')].filter((text) => text.getClientRects().length)"
OUTSIDE = f"""() => {TEXTS}.filter((text) => {{
  const [box, chart] = [text, text.closest('figure, .fig')].map((one) => one.getBoundingClientRect());
  return box.left < chart.left - 1 || box.right > chart.right + 1;
}}).map((text) => text.textContent)"""
OVERLAPPING = """() => [...document.querySelectorAll('.fig svg.f')].flatMap((plot) => {
  const texts = [...plot.querySelectorAll('text')].filter((text) => text.textContent && text.getClientRects().length);
  const boxes = texts.map((text) => text.getBoundingClientRect());
  const shared = (a, b, low, high) => Math.min(a[high], b[high]) - Math.max(a[low], b[low]);
  const overlap = (a, b) => shared(a, b, "left", "right") > 1 && shared(a, b, "top", "bottom") > 4;
  const words = (i, j) => texts[i].textContent + " | " + texts[j].textContent;
  return boxes.flatMap((a, i) => boxes.slice(i + 1).map((b, j) => overlap(a, b) && words(i, i + 1 + j)));
}).filter(Boolean)"""


@pytest.fixture
def experiment(page: Any) -> Any:
    return factories.wsgi_experiment(n_configs=8, n_repeats=5, n_processes=3)


def visit(page: Any, live_server: Any, experiment: Any) -> None:
    page.goto(f"{live_server.url}{experiment.get_absolute_url()}", wait_until="networkidle")


@pytest.mark.parametrize("width", WIDTHS)
def test_charts_fit_their_width_and_nothing_moves(page: Any, live_server: Any, experiment: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.add_init_script(SHIFTS)
    visit(page, live_server, experiment)
    assert page.evaluate(f"{TEXTS}.length") > 40
    assert page.evaluate(f"Math.min(...{TEXTS}.map((text) => parseFloat(getComputedStyle(text).fontSize)))") >= 12
    assert page.evaluate(OUTSIDE) == []
    assert page.evaluate(OVERLAPPING) == []
    assert page.evaluate("window.shifts") == []


def test_no_plotly_is_loaded_before_a_chart_is_zoomed(page: Any, live_server: Any, experiment: Any) -> None:
    loaded: list[str] = []
    page.on("request", lambda request: loaded.append(request.url))
    visit(page, live_server, experiment)
    assert [url for url in loaded if "plotly" in url or "figure" in url] == []
    chart = page.locator("#chart-latency")
    chart.locator("summary").click()
    chart.get_by_role("button", name="Zoom").click()
    chart.locator(".main-svg").first.wait_for()
    expect(chart.locator(".fig")).to_be_hidden()
    chart.locator("summary").click()
    chart.get_by_role("button", name="Close the zoom").click()
    expect(chart.locator(".fig")).to_be_visible()
    expect(chart.locator(".plot")).to_have_count(0)


def test_a_legend_shows_and_hides_its_series(page: Any, live_server: Any, experiment: Any) -> None:
    visit(page, live_server, experiment)
    entry = page.locator("#chart-latency .chart-key button").first
    entry.click()
    expect(entry).to_have_attribute("aria-pressed", "false")
    expect(page.locator("#chart-latency .plots path.l.s0").first).to_be_hidden()
    entry.click()
    expect(page.locator("#chart-latency .plots path.l.s0").first).to_be_visible()


@pytest.mark.parametrize(("name", "begins"), [("PNG", b"\x89PNG"), ("SVG", b"<svg"), ("CSV", b'"config"')])
def test_a_chart_is_saved(page: Any, live_server: Any, experiment: Any, name: str, begins: bytes) -> None:
    visit(page, live_server, experiment)
    chart = page.locator("#chart-latency")
    chart.locator("summary").click()
    with page.expect_download() as saved:
        chart.get_by_role("link", name=name).click()
    assert Path(saved.value.path()).read_bytes().startswith(begins)
    assert saved.value.suggested_filename == f"latency.{name.lower()}"


INK = "getComputedStyle(document.querySelector('#chart-latency .xtick text')).fill"


def test_charts_follow_the_dark_scheme_at_once_but_not_on_paper(page: Any, live_server: Any, experiment: Any) -> None:
    visit(page, live_server, experiment)
    chart = page.locator("#chart-latency")
    chart.locator("summary").click()
    chart.get_by_role("button", name="Zoom").click()
    chart.locator(".main-svg").first.wait_for()
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
    page.locator("#runs summary").first.click()
    page.locator("#move-to").select_option(label=experiment.configs.last().name)
    with page.expect_navigation():
        page.locator("tbody button[form=move-run]").first.click()
    assert experiment.configs.last().runs.count() == 6
    page.locator("#runs summary").first.click()
    with page.expect_navigation():
        page.locator("tbody button[form=count-run]").first.click()
    assert Run.objects.filter(experiment=experiment, counted=False).count() == 1


def test_a_config_s_name_is_shown_as_it_is(page: Any, live_server: Any) -> None:
    names = ['<a href="http://x/">y</a>', "--fast", "--s0", "%{x} &lt;"]
    made = factories.experiment("Odd names")
    for number, name in enumerate(names):
        factories.run(factories.config(made, name), factories.upload(), requests_per_second=600.0 + number)
    visit(page, live_server, made)
    shown = page.locator(".fig svg text").all_text_contents()
    assert [name for name in names if not any(text.endswith(name) for text in shown)] == []
