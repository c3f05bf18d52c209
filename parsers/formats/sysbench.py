"""sysbench: its report of a run of any test: oltp_*, cpu, memory, fileio, threads, mutex, scripts.

Reads     from the version, the options, the first progress or the statistics to "execution time" of the threads' fairness
Yields    one LoadResult, whose path is the test: memory is never compared with oltp_read_only; --tables and the like do not count
Units     ms (totals in s); transactions/s of a database, operations/s of memory, files and all others
Quirks    transactions that are begun once more (deadlocks, "ignored errors") are not among the transactions; what a thread waits
          behind a rate is not in the latencies; 0.4 has no rate of the CPU test: its events over the time. Progress is not kept
Source    sysbench.c, sb_logger.c, sb_timer.c and tests of sysbench 0.4.12, 0.5 and 1.0
"""

from __future__ import annotations

import re
from typing import Any

from ..commands import FLAG, Command, Option
from ..lines import Lines
from ..multiline import was_broken
from ..records import Found, Record, Semantics
from ..report import Report, make_result, take_report
from ..units import compile_lines

KIND = "sysbench"
PROGRAMS = ("sysbench",)
SEMANTICS = Semantics(
    failures_in_requests=False,
    sampled_rate=True,  # of a time that is taken a little earlier than the one printed
    address_from_command=True,
    mean_step_ms=0.01,
    max_step_ms=0.01,
    percentile_step_ms=0.01,
    printed_as={
        "requests_per_second": "transactions_per_second",
        "complete_requests": "events",
        "failed_requests": "ignored_errors",
        "concurrency": "threads",
        "duration_s": "total_time_s",
        "mean_ms": "latency_ms.avg",
        "max_ms": "latency_ms.max",
        "tool_version": "version",
    },
)
_DATABASES = ("mysql", "pgsql")
OPTIONS = {
    "--threads --num-threads": Option("concurrency"),
    "--time --max-time": Option("duration_s"),
    "--events --max-requests": Option("requests"),
    "--rate --tx-rate": Option("rate"),
    "--test": Option("script"),
    **{f"--{name}-host": Option("hostname") for name in _DATABASES},
    **{f"--{name}-port": Option("port") for name in _DATABASES},
    **{f"--{name}-password": Option(secret=True) for name in _DATABASES},
    **{f"--{name}-{more}": Option() for name in _DATABASES for more in ("user", "db", "socket", "ssl", "table-engine")},
    **{
        f"--{name}": Option("script")
        for name in (
            *("tables", "table-size", "oltp-tables-count", "oltp-table-size", "oltp-test-mode", "oltp-read-only"),
            *("cpu-max-prime", "memory-block-size", "memory-total-size", "memory-oper", "memory-access-mode"),
            *("file-total-size", "file-num", "file-block-size", "file-test-mode", "file-io-mode", "file-extra-flags"),
            *("file-fsync-freq", "file-rw-ratio", "thread-yields", "thread-locks", "mutex-num", "mutex-locks"),
            *("range-size", "point-selects", "simple-ranges", "index-updates", "non-index-updates", "skip-trx"),
            *("rand-type", "db-ps-mode", "auto-inc", "secondary"),
        )
    },
    "--db-driver --report-interval --percentile --forced-shutdown --verbosity --rand-seed --rand-init --init-rng": Option(),
    "--debug --histogram --validate": FLAG,
}
DEFAULTS = {"concurrency": 1}
ADDRESS = False
VERBS = ("run", "prepare", "cleanup", "prewarm")
PRINTS = {"rate": "asked_requests_per_second"}
OPENS = (
    r"sysbench \d+\.\d|(?:SQL|OLTP test) statistics:\s*$|CPU speed:\s*$|Total operations: \d+ \(\s?\d|Latency \(ms\):\s*$"
    r"|General statistics:\s*$|Test execution summary:\s*$|\[\s*\d+s ?\] (?:thds|threads): \d|queries performed:\s*$"
    r"|transactions:\s+\d+\s+\(\d+\.\d+ per sec\.\)"
)

