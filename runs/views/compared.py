"""What every page that compares has: the table, the conclusions, the charts; and the forms it can be taken away in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from runs.analysis import sheet, table
from runs.analysis.columns import compare_columns, compare_hosts
from runs.analysis.export import Post, commands, common_environment, markdown, sections, spoken
from runs.analysis.summary_wording import describe_baselines, describe_method
from runs.presenters.comparison_charts import USUAL_CHARTS, draw_charts
from runs.selectors import judging, reads
from runs.views.answer import answer
from runs.views.standalone import standalone

PICTURES = {"throughput": "Requests per second", "latency": "Latency percentiles"}


def context_of(request: HttpRequest, material: reads.Material) -> dict[str, Any]:
    """Everything that the parts of a comparison page need."""
    comparison, judged = judging.compared(material)
    silent = judged.silent(comparison)
    scale = request.GET.get("y", "")
    charts = draw_charts(comparison, material.captures, judged.sweeps, silent=silent, out=judged.out, scale=scale)
    return {
        "comparison": comparison,
        "judged": judged,
        "judgement": judged.judgement,
        "against": describe_baselines(comparison, judged.judgement),
        "several_bases": len(set(judged.judgement.bases)) > 1,
        "doubts": judged.doubts,
        "verdicts": spoken(comparison, judged.judgement),
        "out": judged.out,
        "silent": silent,
        "scaling": judged.sweeps,
        "cost": judged.cost,
        "directives": judged.differences,
        "charts": charts,
        "missing": [name for name in USUAL_CHARTS if name not in charts] if material.runs else [],
        "public": settings.PUBLIC_READ,
        "log": "latency" in charts and charts["latency"]["layout"]["yaxis"]["type"] == "log",
        "hosts": material.hosts,
        "texts": material.texts,
        "config_names": {config.id: config.name for config in material.configs},
        "configs": material.configs,
        "runs": material.runs,
        "captures": material.captures,
        "over_time": sorted((one for one in material.captures if one.n > 1), key=lambda one: (-one.n, one.id)),
    } | _differences(comparison, material)


def _differences(comparison: table.Comparison, material: reads.Material) -> dict[str, Any]:
    differ, same = compare_columns(comparison.columns)
    hosts_differ, hosts_same = compare_hosts([vars(host) for host in material.hosts])
    return {
        "differ": differ,
        "same": same,
        "hosts_differ": hosts_differ,
        "hosts_same": hosts_same,
    }


def answer_compared(
    request: HttpRequest, template: str, context: dict[str, Any], *, fmt: str, **head: Any
) -> HttpResponse:
    """The page, or one of the forms it is taken away in. `context` also has title, permalink and drawn_at.

    `head`: what stands before the rest in JSON.
    """
    context["pictures"] = [(PICTURES[what], url) for what, url in context["drawn_at"].items()]
    fmt = fmt or request.GET.get("format", "")
    if fmt == "html":
        return standalone(request, post_of(request, context), context)
    comparison, judgement = context["comparison"], context["judgement"]
    post = markdown(post_of(request, context)) if fmt == "md" else ""
    payload = head | context["judged"].as_dict(comparison) if fmt == "json" else None
    flat = sheet.of_comparison(context["title"], comparison, judgement)
    return answer(request, template, context, flat, fmt=fmt, payload=payload, markdown=post, more=("html",))


def drawn_at(charts: Mapping[str, Any], address: Callable[[str], str]) -> dict[str, str]:
    """Picture -> its address, for those that have something to show."""
    return {what: address(what) for what in PICTURES if what in charts}


def post_of(request: HttpRequest, context: dict[str, Any]) -> Post:
    """The page as a post. Pictures are named by address only where anybody may read them."""
    comparison, judged = context["comparison"], context["judged"]
    same, differ = common_environment(comparison, [vars(host) for host in context["hosts"]])
    return Post(
        title=context["title"],
        url=request.build_absolute_uri(context["permalink"]),
        comparison=comparison,
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
