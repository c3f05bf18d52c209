"""The list of runs: what it is narrowed by, what a search finds, and pages that follow one another."""

from __future__ import annotations

import re
from html import unescape

import pytest

from runs import ingest
from runs.ingest import Hints
from runs.models import Config, Host, Run
from runs.selectors import lists
from runs.tests import factories
from runs.tests.ingest.texts import session
from runs.tests.pages.page_html import collapse

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def stored(db: None) -> None:
    submit(500, 600, heading="worker:", host="web1", experiment="July", tags=("nightly",))
    submit(700, heading="event:", host="web2", experiment="August 2.4")
    submit(800, heading="prefork:", host="db1", experiment="August 2.4", tags=("nightly", "php"))


def submit(*rates: float, heading: str, **hints) -> None:
    ingest.submit(session(*rates, heading=heading).encode(), origin="web", hints=Hints(**hints))
    ingest.apply_deltas()


def page(browser, query: str) -> str:
    return collapse(str(browser.get(f"/runs/?{query}").text))


def rates(browser, query: str | None) -> list[float]:
    """The rates on all pages, one after the other."""
    found: list[float] = []
    while query is not None:
        text = page(browser, query)
        ids = re.findall(r'name="runs" value="(\d+)"', text)
        known = dict(Run.objects.filter(pk__in=ids).values_list("pk", "requests_per_second"))
        found += [known[int(pk)] or 0 for pk in ids]
        following = re.search(r'href="\?([^"]*)" rel="next"', text)
        query = unescape(following[1]) if following else None
    return found


FOUND = {
    "": [800, 700, 600, 500],
    "sort=id": [500, 600, 700, 800],
    "sort=rps": [500, 600, 700, 800],
    "tool=ab&sort=-rps": [800, 700, 600, 500],
    "tool=siege": [],
    "config=worker": [600, 500],
    "host=web2": [700],
    "experiment=August 2.4": [800, 700],
    "tag=nightly": [800, 600, 500],
    "tag=nightly&sort=rps": [500, 600, 800],
    "tag=nightly&config=worker&sort=id": [500, 600],
    "tag=none": [],
    "server=nginx/1.22.1&min_rps=550&max_rps=750": [700, 600],
    "command=ab -n 1000 -c 10 http://localhost:8080/page.html": [800, 700, 600, 500],
    "since=2999-01-01": [],
    "since=2000-01-01": [800, 700, 600, 500],
    "config=nothing": [],
    "host=nothing": [],
    "min_rps=fast": [800, 700, 600, 500],
    "q=WORK": [600, 500],
    "q=august": [800, 700],
    "q=web": [700, 600, 500],
    "q=web&sort=rps": [500, 600, 700],
    "q=web&tag=nightly": [600, 500],
    "q=php": [800],
    "q=nginx&tool=ab&sort=id": [500, 600, 700, 800],
    "q=%25": [],
    "q=nothing-like-it": [],
}


def test_it_holds_what_is_asked_for(browser):
    assert {query: rates(browser, query) for query in FOUND} == FOUND


def test_a_filter_that_makes_no_sense_is_said_to_be_none(browser):
    text = page(browser, "min_rps=fast")
    assert "Enter a number." in text and re.search(r"<details class=\"small\" open>\s*<summary>More filters", text)


def test_pages_follow_one_another(browser):
    submit(*range(1001, 1121), heading="worker:", experiment="July", tags=("nightly",))
    for query in ("", "tag=nightly", "q=worker", "q=worker&sort=rps", "tool=ab&sort=-rps", "sort=rps"):
        found = rates(browser, query)
        assert len(found) == len(set(found)) >= 122, query
        assert found == sorted(found, reverse=query not in ("q=worker&sort=rps", "sort=rps")), query


def test_filters_that_are_set_can_be_taken_away_one_by_one(browser):
    text = page(browser, "tool=ab&tag=nightly&sort=rps")
    assert 'href="?tag=nightly&amp;sort=rps" title="Remove this filter"> tool: ab' in text
    assert 'href="?tool=ab&amp;sort=rps" title="Remove this filter"> tag: nightly' in text


def test_the_form_says_how_many_runs_each_choice_has(browser):
    text = page(browser, "")
    assert '<option value="ab">ab (4)</option>' in text
    assert '<option value="worker">worker (2)</option>' in text and '<option value="web1">web1 (2)</option>' in text


def test_names_that_were_found_narrow_the_list(browser):
    text = page(browser, "q=web")
    web2 = Host.objects.get(name="web2")
    assert f'<a href="?host={web2.pk}">host web2</a>' in text
    assert rates(browser, f"host={web2.pk}") == [700]


def test_more_names_than_are_gone_by_are_said(browser):
    made, text = factories.experiment(), factories.upload()
    for number in range(8):
        factories.run(factories.config(made, f"lot {number}"), text)
    ingest.apply_deltas()
    found = page(browser, "q=lot")
    assert "More names match" in found and found.count(">config lot") == 5


@pytest.mark.parametrize("query", ["q=prefork", "q=worker", "q=php", "q=ab -n", "q=nginx"])
def test_a_name_that_is_not_among_the_most_used_is_found_as_well(browser, monkeypatch, query):
    among_the_most_used = rates(browser, query)
    monkeypatch.setattr(lists, "SCANNED", 1)
    assert rates(browser, query) == among_the_most_used != []


def test_what_is_narrowed_is_cut_before_it_is_sorted_by_rate(browser, monkeypatch):
    monkeypatch.setattr(lists, "MAX_SORTED", 2)
    text = page(browser, "tool=ab&sort=rps")
    assert "Only the newest 2 matches are sorted." in text
    assert "Sorted are" not in page(browser, "sort=rps")


def test_a_config_is_found_by_name_or_number(browser):
    config = Config.objects.get(name="event")
    assert rates(browser, f"config={config.pk}") == rates(browser, "config=event") == [700]


def test_a_run_without_a_rate_is_listed_but_not_among_rates(browser):
    Run.objects.filter(requests_per_second=500).update(requests_per_second=None)
    assert len(rates(browser, "")) == 4
    assert rates(browser, "sort=rps") == [600, 700, 800]
    assert rates(browser, "tool=ab&sort=rps") == [600, 700, 800]


def test_a_key_that_is_none_is_no_failure(browser):
    for after in ("x", "-1", "9" * 30, "nan,3", "1,x", "x,3", "²"):
        for query in ("", "sort=rps&", "tool=ab&sort=rps&", "q=worker&"):
            assert browser.get(f"/runs/?{query}after={after}").status_code == 200, (query, after)


def test_a_tool_that_is_not_counted_yet_stays_chosen(browser):
    assert '<option value="siege" selected>siege</option>' in page(browser, "tool=siege")
