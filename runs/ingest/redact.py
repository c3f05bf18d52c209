"""Finds and masks secrets in pasted text. Pure functions.

Secrets are: cookies and Authorization headers (also as arguments of a command), passwords in URLs and options, settings
whose name ends in password, secret, token or the like, keys with a known shape, and private keys. A setting that names
a file or a variable is no secret.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress, count, islice
from typing import Any, NamedTuple
from urllib.parse import quote, quote_plus

from .secret_kinds import (
    ALSO,
    BLOCKS,
    DIGITS,
    HARMLESS,
    KEY_BODY,
    KEY_NOTE,
    KINDS,
    LOWER,
    NAMED,
    NEEDLES,
    PASSWORD_ROW,
    SECRET_DATA,
    SECRET_KIND,
    SECRET_VALUE,
    VALUE,
    Block,
    Kind,
)
from .secret_options import FAMILIES, compile_programs

REDACTED = "[redacted]"
LINE_END = r"\\?\r?\n[ \t>]*"  # inside a word that a terminal, a shell or a mailer has broken
SHORTEST_BROKEN = 8  # characters; parts of a shorter word meet by chance
LONGEST_SPELT = 256  # characters by which a copy is found: as a pattern, 60,000 take 2 s
MAX_KEYS = 10_000
MAX_DISTINCT = 30  # secrets of a text that are looked for elsewhere in it, which takes up to 20 ms a MB for each
MAX_HARMLESS, MAX_HARMLESS_LENGTH = 5000, 1000  # lines and commands, and their characters
MAX_DOCUMENT = 300  # lines of one in YAML
MAX_LINE = 10_000  # characters of a line that are searched; no tool prints a longer one


@dataclass(frozen=True, slots=True)
class Secret:
    """Characters start..end (from 0) of a line (from 1). The same secret in several places has one key."""

    key: str
    line: int
    start: int
    end: int
    kind: str


Span = tuple[int, int, int, str, str]  # line, start, end, kind, value


# Lines with needles and no secret, such as a banner that every report repeats, and commands of processes that each sample shows.
_harmless: set[str] = set()


def _note_harmless(text: str, choice: Choice) -> None:
    """Only a text that says nothing of the lines below and above it, either."""
    if len(text) > MAX_HARMLESS_LENGTH or SECRET_KIND.match(text):
        return
    if not _find_block(text, choice) and not _names_secret(text, choice):
        if len(_harmless) >= MAX_HARMLESS:
            _harmless.clear()
        _harmless.add(text)


class Choice(NamedTuple):
    """What a line may have, by its words."""

    kinds: list[Kind]
    blocks: list[Block]  # that begin with it
    named: bool  # it names the secret that stands in the next line


@lru_cache(10_000)
def _choose_kinds(words: frozenset[str]) -> Choice:
    def fits(kind: Kind) -> bool:
        return not words.isdisjoint(kind.needles) and not (kind.also and words.isdisjoint(kind.also))

    blocks = [block for block in BLOCKS if fits(block.opening)]
    return Choice(list(filter(fits, KINDS)), blocks, fits(NAMED))


def _choose(line: str, needles: Sequence[str]) -> Choice:
    spaced = f" {' '.join(line[:MAX_LINE].lower().split())}"
    return _choose_kinds(frozenset([word for word in (*needles, *ALSO) if word in spaced]))


def _find_spans(line: str, kinds: Sequence[Kind]) -> Iterator[tuple[int, int, str]]:
    """(start, end, kind) of whatever looks like a secret; they may overlap."""
    programs, options, _ = compile_programs()
    command = programs.search(line)
    if command:
        name = next(filter(command[1].startswith, FAMILIES), command[1])
        for match in options[name].finditer(line, command.end() - 1):
            yield *match.span("v"), "option"
    for kind in kinds:
        for match in kind.pattern.finditer(line):
            yield *match.span("v"), kind.name


def _search_line(line: str, kinds: Sequence[Kind]) -> list[tuple[int, int, str]]:
    """Spans that do not overlap, in order; of two that do, the one that begins first (then the longer) is kept."""
    spans: list[tuple[int, int, str]] = []
    for start, end, kind in sorted(_find_spans(line, kinds), key=lambda span: (span[0], -span[1])):
        if (not spans or start >= spans[-1][1]) and not HARMLESS.match(line[start:end]):
            spans.append((start, end, kind))
    return spans


class SecretSearch:
    """Searches a text in pieces of whole lines. Keys are "s1", "s2", ... in the order of the text."""

    def __init__(self) -> None:
        self._keys: dict[bytes, str] = {}
        self._private_key = ""  # name of the private key, or file of secrets, whose lines are being read
        self._patterns = KEY_BODY, KEY_NOTE
        self._named = False  # the line before names a secret

    def search(self, piece: str, first_line: int = 1) -> list[Secret]:
        """Every secret in the next piece, in order; its lines are counted from `first_line`."""
        suspicious, needles = _find_suspicious_lines(piece)
        rows = _find_password_rows(piece, first_line)
        if not suspicious and not rows and not self._private_key and not self._named:
            return []
        lines = piece.split("\n")
        suspects = {at: _choose(lines[at], needles) for at in suspicious if not _is_harmless(lines[at], needles)}
        spans = self._find_private_key_spans(lines, suspects, first_line)
        spans += [*self._find_named_spans(lines, suspects, first_line), *rows]
        spans += _find_data(lines, suspects, first_line)
        private_lines = {number for number, *_ in spans}
        for at, choice in suspects.items():
            line = lines[at][:MAX_LINE]
            if first_line + at in private_lines or line in _harmless:
                continue
            of_line = _search_line(line, choice.kinds)
            spans += [(first_line + at, start, end, kind, line[start:end]) for start, end, kind in of_line]
            if not of_line:
                _note_harmless(line, choice)
        found = _drop_overlaps(spans)
        return [Secret(self._make_key(value), line, start, end, kind) for line, start, end, kind, value in found]

    def _find_named_spans(self, lines: list[str], suspects: dict[int, Choice], first_line: int) -> Iterator[Span]:
        """Values on the line below a name, which may be the first of a later piece."""
        named = [-1] * self._named
        named += [at for at, choice in suspects.items() if _names_secret(lines[at], choice)]
        last = len(lines) - 1 - (lines[-1] == "")  # a piece ends with the end of a line
        self._named = last in named
        for at in named:
            value = VALUE.match(lines[at + 1][:MAX_LINE]) if at < last else None
            if value and not HARMLESS.match(value["v"]):
                yield first_line + at + 1, *value.span("v"), "setting", value["v"]

    def _make_key(self, value: str) -> str:
        """One key for each value. Beyond MAX_KEYS all further values share one, so that memory is bounded."""
        digest = hashlib.blake2b(value.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if digest not in self._keys and len(self._keys) >= MAX_KEYS:
            return f"s{MAX_KEYS + 1}"
        return self._keys.setdefault(digest, f"s{len(self._keys) + 1}")

    def _find_private_key_spans(self, lines: list[str], suspects: dict[int, Choice], first_line: int) -> list[Span]:
        """Each line below the first of a private key up to the end of its base64, which may be in a later piece; and the rows
        of a file of secrets that was shown.
        """
        opens = {at: block for at, choice in suspects.items() if (block := _find_block(lines[at], choice))}
        stops = [*opens, len(lines)]
        spans = list(self._read_private_key(lines, 0, stops[0], first_line))
        for (at, block), stop in zip(opens.items(), stops[1:], strict=True):
            self._patterns = block.body, block.note
            self._private_key = f"private key in line {first_line + at}"
            spans += self._read_private_key(lines, at + 1, stop, first_line)
        return spans

    def _read_private_key(self, lines: list[str], start: int, stop: int, first_line: int) -> Iterator[Span]:
        row, note = self._patterns
        for at in range(start, stop if self._private_key else start):
            body = row.match(lines[at][:MAX_LINE])
            if body:
                yield first_line + at, *body.span("v"), "private key", self._private_key
            elif not note.match(lines[at][:MAX_LINE]):
                self._private_key = ""
                return


def _is_harmless(line: str, needles: Sequence[str]) -> bool:
    """Whether the line has none of the piece's needles, or is a row of a process whose command had no secret."""
    if line in _harmless:
        return True
    columns = compile_programs()[2].match(line)
    if columns is None:
        lower = line.lower()
        return not any(needle in lower for needle in needles)
    process = f"0 {line[columns.end() :]}"
    if process in _harmless:
        return True
    choice = _choose(process, needles)
    if _find_block(process, choice) or _search_line(process[:MAX_LINE], choice.kinds):
        return False
    _note_harmless(process, choice)
    return True


