"""Which columns a comparison has, which column each one is judged against, and what differs between them and their hosts."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, count, groupby, islice, product
from operator import attrgetter
from os.path import commonprefix

from runs.analysis.facts import ConfigFact, RunFact
from runs.analysis.method import REQUESTED, Method, MethodIndex, group_by_method, read_method
from runs.numbers import figure

WORD = re.compile(r"[^\W_][\w.+-]*")
# Words that say no more than which of two it is.
PLAIN = re.compile(
    r"\b(?:with(?:out)?|no|not|non|on|off|and|the|enabled?|disabled?|default|plain|usual|normal|baseline|config|setup)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Column:
    """A config, or a config under one method.

    color    counts configs from 0 and is the same all over a page, and for what has one name below several headings
    letter   "A", "B" ... by its place, or its name where all are letters; short: what of its title sets it apart from others
    """

    config: ConfigFact
    color: int
    runs: tuple[RunFact, ...]
    method: Method
    split: str = ""
    letter: str = ""
    short: str = ""

    @property
    def title(self) -> str:
        return f"{self.config.name} · {self.split}" if self.split else self.config.name

    @property
    def name(self) -> str:
        """As short as it can be where no heading says of which config it is."""
        return self.title if self.short == self.split else self.short


def build_columns(configs: Sequence[ConfigFact], runs: Sequence[RunFact]) -> list[Column]:
    """One column for each config in the order given, or several where its runs' methods do not agree.

    A config without counted runs keeps a column: its captures may still tell something.
    """
    columns: list[Column] = []
    counted: dict[int, list[RunFact]] = {}
    for run in runs:
        counted.setdefault(run.config, []).extend([run] * run.counted)
    colors: dict[str, int] = {}
    for config in configs:
        color = colors.setdefault(config.name.removeprefix(f"{config.group} · "), len(colors))
        groups = group_by_method(counted.get(config.id, []), read_method)
        for method, group in sorted(groups, key=lambda pair: (pair[0].path or "", pair[0].concurrency or 0)):
            columns.append(Column(config, color, tuple(sorted(group, key=attrgetter("repeat", "id"))), method))
        columns += [] if groups else [Column(config, color, (), Method())]
    columns = columns if len(columns) == len(configs) else _drop_repeated_words(columns)
    splits = [column.split for column in columns]
    shorts = splits if len(configs) == 1 and all(splits) else drop_shared_words([column.title for column in columns])
    letters = assign_letters([column.title for column in columns])
    return [
        replace(one, letter=letter, short=short) for one, letter, short in zip(columns, letters, shorts, strict=True)
    ]


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LONG_NAME = 24  # a longer one is cut to what sets it apart
TOKEN = re.compile(r"\w+|\W+")
# A name by itself: "off" does not say what is off.
SAYS_WHAT = re.compile(r"(?!(?:on|off|true|false|enabled|disabled)\b).*[^\W\d]", re.IGNORECASE)
EDGES = " ,;:·|+-–—"  # what parts words that were cut from the others
# A Japanese particle, which belongs to the word before, that was cut.
PARTICLE = re.compile(r"^[をはがにでとの](?=[^\u3040-\u309f])")


def assign_letters(names: Sequence[str]) -> list[str]:
    """A to Z, AA, AB ..., or the names themselves where they are letters: "B" that stands before "A" is no A."""
    if len(set(names)) == len(names) and {*names} <= {*LETTERS}:
        return list(names)
    every = ("".join(letters) for n in count(1) for letters in product(LETTERS, repeat=n))
    return list(islice(every, len(names)))


def drop_shared_words(names: Sequence[str]) -> list[str]:
    """The names without the words that all begin or end with, where any is long and something that tells remains of each."""
    if len(set(names)) < 2 or max(map(len, names)) <= LONG_NAME:
        return list(names)
    words = [TOKEN.findall(name) for name in names]
    first = len(commonprefix(words))
    first -= re.search(r"(?:^|\s)/$", "".join(words[0][:first])) is not None  # "/ping" of "GET /ping"
    last = len(commonprefix([each[first:][::-1] for each in words]))
    for end in (last, 0):
        cut = ["".join(each[first : len(each) - end]) for each in words]
        cut = [short.lstrip(EDGES) for short in cut] if first else cut
        cut = [short.rstrip(f"{EDGES}/") for short in cut] if end else cut
        cut = [PARTICLE.sub("", short) for short in cut] if first else cut
        if all(SAYS_WHAT.match(short) and short.count("(") == short.count(")") for short in cut):
            return cut
    return list(names)


def compare_names(names: Iterable[str], pattern: str, words: Collection[str] = ()) -> tuple[bool, bool]:
    """Whether any of two names says a property, and whether they differ by nothing else or one has no other words.

    As "nginx" and "nginx with keep-alive", or "a connection a request" and "keep-alive".
    """
    rests, named = [], False
    for name in names:
        other_words = list_other_words(name, pattern)
        rests.append(other_words - {*words})
        named = named or bool(re.search(pattern, PLAIN.sub(" ", name), re.IGNORECASE) or other_words & {*words})
    return named, rests[0] == rests[1] or not all(rests)


def list_other_words(name: str, pattern: str) -> frozenset[str]:
    """The words of a name but for those of a property and those that say no more than which of two it is."""
    left = re.sub(pattern, " ", PLAIN.sub(" ", name), flags=re.IGNORECASE)
    return frozenset(word.lower() for word in WORD.findall(left))


def _drop_repeated_words(columns: Sequence[Column]) -> list[Column]:
    """`split` names only what differs between the columns of one config."""
    named: list[Column] = []
    for _, group in groupby(columns, key=attrgetter("config.id")):
        peers = list(group)
        words = [column.method.words() for column in peers]
        differing = {name for name in set().union(*words) if len({each.get(name) for each in words}) > 1}
        if len({column.method.path for column in peers}) == len(peers):
            differing -= REQUESTED  # the paths name the requests already
        for column, each in zip(peers, words, strict=True):
            named.append(replace(column, split=" ".join(each[name] for name in each if name in differing)))
    return named


# What parts the two halves of a name such as "itk, mod_python", "nginx with ab" and "old http1 with cache".
# Versions of one thing, which are compared with each other whatever each was tried with.
VERSION = re.compile(r"(?i)(?:this )?(?:before|after|old|new|master|main|head|pr|patch(?:ed)?|base(?:line)?|branch)")
BETWEEN = (", ", " / ", " · ", " | ", " + ", ": ", " with ", " on ", " using ", " @ ", " - ", " ")


def find_baselines(columns: Sequence[Column], without: Collection[int] = ()) -> tuple[int, ...]:
    """For each column the index of the one it stands against; a baseline stands against itself.

    `without` are columns that no verdict may rest on: a block's baseline is the first one that is not among them.
    """
    blocks: dict[str, list[int]] = {}
    for at, word in enumerate(_name_blocks(columns)):
        blocks.setdefault(word, []).append(at)
    loads = _read_loads(columns)
    bases = list(range(len(columns)))
    for block in blocks.values():
        judged = _Block(columns, loads, [at for at in block if at not in without] or block[:1])
        for at in block:
            base = judged.find_base(at)
            # The first config under the same load may have a baseline of its own.
            bases[at] = bases[base] if columns[base].config.id != columns[at].config.id else base
    return tuple(bases)


# Rates under unlike values of these are not comparable.
OF_LOAD = {Method._fields.index(name) for name in ("concurrency", "rate", "method", "path")}
# How long and with how many threads a tool ran. It makes no workload where no config was tried with several of them.
OF_EFFORT = {Method._fields.index(name) for name in ("requests", "duration_s")}


def _read_loads(columns: Sequence[Column]) -> list[Method]:
    """How each column was loaded, without what sets the configs apart.

    Where one config was tried without keep-alive and one with it, at several levels each, keep-alive is what is compared.
    Where two were tried with 10 clients each and two with 50, they are compared with 10, and with 50. So are two with 50 where
    only the first was tried with 10.
    """
    loads = [list(method) for method in _drop_threads(columns)]
    for place in range(len(Method._fields)):
        by_config: dict[int, set[object]] = {}
        for column in columns:
            by_config.setdefault(column.config.id, set()).add(column.method[place])
        alike = Counter(value for values in by_config.values() for value in values)
        if len(alike) < 2 or max(map(len, by_config.values())) > 1:
            continue
        if min(alike.values()) > 1 and place not in OF_EFFORT:
            continue
        is_first_alone = alike[columns[0].method[place]] == 1 < max(alike.values())
        if not (place in OF_LOAD and is_first_alone):
            for load in loads:
                load[place] = None
    return [Method(*load) for load in loads]  # type: ignore[arg-type]


def _drop_threads(columns: Sequence[Column]) -> list[Method]:
    """How each column was loaded, without the number of the tool's threads where each config has one number."""
    by_config: dict[int, set[object]] = {}
    for column in columns:
        by_config.setdefault(column.config.id, set()).add(dict(column.method.further or ()).get("threads"))
    if max(map(len, by_config.values()), default=0) > 1:
        return [column.method for column in columns]
    further = (tuple(pair for pair in column.method.further or () if pair[0] != "threads") for column in columns)
    return [
        column.method._replace(further=None if column.method.further is None else left)
        for column, left in zip(columns, further, strict=True)
    ]


