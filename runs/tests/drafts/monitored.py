"""Made texts: load tests in one terminal, and one monitor beside all of them in another."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from .documents import expand

STEP_S = 5
_HEADS = {
    "vmstat": "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----\n"
    " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 UTC\n",
    "sar": "Linux 5.10.0-23-amd64 (web1) \t02/10/2024 \t_x86_64_\t(4 CPU)\n\n"
    "00:00:00        CPU     %user     %nice   %system   %iowait    %steal     %idle\n",
    "pidstat": "Linux 5.10.0-23-amd64 (web1) \t02/10/2024 \t_x86_64_\t(4 CPU)\n",
    "top": "",
}
_TOP = (
    "top - {at:%H:%M:%S} up 10 days,  3:02,  2 users,  load average: 0.50, 0.40, 0.30\n"
    "Tasks: 103 total,   1 running, 102 sleeping,   0 stopped,   0 zombie\n"
    "%Cpu(s): {cpu:4.1f} us,  0.0 sy,  0.0 ni, {idle:4.1f} id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st\n"
    "MiB Mem :   3925.9 total,    812.4 free,    905.1 used,   2208.4 buff/cache\n"
    "MiB Swap:      0.0 total,      0.0 free,      0.0 used.   2771.0 avail Mem\n\n"
    "    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n"
    "   2201 www-data  20   0  120200  {kb}   5600 S  {cpu:4.1f}   0.2   0:10.11 nginx\n\n"
)
_PIDSTAT = (
    "\n{before:%H:%M:%S}      UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command\n"
    "{at:%H:%M:%S}       33      2201   {cpu:5.2f}    0.00    0.00    0.00   {cpu:5.2f}     1  nginx\n"
)
_ROWS = {
    "vmstat": " 5  0      0 810400  31200 801000    0    0     0    20 5100 9300 {cpu} 0 {idle} 0  0 {at:%Y-%m-%d %H:%M:%S}\n",
    "sar": "{at:%H:%M:%S}        all     {cpu:5.2f}      0.00      0.00      0.00      0.00     {idle:5.2f}\n",
    "pidstat": _PIDSTAT,
    "top": _TOP,
}
_COMMANDS = {"vmstat": "vmstat -t 5", "sar": "sar -u 5", "pidstat": "pidstat -u 5", "top": "top -b -d 5"}


@dataclass(frozen=True)
class Load:
    """A load test of `seconds`, `idle_s` after the one before, under which the server used `cpu` per cent."""

    name: str
    rate: float
    idle_s: int
    seconds: int
    cpu: int


LOADS = (
    Load("log on", 900.5, 20, 60, 95),
    Load("log off", 1200.5, 30, 60, 60),
    Load("log buffered", 1300.5, 25, 40, 80),
)


def monitored(
    tool: str,
    loads: tuple[Load, ...] = LOADS,
    *,
    dates: bool = True,
    start: datetime = datetime(2024, 2, 10, 21, 0),  # noqa: B008  (never changed)
    seconds: int = 265,
    change: Callable[[str], str] = str,
) -> str:
    """The reports, between dates where `dates`, and below them the monitor that ran from `start` for so many seconds.

    change: made of the monitor's text
    """
    at, text, busy = start, "# Logging\n\n", list[tuple[datetime, datetime, int]]()
    for load in loads:
        at += timedelta(seconds=load.idle_s)
        end = at + timedelta(seconds=load.seconds)
        before, after = (f"$ date\n{when:%a %b %d %H:%M:%S} UTC {when:%Y}\n" * dates for when in (at, end))
        report = re.sub(r"\S+ seconds", f"{load.seconds}.000 seconds", expand(f"@ab {load.rate}"))
        text += f"## {load.name}\n\n{before}$ ab http://localhost/page.html\n{report}\n{after}\n"
        busy.append((at, end, load.cpu))
        at = end
    rows = "".join(_list_rows(tool, start, seconds, busy))
    return f"{text}Terminal 2:\n\n" + change(f"$ {_COMMANDS[tool]}\n{_HEADS[tool]}{rows}")


def _list_rows(tool: str, start: datetime, seconds: int, busy: list[tuple[datetime, datetime, int]]) -> Iterator[str]:
    step = timedelta(seconds=STEP_S)
    for passed in range(0, seconds, STEP_S):
        at = start + timedelta(seconds=passed)
        cpu = next((cpu for low, high, cpu in busy if low <= at - step / 2 <= high), 1)
        yield _ROWS[tool].format(at=at, before=at - step, cpu=cpu, idle=100 - cpu, kb=8000 + 100 * cpu)
