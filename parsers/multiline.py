"""What stands on several lines: one that a mail client or a narrow terminal broke, and objects of JSON.

The end of an object is found by counting brackets, a character at a time and each once, however the text is made up.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, TypeVar

from .lines import Lines
from .records import Found
from .units import number

Made = TypeVar("Made")
_NARROW = 60  # columns; nobody breaks lines that would be shorter than this
_MAIL = 77  # columns; a longer line was not broken by a mail client
_SYSSTAT = 80  # columns; a longer line was not broken


def match_joined(lines: Lines, line: str, fits: Callable[[str], Made | None], most: int = 2) -> Made | None:
    """What `fits` makes of `line`, or of it with up to `most` lines that follow, which are taken then; None: of neither."""
    text = line.strip()
    made = fits(text)
    if made is not None or len(text) >= 4 * _NARROW:
        return made
    for used, following in enumerate(lines.ahead(most), start=1):
        text = f"{text} {following.strip()}"
        made = fits(text)
        if made is not None:
            lines.take_next(used)
            return made
    return None


def join_rest(lines: Lines, line: str, belongs: Callable[[str], object]) -> str:
    """`line` with the line that follows, taken, where that `belongs` to it: what is optional at a line's end."""
    return f"{line.strip()} {lines.take_below(belongs)[1]}".rstrip()


def was_broken(line: str, following: str) -> bool:
    """Whether `line` ends where the first word of the next one would no longer have fitted."""
    word = following.split(None, 1)[0] if following.strip() else ""
    return bool(word) and len(line.rstrip()) >= _NARROW - 5 and len(line.rstrip()) + 1 + len(word) > _NARROW


def rejoin(lines: Lines, text: str, continues: re.Pattern[str]) -> str:
    """`text` with the following lines, which are taken, as far as a mail client has broken it. continues: what such a line is."""
    piece = text
    while len(piece) <= _MAIL and (following := (lines.peek() or "").strip()) and continues.fullmatch(following):
        if not was_broken(piece, following):
            break
        next(lines)
        piece = following
        text = f"{text} {piece}"
    return text


def peek_rest(lines: Lines, line: str, begins: re.Pattern[str]) -> str:
    """The next line, where it may have been broken off this one and none `begins` with it; it is not taken."""
    ahead = lines.ahead(1) if len(line) <= _SYSSTAT else []
    more = ahead[0].strip() if ahead else ""
    return more if more and was_broken(line, more) and not begins.match(more) else ""


# --- an object of JSON, on one line or over many --------------------------------------------------------------------------
_MOST_LINES, _MOST_SIZE, _DEEPEST = 4000, 400_000, 60
_SIGN = re.compile(r'["{}\[\]\\]')
_COMMA_LAST = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])')  # left where somebody took an object's last part out
_TRIED = "json"  # what Lines.memory has: the last line of an object that was none
_BEGINNING = "json begins"  # and (line before and quoting, what `peek_beginning` said there)


def take_object(
    lines: Lines, begins: re.Pattern[str], read: Callable[[dict[str, Any]], dict[str, Any]]
) -> Found | None:
    """What `read` makes of the object that begins with the next line that is not blank; None, with nothing taken, of none.

    begins   pattern of how the object begins, without blanks between its signs
    read     (object) -> values; a value that is None, or an empty table, is left out
    """
    if lines.number < lines.memory.get(_TRIED, 0):
        return None  # inside one that was tried
    if not begins.match(peek_beginning(lines)):
        return None
    taken = lines.skip_blank()
    first = lines.number + 1
    text = _COMMA_LAST.sub(lambda match: match[1] or "", _take(lines, taken))
    try:
        tree = json.JSONDecoder(parse_constant=lambda _: None, strict=False).raw_decode(text)[0]
        values = {name: value for name, value in read(tree).items() if value is not None and value != {}}
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError):  # no JSON, or of another shape
        values = {}
    if values:
        return Found(values, first, lines.number)
    lines.memory[_TRIED] = lines.number
    lines.back(*taken)
    return None


def peek_beginning(lines: Lines) -> str:
    """How the next lines begin, without blanks; the reader asks for it, and then the format that it is of."""
    where = lines.number, lines.prefix
    if lines.memory.get(_BEGINNING, ("",))[0] != where:
        text = "".join("".join(line[:200] for line in lines.ahead(3)).split())
        lines.memory[_BEGINNING] = where, text
    return str(lines.memory[_BEGINNING][1])


def _take(lines: Lines, taken: list[str]) -> str:
    """The lines up to the bracket that closes the first one, as one; "" where it is not closed. Raw they are in `taken`."""
    scan, size, indent = _Scan(), 0, -1
    texts: list[str] = []
    for line in lines:
        text = line.strip()
        at = len(line) - len(line.lstrip())
        if texts and text.startswith("{") and at <= indent:
            lines.step_back()
            return ""  # the next one begins
        indent = at if indent < 0 else indent
        texts.append(text)
        taken.append(lines.raw)
        size += len(text)
        if scan.ends_in(text):
            return " ".join(texts)
        if len(texts) > _MOST_LINES or size > _MOST_SIZE or scan.depth > _DEEPEST:
            break
    return ""


class _Scan:
    """How deep in brackets a text is; those within strings do not count."""

    def __init__(self) -> None:
        self.depth = 0
        self.in_string = False

    def ends_in(self, text: str) -> bool:
        """Go on through `text`. True where it has the bracket that closes the first one."""
        escaped = -1
        for sign in _SIGN.finditer(text):
            if sign.start() == escaped:
                continue
            if sign[0] == "\\":
                escaped = sign.end()
            elif sign[0] == '"':
                self.in_string = not self.in_string
            elif not self.in_string:
                self.depth += 1 if sign[0] in "{[" else -1
                if not self.depth:
                    return True
        return False


def _find(tree: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        tree = tree.get(name) if isinstance(tree, dict) else None
    return tree


def figure(tree: Any, *path: str, factor: float = 1) -> Any:
    """The number that stands at `path` in a tree of objects, times `factor`; None where none does."""
    tree = _find(tree, path)
    if isinstance(tree, bool) or not isinstance(tree, int | float):
        return None
    try:
        value = number(repr(tree))
    except ValueError:  # beyond all bounds
        return None
    return value if factor == 1 else round(value * factor, 9)


def figures(tree: Any, *path: str, factor: float = 1) -> dict[str, Any]:
    """The numbers of the object at `path`, by their names."""
    tree = _find(tree, path)
    numbers = {name: figure(tree, name, factor=factor) for name in tree} if isinstance(tree, dict) else {}
    return {name: value for name, value in numbers.items() if value is not None}


def find_text(tree: Any, name: str) -> str | None:
    """The text at `name`; None where there is none."""
    value = _find(tree, (name,))
    return value if isinstance(value, str) and value else None
