"""Config texts of one directive a line: what every dialect shares, httpd's, ini files, sysctl and plain key and value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

# Deeper nesting than any real file has; a text of brackets alone must not cost memory with its square.
MOST_DEEP = 30
_DECORATION = re.compile(r"[\s#;/*\[\]()（）<>{}［］〈〉〜~=\-…・.。、:：︙]+")
_DOTS = re.compile(r"\.{2,}|…|・{2,}|︙|^[:：]$")
_MAYBE = re.compile(r"\.\.|[…・︙略]|snip|cut|omit|trunc|skip|[:：]$", re.IGNORECASE)  # what no other line gets past
_LEFT_OUT = re.compile(
    r"(?:以下|中|前|後|途中)?(?:省略|略)|snip(?:ped)?|cut|omitted|truncated|skip(?:ped)?", re.IGNORECASE
)
_WORD = re.compile(r""""((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'|(\S+)""", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Directive:
    """One setting. `path` are the sections around it, outermost first, `line` counts from 0 in its text.

    name    as written, with its first argument where that tells what is set ("LoadModule wsgi_module")
    key     what makes it the same setting as another: `name` without what the dialect does not tell apart
    """

    path: tuple[str, ...]
    name: str
    value: str
    line: int
    key: str


@dataclass(frozen=True, slots=True)
class Parsed:
    """A text read as `dialect`. `unread` are the offsets of lines that are no directive of it.

    elided      part of the text was left out by whoever showed it, so what is not in it may still be set
    """

    dialect: str
    directives: tuple[Directive, ...]
    unread: tuple[int, ...] = ()
    elided: bool = False


def is_elision(line: str) -> bool:
    """ "...", "# [snip]", "（中略）": something was left out here."""
    stripped = line.strip()
    if not stripped or len(stripped) > 24 or not _MAYBE.search(stripped):
        return False
    core = _DECORATION.sub("", stripped)
    if not core:
        return bool(_DOTS.search(stripped))
    return bool(_LEFT_OUT.fullmatch(core)) and (core != stripped or "略" in core)


def split_words(text: str) -> list[str]:
    """A line's words; quotes hold words together and are no part of them."""
    return [next((part for part in match.groups() if part is not None), "") for match in _WORD.finditer(text)]


def join_words(parts: Sequence[str]) -> str:
    """Words as one value, written the same however they were quoted and spaced."""
    return " ".join(part if part and not re.search(r"\s", part) else f'"{part}"' for part in parts)


def list_lines(text: str, comment: str) -> Iterator[tuple[int, str]]:
    """(offset, line without blank ends) of lines that are neither empty, nor comments, nor say that lines are missing."""
    for at, line in enumerate(text.split("\n")):
        stripped = line.strip()
        if stripped and not stripped.startswith(tuple(comment)) and not is_elision(stripped):
            yield at, stripped


def has_elision(text: str) -> bool:
    return any(is_elision(line) for line in text.split("\n"))


