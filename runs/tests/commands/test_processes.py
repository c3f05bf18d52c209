"""run_together: all programs are up, or none is."""

from __future__ import annotations

import os
import signal
import sys
import threading

import pytest

from runs.management import processes
from runs.management.processes import run_together

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]
END = [sys.executable, "-c", "raise SystemExit(3)"]
STUBBORN = "import pathlib, signal, time; signal.signal(15, signal.SIG_IGN); pathlib.Path({!r}).touch(); time.sleep(60)"


def signal_this(number: int = signal.SIGTERM) -> None:
    os.kill(os.getpid(), number)


@pytest.fixture
def children(monkeypatch):
    """Every process that was started."""
    started = []
    real = processes.subprocess.Popen

    def popen(*args, **kwargs):
        started.append(real(*args, **kwargs))
        return started[-1]

    monkeypatch.setattr(processes.subprocess, "Popen", popen)
    return started


def up() -> bool:
    return True


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_all_and_is_no_failure(children, number):
    before = signal.getsignal(number)
    assert run_together({"a": SLEEP, "b": SLEEP}, is_up=up, announce=lambda: signal_this(number)) is None
    assert [child.returncode for child in children] == [-signal.SIGTERM, -signal.SIGTERM]
    assert signal.getsignal(number) is before


def test_when_one_ends_the_other_is_stopped_and_it_says_which(children):
    ended = run_together({"The web server": SLEEP, "The worker": END}, is_up=up, announce=lambda: None)
    assert ended == "The worker ended by itself with status 3"
    assert children[0].returncode == -signal.SIGTERM


def test_when_one_does_not_start_the_other_is_stopped(children):
    with pytest.raises(FileNotFoundError):
        run_together({"a": SLEEP, "b": ["/no/such/program"]}, is_up=up, announce=lambda: None)
    assert children[0].returncode == -signal.SIGTERM


def test_one_that_does_not_listen_is_asked_harder(children, monkeypatch, tmp_path):
    monkeypatch.setattr(processes, "STOP_SIGNALS", ((signal.SIGTERM, 0.6), (signal.SIGKILL, 60.0)))
    deaf = tmp_path / "deaf"
    stubborn = [sys.executable, "-c", STUBBORN.format(str(deaf))]
    assert run_together({"a": stubborn}, is_up=deaf.exists, announce=signal_this) is None
    assert children[0].returncode == -signal.SIGKILL


def test_it_is_announced_once_and_only_when_it_is_up():
    said = []

    def is_up() -> bool:
        said.append("asked")
        return len(said) == 3

    def announce() -> None:
        said.append("announced")
        timer = threading.Timer(3 * processes.POLL_S, signal_this)  # after it could have been announced again
        timer.start()

    run_together({"a": SLEEP}, is_up=is_up, announce=announce)
    assert said == ["asked"] * 3 + ["announced"]
