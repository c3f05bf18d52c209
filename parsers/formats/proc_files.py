"""meminfo: /proc/meminfo, whole or a few of its lines.

Reads     "Key:   N kB" lines in any number; each key once
Yields    SystemSample, and HostFacts where the total is among them
Units     KiB (the kernel's kB); HugePages counts as counts
Quirks    old kernels lack MemAvailable; `egrep` leaves two or three lines; a key that comes again begins a new print
Source    the kernel's fs/proc/meminfo.c, 2.6 to 6.x

net_dev: /proc/net/dev, what was received and sent over each network interface since the machine's start.

Reads     the two lines of headings and the rows, or rows behind grep's path
Yields    one SystemSample: bytes a second of each interface, errors and drops of all
Units     bytes, packets
Quirks    old kernels print no blank behind the colon; the machine's own traffic is that of lo
Source    the kernel's net/core/net-procfs.c

proc_stat: /proc/stat, what the kernel has counted since the machine's start.

Reads     the "cpu" line and those that follow, whole or without some (`grep cpu`), also behind grep's path
Yields    one SystemSample: shares of CPU time since the sample before, of the machine and of each core; processes that can run
Units     ticks of 1/100 s; counts; btime in seconds since 1970
Quirks    old kernels print 4 to 9 figures of CPU time; guest time is in user time, too; only the first figure of "intr" and
          "softirq", the sum, is kept
Source    the kernel's fs/proc/stat.c, 2.6 to 6.x

diskstats: /proc/diskstats, what was read from and written to each block device since the machine's start.

Reads     the rows, of kernels with 11, 15 or 17 figures; also behind grep's path
Yields    one SystemSample: KiB a second of all disks, and of each disk the share of time that it was busy and its queue
Units     sectors of 512 bytes; milliseconds
Quirks    partitions stand below their disk and are counted in it; loop and ram devices are no disks; nor are device-mapper's
          and md's, whose disks stand beside them
Source    the kernel's block/genhd.c, diskstats_show(); Documentation/admin-guide/iostats.rst

pressure: /proc/pressure/*, the share of time in which tasks waited for CPU, memory or disks.

Reads     the files cpu, io, memory and irq, and cgroups' *.pressure: below a command that names them, behind grep's path, or
          below head's heading; without any name, as printed by a command that is not shown, no file is known
Yields    one SystemSample of all files that follow each other
Units     per cent of the last 10, 60 and 300 s; total in microseconds
Quirks    "full" of cpu is nought for the whole machine, and old kernels leave it out; irq has no "some"
Source    the kernel's kernel/sched/psi.c, psi_show()
"""

from __future__ import annotations

import re
from typing import Any

from ..catalogue import Format
from ..lines import Lines
from ..multiline import rejoin
from ..records import Found, HostFacts, Problem, Record, SystemSample
from ..transcript import KERNEL_FILE, split_path
from ..units import CPU_SHARES

KIND = "meminfo"
COMMAND = r"/proc/meminfo"
MEMORY_ONLY = True
OPENS = (
    r"(?:Mem(?:Total|Free|Available|Shared)|Buffers|Cached|Swap(?:Total|Free|Cached)|(?:In)?[Aa]ctive(?:\((?:anon|file)\))?"
    r"|AnonPages|Mapped|Slab|Dirty|Committed_AS|CommitLimit|(?:High|Low)(?:Total|Free)|PageTables):\s+\d+ kB\s*(?:[^\s\w].*)?$"
)
BEGINS = r"MemTotal: {1,12}\d{1,12} kB\n"

_FIGURES = re.compile(r"\d[\d ]*")
_LINE = re.compile(r"([A-Z]\w*(?:\(\w+\))?):\s+(\d+)( kB)?(?=\s|$|[^\w.])(?!\s*[=+*/-]\s*\d)")
_CUT = re.compile(r"([A-Z]\w*(?:\(\w+\))?):")
_FREE_KEYS = ("HugePages_", "Hugepage")
_METRICS = {
    "memtotal": "mem_total_kb",
    "memfree": "mem_free_kb",
    "memavailable": "mem_available_kb",
    "buffers": "mem_buffers_kb",
    "cached": "mem_cached_kb",
    "inactive": "mem_inactive_kb",
    "active": "mem_active_kb",
    "slab": "mem_slab_kb",
    "swaptotal": "swap_total_kb",
    "swapfree": "swap_free_kb",
}


