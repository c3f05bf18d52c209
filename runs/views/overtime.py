"""Figures over time, each at an address of its own: /captures/<pk>/figures/rss.json?points=800&from=..&to=..

from and to are in what the figure's x axis is in: seconds of the day (growing past midnight), seconds since the run began,
or looks. The tag names the series and the marks that are drawn, so a browser that has the figure costs no series.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import orjson
from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.cache import patch_cache_control
from django.views.decorators.http import condition

from runs.analysis.sheet import Sheet, Value, as_csv
from runs.charts import Figure
from runs.charts.overtime import Band, Strand, Timeline, grid, layers, lines, sheet, stack
from runs.models import Capture, Run
from runs.selectors import watched
from runs.selectors.watched import OTHERS, Watched
from runs.views import overtime_charts

DRAWN = 4  # goes up when the same series are drawn in another way, so that no browser keeps the old figure
MOST_POINTS, USUAL_POINTS, ROWS = 4000, 800, 200
KIB = 1024
Panels = list[tuple[str, list[Strand]]]  # (unit, strands)


@dataclass(frozen=True, slots=True)
class Asked:
    """`low` and `high` None: all of it. `program` "": the largest."""

    points: int = USUAL_POINTS
    low: float | None = None
    high: float | None = None
    program: str = ""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Asked:
        """Raises BadRequest."""
        points = query.get("points", str(USUAL_POINTS))
        if not points.isascii() or not points.isdecimal() or len(points) > 6:
            raise BadRequest(f"points: expected a whole number up to {MOST_POINTS}, not {points[:40]!r}")
        low, high = _number(query, "from"), _number(query, "to")
        if low is not None and high is not None and low >= high:
            raise BadRequest("from must lie before to")
        return cls(min(max(int(points), 50), MOST_POINTS), low, high, query.get("program", ""))


def _number(query: Mapping[str, str], name: str) -> float | None:
    text = query.get(name, "")
    if not text:
        return None
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not abs(number) < 1e12:
        raise BadRequest(f"{name}: expected a number, not {text[:40]!r}")
    return number


def capture_figure(request: HttpRequest, pk: int, what: str, fmt: str) -> HttpResponse:
    found = get_object_or_404(Capture.objects.defer("values", "quotes"), pk=pk)
    return _answered(request, watched.of_capture(found), what, fmt)


def run_figure(request: HttpRequest, pk: int, what: str, fmt: str) -> HttpResponse:
    run = get_object_or_404(Run.objects.defer("values", "quotes"), pk=pk)
    seen = watched.of_run(run, list(run.captures.defer("values", "quotes")))
    if seen is None:
        raise Http404("No monitor stands beside this run that looked more than once.")
    return _answered(request, seen, what, fmt)


def _answered(request: HttpRequest, seen: Watched, what: str, fmt: str) -> HttpResponse:
    """Two queries where the browser has the figure, at most three more where it is worked out."""
    asked = Asked.of(request.GET)
    bands = seen.bands()
    named = orjson.dumps([DRAWN, what, fmt, asked, seen.stamp(), bands])
    tag = f'"{hashlib.sha256(named).hexdigest()[:20]}"'

    @condition(etag_func=lambda request: tag)
    def respond(request: HttpRequest) -> HttpResponse:
        if fmt == "csv":
            return _table(seen, what, asked)
        body = orjson.dumps(_drawn(seen, what, asked, bands), option=orjson.OPT_SERIALIZE_NUMPY)
        return HttpResponse(body, content_type="application/json")

    response: HttpResponse = respond(request)
    patch_cache_control(response, no_cache=True, **{"public" if settings.PUBLIC_READ else "private": True})
    return response


# --- what there is to draw -------------------------------------------------------------------------------------------------


def _by_program(metric: str, unit: str, factor: float) -> Callable[[Watched, Asked], Panels]:
    def panels(seen: Watched, asked: Asked) -> Panels:
        shades = overtime_charts.shades(seen.programs(*overtime_charts.ADDED_UP.values()), metric)
        strands = seen.by_program(metric, list(shades))
        shades[OTHERS] = overtime_charts.REST
        return [(unit, [replace(one, figures=one.figures * factor, color=shades[one.name]) for one in strands])]

    return panels


def _processes(seen: Watched, asked: Asked) -> Panels:
    program = asked.program or next((program.name for program in seen.programs("rss_kb")["rss_kb"]), "")
    strands = seen.processes("rss_kb", program, 1 / KIB)
    return [("MiB", list(page)) for page in watched.pages_of(strands)]


def _memory(seen: Watched, asked: Asked) -> Panels:
    return [("MiB", layers.memory(seen.system(layers.MEMORY)))]


def _cpu(seen: Watched, asked: Asked) -> Panels:
    return [("% of CPU time", layers.cpu(seen.system(layers.CPU)))]


def _load(seen: Watched, asked: Asked) -> Panels:
    return list(layers.load(seen.system(layers.LOAD)))


FIGURES: dict[str, Callable[[Watched, Asked], Panels]] = {
    "rss": _by_program("rss_kb", "MiB", 1 / KIB),
    "busy": _by_program("cpu_pct", "% of one core", 1.0),
    "memory": _memory,
    "cpu": _cpu,
    "load": _load,
    "processes": _processes,
}


def _drawn(seen: Watched, what: str, asked: Asked, bands: list[Band]) -> Figure:
    when, panels = _material(seen, what, asked)
    ways: dict[str, Any] = {"points": asked.points, "low": asked.low, "high": asked.high, "bands": bands}
    if what == "load":
        return lines(when, panels, **ways)
    if what == "processes":
        return grid(when, [strands for _, strands in panels], [unit for unit, _ in panels], **ways)
    unit, strands = panels[0]
    return stack(when, strands, unit, most=100.0 if what == "cpu" else None, **ways)


def _material(seen: Watched, what: str, asked: Asked) -> tuple[Timeline, Panels]:
    panels = FIGURES[what](seen, asked) if what in FIGURES else []
    if not any(strands for _, strands in panels):
        raise Http404(f"The monitor said nothing that a figure of {what} could show.")
    return seen.timeline(), panels


def _table(seen: Watched, what: str, asked: Asked) -> HttpResponse:
    """The same figures as rows, for those who see no chart."""
    when, panels = _material(seen, what, asked)
    strands = [strand for _, panel in panels for strand in panel]
    points = asked.points if asked.points != USUAL_POINTS else ROWS
    rows: list[tuple[Value, ...]] = sheet(when, strands, points=points, low=asked.low, high=asked.high)
    heads = (when.kind.value, *(f"{strand.name}, {unit}" for unit, panel in panels for strand in panel))
    body = as_csv(Sheet(what, heads, tuple(rows)))
    return HttpResponse(body, content_type="text/csv; charset=utf-8")
