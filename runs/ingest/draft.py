"""The draft: what one text would become, before anything is stored. Pure data, made by relate, edited, then stored.

Keys ("e1", "c2", "h1", "b17") are stable for one text: b17 is the 17th block that is read of it, counted from 0 (of the
screens of one command the first 20 are a block each, and all others are one). Edits made on the preview page name things
by these keys, so that the same edits can be applied again when the text is read anew.
"""

from __future__ import annotations

from dataclasses import dataclass, field


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
    """One load test. `quotes` are the spans where the same figures stand again (a teaser, a translation)."""

    key: str
    config: str
    label: str
    note: str
    repeat: int
    lines: tuple[int, int]
    quotes: list[tuple[int, int]] = field(default_factory=list)
    counted: bool = True


@dataclass(slots=True)
class DraftCapture:
    """Monitor output: one look, or the consecutive screens of one command.

    blocks   its blocks' keys, in order
    run      key of the run it stands beside, "" if none is known
    config   key of the config it tells of, "" if it holds for the whole experiment
    phase    "before", "during", "after" or "" (not known)
    looks    how many looks are in them: a block may hold the screens of hours
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
    looks: int = 1


@dataclass(slots=True)
class DraftTiming:
    """A file of what each request took. Which run it is of is told by the figures, once they are stored."""

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
    """hosts and experiments of one text, and the spans of its lines that nothing was read from."""

    hosts: list[DraftHost] = field(default_factory=list)
    experiments: list[DraftExperiment] = field(default_factory=list)
    unread: list[tuple[int, int]] = field(default_factory=list)
