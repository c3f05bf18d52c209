"""A database that an earlier version wrote is migrated and shows what that version showed.

`0012.sql.gz` is a dump of such a database: the six samples, a text with monitors over time, a file of single requests,
overruled doubts, a plan with two jobs and a schedule. `0012.json.gz` has the bodies that the earlier version answered.
"""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from benchdash.tests.services import ROOT

HERE = Path(__file__).parent
pytestmark = pytest.mark.once


def run(data: Path, *arguments: str) -> str:
    environment = os.environ | {"DATA_DIR": str(data), "DATABASE_URL": f"sqlite:///{data}/benchdash.sqlite3"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def migrated(tmp_path_factory):
    data = tmp_path_factory.mktemp("stored")
    (data / "static").mkdir()
    with closing(sqlite3.connect(data / "benchdash.sqlite3")) as connection:
        connection.executescript(gzip.decompress((HERE / "0012.sql.gz").read_bytes()).decode())
    run(data, "manage.py", "migrate", "--verbosity", "0")
    return data


def test_the_pages_show_what_they_showed(migrated):
    before = json.loads(gzip.decompress((HERE / "0012.json.gz").read_bytes()))
    now = json.loads(run(migrated, "-m", "runs.tests.stored.pages"))
    assert set(now) == set(before)
    assert {address: body for address, body in now.items() if parsed(body) != parsed(before[address])} == {}


def parsed(body):
    """JSON as its values: the order of keys and the spaces between them may change."""
    try:
        return json.loads(body)
    except (TypeError, ValueError):
        return body


def test_permissions_are_kept(migrated):
    with closing(sqlite3.connect(migrated / "benchdash.sqlite3")) as connection:
        rows = connection.execute(
            "SELECT codename FROM auth_permission p JOIN auth_user_user_permissions u ON u.permission_id = p.id"
            " JOIN auth_user a ON a.id = u.user_id WHERE a.username = 'planner' ORDER BY codename"
        )
        assert [codename for (codename,) in rows] == ["add_plan", "change_target", "run_plan", "view_job"]
