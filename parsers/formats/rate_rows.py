"""rate_rows: rates in rows without a drawn heading: a CSV file, rows between bars, tables of wikis and of reStructuredText.

Reads     "name,rps,p99" and the rows below it (commas, semicolons, tabs); two rows between bars or more that say their unit
          ("| nginx | 1234 req/s |"); a wiki's table ("|| server || req/s ||", "! server !! req/s"); one between "=== ====="
Yields    one LoadResult for each rate, as rate_table does
Units     as rate_table
Quirks    a column of times makes it a log, which is left alone; semicolons stand where a comma is the decimal point
Source    RFC 4180; Jira's, MediaWiki's and Docutils' markup of tables
"""

from __future__ import annotations

import csv
import re

from .. import rate_blocks, rate_cells
from .. import written_rates as rates
from ..lines import Lines
from ..records import Found, Problem

KIND = "rate_rows"
TOOL = "rate_table"
_TITLE = (
    r"(?:(?:requests?|reqs?|queries|transactions?)_?per_?s(?:ec(?:ond)?s?)?(?![a-z])|(?:reqs?|requests)_?s(?![a-z]))"
)
OPENS = (
    rf"(?i:\s{{0,8}}(?:\|{{1,2}}[^|]{{0,120}}\|.{{0,200}}?{rates.RATE}.{{0,200}}\|\s*$|![^!]{{0,120}}!!.{{0,200}}?{rates.RATE})"
    rf"|(?=[\"\w])[^,;|:\t]{{1,40}}[,;\t](?:[^,;|:\t]{{0,40}}[,;\t]){{0,12}}[^,;|:\t]{{0,30}}?(?:{rates.RATE}|{_TITLE})"
    rf"|\w[^|,;:]{{0,80}}\|.{{0,160}}?{rates.RATE}.*\|\s*$"
    r"|\s{0,8}=+(?: +=+){1,15}\s*$)"
)
NEEDS = (
    *("==", "/s", "/ s", "/\ts", "/с", "/ с", "per s", "pers", "per\ts", "qps", "rps"),
    *("tps", "req", "秒", "запрос", "sec", "segu", "seku"),
)
_CLOCK = re.compile(
    r"(?:time|time ?stamp|date|datetime|seconds?|elapsed(?: time)?|ts?|clock|epoch|minutes?|interval|hour|day)"
    r"(?: ?\W?(?:s|ms|utc)\W?)?",
    re.IGNORECASE,
)
_RULE = re.compile(r"\s{0,8}=+(?: +=+){1,15}\s*")
# Of a service, and of no load test.
_PLAN = re.compile(r"\b(?:tier|plan|limit|quota|target|goal|budget|slo)\b", re.IGNORECASE)
_DELIMITED = re.compile(r"[|+\s:=-]+")
_DECIMAL_COMMA = re.compile(r"\d+,\d+")
_UNIT = re.compile(rf"\d\s?[kKM]?\s?{rates.RATE}", re.IGNORECASE)
_MOST_ROWS, _MOST_COLUMNS = 200, 16
Row = list[str]


def parse(lines: Lines, command: str | None) -> Found | None:
    above, following, first = lines.raw, lines.ahead(2), lines.number + 1
    is_ruled = bool(following) and _RULE.fullmatch(following[0]) is not None
    if len(following) < 2 or not is_ruled and _DELIMITED.fullmatch(following[1].strip()) and "!" not in following[0]:
        return None  # rate_table reads it
    with lines.keep_taken() as taken:
        if is_ruled:
            heading, rows = _read_between_rules(lines)
        elif "|" in following[0] or following[0].lstrip()[:1] == "!":
            heading, rows = _read_bars(lines, is_row=above.rstrip().endswith("|"))
        else:
            heading, rows = _read_csv(lines, next((sign for sign in "\t;" if sign in following[0].strip()), ","))
        is_none = any(map(_CLOCK.fullmatch, heading)) or rates.tells_of_plans(heading)
        is_none = is_none or any(_PLAN.search(cell) for _, row in rows for cell in row[:2])
        if rows and lines.unended() and not (is_ruled or lines.raw.rstrip().endswith("|")):
            rows[-1][1][-1] = ""  # it may go on
        cells = rate_cells.find_table_rates(heading, rows, "") if heading and not is_none else []
        if len(cells) < 2 and not (cells and re.search(r"\|\||!!", following[0])):
            lines.back(*taken)
            return None
    lines.memory[KIND] = quoted = rate_blocks.make_blocks(cells, first)
    if len(rows) == _MOST_ROWS and (lines.peek() or "").strip():
        quoted[-1].problems.append(
            Problem(rows[-1][0] + 1, f"a table of more than {_MOST_ROWS} rows: the others were not read")
        )
    if rows[-1][0] > quoted[-1].last:
        quoted[-1].problems.append(
            Problem(rows[-1][0], "this row has no line end: its rate may be cut off, and was left out")
        )
    return follows(lines, command)


