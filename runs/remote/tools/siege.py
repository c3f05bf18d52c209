"""siege 4.

Redirects  --no-follow; --no-parser keeps it from loading what a page links to
Length     -r repeats of each user, or -t seconds
Quirks     reads the user's own settings unless -R names a file, which also is the only place for keep-alive, timeout,
           the coding that is asked for, and the limit of users; method and body stand behind the address, in one
           argument with it, so the address must have no space (addresses.url_of sees to it); -t ends at a full second
           of the clock, up to one early, and 1S was seen to end before the users had begun, and then never
Source     siege --help, siege -C, and what a server saw of it
"""

from __future__ import annotations

from ..snapshots import Files, Load
from . import Tool

LEAST_S = 2
MOST_HEADERS = 1900  # characters; siege gives up above 2048
CODINGS = ("identity", "gzip", "deflate", "gzip, deflate")
# Everything that decides what is sent or printed; -R replaces the user's own settings as a whole.
RC = """accept-encoding = {coding}
cache = false
chunked = true
color = off
connection = {connection}
cookies = false
csv = false
failures = 1000000
json_output = false
limit = {limit}
logging = false
parser = false
protocol = HTTP/1.1
show-logfile = false
timeout = {timeout_s}
timestamp = false
url-escaping = false
verbose = false
"""


class Siege(Tool):
    name, version = "siege", ("siege", "-V")
    lost = {
        **dict.fromkeys(("-d", "--delay"), "the pause before each request"),
        **dict.fromkeys(("-f", "--file"), "the addresses, which are in a file of the machine it ran on"),
        **dict.fromkeys(("-R", "--rc"), "its settings, which are in a file of the machine it ran on"),
        **dict.fromkeys(("-i", "--internet"), "the random choice of addresses"),
    }
    defaults = {"concurrency": 10}
    same_share = True

    def argv(self, load: Load, files: Files) -> list[str]:
        command = ["siege", "-R", files.rc, "-b", "--no-follow", "--no-parser", "-c", str(load.concurrency)]
        if load.duration_s is not None:
            command += ["-t", f"{load.duration_s}S"]
        else:
            command += ["-r", str((load.requests or 0) // load.concurrency)]
        for name, value in load.headers:
            if name.lower() == "user-agent":
                command += ["-A", value]
            elif name.lower() != "accept-encoding":  # in the settings; here it would be sent twice
                command += ["-H", f"{name}: {value}"]
        if load.body and load.content_type:
            command += ["-T", load.content_type]
        return [*command, load.url + _behind(load, files)]

    def inputs(self, load: Load) -> dict[str, str]:
        rc = RC.format(
            coding=_coding(load),
            connection="keep-alive" if load.keepalive else "close",
            limit=max(255, load.concurrency),
            timeout_s=load.timeout_s,
        )
        return {"rc": rc} | super().inputs(load)

    def cannot(self, load: Load) -> str | None:
        if load.method in ("HEAD", "OPTIONS"):
            return f"siege sends no {load.method} requests."
        if load.requests is not None and load.requests < load.concurrency:
            return f"siege sends at least one request of each user: {load.requests} is less than {load.concurrency}."
        if load.duration_s is not None and load.duration_s < LEAST_S:
            return f"siege needs at least {LEAST_S} s: its time ends with a second of the clock, not after a second."
        if _coding(load) not in CODINGS:
            return f"siege can ask for these codings (Accept-Encoding): {'; '.join(CODINGS)}."
        if sum(len(name) + len(value) + 4 for name, value in load.headers) > MOST_HEADERS:
            return f"siege has room for {MOST_HEADERS} characters of headers."
        return None


def _behind(load: Load, files: Files) -> str:
    if load.method == "GET":
        return ""
    return f" {load.method} <{files.body}" if load.body else f" {load.method}"


def _coding(load: Load) -> str:
    return next((value for name, value in load.headers if name.lower() == "accept-encoding"), CODINGS[0])