def parse(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    values: dict[str, Any] = {}
    problems: list[Problem] = []
    for stripped in lines.texts(elisions=True):
        match = _LINE.match(stripped)
        if match and match[1].lower() not in values and (match[3] or match[1].startswith(_FREE_KEYS)):
            values[match[1].lower()] = int(match[2])
        elif not match and values and _CUT.match(stripped) and (lines.peek() is None or " kB" in stripped):
            problems.append(Problem(lines.number, f"expected a number of kB, found {stripped[:60]!r}"))
        elif match and not match[3] and values and lines.peek() is None:
            problems.append(Problem(lines.number, f"the text ends in {stripped[:60]!r}: the number may be cut off"))
        else:
            lines.refuse()
            break
    if not values:
        return None
    return Found(values, first, lines.last, "memtotal" not in values or len(values) < 6, problems)


def records(values: dict[str, Any]) -> list[Record]:
    metrics = {name: float(v) for key, name in _METRICS.items() if isinstance(v := values.get(key), int)}
    if "swap_total_kb" in metrics and "swap_free_kb" in metrics:
        metrics["swap_used_kb"] = metrics["swap_total_kb"] - metrics["swap_free_kb"]
    if "mem_available_kb" not in metrics and "mem_free_kb" in metrics and "mem_inactive_kb" in metrics:
        # What a kernel without MemAvailable lets one say: free, or easily freed.
        metrics["mem_available_kb"] = metrics["mem_free_kb"] + metrics["mem_inactive_kb"]
    samples: list[Record] = [SystemSample(tool=KIND, clock=None, metrics=metrics)]
    total, swap = values.get("memtotal"), values.get("swaptotal")
    if isinstance(total, int):
        samples.append(HostFacts(ram_kb=total, swap_kb=swap if isinstance(swap, int) else None))
    return samples


# --- net_dev ----------------------------------------------------------------------------------------------------------
_HEAD = re.compile(r"Inter-\|\s+Receive\s+\|\s+Transmit|face \|bytes .*\|bytes .*")
_ROW = re.compile(r"([\w.@-]{1,20}):\s*(\d{1,20}(?:\s+\d{1,20}){15})")
_NAMES = (
    *("rx_bytes", "rx_packets", "rx_errors", "rx_dropped", "rx_fifo", "rx_frame", "rx_compressed", "rx_multicast"),
    *("tx_bytes", "tx_packets", "tx_errors", "tx_dropped", "tx_fifo", "tx_collisions", "tx_carrier", "tx_compressed"),
)
MOST_INTERFACES = 8  # that get series of their own


def _parse_net_dev(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    interfaces: dict[str, dict[str, Any]] = {}
    for text in lines.texts():
        line = split_path(text)[1].strip()
        row = _ROW.fullmatch(line)
        if row and row[1] not in interfaces and not lines.unended():
            figures = dict(zip(_NAMES, map(int, row[2].split()), strict=True))
            interfaces[row[1]] = {"interface": row[1], **figures}
        elif interfaces or not _HEAD.fullmatch(line):
            lines.refuse()
            break
    return Found({"interfaces": list(interfaces.values())}, first, lines.last) if interfaces else None


def _net_dev_records(values: dict[str, Any]) -> list[Record]:
    used = [row for row in values["interfaces"] if row["rx_bytes"] + row["tx_bytes"]]
    counters = {
        f"{row['interface']}_{way}_bytes_per_s": float(row[f"{way}_bytes"])
        for row in used[:MOST_INTERFACES]
        for way in ("rx", "tx")
    }
    for name in ("errors", "dropped"):
        counters[f"net_{name}_per_s"] = float(sum(row[f"rx_{name}"] + row[f"tx_{name}"] for row in used))
    return [SystemSample("net_dev", None, {}, counters)]


# --- proc_stat --------------------------------------------------------------------------------------------------------
_CPU = re.compile(r"cpu(\d{0,5}) {1,2}(\d{1,19}(?: \d{1,19}){3,9})")
_COUNT = re.compile(r"(intr|ctxt|btime|processes|procs_running|procs_blocked|softirq) (\d{1,19})(?: \d{1,19})*")
_STAT_NAMES = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal", "guest", "guest_nice")
_CREATED = "processes_created"  # "processes" are a listing's
MOST_CORES = 64  # that get a series of their own


def _parse_stat(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    values: dict[str, Any] = {}
    cores: dict[str, dict[str, int]] = {}
    for text in lines.texts():
        line = split_path(rejoin(lines, text, _FIGURES))[1]
        cpu, count = _CPU.fullmatch(line), _COUNT.fullmatch(line)
        name = _CREATED if count and count[1] == "processes" else count[1] if count else ""
        known = (cpu[1] in cores or ("cpu" in values and not cpu[1])) if cpu else name in values
        if known or lines.unended() or not (cpu or (count and values | cores)):
            lines.refuse()
            break
        if cpu:
            ticks = dict(zip(_STAT_NAMES, map(int, cpu[2].split()), strict=False))
            if cpu[1]:
                cores[cpu[1]] = ticks
            else:
                values["cpu"] = ticks
        elif count:
            values[name] = int(count[2])
    if cores:
        values["cpus"] = [{"cpu": int(name), **ticks} for name, ticks in cores.items()]
    return Found(values, first, lines.last, "cpu" not in values) if values else None


def _stat_records(values: dict[str, Any]) -> list[Record]:
    metrics = {"run_queue": values.get("procs_running"), "blocked": values.get("procs_blocked")}
    cores = values.get("cpus", [])
    total = values.get("cpu") or {name: sum(core.get(name, 0) for core in cores) for name in _STAT_NAMES}
    over = sum(total.get(name, 0) for name in CPU_SHARES)  # guest time is counted in user and nice
    counters = {f"cpu_{short}": 100.0 * total[name] for name, short in CPU_SHARES.items() if name in total}
    for core in cores[:MOST_CORES]:
        idle = core["idle"] + core.get("iowait", 0)
        busy = sum(core.get(name, 0) for name in CPU_SHARES) - idle
        counters[f"core{core['cpu']}_busy_pct"] = 100.0 * busy * len(cores)
    known = {name: float(value) for name, value in metrics.items() if value is not None}
    return [SystemSample("proc_stat", None, known, counters, float(over))]


# --- diskstats --------------------------------------------------------------------------------------------------------
_DISKSTATS_ROW = re.compile(r"(\d{1,4}) +(\d{1,7}) ([a-z][\w!-]{0,31})((?: \d{1,19}){11,17})")
_DISKSTATS_NAMES = (
    *("reads", "reads_merged", "sectors_read", "reading_ms", "writes", "writes_merged", "sectors_written"),
    *("writing_ms", "in_flight", "busy_ms", "weighted_ms", "discards", "discards_merged", "sectors_discarded"),
    *("discarding_ms", "flushes", "flushing_ms"),
)
_NO_DISK = re.compile(r"(?:loop|ram|zram|dm-|md|sr|fd)\d+")
MOST_DISKS = 8  # that get series of their own


def _parse_diskstats(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    devices: dict[str, dict[str, Any]] = {}
    for text in lines.texts():
        row = _DISKSTATS_ROW.fullmatch(split_path(rejoin(lines, text, _FIGURES))[1].strip())
        if not row or row[3] in devices or lines.unended():
            lines.refuse()
            break
        figures = dict(zip(_DISKSTATS_NAMES, map(int, row[4].split()), strict=False))
        devices[row[3]] = {"device": row[3], "major": int(row[1]), "minor": int(row[2]), **figures}
    return Found({"devices": list(devices.values())}, first, lines.last) if devices else None


def _diskstats_records(values: dict[str, Any]) -> list[Record]:
    counters: dict[str, float] = {}
    disk, n_disks = "", 0
    for device in values["devices"]:
        name = device["device"]
        if _NO_DISK.fullmatch(name) or (disk and re.fullmatch(rf"{re.escape(disk)}p?\d+", name)):
            continue  # no disk, or a partition of the one before
        disk = name
        for total, sectors in (("disk_read", "sectors_read"), ("disk_written", "sectors_written")):
            counters[f"{total}_kb_per_s"] = counters.get(f"{total}_kb_per_s", 0.0) + device[sectors] / 2
        if device["reads"] + device["writes"] and n_disks < MOST_DISKS:
            n_disks += 1
            counters[f"{name}_busy_pct"] = device["busy_ms"] / 10
            counters[f"{name}_queue"] = device["weighted_ms"] / 1000
    return [SystemSample("diskstats", None, {}, counters)]


# --- pressure ---------------------------------------------------------------------------------------------------------
_PRESSURE_OPENS = (
    rf"{KERNEL_FILE}?(?:some|full) avg10=\d+\.\d\d avg60="
    r"|==> /(?:proc/pressure/\w+|sys/fs/cgroup/\S*\.pressure) <==\s*$"
)
_PRESSURE_LINE = re.compile(r"(some|full) avg10=(\d+\.\d\d) avg60=(\d+\.\d\d) avg300=(\d+\.\d\d) total=(\d{1,19})")
_MS_PER_S = 10_000  # microseconds of a second that are one per cent
_HEADED = re.compile(r"==> (/(?:proc|sys)/\S{1,300}) <==")


def _find_heading_path(text: str) -> str:
    """The path of head's line above a file, or ""."""
    match = _HEADED.fullmatch(text)
    return match[1] if match else ""


def _parse_pressure(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    values: dict[str, Any] = {}
    files, heading = re.findall(r"/proc/pressure/(\w[\w.]*)", command or ""), ""
    for text in lines.texts():
        heading = _find_heading_path(text) or heading
        path, line = split_path(text)
        match = _PRESSURE_LINE.fullmatch(line)
        if _find_heading_path(text) and _name_resource(heading):
            continue
        resource = _name_resource(path or heading) if match else ""
        if match and not resource:
            begun = list(values)
            resource = begun[-1] if begun and match[1] not in values[begun[-1]] else _find_next_file(files, begun)
        if not match or not resource or lines.unended() or match[1] in values.get(resource, {}):
            lines.refuse()
            break
        averages = {f"avg{span}_pct": float(match[at]) for at, span in ((2, 10), (3, 60), (4, 300))}
        values.setdefault(resource, {})[match[1]] = averages | {"total_us": int(match[5])}
    return Found(values, first, lines.last) if values else None


def _name_resource(path: str) -> str:
    """ "cpu" of /proc/pressure/cpu, and of a cgroup's cpu.pressure with the cgroup's path before it."""
    if path.startswith("/proc/pressure/"):
        return path.rpartition("/")[2]
    group, _, name = path.removeprefix("/sys/fs/cgroup").rpartition("/")
    return f"{group.strip('/')}:{name.removesuffix('.pressure')}".lstrip(":") if name.endswith(".pressure") else ""


def _find_next_file(files: list[str], begun: list[str]) -> str:
    return next((name for name in files if name not in begun), "" if files or begun else "unknown")


def _pressure_records(values: dict[str, Any]) -> list[Record]:
    metrics: dict[str, float] = {}
    counters: dict[str, float] = {}
    for resource, kinds in values.items():
        if ":" in resource:
            continue  # a cgroup's, not the machine's
        for kind, figures in kinds.items():
            metrics[f"pressure_{resource}_{kind}_avg10_pct"] = figures["avg10_pct"]
            counters[f"pressure_{resource}_{kind}_pct"] = figures["total_us"] / _MS_PER_S
    return [SystemSample("pressure", None, metrics, counters)]


OTHER_FORMATS = (
    Format(
        kind="net_dev",
        opens=rf"{KERNEL_FILE}?Inter-\|\s+Receive\b|{KERNEL_FILE}\s*[\w.@-]{{1,20}}:\s*\d+(?:\s+\d+){{4,15}}\s*$",
        command=re.compile(r"/proc/(?:self/)?net/dev\b"),
        parse=_parse_net_dev,
        records=_net_dev_records,
    ),
    Format(
        kind="proc_stat",
        opens=rf"{KERNEL_FILE}?cpu\d{{0,5}} {{1,2}}\d+(?: \d+){{3,9}}\s*$",
        command=re.compile(r"/proc/stat\b"),
        parse=_parse_stat,
        records=_stat_records,
    ),
    Format(
        kind="diskstats",
        opens=rf"{KERNEL_FILE}?\s*\d{{1,4}} +\d{{1,7}} [a-z][\w!-]{{0,31}}(?: \d+){{4,17}}\s*$",
        command=re.compile(r"/proc/diskstats\b"),
        parse=_parse_diskstats,
        records=_diskstats_records,
    ),
    Format(
        kind="pressure",
        opens=_PRESSURE_OPENS,
        command=re.compile(r"/proc/pressure\b|\.pressure\b"),
        parse=_parse_pressure,
        records=_pressure_records,
    ),
)
