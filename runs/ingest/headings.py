"""Which heading names the set-up of each load test: the nearest one that names something, and the one above it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from parsers import Block
from parsers.transcript import width

from .words import is_aside, is_code, is_sentence, is_short, level, names_nothing, numbering, phase_of, plain

Head = tuple[int, str]  # (line, text)
_CUT = 60
_CAPTION = 5  # lines between a caption and the output below it at most: a fence, the command, empty ones


@dataclass(frozen=True, slots=True)
class Choice:
    """What names a load test's set-up.

    text, line   the heading and its line, "" and 0 where nothing does
    group        the heading above it
    sure         a heading, not a sentence
    inherited    this load test brought none; it is the heading of the one before
    """

    text: str = ""
    line: int = 0
    group: str = ""
    sure: bool = False
    inherited: bool = False


@dataclass(slots=True)
class _Near:
    """Lines that may name one load test: `own` above it, `monitors` and `texts` above such blocks before it.

    label       what stands before its figure in the same line
    caption     the last one of its own, where that is a plain line by itself and right above it
    """

    label: Head | None
    caption: Head | None
    own: list[Head]
    monitors: list[Head]
    texts: list[Head]

    @property
    def names(self) -> list[Head]:
        return sorted(_short(self.own) + _short(self.monitors) + _short(self.texts))

    @property
    def deep(self) -> list[Head]:
        return [head for head in self.names if level(head[1]) > 1]


def choose(
    blocks: Sequence[Block],
    loads: Sequence[int],
    texts: Collection[int],
    again: Mapping[int, int],
    method_of: Callable[[int], str],
) -> dict[int, Choice]:
    """{load: its choice}; a quote and what it quotes have the same. `again`: {quote: what it quotes}; `texts`: config texts."""
    near = _near(blocks, loads, texts)
    first = _nearest(near, again)
    firsts = _under(near, first, again, method_of)
    groups = _groups([head for block in blocks for head in block.trail])
    own = {i: _with_group(choice, groups) for i, choice in firsts.items()}
    quoting: dict[int, list[int]] = defaultdict(list)
    for load in loads:
        quoting[again.get(load, load)].append(load)
    resolved: dict[int, Choice] = {}
    before = Choice()
    for source in (load for load in loads if load not in again):
        found = [own[i] for i in sorted([source, *quoting[source]]) if own[i].text]
        choice = next((c for c in found if c.sure), found[0] if found else replace(before, inherited=True))
        resolved[source] = before = choice
    return {load: resolved.get(again.get(load, load), own[load]) for load in loads}


def _near(blocks: Sequence[Block], loads: Sequence[int], texts: Collection[int]) -> dict[int, _Near]:
    near: dict[int, _Near] = {}
    at = 0
    compared = _before_and_after([blocks[load].trail for load in loads])
    for load in loads:
        block = blocks[load]
        label = [(block.first, block.label)] if block.label else []
        own = [*_section(block.trail), *label]
        monitors = [head for i in range(at, load) if i not in texts for head in blocks[i].trail]
        above_texts = [head for i in range(at, load) if i in texts for head in blocks[i].trail]
        near[load] = _Near(
            next(iter(_short(_naming(label))), None),
            _caption(block),
            _naming(own, compared),
            _naming(monitors),
            _naming(above_texts),
        )
        at = load + 1
    return near


def _caption(block: Block) -> Head | None:
    lines = {line for line, _ in block.trail}
    named = _short(_naming(block.trail))[-1:]
    return next(
        (
            head
            for head in named
            if block.first - head[0] <= _CAPTION and not level(head[1]) and head[0] - 1 not in lines
        ),
        None,
    )


def _section(trail: Sequence[Head]) -> list[Head]:
    """The headings above a block, and of the lines that are none those behind the last one: others are of other sections."""
    last = next((line for line, text in reversed(trail) if level(text) > 1), 0)
    return [head for head in trail if head[0] >= last or level(head[1])]


def _naming(heads: Sequence[Head], compared: Collection[str] = ()) -> list[Head]:
    return [head for head in heads if (head[1] in compared or not names_nothing(head[1])) and not is_aside(head[1])]


def _before_and_after(trails: Sequence[Sequence[Head]]) -> set[str]:
    """The last lines above load tests, if some say "before" and others "after": of a change, for no load is before itself."""
    phases = {trail[-1][1]: phase_of(trail[-1][1]) for trail in trails if trail and is_short(trail[-1][1])}
    return {text for text, phase in phases.items() if phase} if {"before", "after"} <= set(phases.values()) else set()


def _short(heads: Sequence[Head]) -> list[Head]:
    return [head for head in heads if is_short(head[1]) and not is_sentence(head[1])]


def _nearest(near: Mapping[int, _Near], again: Mapping[int, int]) -> dict[int, Choice]:
    """Each load test's nearest heading, of those further up one that stands before no other."""
    sources: dict[str, set[int]] = defaultdict(set)
    for load, found in near.items():
        for _, text in found.names:
            sources[plain(text)].add(again.get(load, load))

    def alone(head: Head) -> bool:
        return len(sources[plain(head[1])]) == 1

    # "# cached" above a command is a heading or a comment, and code may be a caption or an aside; where nothing but such
    # a line names one test, such lines name the others.
    comments_name = any(_comments(found) and not found.deep for found in near.values())
    captions_name = any(found.caption and not found.deep for load, found in near.items() if load not in again)
    return {load: _pick(found, alone, comments_name, captions_name) for load, found in near.items()}


