"""server_status: Apache's page of its workers (mod_status), for machines ("server-status?auto") and for people.

Reads     "Key: value" lines from "ServerVersion:" (2.4) or "Total Accesses:" (2.2, or without ExtendedStatus "BusyWorkers:") on;
          of the page for people, as a browser, lynx or `apachectl status` shows it, all above the table of requests
Yields    SystemSample
Units     seconds, ms a request (DurationPerReq), KiB (Total kBytes), bytes; CPULoad per cent; the rest are counts
Quirks    totals count from the server's start; figures below one lack their zero (".0558"); the scoreboard is counted by sign
          ("_" idle, "." no process, "W" sending a reply, ...)
Source    httpd's modules/generators/mod_status.c

fpm_status: PHP-FPM's page of one pool (pm.status_path), as text.

Reads     "key: value" lines from "pool:" on, without those of each process ("?full")
Yields    SystemSample
Units     seconds since the start; counts of connections and processes
Quirks    totals count from the pool's start; "max children reached" says how often all workers were busy
Source    php-src' sapi/fpm/fpm/fpm_status.c

stub_status: nginx' page of its connections.

Reads     the four lines that the module prints
Yields    SystemSample
Units     none: connections and requests; accepts, handled and requests count from the start of the server
Quirks    Tengine adds a column "request_time" (ms) to the counters
Source    nginx' ngx_http_stub_status_module.c
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from ..catalogue import Format
from ..intervals import iteration
from ..lines import Lines
from ..multiline import match_joined, was_broken
from ..records import Found, Problem, Record, SystemSample
from ..units import number

KIND = "server_status"
COMMAND = r"server-status|(?:apachectl|apache2ctl)\s+(?:full)?status"
OPENS = (
    r"ServerVersion: \S|Total Accesses: \d+\s*$|BusyWorkers: \d+\s*$"
    r"|Server Version: Apache|Total accesses: \d+ - Total Traffic: \d"
)

_LINE = re.compile(r"([A-Z]\w*(?: \w+)?|Parent Server (?:Config\.|MPM) Generation):(?:\s+(\S.*))?")
_FIGURE = re.compile(r"-?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]\d+)?")
_BOARD = re.compile(r"[_SRWKDCLGI.]+")
_NUMBER = r"(?:\d+(?:\.\d+)?|\.\d+)"  # cut in one way: three that were cut in any took 300 s a MB
_F, _SIZED = rf"{_NUMBER}(?:e[+-]\d+)?", rf"{_NUMBER} [kMGT]?B"
_SENTENCES = [
    re.compile(text)
    for text in (
        rf"Server load: (?P<load1>{_F}) (?P<load5>{_F}) (?P<load15>{_F})",
        rf"Total accesses: (?P<total_accesses>\d+) - Total Traffic: (?P<total_kb>{_SIZED})"
        r"(?: - Total Duration: (?P<total_duration_ms>\d+))?",
        rf"CPU Usage: u(?P<cpu_user_s>{_F}) s(?P<cpu_system_s>{_F}) cu(?P<cpu_children_user_s>{_F})"
        rf" cs(?P<cpu_children_system_s>{_F})(?: - (?P<cpu_load_pct>{_F})% CPU load)?",
        rf"(?P<req_per_sec>{_F}) requests/sec - (?P<bytes_per_sec>{_SIZED})/second(?: - (?P<bytes_per_req>{_SIZED})/request)?"
        rf"(?: - (?P<duration_per_req_ms>{_F}) ms/request)?",
        r"(?P<busy_workers>\d+) requests currently being processed, (?:(?P<graceful_workers>\d+) workers gracefully restarting, )?"
        r"(?P<idle_workers>\d+) idle (?:workers|servers)",
    )
]
_FACTOR = {"B": 1, "kB": 1024, "MB": 1024**2, "GB": 1024**3, "TB": 1024**4}
_RULER, _KEY = re.compile(r"[_-]{10,}"), "Scoreboard Key:"  # of the page for people: the key stands behind its board
_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=CPU)(?=[A-Z])|\s")
_MOST = 12  # lines that a mail client may make of one
_UNITS = {
    "cpu_load": "cpu_load_pct",
    "uptime": "uptime_s",
    "server_uptime_seconds": "server_uptime_s",
    "total_kbytes": "total_kb",
    "total_duration": "total_duration_ms",
    "duration_per_req": "duration_per_req_ms",
    "cpu_user": "cpu_user_s",
    "cpu_system": "cpu_system_s",
    "cpu_children_user": "cpu_children_user_s",
    "cpu_children_system": "cpu_children_system_s",
    "processes": "n_processes",
}
_TEXTS = frozenset(["server_version", "server_mpm", "server_built", "current_time", "restart_time", "server_uptime"])


def parse(lines: Lines, command: str | None) -> Found | None:
    first, above = lines.number + 1, lines.raw
    last, blank = first, list[str]()
    values: dict[str, Any] = {}
    board = ""
    for line in lines:
        stripped = line.strip()
        if not stripped or ("busy_workers" not in values and _RULER.fullmatch(stripped)):
            blank.append(lines.raw)
            continue
        if "busy_workers" in values and _BOARD.fullmatch(stripped) and (board or len(stripped) > 1):
            board, last = board + stripped, lines.number
            blank.clear()
            continue
        if board and stripped.startswith(_KEY):
            values["scoreboard"] = dict(Counter(board))
        new = _read_sentence(lines, stripped) or _read_keyed(lines, stripped)
        if not new or new.keys() & values.keys():
            lines.back(*blank, lines.raw)
            break
        values |= {name: value for name, value in new.items() if value is not None}
        last = lines.number
        blank.clear()
    if len(values) < 2:
        return None
    values = {"iteration": iteration(lines, KIND, first, last, above), **values}
    return Found(values, first, last, "busy_workers" not in values)


def _read_keyed(lines: Lines, text: str) -> dict[str, Any]:
    """What a "Key: value" line says; None as value where it says nothing yet."""
    match = _LINE.fullmatch(text)
    name = _name(match[1]) if match else ""
    if match is None or not (match[2] or name == "scoreboard" or lines.unended()):
        return {}
    return {name: None} | _parse_value(name, _join_value(lines, name, match), lines)


def _read_sentence(lines: Lines, text: str) -> dict[str, Any]:
    """What a line of the page for people says."""
    sentence = match_joined(lines, text, _match_sentence)
    return (
        {name: _parse_amount(name, printed) for name, printed in sentence.groupdict().items() if printed}
        if sentence
        else {}
    )


def _match_sentence(text: str) -> re.Match[str] | None:
    return next((match for pattern in _SENTENCES if (match := pattern.fullmatch(text))), None)


def _parse_amount(name: str, text: str) -> int | float:
    """A figure, or a size in bytes, of the traffic in KiB: "196 kB" -> 196."""
    figure, _, unit = text.partition(" ")
    value = number(figure) * _FACTOR.get(unit, 1) / (1024 if name == "total_kb" else 1)
    return int(value) if value == int(value) and "." not in figure else round(value, 6)


def _name(key: str) -> str:
    """ "BytesPerReq" -> "bytes_per_req", with the unit where the key tells none."""
    name = re.sub("_+", "_", _WORD.sub("_", key.replace(".", ""))).replace("kBytes", "kbytes").lower()
    return _UNITS.get(name, name)


def _join_value(lines: Lines, name: str, match: re.Match[str]) -> str:
    """The value, with its rest where a mail client broke the line: of the scoreboard, or of a long list of modules."""
    value, last, number = match[2] or "", match[0], lines.number
    while lines.number - number <= _MOST and (ahead := lines.ahead(1)):
        more = ahead[0].strip()
        board = name == "scoreboard" and not value and _BOARD.fullmatch(more)
        if not board and (name != "server_version" or _LINE.match(more) or not was_broken(last, more)):
            break
        last = lines.take_next()
        value = f"{value} {last}".strip()
    return value


def _parse_value(name: str, text: str, lines: Lines) -> dict[str, Any]:
    if not text or (name not in _TEXTS and lines.unended()):
        return {}  # it may go on
    if name == "scoreboard":
        return {name: dict(Counter(text))} if _BOARD.fullmatch(text) else {}
    return {name: number(text) if name not in _TEXTS and _FIGURE.fullmatch(text) else text}


_METRICS = {"total_accesses": "requests", "req_per_sec": "requests_per_s", "cpu_load_pct": "server_cpu_pct"}


def records(values: dict[str, Any]) -> list[Record]:
    metrics = {
        _METRICS.get(name, name): float(value)
        for name, value in values.items()
        if isinstance(value, int | float) and name != "iteration" and not name.startswith("parent_server")
    }
    clock = re.search(r"\d\d:\d\d:\d\d", str(values.get("current_time", "")))
    return [SystemSample(tool=KIND, clock=clock[0] if clock else None, metrics=metrics)]


# --- fpm_status -------------------------------------------------------------------------------------------------------
_FPM_LINE = re.compile(r"([a-z]+(?: [a-z]+){0,3}):\s+(\S.*)")
_FPM_KEYS = (
    "pool process_manager start_time start_since uptime accepted_conn listen_queue max_listen_queue listen_queue_len memory_peak"
    " idle_processes active_processes total_processes max_active_processes max_children_reached slow_requests"
)
_KEYS = frozenset(_FPM_KEYS.split())
_FPM_TEXTS = frozenset(["pool", "process_manager", "start_time", "uptime"])
_FPM_UNITS = {"start_since": "start_since_s", "memory_peak": "memory_peak_bytes"}
_FPM_METRICS = {"accepted_conn": "requests", "active_processes": "busy_workers", "idle_processes": "idle_workers"}


def _parse_fpm(lines: Lines, command: str | None) -> Found | None:
    first, above = lines.number + 1, lines.raw
    last, whole = first, 0
    values: dict[str, Any] = {}
    taken: list[str] = []
    for line in lines:
        taken.append(lines.raw)
        if not line.strip():
            continue
        new = _read_line(line.strip())
        if not new or new.keys() & values.keys():
            break
        if new.keys() <= _FPM_TEXTS or not lines.unended():  # else its digits may go on
            values |= new
        last, whole = lines.number, len(taken)
    if "accepted_conn" not in values:
        whole = 0
    lines.back(*taken[whole:])
    if not whole:
        return None
    values = {"iteration": iteration(lines, "fpm_status", first, last, above), **values}
    return Found(values, first, last, "active_processes" not in values)


def _read_line(text: str) -> dict[str, Any]:
    """What one line says; nothing where it is none of the page's."""
    match = _FPM_LINE.fullmatch(text)
    key = match[1].replace(" ", "_") if match else ""
    if match is None or key not in _KEYS:
        return {}
    if key in _FPM_TEXTS:
        return {key: match[2]}
    return {_FPM_UNITS.get(key, key): int(match[2])} if match[2].isdecimal() and match[2].isascii() else {}


