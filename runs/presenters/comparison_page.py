"""What every page that compares has: the table, the conclusions, the charts; and the formats that it is exported in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.safestring import mark_safe

from runs.analysis import sheet
from runs.analysis.columns import compare_columns, compare_hosts
from runs.analysis.export import Post, commands, common_environment, markdown, sections
from runs.analysis.headline_wording import describe_lead
from runs.analysis.stats import delta_word
from runs.analysis.summary_wording import describe_method
from runs.analysis.table import Comparison
from runs.analysis.verdict import Judgement
from runs.analysis.verdict_wording import LABELS, SIGNS, describe_baselines
from runs.api.comparisons import describe_conclusions
from runs.charts.description import Chart
from runs.charts.svg_file import draw_file
from runs.page_formats import PICTURE_POLICY, render_with_formats, respond, respond_figure
from runs.presenters.run_charts import USUAL_CHARTS, draw_charts
from runs.querysets import parse_id
from runs.selectors import judging, reads

# Every address of ours begins with a slash. In a text no "<" stands as such, so that nothing else looks like this.
OURS = re.compile(r'(<a\s[^<>]*?href=")/')
MAX_COMPARED = 400
PICTURES = {"throughput": "Requests per second", "latency": "Latency percentiles"}


def comparison_context(
    request: HttpRequest, material: reads.Material, title: str, picture_url: Callable[[str], str]
) -> dict[str, Any]:
    """What every template of a comparison needs. picture_url: the address of a chart as an SVG picture, by its name."""
    comparison, judged = judging.compared(material)
    silent = judged.judgement.silent
    differ, same = compare_columns(comparison.columns)
    hosts_differ, hosts_same = compare_hosts([vars(host) for host in material.hosts])
    lead = describe_lead(judged.headline)
    charts = draw_compared(comparison, judged, material, request.GET.get("y", ""))
    drawn_at = {what: picture_url(what) for what in PICTURES if what in charts}
    return {
        "title": title,
        "comparison": comparison,
        "judged": judged,
        "headline": judged.headline,
        "lead": lead,
        "judgement": judged.judgement,
        "against": describe_baselines(comparison, judged.judgement),
        "several_bases": len(set(judged.judgement.bases)) > 1,
        "doubts": judged.doubts,
        "verdicts": list_verdicts(comparison, judged.judgement),
        "out": judged.out,
        "silent": silent,
        "scaling": judged.sweeps,
        "cost": judged.cost,
        "directives": judged.differences,
        "charts": charts,
        "pictures": [(PICTURES[what], url) for what, url in drawn_at.items()],
        "missing": [name for name in USUAL_CHARTS if name not in charts] if material.runs else [],
        "public": settings.PUBLIC_READ,
        "log": "latency" in charts and charts["latency"].is_log,
        "hosts": material.hosts,
        "texts": material.texts,
        "config_names": {config.id: config.name for config in material.configs},
        "configs": material.configs,
        "runs": material.runs,
        "captures": material.captures,
        "over_time": sorted([one for one in material.captures if one.n > 1], key=lambda one: (-one.n, one.id)),
        "differ": differ,
        "same": same,
        "hosts_differ": hosts_differ,
        "hosts_same": hosts_same,
    }


def draw_compared(
    comparison: Comparison, judged: judging.Judged, material: reads.Material, scale: str
) -> dict[str, Chart]:
    return draw_charts(
        comparison,
        material.counted_captures,
        judged.sweeps,
        headline=judged.headline,
        silent=judged.judgement.silent,
        out=judged.out,
        scale=scale,
    )


def list_verdicts(comparison: Comparison, judgement: Judgement) -> list[dict[str, Any]]:
    """Every verdict with its words and the names that it is about, in the order of the table."""
    return [
        {
            "label": row.label,
            "title": column.title,
            "base": comparison.columns[verdict.base].title,
            "verdict": verdict,
            "word": LABELS[verdict.kind],
            "sign": SIGNS[verdict.kind],
            "words": judgement.words[row.key, at],
            "effect": "" if verdict.effect is None else delta_word(verdict.effect),
        }
        for group in comparison.groups
        for row in group.rows
        for at, column in enumerate(comparison.columns)
        if (verdict := judgement.of(row.key, at)) is not None
    ]


def respond_comparison(
    request: HttpRequest, template: str, context: dict[str, Any], *, fmt: str, **head: Any
) -> HttpResponse:
    """The page, or one of the forms it is exported in. `context` also has permalink; `head` comes first in JSON."""
    fmt = fmt or request.GET.get("format", "")
    if fmt == "html":
        return standalone_file(request, build_post(request, context), context)
    if not fmt and "figure" in request.GET:
        return respond_figure(request.GET["figure"], context["charts"], context["title"])
    if not fmt:
        return render_with_formats(request, template, context, more=("html",))
    comparison, judgement = context["comparison"], context["judgement"]
    post = markdown(build_post(request, context)) if fmt == "md" else ""
    payload = head | describe_conclusions(comparison, context["judged"]) if fmt == "json" else None
    flat = sheet.of_comparison(context["title"], comparison, judgement)
    return respond(request, template, context, flat, fmt=fmt, payload=payload, markdown=post)


def build_post(request: HttpRequest, context: dict[str, Any]) -> Post:
    """The page as a post. Pictures are named by address only where anybody may read them."""
    comparison, judged = context["comparison"], context["judged"]
    same, differ = common_environment(
        *(context[name] for name in ("differ", "same", "hosts_differ", "hosts_same")), has_hosts=bool(context["hosts"])
    )
    return Post(
        title=context["title"],
        url=request.build_absolute_uri(context["permalink"]),
        comparison=comparison,
        headline=judged.headline,
        judgement=judged.judgement,
        doubts=judged.doubts,
        absolute=request.build_absolute_uri,
        pictures=[(words, request.build_absolute_uri(url)) for words, url in context["pictures"]],
        sections=sections(judged.cost, judged.sweeps, judged.differences),
        method=describe_method(comparison, judged.judgement),
        commands=commands(comparison),
        same=same,
        differ=differ,
        notes=context.get("notes", ""),
    )


def standalone_file(request: HttpRequest, post: Post, context: dict[str, Any]) -> HttpResponse:
    """The file. Its links lead to this site, so they name it."""
    drawn = [draw_file(chart, post.title) for chart in context["charts"].values()]
    # The pictures' own code escapes every name in them.
    pictures = [mark_safe(picture) for picture in drawn]  # noqa: S308
    page: str = render_to_string(
        "standalone.html", context | {"post": post, "drawn": pictures, "policy": PICTURE_POLICY}
    )
    page = OURS.sub(lambda found: f"{found[1]}{request.build_absolute_uri('/')}", page)
    response = HttpResponse(page)
    response.headers["Content-Security-Policy"] = PICTURE_POLICY
    response.headers["Content-Disposition"] = f"inline; filename*=UTF-8''{quote(f'{post.title}.html', safe='')}"
    return response


def read_selection(request: HttpRequest) -> tuple[int, reads.Material]:
    """(how many rows ?runs=, ?configs= or ?experiments= asks for, what was found). Raises Http404 where it makes no sense."""
    runs, configs, experiments = (parse_ids(request.GET.getlist(name)) for name in ("runs", "configs", "experiments"))
    if runs or not (configs or experiments):
        return len(runs), reads.of_runs(runs)
    if not configs:
        configs = reads.configs_of(experiments, MAX_COMPARED)
    return len(configs), reads.of_configs(configs)


def parse_ids(values: Iterable[str]) -> list[int]:
    """ "1,2,3" (or repeated parameters) as numbers in order, each once. Raises Http404 for anything else."""
    words = [word.strip() for value in values for word in value.split(",") if word.strip()]
    numbers = [pk for pk in map(parse_id, words) if pk is not None]
    if len(numbers) < len(words):
        raise Http404("Expected numbers with commas between them, as in ?runs=1,2,3.")
    if len(words) > MAX_COMPARED:
        raise Http404(f"At most {MAX_COMPARED} can be compared at once.")
    return list(dict.fromkeys(numbers))
