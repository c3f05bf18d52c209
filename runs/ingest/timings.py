"""Where files of what each request took belong: to the run whose report has the same figures.

A file's own run is looked for in its text, then in the experiment that the sender named, then among what the same sender
sent within the hour. Where none or more than one agrees, the file stands beside its experiment and the upload says so;
a run that comes in later takes it up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta

from django.db.models import Q

from parsers import Block, LoadResult, Timings
from runs.analysis import histogram
from runs.models import Experiment, Run, Timing, Upload

from .draft import Draft, DraftTiming
from .storable import truncate

WITHIN = timedelta(hours=1)
COUNTED = ("latency_counts", "by_second", "spectrum_ms")  # what a file of requests counts; stored packed
WAITS = "No run has the figures of this file"
_MOST = 500  # runs of the same sender that are looked at
_FILES = re.compile(r"\s-[a-zA-Z]*[eg]\s*\S")
_ROUNDED = 0.501  # ab's report has whole milliseconds
_ENOUGH = 3  # percentiles that agree
_HALF_A_RANK = 0.5
_CLOCK = re.compile(r"\b(\d\d):(\d\d):(\d\d)\b")


def timings_of(block: Block) -> Timings | None:
    return next((record for record in block.records if isinstance(record, Timings)), None)


def told(block: Block) -> dict[str, object]:
    """A block's figures without what it counted."""
    return {name: value for name, value in block.values.items() if name not in COUNTED}


def drafts_of(blocks: Sequence[Block], numbers: Iterable[int]) -> list[DraftTiming]:
    return [DraftTiming(f"b{number}", blocks[number].lines) for number in numbers]


def name_of(blocks: Sequence[Block], drafted: Sequence[DraftTiming]) -> str:
    """What an experiment is called of which nothing but such files is there."""
    records = [timings_of(blocks[int(one.key[1:])]) for one in drafted]
    return f"What each request of {records[0].tool} took" if records and records[0] else ""


def write(
    upload: Upload,
    draft: Draft,
    blocks: Mapping[str, Block],
    experiments: Mapping[str, Experiment],
    runs: Mapping[str, Run],
) -> tuple[list[Timing], list[int]]:
    """Store an upload's timings, each with its run, and give its runs those that waited for them.

    Returns its own, and the experiments that it took others from, which may be empty now.
    """
    rows = [
        _row(upload, drafted, blocks[drafted.key], experiments[experiment.key])
        for experiment in draft.experiments
        for drafted in experiment.timings
    ]
    for row in rows:
        row.run = runs.get(row.block_key) or _of_text(row, runs.values()) or _of_others(row, upload)
        if row.run is not None:
            row.experiment = row.run.experiment
    if rows:
        Timing.objects.bulk_create(rows)
    _note_waiting(upload, rows)
    taken = _take_up(upload, runs.values())
    _set_clocks([*rows, *(row for row, _ in taken)])
    return rows, [left for _, left in taken]


def _row(upload: Upload, drafted: DraftTiming, block: Block, experiment: Experiment) -> Timing:
    record = timings_of(block)
    if record is None:
        raise TypeError(f"a {block.kind} has no timings")
    values = {name: value for name, value in told(block).items() if name != "percentiles_ms"}
    return Timing(
        upload=upload,
        block_key=drafted.key,
        line_first=drafted.lines[0],
        line_last=drafted.lines[1],
        experiment=experiment,
        histogram=histogram.pack(record.histogram),
        seconds=histogram.pack(record.seconds),
        **truncate(Timing, tool=record.tool, n=record.n, percentiles_ms=record.percentiles_ms, values=values),
    )


def agrees(timing: Timing, run: Run | LoadResult) -> bool:
    """Whether the file's figures are those of the run's report, as far as that rounds them."""
    report, n = run.percentiles_ms, run.complete_requests or 0
    if timing.tool != run.tool or (timing.n is not None and timing.n != n):
        return False
    compared = [_near(timing, percent, ms) for percent, ms in report.items() if _comparable(timing, percent, n)]
    return len(compared) >= _ENOUGH and all(compared)


def _comparable(timing: Timing, percent: str, n: int) -> bool:
    """ab -e looks half a rank further than the report, and of few requests beyond the last one: no figure then."""
    if percent not in timing.percentiles_ms:
        return False
    return percent == "100" or timing.n is not None or _HALF_A_RANK + n * float(percent) / 100 < n


