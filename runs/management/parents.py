"""Processes that end with the one that started them, even when that was killed without a chance to say so (Linux)."""

from __future__ import annotations

import ctypes
import os
import sys

PR_SET_PDEATHSIG = 1  # linux/prctl.h
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


def end_with_parent(number: int, parent: int | None = None) -> None:
    """Have the kernel send this process signal `number` when its parent ends. Does nothing on other systems.

    parent   the parent's id, where it may have ended already: then this process ends at once
    """
    if _libc is None:
        return
    _libc.prctl(PR_SET_PDEATHSIG, int(number), 0, 0, 0)
    if parent is not None and os.getppid() != parent:
        os._exit(1)
