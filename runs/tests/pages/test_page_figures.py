"""A page holds the figures of its charts: whole, as JSON, with the height kept free before they are drawn."""

from __future__ import annotations

import json
import re

import pytest

from runs.templatetags.bench import figure_script
from runs.tests import factories
from runs.tests.pages.page_html import figures
from runs.tests.pages.test_pages import html


def test_a_page_holds_a_figure_for_each_of_its_boxes(browser):
    page = html(browser, factories.wsgi_experiment().get_absolute_url())
    assert list(figures(page)) == ["throughput", "latency", "processes", "memory", "cpu"]
    assert page.count('class="plot"') == 5


def test_the_height_is_kept_free_before_a_chart_is_drawn(browser):
    page = html(browser, factories.wsgi_experiment().get_absolute_url())
    kept_free = [int(pixels) for pixels in re.findall(r'class="plot"[^>]*style="height:(\d+)px"', page)]
    assert kept_free == [figure["layout"]["height"] for figure in figures(page).values()]


@pytest.mark.parametrize(("scale", "axis"), [("", "linear"), ("?y=log", "log"), ("?y=linear", "linear")])
def test_the_query_chooses_the_time_axis(browser, scale, axis):
    page = html(browser, factories.wsgi_experiment().get_absolute_url() + scale)
    assert figures(page)["latency"]["layout"]["yaxis"]["type"] == axis


def test_a_comparison_has_figures_of_its_own_with_its_query(browser):
    made = factories.mpm_experiment()
    ids = ",".join(str(run.pk) for run in reversed(made.runs.all()))
    drawn = figures(html(browser, f"/compare/?runs={ids}&y=log"))
    assert drawn["latency"]["layout"]["yaxis"]["type"] == "log"
    assert set(drawn) == {"throughput", "latency"}


def test_the_page_of_a_run_has_its_spectrum(browser):
    run = factories.mpm_experiment().runs.first()
    drawn = figures(html(browser, f"{run.get_absolute_url()}?y=log"))
    assert drawn["latency"]["layout"]["yaxis"]["type"] == "log"


def test_a_chart_that_the_text_has_no_figures_for_is_explained(browser):
    page = html(browser, factories.siege_experiment().get_absolute_url())
    assert "latency" not in figures(page)
    assert "No latency spectrum: no run here printed percentiles" in page
    assert "No bars" not in page


def test_names_cannot_end_the_element_that_holds_a_figure(browser):
    made = factories.mpm_experiment()
    made.configs.filter(pk=made.configs.first().pk).update(name="</script><script>alert(1)</script>")
    page = html(browser, made.get_absolute_url())
    assert "<script>alert" not in page
    assert any(
        "<b>&lt;/script&gt;&lt;script&gt;" in words for words in figures(page)["throughput"]["data"][0]["hovertext"]
    )


def test_what_is_no_number_becomes_a_gap():
    script = figure_script({"y": [1.5, float("nan"), float("inf")]}, "odd")
    assert json.loads(re.sub("<[^>]*>", "", script)) == {"y": [1.5, None, None]}
