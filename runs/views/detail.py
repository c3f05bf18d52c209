"""One run, host, config or capture."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse

from runs import reads
from runs.analysis import differences, processes
from runs.analysis.sheet import Sheet, Value
from runs.figures import latency, overtime
from runs.ingest.pack import unpack
from runs.models import Capture, Config, Experiment, Host, Run
from runs.views import timings
from runs.views.answer import answer
from runs.views.cards import cards
from runs.views.charts import wants_log
from runs.views.spectra import percentiles

OVER_TIME = [
    ("cpu_us", "CPU, user", "%"),
    ("cpu_sy", "CPU, system", "%"),
    ("cpu_wa", "CPU, waiting", "%"),
    ("load1", "load, 1 minute", "load"),
    ("mem_free_kb", "free memory", "MiB"),
    ("swap_used_kb", "swap used", "MiB"),
]


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
    looks = reads.looks_of(list(found.captures.defer("values", "quotes")))
    chart, log = None, False
    single = timings.of_run(found)
    spectrum = percentiles(found.percentiles_ms, single["timed"].percentiles_ms)
    if len(spectrum) > 1:
        line = latency.Line(found.config.name, 0, 1, spectrum, found.complete_requests)
        log = wants_log(request.GET.get("y", ""), [line])
        chart = latency.figure([line], log=log)
    pairs = flat(found.values)
    context = {
        "run": found,
        "fact": fact,
        "looks": looks,
        "chart": chart,
        "log": log,
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


def host(request: HttpRequest, pk: int, fmt: str = "") -> HttpResponse:
    found = get_object_or_404(Host, pk=pk)
    _, properties = differences.of_hosts([vars(found)])
    here = found.runs.values("experiment")
    shown = cards(reads.gists(list(Experiment.objects.filter(pk__in=here).select_related("host")[:50])))
    alike = (
        Host.objects.filter(fingerprint=found.fingerprint).exclude(pk=pk) if found.fingerprint else Host.objects.none()
    )
    context = {"host": found, "properties": properties, "cards": shown, "alike": list(alike[:20])}
    rows = tuple(properties)
    return answer(request, "host.html", context, Sheet(f"Host {found.name}", ("name", "value"), rows), fmt=fmt)


def config(request: HttpRequest, pk: int, fmt: str = "") -> HttpResponse:
    found = get_object_or_404(Config.objects.select_related("experiment"), pk=pk)
    texts = [(text, reads.line_url(text.upload_id, text.line_first)) for text in reads.once(found.texts.all())]
    shared = reads.once(found.experiment.texts.filter(config=None))
    texts += [(text, reads.line_url(text.upload_id, text.line_first)) for text in shared]
    runs = [reads.run_fact(run) for run in found.runs.select_related("host").order_by("repeat", "id")]
    peers = list(found.experiment.configs.all())
    elsewhere = Config.objects.filter(name=found.name).exclude(pk=pk).select_related("experiment").order_by("-id")[:20]
    context = {"config": found, "texts": texts, "runs": runs, "peers": peers, "elsewhere": list(elsewhere)}
    rows = tuple((run.id, run.label, run.repeat, run.requests_per_second, run.mean_ms, run.source) for run in runs)
    heads = ("run", "label", "repeat", "requests_per_second", "mean_ms", "source")
    return answer(request, "config.html", context, Sheet(f"Config {found.name}", heads, rows), fmt=fmt)


def capture(request: HttpRequest, pk: int, fmt: str = "") -> HttpResponse:
    found = get_object_or_404(Capture.objects.with_context(), pk=pk)
    look = reads.looks_of([found])[0]
    ordered = sorted(look.processes, key=lambda one: (-(one.rss_kb or 0), one.pid))
    rows = tuple((one.pid, one.group, one.command, one.rss_kb, one.cpu_pct) for one in ordered)
    context = {
        "capture": found,
        "look": look,
        "source": look.source,
        "metrics": sorted(look.metrics.items()),
        "groups": processes.groups(look.processes),
        "processes": ordered[:500],
        "chart": _over_time(found) if found.n_samples > 1 else None,
        "configs": list(found.experiment.configs.all()),
    }
    sheet = Sheet(f"Capture {found.pk}", ("pid", "group", "command", "rss_kb", "cpu_pct"), rows)
    payload = {
        "id": found.pk,
        "tool": found.tool,
        "phase": found.phase,
        "source": look.source,
        "looks": found.n_samples,
    }
    payload |= {"metrics": look.metrics, "processes": sheet.records()}
    return answer(request, "capture.html", context, sheet, fmt=fmt, payload=payload)


def _over_time(found: Capture) -> dict[str, Any] | None:
    names = [name for name, _, _ in OVER_TIME]
    told = found.series.filter(pid=None, metric__in=[*names, "clock_s"])
    rows = {row.metric: unpack(row.samples, found.n_samples).tolist() for row in told}
    tracks = [
        overtime.Track(label, unit, tuple(_scaled(value, unit) for value in rows[name]))
        for name, label, unit in OVER_TIME
        if name in rows
    ]
    clock = [_scaled(second, "s") for second in rows.get("clock_s", [])]
    return overtime.figure(tracks, clock) if tracks else None


def _scaled(value: float, unit: str) -> float | None:
    if value != value:  # NaN: this look lacks the figure
        return None
    return round(value / 1024, 2) if unit == "MiB" else value