class _Block:
    """Columns that are compared with each other. sound: those that may be a baseline; loads: see _read_loads."""

    def __init__(self, columns: Sequence[Column], loads: Sequence[Method], sound: Sequence[int]) -> None:
        self.configs = [column.config.id for column in columns]
        self.methods, self.loads = [column.method for column in columns], loads
        self.sound, self.first = frozenset(sound), sound[0]
        self.by_method = MethodIndex((self.methods[at], at) for at in sound)
        self.by_load = MethodIndex((loads[at], at) for at in sound)
        self.of_config: dict[int, list[int]] = defaultdict(list)
        for at in sound:
            self.of_config[self.configs[at]].append(at)
        self.requests = {
            config: MethodIndex((self.methods[at].request, at) for at in own) for config, own in self.of_config.items()
        }
        others = [at for at in sound if self.configs[at] != self.configs[self.first]]
        self.further_loads = MethodIndex((loads[at], at) for at in others if not loads[at].agrees(loads[self.first]))
        self.every = range(len(columns))
        self.has_pairs = any(self._find_peer(at, self.by_load, loads, self.every) is not None for at in sound)

    def find_base(self, at: int) -> int:
        """The first column of another config under the same load; else the block's first column, whatever its load.

        One whose load no other config had stands alone where others had one in common. Of one config with several requests
        each is its own baseline: rates of unlike requests are not comparable.
        """
        if at == self.first:
            return at
        for index, methods in ((self.by_method, self.methods), (self.by_load, self.loads)):
            if (other := self._find_peer(at, index, methods, range(at))) is not None:
                return other
        is_alone = self.has_pairs and self._find_peer(at, self.by_load, self.loads, self.every) is None
        if is_alone or self._is_further_baseline(at):
            return at
        config = self.configs[at]
        if config in self.of_config and (first := self.of_config[config][0]) < at:
            alike = self.requests[config].find_first(self.methods[at].request, lambda other: other < at)
            if alike != first:
                return at if alike is None else alike
        return self.first

    def _find_peer(self, at: int, index: MethodIndex, methods: Sequence[Method], among: range) -> int | None:
        """The first column among these of another config that was loaded alike."""
        return index.find_first(methods[at], lambda one: one in among and self.configs[one] != self.configs[at])

    def _is_further_baseline(self, at: int) -> bool:
        """Whether this column has another load than the baseline, which a later config was tried with too."""
        if at not in self.sound or self.loads[at].agrees(self.loads[self.first]):
            return False
        return self._find_peer(at, self.further_loads, self.loads, self.every[at + 1 :]) is not None


