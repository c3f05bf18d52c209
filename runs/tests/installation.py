"""An installation of its own for tests that start real processes: a data folder, a migrated SQLite database, a token."""

from __future__ import annotations

import os
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from django.db import connection

from benchdash.tests.services import ROOT

MANAGE = [sys.executable, str(ROOT / "manage.py")]


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
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])
