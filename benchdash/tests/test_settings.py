"""Settings come from the environment, and a wrong one stops the start with a sentence that names it."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from benchdash import env
from benchdash.tests.services import ROOT


def start(tmp_path: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """`manage.py check` in an environment of its own."""
    base = {"PATH": os.environ["PATH"], "DATA_DIR": str(tmp_path / "data")}
    command = [sys.executable, "manage.py", "check"]
    return subprocess.run(command, cwd=ROOT, env=base | variables, capture_output=True, text=True, timeout=60)


def test_a_wrong_value_stops_the_start_with_one_sentence(tmp_path):
    result = start(tmp_path, PORT="eighty")
    assert result.returncode == 1
    assert result.stderr == (
        "benchdash cannot start: PORT is 'eighty', but it must be a whole number from 1 to 65535.\n"
    )


@pytest.mark.parametrize(
    ("name", "value", "read"),
    [
        ("DEBUG", "maybe", lambda: env.flag("DEBUG")),
        ("PUBLIC_READ", "2", lambda: env.flag("PUBLIC_READ")),
        ("PORT", "0", lambda: env.whole_number("PORT", default=8000, most=65535)),
        ("PORT", "70000", lambda: env.whole_number("PORT", default=8000, most=65535)),
        ("PORT", "-1", lambda: env.whole_number("PORT", default=8000)),
        ("MAX_UPLOAD_BYTES", "64 MB", lambda: env.whole_number("MAX_UPLOAD_BYTES", default=1)),
        ("ALLOWED_HOSTS", "http://bench.example.org", env.allowed_hosts),
        ("ALLOWED_HOSTS", "bench.example.org:8000", env.allowed_hosts),
        ("ALLOWED_HOSTS", " , ", env.allowed_hosts),
        ("DATABASE_URL", "mysql://localhost/x", lambda: env.database(Path("/nowhere"))),
        ("DATABASE_URL", "postgresql://localhost", lambda: env.database(Path("/nowhere"))),
        ("DATABASE_URL", "postgresql://localhost:port/x", lambda: env.database(Path("/nowhere"))),
        ("DATABASE_URL", "benchdash", lambda: env.database(Path("/nowhere"))),
        ("CELERY_BROKER_URL", "redis", env.broker),
        ("CELERY_BROKER_URL", "http://localhost", env.broker),
        ("DATA_DIR", "/dev/null/data", lambda: env.data_dir(Path("/nowhere"))),
        ("DATA_DIR", "/dev/null", lambda: env.data_dir(Path("/nowhere"))),
        ("SECRET_KEY", "short", lambda: env.secret_key(Path("/nowhere"), debug=False)),
    ],
)
def test_what_does_not_parse_is_named(monkeypatch, name, value, read):
    monkeypatch.setenv(name, value)
    with pytest.raises(ImproperlyConfigured, match=name):
        read()


@pytest.mark.parametrize(("text", "value"), [("1", True), ("Yes", True), ("on", True), ("off", False), ("", False)])
def test_a_flag_is_a_yes_or_a_no(monkeypatch, text, value):
    monkeypatch.setenv("PUBLIC_READ", text)
    assert env.flag("PUBLIC_READ") is value


def test_sqlite_under_the_data_folder_is_the_default(monkeypatch, tmp_path):
    monkeypatch.delenv("DATABASE_URL", raising=False)
    database = env.database(tmp_path)
    assert database["ENGINE"] == "django.db.backends.sqlite3"
    assert database["NAME"] == str(tmp_path / "benchdash.sqlite3")
    assert database["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    assert "journal_mode=WAL" in database["OPTIONS"]["init_command"]


def test_postgresql_takes_its_parts_from_the_address(monkeypatch, tmp_path):
    monkeypatch.setenv("DATABASE_URL", "postgresql://me:secret@db:5433/bench")
    database = env.database(tmp_path)
    assert database["ENGINE"] == "django.db.backends.postgresql"
    assert (database["NAME"], database["USER"], database["HOST"], database["PORT"]) == ("bench", "me", "db", 5433)


def test_the_secret_key_is_made_once_and_only_its_owner_reads_it(monkeypatch, tmp_path):
    monkeypatch.delenv("SECRET_KEY", raising=False)
    tmp_path.chmod(0o700)
    first = env.secret_key(tmp_path, debug=False)
    assert len(first) >= 50
    assert env.secret_key(tmp_path, debug=False) == first
    assert stat.S_IMODE((tmp_path / "secret_key").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["secret_key"]


def test_a_key_is_demanded_where_everybody_may_write(monkeypatch, tmp_path):
    monkeypatch.delenv("SECRET_KEY", raising=False)
    tmp_path.chmod(0o777)
    with pytest.raises(ImproperlyConfigured, match="SECRET_KEY is not set"):
        env.secret_key(tmp_path, debug=False)
    assert env.secret_key(tmp_path, debug=True)


def test_a_given_key_is_used_and_none_is_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("SECRET_KEY", "x" * 40)
    assert env.secret_key(tmp_path, debug=False) == "x" * 40
    assert list(tmp_path.iterdir()) == []


def test_the_data_folder_is_made_for_its_owner_alone(monkeypatch, tmp_path):
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "a" / "b"))
    path = env.data_dir(Path("/nowhere"))
    assert path == tmp_path / "a" / "b"
    assert stat.S_IMODE(path.stat().st_mode) == 0o700


def test_the_data_folder_is_var_in_the_checkout_by_default(monkeypatch, tmp_path):
    monkeypatch.delenv("DATA_DIR", raising=False)
    assert env.data_dir(tmp_path / "var") == tmp_path / "var"


def test_nothing_is_open_by_default():
    assert settings.DEBUG is False
    assert settings.PUBLIC_READ is False
    assert "*" not in settings.ALLOWED_HOSTS


def test_every_answer_forbids_other_sites(client):
    response = client.get("/login/")
    assert "default-src 'self'" in response.headers["Content-Security-Policy"]
    assert "script" not in response.headers["Content-Security-Policy"]  # no exception to 'self' for scripts
    assert response.headers["X-Frame-Options"] == "DENY"
    assert response.headers["X-Content-Type-Options"] == "nosniff"


def test_the_waiting_times_of_remote_runs_are_set_one_by_one(monkeypatch):
    monkeypatch.setenv("REMOTE_TIMEOUTS", "silence_s=30, lost_s=0.5")
    read = env.remote_timeouts()
    assert (read.silence_s, read.lost_s, read.heartbeat_s) == (30, 0.5, 3)


@pytest.mark.parametrize("text", ["silence_s", "silence_s=0", "silence_s=x", "patience_s=3", "silence_s=-1"])
def test_a_waiting_time_that_does_not_parse_is_named(monkeypatch, text):
    monkeypatch.setenv("REMOTE_TIMEOUTS", text)
    with pytest.raises(ImproperlyConfigured, match="REMOTE_TIMEOUTS"):
        env.remote_timeouts()
