"""Short ways to make facts."""

from __future__ import annotations

import itertools
from typing import Any

from runs.analysis.facts import Look, Process, RunFact, Setup

_numbers = itertools.count(1)


def setups(*names: str) -> list[Setup]:
    return [Setup(number, name, url=f"/configs/{number}/") for number, name in enumerate(names, 1)]


def run(setup: int, rate: float | None = None, **fields: Any) -> RunFact:
    number = next(_numbers)
    given: dict[str, Any] = {
        "tool": "ab",
        "label": "",
        "repeat": 1,
        "url": f"/runs/{number}/",
        "source": f"/uploads/1/#L{number}",
    }
    return RunFact(id=number, setup=setup, line=number, requests_per_second=rate, **(given | fields))


def look(setup: int | None, phase: str = "during", **fields: Any) -> Look:
    number = next(_numbers)
    given: dict[str, Any] = {
        "tool": "top",
        "label": "",
        "run": None,
        "url": f"/captures/{number}/",
        "source": f"/uploads/1/#L{number}",
    }
    return Look(id=number, setup=setup, phase=phase, line=number, **(given | fields))


def httpd(*mib: float) -> tuple[Process, ...]:
    return tuple(Process(pid, "httpd", "httpd", size * 1024, 1.5) for pid, size in enumerate(mib, 100))
