"""gc_log: pauses for garbage collection, as a JVM (-Xlog:gc), node (--trace-gc) or a Go program (GODEBUG=gctrace=1) prints them.

Reads     lines of the JVM's log of its tags gc and gc,...; node's of each collection; Go's "gc 12 @3.2s 5%: ..."
Yields    one SystemSample a second between the first pause and the last: the share of it in which the program stood still
Units     ms; pauses are counted in the second that they fall in. Logs of more than an hour have as many samples as an hour
Quirks    phases that run beside the program ("Concurrent ...", Go's second figure) are no pauses; node's marking in steps is
          one, printed with the collection that ends it; Go's CPU time of idle processors (the last in "a/b/c") costs nothing;
          lines whose decorations have no time are passed over
Source    OpenJDK's gcTraceTime.cpp and logDecorations.cpp; V8's gc-tracer.cc, Print(); Go's runtime/extern.go and mgc.go

gc_threads: CPU time of a JVM's threads that collect garbage, each from its stat.

Reads     `grep -sE '^[0-9]+ \\((VM Thread|GC Thread|G1 )' /proc/[0-9]*/task/[0-9]*/stat`
Yields    one SystemSample: gc_cpu_s of all of them; gc_pause_s of the thread of each process that worked in pauses the most
Units     the kernel's ticks of 1/100 s, since the thread began
Quirks    the kernel cuts names at 15 characters; the serial collector works in the VM Thread; those of ZGC and Shenandoah, and
          G1's that mark and refine, work beside the program
Source    the kernel's fs/proc/array.c, do_task_stat(); proc(5); OpenJDK's workerThread.cpp and vmThread.cpp
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from ..catalogue import Format
from ..lines import Lines
from ..records import Found, Record, SystemSample

KIND = "gc_log"
COMMAND = r"\bgc[\w.-]*\.log\b|gctrace|trace[-_]gc|Xlog:gc|verbose:gc"
_NODE = r"\[\d{1,10}:(?:0x)?[0-9a-f]{1,16}\] +(\d{1,12}) ms: (?:Scavenge|Mark-|Minor Mark-)"
_GO = r"gc \d{1,12} @(\d{1,9}\.\d{1,6})s \d{1,3}%: "
_BRACKETS = r"(?:\[[^\][]{1,40}\]){0,6}"
# An opening needs none of the groups by which a line is read.
OPENS = rf"{_BRACKETS}\[gc(?:,[a-z]+)* *\] |\[[\d.,]+s\] GC\(\d+\) |{_NODE}|{_GO}".replace("(\\d", "(?:\\d")

_JVM_LINE = re.compile(rf"({_BRACKETS})(?:\[gc(?:,[a-z]+)* *\]|(?<=s\])) .*")
_JVM_TIME = re.compile(r"\[(?:(\d{1,9}[.,]\d{1,9})s|(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.,]\d{3}[+-]\d{4}))\]")
_JVM_PAUSE = re.compile(r"GC\(\d{1,9}\) Pause [^\]]{1,120}? (\d{1,9}[.,]\d{1,3})ms$")
_MS = r"(\d{1,9}\.\d{1,3})"
_NODE_PAUSE = re.compile(
    rf"{_NODE}.{{1,120}} MB, (?:pooled: \d+ MB, )?{_MS} / {_MS} ms {{1,3}}(?:\(\+ {_MS} ms in|\(average|[a-zA-Z]{{2}}).*"
)
_FIGURE = r"(\d{1,9}(?:\.\d{1,6})?)"
_GO_PAUSE = re.compile(
    rf"{_GO}{_FIGURE}\+{_FIGURE}\+{_FIGURE} ms clock, {_FIGURE}\+{_FIGURE}/{_FIGURE}/{_FIGURE}\+{_FIGURE} ms cpu, .*"
)
_MOST_SAMPLES = 3600


def parse(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    pauses: list[dict[str, float]] = []
    for text in lines.texts():
        row = _read(text.strip())
        if row is None:
            lines.refuse()
            break
        pauses += [row] if row else []
    return Found({"pauses": pauses}, first, lines.last) if pauses else None


def _read(text: str) -> dict[str, float] | None:
    """at_s: when the pause was over; {} for a line that shows none, None for one that is no log's."""
    if node := _NODE_PAUSE.fullmatch(text):
        return {"at_s": int(node[1]) / 1000, "pause_ms": round(float(node[2]) + float(node[4] or 0), 3)}
    if go := _GO_PAUSE.fullmatch(text):
        at, stop, marking, stop_again, *cpu, idle, cpu_again = map(float, go.groups())
        over = at + (stop + marking + stop_again) / 1000
        used = sum(cpu) + cpu_again
        return {"at_s": round(over, 6), "pause_ms": round(stop + stop_again, 6), "cpu_ms": round(used, 6)}
    line = _JVM_LINE.fullmatch(text)
    if not line:
        return None
    time, pause = _JVM_TIME.search(line[1]), _JVM_PAUSE.search(text)
    return {"at_s": _read_time(time), "pause_ms": float(pause[1].replace(",", "."))} if time and pause else {}


