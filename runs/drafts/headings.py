"""The heading of each load test that names its config: the nearest one above that names something, and the heading above that."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from parsers.blocks import Block
from parsers.catalogue import get_semantics
from runs.analysis.method import Method

from .boilerplate import (
    find_listed,
    find_printed,
    fold_name,
    heading_level,
    is_code,
    is_file,
    join_wrapped,
    list_lines_above,
    list_sections,
    strip_markup,
)
from .heading_groups import (
    Heading,
    HeadingChoice,
    drop_named_groups,
    drop_outer_groups,
    find_compared,
    find_counts,
    find_fixed_settings,
    find_groups,
    find_machines,
    find_sections,
    find_things,
    find_tool_names,
    may_name,
    swap_crossed,
)
from .heading_words import (
    DESCRIBES_HOST,
    cut_repeat,
    find_phase,
    find_repeat,
    is_generic,
    is_sentence,
    is_short,
    names_software,
    only_counts,
    speaks,
    split_repeat,
)
from .names import drop_numbering, find_levels, find_steps
from .ordinals import RUN
from .settings import lists_settings, name_numbered_sections
from .stated_hosts import find_only_host

_REMARKED_REPEAT = re.compile(
    r"\W*(?:first|1st|run|test|#)\W?(?:run|time|test|1)?\s*[(（][^()（）]+[)）]\W*", re.IGNORECASE
)
_ASIDE = re.compile(r"\([^()]+\)")  # "(Rust 1.21.0)" below "# hyper"
_INITIAL = re.compile(rf"\W*initial {RUN}\W*", re.IGNORECASE)
_SITE_LINK = re.compile(r"\[[^\]\[]*\w[^\]\[]*\]\(https?://[^()\s]+\)")
_ONE_NUMBER = re.compile(r"\d+")
_COUNTED_SECTION = re.compile(  # its settings say more, where they are told
    r"(?:benchmark|scenario|case|experiment|config(?:uration)?|set-?up|variant|option)\W{0,3}\d{1,2}", re.IGNORECASE
)
_NUMBER = re.compile(r"(?<![\d.])\d{3,9}")
_SHORTEST_SPOKEN = 3  # letters of a name within a line
_LEAST_RATE = 100  # a rate that no version, port or number of clients happens to be
_MAX_CAPTION_DISTANCE = 5  # lines between a caption and the output below it: a fence, the command, empty ones
_OUTPUT = re.compile(  # folded
    r"(?:raw|full|console|terminal|command|shell)?(?:logs?|outputs?)|console|terminal|shell|stdout|stdoutput|transcript|dump"
    r"|ausgabe|konsole|sortie|salida|saída|wyjście|вывод"
)


@dataclass(slots=True)
class _Candidates:
    """Lines that may name one load test: `own` above it, `monitors` and `texts` above such blocks before it.

    label    what stands before its figure in the same line
    links    lines above it that are a link to another site: with no other name, "[axum = 0.8.1](https://docs.rs/axum)" is one
    caption  the last one of its own, where that is a plain line by itself and right above it
    """

    label: Heading | None
    caption: Heading | None
    own: list[Heading]
    monitors: list[Heading]
    texts: list[Heading]
    links: list[Heading]
    names: list[Heading] = field(init=False)

    def __post_init__(self) -> None:
        self.names = sorted(_names_among([*self.own, *self.monitors, *self.texts]))

    @property
    def comments(self) -> list[Heading]:
        return [heading for heading in self.own if heading_level(heading[1]) == 1 or is_code(heading[1])]


def choose_headings(
    blocks: Sequence[Block],
    loads: Sequence[int],
    texts: Collection[int],
    duplicates: Mapping[int, int],
    method_of: Callable[[int], Method],
    warm_ups: Collection[int],
) -> dict[int, HeadingChoice]:
    """{load: its choice}; a quote and what it quotes have the same. A warm-up without a name has that of the run that follows."""
    levels = _find_levels(blocks, loads, method_of)
    named = (
        (load, [text for _, text in blocks[load].trail if may_name(text)]) for load in loads if load not in duplicates
    )
    levels |= find_steps([(texts[-1] if texts else "", method_of(load)) for load, texts in named])
    candidates = _collect_candidates(_drop_asides(blocks), loads, texts, levels)
    nearest = _prefer_files(candidates, _choose_at_one_level(candidates, _choose_nearest(candidates, duplicates)))
    choices = _replace_recurring(candidates, _rise_above_outputs(candidates, nearest, duplicates), duplicates)
    groups, sections = find_groups(blocks, levels), find_sections(blocks, choices, duplicates, levels)
    own = {
        i: choice.within(sections.get(choice.line) or choice.group or groups.get(choice.line, ""))
        for i, choice in choices.items()
    }
    own = drop_outer_groups(drop_named_groups(own, duplicates), blocks, groups)
    sources = [load for load in loads if load not in duplicates]
    own = swap_crossed(own, sources, method_of)
    quotes: dict[int, list[int]] = defaultdict(list)
    for load in loads:
        quotes[duplicates.get(load, load)].append(load)
    measured = _find_measured(sources, warm_ups)
    by_source = {source: (*sorted({source, *quotes[source]}), measured[source]) for source in sources}
    resolved = _choose_for_sources(blocks, {source: [own[i] for i in each] for source, each in by_source.items()})
    plain = drop_numbering({group: group for choice in resolved.values() if (group := choice.group)})
    resolved = {load: choice.within(plain.get(choice.group, "")) for load, choice in resolved.items()}
    resolved |= _name_by_sections(blocks, resolved)
    return {load: resolved.get(duplicates.get(load, load), own[load]) for load in loads}


def _drop_asides(blocks: Sequence[Block]) -> Sequence[Block]:
    """The blocks without "(Rust 1.21.0)" right below "# hyper", if each such line has a title above it that names something."""
    asides = set()
    for block in blocks:
        for above, heading in pairwise([(0, ""), *block.trail]):
            if _ASIDE.fullmatch(heading[1]):
                if not (heading_level(above[1]) and may_name(above[1])):
                    return blocks
                asides.add(heading)
    return [replace(block, trail=[h for h in block.trail if h not in asides]) for block in blocks] if asides else blocks


def _name_by_sections(blocks: Sequence[Block], choices: Mapping[int, HeadingChoice]) -> dict[int, HeadingChoice]:
    """The choices below headings of only a number, where what was set there differs: that, else it as the group of the names."""
    sections = name_numbered_sections([block.trail for block in blocks], choices.keys(), heading_level, _is_numbered)
    names: dict[Heading, set[str]] = defaultdict(set)
    for load, (heading, _) in sections.items():
        text = choices[load].text
        names[heading].add("" if only_counts(text) or _is_numbered(text) or lists_settings(text) else text)
    is_alone = len({*map(frozenset, names.values())}) == 1 == len(next(iter(names.values())))
    return {
        load: HeadingChoice(name, heading[0], is_heading=True) if is_alone else choices[load].within(strip_markup(name))
        for load, (heading, name) in sections.items()
    }


def _is_numbered(text: str) -> bool:
    """Whether a heading is only that of one section ("Test 2", "Benchmark #2"); "Test 6 and Test 7" is of two."""
    is_counted = only_counts(text) or _COUNTED_SECTION.fullmatch(strip_markup(text))
    return bool(is_counted) and len(_ONE_NUMBER.findall(text)) == 1


def _find_levels(blocks: Sequence[Block], loads: Sequence[int], method_of: Callable[[int], Method]) -> set[str]:
    """The headings that tell a load or a request, so that they name no config."""
    levels = find_levels(((blocks[load].trail, method_of(load)) for load in loads), may_name)
    requests = {request for load in loads if (request := blocks[load].values.get("told_request"))}
    if not requests:
        return levels
    return levels | {text for load in loads for _, text in blocks[load].trail if cut_repeat(text) in requests}


def _find_measured(sources: Sequence[int], warm_ups: Collection[int]) -> dict[int, int]:
    """{load test: itself, or of a warm-up the load test that it is for}, the last one first."""
    measured: dict[int, int] = {}
    following: int | None = None
    for source in reversed(sources):
        following = source if source not in warm_ups or following is None else following
        measured[source] = following
    return measured


def _choose_for_sources(
    blocks: Sequence[Block], choices: Mapping[int, Sequence[HeadingChoice]]
) -> dict[int, HeadingChoice]:
    """{load test: its choice}: of its own choices a heading or the first with a name, else that of the load test before."""
    resolved: dict[int, HeadingChoice] = {}
    previous = HeadingChoice()
    repeated: dict[str, HeadingChoice] = {}  # "B run 1" below "## Config B: keep-alive on"
    for source, own in choices.items():
        if _REMARKED_REPEAT.fullmatch(previous.text) and any(find_repeat(text) for _, text in blocks[source].trail):
            previous = HeadingChoice()  # "first run (cold cache)" is not what "second run" is
        named = [choice for choice in own if choice.text]
        choice = next((c for c in named if c.is_heading), named[0] if named else replace(previous, is_inherited=True))
        base = _find_base(blocks[source])
        if base and heading_level(choice.text):
            repeated[base] = choice
        elif base and not choice.is_inherited and split_repeat(choice.text):
            choice = repeated.get(base, choice)
        resolved[source] = previous = choice
    return resolved


def _find_base(block: Block) -> str:
    """What the last line above a load test has beside the number of its repeat, or ""."""
    last = [text for _, text in block.trail][-1:]
    repeat = split_repeat(last[0]) if last and not heading_level(last[0]) else None
    return repeat[0].lower() if repeat and repeat[2] else ""


def _collect_candidates(
    blocks: Sequence[Block], loads: Sequence[int], texts: Collection[int], levels: set[str]
) -> dict[int, _Candidates]:
    candidates: dict[int, _Candidates] = {}
    begin = 0
    all_trails = [block.trail for block in blocks]
    sections = [*list_sections(all_trails, loads).values()]
    labels = {load: [(blocks[load].first, text)] for load in loads if (text := blocks[load].label)}
    trails = [blocks[load].trail for load in loads]
    counts = find_counts(trails) | _find_initial(trails)
    above = [*list_lines_above(all_trails, loads, texts), *labels.values()]
    compared = find_compared(above, counts | levels) | find_machines(sections) | find_things(trails)
    tools = find_tool_names(sections) | find_only_host(sections) | levels | counts | find_fixed_settings(trails)
    tools |= find_printed(trails)
    for load in loads:
        block = blocks[load]
        trail = _drop_rates(join_wrapped(block.trail), [result.requests_per_second for result in block.load_results])
        written = labels.get(load, [])
        is_written = get_semantics(block.load_results[0].tool).quotes_others  # the title of a row or column
        depth = min((level for _, text in trail if (level := heading_level(text)) > 1), default=7)
        others = [(i in texts, h) for i in range(begin, load) for h in blocks[i].trail]
        others = [
            each for each in others if depth == 7 or 0 < heading_level(each[1][1]) < depth
        ]  # of no section that ended
        monitors = [
            heading for is_text, heading in others if not is_text and not (begin and _is_of_monitor(heading[1]))
        ]
        above_texts = [heading for is_text, heading in others if is_text]
        candidates[load] = _Candidates(
            label=next(iter(written if is_written else _names_among(_choose_naming(written, compared))), None),
            caption=_find_caption(block, [each for each in trail if each[1] not in tools], compared),
            own=_choose_naming(
                [h for h in (*_list_headings_of_section(trail), *written) if h[1] not in tools], compared
            ),
            monitors=_choose_naming(monitors, compared),
            texts=_choose_naming(above_texts, compared),
            links=[heading for heading in block.trail if _SITE_LINK.fullmatch(heading[1])],
        )
        begin = load + 1
    return candidates


def _find_initial(trails: Sequence[Sequence[Heading]]) -> set[str]:
    """ "(Initial run)" above a load test, where the next one is "(2nd run)": it counts them, too."""
    last = [trail[-1][1] if trail else "" for trail in trails]
    return {one for one, other in pairwise(last) if _INITIAL.fullmatch(one) and only_counts(other)}


def _is_of_monitor(text: str) -> bool:
    """Where and when something was watched, which names no load test that follows: "Meanwhile on app1:"."""
    return find_phase(text) == "during" and not heading_level(text) and not names_software(text)


def _drop_rates(trail: Sequence[Heading], rates: Sequence[float | None]) -> list[Heading]:
    """The lines without those that tell the rate of the report below, where others name it: "**38342 req/sec**" below a heading."""
    written = {str(number) for rate in rates if rate and rate >= _LEAST_RATE for number in (int(rate), round(rate))}
    others = [heading for heading in trail if written.isdisjoint(_NUMBER.findall(heading[1].replace(",", "")))]
    return others if _names_among(_choose_naming(others)) else [*trail]


def _find_caption(block: Block, trail: Sequence[Heading], compared: Collection[str]) -> Heading | None:
    """The last name above, where it is a plain line by itself near the output."""
    lines = {line for line, _ in trail}
    headings = {line for line, text in trail if heading_level(text)}
    for line, text in _names_among(_choose_naming(trail, compared))[-1:]:
        n_between = sum(other > line for other in lines)  # asides, each with an empty line
        # "B run 1" may stand right below "## B: keep-alive".
        is_alone = line - 1 not in lines or (line - 1 in headings and not split_repeat(text))
        is_near = block.first - line <= _MAX_CAPTION_DISTANCE + 2 * n_between
        if is_near and is_alone and not heading_level(text):
            return line, text
    return None


def _list_headings_of_section(trail: Sequence[Heading]) -> list[Heading]:
    """The headings above a block, and of the other lines those behind the last heading: the rest are of other sections."""
    headings = [heading for heading in trail if heading_level(heading[1]) > 1]
    last = headings[-1][0] if headings else 0
    if headings and DESCRIBES_HOST.search(headings[-1][1]) and is_generic(headings[-1][1]):
        trail = [heading for heading in trail if heading_level(heading[1])]  # the rest is what the machine has
    above: list[Heading] = []
    depth = 7
    for heading in reversed(headings):  # those that it is a section of
        if (level := heading_level(heading[1])) < depth:
            depth = level
            above.append(heading)
    if not _names_among(_choose_naming(above)):
        above += [heading for heading in headings[-2:-1] if heading_level(heading[1]) == heading_level(headings[-1][1])]
    listed = find_listed(trail)
    return [
        heading
        for heading in trail
        if (heading in above if (level := heading_level(heading[1])) > 1 else level or heading[0] >= last)
        and (level or heading[0] not in listed)
    ]


def _choose_naming(headings: Sequence[Heading], compared: Collection[str] = ()) -> list[Heading]:
    return [(line, text) for line, text in headings if text in compared or may_name(text)]


def _names_among(headings: Sequence[Heading]) -> list[Heading]:
    return [heading for heading in headings if is_short(heading[1]) and not is_sentence(heading[1])]


def _choose_nearest(candidates: Mapping[int, _Candidates], duplicates: Mapping[int, int]) -> dict[int, HeadingChoice]:
    """Each load test's nearest heading. One further up counts only if it stands before no other load test."""
    sources: dict[str, set[int]] = defaultdict(set)
    for load, nearest in candidates.items():
        for _, text in nearest.names:
            sources[strip_markup(text)].add(duplicates.get(load, load))

    def is_unique(heading: Heading) -> bool:
        return len(sources[strip_markup(heading[1])]) == 1

    # "# cached" above a command is a heading or a comment, and code may be a caption or an aside. Where only such a line
    # names one of the tests, such lines name the others.
    lacking = {load: nearest for load, nearest in candidates.items() if not _find_subheadings(nearest)}
    comments_name = any(nearest.comments for nearest in lacking.values())
    captions_name = any(nearest.caption for load, nearest in lacking.items() if load not in duplicates)
    return {load: _choose(nearest, is_unique, comments_name, captions_name) for load, nearest in candidates.items()}


