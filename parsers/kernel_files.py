"""Files below /proc and /sys that hold counters: how `cat`, `head` and `grep` show them, one or several in a row.

`grep . FILE...` puts the path before each line, `head FILE...` puts "==> FILE <==" above each file.
"""

from __future__ import annotations

import re

from .lines import Lines

PATH = r"(?:/(?:proc|sys)/[\w./@:\\-]{1,300}:)"
_PREFIXED = re.compile(rf"({PATH})(?=\S)(.*)")
_HEADED = re.compile(r"==> (/(?:proc|sys)/\S{1,300}) <==")


def split_path(text: str) -> tuple[str, str]:
    """(path, line of the file) of a line of grep; the path is "" where the line has none."""
    found = _PREFIXED.fullmatch(text)
    return (found[1][:-1], found[2]) if found else ("", text)


def heading_path(text: str) -> str:
    """The path of head's line above a file, or ""."""
    found = _HEADED.fullmatch(text)
    return found[1] if found else ""


def named_files(command: str | None, folder: str) -> list[str]:
    """The files of a folder that a command names, in order: `cat /proc/pressure/cpu /proc/pressure/io`."""
    return re.findall(rf"{folder}(\w[\w.]*)", command or "")


FIGURES = re.compile(r"\d[\d ]*")


def starts_again(lines: Lines, is_known: bool) -> bool:
    """Refuse the line given last where its name was read before: the next print of the file begins."""
    if is_known:
        lines.refuse()
    return is_known
