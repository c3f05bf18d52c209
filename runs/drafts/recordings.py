"""Texts that the client `bd` has recorded: its header and the line above each run say what belongs together, so nothing is guessed.

# Recorded by bd 1
# experiment: front page          also host (the machine under load), commit, branch, version, pr, url

## event, run 1 of 5              or "## event, warm-up"; "run 1 of at most 40": a test after each round decides when to stop
Before the load:                  and "During ...", "After ...": monitors of each machine
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from operator import attrgetter
from typing import Protocol

from .draft import (
    Draft,
    DraftCapture,
    DraftConfig,
    DraftExperiment,
    DraftHost,
    DraftRun,
    merge_namesakes,
    number_repeats,
)

_BEGINS = re.compile(r"# Recorded by bd \d{1,4}")
_FIELD = re.compile(r"# ([a-z]{2,12}): (\S.{0,300})")
_MARK = re.compile(r"## (\S.{0,199}), (?:run \d{1,6} of (?:at most (\d{1,4})|\d{1,6})|(warm-up))")
_PHASE = re.compile(r"(Before|During|After) the load:")
BUILD = ("commit", "branch", "version", "pr", "url")  # of what was tested
_LINES_ABOVE = 20  # that a person may have left above the header


class TextLines(Protocol):
    """What is needed of a text: its lines first..last, all by default."""

    def lines(self, first: int = 1, last: int | None = None) -> Iterator[str]: ...


def read_header(text: TextLines) -> dict[str, str]:
    """The fields of bd's header; empty for any other text."""
    lines = (line.strip() for line in text.lines(1, _LINES_ABOVE + len(BUILD) + 4))
    for line in islice(lines, _LINES_ABOVE):
        if _BEGINS.fullmatch(line):
            fields = {"recorded": line}
            for following in lines:
                if not (field := _FIELD.fullmatch(following)):
                    break
                fields[field[1]] = field[2]
            return fields
    return {}


@dataclass(frozen=True, slots=True)
class _Mark:
    """A line that says what follows: a config's run, or a phase of it."""

    line: int
    config: str = ""
    counted: bool = True
    phase: str = ""
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Recording:
    """What bd's own lines say: the header's fields and the marks, in order."""

    fields: dict[str, str]
    marks: list[_Mark]


def read_recording(text: TextLines) -> Recording | None:
    """None for a text that bd did not write."""
    fields = read_header(text)
    marks = list(_find_marks(text)) if fields else []
    return Recording(fields, marks) if marks else None


def place_recorded(draft: Draft, recording: Recording) -> None:
    """Put runs and captures where bd's lines above them say."""
    fields, marks = recording.fields, recording.marks
    if not draft.experiments:
        return
    for experiment in draft.experiments:
        experiment.name = fields.get("experiment", draft.experiments[0].name)
    merge_namesakes(draft)
    experiment = draft.experiments[0]
    experiment.configs = [
        DraftConfig(key=f"c{number}", name=name)
        for number, name in enumerate(dict.fromkeys(mark.config for mark in marks), start=1)
    ]
    keys = {config.name: config.key for config in experiment.configs}
    _place_runs(experiment, marks, keys)
    _place_captures(experiment, marks, keys)
    for shown in experiment.texts:
        mark = _mark_above(marks, shown.lines[0])
        shown.config = keys[mark.config] if mark else ""  # above the first run it is for all of them
    if name := fields.get("host"):
        _place_host(draft, experiment, name)


def _place_host(draft: Draft, experiment: DraftExperiment, name: str) -> None:
    """The machine under load, which may show nothing of itself."""
    host = next((host for host in draft.hosts if host.name == name), None)
    if host is None:
        host = DraftHost(f"h{len(draft.hosts) + 1}", name)
        draft.hosts.append(host)
    draft.loaded = experiment.host = host.key
    for run in experiment.runs:
        run.host = host.key


def _find_marks(text: TextLines) -> Iterator[_Mark]:
    mark = None
    for number, line in enumerate(text.lines(), start=1):
        if line[:3] == "## " and (match := _MARK.fullmatch(line.strip())):
            mark = _Mark(number, match[1], not match[3], most=int(match[2]) if match[2] else None)
            yield mark
        elif mark and line[-5:] == "load:" and (said := _PHASE.fullmatch(line)):
            yield replace(mark, line=number, phase=said[1].lower())


def _mark_above(marks: list[_Mark], line: int) -> _Mark | None:
    place = bisect_right(marks, line, key=attrgetter("line"))
    return marks[place - 1] if place else None


def _place_runs(experiment: DraftExperiment, marks: list[_Mark], keys: dict[str, str]) -> None:
    for run in experiment.runs:
        mark = _mark_above(marks, run.lines[0]) or marks[0]
        run.config, run.counted, run.label, run.note = keys[mark.config], mark.counted, "", ""
        run.most_repeats = mark.most
        if not mark.counted:
            run.repeat, run.label = 0, "warm-up"
    number_repeats(experiment.runs)


def _place_captures(experiment: DraftExperiment, marks: list[_Mark], keys: dict[str, str]) -> None:
    sections = [mark.line for mark in marks if not mark.phase]
    first: dict[int, DraftRun] = {}
    for run in sorted(experiment.runs, key=attrgetter("lines")):
        first.setdefault(bisect_right(sections, run.lines[0]), run)
    experiment.captures = [capture for capture in experiment.captures if capture.span is None]
    for capture in experiment.captures:
        mark = _mark_above(marks, capture.lines[0])
        beside = first.get(bisect_right(sections, capture.lines[0]))
        _place_capture(capture, mark, keys, beside)


def _place_capture(capture: DraftCapture, mark: _Mark | None, keys: dict[str, str], run: DraftRun | None) -> None:
    known = mark is not None and run is not None
    capture.run = run.key if known and run else ""
    capture.config = keys[mark.config] if mark else ""
    capture.phase = mark.phase if mark and known else ""
