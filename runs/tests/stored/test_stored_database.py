"""A database that an earlier version wrote is migrated and shows what that version showed.

`0012.sql.gz` is a dump of such a database: the six samples, a text with monitors over time, a file of single requests,
overruled doubts, a plan with two jobs and a schedule. `0012.json.gz` has the bodies that the earlier version answered.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from benchdash.tests.services import ROOT
from runs.tests.installation import create_database

# All ask for a database though one alone needs it: pytest-django takes those first, and the migrated one is made once.
pytestmark = [pytest.mark.once, pytest.mark.django_db]
HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def migrated(tmp_path_factory):
    """The data folder with the migrated database, and what its pages show."""
    data = tmp_path_factory.mktemp("stored")
    (data / "static").mkdir()
    with closing(sqlite3.connect(data / "benchdash.sqlite3")) as connection:
        connection.executescript(gzip.decompress((HERE / "0012.sql.gz").read_bytes()).decode())
    environment = os.environ | {"DATA_DIR": str(data), "DATABASE_URL": f"sqlite:///{data}/benchdash.sqlite3"}
    command = [sys.executable, "-m", "runs.tests.stored.pages"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return data, json.loads(done.stdout)


def test_the_pages_show_what_they_showed(migrated):
    stored = gzip.decompress((HERE / "0012.json.gz").read_bytes()).decode()
    # The label of a percentile is "p95" since, in the field's term.
    before, now = json.loads(re.sub(r"(\d+) % within", r"p\1", stored)), migrated[1]
    assert set(now) == set(before)
    found = {
        address: [lost for lost in find_lost(facts(body), facts(now[address])) if not WITHDRAWN.search(lost[0])]
        for address, body in before.items()
    }
    assert {address: lost for address, lost in found.items() if lost} == {}


# What is concluded, and how it is said, may change with a version: stored figures, facts and links may not.
CONCLUDED = {"summary", "headline", "verdict", "ratio_to_baseline", "doubts", "load", "notes"}
RENAMED = {"concurrency", "looks"}  # a measured concurrency has a row of its own since; "looks" are "samples"
# Of a list of processes that a text quotes in part no number and no sum is told any more. Sample 1 quotes one after its first
# config's runs, sample 5 those of Rails and of mod_python; the list of mod_wsgi in the same rows is complete.
ONLY_QUOTED = (
    r"(?:apache2:[ _](?:all[ _]together|processes)[ ,_]+after|ruby:[ _](?:all[ _]together|processes)[ ,_]+during)"
)
PARTLY_QUOTED = r"httpd:[ _](?:all[ _]together|processes)[ ,_]+during"
QUOTED_CELLS = r"(?:cells/[01]/(?:values/0|mean|n)|(?:Rails on mod_rails|Django on mod_python)(?:: n)?)"
WITHDRAWN = re.compile(
    rf"/(?:{ONLY_QUOTED}(?: \(MiB\))?|{PARTLY_QUOTED}/{QUOTED_CELLS}|figures/{PARTLY_QUOTED}(?: \(MiB\))?)$"
)
AGAINST = re.compile(r"ratio|verdict")


def facts(body):
    """JSON as its values, CSV as its rows by their heads, Markdown as its figures' links and its tables' first figures."""
    if not isinstance(body, str):
        return body
    try:
        return json.loads(body)
    except ValueError:
        pass
    if body.startswith("# "):
        return {
            "figures": re.findall(r"^\| ([^|]+?) \| ([\d.]+) \(", unmark(body), re.M),
            "links": re.findall(r"<(http.+)>$", body),
        }
    heads, *rows = csv.reader(body.splitlines())
    return [{head: value for head, value in zip(heads, row, strict=True) if not AGAINST.search(head)} for row in rows]


def find_lost(before, now, path=""):
    """What stood there before and does not now; more may stand there."""
    if isinstance(before, dict) and isinstance(now, dict):
        for name in before.keys() - CONCLUDED - RENAMED:
            yield from find_lost(before[name], now.get(name), f"{path}/{name}")
    elif isinstance(before, list) and isinstance(now, list) and before:
        names = [row_name(row) for row in before]
        if None in names:
            yield from find_lost(dict(enumerate(before)), dict(enumerate(now)), path)
        else:
            rows = {row_name(row): row for row in now}
            for name, row in zip(names, before, strict=True):
                if name.lower() not in RENAMED:
                    yield from find_lost(row, rows.get(name), f"{path}/{name}")
    elif before != now and not is_same_number(before, now):
        yield path, before, now


def row_name(row):
    """What a row of a table is known by."""
    if isinstance(row, dict):
        name = row.get("key") or row.get("metric")
        return name or (row["fingerprint"] if "first_day" in row else None)  # of a trend
    return row[0] if isinstance(row, list | tuple) and row and isinstance(row[0], str) else None


def unmark(text):
    """Without the commas of thousands, which are written since."""
    return re.sub(r"(?<=\d),(?=\d{3})", "", text)


def is_same_number(before, now):
    if isinstance(before, str) and isinstance(now, str) and unmark(now) == unmark(before):
        return True
    try:
        return float(before) == float(now)
    except (TypeError, ValueError):
        return False


def test_permissions_are_kept(migrated):
    with closing(sqlite3.connect(migrated[0] / "benchdash.sqlite3")) as connection:
        rows = connection.execute(
            "SELECT codename FROM auth_permission p JOIN auth_user_user_permissions u ON u.permission_id = p.id"
            " JOIN auth_user a ON a.id = u.user_id WHERE a.username = 'planner' ORDER BY codename"
        )
        assert [codename for (codename,) in rows] == ["add_plan", "change_target", "run_plan", "view_job"]


@pytest.fixture(scope="module")
def new(tmp_path_factory, django_db_setup, django_db_blocker):
    """A database that was made in one step, not by the steps that the other one took; before a test begins its transaction."""
    with django_db_blocker.unblock():
        return create_database(tmp_path_factory.mktemp("new") / "data")


def test_it_has_the_columns_and_indexes_of_a_new_database(migrated, new):
    assert schema_of(migrated[0] / "benchdash.sqlite3") == schema_of(new)


def schema_of(file):
    """(table, column, type, not null, key) of all, and (table, unique, partial, columns) of the indexes."""
    of_tables = "FROM sqlite_master m JOIN {} WHERE m.type = 'table'"
    columns = "SELECT m.name, c.name, c.type, c.[notnull], c.pk " + of_tables.format("pragma_table_info(m.name) c")
    indexes = "SELECT m.name, i.[unique], i.partial, group_concat(c.name) " + of_tables.format(
        "pragma_index_list(m.name) i JOIN pragma_index_info(i.name) c"
    )
    with closing(sqlite3.connect(file)) as connection:
        return [sorted(connection.execute(columns)), sorted(connection.execute(f"{indexes} GROUP BY m.name, i.name"))]
