"""sysstat: the line that sar, mpstat, iostat and pidstat begin with.

Reads     "Linux 6.1.0-18-amd64 (web3) 03/04/24 _x86_64_ (2 CPU)"
Yields    HostFacts with name, cores and kernel
Units     none
Quirks    the date is as the locale has it; old versions print no number of CPUs, and older ones no machine
Source    sysstat's common.c, print_gal_header()

mpstat: sysstat's shares of CPU time, by interval, of all processors and of each.

Reads     -u, -P, -N, -I and -A in any mixture, sysstat 7 to 12, in the languages that it is translated into
Yields    one SystemSample an interval; the average at the end is a block without one
Units     per cent of the time; interrupts a second
Quirks    without an interval the one row is of the time since the machine's start; titles come once a screenful, or once an
          interval where there is more than one row; "all" is a mean, not a sum; old versions print "%user" and "intr/s"
Source    sysstat's mpstat.c

pidstat: sysstat's figures of processes, by interval.

Reads     -u -r -d -s -v -w -R in any mixture, -h, -H, -l, -t, -U, in the languages that sysstat is translated into
Yields    the time, and a ProcessSample a process, of each interval; the averages at the end are a block without one
Units     KiB for memory, per cent of one CPU, faults, switches and KiB a second; iodelay in clock ticks
Quirks    only processes that did something are shown; each table of an interval has its own; -h prints all columns in one row
          and, like -t, no more than the time; with -t the rows below a process are its threads; "-" is no figure
Source    sysstat's pidstat.c

sar: sysstat's tables of any part of the machine, live or out of its daily file, by interval.

Reads     -u -P -r -S -q -n -d -b -B -W -w -m ... -A in any mixture and in the languages that sysstat is translated into; columns
          that are not known here are kept, too
Yields    one SystemSample an interval with all tables of that time; averages are blocks without one
Units     per cent, KiB, milliseconds, counts and KiB a second; -b counts blocks of 512 bytes, as printed
Quirks    live, the tables of one interval stand together; out of a file each table has its whole day before the next one begins;
          "LINUX RESTART" is no row; old versions have other columns under the same titles
Source    sysstat's pr_stats.c

sadf: sysstat's data as JSON (`sadf -j`).

Reads     the whole object, sysstat 10 to 12
Yields    one SystemSample a timestamp, of the CPU, memory, swap, queue and networks; HostFacts
Units     as sar's: per cent, KiB, a second
Quirks    the CPU's shares stand under "cpu-load" or (-u ALL) "cpu-load-all"; times are UTC unless -T or -t was given
Source    sysstat's json_stats.c
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..catalogue import Format
from ..intervals import STAMP, Interval, Tool, metric
from ..lines import Lines
from ..multiline import join_rest, take_object
from ..records import Found, HostFacts, Record, SystemSample
from ..tables import Table, samples
from ..units import CPU_SHARES

KIND = "sysstat"
PROGRAMS = ("sar", "mpstat", "iostat", "pidstat", "cifsiostat", "tapestat")
# "Thursday 04 September 2014" where the locale is India's, and Korea's has blanks, too
_DATE = r"(?:\d{4}년 \d\d?월 \d\d?일|\d\S+|\w+,? \d\d \w+ \d{4})"
OPENS = rf"Linux \d+\.\d++\S* \(\S+\)\s+{_DATE}(?:\s+_\w+_(?:\s+\(\d+(?: CPU\))?)?)?\s*$"

_LINE = re.compile(rf"Linux (\d+\.\d++\S*) \((\S+)\)\s+({_DATE})(?:\s+_(\w+)_(?:\s+\((\d+) CPU\))?)?")
_END = re.compile(r"(?:\(\d+ )?CPU\)")  # where a mail client broke the line
_NAMES = ("kernel_release", "nodename", "date", "machine")


def parse(lines: Lines, command: str | None) -> Found | None:
    line, first = next(lines), lines.number
    match = _LINE.fullmatch(join_rest(lines, line, lambda more: bool(_END.fullmatch(more))))
    if match is None:
        lines.step_back()
        return None
    values: dict[str, Any] = {name: text for name, text in zip(_NAMES, match.groups(), strict=False) if text}
    if match[5]:
        values["n_cpus"] = int(match[5])
    elif lines.unended():
        values.pop("machine" if match[4] else "date", None)  # it may go on
    return Found(values, first, lines.number)


def records(values: dict[str, Any]) -> list[Record]:
    return [HostFacts(name=values.get("nodename"), cores=values.get("n_cpus"), kernel=values.get("kernel_release"))]


# --- mpstat and sar ----------------------------------------------------------------------------------------------------
_NUMBERED = ("CPU", "NODE")


def _collect_values(interval: Interval, tables: Mapping[str, str]) -> dict[str, Any]:
    """Figures of the machine by their names; those of each CPU, device or interface in a list, whose name `tables` has."""
    values: dict[str, Any] = {}
    each: dict[str, dict[Any, dict[str, Any]]] = {}
    for titles, rows in interval.tables:
        title = next((title for title in (titles[0], titles[-1]) if title in tables), None)
        for row in rows:
            which = row.pop(title.lower(), None) if title else None
            if title is None or which == "all":
                values |= {n: v for n, v in row.items() if n not in values}
            elif isinstance(which, int) if title in _NUMBERED else which is not None:
                name = f"{title.lower()}_no" if title in _NUMBERED else title.lower()
                each.setdefault(tables[title], {}).setdefault(which, {name: which}).update(row)
    return values | {name: list(rows.values()) for name, rows in each.items()}


_OF_CPUS = {"CPU": "cpu_per_core", "NODE": "nodes"}
_SHARES = {f"{name}_pct": short for name, short in CPU_SHARES.items()}


def _mpstat_titles(words: list[str]) -> bool:
    return len(words) > 1 and words[0] in _OF_CPUS and words[1][0] != "-" and not words[1].replace(".", "").isdigit()


_MPSTAT = Tool("mpstat", _mpstat_titles, frozenset(_OF_CPUS), lambda found: _collect_values(found, _OF_CPUS))


def _mpstat_records(values: dict[str, Any]) -> list[Record]:
    if "average" in values:
        return []
    rows = [values] if values.keys() & _SHARES.keys() else values.get("cpu_per_core", [])
    metrics = {
        f"cpu_{metric}": sum(shares) / len(shares)
        for name, metric in {**_SHARES, "guest_pct": "guest", "gnice_pct": "gnice"}.items()
        if (shares := [float(row[name]) for row in rows if row.get(name) is not None])
    }
    for row in values.get("cpu_per_core", []):
        if row.get("idle_pct") is not None:
            busy = 100.0 - float(row["idle_pct"]) - float(row.get("iowait_pct") or 0)
            metrics[f"core{row['cpu_no']}_busy_pct"] = max(busy, 0.0)
    if in_softirqs := [float(row["soft_pct"]) for row in values.get("cpu_per_core", []) if row.get("soft_pct")]:
        metrics["busiest_core_si"] = max(in_softirqs)
    if values.get("intr_per_s") is not None:
        metrics["interrupts_per_s"] = float(values["intr_per_s"])
    return [SystemSample(tool="mpstat", clock=values.get("time"), metrics=metrics)]


_SAR_TABLES = {
    "CPU": "cpu_per_core",
    "INTR": "interrupts",
    "TTY": "ttys",
    "DEV": "devices",
    "IFACE": "interfaces",
    "BUS": "buses",
}
_SAR_TABLES |= {"FAN": "fans", "TEMP": "temperatures", "IN": "inputs", "BAT": "batteries", "FCHOST": "fc_hosts"}
_SAR_TABLES |= {"FILESYSTEM": "filesystems", "MOUNTPOINT": "filesystems"}
_SAR_TEXTS = frozenset(_SAR_TABLES) | {"DEVICE", "manufact", "product", "maxpower", "idvendor", "idprod"}
_TITLE = re.compile(r"%?[A-Za-z][\w/%.+-]*")
_TELLING = re.compile(r"/s$|^%|^kb|-sz$|-nr$|sck$|MHz$|^INTR$")
_SAR_METRICS = {f"{name}_pct": f"cpu_{short}" for name, short in CPU_SHARES.items()} | {
    "memfree_kb": "mem_free_kb",
    "avail_kb": "mem_available_kb",
    "memused_kb": "mem_used_kb",
    "buffers_kb": "mem_buffers_kb",
    "cached_kb": "mem_cached_kb",
    "active_kb": "mem_active_kb",
    "inact_kb": "mem_inactive_kb",
    "swpfree_kb": "swap_free_kb",
    "swpused_kb": "swap_used_kb",
    "ldavg_1": "load1",
    "ldavg_5": "load5",
    "ldavg_15": "load15",
    "runq_sz": "run_queue",
    "plist_sz": "tasks_total",
}


def _sar_titles(words: list[str]) -> bool:
    if len(words) < 2 or "PID" in words or not all(_TITLE.fullmatch(word) for word in words):
        return False
    return any(map(_TELLING.search, words)) and words[3:6] != ["%sys", "%iowait", "%irq"]


_SAR = Tool("sar", _sar_titles, _SAR_TEXTS, lambda found: _collect_values(found, _SAR_TABLES))


def _sar_records(values: dict[str, Any]) -> list[Record]:
    if "average" in values:
        return []
    metrics = {
        _SAR_METRICS.get(name, name): float(value)
        for name, value in values.items()
        if name != "iteration" and isinstance(value, int | float)
    }
    for kind, key, rows in (("net", "iface", values.get("interfaces", [])), ("disk", "dev", values.get("devices", []))):
        for row in rows:
            figures = {name: value for name, value in row.items() if isinstance(value, int | float) and name != key}
            metrics |= {metric(kind, str(row[key]), name): float(value) for name, value in figures.items()}
    return [SystemSample(tool="sar", clock=values.get("time"), metrics=metrics)]


# --- pidstat ------------------------------------------------------------------------------------------------------------
_PIDSTAT_TEXTS = frozenset(["USER", "Command", "policy"])
_THREAD = re.compile(r"^\|_{0,2}")


def _pidstat_titles(words: list[str]) -> bool:
    return ("PID" in words[:2] or "TGID" in words[:2]) and not words[-1][0].isdigit()


def _parse_pidstat(lines: Lines, command: str | None) -> Found | None:
    _unquote_less(lines)
    return _PIDSTAT.parse(lines, command)


def _follow_pidstat(lines: Lines, command: str | None) -> Found | None:
    _unquote_less(lines)
    return _PIDSTAT.follows(lines, command)


def _unquote_less(lines: Lines) -> None:
    """The sign before "Time" is pidstat's own, and no quoting."""
    bare = lines.prefix.rstrip()
    if bare.endswith("#"):
        lines.prefix = bare[:-1]


