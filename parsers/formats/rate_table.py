"""rate_table: a table of requests per second that somebody wrote, in Markdown, drawn with lines or in columns.

Reads     a table whose heading, cells or caption say req/s, RPS, QPS ..., with two rates at least where no bars draw it; one of
          metrics, with a row of rates; one of times with a percentile; below a caption, lines of a name and a rate. Titles of
          rows and columns say what was loaded (the label) and how (the concurrency, or else the path); operations and load
          tools are no label
Yields    one LoadResult for each rate, with failures and latencies (titles, cells or the text above say their unit) of one
          column of rates, or for each row of times. A table of figures without a unit below "throughput" is a problem
Units     requests/s; "12.3k" is 12300, and req/min are 60 times fewer; latencies in ms
Quirks    merged cells stand in their first row; a row with a title alone says what the rows below it requested; rows and columns
          of means, ratios, changes, targets and other metrics are no rates, as are second lines in parentheses, of shares;
          columns that only count ("run 2") are repeats; a row of numbers alone is the load. rate_step_per_s is the last digit
          that was written: a report may back it up
          JMeter's aggregate report, also as a CSV file, has times in ms and saved rates in samples/s, which its titles do
          not say
Source    GitHub Flavored Markdown, section 4.10 (tables); JMeter's component reference, "Aggregate Report"
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from .. import rate_blocks, rate_cells
from .. import written_rates as rates
from ..commands import Option
from ..lines import Lines
from ..multiline import match_joined, was_broken
from ..rate_blocks import Rows, are_limits, describe_unread_table, find_prose
from ..records import Found, Problem, Semantics
from ..transcript import unquote

KIND = rate_blocks.KIND
PROGRAMS: tuple[str, ...] = ()
SEMANTICS = Semantics(whole_report=(), quotes_others=True, shown_as="table of rates")
OPTIONS: dict[str, Option] = {}
_ROW = rf"(?:[^|│┃║]{{0,120}}[|│┃║]){{0,40}}[^|│┃║]{{0,60}}?(?:{rates.RATE}|{rates.PER_MINUTE}|{rates.PREFIXED})"
_CAPTION = (  # word by word, as a rate begins with one, and most lines are prose; it has a unit and no figure beside it
    r"(?=[^|]{1,200}$)(?:\*\*|__)?(?=\w)(?:\w++[^|\w]++){0,30}?"
    rf"(?:(?:[^\W\d]{{0,30}}?[\u3040-\u30ff\u4e00-\u9fff])?(?<!\d)(?<!\d )(?<!\d[kKM] ){rates.RATE}|throughput\b)"
    r"(?!\s{0,9}(?:[:=]\s{0,40})?[*`~]{0,3}\d)"
)
_WITHOUT_UNIT = (  # the titles of columns, one of which may be of rates, but has no unit: "server,throughput"
    rf"(?=[^\W\d])[^|:]{{1,60}}?(?:[,;]|\s\s|\t)\s{{0,40}}{rates.IS_THROUGHPUT.pattern}\s{{0,40}}(?:$|[,;]|\s\s|\t)"
)
_BAR = "[|│┃║]"
_ALIGNED = (
    rf"(?!Type\s)[^\W\d][\w.#()/-]{{0,30}}(?: [\w.#()/-]{{1,30}}){{0,3}}(?: {{2,}}|\t)"
    rf"(?:[\w.#()%,/-]{{1,30}}[ \t]{{1,30}}){{0,8}}?{rates.RATE}[^|:]{{0,80}}$"
)
_SAMPLES_HEADING = r"\"?Label\"?,\"?# ?Samples\"?,"
_SAMPLES = re.compile(_SAMPLES_HEADING, re.IGNORECASE)
_COUNTED = r"(?:run|round|pass|test|trial|try|attempt) ?#?"
_RUNS = rf"(?=[^|:]{{0,69}}1(?: {{2}}|\t))[^|:]{{0,60}}?(?<!\w){_COUNTED}1(?: {{2,}}|\t){_COUNTED}2(?!\d)"  # columns of repeats
OPENS = (
    rf"(?i:{_RUNS}|\s*{rates.RATE}[^|:]{{1,80}}:\s*$|{_BAR}{_ROW}.*{_BAR}\s*$"
    rf"|{_ALIGNED}|{_WITHOUT_UNIT}|\w[^|]{{0,120}}\|{_ROW}|\|?\s*\*{{0,3}}{rates.METRIC}\*{{0,3}}\s*\||\|\s{{0,20}}\|[^|\w]*+\w[^|]*+\|"
    rf"|(?=[|\w])(?:[^|]{{0,120}}\|){{1,14}}\s*{rates.MAY_BE_RATE}\s*(?:\||$)|\|?[^|]{{1,60}}\|\s*{rates.IS_VALUE.pattern}\s*\|"
    rf"|\|\s{{0,4}}\w[^|]{{0,40}}\|\s{{0,60}}\|\s{{0,9}}$|{_SAMPLES_HEADING}"
    rf"|\|?\s*\*{{0,3}}{rates.LOAD.pattern}\*{{0,3}}(?:\s*\|\s*\d{{1,7}}){{2}}\s*(?:\||$)"
    rf"|(?=[|│┃║\w]){_BAR}?(?:[^|│]{{0,120}}{_BAR}){{1,12}}[^|│]{{0,20}}\bp(?:50|9\d)\b|{_CAPTION})"
)
NEEDS = (
    "/s", "/ s", "/\ts", "/с", "/ с", "/min", "/ min", "p50", "p9", "per s", "pers", "per\ts", "per m", "perm", "per\tm",
    "throughput", "qps", "rps", "tps", "metric", "measure", "指标", "項目", "seco", "segu", "seku", "секун", "crit", "krit",
    "kennz", "messw", "métri", "пока", "метри", "1  ", "1\t", "| |", "|  ", "||", "秒", "запрос", "param", "property", "项目",
    "参数", "초당", "durchsatz", "débit", "rendimiento", "caudal", "vazão", "przepust", "пропуск", "произв", "| req", "|req",
    "http_req", "| hits", "| calls", "吞吐", "スループット", "처리량", "conc", "client", "conn", "users", "vus", "并发", "同時",
    "지표", "항목", "valu", "valo", "valeur", "medi", "mesure", "wert", "result", "ergeb", "messung", "label", "знач", "值",
    "結果", "结果",
)  # fmt: skip

_IN_PARENTHESES = re.compile(r"\([^()]{1,40}\)")
_DELIMITER = re.compile(r":?-+:?")
_LINE = re.compile(r"[-─]{8,}")
_MOST_ROWS, _LONG, _MOST_COLUMNS = 200, 8, 64
_LONGEST_ROW = 4000  # characters of a CSV file
_MOST_ABOVE = 3  # lines of a caption
_REFUSED = "rate_table refused"  # what Lines.memory has: the last line of a long table that had no rates
_REFUSED_DRAWN = "rate_table refused, with bars"
_RULE = re.compile(  # between the rows of a table that a program drew, maybe quoted
    r"(?:[^|+├╞╠┌└]{0,30}[>#*;/|•\s-])?[+├╞╠┌└]([-=─━═+┼┬┴╪╬]{2,})[+┤╡╣┐┘]"
)
_RULE_SIGN = re.compile("[-=─━═+┼┬┴╪╬]")
_ORG_RULE = re.compile(r"\|[-+]{2,}\|")
_PAIR = re.compile(
    r"\s{0,8}(?:[-*•]\s{1,3})?(?P<name>[^\W\d_][^:=|\t]{0,50}?)(?:\s{0,3}[:=]|\s)\s{0,40}(?P<rate>\d[\d,.]{0,14}\s?[kKM]?)\s*"
)
_DRAWN = re.compile("[|│┃║+├╞╠┌└]")  # what a line of a drawn table has, and one of its rules
_BARS = str.maketrans("│┃║", "|||")
_APART, _COMMA = re.compile(r"\t+| {2,}"), re.compile(r"\s*[,;]\s*")


def parse(lines: Lines, command: str | None) -> Found | None:
    following, first = lines.ahead(_MOST_ABOVE + 2), lines.number + 1
    above = _Above()
    for read, may_be in (
        (_read_samples, _may_be_samples),
        (_read_table, _may_be_drawn),
        (_read_below_heading, _is_below_heading),
        (_read_aligned, _may_be_aligned),
        (_read_pairs, _may_be_pairs),
    ):
        if not may_be(lines, following):
            continue
        with lines.keep_taken() as taken:
            cells = read(lines, following, taken, above)
            if len(cells) > (read in (_read_aligned, _read_pairs)):
                break
            lines.back(*taken)
    else:
        problem = above.problem or _find_without_unit(lines, following)
        return Found({}, first, first, problems=[problem]) if problem else None
    lines.memory[KIND] = quoted = rate_blocks.make_blocks(cells, above.line or first)
    quoted[0].captions = above.captions
    return follows(lines, command)


def follows(lines: Lines, command: str | None) -> Found | None:
    """The next rate of the table that was read."""
    return rate_blocks.next_found(lines, KIND)


@dataclass(slots=True)
class _Above:
    """What stands above the rows of a table: its captions, the line of its heading; what is said where it has no rates."""

    captions: list[tuple[int, str]] = field(default_factory=list)
    line: int = 0
    problem: Problem | None = None


def _find_without_unit(lines: Lines, following: list[str]) -> Problem | None:
    """What is said of columns that no bars divide, where the unit of their figures is told nowhere."""
    if lines.number < lines.memory.get(_REFUSED, 0) or len(following) < 3 or "|" in following[0]:
        return None
    split = next((each.split for each in (_APART, _COMMA) if each.search(following[0].strip())), None)
    heading, *rows = (split(line.strip()) for line in following[:3]) if split else ([],)
    if any(map(rates.IS_RATE.search, heading)):
        return None
    numbered = [(lines.number + 2 + at, row) for at, row in enumerate(rows) if len(row) == len(heading)]
    message = (
        describe_unread_table(find_prose(lines.prose, lines.number + 1), heading, numbered) if len(numbered) > 1 else ""
    )
    return Problem(lines.number + 1, message) if message else None


def _may_be_drawn(lines: Lines, following: list[str]) -> bool:
    return lines.number >= lines.memory.get(_REFUSED_DRAWN, 0) and any(map(_DRAWN.search, following[: _MOST_ABOVE + 1]))


def _count_captions(lines: Lines, following: list[str]) -> int:
    """How many lines of captions stand above a drawn table; those below a heading of a section may be several."""
    most = _MOST_ABOVE if lines.prefix.strip().startswith("#") else 1
    for at, line in enumerate(following[: most + 1]):
        if len(_split(line)) > 1:
            return at
        if at and line.lstrip()[:1] in "#>":
            break
    return 0


def _read_table(lines: Lines, following: list[str], taken: list[str], above: _Above) -> list[rate_cells.Cell]:
    skipped = _count_captions(lines, following)
    ahead = [_split(line) for line in following[skipped : skipped + 3]]
    heading, second, delimiters = [*ahead, [], [], []][:3]
    if len(second) == 1 and _LINE.fullmatch(second[0]):  # "num|rps|rss" above one line of dashes
        second = ["-"] * len(heading)
    has_second_line = _is_second_line(second)
    titles, delimiters = ([*heading, *second], delimiters) if has_second_line else (heading, second)
    hollow = bool(heading and delimiters) and not heading[0] and not delimiters[0]  # quoted with "| "
    if hollow:
        heading, delimiters = heading[1:], delimiters[1:]
    if not (2 <= len(heading) <= _MOST_COLUMNS) or len(heading) != len(delimiters):
        return []
    if not all(map(_DELIMITER.fullmatch, delimiters)) or rates.tells_of_plans(titles):
        return []
    for at in range(skipped):
        text = lines.take_next()
        sign = lines.prefix.strip() if not at and lines.prefix.strip().startswith("#") else ""
        above.captions.append((lines.number, f"{sign} {text}".strip()))
    if not (heading[0] or skipped or any(map(rates.IS_RATE.search, heading))):
        heading = ["metric", *heading[1:]]  # the only column without a title
    fits = _row_of(len(heading), hollow, opened=following[skipped].lstrip()[:1] in "|│┃║")
    lines.take_next()
    above.line = lines.number
    lines.take_next(1 + has_second_line)
    return _read_rows(lines, [rates.strip_cell_markup(title) for title in heading], fits, above)


def _is_second_line(row: list[str]) -> bool:
    """Whether a row only has what is put in parentheses below the titles or figures of the row above: "(% of bare)"."""
    return bool(row) and not row[0] and any(row) and all(not cell or _IN_PARENTHESES.fullmatch(cell) for cell in row)


def _is_below_heading(lines: Lines, following: list[str]) -> bool:
    """Whether the next line is a row below a heading without a unit: the rows say it, this one first."""
    number, text = lines.rows_above[-1]
    is_tried = lines.number < lines.memory.get(_REFUSED_DRAWN, 0)
    return not is_tried and number == lines.number and _DRAWN.search(text) is not None and bool(following)


def _read_below_heading(lines: Lines, following: list[str], _: list[str], above: _Above) -> list[rate_cells.Cell]:
    drawn = [(number, unquote(text, lines.prefix)) for number, text in lines.rows_above if _DRAWN.search(text)]
    drawn = [each for number, each in enumerate(drawn, lines.number + 1 - len(drawn)) if each[0] == number]
    rules = [at for at, (_, text) in enumerate(drawn) if at and _is_drawn_rule(text)]
    if not rules:
        return []
    above.line, first = drawn[rules[-1] - 1]
    second, skipped = drawn[rules[-1]][1], drawn[rules[-1] + 1 :]
    opened = first.lstrip()[:1] in "|│┃║"
    heading, delimiters = (_split(text, opened=opened) for text in (first, second))
    if not (2 <= len(heading) == len(delimiters) <= _MOST_COLUMNS) or not all(map(_DELIMITER.fullmatch, delimiters)):
        return []
    if rates.tells_of_plans(heading):
        return []
    above.captions = [(number, "") for number, _ in drawn]  # they are no headings
    fits = _row_of(len(heading), False, opened=opened)
    rows = [(number, row) for number, text in skipped if (row := fits(text.strip()))]
    return _read_rows(lines, [rates.strip_cell_markup(title) for title in heading], fits, above, rows)


def _is_drawn_rule(text: str) -> bool:
    return _RULE_SIGN.search(text) is not None and all(map(_DELIMITER.fullmatch, _split(text)))


def _read_rows(
    lines: Lines, heading: list[str], fits: Callable[[str], list[str] | None], above: _Above, rows: Rows = ()
) -> list[rate_cells.Cell]:
    """The rates in the rows below a drawn heading; `rows` were taken before."""
    rows, begin = [*rows], lines.number
    for line in map(lines.end_text, lines):
        if not line.strip():
            continue
        if _RULE.fullmatch(line.strip()):
            continue
        line = line.translate(_BARS)
        row = fits(line.strip()) if "|" in line else None
        if row is None and "|" in line and was_broken(line, lines.peek() or ""):
            row = match_joined(lines, line, fits)
        if (
            row is None and line.lstrip()[:1] == "|" and (rows[-1][0] if rows else begin) == lines.number - 1
        ):  # its last cells are empty
            row = fits(f"{line.strip().removesuffix('|')}{'|' * (len(heading) + 1 - len(_split(line)))}")
        if row is None or len(rows) == _MOST_ROWS:
            lines.step_back()
            break
        if any(row) and all(
            map(_DELIMITER.fullmatch, filter(None, row))
        ):  # the row above was the heading of another table
            if len(rows) > 1 and rows[-1][0] == lines.number - 1:
                rows.pop()
                lines.step_back()
                lines.step_back()
                break
            lines.memory[_REFUSED_DRAWN] = lines.number - 2 if len(rows) >= _LONG else 0
            return []
        if rows and _is_second_line(row):
            continue
        if lines.unended() and not line.rstrip().endswith("|"):
            row[-1] = ""  # it may go on
        rows.append((lines.number, row))
    caption = above.captions[0][1] if above.captions else ""
    said = [*find_prose(lines.prose, above.line), *(text for _, text in above.captions)]
    heading, rows = rates.spell_samples(heading, rows)
    heading = rates.spell_latencies(heading, said)
    cells = rate_cells.find_table_rates(heading, rows, caption if rates.has_unit_of_all(caption) else "")
    if cells and are_limits(said, list(map(rates.spell_title, heading)), rows, cells):
        return []
    if not cells and (message := describe_unread_table(said, heading, rows)):
        above.problem = Problem(above.line, message)
    if len(cells) < 2 and len(rows) >= _LONG:  # each row may be tried as the heading of those below
        lines.memory[_REFUSED_DRAWN] = lines.number
    return cells


def _may_be_samples(_: Lines, following: list[str]) -> bool:
    return bool(following) and _SAMPLES.match(following[0]) is not None


def _read_samples(lines: Lines, _: list[str], taken: list[str], above: _Above) -> list[rate_cells.Cell]:
    """JMeter's aggregate report as it saves it: a CSV file."""
    (heading,), above.line = csv.reader([next(lines)[:_LONGEST_ROW]]), lines.number
    rows: list[tuple[int, list[str]]] = []
    for line in map(lines.end_text, lines):
        row = next(csv.reader([line[:_LONGEST_ROW]]), [])
        if len(row) != len(heading) or len(rows) == _MOST_ROWS:
            lines.step_back()
            break
        rows.append((lines.number, row))
    spelled, rows_by_title = rates.spell_samples(heading, rows)
    return rate_cells.find_table_rates(spelled, [*rows_by_title], "") if spelled != heading else []


