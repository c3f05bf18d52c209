"""Which columns a comparison has: one a config, split where a config was loaded in several ways."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from runs.analysis.facts import ConfigFact, RunFact


@dataclass(frozen=True, slots=True)
class Method:
    """How a run was loaded. None: the text does not say, which agrees with any value."""

    requests: int | None = None
    concurrency: int | None = None
    keepalive: bool | None = None
    path: str | None = None

    def agrees(self, other: Method) -> bool:
        return all(a is None or b is None or a == b for a, b in zip(self.parts(), other.parts(), strict=True))

    def joined(self, other: Method) -> Method:
        parts = (b if a is None else a for a, b in zip(self.parts(), other.parts(), strict=True))
        return Method(*parts)  # type: ignore[arg-type]

    def parts(self) -> tuple[object, ...]:
        return self.requests, self.concurrency, self.keepalive, self.path

    def words(self) -> dict[str, str]:
        """Each part as the command line writes it, by name."""
        words = {}
        if self.requests is not None:
            words["requests"] = f"-n {self.requests}"
        if self.concurrency is not None:
            words["concurrency"] = f"-c {self.concurrency}"
        if self.keepalive is not None:
            words["keepalive"] = "keep-alive" if self.keepalive else "no keep-alive"
        if self.path:
            words["path"] = self.path
        return words


@dataclass(frozen=True, slots=True)
class Column:
    """A config, or a config under one method. `color` counts configs from 0 and is the same all over a page."""

    config: ConfigFact
    color: int
    runs: tuple[RunFact, ...]
    method: Method
    split: str = ""

    @property
    def title(self) -> str:
        return f"{self.config.name} · {self.split}" if self.split else self.config.name


def option(command: str, letter: str) -> int | None:
    """The number after `-letter` in a command line: glued or apart, behind ab's flags ("-kc 50"), or after siege's long name."""
    long = "|--concurrent[= ]" if letter == "c" else ""
    found = re.search(rf"(?:^|\s)(?:-[klrSdq]*{letter}\s*{long})(\d+)", command)
    return int(found[1]) if found else None


def method(run: RunFact) -> Method:
    """How `run` was loaded, by its command line first. What siege prints as concurrency is a result, not a setting."""
    concurrency = option(run.command, "c")
    if concurrency is None and run.tool == "ab" and run.concurrency is not None:
        concurrency = int(run.concurrency)
    return Method(option(run.command, "n"), concurrency, run.keepalive, run.path or None)


def columns(configs: Sequence[ConfigFact], runs: Sequence[RunFact]) -> list[Column]:
    """One column for each config in the order given, or several where its runs' methods do not agree.

    A config without counted runs keeps a column: its captures may still tell something.
    """
    made: list[Column] = []
    for color, config in enumerate(configs):
        own = [run for run in runs if run.config == config.id and run.counted]
        made += _split(Column(config, color, (), Method()), own)
    return _without_repeated_words(made)


def _split(empty: Column, runs: list[RunFact]) -> list[Column]:
    parts: list[Column] = []
    # The fullest method first, so that a partial run joins one that it agrees with.
    for run in sorted(runs, key=lambda run: sum(part is None for part in method(run).parts())):
        how = method(run)
        for at, part in enumerate(parts):
            if part.method.agrees(how):
                parts[at] = replace(part, runs=(*part.runs, run), method=part.method.joined(how))
                break
        else:
            parts.append(replace(empty, runs=(run,), method=how))
    ordered = [replace(part, runs=tuple(sorted(part.runs, key=lambda run: (run.repeat, run.id)))) for part in parts]
    return sorted(ordered, key=lambda part: (str(part.method.path or ""), part.method.concurrency or 0)) or [empty]


def _without_repeated_words(made: list[Column]) -> list[Column]:
    """`split` names only what differs between the columns of one config."""
    named = []
    for column in made:
        peers = [other.method for other in made if other.config.id == column.config.id]
        words = column.method.words()
        differing = [
            words[name] for name in words if len(peers) > 1 and len({peer.words().get(name) for peer in peers}) > 1
        ]
        named.append(replace(column, split=" ".join(differing)))
    return named
