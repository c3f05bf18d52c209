"""redis_benchmark: what redis-benchmark prints of each of its tests, as text, as one line (-q) or as CSV (--csv).

Reads     a test from "====== SET ======" to its rate or its summary; one line "SET: 56497.18 requests per second"; one row of CSV
Yields    one LoadResult for each test, whose path is the test's name: a SET is never compared with a GET
Units     ms; requests/s
Quirks    before 7.0 there is no summary: shares of requests by whole (6.0: tenths of) ms, cut off and not rounded, of which no
          percentile can be made; the old CSV has no heading and only rates; without -n 100000 requests are made, by 50
          clients. Progress is written over by the next line, and stands before it where that was lost
Source    redis-benchmark.c, showLatencyReport(), Redis 2.6 to 7.4, and Valkey's
"""

from __future__ import annotations

import re
from typing import Any

from ..commands import FLAG, Command, Option
from ..lines import Lines
from ..multiline import match_joined
from ..records import Found, Record, Semantics
from ..report import Report, make_result, take_report
from ..units import compile_lines

KIND = "redis_benchmark"
PROGRAMS = ("redis-benchmark", "valkey-benchmark")
SEMANTICS = Semantics(
    failures_in_rate=True,
    address_from_command=True,
    one_thread=True,
    whole_report=(),
    rate_step=0.01,
    printed_as={
        "duration_s": "time_taken_s",
        "concurrency": "clients",
        "path": "test",
        "mean_ms": "latency_ms.avg",
        **{f"{name}_ms": f"latency_ms.{name}" for name in ("min", "max")},
    },
)
OPTIONS = {
    "-h": Option("hostname"),
    "-p": Option("port"),
    "-c": Option("concurrency"),
    "-n": Option("requests"),
    "-P": Option("pipelining"),
    "--threads": Option("threads"),
    "-d": Option("body"),
    "-r": Option("script"),
    "-3": Option("protocol", takes_value=False, means="RESP3"),
    "-a --pass -u": Option(secret=True),
    "-s --dbnum -k --precision -t --user --sni --cert --key --cacert --cacertdir --tls-ciphers": Option(),
    "--tls-ciphersuites": Option(),
    "-e -q -l -I -x --csv --cluster --enable-tracking --tls --insecure": FLAG,
}
ADDRESS = False
DEFAULTS = {"concurrency": 50, "requests": 100_000, "hostname": "127.0.0.1", "port": 6379}

_TEST = (
    r"(?:PING_(?:INLINE|BULK|MBULK)|SET|GET|INCR|LPUSH|RPUSH|LPOP|RPOP|SADD|HSET|SPOP|ZADD|ZPOPMIN|XADD|MSET|MGET"
    r"|FUNCTION LOAD|FCALL|LRANGE(?:_\d{1,4})?)(?: \((?:\d{1,4} keys|(?:first )?\d{1,4} elements|needed to benchmark LRANGE)\))?"
)
_PROGRESS = r"(?:[A-Z][^:]{0,120}+: rps=\d.{1,400}\s)?"
_NAME, _RATE = r"[A-Za-z][^:|=]{0,120}+", r"\d{1,12}\.\d\d"
OPENS = (
    rf"{_PROGRESS}={{6}} \S[^=]{{0,120}} ={{6}}\s*$|{_PROGRESS}{_NAME}: {_RATE} requests per second(?:, p50=|\s*$)"
    rf"|{_TEST}: {_RATE} requests\s|\"test\",\"rps\",|\"{_TEST}\",\"{_RATE}\"\s*$"
    rf"|\"[^\"]{{1,120}}\"(?:,\"{_RATE}\d?\"){{7}}\s*$|\"(?:LPUSH|LRANGE_\d+|MSET) \((?:needed|first|\d)[a-z\d ]*$"
)

_TITLE = re.compile(rf"{_PROGRESS}={{6}} (\S[^=]{{0,120}}) ={{6}}")
_QUIET = re.compile(rf"{_PROGRESS}({_NAME})\s?: ({_RATE}) requests per second(?:, p50=(\d+\.\d+) msec)?")
_KNOWN = re.compile(_TEST)
_CELL = r',"(\d{1,12}\.\d{3})"'
_ROW = re.compile(rf'"([^"]{{1,120}})","({_RATE})"(?:{_CELL * 6})?')
_HEADING = re.compile(r'"test","rps",("\w+",?)+')
_COLUMNS = ("avg", "min", "p50", "p95", "p99", "max")
_read_figures = compile_lines(
    {"B": ("yes|no", lambda text: text == "yes"), "K": ("[01]", lambda text: text == "1")},
    r"<complete_requests:N> requests completed in <time_taken_s:F> seconds",
    r"<clients:N> parallel clients",
    r"<payload_bytes:N> bytes payload",
    r"keep alive: <keepalive:K>",
    r"multi-thread: <multi_thread:B>",
    r"threads: <threads:N>",
    r"(?:throughput summary: )?<requests_per_second:F> requests per second",
    r"\s+".join(f"<latency_ms.{name}:F>" for name in _COLUMNS),
)
_SHARE = re.compile(r"(\d{1,3}\.\d+)% <= (\d+(?:\.\d+)?) milliseconds( \(cumulative count \d+\))?")


