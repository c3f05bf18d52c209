"""Several tools' reports in one text: latencies in one unit, side by side, and what a tool cannot say is left blank."""

from __future__ import annotations

from pathlib import Path

import pytest

from runs import ingest
from runs.models import Experiment
from runs.tests.pages.test_pages import html, words

CAPTURES = Path(__file__).parents[3] / "parsers" / "tests" / "fixtures"
REPORTS = {
    "ab": "ab/ab_01_plain.txt",
    "wrk": "wrk/wrk_02_latency.txt",
    "hey": "hey/hey_01.txt",
    "vegeta": "vegeta/vegeta_01.txt",
}


@pytest.fixture
def made(db):
    parts = (f"## {name}\n\n{(CAPTURES / path).read_text(encoding='utf-8')}\n" for name, path in REPORTS.items())
    ingest.submit(("A comparison of tools\n\n" + "\n".join(parts)).encode(), origin="rest")
    return Experiment.objects.get()


def metric(browser, made, key):
    found = browser.get(f"/experiments/{made.pk}.json").json()["metrics"]
    cells = next(row for row in found if row["key"] == key)["cells"]
    return [[value["value"] for value in cell["values"]] if cell else [] for cell in cells]


def test_latencies_of_all_tools_are_in_ms(browser, made):
    """ab prints ms, wrk us and ms, hey seconds, and vegeta µs, ms and s as they come."""
    assert metric(browser, made, "p50_ms") == [[33.0], [8.81], [15.1], [0.209715]]
    assert metric(browser, made, "max_ms") == [[74.0], [93.79], [84.4], [1032.0]]


def test_what_a_tool_cannot_say_is_blank(browser, made):
    assert metric(browser, made, "p95_ms") == [[52.0], [], [48.5], [1.69]]
    assert metric(browser, made, "p75_ms")[3] == []


def test_the_doubt_says_that_tools_differ_and_what_a_set_rate_changes(browser, made):
    text = words(html(browser, made.get_absolute_url()))
    assert "tool vegeta against ab" in text
    assert "coordinated omission" in text
