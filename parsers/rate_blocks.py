"""Which tables and lists of rates are results, and their blocks: what names the config, and what was requested of it.

Limits, prices and plans are none; a table that tells of a load test and was not read is a problem.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from . import written_rates as written
from .catalogue import load_programs, makes_load
from .lines import Lines
from .patterns import TitlePattern
from .rate_cells import EMPTY, Cell
from .records import Found, LoadResult, Problem, Record

KIND = "rate_table"
_ENDS_IN_LOAD = re.compile(r"(?<![\d.])\d+$")  # and in no version
_MAY_NAME = re.compile(r"c\d+", re.IGNORECASE)  # ten clients, or a kind of machine


def make_blocks(cells: list[Cell], heading_line: int) -> list[Found]:
    """The blocks, each named by what was loaded: its row, or its column where all rows are loads, or columns are configs."""
    columns = list(dict.fromkeys(cell.column for cell in cells))
    if sum(bool(written.REPEAT.fullmatch(column)) for column in columns) > 1:  # their mean is no measurement
        columns = [column for column in columns if not written.MEAN.fullmatch(column)]
        cells = [cell for cell in cells if cell.column in columns]
    if all(written.RUN.fullmatch(cell.row) for cell in cells) and columns != [""]:  # each row is a repeat
        cells = [cell._replace(row="") for cell in cells]
    is_one = len(columns) == 1 and (not columns[0] or written.IS_THROUGHPUT.fullmatch(columns[0]) is not None)
    are_clients = all(not cell.row or written.LOAD_TITLE.fullmatch(cell.row) for cell in cells)
    end_in_loads = all(
        not cell.row or written.LOAD_TITLE.fullmatch(cell.row) or _ENDS_IN_LOAD.search(cell.row) for cell in cells
    )
    are_compared = len(columns) > 1 and all(map(written.COMPARED.fullmatch, columns))
    rows_are_loads = not is_one and (end_in_loads or cells[0].row_is_work or are_compared)
    rows_are_loads = rows_are_loads or (are_clients and not any(_MAY_NAME.fullmatch(cell.row) for cell in cells))
    rows = list(dict.fromkeys(cell.row for cell in cells))
    rows_are_loads = rows_are_loads or are_loads(rows) or (cells[0].row_is_work and written.are_kinds_of_work(rows))
    if rows_are_loads and columns != [""] and are_loads(columns):  # one config's: "| Clients | GET | SET |"
        cells = [
            cell._replace(column="", section=" · ".join(filter(None, (cell.section, cell.column)))) for cell in cells
        ]
    repeats = len(columns) > 1 and all(map(written.REPEAT.fullmatch, columns)) and not cells[0].is_compared
    if repeats and not any(cell.row for cell in cells):  # rows of rates, each of something else
        cells = [cell._replace(row=cell.section, section="") for cell in cells]
    quoted = [_make_block(cell, rows_are_loads and not repeats, repeats) for cell in cells]
    for before, following in pairwise(quoted):
        if following.first == before.first and following.values.get("load") == before.values.get("load"):
            is_distinct = repeats or following.values.get("concurrency") != before.values.get("concurrency")
            following.label = following.label or ("" if is_distinct else "column without a title")
    quoted[0].problems += [Problem(line, f"{text!r}: expected a rate") for cell in cells for line, text in cell.unread]
    for title in dict.fromkeys(title for cell in cells for title in cell.without_unit):
        message = f"{title}: expected a unit (ms, s or us) in the column's title or in its cells"
        quoted[0].problems.append(Problem(heading_line, message))
    return quoted


def are_loads(titles: Sequence[str]) -> bool:
    """Whether all of these name what a client asked for, or the tool that asked: no config is better than another by it."""
    return written.are_operations(titles) or all(makes_load(title.lower()) for title in titles)


def _make_block(cell: Cell, rows_are_loads: bool, repeats: bool) -> Found:
    names_nothing = written.MEAN.fullmatch(cell.column) or (
        rows_are_loads and written.IS_THROUGHPUT.fullmatch(cell.column)
    )
    column = "" if repeats or names_nothing else cell.column
    name, how = (column, cell.row) if rows_are_loads else (cell.row, column)
    is_known = not cell.unclear and cell.rate is not None
    values: dict[str, Any] = {"requests_per_second": cell.rate, "rate_step_per_s": cell.step} if is_known else {}
    values |= {"config": name} if name else {}
    is_load = written.LOAD_TITLE.fullmatch(how)
    load = cell.load if cell.load is not None else written.read_load(how) if is_load else None
    if load is not None:
        values["concurrency"] = load
    requested = cell.row if cell.row_is_address and not rows_are_loads else ""
    how = " · ".join(filter(None, [cell.section, how if how and not is_load else requested]))
    if how:
        values["load"] = how
    values |= cell.latency | {name: mark for name in ("picked", "footnote") if (mark := getattr(cell, name))}
    point = f"{cell.unclear}: expected to know whether this point, beside whole numbers, is of thousands or of decimals"
    problems = [Problem(cell.line, point)] if cell.unclear else []
    return Found(values, cell.line, cell.line, partial=True, problems=problems, label=name or None)


_FIGURES = ("requests_per_second", "concurrency", "complete_requests", "failed_requests")
_LATENCIES = ("mean_ms", "max_ms", "percentiles_ms")


def records(values: dict[str, Any]) -> list[Record]:
    return [
        LoadResult(
            KIND, path=values.get("load"), **{name: values[name] for name in _FIGURES + _LATENCIES if name in values}
        )
    ]


def next_found(lines: Lines, kind: str) -> Found | None:
    """The next rate of the table or list that a format of this kind has read whole, and left in Lines.memory."""
    left: list[Found] = lines.memory.get(kind, [])
    return left.pop(0) if left else None


# --- which are results -----------------------------------------------------------------------------------------------
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
_MAY_BE_RATE = TitlePattern(written.MAY_BE_RATE)
_DECIMALS = re.compile(r"\d\.\d")


def find_prose(prose: Sequence[tuple[int, str]], line: int) -> list[str]:
    """The last lines of prose right above a table whose heading stands in this line."""
    return [text for number, text in prose[-2:] if line - number <= _FARTHEST + 2]


def are_set(rates: Sequence[float], said: Sequence[str]) -> bool:
    """Whether the rates of a list are round ones, below what tells of limits or prices."""
    return any(map(_LIMITS.search, said)) and all(map(written.is_round, rates))


def are_limits(said: Sequence[str], heading: Sequence[str], rows: Rows, cells: Sequence[Cell]) -> bool:
    """Whether the rates were set by somebody: round ones, beside what tells of limits or prices, or of a plan."""
    if _are_planned(heading, rows, cells):
        return True
    rates = [(cell.rate, cell.step) for cell in cells if cell.rate is not None]
    if not all(written.is_round(round(rate * 60, 3) if abs(60 * step - 1) < _TINY else rate) for rate, step in rates):
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
        or any(written.find_latency(each) or written.FAILED.fullmatch(each) for each in heading)
    ):
        return False
    table = [(rates[line], row) for line, row in rows if line in rates]
    loads = [at for at, title in enumerate(heading) if written.LOAD.fullmatch(title)]
    are_clients = any(
        all((number := written.read_number(row[at])) and number[0] == rate for rate, row in table) for at in loads
    )
    n_planned = sum(_OF_PLANS.fullmatch(title) is not None for title in heading)
    return are_clients or (n_planned > 1 and all(rate is not None and written.is_round(rate) for rate, _ in table))


def describe_unread_table(said: Sequence[str], heading: Sequence[str], rows: Rows) -> str:
    """What is said of a table of figures without a unit, where the text above or a title tells of a load test; "" of any other."""
    columns = [
        (title, [written.strip_cell_markup(row[at]) for _, row in rows]) for at, title in enumerate(heading) if at
    ]
    if heading and (not heading[0] or written.IS_METRIC.fullmatch(heading[0])):
        measured = ((row[0], list(map(written.strip_cell_markup, row[1:]))) for _, row in rows)
        columns += [(title, figures) for title, figures in measured if all(map(written.read_number, figures))]
    columns = [
        (title, column)
        for title, column in columns
        if written.IS_RATE.search(title) or _may_be_rates(title, column) or _has_figures(title, column)
    ]
    if not columns or any(map(_LIMITS.search, said)) or any(map(written.NOT_MEASURED.search, (*said, *heading))):
        return ""
    is_other = any(map(_OTHER_UNIT.search, said))
    tells_above = any(
        written.has_unit_of_all(text) or (_SAYS_THROUGHPUT.search(text) and not is_other) for text in said
    )
    tells_tool = any(
        _SAYS_TEST.search(text) or not load_programs().keys().isdisjoint(_WORD.findall(text)) for text in said
    )
    for title, column in columns:
        is_rate, is_titled = written.IS_RATE.search(title) is not None, _may_be_rates(title, column)
        is_value = written.IS_VALUE.fullmatch(title) is not None or not title or written.LOAD.match(title) is not None
        figures = sum(written.read_number(cell) is not None for cell in column)
        if is_rate and not written.NO_RATE.search(title) and figures > 1 and 2 * figures >= len(column):
            return f"{title!r}: expected a rate in each cell"
        if is_rate and column and all(map(_RANGE.fullmatch, column)):
            return f"{title!r}: expected one rate in each cell, and not the least and the most"
        if is_titled and any(map(written.IS_RATE.search, column)) and figures:
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
        and any(map(written.read_number, column))
        and not (is_counted and not any(map(_DECIMALS.search, column)))
    )


def _has_figures(title: str, column: Sequence[str]) -> bool:
    figures = [cell for cell in column if cell not in EMPTY]
    return (
        len(figures) > 1
        and all(map(written.read_number, figures))
        and not written.NO_RATE.search(title)
        and not written.OTHER_FIGURE.fullmatch(title)
    )
