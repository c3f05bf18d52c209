"""Tables of rates: which columns and rows are of rates, and what their titles say of config and load."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from typing import Any, NamedTuple

from . import written_rates as rates
from .catalogue import makes_load, parse_command
from .patterns import TitlePattern

EMPTY = frozenset(["", "-", "–", "—", "n/a", "N/A", "x", "?"])
_OF_ANY = re.compile(r"load(?: test)?|client|results?|summary|report", re.IGNORECASE)  # a title that names no config
_BEST = re.compile(r"best performance\b", re.IGNORECASE)  # of each config
_DIGIT = re.compile(r"\d")
_NEGATIVE = re.compile(r"[-−]\d[\d.,]*")
_PER_SECOND = re.compile(r"\d\s?[kKMwW万萬]?\s?/\s?[s秒]$")
_FACTOR_OF = re.compile(r"[+−-]?\d[\d.,]*\s?[x×%](?: (?:faster|slower|more|less))?")  # what a row compares others by
_OTHER_UNIT = re.compile(r"[~≈<]?\s?\d[\d.,]*\s?(?:[A-Za-zµ%][\w/%]*|/s)")
_TIME_TAKEN = re.compile(r".*\b(?:time|duration|elapsed)\b.*", re.IGNORECASE)
_TRANSACTION_RATE = re.compile(r"transaction rate(?: ?[(\[][^()\[\]]{1,20}[)\]])?", re.IGNORECASE)  # as siege calls it
_COMMAND = TitlePattern(r"(?:(?:test|load|benchmark|run) )?command(?: line)?|命令|コマンド|befehl|commande|comando")
_DITTO = frozenset(['"', "''", "〃", "^^", "^", "″"])
_FOOTNOTE = re.compile(
    rf"(?!\s*\*).*[\w)%]\s?\\?({rates.FOOTNOTE_MARK})\s*"
)  # "phoenix*", "9,800 [1]", and no "**bold**"
_BEFORE_CLOSING = re.compile(r"(?<=\w)\s?[;,]?\s?\)")
_ENDS_IN_PARENTHESES = re.compile(r"[^()]*\w[^()]*\([^()]*\w[^()]*\)")
_YES_OR_NO = frozenset("✓✔✗✘✅❌☑")
_LOAD_BEHIND = re.compile(  # a name: "get 1KB (c64)", "nginx (100 connections)"
    r"\s*[(\[](?:-?c(?:onc(?:urrency)?)?\s?[=:]?\s?(?P<c>\d{1,6})|(?P<n>\d{1,6}) (?:clients|connections|conns?|users|vus))[)\]]$",
    re.IGNORECASE,
)


class Cell(NamedTuple):
    line: int
    row: str
    column: str
    rate: float | None  # of a row of times alone none is known
    step: float
    load: int | None
    row_is_work: bool
    section: str = ""
    latency: dict[str, Any] = {}  # noqa: RUF012
    unclear: str = ""  # a figure that may be one of two
    without_unit: tuple[str, ...] = ()  # titles of its latencies that nothing tells the unit of
    row_is_address: bool = False
    unread: tuple[tuple[int, str], ...] = ()  # lines and texts of the column's cells that are no rates
    picked: str = ""  # as "best of 5", where it is one that somebody chose
    is_compared: bool = False  # with those of the other columns, in one that has the change
    footnote: str = ""  # its row's mark of one: "*", "†", "[1]"


class _Columns(NamedTuple):
    """What the columns of a table are, by number."""

    heading: list[str]
    rates: dict[int, str]  # with what else their headings say
    loads: set[int]  # of numbers of clients
    titles: list[int]  # before the first rate, which name a row
    partial: set[int]  # of these with a number in some rows only: "| sync | 32 |" and "| async | n/a |"
    work: bool  # whether these name what was done, such as an endpoint
    address: bool  # or what was requested, for certain
    latencies: dict[int, str]  # of times and failures, with their headings
    are_times: bool  # and no rates


def find_table_rates(heading: list[str], rows: list[tuple[int, list[str]]], caption: str) -> list[Cell]:
    """The table's rates with the titles of their rows and columns. caption: what stands above it, where that has the unit."""
    noted = {number: next(filter(None, map(_FOOTNOTE.fullmatch, row)), None) for number, row in rows}
    marks = {number: match[1] for number, match in noted.items() if match}
    return [cell._replace(footnote=marks.get(cell.line, "")) for cell in _find_rates(heading, rows, caption)]


