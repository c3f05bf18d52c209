"""The table's deltas against the columns that the verdicts stand against: a column's own block has its own baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from runs.analysis.numbers import delta
from runs.analysis.table import Cell, Comparison, Row


def rebased(comparison: Comparison, bases: Sequence[int]) -> Comparison:
    """`bases` has each column's baseline by index; a column that is its own gets no delta."""
    if all(base == 0 for base in bases):
        return comparison
    groups = tuple(replace(group, rows=tuple(_row(row, bases) for row in group.rows)) for group in comparison.groups)
    return replace(comparison, groups=groups)


def _row(row: Row, bases: Sequence[int]) -> Row:
    return replace(row, cells=tuple(_cell(row, at, base) for at, base in enumerate(bases)))


def _cell(row: Row, at: int, base: int) -> Cell:
    cell, other = row.cells[at], row.cells[base]
    return replace(cell, delta=delta(cell.mean, other.mean, row.kind) if row.kind and at != base else None)
