"""One run, host, config or capture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse

from runs.analysis.columns import compare_hosts
from runs.analysis.sheet import Sheet, Value
from runs.models import Capture, Config, Host, Run
from runs.presenters.monitor_charts import charts_of_capture, charts_of_run
from runs.presenters.run_charts import draw_latency, timings_of_run
from runs.selectors import lists, reads, summaries
from runs.selectors.samples import (
    count_processes,
    machine_table,
    process_table,
    program_table,
    samples_of_capture,
    samples_of_run,
)
from runs.views.answer import answer

MOST_LISTED, MOST_SENT, MOST_GROUPS = 500, 20_000, 40
HOST_PAGE_SIZE = 12  # experiments


def flat(values: dict[str, Any], stem: str = "") -> list[tuple[str, Value]]:
    """What a tool printed as (name, value) pairs, nested names joined with dots; lists are counted."""
    pairs: list[tuple[str, Value]] = []
    for name, value in values.items():
        if isinstance(value, dict):
            pairs += flat(value, f"{stem}{name}.")
        elif isinstance(value, list):
            pairs.append((f"{stem}{name}", f"{len(value)} entries"))
        else:
            pairs.append((f"{stem}{name}", value))
    return pairs


def run(request: HttpRequest, pk: int, fmt: str = "") -> HttpResponse:
    found = get_object_or_404(Run.objects.with_context(), pk=pk)
    fact = reads.run_fact(found)
    captures = list(found.captures.defer("values", "quotes"))
    seen = samples_of_run(found, captures)
    single = timings_of_run(found)
    chart = draw_latency(found, single["exact_ms"], request.GET.get("y", ""))
    pairs = flat(found.values)
    context = {
        "run": found,
        "fact": fact,
        "looks": _looks(captures),
        "over_time": charts_of_run(found, seen, request.GET.get("program", "")),
        "marks": seen.marks() if seen else [],
        "through": seen.captures[0] if seen else None,
        "around": seen.part_around(found) if seen else None,
        "chart": chart,
        "log": chart is not None and chart["layout"]["yaxis"]["type"] == "log",
        "pairs": pairs,
        "configs": list(found.experiment.configs.all()),
        "pictures": [("Latency percentiles", reverse("run-picture", args=[pk]))] if chart else [],
        "public": settings.PUBLIC_READ,
        "quotes": [(first, reads.line_url(found.upload_id, first)) for first, _ in found.quotes],
        **single,
    }
    sheet = Sheet(f"Run {found.pk}", ("name", "value"), tuple(pairs))
    payload = {"id": found.pk, "tool": found.tool, "experiment": found.experiment.name, "config": found.config.name}
    payload |= {"repeat": found.repeat, "label": found.label, "command": found.command, "source": fact.source}
    return answer(request, "run.html", context, sheet, fmt=fmt, payload=payload | {"values": found.values})


def _looks(captures: Sequence[Capture]) -> list[tuple[Capture, int, str]]:
    """(capture, how many processes it saw, where it stands in its text)."""
    n = count_processes(captures)
    return [(one, n.get(one.pk, 0), reads.line_url(one.upload_id, one.line_first)) for one in captures]


def host(request: HttpRequest, pk: int, fmt: str = "") -> HttpResponse:
    found = get_object_or_404(Host, pk=pk)
    _, properties = compare_hosts([vars(found)])
    experiments = summaries.experiments_on_host(found, HOST_PAGE_SIZE + 1, lists.id_after(request.GET))
    page = lists.make_page(request.GET, experiments, size=HOST_PAGE_SIZE)
    alike = (
        Host.objects.filter(fingerprint=found.fingerprint).exclude(pk=pk) if found.fingerprint else Host.objects.none()
    )
    context = {"host": found, "properties": properties, "alike": list(alike[:20])}
    context |= {"summaries": summaries.summarize(page.rows), "page": page}
    rows = tuple(properties)
    return answer(request, "host.html", context, Sheet(f"Host {found.name}", ("name", "value"), rows), fmt=fmt)


def config(request: HttpRequest, pk: int, fmt: str = "") -> HttpResponse:
    found = get_object_or_404(Config.objects.select_related("experiment"), pk=pk)
    texts = [(text, reads.line_url(text.upload_id, text.line_first)) for text in reads.once(found.texts.all())]
    shared = reads.once(found.experiment.texts.filter(config=None))
    texts += [(text, reads.line_url(text.upload_id, text.line_first)) for text in shared]
    newest = list(found.runs.select_related("host").order_by("-id")[:MOST_LISTED])
    runs = [reads.run_fact(run) for run in sorted(newest, key=lambda run: (run.repeat, run.pk))]
    peers = list(found.experiment.configs.all())
    elsewhere = Config.objects.filter(name=found.name).exclude(pk=pk).select_related("experiment").order_by("-id")[:20]
    context = {"config": found, "texts": texts, "runs": runs, "peers": peers, "elsewhere": list(elsewhere)}
    context |= {"cut": len(runs) == MOST_LISTED, "trend": newest[0].fingerprint if newest else ""}
    rows = tuple((run.id, run.label, run.repeat, run.requests_per_second, run.mean_ms, run.source) for run in runs)
    heads = ("run", "label", "repeat", "requests_per_second", "mean_ms", "source")
    return answer(request, "config.html", context, Sheet(f"Config {found.name}", heads, rows), fmt=fmt)


def capture(request: HttpRequest, pk: int, fmt: str = "") -> HttpResponse:
    found = get_object_or_404(Capture.objects.with_context().defer("values"), pk=pk)
    whole = bool(fmt or request.GET.get("format", ""))
    machine = machine_table(found)
    processes = process_table(found, MOST_SENT if whole else MOST_LISTED)
    seen = samples_of_capture(found)
    programs = seen.programs("rss_kb", "cpu_pct")
    source = reads.line_url(found.upload_id, found.line_first)
    context = {
        "capture": found,
        "source": source,
        "metrics": machine,
        "groups": program_table(programs, MOST_GROUPS),
        "processes": processes,
        "most": MOST_LISTED,
        "over_time": charts_of_capture(
            found,
            {one.name for one in machine if one.high or "swap" not in one.name},
            programs,
            request.GET.get("program", ""),
        ),
        "marks": seen.marks() if found.n_samples > 1 else [],
        "configs": list(found.experiment.configs.all()),
    }
    rows = tuple((one.pid, one.group, one.command, one.rss_kb, one.cpu_pct) for one in processes)
    sheet = Sheet(f"Capture {found.pk}", ("pid", "group", "command", "rss_kb", "cpu_pct"), rows)
    payload = {"id": found.pk, "tool": found.tool, "phase": found.phase, "source": source, "looks": found.n_samples}
    payload |= {"metrics": {one.name: one.mean for one in machine}, "processes": sheet.records()}
    return answer(request, "capture.html", context, sheet, fmt=fmt, payload=payload)