def parse(lines: Lines, command: str | None) -> Found | None:
    opening = (lines.peek() or "").strip()
    if opening.startswith('"'):
        return _read_row(lines)
    if " requests" in opening and "=" * 6 not in opening:
        return _read_quiet_line(lines, command or "")
    report = take_report(lines, _REPORT, _Test().read)
    return report if report and report.values.keys() - {"test"} else None


def _read_quiet_line(lines: Lines, command: str) -> Found | None:
    first = lines.number + 1
    match = match_joined(lines, next(lines), _QUIET.fullmatch)
    if not match or not (match[3] or _KNOWN.fullmatch(match[1]) or any(name in command for name in PROGRAMS)):
        lines.step_back()  # "Rate: 12.50 requests per second" of some other tool
        return None
    values: dict[str, Any] = {"test": match[1], "requests_per_second": float(match[2])}
    values |= {"latency_ms": {"p50": float(match[3])}} if match[3] else {}
    return Found(values, first, lines.number, partial=True)


def _read_row(lines: Lines) -> Found | None:
    """One row of CSV, with the heading above the first."""
    first = lines.number + 1
    for text in lines.texts():
        if _HEADING.fullmatch(text) and lines.last == first:
            continue
        match = match_joined(lines, text, _ROW.fullmatch)
        if not match:
            lines.refuse()
            return None
        lines.last = lines.number
        values: dict[str, Any] = {"test": match[1], "requests_per_second": float(match[2])}
        if match[3]:
            cells = map(float, match.groups()[2:])
            values["latency_ms"] = dict(zip(_COLUMNS, cells, strict=True))
        return Found(values, first, lines.last, partial=True)
    return None


_REPORT = Report(
    tool="redis-benchmark",
    meant=re.compile(
        rf"{_PROGRESS}={{6}} \S|\d+ requests completed|\d+ parallel clients|\d+ bytes payload|keep alive: |multi-thread: "
        r"|threads: |\d+\.\d+% <= |Latency by percentile|Cumulative distribution|latency summary \(msec\):"
        r"|(?:throughput summary: )?\d+\.\d+ requests per|(?:\d+\.\d{3}\s+){5}"
    ),
    noise=re.compile(
        r"(?:host|node \[\d+\]) configuration|cluster mode: |save: |appendonly: |Summary:$|avg\s+min\s+p50\s"
        r"|WARNING: |[^:]{1,120}: rps=\d"
    ),
    over=lambda values, line: bool(_TITLE.fullmatch(line)),
    whole=5,
)


class _Test:
    """What the lines of one test tell; shares of requests are told apart by the heading above them."""

    def __init__(self) -> None:
        self.shares = ""
        self.seen: set[str] = set()

    def read(self, line: str) -> dict[str, Any] | None:
        if title := _TITLE.fullmatch(line):
            return {"test": title[1].strip()}
        if line.startswith(("Latency by", "Cumulative dist", "latency summary")):
            self.shares = line[0]
            return {}
        if share := _SHARE.fullmatch(line):
            return self._share(share)
        return _read_figures(line)

    def _share(self, match: re.Match[str]) -> dict[str, Any]:
        percent = f"{float(match[1]):g}"
        table = "percentiles_ms" if match[3] or self.shares else "floors_ms"
        if self.shares == "C" or percent in self.seen:
            return {}  # the same once more, by equal steps
        self.seen.add(percent)
        return {table: {percent: float(match[2])}}


def fits(command: Command, values: dict[str, Any]) -> bool:
    """Whether the command's -c is that of the test."""
    return command.agrees(values, {"concurrency": "clients"})


def records(values: dict[str, Any]) -> list[Record]:
    spectrum = {name: ms for name, ms in values.get("percentiles_ms", {}).items() if name != "0"}
    named = {name[1:]: ms for name, ms in values.get("latency_ms", {}).items() if name[0] == "p"}
    return [make_result(KIND, values, percentiles_ms=spectrum | named)]
