"""Where the configs' texts differ, directive by directive or line by line: a row a directive, a column a config."""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from runs.analysis.dialects import read
from runs.analysis.directives import Directive, Parsed
from runs.analysis.facts import ConfigFact, Source, TextFact, source_at

# Texts longer than this are shown whole and not compared: difflib's time grows with the square of the lines.
MOST_LINES = 1500


@dataclass(frozen=True, slots=True)
class TextDiff:
    """From one config's text to another's: (sign, line) with sign "+", "-", " " or "…". No lines: they are the same."""

    path: str
    before: int
    after: int
    lines: tuple[tuple[str, str], ...]


def _find_changed_lines(before: str, after: str) -> tuple[tuple[str, str], ...]:
    """Changed lines with one line of context. Indentation and blank ends are no difference."""
    old, new = ([line.strip() for line in text.splitlines() if line.strip()] for text in (before, after))
    changes = list(difflib.unified_diff(old, new, lineterm="", n=1))[2:]
    return tuple(("…", "") if line.startswith("@@") else (line[0], line[1:]) for line in changes)


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


def group_texts(texts: Sequence[TextFact]) -> list[Group]:
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
    for key_of in KEYS:
        groups = _join_groups(groups, key_of)
    return groups


# In this order; what has no key stands alone. "vhost-1.conf" and "vhost-2.conf" are like names.
KEYS: tuple[Callable[[Shown], Hashable], ...] = (
    lambda one: one.fact.path or None,
    lambda one: PurePosixPath(one.fact.path).name.lower() or None,
    lambda one: re.sub(r"[\W\d_]+", " ", PurePosixPath(one.fact.path).name.lower()).strip() or None,
    lambda one: one.parsed.dialect if one.parsed else "plain",
)


def _join_groups(groups: Sequence[Group], key_of: Callable[[Shown], Hashable]) -> list[Group]:
    """Groups of one key become one, unless a config is in two of them."""
    by_key: dict[Hashable, list[Group]] = defaultdict(list)
    merged: list[Group] = []
    for group in groups:
        key = key_of(next(iter(group.values())))
        if key is None:
            merged.append(group)
        else:
            by_key[key].append(group)
    for alike in by_key.values():
        configs = [config for group in alike for config in group]
        if len(configs) == len(set(configs)):
            merged.append({config: shown for group in alike for config, shown in group.items()})
        else:
            merged += alike
    return sorted(merged, key=lambda group: min(one.fact.line for one in group.values()))


# Repeats of these add up, whatever their order; of others the last, or the first that fits, may win.
UNORDERED = frozenset(
    {
        *("listen", "include", "includeoptional", "serveralias", "server_name", "allow", "deny", "require", "order"),
        *("server", "addmodule", "extension", "options", "index", "namevirtualhost", "load_module"),
    }
)
State = Literal["set", "not set", "not shown"]


@dataclass(frozen=True, slots=True)
class DirectiveCell:
    """What one config's text says of a directive: its values in order ("" for one without arguments), and their lines.

    state   "not set": the whole text was shown and lacks it; "not shown": only part of the text was
    """

    state: State
    values: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class DirectiveRow:
    """A directive that is not the same in all columns. `order`: the same values, only in another order."""

    section: str
    name: str
    cells: tuple[DirectiveCell, ...]
    order: bool = False


@dataclass(frozen=True, slots=True)
class FileDiff:
    """One file as several configs have it.

    configs     the columns' configs; paths: what each calls the file ("" where the text does not say)
    without     configs that show no such text
    same        how many directives are alike in all columns; unshown: how many only some columns show
    unread      how many lines were read as no directive
    lines       where no dialect fits: line by line against the first column's text
    sentence    what was found, see `summary_wording.describe_differences`
    """

    name: str
    dialect: str
    configs: tuple[ConfigFact, ...]
    paths: tuple[str, ...]
    rows: tuple[DirectiveRow, ...]
    same: int
    unshown: int
    unread: int
    without: tuple[ConfigFact, ...]
    lines: tuple[TextDiff, ...] = ()
    sentence: str = ""

    @property
    def heads(self) -> list[tuple[ConfigFact, str]]:
        """(config, what it calls the file) of each column."""
        return list(zip(self.configs, self.paths, strict=True))


@dataclass(frozen=True, slots=True)
class ConfigDiff:
    """The files that several configs have, and what cannot be compared.

    lone        texts that only one config has
    bare        configs that have no text, where others have one
    common      texts of no config in particular
    sentences   on what cannot be compared, see `summary_wording.describe_differences`
    """

    files: tuple[FileDiff, ...] = ()
    lone: tuple[tuple[ConfigFact, TextFact], ...] = ()
    bare: tuple[ConfigFact, ...] = ()
    common: tuple[TextFact, ...] = ()
    sentences: tuple[str, ...] = ()


def compare_configs(configs: Sequence[ConfigFact], texts: Sequence[TextFact]) -> ConfigDiff:
    """The texts of the configs in the order given; texts of other configs are left alone."""
    if not texts or len(configs) < 2:
        return ConfigDiff()
    known = {config.id: config for config in configs}
    own = [text for text in texts if text.config in known]
    shown = {text.config for text in own}
    groups = [{pk: group[pk] for pk in known if pk in group} for group in group_texts(own)]
    return ConfigDiff(
        files=tuple(_compare_file(known, group) for group in groups if len(group) > 1),
        lone=tuple((known[pk], one.fact) for group in groups if len(group) == 1 for pk, one in group.items()),
        bare=tuple(config for config in configs if config.id not in shown) if shown else (),
        common=tuple(text for text in texts if text.config is None),
    )


