"""The usual ab report in one match: thousands of them in one transcript are read at a third of the speed of splitting.

Whatever is not printed just like this is left to ab.py, which reads line by line; both give the same figures (a test).
Measured: "[0-9]" is matched in two thirds of the time of "\\d", which asks of each sign whether any script has it as a digit;
a group a figure and literal dicts are built in half the time of tables that are split into words, or put together by `zip`.
"""

from __future__ import annotations

import re
from typing import Any

from ..lines import Lines
from ..units import Memo, number

_LINES_AT_MOST, _SIZE_AT_MOST = 60, 4096
# Each part is bounded, so no figure is endless and nothing has to look for lines that are longer than usual.
_PARTS = {"(N)": "([0-9]{1,18})", "(F)": "([0-9]{1,18}[.][0-9]{1,18})", "(W)": r"([^\s<&]{1,200})", " +": " {1,18}"}
_TIMES = r" +(N) +(N) +([0-9]{1,18}[.][0-9]) +(N) +(N)\n"
_PERCENTS = "".join(rf" {{0,3}}{percent}% +(N)\n" for percent in (50, 66, 75, 80, 90, 95, 98, 99))
_TEXT = (
    r"This is ApacheBench, Version (W) <\$Revision: (N) \$>[^\n<&]{0,99}\n"
    r"Copyright [^\n]{0,200}\n(?:Copyright|Licensed) [^\n]{0,200}\n\nBenchmarking [^\n&]{0,200}\n"
    r"(?:(?:Completed|Finished) [0-9]{1,18} requests\n)*+\n\n"
    r"Server Software: {8}([^\s<&]{0,200})\n"
    r"Server Hostname: {8}(W)\n"
    r"Server Port: {12}(N)\n"
    r"(?:SSL/TLS Protocol: {7}(W)\n)?+"
    r"(?:Server Temp Key: {8}((?:[A-Za-z][\w.-]{0,40} ){1,4}[0-9]{1,9} bits)\n)?+"
    r"(?:TLS Server Name: {8}(W)\n)?+\n"
    r"Document Path: {10}(W)\n"
    r"Document Length: {8}(N) bytes\n\n"
    r"Concurrency Level: {6}(N)\n"
    r"Time taken for tests: {3}(F) seconds\n"
    r"Complete requests: {6}(N)\n"
    r"Failed requests: {8}(N)\n"
    r"(?: {3}\(Connect: (N), (?:Receive: (N), )?+Length: (N), Exceptions: (N)\)\n)?+"
    r"(?:Write errors: {11}(N)\n)?+"
    r"(?:Non-2xx responses: {6}(N)\n)?+"
    r"(?:Keep-Alive requests: {4}(N)\n)?+"
    r"Total transferred: {6}(N) bytes\n"
    r"(?:Total body sent: {8}(N)\n)?+"
    r"HTML transferred: {7}(N) bytes\n"
    r"Requests per second: {4}(F) \[#/sec\] \(mean\)\n"
    r"Time per request: {7}(F) \[ms\] \(mean\)\n"
    r"Time per request: {7}(F) \[ms\] \(mean, across all concurrent requests\)\n"
    r"Transfer rate: {10}(F) \[Kbytes/sec\] received\n"
    r"(?: {24}(F) kb/s sent\n {24}(F) kb/s total\n)?+\n"
    r"Connection Times \(ms\)\n {14}min  mean\[\+/-sd\] median   max\n"
    rf"Connect:{_TIMES}Processing:{_TIMES}Waiting:{_TIMES}Total:{_TIMES}\n"
    r"Percentage of the requests served within a certain time \(ms\)\n"
    rf"{_PERCENTS} 100% +(N) \(longest request\)\n"
)
_REPORT = re.compile(re.sub(r"\([NFW]\)| \+", lambda part: _PARTS[part[0]], _TEXT).replace("}", "}+"))  # no way back


_SOMETIMES = (
    ("tls_protocol", 5, str),
    ("server_temp_key", 6, str),
    ("tls_server_name", 7, str),
    ("failed_connect", 14, int),
    ("failed_receive", 15, int),
    ("failed_length", 16, int),
    ("failed_exceptions", 17, int),
    ("write_errors", 18, int),
    ("non_2xx_responses", 19, int),
    ("keepalive_requests", 20, int),
    ("total_body_sent_bytes", 22, int),
    ("transfer_rate_sent_kbytes_per_s", 28, float),
    ("transfer_rate_total_kbytes_per_s", 29, float),
)
_TIMES_FROM = 30
_FIGURE = Memo(number)  # thousands of reports have the same few hundred times in ms


def read(lines: Lines) -> dict[str, Any] | None:
    """Figures of the report that begins with the next line, which is taken; None, with nothing taken, if it is unusual."""
    found = lines.match(_REPORT, _LINES_AT_MOST, _SIZE_AT_MOST)
    if found is None:
        return None
    groups = found.groups()
    values = _always(groups)
    for key, at, convert in _SOMETIMES:
        if (text := groups[at]) is not None:
            values[key] = convert(text)
    _add_times(values, list(map(_FIGURE.__getitem__, groups[_TIMES_FROM:])))
    return values


def _always(groups: tuple[str, ...]) -> dict[str, Any]:
    return {
        "ab_version": groups[0],
        "ab_revision": int(groups[1]),
        "server_software": groups[2],
        "server_hostname": groups[3],
        "server_port": int(groups[4]),
        "document_path": groups[8],
        "document_length_bytes": int(groups[9]),
        "concurrency": int(groups[10]),
        "time_taken_s": float(groups[11]),
        "complete_requests": int(groups[12]),
        "failed_requests": int(groups[13]),
        "total_transferred_bytes": int(groups[21]),
        "html_transferred_bytes": int(groups[23]),
        "requests_per_second": float(groups[24]),
        "time_per_request_ms": float(groups[25]),
        "time_per_request_across_ms": float(groups[26]),
        "transfer_rate_kbytes_per_s": float(groups[27]),
    }


def _add_times(values: dict[str, Any], ms: list[int | float]) -> None:
    values["connect_ms"] = {"min": ms[0], "mean": ms[1], "sd": ms[2], "median": ms[3], "max": ms[4]}
    values["processing_ms"] = {"min": ms[5], "mean": ms[6], "sd": ms[7], "median": ms[8], "max": ms[9]}
    values["waiting_ms"] = {"min": ms[10], "mean": ms[11], "sd": ms[12], "median": ms[13], "max": ms[14]}
    values["total_ms"] = {"min": ms[15], "mean": ms[16], "sd": ms[17], "median": ms[18], "max": ms[19]}
    values["percentiles_ms"] = {
        "50": ms[20],
        "66": ms[21],
        "75": ms[22],
        "80": ms[23],
        "90": ms[24],
        "95": ms[25],
        "98": ms[26],
        "99": ms[27],
        "100": ms[28],
    }
