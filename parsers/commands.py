"""Command lines of load tools: which options they set, in standard terms, and which address they load.

Each load tool's format declares its options (OPTIONS, see Option); nothing else in the project reads a command line.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

UNITS_S = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}
_SEVERAL = {"script", "header"}  # terms that may be set more than once
_WHOLE = {"requests", "concurrency", "threads", "connections", "pipelining", "repeats_each", "port"}
_COUNT = re.compile(r"(\d{1,12})([kMG]?)", re.ASCII)
_FACTOR = {"": 1, "k": 1000, "M": 1_000_000, "G": 1_000_000_000}
_DURATION = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)(ms|[smhd]|)", re.ASCII | re.IGNORECASE)
_RATE = re.compile(r"(\d{1,12}(?:\.\d{1,9})?)(?:/(\d*(?:ms|[smh])))?", re.ASCII)
# A word of a shell, as far as it is needed to find a command's arguments, or one of the shell's operators.
_WORD = re.compile(r"""(?:[^\s'"\\;|&<>()]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+|[;|&<>()]+|\S""", re.DOTALL)
_OPERATOR = ";|&<>()"
_QUOTED = re.compile(r"""['"\\]""")
_EACH_TIME = re.compile(  # a header that is another one in each run, and changes nothing of the load
    r"\s*(?:date|(?:[\w-]*-)?(?:request|trace|correlation|transaction|session|span|run)-?id|traceparent|tracestate|baggage|b3"
    r"|x-b3-\w+|idempotency-key|x-amzn-trace-id|uber-trace-id|[\w-]*(?:nonce|timestamp|request-start))\s*:",
    re.IGNORECASE,
)
_METHOD = re.compile(r"(?<![\w/.-])(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)(?![\w/.-])")
_URL = re.compile(r"https?://[^\s'\"`|;>)]+", re.IGNORECASE)
_TARGET = re.compile(  # a script's variable for what is loaded: "HOST=web1"
    r"(?:\w+_)?(?:host(?:name)?|target|url|server|endpoint|addr(?:ess)?)=(?P<target>[^\s$]+)", re.IGNORECASE
)
_PORT = re.compile(r":(\d{1,5})$")
_PORTS = {"http": 80, "https": 443}
# What a machine calls itself.
_PLACEHOLDERS = frozenset("$<{")  # signs that no host's name has
LOCAL = frozenset({"localhost", "localhost.localdomain", "127.0.0.1", "::1", "[::1]", "0.0.0.0"})  # noqa: S104


@dataclass(frozen=True, slots=True)
class Option:
    """What one option of a load tool's command line means.

    sets         a standard term: requests, concurrency, duration_s, timeout_s, delay_s, rate (requests/s), threads, connections,
                 pipelining, repeats_each (requests of each client), keepalive, method, header, body, content_type, cookie,
                 accept, user_agent, body_file, cipher, proxy, url, hostname, port, path, url_file, protocol,
                 rate_each (requests/s of each client or connection), connection_rate (connections/s),
                 scale (of a database's rows), script (what is run instead of one request, and its options: all of them, joined);
                 "" where it changes nothing that others need
    takes_value  whether a value stands behind it
    means        what it sets, whatever stands behind it ("HEAD", True)
    unit         of a duration without one: "s", "m"
    secret       its value may hold a password, or a cookie: name=value or user:password
    method       the method that requests have with it
    """

    sets: str = ""
    takes_value: bool = True
    means: Any = None
    unit: str = "s"
    secret: bool = False
    method: str = ""


FLAG = Option(takes_value=False)


@dataclass(frozen=True, slots=True)
class Syntax:
    """How a tool's command line is written: as its format declares it.

    options    by name with its dashes
    one_dash   long names stand behind one dash, as Go has it ("-disable-keepalive")
    defaults   what holds where no option sets it
    address    whether its arguments have the address; False where they are scripts
    verbs      arguments that say what to do, whatever is loaded
    prints     {standard term: name among the values} of what the report repeats of the load that was asked for
    """

    options: Mapping[str, Option]
    one_dash: bool = False
    defaults: Mapping[str, Any] = field(default_factory=dict)
    address: bool = True
    verbs: tuple[str, ...] = ()
    prints: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Command:
    """A load tool's command line. Without a tool, or where it cannot be taken apart (`problem`), it has no options.

    options    standard term -> value: numbers of counts, seconds of durations, requests/s of rates, True or False of
               flags, else text. Of several the last, but all scripts and headers; a value that is none is left out
    given      (option's name, its value as typed, "" without one, the term that it sets or "") of each option that the
               tool declares, in order
    arguments  what stands between the options
    unknown    options that the tool's format does not declare
    problem    why it cannot be taken apart, or ""
    url        the address as typed, or "": the first one among its arguments, else anywhere in the text
    """

    tool: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    given: tuple[tuple[str, str, str], ...] = ()
    arguments: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    problem: str = ""
    url: str = ""

    @property
    def scheme(self) -> str:
        """ "http", "https", or "" where no address is known."""
        return self.url.partition("://")[0].lower() if "://" in self.url else ""

    @property
    def hostname(self) -> str | None:
        return self.options.get("hostname") or split_url(self.url)[0]

    @property
    def port(self) -> int | None:
        """As typed, else the scheme's own."""
        return self.options.get("port") or split_url(self.url)[1]

    @property
    def path(self) -> str | None:
        """With the query. None, too, where the addresses are in a file."""
        if "url_file" in self.options:
            return None
        return self.options.get("path") or split_url(self.url)[2]

    def agrees(self, values: Mapping[str, Any], names: Mapping[str, str]) -> bool:
        """Whether no option sets another value than the tool printed. names: standard term -> name among `values`."""
        asked = ((self.options.get(term), values.get(name)) for term, name in names.items())
        return all(one is None or other is None or one == other for one, other in asked)


@lru_cache(maxsize=4096)  # texts repeat their addresses, and each is asked for its host, port and path
def split_url(url: str) -> tuple[str | None, int | None, str | None]:
    """ "http://web1:8080/a?b=1" → ("web1", 8080, "/a?b=1"); the scheme's own port where none is written.

    Each is None where the text does not tell it: an address that is none ("http://[web1") tells nothing.
    """
    try:
        parts = urlsplit(url)
        hostname = parts.hostname
    except ValueError:  # a bracket without its other half
        return None, None, None
    if not parts.netloc:
        return None, None, None
    if hostname and not _PLACEHOLDERS.isdisjoint(hostname):  # "http://$HOST/"
        hostname = None
    match = _PORT.search(parts.netloc)
    port = int(match[1]) if match else _PORTS.get(parts.scheme)
    return hostname, port, (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def read_command(text: str, tool: str, start: int, syntax: Syntax) -> Command:
    """The tool's command line whose arguments begin at `start` of `text`."""
    try:
        words = _split_arguments(text, start)
    except ValueError as error:
        return Command(tool, problem=str(error))
    given: list[tuple[str, str, str]] = []
    arguments: list[str] = []
    unknown: list[str] = []
    options = dict(syntax.defaults)
    rest = iter(words)
    for word in rest:
        if word == "--":
            further = list(rest)
            if "script" in options:
                options["script"] = " ".join([options["script"], word, *further])
            else:
                arguments += further
            break
        if not word.startswith("-") or word == "-":
            arguments += [word] if word not in syntax.verbs else []
            continue
        for name, value in _split(word, syntax):
            option = syntax.options.get(name)
            if option is None:
                unknown.append(name)
                break
            if option.takes_value and value is None:
                value = next(rest, "")
            given.append((name, value or "", option.sets))
            options |= {"method": option.method} if option.method else {}
            if option.sets == "script" and (match := _TARGET.fullmatch(value or "")):
                is_url = "://" in match["target"]
                options["url" if is_url else "hostname"] = match["target"]
            elif option.sets and not (option.sets == "header" and _EACH_TIME.match(value or "")):
                meaning = _parse_value(option, value or "")
                if option.sets in _SEVERAL and option.sets in options:
                    meaning = f"{options[option.sets]} {meaning}"
                options |= {} if meaning is None else {option.sets: meaning}
    if arguments and not syntax.address:
        options["script"] = " ".join(filter(None, [arguments[-1], options.get("script")]))
    if "method" not in options and (method := _METHOD.search(text)):  # behind the address, or piped in with it
        options["method"] = method[1]
    addresses = filter(None, map(_make_url, arguments if syntax.address else ()))
    if "://" in text:
        for _, value, _ in (each for each in given if "://" in each[1] and not each[2]):
            text = text.replace(value, "")  # where results are sent to
    piped = _URL.search(text)  # echo "GET http://web1/" | tool
    url = options.get("url") or next(addresses, "") or (piped[0] if piped else "")
    return Command(tool, options, tuple(given), tuple(arguments), tuple(unknown), url=url)


def compile_programs(programs: tuple[str, ...], *, alone: bool) -> re.Pattern[str]:
    """Finds one of the programs, or its image with a tag, in a command: with arguments behind it, or also `alone`."""
    names = "|".join(map(re.escape, programs))
    return re.compile(
        rf"""(?:^|[\s/;&|(\\`'"!])(?P<program>{names})(?::[\w.-]{{1,60}})?(?=\s{"|$" if alone else ""})"""
    )


def names_program(command: str | None, programs: tuple[str, ...]) -> bool:
    """Whether a command runs one of these programs."""
    return bool(command and compile_programs(programs, alone=True).search(command))


def _split_arguments(text: str, start: int) -> list[str]:
    """The words from `start` up to the next operator of the shell. Raises ValueError where a quote is left open."""
    rest = text[start:]
    for quote in "\"'":  # the command may stand within quotes: ssh host "ab ..."
        if text.count(quote, 0, start) % 2:
            rest = rest.partition(quote)[0]
    words: list[str] = []
    for match in _WORD.finditer(rest):
        word = match[0]
        if word[0] in _OPERATOR:
            if word[0] in "<>" and words and words[-1] in ("1", "2") and rest[match.start() - 1].isdigit():
                words.pop()  # 2>&1
            break
        if word in ("'", '"', "\\"):
            raise ValueError("No closing quotation")
        words.append(shlex.split(word)[0] if _QUOTED.search(word) else word)
    return words


def _split(word: str, syntax: Syntax) -> Iterator[tuple[str, str | None]]:
    """An argument's options with what is glued to them: -kc10 is -k and -c 10, --time=1M is --time with 1M.

    A long name may be shortened as long as it is no other's.
    """
    if word.startswith("--") or syntax.one_dash:
        name, equals, value = word.partition("=")
        if syntax.one_dash and name not in syntax.options:
            name = name.replace("--", "-", 1)
        if name not in syntax.options and name.startswith("--") and len(name) > 2:
            longer = [option for option in syntax.options if option.startswith(name)]
            name = longer[0] if len(longer) == 1 else name
        yield name, value if equals else None
        return
    letters = word[1:]
    while letters:
        name, letters = f"-{letters[0]}", letters[1:]
        option = syntax.options.get(name)
        if option is not None and option.takes_value:
            yield name, letters or None
            return
        yield name, None


def _parse_value(option: Option, text: str) -> Any:
    """What the option sets, in the unit of its term; None where the text is no such value."""
    if option.means is not None:
        return option.means
    if option.sets == "keepalive":
        return text.lower() not in ("false", "0")
    if option.sets in _WHOLE:
        return whole_number(text)
    if option.sets.endswith("_s"):
        return seconds(text, option.unit)
    return per_second(text) if option.sets in ("rate", "rate_each") else text or None


def whole_number(text: str) -> int | None:
    """ "100", and with the k, M and G that some tools take: "1k" → 1000."""
    match = _COUNT.fullmatch(text)
    return int(match[1]) * _FACTOR[match[2]] if match else None


def seconds(text: str, unit: str = "s") -> float | None:
    """ "30", "30S", "1m30s", "500ms" in seconds; `unit` is that of a number without one."""
    if not text or _DURATION.sub("", text):
        return None
    return sum(float(figure) * UNITS_S[(of or unit).lower()] for figure, of in _DURATION.findall(text))


def per_second(text: str) -> float | None:
    """A rate: "500", "500/s", "1000/1m"."""
    match = _RATE.fullmatch(text)
    if not match:
        return None
    every = match[2] or "1s"
    return float(match[1]) / (seconds(every if every[0].isdigit() else f"1{every}") or 1)


def _make_url(word: str) -> str:
    """The address that an argument is, with its scheme; one without is http's. "" where it is none.

    Behind a space siege has the method and the body.
    """
    url = word.partition(" ")[0]
    url = url if "://" in url else f"http://{url}"
    try:
        parts = urlsplit(url)
        known = parts.hostname and parts.scheme in _PORTS and (parts.port or "." in parts.hostname or "/" in word)
    except ValueError:
        return ""
    return url if known else ""
