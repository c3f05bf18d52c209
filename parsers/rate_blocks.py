"""Blocks of written rates: which of a cell's titles name the config, and which say what was requested of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from . import written_rates as rates
from .catalogue import makes_load
from .lines import Lines
from .rate_cells import Cell
from .records import Found, LoadResult, Problem, Record

KIND = "rate_table"
_ENDS_IN_LOAD = re.compile(r"(?<![\d.])\d+$")  # and in no version
_MAY_NAME = re.compile(r"c\d+", re.IGNORECASE)  # ten clients, or a kind of machine


def make_blocks(cells: list[Cell], heading_line: int) -> list[Found]:
    """The blocks, each named by what was loaded: its row, or its column where all rows are loads, or columns are configs."""
    columns = list(dict.fromkeys(cell.column for cell in cells))
    if sum(bool(rates.REPEAT.fullmatch(column)) for column in columns) > 1:  # their mean is no measurement
        columns = [column for column in columns if not rates.MEAN.fullmatch(column)]
        cells = [cell for cell in cells if cell.column in columns]
    if all(rates.RUN.fullmatch(cell.row) for cell in cells) and columns != [""]:  # each row is a repeat
        cells = [cell._replace(row="") for cell in cells]
    is_one = len(columns) == 1 and (not columns[0] or rates.IS_THROUGHPUT.fullmatch(columns[0]) is not None)
    are_clients = all(not cell.row or rates.LOAD_TITLE.fullmatch(cell.row) for cell in cells)
    end_in_loads = all(
        not cell.row or rates.LOAD_TITLE.fullmatch(cell.row) or _ENDS_IN_LOAD.search(cell.row) for cell in cells
    )
    are_compared = len(columns) > 1 and all(map(rates.COMPARED.fullmatch, columns))
    rows_are_loads = not is_one and (end_in_loads or cells[0].row_is_work or are_compared)
    rows_are_loads = rows_are_loads or (are_clients and not any(_MAY_NAME.fullmatch(cell.row) for cell in cells))
    rows = list(dict.fromkeys(cell.row for cell in cells))
    rows_are_loads = rows_are_loads or are_loads(rows) or (cells[0].row_is_work and rates.are_kinds_of_work(rows))
    if rows_are_loads and columns != [""] and are_loads(columns):  # one config's: "| Clients | GET | SET |"
        cells = [
            cell._replace(column="", section=" · ".join(filter(None, (cell.section, cell.column)))) for cell in cells
        ]
    repeats = len(columns) > 1 and all(map(rates.REPEAT.fullmatch, columns)) and not cells[0].is_compared
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
    return rates.are_operations(titles) or all(makes_load(title.lower()) for title in titles)


def _make_block(cell: Cell, rows_are_loads: bool, repeats: bool) -> Found:
    names_nothing = rates.MEAN.fullmatch(cell.column) or (rows_are_loads and rates.IS_THROUGHPUT.fullmatch(cell.column))
    column = "" if repeats or names_nothing else cell.column
    name, how = (column, cell.row) if rows_are_loads else (cell.row, column)
    is_known = not cell.unclear and cell.rate is not None
    values: dict[str, Any] = {"requests_per_second": cell.rate, "rate_step_per_s": cell.step} if is_known else {}
    values |= {"config": name} if name else {}
    is_load = rates.LOAD_TITLE.fullmatch(how)
    load = cell.load if cell.load is not None else rates.read_load(how) if is_load else None
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
