"""limit_log: what the log of a server, a database or the kernel says of a limit that was reached.

Reads     lines that begin with a time or a bracket and have one of the messages of _MESSAGES; lines in between end the block
Yields    one SystemSample: reached_LIMIT is how many lines say so
Units     lines
Quirks    a server says it once a minute or once at all, so that the number of lines tells nothing; the limit is the setting's
          name, or "listen_queue", "open_files", "nf_conntrack", "tcp_memory", "neighbours", "memory"
Source    httpd's server/mpm/; php-src's sapi/fpm/fpm/fpm_process_ctl.c; nginx's src/event/ and src/core/ngx_connection.c;
          PostgreSQL's postmaster.c and proc.c; MySQL's errmsg.sys; uWSGI's core/master_utils.c; the kernel's net/ipv4/tcp_input.c,
          nf_conntrack_core.c, net/core/neighbour.c, net/ipv4/tcp.c and mm/oom_kill.c
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from ..lines import Lines
from ..records import Found, Record, SystemSample

KIND = "limit_log"
_MESSAGES = {
    "MaxClients": "server reached MaxClients setting",
    "MaxRequestWorkers": "server reached MaxRequestWorkers setting",
    "pm.max_children": r"server reached (?:pm\.)?max_children setting",
    "worker_connections": r"\d{1,7} worker_connections are not enough",
    "max_connections": "sorry, too many clients already|remaining connection slots are reserved|Too many connections",
    "open_files": r"\((?:24: |EMFILE: )?Too many open files\)",
    "listen_queue": r"[Pp]ossible SYN flooding on port|listen queue of socket .{1,120} full",
    "nf_conntrack": "nf_conntrack: table full, dropping packet",
    "tcp_memory": "TCP: out of memory",
    "neighbours": "neighbou?r table overflow",
    "memory": r"[Oo]ut of memory: Kill(?:ed)? process \d{1,10}|invoked oom-killer: ",
}
NEEDS = (
    *("server reached max", "server reached pm.max", "worker_connections are not", "too many clients"),
    *("slots are reserved", "too many connections", "too many open files)", "syn flooding", "listen queue of socket"),
    *("table full, dropping", "out of memory: kill", "invoked oom-killer", "tcp: out of memory"),
    *("neighbor table overflow", "neighbour table overflow"),
)
_BEGINNING = r"(?:\[|\d{4}[-/]\d\d[-/]\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d |\*\*\* )"
OPENS = rf"{_BEGINNING}.{{0,240}}?(?:{'|'.join(_MESSAGES.values())})"
COMMAND = r"(?:^|[\s/;&|(])dmesg\b|\b(?:error|messages|syslog|fpm)[\w.-]*\.?log\b"

_LINE = re.compile(rf"{_BEGINNING}.{{0,240}}?(?:{'|'.join(f'({message})' for message in _MESSAGES.values())}).*")


def parse(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    reached: Counter[str] = Counter()
    for text in lines.texts():
        row = _LINE.fullmatch(text)
        if row is None or row.lastindex is None:
            lines.refuse()
            break
        reached[list(_MESSAGES)[row.lastindex - 1]] += 1
    return Found({"reached": dict(reached)}, first, lines.last) if reached else None


def records(values: dict[str, Any]) -> list[Record]:
    return [SystemSample(KIND, None, {f"reached_{name}": float(n) for name, n in values["reached"].items()})]
