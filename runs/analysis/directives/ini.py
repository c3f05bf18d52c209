"""Settings of one line each: php.ini and my.cnf with their [sections], sysctl, and plain "key = value" or "key value"."""

from __future__ import annotations

import re

from .records import Directive, joined, significant, words

COMMENT = "#;"
_SECTION = re.compile(r"\[([^\[\]]+)\]\s*(?:[#;].*)?")
_ASSIGNED = re.compile(r"([A-Za-z_][\w.\-]*(?:\[[^\]\s]*\])?)\s*=\s*(.*)")
_BARE = re.compile(r"[A-Za-z_][\w.\-]*")
_SYSCTL = re.compile(
    r"(?:sysctl\s+(?:-w\s+)?)?-?((?:abi|crypto|debug|dev|fs|kernel|net|sunrpc|user|vm)[./][\w./\-]+)\s*=\s*(.*)"
)
_GENERIC = re.compile(r"([A-Za-z_][\w.\-/\[\]]*)(?:\s*[=]\s*|\s*:\s+|\s+)(\S.*)")
_QUOTED = re.compile(r""""((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'""")


def ini_fits(lines: list[str]) -> float:
    """The share of lines that may be an ini file's; without a section it is none."""
    if not any(_SECTION.fullmatch(line) for line in lines):
        return 0.0
    shaped = (_SECTION, _ASSIGNED, _BARE)
    return sum(any(shape.fullmatch(line) for shape in shaped) for line in lines) / len(lines)


def ini(text: str) -> tuple[list[Directive], list[int]]:
    """(directives, offsets of lines that are none). A hyphen and an underscore are one, as MySQL has it."""
    found: list[Directive] = []
    unread: list[int] = []
    path: tuple[str, ...] = ()
    for at, line in significant(text, COMMENT):
        if section := _SECTION.fullmatch(line):
            path = (f"[{section[1].strip()}]",)
        elif assigned := _ASSIGNED.fullmatch(line):
            key = assigned[1].replace("-", "_")
            found.append(Directive(path, assigned[1], _value(assigned[2]), at, key))
        elif _BARE.fullmatch(line):
            found.append(Directive(path, line, "", at, line.replace("-", "_")))
        else:
            unread.append(at)
    return found, unread


def sysctl_fits(lines: list[str]) -> float:
    return sum(bool(_SYSCTL.fullmatch(line)) for line in lines) / len(lines)


def sysctl(text: str) -> tuple[list[Directive], list[int]]:
    """(directives, offsets of lines that are none). Names may be written with dots or as paths."""
    found: list[Directive] = []
    unread: list[int] = []
    for at, line in significant(text, COMMENT):
        if named := _SYSCTL.fullmatch(line):
            name = _dotted(named[1])
            found.append(Directive((), name, joined(words(named[2])), at, name))
        else:
            unread.append(at)
    return found, unread


def _dotted(name: str) -> str:
    """net/ipv4/conf/eth0.1/x is net.ipv4.conf.eth0/1.x: whichever comes first parts the names (sysctl.d(5))."""
    first = re.search(r"[./]", name)
    return name.translate(str.maketrans("./", "/.")) if first and first[0] == "/" else name


def generic_fits(lines: list[str]) -> float:
    return sum(bool(_GENERIC.fullmatch(line)) and not line.endswith(("{", "}", ";", "(", ">")) for line in lines) / len(
        lines
    )


def generic(text: str) -> tuple[list[Directive], list[int]]:
    """(directives, offsets of lines that are none). Indented lines belong to something that is not known: none of them."""
    found: list[Directive] = []
    unread: list[int] = []
    lines = list(significant(text, COMMENT))
    raw = text.split("\n")
    indents = {len(raw[at]) - len(raw[at].lstrip()) for at, _ in lines}
    for at, line in lines:
        named = _GENERIC.fullmatch(line)
        if named and (len(indents) == 1 or "=" in line):
            found.append(Directive((), named[1], _value(named[2]), at, named[1]))
        else:
            unread.append(at)
    return found, unread


def _value(written: str) -> str:
    """Without its quotes, or without the comment behind it."""
    if quoted := _QUOTED.match(written):
        return next(part for part in quoted.groups() if part is not None)
    return re.split(r"\s[;#]", written, maxsplit=1)[0].strip()