def follows(lines: Lines, command: str | None) -> Found | None:
    """The next rate of the rows that were read."""
    return rate_blocks.next_found(lines, KIND)


def _read_csv(lines: Lines, separator: str) -> tuple[Row, list[tuple[int, Row]]]:
    titles = _split_csv(next(lines), separator)
    heading = [rates.spell_title(cell.replace("_", " ")) for cell in titles]
    rows: list[tuple[int, Row]] = []
    heading = [re.sub(r"^(req(?:uest)?s?) s(?:ec)?$", r"\1/s", cell) for cell in heading]
    if not 2 <= len(heading) <= _MOST_COLUMNS or any(
        not cell or cell[0].isdigit() or len(cell) > 40 for cell in heading
    ):
        return [], []
    columns = _find_columns(heading)
    for line in map(lines.end_text, lines):
        if not line.strip():
            continue
        cells = _split_csv(line, separator)
        if len(cells) != len(heading) or len(rows) == _MOST_ROWS or (rows and cells == titles):  # of another file
            lines.step_back()
            break
        rows.append((lines.number, cells))
        columns = rate_cells.keep_rate_columns(columns, heading, cells)
        if not columns:  # at once: each of these lines may be tried as a heading
            return [], []
    return heading, rows


def _find_columns(heading: Row) -> set[int]:
    """The columns that may be of rates; none where no title says so."""
    if not any(map(rates.IS_RATE.search, heading)):
        return set()
    throughputs = {at for at, title in enumerate(heading) if rates.IS_THROUGHPUT.fullmatch(title)}
    return throughputs | rate_cells.find_rate_columns(heading, False).keys()


def _split_csv(line: str, separator: str) -> Row:
    line = line.strip(" ") if separator == "\t" else line.strip()
    cells = [cell.strip() for cell in next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])]
    if separator == ";":
        cells = [cell.replace(",", ".") if _DECIMAL_COMMA.fullmatch(cell) else cell for cell in cells]
    return cells


def _split_bars(line: str) -> Row:
    bare = line.strip().replace("!!", "|").replace("||", "|").strip("|!")
    return [rates.strip_cell_markup(cell.strip()) for cell in bare.split("|")]


def _read_bars(lines: Lines, is_row: bool) -> tuple[Row, list[tuple[int, Row]]]:
    """Rows between bars alike, below a heading with a unit, or with the unit in each. is_row: there is another one above."""
    heading = _split_bars(next(lines))
    rows: list[tuple[int, Row]] = []
    if read := [at for at, cell in enumerate(heading) if _UNIT.search(cell) and rates.read_number(cell)]:
        rows = [(lines.number, heading)]
        heading = ["req/s" if at in read else "" for at in range(len(heading))]
    columns = _find_columns(heading)
    if not columns or (read and is_row):
        return [], []
    for line in map(lines.end_text, lines):
        if line.strip() in ("", "|-", "|-----"):
            continue
        cells = _split_bars(line)
        if "|" not in line or len(cells) != len(heading) or len(rows) == _MOST_ROWS:
            lines.step_back()
            break
        rows.append((lines.number, cells))
        columns = rate_cells.keep_rate_columns(columns, heading, cells)
        if not columns or not all(_UNIT.search(cells[at]) for at in read):  # at once, as above
            return [], []
    for at in range(len(heading)):
        if not heading[at] and rows and all(rates.LOAD_TITLE.fullmatch(row[at]) for _, row in rows):
            heading[at] = "connections"
    return (heading, rows) if 2 <= len(heading) <= _MOST_COLUMNS else ([], [])


def _read_between_rules(lines: Lines) -> tuple[Row, list[tuple[int, Row]]]:
    spans = [match.span() for match in re.finditer("=+", next(lines))]
    ends = [*(start for start, _ in spans[1:]), None]

    def cut(line: str) -> Row:
        return [rates.strip_cell_markup(line[start:end].strip()) for (start, _), end in zip(spans, ends, strict=True)]

    heading, rows = cut(next((line for line in lines if line.strip()), "")), list[tuple[int, Row]]()
    n_rules = 1
    for line in lines:
        if _RULE.fullmatch(line):
            n_rules += 1
            if n_rules == 3:
                return heading, rows
        elif n_rules == 1 and line.strip() or len(rows) == _MOST_ROWS:
            break
        elif line.strip():
            rows.append((lines.number, cut(line)))
    return [], []


records = rate_blocks.records