def _pick(found: _Near, alone: Callable[[Head], bool], comments_name: bool, captions_name: bool) -> Choice:
    if found.label:
        return Choice(found.label[1], found.label[0], sure=True)
    names, deep = found.names, found.deep
    if deep and comments_name:
        deep += [head for head in _comments(found) if head[0] > deep[-1][0]]
    if deep and captions_name and found.caption and found.caption[0] > deep[-1][0]:
        deep.append(found.caption)
    headings = (deep, _short(found.own), [head for head in _short(found.monitors) if alone(head)])
    above_texts = ([head for head in _short(found.texts) if alone(head)], names)
    said = [head for head in found.own + found.monitors if is_short(head[1])]
    for heads, sure in (*((h, True) for h in headings), (said, False), *((h, True) for h in above_texts)):
        if heads:
            line, text = heads[-1]
            return Choice(text, line, sure=sure)
    rest = found.texts + found.monitors + found.own
    return Choice(rest[-1][1], rest[-1][0]) if rest else Choice()


def _comments(found: _Near) -> list[Head]:
    return [head for head in found.own if level(head[1]) == 1 or is_code(head[1])]


def _under(
    near: Mapping[int, _Near],
    first: Mapping[int, Choice],
    again: Mapping[int, int],
    method_of: Callable[[int], str],
) -> dict[int, Choice]:
    """Where the same headings recur under others ("event", "worker" under "keep-alive off", "on"): with those above.

    Headings that only say what was asked ("front page", "search", each with a path of its own) name no set-up: then the
    ones above do.
    """
    loads = [load for load in first if load not in again]
    counts = Counter(plain(first[load].text) for load in loads if first[load].sure)
    recurring = {text for text, n in counts.items() if n > 1 and text}
    inner = [load for load in loads if plain(first[load].text) in recurring]
    above = {load: head for load in inner if (head := _above(near[load], first[load], counts))}
    if len(above) < 2 or any(level(head[1]) for head in above.values()):
        return dict(first)
    asked = _is_asked({load: plain(first[load].text) for load in inner}, method_of)
    under = dict(first)
    outer: Head | None = None
    for load in loads:
        outer = above.get(load, outer if load in inner else None)
        if outer and load in inner:
            choice = first[load]
            under[load] = Choice(outer[1], outer[0], sure=True) if asked else replace(choice, group=plain(outer[1]))
    return under


def _above(found: _Near, choice: Choice, counts: Mapping[str, int]) -> Head | None:
    """The name right above the chosen one, where no other load test is called so."""
    names = [head for head in found.names if head[0] < choice.line]
    return names[-1] if names and not counts.get(plain(names[-1][1])) else None


def _is_asked(inner: Mapping[int, str], method_of: Callable[[int], str]) -> bool:
    methods: dict[str, set[str]] = defaultdict(set)
    for load, text in inner.items():
        methods[text].add(method_of(load))
    return all(len(found) == 1 for found in methods.values()) and len(set.union(*methods.values())) == len(methods)


def _groups(heads: Sequence[Head]) -> dict[int, str]:
    """{line of a heading: the heading one level up}: "(1)" above "(1.1)", "#" above "##"."""
    groups: dict[int, str] = {}
    open_levels: dict[int, str] = {}
    numbered: dict[str, str] = {}
    for line, text in heads:
        number, depth = numbering(text), level(text)
        if "." in number and (over := numbered.get(number.rsplit(".", 1)[0])):
            groups[line] = over
        elif depth == 1 and names_nothing(text) and text.isascii() and not any(map(str.isdigit, text)):
            open_levels.clear()  # "# Results"
            continue
        elif depth == 1 and (names_nothing(text) or _is_remark(plain(text))):
            continue  # a comment among commands
        elif depth > 1 and (shallower := [d for d in open_levels if d < depth]):
            groups[line] = open_levels[max(shallower)]
        if number:
            numbered[number] = plain(text)
        if depth:
            open_levels = {d: t for d, t in open_levels.items() if d < depth} | {depth: plain(text)}
    return groups


def _is_remark(text: str) -> bool:
    return text[:1].islower() and text.count(" ") > 3


def _with_group(choice: Choice, groups: Mapping[int, str]) -> Choice:
    return replace(choice, group=choice.group or groups.get(choice.line, ""))


def shortened(text: str) -> str:
    """`text` as a name: of a long sentence its beginning."""
    bare = plain(text)
    if width(bare) <= 2 * _CUT:
        return bare
    cut = bare[:_CUT]
    return f"{cut[: cut.rfind(' ')] if ' ' in cut[20:] else cut}…"