HTTPD = "httpd"
HTTPD_COMMENT = "#"
_HTTPD_SECTION = re.compile(r"<(/?)([A-Za-z]\w*)(?:\s(.*))?>", re.DOTALL)
_HTTPD_DIRECTIVE = re.compile(r"([A-Za-z][\w.]*)(?:\s+(.*))?", re.DOTALL)
# So many words of these say what is set, the rest to what.
_HTTPD_KEYED = dict.fromkeys(
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


def httpd_fits(lines: list[str]) -> float:
    """The share of lines that may be httpd's."""
    if any(line.startswith(_XML) or line.endswith("/>") for line in lines):
        return 0.0
    return sum(bool(_SHAPED.fullmatch(line)) and not line.endswith((";", "{")) for line in lines) / len(lines)


def parse_httpd(text: str) -> tuple[list[Directive], list[int]]:
    """(directives, offsets of lines that are none)."""
    httpd: list[Directive] = []
    unread: list[int] = []
    stack: list[tuple[str, str]] = []
    for at, line in _join_continued(text):
        section = _HTTPD_SECTION.fullmatch(line)
        if section and not section[1]:
            label = f"<{section[2]} {join_words(split_words(section[3] or ''))}".rstrip() + ">"
            stack.append((section[2].lower(), label))
        elif section:
            tag = section[2].lower()
            depth = next((at for at in reversed(range(len(stack))) if stack[at][0] == tag), None)
            if depth is None:
                unread.append(at)
            else:
                del stack[depth:]
        elif match := _HTTPD_DIRECTIVE.fullmatch(line):
            path = tuple(label for _, label in stack[:MOST_DEEP])
            httpd.append(_make_httpd_directive(path, match[1], split_words(match[2] or ""), at))
        else:
            unread.append(at)
    return httpd, unread


def _join_continued(text: str) -> Iterator[tuple[int, str]]:
    """Lines with those they go on in."""
    begun: tuple[int, str] | None = None
    for at, line in list_lines(text, HTTPD_COMMENT):
        start, head = begun or (at, "")
        if line.endswith("\\"):
            begun = (start, head + line[:-1].rstrip() + " ")
            continue
        begun = None
        yield start, head + line
    if begun:
        yield begun[0], begun[1].strip() or "\\"


def _make_httpd_directive(path: tuple[str, ...], name: str, arguments: list[str], at: int) -> Directive:
    lower = name.lower()
    if lower == "logformat" and len(arguments) == 2:  # its nickname comes last
        arguments = arguments[::-1]
    taken = arguments[: _HTTPD_KEYED.get(lower, 0)]
    if family := _FAMILIES.get(lower):
        return Directive(path, family, join_words([name, *arguments]), at, family)
    key = join_words([RENAMED.get(lower, lower), *taken])
    return Directive(path, join_words([name, *taken]), join_words(arguments[len(taken) :]), at, key)


INI_COMMENT = "#;"
_INI_SECTION = re.compile(r"\[([^\[\]]+)\]\s*(?:[#;].*)?")
_ASSIGNED = re.compile(r"([A-Za-z_][\w.\-]*(?:\[[^\]\s]*\])?)\s*=\s*(.*)")
_BARE = re.compile(r"[A-Za-z_][\w.\-]*")
_SYSCTL = re.compile(
    r"(?:parse_sysctl\s+(?:-w\s+)?)?-?((?:abi|crypto|debug|dev|fs|kernel|net|sunrpc|user|vm)[./][\w./\-]+)\s*=\s*(.*)"
)
_GENERIC = re.compile(r"([A-Za-z_][\w.\-/\[\]]*)(?:\s*[=]\s*|\s*:\s+|\s+)(\S.*)")
_QUOTED = re.compile(r""""((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'""")


def ini_fits(lines: list[str]) -> float:
    """The share of lines that may be an ini file's; without a section it is none."""
    if not any(_INI_SECTION.fullmatch(line) for line in lines):
        return 0.0
    shaped = (_INI_SECTION, _ASSIGNED, _BARE)
    return sum(any(shape.fullmatch(line) for shape in shaped) for line in lines) / len(lines)


def parse_ini(text: str) -> tuple[list[Directive], list[int]]:
    """(directives, offsets of lines that are none). A hyphen and an underscore are one, as MySQL has it."""
    ini: list[Directive] = []
    unread: list[int] = []
    path: tuple[str, ...] = ()
    for at, line in list_lines(text, INI_COMMENT):
        if section := _INI_SECTION.fullmatch(line):
            path = (f"[{section[1].strip()}]",)
        elif assigned := _ASSIGNED.fullmatch(line):
            key = assigned[1].replace("-", "_")
            ini.append(Directive(path, assigned[1], _value(assigned[2]), at, key))
        elif _BARE.fullmatch(line):
            ini.append(Directive(path, line, "", at, line.replace("-", "_")))
        else:
            unread.append(at)
    return ini, unread


def sysctl_fits(lines: list[str]) -> float:
    return sum(bool(_SYSCTL.fullmatch(line)) for line in lines) / len(lines)


def parse_sysctl(text: str) -> tuple[list[Directive], list[int]]:
    """(directives, offsets of lines that are none). Names may be written with dots or as paths."""
    sysctl: list[Directive] = []
    unread: list[int] = []
    for at, line in list_lines(text, INI_COMMENT):
        if match := _SYSCTL.fullmatch(line):
            name = _normalize_sysctl(match[1])
            sysctl.append(Directive((), name, join_words(split_words(match[2])), at, name))
        else:
            unread.append(at)
    return sysctl, unread


def _normalize_sysctl(name: str) -> str:
    """net/ipv4/conf/eth0.1/x is net.ipv4.conf.eth0/1.x: whichever comes first parts the names (sysctl.d(5))."""
    first = re.search(r"[./]", name)
    return name.translate(str.maketrans("./", "/.")) if first and first[0] == "/" else name


def generic_fits(lines: list[str]) -> float:
    return sum(bool(_GENERIC.fullmatch(line)) and not line.endswith(("{", "}", ";", "(", ">")) for line in lines) / len(
        lines
    )


def parse_generic(text: str) -> tuple[list[Directive], list[int]]:
    """(directives, offsets of lines that are none). Indented lines belong to something that is not known: none of them."""
    generic: list[Directive] = []
    unread: list[int] = []
    lines = list(list_lines(text, INI_COMMENT))
    raw = text.split("\n")
    indents = {len(raw[at]) - len(raw[at].lstrip()) for at, _ in lines}
    for at, line in lines:
        match = _GENERIC.fullmatch(line)
        if match and (len(indents) == 1 or "=" in line):
            generic.append(Directive((), match[1], _value(match[2]), at, match[1]))
        else:
            unread.append(at)
    return generic, unread


def _value(written: str) -> str:
    """Without its quotes, or without the comment behind it."""
    if quoted := _QUOTED.match(written):
        return next(part for part in quoted.groups() if part is not None)
    return re.split(r"\s[;#]", written, maxsplit=1)[0].strip()
