"""Facets, hosts' counts and trends, kept up as runs come and go, so that no page has to count the runs themselves.

Whoever writes runs gives them their facets (`key_in`) and notes what changed: one Tally row a transaction, which waits
for nobody. `take_in`, seconds later, adds the tallies to the small tables; `recount` builds these from nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial, reduce
from operator import or_
from typing import NamedTuple

from django.db import transaction
from django.db.models import Q, QuerySet

from runs.models import Facet, Run, RunTag, Tally

Kind = Facet.Kind
Name = tuple[str, str]  # kind and value
VALUE_LENGTH = 300
SOME = 5000  # ids in one query
MOST_REMEMBERED = 20_000
_remembered: dict[Name, int] = {}  # facets are never deleted, so what is committed once stays true


class Share(NamedTuple):
    """What one run adds to the small tables. `day` None: it is in no trend."""

    facets: tuple[int, ...]
    host: int | None
    day: tuple[str, str] | None


def names_of(run: Run) -> dict[Kind, str]:
    """A run's facets but for its tags. Its config must be loaded."""
    return {
        Kind.TOOL: run.tool,
        Kind.CONFIG: run.config.name,
        Kind.COMMAND: run.command[:VALUE_LENGTH],
        Kind.SERVER: run.server_software,
    }


def key_in(runs: Iterable[Run]) -> None:
    """Give runs the ids of their facets; not saved. One query for those that this process has not met yet."""
    names = [(run, names_of(run)) for run in runs]
    known = facets_of({(kind, value) for _, named in names for kind, value in named.items() if value})
    for run, named in names:
        run.facet_config_id = known.get((Kind.CONFIG, named[Kind.CONFIG]))
        run.facet_command_id = known.get((Kind.COMMAND, named[Kind.COMMAND]))
        run.facet_server_id = known.get((Kind.SERVER, named[Kind.SERVER]))


def facets_of(wanted: set[Name]) -> dict[Name, int]:
    """The ids of these facets; those that are not there yet are made."""
    known = {name: pk for name in wanted if (pk := _remembered.get(name))}
    if len(known) == len(wanted):
        return known
    found = _stored(wanted - known.keys())
    lacking = sorted(wanted - known.keys() - found.keys())
    if lacking:  # in one order everywhere, so that two writers do not wait for each other
        Facet.objects.bulk_create([Facet(kind=kind, value=value) for kind, value in lacking], ignore_conflicts=True)
        found |= _stored(set(lacking))
    transaction.on_commit(partial(_remember, found))
    return known | found


def _stored(wanted: set[Name]) -> dict[Name, int]:
    values: dict[str, list[str]] = {}
    for kind, value in sorted(wanted):
        values.setdefault(kind, []).append(value)
    among = reduce(or_, (Q(kind=kind, value__in=each) for kind, each in values.items()))
    rows = Facet.objects.filter(among).order_by()
    return {(kind, value): pk for kind, value, pk in rows.values_list("kind", "value", "pk")}


def _remember(found: dict[Name, int]) -> None:
    if len(_remembered) + len(found) > MOST_REMEMBERED:
        _remembered.clear()
    _remembered.update(found)


def forget() -> None:
    """Remember no facet: the tables were emptied."""
    _remembered.clear()


def note(runs: Sequence[Run], before: Iterable[Share] = ()) -> None:
    """Runs were stored (with their facets, and none of their tags yet) in place of others that shared `before`."""
    tags = {(Kind.TAG, tag[:VALUE_LENGTH]) for run in runs for tag in run.tags if tag}
    known = facets_of(tags | {(Kind.TOOL, run.tool) for run in runs})
    tagged = {run.pk: sorted({known[Kind.TAG, tag[:VALUE_LENGTH]] for tag in run.tags if tag}) for run in runs}
    RunTag.objects.bulk_create([RunTag(facet_id=facet, run_id=pk) for pk, facets in tagged.items() for facet in facets])
    _tally(before, [_share(run, known[Kind.TOOL, run.tool], tagged[run.pk]) for run in runs])


def shares_of(runs: QuerySet[Run]) -> dict[int, Share]:
    """What stored runs add, by their ids."""
    rows = list(runs.order_by().only(*COLUMNS))
    known = facets_of({(Kind.TOOL, run.tool) for run in rows})
    tags: dict[int, list[int]] = {}
    for some in in_parts([run.pk for run in rows]):
        for pk, facet in RunTag.objects.filter(run__in=some).values_list("run_id", "facet_id"):
            tags.setdefault(pk, []).append(facet)
    return {run.pk: _share(run, known[Kind.TOOL, run.tool], tags.get(run.pk, [])) for run in rows}


COLUMNS = (
    *("tool", "facet_config", "facet_command", "facet_server", "host", "fingerprint", "created_at"),
    *("counted", "partial", "aborted", "requests_per_second"),
)


def _share(run: Run, tool: int, tags: Iterable[int]) -> Share:
    own = (tool, run.facet_config_id, run.facet_command_id, run.facet_server_id, *tags)
    return Share(tuple(pk for pk in own if pk), run.host_id, _day_of(run))


def _day_of(run: Run) -> tuple[str, str] | None:
    """Where the run is in a trend; runs.ingest.trends says which runs are in one."""
    sound = run.counted and not run.partial and not run.aborted and (run.requests_per_second or 0) > 0
    return (run.fingerprint, day(run.created_at)) if sound else None


def day(moment: datetime) -> str:
    return moment.astimezone(UTC).date().isoformat()


@contextmanager
def noting(runs: QuerySet[Run]) -> Iterator[None]:
    """Whatever happens to these runs inside is noted: renamed, moved, left out or deleted. For use in a transaction."""
    before = shares_of(runs)
    yield
    after: list[Share] = []
    for some in in_parts(list(before)):
        rekey(Run.objects.filter(pk__in=some))
        after += shares_of(Run.objects.filter(pk__in=some)).values()
    _tally(before.values(), after)


def rekey(runs: QuerySet[Run]) -> None:
    """Save the facets that these runs have by now, where they changed."""
    rows = list(runs.select_related("config").only("tool", "command", "server_software", *KEYS, "config__name"))
    old = [[getattr(run, key) for key in KEYS] for run in rows]
    key_in(rows)
    changed = [run for run, before in zip(rows, old, strict=True) if [getattr(run, key) for key in KEYS] != before]
    Run.objects.bulk_update(changed, [key.removesuffix("_id") for key in KEYS], batch_size=500)


KEYS = ("facet_config_id", "facet_command_id", "facet_server_id")


def in_parts(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    return (ids[at : at + SOME] for at in range(0, len(ids), SOME))


def _tally(before: Iterable[Share], after: Iterable[Share]) -> None:
    """One row that says by how much each count changes, and which days of which trends are to be added up anew."""
    facets: Counter[int] = Counter()
    hosts: Counter[int] = Counter()
    days = set()
    for shares, by in ((before, -1), (after, 1)):
        for share in shares:
            facets.update(dict.fromkeys(share.facets, by))
            hosts.update({share.host: by} if share.host else {})
            days |= {share.day} if share.day else set()
    changes = {
        "facets": {str(pk): by for pk, by in facets.items() if by},
        "hosts": {str(pk): by for pk, by in hosts.items() if by},
        "days": sorted(days),
    }
    if any(changes.values()):
        Tally.objects.create(changes=changes)
