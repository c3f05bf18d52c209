"""uname: the kernel, the machine's name and kind.

Reads     `uname -a` of Linux, the BSDs and macOS wherever it stands; any other options right below their command line
Yields    HostFacts with name and kernel
Units     none
Quirks    the version has blanks in it, so that -a is read from both ends; processor and platform are often "unknown" or
          left out; busybox and toybox name themselves as the operating system in some builds
Source    coreutils' src/uname.c, FreeBSD's and macOS' uname.c

os_release: which distribution a machine runs.

Reads     /etc/os-release and /etc/lsb-release, `lsb_release -a`, and the one line of /etc/redhat-release and its likes; what
          `cat /etc/*release` prints of several
Yields    HostFacts with the system's name
Units     none
Quirks    the same line comes again where several files have it; Red Hat's older systems have only the one line
Source    systemd's os-release(5), lsb_release(1)

nproc: the number of processors, nothing else.

Reads     a bare number, and that only right below a command line of nproc
Yields    HostFacts
Units     none
Quirks    --ignore takes some off, so that its number is not that of the machine
Source    coreutils' src/nproc.c

hostname: the machine's name, nothing else.

Reads     one word, and that only right below a command line of hostname
Yields    HostFacts
Units     none
Quirks    options that print addresses are left alone
Source    hostname(1)

passport: what `bd passport` measures of a machine: equal runs of one small loop, and what may make them vary.

Reads     from the line "equal runs of a small loop" to the CPU time after the last run
Yields    HostFacts; none where fewer than 4 runs are there, or one took no time
Units     ms; steal, and what other programs used, in per cent of the CPU time of the machine
Quirks    clock source, governor and turbo are left out where the machine does not tell them; without the
          shell's times the loop counts as if it had run all the time
Source    runs/client/bd, probe()
"""

from __future__ import annotations

import re
from typing import Any

from ..catalogue import Format
from ..lines import Lines
from ..multiline import match_joined
from ..prompts import prompt
from ..records import Found, HostFacts, Problem, Record

KIND = "uname"
PROGRAMS = ("uname",)

_MACHINE = r"(?:x86_64|amd64|i[3-6]86|aarch64|arm\w*|ppc\w*|s390x?|riscv\d+|mips\w*|loongarch\d+|athlon|unknown)"
_OTHERS = r"(?:Darwin|FreeBSD|NetBSD|OpenBSD|DragonFly)"
OPENS = (
    r"Linux [\w.-]+ \d+\.\d++\S* #\d|Darwin \S+ \d+\.\d+\.\d+ Darwin Kernel Version"
    rf"|(?:FreeBSD|NetBSD|OpenBSD|DragonFly) \S+ \d+\.\d++\S* \S|Linux \d+\.\d++\S* {_MACHINE}\s*$"
)

