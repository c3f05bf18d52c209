"""run_together: all programs are up, or none is."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

import pytest

from runs.management import processes
from runs.management.processes import run_together

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]
END = [sys.executable, "-c", "raise SystemExit(3)"]
STUBBORN = [sys.executable, "-c", "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(60)"]


def signal_soon(number: int = signal.SIGTERM, after_s: float = 0.6) -> None:
    timer = threading.Timer(after_s, os.kill, (os.getpid(), number))
    timer.daemon = True
    timer.start()


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
    signal_soon(number)
    assert run_together({"a": SLEEP, "b": SLEEP}, is_up=up, announce=lambda: None) is None
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


def test_one_that_does_not_listen_is_asked_harder(children, monkeypatch):
    monkeypatch.setattr(processes, "STOP_SIGNALS", ((signal.SIGTERM, 0.6), (signal.SIGKILL, 5.0)))
    signal_soon(after_s=1.0)
    assert run_together({"a": STUBBORN}, is_up=up, announce=lambda: None) is None
    assert children[0].returncode == -signal.SIGKILL


def test_it_is_announced_once_and_only_when_it_is_up():
    answers = iter([False, False, True])
    announced = []
    signal_soon(after_s=1.5)
    run_together({"a": SLEEP}, is_up=lambda: next(answers), announce=lambda: announced.append(time.monotonic()))
    assert len(announced) == 1
