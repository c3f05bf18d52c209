"""SQL that is spelt once: for a small row Django takes ten times as long to spell a statement as to have it carried out.

For the few statements that every upload needs. They are still Django's own in names, types and order of columns, and go
through its cursors, so that errors, logging and counted queries are as everywhere.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import islice
from typing import Any, TypeVar

import orjson
from django.db import connection, models
from django.db.models.base import ModelState

from runs.prepared import Part, Statement, execute

Plan = list[tuple[str, Callable[[Any, Any], Any] | None]]  # attribute, and what makes its value ready (row, value)
M = TypeVar("M", bound=models.Model)
AS_IT_IS = (models.CharField, models.TextField, models.BooleanField, models.IntegerField)


class Query:
    """A query for `n` texts: `make`, called with them once, gives a values_list of numbers, texts and booleans.

    Nothing is converted: on SQLite a time would come as a text. Several that give one value each are asked by `at_once`.
    """

    def __init__(self, n: int, make: Callable[..., models.QuerySet[Any, Any]]) -> None:
        self.marks = [f"\0{number}" for number in range(n)]
        self.make = make
        self.spelt: dict[str, tuple[str, tuple[Any, ...]]] = {}  # by kind of database
        self.statement = Statement(n, self.with_texts)

    def __call__(self, *texts: str) -> list[tuple[Any, ...]]:
        """Its rows."""
        with connection.cursor() as cursor:
            execute(cursor, (self.statement, texts))
            rows: list[tuple[Any, ...]] = cursor.fetchall()
            return rows

    def with_texts(self, texts: Sequence[Any]) -> tuple[str, list[Any]]:
        """Its SQL and parameters."""
        if connection.vendor not in self.spelt:
            self.spelt[connection.vendor] = self.make(*self.marks).query.sql_with_params()
        sql, parameters = self.spelt[connection.vendor]
        given = dict(zip(self.marks, texts, strict=True))
        return sql, [given.get(p, p) if isinstance(p, str) else p for p in parameters]


Drawn = dict[type[models.Model], list[int]]


def at_once(*asked: tuple[Query, tuple[str, ...]], draw: Sequence[type[models.Model]] = ()) -> tuple[list[Any], Drawn]:
    """The one value of each query with its texts, None where it finds nothing; and an id for a row of each model.

    One wait for the database. SQLite gives ids to rows as they come, so that none is drawn there.
    """
    draw = tuple(draw) if connection.vendor == "postgresql" else ()
    with connection.cursor() as cursor:
        statement = _asking(tuple(query for query, _ in asked), draw)
        execute(cursor, (statement, [text for _, texts in asked for text in texts]))
        found = cursor.fetchone()
    return list(found[: len(asked)]), {model: [pk] for model, pk in zip(draw, found[len(asked) :], strict=True)}


@cache
def _asking(queries: tuple[Query, ...], draw: tuple[type[models.Model], ...]) -> Statement:
    def spell(texts: Sequence[Any]) -> tuple[str, list[Any]]:
        left = iter(texts)
        ready = [query.with_texts(list(islice(left, len(query.marks)))) for query in queries]
        parts = [f"({sql})" for sql, _ in ready] + [f"nextval({_sequence(model)!r})" for model in draw]
        return f"SELECT {', '.join(parts)}", [each for _, given in ready for each in given]

    return Statement(sum(len(query.marks) for query in queries), spell)


def made(model: type[M], **values: Any) -> M:
    """`model(**values)` for `insert`, in a fifth of its time: no signal is sent, and no name is checked.

    values  by attribute; of a foreign key the row, which has its id, or under its column (`host_id`) the id
    """
    keys, defaults, makers = _shape(model)
    held = defaults | values
    for name, make in makers:
        if name not in values:
            held[name] = make()
    return _holding(model, held, keys)


def partly(model: type[M], **values: Any) -> M:
    """A stored row of which this much is known. Like one of `only()`: the rest is fetched when it is asked for."""
    row = _holding(model, values, _shape(model)[0])
    _are_stored([row])
    return row


def _holding(model: type[M], held: dict[str, Any], keys: Sequence[tuple[str, str]]) -> M:
    row = model.__new__(model)
    row._state = ModelState()
    for name, column in keys:
        if name in held:
            other = row._state.fields_cache[name] = held.pop(name)
            held[column] = None if other is None else other.pk
    row.__dict__.update(held)
    return row


@cache
def _shape(
    model: type[models.Model],
) -> tuple[list[tuple[str, str]], dict[str, Any], list[tuple[str, Callable[[], Any]]]]:
    """Foreign keys with their columns, defaults that are the same for all rows, and what makes the others."""
    fields = model._meta.concrete_fields
    varying = [field for field in fields if field.has_default() and callable(field.default)]
    defaults = {field.attname: field.get_default() for field in fields if field not in varying}
    keys = [(field.name, field.attname) for field in fields if field.is_relation]
    return keys, defaults, [(field.attname, field.get_default) for field in varying]


def insert(rows: Sequence[models.Model]) -> None:
    """Store new rows of one model, whose foreign keys have their ids, and give them theirs; no signal is sent.

    As bulk_create does, in a quarter of its time. The caller holds the transaction.
    """
    batch = getattr(_open, "batch", None)
    if batch is not None and rows:
        batch.add(rows)
    elif rows and not connection.features.can_return_rows_from_bulk_insert:  # an old SQLite
        type(rows[0])._default_manager.bulk_create(rows)
    else:
        kept = [row for row in rows if row.pk is not None]  # an id that they had before
        for some, numbered in (([row for row in rows if row.pk is None], False), (kept, True)):
            if some:
                _insert(some, numbered)


def _insert(rows: Sequence[models.Model], numbered: bool) -> None:
    head, one, plan = _spelt(type(rows[0]), numbered)
    most = connection.features.max_query_params
    step = max(1, most // len(plan)) if most else len(rows)
    for first in range(0, len(rows), step):
        part = rows[first : first + step]
        own = _name(type(part[0])._meta.pk.column)
        with connection.cursor() as cursor:
            cursor.execute(f"{head} {', '.join([one] * len(part))} RETURNING {own}", _values(part, plan))
            for row, (pk,) in zip(part, cursor.fetchall(), strict=True):
                row.pk = pk
        _are_stored(part)


def _values(rows: Sequence[models.Model], plan: Plan) -> list[Any]:
    return [make(row, row.__dict__[name]) if make else row.__dict__[name] for row in rows for name, make in plan]


def _are_stored(rows: Sequence[models.Model]) -> None:
    alias = connection.alias
    for row in rows:
        row._state.adding, row._state.db = False, alias


_open = threading.local()  # .batch: what this thread's inserts are gathered in


@contextmanager
def together(drawn: Drawn) -> Iterator[None]:
    """Inserts made inside go out as one at its end, with ids drawn beforehand: each wait for the database costs more
    than its work. Nothing inside may look for the rows. On SQLite, which nobody waits for, each goes out at once.

    drawn   ids that `at_once` gave; the others that are needed are drawn here
    """
    if connection.vendor != "postgresql":
        yield
        return
    batch = _open.batch = _Batch(drawn)
    try:
        yield
    finally:
        _open.batch = None
    batch.send()


class _Batch:
    def __init__(self, drawn: Drawn) -> None:
        self.drawn = dict(drawn)
        self.parts: list[Part] = []
        self.rows: list[models.Model] = []

    def add(self, rows: Sequence[models.Model]) -> None:
        model = type(rows[0])
        new = [row for row in rows if row.pk is None]
        for row, pk in zip(new, self._draw(model, len(new)), strict=False):  # one may be left over
            row.pk = pk
        head, one, plan = _spelt(model, numbered=True)
        statement = _of_one_row(model) if len(rows) == 1 else f"{head} {', '.join([one] * len(rows))}"
        self.parts.append((statement, _values(rows, plan)))
        self.rows += rows

    def send(self) -> None:
        if self.parts:
            with connection.cursor() as cursor:
                execute(cursor, *self.parts)
            _are_stored(self.rows)

    def _draw(self, model: type[models.Model], n: int) -> list[int]:
        """Ids for n rows."""
        here = self.drawn.pop(model, [])
        if n > len(here):
            with connection.cursor() as cursor:
                cursor.execute(f"SELECT nextval({_sequence(model)!r}) FROM generate_series(1, %s)", [n - len(here)])  # noqa: S608
                here = here + [pk for (pk,) in cursor.fetchall()]
        return here


@cache
def _sequence(model: type[models.Model]) -> str:
    """Where PostgreSQL takes the model's ids from."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_get_serial_sequence(%s, %s)", [_name(model._meta.db_table), model._meta.pk.column])
        (name,) = cursor.fetchone()
    return str(name)


