"""The configs of an experiment and their names: from the headings of the text, otherwise from what the tool printed.

A config's heading is the nearest one above the load test that names something; the heading one level up is its group.
Without headings, another server that answered or another text of the same config file makes another config.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from parsers import Block, parse_command, semantics_of
from parsers.transcript import width

from .draft import DraftConfig
from .heading_words import (
    find_numbering,
    find_phase,
    heading_level,
    is_aside,
    is_code,
    is_generic,
    is_sentence,
    is_short,
    strip_markup,
)
from .hosts import Server, find_server, merge_server, server_index

Heading = tuple[int, str]  # (line, text)
MAX_NAME = 200
_SHORT_NAME = 60
_MAX_CAPTION_DISTANCE = 5  # lines between a caption and the output below it: a fence, the command, empty ones


@dataclass(frozen=True, slots=True)
class Choice:
    """What names the config of a load test.

    text, line   the heading and its line, "" and 0 where there is none
    group        the heading above it
    is_heading   False for a sentence
    is_inherited the load test has none; it is the heading of the one before
    """

    text: str = ""
    line: int = 0
    group: str = ""
    is_heading: bool = False
    is_inherited: bool = False


@dataclass(slots=True)
class _Candidates:
    """Lines that may name one load test: `own` above it, `monitors` and `texts` above such blocks before it.

    label    what stands before its figure in the same line
    caption  the last one of its own, where that is a plain line by itself and right above it
    """

    label: Heading | None
    caption: Heading | None
    own: list[Heading]
    monitors: list[Heading]
    texts: list[Heading]

    @property
    def names(self) -> list[Heading]:
        return sorted(_names_among(self.own) + _names_among(self.monitors) + _names_among(self.texts))

    @property
    def comments(self) -> list[Heading]:
        return [heading for heading in self.own if heading_level(heading[1]) == 1 or is_code(heading[1])]


class ConfigNames:
    """The configs of one experiment, in the order in which the text first mentions them.

    blocks         all blocks; loads, texts: numbers of this experiment's load tests and config texts
    duplicates     {number of a block: number of the block that it quotes}
    n_before       number of configs of earlier experiments
    configs        the result, and their names by key
    results        {load: its first result}
    configs_by_heading  {heading: key of the config that exactly this heading names}
    heading_lines  {load: line of the heading that names its config, 0 if none does}
    """

    def __init__(
        self,
        blocks: Sequence[Block],
        loads: Sequence[int],
        texts: Sequence[int],
        duplicates: Mapping[int, int],
        n_before: int,
    ) -> None:
        self.blocks = blocks
        self.duplicates = duplicates
        self.n_before = n_before
        self.configs: list[DraftConfig] = []
        self.results = {load: blocks[load].load_results[0] for load in loads}
        self._choices = choose_headings(blocks, loads, set(texts), duplicates, self.method_of)
        self.heading_lines = {load: choice.line for load, choice in self._choices.items()}
        self._heading_of = {  # (heading, group)
            load: (shorten(choice.text)[:MAX_NAME] if choice.text else "", choice.group[:MAX_NAME])
            for load, choice in self._choices.items()
        }
        self._server_of = {load: find_server(result, blocks[load]) for load, result in self.results.items()}
        self.names: dict[str, str] = {}  # config key -> name
        self._taken: set[str] = set()
        self._n_numbered: Counter[str] = Counter()  # name -> how many have it with a number
        self.configs_by_heading: dict[str, str] = {}
        self._servers: dict[tuple[str, str], list[Server]] = defaultdict(list)  # by heading
        self._addresses: dict[str, set[tuple[str, int]]] = defaultdict(set)  # by server software
        self._config_of: dict[int, str] = {}
        self._assign(loads, [load for load in loads if load not in duplicates], texts)

    def _assign(self, loads: Sequence[int], sources: Sequence[int], texts: Sequence[int]) -> None:
        for load in sources:
            software, host, port = server = self._server_of[load]
            merge_server(self._servers[self._heading_of[load]], server)
            self._addresses[software].add((host, port))
        changed_texts = find_changed_texts(self.blocks, sources, texts, self._choices) if texts else {}
        keys: dict[tuple[object, ...], str] = {}
        for load in loads:
            source = self.duplicates.get(load, load)
            if source in self._config_of:
                continue
            heading = self._heading_of[source]
            n_server = server_index(self._servers[heading], self._server_of[source])
            identity = (heading, n_server, changed_texts.get(source, ()))
            if identity not in keys:
                keys[identity] = self._add_config(source)
            self._config_of[source] = keys[identity]

    def config_of(self, load: int) -> str:
        return self._config_of[self.duplicates.get(load, load)]

    def method_of(self, load: int) -> str:
        """What else two runs of one config must have in common to be repeats.

        A number of requests that is not round was not requested: the test had a time limit.
        """
        r = self.results[load]
        requests = None
        if semantics_of(r.tool).makes_all_requests:
            requests = parse_command(self.blocks[load].command or "", r.tool).options.get("requests")
            if requests is None and not (r.complete_requests or 0) % 10:
                requests = r.complete_requests
        return f"{r.tool}|{r.concurrency}|{r.keepalive}|{r.path}|{requests}"

    def _add_config(self, load: int) -> str:
        heading, group = self._heading_of[load]
        name = self._name_by_heading(load, heading) if heading else self._name_by_result(load)
        if name in self._taken and group:
            name = f"{group} · {name}"
        base, name = name[: MAX_NAME - 8], name[:MAX_NAME]
        while name in self._taken:
            self._n_numbered[base] += 1
            name = f"{base} ({self._n_numbered[base] + 1})"
        config = DraftConfig(key=f"c{self.n_before + len(self.configs) + 1}", name=name, group=group)
        self.configs.append(config)
        self.names[config.key] = name
        self._taken.add(name)
        if heading:
            self.configs_by_heading.setdefault(heading, config.key)
        return config.key

    def _name_by_heading(self, load: int, heading: str) -> str:
        """The heading, with the server where it stands above several. The text's title alone does not name them."""
        software = (self.results[load].server_software or "").lower()
        if len(self._servers[self._heading_of[load]]) < 2 or (software and software.split("/")[0] in heading.lower()):
            return heading
        trail = self.blocks[0].trail
        is_title = bool(trail) and trail[0][0] == self._choices[load].line
        return self._name_by_result(load) if is_title else f"{heading} · {self._name_by_result(load)}"

    def _name_by_result(self, load: int) -> str:
        software, host, port = self._server_of[load]
        address = f"{host}:{port}" if host and port else host
        if not software:
            return address or f"{self.results[load].tool} at line {self.blocks[load].first}"
        addresses = self._addresses[software]
        if len(addresses) == 1:
            return software
        if len({host for host, _ in addresses}) > 1 and address:
            return f"{software} on {address}"
        return f"{software} on port {port}" if len({port for _, port in addresses}) > 1 and port else software


