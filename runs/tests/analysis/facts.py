"""Short ways to make facts."""

from __future__ import annotations

import itertools
from typing import Any

from parsers import find_requested_load, get_semantics, parse_command
from parsers.catalogue import has_cpu_now, lists_all_processes
from parsers.commands import Command
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
    command = parse_command(given.get("command", ""), given["tool"])
    asked = find_requested_load(given.get("command", ""), given["tool"], given.get("values", {}))
    given |= {"semantics": get_semantics(given["tool"]), "options": options_of(command) | asked}
    return RunFact(id=number, config=config, line=number, requests_per_second=rate, **given)


def options_of(command: Command) -> dict[str, Any]:
    """As selectors fill them in."""
    return {**command.options, "scheme": command.scheme, "hostname": command.hostname, "path": command.path}


def capture(config: int | None, phase: str = "during", **fields: Any) -> CaptureFact:
    number = next(_numbers)
    given: dict[str, Any] = {
        "tool": "top",
        "label": "",
        "run": None,
        "url": f"/captures/{number}/",
        "source": f"/uploads/1/#L{number}",
    }
    given |= fields
    given |= {"lists_all": lists_all_processes(given["tool"]), "cpu_now": has_cpu_now(given["tool"])}
    return CaptureFact(id=number, config=config, phase=phase, line=number, **given)


def httpd(*mib: float) -> tuple[ProcessFact, ...]:
    return tuple(ProcessFact(pid, "httpd", "httpd", size * 1024, 1.5) for pid, size in enumerate(mib, 100))
