"""Which dialect a config text is written in, by its path and by the shape of its lines."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from . import apache, ini, lighttpd, nginx
from .records import Directive, Parsed, elided, significant

Reader = Callable[[str], tuple[list[Directive], list[int]]]
# So much of a text must be the dialect's: by its shape alone, and where its path says so too.
BY_LOOK, BY_PATH = 0.8, 0.4
MOST_UNREAD = 0.2
MOST_CHARACTERS = 1_000_000


@dataclass(frozen=True, slots=True)
class Dialect:
    """`paths` is searched for in the text's path; `fits` gives the share of lines that have the dialect's shape."""

    name: str
    paths: re.Pattern[str]
    fits: Callable[[list[str]], float]
    parse: Reader
    comment: str


def _paths(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


# The more telling shapes first: a text that fits two is the first one's.
DIALECTS = (
    Dialect(nginx.NAME, _paths(r"nginx"), nginx.fits, nginx.parse, nginx.COMMENT),
    Dialect(
        apache.NAME, _paths(r"httpd|apache|\.htaccess|vhost|mpm_?\w*\.conf"), apache.fits, apache.parse, apache.COMMENT
    ),
    Dialect("sysctl", _paths(r"sysctl"), ini.sysctl_fits, ini.sysctl, ini.COMMENT),
    Dialect(lighttpd.NAME, _paths(r"lighttpd"), lighttpd.fits, lighttpd.parse, lighttpd.COMMENT),
    Dialect("ini", _paths(r"\.ini$|\.cnf$|php-fpm|/pool\.d/"), ini.ini_fits, ini.ini, ini.COMMENT),
    Dialect("key and value", _paths(r"(?!)"), ini.generic_fits, ini.generic, ini.COMMENT),
)
_COMMENTS = {dialect.comment for dialect in DIALECTS}


def read(text: str, path: str = "", dialect: str | None = None) -> Parsed | None:
    """The text's directives, or None where it is written in no dialect that is known here."""
    whole, text = text, text[:MOST_CHARACTERS]
    for candidate in _candidates(text, path) if dialect is None else _named(dialect):
        directives, unread = candidate.parse(text)
        lines = sum(1 for _ in significant(text, candidate.comment))
        if dialect is not None or (directives and len(unread) <= MOST_UNREAD * lines):
            return Parsed(candidate.name, tuple(directives), tuple(unread), elided(text) or text != whole)
    return None


def _named(name: str) -> list[Dialect]:
    return [dialect for dialect in DIALECTS if dialect.name == name]


def _candidates(text: str, path: str) -> list[Dialect]:
    hinted, looking = [], []
    by_comment = {comment: [line for _, line in significant(text, comment)] for comment in _COMMENTS}
    for dialect in DIALECTS:
        lines = by_comment[dialect.comment]
        share = dialect.fits(lines) if lines else 0.0
        if dialect.paths.search(path) and share >= BY_PATH:
            hinted.append(dialect)
        elif share >= BY_LOOK:
            looking.append(dialect)
    return hinted + looking