def shorten(text: str) -> str:
    """`text` as a name: of a long sentence its beginning."""
    bare = strip_markup(text)
    if width(bare) <= 2 * _SHORT_NAME:
        return bare
    cut = bare[:_SHORT_NAME]
    return f"{cut[: cut.rfind(' ')] if ' ' in cut[20:] else cut}…"


def find_changed_texts(
    blocks: Sequence[Block], loads: Sequence[int], texts: Sequence[int], choices: Mapping[int, Choice]
) -> dict[int, tuple[tuple[str, str], ...]]:
    """{load: (path, text) of each file that was different at the last heading}, for loads without a heading."""
    versions: dict[str, list[tuple[int, str]]] = defaultdict(list)  # path -> (block number, text) in order
    for i in texts:
        if path := str(blocks[i].values.get("path") or ""):
            versions[path].append((i, str(blocks[i].values.get("text", ""))))
    changing = {path: shown for path, shown in versions.items() if len({text for _, text in shown}) > 1}
    changed: dict[int, tuple[tuple[str, str], ...]] = {}
    at_heading: dict[str, str] = {}
    for load in loads if changing else ():
        current = {path: _text_before(shown, load) for path, shown in changing.items()}
        if not at_heading or not choices[load].is_inherited:
            at_heading = current
        else:
            changed[load] = tuple((path, text) for path, text in sorted(current.items()) if text != at_heading[path])
    return changed


def _text_before(shown: Sequence[tuple[int, str]], load: int) -> str:
    """The text last shown before a load test, or else the first one."""
    place = bisect_left(shown, load, key=lambda each: each[0])
    return shown[max(place - 1, 0)][1]


# --- the heading of each load test -------------------------------------------------------------------------------------


