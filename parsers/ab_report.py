"""ab's report as most versions print it, read in one match: thousands stand in one text.

Whatever is not printed just like this is left to the format, which reads line by line; both give the same figures (a test).
"[0-9]" is matched in two thirds of the time of "\\d", which asks of each sign whether any script has it as a digit.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from .lines import Lines
from .records import Found, Problem
from .units import Memo, join_thousands, number

_FIGURE = Memo(number)  # thousands of reports have the same few hundred times in ms
_CONVERT: dict[str, Callable[[str], Any]] = {"W": str, "T": str, "N": int, "F": float, "M": _FIGURE.__getitem__}
# Each part is bounded, so that no figure is endless and nothing has to look for lines that are longer than usual.
_PARTS = {"W": r"[^\s<&]{1,200}", "T": r"[^\s<&]{0,200}", "N": "[0-9]{1,18}", "F": "[0-9]{1,18}[.][0-9]{1,18}"}
_PARTS["M"] = "[0-9]{1,18}(?:[.][0-9])?"
_FIELD = re.compile(r"\((\w+):([WTNFM])\)")  # in the templates: (name of the value:kind of its text)
_OF_TIMES = ("min", "mean", "sd", "median", "max")
_PERCENTS = ("50", "66", "75", "80", "90", "95", "98", "99", "100")
# What the labels of ab's report are called.
TEXTS = {
    "Server Software": "server_software",
    "Server Hostname": "server_hostname",
    "SSL/TLS Protocol": "tls_protocol",
    "Server Temp Key": "server_temp_key",
    "TLS Server Name": "tls_server_name",
    "Document Path": "document_path",
}
NUMBERS = {
    "Server Port": "server_port",
    "Document Length": "document_length_bytes",
    "Number of workers": "workers",
    "Concurrency Level": "concurrency",
    "Concurrency achieved": "concurrency_achieved",
    "Rampup delay": "rampup_delay_ms",
    "Time taken for tests": "time_taken_s",
    "Number of requests": "requests",
    "Complete requests": "complete_requests",
    "Failed requests": "failed_requests",
    "Broken pipe errors": "broken_pipe_errors",
    "Write errors": "write_errors",
    "Non-2xx responses": "non_2xx_responses",
    "Keep-Alive requests": "keepalive_requests",
    "Keep-Alive aborts": "keepalive_aborts",
    "Total transferred": "total_transferred_bytes",
    "Total body sent": "total_body_sent_bytes",
    "Total POSTed": "total_body_sent_bytes",
    "HTML transferred": "html_transferred_bytes",
    "Requests per second": "requests_per_second",
    "Time per request": "time_per_request_ms",
    "Transfer rate": "transfer_rate_kbytes_per_s",
}
# These are printed with decimals and a unit: a line that ends before its unit was cut off, maybe inside the number.
UNITS = {
    "time_taken_s": "seconds",
    "requests_per_second": "[#/sec]",
    "time_per_request_ms": "[ms]",
    "transfer_rate_kbytes_per_s": "[Kbytes/sec]",
}
TIMES = {"Connect": "connect_ms", "Processing": "processing_ms", "Waiting": "waiting_ms", "Total": "total_ms"}
FIELDS = {**TEXTS, **NUMBERS, **TIMES}
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")  # written so by who pasted it; ab prints no separators
_REMARKED = re.compile(r"[\d.,]*\d(?=[（(])")  # "100（clients）"
_TABLES = frozenset({*TIMES.values(), "percentiles_ms"})
_ROUNDED, _ROUNDED_S = 0.006, 0.0006  # by what a printed rate, and a time taken of three decimals, may be off
_OPEN, _GAP = "ab_open", 3  # what Lines.memory has: how many reports above have no times, and where the last ends


def _line(label: str, kind: str, behind: str = "", *, optional: bool = False) -> str:
    """A line of ab's report, whose figures begin in one column."""
    line = rf"{label}: {{{23 - len(label)}}}({FIELDS[label]}:{kind}){behind}\n"
    return f"(?:{line})?+" if optional else line


