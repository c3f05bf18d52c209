"""Lists: experiments, runs, hosts, uploads. Each is a few queries, whatever the number of rows."""

from __future__ import annotations

from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse

from runs import reads
from runs.analysis.sheet import Sheet
from runs.forms import RunFilterForm
from runs.models import Experiment, Host, Run, Upload
from runs.views.answer import answer
from runs.views.cards import cards
from runs.views.paging import page


def experiments(request: HttpRequest, fmt: str = "") -> HttpResponse:
    found = page(request, Experiment.objects.select_related("host"))
    shown = cards(reads.gists(found.rows))
    rows = tuple(
        (card.gist.experiment.pk, card.gist.experiment.name, str(card.gist.experiment.host or ""), name, len(values))
        + (sum(values) / len(values) if values else None,)
        for card in shown
        for name, values in card.gist.configs
    )
    heads = ("experiment_id", "experiment", "host", "config", "n", "requests_per_second_mean")
    context = {"cards": shown, "page": found}
    return answer(request, "experiments.html", context, Sheet("Experiments", heads, rows), fmt=fmt)


RUN_HEADS = (
    *("id", "experiment", "config", "label", "repeat", "tool", "requests_per_second", "mean_ms", "p95_ms"),
    *("failed_requests", "complete_requests", "host", "counted", "source"),
)


def runs(request: HttpRequest, fmt: str = "") -> HttpResponse:
    form = RunFilterForm(request.GET)
    wanted = form.cleaned_data if form.is_valid() else form.cleaned_data | {"sort": ""}
    found = Run.objects.select_related("experiment", "config", "host").defer("values", "quotes", "note")
    found = found.matching(**{name: wanted.get(name, "") for name in ("tool", "experiment", "host")})
    text = wanted.get("q", "")
    if text:
        found = found.filter(
            Q(label__icontains=text)
            | Q(config__name__icontains=text)
            | Q(experiment__name__icontains=text)
            | Q(command__icontains=text)
        )
    sort = wanted.get("sort") or "-id"
    column = "requests_per_second" if sort.endswith("rps") else "id"
    shown = page(request, found, column=column, descending=sort.startswith("-"))
    rows = tuple(
        (run.pk, run.experiment.name, run.config.name, run.label, run.repeat, run.tool, run.requests_per_second)
        + (run.mean_ms, run.percentiles_ms.get("95"), run.failed_requests, run.complete_requests)
        + (str(run.host or ""), run.counted, reads.line_url(run.upload_id, run.line_first))
        for run in shown.rows
    )
    context = {
        "form": form,
        "page": shown,
        "filtered": any(wanted.values()),
        "sources": {row[0]: row[-1] for row in rows},
    }
    return answer(request, "runs.html", context, Sheet("Runs", RUN_HEADS, rows), fmt=fmt)


def hosts(request: HttpRequest, fmt: str = "") -> HttpResponse:
    found = Host.objects.annotate(
        n_runs=Count("runs", distinct=True), n_experiments=Count("experiments", distinct=True)
    )
    shown = page(request, found)
    heads = ("id", "name", "cpu_model", "cores", "mhz", "ram_kb", "swap_kb", "os", "kernel", "runs")
    rows = tuple(
        (host.pk, host.name, host.cpu_model, host.cores, host.mhz, host.ram_kb, host.swap_kb, host.os, host.kernel)
        + (host.n_runs,)
        for host in shown.rows
    )
    return answer(request, "hosts.html", {"page": shown}, Sheet("Hosts", heads, rows), fmt=fmt)


def uploads(request: HttpRequest, fmt: str = "") -> HttpResponse:
    shown = page(request, Upload.objects.with_counts().defer("raw", "edits", "placed"))
    heads = ("id", "name", "status", "door", "created_at", "size_bytes", "n_lines", "runs", "captures", "problems")
    rows = tuple(
        (upload.pk, upload.name, upload.status, upload.door, upload.created_at.isoformat(), upload.size_bytes)
        + (upload.n_lines, upload.n_runs, upload.n_captures, len(upload.problems))
        for upload in shown.rows
    )
    return answer(request, "uploads.html", {"page": shown}, Sheet("Uploads", heads, rows), fmt=fmt)