def _read_time(time: re.Match[str]) -> float:
    try:
        return (
            float(time[1].replace(",", "."))
            if time[1]
            else datetime.fromisoformat(time[2].replace(",", ".")).timestamp()
        )
    except ValueError:  # the 31st of February
        return 0.0


def records(values: dict[str, Any]) -> list[Record]:
    pauses = values["pauses"]
    begin = min(row["at_s"] - row["pause_ms"] / 1000 for row in pauses)
    span = max(row["at_s"] for row in pauses) - begin
    n = min(max(round(span), 1), _MOST_SAMPLES)
    width = max(span / n, 1.0)
    samples = [{"gc_pause_pct": 0.0, "gc_pauses_per_s": 0.0} for _ in range(n)]
    for row in pauses:
        over = row["at_s"] - begin
        for at, seconds in _divide(over - row["pause_ms"] / 1000, over, width, n):
            samples[at]["gc_pause_pct"] += 100 * seconds / width
        last = samples[min(int(over / width), n - 1)]
        last["gc_pauses_per_s"] += 1 / width
        if "cpu_ms" in row:
            last["gc_cpu_pct"] = last.get("gc_cpu_pct", 0.0) + row["cpu_ms"] / 10 / width
    return [SystemSample(KIND, None, {name: round(value, 4) for name, value in sample.items()}) for sample in samples]


def _divide(begin: float, end: float, width: float, n: int) -> Iterator[tuple[int, float]]:
    """The part of a pause in each sample that it falls in."""
    for at in range(min(max(int(begin / width), 0), n - 1), min(int(end / width), n - 1) + 1):
        limit = math.inf if at == n - 1 else (at + 1) * width
        yield at, max(min(end, limit) - max(begin, at * width), 0.0)


# --- gc_threads ---------------------------------------------------------------------------------------------------------
_STOPPING = "VM Thread|GC Thread#\\d{1,4}"  # they work while the program stands still
_BESIDE = "G1 [\\w #]{1,12}|ZWorker#\\d{1,4}|ZDriver|Shenandoah GC T|Shenandoah Cont"
_THREAD = re.compile(
    rf"/proc/(\d{{1,10}})/task/\d{{1,10}}/stat:\d{{1,10}} \(({_STOPPING}|{_BESIDE})\) [A-Za-z](?: -?\d{{1,20}}){{10}}"
    r" (\d{1,15}) (\d{1,15})(?: -?\d{1,20}){2,60} *"
)
_TICKS = 100  # a second


def _parse_threads(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    threads: list[dict[str, Any]] = []
    for text in lines.texts():
        row = _THREAD.fullmatch(text)
        if not row:
            lines.refuse()
            break
        threads.append({"pid": int(row[1]), "name": row[2], "cpu_s": (int(row[3]) + int(row[4])) / _TICKS})
    return Found({"threads": threads}, first, lines.last) if threads else None


def _thread_records(values: dict[str, Any]) -> list[Record]:
    paused: dict[int, float] = {}
    for row in values["threads"]:
        if re.fullmatch(_STOPPING, row["name"]):
            paused[row["pid"]] = max(paused.get(row["pid"], 0.0), row["cpu_s"])
    total = sum(row["cpu_s"] for row in values["threads"])
    return [SystemSample("gc_threads", None, {"gc_cpu_s": total, "gc_pause_s": sum(paused.values())})]


OTHER_FORMATS = (
    Format(
        kind="gc_threads",
        opens=rf"/proc/\d{{1,10}}/task/\d{{1,10}}/stat:\d{{1,10}} \((?:{_STOPPING}|{_BESIDE})\) ",
        parse=_parse_threads,
        records=_thread_records,
        command=re.compile(r"/task/\S*stat\b"),
    ),
)
