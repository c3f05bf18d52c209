"""/readyz: each part that is not ready says so, and the others are looked at all the same."""

from __future__ import annotations

import asyncio
import shutil
import threading
from collections import namedtuple
from typing import Any

import pytest
from django.db import connection, connections
from django.db.migrations.executor import MigrationExecutor
from kombu.exceptions import OperationalError

from benchdash import asgi, views
from benchdash.faults import Fault

pytestmark = pytest.mark.django_db
ALL_OK = dict.fromkeys(views.CHECKS, "ok")


@pytest.fixture(autouse=True)
def _workers(monkeypatch):
    views._check_all.cache_clear()
    monkeypatch.setattr(views.app.control, "ping", lambda timeout: [{"texts@a": {}}, {"loads@a": {}}])


def read_parts(client) -> tuple[int, dict[str, str]]:
    answer = client.get("/readyz")
    return answer.status_code, {part: said for part, said in answer.json().items() if said != "ok"}


def test_where_all_is_well_it_is_200_for_anybody(client):
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()) == (200, ALL_OK)
    assert "no-store" in answer.headers["Cache-Control"]


def test_many_who_ask_at_once_are_one_look(client, monkeypatch, django_assert_num_queries):
    monkeypatch.setattr(views, "monotonic", lambda: 1000.0)
    client.get("/readyz")
    with django_assert_num_queries(0):
        client.get("/readyz")


@pytest.mark.django_db(transaction=True)
def test_a_database_that_takes_no_changes_is_named(client):
    name = "PRAGMA query_only" if connection.vendor == "sqlite" else "SET default_transaction_read_only"
    with connection.cursor() as cursor:
        cursor.execute(f"{name}=on")
        try:
            assert read_parts(client) == (503, {"database": Fault.READ_ONLY.message})
        finally:
            cursor.execute(f"{name}=off")


def test_missing_migrations_workers_and_space_are_named(client, monkeypatch):
    monkeypatch.setattr(MigrationExecutor, "migration_plan", lambda *_: [1, 2])
    monkeypatch.setattr(views.app.control, "ping", lambda timeout: [{"loads@a": {}}])
    monkeypatch.setattr(shutil, "disk_usage", lambda _: namedtuple("Usage", "free")(2**20))
    assert read_parts(client) == (
        503,
        {
            "migrations": "2 migrations are not applied: restart the web server.",
            "worker": "No answer from the worker for texts.",
            "disk": "1 MiB are free in DATA_DIR.",
        },
    )


def test_without_the_queue_no_worker_is_asked(client, monkeypatch):
    def fail() -> Any:
        raise OperationalError("Error 111 connecting to redis:6379")

    monkeypatch.setattr(views.app, "connection_for_write", fail)
    assert read_parts(client) == (503, dict.fromkeys(["broker", "worker"], Fault.QUEUE.message))


@pytest.mark.django_db(transaction=True)
def test_it_answers_while_all_threads_for_pages_are_busy():
    end, statuses = threading.Event(), []
    for _ in range(20):
        asgi.PAGES.submit(end.wait, 30)

    async def send(message: dict[str, Any]) -> None:
        statuses.append(message.get("status"))

    async def receive() -> dict[str, Any]:
        return {"type": "http.request"}

    scope = {"method": "GET", "query_string": b"", "http_version": "1.1", "scheme": "http", "headers": []}
    scope |= {"server": ("localhost", 80), "client": ("127.0.0.1", 5)}
    try:
        for path in ("/healthz", "/readyz", "/static/nothing"):
            asyncio.run(asyncio.wait_for(asgi.application(scope | {"path": path}, receive, send), 20))
    finally:
        end.set()
        asgi.OWN_THREADS["/readyz"].submit(connections.close_all).result()
    assert [status for status in statuses if status] == [200, 200, 404]