def _choose_at_one_level(
    candidates: Mapping[int, _Candidates], nearest: Mapping[int, HeadingChoice]
) -> dict[int, HeadingChoice]:
    """The choices, a heading of each level of which others have their names, where the deeper one stands alone below it.

    "# caddy" with "## Notes" below it is "caddy" beside "# nginx".
    """
    named = {load: choice for load, choice in nearest.items() if choice.text}
    levels = {load: heading_level(choice.text) for load, choice in named.items()}
    top = min(levels.values(), default=0)
    above = {load: [h for h in candidate.names if heading_level(h[1]) == top] for load, candidate in candidates.items()}
    deeper = [
        load
        for load, level in levels.items()
        if level > top  # and says no more of the one above: "### Caddy as a proxy" below "## Caddy"
        and not strip_markup(named[load].text)
        .lower()
        .startswith(tuple(f"{strip_markup(text).lower()} " for _, text in above[load][-1:]))
    ]
    if not top or not deeper or len(named) < len(nearest) or 2 * len(deeper) > len(named):
        return dict(nearest)
    chosen = dict(nearest)
    loads = [*nearest]
    for load, following in zip(loads, [*loads[1:], None], strict=True):
        if load in deeper and above[load] and (following is None or above[following]):
            chosen[load] = HeadingChoice(above[load][-1][1], above[load][-1][0], is_heading=True)
    if len({choice.text for choice in chosen.values()}) < len({choice.text for choice in nearest.values()}):
        return dict(nearest)
    return chosen


