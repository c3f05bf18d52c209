"""The page of one capture: what the monitor printed of the machine and of its processes."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404

from runs.analysis.sheet import Sheet
from runs.models import Capture
from runs.page_formats import respond
from runs.presenters.monitor_charts import charts_of_capture
from runs.selectors import reads
from runs.selectors.samples import machine_table, process_table, program_table, samples_of_capture

MAX_SHOWN, MAX_EXPORTED, MAX_PROGRAMS = 500, 20_000, 40


def capture_detail(request: HttpRequest, pk: int, fmt: str = "") -> HttpResponse:
    capture = get_object_or_404(Capture.objects.with_context().defer("values"), pk=pk)
    whole = bool(fmt or request.GET.get("format", ""))
    machine = machine_table(capture)
    processes = process_table(capture, MAX_EXPORTED if whole else MAX_SHOWN)
    seen = samples_of_capture(capture)
    programs = seen.programs("rss_kb", "cpu_pct")
    source = reads.line_url(capture.upload_id, capture.line_first)
    context = {
        "capture": capture,
        "source": source,
        "metrics": machine,
        "groups": program_table(capture, programs, MAX_PROGRAMS),
        "processes": processes,
        "most": MAX_SHOWN,
        "over_time": charts_of_capture(capture, machine, programs, request.GET.get("program", "")),
        "marks": seen.marks() if capture.n_samples > 1 else [],
        "configs": list(capture.experiment.configs.all()),
    }
    rows = tuple((one.pid, one.group, one.command, one.rss_kb, one.cpu_pct) for one in processes)
    sheet = Sheet(f"Capture {capture.pk}", ("pid", "group", "command", "rss_kb", "cpu_pct"), rows)
    payload = {"id": capture.pk, "tool": capture.tool, "phase": capture.phase, "source": source}
    payload |= {
        "looks": capture.n_samples,
        "metrics": {one.metric: one.mean for one in machine},
        "processes": sheet.records(),
    }
    return respond(request, "capture.html", context, sheet, fmt=fmt, payload=payload)
