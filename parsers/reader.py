"""One forward pass over a text: finds where a tool's output begins, lets its format read it, and adds heading and command."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from . import transcript
from .blocks import UNFORESEEN, Block
from .catalogue import (
    UNKNOWN,
    Format,
    Parse,
    claimed,
    compile_beginnings,
    compile_rate_labels,
    find_opening,
    formats,
    join_openings,
    load_programs,
)
from .context import BEGINS_TIME, CHANGED, MOST_LOST, Context
from .decode import MAX_LINE
from .gutters import GUTTER, ends_in_border
from .lines import Lines
from .multiline import peek_beginning
from .patterns import join_by_first_character, keep_short, keep_to_line, number_names, split_alternatives
from .prompts import ANY_PROMPT, BARE_COMMAND, COMMAND_IN_PROSE, PROMPT_SIGNS, prompt
from .records import Found, Problem, Values
from .shown import SHOWN
from .streams import may_split, split
from .unread_rates import check_rates, find_stated_rates, find_unread_rates, is_exact_rate, note_labels

# The first line of a report, behind another program's output that had no line end.
_GLUED = re.compile(
    r"(?:(?<=[\])}\"'.;>\d\w])|(?<=\s\s))"
    r"(?:Running \d+(?:\.\d+)?[smh] test @ \w+://\S+\s*$|This is ApacheBench, Version \d|Bombarding \w+://\S"
    r"|\*\* SIEGE \d|starting vacuum\.\.\.|top - \d\d:\d\d)"
)
_REMARK = re.compile(  # behind a rate, where its units end
    r"\d(?:\[#/sec\]|\(mean\)|trans/sec|req/s(?:ec)?|\s)*+(?:[(（]|<-+|←|#|//|--)\s*(?!mean\b)([^\W\d][^\d()（）]{1,58}?)[)）]?\s*$"
)
_MOST_OTHERS = 8  # lines behind which a run of plain lines is looked for once more, where others come
# Lines at the beginning that are looked at one by one: most texts are short. The pattern for those behind them takes 0.9 s to
# compile, in which several thousand lines are looked at: a process compiles it at its first long text.
_LOOKED_AT, _MOST_LOOKED_AT = 60, 1_000
# Whoever repeats a load test so often prints more of it, or means the samples of a monitor.
MOST_SHORT, SHORT_LINES = 5_000, 5
# Lines that look like the beginning of an output that they do not begin: so many, and one more in each so many lines
MOST_FAILED, FAILING = 500, 50
_GLUED_SIGN = re.compile(r"//|ApacheBench|\*\* SIEGE|\.\.\.end|top - ")


def read(lines: Iterable[str]) -> Iterator[Block]:
    """Blocks of tool output in `lines` (text lines, with or without their line ends), in order, each as soon as it is read.

    The last line of a Text, which is complete, counts without a line end unless it truncates a report.
    Never raises on any text; what cannot be read is in the `problems` of the blocks. A bug in a format is logged and costs its
    block only. A text without any block that has problems yields one block without values. Exceptions of the text's source are
    passed on. Memory does not grow with the length.
    """
    source, context = Lines(lines), Context()
    before: Block | None = None
    rates = set[float]()
    for block in _read_guarded(source, context):
        if block.last - block.first < SHORT_LINES and block.load_results:
            context.n_short += 1
            if before is not None and context.n_short > MOST_SHORT:
                before.problems.append(_describe_limit(block.first))
                break
        rates |= block.rates
        yield block
        before = block
    skipped = _describe_skipped(context)
    if before is not None:
        before.problems += (
            context.unread + find_stated_rates(context.stated, rates) + _take_too_long(source, source.number) + skipped
        )
        before.tail, before.shown_behind = context.trail, context.shown
    elif lost := context.lost + skipped or find_stated_rates(
        [each for each in context.stated if is_exact_rate(each[1])][:MOST_LOST], ()
    ):
        yield Block(UNKNOWN, lost[0].line, lost[-1].line, partial=True, problems=lost)


def _describe_limit(line: int) -> Problem:
    """What is said of the line at which reading ends."""
    many = f"more than {MOST_SHORT} rates, tables and reports of fewer than {SHORT_LINES} lines"
    return Problem(line, f"{many}: nothing was read from here on. Send the text in parts")


def _describe_skipped(context: Context) -> list[Problem]:
    """A problem with all lines that were not tried, if any."""
    if not context.skipped:
        return []
    first, last, n = context.skipped
    many = f"{n} lines that look like the beginning of a table or report were skipped from here to line {last}"
    return [Problem(first, f"{many}, as {MOST_FAILED} before them began none. Send the text in parts")]


def _read_guarded(source: Lines, context: Context) -> Iterator[Block]:
    """The blocks of some lines. A bug in a format becomes a block without figures, and reading continues after it."""
    reading = _read_blocks(source, context)
    while True:
        number = source.number
        try:
            block = next(reading, None)
        except UNFORESEEN as failure:  # a generator that raised is at its end
            if source.fetching:
                raise
            block, reading = _give_up(source, context, number, failure), _read_blocks(source, context)
        if block is None:
            return
        yield block


def _take_too_long(source: Lines, last: int) -> list[Problem]:
    """A problem for each line up to this one that was too long to be read and not yet reported."""
    numbers = [number for number in source.too_long if number <= last]
    del source.too_long[: len(numbers)]
    return [Problem(number, f"a line of more than {MAX_LINE // 1024} KiB: it was not looked at") for number in numbers]


def _give_up(source: Lines, context: Context, number: int, failure: Exception) -> Block:
    """A block without figures for the lines after `number` at which reading failed; reading continues after them."""
    kind, first = context.tried or (UNKNOWN, source.number)
    context.tried, first = None, max(first, number + 1)
    while source.number < first and next(source, None) is not None:
        pass  # what the format put back is not tried once more
    block = Block(kind, first, max(source.number, first))
    block.fail(failure)
    return block


def _read_blocks(source: Lines, context: Context) -> Iterator[Block]:
    begins = compile_beginnings()
    line: str | None = ""
    last: Block | None = None
    is_behind = False  # whether a block ends above: one more of them is likelier than a run of plain lines
    torn = 0  # the number of the last line whose end was given once more: each is torn once
    n_others = 0  # places in turn where no run of plain lines began
    # Behind this line no run of plain lines is looked for: what ends a run begins none.
    looked_at = _LOOKED_AT if compile_plain_lines.cache_info().currsize else _MOST_LOOKED_AT
    while line is not None and not 0 < source.until <= source.number:
        block = None
        if source.empty():
            context.in_output = False
        if usual := source.begins(begins):
            block = _read_usual(source, formats()[usual], context)
        elif source.number > looked_at and not is_behind:
            if rows := source.take_rows(compile_plain_lines()):
                looked_at, n_others = source.number, 0
                context.add_rows(source.number - len(rows), rows, source)
                source.skip_repeats(len(rows), sum(map(len, rows)) + len(rows))
                continue
            n_others += 1
            looked_at = source.number + min(n_others // 4, _MOST_OTHERS)
        if block is None:
            line = next(source, None)
            if line is not None and not (last and last.first < last.last >= source.number - 1):
                line = source.end_text(line)
            if source.stamp:
                context.add_stamp(source.number, source.stamp)
            if not line or line.isspace():
                context.in_output = False
                source.skip_repeats()
            elif not (signs := (_find_signs if len(line) <= transcript.USUAL else _find_signs.__wrapped__)(line)):
                block = _read_claimed(source, line, context)
            elif (opening := find_opening(line)) and _is_spent(opening[0][0], source.number, context):
                context.skip(source.number)
            elif signs.may_split and (parts := split(source, line, context)):
                for part in parts:
                    part.depth = source.depth + 1
                    yield from _read_guarded(part, context)
                line = ""
            elif source.number != torn and (glued := signs.glued):
                torn = source.number
                if prompt(line[:glued]) is not None:
                    context.add_line(source.number, line[:glued], source)
                source.put_rest(line[glued:])
            elif opening:
                context.take_label(source.number, opening[0])
                block = _read_opened(source, line, *opening, context)
            else:
                block = _read_claimed(source, line, context)
        is_behind = block is not None
        if block is not None:
            yield block
            last = block
            form = formats()[block.kind]
            if form.follows is not None:
                yield from _read_following(source, form, form.follows, context)
            line = ""


def _is_spent(kind: str, number: int, context: Context) -> bool:
    """Whether so many lines of this kind up to this one began nothing that the next one is not tried."""
    return context.n_failed[kind] >= MOST_FAILED + number // FAILING


class _Signs(NamedTuple):
    """glued: as `_find_glued` has it; may_split: whether several outputs may stand in one stretch from the line on."""

    glued: int
    may_split: bool


@lru_cache(maxsize=4096)  # short lines recur
def _find_signs(line: str) -> _Signs | None:
    """What a line alone shows; None if no tool's output and no interleaved outputs can begin with it."""
    glued, several = _find_glued(line), may_split(line)
    if not (glued or several or find_opening(line)):
        return None
    return _Signs(glued, several or ends_in_border(line))