def _find_block(line: str, choice: Choice) -> Block | None:
    """The kind of lines with secrets that this one opens."""
    return next((block for block in choice.blocks if block.opening.pattern.search(line[:MAX_LINE])), None)


def _names_secret(line: str, choice: Choice) -> bool:
    return choice.named and NAMED.pattern.search(line[:MAX_LINE]) is not None


def _find_password_rows(piece: str, first_line: int) -> list[Span]:
    """Rows without any word that says what they are."""
    if not any(sign in piece for sign in (":54", ":6432:", ":*:")):
        return []
    found, line, seen = [], first_line, 0
    for match in PASSWORD_ROW.finditer(piece):
        line, seen = line + piece.count("\n", seen, match.start()), match.start()
        found.append((line, match.start("v") - seen, match.end("v") - seen, "password row", match["v"]))
    return found


def _find_data(lines: Sequence[str], suspects: Iterable[int], first_line: int) -> Iterator[Span]:
    """The values below "data:" of secrets of Kubernetes, whose kind may stand above or below them."""
    done = 0  # the end of the document before
    for kind in suspects:
        if kind < done or not SECRET_KIND.match(lines[kind][:MAX_LINE]):
            continue
        first, done = kind, kind + 1
        while first > max(kind - MAX_DOCUMENT, 0) and not _ends_document(lines[first - 1]):
            first -= 1
        while done < min(kind + MAX_DOCUMENT, len(lines)) and not _ends_document(lines[done]):
            done += 1
        inside = None  # the indentation of "data:"
        for at in range(first, done):
            line = lines[at][:MAX_LINE]
            indent = len(line) - len(line.lstrip(" \t>"))
            if SECRET_DATA.match(line):
                inside = indent
            elif inside is not None and indent <= inside:
                inside = None
            elif inside is not None and (value := SECRET_VALUE.match(line)) and not HARMLESS.match(value["v"]):
                yield first_line + at, *value.span("v"), "setting", value["v"]


