"""Rates as people write them: units in several languages, figures, loads, latencies; and the blocks made of tables of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from itertools import pairwise
from typing import Any, NamedTuple

from .catalogue import makes_load
from .lines import Lines
from .records import Found, LoadResult, Problem, Record


def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


RATE = (
    r"(?<![\w/])(?:(?:http )?(?:req(?:uest)?s?|trans(?:actions?)?|queries|ops)\s?(?:/|per|p/)\s?s(?:ec(?:ond)?s?)?|[rqt]ps"
    r"|requêtes ?(?:par |/ ?)s(?:econde)?|anfragen ?(?:pro |/ ?)s(?:ekunde)?|(?:peticiones|solicitudes) ?(?:por |/ ?)s(?:egundo)?"
    r"|requisições ?(?:por |/ ?)s(?:egundo)?|richieste al secondo|żądań na sekundę|запрос(?:ов|ы) ?(?:в секунду|/ ?с(?:ек)?)"
    r"|リクエスト(?:数)?/秒|请求(?:数)?/秒|每秒(?:处理)?请求数?|초당 (?:처리 )?요청 ?수)(?![\w/])"
)
IS_THROUGHPUT = _compile(r"\**(?:throughput|performance|rate|speed)\**")  # where the cells have units
IS_RATE = _compile(RATE)
METRIC = (
    r"(?:metrics?|measure(?:ment)?|crit(?:ère|erion|erio|ério)|kriterium|kennzahl|messwert|métrique|métrica|показатель|метрика"
    r"|param(?:eter)?s?|property|指标|項目|项目|参数)"
)
# Of one config, in a table of names and values.
IS_VALUE = _compile(r"(?:value|result|wert|ergebnis|valeur|valor|значение|数值|值|結果|结果)s?")
NAMES_CONFIG = _compile(
    r"(?:framework|server|name|config(?:uration)?|language|app(?:lication)?|implementation|variant|software|框架|名称)"
)
# Units of languages that group thousands by points.
POINTED = _compile(r"anfragen|sekunde|peticiones|solicitudes|requisições|richieste")
_POINTED_NUMBER = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d{1,6})?")
IS_METRIC = _compile(rf"\**{METRIC}\**")
_MARKUP = re.compile(r"[*`~]{1,3}|(?<!\w)_{1,3}|_{1,3}(?!\w)|<br ?/?>|!?\[([^\]\[]{0,120})\]\([^()]{0,300}\)")
WORK = _compile(
    r"(?:workload|test|test ?case|scenario|endpoint|path|route|url|page|case|operation|command|query|request|file|size|bytes)s?"
)
RANK = _compile(r"(?:#|rank|no\.?|pos(?:ition)?|順位|)")
_NUMBER = re.compile(r"[~≈]?\s?(\d{1,3}(?:[,  '’ ]\d{3})+|\d{1,12})(\.\d{1,9})?\s?([kKM万萬만億亿]?)")
_POINT = re.compile(r"[~≈]?\s?\d{1,3}\.\d{3}")  # of decimals or of thousands
_DECIMALS = re.compile(r",\d{3}\.\d|\.(?!\d{3}(?!\d))\d")  # for certain
_FACTOR = {"": 1, "k": 1000, "K": 1000, "M": 1_000_000} | dict.fromkeys("万萬만", 10_000) | dict.fromkeys("億亿", 10**8)
LOAD = _compile(
    r"(?:-?c|conc(?:urren(?:cy|t))?(?: level)?|clients?|connections?|conns?|users?|vus?|同時(?:接続|アクセス)数|並列数"
    r"|多重度|并发(?:用户|连接|请求)?数?|benutzer|nutzer|utilisateurs?|usuarios?|clientes?|usuários|conex(?:ões|iones)"
    r"|connexions|verbindungen|połącze\w*|клиент\w*|пользовател\w*|соединени\w*|потоков|[^\W\d][^()]{1,30} \(<?-?c>?\))"
)
LOAD_TITLE = _compile(rf"{LOAD.pattern}\s?[=:]?\s?(\d{{1,7}})|(\d{{1,7}})\s?(?:concurrent )?{LOAD.pattern}")
_COUNT = re.compile(r"\d{1,7}")
REPEAT = _compile(
    r"(?:(?:run|test|try|round|pass|trial|attempt)\s?)?#?\s?\d{1,2}(?:st|nd|rd|th)?(?: run| pass)?|第?\d回目?"
)
RUN = _compile(r"(?:runs?|rounds?|trials?|attempts?|iterations?|repeats?|pass|try|#) ?\d{1,2}")
COMPARED = _compile(  # columns that are configs, whatever their rows are: "before" and "after", "v1" and "v2"
    r"(?:the )?(?:before|after|vorher|nachher|avant|après|antes|después|old|new|alt|neu|base(?:line)?|master|main|trunk|develop"
    r"|(?:feature )?branch|(?:this )?pr(?: ?#?\d+)?|(?:un)?patched|patch|head|current|proposed|(?:un)?optimi[sz]ed|original"
    r"|previous|with(?:out)? .{2,40}|on|off|enabled|disabled|control|treatment|candidate|stable|[A-E]|v\d[\w.]*|\d+\.\d+[\w.-]*"
    r"|(?:変更|改善|修正|最適化|导入|优化|改造|之)[前后後])(?: (?:version|build|code))?"
)
MEAN = _compile(r"(?:avg\.?|average|mean)?")
NO_RATE = _compile(
    r"(?<!\w)(?:max|min|peak|std\.?(?:dev)?|stdev|sd|p\d\d?|median|best|worst|ratio|relative|change|diff(?:erence)?|delta|gain|speed-?up"
    r"|improvement|overhead|vs\.?|versus|x|errors?|failed|latency|ms|cpu|mem(?:ory)?|total|sum)(?!\w)|[%Δ±σ×]"
)
NO_ROW = _compile(r"(?:avg\.?|average|mean|median|total|sum|max|min|best|worst|ratio|difference|change|diff|Δ.*|平均)")
NOT_MEASURED = _compile(
    r"\b(?:target|goal|expected|estimate[ds]?|theoretical|budget|threshold|limit|slo|quota|phase|plan|tier)\b"
)
_LATENCY = _compile(
    r"(?:latency|resp(?:onse)?\.?(?: time)?|time)?[ (:,-]*(?:(?P<mean>avg\.?|average|mean)|(?P<max>max(?:imum)?)"
    r"|p(?P<p>\d{2}(?:\.\d{1,3})?)"
    r"|(?P<q>\d{2}(?:\.\d{1,3})?)(?:%|th|st|nd|rd)(?:[ -]?(?:percentile|pctl?|%-?ile))?|(?P<median>median|med))\)?"
    r"(?: (?:latency|resp(?:onse)?\.?(?: time)?|time))?\s?(?:[(\[,]?\s?(?P<unit>ms|s|sec(?:onds)?|[uµ]s|msec|milliseconds)[)\]]?)?"
)
_TIME = _compile(r"[~≈<]?\s?(\d{1,9}(?:,\d{3})*(?:\.\d{1,6})?)\s?(ms|s|sec|[uµ]s|)")
FAILED = _compile(
    r"(?:(?:errors?|fail(?:ed|ures?)?|non-?2xx)(?: rate| requests| responses)?)\s?[(\[]?(?P<share>%?)[)\]]?"
)
_RESULT = re.compile(r"[~≈<]?\s?\d[\d.,]*\s?(?:%|m?s|sec|[uµ]s)")
_FAILURES = re.compile(r"(\d{1,9}(?:\.\d{1,4})?)\s?(%?)")
_MS = {"ms": 1, "msec": 1, "milliseconds": 1, "s": 1000, "sec": 1000, "seconds": 1000, "us": 0.001, "µs": 0.001}


def strip_markup(text: str) -> str:
    return _MARKUP.sub(lambda found: found[1] or "", text).strip()


def find_latency(title: str) -> tuple[str, float | None] | None:
    """(name of the figure: "mean", "max", "99"; ms of its unit, None where the title has none) of a column of latencies."""
    found = _LATENCY.fullmatch(title.strip())
    if not found:
        return None
    name = "mean" if found["mean"] else "max" if found["max"] else "50" if found["median"] else found["p"] or found["q"]
    unit = (found["unit"] or "").lower()
    return name, _MS[unit] if unit else None


def read_latencies(row: list[str], columns: dict[int, str]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """(the row's failures and its latencies in ms, the titles of those whose unit neither cell nor title has)."""
    percentiles: dict[str, float] = {}
    without_unit: list[str] = []
    others: dict[str, Any] = {}
    for at, title in columns.items():
        if failed := FAILED.fullmatch(title):
            others |= _read_failures(row[at], bool(failed["share"]))
            continue
        kind, cell = find_latency(title), _TIME.fullmatch(row[at])
        factor = (_MS.get(cell[2].lower()) or (kind[1] if kind else None)) if cell else None
        if kind and cell and factor:
            ms = round(float(cell[1].replace(",", "")) * factor, 6)
            if kind[0] in ("mean", "max"):
                others[f"{kind[0]}_ms"] = ms
            else:
                percentiles[f"{float(kind[0]):g}"] = ms
        elif cell:
            without_unit.append(title)
    return others | ({"percentiles_ms": percentiles} if percentiles else {}), tuple(without_unit)


def _read_failures(cell: str, in_per_cent: bool) -> dict[str, Any]:
    """How many requests of a row failed, or the share that did not."""
    found = _FAILURES.fullmatch(cell.replace(",", ""))
    if not found:
        return {}
    if found[2] or in_per_cent:
        return {"availability_pct": max(100 - float(found[1]), 0.0)}
    return {} if "." in found[1] else {"failed_requests": int(found[1])}


def find_unclear(column: list[str]) -> set[str]:
    """The figures of a column whose point is one of decimals or of thousands: "9.871" beside "125,340"."""
    if not any("," in cell for cell in column) or any(map(_DECIMALS.search, column)):
        return set()
    return {cell for cell in column if _POINT.fullmatch(IS_RATE.sub("", cell).strip())}


def read_load(title: str) -> int | None:
    """How many clients a title tells: "100" below "Clients", "c=100", "100 connections"."""
    found = _COUNT.fullmatch(title) or LOAD_TITLE.fullmatch(title)
    return int(found[0] if found.re is _COUNT else found[1] or found[2]) if found else None


def group_by_commas(text: str) -> str:
    """ "12.345,6" → "12,345.6"."""
    return _POINTED_NUMBER.sub(lambda found: found[0].translate(str.maketrans(".,", ",.")), text)


def read_number(text: str) -> tuple[float, float] | None:
    """(the number, the step of its last digit) where a cell is a plain number, with the unit of rates at the most, or "/s"."""
    text = group_by_commas(text) if POINTED.search(text) else text
    found = _NUMBER.fullmatch(IS_RATE.sub("", text).strip().removesuffix("/s"))
    if not found:
        return None
    digits = re.sub(r"\D", "", found[1])
    factor = _FACTOR[found[3]]
    decimals = len(found[2]) - 1 if found[2] else 0
    return round(float(f"{digits}{found[2] or ''}") * factor, 6), factor / 10**decimals


KIND = "rate_table"
EMPTY = frozenset(["", "-", "–", "—", "n/a", "N/A", "x", "?"])
_DITTO = frozenset(['"', "''", "〃", "^^", "^", "″"])


class Cell(NamedTuple):
    line: int
    row: str
    column: str
    rate: float
    step: float
    load: int | None
    row_is_work: bool
    section: str = ""
    latency: dict[str, Any] = {}  # noqa: RUF012
    unclear: str = ""  # a figure that may be one of two
    without_unit: tuple[str, ...] = ()  # titles of its latencies that nothing tells the unit of


class _Columns(NamedTuple):
    """What the columns of a table are, by number."""

    heading: list[str]
    rates: dict[int, str]  # with what else their headings say
    loads: set[int]  # of numbers of clients
    titles: list[int]  # before the first rate, which name a row
    work: bool  # whether these name what was done, such as an endpoint
    latencies: dict[int, str]  # of times and failures, with their headings


def next_found(lines: Lines, kind: str) -> Found | None:
    """The next rate of the table or list that a format of this kind has read whole, and left in Lines.memory."""
    left: list[Found] = lines.memory.get(kind, [])
    return left.pop(0) if left else None


def find_table_rates(heading: list[str], rows: list[tuple[int, list[str]]], captioned: bool) -> list[Cell]:
    """The table's rates with the titles of their rows and columns."""
    table = [(number, [strip_markup(cell) for cell in row]) for number, row in rows]
    if IS_METRIC.fullmatch(heading[0]):
        return [cell._replace(row="", column=cell.row) for cell in _find_metric_rates(heading, table)]
    columns = find_rate_columns(heading, captioned)
    titled = [at for at, title in enumerate(heading) if IS_THROUGHPUT.fullmatch(title)]
    columns |= {at: "" for at in titled if rows and all(IS_RATE.search(row[at]) for _, row in rows)}
    tool = heading[0] if makes_load(heading[0].lower()) else ""  # "| ab | requests per second |", and a table of wrk's
    sections = dict.fromkeys((number for number, _ in table), tool) | _take_sections(table)
    for at in (at for at in columns if POINTED.search(heading[at])):
        for _, row in table:
            row[at] = group_by_commas(row[at])
    _fill_down(table, min(columns, default=0))
    loads = {
        at for at, title in enumerate(heading) if LOAD.fullmatch(title) and all(read_load(row[at]) for _, row in table)
    }
    columns = {at: title for at, title in columns.items() if at not in loads}
    first = min(columns, default=0)
    titles = [at for at in range(first) if at not in loads and (not at or not RANK.fullmatch(heading[at]))]
    results = {at for at in titles if at and all(_RESULT.fullmatch(row[at]) for _, row in table)}
    if len({tuple(row[at] for at in (*titles, *loads) if at not in results) for _, row in table}) == len(table):
        titles = [at for at in titles if at not in results]  # shares and times were measured, too
    work = any(WORK.fullmatch(heading[at]) for at in titles)
    timed = [at for at, title in enumerate(heading) if at and (find_latency(title) or FAILED.fullmatch(title))]
    latencies = {at: heading[at] for at in timed if len(columns) == 1}
    return _make_cells(table, _Columns(heading, columns, loads, titles, work, latencies), sections)


def _find_metric_rates(heading: list[str], table: list[tuple[int, list[str]]]) -> list[Cell]:
    """Those of a table whose rows are metrics: as if they were its columns. Several rows of rates count if each says of what."""
    rates = [at for at, (_, row) in enumerate(table) if IS_RATE.search(row[0]) and not NO_RATE.search(row[0])]
    works = [IS_RATE.sub("", table[at][1][0]).strip(" ()[],:-–/") for at in rates]
    if len(rates) > 1 and all(works) and len(set(works)) == len(works):
        others = [row for at, row in enumerate(table) if at not in rates]
        return [
            cell._replace(section=work)
            for at, work in zip(rates, works, strict=True)
            for cell in _find_metric_rates(heading, [table[at], *others])
        ]
    if not rates:
        return []
    number, rate = table[rates[0]]
    kept = [rate, *(row for at, (_, row) in enumerate(table) if at not in rates)]
    named = (
        next((row for row in kept if NAMES_CONFIG.fullmatch(row[0])), None) if IS_VALUE.fullmatch(heading[1]) else None
    )
    columns = [
        (number, [named[at] if named else title, *(row[at] for row in kept)])
        for at, title in enumerate(heading)
        if at and not NO_RATE.search(title) and read_number(rate[at])
    ]
    return find_table_rates(["", *(row[0] for row in kept)], columns, False)


def find_rate_columns(heading: list[str], captioned: bool) -> dict[int, str]:
    """The columns that are of rates by their headings, each with what else its heading says."""
    named = {
        at: IS_RATE.sub("", title).strip(" ()[],:-–/") for at, title in enumerate(heading) if IS_RATE.search(title)
    }
    if captioned or set(named) == {0} or IS_METRIC.fullmatch(heading[0]):
        named = {at: title for at, title in enumerate(heading) if at}
    elif len(named) == 1 and all(title and MEAN.fullmatch(title) for title in named.values()):  # of what repeats?
        named |= {at: title for at, title in enumerate(heading) if RUN.fullmatch(title)}
    return {at: title for at, title in named.items() if at and not NO_RATE.search(title)}


def keep_rate_columns(columns: Set[int], heading: list[str], row: list[str]) -> set[int]:
    """Those of these columns that can be of rates with this row in the table."""
    if len(row) != len(heading):
        return set()
    if IS_METRIC.fullmatch(heading[0]):
        return set() if IS_METRIC.fullmatch(row[0]) else set(columns)  # one row of them is of rates
    return {at for at in columns if (cell := strip_markup(row[at])) in EMPTY or read_number(cell)}


def _take_sections(table: list[tuple[int, list[str]]]) -> dict[int, str]:
    """{line of a row: the title above it that has a row to itself}, of rows with titles of their own; those above are taken out."""
    sections: dict[int, str] = {}
    section = ""
    for number, row in list(table):
        if row[0] and not any(cell not in EMPTY for cell in row[1:]) and not read_number(row[0]):
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
    found: list[Cell] = []
    settings = _name_settings(table, columns)
    for at, column in columns.rates.items():
        rows = [(number, row) for number, row in table if row[at] not in EMPTY]
        figures = [read_number(row[at]) for _, row in rows]
        if None in figures or not figures:
            continue  # a column with anything else is none of rates
        unclear = find_unclear([row[at] for _, row in table])
        for (number, row), rate in zip(rows, figures, strict=True):
            title = _name_row(row, columns)
            if rate and not NO_ROW.fullmatch(title):
                load = next((read_load(row[i]) for i in columns.loads), None)
                latency, without_unit = read_latencies(row, columns.latencies)
                told = row[at] if row[at] in unclear else ""
                section = " · ".join(filter(None, (sections.get(number), settings.get(number))))
                found.append(
                    Cell(number, title, column, *rate, load, columns.work, section, latency, told, without_unit)
                )
    return sorted(found, key=lambda cell: cell.line)


def _name_settings(table: list[tuple[int, list[str]]], columns: _Columns) -> dict[int, str]:
    """{line of a row: its numbers before the first rate, with their headings}, of rows that have a name beside them.

    Only of columns with several numbers; those that count from 1 below one name number its repeats.
    """
    named = {number: _name_row(row, columns) for number, row in table}
    said: dict[int, list[str]] = {number: [] for number in named}
    for at in columns.titles:
        cells = {number: row[at] for number, row in table}
        are_counts = len({*cells.values()}) > 1 and all(map(_COUNT.fullmatch, cells.values()))
        if not are_counts or _counts_repeats(named, cells):
            continue
        for number, cell in cells.items():
            said[number] += [f"{columns.heading[at]} {cell}"]
    is_beside = any(not read_number(row[at]) for _, row in table for at in columns.titles)
    return {number: ", ".join(each) for number, each in said.items()} if is_beside else {}


def _counts_repeats(named: Mapping[int, str], cells: Mapping[int, str]) -> bool:
    """Whether numbers begin with 1 and go on by one below each name."""
    counted: dict[str, list[int]] = {}
    for number, name in named.items():
        counted.setdefault(name, []).append(int(cells[number]))
    return all(numbers == list(range(1, len(numbers) + 1)) for numbers in counted.values())


def _name_row(row: list[str], columns: _Columns) -> str:
    """What stands before the first rate and is no number; where there are numbers only, the first with its heading."""
    titles = columns.titles
    named = [row[at] for at in titles if row[at] not in EMPTY and not read_number(row[at])]
    return " · ".join(named) if named or not titles else f"{columns.heading[titles[0]]} {row[titles[0]]}".strip()


def name_cells(cells: list[Cell], heading_line: int) -> list[Found]:
    """The blocks, each named by what was loaded: its row, or its column where all rows are loads, or columns are configs."""
    columns = list(dict.fromkeys(cell.column for cell in cells))
    if sum(bool(REPEAT.fullmatch(column)) for column in columns) > 1:  # their mean is no measurement
        columns = [column for column in columns if not MEAN.fullmatch(column)]
        cells = [cell for cell in cells if cell.column in columns]
    if all(RUN.fullmatch(cell.row) for cell in cells) and columns != [""]:  # each row is a repeat
        cells = [cell._replace(row="") for cell in cells]
    rows_are_loads = all(not cell.row or LOAD_TITLE.fullmatch(cell.row) or cell.row[-1].isdigit() for cell in cells)
    are_compared = len(columns) > 1 and all(map(COMPARED.fullmatch, columns))
    rows_are_loads = columns != [""] and (rows_are_loads or cells[0].row_is_work or are_compared)
    repeats = len(columns) > 1 and all(map(REPEAT.fullmatch, columns))
    found = [_make_found(cell, rows_are_loads and not repeats, repeats) for cell in cells]
    for before, one in pairwise(found):
        if one.first == before.first:
            one.label = one.label or "column without a title"
    for title in dict.fromkeys(title for cell in cells for title in cell.without_unit):
        message = f"{title}: expected a unit (ms, s or us) in the column's title or in its cells"
        found[0].problems.append(Problem(heading_line, message))
    return found


def _make_found(cell: Cell, rows_are_loads: bool, repeats: bool) -> Found:
    column = "" if repeats or MEAN.fullmatch(cell.column) else cell.column
    name, how = (column, cell.row) if rows_are_loads else (cell.row, column)
    values: dict[str, Any] = {} if cell.unclear else {"requests_per_second": cell.rate, "rate_step_per_s": cell.step}
    values |= {"config": name} if name else {}
    told = LOAD_TITLE.fullmatch(how)
    load = cell.load if cell.load is not None else read_load(how) if told else None
    if load is not None:
        values["concurrency"] = load
    how = " · ".join(filter(None, [cell.section, how if how and not told else ""]))
    if how:
        values["load"] = how
    values |= cell.latency
    point = f"{cell.unclear}: expected to know whether this point, beside a comma of thousands, is of thousands too"
    problems = [Problem(cell.line, point)] if cell.unclear else []
    return Found(values, cell.line, cell.line, partial=True, problems=problems, label=name or None)


_FIGURES = ("requests_per_second", "concurrency", "failed_requests", "mean_ms", "max_ms", "percentiles_ms")


def records(values: dict[str, Any]) -> list[Record]:
    return [LoadResult(KIND, path=values.get("load"), **{name: values[name] for name in _FIGURES if name in values})]
