"""The page of one config: its runs, its texts and what it can be compared with."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404

from runs.analysis.export import Sheet
from runs.models import Config
from runs.page_formats import respond
from runs.selectors import reads

MAX_RUNS = 500


def config_detail(request: HttpRequest, pk: int, fmt: str = "") -> HttpResponse:
    config = get_object_or_404(Config.objects.select_related("experiment"), pk=pk)
    texts = [(text, reads.line_url(text.upload_id, text.line_first)) for text in reads.once(config.texts.all())]
    shared = reads.once(config.experiment.texts.filter(config=None))
    texts += [(text, reads.line_url(text.upload_id, text.line_first)) for text in shared]
    newest = list(config.runs.select_related("host").order_by("-id")[:MAX_RUNS])
    runs = [reads.run_fact(run) for run in sorted(newest, key=lambda run: (run.repeat, run.pk))]
    peers = list(config.experiment.configs.all())
    elsewhere = Config.objects.filter(name=config.name).exclude(pk=pk).select_related("experiment").order_by("-id")[:20]
    context = {"config": config, "texts": texts, "runs": runs, "peers": peers, "elsewhere": list(elsewhere)}
    context |= {"cut": len(runs) == MAX_RUNS, "trend": newest[0].fingerprint if newest else ""}
    rows = tuple((run.id, run.label, run.repeat, run.requests_per_second, run.mean_ms, run.source) for run in runs)
    heads = ("run", "label", "repeat", "requests_per_second", "mean_ms", "source")
    return respond(request, "config.html", context, Sheet(f"Config {config.name}", heads, rows), fmt=fmt)
