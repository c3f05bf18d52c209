"""docker_stats: `docker stats`, one table of containers a sample (--no-stream, or repeated).

Reads     the usual columns, and any choice of them by --format "table ..."; also podman's where they have the same titles
Yields    a ProcessSample a container, with its name for a command and 0 for a pid: it holds several processes
Units     memory in KiB, traffic in bytes (docker counts it in thousands), CPU in per cent of one CPU
Quirks    "--" stands for what is not known (a container that stopped); older versions call the first column CONTAINER,
          have no NAME, and put a blank before a unit or none beside the slash; traffic and memory come in pairs
Source    docker/cli's cli/command/container/formatter_stats.go
"""

from __future__ import annotations

import re
from typing import Any

from ..intervals import iteration
from ..lines import Lines
from ..multiline import match_joined
from ..records import Found, ProcessSample, Record

KIND = "docker_stats"
COMMAND = r"(?:docker|podman)(?:\s+container)?\s+stats|docker-compose\s+stats"
CPU_NOW = True
OPENS = r"(?:CONTAINER(?: ID)?|NAME)\s+(?:NAME\s+)?(?:CPU %|MEM USAGE ?/ ?LIMIT)"

_SIZE = r"(?:[\d.]+ ?(?:[kKMGTP]i?)?B|--)"
_PAIR = rf"{_SIZE} ?/ ?{_SIZE}"
_PERCENT = r"(?:\d+(?:\.\d+)?%|--)"
_COLUMNS = {
    "CONTAINER ID": (r"\S+", ("container_id",)),
    "CONTAINER": (r"\S+", ("container",)),
    "NAME": (r"\S+", ("name",)),
    "CPU %": (_PERCENT, ("cpu_pct",)),
    "MEM USAGE / LIMIT": (_PAIR, ("mem_usage_kb", "mem_limit_kb")),
    "MEM USAGE/LIMIT": (_PAIR, ("mem_usage_kb", "mem_limit_kb")),
    "MEM USAGE": (_SIZE, ("mem_usage_kb",)),
    "MEM %": (_PERCENT, ("mem_pct",)),
    "NET I/O": (_PAIR, ("net_in_bytes", "net_out_bytes")),
    "NET IO": (_PAIR, ("net_in_bytes", "net_out_bytes")),
    "BLOCK I/O": (_PAIR, ("block_in_bytes", "block_out_bytes")),
    "BLOCK IO": (_PAIR, ("block_in_bytes", "block_out_bytes")),
    "PIDS": (r"(?:\d+|--)", ("pids",)),
}
_NAMES = ("CONTAINER ID", "CONTAINER", "NAME")
_TITLE = re.compile("|".join(map(re.escape, _COLUMNS)))
_TITLES = re.compile(rf"(?:{_TITLE.pattern})(?:\s+(?:{_TITLE.pattern}))*")
_WIDE = 240  # characters of all titles
_SLASH = re.compile(r" ?/ ?")
_AMOUNT = re.compile(r"([\d.]+) ?(?:([kKMGTP])(i?))?B")
_POWER = {None: 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}


def parse(lines: Lines, command: str | None) -> Found | None:
    first, above = lines.number + 1, lines.raw
    titles = _read_titles(lines)
    if len(titles) < 3:
        return None
    pattern = re.compile(_build_row_pattern(titles, cut=False))
    rows: list[dict[str, Any]] = []
    for stripped in lines.texts():
        row = None
        if not _TITLES.fullmatch(stripped):  # of the next sample
            row = match_joined(lines, stripped, pattern.fullmatch, most=4)
        if row is None and lines.unended():
            row = re.match(_build_row_pattern(titles, cut=True), stripped)
        if row is None:
            lines.refuse()
            break
        rows.append(_read_row(titles, row))
    if not rows:
        return None
    values = {"iteration": iteration(lines, KIND, first, lines.last, above), "n_rows": len(rows), "rows": rows}
    return Found(values, first, lines.last)


def _read_titles(lines: Lines) -> list[str]:
    """The columns' titles, also where a mail client broke their line; [] where it is no such line."""
    line = next(lines).strip()
    match = _TITLES.fullmatch(line)
    while match and len(line) < _WIDE and (ahead := lines.ahead(1)) and _TITLES.fullmatch(f"{line} {ahead[0].strip()}"):
        if ahead[0].strip().startswith("CONTAINER"):
            break
        line = f"{line} {lines.take_next()}"
    if match is None:
        # broken inside a title: "... NET" and "I/O ..."
        match = match_joined(lines, line, _TITLES.fullmatch)
        line = match[0] if match else line
    titles = _TITLE.findall(line) if match else []
    return titles if len(titles) <= len(_COLUMNS) else []


def _build_row_pattern(titles: list[str], cut: bool) -> str:
    """What a row looks like; `cut`: it may end behind any of its figures."""
    parts = [f"({_COLUMNS[title][0]})" for title in titles]
    if not cut:
        return r"\s+".join(parts)
    names = 1 + sum(title in _NAMES for title in titles)
    rest = parts[names:-1]
    return (
        "".join(rf"{part}\s+" for part in parts[:names]) + "".join(rf"(?:{part}\s+" for part in rest) + ")?" * len(rest)
    )


def _read_row(titles: list[str], match: re.Match[str]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for title, text in zip(titles, match.groups(), strict=False):
        names = _COLUMNS[title][1]
        for name, figure in zip(names, _SLASH.split(text) if text else (), strict=False):
            row[name] = _parse_figure(name, figure)
    return row


def _parse_figure(name: str, text: str) -> Any:
    if text == "--":
        return None
    if name == "pids":
        return int(text)
    if name.endswith("_pct"):
        return float(text.rstrip("%"))
    if size := _AMOUNT.fullmatch(text) if name.endswith(("_kb", "_bytes")) else None:
        value = float(size[1]) * (1024 if size[3] else 1000) ** _POWER[size[2] and size[2].upper()]
        return round(value / 1024, 3) if name.endswith("_kb") else round(value)
    return text


def records(values: dict[str, Any]) -> list[Record]:
    return [
        ProcessSample(
            pid=0,
            user=None,
            command=(name := str(row.get("name") or row.get("container") or row.get("container_id", ""))),
            group=name,
            rss_kb=row.get("mem_usage_kb"),
            cpu_pct=row.get("cpu_pct"),
            mem_pct=row.get("mem_pct"),
        )
        for row in values.get("rows", [])
    ]