_COUNTED = {
    "transactions": "transactions",
    "queries": "queries",
    "ignored errors": "ignored_errors",
    "deadlocks": "deadlocks",
    "reconnects": "reconnects",
    "read/write requests": "read_write_requests",
    "other operations": "other_operations",
}
_SET = {
    "Number of threads": "threads",
    "Prime numbers limit": "prime_limit",
    "Maximum prime number checked in CPU test": "prime_limit",
}
_FILES = {"reads/s": "reads_per_s", "writes/s": "writes_per_s", "fsyncs/s": "fsyncs_per_s"}
_SIZES = {"read, MiB/s": "read_mib_per_s", "written, MiB/s": "written_mib_per_s"}
_TOTALS = {"total time": "total_time_s", "total number of events": "events"}
_DECIMALS = {"events per second": "events_per_second"} | _FILES | _SIZES
_MOVED, _EXECUTED = r"\d{1,12}\.\d+ M(?:i)?B transferred \(", r"\d{1,12}\.\d+ Requests/sec executed"
_TIME = r"(?:min|avg|max|sum|(?:approx\.\s+)?\d+(?:th)? percentile):\s+\d"
_MEMORY = r"(?:block size|total size|operation|scope): \S+"
_BAR = r"\d+\.\d{3} \|\**\s+\d{1,18}"
_FAIR = r"(?:events|execution time) \(avg/stddev\):\s+\d{1,18}\.\d+/\d{1,18}\.\d+"


def _parse_time(text: str) -> float:
    return round(float(text.rstrip("ms")) * (1 if text.endswith("ms") or text[-1] != "s" else 1000), 6)


_read_figures = compile_lines(
    {
        "A": ("|".join(_COUNTED), _COUNTED.__getitem__),
        "B": ("|".join(_SET), _SET.__getitem__),
        "D": ("|".join(_DECIMALS | _TOTALS), (_DECIMALS | _TOTALS).__getitem__),
        "E": (r"\d+", str),
        "M": ("min|avg|max|sum", str),
        "O": ("block size|total size|operation|scope", lambda text: text.replace(" ", "_")),
        "Q": ("read|write|other|total", str),
        "T": (r"\d{1,12}(?:\.\d+)?(?:ms|s)?", _parse_time),
        "V": (r"\d[\w.-]*", str),
    },
    r"sysbench <version:V>(?:\s*\(.*\)|:\s.*)?",
    r"Target transaction rate: <asked_requests_per_second:N>/sec",
    r"<@:Q>:\s+<queries_performed.*:N>",
    r"<@:A>:\s+<*:N>\s+\(<*_per_second:F> per sec\.\)",
    r"total number of events:\s+<events:N>",
    r"<@:B>: <*:N>",
    r"<@:D>:\s+<*:F>s?",
    r"(?:Total operations|Operations performed): <operations:N> \(\s*<operations_per_second:F> (?:per second|ops/sec)\)",
    r"<operations_per_second:F> Requests/sec executed",
    r"<transferred_mib:F> M(?:i)?B transferred \(<transferred_mib_per_s:F> M(?:i)?B/sec\)",
    r"<@:M>:\s+<latency_ms.*:T>",
    r"(?:approx\.\s+)?<@:E>(?:th)? percentile:\s+<percentiles_ms.*:T>",
    r"<@:O>: <memory.*:W>",
    r"Doing <test:X> test",
    r"<histogram_ms+:F> \|\**\s+<histogram_ms+:N>",
    r"events \(avg/stddev\):\s+<thread_events.avg:F>/<thread_events.stddev:F>",
    r"execution time \(avg/stddev\):\s+<thread_execution_s.avg:F>/<thread_execution_s.stddev:F>",
)
_PREPARES = re.compile(
    r"(?:Creating (?:table|file|a secondary index|files)|Inserting \d+ records|Dropping table|Removing test files)\b.*"
)
_STEPS = frozenset(VERBS) - {"run"}
_NO_TEST = re.compile(rf"Cannot find benchmark '(?:{'|'.join(VERBS)})'")  # the command names no test
_FATAL = re.compile(r"(?:FATAL|ALERT): (\S.*)")


def parse(lines: Lines, command: str | None) -> Found | None:
    report = take_report(lines, _REPORT, _Reader(lines).read)
    if report is None or not report.values.keys() & {"error", "total_time_s", "latency_ms", "prepares", *_RATES}:
        return None
    report.partial = "latency_ms" not in report.values
    if _tells_step(command or "") or _NO_TEST.match(str(report.values.get("error"))):
        report.values["prepares"] = True
    return report


def _tells_step(command: str) -> bool:
    """Whether a command makes or removes tables or files, and runs nothing."""
    words = command.split()
    return "run" not in words and not _STEPS.isdisjoint(words)


_MOST_PIECES = 3  # more lines that an error is broken into
_AFTER_ERROR = ("FATAL: ", "ALERT: ", "Is the server running")


