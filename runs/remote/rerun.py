"""A stored run once more: its command line as the fields of a plan, against a target that may be loaded so."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from runs.models import Run

from . import secrets
from .addresses import NotAllowed, canonical
from .models import Target, TargetAddress
from .tools import METHODS, Option, Tool, tools

OTHER_NAMES = {"ab2": "ab", "ab.exe": "ab", "abs": "ab"}
UNITS_S = {"ms": 0.001, "s": 1, "m": 60, "h": 3600}
PART = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)(ms|s|m|h|)", re.I)


class Unreadable(ValueError):
    """A command line that says nothing a plan could be made of; the message is a sentence."""


@dataclass(slots=True)
class CommandOptions:
    """What a command line asks for. `lost` holds sentences on what a plan cannot do of it."""

    tool: str
    url: str = ""
    concurrency: int = 1
    requests: int | None = None
    duration_s: int | None = None
    timeout_s: int = 30
    method: str = "GET"
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: str = ""
    content_type: str = ""
    keepalive: bool = False
    lost: list[str] = field(default_factory=list)


def read_command(command: str) -> CommandOptions:
    """Raises Unreadable."""
    words = _words(command)
    names = [OTHER_NAMES.get(name, name) for name in (PurePosixPath(word).name for word in words)]
    place = next((at for at, name in enumerate(names) if name in tools()), None)
    if place is None:
        raise Unreadable(f"No load tool is called in it; plans can be made for {', '.join(sorted(tools()))}.")
    tool = tools()[names[place]]
    options = CommandOptions(tool.name)
    given = {name: [value] for name, value in tool.defaults.items()}
    for name, value in _options(tool, words[place + 1 :], options):
        given.setdefault(name, []).append(value)
    _fill(options, given)
    return options


def _words(command: str) -> list[str]:
    """The words of the first simple command: what stands behind a pipe, a redirection or a semicolon is left out."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    words: list[str] = []
    try:
        for word in lexer:
            if re.fullmatch(r"[();<>|&]+", word):
                behind_number = word[0] in "<>" and words and words[-1] in ("1", "2")  # 2>&1
                return words[:-1] if behind_number else words
            words.append(word)
    except ValueError as error:
        raise Unreadable(f"Its quotes do not match ({error}).") from error
    return words


def _options(tool: Tool, words: Sequence[str], options: CommandOptions) -> Iterator[tuple[str, str]]:
    """(field, value) of every option and of the address; what is lost is noted."""
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("-") or word == "-":
            yield "url", word
            continue
        for name, value in _split(tool, word):
            option = tool.options.get(name)
            if option is None:
                options.lost.append(f"{tool.name} {name} is not known here and was left out.")
                break
            if not option.bare and value is None:
                value = rest.pop(0) if rest else ""
            yield from _meant(tool, name, option, value or "", options)


def _split(tool: Tool, word: str) -> Iterator[tuple[str, str | None]]:
    """An argument's options with what is glued to them: -kc10 is -k and -c 10, --time=1M is --time with 1M."""
    if word.startswith("--") or tool.long_by_one_dash:
        name, equals, value = word.partition("=")
        known = name if name in tool.options else name.replace("--", "-", 1)
        yield known if tool.long_by_one_dash else name, value if equals else None
        return
    letters = word[1:]
    while letters:
        name, letters = f"-{letters[0]}", letters[1:]
        option = tool.options.get(name)
        if option is not None and not option.bare:
            yield name, letters or None
            return
        yield name, None


def _meant(tool: Tool, name: str, option: Option, value: str, options: CommandOptions) -> Iterator[tuple[str, str]]:
    if option.lost:
        options.lost.append(f"{tool.name} {name} was left out: {option.lost}.")
    if option.field:
        yield option.field, option.means or value


def _fill(options: CommandOptions, given: dict[str, list[str]]) -> None:
    last = {name: values[-1] for name, values in given.items()}
    options.concurrency = _whole(last.get("concurrency", "1"), "clients")
    _length(options, last)
    if "timeout_s" in last:
        options.timeout_s = max(1, _seconds(last["timeout_s"], "s"))
    options.keepalive = last.get("keepalive") == "yes"
    options.content_type = last.get("content_type", "")
    options.body = last.get("body", "")
    options.method = last.get("method", "GET").upper()
    _address(options, given.get("url", []))
    if options.method not in METHODS:
        options.lost.append(f"The method {options.method} is not one that plans have; it would be GET.")
        options.method = "GET"
    for text in given.get("headers", []):
        _header(options, text)
    for name, header in (("cookie", "Cookie"), ("accept", "Accept"), ("user_agent", "User-Agent")):
        options.headers += [(header, value) for value in given.get(name, [])]


def _length(options: CommandOptions, last: dict[str, str]) -> None:
    if "duration_s" in last:
        options.duration_s = max(1, _seconds(last["duration_s"], "m" if options.tool == "siege" else "s"))
    elif "repeats_each" in last:
        options.requests = _whole(last["repeats_each"], "repeats") * options.concurrency
    elif "requests" in last:
        options.requests = _whole(last["requests"], "requests")
    else:
        raise Unreadable("It runs without an end: neither a number of requests nor a time is told.")


