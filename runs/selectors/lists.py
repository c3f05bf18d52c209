"""Lists: pages by key, the list of runs with its filters and its search, several short lists in one query; and the search page.

Pages are read along an index from where the page before ended, never by OFFSET: any page among a million rows costs what it
costs among a thousand. Where a list of runs goes by several names, the newest runs of each name are read and merged.

Search finds the names that hold a text, of each kind the few most used (or newest). The most used names are scanned first: what is
common is found there. What is rare is found by trigrams, all over the table. Each of the two would be slow at what the other is
good for. Versions, commits and branches are found by how they begin, along their indexes.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import F, Q, QuerySet, Value
from django.http import QueryDict
from django.urls import reverse
from django.utils.http import urlencode

from runs.analysis.trend import MOST_DAYS, Day
from runs.database import find_facets, parse_id, union_rows
from runs.models import Build, Config, Experiment, Facet, Host, Run, Trend, TrendLine
from runs.models.results import RunQuerySet

PAGE_SIZE = 50
MOST_FACETS, MOST_HOSTS = 25, 50  # of each kind that a list can be narrowed by; to choose from
RATE = "requests_per_second"
UNINDEXED = {"min_rps", "max_rps", "sort"}  # filters with which all runs are still read in the order of one index
MAX_SORTED = 1000  # of what was narrowed down, only the newest are sorted by rate
MAX_FOUND = 5  # names of a kind, where a list goes by them
MAX_SHOWN = 20  # of a kind, on the search page
SCANNED = 500  # names of a kind that are scanned first
MIN_LETTERS = 3  # that a search by trigrams needs
FACET_KINDS: list[str] = Facet.Kind.values
FACET_COLUMNS = ("pk", "kind", "value", "n_runs")
BUILD_KINDS = ("version", "commit", "branch", "pr")
TITLES = {
    "experiment": "Experiments",
    "config": "Configs",
    "host": "Hosts",
    "tag": "Tags",
    "command": "Commands",
    "build": "Versions",
    "server": "Servers",
    "tool": "Tools",
}


@dataclass(frozen=True, slots=True)
class Page:
    """Rows, and the query strings of the next page ("" on the last) and of the first."""

    rows: Sequence[Any]
    next: str
    first: str


def paginate(query: QueryDict, rows: QuerySet[Any], *, column: str = "id", descending: bool = True) -> Page:
    """The rows after ?after=, ordered by `column` and then id. Rows without a value in that column are not in the list."""
    sign = "-" if descending else ""
    rows = rows.order_by(*dict.fromkeys((f"{sign}{column}", f"{sign}id")))
    if column != "id":
        rows = rows.filter(**{f"{column}__isnull": False})
    after = _filter_after(query.get("after", ""), column, descending)
    return make_page(query, list((rows.filter(after) if after else rows)[: PAGE_SIZE + 1]), column)


def make_page(query: QueryDict, rows: Sequence[Any], column: str = "id", size: int = PAGE_SIZE) -> Page:
    """A page of these rows: one more than `size`, which a page holds, where others follow."""
    other = query.copy()
    other.pop("after", None)
    first = other.urlencode() if "after" in query else ""
    following = ""
    if len(rows) > size:
        last = rows[size - 1]
        other["after"] = str(last.pk) if column == "id" else f"{getattr(last, column)!r},{last.pk}"
        following = other.urlencode()
    return Page(rows[:size], following, first)


def read_id_after(query: QueryDict) -> int | None:
    """The id that the page before ended with."""
    return parse_id(query.get("after", ""))


def _read_key(key: str) -> tuple[float, int] | None:
    """The value and the id that the page before ended with, in a list that is sorted by a value."""
    value, _, last = key.rpartition(",")
    try:
        return None if (pk := parse_id(last)) is None else (float(value), pk)
    except ValueError:
        return None


def _filter_after(key: str, column: str, descending: bool) -> Q | None:
    """The condition for "after the row with this key"; a key that is none means the first page."""
    side = "lt" if descending else "gt"
    if column == "id":
        pk = parse_id(key.rpartition(",")[2])
        return None if pk is None else Q(**{f"id__{side}": pk})
    if (read := _read_key(key)) is None:
        return None
    number, further = read[0], Q(**{f"id__{side}": read[1]})
    # The first condition lets the index begin where the page does; the second says which of equal values are further on.
    return Q(**{f"{column}__{side}e": number}) & (Q(**{f"{column}__{side}": number}) | further)


# --- the list of runs ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RunSelection:
    """The runs among `rows` that meet one of `conditions`, each of which an index begins with.

    tag     only runs with the tag that this facet stands for
    """

    rows: RunQuerySet
    conditions: Sequence[Q] = (Q(),)
    tag: int | None = None

    @property
    def is_plain(self) -> bool:
        """Whether it is all of `rows`, along one index."""
        return self.tag is None and list(self.conditions) == [Q()]

    @property
    def max_sorted(self) -> int:
        """How many runs of each condition are sorted by rate."""
        return MAX_SORTED // max(len(self.conditions), 1)

    def rates(self) -> list[tuple[float, int]]:
        """(requests per second, id) of the newest of each condition, but for those that say none. One query."""
        newest = [self._ids(condition, self.max_sorted + 1, None, True) for condition in self.conditions]
        timed = Run.objects.order_by().filter(requests_per_second__isnull=False)
        rows = union_rows(timed.filter(pk__in=ids).values_list(RATE, "id") for ids in newest)
        return [(rate, pk) for rate, pk in set(rows)]

    def ids(self, most: int, *, beyond: int | None = None, descending: bool = True) -> list[int]:
        """The first ids behind `beyond`, in order. One query."""
        rows = union_rows(self._ids(condition, most, beyond, descending) for condition in self.conditions)
        pks = {pk for (pk,) in rows}
        return heapq.nlargest(most, pks) if descending else heapq.nsmallest(most, pks)

    def _ids(self, condition: Q, most: int, beyond: int | None, descending: bool) -> QuerySet[Any, Any]:
        """The ids along one index; the one of tags holds the run's id under a name of its own.

        Ids alone, for they stand in the index: PostgreSQL, if it has to fetch the rows anyway, likes to go through all
        runs for the next that fits, and those of a machine that is used no more are far away.
        """
        key = "id" if self.tag is None else "taggings__run_id"
        where = {} if self.tag is None else {"taggings__facet": self.tag}
        if beyond is not None:  # for the run's own id, too: it may be the one that is gone along
            where |= {f"{each}__{'lt' if descending else 'gt'}": beyond for each in {key, "id"}}
        return self.rows.filter(condition, **where).order_by(f"-{key}" if descending else key).values_list("id")[:most]


@dataclass(frozen=True, slots=True)
class RunList:
    """A page of the list of runs.

    names        what the search found; more_names: there are others
    max_sorted   only so many of the newest are sorted; 0 where all are
    """

    page: Page
    names: list[NameMatch] = field(default_factory=list)
    more_names: bool = False
    max_sorted: int = 0


def list_runs(query: QueryDict, filters: Mapping[str, Any]) -> RunList:
    """The runs that match all `filters` of RunFilterForm, and whose names hold the text `q`. At most twelve queries."""
    names, more = find_names(filters["q"]) if "q" in filters else ([], False)
    conditions = [name.condition for name in names] if "q" in filters else [Q()]
    columns = {name: value for name, value in filters.items() if name not in ("q", "sort", "tag")}
    selection = select_runs(conditions=conditions, tag=filters.get("tag", ""), **columns)
    sort, is_open = filters.get("sort", "-id"), filters.keys() <= UNINDEXED
    if sort.endswith("rps"):
        page, max_sorted = _page_by_rate(query, selection, sort.startswith("-"), is_open=is_open)
    else:
        page, max_sorted = _page_by_id(query, selection, sort.startswith("-"), is_open=is_open), 0
    return RunList(page, names, more, max_sorted)


def select_runs(*, tag: str = "", conditions: Sequence[Q] = (Q(),), **filters: Any) -> RunSelection:
    """Runs by the filters of `RunQuerySet.matching`, with a tag, that meet a condition. Four queries at most."""
    rows = Run.objects.matching(**filters)
    pk = find_facets(tag=tag).get("tag")
    return RunSelection(rows, conditions if pk or not tag else [], pk)


def _page_by_id(query: QueryDict, selection: RunSelection, descending: bool, *, is_open: bool) -> Page:
    if is_open and selection.is_plain:
        return paginate(query, selection.rows.for_list(), descending=descending)
    ids = selection.ids(PAGE_SIZE + 1, beyond=read_id_after(query), descending=descending)
    rows = Run.objects.filter(pk__in=ids).for_list().order_by("-id" if descending else "id")
    return make_page(query, list(rows))


def _page_by_rate(query: QueryDict, selection: RunSelection, descending: bool, *, is_open: bool) -> tuple[Page, int]:
    """All runs have an index in the order of their rates. What is narrowed down has not, so it is cut and sorted here."""
    if is_open:
        return paginate(query, selection.rows.for_list(), column=RATE, descending=descending), 0
    rates, after = selection.rates(), _read_key(query.get("after", ""))
    ordered = sorted(rates, reverse=descending)
    ids = [pk for rate, pk in ordered if after is None or ((rate, pk) < after if descending else (rate, pk) > after)]
    rows = Run.objects.for_list().in_bulk(ids[: PAGE_SIZE + 1])
    page = make_page(query, [rows[pk] for pk in ids[: PAGE_SIZE + 1] if pk in rows], RATE)
    return page, selection.max_sorted if len(rates) > selection.max_sorted else 0


def list_popular_facets() -> dict[str, list[tuple[str, int]]]:
    """What lists can be narrowed by: of each kind the most used values with their numbers of runs. Two queries."""
    popular_facets: dict[str, list[tuple[str, int]]] = {kind: [] for kind in FACET_KINDS}
    used = Facet.objects.filter(n_runs__gt=0).order_by("-n_runs").values_list("kind", "value", "n_runs")
    for kind, value, n_runs in union_rows(used.filter(kind=kind)[:MOST_FACETS] for kind in FACET_KINDS):
        popular_facets[kind].append((value, n_runs))
    hosts = Host.objects.filter(n_runs__gt=0).order_by("-n_runs")
    return popular_facets | {"host": list(hosts.values_list("name", "n_runs")[:MOST_FACETS])}


def list_popular_hosts(chosen: Host | None) -> list[tuple[int, str]]:
    """(id, name) of the most used, and of the chosen one. One query."""
    used = list(Host.objects.order_by("-n_runs", "-id").values_list("pk", "name")[:MOST_HOSTS])
    is_new = chosen is not None and chosen.pk not in dict(used)
    return [*used, (chosen.pk, chosen.name)] if chosen and is_new else used


@dataclass(frozen=True, slots=True)
class NamedTrend:
    """A trend and its newest run, which names it; None where that was just deleted."""

    line: TrendLine
    run: Run | None

    @property
    def title(self) -> str:
        return self.run.config.name if self.run else self.line.fingerprint[:12]


def list_trend_days(fingerprint: str) -> list[Day]:
    """The newest days of comparable runs, the oldest of them first."""
    rows = Trend.objects.filter(fingerprint=fingerprint).select_related("newest_build").order_by("-day")[:MOST_DAYS]
    return [
        Day(row.day, row.n, row.sum_log / row.n, row.least, row.most, str(row.newest_build or ""))
        for row in reversed(rows)
    ]


def find_newest_run(fingerprint: str) -> Run | None:
    return Run.objects.filter(fingerprint=fingerprint).for_list().order_by("-id").first()


def find_fingerprint(run_id: int) -> str:
    """Of the trend that a run belongs to; "" where the run was just deleted."""
    return Run.objects.filter(pk=run_id).values_list("fingerprint", flat=True).first() or ""


def name_trends(lines: Sequence[TrendLine]) -> list[NamedTrend]:
    """The trends with what they are trends of. Two queries."""
    ids = union_rows(
        Run.objects.filter(fingerprint=line.fingerprint).order_by("-id").values_list("id")[:1] for line in lines
    )
    runs = {run.fingerprint: run for run in Run.objects.filter(pk__in=[pk for (pk,) in ids]).for_list()}
    return [NamedTrend(line, runs.get(line.fingerprint)) for line in lines]


# --- search ------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NameMatch:
    """A name that holds the text: the filter that narrows a list to it, its value there, and its number of runs, if known.

    condition   the runs of that name, by a condition that an index begins with
    """

    kind: str
    name: str
    value: str
    n_runs: int | None
    condition: Q


@dataclass(frozen=True, slots=True)
class Hit:
    """A name on the search page. `runs_url`: the list of its runs; `where`: the newest experiment of a config."""

    name: str
    url: str
    n_runs: int | None = None
    where: str = ""
    runs_url: str = ""


@dataclass(frozen=True, slots=True)
class HitGroup:
    """The hits of one kind; more: there are others."""

    kind: str
    title: str
    hits: Sequence[Hit]
    more: bool


def find_names(text: str) -> tuple[list[NameMatch], bool]:
    """The names of tools, configs, commands, servers, tags, experiments and hosts; are there more? Six queries at most."""
    kinds = _find_by_kind(text, MAX_FOUND).values()
    return [name for names in kinds for name in names[:MAX_FOUND]], any(len(names) > MAX_FOUND for names in kinds)


def search_site(text: str) -> list[HitGroup]:
    """All that a search page shows, by kind; kinds without a hit are left out. Eight queries at most."""
    if not text:
        return []
    hits_by_kind = _find_by_kind(text, MAX_SHOWN)
    newest = _find_newest_configs([match.name for match in hits_by_kind["config"][:MAX_SHOWN]])
    hits = {kind: [_make_hit(match, newest) for match in matches] for kind, matches in hits_by_kind.items()}
    hits["build"] = _find_builds(text)
    return [
        HitGroup(kind, title, hits[kind][:MAX_SHOWN], len(hits[kind]) > MAX_SHOWN)
        for kind, title in TITLES.items()
        if hits[kind]
    ]


def _make_hit(match: NameMatch, newest: dict[str, tuple[int, str]]) -> Hit:
    runs_url = f"{reverse('runs')}?{urlencode({match.kind: match.value})}"
    if match.kind in ("experiment", "host"):
        return Hit(match.name, reverse(match.kind, args=[match.value]), match.n_runs)
    if match.kind == "tag":
        tagged = f"{reverse('experiments')}?{urlencode({'tag': match.value})}"
        return Hit(match.name, tagged, match.n_runs, runs_url=runs_url)
    if match.name in newest:
        pk, experiment = newest[match.name]
        return Hit(match.name, reverse("config", args=[pk]), match.n_runs, experiment, runs_url)
    return Hit(match.name, runs_url, match.n_runs)


def _find_newest_configs(names: Iterable[str]) -> dict[str, tuple[int, str]]:
    """(id, experiment's name) of the newest config of each name. One query."""
    configs = Config.objects.order_by("-id").values_list("name", "pk", "experiment__name")
    return {name: (pk, where) for name, pk, where in union_rows(configs.filter(name=name)[:1] for name in names)}


def _find_by_kind(text: str, most: int) -> dict[str, list[NameMatch]]:
    """Of each kind at most one more than `most`."""
    return _find_facets(text, most) | {"experiment": _find_experiments(text, most), "host": _find_hosts(text, most)}


def _find_facets(text: str, most: int) -> dict[str, list[NameMatch]]:
    used, small = Facet.objects.filter(n_runs__gt=0), text.casefold()
    most_used = used.order_by("-n_runs").values_list(*FACET_COLUMNS)
    rows = union_rows(most_used.filter(kind=kind)[:SCANNED] for kind in FACET_KINDS)
    facets = _group_by_kind((row for row in rows if small in row[2].casefold()), most)
    if len(text) < MIN_LETTERS:
        return facets
    scanned = Counter(row[1] for row in rows)
    rest = [kind for kind in FACET_KINDS if scanned[kind] == SCANNED and len(facets[kind]) <= most]
    # Sorted by a sum, so that the search goes by the letters and not along the index of the most used.
    holding = used.filter(value__icontains=text).order_by((F("n_runs") + 0).desc()).values_list(*FACET_COLUMNS)
    everywhere = _group_by_kind(union_rows(holding.filter(kind=kind)[: most + 1] for kind in rest), most)
    return facets | {kind: everywhere[kind] for kind in rest}


def _group_by_kind(rows: Iterable[tuple[Any, ...]], most: int) -> dict[str, list[NameMatch]]:
    names: dict[str, list[NameMatch]] = {kind: [] for kind in FACET_KINDS}
    for pk, kind, value, n_runs in rows:
        if len(names[kind]) <= most:
            names[kind].append(NameMatch(kind, value, value, n_runs, _filter_facet(kind, pk, value)))
    return names


def _filter_facet(kind: str, pk: int, value: str) -> Q:
    if kind == Facet.Kind.TOOL:
        return Q(tool=value)
    return Q(taggings__facet=pk) if kind == Facet.Kind.TAG else Q(**{f"facet_{kind}_id": pk})


def _find_experiments(text: str, most: int) -> list[NameMatch]:
    last: int = Experiment.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    matches = Experiment.objects.filter(archived=False, name__icontains=text).values_list("pk", "name")
    experiments = list(matches.filter(pk__gt=last - SCANNED).order_by("-pk")[: most + 1])
    if len(experiments) <= most and len(text) >= MIN_LETTERS:
        experiments = list(matches.order_by((F("pk") + 0).desc())[: most + 1])
    return [NameMatch("experiment", name, str(pk), None, Q(experiment_id=pk)) for pk, name in experiments]


def _find_hosts(text: str, most: int) -> list[NameMatch]:
    rows = Host.objects.filter(name__icontains=text).order_by("-n_runs").values_list("pk", "name", "n_runs")
    return [NameMatch("host", name, str(pk), n_runs, Q(host_id=pk)) for pk, name, n_runs in rows[: most + 1]]


def _find_builds(text: str) -> list[Hit]:
    """Versions, commits, branches and pull requests that begin with the text, each once."""
    rows = union_rows(
        Build.objects.filter(**{f"{kind}__startswith": text})
        .order_by((F("pk") + 0).desc())
        .values_list(Value(kind), kind)[:SCANNED]
        for kind in BUILD_KINDS
    )
    return [
        Hit(value, f"{reverse('runs')}?{urlencode({kind: value})}", where=kind)
        for kind, value in list(dict.fromkeys(rows))[: MAX_SHOWN + 1]
    ]
