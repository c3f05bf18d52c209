"""Experiments: their list, the page of one (its comparison, runs, monitors and texts), that of a config, and runs or configs
side by side; charts of them as pictures for other sites, which need a login as pages do, unless PUBLIC_READ is on; hosts; search.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.clickjacking import xframe_options_exempt

from runs import ingest
from runs.analysis.columns import Column, compare_hosts
from runs.analysis.export import FlatTable
from runs.analysis.facts import HARDWARE
from runs.database import parse_id
from runs.models import Config, Experiment, Host
from runs.presenters.comparison_page import make_comparison_context, read_selection, respond_comparison
from runs.presenters.overview import find_days, summarize_method
from runs.presenters.run_charts import EMPTY_PICTURES, describe_timings, draw_charts, draw_picture
from runs.responses import respond, respond_picture
from runs.selectors import comparison_data, lists
from runs.selectors.judging import compare_and_judge, keep_headline
from runs.selectors.summaries import find_excerpts, select_experiments, summarize

CARDS, CARDS_OF_HOST = 30, 12
LONGEST_SEARCH = 200
HOST_COLUMNS = ("id", "name", *HARDWARE, "runs")
COLUMNS = ("experiment_id", "experiment", "host", "config", "n", "requests_per_second_mean", "outcome", "headline")


def experiment_list(request: HttpRequest, fmt: str = "") -> HttpResponse:
    """The newest, of ?host= (an id) and with ?tag= where given; ?archived=1: those put away; ?compare=: selected, first."""
    tag, host_id = request.GET.get("tag", ""), parse_id(request.GET.get("host", ""))
    archived = request.GET.get("archived") == "1"
    host = get_object_or_404(Host, pk=host_id) if host_id is not None else None
    experiments = select_experiments(CARDS + 1, lists.read_id_after(request.GET), host=host, tag=tag, archived=archived)
    page = lists.make_page(request.GET, experiments, size=CARDS)
    chosen_id = parse_id(request.GET.get("compare", "")) or 0
    chosen = Experiment.objects.select_related("host").filter(pk=chosen_id).first() if chosen_id else None
    listed = [row for row in page.rows if row != chosen]
    summaries = summarize([chosen, *listed] if chosen else listed)
    rows = tuple(
        (summary.experiment.pk, summary.experiment.name, str(summary.experiment.host or ""), config.name)
        + (len(config.rates), config.mean)
        + ((summary.headline["outcome"], summary.headline["sentence"]) if summary.headline else ("", ""))
        for summary in summaries
        for config in summary.configs
    )
    facets = lists.list_popular_facets()
    context = {"summaries": summaries, "page": page, "tag": tag, "host": host, "hosts": lists.list_popular_hosts(host)}
    context |= {"tags": facets["tag"], "archived": archived, "chosen": chosen}
    return respond(request, "experiments.html", context, FlatTable("Experiments", COLUMNS, rows), fmt=fmt)


def experiment_detail(request: HttpRequest, pk: int, fmt: str = "") -> HttpResponse:
    experiment = get_object_or_404(Experiment.objects.select_related("host").prefetch_related("configs"), pk=pk)
    data = comparison_data.load_experiment(experiment)
    context = make_comparison_context(
        request, data, experiment.name, lambda what: reverse("experiment-picture", args=[pk, what])
    )
    keep_headline(experiment, data, context["comparison"], context["judged"])
    columns = context["comparison"].columns
    days = find_days(columns)
    context |= {
        "experiment": experiment,
        "notes": experiment.notes,
        "meta": summarize_method(columns, context["n_left_out"]),
        "days": days,
        "trend": _find_trend(columns, days),
        "permalink": experiment.get_absolute_url(),
        "excerpts": find_excerpts(data.uploads),
        "n_texts": len(data.uploads),
        **(describe_timings(data.waiting) if data.waiting else {}),
    }
    head: dict[str, object] = {"runs_not_read": data.n_older} if data.n_older else {}
    head |= {"id": experiment.pk, "name": experiment.name, "url": experiment.get_absolute_url()}
    return respond_comparison(request, "experiment.html", context, fmt=fmt, **head)


def _find_trend(columns: Sequence[Column], days: tuple[date, date] | None) -> str:
    """The fingerprint of the trend that a single config's runs of several days are; "" otherwise."""
    is_trend = len(columns) == 1 and days is not None and days[0] < days[1]
    return lists.find_fingerprint(columns[0].runs[-1].id) if is_trend else ""


