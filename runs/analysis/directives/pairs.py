"""Which text of one config corresponds to which of another."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from runs.analysis.facts import TextFact

from .detect import read
from .records import Parsed


@dataclass(frozen=True, slots=True)
class Shown:
    """A text and what was read of it; None where no dialect fits."""

    fact: TextFact
    parsed: Parsed | None

    @property
    def excerpt(self) -> bool:
        """What is missing from it may still be set: lines were left out, or it was shown as no file."""
        return not self.fact.path or (self.parsed is not None and self.parsed.elided)


Group = dict[int, Shown]


def pair(texts: Sequence[TextFact]) -> list[Group]:
    """The configs' texts as groups of at most one a config: by path, by file name, by like names, by dialect.

    A step joins nothing where it would leave a choice between two texts of one config. Of a file that a config shows
    twice the later counts.
    """
    latest = {(text.config, text.path or f"line {text.source}"): text for text in texts if text.config is not None}
    # Configs often show one and the same text: read it once.
    parsed = {(path, text): read(text, path) for path, text in {(one.path, one.text) for one in latest.values()}}
    groups: list[Group] = [
        {text.config: Shown(text, parsed[text.path, text.text])} for text in latest.values() if text.config is not None
    ]
    for step in (_path, _name, _like, _dialect):
        groups = _joined(groups, step)
    return groups


def _path(one: Shown) -> Hashable:
    return one.fact.path or None


def _name(one: Shown) -> Hashable:
    return PurePosixPath(one.fact.path).name.lower() or None


def _like(one: Shown) -> Hashable:
    """ "vhost-1.conf" and "vhost-2.conf" are like names."""
    return re.sub(r"[\W\d_]+", " ", PurePosixPath(one.fact.path).name.lower()).strip() or None


def _dialect(one: Shown) -> Hashable:
    return one.parsed.dialect if one.parsed else "plain"


def _joined(groups: Sequence[Group], step: Callable[[Shown], Hashable]) -> list[Group]:
    """Groups of one key become one, unless a config is in two of them."""
    by_key: dict[Hashable, list[Group]] = defaultdict(list)
    made: list[Group] = []
    for group in groups:
        key = step(next(iter(group.values())))
        if key is None:
            made.append(group)
        else:
            by_key[key].append(group)
    for alike in by_key.values():
        configs = [config for group in alike for config in group]
        if len(configs) == len(set(configs)):
            made.append({config: shown for group in alike for config, shown in group.items()})
        else:
            made += alike
    return sorted(made, key=lambda group: min(one.fact.line for one in group.values()))