def _collect_pidstat_values(interval: Interval) -> dict[str, Any]:
    """The processes of one interval: what its tables have of the same one is one row."""
    processes: dict[tuple[Any, Any], dict[str, Any]] = {}
    threads = any("TID" in titles for titles, _ in interval.tables)
    for _, rows in interval.tables:
        pid = None
        for row in rows:
            pid = row.get("tgid") or pid if threads else row.get("pid")
            if pid is None:
                continue  # the text ends before it
            named = {"pid": pid, **({"lwp": row.get("tid")} if threads else {})}
            command = _THREAD.sub("", str(row.pop("command", "")))
            rest = {name: value for name, value in row.items() if name not in ("pid", "tgid", "tid")}
            processes.setdefault((pid, row.get("tid")), named | {"command": command}).update(rest)
    names = list(dict.fromkeys(name for row in processes.values() for name in row))
    columns = {name: [row.get(name) for row in processes.values()] for name in names}
    table = Table(columns, len(processes))
    if interval.average:
        return {"n_rows": len(table), "rows": list(table)}  # no listing of processes: nothing was so at any time
    return {"columns": names, "n_processes": len(table), "processes": table}


_PIDSTAT = Tool("pidstat", _pidstat_titles, _PIDSTAT_TEXTS, _collect_pidstat_values)