def _name_blocks(columns: Sequence[Column]) -> list[str]:
    """One word a column; equal words are one block."""
    members: dict[str, dict[int, str]] = {}
    for column in columns:
        members.setdefault(column.config.group, {})[column.config.id] = column.config.name
    # A config may be alone where its name recurs in other groups: others were not tried on this workload.
    alone = [(group, name) for group, names in members.items() if len(names) < 2 for name in names.values()]
    if len(members) > max(1, len(alone)) and all(group and name.startswith(f"{group} · ") for group, name in alone):
        return [column.config.group for column in columns]
    requests = {column.method.path for column in columns}
    if len(requests) > 1 and None not in requests and len({_strip_request(column) for column in columns}) == 1:
        return [str(column.method.path) for column in columns]  # "GET /", "GET /users": named after nothing else
    crossed = _find_crossed_blocks(list(dict.fromkeys([column.config.name for column in columns])), columns)
    return [crossed.get(column.config.name, "") for column in columns]


def _strip_request(column: Column) -> frozenset[str]:
    """The words of a config's name without the request that it got, and the whole title where that is not in it."""
    # "index.php" and "api/users" as well, but "new" may be a config that has a folder of its name.
    path = re.sub(r"^/(?=.*[/.])", "/?", re.escape(column.method.path or ""))
    rest, n = re.subn(rf"(?:\b[A-Z]{{3,7}}\s+)?(?<![^\s`'\"(]){path}(?![^\s`'\"):,])", "", column.config.name)
    return frozenset(WORD.findall(rest)) if n else frozenset({column.title})


