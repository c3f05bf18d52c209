"""The ASGI application: the event loop receives whole requests and sends responses, threads run Django (WSGI) in between.

A slow client occupies a connection and perhaps a file, never a thread. Larger bodies are in unnamed temporary files in DATA_DIR.
Bodies of more than FREE_BYTES are accepted only at the URLs for texts, and only with a login or a valid token.
"""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import os
import re
import signal
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import closing, suppress
from http import HTTPStatus
from io import BytesIO
from math import ceil
from tempfile import SpooledTemporaryFile
from time import monotonic
from typing import IO, Any, TypeVar
from weakref import WeakValueDictionary

from django.conf import settings
from django.core.handlers.wsgi import WSGIRequest
from django.core.wsgi import get_wsgi_application
from django.db import DatabaseError
from django.http.response import HttpResponseBase

from benchdash.faults import watch_postgresql

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchdash.settings")
os.environ.setdefault("STATEMENT_TIMEOUT_S", "30")
watch_postgresql(patience_s=3)
wsgi = get_wsgi_application()

from rest_framework.throttling import BaseThrottle  # noqa: E402

from benchdash.middleware import Refusal  # noqa: E402
from runs.accounts import is_known  # noqa: E402
from runs.ingest import reject_too_large  # noqa: E402
from runs.management.processes import end_with_parent  # noqa: E402

FREE_BYTES = 2**16  # that any client may send to any URL
FORM_FIELDS_BYTES = 2**20  # of a form without its files
TEXT_PATHS = {"/api/v1/uploads/", "/preview/", "/uploads/send/"}
MEMORY_BYTES = 2**20  # of a body; a larger one is in a file
PIECE_BYTES = 2**16
LINGER_S = 2.0
LEAST_RATE = 1024  # bytes/s that a sender must reach on average
PATIENCE_S = 30.0  # that a sender may be behind that rate, and that a piece of the response may wait for the client
NEW_OBJECTS = 50_000  # between two passes of the garbage collector: more than most pages create

# Requests mostly wait for the database, so a process has several threads. Requests that must not wait for these, and those that
# would keep them busy (texts, password hashing, pages of thousands of configs or runs), have their own threads, by URL prefix.
PAGES = ThreadPoolExecutor(4)
LOGINS = ThreadPoolExecutor(2)
TEXTS = ThreadPoolExecutor(2)
COMPARISONS = ThreadPoolExecutor(2)  # at addresses that took up to SLOW_S the last time
LARGE = ThreadPoolExecutor(1)  # at those that took longer
NEW = ThreadPoolExecutor(2)  # at those of which nothing is known
SLOW_S, MOST_KNOWN = 1.0, 10_000
TURN_S = 5.0  # that a login waits for others of its client: nobody looks at a page that comes later
OWN_THREADS = {
    **{f"{path}$": TEXTS for path in TEXT_PATHS},
    "/readyz": ThreadPoolExecutor(1),
    "/static/": ThreadPoolExecutor(2),
    r"(/api/v1)?/(experiments/\d|uploads/\d|compare/)": COMPARISONS,
    "/login/": LOGINS,
    "/admin/login/": LOGINS,
    "/password/": LOGINS,
}

is_slow: dict[str, bool] = {}  # the addresses of comparisons visited last
# By client: each has one password hashed at a time, so that whoever tries many does not keep others waiting.
turns = WeakValueDictionary[str, asyncio.Lock]()

Message = dict[str, Any]
Environ = dict[str, Any]
Headers = list[tuple[str, str]]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Answer = tuple[int, Headers, IO[bytes]]
Result = TypeVar("Result")


class Request(WSGIRequest):
    """Queries and forms are UTF-8, whatever the charset of the content type: Python's "rot13" and "undefined" raise in Django."""

    @property
    def encoding(self) -> str:
        return "utf-8"

    @encoding.setter
    def encoding(self, named: str) -> None:
        """Ignored: texts are decoded by their content."""


wsgi.request_class = Request