def _pidstat_records(values: dict[str, Any]) -> list[Record]:
    table = values.get("processes")
    if not isinstance(table, Table):
        return []
    if "lwp" in table.columns:  # rows of threads would count a process many times
        processes = [at for at, thread in enumerate(table.columns["lwp"]) if thread is None]
        table = Table(
            {name: [column[at] for at in processes] for name, column in table.columns.items()}, len(processes)
        )
    return [SystemSample(tool="pidstat", clock=values.get("time"), metrics={}), *samples(table)]


# --- sadf -------------------------------------------------------------------------------------------------------------
_SADF_MOST = 1e15  # no system counts more
_SADF_BEGINS = re.compile(r'\{"sysstat":\{')

_SADF_TABLES = {
    "memory": {
        "memfree": "mem_free_kb",
        "avail": "mem_available_kb",
        "memused": "mem_used_kb",
        "buffers": "mem_buffers_kb",
        "cached": "mem_cached_kb",
        "swpfree": "swap_free_kb",
        "swpused": "swap_used_kb",
    },
    "queue": {
        "runq-sz": "run_queue",
        "blocked": "blocked",
        "ldavg-1": "load1",
        "ldavg-5": "load5",
        "ldavg-15": "load15",
    },
    "process-and-context-switch": {"cswch": "context_switches_per_s", "proc": "processes_created_per_s"},
    "swap-pages": {"pswpin": "swap_in_pages_per_s", "pswpout": "swap_out_pages_per_s"},
    "io": {"tps": "disk_transfers_per_s"},
}