def _find_rates(heading: list[str], rows: list[tuple[int, list[str]]], caption: str) -> list[Cell]:
    table = [(number, [rates.strip_cell_markup(cell) for cell in row]) for number, row in rows]
    heading = _spell_loads(rates.spell_titles(heading, caption))
    table = [(number, [_TRANSACTION_RATE.sub("trans/sec", row[0]), *row[1:]]) for number, row in table]
    if is_about_one := _lists_metrics(heading, table):  # "| nginx | Value |"
        name = "" if _OF_ANY.fullmatch(heading[0]) else heading[0]
        heading, table = ["metric", name or "value"], [(number, row[:2]) for number, row in table]
    if is_about_one or rates.has_rows_of_rates(heading, table):
        return _find_rates_in_rows(heading, table)
    table = _drop_other_units(table)
    columns = _find_columns_of_units(heading, table) | find_rate_columns(heading, bool(caption))
    table = [each for each in table if not columns or not all(_FACTOR_OF.fullmatch(each[1][at]) for at in columns)]
    timed = [
        at for at, title in enumerate(heading) if at and (rates.find_latency(title) or rates.FAILED.fullmatch(title))
    ]
    if are_times := not columns and rates.tells_times(
        [heading[at] for at in timed], [[row[at] for at in timed] for _, row in table]
    ):
        columns = {timed[0]: ""}
    if rates.tells_thousands(caption):
        table = [
            (number, [f"{cell}k" if at in columns and cell[-1:].isdigit() else cell for at, cell in enumerate(row)])
            for number, row in table
        ]
    tool = heading[0] if makes_load(heading[0].lower()) else ""  # "| ab | requests per second |", and a table of wrk's
    sections = dict.fromkeys((number for number, _ in table), tool) | _take_sections(table)
    for at in columns:
        for (_, row), cell in zip(
            table, rates.write_with_points([row[at] for _, row in table], heading[at]), strict=True
        ):
            row[at] = cell
    _fill_down(table, min(columns, default=0))
    loads = {
        at
        for at, title in enumerate(heading)
        if rates.LOAD.fullmatch(title) and all(rates.read_load(row[at]) for _, row in table)
    }
    columns = {at: title for at, title in columns.items() if at not in loads}
    titles = _find_titles(heading, table, min(columns, default=0), loads, timed, bool(caption))
    requested = _find_methods(titles, table) or _find_works(titles, heading, table)
    titles = [at for at in titles if at not in requested]
    for number, row in table if requested else ():
        sections[number] = " · ".join(filter(None, (sections.get(number), *(row[at] for at in requested))))
    work, address = (any(each.fullmatch(heading[at]) for at in titles) for each in (rates.WORK, rates.ADDRESS))
    answered = [at for at in range(max(columns, default=0) + 1, len(heading)) if rates.ANSWERED.fullmatch(heading[at])]
    latencies = {at: heading[at] for at in (*timed, *answered) if len(columns) == 1}
    settings = [at for at in titles[1:] if not rates.LOAD.fullmatch(heading[at])]
    partial = {at for at in settings if _is_set_in_some([row[at] for _, row in table])}
    of_table = _Columns(heading, columns, loads, titles, partial, work, address, latencies, are_times)
    return _make_cells(table, of_table, sections)


def _find_rates_in_rows(heading: list[str], table: list[tuple[int, list[str]]]) -> list[Cell]:
    """The rates of a table whose rows are metrics; its columns are loads, or else configs."""
    cells = _find_metric_rates(heading, table)
    if rates.LOAD.fullmatch(heading[0]) and all(map(rates.LOAD_TITLE.fullmatch, heading[1:])):
        return cells
    requested = heading[0] if " " in heading[0] else ""
    compared = any(map(rates.CHANGE.fullmatch, heading))
    return [
        cell._replace(row="", column=cell.row, section=cell.section or requested, is_compared=compared)
        for cell in cells
    ]


