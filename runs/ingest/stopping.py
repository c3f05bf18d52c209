"""What ends a reading early: the end of its worker, and a limit of time."""

from __future__ import annotations

import mmap
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import thread_time
from typing import Any

LOOK_EVERY_S = 0.5
READING_S, READING_S_PER_MIB = 60, 5  # of a large text, in all; a usual one is read in a tenth of a second a MiB
AT_ONCE_S = 10  # of a processor, for a text that somebody waits for


class Stopped(BaseException):
    """The worker is asked to end. No Exception: nothing that guards a part of a reading may take it for that part's failure."""


_stopping = mmap.mmap(-1, 1)  # shared with the processes of a worker's pool, which are forked


def stop_reading() -> None:
    """Have all readers of this worker put their texts back into the queue. May be called by a signal's handler."""
    _stopping[0] = 1


@contextmanager
def end_with_worker() -> Iterator[None]:
    """Stopped is raised in it soon after `stop_reading`, whatever goes on there: rows are stored for long, too."""

    def look(*_: Any) -> None:
        if _stopping[0]:
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise Stopped

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, LOOK_EVERY_S, LOOK_EVERY_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class TooSlow(Exception):
    """Reading takes longer than a text of its size may."""


def most_reading_s(size_bytes: int) -> int:
    """Seconds after which the reading of a queued text is given up."""
    return READING_S + READING_S_PER_MIB * size_bytes // 2**20


def limited(on_progress: Callable[[int, int], None]) -> Callable[[int, int], None]:
    """`on_progress` for a text that somebody waits for: raises TooSlow once this thread has worked on it for too long."""
    end = thread_time() + AT_ONCE_S

    def check(n_bytes: int, n_blocks: int) -> None:
        if thread_time() > end:
            raise TooSlow
        on_progress(n_bytes, n_blocks)

    return check
