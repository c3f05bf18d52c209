"""A PostgreSQL database, a Redis and a web server for one measurement; all of it is gone when its block ends."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic, sleep

import psycopg2

from benchdash.tests.services import find_postgresql

ROOT = Path(__file__).resolve().parent.parent
PATIENCE_S = 20.0


@contextmanager
def database(suffix: str = "") -> Iterator[str | None]:
    """The URL of a new, empty PostgreSQL database; None where no server lets this user make one."""
    url = find_postgresql()
    if url is None:
        yield None
        return
    name = f"benchdash_bench_{os.getpid()}{suffix}"
    server = url.rpartition("/")[0]
    _execute(server, f"CREATE DATABASE {name}")
    try:
        yield f"{server}/{name}"
    finally:
        _execute(server, f"DROP DATABASE {name} WITH (FORCE)")


def _execute(server: str, statement: str) -> None:
    with closing(psycopg2.connect(f"{server}/postgres")) as connection:
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute(statement)


@contextmanager
def redis_server(folder: Path) -> Iterator[str | None]:
    """The URL of a Redis that keeps nothing; None where the program is not installed."""
    program = shutil.which("redis-server")
    if program is None:
        yield None
        return
    port = free_port()
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
    with _running([program, *options], os.environ, port):
        yield f"redis://127.0.0.1:{port}/0"


@contextmanager
def web_server(env: Mapping[str, str]) -> Iterator[int]:
    """gunicorn as `manage.py serve` starts it, in that environment; gives its port."""
    port = free_port()

    told = f"from runs.management.processes import web_command; print(*web_command('127.0.0.1', {port}), sep='\\n')"
    command = manage(env, "shell", "--no-imports", "-c", told).splitlines()
    with _running(command, env, port):
        yield port


def manage(env: Mapping[str, str], *words: str) -> str:
    """Run a command of manage.py and give what it prints."""
    command = [sys.executable, "manage.py", *words]
    return subprocess.run(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True, check=True).stdout


def free_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port: int = taken.getsockname()[1]
    return port


@contextmanager
def _running(command: list[str], env: Mapping[str, str], port: int) -> Iterator[None]:
    with subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.DEVNULL) as program:
        try:
            _wait_for(port, program)
            yield
        finally:
            program.terminate()
            program.wait(PATIENCE_S)


def _wait_for(port: int, program: subprocess.Popen[bytes]) -> None:
    deadline = monotonic() + PATIENCE_S
    while program.poll() is None and monotonic() < deadline:
        with closing(socket.socket()) as connection:
            if connection.connect_ex(("127.0.0.1", port)) == 0:
                return
        sleep(0.05)
    raise RuntimeError(f"{program.args!r} does not answer at port {port}")