def _find_titles(
    heading: list[str],
    table: list[tuple[int, list[str]]],
    first: int,
    loads: set[int],
    timed: list[int],
    captioned: bool,
) -> list[int]:
    """The columns before the `first` one of rates that name a row: no loads, ranks, counts, times and other figures."""
    titles = [at for at in range(first) if at not in loads and not (at and _is_rank(heading[at], table, at))]
    if len(titles) > 1 and heading[0] and rates.RANK.fullmatch(heading[0]):
        titles = titles[1:]
    levels = {tuple(row[at] for at in loads) for _, row in table}
    by_load = bool(loads) and len(levels) == len(table)  # a row by its load
    titles = [
        at
        for at in titles
        if at not in timed
        and not ((at or by_load) and _is_counted(heading[at], [row[at] for _, row in table], by_load))
    ]
    if captioned:
        titles = [
            at
            for at in titles
            if not (at and rates.OTHER_FIGURE.fullmatch(heading[at]) and rates.read_number(table[0][1][at]) is None)
        ]
    results = {
        at
        for at in titles
        if at and all(rates.RESULT.fullmatch(row[at]) or row[at].rstrip("\ufe0f") in _YES_OR_NO for _, row in table)
    }
    if len({tuple(row[at] for at in (*titles, *loads) if at not in results) for _, row in table}) == len(table):
        titles = [at for at in titles if at not in results]  # shares and times were measured, too
    return titles


def _is_rank(title: str, table: list[tuple[int, list[str]]], at: int) -> bool:
    """Whether a column only numbers the rows; one without a title may have words, such as what each config served."""
    is_untitled = not title and any(row[at][:1].isalpha() for _, row in table)
    return rates.RANK.fullmatch(title) is not None and not is_untitled


def _find_methods(titles: list[int], table: list[tuple[int, list[str]]]) -> list[int]:
    """The columns of several methods of HTTP beside others that name the rows: they say what was requested of each."""
    methods = [at for at in titles if all(rates.METHOD.fullmatch(row[at]) for _, row in table)]
    several = [at for at in methods if len({row[at] for _, row in table}) > 1]
    return several if len(titles) > len(several) else []


def _find_works(titles: list[int], heading: list[str], table: list[tuple[int, list[str]]]) -> list[int]:
    """The columns of what was done ("Test type"), where others name the rows, and two of these have one of its values each."""
    works = [at for at in titles if rates.WORK.fullmatch(heading[at])]
    names: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for _, row in table if len(titles) > len(works) else ():
        own = tuple(row[at] for at in titles if at not in works)
        names.setdefault(tuple(row[at] for at in works), set()).add(own)
    return works if any(len(each) > 1 for each in names.values()) and len(names) > 1 else []


def _spell_loads(heading: list[str]) -> list[str]:
    """The titles, with "Concurrency 10" for the number 10 beside "Concurrency"."""
    are_loads = rates.LOAD.fullmatch(heading[0]) and all(map(rates.COUNT.fullmatch, heading[1:]))
    return [heading[0], *(f"{heading[0]} {number}" for number in heading[1:])] if are_loads else heading


def _drop_other_units(table: list[tuple[int, list[str]]]) -> list[tuple[int, list[str]]]:
    """The rows, without those whose figures all have another unit, where those of two rows and more are rates."""
    figures = {number: [cell for cell in row[1:] if cell not in EMPTY] for number, row in table}
    rated = {
        n
        for n, cells in figures.items()
        if cells and all(rates.HAS_UNIT.search(c) and rates.read_number(c) for c in cells)
    }
    others = {n for n, cells in figures.items() if cells and n not in rated and all(map(_OTHER_UNIT.fullmatch, cells))}
    return [each for each in table if each[0] not in others] if len(rated) > 1 else table


