"""The small tables that lists and trends are read from: taken in from tallies, or counted from nothing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.db import connection, transaction
from django.db.models import Count, F, Max, Min, Model, Q, QuerySet, Sum
from django.db.models.functions import Greatest, Ln, TruncDate

from runs.models import Facet, Host, Run, RunTag, Tally, Trend, TrendLine

from . import tallies

Day = tuple[str, date]  # fingerprint and day
A_BATCH = 500  # tallies taken in by one transaction
SOME = 500  # fingerprints in one query
LOCK = 0x7A117  # any number that nothing else of ours locks
SOUND = Q(counted=True, partial=False, aborted=False, requests_per_second__gt=0)
SUMS = {
    "n": Count("pk"),
    "total": Sum("requests_per_second"),
    "sum_log": Sum(Ln("requests_per_second")),
    "sum_log2": Sum(Ln("requests_per_second") * Ln("requests_per_second")),
    "least": Min("requests_per_second"),
    "most": Max("requests_per_second"),
    "n_ms": Count("mean_ms"),
    "sum_ms": Sum("mean_ms", default=0.0),
}


def take_in() -> int:
    """Add the tallies to the small tables, a batch a transaction; how many there were. 0 where another is at it.

    One at a time: of two that add up the same day the later one must be the one that saw more runs.
    """
    taken = 0
    if not Tally.objects.exists():  # mostly: no lock for that
        return taken
    with _alone(wait=False) as alone:
        while alone and (n := _take_batch()):
            taken += n
            if n < A_BATCH:
                break
    return taken


def _take_batch() -> int:
    facets: Counter[int] = Counter()
    hosts: Counter[int] = Counter()
    days: set[Day] = set()
    with transaction.atomic():
        rows = list(Tally.objects.order_by("id")[:A_BATCH])
        for row in rows:
            facets.update({int(pk): by for pk, by in row.changes.get("facets", {}).items()})
            hosts.update({int(pk): by for pk, by in row.changes.get("hosts", {}).items()})
            days |= {(fingerprint, date.fromisoformat(on)) for fingerprint, on in row.changes.get("days", [])}
        _add(Facet.objects.all(), facets)
        _add_to_hosts(hosts)
        _add_up(days)
        Tally.objects.filter(pk__in=[row.pk for row in rows]).delete()
    return len(rows)


def _add(rows: QuerySet[Any], changes: dict[int, int]) -> None:
    """One update for all that change by the same number. A count that went wrong never stands in the way of others."""
    by_number: dict[int, list[int]] = defaultdict(list)
    for pk, by in changes.items():
        by_number[by].append(pk)
    for by, ids in by_number.items():
        if by:
            rows.filter(pk__in=ids).update(n_runs=Greatest(F("n_runs") + by, 0))


def _add_to_hosts(changes: Counter[int]) -> None:
    """Hosts are written by uploads too: those that one holds now wait for the next time, so that nobody waits here."""
    here = set(Host.objects.filter(pk__in=changes).values_list("pk", flat=True))
    free = set(
        Host.objects.select_for_update(skip_locked=True, no_key=True).filter(pk__in=here).values_list("pk", flat=True)
    )
    _add(Host.objects.all(), {pk: by for pk, by in changes.items() if pk in free})
    if here - free:
        Tally.objects.create(changes={"hosts": {str(pk): changes[pk] for pk in sorted(here - free)}})


def _add_up(days: set[Day]) -> None:
    """Add these days up anew from their runs."""
    by_fingerprint: dict[str, set[date]] = defaultdict(set)
    for fingerprint, on in days:
        by_fingerprint[fingerprint].add(on)
    names = sorted(by_fingerprint)
    for at in range(0, len(names), SOME):
        some = {name: by_fingerprint[name] for name in names[at : at + SOME]}
        _add_up_some(some)
        _draw_lines(some)


def _add_up_some(wanted: dict[str, set[date]]) -> None:
    every = set().union(*wanted.values())
    span = (_midnight(min(every)), _midnight(max(every) + timedelta(days=1)))
    runs = Run.objects.filter(fingerprint__in=wanted, created_at__gte=span[0], created_at__lt=span[1])
    rows = [Trend(**sums) for sums in _sums(runs) if sums["day"] in wanted[sums["fingerprint"]]]
    there = {(row.fingerprint, row.day) for row in rows}
    Trend.objects.bulk_create(
        rows, batch_size=1000, update_conflicts=True, unique_fields=["fingerprint", "day"], update_fields=list(SUMS)
    )
    for fingerprint, on in {(fingerprint, on) for fingerprint, each in wanted.items() for on in each} - there:
        Trend.objects.filter(fingerprint=fingerprint, day=on).delete()


def _sums(runs: QuerySet[Run]) -> Iterator[Any]:
    """The columns of Trend for each fingerprint and day of these runs."""
    found = runs.filter(SOUND).order_by().annotate(day=TruncDate("created_at"))
    return found.values("fingerprint", "day").annotate(**SUMS).iterator(5000)


def _draw_lines(fingerprints: Iterable[str] | None = None) -> None:
    """Sum up the days of these fingerprints, or of all."""
    found = Trend.objects.order_by().values("fingerprint")
    wanted = None if fingerprints is None else set(fingerprints)
    if wanted is not None:
        found = found.filter(fingerprint__in=wanted)
    sums = found.annotate(runs=Sum("n"), n_days=Count("pk"), first_day=Min("day"), last_day=Max("day"))
    columns = ("fingerprint", "runs", "n_days", "first_day", "last_day")
    rows = [
        TrendLine(fingerprint=fingerprint, n=n, n_days=n_days, first_day=first, last_day=last)
        for fingerprint, n, n_days, first, last in sums.values_list(*columns).iterator(5000)
    ]
    _replace(TrendLine, rows, ["fingerprint"], ["n", "n_days", "first_day", "last_day"])
    if wanted is not None:
        TrendLine.objects.filter(fingerprint__in=wanted - {row.fingerprint for row in rows}).delete()


def _replace(model: type[Model], rows: list[Any], by: list[str], columns: list[str]) -> None:
    model._default_manager.bulk_create(
        rows, batch_size=1000, update_conflicts=True, unique_fields=by, update_fields=columns
    )


def recount() -> None:
    """Build the small tables from the runs alone, whatever they held. What is stored meanwhile is not lost."""
    with _alone(wait=True), _one_view():
        Tally.objects.all().delete()
        _key_all()
        _count_facets()
        _count_hosts()
        Trend.objects.all().delete()
        _insert_days()
        TrendLine.objects.all().delete()
        _draw_lines()


def _key_all() -> None:
    """Facets for the runs that lack one, and tags."""
    lacking = (
        Q(facet_config=None)
        | (Q(facet_command=None) & ~Q(command=""))
        | (Q(facet_server=None) & ~Q(server_software=""))
    )
    for some in tallies.in_parts(list(Run.objects.filter(lacking).order_by("pk").values_list("pk", flat=True))):
        tallies.rekey(Run.objects.filter(pk__in=some))


def _count_facets() -> None:
    counts: Counter[int] = Counter()
    tools = dict(Run.objects.order_by().values_list("tool").annotate(Count("pk")))
    known = tallies.facets_of({(Facet.Kind.TOOL, tool) for tool in tools})
    counts.update({known[Facet.Kind.TOOL, tool]: n for tool, n in tools.items()})
    for key in ("facet_config", "facet_command", "facet_server"):
        counts.update(dict(Run.objects.exclude(**{key: None}).order_by().values_list(key).annotate(Count("pk"))))
    counts.update(dict(RunTag.objects.order_by().values_list("facet").annotate(Count("pk"))))
    rows = [row for row in Facet.objects.all() if row.n_runs != counts[row.pk]]
    for row in rows:
        row.n_runs = counts[row.pk]
    _replace(Facet, rows, ["kind", "value"], ["n_runs"])


def _count_hosts() -> None:
    counts = dict(Run.objects.exclude(host=None).order_by().values_list("host").annotate(Count("pk")))
    for pk, n in Host.objects.order_by("pk").values_list("pk", "n_runs"):
        if n != counts.get(pk, 0):
            Host.objects.filter(pk=pk).update(n_runs=counts.get(pk, 0))


def _insert_days() -> None:
    rows: list[Trend] = []
    for sums in _sums(Run.objects.all()):
        rows.append(Trend(**sums))
        if len(rows) == 5000:
            Trend.objects.bulk_create(rows)
            rows = []
    Trend.objects.bulk_create(rows)


@contextmanager
def _alone(*, wait: bool) -> Iterator[bool]:
    """False where another process is at it. SQLite has one writer anyway."""
    if connection.vendor != "postgresql":
        yield True
        return
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT pg_{'' if wait else 'try_'}advisory_lock(%s)", [LOCK])
        got = wait or bool(cursor.fetchone()[0])
        try:
            yield got
        finally:
            if got:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])


@contextmanager
def _one_view() -> Iterator[None]:
    """A transaction that sees one moment: what is stored later leaves a tally that is taken in after it."""
    outermost = not connection.in_atomic_block
    with transaction.atomic():
        if outermost and connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


def _midnight(on: date) -> datetime:
    return datetime.combine(on, time(), UTC)