def choose_headings(
    blocks: Sequence[Block],
    loads: Sequence[int],
    texts: Collection[int],
    duplicates: Mapping[int, int],
    method_of: Callable[[int], str],
) -> dict[int, Choice]:
    """{load: its choice}; a quote and what it quotes have the same."""
    if not any(block.trail or block.label for block in blocks):
        return dict.fromkeys(loads, Choice(is_inherited=True))
    candidates = _collect_candidates(blocks, loads, texts)
    nearest = _choose_nearest(candidates, duplicates)
    choices = _replace_recurring(candidates, nearest, duplicates, method_of)
    groups = _find_groups([heading for block in blocks for heading in block.trail])
    own = {i: replace(choice, group=choice.group or groups.get(choice.line, "")) for i, choice in choices.items()}
    quotes: dict[int, list[int]] = defaultdict(list)
    for load in loads:
        quotes[duplicates.get(load, load)].append(load)
    resolved: dict[int, Choice] = {}
    previous = Choice()
    for source in (load for load in loads if load not in duplicates):
        named = [own[i] for i in sorted({source, *quotes[source]}) if own[i].text]
        choice = next((c for c in named if c.is_heading), named[0] if named else replace(previous, is_inherited=True))
        resolved[source] = previous = choice
    return {load: resolved.get(duplicates.get(load, load), own[load]) for load in loads}


def _collect_candidates(
    blocks: Sequence[Block], loads: Sequence[int], texts: Collection[int]
) -> dict[int, _Candidates]:
    candidates: dict[int, _Candidates] = {}
    begin = 0
    compared = _find_before_and_after([blocks[load].trail for load in loads])
    for load in loads:
        block = blocks[load]
        label = [(block.first, block.label)] if block.label else []
        monitors = [heading for i in range(begin, load) if i not in texts for heading in blocks[i].trail]
        above_texts = [heading for i in range(begin, load) if i in texts for heading in blocks[i].trail]
        candidates[load] = _Candidates(
            label=next(iter(_names_among(_naming(label))), None),
            caption=_find_caption(block),
            own=_naming([*_headings_of_section(block.trail), *label], compared),
            monitors=_naming(monitors),
            texts=_naming(above_texts),
        )
        begin = load + 1
    return candidates


def _find_caption(block: Block) -> Heading | None:
    lines = {line for line, _ in block.trail}
    for line, text in _names_among(_naming(block.trail))[-1:]:
        if block.first - line <= _MAX_CAPTION_DISTANCE and not heading_level(text) and line - 1 not in lines:
            return line, text
    return None


def _headings_of_section(trail: Sequence[Heading]) -> list[Heading]:
    """The headings above a block, and of the other lines those behind the last heading: the rest are of other sections."""
    last = next((line for line, text in reversed(trail) if heading_level(text) > 1), 0)
    return [heading for heading in trail if heading[0] >= last or heading_level(heading[1])]


def _naming(headings: Sequence[Heading], compared: Collection[str] = ()) -> list[Heading]:
    return [h for h in headings if (h[1] in compared or not is_generic(h[1])) and not is_aside(h[1])]


def _names_among(headings: Sequence[Heading]) -> list[Heading]:
    return [heading for heading in headings if is_short(heading[1]) and not is_sentence(heading[1])]


def _find_before_and_after(trails: Sequence[Sequence[Heading]]) -> set[str]:
    """The last lines above load tests, where some say "before" and others "after": that is, before and after a change."""
    phases = {trail[-1][1]: find_phase(trail[-1][1]) for trail in trails if trail and is_short(trail[-1][1])}
    return {text for text, phase in phases.items() if phase} if {"before", "after"} <= set(phases.values()) else set()


def _choose_nearest(candidates: Mapping[int, _Candidates], duplicates: Mapping[int, int]) -> dict[int, Choice]:
    """Each load test's nearest heading. One further up counts only if it stands before no other load test."""
    sources: dict[str, set[int]] = defaultdict(set)
    for load, found in candidates.items():
        for _, text in found.names:
            sources[strip_markup(text)].add(duplicates.get(load, load))

    def is_unique(heading: Heading) -> bool:
        return len(sources[strip_markup(heading[1])]) == 1

    # "# cached" above a command is a heading or a comment, and code may be a caption or an aside. Where only such a line
    # names one of the tests, such lines name the others.
    lacking = {load: found for load, found in candidates.items() if not _subheadings(found)}
    comments_name = any(found.comments for found in lacking.values())
    captions_name = any(found.caption for load, found in lacking.items() if load not in duplicates)
    return {load: _choose(found, is_unique, comments_name, captions_name) for load, found in candidates.items()}