def _find_columns_of_units(heading: list[str], table: list[tuple[int, list[str]]]) -> dict[int, str]:
    """The columns of which one cell at least says the unit, with their titles where these tell anything, and those alike."""
    columns: dict[int, str] = {}
    for at, title in enumerate(heading):
        cells = rates.write_with_points([row[at] for _, row in table if row[at] not in EMPTY], title)
        is_throughput = rates.IS_THROUGHPUT.fullmatch(title) is not None
        if (
            at
            and cells
            and not rates.NO_RATE.search(title)
            and (any(map(rates.HAS_UNIT.search, cells)) or (is_throughput and all(map(_PER_SECOND.search, cells))))
            and all(map(rates.read_number, cells))
        ):
            columns[at] = "" if is_throughput or rates.IS_VALUE.fullmatch(title) else title
    kinds = {_DIGIT.sub("", title) for title in columns.values()} - {""}
    return columns | {at: title for at, title in enumerate(heading) if at and _DIGIT.sub("", title) in kinds}


def _lists_metrics(heading: list[str], table: list[tuple[int, list[str]]]) -> bool:
    """Whether rows of metrics stand below a name and the title of their values."""
    is_plain = not (
        rates.IS_METRIC.fullmatch(heading[0])
        or rates.NAMES_CONFIG.fullmatch(heading[0])
        or any(map(rates.IS_RATE.search, heading))
    )
    is_value = rates.IS_VALUE.fullmatch(heading[1]) is not None or len(heading) == 2 and not heading[1]
    is_named = is_plain and bool(heading[0]) and is_value
    return is_named and any(rates.IS_RATE.search(row[0]) and not rates.NO_RATE.search(row[0]) for _, row in table)


def _find_metric_rates(heading: list[str], table: list[tuple[int, list[str]]]) -> list[Cell]:
    """Those of a table whose rows are metrics: as if they were its columns. Several rows of rates count if each says of what."""
    rate_rows = [at for at, (_, row) in enumerate(table) if rates.tells_rates(row)]
    works = [_strip_unit(table[at][1][0]) for at in rate_rows]
    if len(rate_rows) > 1 and all(works) and len(set(works)) == len(works):
        others = [row for at, row in enumerate(table) if at not in rate_rows]
        return [
            cell._replace(section=work)
            for at, work in zip(rate_rows, works, strict=True)
            for cell in _find_metric_rates(heading, [table[at], *others])
        ]
    if not rate_rows:
        return []
    (number, row) = table[rate_rows[0]]
    rate = rates.write_with_points(row, row[0])
    kept = [rate, *(row for at, (_, row) in enumerate(table) if at not in rate_rows)]
    named = (
        next((row for row in kept if rates.NAMES_CONFIG.fullmatch(row[0])), None)
        if rates.IS_VALUE.fullmatch(heading[1])
        else None
    )
    columns = [
        (number, [named[at] if named else "" if rates.IS_VALUE.fullmatch(title) else title, *(row[at] for row in kept)])
        for at, title in enumerate(heading)
        if at and not rates.NO_RATE.search(title) and rates.read_number(rate[at])
    ]
    match = rates.LOAD_TITLE.search(row[0])  # "Throughput at concurrency 10"
    load = rates.read_load(match[0]) if match else _read_clients(kept)
    cells = find_table_rates(["", *(row[0] for row in kept)], columns, "")
    return [cell if cell.load is not None else cell._replace(load=load) for cell in cells]


def _read_clients(rows: Sequence[list[str]]) -> int | None:
    """How many clients a row with the command sets: "| Test command | wrk -c400 ... |"."""
    commands = (cell for row in rows if _COMMAND.fullmatch(row[0]) for cell in row[1:])
    clients = {parse_command(command).options.get("concurrency") for command in commands}
    return int(n) if len(clients) == 1 and (n := clients.pop()) else None


def _strip_unit(title: str) -> str:
    """A title without "requests per second": "Sync (32 threads)" of "Sync (32 threads; req/sec)"."""
    left = _BEFORE_CLOSING.sub(")", _BEST.sub("", rates.IS_RATE.sub("", title))).strip(" ,:;-–/")
    return left if _ENDS_IN_PARENTHESES.fullmatch(left) else left.strip(" ()[],:;-–/")


