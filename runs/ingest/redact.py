"""Secrets in pasted text: where they stand, and the text without them. Pure functions.

What counts: cookies and Authorization headers (also as arguments of a command), passwords in URLs and options, settings
whose name ends in password, secret, token or the like, keys with a known shape, and private keys. A setting that names
a file or a variable is no secret.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

REDACTED = "[redacted]"
LONGEST = 10_000  # characters of a line that are looked at; no tool prints a longer one

# A line without any of these has no secret: plain `in` is many times quicker than the patterns below.
NEEDLES = (
    *("cookie", "auth", "pass", "pwd", "secret", "token", "key", "://", "mysql", "mariadb", "redis-cli"),
    *("akia", "asia", "ghp_", "gho_", "ghs_", "xox", "eyj", " -c", " -a", " -p", " -u"),
)

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
    ("private key", re.compile(r"-----BEGIN (?:\w+ ){0,3}PRIVATE KEY-----(?P<v>.*?[\w+/=].*?)(?:-----END|$)")),
    ("access key", re.compile(r"\b(?P<v>(?:AKIA|ASIA)[0-9A-Z]{16})\b")),
    ("access key", re.compile(r"\b(?P<v>gh[pousr]_\w{30,255}|xox[abprs]-[\w-]{10,200})")),
    ("access key", re.compile(r"\b(?P<v>eyJ[\w-]{8,2000}\.eyJ[\w-]{8,4000}\.[\w-]{8,2000})")),
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


def _private_keys(lines: Sequence[str]) -> Iterator[tuple[str, int, int, int]]:
    """(name of the key, line, start, end) of each line below the first of a private key, which ends with its base64."""
    name = ""
    for number, line in enumerate(lines, 1):
        if "-----BEGIN" in line and KEY_BEGIN.search(line[:LONGEST]) and KEY_END not in line:
            name = f"private key in line {number}"
        elif name:
            body = KEY_BODY.match(line)
            if body:
                yield name, number, *body.span("v")
            elif not KEY_NOTE.match(line):
                name = ""


def find_secrets(lines: Sequence[str]) -> list[Secret]:
    """Every secret in the lines, in order. Keys are "s1", "s2", ... and the same for the same lines."""
    lower = "\n".join(lines).lower()
    needles = [needle for needle in NEEDLES if needle in lower]  # few texts have more than two or three
    if not needles:
        return []
    found = [(number, start, end, "private key", name) for name, number, start, end in _private_keys(lines)]
    private = {number for number, *_ in found}
    for number, line in enumerate(lower.split("\n"), 1):
        if number not in private and any(needle in line for needle in needles):
            whole = lines[number - 1][:LONGEST]
            found += [(number, start, end, kind, whole[start:end]) for start, end, kind in _in_line(whole)]
    keys: dict[str, str] = {}
    return [
        Secret(keys.setdefault(value, f"s{len(keys) + 1}"), number, start, end, kind)
        for number, start, end, kind, value in sorted(found)
    ]


def redact(lines: Sequence[str], secrets: Sequence[Secret], keys: Collection[str]) -> list[str]:
    """The lines with "[redacted]" for each of the secrets whose key is named."""
    clean = list(lines)
    for secret in reversed(secrets):  # from the right, so that what stands before keeps its place
        if secret.key in keys:
            line = clean[secret.line - 1]
            clean[secret.line - 1] = line[: secret.start] + REDACTED + line[secret.end :]
    return clean


def without_secrets(text: str) -> str:
    """The text with "[redacted]" for everything in it that looks like a secret."""
    lines = text.split("\n")
    secrets = find_secrets(lines)
    return "\n".join(redact(lines, secrets, {secret.key for secret in secrets}))
