"""`manage.py serve` with real processes: what somebody who types `make run` sees."""

from __future__ import annotations

import http.cookiejar
import json
import os
import re
import signal
import socket
import stat
import subprocess
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from runs.tests.installation import MANAGE, WITHIN_S, create_database, environment, find_free_port, until


@pytest.fixture(scope="module")
def data(tmp_path_factory, django_db_setup, django_db_blocker) -> Path:
    """The data folder of all starts; the test that comes first sees a first start, though with all tables there."""
    folder: Path = tmp_path_factory.mktemp("serve") / "data"
    with django_db_blocker.unblock():
        create_database(folder)
    return folder


@pytest.fixture
def port() -> int:
    return find_free_port()


@pytest.fixture
def serve(data: Path, port: int) -> Iterator[subprocess.Popen[str]]:
    """A server that is ended after the test, however that went."""
    with start(data, port) as process:
        yield process
        process.terminate()


def start(data: Path, port: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*MANAGE, "serve"],
        env=environment(data, PORT=str(port)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def read_until(process: subprocess.Popen[str], text: str) -> str:
    """What it printed up to the line with `text`."""
    assert process.stdout
    seen = ""
    for line in process.stdout:
        seen += line
        if text in line:
            return seen
    raise AssertionError(f"it ended before it said {text!r}:\n{seen}")


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def family(pid: int) -> list[int]:
    """Its children, theirs, and so on."""
    return [one for child in children(pid) for one in (child, *family(child))]


def log_in(port: int, password: str) -> str:
    """The address one is led to."""
    jar = http.cookiejar.CookieJar()
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
    page = f"http://localhost:{port}/login/"
    browser.open(page, timeout=WITHIN_S).close()
    token = next(cookie.value for cookie in jar if cookie.name == "csrftoken")
    form = {"username": "admin", "password": password, "csrfmiddlewaretoken": token, "next": "/tokens/"}
    with browser.open(page, urllib.parse.urlencode(form).encode(), timeout=WITHIN_S) as response:
        return str(response.url)


def test_a_first_start_says_where_it_is_and_when_the_web_server_dies_the_rest_is_stopped(serve, port, data):
    said = read_until(serve, "Ctrl-C stops it.")
    assert f"benchdash is at http://localhost:{port}/" in said
    assert "6 sample sessions loaded" in said
    password = re.search(r"Log in as admin with the password (\S+) ", said).group(1)
    stored = data / "admin-password"
    assert stored.read_text().strip() == password
    assert stat.S_IMODE(stored.stat().st_mode) == 0o600
    assert log_in(port, password) == f"http://localhost:{port}/tokens/"
    with urllib.request.urlopen(f"http://localhost:{port}/readyz", timeout=WITHIN_S) as response:
        assert set(json.load(response).values()) == {"ok"}
    web, *others = children(serve.pid)
    assert len(others) == 3  # texts, loads, clock
    os.kill(web, signal.SIGKILL)
    said = read_until(serve, "CommandError")
    assert "The web server ended by itself with status -9; the other processes were stopped." in said
    assert serve.wait(timeout=WITHIN_S) == 1
    assert not [pid for pid in others if Path(f"/proc/{pid}").exists()]


def test_a_signal_ends_it_with_all_that_it_started(serve):
    read_until(serve, "Ctrl-C stops it.")
    pids = children(serve.pid)
    assert len(pids) == 4
    serve.send_signal(signal.SIGTERM)
    assert serve.wait(timeout=WITHIN_S) == 0
    assert not [pid for pid in pids if Path(f"/proc/{pid}").exists()]


def test_when_it_is_killed_itself_everything_it_started_ends_too(serve):
    read_until(serve, "Ctrl-C stops it.")
    pids = family(serve.pid)
    assert len(pids) > 5
    serve.kill()
    serve.wait(timeout=WITHIN_S)
    until(lambda: not [pid for pid in pids if Path(f"/proc/{pid}").exists()], "all have ended")


def test_a_port_in_use_is_said_before_anything_is_started(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        process = start(tmp_path / "data", port)
        said, _ = process.communicate(timeout=WITHIN_S)
    assert process.returncode == 1
    assert f"Port {port} cannot be used (Address already in use). Choose another: PORT=8001 make run" in said
    assert not (tmp_path / "data" / "benchdash.sqlite3").exists()
