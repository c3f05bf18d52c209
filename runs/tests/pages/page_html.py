"""Reads a page: its charts as Plotly gets them, and its text without indentation."""

from __future__ import annotations

import re
from typing import Any

from django.test import Client


def charts_of(page: str) -> list[str]:
    return re.findall(r'<figure class="chart[^"]*" id="chart-(\w+)">', page)


def figure_of(client: Client, url: str, name: str) -> Any:
    """The chart of a page as Plotly gets it: {"data": [...], "layout": {...}}."""
    return client.get(f"{url}{'&' if '?' in url else '?'}figure={name}.json").json()


def dots_of(figure: Any, number: int = 0) -> Any:
    return [trace for trace in figure["data"] if trace.get("mode") == "markers"][number]


def lines_of(figure: Any) -> Any:
    return [trace for trace in figure["data"] if trace.get("mode") == "lines" and trace["name"]]


def collapse(page: str) -> str:
    """A page without the line breaks and indentation of its template: blanks as one, and none between tags."""
    return re.sub(r"\s+", " ", page).replace("> <", "><")