async def application(scope: Message, receive: Receive, send: Send) -> None:
    if scope["path"] == "/healthz":
        return await _send(send, 200, [("Content-Type", "text/plain")], BytesIO(b"ok\n"))
    with SpooledTemporaryFile(MEMORY_BYTES, dir=str(settings.DATA_DIR)) as body:
        environ, is_received = _environ(scope, body), False
        try:
            await _receive_body(environ, receive, body)
            is_received = True
        except (Refusal, DatabaseError, OSError) as error:
            # Django answers it. Without its frames, as these hold the connection until the garbage collector finds them.
            environ["benchdash.error"] = error.with_traceback(None)
        threads = next((own for path, own in OWN_THREADS.items() if re.match(path, scope["path"])), PAGES)
        if threads in (LOGINS, TEXTS) and scope["method"] != "POST":
            threads = PAGES  # nobody waits for others' passwords and texts to see a form or a list
        status, headers, answer = await _respond_in(threads, environ)
        if body.tell() > MEMORY_BYTES:
            gc.collect()  # what Django made of it holds files, in cycles
    with closing(answer), suppress(TimeoutError):  # the client has stopped reading
        if is_received:
            await _send(send, status, headers, answer)
        else:
            await _send_early(receive, send, status, headers, answer)


async def _respond_in(threads: Executor, environ: Environ) -> Answer:
    """Run Django in one of these threads."""
    if threads is LOGINS:
        return await _log_in(environ)
    return await (_compare(environ) if threads is COMPARISONS else _run(threads, _respond, environ))


async def _log_in(environ: Environ) -> Answer:
    """Run Django behind other logins of this client. One that would wait longer than TURN_S is refused."""
    request: Any = Request(environ)
    turn = turns.setdefault(BaseThrottle().get_ident(request), asyncio.Lock())
    try:
        async with asyncio.timeout(TURN_S):
            await turn.acquire()
    except TimeoutError:
        what = f"Too many logins from your address are waiting. Try again in {ceil(TURN_S)} s."
        environ["benchdash.error"] = Refusal(HTTPStatus.TOO_MANY_REQUESTS, what, retry_after_s=ceil(TURN_S))
        return await _run(PAGES, _respond, environ)
    try:
        return await _run(LOGINS, _respond, environ)
    finally:
        turn.release()


async def _compare(environ: Environ) -> Answer:
    """Run Django apart from comparisons that took another time, or may take one: several large ones keep no quick one waiting."""
    path = environ["PATH_INFO"]
    threads = NEW if path not in is_slow else LARGE if is_slow[path] else COMPARISONS
    answer, seconds = await _run(threads, _measure, environ)
    is_slow.pop(path, None)
    is_slow[path] = seconds > SLOW_S
    if len(is_slow) > MOST_KNOWN:
        del is_slow[next(iter(is_slow))]
    return answer


def _measure(environ: Environ) -> tuple[Answer, float]:
    begun = monotonic()
    return _respond(environ), monotonic() - begun


async def _run(threads: Executor, function: Callable[..., Result], *arguments: Any) -> Result:
    return await asyncio.get_running_loop().run_in_executor(threads, function, *arguments)


def _environ(scope: Message, body: IO[bytes]) -> Environ:
    environ = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": scope["path"].encode().decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "SERVER_NAME": scope["server"][0],
        "SERVER_PORT": str(scope["server"][1]),
        "REMOTE_ADDR": scope["client"][0],
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": body,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
    }
    for name, value in scope["headers"]:
        if b"_" in name:
            continue  # it would pass for the same name with a hyphen, which a proxy may have checked
        key = name.decode("latin-1").upper().replace("-", "_")
        key = key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"
        between = "; " if key == "HTTP_COOKIE" else ","
        environ[key] = (
            f"{environ[key]}{between}{value.decode('latin-1')}" if key in environ else value.decode("latin-1")
        )
    return environ


