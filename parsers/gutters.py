"""What stands before each line of one output and is none of it: line numbers, signs of a diff, borders, labels of a log.

Also lines that are listed as strings of JSON. Both are taken off a stretch as a whole, which is then read as a text of its own.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from itertools import islice

from .catalogue import compile_rate_labels, find_kinds, find_opening, formats, load_programs
from .lines import Lines
from .prompts import prompt
from .transcript import QUOTING, USUAL, find_stamp

MOST_LINES = 20_000  # of a log that are taken at once
_ENOUGH = 2  # more lines with the same before them
_BORDERS = "│┃║|"
_TYPED = tuple("$#%[(❯➜")  # with these a prompt begins
_NUMBER = re.compile(
    r"[ \t]{0,8}[L\[]?(?P<number>\d{1,6})(?:\]?(?: ?[:|│→)]|\])[ \t]?|\t| {2}|(?<=[ \t]\d) |(?<=[ \t]\d\d) |(?<=[ \t]\d\d\d) )"
)
_SIGN = re.compile(rf"[ \t]{{0,8}}(?:\+(?!\+)|[{_BORDERS[:-1]}▌▐»¦┆]|\|(?=[^|]*\|\s*$)|:(?= )) ?")
GUTTER = re.compile(rf"(?=[ \t]*[\dL\[])(?:{re.sub('[?]P<[^>]*>', '?:', _NUMBER.pattern)})|{_SIGN.pattern}")
# Its alternatives begin with one class, by which most characters are passed over at once.
_LABEL_END = re.compile(r"[\]:>| \t](?:(?<=[\]:>]) |(?<=\|) (?=[^|]*$)|(?<= - )|(?<=\t)|(?<=stdout F |stderr F ))")
_CLOCK = re.compile(r"[ \t]{0,8}\d\d:\d\d:\d\d\s")  # no line's number
_FIGURES, _TIME = re.compile(r"\d+"), re.compile(r"\d\d:\d\d(?::\d\d)?")
_DIGITS = tuple("0123456789L[")
_LONGEST, _MOST_LABELS = 100, 4  # columns, and ends of a label that are tried
_RIGHT_BORDER = re.compile(rf"\s*[{_BORDERS}]\s*$")


def opens_output(line: str) -> bool:
    """Whether a tool's output begins with this line, or the command that prints one."""
    text = line.strip()
    if text and find_opening(text) is not None:
        return True
    typed = prompt(text) if text else None
    return typed is not None and any(form.command and form.command.search(typed[1]) for form in formats().values())


@lru_cache(maxsize=64)
def find_gutter(line: str) -> str:
    """What stands before the first line of a tool's output, or its command, and may stand before each line; "" for nothing."""
    if not 3 < len(line) <= USUAL:
        return ""
    sign = line.lstrip()[:1]
    first = None if sign.isalpha() or _CLOCK.match(line) else (_NUMBER if sign in _DIGITS else _SIGN).match(line)
    ends = [first.end()] if first else []
    ends += [match.end() for match in islice(_LABEL_END.finditer(line, 0, _LONGEST), _MOST_LABELS)]
    quoting, has_rate = (QUOTING.match(line), compile_rate_labels().search(line)) if ends else (None, None)
    for end in ends:
        rest = line[end:]
        is_quoted = quoting is not None and quoting.end() >= end and not _RIGHT_BORDER.search(rest)
        # A rate stands behind a label, which names it. A number is one only where each line has a rate: see `_fit`.
        is_labelled = has_rate is not None and any(map(str.isalpha, line[:end]))
        if not (is_quoted or is_labelled) and _may_open(rest[find_stamp(rest) :].strip()):
            return line[:end] if prompt(line) is None else ""
    return ""


def _may_open(text: str) -> bool:
    """As `opens_output`, for one of the many places in a text that may be the end of a gutter."""
    is_typed = text[:1] in _TYPED or text.partition(" ")[0] in load_programs()
    return bool(text) and (bool(find_kinds(text)) or is_typed and opens_output(text))


def _find_varying(gutter: str) -> re.Pattern[str]:
    """What finds the parts of a gutter that each line has its own of."""
    return _FIGURES if _NUMBER.fullmatch(gutter) else _TIME


@lru_cache(maxsize=64)
def _compile(gutter: str) -> re.Pattern[str]:
    """The same before another line: with its own number or time, and without blanks where nothing stands behind it."""
    text, varies = gutter.strip(), _find_varying(gutter)
    same, at = "", 0
    for part in varies.finditer(text):
        same, at = same + re.escape(text[at : part.start()]) + varies.pattern, part.end()
    blanks = gutter[len(gutter.rstrip()) :]
    return re.compile(rf"[ \t]{{0,8}}{same}{re.escape(text[at:])}(?:{re.escape(blanks)}|\s*$)")


def _fit(lines: Lines, line: str) -> re.Pattern[str] | None:
    """What stands before this line, returned last, and the next ones; line numbers have to go on by one. None: nothing does."""
    gutter = find_gutter(line)
    ahead = lines.ahead(_ENOUGH) if gutter else []
    if len(ahead) < _ENOUGH:
        return None
    if number := _NUMBER.fullmatch(gutter):
        numbers = [int(match["number"]) for text in ahead if (match := _NUMBER.match(f"{text.rstrip()}  "))]
        if numbers != [int(number["number"]) + 1, int(number["number"]) + 2]:
            return None
        if not gutter.strip()[-1].isdigit() and all(map(compile_rate_labels().search, [line, *ahead])):
            return None  # "1: Requests per second: 300": each is the label of a rate
    start = _find_varying(gutter).split(gutter.strip(), maxsplit=1)[0]
    if not all(text.lstrip().startswith(start) for text in ahead):
        return None  # quicker to see than with patterns of its own: of labels each line has another
    # The blank behind it may be one of the output's own.
    same = (_compile(text) for text in (gutter, gutter.removesuffix(" ")) if text.strip())
    return next((each for each in same if all(map(each.match, [line, *ahead]))), None)


