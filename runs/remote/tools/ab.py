"""ab, ApacheBench 2.3.

Redirects  never followed; pages are not parsed
Length     -n requests, or -t seconds, which ends at -n requests at the latest (50000 unless told)
Progress   "Completed 100 requests" on standard error, every tenth of n, for n of 150 and more
Quirks     -t sets n, so it stands before -n; HTTP/1.0; a body's file stands behind -p (POST) or -u (PUT)
Source     ab -h, ab.c
"""

from __future__ import annotations

import re

from ..snapshots import Files, Load
from . import Tool

DONE = re.compile(r"^(?:Completed|Finished) (\d{1,15}) requests", re.M)
MOST_AT_ONCE = 20_000  # MAX_CONCURRENCY of ab.c


class ApacheBench(Tool):
    name, version = "ab", ("ab", "-V")
    lost = {
        "-p": "the body, which is in a file of the machine it ran on",
        "-u": "the body, which is in a file of the machine it ran on",
        "-A": "the user name and password; send the header Authorization with {secret:NAME}",
        "-P": "the login at a proxy",
        "-X": "the proxy",
        "-B": "the address that it was sent from",
        "-b": "the size of the TCP buffers",
        "-E": "the client's certificate",
        "-Z": "the choice of ciphers",
        "-f": "the choice of TLS versions",
        "-l": "that answers may differ in length",
        "-r": "that it goes on after socket errors",
        "-I": "TLS without the server's name",
    }
    defaults = {"requests": 1, "concurrency": 1}

    def argv(self, load: Load, files: Files) -> list[str]:
        command = ["ab"]
        if load.duration_s is not None:
            command += ["-t", str(load.duration_s), "-n", str(load.most_requests or 50_000)]
        else:
            command += ["-n", str(load.requests)]
        command += ["-c", str(load.concurrency)]
        command += ["-k"] if load.keepalive else []
        command += ["-s", str(load.timeout_s), *_method(load, files)]
        for name, value in load.headers:
            command += ["-H", f"{name}: {value}"]
        return [*command, load.url]

    def cannot(self, load: Load) -> str | None:
        if load.concurrency > MOST_AT_ONCE:
            return f"ab sends at most {MOST_AT_ONCE} requests at once."
        if load.requests is not None and load.requests < load.concurrency:
            return f"ab needs at least as many requests as it sends at once: {load.requests} is less than {load.concurrency}."
        return None

    def progress(self, text: str) -> int | None:
        found = DONE.findall(text)
        return int(found[-1]) if found else None


def _method(load: Load, files: Files) -> list[str]:
    if load.method == "HEAD":
        return ["-i"]
    if not load.body:
        return [] if load.method == "GET" else ["-m", load.method]
    kind = ["-T", load.content_type] if load.content_type else []
    if load.method == "PUT":
        return ["-u", files.body, *kind]
    return ["-p", files.body, *kind, *([] if load.method == "POST" else ["-m", load.method])]
