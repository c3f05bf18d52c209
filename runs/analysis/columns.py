"""Which columns a comparison has, which column each one is judged against, and what differs between them and their hosts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter

from runs.analysis.facts import ConfigFact, RunFact
from runs.analysis.numbers import figure


@dataclass(frozen=True, slots=True)
class Method:
    """How a run was loaded. None: the text does not say, which agrees with any value."""

    requests: int | None = None
    concurrency: int | None = None
    keepalive: bool | None = None
    path: str | None = None

    def agrees(self, other: Method) -> bool:
        for own, its in zip(self.parts(), other.parts(), strict=True):
            if own is not None and its is not None and own != its:
                return False
        return True

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


def read_method(run: RunFact) -> Method:
    """How `run` was loaded, by its command line first. A printed concurrency counts where the tool has a default for it."""
    concurrency = run.options.get("concurrency")
    if concurrency is None and run.semantics.default_concurrency is not None and run.concurrency is not None:
        concurrency = int(run.concurrency)
    return Method(run.options.get("requests"), concurrency, run.keepalive, run.path or None)


def build_columns(configs: Sequence[ConfigFact], runs: Sequence[RunFact]) -> list[Column]:
    """One column for each config in the order given, or several where its runs' methods do not agree.

    A config without counted runs keeps a column: its captures may still tell something.
    """
    made: list[Column] = []
    for color, config in enumerate(configs):
        own = [run for run in runs if run.config == config.id and run.counted]
        made += _split(Column(config, color, (), Method()), own)
    return made if len(made) == len(configs) else _without_repeated_words(made)


def _split(empty: Column, runs: list[RunFact]) -> list[Column]:
    if not runs:
        return [empty]
    parts: list[Column] = []
    # The fullest method first, so that a partial run joins one that it agrees with.
    for run in sorted(runs, key=lambda run: read_method(run).parts().count(None)):
        how = read_method(run)
        for at, part in enumerate(parts):
            if part.method.agrees(how):
                parts[at] = replace(part, runs=(*part.runs, run), method=part.method.joined(how))
                break
        else:
            parts.append(replace(empty, runs=(run,), method=how))
    for at, part in enumerate(parts):
        parts[at] = replace(part, runs=tuple(sorted(part.runs, key=attrgetter("repeat", "id"))))
    return sorted(parts, key=lambda part: (str(part.method.path or ""), part.method.concurrency or 0))


def _without_repeated_words(made: list[Column]) -> list[Column]:
    """`split` names only what differs between the columns of one config."""
    named = []
    for column in made:
        peers = [other.method for other in made if other.config.id == column.config.id]
        words = column.method.words()
        differing = [words[name] for name in words if len({peer.words().get(name) for peer in peers}) > 1]
        named.append(replace(column, split=" ".join(differing)))
    return named


# What parts the two halves of a name such as "itk, mod_python".
BETWEEN = (", ", " / ", " · ", " | ", " + ", ": ")


def find_baselines(columns: Sequence[Column], without: Collection[int] = ()) -> tuple[int, ...]:
    """For each column the index of the one it stands against; a baseline stands against itself.

    `without` are columns that no verdict may rest on: a block's baseline is the first one that is not among them.
    """
    blocks: dict[str, list[int]] = {}
    for at, word in enumerate(_blocks(columns)):
        blocks.setdefault(word, []).append(at)
    loads = _loads(columns)
    bases = list(range(len(columns)))
    for block in blocks.values():
        sound = [at for at in block if at not in without] or block[:1]
        for at in block:
            bases[at] = _base(columns, loads, sound, at)
    return tuple(bases)


def _loads(columns: Sequence[Column]) -> list[Method]:
    """How each column was loaded, without what sets the configs apart.

    Where one config was tried without keep-alive and one with it, at several levels each, keep-alive is what is compared.
    """
    loads = [list(column.method.parts()) for column in columns]
    for place in range(len(Method().parts())):
        by_config: dict[int, set[object]] = {}
        for column in columns:
            by_config.setdefault(column.config.id, set()).add(column.method.parts()[place])
        if len(set().union(*by_config.values())) > 1 and max(map(len, by_config.values())) == 1:
            for load in loads:
                load[place] = None
    return [Method(*load) for load in loads]  # type: ignore[arg-type]


def _base(columns: Sequence[Column], loads: Sequence[Method], sound: Sequence[int], at: int) -> int:
    """The first sound column of another config and the same load; else the block's first, whatever its load."""
    if at == sound[0]:
        return at
    others = [other for other in sound if other < at and columns[other].config.id != columns[at].config.id]
    for other in others:
        if columns[other].method.agrees(columns[at].method):
            return other
    for other in others:
        if loads[other].agrees(loads[at]):
            return other
    return at if _leads(columns, loads, sound, at) else sound[0]