def _read_usual(source: Lines, form: Format, context: Context) -> Block | None:
    """The block that begins here in its usual form; None if the form differs, and the line is read like any other."""
    number = source.number
    context.take_label(number + 1, (form.kind,))
    usual = _parse_quoted(source, form, "", context, context.pending_command)
    return _make_block(source, form, usual, context) if usual and source.number > number else None


def _find_glued(line: str) -> int:
    """Where a report begins on a line after another program's output or the command; 0 if none does."""
    match = _GLUED.search(line) if _GLUED_SIGN.search(line) else None
    if not match or not any(map(str.isalnum, front := line[: match.start()])):
        return 0
    return match.start() if not front[-1].isspace() or prompt(front) is not None else 0


def _read_opened(
    source: Lines, line: str, kinds: tuple[str, ...], prefix: str, label: str | None, context: Context
) -> Block | None:
    """The block that begins with the last line; None if it is no block, and its lines stay unread."""
    number, raw = source.number, source.raw
    source.step_back()
    opened = [formats()[kind] for kind in kinds]
    above, found, form = source.raw, None, opened[0]
    for form in opened if line[len(prefix) :].lstrip()[:1] != "{" else _select_json(source, opened, prefix):
        if source.number == number:
            source.raw = raw  # the format before may have looked further, and put back what it saw
            source.step_back()
        source.raw = above
        if source.number == number - 1:
            found = _parse_quoted(source, form, prefix, context, context.pending_command)
        if found is not None:
            break
    if found and source.number >= number:
        block = _make_block(source, form, found, context, prefix, label)
        if form.inline and block.first == block.last == number and (match := _REMARK.search(line[: transcript.USUAL])):
            block.remark = match[1].strip()
        return block
    context.n_failed[kinds[0]] += 1
    if source.number < number:  # the format gave its own opening line back: go on behind it
        next(source)
    if source.number == number:  # it only looked like it: "MaxClients 50" as a heading
        source.raw = raw  # which is what may be repeated; what the formats put back is behind it
        context.add_line(number, line, source)
        source.skip_repeats()
    return None