def _compare_file(known: Mapping[int, ConfigFact], group: Group) -> FileDiff:
    shown = tuple(group.values())
    paths = tuple(one.fact.path for one in shown)
    dialects = {one.parsed.dialect if one.parsed else "" for one in shown}
    dialect = dialects.pop() if len(dialects) == 1 else ""
    rows, same, unshown = _compare_directives(shown, dialect) if dialect else ((), 0, 0)
    return FileDiff(
        name=name_file(paths),
        dialect=dialect,
        configs=tuple(known[pk] for pk in group),
        paths=paths,
        rows=rows,
        same=same,
        unshown=unshown,
        unread=sum(len(one.parsed.unread) for one in shown if one.parsed) if dialect else 0,
        without=tuple(config for config in known.values() if config.id not in group),
        lines=() if dialect else tuple(_compare_lines(group)),
    )


def _compare_directives(shown: Sequence[Shown], dialect: str) -> tuple[tuple[DirectiveRow, ...], int, int]:
    """(directives that differ, how many are the same, how many only some show)."""
    by_path: dict[tuple[tuple[str, ...], str], list[list[Directive]]] = defaultdict(lambda: [[] for _ in shown])
    for at, one in enumerate(shown):
        for directive in one.parsed.directives if one.parsed else ():
            by_path[_normalize_sections(directive, dialect), directive.key][at].append(directive)
    rows, same, unshown = [], 0, 0
    for repeats in by_path.values():
        cells = tuple(_make_cell(one, directives) for one, directives in zip(shown, repeats, strict=True))
        known = {cell.values for cell in cells if cell.state == "set"}
        kind = next(directive.name for directives in repeats for directive in directives).split(" ")[0].lower()
        alike = len({tuple(sorted(values)) for values in known}) == 1
        if any(cell.state == "not set" for cell in cells) or not alike or (len(known) > 1 and kind not in UNORDERED):
            rows.append(_make_row(repeats, cells, order=alike and all(cell.state == "set" for cell in cells)))
        elif any(cell.state == "not shown" for cell in cells):
            unshown += 1
        else:
            same += 1
    return (*rows, *_compare_unread_lines(shown)), same, unshown


def _compare_unread_lines(shown: Sequence[Shown]) -> list[DirectiveRow]:
    """Lines that were read as no directive are compared as they stand: nothing is called identical unseen."""
    lines = [_find_unread_lines(one) for one in shown]
    if len({tuple(sorted(unread)) for unread in lines}) == 1:
        return []
    common = set.intersection(*(set(unread) for unread in lines))
    cells = []
    for one, unread in zip(shown, lines, strict=True):
        own = {line: at for line, at in unread.items() if line not in common}
        missing: State = "not shown" if one.excerpt else "not set"
        sources = tuple(_find_source(one.fact, at) for at in own.values())
        cells.append(DirectiveCell("set", tuple(own), sources) if own else DirectiveCell(missing))
    return [DirectiveRow("", "lines that are no directive", tuple(cells))]


def _find_unread_lines(shown: Shown) -> dict[str, int]:
    """Each such line with its (last) offset."""
    lines = shown.fact.text.split("\n")
    return {lines[at].strip(): at for at in shown.parsed.unread} if shown.parsed else {}


def _normalize_sections(directive: Directive, dialect: str) -> tuple[str, ...]:
    """httpd's section names know no case; what they are about does."""
    if dialect != "httpd":
        return directive.path
    return tuple(re.sub(r"^<\w+", lambda match: match[0].lower(), section) for section in directive.path)


def _make_cell(shown: Shown, directives: Sequence[Directive]) -> DirectiveCell:
    if not directives:
        return DirectiveCell("not shown" if shown.excerpt else "not set")
    sources = tuple(_find_source(shown.fact, directive.line) for directive in directives)
    return DirectiveCell("set", tuple(directive.value for directive in directives), sources)


def _make_row(repeats: Sequence[Sequence[Directive]], cells: tuple[DirectiveCell, ...], *, order: bool) -> DirectiveRow:
    """Named as it is spelt; spelt in two ways, by both ("MaxClients, MaxRequestWorkers")."""
    every = [directive for directives in repeats for directive in directives]
    names = list({directive.name.lower(): directive.name for directive in reversed(every)}.values())[::-1]
    return DirectiveRow(" › ".join(every[0].path), ", ".join(names), cells, order)


def _find_source(fact: TextFact, offset: int) -> Source:
    return source_at(fact.source, fact.line + offset)


def _compare_lines(group: Group) -> list[TextDiff]:
    """Each text against the first config's, but for long ones."""
    (base, first), *others = [(config, shown.fact.text) for config, shown in group.items()]
    short = [(config, text) for config, text in others if max(first.count("\n"), text.count("\n")) <= MOST_LINES]
    return [TextDiff("text", base, config, _find_changed_lines(first, text)) for config, text in short]


def name_file(paths: Sequence[str]) -> str:
    """What the configs call a file, without its folders: "a.conf", or "a.conf / b.conf" where they differ."""
    names = list(dict.fromkeys(PurePosixPath(path).name for path in paths if path))
    return " / ".join(names[:2]) + (" / …" if len(names) > 2 else "") or "config text"