@cache
def _spelt(model: type[models.Model], numbered: bool) -> tuple[str, str, Plan]:
    """The beginning of the statement, the places of one row's values, and where these come from."""
    fields = [field for field in model._meta.concrete_fields if numbered or not field.primary_key]
    columns = ", ".join(_name(field.column) for field in fields)
    head = f"INSERT INTO {_name(model._meta.db_table)} ({columns}) VALUES"
    return head, f"({', '.join(['%s'] * len(fields))})", [(field.attname, _maker(field)) for field in fields]


@cache
def _of_one_row(model: type[models.Model]) -> Statement:
    head, one, plan = _spelt(model, numbered=True)
    return Statement(len(plan), lambda values: (f"{head} {one}", values))


def _name(name: str | None) -> str:
    return connection.ops.quote_name(name or "")


def _maker(field: models.Field[Any, Any]) -> Callable[[Any, Any], Any] | None:
    """What a value needs before it can be sent; None where it is sent as it is."""
    if isinstance(field, models.JSONField):
        return lambda row, value: _json(value)
    if isinstance(field, models.FloatField):
        return lambda row, value: None if value is None else float(value)
    if isinstance(field, AS_IT_IS) or (
        isinstance(field, models.ForeignKey) and isinstance(field.target_field, AS_IT_IS)
    ):
        return None
    if isinstance(field, models.DateTimeField) and connection.vendor == "postgresql":  # every time here has its zone
        return (lambda row, value: field.pre_save(row, add=True)) if field.auto_now or field.auto_now_add else None
    return lambda row, value: field.get_db_prep_save(field.pre_save(row, add=True), connection)


def _json(value: Any) -> str:
    try:
        return orjson.dumps(value).decode()
    except orjson.JSONEncodeError:  # a number above 64 bits
        return json.dumps(value)
