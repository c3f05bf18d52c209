"""The usual ab report in one match: thousands of them in one transcript are read at a third of the speed of splitting.

Whatever is not printed just like this is left to ab.py, which reads line by line; both give the same figures (a test).
Measured: "[0-9]" is matched in two thirds of the time of "\\d", which asks of each sign whether any script has it as a digit;
a group a figure and one literal dict are built in half the time of tables that are split into words.
"""

from __future__ import annotations

import re
from typing import Any

from ..lines import Lines
from ..units import Memo, number

_LINES_AT_MOST, _SIZE_AT_MOST = 60, 4096
_RATE = "([0-9]+[.][0-9]+)"
_TIMES = " +([0-9]+) +([0-9]+) +([0-9]+[.][0-9]) +([0-9]+) +([0-9]+)\n"
_PERCENTS = ("50", "66", "75", "80", "90", "95", "98", "99", "100")
_REPORT = re.compile(
    r"This is ApacheBench, Version ([^\s<&]+) <\$Revision: ([0-9]+) \$>[^\n<&]*\n"
    r"Copyright [^\n]*\n(?:Copyright|Licensed) [^\n]*\n\nBenchmarking [^\n&]*\n"
    r"(?:(?:Completed|Finished) [0-9]+ requests\n)*+\n\n"
    r"Server Software: {8}([^\s<&]*)\n"
    r"Server Hostname: {8}([^\s<&]+)\n"
    r"Server Port: {12}([0-9]+)\n"
    r"(?:SSL/TLS Protocol: {7}([^\s<&]+)\n)?+"
    r"(?:Server Temp Key: {8}((?:[\w.-]+ )+[0-9]+ bits)\n)?+"
    r"(?:TLS Server Name: {8}([^\s<&]+)\n)?+\n"
    r"Document Path: {10}([^\s<&]+)\n"
    r"Document Length: {8}([0-9]+) bytes\n\n"
    r"Concurrency Level: {6}([0-9]+)\n"
    rf"Time taken for tests: {{3}}{_RATE} seconds\n"
    r"Complete requests: {6}([0-9]+)\n"
    r"Failed requests: {8}([0-9]+)\n"
    r"(?: {3}\(Connect: ([0-9]+), (?:Receive: ([0-9]+), )?+Length: ([0-9]+), Exceptions: ([0-9]+)\)\n)?+"
    r"(?:Write errors: {11}([0-9]+)\n)?+"
    r"(?:Non-2xx responses: {6}([0-9]+)\n)?+"
    r"(?:Keep-Alive requests: {4}([0-9]+)\n)?+"
    r"Total transferred: {6}([0-9]+) bytes\n"
    r"(?:Total body sent: {8}([0-9]+)\n)?+"
    r"HTML transferred: {7}([0-9]+) bytes\n"
    rf"Requests per second: {{4}}{_RATE} \[#/sec\] \(mean\)\n"
    rf"Time per request: {{7}}{_RATE} \[ms\] \(mean\)\n"
    rf"Time per request: {{7}}{_RATE} \[ms\] \(mean, across all concurrent requests\)\n"
    rf"Transfer rate: {{10}}{_RATE} \[Kbytes/sec\] received\n"
    rf"(?: +{_RATE} kb/s sent\n +{_RATE} kb/s total\n)?+\n"
    r"Connection Times \(ms\)\n {14}min  mean\[\+/-sd\] median   max\n"
    rf"Connect:{_TIMES}Processing:{_TIMES}Waiting:{_TIMES}Total:{_TIMES}\n"
    r"Percentage of the requests served within a certain time \(ms\)\n"
    rf"{''.join(f' *{percent}% +([0-9]+)' + chr(10) for percent in _PERCENTS[:-1])} 100% +([0-9]+) \(longest request\)\n"
)


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
    times = list(map(_FIGURE.__getitem__, groups[_TIMES_FROM:]))
    values["connect_ms"] = _times(times, 0)
    values["processing_ms"] = _times(times, 5)
    values["waiting_ms"] = _times(times, 10)
    values["total_ms"] = _times(times, 15)
    values["percentiles_ms"] = dict(zip(_PERCENTS, times[20:], strict=True))
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


def _times(figures: list[int | float], at: int) -> dict[str, int | float]:
    return {
        "min": figures[at],
        "mean": figures[at + 1],
        "sd": figures[at + 2],
        "median": figures[at + 3],
        "max": figures[at + 4],
    }