def _find_subheadings(candidates: _Candidates) -> list[Heading]:
    return [heading for heading in candidates.names if heading_level(heading[1]) > 1]


def _choose(
    candidates: _Candidates, is_unique: Callable[[Heading], bool], comments_name: bool, captions_name: bool
) -> HeadingChoice:
    if candidates.label:
        return HeadingChoice(candidates.label[1], candidates.label[0], is_heading=True)
    subheadings = _find_subheadings(candidates)
    if subheadings and comments_name:
        subheadings += [heading for heading in candidates.comments if heading[0] > subheadings[-1][0]]
    if subheadings and captions_name and candidates.caption and candidates.caption[0] > subheadings[-1][0]:
        subheadings.append(candidates.caption)
    unique_of_monitors = [heading for heading in _names_among(candidates.monitors) if is_unique(heading)]
    unique_of_texts = [heading for heading in _names_among(candidates.texts) if is_unique(heading)]
    sentences = [heading for heading in candidates.own + candidates.monitors if is_short(heading[1])]
    for headings, is_heading in (
        (subheadings, True),
        (_names_among(candidates.own), True),
        (unique_of_monitors, True),
        (sentences, False),
        (unique_of_texts, True),
        (candidates.names, True),
        (candidates.texts + candidates.monitors + candidates.own, False),
        (candidates.links, True),
    ):
        if headings:
            line, text = headings[-1]
            return HeadingChoice(text, line, is_heading=is_heading)
    return HeadingChoice()


