"""The load tools that a plan can use: every subclass of Tool is one.

No tool may follow a redirect or load what a page links to: the request goes to the address of the plan only.
"""

from __future__ import annotations

import re
import shlex
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from .addresses import NotAllowed, check_load
from .snapshots import Files, Load

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
WITH_BODY = frozenset({"POST", "PUT", "PATCH", "DELETE"})
# What to do where a program is missing on a machine.
INSTALLED_BY = {
    "ab": "apt install apache2-utils (Debian, Ubuntu) or dnf install httpd-tools (Fedora, Red Hat)",
    "siege": "apt install siege",
    "wrk": "apt install wrk",
    "hey": "apt install hey",
    "top": "apt install procps",
    "ps": "apt install procps",
    "setsid": "apt install util-linux",
}
DEFAULT = "ab"  # of a new plan
EXAMPLE, PACKAGE = "ab -n 10000 -c 100", "apache2-utils"  # of a first load test, and its package


class Cannot(ValueError):
    """The tool cannot send this load; the message is a sentence."""


class Tool(ABC):
    """A load tool.

    name       the program's; it is looked up in the generator's PATH
    version    the command that prints its version
    lost       for options of a stored command line that a plan cannot hold: what is lost without each
    defaults   what the tool does where its command line says nothing, in the terms of parsers.commands
    same_share each client sends the same number of requests, so what is left over after a division is not sent
    """

    name: str
    version: Sequence[str]
    lost: Mapping[str, str]
    defaults: Mapping[str, Any]
    same_share = False

    @abstractmethod
    def argv(self, load: Load, files: Files) -> list[str]:
        """The command line, an argument each; no shell ever reads it."""

    @abstractmethod
    def cannot(self, load: Load) -> str | None:
        """Why it cannot send this load, a sentence, or None."""

    def inputs(self, load: Load) -> dict[str, str]:
        """The files that it reads on the generator, by their name in Files."""
        return {"body": load.body} if load.body else {}

    def sends(self, load: Load) -> int | None:
        """How many requests it really sends of those asked for; None for a timed load."""
        if load.requests is None or not self.same_share:
            return load.requests
        return load.requests // load.concurrency * load.concurrency

    def progress(self, text: str) -> int | None:
        """Requests done so far, from what it wrote to its standard error; None where it does not say."""
        return None


@cache
def tools() -> dict[str, Tool]:
    """Every tool by its name."""
    return {tool.name: tool() for tool in Tool.__subclasses__()}


def build(load: Load, allowed: Mapping[str, Sequence[str]], files: Files | None = None) -> list[str]:
    """The command line of a load: the only way to one. Raises NotAllowed, Cannot.

    allowed   the allow-list; it is asked here, so that no command line exists that was not checked
    files     where the tool's inputs lie; left out for a command line that is only shown
    """
    check_load(load, allowed)
    tool = tools().get(load.tool)
    if tool is None:
        raise Cannot(f"There is no load tool {load.tool!r}; there are {', '.join(sorted(tools()))}.")
    reason = tool.cannot(load)
    if reason:
        raise Cannot(reason)
    # Names of files that are only shown: siege's keep-alive is in its settings alone.
    shown = Files(body="body.txt", rc="keep-alive.siegerc" if load.keepalive else "siegerc")
    argv = tool.argv(load, shown)
    if any(not part or not part.isprintable() for part in argv):
        raise NotAllowed("An argument of the command line is empty or has a control character in it.")
    return tool.argv(load, files) if files else argv


def join_command(argv: Sequence[str]) -> str:
    """A command line as a person would type it. Build it from the load as planned: its secrets are names there."""
    return shlex.join(argv)


# --- ab ---------------------------------------------------------------------------------------------------------------

DONE = re.compile(r"^(?:Completed|Finished) (\d{1,15}) requests", re.M)
MOST_AT_ONCE = 20_000  # MAX_CONCURRENCY of ab.c


