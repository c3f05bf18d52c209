"""The list of runs: narrowed, searched, sorted, and ticked for a comparison. Any page of it is read along an index."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Q
from django.http import HttpRequest, HttpResponse

from runs.analysis.sheet import Sheet
from runs.forms import RunFilterForm
from runs.models import Run
from runs.selectors import lists, reads
from runs.selectors.search import names_with
from runs.views.answer import answer
from runs.views.paging import A_PAGE, Page, beyond, beyond_pair, page, shown

HEADS = (
    *("id", "experiment", "config", "label", "repeat", "tool", "requests_per_second", "mean_ms", "p95_ms"),
    *("failed_requests", "complete_requests", "host", "counted", "source"),
)
RATE = "requests_per_second"
RANGES = ("min_rps", "max_rps")


@dataclass(frozen=True, slots=True)
class Chip:
    """A filter that is set, and the query string without it."""

    label: str
    value: str
    without: str


def runs(request: HttpRequest, fmt: str = "") -> HttpResponse:
    form = RunFilterForm(request.GET, lists.popular())
    asked = form.asked()
    narrowed = {name: value for name, value in asked.items() if name not in ("q", "sort", "tag")}
    names, more = names_with(asked["q"]) if "q" in asked else ([], False)
    leads = [name.lead for name in names] if "q" in asked else [Q()]
    wanted = lists.wanted(leads=leads, tag=asked.get("tag", ""), **narrowed)
    found, cut = _page(request, wanted, asked.get("sort", "-id"), is_open=set(asked) <= {*RANGES, "sort"})
    rows = tuple(_row(run) for run in found.rows)
    context = {
        "form": form,
        "page": found,
        "chips": _chips(request, form, asked),
        "names": [(name, _changed(request, q="", **{name.kind: name.value})) for name in names],
        "more_names": more,
        "cut": cut,
        "several": len(wanted.leads) > 1,
        "sources": {row[0]: row[-1] for row in rows},
    }
    return answer(request, "runs.html", context, Sheet("Runs", HEADS, rows), fmt=fmt)


def _page(request: HttpRequest, wanted: lists.Wanted, sort: str, *, is_open: bool) -> tuple[Page, int]:
    """The page, and how many of the newest are sorted where not all are, else 0."""
    descending = sort.startswith("-")
    if sort.endswith("rps"):
        return _by_rate(request, wanted, descending, is_open=is_open)
    if is_open and wanted.is_plain:
        return page(request, wanted.rows.for_list(), descending=descending), 0
    ids = wanted.ids(A_PAGE + 1, beyond=beyond(request), descending=descending)
    rows = Run.objects.filter(pk__in=ids).for_list().order_by("-id" if descending else "id")
    return shown(request, list(rows)), 0


def _by_rate(request: HttpRequest, wanted: lists.Wanted, descending: bool, *, is_open: bool) -> tuple[Page, int]:
    """All runs have an index in the order of their rates. What is narrowed down has not, so it is cut and sorted here."""
    if is_open:
        return page(request, wanted.rows.for_list(), column=RATE, descending=descending), 0
    rated = wanted.rated()
    after = beyond_pair(request)
    ordered = sorted(rated, reverse=descending)
    ids = [pk for rate, pk in ordered if after is None or ((rate, pk) < after if descending else (rate, pk) > after)]
    rows = Run.objects.for_list().in_bulk(ids[: A_PAGE + 1])
    found = shown(request, [rows[pk] for pk in ids[: A_PAGE + 1] if pk in rows], RATE)
    return found, wanted.most_sorted if len(rated) > wanted.most_sorted else 0


def _row(run: Run) -> tuple[Any, ...]:
    return (
        *(run.pk, run.experiment.name, run.config.name, run.label, run.repeat, run.tool, run.requests_per_second),
        *(run.mean_ms, run.percentiles_ms.get("95"), run.failed_requests, run.complete_requests),
        *(str(run.host or ""), run.counted, reads.line_url(run.upload_id, run.line_first)),
    )


def _chips(request: HttpRequest, form: RunFilterForm, asked: Mapping[str, Any]) -> list[Chip]:
    chosen = {name: value for name, value in asked.items() if name != "sort"}
    return [
        Chip(str(form[name].label).lower(), _shown(name, value), _changed(request, **{name: ""}))
        for name, value in chosen.items()
    ]


def _shown(name: str, value: Any) -> str:
    if name == "since":
        return f"{value:%Y-%m-%d}"
    return str(value)[:12] if name == "fingerprint" else str(value)


def _changed(request: HttpRequest, **changes: str) -> str:
    """The page's query string with these parameters changed, or taken out where empty; from its first page."""
    query = request.GET.copy()
    query.pop("after", None)
    for name, value in changes.items():
        query.pop(name, None)
        if value:
            query[name] = value
    return query.urlencode()
