"""Trends out of their small tables: one config over time, and the list of all. No run is counted here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runs.analysis.trend import MOST_DAYS, Day
from runs.models import Run, Trend, TrendLine
from runs.selectors.lists import union_rows


@dataclass(frozen=True, slots=True)
class Named:
    """A trend, and its newest run, which tells what it is a trend of; None where that was deleted a moment ago."""

    line: TrendLine
    run: Run | None


def days_of(fingerprint: str) -> list[Day]:
    """The newest days of comparable runs, the oldest of them first."""
    rows = Trend.objects.filter(fingerprint=fingerprint).order_by("-day")[:MOST_DAYS]
    return [Day(row.day, row.n, row.sum_log / row.n, row.least, row.most) for row in reversed(rows)]


def newest_run(fingerprint: str) -> Run | None:
    return Run.objects.filter(fingerprint=fingerprint).for_list().order_by("-id").first()


def named(lines: Sequence[TrendLine]) -> list[Named]:
    """The trends with what they are trends of. Two queries."""
    ids = union_rows(
        Run.objects.filter(fingerprint=line.fingerprint).order_by("-id").values_list("id")[:1] for line in lines
    )
    runs = {run.fingerprint: run for run in Run.objects.filter(pk__in=[pk for (pk,) in ids]).for_list()}
    return [Named(line, runs.get(line.fingerprint)) for line in lines]
