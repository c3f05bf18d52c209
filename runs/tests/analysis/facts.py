"""Short ways to make facts."""

from __future__ import annotations

import itertools
from typing import Any

from parsers import semantics_of
from runs.analysis.facts import CaptureFact, ConfigFact, ProcessFact, RunFact

_numbers = itertools.count(1)


def configs(*names: str) -> list[ConfigFact]:
    return [ConfigFact(number, name, url=f"/configs/{number}/") for number, name in enumerate(names, 1)]


def run(config: int, rate: float | None = None, **fields: Any) -> RunFact:
    number = next(_numbers)
    given: dict[str, Any] = {
        "tool": "ab",
        "label": "",
        "repeat": 1,
        "url": f"/runs/{number}/",
        "source": f"/uploads/1/#L{number}",
    }
    given |= fields
    semantics = semantics_of(given["tool"])
    return RunFact(id=number, config=config, line=number, requests_per_second=rate, semantics=semantics, **given)


def capture(config: int | None, phase: str = "during", **fields: Any) -> CaptureFact:
    number = next(_numbers)
    given: dict[str, Any] = {
        "tool": "top",
        "label": "",
        "run": None,
        "url": f"/captures/{number}/",
        "source": f"/uploads/1/#L{number}",
    }
    return CaptureFact(id=number, config=config, phase=phase, line=number, **(given | fields))


def httpd(*mib: float) -> tuple[ProcessFact, ...]:
    return tuple(ProcessFact(pid, "httpd", "httpd", size * 1024, 1.5) for pid, size in enumerate(mib, 100))
