"""Which config a load test belongs to, and what it is called: the document's own headings, else what the tool saw."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from parsers import Block, LoadResult
from parsers.transcript import width

from .draft import DraftConfig
from .words import is_sentence, is_short, level, names_nothing, numbering, plain

_COMPARES = re.compile(
    r"比較|負荷|ベンチマーク|性能|検証|\bvs\.?\b|\bversus\b|compar|benchmark|performance|\bload test|porówn|wydajno|speed"
    r"|vergleich",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"スペック|ハードウェア|ハードウエア|環境|hardware|\bspec|machine", re.IGNORECASE)
MAX_NAME = 200
MAX_TITLE = 90


class Namer:
    """The configs of one experiment, in the order in which the text first speaks of them.

    blocks     all blocks; loads: numbers of the load tests of this experiment; again: quotes {number: of which number}
    configs    what was found; label_line[n]: line of the heading that names the config of load n (0 if none does)
    """

    def __init__(self, blocks: Sequence[Block], loads: Sequence[int], again: Mapping[int, int], n_before: int) -> None:
        self.blocks = blocks
        self.again = again
        self.n_before = n_before
        self.configs: list[DraftConfig] = []
        self.label_line: dict[int, int] = {}
        self._by_identity: dict[tuple[str, ...], str] = {}
        self._config: dict[int, str] = {}
        self._labels: dict[str, str] = {}  # plain heading -> config key
        self._heads = _headings(blocks, loads)
        self._chosen: dict[int, tuple[str, int]] = {}
        for load in loads:
            self._chosen[load] = self._choose(load, loads)

    def see(self, load: int) -> None:
        """Take a load test in, in the order of the text: its config is made unless it is there. A quote names its source."""
        source = self.again.get(load, load)
        if source in self._config and source != load:
            return
        if source == load and load in self._config:
            return
        self._config[source] = self._key(load, source)

    def config_of(self, load: int) -> str:
        return self._config[self.again.get(load, load)]

    def config_named(self, heading: str | None) -> str:
        """Key of the config that this very heading names, or ""."""
        return self._labels.get(plain(heading or ""), "")

    def name_of(self, key: str) -> str:
        return next(config.name for config in self.configs if config.key == key)

    def result_of(self, load: int) -> LoadResult:
        return next(r for r in self.blocks[load].records if isinstance(r, LoadResult))

    def method_of(self, load: int) -> str:
        """What else distinguishes two runs of one config: they are repeats only where it is the same."""
        r = self.result_of(load)
        return f"{r.tool}|{r.concurrency}|{r.keepalive}|{r.path}|{r.complete_requests if r.tool == 'ab' else ''}"

    def _choose(self, load: int, loads: Sequence[int]) -> tuple[str, int]:
        """(heading that names the set-up, its line); the one of the load test before where this one brings no new one."""
        new = [(line, text) for line, text in self._heads[load] if not names_nothing(text)]
        if not new:
            place = loads.index(load)
            before = self._chosen.get(loads[place - 1]) if place else None
            return before or ("", 0)
        new = [head for head in new if level(head[1]) > 1] or self._telling(load, new)
        line, text = new[-1]
        if is_sentence(text) and not is_short(text):
            line, text = next(((n, t) for n, t in reversed(new) if is_short(t) and not is_sentence(t)), new[-1])
        return text, line

    def _telling(self, load: int, heads: list[tuple[int, str]]) -> list[tuple[int, str]]:
        """Without those that stand before other load tests too ("Virtual host:"), as long as some are left."""
        elsewhere = {plain(text) for other, found in self._heads.items() if other != load for _, text in found}
        return [head for head in heads if plain(head[1]) not in elsewhere] or heads

    def _key(self, load: int, source: int) -> str:
        heading, line = self._chosen[load]
        self.label_line[source] = line
        if source != load:
            self.label_line[source] = self._chosen[source][1]
        name, group = plain(heading)[:MAX_NAME], self._group(heading, line)
        software = self._software(source)
        identity: tuple[str, ...] = (name, group, software)
        if identity not in self._by_identity:
            twin = next((i for i in self._by_identity if i[:2] == identity[:2] and (not software or not i[2])), None)
            key = self._by_identity[twin] if twin else self._new(name, group, source)
            self._by_identity[identity] = key
            if name:
                self._labels.setdefault(name, key)
        return self._by_identity[identity]

    def _new(self, name: str, group: str, load: int) -> str:
        taken = {config.name for config in self.configs}
        shown = name or self._by_result(load)
        if shown in taken and group:
            shown = f"{group} · {shown}"
        if shown in taken:
            shown = f"{shown} · {self._by_result(load)}"
        base, number = shown, 2
        while shown in taken:
            shown, number = f"{base} ({number})", number + 1
        config = DraftConfig(key=f"c{self.n_before + len(self.configs) + 1}", name=shown[:MAX_NAME], group=group)
        self.configs.append(config)
        return config.key

    def _software(self, load: int) -> str:
        """What tells two servers under one heading apart."""
        r = self.result_of(load)
        return "|".join(str(x) for x in (r.server_software or "", r.hostname or "", r.port or "") if x)

    def _by_result(self, load: int) -> str:
        """A name out of what the tool printed, for a run that no heading names."""
        r = self.result_of(load)
        if r.server_software:
            same = {
                self.result_of(i).port for i in self._chosen if self.result_of(i).server_software == r.server_software
            }
            return f"{r.server_software} on port {r.port}" if len(same) > 1 and r.port else r.server_software
        if r.hostname:
            return f"{r.hostname}:{r.port}" if r.port else r.hostname
        url = re.search(r"(?:https?://)?([\w.-]+(?::\d+)?)/", self.blocks[load].command or "")
        return url[1] if url else f"{r.tool} at line {self.blocks[load].first}"

    def _group(self, heading: str, line: int) -> str:
        """The heading one level up: "(1)" above "(1.1)", "#" above "##"."""
        number, depth = numbering(heading), level(heading)
        above = [text for head, text in self._all if head < line]
        for text in reversed(above):
            if "." in number and numbering(text) == number.rsplit(".", 1)[0]:
                return plain(text)[:MAX_NAME]
            if depth > 1 and 0 < level(text) < depth:
                return plain(text)[:MAX_NAME]
        return ""

    @property
    def _all(self) -> list[tuple[int, str]]:
        return [head for block in self.blocks for head in block.trail]


def _headings(blocks: Sequence[Block], loads: Sequence[int]) -> dict[int, list[tuple[int, str]]]:
    """{load: prose since the load test before it}. Headings of the monitors in between are theirs, but count too."""
    found: dict[int, list[tuple[int, str]]] = {}
    at = 0
    for load in loads:
        found[load] = [head for block in blocks[at : load + 1] for head in block.trail]
        at = load + 1
    return found


def _ends(text: str) -> bool:
    """Whether a line ends as a sentence does; a title does not."""
    return text.rstrip().endswith((".", "。", "!", "?", "！", "？", "ます", "です", "ました"))


def experiment_name(blocks: Sequence[Block], part: range, configs: Sequence[DraftConfig]) -> str:
    """The document's title, where one of its first lines looks like one; else what is compared."""
    first = [text for _, text in blocks[part.start].trail] if part else []
    configs_named = {config.name for config in configs}
    titles = [
        text for text in first[:15] if width(text) <= MAX_TITLE and not _ends(text) and plain(text) not in configs_named
    ]
    chosen = next((t for t in titles if _COMPARES.search(t) and not _ASIDE.search(t)), None)
    if chosen is None and len(first) <= 3 and titles:
        chosen = titles[0]
    if chosen:
        return plain(chosen)[:MAX_NAME]
    names = [config.name for config in configs]
    if len(names) > 2:
        return f"{names[0]}, {names[1]} and {len(names) - 2} more"
    return " and ".join(names) or "Monitors"
