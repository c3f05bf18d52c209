"""Which columns a comparison has, which column each one is judged against, and what differs between them and their hosts."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, count, groupby, islice, product
from operator import attrgetter
from os.path import commonprefix
from typing import Any, NamedTuple, TypeVar

from runs.analysis.facts import ConfigFact, RunFact
from runs.numbers import figure

# Terms of the load that was asked for that have no field of their own in Method.
FURTHER = (
    *("threads", "connections", "repeats_each", "rate_each", "connection_rate", "delay_s", "protocol", "script"),
    *("url_file", "header", "generators", "body", "body_file", "cipher", "proxy", "content_type", "cookie"),
    *("accept", "user_agent", "scale", "request"),
)
NEAR = 1.02  # set rates and durations this near are the same: some tools print what came of them
REQUESTED = frozenset(
    {"script", "url_file", "body", "body_file", "request"}
)  # of these, those that say what was asked for
MOST_CLIENTS = 10**9
MOST_METHODS = 100  # of one config, that others are compared with; beyond them only equal ones are one
FOLDERS = re.compile(r"(?<!\S)(?:~|\.{1,2})?/(?:[^\s/:]+/)*(?=[^\s/:]+\.\w{1,5}(?!\S))")  # of a file
WORD = re.compile(r"[^\W_][\w.+-]*")
Item = TypeVar("Item")


class Method(NamedTuple):
    """How a run was loaded: runs of one config whose methods agree are repeats. None: the text does not say, which agrees
    with any value. `further`: (term, value) of what else the command sets.
    """

    tool: str | None = None
    requests: int | None = None
    duration_s: float | None = None
    concurrency: int | None = None
    rate: float | None = None
    keepalive: bool | None = None
    pipelining: int | None = None
    method: str | None = None
    path: str | None = None
    further: tuple[tuple[str, object], ...] | None = None

    def agrees(self, other: Method) -> bool:
        for own, its in zip(self, other, strict=True):
            if own is None or its is None or own == its:
                continue
            if not (isinstance(own, float) and isinstance(its, float) and max(own, its) <= NEAR * min(own, its)):
                return False
        return True

    @property
    def request(self) -> Method:
        """What is asked for, as far as is known: a path, a script, a kind of transaction."""
        told = None if self.further is None else tuple(pair for pair in self.further if pair[0] in REQUESTED)
        return Method(path=self.path, further=told)

    def joined(self, other: Method) -> Method:
        return Method(*(b if a is None else a for a, b in zip(self, other, strict=True)))  # type: ignore[arg-type]

    def words(self) -> dict[str, str]:
        """Each part as the command line writes it, by name; GET and no pipelining go without saying."""
        parts = {
            "tool": self.tool,
            "requests": None if self.requests is None else f"-n {self.requests}",
            "duration_s": None if self.duration_s is None else f"{self.duration_s:g} s",
            "concurrency": None if self.concurrency is None else f"-c {self.concurrency}",
            "rate": f"{self.rate:g} requests/s" if self.rate else None,
            "keepalive": None if self.keepalive is None else f"{'' if self.keepalive else 'no '}keep-alive",
            "pipelining": None if self.pipelining in (None, 1) else f"pipelining {self.pipelining}",
            "method": None if self.method == "GET" else self.method,
            "path": self.path,
            **{name: f"{name.removesuffix('_s')} {value}" for name, value in self.further or ()},
        }
        return {name: words for name, words in parts.items() if words}


@dataclass(frozen=True, slots=True)
class Column:
    """A config, or a config under one method. `color` counts configs from 0 and is the same all over a page.

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


def drop_folders(value: Any) -> Any:
    """Names of files without where they are: "./post.lua" for "/home/a/post.lua". Addresses and headers have more than a path."""
    return FOLDERS.sub("", value) if isinstance(value, str) else value


def read_method(run: RunFact) -> Method:
    return method_of(run, run.options, run.semantics, run.command)


def method_of(run: Any, options: Mapping[str, Any], semantics: Any, command: str) -> Method:
    """How a load was sent: as its command says and its tool prints. run: its figures as stored, as a fact, or as printed.

    options: see parsers.find_asked_load; semantics: a Semantics.
    """
    requests, duration_s, concurrency = (options.get(term) for term in ("requests", "duration_s", "concurrency"))
    if requests is None and duration_s is None and semantics.makes_all_requests and run.complete_requests:
        # Others than round numbers, of at most two digits that are not 0, come about under a time limit.
        requests = run.complete_requests if len(str(run.complete_requests).rstrip("0")) <= 2 else None
    if concurrency is None and semantics.concurrency == "asked" and (run.concurrency or MOST_CLIENTS) < MOST_CLIENTS:
        concurrency = int(run.concurrency or 0)
    is_plain = bool(command) and "script" not in options
    further = tuple((term, drop_folders(options[term])) for term in FURTHER if options.get(term))
    return Method(
        tool=run.tool,
        requests=requests,
        duration_s=None if duration_s is None else float(duration_s),
        concurrency=semantics.default_concurrency if concurrency is None and command else concurrency,
        # A command that sets none of a closed loop has the tool send as fast as it can.
        rate=float(options.get("rate") or 0) if options.get("rate") or (is_plain and not semantics.open_loop) else None,
        keepalive=options.get("keepalive") if run.keepalive is None else run.keepalive,
        pipelining=options.get("pipelining") or (1 if is_plain else None),
        method=options.get("method") or ("GET" if is_plain else None),
        path=run.path or options.get("path") or None,
        further=further or (() if command else None),
    )


