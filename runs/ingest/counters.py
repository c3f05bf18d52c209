"""Facets, hosts' run counts and trends: small tables kept up as runs come and go, so that no page counts the runs.

Whoever writes runs gives them their facets (`link_facets`) and records what changes, as one CounterDelta row a transaction, which
locks nothing. `apply_deltas` adds these up, seconds later; `recount` rebuilds all of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models import Count, F, Max, Min, Model, Q, QuerySet, Sum
from django.db.models.functions import Coalesce, Greatest, Ln, TruncDate

from runs.analysis.doubt_case import Case, fatal_rules
from runs.analysis.facts import ConfigFact
from runs.analysis.monitors import MIB
from runs.database import database_lock
from runs.models import Capture, CounterDelta, Facet, Host, Override, Run, RunTag, Series, Trend, TrendLine

from .facts import make_capture_facts, make_run_fact

Kind = Facet.Kind
FacetIds = dict[tuple[str, str], int]  # by kind and value
VALUE_LENGTH = 300
IDS_PER_QUERY = 5000
KEYS = ("facet_config_id", "facet_command_id", "facet_server_id")
COLUMNS = (
    *("tool", "facet_config", "facet_command", "facet_server", "host", "fingerprint", "created_at", "ran_at"),
    *("counted", "partial", "aborted", "requests_per_second"),
)
# Loaded, too: a query of an owner's runs would ask for each run's owner again.
OWNERS = ("upload", "experiment", "config", "host")
FINGERPRINTS_PER_QUERY = 500
DELTAS_PER_TRANSACTION = 500
LOCK = 0x7A117  # any number that no other advisory lock of ours has
RAN_AT = Coalesce("ran_at", "created_at")
# As Contribution has it, which leaves out what is not known when a run is stored.
MAY_BE_IN_TREND = Q(counted=True, partial=False, aborted=False, requests_per_second__gt=0)
IN_TREND = MAY_BE_IN_TREND & ~Q(doubted=True)
SUMS = {
    "n": Count("pk"),
    "total": Sum("requests_per_second"),
    "sum_log": Sum(Ln("requests_per_second")),
    "sum_log2": Sum(Ln("requests_per_second") * Ln("requests_per_second")),
    "least": Min("requests_per_second"),
    "most": Max("requests_per_second"),
    "n_ms": Count("mean_ms"),
    "sum_ms": Sum("mean_ms", default=0.0),
    "newest_build_id": Max("build"),
}


class Contribution(NamedTuple):
    """What one run adds to the counters: facets' ids, its host's id, and (fingerprint, day) or None if in no trend."""

    facets: tuple[int, ...]
    host: int | None
    day: tuple[str, str] | None


def link_facets(runs: Sequence[Run]) -> FacetIds:
    """Give runs the ids of their facets, unsaved, and return those of their tools and tags too. Loads their configs."""
    ids = get_facet_ids({name for run in runs for name in _list_facets(run) if name[1]})
    for run in runs:
        _, config, command, server, *_ = map(ids.get, _list_facets(run))
        run.facet_config_id, run.facet_command_id, run.facet_server_id = config, command, server
    return ids


def _list_facets(run: Run) -> list[tuple[str, str]]:
    """Kind and value of a run's facets, "" for those that it lacks; its tags last."""
    return [
        (Kind.TOOL, run.tool),
        (Kind.CONFIG, run.config.name),
        (Kind.COMMAND, run.command[:VALUE_LENGTH]),
        (Kind.SERVER, run.server_software),
        *((Kind.TAG, tag[:VALUE_LENGTH]) for tag in run.tags),
    ]


def get_facet_ids(wanted: set[tuple[str, str]]) -> FacetIds:
    facet_ids = _read_facets(wanted)
    missing = sorted(wanted - facet_ids.keys())
    if missing:  # in one order everywhere, so that two writers do not wait for each other
        Facet.objects.bulk_create([Facet(kind=kind, value=value) for kind, value in missing], ignore_conflicts=True)
        facet_ids |= _read_facets(set(missing))
    return facet_ids


