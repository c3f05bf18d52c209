"""Config texts of blocks and values over several lines (nginx, lighttpd), which dialect a text is written in, and limits of
how many requests are worked on at once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from runs.analysis.directives import (
    HTTPD,
    INI_COMMENT,
    MOST_DEEP,
    Directive,
    Parsed,
    generic_fits,
    has_elision,
    httpd_fits,
    ini_fits,
    is_elision,
    join_words,
    list_lines,
    parse_generic,
    parse_httpd,
    parse_ini,
    parse_sysctl,
    sysctl_fits,
)

Found = tuple[list[Directive], list[int]]  # and the offsets of lines that are none
NGINX = "nginx"
BLOCK_COMMENT = "#"
_NGINX_TOKEN = re.compile(
    r"""(?P<comment>\#[^\n]*)|(?P<quoted>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?P<mark>[;{}])"""
    r"""|(?P<word>(?:\$\{[^}\s]{0,80}\}|\\\S|[^\s;{}])+)""",
    re.DOTALL,
)
_LUA = re.compile(r"\b(\w{1,40}_by_lua_block)\s*\{")
_BRACE = re.compile(r"[{}]")
_NGINX_KEYED = frozenset(
    {
        *("proxy_set_header", "proxy_hide_header", "add_header", "set", "env", "error_page", "log_format"),
        *("fastcgi_param", "uwsgi_param", "scgi_param"),
    }
)


class _Token(NamedTuple):
    """A word without its quotes, or a mark such as "{"; and the offset of its line."""

    text: str
    is_mark: bool
    line: int


def _tokenize(pattern: re.Pattern[str], text: str) -> list[_Token]:
    """Comments left out, and blanks. The pattern's groups are `comment`, `quoted` and `mark`."""
    tokens, line, last = [], 0, 0
    for match in pattern.finditer(text):
        line += text.count("\n", last, match.start())
        last = match.start()
        if match["quoted"] is not None:
            tokens.append(_Token(match[0][1:-1], False, line))
        elif match["comment"] is None and not match[0].isspace():
            tokens.append(_Token(match[0], match["mark"] is not None, line))
    return tokens


def _drop_elisions(text: str) -> str:
    return "\n".join("" if is_elision(line) else line for line in text.split("\n"))


@dataclass(slots=True)
class _Block:
    """An open or closed block; `above` is the one around it. Servers are labelled once their names are known."""

    name: str
    label: str
    above: _Block | None = None
    depth: int = 0
    directives: dict[str, str] = field(default_factory=dict)

    def path(self) -> tuple[str, ...]:
        """Labels of the blocks around it and its own, the outermost first."""
        labels: list[str] = []
        block: _Block | None = self
        while block and block.above:
            labels.append(block.label)
            block = block.above
        return tuple(reversed(labels))


def nginx_fits(lines: list[str]) -> float:
    """The share of lines that may be nginx's."""
    ends = sum(line.split(" #")[0].rstrip().endswith((";", "{", "}")) for line in lines)
    return ends / len(lines) if any(";" in line for line in lines) else 0.0


def parse_nginx(text: str) -> Found:
    root = _Block("", "")
    block, blocks, held, unread = root, [], list[tuple[str, int]](), list[int]()
    nginx: list[tuple[_Block, list[str], int]] = []
    for word, is_mark, at in _tokenize(_NGINX_TOKEN, _quote_lua(_drop_elisions(text))):
        if not is_mark:
            held.append((word, at))
        elif word == ";":
            if held:
                nginx.append((block, [part for part, _ in held], held[0][1]))
            held = []
        elif word == "{":
            block = _open_block(block, [part for part, _ in held])
            blocks.append(block)
            held = []
        else:
            unread += [line for _, line in held] if block.above else [at]
            held = []
            block = block.above or root
    unread += [line for _, line in held]
    for inside, parts, _ in nginx:
        inside.directives.setdefault(parts[0], join_words(parts[1:]))
    _name_servers([each for each in blocks if each.name == "server"])
    return [_make_nginx_directive(inside.path(), parts, at) for inside, parts, at in nginx], sorted(set(unread))


def _quote_lua(text: str) -> str:
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


def _open_block(around: _Block, parts: list[str]) -> _Block:
    label = join_words(parts) or "{"
    if around.depth >= MOST_DEEP:  # a block that nobody closes costs a step, not a path
        return _Block(label, label, around.above, around.depth)
    return _Block(label, label, around, around.depth + 1)


