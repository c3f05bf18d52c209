"""Secrets in pasted text: where they stand, and the text without them. Pure functions.

What counts: cookies and Authorization headers (also as arguments of a command), passwords in URLs and options, settings
whose name ends in password, secret, token or the like, keys with a known shape, and private keys. A setting that names
a file or a variable is no secret.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress, count

REDACTED = "[redacted]"
LONGEST = 10_000  # characters of a line that are looked at; no tool prints a longer one

# A line without any of these has no secret: plain `in` is many times quicker than the patterns below.
_NEEDLES = (
    *("cookie", "auth", "pass", "pwd", "secret", "token", "key", "://", "mysql", "mariadb", "redis-cli"),
    *("akia", "asia", "ghp_", "gho_", "ghs_", "xox", "eyj", " -c", " -a", " -p", " -u"),
)
FIGURES = b"0123456789.: "
LOWER = bytes(range(256)).lower()
NEEDLES = {
    needle: needle.encode().translate(None, FIGURES) for needle in _NEEDLES
}  # each with what a bare line has of it
MOST_KEYS = 10_000
SHORT, MOST_KNOWN = 200, 2000  # characters of a line that is remembered, and how many of them are
SMALL = 8192  # characters of a piece whose lines are not worth sorting

HEADER = r"(?:set-cookie2?|cookie|(?:proxy-)?authorization|x-api-key|x-auth-token)"
WORD = r"(?:password|passwd|passphrase|pwd|secret|token|(?:secret|api|access|auth|private)[_-]?key)"
SETTING = rf"(?<![\w.-])[\w.-]{{0,60}}?{WORD}"
IS = r"""["'\]]{0,2}\s{0,20}(?:=>|:=|=(?!=)|:(?!:))\s{0,20}"""
COMMAND = re.compile(r"(?:^|[\s/;|&$#>])(ab2?|ab\.exe|abs|curl|hey|mysql\w*|mariadb\w*|redis-cli|sshpass)\s")
PAIR = r"""(?P<v>(?<=["'])[^"'=:]+[=:][^"']+|[^\s"'=:]+[=:][^\s"']+)"""  # name=value or user:password, quoted or not
OPTIONS = {
    "ab": re.compile(rf"""\s-[CAP]\s*["']?{PAIR}"""),
    "curl": re.compile(rf"""\s(?:-u|--user|-b|--cookie)[\s=]*["']?{PAIR}"""),
    "hey": re.compile(rf"""\s-a\s+["']?{PAIR}"""),
    "mysql": re.compile(r"""\s-p["']?(?P<v>[^\s"'-][^\s"']*)"""),
    "redis-cli": re.compile(r"""\s-a\s+["']?(?P<v>[^\s"']+)"""),
    "sshpass": re.compile(r"""\s-p\s*["']?(?P<v>[^\s"']+)"""),
}
OPTIONS |= dict.fromkeys(("ab2", "ab.exe", "abs"), OPTIONS["ab"])

PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("header", re.compile(rf"""(?P<q>["']){HEADER}\s*:\s*(?P<v>[^"']*[^"'\s])(?P=q)""", re.I)),
    ("header", re.compile(rf"""^[\s><|*#/+-]{{0,20}}{HEADER}\s*:\s*(?P<v>\S(?:.*\S)?)""", re.I)),
    ("header", re.compile(rf"""(?:_header|\bheader\s+\w+)\s+["']?{HEADER}["']?\s+["']?(?P<v>[^"';]+)""", re.I)),
    ("password in a URL", re.compile(r"""://[^/\s:@"']{0,100}:(?P<v>[^/\s@"']{1,200})@""")),
    ("option", re.compile(rf"""(?<!\S)--?(?:\w+-){{0,4}}(?:{WORD}|pass)(?:=|\s+)["']?(?P<v>[^\s"'-][^\s"']*)""", re.I)),
    ("setting", re.compile(rf"""{SETTING}{IS}(?P<q>["'])(?P<v>.+?)(?P=q)""", re.I)),
    ("setting", re.compile(rf"""{SETTING}{IS}(?P<v>[^\s"',;]+)""", re.I)),
    ("setting", re.compile(rf"""["']\w{{0,60}}?{WORD}["']\s*,\s*["'](?P<v>[^"']+)["']""", re.I)),
    ("setting", re.compile(r"""^\s*(?:requirepass|masterauth|AuthLDAPBindPassword)\s+["']?(?P<v>[^\s"']+)""", re.I)),
    (
        "private key",
        re.compile(r"-----BEGIN (?:\w+ ){0,3}PRIVATE KEY-----(?P<v>(?:(?!-----END).)*?[\w+/=](?:(?!-----END).)*)"),
    ),
    ("access key", re.compile(r"\b(?P<v>(?:AKIA|ASIA)[0-9A-Z]{16})\b")),
    ("access key", re.compile(r"\b(?P<v>gh[pousr]_\w{30,255}|xox[abprs]-[\w-]{10,200})")),
    ("access key", re.compile(r"\b(?P<v>eyJ[\w-]{8,2000}\.eyJ[\w-]{8,4000}\.[\w-]{8,2000})")),
)
# What stands before the command in a row of top or ps: nothing in it is a secret or the beginning of one. A name that is a
# command's might be, and the text could go on with its options.
COLUMNS = re.compile(
    r"""\s*(?:\d{1,10}\s+)?(?!(?:ab2?|ab\.exe|abs|curl|hey|mysql\w*|mariadb\w*|redis-cli|sshpass|\w*header)\s)[a-z_][\w.+-]{0,31}\s+"""
    r"""(?:(?:[-+]?\d[\d.:,]{0,20}[kmgtKMGT%]?|[A-Z?][A-Za-z+<]{0,3}\d{0,2}|pts/\d{1,4}|tty\d{0,2}|rt)\s+){5,14}"""
)
KEY_BEGIN = re.compile(r"-----BEGIN (?:\w+ ){0,3}PRIVATE KEY-----")
KEY_END = "-----END"
KEY_BODY = re.compile(r"^[\s>|*#/]{0,20}(?P<v>[A-Za-z0-9+/=]{1,100})\s{0,20}$")
KEY_NOTE = re.compile(r"^\s*(?:Proc-Type:.*|DEK-Info:.*|\[redacted\])?$")

