"""Pages of long lists by key, never by OFFSET: "the ones after this row" costs the same on any page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import F, Model, Q, QuerySet
from django.http import HttpRequest

A_PAGE = 50


@dataclass(frozen=True, slots=True)
class Page:
    """Rows, and the query string of the next page ("" on the last)."""

    rows: Sequence[Any]
    next: str
    first: str


def page(request: HttpRequest, rows: QuerySet[Any], *, column: str = "id", descending: bool = True) -> Page:
    """The rows after ?after=, ordered by `column` and then id; rows without a value come last."""
    order = F(column).desc(nulls_last=True) if descending else F(column).asc(nulls_last=True)
    rows = rows.order_by(order, "-id" if descending else "id")
    after = _after(request.GET.get("after", ""), column, descending)
    found = list((rows.filter(after) if after else rows)[: A_PAGE + 1])
    query = request.GET.copy()
    query.pop("after", None)
    first = query.urlencode() if "after" in request.GET else ""
    following = ""
    if len(found) > A_PAGE:
        query["after"] = _key(found[A_PAGE - 1], column)
        following = query.urlencode()
    return Page(found[:A_PAGE], following, first)


def _key(row: Model, column: str) -> str:
    value = getattr(row, column)
    return str(row.pk) if column == "id" else f"{'' if value is None else repr(value)},{row.pk}"


def _after(key: str, column: str, descending: bool) -> Q | None:
    """The condition for "after the row with this key"; a key that is none means the first page."""
    value, comma, pk = key.rpartition(",")
    if not (pk.isascii() and pk.isdecimal() and len(pk) < 19):
        return None
    beyond = "lt" if descending else "gt"
    further = Q(**{f"id__{beyond}": int(pk)})
    if column == "id" or not comma:
        return further
    if not value:
        return Q(**{f"{column}__isnull": True}) & further
    try:
        number = float(value)
    except ValueError:
        return None
    later = Q(**{f"{column}__{beyond}": number}) | Q(**{f"{column}__isnull": True})
    return later | (Q(**{column: number}) & further)
