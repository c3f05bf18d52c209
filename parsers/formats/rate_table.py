"""rate_table: a table of requests per second that somebody wrote, in Markdown, drawn with lines or in columns.

Reads     a table whose heading, first cell or caption says req/s, RPS, QPS ..., with two rates at least where no bars draw
          it; or one of metrics, with a row of rates. Titles of rows and columns say what was loaded (the label) and how (the
          concurrency, or else the path)
Yields    one LoadResult for each rate, with failures and latencies (titles or cells say their unit) of one column of rates
Units     requests/s; "12.3k" is 12300; latencies in ms
Quirks    merged cells stand in their first row; a row with a title alone says what the rows below it requested; rows and columns
          of means, ratios, changes, targets and other metrics are no rates; columns that only count ("run 2") are repeats; a row
          of numbers alone is the load. rate_step_per_s is the last digit that was written: a report may back it up
Source    GitHub Flavored Markdown, section 4.10 (tables)
"""

from __future__ import annotations

import re
from collections.abc import Callable

from .. import rate_cells as tables
from .. import written_rates as rates
from ..commands import Option
from ..lines import Lines
from ..multiline import match_joined, was_broken
from ..records import Found, Semantics

KIND = tables.KIND
PROGRAMS: tuple[str, ...] = ()
SEMANTICS = Semantics(whole_report=(), quotes_others=True, shown_as="table of rates")
OPTIONS: dict[str, Option] = {}
_ROW = rf"(?:[^|│┃║]{{0,120}}[|│┃║]){{0,12}}[^|│┃║]{{0,60}}?{rates.RATE}"
_CAPTION = (  # behind a command; word by word, as a rate begins with one, and most lines are prose
    r"(?:[a-z][\w-]{0,20}(?: -{1,2}\w[^\s|]{0,30}){1,8}\s)?(?:\d{1,2}[.)、]\s?)?"
    rf"(?:[^\W\d]++[^|\w]++){{0,15}}?(?:[^\W\d]{{0,30}}?[\u3040-\u30ff\u4e00-\u9fff])?{rates.RATE}"
)
_BAR = "[|│┃║]"
_ALIGNED = (
    rf"(?!Type\s)[^\W\d][\w.#()/-]{{0,30}}(?: [\w.#()/-]{{1,30}}){{0,3}}(?: {{2,}}|\t)"
    rf"(?:[\w.#()%,/-]{{1,30}}[ \t]{{1,30}}){{0,8}}?{rates.RATE}[^|:]{{0,80}}$"
)
_COUNTED = r"(?:run|round|pass|test|trial|try|attempt) ?#?"
_RUNS = rf"[^|:]{{0,60}}?(?<!\w){_COUNTED}1(?: {{2,}}|\t){_COUNTED}2(?!\d)"  # columns of repeats
OPENS = (
    rf"(?i:{_RUNS}|\s*{rates.RATE}[^|:]{{1,80}}:\s*$|{_BAR}{_ROW}.*{_BAR}\s*$"
    rf"|{_ALIGNED}|\w[^|]{{0,120}}\|{_ROW}|\|?\s*\**{rates.METRIC}\**\s*\||\|\s{{0,20}}\|[^|]*\w[^|]*\|"
    rf"|(?:[^|]{{0,60}}\|){{2,9}}\s*{rates.IS_THROUGHPUT.pattern}\s*(?:\||$)|\|?[^|]{{1,60}}\|\s*{rates.IS_VALUE.pattern}\s*\|"
    rf"|{_CAPTION}[^|\d]{{0,40}}$)"
)
NEEDS = (
    "/s", "/ s", "/\ts", "/с", "/ с",
    "per", "throughput", "ps", "metric", "measure", "指标", "項目", "seco", "segu", "seku", "секун", "crit", "krit", "kennz",
    "messw", "métri", "пока", "метри", "run", "round", "pass", "test", "trial", "try", "attemp", "| |", "|  ", "||", "秒", "запрос",
    "param", "property", "项目", "参数", "초당", "durchsatz", "débit", "rendimiento", "caudal", "vazão", "przepust", "пропуск",
    "произв", "吞吐", "スループット", "처리량", "valu", "valo", "valeur", "medi", "mesure", "wert", "result", "ergeb", "messung",
    "знач", "值", "結果", "结果",
)  # fmt: skip

