"""gunicorn's worker of threads, with a bound on how long the head of a request may take.

A body's reading is bounded by `runs.wire`; but before there is a request there is nobody to read it, and a thread that
waits for the rest of a head waits for ever.
"""

from __future__ import annotations

import gc
import socket
from time import monotonic
from typing import Any

from gunicorn.workers.gthread import TConn, ThreadWorker

from runs import wire

GARBAGE = 5_000  # new objects from one look for garbage to the next, which takes 2 ms then


def spare_the_program() -> None:
    """What the program itself is made of is not garbage, and need not be looked through again and again.

    A request of a few thousand objects leaves hardly any in circles.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(GARBAGE, 20, 50)


class Head:
    """The head of a request that is on its way."""

    def __init__(self, connection: socket.socket) -> None:
        self.deadline = monotonic() + wire.PATIENCE_S
        self._connection = connection

    def cut(self) -> None:
        wire.shut(self._connection)


class Worker(ThreadWorker):  # type: ignore[misc]
    def load_wsgi(self) -> None:
        super().load_wsgi()
        spare_the_program()

    def handle(self, conn: TConn) -> Any:
        head = conn.head = Head(conn.sock)
        wire.watch.begin(head)
        try:
            return super().handle(conn)
        finally:
            wire.watch.end(head)

    def handle_request(self, req: Any, conn: TConn) -> Any:
        wire.watch.end(conn.head)
        return super().handle_request(req, conn)
