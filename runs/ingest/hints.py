"""Hints: what a sender gives beside the text, as query or form fields, options or a remote job's step."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from runs.database import EARLIEST, LATEST
from runs.drafts.draft import Draft, DraftExperiment, DraftHost, list_items, merge_namesakes
from runs.drafts.recordings import BUILD, TextLines, read_header

from .redact import redact_secrets
from .validation import clean_line

# Up to the last @ before the path; or, where a password has a slash and no port is meant, up to the last @
USERINFO = re.compile(r"(?<=://)(?:[^/?#]*@|[^/?#@:]*:(?!\d*(?:[/?#]|$)).*@)(?=[^/])")


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

    def as_dict(self) -> dict[str, Any]:
        """With build and slot only where there are any."""
        plain = asdict(self) | {"tags": list(self.tags)}
        return {name: value for name, value in plain.items() if value or name not in ("build", "slot")}

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
    """Of a URL without the user's name and password: a link needs neither."""
    build = {name: said for name in BUILD if (said := str(given.get(name) or "").strip())}
    url = build.get("url", "")
    if url and not (re.match("https?://[^/]", url, re.IGNORECASE) and url.isprintable() and " " not in url):
        raise ValueError(f"url={url[:40]} is not a pipeline URL; expected http:// or https://.")
    return build | ({"url": USERINFO.sub("", url, count=1)} if url else {})


def _read_time(text: str) -> str:
    """A time or a day in ISO 8601 with its zone; UTC where it names none."""
    try:
        at = datetime.fromisoformat(text) if text else None
    except ValueError as error:
        raise ValueError(f"at={text[:40]} is not a time; expected one such as 2026-11-21T17:28:19+01:00.") from error
    at = at and (at if at.tzinfo else at.replace(tzinfo=UTC))
    if at and not EARLIEST <= at <= LATEST:
        raise ValueError(f"at={text[:40]} is out of range; expected a time from {EARLIEST:%Y} on.")
    return at.isoformat() if at else ""


def redact_hints(hints: Hints) -> Hints:
    """The names with "[redacted]" for everything in them that looks like a secret."""
    return replace(
        hints,
        host=redact_secrets(hints.host),
        config=redact_secrets(hints.config),
        experiment=redact_secrets(hints.experiment),
        tags=tuple(dict.fromkeys(map(redact_secrets, hints.tags))),
        build={name: redact_secrets(said) for name, said in hints.build.items()},
    )


def add_header(hints: Hints, text: TextLines) -> Hints:
    """The hints, with what the text's header says where the sender says nothing."""
    fields = read_header(text)
    if not fields:
        return hints
    try:
        said = Hints.from_dict({name: fields.get(name, "") for name in ("experiment", *BUILD)})
    except ValueError:  # no address of a pipeline
        said = Hints.from_dict({name: fields.get(name, "") for name in ("experiment", *BUILD) if name != "url"})
    return replace(hints, experiment=hints.experiment or said.experiment, build={**said.build, **hints.build})


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
    experiment.captures = [capture for capture in experiment.captures if capture.span is None]
    draft.unread = sorted([*draft.unread, *(run.lines for run in quoted)])