class _Reader:
    """What each line tells. Each thread prints the error for which it ends, and each table that it is made: the first is kept."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.failed = self.prepares = False

    def read(self, line: str) -> dict[str, Any] | None:
        if "/" in line and self.lines.unended():
            return None  # "437.5/22.4" may go on
        if match := _FATAL.fullmatch(line):
            said: dict[str, Any] = {} if self.failed else {"error": self._join_error(match[1], line)}
            self.failed = True
            return said
        if _PREPARES.fullmatch(line):
            said, self.prepares = ({}, True) if self.prepares else ({"prepares": True}, True)
            return said
        return _read_figures(line)

    def _join_error(self, text: str, last: str) -> str:
        """An error with the lines that a mail client broke it into."""
        for _ in range(_MOST_PIECES):
            ahead = self.lines.ahead(1)
            if (
                not ahead
                or ahead[0].startswith((" ", "\t"))
                or not was_broken(last, ahead[0].strip())
                or ahead[0].strip().startswith(_AFTER_ERROR)
            ):
                break
            last = self.lines.take_next()
            text = f"{text} {last}"
        return text


labels = "|".join(
    [*_COUNTED, *_SET, *_DECIMALS, *_TOTALS, "read", "write", "other", "total", "min", "avg", "max", "sum"]
)
_REPORT = Report(
    tool=KIND,
    meant=re.compile(
        rf"(?:{labels}):\s|sysbench \d|Target transaction rate: |Total operations: |Operations performed: \d+ \("
        rf"|{_TIME}|{_BAR}|{_FAIR}$|{_MOVED}|{_EXECUTED}|Doing .* test$"
        rf"|{_MEMORY}$|FATAL: |ALERT: |{_PREPARES.pattern}"
    ),
    noise=re.compile(
        r"Running (?:the test|memory|mixed|OLTP)|Initializing |Threads started!|Done\.$|Time limit exceeded|\(last message "
        r"|Random number generator|Additional request validation|Report intermediate|Warmup time|Using |Maximum number of"
        r"|Doing (?:OLTP|CPU|memory|threads|mutex|thread)|(?:SQL|OLTP test) statistics:$|queries performed:$|CPU speed:$"
        r"|General statistics:$|Test execution summary:$|Latency \(ms\):$|response time:$|per-request statistics:$"
        r"|Threads fairness:$|File operations:$|Throughput:$|Latency histogram |value\s+-+ distribution |total time taken by"
        r"|Extra file open flags|\d+ files, \d|\d+(?:\.\d+)?[KMG]i?[Bb] total file size|Block size \d|Number of IO requests:"
        r"|Read/Write ratio|Number of random requests|Periodic FSYNC|Calling fsync|Operations performed:\s+\d+ Read"
        r"|Read \d+\S*\s+Written|Is the server running on that host|WARNING: |Running in test mode"
        r"|\d+ bytes written in "
    ),
    free=re.compile(r"\[\s*\d+s ?\] "),
    over=lambda values, line: (
        (line.startswith(("sysbench ", "Running the test with")) and bool(values.keys() - {"version", "threads"}))
        or (bool(values.keys() & {"total_time_s", "latency_ms"}) and re.match(r"\[\s*\d+s ?\] ", line) is not None)
    ),
    last="thread_execution_s",
    whole=6,
)


def fits(command: Command, values: dict[str, Any]) -> bool:
    """Whether the command's --threads and --rate are those of the report."""
    return command.agrees(values, {"concurrency": "threads", "rate": "asked_requests_per_second"})


_RATES = ("transactions_per_second", "events_per_second", "operations_per_second")


def _test(values: dict[str, Any]) -> str | None:
    """What kind of test ran, where the report tells it."""
    if "prime_limit" in values or "events_per_second" in values:
        return "cpu"
    if "memory" in values or "transferred_mib" in values:
        return " ".join(["memory", *values.get("memory", {}).values()])
    if "test" in values or "reads_per_s" in values:
        return f"fileio {values.get('test', '')}".strip()
    return None


def _compute_rate(values: dict[str, Any]) -> float | None:
    rates: list[float] = [values[name] for name in _RATES if name in values]
    files: list[float] = [values[name] for name in _FILES.values() if name in values]
    events, seconds = values.get("events"), values.get("total_time_s")
    if rates or files:
        return rates[0] if rates else round(sum(files), 2)
    return round(float(events / seconds), 3) if events and seconds else None


def records(values: dict[str, Any]) -> list[Record]:
    get = values.get
    if not values.keys() & {"total_time_s", "latency_ms", *_RATES, *(() if "prepares" in values else ("error",))}:
        return []  # it made its tables or files
    latency = get("latency_ms", {})
    result = make_result(
        KIND,
        values,
        requests_per_second=_compute_rate(values),
        complete_requests=get("events", get("transactions")),
        failed_requests=get("ignored_errors", get("deadlocks")),
        mean_ms=latency.get("avg") or None,  # 0.00 is less than is printed
        min_ms=latency.get("min") or None,
        percentiles_ms={percent: ms for percent, ms in get("percentiles_ms", {}).items() if ms},
        path=_test(values),
        aborted="error" in values and "events" not in values,
    )
    return [result]
