"""The plain facts that limit a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runs.analysis.columns import differing
from runs.analysis.facts import Look, RunFact
from runs.analysis.numbers import figure, percent
from runs.analysis.table import Comparison


@dataclass(frozen=True, slots=True)
class Remark:
    """One fact to keep in mind, and the address of the line that it rests on."""

    text: str
    source: str
    line: int
    kind: str = ""


def remarks(comparison: Comparison, looks: Sequence[Look]) -> list[Remark]:
    """Failed requests, unlike loads, stopped runs, used swap, partial blocks: each with its line."""
    runs = [(column.title, run) for column in comparison.columns for run in column.runs]
    found = [_failed(title, run) for title, run in runs if run.failed_requests]
    unlike = differing(comparison.columns)
    if unlike and runs:
        text = f"The loads were not alike ({'; '.join(unlike)}), so the columns are not like for like."
        found.append(Remark(text, runs[0][1].source, runs[0][1].line, "load"))
    found += [
        Remark(f"{title}: the run was stopped before its end.", run.source, run.line, "aborted")
        for title, run in runs
        if run.aborted
    ]
    found += _swap(comparison, looks)
    partial = [run for _, run in runs if run.partial]
    if partial:
        text = f"{len(partial)} of {len(runs)} runs are quoted only in part: what is missing stays empty."
        found.append(Remark(text, partial[0].source, partial[0].line, "partial"))
    return found


def _failed(title: str, run: RunFact) -> Remark:
    # siege counts its failures beside the transactions, ab within the requests made.
    whole = run.complete_requests
    text = f"{title}: {run.failed_requests} requests failed."
    if whole:
        total = whole + (run.failed_requests or 0) if run.tool == "siege" else whole
        share = percent(run.failed_requests or 0, total)
        text = f"{title}: {run.failed_requests} of {total} requests failed ({share})."
        if run.tool == "ab" and run.values.get("failed_length") == run.failed_requests:
            text = text[:-1] + ", all by their length: a dynamic page may be fine, an error page is not."
    return Remark(text, run.source, run.line, "failed")


def _swap(comparison: Comparison, looks: Sequence[Look]) -> list[Remark]:
    titles = {column.setup.id: column.setup.name for column in reversed(comparison.columns)}
    found: dict[int | None, Remark] = {}
    for look in looks:
        used = look.metrics.get("swap_used_kb")
        if used and look.setup not in found:
            whose = titles.get(look.setup or 0, "the machine")
            text = f"{whose}: {figure(used / 1024)} MiB of swap in use {look.phase}".rstrip() + "."
            found[look.setup] = Remark(text, look.source, look.line, "swap")
    return list(found.values())
