"""A small HTTP server whose bottleneck is chosen by its options: processes that take one connection each, as prefork servers do.

python -m benchmarks.lab.server --port 8200 --workers 4 --work-ms 2 --sleep-ms 0 ...
"""

from __future__ import annotations

import argparse
import fcntl
import gc
import os
import signal
import socket
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

OPTIONS: tuple[tuple[str, Any, str], ...] = (
    ("bind", "127.0.0.1", ""),
    ("port", 8200, ""),
    ("workers", 2, ""),
    ("backlog", 511, ""),
    ("work-ms", 0.0, "CPU time of each request"),
    ("sleep-ms", 0.0, "wait for something else, such as another service"),
    ("lock-ms", 0.0, "wait that only one worker at a time may do"),
    ("fsync", 0, "bytes written and synced to disk for each request"),
    ("sql", "", "a statement for PostgreSQL for each request"),
    ("size", 1000, "bytes of an answer's body"),
    ("errors", 0.0, "share of the answers that are 500"),
    ("max-requests", 0, "after these a worker ends"),
    ("start-ms", 0.0, "what starting a worker takes"),
    ("hold-mb", 0, "memory that each worker touches again and again"),
    ("keep-kb", 0, "memory that each request adds to its worker"),
    ("cache-mb", 0, "what of it is kept at most: then it is all dropped at once"),
    ("garbage-mb", 0, "how much of it waits in cycles for the collector"),
    ("objects", 0, "which the collector looks through each time"),
)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--client-closes", action="store_true", help="first, so that TIME_WAIT is on its side")
    for name, default, meaning in OPTIONS:
        parser.add_argument(f"--{name}", type=type(default), default=default, help=meaning)
    options = parser.parse_args()
    listening = socket.create_server((options.bind, options.port), backlog=options.backlog, reuse_port=False)
    children = {start_worker(options, listening) for _ in range(options.workers)}
    signal.signal(signal.SIGTERM, lambda *_: stop(children))
    while True:  # a worker that ends after --max-requests is replaced
        ended, _ = os.wait()
        children.discard(ended)
        time.sleep(options.start_ms / 1000)
        children.add(start_worker(options, listening))


def stop(children: set[int]) -> None:
    for pid in children:
        os.kill(pid, signal.SIGKILL)
    sys.exit(0)


def start_worker(options: argparse.Namespace, listening: socket.socket) -> int:
    pid = os.fork()
    if not pid:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        gc.disable()
        try:
            Worker(options, listening).serve()
        finally:
            os._exit(0)
    return pid


class Worker:
    """Takes a connection, answers its requests, and takes the next one."""

    def __init__(self, options: argparse.Namespace, listening: socket.socket) -> None:
        self.options, self.listening = options, listening
        self.served = 0
        self.kept: list[bytearray] = []
        self.uncollected_kb = 0
        self.objects = [[at] for at in range(options.objects)]
        self.body = b"x" * options.size
        self.held = bytearray(options.hold_mb << 20)
        self.file = tempfile.TemporaryFile(dir=os.environ.get("LAB_DIR"))  # noqa: SIM115  (open as long as the worker lives)
        self.lock = Path(f"/tmp/lab-{options.port}.lock").open("w")  # noqa: S108, SIM115
        self.db = None
        if options.sql:
            import psycopg2

            connection = psycopg2.connect("dbname=postgres")
            connection.autocommit = True
            self.db = connection.cursor()

    def serve(self) -> None:
        while not self.options.max_requests or self.served < self.options.max_requests:
            connection, _ = self.listening.accept()
            with connection, suppress(OSError):
                self.answer_all(connection)

    def answer_all(self, connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while asked := connection.recv(65536).lower():
            keeps = (b"http/1.1" in asked or b"keep-alive" in asked) and b"connection: close" not in asked
            fails = (self.served * self.options.errors) % 1 + self.options.errors >= 1
            if not fails:
                self.work()
            self.served += 1
            last = bool(self.options.max_requests) and self.served >= self.options.max_requests
            body = b"failed" if fails else self.body
            status = b"500 Internal Server Error" if fails else b"200 OK"
            ends = b"keep-alive" if keeps and not last else b"close"
            head = b"HTTP/1.1 %s\r\nServer: lab\r\nContent-Length: %d\r\nConnection: %s\r\n\r\n"
            connection.sendall(head % (status, len(body), ends) + body)
            if self.options.client_closes and not keeps:
                connection.recv(1)
            if last or not keeps:
                return

    def work(self) -> None:
        options = self.options
        until = time.process_time() + options.work_ms / 1000
        while options.work_ms and time.process_time() < until:
            pass
        if options.sleep_ms:
            time.sleep(options.sleep_ms / 1000)
        if options.lock_ms:
            fcntl.flock(self.lock, fcntl.LOCK_EX)
            time.sleep(options.lock_ms / 1000)
            fcntl.flock(self.lock, fcntl.LOCK_UN)
        if options.fsync:
            self.file.seek(0)
            self.file.write(self.body[: options.fsync].ljust(options.fsync, b"y"))
            self.file.flush()
            os.fsync(self.file.fileno())
        for at in range(0, len(self.held), 4096):
            self.held[at] = (self.held[at] + 1) & 255
        if options.keep_kb:
            self.use_memory(options)
        if self.db:
            self.db.execute(options.sql)

    def use_memory(self, options: argparse.Namespace) -> None:
        added = bytearray(b"x") * (options.keep_kb << 10)
        if not options.garbage_mb:
            self.kept.append(added)
            if options.cache_mb and len(self.kept) * options.keep_kb > options.cache_mb << 10:
                self.kept.clear()
            return
        cycle: list[object] = [added]
        cycle.append(cycle)
        self.uncollected_kb += options.keep_kb
        if self.uncollected_kb > options.garbage_mb << 10:
            gc.collect()
            self.uncollected_kb = 0


if __name__ == "__main__":
    main()
