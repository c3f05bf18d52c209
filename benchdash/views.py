"""/readyz, and the error pages: under /api/ errors have the one shape of the API."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from functools import cache
from http import HTTPStatus
from time import monotonic
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.contrib.sessions.models import Session
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.views import defaults
from django.views.decorators.cache import never_cache

from benchdash.celery import app
from benchdash.faults import Fault, find_fault

MESSAGES = {
    HTTPStatus.BAD_REQUEST: "Bad request: check its host name, headers and form.",
    HTTPStatus.FORBIDDEN: "You do not have this permission.",
    HTTPStatus.NOT_FOUND: "There is nothing at this URL; /api/v1/schema/ lists all URLs.",
    HTTPStatus.INTERNAL_SERVER_ERROR: "Server error; its log has details.",
}


def _error_view(status: HTTPStatus, page: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    def handle(request: HttpRequest, *args: Any, **more: Any) -> HttpResponse:
        if not request.path_info.startswith("/api/"):
            return page(request, *args, **more)
        return JsonResponse({"errors": [{"line": None, "message": MESSAGES[status]}]}, status=status)

    return handle


bad_request = _error_view(HTTPStatus.BAD_REQUEST, defaults.bad_request)
permission_denied = _error_view(HTTPStatus.FORBIDDEN, defaults.permission_denied)
page_not_found = _error_view(HTTPStatus.NOT_FOUND, defaults.page_not_found)
_server_error = _error_view(HTTPStatus.INTERNAL_SERVER_ERROR, defaults.server_error)


def server_error(request: HttpRequest) -> HttpResponse:
    """Every exception that nothing else handles comes here, whichever middleware or view it is from."""
    fault = find_fault(sys.exc_info()[1])
    if fault == Fault.CONFLICT:
        request.META["benchdash.conflict"] = True  # asgi.py then makes the request once more
    return _server_error(request) if fault is None else _answer(request, fault)


def _answer(request: HttpRequest, fault: Fault) -> HttpResponse:
    """503 or 507 with a sentence. The page asks nothing of the database: not even who is logged in."""
    if request.path_info.startswith("/api/") or request.headers.get("Accept") == "application/json":
        response: HttpResponse = JsonResponse(
            {"errors": [{"line": None, "message": fault.message}]}, status=fault.status
        )
    else:
        content = render_to_string("500.html", {"message": fault.message})
        response = HttpResponse(content, status=fault.status)
    if fault.retry_after_s:
        response.headers["Retry-After"] = str(fault.retry_after_s)
    return response


# --- whether the site is ready ---------------------------------------------------------------------------------------------

FREE_BYTES = 512 * 2**20  # that DATA_DIR should have
PING_S = 1.0
FRESH_S = 5  # that an answer is given again, so that many who ask cost no more than one
OK = "ok"


@login_not_required
@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """Whether this installation can do its work: 200 where every part is ok, else 503; {part: "ok" or a sentence}.

    asgi.py answers it in a thread of its own.
    """
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