def _prefer_files(
    candidates: Mapping[int, _Candidates], nearest: Mapping[int, HeadingChoice]
) -> dict[int, HeadingChoice]:
    """The files' names, where the text shows several and what stands in each tells none of its load tests apart.

    A script's messages ("starting the server") and figures of its own stand in each of the files that it wrote.
    """
    file_of: dict[int, Heading] = {}
    for load, candidate in candidates.items():
        before = next(reversed(file_of.values()), None)
        file = next((heading for heading in reversed(candidate.own) if is_file(heading[1])), before)
        if file is None:
            return dict(nearest)
        file_of[load] = file
    inside: dict[Heading, set[str]] = defaultdict(set)
    for load, file in file_of.items():
        inside[file] |= {nearest[load].text} - {"", file[1]}
    names = set().union(*inside.values())
    tells = any(len(own) > 1 for own in inside.values()) or any(heading_level(t) or names_software(t) for t in names)
    if tells or len({strip_markup(text) for _, text in inside}) < 2:
        return dict(nearest)
    return {
        load: HeadingChoice(file_of[load][1], file_of[load][0], is_heading=True) if choice.text else choice
        for load, choice in nearest.items()
    }


def _rise_above_outputs(
    candidates: Mapping[int, _Candidates], nearest: Mapping[int, HeadingChoice], duplicates: Mapping[int, int]
) -> dict[int, HeadingChoice]:
    """The choices, or where all are one that only says what follows ("Log:"), the headings above that differ, or sentences."""
    loads = [load for load in nearest if load not in duplicates]
    chosen = {fold_name(strip_markup(nearest[load].text)) for load in loads}
    if len(chosen) != 1 or not all(map(_OUTPUT.fullmatch, chosen)):
        return dict(nearest)
    n_with = Counter(text for load in loads for text in {text for _, text in candidates[load].own})
    choices, above = dict(nearest), HeadingChoice()
    for load in loads:  # a second one below the same heading repeats it
        found = candidates[load]
        differing = [h for h in found.own if n_with[h[1]] < len(loads) and h[1] != nearest[load].text]
        own = [h for h in differing if heading_level(h[1]) and h in found.names] or differing
        is_name = bool(own) and own[-1] in found.names
        choices[load] = above = HeadingChoice(own[-1][1], own[-1][0], is_heading=is_name) if own else above
    return choices if choices[loads[0]].text else dict(nearest)


