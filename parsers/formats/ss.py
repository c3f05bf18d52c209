"""ss: the summary of sockets that `ss -s` prints.

Reads     "Total:" and "TCP:" with the table of transports below
Yields    one SystemSample
Units     counts
Quirks    old versions print "(kernel 0)" and "ports"; closed ones include those in TIME_WAIT
Source    iproute2's misc/ss.c, print_summary()
"""

from __future__ import annotations

import re
from typing import Any

from ..lines import Lines
from ..records import Found, Record, SystemSample

KIND = "ss"
PROGRAMS = ("ss",)
OPENS = r"Total: \d+(?: \(kernel \d+\))?\s*$|TCP:\s+\d+ \(estab \d+, closed \d+"

_TOTAL = re.compile(r"Total: (\d{1,10})(?: \(kernel \d+\))?")
_TCP = re.compile(
    r"TCP:\s+(\d{1,10}) \(estab (\d{1,10}), closed (\d{1,10}), orphaned (\d{1,10})"
    r"(?:, synrecv (\d{1,10}))?, timewait (\d{1,10})(?:/\d+)?\)(?:, ports \d+)?"
)
_TCP_NAMES = ("tcp", "estab", "closed", "orphaned", "synrecv", "timewait")
_HEAD = re.compile(r"Transport\s+Total\s+(?:ICMP\s+)?IP\s+IPv6")
_ROW = re.compile(r"(\*|RAW|UDP|TCP|INET|FRAG)\s+(-|\d{1,10})\s+(-|\d{1,10})\s+(-|\d{1,10})")
_METRICS = {
    "total": "sockets",
    "estab": "tcp_established",
    "timewait": "tcp_time_wait",
    "orphaned": "tcp_orphaned",
    "synrecv": "tcp_syn_received",
}


def parse(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    values: dict[str, Any] = {}
    for text in lines.texts():
        total, tcp, row = _TOTAL.fullmatch(text), _TCP.fullmatch(text), _ROW.fullmatch(text)
        if total and not values:
            values["total"] = int(total[1])
        elif tcp and "tcp" not in values:
            figures = zip(_TCP_NAMES, tcp.groups(), strict=True)
            values |= {name: int(figure) for name, figure in figures if figure is not None}
        elif row and "tcp" in values and row[1] not in values.get("transports", {}):
            named = zip(("total", "ip", "ipv6"), row.groups()[1:], strict=True)
            values.setdefault("transports", {})[row[1]] = {name: int(n) for name, n in named if n != "-"}
        elif not (_HEAD.fullmatch(text) and "tcp" in values and "transports" not in values):
            lines.refuse()
            break
    return Found(values, first, lines.last, "transports" not in values) if "tcp" in values else None


def records(values: dict[str, Any]) -> list[Record]:
    return [SystemSample(KIND, None, {to: float(values[name]) for name, to in _METRICS.items() if name in values})]
