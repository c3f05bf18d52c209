"""hey 0.1.

Redirects  -disable-redirects
Length     -n requests, the same number by each worker, so a rest is left out; or -z seconds
Quirks     asks for gzip and unpacks it unless -disable-compression; options are long by one dash; a header's name has
           letters, digits, dashes and underscores only; a User-Agent is replaced by its own
Source     hey -h, and what a server saw of it
"""

from __future__ import annotations

import re

from ..snapshots import Files, Load
from . import Tool


class Hey(Tool):
    name, version = "hey", ("hey",)
    lost = {
        "-D": "the body, which is in a file of the machine it ran on",
        "-q": "the limit of requests per second",
        "-a": "the user name and password; send the header Authorization with {secret:NAME}",
        "-x": "the proxy",
        "-host": "the name in the header Host",
        "-cpus": "the number of cores",
        "-h2": "HTTP/2",
    }
    defaults = {"requests": 200, "concurrency": 50, "timeout_s": 20, "keepalive": True}
    same_share = True

    def argv(self, load: Load, files: Files) -> list[str]:
        command = ["hey", "-disable-redirects", "-disable-compression"]
        command += [] if load.keepalive else ["-disable-keepalive"]
        command += ["-z", f"{load.duration_s}s"] if load.duration_s is not None else ["-n", str(load.requests)]
        command += ["-c", str(load.concurrency), "-t", str(load.timeout_s)]
        command += [] if load.method == "GET" else ["-m", load.method]
        for name, value in load.headers:
            command += ["-H", f"{name}: {value}"]
        command += ["-T", load.content_type] if load.content_type else []
        command += ["-D", files.body] if load.body else []
        return [*command, load.url]

    def cannot(self, load: Load) -> str | None:
        odd = next((name for name, _ in load.headers if not re.fullmatch(r"[\w-]+", name, re.A)), None)
        if odd:
            return f"hey cannot send the header {odd}: it takes letters, digits, dashes and underscores in a name."
        if any(name.lower() == "user-agent" for name, _ in load.headers):
            return "hey sends a User-Agent of its own and no other."
        if load.requests is not None and load.requests < load.concurrency:
            return f"hey needs at least one request for each worker: {load.requests} is less than {load.concurrency}."
        return None