def _replace_recurring(
    candidates: Mapping[int, _Candidates],
    nearest: Mapping[int, HeadingChoice],
    duplicates: Mapping[int, int],
) -> dict[int, HeadingChoice]:
    """Where the same headings recur under others ("event", "worker" under "keep-alive off", "on"): with those as groups."""
    loads = [load for load in nearest if load not in duplicates]
    counts = Counter(fold_name(strip_markup(nearest[load].text)) for load in loads if nearest[load].is_heading)
    recurring = {text for text, n in counts.items() if n > 1 and text}
    inner = {load: text for load in loads if (text := fold_name(strip_markup(nearest[load].text))) in recurring}
    # The rows of a list that has a recurring name are below one line, whichever of them is the first.
    inside = {load for load in loads if load in inner or candidates[load].label}
    above = {load: h for load in inside if (h := _find_heading_above(candidates[load], nearest[load], counts))}
    if not inner or sum(not heading_level(heading[1]) for heading in above.values()) < 2:
        return dict(nearest)
    choices = dict(nearest)
    outer: Heading | None = None
    for load in loads:
        goes_on = load in inside or not nearest[load].text  # without a name of its own it has that of the one before
        outer = above.get(load, outer if goes_on else None)
        if outer and load in inside and not heading_level(outer[1]):  # headings are groups by their levels
            choices[load] = replace(nearest[load], group=strip_markup(outer[1]))
    return choices


def _find_heading_above(candidates: _Candidates, choice: HeadingChoice, counts: Mapping[str, int]) -> Heading | None:
    """The name right above the chosen one, where no other load test has it as its own; above a list it may be a long line.

    A remark of the names is none: "nginx is only half as fast" above the next "nginx".
    """
    longer = [heading for heading in candidates.own if candidates.label and not speaks(heading[1])]
    above = (
        [each for each in lines if each[0] < choice.line and not only_counts(each[1])]
        for lines in (candidates.names, longer)
    )
    names = next(filter(None, above), [])
    is_remark = bool(names) and _speaks_of(names[-1][1], counts)
    return names[-1] if names and not is_remark else None


def _speaks_of(line: str, counts: Mapping[str, int]) -> bool:
    """Whether a line is the name of others, or no heading and has a recurring name: a remark on what stands above it."""
    folded = fold_name(strip_markup(line))
    is_remark = any(n > 1 and len(name) > _SHORTEST_SPOKEN and name in folded for name, n in counts.items())
    return bool(counts.get(folded)) or (is_remark and not heading_level(line))
