"""Figures as the tools print them, turned into plain numbers. Each function raises ValueError where there is none."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any

from .patterns import find_first_characters

_MOST = 1e100  # no tool counts so far, and what is reckoned from less is still finite
_MOST_WHOLE = 2**63  # beyond it a whole number is none to most that read JSON
_LONGEST = 64  # characters of a figure in a column
_SIZE = re.compile(r"([+-]?[\d.,]+)\s*([kKmMgGtTpP]?)(?:i?[bB])?")
FACTOR_KB = {"": 1, "k": 1, "m": 1024, "g": 1024**2, "t": 1024**3, "p": 1024**4}
_CLOCK = re.compile(r"(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+)(?:[.,](\d+))?")
_GROUPED = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?!\d|,\d)")
_APART = re.compile(r"\d{1,3}(?:[ '’]\d{3})+(?=[.,]\d|\s+[\[A-Za-z])")
_HOURS = re.compile(r"(\d+(?:\.\d+)?)H")
_UPTIME_PART = re.compile(r"(?<!\d)(\d+)\s*(day|min|sec|hour|hr)")


@lru_cache(maxsize=256)  # of a table most stand in it many times
def number(text: str) -> int | float:
    """ "100" → 100, "1.5" → 1.5, "2,5" → 2.5 (a decimal comma); never NaN, infinity or near it."""
    value: int | float
    try:
        value = int(text)
    except ValueError:
        value = float(text.replace(",", ".", 1))
    if not -_MOST < value < _MOST:
        raise ValueError(f"not a number: {text[:40]!r}")
    return value if -_MOST_WHOLE < value < _MOST_WHOLE else float(value)


def rounded(value: float, digits: int = 6) -> int | float:
    """1888.0 → 1888, 0.12345678 → 0.123457."""
    value = round(value, digits)
    return int(value) if value == int(value) else value


def ungrouped(text: str) -> str:
    """The text without the separators of thousands that somebody wrote into its figures: "29,907.67" → "29907.67"."""
    return _GROUPED.sub(lambda match: match[0].replace(",", ""), text)


def join_thousands(text: str) -> str:
    """The text without the blanks or apostrophes in the thousands of the figure that it begins with: "12 345.6 [#/sec]"."""
    match = _APART.match(text)
    return re.sub("[ '’]", "", match[0]) + text[match.end() :] if match else text


def size_kb(text: str) -> int | float:
    """A size as top and ps print it, in KiB: "158.1m" → 161894.4, "12m" → 12288, "22152" → 22152, "1888k" → 1888."""
    try:
        return int(text)
    except ValueError:
        match = _SIZE.fullmatch(text)
    if not match:
        raise ValueError(f"not a size: {text[:40]!r}")
    value = number(match[1]) * FACTOR_KB[match[2].lower()]
    return int(value) if value == int(value) else value


def clock_s(text: str) -> int | float:
    """Time used or elapsed, in seconds: "1:23.45" → 83.45, "00:01:11" → 71, "2-03:04:05" → 183845, "50.8H" → 182880."""
    match = _CLOCK.fullmatch(text)
    if not match and (in_hours := _HOURS.fullmatch(text)):
        return round(float(in_hours[1]) * 3600, 3)
    if not match:
        raise ValueError(f"not a time: {text!r}")
    days, hours, minutes, seconds, fraction = match.groups()
    whole = int(days or 0) * 86400 + int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds)
    if not fraction:
        return whole
    parts: int = 10 ** len(fraction)
    return (whole * parts + int(fraction)) / parts  # in one division, so that "1:23.45" is the number 83.45


@lru_cache(maxsize=256)  # of a log of it each is there several times
def uptime_s(text: str) -> int:
    """top's and uptime's "up": "4 days, 16:36" → 405360, "25 min" → 1500, " 1:37" → 5820."""
    seconds = {"day": 86400, "hour": 3600, "hr": 3600, "min": 60, "sec": 1}
    parts = _UPTIME_PART.findall(text)
    total = sum(int(n) * seconds[unit] for n, unit in parts)
    hours = re.search(r"(\d+):(\d+)", text)
    if not parts and not hours:
        raise ValueError(f"not an uptime: {text!r}")
    return total + (int(hours[1]) * 3600 + int(hours[2]) * 60 if hours else 0)


def name_words(words: Mapping[str, str]) -> dict[str, str]:
    """{word: name} of {name: words with blanks between}."""
    return {word: name for name, some in words.items() for word in some.split()}


# What monitors call the shares of CPU time -> top's short names.
CPU_SHARES = name_words(
    {"us": "user usr", "sy": "system sys", "ni": "nice nic", "id": "idle", "wa": "iowait iow io", "st": "steal host"}
    | {"hi": "irq interrupt", "si": "softirq soft sirq"}
)


class Memo(dict[str, Any]):
    """Converts figures, each spelling once: the screens of one machine print the same few thousand over and over.

    Raises ValueError where `convert` does, and for a text that is too long for a figure.
    """

    def __init__(self, convert: Callable[[str], Any]) -> None:
        super().__init__()
        self._convert = convert

    def __missing__(self, text: str) -> Any:
        if len(text) > _LONGEST:
            raise ValueError(f"not a figure: {text[:40]!r}")
        if len(self) > 100_000:
            self.clear()
        value = self[text] = self._convert(text)
        return value


_GO_PART = re.compile(r"((?<!\d)\d+(?:\.\d+)?)(ns|[uµμ]s|ms|s|m|h)")
_MS = {"ns": 1e-6, "us": 0.001, "µs": 0.001, "μs": 0.001, "ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000}
_MS |= dict.fromkeys(("sec", "secs"), 1000)
BINARY_SIZES = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4, "P": 1024**5}
DECIMAL_SIZES = {"": 1, "k": 1000, "M": 1000**2, "G": 1000**3, "T": 1000**4}
GO_DURATION = r"(?:(?:\d+h)?(?:\d+m)?\d+(?:\.\d+)?s|\d+(?:\.\d+)?(?:ns|[uµμ]s|ms))"
_GO_WHOLE = re.compile(GO_DURATION)


def go_duration_ms(text: str) -> float:
    """A time as programs in Go print it, in ms: "579.427µs" → 0.579427, "1m40s" → 100000, "1.13ms" → 1.13, "0s" → 0."""
    if not _GO_WHOLE.fullmatch(text):
        raise ValueError(f"not a duration: {text!r}")
    return round(sum(float(figure) * _MS[unit] for figure, unit in _GO_PART.findall(text)), 9)


def to_ms(figure: str, unit: str) -> float:
    """ "1.5", "s" → 1500."""
    return round(float(figure) * _MS[unit], 9)


_AMOUNT = re.compile(r"(-?[\d.]+)\s?(.*)")


def time_ms(text: str) -> float:
    """ "1.5s", "1.5 s" → 1500."""
    figure, unit = _AMOUNT.findall(text)[0]
    return to_ms(figure, unit)


def time_s(text: str) -> float:
    """ "1.5s" → 1.5."""
    return time_ms(text) / 1000


def size_bytes(text: str) -> int:
    """A size whose prefixes are powers of 1024: "1.5K" → 1536."""
    figure, unit = _AMOUNT.findall(text)[0]
    return round(float(figure) * BINARY_SIZES[unit])


# --- lines as tools print them --------------------------------------------------------------------------------------------
_PLACE = re.compile(r"<([a-z_\d.*@+]*):(\w)>")
Kind = tuple[str, Callable[[str], Any]]  # pattern of a text, and what its value is made by
_Place = tuple[list[str], Callable[[str], Any]]  # the parts of a figure's name, and the same
_KEY, _NOT_ASCII = ["@"], "\x80"
_KINDS: dict[str, Kind] = {
    "C": (r"\d{3}", str),  # status code
    "F": (r"\d{1,18}(?:\.\d{1,18})?", float),
    "N": (r"\d{1,18}", int),
    "P": (r"\d+(?:\.\d+)?", lambda text: f"{float(text):g}"),  # per cent, as a name
    "W": (r"\S+", str),
    "X": (r"\S.*", str),
}


def compile_lines(kinds: Mapping[str, Kind], *templates: str) -> Callable[[str], dict[str, Any] | None]:
    """Reads one line of a tool that looks like one of these: {name: figure}; None where it looks like none, or a figure is none.

    kinds      what the tool's own letters stand for, beside _KINDS
    templates  patterns of whole lines with "<name:letter>" in place of each text. "a.b" is b of a table a; "*" in a name stands
               for the value at "<@:letter>"; those of one name with a "+" are a row, the only one of a list. Left out is what
               has no name, what is optional and not there, and None
    """
    compiled = [_compile_line({**_KINDS, **kinds}, template) for template in templates]

    @cache
    def choose(first: str) -> list[tuple[re.Pattern[str], list[_Place]]]:
        """Those that match a text with this first character; of any that is not ASCII, all."""
        return [each for each in compiled if not first.isascii() or first in find_first_characters(each[0].pattern)]

    def read(line: str) -> dict[str, Any] | None:
        for pattern, places in choose(line[0] if line and line[0].isascii() else _NOT_ASCII):
            if match := pattern.fullmatch(line):
                try:
                    return _name_values(places, match.groups())
                except ValueError:  # "1.2.3"
                    return None
        return None

    return read


def _compile_line(kinds: Mapping[str, Kind], template: str) -> tuple[re.Pattern[str], list[_Place]]:
    places = [(name.split(".") if name else [], kinds[kind][1]) for name, kind in _PLACE.findall(template)]
    return re.compile(_PLACE.sub(lambda place: f"({kinds[place[2]][0]})", template)), places


def _name_values(places: list[_Place], texts: tuple[str | None, ...]) -> dict[str, Any]:
    read = [
        (path, convert(text)) for (path, convert), text in zip(places, texts, strict=True) if path and text is not None
    ]
    key, values = next((str(value) for path, value in read if path == _KEY), ""), dict[str, Any]()
    for path, value in read:
        if path == _KEY or value is None:
            continue
        *tables, part = [part.replace("*", key) for part in path] if key else path
        table = values
        for above in tables:
            table = table.setdefault(above, {})
        if part.endswith("+"):
            table.setdefault(part[:-1], [[]])[0].append(value)
        else:
            table[part] = value
    return values
