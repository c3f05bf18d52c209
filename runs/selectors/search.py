"""Names that hold a text: of tools, configs, commands, servers, tags, experiments and hosts.

The most used names of a kind, or the newest, are looked through first: what is common is found there. What is rare is found
by trigrams, all over the table; they need three letters. Each of the two would be slow at what the other is good for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import F, Q, QuerySet

from runs.models import Experiment, Facet, Host
from runs.selectors.lists import rows_of_each

MOST_FOUND = 5  # names of a kind
LOOKED_THROUGH = 500  # names of a kind
FEWEST_LETTERS = 3
KINDS: list[str] = Facet.Kind.values
COLUMNS = ("pk", "kind", "value", "n_runs")


@dataclass(frozen=True, slots=True)
class Name:
    """A name that was found: the filter that narrows a list to it, its value there, and how many runs have it, if known.

    lead   the runs of that name, by a condition that an index begins with
    """

    kind: str
    name: str
    value: str
    n_runs: int | None
    lead: Q


def names_with(text: str) -> tuple[list[Name], bool]:
    """The names that hold this text, of each kind the few most used (or newest), and whether there are more.

    Six queries at most.
    """
    kinds = [*_facets(text).values(), _experiments(text), _hosts(text)]
    return [name for names in kinds for name in names[:MOST_FOUND]], any(len(names) > MOST_FOUND for names in kinds)


def _facets(text: str) -> dict[str, list[Name]]:
    used, small = Facet.objects.filter(n_runs__gt=0), text.casefold()
    top = [used.filter(kind=kind).order_by("-n_runs").values_list(*COLUMNS)[:LOOKED_THROUGH] for kind in KINDS]
    rows = rows_of_each(top)
    found = _by_kind(row for row in rows if small in row[2].casefold())
    rest = _with_more(Counter(row[1] for row in rows), found) if len(text) >= FEWEST_LETTERS else []
    everywhere = _by_kind(rows_of_each(_most_used(used.filter(kind=kind), text) for kind in rest))
    return found | {kind: everywhere[kind] for kind in rest}


def _with_more(looked_through: Counter[str], found: dict[str, list[Name]]) -> list[str]:
    """The kinds that have more names than were looked through, with too few found among those."""
    return [kind for kind in KINDS if looked_through[kind] == LOOKED_THROUGH and len(found[kind]) <= MOST_FOUND]


def _most_used(rows: QuerySet[Facet], text: str) -> QuerySet[Facet, Any]:
    """Sorted by a sum, so that the search goes by the letters and not along the index of the most used."""
    found = rows.filter(value__icontains=text).order_by((F("n_runs") + 0).desc())
    return found.values_list(*COLUMNS)[: MOST_FOUND + 1]


def _by_kind(rows: Iterable[tuple[Any, ...]]) -> dict[str, list[Name]]:
    names: dict[str, list[Name]] = {kind: [] for kind in KINDS}
    for pk, kind, value, n_runs in rows:
        names[kind].append(Name(kind, value, value, n_runs, lead_of(kind, pk, value)))
    return names


def lead_of(kind: str, pk: int, value: str) -> Q:
    """The runs of a facet."""
    if kind == Facet.Kind.TOOL:
        return Q(tool=value)
    return Q(taggings__facet=pk) if kind == Facet.Kind.TAG else Q(**{f"facet_{kind}_id": pk})


def _experiments(text: str) -> list[Name]:
    last: int = Experiment.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    fits = Experiment.objects.filter(name__icontains=text).values_list("pk", "name")
    found = list(fits.filter(pk__gt=last - LOOKED_THROUGH).order_by("-pk")[: MOST_FOUND + 1])
    if len(found) <= MOST_FOUND and len(text) >= FEWEST_LETTERS:
        found = list(fits.order_by((F("pk") + 0).desc())[: MOST_FOUND + 1])
    return [Name("experiment", name, str(pk), None, Q(experiment_id=pk)) for pk, name in found]


def _hosts(text: str) -> list[Name]:
    rows = Host.objects.filter(name__icontains=text).order_by("-n_runs").values_list("pk", "name", "n_runs")
    return [Name("host", name, str(pk), n_runs, Q(host_id=pk)) for pk, name, n_runs in rows[: MOST_FOUND + 1]]
