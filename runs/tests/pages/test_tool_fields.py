"""A run's page says what its tool printed in words, with units, each figure on its line."""

from __future__ import annotations

import re

import pytest

from runs.ingest import make_run_fact
from runs.models import Run
from runs.presenters.tool_fields import arrange, main_figures, say_field
from runs.tests import factories


@pytest.mark.parametrize(
    ("name", "words", "unit"),
    [
        ("requests_per_second", "Requests per second", ""),
        ("html_transferred_bytes", "HTML transferred", "bytes"),
        ("transfer_rate_kbytes_per_s", "Transfer rate", "KiB/s"),
        ("processing_ms", "Processing", "ms"),
        ("mem_free_kb", "Memory free", "KiB"),
        ("cpu_us", "CPU, user", "%"),
        ("load15", "Load, 15 minutes", ""),
        ("sd", "Std. deviation", ""),
        ("http_req_failed", "HTTP requests failed", ""),
    ],
)
def test_a_field_is_named_in_words(name, words, unit):
    assert say_field(name) == (words, unit)


@pytest.mark.django_db
def test_fields_of_one_kind_are_one_table_and_figures_lead_to_their_lines():
    factories.wsgi_experiment()
    run = Run.objects.select_related("host").first()
    run.values = {
        "requests_per_second": 5.5,
        "server_port": 8080,
        "connect_ms": {"min": 1, "max": 2},
        "total_ms": {"min": 3, "max": 4},
    }
    run.values["percentiles_ms"] = {"50": 3, "99": 4}
    run.figure_lines = {"total_ms": 47}
    single, (times, percentiles) = arrange(make_run_fact(run))
    assert [(field.words, field.value) for field in single] == [("Requests per second", 5.5), ("Server port", "8080")]
    assert [group.words for group, _ in times.rows] == ["Connect", "Total"] and times.heads == ("Least", "Most")
    assert times.rows[1][1][0].url.endswith("#L47")
    assert [field.words for field, _ in percentiles.rows] == ["p50", "p99"]


@pytest.mark.django_db
def test_the_page_opens_with_the_figures_that_matter(browser):
    run = factories.wsgi_experiment().runs.select_related("host").first()
    page = browser.get(run.get_absolute_url()).text
    for field in main_figures(make_run_fact(run)):
        assert re.search(rf'<dt title="{field.name}">{field.words}</dt>', page)