def _find_crossed_blocks(names: Sequence[str], columns: Sequence[Column]) -> dict[str, str]:
    """Name -> block, where the names are all pairs of two lists ("itk, a", "peruser, a", "itk, b", "peruser, b")."""
    for halves in _split_names(names):
        levels = [list(dict.fromkeys(half[side] for half in halves)) for side in (0, 1)]
        if min(map(len, levels)) < 2 or len(levels[0]) * len(levels[1]) != len(set(halves)):
            continue
        ways = [dict(zip(names, (half[side] for half in halves), strict=True)) for side in (1, 0)]
        if versions := [way for way, own in zip(ways, levels, strict=True) if all(map(VERSION.fullmatch, own))]:
            return versions[0]
        best, other = sorted(ways, key=lambda way: (_count_unlike(way, columns), not _are_grouped(list(way.values()))))
        if _are_grouped(list(best.values())) or _count_unlike(best, columns) < _count_unlike(other, columns):
            return best
    return {}


def _split_names(names: Sequence[str]) -> Iterator[list[tuple[str, str]]]:
    """The two halves of each name, at the first of a mark, the second and so on, as far as all have one."""
    for mark in BETWEEN:
        parts = [name.split(mark) for name in names]
        for at in range(1, min(map(len, parts), default=0)):
            yield [(mark.join(each[:at]), mark.join(each[at:])) for each in parts]


def _are_grouped(words: Sequence[str]) -> bool:
    """Whether equal words stand together, as the configs of one comparison do in a text."""
    runs = [word for word, _ in groupby(words)]
    return len(runs) == len(set(runs))


def _count_unlike(blocks: dict[str, str], columns: Sequence[Column]) -> int:
    """How many pairs inside a block were loaded in ways that do not agree."""
    loaded: dict[str, Counter[Method]] = defaultdict(Counter)
    for column in columns:
        loaded[blocks[column.config.name]][column.method] += 1
    pairs = chain.from_iterable(combinations(methods.items(), 2) for methods in loaded.values())
    return sum(n * its for (method, n), (other, its) in pairs if not method.agrees(other))


@dataclass(frozen=True, slots=True)
class Difference:
    """One property whose values are not the same in all columns; "" where a column does not tell."""

    name: str
    values: tuple[str, ...]


def _settle(columns: Sequence[Mapping[str, str]]) -> tuple[list[Difference], list[tuple[str, str]]]:
    """(properties that differ, [(name, value)] of those that are the same wherever they are known)."""
    differ, same = [], []
    for name in columns[0] if columns else ():
        values = tuple([column[name] for column in columns])
        known = set(values) - {""}
        if len(known) > 1:
            differ.append(Difference(name, values))
        elif known:
            same.append((name, known.pop()))
    return differ, same


def compare_columns(columns: Sequence[Column]) -> tuple[list[Difference], list[tuple[str, str]]]:
    """What the runs of each column tell of their method and server."""
    return _settle(list(map(_list_properties, columns)))


def _list_properties(column: Column) -> dict[str, str]:
    """{name: value} as in {"Host": "web1"}; values of several runs with commas between, "" where none is known."""
    how = column.method
    properties = {
        "Host": [run.host for run in column.runs],
        "Server": [run.server_software for run in column.runs],
        "Tool": [run.semantics.shown_as or run.tool for run in column.runs],
        "Command": [run.command for run in column.runs],
        "Path": [how.path or ""],
        "Concurrency": [str(how.concurrency or "")],
        "Keep-alive": ["" if how.keepalive is None else "on" if how.keepalive else "off"],
    }
    return {name: ", ".join(dict.fromkeys(filter(None, values))) for name, values in properties.items()}


def compare_hosts(hosts: Sequence[Mapping[str, object]]) -> tuple[list[Difference], list[tuple[str, str]]]:
    """`hosts` map the columns of a stored host; sizes are given in MiB."""
    return _settle([{name: _word_host_property(key, host.get(key)) for key, name in OF_HOST.items()} for host in hosts])


OF_HOST = {"name": "Name", "cpu_model": "CPU", "cores": "Cores", "mhz": "MHz", "ram_kb": "Memory", "swap_kb": "Swap"}
OF_HOST |= {"os": "System", "kernel": "Kernel"}


def _word_host_property(key: str, value: object) -> str:
    if key.endswith("_kb") and isinstance(value, int):
        return f"{figure(value / 1024)} MiB"
    return figure(value) if isinstance(value, (int, float)) else str(value or "")
