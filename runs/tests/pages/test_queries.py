"""The number of queries of a page does not grow with its rows: each is counted at two sizes."""

from __future__ import annotations

import gzip

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from runs import ingest
from runs.models import Config, Experiment, Host, Upload
from runs.selectors import comparison_data
from runs.tests import factories
from runs.tests.drafts.monitored import Load, monitored

MOST = 15
OVER_TIME = 4  # what the charts of a monitor of several samples need


def queries(browser, url: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as counted:
        response = browser.get(url)
    assert response.status_code == 200
    return len(counted)


def test_an_experiment_page_needs_a_few_queries_at_any_size(browser):
    small = factories.wsgi_experiment(n_configs=8, n_repeats=5, n_processes=3)
    large = factories.wsgi_experiment(n_configs=80, n_repeats=5, n_processes=3)
    for made in (small, large):  # the first look keeps the headline for the card
        browser.get(made.get_absolute_url())
    counts = [queries(browser, made.get_absolute_url()) for made in (small, large)]
    assert counts[0] == counts[1] <= MOST


def test_a_page_of_eight_configs_and_five_repeats_stays_light(browser):
    made = factories.wsgi_experiment(n_configs=8, n_repeats=5)
    response = browser.get(made.get_absolute_url(), headers={"Accept-Encoding": "gzip, deflate, br"})
    assert response.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in response.headers["Vary"]
    assert len(response.content) < 60_000
    assert b"<html" in gzip.decompress(response.content)


def test_a_page_of_many_configs_lists_the_first_ones_and_links_to_all(browser):
    """Made: pages of 2,500 configs had up to 3 MB."""
    text = "".join(f"build {n}:\nRequests per second:    {100 + n:.2f} [#/sec] (mean)\n\n" for n in range(300))
    ingest.submit(text.encode(), origin="web")
    url = Experiment.objects.get().get_absolute_url()
    first, whole = (browser.get(url + query).content.decode() for query in ("", "?metrics=all"))
    assert ['title="build 199"' in page for page in (first, whole)] == [True, True]
    assert ['title="build 200"' in page for page in (first, whole)] == [False, True]
    assert '<a href="?metrics=all#overview">All 300 configs</a>' in first
    assert all("build 299" in browser.get(f"{url}?format={kind}").content.decode() for kind in ("md", "csv", "html"))


def test_a_page_lists_the_first_directives_that_differ_and_counts_the_others(browser):
    """Made: of two configs with 20,000 directives it had 6 MB."""
    text = "".join(
        f"## c{config}\n\n$ cat /etc/nginx/nginx.conf\n"
        + "".join(f"setting_{n} {n + config};\n" for n in range(203))
        + f"\nRequests per second:    {100 + config:.2f} [#/sec] (mean)\n\n"
        for config in range(2)
    )
    ingest.submit(text.encode(), origin="web")
    url = Experiment.objects.get().get_absolute_url()
    page = browser.get(url).content.decode()
    assert "<code>setting_199</code>" in page and "<code>setting_200</code>" not in page
    assert "3 more directives are in the JSON" in page
    assert "setting_202" in browser.get(f"{url}?format=json").content.decode()


def test_a_comparison_needs_as_many_queries_for_forty_runs_as_for_two(browser):
    made = factories.wsgi_experiment(n_configs=8, n_repeats=5, n_processes=2)
    ids = [str(run.pk) for run in made.runs.all()]
    counts = [queries(browser, f"/compare/?runs={','.join(ids[:n])}") for n in (2, 40)]
    assert counts[0] == counts[1] <= MOST


@pytest.mark.parametrize("path", ["/", "/experiments/", "/runs/", "/hosts/", "/uploads/"])
def test_a_list_needs_as_many_queries_for_many_rows_as_for_few(browser, path):
    factories.wsgi_experiment(n_configs=1, n_repeats=1)
    few = queries(browser, path)
    for _ in range(4):
        factories.wsgi_experiment(n_configs=2, n_repeats=2)
        factories.mpm_experiment()
    assert queries(browser, path) == few <= MOST


def test_pages_of_one_thing_need_as_many_queries_when_more_hangs_on_it(browser):
    counts = []
    for size in (2, 4):
        made = factories.wsgi_experiment(n_configs=size, n_repeats=size)
        config, host = Config.objects.filter(experiment=made).first(), Host.objects.last()
        upload = Upload.objects.filter(runs__experiment=made).first()
        run, capture = made.runs.first(), made.captures.first()
        things = (config, host, upload, run, capture)
        counts.append([queries(browser, thing.get_absolute_url()) for thing in things])
    assert counts[0] == counts[1]
    assert max(counts[1]) <= MOST


def test_an_uploads_page_and_json_read_of_its_runs_only_what_they_tell(browser):
    """Made: of 40,000 runs they took 9 to 13 s, most of it for columns that nobody saw and an experiment for each run."""
    upload = Upload.objects.filter(runs__experiment=factories.wsgi_experiment(n_configs=2, n_repeats=2)).first()
    for url in (upload.get_absolute_url(), f"/api/v1/uploads/{upload.pk}/"):
        browser.get(url)
        with CaptureQueriesContext(connection) as asked:
            browser.get(url)
        (of_runs,) = [each["sql"] for each in asked if each["sql"].startswith('SELECT "runs_run"."id"')]
        assert '"percentiles_ms"' not in of_runs and '"note"' not in of_runs


def test_of_too_many_runs_the_newest_are_judged_and_the_others_counted(browser, monkeypatch):
    monkeypatch.setattr(comparison_data, "MAX_RUNS", 3)
    url = factories.wsgi_experiment(n_configs=2, n_repeats=3).get_absolute_url()
    assert "3 more are in" in " ".join(browser.get(url).content.decode().split())
    told = browser.get(f"{url.rstrip('/')}.json").json()
    assert told["runs_not_read"] == 3
    assert len(told["configs"]) == 1  # the runs of the other are older


def test_an_experiment_page_needs_as_many_queries_for_many_parts_of_a_monitor_as_for_few(browser):
    counts = []
    for n in (2, 6):
        loads = tuple(Load(f"config {'ABCDEF'[at]}", 900.5 + at, 20, 60, 90) for at in range(n))
        ingest.submit(monitored("sar", loads, seconds=85 * n).encode(), name="log", origin="web")
        experiment = Experiment.objects.latest("pk")
        browser.get(experiment.get_absolute_url())
        counts.append(queries(browser, experiment.get_absolute_url()))
        assert experiment.captures.count() == n + 1
    assert counts[0] == counts[1] <= MOST + OVER_TIME
