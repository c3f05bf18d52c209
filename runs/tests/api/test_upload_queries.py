"""What an upload asks of the database does not grow with what is in it."""

from __future__ import annotations

import re
from itertools import groupby

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from runs.accounts import make_token
from runs.models import Run, Upload
from runs.tests.ingest.texts import ab

pytestmark = pytest.mark.django_db


@pytest.fixture
def asked(django_capture_on_commit_callbacks):
    """Sends a text and gives what was asked of the database, after an upload of the same kind in the same process."""
    _, token = make_token(user=User.objects.create_user("joe"), name="test")
    api = Client(headers={"authorization": f"Bearer {token}"})

    def send(text: str, query: str = "") -> list[str]:
        with CaptureQueriesContext(connection) as captured, django_capture_on_commit_callbacks(execute=True):
            answer = api.post(f"/api/v1/uploads/{query}", data=text, content_type="text/plain")
        assert answer.status_code == 201
        return [query["sql"] for query in captured if "SAVEPOINT" not in query["sql"]]

    send(sections(100, 400))
    return send


def sections(n: int, rate: float) -> str:
    return "\n".join(f"Setting {k // 5}, run {k % 5 + 1}:\n\n{ab(rate + k)}" for k in range(n))


def statements(queries: list[str]) -> list[str]:
    """What each does to which table. SQLite gets a large INSERT in parts: one each.

    Whether a file of single requests waits for one of the runs is asked where their tool writes such files.
    """
    found = [
        f"{verb} {table}"
        for query in queries
        for verb, table in re.findall(r'^(SELECT|INSERT|UPDATE|DELETE).*?(?:INTO|FROM|UPDATE) "(\w+)"', query, re.M)
        if table != "runs_timing"
    ]
    return [statement for statement, _ in groupby(found)]


def test_a_hundred_reports_take_as_many_queries_as_one(asked):
    one, many = asked(sections(1, 500)), asked(sections(100, 700))
    assert all(sum('INTO "runs_run"' in query for query in queries) == 1 for queries in (one, many))
    one, hundred = statements(one), statements(many)
    assert (Upload.objects.count(), Run.objects.count()) == (3, 201)
    assert one == hundred
    assert one == [
        *("SELECT runs_apitoken", "SELECT runs_upload"),  # who asks, and whether the text is there
        *(f"INSERT runs_{table}" for table in ("experiment", "config", "upload")),
        *("SELECT runs_facet", "INSERT runs_run", "INSERT runs_tally"),
    ]


def test_a_small_upload_takes_few_queries(asked):
    # Those above, one for files of single requests that wait for a run, and on PostgreSQL a lock that forms of several texts want.
    assert len(asked(sections(1, 500))) == 9 + (connection.vendor == "postgresql")


def test_an_upload_to_a_known_place_takes_as_many_whatever_is_there(asked):
    place = "?experiment=July&host=web1"
    asked(sections(1, 500), place)
    few = statements(asked(sections(1, 510), place))
    asked(sections(100, 700), place)
    assert statements(asked(sections(1, 520), place)) == few
    assert not any(query.startswith(("UPDATE", "DELETE")) for query in few)
