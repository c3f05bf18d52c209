"""Finds and masks secrets in pasted text. Pure functions.

Secrets are: cookies and Authorization headers (also as arguments of a command), passwords in URLs and options, settings
whose name ends in password, secret, token or the like, keys with a known shape, and private keys. A setting that names
a file or a variable is no secret.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress, count
from typing import NamedTuple

from .secret_copies import FAMILIES, REDACTED, compile_programs
from .secret_kinds import (
    BARE_NEEDLE,
    BLOCKS,
    DIGITS,
    EVERY_KIND,
    HARMLESS,
    KEY_BODY,
    KEY_NOTE,
    KINDS,
    LOWER,
    NAMED,
    NUMBERS,
    PASSWORD_ROW,
    SECRET_DATA,
    SECRET_KIND,
    SECRET_VALUE,
    VALUE,
    WITH_ALSO,
    WITH_NEEDLE,
    WORD_AT,
    SecretLines,
)
from .secret_values import CERTAIN, SecretKind

MAX_KEYS = 10_000
MAX_HARMLESS, MAX_HARMLESS_LENGTH = 5000, 1000  # lines and commands, and their characters
MAX_DOCUMENT = 300  # lines of one in YAML
UNCOLOURED = re.compile(r"\x1b\[[\d;]{0,20}[A-Za-z]|(?P<text>\x1b|[^\x1b]+)")
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


class PossibleSecrets(NamedTuple):
    """What lines with the same words may have."""

    kinds: list[SecretKind]
    blocks: list[SecretLines]
    named: bool


class Suspect(NamedTuple):
    """What a line may have, by its words."""

    kinds: list[SecretKind]
    block: SecretLines | None  # the kind of lines with secrets that it opens
    named: bool  # it names the secret that stands in the next line


def _note_harmless(text: str, suspect: Suspect) -> None:
    """Only a text that says nothing of the lines below and above it, either."""
    if len(text) > MAX_HARMLESS_LENGTH or suspect.block or suspect.named or SECRET_KIND.match(text):
        return
    if len(_harmless) >= MAX_HARMLESS:
        _harmless.clear()
    _harmless.add(text)


@lru_cache(1000)  # each of up to 10 kB
def _choose_kinds(words: frozenset[str]) -> PossibleSecrets | None:
    """None where none of the words is a needle."""
    if words.isdisjoint(WITH_NEEDLE):
        return None
    numbers = sorted({number for word in words for number in NUMBERS.get(word, ())})
    fitting = [n for n in numbers if not WITH_ALSO[n] or not words.isdisjoint(WITH_ALSO[n])]
    kinds = [EVERY_KIND[n] for n in fitting if n < len(KINDS)]
    return PossibleSecrets(
        kinds, [BLOCKS[n - len(KINDS) - 1] for n in fitting if n > len(KINDS)], len(KINDS) in fitting
    )


def _choose(line: str) -> Suspect | None:
    """None for a line without any of the needles."""
    line = line[:MAX_LINE]
    folded = _fold(line)
    choice = _choose_kinds(frozenset(WORD_AT.findall(f" {' '.join(folded.split())}")))
    if choice is None:
        return None
    block = next((block for block in choice.blocks if _fits(block.opening, line, folded)), None)
    return Suspect(choice.kinds, block, choice.named and _fits(NAMED, line, folded))


def _fits(kind: SecretKind, line: str, folded: str) -> bool:
    return kind.pattern.search(line if kind.exact else folded) is not None


def _fold(line: str) -> str:
    """In small letters, of which there are as many: one capital's small letter has two characters."""
    return line.replace("\u0130", "i").lower()


def _find_spans(line: str, kinds: Sequence[SecretKind]) -> Iterator[tuple[int, int, str]]:
    """(start, end, kind) of whatever looks like a secret; they may overlap."""
    programs, options, _ = compile_programs()
    command = programs.search(line)
    if command:
        name = next(filter(command[1].startswith, FAMILIES), command[1])
        for match in options[name].finditer(line, command.end() - 1):
            yield *match.span("v"), "option"
    folded = _fold(line)
    for kind in kinds:
        for match in kind.pattern.finditer(line if kind.exact else folded):
            yield *match.span("v"), kind.name


