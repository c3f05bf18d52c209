"""Timings: files with the time of each request. They belong to the run whose report has the same figures.

The run is looked for in the same text, then in the experiment that the sender named, then among what the same sender
sent within the hour. Where none or more than one agrees, the file belongs to its experiment and its upload has a problem;
a run that is stored later gets it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import timedelta

from django.db.models import Q

from parsers.blocks import Block
from parsers.catalogue import get_semantics
from parsers.records import LoadResult, Timings
from runs.analysis import histogram
from runs.drafts.draft import Draft, DraftTiming
from runs.models import Experiment, Run, Timing, Upload
from runs.series.clocks import read_moment, seconds_of_day

from . import counters
from .validation import truncate

WITHIN = timedelta(hours=1)
PACKED = ("latency_counts", "by_second", "spectrum_ms")  # counts of the requests, which are stored packed
NO_RUN = "No run has the figures of this file"
_MAX_COMPARED = 500  # runs of the same sender
_WRITES_FILES = re.compile(r"\s-[a-zA-Z]*[eg]\s*\S")
_ROUNDING_MS = 0.501  # reports have whole milliseconds
_MIN_PERCENTILES = 3  # that agree
_HALF_A_RANK = 0.5
_PRECISION = 0.01  # of a histogram's buckets, and of reports with three digits


def read_printed_values(block: Block) -> dict[str, object]:
    """{name: value} that the tool printed, without histograms, which have columns of their own."""
    return {name: value for name, value in block.values.items() if name not in PACKED}


def store_timings(
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
        _build_row(upload, drafted, blocks[drafted.key], experiments[experiment.key])
        for experiment in draft.experiments
        for drafted in experiment.timings
    ]
    for row in rows:
        row.run = runs.get(row.block_key) or _find_in_text(row, runs.values()) or _find_elsewhere(row, upload)
        if row.run is not None:
            row.experiment = row.run.experiment
    if rows:
        Timing.objects.bulk_create(rows)
        if problems := [{"line": row.line_first, "message": _describe_waiting(row)} for row in rows if row.run is None]:
            upload.problems, upload.status = [*upload.problems, *problems], Upload.Status.PARTIAL
            upload.save(update_fields=["problems", "status"])
    taken = _assign_waiting(upload, runs.values())
    if rows or taken:
        _set_clocks(rows + list(taken))
    return rows, list(taken.values())


def _build_row(upload: Upload, drafted: DraftTiming, block: Block, experiment: Experiment) -> Timing:
    record = next((record for record in block.records if isinstance(record, Timings)), None)
    if record is None:
        raise TypeError(f"a {block.kind} has no timings")
    values = {name: value for name, value in read_printed_values(block).items() if name != "percentiles_ms"}
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


def is_of_run(timing: Timing, run: Run | LoadResult) -> bool:
    """Whether the file's figures are those of the run's report, as far as that rounds them."""
    if not timing.tool:
        return _is_spectrum_of(timing, run)
    report, n = run.percentiles_ms, run.complete_requests or 0
    if timing.tool != run.tool or (timing.n is not None and timing.n != n):
        return False
    compared = [_is_near(timing, percent, ms) for percent, ms in report.items() if _is_comparable(timing, percent, n)]
    return len(compared) >= _MIN_PERCENTILES and all(compared)


def _is_spectrum_of(timing: Timing, run: Run | LoadResult) -> bool:
    """Whether what the report prints lies between the percentiles around it that the file has. It may have left out a warm-up."""
    if timing.n is not None and run.complete_requests is not None and timing.n > run.complete_requests:
        return False
    spectrum = sorted((float(percent), ms) for percent, ms in timing.percentiles_ms.items())
    printed = {float(percent): ms for percent, ms in run.percentiles_ms.items()}
    printed |= {100.0: run.max_ms} if run.max_ms is not None else {}
    step_ms = get_semantics(run.tool).percentile_step_ms
    compared = []
    for percent, ms in printed.items():
        below = [value for at, value in spectrum if at <= percent]
        above = [value for at, value in spectrum if at >= percent]
        if below and above:
            slack = step_ms + _PRECISION * ms
            compared.append(below[-1] - slack <= ms <= above[0] + slack)
    return len(compared) >= _MIN_PERCENTILES and all(compared)


def _is_comparable(timing: Timing, percent: str, n: int) -> bool:
    """Files of percentiles are half a rank ahead of the report: of few requests the last one is not comparable."""
    if percent not in timing.percentiles_ms:
        return False
    return percent == "100" or timing.n is not None or _HALF_A_RANK + n * float(percent) / 100 < n


def _is_near(timing: Timing, percent: str, ms: float) -> bool:
    percentiles = timing.percentiles_ms
    low = high = percentiles[percent]
    if timing.n is None and percent != "100":
        low = min(low, percentiles.get(f"{float(percent) - 1:g}", low))
    return bool(low - _ROUNDING_MS <= ms <= high + _ROUNDING_MS)


def _find_in_text(row: Timing, runs: Iterable[Run]) -> Run | None:
    """The run of the same text: of several that agree, one whose command writes such files, and the nearest above."""
    agreeing = [run for run in runs if is_of_run(row, run)]
    writing = [run for run in agreeing if _WRITES_FILES.search(run.command)] or agreeing
    above = [run for run in writing if run.line_first < row.line_first]
    return max(above or writing, key=lambda run: run.line_first, default=None)


def _find_elsewhere(row: Timing, upload: Upload) -> Run | None:
    """The only run of another upload with these figures: in the experiment that was named, or sent within the hour."""
    near = (
        Run.objects.filter(**({"tool": row.tool} if row.tool else {}))
        .exclude(upload=upload)
        .select_related("experiment")
        .defer("values")
        .order_by("-id")
    )
    if row.n is not None and row.tool:
        near = near.filter(complete_requests=row.n)
    if upload.hints.get("experiment"):
        named = [run for run in near.filter(experiment=row.experiment)[:_MAX_COMPARED] if is_of_run(row, run)]
        return named[0] if len(named) == 1 else None
    since = upload.created_at - WITHIN
    sent = near.filter(created_at__gte=since, upload__created_by=upload.created_by_id)
    elsewhere = [run for run in sent[:_MAX_COMPARED] if is_of_run(row, run)]
    return elsewhere[0] if len(elsewhere) == 1 else None


def _describe_waiting(row: Timing) -> str:
    n = f"n={row.n}, " if row.n is not None else ""
    percent = max(row.percentiles_ms, key=float)  # of a file that was cut it may be any
    longest = "longest" if percent in ("99", "100") else f"p{percent}"
    return (
        f"{NO_RUN} ({n}{longest} {row.percentiles_ms[percent]:g} ms), in this text or among what you sent within the hour: "
        "it is assigned when that run is stored."
    )


def _assign_waiting(upload: Upload, runs: Iterable[Run]) -> dict[Timing, int]:
    """Give these runs the timings without a run, of the same experiments or sender, whose figures they have.

    Returns each timing with the experiment (id) that it belonged to.
    """
    tools = {run.tool for run in runs if len(run.percentiles_ms) >= _MIN_PERCENTILES}
    if not tools or not Timing.objects.filter(run=None).exists():
        return {}
    sent = Q(upload__created_by=upload.created_by_id, upload__created_at__gte=upload.created_at - WITHIN)
    here = Q(experiment__in={run.experiment_id for run in runs})
    waiting = Timing.objects.filter(sent | here, run=None, tool__in={"", *tools}).exclude(upload=upload)
    taken = {}
    for row in waiting.select_related("upload").defer("upload__raw")[:_MAX_COMPARED]:
        agreeing = [run for run in runs if is_of_run(row, run)]
        if len(agreeing) == 1:
            taken[row] = row.experiment_id
            _assign(row, agreeing[0])
    return taken


def _assign(row: Timing, run: Run) -> None:
    row.run, row.experiment = run, run.experiment
    row.save(update_fields=["run", "experiment"])
    sent = row.upload
    sent.problems = [
        each for each in sent.problems if each["line"] != row.line_first or not each["message"].startswith(NO_RUN)
    ]
    sent.status = Upload.Status.PARTIAL if sent.problems else Upload.Status.READY
    sent.save(update_fields=["problems", "status"])


def _set_clocks(rows: Iterable[Timing]) -> None:
    """Set when a run began and ended from the clock in its file, where it was not known."""
    for row in rows:
        began = read_moment(str(row.values.get("first_starttime", "")))
        run = row.run
        if began and run is not None and run.clock_start_s is None:
            run.clock_start_s = seconds_of_day(began.clock)
            run.clock_end_s = run.clock_start_s + run.duration_s if run.duration_s is not None else None
            run.save(update_fields=["clock_start_s", "clock_end_s"])
        if began and began.at and run is not None and run.ran_at is None:
            with counters.track_changes(Run.objects.filter(pk=run.pk)):
                Run.objects.filter(pk=run.pk).update(ran_at=began.at)
