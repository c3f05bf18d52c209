"""pgbench: its report of a run, with the latencies of statements (-r) and of several scripts (-b, -f).

Reads     from the version, the first progress or "transaction type:" to the rates, or to the last statement below them
Yields    one LoadResult, whose path is the transaction type: select-only is never compared with TPC-B
Units     ms (duration in s), transactions/s
Quirks    a report without its first lines was asked for what the one above it was, unless a heading stands between;
          before 14 two rates are printed, with and without the time to connect, since then one (-C: with it); failures are told
          since 15 and are not among the transactions processed; without -P, -R or -L the mean is reckoned from the
          duration, and no deviation is printed; with -R the wait behind the schedule is in the latencies. Progress is not kept
Source    pgbench.c, printResults(), PostgreSQL 9.0 to 18
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

KIND = "pgbench"
PROGRAMS = ("pgbench",)
SEMANTICS = Semantics(
    failures_in_requests=False,
    sampled_rate=True,  # of the time without connecting; the duration is the one asked for
    address_from_command=True,
    printed_as={
        "requests_per_second": "tps",
        "complete_requests": "transactions",
        "failed_requests": "failed_transactions",
        "concurrency": "clients",
        "mean_ms": "latency_average_ms",
        "tool_version": "version",
    },
)
OPTIONS = {
    "-c --client": Option("concurrency"),
    "-j --jobs": Option("threads"),
    "-T --time": Option("duration_s"),
    "-t --transactions": Option("repeats_each"),
    "-R --rate": Option("rate"),
    "-C --connect": Option("keepalive", takes_value=False, means=False),
    "-h --host": Option("hostname"),
    "-p --port": Option("port"),
    "-M --protocol": Option("protocol"),
    "-b --builtin -f --file -D --define": Option("script"),
    "-S --select-only": Option("script", takes_value=False, means="select-only"),
    "-N --skip-some-updates": Option("script", takes_value=False, means="simple-update"),
    "-s --scale -F --fillfactor -P --progress -L --latency-limit -U --username --max-tries": Option(),
    "--aggregate-interval --log-prefix --random-seed --sampling-rate --partitions --partition-method": Option(),
    "--tablespace -I --init-steps": Option(),
    "-n --no-vacuum -v --vacuum-all -r --report-latencies --report-per-command -l --log -d --debug -i": FLAG,
    "--initialize -q --quiet --failures-detailed --verbose-errors --progress-timestamp": FLAG,
}
DEFAULTS = {"concurrency": 1}
PRINTS = {"duration_s": "duration_s", "repeats_each": "transactions_per_client", "threads": "threads", "scale": "scale"}
PRINTS |= {"protocol": "query_mode"}
_TPS = r"tps = \d{1,12}\.\d{6} \((?:(?:including|excluding) (?:connections |reconnection )|without initial connection )"
INLINE = _TPS.replace(r"\d{1,12}\.\d{6}", r"(\d{1,12}\.\d{6})")
OPENS = (
    rf"pgbench \(\d+|starting vacuum\.\.\.|progress: \d+\.\d s, \d+\.\d tps|transaction type: \S|{_TPS}"
    r"|(?:scaling factor|number of clients): \d{1,9}\s*$|query mode: (?:simple|extended|prepared)\s*$"
    r"|duration: \d{1,12} s\s*$|latency average(?: =|:) \d+\.\d{3} ms|number of transactions actually processed: \d"
)

_COUNTS = {
    "scaling factor": "scale",
    "number of clients": "clients",
    "number of threads": "threads",
    "maximum number of tries": "max_tries",
    "number of transactions per client": "transactions_per_client",
    "total number of retries": "retries",
}
_SHARES = {
    "number of failed transactions": "failed_transactions",
    "number of serialization failures": "serialization_failures",
    "number of deadlock failures": "deadlock_failures",
    "number of transactions retried": "transactions_retried",
    "number of transactions skipped": "transactions_skipped",
}
_TIMES = {
    "latency average": "latency_average_ms",
    "latency stddev": "latency_stddev_ms",
    "initial connection time": "initial_connection_ms",
    "average connection time": "average_connection_ms",
}
_RATES = {
    "including connections establishing": "tps_including_connections",
    "excluding connections establishing": "tps_excluding_connections",
    "without initial connection time": "tps",
    "including reconnection times": "tps",
}
_LABEL = re.compile(rf"({'|'.join(_COUNTS | _SHARES | _TIMES)})(?::| =) ")
_SCRIPT = r"<builtin: .*>|[^<\s].*"
_LAST = r" \(\d+\.\d{3} ?%\)"


def _name_script(text: str) -> str:
    return text.removeprefix("<builtin: ").removesuffix(">") if text[0] == "<" else text


_read_figures = compile_lines(
    {
        "A": ("|".join(_COUNTS), _COUNTS.__getitem__),
        "B": ("|".join(_SHARES), _SHARES.__getitem__),
        "L": (_SCRIPT, lambda text: [_name_script(text)]),
        "M": (r"simple|extended|prepared", str),
        "R": ("|".join(_RATES), _RATES.__getitem__),
        "S": (_SCRIPT, _name_script),
        "T": ("|".join(_TIMES), _TIMES.__getitem__),
        "V": (r"\d[\w.]*+", str),
    },
    r"<@:A>(?::| =) <*:N>",
    rf"<@:B>(?::| =) <*:N>{_LAST}",
    r"<@:T>(?::| =) <*:F> ms(?: \(including failures\))?",
    r"pgbench \(<version:V>[^()]*+(?:\([^()]*\))?(?:, server .*)?\)",
    r"transaction type: <transaction_type:S>",
    r"query mode: <query_mode:M>",
    r"duration: <duration_s:N> s",
    r"number of transactions actually processed: <transactions:N>(?:/<transactions_asked:N>)?",
    rf"number of transactions above the <latency_limit_ms:F> ms latency limit: <transactions_above_limit:N>(?:/\d+)?{_LAST}",
    r"rate limit schedule lag: avg <schedule_lag_ms.avg:F> \(max <schedule_lag_ms.max:F>\) ms",
    r"tps = <*:F> \(<@:R>\)",
    r"SQL script \d+: <scripts:L>",
)
_RECONNECTING = re.compile(r"\bpgbench\s(?:.*\s)?(?:-[nvrldSN]*C[nvrldSN]*|--connect)(?:\s|$)")
_TYPED = re.compile(r"\bpgbench\s+-")
_ABORTED = "Run was aborted; the above results are incomplete."
_STATEMENTS = re.compile(r"(?:- )?statement latencies in milliseconds(,? (?:and )?failures(?: and retries)?)?:")
_STATEMENT = re.compile(r"(\d+\.\d{3})((?:\s+\d+){0,2})\s+([^\d\s].*)")
_MOST_STATEMENTS = 300


_REPORT = Report(
    tool=KIND,
    meant=re.compile(
        rf"{_LABEL.pattern}|tps = |pgbench \(|transaction type: |query mode: |duration: |number of transactions a"
        rf"|rate limit schedule lag: |{_ABORTED[:16]}|{_STATEMENTS.pattern}|SQL script \d"
    ),
    noise=re.compile(r"starting vacuum|end\.$|script statistics:$|- "),
    free=re.compile(r"progress: |pgbench: (?:error|fatal|warning): |(?:client|Client) \d+ "),
    over=lambda values, line: (
        (line.startswith(("starting vacuum", "progress: ", "pgbench (")) and bool(values.keys() - {"version"}))
        or (line.startswith("duration: ") and not values.keys().isdisjoint(_RATES.values()))
    ),
    whole=6,
)


_ASKED = {"transaction_type", "scale", "query_mode", "clients", "threads", "max_tries"}
_SAID_ANYWHERE = {"duration_s", "clients", "threads", "query_mode"}  # what a text on a load test may list, too


def parse(lines: Lines, command: str | None) -> Found | None:
    report = take_report(lines, _REPORT, lambda line: _read_line(lines, line))
    if report and not report.values.keys() - _SAID_ANYWHERE:
        return None
    if report:
        _add_asked(lines, report.values, command or "")
    if report and command and "tps_including_connections" in report.values and _RECONNECTING.search(command):
        report.values["reconnects"] = True
    return report


def _add_asked(lines: Lines, values: dict[str, Any], command: str) -> None:
    """A report without its first lines has those of the one above it in its section: both come from one script."""
    is_apart = any(text.startswith("#") for _, text in lines.prose) or _TYPED.search(command)
    if _ASKED.isdisjoint(values) and not is_apart:
        values |= lines.memory.get(KIND, {})
    lines.memory[KIND] = {name: values[name] for name in _ASKED & values.keys()}


def _read_line(lines: Lines, line: str) -> dict[str, Any] | None:
    line = line.partition(" # ")[0].rstrip()
    if lines.unended() and not line.endswith((")", "ms", ">", ":")):
        return None  # "1000/1" may go on
    if _STATEMENTS.fullmatch(line):
        return {"statements": _read_statements(lines)}
    return {"aborted": True} if line == _ABORTED else _read_figures(line)


def _read_statements(lines: Lines) -> list[dict[str, Any]]:
    """The rows below the heading: ms, how often it failed and was tried again, and the statement, which may be broken."""
    rows: list[dict[str, Any]] = []
    last = ""
    while len(rows) < _MOST_STATEMENTS and (ahead := lines.ahead(1)):
        text = ahead[0].strip()
        match = _STATEMENT.fullmatch(text)
        if match:
            counts = dict(zip(("failures", "retries"), map(int, match[2].split()), strict=False))
            rows.append({"ms": float(match[1]), **counts, "statement": match[3].strip()})
        elif (
            rows
            and rows[-1]["statement"][-1:] != ";"
            and was_broken(last, text)
            and not re.match(rf"\d+\.\d*(?:\s|$)|{OPENS}", text)
        ):
            rows[-1]["statement"] += f" {text}"
        else:
            break
        last = ahead[0]
        lines.take_next()
    return rows


def fits(command: Command, values: dict[str, Any]) -> bool:
    """Whether the command's -c and -T are those of the report."""
    return command.agrees(values, {"concurrency": "clients", "duration_s": "duration_s"})


def records(values: dict[str, Any]) -> list[Record]:
    get = values.get
    # A load that connects for each transaction has the time to connect in it.
    both = ("tps_including_connections", "tps_excluding_connections")[:: 1 if get("reconnects") else -1]
    result = make_result(
        KIND,
        values,
        requests_per_second=get("tps", get(both[0], get(both[1]))),
        keepalive=False if get("reconnects") or "average_connection_ms" in values else None,
        path=" + ".join(get("scripts", ())) or get("transaction_type"),
    )
    return [result]
