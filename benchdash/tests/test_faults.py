"""A server that is away or a full disk: what is answered and logged. `make faults` tries them on real servers."""

from __future__ import annotations

import errno
import logging
import os
import sqlite3
from contextlib import closing

import psycopg2
import pytest
from celery.signals import after_setup_logger, after_setup_task_logger
from django.contrib.auth.models import User
from django.core.cache.backends.redis import RedisCacheClient
from django.db import DatabaseError
from django.test import Client

from benchdash import caching, env, faults
from benchdash.faults import Fault, LogRarely, Outage, find_fault
from runs.accounts import make_token
from runs.models import Host
from runs.tests.installation import find_free_port


def full_sqlite(path) -> sqlite3.Error:
    with closing(sqlite3.connect(path)) as database, pytest.raises(sqlite3.OperationalError) as failed:
        database.execute("PRAGMA max_page_count = 1")
        database.execute("CREATE TABLE full (text)")
    return failed.value


def read_only_sqlite() -> sqlite3.Error:
    with closing(sqlite3.connect(":memory:")) as database, pytest.raises(sqlite3.OperationalError) as failed:
        database.execute("PRAGMA query_only = 1")
        database.execute("CREATE TABLE any (text)")
    return failed.value


def missing_table() -> sqlite3.Error:
    with closing(sqlite3.connect(":memory:")) as database, pytest.raises(sqlite3.OperationalError) as failed:
        database.execute("SELECT * FROM nothing")
    return failed.value


def postgresql_error(url: str, code: str) -> psycopg2.Error:
    with (
        closing(psycopg2.connect(url.rpartition("/")[0] + "/postgres")) as database,
        pytest.raises(psycopg2.Error) as failed,
    ):
        database.cursor().execute(f"DO $$ BEGIN RAISE EXCEPTION 'made' USING ERRCODE = '{code}'; END $$")
    return failed.value


def refused() -> psycopg2.Error:
    with pytest.raises(psycopg2.OperationalError) as failed:
        psycopg2.connect(f"postgresql://127.0.0.1:{find_free_port()}/none")
    return failed.value


def test_what_sqlite_and_the_system_say_is_known(tmp_path):
    assert find_fault(full_sqlite(tmp_path / "full")) == Fault.FULL
    assert find_fault(read_only_sqlite()) == Fault.READ_ONLY
    assert find_fault(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))) == Fault.FULL
    assert find_fault(FileNotFoundError(errno.ENOENT, "x")) is None
    assert find_fault(missing_table()) is None


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("53100", Fault.FULL),
        ("25006", Fault.READ_ONLY),
        ("57014", Fault.SLOW),
        ("40P01", Fault.CONFLICT),
        ("57P01", Fault.AWAY),
        ("53300", Fault.AWAY),
        ("42P01", None),
    ],
)
def test_what_postgresql_says_is_known(needs, code, fault):
    assert find_fault(postgresql_error(needs("postgresql"), code)) == fault


def test_a_refused_connection_is_a_server_that_is_away():
    assert find_fault(refused()) == Fault.AWAY


@pytest.fixture
def failing(monkeypatch):
    """A site whose lists of hosts raise this error, as Django does, and a client that is logged in."""

    def fail(error: BaseException) -> Client:
        def raise_it(*_: object, **__: object) -> None:
            raise DatabaseError(str(error)) from error

        monkeypatch.setattr("runs.selectors.lists.paginate", raise_it)
        monkeypatch.setattr("runs.api.views.HostViews.filter_queryset", raise_it)
        client = Client(raise_request_exception=False)
        client.force_login(User.objects.create_user("ann"))
        return client

    return fail


@pytest.mark.django_db
def test_a_database_that_is_away_is_503_with_a_sentence(failing):
    client = failing(refused())
    page, rest = client.get("/hosts/"), client.get("/api/v1/hosts/")
    assert (page.status_code, rest.status_code) == (503, 503)
    assert page["Retry-After"] == rest["Retry-After"] == "10"
    assert "The database does not answer." in page.text
    assert rest.json() == {"errors": [{"line": None, "message": Fault.AWAY.message}]}


