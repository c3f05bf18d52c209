"""ps: a process listing.

Reads     ps aux, -ef, -eLf, -eo with any columns, axf; BSD's, busybox's and toybox's; listings without a header behind grep
Yields    a ProcessSample a row
Units     KiB, per cent, seconds
Quirks    `| grep` drops the header, so the columns come from the command or from the look of the row; `lstart` and `start`
          print several words; a process may have no name; -L lists threads; the art of a forest is taken off;
          "-o rss=MEMORY" gives a column a title of its own, "-o rss=" none; toybox calls the command NAME
Source    procps ps(1) and output.c, busybox and toybox ps.c
"""

from __future__ import annotations

import re
import shlex
from functools import lru_cache
from typing import Any

from ..lines import Lines
from ..prompts import prompt
from ..records import Found, Record
from ..tables import CONVERTERS, RowReader, Table, name_once, samples
from ..units import name_words

KIND = "ps"
PROGRAMS = ("ps",)
COMMAND = r"(?:^|[\s/;&|(])ps(?:\s|$)"
_AUX_ROW = (
    r"[^\s>#|*/;]\S*+\s++\d++\s++\d+\.\d\s+\d+\.\d\s+\d+\s+\d+\s+\S+"
    r"\s+[DIRSTZXtU][A-Za-z<+]*\s+\S+\s+\d+:\d\d(?:\.\d\d)?(?:\s+\S|\s*$)"  # a mail client may break it there
)
_EF_ROW = r"[a-z_][\w+.-]*+\s++\d++\s++\d+\s+\d+\s+(?:\d\d:\d\d|[A-Z][a-z]{2}\s?\d\d|\d{4})\s+\S+\s+(?:\d+-)?\d\d:\d\d:\d\d\s+\S"
OPENS = (
    r"(?=(?:[A-Z%][A-Z%:_]*+\s++){2,}[A-Z%][A-Z%:_]*\s*$)(?=.*\bPID\b)"  # capitals first: most lines fail there at once
    r"(?!.*(?:\bRES\b|\bTIME\+|%VSZ|\[%CPU\]|\bVIRT\b|\bWCPU\b|\bSHARE\b))"
    rf"|{_AUX_ROW}|{_EF_ROW}"
)

_COLUMNS = name_words(
    {
        "pid": "PID",
        "ppid": "PPID",
        "user": "USER UID RUSER EUSER",
        "cpu_pct": "%CPU PCPU",
        "mem_pct": "%MEM PMEM",
        "vsz_kb": "VSZ VSIZE",
        "rss_kb": "RSS RSZ",
        "tty": "TTY TT",
        "stat": "STAT S STATE",
        "start": "START STARTED STIME",
        "time_s": "TIME CPUTIME",
        "elapsed_s": "ELAPSED ETIME",
        "command": "COMMAND CMD ARGS NAME COMM UCMD",
        "lwp": "LWP SPID TID",
        "nlwp": "NLWP THCNT",
        "c": "C",
    }
)
_OTHER_TITLES = (
    "NI PRI PSR CLS RTPRIO F SZ ADDR WCHAN PGID SID SESS TPGID GROUP GID PGRP FLAGS LABEL SIZE DRS TRS LIM MAJFLT MINFLT MAJFL"
    " MINFL NICE CPU POL STACKP SIGNAL BLOCKED CAUGHT IGNORED LSTART BSDTIME CGROUP UNIT NS PSS USS FUSER SUSER RUID EUID PC"
    " PENDING ESP EIP TMOUT ALARM"
)
_OTHERS = frozenset(_OTHER_TITLES.split())
_OPTION_NAMES = name_words(
    {"cpu_pct": "pcpu", "mem_pct": "pmem", "vsz_kb": "vsize", "rss_kb": "rssize rsz", "user": "ruser euser uname"}
    | {"command": "cmd args comm command ucmd fname", "start": "lstart bsdstart stime", "elapsed_s": "etime etimes"}
    | {"time_s": "time cputime times cputimes", "stat": "s state", "lwp": "tid"}
)
_AUX = ("user", "pid", "cpu_pct", "mem_pct", "vsz_kb", "rss_kb", "tty", "stat", "start", "time_s", "command")
_EF = ("user", "pid", "ppid", "c", "start", "tty", "time_s", "command")
_EF_THREADS = ("user", "pid", "ppid", "lwp", "c", "nlwp", "start", "tty", "time_s", "command")
_L = ("f", "stat", "user", "pid", "ppid", "c", "pri", "ni", "addr", "sz", "wchan", "tty", "time_s", "command")
_LF = (*_L[:11], "start", *_L[11:])
_AX = ("pid", "tty", "stat", "time_s", "command")
_E = ("pid", "tty", "time_s", "command")
_TITLES = re.compile(r"\s*[A-Z%][A-Z%:_]*(?:\s+[A-Z%][A-Z%:_]*)*\s*")
_TITLE = re.compile(r"(?<=[\s,])(?=(\w+)=([A-Z][A-Z_]*))")  # "-o rss=MEMORY"
_FOREST = re.compile(r"^(?:[ |]*(?:\\_|\|-|`-)(?:\s+|$)|[ |]*\\?$|(?:\| +)+)")
_GREP = re.compile(r"\|\s*(?:[ef]?grep|awk|sed|ag|rg|tail)\b")
_WHOLE_ROWS = re.compile(r"[^|;&>]*(?:\|\s*(?:sort|head|tail|[ef]?grep|cat|tee)\b[^|;&>]*)*")
_NO_TITLES = re.compile(r"\s(?:--no-head\w*|h)(?=\s|$)")