_AB = (
    r"This is ApacheBench, Version (ab_version:W) <\$Revision: (ab_revision:N) \$>[^\n<&]{0,99}\n"
    r"Copyright [^\n]{0,200}\n(?:Copyright|Licensed) [^\n]{0,200}\n\nBenchmarking [^\n&]{0,200}\n"
    r"(?:(?:Completed|Finished) [0-9]{1,18} requests\n)*+\n\n"
    + _line("Server Software", "T")
    + _line("Server Hostname", "W")
    + _line("Server Port", "N")
    + _line("SSL/TLS Protocol", "W", optional=True)
    + r"(?:Server Temp Key: {8}(?P<server_temp_key>(?:[A-Za-z][\w.-]{0,40} ){1,4}[0-9]{1,9} bits)\n)?+"
    + _line("TLS Server Name", "W", optional=True)
    + r"\n"
    + _line("Document Path", "W")
    + _line("Document Length", "N", r" bytes")
    + r"\n"
    + _line("Concurrency Level", "N")
    + _line("Time taken for tests", "F", r" seconds")
    + _line("Complete requests", "N")
    + _line("Failed requests", "N")
    + r"(?: {3}\(Connect: (failed_connect:N), (?:Receive: (failed_receive:N), )?+Length: (failed_length:N), "
    + r"Exceptions: (failed_exceptions:N)\)\n)?+"
    + _line("Write errors", "N", optional=True)
    + _line("Non-2xx responses", "N", optional=True)
    + _line("Keep-Alive requests", "N", optional=True)
    + _line("Total transferred", "N", r" bytes")
    + _line("Total body sent", "N", optional=True)
    + _line("HTML transferred", "N", r" bytes")
    + _line("Requests per second", "F", r" \[#/sec\] \(mean\)")
    + _line("Time per request", "F", r" \[ms\] \(mean\)")
    + r"Time per request: {7}(time_per_request_across_ms:F) \[ms\] \(mean, across all concurrent requests\)\n"
    + _line("Transfer rate", "F", r" \[Kbytes/sec\] received")
    + r"(?: {24}(transfer_rate_sent_kbytes_per_s:F) kb/s sent\n {24}(transfer_rate_total_kbytes_per_s:F) kb/s total\n)?+\n"
    + r"Connection Times \(ms\)\n {14}min  mean\[\+/-sd\] median   max\n"
)
_AB += "".join(
    f"{label}:" + "".join(f" {{1,18}}({name}_{part}:M)" for part in _OF_TIMES) + r"\n" for label, name in TIMES.items()
)
_AB += r"\nPercentage of the requests served within a certain time \(ms\)\n"
_AB += "".join(rf" {{0,3}}{percent}% {{1,18}}(within_{percent}:M)\n" for percent in _PERCENTS[:-1])
_AB += r" 100% {1,18}(within_100:M) \(longest request\)\n"


def _compile(template: str) -> tuple[re.Pattern[str], list[tuple[str, Callable[[str], Any]]]]:
    """The template's pattern, which never goes back, and (name of the value, its conversion) of each group."""
    text = _FIELD.sub(lambda field: f"(?P<{field[1]}>{_PARTS[field[2]]})", template).replace("}", "}+")
    pattern, kinds = re.compile(text), dict(_FIELD.findall(template))
    return pattern, [(name, _CONVERT[kinds.get(name, "W")]) for name in pattern.groupindex]


