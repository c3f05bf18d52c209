"""The seeds as a person pastes them: every measurement of theirs stands on an experiment's page, with its line."""

from __future__ import annotations

import re

import pytest

from runs.models import Experiment, Run
from runs.tests.pages.form import fields

RATES = {
    "000": [617.01, 878.81, 722.23, 887.55, 175.59, 576.02, 854.67, 380.65],
    "001": [316.08, 170.46, 230.84],
    "002": [8.96, 292.56, 12.35, 12.47, 13.36, 15.98],
    "003": [17160.13, 11064.69, 29219.55, 11735.33],
    "004": [3.07, 2.82, 4.62],
}


@pytest.mark.parametrize("seed", RATES)
def test_a_pasted_seed_becomes_pages_with_all_its_runs(browser, shared, seed):
    text = next((shared / "seeds").glob(f"{seed}*.txt")).read_text(encoding="utf-8")
    preview = browser.post("/preview/", {"text": text})
    assert preview.status_code == 200
    browser.post("/preview/", fields(preview.content.decode(), "preview") | {"action": "save"})
    assert sorted(run.requests_per_second for run in Run.objects.all()) == sorted(RATES[seed])
    found = []
    for experiment in Experiment.objects.all():
        page = browser.get(experiment.get_absolute_url()).content.decode()
        found += re.findall(r'<a[^>]*href="/uploads/\d+/#L\d+"[^>]*><data value="([\d.]+)">', page)
    assert {str(rate) for rate in RATES[seed]} <= set(found)


def test_what_stands_beside_the_runs_of_seed_000_is_on_its_page(browser, shared):
    text = next((shared / "seeds").glob("000*.txt")).read_text(encoding="utf-8")
    preview = browser.post("/preview/", {"text": text}).content.decode()
    browser.post("/preview/", fields(preview, "preview") | {"action": "save"})
    first = browser.get(Experiment.objects.order_by("id")[0].get_absolute_url()).content.decode()
    assert "httpd: each, mean, during" in first
    assert "<code>WSGIApplicationGroup</code>" in first
    assert "<code>%{GLOBAL}</code>" in first
    assert "756.5 MiB" in first
    second = browser.get(Experiment.objects.order_by("id")[1].get_absolute_url()).content.decode()
    assert "18.27 MiB of swap in use" in second
    assert "ruby: each, mean" in second