def _fpm_records(values: dict[str, Any]) -> list[Record]:
    metrics = {
        _FPM_METRICS.get(name, name): float(value)
        for name, value in values.items()
        if isinstance(value, int) and name not in ("iteration", "start_since_s")
    }
    return [SystemSample(tool="fpm_status", clock=None, metrics=metrics)]


# --- stub_status ------------------------------------------------------------------------------------------------------
_ACTIVE = re.compile(r"Active connections:\s+(\d+)")
_TITLES = re.compile(r"server accepts handled requests( request_time)?")
_COUNTS = re.compile(r"\d+(?:\s+\d+){0,3}")
_STATES = re.compile(r"(Reading|Writing|Waiting)\s?:\s+(\d+)")
_NAMES = ("accepts", "handled", "requests", "request_time_ms")


def _parse_stub(lines: Lines, command: str | None) -> Found | None:
    first, above = lines.number + 1, lines.raw
    values: dict[str, Any] = {}
    titles = False
    for stripped in lines.texts():
        new = _parse_line(stripped, titles)
        if new is None or new.keys() & values.keys():
            lines.refuse()
            break
        titles = bool(_TITLES.fullmatch(stripped))
        values |= new
    if not values:
        return None
    last = lines.last
    values = {"iteration": iteration(lines, "stub_status", first, last, above), **values}
    problems = [] if "waiting" in values or lines.cut == last else [Problem(last, "the page breaks off before its end")]
    return Found(values, first, last, "requests" not in values, problems)


