"""What lists ask of the database: as much for many rows as for few, and never a count, an offset or all distinct values."""

from __future__ import annotations

import re

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from runs import ingest
from runs.ingest import Hints
from runs.models import Host, Run
from runs.tests import factories
from runs.tests.ingest.texts import session

pytestmark = pytest.mark.django_db
MOST = 14
NARROWED = (
    *("tool=ab", "config=worker", "host=web1", "experiment=July", "tag=nightly", "server=nginx/1.22.1", "command=x"),
    *("min_rps=1&max_rps=900", "since=2000-01-01", "sort=id", "sort=rps", "sort=-rps", "fingerprint=f"),
    *(
        "q=worker",
        "q=no-such-name",
        "q=w",
        "tool=ab&sort=-rps",
        "q=worker&sort=rps",
        "tag=nightly&tool=ab&since=2000-01-01",
    ),
)
PAGES = [
    *("/", "/search/?q=worker", "/api/", "/experiments/", "/hosts/", "/uploads/", "/trends/", "/runs/"),
    *(f"/runs/?{query}" for query in NARROWED),
]
REST = [
    *(f"/api/v1/{name}/" for name in ("runs", "hosts", "configs", "experiments", "uploads", "captures")),
    "/api/v1/runs/?limit=100",
    *("/api/v1/runs/?tag=nightly", "/api/v1/runs/?config=worker&host=web1&since=2000-01-01&min_rps=1"),
    *(
        "/api/v1/captures/?experiment=July&tool=meminfo",
        "/api/v1/configs/?name=worker",
        "/api/v1/uploads/?status=ready",
    ),
]
ADMIN = ["run", "capture", "config", "experiment", "host", "upload"]
# A join does not multiply the rows of a list; subqueries that count what hangs on one row of a page have an index.
COSTLY = {
    "a count of all": re.compile(r"COUNT\(\*\)", re.I),
    "an offset": re.compile(r"\bOFFSET\b", re.I),
    "distinct values of all": re.compile(r"SELECT DISTINCT|COUNT\(DISTINCT", re.I),
    "a text looked for in all runs": re.compile(r"runs_run\"\.\"\w+\"(?:::text)?\)? LIKE", re.I),
}


def store(number: int) -> None:
    """An upload with a meminfo and an ab of each rate."""
    hints = Hints(host="web1", experiment="July", tags=("nightly", "php"))
    ingest.submit(session(500 + number, 600 + number, heading="worker:").encode(), origin="web", hints=hints)
    ingest.apply_deltas()


def asked(client, url: str) -> list[str]:
    cache.clear()  # no page finds what the one before it has kept
    with CaptureQueriesContext(connection) as queries:
        assert client.get(url).status_code == 200, url
    return [query["sql"] for query in queries]


@pytest.fixture
def admin_browser(client):
    client.force_login(User.objects.create_superuser("ann"))
    return client


def test_they_take_as_many_queries_for_many_rows_as_for_few(admin_browser):
    store(1)
    few = {url: len(asked(admin_browser, url)) for url in (*PAGES, *REST)}
    for number in range(2, 8):
        store(number)
    factories.wsgi_experiment(n_configs=3, n_repeats=2)
    assert {url: len(asked(admin_browser, url)) for url in few} == few
    assert {url: n for url, n in few.items() if n > MOST} == {}


def test_no_list_asks_for_what_is_costly(admin_browser):
    for number in range(60):
        factories.run(factories.config(factories.experiment("July"), f"c{number}"), factories.upload())
    store(1)
    pages = [
        *PAGES,
        *REST,
        *(f"/admin/runs/{name}/" for name in ADMIN),
        "/runs/?after=40",
        "/runs/?sort=rps&after=617.01,40",
    ]
    # The home page shows a few jobs that run now, with their steps; neither is a table of many rows.
    sqls = [(url, sql) for url in pages for sql in asked(admin_browser, url) if "runs_job" not in sql]
    assert [(what, *found) for found in sqls for what, pattern in COSTLY.items() if pattern.search(found[1])] == []


def test_the_admin_has_a_list_of_each_of_these():
    assert {model._meta.model_name for model in admin.site._registry} >= set(ADMIN)


def test_a_page_of_one_thing_takes_as_many_queries_for_much_as_for_little(admin_browser):
    counts = []
    for number in (1, 2, 3):
        store(number)
        run = Run.objects.order_by("pk").first()
        things = (run, run.config, run.host, run.experiment, run.upload)
        counts.append([len(asked(admin_browser, thing.get_absolute_url())) for thing in things])
    assert counts[0] == counts[1] == counts[2]
    assert Host.objects.get().n_runs == 6
