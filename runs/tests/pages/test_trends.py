"""Trends: the list of them, and one config over time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from runs import ingest
from runs.models import Config
from runs.tests import factories
from runs.tests.pages.page_html import collapse, figures

pytestmark = pytest.mark.django_db


def nightly(*rates: float, name: str = "main") -> Config:
    """A run a day of one config, and the tallies taken in."""
    setup, text = factories.config(factories.experiment("nightly"), name), factories.upload()
    for day, rate in enumerate(rates):
        at = datetime(2026, 3, 1, 2, tzinfo=UTC) + timedelta(days=day)
        factories.run(setup, text, requests_per_second=rate, created_at=at, command="ab http://localhost/")
    ingest.apply_deltas()
    return setup


STEP = [1000 + at % 3 for at in range(12)] + [880 + at % 3 for at in range(12)]


def test_a_step_is_told_in_words_and_in_the_table(browser):
    page = collapse(browser.get(f"/trends/f{nightly(*STEP).pk}/").text)
    assert "1 change in 24 days with 24 runs" in page
    assert "−12 % from 13 March 2026, n=12 against 12, p &lt; 0.01" in page
    assert "main over time" in page and "ab http://localhost/" in page and page.count("<tr>") == 25


def test_its_page_holds_its_figure(browser):
    page = browser.get(f"/trends/f{nightly(*STEP).pk}/").text
    band, _, days, centers = figures(page)["trend"]["data"]
    assert days["x"][0] == "2026-03-01" and len(days["y"]) == len(band["y"]) == 24
    assert centers["y"][2] is None and centers["y"][0] == pytest.approx(1001, abs=1)


def test_without_a_change_it_says_so(browser):
    page = collapse(browser.get(f"/trends/f{nightly(*[1000 + at % 3 for at in range(12)]).pk}/").text)
    assert "No change that 12 days with 12 runs would show" in page


def test_of_few_days_it_says_that_they_are_too_few_and_ticks_each(browser):
    page = browser.get(f"/trends/f{nightly(1000).pk}/").text
    assert "n=1 run on 1 day: too few days to tell a change" in collapse(page)
    assert figures(page)["trend"]["layout"]["xaxis"]["tickvals"] == ["2026-03-01"]


@pytest.mark.parametrize("form", ["json", "csv", "md"])
def test_it_answers_in_other_forms(browser, form):
    answer = browser.get(f"/trends/f{nightly(*STEP).pk}.{form}")
    assert answer.status_code == 200 and "2026-03-13" in answer.text
    assert browser.get(f"/trends.{form}").status_code == 200


def test_the_json_tells_the_change(browser):
    (change,) = browser.get(f"/trends/f{nightly(*STEP).pk}.json").json()["changes"]
    assert (change["from"], change["n"], change["n_before"]) == ("2026-03-13", 12, 12)


def test_the_most_used_trend_comes_first(browser):
    nightly(500, 510)
    nightly(*STEP, name="event")
    page = browser.get("/trends/").text
    assert page.index(">event<") < page.index(">main<")


def test_the_list_goes_on_without_a_gap_or_a_double(browser):
    for number in range(60):
        nightly(*[500] * (1 + number % 2), name=f"c{number}")
    from re import findall, search

    seen, url = [], "/trends/"
    while url:
        page = browser.get(url).text
        seen += findall(r">(c\d+)<", page)
        following = search(r'href="(\?[^"]*)" rel="next"', page)
        url = f"/trends/{following[1]}" if following else ""
    assert len(seen) == len(set(seen)) == 60


def test_a_fingerprint_that_is_none_is_not_found(browser):
    assert browser.get("/trends/nothing/").status_code == 404


def test_a_config_and_a_run_lead_to_their_trend(browser):
    setup = nightly(500, 510)
    address = f"/trends/f{setup.pk}/"
    assert address in browser.get(setup.get_absolute_url()).text
    assert address in browser.get(setup.runs.first().get_absolute_url()).text


def test_a_run_that_is_left_out_is_in_no_trend(browser):
    setup = nightly(500, 510)
    ingest.changes.set_counted(setup.runs.get(requests_per_second=510), False)
    ingest.apply_deltas()
    assert browser.get(f"/trends/f{setup.pk}.json").json()["days"][0]["n"] == 1
    assert len(browser.get(f"/trends/f{setup.pk}.json").json()["days"]) == 1