# What stands where a secret could, and is none: variables, files, switches, what somebody has blanked already.
HARMLESS = re.compile(
    r"""^(?:[$%<{*].*|x{3,}|\.{2,}|/.*|file:.*|(?:true|false|yes|no|on|off|none|null|nil|default|prompt|required|\d{1,3})|\[redacted\].*)$""",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Secret:
    """Characters start..end (from 0) of a line (from 1). The same secret in several places has one key."""

    key: str
    line: int
    start: int
    end: int
    kind: str


Span = tuple[int, int, int, str, str]  # line, start, end, kind, value


def _spans(line: str) -> Iterator[tuple[int, int, str]]:
    command = COMMAND.search(line)
    if command:
        name = "mysql" if command[1].startswith(("mysql", "mariadb")) else command[1]
        for found in OPTIONS[name].finditer(line, command.end() - 1):
            yield *found.span("v"), "option"
    for kind, pattern in PATTERNS:
        for found in pattern.finditer(line):
            yield *found.span("v"), kind


def _in_line(line: str) -> list[tuple[int, int, str]]:
    """Spans that do not overlap, in order; of two that do, the one that begins first (then the longer) stays."""
    kept: list[tuple[int, int, str]] = []
    for start, end, kind in sorted(_spans(line), key=lambda span: (span[0], -span[1])):
        if (not kept or start >= kept[-1][1]) and not HARMLESS.match(line[start:end]):
            kept.append((start, end, kind))
    return kept


class Search:
    """Looks through a text, piece by piece and each of whole lines. Keys are "s1", "s2", ... in the order of the text."""

    def __init__(self) -> None:
        self._keys: dict[bytes, str] = {}
        self._private = ""  # name of the private key whose lines are being read
        self._harmless: set[str] = set()  # commands of processes that were looked at: a log repeats them on each screen

    def take(self, piece: str, first_line: int = 1) -> list[Secret]:
        """Every secret in the next piece, in order; its lines are counted from `first_line`."""
        suspects = _suspects(piece)
        if not suspects and not self._private:
            return []
        lines = piece.split("\n")
        suspects = [at for at in suspects if not self._is_harmless(lines[at])]
        found = self._private_keys(lines, suspects, first_line)
        private = {number for number, *_ in found}
        for at in suspects:
            if first_line + at not in private and lines[at] not in _known_harmless:
                whole = lines[at][:LONGEST]
                spans = _in_line(whole)
                found += [(first_line + at, start, end, kind, whole[start:end]) for start, end, kind in spans]
                if not spans:
                    _remember_harmless(lines[at])
        return [Secret(self._key(value), number, start, end, kind) for number, start, end, kind, value in sorted(found)]

    def _is_harmless(self, line: str) -> bool:
        """Whether the line has no needle, or is a row of a process whose command, with any other figures, had no secret."""
        columns = COLUMNS.match(line)
        if columns is None:
            lower = line.lower()
            return not any(needle in lower for needle in NEEDLES)
        command = line[columns.end() :]
        if command in self._harmless:
            return True
        if _opens_key(command) or _in_line(f"0 {command}"[:LONGEST]):
            return False
        if len(self._harmless) < MOST_KEYS and len(command) < 1000:
            self._harmless.add(command)
        return True

    def _key(self, value: str) -> str:
        """One for each value. Where there are very many, all further ones share the last: memory is bounded."""
        digest = hashlib.blake2b(value.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if digest not in self._keys and len(self._keys) >= MOST_KEYS:
            return f"s{MOST_KEYS + 1}"
        return self._keys.setdefault(digest, f"s{len(self._keys) + 1}")

    def _private_keys(self, lines: list[str], suspects: list[int], first_line: int) -> list[Span]:
        """Each line below the first of a private key, which ends with its base64, maybe in a later piece."""
        opens = [at for at in suspects if _opens_key(lines[at])]
        stops = [*opens, len(lines)]
        found = list(self._key_lines(lines, 0, stops[0], first_line))
        for at, stop in zip(opens, stops[1:], strict=True):
            self._private = f"private key in line {first_line + at}"
            found += self._key_lines(lines, at + 1, stop, first_line)
        return found

    def _key_lines(self, lines: list[str], start: int, stop: int, first_line: int) -> Iterator[Span]:
        for at in range(start, stop if self._private else start):
            body = KEY_BODY.match(lines[at])
            if body:
                yield first_line + at, *body.span("v"), "private key", self._private
            elif not KEY_NOTE.match(lines[at]):
                self._private = ""
                return


_known_harmless: set[str] = set()  # lines such as a tool's banner, which every report repeats


def _remember_harmless(line: str) -> None:
    if len(line) <= SHORT:
        if len(_known_harmless) >= MOST_KNOWN:
            _known_harmless.clear()
        _known_harmless.add(line)


def _opens_key(line: str) -> bool:
    begins = KEY_BEGIN.search(line[:LONGEST]) if "-----BEGIN" in line else None
    return begins is not None and KEY_END not in line[begins.end() :]


def _suspects(piece: str) -> list[int]:
    """Which lines (from 0) may have any of the needles.

    Without figures and spaces the lines of a log are few: nearly all of them are passed over without a look at each.
    """
    plain = piece if piece.isascii() else piece.lower()  # other letters have small ones, too, some of them plain ones
    bare = plain.encode("utf-8", "surrogatepass").translate(LOWER, FIGURES).split(b"\n")
    if len(piece) <= SMALL:
        return [at for at, kind in enumerate(bare) if _has_needle(kind)]
    kinds = set(bare)
    together = b"\n".join(kinds)
    needles = [needle for needle, short in NEEDLES.items() if short in together]
    if not needles:
        return []
    odd = {kind for kind in kinds if any(NEEDLES[needle] in kind for needle in needles)}
    return list(compress(count(), map(odd.__contains__, bare)))


@lru_cache(maxsize=1024)  # of one report nearly all lines are, without their figures, those of any other
def _has_needle(kind: bytes) -> bool:
    return any(short in kind for short in NEEDLES.values())


def find_secrets(lines: Sequence[str]) -> list[Secret]:
    """Every secret in the lines, in order. Keys are "s1", "s2", ... and the same for the same lines."""
    return Search().take("\n".join(lines))


def masked(piece: str, secrets: Sequence[Secret], first_line: int = 1) -> str:
    """The text with "[redacted]" for each of the secrets; its lines are counted from `first_line`."""
    lines = piece.split("\n")
    for secret in reversed(secrets):  # from the right, so that what stands before keeps its place
        line = lines[secret.line - first_line]
        lines[secret.line - first_line] = line[: secret.start] + REDACTED + line[secret.end :]
    return "\n".join(lines)


def without_secrets(text: str) -> str:
    """The text with "[redacted]" for everything in it that looks like a secret."""
    return masked(text, Search().take(text))
