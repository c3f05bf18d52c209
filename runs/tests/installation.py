"""An installation of its own for tests that start real processes: a data folder, a migrated SQLite database, a token."""

from __future__ import annotations

import os
import random
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from django.db import connection

from benchdash.tests.services import ROOT
from runs.management.processes import is_web_up

MANAGE = [sys.executable, str(ROOT / "manage.py")]
WITHIN_S = 150  # for what takes seconds on a machine that does nothing else


def environment(data: Path, **variables: str) -> dict[str, str]:
    """The environment of a process on the data folder, and nothing of this process's settings."""
    base = {"PATH": os.environ["PATH"], "DATA_DIR": str(data), "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    return base | variables


def create_database(data: Path) -> Path:
    """Make a migrated SQLite database in the data folder. On SQLite the test database is copied, which takes no time."""
    data.mkdir(mode=0o700, exist_ok=True)
    file = data / "benchdash.sqlite3"
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        with closing(sqlite3.connect(file)) as target:
            connection.connection.backup(target)
    else:
        subprocess.run([*MANAGE, "migrate", "-v0"], env=environment(data), check=True)
    return file


def find_free_port() -> int:
    """Not of those that the kernel gives to connections: it could give this one away before a server listens there."""
    while True:
        port = random.randrange(10_000, 32_000)  # noqa: S311
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


def until(true: Callable[[], object], what: str, within_s: float = WITHIN_S) -> None:
    """Wait for something to be true. `within_s` is less than usual where something else would make it true later."""
    began = time.monotonic()
    while not true():
        assert time.monotonic() - began < within_s, f"not within {within_s} s: {what}"
        time.sleep(0.05)


def wait_for_web(process: subprocess.Popen[Any], port: int) -> None:
    until(lambda: is_web_up(port) or process.poll() is not None, "the web server")
    assert process.poll() is None
