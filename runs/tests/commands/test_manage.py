"""What the user can mend is said in a sentence, whichever command meets it; nothing shows a traceback."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.utils import DatabaseError, OperationalError, ProgrammingError

import manage
from runs.tests.ingest.texts import session
from runs.tests.installation import MANAGE, create_database, environment, find_free_port


def start(arguments: str, cwd: Path, stdout: int = subprocess.PIPE, **variables: str) -> subprocess.Popen[str]:
    env = environment(cwd / "data", **variables)
    command = [*MANAGE, *arguments.split()]
    return subprocess.Popen(command, cwd=cwd, env=env, stdout=stdout, stderr=subprocess.PIPE, text=True)


def outcome(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.log").write_text(session(500))
    (tmp_path / "not-a-database").write_text("This is a text.\n" * 100)
    return tmp_path


@pytest.mark.once
class TestWhatTheUserCanMend:
    @pytest.mark.parametrize("command", ["import_log a.log", "serve"])
    def test_a_database_that_is_away(self, folder, command):
        url = f"postgresql://127.0.0.1:{find_free_port()}/away"
        port = str(find_free_port())
        status, _, err = outcome(start(command, folder, DATABASE_URL=url, PORT=port))
        assert (status, "Traceback" in err) == (2, False) and "The database does not answer." in err

    @pytest.mark.parametrize(
        ("variables", "status", "sentence"),
        [
            ({"DATABASE_URL": "sqlite:///not-a-database"}, 2, "The database cannot be used: file is not a database"),
            ({"DATABASE_URL": "sqlite:////proc/none/x"}, 2, "unable to open database file"),
            ({"DATA_DIR": "/proc"}, 2, "/proc/secret_key"),
            (
                {"DATA_DIR": "/dev/null/x"},
                1,
                "benchdash cannot start: DATA_DIR is '/dev/null/x', which cannot be created",
            ),
            ({"DATA_DIR": "a.log"}, 1, "a.log', which cannot be created"),
            ({"CELERY_BROKER_URL": "carrier-pigeon://x"}, 1, "benchdash cannot start: CELERY_BROKER_URL must begin"),
        ],
    )
    def test_settings_and_files_that_cannot_be_used(self, folder, variables, status, sentence):
        got, _, err = outcome(start("import_log a.log", folder, **variables))
        assert (got, "Traceback" in err) == (status, False) and sentence in err

    def test_tables_that_are_missing(self, folder):
        status, _, err = outcome(start("reparse", folder))
        assert status == 2 and err == (
            "The database lacks what this version needs (no such table: runs_upload). Make it: python manage.py migrate\n"
        )


@pytest.mark.parametrize("arguments", ["reparse", "recount", "make_sample --runs 1", "first_start", "worker --host a"])
def test_no_command_keeps_a_database_that_is_away_to_itself(arguments, monkeypatch):
    def fail() -> None:
        raise OperationalError("could not connect to server")

    monkeypatch.setattr(connection, "ensure_connection", fail)
    with pytest.raises(OperationalError, match="could not connect"):
        call_command(*arguments.split())


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("worker --texts 0", "--texts must be a whole number from 1."),
        ("make_sample --runs 1 --series -3", "--series must be a whole number from 0."),
        ("make_sample --runs 0", "--runs must be a whole number from 1."),
        ("reparse 99999999999999999999999", "No upload 99999999999999999999999."),
        ("reparse x", "invalid int value: 'x'"),
    ],
)
def test_options_with_wrong_values(arguments, sentence):
    with pytest.raises(CommandError, match=re.escape(sentence)):
        call_command(*arguments.split())


@pytest.mark.once
class TestImportLog:
    def test_a_database_that_was_never_made_is_made(self, folder):
        status, out, err = outcome(start("import_log a.log", folder))
        assert (status, err) == (0, "") and "1 runs, 1 captures" in out

    @pytest.mark.django_db(transaction=True)
    def test_files_that_cannot_be_read(self, folder):
        create_database(folder / "data")
        long = "x" * 5000
        status, _, err = outcome(start(f"import_log . {long} nowhere a.log", folder))
        assert status == 2 and err.splitlines() == [
            ".: Is a directory",
            f"{long}: File name too long",
            "nowhere: No such file or directory",
        ]

    @pytest.mark.django_db(transaction=True)
    def test_it_ends_quietly_where_nobody_reads_on(self, folder):
        create_database(folder / "data")
        read, write = os.pipe()
        process = start("import_log --dry-run --json a.log", folder, stdout=write)
        os.close(write)
        os.close(read)
        assert outcome(process)[::2] == (141, "")


def test_each_kind_of_failure_has_its_sentence_and_a_fault_of_our_own_has_none():
    assert manage.explain(OperationalError("no such column: runs_run.x")).endswith("python manage.py migrate")
    assert (
        manage.explain(DatabaseError("file is not a database")) == "The database cannot be used: file is not a database"
    )
    assert manage.explain(PermissionError(13, "Permission denied", "/a/b")) == "/a/b: Permission denied"
    assert manage.explain(ProgrammingError("syntax error")) is None
    assert manage.explain(KeyError("x")) is None


@pytest.mark.django_db
def test_a_server_that_lacks_a_table_is_told_of():
    with pytest.raises((OperationalError, ProgrammingError)) as failed, connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM runs_nothing")
    assert manage.explain(failed.value).endswith("Make it: python manage.py migrate")
