"""Experiments in short, for cards: as many rows as a card can show, however much is in the experiment."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from runs.models import Config, Experiment, Host, Run
from runs.selectors.lists import rows_of_each

MOST_RUNS, MOST_CONFIGS = 120, 60  # of one experiment: the newest runs, the first configs
LOOKED_AT = 1000  # runs of a host, to find the experiments that it took part in


@dataclass(frozen=True, slots=True)
class Gist:
    """An experiment in short: each config's name and its counted runs' requests per second, the baseline first.

    more: there are runs or configs beyond those that a card goes by.
    """

    experiment: Experiment
    configs: list[tuple[str, list[float]]]
    more: bool = False


def latest(most: int) -> list[Gist]:
    """The newest experiments. Three queries."""
    return gists(list(Experiment.objects.select_related("host").order_by("-id")[:most]))


def gists(experiments: Sequence[Experiment]) -> list[Gist]:
    """The experiments in short, in the order given. Two queries, each along an index for each experiment."""
    runs, configs = _runs(experiments), _configs(experiments)
    values: dict[int, list[float]] = defaultdict(list)
    for _, _, config, rate in sorted(row for found in runs.values() for row in found):
        values[config].append(rate)
    return [
        Gist(
            experiment,
            [(name, values[pk]) for pk, name in configs[experiment.pk][:MOST_CONFIGS]],
            len(runs[experiment.pk]) == MOST_RUNS or len(configs[experiment.pk]) > MOST_CONFIGS,
        )
        for experiment in experiments
    ]


def _runs(experiments: Sequence[Experiment]) -> dict[int, list[tuple[int, int, int, float]]]:
    """(repeat, id, config, rate) of the newest runs of each experiment."""
    sound = Run.objects.filter(counted=True, requests_per_second__isnull=False).order_by("-id")
    columns = ("experiment_id", "repeat", "id", "config_id", "requests_per_second")
    found = defaultdict(list)
    for experiment, *row in rows_of_each(
        sound.filter(experiment=each).values_list(*columns)[:MOST_RUNS] for each in experiments
    ):
        found[experiment].append(tuple(row))
    return found


def _configs(experiments: Sequence[Experiment]) -> dict[int, list[tuple[int, str]]]:
    """(id, name) of the first configs of each experiment."""
    ordered = Config.objects.order_by("position", "id").values_list("experiment_id", "id", "name")
    found = defaultdict(list)
    for experiment, pk, name in rows_of_each(
        ordered.filter(experiment=each)[: MOST_CONFIGS + 1] for each in experiments
    ):
        found[experiment].append((pk, name))
    return found


def on_host(host: Host, most: int, beyond: int | None = None) -> list[Experiment]:
    """The newest experiments on a host, older than the one with the id `beyond`.

    They are those that are said to be on it, and those that its newest runs stand in. Three queries.
    """
    ids = host.runs.order_by("-id").values("pk")[:LOOKED_AT]
    newest = Run.objects.filter(pk__in=ids).order_by().values_list("experiment_id", flat=True)
    said = host.experiments.order_by("-id").values_list("pk", flat=True)
    if beyond is not None:
        newest, said = newest.filter(experiment__lt=beyond), said.filter(pk__lt=beyond)
    wanted = sorted({*newest, *said[:most]}, reverse=True)[:most]
    return list(Experiment.objects.filter(pk__in=wanted).select_related("host").order_by("-id"))