def compare(request: HttpRequest, fmt: str = "") -> HttpResponse:
    """/compare/?runs=1,2,3 or ?configs=4,5 or ?experiments=6,7; the first is the baseline."""
    asked, data = read_selection(request)
    kept = request.GET.copy()
    kept.pop("format", None)
    query = f"?{kept.urlencode()}" if kept else ""
    context = make_comparison_context(
        request, data, "Comparison", lambda what: reverse("compare-picture", args=[what]) + query
    )
    context |= {"asked": asked, "found": len(data.runs), "permalink": reverse("compare") + query}
    context["meta"] = summarize_method(context["comparison"].columns, context["n_left_out"])
    uploads = {run.upload for run in data.runs}
    context |= {"excerpts": find_excerpts(uploads), "n_texts": len(uploads)}
    return respond_comparison(request, "compare.html", context, fmt=fmt)


MAX_LISTED = 500


def config_detail(request: HttpRequest, pk: int, fmt: str = "") -> HttpResponse:
    config = get_object_or_404(Config.objects.select_related("experiment"), pk=pk)
    texts = [
        (text, ingest.line_url(text.upload_id, text.line_first))
        for text in comparison_data.drop_repeated_texts(config.texts.all())
    ]
    shared = comparison_data.drop_repeated_texts(config.experiment.texts.filter(config=None))
    texts += [(text, ingest.line_url(text.upload_id, text.line_first)) for text in shared]
    newest = list(config.runs.select_related("host").order_by("-id")[:MAX_LISTED])
    runs = [ingest.make_run_fact(run) for run in sorted(newest, key=lambda run: (run.repeat, run.pk))]
    peers = list(config.experiment.configs.all())
    elsewhere = Config.objects.filter(name=config.name).exclude(pk=pk).select_related("experiment").order_by("-id")[:20]
    context = {"config": config, "texts": texts, "runs": runs, "peers": peers, "elsewhere": list(elsewhere)}
    context |= {"cut": len(runs) == MAX_LISTED, "trend": newest[0].fingerprint if newest else ""}
    rows = tuple((run.id, run.label, run.repeat, run.requests_per_second, run.mean_ms, run.source) for run in runs)
    heads = ("run", "label", "repeat", "requests_per_second", "mean_ms", "source")
    return respond(request, "config.html", context, FlatTable(f"Config {config.name}", heads, rows), fmt=fmt)


@xframe_options_exempt
def experiment_picture(request: HttpRequest, pk: int, what: str) -> HttpResponse:
    experiment = get_object_or_404(Experiment.objects.select_related("host"), pk=pk)
    return _respond_picture(request, what, comparison_data.load_experiment(experiment), experiment.name)


@xframe_options_exempt
def compare_picture(request: HttpRequest, what: str) -> HttpResponse:
    return _respond_picture(request, what, read_selection(request)[1], "Comparison")


def _respond_picture(request: HttpRequest, what: str, data: comparison_data.ComparisonData, title: str) -> HttpResponse:
    comparison, judged = compare_and_judge(data)
    charts = draw_charts(comparison, judged, data.counted_captures, request.GET.get("y", ""))
    if what not in charts and what not in EMPTY_PICTURES:
        raise Http404(f"No picture is called {what}; there are {', '.join(charts) or 'none'}.")
    return respond_picture(request, draw_picture(charts.get(what), what, title))


def host_list(request: HttpRequest, fmt: str = "") -> HttpResponse:
    page = lists.paginate(request.GET, Host.objects.all())
    rows = tuple((*(getattr(host, name) for name in HOST_COLUMNS[:-1]), host.n_runs) for host in page.rows)
    return respond(request, "hosts.html", {"page": page}, FlatTable("Hosts", HOST_COLUMNS, rows), fmt=fmt)


def host_detail(request: HttpRequest, pk: int, fmt: str = "") -> HttpResponse:
    host = get_object_or_404(Host, pk=pk)
    _, properties = compare_hosts([vars(host)])
    experiments = select_experiments(CARDS_OF_HOST + 1, lists.read_id_after(request.GET), host=host)
    page = lists.make_page(request.GET, experiments, size=CARDS_OF_HOST)
    alike = Host.objects.filter(fingerprint=host.fingerprint).exclude(pk=pk)[:20] if host.fingerprint else []
    context = {"host": host, "properties": properties, "alike": list(alike)}
    context |= {"summaries": summarize(page.rows), "page": page}
    rows = tuple(properties)
    return respond(request, "host.html", context, FlatTable(f"Host {host.name}", ("name", "value"), rows), fmt=fmt)


def search(request: HttpRequest) -> HttpResponse:
    text = request.GET.get("q", "").strip()
    text = text if len(text) <= LONGEST_SEARCH else ""
    return render(request, "search.html", {"text": text, "text_searched": text, "groups": lists.search_site(text)})