_ALL_OF_LINUX = re.compile(
    r"(?P<kernel_name>Linux) (?P<nodename>\S+) (?P<kernel_release>\d+\.\S+) (?P<kernel_version>#.*?)"
    rf" (?P<machine>{_MACHINE})(?: (?P<processor>{_MACHINE}))?(?: (?P<hardware_platform>{_MACHINE}))?"
    r" (?P<operating_system>[A-Z][\w/]+)"
)
_ALL_OF_OTHERS = re.compile(
    rf"(?P<kernel_name>{_OTHERS}) (?P<nodename>\S+) (?P<kernel_release>\d+\.\S+) (?P<kernel_version>\S.*?)"
    rf"\s{{1,9}}(?P<machine>{_MACHINE})(?: (?P<processor>{_MACHINE}))?"
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
    line, first = lines.take_next(), lines.number
    asked = _find_output_pattern(command or "")
    match = match_joined(lines, line, lambda text: _read(text, asked))
    broken = match is None
    if match is None and (match := _BEGINNING.match(line.strip())) is None:
        lines.step_back()
        return None
    values: dict[str, Any] = {name: text for name, text in match.groupdict().items() if text is not None}
    return Found(values, first, lines.number, broken)


def _find_output_pattern(command: str) -> re.Pattern[str] | None:
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
    return next((match for pattern in patterns if (match := pattern.fullmatch(text))), None)


def records(values: dict[str, Any]) -> list[Record]:
    system = values.get("operating_system", values.get("kernel_name"))
    return [HostFacts(name=values.get("nodename"), os=system, kernel=values.get("kernel_release"))]


# --- os_release -------------------------------------------------------------------------------------------------------
_LINE = (
    r"(?:CentOS|Red Hat|Fedora|Rocky Linux|AlmaLinux|Oracle Linux|Scientific Linux|Amazon Linux)[A-Za-z ]{0,40}"
    r"\brelease \d[\w.-]*(?: \([\w ]+\))?\s*"
)
_OS_RELEASE_OPENS = (
    r"(?:PRETTY_NAME|NAME|DISTRIB_ID|DISTRIB_DESCRIPTION)=\"?[A-Za-z]|Distributor ID:\s+\S|LSB Version:\s+\S"
    r"|Description:\s+(?:Ubuntu|Debian|Linux Mint|openSUSE|SUSE|CentOS|Red Hat|Fedora)[A-Za-z/ ]*"
    r" \d[\w.]*(?: LTS)?(?: \(\w+\))?\s*$"
    rf"|{_LINE}$"
)

_SETTING = re.compile(r"([A-Z][A-Z_]{1,40})=(\"[^\"]*\"|'[^']*'|\S*)")
_FIELD = re.compile(r"(LSB Version|Distributor ID|Description|Release|Codename):\s+(\S.*)")
_RELEASE = re.compile(_LINE)
_MOST = 60  # lines
_TELLING = ("pretty_name", "distrib_description", "description", "release_line")  # which of them names the system best


def _parse_os_release(lines: Lines, command: str | None) -> Found | None:
    values: dict[str, Any] = {}
    first = last = lines.number + 1
    taken: list[str] = []
    whole = 0  # how many of them belong to it
    for line in lines:
        taken.append(lines.raw)
        text = line.strip()
        new = _read_line(text)
        if (not new and text) or len(taken) > _MOST:
            break
        if new:
            last, whole = lines.number, len(taken)
        if not lines.unended():  # else the rest of it may be missing
            values |= {name: value for name, value in new.items() if name not in values}
    if not any(name in values for name in _TELLING):
        whole = 0
    lines.back(*taken[whole:])
    return Found(values, first, last) if whole else None


def _read_line(text: str) -> dict[str, str]:
    """What one line says, by its own names; nothing where it is none of these files'."""
    if setting := _SETTING.fullmatch(text):
        return {setting[1].lower(): setting[2].strip("\"'")}
    if field := _FIELD.fullmatch(text):
        return {field[1].lower().replace(" ", "_"): field[2]}
    return {"release_line": text} if _RELEASE.fullmatch(text) else {}


# --- nproc ------------------------------------------------------------------------------------------------------------
_FIGURE = re.compile(r"[1-9]\d{0,4}")
_NPROC_ALONE = re.compile(r"(?:sudo\s+)?(?:\S*/)?nproc(?:\s+--(?:all|ignore[= ]\d+))*")


def _parse_nproc(lines: Lines, command: str | None) -> Found | None:
    _, figure = lines.take_below(_FIGURE.fullmatch)
    if not figure:
        return None
    name = "processors_left" if "--ignore" in (command or "") else "processors"
    return Found({f"n_{name}": int(figure)}, lines.number, lines.number)


# --- hostname ---------------------------------------------------------------------------------------------------------
_NAME = re.compile(r"[A-Za-z\d](?:[\w-]{0,62}\w)?(?:\.[\w-]{1,63}){0,8}")
_HOSTNAME_ALONE = re.compile(r"(?:\S*/)?hostname(?:\s+(?:-[fsa]|--fqdn|--short|--long))?")


def _parse_hostname(lines: Lines, command: str | None) -> Found | None:
    _, name = lines.take_below(_NAME.fullmatch)
    return Found({"nodename": name}, lines.number, lines.number) if name else None


# --- passport ---------------------------------------------------------------------------------------------------------
_FEWEST = 4
_PASSPORT_RUN = re.compile(r"run \d{1,3}: (\d{1,7}) ms")
_PASSPORT_FACT = re.compile(r"(clock source|governor|turbo): (\S.{0,39})")
_STAT = re.compile(r"cpu (before|after): cpu +(\d{1,19}(?: \d{1,19}){7,9})")
_IDLE, _WAITING, _STOLEN = 3, 4, 7  # places in /proc/stat's line of all CPUs
_TICKS = 100  # a second
# Of the shell, then of its children.
_SPENT = re.compile(r"(\d{1,9})m(\d{1,2}\.\d{1,6})s (\d{1,9})m(\d{1,2}\.\d{1,6})s")
_TIMES = 8  # places that are times of their own; a guest's are in the user's


def _parse_passport(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    values: dict[str, Any] = {"runs_ms": []}
    ticks: dict[str, list[int]] = {}
    times: list[float] = []
    for line in lines.texts():
        if lines.number == first:
            continue
        if run := _PASSPORT_RUN.fullmatch(line):
            values["runs_ms"].append(int(run[1]))
        elif fact := _PASSPORT_FACT.fullmatch(line):
            values[fact[1].replace(" ", "_")] = fact[2]
        elif stat := _STAT.fullmatch(line):
            ticks[stat[1]] = [int(word) for word in stat[2].split()][:_TIMES]
        elif (took := _SPENT.fullmatch(line)) and len(times) < 2 * len(ticks):
            times.append(60 * (int(took[1]) + int(took[3])) + float(took[2]) + float(took[4]))
        else:
            lines.refuse()
            break
    own_s = times[3] - times[1] if len(times) == 4 else sum(values["runs_ms"]) / 1000
    if len(times) in (0, 4):  # of a text that ends between them it is not known what the loop itself took
        values |= _compute_shares(ticks, own_s)
    if _is_whole_passport(values):
        return Found(values, first, lines.last)
    message = f"{len(values['runs_ms'])} runs; expected {_FEWEST} or more, of more than 0 ms"
    return Found(values, first, lines.last, True, [Problem(lines.last, message)])


def _compute_shares(ticks: dict[str, list[int]], own_s: float) -> dict[str, float]:
    spent = [after - before for before, after in zip(ticks.get("before", ()), ticks.get("after", ()), strict=False)]
    total = sum(spent)
    if total <= 0:
        return {}
    others = total - spent[_IDLE] - spent[_WAITING] - spent[_STOLEN] - own_s * _TICKS
    shares = {"steal_pct": spent[_STOLEN], "others_pct": max(others, 0)}
    return {name: round(100 * share / total, 2) for name, share in shares.items()}


def _is_whole_passport(values: dict[str, Any]) -> bool:
    return len(values["runs_ms"]) >= _FEWEST and all(values["runs_ms"])


OTHER_FORMATS = (
    Format(
        kind="os_release",
        opens=_OS_RELEASE_OPENS,
        command=re.compile(r"lsb_release|/etc/\S*(?:release|issue|_version)\b"),
        parse=_parse_os_release,
        records=lambda values: [HostFacts(os=next(str(values[name]) for name in _TELLING if name in values))],
    ),
    Format(
        kind="nproc",
        opens="",
        programs=("nproc",),
        claims=lambda command: "nproc" in command and bool(_NPROC_ALONE.fullmatch(command.strip())),
        parse=_parse_nproc,
        records=lambda values: [HostFacts(cores=values.get("n_processors"))],
    ),
    Format(
        kind="hostname",
        opens="",
        programs=("hostname",),
        claims=lambda command: "hostname" in command and bool(_HOSTNAME_ALONE.fullmatch(command.strip())),
        parse=_parse_hostname,
        records=lambda values: [HostFacts(name=values["nodename"])],
    ),
    Format(
        kind="passport",
        opens=r"equal runs of a small loop\s*$",
        command=re.compile(r"\bbd passport\b"),
        parse=_parse_passport,
        records=lambda values: [HostFacts(passport=dict(values))] if _is_whole_passport(values) else [],
    ),
)