def strip_gutter(lines: Lines, first: str) -> Lines | None:
    """The lines from this one on, returned last, without what stands before each, and behind it. None: nothing does."""
    if column := _find_right_border(lines, first):
        return _strip_right_border(lines, first, column)
    gutter, texts, number = _fit(lines, first), list[str](), lines.number
    if gutter is None:
        return None
    is_box = first.lstrip()[:1] in _BORDERS and _RIGHT_BORDER.search(first) is not None
    line: str | None = first
    while line is not None and ((match := gutter.match(line)) or not line.strip()):
        text = line[match.end() :] if match else ""
        texts.append(_RIGHT_BORDER.sub("", text) if is_box else text)
        line = next(lines, None) if len(texts) < MOST_LINES else None
    if line is not None:
        lines.step_back()
    return Lines([text.rstrip("\r\n") + "\n" for text in texts], number - 1)


def strip_line_numbers(trail: list[tuple[int, str]], line: str, number: int) -> list[tuple[int, str]]:
    """The lines above without line numbers, where these go on to the one of this line, which is the text's `number`th."""
    first = _NUMBER.match(line)
    if first is None:
        return trail
    stripped: list[tuple[int, str]] = []
    for at, text in trail:
        match = _NUMBER.match(f" {text}")
        own = (
            text[match.end() - 1 :].strip()
            if match and int(match["number"]) == int(first["number"]) - number + at
            else ""
        )
        stripped.append((at, own or text))
    return stripped


def ends_in_border(line: str) -> bool:
    """Whether the line's last sign is one that a box has at its right side."""
    return line.rstrip()[-1:] in tuple(_BORDERS)


def _find_right_border(lines: Lines, first: str) -> int:
    """The column of a border that stands behind this line, which opens a tool's output, and behind the next ones; 0 for none."""
    column = len(first.rstrip()) - 1
    if column < 1 or not ends_in_border(first) or first.lstrip()[0] in _BORDERS:
        return 0
    ahead = lines.ahead(_ENOUGH) if _may_open(first[:column].strip()) else []
    same = [line for line in ahead if line[column : column + 2].strip() == first[column]]
    return column if len(same) == len(ahead) == _ENOUGH else 0


def _strip_right_border(lines: Lines, first: str, column: int) -> Lines:
    texts, number, border = list[str](), lines.number, first[column]
    line: str | None = first
    while line is not None and line[column:].strip() == border:
        texts.append(line[:column].rstrip() + "\n")
        line = next(lines, None) if len(texts) < MOST_LINES else None
    if line is not None:
        lines.step_back()
    return Lines(texts, number - 1)


# --- lines listed as JSON ----------------------------------------------------------------------------------------------
_LIST = re.compile(r'\s*"(?:[\w.]*stdout_lines|msg|text)": \[\s*$')
_LISTED = re.compile(r'\s*("(?:[^"\\]|\\.)*"),?\s*$')


def opens_list(line: str) -> bool:
    """Whether an automation tool lists what a command printed from the next line on, a string a line."""
    return '": [' in line and _LIST.match(line) is not None


def unlist(lines: Lines) -> Lines:
    """The listed lines that come next, as the command printed them."""
    number, texts = lines.number, list[str]()
    for line in lines:
        listed = _LISTED.match(line)
        if listed is None or len(texts) == MOST_LINES:
            lines.step_back()
            break
        try:
            texts.append(json.loads(listed[1], strict=False))
        except ValueError:  # an escape that JSON does not have
            texts.append(listed[1][1:-1])
    return Lines([" ".join(text.split("\n")) + "\n" for text in texts], number)


# --- a diff without its head --------------------------------------------------------------------------------------------
_SIGNED = re.compile(r"[-+ ](?=\S)|[-+] (?=\S)")
_FEW_SIGNED, _MOST_SIGNED = 6, 200  # lines


def may_be_signed(line: str) -> bool:
    """Whether a diff of two reports may begin with this line, though the lines that name its files were left out."""
    sign = _SIGNED.match(line)
    opening = find_opening(line[sign.end() :]) if sign and not line.startswith("--") else None
    return opening is not None and any(formats()[kind].tool for kind in opening[0])


def split_signed(lines: Lines, first: str) -> tuple[int, list[tuple[str, Lines]]]:
    """(number of the line behind, what was there before and after by name) of a diff; nothing unless both have a rate of their own.

    first: the line that was returned last.
    """
    number, ahead, n_signed = lines.number, list[str](), 0
    for most in (_FEW_SIGNED, _MOST_SIGNED):  # few more lines are signed of most outputs whose first one is
        if n_signed == len(ahead):
            ahead = lines.ahead(most)
            n_signed = next((at for at, line in enumerate(ahead) if line[:1].strip() not in ("", "-", "+")), len(ahead))
    signed, behind = [first, *ahead[:n_signed]], number + n_signed + 1
    rated = {line[0] for line in signed if line[:1].strip() and compile_rate_labels().search(line)}
    if rated != {"+", "-"}:
        return behind, []
    for _ in range(n_signed):
        next(lines)
    sides = ("before", "-"), ("after", "+")
    texts = (
        [line[1:].rstrip("\r\n") if line[:1].strip() in ("", sign) else "" for line in signed] for _, sign in sides
    )
    parts = (Lines([f"{text}\n" for text in own], number - 1) for own in texts)
    return behind, [(name, part) for (name, _), part in zip(sides, parts, strict=True)]