def _ends_document(line: str) -> bool:
    return line.startswith("---") or not line.strip(" \t>\r")


def _drop_overlaps(spans: Iterable[Span]) -> Iterator[Span]:
    """In the order of the text; of two that overlap the one that begins first, then the longer."""
    line_before, end_before = 0, 0
    for span in sorted(spans, key=lambda span: (span[0], span[1], -span[2])):
        line, start, end, *_ = span
        if line != line_before or start >= end_before:
            yield span
            line_before, end_before = line, end


def _find_suspicious_lines(piece: str) -> tuple[list[int], list[str]]:
    """Indexes of the lines that may contain any of the needles, and those that the piece may contain.

    Without digits and spaces the different lines of a log are few: nearly all of them are skipped by one look-up each.
    """
    text = piece if piece.isascii() else piece.lower()  # some other capitals have ASCII small letters
    bare_lines = text.encode("utf-8", "surrogatepass").translate(LOWER, DIGITS).split(b"\n")
    different = set(bare_lines)
    together = b"\n".join(different)
    needles = [needle for needle, bare in NEEDLES.items() if bare in together]
    if not needles:
        return [], []
    bare_needles = {NEEDLES[needle] for needle in needles}
    suspicious = {line for line in different if any(needle in line for needle in bare_needles)}
    return list(compress(count(), map(suspicious.__contains__, bare_lines))), needles


def find_secrets(lines: Sequence[str]) -> list[Secret]:
    """Every secret in the lines, in order. Keys are "s1", "s2", ... and the same for the same lines."""
    return SecretSearch().search("\n".join(lines))


def mask_secrets(piece: str, secrets: Sequence[Secret], first_line: int = 1) -> str:
    """The text with "[redacted]" for each of the secrets; its lines are counted from `first_line`."""
    lines = piece.split("\n")
    for secret in reversed(secrets):  # from the right, so that the positions before it hold
        line = lines[secret.line - first_line]
        lines[secret.line - first_line] = line[: secret.start] + REDACTED + line[secret.end :]
    return "\n".join(lines)


