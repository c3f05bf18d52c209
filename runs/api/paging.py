"""Pages of the API's lists: by id, newest first, whatever comes before."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.db.models import QuerySet
from rest_framework.exceptions import NotFound
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request

from runs.querysets import ID_DIGITS


class Place(NamedTuple):
    """Which rows a request asks for: at most so many behind an id, newest first (descending) or last."""

    most: int
    beyond: int | None
    descending: bool


class Pages(CursorPagination):
    """Newest first, by id."""

    ordering = "-id"
    page_size = 50
    page_size_query_param = "limit"
    max_page_size = 500

    def decode_cursor(self, request: Request) -> Any:
        """Ids differ, so a cursor needs no offset; one that somebody wrote into it is left out."""
        cursor = super().decode_cursor(request)
        if cursor is None or cursor.position is None:
            return cursor
        position = str(cursor.position)
        if not (position.isascii() and position.isdecimal() and len(position) <= ID_DIGITS):
            raise NotFound(self.invalid_cursor_message)
        return cursor._replace(offset=0)


def place_of(request: Request) -> Place:
    """What a page will hold, for filters that have to know. One row more tells whether others follow."""
    pages = Pages()
    cursor = pages.decode_cursor(request)
    most = (pages.get_page_size(request) or pages.page_size) + 1
    beyond = int(cursor.position) if cursor is not None and cursor.position is not None else None
    return Place(most, beyond, cursor is None or not cursor.reverse)


def along_an_index(rows: QuerySet[Any], found: QuerySet[Any], request: Request) -> QuerySet[Any]:
    """Those of `rows` that a page of what a filter found will hold: their ids are looked up alone, out of the index.

    See runs.selectors.lists for why. Where nothing is filtered, all rows are in the order of the page already.
    """
    if not found.query.where:
        return rows
    place = place_of(request)
    if place.beyond is not None:
        found = found.filter(**{f"pk__{'lt' if place.descending else 'gt'}": place.beyond})
    ids = found.select_related(None).order_by("-pk" if place.descending else "pk").values("pk")
    return rows.filter(pk__in=ids[: place.most])
