"""folded: stacks of a profiler, one a line with how often it was seen, as flame graphs are made of.

Reads     the output of stackcollapse-perf.pl, `perf script` collapsed by others, py-spy -f raw, async-profiler collapsed
Yields    one SystemSample with the number of samples; the stacks are in the values
Units     samples (or what the profiler weighs by: microseconds, bytes)
Quirks    a stack begins with the process; frames may hold blanks and brackets, but no semicolon; "_[k]" marks the kernel
Source    FlameGraph's stackcollapse-perf.pl
"""

from __future__ import annotations

import re
from typing import Any

from ..lines import Lines
from ..records import Found, Record, SystemSample
from ..tables import Table

KIND = "folded"
PROGRAMS = ("stackcollapse-perf.pl", "inferno-collapse-perf", "py-spy")
_FRAME = r"[^\s;][^;\n]{0,300}"
OPENS = r"[A-Za-z][^;={}\n]{0,60};(?:[^;={}\n]{1,300};){1,200}[^;={}\n]{1,300} \d{1,12}\s*$"

_STACK = re.compile(rf"({_FRAME}(?:;{_FRAME}){{0,400}}) (\d{{1,15}})")
_LEAST = 2  # stacks: a single such line may be anything
MOST_STACKS = 2_000  # that are kept


def parse(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    stacks: list[str] = []
    counts: list[int] = []
    n = 0
    for text in lines.texts():
        found = _STACK.fullmatch(text)
        if not found or ";" not in found[1] or lines.unended():
            lines.refuse()
            break
        n += 1
        if len(stacks) < MOST_STACKS:
            stacks.append(found[1])
            counts.append(int(found[2]))
    if n < _LEAST:
        return None
    return Found({"n_rows": n, "rows": Table({"stack": stacks, "samples": counts}, len(stacks))}, first, lines.last)


def records(values: dict[str, Any]) -> list[Record]:
    return [SystemSample(KIND, None, {"stack_samples": float(sum(row["samples"] for row in values["rows"]))})]
