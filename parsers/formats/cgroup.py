"""cgroup: files of control groups that limit and count CPU time, memory and processes, by name.

Reads     what grep shows of several (`grep . /sys/fs/cgroup/cpu.stat ...`), or the lines of a cpu.stat below a command that
          shows one; versions 1 and 2
Yields    one SystemSample of the groups that follow each other: throttled periods, CPU time, memory used and its limit
Units     microseconds (throttled_time of version 1: nanoseconds); bytes; counts
Quirks    "max" is no limit, and neither is version 1's 9223372036854771712; memory.failcnt counts what reached the limit
Source    the kernel's kernel/sched/core.c and mm/memcontrol.c; Documentation/admin-guide/cgroup-v2.rst

proc_vmstat: /proc/vmstat, what the kernel's memory management has counted.

Reads     all lines or some (`grep -E "^(pswp|oom)" /proc/vmstat`), also behind grep's path
Yields    one SystemSample: pages swapped, scanned and stolen, faults that read a disk, and processes that were killed
Units     pages of 4 KiB; counts
Quirks    kernels rename them: pgscan_direct was pgscan_direct_normal and others of a zone
Source    the kernel's mm/vmstat.c
"""

from __future__ import annotations

import re
from typing import Any

from ..catalogue import Format
from ..lines import Lines
from ..records import Found, Record, SystemSample
from ..transcript import KERNEL_FILE, split_path

KIND = "cgroup"
COMMAND = r"/sys/fs/cgroup\b"
_FILE = (
    r"(?:cpu\.(?:stat|max|weight|shares|cfs_quota_us|cfs_period_us)"
    r"|memory\.(?:current|peak|max|high|low|events|stat|failcnt|limit_in_bytes|usage_in_bytes|swap\.(?:current|max))"
    r"|pids\.(?:current|max)|cpuset\.cpus(?:\.effective)?)"
)
_GROUP = r"/sys/fs/cgroup/(?:[\w.@:\\-]{1,100}/){0,12}"
OPENS = rf"{_GROUP}{_FILE}:\S|(?:usage_usec|nr_periods) \d+\s*$"

_NAMED = re.compile(rf"({_GROUP})({_FILE}):(.{{1,200}})")
_LINE = re.compile(r"([a-z]\w{1,40}) (\d{1,20})")
_CPU_STAT = frozenset(
    ("usage_usec", "user_usec", "system_usec", "nice_usec", "core_sched.force_idle_usec", "nr_periods")
)
_CPU_STAT |= {"nr_throttled", "throttled_usec", "throttled_time", "nr_bursts", "burst_usec", "burst_time", "wait_sum"}
NO_LIMIT = 2**62  # bytes; version 1 writes a number near 2**63
MOST_GROUPS = 8  # that get series of their own
LONGEST_GROUP = 10  # characters of a group's name in that of a metric