def _may_be_aligned(lines: Lines, following: list[str]) -> bool:
    """Whether the first line may be a heading, and the second one a row below it: each of many may be tried as a heading."""
    if lines.number < lines.memory.get(_REFUSED, 0) or len(following) < 2:
        return False
    captioned = _is_caption(following[0])
    titles, row = (following[1:] if captioned else following)[:2] if len(following) > 2 or not captioned else ("", "")
    heading, columns = _read_heading(titles, row, captioned=captioned)
    return bool(columns) and (
        _is_rule(row) or bool(rate_cells.keep_rate_columns(columns, heading, _read_cells(row, heading)))
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
    heading = [rates.spell_title(rates.strip_cell_markup(title)) for title in cells]
    if line[:2].isspace() and (rates.RUN.fullmatch(heading[0]) or len(_APART.split(row.strip())) == len(cells) + 1):
        heading = ["", *heading]
    columns = set(rate_cells.find_rate_columns(heading, captioned))
    return heading, columns or {at for at, title in enumerate(heading) if at and rates.IS_THROUGHPUT.fullmatch(title)}


def _is_rule(line: str) -> bool:
    return not line.strip().strip(" \t-=+")


def _read_cells(line: str, heading: list[str]) -> list[str]:
    cells = _APART.split(line.strip())
    return ["", *cells] if len(cells) == len(heading) - 1 and line[:2].isspace() else cells


def _read_aligned(lines: Lines, following: list[str], taken: list[str], above: _Above) -> list[rate_cells.Cell]:
    """A table whose columns stand apart by two blanks or a tab; it ends at the first line that has another number of them."""
    titles, captioned = next(lines), _is_caption(following[0])
    if captioned:
        above.captions.append((lines.number, titles.strip()))
        titles = next(line for line in lines if line.strip())
    heading, columns = _read_heading(titles, following[2 if captioned else 1], captioned=captioned)
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
        if max(columns) < len(cells) < len(heading):
            cells += [""] * (len(heading) - len(cells))
        if len(cells) != len(heading) or len(rows) == _MOST_ROWS:
            lines.step_back()
            break
        rows.append((lines.number, cells))
        columns = rate_cells.keep_rate_columns(columns, heading, cells)
        if not columns:  # at once: each of these lines may be tried as a heading
            return []
    if lines.unended():
        return []
    aligned = rate_cells.find_table_rates(heading, rows, following[0] if captioned else "")
    if are_limits(find_prose(lines.prose, lines.number - len(taken)), heading, rows, aligned):
        return []
    if len(aligned) < 2 and len(rows) >= _LONG:  # each row may be tried as the heading of those below
        lines.memory[_REFUSED] = lines.number
    return aligned


def _may_be_pairs(lines: Lines, following: list[str]) -> bool:
    """Whether lines of a name and a figure stand below a caption that has the unit: "Requests per second:", "- nginx: 48211"."""
    caption, *rows = [line for line in following if line.strip()][:3] or [""]
    return len(rows) > 1 and rates.has_unit_of_all(caption) and all(map(_PAIR.fullmatch, rows))


def _read_pairs(lines: Lines, following: list[str], taken: list[str], above: _Above) -> list[rate_cells.Cell]:
    sign = lines.prefix.strip() if lines.prefix.strip().startswith("#") else ""
    caption = lines.take_next()
    above.line = lines.number
    above.captions.append((above.line, f"{sign} {caption}".strip()))
    rows: list[tuple[int, list[str]]] = []
    for line in map(lines.end_text, lines):
        if match := _PAIR.fullmatch(line):
            rows.append((lines.number, [match["name"], match["rate"]]))
        elif line.strip() or len(rows) == _MOST_ROWS:
            lines.step_back()
            break
    said = [*find_prose(lines.prose, above.line), caption]
    cells = rate_cells.find_table_rates(["", "rate"], rows, caption)
    is_none = lines.unended() or any(rates.find_latency(row[0]) for _, row in rows)
    return [] if is_none or are_limits(said, [], rows, cells) else cells


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


records = rate_blocks.records