def _select_json(source: Lines, opened: list[Format], prefix: str) -> list[Format]:
    """The formats whose JSON begins like the next lines, and those without JSON."""
    source.prefix = prefix
    beginning = peek_beginning(source)
    source.prefix = ""
    return [form for form in opened if form.json is None or form.json.match(beginning)]


def _parse_quoted(source: Lines, form: Format, prefix: str, context: Context, command: str | None) -> Found | None:
    """What a format reads from the next line on. A rate that it took and did not read becomes a problem."""
    source.prefix, source.prose, source.rows_above = prefix, context.trail, context.rows_above
    source.watched = compile_rate_labels() if form.inline or form.semantics else None
    try:
        quoted = _try_parse(form, form.parse, source, context, command)
    finally:
        source.prefix, source.watched = "", None
        seen, source.seen = source.seen, {}
    taken = {number: line for number, line in seen.items() if number <= (quoted.last if quoted else source.number)}
    if quoted and taken:
        note_labels(source.memory, form, quoted, taken)
        known = {problem.line for problem in quoted.problems}
        quoted.problems += [problem for problem in check_rates(form, quoted, taken) if problem.line not in known]
    elif taken:
        context.add_problems(find_unread_rates(taken))
    return quoted


def _try_parse(form: Format, parse: Parse, source: Lines, context: Context, command: str | None) -> Found | None:
    """What a format reads; None also if a figure does not parse ("1.2.3"), with a problem."""
    first = source.number + 1
    context.tried = form.kind, first
    source.mark()
    try:
        found = parse(source, command)
    except (ValueError, OverflowError) as error:
        if source.fetching:
            raise
        message = f"this began like the output of {form.kind}, and was not read: {str(error)[:80]}"
        context.add_problems([Problem(first, message)])
        source.return_to_mark()
        found = None
    if found is not None and not found.values and found.problems:
        context.add_lost(found.problems)
        found = None
    if found is None:
        context.tried = None
    return found