def build_columns(configs: Sequence[ConfigFact], runs: Sequence[RunFact]) -> list[Column]:
    """One column for each config in the order given, or several where its runs' methods do not agree.

    A config without counted runs keeps a column: its captures may still tell something.
    """
    columns: list[Column] = []
    counted: dict[int, list[RunFact]] = {}
    for run in runs:
        counted.setdefault(run.config, []).extend([run] * run.counted)
    for color, config in enumerate(configs):
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
    last = len(commonprefix([each[first:][::-1] for each in words]))
    for end in (last, 0):
        cut = ["".join(each[first : len(each) - end]).strip(" ,;:·|/+-–—") for each in words]
        cut = [PARTICLE.sub("", short) for short in cut] if first else cut
        if all(SAYS_WHAT.match(short) and short.count("(") == short.count(")") for short in cut):
            return cut
    return list(names)


def group_by_method(items: Iterable[Item], method_of_item: Callable[[Item], Method]) -> list[tuple[Method, list[Item]]]:
    """The items whose methods agree, with what is known of their method. One that says little joins the first it agrees with."""
    groups: list[tuple[Method, list[Item]]] = []
    joined: dict[Method, int] = {}
    # The fullest method first, so that a partial run joins one that it agrees with.
    methods = [(method_of_item(item), item) for item in items]
    for method, item in sorted(methods, key=lambda pair: pair[0].count(None)):
        at = joined.get(method)
        if at is None:
            paths = (None, method.path)  # of most runs another one was asked for
            alike = (
                i
                for i, (known, _) in enumerate(groups[:MOST_METHODS])
                if (method.path is None or known.path in paths) and known.agrees(method)
            )
            at = next(alike, len(groups))
        known, group = groups[at] if at < len(groups) else (method, [])
        group.append(item)
        groups[at : at + 1] = [(known.joined(method), group)]
        joined[method] = at
    return groups


def _drop_repeated_words(columns: Sequence[Column]) -> list[Column]:
    """`split` names only what differs between the columns of one config."""
    named: list[Column] = []
    for _, group in groupby(columns, key=attrgetter("config.id")):
        peers = list(group)
        words = [column.method.words() for column in peers]
        told = {name for each in words for name in each}
        differing = {name for name in told if len({each.get(name) for each in words}) > 1}
        if len({column.method.path for column in peers}) == len(peers):
            differing -= REQUESTED  # what ran is named already
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
        sound = _Sound(columns, loads, [at for at in block if at not in without] or block[:1])
        for at in block:
            bases[at] = sound.find_base(at)
    return tuple(bases)


def _read_loads(columns: Sequence[Column]) -> list[Method]:
    """How each column was loaded, without what sets the configs apart.

    Where one config was tried without keep-alive and one with it, at several levels each, keep-alive is what is compared.
    """
    loads = [list(column.method) for column in columns]
    for place in range(len(Method._fields)):
        by_config: dict[int, set[object]] = {}
        for column in columns:
            by_config.setdefault(column.config.id, set()).add(column.method[place])
        if len(set().union(*by_config.values())) > 1 and max(map(len, by_config.values())) == 1:
            for load in loads:
                load[place] = None
    return [Method(*load) for load in loads]  # type: ignore[arg-type]


