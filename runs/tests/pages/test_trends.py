"""Trends: the list of them, and one config over time."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from html import unescape

import pytest

from runs import ingest
from runs.models import Config, Run
from runs.tests import factories
from runs.tests.pages.page_html import collapse, dots_of, figure_of, lines_of

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
    assert "12 % fewer requests per second since 13 March 2026: 881.0 instead of 1,001" in page
    assert "1 change in 24 days with 24 runs" in page
    assert "−12 % from 13 March 2026, n=12 against 12, p &lt; 0.01" in page
    assert "main over time" in page and "ab http://localhost/" in page and page.count("<tr>") == 25


def test_its_page_holds_its_figure(browser):
    figure = figure_of(browser, f"/trends/f{nightly(*STEP).pk}/", "trend")
    (centers,) = lines_of(figure)
    assert dots_of(figure)["hovertext"][0].startswith("2026-03-01") and len(dots_of(figure)["y"]) == 24
    assert centers["y"][2] is None and centers["y"][0] == pytest.approx(1001, abs=1)


def test_without_a_change_it_says_so(browser):
    page = collapse(browser.get(f"/trends/f{nightly(*[1000 + at % 3 for at in range(12)]).pk}/").text)
    assert "No change that 12 days with 12 runs would show" in page


def test_of_few_days_it_says_that_they_are_too_few_and_ticks_each(browser):
    url = f"/trends/f{nightly(1000).pk}/"
    assert "too few to tell a change" in collapse(browser.get(url).text)
    assert figure_of(browser, url, "trend")["layout"]["xaxis"]["ticktext"] == ["1 Mar"]


@pytest.mark.parametrize("form", ["json", "csv", "md"])
def test_it_answers_in_other_forms(browser, form):
    answer = browser.get(f"/trends/f{nightly(*STEP).pk}.{form}")
    assert answer.status_code == 200 and "2026-03-13" in answer.text
    assert browser.get(f"/trends.{form}").status_code == 200


def test_the_json_tells_the_change(browser):
    (change,) = browser.get(f"/trends/f{nightly(*STEP).pk}.json").json()["changes"]
    assert (change["from"], change["n"], change["n_before"]) == ("2026-03-13", 12, 12)


def test_the_trend_of_most_days_comes_first(browser):
    nightly(500, 510)
    nightly(*STEP, name="event")
    page = browser.get("/trends/").text
    assert page.index(">event<") < page.index(">main<")


@pytest.mark.parametrize(("n_days", "said"), [(1, "1 Mar 2026"), (3, "1 Mar 2026 – 3 Mar 2026 · Day by day")])
def test_an_experiment_says_the_days_of_its_runs_and_leads_to_their_trend(browser, n_days, said):
    setup, text = factories.config(factories.experiment("nightly"), "main"), factories.upload()
    for day in range(n_days):
        factories.run(setup, text, ran_at=datetime(2026, 3, 1 + day, 2, tzinfo=UTC))
    page = browser.get(setup.experiment.get_absolute_url()).text
    meta = collapse(re.sub(r"<[^>]*>", " ", page.partition('<p class="meta">')[2].partition("</p>")[0]))
    assert meta.strip().endswith(said)
    trend = re.search(r'href="(/trends/[^"]+)">Day by day', page)
    assert trend is None or trend[1] == f"/trends/{setup.runs.latest('pk').fingerprint}/"
    assert (trend is not None) == (n_days > 1)


def test_more_texts_than_a_page_lists_are_folded(browser):
    setup = factories.config(factories.experiment("nightly"), "main")
    for _ in range(7):
        factories.run(setup, factories.upload())
    page = collapse(browser.get(setup.experiment.get_absolute_url()).text)
    assert "<b>7 texts</b>" in page and "show them" in page


def test_runs_of_one_day_are_listed_where_asked_for(browser):
    nightly(500, name="once")
    assert ">once<" not in browser.get("/trends/").text
    assert ">once<" in browser.get("/trends/?all=1").text
    assert len(browser.get("/trends.json").json()["rows"]) == 1


def test_the_list_goes_on_without_a_gap_or_a_double(browser):
    for number in range(60):
        nightly(*[500] * (1 + number % 2), name=f"c{number}")
    seen, url = [], "/trends/?all=1"
    while url:
        page = browser.get(url).text
        seen += re.findall(r">(c\d+)<", page)
        following = re.search(r'href="(\?[^"]*)" rel="next"', page)
        url = f"/trends/{unescape(following[1])}" if following else ""
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


def test_a_run_is_on_the_day_it_was_made_and_not_on_that_of_its_upload(browser):
    setup = nightly(500, 510)
    text = factories.upload()
    factories.run(setup, text, ran_at=datetime(2014, 11, 21, 2, tzinfo=UTC), command="ab http://localhost/")
    ingest.apply_deltas()
    days = browser.get(f"/trends/f{setup.pk}.json").json()["days"]
    assert [day["day"] for day in days] == ["2014-11-21", "2026-03-01", "2026-03-02"]


def failing(setup: Config) -> Run:
    """A run on a day of its own, half of whose requests failed."""
    at = datetime(2026, 3, 9, tzinfo=UTC)
    figures = {"complete_requests": 1000, "failed_requests": 500, "values": {"failed_receive": 500, "failed_length": 0}}
    made = factories.run(setup, factories.upload(), created_at=at, **figures)
    ingest.apply_deltas()
    return made


def test_a_run_that_a_fatal_doubt_keeps_out_is_in_no_trend_until_it_is_overruled(browser, django_user_model):
    setup = nightly(500, 510)
    run, person = failing(setup), django_user_model.objects.create_user("ada")
    address = f"/trends/f{setup.pk}.json"
    assert len(browser.get(address).json()["days"]) == 2
    override = ingest.override_doubt("errors.failed", run=run, by=person, reason="they are expected")
    ingest.apply_deltas()
    assert [day["day"] for day in browser.get(address).json()["days"]][2:] == ["2026-03-09"]
    ingest.withdraw_override(override, by=person)
    ingest.apply_deltas()
    assert len(browser.get(address).json()["days"]) == 2


def test_counted_anew_such_a_run_stays_out(browser):
    setup = nightly(500, 510)
    failing(setup)
    Run.objects.update(doubted=None)
    ingest.recount()
    assert len(browser.get(f"/trends/f{setup.pk}.json").json()["days"]) == 2


def test_a_dip_of_a_few_days_is_two_changes_on_the_page_and_two_lines_in_its_figure(browser):
    around = [1000 + at % 3 for at in range(20)]
    url = f"/trends/f{nightly(*around, *[880 + at % 3 for at in range(6)], *around).pk}/"
    assert "2 changes in 46 days with 46 runs" in collapse(browser.get(url).text)
    shapes = figure_of(browser, url, "trend")["layout"]["shapes"]
    assert [date.fromordinal(shape["x0"]).isoformat() for shape in shapes] == ["2026-03-21", "2026-03-27"]
