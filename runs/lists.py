"""Lists of runs that cost the same among a million as among a thousand.

Each is read along an index from where the page before ended. A search looks up names in the small tables, reads the newest
runs of each name that it found, and merges them.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import Q, QuerySet

from runs import querysets
from runs.models import Experiment, Facet, Host, Run

MOST_FOUND = 5  # names of a kind that a search goes by
MOST_SORTED = 2000  # of what was narrowed down, only the newest are sorted by rate


@dataclass(frozen=True, slots=True)
class Name:
    """A name that a search found: the filter that narrows to it, its value there, and how many runs have it, if known."""

    kind: str
    name: str
    value: str
    n_runs: int | None
    lead: Q


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a list is narrowed to: those of `rows` that meet one of `leads`, each of which an index begins with.

    tag     only runs with the tag that this facet stands for
    """

    rows: querysets.RunQuerySet
    leads: Sequence[Q] = (Q(),)
    tag: int | None = None

    @property
    def is_plain(self) -> bool:
        """Whether `rows` themselves are what is wanted, along one index."""
        return self.tag is None and list(self.leads) == [Q()]

    def ids(self, most: int, *, beyond: int | None = None, descending: bool = True) -> list[int]:
        """The first ids behind `beyond`, in order. One query."""
        found = {pk for (pk,) in rows_of_each(self._part(lead, most, beyond, descending) for lead in self.leads)}
        return heapq.nlargest(most, found) if descending else heapq.nsmallest(most, found)

    def _part(self, lead: Q, most: int, beyond: int | None, descending: bool) -> QuerySet[Any, Any]:
        """The ids along one index; the one of tags holds the run's id under a name of its own."""
        key = "id" if self.tag is None else "taggings__run_id"
        where = {} if self.tag is None else {"taggings__facet": self.tag}
        if beyond is not None:
            where[f"{key}__{'lt' if descending else 'gt'}"] = beyond
        return self.rows.filter(lead, **where).order_by(f"-{key}" if descending else key).values_list("id")[:most]


def wanted(*, tag: str = "", names: Sequence[Name] | None = None, **narrowed: Any) -> Wanted:
    """Runs by the filters of `RunQuerySet.matching`, with a tag, and with one of these names. Four queries at most."""
    rows = Run.objects.matching(**narrowed)
    leads = [Q()] if names is None else [name.lead for name in names]
    pk = querysets.facets(tag=tag).get("tag")
    return Wanted(rows, leads if pk or not tag else [], pk)


def search(text: str) -> tuple[list[Name], bool]:
    """The names that hold this text, of each kind the most used or newest few, and whether there are more. Three queries.

    Runs have no other words: their labels are their configs' names, or are found on the experiment's page.
    """
    found = _facets(text)
    for kind, model, order in (("experiment", Experiment, "-id"), ("host", Host, "-n_runs")):
        rows = model._default_manager.filter(name__icontains=text).order_by(order)[: MOST_FOUND + 1]
        names = [
            Name(kind, row.name, str(row.pk), getattr(row, "n_runs", None), Q(**{f"{kind}_id": row.pk})) for row in rows
        ]
        found.append(names)
    return [name for names in found for name in names[:MOST_FOUND]], any(len(names) > MOST_FOUND for names in found)


def _facets(text: str) -> list[list[Name]]:
    parts = [
        Facet.objects.filter(kind=kind, value__icontains=text, n_runs__gt=0)
        .order_by("-n_runs")
        .values_list("pk", "kind", "value", "n_runs")[: MOST_FOUND + 1]
        for kind in Facet.Kind.values
    ]
    names: dict[str, list[Name]] = {kind: [] for kind in Facet.Kind.values}
    for pk, kind, value, n_runs in rows_of_each(parts):
        lead = (
            Q(tool=value)
            if kind == "tool"
            else Q(taggings__facet=pk)
            if kind == "tag"
            else Q(**{f"facet_{kind}_id": pk})
        )
        names[kind].append(Name(kind, value, value, n_runs, lead))
    return list(names.values())


def rows_of_each(parts: Iterable[QuerySet[Any, Any]]) -> list[tuple[Any, ...]]:
    """The rows of several short lists of values, one after the other, by one query: each is read along its index.

    UNION of the ORM would do, but SQLite takes no limits inside of it unless they are a query deeper.
    """
    texts: list[str] = []
    values: list[Any] = []
    for number, part in enumerate(parts):
        try:
            text, params = part.query.sql_with_params()
        except EmptyResultSet:
            continue
        texts.append(f"SELECT * FROM ({text}) part{number}")  # noqa: S608  (the ORM wrote it; its values are apart)
        values += params
    if not texts:
        return []
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(texts), values)
        return list(cursor.fetchall())


def popular(most: int = 25) -> dict[str, list[tuple[str, int]]]:
    """What lists can be narrowed by: of each kind the most used values with their numbers of runs. Two queries."""
    found: dict[str, list[tuple[str, int]]] = {kind: [] for kind in Facet.Kind.values}
    parts = [
        Facet.objects.filter(kind=kind, n_runs__gt=0).order_by("-n_runs").values_list("kind", "value", "n_runs")[:most]
        for kind in Facet.Kind.values
    ]
    for kind, value, n_runs in rows_of_each(parts):
        found[kind].append((value, n_runs))
    hosts = Host.objects.filter(n_runs__gt=0).order_by("-n_runs")
    return found | {"host": list(hosts.values_list("name", "n_runs")[:most])}