def _address(options: CommandOptions, words: list[str]) -> None:
    """The address, behind which siege has the method and the body. ab and siege add a missing http:// themselves."""
    if not words:
        raise Unreadable("It holds no address.")
    url, *behind = words[0].split(" ", 2)
    if behind:
        options.method = behind[0].upper()
        options.body = behind[1] if len(behind) > 1 else ""
        if options.body.startswith("<"):
            options.body = ""
            options.lost.append("The body was left out: it is in a file of the machine it ran on.")
    options.url = url if "://" in url else f"http://{url}"
    if len(words) > 1:
        options.lost.append(f"{' '.join(words[1:])} was left out: a plan has one address.")


def _header(options: CommandOptions, text: str) -> None:
    name, _, value = (part.strip() for part in text.partition(":"))
    if name.lower() == "connection" and value.lower() in ("close", "keep-alive"):
        options.keepalive = value.lower() == "keep-alive"
    elif name.lower() == "content-type":
        options.content_type = value
    else:
        options.headers.append((name, value))


def _whole(text: str, what: str) -> int:
    """A whole number, also with the k, M and G that wrk takes."""
    found = re.fullmatch(r"([0-9]{1,12})([kMG]?)", text)
    if not found:
        raise Unreadable(f"{text!r} is no number of {what}.")
    return int(found[1]) * {"": 1, "k": 1000, "M": 1_000_000, "G": 1_000_000_000}[found[2]]


def _seconds(text: str, unit: str) -> int:
    """A time such as 30, 30S, 1m30s in whole seconds; `unit` is that of a bare number."""
    if not text or PART.sub("", text):
        raise Unreadable(f"{text!r} is no time.")
    return round(sum(float(number) * UNITS_S[(of or unit).lower()] for number, of in PART.findall(text)))


class CannotRepeat(ValueError):
    """A run that no plan can be made of; the message is a sentence."""


@dataclass(frozen=True, slots=True)
class Rerun:
    """fields: of a plan, by name. variant: what its config is called. notes: sentences on what is otherwise than it was."""

    run: Run
    target: Target
    variant: str
    fields: dict[str, Any]
    notes: list[str]


def plan_from_run(run: Run) -> Rerun:
    """Raises CannotRepeat."""
    if not run.command:
        raise CannotRepeat("The text that it was read from does not show the command.")
    try:
        options = read_command(run.command)
        parts = urlsplit(options.url)
        base = canonical(f"{parts.scheme}://{parts.netloc}")
    except (Unreadable, NotAllowed) as fault:
        raise CannotRepeat(f"{fault}") from fault
    except ValueError as fault:  # urlsplit's, such as brackets that do not match
        raise CannotRepeat(f"{options.url} is no address that a plan can have.") from fault
    address = _find_address(base, run)
    notes = list(options.lost)
    if parts.fragment:
        notes.append("What stands behind # in the address is never sent and was left out.")
    fields = _fields(options, notes) | {
        "name": f"Again: {run.experiment.name}, {run.label or run.config.name}"[:200],
        "address": address.pk,
        "path": (parts.path or "/") + (f"?{parts.query}" if parts.query else ""),
    }
    return Rerun(run=run, target=address.target, variant=run.config.name[:200], fields=fields, notes=notes)


def _find_address(base: str, run: Run) -> TargetAddress:
    """The address of the allow-list; of several targets that share it, the one of the run's own host."""
    rows = TargetAddress.objects.filter(base=base, target__enabled=True).select_related("target__host")
    if not rows:
        raise CannotRepeat(
            f"{base} is on no target's list of addresses; somebody who may register targets must put it there."
        )
    return next((address for address in rows if address.target.host_id == run.host_id), rows[0])


def _fields(options: CommandOptions, notes: list[str]) -> dict[str, Any]:
    return {
        "tool": options.tool,
        "method": options.method,
        "headers": _headers(options, notes),
        "body": options.body,
        "content_type": options.content_type,
        "requests": options.requests,
        "duration_s": options.duration_s,
        "levels": [options.concurrency],
        "keepalive": options.keepalive,
        "timeout_s": options.timeout_s,
    }


def _headers(options: CommandOptions, notes: list[str]) -> list[tuple[str, str]]:
    """The headers that a plan may have; a secret becomes the name of one."""
    kept = []
    for name, value in options.headers:
        try:
            secrets.check_header(name, value)
        except secrets.BadHeader as fault:
            notes.append(f"A header was left out. {fault}")
            continue
        try:
            secrets.check_header_secret(name, value)
        except secrets.SecretFault:
            variable = "".join(letter if letter.isalnum() else "_" for letter in name.upper())
            value = f"{{secret:{variable}}}"
            notes.append(f"The value of {name} was left out; the worker reads it from {secrets.PREFIX}{variable}.")
        kept.append((name, value))
    return kept
