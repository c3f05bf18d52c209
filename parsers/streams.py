"""Several outputs in one stretch of lines: two terminals side by side, containers that share a log, diffs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import islice

from .catalogue import compile_rate_labels, find_opening, formats, load_programs, parse_command
from .context import Context
from .gutters import (
    MOST_LINES,
    find_gutter,
    may_be_signed,
    opens_list,
    opens_output,
    split_signed,
    strip_gutter,
    strip_line_numbers,
    unlist,
)
from .lines import Lines
from .prompts import prompt

_FOLLOWING = 8  # lines among which there is one more of a machine whose name stands before each
_DEEPEST = 3  # the log of a container that prints a log of others, in one of two terminals


def may_split(line: str) -> bool:
    """Whether several outputs may stand in one stretch from this line on, as far as the line by itself tells."""
    if (cells := find_cells(line)) and _makes_load(cells[0]):
        return True
    if (column := find_column(line)) and _makes_load(line[column:]):
        return True
    if find_pane(line) or _may_be_shared(line) or line.startswith(_OLDER_FILE):
        return True
    return opens_list(line) or may_be_signed(line) or bool(find_gutter(line))


def split(source: Lines, line: str, context: Context) -> Iterator[Lines] | None:
    """The several outputs that stand in one stretch from this line on, each by itself. None: it is one, or a part of a part."""
    if source.depth == _DEEPEST:
        return None
    if (cells := find_cells(line)) and _makes_load(cells[0]):
        return _split_table(source, len(cells), context)
    if (column := find_column(line)) and _makes_load(line[column:]):
        return _split_terminals(source, line, column, context)
    if column := find_pane(line):
        return _split_panes(source, line, column)
    if _is_shared(source, line):
        return _name_parts(split_streams(source, line), context)
    if source.number >= context.no_diff_before and opens_diff(line, source):
        return _split_versions(source, line, context)
    if source.number >= context.no_diff_before and may_be_signed(line):
        context.no_diff_before, versions = split_signed(source, line)
        if versions:
            return _name_parts(((name, "", part) for name, part in versions), context)
    number = source.number
    part = unlist(source) if opens_list(line) else strip_gutter(source, line)
    if part:
        context.trail = strip_line_numbers(context.trail, line, number)
        context.heading = context.trail[-1] if context.trail else context.heading
    return iter((part,)) if part else None


def _name_parts(parts: Iterable[tuple[str, str, Lines]], context: Context) -> Iterator[Lines]:
    for name, context.stream, part in parts:
        context.follow_service(part.number, name)
        yield part
    context.stream = ""


def _split_versions(source: Lines, line: str, context: Context) -> Iterator[Lines] | None:
    """The results that a diff compares. None: what changed is no load test's rate, as in a diff of configuration files."""
    parts, raw = split_diff(source, line)
    if {text[0] for text in raw if text[0] in "+-" and compile_rate_labels().search(text)} == {"+", "-"}:
        return _name_parts(((name, "", part) for name, part in parts), context)
    context.no_diff_before = source.number
    source.back(*raw)
    return None


def _split_table(source: Lines, n: int, context: Context) -> Iterator[Lines]:
    """The reports in the columns of a table, each below its column's title."""
    number, above = context.trail[-1] if context.trail else (source.number, "")
    rows = (row for _, text in reversed(context.trail) for row in (split_row(text), _split_titles(text)))
    numbered = [f"{above.replace('. ', ', ')}, column {column}" for column in range(1, n + 1)]
    titles = next((row for row in rows if len(row) == n), numbered)
    for column, part in enumerate(split_cells(source, n)):
        context.retitle(number, titles[column].strip())
        yield part


def _split_terminals(source: Lines, line: str, column: int, context: Context) -> Iterator[Lines]:
    """The left terminal first, each below its part of the line above."""
    number, above = context.trail[-1] if context.trail else (0, "")
    titles = cut(above, column) if is_gap(above, column) and len(above) > column else (above, "")
    for terminal, title in zip(split_beside(source, line, column), titles, strict=True):
        if title and title != above:
            context.retitle(number, title)
        yield terminal