def _read_facets(wanted: set[tuple[str, str]]) -> FacetIds:
    """The ids of these facets, and perhaps of a few others: of one kind with a value that another kind has."""
    kinds, values = map(set, zip(*wanted, strict=True)) if wanted else (set(), set())
    rows = Facet.objects.filter(kind__in=kinds, value__in=values).order_by()
    return {(kind, value): pk for kind, value, pk in rows.values_list("kind", "value", "pk")}


def record_stored(runs: Sequence[Run], facets: FacetIds, before: Iterable[Contribution] = ()) -> None:
    """Save the tags of runs just stored, and what they add to the counters in place of others that added `before`.

    facets: what `link_facets` returned for them.
    """
    tags: list[RunTag] = []
    added = []
    for run in runs:
        ids = sorted({facets[Kind.TAG, tag[:VALUE_LENGTH]] for tag in run.tags if tag})
        tags += [RunTag(facet_id=facet, run_id=run.pk) for facet in ids]
        added.append(_make_contribution(run, facets[Kind.TOOL, run.tool], ids))
    RunTag.objects.bulk_create(tags)
    _save_delta(before, added)


def sum_contributions(runs: QuerySet[Run]) -> dict[int, Contribution]:
    """{run id: what the run adds to the counters}."""
    rows = list(runs.order_by().only(*COLUMNS, *OWNERS))
    tools = get_facet_ids({(Kind.TOOL, run.tool) for run in rows})
    tags: dict[int, list[int]] = defaultdict(list)
    for part in split_ids([run.pk for run in rows]):
        for pk, facet in RunTag.objects.filter(run__in=part).values_list("run_id", "facet_id"):
            tags[pk].append(facet)
    return {run.pk: _make_contribution(run, tools[Kind.TOOL, run.tool], tags[run.pk]) for run in rows}


def _make_contribution(run: Run, tool: int, tags: Iterable[int]) -> Contribution:
    own = (tool, run.facet_config_id, run.facet_command_id, run.facet_server_id, *tags)
    in_trend = run.counted and not run.partial and not run.aborted and (run.requests_per_second or 0) > 0
    day = (run.fingerprint, (run.ran_at or run.created_at).astimezone(UTC).date().isoformat()) if in_trend else None
    return Contribution(tuple(filter(None, own)), run.host_id, day)


def record_restored(runs: Sequence[int]) -> None:
    """Runs that are out of the bin again count again, and have their tags. For use in a transaction."""
    for part in split_ids(runs):
        rows = Run.objects.filter(pk__in=part)
        save_facets(rows)
        save_tags(rows)
        _save_delta([], sum_contributions(rows).values())


def save_tags(runs: QuerySet[Run]) -> None:
    """Save the links of these runs to the tags that they have by now. For use in a transaction."""
    rows = list(runs.order_by().only("tags", *OWNERS))
    ids = get_facet_ids({(Kind.TAG, tag[:VALUE_LENGTH]) for run in rows for tag in run.tags if tag})
    RunTag.objects.filter(run__in=[run.pk for run in rows]).delete()
    links = {(ids[Kind.TAG, tag[:VALUE_LENGTH]], run.pk) for run in rows for tag in run.tags if tag}
    RunTag.objects.bulk_create([RunTag(facet_id=facet, run_id=run) for facet, run in sorted(links)])


@contextmanager
def track_changes(runs: QuerySet[Run]) -> Iterator[None]:
    """Record whatever happens to these runs inside: renamed, moved, left out or deleted. For use in a transaction."""
    before = sum_contributions(runs)
    yield
    after: list[Contribution] = []
    for part in split_ids(list(before)):
        save_facets(Run.objects.filter(pk__in=part))
        after += sum_contributions(Run.objects.filter(pk__in=part)).values()
    _save_delta(before.values(), after)


