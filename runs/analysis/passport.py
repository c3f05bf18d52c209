"""A machine's passport, as `bd passport` prints it: how much equal runs of one small loop vary there, and why they may."""

from __future__ import annotations

import math
import re
from typing import Any

from runs.analysis.stats import logs, sample_sd, student_quantile

FEWEST = 4
_RUN = re.compile(r"run \d{1,3}: (\d{1,7}) ms")
_WORDS = {"clock source": "clock_source", "governor": "governor", "turbo": "turbo"}
_STAT = re.compile(r"cpu (before|after): cpu +((?:\d{1,20} ?){8,10})")
_STOLEN = 7  # place of steal in /proc/stat's line of all CPUs
_TIMES = 8  # places that are times of their own; a guest's are in the user's


def read_passport(text: str) -> dict[str, Any]:
    """runs_ms, noise_pct, and as far as they are known steal_pct, clock_source, governor, turbo. Raises ValueError.

    noise_pct: 19 of 20 pairs of equal single runs lie nearer to each other than that.
    """
    runs: list[int] = []
    found: dict[str, Any] = {}
    ticks: dict[str, list[int]] = {}
    for line in text.splitlines():
        name, _, value = line.strip().partition(": ")
        if run := _RUN.fullmatch(line.strip()):
            runs.append(int(run[1]))
        elif stat := _STAT.fullmatch(line.strip()):
            ticks[stat[1]] = [int(word) for word in stat[2].split()][:_TIMES]
        elif name in _WORDS and value:
            found[_WORDS[name]] = value[:40]
    logged = logs([float(run) for run in runs])
    if len(runs) < FEWEST or logged is None:
        raise ValueError(
            f"{len(runs)} lines such as “run 1: 3012 ms” were found; expected {FEWEST} or more, above 0 ms."
        )
    reach = student_quantile(0.975, len(runs) - 1) * sample_sd(logged) * math.sqrt(2)
    found |= {"runs_ms": runs, "noise_pct": round(100 * math.expm1(min(reach, 5)), 2)}
    if len(ticks) == 2:
        spent = [after - before for before, after in zip(ticks["before"], ticks["after"], strict=True)]
        if sum(spent) > 0:
            found["steal_pct"] = round(100 * spent[_STOLEN] / sum(spent), 2)
    return found
