"""How the end of a worker reaches what it reads."""

from __future__ import annotations

import mmap
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

LOOK_EVERY_S = 0.5


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
