"""Lines that a mail client broke: put together again where a format says what a whole one looks like."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from .lines import Lines

Made = TypeVar("Made")
_NARROW = 60  # columns; nobody breaks lines that would be shorter than this


def whole(lines: Lines, line: str, fits: Callable[[str], Made | None], most: int = 2) -> Made | None:
    """What `fits` makes of `line`, or of it with up to `most` lines that follow, which are taken then; None: of neither."""
    text = line.strip()
    found = fits(text)
    if found is not None or len(text) >= 4 * _NARROW:
        return found
    for number, following in enumerate(lines.ahead(most), start=1):
        text = f"{text} {following.strip()}"
        found = fits(text)
        if found is not None:
            for _ in range(number):
                lines.skip_blank()
                next(lines)
            return found
    return None


def rest(lines: Lines, line: str, belongs: Callable[[str], bool]) -> str:
    """`line` with the line that follows, taken, where that `belongs` to it: what is optional at a line's end."""
    following = lines.ahead(1)
    if not following or not belongs(following[0].strip()):
        return line.strip()
    lines.skip_blank()
    next(lines)
    return f"{line.strip()} {following[0].strip()}"


def was_broken(line: str, following: str) -> bool:
    """Whether `line` ends where the first word of the next one would no longer have fitted."""
    word = following.split(None, 1)[0] if following.strip() else ""
    return bool(word) and len(line.rstrip()) >= _NARROW - 5 and len(line.rstrip()) + 1 + len(word) > _NARROW