def _may_be_shared(line: str) -> bool:
    """Whether a container's or a machine's name stands before a numbered line or one with which a load test begins."""
    stream = find_stream(line)
    if stream is None or is_numbered(stream):
        return stream is not None
    rest = line[stream.end() :].strip()
    if stream["host"] and compile_rate_labels().search(rest):
        return False  # a name before a rate is a label
    return bool(rest and _makes_load(rest))


def _is_shared(source: Lines, line: str) -> bool:
    """Whether from this line on containers share a log: a container's output begins with it, or goes on with the next line."""
    stream = find_stream(line)
    if stream is None or not _may_be_shared(line):
        return False
    if stream["host"]:
        return any(following.startswith(stream[0]) for following in source.ahead(_FOLLOWING))
    following = find_stream(source.peek() or "")
    return following is not None and (following[0] == stream[0] or is_numbered(following))


def _makes_load(line: str) -> bool:
    """Whether a load tool's report begins with this line, or the command that prints one."""
    typed = prompt(line)
    if typed is not None:
        return bool(parse_command(typed[1]).tool)
    opening = find_opening(line)
    semantics = formats()[opening[0][0]].semantics if opening else None
    return semantics is not None and not semantics.quotes_others


# --- two terminals side by side ---------------------------------------------------------------------------------------
_ALIKE = 8  # characters with which two reports, or the commands above them, begin alike
_NARROWEST = 16  # columns of a terminal
MOST_BESIDE = 150  # lines of two terminals that are read as such
_MOST_ALONE = 8  # lines of the left one alone, between two with both
_RULERS = "│┃║|"
_PANE = re.compile(r"[│┃║]|(?<=\s\s)\||(?<=\s\s)(?=\S)")  # "|" elsewhere is a command's
_GAP = re.compile(r"[│┃║\s](?:(?<=[│┃║])|\s)")  # before each of them, and in few lines of prose
_MOST_PANES = 6  # places in a line where the right terminal may begin
_LONGEST_BESIDE = 400  # columns of two terminals


def find_column(line: str) -> int:
    """Where the right one of two terminals begins, on a line on which both begin alike; 0 where nothing does."""
    at = line.find(line[:_ALIKE], _NARROWEST) if line[:1] > " " else -1
    return at if at > 0 and is_gap(line, at) else 0


@cache
def _compile_load_signs() -> re.Pattern[str]:
    """Texts of which a line has one where a load tool's output begins in it, or its command: quicker to look for."""
    return re.compile(rf"This is ApacheBench, |(?<![\w.-])(?:{'|'.join(map(re.escape, load_programs()))})\s")


def find_pane(line: str) -> int:
    """Where the right one of two terminals begins, on a line on which a load tool's output begins in one of them; or 0.

    In the other one a monitor's begins; a load tool's is what the command on the left printed.
    """
    if len(line) > _LONGEST_BESIDE or not _GAP.search(line, _NARROWEST - 2) or not _compile_load_signs().search(line):
        return 0
    for match in islice(_PANE.finditer(line, _NARROWEST), _MOST_PANES):
        left, right = cut(line, match.end())
        if opens_output(left) and opens_output(right) and _makes_load(left) != _makes_load(right.strip()):
            return match.end()
    return 0


def _split_panes(source: Lines, line: str, column: int) -> Iterator[Lines]:
    """The left terminal, as far as what it printed beside the right one goes on, then the right one."""
    number, raws, halves, last = source.number, list[str](), [cut(line, column)], 1
    for text in source:
        is_wide = len(text.rstrip()) > column or text[column - 1 : column] in tuple(_RULERS)
        if is_wide and not is_gap(text, column) or len(halves) - last > MOST_BESIDE:
            source.step_back()
            break
        raws.append(source.raw)
        halves.append(cut(text, column) if is_wide else (text.rstrip("\r\n"), ""))
        last = len(halves) if is_wide else last
    left, right = (
        Lines([f"{half[side]}\n" for half in part], number - 1) for side, part in enumerate((halves, halves[:last]))
    )
    left.until = number - 1 + last
    yield left
    source.back(*raws[max(left.number, left.until) - number :])
    yield right


