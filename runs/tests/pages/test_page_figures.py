"""The charts of a page: drawn without a script, and each by itself as a picture, as rows, and as a figure to zoom into."""

from __future__ import annotations

import pytest

from runs.tests import factories
from runs.tests.pages.page_html import charts_of, figure_of, lines_of
from runs.tests.pages.test_pages import html


def test_a_page_holds_the_charts_that_its_text_has_figures_for(browser):
    page = html(browser, factories.wsgi_experiment().get_absolute_url())
    assert set(charts_of(page)) >= {"latency", "processes", "memory", "cpu"}
    assert "<script id=" not in page


@pytest.mark.parametrize(("scale", "axis"), [("", None), ("?y=log", "log"), ("?y=linear", None)])
def test_the_query_chooses_the_time_axis(browser, scale, axis):
    url = factories.wsgi_experiment().get_absolute_url() + scale
    assert figure_of(browser, url, "latency")["layout"]["yaxis"].get("type") == axis


def test_a_comparison_has_charts_of_its_own_with_its_query(browser):
    ids = ",".join(str(run.pk) for run in reversed(factories.mpm_experiment().runs.all()))
    url = f"/compare/?runs={ids}&y=log"
    assert figure_of(browser, url, "latency")["layout"]["yaxis"]["type"] == "log"
    assert "latency" in charts_of(html(browser, url))


def test_the_page_of_a_run_has_its_spectrum(browser):
    url = factories.mpm_experiment().runs.first().get_absolute_url()
    assert charts_of(html(browser, url)) == ["latency"]
    assert lines_of(figure_of(browser, url, "latency"))


def test_a_chart_that_the_text_has_no_figures_for_is_explained(browser):
    page = html(browser, factories.siege_experiment().get_absolute_url())
    assert "latency" not in charts_of(page)
    assert "No latency spectrum: no run here printed percentiles" in page
    assert "No bars" not in page


def test_a_chart_is_a_picture_rows_and_a_figure(browser):
    url = factories.wsgi_experiment().get_absolute_url()
    picture, rows = (browser.get(f"{url}?figure=memory.{form}") for form in ("svg", "csv"))
    assert picture["Content-Type"].startswith("image/svg+xml")
    assert picture["Content-Security-Policy"].startswith("default-src 'none'")
    assert rows.content.decode().startswith('"config","step",')
    assert len(figure_of(browser, url, "memory")["data"]) > 1


@pytest.mark.parametrize("name", ["memory.png", "nothing.svg", "memory", ""])
def test_what_is_no_chart_is_not_found(browser, name):
    assert browser.get(f"{factories.wsgi_experiment().get_absolute_url()}?figure={name}").status_code == 404


def test_names_cannot_become_tags(browser):
    made = factories.mpm_experiment()
    made.configs.filter(pk=made.configs.first().pk).update(name="</script><script>alert(1)</script>")
    assert "<script>alert" not in html(browser, made.get_absolute_url())


def test_bars_and_cards_leave_out_the_runs_that_a_doubt_leaves_out(browser):
    made, text = factories.experiment("one run paged"), factories.upload()
    for name, rates in {"A": (100.0, 102.0, 101.0), "B": (120.0, 122.0, 20.0)}.items():
        config = factories.config(made, name)
        for repeat, rate in enumerate(rates, 1):
            run = factories.run(config, text, repeat=repeat, requests_per_second=rate)
            memory = {"mem_total_kb": 1e6, "mem_available_kb": 2e4, "swap_used_kb": 5e5 if rate == 20 else 0.0}
            factories.capture(config, text, metrics=memory, run=run, phase="during")
    url = made.get_absolute_url()
    _, first, second = browser.get(f"{url}?figure=throughput.csv").content.decode().splitlines()
    assert first.startswith('"A",3,101.0') and second.startswith('"B",2,121.0')
    assert "small dot: a run that is not counted" in html(browser, url)
    card = html(browser, "/experiments/")
    assert "<b>121/s</b>" in card and "<b>101/s</b>" in card
