"""Celery's command lines: the workers of one machine, and the clock (beat) of the whole installation.

Texts and loads have a worker each, so that a plan that runs for ten minutes keeps no small upload waiting, and a text that
takes all memory takes no measurement with it. Texts are read by a process, for the work is Python's own; loads are followed
by threads, for the work is waiting: killed with -9 they are gone with their worker, and what they ran elsewhere ends.
"""

from __future__ import annotations

import sys

# Celery's six lines about running as root: everything here runs as the user who started it.
NO_LECTURE = "ignore:You're running the worker with superuser privileges"
LOADS_AT_ONCE = 4  # on different targets and from different generators; see remote.claims


def workers(*, local: bool, texts_at_once: int = 1) -> dict[str, list[str]]:
    """The worker for texts and the worker for loads over ssh; `local`: it also sends load from this machine itself."""
    queues = "remote,load.local" if local else "remote"
    return {
        "The worker for texts": _worker("texts", "celery", "--concurrency", str(texts_at_once)),
        "The worker for loads": _worker("loads", queues, "--pool", "threads", "--concurrency", str(LOADS_AT_ONCE)),
    }


def generator(name: str) -> list[str]:
    """The worker on a load generator: only what is to be sent from there."""
    return _worker(f"load-{name}", f"load.{name}", "--pool", "threads", "--concurrency", "2")


def clock() -> list[str]:
    return [*_celery(), "beat", "--loglevel", "WARNING"]


def _worker(name: str, queues: str, *pool: str) -> list[str]:
    # Without the talk between workers: nothing here listens to it.
    quiet = ("--loglevel", "WARNING", "--without-gossip", "--without-mingle", "--without-heartbeat")
    return [*_celery(), "worker", "--hostname", f"{name}@%h", "--queues", queues, *pool, *quiet]


def _celery() -> list[str]:
    return [sys.executable, "-W", NO_LECTURE, "-m", "celery", "-q", "-A", "benchdash"]
