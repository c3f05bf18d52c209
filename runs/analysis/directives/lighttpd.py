"""lighttpd: key = value, key += value, arrays in parentheses, conditionals in braces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .records import MOST_DEEP, Directive, is_elision, joined

NAME = "lighttpd"
COMMENT = "#"
_TOKEN = re.compile(
    r"""(?P<comment>\#[^\n]*)|(?P<quoted>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')"""
    r"""|(?P<mark>=>|\+=|:=|==|!=|=~|!~|=\^|=\$|=|[(){},])|(?P<word>(?:\\.|[^\s(){},="'#\\])+|.)""",
    re.DOTALL,
)
_SETS = ("=", "+=", ":=")


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    mark: bool
    line: int


def fits(lines: list[str]) -> float:
    """The share of lines that may be lighttpd's; without a dotted name or a condition it is none."""
    telling = re.compile(r"[a-z_][\w-]*\.[\w.-]+\s*\+?=\s*[\"(\w].*|\}?\s*(?:else\s*)?\$\w+\[.*")
    if not any(telling.match(line) for line in lines):
        return 0.0
    shaped = re.compile(r"[\w.\-]+\s*[+:]?=\s*\S.*|.*[(),{}]|\"[^\"]*\"\s*(?:=>.*)?|include(?:_shell)?\s.*|else.*")
    return sum(bool(shaped.fullmatch(line)) and not line.endswith(";") for line in lines) / len(lines)


def parse(text: str) -> tuple[list[Directive], list[int]]:
    """(directives, offsets of lines that are none)."""
    found: list[Directive] = []
    unread: list[int] = []
    stack: list[str] = []
    for statement in _statements(_tokens(text)):
        first, last = statement[0], statement[-1]
        if last.mark and last.text == "{":
            condition = _written(statement[:-1]).replace("[ ", "[").replace(" ]", "]")
            stack.append(condition or "{")
        elif first.mark and first.text == "}":
            if stack:
                stack.pop()
            else:
                unread.append(first.line)
        elif len(statement) > 1 and statement[1].mark and statement[1].text in _SETS and not first.mark:
            found += _set(tuple(stack[:MOST_DEEP]), first.text, statement[2:], first.line)
        elif first.text in ("include", "include_shell") and len(statement) > 1:
            value = _written(statement[1:])
            found.append(Directive(tuple(stack[:MOST_DEEP]), first.text, value, first.line, first.text))
        else:
            unread += sorted({token.line for token in statement})
    return found, unread


def _tokens(text: str) -> list[_Token]:
    plain = "\n".join("" if is_elision(line) else line for line in text.split("\n"))
    tokens, line, last = [], 0, 0
    for found in _TOKEN.finditer(plain):
        line += plain.count("\n", last, found.start())
        last = found.start()
        if found["quoted"] is not None:
            tokens.append(_Token(found[0][1:-1], False, line))
        elif found["comment"] is None and not found[0].isspace():
            tokens.append(_Token(found[0], found["mark"] is not None, line))
    return tokens


def _statements(tokens: list[_Token]) -> Iterator[list[_Token]]:
    """A statement ends with its line, unless brackets are open or its value is still to come; braces end it too."""
    held: list[_Token] = []
    depth = 0
    for token in tokens:
        opens = token.mark and token.text == "{"
        goes_on = depth > 0 or opens or (held and held[-1].mark and held[-1].text in _SETS)
        if held and token.line != held[-1].line and not goes_on:
            yield held
            held = []
        if token.mark and token.text == "}":
            if held:
                yield held
            yield [token]
            held, depth = [], 0
            continue
        held.append(token)
        depth = max(depth + (token.mark and token.text == "(") - (token.mark and token.text == ")"), 0)
        if opens:
            yield held
            held, depth = [], 0
    if held:
        yield held


def _set(path: tuple[str, ...], name: str, value: list[_Token], at: int) -> list[Directive]:
    """An array's entries are directives of their own: named ones under their names, plain ones as repeats."""
    names: list[str] = [name]
    found: list[Directive] = []
    held: list[_Token] = []

    def put() -> None:
        if held:
            label = " › ".join(names[:MOST_DEEP])
            found.append(Directive(path, label, _written(held), held[0].line, label))
            held.clear()

    opened: list[int] = []
    for token in value:
        if not token.mark:
            held.append(token)
        elif token.text == "=>":
            names.append(_written(held))
            held.clear()
        elif token.text == "(":
            put()
            opened.append(len(names))
        elif token.text == ",":
            put()
            del names[opened[-1] if opened else 1 :]
        elif token.text == ")":
            put()
            del names[opened.pop() if opened else 1 :]
        else:
            held.append(token)
    put()
    return found or [Directive(path, name, "()", at, name)]


def _written(tokens: list[_Token]) -> str:
    return joined([token.text for token in tokens])
