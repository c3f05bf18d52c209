"""Cost, scaling and config differences as a page shows them."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest

from runs.models import ConfigText, Experiment
from runs.tests import factories
from runs.tests.pages.page_html import figure_of

pytestmark = pytest.mark.django_db

RATES = {1: 900.0, 5: 3800.0, 10: 6100.0, 50: 10100.0, 200: 6500.0}
HOSTILE = "<script>alert(1)</script> | `x`"


def sweep(name: str = "worker") -> Experiment:
    made, text = factories.experiment("a sweep", host=factories.host(cores=4)), factories.upload()
    of = factories.config(made, name)
    for clients, rate in RATES.items():
        for repeat in (1, 2):
            told: dict[str, Any] = {"percentiles_ms": {"95": clients * 0.2}, "concurrency": clients, "repeat": repeat}
            told |= {"complete_requests": 200_000, "failed_requests": 0, "duration_s": 30.0, "host": made.host}
            command = f"ab -n 200000 -c {clients} http://web1/"
            factories.run(of, text, requests_per_second=rate * (1 + repeat / 100), command=command, **told)
    return made


def config_text(of: Any, content: str, path: str = "httpd.conf") -> None:
    ConfigText.objects.create(
        experiment=of.experiment,
        config=of,
        upload=factories.upload(),
        path=path,
        text=content,
        sha256=str(of.pk),
        block_key=f"t{of.pk}",
        line_first=30,
        line_last=30 + content.count("\n"),
    )


def words(browser: Any, of: Experiment) -> str:
    """The page's text, without its elements."""
    answer = browser.get(of.get_absolute_url())
    assert answer.status_code == 200
    page = re.sub(r"<script.*?</script>", "", answer.content.decode(), flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def test_a_sweep_is_told_in_a_sentence_with_a_table_and_a_figure(browser):
    made = sweep()
    page = words(browser, made)
    assert re.search(r"worker: by a fitted curve, req/s peaks at \d+ clients \(95 % interval \d+ to \d+\)", page)
    assert "The figures of 5 levels and of the fitted curve" in page
    notes = figure_of(browser, made.get_absolute_url(), "scaling")["layout"]["annotations"]
    assert notes[0]["text"].startswith("peak at ")


def test_cost_stands_with_its_sum_and_its_lines(browser):
    made = factories.memory_experiment()
    page = words(browser, made)
    assert "about 2.0 MB" in page and "about 2.3 MB" in page
    assert "MemFree + Inactive" in page


def test_directives_that_differ_stand_side_by_side(browser):
    made = factories.experiment("two")
    for name, clients in (("event", 400), ("worker", 150)):
        of = factories.config(made, name)
        factories.run(of, factories.upload())
        config_text(of, f"Timeout 60\nMaxRequestWorkers {clients}\n")
    page = words(browser, made)
    assert "httpd.conf: 1 of 2 directives differ between event and worker: MaxRequestWorkers." in page
    assert "400 line 31" in page and "150 line 31" in page


def test_identical_texts_are_said_to_be(browser):
    made = factories.experiment("two")
    for name in ("event", "worker"):
        of = factories.config(made, name)
        factories.run(of, factories.upload())
        config_text(of, "Timeout 60\nKeepAlive On\n")
    assert "identical in event and worker (2 directives compared)" in words(browser, made)


def test_what_a_text_says_is_never_markup(browser):
    made = sweep(HOSTILE)
    for name in ("b", "c"):
        of = factories.config(made, f"{name} {HOSTILE}")
        factories.run(of, factories.upload())
        config_text(of, f'ServerName "{name} {HOSTILE}"\nTimeout 5\n', f"{HOSTILE}.conf")
    for suffix in ("", "?format=html", "?format=md", "?format=json"):
        answer = browser.get(made.get_absolute_url() + suffix)
        assert answer.status_code == 200
        if suffix in ("", "?format=html"):
            assert "<script>alert" not in answer.content.decode()


def test_without_monitors_texts_and_levels_none_of_it_is_there(browser):
    made = factories.siege_experiment()
    page = words(browser, made)
    assert "Cost of serving" not in page
    assert "How it scales with concurrency" not in page
