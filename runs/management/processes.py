"""The processes of one installation: their command lines, their supervision and the web server's health check.

Uploads and remote runs have a worker each, so that a plan that runs for ten minutes delays no small upload, and a text that
uses up all memory breaks off no measurement. Texts are parsed in a pool process, because the work is Python's own; remote
runs are followed by threads, because the work is waiting: when their worker is killed they are gone, and what they started
elsewhere ends.

`python -m runs.management.processes` exits 0 when the web server answers (for container health checks). Standard library
only, so that this check starts quickly.

A library (honcho) was evaluated as the supervisor; docs/dependencies.md says what would be lost.
"""

from __future__ import annotations

import ctypes
import http.client
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial

# Celery's six lines about running as root: everything here runs as the user who started it.
NO_ROOT_WARNING = "ignore:You're running the worker with superuser privileges"
REMOTE_RUNS_AT_ONCE = 4  # on different targets and from different generators; see remote.jobs
POLL_S = 0.2
HEAD_S = 15  # for the head of a request, and between two requests of a connection
DRAIN_S = 10  # in which a stopping web server finishes its requests
# SIGTERM: finish the current task. SIGQUIT: return it to the queue. Then SIGKILL.
STOP_SIGNALS = ((signal.SIGTERM, 15.0), (signal.SIGQUIT, 3.0), (signal.SIGKILL, 5.0))  # (signal, s to wait)
PR_SET_PDEATHSIG = 1  # linux/prctl.h
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


def web_command(interface: str, port: int) -> list[str]:
    """granian's command line: two processes, each with an event loop and the threads of asgi.py.

    It ends a connection whose head does not come within HEAD_S. The backlog is of connections, which are many and cheap.
    """
    options = f"--interface asginl --host {interface} --port {port} --http 1 --no-ws --workers 2 --log-level warning"
    limits = f"--http1-header-read-timeout {HEAD_S * 1000} --backlog 2048 --backpressure 4096 --workers-kill-timeout {DRAIN_S}"
    command = f"granian benchdash.asgi:application {options} {limits} --respawn-failed-workers"
    return [sys.executable, "-m", *command.split()]


def worker_commands(*, local: bool, texts_at_once: int = 1) -> dict[str, list[str]]:
    """The worker for texts and the worker for remote runs; `local`: it also sends load from this machine itself."""
    queues = "remote,load.local" if local else "remote"
    threads = ("--pool", "threads", "--concurrency", str(REMOTE_RUNS_AT_ONCE))
    return {
        "The worker for texts": _worker_command("texts", "celery", "--concurrency", str(texts_at_once)),
        "The worker for loads": _worker_command("loads", queues, *threads),
    }


def generator_command(name: str) -> list[str]:
    """The worker on a load generator: it takes only the load that is to be sent from there."""
    return _worker_command(f"load-{name}", f"load.{name}", "--pool", "threads", "--concurrency", "2")


def beat_command() -> list[str]:
    return [*_celery_command(), "beat", "--loglevel", "WARNING"]


def _worker_command(name: str, queues: str, *pool: str) -> list[str]:
    # Nothing here uses the messages between workers.
    quiet = ("--loglevel", "WARNING", "--without-gossip", "--without-mingle", "--without-heartbeat")
    return [*_celery_command(), "worker", "--hostname", f"{name}@%h", "--queues", queues, *pool, *quiet]


def _celery_command() -> list[str]:
    return [sys.executable, "-W", NO_ROOT_WARNING, "-m", "celery", "-q", "-A", "benchdash"]


def end_with_parent(number: int, parent: int | None = None) -> None:
    """Have the kernel send this process signal `number` when its parent ends. Does nothing on other systems than Linux.

    parent   the parent's id, where it may have ended already: then this process ends at once
    """
    if _libc is None:
        return
    _libc.prctl(PR_SET_PDEATHSIG, int(number), 0, 0, 0)
    if parent is not None and os.getppid() != parent:
        os._exit(1)


def run_together(
    commands: Mapping[str, Sequence[str]], *, is_up: Callable[[], bool], announce: Callable[[], None]
) -> str | None:
    """Run the commands until SIGINT, SIGTERM or SIGHUP comes or one of them ends; then stop the others.

    `announce` is called once, as soon as `is_up` returns True. Returns None after a signal, else a sentence about which
    command ended by itself.
    """
    children: dict[str, subprocess.Popen[bytes]] = {}
    with _stop_signals() as stop:
        try:
            for name, command in commands.items():
                # A session of its own: Ctrl-C reaches this process only, which then stops them in order. When this
                # process is killed the kernel sends them SIGTERM.
                children[name] = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    start_new_session=True,
                    preexec_fn=partial(end_with_parent, signal.SIGTERM, os.getpid()),
                )
            return _watch(children, stop, is_up, announce)
        finally:
            _stop(list(children.values()))


@contextmanager
def _stop_signals() -> Iterator[threading.Event]:
    """An event that the stop signals set, for as long as the block runs."""
    stop = threading.Event()
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in numbers}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _watch(
    children: Mapping[str, subprocess.Popen[bytes]],
    stop: threading.Event,
    is_up: Callable[[], bool],
    announce: Callable[[], None],
) -> str | None:
    announced = False
    while not stop.wait(POLL_S):
        for name, child in children.items():
            if child.poll() is not None:
                return f"{name} ended by itself with status {child.returncode}"
        if not announced and is_up():
            announced = True
            announce()
    return None


def _stop(children: Sequence[subprocess.Popen[bytes]]) -> None:
    for number, patience_s in STOP_SIGNALS:
        alive = [child for child in children if child.poll() is None]
        for child in alive:
            if number == signal.SIGKILL:
                os.killpg(child.pid, number)  # its own children would be left without a parent
            else:
                child.send_signal(number)
        until = time.monotonic() + patience_s
        for child in alive:
            with suppress(subprocess.TimeoutExpired):
                child.wait(max(until - time.monotonic(), 0))


def is_web_up(port: int) -> bool:
    """Whether /healthz on this machine answers."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2.0)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def choose_host_name(allowed_hosts: list[str]) -> str:
    first = allowed_hosts[0] if allowed_hosts else "localhost"
    return "localhost" if first == "*" else first.removeprefix(".")


if __name__ == "__main__":
    sys.exit(0 if is_web_up(int(os.environ.get("PORT") or 8000)) else 1)