_DELIMITER = re.compile(r":?-+:?")
_MOST_ROWS, _LONG, _MOST_COLUMNS = 200, 8, 16
_REFUSED = "rate_table refused"  # what Lines.memory has: the last line of a long table that had no rates
_REFUSED_DRAWN = "rate_table refused, with bars"
_RULE = re.compile(  # between the rows of a table that a program drew, maybe quoted
    r"(?:[^|+├╞╠┌└]{0,30}[>#*;/|•\s-])?[+├╞╠┌└]([-=─━═+┼┬┴╪╬]{2,})[+┤╡╣┐┘]"
)
_ORG_RULE = re.compile(r"\|[-+]{2,}\|")
_DRAWN = re.compile("[|│┃║+├╞╠┌└]")  # what a line of a drawn table has, and one of its rules
_BARS = str.maketrans("│┃║", "|||")
_APART = re.compile(r"\t+| {2,}")


def parse(lines: Lines, command: str | None) -> Found | None:
    following, first = lines.ahead(3), lines.number + 1
    for read, may_be in ((_read_table, _may_be_drawn), (_read_aligned, _may_be_aligned)):
        if not may_be(lines, following):
            continue
        with lines.keep_taken() as taken:
            cells = read(lines, following, taken)
            if len(cells) > (read is _read_aligned):
                break
            lines.back(*taken)
    else:
        return None
    lines.memory[KIND] = found = tables.name_cells(cells, first)
    if (caption := f"{lines.prefix}{following[0]}".strip())[:1] == "#":
        found[0].caption = first, caption
    return follows(lines, command)


def follows(lines: Lines, command: str | None) -> Found | None:
    """The next rate of the table that was read."""
    return rates.next_found(lines, KIND)


def _may_be_drawn(lines: Lines, following: list[str]) -> bool:
    return lines.number >= lines.memory.get(_REFUSED_DRAWN, 0) and any(map(_DRAWN.search, following[:2]))


def _read_table(lines: Lines, following: list[str], _: list[str]) -> list[tables.Cell]:
    ahead = [_split(line) for line in following]
    skipped = 1 if ahead and len(ahead[0]) == 1 else 0  # the caption
    heading, delimiters = ([*ahead, [], []])[skipped : skipped + 2]
    hollow = bool(heading and delimiters) and not heading[0] and not delimiters[0]  # quoted with "| "
    if hollow:
        heading, delimiters = heading[1:], delimiters[1:]
    if not (2 <= len(heading) <= _MOST_COLUMNS) or len(heading) != len(delimiters):
        return []
    if not all(map(_DELIMITER.fullmatch, delimiters)) or rates.tells_of_plans(heading):
        return []
    if not (heading[0] or skipped or any(map(rates.IS_RATE.search, heading))):
        heading = ["metric", *heading[1:]]  # the only column without a title
    rows: list[tuple[int, list[str]]] = []
    fits = _row_of(len(heading), hollow, opened=following[skipped].lstrip()[:1] in "|│┃║")
    skip = skipped + 2
    for line in map(lines.end_text, lines):
        if not line.strip():
            continue
        if skip:
            skip -= 1
            continue
        if _RULE.fullmatch(line.strip()):
            continue
        line = line.translate(_BARS)
        row = fits(line.strip()) if "|" in line else None
        if row is None and "|" in line and was_broken(line, lines.peek() or ""):
            row = match_joined(lines, line, fits)
        if row is None or len(rows) == _MOST_ROWS:
            lines.step_back()
            break
        if all(map(_DELIMITER.fullmatch, row)):  # the row above was the heading of another table
            if len(rows) > 2 and rows[-1][0] == lines.number - 1:
                rows.pop()
                lines.step_back()
                lines.step_back()
                break
            lines.memory[_REFUSED_DRAWN] = lines.number - 2 if len(rows) >= _LONG else 0
            return []
        if lines.unended() and not line.rstrip().endswith("|"):
            row[-1] = ""  # it may go on
        rows.append((lines.number, row))
    cells = tables.find_table_rates([rates.strip_markup(title) for title in heading], rows, bool(skipped))
    if len(cells) < 2 and len(rows) >= _LONG:  # each row may be tried as the heading of those below
        lines.memory[_REFUSED_DRAWN] = lines.number
    return cells