def _name_servers(servers: list[_Block]) -> None:
    """By server_name; where several have one name, with where they listen; else counted."""
    names = {id(server): server.directives.get("server_name", "") for server in servers}
    shared = Counter(names.values())
    for server in servers:
        name = names[id(server)]
        listen = server.directives.get("listen", "") if not name or shared[name] > 1 else ""
        alone = len(servers) == 1
        server.label = "server" if alone else " ".join(part for part in ("server", name, listen) if part)
    labels = Counter(server.label for server in servers)
    seen: Counter[str] = Counter()
    for server in servers:
        if labels[server.label] > 1:
            seen[server.label] += 1
            server.label = f"{server.label} ({seen[server.label]})"


def _make_nginx_directive(path: tuple[str, ...], parts: list[str], at: int) -> Directive:
    taken = 2 if parts[0] in _NGINX_KEYED and len(parts) > 1 else 1
    name = join_words(parts[:taken])
    return Directive(path, name, join_words(parts[taken:]), at, name)


LIGHTTPD = "lighttpd"
_LIGHTTPD_TOKEN = re.compile(
    r"""(?P<comment>\#[^\n]*)|(?P<quoted>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')"""
    r"""|(?P<mark>=>|\+=|:=|==|!=|=~|!~|=\^|=\$|=|[(){},])|(?P<word>(?:\\.|[^\s(){},="'#\\])+|.)""",
    re.DOTALL,
)
_SETS = ("=", "+=", ":=")


def lighttpd_fits(lines: list[str]) -> float:
    """The share of lines that may be lighttpd's; without a dotted name or a condition it is none."""
    telling = re.compile(r"[a-z_][\w-]*\.[\w.-]+\s*\+?=\s*[\"(\w].*|\}?\s*(?:else\s*)?\$\w+\[.*")
    if not any(telling.match(line) for line in lines):
        return 0.0
    shaped = re.compile(r"[\w.\-]+\s*[+:]?=\s*\S.*|.*[(),{}]|\"[^\"]*\"\s*(?:=>.*)?|include(?:_shell)?\s.*|else.*")
    return sum(bool(shaped.fullmatch(line)) and not line.endswith(";") for line in lines) / len(lines)


def parse_lighttpd(text: str) -> Found:
    lighttpd: list[Directive] = []
    unread: list[int] = []
    stack: list[str] = []
    for statement in _split_statements(_tokenize(_LIGHTTPD_TOKEN, _drop_elisions(text))):
        first, last = statement[0], statement[-1]
        if last.is_mark and last.text == "{":
            condition = _write_tokens(statement[:-1]).replace("[ ", "[").replace(" ]", "]")
            stack.append(condition or "{")
        elif first.is_mark and first.text == "}":
            if stack:
                stack.pop()
            else:
                unread.append(first.line)
        elif len(statement) > 1 and statement[1].is_mark and statement[1].text in _SETS and not first.is_mark:
            lighttpd += _set(tuple(stack[:MOST_DEEP]), first.text, statement[2:], first.line)
        elif first.text in ("include", "include_shell") and len(statement) > 1:
            value = _write_tokens(statement[1:])
            lighttpd.append(Directive(tuple(stack[:MOST_DEEP]), first.text, value, first.line, first.text))
        else:
            unread += sorted({token.line for token in statement})
    return lighttpd, unread


def _split_statements(tokens: list[_Token]) -> Iterator[list[_Token]]:
    """A statement ends with its line, unless brackets are open or its value is still to come; braces end it too."""
    held: list[_Token] = []
    depth = 0
    for token in tokens:
        opens = token.is_mark and token.text == "{"
        goes_on = depth > 0 or opens or (held and held[-1].is_mark and held[-1].text in _SETS)
        if held and token.line != held[-1].line and not goes_on:
            yield held
            held = []
        if token.is_mark and token.text == "}":
            if held:
                yield held
            yield [token]
            held, depth = [], 0
            continue
        held.append(token)
        depth = max(depth + (token.is_mark and token.text == "(") - (token.is_mark and token.text == ")"), 0)
        if opens:
            yield held
            held, depth = [], 0
    if held:
        yield held


def _set(path: tuple[str, ...], name: str, value: list[_Token], at: int) -> list[Directive]:
    """An array's entries are directives of their own: named ones under their names, plain ones as repeats."""
    names: list[str] = [name]
    directives: list[Directive] = []
    held: list[_Token] = []

    def put() -> None:
        if held:
            label = " › ".join(names[:MOST_DEEP])
            directives.append(Directive(path, label, _write_tokens(held), held[0].line, label))
            held.clear()

    opened: list[int] = []
    for token in value:
        if not token.is_mark:
            held.append(token)
        elif token.text == "=>":
            names.append(_write_tokens(held))
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
    return directives or [Directive(path, name, "()", at, name)]


