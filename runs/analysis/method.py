"""How a load was sent, which runs agree in it, and which runs are therefore repeats of each other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from parsers.records import Semantics

# Options of the load that have no field of their own in Method.
FURTHER = (
    *("threads", "connections", "repeats_each", "rate_each", "connection_rate", "delay_s", "protocol", "script"),
    *("url_file", "header", "generators", "body", "body_file", "cipher", "proxy", "content_type", "cookie"),
    *("accept", "user_agent", "scale", "request"),
)
# Those of them that say what was requested.
REQUESTED = frozenset({"script", "url_file", "body", "body_file", "request", "scale"})
NEAR = 1.02  # rates and durations within 2 % agree: some tools print what was measured, not what was set
MOST_CLIENTS = 10**9
MOST_METHODS = 100  # how many known methods one is compared with; beyond these only an equal one is found
FOLDERS = re.compile(r"(?<!\S)(?:~|\.{1,2})?/(?:[^\s/:]+/)*(?=[^\s/:]+\.\w{1,5}(?!\S))")  # before a file's name
Item = TypeVar("Item")


class Method(NamedTuple):
    """How a run was loaded. Runs of one config whose methods agree are repeats.

    None: the text does not say, which agrees with any value; further: (option, value) of what else the command sets
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
        """What is requested, as far as is known: a path, a script, a kind of transaction."""
        further = None if self.further is None else tuple(pair for pair in self.further if pair[0] in REQUESTED)
        return Method(path=self.path, further=further)

    def joined(self, other: Method) -> Method:
        """With the other's values where this one has none."""
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

    def list_others(self, other: Method) -> list[str]:
        """What this one has otherwise than the other, in words: "threads 8"."""
        own, its = self.words(), other.words()
        return [words.replace("_", " ") for name, words in own.items() if its.get(name, words) != words]


# A report that was shown from a file: "tail -f wrk.log", and not "cat urls.txt | vegeta attack".
_SHOWS_FILE = re.compile(r"\s*(?:sudo )?(?:tail|head|cat|zcat|less|more|bat|grep|egrep|sed|awk)\s[^|]*")


def tells_load(command: str) -> bool:
    """Whether a command says how the load was sent; one that shows a file with a report says nothing of it."""
    return bool(command) and not _SHOWS_FILE.fullmatch(command)


def drop_folders(value: Any) -> Any:
    """Names of files without where they are: "./post.lua" for "/home/a/post.lua". Addresses and headers have more than a path."""
    return FOLDERS.sub("", value) if isinstance(value, str) else value


def method_of(run: Any, options: Mapping[str, Any], semantics: Semantics, command: str) -> Method:
    """How a load was sent: as its command says and its tool prints. run: its figures as stored, as a fact, or as printed.

    options: see parsers.find_requested_load
    """
    command = command if tells_load(command) else ""
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


def read_method(run: Any) -> Method:
    """Of a RunFact."""
    return method_of(run, run.options, run.semantics, run.command)


def group_by_method(items: Iterable[Item], method_of_item: Callable[[Item], Method]) -> list[tuple[Method, list[Item]]]:
    """(what is known of their method, the items whose methods agree). An item joins the first group that it agrees with."""
    groups: list[tuple[Method, list[Item]]] = []
    number_of: dict[Method, int] = {}
    methods = [(method_of_item(item), item) for item in items]
    # Those that state most come first, so that one that states less joins them instead of beginning a group.
    for method, item in sorted(methods, key=lambda pair: pair[0].count(None)):
        if method not in number_of:
            numbered = enumerate(known for known, _ in groups[:MOST_METHODS])
            # The path alone decides most, and takes less time than `agrees`.
            alike = (n for n, known in numbered if None in (known.path, method.path) or known.path == method.path)
            number = number_of[method] = next((n for n in alike if groups[n][0].agrees(method)), len(groups))
            if number == len(groups):
                groups.append((method, []))
            known, group = groups[number]
            groups[number] = known.joined(method), group
        groups[number_of[method]][1].append(item)
    return groups


def split_unlike(
    items: Sequence[Item], level_of: Callable[[Item], object], method_of_item: Callable[[Item], Method]
) -> list[tuple[Item, Item]]:
    """(item, the one kept in its place) of those sent another load than others of their level: "-t 8" beside "-t 4".

    Kept is the load that most levels have, or else the first one. method_of_item: without what makes the level
    """
    groups = group_by_method(range(len(items)), lambda at: method_of_item(items[at]))
    ranked = sorted(groups, key=lambda group: (-len({level_of(items[at]) for at in group[1]}), min(group[1])))
    kept: dict[object, tuple[int, int]] = {}  # level: (number of the load, number of its first item)
    unlike: list[tuple[Item, Item]] = []
    for rank, (_, own) in enumerate(ranked):
        for at in sorted(own):
            its_rank, first = kept.setdefault(level_of(items[at]), (rank, at))
            unlike += [(items[at], items[first])] if its_rank != rank else []
    return unlike


class MethodIndex:
    """Numbered things, found by their methods."""

    def __init__(self, pairs: Iterable[tuple[Method, int]]) -> None:
        self.numbers: dict[Method, list[int]] = {}
        for method, number in pairs:
            self.numbers.setdefault(method, []).append(number)

    def find_first(self, method: Method, fits: Callable[[int], bool]) -> int | None:
        """The lowest number that fits and whose method agrees; see MOST_METHODS."""
        agreeing = {known for known in islice(self.numbers, MOST_METHODS) if known.agrees(method)}
        equal = {method} & self.numbers.keys()
        firsts = (next(filter(fits, self.numbers[known]), None) for known in agreeing | equal)
        return min((number for number in firsts if number is not None), default=None)