def _read_following(source: Lines, form: Format, follows: Parse, context: Context) -> Iterator[Block]:
    """The blocks directly after the last one that only its own format recognises."""
    first = 0
    while True:
        number, source.prefix = source.number, source.quoting
        try:
            found = _try_parse(form, follows, source, context, context.pending_command)
        finally:
            source.prefix = ""
        if found is None:
            return
        yield _make_block(source, form, found, context, source.quoting)
        if source.number == number and found.label is None and found.first <= first:
            return  # it took no line; only what is labelled may stand on one line with others
        first = found.first


def _read_claimed(source: Lines, line: str, context: Context) -> Block | None:
    """Note a line that no tool printed; if it is a command whose output has one format, read that output."""
    number = source.number
    context.add_line(number, line, source)
    command = context.command
    if command is None or command.line != number or not (forms := claimed(command.text)):
        source.skip_repeats()
        return None
    for form in forms:
        found = _parse_quoted(source, form, command.prefix, context, command.text)
        if found:
            return _make_block(source, form, found, context, command.prefix)
    return None


def _make_block(
    source: Lines, form: Format, found: Found, context: Context, prefix: str = "", label: str | None = None
) -> Block:
    source.quoting = prefix
    for caption in found.captions:
        context.retitle(*caption)
    line, heading = context.heading or (None, None)
    if heading and prefix and not label and prefix.strip():
        heading = transcript.unquote(heading, prefix).strip()
    # Another format may have tried these lines before and not read them.
    if context.unread:
        context.unread = [problem for problem in context.unread if not found.first <= problem.line <= found.last]
    if source.too_long:
        found.problems[:0] = _take_too_long(source, found.last)
    found.problems[:0] = context.take_unread(form, found)
    if source.cut == found.last and all(problem.line != source.cut for problem in found.problems):
        message = f"the text ends in {source.cut_text!r}, without a line end: the number may be cut off"
        found.problems.append(Problem(source.cut, message))
    # A format may begin above the line that opened it.
    context.trail = [heading for heading in context.trail if heading[0] < found.first]
    values, figure_lines = found.values, found.lines
    if isinstance(values, Values):
        figure_lines, values = values.lines, values.as_dict()
    block = Block(
        kind=form.kind,
        first=found.first,
        last=found.last,
        values=values,
        figure_lines=figure_lines,
        heading=heading,
        heading_line=line,
        label=label or found.label,
        partial=found.partial,
        problems=found.problems,
        is_quoted=prefix.lstrip()[:1] == ">",
        **context.end_block(form, found.values),
    )
    context.tried = None
    if form.tool is not None:
        _ = block.records  # which tells of rates that cannot be
    return block


# --- runs of lines that begin nothing: found in one match, so that none is looked at by itself ---------------------------
# Characters of a line, and gaps in it, behind each of which an output may begin: a longer one is looked at by itself.
_LONGEST_PLAIN, _MOST_GAPS = 100, 8
_SHORT = 9  # characters of a line that is held only against what so short a text may match
_MOST_PLAIN = 500  # lines that are taken at once
_APART = " |│┃║+"  # right behind one of these an output may begin on a line that has something else before it
# A sign that is no part of what `transcript.clean` takes away, of a time, or of a list in JSON
_PLAIN_SIGN = (
    rf'[^\w\s<&^\[{{:"{_APART}\x00-\x1f\x7f-\xa0\xad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f\u2060\u3000\ufeff]'
    r"|<(?![A-Za-z/!])|&(?![#A-Za-z])|\^(?![\[CZ\\])|\[(?![\dHK/]|(?i:code|quote|pre|noparse|size|color|url|[biu]\]))|\{(?!noformat|code|quote|panel|color)"
    r'|:(?!(?<=\d:) ?\d)|"(?!: \[)'
)
# Anywhere on a line, beside rates: of a time, of codes, and of a report behind another program's output.
_TELLING_SIGNS = ("時", "时", "点", "點", "ESC", "//", "ApacheBench", "** SIEGE", "...end", "top - ")


