"""Search: the names that hold a text, for the search page and for lists that are narrowed by a search.

Of each kind the few most used (or newest) names are found. The most used names are scanned first: what is common is found
there. What is rare is found by trigrams, all over the table. Each of the two would be slow at what the other is good for.
Versions, commits and branches are found by how they begin, along their indexes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import F, Q, Value
from django.urls import reverse
from django.utils.http import urlencode

from runs.database import union_rows
from runs.models import Build, Config, Experiment, Facet, Host

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
    found = _find_by_kind(text, MAX_SHOWN)
    newest = _find_newest_configs([match.name for match in found["config"][:MAX_SHOWN]])
    hits = {kind: [_make_hit(match, newest) for match in matches] for kind, matches in found.items()}
    hits["build"] = _find_builds(text, MAX_SHOWN)
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
    found = _group_by_kind((row for row in rows if small in row[2].casefold()), most)
    if len(text) < MIN_LETTERS:
        return found
    scanned = Counter(row[1] for row in rows)
    rest = [kind for kind in FACET_KINDS if scanned[kind] == SCANNED and len(found[kind]) <= most]
    # Sorted by a sum, so that the search goes by the letters and not along the index of the most used.
    holding = used.filter(value__icontains=text).order_by((F("n_runs") + 0).desc()).values_list(*FACET_COLUMNS)
    everywhere = _group_by_kind(union_rows(holding.filter(kind=kind)[: most + 1] for kind in rest), most)
    return found | {kind: everywhere[kind] for kind in rest}


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
    found = list(matches.filter(pk__gt=last - SCANNED).order_by("-pk")[: most + 1])
    if len(found) <= most and len(text) >= MIN_LETTERS:
        found = list(matches.order_by((F("pk") + 0).desc())[: most + 1])
    return [NameMatch("experiment", name, str(pk), None, Q(experiment_id=pk)) for pk, name in found]


def _find_hosts(text: str, most: int) -> list[NameMatch]:
    rows = Host.objects.filter(name__icontains=text).order_by("-n_runs").values_list("pk", "name", "n_runs")
    return [NameMatch("host", name, str(pk), n_runs, Q(host_id=pk)) for pk, name, n_runs in rows[: most + 1]]


def _find_builds(text: str, most: int) -> list[Hit]:
    """Versions, commits, branches and pull requests that begin with the text, each once."""
    rows = union_rows(
        Build.objects.filter(**{f"{kind}__startswith": text})
        .order_by((F("pk") + 0).desc())
        .values_list(Value(kind), kind)[:SCANNED]
        for kind in BUILD_KINDS
    )
    return [
        Hit(value, f"{reverse('runs')}?{urlencode({kind: value})}", where=kind)
        for kind, value in list(dict.fromkeys(rows))[: most + 1]
    ]