def choose_distinct(secrets: Iterable[str]) -> list[str]:
    """Those whose copies elsewhere are to go: a password such as "postgres" is a word that tables are full of."""
    distinct = (
        word for secret in secrets for word in (secret, re.split("[:=]", secret, maxsplit=1)[-1]) if _is_distinct(word)
    )
    return list(islice(dict.fromkeys(distinct), MAX_DISTINCT))


def _is_distinct(word: str) -> bool:
    return len(word) >= 8 and not re.fullmatch(r"[A-Za-z][a-z]+|[A-Z]+|[\d.:, -]+", word)


def find_forms(word: str) -> list[str]:
    """The word as it may be written elsewhere: for a URL, in JSON, for a shell and in HTML. Longest first."""
    forms = {word, html.escape(word), re.sub(r"(\W)", r"\\\1", word)}
    forms |= {quote(word, ""), quote(word, "/"), quote_plus(word)}
    for inner in (json.dumps(word)[1:-1], json.dumps(word, ensure_ascii=False)[1:-1]):
        forms |= {inner, inner.replace("/", r"\/"), re.sub("[<>&']", lambda found: rf"\u{ord(found[0]):04x}", inner)}
    return sorted(forms, key=len, reverse=True)


def find_base64_forms(word: str) -> set[str]:
    """What the base64 of every text has that holds the word, which is at one of three places in a group of four letters."""
    data, forms = word.encode("utf-8", "surrogatepass"), set[str]()
    for n_before, n_letters in enumerate((0, 2, 3)):
        n_known = (n_before + len(data)) * 8 // 6  # the next letter has bits of what follows, too
        form = b64encode(bytes(n_before) + data).decode()[n_letters:n_known]
        forms |= {form, form.translate(str.maketrans("+/", "-_"))}
    return forms


@lru_cache(1000)
def _match_copies(word: str) -> tuple[str, set[str], re.Pattern[str]]:
    """What a text with copies of the word has in it, in small letters, as it is or else in base64; and the copies."""

    def spell(form: str) -> str:
        gap = f"(?:{LINE_END})?" if len(form) >= SHORTEST_BROKEN else ""
        rest = rf"(?:{gap}[^\r\n]){{0,{len(form) - LONGEST_SPELT}}}" if len(form) > LONGEST_SPELT else ""
        return gap.join(map(re.escape, form[:LONGEST_SPELT])) + rest

    forms, encoded = find_forms(word), find_base64_forms(word)
    in_base64 = rf"[\w+/-]{{0,3}}(?:{'|'.join(map(spell, encoded))})[\w+/-]?={{0,2}}"
    pattern = re.compile(rf"(?i:{'|'.join(map(spell, forms))})|{in_base64}")
    return _find_longest_part(word), set(map(_find_longest_part, encoded)), pattern


def _find_longest_part(form: str) -> str:
    """Of letters and digits, which are written alike everywhere."""
    return max(re.split("[^a-z0-9]+", form[:LONGEST_SPELT].lower()), key=len)


def _mask_lines(found: re.Match[str]) -> str:
    parts = re.split(f"({LINE_END})", found[0])  # every second one is the end of a line, which stays
    return "".join(part if at % 2 else REDACTED for at, part in enumerate(parts))


def mask_words(text: str, words: Iterable[str]) -> str:
    """The text with "[redacted]" for each of the words, wherever they stand: also in other letter case, escaped, in base64,
    and broken by the end of a line.
    """
    joined = re.sub(r"\n[ \t>]*", "", text.replace("\r", "").replace("\\\n", "\n")).lower()
    maybe_base64 = " ".join(re.findall(r"[\w+/-]{6,}", joined, re.ASCII))
    for word in words:
        if not word or word.lower() in REDACTED:
            continue
        plain, encoded, pattern = _match_copies(word)
        if plain in joined or any(sign in maybe_base64 for sign in encoded):
            text = pattern.sub(_mask_lines, text)
    return text


def mask_json(value: Any, words: Sequence[str]) -> Any:
    """A value of dicts, lists and texts with the words masked in each text."""
    if isinstance(value, str):
        return mask_words(value, words)
    if isinstance(value, dict):
        return {mask_words(key, words): mask_json(inner, words) for key, inner in value.items()}
    return [mask_json(inner, words) for inner in value] if isinstance(value, list) else value


def redact_secrets(text: str) -> str:
    """The text with "[redacted]" for everything in it that looks like a secret."""
    return mask_secrets(text, SecretSearch().search(text))