def _leads(columns: Sequence[Column], loads: Sequence[Method], sound: Sequence[int], at: int) -> bool:
    """Whether this column is the baseline config under another load, which a later config was tried with too."""
    mine, first = columns[at], columns[sound[0]]
    if mine.config.id != first.config.id or at not in sound:
        return False
    later = (other for other in sound if other > at and columns[other].config.id != mine.config.id)
    return any(loads[other].agrees(loads[at]) and not loads[other].agrees(loads[sound[0]]) for other in later)


def _blocks(columns: Sequence[Column]) -> list[str]:
    """One word a column; equal words are one block."""
    members: dict[str, set[int]] = {}
    for column in columns:
        members.setdefault(column.config.group, set()).add(column.config.id)
    if len(members) > 1 and min(map(len, members.values())) > 1:
        return [column.config.group for column in columns]
    names = list(dict.fromkeys([column.config.name for column in columns]))
    crossed = _crossed(names, columns)
    return [crossed.get(column.config.name, "") for column in columns]


def _crossed(names: Sequence[str], columns: Sequence[Column]) -> dict[str, str]:
    """Name -> block, where the names are all pairs of two lists ("itk, a", "peruser, a", "itk, b", "peruser, b")."""
    for mark in BETWEEN:
        halves = [tuple(name.split(mark)) for name in names]
        if set(map(len, halves)) != {2}:
            continue
        levels = [list(dict.fromkeys(half[side] for half in halves)) for side in (0, 1)]
        if min(map(len, levels)) < 2 or len(levels[0]) * len(levels[1]) != len(set(halves)):
            continue
        ways = [dict(zip(names, (half[side] for half in halves), strict=True)) for side in (1, 0)]
        best, other = sorted(ways, key=lambda way: (_unlike(way, columns), not _tidy(list(way.values()))))
        if _tidy(list(best.values())) or _unlike(best, columns) < _unlike(other, columns):
            return best
    return {}


def _tidy(words: Sequence[str]) -> bool:
    """Whether equal words stand together, as the configs of one comparison do in a text."""
    runs = [word for word, _ in groupby(words)]
    return len(runs) == len(set(runs))


def _unlike(blocks: dict[str, str], columns: Sequence[Column]) -> int:
    """How many pairs inside a block were loaded in ways that do not agree."""
    return sum(
        not one.method.agrees(other.method)
        for at, one in enumerate(columns)
        for other in columns[:at]
        if blocks[one.config.name] == blocks[other.config.name]
    )


@dataclass(frozen=True, slots=True)
class Difference:
    """One property whose values are not the same in all columns; "" where a column does not tell."""

    name: str
    values: tuple[str, ...]


def _settle(
    names: Sequence[str], columns: Sequence[Mapping[str, str]]
) -> tuple[list[Difference], list[tuple[str, str]]]:
    """(properties that differ, [(name, value)] of those that are the same wherever they are told)."""
    differ, same = [], []
    for name in names:
        values = tuple(column.get(name, "") for column in columns)
        told = set(values) - {""}
        if len(told) > 1:
            differ.append(Difference(name, values))
        elif told:
            same.append((name, told.pop()))
    return differ, same


def compare_columns(columns: Sequence[Column]) -> tuple[list[Difference], list[tuple[str, str]]]:
    """What the runs of each column tell of their method and server."""
    names = ["Host", "Server", "Tool", "Command", "Path", "Concurrency", "Keep-alive"]
    return _settle(names, list(map(_properties, columns)))


def _properties(column: Column) -> dict[str, str]:
    how = column.method
    told = {
        "Host": [run.host for run in column.runs],
        "Server": [run.server_software for run in column.runs],
        "Tool": [run.tool for run in column.runs],
        "Command": [run.command for run in column.runs],
        "Path": [how.path or ""],
        "Concurrency": [str(how.concurrency or "")],
        "Keep-alive": ["" if how.keepalive is None else "on" if how.keepalive else "off"],
    }
    return {name: ", ".join(dict.fromkeys(filter(None, values))) for name, values in told.items()}


def compare_hosts(hosts: Sequence[Mapping[str, object]]) -> tuple[list[Difference], list[tuple[str, str]]]:
    """`hosts` map the columns of a stored host; sizes are given in MiB."""
    if not hosts:
        return [], []
    names = {"name": "Name", "cpu_model": "CPU", "cores": "Cores", "mhz": "MHz", "ram_kb": "Memory", "swap_kb": "Swap"}
    names |= {"os": "System", "kernel": "Kernel"}
    return _settle(
        list(names.values()), [{names[key]: _host_property(key, host.get(key)) for key in names} for host in hosts]
    )


def _host_property(key: str, value: object) -> str:
    if value in (None, ""):
        return ""
    if key.endswith("_kb") and isinstance(value, int):
        return f"{figure(value / 1024)} MiB"
    return figure(value) if isinstance(value, (int, float)) else str(value)
