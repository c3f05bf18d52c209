"""pgbench: its report of a run, with the latencies of statements (-r) and of several scripts (-b, -f).

Reads     from the version, the first progress or "transaction type:" to the rates, or to the last statement below them
Yields    one LoadResult, whose path is the transaction type: select-only is never compared with TPC-B
Units     ms (duration in s), transactions/s
Quirks    before 14 two rates are printed, with and without the time to connect, since then one (-C: with it); failures are told
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
from ..records import Found, LoadResult, Record, Semantics
from ..report import Report, take_report

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
PRINTS = {"duration_s": "duration_s", "repeats_each": "transactions_per_client", "threads": "threads"}
_TPS = r"tps = \d{1,12}\.\d{6} \((?:(?:including|excluding) (?:connections |reconnection )|without initial connection )"
INLINE = _TPS.replace(r"\d{1,12}\.\d{6}", r"(\d{1,12}\.\d{6})")
OPENS = (
    rf"pgbench \(\d+|starting vacuum\.\.\.|progress: \d+\.\d s, \d+\.\d tps|transaction type: \S|{_TPS}"
    r"|scaling factor: \d{1,9}\s*$"
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
_NAME_OF = _COUNTS | _SHARES | _TIMES
_LABEL = re.compile(rf"({'|'.join(_NAME_OF)})(?::| =) (.*)")
_SHARE = re.compile(r"(\d{1,18}) \(\d+\.\d{3} ?%\)")
_TIME = re.compile(r"(\d{1,12}\.\d{3}) ms(?: \(including failures\))?")
_RATE = re.compile(rf"tps = (\d{{1,12}}\.\d{{6}}) \(({'|'.join(_RATES)})\)")
_VERSION = re.compile(r"pgbench \((\d[\w.]*+)[^()]*+(?:\([^()]*\))?(?:, server .*)?\)")
_TYPE = re.compile(r"transaction type: (?:<builtin: (.*)>|([^<\s].*))")
_MODE = re.compile(r"query mode: (simple|extended|prepared)")
_DURATION = re.compile(r"duration: (\d{1,12}) s")
_PROCESSED = re.compile(r"number of transactions actually processed: (\d{1,18})(?:/(\d{1,18}))?")
_ABOVE = re.compile(
    r"number of transactions above the (\d+\.\d) ms latency limit: (\d{1,18})(?:/\d+)? \(\d+\.\d{3} ?%\)"
)
_LAG = re.compile(r"rate limit schedule lag: avg (\d+\.\d{3}) \(max (\d+\.\d{3})\) ms")
_RECONNECTING = re.compile(r"\bpgbench\s(?:.*\s)?(?:-[nvrldSN]*C[nvrldSN]*|--connect)(?:\s|$)")
_ABORTED = "Run was aborted; the above results are incomplete."
_STATEMENTS = re.compile(r"(?:- )?statement latencies in milliseconds(,? (?:and )?failures(?: and retries)?)?:")
_STATEMENT = re.compile(r"(\d+\.\d{3})((?:\s+\d+){0,2})\s+([^\d\s].*)")
_SCRIPT = re.compile(r"SQL script \d+: (?:<builtin: (.*)>|([^<\s].*))")
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


def parse(lines: Lines, command: str | None) -> Found | None:
    found = take_report(lines, _REPORT, lambda line: _read_line(lines, line))
    if found and not found.values.keys() - {"duration_s"}:
        return None
    if found and command and "tps_including_connections" in found.values and _RECONNECTING.search(command):
        found.values["reconnects"] = True
    return found


def _read_line(lines: Lines, line: str) -> dict[str, Any] | None:
    line = line.partition(" # ")[0].rstrip()
    if lines.unended() and not line.endswith((")", "ms", ">", ":")):
        return None  # "1000/1" may go on
    if label := _LABEL.fullmatch(line):
        return _read_labelled(_NAME_OF[label[1]], label[2])
    if heading := _STATEMENTS.fullmatch(line):
        return {"statements": _read_statements(lines)} if heading else None
    if line == _ABORTED:
        return {"aborted": True}
    for pattern, meaning in _MEANINGS:
        if found := pattern.fullmatch(line):
            return meaning(found)
    return None


def _read_labelled(name: str, text: str) -> dict[str, Any] | None:
    if name in _COUNTS.values():
        return {name: int(text)} if re.fullmatch(r"\d{1,18}", text) else None
    found = (_TIME if name.endswith("_ms") else _SHARE).fullmatch(text)
    return {name: float(found[1]) if "." in found[1] else int(found[1])} if found else None


def _read_processed(found: re.Match[str]) -> dict[str, Any]:
    return {"transactions": int(found[1])} | ({"transactions_asked": int(found[2])} if found[2] else {})


def _read_statements(lines: Lines) -> list[dict[str, Any]]:
    """The rows below the heading: ms, how often it failed and was tried again, and the statement, which may be broken."""
    rows: list[dict[str, Any]] = []
    last = ""
    while len(rows) < _MOST_STATEMENTS and (ahead := lines.ahead(1)):
        text = ahead[0].strip()
        found = _STATEMENT.fullmatch(text)
        if found:
            counts = dict(zip(("failures", "retries"), map(int, found[2].split()), strict=False))
            rows.append({"ms": float(found[1]), **counts, "statement": found[3].strip()})
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


_MEANINGS = (
    (_VERSION, lambda found: {"version": found[1]}),
    (_TYPE, lambda found: {"transaction_type": found[1] or found[2]}),
    (_MODE, lambda found: {"query_mode": found[1]}),
    (_DURATION, lambda found: {"duration_s": int(found[1])}),
    (_PROCESSED, _read_processed),
    (_ABOVE, lambda found: {"latency_limit_ms": float(found[1]), "transactions_above_limit": int(found[2])}),
    (_LAG, lambda found: {"schedule_lag_ms": {"avg": float(found[1]), "max": float(found[2])}}),
    (_RATE, lambda found: {_RATES[found[2]]: float(found[1])}),
    (_SCRIPT, lambda found: {"scripts": [found[1] or found[2]]}),
)


def fits(command: Command, values: dict[str, Any]) -> bool:
    """Whether the command's -c and -T are those of the report."""
    return command.agrees(values, {"concurrency": "clients", "duration_s": "duration_s"})


def records(values: dict[str, Any]) -> list[Record]:
    get = values.get
    # A load that connects for each transaction has the time to connect in it.
    both = ("tps_including_connections", "tps_excluding_connections")[:: 1 if get("reconnects") else -1]
    return [
        LoadResult(
            tool=KIND,
            tool_version=get("version"),
            requests_per_second=get("tps", get(both[0], get(both[1]))),
            complete_requests=get("transactions"),
            failed_requests=get("failed_transactions"),
            concurrency=get("clients"),
            keepalive=False if get("reconnects") or "average_connection_ms" in values else None,
            duration_s=get("duration_s"),
            mean_ms=get("latency_average_ms"),
            path=" + ".join(get("scripts", ())) or get("transaction_type"),
            aborted=bool(get("aborted")),
        )
    ]
