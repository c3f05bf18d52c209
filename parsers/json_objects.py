"""A JSON object that stands in a text, on one line or over many: what tools print with --json.

Its end is found by counting brackets, a character at a time and each once, however the text is made up.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from .lines import Lines
from .records import Found
from .units import number

_MOST_LINES, _MOST_SIZE, _DEEPEST = 4000, 400_000, 60
_SIGN = re.compile(r'["{}\[\]\\]')
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
    text = _take(lines, taken)
    try:
        found = json.JSONDecoder(parse_constant=lambda _: None, strict=False).raw_decode(text)[0]
        values = {name: value for name, value in read(found).items() if value is not None and value != {}}
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


def figure(tree: Any, *path: str, factor: float = 1) -> Any:
    """The number that stands at `path` in a tree of objects, times `factor`; None where none does."""
    for name in path:
        tree = tree.get(name) if isinstance(tree, dict) else None
    if isinstance(tree, bool) or not isinstance(tree, int | float):
        return None
    try:
        value = number(repr(tree))
    except ValueError:  # beyond all bounds
        return None
    return value if factor == 1 else round(value * factor, 9)


def figures(tree: Any, *path: str, factor: float = 1) -> dict[str, Any]:
    """The numbers of the object at `path`, by their names."""
    for name in path:
        tree = tree.get(name) if isinstance(tree, dict) else None
    found = {name: figure(tree, name, factor=factor) for name in tree} if isinstance(tree, dict) else {}
    return {name: value for name, value in found.items() if value is not None}


def find_text(tree: Any, name: str) -> str | None:
    """The text at `name`; None where there is none."""
    value = tree.get(name) if isinstance(tree, dict) else None
    return value if isinstance(value, str) and value else None
