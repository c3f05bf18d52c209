"""Texts made of the fixtures: cut, repeated, joined, with odd figures and signs; each is known by its seed.

`text(seed)` and `comparison(seed)` are the same for the same seed and fixtures.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from random import Random

from parsers.catalogue import formats

from . import mangle
from .reading import fixtures, text_of

_FIGURE = re.compile(r"\d+(?:[.,:]\d+)*")
_MOST_LINES, _MOST_STEPS, _MOST = 60, 5, 20_000  # lines of a piece, changes of a text, characters that repeating makes
FIGURES = (
    *("0", "-1", "-0", "00", "1e999", "1e308", "nan", "-inf", "1.2.3", "1,2,3", ",", "-", "", "٣", "²", "½", "１２"),
    *("9" * 15, "2147483648", "4294967296", "9223372036854775807", "9223372036854775808", "9" * 25, "9" * 310, "9" * 5000),
    *("1" * 100 + ".5", "0." + "0" * 400 + "1", "99:99:99", "1:60", "24:00:00", "100000000:00", "9999-99-99", "0000-00-00"),
    *("9999-12-31", "0001-01-01", "253402300800", "1e5", "0x1f", "1_000", "12k", "1.5Gi", "5%", "١٢:٣٠:٠٠"),
)  # fmt: skip
SIGNS = (
    *("\0", "\x01", "\x07", "\x08", "\t", "\v", "\f", "\r", "\x1b", "\x1b[31m", "\x1b[K", "\x7f", "\x85", "\x9b", "\xa0", "\xad"),
    *("\u200b", "\u200f", "\u2028", "\u2029", "\u202e", "\u3000", "\ufeff", "\ufffd", "\ud800", "\udfff", "ü", "ß", "İ", "e\u0301"),
    *("漢", "：", "😀", "\U0010ffff", "<br>", "&nbsp;", "&#0;", "&#55296;", "&amp;", "'", '"', "`", "\\", "{", "}", "[", "]"),
    *("(", ")", "|", "$ ", "# ", "> ", "- ", "...", "%", "=", ":", ";", ",", ".", "/", "~", "*", "_", "@", "!", "?", "+", "^[[C"),
)  # fmt: skip
COMMANDS = (
    *("$ ab -n 1e9 -c 0 http://[::1]:99999999/", "$ ab -n", "$ siege -c10 -t1H http://a/", "$ top", "$ cat /proc/cpuinfo"),
    *("$ ps -eo pid,pid,args,comm,args", "$ cat a.conf", "# while :; do date; ps aux; free; done", "Before:", "## event"),
    *("USER PID %CPU %MEM RSS RSS COMMAND COMMAND", "PID PID PID COMMAND", "2024-02-30 25:61:61", "root@web1:~# ", "run 2"),
    *("nginx: 2nd run:", "=" * 30, "```"),
)  # fmt: skip
NAMES = (
    *("nginx event", "nginx worker", "nginx prefork", "httpd itk", "httpd peruser", "lighttpd"),
    *("10 clients", "20 clients", "50 clients", "100 clients", "200 clients", "400 clients"),
    *("Before", "After", "v1.2", "v1.3", "2.0-rc1", "2.0"),
)  # fmt: skip
FACTORS = ((0.98, 1.02), (0.5, 2), (1.3, 3, 10), (0.01, 100), (0, 1), (-1, 1), (1e9,), (1e300,))


@cache
def _sources() -> tuple[list[str], ...]:
    """The lines of each fixture."""
    return tuple(text_of(path).split("\n") for path in fixtures())


@cache
def _words() -> tuple[str, ...]:
    return tuple(sorted({word for lines in _sources() for line in lines[:_MOST_LINES] for word in line.split()}))


def text(seed: object) -> str:
    """A text of a few hundred to a few ten thousand characters; one in a hundred has several hundred thousand."""
    random = Random(f"{seed}")  # noqa: S311
    lines = _piece(random)
    for _ in range(random.randint(1, _MOST_STEPS)):
        lines = random.choices(_CHANGES, _WEIGHTS)[0](random, lines) or [""]
    made = "\n".join(lines) + random.choice(("\n", "\n", ""))
    return _stop(random, made) if random.random() < 0.2 else made


def _stop(random: Random, text: str) -> str:
    """The text up to any byte of it, as a transfer that stopped leaves it."""
    data = text.encode("utf-8", "surrogatepass")
    return data[: random.randint(1, max(len(data), 1))].decode("utf-8", "replace")


@cache
def _reports() -> tuple[str, ...]:
    """The captures of load tools, but for long ones."""
    tools = {form.kind for form in formats().values() if form.tool}
    paths = [path for path in fixtures() if path.parent.name in tools]
    return tuple(report for path in paths if len(report := text_of(path)) < 12_000)


def comparison(seed: object) -> str:
    """Two to six configs, each with a report or more, whose figures differ by plain or odd factors; some with a monitor."""
    random = Random(f"{seed} compared")  # noqa: S311
    first = random.choice((0, 6, 12))
    runs = [
        (name, at) for name in NAMES[first : first + random.randint(2, 6)] for at in range(random.choice((1, 1, 2, 4)))
    ]
    if random.random() < 0.4:
        random.shuffle(runs)
    reports, share, factors = (
        random.choices(_reports(), k=random.choice((1, 1, 2))),
        random.random() / 3,
        random.choice(FACTORS),
    )

    def scale(match: re.Match[str]) -> str:
        if random.random() >= share or not match[0].replace(".", "", 1).isdecimal():
            return match[0]
        value = float(match[0]) * random.choice(factors)
        return f"{value:.2f}" if "." in match[0] else f"{value:.0f}"

    parts = []
    for name, at in runs:
        beside = "\n".join(random.choice(_sources())[:_MOST_LINES]) if random.random() < 0.2 else ""
        heading = f"## {name}, run {at + 1}" if random.random() < 0.5 else f"## {name}"
        parts.append(f"\n{heading}\n\n{_FIGURE.sub(scale, random.choice(reports) + beside)}\n")
    return "".join(parts)


def _piece(random: Random) -> list[str]:
    """A capture, mostly from its beginning on, and mostly whole."""
    lines = random.choice(_sources())
    first = random.choice((0, 0, 0, random.randrange(len(lines))))
    return lines[first : first + random.choice((_MOST_LINES, _MOST_LINES, random.randint(1, _MOST_LINES)))]


def _span(random: Random, lines: list[str]) -> tuple[int, int]:
    first = random.randrange(len(lines))
    return first, first + random.choice((1, 1, 2, 5, 30))


def _cut(random: Random, lines: list[str]) -> list[str]:
    first, end = _span(random, lines)
    return lines[:first] + lines[end:]


def _repeat(random: Random, lines: list[str]) -> list[str]:
    first, end = _span(random, lines)
    part = lines[first:end]
    n = random.choice((2, 2, 3, 30, 300))
    return lines[:first] + part * min(n, _MOST // (1 + sum(map(len, part))) + 1) + lines[end:]


def _swap(random: Random, lines: list[str]) -> list[str]:
    (first, end), (at, _) = _span(random, lines), _span(random, lines)
    rest = lines[:first] + lines[end:]
    return rest[:at] + lines[first:end] + rest[at:]


def _join(random: Random, lines: list[str]) -> list[str]:
    at = random.choice((0, len(lines), random.randrange(len(lines))))
    between = random.choice(([], [""], [random.choice(COMMANDS)]))
    return lines[:at] + between + _piece(random) + lines[at:]


def _mix(random: Random, lines: list[str]) -> list[str]:
    """Two captures in turn, as two commands write to one terminal."""
    other = _piece(random)
    return [line for pair in zip(lines, other, strict=False) for line in pair] + lines[len(other) :]


def _mangle(random: Random, lines: list[str]) -> list[str]:
    return random.choice(_MANGLERS)(lines).lines


def _on_lines(change: Callable[[Random, str], str]) -> Callable[[Random, list[str]], list[str]]:
    """The change to one line, or to every line."""

    def on_lines(random: Random, lines: list[str]) -> list[str]:
        chosen = random.choice((random.randrange(len(lines)), random.randrange(len(lines)), None))
        return [change(random, line) if chosen in (at, None) else line for at, line in enumerate(lines)]

    return on_lines


def _figure(random: Random, line: str) -> str:
    odd, n = random.choice(FIGURES), random.choice((0, 1))
    matches = list(_FIGURE.finditer(line))
    if not (n and matches):
        return _FIGURE.sub(lambda _: odd, line)
    match = random.choice(matches)
    return line[: match.start()] + odd + line[match.end() :]


def _sign(random: Random, line: str) -> str:
    at = random.choice((0, len(line), random.randrange(len(line) + 1)))
    return line[:at] + random.choice(SIGNS) + line[at + random.choice((0, 0, 1)) :]


def _word(random: Random, line: str) -> str:
    """One word replaced, said twice, left out or stretched; blanks between stay."""
    parts = re.split(r"(\s+)", line)
    at = random.randrange(len(parts))
    long = parts[at] * min(random.choice((3, 100, 3000)), _MOST // (1 + len(parts[at])))
    parts[at] = random.choice(
        (random.choice(_words()), f"{parts[at]} {parts[at]}", "", long, parts[-1], parts[at].swapcase())
    )
    return "".join(parts)


def _shorten(random: Random, line: str) -> str:
    at = random.randrange(len(line) + 1)
    return random.choice((line[:at], line[at:]))


_MANGLERS = list((mangle.EVERY | mangle.WRAPPED).values())
_CHANGES = (_cut, _repeat, _swap, _join, _mix, _mangle, *map(_on_lines, (_figure, _sign, _word, _shorten)))
_WEIGHTS = (2, 2, 2, 4, 1, 2, 6, 5, 6, 2)
