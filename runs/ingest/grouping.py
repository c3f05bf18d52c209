"""Other ways to group what is in a draft. Each function returns the edits that lead there; see edits.py."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from runs.analysis.columns import drop_shared_words
from runs.analysis.method import group_by_method
from runs.drafts.draft import Draft, DraftCapture, DraftExperiment, DraftRun, DraftText, list_items
from runs.drafts.heading_words import find_repeat, split_repeat

from .edits import NEW, Edits

MOST_RUNS = 1000  # grouped by their place in the text
MOST_CONFIGS = 12  # in which they are grouped so


@dataclass(frozen=True, slots=True)
class Grouping:
    """Configs × runs of each, at the most. `how` is "by name", "by heading", "one after the other" or "in turn"."""

    experiment: str
    n_configs: int
    n_runs: int
    how: str
    edits: Edits

    @property
    def key(self) -> str:
        return f"{self.experiment} {self.n_configs} {self.how}"


def suggest_groupings(draft: Draft) -> Iterator[Grouping]:
    """Ways in which the counted runs of an experiment are not grouped, the likeliest first."""
    for experiment in draft.experiments:
        counted = [run for run in experiment.runs if run.counted]
        if counted:
            yield from _suggest_by_words(draft, experiment, counted)
            yield from _suggest_by_place(draft, experiment)


def _suggest_by_words(draft: Draft, experiment: DraftExperiment, counted: Sequence[DraftRun]) -> Iterator[Grouping]:
    """Configs that a number tells apart ("nginx 1", "nginx 2") may be repeats, and repeats with a heading each configs."""
    names = {c.key: split[0] if (split := split_repeat(c.name)) else c.name for c in experiment.configs}
    by_name: dict[str, list[DraftRun]] = defaultdict(list)
    for run in counted:
        by_name[names[run.config]].append(run)
    n_configs = len({run.config for run in counted})
    alone = sum(len(runs) == 1 for runs in by_name.values())
    if len(by_name) < n_configs and 2 * alone <= len(by_name):  # else the numbers are names
        targets = {run.key: _make_key(names[run.config]) for run in experiment.runs}
        edits = _move_runs(draft, targets)
        yield Grouping(experiment.key, len(by_name), max(map(len, by_name.values())), "by name", edits)
    labels = {run.key: run.label for run in counted}
    if len(set(labels.values())) == len(labels) > n_configs and not _name_repeats(labels.values(), n_configs):
        edits = _move_runs(draft, {key: _make_key(label) for key, label in labels.items()})
        yield Grouping(experiment.key, len(labels), 1, "by heading", edits)


def _name_repeats(labels: Collection[str], n_configs: int) -> bool:
    """Whether headings say that runs are repeats. A number alone ("nginx 2") says so where there are several configs."""
    repeats = [split for label in labels if (split := split_repeat(label))]
    return any(is_said or n_configs > 1 for _, _, is_said in repeats) or any(map(find_repeat, labels))


def _suggest_by_place(draft: Draft, experiment: DraftExperiment) -> Iterator[Grouping]:
    """Runs of one config in equal parts: text without headings. A warm-up goes with the run that follows it."""
    runs = sorted(experiment.runs, key=attrgetter("lines"))
    n_runs = sum(run.counted for run in runs)
    if len({run.config for run in runs}) > 1 or n_runs > MOST_RUNS:
        return
    name = next(config.name for config in experiment.configs if config.key == runs[0].config)
    names = [f"{name} {letter}" for letter in "ABCDEFGHIJKL"]
    for n_configs in (n for n in range(2, min(n_runs // 2, MOST_CONFIGS) + 1) if n_runs % n == 0):
        size = n_runs // n_configs
        for how in ("one after the other", "in turn"):
            targets, place = {}, 0
            for run in runs:
                group = place // size if how == "one after the other" else place % n_configs
                targets[run.key] = _make_key(names[min(group, n_configs - 1)])
                place += run.counted
            yield Grouping(experiment.key, n_configs, size, how, _move_runs(draft, targets))


def _make_key(name: str) -> str:
    return f"{NEW}{name or 'unnamed'}"


def _move_runs(draft: Draft, targets: Mapping[str, str]) -> Edits:
    """Moves of runs (key → config). What else a config has goes along where all its runs go to one other."""
    blocks = {key: {"config": target} for key, target in targets.items()}
    for experiment in draft.experiments:
        homes: dict[str, set[str]] = defaultdict(set)
        for run in experiment.runs:
            homes[run.config].add(targets.get(run.key, run.config))
        others: list[DraftCapture | DraftText] = [*experiment.captures, *experiment.texts]
        for item in others:
            left = homes.get(item.config, {item.config})
            if item.config not in left and not getattr(item, "run", ""):
                blocks[item.key] = {"config": next(iter(left)) if len(left) == 1 else ""}
    return {"blocks": blocks}


def move_items(draft: Draft, keys: Collection[str], target: str) -> Edits:
    """Move these items to the config of this key, to "new" (named by the first run's heading) or to "" (not runs)."""
    items = [item for experiment in draft.experiments for item in list_items(experiment) if item.key in keys]
    runs = [item for item in items if isinstance(item, DraftRun)]
    if target == "new":
        target = _make_key(_make_unused_name(draft, (runs[0].label if runs else "") or "New config"))
    edits = _move_runs(draft, {run.key: target for run in runs} if target else {})
    edits["blocks"] |= {item.key: {"config": target} for item in items if item not in runs}
    return edits if edits["blocks"] else {}


def _make_unused_name(draft: Draft, wanted: str) -> str:
    names = {config.name for experiment in draft.experiments for config in experiment.configs}
    return next(
        name for at in range(1, len(names) + 2) if (name := wanted if at == 1 else f"{wanted} {at}") not in names
    )


def merge_configs(draft: Draft, keys: Collection[str]) -> Edits:
    """Put all runs of the configs that these runs are of into the first of them: they are repeats."""
    runs = [run for experiment in draft.experiments for run in experiment.runs]
    configs = {run.config for run in runs if run.key in keys}
    if len(configs) < 2:
        return {}
    first = next(c.key for experiment in draft.experiments for c in experiment.configs if c.key in configs)
    return _move_runs(draft, {run.key: first for run in runs if run.config in configs - {first}})


def find_differing_loads(runs: Sequence[DraftRun]) -> dict[str, dict[str, str]]:
    """Run key → what its load differs in, by name ("concurrency" → "-c 50"), where one config's runs are not all alike."""
    groups = group_by_method(runs, attrgetter("method"))
    words = [method.words() for method, _ in groups]
    printed = dict.fromkeys(name for each in words for name in each)
    names = [name for name in printed if len({each.get(name) for each in words}) > 1]
    return {
        run.key: {name: each[name] for name in names if name in each}
        for each, (_, group) in zip(words, groups, strict=True)
        for run in group
        if names
    }


def split_config(draft: Draft, key: str) -> Edits:
    """A config for each load that the runs of this one were made with."""
    for experiment in draft.experiments:
        for config in experiment.configs:
            if config.key == key:
                loads = find_differing_loads([run for run in experiment.runs if run.config == key])
                parts = {
                    run: f"{config.name} · {' '.join(words.values())}".rstrip(" ·") for run, words in loads.items()
                }
                return _move_runs(draft, {run: _make_key(name) for run, name in parts.items()}) if parts else {}
    return {}


def shorten_names(draft: Draft) -> Edits:
    """Names of configs without the words that all of their experiment share, where some are long."""
    names: dict[str, dict[str, str]] = {}
    for experiment in draft.experiments:
        short = drop_shared_words([config.name for config in experiment.configs]) if experiment.configs else []
        if len(set(short)) == len(short):  # equal names would merge them
            names |= {c.key: {"name": s} for c, s in zip(experiment.configs, short, strict=True) if s != c.name}
    return {"configs": names} if names else {}
