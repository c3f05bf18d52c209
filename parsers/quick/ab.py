"""The usual ab report in one match: thousands of them in one transcript are read at a third of the speed of splitting.

Whatever is not printed just like this is left to ab.py, which reads line by line; both give the same figures (a test).
"""

from __future__ import annotations

import re
from operator import itemgetter
from typing import Any

from ..lines import Lines

_LINES_AT_MOST, _SIZE_AT_MOST = 60, 4096
# (key, the line's pattern with one group), in the order of the report; None: nothing of it is a figure.
_LINES: tuple[tuple[str | None, str], ...] = (
    ("ab_version", r"This is ApacheBench, Version ([^\s<&]+) "),
    ("ab_revision", r"<\$Revision: (\d+) \$>[^\n<&]*\n"),
    (None, r"Copyright [^\n]*\n(?:Copyright|Licensed) [^\n]*\n\nBenchmarking [^\n&]*\n"),
    (None, r"(?:(?:Completed|Finished) \d+ requests\n)*+\n\n"),
    ("server_software", r"Server Software: {8}([^\s<&]*)\n"),
    ("server_hostname", r"Server Hostname: {8}([^\s<&]+)\n"),
    ("server_port", r"Server Port: {12}(\d+)\n"),
    ("tls_protocol", r"(?:SSL/TLS Protocol: {7}([^\s<&]+)\n)?+"),
    ("server_temp_key", r"(?:Server Temp Key: {8}([^\n<&]*[^\s<&])\n)?+"),
    ("tls_server_name", r"(?:TLS Server Name: {8}([^\s<&]+)\n)?+"),
    ("document_path", r"\nDocument Path: {10}([^\s<&]+)\n"),
    ("document_length_bytes", r"Document Length: {8}(\d+) bytes\n\n"),
    ("concurrency", r"Concurrency Level: {6}(\d+)\n"),
    ("time_taken_s", r"Time taken for tests: {3}(\d+\.\d+) seconds\n"),
    ("complete_requests", r"Complete requests: {6}(\d+)\n"),
    ("failed_requests", r"Failed requests: {8}(\d+)\n"),
    ("failed_connect", r"(?: {3}\(Connect: (\d+), "),
    ("failed_receive", r"(?:Receive: (\d+), )?+"),
    ("failed_length", r"Length: (\d+), "),
    ("failed_exceptions", r"Exceptions: (\d+)\)\n)?+"),
    ("write_errors", r"(?:Write errors: {11}(\d+)\n)?+"),
    ("non_2xx_responses", r"(?:Non-2xx responses: {6}(\d+)\n)?+"),
    ("keepalive_requests", r"(?:Keep-Alive requests: {4}(\d+)\n)?+"),
    ("total_transferred_bytes", r"Total transferred: {6}(\d+) bytes\n"),
    ("total_body_sent_bytes", r"(?:Total body sent: {8}(\d+)\n)?+"),
    ("html_transferred_bytes", r"HTML transferred: {7}(\d+) bytes\n"),
    ("requests_per_second", r"Requests per second: {4}(\d+\.\d+) \[#/sec\] \(mean\)\n"),
    ("time_per_request_ms", r"Time per request: {7}(\d+\.\d+) \[ms\] \(mean\)\n"),
    (
        "time_per_request_across_ms",
        r"Time per request: {7}(\d+\.\d+) \[ms\] \(mean, across all concurrent requests\)\n",
    ),
    ("transfer_rate_kbytes_per_s", r"Transfer rate: {10}(\d+\.\d+) \[Kbytes/sec\] received\n"),
    ("transfer_rate_sent_kbytes_per_s", r"(?: +(\d+\.\d+) kb/s sent\n"),
    ("transfer_rate_total_kbytes_per_s", r" +(\d+\.\d+) kb/s total\n)?+"),
    (None, r"\nConnection Times \(ms\)\n {14}min  mean\[\+/-sd\] median   max\n"),
    ("connect_ms", r"Connect:((?: ++[-\d.]++){5})\n"),
    ("processing_ms", r"Processing:((?: ++[-\d.]++){5})\n"),
    ("waiting_ms", r"Waiting:((?: ++[-\d.]++){5})\n"),
    ("total_ms", r"Total:((?: ++[-\d.]++){5})\n"),
    (None, r"\nPercentage of the requests served within a certain time \(ms\)\n"),
    ("percentiles_ms", r"((?: ++\d++% ++\d++\n){8}) 100% ++"),
    ("longest_ms", r"(\d++) \(longest request\)\n"),
)
_REPORT = re.compile("".join(pattern for _, pattern in _LINES))
_KEYS = [key for key, _ in _LINES if key]
_TEXTS = ("ab_version", "server_software", "server_hostname", "document_path")
_INTS = (
    "ab_revision",
    "server_port",
    "document_length_bytes",
    "concurrency",
    "complete_requests",
    "failed_requests",
) + (
    "total_transferred_bytes",
    "html_transferred_bytes",
)
_FLOATS = ("time_taken_s", "requests_per_second", "time_per_request_ms", "time_per_request_across_ms") + (
    "transfer_rate_kbytes_per_s",
)
_TABLES = ("connect_ms", "processing_ms", "waiting_ms", "total_ms")
_ALWAYS = frozenset((*_TEXTS, *_INTS, *_FLOATS, *_TABLES, "percentiles_ms", "longest_ms"))
_SOMETIMES = tuple((key, at) for at, key in enumerate(_KEYS) if key not in _ALWAYS)
_texts, _ints, _floats, _tables = (itemgetter(*map(_KEYS.index, keys)) for keys in (_TEXTS, _INTS, _FLOATS, _TABLES))


def read(lines: Lines) -> dict[str, Any] | None:
    """Figures of the report that begins with the next line, which is taken; None, with nothing taken, if it is unusual."""
    found = lines.match(_REPORT, _LINES_AT_MOST, _SIZE_AT_MOST)
    return _values(found.groups()) if found else None


def _values(groups: tuple[str, ...]) -> dict[str, Any]:
    values: dict[str, Any] = dict(zip(_TEXTS, _texts(groups), strict=True))
    values.update(zip(_INTS, map(int, _ints(groups)), strict=True))
    values.update(zip(_FLOATS, map(float, _floats(groups)), strict=True))
    for key, at in _SOMETIMES:
        if (text := groups[at]) is not None:
            values[key] = _sometimes(key, text)
    for key, row in zip(_TABLES, _tables(groups), strict=True):
        low, mean, sd, median, high = row.split()
        values[key] = {"min": int(low), "mean": int(mean), "sd": float(sd), "median": int(median), "max": int(high)}
    words = groups[-2].replace("%", "").split()
    percentiles = dict(zip(words[::2], map(int, words[1::2]), strict=True))
    percentiles["100"] = int(groups[-1])
    values["percentiles_ms"] = percentiles
    return values


def _sometimes(key: str, text: str) -> int | float | str:
    if key.startswith(("tls", "server")):
        return text
    return float(text) if key.endswith("_s") else int(text)