_REPORT, _VALUES = _compile(_AB)
# Groups in the order of the report, below its head -> the path of their figure: of the tables of times the row.
_LINE_OF = {name: name.removesuffix("_min") for name, _ in _VALUES[2:] if name.rpartition("_")[2] not in _OF_TIMES[1:]}
_LINE_OF |= {f"within_{percent}": f"percentiles_ms.{percent}" for percent in _PERCENTS}
# By the names of a report's values: how many lines each figure stands below the first one.
_BELOW: dict[tuple[str, ...], dict[str, int]] = {}
_N_TIMES = len(TIMES) * len(_OF_TIMES) + len(_PERCENTS)


def read_usual_report(lines: Lines) -> Found | None:
    """The report that begins with the next line; None, with nothing taken, if it is unusual."""
    first = lines.number + 1
    match = lines.match(_REPORT, lines=60, size=4096)
    if match is None:
        return None
    texts = match.groups()
    values = {
        name: convert(text)
        for (name, convert), text in zip(_VALUES[:-_N_TIMES], texts, strict=False)
        if text is not None
    }
    values["server_hostname"] = values["server_hostname"].partition("(")[0]  # somebody's remark
    figure_lines = _find_figure_lines(match, first, tuple(values))
    times = [*map(_FIGURE.__getitem__, texts[-_N_TIMES:])]
    for at, name in enumerate(TIMES.values()):
        values[name] = dict(zip(_OF_TIMES, times[5 * at : 5 * at + 5], strict=True))
    values["percentiles_ms"] = dict(zip(_PERCENTS, times[-len(_PERCENTS) :], strict=True))
    match_tables(lines, values, first)
    return Found(values, first, lines.number, lines=figure_lines)


def _find_figure_lines(match: re.Match[str], first: int, names: tuple[str, ...]) -> dict[str, int]:
    """The line of each figure, counted once for all reports with values of these names; a row of a table is one figure."""
    text, begin = match.string, match.start("server_software")
    if names not in _BELOW:
        starts = {path: match.start(group) for group, path in _LINE_OF.items()}
        _BELOW[names] = {path: text.count("\n", begin, start) for path, start in starts.items() if start >= 0}
    line = first + text.count("\n", match.start(), begin)
    lines = {"ab_version": first, "ab_revision": first}
    return lines | {path: line + below for path, below in _BELOW[names].items()}


def match_tables(lines: Lines, values: dict[str, Any], first: int) -> list[Problem]:
    """Of loads that ran at once, one may print its times behind the other's report: they are no run of their own."""
    n_open, below = lines.memory.get(_OPEN, (0, 0))
    n_open, problems = n_open if 0 <= first - below <= _GAP else 0, []
    if n_open and values.keys() <= _TABLES:
        values["of_other_report"], n_open = True, n_open - 1
        problems.append(Problem(first, "two loads ran at once: these times are of one of those above"))
    elif "requests_per_second" in values and not values.keys() & _TABLES:
        n_open += 1
    lines.memory[_OPEN] = n_open, lines.number
    return problems


def pad_microseconds(values: dict[str, Any]) -> None:
    """Put the zeros of ab 2.0 into the time taken, where its requests and rate say that some are missing."""
    taken, requests, rate = map(values.get, ("time_taken_s", "complete_requests", "requests_per_second"))
    if not (taken and requests and rate):
        return
    if abs(requests / taken - rate) <= _ROUNDED + rate * _ROUNDED_S / taken:
        return
    seconds = int(taken)
    off = {time: abs(requests / time - rate) for time in (seconds + (taken - seconds) / n for n in (10, 100, 1000))}
    if min(off.values()) < _ROUNDED:
        values["time_taken_s"] = round(min(off, key=off.__getitem__), 6)


def cut_figure(text: str, unit: str | None) -> str:
    """The figure behind a label, of this unit, without what somebody wrote around it."""
    word = join_thousands(text).split(None, 1)[0].strip(",;*_`") if text else ""
    if word and not word[-1].isdigit() and (remarked := _REMARKED.match(word)):
        word = remarked[0]
    return word.replace(",", "") if _GROUPED.fullmatch(word) and ("." in word or not unit) else word