def save_facets(runs: QuerySet[Run]) -> None:
    """Save the facets that these runs have by now, where they changed: most change to the same ones."""
    rows = list(runs.select_related("config").only("tool", "command", "server_software", "tags", *KEYS, "config__name"))
    old = [[getattr(run, key) for key in KEYS] for run in rows]
    link_facets(rows)
    changed: dict[tuple[str, int | None], list[int]] = defaultdict(list)
    for run, before in zip(rows, old, strict=True):
        for key, was in zip(KEYS, before, strict=True):
            if getattr(run, key) != was:
                changed[key, getattr(run, key)].append(run.pk)
    for (key, facet), ids in changed.items():
        for part in split_ids(ids):
            Run.objects.filter(pk__in=part).update(**{key: facet})


def split_ids(ids: Sequence[Any], size: int = IDS_PER_QUERY) -> Iterator[Sequence[Any]]:
    return (ids[at : at + size] for at in range(0, len(ids), size))


def _save_delta(before: Iterable[Contribution], after: Iterable[Contribution]) -> None:
    """One row that says by how much each count changes, and which days of which trends have to be summed again."""
    facets: Counter[int] = Counter()
    hosts: Counter[int] = Counter()
    days = set()
    for part, by in ((before, -1), (after, 1)):
        for each in part:
            facets.update(dict.fromkeys(each.facets, by))
            hosts.update({each.host: by} if each.host else {})
            days |= {each.day} if each.day else set()
    changes = {
        "facets": {str(pk): by for pk, by in facets.items() if by},
        "hosts": {str(pk): by for pk, by in hosts.items() if by},
        "days": sorted(days),
    }
    if any(changes.values()):
        CounterDelta.objects.create(changes=changes)


# --- adding them up -------------------------------------------------------------------------------------------------------


def apply_deltas() -> int:
    """Add the recorded deltas to the counters, a batch a transaction; how many. 0 where another process does it.

    One process at a time: of two that sum the same day the later one must be the one that saw more runs.
    """
    applied = 0
    if not CounterDelta.objects.exists():  # the usual case needs no lock
        return applied
    with database_lock(LOCK, wait=False) as got_lock:
        while got_lock and (n := _apply_batch()):
            applied += n
            if n < DELTAS_PER_TRANSACTION:
                break
    return applied


def _apply_batch() -> int:
    facets: Counter[int] = Counter()
    hosts: Counter[int] = Counter()
    days: dict[str, set[date]] = defaultdict(set)
    waiting = dict(CounterDelta.objects.order_by("id").values_list("pk", "changes")[:DELTAS_PER_TRANSACTION])
    named = [day for changes in waiting.values() for day in changes.get("days", [])]
    for part in split_ids(sorted({fingerprint for fingerprint, _ in named})):
        # Before the transaction, in which SQLite lets nobody else write.
        _mark_doubted(Run.objects.filter(MAY_BE_IN_TREND, fingerprint__in=part, doubted=None))
    with transaction.atomic():
        rows = list(CounterDelta.objects.filter(pk__in=waiting).order_by("id"))
        for row in rows:
            facets.update({int(pk): by for pk, by in row.changes.get("facets", {}).items()})
            hosts.update({int(pk): by for pk, by in row.changes.get("hosts", {}).items()})
            for fingerprint, day in row.changes.get("days", []):
                days[fingerprint].add(date.fromisoformat(day))
        _add_counts(Facet.objects.all(), facets)
        _add_to_hosts(hosts)
        for names in split_ids(sorted(days), FINGERPRINTS_PER_QUERY):
            _sum_days({name: days[name] for name in names})
        CounterDelta.objects.filter(pk__in=[row.pk for row in rows]).delete()
    return len(rows)


def _add_counts(rows: QuerySet[Any], changes: dict[int, int]) -> None:
    """One update for all that change by the same number. A wrong count never drops below 0, which would be refused."""
    by_number: dict[int, list[int]] = defaultdict(list)
    for pk, by in changes.items():
        by_number[by].append(pk)
    for by, ids in by_number.items():
        if by:
            rows.filter(pk__in=ids).update(n_runs=Greatest(F("n_runs") + by, 0))


