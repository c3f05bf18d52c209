"""Servers that are away and disks that are full: how they are known, what is answered, and how often they are logged."""

from __future__ import annotations

import errno
import logging
import select
import sqlite3
import threading
from enum import Enum
from time import monotonic
from typing import Any

import psycopg2
import redis
from kombu.exceptions import OperationalError as BrokerAway
from psycopg2 import extensions as pg

LOG_EVERY_S = 10.0
LEAVE_ALONE_S = 10.0  # a server that was found away is not asked again for so long: several times CONNECT_S
CONNECT_S = 3.0
# PostgreSQL's codes, or how they begin
AWAY, SLOW, CONFLICT = ("08", "57P", "53300"), ("57014", "55P03"), ("40P01", "40001")
# IOERR_WRITE and IOERR_SHMSIZE: what SQLite says of a quota, and of a full disk when it is opened
SQLITE_FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE)


class Fault(Enum):
    """What is wrong: the status and the sentence that a request gets, and after how many seconds it may come again."""

    AWAY = 503, "The database does not answer. Nothing was stored; try again in a few seconds.", 10
    SLOW = 503, "The database took too long. Nothing was stored; try again in a few seconds.", 10
    CONFLICT = 503, "Another request changed the same rows. Nothing was stored; try again.", 1
    READ_ONLY = 503, "The database is read-only at the moment. Nothing was stored.", 60
    FULL = 507, "The server's disk is full. Nothing was stored.", None
    QUEUE = 503, "The queue's server does not answer.", 10

    def __init__(self, status: int, message: str, retry_after_s: int | None) -> None:
        self.status = status
        self.message = message
        self.retry_after_s = retry_after_s


def find_fault(error: BaseException | None) -> Fault | None:
    """The fault that an error is, or was raised from: Django wraps those of databases in its own."""
    while error is not None:
        if fault := _classify(error):
            return fault
        error = error.__cause__
    return None


def _classify(error: BaseException) -> Fault | None:
    if isinstance(error, psycopg2.Error):
        return _classify_postgresql(error)
    if isinstance(error, sqlite3.Error):
        return _classify_sqlite(getattr(error, "sqlite_errorcode", None) or 0)
    if isinstance(error, redis.RedisError | BrokerAway):
        return Fault.QUEUE
    if isinstance(error, OSError):
        full = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        return Fault.FULL if error.errno in full else Fault.READ_ONLY if error.errno == errno.EROFS else None
    return None


def _classify_postgresql(error: psycopg2.Error) -> Fault | None:
    code = error.pgcode or ""
    if code in ("53100", "25006"):
        return Fault.FULL if code == "53100" else Fault.READ_ONLY
    if code in SLOW + CONFLICT:
        return Fault.SLOW if code in SLOW else Fault.CONFLICT
    # Without a code it is the connection that failed.
    lost = isinstance(error, psycopg2.OperationalError | psycopg2.InterfaceError) and not code
    return Fault.AWAY if lost or code.startswith(AWAY) else None


def _classify_sqlite(code: int) -> Fault | None:
    if code in SQLITE_FULL:
        return Fault.FULL
    by_primary = {
        sqlite3.SQLITE_READONLY: Fault.READ_ONLY,
        sqlite3.SQLITE_BUSY: Fault.SLOW,
        sqlite3.SQLITE_CANTOPEN: Fault.AWAY,
        sqlite3.SQLITE_IOERR: Fault.AWAY,
    }
    return by_primary.get(code & 0xFF)


class Outage:
    """Whether a server was found away lately. Then it is left alone, and one caller at a time looks after it."""

    def __init__(self) -> None:
        self._until: float | None = None
        self._lock = threading.Lock()

    def begin(self) -> bool:
        """True where it was not known before."""
        is_news, self._until = self._until is None, monotonic() + LEAVE_ALONE_S
        return is_news

    def end(self) -> None:
        self._until = None

    def lasts(self) -> bool:
        """True: do not ask it. After the pause False for one caller, who then calls `begin` or `end`."""
        with self._lock:
            if self._until is None:
                return False
            if monotonic() < self._until:
                return True
            self.begin()
            return False


class LogRarely(logging.Filter):
    """Of each fault one line each LOG_EVERY_S, without a traceback; of anything else all."""

    def __init__(self) -> None:
        super().__init__()
        self._silent_until: dict[Fault, float] = {}
        self._n_left_out: dict[Fault, int] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
        fault = find_fault(error)
        if fault is None:
            return True
        if monotonic() < self._silent_until.get(fault, 0.0):
            self._n_left_out[fault] = self._n_left_out.get(fault, 0) + 1
            return False
        self._silent_until[fault] = monotonic() + LOG_EVERY_S
        left_out = self._n_left_out.pop(fault, 0)
        reason = " ".join(f"{error}".split())
        more = f" ({left_out} more since the last such line)" if left_out else ""
        record.msg, record.args = f"{fault.message} {record.getMessage()}: {reason}{more}", ()
        record.exc_info = record.exc_text = None
        return True


class Silent(psycopg2.OperationalError):
    """The server does not answer in time."""


class PostgresqlWatch:
    """psycopg2's wait callback: no wait for a frozen server, which libpq would wait for without end.

    patience_s   without an answer, after which another connection is tried: a slow statement is waited for as long as the
                 server takes connections
    """

    def __init__(self, patience_s: float) -> None:
        self._patience_s = patience_s
        self._outage = Outage()

    def wait(self, connection: Any) -> None:
        """Until the connection has its answer. Raises Silent, which closes the connection."""
        if self._outage.lasts():
            raise Silent("it did not answer a moment ago")
        try:
            while (state := connection.poll()) != pg.POLL_OK:
                self._await(connection, select.POLLIN if state == pg.POLL_READ else select.POLLOUT)
        except Silent:
            self._outage.begin()
            raise
        except psycopg2.Error:
            self._outage.end()
            raise
        self._outage.end()

    def _await(self, connection: Any, event: int) -> None:
        connects = connection.status not in (pg.STATUS_READY, pg.STATUS_BEGIN, pg.STATUS_PREPARED)
        poll = select.poll()
        poll.register(connection.fileno(), event)
        seconds = CONNECT_S if connects else self._patience_s
        while not poll.poll(seconds * 1000):
            if connects:
                raise Silent(f"no answer within {seconds:g} s")
            self._try_another(connection.info.dsn_parameters)

    def _try_another(self, parameters: dict[str, str]) -> None:
        """Raises Silent where the server takes no connection in time. A refusal for want of a password is an answer."""
        names = ("host", "port", "dbname", "user", "sslmode")
        try:
            psycopg2.connect(pg.make_dsn(**{name: parameters[name] for name in names if name in parameters})).close()
        except Silent:
            raise
        except psycopg2.OperationalError:
            return


def watch_postgresql(patience_s: float) -> None:
    pg.set_wait_callback(PostgresqlWatch(patience_s).wait)
