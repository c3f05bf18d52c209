"""A comparison as one HTML file: no request to anywhere, no script, its pictures in it."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.safestring import mark_safe

from runs.analysis.export import Post
from runs.charts import svg
from runs.presenters.comparison_charts import percentile_lines, throughput_bars

POLICY = "default-src 'none'; style-src 'unsafe-inline'"

# Every address of ours begins with a slash. In a text no "<" stands as such, so that nothing else looks like this.
OURS = re.compile(r'(<a\s[^<>]*?href=")/')


def standalone(request: HttpRequest, post: Post, context: dict[str, Any]) -> HttpResponse:
    """The file. Its links lead to this site, so they name it."""
    comparison = context["comparison"]
    drawn = [
        svg.draw_bars(found, post.title) if (found := throughput_bars(comparison, context["silent"])) else "",
        svg.draw_percentiles(spread, post.title, scale="log" if context["log"] else "linear")
        if (spread := percentile_lines(comparison, context["out"]))
        else "",
    ]
    # The pictures' own code escapes every name in them.
    pictures = [mark_safe(picture) for picture in drawn if picture]  # noqa: S308
    page: str = render_to_string("standalone.html", context | {"post": post, "drawn": pictures, "policy": POLICY})
    page = OURS.sub(lambda found: f"{found[1]}{request.build_absolute_uri('/')}", page)
    response = HttpResponse(page)
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["Content-Disposition"] = f"inline; filename*=UTF-8''{quote(f'{post.title}.html', safe='')}"
    return response