def find_rate_columns(heading: list[str], captioned: bool) -> dict[int, str]:
    """The columns that are of rates by their headings, each with what else its heading says."""
    named = {at: _strip_unit(title) for at, title in enumerate(heading) if rates.IS_RATE.search(title)}
    alone = {at: rates.STATISTIC.sub("", title) for at, title in named.items()}
    of_what = {"" if rates.MEAN.fullmatch(title) else title for title in alone.values()}
    named = alone if len(of_what) == len(alone) else named  # else they are several figures of the same runs
    if (captioned and not named) or set(named) == {0} or (rates.IS_METRIC.fullmatch(heading[0]) and not named):
        throughputs = {at: "" for at, title in enumerate(heading) if at and rates.IS_THROUGHPUT.fullmatch(title)}
        others = {at: title for at, title in enumerate(heading) if at and not rates.OTHER_FIGURE.fullmatch(title)}
        named = throughputs if captioned and throughputs else others
    elif len(named) == 1 and all(title and rates.MEAN.fullmatch(title) for title in named.values()):  # of what repeats?
        named |= {at: title for at, title in enumerate(heading) if rates.RUN.fullmatch(title)}
    return {
        at: title for at, title in named.items() if at and not rates.NO_RATE.search(title.replace(rates.SPREAD, ""))
    }


def keep_rate_columns(columns: Set[int], heading: list[str], row: list[str]) -> set[int]:
    """Those of these columns that can be of rates with this row in the table."""
    if len(row) != len(heading):
        return set()
    if rates.IS_METRIC.fullmatch(heading[0]):
        return set() if rates.IS_METRIC.fullmatch(row[0]) else set(columns)  # one row of them is of rates
    cells = {at: rates.scale_figures([rates.strip_cell_markup(row[at])], heading[at])[0][0] for at in columns}
    return {at for at, cell in cells.items() if cell in EMPTY or rates.read_number(cell)}


def _take_sections(table: list[tuple[int, list[str]]]) -> dict[int, str]:
    """{line of a row: the title above it that has a row to itself}, of rows with titles of their own; those above are taken out."""
    sections: dict[int, str] = {}
    section = ""
    for number, row in list(table):
        if row[0] and not any(cell not in EMPTY for cell in row[1:]) and not rates.read_number(row[0]):
            section = row[0]
            following = next((other for line, other in table if line > number), None)
            if following and following[0]:  # else it is what the merged cells below say
                table.remove((number, row))
        elif section and row[0]:
            sections[number] = section
    return sections


def _fill_down(table: list[tuple[int, list[str]]], first: int) -> None:
    """Put what merged cells say into the empty ones below, in the columns before the `first` rate."""
    for at in range(first):
        above = ""
        for _, row in table:
            above = row[at] = above if row[at] in _DITTO or (not row[at] and any(row)) else row[at]


def _make_cells(table: list[tuple[int, list[str]]], columns: _Columns, sections: dict[int, str]) -> list[Cell]:
    made_cells: list[Cell] = []
    settings = _name_settings(table, columns)
    is_load_behind = not columns.loads and all(_LOAD_BEHIND.search(_name_row(row, columns)) for _, row in table)
    for at, column in columns.rates.items():
        rows = [(number, row) for number, row in table if row[at] not in EMPTY]
        cells, column = rates.scale_figures([row[at] for _, row in rows], column)
        figures = [(None, 0.0) if columns.are_times else rates.read_number(cell) for cell in cells]
        if None in figures and not _says_why(columns.heading[at], cells) or not any(figures):
            continue  # a column with anything else is none of rates
        unread = tuple((number, row[at]) for (number, row), rate in zip(rows, figures, strict=True) if rate is None)
        unclear = rates.find_unclear([row[at] for _, row in table])
        picked = rates.find_picked(columns.heading[at])
        for (number, row), rate in zip(rows, figures, strict=True):
            title, load = _name_row(row, columns), next((rates.read_load(row[i]) for i in columns.loads), None)
            if is_load_behind and (behind := _LOAD_BEHIND.search(title)):
                title, load = title[: behind.start()], int(behind["c"] or behind["n"])
            if rate and not rates.NO_ROW.fullmatch(title):
                latency, without_unit = rates.read_latencies(row, columns.latencies)
                if rate[0] == 0:  # it answered nothing
                    latency = {"availability_pct": 0.0} | latency
                unclear_text = row[at] if row[at] in unclear else ""
                section = " · ".join(filter(None, (sections.get(number), settings.get(number))))
                rest = (columns.work, section, latency, unclear_text, without_unit, columns.address, unread, picked)
                made_cells.append(Cell(number, title, column, rate[0], rate[1], load, *rest))
                unread = ()
    return sorted(made_cells, key=lambda cell: cell.line)