def _read_sadf(tree: dict[str, Any]) -> dict[str, Any]:
    host = tree["sysstat"]["hosts"][0]
    values: dict[str, Any] = {
        name: host.get(key) for name, key in (("host", "nodename"), ("kernel", "release"), ("date", "file-date"))
    }
    cores = host.get("number-of-cpus")
    values["cores"] = int(cores) if re.fullmatch(r"[0-9]{1,6}", str(cores)) else None
    rows = [_read_statistics(statistics) for statistics in host.get("statistics", []) if statistics]
    if not rows:
        return {}
    names = list(dict.fromkeys(name for row in rows for name in row))
    values["rows"] = Table({name: [row.get(name) for row in rows] for name in names}, len(rows))
    values["n_rows"] = len(rows)
    return values


def _read_statistics(statistics: dict[str, Any]) -> dict[str, Any]:
    """The figures of one timestamp, by our names."""
    row: dict[str, Any] = {"time": statistics.get("timestamp", {}).get("time")}
    for load in statistics.get("cpu-load") or statistics.get("cpu-load-all") or ():
        if load.get("cpu") == "all":
            row |= {f"cpu_{CPU_SHARES[key]}": _read_figure(figure) for key, figure in load.items() if key in CPU_SHARES}
    for table, names in _SADF_TABLES.items():
        own = statistics.get(table) or {}
        row |= {to: _read_figure(own[key]) for key, to in names.items() if key in own}
    for device in (statistics.get("network") or {}).get("net-dev") or ():
        for way in ("rx", "tx"):
            if (size := _read_figure(device.get(f"{way}kB"))) is not None:
                row[f"{device.get('iface')}_{way}_bytes_per_s"] = round(size * 1024, 3)
    return {name: value for name, value in row.items() if value is not None}


def _read_figure(value: object) -> float | int | None:
    return value if isinstance(value, int | float) and 0 <= value < _SADF_MOST and value is not True else None


def _sadf_records(values: dict[str, Any]) -> list[Record]:
    samples: list[Record] = []
    for row in values["rows"]:
        metrics = {name: float(value) for name, value in row.items() if isinstance(value, int | float)}
        clock = str(row.get("time") or "")
        samples.append(SystemSample("sadf", clock if re.fullmatch(r"\d\d:\d\d:\d\d", clock) else None, metrics))
    facts = HostFacts(name=values.get("host"), cores=values.get("cores"), kernel=values.get("kernel"))
    return [*samples, facts]


OTHER_FORMATS = (
    Format(
        kind="mpstat",
        programs=("mpstat",),
        opens=(
            rf"{STAMP}\s+(?:(?:CPU|NODE)\s+%use?r\s+%nice\s+%sys\s+%iowait\s+%irq\s|CPU\s+intr/s\s*$"
            r"|CPU\s+(?:HI/s|\d+/s|[A-Z]+\d*/s)\s+\S+/s\s)"
        ),
        parse=_MPSTAT.parse,
        follows=_MPSTAT.follows,
        records=_mpstat_records,
    ),
    Format(
        kind="pidstat",
        cpu_now=True,
        programs=("pidstat",),
        opens=rf"(?:{STAMP}|(?:#\s+)?Time)\s+(?:(?:UID|USER)\s+)?(?:TGID\s+TID|PID)\s+\S*[%/a-zA-Z]",
        parse=_parse_pidstat,
        follows=_follow_pidstat,
        records=_pidstat_records,
    ),
    Format(
        kind="sar",
        programs=("sar", "sadc"),
        opens=(
            rf"{STAMP}\s+(?:CPU\s+%use?r\s+%nice\s+(?:%system|%sys\s+%iowait\s+%steal)|CPU\s+(?:total/s|MHz|wghMHz|i\d+/s)"
            r"|(?:proc/s|cswch/s|pswpin/s|pgpgin/s|frmpg/s|kbmemfree|kbswpfree|kbhugfree|dentunusd|runq-sz|totsck|tcp6sck|call/s|scall/s"
            r"|i\w+/s|fwddgm/s|active/s|atmptf/s|total/s|%s(?:cpu|io|mem)-10|MBfsfree)(?:\s+\S*[a-z]|\s*$)|tps\s+rtps\s|TTY\s+rcvin/s"
            r"|%use?r\s+%nice\s+%sys|tps\s+r(?:kB|d_sec)/s\s|rx(?:pck|err)/s\s|intr/s\s"  # --pretty puts the name last
            r"|INTR\s+intr/s|DEV\s+tps|IFACE\s+rx\w+/s|BUS\s+idvendor|FAN\s+rpm|TEMP\s+degC|IN\s+inV|BAT\s+%|FCHOST\s+fch)"
        ),
        parse=_SAR.parse,
        follows=_SAR.follows,
        records=_sar_records,
    ),
    Format(
        kind="sadf",
        programs=("sadf",),
        opens=r"\{\"sysstat\": \{\s*$",
        parse=lambda lines, command: take_object(lines, _SADF_BEGINS, _read_sadf),
        records=_sadf_records,
    ),
)
