"""Request bodies on their way over the wire: whole, and no slower than a slow line.

A server's thread waits for a body as long as its sender likes. Here every read has a deadline, which a watch of one thread
keeps: it shuts the reading side of the connection, and the read ends. `benchdash.webworker` does so with heads.
"""

from __future__ import annotations

import math
import socket
import threading
from collections.abc import Callable, Iterable
from http import HTTPStatus
from time import monotonic
from typing import Any, Protocol

from gunicorn.http.errors import ParseException

LEAST_RATE = 1024  # bytes a second
PATIENCE_S = 30.0  # how much behind that a sender may fall
LOOK_S = 0.5
MOST_AT_ONCE = 2**16
QUICK_S = 0.25
Environ = dict[str, Any]
Application = Callable[[Environ, Any], Iterable[bytes]]


class Interrupted(OSError):
    """A body that did not come whole."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


def interruption(error: BaseException | None) -> Interrupted | None:
    """The Interrupted that an error is or comes from: Django hides it in one of its own."""
    return error if error is None or isinstance(error, Interrupted) else interruption(error.__cause__)


class Stream(Protocol):
    def read(self, size: int, /) -> bytes: ...
    def readline(self, size: int, /) -> bytes: ...


class Awaited(Protocol):
    """What a sender is waited for with. `deadline` is a time of `monotonic`."""

    deadline: float

    def cut(self) -> None:
        """Wait no longer."""


class Watch:
    """Cuts what is waited for longer than its deadline. Its thread begins with the first one."""

    def __init__(self) -> None:
        self._awaited: set[Awaited] = set()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def begin(self, awaited: Awaited) -> None:
        with self._lock:
            self._awaited.add(awaited)
            if self._thread is None or not self._thread.is_alive():  # a fork takes no threads along
                self._thread = threading.Thread(target=self._look, name="slow bodies", daemon=True)
                self._thread.start()

    def end(self, awaited: Awaited) -> None:
        with self._lock:
            self._awaited.discard(awaited)

    def _look(self) -> None:
        pause = threading.Event()
        while not pause.wait(LOOK_S):
            with self._lock:
                late = [awaited for awaited in self._awaited if monotonic() > awaited.deadline]
            for awaited in late:
                awaited.cut()


watch = Watch()


def shut(connection: socket.socket) -> None:
    """End whatever reading waits on this connection; it can still be written to."""
    try:
        connection.shutdown(socket.SHUT_RD)
    except OSError:  # it is closed already
        return


class Body:
    """`wsgi.input` whose reads end: with what was asked for, or with Interrupted.

    length   as announced; None where the server itself can tell the end
    """

    def __init__(self, stream: Stream, length: int | None, connection: socket.socket | None) -> None:
        self.deadline = math.inf
        self._stream, self._length, self._connection = stream, length, connection
        self._got = 0
        self._at_once = 1024  # grows while the sender is quick, so that each read tells something of a slow one
        self._credit = PATIENCE_S
        self._is_late = False

    def read(self, size: int | None = -1, /) -> bytes:
        left = math.inf if self._length is None else self._length - self._got
        wanted = left if size is None or size < 0 else min(size, left)
        parts = []
        while wanted > 0 and (data := self._timed(self._stream.read, int(min(wanted, self._at_once)))):
            parts.append(data)
            wanted -= len(data)
        return b"".join(parts)

    def readline(self, size: int | None = -1, /) -> bytes:
        return self._timed(self._stream.readline, MOST_AT_ONCE if size is None or size < 0 else size)

    def cut(self) -> None:
        """The sender is too slow: the read that waits ends now."""
        self._is_late = True
        if self._connection is not None:
            shut(self._connection)

    def _timed(self, read: Callable[[int], bytes], size: int) -> bytes:
        began = monotonic()
        self.deadline = began + self._credit + size / LEAST_RATE
        try:
            data = read(size)
        except (OSError, ParseException) as error:  # ParseException: chunks whose sizes are none
            raise self._interrupted() from error
        finally:
            self.deadline = math.inf
        took = monotonic() - began
        self._credit = min(PATIENCE_S, self._credit + len(data) / LEAST_RATE - took)
        self._at_once = min(MOST_AT_ONCE, 2 * self._at_once) if took < QUICK_S else 1024
        self._got += len(data)
        if self._is_late or (not data and self._length is not None and self._got < self._length):
            raise self._interrupted()
        return data

    def _interrupted(self) -> Interrupted:
        if self._is_late:
            what = f"The text came too slowly: at least {LEAST_RATE} bytes a second are expected."
            return Interrupted(HTTPStatus.REQUEST_TIMEOUT, what)
        of = "" if self._length is None else f" of {self._length}"
        return Interrupted(HTTPStatus.BAD_REQUEST, f"The text did not come whole: got {self._got}{of} bytes.")


def watched(application: Application) -> Application:
    """The WSGI application with bodies that come whole and in time, or end as Interrupted."""

    def answer(environ: Environ, start_response: Any) -> Iterable[bytes]:
        said = environ.get("CONTENT_LENGTH") or "0"
        length = int(said) if said.isdecimal() else 0
        ends = not length and "HTTP_TRANSFER_ENCODING" in environ and bool(environ.get("wsgi.input_terminated"))
        if not length and not ends:
            return application(environ, start_response)
        body = Body(environ["wsgi.input"], None if ends else length, environ.get("gunicorn.socket"))
        environ["wsgi.input"] = body
        watch.begin(body)
        try:
            return application(environ, start_response)
        finally:
            watch.end(body)

    return answer
