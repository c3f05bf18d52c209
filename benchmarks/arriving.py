"""The memory of the web server while a large text arrives, beside what it has when idle.

Run as `python -m benchmarks.arriving [MEGABYTES]` for this row alone.
"""

from __future__ import annotations

import os
import re
import socket
import sys
import tempfile
from contextlib import ExitStack, closing
from pathlib import Path
from time import perf_counter

from . import services
from .figures import HEADER, Figure
from .inputs import top_log
from .rest import prepare

PROC = Path("/proc")
MB = 1_000_000
PART, MOST_MIB = 10, 50
MEMORY = {"VmRSS": re.compile(r"^VmRSS:\s+(\d+) kB", re.M), "VmHWM": re.compile(r"^VmHWM:\s+(\d+) kB", re.M)}


def figures(megabytes: int = 500) -> list[Figure]:
    """One row. The text is a log of top, sent over one connection as fast as the server takes it."""
    what = f"memory of a web process while {megabytes} MB arrive"
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="benchdash-bench-")))
        database = stack.enter_context(services.database("_arriving"))
        redis = stack.enter_context(services.redis_server(folder))
        if database is None or redis is None or not PROC.exists():
            return [Figure(what, "not measured", "", "no PostgreSQL, redis-server or /proc was found")]
        env = {
            **{"PATH": os.environ["PATH"], "HOME": str(folder), "DATA_DIR": str(folder)},
            **{"DATABASE_URL": database, "CELERY_BROKER_URL": redis},
            "DJANGO_SETTINGS_MODULE": "benchmarks.rest_settings",
        }
        token = prepare(env)
        port = stack.enter_context(services.web_server(env))
        log = top_log(folder / "top.log", PART).path
        for number in range(4):  # each process has answered before it is called idle
            _send(port, token, log, 1, number)
        idle = {pid: _kib(pid, "VmRSS") for pid in _processes(port)}
        seconds = _send(port, token, log, megabytes // PART, 4)
        more = max(_kib(pid, "VmHWM") - kib for pid, kib in idle.items()) / 1024
    reference = f"idle: {max(idle.values()) / 1024:.0f} MiB"
    result = f"+ {more:.0f} MiB at most, {megabytes / seconds:.0f} MB/s"
    return [Figure(what, f"peak + {more:.0f} MiB", reference, result, f"+ {MOST_MIB} MiB", more <= MOST_MIB)]


def _processes(port: int) -> list[int]:
    """The server's processes, by the address in their command line."""
    name = f"127.0.0.1:{port}".encode()
    return [int(entry.name) for entry in PROC.iterdir() if entry.name.isdecimal() and name in _words(entry)]


def _words(process: Path) -> list[bytes]:
    try:
        return (process / "cmdline").read_bytes().split(b"\0")
    except OSError:  # it has ended meanwhile
        return []


def _kib(pid: int, which: str) -> int:
    found = MEMORY[which].search((PROC / str(pid) / "status").read_text())
    return int(found[1]) if found else 0


def _send(port: int, token: str, log: Path, times: int, number: int) -> float:
    """Seconds until the log, so often one after the other below a line of its own, is taken in (202)."""
    part, first = log.read_bytes(), f"Log {number}\n".encode()
    head = (
        f"POST /api/v1/uploads/ HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: text/plain\r\nContent-Length: {len(first) + times * len(part)}\r\nConnection: close\r\n\r\n"
    )
    start = perf_counter()
    with closing(socket.create_connection(("127.0.0.1", port))) as connection:
        connection.sendall(head.encode() + first)
        for _ in range(times):
            connection.sendall(part)
        answer = connection.recv(65536)
    if not answer.startswith(b"HTTP/1.1 202 "):
        raise ValueError(f"the server answered {answer[:500]!r}")
    return perf_counter() - start


def main() -> None:
    print(HEADER)
    for figure in figures(int(sys.argv[1]) if sys.argv[1:] else 500):
        print(figure.row)


if __name__ == "__main__":
    main()