def _may_be_aligned(lines: Lines, following: list[str]) -> bool:
    """Whether the first line may be a heading, and the second one a row below it: each of many may be tried as a heading."""
    if lines.number < lines.memory.get(_REFUSED, 0) or len(following) < 2:
        return False
    captioned = _is_caption(following[0])
    titles, row = (following[1:] if captioned else following)[:2] if len(following) > 2 or not captioned else ("", "")
    heading, columns = _read_heading(titles, row, captioned=captioned)
    return bool(columns) and (
        _is_rule(row) or bool(tables.keep_rate_columns(columns, heading, _read_cells(row, heading)))
    )


def _is_caption(line: str) -> bool:
    """ "Requests per second, ab -n 1000 -c 10:" above the columns' titles."""
    bare = line.strip()
    return bare.endswith(":") and rates.IS_RATE.match(bare) is not None and not _APART.search(bare)


def _read_heading(line: str, row: str, *, captioned: bool = False) -> tuple[list[str], set[int]]:
    """The titles of columns that stand apart, and which of these may be of rates; none where the line is no heading.

    row: the line below, which has one more cell where the first column has no title.
    """
    cells = _APART.split(line.strip())
    if not 2 <= len(cells) <= _MOST_COLUMNS or rates.tells_of_plans(cells):
        return [], set()
    heading = [rates.strip_markup(title) for title in cells]
    if line[:2].isspace() and (rates.RUN.fullmatch(heading[0]) or len(_APART.split(row.strip())) == len(cells) + 1):
        heading = ["", *heading]
    return heading, set(tables.find_rate_columns(heading, captioned))


def _is_rule(line: str) -> bool:
    return not line.strip().strip(" \t-=+")


def _read_cells(line: str, heading: list[str]) -> list[str]:
    cells = _APART.split(line.strip())
    return ["", *cells] if len(cells) == len(heading) - 1 and line[:2].isspace() else cells


def _read_aligned(lines: Lines, following: list[str], taken: list[str]) -> list[tables.Cell]:
    """A table whose columns stand apart by two blanks or a tab; it ends at the first line that has another number of them."""
    titles, captioned = next(lines), _is_caption(following[0])
    if captioned:
        titles = next(line for line in lines if line.strip())
    heading, columns = _read_heading(titles, following[-1 if captioned else 1], captioned=captioned)
    begin = len(taken)
    rows: list[tuple[int, list[str]]] = []
    spaced = False  # whether there is a blank line between any two lines
    for line in map(lines.end_text, lines):
        if not line.strip():
            if not spaced and len(taken) != begin + 1:
                lines.step_back()
                break
            spaced = True
            continue
        if _is_rule(line):
            continue
        cells = _read_cells(line, heading)
        if len(cells) != len(heading) or len(rows) == _MOST_ROWS:
            lines.step_back()
            break
        rows.append((lines.number, cells))
        columns = tables.keep_rate_columns(columns, heading, cells)
        if not columns:  # at once: each of these lines may be tried as a heading
            return []
    if lines.unended():
        return []
    found = tables.find_table_rates(heading, rows, captioned)
    if len(found) < 2 and len(rows) >= _LONG:  # each row may be tried as the heading of those below
        lines.memory[_REFUSED] = lines.number
    return found


def _split(line: str, *, opened: bool = True) -> list[str]:
    """The cells of a row; a bar at its beginning is one more where those of the heading are not `opened` by one."""
    bare = line.strip()
    if rule := _RULE.fullmatch(bare):
        return ["---"] * len(re.split(r"[+┼┬┴╪╬]", rule[1]))
    if _ORG_RULE.fullmatch(bare):
        bare = bare.replace("+", "|")
    bare = bare.translate(_BARS).removesuffix("|")
    bare = bare.removeprefix("|") if opened else bare
    return [cell.strip() for cell in bare.replace("\\|", "/").split("|")]


def _row_of(width: int, hollow: bool, *, opened: bool) -> Callable[[str], list[str] | None]:
    def fits(text: str) -> list[str] | None:
        cells = _split(text)[1:] if hollow else _split(text)
        if len(cells) == width - 1 and not opened:
            cells = _split(text, opened=False)
        return cells if len(cells) == width else None

    return fits


records = tables.records
