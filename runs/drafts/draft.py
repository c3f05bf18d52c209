"""The draft: what one text would become, before anything is stored.

Keys ("e1", "c2", "h1", "b17") are stable for one text: b17 is the block with index 17 (the first 20 samples of a command
are a block each, all others are one). Edits of the preview use these keys, so that they can be applied again when the text
is parsed again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

from parsers.blocks import Block
from parsers.records import Problem
from runs.analysis.method import Method, group_by_method
from runs.series.collecting import CaptureSeries


@dataclass(slots=True)
class DraftHost:
    key: str
    name: str
    cpu_model: str = ""
    cores: int | None = None
    mhz: float | None = None
    ram_kb: int | None = None
    swap_kb: int | None = None
    os: str = ""
    kernel: str = ""
    passport: dict[str, Any] | None = None


@dataclass(slots=True)
class DraftText:
    """A configuration text; config "" means all configs of its experiment."""

    key: str
    config: str
    path: str
    text: str
    lines: tuple[int, int]


@dataclass(slots=True)
class DraftRun:
    """One load test. `quotes` are the line spans that repeat its figures (a teaser, a translation), or other parts of it.

    host     key of the machine under load, "" for the experiment's
    method   load parameters: runs of one config with equal methods are repeats
    counted  False for a warm-up, whose repeat is 0
    tags     as set by a user; None: those of the upload
    most_repeats  maximum repeats of its config, if a sequential test decided when to stop
    """

    key: str
    config: str
    label: str
    note: str
    repeat: int
    lines: tuple[int, int]
    quotes: list[tuple[int, int]] = field(default_factory=list)
    counted: bool = True
    host: str = ""
    method: Method = field(default_factory=Method)
    tags: list[str] | None = None
    most_repeats: int | None = None

    @property
    def block(self) -> int:
        """Number of its block; "b3.1" is the second run of block 3, which is a log."""
        return int(self.key[1:].split(".")[0])


@dataclass(slots=True)
class DraftCapture:
    """Monitor output: one sample, or the consecutive samples of one command.

    blocks   its blocks' keys, in order
    run      key of the run that it covers, "" if unknown
    config   key of its config, "" for the whole experiment
    phase    "before", "during", "after" or "" (not known)
    n_samples  number of samples; one block may have many
    span     of a part: its first sample and the one after its last. A part has those samples of a longer capture that cover one
             run, and the key of that capture with a number: "b17.1"
    """

    key: str
    blocks: list[str]
    host: str
    config: str
    run: str
    phase: str
    label: str
    lines: tuple[int, int]
    quotes: list[tuple[int, int]] = field(default_factory=list)
    n_samples: int = 1
    span: tuple[int, int] | None = None

    @property
    def whole(self) -> str:
        """Key of the capture that it is a part of, else its own."""
        return self.key.split(".")[0]


@dataclass(slots=True)
class DraftTiming:
    """A file of single requests' times. Its run is found by its figures, once it is stored."""

    key: str
    lines: tuple[int, int]


@dataclass(slots=True)
class DraftConfig:
    key: str
    name: str
    group: str = ""


@dataclass(slots=True)
class DraftExperiment:
    key: str
    name: str
    host: str = ""
    configs: list[DraftConfig] = field(default_factory=list)
    runs: list[DraftRun] = field(default_factory=list)
    captures: list[DraftCapture] = field(default_factory=list)
    texts: list[DraftText] = field(default_factory=list)
    timings: list[DraftTiming] = field(default_factory=list)


@dataclass(slots=True)
class Draft:
    """hosts and experiments of one text, and the spans of its unread lines.

    loaded   key of the machine under load, if the text names it
    """

    hosts: list[DraftHost] = field(default_factory=list)
    experiments: list[DraftExperiment] = field(default_factory=list)
    unread: list[tuple[int, int]] = field(default_factory=list)
    loaded: str = ""


MAX_NAME = 200


@dataclass(frozen=True)
class Reading:
    """What was parsed from one text, and the draft that it would become.

    samples   of its captures, by id() of the draft, if collected before storing
    runs      by key: the rows of its runs and their load parameters, made before storing
    """

    blocks: list[Block]
    draft: Draft
    problems: list[Problem]
    samples: dict[int, CaptureSeries] = field(default_factory=dict)
    runs: dict[str, Any] = field(default_factory=dict)


Item = DraftRun | DraftCapture | DraftText


def list_items(experiment: DraftExperiment) -> list[Item]:
    """Everything that belongs to the experiment or one of its configs."""
    return [*experiment.runs, *experiment.captures, *experiment.texts]


def list_names(draft: Draft) -> set[str]:
    """The names of its experiments, configs and runs."""
    named: set[str] = set()
    for each in draft.experiments:
        named |= {each.name, *(config.name for config in each.configs)}
        named |= {text for run in each.runs for text in (run.label, run.note)}
    return named


def number_repeats(runs: Iterable[DraftRun]) -> None:
    """Number the counted runs of each config and method in the order of the text."""
    by_config: dict[str, list[DraftRun]] = defaultdict(list)
    for run in runs:
        if run.counted:
            by_config[run.config].append(run)
    for own in by_config.values():
        for _, group in group_by_method(own, attrgetter("method")):
            for repeat, run in enumerate(sorted(group, key=attrgetter("lines")), start=1):
                run.repeat = repeat


def drop_parts(draft: Draft, whole: str) -> None:
    """Remove the parts of the capture with this key, which then covers all runs."""
    for experiment in draft.experiments:
        experiment.captures = [c for c in experiment.captures if c.span is None or c.whole != whole]


def merge_namesakes(draft: Draft) -> None:
    """Merge experiments of one name into the first of them; then, in each, configs of one name."""
    first: dict[str, DraftExperiment] = {}
    for experiment in draft.experiments:
        merged = first.setdefault(experiment.name, experiment)
        if merged is not experiment:
            merged.configs += experiment.configs
            merged.runs += experiment.runs
            merged.captures += experiment.captures
            merged.texts += experiment.texts
            merged.timings += experiment.timings
            merged.host = merged.host or experiment.host
    draft.experiments = list(first.values())
    for experiment in draft.experiments:
        _merge_configs(experiment)


def _merge_configs(experiment: DraftExperiment) -> None:
    by_name = {config.name: config for config in reversed(experiment.configs)}
    instead = {config.key: by_name[config.name].key for config in experiment.configs}
    experiment.configs = [config for config in experiment.configs if instead[config.key] == config.key]
    for item in list_items(experiment):
        item.config = instead.get(item.config, item.config)
    merged = {key for own, key in instead.items() if own != key}
    number_repeats(run for run in experiment.runs if run.config in merged)


def remove_unused(draft: Draft) -> None:
    """Remove configs without items and experiments without anything."""
    for experiment in draft.experiments:
        used = {item.config for item in list_items(experiment)}
        experiment.configs = [config for config in experiment.configs if config.key in used]
    draft.experiments = [e for e in draft.experiments if list_items(e) or e.timings]