class ApacheBench(Tool):
    """ab, ApacheBench 2.3.

    Redirects  never followed; pages are not parsed
    Length     -n requests, or -t seconds, which ends at -n requests at the latest (50000 unless told)
    Progress   "Completed 100 requests" on standard error, every tenth of n, for n of 150 and more
    Quirks     -t sets n, so it stands before -n; HTTP/1.0; a body's file stands behind -p (POST) or -u (PUT)
    Source     ab -h, ab.c
    """

    name, version = "ab", ("ab", "-V")
    lost = {
        "-p": "the body, which is in a file on the load generator",
        "-u": "the body, which is in a file on the load generator",
        "-A": "the user name and password; send the header Authorization with {secret:NAME}",
        "-P": "the proxy login",
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
            return f"ab supports a concurrency of at most {MOST_AT_ONCE}."
        if load.requests is not None and load.requests < load.concurrency:
            return f"ab needs at least as many requests as its concurrency: {load.requests} is less than {load.concurrency}."
        return None

    def progress(self, text: str) -> int | None:
        percents = DONE.findall(text)
        return int(percents[-1]) if percents else None


def _method(load: Load, files: Files) -> list[str]:
    if load.method == "HEAD":
        return ["-i"]
    if not load.body:
        return [] if load.method == "GET" else ["-m", load.method]
    kind = ["-T", load.content_type] if load.content_type else []
    if load.method == "PUT":
        return ["-u", files.body, *kind]
    return ["-p", files.body, *kind, *([] if load.method == "POST" else ["-m", load.method])]


# --- hey --------------------------------------------------------------------------------------------------------------


class Hey(Tool):
    """hey 0.1.

    Redirects  -disable-redirects
    Length     -n requests, the same number by each worker, so a rest is left out; or -z seconds
    Quirks     asks for gzip and unpacks it unless -disable-compression; options are long by one dash; a header's name has
               letters, digits, dashes and underscores only; a User-Agent is replaced by its own
    Source     hey -h, and what a server saw of it
    """

    name, version = "hey", ("hey",)
    lost = {
        "-D": "the body, which is in a file on the load generator",
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
            return "hey always sends its own User-Agent."
        if load.requests is not None and load.requests < load.concurrency:
            return f"hey needs at least one request for each worker: {load.requests} is less than {load.concurrency}."
        return None


# --- siege ------------------------------------------------------------------------------------------------------------

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
    """siege 4.

    Redirects  --no-follow; --no-parser keeps it from loading what a page links to
    Length     -r repeats of each user, or -t seconds
    Quirks     reads the user's own settings unless -R names a file, which also is the only place for keep-alive, timeout,
               the coding that is asked for, and the limit of users; method and body stand behind the address, in one
               argument with it, so the address must have no space (addresses.url_of sees to it); -t ends at a full second
               of the clock, up to one early, and 1S was seen to end before the users had begun, and then never
    Source     siege --help, siege -C, and what a server saw of it
    """

    name, version = "siege", ("siege", "-V")
    lost = {
        **dict.fromkeys(("-d", "--delay"), "the pause before each request"),
        **dict.fromkeys(("-f", "--file"), "the addresses, which are in a file on the load generator"),
        **dict.fromkeys(("-R", "--rc"), "its settings, which are in a file on the load generator"),
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
            return f"siege needs at least {LEAST_S} s."
        if _coding(load) not in CODINGS:
            return f"siege supports these codings (Accept-Encoding): {'; '.join(CODINGS)}."
        if sum(len(name) + len(value) + 4 for name, value in load.headers) > MOST_HEADERS:
            return f"siege supports {MOST_HEADERS} characters of headers."
        return None


def _behind(load: Load, files: Files) -> str:
    if load.method == "GET":
        return ""
    return f" {load.method} <{files.body}" if load.body else f" {load.method}"


def _coding(load: Load) -> str:
    return next((value for name, value in load.headers if name.lower() == "accept-encoding"), CODINGS[0])


# --- wrk --------------------------------------------------------------------------------------------------------------

THREADS = 2  # one fills a core's worth of a small server; a second is there for larger ones


class Wrk(Tool):
    """wrk 4.

    Redirects  never followed
    Length     -d seconds only; it counts no requests
    Quirks     method and body need a script, which no plan may bring; keeps connections unless told by a header
    Source     wrk without arguments, and what a server saw of it
    """

    name, version = "wrk", ("wrk", "-v")
    lost = {
        **dict.fromkeys(("-t", "--threads"), "the number of threads"),
        **dict.fromkeys(("-s", "--script"), "the script, which plans do not support"),
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
            return "wrk needs a duration instead of a number of requests."
        if load.method != "GET" or load.body:
            return "wrk sends only GET without a body; other requests need a script, which plans do not support."
        return None