def is_gap(line: str, column: int) -> bool:
    """Whether nothing but blanks, or a ruler between two panes, stands right before that column."""
    return line[column - 1 : column] in _RULERS or line[column - 2 : column].isspace()


def cut(line: str, column: int) -> tuple[str, str]:
    """What stands left and right of the gap before a column."""
    return line[:column].rstrip(f"{_RULERS} \t"), line[column:].rstrip()


def split_beside(lines: Lines, first: str, column: int) -> tuple[Lines, Lines]:
    """The left terminal's lines and the right one's, numbered as they stand, from `first` on, which was returned last."""
    number, halves, behind = lines.number, [cut(first, column)], list[str]()
    for line in lines:
        behind.append(lines.raw)
        at = column if is_gap(line, column) else find_column(line)  # a line may be too long for its terminal
        is_wide = len(line.rstrip()) > column
        if is_wide and not at:
            break
        if is_wide:
            halves += [cut(text.rstrip("\r\n"), column) for text in behind[:-1]]
            halves.append(cut(line, at))
            behind = []
        if len(behind) > _MOST_ALONE or len(halves) > MOST_BESIDE:
            break
    lines.back(*behind)
    left, right = (Lines([f"{half[side]}\n" for half in halves], number - 1) for side in (0, 1))
    return left, right


# --- reports side by side in the cells of a table ----------------------------------------------------------------------
_MOST_CELLS = 6
_WIDE_GAP = re.compile(r"\s{4,}")


def split_row(line: str) -> list[str]:
    """What stands between the bars of a line."""
    return [cell.rstrip() for cell in re.sub(r"^\s{0,9}\| ?|\|\s*$", "", line).split("|")]


def _split_titles(line: str) -> list[str]:
    """What stands in a line between wide gaps, but for signs, as headings: "#,     Go     C++"."""
    return [f"###### {title.strip(' *_`')}" for title in _WIDE_GAP.split(line) if any(map(str.isalpha, title))]


def find_cells(line: str) -> list[str]:
    """The cells of a line in which several reports begin alike; empty where nothing does."""
    if "|" not in line:
        return []
    cells = [cell.strip() for cell in split_row(line)]
    alike = all(len(cell) > _ALIKE and cell.startswith(cells[0][:_ALIKE]) for cell in cells)
    return cells if 1 < len(cells) <= _MOST_CELLS and alike else []


def split_cells(lines: Lines, n: int) -> list[Lines]:
    """The reports in n columns, from the line on that was returned last, numbered as they stand."""
    lines.step_back()
    number, rows = lines.number, list[list[str]]()
    for line in lines:
        if "|" not in line or len(rows) == MOST_BESIDE:
            lines.step_back()
            break
        cells = split_row(line)
        rows.append([cell[cell[:1] == " " :] for cell in cells] if len(cells) == n else [""] * n)
    return [Lines([f"{row[column]}\n" for row in rows], number) for column in range(n)]


# --- containers that share a log ---------------------------------------------------------------------------------------
# "bench-1  | text", "bench_1 | text", "[pod/web-7d9f/app] text"; a container may have a name without a number, too. "gen1: text"
# is of a shell on several machines.
_STREAM = re.compile(
    r"(?P<name>[\w.-]{1,80}?)(?P<number>[-_]\d{1,4})? +\|(?: |$)|\[pod/(?P<pod>[\w./-]{1,200})\](?: |$)"
    r"|(?P<host>(?!\d+:)[A-Za-z\d][\w.-]{0,60}):(?: |$)"
)
# More columns and no prompt, or a figure alone
_CELL = re.compile(r"\s*[^|$#%>\s][^|$#%>]*\|.*|\W*\d[\d.,]*\s?\S{0,8}\s*")
_LONGEST_HOST = 62
MOST_STREAMS = 8  # containers that are: each is read with a blank line for every line of the others
MOST_HOSTS = 32  # machines


def find_stream(line: str) -> re.Match[str] | None:
    """What a log has before a container's line; None: nothing."""
    if "|" not in line and line[:5] != "[pod/" and ":" not in line[:_LONGEST_HOST]:
        return None
    return _STREAM.match(line)