class _Sound:
    """The columns of a block that others may stand against, by how they were loaded."""

    def __init__(self, columns: Sequence[Column], loads: Sequence[Method], ats: Sequence[int]) -> None:
        self.columns, self.loads = columns, loads
        self.first, self.ats = ats[0], frozenset(ats)
        self.by_method = _group_equal((columns[at].method, at) for at in ats)
        self.by_load = _group_equal((loads[at], at) for at in ats)
        base, own = columns[self.first].config.id, defaultdict[int, list[int]](list)
        for at in ats:
            own[columns[at].config.id].append(at)
        self.own = {each: _group_equal((columns[at].method.request, at) for at in own[each]) for each in own}
        others = (at for at in ats if columns[at].config.id != base)
        self.unlike = _group_equal((loads[at], at) for at in others if not loads[at].agrees(loads[self.first]))

    def find_base(self, at: int) -> int:
        """The first of another config and the same load; else the block's first, whatever its load.

        Rates of unlike requests are no measure of each other: where one config got several, each stands by itself.
        """
        if at == self.first:
            return at
        column = self.columns[at]

        def is_other(other: int) -> bool:
            return other < at and self.columns[other].config.id != column.config.id

        found = _find_agreeing(self.by_method, column.method, is_other)
        if found is None:  # without what sets the configs apart
            found = _find_agreeing(self.by_load, self.loads[at], is_other)
        if found is not None:
            return found
        own = self.own.get(column.config.id, {})
        first = min((ats[0] for ats in own.values()), default=at)
        alike = _find_agreeing(own, column.method.request, lambda other: other < at)
        if first < at and alike != first:
            return at if alike is None else alike
        return at if self._is_further_baseline(at) else self.first

    def _is_further_baseline(self, at: int) -> bool:
        """Whether this column is the baseline config under another load, which a later config was tried with too."""
        if at not in self.ats or self.columns[at].config.id != self.columns[self.first].config.id:
            return False
        return _find_agreeing(self.unlike, self.loads[at], lambda other: other > at) is not None


def _group_equal(pairs: Iterable[tuple[Method, int]]) -> dict[Method, list[int]]:
    """Equal methods, each with its columns."""
    groups: dict[Method, list[int]] = {}
    for method, at in pairs:
        groups.setdefault(method, []).append(at)
    return groups


def _find_agreeing(groups: Mapping[Method, Sequence[int]], method: Method, fits: Callable[[int], bool]) -> int | None:
    """The first column that fits and whose method agrees; see MOST_METHODS."""
    alike = {known for known in islice(groups, MOST_METHODS) if known.agrees(method)} | ({method} & groups.keys())
    firsts = (next(filter(fits, groups[known]), None) for known in alike)
    return min((at for at in firsts if at is not None), default=None)


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
        best, other = sorted(ways, key=lambda way: (_count_unlike(way, columns), not _is_tidy(list(way.values()))))
        if _is_tidy(list(best.values())) or _count_unlike(best, columns) < _count_unlike(other, columns):
            return best
    return {}


def _split_names(names: Sequence[str]) -> Iterator[list[tuple[str, str]]]:
    """The two halves of each name, at the first of a mark, the second and so on, as far as all have one."""
    for mark in BETWEEN:
        parts = [name.split(mark) for name in names]
        for at in range(1, min(map(len, parts), default=0)):
            yield [(mark.join(each[:at]), mark.join(each[at:])) for each in parts]


def _is_tidy(words: Sequence[str]) -> bool:
    """Whether equal words stand together, as the configs of one comparison do in a text."""
    runs = [word for word, _ in groupby(words)]
    return len(runs) == len(set(runs))


def _count_unlike(blocks: dict[str, str], columns: Sequence[Column]) -> int:
    """How many pairs inside a block were loaded in ways that do not agree."""
    loaded: dict[str, Counter[Method]] = defaultdict(Counter)
    for column in columns:
        loaded[blocks[column.config.name]][column.method] += 1
    pairs = chain.from_iterable(combinations(methods.items(), 2) for methods in loaded.values())
    return sum(n * its for (one, n), (other, its) in pairs if not one.agrees(other))


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
    found = {
        "Host": [run.host for run in column.runs],
        "Server": [run.server_software for run in column.runs],
        "Tool": [run.semantics.shown_as or run.tool for run in column.runs],
        "Command": [run.command for run in column.runs],
        "Path": [how.path or ""],
        "Concurrency": [str(how.concurrency or "")],
        "Keep-alive": ["" if how.keepalive is None else "on" if how.keepalive else "off"],
    }
    return {name: ", ".join(dict.fromkeys(filter(None, values))) for name, values in found.items()}


def compare_hosts(hosts: Sequence[Mapping[str, object]]) -> tuple[list[Difference], list[tuple[str, str]]]:
    """`hosts` map the columns of a stored host; sizes are given in MiB."""
    return _settle([{name: _word_host_property(key, host.get(key)) for key, name in OF_HOST.items()} for host in hosts])


OF_HOST = {"name": "Name", "cpu_model": "CPU", "cores": "Cores", "mhz": "MHz", "ram_kb": "Memory", "swap_kb": "Swap"}
OF_HOST |= {"os": "System", "kernel": "Kernel"}


def _word_host_property(key: str, value: object) -> str:
    if key.endswith("_kb") and isinstance(value, int):
        return f"{figure(value / 1024)} MiB"
    return figure(value) if isinstance(value, (int, float)) else str(value or "")
