"""What runs add to counters, recorded as they come and go: one CounterDelta row a transaction, which locks nothing.

Whoever writes runs gives them their facets (`link_facets`) and records what changes; counters.py adds it up.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC
from typing import Any, NamedTuple

from django.db.models import QuerySet

from runs.models import CounterDelta, Facet, Run, RunTag

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