def is_numbered(stream: re.Match[str]) -> bool:
    """Whether that is a container's name, and no table's row: "node-1 | 1200"."""
    if stream["pod"]:
        return True
    return bool(stream["number"]) and not _CELL.fullmatch(stream.string, stream.end(), len(stream.string.rstrip()))


def _may_join(stream: re.Match[str], texts: Mapping[str, object]) -> bool:
    """Whether one more container is told apart: the first one, or another with a number, and not too many of them."""
    if stream["host"] and texts:
        return len(texts) < MOST_HOSTS and _drop_numbers(stream[0]) in map(_drop_numbers, texts)
    return not texts or (bool(stream["number"] or stream["pod"]) and len(texts) < MOST_STREAMS)


def _make_prefix(stream: re.Match[str]) -> str:
    return f"{stream['host']}: " if stream["host"] else stream[0]  # nothing but the name before an empty line


def _drop_numbers(text: str) -> str:
    return re.sub(r"\d+", "#", text.strip())


def split_streams(lines: Lines, first: str) -> Iterator[tuple[str, str, Lines]]:
    """Each container's name, the same with its number, and its lines, numbered as they stand.

    first: the line that was returned last, with which they begin. In the place of other containers' lines stand blank ones.
    """
    number, texts, taken = lines.number, dict[str, dict[int, str]](), 0
    line: str | None = first
    while line is not None:
        stream = find_stream(line)
        prefix = _make_prefix(stream) if stream else ""
        is_new = prefix not in texts
        if stream is None or (is_new and not _may_join(stream, texts)):
            lines.step_back()
            break
        texts.setdefault(prefix, {})[taken] = line[stream.end() :].rstrip("\r\n")
        taken += 1
        line = next(lines, None) if taken < MOST_LINES else None
    for prefix, own in texts.items():
        stream = find_stream(prefix)
        part = Lines([f"{own.get(at, '')}\n" for at in range(taken)], number - 1)
        yield (stream["pod"] or stream["host"] or stream["name"] if stream else prefix), prefix.strip(" |:[]"), part


# --- unified diffs -------------------------------------------------------------------------------------------------------
_OLDER_FILE = "--- "
_HUNK = re.compile(r"@@ -\d{1,9}(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@")
_SIDES = {"-": (0,), "+": (1,), " ": (0, 1), "": (0, 1)}


def opens_diff(line: str, lines: Lines) -> bool:
    """Whether this line names the older one of two files that are compared in the unified format."""
    if not line.startswith(_OLDER_FILE):
        return False
    ahead = lines.ahead(2)
    return len(ahead) == 2 and ahead[0].startswith("+++ ") and _HUNK.match(ahead[1]) is not None


def _name_files(old: str, new: str) -> tuple[str, str]:
    """Their names without folders and endings, or "before" and "after" where these are the same. old, new: the diff's headers."""
    paths = [header[4:].partition("\t")[0].strip() for header in (old, new)]
    names = [path.rpartition("/")[2].rpartition(".")[0] or path for path in paths]
    return (names[0], names[1]) if names[0] != names[1] else ("before", "after")


def split_diff(lines: Lines, first: str) -> tuple[list[tuple[str, Lines]], list[str]]:
    """(the older file's name with its lines, and the newer one's, numbered as they stand; the raw lines that were taken).

    In the place of lines that only the other file has stand blank ones. first: the line that was returned last.
    """
    number, raw = lines.number, [next(lines), lines.raw][1:]
    names, sides, left = _name_files(first, raw[0]), (["", ""], ["", ""]), [0, 0]
    for line in lines:
        if (hunk := _HUNK.match(line)) and not any(left):
            left = [int(count or 1) for count in hunk.groups()]
            own: tuple[int, ...] = ()
        elif any(left) and (of := _SIDES.get(line[:1].strip("\n"))) is not None and len(raw) < MOST_LINES:
            own = of
        else:
            lines.step_back()
            break
        raw.append(lines.raw)
        for side, texts in enumerate(sides):
            texts.append(line[1:].rstrip("\r\n") if side in own else "")
            left[side] -= side in own and left[side] > 0
    parts = [Lines([f"{text}\n" for text in texts], number - 1) for texts in sides]
    return list(zip(names, parts, strict=True)), raw