def _write_tokens(tokens: list[_Token]) -> str:
    return join_words([token.text for token in tokens])


# So much of a text must be the dialect's: by its shape alone, and where its path says so too.
BY_CONTENT, BY_PATH = 0.8, 0.4
MOST_UNREAD = 0.2
MOST_CHARACTERS = 1_000_000


@dataclass(frozen=True, slots=True)
class Dialect:
    """`paths` is searched for in the text's path; `fits` gives the share of lines that have the dialect's shape."""

    name: str
    paths: re.Pattern[str]
    fits: Callable[[list[str]], float]
    parse: Callable[[str], Found]
    comment: str


def _paths(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


# The more telling shapes first: a text that fits two is the first one's.
DIALECTS = (
    Dialect(NGINX, _paths(r"nginx"), nginx_fits, parse_nginx, BLOCK_COMMENT),
    Dialect(HTTPD, _paths(r"httpd|apache|\.htaccess|vhost|mpm_?\w*\.conf"), httpd_fits, parse_httpd, BLOCK_COMMENT),
    Dialect("sysctl", _paths(r"sysctl"), sysctl_fits, parse_sysctl, INI_COMMENT),
    Dialect(LIGHTTPD, _paths(r"lighttpd"), lighttpd_fits, parse_lighttpd, BLOCK_COMMENT),
    Dialect("ini", _paths(r"\.ini$|\.cnf$|php-fpm|/pool\.d/"), ini_fits, parse_ini, INI_COMMENT),
    Dialect("key and value", _paths(r"(?!)"), generic_fits, parse_generic, INI_COMMENT),
)
_COMMENTS = {dialect.comment for dialect in DIALECTS}


def read(text: str, path: str = "") -> Parsed | None:
    """The text's directives, or None where it is written in no dialect that is known here."""
    whole, text = text, text[:MOST_CHARACTERS]
    for candidate in _list_candidates(text, path):
        directives, unread = candidate.parse(text)
        lines = sum(1 for _ in list_lines(text, candidate.comment))
        if directives and len(unread) <= MOST_UNREAD * lines:
            return Parsed(candidate.name, tuple(directives), tuple(unread), has_elision(text) or text != whole)
    return None


def _list_candidates(text: str, path: str) -> list[Dialect]:
    hinted, looking = [], []
    by_comment = {comment: [line for _, line in list_lines(text, comment)] for comment in _COMMENTS}
    for dialect in DIALECTS:
        lines = by_comment[dialect.comment]
        share = dialect.fits(lines) if lines else 0.0
        if dialect.paths.search(path) and share >= BY_PATH:
            hinted.append(dialect)
        elif share >= BY_CONTENT:
            looking.append(dialect)
    return hinted + looking


# --- how many requests are worked on at once ---


# What limits how many requests are worked on at once: each alone, or the connections of each worker process.
WORKERS = ("MaxClients", "MaxRequestWorkers", "pm.max_children", "server.max-connections", "maxThreads", "maxconn")
LIMITS = {name.lower(): name for name in (*WORKERS, "worker_connections", "worker_processes")}
_LINE = re.compile(r"\s*([A-Za-z][\w.\-]*)(?:\s*=\s*|\s+)\"?(\d+)\b")


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of a config text: its documented name, its number, and the offset (from 0) of its line.

    section     the sections around it as written, outermost first: an MPM's own block, a server's pool
    """

    name: str
    value: int
    line_offset: int
    section: tuple[str, ...] = ()


@lru_cache(maxsize=32)
def read_limits(text: str, path: str = "") -> Sequence[Setting]:
    """Every limit that the text sets to a number, in the order of its lines. Cached: a text of all configs is read for each."""
    parsed = read(text, path)
    if parsed is None:  # a page's prose around two settings: the lines that name one outright
        lines = ((at, _LINE.match(line)) for at, line in enumerate(text.split("\n")))
        named = [(at, limits) for at, limits in lines if limits and limits[1].lower() in LIMITS]
        return [Setting(LIMITS[limits[1].lower()], int(limits[2]), at) for at, limits in named]
    limits = []
    for directive in parsed.directives:
        name = directive.name.lower()
        documented = LIMITS.get(name.replace("-", "_")) or LIMITS.get(name)
        value = re.fullmatch(r"\d{1,12}", directive.value.split(" ")[0]) if documented else None
        if documented and value:
            limits.append(Setting(documented, int(value[0]), directive.line, directive.path))
    return limits
