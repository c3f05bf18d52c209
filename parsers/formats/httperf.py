"""httperf: the report at the end of its run, and the options that it repeats above.

Reads     from its warning of FD_SETSIZE or "httperf --client=..." to "Errors: fd-unavail" or the sessions' figures (--wsess)
Yields    one LoadResult
Units     times in ms, sessions' in s, sizes in bytes, Net I/O in KB of 1024 bytes both ways; medians are middles of 1 ms steps
Quirks    it asks at a fixed rate and not with so many clients, so that there is no concurrency but the most that came about;
          reply rates are of 5 s each, and none but noughts in a shorter run; without a reply all times are noughts, too;
          "Connection time" is a request's whole time where each connection made one; its request rate counts
          what was sent, and a record's what was answered
Source    httperf's src/httperf.c, src/stat/basic.c and sess_stat.c, 0.9.0
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ..commands import FLAG, Command, Option
from ..lines import Lines
from ..records import Found, LoadResult, Record, Semantics
from ..report import Report, take_report
from ..units import compile_lines, number

KIND = "httperf"
PROGRAMS = ("httperf",)
SEMANTICS = Semantics(
    http_version="1.1",
    one_thread=True,
    failure_kinds={
        "timeout": "client_timeouts",
        "refused": "connections_refused",
        "reset": "connections_reset",
    },
    non_2xx=("status_1xx", "status_3xx", "status_4xx", "status_5xx"),
    printed_as={
        "complete_requests": "requests",
        "failed_requests": "errors",
        "non_2xx_responses": "status_4xx",
        "duration_s": "time_taken_s",
        **dict.fromkeys(("mean_ms", "max_ms", "percentiles_ms.50"), "connection_ms"),
    },
    citations={
        "load.set_rate": "httperf's manual on --rate",
    },
)
OPTIONS = {
    "--num-conns": Option("connections"),
    "--timeout": Option("timeout_s"),
    "--method": Option("method"),
    "--add-header": Option("header"),
    "--num-calls": Option("repeats_each"),
    "--wlog --wsess --wsesslog": Option("script"),
    "--port --rate --server --uri": Option(),
    "--hog --print-reply --ssl -v --verbose": FLAG,
}
PRINTS = {"connections": "asked_num_conns", "repeats_each": "asked_num_calls", "rate": "asked_requests_per_second"}
INLINE = r"Request rate:\s{1,40}(\d[\d.]{0,30}) req/s \("
OPENS = (
    r"httperf: warning: open file limit|httperf(?: --[a-z][\w-]*(?:=\S+)?)* --client=\d+/\d+ --"
    r"|Maximum connect burst length:\s+\d|Total: connections \d+ requests \d|Connection rate:\s+\d[\d.]* conn/s"
    r"|Connection (?:time \[ms\]|length \[replies/conn\]):|Request rate:\s+\d[\d.]* req/s|Reply rate \[replies/s\]:"
    r"|Reply (?:time \[ms\]|size \[B\]):|Reply status:\s+1xx=\d|Errors: total \d+ client-timo \d"
)

# A line each, in the order of the report. A figure that is "nan" or "inf" was divided by nothing.
_LINES = (
    "Maximum connect burst length: <connect_burst_length:N>",
    "Total: connections <connections:N> requests <requests:N> replies <replies:N> test-duration <time_taken_s:F> s",
    "Connection rate: <connections_per_second:F> conn/s (<:F> ms/conn, <=<max_connections:N> concurrent connections)",
    "Connection time [ms]: min <connection_ms.min:F> avg <connection_ms.mean:F> max <connection_ms.max:F>"
    " median <connection_ms.median:F> stddev <connection_ms.sd:F>",
    "Connection time [ms]: connect <connect_mean_ms:F>",
    "Connection length [replies/conn]: <replies_per_connection:F>",
    "Request rate: <requests_per_second:F> req/s (<:F> ms/req)",
    "Request size [B]: <request_size_bytes:F>",
    "Reply rate [replies/s]: min <replies_per_second.min:F> avg <replies_per_second.mean:F> max <replies_per_second.max:F>"
    " stddev <replies_per_second.sd:F> (<replies_per_second.samples:N> samples)",
    "Reply time [ms]: response <reply_ms.response:F> transfer <reply_ms.transfer:F>",
    "Reply size [B]: header <reply_size_bytes.header:F> content <reply_size_bytes.content:F>"
    " footer <reply_size_bytes.footer:F> (total <reply_size_bytes.total:F>)",
    "Reply status: 1xx=<status_1xx:N> 2xx=<status_2xx:N> 3xx=<status_3xx:N> 4xx=<status_4xx:N> 5xx=<status_5xx:N>",
    "CPU time [s]: user <cpu_user_s:F> system <cpu_system_s:F> (user <cpu_user_pct:F>% system <cpu_system_pct:F>%"
    " total <cpu_total_pct:F>%)",
    "Net I/O: <net_kb_per_s:F> KB/s (<:F>*10^6 bps)",
    "Errors: total <errors:N> client-timo <client_timeouts:N> socket-timo <socket_timeouts:N>"
    " connrefused <connections_refused:N> connreset <connections_reset:N>",
    "Errors: fd-unavail <fd_unavailable:N> addrunavail <address_unavailable:N> ftab-full <file_table_full:N>"
    " other <other_errors:N>",
    "Session rate [sess/s]: min <sessions_per_second.min:F> avg <sessions_per_second.mean:F>"
    " max <sessions_per_second.max:F> stddev <sessions_per_second.sd:F> (<sessions_completed:N>/<sessions:N>)",
    "Session: avg <connections_per_session:F> connections/session",
    "Session lifetime [s]: <session_lifetime_s:F>",
    "Session failtime [s]: <session_failtime_s:F>",
)
_read_figures = compile_lines(
    {
        "F": (r"-?(?:\d{1,18}\.\d{1,3}|nan|inf)", lambda text: float(text) if text[-1].isdigit() else None),
        "H": (r"\d{1,18}(?: \d{1,18})*", lambda text: list(map(int, text.split()))),
        "M": (r"\d{1,9}\.5", str),  # the middle of a millisecond
    },
    *(re.sub(r"[]()*^[]", r"\\\g<0>", line).replace(" ", r"\s+") for line in _LINES),
    r"<@:M> <connections_by_ms.*:N>",
    r"Session length histogram: <session_lengths:H>",
)
_ECHO = re.compile(r"httperf (?:\S.* )?--client=\d+/\d+ .*")
_ASKED: dict[str, Callable[[str], str | int | float]]
_ASKED = {"server": str, "port": int, "uri": str, "rate": number, "num-conns": int, "num-calls": int}
# All noughts where there was no reply, no interval of 5 s, no session that ended well, none that failed.
_OF_REPLIES = (
    *("connection_ms", "connect_mean_ms", "replies_per_connection"),
    *("request_size_bytes", "reply_ms", "reply_size_bytes"),
)
_OF_SESSIONS = ("connections_per_session", "session_lifetime_s")


def _read_line(line: str) -> dict[str, Any] | None:
    line = line.removeprefix("^C")  # as the terminal shows the key that ended it
    if (read := _read_figures(line)) is not None:
        return read
    return _parse_command(line) if _ECHO.fullmatch(line) else None


def _parse_command(line: str) -> dict[str, Any] | None:
    """What the command asked for. Headers are left out: there may be secrets in them."""
    values: dict[str, Any] = {}
    for name, convert in _ASKED.items():
        if match := re.search(rf" --{name}=(\S+)", line):
            try:
                values[f"asked_{name.replace('-', '_')}"] = convert(match[1])
            except ValueError:
                return None
    if "asked_rate" in values and "asked_num_calls" in values:  # of connections; with sessions, of these
        values["asked_requests_per_second"] = values["asked_rate"] * values["asked_num_calls"]
    return values | ({"asked_tls": True} if " --ssl " in f"{line} " else {})


def _over(values: dict[str, Any], line: str) -> bool:
    """The options begin a report; the warning may stand above or, as it takes another way to the terminal, below them."""
    reported = any(not name.startswith("asked_") for name in values)
    return line.startswith("httperf ") or (reported and line.startswith("httperf: warning"))


_REPORT = Report(
    tool=KIND,
    meant=re.compile(
        r"httperf .*--client=|(?:\^C)?Maximum connect burst|Total: conn|Connection (?:rate|time|length)\b|Re(?:quest|ply) \w+[ :]"
        r"|CPU time \[s\]|Net I/O:|Errors: |Session(?: rate| lifetime| failtime| length histogram|:)|\d+\.5 \d+$"
    ),
    noise=re.compile(
        r"httperf: (?:warning: open file limit|maximum number of open)|(?:files )?to FD_SETSIZE$|descriptors = \d*$"
        r"|(?:reply|session)-rate =|Connection lifetime histogram \(time in ms\):"
    ),
    goes_on=re.compile(r"--[a-z][\w-]*(?:=\S.*)?(?: --.*)?|\d+(?: \d+)*"),
    over=_over,
    whole=20,
    broken=4,
)


def parse(lines: Lines, command: str | None) -> Found | None:
    report = take_report(lines, _REPORT, _read_line)
    if report is None or not report.values.keys() - {"asked_" + name for name in _ASKED}:
        return None
    _leave_out_noughts(report.values)
    return report


def _leave_out_noughts(values: dict[str, Any]) -> None:
    """Take out what was printed as nought for lack of anything to count."""
    get = values.get
    groups: tuple[str, ...] = _OF_REPLIES if get("replies") == 0 else ()
    groups += _OF_SESSIONS if get("sessions_completed") == 0 else ()
    groups += ("session_failtime_s",) if get("sessions") == get("sessions_completed") else ()
    for name in groups:
        group = get(name)
        if group is not None and not any(group.values() if isinstance(group, dict) else [group]):
            del values[name]
    if get("replies_per_second", {}).get("samples") == 0:
        values["replies_per_second"] = {"samples": 0}
        if "mean" in get("sessions_per_second", {}):
            values["sessions_per_second"] = {"mean": values["sessions_per_second"]["mean"]}


def fits(command: Command, values: dict[str, Any]) -> bool:
    """Whether the command's number of connections is that of the report; its options may be shortened ("--num-con 75000")."""
    return command.agrees(values, {"connections": "asked_num_conns"})


