"""Reads the HTML of a page: the figures of its charts, and its text without indentation."""

from __future__ import annotations

import json
import re
from typing import Any


def figures(page: str) -> dict[str, Any]:
    """Chart -> its figure, as static/js/charts.js finds it."""
    scripts = dict(re.findall(r'<script id="(figure-\w+)" type="application/json">(.*?)</script>', page, re.DOTALL))
    boxes = re.findall(r'<figure class="chart" id="chart-(\w+)">.*?data-figure="([^"]+)"', page, re.DOTALL)
    return {name: json.loads(scripts[box]) for name, box in boxes}


def collapse(page: str) -> str:
    """A page without the line breaks and indentation of its template: blanks as one, and none between tags."""
    return re.sub(r"\s+", " ", page).replace("> <", "><")
