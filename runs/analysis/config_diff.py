"""Where the configs' texts differ, directive by directive or line by line: a row a directive, a column a config."""

from __future__ import annotations

import difflib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from runs.analysis.dialects import read
from runs.analysis.directives import Directive, Parsed
from runs.analysis.facts import ConfigFact, Source, TextFact, source_at
from runs.numbers import join_words, write_count

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

    configs      the columns' configs; paths: what each calls the file ("" where the text does not say)
    same        how many directives are alike in all columns; unshown: how many only some columns show
    unread      how many lines were read as no directive
    lines       where no dialect fits: line by line against the first column's text
    """

    name: str
    dialect: str
    configs: tuple[ConfigFact, ...]
    paths: tuple[str, ...]
    rows: tuple[DirectiveRow, ...]
    same: int
    unshown: int
    unread: int
    sentence: str
    lines: tuple[TextDiff, ...] = ()

    @property
    def heads(self) -> list[tuple[ConfigFact, str]]:
        """(config, what it calls the file) of each column."""
        return list(zip(self.configs, self.paths, strict=True))


@dataclass(frozen=True, slots=True)
class ConfigDiff:
    """All files. `sentences` is what a reader needs to know before the tables: what is missing, what holds for all."""

    files: tuple[FileDiff, ...]
    sentences: tuple[str, ...]


def compare_configs(configs: Sequence[ConfigFact], texts: Sequence[TextFact]) -> ConfigDiff:
    """The texts of the configs in the order given; texts of other configs are left alone."""
    if not texts:
        return ConfigDiff((), ())
    known = {config.id: config for config in configs}
    own = [text for text in texts if text.config in known]
    groups = [{pk: group[pk] for pk in known if pk in group} for group in group_texts(own)]
    files = tuple(_compare_file(known, group) for group in groups if len(group) > 1)
    lone = [(known[pk], shown.fact) for group in groups if len(group) == 1 for pk, shown in group.items()]
    return ConfigDiff(files, describe_texts(configs, texts, lone, compared={pk for group in groups for pk in group}))


def _compare_file(known: Mapping[int, ConfigFact], group: Group) -> FileDiff:
    columns = tuple(known[pk] for pk in group)
    shown = tuple(group.values())
    paths = tuple(one.fact.path for one in shown)
    name = name_file(paths)
    without = [config for config in known.values() if config.id not in group]
    dialects = {one.parsed.dialect if one.parsed else "" for one in shown}
    if len(dialects) > 1 or "" in dialects:
        lines = tuple(_compare_lines(columns, shown))
        sentence = describe_file(name, columns, without, alike=not any(diff.lines for diff in lines))
        return FileDiff(name, "", columns, paths, (), 0, 0, 0, sentence, lines)
    rows, same, unshown = _compare_directives(shown, dialects.pop())
    unread = sum(len(one.parsed.unread) for one in shown if one.parsed)
    sentence = describe_file(
        name, columns, without, [row.name for row in rows], same=same, unshown=unshown, unread=unread
    )
    dialect = next(one.parsed.dialect for one in shown if one.parsed)
    return FileDiff(name, dialect, columns, paths, rows, same, unshown, unread, sentence)


def _compare_directives(shown: Sequence[Shown], dialect: str) -> tuple[tuple[DirectiveRow, ...], int, int]:
    """(directives that differ, how many are the same, how many only some show)."""
    found: dict[tuple[tuple[str, ...], str], list[list[Directive]]] = defaultdict(lambda: [[] for _ in shown])
    for at, one in enumerate(shown):
        for directive in one.parsed.directives if one.parsed else ():
            found[_normalize_sections(directive, dialect), directive.key][at].append(directive)
    rows, same, unshown = [], 0, 0
    for repeats in found.values():
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
    if len({tuple(sorted(found)) for found in lines}) == 1:
        return []
    common = set.intersection(*(set(found) for found in lines))
    cells = []
    for one, found in zip(shown, lines, strict=True):
        own = {line: at for line, at in found.items() if line not in common}
        missing: State = "not shown" if one.excerpt else "not set"
        sources = tuple(_find_source(one.fact, at) for at in own.values())
        cells.append(DirectiveCell("set", tuple(own), sources) if own else DirectiveCell(missing))
    return [DirectiveRow("", "lines that are no directive", tuple(cells))]


def _find_unread_lines(one: Shown) -> dict[str, int]:
    """Each such line with its (last) offset."""
    lines = one.fact.text.split("\n")
    return {lines[at].strip(): at for at in one.parsed.unread} if one.parsed else {}


def _normalize_sections(directive: Directive, dialect: str) -> tuple[str, ...]:
    """httpd's section names know no case; what they are about does."""
    if dialect != "httpd":
        return directive.path
    return tuple(re.sub(r"^<\w+", lambda found: found[0].lower(), section) for section in directive.path)


