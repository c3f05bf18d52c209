"""What reads and writes of the database share: its clock and locks, ids and addresses of rows, conditions of query sets.

Models are looked up by name, so that models may import this.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import cache, reduce
from operator import or_
from typing import Any

from django.apps import apps
from django.core.exceptions import EmptyResultSet
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import DatabaseError, connection, transaction
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.urls import reverse

ID_DIGITS = 18  # more do not fit the databases' integers
ID = rf"[0-9]{{1,{ID_DIGITS}}}"  # in an address
MOST_NAMESAKES = 20  # experiments, or hosts, of one name that a list goes by
FACET_LENGTH = 300
MARGIN = 10_000  # ids
# Of times that are sent: not every zone has a database's first and last ones, and days are added to them.
EARLIEST, LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)
MOMENT = [MinValueValidator(EARLIEST), MaxValueValidator(LATEST)]


def read_database_now() -> datetime:
    """The time by the database's clock, which all processes share: a worker's own may be wrong."""
    is_sqlite = connection.vendor == "sqlite"
    with connection.cursor() as cursor:
        cursor.execute("SELECT strftime('%Y-%m-%d %H:%M:%f', 'now')" if is_sqlite else "SELECT statement_timestamp()")
        (now,) = cursor.fetchone()
    return datetime.fromisoformat(now).replace(tzinfo=UTC) if is_sqlite else now


@contextmanager
def database_lock(number: int, *, wait: bool = True) -> Iterator[bool]:
    """A lock among all processes on one PostgreSQL; False where another one has it and `wait` is False. SQLite has one writer."""
    if connection.vendor != "postgresql":
        yield True
        return
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT pg_{'' if wait else 'try_'}advisory_lock(%s)", [number])
        got = wait or bool(cursor.fetchone()[0])
    try:
        yield got
    finally:
        if got:
            with suppress(DatabaseError), connection.cursor() as cursor:  # a lost connection has released it
                cursor.execute("SELECT pg_advisory_unlock(%s)", [number])


CHANGES, SEVERAL_TEXTS = 0xC4A96E, 0x5E4E4A  # locks of `take_turns`


@contextmanager
def take_turns(lock: int = CHANGES, *, shared: bool = False) -> Iterator[None]:
    """A transaction in which somebody changes what is stored. One has to end before the next one begins, as on SQLite.

    What changes together (runs, their texts, configs) is locked in many orders: two at a time would wait for each other.
    Those that are `shared` wait only for those that are not.
    """
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute(f"SELECT pg_advisory_xact_lock{'_shared' * shared}(%s)", [lock])
        yield


def make_page_url(name: str, pk: int) -> str:
    """The address of one row's page. A page names hundreds of them, and `reverse` is dear: it is asked once a name."""
    before, after = _split_route(name)
    return f"{before}{pk}{after}"


@cache
def _split_route(name: str) -> tuple[str, str]:
    """What stands before and behind the id in the address of such a page."""
    before, _, after = reverse(name, args=[0]).rpartition("0")
    return before, after


def count_rows(of: str, by: str, **only: str) -> Coalesce:
    """Number of rows of the model `of` ("runs.Run") whose `by` is this row, as a subquery: no join to multiply."""
    model = apps.get_model(of)
    rows = model._default_manager.filter(**{by: OuterRef("pk")}, **only).order_by().values(by)
    return Coalesce(Subquery(rows.annotate(n=Count("pk")).values("n")), 0)


def parse_id(text: str) -> int | None:
    """The id (or another whole number from 0) that a text is, None where it is none or no database holds it."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= ID_DIGITS else None


def parse_ids(text: str) -> list[int] | None:
    """ "1,2,3" as ids in order, each once; None where any word between commas is no id."""
    ids = [parse_id(word.strip()) for word in text.split(",") if word.strip()]
    return None if None in ids else [pk for pk in dict.fromkeys(ids) if pk is not None]


def find_ids(model: str, wanted: str) -> list[int]:
    """The row of `model` ("runs.Host") with this id or, where it is no number, the newest ones of this name."""
    if (pk := parse_id(wanted)) is not None:
        return [pk]
    rows = apps.get_model(model)._default_manager.filter(name=wanted).order_by("-pk")
    return list(rows.values_list("pk", flat=True)[:MOST_NAMESAKES])


def related_to(field: str, ids: list[int]) -> Q:
    """Rows whose `field` is one of these ids: as constants, so that the database can estimate the number of rows."""
    return Q(**{f"{field}_id": ids[0]}) if len(ids) == 1 else Q(**{f"{field}_id__in": ids})


def created_since(model: str, since: datetime) -> Q:
    """Rows created at that moment or later. Ids grow with time, so the index is not read below the first of them.

    Rows that are created at the same time may get their ids in another order; hence the margin.
    """
    since = since.astimezone(UTC)  # PostgreSQL refuses offsets of 16 hours and more
    rows = apps.get_model(model)._default_manager.filter(created_at__gte=since).order_by("created_at")
    first: int | None = rows.values_list("pk", flat=True).first()
    return Q(pk__in=[]) if first is None else Q(pk__gt=first - MARGIN, created_at__gte=since)


def find_facets(**named: str) -> dict[str, int | None]:
    """The ids of the facets named (tag="nightly"), None for one that no run has. One query, or none."""
    wanted = {kind: value for kind, value in named.items() if value}
    if not wanted:
        return {}
    among = reduce(or_, (Q(kind=kind, value=value[:FACET_LENGTH]) for kind, value in wanted.items()))
    rows = apps.get_model("runs.Facet")._default_manager.filter(among).order_by()
    return dict.fromkeys(wanted) | dict(rows.values_list("kind", "pk"))


def union_rows(parts: Iterable[QuerySet[Any, Any]]) -> list[tuple[Any, ...]]:
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