def _search_line(line: str, kinds: Sequence[SecretKind]) -> list[tuple[int, int, str]]:
    """Spans that do not overlap, in order; of two that do, the one that begins first (then the longer) is kept."""
    if "\x1b" in line:
        return _search_coloured(line, kinds)
    spans: list[tuple[int, int, str]] = []
    for start, end, kind in sorted(_find_spans(line, kinds), key=lambda span: (span[0], -span[1])):
        if (not spans or start >= spans[-1][1]) and (kind in CERTAIN or not HARMLESS.match(line[start:end])):
            spans.append((start, end, kind))
    return spans


def _search_coloured(line: str, kinds: Sequence[SecretKind]) -> list[tuple[int, int, str]]:
    """As `_search_line` finds them without the colours in which grep shows the name of a setting."""
    parts = ((part.start(), part[0]) for part in UNCOLOURED.finditer(line) if part["text"])
    at = [place for start, text in parts for place in range(start, start + len(text))]
    plain = "".join(map(line.__getitem__, at)).replace("\x1b", " ")
    return [(at[start], at[end - 1] + 1, kind) for start, end, kind in _search_line(plain, kinds)]


class SecretSearch:
    """Searches a text in pieces of whole lines. Keys are "s1", "s2", ... in the order of the text."""

    def __init__(self) -> None:
        self._keys: dict[bytes, str] = {}
        self._private_key = ""  # name of the private key, or file of secrets, whose lines are being read
        self._patterns = KEY_BODY, KEY_NOTE
        self._named = False  # the line before names a secret
        self._document: list[str] = []  # lines of a secret of Kubernetes, from its kind, that goes on in the next piece

    def search(self, piece: str, first_line: int = 1) -> list[Secret]:
        """Every secret in the next piece, in order; its lines are counted from `first_line`."""
        suspicious = _find_suspicious_lines(piece)
        rows = _find_password_rows(piece, first_line)
        if not (suspicious or rows or self._private_key or self._named or self._document):
            return []
        lines = piece.split("\n")
        chosen = ((at, _choose_suspect(lines[at])) for at in suspicious)
        suspects = {at: suspect for at, suspect in chosen if suspect}
        spans = self._find_private_key_spans(lines, suspects, first_line)
        spans += [*self._find_named_spans(lines, suspects, first_line), *rows]
        spans += self._find_data(lines, suspects, first_line)
        private_lines = {number for number, *_ in spans}
        for at, suspect in suspects.items():
            line = lines[at][:MAX_LINE]
            if first_line + at in private_lines or line in _harmless:
                continue
            of_line = _search_line(line, suspect.kinds)
            spans += [(first_line + at, start, end, kind, line[start:end]) for start, end, kind in of_line]
            if not of_line:
                _note_harmless(line, suspect)
        secrets = _drop_overlaps(spans)
        return [Secret(self._make_key(value), line, start, end, kind) for line, start, end, kind, value in secrets]

    def _find_named_spans(self, lines: list[str], suspects: dict[int, Suspect], first_line: int) -> Iterator[Span]:
        """Values on the line below a name, which may be the first of a later piece."""
        named = [-1] * self._named
        named += [at for at, suspect in suspects.items() if suspect.named]
        last = len(lines) - 1 - (lines[-1] == "")  # a piece ends with the end of a line
        self._named = last in named
        for at in named:
            value = VALUE.match(lines[at + 1][:MAX_LINE]) if at < last else None
            if value and not HARMLESS.match(value["v"]):
                yield first_line + at + 1, *value.span("v"), "setting", value["v"]

    def _find_data(self, lines: list[str], suspects: Iterable[int], first_line: int) -> Iterator[Span]:
        """The values below "data:" of secrets of Kubernetes, whose kind may stand above or below them, or in the piece before."""
        n_above = len(self._document)
        lines, n_lines = [*self._document, *lines], n_above + len(lines) - (lines[-1] == "")
        kinds = [0][:n_above] + [n_above + at for at in suspects if SECRET_KIND.match(lines[n_above + at][:MAX_LINE])]
        self._document, done = [], 0  # the end of the document before
        for kind in kinds:
            if kind < done:
                continue
            first, done = kind, kind + 1
            while first > max(kind - MAX_DOCUMENT, 0) and not _ends_document(lines[first - 1]):
                first -= 1
            while done < min(kind + MAX_DOCUMENT, n_lines) and not _ends_document(lines[done]):
                done += 1
            if done == n_lines:
                self._document = lines[kind:done]
            data = _read_data(lines[first:done], first_line - n_above + first)
            yield from (span for span in data if span[0] >= first_line)

    def _make_key(self, value: str) -> str:
        """One key for each value. Beyond MAX_KEYS all further values share one, so that memory is bounded."""
        digest = hashlib.blake2b(value.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if digest not in self._keys and len(self._keys) >= MAX_KEYS:
            return f"s{MAX_KEYS + 1}"
        return self._keys.setdefault(digest, f"s{len(self._keys) + 1}")

    def _find_private_key_spans(self, lines: list[str], suspects: dict[int, Suspect], first_line: int) -> list[Span]:
        """Each line below the first of a private key up to the end of its base64, which may be in a later piece; and the rows
        of a file of secrets that was shown.
        """
        opens = {at: suspect.block for at, suspect in suspects.items() if suspect.block}
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


def _choose_suspect(line: str) -> Suspect | None:
    """None for a line that has no needle, or is a row of a process whose command had no secret."""
    if line in _harmless:
        return None
    columns = compile_programs()[2].match(line)
    if columns is None:
        return _choose(line)
    process = f"0 {line[columns.end() :]}"
    suspect = None if process in _harmless else _choose(process)
    if suspect is None:
        return None
    if suspect.block or _search_line(process[:MAX_LINE], suspect.kinds):
        return _choose(line)
    _note_harmless(process, suspect)
    return None


def _find_password_rows(piece: str, first_line: int) -> list[Span]:
    """Rows without any word that says what they are."""
    if not any(sign in piece for sign in (":54", ":6432:", ":*:")):
        return []
    password_rows, line, seen = [], first_line, 0
    for match in PASSWORD_ROW.finditer(piece):
        line, seen = line + piece.count("\n", seen, match.start()), match.start()
        password_rows.append((line, match.start("v") - seen, match.end("v") - seen, "password row", match["v"]))
    return password_rows


def _read_data(lines: Iterable[str], first_line: int) -> Iterator[Span]:
    inside = None  # the indentation of "data:"
    for number, whole in enumerate(lines, first_line):
        line = whole[:MAX_LINE]
        indent = len(line) - len(line.lstrip(" \t>"))
        if SECRET_DATA.match(line):
            inside = indent
        elif inside is not None and indent <= inside:
            inside = None
        elif inside is not None and (value := SECRET_VALUE.match(line)) and not HARMLESS.match(value["v"]):
            yield number, *value.span("v"), "setting", value["v"]


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


def _find_suspicious_lines(piece: str) -> list[int]:
    """Indexes of the lines that may contain any of the needles.

    Without digits and spaces the different lines of a log are few: nearly all of them are skipped by one look-up each.
    """
    text = piece if piece.isascii() else piece.lower()  # some other capitals have ASCII small letters
    bare_lines = text.encode("utf-8", "surrogatepass").translate(LOWER, DIGITS).split(b"\n")
    suspicious = set(filter(BARE_NEEDLE.search, set(bare_lines)))
    return list(compress(count(), map(suspicious.__contains__, bare_lines))) if suspicious else []


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


def redact_secrets(text: str) -> str:
    """The text with "[redacted]" for everything in it that looks like a secret."""
    return mask_secrets(text, SecretSearch().search(text))
