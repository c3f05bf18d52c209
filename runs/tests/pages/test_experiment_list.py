"""The list of experiments: by host and by tag, page by page, and several of them compared."""

from __future__ import annotations

import re
from html import unescape

import pytest

from runs import ingest
from runs.ingest import Hints
from runs.models import Experiment, Host
from runs.tests.ingest.texts import ab, session
from runs.views import experiments

pytestmark = pytest.mark.django_db


def store(rate: int, name: str, *, origin: str = "web", **hints) -> Experiment:
    text = session(rate, heading="worker:") + session(rate + 50, heading="event:")
    ingest.submit(text.encode(), origin=origin, hints=Hints(experiment=name, **hints))
    ingest.apply_deltas()
    return Experiment.objects.get(name=name)


@pytest.fixture
def stored(db: None) -> list[Experiment]:
    july = store(500, "July", host="web1", tags=("nightly",))
    return [july, store(600, "August", host="web2", tags=("nightly", "php")), store(700, "May", host="web2")]


def names(browser, query: str = "") -> list[str]:
    text = browser.get(f"/experiments/?{query}").text
    return re.findall(r'class="name"><a href="[^"]+">([^<]+)</a>', text)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", ["May", "August", "July"]),
        ("tag=nightly", ["August", "July"]),
        ("tag=php&host=", ["August"]),
        ("tag=none", []),
        ("host={web2}", ["May", "August"]),
        ("host={web2}&tag=nightly", ["August"]),
    ],
)
def test_it_is_narrowed_by_host_and_tag(browser, stored, query, found):
    assert names(browser, query.format(web2=Host.objects.get(name="web2").pk)) == found


@pytest.mark.parametrize(("query", "found"), [("", ["May", "August"]), ("tag=nightly", ["August", "July"])])
def test_pages_follow_one_another(browser, stored, monkeypatch, query, found):
    monkeypatch.setattr(experiments, "CARDS", 1)
    after = re.search(r'href="\?([^"]*)" rel="next"', browser.get(f"/experiments/?{query}").text)
    assert names(browser, query) + names(browser, unescape(after[1])) == found


def test_selected_experiments_are_compared_in_the_order_given(browser, stored):
    july, august, _ = stored
    rows = browser.get(f"/compare/.json?experiments={august.pk}&experiments={july.pk}").json()["metrics"]
    rates = next(row for row in rows if row["key"] == "requests_per_second")
    assert [cell["mean"] for cell in rates["cells"]] == [600, 650, 500, 550]


def test_a_demo_is_marked(browser):
    store(500, "Sample", origin="sample")
    assert "demo" in browser.get("/").text
    store(600, "Sample", origin="web")
    assert "demo" not in re.sub(r"<form.*?</form>", "", browser.get("/experiments/").text)


def test_a_name_of_300_characters_is_cut_on_a_card(browser):
    store(500, "x" * 300)
    assert names(browser) == ["x" * 300]


def test_compare_with_puts_the_experiment_first_and_selects_it(browser, stored):
    july = stored[0]
    text = browser.get(f"/experiments/?host={stored[1].host_id}&compare={july.pk}").text
    assert names(browser, f"host={stored[1].host_id}&compare={july.pk}") == ["July", "May", "August"]
    assert re.findall(r'value="(\d+)"[^>]*\bchecked\b', text) == [str(july.pk)]


def test_the_card_of_a_sweep_has_a_bar_for_each_of_at_most_six_levels_and_no_mean_of_them(browser):
    levels = ((1, 300), (2, 500), (5, 700), (10, 900), (20, 905), (50, 910), (100, 800))
    text = "worker:\n\n" + "\n".join(
        f"$ ab -n 1000 -c {c} http://localhost:8080/page.html\n{ab(rate, c=c)}" for c, rate in levels
    )
    ingest.submit(text.encode(), origin="web", hints=Hints())
    browser.get(Experiment.objects.get().get_absolute_url())  # judges it
    page = browser.get("/experiments/").text
    assert re.search(r"sweep</b>", page)
    assert re.findall(r"<b>([\d,.]+)/s</b>", page) == ["300", "500", "700", "905", "910", "800"]
    assert 'title="1 connection"' in page and 'title="100 connections"' in page
