"""One flat table that a page can also be had as: CSV and Markdown here, JSON by the page itself."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

from runs.analysis.numbers import figure
from runs.analysis.table import Cell, Comparison

Value = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Sheet:
    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]

    def records(self) -> list[dict[str, Value]]:
        return [dict(zip(self.heads, row, strict=True)) for row in self.rows]


def as_csv(sheet: Sheet) -> str:
    """Exact figures; text that a spreadsheet would run as a formula gets a quote before it, numbers never do."""
    out = io.StringIO()
    writer = csv.writer(out)
    for row in (sheet.heads, *sheet.rows):
        writer.writerow([_harmless(value) for value in row])
    return out.getvalue()


def as_markdown(sheet: Sheet, opening: str = "") -> str:
    """A table to paste into a post: four significant figures, numbers to the right."""
    numeric = [any(isinstance(row[at], (int, float)) for row in sheet.rows) for at in range(len(sheet.heads))]
    lines = [sheet.heads, ["---:" if right else "---" for right in numeric]]
    lines += [[_word(value) for value in row] for row in sheet.rows]
    table = "\n".join("| " + " | ".join(_cell(text) for text in line) + " |" for line in lines)
    return "\n\n".join(part for part in (f"# {sheet.title}", opening, table) if part) + "\n"


def of_comparison(title: str, comparison: Comparison) -> Sheet:
    """Metrics down, configs across: the mean of each, its n, and its ratio to the baseline."""
    heads = ["metric", "unit"]
    for at, column in enumerate(comparison.columns):
        heads += [column.title, f"{column.title}: n"] + ([f"{column.title}: ratio to baseline"] if at else [])
    rows = []
    for group in comparison.groups:
        for row in group.rows:
            values: list[Value] = [row.label, row.unit]
            for at, cell in enumerate(row.cells):
                values += [cell.mean, cell.n] + ([cell.delta.ratio if cell.delta else None] if at else [])
            rows.append(tuple(values))
    return Sheet(title, unique(heads), tuple(rows))


def for_people(title: str, comparison: Comparison, sentence: str) -> str:
    """The comparison as Markdown that a post can quote: the sentence, then one column a config."""
    heads = ("", *(column.title for column in comparison.columns))
    rows = []
    for group in comparison.groups:
        for row in group.rows:
            label = f"{row.label} ({row.unit})" if row.unit else row.label
            rows.append((label, *(_told(cell) for cell in row.cells)))
    return as_markdown(Sheet(title, heads, tuple(rows)), sentence)


def _told(cell: Cell) -> str:
    if cell.mean is None:
        return ""
    return f"{figure(cell.mean)} ({f'{cell.delta}, ' if cell.delta else ''}n={cell.n})"


def structure(comparison: Comparison) -> dict[str, object]:
    """The whole comparison for JSON: every value with its line, not only the means."""
    return {
        "configs": [
            {
                "id": column.setup.id,
                "name": column.setup.name,
                "group": column.setup.group,
                "load": column.method.words(),
                "runs": [run.id for run in column.runs],
            }
            for column in comparison.columns
        ],
        "metrics": [
            {
                "group": group.name,
                "key": row.key,
                "label": row.label,
                "unit": row.unit,
                "cells": [
                    {
                        "n": cell.n,
                        "mean": cell.mean,
                        "ratio_to_baseline": cell.delta.ratio if cell.delta else None,
                        "values": [{"value": one.value, "source": one.source} for one in cell.figures],
                    }
                    for cell in row.cells
                ],
            }
            for group in comparison.groups
            for row in group.rows
        ],
    }


def unique(heads: Sequence[str]) -> tuple[str, ...]:
    """Heads that can be keys: a second "worker" becomes "worker (2)"."""
    seen: dict[str, int] = {}
    made = []
    for head in heads:
        seen[head] = seen.get(head, 0) + 1
        made.append(head if seen[head] == 1 else f"{head} ({seen[head]})")
    return tuple(made)


def _harmless(value: Value) -> Value:
    if isinstance(value, str) and value[:1] in {"=", "+", "-", "@", "\t", "\r"}:
        return "'" + value
    return value


def _word(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return figure(value) if isinstance(value, (int, float)) else value


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