def claims(command: str) -> bool:
    """A listing whose header was filtered away or not asked for, or has no PID: only the command tells the columns."""
    match = re.search(COMMAND, command)
    if not match:
        return False
    if "|" in command and _GREP.search(command):
        return True
    names = _list_asked(command) if _WHOLE_ROWS.fullmatch(command, match.start() + 1) else []
    return bool(names) and ("pid" not in names or "=" in command or bool(_NO_TITLES.search(command)))


def parse(lines: Lines, command: str | None) -> Found | None:
    ahead = lines.ahead(1)
    if not ahead or prompt(ahead[0]) is not None:
        return None
    lines.skip_blank()
    line = next(lines)
    first = lines.number
    is_ps = bool(command and re.search(COMMAND, command))
    shown = command if is_ps else None
    names = _read_header(line, shown)
    first_row = first
    if names is None and shown and len(asked := _list_asked(shown)) == len(line.split()) and _TITLES.fullmatch(line):
        names = asked
    elif names and names[-1] != "command" and (more := _join_broken_header(lines, line)):
        names = _read_header(more, shown) or names
        first_row = lines.number
    flavour = "busybox" if re.match(r"\s*PID (?:  USER| *USER +VSZ +STAT +COMMAND\s*$)", line) else None
    if names:
        reader = RowReader(lines, names, lines.raw if first_row == first else "")
        reader.last = first_row
        table = reader.read()
    else:
        lines.step_back()
        names = list(_list_columns(command) or ()) if command and is_ps else None
        if names and not CONVERTERS.keys() & set(names):
            return None  # texts alone: nothing to measure, and nothing tells where they end
        names = names or list(_AUX if re.match(_AUX_ROW, line.strip()) else _EF)
        reader = RowReader(lines, names)
        table = reader.read(several=False)
        if not len(table):
            return None
    if names and not len(table) and not is_ps:
        return None
    return _finish(table, names, first, reader, flavour)


def _finish(table: Table, names: list[str], first: int, reader: RowReader, flavour: str | None) -> Found:
    columns = table.columns
    if "command" in columns:
        columns["command"] = [_FOREST.sub("", c).strip() for c in columns["command"]]
    values: dict[str, Any] = {"flavour": flavour} if flavour else {}
    values["columns"] = names
    values["n_rows"] = len(table)
    values["n_processes"] = len(set(columns["pid"])) if {"lwp", "pid"} <= columns.keys() else len(table)
    values["sum_rss_kb"] = sum(columns["rss_kb"]) if "rss_kb" in columns else None
    values["processes"] = table
    return Found(values, first, reader.last, reader.elided, reader.problems)


