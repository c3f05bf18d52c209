"""An upload's text, line by line: where every figure on the other pages comes from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone

from runs import ingest
from runs.analysis.numbers import figure
from runs.analysis.sheet import Sheet
from runs.models import Capture, ConfigText, Experiment, Run, Timing, Upload
from runs.presenters.monitor_charts import charts_of_capture
from runs.selectors.reads import LINES_A_PAGE
from runs.selectors.samples import machine_table, samples_of_capture
from runs.views.answer import answer
from runs.views.reading import standing
from runs.views.source import Covered, Span, lines_of, tint_of

NEAR = 5


@dataclass(slots=True)
class Part:
    """Lines that are shown together. `gap`: parts before it are left out."""

    first: int
    last: int
    here: bool
    gap: bool = False


def upload(request: HttpRequest, pk: int, fmt: str = "") -> HttpResponse:
    found = get_object_or_404(Upload.objects.select_related("created_by"), pk=pk)
    runs = list(found.runs.select_related("experiment", "config").order_by("line_first"))
    captures = list(found.captures.select_related("experiment", "config").defer("values").order_by("line_first"))
    timings = list(found.timings.select_related("experiment", "run__config").defer("histogram", "seconds"))
    texts = list(found.configtexts.select_related("config").order_by("line_first"))
    spans = spans_of(found, runs, captures, texts, timings)
    text = ingest.text_of(found)
    wanted = request.GET.get("line", "1")
    line = int(wanted) if wanted.isascii() and wanted.isdecimal() and len(wanted) < 12 else 1
    start = max(min(line, text.n_lines) - 1, 0) // LINES_A_PAGE * LINES_A_PAGE + 1
    context = {
        "upload": found,
        "lines": lines_of(
            text.lines(start, start + LINES_A_PAGE - 1),
            spans,
            start=start,
            unread=found.unread,
            problems=[(problem["line"], problem["message"]) for problem in found.problems],
        ),
        "n_lines": text.n_lines,
        "n_unread": sum(last - first + 1 for first, last in found.unread),
        "pages": _parts(start, text.n_lines),
        "experiments": list(_experiments([*runs, *captures, *timings]).values()),
        "runs": runs,
        "captures": captures,
        "standing": standing(found, timezone.now()) if found.is_waited_for else None,
        "became": _counted(
            (len(runs), "run", "runs"),
            (len(captures), "capture", "captures"),
            (len(timings), "file of single requests", "files of single requests"),
            (len(texts), "config text", "config texts"),
        ),
    }
    if found.attempts and not fmt and "line" not in request.GET:
        context |= _charts(captures)
    rows = tuple((span.first, span.last, span.tint, span.title, span.url) for span in spans)
    sheet = Sheet(str(found), ("line_first", "line_last", "kind", "became", "url"), rows)
    return answer(request, "upload.html", context, sheet, fmt=fmt)


def _counted(*found: tuple[int, str, str]) -> str:
    """Of (how many, name of one, name of several) what there is, such as "2 runs, 1 capture"."""
    return ", ".join(f"{n} {one if n == 1 else several}" for n, one, several in found if n)


def _charts(captures: list[Capture]) -> dict[str, Any]:
    """What somebody waited for while a worker read the text: the charts of the monitor that looked most often."""
    longest = max(captures, key=lambda capture: capture.n_samples, default=None)
    if longest is None or longest.n_samples < 2:
        return {}
    seen = samples_of_capture(longest)
    names = {one.name for one in machine_table(longest) if one.high or "swap" not in one.name}
    charts = charts_of_capture(longest, names, seen.programs("rss_kb", "cpu_pct"), "")
    return {"charted": longest, "over_time": charts, "marks": seen.marks()}


def _parts(start: int, n_lines: int) -> list[Part]:
    """The first and the last parts, and those around the one that is shown."""
    starts = range(1, n_lines + 1, LINES_A_PAGE)
    here = start // LINES_A_PAGE
    near = {*starts[:3], *starts[max(here - NEAR, 0) : here + NEAR + 1], *starts[-3:]}
    parts = [Part(n, min(n + LINES_A_PAGE - 1, n_lines), n == start) for n in sorted(near)]
    for before, part in pairwise(parts):
        part.gap = part.first > before.last + 1
    return parts


def spans_of(
    found: Upload, runs: list[Run], captures: list[Capture], texts: list[ConfigText], timings: list[Timing]
) -> list[Span]:
    """What each stretch of the upload became, in the order of the text; quotes included."""
    spans: list[Span] = []
    for run in runs:
        rate = f"{figure(run.requests_per_second)} per s" if run.requests_per_second is not None else "run"
        spans += _with_quotes(run, tint_of(run.tool, "run"), f"{run.tool} {rate} → {run.config.name}")
    for capture in captures:
        whose = capture.config.name if capture.config else capture.experiment.name
        title = " ".join(word for word in (capture.tool, capture.phase, "→", whose) if word)
        spans += _with_quotes(capture, tint_of(capture.tool, "capture"), title)
    for text in texts:
        url = text.config.get_absolute_url() if text.config else ""
        spans.append(Span(text.line_first, text.line_last, "text", f"config text {text.path}".strip(), url))
    shown = {(span.first, span.last) for span in spans}  # hey's rows are a run and its timing
    spans += [span for timing in timings if ((span := _of_timing(timing)).first, span.last) not in shown]
    covered = Covered(spans)
    spans += [
        Span(block["lines"][0], block["lines"][1], "host", f"{block['kind']}: about the host")
        for block in found.blocks
        if block["lines"][0] not in covered
    ]
    return sorted(spans, key=lambda span: (span.first, span.last))


def _of_timing(timing: Timing) -> Span:
    """A file of single requests: where its run is known, that is its page."""
    home = timing.run or timing.experiment
    whose = timing.run.config.name if timing.run else timing.experiment.name
    n = f"n={timing.n} requests" if timing.n is not None else "percentiles"
    return Span(timing.line_first, timing.line_last, "load", f"{timing.tool} {n} → {whose}", home.get_absolute_url())


def _experiments(rows: Iterable[Run | Capture | Timing]) -> dict[int, Experiment]:
    return {row.experiment_id: row.experiment for row in rows}


def _with_quotes(row: Any, tint: str, title: str) -> Iterator[Span]:
    yield Span(row.line_first, row.line_last, tint, title, row.get_absolute_url())
    for first, last in row.quotes:
        yield Span(first, last, tint, f"{title} (quoted again)", row.get_absolute_url(), quote=True)
