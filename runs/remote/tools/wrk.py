"""wrk 4.

Redirects  never followed
Length     -d seconds only; it counts no requests
Quirks     method and body need a script, which no plan may bring; keeps connections unless told by a header
Source     wrk without arguments, and what a server saw of it
"""

from __future__ import annotations

from ..snapshots import Files, Load
from . import Tool

THREADS = 2  # one fills a core's worth of a small server; a second is there for larger ones


class Wrk(Tool):
    name, version = "wrk", ("wrk", "-v")
    lost = {
        **dict.fromkeys(("-t", "--threads"), "the number of threads"),
        **dict.fromkeys(("-s", "--script"), "the script, which no plan can bring"),
        **dict.fromkeys(("-R", "--rate"), "the constant rate of wrk2"),
    }
    defaults = {"concurrency": 10, "duration_s": 10, "keepalive": True}

    def argv(self, load: Load, files: Files) -> list[str]:
        command = ["wrk", "-t", str(min(THREADS, load.concurrency)), "-c", str(load.concurrency)]
        command += ["-d", f"{load.duration_s}s", "--timeout", f"{load.timeout_s}s", "--latency"]
        for name, value in load.headers:
            command += ["-H", f"{name}: {value}"]
        command += [] if load.keepalive else ["-H", "Connection: close"]
        return [*command, load.url]

    def cannot(self, load: Load) -> str | None:
        if load.duration_s is None:
            return "wrk needs a duration; it cannot count requests."
        if load.method != "GET" or load.body:
            return "wrk sends GET without a body only; anything else takes a script, and no plan may bring one."
        return None