def _subheadings(found: _Candidates) -> list[Heading]:
    return [heading for heading in found.names if heading_level(heading[1]) > 1]


def _choose(
    found: _Candidates, is_unique: Callable[[Heading], bool], comments_name: bool, captions_name: bool
) -> Choice:
    if found.label:
        return Choice(found.label[1], found.label[0], is_heading=True)
    subheadings = _subheadings(found)
    if subheadings and comments_name:
        subheadings += [heading for heading in found.comments if heading[0] > subheadings[-1][0]]
    if subheadings and captions_name and found.caption and found.caption[0] > subheadings[-1][0]:
        subheadings.append(found.caption)
    unique_of_monitors = [heading for heading in _names_among(found.monitors) if is_unique(heading)]
    unique_of_texts = [heading for heading in _names_among(found.texts) if is_unique(heading)]
    sentences = [heading for heading in found.own + found.monitors if is_short(heading[1])]
    for headings, is_heading in (
        (subheadings, True),
        (_names_among(found.own), True),
        (unique_of_monitors, True),
        (sentences, False),
        (unique_of_texts, True),
        (found.names, True),
        (found.texts + found.monitors + found.own, False),
    ):
        if headings:
            line, text = headings[-1]
            return Choice(text, line, is_heading=is_heading)
    return Choice()


def _replace_recurring(
    candidates: Mapping[int, _Candidates],
    nearest: Mapping[int, Choice],
    duplicates: Mapping[int, int],
    method_of: Callable[[int], str],
) -> dict[int, Choice]:
    """Where the same headings recur under others ("event", "worker" under "keep-alive off", "on"): with those as groups.

    Headings that only name what was requested ("front page", "search", each with a path of its own) name no config: then
    the ones above do.
    """
    loads = [load for load in nearest if load not in duplicates]
    counts = Counter(strip_markup(nearest[load].text) for load in loads if nearest[load].is_heading)
    recurring = {text for text, n in counts.items() if n > 1 and text}
    inner = {load: text for load in loads if (text := strip_markup(nearest[load].text)) in recurring}
    above = {load: h for load in inner if (h := _heading_above(candidates[load], nearest[load], counts))}
    if len(above) < 2 or any(heading_level(heading[1]) for heading in above.values()):
        return dict(nearest)
    name_requests = _name_requests(inner, method_of)
    choices = dict(nearest)
    outer: Heading | None = None
    for load in loads:
        outer = above.get(load, outer if load in inner else None)
        if outer and load in inner:
            grouped = replace(nearest[load], group=strip_markup(outer[1]))
            choices[load] = Choice(outer[1], outer[0], is_heading=True) if name_requests else grouped
    return choices


def _heading_above(found: _Candidates, choice: Choice, counts: Mapping[str, int]) -> Heading | None:
    """The name right above the chosen one, where no other load test has it as its own."""
    names = [heading for heading in found.names if heading[0] < choice.line]
    return names[-1] if names and not counts.get(strip_markup(names[-1][1])) else None


def _name_requests(inner: Mapping[int, str], method_of: Callable[[int], str]) -> bool:
    """Whether each heading stands for one method of measuring."""
    methods: dict[str, set[str]] = defaultdict(set)
    for load, text in inner.items():
        methods[text].add(method_of(load))
    return all(len(each) == 1 for each in methods.values()) and len(set.union(*methods.values())) == len(methods)


def _find_groups(headings: Sequence[Heading]) -> dict[int, str]:
    """{line of a heading: the heading one level up}: "(1)" above "(1.1)", "#" above "##"."""
    groups: dict[int, str] = {}
    by_level: dict[int, str] = {}
    by_number: dict[str, str] = {}
    for line, text in headings:
        number, level, bare = find_numbering(text), heading_level(text), strip_markup(text)
        if "." in number and (parent := by_number.get(number.rsplit(".", 1)[0])):
            groups[line] = parent
        elif level == 1 and is_generic(text) and text.isascii() and not any(map(str.isdigit, text)):
            by_level.clear()  # "# Results"
            continue
        elif level == 1 and (is_generic(text) or (bare[:1].islower() and bare.count(" ") > 3)):
            continue  # a comment among commands
        elif level > 1 and (shallower := [d for d in by_level if d < level]):
            groups[line] = by_level[max(shallower)]
        if number:
            by_number[number] = bare
        if level:
            by_level = {d: t for d, t in by_level.items() if d < level} | {level: bare}
    return groups
