"""How lists are filtered and paged: newest first, by id. Experiment, config and host are named by id or by name."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple, cast

import django_filters as filters
from django import forms
from django.db.models import QuerySet
from rest_framework.exceptions import NotFound
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request

from runs.database import ID_DIGITS, MOMENT, created_since, find_facets, find_ids, parse_id, related_to
from runs.models import Capture, Upload
from runs.selectors import lists


class PageRequest(NamedTuple):
    """The rows that a request asks for: at most so many behind an id, newest first (descending) or last."""

    most: int
    beyond: int | None
    descending: bool


class NewestFirst(CursorPagination):
    ordering = "-id"
    page_size = 50
    page_size_query_param = "limit"
    max_page_size = 500

    def decode_cursor(self, request: Request) -> Any:
        """Ids are unique, so a cursor needs no offset; an offset that a client wrote into it is ignored."""
        cursor = super().decode_cursor(request)
        if cursor is None or cursor.position is None:
            return cursor
        if parse_id(str(cursor.position)) is None:
            raise NotFound(self.invalid_cursor_message)
        return cursor._replace(offset=0)


def read_page_request(request: Request) -> PageRequest:
    """What the page will hold, for filters that need to know. One row more shows whether others follow."""
    pages = NewestFirst()
    cursor = pages.decode_cursor(request)
    most = (pages.get_page_size(request) or pages.page_size) + 1
    beyond = int(cursor.position) if cursor is not None and cursor.position is not None else None
    return PageRequest(most, beyond, cursor is None or not cursor.reverse)


def select_page_by_ids(rows: QuerySet[Any], filtered: QuerySet[Any], request: Request) -> QuerySet[Any]:
    """The `rows` on the requested page of the filtered ones: their ids are selected alone, from an index.

    See runs.selectors.lists for why. Where nothing is filtered, all rows are in the order of the page already.
    """
    if filtered.query.where == rows.query.where:
        return rows
    page = read_page_request(request)
    if page.beyond is not None:
        filtered = filtered.filter(**{f"pk__{'lt' if page.descending else 'gt'}": page.beyond})
    ids = filtered.select_related(None).order_by("-pk" if page.descending else "pk").values("pk")
    return rows.filter(pk__in=ids[: page.most])


class Named(filters.CharFilter):
    """A related row by its id or name."""

    def filter(self, qs: QuerySet[Any], value: str) -> QuerySet[Any]:
        name = self.field_name or ""
        return qs.filter(related_to(name, find_ids(f"runs.{name.capitalize()}", value))) if value else qs


class RowId(filters.NumberFilter):
    """Comparing a foreign key does not check whether the database holds the number."""

    field_class = forms.IntegerField  # type: ignore[assignment]  # a field all the same

    def __init__(self, **more: Any) -> None:
        super().__init__(min_value=0, max_value=10**ID_DIGITS, **more)


class Since(filters.DateTimeFilter):
    def __init__(self, **more: Any) -> None:
        super().__init__(validators=MOMENT, **more)

    def filter(self, qs: QuerySet[Any], value: datetime | None) -> QuerySet[Any]:
        return qs.filter(created_since(qs.model._meta.label, value)) if value else qs


class RunFilter(filters.FilterSet):
    """See RunQuerySet.matching, which lists of runs go by, too."""

    tool = filters.CharFilter()
    experiment = filters.CharFilter()
    config = filters.CharFilter(help_text="by id or name")
    host = filters.CharFilter()
    command = filters.CharFilter(help_text="exact, as in the text")
    server = filters.CharFilter(help_text="server software, exact")
    fingerprint = filters.CharFilter(help_text="comparable runs")
    min_rps = filters.NumberFilter(field_name="requests_per_second", help_text="requests per second")
    max_rps = filters.NumberFilter(field_name="requests_per_second", help_text="requests per second")
    since = Since(help_text="stored at or after")
    tag = filters.CharFilter()
    commit = filters.CharFilter()
    branch = filters.CharFilter()
    version = filters.CharFilter()
    pr = filters.CharFilter(help_text="number of the pull or merge request")

    def filter_queryset(self, queryset: Any) -> Any:
        """A tag has an index of its own, which knows only the order of runs: hence the page, which REST asks for, is needed."""
        wanted = {name: value for name, value in self.form.cleaned_data.items() if value not in (None, "")}
        tag = wanted.pop("tag", "")
        rows = queryset.matching(**wanted)
        if not tag:
            return rows
        page, facet = read_page_request(cast(Request, self.request)), find_facets(tag=tag)["tag"]
        selection = lists.RunSelection(rows, tag=facet)
        return queryset.filter(
            pk__in=selection.ids(page.most, beyond=page.beyond, descending=page.descending) if facet else []
        )


class CaptureFilter(filters.FilterSet):
    tool = filters.CharFilter()
    experiment = Named()
    config = Named()
    host = Named()
    run = RowId(field_name="run_id")
    since = Since(help_text="stored at or after")

    class Meta:
        model = Capture
        fields = ("phase",)


class ConfigFilter(filters.FilterSet):
    experiment = Named()
    name = filters.CharFilter()


class ExperimentFilter(filters.FilterSet):
    host = Named()
    name = filters.CharFilter()
    since = Since(help_text="created at or after")
    archived = filters.BooleanFilter(help_text="true: archived experiments only; excluded otherwise")


class HostFilter(filters.FilterSet):
    name = filters.CharFilter()


class UploadFilter(filters.FilterSet):
    sha256 = filters.CharFilter()
    since = Since(help_text="received at or after")
    door = filters.ChoiceFilter(
        field_name="origin", choices=Upload.Origin.choices, help_text="the same as origin; deprecated"
    )

    class Meta:
        model = Upload
        fields = ("status", "origin")
