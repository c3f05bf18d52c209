"""A figure is fetched from an address that its content names: kept for ever, compressed, and told apart when it changes."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from pathlib import Path

import brotli
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from runs.models import Run
from runs.tests import factories
from runs.tests.pages.drawn import figures, sources
from runs.tests.pages.test_pages import html
from runs.tests.pages.test_queries import MOST, queries
from runs.views import shelf
from runs.views.figures import as_json

LOGIN = 2  # the session and its user


@pytest.fixture(autouse=True)
def _empty_shelf(settings, tmp_path):
    settings.DATA_DIR = tmp_path


def clear_shelf(settings) -> None:
    shutil.rmtree(Path(settings.DATA_DIR) / shelf.FOLDER)


def sources_of(browser, made) -> dict[str, str]:
    return sources(html(browser, made.get_absolute_url()))


def test_a_page_names_its_figures_and_holds_none(browser):
    page = html(browser, factories.wsgi_experiment().get_absolute_url())
    assert "application/json" not in page
    assert '"hovertext"' not in page
    assert len(sources(page)) == page.count('class="plot"') == 5


@pytest.mark.parametrize("size", [2, 20])
def test_a_figure_costs_no_query_but_the_login_s(browser, size):
    asked = sources_of(browser, factories.wsgi_experiment(n_configs=size))
    assert {queries(browser, address) for address in asked.values()} == {LOGIN}


def test_where_everybody_may_read_it_costs_none_and_anybody_may_keep_it(browser, client, settings):
    settings.PUBLIC_READ = True
    address = sources_of(browser, factories.mpm_experiment())["latency"]
    assert queries(client, address) == 0
    response = client.get(address)
    assert response.headers["Cache-Control"] == "max-age=31536000, immutable, public"
    assert response.headers["Vary"] == "Accept-Encoding"


def test_a_browser_may_keep_a_figure_for_ever(browser):
    response = browser.get(sources_of(browser, factories.mpm_experiment())["throughput"])
    assert response.headers["Cache-Control"] == "max-age=31536000, immutable, private"
    assert response.headers["Content-Type"] == "application/json"


def test_a_browser_that_has_it_is_told_so_without_any_work(browser, settings):
    address = sources_of(browser, factories.mpm_experiment())["throughput"]
    tag = browser.get(address).headers["ETag"]
    assert tag.removeprefix("W/").strip('"') in address
    clear_shelf(settings)
    for known in (tag, tag.removeprefix("W/"), f'"another", {tag}'):
        with CaptureQueriesContext(connection) as counted:
            response = browser.get(address, headers={"If-None-Match": known})
        assert (response.status_code, response.content, len(counted)) == (304, b"", LOGIN)
        assert "immutable" in response.headers["Cache-Control"]


@pytest.mark.parametrize("on_the_shelf", [True, False])
def test_it_comes_compressed_as_the_browser_takes_it(browser, settings, on_the_shelf):
    address = sources_of(browser, factories.wsgi_experiment())["latency"]
    plain = browser.get(address)
    assert "Content-Encoding" not in plain.headers
    opened = {"br": brotli.decompress, "gzip": gzip.decompress, "": bytes}
    for accepted, coding in (
        ("gzip, deflate, br, zstd", "br"),
        ("gzip;q=1.0, br;q=0", "gzip"),
        ("br ; q=0.0, zstd", ""),
        ("identity", ""),
    ):
        if not on_the_shelf:
            clear_shelf(settings)
        response = browser.get(address, headers={"Accept-Encoding": accepted})
        assert response.headers.get("Content-Encoding", "") == coding
        assert opened[coding](response.content) == plain.content
        assert response.headers["ETag"] == plain.headers["ETag"]


@pytest.mark.parametrize("asked", ["", "?y=log", "?y=linear"])
def test_one_that_fell_off_the_shelf_is_worked_out_anew(browser, settings, asked):
    made = factories.wsgi_experiment()
    addresses = sources(html(browser, made.get_absolute_url() + asked))
    before = {name: browser.get(address).content for name, address in addresses.items()}
    clear_shelf(settings)
    for name, address in addresses.items():
        response = browser.get(address)
        assert response.content == before[name]
        assert "immutable" in response.headers["Cache-Control"]
        assert queries(browser, address) == LOGIN  # it lies there again


def test_working_one_out_anew_needs_as_many_queries_at_any_size(browser, settings):
    counts = []
    for size in (2, 20):
        address = sources_of(browser, factories.wsgi_experiment(n_configs=size))["latency"]
        clear_shelf(settings)
        counts.append(queries(browser, address))
    assert counts[0] == counts[1] <= MOST


def test_an_address_that_no_longer_fits_gives_the_figure_as_it_is_now(browser, settings):
    made = factories.mpm_experiment()
    old = sources_of(browser, made)["throughput"]
    clear_shelf(settings)
    Run.objects.filter(requests_per_second__gt=20_000).update(requests_per_second=123.0)
    now = sources_of(browser, made)["throughput"]
    response = browser.get(old)
    assert now != old
    assert response.content == browser.get(now).content
    assert response.headers["Cache-Control"] == "no-cache"
    assert response.headers["ETag"] == browser.get(now).headers["ETag"]
    assert browser.get(old, headers={"If-None-Match": response.headers["ETag"]}).status_code == 304


def test_a_figure_that_stays_keeps_its_address_when_another_changes(browser):
    made = factories.wsgi_experiment()
    before = sources_of(browser, made)
    run = Run.objects.filter(experiment=made).last()
    Run.objects.filter(pk=run.pk).update(requests_per_second=1.0)
    after = sources_of(browser, made)
    assert {name for name in before if before[name] != after[name]} == {"throughput"}


def test_a_comparison_has_figures_of_its_own_with_its_query(browser, settings):
    made = factories.mpm_experiment()
    ids = ",".join(str(run.pk) for run in reversed(made.runs.all()))
    page = html(browser, f"/compare/?runs={ids}&y=log")
    drawn = figures(browser, page)
    assert drawn["latency"]["layout"]["yaxis"]["type"] == "log"
    clear_shelf(settings)
    assert figures(browser, page) == drawn


def test_the_spectrum_of_a_run_is_fetched_as_well(browser, settings):
    run = factories.mpm_experiment().runs.first()
    page = html(browser, f"{run.get_absolute_url()}?y=log")
    assert "application/json" not in page
    drawn = figures(browser, page)["latency"]
    assert drawn["layout"]["yaxis"]["type"] == "log"
    clear_shelf(settings)
    assert figures(browser, page)["latency"] == drawn
    assert queries(browser, sources(page)["latency"]) == LOGIN


def test_a_figure_that_the_page_lacks_is_not_found(browser):
    made = factories.siege_experiment()
    assert browser.get(f"{made.get_absolute_url()}figures/latency-00.json").status_code == 404
    assert browser.get("/experiments/999/figures/latency-00.json").status_code == 404


def test_a_figure_asks_for_a_login_as_its_page_does(browser, client):
    address = sources_of(browser, factories.mpm_experiment())["throughput"]
    response = client.get(address)
    assert response.status_code == 302
    assert "/login/" in response.headers["Location"]


def test_what_is_no_number_becomes_a_gap():
    assert json.loads(as_json({"y": [1.5, float("nan"), float("inf")]})) == {"y": [1.5, None, None]}


def test_the_height_is_kept_free_before_the_figure_is_there(browser):
    page = html(browser, factories.wsgi_experiment().get_absolute_url())
    drawn = figures(browser, page)
    kept_free = [int(pixels) for pixels in re.findall(r'class="plot"[^>]*style="height:(\d+)px"', page)]
    assert kept_free == [figure["layout"]["height"] for figure in drawn.values()]


def test_a_full_disk_leaves_the_pages_as_they_are(browser, settings, caplog):
    (Path(settings.DATA_DIR) / shelf.FOLDER).write_text("a file where the folder should be")
    page = html(browser, factories.mpm_experiment().get_absolute_url())
    assert set(figures(browser, page)) == {"throughput", "latency"}
    assert "cannot be kept" in caplog.text