def _add_to_hosts(changes: Counter[int]) -> None:
    """Uploads write hosts too: those that one has locked get their delta the next time, so that nothing waits here."""
    existing = Host.everything.filter(pk__in=changes)
    here = set(existing.values_list("pk", flat=True))
    free = set(existing.select_for_update(skip_locked=True, no_key=True).values_list("pk", flat=True))
    _add_counts(Host.everything.all(), {pk: by for pk, by in changes.items() if pk in free})
    if here - free:
        CounterDelta.objects.create(changes={"hosts": {str(pk): changes[pk] for pk in sorted(here - free)}})


def _sum_days(wanted: dict[str, set[date]]) -> None:
    every = set().union(*wanted.values())
    first, last = (datetime.combine(day, time(), UTC) for day in (min(every), max(every) + timedelta(days=1)))
    runs = Run.objects.alias(at=RAN_AT).filter(fingerprint__in=wanted, at__gte=first, at__lt=last)
    rows = [Trend(**sums) for sums in _read_sums(runs) if sums["day"] in wanted[sums["fingerprint"]]]
    _upsert(Trend, rows, ["fingerprint", "day"], list(SUMS))
    summed = {(row.fingerprint, row.day) for row in rows}
    for fingerprint, day in {(fingerprint, day) for fingerprint, days in wanted.items() for day in days} - summed:
        Trend.objects.filter(fingerprint=fingerprint, day=day).delete()
    lines = _sum_lines(Trend.objects.filter(fingerprint__in=wanted))
    TrendLine.objects.filter(fingerprint__in=wanted.keys() - lines).delete()


def _mark_doubted(runs: QuerySet[Run]) -> None:
    """Set `doubted` of these runs: by a fatal doubt that rests on themselves or on monitors, and that nobody overruled."""
    for part in split_ids(list(runs.order_by("pk").values_list("pk", flat=True))):
        rows = Run.objects.filter(pk__in=part)
        overrides = Override.objects.filter(upload__in=rows.values("upload"), withdrawn_at=None)
        overruled: dict[int | None, list[tuple[int | None, str]]] = defaultdict(list)
        for upload, line, rule in overrides.values_list("upload_id", "line", "rule"):
            overruled[upload].append((line, rule))
        doubted, watched = set(), _find_doubts_by_monitors(rows)
        for run in rows.select_related("host").defer("quotes"):
            lines = range(run.line_first, run.line_last + 1)
            exempt = {rule for line, rule in overruled[run.upload_id] if line in lines}
            alone = fatal_rules(Case([ConfigFact(run.config_id, "")], [make_run_fact(run)]))
            if (alone.get(run.pk, set()) | watched.get(run.pk, set())) - exempt:
                doubted.add(run.pk)
        rows.filter(pk__in=doubted).update(doubted=True)
        rows.exclude(pk__in=doubted).update(doubted=False)


def _find_doubts_by_monitors(runs: QuerySet[Run]) -> dict[int, set[str]]:
    """Rules that keep runs out by what monitors in the same texts saw. Texts without swap in use are not asked."""
    swap = Series.objects.filter(pid=None, metric="swap_used_kb", capture__deletion=None)
    used = swap.filter(max__gte=MIB, capture__upload__in=runs.values("upload"))
    doubts_by_monitors: dict[int, set[str]] = {}
    for upload, experiment in used.values_list("capture__upload", "capture__experiment").distinct():
        own = Q(upload=upload, experiment=experiment)
        clean = swap.filter(mean=0, capture__experiment=experiment, capture__run__counted=True)[:1]
        captures = list(Capture.objects.filter(own | Q(pk__in=list(clean.values_list("capture", flat=True)))))
        beside = [capture.run_id for capture in captures if capture.run_id]
        rows = Run.objects.filter(own | Q(pk__in=beside), counted=True).select_related("host").defer("quotes")
        facts = [make_run_fact(run) for run in rows]
        configs = [ConfigFact(config, "") for config in dict.fromkeys(run.config for run in facts)]
        watched = [fact for fact in make_capture_facts(captures) if not fact.divided]
        doubts_by_monitors |= fatal_rules(Case(configs, facts, watched))
    return doubts_by_monitors


