"""What every page that compares has: the table, the conclusions, the charts; and the formats that it is exported in."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.contrib.staticfiles import finders
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.html import strip_tags
from django.utils.safestring import mark_safe

from runs.analysis import export
from runs.analysis.columns import compare_columns, compare_hosts
from runs.analysis.config_diff import ConfigDiff
from runs.analysis.export import CaptionedTable, Post, collect_commands, collect_environment, list_sections, write_post
from runs.analysis.facts import CaptureFact, RunFact
from runs.analysis.summary_wording import describe_method
from runs.analysis.verdict_wording import describe_baselines
from runs.api.comparisons import describe_conclusions
from runs.charts.svg_file import draw_file
from runs.database import parse_ids
from runs.models import Capture
from runs.numbers import capitalize, join_words, write_count
from runs.presenters import monitor_charts
from runs.presenters.overview import MetricTable, make_block, make_table
from runs.presenters.run_charts import USUAL_CHARTS, draw_charts
from runs.responses import PICTURE_POLICY, render_with_formats, respond, respond_figure
from runs.selectors import comparison_data, judging, samples

# Every address of ours begins with a slash. In a text no "<" stands as such, so that nothing else looks like this.
OURS = re.compile(r'(<a\s[^<>]*?href=")/')
MAX_COMPARED = 400
MOST_WATCHED = 40  # captures to choose from
MOST_BESIDE = 4  # captures of a run that are listed one by one; of more there is a line, which leads to the run's page
PICTURES = {"throughput": "Requests per second", "latency": "Latency percentiles"}


def make_comparison_context(
    request: HttpRequest, data: comparison_data.ComparisonData, title: str, picture_url: Callable[[str], str]
) -> dict[str, Any]:
    """What every template of a comparison needs. picture_url: the address of a chart as an SVG picture, by its name."""
    comparison, judged = judging.compare_and_judge(data)
    differ, same = compare_columns(comparison.columns)
    hosts_differ, hosts_same = compare_hosts([vars(host) for host in data.hosts])
    whole = request.GET.get("metrics") == "all"
    charts = draw_charts(comparison, judged, data.counted_captures, request.GET.get("y", ""))
    drawn_at = {what: picture_url(what) for what in PICTURES if what in charts}
    return {
        "title": title,
        "comparison": comparison,
        "judged": judged,
        "headline": judged.headline,
        "outcome": make_block(comparison, judged),
        "table": make_table(comparison, judged.judgement, judged.headline, whole=whole),
        "whole": whole,
        "against": describe_baselines(comparison, judged.judgement),
        "several_bases": len(set(judged.judgement.bases)) > 1,
        "columns_of": {column.config.id: column for column in reversed(comparison.columns)},
        "charts": charts,
        "pictures": [(PICTURES[what], url) for what, url in drawn_at.items()],
        "missing": [name for name in USUAL_CHARTS if name not in charts] if data.runs else [],
        "public": settings.PUBLIC_READ,
        "log": "latency" in charts and charts["latency"].is_log,
        "data": data,
        "config_names": {config.id: config.name for config in data.configs},
        "n_runs": len(data.runs),
        "n_left_out": sum(not run.counted for run in data.runs),
        "watched_runs": group_captures(data),
        "watched": find_watched(data, request.GET.get("watch", "")),
        "differ": differ,
        "same": same,
        "same_words": describe_same(same, judged.differences, len(comparison.columns)),
        "hosts_differ": hosts_differ,
        "hosts_same": hosts_same,
    }


def group_captures(data: comparison_data.ComparisonData) -> list[tuple[RunFact | None, list[CaptureFact]]]:
    """Captures by the run that they stand beside, in order; without a run where there are few, or no run is known."""
    runs = {run.id: run for run in data.runs}
    counts = Counter(capture.run for capture in data.captures)
    grouped: dict[int, list[CaptureFact]] = {}
    for capture in data.captures:
        is_one_of_many = counts[capture.run] > MOST_BESIDE and capture.run in runs
        grouped.setdefault(capture.run or 0 if is_one_of_many else 0, []).append(capture)
    return [(runs.get(number), captures) for number, captures in grouped.items()]


@dataclass(frozen=True, slots=True)
class WatchedCaptures:
    """What monitors saw over time: the charts of one capture, and all captures of several samples to choose from."""

    shown: CaptureFact
    captures: list[CaptureFact]
    charts: list[monitor_charts.Place]


def find_watched(data: comparison_data.ComparisonData, wanted: str) -> WatchedCaptures | None:
    """wanted: the id of a capture; else the one of most samples. At most three queries."""
    has_whole = any(one.divided for one in data.captures)
    several = [one for one in data.captures if one.n > 1 and not (one.part and has_whole)]
    captures = sorted(several, key=lambda one: (-one.n, one.id))
    if not captures:
        return None
    shown = next((one for one in captures if str(one.id) == wanted), captures[0])
    capture = Capture.objects.defer("values", "quotes").get(pk=shown.id)
    programs = samples.load_samples_of_capture(capture).programs("rss_kb", "cpu_pct")
    charts = monitor_charts.make_charts_of_capture(capture, samples.list_machine_series(capture), programs, "")
    return WatchedCaptures(shown, captures[:MOST_WATCHED], charts)


def describe_same(same: Sequence[tuple[str, str]], differences: ConfigDiff, n_columns: int) -> str:
    """As "13 directives, host and command are the same"."""
    n = sum(file.same for file in differences.files)
    words = [write_count(n, "directive")] if n else []
    words += [name.lower() for name, _ in same]
    if not words or n_columns < 2:
        return "What was run, and where"
    return f"{capitalize(join_words(words))} {'is' if len(words) == 1 and not n else 'are'} the same"


def respond_comparison(
    request: HttpRequest, template: str, context: dict[str, Any], *, fmt: str, **head: Any
) -> HttpResponse:
    """The page, or one of the forms it is exported in. `context` also has permalink; `head` comes first in JSON."""
    fmt = fmt or request.GET.get("format", "")
    if fmt == "html":
        return respond_standalone_file(request, build_post(request, context), context)
    if not fmt and "figure" in request.GET:
        return respond_figure(request.GET["figure"], context["charts"], context["title"])
    if not fmt:
        return render_with_formats(request, template, context, more=("html",))
    comparison, judged = context["comparison"], context["judged"]
    post = write_post(build_post(request, context)) if fmt == "md" else ""
    payload = head | describe_conclusions(comparison, judged) if fmt == "json" else None
    flat = export.make_comparison_sheet(context["title"], comparison, judged.judgement)
    return respond(request, template, context, flat, fmt=fmt, payload=payload, markdown=post)


def build_post(request: HttpRequest, context: dict[str, Any]) -> Post:
    """The page as a post. Pictures are named by address only where anybody may read them."""
    comparison, judged, table = context["comparison"], context["judged"], context["table"]
    if table.n_left:  # a file has all configs
        every = len(comparison.columns)
        table = make_table(comparison, judged.judgement, judged.headline, whole=False, most=every)
    same, differ = collect_environment(
        *(context[name] for name in ("differ", "same", "hosts_differ", "hosts_same")),
        has_hosts=bool(context["data"].hosts),
    )
    return Post(
        title=context["title"],
        url=request.build_absolute_uri(context["permalink"]),
        comparison=comparison,
        headline=judged.headline,
        judgement=judged.judgement,
        doubts=judged.doubts,
        causes=judged.causes,
        overview=_write_overview(table) if table.rows else None,
        next=context["outcome"].command,
        absolute=request.build_absolute_uri,
        pictures=[(words, request.build_absolute_uri(url)) for words, url in context["pictures"]],
        sections=list_sections(comparison.columns, judged.cost, judged.sweeps, judged.differences),
        method=describe_method(comparison, judged.judgement),
        commands=collect_commands(comparison),
        same=same,
        differ=differ,
        notes=context.get("notes", ""),
    )


def _write_overview(table: MetricTable) -> CaptionedTable:
    """The key table in plain words."""
    rows = (
        (
            f"{row.label} ({row.unit})" if row.unit else row.label,
            *(
                " ".join(
                    filter(None, (strip_tags(cell.value).replace("·", " · "), cell.change, cell.note, cell.verdict))
                )
                for cell in row.cells
            ),
        )
        for row in table.rows
    )
    return CaptionedTable(
        "", ("", *(f"{column.letter} {column.title} (n={len(column.runs)})" for column in table.columns)), tuple(rows)
    )


def respond_standalone_file(request: HttpRequest, post: Post, context: dict[str, Any]) -> HttpResponse:
    """The file, in the pages' own styles and with all metrics. Its links lead to this site, so they name it."""
    # The pictures' own code escapes every name in them.
    pictures = [
        mark_safe(draw_file(chart, post.title))  # noqa: S308
        for name, chart in context["charts"].items()
        if name not in ("throughput", "sweep")  # they stand beside the headline
    ]
    added = {"post": post, "drawn": pictures, "policy": PICTURE_POLICY, "styles": read_styles(), "whole": True}
    judged = context["judged"]
    added["table"] = make_table(context["comparison"], judged.judgement, judged.headline, whole=True)
    page: str = render_to_string("standalone.html", context | added)
    page = OURS.sub(lambda match: f"{match[1]}{request.build_absolute_uri('/')}", page)
    response = HttpResponse(page)
    response.headers["Content-Security-Policy"] = PICTURE_POLICY
    response.headers["Content-Disposition"] = f"inline; filename*=UTF-8''{quote(f'{post.title}.html', safe='')}"
    return response


@cache
def read_styles() -> str:
    """The style sheets of a comparison's page as one."""
    files = [finders.find(f"css/{name}.css") for name in ("base", "data", "comparison")]
    return mark_safe("".join(Path(str(file)).read_text() for file in files))  # noqa: S308  (our own files)


def read_selection(request: HttpRequest) -> tuple[int, comparison_data.ComparisonData]:
    """(how many rows ?runs=, ?configs= or ?experiments= asks for, what was found). Raises Http404 where it makes no sense."""
    runs, configs, experiments = (_read_ids(request, name) for name in ("runs", "configs", "experiments"))
    if runs or not (configs or experiments):
        return len(runs), comparison_data.load_runs(runs)
    if not configs:
        configs = comparison_data.list_config_ids(experiments, MAX_COMPARED)
    return len(configs), comparison_data.load_configs(configs)


def _read_ids(request: HttpRequest, name: str) -> list[int]:
    """Of one parameter, or of several of that name."""
    ids = parse_ids(",".join(request.GET.getlist(name)))
    if ids is None:
        raise Http404("Expected numbers with commas between them, as in ?runs=1,2,3.")
    if len(ids) > MAX_COMPARED:
        raise Http404(f"At most {MAX_COMPARED} can be compared at once.")
    return ids
