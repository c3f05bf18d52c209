"""Which programs make load: those whose commands print what some format reads as a load test's result."""

from __future__ import annotations

from functools import lru_cache

from .catalogue import formats

_UNREAD = frozenset({"weighttp", "tsung", "slowhttptest"})  # their reports are not read yet


@lru_cache(maxsize=4096)
def makes_load(program: str) -> bool:
    """Whether a program of this name, as a process table shows it, is a load tool: "ab", "wrk2", "vegeta"."""
    return program in _UNREAD or any(
        form.command is not None and "LoadResult" in form.records.__globals__ and form.command.search(f"{program} ")
        for form in formats().values()
    )
