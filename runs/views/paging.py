"""Pages of long lists by key, never by OFFSET: "the ones after this row" costs the same on any page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest

A_PAGE = 50


@dataclass(frozen=True, slots=True)
class Page:
    """Rows, and the query string of the next page ("" on the last)."""

    rows: Sequence[Any]
    next: str
    first: str


def page(request: HttpRequest, rows: QuerySet[Any], *, column: str = "id", descending: bool = True) -> Page:
    """The rows after ?after=, ordered by `column` and then id. Rows without a value in that column are not in the list."""
    sign = "-" if descending else ""
    rows = rows.order_by(*dict.fromkeys((f"{sign}{column}", f"{sign}id")))
    if column != "id":
        rows = rows.filter(**{f"{column}__isnull": False})
    after = _after(request.GET.get("after", ""), column, descending)
    return shown(request, list((rows.filter(after) if after else rows)[: A_PAGE + 1]), column)


def shown(request: HttpRequest, found: Sequence[Any], column: str = "id", most: int = A_PAGE) -> Page:
    """A page of the rows found: one more than `most`, which a page holds, where others follow."""
    query = request.GET.copy()
    query.pop("after", None)
    first = query.urlencode() if "after" in request.GET else ""
    following = ""
    if len(found) > most:
        query["after"] = _key(found[most - 1], column)
        following = query.urlencode()
    return Page(found[:most], following, first)


def beyond(request: HttpRequest) -> int | None:
    """The id that the page before ended with."""
    key = request.GET.get("after", "")
    return int(key) if _is_id(key) else None


def beyond_pair(request: HttpRequest) -> tuple[float, int] | None:
    """The value and the id that the page before ended with, in a list that is sorted by a value."""
    value, _, pk = request.GET.get("after", "").rpartition(",")
    try:
        return (float(value), int(pk)) if _is_id(pk) else None
    except ValueError:
        return None


def _key(row: Model, column: str) -> str:
    return str(row.pk) if column == "id" else f"{getattr(row, column)!r},{row.pk}"


def _is_id(key: str) -> bool:
    return key.isascii() and key.isdecimal() and len(key) < 19


def _after(key: str, column: str, descending: bool) -> Q | None:
    """The condition for "after the row with this key"; a key that is none means the first page."""
    value, _, pk = key.rpartition(",")
    if not _is_id(pk):
        return None
    side = "lt" if descending else "gt"
    further = Q(**{f"id__{side}": int(pk)})
    if column == "id":
        return further
    try:
        number = float(value)
    except ValueError:
        return None
    # The first condition lets the index begin where the page does; the second says which of equal values are further on.
    return Q(**{f"{column}__{side}e": number}) & (Q(**{f"{column}__{side}": number}) | further)
