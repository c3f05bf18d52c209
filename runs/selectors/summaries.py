"""Experiments in short, for cards: as many rows as a card can show, however much is in the experiment."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from runs.models import Config, Experiment, Host, Run
from runs.querysets import union_rows

MAX_RUNS, MAX_CONFIGS = 120, 60  # of one experiment: the newest runs, the first configs
SCANNED_RUNS = 1000  # of a host, to find the experiments that it took part in


@dataclass(frozen=True, slots=True)
class ExperimentSummary:
    """Each config's name and its counted runs' requests per second, the baseline first.

    more: there are runs or configs beyond those that a card shows.
    """

    experiment: Experiment
    configs: list[tuple[str, list[float]]]
    more: bool = False

    @property
    def n_runs(self) -> int:
        return sum(len(rates) for _, rates in self.configs)

    @property
    def headline(self) -> dict[str, str] | None:
        """Outcome and sentence of the experiment's page, unless its configs or runs have changed since."""
        kept: dict[str, str] | None = self.experiment.headline
        return kept if kept and kept["of"] == digest_card(self.configs) else None


def digest_card(configs: Sequence[tuple[str, list[float]]]) -> str:
    """Of what a card shows."""
    return hashlib.sha256(repr([(name, rates) for name, rates in configs]).encode()).hexdigest()[:16]


def latest_experiments(most: int) -> list[ExperimentSummary]:
    """Three queries."""
    return summarize(list(Experiment.objects.select_related("host").order_by("-id")[:most]))


def summarize(experiments: Sequence[Experiment]) -> list[ExperimentSummary]:
    """The experiments in short, in the order given. Two queries, each along an index for each experiment."""
    runs, configs = _newest_runs(experiments), _first_configs(experiments)
    rates: dict[int, list[float]] = defaultdict(list)
    for _, _, config, rate in sorted(row for rows in runs.values() for row in rows):
        rates[config].append(rate)
    return [
        ExperimentSummary(
            experiment,
            [(name, rates[pk]) for pk, name in configs[experiment.pk][:MAX_CONFIGS]],
            len(runs[experiment.pk]) == MAX_RUNS or len(configs[experiment.pk]) > MAX_CONFIGS,
        )
        for experiment in experiments
    ]


def _newest_runs(experiments: Sequence[Experiment]) -> dict[int, list[tuple[int, int, int, float]]]:
    """(repeat, id, config, rate) of the newest runs of each experiment."""
    counted = Run.objects.filter(counted=True, requests_per_second__isnull=False).order_by("-id")
    columns = counted.values_list("experiment_id", "repeat", "id", "config_id", "requests_per_second")
    found = defaultdict(list)
    for experiment, *row in union_rows(columns.filter(experiment=each)[:MAX_RUNS] for each in experiments):
        found[experiment].append(tuple(row))
    return found


def _first_configs(experiments: Sequence[Experiment]) -> dict[int, list[tuple[int, str]]]:
    """(id, name) of the first configs of each experiment."""
    columns = Config.objects.order_by("position", "id").values_list("experiment_id", "id", "name")
    found = defaultdict(list)
    for experiment, pk, name in union_rows(columns.filter(experiment=each)[: MAX_CONFIGS + 1] for each in experiments):
        found[experiment].append((pk, name))
    return found


def experiments_on_host(host: Host, most: int, beyond: int | None = None) -> list[Experiment]:
    """The newest experiments on a host, older than the one with the id `beyond`.

    They are those that name it as their host, and those that its newest runs belong to. Three queries.
    """
    ids = host.runs.order_by("-id").values("pk")[:SCANNED_RUNS]
    newest = Run.objects.filter(pk__in=ids).order_by().values_list("experiment_id", flat=True)
    named = host.experiments.order_by("-id").values_list("pk", flat=True)
    if beyond is not None:
        newest, named = newest.filter(experiment__lt=beyond), named.filter(pk__lt=beyond)
    wanted = sorted({*newest, *named[:most]}, reverse=True)[:most]
    return list(Experiment.objects.filter(pk__in=wanted).select_related("host").order_by("-id"))