def _join_broken_header(lines: Lines, line: str) -> str | None:
    """The whole header where a mail client put its last words on a line of their own; None where it did not."""
    following = (lines.peek() or "").split()
    if (
        not following
        or following[-1] not in ("COMMAND", "CMD", "ARGS", "NAME")
        or any(w not in _COLUMNS for w in following)
    ):
        return None
    next(lines)
    return f"{line} {' '.join(following)}"


@lru_cache(maxsize=64)
def _read_header(line: str, command: str | None) -> list[str] | None:
    """Names of the columns below a header, None where it is none of ps's.

    command  of ps, which may have titles of its own for columns ("rss=MEMORY"); None where none is shown
    """
    titles = {title: option for option, title in _TITLE.findall(command)} if command else None
    words = line.split()
    if words[-2:] == ["PC", "NAME"]:
        words.insert(-1, "S")  # Android's: the state has no title
    if "PID" not in words or any(not re.fullmatch(r"[A-Z%][A-Z%:_]*", w) for w in words):
        return None
    if titles is None and any(w not in _COLUMNS and w not in _OTHERS for w in words):
        return None  # another tool's table
    own = {
        title: _OPTION_NAMES.get(option, _COLUMNS.get(option.upper(), option))
        for title, option in (titles or {}).items()
    }
    names = name_once([(own.get(word, _COLUMNS.get(word, word.lower())), word.lower()) for word in words])
    useful = {"command", "rss_kb", "vsz_kb", "cpu_pct", "time_s", "stat"} & set(names)
    return names if len(words) >= 2 and useful else None


def _list_columns(command: str) -> list[str] | None:
    """Columns that the command asks for: its -o list, or what its letters mean."""
    words = _split_words(command)
    letters = "".join(word for word in words if re.fullmatch(r"-?[A-Za-z]{1,6}", word))
    return _list_asked(command) or _list_columns_by_letters(letters)


def _split_words(command: str) -> list[str]:
    """The words behind ps, up to what takes its output."""
    part = re.search(r"(?:^|[\s/;&|(])ps\s+([^|;&>]*)", command)
    try:
        return shlex.split(part[1]) if part else []
    except ValueError:
        return []


@lru_cache(maxsize=64)
def _list_asked(command: str) -> list[str]:
    """Our names of the columns in the command's -o lists, [] without one."""
    words = _split_words(command)
    asked: list[str] = []
    for i, word in enumerate(words):
        if re.fullmatch(r"-?[A-Za-z]*o", word) and i + 1 < len(words):
            asked += re.split(r"[,\s]+", words[i + 1])
        elif word.startswith(("-o", "-eo")) and re.search("[,=]", word):
            asked += word.split("o", 1)[1].split(",")
    names = [re.split(r"[:=]", a, maxsplit=1)[0].lower() for a in asked if a]
    return name_once([(_OPTION_NAMES.get(n, _COLUMNS.get(n.upper(), n)), n) for n in names])


def _list_columns_by_letters(letters: str) -> list[str] | None:
    if "u" in letters and not letters.startswith("-u"):
        return list(_AUX)
    if letters.startswith("-") and "l" in letters and not set("yL") & set(letters):
        return list(_LF if "f" in letters else _L)
    if "f" in letters and letters.startswith("-"):
        return list(_EF_THREADS if "L" in letters else _EF)
    if letters.startswith(("-e", "-A")):
        return list(_E)
    return list(_AX) if letters and not letters.startswith("-") else None


def records(values: dict[str, Any]) -> list[Record]:
    table = values.get("processes")
    if not isinstance(table, Table) or "lwp" in table.columns or not {"pid", "command"} & table.columns.keys():
        return []  # rows of threads would count a process's memory many times; and figures alone name no process
    return list(samples(table))
