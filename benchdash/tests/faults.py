"""`make faults`: an installation with a PostgreSQL, a Redis and a disk of its own, each of which goes away, freezes or fills up.

Every process is started here and signalled by its number. The whole takes some minutes.
"""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from http.client import HTTPMessage
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from urllib.parse import urlencode

import psycopg2
import pytest
import redis

from benchdash.tests.services import ROOT
from runs.management import processes
from runs.tests.ingest.texts import session
from runs.tests.installation import MANAGE, environment, find_free_port

QUEUED_BYTES = 20_000
MINUTE_LATER = "UPDATE runs_upload SET seen_at = seen_at - interval '61 s' WHERE status = 'queued'"
SENTENCES = {
    "away": "The database does not answer.",
    "read only": "The database is read-only at the moment.",
    "full": "The server's disk is full.",
}


def wait_for(condition: Callable[[], Any], seconds: float, what: str) -> Any:
    until = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < until, f"not within {seconds:g} s: {what}"
        time.sleep(0.2)
    return found


def end(process: subprocess.Popen[Any], number: int = signal.SIGTERM, seconds: float = 40) -> int:
    if process.poll() is None:
        process.send_signal(number)
    return process.wait(seconds)


# --- servers -------------------------------------------------------------------------------------------------------------


class Postgresql:
    """A cluster of the test's own. PostgreSQL does not run as root: there it runs as the user postgres."""

    def __init__(self, folder: Path) -> None:
        self.programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1]
        self.folder, self.port = folder / "cluster", find_free_port()
        self.url = f"postgresql://postgres@127.0.0.1:{self.port}/postgres"
        self._as = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        if self._as:
            shutil.chown(folder, "postgres")
        self._call("initdb", "--username", "postgres", "--auth", "trust", "--no-sync")
        self.start()

    def _call(self, program: str, *options: str) -> None:
        command = [*self._as, str(self.programs / program), "-D", str(self.folder), *options]
        subprocess.run(command, cwd="/", check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off"
        self._call("pg_ctl", "-w", "-l", str(self.folder / "log"), "-o", options, "start")

    def stop(self) -> None:
        self._call("pg_ctl", "-w", "-m", "immediate", "stop")

    def signal(self, number: int) -> None:
        """To the server and all its processes."""
        first = int((self.folder / "postmaster.pid").read_text().split()[0])
        others = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        for pid in (first, *map(int, others)):
            os.kill(pid, number)

    def ask(self, statement: str) -> list[tuple[Any, ...]]:
        with closing(psycopg2.connect(self.url, options="-c default_transaction_read_only=off")) as connection:
            connection.autocommit = True
            cursor = connection.cursor()
            cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []


class Redis:
    def __init__(self, folder: Path, program: str) -> None:
        self.port, self.folder, self.program = find_free_port(), folder, program
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.start()

    def start(self) -> None:
        options = ["--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder), "--appendonly", "yes"]
        self.process = subprocess.Popen([self.program, *options], stdout=subprocess.DEVNULL)
        wait_for(self._answers, 20, "redis-server")

    def _answers(self) -> bool:
        try:
            return bool(redis.Redis(port=self.port).ping())
        except redis.ConnectionError:
            return False


# --- the site ------------------------------------------------------------------------------------------------------------


class Answer(NamedTuple):
    status: int
    headers: HTTPMessage
    body: str
    seconds: float


class Site:
    """Web server, worker and clock on a data folder; what they log is in `log`."""

    def __init__(self, data: Path, variables: dict[str, str]) -> None:
        data.mkdir(mode=0o700, exist_ok=True)
        self.data, self.port = data, find_free_port()
        self.variables = environment(data, QUEUE_UPLOAD_BYTES=str(QUEUED_BYTES), PORT=str(self.port), **variables)
        self.log = data.parent / f"{data.name}.log"
        self.token = ""
        self.running: list[subprocess.Popen[bytes]] = []

    def manage(self, *words: str, **options: Any) -> subprocess.CompletedProcess[str]:
        options = {"capture_output": True, "text": True, "timeout": 300} | options
        return subprocess.run([*MANAGE, *words], env=self.variables, cwd=ROOT, **options)

    def prepare(self) -> None:
        assert (started := self.manage("first_start")).returncode == 0, started.stderr
        make = (
            "from django.contrib.auth.models import User; from runs.accounts import make_token;"
            "print(make_token(user=User.objects.get(), name='test')[1])"
        )
        self.token = self.manage("shell", "--no-imports", "-c", make, check=True).stdout.strip()

    def start(self, command: list[str], **options: Any) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as log:
            self.running.append(
                subprocess.Popen(command, env=self.variables, cwd=ROOT, stdout=log, stderr=log, **options)
            )
        return self.running[-1]

    def start_web(self, **options: Any) -> None:
        self.start(processes.web_command("127.0.0.1", self.port), **options)
        wait_for(lambda: processes.is_web_up(self.port), 40, "the web server")

    def start_worker(self, **variables: str) -> subprocess.Popen[bytes]:
        command = processes.worker_commands(local=False)["The worker for texts"]
        return self.start(["env", *(f"{name}={value}" for name, value in variables.items()), *command])

    def stop(self) -> None:
        for process in self.running:
            end(process)

    def ask(self, path: str, body: str | None = None, **headers: str) -> Answer:
        request = urllib.request.Request(  # noqa: S310
            f"http://localhost:{self.port}{path}",
            body.encode() if body is not None else None,
            {"Authorization": f"Bearer {self.token}", "Content-Type": "text/plain", **headers},
        )
        began = time.monotonic()
        try:
            with urllib.request.urlopen(request, timeout=60) as found:  # noqa: S310
                status, told, text = found.status, found.headers, found.read().decode()
        except urllib.error.HTTPError as refused:
            status, told, text = refused.code, refused.headers, refused.read().decode()
        return Answer(status, told, text, time.monotonic() - began)

    def send(self, number: int, bytes_at_least: int = 0) -> Answer:
        # Of lines that differ, as equal ones are skipped: it is read for some seconds on a machine that does nothing else.
        prose = "".join(f"text {number}, line {line}\n" for line in range(bytes_at_least // 15))
        return self.ask("/api/v1/uploads/", prose + session(500 + number))

    def answers(self) -> bool:
        """Many calls in a row: each web process notices by itself that a server is back."""
        return all(self.ask("/api/v1/hosts/").status == 200 for _ in range(20))

    def state_of(self, sent: Answer) -> str:
        return str(json.loads(self.ask(f"/api/v1/uploads/{json.loads(sent.body)['id']}/").body)["status"])

    def script(self) -> str:
        return "/static/plotly/" + next((self.data / "static/plotly").glob("plotly.min.*.js")).name

    @contextmanager
    def logged(self) -> Iterator[list[str]]:
        """The lines that are logged meanwhile; at the end none of them may be a traceback."""
        lines: list[str] = []
        before = self.log.stat().st_size
        yield lines
        with self.log.open() as log:
            log.seek(before)
            lines += log.read().splitlines()
        assert not [line for line in lines if "Traceback" in line], "\n".join(lines[:40])


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Not pytest's own: the user postgres may not enter that."""
    with tempfile.TemporaryDirectory(prefix="benchdash-faults-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture(scope="module")
def postgresql(folder: Path) -> Iterator[Postgresql]:
    (place := folder / "postgresql").mkdir()
    made = Postgresql(place)
    yield made
    made.signal(signal.SIGCONT)
    made.stop()


@pytest.fixture(scope="module")
def queue(folder: Path, needs: Callable[[str], str]) -> Iterator[Redis]:
    (place := folder / "redis").mkdir()
    made = Redis(place, needs("redis-server"))
    yield made
    made.process.kill()
    made.process.wait()


@pytest.fixture(scope="module")
def site(folder: Path, postgresql: Postgresql, queue: Redis) -> Iterator[Site]:
    made = Site(folder / "data", {"DATABASE_URL": postgresql.url, "CELERY_BROKER_URL": queue.url})
    made.prepare()
    try:
        made.start_web()
        yield made
    finally:
        made.stop()


# --- the faults ----------------------------------------------------------------------------------------------------------


def test_first_starts_at_the_same_time_take_turns(folder, postgresql):
    postgresql.ask("CREATE DATABASE turns")
    url = postgresql.url.rpartition("/")[0] + "/turns"
    sites = [Site(folder / f"turn{number}", {"DATABASE_URL": url}) for number in range(2)]
    running = [
        subprocess.Popen([*MANAGE, "first_start"], env=site.variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for site in sites
    ]
    said = [process.communicate(timeout=300) for process in running]
    assert [process.returncode for process in running] == [0, 0], said
    assert sorted(b"6 sample sessions loaded" in out for out, _ in said) == [False, True]


@contextmanager
def redis_stopped(queue: Redis) -> Iterator[None]:
    end(queue.process, signal.SIGKILL)
    try:
        yield
    finally:
        queue.start()


@contextmanager
def redis_frozen(queue: Redis) -> Iterator[None]:
    queue.process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        queue.process.send_signal(signal.SIGCONT)


@contextmanager
def redis_full(queue: Redis) -> Iterator[None]:
    client = redis.Redis(port=queue.port)
    client.config_set("maxmemory", "1")
    try:
        yield
    finally:
        client.config_set("maxmemory", "0")


@pytest.mark.parametrize("fault", [redis_stopped, redis_frozen, redis_full])
def test_without_redis_calls_and_uploads_go_on_and_what_is_queued_is_read_later(site, queue, postgresql, fault):
    number = 10 * [redis_stopped, redis_frozen, redis_full].index(fault)
    with site.logged() as lines:
        with fault(queue):
            calls = [site.ask("/api/v1/hosts/") for _ in range(20)]
            small, large = site.send(number), site.send(number + 1, QUEUED_BYTES)
            again = site.send(number + 2, QUEUED_BYTES)
        assert [call.status for call in calls] == [200] * 20
        assert (small.status, large.status, again.status) == (201, 202, 202)
        assert max(answer.seconds for answer in (*calls, small, large, again)) < 20
    assert len([line for line in lines if "API requests are not limited" in line]) <= 4  # two processes
    postgresql.ask(MINUTE_LATER)
    worker = site.start_worker()  # a start looks after what was left, as the clock does every 15 s
    wait_for(lambda: [site.state_of(sent) for sent in (large, again)] == ["ready"] * 2, 40, "they are read")
    assert end(worker) == 0


@contextmanager
def postgresql_stopped(postgresql: Postgresql) -> Iterator[None]:
    postgresql.stop()
    try:
        yield
    finally:
        postgresql.start()


@contextmanager
def postgresql_frozen(postgresql: Postgresql) -> Iterator[None]:
    postgresql.signal(signal.SIGSTOP)
    try:
        yield
    finally:
        postgresql.signal(signal.SIGCONT)


@pytest.mark.parametrize("fault", [postgresql_stopped, postgresql_frozen])
def test_without_postgresql_every_page_says_so_and_static_files_are_sent(site, postgresql, fault):
    assert site.ask("/api/v1/hosts/").status == 200
    with site.logged() as lines:
        began = time.monotonic()
        with fault(postgresql):
            first = site.ask("/api/v1/hosts/")
            assert first.seconds < 15
            answers = [first, *(site.ask("/api/v1/hosts/") for _ in range(50)), site.send(99)]
            page = site.ask("/login/", Cookie="sessionid=abcdefghijklmnopqrstuvwxyz012345")
            still = [site.ask("/healthz"), site.ask(site.script())]
        lasted_s = time.monotonic() - began
    assert {answer.status for answer in answers} == {503}
    assert all(int(answer.headers["Retry-After"]) > 0 for answer in answers)
    assert {json.loads(answer.body)["errors"][0]["message"].startswith(SENTENCES["away"]) for answer in answers} == {
        True
    }
    assert page.status in (200, 503)  # a page of its own, or the form, which asks nothing of the database
    assert [answer.status for answer in still] == [200, 200]
    assert max(answer.seconds for answer in still) < 5
    assert len([line for line in lines if SENTENCES["away"] in line]) <= 2 * (lasted_s // 10 + 1)  # two processes
    wait_for(site.answers, 30, "both web processes are back")


def test_a_database_that_takes_no_changes_is_read_and_says_so_to_writers(site, postgresql):
    postgresql.ask("ALTER DATABASE postgres SET default_transaction_read_only = on")
    hang_up = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = 'postgres'"
    )
    postgresql.ask("UPDATE runs_apitoken SET last_used_at = NULL")
    postgresql.ask(hang_up)
    try:
        with site.logged():
            wait_for(site.answers, 30, "it is read")
            paths = ("runs", "experiments", "uploads", "configs", "captures", "jobs")
            assert {path: site.ask(f"/api/v1/{path}/").status for path in paths} == dict.fromkeys(paths, 200)
            refused = site.send(98)
        assert (refused.status, refused.headers["Retry-After"]) == (503, "60")
        assert json.loads(refused.body)["errors"][0]["message"].startswith(SENTENCES["read only"])
    finally:
        postgresql.ask("ALTER DATABASE postgres RESET default_transaction_read_only")
        postgresql.ask(hang_up)
    wait_for(site.answers, 30, "it is back")
    assert site.send(98).status == 201


def test_orderly_restarts_of_a_worker_are_no_attempts_at_a_text(site, postgresql):
    sent = site.send(97, 12_000_000)
    assert sent.status == 202
    upload = f"FROM runs_upload WHERE id = {json.loads(sent.body)['id']}"
    postgresql.ask(MINUTE_LATER)  # so that it is read whether or not its message could be sent
    for _ in range(4):
        worker = site.start_worker()
        wait_for(lambda: postgresql.ask(f"SELECT status = 'parsing' {upload}")[0][0], 40, "it is read")
        assert end(worker, seconds=20) == 0
        assert postgresql.ask(f"SELECT status, attempts {upload}") == [("queued", 0)]
    worker = site.start_worker()
    wait_for(lambda: postgresql.ask(f"SELECT status {upload}")[0][0] == "ready", 90, "it is stored")
    assert end(worker) == 0


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A folder on a disk of 24 MB. Where nothing may be mounted, files of this process and its children may not grow beyond."""
    folder.mkdir(mode=0o700)
    mount = ["mount", "-t", "tmpfs", "-o", "size=24m,mode=700", "tmpfs", str(folder)]
    if os.geteuid() == 0 and subprocess.run(mount, capture_output=True).returncode == 0:
        try:
            yield folder
        finally:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)
        return
    yield folder


def fill(folder: Path) -> Callable[[], None] | None:
    """Leave nothing free, or return what limits the files of a process that is started."""
    if not folder.is_mount():
        size = (folder / "benchdash.sqlite3").stat().st_size
        return partial(resource.setrlimit, resource.RLIMIT_FSIZE, (size, size))
    with ExitStack() as opened:
        ballast = opened.enter_context((folder / "ballast").open("wb", buffering=0))
        for piece in (2**16, 2**12, 1):
            try:
                while ballast.write(b"\0" * piece):
                    pass
            except OSError:
                continue
    return None


def test_on_a_full_disk_pages_go_on_and_nothing_is_half_stored(folder):
    with small_disk(folder / "disk") as disk:
        site = Site(disk, {})
        site.prepare()
        site.start_web(preexec_fn=None if disk.is_mount() else fill(disk))
        try:
            assert site.ask("/api/v1/hosts/").status == 200
            if disk.is_mount():
                fill(disk)
            with site.logged():
                refused = [site.send(number, 2_000_000) for number in range(1, 4)]
                paths = ("runs", "experiments", "uploads", "configs", "hosts")
                read = {path: site.ask(f"/api/v1/{path}/").status for path in paths}
            assert {answer.status for answer in refused} == {507}
            assert json.loads(refused[0].body)["errors"][0]["message"].startswith(SENTENCES["full"])
            assert read == dict.fromkeys(paths, 200)
            (disk / "ballast").unlink(missing_ok=True)
            if disk.is_mount():
                assert site.send(5).status == 201
        finally:
            site.stop()
        started = site.manage("first_start", preexec_fn=fill(disk), check=False)
        told = site.manage("import_log", "-", input=session(777), preexec_fn=fill(disk), check=False)
    assert "Traceback" not in started.stderr + told.stderr
    assert told.returncode == 2
    assert SENTENCES["full"] in told.stderr


def test_a_full_disk_of_postgresql_is_said_and_what_is_stored_is_read(site, postgresql, folder):
    with small_disk(folder / "tablespace") as disk:
        if not disk.is_mount():
            pytest.skip("no disk can be mounted here")
        shutil.chown(disk, "postgres")
        postgresql.ask(f"CREATE TABLESPACE small LOCATION '{disk}'")
        postgresql.ask("ALTER TABLE runs_piece SET TABLESPACE small")
        try:
            fill(disk)
            chance = Random(1)  # noqa: S311  # of equal lines a page that is there already has room for
            dense = "".join(f"{chance.randbytes(32).hex()}\n" for _ in range(40_000))
            with site.logged():
                refused = [site.ask("/api/v1/uploads/", text + session(600)) for text in (dense, 2 * dense)]
                read = [site.ask(f"/api/v1/{path}/").status for path in ("runs", "experiments", "uploads")]
            assert [answer.status for answer in refused] == [507, 507]
            assert json.loads(refused[0].body)["errors"][0]["message"].startswith(SENTENCES["full"])
            assert read == [200, 200, 200]
            (disk / "ballast").unlink()
            assert site.send(600).status == 201
        finally:
            postgresql.ask("ALTER TABLE runs_piece SET TABLESPACE pg_default")
            postgresql.ask("DROP TABLESPACE small")


def test_a_worker_without_its_database_logs_little_and_goes_on(site, postgresql):
    worker = site.start_worker()
    assert site.send(610, QUEUED_BYTES).status == 202
    postgresql.ask(MINUTE_LATER)
    send_many = "from runs.tasks import tend_uploads; [tend_uploads.delay() for _ in range(300)]"
    with site.logged() as lines:
        began = time.monotonic()
        with postgresql_stopped(postgresql):
            site.manage("shell", "--no-imports", "-c", send_many, check=True)
            time.sleep(20)
        lasted_s = time.monotonic() - began
    said = [line for line in lines if SENTENCES["away"] in line]
    assert 1 <= len(said) <= 2 * (lasted_s // 10 + 1)  # the worker and the process of its pool
    wait_for(site.answers, 30, "the web processes are back")
    sent = site.send(611, QUEUED_BYTES)
    postgresql.ask(MINUTE_LATER)
    wait_for(lambda: site.state_of(sent) == "ready", 60, "it is read")
    assert end(worker) == 0


def test_a_statement_of_a_worker_ends_after_its_time_and_the_text_is_read_later(site, postgresql):
    worker = site.start_worker(STATEMENT_TIMEOUT_S="1")
    with closing(psycopg2.connect(postgresql.url)) as other, site.logged() as lines:
        other.cursor().execute("LOCK TABLE runs_run IN EXCLUSIVE MODE")
        sent = site.send(620, QUEUED_BYTES)
        postgresql.ask(MINUTE_LATER)
        wait_for(lambda: "The database took too long." in site.log.read_text(), 60, "the worker gives up")
    assert len([line for line in lines if "The database took too long." in line]) == 1
    postgresql.ask("UPDATE runs_upload SET status = 'queued' WHERE status = 'parsing'")
    postgresql.ask(MINUTE_LATER)
    assert end(worker) == 0
    worker = site.start_worker()
    wait_for(lambda: site.state_of(sent) == "ready", 60, "it is read")
    assert end(worker) == 0


# --- many at once --------------------------------------------------------------------------------------------------------


def ask_until(site: Site, path: str, over: Callable[[], bool]) -> list[Answer]:
    """At least five answers."""
    answers: list[Answer] = []
    while len(answers) < 5 or not over():
        answers.append(site.ask(path))
    return answers


def longest_s(answers: Sequence[Answer]) -> float:
    assert {answer.status for answer in answers} == {200}
    return max(answer.seconds for answer in answers)


def test_of_200_texts_at_once_none_is_lost(site, postgresql):
    with site.logged(), ThreadPoolExecutor(200) as senders:
        sent = list(senders.map(site.send, range(1000, 1200)))
    assert {answer.status for answer in sent} <= {201, 202}
    assert len({json.loads(answer.body)["id"] for answer in sent}) == 200
    (count,) = postgresql.ask("SELECT count(*) FROM runs_run WHERE requests_per_second BETWEEN 1500 AND 1699")[0]
    assert count == Counter(answer.status for answer in sent)[201]


def test_pages_do_not_wait_for_24_tries_to_log_in(site: Site) -> None:
    form = site.ask("/login/", Authorization="")
    (token,) = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', form.body)[:1]
    cookie, kind = form.headers["Set-Cookie"].split(";")[0], "application/x-www-form-urlencoded"

    def try_password(number: int) -> Answer:
        body = urlencode({"csrfmiddlewaretoken": token, "username": f"name{number}", "password": "guessed"})
        return site.ask("/login/", body, **{"Cookie": cookie, "Content-Type": kind, "Authorization": ""})

    with ThreadPoolExecutor(24) as strangers:
        tries = [strangers.submit(try_password, number) for number in range(24)]
        pages = ask_until(site, "/api/v1/hosts/", lambda: all(one.done() for one in tries))
    answers = [one.result() for one in tries]
    # One waits for others of its address for some seconds, and is then asked to try again.
    assert all("do not match" in answer.body or answer.status == 429 for answer in answers)
    assert longest_s(pages) < max(answer.seconds for answer in answers) / 3


def test_pages_do_not_wait_for_eight_who_compare_many_configs(site, postgresql):
    with site.logged(), ThreadPoolExecutor(8) as readers, ThreadPoolExecutor(1) as probe:
        text = "".join(session(2000 + number, heading=f"config{number}x:") for number in range(500))
        sent = site.ask("/api/v1/uploads/", text)
        postgresql.ask(MINUTE_LATER)
        worker = site.start_worker()
        wait_for(lambda: site.state_of(sent) == "ready", 90, "it is read")
        assert end(worker) == 0
        (most,) = postgresql.ask("SELECT experiment_id FROM runs_config GROUP BY 1 ORDER BY count(*) DESC LIMIT 1")[0]
        compared = [readers.submit(site.ask, f"/api/v1/compare/?experiment={most}") for _ in range(24)]
        alive = probe.submit(ask_until, site, "/healthz", lambda: all(one.done() for one in compared))
        pages = ask_until(site, "/api/v1/hosts/", lambda: all(one.done() for one in compared))
    comparisons = [one.result() for one in compared]
    assert longest_s(pages) < longest_s(comparisons) / 3
    assert longest_s(alive.result()) < 2


def test_a_start_without_its_database_says_so(folder):
    site = Site(folder / "nothing", {"DATABASE_URL": f"postgresql://127.0.0.1:{find_free_port()}/none"})
    started = site.manage("serve")
    assert started.returncode == 2
    assert SENTENCES["away"] in started.stderr
    assert "Traceback" not in started.stderr


if __name__ == "__main__":
    sys.exit(pytest.main([__file__, "-x", "-p", "no:cacheprovider"]))
