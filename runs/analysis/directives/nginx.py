"""nginx: words up to a semicolon, blocks in braces, quotes; server blocks are known by their names."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from .records import MOST_DEEP, Directive, is_elision, joined

NAME = "nginx"
COMMENT = "#"
_TOKEN = re.compile(
    r"""(?P<comment>\#[^\n]*)|(?P<quoted>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?P<mark>[;{}])"""
    r"""|(?P<word>(?:\$\{[^}\s]{0,80}\}|\\\S|[^\s;{}])+)""",
    re.DOTALL,
)
_LUA = re.compile(r"\b(\w{1,40}_by_lua_block)\s*\{")
_BRACE = re.compile(r"[{}]")
_KEYED = frozenset(
    {
        *("proxy_set_header", "proxy_hide_header", "add_header", "set", "env", "error_page", "log_format"),
        *("fastcgi_param", "uwsgi_param", "scgi_param"),
    }
)


@dataclass(slots=True)
class _Block:
    """An open or closed block; `above` is the one around it. Servers are labelled once their names are known."""

    name: str
    label: str
    above: _Block | None = None
    depth: int = 0
    told: dict[str, str] = field(default_factory=dict)

    def path(self) -> tuple[str, ...]:
        labels: list[str] = []
        block: _Block | None = self
        while block and block.above:
            labels.append(block.label)
            block = block.above
        return tuple(reversed(labels))


def fits(lines: list[str]) -> float:
    """The share of lines that may be nginx's."""
    ends = sum(line.split(" #")[0].rstrip().endswith((";", "{", "}")) for line in lines)
    return ends / len(lines) if any(";" in line for line in lines) else 0.0


def parse(text: str) -> tuple[list[Directive], list[int]]:
    """(directives, offsets of lines that are none)."""
    plain = _quoted_lua("\n".join("" if is_elision(line) else line for line in text.split("\n")))
    root = _Block("", "")
    block, blocks, held, unread = root, [], list[tuple[str, int]](), list[int]()
    made: list[tuple[_Block, list[str], int]] = []
    for word, mark, at in _tokens(plain):
        if not mark:
            held.append((word, at))
        elif word == ";":
            if held:
                made.append((block, [part for part, _ in held], held[0][1]))
            held = []
        elif word == "{":
            block = _opened(block, [part for part, _ in held])
            blocks.append(block)
            held = []
        else:
            unread += [line for _, line in held] if block.above else [at]
            held = []
            block = block.above or root
    unread += [line for _, line in held]
    for inside, parts, _ in made:
        inside.told.setdefault(parts[0], joined(parts[1:]))
    _name_servers([each for each in blocks if each.name == "server"])
    return [_directive(inside.path(), parts, at) for inside, parts, at in made], sorted(set(unread))


def _quoted_lua(text: str) -> str:
    """Blocks of Lua as strings: what stands in them is no directive. A block that does not end is left as it is."""
    parts, at = [], 0
    while opens := _LUA.search(text, at):
        depth, end = 1, opens.end()
        while depth and (brace := _BRACE.search(text, end)):
            depth += 1 if brace[0] == "{" else -1
            end = brace.end()
        if depth:
            break
        code = text[opens.end() : end - 1].replace("\\", "\\\\").replace('"', '\\"')
        parts.append(f'{text[at : opens.start()]}{opens[1]} "{code}";')
        at = end
    return "".join([*parts, text[at:]])


def _tokens(text: str) -> list[tuple[str, bool, int]]:
    """(word without its quotes, whether it is one of ; { }, offset of its line), comments left out."""
    tokens, line, last = [], 0, 0
    for found in _TOKEN.finditer(text):
        line += text.count("\n", last, found.start())
        last = found.start()
        if found["quoted"] is not None:
            tokens.append((found[0][1:-1], False, line))
        elif found["comment"] is None:
            tokens.append((found[0], found["mark"] is not None, line))
    return tokens


def _opened(around: _Block, parts: list[str]) -> _Block:
    label = joined(parts) or "{"
    if around.depth >= MOST_DEEP:  # a block that nobody closes costs a step, not a path
        return _Block(label, label, around.above, around.depth)
    return _Block(label, label, around, around.depth + 1)


def _name_servers(servers: list[_Block]) -> None:
    """By server_name; where several have one name, with where they listen; else counted."""
    names = {id(server): server.told.get("server_name", "") for server in servers}
    shared = Counter(names.values())
    for server in servers:
        name = names[id(server)]
        listen = server.told.get("listen", "") if not name or shared[name] > 1 else ""
        alone = len(servers) == 1
        server.label = "server" if alone else " ".join(part for part in ("server", name, listen) if part)
    labels = Counter(server.label for server in servers)
    seen: Counter[str] = Counter()
    for server in servers:
        if labels[server.label] > 1:
            seen[server.label] += 1
            server.label = f"{server.label} ({seen[server.label]})"


def _directive(path: tuple[str, ...], parts: list[str], at: int) -> Directive:
    taken = 2 if parts[0] in _KEYED and len(parts) > 1 else 1
    name = joined(parts[:taken])
    return Directive(path, name, joined(parts[taken:]), at, name)