@cache
def compile_plain_lines() -> re.Pattern[str]:
    """Lines, with their ends, of which none begins an output, is a prompt, or tells a rate or a time, and none is repeated.

    Empty lines may follow each. Made of the patterns that tell what a line begins. It need not match all such lines: others
    are looked at one by one.
    """
    lengths = ((1, _SHORT), (_SHORT + 1, _LONGEST_PLAIN))
    # Wide signs are narrowed, and with a blank at a line's end patterns do not see that it ends.
    lines = "|".join(
        rf"(?=[^\n\uff01-\uff5e]{{{least},{most}}}(?<! )\n){_describe_plain_line(most)}" for least, most in lengths
    )
    return re.compile(rf"(?:(?>{number_names(keep_to_line(lines))})\n++){{1,{_MOST_PLAIN}}}+", re.MULTILINE)


def _describe_plain_line(most: int) -> str:
    """What matches such a line of so many characters at most."""
    prompts = keep_short(ANY_PROMPT.pattern, most)
    typed = rf"(?:(?=[^\n{PROMPT_SIGNS}]*+[{PROMPT_SIGNS}])|(?={BARE_COMMAND.pattern}))(?:{prompts})"
    output = rf"(?:{join_by_first_character(keep_short(join_openings(), most))}|(?=[$#%\[(❯➜]){typed})"
    quoting = rf"(?= *(?:[^\w\s]|\d{{1,2}}[.)]\s))(?>{transcript.QUOTING.pattern})"
    shown = join_by_first_character(keep_short(SHOWN.pattern, most))
    start = (
        rf"--- |==|(?:=+|-+) *$|\[pod/|[\w.-]{{1,80}} +\||(?P<line>[^\n]*\n)(?P=line)|{transcript.STAMP.pattern}"
        rf"|{BEGINS_TIME.pattern}|{CHANGED.pattern}|\s*+(?:{shown}|{transcript.FILE_HEAD.pattern})"
        rf"|(?i:{COMMAND_IN_PROSE.pattern})|(?: *+`?|{quoting}){typed}"
        rf"|(?: *+|{quoting}|(?>{GUTTER.pattern})){output}"
    )
    names = "|".join(map(re.escape, sorted(load_programs())))
    # Behind one blank no output begins, unless a sign or the label of a log stands before that; nor in any cell but the last.
    blank = r"(?<=[,=\"'}]) |(?<!  )\| (?=[^|\n]*\|)"
    beginning = rf"[{_APART}](?:(?= )|(?!{output}))"
    word = rf"(?!(?:{names})(?![\w-]))\w++(?:(?<!F) )?+|{blank}|{beginning}|{_PLAIN_SIGN}"
    few_words = rf"(?!\s*\n)(?=(?:[^ \n]*+ ++){{0,{_MOST_GAPS}}}+[^ \n]*+\n)"
    return rf"{few_words}(?!{keep_short(start, most)}){_exclude_rates()}(?:{word})++"


def _exclude_rates() -> str:
    """What matches a line without any text that one has that tells a rate, whatever the case."""
    labels = split_alternatives(compile_rate_labels().pattern)
    needs = [need for form in formats().values() for need in form.needs]
    texts = sorted({text.lower() for text in (*needs, *labels, *_TELLING_SIGNS)}, key=len)
    shortest = [text for at, text in enumerate(texts) if not any(other in text for other in texts[:at])]
    first = "".join(sorted({case(text[0]) for text in shortest for case in (str.lower, str.upper)}))
    rests = "|".join(
        rf"{_ignore_case(sign)}(?!{'|'.join(_ignore_case(text[1:]) for text in shortest if text[0] == sign)})"
        for sign in sorted({text[0] for text in shortest})
    )
    return rf"(?=(?:[^{re.escape(first)}\n]++|{rests})*+\n)"


def _ignore_case(text: str) -> str:
    return "".join(f"[{sign}{sign.upper()}]" if sign.isalpha() else re.escape(sign) for sign in text)
