"""The draft: what one text would become, before anything is stored.

Keys ("e1", "c2", "h1", "b17") are stable for one text: b17 is the block with index 17 (of the samples of one command the
first 20 are a block each, and all others are one). Edits made on the preview page name things by these keys, so that the
same edits can be applied again when the text is parsed again.
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
    """A configuration text; config "" means that it holds for every config of its experiment."""

    key: str
    config: str
    path: str
    text: str
    lines: tuple[int, int]


@dataclass(slots=True)
class DraftRun:
    """One load test. `quotes` are the spans where the same figures stand again (a teaser, a translation), or other parts of it.

    host     key of the machine that was loaded, "" for the experiment's
    method   how it was loaded: runs of one config whose methods agree are repeats
    counted  False for a warm-up, whose repeat is 0
    tags     as a person set them; None: those of the upload
    most_repeats  of its config, where a test after each round decided when to stop
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
    run      key of the run that it was taken beside, "" if none is known
    config   key of the config that it belongs to, "" if it holds for the whole experiment
    phase    "before", "during", "after" or "" (not known)
    n_samples  in the blocks: one block may hold those of hours
    span     of a part: its first sample and the one behind its last. A part has the samples of a longer capture that saw one
             run, and the key of that one with a number: "b17.1"
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
    """hosts and experiments of one text, and the spans of its lines that nothing was read from.

    loaded   key of the machine under load, where the text says which one it is
    """

    hosts: list[DraftHost] = field(default_factory=list)
    experiments: list[DraftExperiment] = field(default_factory=list)
    unread: list[tuple[int, int]] = field(default_factory=list)
    loaded: str = ""


MAX_NAME = 200


@dataclass(frozen=True)
class Reading:
    """What was parsed from one text, and the draft that it would become.

    samples   of its captures, by the drafts' identities, as far as they were collected before they are stored
    runs      the rows of its runs, and how each was loaded, by their keys, made before they are stored
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
    """What its experiments, configs and runs are called."""
    named: set[str] = set()
    for each in draft.experiments:
        named |= {each.name, *(config.name for config in each.configs)}
        named |= {text for run in each.runs for text in (run.label, run.note)}
    return named


def number_repeats(runs: Iterable[DraftRun]) -> None:
    """Number the counted runs of each config in the order of the text, those of each method on their own."""
    by_config: dict[str, list[DraftRun]] = defaultdict(list)
    for run in runs:
        if run.counted:
            by_config[run.config].append(run)
    for own in by_config.values():
        for _, group in group_by_method(own, attrgetter("method")):
            for repeat, run in enumerate(sorted(group, key=attrgetter("lines")), start=1):
                run.repeat = repeat


def drop_parts(draft: Draft, whole: str) -> None:
    """Remove the parts of the capture with this key, which is then one for all."""
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