def _read_sums(runs: QuerySet[Run]) -> Iterator[Any]:
    """The columns of Trend for each fingerprint and day of these runs."""
    by_day = runs.filter(IN_TREND).order_by().annotate(day=TruncDate(RAN_AT)).values("fingerprint", "day")
    return by_day.annotate(**SUMS).iterator(5000)


def _sum_lines(days: QuerySet[Trend]) -> set[str]:
    """Sum these days by fingerprint; which fingerprints they had."""
    sums = days.order_by().values("fingerprint")
    sums = sums.annotate(runs=Sum("n"), n_days=Count("pk"), first_day=Min("day"), last_day=Max("day"))
    columns = ("fingerprint", "runs", "n_days", "first_day", "last_day")
    rows = [
        TrendLine(fingerprint=fingerprint, n=n, n_days=n_days, first_day=first, last_day=last)
        for fingerprint, n, n_days, first, last in sums.values_list(*columns).iterator(5000)
    ]
    _upsert(TrendLine, rows, ["fingerprint"], ["n", "n_days", "first_day", "last_day"])
    return {row.fingerprint for row in rows}


def _upsert(model: type[Model], rows: list[Any], by: list[str], columns: list[str]) -> None:
    model._default_manager.bulk_create(
        rows, batch_size=1000, update_conflicts=True, unique_fields=by, update_fields=columns
    )


def recount() -> None:
    """Build all counters from the runs alone, whatever they held. What is stored meanwhile is not lost."""
    _mark_doubted(Run.objects.filter(MAY_BE_IN_TREND, doubted=None))
    with database_lock(LOCK), _open_snapshot():
        CounterDelta.objects.all().delete()
        no_command = Q(facet_command=None) & ~Q(command="")
        unlinked = Q(facet_config=None) | no_command | (Q(facet_server=None) & ~Q(server_software=""))
        for part in split_ids(list(Run.objects.filter(unlinked).order_by("pk").values_list("pk", flat=True))):
            save_facets(Run.objects.filter(pk__in=part))
        _count_facets()
        counts = dict(Run.objects.exclude(host=None).order_by().values_list("host").annotate(Count("pk")))
        for pk, n in Host.everything.order_by("pk").values_list("pk", "n_runs"):
            if n != counts.get(pk, 0):
                Host.everything.filter(pk=pk).update(n_runs=counts.get(pk, 0))
        Trend.objects.all().delete()
        rows = (Trend(**sums) for sums in _read_sums(Run.objects.all()))
        while batch := list(islice(rows, 5000)):
            Trend.objects.bulk_create(batch)
        TrendLine.objects.all().delete()
        _sum_lines(Trend.objects.all())


def _count_facets() -> None:
    tools = dict(Run.objects.order_by().values_list("tool").annotate(Count("pk")))
    ids = get_facet_ids({(Facet.Kind.TOOL, tool) for tool in tools})
    counts = Counter({ids[Facet.Kind.TOOL, tool]: n for tool, n in tools.items()})
    for key in ("facet_config", "facet_command", "facet_server"):
        counts.update(dict(Run.objects.exclude(**{key: None}).order_by().values_list(key).annotate(Count("pk"))))
    counts.update(dict(RunTag.objects.order_by().values_list("facet").annotate(Count("pk"))))
    rows = [row for row in Facet.objects.all() if row.n_runs != counts[row.pk]]
    for row in rows:
        row.n_runs = counts[row.pk]
    _upsert(Facet, rows, ["kind", "value"], ["n_runs"])


@contextmanager
def _open_snapshot() -> Iterator[None]:
    """A transaction that sees one moment: what is stored later leaves a delta that is applied after it."""
    outermost = not connection.in_atomic_block
    with transaction.atomic():
        if outermost and connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield
