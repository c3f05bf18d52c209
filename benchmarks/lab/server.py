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
from pathlib import Path


def main() -> None:
    options = read_options()
    listening = socket.create_server((options.bind, options.port), backlog=options.backlog, reuse_port=False)
    children = {start_worker(options, listening) for _ in range(options.workers)}
    signal.signal(signal.SIGTERM, lambda *_: stop(children))
    while True:  # a worker that ends after --max-requests is replaced
        ended, _ = os.wait()
        children.discard(ended)
        if options.start_ms:
            time.sleep(options.start_ms / 1000)
        children.add(start_worker(options, listening))


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--bind", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8200)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--backlog", type=int, default=511)
    parser.add_argument("--work-ms", type=float, default=0.0, help="CPU time of each request")
    parser.add_argument("--sleep-ms", type=float, default=0.0, help="wait for something else, such as another service")
    parser.add_argument("--lock-ms", type=float, default=0.0, help="wait that only one worker at a time may do")
    parser.add_argument("--fsync", type=int, default=0, help="bytes written and synced to disk for each request")
    parser.add_argument("--sql", default="", help="a statement for PostgreSQL for each request")
    parser.add_argument("--size", type=int, default=1000, help="bytes of an answer's body")
    parser.add_argument("--errors", type=float, default=0.0, help="share of the answers that are 500")
    parser.add_argument("--client-closes", action="store_true", help="first, so that TIME_WAIT is on its side")
    parser.add_argument("--max-requests", type=int, default=0, help="after these a worker ends")
    parser.add_argument("--start-ms", type=float, default=0.0, help="what starting a worker takes")
    parser.add_argument("--hold-mb", type=int, default=0, help="memory that each worker touches again and again")
    parser.add_argument("--keep-kb", type=int, default=0, help="memory that each request adds to its worker")
    parser.add_argument(
        "--cache-mb", type=int, default=0, help="what of it is kept at most: then it is all dropped at once"
    )
    parser.add_argument("--garbage-mb", type=int, default=0, help="how much of it waits in cycles for the collector")
    parser.add_argument("--objects", type=int, default=0, help="which the collector looks through each time")
    return parser.parse_args()


def stop(children: set[int]) -> None:
    for pid in children:
        os.kill(pid, signal.SIGKILL)
    sys.exit(0)


def start_worker(options: argparse.Namespace, listening: socket.socket) -> int:
    pid = os.fork()
    if pid:
        return pid
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    gc.disable()
    try:
        Worker(options, listening).serve()
    finally:
        os._exit(0)


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
            with connection:
                try:
                    self.answer_all(connection)
                except OSError:
                    continue

    def answer_all(self, connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while True:
            request = connection.recv(65536)
            if not request:
                return
            asked = request.lower()
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
        if options.work_ms:
            until = time.process_time() + options.work_ms / 1000
            while time.process_time() < until:
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
        if options.garbage_mb:
            cycle: list[object] = [added]
            cycle.append(cycle)
            self.uncollected_kb += options.keep_kb
            if self.uncollected_kb > options.garbage_mb << 10:
                gc.collect()
                self.uncollected_kb = 0
            return
        self.kept.append(added)
        if options.cache_mb and len(self.kept) * options.keep_kb > options.cache_mb << 10:
            self.kept.clear()


if __name__ == "__main__":
    main()