def records(values: dict[str, Any]) -> list[Record]:
    get = values.get
    per_connection = get("replies_per_connection")
    times = get("connection_ms", {}) if per_connection == 1 else {}
    reply = get("reply_ms")
    median, longest = times.get("median", 0), times.get("max")
    # The step below 1 ms has half a millisecond for its middle, whatever the times were.
    table = {"50": median if longest is not None and 1 < median <= longest else None, "100": longest}
    return [
        LoadResult(
            tool=KIND,
            requests_per_second=_compute_answered(values),
            complete_requests=_count_requests(values),
            failed_requests=get("errors"),
            duration_s=get("time_taken_s"),
            keepalive=per_connection > 1 if per_connection is not None else None,
            mean_ms=times.get("mean", round(sum(reply.values()), 6) if reply else None),
            min_ms=times.get("min"),
            max_ms=times.get("max"),
            percentiles_ms={name: value for name, value in table.items() if value is not None},
            hostname=get("asked_server"),
            port=get("asked_port"),
            path=get("asked_uri"),
        )
    ]


def _count_requests(values: dict[str, Any]) -> int | None:
    """Requests, with those that never left for lack of a connection: they are among the errors only."""
    if "replies" not in values:
        return None
    sent, replies, errors = (int(values.get(name, 0)) for name in ("requests", "replies", "errors"))
    return max(sent, replies + errors)


def _compute_answered(values: dict[str, Any]) -> float | None:
    """Requests that were answered, per second: what is printed is of those that were sent."""
    if "requests_per_second" not in values:
        mean = values.get("replies_per_second", {}).get("mean")  # a quoted line tells as much
        return float(mean) if mean is not None and "requests" not in values else None
    rate, sent, replies = float(values["requests_per_second"]), values.get("requests"), values.get("replies")
    return round(rate * replies / sent, 3) if sent and replies is not None and replies < sent else rate
