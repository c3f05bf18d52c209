"""ss_sockets: TCP sockets as `ss -ltn`, `ss -tn` and `ss -tan` list them: who waits to be accepted, and what waits to be sent.

Reads     the table below "State Recv-Q Send-Q Local Address:Port", also without State, as ss prints one state alone
Yields    one SystemSample
Units     of a listening socket Recv-Q is the connections that wait to be accepted, Send-Q how many may; else octets
          accept_queue_full is 1 where one more than may waits: only then does the kernel drop further ones
Quirks    a line may end in the names of processes (-p) and in timers (-o); IPv6 addresses stand in brackets
Source    iproute2's misc/ss.c, sock_state_print(); the kernel's net/ipv4/inet_diag.c

ss_counted: the first three columns of that, counted, where all figures but 0 are "+", as bd prints them.

Reads     `ss -tn | tr -s ' ' | cut -d ' ' -f 1-3 | sed 's/ [1-9][0-9]*/ +/g' | sort | uniq -c`
Yields    one SystemSample
Units     sockets
Quirks    the heading is counted, too; bd counts with awk, in any order
Source    as above; coreutils' uniq

wait_channels: where in the kernel processes wait, counted: `ps -o wchan:24,args | sort | uniq -c`.

Reads     lines of uniq -c whose second column is 24 wide
Yields    one SystemSample of what tells of a lock and of idle workers
Units     processes
Quirks    "-" is a process that runs, or one that the user may not look at; "?" is one that ended while ps read it; a title may be
          blank; PostgreSQL says in its title that it waits for a lock. bd counts with awk: the
          heading is first, the rest in any order
Source    procps' ps; the kernel's get_wchan(); coreutils' uniq
"""

from __future__ import annotations

import re
from typing import Any

from ..catalogue import Format
from ..lines import Lines
from ..records import Found, ProcessSample, Record, SystemSample

KIND = "ss_sockets"
_STATES = "LISTEN|ESTAB|SYN-SENT|SYN-RECV|FIN-WAIT-1|FIN-WAIT-2|TIME-WAIT|CLOSE-WAIT|LAST-ACK|CLOSING|UNCONN"
OPENS = r"(?:State +)?Recv-Q +Send-Q +Local Address:Port +Peer Address:Port(?: *Process)?\s*$"
COMMAND = r"(?:^|[\s/;&|(])ss\s+-\w*[ltan]"

_END = r"\S{1,60}:(?:\d{1,5}|[\w*-]{1,30})"
_SOCKET = re.compile(rf"(?:({_STATES}) +)?(\d{{1,12}}) +(\d{{1,12}}) +{_END} +({_END})(?: .*)?")


def parse(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    rows: list[dict[str, Any]] = []
    for at, text in enumerate(lines.texts()):
        row = _SOCKET.fullmatch(text.rstrip())
        if row and not lines.unended():
            state = row[1] or ("LISTEN" if row[4].endswith(":*") else None)
            rows.append({"state": state, "recv_q": int(row[2]), "send_q": int(row[3])})
        elif at:
            lines.refuse()
            break
    return Found({"rows": rows}, first, lines.last) if rows else None


def records(values: dict[str, Any]) -> list[Record]:
    listening = [(row["recv_q"], row["send_q"]) for row in values["rows"] if row["state"] == "LISTEN"]
    others = [(1, row["recv_q"], row["send_q"]) for row in values["rows"] if row["state"] != "LISTEN"]
    metrics = {}
    if listening:
        is_full = any(waiting > most > 0 for waiting, most in listening)
        metrics = {"accept_queue": float(max(listening)[0]), "accept_queue_full": float(is_full)}
    return [SystemSample(KIND, None, metrics | (_count(others) if others else {}))]


def _count(sockets: list[tuple[int, Any, Any]]) -> dict[str, float]:
    """Those with data that waits to be read, or to be sent, of (how many, data to read, data to send)."""
    unread, unsent = (float(sum(row[0] for row in sockets if row[at])) for at in (1, 2))
    return {"sockets_unread": unread, "sockets_unsent": unsent}


# --- ss_counted ---------------------------------------------------------------------------------------------------------
_COUNTED = re.compile(rf"(\d{{1,7}}) (?:({_STATES}) ([0+]) ([0+])|State Recv-Q Send-Q)")


def _parse_counted(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    rows: list[dict[str, Any]] = []
    for text in lines.texts():
        row = _COUNTED.fullmatch(text.strip())
        if not row or lines.unended():
            lines.refuse()
            break
        if row[2]:
            rows.append({"n": int(row[1]), "state": row[2], "unread": row[3] == "+", "unsent": row[4] == "+"})
    return Found({"rows": rows}, first, lines.last) if rows else None


def _counted_records(values: dict[str, Any]) -> list[Record]:
    counted = _count([(row["n"], row["unread"], row["unsent"]) for row in values["rows"]])
    return [SystemSample("ss_counted", None, counted)]


# --- wait_channels ------------------------------------------------------------------------------------------------------
_WIDTH = 24
_ROW = re.compile(rf" *(\d{{1,7}}) (.{{1,{_WIDTH}}})(.*)")
_CHANNEL = re.compile(r"([\w.-]+|\?) *")
_HEADING = "WCHAN"
_OF_LOCKS = re.compile(r"(?:f?lock|locks_lock|posix_lock|do_semtimedop|semtimedop)\w*")
_OF_WORK = re.compile(r"inet_csk_accept\w*")
_TITLE = re.compile(r"postgres: .* waiting")


def _parse_channels(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    rows: list[dict[str, Any]] = []
    for text in lines.texts():
        row = _ROW.fullmatch(text)
        channel = _CHANNEL.fullmatch(row[2]) if row else None
        if row is None or channel is None or lines.unended():
            lines.refuse()
            break
        title = row[3].strip()
        reason = _find_reason(channel[1], title)
        rows.append({"n": int(row[1]), "channel": channel[1], "for": reason})
        if reason:
            rows[-1]["program"] = ProcessSample.group_of(title)
    is_whole = any(row["channel"] == _HEADING for row in rows)
    return Found({"rows": rows}, first, lines.last) if is_whole else None


def _find_reason(channel: str, title: str) -> str | None:
    if _OF_LOCKS.fullmatch(channel) or _TITLE.fullmatch(title):
        return "lock"
    return "accept" if _OF_WORK.fullmatch(channel) else None


def _channel_records(values: dict[str, Any]) -> list[Record]:
    """waiting_lock of all processes, and of each program; waiting_accept likewise."""
    metrics = {"waiting_lock": 0.0, "waiting_accept": 0.0}
    for row in values["rows"]:
        if row["for"]:
            for name in (f"waiting_{row['for']}", f"waiting_{row['for']}_{row['program']}"):
                metrics[name] = metrics.get(name, 0.0) + row["n"]
    return [SystemSample("wait_channels", None, metrics)]


OTHER_FORMATS = (
    Format(
        kind="ss_counted",
        opens=rf"\d{{1,7}} (?:(?:{_STATES}) [0+] [0+]|State Recv-Q Send-Q)\s*$",
        parse=_parse_counted,
        records=_counted_records,
        command=re.compile(r"^(?>.*?(?:^|[\s/;&|(])ss\s).*(?:\buniq -c|\bawk\b)"),
    ),
    Format(
        kind="wait_channels",
        opens=r"\d{1,7} (?:- {20,}\S|WCHAN +COMMAND\s*$)",
        parse=_parse_channels,
        records=_channel_records,
        command=re.compile(r"\bps\s.*\bwchan\b"),
    ),
)
