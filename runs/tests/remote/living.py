"""Fixtures for jobs that really run: hosts, a database that other processes see too, a queue's server, workers.

Models are imported late: conftest.py, which takes these in, is read before Django is set up.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from benchdash.env import RemoteTimeouts
from benchdash.tests.services import ROOT
from runs.tests.installation import WITHIN_S, find_free_port, until
from runs.tests.remote.hosts import Lab, answers, end

# Signs of life every half second, so that what a test waits for comes soon.
QUICK = RemoteTimeouts(heartbeat_s=0.5, silence_s=3, tend_s=1, lost_s=6)


@pytest.fixture(scope="session")
def lab(needs: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    needs("network namespaces")
    needs("ab")
    with free_network() as number:
        made = Lab(tmp_path_factory.mktemp("lab"), number)
        try:
            made.up()
            yield made
        finally:
            made.down()


@contextmanager
def free_network() -> Iterator[int]:
    """The first of three networks 10.213.N that no other test process of this machine uses."""
    for number in range(0, 240, 3):
        with (Path(tempfile.gettempdir()) / f"benchdash-network-{number}.lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            yield number
            return
    raise RuntimeError("No network is free for the test's hosts.")


@pytest.fixture
def database(transactional_db: None, tmp_path: Path) -> Iterator[str]:
    """A database that threads and other processes share with the test; its URL. SQLite: a copy of the test's own, in a file."""
    from django.db import connection

    if connection.vendor == "postgresql":
        given = connection.settings_dict
        place = f"{given['USER'] or ''}:{given['PASSWORD'] or ''}@{given['HOST'] or ''}:{given['PORT'] or ''}"
        yield f"postgresql://{place if place != ':@:' else ''}/{given['NAME']}"
        return
    file = tmp_path / "shared.sqlite3"
    connection.ensure_connection()
    with closing(sqlite3.connect(file)) as copy:
        connection.connection.backup(copy)
    memory, name = connection.connection, connection.settings_dict["NAME"]
    connection.connection, connection.settings_dict["NAME"] = None, str(file)
    try:
        yield f"sqlite:///{file}"
    finally:
        connection.close()
        connection.connection, connection.settings_dict["NAME"] = memory, name


class Queue:
    """A Redis of the test's own, which may be stopped and started."""

    def __init__(self, program: str, folder: Path) -> None:
        self.program, self.folder, self.port = program, folder, find_free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        options = ["--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder), "--appendonly", "yes"]
        self.process = subprocess.Popen([self.program, *options], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        until(lambda: answers("127.0.0.1", self.port), "redis-server")

    def stop(self) -> None:
        if self.process is not None:
            end(self.process)


@pytest.fixture
def queue(needs: Callable[[str], str], tmp_path: Path) -> Iterator[Queue]:
    made = Queue(needs("redis-server"), tmp_path)
    made.start()
    yield made
    made.stop()


@pytest.fixture
def sending(queue: Queue) -> Iterator[None]:
    """What this process sends goes to the test's own queue."""
    from benchdash.celery import app

    before = app.conf.broker_url, app.conf.broker_transport_options
    _aim(app, queue.url, {"socket_connect_timeout": 5})
    yield
    _aim(app, *before)


def _aim(app: Any, url: str, options: dict[str, Any]) -> None:
    app.conf.broker_url = app.conf.broker_read_url = app.conf.broker_write_url = url
    app.conf.broker_transport_options = options
    app.amqp._producer_pool = None
    app._pool = None
    app.__dict__.pop("_connection", None)


class Site:
    """How other processes of this site are started."""

    def __init__(self, folder: Path, database: str, broker: str, ssh_config: Path) -> None:
        self.log = folder / "processes.log"
        self.env = {"PATH": os.environ["PATH"], "DATA_DIR": str(folder / "data"), "DATABASE_URL": database}
        self.env |= {"CELERY_BROKER_URL": broker, "SSH_CONFIG": str(ssh_config), "PYTHONUNBUFFERED": "1"}
        self.env["REMOTE_TIMEOUTS"] = ",".join(f"{name}={value:g}" for name, value in asdict(QUICK).items())
        self.env |= {name: os.environ[name] for name in ("HOME", "PGUSER", "PGHOST") if name in os.environ}
        self.processes: list[subprocess.Popen[bytes]] = []

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        return self._start("manage.py", *arguments)

    def start_loads(self) -> subprocess.Popen[bytes]:
        """The worker for loads alone, as `manage.py worker` starts it. The one for texts also sends jobs again."""
        from runs.management.processes import worker_commands

        return self._start(*worker_commands(local=False)["The worker for loads"][1:])

    def celery(self, *arguments: str) -> subprocess.Popen[bytes]:
        return self._start("-m", "celery", "-A", "benchdash", *arguments)

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, *arguments],
                cwd=ROOT,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self.processes.append(process)
        return process

    def said(self) -> str:
        return self.log.read_text() if self.log.exists() else ""


@pytest.fixture
def site(tmp_path: Path, database: str, queue: Queue, lab: Lab) -> Iterator[Site]:
    made = Site(tmp_path, database, queue.url, lab.ssh_config)
    yield made
    for process in made.processes:
        end(process, patience_s=30)


@pytest.fixture
def by_ssh(lab: Lab, settings: Any) -> Lab:
    """The lab, reached from within this process."""
    settings.SSH_CONFIG = str(lab.ssh_config)
    settings.REMOTE_TIMEOUTS = QUICK
    return lab


class Going:
    """A job that runs in a thread of this process, as in a worker's."""

    def __init__(self, job: Any) -> None:
        self.job = job
        self.outcome: object = None
        self.error: BaseException | None = None
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        from django.db import connection

        from runs.remote import runner

        try:
            self.outcome = runner.run_job(self.job.pk, uuid.uuid4().hex)
        finally:
            connection.close()

    def now(self) -> Any:
        from runs.remote.models import Job

        return Job.objects.get(pk=self.job.pk)

    def is_over(self) -> bool:
        return not self._thread.is_alive()

    def until(self, state: str) -> Any:
        until(lambda: self.now().state == state, f"the job is {state}")
        return self.now()

    def end(self, within_s: float = WITHIN_S) -> Any:
        """The job, after its run has come to an end."""
        self._thread.join(within_s)
        assert not self._thread.is_alive()
        return self.now()


@pytest.fixture
def go(database: str, lab: Lab) -> Iterator[Callable[[Any], Going]]:
    """Run a job in a thread; whatever still runs at the end of the test is cancelled. Nothing is left on the hosts."""
    going: list[Going] = []

    def start(job: Any) -> Going:
        going.append(Going(job))
        return going[-1]

    yield start
    from runs.remote import jobs

    for one in going:
        if one._thread.is_alive():
            jobs.cancel_job(one.now(), None)
        one.end()
    until(lambda: not lab.left(), f"nothing is left on the hosts: {lab.left()}")
