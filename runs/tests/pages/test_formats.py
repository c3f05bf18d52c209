"""Every page with data also answers as JSON, CSV and Markdown: by suffix and by ?format=."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from runs.models import Capture
from runs.tests import factories

TYPES = {"json": "application/json", "csv": "text/csv", "md": "text/markdown"}


def pages() -> list[str]:
    made = factories.wsgi_experiment()
    run = made.runs.all()[0]
    things: list[Any] = [made, run, made.host, run.config, run.upload, Capture.objects.first()]
    return ["/experiments", "/runs", "/hosts", "/uploads", *(thing.get_absolute_url().rstrip("/") for thing in things)]


@pytest.mark.parametrize("fmt", TYPES)
def test_every_page_answers_in_every_format(browser, fmt):
    for page in pages():
        for url in (f"{page}.{fmt}", f"{page}.{fmt}/", f"{page}/?format={fmt}"):
            response = browser.get(url)
            assert response.status_code == 200, url
            assert response["Content-Type"].startswith(TYPES[fmt]), url


def test_a_page_links_to_its_other_formats_with_its_query(browser):
    made = factories.mpm_experiment()
    ids = ",".join(str(run.pk) for run in made.runs.all())
    page = browser.get(f"/compare/?runs={ids}").content.decode()
    assert 'href="/compare.csv?runs=' in page
    assert browser.get(f"/compare.json?runs={ids}").json()["configs"]


def test_an_unknown_format_is_not_found(browser):
    assert browser.get("/runs/?format=xml").status_code == 404


def test_the_json_of_an_experiment_has_every_value_with_its_line(browser):
    made = factories.wsgi_experiment()
    body = browser.get(f"/experiments/{made.pk}.json").json()
    rate = next(metric for metric in body["metrics"] if metric["key"] == "requests_per_second")
    assert [value["value"] for value in rate["cells"][0]["values"]] == [617.01, 878.81]
    assert all("#L" in value["source"] for value in rate["cells"][0]["values"])
    assert [cell["n"] for cell in rate["cells"]] == [2, 2]


def test_the_csv_of_runs_has_exact_figures_and_no_formulas(browser):
    made = factories.experiment("=HYPERLINK(1)")
    factories.run(factories.config(made, "@SUM(1)"), factories.upload(), requests_per_second=17160.13)
    rows = list(csv.DictReader(io.StringIO(browser.get("/runs.csv").content.decode())))
    assert rows[0]["requests_per_second"] == "17160.13"
    assert rows[0]["experiment"] == "'=HYPERLINK(1)"
    assert rows[0]["config"] == "'@SUM(1)"
