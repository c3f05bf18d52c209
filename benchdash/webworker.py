"""gunicorn's worker of threads, with a bound on how long a slow client occupies a thread, and bodies that come whole.

gunicorn waits for the rest of a request as long as its sender likes. Here every read from the connection has a timeout: a
sender must keep up LEAST_RATE on average and may fall PATIENCE_S behind that. `check_bodies` turns a body that ended too
early into an error with a status.
"""

from __future__ import annotations

import gc
import socket
from collections.abc import Callable, Iterable
from http import HTTPStatus
from time import monotonic
from typing import Any, Protocol

from gunicorn.http.errors import ParseException
from gunicorn.workers.gthread import TConn, ThreadWorker

LEAST_RATE = 1024  # bytes/s
PATIENCE_S = 30.0
NEW_OBJECTS = 5_000  # from one pass of the garbage collector to the next, which takes 2 ms then
Environ = dict[str, Any]
Application = Callable[[Environ, Any], Iterable[bytes]]


class Interrupted(OSError):
    """A body that did not come whole."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


def find_interruption(error: BaseException | None) -> Interrupted | None:
    """The Interrupted that an error is or was raised from: Django wraps it in one of its own."""
    return error if error is None or isinstance(error, Interrupted) else find_interruption(error.__cause__)


class TimedSocket:
    """A connection whose `recv` ends: with data, or with b"", as if the sender had closed it, when it was too slow."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.begin_request()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def begin_request(self) -> None:
        self._credit_s, self.timed_out = PATIENCE_S, False

    def recv(self, size: int) -> bytes:
        if self.timed_out:
            return b""
        timeout = self._connection.gettimeout()
        if timeout is not None and timeout < self._credit_s:  # gunicorn's own, while it discards the rest of a body
            return self._connection.recv(size)
        began = monotonic()
        self._connection.settimeout(max(self._credit_s, 0.001))
        try:
            data = self._connection.recv(size)
        except TimeoutError:
            self.timed_out = True
            return b""
        finally:
            self._connection.settimeout(timeout)
        self._credit_s = min(PATIENCE_S, self._credit_s + len(data) / LEAST_RATE - (monotonic() - began))
        return data


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...
    def readline(self, size: int, /) -> bytes: ...


class Body:
    """`wsgi.input` that raises Interrupted where the body ends too early.

    length      as announced; None where the server itself finds the end (chunks)
    connection  a TimedSocket, where the worker below serves the request
    """

    def __init__(self, stream: Readable, length: int | None, connection: Any = None) -> None:
        self._stream, self._length, self._connection = stream, length, connection
        self._received = 0

    def read(self, size: int | None = -1, /) -> bytes:
        wanted = -1 if size is None else size
        if self._length is not None:
            left = self._length - self._received
            wanted = left if wanted < 0 else min(wanted, left)
        data = self._call(self._stream.read, wanted)
        if self._length is not None and len(data) < wanted:
            raise self._interrupted()
        return data

    def readline(self, size: int | None = -1, /) -> bytes:
        return self._call(self._stream.readline, -1 if size is None else size)

    def _call(self, read: Callable[[int], bytes], size: int) -> bytes:
        try:
            data = read(size)
        except (OSError, ParseException) as error:  # ParseException: chunks without valid sizes
            raise self._interrupted() from error
        self._received += len(data)
        if getattr(self._connection, "timed_out", False):
            raise self._interrupted()
        return data

    def _interrupted(self) -> Interrupted:
        if getattr(self._connection, "timed_out", False):
            message = f"The text came too slowly: at least {LEAST_RATE} bytes a second are expected."
            return Interrupted(HTTPStatus.REQUEST_TIMEOUT, message)
        of = "" if self._length is None else f" of {self._length}"
        return Interrupted(HTTPStatus.BAD_REQUEST, f"The text did not come whole: got {self._received}{of} bytes.")


def check_bodies(application: Application) -> Application:
    """The WSGI application, with bodies that raise Interrupted where they end too early."""

    def respond(environ: Environ, start_response: Any) -> Iterable[bytes]:
        announced = environ.get("CONTENT_LENGTH") or "0"
        length = int(announced) if announced.isdecimal() else 0
        in_chunks = "HTTP_TRANSFER_ENCODING" in environ and bool(environ.get("wsgi.input_terminated"))
        if length or in_chunks:
            environ["wsgi.input"] = Body(environ["wsgi.input"], length or None, environ.get("gunicorn.socket"))
        return application(environ, start_response)

    return respond


def freeze_program() -> None:
    """Exempt the program's own objects from garbage collection: a request leaves hardly any in cycles."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS, 20, 50)


class Worker(ThreadWorker):  # type: ignore[misc]
    def load_wsgi(self) -> None:
        super().load_wsgi()
        freeze_program()

    def handle(self, conn: TConn) -> Any:
        if not isinstance(conn.sock, TimedSocket):
            conn.sock = TimedSocket(conn.sock)
        conn.sock.begin_request()
        return super().handle(conn)
