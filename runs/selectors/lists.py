"""Lists of runs that cost the same among a million as among a thousand.

Each is read along an index from where the page before ended. Where a list goes by several names, the newest runs of each
name are read and merged.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import Q, QuerySet

from runs.models import Facet, Host, Run
from runs.models.results import RunQuerySet
from runs.querysets import facets

MOST_SORTED = 1000  # of what was narrowed down, only the newest are sorted by rate
Rated = tuple[float, int]  # a run's requests per second, and its id


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a list is narrowed to: those of `rows` that meet one of `leads`, each of which an index begins with.

    tag     only runs with the tag that this facet stands for
    """

    rows: RunQuerySet
    leads: Sequence[Q] = (Q(),)
    tag: int | None = None

    @property
    def is_plain(self) -> bool:
        """Whether `rows` themselves are what is wanted, along one index."""
        return self.tag is None and list(self.leads) == [Q()]

    @property
    def most_sorted(self) -> int:
        """So many of each lead are sorted by rate."""
        return MOST_SORTED // max(len(self.leads), 1)

    def rated(self) -> list[Rated]:
        """(rate, id) of the newest of each lead, but for those that say none. One query."""
        newest = [self._part(lead, self.most_sorted + 1, None, True) for lead in self.leads]
        timed = Run.objects.order_by().filter(requests_per_second__isnull=False)
        rows = rows_of_each(timed.filter(pk__in=ids).values_list("requests_per_second", "id") for ids in newest)
        return [(rate, pk) for rate, pk in set(rows)]

    def ids(self, most: int, *, beyond: int | None = None, descending: bool = True) -> list[int]:
        """The first ids behind `beyond`, in order. One query."""
        found = {pk for (pk,) in rows_of_each(self._part(lead, most, beyond, descending) for lead in self.leads)}
        return heapq.nlargest(most, found) if descending else heapq.nsmallest(most, found)

    def _part(self, lead: Q, most: int, beyond: int | None, descending: bool) -> QuerySet[Any, Any]:
        """The ids along one index; the one of tags holds the run's id under a name of its own.

        Ids alone, for they stand in the index: PostgreSQL, if it has to fetch the rows anyway, likes to go through all
        runs for the next that fits, and those of a machine that is used no more are far away.
        """
        key = "id" if self.tag is None else "taggings__run_id"
        where = {} if self.tag is None else {"taggings__facet": self.tag}
        if beyond is not None:  # for the run's own id, too: it may be the one that is gone along
            where |= {f"{each}__{'lt' if descending else 'gt'}": beyond for each in {key, "id"}}
        return self.rows.filter(lead, **where).order_by(f"-{key}" if descending else key).values_list("id")[:most]


def wanted(*, tag: str = "", leads: Sequence[Q] = (Q(),), **narrowed: Any) -> Wanted:
    """Runs by the filters of `RunQuerySet.matching`, with a tag, that meet one of the leads. Four queries at most."""
    rows = Run.objects.matching(**narrowed)
    pk = facets(tag=tag).get("tag")
    return Wanted(rows, leads if pk or not tag else [], pk)


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
