"""/readyz: whether this installation can do its work, part by part. asgi.py answers it in a thread of its own."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import cache
from time import monotonic

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.contrib.sessions.models import Session
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache

from benchdash.celery import app
from benchdash.faults import find_fault

FREE_BYTES = 512 * 2**20  # that DATA_DIR should have
PING_S = 1.0
FRESH_S = 5  # that an answer is given again, so that many who ask cost no more than one
OK = "ok"


@login_not_required
@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """200 where every part is ok, else 503: {part: "ok" or a sentence}."""
    parts = _check_all(int(monotonic() / FRESH_S))
    return JsonResponse(parts, status=200 if set(parts.values()) == {OK} else 503)


@cache
def _check_all(moment: int) -> dict[str, str]:
    _check_all.cache_clear()  # the moments before
    return {name: _run(check) for name, check in CHECKS.items()}


def _run(check: Callable[[], str]) -> str:
    try:
        return check()
    except Exception as error:  # whatever fails, this part is not ready and the others are looked at
        fault = find_fault(error)
        return fault.message if fault else f"It failed: {type(error).__name__}."


def _database() -> str:
    # It changes nothing, and fails where nothing can be changed.
    Session.objects.filter(session_key="").update(session_data="")
    return OK


def _migrations() -> str:
    executor = MigrationExecutor(connection)
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return f"{len(missing)} migrations are not applied: restart the web server." if missing else OK


def _broker() -> str:
    with app.connection_for_write() as broker:
        broker.ensure_connection(max_retries=1, interval_start=0)
    return OK


def _worker() -> str:
    if (broker := _run(_broker)) != OK:
        return broker
    seen = {name.partition("@")[0] for reply in app.control.ping(timeout=PING_S) or [] for name in reply}
    missing = [f"the worker for {name}" for name in ("texts", "loads") if name not in seen]
    return f"No answer from {' and '.join(missing)}." if missing else OK


def _disk() -> str:
    free = shutil.disk_usage(settings.DATA_DIR).free
    return OK if free >= FREE_BYTES else f"{free >> 20} MiB are free in DATA_DIR."


CHECKS = {"database": _database, "migrations": _migrations, "broker": _broker, "worker": _worker, "disk": _disk}
