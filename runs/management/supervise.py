"""Run a few programs as one: all are up, or none is."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

from runs.management.parents import end_with_parent

STEP_S = 0.2
# Asked kindly first (finish what you do), then at once (give it back), then without asking.
PATIENCE_S = ((signal.SIGTERM, 15.0), (signal.SIGQUIT, 3.0), (signal.SIGKILL, 5.0))


def run_together(
    commands: Mapping[str, Sequence[str]], *, is_up: Callable[[], bool], announce: Callable[[], None]
) -> str | None:
    """Run the commands until SIGINT, SIGTERM or SIGHUP comes or one of them ends; then stop the others.

    `announce` is called once, as soon as `is_up` says yes. Returns None after a signal, else a sentence about which
    one ended by itself.
    """
    children: dict[str, subprocess.Popen[bytes]] = {}
    with _stop_signals() as stop:
        try:
            for name, command in commands.items():
                # A session of its own: Ctrl-C reaches this process only, which then stops them in order. When this
                # process is killed they are asked to end by the kernel.
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
    stopping = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in stopping}
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
    while not stop.wait(STEP_S):
        for name, child in children.items():
            if child.poll() is not None:
                return f"{name} ended by itself with status {child.returncode}"
        if not announced and is_up():
            announced = True
            announce()
    return None


def _stop(children: Sequence[subprocess.Popen[bytes]]) -> None:
    for number, patience in PATIENCE_S:
        alive = [child for child in children if child.poll() is None]
        for child in alive:
            if number == signal.SIGKILL:
                os.killpg(child.pid, number)  # its own children would be left without a parent
            else:
                child.send_signal(number)
        _wait(alive, patience)


def _wait(children: Sequence[subprocess.Popen[bytes]], patience_s: float) -> None:
    timer = threading.Event()
    for _ in range(int(patience_s / STEP_S)):
        if all(child.poll() is not None for child in children):
            return
        timer.wait(STEP_S)