# --- bodies ------------------------------------------------------------------------------------------------------------
async def _receive_body(environ: Environ, receive: Receive, body: IO[bytes]) -> None:
    """Fill `body` and set CONTENT_LENGTH. Raises Refusal 400, 401, 408 or 413, OSError if the disk is full, DatabaseError."""
    announced = int(environ.get("CONTENT_LENGTH") or 0)  # a number: the server refuses others
    allowed = await _allow(environ, announced) if announced > FREE_BYTES else FREE_BYTES
    received, more, waiting, patience_s = 0, True, bytearray(), PATIENCE_S
    while more:
        began = monotonic()
        try:
            async with asyncio.timeout(patience_s):
                message = await receive()
        except TimeoutError:
            what = f"The body arrived too slowly: at least {LEAST_RATE} bytes per second are required."
            raise Refusal(HTTPStatus.REQUEST_TIMEOUT, what) from None
        if message["type"] == "http.disconnect":
            of = f" of {announced}" if announced else ""
            raise Refusal(HTTPStatus.BAD_REQUEST, f"The body is incomplete: {received}{of} bytes arrived.")
        part, more = message.get("body", b""), message.get("more_body", False)
        patience_s = min(PATIENCE_S, patience_s + len(part) / LEAST_RATE - (monotonic() - began))
        received += len(part)
        if received > allowed:
            allowed = await _allow(environ, received)
        waiting += part
        if len(waiting) >= MEMORY_BYTES or not more:
            await _write(body, bytes(waiting))
            waiting.clear()
    body.seek(0)
    environ["CONTENT_LENGTH"] = str(received)


async def _allow(environ: Environ, size: int) -> int:
    """The number of bytes that this client may send to this URL. Raises Refusal 401, or 413 if that is less than `size`."""
    if environ["PATH_INFO"] not in TEXT_PATHS:
        what = f"The body is too large: at most {FREE_BYTES // 1024} KiB are allowed here."
        raise Refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, what)
    is_form = environ.get("CONTENT_TYPE", "").startswith("multipart/form-data")
    limit: int = settings.MAX_UPLOAD_BYTES + (FORM_FIELDS_BYTES if is_form else 0)
    if size > limit:
        raise Refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, str(reject_too_large(size)))
    if not await _run(PAGES, is_known, environ):
        raise Refusal(HTTPStatus.UNAUTHORIZED, "You are logged out, or the token is not valid. Nothing was stored.")
    return limit


async def _write(body: IO[bytes], data: bytes) -> None:
    if len(data) < MEMORY_BYTES and body.tell() == 0:
        body.write(data)  # into memory
    else:
        await asyncio.to_thread(body.write, data)


# --- answers -----------------------------------------------------------------------------------------------------------
def _respond(environ: Environ) -> Answer:
    """Run Django in a thread: status, headers and response body (a file as it is).

    A request whose transaction PostgreSQL aborted because of a deadlock is repeated once: nothing of it was stored.
    """
    environ["wsgi.file_wrapper"] = lambda file, block_size: file
    again = dict(environ)
    answer = _run_django(environ)
    if environ.get("benchdash.conflict"):
        again["wsgi.input"].seek(0)
        answer = _run_django(again)
    return answer


def _run_django(environ: Environ) -> Answer:
    started: list[tuple[int, Headers]] = []

    def start_response(status: str, headers: Headers, exc_info: Any = None) -> Any:
        started.append((int(status[:3]), headers))

    answer: Any = wsgi(environ, start_response)
    if isinstance(answer, HttpResponseBase):
        with closing(answer):
            answer = BytesIO(b"".join(answer))
    return *started[0], answer


async def _send(send: Send, status: int, headers: Headers, answer: IO[bytes]) -> None:
    """Raises TimeoutError if the client stops reading."""
    start = {
        "status": status,
        "headers": [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers],
    }
    await send({"type": "http.response.start", **start})
    more = True
    while more:
        part = answer.read(PIECE_BYTES)
        more = len(part) == PIECE_BYTES
        async with asyncio.timeout(PATIENCE_S):
            await send({"type": "http.response.body", "body": part, "more_body": more})


async def _send_early(receive: Receive, send: Send, status: int, headers: Headers, answer: IO[bytes]) -> None:
    """Answer a client that still sends, and discard its data for LINGER_S: a proxy reads no response from a closed connection."""
    start = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers if name != "Content-Length"]
    await send({"type": "http.response.start", "status": status, "headers": start})
    await send({"type": "http.response.body", "body": answer.read(), "more_body": True})
    with suppress(TimeoutError):
        async with asyncio.timeout(LINGER_S):
            while (await receive()).get("more_body"):
                pass
    await send({"type": "http.response.body", "body": b"", "more_body": False})


def freeze_program() -> None:
    """Exempt the objects created so far from garbage collection."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS, 20, 50)


if multiprocessing.parent_process():  # a process of granian's, which must not outlive it where it is killed
    end_with_parent(signal.SIGKILL)
    freeze_program()