def parse(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    groups: dict[str, dict[str, Any]] = {}
    for text in lines.texts():
        match = _NAMED.fullmatch(text)
        name = _group_name(match[1]) if match else _group_of(command)
        new = _read(match[2], match[3].strip()) if match else _read_stat(text)
        group = groups.get(name, {})
        if not new or new.keys() & group.keys() or lines.unended():
            lines.refuse()
            break
        groups[name] = group | new
    return Found({"groups": groups}, first, lines.last) if groups else None


def _group_name(path: str) -> str:
    """ "system.slice/nginx.service" of its folder; "/" of the root. Version 1 has a folder a controller above it."""
    path = path.removeprefix("/sys/fs/cgroup").strip("/")
    return re.sub(r"^(?:cpu,cpuacct|cpuacct,cpu|cpu|cpuacct|memory|pids|cpuset|unified)(?:/|$)", "", path) or "/"


def _group_of(command: str | None) -> str:
    match = re.search(rf"({_GROUP}){_FILE}", command or "")
    return _group_name(match[1]) if match else "/"


def _read(file: str, text: str) -> dict[str, Any]:
    """The figures of one line: {"cpu.stat.nr_throttled": 3}, {"memory.max": None} where there is no limit."""
    if file == "cpu.max":
        quota = re.fullmatch(r"(max|\d{1,12}) (\d{1,12})", text)
        none = quota and quota[1] == "max"
        return {"cpu.max_cores": None if none else round(int(quota[1]) / int(quota[2]), 4)} if quota else {}
    if file.startswith("cpuset"):
        return {file: text}
    if match := _LINE.fullmatch(text):
        return {f"{file}.{match[1]}": int(match[2])}
    if not re.fullmatch(r"max|-1|\d{1,20}", text):
        return {}
    return {file: None if text in ("max", "-1") or int(text) > NO_LIMIT else int(text)}


def _read_stat(text: str) -> dict[str, Any]:
    match = _LINE.fullmatch(text)
    return {f"cpu.stat.{match[1]}": int(match[2])} if match and match[1] in _CPU_STAT else {}


_COUNTERS = {  # name in the values: (metric, what one of it is)
    "cpu.stat.nr_periods": ("periods_per_s", 1.0),
    "cpu.stat.nr_throttled": ("throttled_periods_per_s", 1.0),
    "cpu.stat.throttled_usec": ("throttled_pct", 1e-4),
    "cpu.stat.throttled_time": ("throttled_pct", 1e-7),
    "cpu.stat.usage_usec": ("cpu_pct", 1e-4),
    "memory.events.oom_kill": ("oom_kills_per_s", 1.0),
    "memory.events.max": ("memory_limit_hits_per_s", 1.0),
    "memory.failcnt": ("memory_limit_hits_per_s", 1.0),
}
_GAUGES = {
    **dict.fromkeys(("memory.current", "memory.usage_in_bytes"), ("memory_kb", 1 / 1024)),
    **dict.fromkeys(("memory.max", "memory.limit_in_bytes"), ("memory_limit_kb", 1 / 1024)),
    "cpu.max_cores": ("cpu_quota_cores", 1.0),
    "pids.current": ("pids", 1.0),
}


def records(values: dict[str, Any]) -> list[Record]:
    metrics: dict[str, float] = {}
    counters: dict[str, float] = {}
    for name, group in list(values["groups"].items())[:MOST_GROUPS]:
        prefix = "cgroup_" if name == "/" else f"cgroup_{_shorten(name)}_"
        for known, into in ((_GAUGES, metrics), (_COUNTERS, counters)):
            for key, (metric, factor) in known.items():
                if group.get(key) is not None:
                    into[prefix + metric] = float(group[key]) * factor
        if periods := group.get("cpu.stat.nr_periods"):  # since the group is there: all that a single print tells
            metrics[f"{prefix}throttled_total_pct"] = 100 * group.get("cpu.stat.nr_throttled", 0) / periods
    return [SystemSample(KIND, None, metrics, counters)]


def _shorten(name: str) -> str:
    """The end of a group's name, so that the name of its metric is not stored cut."""
    kept = name if len(name) <= LONGEST_GROUP else re.sub(r"\.(?:service|slice|scope)$", "", name)
    return re.sub(r"[^a-z0-9]+", "_", kept.lower()).strip("_")[-LONGEST_GROUP:].strip("_")


# --- proc_vmstat -------------------------------------------------------------------------------------------------------
_MEMORY = (
    r"(?:nr_\w+|numa_\w+|workingset_\w+|pg[a-z]\w+|psw\w+|kswapd_\w+|allocstall\w*|compact_\w+|thp_\w+|oom_kill"
    r"|slabs_scanned|swap_ra\w*|unevictable_pgs_\w+|drop_\w+|htlb_\w+|balloon_\w+|zone_reclaim_\w+|pageoutrun|zswp\w+)"
)
_MEMORY_LINE = re.compile(rf"({_MEMORY}|[a-z]\w{{2,40}}) (\d{{1,20}})")
_MEMORY_COUNTERS = {
    "pswpin": "swap_in_pages_per_s",
    "pswpout": "swap_out_pages_per_s",
    "pgmajfault": "major_faults_per_s",
    "oom_kill": "oom_kills_per_s",
    "allocstall": "direct_reclaims_per_s",
    "pgscan_kswapd": "pages_scanned_per_s",
    "pgscan_direct": "pages_scanned_directly_per_s",
}


def _parse_memory(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    values: dict[str, Any] = {}
    for text in lines.texts():
        match = _MEMORY_LINE.fullmatch(split_path(text)[1])
        if not match or match[1] in values or match[1] in _CPU_STAT or lines.unended():
            lines.refuse()
            break
        values[match[1]] = int(match[2])
    return Found(values, first, lines.last, len(values) < 3) if values else None


def _memory_records(values: dict[str, Any]) -> list[Record]:
    counters: dict[str, float] = {}
    for name, figure in values.items():
        for begins, metric in _MEMORY_COUNTERS.items():
            if name == begins or (name.startswith(f"{begins}_") and "throttle" not in name):
                counters[metric] = counters.get(metric, 0.0) + figure
    return [SystemSample("proc_vmstat", None, {}, counters)]


OTHER_FORMATS = (
    Format(
        kind="proc_vmstat",
        opens=rf"{KERNEL_FILE}?{_MEMORY} \d+\s*$",
        parse=_parse_memory,
        records=_memory_records,
        command=re.compile(r"/proc/vmstat\b"),
    ),
)