def _says_why(title: str, cells: Sequence[str]) -> bool:
    """Whether a column of rates by its title has words in place of some ("timeout"), or figures below nought."""
    words = [cell for cell in cells if rates.read_number(cell) is None]
    return (
        bool(rates.IS_RATE.search(title))
        and 2 * len(words) <= len(cells)
        and all(_NEGATIVE.fullmatch(word) or not _DIGIT.search(word) for word in words)
    )


def _is_counted(title: str, cells: Sequence[str], by_load: bool) -> bool:
    """Whether a column has what came out: a number of requests that nobody asks for (1,464,838, and not 10,000), and where the
    load tells the rows apart, any number of them, and times such as 0.693."""
    if rates.COUNTED.fullmatch(title):
        numbers = [re.sub(r"[,.\s]", "", cell) for cell in cells]
        is_odd = any(len(number) > 2 and not number.endswith("0") for number in numbers)
        return (by_load or is_odd) and all(map(str.isdecimal, numbers))
    return by_load and _TIME_TAKEN.fullmatch(title) is not None and any("." in cell for cell in cells)


def _name_settings(table: list[tuple[int, list[str]]], columns: _Columns) -> dict[int, str]:
    """{line of a row: its numbers before the first rate, with their headings}, of rows that have a name beside them.

    Only of columns with several numbers; those that count from 1 below one name number its repeats.
    """
    named = {number: (_name_row(row, columns), *(row[at] for at in sorted(columns.loads))) for number, row in table}
    said: dict[int, list[str]] = {number: [] for number in named}
    for at in columns.titles:
        cells = {number: row[at] for number, row in table}
        are_counts = (
            not rates.VERSION.search(columns.heading[at])
            and len({*cells.values()}) > 1
            and all(map(rates.COUNT.fullmatch, cells.values()))
        )
        if not are_counts or _counts_repeats(named, cells):
            continue
        for number, cell in cells.items():
            said[number] += [f"{columns.heading[at]} {cell}"]
    is_beside = any(not rates.read_number(row[at]) for _, row in table for at in columns.titles)
    return {number: ", ".join(each) for number, each in said.items()} if is_beside else {}


def _counts_repeats(named: Mapping[int, tuple[str, ...]], cells: Mapping[int, str]) -> bool:
    """Whether numbers begin with 1 and go on by one below each name and load."""
    counted: dict[tuple[str, ...], list[int]] = {}
    for number, name in named.items():
        counted.setdefault(name, []).append(rates.read_load(cells[number]) or 0)
    return all(numbers == list(range(1, len(numbers) + 1)) for numbers in counted.values())


def _is_set_in_some(cells: Sequence[str]) -> bool:
    """Whether several numbers are set in some rows, and nothing in others: these rows are of configs without that setting."""
    numbers = {cell for cell in cells if cell not in EMPTY}
    is_left_out = any(cell and cell in EMPTY for cell in cells)  # "n/a", where an empty cell may be cut off
    return len(numbers) > 1 and is_left_out and all(map(rates.COUNT.fullmatch, numbers))


def _name_row(row: list[str], columns: _Columns) -> str:
    """What stands before the first rate and is no number, or set in some rows only; if numbers only, the first with its heading."""
    titles = columns.titles
    named = [
        f"{columns.heading[at]} {row[at]}" if at in columns.partial else row[at]
        for at in titles
        if row[at] not in EMPTY
        and (at in columns.partial or rates.VERSION.search(columns.heading[at]) or not rates.read_number(row[at]))
    ]
    return " · ".join(named) if named or not titles else f"{columns.heading[titles[0]]} {row[titles[0]]}".strip()
