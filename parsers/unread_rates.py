"""Rates that should have been read and were not: each becomes a problem of its line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cache, lru_cache
from typing import Any

from .catalogue import Format, formats
from .patterns import TitlePattern
from .records import Found, LoadResult, Problem, Values
from .units import ungrouped

BARE_RATE = TitlePattern(  # a line of a rate alone
    r"\W{0,6}(?:(?:requests?|reqs?) ?(?:per|/) ?sec(?:ond)?s?\s?[:=]\s{0,8}\d[\d,.]{0,14}"
    r"|\d(?:[\d,.]{0,14}\d)?\s?(?:(?:requests?|reqs?|transactions|txns?) ?(?:per|/) ?s(?:ec(?:ond)?s?)?|[rqt]ps))\W{0,4}"
)
_FIGURE = re.compile(r"\d+(?:\.\d+)?")
_LONGEST = 500  # characters of a line that are looked at


def check_rates(form: Format, found: Found, lines: Mapping[int, str]) -> list[Problem]:
    """A problem for each of these lines, which the format took, with a load tool's rate that is not among what it read."""
    at = found.values.lines if isinstance(found.values, Values) else found.lines
    read = {value for name, value in found.values.items() if isinstance(value, float) and at.get(name) in lines}
    if not find_unread_rates(lines, read):
        return []
    results = (record for record in form.records(found.values) if isinstance(record, LoadResult))
    rates = {result.requests_per_second for result in results if result.requests_per_second is not None}
    return find_unread_rates(lines, read | rates | set(_list_floats(found.values.get("parts", {}))))


def _list_floats(values: Mapping[str, Any]) -> Iterator[float]:
    """The figures in nested tables: each part of a load has its own rate."""
    for value in values.values():
        if isinstance(value, dict):
            yield from _list_floats(value)
        elif isinstance(value, float):
            yield value


def find_unread_rates(lines: Mapping[int, str], read: Set[float] = frozenset()) -> list[Problem]:
    """A problem for each of these lines with a load tool's rate that is not among those that were read."""
    unread = {
        number: next((text for text, rates in _find_rates(line) if read.isdisjoint(rates)), "")
        for number, line in lines.items()
    }
    return [_report_unread(number, text) for number, text in unread.items() if text]


def find_bare_rates(lines: Sequence[tuple[int, str]], values: Mapping[str, Any]) -> list[Problem]:
    """A problem for each of these lines of a rate alone, but for those that repeat that of the report beside them."""
    rate = values.get("requests_per_second")
    rate = rate if isinstance(rate, (int, float)) else 0  # lscpu's values have any name, and are texts
    near = {f"{rate:.{digits}f}" for digits in range(3)} | {str(rate).partition(".")[0]}
    unread = [(line, text) for line, text in lines if near.isdisjoint(_FIGURE.findall(text.replace(",", "")))]
    return [_report_unread(line, text) for line, text in unread]


def _report_unread(line: int, text: str) -> Problem:
    return Problem(line, f"a rate that was not read: {text!r}")


@lru_cache(maxsize=256)  # of one line it is asked by each format that tries it
def _find_rates(line: str) -> list[tuple[str, set[float | None]]]:
    """The rates of load tools in a line, with their labels, and their figures: a comma may stand before decimals."""
    found = (
        (each[0][:80], each[each.lastindex or 0].rstrip(".,"))
        for each in _compile_rate_lines().finditer(ungrouped(line[:_LONGEST]))
    )
    return [(label, {_as_float(text.replace(",", sign)) for sign in ("", ".")}) for label, text in found]


@cache
def _compile_rate_lines() -> re.Pattern[str]:
    """A load tool's rate with its label, anywhere on a line; the group that matched is the figure."""
    return re.compile("|".join(f.inline for f in formats().values() if f.inline))


def _as_float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:  # "1.2.3"
        return None