def _make_cell(one: Shown, directives: Sequence[Directive]) -> DirectiveCell:
    if not directives:
        return DirectiveCell("not shown" if one.excerpt else "not set")
    sources = tuple(_find_source(one.fact, directive.line) for directive in directives)
    return DirectiveCell("set", tuple(directive.value for directive in directives), sources)


def _make_row(repeats: Sequence[Sequence[Directive]], cells: tuple[DirectiveCell, ...], *, order: bool) -> DirectiveRow:
    """Named as it is spelt; spelt in two ways, by both ("MaxClients, MaxRequestWorkers")."""
    every = [directive for directives in repeats for directive in directives]
    names = list({directive.name.lower(): directive.name for directive in reversed(every)}.values())[::-1]
    return DirectiveRow(" › ".join(every[0].path), ", ".join(names), cells, order)


def _find_source(fact: TextFact, offset: int) -> Source:
    return source_at(fact.source, fact.line + offset)


def _compare_lines(columns: Sequence[ConfigFact], shown: Sequence[Shown]) -> list[TextDiff]:
    """Each text against the first column's, but for long ones."""
    (base, first), *others = [(config.id, one.fact.text) for config, one in zip(columns, shown, strict=True)]
    short = [(config, text) for config, text in others if max(first.count("\n"), text.count("\n")) <= MOST_LINES]
    return [TextDiff("text", base, config, _find_changed_lines(first, text)) for config, text in short]


MOST_NAMED = 6


def name_file(paths: Sequence[str]) -> str:
    """What the configs call a file, without its folders: "a.conf", or "a.conf / b.conf" where they differ."""
    names = list(dict.fromkeys(PurePosixPath(path).name for path in paths if path))
    return " / ".join(names[:2]) + (" / …" if len(names) > 2 else "") or "config text"


def describe_file(
    name: str,
    columns: Sequence[ConfigFact],
    without: Sequence[ConfigFact],
    differing: Sequence[str] = (),
    *,
    same: int = 0,
    unshown: int = 0,
    unread: int = 0,
    alike: bool = False,
) -> str:
    """One file in a sentence or three. `alike`: of texts that were compared by their lines."""
    names = _list_names([config.name for config in columns])
    if differing:
        total = len(differing) + same
        opening = f"{name}: {len(differing)} of {total} directives differ between {names}: {_list_names(differing)}."
    elif same or unshown:
        shown = "what is shown is " if unshown else ""
        opening = f"{name}: {shown}identical in {names} ({write_count(same, 'directive')} compared)."
    else:
        opening = f"{name}: " + (f"identical in {names}." if alike else f"the lines of {names} differ.")
    rest = []
    if unshown:
        rest.append(f"{write_count(unshown, 'directive')} cannot be compared: not every text was shown whole.")
    if unread:
        rest.append(f"{write_count(unread, 'line')} of these texts could not be read as a directive.")
    if without:
        rest.append(f"{_list_names([config.name for config in without])}: no text of this kind.")
    return " ".join([opening, *rest])


def describe_texts(
    configs: Sequence[ConfigFact],
    texts: Sequence[TextFact],
    lone: Sequence[tuple[ConfigFact, TextFact]],
    compared: AbstractSet[int],
) -> tuple[str, ...]:
    """Texts that only one config has, configs that have none, texts that hold for all."""
    if not texts or len(configs) < 2:
        return ()
    found = []
    for config, text in lone:
        found.append(f"{_name_text(text)}: only {config.name} shows it, so there is nothing to compare it with.")
    bare = [config.name for config in configs if config.id not in compared]
    if bare and compared:
        found.append(f"{_list_names(bare)}: no config text.")
    shared = Counter(_name_text(text) for text in texts if text.config is None)
    for name, n in shared.items():
        often = "once" if n == 1 else f"{n} times"
        found.append(f"{name} is shown {often}, for no config in particular: no difference follows from it.")
    return tuple(found)


def _name_text(text: TextFact) -> str:
    return PurePosixPath(text.path).name or f"The config text at line {text.line}"


def _list_names(names: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c", "a, b, c and 5 more"."""
    names = list(dict.fromkeys(names))
    if len(names) > MOST_NAMED:
        names = [*names[: MOST_NAMED - 1], f"{len(names) - MOST_NAMED + 1} more"]
    return join_words(names)
