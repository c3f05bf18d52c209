"""Many made-up rows on their way into the tables: by COPY into PostgreSQL, by bulk_create elsewhere."""

from __future__ import annotations

import io
import itertools
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Protocol

import orjson
from django.core.management.color import no_style
from django.db import DatabaseError, connection, transaction
from django.db.models import Field, JSONField, Max, Model

Kind = type[Model]
ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
BATCH = 500


class Bulk(Protocol):
    """`add` takes the values of all columns that have no default, and gives the row's id; `flush` writes what waits.

    `line` makes a row ready to be added many times by `repeat`: only its id and one other column change.
    """

    def add(self, model: Kind, /, **values: Any) -> int: ...

    def line(self, model: Kind, column: str, /, **values: Any) -> Any: ...

    def repeat(self, model: Kind, value: int, lines: Iterable[Any]) -> None: ...

    def flush(self) -> None: ...


def bulk() -> Bulk:
    return Copied() if connection.vendor == "postgresql" else Created()


@contextmanager
def unchecked() -> Iterator[None]:
    """Foreign keys are right by the way the rows are made. Where this user may say so, PostgreSQL checks none."""
    allowed = connection.vendor == "postgresql" and _set_role("replica")
    try:
        yield
    finally:
        if allowed:
            _set_role("origin")


def _set_role(role: str) -> bool:
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT set_config('session_replication_role', %s, false)", [role])
    except DatabaseError:  # only a superuser may
        return False
    return True


class Numbers:
    """Ids that go on from what the tables hold."""

    def __init__(self) -> None:
        self.next: dict[Kind, Iterator[int]] = {}

    def of(self, model: Kind) -> Iterator[int]:
        if model not in self.next:
            last: int = model._default_manager.aggregate(last=Max("pk"))["last"] or 0
            self.next[model] = itertools.count(last + 1)
        return self.next[model]


class Created:
    """For SQLite."""

    def __init__(self) -> None:
        self.numbers = Numbers()
        self.rows: dict[Kind, list[Model]] = {}

    def add(self, model: Kind, /, **values: Any) -> int:
        pk = next(self.numbers.of(model))
        self.rows.setdefault(model, []).append(model(pk=pk, **values))
        return pk

    def line(self, model: Kind, column: str, /, **values: Any) -> Any:
        return column, values

    def repeat(self, model: Kind, value: int, lines: Iterable[Any]) -> None:
        for column, values in lines:
            self.add(model, **values, **{column: value})

    def flush(self) -> None:
        with transaction.atomic():
            for model, rows in self.rows.items():
                moments = [getattr(row, "created_at", None) for row in rows]
                model._default_manager.bulk_create(rows, batch_size=BATCH)
                self._date(model, rows, moments)
        self.rows = {}

    @staticmethod
    def _date(model: Kind, rows: list[Model], moments: list[datetime | None]) -> None:
        """A column that notes when a row was made has just noted the present."""
        if any(field.name == "created_at" and getattr(field, "auto_now_add", False) for field in model._meta.fields):
            for row, moment in zip(rows, moments, strict=True):
                row.created_at = moment  # type: ignore[attr-defined]
            model._default_manager.bulk_update(rows, ["created_at"], batch_size=BATCH)


class Copied:
    """For PostgreSQL: a text per table, in the order in which the tables were first written to."""

    def __init__(self) -> None:
        self.numbers = Numbers()
        self.tables: dict[Kind, _Table] = {}

    def add(self, model: Kind, /, **values: Any) -> int:
        pk = next(self.numbers.of(model))
        table = self._table(model)
        table.text.write(table.row(pk, values))
        return pk

    def line(self, model: Kind, column: str, /, **values: Any) -> Any:
        """The row's text between its id and the column, and behind that."""
        before, _, after = self._table(model).row(0, values | {column: "@"})[1:].partition("@")
        return before, after

    def repeat(self, model: Kind, value: int, lines: Iterable[Any]) -> None:
        write, numbers = self._table(model).text.write, self.numbers.of(model)
        for before, after in lines:
            write(f"{next(numbers)}{before}{value}{after}")

    def flush(self) -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            for model, table in self.tables.items():
                table.text.seek(0)
                names = ", ".join(f'"{field.column}"' for field in table.fields)
                cursor.copy_expert(f'COPY "{model._meta.db_table}" ({names}) FROM STDIN', table.text)
                table.text = io.StringIO()
            for statement in connection.ops.sequence_reset_sql(no_style(), list(self.tables)):
                cursor.execute(statement)

    def _table(self, model: Kind) -> _Table:
        if model not in self.tables:
            self.tables[model] = _Table(model)
        return self.tables[model]


class _Table:
    """One table's rows in PostgreSQL's text format."""

    def __init__(self, model: Kind) -> None:
        self.fields = list(model._meta.concrete_fields)
        self.writers = [_writer(field) for field in self.fields]
        self.text = io.StringIO()

    def row(self, pk: int, values: dict[str, Any]) -> str:
        cells = []
        for field, written in zip(self.fields, self.writers, strict=True):
            if field.primary_key:
                cells.append(str(pk))
            elif field.attname in values:
                cells.append(written(values[field.attname]))
            else:
                cells.append(written(field.get_default()))
        return "\t".join(cells) + "\n"


def _writer(field: Field[Any, Any]) -> Callable[[Any], str]:
    return _json if isinstance(field, JSONField) else _plain


def _json(value: Any) -> str:
    return orjson.dumps(value).decode().translate(ESCAPES)


def _plain(value: Any) -> str:
    if value is None:
        return "\\N"
    if isinstance(value, str):
        return value.translate(ESCAPES)
    if isinstance(value, bytes):
        return f"\\\\x{value.hex()}"
    return value.isoformat() if isinstance(value, datetime) else str(value)
