"""passport: what `bd passport` measures of a machine: equal runs of one small loop, and what may make them vary.

Reads     from the line "equal runs of a small loop" to the CPU time after the last run
Yields    HostFacts; none where fewer than 4 runs are there, or one took no time
Units     ms; steal, and what other programs used, in per cent of the CPU time of the machine
Quirks    clock source, governor and turbo are left out where the machine does not tell them; without the
          shell's times the loop counts as if it had run all the time
Source    runs/client/bd, probe()
"""

from __future__ import annotations

import re
from typing import Any

from ..lines import Lines
from ..records import Found, HostFacts, Problem, Record

KIND = "passport"
COMMAND = r"\bbd passport\b"
OPENS = r"equal runs of a small loop\s*$"

FEWEST = 4
_RUN = re.compile(r"run \d{1,3}: (\d{1,7}) ms")
_FACT = re.compile(r"(clock source|governor|turbo): (\S.{0,39})")
_STAT = re.compile(r"cpu (before|after): cpu +(\d{1,19}(?: \d{1,19}){7,9})")
_IDLE, _WAITING, _STOLEN = 3, 4, 7  # places in /proc/stat's line of all CPUs
_TICKS = 100  # a second
# Of the shell, then of its children.
_SPENT = re.compile(r"(\d{1,9})m(\d{1,2}\.\d{1,6})s (\d{1,9})m(\d{1,2}\.\d{1,6})s")
_TIMES = 8  # places that are times of their own; a guest's are in the user's


def parse(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    values: dict[str, Any] = {"runs_ms": []}
    ticks: dict[str, list[int]] = {}
    times: list[float] = []
    for line in lines.texts():
        if lines.number == first:
            continue
        if run := _RUN.fullmatch(line):
            values["runs_ms"].append(int(run[1]))
        elif fact := _FACT.fullmatch(line):
            values[fact[1].replace(" ", "_")] = fact[2]
        elif stat := _STAT.fullmatch(line):
            ticks[stat[1]] = [int(word) for word in stat[2].split()][:_TIMES]
        elif (took := _SPENT.fullmatch(line)) and len(times) < 2 * len(ticks):
            times.append(60 * (int(took[1]) + int(took[3])) + float(took[2]) + float(took[4]))
        else:
            lines.refuse()
            break
    own_s = times[3] - times[1] if len(times) == 4 else sum(values["runs_ms"]) / 1000
    if len(times) in (0, 4):  # of a text that ends between them it is not known what the loop itself took
        values |= _shares(ticks, own_s)
    if _is_whole(values):
        return Found(values, first, lines.last)
    message = f"{len(values['runs_ms'])} runs; expected {FEWEST} or more, of more than 0 ms"
    return Found(values, first, lines.last, True, [Problem(lines.last, message)])


def _shares(ticks: dict[str, list[int]], own_s: float) -> dict[str, float]:
    spent = [after - before for before, after in zip(ticks.get("before", ()), ticks.get("after", ()), strict=False)]
    total = sum(spent)
    if total <= 0:
        return {}
    others = total - spent[_IDLE] - spent[_WAITING] - spent[_STOLEN] - own_s * _TICKS
    shares = {"steal_pct": spent[_STOLEN], "others_pct": max(others, 0)}
    return {name: round(100 * share / total, 2) for name, share in shares.items()}


def _is_whole(values: dict[str, Any]) -> bool:
    return len(values["runs_ms"]) >= FEWEST and all(values["runs_ms"])


def records(values: dict[str, Any]) -> list[Record]:
    return [HostFacts(passport=dict(values))] if _is_whole(values) else []