def _near(timing: Timing, percent: str, ms: float) -> bool:
    percentiles = timing.percentiles_ms
    low = high = percentiles[percent]
    if timing.n is None and percent != "100":
        low = min(low, percentiles.get(f"{float(percent) - 1:g}", low))
    return bool(low - _ROUNDED <= ms <= high + _ROUNDED)


def _of_text(row: Timing, runs: Iterable[Run]) -> Run | None:
    """The run of the same text: of several that agree, one whose command writes such files, and the nearest above."""
    fitting = [run for run in runs if agrees(row, run)]
    writing = [run for run in fitting if _FILES.search(run.command)] or fitting
    above = [run for run in writing if run.line_first < row.line_first]
    return max(above or writing, key=lambda run: run.line_first, default=None)


def _of_others(row: Timing, upload: Upload) -> Run | None:
    """The only run of another upload with these figures: in the experiment that was named, or sent within the hour."""
    near = (
        Run.objects.filter(tool=row.tool)
        .exclude(upload=upload)
        .select_related("experiment")
        .defer("values")
        .order_by("-id")
    )
    if row.n is not None:
        near = near.filter(complete_requests=row.n)
    if upload.hints.get("experiment"):
        named = [run for run in near.filter(experiment=row.experiment)[:_MOST] if agrees(row, run)]
        return named[0] if len(named) == 1 else None
    since = upload.created_at - WITHIN
    sent = near.filter(created_at__gte=since, upload__created_by=upload.created_by_id)
    found = [run for run in sent[:_MOST] if agrees(row, run)]
    return found[0] if len(found) == 1 else None


def _note_waiting(upload: Upload, rows: Sequence[Timing]) -> None:
    waiting = [row for row in rows if row.run is None]
    if not waiting:
        return
    upload.problems = [*upload.problems, *({"line": row.line_first, "message": _waits(row)} for row in waiting)]
    upload.status = Upload.Status.PARTIAL
    upload.save(update_fields=["problems", "status"])


def _waits(row: Timing) -> str:
    n = f"n={row.n}, " if row.n is not None else ""
    percent = max(row.percentiles_ms, key=float)  # of a file that was cut it may be any
    longest = "longest" if percent in ("99", "100") else f"{percent} % within"
    return (
        f"{WAITS} ({n}{longest} {row.percentiles_ms[percent]:g} ms), in this text or among what you sent within the hour: "
        "it stands beside its experiment by itself until that run comes in."
    )


def _take_up(upload: Upload, runs: Iterable[Run]) -> list[tuple[Timing, int]]:
    """Timings without a run, of the same experiments or sender, that one of these runs has the figures of.

    With each the experiment that it stood beside.
    """
    tools = {run.tool for run in runs if len(run.percentiles_ms) >= _ENOUGH}
    if not tools or not Timing.objects.filter(run=None).exists():
        return []
    sent = Q(upload__created_by=upload.created_by_id, upload__created_at__gte=upload.created_at - WITHIN)
    here = Q(experiment__in={run.experiment_id for run in runs})
    waiting = Timing.objects.filter(sent | here, run=None, tool__in=tools).exclude(upload=upload)
    taken = []
    for row in waiting.select_related("upload").defer("upload__raw")[:_MOST]:
        fitting = [run for run in runs if agrees(row, run)]
        if len(fitting) == 1:
            taken.append((row, row.experiment_id))
            _give(row, fitting[0])
    return taken


def _give(row: Timing, run: Run) -> None:
    row.run, row.experiment = run, run.experiment
    row.save(update_fields=["run", "experiment"])
    sent = row.upload
    sent.problems = [
        one for one in sent.problems if one["line"] != row.line_first or not one["message"].startswith(WAITS)
    ]
    sent.status = Upload.Status.PARTIAL if sent.problems else Upload.Status.READY
    sent.save(update_fields=["problems", "status"])


def _set_clocks(rows: Iterable[Timing]) -> None:
    """A run that does not know when it began is told by the file, whose rows have the machine's clock."""
    for row in rows:
        found = _CLOCK.search(str(row.values.get("first_starttime", "")))
        run = row.run
        if found and run is not None and run.clock_start_s is None:
            hours, minutes, seconds = map(int, found.groups())
            run.clock_start_s = float(hours * 3600 + minutes * 60 + seconds)
            run.clock_end_s = run.clock_start_s + run.duration_s if run.duration_s is not None else None
            run.save(update_fields=["clock_start_s", "clock_end_s"])
