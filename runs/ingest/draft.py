"""The draft: what one text would become, before anything is stored; and the hints that a sender gives beside the text.

Keys ("e1", "c2", "h1", "b17") are stable for one text: b17 is the block with index 17 (of the samples of one command the
first 20 are a block each, and all others are one). Edits made on the preview page name things by these keys, so that the
same edits can be applied again when the text is parsed again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any, NotRequired, TypedDict

from parsers.blocks import Block
from parsers.records import Problem
from runs.analysis.columns import Method, group_by_method
from runs.querysets import EARLIEST, LATEST, clean_line

from .sample_series import CaptureSeries


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
BUILD = ("commit", "branch", "version", "pr", "url")


@dataclass(frozen=True)
class Reading:
    """What was parsed from one text, and the draft that it would become.

    samples   of its captures, by the drafts' identities, as far as they were collected before they are stored
    """

    blocks: list[Block]
    draft: Draft
    problems: list[Problem]
    samples: dict[int, CaptureSeries] = field(default_factory=dict)


class HintsDict(TypedDict):
    host: str
    config: str
    experiment: str
    tags: list[str]
    at: str
    build: NotRequired[dict[str, str]]
    slot: NotRequired[dict[str, Any]]


@dataclass(frozen=True)
class Slot:
    """Where the one run of a remote job's step belongs: known, so that nothing is inferred. Never set by a client.

    experiment   id of the experiment that earlier steps went into; None makes a new one
    position     of the config among the experiment's, from 1
    repeat       1 and on; 0 for a warm-up, which is not counted
    lines        first and last line that the load tool printed: a report anywhere else, such as in the comments of a
                 config file, was not measured by this step
    clock        when the load began and ended: seconds of the day on the target's clock, which its monitors show
    """

    experiment: int | None
    position: int
    repeat: int
    counted: bool
    label: str
    lines: Sequence[int] = ()
    clock: Sequence[float] = ()


@dataclass(frozen=True)
class Hints:
    """host, config and experiment override what the text suggests ("" leaves it); tags are put on every run.

    at     when the runs were made (ISO 8601 with its zone), where the text does not say; "" leaves it
    build  {"commit", "branch", "version", "pr", "url"} of what was tested, those that are known
    """

    host: str = ""
    config: str = ""
    experiment: str = ""
    tags: tuple[str, ...] = ()
    at: str = ""
    build: Mapping[str, str] = field(default_factory=dict)
    slot: Slot | None = None

    def as_dict(self) -> HintsDict:
        plain: HintsDict = {
            "host": self.host,
            "config": self.config,
            "experiment": self.experiment,
            "tags": list(self.tags),
            "at": self.at,
        }
        if self.build:
            plain["build"] = dict(self.build)
        if self.slot is not None:
            plain["slot"] = asdict(self.slot)
        return plain

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Hints:
        """From `as_dict()` or a form: names are stripped, and tags may be one text with commas.

        Raises ValueError where `at` is no time, or `url` no address of a page.
        """
        tags = given.get("tags") or ()
        words = tags.split(",") if isinstance(tags, str) else tags
        slot = given.get("slot")
        return cls(
            **{name: clean_line(str(given.get(name) or "")).strip() for name in ("host", "config", "experiment")},
            tags=tuple(dict.fromkeys(tag for word in words if (tag := clean_line(word).strip()))),
            at=_read_time(str(given.get("at") or "").strip()),
            build=_read_build(given.get("build") or given),
            slot=Slot(**slot) if isinstance(slot, dict) else None,
        )


def _read_build(given: Mapping[str, Any]) -> dict[str, str]:
    build = {name: str(given[name]).strip() for name in BUILD if given.get(name)}
    url = build.get("url", "")
    if url and not (re.match("https?://[^/]", url, re.IGNORECASE) and url.isprintable() and " " not in url):
        raise ValueError(
            f"url={url[:40]} is no address of a pipeline; expected one that begins with http:// or https://."
        )
    return {name: value for name, value in build.items() if value}


def _read_time(text: str) -> str:
    """A time or a day in ISO 8601 with its zone; UTC where it names none."""
    try:
        at = datetime.fromisoformat(text) if text else None
    except ValueError as error:
        raise ValueError(f"at={text[:40]} is no time; expected one such as 2026-11-21T17:28:19+01:00.") from error
    at = at and (at if at.tzinfo else at.replace(tzinfo=UTC))
    if at and not EARLIEST <= at <= LATEST:
        raise ValueError(f"at={text[:40]} is out of range; expected a time from {EARLIEST:%Y} on.")
    return at.isoformat() if at else ""


Item = DraftRun | DraftCapture | DraftText


def list_items(experiment: DraftExperiment) -> list[Item]:
    """Everything that belongs to the experiment or one of its configs."""
    return [*experiment.runs, *experiment.captures, *experiment.texts]


def number_repeats(runs: Iterable[DraftRun]) -> None:
    """Number the counted runs of one config in the order of the text, those of each method on their own."""
    for _, group in group_by_method([run for run in runs if run.counted], attrgetter("method")):
        for repeat, run in enumerate(sorted(group, key=attrgetter("lines")), start=1):
            run.repeat = repeat


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
    for merged in {key for own, key in instead.items() if own != key}:
        number_repeats(run for run in experiment.runs if run.config == merged)


def remove_unused(draft: Draft) -> None:
    """Remove configs without items and experiments without anything."""
    for experiment in draft.experiments:
        used = {item.config for item in list_items(experiment)}
        experiment.configs = [config for config in experiment.configs if config.key in used]
    draft.experiments = [e for e in draft.experiments if list_items(e) or e.timings]


def apply_hints(draft: Draft, hints: Hints) -> None:
    """Let the sender's names override the guesses: one experiment, one config, and all hosts of that name.

    Where the text says which machine was under load, that one alone gets the name.
    """
    if hints.experiment:
        for experiment in draft.experiments:
            experiment.name = hints.experiment
    if hints.config:
        for experiment in draft.experiments:
            for config in experiment.configs:
                config.name = hints.config
    if hints.experiment or hints.config:
        merge_namesakes(draft)
    if hints.host:
        draft.hosts = draft.hosts or [DraftHost("h1", hints.host)]
        for host in draft.hosts:
            if draft.loaded in ("", host.key):
                host.name = hints.host
        for experiment in draft.experiments:
            experiment.host = experiment.host or draft.hosts[0].key
            for capture in experiment.captures:
                capture.host = capture.host or experiment.host
    if hints.slot:
        _fill_slot(draft, hints.slot)


def _fill_slot(draft: Draft, slot: Slot) -> None:
    """Put all of the text under its one config: headings of the text name nothing."""
    for experiment in draft.experiments:
        if slot.lines:
            _drop_quoted_runs(draft, experiment, slot)
        for config in experiment.configs:
            config.group = ""
        for run in experiment.runs:
            run.repeat, run.counted, run.label, run.note = slot.repeat, slot.counted, slot.label, ""
        key = experiment.configs[0].key if len(experiment.configs) == 1 else ""
        for item in list_items(experiment):
            item.config = item.config or key
        for capture in experiment.captures if len(experiment.runs) == 1 else ():
            run = experiment.runs[0]
            capture.run = run.key
            capture.phase = capture.phase or ("before" if capture.lines < run.lines else "after")


def _drop_quoted_runs(draft: Draft, experiment: DraftExperiment, slot: Slot) -> None:
    """Drop reports that are not what the step measured but part of some file; their lines are listed as unread."""
    first, last = slot.lines
    quoted = [run for run in experiment.runs if not first <= run.lines[0] <= last]
    experiment.runs = [run for run in experiment.runs if run not in quoted]
    draft.unread = sorted([*draft.unread, *(run.lines for run in quoted)])
