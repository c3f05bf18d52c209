"""The search page: every kind of name, bounded, each hit leading to its page or its runs."""

from __future__ import annotations

import re

import pytest

from runs import ingest
from runs.ingest import Hints
from runs.models import Config, Experiment, Host
from runs.selectors import lists
from runs.tests import factories
from runs.tests.ingest.texts import session

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def stored(db: None) -> None:
    hints = Hints(host="web1", experiment="July", tags=("nightly",), build={"version": "2.4.1", "branch": "main"})
    ingest.submit(session(500, heading="worker:").encode(), origin="web", hints=hints)
    ingest.apply_deltas()


def links(browser, text: str) -> list[str]:
    return re.findall(r'href="([^"]+)" class="name"', browser.get("/search/", {"q": text}).text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("jul", ["/experiments/{experiment}/"]),
        ("WORK", ["/configs/{config}/"]),
        ("web1", ["/hosts/{host}/"]),
        ("night", ["/experiments/?tag=nightly"]),
        ("2.4", ["/runs/?version=2.4.1"]),
        ("mai", ["/runs/?branch=main"]),
        ("nginx", ["/runs/?server=nginx%2F1.22.1"]),
        ("ab", ["/runs/?command=ab+-n+1000+-c+10+http%3A%2F%2Flocalhost%3A8080%2Fpage.html", "/runs/?tool=ab"]),
        ("no-such-name", []),
        ("", []),
    ],
)
def test_a_name_is_found_and_leads_on(browser, text, found):
    pks = {model._meta.model_name: model.objects.get().pk for model in (Experiment, Config, Host)}
    assert links(browser, text) == [url.format(**pks) for url in found]


@pytest.mark.parametrize("text", ["2.4", "mai"])
def test_runs_of_a_build_are_listed(browser, text):
    (url,) = links(browser, text)
    assert 'aria-label="Select run' in browser.get(url).text
    assert "No run matches" in browser.get(url + "x").text


def test_many_hits_are_cut_and_it_says_so(browser, monkeypatch):
    monkeypatch.setattr(lists, "MAX_SHOWN", 3)
    made, text = factories.experiment(), factories.upload()
    for number in range(8):
        factories.run(factories.config(made, f"lot {number}"), text)
    ingest.apply_deltas()
    assert len(links(browser, "lot")) == 3
    assert "3+" in browser.get("/search/?q=lot").text
