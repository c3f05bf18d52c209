"""Lists: experiments, hosts, uploads (and runs in runlist.py). Each is a few queries, whatever the number of rows."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from runs.analysis.sheet import Sheet
from runs.models import Experiment, Host, Upload
from runs.selectors import gists
from runs.views.answer import answer
from runs.views.cards import cards
from runs.views.paging import page


def experiments(request: HttpRequest, fmt: str = "") -> HttpResponse:
    found = page(request, Experiment.objects.select_related("host"))
    shown = cards(gists.gists(found.rows))
    rows = tuple(
        (card.gist.experiment.pk, card.gist.experiment.name, str(card.gist.experiment.host or ""), name, len(values))
        + (sum(values) / len(values) if values else None,)
        for card in shown
        for name, values in card.gist.configs
    )
    heads = ("experiment_id", "experiment", "host", "config", "n", "requests_per_second_mean")
    context = {"cards": shown, "page": found}
    return answer(request, "experiments.html", context, Sheet("Experiments", heads, rows), fmt=fmt)


def hosts(request: HttpRequest, fmt: str = "") -> HttpResponse:
    shown = page(request, Host.objects.all())
    heads = ("id", "name", "cpu_model", "cores", "mhz", "ram_kb", "swap_kb", "os", "kernel", "runs")
    rows = tuple(
        (host.pk, host.name, host.cpu_model, host.cores, host.mhz, host.ram_kb, host.swap_kb, host.os, host.kernel)
        + (host.n_runs,)
        for host in shown.rows
    )
    return answer(request, "hosts.html", {"page": shown}, Sheet("Hosts", heads, rows), fmt=fmt)


def uploads(request: HttpRequest, fmt: str = "") -> HttpResponse:
    shown = page(request, Upload.objects.with_counts().defer("raw", "blocks", "unread", "edits", "placed"))
    heads = ("id", "name", "status", "door", "created_at", "size_bytes", "n_lines", "runs", "captures", "problems")
    rows = tuple(
        (upload.pk, upload.name, upload.status, upload.door, upload.created_at.isoformat(), upload.size_bytes)
        + (upload.n_lines, upload.n_runs, upload.n_captures, len(upload.problems))
        for upload in shown.rows
    )
    return answer(request, "uploads.html", {"page": shown}, Sheet("Uploads", heads, rows), fmt=fmt)