@pytest.mark.django_db
def test_a_full_disk_is_507_with_a_sentence(failing, tmp_path):
    client = failing(full_sqlite(tmp_path / "full"))
    page = client.get("/hosts/", headers={"accept": "application/json"})
    assert page.status_code == 507
    assert page.json()["errors"][0]["message"] == "The server's disk is full. Nothing was stored."


@pytest.mark.django_db
def test_reading_with_a_token_goes_on_where_its_use_cannot_be_noted(monkeypatch):
    def refuse(*_: object, **__: object) -> None:
        raise DatabaseError from read_only_sqlite()

    _, token = make_token(user=User.objects.create_user("ann"), name="test")
    Host.objects.create(name="web1")
    monkeypatch.setattr("django.db.models.query.QuerySet.update", refuse)
    answer = Client(headers={"authorization": f"Bearer {token}"}).get("/api/v1/hosts/")
    assert [host["name"] for host in answer.json()["results"]] == ["web1"]


def test_a_fault_is_logged_once_in_a_while_without_a_traceback(monkeypatch):
    lines: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(handler.format(record))
    handler.addFilter(LogRarely())
    log = logging.Logger("made")
    log.addHandler(handler)
    refused_once = refused()
    for _ in range(500):
        log.error("Failed: %s", "/", exc_info=refused_once)
    assert len(lines) == 1
    assert lines[0].startswith("The database does not answer.")
    assert "Traceback" not in lines[0]
    log.error("Failed", exc_info=missing_table())
    assert "Traceback" in lines[1]
    now = faults.monotonic()
    monkeypatch.setattr(faults, "monotonic", lambda: now + 11)
    for _ in range(2):
        log.error("Failed: %s", "/", exc_info=refused_once)
    assert len(lines) == 3
    assert "499 more" in lines[2]


def test_a_server_that_is_away_is_asked_by_one_caller_at_a_time(monkeypatch):
    outage = Outage()
    assert not outage.lasts()
    assert outage.begin()
    assert outage.lasts()
    now = faults.monotonic()
    monkeypatch.setattr(faults, "monotonic", lambda: now + 11)
    assert [outage.lasts() for _ in range(3)] == [False, True, True]
    assert not outage.begin()
    outage.end()
    assert not outage.lasts()


def test_a_cache_that_is_away_is_empty_and_says_so_once(monkeypatch, caplog):
    monkeypatch.setattr(caching, "outage", Outage())
    cache = caching.RedisCache(f"redis://127.0.0.1:{find_free_port()}/0", {})
    cache.set("key", [1.0])
    assert cache.get("key", "nothing") == "nothing"
    assert cache.add("key", 1)
    assert cache.incr("key") == 1
    assert len(caplog.records) == 1
    public = {name for name, value in vars(RedisCacheClient).items() if callable(value) and not name.startswith("_")}
    assert public - {"get_client"} <= set(vars(caching.Client))


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({}, "-c statement_timeout=300s"),
        ({"options": "-c statement_timeout=30s"}, "-c statement_timeout=300s"),
        ({"options": "-c search_path=load"}, "-c search_path=load"),
    ],
)
def test_a_statement_of_a_worker_has_a_longer_limit(monkeypatch, given, wanted):
    monkeypatch.delenv("STATEMENT_TIMEOUT_S", raising=False)
    database = {"ENGINE": "django.db.backends.postgresql", "OPTIONS": given}
    env.limit_statements_of_worker(database)
    assert database["OPTIONS"] == {"options": wanted}
    monkeypatch.setenv("STATEMENT_TIMEOUT_S", "0")
    unlimited = {"ENGINE": "django.db.backends.postgresql", "OPTIONS": {}}
    env.limit_statements_of_worker(unlimited)
    assert unlimited["OPTIONS"] == {}


@pytest.mark.parametrize("signal", [after_setup_logger, after_setup_task_logger])
def test_handlers_of_celery_log_a_fault_once_in_a_while(signal):
    log = logging.Logger("made")
    log.addHandler(logging.NullHandler())
    for _ in range(2):
        signal.send(sender=None, logger=log)
    assert [type(one) for one in log.handlers[0].filters] == [LogRarely]
