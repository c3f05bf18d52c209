"""What a load test's command asked for, where the tool's own output does not say it: a quoted line tells no concurrency."""

from __future__ import annotations

import getopt
import re
import shlex
from dataclasses import dataclass, replace
from functools import lru_cache
from urllib.parse import SplitResult, urlsplit

from parsers import Block, LoadResult
from parsers.records import Record

# Options as the tools' own usage lists them; those with ":" take a value, also glued to the letter ("-c50", "-kc 100").
_SHORT = {
    "ab": "n:c:t:s:b:T:p:u:v:lrkVhwiIx:y:z:C:H:P:A:g:X:de:SqB:m:Z:f:E:",
    "siege": "VhCDvqgpc:r:t:d:bif:R:lm:H:A:T:j",
}
_LONG: dict[str, list[str]] = {
    "ab": [],
    "siege": [
        *(
            "concurrent=",
            "reps=",
            "time=",
            "delay=",
            "file=",
            "rc=",
            "mark=",
            "header=",
            "user-agent=",
            "content-type=",
        ),
        *("benchmark", "internet", "verbose", "quiet", "get", "print", "json-output", "no-parser", "no-follow"),
    ],
}
_PROGRAM = re.compile(r"(?:^|[\s;&|(/\\`])(?P<tool>ab|siege)s?(?:\.exe)?(?=\s)")
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Asked:
    """None: the command does not say."""

    concurrency: int | None = None
    requests: int | None = None
    keepalive: bool | None = None
    hostname: str | None = None
    port: int | None = None
    path: str | None = None


def load_results(block: Block) -> list[LoadResult]:
    """The block's load tests, completed from its command. The rows of a log are left as they are: each had its own."""
    return [record for record in completed(block, block.records) if isinstance(record, LoadResult)]


def completed(block: Block, records: list[Record]) -> list[Record]:
    """A block's records, its load test (if it is one) completed from its command."""
    results = [record for record in records if isinstance(record, LoadResult)]
    if len(results) != 1 or not block.command:
        return records
    whole = _completed(block, results[0])
    return [whole if record is results[0] else record for record in records]


def _completed(block: Block, result: LoadResult) -> LoadResult:
    asked = asked_by(block.command or "")
    if result.tool == "siege" and "users" not in block.values and asked.concurrency is not None:
        result = replace(result, concurrency=asked.concurrency)  # what siege prints as such is a mean, and a result
    known = {name: getattr(result, name) for name in ("concurrency", "keepalive", "hostname", "port", "path")}
    missing = {name: getattr(asked, name) for name, value in known.items() if value is None}
    if known["hostname"] is not None:  # half an address from each would be nobody's
        missing.pop("port", None)
    return replace(result, **missing) if missing else result


@lru_cache(maxsize=256)  # each run's is asked for several times, and a text repeats its commands
def asked_by(command: str) -> Asked:
    """What an ab or siege command line asks for; nothing where it is another's or cannot be taken apart."""
    found = _PROGRAM.search(command)
    words = _words(command[found.end() :]) if found else None
    if found is None or words is None:
        return Asked()
    tool = found["tool"]
    try:
        given, rest = getopt.gnu_getopt(words, _SHORT[tool], _LONG[tool])
    except getopt.GetoptError:
        return Asked()
    options = dict(given)
    url = next((url for word in rest if (url := _url(word))), None)
    return Asked(
        concurrency=_number(options.get("-c") or options.get("--concurrent")),
        requests=_number(options.get("-n")),
        keepalive="-k" in options if tool == "ab" else None,
        hostname=url.hostname if url else None,
        port=_port(url) if url else None,
        path=_path(url) if url and "-f" not in options and "--file" not in options else None,
    )


def _words(text: str) -> list[str] | None:
    """The command's arguments up to a pipe, a redirection or a comment; None where a quote is left open."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars="|;<>&")
    lexer.whitespace_split = True
    lexer.commenters = ""
    words: list[str] = []
    try:
        for word in lexer:
            if word[0] in "|;<>&":
                break
            words.append(word)
    except ValueError:
        return None
    return words


def _url(word: str) -> SplitResult | None:
    """An address among the arguments; one without a scheme is http's, as both tools take it."""
    try:
        url = urlsplit(word if "://" in word else f"http://{word}")
        known = bool(url.hostname and url.scheme in _PORTS and (url.port or "." in url.hostname or "/" in word))
    except ValueError:
        return None
    return url if known else None


def _port(url: SplitResult) -> int:
    return url.port or _PORTS[url.scheme]


def _path(url: SplitResult) -> str:
    """As ab prints it: with the query."""
    return (url.path or "/") + (f"?{url.query}" if url.query else "")


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 10 else None
