"""httpd: directives whose names know no case, in <Sections>; a backslash at a line's end goes on in the next."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .records import MOST_DEEP, Directive, joined, significant, words

NAME = "httpd"
COMMENT = "#"
_SECTION = re.compile(r"<(/?)([A-Za-z]\w*)(?:\s(.*))?>", re.DOTALL)
_DIRECTIVE = re.compile(r"([A-Za-z][\w.]*)(?:\s+(.*))?", re.DOTALL)
# So many words of these say what is set, the rest to what.
_KEYED = dict.fromkeys(
    {
        *("loadmodule", "setenv", "passenv", "define", "alias", "aliasmatch", "scriptalias", "scriptaliasmatch"),
        *("addtype", "addhandler", "addoutputfilter", "addoutputfilterbytype", "addinputfilter", "addencoding"),
        *("addlanguage", "addcharset", "errordocument", "proxypass", "proxypassreverse", "customlog", "redirectmatch"),
        *("php_value", "php_flag", "php_admin_value", "php_admin_flag", "wsgiscriptalias", "wsgidaemonprocess"),
    },
    1,
) | {"header": 2, "requestheader": 2, "logformat": 1}
# Directives that are read as one list, in their order.
_FAMILIES = {"rewritecond": "rewrite rules", "rewriterule": "rewrite rules"}
# The names that 2.4 gave to directives that it kept.
RENAMED = {"maxclients": "maxrequestworkers", "maxrequestsperchild": "maxconnectionsperchild"}


_SHAPED = re.compile(r"</?[A-Za-z][^<>]*>|(?:[A-Z][A-Za-z0-9]+|php_\w+|order|allow|deny)(?:\s+[^=\s].*)?\\?")
# An XML file has sections as well, but what it sets stands in their attributes.
_XML = ("<?xml", "<!--", "<!DOCTYPE")


def fits(lines: list[str]) -> float:
    """The share of lines that may be httpd's."""
    if any(line.startswith(_XML) or line.endswith("/>") for line in lines):
        return 0.0
    return sum(bool(_SHAPED.fullmatch(line)) and not line.endswith((";", "{")) for line in lines) / len(lines)


def parse(text: str) -> tuple[list[Directive], list[int]]:
    """(directives, offsets of lines that are none)."""
    found: list[Directive] = []
    unread: list[int] = []
    stack: list[tuple[str, str]] = []
    for at, line in _whole(text):
        section = _SECTION.fullmatch(line)
        if section and not section[1]:
            label = f"<{section[2]} {joined(words(section[3] or ''))}".rstrip() + ">"
            stack.append((section[2].lower(), label))
        elif section:
            depth = _depth_of(section[2].lower(), stack)
            if depth is None:
                unread.append(at)
            else:
                del stack[depth:]
        elif named := _DIRECTIVE.fullmatch(line):
            path = tuple(label for _, label in stack[:MOST_DEEP])
            found.append(_directive(path, named[1], words(named[2] or ""), at))
        else:
            unread.append(at)
    return found, unread


def _whole(text: str) -> Iterator[tuple[int, str]]:
    """Lines with those they go on in."""
    begun: tuple[int, str] | None = None
    for at, line in significant(text, COMMENT):
        start, head = begun or (at, "")
        if line.endswith("\\"):
            begun = (start, head + line[:-1].rstrip() + " ")
            continue
        begun = None
        yield start, head + line
    if begun:
        yield begun[0], begun[1].strip() or "\\"


def _depth_of(tag: str, stack: list[tuple[str, str]]) -> int | None:
    return next((at for at in reversed(range(len(stack))) if stack[at][0] == tag), None)


def _directive(path: tuple[str, ...], name: str, arguments: list[str], at: int) -> Directive:
    lower = name.lower()
    if lower == "logformat" and len(arguments) == 2:  # its nickname comes last
        arguments = arguments[::-1]
    taken = arguments[: _KEYED.get(lower, 0)]
    if family := _FAMILIES.get(lower):
        return Directive(path, family, joined([name, *arguments]), at, family)
    key = joined([RENAMED.get(lower, lower), *taken])
    return Directive(path, joined([name, *taken]), joined(arguments[len(taken) :]), at, key)
