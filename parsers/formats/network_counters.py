"""nstat: the kernel's network counters, a name, its figure and rate a line.

Reads     from "#kernel" on, or rows alone; the object of --json, also over many lines (--pretty)
Yields    one SystemSample of what tells of retransmitted segments, full queues and new connections
Units     counts; octets
Quirks    without -a it prints what was counted since it was run last, and rates are those of a daemon that mostly does not run
Source    iproute2's misc/nstat.c, dump_kern_db() and dump_incr_db()

netstat_statistics: `netstat -s`, the kernel's network counters in sentences.

Reads     net-tools' sections, "Ip:" to "MPTcpExt:", busybox has none; or what grep leaves of the listen queue's lines
Yields    one SystemSample
Units     counts; octets
Quirks    wordings changed ("retransmited"); what has no sentence stands as "Name: figure"; noughts are left out
Source    net-tools' statistics.c

proc_net: /proc/net/netstat and /proc/net/snmp, a line of names and one of figures for each protocol.

Reads     one of them or both, also behind grep's path
Yields    one SystemSample
Units     counts; octets
Quirks    a gauge among the counters: Tcp's CurrEstab; MaxConn is -1
Source    the kernel's net/ipv4/proc.c

ss: the summary of sockets that `ss -s` prints.

Reads     "Total:" and "TCP:" with the table of transports below
Yields    one SystemSample
Units     counts
Quirks    old versions print "(kernel 0)" and "ports"; closed ones include those in TIME_WAIT
Source    iproute2's misc/ss.c, print_summary()
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from ..catalogue import Format
from ..lines import Lines
from ..multiline import figures, take_object
from ..records import Found, Record, SystemSample
from ..transcript import KERNEL_FILE, split_path

KIND = "nstat"
PROGRAMS = ("nstat", "rtacct")
_PROTOCOLS = r"(?:MPTcpExt|TcpExt|IpExt|Ip6|IcmpMsg|Icmp6|Icmp|UdpLite6|UdpLite|Udp6|Udp|Tcp|Ip|Sctp)"
OPENS = (
    rf"#\d{{0,10}}\.?\d{{0,10}}(?:kernel|[\w.]+ sampling_interval=\S+.*)\s*$|{_PROTOCOLS}[A-Z]\w+ +\d+ +\d+\.\d\s*$"
    rf'|\{{"kernel":\{{"{_PROTOCOLS}[A-Z]\w+":\d|\{{\s*$'
)

_HEAD = re.compile(r"#\S+(?: .*)?")
_ROW = re.compile(rf"({_PROTOCOLS}[A-Z]\w{{1,60}}) +(\d{{1,20}}) +(\d{{1,20}}\.\d)")
JSON = re.compile(rf'\{{"kernel":\{{"{_PROTOCOLS}[A-Z]\w+":\d')
# The kernel's names of what a page shows, as metrics a second; TcpCurrEstab is how many there are.
_METRICS = {
    "TcpRetransSegs": "tcp_retransmits_per_s",
    "TcpOutSegs": "tcp_segments_out_per_s",
    "TcpActiveOpens": "tcp_active_opens_per_s",
    "TcpPassiveOpens": "tcp_passive_opens_per_s",
    "TcpAttemptFails": "tcp_failed_attempts_per_s",
    "TcpEstabResets": "tcp_resets_per_s",
    "TcpOutRsts": "tcp_resets_sent_per_s",
    "TcpExtListenOverflows": "tcp_listen_overflows_per_s",
    "TcpExtListenDrops": "tcp_listen_drops_per_s",
    "TcpExtSyncookiesSent": "tcp_syncookies_per_s",
    "TcpExtTCPReqQFullDrop": "tcp_request_queue_drops_per_s",
    "TcpExtTCPTimeouts": "tcp_timeouts_per_s",
    "IpExtInOctets": "ip_in_bytes_per_s",
    "IpExtOutOctets": "ip_out_bytes_per_s",
}
_ESTABLISHED = "TcpCurrEstab"


def parse(lines: Lines, command: str | None) -> Found | None:
    found = take_object(lines, JSON, _read) or _take_rows(lines)
    if found is None:
        return None
    if re.search(r"\s-\w*a|\s--ignore\b", command or "") is None:
        found.values["since"] = "the last nstat"
    return replace(found, partial=len(found.values["counters"]) < 6)


def _read(tree: dict[str, Any]) -> dict[str, Any]:
    named = re.compile(rf"{_PROTOCOLS}[A-Z]\w{{1,60}}")
    return {"counters": {name: n for name, n in figures(tree, "kernel").items() if named.fullmatch(name)}}


def _take_rows(lines: Lines) -> Found | None:
    first = lines.number + 1
    counters: dict[str, int] = {}
    for text in lines.texts():
        row = _ROW.fullmatch(text)
        if row and row[1] not in counters:
            counters[row[1]] = int(row[2])
        elif counters or not _HEAD.fullmatch(text):
            lines.refuse()
            break
    return Found({"counters": counters}, first, lines.last) if counters else None


def records(values: dict[str, Any]) -> list[Record]:
    return [_sample(KIND, values["counters"], "since" not in values)]


def _sample(tool: str, counters: dict[str, int], are_totals: bool = True) -> SystemSample:
    known = {to: float(counters[name]) for name, to in _METRICS.items() if name in counters and are_totals}
    established = counters.get(_ESTABLISHED)
    return SystemSample(tool, None, {} if established is None else {"tcp_established": float(established)}, known)


# --- netstat_statistics ------------------------------------------------------------------------------------------------
_SECTION = re.compile(rf"({_PROTOCOLS}):")
_SENTENCE = re.compile(r"((?:[A-Za-z][\w:/ ()-]{1,60} )?)(\d{1,20})((?: [A-Za-z][\w,.()/' -]{1,80})?)")
_NAMED = re.compile(r"([A-Z]\w{2,40}): (\d{1,20})")
_TITLE = re.compile(r"(?:ICMP (?:in|out)put histogram|[a-z][\w ]{2,40}):(?: (\d{1,20}))?")
_OF_LISTENERS = r"\d{1,20} (?:times the listen queue of a socket overflowed|SYNs to LISTEN sockets (?:dropped|ignored))"
_SENTENCES = {
    **dict.fromkeys(("tcp.segments_retransmitted", "tcp.segments_retransmited"), "TcpRetransSegs"),
    **dict.fromkeys(("tcp.segments_sent_out", "tcp.segments_send_out"), "TcpOutSegs"),
    **dict.fromkeys(("tcp.active_connection_openings", "tcp.active_connections_openings"), "TcpActiveOpens"),
    "tcp.passive_connection_openings": "TcpPassiveOpens",
    "tcp.failed_connection_attempts": "TcpAttemptFails",
    "tcp.connection_resets_received": "TcpEstabResets",
    "tcp.connections_established": _ESTABLISHED,
    "tcp.resets_sent": "TcpOutRsts",
    "tcpext.times_the_listen_queue_of_a_socket_overflowed": "TcpExtListenOverflows",
    "tcpext.syns_to_listen_sockets_dropped": "TcpExtListenDrops",
    "tcpext.syns_to_listen_sockets_ignored": "TcpExtListenDrops",
    "tcpext.syn_cookies_sent": "TcpExtSyncookiesSent",
    "tcpext.tcptimeouts": "TcpExtTCPTimeouts",
    "tcpext.other_tcp_timeouts": "TcpExtTCPTimeouts",
    "tcpext.tcpreqqfulldrop": "TcpExtTCPReqQFullDrop",
    "ipext.inoctets": "IpExtInOctets",
    "ipext.outoctets": "IpExtOutOctets",
}


def _parse_statistics(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    sections: dict[str, dict[str, int]] = {}
    section: dict[str, int] | None = None
    is_filtered = False
    for text in lines.texts():
        begins = _SECTION.fullmatch(text)
        if section is None and re.fullmatch(_OF_LISTENERS, text):
            section, is_filtered = sections.setdefault("tcpext", {}), True
        if begins and begins[1].lower() not in sections:
            section = sections.setdefault(begins[1].lower(), {})
            continue
        said = None if begins or section is None or lines.unended() else _parse_statement(text)
        if is_filtered and said and f"tcpext.{said[0]}" not in _SENTENCES:
            said = None
        if said is None or section is None:
            lines.refuse()
            break
        if said[0]:
            section[said[0]] = section.get(said[0], 0) + said[1]
    statistics = {name: figures for name, figures in sections.items() if figures}
    return Found({"sections": statistics}, first, lines.last, "tcp" not in statistics) if statistics else None


def _parse_statement(text: str) -> tuple[str, int] | None:
    """(name, figure) of a line; ("", 0) of a title above others."""
    if named := _NAMED.fullmatch(text):
        return named[1].lower(), int(named[2])
    if title := _TITLE.fullmatch(text):
        return (_make_slug(text.partition(":")[0]), int(title[1])) if title[1] else ("", 0)
    match = _SENTENCE.fullmatch(text)
    return (_make_slug(match[1] + match[3]), int(match[2])) if match and (match[1] or match[3]) else None


def _make_slug(text: str) -> str:
    return re.sub(r"\W+", "_", text.lower()).strip("_")


def _statistics_records(values: dict[str, Any]) -> list[Record]:
    said = {f"{section}.{name}": n for section, figures in values["sections"].items() for name, n in figures.items()}
    return [
        _sample(
            "netstat_statistics", {name: said[sentence] for sentence, name in _SENTENCES.items() if sentence in said}
        )
    ]


# --- proc_net ----------------------------------------------------------------------------------------------------------
_PAIR = re.compile(rf"({_PROTOCOLS}):((?: \w{{1,60}})+)")
_FIGURES = re.compile(rf"({_PROTOCOLS}):((?: -?\d{{1,20}})+)")


def _parse_files(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    counters: dict[str, int] = {}
    names: tuple[str, list[str]] | None = None
    pending = 0  # the line of names that no figures came below yet
    for text in lines.texts():
        line = split_path(text)[1]
        figures, titles = _FIGURES.fullmatch(line), _PAIR.fullmatch(line)
        if (
            names
            and figures
            and not lines.unended()
            and figures[1] == names[0]
            and len(figures[2].split()) == len(names[1])
        ):
            cells = zip(names[1], map(int, figures[2].split()), strict=True)
            counters |= {f"{names[0]}{name}": figure for name, figure in cells}
            names, pending = None, 0
        elif (
            titles
            and not figures
            and not lines.unended()
            and names is None
            and f"{titles[1]}{titles[2].split()[0]}" not in counters
        ):
            names, pending = (titles[1], titles[2].split()), lines.number
        else:
            lines.refuse()
            break
    last = pending - 1 if pending else lines.last
    return Found({"counters": counters}, first, last, len(counters) < 10) if counters else None


# --- ss ---------------------------------------------------------------------------------------------------------------
_TOTAL = re.compile(r"Total: (\d{1,10})(?: \(kernel \d+\))?")
_TCP = re.compile(
    r"TCP:\s+(\d{1,10}) \(estab (\d{1,10}), closed (\d{1,10}), orphaned (\d{1,10})"
    r"(?:, synrecv (\d{1,10}))?, timewait (\d{1,10})(?:/\d+)?\)(?:, ports \d+)?"
)
_TCP_NAMES = ("tcp", "estab", "closed", "orphaned", "synrecv", "timewait")
_SS_HEAD = re.compile(r"Transport\s+Total\s+(?:ICMP\s+)?IP\s+IPv6")
_SS_ROW = re.compile(r"(\*|RAW|UDP|TCP|INET|FRAG)\s+(-|\d{1,10})\s+(-|\d{1,10})\s+(-|\d{1,10})")
_SS_METRICS = {
    "total": "sockets",
    "estab": "tcp_established",
    "timewait": "tcp_time_wait",
    "orphaned": "tcp_orphaned",
    "synrecv": "tcp_syn_received",
}


def _parse_ss(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    values: dict[str, Any] = {}
    for text in lines.texts():
        total, tcp, row = _TOTAL.fullmatch(text), _TCP.fullmatch(text), _SS_ROW.fullmatch(text)
        if total and not values:
            values["total"] = int(total[1])
        elif tcp and "tcp" not in values:
            figures = zip(_TCP_NAMES, tcp.groups(), strict=True)
            values |= {name: int(figure) for name, figure in figures if figure is not None}
        elif row and "tcp" in values and row[1] not in values.get("transports", {}):
            named = zip(("total", "ip", "ipv6"), row.groups()[1:], strict=True)
            values.setdefault("transports", {})[row[1]] = {name: int(n) for name, n in named if n != "-"}
        elif not (_SS_HEAD.fullmatch(text) and "tcp" in values and "transports" not in values):
            lines.refuse()
            break
    return Found(values, first, lines.last, "transports" not in values) if "tcp" in values else None


def _ss_records(values: dict[str, Any]) -> list[Record]:
    return [SystemSample("ss", None, {to: float(values[name]) for name, to in _SS_METRICS.items() if name in values})]


OTHER_FORMATS = (
    Format(
        kind="netstat_statistics",
        opens=rf"{_PROTOCOLS}:\s*$|\s*{_OF_LISTENERS}\s*$",
        parse=_parse_statistics,
        records=_statistics_records,
        command=re.compile(r"(?:^|[\s/;&|(])netstat\s+-\w*s"),
    ),
    Format(
        kind="proc_net",
        opens=rf"{KERNEL_FILE}?{_PROTOCOLS}:(?: [A-Z]\w+){{1,}}\s*$",
        parse=_parse_files,
        records=lambda values: [_sample("proc_net", values["counters"])],
        command=re.compile(r"/proc/net/(?:netstat|snmp)\b"),
    ),
    Format(
        kind="ss",
        opens=r"Total: \d+(?: \(kernel \d+\))?\s*$|TCP:\s+\d+ \(estab \d+, closed \d+",
        programs=("ss",),
        parse=_parse_ss,
        records=_ss_records,
    ),
)
