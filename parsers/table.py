"""Rows of a process table, kept by column: quick to read, to add up and to look into, without a dict per process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

from .records import ProcessSample


class Table(Sequence[dict[str, Any]]):
    """A sequence of dicts {column: value}, made when they are asked for. A None in a column is left out of its dict."""

    __slots__ = ("columns", "_n")

    def __init__(self, columns: dict[str, list[Any]], n: int) -> None:
        self.columns = columns
        self._n = n

    def __len__(self) -> int:
        return self._n

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, index: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self._n))]
        if index < 0:
            index += self._n
        if not 0 <= index < self._n:
            raise IndexError(index)
        return {name: value for name, column in self.columns.items() if (value := column[index]) is not None}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        names = list(self.columns)
        for row in zip(*self.columns.values(), strict=True):
            yield {name: value for name, value in zip(names, row, strict=True) if value is not None}

    def __repr__(self) -> str:
        return f"Table({self._n} rows of {', '.join(self.columns)})"


def samples(table: Table, *, rss: str = "rss_kb", vsz: str = "vsz_kb") -> Iterator[ProcessSample]:
    """A sample a row; `rss` and `vsz` are the tool's names of the two columns."""
    for row in table:
        command = str(row.get("command", ""))
        yield ProcessSample(
            pid=row.get("pid", 0),
            user=row.get("user"),
            command=command,
            group=ProcessSample.group_of(command),
            rss_kb=row.get(rss),
            vsz_kb=row.get(vsz),
            cpu_pct=row.get("cpu_pct"),
            mem_pct=row.get("mem_pct"),
            time_s=row.get("time_s"),
        )
