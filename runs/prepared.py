"""SQL that PostgreSQL takes apart and plans once a connection: for a small row that is as much work as all the rest of it.

Only outside transactions. There, whoever turns out not to have a statement (a pooler gives each one to another connection)
can still be told the plain one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from django.db import Error
from django.db.backends.utils import CursorWrapper
from psycopg2.extensions import AsIs

Spell = Callable[[Sequence[Any]], tuple[str, Sequence[Any]]]
# The statement is not there, is there already, or finds other columns than when it was prepared.
MISFITS = {"26000", "42P05", "0A000"}


class Statement:
    """SQL in which nothing but `n` values changes: `spell` gives it with them, as a cursor takes it."""

    def __init__(self, n: int, spell: Spell) -> None:
        self.spell = spell
        self._n = n
        self._calling = self._preparing = ""

    def calling(self, cursor: CursorWrapper) -> tuple[str, str]:
        """What prepares it, and what calls it with its values.

        Its name tells it from any other: where connections are shared, another process may have prepared it.
        """
        if not self._calling:
            places = [AsIs(f"${number}") for number in range(1, self._n + 1)]
            body = cursor.mogrify(*self.spell(places)).decode()
            name = f"bd_{hashlib.sha256(body.encode()).hexdigest()[:24]}"
            self._preparing = f"PREPARE {name} AS {body}".replace("%", "%%")
            self._calling = f"EXECUTE {name}" + (f"({', '.join(['%s'] * self._n)})" if self._n else "")
        return self._preparing, self._calling


Part = tuple[Statement | str, Sequence[Any]]  # with its values; a text is carried out as it is
_there: WeakKeyDictionary[Any, set[Statement] | None] = WeakKeyDictionary()  # by connection; None where it keeps none


def execute(cursor: CursorWrapper, *parts: Part) -> None:
    """Carry them out in one message. What the last one finds is with the cursor."""
    database = cursor.db
    if database.vendor == "postgresql" and not database.in_atomic_block:
        there = _there.setdefault(database.connection, set())
        if there is not None:
            try:
                return _call(cursor, parts, there)
            except Error as error:
                if getattr(error.__cause__, "pgcode", None) not in MISFITS:
                    raise
                _there[database.connection] = None
    spelt = [(part, values) if isinstance(part, str) else part.spell(values) for part, values in parts]
    _send(cursor, [sql for sql, _ in spelt], [values for _, values in spelt])


def _call(cursor: CursorWrapper, parts: Sequence[Part], there: set[Statement]) -> None:
    """What has to be prepared goes first: it stays, even where the rest of the message fails."""
    missing: dict[Statement, str] = {}
    calls: list[str] = []
    for part, _ in parts:
        if isinstance(part, str):
            calls.append(part)
            continue
        preparing, calling = part.calling(cursor)
        calls.append(calling)
        if part not in there:
            missing[part] = preparing
    there.update(missing)
    _send(cursor, [*missing.values(), *calls], [values for _, values in parts])


def _send(cursor: CursorWrapper, statements: Sequence[str], values: Sequence[Sequence[Any]]) -> None:
    cursor.execute(";\n".join(statements), [value for some in values for value in some])
