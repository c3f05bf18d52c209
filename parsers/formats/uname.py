"""uname: the kernel, the machine's name and kind.

Reads     `uname -a` of Linux, the BSDs and macOS wherever it stands; any other options right below their command line
Yields    HostFacts with name and kernel
Units     none
Quirks    the version has blanks in it, so that -a is read from both ends; processor and platform are often "unknown" or
          left out; busybox and toybox name themselves as the operating system in some builds
Source    coreutils' src/uname.c, FreeBSD's and macOS' uname.c
"""

from __future__ import annotations

import re
from typing import Any

from ..broken_lines import match_joined
from ..lines import Lines
from ..prompts import prompt
from ..records import Found, HostFacts, Record

KIND = "uname"
PROGRAMS = ("uname",)

_MACHINE = r"(?:x86_64|amd64|i[3-6]86|aarch64|arm\w*|ppc\w*|s390x?|riscv\d+|mips\w*|loongarch\d+|athlon|unknown)"
_OTHERS = r"(?:Darwin|FreeBSD|NetBSD|OpenBSD|DragonFly)"
OPENS = (
    r"Linux [\w.-]+ \d+\.\d+\S* #\d|Darwin \S+ \d+\.\d+\.\d+ Darwin Kernel Version"
    rf"|(?:FreeBSD|NetBSD|OpenBSD|DragonFly) \S+ \d+\.\d+\S* \S|Linux \d+\.\d+\S* {_MACHINE}\s*$"
)

_ALL_OF_LINUX = re.compile(
    r"(?P<kernel_name>Linux) (?P<nodename>\S+) (?P<kernel_release>\d+\.\S+) (?P<kernel_version>#.*?)"
    rf" (?P<machine>{_MACHINE})(?: (?P<processor>{_MACHINE}))?(?: (?P<hardware_platform>{_MACHINE}))?"
    r" (?P<operating_system>[A-Z][\w/]+)"
)
_ALL_OF_OTHERS = re.compile(
    rf"(?P<kernel_name>{_OTHERS}) (?P<nodename>\S+) (?P<kernel_release>\d+\.\S+) (?P<kernel_version>\S.*?)"
    rf"\s+(?P<machine>{_MACHINE})(?: (?P<processor>{_MACHINE}))?"
)
_SRM = re.compile(rf"(?P<kernel_name>Linux) (?P<kernel_release>\d+\.\S+) (?P<machine>{_MACHINE})")
_BEGINNING = re.compile(r"(?P<kernel_name>[A-Z]\w+) (?P<nodename>\S+) (?P<kernel_release>\d+\.\S+) ")
_FIELDS = {
    "s": ("kernel_name", r"[A-Z]\S*"),
    "n": ("nodename", r"\S+"),
    "r": ("kernel_release", r"\d+\.\S+"),
    "v": ("kernel_version", r"\S.*?"),
    "m": ("machine", r"\S+"),
    "p": ("processor", r"\S+"),
    "i": ("hardware_platform", r"\S+"),
    "o": ("operating_system", r"\S+"),
}
_LONGEST = 500  # characters; with more, looking for where the version ends would take its time
_LONG = {f"--{name.replace('_', '-')}": letter for letter, (name, _) in _FIELDS.items()}
_ALONE = re.compile(r"(?:sudo\s+)?(?:busybox\s+|toybox\s+)?(?:\S*/)?uname((?:\s+-[a-z-]+)*)\s*")


def claims(command: str) -> bool:
    return "uname" in command and bool(_ALONE.fullmatch(command.strip()))


def parse(lines: Lines, command: str | None) -> Found | None:
    ahead = lines.ahead(1)
    if not ahead or prompt(ahead[0]) is not None:
        return None
    lines.skip_blank()
    line, first = next(lines), lines.number
    asked = _output_pattern(command or "")
    found = match_joined(lines, line, lambda text: _read(text, asked))
    broken = found is None
    if found is None and (found := _BEGINNING.match(line.strip())) is None:
        lines.step_back()
        return None
    values: dict[str, Any] = {name: text for name, text in found.groupdict().items() if text is not None}
    return Found(values, first, lines.number, broken)


def _output_pattern(command: str) -> re.Pattern[str] | None:
    """What a command of uname alone prints; None for another command and for -a, which is known by its looks."""
    alone = _ALONE.fullmatch(command.strip())
    if alone is None:
        return None
    letters = "".join(_LONG.get(word, word.lstrip("-")) for word in alone[1].split()) or "s"
    if "a" in letters or set(letters) - set(_FIELDS):
        return None
    return re.compile(
        r"\s+".join(f"(?P<{name}>{text})" for letter, (name, text) in _FIELDS.items() if letter in letters)
    )


def _read(text: str, asked: re.Pattern[str] | None) -> re.Match[str] | None:
    if len(text) > _LONGEST:
        return None
    patterns = [asked] if asked else [_ALL_OF_LINUX, _ALL_OF_OTHERS, _SRM]
    return next((found for pattern in patterns if (found := pattern.fullmatch(text))), None)


def records(values: dict[str, Any]) -> list[Record]:
    system = values.get("operating_system", values.get("kernel_name"))
    return [HostFacts(name=values.get("nodename"), os=system, kernel=values.get("kernel_release"))]
