"""Tables and lists of rates that are none of results (limits, prices), and those that should have been read and were not."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .catalogue import load_programs
from .patterns import TitlePattern
from .rate_cells import EMPTY, Cell
from .written_rates import (
    FAILED,
    IS_METRIC,
    IS_RATE,
    IS_VALUE,
    LOAD,
    MAY_BE_RATE,
    NO_RATE,
    NOT_MEASURED,
    OTHER_FIGURE,
    find_latency,
    has_unit_of_all,
    is_round,
    read_number,
    strip_cell_markup,
)

Rows = Sequence[tuple[int, list[str]]]
_TINY = 1e-6
_FARTHEST = 4  # lines between a table and what is said above it
_LIMITS = re.compile(
    r"\b(?:rate|request|api|usage|recommended|default|service|account)[ -](?:rate[ -])?limit\w*|\bquotas?\b|\bthrottl\w*"
    r"|\bpricing\b|\bprices?\b|\brate limiting\b|\bfree tier\b|\busage plans?\b|限流|配额",
    re.IGNORECASE,
)
_OF_LIMITS = re.compile(
    r"burst\w*|(?:req(?:uest)?s?|calls) ?(?:/|per) ?(?:h(?:our|r)?|d(?:ay)?|month)|\W*(?:limit|quota|price|cost|tier|plan)s?\b.*"
    r"|req/s per minute",
    re.IGNORECASE,
)
_OF_PLANS = re.compile(
    r"(?:warm-?\s?up|ramp-?\s?(?:up|down)|test|run|hold|think|delay|cool-?\s?down|steady|stage)s?"
    r"(?: (?:duration|time|period|length))?\W{0,3}(?:\(?(?:m?s|secs?|seconds|min(?:utes)?)\)?)?",
    re.IGNORECASE,
)
_RANGE = re.compile(r"\d[\d.,]*\s?[kKM]?\s?(?:[–—-]|to)\s?\d[\d.,]*\s?[kKM]?")
_PRICE = re.compile(r"[$€£]\s?\d")
_SAYS_THROUGHPUT = re.compile(r"\bthroughput\b|吞吐|スループット|처리량", re.IGNORECASE)
_SAYS_TEST = re.compile(r"\b(?:load[ -]test\w*|benchmark\w*)\b", re.IGNORECASE)
_OTHER_UNIT = re.compile(
    r"\b(?:[kmgt]i?b(?:it)?(?:ps|/s(?:ec)?)?|bytes|bits|tok(?:en)?s?|msgs?|messages|rows|events|records|images|frames|inserts)"
    r"(?:/s\w*| per second)?\b|\biops\b|\bfps\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w[\w.+-]*")
_MAY_BE_RATE = TitlePattern(MAY_BE_RATE)
_DECIMALS = re.compile(r"\d\.\d")


def find_prose(prose: Sequence[tuple[int, str]], line: int) -> list[str]:
    """The last lines of prose right above a table whose heading stands in this line."""
    return [text for number, text in prose[-2:] if line - number <= _FARTHEST + 2]


def are_set(rates: Sequence[float], said: Sequence[str]) -> bool:
    """Whether the rates of a list are round ones, below what tells of limits or prices."""
    return any(map(_LIMITS.search, said)) and all(map(is_round, rates))


def are_limits(said: Sequence[str], heading: Sequence[str], rows: Rows, cells: Sequence[Cell]) -> bool:
    """Whether the rates were set by somebody: round ones, beside what tells of limits or prices, or of a plan."""
    if _are_planned(heading, rows, cells):
        return True
    rates = [(cell.rate, cell.step) for cell in cells if cell.rate is not None]
    if not all(is_round(round(rate * 60, 3) if abs(60 * step - 1) < _TINY else rate) for rate, step in rates):
        return False
    names = [row[0] for _, row in rows]
    tells = any(map(_LIMITS.search, (*said, *names))) or any(map(_OF_LIMITS.fullmatch, heading))
    return tells or any(_PRICE.search(cell) for _, row in rows for cell in row)


def _are_planned(heading: Sequence[str], rows: Rows, cells: Sequence[Cell]) -> bool:
    """Whether one column of rates is that of the clients, or of round ones beside those of a plan, and none of what came out."""
    rates = {cell.line: cell.rate for cell in cells}
    if (
        len(rates) < 2
        or len(rates) < len(cells)
        or any(find_latency(each) or FAILED.fullmatch(each) for each in heading)
    ):
        return False
    table = [(rates[line], row) for line, row in rows if line in rates]
    loads = [at for at, title in enumerate(heading) if LOAD.fullmatch(title)]
    are_clients = any(
        all((number := read_number(row[at])) and number[0] == rate for rate, row in table) for at in loads
    )
    n_planned = sum(_OF_PLANS.fullmatch(title) is not None for title in heading)
    return are_clients or (n_planned > 1 and all(rate is not None and is_round(rate) for rate, _ in table))


def describe_unread_table(said: Sequence[str], heading: Sequence[str], rows: Rows) -> str:
    """What is said of a table of figures without a unit, where the text above or a title tells of a load test; "" of any other."""
    columns = [(title, [strip_cell_markup(row[at]) for _, row in rows]) for at, title in enumerate(heading) if at]
    if heading and (not heading[0] or IS_METRIC.fullmatch(heading[0])):
        measured = ((row[0], list(map(strip_cell_markup, row[1:]))) for _, row in rows)
        columns += [(title, figures) for title, figures in measured if all(map(read_number, figures))]
    columns = [
        (title, column)
        for title, column in columns
        if IS_RATE.search(title) or _may_be_rates(title, column) or _has_figures(title, column)
    ]
    if not columns or any(map(_LIMITS.search, said)) or any(map(NOT_MEASURED.search, (*said, *heading))):
        return ""
    is_other = any(map(_OTHER_UNIT.search, said))
    tells_above = any(has_unit_of_all(text) or (_SAYS_THROUGHPUT.search(text) and not is_other) for text in said)
    tells_tool = any(
        _SAYS_TEST.search(text) or not load_programs().keys().isdisjoint(_WORD.findall(text)) for text in said
    )
    for title, column in columns:
        is_rate, is_titled = IS_RATE.search(title) is not None, _may_be_rates(title, column)
        is_value = IS_VALUE.fullmatch(title) is not None or not title or LOAD.match(title) is not None
        figures = sum(read_number(cell) is not None for cell in column)
        if is_rate and not NO_RATE.search(title) and figures > 1 and 2 * figures >= len(column):
            return f"{title!r}: expected a rate in each cell"
        if is_rate and column and all(map(_RANGE.fullmatch, column)):
            return f"{title!r}: expected one rate in each cell, and not the least and the most"
        if is_titled and any(map(IS_RATE.search, column)) and figures:
            return f"{title!r}: expected a rate in each cell"
        if (is_rate or is_titled or tells_above or (tells_tool and is_value)) and _has_figures(title, column):
            name = f"{title!r}: " if title else ""
            return f"{name}expected the unit of these figures, such as req/s, in the column's title or right above the table"
    return ""


def _may_be_rates(title: str, column: Sequence[str]) -> bool:
    """Whether a title such as "throughput" has figures below it; "requests" are counted, unless they have decimals."""
    match = _MAY_BE_RATE.fullmatch(title)
    is_counted = match is not None and match["counted"] and "/" not in title and "per" not in title
    return (
        match is not None
        and any(map(read_number, column))
        and not (is_counted and not any(map(_DECIMALS.search, column)))
    )


def _has_figures(title: str, column: Sequence[str]) -> bool:
    figures = [cell for cell in column if cell not in EMPTY]
    return (
        len(figures) > 1
        and all(map(read_number, figures))
        and not NO_RATE.search(title)
        and not OTHER_FIGURE.fullmatch(title)
    )