def _parse_line(text: str, titles: bool) -> dict[str, int] | None:
    """What one line of the page says; None where it is none. `titles`: the line above names the counters."""
    if active := _ACTIVE.fullmatch(text):
        return {"active_connections": int(active[1])}
    if titles and _COUNTS.fullmatch(text):
        return dict(zip(_NAMES, map(int, text.split()), strict=False))
    if text.startswith("Reading:"):
        return {name.lower(): int(count) for name, count in _STATES.findall(text)}
    return {} if _TITLES.fullmatch(text) else None


def _stub_records(values: dict[str, Any]) -> list[Record]:
    metrics = {name: float(value) for name, value in values.items() if name != "iteration"}
    return [SystemSample(tool="stub_status", clock=None, metrics=metrics)]


OTHER_FORMATS = (
    Format(
        kind="fpm_status",
        opens=r"pool:\s+[\w.-]+\s*$",
        command=re.compile(r"(?:^|[\s/;&|(])(?:curl|wget|fetch|lynx|cgi-fcgi)\s"),
        parse=_parse_fpm,
        records=_fpm_records,
    ),
    Format(
        kind="stub_status",
        opens=r"Active connections:\s+\d+\s*$",
        command=re.compile(r"(?:^|[\s/;&|(])(?:curl|wget|fetch|lynx)\s"),
        parse=_parse_stub,
        records=_stub_records,
    ),
)
